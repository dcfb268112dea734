// RUN: --emit=prepare -k three
// RUN: --check-prefix=BYTES WEFT_CPU=haswell --report=vectorize -k bytes
// RUN: --check-prefix=SPILLED WEFT_CPU=haswell WEFT_VF=8 --emit=vectorize -k spilled
// RUN: --check-prefix=SUM WEFT_CPU=haswell --report=vectorize -k sum
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

// What waits for the code after a barrier is stored so, too, whatever its last element is. Whole segments are
// loaded after it. So neither needs a mask.
// SPILLED: define internal {{.*}}@weft.region.0.vector
// SPILLED: store <8 x i32> {{.*}}, align 8
// SPILLED-NEXT: {{.*}}getelementptr
// SPILLED-NEXT: store <8 x i32> {{.*}}, align 8
// SPILLED-COUNT-4: store <8 x i32> {{.*}}, align 16
// SPILLED: define internal {{.*}}@weft.region.1.vector
// SPILLED-COUNT-4: = load <8 x i32>, ptr {{.*}}, align 16
// SPILLED-NOT: masked
kernel void spilled(global float *out, global const float *in, local float *space)
{
    int i = get_global_id(0), l = get_local_id(0), n = get_global_size(0);
    float3 a = vload3(i, in), b = 0;
    if (in[i] > 3)
        b = a * 2 + vload3(i, in + 3 * n);
    space[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = space[get_local_size(0) - 1 - l] + dot(a, b);
}

// A sum that starts with a constant. LLVM 22 takes the fourth element of what is stored from that.
// SUM: store of 4 bytes: interleaved: 4 words of each 4, in a group of 4 (4 times)
kernel void sum(global float *out, global const float *in, local float3 *space)
{
    int i = get_global_id(0), l = get_local_id(0);
    float3 s = 0;
    for (int k = 0; k < 3; k++)
        s += k * vload3(i + k * 64, in);
    space[l] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = dot(space[get_local_size(0) - 1 - l], s);
}
