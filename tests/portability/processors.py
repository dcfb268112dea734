"""Which code is made for which processor: a table, from what the processors' CPUID says.

processors.py BUILD_DIR CPUID_LIBRARY

weftc runs with the answers of another processor to cpuid (processors/cpuid.c), and says what it makes code for
(`weftc --target`). A processor is described by its maker, its family and model, and its features, by the names of the
makers' manuals. The code of a kernel, as text, must have nothing that the processor lacks.
"""
import os
import re
import subprocess
import sys
import tempfile

build, library = sys.argv[1:]
WEFTC = os.path.join(build, "lib/weft/weftc")
LIMIT_S = 120
UNAVAILABLE = 77

# Where CPUID has a feature: leaf, subleaf, register, bit.
BITS = {}


def bits(leaf, subleaf, register, **names):
    for name, bit in names.items():
        BITS[name] = (leaf, subleaf, register, bit)


bits(1, 0, "edx", fpu=0, tsc=4, cx8=8, cmov=15, mmx=23, fxsr=24, sse=25, sse2=26)
bits(1, 0, "ecx", sse3=0, pclmul=1, ssse3=9, fma=12, cx16=13, sse41=19, sse42=20, movbe=22, popcnt=23, aes=25, xsave=26,
     osxsave=27, avx=28, f16c=29, rdrnd=30)
bits(7, 0, "ebx", fsgsbase=0, bmi=3, avx2=5, bmi2=8, avx512f=16, avx512dq=17, rdseed=18, adx=19, avx512ifma=21,
     clflushopt=23, clwb=24, avx512cd=28, sha=29, avx512bw=30, avx512vl=31)
bits(7, 0, "ecx", avx512vbmi=1, avx512vbmi2=6, gfni=8, vaes=9, vpclmulqdq=10, avx512vnni=11, avx512bitalg=12,
     avx512vpopcntdq=14)
bits(7, 0, "edx", avx512vp2intersect=8, amxbf16=22, avx512fp16=23, amxtile=24, amxint8=25)
bits(7, 1, "eax", avxvnni=4, avx512bf16=5, avxifma=23)
bits(7, 1, "edx", avxvnniint8=4, avxneconvert=5, avx10=19)
bits(0x80000001, 0, "ecx", lahf=0, lzcnt=5, sse4a=6, prefetchw=8, xop=11, fma4=16, tbm=21)
bits(0x80000001, 0, "edx", nx=20, long=29)

BASE = "fpu tsc cx8 cmov mmx fxsr sse sse2 nx long"
SSSE3 = BASE + " sse3 ssse3 cx16 lahf"
NEHALEM = SSSE3 + " sse41 sse42 popcnt"
SILVERMONT = NEHALEM + " movbe pclmul aes rdrnd prefetchw"
SANDY = NEHALEM + " pclmul aes xsave osxsave avx"
HASWELL = SANDY + " f16c rdrnd fsgsbase fma movbe avx2 bmi bmi2 lzcnt"
SKYLAKE = HASWELL + " rdseed adx prefetchw clflushopt"
SKYLAKE_X = SKYLAKE + " clwb avx512f avx512dq avx512cd avx512bw avx512vl"
ICELAKE = SKYLAKE_X + (" sha avx512ifma avx512vbmi avx512vbmi2 gfni vaes vpclmulqdq avx512vnni avx512bitalg"
                       " avx512vpopcntdq")
SAPPHIRE = ICELAKE + " avxvnni avx512bf16 avx512fp16"
ALDER = SKYLAKE + " clwb sha gfni vaes vpclmulqdq avxvnni"
SIERRA = ALDER + " avxifma avxvnniint8 avxneconvert"
BULLDOZER = SANDY + " sse4a xop fma4 lzcnt prefetchw"
PILEDRIVER = BULLDOZER + " f16c fma bmi tbm"
ZEN = HASWELL + " sse4a rdseed adx sha clflushopt prefetchw"
ZEN4 = ZEN + (" clwb avx512f avx512dq avx512cd avx512bw avx512vl avx512ifma avx512vbmi avx512vbmi2 gfni vaes vpclmulqdq"
              " avx512vnni avx512bitalg avx512vpopcntdq avx512bf16")
