// clCreateImage, clCreateImage2D and 3D, clCreateImageWithProperties: errors in the specification's order,
// layouts, images over buffers and images. clGetImageInfo: every row by the rules of all queries, and the
// values.
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "image_fixture.h"

static cl_int create(cl_context c, cl_mem_flags flags, const cl_image_format *f, const cl_image_desc *d,
                     void *host)
{
    cl_int error = 1;
    cl_mem m = clCreateImage(c, flags, f, d, host, &error);
    CHECK_EQ(m != NULL, error == CL_SUCCESS);
    if (m)
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    return error;
}

static size_t info(cl_mem m, cl_image_info name)
{
    size_t value = 77;
    CHECK_EQ(clGetImageInfo(m, name, sizeof value, &value, NULL), CL_SUCCESS);
    return value;
}

TEST(each_wrong_argument_has_its_error)
{
    struct world w = open_world(0);
    cl_image_desc good = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4}, d;
    static unsigned char host[8 * 4 * 4 * 4];
    const cl_image_format unknown = {CL_RGBA, 0x10ff}, unfit = {CL_RGB, CL_FLOAT}, absent = {CL_Rx, CL_FLOAT};
    CHECK_EQ(create(w.context, 0, &rgba8, &good, NULL), CL_SUCCESS);
    CHECK_EQ(create(NULL, 0, &rgba8, &good, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(create((cl_context)w.queue, 0, &rgba8, &good, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(create(w.context, (cl_mem_flags)1 << 40, &rgba8, &good, NULL), CL_INVALID_VALUE);
    CHECK_EQ(create(w.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(create(w.context, 0, NULL, NULL, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &unknown, &good, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &unfit, &good, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &absent, &good, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    // Of four packed channels: the specification knows it of RGBA alone, and the device doesn't have it.
    const cl_image_format packed = {CL_RGBA, CL_UNORM_INT_101010_2},
                          packed_bgra = {CL_BGRA, CL_UNORM_INT_101010_2};
    CHECK_EQ(create(w.context, 0, &packed, &good, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    CHECK_EQ(create(w.context, 0, &packed_bgra, &good, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &rgba8, NULL, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
#define WITH(field, value) (d = good, d.field = (value), &d)
    CHECK_EQ(create(w.context, 0, &rgba8, WITH(image_type, CL_MEM_OBJECT_BUFFER), NULL),
             CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &rgba8, WITH(image_width, 0), NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &rgba8, WITH(image_height, 0), NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &rgba8, WITH(num_mip_levels, 16), NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &rgba8, WITH(num_samples, 1), NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &rgba8, WITH(image_row_pitch, 32), NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &rgba8, WITH(mem_object, (cl_mem)w.queue), NULL),
             CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &rgba8, WITH(image_width, 16385), NULL), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create(w.context, 0, &rgba8, WITH(image_width, SIZE_MAX / 2), NULL), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create(w.context, 0, &rgba8, &good, host), CL_INVALID_HOST_PTR);
    CHECK_EQ(create(w.context, CL_MEM_COPY_HOST_PTR, &rgba8, &good, NULL), CL_INVALID_HOST_PTR);
    CHECK_EQ(create(w.context, CL_MEM_USE_HOST_PTR, &rgba8, WITH(image_row_pitch, 28), host),
             CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(create(w.context, CL_MEM_USE_HOST_PTR, &rgba8, WITH(image_row_pitch, 33), host),
             CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(create(w.context, CL_MEM_USE_HOST_PTR, &rgba8, WITH(image_row_pitch, 64), host), CL_SUCCESS);
    cl_image_desc solid = {
        .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 2, .image_depth = 2};
    solid.image_slice_pitch = 31;
    CHECK_EQ(create(w.context, CL_MEM_USE_HOST_PTR, &rgba8, &solid, host), CL_INVALID_IMAGE_DESCRIPTOR);
    solid.image_slice_pitch = 40; // not a multiple of the rows of 16
    CHECK_EQ(create(w.context, CL_MEM_USE_HOST_PTR, &rgba8, &solid, host), CL_INVALID_IMAGE_DESCRIPTOR);
    solid.image_slice_pitch = 48;
    CHECK_EQ(create(w.context, CL_MEM_USE_HOST_PTR, &rgba8, &solid, host), CL_SUCCESS);
    const cl_image_format depth = {CL_DEPTH, CL_FLOAT};
    solid.image_slice_pitch = 0;
    CHECK_EQ(create(w.context, 0, &depth, &solid, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    cl_mem_properties odd[] = {1, 2, 0};
    cl_int error = 1;
    CHECK(clCreateImageWithProperties(w.context, odd, 0, &rgba8, &good, NULL, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_PROPERTY);
    close_world(&w);
}

// What clCreateImage's table calls a descriptor is a size in OpenCL 1.1's of the older functions; the rest is
// the same.
static cl_int create_2d(cl_context c, cl_mem_flags flags, const cl_image_format *f, size_t width,
                        size_t height, size_t row, void *host)
{
    cl_int error = 1;
    cl_mem m = clCreateImage2D(c, flags, f, width, height, row, host, &error);
    CHECK_EQ(m != NULL, error == CL_SUCCESS);
    if (m)
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    return error;
}

TEST(each_wrong_argument_of_clCreateImage2D_has_its_error)
{
    struct world w = open_world(0);
    static unsigned char host[8 * 4 * 16];
    const cl_mem_flags use = CL_MEM_USE_HOST_PTR;
    const cl_image_format unknown = {CL_RGBA, 0x10ff}, absent = {CL_Rx, CL_FLOAT};
    CHECK_EQ(create_2d(w.context, 0, &rgba8, 8, 4, 0, NULL), CL_SUCCESS);
    CHECK_EQ(create_2d(NULL, 0, &rgba8, 8, 4, 0, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(create_2d(w.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba8, 0, 4, 0, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(create_2d(w.context, 0, NULL, 0, 4, 0, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK_EQ(create_2d(w.context, 0, &unknown, 0, 4, 0, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK_EQ(create_2d(w.context, 0, &rgba8, 0, 4, 0, NULL), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_2d(w.context, 0, &rgba8, 8, 0, 0, NULL), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_2d(w.context, 0, &rgba8, 16385, 4, 0, NULL), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_2d(w.context, 0, &rgba8, 8, 16385, 0, NULL), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_2d(w.context, 0, &rgba8, 8, 4, 32, NULL), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_2d(w.context, use, &rgba8, 8, 4, 28, host), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_2d(w.context, use, &rgba8, 8, 4, 33, host), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_2d(w.context, use, &rgba8, 8, 4, 36, host), CL_SUCCESS);
    CHECK_EQ(create_2d(w.context, 0, &rgba8, 8, 4, 0, host), CL_INVALID_HOST_PTR);
    CHECK_EQ(create_2d(w.context, use, &rgba8, 8, 4, 0, NULL), CL_INVALID_HOST_PTR);
    CHECK_EQ(create_2d(w.context, 0, &absent, 8, 4, 0, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    close_world(&w);
}

static cl_int create_3d(cl_context c, cl_mem_flags flags, const cl_image_format *f, const size_t size[3],
                        size_t row, size_t slice, void *host)
{
    cl_int error = 1;
    cl_mem m = clCreateImage3D(c, flags, f, size[0], size[1], size[2], row, slice, host, &error);
    CHECK_EQ(m != NULL, error == CL_SUCCESS);
    if (m)
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    return error;
}

TEST(each_wrong_argument_of_clCreateImage3D_has_its_error)
{
    struct world w = open_world(0);
    static unsigned char host[4 * 2 * 2 * 16];
    const cl_mem_flags use = CL_MEM_USE_HOST_PTR;
    const size_t good[3] = {4, 2, 2}, wrong[][3] = {{0, 2, 2}, {4, 0, 2},    {4, 2, 0},    {4, 2, 1},
                                                    {1, 1, 1}, {2049, 2, 2}, {4, 2049, 2}, {4, 2, 2049}};
    const cl_image_format absent = {CL_Rx, CL_FLOAT};
    CHECK_EQ(create_3d(w.context, 0, &rgba8, good, 0, 0, NULL), CL_SUCCESS);
    CHECK_EQ(create_3d(NULL, 0, &rgba8, good, 0, 0, NULL), CL_INVALID_CONTEXT);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_EQ(create_3d(w.context, (cl_mem_flags)1 << 40, &rgba8, wrong[i], 0, 0, NULL), CL_INVALID_VALUE);
        CHECK_EQ(create_3d(w.context, 0, NULL, wrong[i], 0, 0, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        CHECK_EQ(create_3d(w.context, 0, &rgba8, wrong[i], 0, 0, NULL), CL_INVALID_IMAGE_SIZE);
        CHECK_EQ(create_3d(w.context, use, &rgba8, wrong[i], 0, 0, NULL), CL_INVALID_IMAGE_SIZE);
        CHECK_EQ(create_3d(w.context, 0, &absent, wrong[i], 0, 0, NULL), CL_INVALID_IMAGE_SIZE);
    }
    CHECK_EQ(create_3d(w.context, 0, &rgba8, good, 16, 0, NULL), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_3d(w.context, 0, &rgba8, good, 0, 32, NULL), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_3d(w.context, use, &rgba8, good, 12, 0, host), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_3d(w.context, use, &rgba8, good, 18, 0, host), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_3d(w.context, use, &rgba8, good, 0, 31, host), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_3d(w.context, use, &rgba8, good, 0, 40, host), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(create_3d(w.context, use, &rgba8, good, 20, 60, host), CL_SUCCESS);
    CHECK_EQ(create_3d(w.context, 0, &rgba8, good, 0, 0, host), CL_INVALID_HOST_PTR);
    CHECK_EQ(create_3d(w.context, use, &rgba8, good, 0, 0, NULL), CL_INVALID_HOST_PTR);
    CHECK_EQ(create_3d(w.context, 0, &absent, good, 0, 0, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    close_world(&w);
}

TEST(layouts_are_those_of_the_types)
{
    struct world w = open_world(0);
    for (int i = 0; i < SHAPES; i++) {
        const struct shape *s = &shapes[i];
        cl_mem m = make_numbered(w.context, s);
        bool flat = s->type == CL_MEM_OBJECT_IMAGE1D || s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        bool solid = s->type == CL_MEM_OBJECT_IMAGE3D;
        size_t layers = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY   ? 5
                        : s->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? 3
                                                                 : 0;
        CHECK_EQ(info(m, CL_IMAGE_WIDTH), 7);
        CHECK_EQ(info(m, CL_IMAGE_HEIGHT), flat ? 0 : 5);
        CHECK_EQ(info(m, CL_IMAGE_DEPTH), solid ? 3 : 0);
        CHECK_EQ(info(m, CL_IMAGE_ARRAY_SIZE), layers);
        CHECK_EQ(info(m, CL_IMAGE_ELEMENT_SIZE), 4);
        CHECK_EQ(info(m, CL_IMAGE_ROW_PITCH), 28);
        CHECK_EQ(info(m, CL_IMAGE_SLICE_PITCH), solid || layers == 3 ? 140 : layers ? 28 : 0);
        size_t bytes = 0;
        CHECK_EQ(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof bytes, &bytes, NULL), CL_SUCCESS);
        CHECK_EQ(bytes, 4 * s->extent[0] * s->extent[1] * s->extent[2]);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    cl_int error = 1;
    cl_mem old = clCreateImage2D(w.context, 0, &rgba8, 9, 3, 0, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(info(old, CL_IMAGE_HEIGHT), 3);
    CHECK_EQ(clReleaseMemObject(old), CL_SUCCESS);
    old = clCreateImage3D(w.context, 0, &rgba8, 9, 3, 2, 0, 0, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(info(old, CL_IMAGE_DEPTH), 2);
    CHECK_EQ(clReleaseMemObject(old), CL_SUCCESS);
    close_world(&w);
}

TEST(an_image_over_a_buffer_shares_its_bytes)
{
    struct world w = open_world(0);
    cl_mem buffer = make_counted(w.context, 1024), back = NULL;
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                       .image_width = 8,
                       .image_height = 8,
                       .image_row_pitch = 64,
                       .mem_object = buffer};
    cl_int error = 1;
    cl_mem m = clCreateImage(w.context, 0, &rgba8, &d, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clGetImageInfo(m, CL_IMAGE_BUFFER, sizeof back, &back, NULL), CL_SUCCESS);
    CHECK(back == buffer);
    CHECK_EQ(clGetMemObjectInfo(m, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof back, &back, NULL), CL_SUCCESS);
    CHECK(back == buffer);
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS); // the image keeps it
    unsigned char texel[4];
    const size_t origin[3] = {3, 2, 0}, one[3] = {1, 1, 1};
    CHECK_EQ(clEnqueueReadImage(w.queue, m, CL_TRUE, origin, one, 0, 0, texel, 0, NULL, NULL), CL_SUCCESS);
    for (size_t i = 0; i < 4; i++)
        CHECK_EQ(texel[i], counted(2 * 64 + 3 * 4 + i));
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);

    buffer = make_buffer(w.context, CL_MEM_READ_ONLY, 256, NULL);
    d.mem_object = buffer;
    CHECK_EQ(create(w.context, 0, &rgba8, &d, NULL), CL_INVALID_IMAGE_SIZE); // 8 rows of 64 bytes
    d.image_row_pitch = 0;
    CHECK_EQ(create(w.context, 0, &rgba8, &d, NULL), CL_SUCCESS);
    CHECK_EQ(create(w.context, CL_MEM_WRITE_ONLY, &rgba8, &d, NULL), CL_INVALID_VALUE);
    d.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    d.image_width = 64;
    CHECK_EQ(create(w.context, 0, &rgba8, &d, NULL), CL_SUCCESS);
    d.image_width = 65;
    CHECK_EQ(create(w.context, 0, &rgba8, &d, NULL), CL_INVALID_IMAGE_SIZE);
    d.mem_object = NULL;
    CHECK_EQ(create(w.context, 0, &rgba8, &d, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    close_world(&w);
}

// cl_ext_image_from_buffer.
TEST(an_image_of_every_type_shares_a_buffer)
{
    struct world w = open_world(0);
    enum { ROW = 40, SLICE = 212, BYTES = 3 * SLICE };
    for (int i = 0; i < SHAPES; i++) {
        const struct shape *s = &shapes[i];
        bool flat = s->type == CL_MEM_OBJECT_IMAGE1D, layers = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        bool slices = s->extent[2] > 1;
        cl_mem buffer = make_counted(w.context, BYTES);
        cl_image_desc d = {.image_type = s->type,
                           .image_width = 7,
                           .image_height = 5,
                           .image_depth = 3,
                           .image_array_size = layers ? 5 : 3,
                           .image_row_pitch = flat ? 0 : ROW,
                           .image_slice_pitch = slices ? SLICE : 0, // not a multiple of ROW
                           .mem_object = buffer};
        cl_int error = 1;
        cl_mem m = clCreateImage(w.context, 0, &rgba8, &d, NULL, &error), back = NULL;
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clGetMemObjectInfo(m, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof back, &back, NULL), CL_SUCCESS);
        CHECK(back == buffer);
        unsigned char texel[4];
        const size_t at[3] = {s->extent[0] - 1, s->extent[1] - 1, s->extent[2] - 1}, one[3] = {1, 1, 1};
        CHECK_EQ(clEnqueueReadImage(w.queue, m, CL_TRUE, at, one, 0, 0, texel, 0, NULL, NULL), CL_SUCCESS);
        for (size_t c = 0; c < 4; c++)
            CHECK_EQ(texel[c], counted(at[2] * SLICE + at[1] * ROW + at[0] * 4 + c));
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        if (!flat) {
            d.image_row_pitch = ROW + 1;
            CHECK_EQ(create(w.context, 0, &rgba8, &d, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
            d.image_row_pitch = ROW;
        }
        if (slices) {
            d.image_slice_pitch = SLICE + 2;
            CHECK_EQ(create(w.context, 0, &rgba8, &d, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
            d.image_slice_pitch = SLICE + 4;
            CHECK_EQ(create(w.context, 0, &rgba8, &d, NULL), CL_INVALID_IMAGE_SIZE);
        }
        CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    }
    close_world(&w);
}

TEST(an_image_of_an_image_sees_it_in_another_order)
{
    struct world w = open_world(0);
    cl_mem m = make_image_2d(w.context);
    const cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8}, bgra = {CL_BGRA, CL_UNORM_INT8},
                          wide = {CL_RGBA, CL_UNORM_INT16};
    cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16, .mem_object = m};
    CHECK_EQ(create(w.context, CL_MEM_READ_ONLY, &srgb, &d, NULL), CL_SUCCESS);
    CHECK_EQ(create(w.context, 0, &bgra, &d, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK_EQ(create(w.context, 0, &wide, &d, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    d.image_width = 8;
    CHECK_EQ(create(w.context, 0, &srgb, &d, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

static int said;

static void CL_CALLBACK say(cl_mem m, void *nth)
{
    (void)m;
    CHECK_EQ(said++, *(const int *)nth);
}

// Released on a thread with a small stack: what goes with it is as many images as there are.
static void *release_last(void *last)
{
    CHECK_EQ(clReleaseMemObject((cl_mem)last), CL_SUCCESS);
    CHECK_EQ(said, 3);
    return NULL;
}

TEST(images_may_be_made_from_images_without_end)
{
    enum { IMAGES = 20000, STACK = 256 * 1024 };
    struct world w = open_world(0);
    cl_mem m = make_image_2d(w.context);
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    static const int nth[] = {0, 1, 2};
    CHECK_EQ(clSetMemObjectDestructorCallback(m, say, (void *)&nth[2]), CL_SUCCESS);
    for (int i = 0; i < IMAGES; i++) {
        cl_int error = 1;
        d.mem_object = m;
        cl_mem next = clCreateImage(w.context, 0, &rgba8, &d, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        m = next;
        if (i == IMAGES / 2)
            CHECK_EQ(clSetMemObjectDestructorCallback(m, say, (void *)&nth[1]), CL_SUCCESS);
    }
    CHECK_EQ(clSetMemObjectDestructorCallback(m, say, (void *)&nth[0]), CL_SUCCESS);
    CHECK_EQ(said, 0); // the last has all others
    pthread_t thread;
    pthread_attr_t attributes;
    CHECK_EQ(pthread_attr_init(&attributes), 0);
    CHECK_EQ(pthread_attr_setstacksize(&attributes, STACK), 0);
    CHECK_EQ(pthread_create(&thread, &attributes, release_last, m), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(pthread_attr_destroy(&attributes), 0);
    close_world(&w);
}

static const struct {
    cl_image_info name;
    size_t size;
} rows[] = {
#define WEFT_INFO_VALUE(name, type, expression) {name, sizeof(type)},
#define WEFT_INFO_ARRAY(name, type, pointer, count) {name, sizeof(type) * (count)},
#include "runtime/info/image.def"
};

TEST(every_row_follows_the_rules_of_queries)
{
    struct world w = open_world(0);
    cl_mem m = make_image_2d(w.context), buffer = make_buffer(w.context, 0, 64, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char value[32];
        size_t size = 99;
        CHECK_EQ(clGetImageInfo(m, rows[i].name, 0, NULL, &size), CL_SUCCESS);
        CHECK_EQ(size, rows[i].size);
        CHECK_EQ(clGetImageInfo(m, rows[i].name, size, value, NULL), CL_SUCCESS);
        CHECK_EQ(clGetImageInfo(m, rows[i].name, size - 1, value, NULL), CL_INVALID_VALUE);
        CHECK_EQ(clGetImageInfo(buffer, rows[i].name, size, value, NULL), CL_INVALID_MEM_OBJECT);
        CHECK_EQ(clGetImageInfo(NULL, rows[i].name, size, value, NULL), CL_INVALID_MEM_OBJECT);
    }
    CHECK_EQ(clGetImageInfo(m, CL_IMAGE_FORMAT - 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    close_world(&w);
}
