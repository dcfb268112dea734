// Kernels of one signature for execute.c, which runs each of them twice: as Weft compiles it, and as Clang
// compiles it for the host, with every work-item a coroutine and barrier() a switch to the next. All are free
// of data races and use work-item functions and barriers only.
#define PARAMETERS __global int *out, __global const int *in, __local int *scratch, int n
#define LOCAL barrier(CLK_LOCAL_MEM_FENCE)

static size_t flat_global(void)
{
    return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0) -
           ((get_global_offset(2) * get_global_size(1) + get_global_offset(1)) * get_global_size(0) +
            get_global_offset(0));
}

static size_t flat_local(void)
{
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}

static int items(void)
{
    return (int)(get_local_size(0) * get_local_size(1) * get_local_size(2));
}

// ---- without barriers ----

__kernel void ids(PARAMETERS)
{
    int r = 0;
    for (uint d = 0; d < 4; d++)
        r = r * 31 + (int)(get_global_id(d) + 3 * get_local_id(d) + 5 * get_group_id(d) + 7 * get_global_size(d) +
                           11 * get_local_size(d) + 13 * get_num_groups(d) + 17 * get_global_offset(d));
    out[flat_global()] = r + (int)get_work_dim();
}

// Sums of 32 bits that wrap before they are widened.
__kernel void widened_sums(PARAMETERS)
{
    uint i = get_global_id(0);
    size_t k = flat_global();
    ulong sum = (ulong)(i + 5u), shifted = (ulong)(i << 1), less = (ulong)(i - 3u), many = (ulong)(uint)(n + 7);
    out[k] = in[k] + (int)((sum * many) >> 16) + (int)((shifted * many) >> 15) + (int)((less * many) >> 14);
}

__kernel void narrow_ids(PARAMETERS)
{
    int i = get_global_id(0), o = get_global_offset(0);
    int k = (int)flat_global();
    out[k] = in[k] * 3 + i - o + (int)get_local_id(0);
}

__kernel void only_global(PARAMETERS)
{
    size_t i = flat_global();
    out[i] = in[i] ^ (int)i;
}

__kernel void transposed(PARAMETERS)
{
    int x = (int)(get_global_id(0) - get_global_offset(0)), y = (int)(get_global_id(1) - get_global_offset(1));
    int z = (int)(get_global_id(2) - get_global_offset(2)), w = get_global_size(0), h = get_global_size(1);
    out[(z * w + x) * h + y] = in[(z * h + y) * w + x] * 3 + n;
}

__kernel void transposed_from(PARAMETERS)
{
    uint x = get_global_id(0), y = get_global_id(1), h = get_global_size(1), o = get_global_offset(0);
    size_t z = get_global_id(2) - get_global_offset(2), plane = get_global_size(0) * h;
    int v = in[z * plane + (x - o) * h + (y - (uint)get_global_offset(1))], r = n;
    while (v & 15 && r < n + 20)
        v = v / 2 - r++;
    out[flat_global()] = v + r;
}

__kernel void early_return(PARAMETERS)
{
    size_t i = flat_global();
    if (in[i] & 1)
        return;
    out[i] = in[i] + 1;
    if (in[i] & 2)
        return;
    out[i] += 5;
}

__kernel void divergent_loop(PARAMETERS)
{
    size_t i = flat_global();
    int v = in[i] & 255, steps = 0;
    while (v > 1) {
        v = v & 1 ? (3 * v + 1) & 1023 : v / 2;
        if (++steps > 100)
            break;
    }
    out[i] = steps;
}

__kernel void private_array(PARAMETERS)
{
    size_t i = flat_global();
    int a[8];
    for (int k = 0; k < 8; k++)
        a[k] = in[i] + k * k;
    out[i] = a[in[i] & 7] - a[(in[i] >> 3) & 7];
}

// As programs in the wild do, without -cl-strict-aliasing.
__kernel void one_memory_as_several_types(PARAMETERS)
{
    size_t i = flat_global(), l = flat_local(), same = n > 100 ? 0 : l;
    __local float *floats = (__local float *)scratch;
    __local ushort *halves = (__local ushort *)scratch;
    scratch[l] = in[i];
    floats[same] = -floats[same];
    int negated = scratch[l];
    halves[2 * same] ^= 0x1234;
    int private_ints[4] = {scratch[l], negated, n, 7};
    uint2 *pairs = (uint2 *)private_ints;
    pairs[n & 1].x += 5;
    ((short *)private_ints)[n & 7] = 3;
    out[i] = scratch[l] ^ private_ints[0] + 3 * private_ints[1] + 5 * private_ints[2] + 7 * private_ints[3];
}

