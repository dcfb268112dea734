// RUN: WEFT_CPU=haswell --report=vectorize -k flip
// RUN: --check-prefix=CODE WEFT_CPU=haswell WEFT_VF=8 --emit=vectorize -k flip
// RUN: --check-prefix=BYTES WEFT_CPU=haswell --report=vectorize -k bytes
// RUN: --check-prefix=HALVES WEFT_CPU=haswell --emit=vectorize -k bytes
// Addresses that fall from lane to lane.

// CHECK: region 0: vectorized
// CHECK: load of 1 byte: interleaved: 3 words of each 3, in a group of 3 (3 times)
// CHECK: store of 1 byte: interleaved: 3 words of each 3, in a group of 3, backwards, where all lanes are active (3 times)
// The last lane's segment is the lowest one, 7 * 3 bytes before the first lane's; that is found
// from the third member.
// CODE: icmp sge i32 {{.*}}, -2147483627
// CODE: getelementptr i8, ptr {{%[0-9]+}}, i64 -23
// CODE: call <8 x i8> @llvm.vector.reverse.v8i8
kernel void flip(global uchar *out, global const uchar *in, int columns)
{
    int x = get_global_id(0);
    if (x < columns)
        vstore3(vload3(0, in + 3 * x), 0, out + mad24(columns - x - 1, 3, 0));
}

// BYTES: load of 1 byte: consecutive, unless a 32-bit index wraps
// HALVES: icmp uge i32 {{.*}}, {{15|31|7}}
// HALVES: call <{{[0-9]+}} x i8> @llvm.vector.reverse
kernel void bytes(global uchar *out, global const uchar *in, uint last)
{
    uint x = get_global_id(0);
    out[x] = in[(ulong)(last - x)];
}