ZEN5 = ZEN4 + " avxvnni avx512vp2intersect"

INTEL, AMD, OTHER = "GenuineIntel", "AuthenticAMD", "HygonGenuine"
P512 = "16-bytes 8-words memory 512-words 512-shorts 512-windows"
P512B = "16-bytes 8-words memory 512-words 512-shorts 512-bytes 512-windows"

# Name, maker, family, model, features. Then what is expected: lanes of 32 bits, other instructions, permutes,
# words of a dot product.
TABLE = [
    ("Core 2, SSSE3", INTEL, 6, 0x0f, SSSE3, 4, "estimates", "16-bytes", 4),
    ("Nehalem", INTEL, 6, 0x1a, NEHALEM, 4, "estimates", "16-bytes", 4),
    ("Sandy Bridge", INTEL, 6, 0x2a, SANDY, 4, "estimates", "16-bytes", 4),
    ("Haswell", INTEL, 6, 0x3c, HASWELL, 8, "fma estimates", "16-bytes 8-words memory", 8),
    ("Skylake", INTEL, 6, 0x5e, SKYLAKE, 8, "fma estimates", "16-bytes 8-words memory", 8),
    ("Skylake-X", INTEL, 6, 0x55, SKYLAKE_X, 16, "fma mask-registers math-primitives estimates", P512, 16),
    ("Ice Lake", INTEL, 6, 0x6a, ICELAKE, 16, "fma mask-registers math-primitives estimates", P512B, 16),
    ("Sapphire Rapids", INTEL, 6, 0x8f, SAPPHIRE, 16, "fma fp16 mask-registers math-primitives estimates", P512B, 16),
    ("Granite Rapids, with AVX10", INTEL, 6, 0xad, SAPPHIRE + " avx10", 16,
     "fma fp16 mask-registers math-primitives estimates", P512B, 16),
    # Cores of two kinds have the features of the small ones.
    ("Alder Lake", INTEL, 6, 0x97, ALDER, 8, "fma estimates", "16-bytes 8-words memory", 8),
    ("Arrow Lake", INTEL, 6, 0xc6, SIERRA, 8, "fma estimates", "16-bytes 8-words memory", 8),
    ("Lunar Lake", INTEL, 6, 0xbd, SIERRA, 8, "fma estimates", "16-bytes 8-words memory", 8),
    ("Gracemont, N100", INTEL, 6, 0xbe, ALDER, 8, "fma estimates", "16-bytes 8-words memory", 8),
    ("Sierra Forest", INTEL, 6, 0xaf, SIERRA, 8, "fma estimates", "16-bytes 8-words memory", 8),
    # Atom-class without AVX
    ("Silvermont", INTEL, 6, 0x37, SILVERMONT, 4, "estimates", "16-bytes", 4),
    ("Goldmont", INTEL, 6, 0x5c, SILVERMONT + " sha rdseed fsgsbase clflushopt", 4, "estimates", "16-bytes", 4),
    ("Tremont", INTEL, 6, 0x86, SILVERMONT + " sha rdseed fsgsbase clflushopt clwb gfni", 4, "estimates", "16-bytes", 4),
    ("Bulldozer", AMD, 0x15, 0x01, BULLDOZER, 4, "estimates", "16-bytes", 4),
    ("Piledriver", AMD, 0x15, 0x02, PILEDRIVER, 4, "fma estimates", "16-bytes", 4),
    # Gathers are slower than single loads before Zen 4.
    ("Zen", AMD, 0x17, 0x01, ZEN, 8, "fma estimates", "16-bytes 8-words", 8),
    ("Zen 2", AMD, 0x17, 0x31, ZEN + " clwb", 8, "fma estimates", "16-bytes 8-words", 8),
    ("Zen 3", AMD, 0x19, 0x21, ZEN + " clwb vaes vpclmulqdq", 8, "fma estimates", "16-bytes 8-words", 8),
    ("Zen 4", AMD, 0x19, 0x61, ZEN4, 16, "fma mask-registers math-primitives estimates", P512B, 16),
    ("Zen 5", AMD, 0x1a, 0x44, ZEN5, 16, "fma mask-registers math-primitives estimates", P512B, 16),
    # Virtual machines: the model of the host, and fewer features.
    ("Sapphire Rapids without AVX-512", INTEL, 6, 0x8f, ALDER, 8, "fma estimates", "16-bytes 8-words memory", 8),
    ("Skylake-X without AVX2", INTEL, 6, 0x55, SANDY, 4, "estimates", "16-bytes", 4),
    ("Haswell without FMA", INTEL, 6, 0x3c, HASWELL.replace(" fma", ""), 8, "estimates", "16-bytes 8-words memory", 8),
    ("Zen 4 without AVX-512", AMD, 0x19, 0x61, ZEN + " clwb", 8, "fma estimates", "16-bytes 8-words memory", 8),
    ("Zen 5 without XSAVE", AMD, 0x1a, 0x44, NEHALEM, 4, "estimates", "16-bytes", 4),
    ("AVX-512 without VL and DQ", INTEL, 6, 0x55, SKYLAKE + " avx512f avx512cd", 16, "fma mask-registers estimates",
     "16-bytes 8-words memory 512-words 512-windows", 8),
    ("QEMU's qemu64", AMD, 0x0f, 0x6b, BASE + " sse3 cx16 lahf", 4, "estimates", "none", 4),
    ("Opteron, SSE2 alone", AMD, 0x0f, 0x05, BASE, 4, "estimates", "none", 4),
    ("unknown maker and model, AVX2", OTHER, 0x18, 0x04, HASWELL, 8, "fma estimates", "16-bytes 8-words memory", 8),
    ("a model to come, AVX-512", INTEL, 6, 0xfe, SAPPHIRE, 16, "fma fp16 mask-registers math-primitives estimates", P512B,
     16),
]

