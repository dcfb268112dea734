"""Every C and C++ file has the layout of clang-format."""
import os
import shutil
import subprocess
import sys

top = sys.argv[1]
tool = shutil.which("clang-format-19")
if not tool:
    print("skip: clang-format-19 is not installed")
    sys.exit(77)
files = []
for folder in ("include", "lib", "icd", "tests", "examples"):
    for path, _, names in os.walk(os.path.join(top, folder)):
        files += [os.path.join(path, n) for n in names if n.endswith((".c", ".h", ".cpp"))]
if not files:
    sys.exit("no files found")
p = subprocess.run([tool, "--dry-run", "-Werror", "--ferror-limit=1", *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print("\n".join(l for l in p.stdout.splitlines() if "error:" in l))
sys.exit(p.returncode)
