#!/usr/bin/env python3
"""scaling.py WEFTC [FAMILY [N]]: a kernel twice as long takes about twice as long to compile.

Each family is a kernel with n parts of a kind, and each has once been quadratic or worse. Processor time of the
compiler is compared, less that of an empty kernel. With a family and n: prints that kernel. Some families also have a
bar for n parts, in terms of one part.
"""
import math
import os
import platform
import random
import subprocess
import sys
import tempfile
import time

from families import INTS, atomic_loops, big_fallthrough, call_chain_structs, kernel, program
from domain_families import cubics_by_else_if, nested_breaks, shading_switch, stack_interpreter
from feature_families import many_images
from program_families import (decision_tree, nested_switches, opcode_loop, sorting_network, struct_argument, switch_values,
                              unrolled_full, unrolled_loops, unrolled_one)

MAX_RATIO = 2.3  # times as long for a kernel twice as long; a linear stage gives 2, a quadratic one 4
UNEVEN = 1.4  # one doubling may be dearer than both of them together by this
FLOOR = 0.3  # seconds: what takes less isn't compared


def loads(n):
    return kernel("x = " + "\n+ ".join(f"a[i * 7 + {3 * j}]" for j in range(n)) + ";")


def barriers(n):
    return kernel("\n".join(f"t[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += t[l ^ 1] * {j}; barrier(CLK_LOCAL_MEM_FENCE);"
                            for j in range(n)))


# Many small regions: functions of their own took four times as long to compile.
def local_arrays(n):
    return program([f"local int t{k}[64]; t{k}[i & 63] = r + {k}; barrier(CLK_LOCAL_MEM_FENCE); r += t{k}[(i * 3) & 63];"
                    for k in range(n)], "r", "global int *out, global int *in", start="int r = in[i];\n")


def loops(n):
    return kernel("\n".join(f"for (int j = 0; j < (n & {j + 1}); j++) x += a[j + x * {j}];" for j in range(n)))


def chain(n):
    functions = "".join(f"int f{j}(int x) {{ return x * {j + 3} + {f'f{j - 1}(x ^ {j})' if j else 'x'}; }}\n" for j in range(n))
    return functions + kernel(f"x = f{n - 1}(x);")


def gotos(n):
    body = "".join(f"l{j}: x = x * {2 * j + 3} + {j}; if (++c > 200) goto end; if (x & {1 << j % 8}) goto l{(j * 7 + 3) % n};\n"
                   for j in range(n))
    return kernel(f"int c = 0;\n{body}end:;")


def products(n):
    return program([f"r += (long)(i * {k} + m) * (m + {k});" for k in range(n)], "r",
                   "global long *out, int m", start="long r = 0;\n")


def long_products(n):
    return products(n).replace("int i =", "long i =")


LOOP = """int f(int x, int n)
{
    int s = 0;
    for (int j = 0; j < (x & 15); j++) {
        if (s & 1)
            s += x * j;
        else if (x > n)
            s -= j;
        else if ((x = x * 3 + 1) == 77)
            break;
    }
    return s;
}
"""


def calls(n):
    return program([f"r += f(r + {k}, m);" for k in range(n)], "r", INTS, LOOP, "int r = in[i];\n")


def doubling(first, between="2"):
    def make(n):
        functions = "".join(f"int f{j}(int x) {{ if (x & {j}) x ^= {j} + {between}; "
                            f"return f{j - 1}(x + {j}) ^ f{j - 1}(x * 3); }}\n" for j in range(1, n + 1))
        return program([], f"f{n}(in[i])", INTS, first + functions)
    return make


doubling_small = doubling("int f0(int x) { return x * 3 + 1; }\n")
doubling_loops = doubling(LOOP.replace("int f(int x, int n)", "int g(int x, int n)")
                          + "int f0(int x) { return g(x, 5); }\n")


