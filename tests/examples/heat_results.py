"""examples/mpi-heat: what --scaling prints, and a picture that can't be written.

heat_results.py MPIRUN PROGRAM
"""
import os
import re
import subprocess
import sys
import tempfile

mpirun, program = sys.argv[1:]


def run(folder, count, *arguments):
    p = subprocess.run([mpirun, "-np", str(count), program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, errors="replace", timeout=100)
    print(p.stdout, flush=True)
    assert "the result is right" in p.stdout
    return p


with tempfile.TemporaryDirectory(prefix="weft-mpi-") as folder:
    # Not three: on a thousand processes, every number would take hours.
    p = run(folder, 4, "--scaling")
    assert p.returncode == 0 and re.findall(r"^(\d+) process(?:es)?: .* ms a step", p.stdout, re.M) == ["1", "2", "4"]
    os.mkdir(os.path.join(folder, "mpi-heat.png"))
    p = run(folder, 2, "20")
    assert p.returncode != 0 and "cannot write mpi-heat.png" in p.stdout, p.returncode
