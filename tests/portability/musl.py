"""libweft.so for musl: it is built with musl-gcc, and a program of musl runs kernels with it. weftc, another process, is that of
the build. What was built stays in BUILD_DIR/musl, so that the next run only builds what has changed.

musl.py SOURCE_DIR BUILD_DIR
"""
import os
import re
import shutil
import sys

from commands import run

top, build = sys.argv[1:]
if not shutil.which("musl-gcc") or not shutil.which("g++"):
    print("there is no musl-gcc, or no g++")
    sys.exit(77)
folder = os.path.join(build, "musl")
include = os.path.join(folder, "include")

# Of the system's headers only those that belong to no C library.
machine = run("gcc", "-print-multiarch").strip()
shutil.rmtree(include, ignore_errors=True)
os.makedirs(include)
for name in ("CL", "hwloc", "hwloc.h", "linux", "asm", "asm-generic"):
    for path in (f"/usr/include/{name}", f"/usr/include/{machine}/{name}"):
        if os.path.isdir(path):
            shutil.copytree(path, os.path.join(include, name), dirs_exist_ok=True)
        elif os.path.exists(path):
            shutil.copy2(path, os.path.join(include, name))

run("cmake", "-G", "Ninja", "-S", top, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_COMPILER=musl-gcc", "-DCMAKE_CXX_COMPILER=g++",
    f"-DCMAKE_C_FLAGS=-isystem {include}", f"-DWEFT_COMPILER_DIR={build}/lib/weft", "-DWEFT_TESTS=OFF", "-DWEFT_EXAMPLES=OFF",
    "-DWEFT_WERROR=ON")
run("cmake", "--build", folder, "--target", "weft")
library = os.path.join(folder, "lib/libweft.so")
needed = re.findall(r"\(NEEDED\).*\[([^]]+)\]", run("readelf", "-dW", library))
assert needed == ["libc.so"], needed

guest = os.path.join(folder, "guest")
run("musl-gcc", "-O1", "-isystem", include, "-DCL_TARGET_OPENCL_VERSION=300", os.path.join(top, "tests/portability/musl/guest.c"), "-o", guest)
out = run(guest, library, WEFT_CACHE="0", WEFT_CONF="none", WEFT_KERNEL_TIMEOUT="1")
assert re.search(r"^ok$", out, re.M), out
