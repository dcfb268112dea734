"""Families of kernels by what of OpenCL C they use: images, sub-groups, atomics, vectors, calls, tables, loops.

Each is a function from n to OpenCL C with n parts of a kind, as those of families.py are, for tests/compiler/growth.py.
"""
from families import INTS, ints, kernel, program

FLOATS = "global float *out, global float *in, int m"


# ---- expressions ----

def ternary_rows(n):
    """Choices between choices, each of which the next ones look at."""
    lines = [f"int t{k} = r < {k} ? q : q < r ? r + {k} : p > {k * 3} ? p : in[i + {k}]; p = q; q = r ^ {k}; r = t{k} > p ? t{k} : p - {k};"
             for k in range(n)]
    return ints(lines, start="int p = m, q = i;\n", result="r + p + q")


def long_conditions(n):
    """One condition of n terms with && and || in turn, then one that is the same for all work-items."""
    terms = " ".join(f"{'|| ' if k % 3 == 0 and k else '&& ' if k else ''}(r {'<>'[k % 2]} in[i + {k}])" for k in range(n))
    uniform = " || ".join(f"(m & {k + 1}) == {k}" for k in range(n))
    return ints([f"if ({terms}) r += 3;", f"if ({uniform}) r *= 5;"])


def swizzle_writes(n):
    """Vectors whose elements are written through swizzles, and read through others."""
    lines = [(f"v.s{k % 8:x}{(k + 5) % 8 + 8:x} = w.s{k % 7:x}{k % 3 + 9:x} * {k}.5f;", f"w.lo.even = v.hi.odd + {k};",
              f"v.s0123 = w.hi.hi.wzyx; w.odd = v.s89abcdef;", f"v += w.s{''.join(f'{(j * 5 + k) % 16:x}' for j in range(16))};")[k % 4]
             for k in range(n)]
    return program(lines, "v.s0 + v.s7 + w.sc", FLOATS, start="float16 v = vload16(i, in), w = vload16(i + m, in);\n")


def half_vectors(n):
    lines = [f"a = fma(a, b, (half4)({k % 60}.5h)); b = a.wxyz * (half)0.5h; if (a.x > b.y) a.{'xyzw'[k % 4]} = b.z;" for k in range(n)]
    return program(lines, "a + b", "global half4 *out, global half4 *in", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n",
                   "half4 a = in[i], b = in[i + 1];\n")


def limbs(n):
    """Sums of numbers of n words: the carry goes from word to word."""
    lines = [f"s = in[i + {k}] + in[i * 3 + {k}]; d = s < in[i + {k}]; s += c; c = d | (s < c); out[i * {n} + {k}] = s;" for k in range(n)]
    return program(lines, "c", "global uint *out, global uint *in", start="uint s, c = 0, d;\n")


# ---- images, printf ----

def many_images(n):
    """64 images and 8 samplers in turn."""
    samplers = "".join(f"constant sampler_t s{j} = CLK_NORMALIZED_COORDS_{'TRUE' if j & 1 else 'FALSE'} | "
                       f"CLK_ADDRESS_{'CLAMP' if j & 2 else 'CLAMP_TO_EDGE'} | CLK_FILTER_{'LINEAR' if j & 4 else 'NEAREST'};\n" for j in range(8))
    images = ", ".join(f"read_only image2d_t a{j}" for j in range(64))
    lines = [f"r += read_imagef(a{k % 64}, s{k * 3 % 8}, (float2)(r.x + {k}, m));" for k in range(n)]
    return program(lines, "r", f"global float4 *out, int m, {images}", samplers, "float4 r = i;\n")


def formatted_prints(n):
    """printf of vectors and strings in loops and branches."""
    lines = [f'for (int j = 0; j < (m & {k}); j++) if (in[j] == r) printf("{k}: %v4hld %s %#x %.3f\\n", (int4)(r, j, i, {k}), '
             f'r ? "a{k}" : "b", r, j * 0.5f); r += in[i + {k}];' for k in range(n)]
    return ints(lines)


# ---- tables, arrays, structures ----

def table_sums(n):
    """One constant array, large, which is read at computed places."""
    row = ", ".join(str(k * 40503 % 65536) for k in range(32 * n))
    lines = [f"r += table[(r + {k * 32}) % {32 * n}] * table[in[i + {k}] & {n * 16 - 1}];" for k in range(n)]
    return ints(lines, f"constant ushort table[{32 * n}] = {{{row}}};\n")


