// Steps of linear algebra as programs have them: pointers that are counted up over barriers, matrices that
// lie either way, sums that stay in registers.

// y = A x or A^T x, 64 elements of x at a time through local memory. How A lies is a parameter.
kernel void matrix_vector(global const float *a, int ld, int turned, global const float *x, global float *y,
                          int n)
{
    local float part[64];
    float sum = 0.0f;
    int row = get_global_id(0), l = get_local_id(0);
    for (int k = 0; k < n; k += 64) {
        part[l] = x[k + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 64; j++)
            sum += part[j] * (turned ? a[ld * row + k + j] : a[ld * (k + j) + row]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[row] = sum;
}

// C = A B, by columns. Each of a group's 16 x 4 work-items has 16 elements of a row of C. Pointers to A and
// B go on from block to block.
kernel void gemm_columns(global const float *a, int lda, global const float *b, int ldb, global float *c,
                         int ldc, int n)
{
    local float bs[16][17];
    int x = get_local_id(0), y = get_local_id(1), id = x + y * 16;
    int row = get_group_id(0) * 64 + id, column = get_group_id(1) * 16;
    a += row;
    b += x + (column + y) * ldb;
    c += row + column * ldc;
    float sums[16];
    for (int j = 0; j < 16; j++)
        sums[j] = 0.0f;
    for (int k = 0; k < n; k += 16) {
        for (int j = 0; j < 16; j += 4)
            bs[x][y + j] = b[j * ldb];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; i++, a += lda)
            for (int j = 0; j < 16; j++)
                sums[j] += a[0] * bs[i][j];
        b += 16;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < 16; j++, c += ldc)
        c[0] = sums[j];
}

// A sweep along rows, of which each work-item has one: each element waits for the one before.
kernel void sweep_rows(global const float *a, global float *b, global float *x, int n)
{
    int i = get_global_id(0);
    for (int j = 1; j < n; j++) {
        x[i * n + j] = x[i * n + j] - x[i * n + j - 1] * a[i * n + j] / b[i * n + j - 1];
        b[i * n + j] = b[i * n + j] - a[i * n + j] * a[i * n + j] / b[i * n + j - 1];
    }
}