__kernel void division_by_zero(PARAMETERS)
{
    size_t i = flat_global();
    int d = in[i] % 3, e = d ? in[i] / d : 0;
    uint u = (uint)in[i] & 3, v = u ? (uint)in[i] / u : 0;
    out[i] = e + (int)v + (d == 0 ? 0 : in[i] % d);
#ifndef ORACLE // any value will do, but no trap
    volatile int q = in[i] / (d * 0), r = (int)0x80000000 / (d * 0 - 1);
    volatile long s = in[i] % (long)(d * 0), t = (long)1 << 63 >> (d * 0);
    t = t % (d * 0 - 1);
    volatile uint4 v4 = (uint4)(in[i]) / (uint4)(1, d * 0, 2, d * 0);
#endif
}

__kernel void switch_on_item(PARAMETERS)
{
    size_t i = flat_global();
    int r;
    switch (in[i] & 7) {
    case 0: r = 10; break;
    case 1: r = in[i]; // and on
    case 3: r = in[i] * 2; break;
    case 5: r = -in[i]; break;
    default: r = (int)i; break;
    }
    out[i] = r;
}

// ---- one barrier after another ----

__kernel void neighbour(PARAMETERS)
{
    int l = (int)flat_local();
    scratch[l] = in[flat_global()];
    LOCAL;
    out[flat_global()] = scratch[(l + 1) % items()] - scratch[l];
}

__kernel void reduction(PARAMETERS)
{
    int l = (int)flat_local(), count = items();
    scratch[l] = in[flat_global()];
    LOCAL;
    for (int live = count; live > 1;) {
        int half_up = (live + 1) / 2;
        if (l < live - half_up)
            scratch[l] += scratch[l + half_up];
        live = half_up;
        LOCAL;
    }
    out[flat_global()] = scratch[0];
}

__kernel void local_variables(PARAMETERS)
{
    __local int table[1024];
    __local int total;
    int l = (int)flat_local();
    table[l] = in[flat_global()] & 15;
    if (l == 0)
        total = 0;
    LOCAL;
    if (l == 0)
        for (int k = 0; k < items(); k++)
            total += table[k];
    LOCAL;
    out[flat_global()] = total * 16 + table[items() - 1 - l];
}

#define STEP                                                                                                    \
    scratch[l] = v;                                                                                             \
    LOCAL;                                                                                                      \
    v = v * 3 + scratch[(l + 1) % items()] + u;                                                                 \
    u += n;                                                                                                     \
    LOCAL;
#define STEP5 STEP STEP STEP STEP STEP
__kernel void fifty_barriers(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()], u = n;
    STEP5 STEP5 STEP5 STEP5 STEP5
    out[flat_global()] = v;
}

// ---- barriers in control flow ----

__kernel void barrier_in_loop(PARAMETERS)
{
    int l = (int)flat_local(), v = 0;
    for (int k = 0; k < n; k++) {
        scratch[l] = in[flat_global()] + k;
        LOCAL;
        v += scratch[(l + k) % items()];
        LOCAL;
    }
    out[flat_global()] = v;
}

__kernel void barrier_in_conditional(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()];
    if (get_group_id(0) & 1) {
        scratch[l] = v;
        LOCAL;
        v = scratch[items() - 1 - l];
    }
    out[flat_global()] = v + l;
}

__kernel void barriers_in_both_branches(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()], w = v * 7;
    scratch[l] = v;
    if (n > 4) {
        LOCAL;
        v = scratch[(l + 2) % items()];
    } else {
        LOCAL;
        v = scratch[(l + 3) % items()];
        LOCAL;
        scratch[l] = v;
        LOCAL;
        v += scratch[0];
    }
    out[flat_global()] = v + w;
}

// So many regions share their ends that joins are added (regions/join_barriers.c); also inside of a loop, and
// beside code that only some work-items reach, where none may be.
#define MAYBE(bit)                                    \
    if (n >> (bit) & 1) {                             \
        scratch[l] = v;                               \
        LOCAL;                                        \
        v = v * 5 + scratch[(l + 1 + bit) % items()]; \
        LOCAL;                                        \
    }                                                 \
    v ^= v >> 3;                                      \
    if (v & 4)                                        \
        v += u * bit;                                 \
    u = u * 9 + n;
#define MAYBE8 MAYBE(0) MAYBE(1) MAYBE(2) MAYBE(3) MAYBE(1) MAYBE(0) MAYBE(3) MAYBE(2)
__kernel void conditionals_in_a_row(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()] & 0xffff, u = n;
    MAYBE8
    MAYBE8
    for (int k = 0; k < n; k++) {
        MAYBE(0)
        MAYBE(1)
        MAYBE(2)
        MAYBE(0)
        v &= 0xffff;
        if (v & 1)
            continue;
        v += k;
    }
    out[flat_global()] = v + u;
}

