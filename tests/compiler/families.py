"""Families of kernels, each a function from n to OpenCL C: n parts of a kind, as real programs have them.

tests/compiler/scaling.py has those that are compiled in each run of the tests. These are more, for
tests/compiler/growth.py: each of them once took more than 2.3 times as long for twice as many parts, or is of a kind
that was tried and did not.
"""
import random

INTS = "global int *out, global int *in, int m"


def kernel(body, parameters="global int *a, global int *b, local int *t, int n"):
    return (f"kernel void k({parameters})\n{{\n    size_t i = get_global_id(0), l = get_local_id(0);\n"
            f"    int x = a[i];\n{body}\n    b[i] = x;\n}}\n")


def program(lines, result, parameters, before="", start=""):
    return (f"{before}kernel void k({parameters})\n{{\n    int i = get_global_id(0);\n{start}"
            + "\n".join(lines) + f"\n    out[i] = {result};\n}}\n")


def ints(lines, before="", start="", result="r"):
    """A kernel of ints, whose parts change r."""
    return program(lines, result, INTS, before, "int r = in[i];\n" + start)


# ---- control flow ----

def bit_interpreter(n):
    """A switch over bit operations on 64 variables, in a loop."""
    choice = random.Random(3)
    cases = [f"case {k}: v{choice.randrange(64)} ^= v{choice.randrange(64)} & (v{choice.randrange(64)} | {k}); break;"
             for k in range(n)]
    start = "".join(f"uint v{j} = in[i + {j}];\n" for j in range(64))
    return program(["for (int pc = 0; pc < m; pc++) switch (in[pc]) {", *cases, "}"], " ^ ".join(f"v{j}" for j in range(64)), INTS,
                   start=start)


def big_fallthrough(n):
    return ints(["switch (in[i + 1]) {", *(f"case {k}: r = r * {2 * k + 3} + in[i + {k}];" + (" break;" if k % 7 == 0 else "")
                                          for k in range(n)), "default: r ^= 1; }"])


def goto_machine(n):
    """States that go to others by their input, as generated scanners do."""
    states = [f"s{k}: if (p >= m) goto end; c = in[p++]; r = r * 31 + c; if (c < {k % 50}) goto s{k * 7 % n}; "
              f"if (c > {50 + k % 50}) goto s{(k * 3 + 1) % n};" for k in range(n)]
    return ints([*states, "end:;"], start="int p = i, c;\n")


def states(n):
    cases = [f"case {k}: r += in[i + {k}]; t = t * {k + 3} ^ r; s = r & {1 << k % 20} ? {k * 5 % n} : {(k * 3 + 1) % n}; break;"
             for k in range(n)]
    return ints(["while (s != m && c++ < 1000) switch (s) {", *cases, "}"], start="int s = 0, c = 0, t = i;\n", result="r + t")


def switch_in_loop(n):
    cases = [f"case {k}: r += in[i + j + {k}]; if (r == {k}) break; r ^= {k}; break;" for k in range(n)]
    return ints(["for (int j = 0; j < m; j++) switch ((r + j) % {n}) {{".format(n=n), *cases, "}"])


def deep_ifs(n):
    return ints([f"if (in[i + {k}] > {k}) {{ r += {k};" for k in range(n)] + ["}"] * n)


def deep_ifs_loops(n):
    return ints([f"if (in[i + {k}] > {k}) {{ for (int j = 0; j < r; j++) r ^= j * {k};" for k in range(n)] + ["}"] * n)


def deep_elses(n):
    return ints([f"if (r == {k * 3}) r = in[i + {k}]; else {{" for k in range(n)] + ["r = 0;"] + ["}"] * n)


def deep_loops(n):
    return ints([f"for (int j{k} = 0; j{k} < m + {k}; j{k}++) {{ r += in[j{k}];" for k in range(n)] + ["}"] * n)


def triple_loops(n):
    return ints([f"for (int x = 0; x < m; x++) for (int y = 0; y < x; y++) for (int z = 0; z < y; z++) "
                 f"r += in[x * {k + 1} + y * m + z];" for k in range(n)])


