"""Weft with another LLVM that is installed: it is configured and built, kernels run, the checker finds planted faults, and debug
information names files by their folder. What was built stays in BUILD_DIR/other-llvm, so that the next run only builds what has
changed.

other_llvm.py SOURCE_DIR BUILD_DIR RUN_KERNELS TEST_PROGRAM...
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from commands import run

top, build, run_kernels, *programs = sys.argv[1:]
with open(os.path.join(build, "CMakeCache.txt")) as f:
    cache = f.read()
own = re.search(r"^WEFT_LLVM:\w+=(\d*)$", cache, re.M)[1]
others = [v for v in ("22", "21", "20", "19") if v != own and shutil.which(f"clang-{v}") and
          all(os.path.isdir(f"/usr/lib/llvm-{v}/lib/cmake/{part}") for part in ("llvm", "clang", "lld"))]
if not others:
    print(f"LLVM {own} is the only one that is installed with Clang and lld")
    sys.exit(77)
other = others[0]
folder = os.path.join(build, "other-llvm")

run("cmake", "-G", "Ninja", "-S", top, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DWEFT_TESTS=OFF", f"-DWEFT_LLVM={other}")
run("cmake", "--build", folder, "--target", "weftc", "weft_builtins", "weft_support", "weft")
weftc = os.path.join(folder, "lib/weft/weftc")
version = run(weftc, "--version")
assert re.search(rf"llvm{other}\.\d+\.\d+$", version.strip()), version
vendors = os.path.join(folder, "vendors")
for program in programs:
    out = run(program, OCL_ICD_VENDORS=vendors, OPENCL_VENDOR_PATH=vendors, WEFT_CONF="none", WEFT_CACHE="0")
    assert re.search(r"^ok ", out, re.M), out
planted = [os.path.join(top, "tests/check", name) for name in ("align.cl", "uninit.cl")]
run(sys.executable, os.path.join(top, "tests/check/planted.py"), run_kernels, vendors, "--short", *planted)
with tempfile.TemporaryDirectory(prefix="weft-other-llvm-") as scratch:
    with open(os.path.join(scratch, "k.cl"), "w", encoding="utf-8") as f:
        f.write("struct s { int x[9]; };\nkernel void k(global int *a, struct s s) { a[get_global_id(0)] = s.x[7]; }\n")
    ir = subprocess.run([weftc, "--emit=bc", "-g", "./k.cl"], cwd=scratch, stdout=subprocess.PIPE, text=True, check=True).stdout
    folders = set(re.findall(r'!DIFile\(filename: "(?:\./)?k\.cl", directory: "([^"]*)"', ir))
    assert folders == {os.path.realpath(scratch)}, f"debug information is relative to {folders}"
    # Attributes that this LLVM doesn't know by their old names.
    ir = subprocess.run([weftc, "--emit=prepare", "-k", "k", "./k.cl"], cwd=scratch, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.search(r"define .*@k\(.*dereferenceable\(36\)", ir), ir
    assert not re.search(r"\bptr none\b", ir) and re.search(r"\bnocapture\b|captures\(none\)", ir), ir
print(f"LLVM {other} beside {own}: {len(programs)} programs")
