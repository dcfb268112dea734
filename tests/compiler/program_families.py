"""Families of kernels as programs have them, for tests/compiler/growth.py: rounds of hashes, interpreters, decision
trees, layers of networks, stencils, shaders. tests/compiler/families.py has those that were made of single features.
"""
import random

from families import INTS, ints, kernel, program


UINTS = "global uint *out, global uint *in, int m"
FLOATS = "global float *out, global float *in, int m"


def keccak(n):
    lines = []
    for k in range(n):
        lines.append("for (int x = 0; x < 5; x++) c[x] = s[x] ^ s[x+5] ^ s[x+10] ^ s[x+15] ^ s[x+20];\n"
          "for (int x = 0; x < 5; x++) { ulong d = c[(x+4)%5] ^ rotate(c[(x+1)%5], 1ul); for (int y = 0; y < 25; y += 5) s[y+x] ^= d; }\n"
          + "".join(f"t = s[{(j*7)%25}]; s[{(j*7)%25}] = rotate(u, {j + 1}ul); u = t;\n" for j in range(24)) +
          f"for (int y = 0; y < 25; y += 5) {{ for (int x = 0; x < 5; x++) c[x] = s[y+x]; for (int x = 0; x < 5; x++) s[y+x] = c[x] ^ (~c[(x+1)%5] & c[(x+2)%5]); }} s[0] ^= {k*77777+1}ul;")
    return program(lines, "s[0] ^ s[7] ^ s[24]", "global ulong *out, global ulong *in", start="ulong s[25], c[5], t, u = 0; for (int j = 0; j < 25; j++) s[j] = in[i*25+j];\n")


def keccak_flat(n):
    b = "".join(f"c{x} = s{x} ^ s{x + 5} ^ s{x + 10} ^ s{x + 15} ^ s{x + 20};" for x in range(5)) + "".join(f"s{x + y} ^= c{(x+4)%5} ^ rotate(c{(x+1)%5}, 1ul);" for x in range(5) for y in range(0,25,5)) \
       + "".join(f"t = s{(j*7)%25}; s{(j*7)%25} = rotate(u, {j + 1}ul); u = t;" for j in range(24)) \
       + "".join("".join(f"c{x} = s{y + x};" for x in range(5)) + "".join(f"s{y + x} = c{x} ^ (~c{(x+1)%5} & c{(x+2)%5});" for x in range(5)) for y in range(0,25,5))
    return program([b + f"s0 ^= {k*77777+1}ul;" for k in range(n)], "s0 ^ s7 ^ s24", "global ulong *out, global ulong *in",
       start="ulong t, u = 0;" + "".join(f"ulong s{j} = in[i*25+{j}];" for j in range(25)) + "".join(f"ulong c{j};" for j in range(5)))


def gemm_micro(n):
    """Register-tiled product: n steps of a 4x4 tile from local memory."""
    lines = [f"a = ta[l + {k}]; b = tb[l * 3 + {k}];" + "".join(f"c{j} += a.s{j} * b;" for j in range(4)) for k in range(n)]
    return program(lines, "c0 + c1 + c2 + c3", "global float4 *out, local float4 *ta, local float4 *tb", start="int l = get_local_id(0); float4 a, b, c0 = 0, c1 = 0, c2 = 0, c3 = 0;\n")


def gemm_tiles(n):
    lines = [f"ta[l] = a[i + {k} * m]; tb[l] = b[i * {k + 1}]; barrier(CLK_LOCAL_MEM_FENCE); for (int j = 0; j < 16; j++) s += ta[j] * tb[(j + l) & 15]; barrier(CLK_LOCAL_MEM_FENCE);" for k in range(n)]
    return program(lines, "s", "global float *out, global float *a, global float *b, int m", start="local float ta[64], tb[64]; int l = get_local_id(0) & 63; float s = 0;\n")


def const_tables(n):
    before = "".join(f"constant int t{k}[16] = {{{', '.join(str(j*k+3) for j in range(16))}}};\n" for k in range(n))
    return ints([f"r += t{k}[(r + {k}) & 15];" for k in range(n)], before)


