// RUN: --emit=wiloops -k transpose
// RUN: --emit=wiloops -k transpose_from
// RUN: --emit=wiloops -k transpose_pixels
// RUN: --emit=wiloops -k transpose_vectors
// RUN: --check-prefix=SAYS --report=vectorize -k transpose
// RUN: --check-prefix=SAYS --report=vectorize -k transpose_pixels
// RUN: --check-prefix=ROWS --emit=wiloops -k copy
// RUN: --check-prefix=ROWS --emit=wiloops -k gather
// RUN: --check-prefix=GROUPS --emit=wiloops -k transpose_in_groups
// RUN: --check-prefix=SWAPPED --emit=wiloops -k eliminate
// RUN: --check-prefix=SWAPPED --emit=wiloops -k eliminate_in_groups
// RUN: --check-prefix=BOUND --emit=wiloops -k bound_by_another
// Work-items run in tiles of two dimensions, where memory is close together along the second and not along
// the first.

// CHECK: @weft_kernel_info = {{.*}} i32 2, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 0, i32 16, i32 0, i32 {{[0-9]}}, i32 {{[0-9]+}}, i32 0, i32 0, i32 0, i32 0, i32 0 }
// CHECK: tiles:
// SAYS: memory is close together along dimension 1: the kernel runs in tiles
kernel void transpose(global float *out, global const float *in, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * n + y] = in[y * n + x];
}

kernel void transpose_from(global float *out, global const float *in, uint n)
{
    uint x = get_global_id(0), y = get_global_id(1);
    out[y * n + x] = in[x * n + y];
}

kernel void transpose_pixels(global uchar *out, global const uchar *in, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    for (int k = 0; k < 3; k++)
        out[3 * (x * n + y) + k] = in[3 * (y * n + x) + k];
}

kernel void transpose_vectors(global float4 *out, global const float4 *in, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * n + y] = in[y * n + x];
}

// ROWS: @weft_kernel_info = {{.*}} i32 1, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 0, i32 16, i32 0, i32 {{[0-9]}}, i32 {{[0-9]+}}, i32 0, i32 0, i32 0, i32 0, i32 0 }
// ROWS-NOT: tiles:
kernel void copy(global float *out, global const float *in, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * n + x] = in[y * n + x];
}

kernel void gather(global float *out, global const float *in, global const int *from, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * n + x] = in[from[y * n + x]];
}

// GROUPS: @weft_kernel_info = {{.*}} i32 0, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 0, i32 16, i32 0, i32 {{[0-9]}}, i32 {{[0-9]+}}, i32 0, i32 0, i32 0, i32 0, i32 0 }
// GROUPS-NOT: tiles:
kernel void transpose_in_groups(global float *out, global const float *in, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * n + y] = in[y * n + x] + get_local_id(1);
}

// SWAPPED: @weft_kernel_info = {{.*}} i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 1, i32 16, i32 0, i32 {{[0-9]}}, i32 {{[0-9]+}}, i32 0, i32 0, i32 0, i32 0, i32 0 }
kernel void eliminate(global float *a, global const float *m, int n, int t)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < n - 1 - t && y < n - t)
        a[n * (x + 1 + t) + y + t] -= m[n * (x + 1 + t) + t] * a[n * t + y + t];
}

// In groups with barriers too, if no other region is bound to dimension 0.
kernel void eliminate_in_groups(global float *a, global const float *m, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    a[n * x + y] -= m[n * x] * a[y];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[n * x + y] += m[n * x + 1];
}

// BOUND: @weft_kernel_info = {{.*}} i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 0, i32 16, i32 0, i32 {{[0-9]}}, i32 {{[0-9]+}}, i32 0, i32 0, i32 0, i32 0, i32 0 }
kernel void bound_by_another(global float *a, global const float *m, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    a[n * x + y] -= m[n * x] * a[y];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[n * n + n * y + x] += m[n * y + x];
}