def array_sorts(n):
    """Private arrays of several sizes that live all along and are changed in loops."""
    start = "".join(f"int a{j}[{j + 4}]; for (int x = 0; x < {j + 4}; x++) a{j}[x] = in[i + x * {j + 1}];\n" for j in range(8))
    lines = [f"for (int x = 1; x < {k % 8 + 4}; x++) if (a{k % 8}[x] < a{k % 8}[x - 1]) {{ int t = a{k % 8}[x]; a{k % 8}[x] = a{k % 8}[x - 1]; "
             f"a{k % 8}[x - 1] = t ^ {k}; }} r += a{k % 8}[r & 3];" for k in range(n)]
    return ints(lines, start=start)


def returned_structs(n):
    """Structures by value through functions that choose between them."""
    before = ("typedef struct { float3 p; int id; float w[3]; } S;\n"
              "S nearer(S a, S b, float3 q) { return distance(a.p, q) < distance(b.p, q) ? a : b; }\n"
              "S moved(S a, float t) { a.p += t * a.w[1]; for (int j = 0; j < 3; j++) a.w[j] *= t; if (a.w[0] > 1) a.id++; return a; }\n")
    lines = [f"s = nearer(moved(s, {k}.5f), moved(in[(i + {k}) & 255], 0.{k + 1}f), q); if (s.id == {k}) q = s.p;" for k in range(n)]
    return program(lines, "s.p.x + s.id + s.w[2]", "global float *out, global S *in", before, "S s = in[i]; float3 q = s.p.zyx;\n")


# ---- calls, kernels ----

def call_dag(n):
    """Functions without pointers to them that each call three of those before: a graph, not a tree."""
    before = "int f0(int x, int m) { return x * m + 1; }\n" + "".join(
        f"int f{k}(int x, int m) {{ if (x > {k}) return f{k - 1}(x - m, {k}); int s = f{k // 2}(x ^ {k}, m); "
        f"return s + f{k * 2 // 3}(s, x); }}\n" for k in range(1, n))
    return ints([f"r = f{n - 1}(r, m);"], before)


def program_of_kernels(n):
    """n kernels with shared helpers, variables and tables of the program; the last one calls two of the others."""
    before = ("typedef struct { int a; float b; } S;\nglobal int counter; constant int table[64] = {1, 2, 3};\n"
              "int helper(global S *s, int k) { for (int j = 0; j < 8; j++) if (s[j].a > k) return s[j].a; return table[k & 63]; }\n")
    before += "".join(f"kernel void k{k}(global S *s, global int *o, int m) {{ int i = get_global_id(0); local int t[64]; "
                      f"t[i & 63] = helper(s + i, {k}); barrier(CLK_LOCAL_MEM_FENCE); if (m > {k}) atomic_add(&counter, t[0]); "
                      f"o[i] = t[(i + {k}) & 63] + (int)s[i].b; }}\n" for k in range(n))
    return before + (f"kernel void k(global S *s, global int *o, int m) {{ k{n - 1}(s, o, m); barrier(CLK_GLOBAL_MEM_FENCE); "
                     f"k{n // 2}(s + 1, o, m); }}\n")


# ---- what work-items do together ----

def atomic_kinds(n):
    """Atomic operations of all kinds in a row, whose results the next ones use."""
    forms = ("r ^= atomic_max(a + (r & 63), r + {k});", "r += atomic_cmpxchg(t + (r & 63), r, {k});", "r ^= atomic_xchg(a + {k} % 64, r);",
             "if (r & 1) r += atomic_sub(t + (i & 63), {k}); else atomic_or(a, r);", "r += atomic_inc(a + (r + {k}) % 64); mem_fence(CLK_GLOBAL_MEM_FENCE);")
    return program([forms[k % 5].format(k=k) for k in range(n)], "r", "global int *out, volatile global int *a, volatile local int *t",
                   start="int r = i;\n")


def sub_group_rows(n):
    """Sub-group operations in a row, some under conditions that are the same for a sub-group."""
    before = "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
    forms = ("x += sub_group_reduce_max(x * {k}.5f);", "y = sub_group_scan_inclusive_add(x + y);",
             "if (sub_group_all(x > {k})) x = sub_group_broadcast(y, {k} & 3); else y -= {k};", "x = sub_group_shuffle_xor(x, {k} & 7u) + y;",
             "y += sub_group_non_uniform_reduce_add(x);")
    return program([forms[k % 5].format(k=k) for k in range(n)], "x + y", FLOATS, before, "float x = in[i], y = in[i + m];\n")