def decision_tree(n):
    def tree(lo, hi, d):
        if hi - lo == 1:
            return f"r = {lo * 3 + 1};"
        mid = (lo + hi) // 2
        return f"if (f{d % 8} < {mid}.5f) {{ {tree(lo, mid, d + 1)} }} else {{ {tree(mid, hi, d + 1)} }}"
    return program([tree(0, n, 0)], "r", FLOATS, start="float r; " + "".join(f"float f{j} = in[i * 8 + {j}];" for j in range(8)))


def forest(n):
    """Many small decision trees, as boosted models are exported."""
    lines = [f"if (f{k % 8} < {k}.5f) {{ if (f{(k+3)%8} < {k * 2}.f) r += {k}.25f; else r -= {k}.5f; }} else if (f{(k+5)%8} < {k}.f) r += 0.{k}f; else r *= 1.{k}f;" for k in range(n)]
    return program(lines, "r", FLOATS, start="float r = 0; " + "".join(f"float f{j} = in[i * 8 + {j}];" for j in range(8)))


def vectors3(n):
    lines = [f"p = cross(p, vload3(i + {k}, in)) + q * {k}.5f; q = normalize(q + p.zxy);" for k in range(n)]
    return program(lines, "p.x + q.y", FLOATS, start="float3 p = vload3(i, in), q = p.yzx;\n")


def vector16(n):
    lines = [f"s = s * {k*2+1} + t.sfedcba9876543210; t ^= s >> {k%7+1}; t.s{k%16:x} = s.s{(k*3)%16:x};" for k in range(n)]
    return program(lines, "s ^ t", "global uint16 *out, global uint16 *in", start="uint16 s = in[i], t = in[i + 1];\n")


def uchar16(n):
    lines = [f"s = s * (uchar){k%200+1} + t; t = max(t ^ s, (uchar16){k % 100}); s = hadd(s, t);" for k in range(n)]
    return program(lines, "s ^ t", "global uchar16 *out, global uchar16 *in", start="uchar16 s = in[i], t = in[i + 1];\n")


def c11_atomics(n):
    lines = [f"r += atomic_fetch_add_explicit(c + ((r + {k}) & 63), {k}, memory_order_relaxed, memory_scope_device); if (r > {k}) atomic_store(c + {k % 64}, r);" for k in range(n)]
    return program(lines, "r", "global int *out, volatile global atomic_int *c, global int *in", start="int r = in[i];\n")


def write_images(n):
    lines = [f"write_imagef(e, (int2)(i + {k}, {k}), s); s = s * {k}.5f + 1;" for k in range(n)]
    return program(lines, "s", "global float4 *out, write_only image2d_t e, global float4 *in", start="float4 s = in[i];\n")


def image_filter(n):
    lines = [f"s += convert_float4(read_imageui(a, c, (int2)(i + {k%9-4}, y + {k//9-4}))) * {k}.125f;" for k in range(n)]
    return program(lines, "s", "global float4 *out, read_only image2d_t a", "constant sampler_t c = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n", "int y = get_global_id(1); float4 s = 0;\n")


def printf_branches(n):
    lines = [f'if (r == {k}) printf("case {k}: %d %s\\n", r, "x{k}"); else r += in[i + {k}];' for k in range(n)]
    return ints(lines)


def pipe_reservations(n):
    lines = [f"{{ reserve_id_t d = reserve_write_pipe(p, 2); if (is_valid_reserve_id(d)) {{ r += {k}; write_pipe(p, d, 0, &r); write_pipe(p, d, 1, &r); commit_write_pipe(p, d); }} }}" for k in range(n)]
    return program(lines, "r", "global int *out, write_only pipe int p", start="int r = i;\n")


def nested_structs(n):
    before = "typedef struct { float3 pos, vel; } P; typedef struct { P p[4]; int count; float mass[4]; } W;\nW step(W w, float t, int k) { for (int j = 0; j < 4; j++) { w.p[j].pos += w.p[j].vel * t; w.p[j].vel -= w.p[(j + 1) & 3].pos * w.mass[j]; } if (w.count & k) w.count++; return w; }\n"
    return program([f"w = step(w, {k}.5f, {k});" for k in range(n)], "w.p[0].pos.x + w.p[3].vel.y + w.count", "global float *out, global W *in", before, "W w = in[i];\n")


