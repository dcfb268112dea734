"""examples/mpi-heat on three hosts of scripts/cluster: a run, a rank that is killed on another host, the restart on two hosts,
and how it scales.

cluster_heat.py CLUSTER SOURCE openmpi|mpich     CLUSTER: scripts/cluster
"""
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

cluster, source, engine = sys.argv[1:4]
PATIENCE = 120  # seconds
HOSTS = 3
compiler, launcher = (shutil.which(f"{name}.{engine}") for name in ("mpicc", "mpirun"))


def command(hosts, *arguments):
    names = ",".join(os.environ["CLUSTER_HOSTS"].split()[:hosts])
    # Other hosts don't have this one's environment. MPICH sends all of it, Open MPI what is named.
    options = ["-x", "WEFT_CACHE_DIR", "-x", "WEFT_CONF", "--host"] if engine == "openmpi" else ["-hosts"]
    return [launcher, *options, names, "-np", str(hosts), "./mpi-heat", *arguments]


def start(hosts, *arguments):
    return subprocess.Popen(command(hosts, *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, errors="replace")


def end(p, good=True):
    out = p.communicate(timeout=PATIENCE)[0]
    print(out, flush=True)
    assert (p.returncode == 0) == good, p.returncode
    return out


def ranks():
    """Processes of the program, with the network that each is in."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.samefile(f"/proc/{pid}/exe", "mpi-heat"):
                found[int(pid)] = os.readlink(f"/proc/{pid}/ns/net")
        except OSError:
            continue
    return found


def on_the_cluster():
    out = end(start(HOSTS))
    assert f"{HOSTS} processes, steps 0 to" in out and "the result is right" in out

    os.remove("mpi-heat.checkpoint")
    run = start(HOSTS, "1000000")
    stop = time.monotonic() + PATIENCE
    while not os.path.exists("mpi-heat.checkpoint") and run.poll() is None and time.monotonic() < stop:
        time.sleep(0.01)
    networks = ranks()
    assert len(networks) == len(set(networks.values())) == HOSTS, networks
    for pid in networks:  # one processor each
        with open(f"/proc/{pid}/status") as f:
            processors = re.search(r"^Cpus_allowed_list:\s*(\S+)", f.read(), re.M)[1]
        assert processors.isdigit(), f"a process may run on processors {processors}"
    here = os.readlink("/proc/self/ns/net")
    os.kill(next(pid for pid, network in networks.items() if network != here), signal.SIGKILL)
    out = end(run, good=False)
    # Another rank may end first, at the connection that broke (signal 13; 6 with MPICH). Either may be named.
    died = r"on node node\d exited on signal (?:9|13)|Peer host: +node[23]|AT node\d\n=   EXIT CODE: [96]"
    assert re.search(died, out), "who has died?"

    with open("mpi-heat.checkpoint", "rb") as f:
        steps = struct.unpack("8sii", f.read(16))[2]
    out = end(start(2, "--restart", str(steps + 20)))
    assert f"2 processes, steps {steps} to {steps + 20}:" in out and "the result is right" in out

    out = end(start(HOSTS, "--scaling"))
    assert re.findall(r"^(\d) processes: .* ms a step", out, re.M) == ["1", "2", "3"] and "the result is right" in out


if len(sys.argv) > 4:
    on_the_cluster()
    sys.exit(0)
if not compiler or not launcher:
    print(f"skip: there is no mpicc.{engine} or mpirun.{engine}")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="weft-cluster-") as folder:
    subprocess.run([compiler, "-O2", source, "-o", os.path.join(folder, "mpi-heat"), "-lOpenCL", "-lpng", "-lm"], check=True)
    # All hosts share a cache, and begin with an empty one.
    env = dict(os.environ, WEFT_CACHE_DIR=os.path.join(folder, "cache"))
    status = subprocess.run([cluster, str(HOSTS), sys.executable, os.path.abspath(__file__), *sys.argv[1:], "inside"], cwd=folder,
                            env=env, stdin=subprocess.DEVNULL).returncode
sys.exit(status)
