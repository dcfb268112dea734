#!/usr/bin/env python3
"""debug_info.py WEFTC SOURCE_ROOT: what -g does to kernels.

1. The source lines of a kernel survive each stage, up to the machine code.
2. The machine code is the same with and without -g, at each tier and target. (The driver relies on it when it looks up
   the place of a fault: include/weft/fault_location.h.)
"""
import os
import re
import subprocess
import sys
import tempfile

weftc, root = sys.argv[1:]

# A line of each kind: load, loop, call, condition, stores under a condition, a call of the host.
LINES = """kernel void k(global int *a, global const int *b, int n)
{
    int i = get_global_id(0);
    int s = b[i];
    for (int j = 0; j < n; j++)
        s += b[i * 3 + j] * j;
    float f = sin((float)s);
    if (s > 10)
        a[i] = s + (int)f;
    else
        a[i] = b[i] * 2;
    if (n < 0)
        printf("%d\\n", s);
}
"""
MARKED = {4, 6, 7, 8, 9, 11, 13}


def run(source, stage, *options, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")} | environment
    p = subprocess.run([weftc, f"--emit={stage}", *options, source], env=env, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True)
    assert p.returncode == 0, f"{source} {stage} {options} {environment}: {p.stderr[:500]}"
    return p.stdout


def lines_of_ir(text):
    """The source lines that instructions of the module refer to."""
    used = set(re.findall(r"!dbg !(\d+)", text))
    return {int(line) for number, line in re.findall(r"^!(\d+) = !DILocation\(line: (\d+)", text, re.M) if number in used}


def code_of(text):
    """The instructions and data of an assembly file, without debug information."""
    kept, debug = [], False
    for line in text.splitlines():
        word = line.strip().split("\t")[0].split(" ")[0]
        if word == ".section" or word in (".text", ".data"):
            debug = ".debug_" in line or ".stack_sizes" in line or ".note" in line
        comment = line.lstrip().startswith("#")
        if debug or comment or word in (".loc", ".file", ".ident", ".addrsig") or word.startswith(".cfi") or not word:
            continue
        if re.match(r"\.L(tmp|func_)\w*:", line.strip()) or word == ".section" and ".debug_" in line:
            continue
        kept.append(re.sub(r"\.Ltmp\d+", ".Ltmp", line.split("#")[0].rstrip()))
    return kept


failures = 0
with tempfile.TemporaryDirectory(prefix="weft-debug-") as folder:
    source = os.path.join(folder, "lines.cl")
    with open(source, "w") as f:
        f.write(LINES)
    for tier in "12":
        for stage in ("prepare", "regions", "vectorize", "wiloops", "llvm"):
            missing = MARKED - lines_of_ir(run(source, stage, "-g", WEFT_TIER=tier))
            if missing:
                failures += 1
                print(f"tier {tier}: lines {sorted(missing)} are gone after {stage}")
        found = {int(n) for n in re.findall(r"\.loc\t\d+ (\d+)", run(source, "asm", "-g", WEFT_TIER=tier))}
        if MARKED - found:
            failures += 1
            print(f"tier {tier}: lines {sorted(MARKED - found)} have no machine code")
    assert not lines_of_ir(run(source, "prepare")), "lines without -g"

compared = 0
scratch = tempfile.TemporaryDirectory(prefix="weft-debug-")
folder = os.path.join(root, "tests/differential/kernels")
for name in sorted(os.listdir(folder)):
    if not name.endswith(".cl"):
        continue
    path = os.path.join(scratch.name, name)
    with open(os.path.join(folder, "prelude.h")) as prelude, open(os.path.join(folder, name)) as f, open(path, "w") as out:
        text = f.read()
        out.write(prelude.read() + text)
    kernels = re.findall(r"^kernel void (\w+)\(", text, re.M)
    for n, kernel in enumerate(kernels):
        if n % 6:  # a sixth of them is enough
            continue
        cpu, tier = ("nehalem", "haswell", "skylake-avx512")[n // 6 % 3], "212"[n // 6 % 3]
        both = [code_of(run(path, "asm", "-cl-std=CL3.0", "-k", kernel, *g, WEFT_CPU=cpu, WEFT_TIER=tier)) for g in ([], ["-g"])]
        compared += 1
        if both[0] != both[1]:
            failures += 1
            where = next((i for i, (x, y) in enumerate(zip(*both)) if x != y), min(map(len, both)))
            print(f"{name} {kernel} {cpu} tier {tier}: other code with -g, from line {where} on:")
            for text in both:
                print("   ", " | ".join(text[where:where + 3]))
print(f"{compared} kernels compared, {failures} failures")
assert compared > 20
sys.exit(failures != 0)
