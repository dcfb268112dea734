#!/usr/bin/env python3
"""Runs a program with a profiler's library of our own (collector.c), and reads what it was told.

usage: itt.py SCENARIOS COLLECTOR_BY_NAME COLLECTOR_WITH_INIT"""
import os
import re
import sys
import tempfile

import scenarios

program, by_name, with_init = sys.argv[1:]
folder = tempfile.TemporaryDirectory()
count = 0


def run(library, what="commands", **more):
    """What the library was told: [(kind, thread, text)]"""
    global count
    count += 1
    file = os.path.join(folder.name, f"told.{count}")
    settings = {"COLLECTOR_FILE": file, "INTEL_LIBITTNOTIFY64": library, "INTEL_JIT_PROFILER64": library, "WEFT_TIER": "2", **more}
    printed = scenarios.run(program, what, folder.name, **settings)
    told = []
    if os.path.exists(file):
        with open(file, encoding="utf-8") as f:
            told = [line.rstrip("\n").split("\t", 2) for line in f]
    return told, printed


for library in (by_name, with_init):
    told, _ = run(library, WEFT_BUILD_OPTIONS="-g")
    kinds = {kind for kind, *_ in told}
    assert "wrong" not in kinds and {"domain", "string", "begin", "end", "method"} <= kinds, told
    assert ("init" in kinds) == (library == with_init) and told.count(["domain", told[0][1], "OpenCL kernels"]) == 1, told
    # On each thread tasks begin and end in turn.
    threads = {thread for _, thread, _ in told}
    for thread in threads:
        tasks = [kind for kind, t, _ in told if t == thread and kind in ("begin", "end")]
        assert tasks == ["begin", "end"] * (len(tasks) // 2), tasks
    names = {text for kind, _, text in told if kind == "begin"}
    assert {"add", "work"} <= names <= {"add", "work", "wild"}, names
    strings = [text for kind, _, text in told if kind == "string"]
    assert set(strings) == names, (strings, names)
    # Code has a number, its name, and lines: where each ends, one after the other up to the function's end.
    methods = [text.split("\t") for kind, _, text in told if kind == "method"]
    numbers = [int(m[0]) for m in methods]
    assert len(set(numbers)) == len(numbers) and min(numbers) >= 1000, methods
    (work,) = [m for m in methods if re.match(r"work full, \d+ lanes, ", m[1])]
    ends = [tuple(map(int, row.split(":"))) for row in work[4:]]
    assert ends and [e for e, _ in ends] == sorted(e for e, _ in ends) and ends[-1][0] <= int(work[2]), work
    assert {line for _, line in ends} & {2, 4, 5, 6} and work[3] == "<source>", work  # without a cache

# Without -g there are names alone.
told, _ = run(by_name)
assert all(len(text.split("\t")) == 4 for kind, _, text in told if kind == "method"), told

# Nothing is recorded: a library may switch its domain off, and JIT profiling.
told, _ = run(by_name, COLLECTOR_PAUSED="1")
assert {kind for kind, *_ in told} <= {"domain"}, told

# A child of fork tells nothing; the parent goes on.
told, _ = run(with_init, "fork")
assert {"begin", "method"} <= {kind for kind, *_ in told}, told
assert "forked" not in {kind for kind, *_ in told}, told

# A child that is made while the library is being told of code can run kernels, and tells nothing either.
told, _ = run(by_name, "fork_in_add", COLLECTOR_SLOW="1")
assert "method" in {kind for kind, *_ in told} and "forked" not in {kind for kind, *_ in told}, told

# Beside a timeline and sums.
told, _ = run(with_init, WEFT_TRACE=os.path.join(folder.name, "t.json"), WEFT_PROFILE=os.path.join(folder.name, "sums"))
assert "begin" in {kind for kind, *_ in told} and os.path.getsize(os.path.join(folder.name, "t.json")) > 1000

# A library that isn't there is a line in the log.
told, printed = run("/nowhere/libcollector.so")
assert not told and "INTEL_LIBITTNOTIFY64: /nowhere/libcollector.so: cannot open" in printed, printed
