// RUN: -weft-check=uninit --emit=prepare -k copied
// RUN: --check-prefix=TILE -weft-check=uninit --emit=prepare -k tile
// RUN: --check-prefix=SPOILT -weft-check=uninit --emit=prepare -k spoilt
// The first body of a kernel asks for no shadow of what is written; the second one does. A report is a
// call of the driver.

// CHECK: define {{.*}}@copied(
// CHECK: {{^}}entry:
// CHECK-NOT: load
// CHECK: load i32
// CHECK-NOT: load
// CHECK: store i32 0
// CHECK-NOT: weft.device_call
// CHECK: ret void
// CHECK: call i64 @weft.device_call
kernel void copied(global int *out, global const int *in)
{
    out[get_global_id(0)] = in[get_global_id(0)] + 1;
}

// TILE: define {{.*}}@tile(
// TILE: {{^}}entry:
// TILE-NOT: load
// TILE: load i32
// TILE-NOT: load
// TILE-NOT: store i32 0
// TILE: call void @weft.barrier
// TILE-NOT: load
// TILE: load i32
// TILE-NOT: load
// TILE: store i32 0
// TILE-NOT: weft.device_call
// TILE: ret void
// TILE: call i64 @weft.device_call
kernel void tile(global int *out, global const int *in)
{
    local int t[64];
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[63 - l];
}

// What is stored may not be written, and others read it: there is no such body.
// SPOILT: define {{.*}}@spoilt(
// SPOILT: call i64 @weft.device_call
// SPOILT-NOT: store i32 0
// SPOILT: ret void
kernel void spoilt(global int *a, int n)
{
    int v;
    if (n > 5)
        v = a[n];
    a[get_global_id(0)] = v + a[get_local_id(0)];
}