def uniform_ifs(n):
    return ints([f"if (m & {1 << k % 31}) r = r * {2 * k + 3} + in[i + {k}];" for k in range(n)])


def kernel_in_loop(n):
    return ints(["for (int j = 0; j < m; j++) {", *(f"r = r * {2 * k + 1} + in[j + {k}]; r ^= r >> {k % 13 + 1};" for k in range(n)), "}"])


def do_whiles(n):
    return ints([f"do {{ r = r * 3 + in[(r + {k}) & 255]; }} while (r & {1 << k % 20});" for k in range(n)])


def early_returns(n):
    return ints([f"if (in[i + {k}] == {k}) {{ out[i] = r + {k}; return; }} r ^= in[i + {k}] * 3;" for k in range(n)])


def short_circuits(n):
    tests = " && ".join(f"(in[i + {k}] > {k} || r == {k})" for k in range(n))
    return ints([f"if ({tests}) r = 1;"])


def ternaries(n):
    return ints([f"r = r > {k} ? in[i + {k}] > r ? r * 3 : r - {k} : r + {k};" for k in range(n)])


# ---- functions ----

def small_functions(n):
    before = "".join(f"int f{k}(int x, int y) {{ return x > {k} ? x * y + {k} : y ^ x; }}\n" for k in range(n))
    return ints([f"r = f{k}(r, in[i + {k}]);" for k in range(n)], before)


def templates(n):
    """One function each for many constants, as template-like macros make them."""
    before = "#define F(N) int f##N(int x, global int *p) { int s = 0; for (int j = 0; j < (N & 3) + 2; j++) s += p[x * N + j]; return s; }\n"
    return ints([f"r += f{k}(i, in);" for k in range(1, n + 1)], before + "".join(f"F({k})\n" for k in range(1, n + 1)))


def call_chain_structs(n):
    before = "typedef struct { int a, b; float4 v; } S;\nS f0(S s) { s.a ^= s.b; return s; }\n" + "".join(
        f"S f{k}(S s) {{ s.a += {k}; if (s.a & {1 << k % 20}) s.v *= {k}.5f; s = f{k - 1}(s); s.b -= s.a; return s; }}\n"
        for k in range(1, n))
    return ints([f"S s = {{r, m, (float4)(r)}}; s = f{n - 1}(s);"], before, result="s.a + s.b + (int)s.v.x")


def struct_values(n):
    """Large structures by value and as results."""
    before = "typedef struct { float m[16]; } M;\nM mul(M a, M b) { M c; for (int y = 0; y < 4; y++) for (int x = 0; x < 4; x++) " \
             "{ float s = 0; for (int z = 0; z < 4; z++) s += a.m[y * 4 + z] * b.m[z * 4 + x]; c.m[y * 4 + x] = s; } return c; }\n"
    lines = [f"a = mul(a, b); b.m[{k % 16}] += a.m[{k * 5 % 16}];" for k in range(n)]
    return program(lines, "a.m[0] + a.m[5] + b.m[7]", "global float *out, global M *in", before, "M a = in[i], b = in[i + 1];\n")


def many_parameters(n):
    return (f"kernel void k({', '.join(f'global int *p{k}' for k in range(n))})\n{{\n    int i = get_global_id(0);\n"
            + "".join(f"    p{k}[i] += p{(k * 7 + 1) % n}[i] * {k};\n" for k in range(n)) + "}\n")


def many_kernels(n):
    return "".join(f"kernel void {'k' if k == 0 else f'k{k}'}(global int *a, int m) {{ int i = get_global_id(0); "
                   f"for (int j = 0; j < m; j++) a[i] += a[i * {k} + j]; }}\n" for k in range(n))


def enqueues(n):
    lines = [f"if (m == {k}) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D({k + 1}), "
             f"^{{ out[get_global_id(0)] = in[i] + {k}; }});" for k in range(n)]
    return ints(lines)


