// Vector types in memory (arrays of structures).

kernel void nbody_aos(global float4 *acceleration, global const float4 *body, int n)
{
    int i = get_global_id(0);
    float4 p = body[i], a = 0.0f;
    for (int j = 0; j < n; j++) {
        float4 q = body[j], d = q - p;
        float inv = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
        a.xyz += d.xyz * (q.w * inv * inv * inv);
    }
    acceleration[i] = a;
}

// Each work-item has four rows of four elements.
kernel void gemm_float4(global float4 *c, global const float4 *a, global const float4 *b, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    for (int k = 0; k < n; k++) {
        float4 a0 = a[(4 * y) * n + k], a1 = a[(4 * y + 1) * n + k], a2 = a[(4 * y + 2) * n + k], a3 = a[(4 * y + 3) * n + k];
        float4 b0 = b[(4 * k) * n + x], b1 = b[(4 * k + 1) * n + x], b2 = b[(4 * k + 2) * n + x], b3 = b[(4 * k + 3) * n + x];
        sum0 += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
        sum1 += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
        sum2 += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
        sum3 += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
    }
    c[(4 * y) * n + x] = sum0;
    c[(4 * y + 1) * n + x] = sum1;
    c[(4 * y + 2) * n + x] = sum2;
    c[(4 * y + 3) * n + x] = sum3;
}

kernel void pixels(global uchar4 *out, global const uchar4 *a, global const uchar4 *b, int weight)
{
    int i = get_global_id(0);
    int4 blend = (convert_int4(a[i]) * weight + convert_int4(b[i]) * (256 - weight)) >> 8;
    uchar4 p = convert_uchar4_sat(blend * 5 / 4);
    p.w = 255;
    out[i] = p;
}
