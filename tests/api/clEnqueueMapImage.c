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

static cl_mem image_over(struct world *w, cl_mem below, const cl_image_desc *like)
{
    cl_image_desc d = *like;
    cl_int error = 1;
    d.mem_object = below;
    cl_mem m = clCreateImage(w->context, 0, &rgba8, &d, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

// Maps for writing, and unmaps if undo; the error.
static cl_int try_image(struct world *w, cl_mem m, const size_t *origin, const size_t *region, bool undo)
{
    cl_int error = 1;
    void *p = map(w, m, CL_MAP_WRITE, origin, region, &error);
    CHECK_EQ(p != NULL, error == CL_SUCCESS);
    if (p && undo)
        CHECK_EQ(clEnqueueUnmapMemObject(w->queue, m, p, 0, NULL, NULL), CL_SUCCESS);
    return error;
}

static cl_int try_buffer(struct world *w, cl_mem m, size_t offset, size_t size)
{
    cl_int error = 1;
    void *p = clEnqueueMapBuffer(w->queue, m, CL_TRUE, CL_MAP_WRITE, offset, size, 0, NULL, NULL, &error);
    CHECK_EQ(p != NULL, error == CL_SUCCESS);
    if (p)
        CHECK_EQ(clEnqueueUnmapMemObject(w->queue, m, p, 0, NULL, NULL), CL_SUCCESS);
    return error;
}

TEST(only_what_overlaps_conflicts_through_several_objects)
{
    struct world w = open_world(0);
    const cl_image_desc narrow = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8, .image_row_pitch = 64};
    cl_image_desc wide = narrow;
    wide.image_height = 4;
    wide.image_row_pitch = 128;
    cl_mem buffer = make_buffer(w.context, 0, 4096, NULL), image = image_over(&w, buffer, &narrow),
           again = image_over(&w, image, &narrow), other = image_over(&w, buffer, &wide);
    const size_t half[3] = {4, 8, 1}, right[3] = {4, 0, 0}, inside[3] = {3, 7, 0}, below[3] = {3, 3, 0},
                 quarter[3] = {4, 4, 1};
    CHECK_EQ(try_image(&w, image, zero, half, false), CL_SUCCESS);
    // The other columns, and the rest of the rows.
    CHECK_EQ(try_image(&w, again, right, half, true), CL_SUCCESS);
    CHECK_EQ(try_image(&w, again, inside, one, true), CL_INVALID_OPERATION);
    CHECK_EQ(try_buffer(&w, buffer, 16, 48), CL_SUCCESS);
    CHECK_EQ(try_buffer(&w, buffer, 7 * 64 + 16, 1000), CL_SUCCESS);
    CHECK_EQ(try_buffer(&w, buffer, 15, 1), CL_INVALID_OPERATION);
    CHECK_EQ(try_buffer(&w, buffer, 16, 49), CL_INVALID_OPERATION);
    // Rows of another pitch.
    CHECK_EQ(try_image(&w, other, right, quarter, true), CL_SUCCESS);
    CHECK_EQ(try_image(&w, other, below, one, true), CL_INVALID_OPERATION);
    const cl_mem mems[] = {other, again, image, buffer};
    for (int i = 0; i < 4; i++)
        CHECK_EQ(clReleaseMemObject(mems[i]), CL_SUCCESS);
    close_world(&w);
}

enum { BYTES = 4096 };

static uint64_t seed = 88172645463325252u;

static size_t some(size_t from, size_t to)
{
    return from + harness_random(&seed) % (to - from + 1);
}

// An image over the buffer and a box of it; marks the box's bytes.
static cl_mem some_box(struct world *w, cl_mem buffer, size_t origin[3], size_t region[3], bool bytes[BYTES])
{
    const struct shape *s = &shapes[some(0, SHAPES - 1)];
    const bool flat = s->type == CL_MEM_OBJECT_IMAGE1D, layers = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size_t extent[3], row, slice;
    for (int i = 0; i < 3; i++)
        extent[i] = s->extent[i] > 1 ? some(1, s->extent[i]) : 1;
    // Pitches of two images are alike now and then.
    row = 4 * some(extent[0], extent[0] < 7 && some(0, 1) ? 7 : 9);
    if (some(0, 1))
        row = 32;
    slice = row * extent[1] + 4 * some(0, 9);
    if (some(0, 1))
        slice = 36 * 6;
    const cl_image_desc d = {.image_type = s->type,
                             .image_width = extent[0],
                             .image_height = extent[1],
                             .image_depth = extent[2],
                             .image_array_size = layers ? extent[1] : extent[2],
                             .image_row_pitch = flat ? 0 : row,
                             .image_slice_pitch = s->extent[2] > 1 ? slice : 0};
    for (int i = 0; i < 3; i++) {
        origin[i] = some(0, extent[i] - 1);
        region[i] = some(1, extent[i] - origin[i]);
    }
    memset(bytes, 0, BYTES);
    for (size_t z = origin[2]; z < origin[2] + region[2]; z++)
        for (size_t y = origin[1]; y < origin[1] + region[1]; y++)
            memset(&bytes[z * slice + y * row + 4 * origin[0]], 1, 4 * region[0]);
    return image_over(w, buffer, &d);
}

TEST(boxes_conflict_where_they_share_a_byte)
{
    struct world w = open_world(0);
    cl_mem buffer = make_buffer(w.context, 0, BYTES, NULL);
    int found[2] = {0, 0};
    for (int i = 0; i < HARNESS_SCALE(5000); i++) {
        static bool bytes[2][BYTES];
        size_t origin[2][3], region[2][3];
        cl_mem m[2];
        bool share = false;
        for (int k = 0; k < 2; k++)
            m[k] = some_box(&w, buffer, origin[k], region[k], bytes[k]);
        for (size_t b = 0; b < BYTES; b++)
            share |= bytes[0][b] && bytes[1][b];
        CHECK_EQ(try_image(&w, m[0], origin[0], region[0], false), CL_SUCCESS);
        if (try_image(&w, m[1], origin[1], region[1], true) != (share ? CL_INVALID_OPERATION : CL_SUCCESS))
            FAIL("pair %d shares %s byte", i, share ? "a" : "no");
        const size_t offset = some(0, 700), size = some(1, 40);
        CHECK_EQ(try_buffer(&w, buffer, offset, size),
                 memchr(&bytes[0][offset], 1, size) ? CL_INVALID_OPERATION : CL_SUCCESS);
        found[share]++;
        for (int k = 0; k < 2; k++) // with what is mapped
            CHECK_EQ(clReleaseMemObject(m[k]), CL_SUCCESS);
    }
    CHECK_GT(found[0], HARNESS_SCALE(500));
    CHECK_GT(found[1], HARNESS_SCALE(500));
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    close_world(&w);
}