KERNEL = """
kernel void probe(global float *out, global const float *in, global const int *index, float a)
{
    size_t i = get_global_id(0);
    float x = in[index[i]] * a + in[i];
    for (int k = 0; k < 4; k++)
        x = fma(x, a, sin(x)) + rsqrt(x);
    out[i] = x;
}
"""
# Text of an assembly that needs a feature.
NEEDS = [(r"%zmm", "avx512f"), (r"%ymm", "avx"), (r"\bv(perm|gather)[dq]\w*", "avx2"),
         (r"\bvfn?m(add|sub)\w*(132|213|231)", "fma"), (r"\bvfn?m(add|sub)", "fma fma4"), (r"%k[1-7]\b", "avx512f"),
         (r"\bvcvtph2ps", "f16c"), (r"\b(pdep|pext|mulx|shlx|shrx|sarx|rorx)[lq]\b", "bmi2"), (r"\bandn[lq]\b", "bmi"),
         (r"\broundps", "sse41"), (r"\bpshufb", "ssse3"), (r"\bpopcnt", "popcnt"), (r"\bvpdp", "avx512vnni avxvnni"),
         (r"\bmovbe", "movbe"), (r"\b[lt]zcnt", "lzcnt bmi")]


def cpuid(maker, family, model, features):
    """The registers of each leaf: {(leaf, subleaf): {register: value}}."""
    leaves = {}

    def put(leaf, subleaf, register, value):
        leaves.setdefault((leaf, subleaf), {})
        leaves[leaf, subleaf][register] = leaves[leaf, subleaf].get(register, 0) | value

    text = maker.encode()
    put(0, 0, "eax", 0x24)
    for register, at in (("ebx", 0), ("edx", 4), ("ecx", 8)):
        put(0, 0, register, int.from_bytes(text[at:at + 4], "little"))
    put(0x80000000, 0, "eax", 0x80000008)
    base, more = min(family, 15), max(family - 15, 0)
    put(1, 0, "eax", (model & 15) << 4 | (model >> 4) << 16 | base << 8 | more << 20 | 1)
    put(7, 0, "eax", 1)
    for name in features.split():
        leaf, subleaf, register, bit = BITS[name]
        put(leaf, subleaf, register, 1 << bit)
    if "avx10" in features.split():
        put(0x24, 0, "ebx", 1 | 7 << 16)
    return leaves


