"""`scripts/bench --opencv` and `--clients`: options, what is missing, tables."""
import json
import os
import sys

from . import ABSENT, CLIENTS, OPENCV, needs, table
from .run import Results, Side, command, run, run_all

HASWELL = {"WEFT_CPU": "haswell", "CL_CONFIG_CPU_TARGET_ARCH": "core-avx2"}


def add_options(ap, top):
    group = ap.add_argument_group("real programs (tests/bench/README.md)")
    group.add_argument("--opencv", action="store_true", help="functions of OpenCV's cv2.UMat instead of the benchmark's cases")
    group.add_argument("--clients", action="store_true", help="other programs; --program chooses")
    group.add_argument("--program", action="append", choices=CLIENTS, help="only this one of --clients; may be repeated")
    group.add_argument("--calls", type=int, default=25, help="calls of each case in one process (25)")
    group.add_argument("--venv", default=os.path.join(top, "build/bench-venv"),
                       help="Python environment with the programs from PyPI; made if it is missing (build/bench-venv)")
    group.add_argument("--no-install", action="store_true", help="install nothing from PyPI")
    group.add_argument("--over", choices=("best", "median"), default="best", help="of the rounds: the best figure, or the median")
    group.add_argument("--clock", choices=("elapsed", "processor"), default="elapsed",
                       help="time that passes, or processor time of the process: steadier on a busy machine, but without the time "
                       "of compilers in other processes")
    group.add_argument("--avx2", action="store_true", help="code for AVX2 on Weft and Intel's runtime, on any processor")
    group.add_argument("--vendor", help="the device's vendor that Weft reports: WEFT_DEVICE_VENDOR")
    group.add_argument("--markdown", action="store_true", help="tables in Markdown")
    group.add_argument("--save", metavar="FILE", help="write all figures to a file, as JSON, after each run")
    group.add_argument("--load", metavar="FILE", help="show the tables of such a file; measure nothing")


def sides_of(args, drivers, settings):
    """settings: [(side's name, variable, value)] from --set."""
    names = [name for name, _, _ in drivers]
    for name, _, _ in settings:
        if name not in names:
            sys.exit(f"scripts/bench: --set names {name}; the drivers are {', '.join(names)}")
    sides = []
    for name, vendors, libraries in drivers:
        more = dict(HASWELL) if args.avx2 else {}
        if args.vendor and name == names[0]:
            more["WEFT_DEVICE_VENDOR"] = args.vendor
        more.update({variable: value for side, variable, value in settings if side == name})
        libraries = ":".join(os.path.abspath(folder) for folder in libraries.split(":") if folder)
        sides.append(Side(name, os.path.abspath(vendors), libraries, more))
    return sides


def choose(args):
    """The programs to run, and {program: why it is missing}."""
    asked = [OPENCV] * args.opencv + (args.program or CLIENTS if args.clients or args.program else [])
    programs = {name: needs.load(name) for name in asked}
    if not args.no_install:
        needs.install(programs.values(), args.venv)
    absent = {name: needs.missing(p, args.venv) for name, p in programs.items()}
    return [n for n in asked if not absent[n]], {n: why for n, why in absent.items() if why}


def measure(args, drivers, settings):
    sides = sides_of(args, drivers, settings)
    names, absent = choose(args)
    if not names and not (args.clients and not args.program):
        sys.exit("scripts/bench: nothing to measure:\n  " + "\n  ".join(f"{n}: {why}" for n, why in absent.items()))
    if args.clients and not args.program:
        absent.update(ABSENT)

    def keep(results):
        if args.save:
            save(args.save, results, absent)
    return run_all(names, sides, args.venv, args.rounds, args.calls, args.cases, keep), absent


def save(path, results, absent):
    with open(path, "w") as f:
        json.dump({"figures": results.figures, "wrong": results.wrong, "absent": absent,
                   "trouble": {s: sorted(t) for s, t in results.trouble.items()}}, f)


def load(path):
    with open(path) as f:
        saved = json.load(f)
    results = Results(saved["figures"])
    results.figures, results.wrong = saved["figures"], saved["wrong"]
    results.trouble = {s: set(t) for s, t in saved["trouble"].items()}
    return results, saved["absent"]


def faults(shown, results):
    """Sentences about wrong results, failed cases and runs; whether one concerns us."""
    lines, ours = [], False
    for side in shown.sides:
        bad = [f"{c}: wrong: {why}" for c, why in results.wrong[side].items()]
        bad += [f"{c}: {row[side]}" for c, row in shown.rows.items() if isinstance(row[side], str) and row[side].startswith("failed")]
        bad += sorted(results.trouble[side])
        lines += [f"{side}: {b}" for b in bad]
        ours = ours or (side == shown.ours and bool(bad))
    return lines, ours


def show(results, absent, over="best", clock="elapsed", markdown=False):
    """Prints the tables. Returns the exit status: 1 if a result of ours is wrong, or something of ours failed."""
    shown = table.Table(results, over, clock)
    layout = table.as_markdown if markdown else table.as_text
    if shown.rows:
        print(layout(table.heads(shown), table.case_rows(shown)))
    if shown.peers and shown.rows:
        print("\nGeometric means of the ratios, and how many are low:\n")
        print(layout(table.SUMMARY_HEADS, table.summary_rows(shown)))
        print("".join(f"\n{line}\n" for line in table.low_lines(shown)), end="")
    for name, why in absent.items():
        print(f"\nnot measured: {name}: {why}")
    lines, ours = faults(shown, results)
    if lines:
        print("\n" + "\n".join(lines))
    return int(ours)


def name_cases(args, side):
    """--list: as the programs name them. They need their modules and a device for it."""
    names, absent = choose(args)
    for name in names:
        cases, _, trouble = run(command(name, needs.python_for(needs.load(name), args.venv), 1, patterns=args.cases, listing=True), side)
        print("".join(f"{name}: {case}\n" for case in cases) + (f"{name}: {trouble}\n" if trouble else ""), end="")
    print("".join(f"{name}: {why}\n" for name, why in absent.items()), end="")
    return 0


def main(args, drivers, settings):
    args.venv = os.path.abspath(args.venv)
    if args.list:
        return name_cases(args, sides_of(args, drivers(), settings)[0])
    if args.load:
        results, absent = load(args.load)
    else:
        results, absent = measure(args, drivers(), settings)
        if os.getloadavg()[0] > 1.5 * os.cpu_count():
            print(f"The machine is busy (load {os.getloadavg()[0]:.1f}): these figures say little.")
    return show(results, absent, args.over, args.clock, args.markdown)
