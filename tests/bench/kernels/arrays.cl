// Memory traffic: matrices, stencils, sparse rows.

kernel void gemm_naive(global float *c, global const float *a, global const float *b, int n)
{
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

#define TILE 16
kernel void gemm_tiled(global float *c, global const float *a, global const float *b, int n)
{
    local float ta[TILE][TILE], tb[TILE][TILE];
    int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int t = 0; t < n; t += TILE) {
        ta[ly][lx] = a[row * n + t + lx];
        tb[ly][lx] = b[(t + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

kernel void convolve_5x5(global float *out, global const float *in, constant float *weights, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int j = -2; j <= 2; j++) {
        for (int i = -2; i <= 2; i++) {
            int sx = clamp(x + i, 0, w - 1), sy = clamp(y + j, 0, h - 1);
            sum += in[sy * w + sx] * weights[(j + 2) * 5 + i + 2];
        }
    }
    out[y * w + x] = sum;
}

kernel void stencil_3d(global float *out, global const float *in, int w, int h, int d, float c0, float c1)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * h + y) * w + x;
    if (x == 0 || y == 0 || z == 0 || x == w - 1 || y == h - 1 || z == d - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = c0 * in[i] +
             c1 * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + in[i - w * h] + in[i + w * h]);
}

kernel void spmv(global float *y, global const int *first, global const int *column,
                 global const float *value, global const float *x)
{
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int k = first[row]; k < first[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

kernel void transpose(global float *out, global const float *in, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * n + y] = in[y * n + x];
}

// c = beta c + alpha a a^T
kernel void syrk(global float *c, global const float *a, int n, float alpha, float beta)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < n && y < n) {
        c[y * n + x] *= beta;
        for (int k = 0; k < n; k++)
            c[y * n + x] += alpha * a[y * n + k] * a[x * n + k];
    }
}

// Each work-item goes along a row, where an element depends on the one before, as implicit methods have it.
kernel void row_sweep(global float *x, global const float *a, global float *b, int n)
{
    int row = get_global_id(0);
    if (row < n)
        for (int k = 1; k < n; k++) {
            x[row * n + k] -= x[row * n + k - 1] * a[row * n + k] / b[row * n + k - 1];
            b[row * n + k] = 0.5f * b[row * n + k] + 1.0f - a[row * n + k] * a[row * n + k] / b[row * n + k - 1];
        }
}

// The inner step of a decomposition by blocks of 16 x 16.
kernel void block_update(global float *m, int n, int offset)
{
    local float row[16 * 16], column[16 * 16];
    int lx = get_local_id(0), ly = get_local_id(1);
    int to_row = offset + (get_group_id(1) + 1) * 16, to_column = offset + (get_group_id(0) + 1) * 16;
    row[ly * 16 + lx] = m[(offset + ly) * n + to_column + lx];
    column[ly * 16 + lx] = m[(to_row + ly) * n + offset + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += column[ly * 16 + k] * row[k * 16 + lx];
    m[(to_row + ly) * n + to_column + lx] -= sum;
}

// An elimination step, as in Rodinia's programs. Neighbouring work-items of dimension 1 access neighbouring
// elements.
kernel void row_update(global float *a, global const float *factor, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < n - 1)
        a[(x + 1) * n + y] -= factor[x + 1] * a[y];
}

kernel void transpose_tiled(global float *out, global const float *in, int n)
{
    local float tile[TILE][TILE + 1];
    int lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * TILE, gy = get_group_id(1) * TILE;
    tile[ly][lx] = in[(gy + ly) * n + gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(gx + ly) * n + gy + lx] = tile[lx][ly];
}

kernel void triad(global float *a, global const float *b, global const float *c, float s)
{
    size_t i = get_global_id(0);
    a[i] = b[i] + s * c[i];
}
