// RUN: --report=vectorize -k plane
// RUN: --check-prefix=CUT WEFT_CPU=skylake-avx512 --emit=vectorize -k plane
// RUN: --check-prefix=WORDS --report=vectorize -k words
// RUN: --check-prefix=SUM WEFT_CPU=skylake-avx512 --emit=vectorize -k words
// RUN: --check-prefix=TEXELS WEFT_CPU=skylake-avx512 --emit=vectorize -k texels
// Indices that are computed in 64 bits and truncated to int, or in 32 bits unsigned. They are speculated not
// to wrap within a vector iteration.

// CHECK: region 0: vectorized
// CHECK: accesses: 2 consecutive{{$}}
// CHECK: speculated to be strided, which each vector iteration checks first
// CUT: define internal void @weft.region.0.vector(
// CUT: ashr i64 %{{.*}}, 32
// CUT: icmp sle i64 %{{[0-9]+}}, 2147483632
// CUT: load <16 x float>
kernel void plane(global float *out, global const float *in, int width)
{
    int i = get_global_id(1) * width + get_global_id(0);
    out[i] = in[i] * 2.0f;
}

// WORDS: region 0: vectorized
// WORDS: accesses: 8 interleaved{{$}}
// SUM: icmp ule i64 %{{[0-9]+}}, 4294967280
// SUM: load <16 x i32>
kernel void words(global float4 *out, global const float4 *in, uint width)
{
    uint x = get_global_id(0), y = get_global_id(1), i = y * width + x;
    out[i] = in[i] * 2.0f;
}

// Neighbouring texels away from the edges: one check for the outermost two. In the fast path x isn't clamped,
// the comparisons with the width are gone with their selects, and addresses are at constant distances.
// TEXELS: define internal void @weft.region.0.vector(
// TEXELS-NOT: icmp u
// TEXELS: add i64 %{{[0-9]+}}, 17
// TEXELS-NOT: icmp u
// TEXELS: fast_path:
// TEXELS: sext i32 %{{[0-9]+}} to i64
// TEXELS-COUNT-1: llvm.smin
// TEXELS-NOT: llvm.smin
// TEXELS: icmp ugt i32
// TEXELS-NOT: {{icmp|llvm.smin}}
// TEXELS: add nsw i64 %{{[0-9]+}}, 1
// TEXELS-NOT: {{icmp|llvm.smin}}
// TEXELS: add nsw i64 %{{[0-9]+}}, 2
// TEXELS: slow_path:
kernel void texels(read_only image2d_t im, global float4 *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x] = read_imagef(im, (int2)(x, y)) + read_imagef(im, (int2)(x + 1, y)) * read_imagef(im, (int2)(x + 2, y));
}
