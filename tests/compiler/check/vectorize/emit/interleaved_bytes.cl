// RUN: WEFT_CPU=haswell --report=vectorize -k guarded
// RUN: --check-prefix=CODE WEFT_CPU=haswell --emit=vectorize -k guarded
// RUN: --check-prefix=HOLES WEFT_CPU=haswell --emit=vectorize -k holes
// RUN: --check-prefix=HOLES WEFT_CPU=nehalem WEFT_VF=8 --emit=vectorize -k holes
// Interleaved bytes: under masks, at indices that may wrap, and with holes between the lanes' bytes.

// Where all lanes are active and no index wraps, three bytes a lane are three whole vectors. Otherwise they
// are loaded from gathered words, and stored one by one.
// CHECK: load of 1 byte: interleaved: 3 words of each 3, in a group of 3, where all lanes are active (3 times)
// CHECK: store of 1 byte: interleaved: 3 words of each 3, in a group of 3, where all lanes are active (3 times)
// CODE: define internal void @weft.region.0.vector(
// CODE: icmp sle i32
// CODE: icmp eq i8 {{.*}}, -1
// CODE: [[ALL:%[0-9]+]] = select i1
// CODE: br i1 [[ALL]], label %[[FAST:[0-9]+]], label %
// CODE: [[FAST]]:
// CODE: load <8 x i8>
// CODE: load <8 x i8>
// CODE: load <8 x i8>
// CODE: phi <8 x i8>
// CODE: masked.gather.v8i32
// CODE: store <8 x i8>
// CODE: store <8 x i8>
// CODE: store <8 x i8>
// CODE: masked.scatter.v8i8
kernel void guarded(global uchar *out, global const uchar *in, global const int *mask, int step)
{
    int i = get_global_id(0);
    if (mask[i] > 0) {
        uchar3 p = vload3(0, in + mad24(i, 3, step)) / (uchar3)(3, 5, 7);
        vstore3(max(p, (uchar3)9) * p, 0, out + mad24(i, 3, step));
    }
}

// Every second byte: two whole vectors, the second of which ends with the last lane's byte.
// HOLES: define internal void @weft.region.0.vector(
// HOLES-NOT: masked
// HOLES: load <8 x i8>, ptr
// HOLES: [[LAST:%[0-9]+]] = getelementptr i8, ptr {{.*}}, i64 7
// HOLES: load <8 x i8>, ptr [[LAST]]
// HOLES: ret void
kernel void holes(global int *out, global const uchar *in)
{
    size_t i = get_global_id(0);
    out[i] = in[2 * i] * 3;
}
