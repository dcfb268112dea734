// RUN: --emit=vectorize -k sums
// RUN: --check-prefix=REPORT --report=vectorize -k sums
// RUN: --check-prefix=STEPS WEFT_CPU=haswell,skylake-avx512 --report=vectorize -k steps
// RUN: --check-prefix=STEPS WEFT_CPU=nehalem WEFT_VF=4 --report=vectorize -k steps
// RUN: --check-prefix=CLAMPED WEFT_CPU=skylake-avx512 --report=vectorize -k clamped
// RUN: --check-prefix=ENDS WEFT_CPU=skylake-avx512 WEFT_INTERLEAVE=1 --emit=vectorize -k clamped
// RUN: --check-prefix=BOUNDS WEFT_CPU=skylake-avx512 --report=vectorize -k bounds
// An unsigned sum as an index is consecutive unless it wraps between two lanes. That is checked at run time.

// CHECK: define internal void @weft.region.0.vector(
// CHECK: icmp ule i32 {{.*}}, -{{[0-9]+}}
// CHECK: br i1
// CHECK: load <[[N:[0-9]+]] x float>, ptr
// The addresses are computed where they are gathered from.
// CHECK: = getelementptr {{.*}}, <[[N]] x i64>
// CHECK-NEXT: @llvm.masked.gather.v[[N]]f32
// CHECK: phi <[[N]] x float>
// CHECK: ret void
// REPORT: accesses: 2 consecutive{{$}}
kernel void sums(global float *out, global const float *in, uint n)
{
    uint u = get_global_id(0);
    out[u] = in[u + n] * 2.0f;
}

// STEPS: region 0: vectorized
// STEPS: accesses: 2 wrap-guarded{{$}}
kernel void steps(global float *out, global const float *in, uint n)
{
    for (uint k = get_global_id(0); k < n; k += get_global_size(0))
        out[k] = in[k] * 2.0f;
}

// Clamped loop counters: consecutive except at the edges, which each iteration checks.
// CLAMPED: accesses: 1 uniform, 1 consecutive, 1 wrap-guarded{{$}}
// CLAMPED: load of 4 bytes: consecutive, unless it is clamped
// ENDS: @llvm.smin.i32(i32
// ENDS: @llvm.smin.i32(i32
// ENDS: sub i64
// ENDS: icmp eq i64 {{.*}}, 15
// ENDS: load <16 x float>
// ENDS: @llvm.masked.gather.v16f32
kernel void clamped(global float *out, global const float *in, constant float *weights, int width, int radius)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = -radius; k <= radius; k++)
        sum += in[y * width + clamp(x + k, 0, width - 1)] * weights[k + radius];
    out[y * width + x] = sum;
}

// Bounds that differ from lane to lane tell nothing.
// BOUNDS: load of 4 bytes: gathered
kernel void bounds(global float *out, global const float *in, global const int *most, int n)
{
    int x = get_global_id(0), last = most[x];
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[min(x + k, last)];
    out[x] = sum;
}
