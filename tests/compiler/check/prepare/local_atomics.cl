// RUN: --emit=llvm -k counts
// RUN: --check-prefix=MARK --emit=prepare -k counts
// A work-group runs on one thread, so atomics of local memory need not be atomic. Those of global memory
// stay.

// MARK: atomicrmw add ptr {{.*}} syncscope("singlethread") monotonic
// MARK: atomicrmw volatile add ptr {{.*}} monotonic
// CHECK-NOT: singlethread
// CHECK: atomicrmw volatile add ptr
// CHECK-NOT: singlethread
kernel void counts(global uint *out, global const uchar *in)
{
    local uint bins[256];
    int l = get_local_id(0);
    bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&out[l], bins[l]);
}
