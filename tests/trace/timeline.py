#!/usr/bin/env python3
"""Runs a scenario of tests/trace/scenarios.c with WEFT_TRACE and checks the timeline that it writes (docs/profiling.md).

usage: timeline.py SCENARIOS LIBWEFT NAME"""
import collections
import decimal
import json
import os
import subprocess
import sys
import tempfile

import scenarios

program, library, scenario = sys.argv[1:4]
folder = tempfile.TemporaryDirectory()
SLICES_AND_POINTS = set("XiCMbesf")


def path(name):
    return os.path.join(folder.name, name)


def run(what, trace="trace.json", **more):
    return scenarios.run(program, what, folder.name, WEFT_TRACE=path(trace), WEFT_TEST_LIBRARY=library, **more)


def ns(microseconds):
    n = microseconds * 1000
    assert n == int(n), f"{microseconds} has parts of a nanosecond"
    return int(n)


def read(name="trace.json"):
    with open(path(name), encoding="ascii") as f:
        file = json.load(f, parse_float=decimal.Decimal)
    check_format(file)
    return file


def start_and_end(e):
    return ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])


def check_format(file):
    """What every timeline must be, after Chrome's Trace Event Format."""
    assert int(file["otherData"]["dropped_events"]) >= 0
    tracks, named, pairs, arrows = collections.defaultdict(list), set(), collections.defaultdict(list), collections.defaultdict(dict)
    for e in file["traceEvents"]:
        assert e["ph"] in SLICES_AND_POINTS and isinstance(e["pid"], int) and isinstance(e["tid"], int) and e["name"], e
        if e["ph"] == "M":
            assert e["name"] in ("process_name", "thread_name") and e["args"]["name"], e
            if e["name"] == "thread_name":
                named.add((e["pid"], e["tid"]))
            continue
        assert ns(e["ts"]) > 0 and e["cat"], e
        if e["ph"] == "X":
            assert ns(e["dur"]) >= 0, e
            tracks[e["pid"], e["tid"]].append(e)
        elif e["ph"] == "i":
            assert e["s"] == "t", e
        elif e["ph"] == "C":
            assert list(e["args"]) == ["bytes"], e
        elif e["ph"] in "be":
            pairs[e["pid"], e["cat"], e["id2"]["local"]].append(e)
        else:
            assert e["ph"] not in arrows[e["id"]], e
            arrows[e["id"]][e["ph"]] = e
    for e in file["traceEvents"]:
        assert e["ph"] in "MC" or (e["pid"], e["tid"]) in named, f"{e}: its track has no name"
    for slices in tracks.values():
        check_nesting(slices)
    for pair in pairs.values():
        assert [e["ph"] for e in pair] == ["b", "e"] and ns(pair[0]["ts"]) <= ns(pair[1]["ts"]), pair
    for arrow in arrows.values():
        assert set(arrow) == {"s", "f"} and arrow["f"]["bp"] == "e", arrow
        assert ns(arrow["s"]["ts"]) <= ns(arrow["f"]["ts"]), arrow
        for end in arrow.values():
            ends = [start_and_end(e) for e in tracks[end["pid"], end["tid"]]]
            assert any(start <= ns(end["ts"]) < stop for start, stop in ends), f"{end}: no slice there"
    for e in commands(file):
        times = [ns(e["args"][t]) for t in ("queued", "submit", "start", "end")]
        assert times == sorted(times) and times[2] == ns(e["ts"]), e


def check_nesting(slices):
    """Each slice lies in another one or beside it."""
    stack, last = [], None
    for e in slices:
        start, end = start_and_end(e)
        assert last is None or start >= last, f"{e}: not in the order of time"
        last = start
        while stack and stack[-1] <= start:
            stack.pop()
        assert not stack or end <= stack[-1], f"{e}: ends after the slice that it lies in"
        stack.append(end)


def some(file, category, name=None):
    return [e for e in file["traceEvents"] if e.get("cat") == category and name in (None, e["name"])]


def commands(file):
    return some(file, "command")


