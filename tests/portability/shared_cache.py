"""Machines that share a disk cache: one process compiles, the others find it. A machine without weftc runs what is in the
cache, and says clearly what isn't.

shared_cache.py BUILD_DIR PROGRAM [ARGUMENT...]     PROGRAM: an OpenCL program that ends with 0 if its result is right
"""
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

build, *program = sys.argv[1:]
PROCESSES = 6
STARTS = 3
IN_OPEN, IN_CLOSE = 0x20, 0x18  # of inotify


def node(folder, compiler):
    """An installation of its own, as another machine has it: other files, other times. Returns its vendors' folder."""
    os.makedirs(os.path.join(folder, "lib/weft"))
    shutil.copyfile(os.path.join(build, "lib/libweft.so"), os.path.join(folder, "lib/libweft.so"))
    if compiler:
        for name in os.listdir(os.path.join(build, "lib/weft")):
            shutil.copyfile(os.path.join(build, "lib/weft", name), os.path.join(folder, "lib/weft", name))
        os.chmod(os.path.join(folder, "lib/weft/weftc"), 0o755)
    os.mkdir(os.path.join(folder, "vendors"))
    with open(os.path.join(folder, "vendors/weft.icd"), "w") as f:
        f.write(os.path.join(folder, "lib/libweft.so") + "\n")
    return os.path.join(folder, "vendors")


def start(vendors, cache, **env):
    e = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}
    e.update(WEFT_CONF="none", OCL_ICD_VENDORS=vendors, OPENCL_VENDOR_PATH=vendors, WEFT_CACHE_DIR=cache, **env)
    return subprocess.Popen(program, env=e, cwd=top, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, errors="replace")


def end(p, good=True):
    out = p.communicate(timeout=60)[0]
    assert (p.returncode == 0) == good, f"{p.returncode}\n{out}"
    return out


def watch_opening(path):
    """Of a file, or of a folder and all that is in it. Events that are alike and follow each other are one to inotify: with closings
    between them, openings don't."""
    libc, in_nonblock = ctypes.CDLL(None, use_errno=True), os.O_NONBLOCK
    watch = libc.inotify_init1(in_nonblock)
    assert watch >= 0 and libc.inotify_add_watch(watch, path.encode(), IN_OPEN | IN_CLOSE) >= 0, os.strerror(ctypes.get_errno())
    return watch


def count_openings(watch):
    try:
        events, count, at = os.read(watch, 65536), 0, 0
        while at < len(events):  # an event of a file has no name, one of a folder may have
            count += int.from_bytes(events[at + 4:at + 8], sys.byteorder) & IN_OPEN != 0
            at += 16 + int.from_bytes(events[at + 12:at + 16], sys.byteorder)
        return count
    except BlockingIOError:
        return 0
    finally:
        os.close(watch)


def compiles(trace):
    """The timeline's compiles of programs and kernels, without those that the process's end cut off."""
    with open(trace, encoding="utf-8") as f:
        events = json.load(f)
    events = events["traceEvents"] if isinstance(events, dict) else events
    names = [e.get("name", "") for e in events if e.get("cat") == "build" and e["args"].get("status") == 0]
    return sum(n.startswith("front end") for n in names), sum(n.startswith("compile") for n in names)


def slow_compiler(folder, seconds):
    """A weftc that does nothing for that long."""
    os.makedirs(folder)
    path = os.path.join(folder, "weftc")
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\nsleep {seconds}\nexec '{os.path.join(build, 'lib/weft/weftc')}' \"$@\"\n")
    os.chmod(path, 0o755)
    return path


def claims(folder):
    """Of programs: when each was touched at last."""
    try:
        return {os.stat(os.path.join(folder, n)).st_mtime_ns for n in os.listdir(folder) if n.startswith("tmp.claim.p")}
    except FileNotFoundError:
        return set()


