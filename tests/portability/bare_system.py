"""Where /sys or /proc isn't mounted: nothing is written to the application's stderr, and errors name the cause.

bare_system.py BUILD_DIR TEST_PROGRAM TEST_NAME     (a test that asks for caches, so that hwloc is used)
"""
import os
import shutil
import subprocess
import sys
import tempfile

build, program, test = sys.argv[1:]
unshare = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-rm"]


def without(folder, command):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WEFT_", "HWLOC_"))}
    env.update(OCL_ICD_VENDORS=os.path.join(build, "vendors"), OPENCL_VENDOR_PATH=os.path.join(build, "vendors"), WEFT_CACHE="0")
    return subprocess.run([*unshare, "sh", "-c", f'mount -t tmpfs none {folder} && exec "$@"', "sh", *command], env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


if not shutil.which("unshare") or without("/sys", ["true"]).returncode != 0:
    print("this system lets nobody mount something over /sys")
    sys.exit(77)

p = without("/sys", [program, test])
assert p.returncode == 0, f"{p.returncode}\n{p.stdout}{p.stderr}"
assert "hwloc" not in p.stdout + p.stderr, p.stdout + p.stderr

with tempfile.TemporaryDirectory(prefix="weft-bare-") as folder:
    source = os.path.join(folder, "k.cl")
    with open(source, "w") as f:
        f.write("kernel void k(global float *p) { p[0] = sin(p[1]); }\n")
    p = without("/proc", [os.path.join(build, "lib/weft/weftc"), source, "-o", os.path.join(folder, "k.weft")])
    said = p.stdout + p.stderr
    assert p.returncode > 0 and "/proc isn't mounted" in said and "builtins.pack" not in said, f"{p.returncode}\n{said}"
