// Reading through samplers; and the same filter on a buffer.
constant sampler_t filtered = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void zoom(write_only image2d_t out, read_only image2d_t in, float step)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, p, read_imagef(in, filtered, (convert_float2(p) + 0.5f) * step));
}

kernel void box_image(write_only image2d_t out, read_only image2d_t in)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++)
            sum += read_imagef(in, plain, p + (int2)(x, y));
    write_imagef(out, p, sum * (1.0f / 25));
}

kernel void box_buffer(global uchar4 *out, global const uchar4 *in, int width, int height)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++)
            sum += convert_float4(in[clamp(p.y + y, 0, height - 1) * width + clamp(p.x + x, 0, width - 1)]);
    out[p.y * width + p.x] = convert_uchar4_sat_rte(sum * (1.0f / 25));
}
