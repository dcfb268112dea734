// RUN: -cl-std=CL3.0 --emit=regions
// RUN: --check-prefix=NEST -cl-std=CL3.0 --emit=vectorize
// A work-group function is two barriers with a region between them that runs for one work-item. That one adds
// up the values which all have stored. Its result is in the work-group's slot, and uniform after the
// barriers.

// CHECK: @weft.region.0(
// CHECK: call ptr @weft.state()
// CHECK: ret { i32 } { i32 1 }
// CHECK: @weft.region.1({{.*}} #[[SINGLE:[0-9]+]]
// CHECK: add <16 x i32>
// CHECK: call ptr @weft.group_slot()
// CHECK: store i32
// CHECK: @weft.region.2(
// CHECK: load i32
// CHECK: attributes #[[SINGLE]] = {{.*}}"weft-single-item"

// NEST: @weft.region.0.vector
// NEST-NOT: @weft.region.1.vector
// NEST: @weft.region.2.vector
kernel void k(global int *p)
{
    int i = get_global_id(0);
    p[i] = work_group_reduce_add(p[i]);
}