def function_macros(n):
    """Macros of macros, as unrolled hash functions have them."""
    before = ("#define ROTL(x, s) rotate((x), (uint)(s))\n#define F(x, y, z) (((x) & (y)) | (~(x) & (z)))\n"
              "#define STEP(a, b, c, d, x, s, t) a = b + ROTL(a + F(b, c, d) + x + t, s)\n"
              "#define FOUR(k) STEP(a, b, c, d, in[k & 63], 7, k##u); STEP(d, a, b, c, in[k * 3 & 63], 12, k##u); "
              "STEP(c, d, a, b, in[k * 5 & 63], 17, k##u); STEP(b, c, d, a, in[k * 7 & 63], 22, k##u)\n")
    return program([f"FOUR({k});" for k in range(n)], "a ^ b ^ c ^ d", "global uint *out, global uint *in", before,
                   "uint a = i, b = in[i], c = 7, d = 9;\n")


# ---- memory ----

def many_arrays(n):
    return ints([f"int a{k}[8]; for (int j = 0; j < 8; j++) a{k}[j] = in[i * 8 + j + {k}]; r += a{k}[(r + {k}) & 7];"
                 for k in range(n)])


def tables_of_structs(n):
    rows = ", ".join(f"{{{k}, {k * 3}.5f, {{{k}, {k + 1}, {k + 2}}}}}" for k in range(n))
    before = f"typedef struct {{ int a; float b; uchar c[3]; }} S;\nconstant S table[{n}] = {{{rows}}};\n"
    return ints([f"r += table[(r + {k}) % {n}].a + (int)table[r & {n - 1}].b + table[{k}].c[r % 3];" for k in range(n)], before)


def huge_table(n):
    rows = ", ".join(str(k * 2654435761 % 4294967296) + "u" for k in range(64 * n))
    return ints([f"r ^= t[r & {64 * n - 1}];"] * 4, f"constant uint t[{64 * n}] = {{{rows}}};\n")


def sboxes(n):
    """Rounds of a block cipher by tables."""
    tables = "".join(f"constant uint t{j}[256] = {{{', '.join(str((k * 2654435761 + j) % 4294967296) for k in range(256))}}};\n"
                     for j in range(4))
    lines = [f"x{k % 4} = t0[x{(k + 1) % 4} >> 24] ^ t1[x{(k + 2) % 4} >> 16 & 255] ^ t2[x{(k + 3) % 4} >> 8 & 255] ^ "
             f"t3[x{k % 4} & 255] ^ in[{k}];" for k in range(n)]
    return program(lines, "x0 ^ x1 ^ x2 ^ x3", "global uint *out, global uint *in", tables,
                   "uint x0 = i, x1 = in[i], x2 = 3, x3 = 5;\n")


def program_variables(n):
    before = "".join(f"global int g{k} = {k}; global int h{k}[4];\n" for k in range(n))
    return ints([f"g{k} += r; r ^= h{k}[r & 3];" for k in range(n)], before)


def pointer_chase(n):
    before = "typedef struct N { int v; int next[2]; } N;\n"
    return program([f"r += p->v * {k}; p = nodes + p->next[r & 1];" for k in range(n)], "r", "global int *out, global N *nodes",
                   before, "global N *p = nodes + i; int r = 0;\n")


def pointer_select(n):
    return ints([f"p = r & {1 << k % 20} ? in + {k} : p + 1; r += *p;" for k in range(n)], start="global int *p = in + i;\n")


def stencil3d(n):
    lines = [f"r += in[(z + {k % 5 - 2}) * m * m + (y + {k // 5 % 5 - 2}) * m + i + {k // 25 - 2}] * {k + 1};" for k in range(n)]
    return ints(lines, start="int y = get_global_id(1), z = get_global_id(2);\n")


