// Work-items of a group that cooperate in local memory.

kernel void reduce_tree(global float *out, global const float *in, local float *tile)
{
    int l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
        if (l < s)
            tile[l] += tile[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = tile[0];
}

kernel void scan(global uint *out, global const uint *in, local uint *tile)
{
    int l = get_local_id(0), n = get_local_size(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < n; s *= 2) {
        uint v = l >= s ? tile[l - s] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[l] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = tile[l];
}

kernel void histogram(global uint *out, global const uchar *in, int each)
{
    local uint bins[256];
    int l = get_local_id(0);
    bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int first = get_group_id(0) * 256 * each + l;
    for (int i = 0; i < each; i++)
        atomic_inc(&bins[in[first + i * 256]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&out[l], bins[l]);
}

// A group sorts 512 keys.
kernel void bitonic(global uint *data)
{
    local uint key[512];
    int l = get_local_id(0), base = get_group_id(0) * 512;
    key[l] = data[base + l];
    key[l + 256] = data[base + l + 256];
    for (int size = 2; size <= 512; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int i = 2 * l - (l & (stride - 1)), j = i + stride;
            uint a = key[i], b = key[j];
            if ((a > b) == ((i & size) == 0)) {
                key[i] = b;
                key[j] = a;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + l] = key[l];
    data[base + l + 256] = key[l + 256];
}

// A group transforms 256 complex numbers (radix 2, decimation in time); twiddle: exp(-2 pi i k / 256), k <
// 128.
kernel void fft_256(global float2 *data, constant float2 *twiddle)
{
    local float2 v[256];
    int l = get_local_id(0), base = get_group_id(0) * 256;
    for (int k = l; k < 256; k += 128) {
        int r = ((k & 0xf0) >> 4) | ((k & 0x0f) << 4);
        r = ((r & 0xcc) >> 2) | ((r & 0x33) << 2);
        r = ((r & 0xaa) >> 1) | ((r & 0x55) << 1);
        v[r] = data[base + k];
    }
    for (int half_size = 1; half_size < 256; half_size *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int k = l & (half_size - 1), i = 2 * l - k, j = i + half_size;
        float2 w = twiddle[k * (128 / half_size)], a = v[i], b = v[j];
        float2 t = (float2)(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
        v[i] = a + t;
        v[j] = a - t;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + l] = v[l];
    data[base + l + 128] = v[l + 128];
}

#ifdef COLLECTIVES
kernel void group_reduce(global float *out, global const float *in)
{
    float sum = work_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}

kernel void group_scan(global uint *out, global const uint *in)
{
    out[get_global_id(0)] = work_group_scan_exclusive_add(in[get_global_id(0)]);
}
#endif

#ifdef SUBGROUPS
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void subgroup_reduce(global float *out, global const float *in, local float *part)
{
    float sum = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_sub_group_local_id() == 0)
        part[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        for (uint i = 1; i < get_num_sub_groups(); i++)
            sum += part[i];
        out[get_group_id(0)] = sum;
    }
}
#endif
