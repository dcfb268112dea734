#!/usr/bin/env python3
"""Piglit's OpenCL profile (Debian's package piglit) on Weft. Every test passes, or is named below with the reason.

All of them, the 660 small programs too: about five minutes of one core. The package takes 2 GB of disk: where little is left scripts/deps
leaves it out, and this is skipped.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import common

EACH = 120  # seconds that a test may take
AMD = "for AMD's GPUs"
NEWER = "wants CL_DEVICE_OPENCL_C_VERSION to name 2.0"
NAMED = {
    "api@clgetextensionfunctionaddressforplatform": ("fail", "the ICD loader answers for platforms that don't exist"),
    "api@clgetdeviceinfo": ("fail", "wants the version strings of OpenCL 1.1"),
    "api@clgetcommandqueueinfo": ("fail", "wants CL_QUEUE_SIZE of a queue of the host"),
    "api@clcreateprogramwithbinary": ("fail", "makes a kernel of a program that was never built"),
    "api@clgetkernelarginfo": ("fail", "wants that nothing is known of arguments without -cl-kernel-arg-info"),
    "api@clsetkernelarg": ("fail", "wants that a local argument of size 0 is refused, as it was before OpenCL 3.1"),
    "interop@egl_khr_cl_event2": ("skip", "cl_khr_egl_event is for GPUs"),
    "program@build@include-directories": ("fail", "the package lacks include_test.h"),
    "program@execute@program-tester-check-local-size-test-should-skip": ("skip", "as its name says"),
    "program@execute@amdgcn-callee-saved-registers": ("skip", AMD),
    "program@execute@call-clobbers-amdgcn": ("skip", AMD),
    "program@execute@load-hi16-generic": ("skip", NEWER),
    "program@execute@load-lo16-generic": ("skip", NEWER),
    "program@execute@store-hi16-generic": ("skip", NEWER),
}


def tests(piglit):
    """(name, command) of every test that runs this time."""
    status, out, errors = common.run([piglit, "print-cmd", "cl", "--format", "{name};;{command}"], timeout=60,
                                     env={"PIGLIT_PLATFORM": "gbm"})
    if status != 0:
        common.fail("piglit doesn't list its tests", errors)
    found = [line.split(";;") for line in out.splitlines() if ";;" in line]
    common.expect(len(found) > 500, f"piglit lists {len(found)} tests only", out[:1000])
    # The programs of the API first: the slowest are among them.
    return sorted(found, key=lambda t: ("cl-program-tester" in t[1], t[0]))


def run_one(test, folder, env):
    """(name, result, what it wrote)"""
    name, command = test
    words = command.split()
    words[0] = os.path.join(folder, "bin", os.path.basename(words[0]))
    try:
        p = subprocess.run(words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, errors="replace", timeout=EACH)
    except subprocess.TimeoutExpired:
        return name, "timeout", ""
    results = [line for line in p.stdout.splitlines() if line.startswith('PIGLIT: {"result"')]
    if not results:
        return name, f"ended with {p.returncode}", p.stdout
    return name, json.loads(results[-1].removeprefix("PIGLIT: "))["result"], p.stdout


def folder_of(chosen):
    """Where piglit's programs and tests lie."""
    for name, command in chosen:
        words = command.split()
        if len(words) == 2 and "/piglit/" in words[1]:
            return words[1][:words[1].index("/piglit/") + len("/piglit")]
    return None


def main():
    chosen = tests(common.need("piglit"))
    folder = folder_of(chosen)
    common.expect(folder and os.path.isdir(os.path.join(folder, "bin")), "piglit's programs aren't where its tests are")
    bad = []
    with tempfile.TemporaryDirectory(prefix="weft-client-") as home, \
            concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        env = dict(os.environ, HOME=home, XDG_CACHE_HOME=home, PIGLIT_PLATFORM="gbm")
        for name, result, output in pool.map(lambda t: run_one(t, folder, env), chosen):
            wanted = NAMED.get(name, ("pass", ""))[0]
            if result not in wanted.split(" or "):
                bad.append(name)
                print(f"{name}: {result}, not {wanted}\n{output[-3000:]}")
    named = sum(name in NAMED for name, _ in chosen)
    if bad:
        common.fail(f"{len(bad)} of {len(chosen)} tests: {' '.join(bad)}")
    print(f"{len(chosen) - named} tests pass, {named} are named")
    return 0


if __name__ == "__main__":
    sys.exit(main())
