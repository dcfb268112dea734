#!/usr/bin/env python3
"""Runs weftc on a source as its RUN lines say and compares the output with its CHECK lines.

usage: filecheck.py WEFTC FILECHECK SOURCE [TARGET,...]

  // RUN: [--check-prefix=NAME] [! ] [VARIABLE=VALUE] OPTIONS...    `!`: weftc must fail; its messages are checked then

Output and messages are both handed to FileCheck.

No run depends on the machine that it runs on. A RUN line is run once for each of TARGETS, and what it expects must be true for
all of them. What is true for some of them only names those: WEFT_CPU=NAME,... in the RUN line; other targets then have a RUN
line of their own where they do something else that is worth a test. What the front end makes is the same for all targets but
for FP_FAST_FMA, and made once. Code is made and never run, so that any x86 machine will do. WEFT_ variables of the caller are left out.

TARGET,... on the command line stands for TARGETS, to see by hand what other processors get.
"""
import functools
import os
import platform
import shlex
import subprocess
import sys

# SSE4.2, AVX2 with fma, and AVX-512.
TARGETS = ("nehalem", "haswell", "skylake-avx512")
FRONT_END = ("--emit=ast", "--emit=bc")


@functools.lru_cache(None)
def known(weftc, cpu):
    """Whether LLVM knows the processor. weftc takes the machine's own instead of one that it doesn't, and warns."""
    environment = dict(clean(), WEFT_CPU=cpu, WEFT_LOG="warn")
    made = subprocess.run([weftc, "--emit=bc", "-"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, timeout=50)
    return made.returncode == 0 and b"WEFT_CPU=" not in made.stderr


def clean():
    return {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}


def run(weftc, filecheck, source, targets, line):
    words = shlex.split(line)
    prefix = []
    if words and words[0].startswith("--check-prefix"):
        prefix = [words.pop(0)]
    must_fail = bool(words) and words[0] == "!"
    if must_fail:
        words.pop(0)
    environment = clean()
    while words and words[0].startswith("WEFT_"):
        name, value = words.pop(0).split("=", 1)
        environment[name] = value
    if "WEFT_CPU" in environment:
        targets = environment["WEFT_CPU"].split(",")
    elif any(word in FRONT_END for word in words):
        targets = targets[:1]
    for cpu in targets:
        if not known(weftc, cpu):
            sys.exit(f"{source}: LLVM knows no processor {cpu!r}")
        environment["WEFT_CPU"] = cpu
        said = f"WEFT_CPU={cpu} weftc {' '.join(words)}"
        made = subprocess.run([weftc, *words, source], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=50)
        if (made.returncode != 0) != must_fail:
            sys.stdout.buffer.write(made.stdout)
            sys.exit(f"{source}: {said}: exit status {made.returncode}")
        checked = subprocess.run([filecheck, *prefix, "--dump-input=fail", source], input=made.stdout, timeout=50)
        if checked.returncode:
            sys.exit(f"{source}: FileCheck refuses what `{said}` made")


def main():
    weftc, filecheck, source = sys.argv[1:4]
    targets = sys.argv[4].split(",") if len(sys.argv) > 4 else TARGETS
    if filecheck.endswith("NOTFOUND") or not filecheck:
        print("skip: FileCheck isn't installed")
        sys.exit(77)
    if platform.machine() not in ("x86_64", "AMD64"):
        print(f"skip: the targets are x86 processors, and this weftc makes code for {platform.machine()} only")
        sys.exit(77)
    with open(source, encoding="utf-8") as f:
        lines = [line.split("RUN:", 1)[1].strip() for line in f if line.startswith("// RUN:")]
    if not lines:
        sys.exit(f"{source}: no RUN line")
    for line in lines:
        run(weftc, filecheck, source, targets, line)


main()
