// Coordinates outside of images. Their sizes: run_kernels.c.
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
constant sampler_t by_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_LINEAR;
constant sampler_t to_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
constant sampler_t parts = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
constant sampler_t again = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;

kernel void one_right(read_only image1d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, i + 1); // FAULT bounds
}
kernel void one_right_ok(read_only image1d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, min(i + 1, 63));
}
kernel void one_left(read_only image1d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, by_texel, i - 1); // FAULT bounds
}
kernel void one_left_ok(read_only image1d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, to_edge, i - 1);
}
kernel void below(read_only image2d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, (int2)(i % 8, i / 8 + 1)); // FAULT bounds
}
kernel void below_ok(read_only image2d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, (int2)(i % 8, i / 8));
}
kernel void turned(read_only image1d_array_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, by_texel, (int2)(i / 16, i % 16)); // FAULT bounds
}
kernel void turned_ok(read_only image1d_array_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, by_texel, (int2)(i, i % 4));
}
kernel void layer(read_only image2d_array_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, (int4)(i % 8, 0, i / 8, 0)); // FAULT bounds
}
kernel void layer_ok(read_only image2d_array_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, (int4)(i % 8, 0, i / 16, 100));
}
kernel void layer_by_float(read_only image2d_array_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, by_texel, (float4)(i % 8, 0.5f, i / 15, 0)); // FAULT bounds
}
kernel void layer_by_float_ok(read_only image2d_array_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, by_texel, (float4)(i % 8, 7.5f, i / 16 + 0.25f, 0))
           + read_imagef(im, to_edge, (float4)(i % 8, 7.5f, i, 0));
}
kernel void slice(read_only image3d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, (int4)(i % 8, i / 8, i / 13, 0)); // FAULT bounds
}
kernel void slice_ok(read_only image3d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, (int4)(i % 8, i / 8, i / 16, -1));
}
kernel void by_float(read_only image2d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, linear, (float2)(i / 7.0f, 1)); // FAULT bounds
}
kernel void by_float_ok(read_only image2d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, linear, (float2)(i / 8.0f, 1)) + read_imagef(im, border, (float2)(i, -3));
}
kernel void not_a_number(read_only image2d_t im, global float4 *out, global float *a)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, linear, (float2)(0 * (1 / (a[i] - 8)), 1)); // FAULT bounds
}
kernel void part(read_only image2d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, parts, (float2)(i / 63.0f, 0.5f)); // FAULT bounds
}
kernel void part_ok(read_only image2d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, parts, (float2)((i + 0.5f) / 64, 0.5f)) + read_imagef(im, again, (float2)(i, 0));
}
kernel void of_buffer(read_only image1d_buffer_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, 64 - i); // FAULT bounds
}
kernel void of_buffer_ok(read_only image1d_buffer_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, 63 - i);
}
kernel void depth(read_only image2d_depth_t im, global float *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, (int2)(i, 0)); // FAULT bounds
}
kernel void depth_ok(read_only image2d_depth_t im, global float *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, (int2)(i % 8, 0));
}
float4 far_away(read_only image2d_t im, int x, int y)
{
    return read_imagef(im, (int2)(x, y)); // FAULT bounds
}
kernel void in_a_function(read_only image2d_t im, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = far_away(im, 0, i) + far_away(im, 0, 0);
}
kernel void writes_right(write_only image2d_t im)
{
    int i = get_global_id(0);
    write_imagef(im, (int2)(i / 7, 1), (float4)(1)); // FAULT bounds
}
kernel void writes_right_ok(write_only image2d_t im)
{
    int i = get_global_id(0);
    if (i < 8)
        write_imagef(im, (int2)(i, 1), (float4)(1));
}
kernel void writes_layer(write_only image2d_array_t im)
{
    int i = get_global_id(0);
    write_imagef(im, (int4)(i % 8, i / 8, 4 - i / 16, 0), (float4)(1)); // FAULT bounds
}
kernel void writes_layer_ok(write_only image2d_array_t im)
{
    int i = get_global_id(0);
    write_imagef(im, (int4)(i % 8, i / 8, 3 - i / 16, 0), (float4)(1));
}
kernel void writes_slice(write_only image3d_t im)
{
    int i = get_global_id(0);
    write_imagef(im, (int4)(i % 8, i / 8, i % 5, 0), (float4)(1)); // FAULT bounds
}
// ---- coordinates that nobody has written ----
kernel void unset_place(read_only image2d_t im, global float *out, int five)
{
    int i = get_global_id(0), x;
    if (five > 7)
        x = 2;
    out[i] = read_imagef(im, to_edge, (int2)(x, i >> 3)).x; // FAULT uninit
}
kernel void unset_element_ok(read_only image2d_array_t im, global float *out)
{
    int i = get_global_id(0);
    int4 at;
    at.xyz = (int3)(i & 7, i >> 3, 1);
    out[i] = read_imagef(im, to_edge, at).x;
}
kernel void unset_place_of_a_write(write_only image1d_t im, global const int *a)
{
    int x;
    if (a[get_global_id(0)] > 5)
        x = 1;
    write_imagef(im, x & 63, (float4)(1)); // FAULT uninit
}