def ranges_of(file, command):
    return [e for e in some(file, "run") if e["args"]["command"] == command["args"]["command"]]


def check_commands():
    run("commands")
    file = read()
    names = collections.Counter(e["name"] for e in commands(file))
    # clFinish of a queue out of order waits for a marker of its own.
    assert names == {"fill buffer": 1, "work": 30, "add": 10, "barrier": 1, "marker": 1}, names
    codes = set()
    for c in commands(file):
        parts = sorted((e["args"]["first"], e["args"]["end"]) for e in ranges_of(file, c))
        assert c["name"] in ("barrier", "marker") or parts, f"{c}: nobody ran it"
        assert all(a[1] == b[0] for a, b in zip(parts, parts[1:])) and (not parts or parts[0][0] == 0), f"{c}: {parts}"
        start, end = start_and_end(c)
        for e in ranges_of(file, c):
            assert start <= start_and_end(e)[0] and start_and_end(e)[1] <= end, (c, e)
            codes.add(e["args"].get("code", ""))
    assert any(c.startswith("work ") and " lanes, " in c for c in codes), codes
    assert some(file, "scheduler", "sleep"), "threads of the pool have slept, at the latest before the end"
    queues = {e["args"]["name"].split(":")[1].strip() for e in file["traceEvents"] if e["name"] == "thread_name" and "queue" in e["args"]["name"]}
    assert queues == {"in order", "out of order"}, queues
    in_order = [e for e in commands(file) if e["tid"] == 256]
    assert len(in_order) == 21, "the commands of a queue in order lie on one track"


