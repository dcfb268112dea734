"""llvm-mca's cycles a work-item: Weft's code for AArch64 processors beside loops written by hand with NEON (neon.c).

mca.py WEFTC [--verbose]     (WEFTC: one that makes code for AArch64, build/release/for-aarch64/lib/weft/weftc)

Nothing is run. Of each code, the innermost loop that does most is given to llvm-mca as straight code that repeats: no
branch is taken but the loop's own, each access hits the first cache, and the order of a processor's queues is LLVM's
model of it. So the figures compare codes, and don't say how fast a machine is. One unit is what a work-item does in one
step of its loop.
"""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CPUS = ("neoverse-v2", "apple-m1", "cortex-a76")
VECTOR_BITS = 128
ITERATIONS = 300
FMA = r"^(fmla|fmls|fmadd|fmad|fmsub)$"
# kernel, its file, the instruction that counts, how many of its lanes a unit has, and the unit in words
CASES = (
    ("fma_chains", "compute.cl", FMA, 16, "16 fma"),
    ("mandelbrot", "compute.cl", r"^fcm(gt|ge|lt|le|p|pe)$|^fccmpe?$", 1, "a step of a point"),
    ("triad", "arrays.cl", r"^st(r|p|1|nt1|np|ur)$", 1, "an element"),
    ("gemm_naive", "arrays.cl", FMA, 1, "a product"),
)


def lines_of(text):
    """Labels and instructions: (label, None) or (None, text)."""
    for line in text.splitlines():
        line = line.split("//")[0].strip()
        label = re.match(r"([.\w$]+):", line)
        if label:
            yield label[1], None
        elif line and line[0] not in ".#":
            yield None, line


def lanes(line):
    """How many floats an instruction is about: whole vectors of .4s, of q registers, or one number."""
    operands = line.split(None, 1)[1] if " " in line or "\t" in line else ""
    first = re.match(r"[{ ]*([vqsdzwx])\d+(\.\w+)?(, *q\d+)?", operands)
    if not first:
        return 0
    kind, arrangement, pair = first.groups()
    if arrangement:
        vectors = len(re.findall(r"[vz]\d+\.", operands.split("}")[0])) if operands.lstrip().startswith("{") else 1
        return vectors * {".4s": 4, ".2s": 2, ".s": 1}.get(arrangement, 0)
    if kind == "q":
        return VECTOR_BITS // 32 * (2 if pair else 1)
    return 1 if kind == "s" else 0


def loops(items):
    """[(first, last)] of the items between a label and a branch back to it."""
    at, found = {}, []
    for k, (label, line) in enumerate(items):
        if label:
            at[label] = k
            continue
        target = re.match(r"(b\.?\w*|cbn?z|tbn?z)\s.*?([.\w$]+)$", line)
        if target and target[2] in at:
            found.append((at[target[2]], k))
    return found


def count(items, where, pattern):
    total = 0
    for label, line in items[where[0]:where[1] + 1]:
        if line and re.match(pattern, line.split()[0]):
            total += lanes(line)
    return total


def hottest(text, pattern):
    """The instructions of the innermost loop in which what counts is done for most lanes, and for how many."""
    items = list(lines_of(text))
    all_loops = [l for l in loops(items) if count(items, l, pattern)]
    inner = [l for l in all_loops if not any(o != l and l[0] <= o[0] and o[1] <= l[1] for o in all_loops)]
    if not inner:
        return None, 0
    best = max(inner, key=lambda l: count(items, l, pattern))
    return [line for _, line in items[best[0]:best[1] + 1] if line], count(items, best, pattern)


def cycles(body, cpu):
    # A branch to a label of elsewhere would need it.
    text = "\n".join(re.sub(r"\s\.L\w+$", " #0", line) for line in body)
    p = subprocess.run([shutil.which("llvm-mca-19") or "llvm-mca", "-mtriple=aarch64-linux-gnu", f"-mcpu={cpu}", f"-iterations={ITERATIONS}", "-"],
                       input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = re.search(r"^Total Cycles:\s+(\d+)", p.stdout, re.M)
    if not found:
        raise SystemExit(f"llvm-mca: {p.stderr[-800:]}\n{text}")
    return int(found[1]) / ITERATIONS


def of_weft(weftc, cpu, kernel, file):
    env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}
    env.update(WEFT_CPU=cpu, WEFT_CONF="none")
    return subprocess.run([weftc, "--emit=asm", "-k", kernel, os.path.join(HERE, "../kernels", file)], env=env, stdout=subprocess.PIPE,
                          text=True, check=True).stdout


def by_hand(cpu, kernel):
    text = subprocess.run(["clang-19", "--target=aarch64-linux-gnu", "-ffreestanding", "-O2", f"-mcpu={cpu}", "-S", "-o", "-",
                           os.path.join(HERE, "neon.c")], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.search(rf"^{kernel}:.*?^\.Lfunc_end", text, re.M | re.S)[0]


def figure(text, case, cpu, verbose):
    _, _, pattern, per_unit, _ = case
    body, found = hottest(text, pattern)
    if not body:
        return None
    if verbose:
        print(f"--- {case[0]} {cpu}: {found / per_unit:g} units a turn\n" + "\n".join(body))
    return cycles(body, cpu) * per_unit / found


def main():
    weftc, verbose = sys.argv[1], "--verbose" in sys.argv[2:]
    print("| kernel | a unit is | " + " | ".join(f"{cpu}: Weft | by hand | ratio" for cpu in CPUS) + " |")
    print("|---|---|" + "---:|" * (3 * len(CPUS)))
    ratios = []
    for case in CASES:
        cells = []
        for cpu in CPUS:
            ours = figure(of_weft(weftc, cpu, case[0], case[1]), case, cpu, verbose)
            theirs = figure(by_hand(cpu, case[0]), case, cpu, verbose)
            if ours is None or theirs is None:
                raise SystemExit(f"{case[0]}, {cpu}: no loop with what counts in {'Weft' if ours is None else 'neon.c'}'s code")
            ratios.append(ours / theirs)
            cells += [f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}"]
        print(f"| {case[0]} | {case[4]} | " + " | ".join(cells) + " |")
    product = 1.0
    for r in ratios:
        product *= r
    print(f"\nGeometric mean of the ratios: {product ** (1 / len(ratios)):.2f}")


if __name__ == "__main__":
    main()
