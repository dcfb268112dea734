"""examples/mpi-heat: what --scaling prints, arguments that it refuses, and a picture that can't be written.

heat_results.py MPIRUN PROGRAM
"""
import os
import re
import subprocess
import sys
import tempfile

mpirun, program = sys.argv[1:]


def refuse(folder, *arguments):
    p = subprocess.run([mpirun, "-np", "1", program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, errors="replace", timeout=100)
    assert p.returncode != 0 and "the result is right" not in p.stdout, (arguments, p.stdout)
    return p.stdout


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
    # What isn't understood doesn't begin anew: that would overwrite the checkpoint.
    run(folder, 1, "130")
    for wrong in ("480x",), ("480", "--restart"), ("--restart", "0"), ("--scaling", "2"), ("4294967297",), ("2147483648",), \
            ("9" * 30,), ("--restart", "4294967417"):
        assert "usage" in refuse(folder, *wrong), wrong
    assert "the checkpoint is of step 120" in refuse(folder, "--restart", "100")
    assert "steps 120 to 130" in run(folder, 1, "--restart", "130").stdout
    os.remove(os.path.join(folder, "mpi-heat.png"))
    os.mkdir(os.path.join(folder, "mpi-heat.png"))
    p = run(folder, 2, "20")
    assert p.returncode != 0 and "cannot write mpi-heat.png" in p.stdout, p.returncode
