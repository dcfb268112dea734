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

kernel void pixels(global uchar4 *out, global const uchar4 *a, global const uchar4 *b, int weight)
{
    int i = get_global_id(0);
    int4 blend = (convert_int4(a[i]) * weight + convert_int4(b[i]) * (256 - weight)) >> 8;
    uchar4 p = convert_uchar4_sat(blend * 5 / 4);
    p.w = 255;
    out[i] = p;
}
