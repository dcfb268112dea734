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

// Filters of 3 x 3 bytes in groups of 16 x 16 work-items, which load their part into local memory.
enum { SIDE = 16, TILE = SIDE + 2 };

// The tile is loaded in the order of the work-items, wherever a row of it ends. Outside the picture all is
// 255.
kernel void least_3x3(global const uchar *in, global uchar *out, int step, int w, int h)
{
    local uchar tile[2 * SIDE * SIDE];
    const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    const int x0 = x - lx - 1, y0 = y - ly - 1;
    for (int i = ly * SIDE + lx; i < 2 * SIDE * SIDE; i += SIDE * SIDE) {
        const int fx = x0 + i % TILE, fy = y0 + i / TILE;
        const int from = fy * step + fx;
        const uchar value = in[from > 0 && from < step * h ? from : 0];
        tile[i] = fx < 0 || fx >= w || fy < 0 || fy >= h ? 255 : value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= w || y >= h)
        return;
    uchar least = 255;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            least = min(least, tile[(ly + j) * TILE + lx + i]);
    out[y * step + x] = least;
}

#define SORT(a, b) do { uchar least = min(a, b); b = max(a, b); a = least; } while (0)

// Work-items one below the other load neighbours.
kernel void median_3x3(global const uchar *in, global uchar *out, int step, int w, int h)
{
    local uchar tile[TILE][TILE];
    const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    const int at = min(lx * SIDE + ly, TILE * TILE / 2 - 1), tx = at % TILE, ty = at / TILE;
    const int fx = clamp(x - lx - 1 + tx, 0, w - 1), fy = y - ly - 1 + ty;
    tile[ty][tx] = in[clamp(fy, 0, h - 1) * step + fx];
    tile[ty + TILE / 2][tx] = in[clamp(fy + TILE / 2, 0, h - 1) * step + fx];
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar p[9];
    for (int i = 0; i < 9; i++)
        p[i] = tile[ly + i / 3][lx + i % 3];
    for (int i = 0; i < 9; i += 3) {
        SORT(p[i], p[i + 1]);
        SORT(p[i + 1], p[i + 2]);
        SORT(p[i], p[i + 1]);
    }
    const uchar low = max(max(p[0], p[3]), p[6]), high = min(min(p[2], p[5]), p[8]);
    SORT(p[1], p[4]);
    uchar middle = max(p[1], min(p[4], p[7]));
    const uchar least = min(low, high), most = max(low, high);
    if (x < w && y < h)
        out[y * step + x] = max(least, min(most, middle));
}

// A number outside is the picture's, mirrored at its edge.
int reflected(int x, int n)
{
    x = x < 0 ? -x : x;
    return x >= n ? 2 * n - 2 - x : x;
}

kernel void smooth_rows(global const uchar *in, global int *out, int step, int w, int h)
{
    local uchar tile[SIDE][2 * SIDE + 1];
    const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    for (int k = 0; k < 2; k++)
        tile[ly][lx + k * SIDE] = in[reflected(y - 1, h) * step + reflected(x - 1 + k * SIDE, w)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < w && y < h + 2)
        out[y * step + x] = tile[ly][lx] + 2 * tile[ly][lx + 1] + tile[ly][lx + 2];
}

kernel void smooth_columns(global const int *in, global uchar *out, int step, int w, int h)
{
    local int tile[2 * SIDE][SIDE + 1];
    const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    const int end = (h + 1) * step + w;
    for (int k = 0; k < 2; k++) {
        const int from = (y + k * SIDE) * step + x;
        tile[ly + k * SIDE][lx] = in[from < end ? from : 0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int sum = tile[ly][lx] + 2 * tile[ly + 1][lx] + tile[ly + 2][lx];
    if (x < w && y < h)
        out[y * step + x] = convert_uchar_sat_rte(sum * 0.0625f);
}

// A step of a pyramid of pixels of three floats, mirrored at the edges: columns, then rows.
int mirrored_within(int x, int n)
{
    return clamp(min(2 * n - 2 - x, max(x, -x)), 0, n - 1);
}

kernel void halve_real(global const float *in, global float *out, int w, int h)
{
    enum { COLUMNS = 128 };
    local float3 sums[COLUMNS];
    const float weights[] = {0.25f, 0.5f, 0.25f};
    const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0);
    float3 sum = 0.0f;
    for (int j = 0; j < 3; j++)
        sum += weights[j] * vload3(mirrored_within(2 * y - 1 + j, h) * w + mirrored_within(x, w), in);
    sums[lx] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lx % 2 == 0 && x < w)
        vstore3(0.5f * (sums[lx] + sums[lx + 1]), y * (w / 2) + x / 2, out);
}
