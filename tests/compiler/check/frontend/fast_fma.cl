// RUN: WEFT_CPU=haswell,skylake-avx512 --emit=bc
// RUN: --check-prefix=WITHOUT WEFT_CPU=nehalem --emit=bc
// RUN: WEFT_CPU=haswell,skylake-avx512 --emit=ast
// RUN: --check-prefix=WITHOUT WEFT_CPU=nehalem --emit=ast
// FP_FAST_FMA and FP_FAST_FMAF say what the target has that code is for, which may not be this machine
// (OpenCL C 3.0 §6.15.2).

// CHECK-DAG: has_fast_float
// CHECK-DAG: has_fast_double
// WITHOUT-NOT: has_fast
kernel void k(global float *p)
{
    *p = 0;
}
#ifdef FP_FAST_FMAF
kernel void has_fast_float(global float *p)
{
    *p = FP_FAST_FMAF;
}
#endif
#ifdef FP_FAST_FMA
kernel void has_fast_double(global double *p)
{
    *p = FP_FAST_FMA;
}
#endif
