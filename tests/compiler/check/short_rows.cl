// RUN: WEFT_CPU=haswell,skylake-avx512 --group=8,8 --emit=vectorize -k turned_tile
// RUN: --check-prefix=REQUIRED WEFT_CPU=haswell,skylake-avx512 --emit=vectorize -k required_tile
// RUN: --check-prefix=FOUR WEFT_CPU=nehalem --group=8,8 --emit=vectorize -k turned_tile
// Groups that are 8 wide leave no lanes empty: of so many are the steps, where the size of groups is known (docs/adr/0022).
kernel void turned_tile(global const float *in, global float *out)
{
    local float tile[8][8];
    uint x = get_local_id(0), y = get_local_id(1), w = get_global_size(0);
    tile[y][x] = in[get_global_id(1) * w + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * w + get_global_id(0)] = tile[7 - y][x] * 2;
}
// CHECK-NOT: <16 x float>
// CHECK: define {{.*}} @weft.region.1.vector(
// CHECK: fmul <8 x float>
// CHECK-NOT: <16 x float>
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