def weftc(folder, leaves, *arguments):
    path = os.path.join(folder, "cpuid")
    with open(path, "w") as f:
        for (leaf, subleaf), r in leaves.items():
            f.write(f"{leaf:x} {subleaf:x} " + " ".join(f"{r.get(n, 0):x}" for n in ("eax", "ebx", "ecx", "edx")) + "\n")
    env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}
    env.update(LD_PRELOAD=library, WEFT_TEST_CPUID=path, WEFT_CONF="none")
    run = subprocess.run([WEFTC, *arguments], env=env, capture_output=True, text=True, timeout=LIMIT_S)
    if run.returncode == UNAVAILABLE:
        print("skipped: cpuid doesn't fault here (Linux has cpuid_fault in /proc/cpuinfo where it can)")
        sys.exit(UNAVAILABLE)
    return run


def check(folder, kernel, row):
    """Returns what is wrong, as lines."""
    name, maker, family, model, features, lanes, instructions, permutes, dot = row
    leaves = cpuid(maker, family, model, features)
    run = weftc(folder, leaves, "--target")
    told = dict(line.split(": ", 1) for line in run.stdout.splitlines() if ": " in line)
    expected = {"lanes of 32 bits": str(lanes), "instructions": instructions, "permutes": permutes,
                "dot products": f"{dot} words"}
    print(f"{name:34} {told.get('processor', '?'):16} {told.get('lanes of 32 bits', '?'):>2} lanes, "
          f"{told.get('dot products', '?')}; {told.get('instructions')}; {told.get('permutes')}")
    wrong = [f"{name}: {key} is {told.get(key)!r}, expected {value!r}" for key, value in expected.items()
             if sorted((told.get(key) or "").split()) != sorted(value.split())]
    if run.returncode:
        wrong.append(f"{name}: weftc --target ends with {run.returncode}: {run.stderr[-500:]}")
    run = weftc(folder, leaves, "--emit=asm", kernel)
    if run.returncode or "probe" not in run.stdout:
        return wrong + [f"{name}: no code: exit status {run.returncode}, {run.stderr[-500:]}"]
    has = set(features.split())
    for line in run.stdout.splitlines():
        for pattern, wanted in NEEDS:
            if re.search(pattern, line) and not has & set(wanted.split()):
                wrong.append(f"{name}: code has `{line.strip()}`, which needs {wanted}")
                return wrong
    if lanes == 16 and "%zmm" not in run.stdout or lanes == 8 and "%ymm" not in run.stdout:
        wrong.append(f"{name}: no register of {lanes} lanes is used")
    return wrong


def main():
    with open("/proc/cpuinfo") as f:
        host = set(re.search(r"^flags\s*:(.*)$", f.read(), re.M)[1].split())
    wrong, left_out = [], []
    with tempfile.TemporaryDirectory() as folder:
        kernel = os.path.join(folder, "probe.cl")
        with open(kernel, "w") as f:
            f.write(KERNEL)
        for row in TABLE:
            # What the operating system saves of the registers is asked of the machine itself (xgetbv).
            needed = {"avx512f", "avx"} & set(row[4].split())
            if needed - host:
                left_out.append(row[0])
                continue
            wrong += check(folder, kernel, row)
    if left_out:
        print(f"left out, since this machine has no such registers: {', '.join(left_out)}")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
