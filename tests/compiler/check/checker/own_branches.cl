// RUN: -weft-check=arith,uninit --emit=prepare -k converted
// The branches that the checker adds aren't the program's. So of what is only stored, nothing asks whether it
// is written: where the number is compared with what an int can hold, the body that looks reports the
// conversion alone.

// CHECK: define {{.*}}@converted(
// CHECK: call i64 @weft.device_call(i32 [[REPORT:[0-9]+]],
// CHECK: call i64 @weft.device_call(i32 [[REPORT]],
// CHECK-NOT: call i64 @weft.device_call(i32 [[REPORT]],
kernel void converted(global int *out, global const float *in)
{
    out[get_global_id(0)] = (int)in[get_global_id(0)];
}
