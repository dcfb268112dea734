"""debian/ fits this version, and its autopkgtests pass on this build. `scripts/package deb` makes the package itself.

debian.py SOURCE_DIR BUILD_DIR VERSION
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

top, build, version = sys.argv[1:]


def read(name):
    with open(os.path.join(top, "debian", name), encoding="utf-8") as f:
        return f.read()


assert re.match(rf"weft \({re.escape(version)}-\d+\) \w+; urgency=\w+\n", read("changelog")), "debian/changelog has another version"
control = read("control")
assert re.search(r"^Provides: .*\bopencl-icd\b", control, re.M)
third_party = [line.strip() for line in open(os.path.join(top, "cmake/THIRD-PARTY"), encoding="utf-8") if line.strip()]
copyright_lines = {line.strip() for line in read("copyright").split("\n")}
missing = [line for line in third_party if line not in copyright_lines]
assert not missing, f"debian/copyright lacks: {missing}"
with open(os.path.join(top, "LICENSE"), encoding="utf-8") as f:
    for line in f.read().split("\n")[4:]:
        assert line.strip() in copyright_lines or not line.strip(), line

# The tests that the package brings.
skipped = []
for test in re.findall(r"^Tests: (.*)$", read("tests/control"), re.M):
    tools = {"clinfo": ["clinfo"], "kernel": ["gcc"]}[test]
    if not all(shutil.which(tool) for tool in tools):
        skipped.append(test)
        continue
    vendors = os.path.join(build, "vendors")
    env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}
    with tempfile.TemporaryDirectory(prefix="weft-autopkgtest-") as scratch:
        env.update(OCL_ICD_VENDORS=vendors, OPENCL_VENDOR_PATH=vendors, WEFT_CACHE="0", WEFT_CONF="none", AUTOPKGTEST_TMP=scratch,
                   PATH=os.path.join(build, "bin") + ":" + os.environ["PATH"])
        p = subprocess.run(["sh", os.path.join(top, "debian/tests", test)], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    assert p.returncode == 0, f"{test}: {p.returncode}\n{p.stdout}"
if skipped:
    print("not run, for lack of tools: " + ", ".join(skipped))