# What only the kernel knows is handed over to functions that aren't inlined.
doubling_ids = doubling("int f0(int x) { return x * 3 + (int)get_global_id(0); }\n", "get_local_id(0)")
doubling_printf = doubling("int f0(int x) { if (x == 7) printf(\"%d\\n\", x); return x * 3; }\n")


def swaps(size):
    def make(n):
        fill = f"S x, y, z;\nfor (int j = 0; j < {size}; j++) {{ x.a[j] = in[i + j]; y.a[j] = in[i * 2 + j]; }}\n"
        lines = [f"if (m & {1 << k % 31}) {{ z = x; x = y; y = z; }}" for k in range(n)]
        lines += [f"int r = 0; for (int j = 0; j < {size}; j++) r += x.a[j] * j;"]
        return program(lines, "r", INTS, f"typedef struct {{ int a[{size}]; }} S;\n", fill)
    return make


swaps_small, swaps_large = swaps(16), swaps(64)


def swaps_of_fields(n):
    fields = "x.a + x.b * 3 + x.c + x.d + x.e + x.f + x.g + x.h + (int)(x.v.x + x.w.y)"
    lines = [f"if (m & {1 << k % 31}) {{ z = x; x = y; y = z; }}" for k in range(n)]
    return program(lines, fields, "global int *out, global S *in, int m",
                   "typedef struct { int a, b, c, d, e, f, g, h; float4 v, w; } S;\n", "S x = in[i], y = in[i + 1], z;\n")


def gathers(n):
    lines = [f"r += in[i * a[{k}] + a[{(k * 7 + 1) % 64}] * {k} + {k}];" for k in range(n)]
    return program(lines, "r", "global int *out, global int *in, constant int *a", start="int r = 0;\n")


def longs(n):
    forms = ("r = mul_hi(r, in[i + {k}] + {k});", "r = r % (in[i + {k}] | 1) + {k};", "r = rotate(r, in[i + {k}]);",
             "r = r / (in[i + {k}] | 1) + {k} * 77777;")
    return program([forms[k % 4].format(k=k) for k in range(n)], "r", "global long *out, global long *in",
                   start="long r = in[i];\n")


def private_arrays(n):
    lines = [f"{{ int a[4] = {{in[i + {k}], m, r, {k}}}; r += a[(in[i] + {k}) & 3]; a[r & 3] = m + {k}; "
             f"r ^= a[(m + {k}) & 3]; }}" for k in range(n)]
    return program(lines, "r", INTS, start="int r = in[i];\n")


def uniform_barriers(n):
    return kernel("\n".join(f"if (n & {1 << j % 31}) {{ t[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += t[l ^ 1] * {j}; }}"
                            for j in range(n)))


def local_atomics(n):
    return program([f"atomic_add(t + ((r + {k}) & 63), {k}); r ^= t[{k} & 63];" for k in range(n)], "r",
                   INTS + ", local int *t", start="int r = in[i];\n")


def scattered(n):
    return program([f"out[in[i + {k}]] = r; r += in[out[i + {k}]];" for k in range(n)], "r", INTS, start="int r = in[i];\n")


def bits(n):
    choice = random.Random(1)
    lines = []
    for k in range(n):
        a, x, y, z = (choice.randrange(64) for _ in range(4))
        lines.append((f"v{a} ^= v{x} & v{y};", f"v{a} = (v{x} | v{y}) ^ v{z};", f"v{a} = ~v{x} & (v{y} ^ v{z});",
                      f"v{a} |= v{x} ^ v{a};")[k % 4])
    start = "".join(f"uint v{j} = in[i + {j}];\n" for j in range(64))
    return program(lines, " + ".join(f"v{j}" for j in range(64)), INTS, start=start)


def vectors(load, type):
    def make(n):
        lines = ["s += " + load.format(k=k) + f" * {k};" for k in range(n)]
        return program(lines, "s.s0 + s.s1 + s.s2 + s.s3 + s.s4 + s.s5 + s.s6 + s.s7",
                       f"global float *out, global {type} *in", start="float8 s = 0;\n")
    return make


