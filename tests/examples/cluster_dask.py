"""examples/dask-images on three hosts of scripts/cluster, with a worker that is killed. One worker compiles for all.

cluster_dask.py CLUSTER PROGRAM     CLUSTER: scripts/cluster
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

cluster, program = sys.argv[1:3]
PYTHON = "/usr/bin/python3"  # Debian's packages belong to it
PORT = 8786
PATIENCE = 90  # seconds


def made(path):
    """Programs and kernels that a process has compiled."""
    with open(path, encoding="utf-8") as f:
        names = [e["name"] for e in json.load(f)["traceEvents"] if e.get("cat") == "build" and e["args"].get("status") == 0]
    return names.count("front end"), names.count("compile")


def on_the_cluster():
    hosts = os.environ["CLUSTER_HOSTS"].split()
    address = f"tcp://10.77.0.1:{PORT}"
    env = dict(os.environ, WEFT_TRACE=os.path.abspath("trace.%p.json"))
    with open("log", "w", encoding="utf-8") as log:
        daemons = [subprocess.Popen(["dask-scheduler", "--host", "10.77.0.1", "--port", str(PORT), "--no-dashboard"], stdout=log,
                                    stderr=log)]
        # Without nannies workers end by themselves, and leave a timeline.
        daemons += [subprocess.Popen(["ssh", host, "exec dask-worker", address, "--nthreads", "1", "--name", f"worker{i}",
                                      "--no-dashboard", "--no-nanny", "--local-directory", f"local-{host}"], env=env, stdout=log, stderr=log)
                    for i, host in enumerate(hosts)]
        code = "from distributed import Client; import sys; Client(sys.argv[1], timeout=60).wait_for_workers(3, timeout=60)"
        p = subprocess.run([PYTHON, "-c", code, address], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        ready = p.returncode == 0
        if ready:
            p = subprocess.run([PYTHON, program, "--scheduler", address, "--workers", "1", "--kill"], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        for d in daemons[1:]:
            d.send_signal(signal.SIGTERM)
        for d in daemons[1:]:
            d.wait(timeout=PATIENCE)
        daemons[0].kill()
    print(p.stdout)
    if p.returncode != 0 or not ready:
        with open("log", encoding="utf-8") as f:
            sys.exit(f"the program ends with {p.returncode}\n{f.read()[-6000:]}")
    assert "is killed" in p.stdout and "the results are those of one process" in p.stdout
    counts = [made(n) for n in os.listdir(".") if n.startswith("trace.")]
    cached = "".join(n[0] for n in os.listdir(os.environ["WEFT_CACHE_DIR"]))
    print(f"programs and kernels compiled, by process: {counts}; in the cache: {sorted(cached)}")
    # The killed worker has left no timeline. It may have been the one that compiled.
    assert len(counts) >= 2 and sum(c[0] for c in counts) <= 1 and cached.count("p") == 1, (counts, cached)
    assert sum(c[1] for c in counts) <= cached.count("k"), (counts, cached)


if len(sys.argv) > 3:
    on_the_cluster()
    sys.exit(0)
missing = subprocess.run([PYTHON, "-c", "import distributed, pyopencl, PIL"], stderr=subprocess.PIPE, text=True)
if missing.returncode != 0 or not shutil.which("dask-worker"):
    print("skip: Debian's Python has no distributed, pyopencl or PIL:", missing.stderr[-200:])
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="weft-cluster-") as folder:
    # PyOpenCL keeps binaries itself, in the user's folder. Here Weft is to be seen.
    env = dict(os.environ, WEFT_CACHE_DIR=os.path.join(folder, "cache"), PYOPENCL_NO_CACHE="1")
    status = subprocess.run([cluster, "3", sys.executable, os.path.abspath(__file__), *sys.argv[1:], "inside"], cwd=folder, env=env,
                            stdin=subprocess.DEVNULL).returncode
sys.exit(status)
