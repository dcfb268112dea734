// RUN: WEFT_CPU=haswell -cl-fast-relaxed-math --emit=asm
// RUN: --check-prefix=WITHOUT WEFT_CPU=nehalem -cl-fast-relaxed-math --emit=asm
// A relaxed division is an estimate and a step of refinement, but not where that step isn't fused: for small
// quotients its product would be flushed, and the quotient would have 12 bits.

// CHECK: vrcpps
// WITHOUT-NOT: rcpps
// WITHOUT: divps
kernel void quotients(global float4 *out, global const float4 *a, global const float4 *b)
{
    size_t i = get_global_id(0);
    out[i] = a[i] / b[i];
}
