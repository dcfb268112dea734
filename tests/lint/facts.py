"""facts.py SOURCE_ROOT: the list of what the compiler's stages tell each other (lib/compiler/ir/module_facts.h) says truly who writes
and who reads each fact: all files that name it are listed, and what is listed names it. What is listed as a writer sets it in a
statement that names it, and a number or attribute is set nowhere else. (A kind or named metadata may be set through a variable:
there, a writer's file has to set some metadata.) Nowhere else does a file of the compiler spell a fact's name; a file of bridge/
gets it as an argument, and a writer that is listed there sets metadata or attributes."""
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
SETS = {"NUMBER": r"weftc_module_number_set(_at)?\b", "ATTRIBUTE": r"weftc_fact_attribute_set\b|\bset_\w+\b"}
SETS_METADATA = re.compile(r"LLVM(Global)?SetMetadata|LLVMAddNamedMetadataOperand|weftc_bridge_\w+|\bset_\w+\(")
users, texts = {}, {}
for path in glob.glob(os.path.join(top, "**/*.[ch]*"), recursive=True):
    name = os.path.relpath(path, top)
    if name == LIST:
        continue
    texts[name] = code_of(path)
    for fact in set(re.findall(r"\bWEFTC_(\w+)\b", texts[name])):
        users.setdefault(fact, set()).add(name)

SETS_IN_BRIDGE = re.compile(r"->(setMetadata|addOperand|addAttributes?|addFnAttr|addParamAttrs?|setAttributes|addAttributeAtIndex)\(|"
                            r"\baddStringMetadataToLoop\(")


def sets(name, fact, sort):
    """Does the file set the fact, as far as its text shows?"""
    statements = [t for t in re.split(r"[;{}]", texts[name]) if re.search(rf"\bWEFTC_{fact}\b", t)]
    # A constant array of facts stands for each of them.
    for array in re.findall(rf"enum weftc_fact (\w+)\[\] = \{{[^}}]*\bWEFTC_{fact}\b[^}}]*\}}", texts[name]):
        statements += [t for t in re.split(r"[;{}]", texts[name]) if re.search(rf"\b{array}\[\w+\]", t)]
    if sort in SETS:
        return any(re.search(SETS[sort], t) for t in statements)
    return SETS_METADATA.search(texts[name]) is not None


def is_in(name, places):
    return any(name == place or name.startswith((place + ".", place + "/")) for place in places)


wrong = []
for fact, spelled, sort, writers, readers in rows:
    # "folder/file", "folder", and in brackets a file of the bridge, to which the name is handed.
    listed = [w for w in re.split(r"[,\s()]+", f"{writers}, {readers}") if w and not w.startswith("bridge/")]
    named = users.get(fact, set())
    for n in sorted(texts):
        if f'"{spelled}"' in texts[n]:
            wrong.append(f"{n}: spells \"{spelled}\", the name of WEFTC_{fact}: {LIST} has it; a file of bridge/ gets it as an argument")
    for place in re.findall(r"bridge/[\w./]+", f"{writers}, {readers}"):
        if place not in texts:
            wrong.append(f"{LIST}: {fact}: {place} is listed, and isn't there")
        elif place in writers and not SETS_IN_BRIDGE.search(texts[place]):
            wrong.append(f"{LIST}: {fact}: {place} is listed as a writer, and sets neither metadata nor attributes")
    for place in listed:
        if not any(n == place or n.startswith((place + ".", place + "/")) for n in named):
            wrong.append(f"{LIST}: {fact}: {place} is listed, and no file of it names WEFTC_{fact}")
    for n in sorted(named):
        if not any(n == place or n.startswith((place + ".", place + "/")) for place in listed):
            wrong.append(f"{LIST}: {fact}: {n} names WEFTC_{fact}, and isn't listed")
    writing = [w for w in re.split(r"[,\s()]+", writers) if w and not w.startswith("bridge/")]
    for place in writing:
        if "(bridge/" not in writers and not any(sets(n, fact, sort) for n in named if is_in(n, [place])):
            wrong.append(f"{LIST}: {fact}: {place} is listed as a writer, and doesn't set it")
    for n in sorted(named):
        if sort in SETS and sets(n, fact, sort) and not is_in(n, writing):
            wrong.append(f"{LIST}: {fact}: {n} sets it, and isn't listed as a writer")
print("\n".join(wrong) if wrong else f"{len(rows)} facts are listed as they are used")
sys.exit(1 if wrong or len(rows) < 40 else 0)
