"""facts.py SOURCE_ROOT: the list of what the compiler's stages tell each other (lib/compiler/ir/module_facts.h) says truly who writes
and who reads each fact: all files that name it are listed, and what is listed names it."""
import glob
import os
import re
import sys

top = os.path.join(sys.argv[1], "lib/compiler")
LIST = "ir/module_facts.h"
ROW = re.compile(r'FACT\((\w+), "([^"]+)", (\w+), \\\n\s*"([^"]+)", "([^"]+)", \\\n')


def code_of(path):
    with open(path, encoding="utf-8") as f:
        return re.sub(r"//[^\n]*", "", f.read())


with open(os.path.join(top, LIST), encoding="utf-8") as f:
    rows = ROW.findall(f.read())
users = {}
for path in glob.glob(os.path.join(top, "**/*.[ch]*"), recursive=True):
    name = os.path.relpath(path, top)
    if name == LIST:
        continue
    for fact in set(re.findall(r"\bWEFTC_(\w+)\b", code_of(path))):
        users.setdefault(fact, set()).add(name)

wrong = []
for fact, name, sort, writers, readers in rows:
    # "folder/file", "folder", and in brackets a file of the bridge, to which the name is handed.
    listed = [w for w in re.split(r"[,\s()]+", f"{writers}, {readers}") if w and not w.startswith("bridge/")]
    named = users.get(fact, set())
    for place in listed:
        if not any(n == place or n.startswith((place + ".", place + "/")) for n in named):
            wrong.append(f"{LIST}: {fact}: {place} is listed, and no file of it names WEFTC_{fact}")
    for n in sorted(named):
        if not any(n == place or n.startswith((place + ".", place + "/")) for place in listed):
            wrong.append(f"{LIST}: {fact}: {n} names WEFTC_{fact}, and isn't listed")
print("\n".join(wrong) if wrong else f"{len(rows)} facts are listed as they are used")
sys.exit(1 if wrong or len(rows) < 40 else 0)
