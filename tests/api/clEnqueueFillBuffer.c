// clEnqueueFillBuffer.
#include "memory_fixture.h"

static cl_int call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    return clEnqueueFillBuffer(q, m, "abcd", 4, 8, 512, n, list, event);
}
TEST_ENQUEUE_CALL(call, CL_COMMAND_FILL_BUFFER)

TEST(bad_patterns_and_regions_are_refused)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 1024, NULL);
    const cl_uchar p[256] = {1};
    CHECK_EQ(clEnqueueFillBuffer(w.queue, m, NULL, 4, 0, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillBuffer(w.queue, m, p, 0, 0, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillBuffer(w.queue, m, p, 3, 0, 12, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillBuffer(w.queue, m, p, 256, 0, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillBuffer(w.queue, m, p, 4, 2, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillBuffer(w.queue, m, p, 4, 0, 18, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillBuffer(w.queue, m, p, 4, 1024, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillBuffer(w.queue, m, p, 4, 1020, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillBuffer(w.queue, m, p, 4, 16, SIZE_MAX - 7, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillBuffer(w.queue, m, p, 128, 0, 1024, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(every_pattern_size_fills_every_way)
{
    struct world w = open_world(0);
    // At once, as a command, as a range, past the caches.
    const size_t sizes[] = {1024, 64u << 10, 1u << 20, 40u << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i], odd = 384;
        cl_mem m = make_buffer(w.context, CL_MEM_HOST_READ_ONLY, n + 2 * odd, NULL);
        unsigned char *back = malloc(n + 2 * odd);
        CHECK(back != NULL);
        for (size_t p = 1; p <= 128; p *= 2) {
            unsigned char pattern[128];
            for (size_t k = 0; k < p; k++)
                pattern[k] = (unsigned char)(k * 7 + p);
            CHECK_EQ(clEnqueueFillBuffer(w.queue, m, "\xee", 1, 0, n + 2 * odd, 0, NULL, NULL), CL_SUCCESS);
            CHECK_EQ(clEnqueueFillBuffer(w.queue, m, pattern, p, odd, n, 0, NULL, NULL), CL_SUCCESS);
            memset(pattern, 0, sizeof pattern); // the call has taken its copy
            CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, n + 2 * odd, back, 0, NULL, NULL),
                     CL_SUCCESS);
            for (size_t k = 0; k < n + 2 * odd; k++) {
                unsigned char expected =
                    k < odd || k >= n + odd ? 0xee : (unsigned char)((k - odd) % p * 7 + p);
                if (back[k] != expected)
                    FAIL("byte %zu of %zu, pattern of %zu: 0x%02x, not 0x%02x", k, n, p, back[k], expected);
            }
        }
        free(back);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    close_world(&w);
}
