"""examples/mpi-heat on three hosts of scripts/cluster: a run, a rank that is killed on another host, the restart on two hosts,
and how it scales.

cluster_heat.py CLUSTER SOURCE ENGINE [VENV]     CLUSTER: scripts/cluster
ENGINE: openmpi; mpich; openmpi-sshd: its launcher uses OpenSSH; mpich-ofi: a newer MPICH, whose messages take the network. That is
in VENV, a Python environment with PyPI's `mpich`, which is made with WEFT_TEST_LONG only.
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
# Planes that the second of three processes receives in 240 steps.
RECEIVED = 2 * 240 * 96 * 96 * 4
OPEN_MPI, OFI = engine.startswith("openmpi"), engine == "mpich-ofi"
if OFI:
    compiler, launcher = (shutil.which(os.path.join(sys.argv[4], "bin", name)) for name in ("mpicc", "mpirun"))
else:
    compiler, launcher = (shutil.which(f"{name}.{engine.partition('-')[0]}") for name in ("mpicc", "mpirun"))


def command(hosts, *arguments):
    names = ",".join(os.environ["CLUSTER_HOSTS"].split()[:hosts])
    # Other hosts don't have this one's environment. MPICH sends all of it, Open MPI what is named.
    options = ["-x", "WEFT_CACHE_DIR", "-x", "WEFT_CONF", "--host"] if OPEN_MPI else ["-hosts"]
    return [launcher, *options, names, "-np", str(hosts), "./mpi-heat", *arguments]


def readmes_command():
    """What the README says for three hosts. Open MPI is also told to send what this test has set."""
    with open(os.path.join(os.path.dirname(source), "README.md"), encoding="utf-8") as f:
        words = re.search(rf"^\$ \.\./\.\./scripts/cluster {HOSTS} mpirun (.*)$", f.read(), re.M)[1].split()
    assert f"-np {HOSTS}" in " ".join(words), words
    return [launcher, *(["-x", "WEFT_CACHE_DIR", "-x", "WEFT_CONF"] if OPEN_MPI else []), *words]


def start(hosts, *arguments, words=None):
    return subprocess.Popen(words or command(hosts, *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
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


def received():
    """Bytes that have come to the second host over the network."""
    lines = subprocess.run(["ssh", "node2", "cat /proc/net/dev"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(re.search(r"eth0:\s*(\d+)", lines)[1])


def on_the_cluster():
    before = received()
    out = end(start(HOSTS, words=readmes_command()))
    assert f"{HOSTS} processes, steps 0 to" in out and "the result is right" in out
    over_the_network = received() - before
    print(f"{over_the_network} bytes have come to node2, of which {RECEIVED} are planes")
    # UCX, which Debian's MPICH uses, sees that the hosts are one machine, and takes its memory.
    assert engine == "mpich" or over_the_network > RECEIVED

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
    assert re.findall(r"^(\d) process(?:es)?: .* ms a step", out, re.M) == ["1", "2", "3"] and "the result is right" in out


def make_venv(folder):
    print("making", folder, flush=True)
    for step in ([sys.executable, "-m", "venv", folder], [os.path.join(folder, "bin/pip"), "install", "-q", "mpich>=5,<6"]):
        if subprocess.run(step).returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            return
    return [shutil.which(os.path.join(folder, "bin", name)) for name in ("mpicc", "mpirun")]


if sys.argv[-1] == "inside":
    on_the_cluster()
    sys.exit(0)
if OFI and not launcher and os.environ.get("WEFT_TEST_LONG"):
    compiler, launcher = make_venv(sys.argv[4]) or (None, None)
if not compiler or not launcher:
    print(f"skip: there is no {sys.argv[4]}; WEFT_TEST_LONG=1 makes it, from PyPI" if OFI else f"skip: there is no {engine}")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="weft-cluster-") as folder:
    subprocess.run([compiler, "-O2", source, "-o", os.path.join(folder, "mpi-heat"), "-lOpenCL", "-lpng", "-lm"], check=True)
    # All hosts share a cache, and begin with an empty one.
    env = dict(os.environ, WEFT_CACHE_DIR=os.path.join(folder, "cache"))
    if OFI:
        env.update(MPIR_CVAR_CH4_NETMOD="ofi", FI_PROVIDER="tcp")
    sshd = ["--sshd"] if engine.endswith("-sshd") else []
    status = subprocess.run([cluster, *sshd, str(HOSTS), sys.executable, os.path.abspath(__file__), *sys.argv[1:], "inside"], cwd=folder,
                            env=env, stdin=subprocess.DEVNULL).returncode
sys.exit(status)
