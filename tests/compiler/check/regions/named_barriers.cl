// RUN: -cl-std=CL3.0 --emit=regions
// RUN: --check-prefix=LANES -cl-std=CL3.0 --emit=vectorize
// RUN: --check-prefix=ITERATIONS -cl-std=CL3.0 --emit=wiloops
// Work-items wait at a named barrier in a region of its own, which checks it and yields. Every value that
// lives across it is spilled, uniform values too: the work-items don't arrive together. The last spill slot
// says where each work-item continues.
uint __weft_named_barrier_make(uint);
void __weft_named_barrier_wait(uint);

// CHECK: @weft.region.1(
// CHECK: @weft.region.2({{.*}} #[[YIELDS:[0-9]+]]
// CHECK: call ptr @weft.group_barriers()
// CHECK: ret { i32 }
// CHECK: attributes #[[YIELDS]] = {{.*}}"weft-yield"

// LANES-NOT: @weft.region.{{[0-9]}}.vector

// ITERATIONS: call void @llvm.memset
// ITERATIONS: iteration:
// ITERATIONS: switch i32
// ITERATIONS: stuck:
kernel void k(global int *p, int n)
{
    int sum = n ? p[n] : 0; // the same for all
    uint some = __weft_named_barrier_make(2);
    if (get_sub_group_id() < 2)
        __weft_named_barrier_wait(some);
    p[get_global_id(0)] = sum;
}
