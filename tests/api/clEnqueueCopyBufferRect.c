// clEnqueueCopyBufferRect, clEnqueueReadBufferRect, clEnqueueWriteBufferRect.
#include "memory_fixture.h"

#define SPAN 65536
static unsigned char host[SPAN];
static const size_t zero[3];

static cl_int copy_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    return clEnqueueCopyBufferRect(q, m, m, zero, (const size_t[]){512, 0, 0}, (const size_t[]){8, 4, 2}, 16,
                                   64, 16, 64, n, list, event);
}
static cl_int read_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    return clEnqueueReadBufferRect(q, m, CL_FALSE, zero, zero, (const size_t[]){8, 4, 2}, 16, 64, 0, 0, host,
                                   n, list, event);
}
static cl_int write_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    return clEnqueueWriteBufferRect(q, m, CL_FALSE, zero, zero, (const size_t[]){8, 4, 2}, 16, 64, 0, 0, host,
                                    n, list, event);
}
TEST_ENQUEUE_CALL(copy_call, CL_COMMAND_COPY_BUFFER_RECT)

TEST(reads_and_writes_are_checked_too)
{
    check_handles(read_call);
    check_wait_lists(read_call);
    check_event(read_call, CL_COMMAND_READ_BUFFER_RECT);
    check_lifetime(read_call);
    check_handles(write_call);
    check_wait_lists(write_call);
    check_event(write_call, CL_COMMAND_WRITE_BUFFER_RECT);
    check_lifetime(write_call);
}

