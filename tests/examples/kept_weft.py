"""examples/ci: a Weft that was kept from another job is brought to the version that is wanted, or to the newest. Weft is a repository
whose build says what it has built.

kept_weft.py TEST_ON_WEFT_SH
"""
import os
import subprocess
import sys
import tempfile

script = os.path.abspath(sys.argv[1])
NEEDED = "git gcc libc6-dev make cmake ocl-icd-opencl-dev opencl-c-headers ca-certificates"


def git(*arguments):
    return subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@localhost", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def commit(text):
    os.makedirs("weft.git/scripts", exist_ok=True)
    with open("weft.git/scripts/build", "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\necho built: {text}\n")
    os.chmod("weft.git/scripts/build", 0o755)
    git("-C", "weft.git", "add", ".")
    git("-C", "weft.git", "commit", "-qm", text)
    git("-C", "weft.git", "tag", text)


def run(**settings):
    env = {name: value for name, value in os.environ.items() if not name.startswith("DRIVER_") and name != "OPENCL_VENDORS"}
    return subprocess.run(["sh", script], env={**env, **settings}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def built(**settings):
    p = run(**settings)
    assert p.returncode == 0, p.stdout
    return p.stdout.partition("built: ")[2].strip()


if subprocess.run(["dpkg", "-s", *NEEDED.split()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
    print("skip: the script would install packages")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="weft-ci-") as folder:
    os.chdir(folder)
    git("init", "-q", "weft.git")
    commit("one")
    address = "file://" + os.path.join(folder, "weft.git")
    assert built(DRIVER_REPOSITORY=address) == "one"
    commit("two")
    assert built(DRIVER_REPOSITORY=address) == "two", "the kept one isn't brought to the newest"
    assert built(DRIVER_REPOSITORY=address, DRIVER_VERSION="one") == "one"
    assert built(DRIVER_VERSION="two") == "two"
    first, second = git("-C", "weft.git", "rev-list", "--reverse", "HEAD").split()
    assert built(DRIVER_REPOSITORY=address, DRIVER_VERSION=first) == "one"
    error = run(DRIVER_REPOSITORY=address, DRIVER_VERSION=first[:9])
    assert error.returncode == 1 and "built: " not in error.stdout and "the full hash of a commit" in error.stdout, error.stdout
    assert built(DRIVER_VERSION=second) == "two"
    commit("three")
    assert built() == "two", "nobody has asked for another one"
