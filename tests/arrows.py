#!/usr/bin/env python3
"""Fails when an #include crosses a forbidden arrow of the house.

    icd -> runtime/api -> runtime/check -> runtime -> {compiler_client, scheduler} -> base;  include/weft is for all.

The rules, read from the text of every .c .h .cpp .def under icd, include and lib:
  * a room includes only itself, the rooms that its arrow reaches, and include/weft;
  * CL/*.h only in icd, lib/runtime and include/weft/cl_ext_weft.h;
  * hwloc only in lib/scheduler/topology.c; LLVM, Clang and lld headers only in lib/compiler;
  * icd/api.def, the list of entry points, is open to all;
  * C++ only as lib/compiler/bridge/*.cpp.

usage: arrows.py SOURCE_ROOT | arrows.py --self-test
"""
import os
import re
import shutil
import sys
import tempfile

# Room -> rooms it may include. A room always may include itself and the contracts.
MAY = {
    "contracts": set(),
    "base": set(),
    "scheduler": {"base"},
    "compiler": {"base"},
    "kernel-builtins": set(),
    "runtime": {"base"},  # the lower floors of the runtime never look up
    "runtime/check": {"base", "runtime"},
    "runtime/api": {"base", "runtime", "runtime/check"},
    "icd": {"base", "runtime", "runtime/api", "runtime/check"},
}
SUFFIXES = (".c", ".h", ".cpp", ".hpp", ".cc", ".def", ".in")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def room_of(path):
    """The room that a path relative to the root belongs to; None: outside the house."""
    for prefix, room in (("include/weft/", "contracts"), ("lib/runtime/api/", "runtime/api"),
                         ("lib/runtime/check/", "runtime/check"), ("icd/api.def", "runtime/api"), ("icd/", "icd")):
        if path.startswith(prefix):
            return room
    m = re.match(r"lib/([^/]+)/", path)
    return m.group(1) if m else None


def resolve(root, source, name):
    """The file of the house that an include names, relative to the root, or None for a foreign header."""
    candidates = [os.path.join(os.path.dirname(source), name), os.path.join("include", name), os.path.join("lib", name)]
    for c in candidates:
        c = os.path.normpath(c)
        if not c.startswith("..") and os.path.isfile(os.path.join(root, c)):
            return c
    return None


def check_include(root, source, quote, name):
    """A sentence on what is wrong with this include, or None."""
    room = room_of(source)
    target = resolve(root, source, name)
    if target is None or (quote == "<" and not name.startswith("weft/")):
        if name.startswith("CL/") and room not in ("icd", "runtime", "runtime/api", "runtime/check") \
                and source != "include/weft/cl_ext_weft.h":
            return "OpenCL headers belong to icd and runtime"
        if name.startswith("hwloc") and source != "lib/scheduler/topology.c":
            return "only lib/scheduler/topology.c may include hwloc"
        if re.match(r"(llvm|llvm-c|clang|clang-c|lld|polly|spirv-tools|LLVMSPIRVLib)/", name) and room != "compiler":
            return "LLVM belongs to lib/compiler"
        return None
    if target == "include/weft/cl_ext_weft.h" and room in ("base", "scheduler", "compiler"):
        return "it brings in CL/cl.h, which this room must not see"
    other = room_of(target)
    if other is None:
        return "%s is no room of the house" % target if target.startswith("tests/") else None
    if other == "contracts" or other == room or target == "icd/api.def":
        return None
    if room not in MAY:
        return "lib/%s is not in the plan (DESIGN section 3); name its arrows in tests/arrows.py" % room
    return None if other in MAY[room] else "no arrow leads from %s to %s" % (room, other)


