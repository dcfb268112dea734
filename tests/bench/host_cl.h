// Enough of OpenCL C to include files of tests/bench/kernels as C. The host computes the expected result of a
// case with them. A work-item is a call of the kernel after host_at.
#ifndef WEFT_BENCH_HOST_CL_H
#define WEFT_BENCH_HOST_CL_H

#include <math.h>
#include <stddef.h>

typedef unsigned uint;
static size_t host_id[3];

static inline size_t get_global_id(uint dimension)
{
    return host_id[dimension];
}

static inline void host_at(size_t x, size_t y)
{
    host_id[0] = x;
    host_id[1] = y;
}

#define kernel static
#define global
#define exp(x) expf(x)
#define log(x) logf(x)
#define sqrt(x) sqrtf(x)
#define fabs(x) fabsf(x)
#define fma(a, b, c) fmaf(a, b, c)
#define rsqrt(x) (1.0f / sqrtf(x))

#endif
