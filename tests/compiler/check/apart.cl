// RUN: WEFT_VF=8 --emit=wiloops -k large
// RUN: --check-prefix=SMALL WEFT_VF=8 --emit=wiloops -k small
// RUN: --check-prefix=MASKED WEFT_FORM=1 WEFT_VF=8 --emit=wiloops -k large
// RUN: --check-prefix=ALONE WEFT_FORM=4 WEFT_VF=8 --emit=wiloops -k large
// RUN: --check-prefix=NONE WEFT_VF=8 -cl-opt-disable --emit=wiloops -k large
// What steps of all lanes leave over: in a large kernel a function that isn't optimised.
#define ROUND x = (x ^ y) * 3u + (x >> 5), y = (y + x) * 5u ^ (y >> 7);
#define ROUNDS ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND

// CHECK: define internal void @weft.region.0({{.*}}[[APART:#[0-9]+]]
// CHECK: mul <8 x i32>
// CHECK: call void @weft.region.0(
// CHECK: attributes [[APART]] = {{.*}}noinline{{.*}}optnone
// MASKED: mul <8 x i32>
// MASKED-NOT: @weft.region.0(
// ALONE-NOT: <8 x i32>
// ALONE-NOT: @weft.region.0(
// NONE-NOT: optnone
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
