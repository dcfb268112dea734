// clEnqueueCopyImage, clEnqueueCopyImageToBuffer and clEnqueueCopyBufferToImage.
#include "image_fixture.h"

static const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, far[3] = {8, 8, 0};

static cl_int from_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    return clEnqueueCopyImage(q, m, m, zero, far, one, n, list, event);
}
TEST_ENQUEUE_CALL(from_call, CL_COMMAND_COPY_IMAGE)

TEST(both_objects_are_checked)
{
    struct world w = open_world(0);
    cl_mem m = make_image_2d(w.context), foreign = make_image_2d(w.other),
           buffer = make_buffer(w.context, 0, 64, NULL);
    cl_mem wide =
        make_image(w.context, 0, (cl_image_format){CL_RGBA, CL_FLOAT}, CL_MEM_OBJECT_IMAGE2D, 4, 4, 1, NULL);
    CHECK_EQ(clEnqueueCopyImage(w.queue, m, NULL, zero, zero, one, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueCopyImage(w.queue, buffer, m, zero, zero, one, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueCopyImage(w.queue, NULL, foreign, zero, zero, one, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueCopyImage(w.queue, m, wide, zero, zero, one, 0, NULL, NULL), CL_IMAGE_FORMAT_MISMATCH);
    CHECK_EQ(clEnqueueCopyImageToBuffer(w.queue, m, m, zero, one, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueCopyImageToBuffer(w.queue, foreign, buffer, zero, one, 0, 0, NULL, NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueCopyBufferToImage(w.queue, m, m, 0, zero, one, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueCopyBufferToImage(NULL, buffer, m, 0, zero, one, 0, NULL, NULL),
             CL_INVALID_COMMAND_QUEUE);
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .mem_object = buffer};
    cl_int error = 1;
    cl_mem over = clCreateImage(w.context, 0, &rgba8, &d, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyImageToBuffer(w.queue, over, buffer, zero, one, 32, 0, NULL, NULL),
             CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueCopyBufferToImage(w.queue, buffer, over, 32, zero, one, 0, NULL, NULL),
             CL_INVALID_MEM_OBJECT);
    const cl_mem mems[] = {m, foreign, buffer, wide, over};
    for (int i = 0; i < 5; i++)
        CHECK_EQ(clReleaseMemObject(mems[i]), CL_SUCCESS);
    close_world(&w);
}

TEST(regions_are_checked)
{
    struct world w = open_world(0);
    cl_mem m = make_image_2d(w.context),
           small = make_image(w.context, 0, rgba8, CL_MEM_OBJECT_IMAGE2D, 4, 4, 1, NULL);
    cl_mem buffer = make_buffer(w.context, 0, 64, NULL);
    const size_t most[3] = {16, 16, 1}, row[3] = {16, 1, 1}, deep[3] = {1, 1, 2}, below[3] = {0, 1, 0};
    CHECK_EQ(clEnqueueCopyImage(w.queue, m, small, zero, zero, most, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyImage(w.queue, small, m, zero, zero, most, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyImage(w.queue, m, m, zero, far, deep, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyImage(w.queue, m, m, zero, zero, row, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueCopyImage(w.queue, m, m, zero, below, row, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyImageToBuffer(w.queue, m, buffer, zero, row, 0, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyImageToBuffer(w.queue, m, buffer, zero, row, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyImageToBuffer(w.queue, m, buffer, zero, most, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyBufferToImage(w.queue, buffer, m, SIZE_MAX, zero, one, 0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyBufferToImage(w.queue, buffer, m, 0, zero, row, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(small), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    close_world(&w);
}

// From every type of image to every other, by way of a buffer and without: as much as both have.
TEST(texels_arrive_between_all_types)
{
    struct world w = open_world(0);
    for (int a = 0; a < SHAPES; a++) {
        for (int b = 0; b < SHAPES; b++) {
            const struct shape *s = &shapes[a], *d = &shapes[b];
            size_t region[3];
            for (int i = 0; i < 3; i++)
                region[i] = s->extent[i] < d->extent[i] ? s->extent[i] : d->extent[i];
            region[0] = 6;
            const size_t src_origin[3] = {1, 0, 0};
            size_t total = region[0] * region[1] * region[2];
            cl_mem src = make_numbered(w.context, s),
                   dst[2] = {make_numbered(w.context, d), make_numbered(w.context, d)};
            cl_mem between = make_buffer(w.context, 0, 12 + 4 * total, NULL);
            CHECK_EQ(clEnqueueCopyImage(w.queue, src, dst[0], src_origin, zero, region, 0, NULL, NULL),
                     CL_SUCCESS);
            CHECK_EQ(clEnqueueCopyImageToBuffer(w.queue, src, between, src_origin, region, 12, 0, NULL, NULL),
                     CL_SUCCESS);
            CHECK_EQ(clEnqueueCopyBufferToImage(w.queue, between, dst[1], 12, zero, region, 0, NULL, NULL),
                     CL_SUCCESS);
            for (int way = 0; way < 2; way++) {
                cl_uint all[7 * 5 * 3];
                CHECK_EQ(
                    clEnqueueReadImage(w.queue, dst[way], CL_TRUE, zero, d->extent, 0, 0, all, 0, NULL, NULL),
                    CL_SUCCESS);
                for (size_t n = 0; n < d->extent[0] * d->extent[1] * d->extent[2]; n++) {
                    size_t x = n % 7, y = n / 7 % d->extent[1], z = n / 7 / d->extent[1];
                    bool in = x < region[0] && y < region[1] && z < region[2];
                    CHECK_EQ(all[n], in ? (z * s->extent[1] + y) * 7 + x + 1 : n);
                }
                CHECK_EQ(clReleaseMemObject(dst[way]), CL_SUCCESS);
            }
            CHECK_EQ(clReleaseMemObject(src), CL_SUCCESS);
            CHECK_EQ(clReleaseMemObject(between), CL_SUCCESS);
        }
    }
    close_world(&w);
}
