// RUN: WEFT_CPU=znver4 --report=vectorize -k group_independence
// RUN: --check-prefix=ONE WEFT_CPU=znver4 --report=vectorize -k one
// RUN: --check-prefix=EIGHT WEFT_CPU=znver4 --report=vectorize -k eight
// RUN: --check-prefix=COLUMN WEFT_CPU=znver4 --report=vectorize -k column
// RUN: --check-prefix=FULL WEFT_CPU=znver4 --report=vectorize -k full
// RUN: --check-prefix=TILE WEFT_CPU=haswell,skylake-avx512 --group=8,8 --emit=vectorize -k turned_tile
// RUN: --check-prefix=REQUIRED WEFT_CPU=haswell,skylake-avx512 --emit=vectorize -k required_tile
// RUN: --check-prefix=FOUR WEFT_CPU=nehalem --group=8,8 --emit=vectorize -k turned_tile
// Groups whose rows are shorter than a vector has lanes.

// The report says what becomes of groups that can't fill the lanes.
// CHECK: groups have rows of 1 work-item, fewer than there are lanes: the kernel is group-shape independent, so the groups of a row run as one
// CHECK: region 0: vectorized, 16 lanes
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void group_independence(global float *p)
{
    p[get_global_id(0)] *= 2;
}

// ONE: groups have rows of 1 work-item, fewer than there are lanes: work-items run in scalar code
// ONE-NOT: iterations of 64 lanes, then
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void one(global uint *out, int n)
{
    uint x = get_global_id(0);
    for (int i = 0; i < n; i++)
        x = x * 1664525 + 1013904223;
    out[get_global_id(0)] = x + get_group_id(0);
}

// EIGHT: groups have rows of 8 work-items, fewer than there are lanes: work-items run in scalar code; code variants that fill lanes
// EIGHT-NOT: iterations of 64 lanes, then
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global uint *out, int n)
{
    uint x = get_global_id(0);
    for (int i = 0; i < n; i++)
        x = x * 1664525 + 1013904223;
    out[get_global_id(0)] = x + get_group_id(0);
}

// COLUMN: groups have rows of 1 work-item, fewer than there are lanes: work-items run in scalar code; code variants that fill lanes
kernel __attribute__((reqd_work_group_size(1, 64, 1))) void column(global uint *out)
{
    out[get_global_id(1)] = get_group_id(1);
}

// FULL-NOT: groups have rows
// FULL: region 0: vectorized, 16 lanes
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void full(global uint *out)
{
    out[get_global_id(0)] = get_group_id(0);
}

// Where the size of the groups is known, the vectors are as long as the rows, so that no lane is empty
// (docs/adr/0022).
kernel void turned_tile(global const float *in, global float *out)
{
    local float tile[8][8];
    uint x = get_local_id(0), y = get_local_id(1), w = get_global_size(0);
    tile[y][x] = in[get_global_id(1) * w + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * w + get_global_id(0)] = tile[7 - y][x] * 2;
}
// TILE-NOT: <16 x float>
// TILE: define {{.*}} @weft.region.1.vector(
// TILE: fmul <8 x float>
// TILE-NOT: <16 x float>
// FOUR: fmul <4 x float>

kernel __attribute__((reqd_work_group_size(8, 8, 1))) void required_tile(global const float *in,
                                                                         global float *out)
{
    local float tile[8][8];
    uint x = get_local_id(0), y = get_local_id(1), w = get_global_size(0);
    tile[y][x] = in[get_global_id(1) * w + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * w + get_global_id(0)] = tile[7 - y][x] * 2;
}
// REQUIRED-NOT: <16 x float>
// REQUIRED: fmul <8 x float>
// REQUIRED-NOT: <16 x float>
