// RUN: WEFT_CPU=skylake-avx512 --report=vectorize -k k
// The report does not cut a long sentence off.
// CHECK: store of 4 bytes: scattered, 128 bytes from lane to lane: each lane's {{[0-9]+}} words at once, then shuffled
kernel void k(global float4 *out, global const float4 *in, local float *l, int n)
{
    int i = get_global_id(0), j = get_local_id(0);
    float4 s[8];
    for (int m = 0; m < 8; m++)
        s[m] = in[i * 8 + m];
    l[j] = s[n & 7].x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = s[(n + 1) & 7] * l[j ^ 1];
}
