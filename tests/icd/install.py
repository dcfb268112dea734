"""`cmake --install`: everything lands below the prefix, the vendor file names it, and programs run on what was installed.

install.py BUILD_DIR LIBDIR TEST_PROGRAM TEST_NAME
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

build, libdir, program, test = sys.argv[1:]


def install(prefix, **more):
    p = subprocess.run(["cmake", "--install", build, "--prefix", prefix], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       env=dict({k: v for k, v in os.environ.items() if k != "DESTDIR"}, **more))
    assert p.returncode == 0, p.stdout


def files_of(top):
    return sorted(os.path.relpath(os.path.join(d, f), top) for d, _, names in os.walk(top) for f in names)


def check_files(top, prefix, vendors, library):
    want = sorted([vendors + "/weft.icd"] + [os.path.join(prefix, f) for f in (
        "bin/weftc", f"{libdir}/libweft.so", f"{libdir}/weft/builtins.pack", f"{libdir}/weft/support.a",
        f"{libdir}/weft/weftc")])
    assert files_of(top) == want, f"{files_of(top)}, not {want}"
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
    # The compiler finds its built-in functions, also through the link.
    source = os.path.join(top, "k.cl")
    with open(source, "w") as f:
        f.write("kernel void k(global float *p) { p[0] = sin(p[1]); }\n")
    run([os.path.join(prefix, "bin/weftc"), source, "-o", os.path.join(top, "k.weft")], vendors)
    assert os.path.getsize(os.path.join(top, "k.weft")) > 0

    # For a package of the system.
    stage = os.path.join(top, "stage")
    install("/usr", DESTDIR=stage)
    check_files(stage, "usr", "etc/OpenCL/vendors", f"/usr/{libdir}/libweft.so")
    # And away again, as docs/install.md says.
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/install.md")) as f:
        line = re.search(r"## Remove it\n.*?```sh\n([^\n]+)\n```", f.read(), re.S)[1]
    line = line.replace("sudo ", "").replace("build/release", f'"{build}"')
    subprocess.run(line, shell=True, check=True, env=dict(os.environ, DESTDIR=stage))
    assert not files_of(stage), files_of(stage)