def stencil27(n):
    lines = [f"for (int dz = -1; dz <= 1; dz++) for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) s += in[(z + dz) * m * m + (y + dy) * m + i + dx + {k}] * w[{k} + (dz + 1) * 9 + (dy + 1) * 3 + dx + 1];" for k in range(n)]
    return program(lines, "s", "global float *out, global float *in, constant float *w, int m", start="int y = get_global_id(1), z = get_global_id(2); float s = 0;\n")


def stencil_bounds(n):
    lines = [f"if (i + {k} < m && y + {k % 7} < m) s += in[(y + {k % 7}) * m + i + {k}] * {k}.5f; else s += {k}.f;" for k in range(n)]
    return program(lines, "s", FLOATS, start="int y = get_global_id(1); float s = 0;\n")


def long_switch(n):
    return ints(["switch (r) {", *(f"case {k * 3}: r = in[i + {k}] * {k + 2}; break;" for k in range(n)), "default: r = -1; }"])


def switch_values(n):
    return ints(["switch (r) {", *(f"case {k}: r = {(k * 7919) % 1000}; break;" for k in range(n)), "default: r = -1; }"])


def nested_switches(n):
    lines = [f"case {k}: switch (in[i + {k}]) {{ case 0: r += {k}; break; case 1: r ^= m; break; case 5: case 6: r *= 3; break; default: r--; }} break;" for k in range(n)]
    return ints(["switch (r & 1023) {", *lines, "}"])


def switch_returns(n):
    before = "int f(int x, global int *in) { switch (x) {" + "".join(f"case {k}: return in[{k}] * {k + 1};\n" for k in range(n)) + "} return 0; }\n"
    return ints(["r = f(r, in); r += f(r + m, in);"], before)


def opcode_loop(n):
    lines = [f"case {k}: a = b {'+-*&|^'[k%6]} {k + 1}; if (a > {k}) pc += {k % 5}; break;" for k in range(n)]
    return ints(["while (pc < m) { int op = in[pc++]; int b = a; switch (op) {", *lines, "default: return; } }"], start="int pc = 0, a = r;\n", result="a")


def parser(n):
    lines = [f"while (p < m && in[p] == {k}) p++; if (p >= m) {{ r = {k}; goto done; }} if (in[p] < {k * 2}) {{ r = r * 10 + in[p]; p++; }} else if (in[p] == {k * 3}) goto fail;" for k in range(n)]
    return ints([*lines, "goto done; fail: r = -1; done: ;"], start="int p = i;\n")


def sorting_network(n):
    r = random.Random(1)
    lines = []
    for k in range(n):
        a, b = sorted(r.sample(range(32), 2))
        lines.append(f"if (v[{a}] > v[{b}]) {{ int t = v[{a}]; v[{a}] = v[{b}]; v[{b}] = t; }}")
    return ints(lines, start="int v[32]; for (int j = 0; j < 32; j++) v[j] = in[i * 32 + j];\n", result="v[0] + v[15] * 3 + v[31]")


def sort_minmax(n):
    r = random.Random(1)
    lines = []
    for k in range(n):
        a, b = sorted(r.sample(range(25), 2))
        lines.append(f"t = min(v{a}, v{b}); v{b} = max(v{a}, v{b}); v{a} = t;")
    return program(lines, "v12", "global uchar *out, global uchar *in, int m", start="uchar t, " + ", ".join(f"v{j} = in[i + {j} * m]" for j in range(25)) + ";\n")


def fft(n):
    lines = []
    for k in range(n):
        a, b = (k * 5) % 16, (k * 5 + 1 + k % 7) % 16
        lines.append(f"t = (float2)(x{b}.x * {k}.5f - x{b}.y * 0.{k + 1}f, x{b}.x * 0.{k + 1}f + x{b}.y * {k}.5f); x{b} = x{a} - t; x{a} += t;")
    return program(lines, "+".join(f"x{j}" for j in range(16)), "global float2 *out, global float2 *in", start="float2 t, " + ", ".join(f"x{j} = in[i * 16 + {j}]" for j in range(16)) + ";\n")


