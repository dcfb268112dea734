"""examples/petsc-fe and examples/starpu-mpi: PETSc's finite elements and StarPU's OpenCL workers, as Debian has them, on three
hosts of scripts/cluster under mpirun, and how they scale from one to three. Then a process is killed while its kernels run: mpirun
says which, and ends the others. Where there can be no such hosts, all that happens on this one, and the test counts as skipped.

distributed.py CLUSTER petsc|starpu     CLUSTER: scripts/cluster
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

cluster, engine = sys.argv[1:]
examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")
programs = {"petsc": "petsc-fe", "starpu": "starpu-mpi"}
HOSTS = 3
NODES = [f"node{i + 1}" for i in range(HOSTS)]
PETSC_MODULES = ("PETSc >= 3.18 PETSc < 3.19",)  # the program gets around that version's faults
STARPU_MODULES = ("starpumpi-1.4", "starpumpi-1.3")
left_out = []  # what wasn't tested
PATIENCE = 240  # seconds
with open(os.path.join(examples, programs[engine], "README.md"), encoding="utf-8") as readme:
    text = readme.read()
# What a reader types for several hosts: `mpirun THIS ./PROGRAM ...`, for a shell.
ON_HOSTS = re.search(rf"^\$ (?:\.\./\.\./scripts/cluster {HOSTS} )?mpirun (.*) \./{programs[engine]}", text[text.index("On several hosts"):], re.M)[1]
ENDLESS = [word for name, value in (("rtol", 0), ("atol", 0), ("stol", 0), ("max_it", 10**8), ("max_funcs", 10**9),
                                    ("linesearch_type", "basic")) for word in (f"-opencl_snes_{name}", str(value))]
# One worker of the processor and one of OpenCL. To StarPU, Weft is a GPU.
STARPU = dict(STARPU_NCPU="1", STARPU_NOPENCL="1", STARPU_OPENCL_ON_CPUS="1", STARPU_OPENCL_ONLY_ON_CPUS="1", STARPU_SILENT="1",
              STARPU_SCHED="eager")


def skip(why):
    print("skip:", why)
    sys.exit(77)


def build(name, modules, folder, *libraries, change=("", "")):
    """modules: the first that is there. change: what is in the source, and what takes its place."""
    # Debian's engines are built with Open MPI.
    for module in modules:
        if not shutil.which("pkg-config"):
            skip("there is no pkg-config")
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", module], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if flags.returncode == 0:
            break
    compiler = shutil.which("mpicc.openmpi")
    if flags.returncode != 0 or not compiler or not shutil.which("mpirun.openmpi"):
        skip(f"there is no {' or '.join(modules)}, or no Open MPI")
    with open(os.path.join(examples, name, name + ".c"), encoding="utf-8") as f:
        text = f.read()
    assert change[0] in text, change
    with open(os.path.join(folder, name + ".c"), "w", encoding="utf-8") as f:
        f.write(text.replace(*change) if change[0] else text)
    # PETSc's callbacks have parameters that nobody needs.
    warnings = ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
    subprocess.run([compiler, "-O2", *warnings, f.name, "-o", os.path.join(folder, engine), *flags.stdout.split(), *libraries],
                   check=True)


def start(folder, *arguments, count=HOSTS, **env):
    env = dict(env, WEFT_CACHE_DIR=os.path.join(folder, "cache"), WEFT_CONF="none")
    # Other hosts don't have this one's environment. StarPU's README sends it, PETSc's says how.
    forward = "" if "env |" in ON_HOSTS else " ".join("-x " + name for name in env)
    words = ON_HOSTS.replace(f"-np {HOSTS}", f"-np {count}").replace(",".join(NODES), ",".join(NODES[:count]))
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **env)
    here = ["mpirun.openmpi", "--oversubscribe", "-np", str(count)]
    there = [cluster, str(HOSTS), "sh", "-c", f'exec mpirun.openmpi {forward} {words} "$@"', "sh"]
    for command in [here] if left_out else (there, here):
        p = subprocess.Popen([*command, f"./{engine}", *arguments], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        try:
            p.wait(timeout=1)
        except subprocess.TimeoutExpired:
            pass
        if p.returncode != 77:
            return p
        left_out.append("several hosts: " + p.communicate()[0].strip())


def stop(p):
    """The solver may be one that doesn't end by itself. Returns what it has said."""
    p.terminate()  # scripts/cluster and mpirun end what they have started
    try:
        return p.communicate(timeout=20)[0]
    except subprocess.TimeoutExpired:
        p.kill()
        return p.communicate()[0]


def end(p, good=True):
    try:
        out = p.communicate(timeout=PATIENCE)[0]
    except BaseException:
        print(stop(p))
        raise
    print(out, flush=True)
    assert (p.returncode == 0) == good, p.returncode
    return out


def run(folder, *arguments, good=True, count=HOSTS, **env):
    return end(start(folder, *arguments, count=count, **env), good)


def counted(count):
    return f"{count} process" + "es" * (count > 1)


def without_picture(folder, *arguments, **env):
    """A picture that can't be written is a failure. It isn't the result's."""
    os.remove(os.path.join(folder, programs[engine] + ".png"))
    os.mkdir(os.path.join(folder, programs[engine] + ".png"))
    out = run(folder, *arguments, count=2, good=False, **env)
    assert f"cannot write {programs[engine]}.png" in out and "the result is right" in out, out
    os.rmdir(os.path.join(folder, programs[engine] + ".png"))


