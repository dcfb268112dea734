#!/usr/bin/env python3
"""Without the checker's option nothing of it is in a kernel's code, whatever WEFT_CHECK says to the compiler.

usage: unchecked.py WEFTC FOLDER_OF_KERNELS"""
import os
import re
import subprocess
import sys

KERNEL = re.compile(r"^kernel\s+void\s+(\w+)", re.MULTILINE)
OF_THE_CHECKER = re.compile(r"weft[._](check|touch)|device_call|__msan|check\.site")
OPTIONS = ["-cl-std=CL3.0", "-DCOLLECTIVES", "-DSUBGROUPS"]


def emit(weftc, stage, path, kernel, *options, **settings):
    env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}
    env.update(WEFT_CONF="none", **settings)
    p = subprocess.run([weftc, "--emit=" + stage, *OPTIONS, *options, "-k", kernel, path], env=env, capture_output=True, text=True, timeout=120)
    assert p.returncode == 0, (path, kernel, p.stderr)
    return p.stdout


def main():
    weftc, folder = sys.argv[1:]
    looked_at, failed = 0, 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path) as f:
            kernels = KERNEL.findall(f.read()) if name.endswith(".cl") else []
        for kernel in kernels[:3]:
            looked_at += 1
            plain = emit(weftc, "asm", path, kernel)
            others = [OF_THE_CHECKER.search(t) for t in (plain, emit(weftc, "prepare", path, kernel))]
            if any(others):
                print(f"{name}: {kernel}: {[o.group(0) for o in others if o]} without an option")
                failed += 1
            if emit(weftc, "asm", path, kernel, WEFT_CHECK="all") != plain:
                print(f"{name}: {kernel}: other code if WEFT_CHECK is set")
                failed += 1
            # What is searched for is there otherwise.
            if not OF_THE_CHECKER.search(emit(weftc, "prepare", path, kernel, "-weft-check=bounds,race")):
                print(f"{name}: {kernel}: with the option nothing of the checker is found either")
                failed += 1
    print(f"{looked_at} kernels")
    return failed > 0 or looked_at < 5


sys.exit(main())