def spheres(n):
    lines = [f"{{ float3 d = o - (float3)({k}.5f, {k % 7}.f, {k % 11}.25f); float b = dot(d, v), c = dot(d, d) - {k + 1}.f, h = b * b - c; if (h > 0) {{ float t = -b - sqrt(h); if (t > 0 && t < best) {{ best = t; id = {k}; }} }} }}" for k in range(n)]
    return program(lines, "best + id", FLOATS, start="float3 o = vload3(i, in), v = vload3(i + m, in); float best = 1e30f; int id = -1;\n")


def neurons(n):
    lines = [f"h = " + " + ".join(f"x{j} * {((k*8+j)*37%200-100)/64}f" for j in range(8)) + f"; s += tanh(h) * {(k*13%99-50)/32}f;" for k in range(n)]
    return program(lines, "s", FLOATS, start="float h, s = 0; " + "".join(f"float x{j} = in[i * 8 + {j}];" for j in range(8)))


def relus(n):
    """A layer whose outputs are all kept for the next one."""
    w = 16
    lines = []
    for k in range(n):
        lines += [f"float h{k}_{j} = max(0.f, " + " + ".join(f"h{k-1}_{q} * {((k*8+j*q)*37%200-100)/64}f" for q in range(w)) + ");" for j in range(w)] if k else []
    return program(lines, "+".join(f"h{n-1}_{j}" for j in range(w)), FLOATS, start="".join(f"float h0_{j} = in[i * {w} + {j}];" for j in range(w)))


def byte_compare(n):
    tests = [f"if (p[{k}] != {k*7%256}) {{ out[i] = {k}; return; }}" for k in range(n)]
    return program(tests, "-1", "global int *out, global uchar *in", start="global uchar *p = in + i;\n")


def rng(n):
    before = "typedef struct { uint x, y, z, w; } R;\nuint next(R *r) { uint t = r->x ^ (r->x << 11); r->x = r->y; r->y = r->z; r->z = r->w; return r->w ^= (r->w >> 19) ^ t ^ (t >> 8); }\nfloat uniform(R *r) { return next(r) * 0x1p-32f; }\n"
    return program([f"{{ float a = uniform(&s), b = uniform(&s); if (a * a + b * b < 1) c += {k}; }}" for k in range(n)], "c", "global uint *out, global R *in", before, "R s = in[i]; int c = 0;\n")


def complexes(n):
    before = "typedef struct { double re, im; } C;\nC mul(C a, C b) { C c = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; return c; }\nC add(C a, C b) { C c = {a.re + b.re, a.im + b.im}; return c; }\nC inv(C a) { double d = a.re * a.re + a.im * a.im; C c = {a.re / d, -a.im / d}; return c; }\n"
    return program([f"z = add(mul(z, z), c); if (z.re * z.re + z.im * z.im > 4) r++; c = inv(c); c.re += {k};" for k in range(n)], "z.re + r", "global double *out, global C *in", before, "C z = in[i], c = in[i + 1]; int r = 0;\n")


def reductions(n):
    lines = [f"t[l] = x * {k + 1}; barrier(CLK_LOCAL_MEM_FENCE); for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {{ if (l < s) t[l] += t[l + s]; barrier(CLK_LOCAL_MEM_FENCE); }} x ^= t[0];" for k in range(n)]
    return kernel("\n".join(lines))


def volatiles(n):
    return program([f"r += v[i + {k}] * {k}; v[i] = r;" for k in range(n)], "r", "global int *out, volatile global int *v", start="int r = 0;\n")


def async_copies(n):
    lines = [f"e = async_work_group_copy(t, in + {k} * 64, 64, 0); wait_group_events(1, &e); r += t[(r + {k}) & 63];" for k in range(n)]
    return ints(lines, start="local int t[64]; event_t e;\n")


def gauss(n):
    """Elimination on a private matrix, unrolled."""
    return program([f"#pragma unroll\nfor (int y = 0; y < 6; y++) {{ float f = m[y][{k % 6}] / (m[{k % 6}][{k % 6}] + {k}.f);\n#pragma unroll\nfor (int x = 0; x < 6; x++) m[y][x] -= f * m[{k % 6}][x]; }}" for k in range(n)],
       "m[0][0] + m[5][5]", "global float *out, global float *in", start="float m[6][6]; for (int j = 0; j < 36; j++) m[j / 6][j % 6] = in[i * 36 + j];\n")


