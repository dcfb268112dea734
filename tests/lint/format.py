"""Every C and C++ file has the layout of clang-format, and no line of a comment is longer than MAX_COLUMNS.

Exempt are lines that a program reads (directives of tests/compiler/check, such as // CHECK: and // RUN:) and files that a
script made."""
import io
import os
import re
import shutil
import subprocess
import sys
import tokenize

MAX_COLUMNS = 110
FOLDERS = ("include", "lib", "icd", "tests")
DIRECTIVE = re.compile(r"\s*// [A-Z][A-Z0-9-]*:")


def comment_lines(name, text):
    """The numbers and texts of lines that are comments only."""
    lines = text.split("\n")
    if name.endswith(".py"):
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return [(t.start[0], t.line.rstrip("\n")) for t in tokens if t.type == tokenize.COMMENT and not t.line[:t.start[1]].strip()]
    if name == "CMakeLists.txt" or name.endswith(".cmake"):
        return [(n, line) for n, line in enumerate(lines, 1) if line.lstrip().startswith("#")]
    if name.endswith((".c", ".h", ".cpp", ".cl", ".def")) and not lines[0].startswith("// Made by "):
        return [(n, line) for n, line in enumerate(lines, 1) if line.lstrip().startswith("//") and not DIRECTIVE.match(line)]
    return []


def long_comments(top):
    wrong, seen = [], 0
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(top, folder)):
            for name in sorted(names):
                file = os.path.join(path, name)
                with open(file, encoding="utf-8", errors="replace") as f:
                    lines = comment_lines(name, f.read())
                seen += len(lines)
                wrong += [f"{os.path.relpath(file, top)}:{n}: a comment of {len(line)} columns; at most {MAX_COLUMNS}"
                          for n, line in lines if len(line) > MAX_COLUMNS]
    return wrong, seen


top = sys.argv[1]
wrong, seen = long_comments(top)
print("\n".join(wrong))
if not seen:
    sys.exit("no comments found")
tool = shutil.which("clang-format-19")
if not tool and not wrong:
    print("skip: clang-format-19 is not installed")
    sys.exit(77)
files = []
for folder in FOLDERS + ("examples",):
    for path, _, names in os.walk(os.path.join(top, folder)):
        files += [os.path.join(path, n) for n in names if n.endswith((".c", ".h", ".cpp"))]
if not files:
    sys.exit("no files found")
code = 0
if tool:
    p = subprocess.run([tool, "--dry-run", "-Werror", "--ferror-limit=1", *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print("\n".join(l for l in p.stdout.splitlines() if "error:" in l))
    code = p.returncode
sys.exit(code or (1 if wrong else 0))
