#!/usr/bin/env python3
"""Faults in random kernels (tests/differential/generate.py): each planted one is found, and nothing else is.

usage: random_faults.py BUILD [--count N] [--seed S] [--seconds T] [--cpu NAME] [--tier T]

Every second kernel gets a fault, in a line of its own with a mark. At the end: how many of them were found, and how many
findings there were at other lines. Shifts and conversions of random kernels may be wrong, and their exchanges depend on
nothing, so arith and race are left out."""
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
    os.environ.update(WEFT_CHECK=KINDS, WEFT_CONF="none")
    begin, done, planted, found, others = time.monotonic(), 0, 0, 0, 0
    while done < args.count and (not done or time.monotonic() - begin < args.seconds):
        kernels = [generate.kernel(f"r{s}", s) for s in range(args.seed + done, args.seed + min(done + BATCH, args.count))]
        marks = {}
        for k in kernels[::2]:
            marks[k.name] = plant(k, FAULTS[k.seed // 2 % len(FAULTS)])
        report = runner.path(".json")
        os.environ["WEFT_CHECK_REPORT"] = report
        program = runner.write(generate.program(kernels))
        runner.weft(program, 0, args.cpu, tier=args.tier, timeout=600)
        with open(report) as f:
            findings = [json.loads(line) for line in f]
        for f in findings:
            kind, mark = marks.get(f["kernel"], ("", "no mark"))
            if mark not in f["source"] or f["kind"] != kind:
                print(f"false alarm: {f['kind']}: kernel {f['kernel']}: {f['message']}\n    line {f['line']}: {f['source']}", flush=True)
                others += 1
        for name, (kind, mark) in marks.items():
            if any(f["kernel"] == name and f["kind"] == kind and mark in f["source"] for f in findings):
                found += 1
            else:
                print(f"not found: {kind} in {name}: {next(t for t in open(program) if mark in t).strip()}", flush=True)
        planted += len(marks)
        done += len(kernels)
    print(f"{done} kernels, {planted} planted, {found} found, {others} false alarms, {time.monotonic() - begin:.0f} s")
    sys.exit(found < planted or others > 0)


main()
