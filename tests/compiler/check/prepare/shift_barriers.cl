// RUN: --emit=prepare -k shift
// RUN: --check-prefix=APART --emit=prepare -k apart
// RUN: --check-prefix=OWN --emit=prepare -k own
// RUN: --check-prefix=BEHIND --emit=prepare -k behind
// RUN: --check-prefix=PARTED --emit=prepare -k parted
// Work-items that shift local memory together wait for each other in each iteration.

// CHECK: define {{.*}}@shift
// CHECK: %[[COUNT:[0-9]+]] = phi i32 [ 0,
// CHECK: icmp slt i32 %[[COUNT]], 260
// CHECK: phi i32 [ {{.*}}, [ poison
// CHECK-NEXT: call void @weft.barrier()
// CHECK: store i32
// CHECK: call void @weft.barrier()
kernel void shift(global int *out, global const int *in)
{
    local int t[18 * 26];
    for (int k = get_local_id(0); k < 468; k += 128)
        t[k] = in[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = get_local_id(0); k < 260; k += 128)
        t[k] = t[k + 208];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = t[get_local_id(0)];
}

// What is loaded lies where nobody stores.
// APART: define {{.*}}@apart
// APART-NOT: poison
// APART: ret void
kernel void apart(global int *out, global const int *in)
{
    local int t[18 * 26];
    for (int k = get_local_id(0); k < 468; k += 128)
        t[k] = in[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = get_local_id(0); k < 200; k += 128)
        t[k] = t[k + 208];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = t[get_local_id(0)];
}

// Each work-item loads what it stores itself later.
// OWN: define {{.*}}@own
// OWN-NOT: poison
// OWN: ret void
kernel void own(global int *out, global const int *in)
{
    local int t[18 * 26];
    for (int k = get_local_id(0); k < 468; k += 128)
        t[k] = in[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = get_local_id(0); k < 260; k += 128)
        t[k] = t[k + 128];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = t[get_local_id(0)];
}

// A barrier behind the loop says that all work-items come to it.
// BEHIND: define {{.*}}@behind
// BEHIND: phi i32 [ {{.*}}, [ poison
kernel void behind(global int *out)
{
    local int t[18 * 26];
    for (int k = get_local_id(0); k < 260; k += 128)
        t[k] = t[k + 208];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = t[get_local_id(0)];
}

// Only some of the work-items come to the loop.
// PARTED: define {{.*}}@parted
// PARTED-NOT: poison
// PARTED: ret void
kernel void parted(global int *out, global const int *in)
{
    local int t[18 * 26];
    for (int k = get_local_id(0); k < 468; k += 128)
        t[k] = in[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[get_local_id(0)])
        for (int k = get_local_id(0); k < 260; k += 128)
            t[k] = t[k + 208];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = t[get_local_id(0)];
}
