// clEnqueueMapImage, and unmapping of images.
#include "image_fixture.h"

static const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};

static cl_int from_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    size_t row;
    cl_int error = 1;
    void *p = clEnqueueMapImage(q, m, CL_FALSE, CL_MAP_READ, zero, one, &row, NULL, n, list, event, &error);
    CHECK_EQ(p != NULL, error == CL_SUCCESS);
    return error;
}
TEST_ENQUEUE_CALL(from_call, CL_COMMAND_MAP_IMAGE)

static void *map(struct world *w, cl_mem m, cl_map_flags flags, const size_t *origin, const size_t *region,
                 cl_int *error)
{
    size_t row, slice;
    return clEnqueueMapImage(w->queue, m, CL_TRUE, flags, origin, region, &row, &slice, 0, NULL, NULL, error);
}

TEST(values_are_checked)
{
    struct world w = open_world(0);
    cl_mem m = make_image_2d(w.context), solid = make_numbered(w.context, &shapes[4]),
           layers = make_numbered(w.context, &shapes[1]);
    cl_mem hidden = make_image(w.context, CL_MEM_HOST_NO_ACCESS, rgba8, CL_MEM_OBJECT_IMAGE2D, 4, 4, 1, NULL);
    const size_t large[3] = {17, 1, 1};
    size_t row = 0, slice = 77;
    cl_int error = 1;
#define REFUSED(expected, ...)                                                         \
    do {                                                                               \
        CHECK(clEnqueueMapImage(w.queue, __VA_ARGS__, 0, NULL, NULL, &error) == NULL); \
        CHECK_EQ(error, expected);                                                     \
    } while (0)
    REFUSED(CL_INVALID_VALUE, m, CL_TRUE, CL_MAP_READ, NULL, one, &row, &slice);
    REFUSED(CL_INVALID_VALUE, m, CL_TRUE, CL_MAP_READ, zero, large, &row, &slice);
    REFUSED(CL_INVALID_VALUE, m, CL_TRUE, 1 << 20, zero, one, &row, &slice);
    REFUSED(CL_INVALID_VALUE, m, CL_TRUE, CL_MAP_READ, zero, one, NULL, &slice);
    REFUSED(CL_INVALID_VALUE, solid, CL_TRUE, CL_MAP_READ, zero, one, &row, NULL);
    REFUSED(CL_INVALID_VALUE, layers, CL_TRUE, CL_MAP_READ, zero, one, &row, NULL);
    REFUSED(CL_INVALID_OPERATION, hidden, CL_TRUE, CL_MAP_READ, zero, one, &row, NULL);
    REFUSED(CL_INVALID_OPERATION, hidden, CL_TRUE, CL_MAP_WRITE, zero, one, &row, NULL);
    void *p =
        clEnqueueMapImage(w.queue, m, CL_TRUE, CL_MAP_READ, zero, one, &row, &slice, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(row, 64);
    CHECK_EQ(slice, 0);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p, 0, NULL, NULL), CL_INVALID_VALUE);
    p = clEnqueueMapImage(w.queue, solid, CL_TRUE, CL_MAP_READ, zero, one, &row, &slice, 0, NULL, NULL,
                          &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(row, 28);
    CHECK_EQ(slice, 140);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, solid, p, 0, NULL, NULL), CL_SUCCESS);
    const cl_mem mems[] = {m, solid, layers, hidden};
    for (int i = 0; i < 4; i++)
        CHECK_EQ(clReleaseMemObject(mems[i]), CL_SUCCESS);
    close_world(&w);
}

TEST(the_mapping_is_the_image)
{
    struct world w = open_world(0);
    for (int i = 0; i < SHAPES; i++) {
        const struct shape *s = &shapes[i];
        cl_mem m = make_numbered(w.context, s);
        const size_t origin[3] = {2, s->extent[1] / 2, s->extent[2] / 2};
        size_t n = (origin[2] * s->extent[1] + origin[1]) * 7 + 2;
        cl_int error = 1;
        cl_uint *p = map(&w, m, CL_MAP_READ | CL_MAP_WRITE, origin, one, &error), texel = 0;
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(*p, n);
        *p = 4711;
        CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadImage(w.queue, m, CL_TRUE, origin, one, 0, 0, &texel, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(texel, 4711);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    close_world(&w);
}

TEST(boxes_side_by_side_may_both_be_written)
{
    struct world w = open_world(0);
    cl_mem m = make_image_2d(w.context);
    const size_t half[3] = {8, 16, 1}, right[3] = {8, 0, 0}, inside[3] = {7, 3, 0};
    cl_int error = 1;
    void *a = map(&w, m, CL_MAP_WRITE, zero, half, &error);
    CHECK_EQ(error, CL_SUCCESS);
    void *b = map(&w, m, CL_MAP_WRITE, right, half, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK(map(&w, m, CL_MAP_WRITE, inside, one, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_OPERATION);
    void *c = map(&w, m, CL_MAP_READ, inside, one, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, a, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, b, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, c, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}