TEST(bad_shapes_are_refused)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 1024, NULL), other = make_buffer(w.context, 0, 1024, NULL);
    const struct {
        size_t origin[3], region[3], row, slice;
        cl_int read, copy;
    } rows[] = {
        {{0, 0, 0}, {16, 8, 8}, 0, 0, CL_SUCCESS, CL_SUCCESS},
        {{1, 0, 0}, {16, 8, 8}, 0, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {{0, 0, 0}, {0, 8, 8}, 16, 128, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {{0, 0, 0}, {8, 0, 8}, 16, 128, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {{0, 0, 0}, {8, 8, 0}, 16, 128, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {{0, 0, 0}, {16, 2, 2}, 15, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {{0, 0, 0}, {16, 2, 2}, 16, 31, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {{0, 0, 0}, {16, 2, 2}, 16, 40, CL_SUCCESS, CL_INVALID_VALUE},
        {{0, 0, 0}, {4, 2, SIZE_MAX / 8 + 2}, 0, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {{0, SIZE_MAX / 4 + 2, 0}, {4, 1, 1}, 0, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {{SIZE_MAX, 0, 0}, {4, 1, 1}, 0, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t *o = rows[i].origin, *r = rows[i].region;
        CHECK_EQ(clEnqueueReadBufferRect(w.queue, m, CL_TRUE, o, zero, r, rows[i].row, rows[i].slice, 0, 0,
                                         host, 0, NULL, NULL),
                 rows[i].read);
        CHECK_EQ(clEnqueueWriteBufferRect(w.queue, m, CL_TRUE, o, zero, r, rows[i].row, rows[i].slice, 0, 0,
                                          host, 0, NULL, NULL),
                 rows[i].read);
        CHECK_EQ(clEnqueueCopyBufferRect(w.queue, m, other, o, zero, r, rows[i].row, rows[i].slice, 0, 0, 0,
                                         NULL, NULL),
                 rows[i].copy);
        CHECK_EQ(clEnqueueCopyBufferRect(w.queue, other, m, zero, o, r, 0, 0, rows[i].row, rows[i].slice, 0,
                                         NULL, NULL),
                 rows[i].copy);
    }
    const size_t region[3] = {16, 2, 2};
    // The host's side.
    CHECK_EQ(
        clEnqueueReadBufferRect(w.queue, m, CL_TRUE, zero, zero, region, 0, 0, 15, 0, host, 0, NULL, NULL),
        CL_INVALID_VALUE);
    CHECK_EQ(
        clEnqueueReadBufferRect(w.queue, m, CL_TRUE, zero, zero, region, 0, 0, 16, 31, host, 0, NULL, NULL),
        CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueReadBufferRect(w.queue, m, CL_TRUE, zero, zero, region, 0, 0, 0, SIZE_MAX - 64, host, 0,
                                     NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(
        clEnqueueReadBufferRect(w.queue, m, CL_TRUE, zero, zero, region, 0, 0, 0, 0, NULL, 0, NULL, NULL),
        CL_INVALID_VALUE);
    CHECK_EQ(
        clEnqueueReadBufferRect(w.queue, m, CL_TRUE, NULL, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL),
        CL_INVALID_VALUE);
    CHECK_EQ(
        clEnqueueReadBufferRect(w.queue, m, CL_TRUE, zero, NULL, region, 0, 0, 0, 0, host, 0, NULL, NULL),
        CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueReadBufferRect(w.queue, m, CL_TRUE, zero, zero, NULL, 0, 0, 0, 0, host, 0, NULL, NULL),
             CL_INVALID_VALUE);
    // One buffer, two layouts.
    CHECK_EQ(clEnqueueCopyBufferRect(w.queue, m, m, zero, (const size_t[]){512, 0, 0}, region, 16, 32, 32, 64,
                                     0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(other), CL_SUCCESS);
    close_world(&w);
}

TEST(host_access_flags_are_obeyed)
{
    struct world w = open_world(0);
    const size_t region[3] = {4, 2, 1};
    cl_mem r = make_buffer(w.context, CL_MEM_HOST_READ_ONLY, 64, NULL);
    cl_mem n = make_buffer(w.context, CL_MEM_HOST_WRITE_ONLY, 64, NULL);
    CHECK_EQ(
        clEnqueueReadBufferRect(w.queue, r, CL_TRUE, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL),
        CL_SUCCESS);
    CHECK_EQ(
        clEnqueueWriteBufferRect(w.queue, r, CL_TRUE, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL),
        CL_INVALID_OPERATION);
    CHECK_EQ(
        clEnqueueReadBufferRect(w.queue, n, CL_TRUE, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL),
        CL_INVALID_OPERATION);
    CHECK_EQ(
        clEnqueueWriteBufferRect(w.queue, n, CL_TRUE, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL),
        CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(r), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(n), CL_SUCCESS);
    close_world(&w);
}

TEST(overlap_is_found_through_sub_buffers)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 1024, NULL), low = make_sub(m, 0, 512), high = make_sub(m, 128, 512);
    const size_t region[3] = {4, 4, 1}, beside[3] = {4, 0, 0}, into[3] = {3, 0, 0}, far[3] = {128, 0, 0};
    CHECK_EQ(clEnqueueCopyBufferRect(w.queue, m, m, zero, into, region, 8, 32, 8, 32, 0, NULL, NULL),
             CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueCopyBufferRect(w.queue, m, m, zero, beside, region, 8, 32, 8, 32, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBufferRect(w.queue, low, high, far, zero, region, 8, 32, 8, 32, 0, NULL, NULL),
             CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueCopyBufferRect(w.queue, low, high, far, beside, region, 8, 32, 8, 32, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBufferRect(w.queue, low, high, far, zero, region, 8, 32, 16, 64, 0, NULL, NULL),
             CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(low), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(high), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

// ---- Random shapes against a reference ----

struct shape {
    size_t origin[3], row, slice; // row and slice 0: the default
};

static size_t pitch(size_t given, size_t fallback)
{
    return given ? given : fallback;
}
static size_t at(const struct shape *s, const size_t r[3], size_t x, size_t y, size_t z)
{
    size_t row = pitch(s->row, r[0]), slice = pitch(s->slice, r[1] * row);
    return (s->origin[2] + z) * slice + (s->origin[1] + y) * row + s->origin[0] + x;
}
static void reference(unsigned char *dst, const struct shape *d, const unsigned char *src,
                      const struct shape *s, const size_t r[3])
{
    for (size_t z = 0; z < r[2]; z++)
        for (size_t y = 0; y < r[1]; y++)
            for (size_t x = 0; x < r[0]; x++)
                dst[at(d, r, x, y, z)] = src[at(s, r, x, y, z)];
}
static struct shape random_shape(uint64_t *seed, const size_t r[3])
{
    struct shape s = {.row = 0};
    if (harness_random(seed) % 4)
        s.row = r[0] + harness_random(seed) % 5;
    if (harness_random(seed) % 4)
        s.slice = pitch(s.row, r[0]) * (r[1] + harness_random(seed) % 3);
    for (int i = 0; i < 3; i++)
        s.origin[i] = harness_random(seed) % 5;
    return s;
}

TEST(random_shapes_move_as_the_reference_does)
{
    struct world w = open_world(0);
    uint64_t seed = 42;
    static unsigned char a[SPAN], b[SPAN], expected[SPAN], got[SPAN];
    cl_mem ma = make_buffer(w.context, 0, SPAN, NULL), mb = make_buffer(w.context, 0, SPAN, NULL);
    for (int i = 0; i < HARNESS_SCALE(2000); i++) {
        const size_t r[3] = {1 + harness_random(&seed) % 40, 1 + harness_random(&seed) % 20,
                             1 + harness_random(&seed) % 8};
        struct shape s = random_shape(&seed, r), d = random_shape(&seed, r);
        for (size_t k = 0; k < SPAN; k++) {
            a[k] = (unsigned char)(k * 31 + (size_t)i);
            b[k] = (unsigned char)(k * 17 + 3 * (size_t)i);
        }
        if (at(&s, r, r[0], r[1], r[2]) > SPAN || at(&d, r, r[0], r[1], r[2]) > SPAN)
            continue;
        memcpy(expected, b, SPAN);
        reference(expected, &d, a, &s, r);
        CHECK_EQ(clEnqueueWriteBuffer(w.queue, ma, CL_TRUE, 0, SPAN, a, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueWriteBuffer(w.queue, mb, CL_TRUE, 0, SPAN, b, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueCopyBufferRect(w.queue, ma, mb, s.origin, d.origin, r, s.row, s.slice, d.row,
                                         d.slice, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(w.queue, mb, CL_TRUE, 0, SPAN, got, 0, NULL, NULL), CL_SUCCESS);
        CHECK_MEM(got, expected, SPAN);

        memcpy(got, b, SPAN);
        CHECK_EQ(clEnqueueReadBufferRect(w.queue, ma, CL_TRUE, s.origin, d.origin, r, s.row, s.slice, d.row,
                                         d.slice, got, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK_MEM(got, expected, SPAN);

        CHECK_EQ(clEnqueueWriteBuffer(w.queue, mb, CL_TRUE, 0, SPAN, b, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueWriteBufferRect(w.queue, mb, CL_TRUE, d.origin, s.origin, r, d.row, d.slice, s.row,
                                          s.slice, a, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(w.queue, mb, CL_TRUE, 0, SPAN, got, 0, NULL, NULL), CL_SUCCESS);
        CHECK_MEM(got, expected, SPAN);
    }
    CHECK_EQ(clReleaseMemObject(ma), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(mb), CL_SUCCESS);
    close_world(&w);
}

static void big_rect(struct world *w, const size_t r[3], struct shape s, struct shape d, size_t span)
{
    unsigned char *a = malloc(span), *expected = malloc(span), *got = malloc(span);
    CHECK(a && expected && got);
    for (size_t k = 0; k < span; k++)
        a[k] = counted(k);
    cl_mem ma = make_buffer(w->context, CL_MEM_COPY_HOST_PTR, span, a),
           mb = make_buffer(w->context, 0, span, NULL);
    memset(expected, 0xee, span);
    reference(expected, &d, a, &s, r);
    CHECK_EQ(clEnqueueFillBuffer(w->queue, mb, "\xee", 1, 0, span, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBufferRect(w->queue, ma, mb, s.origin, d.origin, r, s.row, s.slice, d.row, d.slice,
                                     0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(w->queue, mb, CL_TRUE, 0, span, got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(memcmp(got, expected, span), 0);
    CHECK_EQ(clReleaseMemObject(ma), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(mb), CL_SUCCESS);
    free(a);
    free(expected);
    free(got);
}

TEST(large_rects_run_on_all_threads_and_past_the_caches)
{
    struct world w = open_world(0);
    big_rect(&w, (const size_t[]){100, 300, 50}, (struct shape){{1, 2, 3}, 128, 128 * 310},
             (struct shape){{0, 0, 0}, 0, 0}, 4u << 20);
    big_rect(&w, (const size_t[]){5000, 1000, 5}, (struct shape){{8, 1, 0}, 6000, 0},
             (struct shape){{0, 0, 0}, 5008, 0}, 40u << 20);
    close_world(&w);
}