halves, converted = vectors("vload_half8(i + {k}, in)", "half"), vectors("convert_float8(vload8(i + {k}, in))", "short")


def unrolled(type):
    def make(n):
        return program(["#pragma unroll", f"for (int j = 0; j < {n}; j++) r += w[j] * w[j * m];"], "r",
                       f"global int *out, constant {type} *w, int m", start="int r = i;\n")
    return make


def image_reads(read, type="float4", before=""):
    def make(n):
        return program([f"s += {read.format(k=k)} * {k + 1};" for k in range(n)], "s",
                       f"global {type} *out, read_only image2d_t img, int m, sampler_t any", before, f"{type} s = 0;\n")
    return make


NEAREST = "constant sampler_t c = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
images = image_reads("read_imagef(img, (int2)(i + {k}, m))")
images_unsigned = image_reads("read_imageui(img, (int2)(i + {k}, m))", "uint4")
images_nearest = image_reads("read_imagef(img, c, (int2)(i + {k}, m))", before=NEAREST)
images_linear = image_reads("read_imagef(img, c, (float2)(i + {k}, m))", before=NEAREST.replace("NEAREST;", "LINEAR;"))
images_any_sampler = image_reads("read_imagef(img, any, (float2)(i + {k}, m))")


def image_writes(write, type):
    def make(n):
        return program([f"{write}(img, (int2)(i + {k}, m), in[i + {k}] * {k + 1});" for k in range(n)], "0",
                       f"global int *out, write_only image2d_t img, global {type} *in, int m")
    return make


writes, writes_unsigned = image_writes("write_imagef", "float4"), image_writes("write_imageui", "uint4")


# Each vector is as many operations as it has elements, and each operation was looked at again and again.
def selects(n):
    return program([f"s = select(s + {k}, s * t, s > t); t = (s == t) ? s : in[i + {k}];" for k in range(n)], "s + t",
                   "global int8 *out, global int8 *in, int m", start="int8 s = in[i], t = in[i + 1];\n")


def wide_loads(n):
    lines = [f"s = s * 3 + convert_int16(vload16(i + {k}, in)); vstore8(s.lo, i + {k}, o); vstore4(s.s048c, i + {k * 3}, o);"
             for k in range(n)]
    return program(lines, "s.s0 + s.sf", "global int *out, global uchar *in, global int *o", start="int16 s = 0;\n")


def shuffles(n):
    lines = [f"s = shuffle(s, mask + (uint8){k}) + t; t = shuffle2(s, t, mask ^ (uint8){k % 16}) * s;" for k in range(n)]
    return program(lines, "s.s0 + t.s3 + s.s7", "global float *out, global float8 *in, global uint8 *masks",
                   start="float8 s = in[i], t = in[i + 1]; uint8 mask = masks[i];\n")


def doubles(n):
    forms = ("sin(s)", "exp(s)", "log(s)", "pow(s, t)", "atan2(s, t)", "cbrt(s)")
    return program([f"s += {forms[k % 6]} * {k}; t = s - t;" for k in range(n)], "s + t",
                   "global double *out, global double *in", start="double s = in[i], t = in[i + 1];\n")


def whiles(n):
    return program([f"while (r > {k}) {{ r -= in[i + {k}]; if (r == m) break; if (r & 1) continue; r /= 3; }}"
                    for k in range(n)], "r", INTS, start="int r = in[i];\n")


def printfs(n):
    return program([f'if (r == {k}) printf("%d %f %d\\n", r, {k}.5f, i);' for k in range(n)], "r", INTS,
                   start="int r = in[i];\n")


def maths(n):
    forms = ("exp(s)", "pow(s, t)", "atan2(s, t)", "lgamma(s)", "erf(t)")
    return program([f"s += {forms[k % 5]} * {k}; t = s - t;" for k in range(n)], "s + t",
                   "global float4 *out, global float4 *in", start="float4 s = in[i], t = in[i + 1];\n")


