// OPTIONS -cl-std=CL3.0
// Coordinates and levels of images with levels, of 8 x 8, 4 x 4 and 2 x 2 texels; images that are read and
// written; samplers that are arguments, which llvm-spirv-15 can't translate.
#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable
constant sampler_t parts = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
kernel void coarse(write_only image2d_t levels)
{
    int i = get_global_id(0);
    write_imagef(levels, (int2)(i % 5, 0), 1, (float4)(1)); // FAULT bounds
}
kernel void coarse_ok(write_only image2d_t levels)
{
    int i = get_global_id(0);
    write_imagef(levels, (int2)(i % 4, 0), 1, (float4)(1));
    write_imagef(levels, (int2)(i % 8, 0), 0, (float4)(1));
}
kernel void no_level(write_only image2d_t levels)
{
    int i = get_global_id(0);
    write_imagef(levels, (int2)(0, 0), i % 4, (float4)(1)); // FAULT bounds
}
kernel void no_level_ok(write_only image2d_t levels)
{
    int i = get_global_id(0);
    write_imagef(levels, (int2)(i % 2, 0), i % 3, (float4)(1));
}
kernel void detail_ok(read_only image2d_t levels, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(levels, parts, (float2)(i / 64.0f, 0), 7.0f);
}
kernel void both_ways(read_write image2d_t im)
{
    int i = get_global_id(0);
    float4 v = read_imagef(im, (int2)(i % 8, i / 8));
    write_imagef(im, (int2)(i % 8, i / 8 - 1), v); // FAULT bounds
}
kernel void both_ways_ok(read_write image2d_t im)
{
    int i = get_global_id(0);
    float4 v = read_imagef(im, (int2)(i % 8, i / 8));
    write_imagef(im, (int2)(i % 8, i / 8), v * 2);
}
kernel void given_sampler(read_only image2d_t im, sampler_t none, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, none, (int2)(i, 0)); // FAULT bounds
}
kernel void given_sampler_ok(read_only image2d_t im, sampler_t clamp, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, clamp, (int2)(i, 0));
}
kernel void given_parts(read_only image2d_t im, sampler_t normalized_none, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, normalized_none, (float2)(i / 32.0f, 0)); // FAULT bounds
}
kernel void given_parts_ok(read_only image2d_t im, sampler_t normalized_none, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(im, normalized_none, (float2)(i / 64.0f, 0));
}
