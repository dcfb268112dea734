// c = a * b for square matrices of n rows, in five steps. n is a multiple of 64.

// 1. Naive, with the rows along dimension 0: neighbours read, and write, memory that lies a row apart.
kernel void rows(global const float *a, global const float *b, global float *c, int n)
{
    int row = get_global_id(0), column = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// 2. The columns along dimension 0: neighbours read neighbours, and the number of a is the same for all.
kernel void columns(global const float *a, global const float *b, global float *c, int n)
{
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// 3. Tiles in local memory, as GPUs need it: a group of 16 x 16 loads each number once for 16 uses.
#define TILE 16
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void tiles(global const float *a, global const float *b,
                                                                       global float *c, int n)
{
    local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int first = 0; first < n; first += TILE) {
        tile_a[y][x] = a[row * n + first + x];
        tile_b[y][x] = b[(first + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

// 4. Blocks in registers: a work-item computes 8 rows of its column, so each number of b is loaded once for 8 uses.
#define ROWS 8
kernel void blocks(global const float *a, global const float *b, global float *c, int n)
{
    int column = get_global_id(0), row = get_global_id(1) * ROWS;
    float sum[ROWS] = {0};
    for (int k = 0; k < n; k++) {
        float number = b[k * n + column];
        for (int r = 0; r < ROWS; r++)
            sum[r] += a[(row + r) * n + k] * number;
    }
    for (int r = 0; r < ROWS; r++)
        c[(row + r) * n + column] = sum[r];
}

// 5. Blocks of 8 rows and 2 columns, which lie 64 apart. Work-groups of 64 x 1: each number of a serves both columns.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void wide_blocks(global const float *a, global const float *b,
                                                                        global float *c, int n)
{
    int column = get_group_id(0) * 128 + get_local_id(0), row = get_global_id(1) * ROWS;
    float left[ROWS] = {0}, right[ROWS] = {0};
    for (int k = 0; k < n; k++) {
        float number = b[k * n + column], other = b[k * n + column + 64];
        for (int r = 0; r < ROWS; r++) {
            float factor = a[(row + r) * n + k];
            left[r] += factor * number;
            right[r] += factor * other;
        }
    }
    for (int r = 0; r < ROWS; r++) {
        c[(row + r) * n + column] = left[r];
        c[(row + r) * n + column + 64] = right[r];
    }
}
