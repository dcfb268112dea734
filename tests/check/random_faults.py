#!/usr/bin/env python3
"""Faults in random kernels (tests/differential/generate.py): each planted one is found, and nothing else is.

usage: random_faults.py BUILD [--count N] [--seed S] [--seconds T] [--cpu NAME] [--tier T]

Every second kernel gets a fault, in a line of its own with a mark; once of the kinds that look at a work-item, and once a
race, which is looked for alone. At the end: how many of them were found, and how many findings there were at other lines.
Shifts and conversions of random kernels may be wrong, so arith is left out."""
import argparse
import json
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../differential"))
import engine  # noqa: E402
import generate  # noqa: E402

BATCH = 20
KINDS = "bounds,align,uninit"
# The work-items of a group, and the groups, write different numbers.
RACES = [
    ("race", "out[0] = (uint)get_global_id(0) + 7u;"),
    ("race", "out[get_global_id(0) / 2u] = (uint)get_global_id(0) * 3u + 1u;"),
    ("race", "out[1] += (uint)get_global_id(0) + 1u;"),
    ("race", "u0 ^= out[0]; out[get_global_id(0)] = (uint)get_global_id(0) + 9u;"),
    ("race", "atomic_inc((volatile global uint *)&out[2]); out[2] = (uint)get_global_id(0);"),
]
# What a kind's fault looks like in code that has the variables of a random kernel.
FAULTS = [
    ("bounds", "p0[(u0 & 7u) | 8u] ^= 1u;"),
    ("bounds", "u0 ^= p1[16u + (u1 & 3u)];"),
    ("bounds", "u1 ^= table[8u + (u2 & 1u)];"),
    ("bounds", "out[4 * n + (int)(u0 & 7u)] = u1;"),
    ("bounds", "u2 ^= in[-1 - (int)(u3 & 1u)];"),
    ("bounds", "p3[3u + (u1 & 1u)].b = f0;"),
    ("align", "u0 ^= *(global const uint *)((global const uchar *)in + 1 + (u1 & 2u));"),
    ("align", "h0 ^= *(global const ushort *)((global const uchar *)in + 3);"),
    ("uninit", "{ uint w; if (w & 1u) u0 ^= 3u; }"),
    ("uninit", "{ uint w[4]; w[u0 & 1u] = 1u; if (w[2u + (u1 & 1u)] > 7u) u2 += 1u; }"),
    ("uninit", "{ struct item w; w.a = u0; if (w.b > 1.0f) u1 += 1u; }"),
    ("uninit", "{ float w; if (u0 * 0u) w = f0; u0 ^= table[(uint)(int)fmin(w, 1.0f) & 7u]; }"),
]


def plant(kernel, kind_and_line):
    """Puts the line where it runs for certain: at the beginning of the kernel or, if nothing jumps, anywhere in it."""
    kind, line = kind_and_line
    mark = f"/* planted in {kernel.name} */"
    jumps = "goto" in kernel.render() or "return" in "".join(n.render(0) for n in kernel.body)
    at = 0 if jumps or kernel.barriers else random.Random(kernel.seed).randrange(len(kernel.body) + 1)
    kernel.body.insert(at, generate.Node(f"{line} {mark}"))
    return kind, mark


class Tally:
    def __init__(self):
        self.planted, self.found, self.others = 0, 0, 0

    def look(self, runner, kernels, faults, kinds, args):
        """Plants in every second kernel, and runs all of them."""
        marks = {k.name: plant(k, faults[k.seed // 2 % len(faults)]) for k in kernels[::2]}
        report = runner.path(".json")
        os.environ.update(WEFT_CHECK=kinds, WEFT_CHECK_REPORT=report)
        program = runner.write(generate.program(kernels))
        runner.weft(program, 0, args.cpu, tier=args.tier, timeout=600)
        with open(report) as f:
            findings = [json.loads(line) for line in f]
        seen = set()
        for f in findings:
            kind, mark = marks.get(f["kernel"], ("", "no mark"))
            if f["kind"] == kind and any(mark in p["source"] for p in (f, f.get("other", f))):
                seen.add(f["kernel"])
            else:
                print(f"false alarm: {f['kind']}: kernel {f['kernel']}: {f['message']}\n    line {f['line']}: {f['source']}", flush=True)
                self.others += 1
        for name, (kind, mark) in marks.items():
            if name not in seen:
                print(f"not found: {kind} in {name}: {next(t for t in open(program) if mark in t).strip()}", flush=True)
        self.planted += len(marks)
        self.found += len(seen)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("build")
    ap.add_argument("--count", type=int, default=100)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--seconds", type=float, default=1e9, help="start no new batch after this")
    ap.add_argument("--cpu", default=None)
    ap.add_argument("--tier", type=int, default=2)
    args = ap.parse_args()
    runner = engine.Engine(os.path.abspath(args.build), 1)
    os.environ.update(WEFT_CONF="none")
    begin, done, tally = time.monotonic(), 0, Tally()
    while done < args.count and (not done or time.monotonic() - begin < args.seconds):
        seeds = range(args.seed + done, args.seed + min(done + BATCH, args.count))
        for faults, kinds in (FAULTS, KINDS), (RACES, "race"):
            tally.look(runner, [generate.kernel(f"r{s}", s) for s in seeds], faults, kinds, args)
        done += len(seeds)
    print(f"{done} kernels, {tally.planted} planted, {tally.found} found, {tally.others} false alarms, {time.monotonic() - begin:.0f} s")
    sys.exit(tally.found < tally.planted or tally.others > 0)


main()
