"""examples/mpi-heat: a checkpoint that can't be written whole is an error, whichever process it is, and the checkpoint before is
still good. One that was damaged is refused.

torn_checkpoint.py MPIRUN PROGRAM
"""
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

mpirun, program = sys.argv[1:]
PATIENCE = 60  # seconds
STEPS = 2000
PLANE = 96 * 96 * 4  # bytes
HEADER = 24
# Of a file's size, in the middle of the first process's planes, and of the second one's. As on a full disk,
# a write ends early.
LIMITS = {0: 24 * PLANE, 1: 72 * PLANE}


def start(*arguments):
    # Python ignores the signal that a file is too large, and so do the processes: they see the error.
    return subprocess.Popen([mpirun, "-np", "2", program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, errors="replace", restore_signals=False)


def end(good, words, run):
    out = run.communicate(timeout=PATIENCE)[0]
    print(out, flush=True)
    assert (run.returncode == 0) == good and words in out, (run.returncode, words)
    return out


def pid_of(rank):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if os.path.samefile(f"/proc/{pid}/cwd", folder) and os.path.samefile(f"/proc/{pid}/exe", program) and re.search(
                        rb"(?:OMPI_COMM_WORLD|PMI)_RANK=%d\0" % rank, f.read()):
                    return int(pid)
        except OSError:  # it has ended meanwhile
            continue
    sys.exit(f"there is no process {rank}")


with tempfile.TemporaryDirectory(prefix="weft-mpi-") as folder:
    checkpoint = os.path.join(folder, "mpi-heat.checkpoint")
    for rank, limit in LIMITS.items():
        run = start(str(STEPS))
        until = time.monotonic() + PATIENCE
        while not os.path.exists(checkpoint) and run.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        # Not before: what MPI shares between processes are files, too.
        resource.prlimit(pid_of(rank), resource.RLIMIT_FSIZE, (limit, limit))
        end(False, f"process {rank}: mpi-heat.checkpoint cannot be written", run)
        with open(checkpoint, "rb") as f:
            whole = f.read()
        assert len(whole) == HEADER + 96 * PLANE, len(whole)
        steps = int.from_bytes(whole[12:16], sys.byteorder)
        assert 0 < steps < STEPS and steps % 40 == 0, steps
        out = end(True, f"steps {steps} to {steps + 20}:", start("--restart", str(steps + 20)))
        assert "the result is right" in out
        if rank == 0:
            os.remove(checkpoint)

    warm = HEADER + 32 * PLANE + 48 * 96 * 4 + 32 * 4  # a cell in the hot ball
    planes = whole[HEADER:]
    for damaged, words in ((whole[:-4], "isn't whole"), (whole[:10], "isn't a checkpoint"), (b"x" + whole[1:], "isn't a checkpoint"),
                           (whole[:8] + b"\x61" + whole[9:], "of another size"),
                           (whole[:12] + (steps + 40).to_bytes(4, sys.byteorder) + whole[16:], "is damaged"),
                           (whole[:HEADER] + planes[:24 * PLANE] + bytes(24 * PLANE) + planes[48 * PLANE:], "is damaged"),
                           (whole[:warm] + bytes([whole[warm] ^ 1]) + whole[warm + 1:], "is damaged")):
        with open(checkpoint, "wb") as f:
            f.write(damaged)
        end(False, words, start("--restart", str(steps + 20)))
