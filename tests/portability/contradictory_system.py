"""Where the system contradicts itself, hwloc writes a report of 20 lines to stderr. A driver must not.

contradictory_system.py BUILD_DIR TEST_PROGRAM TEST_NAME     (a test that asks for caches, so that hwloc is used)
"""
import os
import subprocess
import sys
import tempfile

import call_filter

build, program, test = sys.argv[1:]

# hwloc alone, with the library's name that lib/scheduler/topology.c has.
ALONE = """
import ctypes
try:
    h = ctypes.CDLL("libhwloc.so.15")
except OSError:
    raise SystemExit(77)
t = ctypes.c_void_p()
assert h.hwloc_topology_init(ctypes.byref(t)) == 0
h.hwloc_topology_load(t)
"""


def put(root, path, text):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text + "\n")


def make_machine(root):
    """Four processors in packages 0-1 and 2-3, and a cache of processors 1-2."""
    cpus = "sys/devices/system/cpu"
    for name in "online", "present", "possible":
        put(root, f"{cpus}/{name}", "0-3")
    for cpu in range(4):
        package, core = (0b1100 if cpu > 1 else 0b0011), 1 << cpu
        topology = f"{cpus}/cpu{cpu}/topology"
        for name in "package_cpus", "core_siblings":
            put(root, f"{topology}/{name}", f"{package:08x}")
        for name in "core_cpus", "thread_siblings":
            put(root, f"{topology}/{name}", f"{core:08x}")
        put(root, f"{topology}/physical_package_id", str(cpu // 2))
        put(root, f"{topology}/core_id", str(cpu % 2))
        cache = f"{cpus}/cpu{cpu}/cache/index0"
        for name, text in (("level", "3"), ("type", "Unified"), ("size", "8192K"), ("coherency_line_size", "64"),
                           ("shared_cpu_map", f"{0b0110 if cpu in (1, 2) else core:08x}")):
            put(root, f"{cache}/{name}", text)
    put(root, "proc/cpuinfo", "".join(f"processor\t: {cpu}\n\n" for cpu in range(4)))
    put(root, "proc/meminfo", "MemTotal: 8000000 kB")


def is_silent(env, before=None):
    p = subprocess.run([program, test], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                       preexec_fn=before)
    assert p.returncode == 0, f"{p.returncode}\n{p.stdout}{p.stderr}"
    assert "hwloc" not in p.stdout + p.stderr, p.stdout + p.stderr


with tempfile.TemporaryDirectory(prefix="weft-contradictory-") as root:
    make_machine(root)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WEFT_", "HWLOC_"))}
    env.update(HWLOC_FSROOT=root, WEFT_CACHE="0")
    env.update(OCL_ICD_VENDORS=os.path.join(build, "vendors"), OPENCL_VENDOR_PATH=os.path.join(build, "vendors"))

    p = subprocess.run([sys.executable, "-c", ALONE], env=env, stderr=subprocess.PIPE, text=True)
    if p.returncode == 77:
        print("hwloc isn't installed")
        sys.exit(77)
    assert "invalid information" in p.stderr, f"hwloc alone doesn't complain of this machine: {p.returncode}\n{p.stderr}"

    is_silent(env)
    # Messages are still seen there, so it is known that hwloc was used.
    if call_filter.works(call_filter.without_close_range):
        is_silent(dict(env, WEFT_LOG="warn"), call_filter.without_close_range)
    else:
        print("not tried without close_range: no filter of system calls is allowed here")
