"""examples/mpi-heat: its timeline shows that nothing is copied, and that messages travel while the inner planes are computed.

heat_profile.py MPIRUN PROGRAM
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

mpirun, program = sys.argv[1:]
STEPS = 120
# Halos are filled once, and initial values and results are mapped. No command reads, writes or copies
# a buffer.
COMMANDS = {"inner", "edge", "map buffer", "unmap", "fill buffer", "marker"}
# A process's whole part is 1.7 MB, and is mapped for the initial values, for checkpoints and for the
# result. No processor copies that in this time, neither when it is mapped nor when it is unmapped.
MAP_US = 10


def overlap(events):
    """From the maps of a step to its unmaps messages travel. Returns in how many steps inner planes are computed meanwhile, of how
    many, and the share of all inner planes' time that is."""
    inner = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e.get("cat") == "run" and e["name"] == "inner")
    exchanges, mapped, launched = [], None, False
    for begin, end, name in sorted((e["ts"], e["ts"] + e["dur"], e["name"]) for e in events if e.get("cat") == "api"):
        if name == "clEnqueueMapBuffer":
            mapped, launched = end, False
        elif name == "clEnqueueNDRangeKernel":
            launched = True
        elif name == "clEnqueueUnmapMemObject":
            if mapped and launched:
                exchanges.append((mapped, begin))
            mapped = None
    beside = [sum(max(0, min(end, until) - max(begin, since)) for begin, end in inner) for since, until in exchanges]
    return sum(time > 0 for time in beside), len(exchanges), sum(beside) / sum(end - begin for begin, end in inner)


def whole_maps(events):
    """Microseconds of each map of a whole part, with its unmap. In a step, several maps follow each other; these stand alone."""
    of = sorted((e for e in events if e.get("cat") == "command"), key=lambda e: e["args"]["queued"])
    names = [e["name"] for e in of]
    return sorted(a["dur"] + b["dur"] for i, (a, b) in enumerate(zip(of, of[1:]))
                  if names[i:i + 2] == ["map buffer", "unmap"] and "map buffer" not in names[max(0, i - 1):i])


with tempfile.TemporaryDirectory(prefix="weft-mpi-") as folder:
    env = dict(os.environ, WEFT_TRACE=os.path.join(folder, "heat.%p.json"))
    p = subprocess.run([mpirun, "-np", "2", program, str(STEPS)], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, errors="replace", timeout=100)
    print(p.stdout)
    assert p.returncode == 0 and "the result is right" in p.stdout, p.returncode
    ranks = 0
    for name in glob.glob(os.path.join(folder, "heat.*.json")):
        with open(name, encoding="utf-8") as f:
            events = json.load(f)["traceEvents"]
        commands = {e["name"] for e in events if e.get("cat") == "command"}
        if "inner" not in commands:
            continue  # mpirun looks at devices, too
        ranks += 1
        assert commands <= COMMANDS, commands
        copying = [e["name"] for e in events if e.get("cat") == "api" and any(w in e["name"] for w in ("Read", "Write", "Copy"))]
        assert not copying, copying
        maps, whole = sum(e.get("cat") == "command" and e["name"] == "map buffer" for e in events), whole_maps(events)
        beside, steps, share = overlap(events)
        print(f"{maps} maps; of a whole part {', '.join(f'{us:.2f}' for us in whole)} us; inner planes are computed beside {beside} of "
              f"{steps} exchanges, {100 * share:.0f} % of their time")
        assert maps == 4 * STEPS + 4 and len(whole) == 4, (maps, whole)
        assert whole[-2] < MAP_US, whole  # another process may interrupt one
        assert steps == STEPS and beside > steps / 2, (beside, steps)
    assert ranks == 2, ranks
