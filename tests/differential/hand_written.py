"""hand_written.py BUILD [FILE.cl ...]: the kernels of kernels/ and regressions/ give bit-identical results at every vector
width for this machine, and at some for each target that it can run, compared with WEFT_VF=1, between guard pages, in the
launches of data.h. A build for an emulated machine gets fewer widths."""
import glob
import os
import sys

import engine

build, files = sys.argv[1], sys.argv[2:]
files = files or sorted(glob.glob(os.path.join(engine.HERE, "kernels/*.cl")) +
                        glob.glob(os.path.join(engine.HERE, "regressions/*.cl")))
runner = engine.Engine(build)
# (target, options, widths). None stands for this machine, whatever it has. Each entry has its own reference,
# since targets without FMA round a*b+c twice. A width is a number, or a tuple: the number, WEFT_TIER (1:
# quickly made code; 3: code with lanes, made quickly; 0: code that is replaced between two launches; 2: fully
# optimised code), and optionally
# WEFT_VARIANT and WEFT_INTERLEAVE.
variants = [(None, "", (0, *engine.WIDTHS, (16, 1), (16, 0), (4, 2, 1), (16, 2, 1), (8, 2, 2), (16, 2, 2), (2, 2, 3), (8, 2, 3),
                        (16, 2, 4), (0, 2, 5), (0, 2, 6), (0, 3), (0, 3, 6), (4, 3), (0, 0), (16, 0, 5), (16, 2, 0, 2), (4, 2, 0, 4), (2, 2, 1, 2), (16, 2, 0, 4)))]
if engine.emulated(build): # slow: widths of the interface, of the processor and beyond, and one of each other kind
    variants = [(None, "", (2, 4, 8, 16, (16, 1), (4, 3), (4, 2, 1), (2, 2, 3, 4)))]
# A few widths for each target: a machine with AVX-512 would otherwise miss errors in code for AVX2, and the
# reverse.
short = {"nehalem": (4, (0, 3), (4, 2, 1), (4, 2, 3, 4)), "haswell": (8, (0, 3), (0, 3, 6), (8, 2, 1), (8, 2, 2), (8, 2, 5), (8, 2, 0, 2)),
         "skylake-avx512": (16, (0, 3), (16, 2, 1, 2)),
         "cortex-a72": (4,), "neoverse-n1": ((8, 2, 2), (4, 2, 0, 2)), "neoverse-n2": (4,),
         "neoverse-v1": (8, (16, 2, 0, 2)), "a64fx": (16,)}
variants += [(cpu, "", short[cpu]) for cpu in engine.targets(sys.argv[1])]
variants += [(None, "-cl-fast-relaxed-math", (0,)), (None, "-cl-denorms-are-zero", (0,))]
if not engine.emulated(build):
    variants += [(None, "-cl-opt-disable", (8,)), (None, "-cl-std=CL3.0", (8, (8, 1)))]

jobs = []
for path in files:
    text = open(path).read()
    program = runner.write(text)
    # A first line `// options: ...` says what every build of the file needs.
    own = text.splitlines()[0].partition("// options: ")[2]
    for cpu, options, widths in variants:
        # Relaxed arithmetic may be grouped differently at another width: only integers must be equal.
        if options and os.path.basename(path) in ("types.cl", "rows.cl", "words.cl"):
            continue
        # Only in these files are pointers without an address space generic.
        if options == "-cl-std=CL3.0" and os.path.basename(path) not in ("calls.cl", "memory.cl"):
            continue
        # Kernels of many thousand instructions are compiled in this way too.
        if options == "-cl-opt-disable" and "regressions" not in path:
            continue
        runs = []
        for width in (1, *widths):
            width, tier, variant, interleave = (*width, 0, 0)[:4] if isinstance(width, tuple) else (width, 2, 0, 0)
            label = f"WEFT_VF={width}, WEFT_TIER={tier}, WEFT_VARIANT={engine.VARIANTS[variant]}, WEFT_INTERLEAVE={interleave}"
            runs.append((width, label, runner.pool.submit(runner.weft, program, width, cpu, f"{options} {own}".strip(), tier=tier, variant=variant, interleave=interleave,
                                                                  timeout=1200 if engine.emulated(build) else 300)))
        jobs.append((path, cpu, options, runs))

bad = launches = 0
for path, cpu, options, runs in jobs:
    names = engine.kernel_names(open(path).read())
    reference = None
    for width, label, future in runs:
        label = f"{os.path.basename(path)}, {label}" + (f", {cpu}" if cpu else "") + (f", {options}" if options else "")
        try:
            data = future.result()
        except engine.Failure as f:
            print(f"FAIL {label}: {f}")
            bad += 1
            continue
        if width == 1:
            reference = data
        launches += len(engine.records(data))
        for kernel, sentence in engine.differences(reference or data, data):
            print(f"FAIL {names[kernel]} ({label}): {sentence}")
            bad += 1
print(f"{launches} launches of {len(files)} files, {bad} failures")
sys.exit(1 if bad or not launches else 0)
