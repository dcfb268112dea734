// RUN: WEFT_CPU=haswell --emit=vectorize -k bytes
// RUN: --check-prefix=MASK WEFT_CPU=skylake-avx512 --emit=vectorize -k bytes
// RUN: --check-prefix=MASK WEFT_CPU=haswell --emit=vectorize -k words
// AVX2 can't load or store bytes under a mask, so LLVM branches for each lane. Vector iterations with all
// lanes, which most are, load and store whole vectors instead.

kernel void bytes(global uchar *out, global const uchar *in, global const int *flags)
{
    int i = get_global_id(0);
    if (flags[i] & 1)
        out[i] = in[i] + 1;
}
// CHECK: [[FULL:%.*]] = icmp eq i8 {{%.*}}, -1
// CHECK: br i1 [[FULL]], label %[[ALL:.*]], label %[[SOME:.*]]
// CHECK: [[WHOLE:%.*]] = load <8 x i8>, ptr
// CHECK: [[PART:%.*]] = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr {{.*}}, <8 x i1> 
// CHECK: phi <8 x i8> [ [[WHOLE]], %[[ALL]] ], [ [[PART]], %[[SOME]] ]
// CHECK: store <8 x i8>
// CHECK: call void @llvm.masked.store.v8i8.p0(
// MASK-NOT: icmp eq i{{8|16}} {{.*}}, -1
// MASK: llvm.masked.load
// MASK: llvm.masked.store

kernel void words(global int *out, global const int *in, global const int *flags)
{
    int i = get_global_id(0);
    if (flags[i] & 1)
        out[i] = in[i] + 1;
}
