// RUN: --emit=vectorize -k sums
// RUN: --check-prefix=REPORT --report=vectorize -k sums
// RUN: --check-prefix=STEPS --report=vectorize -k steps
// An unsigned sum as an index: consecutive unless it wraps between two lanes, which is asked for.

// CHECK: define internal void @weft.region.0.vector(
// CHECK: icmp ule i32 {{.*}}, -{{[0-9]+}}
// CHECK: br i1
// CHECK: load <[[N:[0-9]+]] x float>, ptr
// CHECK: @llvm.masked.gather.v[[N]]f32
// CHECK: phi <[[N]] x float>
// CHECK: ret void
// REPORT: accesses: 0 uniform, 2 consecutive, 0 interleaved, 0 gathered or scattered
kernel void sums(global float *out, global const float *in, uint n)
{
    uint u = get_global_id(0);
    out[u] = in[u + n] * 2.0f;
}

// STEPS: region 0: vectorized
// STEPS: accesses: 0 uniform, 2 consecutive, 0 interleaved, 0 gathered or scattered
kernel void steps(global float *out, global const float *in, uint n)
{
    for (uint k = get_global_id(0); k < n; k += get_global_size(0))
        out[k] = in[k] * 2.0f;
}
