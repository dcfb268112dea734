"""examples/dask-images when something is lost: images whose worker dies each time, kernels that fault, the last worker of a cluster,
its scheduler. The program says what, does what it still can, ends, and leaves nothing unfinished.

dask_lost.py PROGRAM
"""
import contextlib
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

from dask_says import SLOW_END

program = os.path.abspath(sys.argv[1])
PYTHON = "/usr/bin/python3"  # Debian's packages belong to it
PATIENCE = 120  # seconds
# What workers do before a result gets its name. $DIES and $WAITS are names of results.
DEATH = """
import os, signal, time
replace = os.replace
def die(old, new):
    name = os.path.basename(str(new))
    if name in os.environ.get("DIES", "").split():
        os.kill(os.getpid(), signal.SIGKILL)
    if name in os.environ.get("WAITS", "").split():
        open("writing", "w").close()
        time.sleep(10)
    replace(old, new)
os.replace = die
"""
SCHEDULER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=0, dashboard_address=None)
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


def start(*arguments, script=program, **env):
    return subprocess.Popen([PYTHON, script, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, PYTHONPATH=os.getcwd(), **env))


def end(p, *said):
    """It ends with status 1, says that, and leaves nothing."""
    out, error = p.communicate(timeout=PATIENCE)
    print(out + error, flush=True)
    assert p.returncode == 1, p.returncode
    own = [line for line in error.splitlines() if line.startswith("dask-images: ")]
    assert len(own) == len(said) and all(text in line for text, line in zip(said, own)), own
    assert "Traceback" not in SLOW_END.sub("", error), error
    assert not glob.glob("drawn/**/*.unfinished.*", recursive=True), os.listdir("drawn")
    return out


@contextlib.contextmanager
def cluster(**env):
    """A scheduler and a worker that no nanny starts again."""
    with subprocess.Popen([PYTHON, "-c", SCHEDULER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as scheduler, open("log", "w") as log:
        address = scheduler.stdout.readline().strip()
        worker = subprocess.Popen([PYTHON, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard", "--nthreads", "1"],
                                  stdout=log, stderr=log, env=dict(os.environ, PYTHONPATH=os.getcwd(), **env))
        try:
            yield address, scheduler
        finally:
            worker.kill()
            worker.wait()
            scheduler.kill()


def check_images_that_kill():
    out = end(start("images", DIES="b.png"), "images/b.png can't be drawn: each worker that has tried it died")
    assert "4 images on" in out and "the results are those of one process" in out, out
    assert sorted(os.listdir("drawn")) == ["a.png", "c.png", "d.png", "e.png"], os.listdir("drawn")


def check_faulting_kernel():
    """For images that are 50 pixels high, `ink` writes where nothing is."""
    with open(program, encoding="utf-8") as f:
        text = f.read()
    assert text.count("    out[i] = convert_uchar4_sat_rte(few") == 1
    with open("faulting.py", "w", encoding="utf-8") as f:
        f.write(text.replace("    out[i] = convert_uchar4_sat_rte(few", "    (h == 50 ? (global uchar4 *)64 : out)[i] = convert_uchar4_sat_rte(few"))
    out = end(start("images", script="faulting.py"), "images/c.png can't be drawn: ")
    assert "4 images on" in out and "the results are those of one process" in out, out


def check_last_worker():
    for more in (), ("--scaling",):
        with cluster(DIES="b.png") as (address, _):
            end(start("images", "--scheduler", address, "--workers", "1", "--timeout", "4", *more), "since 4 s there is no worker; ")


def check_lost_scheduler():
    with cluster(WAITS="b.png") as (address, scheduler):
        p = start("images", "--scheduler", address, "--workers", "1")
        until = time.monotonic() + PATIENCE
        while not os.path.exists("writing"):
            assert p.poll() is None and time.monotonic() < until
            time.sleep(0.05)
        assert glob.glob("drawn/b.png.unfinished.*")
        scheduler.send_signal(signal.SIGKILL)
        end(p, "the scheduler is lost")


missing = subprocess.run([PYTHON, "-c", "import distributed, pyopencl, PIL"], stderr=subprocess.PIPE, text=True)
if missing.returncode != 0:
    print("skip: Debian's Python has no distributed, pyopencl or PIL:", missing.stderr[-200:])
    sys.exit(77)
checks = [check_images_that_kill, check_faulting_kernel, check_last_worker, check_lost_scheduler]
for check in checks:
    with tempfile.TemporaryDirectory(prefix="weft-dask-") as folder:
        os.chdir(folder)
        os.mkdir("images")
        with open("sitecustomize.py", "w", encoding="utf-8") as f:
            f.write(DEATH)
        make = "from PIL import Image\nfor n, name in enumerate('abcde'):\n    Image.new('RGB', (64, 48 + n), 'red').save(f'images/{name}.png')"
        subprocess.run([PYTHON, "-c", make], check=True)
        check()
        os.chdir("/")
