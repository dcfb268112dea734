// The built-in functions that generated kernels call, for the host's Clang: written apart from
// lib/kernel-builtins, since they judge it.
#define OVER __attribute__((overloadable))

float OVER fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
float OVER sqrt(float a)
{
    return __builtin_sqrtf(a);
}
float OVER fabs(float a)
{
    return as_float(as_uint(a) & 0x7fffffffu);
}
float OVER floor(float a)
{
    return __builtin_floorf(a);
}
uint OVER rotate(uint a, uint b)
{
    b &= 31;
    return b ? a << b | a >> (32 - b) : a;
}
uint OVER min(uint a, uint b)
{
    return b < a ? b : a;
}
uint OVER max(uint a, uint b)
{
    return a < b ? b : a;
}
int OVER max(int a, int b)
{
    return a < b ? b : a;
}
int OVER min(int a, int b)
{
    return b < a ? b : a;
}
ulong OVER min(ulong a, ulong b)
{
    return b < a ? b : a;
}
int OVER clamp(int a, int low, int high)
{
    return min(max(a, low), high);
}
uint OVER popcount(uint a)
{
    uint n = 0;
    for (; a; a &= a - 1)
        n++;
    return n;
}
uint OVER clz(uint a)
{
    uint n = 0;
    for (; n < 32 && !(a >> 31); a <<= 1)
        n++;
    return n;
}
uint OVER mul_hi(uint a, uint b)
{
    return (uint)((ulong)a * b >> 32);
}
uint OVER abs(int a)
{
    return a < 0 ? 0u - (uint)a : (uint)a;
}
uint4 OVER vload4(size_t i, const global uint *p)
{
    return (uint4)(p[4 * i], p[4 * i + 1], p[4 * i + 2], p[4 * i + 3]);
}
void OVER vstore4(uint4 v, size_t i, global uint *p)
{
    p[4 * i] = v.x;
    p[4 * i + 1] = v.y;
    p[4 * i + 2] = v.z;
    p[4 * i + 3] = v.w;
}
uint2 OVER vload2(size_t i, const global uint *p)
{
    return (uint2)(p[2 * i], p[2 * i + 1]);
}
uint3 OVER vload3(size_t i, const global uint *p)
{
    return (uint3)(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
}
float OVER vload_half(size_t i, const global half *p)
{
    uint h = ((const global ushort *)p)[i], sign = (h & 0x8000u) << 16, rest = h & 0x7fffu;
    if (rest >= 0x7c00u)
        return as_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    if (rest >= 0x400u)
        return as_float(sign | ((rest << 13) + (112u << 23)));
    return as_float(sign | as_uint((float)rest * 0x1p-24f));
}

// Only for kernels with barriers to link: they are never run here.
void OVER barrier(cl_mem_fence_flags flags)
{
    __builtin_trap();
}

#define ATOMIC(name, expression) ATOMIC_IN(name, expression, global) ATOMIC_IN(name, expression, local)
#define ATOMIC_IN(name, expression, space)                     \
    uint OVER atomic_##name(volatile space uint *p, uint v)    \
    {                                                          \
        uint old = *p;                                         \
        *p = expression;                                       \
        return old;                                            \
    }
ATOMIC(add, old + v)
ATOMIC(sub, old - v)
ATOMIC(max, old > v ? old : v)
ATOMIC(min, old < v ? old : v)
ATOMIC(or, old | v)
ATOMIC(and, old & v)
ATOMIC(xor, old ^ v)
ATOMIC(xchg, v)
uint OVER atomic_cmpxchg(volatile global uint *p, uint wanted, uint v)
{
    uint old = *p;
    if (old == wanted)
        *p = v;
    return old;
}
uint OVER atomic_inc(volatile global uint *p)
{
    return (*p)++;
}
long OVER clamp(long a, long low, long high)
{
    return a < low ? low : a > high ? high : a;
}
uchar3 OVER convert_uchar3(uint3 v)
{
    return (uchar3)((uchar)v.x, (uchar)v.y, (uchar)v.z);
}
int OVER any(char4 v)
{
    return v.x < 0 || v.y < 0 || v.z < 0 || v.w < 0;
}
ushort8 OVER vload8(size_t i, const global ushort *p)
{
    p += 8 * i;
    return (ushort8)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
}
uchar16 OVER vload16(size_t i, const global uchar *p)
{
    uchar16 v;
    for (int k = 0; k < 16; k++)
        ((uchar *)&v)[k] = p[16 * i + k];
    return v;
}
