"""Weft and its tests compile with OpenCL headers other than the installed ones, and mean the same with all of them.

headers.py SOURCE_DIR BUILD_DIR FOLDERS     (FOLDERS: separated by colons, each holds CL/; so does the variable
                                             WEFT_TEST_HEADERS in the environment)

Two sets are made from the installed headers, so that the test works on any machine:

  newer   what headers from 2023.12 on did: cl_icd.h has types named clXxx_t and none named cl_api_clXxx, provisional
          extensions are hidden behind CL_ENABLE_BETA_EXTENSIONS, some names of OpenCL 1.2 are gone
  older   nothing is defined that include/weft/cl_ext_weft.h is there for. Examples don't include that: they need headers that
          have what they show

Each C file that the build compiles is checked with each set. Then every CL_... that the driver uses must have the same
value with each set: provisional extensions have changed theirs.
"""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

top, build = sys.argv[1:3]
folders = sys.argv[3] if len(sys.argv) > 3 else ""  # CMake drops an empty argument
folders = [f for f in f"{folders}:{os.environ.get('WEFT_TEST_HEADERS', '')}".split(":") if f]
DROPPED = ("CL_UNORM_INT24",)
FIRST_NAME = "CL/cl.h"


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def commands():
    """(file, folder, command) of each C file that may see OpenCL's headers, without what the command writes."""
    seen = set()
    for entry in json.loads(text_of(os.path.join(build, "compile_commands.json"))):
        path = os.path.relpath(entry["file"], top)
        if path in seen or not path.endswith(".c") or re.match(r"\.\.|build/|lib/(base|scheduler|compiler|kernel-builtins)/", path):
            continue
        seen.add(path)
        words = shlex.split(entry["command"])
        if os.path.basename(words[0]) == "ccache":
            words = words[1:]
        at = words.index("-o")
        del words[at:at + 2]
        words.remove("-c")
        yield path, entry["directory"], words


def installed(words):
    """The folder of the compiler's own OpenCL headers."""
    out = subprocess.run([words[0], "-E", "-x", "c", "-"], input="#include <CL/cl_icd.h>\n", text=True, stdout=subprocess.PIPE,
                         check=True).stdout
    return os.path.dirname(os.path.dirname(re.search(r'"([^"]*CL/cl_icd\.h)"', out)[1]))


def rewritten(source, folder, change):
    """A copy of a set, every file changed."""
    shutil.copytree(os.path.join(source, "CL"), os.path.join(folder, "CL"))
    for name in os.listdir(os.path.join(folder, "CL")):
        path = os.path.join(folder, "CL", name)
        text = text_of(path)
        with open(path, "w", encoding="utf-8") as f:
            f.write(change(text))
    return folder


def without(text, names):
    """The text without the definitions of names. (A definition of several lines has backslashes.)"""
    return re.sub(r"^[ \t]*#[ \t]*define[ \t]+(%s)\b(?:[^\n]*\\\n)*[^\n]*\n" % "|".join(names), "\n", text, flags=re.M)


def as_newer(text):
    text = re.sub(r"\(\s*CL_API_CALL\s*\*\s*cl_api_(\w+)\s*\)", r"(CL_API_CALL \1_t)", text)  # types of functions
    text = re.sub(r"typedef void \*cl_api_(\w+);", r"typedef void \1_t;", text)             # those of other systems
    text = re.sub(r"\bcl_api_(\w+)", r"\1_t *", text)                                       # uses
    if "CL_ENABLE_BETA_EXTENSIONS" not in text:
        text = re.sub(r"^(#define cl_khr_command_buffer(?:_mutable_dispatch)? 1\n.*?^#endif /\* CL_NO_PROTOTYPES \*/\n)",
                      r"#ifdef CL_ENABLE_BETA_EXTENSIONS\n\1#endif\n", text, flags=re.M | re.S)
    return without(text, DROPPED)


def check(job):
    (path, folder, words), include = job
    done = subprocess.run([words[0], "-fsyntax-only", "-Werror", "-isystem", include, *words[1:]], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return path, done.returncode, done.stdout


def used_names():
    """The names of OpenCL that the driver uses as numbers."""
    text = ""
    for part in ("lib/runtime", "icd", "include"):
        for folder, _, names in os.walk(os.path.join(top, part)):
            text += "".join(text_of(os.path.join(folder, n)) for n in names if n.endswith((".c", ".h", ".def")))
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"\bCL_[A-Z0-9_]+\b", text))


def values(compiler, include, names, folder):
    """{name: value} of those names that are numbers with this set."""
    head = ('#include "runtime/core/cl.h"\n#include <CL/cl_gl.h>\n#include <CL/cl_egl.h>\n#include <stdio.h>\n')
    flags = ["-D_GNU_SOURCE", "-std=c11", "-w", "-isystem", include, "-I", os.path.join(top, "include"), "-I", os.path.join(top, "lib")]
    out = subprocess.run([compiler, *flags, "-dM", "-E", "-x", "c", "-"], input=head, text=True, stdout=subprocess.PIPE, check=True).stdout
    numbers = [n for n, v in re.findall(r"^#define (CL_\w+) (.+)$", out, re.M) if n in names and re.search(r"\d", v) and '"' not in v]
    source, program = os.path.join(folder, "values.c"), os.path.join(folder, "values")
    with open(source, "w") as f:
        f.write(head + "int main(void)\n{\n" + "".join(f'    printf("{n} %llx\\n", (unsigned long long)({n}));\n' for n in numbers) + "}\n")
    subprocess.run([compiler, *flags, source, "-o", program], check=True)
    lines = subprocess.run([program], text=True, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    return dict(line.split() for line in lines)


def main():
    jobs = list(commands())
    compiler = jobs[0][2][0]
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="weft-headers-") as scratch:
        own = installed(jobs[0][2])
        ours = re.findall(r"^#define (CL_\w+) ", text_of(os.path.join(top, "include/weft/cl_ext_weft.h")), re.M)
        sets = {"newer": rewritten(own, os.path.join(scratch, "newer"), as_newer),
                "older": rewritten(own, os.path.join(scratch, "older"), lambda t: without(t, ours))}
        for folder in folders:
            if not os.path.exists(os.path.join(folder, FIRST_NAME)):
                sys.exit(f"{folder} has no {FIRST_NAME}")
            sets[folder] = os.path.abspath(folder)
        assert "cl_api_" not in text_of(os.path.join(sets["newer"], "CL/cl_icd.h"))
        names = used_names()
        known = values(compiler, own, names, scratch)
        assert len(known) > 300, f"only {len(known)} numbers are compared"
        for name, include in sets.items():
            failed = []
            with concurrent.futures.ThreadPoolExecutor(min(os.cpu_count(), 8)) as pool:
                tried = [job for job in jobs if name != "older" or not job[0].startswith("examples/")]
                for path, code, out in pool.map(check, [(job, include) for job in tried]):
                    if code:
                        failed.append(path)
                        if len(failed) <= 3:
                            print(out)
            print(f"{name}: {len(tried)} files, {len(failed)} fail {' '.join(failed)}")
            wrong += len(failed)
            if failed:
                continue
            for n, value in sorted(values(compiler, include, names, scratch).items()):
                if known.setdefault(n, value) != value:
                    print(f"{name}: {n} is 0x{value}, and 0x{known[n]} with the installed headers")
                    wrong += 1
    if not folders:
        print("WEFT_TEST_HEADERS names no other headers: only the installed ones and variants of them were tried")
    sys.exit(1 if wrong else 0)


main()
