"""examples/dask-images with a folder of which some images can't be read, two differ in what follows the name, and one's result can't
be written; a worker that dies while it writes; and a program that is told to end. They leave nothing unfinished. What OpenCL
refuses for one image, and what can't work, is said in one line; nothing waits for ever.

dask_images.py PROGRAM
"""
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from dask_says import SLOW_END

program = os.path.abspath(sys.argv[1])
PYTHON = "/usr/bin/python3"  # Debian's packages belong to it
PATIENCE = 120  # seconds
IMAGES = """
from PIL import Image
for name, colour in (("a.png", "red"), ("a.jpg", "blue"), ("b.jpg", "green")):
    Image.new("RGB", (64, 48), colour).save("images/" + name)
with open("images/a.png", "rb") as f:
    half = f.read()[:60]
with open("images/half.png", "wb") as f:
    f.write(half)
"""


def check_folder():
    os.mkdir("images")
    subprocess.run([PYTHON, "-c", IMAGES], check=True)
    with open("images/text.png", "w", encoding="utf-8") as f:
        f.write("not an image\n")
    p = subprocess.run([PYTHON, program, "images"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    print(p.stdout + p.stderr, flush=True)
    assert p.returncode == 1, p.returncode
    assert "3 images on" in p.stdout and "the results are those of one process" in p.stdout, p.stdout
    for name in "text.png", "half.png":
        assert f"dask-images: {os.path.abspath('images')}/{name} can't be read: " in p.stderr, p.stderr
    assert "Traceback" not in SLOW_END.sub("", p.stderr) and p.stderr.count("can't be read") == 2, p.stderr
    assert sorted(os.listdir("drawn")) == ["a.jpg.png", "a.png.png", "b.png"], os.listdir("drawn")


# A worker is killed when a result's file is written, and hasn't its name yet.
DEATH = """
import os, signal
replace = os.replace
def die(old, new):
    if str(new).endswith("drawn/b.png") and not os.path.exists("died"):
        open("died", "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    replace(old, new)
os.replace = die
"""


def check_unfinished():
    with open("sitecustomize.py", "w", encoding="utf-8") as f:
        f.write(DEATH)
    for name in "text.png", "half.png":
        os.remove(os.path.join("images", name))
    p = subprocess.run([PYTHON, program, "images"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                       env=dict(os.environ, PYTHONPATH=os.getcwd()))
    print(p.stdout + p.stderr, flush=True)
    assert p.returncode == 0 and os.path.exists("died") and "the results are those of one process" in p.stdout, p.returncode
    assert sorted(os.listdir("drawn")) == ["a.jpg.png", "a.png.png", "b.png"], os.listdir("drawn")
    os.remove("drawn/b.png")
    os.mkdir("drawn/b.png")
    p = subprocess.run([PYTHON, program, "images"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    print(p.stdout + p.stderr, flush=True)
    assert p.returncode == 1 and "drawn/b.png can't be written: Is a directory" in p.stderr, p.returncode
    assert "Traceback" not in SLOW_END.sub("", p.stderr) and "the results are those of one process" in p.stdout, p.stderr
    assert sorted(os.listdir("drawn")) == ["a.jpg.png", "a.png.png", "b.png"], os.listdir("drawn")


# OpenCL refuses something, for images of one size.
REFUSAL = """
import pyopencl
copy = pyopencl.enqueue_copy
def refuse(queue, dest, src, **options):
    if dest.shape[0] == 50:
        pyopencl.Buffer(queue.context, 0, size=1 << 60)
    return copy(queue, dest, src, **options)
pyopencl.enqueue_copy = refuse
"""


def run(*arguments, **env):
    p = subprocess.run([PYTHON, program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                       env=dict(os.environ, **env))
    print(p.stdout + p.stderr, flush=True)
    # If a worker takes a killed one's place just when all end, Dask writes where it was.
    assert "--kill" in arguments or "Traceback" not in SLOW_END.sub("", p.stderr), p.stderr
    return p


def check_refusals():
    """One folder with an image that can't be drawn, one with two images, one with one."""
    with open("sitecustomize.py", "w", encoding="utf-8") as f:
        f.write(REFUSAL)
    for folder, sizes in ("three", (48, 49, 50)), ("two", (48, 49)), ("one", (48,)):
        os.mkdir(folder)
        for size in sizes:
            subprocess.run([PYTHON, "-c", "import sys; from PIL import Image; Image.new('RGB', (64, int(sys.argv[2]))).save(sys.argv[1])",
                            f"{folder}/{size}.png", str(size)], check=True)
    p = run("three", PYTHONPATH=os.getcwd())
    assert p.returncode == 1 and "2 images on" in p.stdout and "the results are those of one process" in p.stdout, p.returncode
    assert re.search(r"^dask-images: .*/three/50\.png can't be drawn: .*INVALID_BUFFER_SIZE", p.stderr, re.M), p.stderr
    p = run("two", "--kill")
    assert p.returncode == 0 and "after 1 image: worker" in p.stdout and "the results are those of one process" in p.stdout, p.returncode
    p = run("one", "--kill")
    assert p.returncode == 1 and p.stderr == "dask-images: --kill needs two images, or there is no middle\n", p.returncode
    for workers in "0", "-1":
        p = run("two", "--workers", workers)
        assert p.returncode == 2 and "--workers: " + workers + " is too few" in p.stderr, p.returncode
    units = int(subprocess.run([PYTHON, "-c", "import pyopencl as cl; print(cl.get_platforms()[0].get_devices()[0].max_compute_units)"],
                               stdout=subprocess.PIPE, text=True, check=True).stdout)
    if units < 8:
        p = run("two", "--workers", str(units + 1))
        assert p.returncode == 0 and f"{units + 1} workers have the whole device each" in p.stderr, p.returncode
    p = run("two", "--scheduler", "tcp://127.0.0.1:1", "--timeout", "1")
    assert p.returncode == 1 and "dask-images: the scheduler tcp://127.0.0.1:1 can't be reached" in p.stderr, p.returncode
    p = run("two", "--scheduler", "nonsense", "--timeout", "1")
    assert p.returncode == 1 and "dask-images: the scheduler nonsense can't be reached" in p.stderr, p.returncode
    for seconds in "-1", "0", "inf":
        p = run("two", "--timeout", seconds)
        assert p.returncode == 2 and f"--timeout: {seconds} is no time to wait" in p.stderr, p.returncode
    code = ("import sys\nfrom distributed import LocalCluster\nif __name__ == '__main__':\n"
            "    cluster = LocalCluster(n_workers=0, dashboard_address=None)\n    print(cluster.scheduler_address, flush=True)\n    sys.stdin.read()\n")
    with subprocess.Popen([PYTHON, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as scheduler:
        p = run("two", "--scheduler", scheduler.stdout.readline().strip(), "--timeout", "1")
        scheduler.stdin.close()
    assert p.returncode == 1 and "dask-images: after 1 s there are 0 of 1 workers" in p.stderr, p.returncode


# A picture that is stored turned, one with 16 bits of grey, and one of a kind that isn't taken.
KINDS = """
import numpy as np
from PIL import Image
turned = Image.new("RGB", (64, 48), "red")
exif = turned.getexif()
exif[0x0112] = 6
turned.save("kinds/turned.jpg", exif=exif)
Image.fromarray(np.full((48, 64), 20000, np.uint16)).save("kinds/grey.png")
turned.save("kinds/other.bmp")
"""
LOOK = """
from PIL import Image
print(Image.open("drawn/turned.png").size, max(Image.open("drawn/grey.png").convert("L").getdata()) < 128)
"""


def check_kinds():
    os.mkdir("kinds")
    subprocess.run([PYTHON, "-c", KINDS], check=True)
    p = run("kinds")
    assert p.returncode == 0 and "1 of 3 files are left out, which don't end in .png, " in p.stderr and "2 images on" in p.stdout, p.returncode
    looked = subprocess.run([PYTHON, "-c", LOOK], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert looked == "(48, 64) True\n", looked


def check_refused_folders():
    """Folders that can't be made: /proc has a place for none."""
    for arguments, said in ((), "there can't be a folder of images here: "), ([os.path.abspath("kinds")], "/drawn can't be made: "):
        p = subprocess.run([PYTHON, program, *arguments], cwd="/proc", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        print(p.stdout + p.stderr, flush=True)
        assert p.returncode == 1 and said in p.stderr and "Traceback" not in p.stderr, p.returncode


def check_end(number):
    # A shell's jobs in the background ignore SIGINT, and so would this one.
    p = subprocess.Popen([PYTHON, program], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    end = time.monotonic() + PATIENCE
    while not glob.glob("dask-images-*/03.png"):
        assert p.poll() is None and time.monotonic() < end, "there is no folder of images"
        time.sleep(0.05)
    p.send_signal(number)
    error = p.communicate(timeout=PATIENCE)[1]
    print(f"signal {number}: status {p.returncode}\n{error}", flush=True)
    assert p.returncode > 0 and not glob.glob("dask-images-*"), os.listdir(".")
    assert "Traceback" not in SLOW_END.sub("", error), error


missing = subprocess.run([PYTHON, "-c", "import distributed, pyopencl, PIL"], stderr=subprocess.PIPE, text=True)
if missing.returncode != 0:
    print("skip: Debian's Python has no distributed, pyopencl or PIL:", missing.stderr[-200:])
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="weft-dask-") as folder:
    os.chdir(folder)
    check_folder()
    check_unfinished()
    check_refusals()
    check_kinds()
    check_refused_folders()
    for number in signal.SIGINT, signal.SIGTERM:
        check_end(number)
    os.chdir("/")
