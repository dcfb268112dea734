// RUN: WEFT_CPU=nehalem --emit=asm -k from_half
// RUN: WEFT_CPU=nehalem --emit=asm -k to_half
// RUN: WEFT_CPU=nehalem --emit=asm -k add
// RUN: --check-prefix=CALLED WEFT_CPU=nehalem --emit=llvm -k many
// RUN: --check-prefix=F16C WEFT_CPU=haswell --emit=llvm -k from_half
// Without F16C vectors of halves are converted by operations on whole numbers, not by calls. (Work-items
// that are left over are converted one by one.)

// CHECK: pslld $13
// CHECK-NOT: callq
// CHECK: ret
// F16C: fpext <{{[0-9]+}} x half>
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void from_half(global const half *in, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = vload_half(i, in) * 2.0f;
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void to_half(global const float *in, global half *out)
{
    size_t i = get_global_id(0);
    vstore_half(vload_half(i, out) + in[i], i, out);
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void add(global const half *in, global half *out)
{
    size_t i = get_global_id(0);
    out[i] += in[i] * out[i];
}

// Very many conversions share their code. What is loaded and stored doesn't come as halves: LLVM would take
// them apart.
// CALLED: load <4 x i16>
// CALLED: call intel_ocl_bicc <4 x float> @weft.extend.half(<4 x i16>
// CALLED: call intel_ocl_bicc <4 x i16> @weft.truncate.half(<4 x float>
// CALLED: store <4 x i16>
// CALLED: define internal intel_ocl_bicc <4 x float> @weft.extend.half(
#define TEN(k) ONE(k##0) ONE(k##1) ONE(k##2) ONE(k##3) ONE(k##4) ONE(k##5) ONE(k##6) ONE(k##7) ONE(k##8) ONE(k##9)
#define ONE(k)                           \
    v = vload_half4(i + k, in) * v + k;  \
    vstore_half4(v, i + k, out);
kernel void many(global const half *in, global half *out)
{
    size_t i = get_global_id(0);
    float4 v = 0;
    TEN()
    TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)
}
