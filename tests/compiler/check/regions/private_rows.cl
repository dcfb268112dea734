// RUN: --emit=regions -k rows
// RUN: --check-prefix=LANES WEFT_CPU=haswell --report=vectorize -k rows
// RUN: --check-prefix=LANES WEFT_CPU=skylake-avx512 --report=vectorize -k rows
// RUN: --check-prefix=LANES WEFT_CPU=nehalem --report=vectorize -k rows
// RUN: --check-prefix=BLOCK --emit=regions -k block
// RUN: --check-prefix=BLOCK --emit=regions -k large
// Private arrays that live across barriers (regions/private_rows.c): each element has a row of the state
// arena, as a spilled value has. An index that all work-items share then is a consecutive access.

// CHECK: define internal {{.*}} @weft.region.0(
// CHECK: [[ITEM:%[0-9]+]] = call i64 @weft.item()
// CHECK: [[FIRST:%[0-9]+]] = getelementptr inbounds [4 x i8], ptr {{.*}}, i64 [[ITEM]]
// CHECK: [[BY:%[0-9]+]] = mul i64 {{.*}}, %
// CHECK: [[AT:%[0-9]+]] = getelementptr i8, ptr [[FIRST]], i64 [[BY]]
// CHECK: store float {{.*}}, ptr [[AT]], align 4
// LANES-NOT: scattered
// LANES: line {{[0-9]+}}: store of 4 bytes: consecutive
// LANES-NOT: gathered
kernel void rows(global float *out, global const float *in, local float *sums, int n, int m)
{
    float own[7], sum = 0;
    int l = get_local_id(0);
    for (int k = 0; k < m; k++)
        own[k] = in[k * n + l];
    sums[l] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < m; k++)
        sum += own[k] * sums[k + l];
    out[l] = sum;
}

// An array that is accessed in several sizes, or one of many elements, stays in one piece.
// BLOCK: define internal {{.*}} @weft.region.0(
// BLOCK: getelementptr inbounds [{{[0-9]+}} x {{i8|i32}}], ptr {{.*}}, i64 {{%[0-9]+}}
// BLOCK-NOT: mul i64 {{.*}}, 4
// BLOCK: define internal {{.*}} @weft.region.1(
kernel void block(global int *out, global const int *in)
{
    uchar own[8];
    int l = get_local_id(0);
    *(int *)own = in[l];
    *(int *)(own + 4) = in[l + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = own[in[l + 2] & 7];
}

kernel void large(global int *out, global const int *in, int n)
{
    int own[40], l = get_local_id(0);
    for (int k = 0; k < n; k++)
        own[k] = in[l ^ k];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = own[in[l + 2]];
}
