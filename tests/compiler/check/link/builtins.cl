// RUN: --emit=llvm
// The built-in functions ask about the target by names like this one. A program's own variable of that name
// stays the program's.
// CHECK: @__weft_target_has_fma{{.*}} [2 x float] [float 1.500000e+00, float 2.500000e+00]
constant float __weft_target_has_fma[2] = {1.5f, 2.5f};
kernel void k(global float *p)
{
    p[0] = __weft_target_has_fma[(int)p[2] & 1];
}
