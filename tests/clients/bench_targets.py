"""`scripts/bench --targets` and `--math` compile for the targets that they name, and their tables have each of them.

bench_targets.py VENDORS_DIR"""
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests/bench"))
import targets  # noqa: E402

BENCH = os.path.join(TOP, "scripts/bench")
can, cannot = targets.available(targets.NAMES)
assert can[0] == "sse4.2", f"this machine has less than SSE4.2: {cannot}"


def bench(*options):
    return subprocess.run([sys.executable, BENCH, "--weft", sys.argv[1], *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# The peer is Weft, too, and always compiles for SSE4.2.
out = bench("--math", "--rounds", "1", "--peer", f"old={sys.argv[1]}", "--set", "old:WEFT_CPU=nehalem", "float_sin", "double_rint")
assert out.returncode == 0, out
lines = out.stdout.splitlines()
if cannot:
    assert f"This machine can't run {', '.join(cannot)}." in lines, out
head = next(i for i, line in enumerate(lines) if line.startswith("case"))
assert lines[head].split()[2:] == [word for t in can for word in (t, t, "/", "old")], out
rows = {line[:22].strip(): line.split()[-2 * len(can):] for line in lines[head + 1:head + 3]}
assert list(rows) == ["rint, double", "sin, float"], out
# sin takes a seventh of the time with AVX2, and two thirds on processors that compute in 128 bits.
for target, ratio in zip(can, rows["sin, float"][1::2]):
    assert float(ratio) > 1.2 if target != "sse4.2" else 0.3 < float(ratio) < 3, out
assert [line.split(":")[0] for line in lines[head + 3:]] == can, out

markdown = bench("--targets=sse4.2", "--markdown", "--rounds", "1", "launch_1024")
assert markdown.returncode == 0, markdown
assert markdown.stdout.splitlines()[-3:-1] == ["| case | | sse4.2 |", "|---|---|---:|"], markdown
assert markdown.stdout.splitlines()[-1].startswith("| launch_1024 | µs | "), markdown

wrong = bench("--targets=avx3", "launch_1024")
assert wrong.returncode != 0 and "avx3 is not one of sse4.2, avx2, avx512" in wrong.stderr, wrong