def unions(n):
    before = "typedef union { uint u; float f; uchar b[4]; ushort h[2]; } V;\n"
    return program([f"v.u ^= in[i + {k}]; v.b[{k % 4}] += {k % 50}; v.f *= {k}.5f; r += v.h[{k % 2}];" for k in range(n)], "r", UINTS, before, "V v; v.u = i; uint r = 0;\n")


def bitfields(n):
    before = "typedef struct { uint a, b, c; } B;\n#define GET(x, s, w) ((x) >> (s) & ((1u << (w)) - 1))\n#define SET(x, s, w, v) x = ((x) & ~(((1u << (w)) - 1) << (s))) | (((v) & ((1u << (w)) - 1)) << (s))\n"
    return program([f"SET(f.a, {k % 20}, {k%9+1}, GET(f.b, {k % 13}, {k%7+2}) + {k}u); SET(f.b, {k % 17}, {k%11+1}, GET(f.c, {k % 11}, 9) ^ f.a); f.c += f.b;" for k in range(n)], "f.a ^ f.b ^ f.c", "global uint *out, global B *in", before, "B f = in[i];\n")


def div_constants(n):
    return program([f"r = r / {k + 3} + r % {k*2+5}u * {k}; r ^= in[i + {k}];" for k in range(n)], "r", UINTS, start="uint r = in[i];\n")


def shader(n):
    lines = [f"c = mix(c, (float4)({k % 3}.5f, 0.{k + 1}f, c.z, 1), (float4)smoothstep(0.{k + 1}f, {k + 1}.5f, length(p - {k}.f))); p -= floor(p * 1.{k + 1}f); c = clamp(c, 0.f, 1.f);" for k in range(n)]
    return program(lines, "c", "global float4 *out, global float2 *in", start="float2 p = in[i]; float4 c = 0;\n")


def sdf(n):
    before = "float box(float3 p, float3 b) { float3 q = fabs(p) - b; return length(max(q, 0.f)) + min(max(q.x, max(q.y, q.z)), 0.f); }\nfloat ball(float3 p, float r) { return length(p) - r; }\nfloat join(float a, float b, float k) { float h = clamp(0.5f + 0.5f * (b - a) / k, 0.f, 1.f); return mix(b, a, h) - k * h * (1 - h); }\n"
    scene = "float scene(float3 p) { float d = 1e9f;\n" + "".join(f"d = {'join' if k % 3 == 0 else 'min'}(d, {f'box(p - (float3)({k}.f, 1, {k % 5}.f), (float3)(0.{k + 1}f))' if k % 2 else f'ball(p - (float3)({k}.f, 2, 3), 1.{k}f)'}{', 0.3f' if k % 3 == 0 else ''});\n" for k in range(n)) + "return d; }\n"
    return program(["for (int j = 0; j < 64; j++) { float d = scene(o + v * t); if (d < 0.001f) break; t += d; }",
       "float3 q = o + v * t; float nx = scene(q + (float3)(0.01f, 0, 0)) - scene(q - (float3)(0.01f, 0, 0)); float ny = scene(q + (float3)(0, 0.01f, 0)) - scene(q - (float3)(0, 0.01f, 0));"], "t + nx * ny",
       FLOATS, before + scene, "float3 o = vload3(i, in), v = vload3(i + m, in); float t = 0;\n")


def loop_breaks(n):
    lines = [f"for (int y = 0; y < m; y++) {{ int f = 0; for (int x = 0; x < y; x++) {{ if (in[x + {k}] == y) {{ f = 1; break; }} if (in[x] > r) continue; r += {k}; }} if (f) break; r ^= y; }}" for k in range(n)]
    return ints(lines)


def loops_gotos(n):
    lines = [f"for (int y = 0; y < m; y++) for (int x = 0; x < y; x++) {{ if (in[x + {k}] == y) goto e{k}; r += in[x * y + {k}]; }} e{k}: r ^= {k};" for k in range(n)]
    return ints(lines)


def particles(n):
    before = "typedef struct { float4 pos, vel; float mass; int kind; } P;\n"
    return program([f"p[i].vel += (p[i + {k + 1}].pos - p[i].pos) * p[i + {k + 1}].mass; if (p[i + {k}].kind == {k}) p[i].mass *= 0.5f;" for k in range(n)], "p[i].mass", "global float *out, global P *p", before)