def local_hist(n):
    lines = [f"local int h{k}[64]; h{k}[l] = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(h{k} + (in[i + {k}] & 63)); "
             f"barrier(CLK_LOCAL_MEM_FENCE); r += h{k}[l];" for k in range(n)]
    return ints(lines, start="int l = get_local_id(0) & 63;\n")


def atomic_loops(n):
    lines = [f"for (int j = 0; j < (m & {k + 1}); j++) {{ int o = out[j], w; do {{ w = o; o = atomic_cmpxchg(out + j, w, w + {k} + r); }} "
             f"while (o != w); r ^= o; }}" for k in range(n)]
    return ints(lines).replace("global int *out", "volatile global int *out")


def many_structs(n):
    before = "".join(f"typedef struct {{ int a; float b{k}; short c[{k % 5 + 1}]; }} S{k};\n" for k in range(n))
    return ints([f"S{k} s{k} = {{r, r * 0.5f, {{{k}}}}}; s{k}.c[(uint)r % {k % 5 + 1}] = (short)m; r += s{k}.a + s{k}.c[0] + (int)s{k}.b{k};"
                 for k in range(n)], before)


def bytes_loads(n):
    lines = [f"r += (p[i * {4 * k + 1}] | p[i * {4 * k + 1} + 1] << 8 | p[i + {k}] << 16) * {k};" for k in range(n)]
    return program(lines, "r", "global int *out, global uchar *p", start="int r = 0;\n")


def memory_copies(n):
    lines = [f"{{ T u = t; for (int j = 0; j < 24; j++) u.a[j] += in[j + {k}]; if (u.a[{k % 24}] > m) t = u; }}" for k in range(n)]
    return ints(lines, "typedef struct { int a[24]; } T;\n", "T t; for (int j = 0; j < 24; j++) t.a[j] = in[i + j];\n",
                "t.a[0] + t.a[7] + t.a[i % 24]")


# ---- arithmetic ----

def poly(n):
    return program([f"y = y * x + {k}.5f;" for k in range(n)], "y", "global float *out, global float *in",
                   start="float x = in[i], y = 0;\n")


def long_expression(n):
    return ints(["r = " + " + ".join(f"(r ^ {k}) * (m - {k})" for k in range(n)) + ";"])


def nested_expression(n):
    return ints(["r = " + "".join(f"({k} ^ (m + " for k in range(n)) + "r" + "))" * n + ";"])


def uint128(n):
    before = ("typedef struct { ulong lo, hi; } U;\nU add(U a, U b) { U c; c.lo = a.lo + b.lo; c.hi = a.hi + b.hi + (c.lo < a.lo); return c; }\n"
              "U mul(U a, U b) { U c; c.lo = a.lo * b.lo; c.hi = mul_hi(a.lo, b.lo) + a.hi * b.lo + a.lo * b.hi; return c; }\n")
    return program([f"a = mul(a, b); b = add(b, a); a.lo ^= {k}u;" for k in range(n)], "a.lo ^ a.hi ^ b.hi",
                   "global ulong *out, global ulong *in", before, "U a = {in[i], in[i + 1]}, b = {in[i + 2], 1};\n")


def bignum(n):
    """Long multiplication by rows, as public-key kernels have it."""
    lines = [f"c = 0; for (int j = 0; j < 8; j++) {{ ulong p = (ulong)a[j] * in[{k}] + t[j] + c; t[j] = (uint)p; c = p >> 32; }} t[{k % 8}] ^= (uint)c;"
             for k in range(n)]
    return program(lines, "t[0] ^ t[3] ^ t[7]", "global uint *out, global uint *in",
                   start="uint a[8], t[8]; ulong c; for (int j = 0; j < 8; j++) { a[j] = in[i + j]; t[j] = 0; }\n")


def unrolled_matrix(n):
    lines = [f"c{k % 16} += a[{k} * m + i] * b[{k * 3} * m + {k}];" for k in range(n)]
    return program(lines, " + ".join(f"c{j}" for j in range(16)), "global float *out, global float *a, global float *b, int m",
                   start="float " + ", ".join(f"c{j} = 0" for j in range(16)) + ";\n")


