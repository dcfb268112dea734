"""Checks what the documentation says about the tree:

  * README.md has at most 120 lines; lines of prose have at most 120 characters
  * every relative link leads to an existing file and heading, and stands in one line
  * every path in backticks exists, and so does every test named <component>.<file>
  * every identifier of Weft in backticks (weft_..., WEFT_...) is in the sources
  * "`name` in `file`" is true: the file has the name
  * a table has one row a line: no row has got into the text of a paragraph or of another row
  * docs/adr/README.md lists every decision
  * docs/environment.md is what scripts/environment-doc makes from lib/base/config.def, and no page names another variable
  * docs/features.md names every extension of include/weft/features.def and no other
"""
import os
import re
import subprocess
import sys

top = sys.argv[1]
wrong = []

# A path may be given from the top, or from the folder of its component.
BASES = ["", "lib", "lib/compiler", "lib/runtime", "lib/kernel-builtins", "lib/runtime/api", "include"]
PATH = re.compile(r"(?:[\w.-]+/)+[\w.*-]*|[\w-]+\.(?:def|cl|c|cpp)")
OURS = re.compile(r"(?:lib|tests|include|icd|scripts|docs|examples|base|scheduler|compiler|runtime|kernel-builtins|driver|frontend|spirv|link|prepare|"
                  r"regions|shapes|vectorize|workitem_loops|codegen|ir|arch|bridge|pack|core|command|memory|program|launch|command_buffer|check|info|api)/")
# `name` in `file`, also "`one` and `other` in `file`", and where the line ends in between.
NAME_IN_FILE = re.compile(r"((?:`[A-Za-z_]\w*`(?:, | and | or |\s+))*`[A-Za-z_]\w*`),?\s+in\s+`([\w./-]+\.\w+)`")
# The row below a table's head. Matches it also where it is only part of a line.
ROW_BELOW_HEAD = re.compile(r"\|(?:\s*:?-{2,}:?\s*\|)+")
# Examples of files and names that a reader creates, and installed files.
OTHER_PATHS = re.compile(r".*(?:[fF]oo|FOO)|lib/(weft/.+|libweft\.so)$")
# Variables of tests and tools. CMake's variables are written as -DWEFT_X.
OTHER_VARIABLES = {"WEFT_BENCH_PEERS", "WEFT_BENCH_VENV", "WEFT_PACKAGE_GLIBC", "WEFT_TEST_LONG",
                   "WEFT_TEST_SECONDS"}


def text_of(path):
    with open(os.path.join(top, path), encoding="utf-8") as f:
        return f.read()


def exists(path, page):
    """Whether the path exists, relative to the top, a component or the page. * matches anything."""
    path = path.rstrip("/")
    for base in [*BASES, os.path.dirname(page)]:
        whole = os.path.join(top, base, path)
        if "*" in path:
            folder, pattern = os.path.split(whole)
            names = os.listdir(folder) if os.path.isdir(folder) else []
            if any(re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), n) for n in names):
                return True
        elif os.path.exists(whole):
            return True
    return False


def anchors(path):
    """GitHub's anchors of a page's headings."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text_of(path), flags=re.M | re.S), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"))
    return found


def test_names():
    """component -> the names of its test files: the path below the component's folder, dots for slashes, without the ending."""
    found = {}
    tests = os.path.join(top, "tests")
    for component in os.listdir(tests):
        for folder, _, files in os.walk(os.path.join(tests, component)):
            names = [os.path.relpath(os.path.join(folder, f), os.path.join(tests, component)) for f in files]
            found.setdefault(component, set()).update(os.path.splitext(n)[0].replace("/", ".") for n in names)
    return found


pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tests/README.md", "tests/bench/README.md"]
for tree in ("docs", "examples"):
    for folder, _, names in sorted(os.walk(os.path.join(top, tree))):
        pages += [os.path.relpath(os.path.join(folder, n), top) for n in sorted(names) if n.endswith(".md")]

index = text_of("docs/adr/README.md")
wrong += [f"docs/adr/README.md: {name} isn't in the list" for name in sorted(os.listdir(os.path.join(top, "docs/adr")))
          if name != "README.md" and f"({name})" not in index]

variables = set(re.findall(r'^WEFT_CONFIG\(\w+, "(\w+)"', text_of("lib/base/config.def"), re.M))
tests = test_names()
identifiers = set()
files = []
for tree in ("icd", "include", "lib", "tests"):
    for folder, _, names in os.walk(os.path.join(top, tree)):
        files += [os.path.relpath(os.path.join(folder, name), top) for name in names]
        for name in names:
            if name.endswith((".c", ".h", ".cpp", ".def", ".cl", ".py", ".txt", ".in", ".cmake")) and name != "docs.py":
                identifiers.update(re.findall(r"\b(?:weftc?|WEFTC?)_\w+", text_of(os.path.relpath(os.path.join(folder, name), top))))
