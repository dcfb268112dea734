// RUN: --check-prefix=APART WEFT_CPU=nehalem,znver1 --report=vectorize -k columns
// RUN: --check-prefix=LANES WEFT_CPU=znver3,skylake-avx512 --report=vectorize -k columns
// RUN: --check-prefix=LANES WEFT_CPU=nehalem,haswell,znver1 --report=vectorize -k numbers
// RUN: --check-prefix=LANES WEFT_CPU=nehalem,haswell,znver1 --report=vectorize -k pixels
// RUN: --check-prefix=LANES WEFT_CPU=znver1 WEFT_VF=8 --report=vectorize -k columns
// Scalar code loads, adds and stores a whole vector of a kernel's own in one instruction each. Lanes would
// need several shuffles for each vector, and gain nothing.

// CHECK-NOT: internal error
// APART: region 0: vectorized
// APART: region 1: not vectorized: lanes would mostly take the kernel's own vectors apart: a vector iteration of {{4|8}} lanes is estimated at the work of {{[0-9.]+}} work-items in scalar code; at most {{3.0|6.0}} are allowed
// LANES-NOT: apart
// LANES: region {{0|1}}: vectorized
// LANES-NOT: apart
#define COLUMNS(name, type)                                                                       \
    kernel void name(global const type *in, global type *out, constant float *factors)             \
    {                                                                                             \
        local type tile[96];                                                                      \
        int l = get_local_id(0);                                                                  \
        tile[l] = tile[l + 32] = 0;                                                               \
        barrier(CLK_LOCAL_MEM_FENCE);                                                             \
        type sum = 0;                                                                             \
        for (int k = 0; k < 7; k++)                                                               \
            sum += tile[l + k] * factors[k];                                                      \
        out[get_global_id(0)] = sum;                                                              \
    }
COLUMNS(columns, float3)
COLUMNS(numbers, float)

// Bytes of a pixel are one word.
kernel void pixels(global const uchar4 *in, global uchar4 *out)
{
    int i = get_global_id(0);
    out[i] = in[i] / (uchar4)2 + in[i + 1] / (uchar4)2;
}
