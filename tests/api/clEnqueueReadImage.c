// clEnqueueReadImage and clEnqueueWriteImage.
#include "image_fixture.h"

static const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
static cl_uint texels[256];

static cl_int from_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    return clEnqueueReadImage(q, m, CL_FALSE, zero, one, 0, 0, texels, n, list, event);
}
TEST_ENQUEUE_CALL(from_call, CL_COMMAND_READ_IMAGE)

TEST(regions_and_pitches_are_checked)
{
    struct world w = open_world(0);
    for (int i = 0; i < SHAPES; i++) {
        const struct shape *s = &shapes[i];
        cl_mem m = make_numbered(w.context, s);
#define BOTH(origin, region, row, slice, ptr, expected)                                                    \
    do {                                                                                                   \
        CHECK_EQ(clEnqueueReadImage(w.queue, m, CL_TRUE, origin, region, row, slice, ptr, 0, NULL, NULL),  \
                 expected);                                                                                \
        CHECK_EQ(clEnqueueWriteImage(w.queue, m, CL_TRUE, origin, region, row, slice, ptr, 0, NULL, NULL), \
                 expected);                                                                                \
    } while (0)
        BOTH(NULL, one, 0, 0, texels, CL_INVALID_VALUE);
        BOTH(zero, NULL, 0, 0, texels, CL_INVALID_VALUE);
        BOTH(zero, one, 0, 0, NULL, CL_INVALID_VALUE);
        for (int d = 0; d < 3; d++) {
            size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
            region[d] = 0;
            BOTH(origin, region, 0, 0, texels, CL_INVALID_VALUE);
            region[d] = s->extent[d] + 1;
            BOTH(origin, region, 0, 0, texels, CL_INVALID_VALUE);
            region[d] = 1;
            origin[d] = s->extent[d];
            BOTH(origin, region, 0, 0, texels, CL_INVALID_VALUE);
            origin[d] = SIZE_MAX;
            BOTH(origin, region, 0, 0, texels, CL_INVALID_VALUE);
        }
        BOTH(zero, s->extent, 27, 0, texels, CL_INVALID_VALUE);
        bool layered = s->extent[2] > 1 || s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        BOTH(zero, s->extent, 0, 27, texels, CL_INVALID_VALUE);
        BOTH(zero, s->extent, 28, 140, texels, layered ? CL_SUCCESS : CL_INVALID_VALUE);
        BOTH(zero, s->extent, SIZE_MAX / 2, 0, texels, s->extent[1] > 1 ? CL_INVALID_VALUE : CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    close_world(&w);
}

TEST(what_the_host_may_do_is_checked)
{
    struct world w = open_world(0);
    const struct {
        cl_mem_flags flags;
        cl_int read, write;
    } cases[] = {{0, CL_SUCCESS, CL_SUCCESS},
                 {CL_MEM_HOST_READ_ONLY, CL_SUCCESS, CL_INVALID_OPERATION},
                 {CL_MEM_HOST_WRITE_ONLY, CL_INVALID_OPERATION, CL_SUCCESS},
                 {CL_MEM_HOST_NO_ACCESS, CL_INVALID_OPERATION, CL_INVALID_OPERATION}};
    for (int i = 0; i < 4; i++) {
        cl_mem m = make_image(w.context, cases[i].flags, rgba8, CL_MEM_OBJECT_IMAGE2D, 4, 4, 1, NULL);
        CHECK_EQ(clEnqueueReadImage(w.queue, m, CL_TRUE, zero, one, 0, 0, texels, 0, NULL, NULL),
                 cases[i].read);
        CHECK_EQ(clEnqueueWriteImage(w.queue, m, CL_TRUE, zero, one, 0, 0, texels, 0, NULL, NULL),
                 cases[i].write);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    cl_mem buffer = make_buffer(w.context, 0, 64, NULL);
    CHECK_EQ(clEnqueueReadImage(w.queue, buffer, CL_TRUE, zero, one, 0, 0, texels, 0, NULL, NULL),
             CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    close_world(&w);
}

// A box within the image, to and from host memory with gaps.
TEST(texels_arrive_and_no_others_change)
{
    struct world w = open_world(0);
    for (int i = 0; i < SHAPES; i++) {
        const struct shape *s = &shapes[i];
        cl_mem m = make_numbered(w.context, s);
        size_t origin[3], region[3];
        for (int d = 0; d < 3; d++) {
            origin[d] = s->extent[d] > 2 ? 1 : 0;
            region[d] = s->extent[d] > 2 ? s->extent[d] - 2 : 1;
        }
        bool flat = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY, layered = flat || s->extent[2] > 1;
        size_t row = 32, slice = flat ? 64 : 192;
        cl_uint host[200], all[7 * 5 * 3];
        memset(host, 0xee, sizeof host);
        CHECK_EQ(clEnqueueReadImage(w.queue, m, CL_TRUE, origin, region, row, layered ? slice : 0, host, 0,
                                    NULL, NULL),
                 CL_SUCCESS);
        size_t pitch1 = flat ? slice : row;
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                for (size_t x = 0; x < 8; x++) {
                    size_t number =
                        ((z + origin[2]) * s->extent[1] + y + origin[1]) * s->extent[0] + x + origin[0];
                    cl_uint *at = &host[(z * slice + y * pitch1) / 4 + x];
                    CHECK_EQ(*at, x < region[0] ? number : 0xeeeeeeee);
                    *at += 1000;
                }
        CHECK_EQ(clEnqueueWriteImage(w.queue, m, CL_TRUE, origin, region, row, layered ? slice : 0, host, 0,
                                     NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(clEnqueueReadImage(w.queue, m, CL_TRUE, zero, s->extent, 0, 0, all, 0, NULL, NULL),
                 CL_SUCCESS);
        for (size_t n = 0; n < s->extent[0] * s->extent[1] * s->extent[2]; n++) {
            size_t at[3] = {n % s->extent[0], n / s->extent[0] % s->extent[1],
                            n / s->extent[0] / s->extent[1]};
            bool in = true;
            for (int d = 0; d < 3; d++)
                in = in && at[d] >= origin[d] && at[d] < origin[d] + region[d];
            CHECK_EQ(all[n], n + (in ? 1000 : 0));
        }
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    close_world(&w);
}