identifiers.update(re.findall(r"\bWEFT_\w+", text_of("CMakeLists.txt")))
cmake = "".join(text_of(os.path.relpath(os.path.join(f, "CMakeLists.txt"), top))
                for f, _, names in os.walk(os.path.join(top, "tests")) if "CMakeLists.txt" in names)

if text_of("README.md").count("\n") > 120:
    wrong.append("README.md has more than 120 lines")
for page in pages:
    text = text_of(page)
    # Without fenced code, with the same lines.
    prose = re.sub(r"^```.*?^```", lambda f: "\n" * f[0].count("\n"), text, flags=re.M | re.S)
    for m in NAME_IN_FILE.finditer(prose):
        # Pages say in different ways below which folder their paths are.
        meant = [f for f in files if f"/{f}".endswith(f"/{m[2]}")]
        for name in re.findall(r"`(\w+)`", m[1]):
            if meant and not OTHER_PATHS.match(name) and not any(re.search(rf"\b{name}\b", text_of(f)) for f in meant):
                number = text.count("\n", 0, text.find(m[0])) + 1
                wrong.append(f"{page}:{number}: says that `{name}` is in {m[2]}, which doesn't have it")
    for m in re.finditer(r"\]\([^)\s]*\n", prose):
        number = prose.count("\n", 0, m.start()) + 1
        wrong.append(f"{page}:{number}: the end of the line cuts the address of a link")
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if not fenced and len(line) > 120 and not line.lstrip().startswith("|") and not line.startswith(("    ", "#")):
            wrong.append(f"{page}:{number}: {len(line)} characters in a line; the maximum is 120")
        if not fenced and ROW_BELOW_HEAD.search(line) and not ROW_BELOW_HEAD.fullmatch(line.strip()):
            wrong.append(f"{page}:{number}: rows of a table are in one line; each needs its own")
        for target in re.findall(r"\]\(([^)\s]+)\)", line) if not fenced else []:
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            other = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(os.path.join(top, other)):
                wrong.append(f"{page}:{number}: links to {target}, which doesn't exist")
            elif anchor and other.endswith(".md") and anchor not in anchors(other):
                wrong.append(f"{page}:{number}: links to {target}, but {other} has no such heading")
        for quoted in re.findall(r"`([^`]+)`", line):
            name = quoted.split(":")[0] if re.fullmatch(r"[\w/.-]+:\d+", quoted) else quoted
            if OURS.match(name) and PATH.fullmatch(name) and not OTHER_PATHS.match(name) and not exists(name, page):
                wrong.append(f"{page}:{number}: names {name}, which doesn't exist")
            if re.fullmatch(r"(?:weftc?|WEFTC?)_\w+", name) and not OTHER_PATHS.match(name) and name not in identifiers:
                wrong.append(f"{page}:{number}: names {name}, which doesn't exist")
            m = re.fullmatch(r"(\w+)\.([a-zA-Z_][\w.]*)", name)
            if m and m[1] in tests and m[2] not in tests[m[1]] and f"{m[1]}.{m[2]}" not in cmake and m[2] not in ("h", "c", "md", "def"):
                wrong.append(f"{page}:{number}: names the test {name}, which doesn't exist")
        for variable in re.findall(r"(?<![D\w])(WEFT_[A-Z_]+)(?==|`=)", line):
            if variable not in variables | OTHER_VARIABLES and not OTHER_PATHS.match(variable):
                wrong.append(f"{page}:{number}: names {variable}, which nothing reads")

environment = subprocess.run([sys.executable, os.path.join(top, "scripts/environment-doc"), "--check"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
if environment.returncode:
    wrong.append(environment.stdout.strip())

reported = set(re.findall(r"^WEFT_\w*EXTENSION\((cl_\w+),", text_of("include/weft/features.def"), re.M))
named = set(re.findall(r"^\| `(cl_\w+)`", text_of("docs/features.md"), re.M))
wrong += [f"docs/features.md does not name {e}" for e in sorted(reported - named)]
wrong += [f"docs/features.md names {e}, which is not reported" for e in sorted(named - reported)]

print("\n".join(wrong))
sys.exit(1 if wrong or len(pages) < 10 or not variables or not reported else 0)
