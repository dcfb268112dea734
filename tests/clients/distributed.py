"""examples/petsc-fe and examples/starpu-mpi: PETSc's finite elements and StarPU's OpenCL workers, as Debian has them, on three
hosts of scripts/cluster under mpirun; where there can be no such hosts, on this one.

distributed.py CLUSTER petsc|starpu     CLUSTER: scripts/cluster
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

cluster, engine = sys.argv[1:]
examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")
HOSTS = 3
PETSC = ["-basic_petscspace_degree", "1", "-opencl_petscspace_degree", "1", "-opencl_petscfe_type", "opencl"]
# One worker of the processor and one of OpenCL. To StarPU, Weft is a GPU.
STARPU = dict(STARPU_NCPU="1", STARPU_NOPENCL="1", STARPU_OPENCL_ON_CPUS="1", STARPU_OPENCL_ONLY_ON_CPUS="1", STARPU_SILENT="1",
              STARPU_SCHED="eager")


def skip(why):
    print("skip:", why)
    sys.exit(77)


def build(name, module, folder, *libraries):
    # Debian's engines are built with Open MPI.
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", module], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    compiler = shutil.which("mpicc.openmpi")
    if flags.returncode != 0 or not compiler or not shutil.which("mpirun.openmpi"):
        skip(f"there is no {module}, or no Open MPI")
    subprocess.run([compiler, "-O2", os.path.join(examples, name, name + ".c"), "-o", os.path.join(folder, engine),
                    *flags.stdout.split(), *libraries], check=True)


def run(folder, *arguments, good=True, **env):
    hosts = ",".join(f"node{i + 1}" for i in range(HOSTS))
    env = dict(env, WEFT_CACHE_DIR=os.path.join(folder, "cache"), WEFT_CONF="none")
    forward = [word for name in env for word in ("-x", name)]  # other hosts don't have this one's environment
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **env)
    for command in ([cluster, str(HOSTS), "mpirun.openmpi", *forward, "--host", hosts, "-np", str(HOSTS)],
                    ["mpirun.openmpi", "--oversubscribe", "-np", str(HOSTS)]):
        p = subprocess.run([*command, f"./{engine}", *arguments], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=240)
        print(p.stdout)
        if p.returncode != 77:
            break
    assert (p.returncode == 0) == good, p.returncode
    return p.stdout


def petsc(folder):
    build("petsc-fe", "PETSc", folder, "-lpng", "-lm")
    out = run(folder, *PETSC)
    assert float(re.search(r"^difference (\S+)", out, re.M)[1]) < 1e-4
    launches = re.findall(r"^process \d: (\d+) launches, (\d+) flops", out, re.M)
    assert len(launches) == HOSTS and all(int(n) > 1 and int(flops) > 0 for n, flops in launches), launches
    assert "the result is right" in out and os.path.getsize(os.path.join(folder, "petsc-fe.png")) > 0
    # Without a solution, and without kernels, the result isn't right.
    for wrong in ([*PETSC, "-snes_max_it", "0"], PETSC[:-2]):
        assert "the result is WRONG" in run(folder, *wrong, good=False), wrong


def starpu(folder):
    build("starpu-mpi", "starpumpi-1.3", folder, "-lOpenCL", "-lpng", "-lm")
    out = run(folder, STARPU_HOME=folder, **STARPU)
    tasks = re.findall(r"^process \d: (\d+) tasks on the processor, (\d+) on OpenCL, the result is right", out, re.M)
    assert len(tasks) == HOSTS and sum(int(a) + int(b) for a, b in tasks) == 3 * 64, tasks
    # The scheduler gives work to both kinds of workers, and every host has a worker for OpenCL.
    assert sum(int(a) for a, _ in tasks) > 0 and all(int(b) > 0 for _, b in tasks), tasks
    assert os.path.getsize(os.path.join(folder, "starpu-mpi.png")) > 0

    # StarPU's own examples, with OpenCL's worker alone.
    folder = "/usr/lib/x86_64-linux-gnu/starpu/examples"
    if not os.path.isdir(folder):
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
