// clGetSupportedImageFormats: its errors, the formats that the specification requires, and that images of
// every reported format can be created.
#include "image_fixture.h"

static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                           CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                           CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
enum { TYPES = sizeof types / sizeof *types };

static cl_uint list(cl_context c, cl_mem_flags flags, cl_mem_object_type type, cl_image_format out[256])
{
    cl_uint n = 0, again = 0;
    CHECK_EQ(clGetSupportedImageFormats(c, flags, type, 0, NULL, &n), CL_SUCCESS);
    CHECK_LE(n, 256);
    CHECK_EQ(clGetSupportedImageFormats(c, flags, type, n, out, &again), CL_SUCCESS);
    CHECK_EQ(n, again);
    return n;
}

static bool has(const cl_image_format *f, cl_uint n, cl_channel_order order, cl_channel_type type)
{
    for (cl_uint i = 0; i < n; i++)
        if (f[i].image_channel_order == order && f[i].image_channel_data_type == type)
            return true;
    return false;
}

TEST(wrong_arguments)
{
    struct world w = open_world(0);
    cl_uint n = 0;
    cl_image_format one;
    CHECK_EQ(clGetSupportedImageFormats(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n), CL_INVALID_CONTEXT);
    CHECK_EQ(clGetSupportedImageFormats(w.context, 0, CL_MEM_OBJECT_IMAGE2D, 0, &one, &n), CL_INVALID_VALUE);
    CHECK_EQ(clGetSupportedImageFormats(w.context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &n), CL_INVALID_VALUE);
    CHECK_EQ(clGetSupportedImageFormats(w.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                        CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n),
             CL_INVALID_VALUE);
    CHECK_EQ(clGetSupportedImageFormats(w.context, (cl_mem_flags)1 << 40, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n),
             CL_INVALID_VALUE);
    // Fewer entries than formats: no more than these are written.
    cl_image_format two[2] = {{0, 0}, {1, 1}};
    CHECK_EQ(clGetSupportedImageFormats(w.context, 0, CL_MEM_OBJECT_IMAGE2D, 1, two, NULL), CL_SUCCESS);
    CHECK(two[0].image_channel_order != 0);
    CHECK_EQ(two[1].image_channel_order, 1);
    close_world(&w);
}

TEST(the_least_that_a_device_has)
{
    static const cl_channel_type all[] = {CL_UNORM_INT8,     CL_UNORM_INT16,   CL_SNORM_INT8,
                                          CL_SNORM_INT16,    CL_SIGNED_INT8,   CL_SIGNED_INT16,
                                          CL_SIGNED_INT32,   CL_UNSIGNED_INT8, CL_UNSIGNED_INT16,
                                          CL_UNSIGNED_INT32, CL_HALF_FLOAT,    CL_FLOAT};
    struct world w = open_world(0);
    static cl_image_format f[256];
    for (int t = 0; t < TYPES; t++) {
        cl_uint n = list(w.context, CL_MEM_READ_WRITE, types[t], f);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            CHECK(has(f, n, CL_R, all[i]));
            CHECK(has(f, n, CL_RG, all[i]));
            CHECK(has(f, n, CL_RGBA, all[i]));
        }
        CHECK(has(f, n, CL_BGRA, CL_UNORM_INT8));
        CHECK(has(f, n, CL_sRGBA, CL_UNORM_INT8)); // cl_khr_srgb_image_writes
        bool flat = types[t] == CL_MEM_OBJECT_IMAGE2D || types[t] == CL_MEM_OBJECT_IMAGE2D_ARRAY;
        CHECK_EQ(has(f, n, CL_DEPTH, CL_UNORM_INT16), flat);
        CHECK_EQ(has(f, n, CL_DEPTH, CL_FLOAT), flat);
        n = list(w.context, CL_MEM_READ_ONLY, types[t], f);
        CHECK(has(f, n, CL_sBGRA, CL_UNORM_INT8));
        n = list(w.context, CL_MEM_KERNEL_READ_AND_WRITE, types[t], f);
        CHECK(has(f, n, CL_R, CL_HALF_FLOAT));
        CHECK(has(f, n, CL_RGBA, CL_UNORM_INT8));
        CHECK(!has(f, n, CL_sRGBA, CL_UNORM_INT8));
    }
    close_world(&w);
}

TEST(every_reported_format_can_be_created)
{
    struct world w = open_world(0);
    static cl_image_format f[256];
    cl_mem buffer = make_buffer(w.context, 0, 1024, NULL);
    const cl_mem_flags access[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE};
    for (int t = 0; t < 3 * TYPES; t++) {
        cl_mem_flags flags = access[t / TYPES];
        cl_mem_object_type type = types[t % TYPES];
        cl_uint n = list(w.context, flags, type, f);
        CHECK_GE(n, 86);
        for (cl_uint i = 0; i < n; i++) {
            cl_image_desc d = {.image_type = type,
                               .image_width = 4,
                               .image_height = 4,
                               .image_depth = 2,
                               .image_array_size = 2};
            if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
                d.mem_object = buffer;
            cl_int error = 1;
            cl_mem m = clCreateImage(w.context, flags, &f[i], &d, NULL, &error);
            CHECK_EQ(error, CL_SUCCESS);
            cl_image_format back;
            CHECK_EQ(clGetImageInfo(m, CL_IMAGE_FORMAT, sizeof back, &back, NULL), CL_SUCCESS);
            CHECK_EQ(memcmp(&back, &f[i], sizeof back), 0);
            CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        }
    }
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    close_world(&w);
}
