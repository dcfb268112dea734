"""python -m programs NAME [--calls N] [--short] [--no-check] [--list] [case-glob ...]: measures one program on the OpenCL platform
that the loader finds. measure.py describes the output. Exit status 77: it can't be measured here."""
import argparse
import importlib
import sys

from . import NAMES
from .measure import Cases, Skipped

ap = argparse.ArgumentParser(prog="programs", description=__doc__)
ap.add_argument("name", choices=NAMES)
ap.add_argument("--calls", type=int, default=25)
ap.add_argument("--short", action="store_true")
ap.add_argument("--no-check", dest="check", action="store_false")
ap.add_argument("--list", dest="listing", action="store_true", help="name the cases, and measure none")
ap.add_argument("patterns", nargs="*")
args = ap.parse_intermixed_args()
cases = Cases(args.calls, args.short, args.check, args.patterns, args.listing)
try:
    importlib.import_module(f"programs.{args.name}").measure(cases)
except Skipped as e:
    print(f"skip: {e}")
    sys.exit(77)
cases.finish()
