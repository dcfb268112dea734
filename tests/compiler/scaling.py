#!/usr/bin/env python3
"""scaling.py WEFTC: a kernel four times as long takes about four times as long to compile, not sixteen times.

Processor time of the compiler is compared, less that of an empty kernel; each case has been quadratic once.
"""
import os
import resource
import subprocess
import sys
import tempfile

weftc = sys.argv[1]
MOST = 11  # a linear stage gives 4, a quadratic one 16


def kernel(body, parameters="global int *a, global int *b, local int *t, int n"):
    return (f"kernel void k({parameters})\n{{\n    size_t i = get_global_id(0), l = get_local_id(0);\n"
            f"    int x = a[i];\n{body}\n    b[i] = x;\n}}\n")


def loads(n):
    return kernel("x = " + "\n+ ".join(f"a[i * 7 + {3 * j}]" for j in range(n)) + ";")


def barriers(n):
    return kernel("\n".join(f"t[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += t[l ^ 1] * {j}; barrier(CLK_LOCAL_MEM_FENCE);"
                            for j in range(n)))


def loops(n):
    return kernel("\n".join(f"for (int j = 0; j < (n & {j + 1}); j++) x += a[j + x * {j}];" for j in range(n)))


def chain(n):
    functions = "".join(f"int f{j}(int x) {{ return x * {j + 3} + {f'f{j - 1}(x ^ {j})' if j else 'x'}; }}\n" for j in range(n))
    return functions + kernel(f"x = f{n - 1}(x);")


def gotos(n):
    body = "".join(f"l{j}: x = x * {2 * j + 3} + {j}; if (++c > 200) goto end; if (x & {1 << j % 8}) goto l{(j * 7 + 3) % n};\n"
                   for j in range(n))
    return kernel(f"int c = 0;\n{body}end:;")


def seconds(source, stage):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.cl")
        open(path, "w").write(source)
        best = None
        for _ in range(2):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run([weftc, "--emit=" + stage, path], check=True, stdout=subprocess.DEVNULL, timeout=200)
            spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            best = spent if best is None else min(best, spent)
        return best


bad = 0
for make, n, stage in ((loads, 500, "asm"), (barriers, 80, "asm"), (barriers, 200, "wiloops"), (loops, 200, "asm"),
                       (chain, 800, "asm"), (gotos, 100, "asm")):
    empty = seconds(kernel(""), stage)
    short, long = (max(seconds(make(size), stage) - empty, 0.01) for size in (n, 4 * n))
    print(f"{make.__name__} {n}, {stage}: {short:.2f} s, {4 * n}: {long:.2f} s, {long / short:.1f} times", flush=True)
    bad += long / short > MOST
print(f"{bad} cases grow faster than {MOST} times")
sys.exit(1 if bad else 0)
