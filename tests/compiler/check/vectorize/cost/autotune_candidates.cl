// RUN: --emit=vectorize -k histogram
// RUN: --check-prefix=NARROW-ONLY WEFT_VARIANT=tune --emit=vectorize -k histogram
// RUN: --check-prefix=INFO --emit=wiloops -k histogram
// RUN: --check-prefix=PLAIN WEFT_CPU=nehalem,znver4 --emit=wiloops -k sums
// RUN: --check-prefix=RELAXED -cl-fast-relaxed-math --emit=wiloops -k sums
// RUN: --check-prefix=SCALAR-CANDIDATE --report=vectorize -k inserted
// RUN: --check-prefix=REPORT --report=vectorize -k histogram
// RUN: --check-prefix=SKEWED WEFT_CPU=skylake-avx512 --report=vectorize -k skewed
// RUN: --check-prefix=SKEWED-FEW WEFT_CPU=nehalem,haswell --report=vectorize -k skewed
// RUN: --check-prefix=SKEWINFO WEFT_CPU=skylake-avx512 --emit=wiloops -k skewed
// RUN: --check-prefix=SKEWINFO-FEW WEFT_CPU=nehalem,haswell --emit=wiloops -k skewed
// RUN: --check-prefix=BINS WEFT_CPU=skylake-avx512 --report=vectorize -k bins
// RUN: --check-prefix=WITHOUT WEFT_CPU=haswell --report=vectorize -k bins
// RUN: --check-prefix=EIGHT WEFT_CPU=nehalem --report=vectorize -k bins
// RUN: --check-prefix=WITHOUT WEFT_CPU=skylake-avx512 --report=vectorize -k swapped
// RUN: --check-prefix=OWN WEFT_CPU=haswell --report=vectorize -k swapped
// RUN: --check-prefix=OWN WEFT_CPU=nehalem --report=vectorize -k swapped
// RUN: --check-prefix=SIDE --report=vectorize -k side_by_side
// RUN: --check-prefix=SHARED --report=vectorize -k shared
// Vector code that the estimate says is too expensive, but that may be faster. It is left to the runtime to
// measure (docs/adr/0027), where all variants give the same bits. Where a vector has no more than eight
// lanes, the variant with few lanes is not another one.
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
// NARROW-ONLY: define {{.*}} @weft.region.1.vector(
// NARROW-ONLY: define {{.*}} @weft.region.1.tail(
// INFO: @weft_kernel_info = {{.*}} i32 0, i32 1, i32 {{[0-9]+}}, i32 0, i32 0, i32 0, i32 0, i32 0 }
// REPORT: region 1: not vectorized: lanes wouldn't pay: a vector iteration of
// REPORT: {{^}}if this kernel runs for long, the runtime also measures code with at most eight lanes (WEFT_LOG=info reports the result)
// REPORT-NOT: measures

kernel void sums(global const uchar *in, global float *out)
{
    uint i = get_global_id(0);
    float s = 0;
    for (uint k = 0; k < 64; k++)
        s += out[in[i * 3 + k * i] ^ in[i * 7 + k]] * 3;
    out[i * 5 + in[i]] = s;
}
// PLAIN: @weft_kernel_info = {{.*}} i32 0, i32 1, i32 {{[0-9]+}}, i32 0, i32 0, i32 0, i32 0, i32 0 }
// RELAXED: @weft_kernel_info = {{.*}} i32 0, i32 0, i32 {{[0-9]+}}, i32 1, i32 0, i32 0, i32 0, i32 0 }

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
// SCALAR-CANDIDATE: {{^}}if this kernel runs for long, the runtime also measures scalar code (WEFT_LOG=info
// reports the result)

// A few lanes that stay long in a loop keep all others waiting, which nobody can tell from the code.
kernel void skewed(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), h = in[i] * 2654435761u >> 8, n = (h & 15) == 0 ? 300 + (h >> 16) : 2, s = h;
    for (uint k = 0; k < n; k++)
        s = s * 31 + in[i] + k;
    out[i] = s;
}
// SKEWED: {{^}}if this kernel runs for long, the runtime also measures code with at most eight lanes and scalar code (WEFT_LOG=info reports the result)
// SKEWED-NOT: measures
// SKEWED-FEW: {{^}}if this kernel runs for long, the runtime also measures scalar code
// SKEWED-FEW-NOT: measures
// SKEWINFO: @weft_kernel_info = {{.*}} i32 0, i32 3, i32 {{[0-9]+}}, i32 0, i32 0, i32 0, i32 0, i32 0 }
// SKEWINFO-FEW: @weft_kernel_info = {{.*}} i32 0, i32 2, i32 {{[0-9]+}}, i32 0, i32 0, i32 0, i32 0, i32 0 }

// A histogram of each work-item's own: gathers and scatters, one after the other.
kernel void bins(global const uchar *in, global uint *out)
{
    uint i = get_global_id(0), most = 0;
    uchar h[64] = {0};
    for (uint k = 0; k < 128; k++)
        h[in[i * 128 + k] & 63]++;
    for (uint k = 0; k < 64; k++)
        most = max(most, (uint)h[k]);
    out[i] = most;
}
// BINS: the runtime also measures code with at most eight lanes and scalar code
// WITHOUT: {{^}}if this kernel runs for long, the runtime also measures scalar code
// EIGHT: {{^}}if this kernel runs for long, the runtime also measures code with at most eight lanes

// Long vectors that are a register of their own are taken apart for lanes, and put together again. There are
// no lanes where shuffles are dear.
// OWN: region 0: not vectorized: lanes would mostly take the kernel's own vectors apart
kernel void swapped(global const float16 *in, global float16 *out)
{
    uint i = get_global_id(0);
    out[i] = in[i] * 2 + in[i].s123456789abcdef0;
}

// There are no autotuning candidates here, whatever a vector iteration costs.
kernel void side_by_side(global const float *in, global float *out, local float *tile)
{
    uint x = get_global_id(0), l = get_local_id(0);
    tile[l] = in[x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[x] = tile[l] * 2;
}
// SIDE: region 1: vectorized
// SIDE-NOT: measures

// Lanes wait for each other for one iteration at most where work-items share an array.
kernel void shared(global const float *in, global float *out, uint n)
{
    float s = 0;
    for (uint k = get_global_id(0); k < n; k += get_global_size(0))
        s += in[k];
    out[get_global_id(0)] = s;
}
// SHARED: divergent: goes on until the last lane has left
// SHARED-NOT: scalar code (
