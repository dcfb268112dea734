// RUN: WEFT_CPU=skylake-avx512 --emit=llvm -k filter
// RUN: --check-prefix=HIGH WEFT_CPU=skylake-avx512 --emit=asm -k products
// RUN: --check-prefix=SMALL WEFT_CPU=nehalem --emit=llvm -k filter
// Both texels of a pair are taken out of 64-bit words by shuffles of whole registers.
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// CHECK: [[PAIRS:%.*]] = call <16 x i64> @llvm.masked.gather
// CHECK: bitcast <16 x i64> {{.*}} to <32 x i32>
// CHECK: shufflevector <32 x i32> {{.*}}, <16 x i32> <i32 1, i32 3, i32 5,
// CHECK-NOT: trunc {{.*}}<16 x i64> [[PAIRS]]
// CHECK: ret
// SMALL-NOT: to <32 x i32>
// SMALL: ret
kernel void filter(read_only image2d_t im, global float4 *out, float step)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * get_global_size(0) + x] = read_imagef(im, s, (float2)(x * step, y * step));
}

// The high words of products aren't read, and LLVM has better code for them.
// HIGH-NOT: vpmovzxdq
// HIGH: vpmuludq
// HIGH-NOT: vpmovzxdq
// HIGH: ret
kernel void products(global uint *a, global const uint *b)
{
    size_t i = get_global_id(0);
    a[i] = mul_hi(a[i], b[i]);
}
