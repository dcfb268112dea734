"""What the vectorizer decides for the bench's kernels at each kind of target, and the prices of instructions that it
counts with, beside what they were before.

decisions.py WEFTC KERNELS_FOLDER DECISIONS_FILE [--update]

A change of the cost model, or of LLVM, changes decisions that nobody thought of. They become visible here: a change that
means to change them runs this with --update, and the file's difference shows what else it did. Estimates aren't
compared, because they change with each line of the code generator.

DECISIONS_FILE is of LLVM 19. Another LLVM makes other code before, so a file beside it, such as decisions.llvm22.txt, has the
lines that differ there; an update with that LLVM writes it.
"""
import difflib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TARGETS = ["nehalem", "haswell", "skylake-avx512"]
PRICED = TARGETS + ["sapphirerapids", "znver3", "znver4"]
LIMIT_S = 120
BASE = "19"
# Kernels of the newest OpenCL C, as tests/bench builds them.
OPTIONS = ["-cl-std=CL3.0", "-DCOLLECTIVES", "-DSUBGROUPS"]
KERNEL = re.compile(r"\bkernel\s+(?:__attribute__\s*\(\(.*?\)\)\)?\s+)?void\s+(\w+)")


def run_for(target, *command):
    env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}
    env.update(WEFT_CPU=target, WEFT_CONF="none")
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT_S)


def prices(weftc, target):
    run = run_for(target, weftc, "--target")
    lines = [f"{target} {line}" for line in run.stdout.splitlines() if ": each " in line]
    assert len(lines) > 10, f"{target}: no prices: {run.stderr.strip()}"
    return lines


def decisions(weftc, target, path, kernel):
    run = run_for(target, weftc, "--report=vectorize", "-k", kernel, *OPTIONS, path)
    if run.returncode:
        return [f"{target} {kernel}: no report: {run.stderr.strip()}"]
    lines, region = [], None
    for line in run.stdout.splitlines():
        found = re.match(r"region (\d+): (.*)", line)
        if found:
            # The reason, without the estimates that follow it.
            region = f"{target} {kernel} {found[1]}"
            lines.append(f"{region}: {found[2].split(': a vector iteration')[0]}")
        elif region and re.match(r"  (no )?iterations of ", line):
            lines[-1] += f"; {line.strip()}"
    return lines or [f"{target} {kernel}: no regions"]


def read(path):
    with open(path) as f:
        return f.read().splitlines()


def what(line):
    return line.split(": ")[0]


def main():
    weftc, folder, expected_path = sys.argv[1:4]
    version = re.search(r"\.llvm(\d+)\.", subprocess.run([weftc, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout)[1]
    own_path = expected_path if version == BASE else re.sub(r"\.txt$", f".llvm{version}.txt", expected_path)
    update = sys.argv[4:] == ["--update"]
    jobs = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path) as f:
            text = f.read()
        for kernel in KERNEL.findall(text):
            for target in TARGETS:
                jobs.append((weftc, target, path, kernel))
    assert len(jobs) > 100, "the bench's kernels weren't found"
    jobs.sort(key=lambda job: TARGETS.index(job[1]))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        now = [line for lines in pool.map(lambda job: decisions(*job), jobs) for line in lines]
    now += [line for target in PRICED for line in prices(weftc, target)]
    assert len({what(line) for line in now}) == len(now), "a name stands for two decisions"
    base = [] if version == BASE else read(expected_path)
    if update:
        with open(own_path, "w") as f:
            f.writelines(line + "\n" for line in now if line not in base)
        return
    before = read(own_path) if os.path.exists(own_path) else []
    own = {what(line): line for line in before}
    before = [own.get(what(line), line) for line in base] or before
    difference = list(difflib.unified_diff(before, now, "before", "now", lineterm="", n=0))
    if difference:
        print("\n".join(difference))
        print(f"\nIf these changes are meant: {' '.join(sys.argv)} --update")
        sys.exit(1)
    print(f"{len(jobs)} kernels at {len(TARGETS)} targets: {len(now)} decisions as before")


main()
