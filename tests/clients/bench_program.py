"""The short form of one program that `scripts/bench --opencv` and `--clients` measure: a few of its cases run, and their results
are right. bench_program.py NAME VENDORS_DIR"""
import os
import sys
from common import expect, skip

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests/bench"))
from programs import needs, run  # noqa: E402

name, vendors = sys.argv[1:]
program = needs.load(name)
venv = os.environ.get("WEFT_BENCH_VENV", os.path.join(TOP, "build/bench-venv"))
why = needs.missing(program, venv)
if why:
    skip(why)
command = run.command(name, needs.python_for(program, venv), 3, short=True)
cases, wrong, trouble = run.run(command, run.Side("weft", vendors, "", {"WEFT_CONF": "none"}), patience=500)
if not cases and trouble and not trouble.startswith(("exit", "ended", "not done")):
    skip(trouble)
expect(not trouble, str(trouble), f"{cases}")
expect(cases, "no case ran")
for case, fields in cases.items():
    expect("failed" not in fields, f"{case}: {fields.get('failed')}")
    first = fields["elapsed"]["first"]
    expect(first > 0, f"{case}: the first call took no time")
    print(f"{case}: first call {first:.1f} {fields['unit']}")
expect(not wrong, f"wrong results: {wrong}")
