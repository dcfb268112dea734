"""clang-tidy (checks: .clang-tidy) has nothing to say of the C files of libweft and weftc.

tidy.py SOURCE_DIR BUILD_DIR

Clang's analyzer is left out. It takes ten times as long as all other checks together; scripts/tidy runs it over what has
changed."""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

top, build = sys.argv[1:]
CHUNK = 20
WRONG = "int f(unsigned long n);\nint f(unsigned long n)\n{\n    char narrow = 0;\n    narrow += n;\n    return narrow;\n}\n"

tool = shutil.which("clang-tidy-19")
if not tool:
    print("skip: clang-tidy-19 is not installed")
    sys.exit(77)
common = [tool, "--quiet", "--checks=-clang-analyzer-*", "--warnings-as-errors=*", "--extra-arg=-Wno-unknown-warning-option"]


def tidy(files):
    p = subprocess.run([*common, "-p", build, *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return p.returncode, p.stdout


# A file with a fault, in a folder with the tree's configuration, is reported.
with tempfile.TemporaryDirectory(prefix="weft-tidy-") as scratch:
    shutil.copy(os.path.join(top, ".clang-tidy"), scratch)
    path = os.path.join(scratch, "wrong.c")
    with open(path, "w", encoding="utf-8") as f:
        f.write(WRONG)
    p = subprocess.run([*common, path, "--"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert p.returncode and "bugprone-narrowing-conversions" in p.stdout, f"clang-tidy doesn't see a fault:\n{p.stdout}"

with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
    names = {os.path.relpath(os.path.join(e["directory"], e["file"]), top) for e in json.load(f)}
files = sorted(os.path.join(top, n) for n in names if re.match(r"(lib|icd)/.*\.c$", n))
assert len(files) > 200, f"compile_commands.json has only {len(files)} C files of lib and icd"
wrong = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for code, said in pool.map(tidy, [files[i:i + CHUNK] for i in range(0, len(files), CHUNK)]):
        if code:
            wrong += 1
            print("\n".join(l for l in said.splitlines() if not re.match(r"\d+ warnings? |\[\d+/\d+\] |Suppressed |Use -", l)))
print(f"{len(files)} files")
sys.exit(wrong != 0)