with tempfile.TemporaryDirectory(prefix="weft-shared-") as top:
    shared, local = os.path.join(top, "shared"), os.path.join(top, "local")
    one, two, bare = (node(os.path.join(top, n), n != "bare") for n in ("one", "two", "bare"))
    # Many processes on two machines start at once, with nothing in the cache.
    runs = [start([one, two][i % 2], shared, WEFT_TRACE=f"{top}/{i}.json", WEFT_TIER="2") for i in range(PROCESSES)]
    for p in runs:
        end(p)
    made = [compiles(f"{top}/{i}.json") for i in range(PROCESSES)]
    print("front ends and kernels, by process:", made)
    assert sum(m[0] for m in made) == 1, made
    kernels = len([n for n in os.listdir(shared) if n.startswith("k")])
    assert sum(m[1] for m in made) == kernels > 0, (made, kernels)
    assert not [n for n in os.listdir(shared) if n.startswith("tmp.")], os.listdir(shared)

    # A compiler that takes longer than a claim may stand still: who waits for it touches its claim, so nobody
    # takes that.
    slow, touched = os.path.join(top, "slow"), set()
    env = dict(WEFT_TIER="2", WEFT_WEFTC=slow_compiler(os.path.join(top, "slow-weftc"), 13))
    runs = [start(one, slow, WEFT_TRACE=f"{top}/slow{i}.json", **env) for i in range(PROCESSES)]
    while any(p.poll() is None for p in runs):
        touched |= claims(slow)
        time.sleep(0.1)
    for p in runs:
        end(p)
    made = [compiles(f"{top}/slow{i}.json") for i in range(PROCESSES)]
    print("with a slow compiler:", made, "times of claims:", len(touched))
    kernels = len([n for n in os.listdir(slow) if n.startswith("k")])
    assert sum(m[0] for m in made) == 1 and sum(m[1] for m in made) == kernels > 0, (made, kernels)
    assert len(touched) >= 4, touched

    # Without a compiler: nothing of LLVM is there, and the shared folder is read only.
    before = sorted((n, os.stat(os.path.join(shared, n)).st_mtime_ns) for n in os.listdir(shared))
    os.chmod(shared, 0o500)
    # The cached code is the best there is, so nothing asks for better.
    print(end(start(bare, f"{local}:{shared}", WEFT_LOG="info")))
    assert before == sorted((n, os.stat(os.path.join(shared, n)).st_mtime_ns) for n in os.listdir(shared))
    # Where there is a compiler, it isn't started: its file is opened once, to see which compiler it is. On a
    # busy machine a start may want code that others didn't need.
    def openings(caches, *names):
        watches = [watch_opening(os.path.join(two, name)) for name in names]
        end(start(two, caches, WEFT_TIER="2"))
        return [count_openings(watch) for watch in watches]

    filled = f"{local}:{shared}"
    opened = min(openings(filled, "../lib/weft/weftc") for _ in range(STARTS))
    compiling = openings(os.path.join(top, "empty"), "../lib/weft/weftc")
    assert opened == [1] < compiling, (opened, compiling)
    # As many of the installation's files as the model of a cluster says, whose server is asked for each.
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/cluster-model"), encoding="utf-8") as f:
        modelled = int(re.search(r'"library_operations": \((\d+)', f.read())[1])
    opened = min((openings(filled, ".", "../lib", "../lib/weft") for _ in range(STARTS)), key=sum)
    print("openings in the folders of the installation:", opened)
    assert sum(opened) == modelled, (opened, modelled)
    # The shared folder is asked for what is missing, and the next start asks for little or nothing. Programs
    # that end early leave no verdicts of autotuning: that there are none is noted in the first folder.
    for k in range(STARTS):
        asked, another = [], os.path.join(top, f"another{k}")
        for _ in range(2):
            watch = watch_opening(shared)
            end(start(two, f"{another}:{shared}", WEFT_TIER="2"))
            asked.append(count_openings(watch))
        noted = [n for n in os.listdir(another) if n[0] == "v" and not any(open(os.path.join(another, n), "rb").read()[-3:])]
        print("openings in the shared folder:", asked, "verdicts that there aren't:", len(noted))
        if asked[1] == 0 or noted and asked[1] < asked[0] / 2:
            break
    else:
        raise AssertionError("each second start asks")
    copied = [n for n in os.listdir(local) if n[0] in "pk"]
    assert len(copied) >= 2, copied
    # The copies say it, too. With nothing there, the program can't be built, and the log says why.
    end(start(bare, local))
    out = end(start(bare, os.path.join(top, "none")), good=False)
    print(out)
    assert "lib/weft/weftc can't be started" in out and "clBuildProgram failed with error -11" in out, out
