#!/usr/bin/env python3
"""growth.py WEFTC [--limit SECONDS] [--bar RATIO] [FAMILY[=N]]...: how compile time grows with the size of a kernel.

For each family of tests/compiler/families.py, program_families.py, domain_families.py and feature_families.py (and of
scaling.py, where named): processor time
of the compiler, less that of an empty kernel, for n, 2 n, 4 n, ... parts, until one takes longer than the limit. Each
doubling from 0.3 s on that takes more than RATIO times as long is marked, with the stages that grew most. growth.py
WEFTC --source FAMILY N prints a kernel.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import domain_families
import families
import feature_families
import program_families
import scaling

FLOOR = 0.3  # seconds: what takes less isn't compared


def stages(weftc, source):
    """Milliseconds of processor time of each stage."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.cl")
        with open(path, "w") as f:
            f.write(source)
        done = subprocess.run([weftc, "-cl-std=CL3.0", "--time-stages", "--emit=asm", "-k", "k", path], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=300)
    if done.returncode:
        raise ValueError(done.stderr[-500:])
    times = {}
    for line in done.stderr.splitlines():
        if line.startswith("weftc: time:"):
            words = line.split()
            times[words[2]] = times.get(words[2], 0) + float(words[3])
    return times


def measure(weftc, make, n, empty, old=None):
    """Seconds of each stage; the least of what was measured before and now."""
    times = {name: max(t - empty.get(name, 0), 0) / 1000 for name, t in stages(weftc, make(n)).items()}
    return {name: min(t, old.get(name, t)) for name, t in times.items()} if old else times


def growth(before, now):
    return max(sum(now.values()), FLOOR) / max(sum(before.values()), FLOOR)


def follow(weftc, name, make, n, empty, limit, bar):
    """Prints the row of one family. Returns whether all its doublings are below the bar."""
    row, good, before = [], True, None
    while before is None or sum(before.values()) < limit:
        try:
            now = measure(weftc, make, n, empty)
            # Processor time depends on what else runs.
            for again in range(3):
                if before and growth(before, now) > bar:
                    now = measure(weftc, make, n, empty, now)
                    before = measure(weftc, make, n // 2, empty, before)
        except (ValueError, subprocess.TimeoutExpired) as e:
            row.append(f"{n}: {str(e).strip().splitlines()[0]}")
            good = False
            break
        text = f"{n}: {sum(now.values()):.2f}"
        if before:
            ratio = growth(before, now)
            if ratio > bar:
                good = False
                grown = sorted(now, key=lambda s: before.get(s, 0) * 2 - now[s])[:2]
                text += f" ({ratio:.1f} times; " + ", ".join(f"{s} {before.get(s, 0):.2f} -> {now[s]:.2f}" for s in grown) + ")"
        row.append(text)
        before, n = now, 2 * n
        if len(row) == 8:
            break
    print(f"{'' if good else '* '}{name}: {'; '.join(row)}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weftc")
    parser.add_argument("--limit", type=float, default=2)
    parser.add_argument("--bar", type=float, default=scaling.MAX_RATIO)
    parser.add_argument("--source", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_intermixed_args()
    known = {name: (make, n) for name, (make, n, stage) in scaling.FAMILIES.items() if stage == "asm"}
    known.update(families.FAMILIES)
    known.update(program_families.FAMILIES)
    known.update(domain_families.FAMILIES)
    known.update(feature_families.FAMILIES)
    if args.source:
        print(known[args.names[0]][0](int(args.names[1])))
        return 0
    empty = stages(args.weftc, families.kernel(""))
    good = True
    for wanted in args.names or [*families.FAMILIES, *program_families.FAMILIES, *domain_families.FAMILIES, *feature_families.FAMILIES]:
        name, _, number = wanted.partition("=")
        make, n = known[name]
        good &= follow(args.weftc, name, make, int(number or n), empty, args.limit, args.bar)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