def ranks_of(folder):
    """The engine's processes by their numbers."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.samefile(f"/proc/{pid}/exe", os.path.join(folder, engine)):
                with open(f"/proc/{pid}/environ", "rb") as f:
                    rank = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", f.read())
                found[int(rank[1])] = int(pid)
        except (OSError, TypeError):  # it has ended meanwhile, or is mpirun's child yet
            continue
    return found


def kill_one(folder, *arguments, **env):
    """Rank 1, as soon as its kernels are there."""
    shutil.rmtree(os.path.join(folder, "cache"))
    p = start(folder, *arguments, **env)
    until = time.monotonic() + PATIENCE
    cache = os.path.join(folder, "cache")
    try:
        while p.poll() is None and not (os.path.isdir(cache) and any(name[0] == "k" for name in os.listdir(cache))):
            assert time.monotonic() < until, "no kernel is compiled"
            time.sleep(0.005)
        ranks = ranks_of(folder)
        print("processes:", ranks, flush=True)
        assert len(ranks) == HOSTS, "not one process on each host"
        os.kill(ranks[1], signal.SIGKILL)
    except BaseException:
        print(stop(p))
        raise
    since = time.monotonic()
    out = end(p, good=False)
    print(f"mpirun has ended after {time.monotonic() - since:.1f} s, with {p.returncode}")
    # Another one may end first, at the connection that broke.
    assert re.search(r"mpirun.openmpi noticed that process rank \d .*exited on signal (?:9|13)", out, re.S) or re.search(
        r"Peer host: +node\d", out), "who has died?"
    assert "the result is right" not in out and not ranks_of(folder), ranks_of(folder)


def petsc(folder):
    build("petsc-fe", PETSC_MODULES, folder, "-lOpenCL", "-lpng", "-lm")
    out = run(folder)
    assert float(re.search(r"^difference (\S+)", out, re.M)[1]) < 1e-4
    assert float(re.search(r"^difference from one process (\S+)", out, re.M)[1]) < 1e-4
    launches = re.findall(r"^process \d: (\d+) launches, (\d+) flops", out, re.M)
    assert len(launches) == HOSTS and all(int(n) > 1 and int(flops) > 0 for n, flops in launches), launches
    assert "the result is right" in out and os.path.getsize(os.path.join(folder, "petsc-fe.png")) > 0
    for count in range(1, HOSTS):  # each host has as much work
        out = run(folder, count=count)
        assert f"{counted(count)}: {2048 * count} triangles" in out and "the result is right" in out, out
    # Without a solution, and without kernels, the result isn't right.
    for wrong in (["-opencl_snes_max_it", "0"], ["-opencl_petscfe_type", "basic"]):
        assert "the result is WRONG" in run(folder, *wrong, good=False), wrong
    without_picture(folder)
    kill_one(folder, *ENDLESS)
    # One process's solution is another one.
    build("petsc-fe", PETSC_MODULES, folder, "-lOpenCL", "-lpng", "-lm",
          change=("PetscCall(values_of(dm,", "PetscCall(VecScale(u, 1.001)); PetscCall(values_of(dm,"))
    assert "the result is WRONG" in run(folder, good=False, count=2)


def starpu(folder):
    build("starpu-mpi", STARPU_MODULES, folder, "-lOpenCL", "-lpng", "-lm")
    out = run(folder, STARPU_HOME=folder, **STARPU)
    tasks = re.findall(r"^process \d: (\d+) tasks on the processor, (\d+) on OpenCL, the result is right", out, re.M)
    assert len(tasks) == HOSTS and sum(int(a) + int(b) for a, b in tasks) == 3 * 64, tasks
    # The scheduler gives work to both kinds of workers, and every host has a worker for OpenCL.
    assert sum(int(a) for a, _ in tasks) > 0 and all(int(b) > 0 for _, b in tasks), tasks
    assert os.path.getsize(os.path.join(folder, "starpu-mpi.png")) > 0
    for count in range(1, HOSTS):  # each host has as much work
        out = run(folder, count=count, STARPU_HOME=folder, **STARPU)
        assert f"{counted(count)}: {64 * count} tasks" in out and out.count("the result is right") == count, out
        # A round's tasks don't wait for each other: also in one process both kinds of workers have some.
        for here, there in re.findall(r"^process \d: (\d+) tasks on the processor, (\d+) on OpenCL", out, re.M):
            assert int(here) > 0 and int(there) > 0, out
    without_picture(folder, STARPU_HOME=folder, **STARPU)
    build("starpu-mpi", STARPU_MODULES, folder, "-DROUNDS=80", "-lOpenCL", "-lpng", "-lm")  # so that it runs for seconds
    kill_one(folder, STARPU_HOME=folder, **STARPU)
    build("starpu-mpi", STARPU_MODULES, folder, "-lOpenCL", "-lpng", "-lm")
    assert "the result is right" in run(folder, STARPU_HOME=folder, **STARPU)  # and then it is started again

    # StarPU's own examples, with OpenCL's worker alone.
    folder = "/usr/lib/x86_64-linux-gnu/starpu/examples"
    if not os.path.isdir(folder):
        left_out.append("StarPU's examples: there is no " + folder)
        return
    for name in ("vector_scal", "fblock", "variable", "incrementer", "block"):
        p = subprocess.run([os.path.join(folder, name)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, timeout=120,
                           env=dict(os.environ, STARPU_HOME=temporary, **dict(STARPU, STARPU_NCPU="0", STARPU_WORKER_STATS="1")))
        ran = re.search(r"OpenCL 0.*?(\d+) task\(s\)", p.stdout, re.S)
        print(f"{name}: status {p.returncode}, {ran[1] if ran else 'no'} tasks on OpenCL")
        assert p.returncode == 0 and ran and int(ran[1]) > 0, p.stdout[-2000:]


with tempfile.TemporaryDirectory(prefix="weft-distributed-") as temporary:
    {"petsc": petsc, "starpu": starpu}[engine](temporary)
if left_out:
    skip("the rest passes, without " + "; ".join(left_out))
