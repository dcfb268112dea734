"""examples/mpi-heat: a process is killed in the middle. mpirun says so, and a restart with another number of processes goes on
from the checkpoint and is right.

killed_rank.py MPIRUN PROGRAM
"""
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

mpirun, program = sys.argv[1:]
PATIENCE = 60  # seconds


def start(folder, processes, *arguments):
    return subprocess.Popen([mpirun, "-np", str(processes), program, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")


def ranks_of(parent):
    """Processes of the program that this mpirun has started."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as f:
                ppid = int(f.read().rpartition(")")[2].split()[1])
            if ppid == parent and os.path.samefile(f"/proc/{pid}/exe", program):
                found.append(int(pid))
        except OSError:  # it has ended meanwhile
            continue
    return found


def steps_of(checkpoint):
    with open(checkpoint, "rb") as f:
        return struct.unpack("8sii", f.read(16))[2]


with tempfile.TemporaryDirectory(prefix="weft-mpi-") as folder:
    checkpoint = os.path.join(folder, "mpi-heat.checkpoint")
    run = start(folder, 2, "1000000")
    end = time.monotonic() + PATIENCE
    while not os.path.exists(checkpoint) and run.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    victims = ranks_of(run.pid)
    if not os.path.exists(checkpoint) or len(victims) != 2:
        run.kill()
        sys.exit(f"no checkpoint, or not two processes, in {PATIENCE} s: {victims}\n{run.communicate()[0]}")
    os.kill(victims[1], signal.SIGKILL)
    out = run.communicate(timeout=PATIENCE)[0]
    print(out)
    assert run.returncode != 0 and "signal 9" in out, f"mpirun ends with {run.returncode} and doesn't name the signal"

    steps = steps_of(checkpoint)
    assert steps > 0 and steps % 40 == 0, steps
    again = start(folder, 1, "--restart", str(steps + 20))
    out = again.communicate(timeout=PATIENCE)[0]
    print(out)
    assert again.returncode == 0 and f"steps {steps} to {steps + 20}:" in out and "the result is right" in out, again.returncode
    # A checkpoint that isn't whole is refused.
    os.truncate(checkpoint, 1000)
    broken = start(folder, 2, "--restart", str(steps + 20))
    out = broken.communicate(timeout=PATIENCE)[0]
    assert broken.returncode != 0 and "isn't whole" in out, f"{broken.returncode}\n{out}"