def check_replays():
    """Each replay of a recorded command is a command, which lies in that of the replay."""
    run("replays")
    file = read()
    all_ = sorted(commands(file), key=start_and_end)
    recorded = [c for c in all_ if c["name"] in ("add", "work", "copy buffer")]
    assert collections.Counter(c["name"] for c in recorded) == {"add": 4, "work": 4, "copy buffer": 4}, recorded
    assert len({c["args"]["command"] for c in all_}) == len(all_), "each has a word of its own"
    for e in some(file, "run"):
        assert any(e in ranges_of(file, c) for c in all_), f"{e}: of no command"
    for c in recorded:
        if c["name"] != "copy buffer":
            parts = sorted((e["args"]["first"], e["args"]["end"]) for e in ranges_of(file, c))
            assert parts and parts[0][0] == 0 and all(a[1] == b[0] for a, b in zip(parts, parts[1:])), parts
            start, end = start_and_end(c)
            assert all(start <= start_and_end(e)[0] and start_and_end(e)[1] <= end for e in ranges_of(file, c)), c
    # The first three replays take turns: each starts when the one before has run.
    replays = [c for c in all_ if c["name"] == "command buffer"][:3]
    for i, replay in enumerate(replays):
        first, last = recorded[3 * i], recorded[3 * i + 2]
        assert [c["name"] for c in recorded[3 * i:3 * i + 3]] == ["add", "copy buffer", "work"], recorded
        assert {c["tid"] // 256 for c in (replay, first, last)} == {2}, "they are in its queue"
        assert start_and_end(replay)[0] <= start_and_end(first)[0] and start_and_end(last)[1] <= start_and_end(replay)[1], (replay, first, last)
        assert i == 0 or start_and_end(recorded[3 * i - 1])[1] <= start_and_end(replay)[0], "its start is that of its turn"
    # The last one is in two queues.
    assert {(c["name"], c["tid"] // 256) for c in recorded[9:]} == {("add", 1), ("copy buffer", 1), ("work", 2)}, recorded[9:]


def check_arrows():
    run("arrows")
    file = read()
    ends = {ph: collections.Counter() for ph in "sf"}
    for e in file["traceEvents"]:
        if e["ph"] in "sf":
            for c in commands(file):
                start, end = start_and_end(c)
                if (c["pid"], c["tid"]) == (e["pid"], e["tid"]) and start <= ns(e["ts"]) < end:
                    ends[e["ph"]][c["args"]["command"]] += 1
    # top, left, right, bottom: how many arrows begin and end there.
    assert sorted(ends["s"].values()) == [1, 1, 2] and sorted(ends["f"].values()) == [1, 1, 2], ends


def steps(file):
    """How often each step of building was made, of each code."""
    return collections.Counter((e["name"], e["args"].get("what", "").split(",")[0]) for e in some(file, "build"))


def check_builds():
    cache = {"WEFT_CACHE": "1", "WEFT_CACHE_DIR": path("cache"), "WEFT_TIER": "2"}
    run("commands", **cache)
    first = read()
    builds = steps(first)
    for expected in [("front end", ""), ("compile", "add full"), ("compile", "work full"), ("code ready", "add full"),
                     ("code ready", "work full")]:
        assert builds[expected] == 1, builds
    run("commands", **cache)
    again = steps(read())
    for expected in [("program from the cache", ""), ("code from the cache", "work full"), ("code ready", "work full")]:
        assert again[expected] == 1, again
    assert not again["front end", ""] and not again["compile", "work full"], again
    # Quick code first: better code takes over.
    run("bounded", WEFT_TIER="0", WEFT_TRACE_KIB="1024")
    levels = {e["args"]["what"].split(",")[0] for e in some(read(), "build", "code ready") if e["args"]["kernel"] == "add"}
    assert {"add quick"} < levels, levels


def check_bounded():
    count = int(run("bounded", WEFT_TRACE_KIB="256").split()[0])
    file = read()
    dropped, kept = int(file["otherData"]["dropped_events"]), len(file["traceEvents"])
    slots = 256 * 1024 // 64
    threads = len({e["tid"] for e in file["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"})
    assert kept <= 4 * slots * threads, f"{kept} events of {threads} threads"
    assert os.path.getsize(path("trace.json")) < 4000000 * threads
    # A launch is a call, a range and a command.
    assert dropped >= 3 * count - slots * threads, f"{dropped} dropped of {count} launches"
    notes = some(file, "timeline", "older events are dropped")
    assert notes and sum(e["args"]["dropped"] for e in notes) <= dropped, notes


def check_threads():
    run("threads")
    file = read()
    callers = {e["tid"] for e in some(file, "api", "clEnqueueNDRangeKernel")}
    assert len(callers) >= 6, callers


def check_ending_threads():
    run("ending_threads")
    file = read()
    flushes = some(file, "api", "clFlush")
    assert 32 <= len(flushes) < 300 and len(flushes) + int(file["otherData"]["dropped_events"]) >= 300


def check_fork():
    child = int(run("fork").split()[0])
    file = read()
    assert file["otherData"]["process"] != child
    names = collections.Counter(e["name"] for e in commands(file))
    assert names["work"] == 1 and names["add"] == 1, names
    assert sorted(os.listdir(folder.name)) == ["trace.json"]


def check_fork_with_own_file():
    child = int(run("fork", trace="trace.%p.json").split()[0])
    files = sorted(os.listdir(folder.name))
    assert len(files) == 2 and f"trace.{child}.json" in files, files
    for name in files:
        file = read(name)
        assert name == f"trace.{file['otherData']['process']}.json"
        names = collections.Counter(e["name"] for e in commands(file))
        expected = {"add": 7, "work": 0} if file["otherData"]["process"] == child else {"add": 1, "work": 1}
        assert all(names[n] == count for n, count in expected.items()), (name, names)


def check_exec():
    run("exec")
    names = collections.Counter(e["name"] for e in commands(read()))
    assert names["work"] == 30, names


def check_unload():
    run("unload")
    assert len(some(read(), "api", "clIcdGetPlatformIDsKHR")) == 1


def check_fault():
    run("fault")
    file = read()
    faults = some(file, "fault")
    assert len(faults) == 1 and faults[0]["args"]["kernel"] == "wild" and "memory" in faults[0]["args"]["what"], faults
    assert [e["args"]["status"] < 0 for e in commands(file) if e["name"] == "wild"] == [True]


def check_memory():
    run("commands")
    counts = [e["args"]["bytes"] for e in some(read(), "memory")]
    assert max(counts) >= 4 << 14 and counts[-1] < max(counts), counts
    # Older events are dropped, but not the memory that was allocated first.
    run("bounded", WEFT_TRACE_KIB="256")
    file = read()
    counts = [e["args"]["bytes"] for e in some(file, "memory")]
    assert file["otherData"]["dropped_events"] > 0 and max(counts) >= 4 << 14, counts
    # The graph has fewer points than the program has made changes, and the peak is one of them.
    changes = 2 * int(run("churn").split()[0])
    counts = [e["args"]["bytes"] for e in some(read(), "memory")]
    assert changes / 8 < len(counts) < changes and max(counts) >= 8 << 20 and counts[-1] < 1 << 20, (len(counts), max(counts), counts[-1])


def check_scheduler():
    """Threads sleep, are woken, and take parts of each other's ranges."""
    run("columns")
    file = read()
    assert some(file, "scheduler", "sleep") and all(e["args"]["threads"] > 0 for e in some(file, "scheduler", "wake"))
    steals = some(file, "scheduler", "steal")
    if len(os.sched_getaffinity(0)) > 1:
        assert some(file, "scheduler", "wake") and steals, "300 launches, and nobody had to help"
    assert all(e["args"]["chunks"] > 0 and e["args"]["chunk"] >= 0 for e in steals), steals[:3]


def check_pending():
    """What wasn't complete at the end is there, from the time when it was queued."""
    run("pending")
    file = read()
    left = [e for e in commands(file) if e["args"]["status"] == 3]
    assert sorted(e["name"] for e in left) == ["add", "marker"], commands(file)
    assert len([e for e in commands(file) if e["name"] == "work" and e["args"]["status"] == 0]) == 1, commands(file)
    begun = {e["name"]: ns(e["ts"]) for e in file["traceEvents"] if e["ph"] == "b"}
    end = max(ns(e["ts"]) for e in some(file, "api"))
    assert begun["add"] < end and len([e for e in file["traceEvents"] if e["ph"] == "s"]) == 1, "the marker waits for the launch"


def check_api():
    run("arrows")
    file = read()
    calls = collections.Counter(e["name"] for e in some(file, "api"))
    assert calls["clEnqueueNDRangeKernel"] == 4 and calls["clReleaseContext"] == 1 and calls["clSetKernelArg"] == 3, calls
    assert all(e["args"]["result"] == 0 for e in some(file, "api", "clEnqueueNDRangeKernel"))
    # What fails, also where the error isn't what is returned, and whether or not the caller wants to know it.
    run("refused")
    file = read()
    results = {name: [e["args"]["result"] for e in some(file, "api", name)] for name in ("clCreateBuffer", "clCreateKernel", "clBuildProgram")}
    assert results == {"clCreateBuffer": [0, -61, -61], "clCreateKernel": [0, 0, 0, -46], "clBuildProgram": [0, -11]}, results
    assert [e["args"]["status"] == 0 for e in some(file, "build", "front end")] == [True, False], some(file, "build", "front end")


def check_file():
    """A file that can't be written is reported; the program does what it does without a timeline."""
    said = run("commands", trace="nowhere/trace.json", WEFT_LOG="")
    assert "nowhere/trace.json can't be written: No such file" in said, said
    assert "WEFT_TRACE: no file can be written to the folder " + path("nowhere") in said, said
    # A pipe gets the timeline itself; a name that is a link stays one.
    os.mkfifo(path("pipe"))
    reader = subprocess.Popen(["cat", path("pipe")], stdout=subprocess.PIPE)
    run("commands", trace="pipe")
    assert commands(json.loads(reader.communicate()[0])), "a timeline came through the pipe"
    os.unlink(path("pipe"))
    os.symlink("trace.json", path("link"))
    run("commands", trace="link")
    assert os.readlink(path("link")) == "trace.json" and commands(read())
    os.unlink(path("link"))
    with open(path("trace.json"), "w", encoding="ascii") as f:
        f.write("old")
    run("commands")
    read()
    assert os.listdir(folder.name) == ["trace.json"]


globals()["check_" + scenario]()
print("ok")