def struct_argument(n):
    before = "typedef struct { " + " ".join(f"int a{k}; float b{k};" for k in range(n)) + " } A;\n"
    return program([f"r += in[i * s.a{k}] * s.b{k};" for k in range(n)], "r", "global float *out, global float *in, A s", before, "float r = 0;\n")


def unrolled_loops(n):
    lines = [f"#pragma unroll 8\nfor (int j = 0; j < 32; j++) r = r * {k*2+3} + in[j * {k + 1} + i];" for k in range(n)]
    return ints(lines)


def unrolled_full(n):
    lines = [f"#pragma unroll\nfor (int j = 0; j < 16; j++) r = (r ^ in[j + {k}]) * {k*2+3};" for k in range(n)]
    return ints(lines)


def unrolled_one(n):
    """One loop that is unrolled n times, of a body with branches."""
    return ints([f"#pragma unroll\nfor (int j = 0; j < {n}; j++) {{ r = r * (j + 3) + in[i + j]; if (r & 1 << (j & 31)) r ^= j; }}"])


def unrolled_two(n):
    return ints([f"#pragma unroll\nfor (int y = 0; y < {n}; y++)\n#pragma unroll\nfor (int x = 0; x < 8; x++) a[x] = a[x] * in[y * 8 + x] + a[(x + 1) & 7];"], start="int a[8]; for (int j = 0; j < 8; j++) a[j] = i + j;\n", result="a[0] + a[7]")


def vector_inserts(n):
    return program([f"v.s{k % 8} = in[i + {k}]; w = w * v + {k}.5f; v.s{(k*3+1)%8} += w.s{(k*5)%8};" for k in range(n)], "v.s0 + w.s7", FLOATS, start="float8 v = 0, w = 1;\n")


def strings(n):
    before = "".join(f'constant char s{k}[] = "message number {k} of the program";\n' for k in range(n))
    return ints([f"if (r == {k}) for (int j = 0; s{k}[j]; j++) r = r * 31 + s{k}[j];" for k in range(n)], before)


def local_scans(n):
    lines = [f"for (int o = 1; o < 64; o <<= 1) {{ int v = l >= o ? t[l - o] : 0; barrier(CLK_LOCAL_MEM_FENCE); t[l] += v + {k}; barrier(CLK_LOCAL_MEM_FENCE); }}" for k in range(n)]
    return kernel("t[l] = x;\n" + "\n".join(lines) + "\nx = t[l];")


def sorted_insert(n):
    """k nearest neighbours kept in a private array."""
    lines = [f"{{ float d = in[i + {k}]; if (d < best[7]) {{ int j = 7; while (j > 0 && best[j - 1] > d) {{ best[j] = best[j - 1]; j--; }} best[j] = d; }} }}" for k in range(n)]
    return program(lines, "best[0] + best[7]", FLOATS, start="float best[8]; for (int j = 0; j < 8; j++) best[j] = 1e30f;\n")


def multi_outputs(n):
    lines = [f"o{k % 4}[i * {n} + {k}] = in[i + {k}] * {k + 1} + (i & {k});" for k in range(n)]
    return program(lines, "0", "global int *out, global int *in, global int *o0, global int *o1, global int *o2, global int *o3")


def guards(n):
    """Each part only for some work-items, as merged kernels have them."""
    lines = [f"if (i >= {k * 100} && i < {k*100+100}) {{ for (int j = 0; j < m; j++) out[i] += in[i + j * {k + 1}]; }}" for k in range(n)]
    return ints(lines)


def long_math(n):
    forms = ("sin(x)", "cos(x)", "exp2(x)", "log(fabs(x) + 1)", "sqrt(fabs(x))", "rsqrt(fabs(x) + 1)", "atan(x)", "floor(x)")
    return program([f"x = {forms[k%8]} * {k}.5f + y; y = fma(x, y, {k}.25f);" for k in range(n)], "x + y", FLOATS, start="float x = in[i], y = in[i + m];\n")


