#!/usr/bin/env python3
"""Write a row for each entry point of api.def: what it returns, what its first argument is, which argument takes the error.

usage: entry_points.py api.def OUT SOURCE...   (SOURCE: where the entry points are defined)"""
import re
import sys

# The first argument's type as the test calls it; another type is no handle.
KINDS = {"cl_platform_id": "PLATFORM", "cl_device_id": "DEVICE", "cl_context": "CONTEXT", "cl_command_queue": "QUEUE",
         "cl_mem": "MEM", "cl_program": "PROGRAM", "cl_kernel": "KERNEL", "cl_event": "EVENT", "cl_sampler": "SAMPLER",
         "struct _cl_command_buffer_khr *": "COMMAND_BUFFER", "struct _cl_semaphore_khr *": "SEMAPHORE",
         "struct _cl_mutable_command_khr *": "MUTABLE_COMMAND"}
ROW = re.compile(r"^WEFT_(SLOT|TAG|LATE_SLOT|EXTENSION_CALL|CALL_OF)\(([^)]*)\)", re.M)
FUNCTION = re.compile(r"^([a-zA-Z_][\w ]*?[ *\n]+)weft_(cl\w+)\(([^;{]*?)\)\s*\{", re.M)
# What unsupported.c makes from macros: the macro, what it returns, how many of its arguments stand before the
# parameters.
REFUSED = re.compile(r"^REFUSE_(CREATION|COMMAND|QUERY|ON)\((.*?)\)$", re.M | re.S)
BEFORE = {"CREATION": 3, "COMMAND": 2, "QUERY": 2, "ON": 4}


def refused(text):
    for macro, arguments in REFUSED.findall(text):
        words = [" ".join(a.split()) for a in re.split(r",(?![^()]*\))", arguments)]
        if not any(w.startswith("cl") for w in words):
            continue  # a definition in terms of another
        name = next(w for w in words if re.fullmatch(r"cl[A-Z]\w*", w))
        yield name, "cl_int" if macro != "CREATION" else words[0], words[BEFORE[macro]:]


def main():
    api, out, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
    text = "\n".join(open(s).read() for s in sources)
    known = {name: (returns, parameters) for name, returns, parameters in refused(text)}
    for returns, name, parameters in FUNCTION.findall(text):
        known[name] = (" ".join(returns.split()), [" ".join(p.split()) for p in parameters.split(",")])
    rows, missing = [], []
    for macro, arguments in ROW.findall(open(api).read()):
        words = [w.strip() for w in arguments.split(",")]
        name = words[-1]
        if "name" in words:
            continue  # the macro's own definition
        if name not in known:
            missing.append(name)
            continue
        returns, parameters = known[name]
        first = re.sub(r"\w+$", "", parameters[0]).strip()
        result = {"cl_int": "INT", "void": "NOTHING"}.get(returns, "POINTER")
        error = [i for i, p in enumerate(parameters) if p.startswith("cl_int *errcode_ret")]
        rows.append("ROW(%s, %s, %s, %d)" % (words[0] if macro == "LATE_SLOT" else name, result,
                                             KINDS.get(first, "OTHER"), error[0] if error else -1))
    if missing:
        sys.exit("no definition found of: " + " ".join(missing))
    with open(out, "w") as f:
        f.write("\n".join(rows) + "\n")


main()
