"""`scripts/bench --targets` and `--math`: the same cases as code for several instruction sets, and their tables."""
from programs.table import mean

# name, the processor that Weft is told, the one that Intel's runtime is told, flags of /proc/cpuinfo
TARGETS = (
    ("sse4.2", "nehalem", "corei7", {"sse4_2", "popcnt"}),
    ("avx2", "haswell", "core-avx2", {"avx2", "fma", "f16c", "bmi2", "movbe"}),
    ("avx512", "skylake-avx512", "skx", {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"}),
)
NAMES = [target[0] for target in TARGETS]
# --math measures these. Their names are TYPE_FUNCTION.
TYPES = ("float", "double")


def flags():
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("flags"):
                return set(line.split(":")[1].split())
    return set()


def available(asked):
    """(the targets asked for that this machine can run, the others)."""
    here = flags()
    can = [t[0] for t in TARGETS if t[3] <= here]
    return [n for n in asked if n in can], [n for n in asked if n not in can]


def environment(name):
    """Variables that make Weft and Intel's runtime compile for that target."""
    _, ours, intel, _ = TARGETS[NAMES.index(name)]
    return {"WEFT_CPU": ours, "CL_CONFIG_CPU_TARGET_ARCH": intel}


def ratio(ours, theirs):
    """How many times as good ours is; None where there is no figure."""
    if isinstance(ours, str) or isinstance(theirs, str) or not ours[0] or not theirs[0]:
        return None
    return ours[0] / theirs[0] if ours[2] else theirs[0] / ours[0]


def figure(f):
    return f if isinstance(f, str) else format(f[0], ".4g")


def rows(cases, best, drivers):
    """[(case, unit, [our figure and the ratio to each peer, target by target])]. best[target][driver][case] is a figure."""
    ours, peers = drivers[0], drivers[1:]
    found = []
    for case in cases:
        cells, unit = [], ""
        for by_driver in best.values():
            own = by_driver[ours].get(case, "-")
            unit = unit or ("" if isinstance(own, str) else own[1])
            cells.append(figure(own))
            for peer in peers:
                r = ratio(own, by_driver[peer].get(case, "-"))
                cells.append("-" if r is None else f"{r:.2f}")
        found.append((case, unit, cells))
    return found


def by_function(found):
    """Rows of --math: float_sin and double_sin stand next to each other, as 'sin, float' and 'sin, double'."""
    def key(row):
        kind, _, name = row[0].partition("_")
        return (name, TYPES.index(kind)) if kind in TYPES else (row[0], 0)

    def title(case):
        kind, _, name = case.partition("_")
        return f"{name}, {kind}" if kind in TYPES else case
    return [(title(case), unit, cells) for case, unit, cells in sorted(found, key=key)]


def table(found, targets, drivers, markdown):
    heads = [f"{t}{x}" for t in targets for x in [""] + [" / " + p for p in drivers[1:]]]
    if markdown:
        yield "| case | | " + " | ".join(heads) + " |"
        yield "|---|---|" + "---:|" * len(heads)
        for case, unit, cells in found:
            yield f"| {case} | {unit.replace('us', 'µs')} | " + " | ".join(cells) + " |"
        return
    widths = [max([len(h)] + [len(cells[i]) for _, _, cells in found]) + 2 for i, h in enumerate(heads)]
    yield f"{'case':<22}{'unit':<10}" + "".join(f"{h:>{w}}" for h, w in zip(heads, widths))
    for case, unit, cells in found:
        yield (f"{case:<22}{unit:<10}" + "".join(f"{c:>{w}}" for c, w in zip(cells, widths))).rstrip()


def summary(cases, best, drivers):
    """For each target and peer: the geometric mean of the ratios, and the cases below 1, the lowest first."""
    for target, by_driver in best.items():
        for peer in drivers[1:]:
            ratios = {c: ratio(by_driver[drivers[0]].get(c, "-"), by_driver[peer].get(c, "-")) for c in cases}
            ratios = {c: r for c, r in ratios.items() if r}
            if not ratios:
                continue
            low = sorted((r, c) for c, r in ratios.items() if r < 1)
            yield f"{target}: geometric mean of {len(ratios)} ratios to {peer}: {mean(list(ratios.values())):.2f}; {len(low)} below 1" + \
                (": " + ", ".join(f"{c} {r:.2f}" for r, c in low) if low else "")