def ranges(n):
    lines = [f"else if (r < {k * 7 + 1} && (m & {1 << k % 30})) r += {k * k + 3};" for k in range(n)]
    return program(["if (r < 0) r = 1;", *lines], "r", INTS, start="int r = in[i];\n")


# A row of loops, each with variables of its own: all that follows was visited for each of them.
def nested(n):
    lines = [f"for (int y{k} = 0; y{k} < m; y{k}++) for (int z = 0; z < y{k}; z++) {{ int v = in[y{k} * m + z + {k}]; "
             f"if (v > r) r = v * {k}; else r += v / (z + 1); }}" for k in range(n)]
    return program(lines, "r", INTS, start="int r = in[i];\n")


def switches(n):
    lines = [f"for (int j = 0; j < (m & 7); j++) switch ((r + {k}) & 7) {{ case 0: r += j; break; case 1: r ^= in[i + {k}]; "
             f"break; case 2: r *= 3; case 3: r -= j; break; case 5: r = r >> 1; break; default: r += {k}; }}" for k in range(n)]
    return program(lines, "r", INTS, start="int r = in[i];\n")


# A loop with lanes whose body is many branches: each is a mask, and each was a variable of the whole body.
def branches_in_loop(n):
    lines = [f"if (r & {1 << k % 30}) r += in[i + j + {k}]; else if (r < {k}) r ^= j; else continue;" for k in range(n)]
    return program(["for (int j = 0; j < m; j++) {", *lines, "}"], "r", INTS, start="int r = in[i];\n")


def continues(n):
    lines = [f"r -= in[i + {k}]; if (r == {k}) continue; if (r < -{k}) break;" for k in range(n)]
    return program(["while (r > 0) {", *lines, "}"], "r", INTS, start="int r = in[i];\n")


def choices(n):
    chain = "".join(f"y < {k}.5f ? y * {k}.25f :\n" for k in range(n))
    return program([f"y = {chain} 0;"], "y", "global float *out, global float *in", start="float y = in[i];\n")


def byte_vectors(n):
    lines = [f"s += convert_int4(vload4(i + {k}, p)) * {k}; s.xy ^= vload2(i * 3 + {k}, in); vstore2(s.zw, i + {k}, out);"
             for k in range(n)]
    return program(lines, "s.x + s.y", "global int *out, global int *in, global uchar *p", start="int4 s = 0;\n")


def functions_of_pointers(n):
    types = "".join(f"typedef struct {{ int a; float b; uchar c[4]; {'int2 d;' if k % 2 else 'short e;'} }} S{k};\n"
                    f"void f{k}(S{k} *s, int m) {{ if (m > {k}) s->a ^= m; s->b *= {k}.5f; }}\n" for k in range(n))
    lines = [f"S{k} s{k}; s{k}.a = r + {k}; s{k}.b = (float)r; s{k}.c[r & 3] = (uchar)r; f{k}(&s{k}, m); "
             f"r += s{k}.a + (int)s{k}.b + s{k}.c[1];" for k in range(n)]
    return program(lines, "r", INTS, types, "int r = in[i];\n")


def atomics(n):
    lines = [("atomic_inc(in + (r & 255)); r += atomic_max(out + {k}, r);",
              "atomic_add(out + ((r + {k}) & 63), {k}); r ^= atomic_cmpxchg(in + {k}, r, {k});")[k % 2].format(k=k) for k in range(n)]
    return program(lines, "r", INTS.replace("global", "volatile global"), start="int r = in[i];\n")


# So many halves that what is known of their order in memory has to have room.
def half_pairs(n):
    lines = [f"h = vload_half4(i + {k}, in) * h + {k}; vstore_half4(h, i + {k}, out);" for k in range(n)]
    return program(lines, "(half)0", "global half *out, global half *in", start="float4 h = 0;\n").replace(
        "out[i] = (half)0", "vstore_half4(h, i, out)")


