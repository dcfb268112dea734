"""The model of a cluster (scripts/cluster-model) follows the processes of a machine together. Each by itself gives the same, within some
percent. A claim that its process touches is waited for, however long that takes; one that is never touched is somebody else's after ten seconds.

cluster_model.py SCRIPT
"""
import re
import subprocess
import sys

# So few operations a second that those that wait stand in a queue, as a thousand machines do.
SMALL = ["--nodes", "12", "--cores", "8", "--server-operations", "100", "--steps", "1", "--library-operations", "6"]
MADE, OPERATIONS, SIMULATED = 0, 3, 6


def rows(*options):
    out = subprocess.run([sys.executable, sys.argv[1], *SMALL, *options], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {}
    for line in out.split("\n\n")[0].split("\n")[2:]:
        name, *numbers = line.strip("| ").split(" | ")
        found[name] = [float(n.replace(",", "")) for n in numbers]
    assert len(found) == 10, out
    return found


together, each = rows(), rows("--each")
for name, numbers in together.items():
    assert numbers[MADE] == each[name][MADE], (name, numbers, each[name])
    for column in OPERATIONS, SIMULATED:
        one, other = numbers[column], each[name][column]
        assert abs(one - other) <= 0.05 * other + 0.05, (name, column, one, other)
slow = next(name for name in together if "takes a minute" in name)
gone = next(name for name in together if "is gone" in name)
empty = next(name for name in together if re.search("for all, empty", name))
assert together[slow][MADE] == together[gone][MADE] == together[empty][MADE] == 10, together
assert together[slow][SIMULATED] > together[empty][SIMULATED] + 50, together
assert together[gone][SIMULATED] > together[empty][SIMULATED] * 11 / 12 + 9, together  # one of 12 machines asks no more
# What every process opens of the installation, the server is asked for, unless it is on each machine.
again, installed = (next(numbers for name, numbers in together.items() if re.fullmatch("the same, second start" + more, name))
                    for more in ("", "; Weft on each machine"))
assert again[OPERATIONS] == 12 * 8 * 6 and again[SIMULATED] >= again[OPERATIONS] / 100 and installed[OPERATIONS] == 0, (again, installed)
assert rows("--beat", "1000")[slow][MADE] > 10, "a claim that nobody touches was waited for"
