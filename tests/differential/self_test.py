"""self_test.py BUILD: the differential tests see what they are for: another result, an access outside of a buffer at either end;
the host fuses what Weft fuses, what the machine can't run is left out, and shrinking takes no barrier away that the rest needs."""
import re
import sys

import engine
import generate
import shrink

TEXT = """
//: result
kernel void result(global const uint *in, global uint *out) { int i = item(); out[i] = in[i] * FACTOR; }
//: read_behind
kernel void read_behind(global const uint *in, global uint *out) { int i = item(); out[i] = in[i + SHIFT] & 0; }
//: read_before
kernel void read_before(global const uint *in, global uint *out) { int i = item(); out[i] = in[i - SHIFT] & 0; }
//: write_behind out=1
kernel void write_behind(global const uint *in, global uchar *out) { int i = item(); out[i] = 1; out[i + 2 * SHIFT] = 1; }
//: write_sums
kernel void write_sums(global const uint *in, global uint *out, global uint *sums) { out[item()] = 0; atomic_add(sums, SHIFT); }
//: untouched
kernel void untouched(global const uint *in, global uint *out) { out[item()] = 0; }
"""
runner = engine.Engine(sys.argv[1])
program = runner.write(TEXT.replace("& 0", "& KEEP"))
reference = runner.weft(program, 1, options="-DFACTOR=3 -DSHIFT=0 -DKEEP=0")
again = runner.weft(program, 1, options="-DFACTOR=3 -DSHIFT=0 -DKEEP=0")
data = runner.weft(program, 1, options="-DFACTOR=5 -DSHIFT=1 -DKEEP=1")
broken = dict(engine.differences(reference, data))
bad = engine.differences(reference, again)
if sorted(broken) != [0, 1, 2, 3, 4]:
    bad.append(("seen", broken))
# (kernel, placement) and how its launches must end
ends = {(1, 1): "fault", (2, 0): "fault", (3, 0): "stray", (3, 1): "fault"}
for (kernel, _, placement), (status, _, _) in engine.records(data).items():
    how = ends.get((kernel, placement), "right")
    if how != ("right" if status == 0 else "stray" if status == 1 else "fault"):
        bad.append((kernel, f"placement {placement}: status {status} is not {how}"))
ir = "%3 = call float @llvm.fmuladd.f32(float %0, float %1, float %2)\ndeclare float @llvm.fmuladd.f32(float, float, float) #1\n"
for features, sums in (("+avx,+fma,+sse", 0), ("+avx,+fma", 0), ("+avx,-fma", None)):
    text = engine.fused(f'{ir}attributes #0 = {{ "target-features"="{features}" }}\n')
    if (text if text is None else text.count("fmuladd")) != sums:
        bad.append(("fused", features, text))
# What a machine can run. The last one has AVX-512, but not all of it.
sse, avx2 = " ".join(engine.TARGETS["nehalem"]), " ".join(engine.TARGETS["haswell"])
for flags, wanted in ((sse, (None, "abm", "abm")), (f"{sse} {avx2}", (None, None, "avx512f")), (avx2, ("cx16", "cx16", "cx16")),
                      (f"{sse} {avx2} avx512f", (None, None, "avx512bw")), ("", ("cx16", "cx16", "cx16"))):
    found = tuple(engine.lacking(target, f"processor\t: 0\nflags\t\t: fpu {flags}\nbugs\t\t: spectre\n") for target in engine.TARGETS)
    if found != wanted:
        bad.append(("targets", flags, found))
# What a random kernel does with local memory, in the order of its lines: a store of each item's own, a
# barrier, atomics or not, a barrier, a read of anything, a barrier.
does = re.compile(r"(?P<store>^ *tile\[l\] =)|(?P<barrier>^ *barrier\()|(?P<atomic>atomic_\w+\(&tile)|(?P<read>= tile\[)", re.M)
for seed in range(200):
    kernel = generate.kernel(f"r{seed}", seed)
    if not kernel.barriers:
        continue
    for word in ("= tile[", "^= tile[", "&tile[", "in[0]"):
        if word in kernel.render():
            shrink.shrink(kernel, lambda k, word=word: word in k.render())
    order = "".join(m.lastgroup[0] for m in does.finditer(kernel.render()))
    if not re.fullmatch("(sb(a?b)?rb)*", order):
        bad.append(("shrunk", seed, order))
print(bad or "every planted fault was found: " + str(broken))
sys.exit(1 if bad else 0)