def check_tree(root):
    problems, count = [], 0
    for top in ("icd", "include", "lib"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            for f in sorted(files):
                path = os.path.relpath(os.path.join(folder, f), root)
                if f.endswith((".cpp", ".cc", ".cxx", ".hpp")) and not re.match(r"lib/compiler/bridge/[^/]*\.cpp$", path):
                    problems.append("%s: C++ lives in lib/compiler/bridge only" % path)
                if not f.endswith(SUFFIXES):
                    continue
                count += 1
                with open(os.path.join(root, path), encoding="utf-8", errors="replace") as text:
                    content = text.read()
                for m in INCLUDE.finditer(content):
                    reason = check_include(root, path, m.group(1), m.group(2))
                    if reason:
                        line = content.count("\n", 0, m.start()) + 1
                        problems.append("%s:%d: #include %s: %s" % (path, line, m.group(2), reason))
    return count, problems


def self_test():
    """Builds a small house with one wall broken at a time and expects exactly that to be found."""
    good = {
        "include/weft/scheduler.h": "", "include/weft/cl_ext_weft.h": "#include <CL/cl.h>\n",
        "lib/base/base.h": '#include "weft/scheduler.h"\n', "lib/base/a.c": '#include "base.h"\n#include <stdio.h>\n',
        "lib/scheduler/pool.c": '#include "../base/base.h"\n', "lib/scheduler/topology.c": "#include <hwloc.h>\n",
        "lib/runtime/object.h": '#include <CL/cl.h>\n#include "../base/base.h"\n',
        "lib/runtime/check/enqueue.c": '#include "runtime/object.h"\n', "lib/runtime/api/queue.c": '#include "../check/check.h"\n',
        "lib/runtime/check/check.h": "", "lib/compiler/front.c": "#include <llvm-c/Core.h>\n",
        "lib/compiler/bridge/clang.cpp": '#include "clang/Frontend/X.h"\n', "icd/table.c": '#include "../lib/runtime/object.h"\n',
    }
    bad = [
        ("lib/base/a.c", "#include <CL/cl.h>"), ("lib/base/a.c", '#include "../scheduler/s.h"'),
        ("lib/base/a.c", '#include "weft/cl_ext_weft.h"'), ("lib/base/a.c", "#include <hwloc.h>"),
        ("lib/scheduler/pool.c", "# include <hwloc.h>"), ("lib/scheduler/pool.c", '#include "../runtime/object.h"'),
        ("lib/scheduler/pool.c", '#include "../compiler/c.h"'), ("lib/compiler/front.c", '#include "../scheduler/s.h"'),
        ("lib/compiler/front.c", "  #include <CL/cl.h>"), ("lib/runtime/command.c", '#include "runtime/api/api.h"'),
        ("lib/runtime/command.c", '#include "runtime/check/check.h"'), ("lib/runtime/command.c", "#include <llvm-c/Core.h>"),
        ("lib/runtime/check/enqueue.c", '#include "../api/api.h"'), ("lib/runtime/command.c", '#include "../../icd/icd.h"'),
        ("lib/runtime/x.cpp", ""), ("lib/attic/x.c", '#include "../base/base.h"'),
    ]
    headers = {"lib/scheduler/s.h": "", "lib/compiler/c.h": "", "lib/runtime/api/api.h": "", "icd/icd.h": ""}

    def build(files):
        root = tempfile.mkdtemp()
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                f.write(text)
        return root

    failures = 0
    for path, line in [(None, None)] + bad:
        files = dict(good, **headers)
        if path:
            files[path] = files.get(path, "") + line + "\n"
        root = build(files)
        _, problems = check_tree(root)
        shutil.rmtree(root)
        if len(problems) != (1 if path else 0):
            failures += 1
            print("self-test: %s in %s gave %s" % (line, path, problems))
    return failures


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        sys.exit(1 if self_test() else 0)
    count, problems = check_tree(sys.argv[1])
    print("\n".join(problems) if problems else "%d files keep to the arrows" % count)
    sys.exit(1 if problems or count == 0 else 0)


if __name__ == "__main__":
    main()
