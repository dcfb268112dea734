// options: -cl-std=CL3.0
// Generic pointers: to global, local and private memory by turns, in active and inactive lanes, across
// barriers, in private arrays that would otherwise be interleaved, and functions that ask for the address
// space of a pointer.

// 0: private, 1: local, 2: global
uint space(const void *p)
{
    uint s = to_global(p) ? 2 : to_local(p) ? 1 : to_private(p) ? 0 : 7;
    return s + 10 * get_fence(p);
}

uint at(const uint *p, uint k)
{
    return p[k & 3];
}

void put(uint *p, uint k, uint v)
{
    p[k & 3] = v;
}

// The lanes' pointers differ in their spaces.
//: of_any_space local=4
kernel void of_any_space(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item();
    uint mine[4] = {in[i], in[i] * 3, in[i] ^ 5, i};
    tile[l] = in[i] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint *p = in[i] % 3 == 0 ? mine : in[i] % 3 == 1 ? (const uint *)&tile[l] : (const uint *)&in[i];
    uint v = *p;
    if (in[i] & 1)
        v = mix(v, space(p));
    out[i] = mix(v, space(mine + 1) + 100 * space(tile + l) + 10000 * space(in + i));
}

// One array is only accessed directly, the other through a pointer that may point to anything.
//: escaping_array
kernel void escaping_array(global const uint *in, global uint *out)
{
    int i = item();
    uint plain[4], other[4];
    for (uint k = 0; k < 4; k++) {
        plain[k] = in[i] + k;
        other[k] = in[i] * (k + 1);
    }
    uint *p = in[i] & 4 ? other : plain;
    uint *volatile kept = p;
    for (uint k = 0; k < (in[i] & 7); k++) {
        put(kept, k, at(p, k + 1) + plain[k & 3]);
        if (plain[k & 3] & 8)
            put(p, k + 2, at(other, in[i] >> k));
    }
    out[i] = mix(mix(plain[0], plain[1] ^ plain[2]), mix(other[0] ^ other[1], other[2] + plain[3])) + space(kept);
}

// A private variable that lives across barriers lies elsewhere than one that doesn't, and is private all the
// same.
//: across_barriers local=4
kernel void across_barriers(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint mine[4] = {in[i], 1, 2, 3};
    uint *p = in[i] & 1 ? mine : (uint *)&tile[l];
    tile[l] = 77;
    barrier(CLK_LOCAL_MEM_FENCE);
    *p += in[i];
    uint s = space(p);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = mix(mix(s, mine[0]), tile[(l + 1) % n]) + space(mine + (in[i] & 3)) + (to_private(p) == mine);
}

// Pointers in memory.
//: list
kernel void list(global const uint *in, global uint *out)
{
    struct node {
        struct node *next;
        uint v;
    } nodes[5];
    int i = item();
    for (uint k = 0; k < 5; k++) {
        nodes[k].v = in[i] + k * k;
        nodes[k].next = k ? &nodes[k - 1] : 0;
    }
    nodes[in[i] % 5].next = &nodes[in[i] % 5 / 2];
    struct node *at = &nodes[4];
    uint h = 0;
    for (uint k = 0; at && k < 9; k++, at = at->next) {
        h = mix(h, at->v);
        if (h & 2)
            at->v++;
    }
    out[i] = h + (to_global(at) != 0) + 2 * (to_local(at) != 0) + 4 * (to_private(at) != 0);
}

// Atomics of local memory by generic pointers, with and without knowing whose they are.
//: atomics local=4
kernel void atomics(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    local atomic_uint *known = (local atomic_uint *)tile;
    atomic_fetch_add_explicit(&known[in[i] % n], 3u, memory_order_relaxed, memory_scope_work_group);
    volatile atomic_uint *unknown = in[i] & 8 ? (volatile atomic_uint *)&known[in[i] / 2 % n] : (volatile atomic_uint *)&sums[in[i] % 64];
    atomic_fetch_add_explicit(unknown, 5u, memory_order_relaxed, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[l];
}

// Built-in functions that write by a pointer.
//: results_by_pointer data=unit
kernel void results_by_pointer(global const float *in, global uint *out)
{
    int i = item();
    float x = in[i] * 10.0f, f, g, h;
    int e, q, s;
    float *where = x > 3.0f ? &f : &g;
    f = g = 0.5f;
    uint v = bits(fract(x, where));
    v = mix(v, bits(modf(x, where == &f ? &g : &f)));
    v = mix(v, bits(frexp(x, &e)) + (uint)e);
    v = mix(v, bits(remquo(x, 0.7f, x > 5.0f ? &e : &q)) + (uint)(x > 5.0f ? e : q));
    v = mix(v, bits(sincos(x, &h)));
    v = mix(v, bits(lgamma_r(fabs(x) + 0.1f, &s)) + (uint)s);
    uint a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const uint *p = x > 4.0f ? (const uint *)a : (const uint *)(in + i / 4 * 0);
    uint4 four = vload4(0, x > 4.0f ? p : a + 3);
    vstore2(four.xw, 1, x > 6.0f ? a : a + 2);
    out[i] = mix(mix(v, bits(f) ^ bits(g)), mix(bits(h), a[2] + a[3] * 5 + a[4] * 7 + a[5] * 11));
}

// A region so large that what it leaves over at the end of a row isn't inlined: its private memory lies in a
// frame of its own.
#define ROUND x = (x ^ y) * 3u + (x >> 5), y = (y + x) * 5u ^ (y >> 7);
#define ROUNDS ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND
//: large_region
kernel void large_region(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i], y = x + 1, a[256];
    ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS
    for (int j = 0; j < 256; j++)
        a[j] = x + (uint)j;
    a[y & 255] += y;
    uint *at = in[i] != 0x12345678u ? a + (x & 255) : (uint *)out;
    out[i] = *at + y + 1000u * (to_private(at) != 0) + (to_global(at) != 0) + 2u * (to_local(at) != 0) + 4u * get_fence(at);
}
