// Shrunk from a random kernel (seed 100045): products of two constants were rounded on their own where LLVM
// saw single elements of a vector, and together with the sum where it saw the vector.

//: fused_constants in=4 out=4
kernel void fused_constants(global const uint *in, global uint *out)
{
    int i = item();
    float4 v = (float4)(1.0f, 2.0f, (float)(in[i] & 7u), 0.0f);
    out[i] = bits(dot(v + (float4)(1.0f, -2.0f, 0.1f, 3.7f), (float4)(0.5f, 1.0f, 1e10f, 1e10f)));
}

//: fused_constants_of_doubles in=4 out=8
kernel void fused_constants_of_doubles(global const uint *in, global uint *out)
{
    int i = item();
    double4 v = (double4)(1.0, 2.0, (double)(in[i] & 7u), 0.0);
    ulong sum = as_ulong(dot(v + (double4)(1.0, -2.0, 0.1, 3.7), (double4)(0.5, 1.0, 1e10, 1e10)));
    out[2 * i] = (uint)sum;
    out[2 * i + 1] = (uint)(sum >> 32);
}
