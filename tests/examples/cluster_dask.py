"""examples/dask-images on three hosts of scripts/cluster: how it scales, and a worker that is killed. One worker compiles for all,
and Dask's dashboard shows how far the tasks are.

cluster_dask.py CLUSTER PROGRAM [VENV]     CLUSTER: scripts/cluster
VENV: a Python environment with PyPI's `bokeh`, which draws the dashboard's pages, and which Debian lacks. It is made with WEFT_TEST_LONG only.
"""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

cluster, program = sys.argv[1:3]
PYTHON = "/usr/bin/python3"  # Debian's packages belong to it
venv = sys.argv[3] if len(sys.argv) > 3 and sys.argv[3] != "inside" else None
ADDRESS = "tcp://10.77.0.1:8786"
DASHBOARD = "http://10.77.0.1:8787"
# What the README says for three hosts, on the first of them.
with open(os.path.join(os.path.dirname(program), "README.md"), encoding="utf-8") as readme:
    said = readme.read()
SCHEDULER = re.search(r"^\$ dask scheduler (.*) &$", said, re.M)[1].split()
WORKER = re.search(r"^\$ for i in 1 2 3; do ssh node\$i (dask worker .*) & done$", said, re.M)[1]
DRAW = re.search(r"^\$ python3 dask-images\.py (.*) --scaling$", said, re.M)[1].split()
SCHEDULERS_PYTHON = os.path.join(venv, "bin/python3") if venv else PYTHON
IMAGES = 12
PATIENCE = 240  # seconds


def made(path):
    """Programs and kernels that a process has compiled."""
    with open(path, encoding="utf-8") as f:
        names = [e["name"] for e in json.load(f)["traceEvents"] if e.get("cat") == "build" and e["args"].get("status") == 0]
    return names.count("front end"), names.count("compile")


