#!/usr/bin/env python3
"""What libweft.so exports, what it takes from elsewhere, what it depends on and how big it is.

usage: symbols.py libweft.so"""
import os
import re
import subprocess
import sys

EXPORTS = {"clGetExtensionFunctionAddress", "clGetPlatformInfo", "clIcdGetFunctionAddressForPlatformKHR",
           "clIcdGetPlatformIDsKHR", "clIcdSetPlatformDispatchDataKHR"}
LIBRARIES = re.compile(r"^(libc|libm|libdl|libpthread|libhwloc|ld-linux-x86-64|ld-linux-aarch64)\.so")
# Weak by design of the tool chain: start-up files ask for these and live without.
START_FILES = {"_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__gmon_start__"}
FORBIDDEN = ("abort", "exit", "_exit", "__assert_fail", "__assert_rtn", "getenv")
MAX_BYTES = 1500000


def nm(path, *options):
    out = subprocess.run(["nm", "-D", *options, path], check=True, capture_output=True, text=True).stdout
    return [line.split() for line in out.splitlines()]


def main():
    path, wrong = sys.argv[1], []
    exported = {row[-1].split("@")[0] for row in nm(path, "--defined-only")}
    if exported != EXPORTS:
        wrong.append("exports: missing %s, not wanted %s" % (sorted(EXPORTS - exported), sorted(exported - EXPORTS)))
    for row in nm(path, "--undefined-only"):
        name = row[-1]
        base = name.split("@")[0]
        if base in START_FILES:
            continue
        if "@" not in name and not base.startswith("hwloc_"):
            wrong.append("%s has no version: whoever defines it first is called" % name)
        if re.match(r"weft|cl[A-Z]|llvm|LLVM|_Z", base):
            wrong.append("%s is taken from outside" % name)
        if base in FORBIDDEN:
            wrong.append("%s may end the host program, or trust a set-uid program's environment" % base)
    needed = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
    for library in re.findall(r"NEEDED.*\[(.*)\]", needed):
        if not LIBRARIES.match(library):
            wrong.append("depends on %s" % library)
    if "SYMBOLIC" not in needed:
        wrong.append("is not linked -Bsymbolic")
    if os.path.getsize(path) > MAX_BYTES:
        wrong.append("is %d bytes; %d are the limit" % (os.path.getsize(path), MAX_BYTES))
    print("\n".join(wrong) if wrong else "%d bytes, %d exports" % (os.path.getsize(path), len(exported)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
