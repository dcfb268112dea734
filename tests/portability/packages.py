"""scripts/deps chooses among alternatives, and only needed packages stop it. Nothing is installed.

packages.py SOURCE_DIR
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

top = sys.argv[1]
if not shutil.which("dpkg-query") or not shutil.which("apt-cache"):
    print("this system has no apt")
    sys.exit(77)


def deps(rows, what):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
        f.write("# a comment\n" + rows)
        f.flush()
        p = subprocess.run([os.path.join(top, "scripts/deps"), what], env=dict(os.environ, WEFT_DEPS_LIST=f.name, WEFT_DEPS_DRY_RUN="1"),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return p.returncode, p.stdout.split(), p.stderr


def check(rows, what, code, packages, words=""):
    got = deps(rows, what)
    assert got[:2] == (code, packages) and words in got[2], f"{rows!r} {what}: {got}, not {(code, packages, words)}"


# base-files is installed on every Debian.
check("build base-files\n", "build", 0, [])
check("build weft-no-such|base-files\n", "build", 0, [])
check("build weft-no-such|weft-nor-such optional\n", "build", 0, [])
check("build weft-no-such|weft-nor-such\n", "build", 1, [], "weft-no-such|weft-nor-such")
check("build base-files&base-passwd\n", "build", 0, [])
check("build base-files&weft-no-such|base-files&base-passwd\n", "build", 0, [])
check("build base-files&weft-no-such\n", "build", 1, [], "base-files&weft-no-such")
check("test weft-no-such\n", "build", 0, [])
check("test weft-no-such\n", "test", 1, [], "weft-no-such")
check("test weft-no-such 999999999\n", "test", 0, [])
check("long weft-no-such\n", "test", 0, [])
check("long weft-no-such\n", "long", 1, [], "weft-no-such")
check("test weft-no-such\n", "long", 1, [], "weft-no-such")
check("test weft-no-such\nlong weft-no-such\n", "aarch64", 0, [])
check("aarch64 weft-no-such\n", "test", 0, [])
check("aarch64 weft-no-such\n", "aarch64", 1, [], "weft-no-such")
check("test weft-no-such optional 999999999\n", "test", 0, [])

# A package that is offered and not installed, if the lists of the system have one.
def policy(name):
    return subprocess.run(["apt-cache", "policy", name], stdout=subprocess.PIPE, text=True).stdout


offered = [n for n in ("sl", "cowsay", "hello") if re.search(r"Installed: \(none\)\n +Candidate: [^(]", policy(n))]
if offered:
    check(f"build weft-no-such|{offered[0]}|base-filez\n", "build", 0, offered[:1])
    check(f"build weft-no-such optional\nbuild {offered[0]} optional\n", "build", 0, offered[:1])

# The real list.
with open(os.path.join(top, "scripts/packages.txt")) as f:
    for line in f:
        assert re.fullmatch(r"#.*\n|(build|test|long|aarch64) [a-z0-9.+|&-]+( optional)?( \d+)?\n", line), f"scripts/packages.txt: {line}"
