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

// A filter of 7 x 7 floats, column by column: each work-item keeps seven numbers across the barriers. Groups
// overlap by six columns.
#define COLUMNS 256
kernel void column_filter(global float *out, global const float *in, constant float *weights, int w,
                          int h)
{
    local float sums[COLUMNS];
    int l = get_local_id(0), x = get_group_id(0) * (COLUMNS - 6) + l, y = get_global_id(1);
    float own[7], sum = 0.0f;
    for (int k = 0; k < 7; k++) {
        int row = y + k;
        while (row < 0 || row >= h)
            row = row < 0 ? -row : 2 * h - 2 - row;
        own[k] = in[row * w + min(x, w - 1)];
    }
    for (int c = 0; c < 7; c++) {
        float part = 0.0f;
        for (int k = 0; k < 7; k++)
            part += own[k] * weights[k * 7 + c];
        sums[l] = part;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l + c < COLUMNS)
            sum += sums[l + c];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l < COLUMNS - 6 && x < w - 6)
        out[y * w + x] = sum;
}

// c = a * b in blocks of 64 x 16: each of 64 work-items has a row of 16 results, which live across barriers.
kernel void gemm_block(global float *c, global const float *a, global const float *b, int n)
{
    local float tile[16][17];
    int lx = get_local_id(0), ly = get_local_id(1), row = get_group_id(0) * 64 + ly * 16 + lx;
    int column = get_group_id(1) * 16;
    float sums[16];
    for (int k = 0; k < 16; k++)
        sums[k] = 0.0f;
    for (int from = 0; from < n; from += 16) {
        for (int k = 0; k < 16; k += 4)
            tile[lx][ly + k] = b[(column + ly + k) * n + from + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) {
            float each = a[(from + k) * n + row];
            for (int m = 0; m < 16; m++)
                sums[m] += each * tile[k][m];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int m = 0; m < 16; m++)
        c[(column + m) * n + row] = sums[m];
}

// y = a x for a matrix whose columns are consecutive, 64 numbers of x at a time in local memory.
kernel void column_product(global float *y, global const float *a, global const float *x, int n)
{
    local float part[64];
    int l = get_local_id(0), row = get_global_id(0);
    float sum = 0.0f;
    for (int from = 0; from < n; from += 64) {
        part[l] = x[from + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 64; k++)
            sum += a[row * n + from + k] * part[k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[row] = sum;
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