class Watcher(threading.Thread):
    """Looks at the dashboard while the program runs: tasks that are at work, and results that are there."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.ended = set(), threading.Event()

    def run(self):
        while not self.ended.wait(0.1):
            try:
                with urllib.request.urlopen(DASHBOARD + "/json/counts.json", timeout=5) as answer:
                    counts = json.load(answer)
                self.seen.add((counts["processing"], counts["memory"]))
            except OSError:
                continue

    def check(self):
        print("tasks at work and done, on the dashboard:", sorted(self.seen, key=lambda s: (s[1], -s[0])))
        assert any(working for working, _ in self.seen) and len({done for _, done in self.seen if 0 < done < IMAGES}) > 3, self.seen
        page = urllib.request.urlopen(DASHBOARD + "/status", timeout=30).read().decode()
        bokeh = subprocess.run([SCHEDULERS_PYTHON, "-c", "import bokeh"], stderr=subprocess.PIPE).returncode == 0
        assert bokeh or not venv
        assert ("bk-root" if bokeh else "Dask needs bokeh") in page, page[:1000]


def program_says(*arguments):
    p = subprocess.run([PYTHON, program, *DRAW, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       timeout=PATIENCE)
    print(p.stdout, flush=True)
    assert p.returncode == 0 and "the results are those of one process" in p.stdout, p.returncode
    return p.stdout


def start_workers(log):
    # Other hosts don't have this one's environment.
    there = {"WEFT_TRACE": os.path.abspath("trace.%p.json"), "WEFT_CONF": "none",
             **{name: os.environ[name] for name in ("WEFT_CACHE_DIR", "PYOPENCL_NO_CACHE")}}
    assignments = " ".join(f"{name}={shlex.quote(value)}" for name, value in there.items())
    # Without nannies workers end by themselves, and leave a timeline.
    return [subprocess.Popen(["ssh", f"node{i}", f"{assignments} exec {WORKER.replace('$i', str(i))}", "--no-dashboard", "--no-nanny",
                              "--local-directory", os.path.abspath(f"local-node{i}")], stdout=log, stderr=log) for i in (1, 2, 3)]


def stop(workers):
    for w in workers:
        w.send_signal(signal.SIGTERM)
    for w in workers:
        w.wait(timeout=PATIENCE)
    counts = [made(n) for n in os.listdir(".") if n.startswith("trace.")]
    cached = "".join(n[0] for n in os.listdir(os.environ["WEFT_CACHE_DIR"]))
    print(f"programs and kernels compiled, by process: {counts}; in the cache: {sorted(cached)}")
    return counts, cached


def wait_for_workers():
    code = f"from distributed import Client; Client('{ADDRESS}', timeout={PATIENCE}).wait_for_workers(3, timeout={PATIENCE})"
    subprocess.run([PYTHON, "-c", code], check=True, timeout=PATIENCE)


def on_the_cluster():
    workers = []
    with open("log", "w", encoding="utf-8") as log:
        # Bokeh of the venv is that Python's only.
        dask = [SCHEDULERS_PYTHON, "-m", "distributed.cli.dask_scheduler"] if venv else ["dask", "scheduler"]
        scheduler = subprocess.Popen([*dask, *SCHEDULER], stdout=log, stderr=log)
        try:
            workers = start_workers(log)
            wait_for_workers()
            scaling = program_says("--scaling")
            assert re.findall(r"^(\d) workers?: .* images a second", scaling, re.M) == ["1", "2", "3"]
            # All three have started at once, and one has compiled.
            counts, cached = stop(workers)
            assert len(counts) == 3 and sum(c[0] for c in counts) == 1 and cached.count("p") == 1, (counts, cached)
            assert sum(c[1] for c in counts) <= cached.count("k"), (counts, cached)

            workers = start_workers(log)
            wait_for_workers()
            watcher = Watcher()
            watcher.start()
            assert "is killed" in program_says("--kill")
            watcher.ended.set()
            watcher.join()
            watcher.check()
            # None of those that came later, of which the killed one has left no timeline.
            counts, cached = stop(workers)
            assert len(counts) == 5 and sum(c[0] for c in counts) == 1 and cached.count("p") == 1, (counts, cached)
        except BaseException:
            with open("log", encoding="utf-8") as f:
                print(f.read()[-6000:])
            raise
        finally:
            for p in (*workers, scheduler):
                p.kill()


if sys.argv[-1] == "inside":
    on_the_cluster()
    sys.exit(0)
missing = subprocess.run([PYTHON, "-c", "import distributed, pyopencl, PIL"], stderr=subprocess.PIPE, text=True)
if missing.returncode != 0 or not shutil.which("dask"):
    print("skip: Debian's Python has no distributed, pyopencl or PIL:", missing.stderr[-200:])
    sys.exit(77)
if venv and not os.path.exists(SCHEDULERS_PYTHON):
    if not os.environ.get("WEFT_TEST_LONG"):
        print(f"skip: there is no {venv}; WEFT_TEST_LONG=1 makes it, from PyPI")
        sys.exit(77)
    # Dask of Debian 12 draws with versions before 3.
    for step in ([PYTHON, "-m", "venv", "--system-site-packages", venv], [os.path.join(venv, "bin/pip"), "install", "-q", "bokeh<3"]):
        if subprocess.run(step).returncode != 0:
            shutil.rmtree(venv, ignore_errors=True)
            print("skip: bokeh can't be had from PyPI")
            sys.exit(77)
with tempfile.TemporaryDirectory(prefix="weft-cluster-") as folder:
    # PyOpenCL keeps binaries itself, in the user's folder. Here Weft is to be seen.
    env = dict(os.environ, WEFT_CACHE_DIR=os.path.join(folder, "cache"), PYOPENCL_NO_CACHE="1")
    status = subprocess.run([cluster, "3", sys.executable, os.path.abspath(__file__), *sys.argv[1:], "inside"], cwd=folder, env=env,
                            stdin=subprocess.DEVNULL).returncode
sys.exit(status)