def double16s(n):
    return program([f"s = fma(s, t, in[i + {k}]); t = max(t * {k}.5, s.sfedcba9876543210);" for k in range(n)], "s + t",
                   "global double16 *out, global double16 *in", start="double16 s = in[i], t = in[i + 1];\n")


def select_chain(n):
    return program([f"x = select(x, y * {k}.5f, isgreater(x, {k}.0f)); y = x < {k} ? y + 1 : x;" for k in range(n)], "x + y",
                   "global float *out, global float *in", start="float x = in[i], y = in[i + 1];\n")


def char_math(n):
    lines = [f"a = (char)(a * 3 + {k % 100}); b = add_sat(b, a); c = abs_diff(a, b) + (uchar)({k % 50});" for k in range(n)]
    return program(lines, "a + b + c", "global char *out, global char *in", start="char a = in[i], b = 1; uchar c = 3;\n")


def sha_rounds(n):
    lines = []
    for k in range(n):
        a, b, c, d, e, f, g, h = ("abcdefgh"[(j - k) % 8] for j in range(8))
        lines.append(f"w{k % 16} += (rotate(w{(k + 1) % 16}, 25u) ^ rotate(w{(k + 1) % 16}, 14u) ^ w{(k + 1) % 16} >> 3) + w{(k + 9) % 16}; "
                     f"{h} += (rotate({e}, 26u) ^ rotate({e}, 21u) ^ rotate({e}, 7u)) + bitselect({g}, {f}, {e}) + w{k % 16} + {k * 2654435761 % 4294967296}u; "
                     f"{d} += {h}; {h} += (rotate({a}, 30u) ^ rotate({a}, 19u) ^ rotate({a}, 10u)) + bitselect({a}, {b}, {c} ^ {a});")
    start = "".join(f"uint w{j} = in[i * 16 + {j}];\n" for j in range(16)) + "uint " + ", ".join(f"{v} = {j + 7}u" for j, v in enumerate("abcdefgh")) + ";\n"
    return program(lines, "a ^ b ^ c ^ d ^ e ^ f ^ g ^ h", "global uint *out, global uint *in", start=start)


# ---- what only OpenCL has ----

def barrier_steps(n):
    """A reduction or sort by rows of steps, each behind a barrier and a condition."""
    return kernel("\n".join(f"if (l < {1 << k % 8}) t[l] += t[l + {1 << k % 8}] * x; barrier(CLK_LOCAL_MEM_FENCE); if (t[0] > {k}) x ^= t[l ^ {k % 8}];"
                            for k in range(n)))


def barrier_nest(n):
    return kernel("".join(f"for (int j{k} = 0; j{k} < n; j{k}++) {{ t[l] = x + {k}; barrier(CLK_LOCAL_MEM_FENCE); x ^= t[l ^ 1];\n"
                          for k in range(n)) + "}" * n)


def group_functions(n):
    forms = ("work_group_reduce_add", "work_group_scan_inclusive_max", "work_group_scan_exclusive_add", "work_group_reduce_min")
    return ints([f"r ^= {forms[k % 4]}(r + {k});" for k in range(n)])


def sub_groups(n):
    forms = ("sub_group_reduce_add(r + {k})", "sub_group_broadcast(r, {k} & 3)", "sub_group_scan_exclusive_add(r ^ {k})", "sub_group_any(r > {k})")
    return ints([f"r += {forms[k % 4].format(k=k)};" for k in range(n)])


def image_row(n):
    lines = [f"s += read_imagef(img, c, (float2)(i + {k} * 0.5f, m)) * w[{k}];" for k in range(n)]
    return program(lines, "s", "global float4 *out, read_only image2d_t img, constant float *w, int m",
                   "constant sampler_t c = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n", "float4 s = 0;\n")


