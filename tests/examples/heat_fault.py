"""examples/mpi-heat: a kernel that faults ends the program, also in the last step before a checkpoint: the checkpoint before stays,
and is good.

heat_fault.py MPIRUN PROGRAM SOURCE COMPILER
"""
import os
import struct
import subprocess
import sys
import tempfile

mpirun, program, source, compiler = sys.argv[1:]
LAST_PLANE = "launch_edge(p, now, next, (cl_int)end, 4 + have, ready)"
FAR = "number == 79 && p->rank == 1 ? 1 << 17 : (cl_int)end"  # a plane that is not in the buffer
with tempfile.TemporaryDirectory(prefix="weft-mpi-") as folder:
    with open(source, encoding="utf-8") as f:
        text = f.read()
    assert text.count(LAST_PLANE) == 1
    wrong = os.path.join(folder, "wrong.c")
    with open(wrong, "w", encoding="utf-8") as f:
        f.write(text.replace(LAST_PLANE, LAST_PLANE.replace("(cl_int)end", FAR)))
    subprocess.run([compiler, "-O2", wrong, "-o", os.path.join(folder, "wrong"), "-lOpenCL", "-lpng", "-lm"], check=True)

    def run(name, *arguments):
        p = subprocess.run([mpirun, "-np", "2", name, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, errors="replace", timeout=60)
        print(p.stdout, flush=True)
        return p.returncode, p.stdout

    status, out = run("./wrong", "200")
    assert status != 0 and "clWaitForEvents failed" in out and "the result is" not in out, status
    with open(os.path.join(folder, "mpi-heat.checkpoint"), "rb") as f:
        assert struct.unpack("8sii", f.read(16))[2] == 40
    status, out = run(program, "--restart", "100")
    assert status == 0 and "steps 40 to 100:" in out and "the result is right" in out, status
