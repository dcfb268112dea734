// Kernels that inlining alone would make huge: large functions stay calls, with pointers into every kind of
// memory. Each of `one` and `two` is called from twenty places, of which a work-item passes few.

#define MIX(k) v = mix(v, a[(v + k) % 8u] + k); a[(v >> 8) % 8u] ^= v / ((v & 3u) | (k & 1u));
#define MIX4(k) MIX(k) MIX(k + 1u) MIX(k + 2u) MIX(k + 3u)
#define MIX16(k) MIX4(k) MIX4(k + 4u) MIX4(k + 8u) MIX4(k + 12u)
constant uint numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6};
struct pair {
    uint x, y;
};

uint one(uint *a, uint v)
{
    MIX16(1u)
    return v + numbers[v % 8u];
}

// Divisors may be 0 here too: what that gives is one value at all widths, and no trap.
struct pair two(uint *a, global const uint *in, struct pair p, int i)
{
    uint v = p.x;
#define CASE(k)                                  \
    case k:                                      \
        v = one(a, v + k##u) ^ in[i];            \
        for (uint n = 0; n < (v & 3u); n++)      \
            v += one(a, n);                      \
        break;
    switch ((v ^ p.y) % 10u) {
        CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9)
    }
    p.y += v;
    p.x ^= a[v % 8u];
    return p;
}

#define TWENTY(F) \
    F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19)

//: calls
kernel void calls(global const uint *in, global uint *out)
{
    int i = item();
    uint a[8];
    for (uint k = 0; k < 8; k++)
        a[k] = in[i] + k;
    struct pair p = {in[i], (uint)i};
#define CALL(k)                             \
    if (p.x % 5u == k##u % 5u || k == 19) \
        p = two(a, in, p, i);
    TWENTY(CALL)
    TWENTY(CALL)
    out[i] = p.x ^ p.y ^ a[p.x % 8u];
}

//: calls_across_barriers local=4
kernel void calls_across_barriers(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint a[8];
    for (uint k = 0; k < 8; k++)
        a[k] = in[i] + k;
    struct pair p = {in[i], (uint)l};
    for (int round = 0; round < 3; round++) {
        TWENTY(CALL)
        TWENTY(CALL)
        tile[l] = p.x + a[round];
        barrier(CLK_LOCAL_MEM_FENCE);
        p.y += tile[(l + 1) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = p.x ^ p.y ^ a[p.x % 8u];
}
