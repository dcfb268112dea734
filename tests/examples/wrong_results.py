"""Examples that compute something else notice it: they say so, and end with status 1. Each is a copy in which a line is another one.
Where it computes with floating point, the wrong result is NaN, which is neither less nor greater than what is right.

wrong_results.py EXAMPLES_DIR
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from expected import blocks_of

examples = sys.argv[1]
# The file, a part of it, what stands in its place, and what the program then says.
CHANGES = [
    ("vector-add/vector-add.c", "sum[i] = a[i] + b[i];\\n", "sum[i] = NAN;\\n", r"sums, [1-9]\d* wrong"),
    ("image-filter/image-filter.c", "float4 sum = 0.0f;", "float4 sum = 1.0f;", r", [1-9]\d* values wrong"),
    ("nbody-svm/nbody-svm.c", "g->step * b.velocity.xyz;", "NAN;", "is WRONG"),
    ("reduction/reduction.cl", "parts[me] = part;", "parts[me] = part + 1;", "the sum is WRONG"),
    ("gemm/gemm.cl", "+ 64] = right[r];", "+ 64] = NAN;", r", [1-9]\d* numbers wrong"),
    ("device-enqueue/device-enqueue.c", '"        zi = 2.0f * zr', '"        zi = 2.1f * zr', "is WRONG"),
    ("pipes/pipes.c", "for (uint d = 2;", "for (uint d = 3;", r", [1-9]\d* wrong"),
    ("command-buffer/command-buffer.c", "now[0] = height;", "now[0] = 2 * height;", "is WRONG"),
    ("overlap/overlap.c", "x ^= x << 5;\\n", "x ^= x << 6;\\n", r", [1-9]\d* numbers wrong"),
    ("program-binary/program-binary.c", "out[i] = in[i] * in[i] * in[i];\\n", "out[i] = in[i] * in[i];\\n", r", [1-9]\d* results wrong"),
    ("faults/faults.c", "= 7 * (int)i;", "= 8 * (int)i;", r", [1-9]\d* results wrong"),
    ("mandelbrot/mandelbrot.c", "zi = 2.0f * zr", "zi = 2.1f * zr", "is WRONG"),
    ("pyopencl/reaction-diffusion.py", "\nerror = ", "\nnow[1].fill(np.nan)\nerror = ", "WRONG by nan"),
]
bad = []
for path, old, new, said in CHANGES:
    with tempfile.TemporaryDirectory(prefix="weft-example-") as folder:
        name, _, file = path.partition("/")
        copy = shutil.copytree(os.path.join(examples, name), os.path.join(folder, name))
        with open(os.path.join(copy, file), encoding="utf-8") as f:
            text = f.read()
        assert text.count(old) == 1, f"{path} has {text.count(old)} times {old}"
        with open(os.path.join(copy, file), "w", encoding="utf-8") as f:
            f.write(text.replace(old, new))
        command = next(block for language, block in blocks_of(os.path.join(copy, "README.md")) if language == "sh")
        # Debian's packages for Python belong to Debian's Python.
        p = subprocess.run(["sh", "-ec", command], cwd=copy, env=dict(os.environ, PATH="/usr/bin:" + os.environ["PATH"]),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    print(f"{path}: status {p.returncode}\n{p.stdout}", flush=True)
    if p.returncode == 77 and "skip" in p.stdout:  # a Python without PyOpenCL
        continue
    if p.returncode != 1 or not re.search(said, p.stdout):
        bad.append(path)
if bad:
    sys.exit(f"these don't notice that their results are wrong: {bad}")
