// Pictures of bytes, one or three to a pixel.

// The nearest pixel of the picture. Sizes are in pixels, `step`s in bytes.
kernel void shrink_bgr(global const uchar *in, int in_step, int in_w, int in_h, global uchar *out,
                       int out_step, int w, int h, float scale)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h) {
        int sx = min(convert_int_rtz(x * scale), in_w - 1), sy = min(convert_int_rtz(y * scale), in_h - 1);
        uchar3 pixel = vload3(0, in + mad24(sy, in_step, sx * 3));
        vstore3(pixel, 0, out + mad24(y, out_step, x * 3));
    }
}

kernel void shrink_gray(global const uchar *in, int in_step, int in_w, int in_h, global uchar *out,
                        int out_step, int w, int h, float scale)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h) {
        int sx = min(convert_int_rtz(x * scale), in_w - 1), sy = min(convert_int_rtz(y * scale), in_h - 1);
        out[mad24(y, out_step, x)] = in[mad24(sy, in_step, sx)];
    }
}

// Four bytes in each of four rows are looked up.
kernel void byte_table(global const uchar *in, global const uchar *table, global uchar *out, int step, int w,
                       int h)
{
    local uchar own[256];
    int x = get_global_id(0), y = get_global_id(1) * 4;
    int items = get_local_size(0) * get_local_size(1);
    for (int i = get_local_id(1) * get_local_size(0) + get_local_id(0); i < 256; i += items)
        own[i] = table[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < w && y < h) {
        for (int k = 0; k < 4 && y + k < h; k++) {
            int at = mad24(y + k, step, x * 4);
            uint four = *(global const uint *)(in + at);
            out[at] = own[four & 255];
            out[at + 1] = own[four >> 8 & 255];
            out[at + 2] = own[four >> 16 & 255];
            out[at + 3] = own[four >> 24];
        }
    }
}

// Half a picture of three bytes a pixel: columns are weighed 1 4 6 4 1 into local memory, then rows.
#define GROUP 256
int mirrored(int i, int n)
{
    return min(max(i, -i), 2 * n - 2 - i);
}
float3 pixel_at(global const uchar *row, int x)
{
    return convert_float3(vload3(0, row + 3 * x));
}
float3 column(global const uchar *in, int step, int x, int y)
{
    float3 sum = 0.0625f * pixel_at(in + (y - 2) * step, x);
    sum = mad(0.25f, pixel_at(in + (y - 1) * step, x), sum);
    sum = mad(0.375f, pixel_at(in + y * step, x), sum);
    sum = mad(0.25f, pixel_at(in + (y + 1) * step, x), sum);
    return mad(0.0625f, pixel_at(in + (y + 2) * step, x), sum);
}
kernel void halve_bgr(global const uchar *in, int step, int w, global uchar *out, int out_step, int out_w)
{
    local float3 sums[GROUP + 4];
    int x = get_global_id(0), y = get_global_id(1) + 1, lx = get_local_id(0);
    sums[2 + lx] = column(in, step, clamp(mirrored(x, w), 0, w - 1), 2 * y);
    if (lx < 2)
        sums[lx] = column(in, step, clamp(mirrored(x - 2, w), 0, w - 1), 2 * y);
    else if (lx < 4)
        sums[GROUP + lx] = column(in, step, clamp(mirrored(x + GROUP - 2, w), 0, w - 1), 2 * y);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lx < GROUP / 2) {
        int to = get_group_id(0) * (GROUP / 2) + lx;
        if (to < out_w) {
            float3 sum = 0.0625f * (sums[2 * lx] + sums[2 * lx + 4]);
            sum = mad(0.25f, sums[2 * lx + 1] + sums[2 * lx + 3], mad(0.375f, sums[2 * lx + 2], sum));
            vstore3(convert_uchar3_sat_rte(sum), 0, out + mad24(y, out_step, to * 3));
        }
    }
}

int dot_of(char4 a, char4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// Each work-item has one column of `a`, four bytes of each row; `b` is the same for all.
kernel void dot8(global const char4 *a, global const char4 *b, global int *out, int words)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    int sum = 0;
    for (int k = 0; k < words; k++)
        sum += dot_of(a[k * n + i], b[k]);
    out[i] = sum;
}

// Four bytes along the rows of `a` and down the columns of `b` are one word. A work-item has 8 rows of the
// result.
kernel void gemm_int8(global const char4 *a, global const char4 *b, global int *out, int words)
{
    size_t column = get_global_id(0), n = get_global_size(0), row = 8 * get_global_id(1);
    int sums[8] = {0};
    for (int k = 0; k < words; k++) {
        char4 y = b[k * n + column];
        for (int r = 0; r < 8; r++)
            sums[r] += dot_of(a[(row + r) * words + k], y);
    }
    for (int r = 0; r < 8; r++)
        out[(row + r) * n + column] = sums[r];
}
