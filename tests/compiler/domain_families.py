"""Families of kernels by what programs do: ciphers, solvers, virtual machines, renderers, generated code.

Each is a function from n to OpenCL C with n parts of a kind, as those of families.py and program_families.py are, for
tests/compiler/growth.py. Their names say what is in them, not what for.
"""
import random

from families import INTS, ints, kernel, program

FLOATS = "global float *out, global float *in, int m"
UINTS = "global uint *out, global uint *in, int m"


# ---- generated mathematics ----

def rates_in_arrays(n):
    """A system of n equations with sparse coupling and one step of Runge-Kutta, as generators for chemistry make it."""
    choice = random.Random(5)
    rates = "".join(f"    d[{k}] = {choice.random():.3f}f * y[{choice.randrange(n)}] * y[{choice.randrange(n)}] - "
                    f"{choice.random():.3f}f * y[{k}] + exp(-y[{choice.randrange(n)}]) * {k}.25f;\n" for k in range(n))
    before = f"void rates(const float *y, float *d)\n{{\n{rates}}}\n"
    start = f"float y[{n}], d[{n}], z[{n}];\nfor (int j = 0; j < {n}; j++) y[j] = in[i * {n} + j];\n"
    lines = ["rates(y, d);", f"for (int j = 0; j < {n}; j++) z[j] = y[j] + 0.05f * d[j];", "rates(z, d);",
             f"for (int j = 0; j < {n}; j++) in[i * {n} + j] = y[j] + 0.1f * d[j];"]
    return program(lines, "y[0]", FLOATS, before, start)


def rates_in_variables(n):
    """The same with a variable for each quantity, in straight code with many common subexpressions."""
    choice = random.Random(6)
    start = "".join(f"float y{k} = in[i * {n} + {k}];\n" for k in range(n))
    lines = [f"float d{k} = y{k} * (1 - y{(k + 1) % n} / {k + 2}.5f) + k{k % 4} * (y{choice.randrange(n)} - y{k}) * "
             f"exp(-0.{k + 1}f * y{choice.randrange(n)});" for k in range(n)]
    lines += [f"in[i * {n} + {k}] = y{k} + 0.01f * d{k};" for k in range(n)]
    return program(lines, "d0", FLOATS, start=start + "float k0 = in[0], k1 = in[1], k2 = in[2], k3 = in[3];\n")


def products_stored(n):
    """A sparse matrix of derivatives: each entry is a product of powers, stored at once."""
    lines = [f"out[{k} * m + i] = y{k % 8} * y{(k * 3 + 1) % 8} * t{k % 4} - {k}.5f / (y{(k * 5 + 2) % 8} + {k + 1}.f);" for k in range(n)]
    start = "".join(f"float y{j} = in[i * 8 + {j}];\n" for j in range(8)) + "".join(
        f"float t{j} = pow(y{j}, {j}.3f);\n" for j in range(4))
    return program(lines, "t0", FLOATS, start=start)


def sum_of_powers(n):
    """One sum of n products of powers, as computer algebra systems write it."""
    choice = random.Random(8)
    terms = " + ".join(f"{k + 1}.5f*" + "*".join("xyz"[choice.randrange(3)] for _ in range(choice.randrange(1, 6))) for k in range(n))
    return program([f"float r = {terms};"], "r", FLOATS, start="float x = in[i], y = in[i + 1], z = in[i + 2];\n")


def cubics_by_else_if(n):
    """A function by pieces: a search, then a cubic of that piece."""
    lines = [f"{'else ' if k else ''}if (x < {k + 1}.f) y = (({k}.1f * x - {k}.2f) * x + {k}.3f) * x - {k}.4f;" for k in range(n)]
    return program(lines, "y", FLOATS, start="float x = in[i], y = 0;\n")