__kernel void nested_loops(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()];
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < a; b++) {
            scratch[l] = v + b;
            LOCAL;
            v ^= scratch[(l + a + b) % items()];
            LOCAL;
        }
        v += a;
    }
    out[flat_global()] = v;
}

__kernel void divergence_between_barriers(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()] & 63;
    for (int k = 0; k < n; k++) {
        scratch[l] = v;
        LOCAL;
        int other = scratch[(l + 1) % items()];
        if (other & 1) {
            for (int q = 0; q < (l & 3); q++)
                v += q * other;
        } else if (l > 2) {
            v -= other;
        }
        LOCAL;
    }
    out[flat_global()] = v;
}

__kernel void do_while(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()], k = 0;
    do {
        scratch[l] = v;
        LOCAL;
        v += scratch[(l + k) % items()];
        LOCAL;
    } while (++k < n);
    out[flat_global()] = v * k;
}

__kernel void break_and_continue(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()];
    for (int k = 0;; k++) {
        if (k == n)
            break;
        scratch[l] = v;
        LOCAL;
        int w = scratch[(l + 1) % items()];
        LOCAL;
        if (k % 3 == 1)
            continue;
        v += w;
        if (k > 5)
            break;
    }
    out[flat_global()] = v;
}

__kernel void return_of_a_group(PARAMETERS)
{
    int l = (int)flat_local();
    out[flat_global()] = -1;
    if (get_group_id(0) == 1)
        return;
    scratch[l] = in[flat_global()];
    LOCAL;
    if (get_group_id(0) == 2)
        return;
    out[flat_global()] = scratch[(l + 1) % items()];
}

__kernel void switch_with_barriers(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()];
    for (int k = 0; k < n; k++) {
        switch (k & 3) {
        case 0:
            scratch[l] = v;
            LOCAL;
            v += scratch[(l + 1) % items()];
            LOCAL;
            break;
        case 1:
            v *= 3; // and on
        case 2:
            scratch[l] = v - 1;
            LOCAL;
            v -= scratch[(l + 2) % items()];
            LOCAL;
            break;
        default:
            v++;
        }
    }
    out[flat_global()] = v;
}

__kernel void irreducible(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()], k = 0;
    if (n & 1)
        goto middle;
top:
    scratch[l] = v;
    LOCAL;
    v += scratch[(l + 1) % items()];
middle:
    LOCAL;
    scratch[l] = v * 2;
    LOCAL;
    v ^= scratch[(l + 3) % items()];
    LOCAL;
    if (++k < n)
        goto top;
    out[flat_global()] = v;
}

__kernel void goto_over_barrier(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()];
    scratch[l] = v;
    if (n > 3)
        goto skip;
    LOCAL;
    v += scratch[(l + 1) % items()];
skip:
    LOCAL;
    v += scratch[(l + 2) % items()];
    out[flat_global()] = v;
}

static int exchange(__local int *scratch, int l, int v)
{
    scratch[l] = v;
    LOCAL;
    int r = scratch[items() - 1 - l];
    LOCAL;
    return r;
}

__kernel void barrier_in_function(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()];
    v += exchange(scratch, l, v);
    for (int k = 0; k < n; k++)
        v += exchange(scratch, l, v + k) * 3;
    out[flat_global()] = v;
}

// ---- what lives across ----

__kernel void swap_across(PARAMETERS)
{
    int l = (int)flat_local(), a = in[flat_global()], b = l, c = n;
    for (int k = 0; k < n; k++) {
        int t = a;
        a = b;
        b = c;
        c = t;
        scratch[l] = a;
        LOCAL;
        c += scratch[(l + 1) % items()] & 3;
        LOCAL;
    }
    out[flat_global()] = a * 10007 + b * 101 + c;
}

__kernel void uniform_across(PARAMETERS)
{
    int l = (int)flat_local(), u = n * (int)get_group_id(0), w = 1;
    for (int k = 0; k < n; k++) {
        u = u * 5 + k;
        if (u & 1)
            w += u;
        scratch[l] = u + l;
        LOCAL;
        u += w;
        LOCAL;
    }
    out[flat_global()] = u * 3 + w + (n > 0 ? scratch[(l + 1) % items()] : 0);
}

// The counter looks uniform, but work-items leave the loop in different iterations.
__kernel void left_in_different_rounds(PARAMETERS)
{
    int l = (int)flat_local(), k = 0, u = n;
    for (;; k++, u += 3)
        if (k >= (l & 7))
            break;
    scratch[l] = u;
    LOCAL;
    out[flat_global()] = k * 100 + u + scratch[(l + 1) % items()];
}

