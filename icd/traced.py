#!/usr/bin/env python3
"""Makes the entry points that a process with a timeline has (WEFT_TRACE): each calls the plain one and records the call.

usage: traced.py api.def OUTPUT.c SOURCE.c...

api.def names the entry points, the sources define them. What is made has the prototypes of the definitions; the compiler
checks them against the table of the loader and against lib/runtime/api/api.h."""
import re
import sys

DEFINITION = re.compile(r"^(?!static\b)([A-Za-z_][\w ]*?[ *\n]+)weft_(cl\w+)\(", re.M)
# Those of lib/runtime/api/unsupported.c: how many arguments stand before the parameters, and which of them
# are the type and the name.
REFUSED = {"REFUSE_CREATION": (3, 0, 1), "REFUSE_COMMAND": (2, None, 0), "REFUSE_QUERY": (2, None, 0)}


def balanced(text, start):
    """The text between the bracket at start and its partner."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return text[start + 1:i], i + 1
    raise ValueError("no end")


def split(parameters):
    parts, depth, part = [], 0, ""
    for c in parameters:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return [p.strip() for p in parts + [part]]


def name_of(parameter):
    """pfn in void(CL_CALLBACK *pfn)(cl_event), local in size_t local[3], or the last word."""
    pointer = re.search(r"\(\s*(?:\w+\s+)?\*\s*(\w+)\s*\)\s*\(", parameter)
    return pointer.group(1) if pointer else re.search(r"(\w+)\s*(?:\[\w*\])?$", parameter).group(1)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        rows = re.findall(r"^WEFT_(SLOT|TAG|LATE_SLOT|EXTENSION_CALL|CALL_OF)\((.*)\)$", f.read(), re.M)
    names = []
    for kind, arguments in rows:
        words = [w.strip() for w in arguments.split(",")]
        if words[-1] not in names and words[-1] != "name":
            names.append(words[-1])
    found = {}
    for path in sys.argv[3:]:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for m in DEFINITION.finditer(text):
            parameters, end = balanced(text, m.end() - 1)
            if text[end:].lstrip().startswith("{"):
                found[m.group(2)] = (" ".join(m.group(1).split()), " ".join(parameters.split()))
        for m in re.finditer(r"^(REFUSE_\w+)\(", text, re.M):
            head, of_type, of_name = REFUSED[m.group(1)]
            words = split(" ".join(balanced(text, m.end() - 1)[0].split()))
            found[words[of_name]] = ("cl_int" if of_type is None else words[of_type], ", ".join(words[head:]))
    missing = [n for n in names if n not in found]
    if missing:
        sys.exit("traced.py: no definition of " + ", ".join(missing))
    out = ["// Made by icd/traced.py from icd/api.def and lib/runtime/api.", '#include "traced.h"', "", "// For types of parameters.",
           '#include "runtime/code/release_callback.h"', '#include "runtime/core/notify.h"', '#include "runtime/memory/svm.h"', "",
           "static weft_trace_text names[%d];" % len(names), ""]
    for i, n in enumerate(names):
        returns, parameters = found[n]
        arguments = "" if parameters == "void" else ", ".join(name_of(p) for p in split(parameters))
        out += ["%s weft_traced_%s(%s)" % (returns, n, parameters), "{", "    const uint64_t since = weft_trace_begin();"]
        if returns == "void":
            out += ["    weft_%s(%s);" % (n, arguments), "    weft_trace_end(WEFT_TRACE_CALL, since, names[%d], 0, 0, 0);" % i]
        elif "errcode_ret" in arguments.split(", "):
            # Callers needn't ask for the error.
            words = ["errcode_ret ? errcode_ret : &error" if w == "errcode_ret" else w for w in arguments.split(", ")]
            out += ["    cl_int error = CL_SUCCESS;", "    %s result = weft_%s(%s);" % (returns, n, ", ".join(words)),
                    "    weft_trace_end(WEFT_TRACE_CALL, since, names[%d], (uint64_t)(int64_t)(errcode_ret ? *errcode_ret : error), 0, 0);" % i,
                    "    return result;"]
        else:
            value = "(uint64_t)(int64_t)result" if returns == "cl_int" else "0"
            out += ["    %s result = weft_%s(%s);" % (returns, n, arguments),
                    "    weft_trace_end(WEFT_TRACE_CALL, since, names[%d], %s, 0, 0);" % (i, value), "    return result;"]
        out += ["}", ""]
    out += ["static const struct {", "    const char *name;", "    void *plain, *traced;", "} rows[] = {"]
    out += ['    {"%s", (void *)weft_%s, (void *)weft_traced_%s},' % (n, n, n) for n in names]
    out += ["};", "", "void *weft_traced_of(void *plain)", "{",
            "    for (size_t i = 0; weft_trace_is_on() && i < WEFT_COUNT_OF(rows); i++)",
            "        if (rows[i].plain == plain)", "            return rows[i].traced;", "    return plain;", "}", "",
            "void weft_traced_start(void)", "{", "    for (size_t i = 0; i < WEFT_COUNT_OF(rows); i++)",
            "        names[i] = weft_trace_name(rows[i].name);", "}"]
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


main()
