"""What `weft prof` concludes from what the driver has written: rates, and what limits a kernel.

The profiles are written by hand, so that each number is known (lib/base/trace/profile_file.c has the format).

prof_judge.py WEFT BUILD_DIR
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

weft, build = sys.argv[1:]
vendors = os.path.join(build, "vendors")
LIMITS = "20 400 200\n"  # GB/s, GFLOP/s of floats, of doubles
COPY = 'cat "$0" >"$(dirname "$WEFT_PROFILE")/1"'


def prof(*arguments):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WEFT_", "OCL_", "OPENCL_"))}
    env.update(WEFT_CACHE_DIR=os.path.join(top, "cache"), OCL_ICD_VENDORS=vendors, OPENCL_VENDOR_PATH=vendors, WEFT_CONF="none")
    return subprocess.run([weft, "prof", *arguments], env=env, capture_output=True, text=True, timeout=120)


def limits():
    """The files with what this machine can do; there is one after the first run."""
    return glob.glob(os.path.join(top, "cache", "limits*"))


def judge(**kernels):
    """Each kernel: launches, ns, work-items, and bytes, operations, operations on doubles of a work-item; then, if they differ, ns and
    work-items of the launches in the best code. Returns what is said of each."""
    path = os.path.join(top, "profile")
    with open(path, "w", encoding="ascii") as f:
        f.write("weft-profile\t5\nprocess\t1\t1000000000\n")
        for name, (launches, ns, items, each, *steady) in kernels.items():
            f.write("\t".join(map(str, ["kernel", name, launches, 0, ns, 1, ns, 0, items, 0, *(steady or (ns, items))])) + "\n")
            if each:
                f.write("\t".join(map(str, ["counted", name, 100, *(100 * n for n in each), 1, 100])) + "\n")
    p = prof("--json", "-o", os.path.join(top, "out"), "--", "sh", "-c", COPY, path)
    assert p.returncode == 0, p
    with open(os.path.join(top, "out"), encoding="ascii") as f:
        found = json.load(f)
    assert found["limits"] == {"gb_per_s": 20, "gflop_per_s": 400, "double_gflop_per_s": 200}, found["limits"]
    return {k["name"]: k for k in found["kernels"]}


with tempfile.TemporaryDirectory() as top:
    assert prof("--", "true").returncode == 1
    (kept,) = limits()
    with open(kept, "w", encoding="ascii") as f:
        f.write(LIMITS)

    MS = 1000000
    found = judge(
        stream=(10, 6 * MS, 10 * MS, (12, 2, 0)),
        warming_up=(10, 50 * MS, 10 * MS, (12, 2, 0), 3 * MS, 5 * MS),
        cached=(10, 6 * MS, 10 * MS, (24, 2, 0)),
        floats=(10, 10 * MS, 10 * MS, (4, 300, 0)),
        doubles=(10, 10 * MS, 10 * MS, (8, 150, 150)),
        both=(10, 10 * MS, 10 * MS, (8, 160, 60)),
        neither=(10, 10 * MS, 10 * MS, (4, 90, 90)),
        tiny=(1000, 5 * MS, 1000, (4, 1, 0)),
        mixed_sizes=(80, 1000 * MS, 1000 * MS, (4, 1, 0)),
        unknown=(10, 10 * MS, 10 * MS, None))
    bounds = {name: k["bound"] for name, k in found.items()}
    assert bounds == {"stream": "memory", "warming_up": "memory", "cached": "caches", "floats": "compute", "doubles": "compute",
                      "both": "compute", "neither": "latency", "tiny": "launches", "mixed_sizes": "latency", "unknown": "?"}, bounds
    rates = {name: (k.get("gb_per_s"), k.get("gflop_per_s")) for name, k in found.items()}
    assert rates["stream"] == (20, 3.33333) and rates["warming_up"] == (20, 3.33333) and rates["floats"] == (4, 300), rates
    assert rates["doubles"] == (8, 150) and rates["mixed_sizes"] == (4, 1) and rates["unknown"] == (None, None), rates
    assert "a launch takes 5.0 us" in found["tiny"]["advice"] and "memory" in found["stream"]["advice"], found
    assert "fewer operations" in found["doubles"]["advice"], found["doubles"]

    # A kernel that is faster than what was measured says so; --measure measures again.
    with open(os.path.join(top, "profile"), "w", encoding="ascii") as f:
        f.write(f"weft-profile\t5\nkernel\tfast\t10\t0\t{MS}\t1\t{MS}\t0\t{10 * MS}\t0\t{MS}\t{10 * MS}\n"
                "counted\tfast\t1\t4\t50\t0\t1\t1\n")
    p = prof("--", "sh", "-c", COPY, os.path.join(top, "profile"))
    assert p.returncode == 0 and "fast reached more" in p.stdout and "--measure" in p.stdout, p
    assert "20.0 GB/s from memory, and 400 GFLOP/s of floats or 200 of doubles" in p.stdout, p.stdout
    assert prof("--measure", "--", "true").returncode == 1 and limits() == [kept]
    with open(kept, encoding="ascii") as f:
        numbers = f.read()
        assert numbers != LIMITS and len(numbers.split()) == 3 and all(float(n) > 0 for n in numbers.split()), numbers

    # A name is written as a whole.
    with open(os.path.join(top, "profile"), "w", encoding="ascii") as f:
        f.write("weft-profile\t5\n" + "".join(f"kernel\t{'elementwise_kernel_of_a_library_' + t}\t1\t0\t9\t9\t9\t0\t1\t0\t0\t0\n" for t in ("a", "b")))
    p = prof("--", "sh", "-c", COPY, os.path.join(top, "profile"))
    assert "elementwise_kernel_of_a_library_a " in p.stdout and "elementwise_kernel_of_a_library_b " in p.stdout, p.stdout
