// RUN: --emit=vectorize -k histogram
// RUN: --check-prefix=EAGER WEFT_FORM=6 --emit=vectorize -k histogram
// RUN: --check-prefix=INFO --emit=wiloops -k histogram
// RUN: --check-prefix=PLAIN --emit=wiloops -k sums
// RUN: --check-prefix=RELAXED -cl-fast-relaxed-math --emit=wiloops -k sums
// RUN: --check-prefix=ALONE --report=vectorize -k inserted
// RUN: --check-prefix=REPORT --report=vectorize -k histogram
// Lanes that are reckoned to cost too much are left to the runtime to try (docs/adr/0027), where any code gives the same bits.
kernel void histogram(global const uchar *in, global int *out)
{
    local int bins[256];
    uint l = get_local_id(0), n = get_local_size(0);
    for (uint b = l; b < 256; b += n)
        bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < 4096; k += n)
        atomic_inc(&bins[in[k * 3] ^ in[k * 7]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = l; b < 256; b += n)
        out[b] = bins[b];
}
// CHECK: define {{.*}} @weft.region.1(
// CHECK-NOT: @weft.region.1.vector
// EAGER: define {{.*}} @weft.region.1.vector(
// EAGER: define {{.*}} @weft.region.1.masked(
// INFO: @weft_kernel_info = {{.*}} i32 0, i32 3, i32 {{[0-9]+}} }
// REPORT: region 1: not vectorized: too much would be done lane by lane
// REPORT: at most eight lanes will be tried and measured when the kernel has run for long

kernel void sums(global const uchar *in, global float *out)
{
    uint i = get_global_id(0);
    float s = 0;
    for (uint k = 0; k < 64; k++)
        s += out[in[i * 3 + k * i] ^ in[i * 7 + k]] * 3;
    out[i * 5 + in[i]] = s;
}
// PLAIN: @weft_kernel_info = {{.*}} i32 0, i32 1, i32 {{[0-9]+}} }
// RELAXED: @weft_kernel_info = {{.*}} i32 0, i32 0, i32 {{[0-9]+}} }

// Lanes that wait for each other at branches in a loop may be slower than none.
kernel void inserted(global const float4 *points, global float *out, int n)
{
    int i = get_global_id(0);
    float best[8];
    for (int k = 0; k < 8; k++)
        best[k] = 1e30f;
    float4 own = points[i];
    for (int j = 0; j < n; j++) {
        float4 d = own - points[j];
        float r = d.x * d.x + d.y * d.y + d.z * d.z;
        if (r < best[7]) {
            int k = 7;
            for (; k > 0 && best[k - 1] > r; k--)
                best[k] = best[k - 1];
            best[k] = r;
        }
    }
    out[i] = best[0] + best[1] + best[2] + best[3] + best[4] + best[5] + best[6] + best[7];
}
// ALONE: no lanes will be tried and measured when the kernel has run for long