def group_values(n):
    """Collective functions, and loops that end by what they return."""
    lines = [f"for (int j = 0; j < {k % 5 + 2}; j++) {{ x += t[(l + j) & 63]; if (work_group_all(x > {k * 10})) break; }} "
             f"x -= work_group_broadcast(x, {k % 4});" for k in range(n)]
    return kernel("\n".join(lines))


# ---- loops, branches ----

def breaks_by_depth(n):
    """Loops in loops, each of which ends early, 6 deep and n / 6 in a row."""
    lines = []
    for k in range(0, n, 6):
        for d in range(6):
            lines.append(f"for (int j{d} = {'j' + str(d - 1) if d else 0}; j{d} < m; j{d}++) {{ if (in[j{d} + {k + d}] == r) break; "
                         f"if (in[j{d}] < {k}) continue; r += j{d} * {k + d + 1};")
        lines.append("}" * 6)
    return ints(lines)


def fallthrough_ranges(n):
    """A switch in a loop whose cases run into the next ones, with ranges and a default in the middle."""
    cases = []
    for k in range(n):
        cases.append(f"case {k * 4} ... {k * 4 + 1}: r = r * 3 + in[i + {k}];" + (f" if (r & {1 << k % 16}) break;" if k % 3 == 0 else "")
                     + (" s += r; continue;" if k % 11 == 10 else "") + (" default: s ^= r;" if k == n // 2 else ""))
    return ints(["for (int j = 0; j < m; j++) switch (in[j] ^ s) {", *cases, "}"], start="int s = 0;\n", result="r + s")


def pointer_phis(n):
    """A pointer of several that branches choose, which is read and counted up."""
    lines = [f"if (r > {k}) p = q + (r & 7); else if (r & {1 << k % 20}) {{ q = p; p += {k % 9}; }} r ^= *p + q[{k % 5}]; if (p - in > m) p = in + i;"
             for k in range(n)]
    return ints(lines, start="global int *p = in + i, *q = in;\n")


def table_of_states(n):
    """A matcher of bit sets, as compiled regular expressions are: the states that follow, bit by bit."""
    lines = [f"if (s & {1 << k % 62}ul) t |= c == {k % 96 + 32} ? {(1 << (k * 7 + 1) % 62) | (1 << (k * 3 + 2) % 62)}ul : c > {k % 50 + 60} ? {1 << (k * 5 + 3) % 62}ul : 0;"
             for k in range(n)]
    return program(["ulong s = 1;", "for (int j = 0; j < m; j++) { uchar c = in[i + j]; ulong t = 0;", *lines, "s = t; if (!s) break; }"],
                   "s", "global ulong *out, global uchar *in, int m")


def shared_exits(n):
    """Steps that each may fail: all failures undo what was done, in reverse order, as C programs do with goto."""
    lines = [f"if (in[i + {k}] < r) goto u{k}; out[i + {k}] = r; r += in[i * {k + 1}];" for k in range(n)]
    return ints([*lines, "goto end;", *(f"u{k}: out[i + {k}] = {k};" for k in reversed(range(n))), "end:;"])


FAMILIES = {
    "ternary_rows": (ternary_rows, 128), "long_conditions": (long_conditions, 64), "swizzle_writes": (swizzle_writes, 64),
    "half_vectors": (half_vectors, 64), "limbs": (limbs, 128), "many_images": (many_images, 16),
    "formatted_prints": (formatted_prints, 32), "table_sums": (table_sums, 64), "array_sorts": (array_sorts, 32),
    "returned_structs": (returned_structs, 32), "call_dag": (call_dag, 16), "program_of_kernels": (program_of_kernels, 64),
    "atomic_kinds": (atomic_kinds, 128), "sub_group_rows": (sub_group_rows, 32), "group_values": (group_values, 8),
    "breaks_by_depth": (breaks_by_depth, 24), "fallthrough_ranges": (fallthrough_ranges, 128), "pointer_phis": (pointer_phis, 128),
    "table_of_states": (table_of_states, 64), "shared_exits": (shared_exits, 64),
}
