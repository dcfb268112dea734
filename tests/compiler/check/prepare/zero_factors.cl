// RUN: WEFT_CPU=haswell --emit=prepare -k sobel
// RUN: --check-prefix=OTHER WEFT_CPU=haswell --emit=prepare -k others
// A factor of zero takes a pixel out of a sum; what is left of it, nobody uses.

// CHECK: @sobel(
// CHECK: [[MINUS:%.*]] = fneg
// CHECK: [[SUM:%.*]] = fadd float [[MINUS]], 0.000000e+00
// CHECK-NOT: @llvm.fma
// CHECK: ret void
kernel void sobel(global float *out, global const uchar *in)
{
    int i = get_global_id(0);
    float sum = -convert_float(in[i]);
    sum = fma(convert_float(in[i + 1]) * 2, 0.0f, sum);
    out[i] = fma(convert_float(in[i + 2]), 1.0f, sum);
}

// A number that may be infinite stays.
// OTHER: @others(
// OTHER: call {{.*}}@llvm.fma
kernel void others(global float *out, global const float *in)
{
    int i = get_global_id(0);
    out[i] = fma(in[i], 0.0f, in[i + 1]);
}
