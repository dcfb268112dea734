"""Weft with another LLVM that is installed: it is configured and built, and kernels run. What was built stays in
BUILD_DIR/other-llvm, so that the next run only builds what has changed.

other_llvm.py SOURCE_DIR BUILD_DIR TEST_PROGRAM...
"""
import os
import re
import shutil
import sys

from commands import run

top, build, *programs = sys.argv[1:]
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
print(f"LLVM {other} beside {own}: {len(programs)} programs")
