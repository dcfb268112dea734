"""random_kernels.py BUILD [--count N] [--seed S] [--seconds T] [--keep FOLDER] [--widths W,W...] [--cpu NAME] [--no-host]: random kernels
(generate.py) at several vector widths and in all code variants against WEFT_VF=1, and WEFT_VF=1 against the host's Clang, bit for bit. Batches take turns between
this machine and each target that it can run, or are for --cpu only. Without options: the few hundred kernels that every run of the tests sees. A kernel that differs is shrunk and written to FOLDER; put it into regressions/ together with the fix.
"""
import argparse
import os
import shutil
import sys
import time

import engine
import generate
import shrink

BATCH = 40
# For all launches of a batch, and for those of one kernel: longer is a kernel that doesn't end. exact-size
# makes code for each of some twenty sizes.
SECONDS, SECONDS_ALONE = 240, 60
PATIENCE = 10  # times as long in the long mode, which runs beside other things


def wrong_alone(runner, kernel, reference, candidate, seconds):
    """Returns what differs for one kernel in a program of its own, or None. If the reference doesn't build, nothing differs."""
    program = runner.write(generate.program([kernel]))
    try:
        want = reference(program, [kernel], seconds)
    except engine.Failure:
        return None
    try:
        got = candidate(program, [kernel], seconds)
    except engine.Failure as f:
        return str(f)
    return next((s for _, s in engine.differences(want, got)), None)


def steady(runner, kernel, reference, seconds):
    """Whether the reference gives the same results each time. Otherwise results that differ from it may be right."""
    program = runner.write(generate.program([kernel]))
    try:
        first = reference(program, [kernel], seconds)
        return all(not engine.differences(first, reference(program, [kernel], seconds)) for _ in range(3))
    except engine.Failure:
        return False


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("build")
    ap.add_argument("--count", type=int, default=200)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--seconds", type=float, default=1e9, help="start no new batch after this, but for one for each target")
    ap.add_argument("--keep", default=".")
    ap.add_argument("--widths", default="", help="instead of the default width and one other, in turn; the last one in another code variant too")
    ap.add_argument("--cpu", default=None)
    ap.add_argument("--no-host", action="store_true")
    ap.add_argument("--long", action="store_true")
    ap.add_argument("--jobs", type=int, default=2)
    args = ap.parse_args()
    os.makedirs(args.keep, exist_ok=True)
    patience = PATIENCE if args.long or engine.emulated(args.build) else 1
    runner = engine.Engine(args.build, args.jobs)
    host = not args.no_host and not engine.emulated(args.build) and shutil.which(os.environ.get("WEFT_HOST_CLANG", "clang-19")) is not None
    places = [args.cpu] if args.cpu else [None, *engine.targets(args.build)]
    begin, done, failures, left = time.monotonic(), 0, 0, 0

    def weft(cpu, width, variant=0, interleave=0, tier=2):
        return lambda program, kernels, timeout: runner.weft(program, width, cpu, timeout=timeout, tier=tier, variant=variant, interleave=interleave)

    def on_host(cpu):
        # An item at a time: without barriers. Not what calls functions that host_builtins.cl lacks.
        def run(program, kernels, timeout):
            names = [k.name if k.on_host and not k.barriers else None for k in kernels]
            return runner.host(program, runner.compile_host(program, names, cpu), timeout)
        return run

    def report(kernel, label, reference, candidate):
        """Runs the kernel in a program of its own; returns False if its results are right there."""
        nonlocal failures
        sentence = wrong_alone(runner, kernel, reference, candidate, SECONDS_ALONE * patience)
        if sentence is None:
            return False
        failures += 1
        note = "" if steady(runner, kernel, reference, SECONDS_ALONE * patience) else "; the reference differs from run to run"
        print(f"FAIL {kernel.name} (seed {kernel.seed}, {label}): {sentence}{note}", flush=True)
        if failures <= 3:
            shrink.shrink(kernel, lambda k: wrong_alone(runner, k, reference, candidate, SECONDS_ALONE * patience) is not None)
            path = os.path.join(args.keep, f"seed{kernel.seed}_{label.replace(' ', '_')}.cl")
            with open(path, "w") as f:
                f.write(f"// {label}: {wrong_alone(runner, kernel, reference, candidate, SECONDS_ALONE * patience)}\n" + generate.program([kernel]))
            print(f"shrunk to {path}", flush=True)
        return True

    def judge(kernels, label, reference, candidate, want, got):
        nonlocal failures
        suspects = []
        try:
            suspects = [kernels[k] for k, _ in engine.differences(want.result(), got.result())]
        except engine.Failure as f:
            # One of the kernels doesn't build, crashes or hangs.
            print(f"{label}: {f}", flush=True)
            suspects = kernels
        found = [k for k in suspects if report(k, label, reference, candidate)]
        if suspects and not found:
            failures += 1
            print(f"FAIL {label}: {', '.join(f'seed {k.seed}' for k in suspects[:5])} ...: only together with others", flush=True)

    batch = 0
    while done < args.count and (batch < len(places) or time.monotonic() - begin < args.seconds):
        seeds = range(args.seed + done, args.seed + min(done + BATCH, args.count))
        kernels = [generate.kernel(f"r{s}", s) for s in seeds]
        program = runner.write(generate.program(kernels))
        widths = [int(w) for w in args.widths.split(",") if w] or [0, engine.WIDTHS[batch % len(engine.WIDTHS)]]
        variant = 1 + batch % 6
        # Every twelve batches the targets begin with another one, so that each target gets all code variants
        # in the long mode.
        cpu = places[(batch + batch // 12) % len(places)]
        variants = [(w, 0, 0) for w in widths] + [(0 if variant == 6 else widths[-1], variant, 0), (0, batch % 2, 2 + batch // 2 % 2 * 2)]
        with_host, scalar = host, weft(cpu, 1)
        if args.long:
            turn = [*variants[len(widths) - 1:], (1, 0, 0), *[None] * host]
            chosen = turn[batch // len(engine.WIDTHS) % len(turn)]
            variants, with_host, scalar = [*variants[:len(widths) - 1], *filter(None, [chosen])], chosen is None, weft(cpu, 1, tier=1)
        want = runner.pool.submit(scalar, program, kernels, patience * SECONDS)
        suffix = f" WEFT_CPU={cpu}" if cpu else ""
        others = [(v, runner.pool.submit(weft(cpu, *v), program, kernels, patience * SECONDS)) for v in variants]
        if with_host:
            judge(kernels, "host" + suffix, on_host(cpu), scalar, runner.pool.submit(on_host(cpu), program, kernels, patience * SECONDS), want)
        for v, future in others:
            judge(kernels, f"WEFT_VF={v[0]} WEFT_VARIANT={engine.VARIANTS[v[1]]} WEFT_INTERLEAVE={v[2]}" + suffix, scalar, weft(cpu, *v), want, future)
        done += len(kernels)
        batch += 1
        if batch % 10 == 0:
            print(f"{done} kernels, {failures} failures, {time.monotonic() - begin:.0f} s", flush=True)
        os.unlink(program)
    print(f"{done} kernels, {failures} failures, {time.monotonic() - begin:.0f} s" + ("" if host else ", without the host's compiler"))
    sys.exit(1 if failures or not done else 0)


main()
