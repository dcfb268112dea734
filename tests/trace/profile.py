#!/usr/bin/env python3
"""Reads the sums for each kernel that a process writes with WEFT_PROFILE (lib/base/trace/profile.c), for `weft prof`.

usage: profile.py SCENARIOS"""
import glob
import json
import os
import re
import sys
import tempfile

import scenarios

program = sys.argv[1]
folder = tempfile.TemporaryDirectory()


def run(what, name="sums", **more):
    return scenarios.run(program, what, folder.name, WEFT_PROFILE=os.path.join(folder.name, name), **more)


def read(path):
    """{kind: {name: [numbers and texts]}}; there may be several lines of code for a kernel."""
    found = {}
    with open(path, encoding="utf-8") as f:
        assert f.readline() == "weft-profile\t5\n"
        for line in f:
            kind, name, *words = line.rstrip("\n").split("\t")
            found.setdefault(kind, {}).setdefault(name, []).append([int(w) if w.isdigit() else w for w in words])
    return found


def check_kernels(sums, least):
    assert len(sums["process"]) == 1
    for name, ((launches, failed, ns, median, longest, waited, items, compile_ns, steady_ns, steady_items),) in sums["kernel"].items():
        assert launches >= least and failed == 0 and items >= launches and 0 < median <= longest <= ns, (name, sums["kernel"])
        assert waited >= 0 and compile_ns > 0
        assert (steady_ns > 0) == (steady_items > 0) and steady_ns < ns and steady_items < items, (name, sums["kernel"])
        assert all(spent > 0 and re.match("(quick|lanes|full)[ ,]", what) for spent, what, *_ in sums["code"].get(name, [])), sums["code"]
        ((in_counted, _, _, _, count_ns, counted),) = sums["counted"][name]
        assert 0 < counted <= items and 0 < in_counted <= items and count_ns > 0, sums["counted"]
        # With more lanes there are fewer vector instructions, down to one of so many lanes.
        for along in {line[1] for line in sums["line"][name]}:
            lines = [line for line in sums["line"][name] if line[1] == along]
            ones = sum(line[4] for line in lines)
            assert ones > 0 and all(ones <= sum(line[4 + level] for line in lines) << level for level in range(7)), lines
            lanes_along = [lanes for lanes in sums["lanes"][name] if lanes[0] == along]
            assert [lanes[1] for lanes in lanes_along] == [1, 2, 4, 8, 16, 32, 64], sums["lanes"]
            for _, lanes, active, divergent, everything in lanes_along:
                assert 0 <= active <= divergent * lanes and divergent <= everything <= ones, sums["lanes"]
        (ran,) = [s for s in sums["strip"][name] if s[0] == "run"]
        spans = [int(n) for n in str(ran[3]).split(",")]
        assert len(spans) <= 256 and 0 < sum(spans) and all(n <= 64 * ran[2] for n in spans), ran  # of 64 threads at most


run("commands")
check_kernels(read(os.path.join(folder.name, "sums")), 1)
assert "command" in read(os.path.join(folder.name, "sums")), "other commands are there, too"

# Lanes along dimension 1: a quarter of them is active. Before there was such code, rows had one work-item.
run("columns", "columns", WEFT_TIER="2")
sums = read(os.path.join(folder.name, "columns"))
check_kernels(sums, 300)
((launches, *_, items, _, _, steady_items),) = sums["kernel"]["column"]
assert items / launches <= steady_items, sums["kernel"]
quarters = [lanes for lanes in sums["lanes"]["column"] if lanes[0] == 1 and lanes[1] >= 4]
assert quarters and all(4 * active == lanes * divergent > 0 for _, lanes, active, divergent, _ in quarters), sums["lanes"]
assert all(active <= divergent for along, _, active, divergent, _ in sums["lanes"]["column"] if along == 0), sums["lanes"]
(tallest,) = [what for _, what, *_ in [max(sums["code"]["column"])]]
assert " dim1, " in tallest, sums["code"]