# instcombine numbered all instructions of a block again and again.
def chars(n):
    lines = [f"c = c * (char)3 + (char){k % 100}; s = (short)(s * c) >> 1; c ^= (char)s; "
             f"u = (uchar)(u / (uchar)((c & 15) | 1)) + {k % 7};" for k in range(n)]
    return program(lines, "c + s + u", "global char *out, global char *in", start="char c = in[i]; short s = c; uchar u = 200;\n")


# A coefficient for each line left the loop over work-items, and was spilled.
def polynomial(n):
    return program([f"y = fma(y, x, c[{k}]);" for k in range(n)], "y", "global float *out, global float *in, constant float *c",
                   start="float x = in[i], y = 0;\n")


# Each number is looked for among all constants of the function.
def constants(n):
    return program([f"x = x * {k}.25f + d[x > {k}.5f ? 1 : 0];" for k in range(n)], "x", "global float *out, global float *in",
                   "constant float d[2] = {1, 2};\n", "float x = in[i];\n")


# A long function whose values live in all of it.
def filter_rows(n):
    return image_reads("read_imagef(img, c, (int2)(i + {k}, m + {k} / 9))", before=NEAREST)(n)


# Loops that are entered in the middle: each variable had phis that were only made of each other.
def irreducible(n):
    lines = [f"l{k}: r += in[i + {k}]; if (r & {1 << k % 20}) goto m{k}; r ^= {k}; m{k}: r *= 3; "
             f"if (++c < 100 && r & {1 << (k + 1) % 20}) goto l{k * 5 % n};" for k in range(n)]
    return program(["if (r & 1) goto m0;", *lines], "r", INTS, start="int r = in[i], c = 0;\n")


# Copies of padding were made byte by byte, LLVM's mem2reg visited all phis again and again, and SROA all
# accesses to a structure for each of its copies.
def struct_calls(n):
    functions = "".join(f"S f{j}(S s, S q, int k) {{ s.a += q.b[{j % 8}] * k; s.v *= q.v; if (s.a > k) s.b[k & 7] = q.a; "
                        f"return s; }}\n" for j in range(16))
    lines = [f"s = f{k % 16}(s, q, {k}); q.b[{k % 8}] = s.a;" for k in range(n)]
    return program(lines, "s.a + q.b[i & 7] + (int)s.v.x", INTS,
                   "typedef struct { int a; float4 v; int b[8]; } S;\n" + functions,
                   "S s, q; s.a = in[i]; q.a = m; s.v = q.v = (float4)(i);\n"
                   "for (int j = 0; j < 8; j++) { s.b[j] = in[i + j]; q.b[j] = in[i * 2 + j]; }\n")


# Behind each row of loops with barriers are ways to all that follow.
def barrier_nests(n):
    lines = [f"for (int p = 0; p < n; p++) {{ for (int q = 0; q < p; q++) {{ t[l] = x + q; barrier(CLK_LOCAL_MEM_FENCE); "
             f"x += t[(l + 1) & 63] * {k + 1}; barrier(CLK_LOCAL_MEM_FENCE); }} "
             f"if (n > {k}) {{ t[l ^ 1] = x; barrier(CLK_LOCAL_MEM_FENCE); x ^= t[l]; }} }}" for k in range(n)]
    return kernel("\n".join(lines))


# For each case all of the loop was looked through for branches that leave it.
def interpreter(n):
    lines = [f"case {k}: s[d] = s[{k % 16}] {'+-*^&|'[k % 6]} s[(d + {k}) & 15] + {k}; break;" for k in range(n)]
    return program(["for (int pc = 0; pc < m; pc++) { int d = in[pc + 1] & 15; switch (in[pc]) {", *lines, "} }"],
                   "s[0] + s[5] + s[15]", INTS, start="int s[16]; for (int j = 0; j < 16; j++) s[j] = in[i * 16 + j];\n")


unrolled_ints, unrolled_shorts = unrolled("int"), unrolled("short")

