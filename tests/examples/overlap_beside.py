"""examples/overlap overlaps: some of its transfers' time is beside kernels. On a busy machine that may be little, so one of some runs
has to show it. A copy with one queue in order shows none, ever.

overlap_beside.py PROGRAM SOURCE
"""
import os
import re
import subprocess
import sys
import tempfile

program, source = sys.argv[1:]
RUNS, RUNS_IN_ORDER = 20, 5
TRANSFERS = "CL_QUEUE_PROFILING_ENABLE | (can & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)"
COMPUTING = "clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error)"


def beside(command):
    p = subprocess.run([command], stdout=subprocess.PIPE, text=True)
    print(command, p.stdout, sep="\n", flush=True)
    assert p.returncode == 0, p.returncode
    return float(re.search(r"of which (\d+\.\d+) ms beside kernels", p.stdout)[1])


assert any(beside(program) > 0 for _ in range(RUNS)), "nothing overlaps"
with open(source, encoding="utf-8") as f:
    text = f.read()
assert text.count(TRANSFERS) == text.count(COMPUTING) == 1
text = text.replace(TRANSFERS, "CL_QUEUE_PROFILING_ENABLE").replace(COMPUTING, "(clRetainCommandQueue(transfers), transfers)")
with tempfile.TemporaryDirectory(prefix="weft-example-") as folder:
    one = os.path.join(folder, "one-queue")
    subprocess.run(["cc", "-x", "c", "-", "-o", one, "-lOpenCL"], input=text, text=True, check=True)
    times = [beside(one) for _ in range(RUNS_IN_ORDER)]
assert not any(times), "the program counts what doesn't overlap"
