"""AArch64 from x86-64, as scripts/build aarch64 does it: the native compiler makes NEON code of the expected width, libweft.so
and some tests are cross-built, and the tests pass in QEMU's user emulation. scripts/test aarch64 runs all that can be run. What
was built stays in BUILD_DIR/aarch64, so that the next run only builds what has changed.

aarch64.py SOURCE_DIR BUILD_DIR TARGET TEST...     (TARGET: that of the native compiler, empty if this LLVM can't make such code)

Skipped, with all that is missing, where the cross tools aren't. The packages' folder is fetched by scripts/build aarch64 alone:
a test doesn't ask the network.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from commands import run

top, build, target, *tests = sys.argv[1:]
root = os.environ.get("CROSS_ROOT") or os.path.join(top, "build/root-aarch64")
missing = [tool for tool in ("clang-19", "ld.lld", "qemu-aarch64") if not shutil.which(tool) and not shutil.which(tool + "-static")]
if not target:
    missing.append("LLVM's code generator for AArch64")
if not os.path.exists(os.path.join(root, ".packages")):
    missing.append(f"{root} with Debian's packages for arm64 (scripts/build aarch64)")
if missing:
    print("skipped: missing are " + "; ".join(missing))
    sys.exit(77)

run("cmake", "--build", build, "--target", target)
compiler_dir = os.path.join(build, "for-aarch64/lib/weft")
weftc = os.path.join(compiler_dir, "weftc")


def text_sizes(path):
    """Of the code objects in what weftc makes of a program: the size of the machine code of each kernel."""
    with open(path, "rb") as f:
        data = f.read()
    sizes = []
    for found in re.finditer(b"\x7fELF", data):
        elf = path + ".elf"
        with open(elf, "wb") as f:
            f.write(data[found.start():])
        sizes.append(int(re.search(r"\.text\s+PROGBITS\s+\w+\s+\w+\s+(\w+)", run("readelf", "-SW", elf))[1], 16))
    return sizes


# Vectors of four floats, and a scalar where no lanes are allowed: so it is the vectorizer that makes them.
# With SVE of more than 128 bits, vectors as wide as its registers.
with tempfile.TemporaryDirectory(prefix="weft-aarch64-") as scratch:
    kernel = os.path.join(scratch, "add.cl")
    with open(kernel, "w", encoding="utf-8") as f:
        f.write("kernel void add(global const float *a, global const float *b, global float *c) {\n"
                "    size_t i = get_global_id(0);\n    c[i] = a[i] + b[i];\n}\n")
    for cpu in ("cortex-a72", "neoverse-n1"):
        for lanes in (1, 4):
            asm = run(weftc, "--emit=asm", kernel, WEFT_CPU=cpu, WEFT_VF=str(lanes), WEFT_CONF="none")
            assert re.search(r"\bfadd\s+[sv]\d+", asm), asm
            assert bool(re.search(r"\bfadd\s+v\d+\.4s", asm)) == (lanes == 4), f"{cpu}, {lanes} lanes:\n{asm}"
    for cpu, lanes in (("neoverse-v2", 4), ("neoverse-v1", 8), ("a64fx", 16)):
        asm = run(weftc, "--emit=asm", kernel, WEFT_CPU=cpu, WEFT_VF=str(lanes), WEFT_CONF="none")
        assert bool(re.search(r"\bfadd\s+z\d+\.s", asm)) == (lanes > 4), f"{cpu}:\n{asm}"
        about = run(weftc, "--target", WEFT_CPU=cpu, WEFT_CONF="none")
        assert f"lanes of 32 bits: {lanes}\n" in about, about

    # lld, which links each kernel, gives LLVM's options their defaults. The second kernel is as the first one
    # all the same.
    body = "(global float *a) {\n    size_t i = get_global_id(0);\n    a[i] = a[i] * 2 + 1;\n}\n"
    two, made = os.path.join(scratch, "two.cl"), os.path.join(scratch, "two.weft")
    with open(two, "w", encoding="utf-8") as f:
        f.write("kernel void p" + body + "kernel void q" + body)
    run(weftc, two, "-o", made, WEFT_CPU="neoverse-v1", WEFT_CONF="none")
    sizes = text_sizes(made)
    assert len(sizes) == 2 and sizes[0] == sizes[1], sizes

folder = os.path.join(build, "aarch64")
run("cmake", "-G", "Ninja", "-S", top, "-B", folder, "--toolchain", os.path.join(top, "cmake/aarch64.cmake"),
    "-DCMAKE_BUILD_TYPE=Release", f"-DWEFT_CROSS_ROOT={root}", f"-DWEFT_COMPILER_DIR={compiler_dir}", "-DWEFT_EXAMPLES=OFF",
    "-DWEFT_WERROR=ON")
run("cmake", "--build", folder, "--target", "weft", *("test_" + test.replace(".", "_") for test in tests))
header = run("readelf", "-hW", os.path.join(folder, "lib/libweft.so"))
assert re.search(r"Machine:\s+AArch64", header), header

pattern = "^(" + "|".join(re.escape(test) for test in tests) + ")$"
p = subprocess.run(["ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=error", "-j2", "-R", pattern], text=True,
                   env={k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
assert p.returncode == 0, p.stdout[-8000:]
assert f"out of {len(tests)}" in p.stdout and "(Skipped)" not in p.stdout and "(Not Run)" not in p.stdout, p.stdout[-8000:]
print(f"{len(tests)} tests in the emulator")
