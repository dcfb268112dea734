// RUN: --emit=bc
// Names that programs may use without declaring them, beyond the built-in functions.

// CHECK: define {{.*}}spir_kernel void @k(
typedef char char_bit_is_8[CHAR_BIT == 8 ? 1 : -1];
#define SIZE(type, bytes) typedef char size_##type[sizeof(type) == bytes ? 1 : -1];
SIZE(char2, 2) SIZE(char3, 4) SIZE(uchar16, 16) SIZE(short8, 16) SIZE(ushort4, 8) SIZE(int3, 16) SIZE(uint2, 8)
SIZE(long16, 128) SIZE(ulong3, 32) SIZE(float3, 16) SIZE(float16, 64) SIZE(double4, 32) SIZE(size_t, 8)
SIZE(ptrdiff_t, 8) SIZE(intptr_t, 8) SIZE(uintptr_t, 8) SIZE(half, 2)
constant float limits[] = {FLT_MAX, FLT_MIN, FLT_EPSILON, MAXFLOAT, HUGE_VALF, INFINITY, NAN, M_E_F, M_LOG2E_F,
                           M_LOG10E_F, M_LN2_F, M_LN10_F, M_PI_F, M_PI_2_F, M_PI_4_F, M_1_PI_F, M_2_PI_F,
                           M_2_SQRTPI_F, M_SQRT2_F, M_SQRT1_2_F};
constant double doubles[] = {DBL_MAX, DBL_MIN, DBL_EPSILON, HUGE_VAL, M_E, M_LOG2E, M_LOG10E, M_LN2, M_LN10, M_PI,
                             M_PI_2, M_PI_4, M_1_PI, M_2_PI, M_2_SQRTPI, M_SQRT2, M_SQRT1_2};
constant long integers[] = {CHAR_MAX, CHAR_MIN, SCHAR_MAX, SCHAR_MIN, UCHAR_MAX, SHRT_MAX, SHRT_MIN, USHRT_MAX,
                            INT_MAX, INT_MIN, UINT_MAX, LONG_MAX, LONG_MIN, FLT_DIG, FLT_MANT_DIG, FLT_MAX_10_EXP,
                            FLT_MAX_EXP, FLT_MIN_10_EXP, FLT_MIN_EXP, FLT_RADIX, DBL_DIG, DBL_MANT_DIG, FP_ILOGB0,
                            FP_ILOGBNAN, CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE};
kernel __attribute__((vec_type_hint(float4))) void k(global float4 *p, global uint *u, local float *l, global half *h)
{
    cl_mem_fence_flags flags = CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE;
    event_t e = async_work_group_copy(l, (global const float *)p, 16, 0);
    wait_group_events(1, &e);
    barrier(flags);
    p[0] = as_float4(as_uint4(p[1])) + convert_float4_rte(convert_int4_sat(p[2])) + vload4(0, l);
    p[1] = vload_half4(0, h) + (float4)(limits[u[0]]) + convert_float4((double4)(doubles[u[1]]));
    u[0] = as_uint(p[3].x) + vec_step(float3) + (uint)integers[u[2]];
    atomic_inc(u + 1);
    atom_cmpxchg(u + 2, 1, 2);
    u[3] = popcount(u[4]) + (p == NULL);
    if (printf("%v4hlf %d\n", p[0], 3) < 0)
        mem_fence(CLK_GLOBAL_MEM_FENCE);
}
