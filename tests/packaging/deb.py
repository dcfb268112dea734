"""A package of Debian, made of this build by debian/rules: what it has, what it asks for, installed into a folder of its own, where it
works, and removed, which leaves nothing. Nothing of this system changes.

deb.py SOURCE_DIR BUILD_DIR VERSION TEST_PROGRAM TEST_NAME
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

top, build, version, program, test = sys.argv[1:]
lacks = [name for name in ("dh", "dpkg-deb", "dpkg") if not shutil.which(name)]
if lacks:
    print("this system has no " + ", ".join(lacks))
    sys.exit(77)
clean = {k: v for k, v in os.environ.items() if not k.startswith(("WEFT_", "OCL_ICD_", "OPENCL_", "DEB_", "DH_", "XDG_"))}
clean.update(LC_ALL="C.UTF-8", PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")  # dpkg wants ldconfig there


def run(*command, cwd="/", **more):
    p = subprocess.run(command, env=dict(clean, **more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, cwd=cwd)
    assert p.returncode == 0, f"{command}: {p.returncode}\n{p.stdout[-6000:]}"
    return p.stdout


def files_below(folder):
    return {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}


as_root = [] if os.getuid() == 0 else ["fakeroot"]


def make(folder, built):
    """The package of what was built in `built`, made in `folder`."""
    source = os.path.join(folder, "weft")
    shutil.copytree(os.path.join(top, "debian"), os.path.join(source, "debian"))
    # dh_auto_* find out of a CMakeLists.txt how a source is built.
    shutil.copy(os.path.join(top, "CMakeLists.txt"), source)
    run(*as_root, "debian/rules", "binary", cwd=source, WEFT_BUILT=built)
    debs = [name for name in os.listdir(folder) if name.startswith("weft-opencl-icd_")]
    assert len(debs) == 1 and debs[0].startswith(f"weft-opencl-icd_{version}-"), debs
    return os.path.join(folder, debs[0])


def read(path):
    with open(path, "rb") as f:
        return f.read()


with tempfile.TemporaryDirectory(prefix="weft-deb-") as scratch:
    deb = make(scratch, build)
    # Other folders, whose names have spaces, and files that only their owner may read: the same bytes.
    other, built = os.path.join(scratch, "another folder"), os.path.join(scratch, "the build")
    os.mkdir(other)
    os.symlink(build, built)
    usual = os.umask(0o077)
    assert read(make(other, built)) == read(deb), "two packages of one build differ"
    os.umask(usual)

    asks = run("dpkg-deb", "-f", deb)
    assert re.search(r"^Provides: opencl-icd$", asks, re.M), asks
    assert re.search(r"^Depends: .*\blibc6 \(>= 2\.\d+\).*\blibhwloc15\b", asks, re.M), asks
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as f:
        translator = re.search(r"^WEFT_LLVM_SPIRV:FILEPATH=(?:.*/)?(.*)$", f.read(), re.M)[1]
        f.seek(0)
        llvm = re.search(r"^WEFT_LLVM:\w+=(\d+)$", f.read(), re.M)[1]
    if translator:  # the one that was there first, then those of other systems, each once
        names = re.search(r"^Recommends: .*?\b(llvm-spirv.*)$", asks, re.M)[1].split(" | ")
        assert names[0] == translator and len(set(names)) == len(names), asks
        assert {f"llvm-spirv-{version}" for version in range(15, int(llvm) + 1)} <= set(names), asks

    # The system has a file before, which stays, and a user's cache, which isn't the package's.
    root = os.path.join(scratch, "root")
    for folder in "var/lib/dpkg/info", "var/lib/dpkg/updates", "etc/OpenCL/vendors":
        os.makedirs(os.path.join(root, folder))
    for name in "var/lib/dpkg/status", "etc/OpenCL/vendors/other.icd":
        open(os.path.join(root, name), "w", encoding="utf-8").close()
    dpkg = [*as_root, "dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless", "--log=/dev/null", "--no-triggers"]
    run(*dpkg, "-i", deb)
    run(*dpkg, "-i", deb)  # once more, over itself
    with open(os.path.join(root, "etc/OpenCL/vendors/weft.icd"), encoding="utf-8") as f:
        library = f.read().strip()
    assert library.startswith("/usr/lib/"), library
    installed = files_below(os.path.join(root, "usr"))
    for name in "bin/weft", "share/man/man1/weftc.1.gz", "share/man/man7/weft.7.gz", "share/doc/weft-opencl-icd/copyright":
        assert name in installed, (name, sorted(installed))

    # Its library, with the compiler beside it, is what the loader finds.
    env = {"OCL_ICD_VENDORS": root + library, "OPENCL_VENDOR_PATH": os.path.dirname(root + library), "WEFT_CACHE": "0", "WEFT_CONF": "none"}
    assert re.search(r"^ok ", run(program, test, **env), re.M)
    assert version in run(os.path.join(root, "usr/bin/weftc"), "--version", **env)

    run(*dpkg, "--purge", "weft-opencl-icd")
    left = {name for name in files_below(root) if not name.startswith("var/lib/dpkg/")}
    assert left == {"etc/OpenCL/vendors/other.icd"}, left
    assert not os.path.exists(os.path.join(root, "usr")) or not files_below(os.path.join(root, "usr")), "files are left"
