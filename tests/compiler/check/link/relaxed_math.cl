// RUN: WEFT_CPU=skylake-avx512 --emit=prepare
// RUN: --check-prefix=RELAXED WEFT_CPU=skylake-avx512 -cl-fast-relaxed-math --emit=prepare
// RUN: --check-prefix=RELAXED WEFT_CPU=skylake-avx512 -DNATIVE --emit=prepare
// Built-in functions ask whether the program was built with -cl-fast-relaxed-math. exp is native_exp then,
// which clamps its argument at one end only.
#ifdef NATIVE
#define exp native_exp
#endif
kernel void k(global float *p)
{
    p[0] = exp(p[1]);
}
// CHECK: float -1.060000e+02
// CHECK: float 9.100000e+01
// RELAXED: float -1.100000e+02
// RELAXED-NOT: float 9.100000e+01
