// RUN: --check-prefix=NONE WEFT_CPU=haswell,skylake-avx512 --report=vectorize -k sums8
// RUN: --check-prefix=LANES WEFT_CPU=skylake-avx512 --report=vectorize -k sums4
// RUN: --check-prefix=LANES WEFT_CPU=haswell,skylake-avx512 --report=vectorize -k sums1
// RUN: --check-prefix=LANES WEFT_CPU=haswell,skylake-avx512 --report=vectorize -k few8
// RUN: --check-prefix=FORCED WEFT_CPU=haswell WEFT_VF=8 --report=vectorize -k sums8
// RUN: --check-prefix=NONE WEFT_CPU=znver3,skylake-avx512 --report=vectorize -k least16
// RUN: --check-prefix=LANES WEFT_CPU=znver3,skylake-avx512 --report=vectorize -k least4
// RUN: --check-prefix=WAITS WEFT_CPU=skylake-avx512 --report=vectorize -k waits
// RUN: --check-prefix=BUSY WEFT_CPU=skylake-avx512 --report=vectorize -k busy
// Lanes take OpenCL's vectors apart: each element becomes a vector of all lanes. Where a kernel keeps many of
// them, registers don't suffice, and scalar code, which handles a whole vector in one operation, is faster.

#define SUMS(name, type)                                                                                \
    kernel void name(global type *out, global const type *in, uint rounds)                              \
    {                                                                                                   \
        size_t i = get_global_id(0);                                                                    \
        type x = in[i], y = x * 0.5f, s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;    \
        for (uint n = 0; n < rounds; n++) {                                                             \
            s0 = fma(x, y, s0), s1 = fma(x, s0, s1), s2 = fma(y, s1, s2), s3 = fma(x, s2, s3);          \
            s4 = fma(y, s3, s4), s5 = fma(x, s4, s5), s6 = fma(y, s5, s6), s7 = fma(x, s6, s7);         \
            x *= 0.99f, y *= 1.01f;                                                                     \
        }                                                                                               \
        out[i] = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;                                                 \
    }
// Eight elements of ten values: 80 vectors of all lanes.
SUMS(sums8, float8)
SUMS(sums4, float4)
SUMS(sums1, float)
// NONE: region 0: not vectorized: registers wouldn't suffice for lanes beside the kernel's own vectors: a vector iteration of {{8|16}} lanes is estimated at the work of {{[0-9.]+}} work-items in scalar code; at most {{9.6|10.4}} are allowed
// NONE-NOT: the most expensive
// LANES: region 0: vectorized
// FORCED: region 0: vectorized, 8 lanes

// Wide, but there is little of it.
kernel void few8(global float8 *out, global const float8 *in, float a)
{
    size_t i = get_global_id(0);
    out[i] = in[i] * a + 1.0f;
}

// A chain of operations, longer than the processor looks ahead. Scalar code waits for each of them. Lanes
// have eight such chains, one for each element.
#define STEP(a, b, c, d, k)                                        \
    a += (b ^ c ^ d) + m##k + 0x6ed9eba1u, a = rotate(a, (uint8)(5 + k % 4 * 5)) + b;
#define STEPS(p, q, r, s)                                                                           \
    STEP(a, b, c, d, p) STEP(d, a, b, c, q) STEP(c, d, a, b, r) STEP(b, c, d, a, s)
#define ROUND STEPS(0, 1, 2, 3) STEPS(4, 5, 6, 7) STEPS(8, 9, 10, 11) STEPS(12, 13, 14, 15)
#define MESSAGE                                                                                     \
    uint8 m0 = in[i], m1 = m0 + 1, m2 = m0 + 2, m3 = m0 + 3, m4 = m0 + 4, m5 = m0 + 5, m6 = m0 + 6, \
          m7 = m0 + 7, m8 = m0 + 8, m9 = m0 + 9, m10 = m0 + 10, m11 = m0 + 11, m12 = m0 + 12,       \
          m13 = m0 + 13, m14 = m0 + 14, m15 = m0 + 15;
kernel void waits(global uint8 *out, global const uint8 *in, uint rounds)
{
    size_t i = get_global_id(0);
    MESSAGE
    uint8 a = 1, b = 2, c = 3, d = 4;
    for (uint n = 0; n < rounds; n++) {
        ROUND ROUND ROUND ROUND
        m0 ^= a, m7 += b;
    }
    out[i] = a ^ b ^ c ^ d;
}
// WAITS: region 0: vectorized, 16 lanes

// As much to do, but the message changes too, so that there is enough to do without lanes.
#define MIX(k, p, q, r) m##k = rotate(m##k ^ m##p ^ m##q ^ m##r, (uint8)(1));
#define MIXES                                                                                            \
    MIX(0, 13, 8, 2) MIX(1, 14, 9, 3) MIX(2, 15, 10, 4) MIX(3, 0, 11, 5) MIX(4, 1, 12, 6) MIX(5, 2, 13, 7) \
    MIX(6, 3, 14, 8) MIX(7, 4, 15, 9) MIX(8, 5, 0, 10) MIX(9, 6, 1, 11) MIX(10, 7, 2, 12)                 \
    MIX(11, 8, 3, 13) MIX(12, 9, 4, 14) MIX(13, 10, 5, 15) MIX(14, 11, 6, 0) MIX(15, 12, 7, 1)
kernel void busy(global uint8 *out, global const uint8 *in, uint rounds)
{
    size_t i = get_global_id(0);
    MESSAGE
    uint8 a = 1, b = 2, c = 3, d = 4;
    for (uint n = 0; n < rounds; n++) {
        ROUND MIXES MIXES ROUND MIXES MIXES ROUND MIXES MIXES
    }
    out[i] = a ^ b ^ c ^ d;
}
// BUSY: region 0: not vectorized: registers wouldn't suffice

// The least of the bytes around each, as filters have it: a work-item's 16 bytes fill a register, so lanes
// gain nothing by their number. Four bytes don't.
#define LEAST(name, type, n, before, behind)                                                              \
    type least_of_##name(global const uchar *p)                                                           \
    {                                                                                                     \
        type x = vload##n(0, p);                                                                          \
        return min(min((type)(p[-1], before), x), (type)(behind, p[n]));                                  \
    }                                                                                                     \
    kernel void name(global uchar *out, global const uchar *in, int step)                                 \
    {                                                                                                     \
        global const uchar *p = in + (get_global_id(1) + 1) * step + n * get_global_id(0) + 1;            \
        global uchar *q = out + get_global_id(1) * step + n * get_global_id(0);                           \
        type a = least_of_##name(p - step), b = least_of_##name(p), c = least_of_##name(p + step),        \
             d = least_of_##name(p + 2 * step);                                                           \
        vstore##n(min(min(a, b), c), 0, q);                                                               \
        vstore##n(min(min(b, c), d), 0, q + step);                                                        \
    }
#define ALL_BUT_LAST x.s01234567, x.s89ab, x.scd, x.se
#define ALL_BUT_FIRST x.s12345678, x.s9abc, x.sde, x.sf
LEAST(least16, uchar16, 16, ALL_BUT_LAST, ALL_BUT_FIRST)
#define FIRST_THREE x.s012
#define LAST_THREE x.s123
LEAST(least4, uchar4, 4, FIRST_THREE, LAST_THREE)
