// RUN: WEFT_VARIANT=dim0 WEFT_VF=8 --emit=vectorize -k copy
// RUN: --check-prefix=QUICKLY WEFT_VARIANT=dim1 WEFT_TIER=3 WEFT_VF=8 --emit=vectorize -k copy
// RUN: --check-prefix=SWAPPED WEFT_VARIANT=dim1 WEFT_VF=8 --emit=regions -k copy
// RUN: --check-prefix=SWAPPED3 WEFT_VARIANT=dim2 WEFT_VF=8 --emit=regions -k copy
// RUN: --check-prefix=ALONG WEFT_VARIANT=dim1 WEFT_VF=8 --emit=shapes -k copy
// RUN: --check-prefix=INDEX WEFT_VF=8 --emit=shapes -k index
// RUN: --check-prefix=LINEAR WEFT_VF=8 --emit=shapes -k linear
// RUN: --check-prefix=REQUIRED --emit=regions -k required
// RUN: --check-prefix=UNKNOWN -cl-std=CL3.0 --emit=regions -k index
// RUN: --check-prefix=SIZED WEFT_VF=16 --group=16,16 --emit=wiloops -k index
// RUN: --check-prefix=PLAIN WEFT_VF=16 --emit=wiloops -k index
// RUN: --check-prefix=ROWS WEFT_CPU=haswell,skylake-avx512 --emit=llvm -k rows
// RUN: --check-prefix=ROWS-WORDS WEFT_CPU=nehalem --emit=llvm -k rows
// RUN: --check-prefix=REFUSED --group=16,16 --emit=wiloops -k rows
// The variants of a kernel's code (kernel_abi.h): tail folding, swapped dimensions, known group sizes; and
// what is known of ids and sizes.

// The end of a row: the same under the mask of the lanes that there are, and the scalar loop is gone.
// CHECK: define internal void @weft.region.0.vector(
// CHECK: define internal void @weft.region.0.tail(
// CHECK: [[LEFT:%[0-9]+]] = call i32 @weft.lanes_left()
// CHECK: icmp ult <8 x i32>
// CHECK: call <8 x float> @llvm.masked.load
// CHECK: call void @llvm.masked.store
//
// Made quickly along another dimension, the end of a row is scalar code.
// QUICKLY-NOT: weft.region.0.tail
// QUICKLY: define internal void @weft.region.0.vector(
// QUICKLY-NOT: weft.region.0.tail
//
// Dimension 1 is where others have 0.
// SWAPPED: call i64 @weft.global_size.1()
// SWAPPED: call i64 @weft.global_id.1()
// SWAPPED: call i64 @weft.global_id.0()
// SWAPPED3: call i64 @weft.global_size.2()
// SWAPPED3: call i64 @weft.global_id.2()
// SWAPPED3: call i64 @weft.global_id.1()
// ALONG: strided(1) {{.*}} call i64 @weft.global_id.0()
kernel void copy(global float *a, global const float *b)
{
    size_t w = get_global_size(0), x = get_global_id(0), y = get_global_id(1);
    a[x] = b[w * y + x];
}

// INDEX: strided(1) {{.*}} call i32 @weft.index32.0()
// INDEX: strided(4) {{.*}} getelementptr
// Groups needn't be uniform in newer versions: the sum stays.
// UNKNOWN: call i64 @weft.group_id.0()
// UNKNOWN: call i64 @weft.local_size.0()
kernel void index(global float *a)
{
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    a[i] = 0.0f;
}

// A group has so few work-items that numbers of theirs don't wrap.
// LINEAR: strided(4) {{.*}} getelementptr
kernel void linear(global float *a)
{
    int i = get_local_id(1) * get_local_size(0) + get_local_id(0);
    a[i] = 0.0f;
}

// REQUIRED: define internal void @weft.region.0
// REQUIRED-NOT: local_size
// REQUIRED: store i64 32,
kernel __attribute__((reqd_work_group_size(32, 4, 1))) void required(global ulong *a)
{
    a[get_global_id(0)] = get_local_size(0);
}

// Ids below 2^31: rows are not cut where narrow ones would wrap. Sizes are constants.
// PLAIN: piece
// SIZED-NOT: piece
// SIZED-NOT: 2147483648
// SIZED: ret void

// A row of known length that is left to LLVM's loop vectorizer is not unrolled before.
// ROWS: x float>{{.*}}gather
// ROWS-WORDS: insertelement <[[N:[0-9]+]] x float>
// ROWS-WORDS: store <[[N]] x float>
// ROWS-WORDS: br i1 {{.*}} !llvm.loop
// Code for one size of groups isn't used then: it says that it has no lanes.
// REFUSED: @weft_kernel_info = {{.*}} { i32 {{[0-9]+}}, i32 1,
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void rows(global float *out, global const float *in, int n)
{
    local float tile[16][17];
    int lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;
    tile[ly][lx] = in[(gy + ly) * n + gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(gx + ly) * n + gy + lx] = tile[lx][ly];
}
