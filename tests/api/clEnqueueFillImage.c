// clEnqueueFillImage: its errors, where it writes, and what a colour becomes in each format.
#include "image_fixture.h"

static const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
static const cl_float grey[4] = {0.5f, 0.5f, 0.5f, 1.0f};

static cl_int from_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    return clEnqueueFillImage(q, m, grey, zero, one, n, list, event);
}
TEST_ENQUEUE_CALL(from_call, CL_COMMAND_FILL_IMAGE)

TEST(values_are_checked)
{
    struct world w = open_world(0);
    cl_mem m = make_image_2d(w.context), buffer = make_buffer(w.context, 0, 64, NULL);
    const size_t large[3] = {17, 1, 1}, none[3] = {1, 0, 1};
    CHECK_EQ(clEnqueueFillImage(w.queue, m, NULL, zero, one, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillImage(w.queue, m, grey, NULL, one, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillImage(w.queue, m, grey, zero, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillImage(w.queue, m, grey, zero, large, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillImage(w.queue, m, grey, zero, none, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillImage(w.queue, buffer, grey, zero, one, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    close_world(&w);
}

TEST(only_the_box_is_filled)
{
    struct world w = open_world(0);
    for (size_t width = 8; width <= 2048; width *= 16) { // by the caller, by a command, by all threads
        size_t height = width;
        cl_mem m = make_image(w.context, 0, rgba8, CL_MEM_OBJECT_IMAGE2D, width, height, 1, NULL);
        const size_t all[3] = {width, height, 1}, origin[3] = {1, 2, 0},
                     region[3] = {width - 3, height - 3, 1};
        const cl_float black[4] = {0, 0, 0, 0}, red[4] = {1, 0, 0, 1};
        CHECK_EQ(clEnqueueFillImage(w.queue, m, black, zero, all, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueFillImage(w.queue, m, red, origin, region, 0, NULL, NULL), CL_SUCCESS);
        cl_uint *texels = malloc(width * height * sizeof *texels);
        CHECK(texels != NULL);
        CHECK_EQ(clEnqueueReadImage(w.queue, m, CL_TRUE, zero, all, 0, 0, texels, 0, NULL, NULL), CL_SUCCESS);
        for (size_t i = 0; i < width * height; i++) {
            size_t x = i % width, y = i / width;
            CHECK_EQ(texels[i], x >= 1 && x < width - 2 && y >= 2 && y < height - 1 ? 0xff0000ff : 0);
        }
        free(texels);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    close_world(&w);
}

TEST(a_colour_becomes_a_texel)
{
    struct world w = open_world(0);
    const struct {
        cl_image_format format;
        union {
            cl_float f[4];
            cl_int i[4];
        } color;
        size_t bytes;
        unsigned char texel[16];
    } cases[] = {
        {{CL_RGBA, CL_UNORM_INT8}, {.f = {0, 1, 0.5f, 2}}, 4, {0, 255, 128, 255}},
        {{CL_BGRA, CL_UNORM_INT8}, {.f = {0, 1, 0.25f, -1}}, 4, {64, 255, 0, 0}},
        {{CL_ARGB, CL_UNORM_INT8}, {.f = {0, 1, 0.25f, 0.6f}}, 4, {153, 0, 255, 64}},
        {{CL_ABGR, CL_UNORM_INT8}, {.f = {0, 1, 0.25f, 0.6f}}, 4, {153, 64, 255, 0}},
        {{CL_R, CL_SNORM_INT8}, {.f = {-1}}, 1, {0x81}},
        {{CL_A, CL_UNORM_INT8}, {.f = {0, 0, 0, 1}}, 1, {255}},
        {{CL_RA, CL_UNORM_INT16}, {.f = {1, 0.3f, 0.3f, 0.5f}}, 4, {0xff, 0xff, 0x00, 0x80}},
        {{CL_RG, CL_SNORM_INT16}, {.f = {1, -1}}, 4, {0xff, 0x7f, 0x01, 0x80}},
        {{CL_R, CL_HALF_FLOAT}, {.f = {1.0009765f}}, 2, {0x01, 0x3c}},
        {{CL_R, CL_HALF_FLOAT}, {.f = {65520}}, 2, {0x00, 0x7c}},
        {{CL_R, CL_HALF_FLOAT}, {.f = {0x1.8p-24f}}, 2, {0x02, 0x00}},
        {{CL_R, CL_FLOAT}, {.f = {-2}}, 4, {0, 0, 0, 0xc0}},
        {{CL_DEPTH, CL_UNORM_INT16}, {.f = {1}}, 2, {0xff, 0xff}},
        {{CL_RG, CL_SIGNED_INT8}, {.i = {300, -300}}, 2, {0x7f, 0x80}},
        {{CL_RG, CL_UNSIGNED_INT8}, {.i = {300, 7}}, 2, {0xff, 7}},
        {{CL_R, CL_SIGNED_INT32}, {.i = {-2}}, 4, {0xfe, 0xff, 0xff, 0xff}},
        {{CL_RGB, CL_UNORM_SHORT_565}, {.f = {1, 0.5f, 0}}, 2, {0x00, 0xfc}},
        {{CL_RGB, CL_UNORM_SHORT_555}, {.f = {1, 0, 1}}, 2, {0x1f, 0x7c}},
        {{CL_RGB, CL_UNORM_INT_101010}, {.f = {1, 0, 0}}, 4, {0x00, 0x00, 0xf0, 0x3f}},
        {{CL_sRGBA, CL_UNORM_INT8}, {.f = {1, 0.2158605f, 0, 0.5f}}, 4, {255, 128, 0, 128}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_mem m = make_image(w.context, 0, cases[i].format, CL_MEM_OBJECT_IMAGE2D, 2, 1, 1, NULL);
        const size_t all[3] = {2, 1, 1};
        unsigned char texels[32];
        CHECK_EQ(clEnqueueFillImage(w.queue, m, &cases[i].color, zero, all, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadImage(w.queue, m, CL_TRUE, zero, all, 0, 0, texels, 0, NULL, NULL), CL_SUCCESS);
        for (size_t k = 0; k < 2 * cases[i].bytes; k++)
            CHECK_EQ(texels[k], cases[i].texel[k % cases[i].bytes]);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    close_world(&w);
}
