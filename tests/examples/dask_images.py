"""examples/dask-images with a folder of which some images can't be read, two differ in what follows the name, and one's result can't
be written; a worker that dies while it writes; and a program that is told to end. They leave nothing unfinished.

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

program = sys.argv[1]
PYTHON = "/usr/bin/python3"  # Debian's packages belong to it
PATIENCE = 120  # seconds
# What Dask says if the machine is so busy that a worker's end takes seconds.
SLOW_END = re.compile(r"^\S+ \S+ - distributed\.nanny - ERROR - .*?^(?:\w+\.)*TimeoutError$", re.M | re.S)
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
    assert "5 images on" in p.stdout and "the results are those of one process" in p.stdout, p.stdout
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
    for number in signal.SIGINT, signal.SIGTERM:
        check_end(number)
    os.chdir("/")
