// RUN: --emit=prepare -k three
// RUN: --check-prefix=BYTES WEFT_CPU=haswell --report=vectorize -k bytes
// A vector of three elements is stored with its padding, as four.

// CHECK: shufflevector <3 x float> {{.*}} <4 x i32> <i32 0, i32 1, i32 2, i32 2>
// CHECK-NEXT: store <4 x float>
kernel void three(global float3 *out, global const float *in)
{
    int i = get_global_id(0);
    out[i] = vload3(i, in) * 3;
}

// BYTES: store of 1 byte: interleaved: 1 word of each 1, in a group of 4 (4 times)
kernel void bytes(global uchar3 *out, global const uchar *in)
{
    int i = get_global_id(0);
    out[i] = vload3(i, in) ^ (uchar3)7;
}
