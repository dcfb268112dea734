"""What the README says to use after scripts/demo is built by it.

demo_target.py SOURCE_DIR BUILD_DIR
"""
import os
import re
import subprocess
import sys

source, build = sys.argv[1:]
with open(os.path.join(source, "README.md"), encoding="utf-8") as f:
    used = set(re.findall(r"build/release/(bin/\w+)", f.read()))
p = subprocess.run(["ninja", "-C", build, "-t", "query", "examples/CMakeFiles/demo"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
if p.returncode != 0:
    print(f"skip: ninja doesn't know the target: {p.stdout.strip()}")
    sys.exit(77)
made = set(p.stdout.split())
assert used, "README.md names no programs"
assert "lib/libweft.so" in made, sorted(made)[:20]
assert used <= made, f"scripts/demo doesn't build {sorted(used - made)}"
