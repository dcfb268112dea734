"""scripts/cluster: `ssh` enters another host as SSH does. The caller's environment and folder stay behind, the driver is there.
When the script is told to end, or killed, nothing of its hosts is left.

cluster_ssh.py CLUSTER [--sshd]     CLUSTER: scripts/cluster; --sshd: with OpenSSH's server on each host
"""
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

cluster, sshd = [sys.argv[1], *sys.argv[2:]], sys.argv[2:] == ["--sshd"]
with tempfile.TemporaryDirectory(prefix="weft-cluster-") as folder:
    env = dict(os.environ, WEFT_CACHE_DIR="/nowhere", STARPU_NCPU="1", OCL_ICD_VENDORS="/a folder/vendors", HOME=folder)
    p = subprocess.run([*cluster, "2", "sh", "-c", """hostname && ssh -x node2 'hostname; pwd; ssh node1 hostname; exec env'"""], env=env,
                       cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=60)
    print(p.stdout)
    if p.returncode == 77:
        sys.exit(77)
    *hosts, home, back = p.stdout.splitlines()[:4]
    users_folder = pwd.getpwuid(os.getuid()).pw_dir if sshd else folder
    assert (p.returncode, hosts, home, back) == (0, ["node1", "node2"], users_folder, "node1"), (p.returncode, hosts, home, back)
    names = {line.partition("=")[0]: line.partition("=")[2] for line in p.stdout.splitlines()[4:]}
    assert names.get("SSH_CONNECTION", "").startswith("10.77.0.1 ") == sshd, names
    assert not {"WEFT_CACHE_DIR", "STARPU_NCPU"} & set(names), names
    # Of what a user may set, only what stands for a file in /etc. With sshd, the user's shell may add to it.
    own = {"CLUSTER_FOLDER", "CLUSTER_HOSTS", "TMPDIR", "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OMPI_ALLOW_RUN_AS_ROOT",
           "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_mpi_yield_when_idle"}
    assert sshd or set(names) <= own | {"USER", "LOGNAME", "HOME", "SHELL", "PATH", "PWD", "OLDPWD", "SHLVL", "_"}, set(names) - own
    assert own - {"OPENCL_VENDOR_PATH"} <= set(names), own - set(names)
    assert names["OCL_ICD_VENDORS"] == "/a folder/vendors", names


def check_cluster_inside():
    """A host's own cluster: its names are that one's, and the outer one goes on."""
    p = subprocess.run([*cluster, "2", "sh", "-c", '"$@" 3 sh -c "ssh node3 hostname; ssh node1 nproc"; ssh node2 hostname', "sh", *cluster],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    print(p.stdout)
    assert (p.returncode, p.stdout.split()) == (0, ["node3", "1", "node2"]), p.returncode


def check_failing_host():
    """unshare makes the cluster, and not the hosts in it."""
    with tempfile.TemporaryDirectory(prefix="weft-cluster-") as folder:
        failing = os.path.join(folder, "unshare")
        with open(failing, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\ncase $* in *sleep*) echo no more hosts >&2; exit 1 ;; esac\nexec {shutil.which('unshare')} \"$@\"\n")
        os.chmod(failing, 0o755)
        p = subprocess.run([*cluster, "2", "true"], env=dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}"), stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30)
    print(p.stdout)
    assert p.returncode == 1 and "no more hosts" in p.stdout and "host node1 didn't start" in p.stdout, p.returncode


def check_names():
    """A user's name belongs to a host's; a host that isn't there is said."""
    p = subprocess.run([*cluster, "2", "sh", "-c", 'ssh "$(id -un)@node2" hostname; ssh node3 hostname'], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    print(p.stdout)
    assert p.returncode == 255 and p.stdout.startswith("node2\n") and "node3" in p.stdout, p.returncode


def check_shell():
    """Without a command it is a shell, which reads what to do."""
    p = subprocess.run([*cluster, "2", "sh", "-c", "printf 'hostname\\npwd\\nexit 3\\n' | ssh -T node2"], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, env=dict(os.environ, SHELL="/bin/sh"))
    print(p.stdout)
    assert p.returncode == 3 and "node2" in p.stdout.splitlines(), p.returncode


def check_missing():
    """A program that isn't there: the package that has it."""
    with tempfile.TemporaryDirectory(prefix="weft-cluster-") as folder:
        for name in "bash", "env", "dirname", "id", "setpriv", "setsid", "unshare", "nsenter", "taskset":
            os.symlink(shutil.which(name), os.path.join(folder, name))
        p = subprocess.run([*cluster, "2", "true"], env=dict(os.environ, PATH=folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, timeout=30)
    assert (p.returncode, p.stdout, p.stderr) == (77, "", "scripts/cluster: there is no ip; install iproute2\n"), p


def processes(word):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                found += [pid] * (word.encode() in f.read().split(b"\0"))
        except OSError:  # it has ended meanwhile
            continue
    return found


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


check_cluster_inside()
check_failing_host()
check_names()
check_shell()
check_missing()
seconds = f"1000.{os.getpid()}"
for end in signal.SIGTERM, signal.SIGKILL:
    p = subprocess.Popen([*cluster, "2", "sh", "-c", f'echo "$CLUSTER_FOLDER"; ssh node2 exec sleep {seconds}'], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, text=True)
    own = p.stdout.readline().strip()
    until(lambda: any(os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "sleep" for pid in processes(seconds)))
    assert os.path.isdir(own), own
    p.send_signal(end)
    p.wait(timeout=30)
    until(lambda: not processes(seconds) and not os.path.exists(own))
