"""`cmake --install`: everything lands below the prefix, the vendor file names it, programs run on what was installed, and
`uninstall` leaves nothing.

install.py BUILD_DIR LIBDIR TEST_PROGRAM TEST_NAME
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

build, libdir, program, test = sys.argv[1:]
top_of_source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


with open(os.path.join(build, "CMakeCache.txt")) as f:
    cache = f.read()
llvm = re.search(r"^WEFT_LLVM:\w+=(\d*)$", cache, re.M)[1]


def install(prefix, **more):
    p = subprocess.run(["cmake", "--install", build, "--prefix", prefix], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       env=dict({k: v for k, v in os.environ.items() if k != "DESTDIR"}, **more))
    assert p.returncode == 0, p.stdout


def files_of(top):
    return sorted(os.path.relpath(os.path.join(d, f), top) for d, _, names in os.walk(top) for f in names)


def check_files(top, prefix, vendors, library):
    docs = os.path.join(prefix, "share/doc/weft")
    want = sorted([vendors + "/weft.icd"] + [os.path.join(prefix, f) for f in (
        "bin/weft", "bin/weftc", f"{libdir}/libweft.so", f"{libdir}/weft/builtins.pack", f"{libdir}/weft/support.a",
        f"{libdir}/weft/weftc", f"{libdir}/weft/weft.conf", "share/man/man1/weft.1", "share/man/man1/weftc.1",
        "share/man/man7/weft.7", "share/bash-completion/completions/weft",
        "share/fish/vendor_completions.d/weft.fish", "share/zsh/site-functions/_weft", "share/weft/gdb.py",
        "share/weft/prof.html")] + [os.path.join(docs, f) for f in ("LICENSE", "THIRD-PARTY")])
    # Texts of other licences are installed as far as the system has them.
    found = [f for f in files_of(top) if not f.startswith(os.path.join(docs, "licenses/"))]
    assert found == want, f"{found}, not {want}"
    for text, of in ("LLVM", f"doc/llvm-{llvm}-dev/copyright"), ("Apache-2.0", "common-licenses/Apache-2.0"), ("GPL-3", "common-licenses/GPL-3"):
        if os.path.exists(os.path.join("/usr/share", of)):
            assert os.path.getsize(os.path.join(top, docs, "licenses", text)) > 1000, text
    with open(os.path.join(top, vendors, "weft.icd")) as f:
        content = f.read()
    assert content == library + "\n", content


def run(command, vendors):
    env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}
    env.update(OCL_ICD_VENDORS=vendors, OPENCL_VENDOR_PATH=vendors, WEFT_CACHE="0", WEFT_LOG="error")
    p = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, cwd="/")
    assert p.returncode == 0, f"{command}: {p.returncode}\n{p.stdout}"
    return p.stdout


with tempfile.TemporaryDirectory(prefix="weft-install-") as top:
    # Below a prefix, used there.
    prefix = os.path.join(top, "a prefix")
    install(prefix)
    check_files(prefix, "", "etc/OpenCL/vendors", f"{prefix}/{libdir}/libweft.so")
    vendors = os.path.join(prefix, "etc/OpenCL/vendors")
    run([program, test], vendors)
    if shutil.which("clinfo"):
        out = run(["clinfo"], vendors)
        assert "Weft" in out and "Number of platforms                               1" in out, out
    told = run([os.path.join(prefix, "bin/weft"), "doctor"], vendors)
    assert "Nothing is wrong" in told and f"{prefix}/{libdir}/libweft.so (this Weft)" in told, told

    # The compiler finds its built-in functions, also through the link.
    source = os.path.join(top, "k.cl")
    with open(source, "w") as f:
        f.write("kernel void k(global float *p) { p[0] = sin(p[1]); }\n")
    run([os.path.join(prefix, "bin/weftc"), source, "-o", os.path.join(top, "k.weft")], vendors)
    assert os.path.getsize(os.path.join(top, "k.weft")) > 0

    # Copies can be distinguished, and have no symbols (if this is a build for users).
    version = run([os.path.join(prefix, "bin/weftc"), "--version"], vendors)
    commit = subprocess.run(["git", "-C", top_of_source, "rev-parse", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            check=False).stdout if os.path.exists(os.path.join(top_of_source, ".git")) and shutil.which("git") else ""
    assert re.match(r"weftc \d+\.\d+\.\d+-\d+\+([0-9a-f]{10,}(-dirty)?\.)?llvm\d+\.\d+\.\d+\n", version), version
    assert ("+llvm" not in version) == bool(commit), version
    if shutil.which("clinfo"):
        assert version.split()[1] in out, out
    released = re.search(r"^CMAKE_BUILD_TYPE:\w+=(Release|MinSizeRel)$", cache, re.M)
    for name in ("libweft.so", "weft/weftc") if released and shutil.which("readelf") else ():
        sections = subprocess.run(["readelf", "-SW", os.path.join(prefix, libdir, name)], stdout=subprocess.PIPE, text=True, check=True).stdout
        assert ".symtab" not in sections, f"{name} has symbols"

    # For a package of the system.
    stage = os.path.join(top, "stage")
    install("/usr", DESTDIR=stage)
    check_files(stage, "usr", "etc/OpenCL/vendors", f"/usr/{libdir}/libweft.so")
    # And away again, as docs/install.md says.
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/install.md")) as f:
        line = re.search(r"## Remove it\n.*?```sh\n([^\n]+)\n```", f.read(), re.S)[1]
    line = line.replace("sudo ", "").replace("build/install", f'"{build}"')
    with open(os.path.join(stage, "usr/share/doc/somebody-else"), "w"):
        pass
    subprocess.run(line, shell=True, check=True, env=dict(os.environ, DESTDIR=stage), stdout=subprocess.DEVNULL)
    assert files_of(stage) == ["usr/share/doc/somebody-else"], files_of(stage)
    left = [os.path.join(d, n) for d, names, _ in os.walk(stage) for n in names if n == "weft"]
    assert not left, left
