// Division of 128-bit integers, which LLVM lowers to a call on every processor. No built-in function divides
// 128-bit integers, but LLVM may widen a program's arithmetic to such a division. Division by zero is an
// error of the kernel and is guarded against before the call.
#include <stdint.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

u128 __udivti3(u128 a, u128 b);
u128 __umodti3(u128 a, u128 b);
i128 __divti3(i128 a, i128 b);
i128 __modti3(i128 a, i128 b);

static inline int leading_zeros(u128 x)
{
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    return high ? __builtin_clzll(high) : low ? 64 + __builtin_clzll(low) : 128;
}

// Divides by shifting and subtracting. Begins at the highest bit that the quotient can have.
static inline u128 divide(u128 a, u128 b, u128 *remainder)
{
    if ((a >> 64) == 0 && (b >> 64) == 0 && b != 0) {
        *remainder = (uint64_t)a % (uint64_t)b;
        return (uint64_t)a / (uint64_t)b;
    }
    if (a < b || b == 0) {
        *remainder = a;
        return 0;
    }
    u128 quotient = 0;
    for (int shift = leading_zeros(b) - leading_zeros(a); shift >= 0; shift--) {
        quotient <<= 1;
        if (a >= b << shift) {
            a -= b << shift;
            quotient |= 1;
        }
    }
    *remainder = a;
    return quotient;
}

static inline u128 magnitude(i128 x)
{
    return x < 0 ? -(u128)x : (u128)x;
}

u128 __udivti3(u128 a, u128 b)
{
    u128 remainder;
    return divide(a, b, &remainder);
}

u128 __umodti3(u128 a, u128 b)
{
    u128 remainder;
    divide(a, b, &remainder);
    return remainder;
}

i128 __divti3(i128 a, i128 b)
{
    u128 remainder, quotient = divide(magnitude(a), magnitude(b), &remainder);
    return (a < 0) != (b < 0) ? (i128)-quotient : (i128)quotient;
}

i128 __modti3(i128 a, i128 b)
{
    u128 remainder;
    divide(magnitude(a), magnitude(b), &remainder);
    return a < 0 ? (i128)-remainder : (i128)remainder;
}