FAMILIES = {
    "loads": (loads, 500, "asm"), "barriers": (barriers, 64, "asm"), "barriers, wiloops": (barriers, 200, "wiloops"),
    "local arrays": (local_arrays, 16, "asm"), "loops": (loops, 128, "asm"), "chain": (chain, 800, "asm"), "gotos": (gotos, 100, "asm"),
    "products": (products, 32, "asm"), "long products": (long_products, 32, "asm"), "calls": (calls, 128, "asm"),
    "doubling, small": (doubling_small, 8, "asm"), "doubling, loops": (doubling_loops, 8, "asm"),
    "doubling, ids": (doubling_ids, 8, "asm"), "doubling, printf": (doubling_printf, 8, "asm"),
    "local atomics": (local_atomics, 128, "asm"), "scattered": (scattered, 128, "asm"),
    "swaps, small": (swaps_small, 64, "asm"), "swaps, large": (swaps_large, 64, "asm"),
    "swaps of fields": (swaps_of_fields, 64, "asm"), "gathers": (gathers, 128, "asm"), "longs": (longs, 128, "asm"),
    "private arrays": (private_arrays, 128, "asm"), "uniform barriers": (uniform_barriers, 64, "asm"),
    "bits": (bits, 512, "asm"), "halves": (halves, 128, "asm"), "converted": (converted, 128, "asm"),
    "unrolled ints": (unrolled_ints, 60, "asm"), "unrolled shorts": (unrolled_shorts, 60, "asm"),
    "doubling, deep": (doubling_small, 64, "asm"), "images": (images, 16, "asm"), "images, unsigned": (images_unsigned, 16, "asm"),
    "images, nearest": (images_nearest, 16, "asm"), "images, linear": (images_linear, 8, "asm"),
    "images, any sampler": (images_any_sampler, 8, "asm"), "images, eight samplers": (many_images, 8, "asm"),
    "whiles": (whiles, 32, "asm"), "printfs": (printfs, 64, "asm"), "writes": (writes, 4, "asm"),
    "writes, unsigned": (writes_unsigned, 4, "asm"), "selects": (selects, 32, "asm"),
    "wide loads": (wide_loads, 16, "asm"), "shuffles": (shuffles, 16, "asm"), "doubles": (doubles, 32, "asm"),
    "nested": (nested, 64, "asm"), "switches": (switches, 64, "asm"), "branches in a loop": (branches_in_loop, 256, "asm"),
    "continues": (continues, 256, "asm"), "choices": (choices, 512, "asm"), "byte vectors": (byte_vectors, 64, "asm"),
    "functions of pointers": (functions_of_pointers, 256, "asm"), "atomics": (atomics, 512, "asm"),
    "maths": (maths, 16, "asm"), "ranges": (ranges, 256, "asm"), "half pairs": (half_pairs, 256, "asm"),
    "chars": (chars, 512, "asm"), "polynomial": (polynomial, 2048, "asm"), "constants": (constants, 1024, "asm"),
    "filter rows": (filter_rows, 512, "asm"), "irreducible": (irreducible, 512, "asm"),
    "struct calls": (struct_calls, 128, "asm"), "barrier nests": (barrier_nests, 32, "asm"),
    "interpreter": (interpreter, 256, "asm"), "atomic loops": (atomic_loops, 256, "asm"),
    "call chain of structs": (call_chain_structs, 512, "asm"),
    "switches in a switch": (nested_switches, 128, "asm"), "opcodes": (opcode_loop, 128, "asm"),
    "decision tree": (decision_tree, 1024, "asm"), "long constants": (switch_values, 1024, "asm"),
    "rows of loops": (unrolled_loops, 128, "asm"), "unrolled loops": (unrolled_full, 128, "asm"),
    "one long loop": (unrolled_one, 512, "asm"), "sorting network": (sorting_network, 1024, "asm"),
    "struct argument": (struct_argument, 512, "asm"), "cubics by else if": (cubics_by_else_if, 256, "asm"),
    "stack interpreter": (stack_interpreter, 512, "asm"), "shading switch": (shading_switch, 64, "asm"),
    "nested breaks": (nested_breaks, 32, "asm"),
}

