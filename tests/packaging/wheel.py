"""A wheel of this build, for this system only, in environments of its own: what it selects, what it leaves alone, moved, and in
folders that can't be written.

wheel.py SOURCE_DIR BUILD_DIR VERSION TEST_PROGRAM TEST_NAME
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

top, build, version, program, test = sys.argv[1:]
clean = {k: v for k, v in os.environ.items() if not k.startswith(("WEFT_", "OCL_ICD_", "OPENCL_", "PYTHON", "XDG_"))}
clean.update(WEFT_CACHE="0", WEFT_CONF="none", PYTHONDONTWRITEBYTECODE="1")
# The first platform that the loader has, as PyOpenCL would see it.
PLATFORM = """
import ctypes
cl = ctypes.CDLL("libOpenCL.so.1")
count, platform, text = ctypes.c_uint(), ctypes.c_void_p(), ctypes.create_string_buffer(300)
assert cl.clGetPlatformIDs(1, ctypes.byref(platform), ctypes.byref(count)) == 0, "no platform"
assert cl.clGetPlatformInfo(platform, 0x0902, 300, text, None) == 0
print(count.value, text.value.decode())
"""
# The number of processors that hwloc finds.
CORES = """
import ctypes, sys
h, t = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p()
assert h.hwloc_topology_init(ctypes.byref(t)) == 0 and h.hwloc_topology_load(t) == 0
print(h.hwloc_get_nbobjs_by_depth(t, h.hwloc_get_type_depth(t, 3)))
"""


def run(command, status=0, **more):
    p = subprocess.run(command, env=dict(clean, **more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, cwd="/")
    assert p.returncode == status, f"{command}: {p.returncode}\n{p.stdout}"
    return p.stdout.strip()


with tempfile.TemporaryDirectory(prefix="weft-wheel-") as scratch:
    tree, venv = os.path.join(scratch, "tree"), os.path.join(scratch, "a venv")
    run(["cmake", "--install", build, "--prefix", tree])
    # hwloc, as wheels bring it, needs nothing but the C library, and reads this machine.
    clang = shutil.which("clang-19") or shutil.which("clang-22") or shutil.which("clang-21")
    archive = clang and subprocess.run([clang, "-print-file-name=libhwloc.a"], stdout=subprocess.PIPE, text=True).stdout.strip()
    if archive and os.path.isabs(archive):
        hwloc = os.path.join(tree, "lib/weft/libhwloc.so.15")
        run([os.path.join(top, "packaging/wheel/hwloc"), hwloc, clang])
        needed = re.findall(r"\(NEEDED\).*\[([^]]+)\]", run(["readelf", "-dW", hwloc]))
        assert all(re.match(r"lib(c|m|dl)\.so|ld-linux", name) for name in needed), needed
        assert run([sys.executable, "-c", CORES, hwloc]) not in ("", "0")
    make = [sys.executable, os.path.join(top, "packaging/wheel/make.py"), tree, version, scratch, "--here"]
    wheel = run(make)
    assert re.fullmatch(rf"weft_opencl-{version}-py3-none-linux_\w+\.whl", os.path.basename(wheel)), wheel
    with open(wheel, "rb") as f:
        first = f.read()
    run(make)
    with open(wheel, "rb") as f:
        assert f.read() == first, "the same tree makes different wheels"

    if subprocess.run([sys.executable, "-m", "venv", venv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        print("this Python can't make environments")
        sys.exit(77)
    python = os.path.join(venv, "bin/python")
    run([python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel])
    package = os.path.dirname(run([python, "-c", "import weft_opencl; print(weft_opencl.__file__)"]))
    library = os.path.join(package, "lib/libweft.so")

    # Importing it selects it, where nobody has chosen.
    shows = f"import os, weft_opencl; print(os.environ['OCL_ICD_VENDORS'])"
    assert run([python, "-c", shows]) == library
    assert run([python, "-c", "import weft_opencl\n" + PLATFORM]) == "1 Weft"
    assert run([python, "-c", shows], OCL_ICD_VENDORS="/nowhere") == "/nowhere"
    assert run([python, "-c", "import weft_opencl; weft_opencl.select()\n" + PLATFORM], OCL_ICD_VENDORS="/nowhere") == "1 Weft"

    # Any program, whatever was chosen.
    out = run([python, "-m", "weft_opencl", "--", program, test], OCL_ICD_VENDORS="/nowhere")
    assert re.search(r"^ok ", out, re.M), out
    assert version in run([python, "-m", "weft_opencl"])
    assert "no-such-program" in run([python, "-m", "weft_opencl", "--", "no-such-program"], status=1)
    assert "usage" in run([python, "-m", "weft_opencl", "--wrong"], status=1)

    # The folder of the vendor file, beside the library. It goes with the package.
    tells = "import weft_opencl; print(weft_opencl.vendors_dir())"
    vendors = run([python, "-c", tells])
    assert vendors == os.path.join(package, "vendors")
    assert run([python, "-c", PLATFORM], OCL_ICD_VENDORS=vendors) == "1 Weft"
    run([python, "-m", "pip", "uninstall", "--quiet", "--yes", "--disable-pip-version-check", "weft-opencl"])
    assert not os.path.exists(package), [names for _, _, names in os.walk(package)]
    # It is written anew after the package was moved.
    run([python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel])
    assert run([python, "-c", tells]) == vendors
    moved = os.path.join(scratch, "moved")
    os.mkdir(moved)
    shutil.move(package, moved)
    vendors = run([python, "-c", tells], PYTHONPATH=moved)
    assert vendors == os.path.join(moved, "weft_opencl/vendors")
    with open(os.path.join(vendors, "weft.icd"), encoding="utf-8") as f:
        assert f.read() == os.path.join(moved, "weft_opencl/lib/libweft.so") + "\n"
    assert run([python, "-c", PLATFORM], OCL_ICD_VENDORS=vendors) == "1 Weft"
    # Two versions don't share a folder. Where the package can't be written, the user's cache has it, else a
    # folder of the process.
    shutil.rmtree(vendors)
    with open(vendors, "w", encoding="utf-8"):  # no folder can be made here
        pass
    cache = os.path.join(scratch, "cache")
    vendors = run([python, "-c", tells], PYTHONPATH=moved, XDG_CACHE_HOME=cache)
    assert vendors.startswith(os.path.join(cache, "weft-opencl/")), vendors
    shutil.rmtree(cache)
    with open(cache, "w", encoding="utf-8"):
        pass
    out = run([python, "-c", tells + "\nimport os\nprint(os.listdir(weft_opencl.vendors_dir()))"], PYTHONPATH=moved, XDG_CACHE_HOME=cache)
    assert "['weft.icd']" in out and not os.path.exists(out.split("\n")[0]), out
