"""Many processes that start at once and share an empty cache: one of them compiles, none fails, and nothing but entries stays. So it
is with a second folder that has nothing.

many_starts.py PROGRAM [ARGUMENT...]     PROGRAM: an OpenCL program that ends with 0 if its result is right

200 processes; with WEFT_TEST_LONG 1,000.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

program = sys.argv[1:]
COUNT = 1000 if os.environ.get("WEFT_TEST_LONG") else 200


def start_all(folder, cache):
    """Returns how many failed, and how often a front end and a compile of a kernel have succeeded."""
    traces = os.path.join(folder, "traces")
    os.mkdir(traces)
    env = dict(os.environ, WEFT_CACHE_DIR=cache, WEFT_TIER="2", WEFT_TRACE=os.path.join(traces, "%p.json"))
    gate, opener = os.pipe()  # all wait until it is closed
    processes = [subprocess.Popen(["sh", "-c", 'read -r _; exec "$@" </dev/null', "sh", *program], env=env, stdin=gate,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, cwd=folder) for _ in range(COUNT)]
    os.close(gate)
    os.close(opener)
    since = time.monotonic()
    failed = sum(p.wait() != 0 for p in processes)
    seconds = time.monotonic() - since
    done = {"front end": 0, "compile": 0}
    for name in os.listdir(traces):
        with open(os.path.join(traces, name), encoding="utf-8") as f:
            for event in json.load(f)["traceEvents"]:
                if event.get("name") in done and event.get("args", {}).get("status") == 0:
                    done[event["name"]] += 1
    assert len(os.listdir(traces)) == COUNT, len(os.listdir(traces))
    print(f"{COUNT} processes, {cache}: {failed} failed, {done}, {seconds:.1f} s", flush=True)
    return failed, done["front end"], done["compile"]


_, most = resource.getrlimit(resource.RLIMIT_NPROC)
if most != resource.RLIM_INFINITY and most < 4 * COUNT:
    print(f"skip: this user may have {most} threads")
    sys.exit(77)
for second in (False, True):
    with tempfile.TemporaryDirectory(prefix="weft-many-") as top:
        first, other = os.path.join(top, "first"), os.path.join(top, "other")
        os.mkdir(other)
        failed, front_ends, compiles = start_all(top, f"{first}:{other}" if second else first)
        names = os.listdir(first)
        kernels = sum(name.startswith("k") for name in names)
        left = [name for name in names if name.startswith("tmp") and not name.startswith("tmp.none.")]
        assert failed == 0 and front_ends == 1 and compiles == kernels > 0 and not left, (failed, front_ends, compiles, names)
