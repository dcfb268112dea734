// Conversions to and from half for processors without the instructions (F16C; AVX512-FP16 for double). They
// use integer operations only and round to nearest even. A half is passed as _Float16, which is in a vector
// register on x86-64 and AArch64.
#include <stdint.h>

float __extendhfsf2(_Float16 x);
_Float16 __truncsfhf2(float x);
_Float16 __truncdfhf2(double x);

static inline uint32_t float_bits(float x)
{
    union {
        float f;
        uint32_t u;
    } u = {x};
    return u.u;
}

static inline float float_of(uint32_t bits)
{
    union {
        uint32_t u;
        float f;
    } u = {bits};
    return u.f;
}

static inline _Float16 half_of(uint32_t bits)
{
    union {
        uint16_t u;
        _Float16 h;
    } u = {(uint16_t)bits};
    return u.h;
}

float __extendhfsf2(_Float16 x)
{
    union {
        _Float16 h;
        uint16_t u;
    } in = {x};
    uint32_t sign = (uint32_t)(in.u & 0x8000u) << 16, exponent = in.u >> 10 & 31u, fraction = in.u & 0x3ffu;
    if (exponent == 31)
        return float_of(sign | 0x7f800000u | fraction << 13 | (fraction ? 0x400000u : 0u));
    if (exponent == 0) {
        if (fraction == 0)
            return float_of(sign);
        uint32_t shift = (uint32_t)__builtin_clz(fraction) - 21u; // moves the highest bit to bit 10
        return float_of(sign | (113u - shift) << 23 | (fraction << shift & 0x3ffu) << 13);
    }
    return float_of(sign | (exponent + 112u) << 23 | fraction << 13);
}

// Rounds a number that consists of a sign, an exponent (that of the fraction's highest bit, which is bit 52)
// and a fraction with that bit.
static _Float16 round_to_half(uint32_t sign, int exponent, uint64_t fraction)
{
    if (exponent > 15)
        return half_of(sign | 0x7c00u);
    if (exponent < -26)
        return half_of(sign);
    int drop = 42 + (exponent < -14 ? -14 - exponent : 0);
    uint64_t kept = fraction >> drop, rest = fraction & ((1ull << drop) - 1), tie = 1ull << (drop - 1);
    kept += rest > tie || (rest == tie && (kept & 1));
    // The highest bit of a normal number adds one to the exponent field, and so does a carry.
    uint32_t field = exponent < -14 ? 0u : (uint32_t)(exponent + 14) << 10;
    return half_of(sign | (field + (uint32_t)kept));
}

_Float16 __truncdfhf2(double x)
{
    union {
        double d;
        uint64_t u;
    } in = {x};
    uint32_t sign = (uint32_t)(in.u >> 48) & 0x8000u;
    int exponent = (int)(in.u >> 52 & 0x7ffu);
    uint64_t fraction = in.u & 0xfffffffffffffull;
    if (exponent == 0x7ff)
        return half_of(sign | 0x7c00u | (fraction ? 0x200u | (uint32_t)(fraction >> 42) : 0u));
    return round_to_half(sign, exponent - 1023, fraction | 1ull << 52);
}

_Float16 __truncsfhf2(float x)
{
    uint32_t bits = float_bits(x), fraction = bits & 0x7fffffu;
    uint32_t sign = bits >> 16 & 0x8000u;
    int exponent = (int)(bits >> 23 & 255u);
    if (exponent == 255)
        return half_of(sign | 0x7c00u | (fraction ? 0x200u | fraction >> 13 : 0u));
    return round_to_half(sign, exponent - 127, (uint64_t)(fraction | 0x800000u) << 29);
}
