// RUN: --report=vectorize -k plane
// RUN: --check-prefix=CUT WEFT_CPU=skylake-avx512 --emit=vectorize -k plane
// RUN: --check-prefix=WORDS --report=vectorize -k words
// RUN: --check-prefix=SUM WEFT_CPU=skylake-avx512 --emit=vectorize -k words
// RUN: --check-prefix=TEXELS WEFT_CPU=skylake-avx512 --emit=vectorize -k texels
// RUN: --check-prefix=MIRROR --report=vectorize -k mirror
// RUN: --check-prefix=OVERLAP --report=vectorize -k overlap
// RUN: --check-prefix=WITHIN --report=vectorize -k within
// RUN: --check-prefix=HALVES --report=vectorize -k halves
// RUN: --check-prefix=LOW --report=vectorize -k low_bits
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
// TEXELS: not_all_of_the_row:
// TEXELS-NOT: icmp u
// TEXELS: add i64 %{{[0-9]+}}, 17
// TEXELS-NOT: icmp u
// TEXELS: fast_path:
// TEXELS: sext i32 %{{[0-9]+}} to i64
// TEXELS-COUNT-1: llvm.smin
// TEXELS-NOT: llvm.smin
// TEXELS: icmp u{{[lg]}}t i32
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

// Coordinates that are mirrored at the edges: consecutive inside.
// MIRROR: a fast path for most vector iterations
// MIRROR: accesses: 7 consecutive{{$}}
kernel void mirror(global float *out, global const float *in, int w)
{
    int x = get_global_id(0);
    float sum = 0.0f;
    for (int i = -1; i <= 1; i++) {
        int k = abs(x + i);
        sum += in[min(k, 2 * w - 2 - (x + i))] + in[100 + (k < w ? k : 2 * w - 2 - k)];
    }
    out[x] = sum;
}

// The same of groups that overlap. In a group's own few work-items, each group has such an edge.
// OVERLAP: a fast path for most vector iterations
// OVERLAP: accesses: 2 consecutive{{$}}
kernel void overlap(global float *out, global const float *in, int w)
{
    int x = get_local_id(0) + 122 * (int)get_group_id(0) - 3;
    out[x + 3] = in[min((int)abs(x), 2 * w - 2 - x)];
}
// WITHIN-NOT: a fast path
kernel void within(global float *out, global const float *in, int w)
{
    int x = (int)get_local_id(0) - 3;
    out[get_global_id(0)] = in[min((int)abs(x), 2 * w - 2 - x)];
}

// HALVES: accesses: 2 consecutive{{$}}
kernel void halves(global float *out, global const float *in)
{
    int twice = get_group_id(0) * 128 + 2 * get_local_id(0);
    out[get_global_id(0)] = in[twice / 2];
}

// The low bits of four neighbours are the same in all lanes.
// LOW: accesses: 1 consecutive, 1 interleaved{{$}}
kernel void low_bits(global float *out, global const float *in, int w)
{
    int i = 4 * get_global_id(0);
    out[get_global_id(0)] = in[(i + w) | 3];
}