def physics(n):
    before = "".join(f"float force{k}(float r, float q) {{ float s = r * r + 0.{k + 1}f; float v = q / (s * sqrt(s)); return v > {k}.f ? {k}.f : v; }}\n" for k in range(n))
    return program([f"f += force{k}(in[i + {k}] - x, {k}.5f);" for k in range(n)], "f", FLOATS, before, "float x = in[i], f = 0;\n")


def pointers_to_private(n):
    before = "void add(int *a, int *b, int k) { *a += *b * k; if (*a > k) *b = *a ^ k; }\n"
    return ints([f"add(&v{k % 16}, &v{(k*5+1)%16}, {k});" for k in range(n)], before, "int " + ", ".join(f"v{j} = in[i + {j}]" for j in range(16)) + ";\n", " ^ ".join(f"v{j}" for j in range(16)))


def many_locals(n):
    """Many variables alive at once."""
    return ints([f"int v{k} = in[i + {k}] * {k + 1};" for k in range(n)] + [f"r = r * 3 + (v{k} ^ v{(k*7+1)%n});" for k in range(n)])


def matrix_chain(n):
    lines = [f"for (int j = 0; j < 4; j++) t[j] = a[j].x * b[0] + a[j].y * b[1] + a[j].z * b[2] + a[j].w * b[3]; for (int j = 0; j < 4; j++) a[j] = t[j] + {k}.5f;" for k in range(n)]
    return program(lines, "a[0] + a[3]", "global float4 *out, global float4 *in", start="float4 a[4], b[4], t[4]; for (int j = 0; j < 4; j++) { a[j] = in[i * 4 + j]; b[j] = in[i + j]; }\n")


def while_nest(n):
    lines = [f"while (r > {k} && (in[i + {k}] & r)) {{ r -= {k + 1}; int s = r; while (s > m) {{ s /= 2; if (s == {k}) goto out{k}; r ^= s; }} }} out{k}: r += {k};" for k in range(n)]
    return ints(lines)


def chess(n):
    """Bitboards: shifts of 64-bit masks with loops over bits."""
    lines = [f"for (ulong b = x & {k*0x9E3779B97F4A7C15 % 2**64}ul; b; b &= b - 1) {{ int s = ctz(b); y ^= in[s + {k}] << (s & 7); }} x = (x << {k%7+1}) | (y >> {k%5+1});" for k in range(n)]
    return program(lines, "x ^ y", "global ulong *out, global ulong *in", start="ulong x = in[i], y = in[i + 1];\n")


def shorts_mixed(n):
    return program([f"a = (short)(a * b + {k}); b = (ushort)(c >> 3) ^ a; c = mul24(c, (int)a) + (d & {k}); d += (long)c * {k} - b;" for k in range(n)], "(int)(a + b + c + d)", INTS, start="short a = i; ushort b = m; int c = in[i]; long d = 7;\n")


def local_2d(n):
    lines = [f"t[y][x] = r; barrier(CLK_LOCAL_MEM_FENCE); if (x > 0 && y > 0 && x < 15 && y < 15) r += (t[y - 1][x] + t[y + 1][x] + t[y][x - 1] + t[y][x + 1]) * {k + 1}; barrier(CLK_LOCAL_MEM_FENCE);" for k in range(n)]
    return ints(lines, start="local int t[16][16]; int x = get_local_id(0), y = get_local_id(1);\n")


def convert_types(n):
    lines = [f"h = convert_short4_sat(f * {k}.5f); f += convert_float4(h & (short){k%30+1}); u = convert_uchar4_sat_rte(f); f -= convert_float4(u.wzyx);" for k in range(n)]
    return program(lines, "f", "global float4 *out, global float4 *in", start="float4 f = in[i]; short4 h; uchar4 u;\n")


def globals_struct(n):
    before = "typedef struct { int v[4]; float w; } G; global G g[64]; global int counter;\n"
    return ints([f"g[(i + {k}) & 63].v[{k % 4}] += r; r ^= g[{k % 64}].v[r & 3]; if (r == {k}) counter++;" for k in range(n)], before)


def if_else_assign(n):
    return ints([f"if (in[i + {k}] > {k}) {{ a = r * {k + 1}; b = a - c; }} else {{ b = r ^ {k}; c = a + b; }} r += b;" for k in range(n)], start="int a = 1, b = 2, c = 3;\n")


