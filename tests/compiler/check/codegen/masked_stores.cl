// RUN: WEFT_CPU=haswell --emit=asm -k some
// RUN: --check-prefix=REGISTERS WEFT_CPU=skylake-avx512 --emit=asm -k some
// A store with a mask is slow on some processors without mask registers. A plain one takes its place where
// all lanes take part.

// CHECK: vtestps [[ALL:%ymm[0-9]+]], [[MASK:%ymm[0-9]+]]
// CHECK: vtestps {{.*}}, [[MASK]]
// CHECK: vmaskmovps {{.*}}, [[MASK]], (%
// REGISTERS-NOT: movmsk
// REGISTERS: vmovups %zmm{{.*}}{%k
kernel void some(global float *out, global const float *in)
{
    int i = get_global_id(0);
    float x = in[i];
    if (x > 0.0f)
        out[i] = sqrt(x) * x + x / (x + 2.0f);
}