# For a processor that hasn't what this one may have: conversions of halves, masked accesses.
SSE42 = {"half pairs, SSE4.2": (half_pairs, 128, "asm"), "masked, SSE4.2": (big_fallthrough, 256, "asm")}
FAMILIES.update(SSE42)

# Some families also have a bar: n parts take at most so many times as long as one. Image reads share the code
# for formats other than the most common one. The bars lie between what was measured with shared code (images:
# 1.0 to 2.5; unsigned, whose single read is cheap: 1.6 to 3.1; the others: 1.4 to 1.9) and with code for each
# read (4.0 to 5.8; 5.4 to 9.8; 4.1 to 6.2), on AVX2 and AVX-512.
# Reads through any sampler are calls from the second one on (1.0 to 1.2; inlined they took 1.9).
# Eight samplers share one (2.5; with a function for each of them they took 6.4).
# Writes of any format are calls, too (1.6 to 3.4; inlined they took 6.2 to 6.6).
# 128 pairs of half conversions that are calls take 6 to 9 times as long; inlined they took 45 to 70.
BARS = {"half pairs, SSE4.2": 20, "writes, unsigned": 4.5, "images": 3.2,
        "images, unsigned": 4.2, "images, nearest": 3, "images, linear": 3, "images, any sampler": 1.6,
        "images, eight samplers": 4}


def seconds(weftc, source, stage, cpu=None):
    """The sum of all stages: neither the start of the process nor the printing of its result."""
    environment = {**os.environ, "WEFT_CPU": cpu} if cpu else None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.cl")
        open(path, "w").write(source)
        done = subprocess.run([weftc, "--time-stages", "--emit=" + stage, path], check=True, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=200, env=environment)
        return sum(float(line.split()[3]) for line in done.stderr.splitlines() if line.startswith("weftc: time:")) / 1000


def main():
    weftc = sys.argv[1]
    if len(sys.argv) == 4 and sys.argv[3].isdigit():
        print(FAMILIES[sys.argv[2]][0](int(sys.argv[3])))
        return 0
    bad = 0
    for name in sys.argv[2:] or FAMILIES:
        make, n, stage = FAMILIES[name]
        cpu = "nehalem" if name in SSE42 and platform.machine() == "x86_64" else None
        empty = seconds(weftc, kernel(""), stage, cpu)
        spent, one = [float("inf")] * 3, float("inf")
        # Processor time depends on what else runs, also on other machines of the same host, for some seconds
        # at a time: what is too slow is measured again, and the least time counts.
        for attempt in range(6):
            time.sleep(attempt)
            spent = [min(old, max(seconds(weftc, make(size), stage, cpu) - empty, 0.01)) for old, size in zip(spent, (n, 2 * n, 4 * n))]
            short, middle, long = (max(t, FLOOR) for t in spent)
            # A budget that ends between two sizes, or a busy moment, makes one doubling dearer than the next.
            # What grows too fast does so in both.
            ratio = max(math.sqrt(long / short), middle / short / UNEVEN, min(long / middle, long / short) / UNEVEN)
            one = min(one, max(seconds(weftc, make(1), stage, cpu) - empty, 0.01)) if name in BARS else spent[0]
            slow, above = ratio > MAX_RATIO, spent[0] > BARS.get(name, 1) * one
            if not slow and not above:
                break
        print(f"{name}: {', '.join(f'{size}: {t:.2f} s' for size, t in zip((n, 2 * n, 4 * n), spent))}"
              + (f": {ratio:.1f} times for twice as much" if slow else "")
              + (f": {spent[0] / one:.1f} times as long as one part" if above else ""), flush=True)
        bad += slow or above
    print(f"{bad} families grow faster than {MAX_RATIO} times when a kernel is twice as long, or are above their bar")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
