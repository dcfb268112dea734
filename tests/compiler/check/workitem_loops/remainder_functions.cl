// RUN: WEFT_VF=8 --emit=wiloops -k large
// RUN: --check-prefix=SMALL WEFT_VF=8 --emit=wiloops -k small
// RUN: --check-prefix=MASKED WEFT_VARIANT=dim0 WEFT_VF=8 --emit=wiloops -k large
// RUN: --check-prefix=SCALAR WEFT_VARIANT=scalar WEFT_VF=8 --emit=wiloops -k large
// RUN: --check-prefix=NONE WEFT_VF=8 -cl-opt-disable --emit=wiloops -k large
// RUN: --check-prefix=CODE WEFT_VF=8 --emit=asm -k large
// RUN: --check-prefix=TWO WEFT_VF=8 --emit=wiloops -k two_regions
// RUN: --check-prefix=FRAME WEFT_VF=8 -cl-std=CL3.0 --emit=wiloops -k own_frame
// Work-items that are left over when a row is no multiple of the vector length. In a large kernel a function
// of its own runs them. It is not optimised: that would cost compile time, and little runs there.
#define ROUND x = (x ^ y) * 3u + (x >> 5), y = (y + x) * 5u ^ (y >> 7);
#define ROUNDS ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND

// CHECK: define internal void @weft.region.0({{.*}}[[APART:#[0-9]+]] section ".text.rest"
// CHECK: mul <8 x i32>
// CHECK: call void @weft.region.0(
// CHECK: attributes [[APART]] = {{.*}}noinline{{.*}}optnone
// MASKED: mul <8 x i32>
// MASKED-NOT: @weft.region.0(
// SCALAR-NOT: <8 x i32>
// SCALAR-NOT: @weft.region.0(
// NONE-NOT: optnone
// CODE: .section .text.rest,"ax",@progbits
// CODE-NEXT: .p2align
// CODE-NEXT: .type weft.region.0,@function
kernel void large(global uint *out, global const uint *in)
{
    size_t i = get_global_id(0);
    uint x = in[i], y = x + 1;
    ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS
    out[i] = x + y;
}

// SMALL: mul <8 x i32>
// SMALL-NOT: @weft.region.0(
kernel void small(global uint *out, global const uint *in)
{
    size_t i = get_global_id(0);
    uint x = in[i], y = x + 1;
    ROUND
    out[i] = x + y;
}

// Each large region has its own; the small one between them is inlined.
// TWO: define internal {{.*}}@weft.region.0({{.*}} section ".text.rest"
// TWO-NOT: define {{.*}}@weft.region.1(
// TWO: define internal {{.*}}@weft.region.2({{.*}} section ".text.rest"
// TWO: call {{.*}}@weft.region.0(
// TWO: call {{.*}}@weft.region.2(
kernel void two_regions(global uint *out, global const uint *in, local uint *t)
{
    size_t i = get_global_id(0), l = get_local_id(0);
    uint x = in[i], y = x + 1;
    ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS
    t[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x += t[l ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS
    out[i] = x + y;
}

#if __OPENCL_C_VERSION__ >= 300
// Where private memory is can be asked within run's frame only.
// FRAME-NOT: .text.rest
kernel void own_frame(global uint *out, global const uint *in)
{
    size_t i = get_global_id(0);
    uint x = in[i], y = x + 1, a[4] = {x, y, 3, 4};
    uint *where = a;
    if (x & 1)
        where = out;
    ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS
    out[i] = x + y + (to_private(where) ? where[x & 3] : 0);
}
#endif
