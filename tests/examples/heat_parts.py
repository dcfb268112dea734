"""examples/mpi-heat: on what each process computes. Processes that may run on the same processors share them, by NUMA nodes if
there are as many. One that the launcher has bound to processors of its own has all of them. The machines are made up.

heat_parts.py MPIRUN PROGRAM README     README: its command gives each process a sub-device
"""
import os
import re
import subprocess
import sys
import tempfile

mpirun, program, readme = sys.argv[1:]
TWO_NODES, ONE_NODE = "numa:2 core:2 pu:1", "numa:1 core:4 pu:1"
processors = sorted(os.sched_getaffinity(0))


def devices(topology, *bound):
    """bound: the processor that each process is bound to, or None."""
    command = [mpirun]
    for i, processor in enumerate(bound):
        command += [":"] * (i > 0) + ["-np", "1"] + (["taskset", "-c", str(processor)] if processor is not None else []) + [program, "20"]
    return run(topology, command, OMPI_MCA_hwloc_base_binding_policy="none")


def run(topology, command, **env):
    env = dict(os.environ, WEFT_HWLOC_SYNTHETIC=topology, **env)
    with tempfile.TemporaryDirectory(prefix="weft-mpi-") as folder:
        p = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, errors="replace", timeout=60)
    print(topology, command, p.stdout, sep="\n", flush=True)
    assert p.returncode == 0 and "the result is right" in p.stdout, p.returncode
    return [line.partition(": ")[2] for line in p.stdout.splitlines() if line.startswith("process ")]


def check(topology, bound, *expected):
    found = devices(topology, *bound)
    assert found == list(expected), (found, expected)


node, half, quarter, whole = "2 of 4 compute units, a NUMA node", "2 of 4 compute units", "1 of 4 compute units", "4 of 4 compute units"
check(TWO_NODES, [None, None], node, node)
check(ONE_NODE, [None, None], half, half)
check(TWO_NODES, [None] * 3, quarter, quarter, quarter)
check(TWO_NODES, [None], whole)
if len(processors) > 1:
    a, b = processors[:2]
    check(ONE_NODE, [a, b], whole, whole)
    check(ONE_NODE, [a, b, b], whole, half, half)
# A user's command binds nothing, or each process would have one core as its whole device.
with open(readme, encoding="utf-8") as f:
    arguments = re.search(r"^mpirun (.*) \./mpi-heat$", f.read(), re.M)[1].split()
assert run(ONE_NODE, [mpirun, *arguments, program, "20"]) == [half, half], arguments