# What a work-item does is counted where the compiler has left it. Kernels of two programs with one name are
# two rows, and one that is called as a command is a row.
wall, = [int(n) for n in run("numbers", "numbers", WEFT_TIER="2", WEFT_CACHE="1", WEFT_CACHE_DIR=os.path.join(folder.name, "cache")).split()[:1]]
sums = read(os.path.join(folder.name, "numbers"))
each = {name: [n / line[0] for n in line[1:4]] for name, (line,) in sums["counted"].items()}
assert each["k"] == [8, 128, 0] and each["k (2)"] == [16, 64, 64], each
assert each["invariant"] == [8, 131, 0] and each["nothing"] == [0, 0, 0] and each["marker"] == [8, 1, 0], each
assert [sums["kernel"][k][0][0] for k in ("k", "k (2)", "marker")] == [20, 20, 3] and sums["command"]["marker"][0][0] == 5 + 1, sums["command"]  # one is of clFinish
assert sums["source"]["k (2)"][0][2] == "k" and sums["source"]["k"][0][0] != sums["source"]["k (2)"][0][0], sums["source"]
# Launches at the same time: what they take together is no more than what has passed.
((launches, _, total, *_, steady_ns, steady_items),) = sums["kernel"]["work"]
assert launches == 40 and 0 < steady_ns <= wall and 0 < steady_items < 40 << 14, (sums["kernel"], wall)

# The name of a kernel in SPIR-V is any text.
out = run("hostile", "hostile", WEFT_PERF="1", TMPDIR=folder.name)
if "no SPIR-V" not in out:
    sums = read(os.path.join(folder.name, "hostile"))
    assert list(sums["kernel"]) == ["x?source?x?/etc/passwd?é??"] and "x" not in sums.get("source", {}), sums
    with open(f"/tmp/perf-{out.split()[0]}.map", encoding="utf-8") as f:
        assert all(re.match("[0-9a-f]+ [0-9a-f]+ x[?]source", line) or "source" not in line for line in f)
    for name in (f"/tmp/perf-{out.split()[0]}.map", f"/tmp/jit-{out.split()[0]}.dump"):
        os.unlink(name)

# In command buffers: each replay is a launch.
run("replays", "replays")
sums = read(os.path.join(folder.name, "replays"))
check_kernels(sums, 4)
assert {name: line[0][0] for name, line in sums["kernel"].items()} == {"add": 4, "work": 4}, sums["kernel"]
assert sums["command"]["copy buffer"][0][0] == 4, sums["command"]

# With a timeline as well: both have the same commands.
run("threads", "both", WEFT_TRACE=os.path.join(folder.name, "trace.json"))
sums = read(os.path.join(folder.name, "both"))
check_kernels(sums, 1)
with open(os.path.join(folder.name, "trace.json"), encoding="ascii") as trace:
    events = json.load(trace)["traceEvents"]
for kernel, ((launches, *_),) in sums["kernel"].items():
    commands = [e for e in events if e.get("cat") == "command" and e["ph"] == "X" and e["name"] == kernel]
    # A thread of each queue may be between the two when the process ends.
    assert launches - 4 <= len(commands) <= launches + 4, (kernel, launches, len(commands))

# A child of fork has a file of its own, or none.
run("fork")
check_kernels(read(os.path.join(folder.name, "sums")), 1)
run("fork", "of.%p")
files = glob.glob(os.path.join(folder.name, "of.*"))
assert len(files) == 2, files
for file in files:
    check_kernels(read(file), 1)

# Whether the child has a timeline makes no difference.
for trace, count in (("t.json", 1), ("t.%p.json", 2)):
    for file in files + glob.glob(os.path.join(folder.name, "t.*")):
        if os.path.exists(file):
            os.unlink(file)
    run("fork", "of.%p", WEFT_TRACE=os.path.join(folder.name, trace))
    files = glob.glob(os.path.join(folder.name, "of.*"))
    assert len(files) == 2 and len(glob.glob(os.path.join(folder.name, "t.*"))) == count, os.listdir(folder.name)
    for file in files:
        check_kernels(read(file), 1)

# What a process did that was killed is known, but for the last half second, also if it does nothing more.
run("idle", "idle")
((launches, *_),) = read(os.path.join(folder.name, "idle"))["kernel"]["add"]
assert launches == 100, launches
run("killed", "killed")
((launches, *_),) = read(os.path.join(folder.name, "killed"))["kernel"]["add"]
assert 50 < launches <= 150, launches
assert not [name for name in os.listdir(folder.name) if name.endswith(".part")], os.listdir(folder.name)

# A name without a slash is in the folder in which the process began.
scenarios.run(program, "other_folder", folder.name, WEFT_PROFILE="relative")
check_kernels(read(os.path.join(folder.name, "relative")), 1)
assert not os.listdir(os.path.join(folder.name, "other"))

assert "can't be written" in run("commands", "no/such/folder")
assert not os.path.exists(os.path.join(folder.name, "no"))