def float2_butterflies(n):
    """Stages of a transform over 16 complex numbers in registers."""
    lines = []
    for k in range(n):
        a, b = k % 16, (k % 16) ^ (1 << (k // 16 % 4))
        lines.append(f"t = v{a} - v{b}; v{a} += v{b}; v{b} = (float2)(t.x * 0.{k + 1}f - t.y * 0.7f, t.x * 0.7f + t.y * 0.{k + 1}f);")
    start = "float2 t;\n" + "".join(f"float2 v{j} = in[i * 16 + {j}];\n" for j in range(16))
    return program(lines, " + ".join(f"v{j} * {j}.f" for j in range(16)), "global float2 *out, global float2 *in", start=start)


# ---- ciphers and hashes ----

def byte_table_rounds(n):
    """Rounds over bytes: substitution by a table, rows, columns in GF(2^8)."""
    table = ", ".join(str((k * 167 + 99) % 256) for k in range(256))
    before = (f"constant uchar sbox[256] = {{{table}}};\nuchar x2(uchar a) {{ return (uchar)(a << 1 ^ (a >> 7) * 0x1b); }}\n"
              "void round(uchar *s, global const uchar *key)\n{\n    uchar t[16];\n"
              "    for (int j = 0; j < 16; j++) t[j] = sbox[s[j * 5 & 15]];\n"
              "    for (int c = 0; c < 4; c++) for (int r = 0; r < 4; r++)\n"
              "        s[c * 4 + r] = x2(t[c * 4 + r]) ^ x2(t[c * 4 + (r + 1) % 4]) ^ t[c * 4 + (r + 1) % 4] ^ t[c * 4 + (r + 2) % 4] "
              "^ t[c * 4 + (r + 3) % 4] ^ key[c * 4 + r];\n}\n")
    return program([f"round(s, in + {k} * 16);" for k in range(n)], "s[0] ^ s[7]", "global uchar *out, global uchar *in", before,
                   "uchar s[16]; for (int j = 0; j < 16; j++) s[j] = in[i * 16 + j];\n")


def add_rotate_xor(n):
    before = ("#define Q(a, b, c, d) a += b; d = rotate(d ^ a, 16u); c += d; b = rotate(b ^ c, 12u); a += b; "
              "d = rotate(d ^ a, 8u); c += d; b = rotate(b ^ c, 7u);\n")
    line = ("Q(x0, x4, x8, x12) Q(x1, x5, x9, x13) Q(x2, x6, x10, x14) Q(x3, x7, x11, x15) "
            "Q(x0, x5, x10, x15) Q(x1, x6, x11, x12) Q(x2, x7, x8, x13) Q(x3, x4, x9, x14)")
    start = "".join(f"uint x{j} = in[i * 16 + {j}];\n" for j in range(16))
    return program([line] * n, " ^ ".join(f"x{j}" for j in range(16)), UINTS, before, start)


def struct_mixing(n):
    """A mixing function of structs with 64-bit words and a permuted message."""
    before = "typedef struct { ulong v[8]; } H;\n" \
             "void mix(H *h, int a, int b, int c, int d, ulong x, ulong y) { h->v[a] += h->v[b] + x; h->v[d] = rotate(h->v[d] ^ h->v[a], 32ul); " \
             "h->v[c] += h->v[d]; h->v[b] = rotate(h->v[b] ^ h->v[c], 40ul); h->v[a] += h->v[b] + y; }\n"
    lines = [f"mix(&h, {k % 8}, {(k + 1) % 8}, {(k + 2) % 8}, {(k + 3) % 8}, in[{k * 7 % 16}], w[{k * 5 % 8}]);" for k in range(n)]
    return program(lines, "h.v[0] ^ h.v[3]", "global ulong *out, global ulong *in", before,
                   "H h; ulong w[8]; for (int j = 0; j < 8; j++) { h.v[j] = in[i + j]; w[j] = in[i * 8 + j]; }\n")


def digest_comparisons(n):
    """A password cracker's end: each candidate is compared with each of n digests."""
    lines = [f"if (a == {k * 2654435761 % 4294967296}u && b == {k * 40503 % 65536}u) {{ out[atomic_inc(out)] = i ^ {k}; }}" for k in range(n)]
    return program(lines, "a", UINTS.replace("global uint *out", "volatile global uint *out"), start="uint a = in[i] * 77, b = rotate(a, 9u) ^ 5;\n")


# ---- control ----

def stack_interpreter(n):
    """An interpreter with a private stack and n opcodes, some of which jump or end."""
    cases = []
    for k in range(n):
        cases.append((f"case {k}: s[++sp & 31] = code[pc++] + {k}; break;",
                      f"case {k}: sp--; s[sp & 31] = s[sp & 31] {'+-*^'[k % 4]} s[(sp + 1) & 31]; break;",
                      f"case {k}: if (s[sp-- & 31] > {k}) pc = code[pc]; else pc++; break;",
                      f"case {k}: if (s[sp & 31] == {k}) goto done; break;",
                      f"case {k}: s[sp & 31] = in[(s[sp & 31] + {k}) & 1023]; break;")[k % 5])
    return program(["while (steps++ < 4096) switch (code[pc++]) {", *cases, "default: goto done; }", "done:;"], "s[sp & 31]",
                   "global int *out, global int *in, global int *code", start="int s[32], sp = 0, pc = 0, steps = 0; s[0] = in[i];\n")


def register_interpreter(n):
    """Registers in private memory, three operands, condition flags."""
    cases = [f"case {k}: {{ int v = r[a] {('+', '-', '*', '&', '|', '^')[k % 6]} (r[b] + {k}); z = v == 0; c = v < r[a]; r[d] = v; "
             + ("if (z) pc += 2; " if k % 4 == 0 else "") + "break; }" for k in range(n)]
    return ints(["for (int pc = 0; pc < m; pc++) { int w = in[pc], a = w & 15, b = w >> 4 & 15, d = w >> 8 & 15; switch (w >> 12) {", *cases,
                 "} }"], start="int r2[16], z = 0, c = 0; for (int j = 0; j < 16; j++) r2[j] = in[i + j];\n", result="r2[0] + z + c").replace(
                     " r[", " r2[").replace("(r[", "(r2[")


def word_comparisons(n):
    """A recogniser of n words, letter by letter, with goto to the next word."""
    choice = random.Random(4)
    lines = []
    for k in range(n):
        word = [choice.randrange(97, 123) for _ in range(3 + k % 4)]
        tests = " ".join(f"if (p[{j}] != {c}) goto n{k};" for j, c in enumerate(word))
        lines.append(f"{tests} r = {k}; goto end; n{k}:;")
    return program([*lines, "end:;"], "r", "global int *out, global uchar *in", start="global uchar *p = in + i; int r = -1;\n")


def nested_breaks(n):
    """Loops in loops that end in several ways, with flags."""
    lines = [f"for (int a = 0; a < m; a++) {{ for (int b = a; b < m; b++) {{ int v = in[a * m + b + {k}]; if (v < 0) break; "
             f"if (v == {k}) {{ f |= {1 << k % 30}; break; }} for (int c = 0; c < b; c++) {{ if (in[c] == v) continue; r += c * {k + 1}; "
             f"if (r > {k * 1000 + 1000}) goto o{k}; }} }} if (f & {1 << k % 30}) break; }} o{k}: r -= f;" for k in range(n)]
    return ints(lines, start="int f = 0;\n")


def retry_gotos(n):
    """Checks that start again from one of the steps before."""
    lines = [f"s{k}: if (t++ > 500) goto fail; r = r * 5 + in[(i + {k}) & 1023]; if ((r & 15) == {k % 16}) goto s{max(k - 3, 0)};" for k in range(n)]
    return ints([*lines, "goto end; fail: r = -1; end:;"], start="int t = 0;\n")


def uniform_flags(n):
    """Settings that are the same for all work-items choose what is done, as in one kernel for all variants of a model."""
    lines = [f"if (flags & {1 << k % 31}) {{ x = x * a{k % 8} + {k}.5f; if (mode == {k % 5}) x = sqrt(fabs(x)); else y += x; }}" for k in range(n)]
    start = "float x = in[i], y = 0;\n" + "".join(f"float a{j} = in[{j}];\n" for j in range(8))
    return program(lines, "x + y", FLOATS + ", int flags, int mode", start=start)


# ---- images, rendering ----

def clamped_pixels(n):
    """Filters of 8-bit pixels as macros make them: loads with a border, weights, saturation, a packed store."""
    before = ("#define CLAMP(v, h) ((v) < 0 ? 0 : (v) >= (h) ? (h) - 1 : (v))\n#define PIXEL(dx, dy) src[CLAMP(y + (dy), h) * w + CLAMP(x + (dx), w)]\n"
              "#define WEIGHT(dx, dy, k) convert_float4(PIXEL(dx, dy)) * (float4)(k)\n")
    lines = [f"acc += WEIGHT({k % 7 - 3}, {k // 7 % 7 - 3}, c[{k}]);" for k in range(n)]
    return program(lines, "convert_uchar4_sat_rte(acc)", "global uchar4 *out, global uchar4 *src, constant float *c, int w, int h", before,
                   "int x = i, y = get_global_id(1); float4 acc = 0;\n")


def float3_branches(n):
    """Steps of a photo editor: curves, conversions, blends, each with branches."""
    before = ("float3 to_hsv(float3 c) { float mx = max(c.x, max(c.y, c.z)), mn = min(c.x, min(c.y, c.z)), d = mx - mn; float h = 0; "
              "if (d > 0) { if (mx == c.x) h = (c.y - c.z) / d; else if (mx == c.y) h = 2 + (c.z - c.x) / d; else h = 4 + (c.x - c.y) / d; } "
              "return (float3)(h, mx > 0 ? d / mx : 0, mx); }\n")
    lines = [f"{{ float3 h = to_hsv(c); if (h.x > {k % 6}.{k}f) c = mix(c, h.zyx, 0.{k + 1}f); else c *= h.z; if (p & {1 << k % 31}) c = 1 - c; }}"
             for k in range(n)]
    return program(lines, "c.x + c.y + c.z", FLOATS + ", int p", before, "float3 c = vload3(i, in);\n")


def hit_functions(n):
    """n kinds of primitives, each with its intersection function, tested in a loop over bounces."""
    before = "typedef struct { float3 o, d; } Ray;\ntypedef struct { float t; float3 n; int id; } Hit;\n"
    before += "".join(
        f"bool hit{k}(Ray r, Hit *h, global const float *p)\n{{\n    float3 c = (float3)(p[{k * 4}], p[{k * 4 + 1}], p[{k * 4 + 2}]) - r.o;\n"
        + (f"    float b = dot(c, r.d), q = b * b - dot(c, c) + p[{k * 4 + 3}];\n    if (q < 0) return false;\n    float t = b - sqrt(q);\n"
           f"    if (t < 0.001f || t > h->t) return false;\n    h->t = t; h->n = normalize(r.o + r.d * t); h->id = {k};\n    return true;\n}}\n"
           if k % 2 else
           f"    float e = r.d.{'xyz'[k % 3]};\n    if (fabs(e) < 1e-5f) return false;\n    float t = c.{'xyz'[k % 3]} / e;\n"
           f"    if (t < 0.001f || t >= h->t) return false;\n    h->t = t; h->n = (float3)(0, {k}.f, 1); h->id = {k};\n    return true;\n}}\n")
        for k in range(n))
    lines = ["for (int j = 0; j < 4; j++) { Hit h = {1e20f, 0, -1};", *(f"hit{k}(r, &h, p);" for k in range(n)),
             "if (h.id < 0) break; r.o += r.d * h.t; r.d -= 2 * dot(r.d, h.n) * h.n; c = c * 0.5f + h.n; }"]
    return program(lines, "c.x + c.y + c.z", "global float *out, global float *in, global float *p", before,
                   "Ray r = {vload3(i, in), vload3(i + 7, in)}; float3 c = 0;\n")


def shading_switch(n):
    """A switch over materials, each of which calls functions of its own."""
    before = "".join(f"float3 shade{k}(float3 n, float3 l, float s) {{ float d = fmax(dot(n, l), 0.f); float q = d * {k}.5f + s; "
                     f"{'if (q > 1) q = 1 / q; ' if k % 2 else 'q = exp(-q); '}return n * q + l * 0.{k + 1}f; }}\n" for k in range(n))
    cases = [f"case {k}: c += shade{k}(v, l, in[i + {k}]); break;" for k in range(n)]
    return program(["for (int j = 0; j < m; j++) switch (id[j]) {", *cases, "default: c *= 0.5f; }"], "c.x + c.y + c.z",
                   FLOATS + ", global int *id", before, "float3 v = vload3(i, in), l = normalize(v), c = 0;\n")


# ---- stencils, tiles ----

def barrier_stencils(n):
    """Time steps over a tile in local memory, unrolled, with a halo."""
    lines = [f"a[y][x] = v; barrier(CLK_LOCAL_MEM_FENCE); if (x >= {k % 4 + 1} && x < {31 - k % 4}) v = v * 0.5f + 0.125f * (a[y][x - 1] + a[y][x + 1] + "
             f"a[(y + 1) & 7][x] + a[(y + 7) & 7][x]) * {k}.5f; barrier(CLK_LOCAL_MEM_FENCE);" for k in range(n)]
    return program(lines, "v", FLOATS, start="local float a[8][32]; int x = get_local_id(0) & 31, y = get_local_id(1) & 7; float v = in[i];\n")


def shifted_streams(n):
    """n directions of a lattice Boltzmann kernel: loads, moments, relaxation, stores to neighbours."""
    lines = [f"float f{k} = in[{k} * m + i + {k % 5 - 2}];" for k in range(n)]
    lines += ["float rho = " + " + ".join(f"f{k}" for k in range(n)) + ";",
              "float u = (" + " + ".join(f"{k % 3 - 1}.f * f{k}" for k in range(n)) + ") / rho, v = ("
              + " + ".join(f"{k // 3 % 3 - 1}.f * f{k}" for k in range(n)) + ") / rho;"]
    lines += [f"out[{k} * m + i + {k % 5 - 2}] = f{k} - 0.6f * (f{k} - rho * 0.0{k + 1}f * (1 + 3 * ({k % 3 - 1}.f * u + {k // 3 % 3 - 1}.f * v)));"
              for k in range(n)]
    return program(lines, "rho", FLOATS)


def register_tiles(n):
    """n steps of an unrolled matrix product from local memory into 4 by 4 registers."""
    lines = [f"a = vload4({k} * 16 + y, t); b = vload4({k} * 16 + x, t + 1024); c0 += a.x * b; c1 += a.y * b; c2 += a.z * b; c3 += a.w * b;" for k in range(n)]
    return program(lines, "c0 + c1 + c2 + c3", "global float4 *out, local float *t",
                   start="float4 a, b, c0 = 0, c1 = 0, c2 = 0, c3 = 0; int x = get_local_id(0) & 15, y = get_local_id(1) & 15;\n")


# ---- structure of programs ----

def call_tree(n):
    """Helpers that call helpers, three levels, each used once or twice."""
    before = "".join(f"int a{k}(int x, int y) {{ return (x ^ {k}) * y + (x >> {k % 7 + 1}); }}\n"
                     f"int b{k}(int x, global int *p) {{ int s = a{k}(x, p[{k}]); if (s & 1) s += a{k}(s, x); return s; }}\n"
                     f"int c{k}(int x, global int *p) {{ for (int j = 0; j < 3; j++) x = b{k}(x, p + j); return x; }}\n" for k in range(n))
    return ints([f"r ^= c{k}(r, in + i);" for k in range(n)], before)


def deep_structs(n):
    """Structures of structures that go through functions by pointer and by value."""
    before = ("typedef struct { float x, y; int tag; } P;\ntypedef struct { P a[3]; float w; } T;\ntypedef struct { T t[2]; P c; } W;\n"
              "P mid(P a, P b) { P p = {(a.x + b.x) / 2, (a.y + b.y) / 2, a.tag ^ b.tag}; return p; }\n"
              "void turn(T *t) { P p = t->a[0]; t->a[0] = t->a[1]; t->a[1] = t->a[2]; t->a[2] = p; }\n")
    lines = [f"w.c = mid(w.t[{k % 2}].a[{k % 3}], w.c); if (w.c.tag & {1 << k % 20}) turn(&w.t[{(k + 1) % 2}]); w.t[{k % 2}].a[{(k + 1) % 3}].x += {k}.5f;"
             for k in range(n)]
    return program(lines, "w.c.x + w.t[0].a[0].y + w.t[1].a[2].x", "global float *out, global W *in", before, "W w = in[i];\n")


def shared_helpers(n):
    """Many kernels that share long helper functions; one of them is compiled."""
    before = "".join(f"int h{j}(int x, global int *p) {{ " + " ".join(f"x = x * {k + 3} + p[x & {k + 15}];" for k in range(20)) + " return x; }\n"
                     for j in range(8))
    return before + "".join(f"kernel void {'k' if k == 0 else f'k{k}'}(global int *out, global int *in) {{ int i = get_global_id(0); "
                            f"out[i] = h{k % 8}(in[i] + {k}, in) ^ h{(k + 3) % 8}(i, in); }}\n" for k in range(n))


def constant_structs(n):
    """Tables of rules that are read at computed and at constant places."""
    rows = ", ".join(f"{{{k % 7}, {{{k}.5f, {k + 1}.25f}}, {{{k % 16}, {k * 3 % 16}}}}}" for k in range(4 * n))
    before = f"typedef struct {{ int op; float2 f; uchar to[2]; }} R;\nconstant R rules[{4 * n}] = {{{rows}}};\n"
    return program([f"x = x * rules[{k * 3}].f.x + rules[(s + {k}) % {4 * n}].f.y; s ^= rules[s & {n - 1}].to[{k % 2}] + rules[{k}].op;" for k in range(n)],
                   "x + s", FLOATS, before, "float x = in[i]; int s = i & 7;\n")


def parent_chases(n):
    """Rounds of label propagation with compare and exchange."""
    lines = [f"{{ int a = i, b = in[i + {k} * m]; while (a != b) {{ int p = out[a], q = out[b]; if (p < q) {{ int t = p; p = q; q = t; }} "
             f"int o = atomic_min(out + p, q); if (o == p) break; a = o; b = q; }} }}" for k in range(n)]
    return program(lines, "out[i]", INTS.replace("global int *out", "volatile global int *out"))


def local_exchanges(n):
    """Steps of a bitonic sort with pairs of keys and values in local memory."""
    lines = [f"{{ int j = l ^ {1 << k % 6}; int2 a = s[l], b = s[j]; barrier(CLK_LOCAL_MEM_FENCE); if ((a.x > b.x) == ((l & {1 << k % 5}) == 0) && j > l) "
             f"{{ s[l] = b; s[j] = a; }} barrier(CLK_LOCAL_MEM_FENCE); }}" for k in range(n)]
    return kernel("local int2 s[64]; l &= 63; s[l] = (int2)(x, (int)i);\n" + "\n".join(lines) + "\nx = s[l].y;")


FAMILIES = {
    "rates_in_arrays": (rates_in_arrays, 16), "rates_in_variables": (rates_in_variables, 64),
    "products_stored": (products_stored, 128), "sum_of_powers": (sum_of_powers, 256),
    "cubics_by_else_if": (cubics_by_else_if, 256), "float2_butterflies": (float2_butterflies, 64),
    "byte_table_rounds": (byte_table_rounds, 4), "add_rotate_xor": (add_rotate_xor, 16),
    "struct_mixing": (struct_mixing, 64), "digest_comparisons": (digest_comparisons, 64),
    "stack_interpreter": (stack_interpreter, 64), "register_interpreter": (register_interpreter, 64),
    "word_comparisons": (word_comparisons, 32), "nested_breaks": (nested_breaks, 16), "retry_gotos": (retry_gotos, 64),
    "uniform_flags": (uniform_flags, 128), "clamped_pixels": (clamped_pixels, 49), "float3_branches": (float3_branches, 16),
    "hit_functions": (hit_functions, 8), "shading_switch": (shading_switch, 32), "barrier_stencils": (barrier_stencils, 16),
    "shifted_streams": (shifted_streams, 64), "register_tiles": (register_tiles, 64), "call_tree": (call_tree, 32),
    "deep_structs": (deep_structs, 32), "shared_helpers": (shared_helpers, 64), "constant_structs": (constant_structs, 64),
    "parent_chases": (parent_chases, 16), "local_exchanges": (local_exchanges, 8),
}
