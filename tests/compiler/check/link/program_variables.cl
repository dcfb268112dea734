// RUN: -cl-std=CL3.0 --emit=prepare -k k
// RUN: --check-prefix=BLOCK -cl-std=CL3.0 --emit=llvm -k k
// RUN: --check-prefix=OLD ! -cl-std=CL1.2 --emit=bc -k k
// Program-scope variables are in no kernel's code: they are places in a block that the runtime hands over.
// The values of constants are known here.

// OLD: error: program scope variable must reside in constant address space

// CHECK-NOT: addrspace
// CHECK-LABEL: @k(
// CHECK: call ptr @weft.program_variables()
// CHECK-NOT: @one
// CHECK: store i32 5
// BLOCK-NOT: @one
// BLOCK-LABEL: @k.run(
// weft_exec.variables:
// BLOCK: getelementptr {{.*}}, ptr %2, i64 40
// BLOCK-NOT: @one
global int one = 1, two[3] = {2, 2, 2};
const int five = 5;
global int *global at = &two[1];
kernel void k(global int *out)
{
    out[0] = five;
    out[1] = one++ + *at + two[out[2]];
}
