// RUN: WEFT_CPU=haswell --emit=regions -k tiles
// RUN: --check-prefix=REPORT WEFT_CPU=haswell --report=vectorize -k tiles
// RUN: --check-prefix=ITEM WEFT_CPU=haswell --emit=regions -k by_item
// An index with a uniform part that can't be computed again after a barrier: the part is kept for the group,
// and the index is computed from it. So it is known to be consecutive over the lanes.

// CHECK: define internal { i32, i32 } @weft.region.0(
// CHECK-NOT: @weft.state()
// CHECK: define internal { i32{{.*}} } @weft.region.1(
// CHECK-NOT: @weft.state()
// REPORT-NOT: spilled across a barrier
// REPORT: region 1
// REPORT: line 25: store of 4 bytes: consecutive
kernel void tiles(global float *out, global const float *in, local float *tile, int swap, int n)
{
    int l = get_local_id(0), a = get_group_id(0), b = get_group_id(1), at;
    if (swap)
        at = (a + b) % get_num_groups(0);
    else
        at = (a * n + b) % get_num_groups(1) + b;
    int i = at * 64 + l;
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        out[i] = tile[63 - l];
}

// The work-items of a group have different parts: the index is spilled.
// ITEM: call ptr @weft.state()
kernel void by_item(global float *out, global const float *in, local float *tile, global const int *at)
{
    int l = get_local_id(0), i = at[l] * 64 + l;
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[63 - l];
}
