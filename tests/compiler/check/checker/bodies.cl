// RUN: -weft-check=bounds,align --emit=prepare -k copied
// RUN: --check-prefix=LOOKED -weft-check=bounds,align --emit=prepare -k looked_up
// RUN: --check-prefix=RACE -weft-check=race --emit=prepare -k apart
// RUN: --check-prefix=STEPS -weft-check=bounds,align --emit=prepare -k goes_on
// The first body of a kernel doesn't look at accesses that are within their objects in all work-items; the
// second one does. A report is a call of the driver.

// CHECK: define {{.*}}@copied(
// CHECK: {{^}}entry:
// CHECK: icmp slt
// CHECK-NOT: icmp
// CHECK: load i32
// CHECK-NOT: {{icmp|weft.device_call}}
// CHECK: store i32
// CHECK-NOT: weft.device_call
// CHECK: ret void
// CHECK: call i64 @weft.device_call
kernel void copied(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[i];
}

// Of an index that comes from memory nothing is known: one of three accesses is looked at.
// LOOKED: define {{.*}}@looked_up(
// LOOKED: {{^}}entry:
// LOOKED-NOT: weft.device_call
// LOOKED: load i32
// LOOKED: icmp
// LOOKED: call i64 @weft.device_call
// LOOKED-NOT: weft.device_call
// LOOKED: store i32
// LOOKED: ret void
// LOOKED: call i64 @weft.device_call
kernel void looked_up(global int *out, global const int *in, global const int *at)
{
    int i = get_global_id(0);
    out[i] = in[at[i]];
}

// Each work-item has bytes of its own.
// RACE: define {{.*}}@apart(
// RACE: {{^}}entry:
// RACE-NOT: weft.touch
// RACE: store i32
// RACE-NOT: weft.touch
// RACE: ret void
// RACE: call void @weft.touch
kernel void apart(global int *out, global const int *in)
{
    int i = get_global_id(0);
    out[i] = in[i + 1];
}

// How often a pointer goes on is counted before the kernel runs, also where a loop inside moves it: the
// iterations of the outer loop are its last number by 8.
// STEPS: define {{.*}}@goes_on(
// STEPS: {{sdiv i64 .*, 8|ashr i64 .*, 3|lshr i64 .*, 3|udiv i64 .*, 8}}
// STEPS: {{^}}entry:
// STEPS-NOT: weft.device_call
// STEPS: ret void
// STEPS: call i64 @weft.device_call
kernel void goes_on(global const float *a, int step, global float *out, int n)
{
    float sum = 0;
    a += get_global_id(0);
    for (int k = 0; k < n; k += 8)
        for (int m = 0; m < 8; m++, a += step)
            sum += a[0];
    out[get_global_id(0)] = sum;
}