// A value that is uniform, but that the last work-item doesn't compute.
__kernel void computed_by_some(PARAMETERS)
{
    int l = (int)flat_local(), v = 0;
    if (l == 0) {
        v = n * n + (int)get_group_id(0);
        for (int k = 0; k < n; k++)
            v ^= v << 1;
    }
    LOCAL;
    if (l == 0)
        scratch[0] = v;
    LOCAL;
    out[flat_global()] = scratch[0] + v;
}

__kernel void vectors_across(PARAMETERS)
{
    int l = (int)flat_local();
    size_t i = flat_global();
    int3 a = (int3)(in[i], l, n);
    long16 b = (long16)(in[i]);
    char2 c = (char2)((char)in[i], (char)l);
    short8 d = (short8)((short)l);
    bool e = in[i] > 3;
    double f = in[i] * 0.5;
    b.s3 = l;
    scratch[l] = in[i];
    LOCAL;
    a.y += scratch[(l + 1) % items()];
    b.sF += a.x;
    d.s7 += c.y;
    LOCAL;
    out[i] = a.x + a.y * 3 + a.z + (int)b.s3 + (int)b.sF + c.x + d.s7 + d.s0 + (e ? 1000 : 0) + (int)f;
}

__kernel void array_across(PARAMETERS)
{
    int l = (int)flat_local(), a[9];
    size_t i = flat_global();
    for (int k = 0; k < 9; k++)
        a[k] = in[i] * k + l;
    scratch[l] = a[in[i] & 7];
    LOCAL;
    a[scratch[(l + 1) % items()] & 7] += 1000;
    LOCAL;
    int r = 0;
    for (int k = 0; k < 9; k++)
        r = r * 3 + a[k];
    out[i] = r;
}

__kernel void array_in_loop(PARAMETERS)
{
    int l = (int)flat_local(), v = in[flat_global()];
    for (int k = 0; k < n; k++) {
        int a[5];
        for (int q = 0; q < 5; q++)
            a[q] = v + q * k;
        scratch[l] = a[k % 5];
        LOCAL;
        v += a[scratch[(l + 1) % items()] & 3];
        LOCAL;
    }
    out[flat_global()] = v;
}

struct pair {
    char tag;
    long big;
    short list[5];
};

__kernel void structs_across(PARAMETERS)
{
    int l = (int)flat_local();
    size_t i = flat_global();
    struct pair p[3];
    for (int k = 0; k < 3; k++) {
        p[k].tag = (char)(in[i] + k);
        p[k].big = in[i] * 3l;
        for (int q = 0; q < 5; q++)
            p[k].list[q] = (short)(l * q);
    }
    scratch[l] = l * 3 + 1;
    LOCAL;
    struct pair *chosen = &p[scratch[(l + 1) % items()] % 3];
    chosen->list[in[i] & 3] += 7;
    LOCAL;
    chosen->big -= 5;
    LOCAL;
    int r = 0;
    for (int k = 0; k < 3; k++) {
        r = r * 5 + p[k].tag + (int)p[k].big;
        for (int q = 0; q < 5; q++)
            r += p[k].list[q];
    }
    out[i] = r;
}

// Which array the pointer is of is only known at run time.
__kernel void pointers_across(PARAMETERS)
{
    int l = (int)flat_local(), a[4], b[4];
    size_t i = flat_global();
    for (int k = 0; k < 4; k++) {
        a[k] = in[i] + k;
        b[k] = in[i] - k;
    }
    int *p = in[i] & 1 ? a : b;
    for (int k = 0; k < n; k++) {
        scratch[l] = p[k & 3];
        LOCAL;
        p[(k + 1) & 3] += scratch[(l + 1) % items()] & 15;
        if (scratch[l] & 2)
            p = p == a ? b : a;
        LOCAL;
    }
    out[i] = a[0] + 3 * a[1] + 5 * a[2] + 7 * a[3] + 11 * b[0] + 13 * b[1] + 17 * b[2] + 19 * b[3];
}

__kernel void global_memory(PARAMETERS)
{
    size_t i = flat_global();
    out[i] = in[i];
    for (int k = 0; k < n; k++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        int v = out[i - (get_local_id(0) > 0)];
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[i] += v & 255;
    }
}

__constant int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};

__kernel void constant_across(PARAMETERS)
{
    int l = (int)flat_local(), u = primes[n & 7], v = primes[l & 7];
    for (int k = 0; k < u; k++) {
        scratch[l] = v + k;
        LOCAL;
        v += scratch[(l + primes[k & 7]) % items()];
        LOCAL;
    }
    out[flat_global()] = v + u;
}
