// RUN: WEFT_CPU=nehalem --emit=asm -k from_half
// RUN: WEFT_CPU=nehalem --emit=asm -k to_half
// RUN: WEFT_CPU=nehalem --emit=asm -k add
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
