"""Runs programs on sides, in turn, each run in a process of its own with empty caches.

A side is a driver with settings: (name, vendors folder, library path, {variable: value}).
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import namedtuple

from . import needs

Side = namedtuple("Side", "name vendors libraries settings")
BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATIENCE = 3600  # seconds for one run of a program
FIGURES = ("first", "early", "steady")


def environment(side, home):
    """The process finds this driver only, and no cache or settings of the user."""
    env = dict(os.environ, OCL_ICD_VENDORS=side.vendors, OPENCL_VENDOR_PATH=side.vendors, PYTHONPATH=BENCH, HOME=home,
               XDG_CACHE_HOME=home, XDG_DATA_HOME=home, XDG_CONFIG_HOME=home, WEFT_CACHE_DIR=os.path.join(home, "weft"),
               POCL_CACHE_DIR=os.path.join(home, "pocl"), OPENCV_OPENCL_CACHE_DIR=home, PYTHONDONTWRITEBYTECODE="1",
               MPLCONFIGDIR=home)
    if side.libraries:
        env["LD_LIBRARY_PATH"] = side.libraries
    env.update(side.settings)
    return env


def parse(lines):
    """{case: its figures, or {"failed": why}}, {case: why its result is wrong}."""
    cases, wrong = {}, {}
    for line in lines:
        try:
            fields = json.loads(line)
        except ValueError:
            continue  # programs print too
        if not isinstance(fields, dict) or "case" not in fields:
            continue
        name = fields.pop("case")
        if "wrong" in fields:
            wrong[name] = fields["wrong"]
        else:
            cases[name] = fields
    return cases, wrong


def run(command, side, patience=PATIENCE):
    """One run: (cases, wrong, trouble). trouble: why the process didn't end as it should, or None."""
    with tempfile.TemporaryDirectory(prefix="weft-bench-", ignore_cleanup_errors=True) as home:
        with open(os.path.join(home, "stderr"), "w+") as errors:
            p = subprocess.Popen(command, env=environment(side, home), cwd=home, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace", start_new_session=True)
            try:
                out, _ = p.communicate(timeout=patience)
                status = p.returncode
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                out, status = p.communicate()[0], f"not done after {patience} s"
            errors.seek(0)
            said = errors.read().strip().splitlines()
    cases, wrong = parse(out.splitlines())
    if status == 0:
        return cases, wrong, None
    if status == 77:
        return cases, wrong, next((l[6:] for l in out.splitlines() if l.startswith("skip: ")), "skipped")
    if isinstance(status, int):
        status = f"ended by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
    return cases, wrong, f"{status}: {said[-1]}" if said else status


def command(name, python, calls, short=False, check=True, patterns=(), listing=False):
    flags = ["--calls", str(calls)] + ["--short"] * short + ["--no-check"] * (not check) + ["--list"] * listing
    return [python, "-m", "programs", name, *flags, *patterns]


class Results:
    """figures[side][case]: a list with the figures of each round. wrong and trouble: sentences."""

    def __init__(self, sides):
        self.figures = {s: {} for s in sides}
        self.wrong = {s: {} for s in sides}
        self.trouble = {s: set() for s in sides}

    def add(self, side, program, cases, wrong, trouble):
        for case, fields in cases.items():
            self.figures[side].setdefault(f"{program}: {case}", []).append(fields)
        self.wrong[side].update({f"{program}: {case}": why for case, why in wrong.items()})
        if trouble:
            self.trouble[side].add(f"{program}: {trouble}")


def run_all(names, sides, venv, rounds, calls, patterns, keep=lambda results: None):
    """Runs all programs on all sides, round by round. Results are checked in the first round. keep is called after each run."""
    results = Results([s.name for s in sides])
    for name in names:
        python = needs.python_for(needs.load(name), venv)
        for turn in range(rounds):
            for side in sides:
                begin = time.monotonic()
                got = run(command(name, python, calls, check=turn == 0, patterns=patterns), side)
                results.add(side.name, name, *got)
                keep(results)
                print(f"{name} on {side.name}, round {turn + 1} of {rounds}: {len(got[0])} cases, "
                      f"{time.monotonic() - begin:.0f} s, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    return results
