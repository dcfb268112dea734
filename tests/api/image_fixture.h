// What the tests of calls on images share. The object of memory_fixture.h's checks is a 2D image of 16 × 16
// texels.
#ifndef WEFT_TESTS_IMAGE_FIXTURE_H
#define WEFT_TESTS_IMAGE_FIXTURE_H

#include "harness.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

HARNESS_UNUSED static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};

HARNESS_UNUSED static cl_mem make_image(cl_context context, cl_mem_flags flags, cl_image_format format,
                                        cl_mem_object_type type, size_t x, size_t y, size_t z, void *host)
{
    cl_image_desc d = {.image_type = type, .image_width = x, .image_height = y};
    if (type == CL_MEM_OBJECT_IMAGE3D)
        d.image_depth = z;
    else
        d.image_array_size = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? y : z;
    cl_int error = 1;
    cl_mem m = clCreateImage(context, flags, &format, &d, host, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK(m != NULL);
    return m;
}

HARNESS_UNUSED static cl_mem make_image_2d(cl_context context)
{
    return make_image(context, 0, rgba8, CL_MEM_OBJECT_IMAGE2D, 16, 16, 1, NULL);
}

#define MAKE_OBJECT(context) make_image_2d(context)
#include "memory_fixture.h"

// Types that have layers, or none, and the extents of a box of 7 × 5 × 3 texels in them.
struct shape {
    cl_mem_object_type type;
    size_t extent[3];
};
HARNESS_UNUSED static const struct shape shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, {7, 1, 1}}, {CL_MEM_OBJECT_IMAGE1D_ARRAY, {7, 5, 1}},
    {CL_MEM_OBJECT_IMAGE2D, {7, 5, 1}}, {CL_MEM_OBJECT_IMAGE2D_ARRAY, {7, 5, 3}},
    {CL_MEM_OBJECT_IMAGE3D, {7, 5, 3}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// Of 4-byte texels, texel i being the number i.
HARNESS_UNUSED static cl_mem make_numbered(cl_context context, const struct shape *s)
{
    cl_uint texels[7 * 5 * 3];
    for (cl_uint i = 0; i < 7 * 5 * 3; i++)
        texels[i] = i;
    return make_image(context, CL_MEM_COPY_HOST_PTR, rgba8, s->type, s->extent[0], s->extent[1], s->extent[2],
                      texels);
}

#endif