def image_kinds(n):
    lines = [(f"s += read_imagef(a, c, (int2)(i, {k}));", f"s += read_imagef(b, c, (int4)(i, {k}, m, 0));",
              f"s += convert_float4(read_imagei(d, c, (int2)(i, {k})));", f"write_imagef(e, (int2)(i, {k}), s);")[k % 4] for k in range(n)]
    return program(lines, "s", "global float4 *out, read_only image2d_t a, read_only image3d_t b, read_only image2d_t d, write_only image2d_t e, int m",
                   "constant sampler_t c = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n", "float4 s = 0;\n")


def prints(n):
    return ints([f'printf("step %d of %s: %v4d %f\\n", {k}, "kernel", (int4)(r), r * 0.5f); r ^= in[i + {k}];' for k in range(n)])


def generics(n):
    before = "int g(int *p, int k) { *p += k; return *p * 3; }\n"
    return ints([f"p = &q; if (r & {1 << k % 20}) p = out + {k}; r ^= g(p, {k});" for k in range(n)], before,
                "int q = m, *p;\n")


def pipes(n):
    return program([f"if (read_pipe(p, &x) == 0) r += x * {k};" for k in range(n)], "r", "global int *out, read_only pipe int p",
                   start="int r = 0, x;\n")


def conversions(n):
    forms = ("r += convert_int_sat_rte(f * {k}.5f);", "f += convert_float_rtz(r ^ {k});", "r ^= convert_uchar_sat(f - {k});", "f = as_float(r & 0x3fffffff) + {k};")
    return ints([forms[k % 4].format(k=k) for k in range(n)], start="float f = m;\n", result="r + (int)f")


FAMILIES = {
    "bit_interpreter": (bit_interpreter, 512), "big_fallthrough": (big_fallthrough, 512), "goto_machine": (goto_machine, 256),
    "states": (states, 256), "switch_in_loop": (switch_in_loop, 256), "deep_ifs": (deep_ifs, 60), "deep_ifs_loops": (deep_ifs_loops, 30),
    "deep_elses": (deep_elses, 60), "deep_loops": (deep_loops, 8), "triple_loops": (triple_loops, 64), "uniform_ifs": (uniform_ifs, 512),
    "kernel_in_loop": (kernel_in_loop, 512), "do_whiles": (do_whiles, 128), "early_returns": (early_returns, 256),
    "short_circuits": (short_circuits, 128), "ternaries": (ternaries, 512),
    "small_functions": (small_functions, 512), "templates": (templates, 128), "call_chain_structs": (call_chain_structs, 128),
    "struct_values": (struct_values, 16), "many_parameters": (many_parameters, 128), "many_kernels": (many_kernels, 64),
    "enqueues": (enqueues, 32), "function_macros": (function_macros, 128),
    "many_arrays": (many_arrays, 256), "tables_of_structs": (tables_of_structs, 64), "huge_table": (huge_table, 512), "sboxes": (sboxes, 256),
    "program_variables": (program_variables, 128), "pointer_chase": (pointer_chase, 256), "pointer_select": (pointer_select, 256),
    "stencil3d": (stencil3d, 125), "local_hist": (local_hist, 16), "atomic_loops": (atomic_loops, 64), "many_structs": (many_structs, 128),
    "bytes_loads": (bytes_loads, 128), "memory_copies": (memory_copies, 32),
    "poly": (poly, 2048), "long_expression": (long_expression, 512), "nested_expression": (nested_expression, 60), "uint128": (uint128, 128),
    "bignum": (bignum, 32), "unrolled_matrix": (unrolled_matrix, 256), "double16s": (double16s, 32), "select_chain": (select_chain, 512),
    "char_math": (char_math, 512), "sha_rounds": (sha_rounds, 128),
    "barrier_steps": (barrier_steps, 32), "barrier_nest": (barrier_nest, 8), "group_functions": (group_functions, 8), "sub_groups": (sub_groups, 32),
    "image_row": (image_row, 128), "image_kinds": (image_kinds, 16), "prints": (prints, 64), "generics": (generics, 128), "pipes": (pipes, 64),
    "conversions": (conversions, 256),
}
