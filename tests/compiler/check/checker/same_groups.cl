// RUN: -weft-check=race --emit=prepare -k tree
// RUN: --check-prefix=OTHER -weft-check=race --emit=prepare -k other
// RUN: --check-prefix=ROWS -weft-check=race --emit=prepare -k rows
// RUN: --check-prefix=PARTS -weft-check=race --emit=prepare -k parts
// The first body of a kernel doesn't look for races where one group says what all do, or where each work-item
// has bytes of its own. It ends before the other bodies begin.

// CHECK: define {{.*}}@tree(
// CHECK: {{^}}entry:
// CHECK-NOT: weft.touch
// CHECK: ret void
// CHECK: call i64 @weft.device_call
// CHECK: call void @weft.touch
kernel void tree(global const int *in, global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
        if (l < s)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = t[0];
}

// Where they touch depends on the group.
// OTHER: define {{.*}}@other(
// OTHER: call void @weft.touch
kernel void other(global int *out)
{
    local int t[64];
    int l = get_local_id(0);
    t[l ^ get_group_id(0)] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l];
}

// ROWS: define {{.*}}@rows(
// ROWS: {{^}}entry:
// ROWS-NOT: weft.touch
// ROWS: ret void
// ROWS: call void @weft.touch
kernel void rows(global int *out, int w, int step)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w)
        return;
    out[y * step + x] = x;
}

// PARTS: define {{.*}}@parts(
// PARTS: {{^}}entry:
// PARTS-NOT: weft.touch
// PARTS: ret void
// PARTS: call void @weft.touch
kernel void parts(global int *out)
{
    int l = get_local_id(0), at = get_group_id(0) * 512 + l;
    out[at] = 1;
    out[at + 256] = l;
}
