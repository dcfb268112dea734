// RUN: WEFT_VF=8 --emit=vectorize -k filter
// RUN: --check-prefix=LOOPS WEFT_VF=8 --emit=wiloops -k filter
// RUN: --check-prefix=RING WEFT_VF=8 --emit=vectorize -k ring
// RUN: --check-prefix=ONE WEFT_VF=8 --emit=vectorize -k without_barrier
// In kernels with barriers, what each vector iteration would check is checked once for a group, where that is
// the same in all rows, or grows by the same number from row to row.

// CHECK: define internal i1 @weft.region.1.vector.check
// CHECK: @weft.checked_items.0()
// CHECK: @weft.checked_items.1()
// CHECK: ret i1
// CHECK: define internal {{.*}} @weft.region.1.vector(
// CHECK: @weft.check_holds()
// CHECK: br i1 {{.*}}, label %fast_path, label %check
// CHECK: check:
// CHECK: br i1 {{.*}}, label %fast_path, label %slow_path
// LOOPS: check:
// LOOPS: phi i32 [ 0, {{.*}} ]
// LOOPS: y:
kernel void filter(global uchar *out, global const uchar *in, local uchar (*tile)[20], int pitch, int width,
                   int height)
{
    int x = get_global_id(0), y = get_global_id(1), l_x = get_local_id(0), l_y = get_local_id(1);
    tile[l_y][l_x] = in[mad24(y, pitch, x)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width && y < height)
        out[mad24(y, pitch, x)] = min(tile[l_y][l_x], tile[l_y][l_x + 1]);
}

// What begins anew within a row is checked by each iteration.
// RING-NOT: .vector.check
kernel void ring(global float *out, global const float *in, local float *tile, int w)
{
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = in[i / w * 100 + i % w];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[l + 1];
}

// Without barriers rows may be long, and an edge would be in each of them.
// ONE-NOT: .vector.check
kernel void without_barrier(global float *out, global const float *in, int w)
{
    int i = get_global_id(0), y = get_global_id(1);
    out[y * 4096 + i] = in[y * 4096 + clamp(i - 1, 0, w - 1)];
}
