// RUN: WEFT_CPU=haswell --emit=asm -k choose
// RUN: --check-prefix=SIGN WEFT_CPU=haswell --emit=asm -k change_sign
// RUN: --check-prefix=SIGN WEFT_CPU=haswell --emit=asm -k change_sign_of_double
// RUN: --check-prefix=MASK WEFT_CPU=skylake-avx512 --emit=asm -k choose
// RUN: --check-prefix=TWO WEFT_CPU=haswell --emit=asm -k two_bits
// What a bit chooses: a shift moves the bit to the place that a blend looks at. A sign is changed without a
// blend. Processors with mask registers test bits.

// CHECK-NOT: vpcmpeqd
// CHECK: vpslld $28
// CHECK-NOT: vpcmpeqd
// CHECK: vblendvps
// CHECK-NOT: vpcmpeqd
// MASK: vptestnmd
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void choose(global const int *h, global const float *x,
                                                                   global const float *y, global float *out)
{
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    out[i] = (h[i] & 15) < 8 ? a : b;
}

// SIGN-NOT: vblendv
// SIGN: vpsll{{[dq]}}
// SIGN-NOT: vblendv
// SIGN: xor
// SIGN-NOT: vblendv
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void change_sign(global const int *h, global const float *x,
                                                                        global float *out)
{
    size_t i = get_global_id(0);
    float a = x[i];
    out[i] = h[i] & 1 ? -a : a;
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
change_sign_of_double(global const long *h, global const double *x, global double *out)
{
    size_t i = get_global_id(0);
    double a = x[i];
    out[i] = (h[i] & 2) == 0 ? a : -a;
}

// TWO: vpcmpeqd
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void two_bits(global const int *h, global const float *x,
                                                                     global const float *y, global float *out)
{
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    out[i] = (h[i] & 12) == 0 ? a : b;
}
