#!/usr/bin/env python3
"""Runs weftc on a source as its RUN lines say and compares the output with its CHECK lines.

usage: filecheck.py WEFTC FILECHECK SOURCE

  // RUN: [--check-prefix=NAME] [! ] [VARIABLE=VALUE] OPTIONS...    `!`: weftc must fail; its messages are checked then

Output and messages are both handed to FileCheck.
"""
import os
import shlex
import subprocess
import sys


def run(weftc, filecheck, source, line):
    words = shlex.split(line)
    prefix = []
    if words and words[0].startswith("--check-prefix"):
        prefix = [words.pop(0)]
    must_fail = bool(words) and words[0] == "!"
    if must_fail:
        words.pop(0)
    environment = dict(os.environ)
    while words and words[0].startswith("WEFT_"):
        name, value = words.pop(0).split("=", 1)
        environment[name] = value
    made = subprocess.run([weftc, *words, source], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=50)
    if (made.returncode != 0) != must_fail:
        sys.stdout.buffer.write(made.stdout)
        sys.exit(f"{source}: weftc {' '.join(words)}: exit status {made.returncode}")
    checked = subprocess.run([filecheck, *prefix, "--dump-input=fail", source], input=made.stdout, timeout=50)
    if checked.returncode:
        sys.exit(f"{source}: FileCheck refuses what `weftc {' '.join(words)}` made")


def main():
    weftc, filecheck, source = sys.argv[1:]
    if filecheck.endswith("NOTFOUND") or not filecheck:
        print("skip: FileCheck isn't installed")
        sys.exit(77)
    with open(source, encoding="utf-8") as f:
        lines = [line.split("RUN:", 1)[1].strip() for line in f if line.startswith("// RUN:")]
    if not lines:
        sys.exit(f"{source}: no RUN line")
    for line in lines:
        run(weftc, filecheck, source, line)


main()
