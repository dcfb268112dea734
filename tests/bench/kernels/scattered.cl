// Kernels for tests/bench/scattered.c. Written for this benchmark.

static float fade(float t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

// Which direction is a ternary of ternaries in most programs.
static float slope(int hash, float x, float y, float z)
{
    int h = hash & 15;
    float u = h < 8 ? x : y, v = h < 4 ? y : (h == 12 || h == 14 ? x : z);
    return ((h & 1) == 0 ? u : -u) + ((h & 2) == 0 ? v : -v);
}

kernel void noise(global float *out, global const int *p, int w, float scale)
{
    int x = get_global_id(0), y = get_global_id(1);
    float fx = x * scale, fy = y * scale, fz = 0.5f;
    int cx = (int)floor(fx) & 255, cy = (int)floor(fy) & 255;
    fx -= floor(fx);
    fy -= floor(fy);
    float u = fade(fx), v = fade(fy), t = fade(fz);
    int a = p[cx] + cy, aa = p[a & 255], ab = p[(a + 1) & 255];
    int b = p[(cx + 1) & 255] + cy, ba = p[b & 255], bb = p[(b + 1) & 255];
    float low = mix(mix(slope(p[aa], fx, fy, fz), slope(p[ba], fx - 1, fy, fz), u),
                    mix(slope(p[ab], fx, fy - 1, fz), slope(p[bb], fx - 1, fy - 1, fz), u), v);
    float high = mix(mix(slope(p[(aa + 1) & 255], fx, fy, fz - 1), slope(p[(ba + 1) & 255], fx - 1, fy, fz - 1), u),
                     mix(slope(p[(ab + 1) & 255], fx, fy - 1, fz - 1),
                         slope(p[(bb + 1) & 255], fx - 1, fy - 1, fz - 1), u), v);
    out[y * w + x] = mix(low, high, t);
}

// A column of -1 is none.
kernel void sparse_columns(global float *y, global const float *value, global const int *column,
                           global const float *x, int n, int most)
{
    int row = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < most; k++) {
        int c = column[k * n + row];
        if (c >= 0)
            sum += value[k * n + row] * x[c];
    }
    y[row] = sum;
}

// A step of a radix sort: each work-item counts the digits of its keys.
kernel void count_digits(global uint *out, global const uint *keys, int shift, int each)
{
    uint count[16];
    for (int k = 0; k < 16; k++)
        count[k] = 0;
    size_t i = get_global_id(0), n = get_global_size(0);
    for (int k = 0; k < each; k++)
        count[keys[i * each + k] >> shift & 15]++;
    for (int k = 0; k < 16; k++)
        out[k * n + i] = count[k];
}

kernel void hash_rows(global uint *out, global const uint *in, int n)
{
    size_t i = get_global_id(0);
    uint h = 374761393u + n * 4;
    for (int k = 0; k < n; k++)
        h = rotate(h + in[i * n + k] * 3266489917u, 17u) * 668265263u;
    h = (h ^ h >> 15) * 2246822519u;
    out[i] = h ^ h >> 13;
}

kernel void compact(global uint *out, global const uint *in, global const uint *place, uint least)
{
    size_t i = get_global_id(0);
    uint x = in[i];
    if (x >= least)
        out[place[i]] = x;
}

kernel void transpose_bgr(global uchar *out, global const uchar *in, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    for (int k = 0; k < 3; k++)
        out[3 * (x * n + y) + k] = in[3 * (y * n + x) + k];
}

kernel void map_bytes(global uchar *out, global const uchar *in, global const uchar *table)
{
    size_t i = get_global_id(0);
    out[i] = table[in[i]];
}

kernel void rotate_picture(global float *out, global const float *in, int w, int h, float c, float s)
{
    int x = get_global_id(0), y = get_global_id(1);
    int ix = (int)(c * (x - w / 2) - s * (y - h / 2) + w / 2), iy = (int)(s * (x - w / 2) + c * (y - h / 2) + h / 2);
    out[y * w + x] = ix >= 0 && ix < w && iy >= 0 && iy < h ? in[iy * w + ix] : 0;
}
