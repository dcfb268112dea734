"""sizes.py SOURCE_ROOT: a file of lib and icd has at most 800 lines, and above 500 its head says why ("500 lines" is in it); a folder
has at most 27 files. lib/kernel-builtins/math, which has a file for each function, may have more."""
import os
import re
import sys

MAX_LINES, MAX_LINES_WITHOUT_REASON, MAX_FILES = 800, 500, 27
MANY_FILES = {"lib/kernel-builtins/math"}

top = sys.argv[1]
wrong, seen = [], 0
for start in ("lib", "icd"):
    for folder, _, names in os.walk(os.path.join(top, start)):
        relative = os.path.relpath(folder, top)
        if len(names) > MAX_FILES and relative not in MANY_FILES:
            wrong.append(f"{relative}: {len(names)} files; at most {MAX_FILES}")
        for name in sorted(names):
            if not name.endswith((".c", ".h", ".cpp")):
                continue
            seen += 1
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                lines = f.read().split("\n")
            if lines[0].startswith("// Made by "):  # a script's output
                continue
            head = "\n".join(line for line in lines[:40] if line.startswith("//"))
            if len(lines) - 1 > MAX_LINES:
                wrong.append(f"{relative}/{name}: {len(lines) - 1} lines; at most {MAX_LINES}")
            elif len(lines) - 1 > MAX_LINES_WITHOUT_REASON and not re.search(r"\b500\s+(//\s*)?lines", head):
                wrong.append(f"{relative}/{name}: {len(lines) - 1} lines, and its head doesn't say why there are more than {MAX_LINES_WITHOUT_REASON}")
print("\n".join(wrong) if wrong else f"{seen} files have a fit size")
sys.exit(1 if wrong or not seen else 0)