def loop_ifs_barrier(n):
    return kernel("for (int j = 0; j < n; j++) {\n" + "\n".join(f"if (n & {1<<k%30}) {{ t[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += t[l ^ {k % 16}]; barrier(CLK_LOCAL_MEM_FENCE); }}" for k in range(n)) + "\n}")


def calls_with_arrays(n):
    before = "int f(int *a, int k) { int s = 0; for (int j = 0; j < 8; j++) { s += a[j] * k; a[j] ^= s; } return s; }\n"
    return ints([f"r += f(a, {k}); a[r & 7] = {k};" for k in range(n)], before, "int a[8]; for (int j = 0; j < 8; j++) a[j] = in[i + j];\n")


def wide_shuffle(n):
    return program([f"v = v.{'yzwx' if k%2 else 'wxyz'} * {k}.5f + w.{'xxyy' if k%3 else 'zwxy'}; w.{'xz' if k%2 else 'yw'} = v.{'wy' if k%3 else 'xx'};" for k in range(n)], "v + w", "global float4 *out, global float4 *in", start="float4 v = in[i], w = in[i + 1];\n")


FAMILIES = {
    "keccak": (keccak, 8), "keccak_flat": (keccak_flat, 8), "gemm_micro": (gemm_micro, 64),
    "gemm_tiles": (gemm_tiles, 8), "const_tables": (const_tables, 128), "decision_tree": (decision_tree, 256),
    "forest": (forest, 128), "vectors3": (vectors3, 64), "vector16": (vector16, 16), "uchar16": (uchar16, 16),
    "c11_atomics": (c11_atomics, 128), "write_images": (write_images, 16), "image_filter": (image_filter, 32),
    "printf_branches": (printf_branches, 64), "pipe_reservations": (pipe_reservations, 16),
    "nested_structs": (nested_structs, 16), "stencil27": (stencil27, 16), "stencil_bounds": (stencil_bounds, 128),
    "long_switch": (long_switch, 256), "switch_values": (switch_values, 512),
    "nested_switches": (nested_switches, 64), "switch_returns": (switch_returns, 256),
    "opcode_loop": (opcode_loop, 128), "parser": (parser, 64), "sorting_network": (sorting_network, 256),
    "sort_minmax": (sort_minmax, 512), "fft": (fft, 128), "spheres": (spheres, 64), "neurons": (neurons, 64),
    "relus": (relus, 4), "byte_compare": (byte_compare, 256), "rng": (rng, 64), "complexes": (complexes, 64),
    "reductions": (reductions, 8), "volatiles": (volatiles, 256), "async_copies": (async_copies, 16),
    "gauss": (gauss, 16), "unions": (unions, 128), "bitfields": (bitfields, 128),
    "div_constants": (div_constants, 128), "shader": (shader, 32), "sdf": (sdf, 16), "loop_breaks": (loop_breaks, 32),
    "loops_gotos": (loops_gotos, 32), "particles": (particles, 64), "struct_argument": (struct_argument, 128),
    "unrolled_loops": (unrolled_loops, 32), "unrolled_full": (unrolled_full, 32), "unrolled_one": (unrolled_one, 128),
    "unrolled_two": (unrolled_two, 64), "vector_inserts": (vector_inserts, 64), "strings": (strings, 64),
    "local_scans": (local_scans, 8), "sorted_insert": (sorted_insert, 32), "multi_outputs": (multi_outputs, 256),
    "guards": (guards, 64), "long_math": (long_math, 64), "physics": (physics, 64),
    "pointers_to_private": (pointers_to_private, 256), "many_locals": (many_locals, 256),
    "matrix_chain": (matrix_chain, 32), "while_nest": (while_nest, 32), "chess": (chess, 32),
    "shorts_mixed": (shorts_mixed, 128), "local_2d": (local_2d, 16), "convert_types": (convert_types, 64),
    "globals_struct": (globals_struct, 64), "if_else_assign": (if_else_assign, 256),
    "loop_ifs_barrier": (loop_ifs_barrier, 8), "calls_with_arrays": (calls_with_arrays, 32),
    "wide_shuffle": (wide_shuffle, 128),
}
