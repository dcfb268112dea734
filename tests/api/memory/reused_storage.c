// Storage of released memory objects is used for the next ones of its context (ADR 36): what programs see of
// it, and what must not be used again.
// env: WEFT_POOL_MIB=256
#include "api/memory_fixture.h"

#define MIB ((size_t)1 << 20)

static const size_t sizes[] = {1000, 100000, MIB, 5 * MIB};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static unsigned char *map(cl_command_queue q, cl_mem m, size_t size)
{
    cl_int error = 1;
    unsigned char *p =
        clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return p;
}

static void unmap(cl_command_queue q, cl_mem m, void *p)
{
    CHECK_EQ(clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
}

static void check_bytes(const unsigned char *p, size_t size, unsigned char value)
{
    for (size_t i = 0; i < size; i++)
        if (p[i] != value)
            FAIL("byte %zu of %zu is %d, not %d", i, size, p[i], value);
}

// Makes a buffer whose bytes are `value`, releases it, and returns where it was.
static unsigned char *leave(cl_context c, cl_command_queue q, cl_mem_flags flags, size_t size, int value)
{
    cl_mem m = make_buffer(c, flags, size, NULL);
    unsigned char *p = map(q, m, size);
    memset(p, value, size);
    unmap(q, m, p);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    return p;
}

static void stay_on_a_processor(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    CHECK_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

TEST(a_released_buffer_is_the_next_ones_storage)
{
    struct world w = open_world(0);
    stay_on_a_processor();
    for (int i = 0; i < SIZES; i++) {
        unsigned char *p = leave(w.context, w.queue, 0, sizes[i], 1);
        CHECK(leave(w.context, w.queue, CL_MEM_READ_ONLY, sizes[i], 2) == p);
        CHECK(leave(w.context, w.queue, CL_MEM_ALLOC_HOST_PTR, sizes[i], 3) == p);
        unsigned char *shared = make_shared(w.context, sizes[i]);
        CHECK(shared == p);
        clSVMFree(w.context, shared);
        CHECK(leave(w.context, w.queue, 0, sizes[i], 4) == p);
    }
    close_world(&w);
}

TEST(another_context_sees_nothing_of_it)
{
    struct world w = open_world(0);
    stay_on_a_processor();
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < SIZES; i++) {
            leave(w.context, w.queue, 0, sizes[i], 0xab);
            unsigned char *mine = make_shared(w.context, sizes[i]);
            memset(mine, 0xab, sizes[i]);
            clSVMFree(w.context, mine);
            cl_mem m = make_buffer(w.other, 0, sizes[i], NULL);
            unsigned char *p = map(w.other_queue, m, sizes[i]);
            check_bytes(p, sizes[i], 0);
            unmap(w.other_queue, m, p);
            p = make_shared(w.other, sizes[i]);
            check_bytes(p, sizes[i], 0);
            clSVMFree(w.other, p);
            CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        }
    close_world(&w);
}

// A context may be made in the memory of one that was destroyed.
TEST(the_next_context_sees_nothing_of_a_destroyed_one)
{
    for (int round = 0; round < 5; round++) {
        struct world w = open_world(0);
        for (int i = 0; i < SIZES; i++) {
            cl_mem m = make_buffer(w.context, 0, sizes[i], NULL);
            unsigned char *p = map(w.queue, m, sizes[i]);
            check_bytes(p, sizes[i], 0);
            memset(p, 0xab, sizes[i]);
            unmap(w.queue, m, p);
            CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        }
        close_world(&w);
    }
}

// The context lives as long as its objects do.
TEST(a_buffer_that_outlives_its_contexts_handle)
{
    struct world w = open_world(0);
    for (int i = 0; i < SIZES; i++) {
        cl_int error = 1;
        cl_context c = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        cl_mem m = make_buffer(c, 0, sizes[i], NULL), sub = make_sub(m, 0, 500);
        cl_command_queue q = make_queue(c, w.device, 0);
        leave(c, q, 0, sizes[i], 1);
        CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
        CHECK_EQ(clReleaseContext(c), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS);
    }
    close_world(&w);
}

// A sub-buffer and a waiting command hold the storage.
TEST(storage_in_use_is_nobody_elses)
{
    struct world w = open_world(0);
    for (int i = 0; i < SIZES; i++) {
        size_t size = sizes[i];
        cl_event gate = make_user_event(w.context);
        cl_mem m = make_buffer(w.context, 0, size, NULL), sub = make_sub(m, 0, 512);
        const unsigned char seven = 7, nine = 9;
        unsigned char *back = malloc(size);
        CHECK(back != NULL);
        CHECK_EQ(clEnqueueFillBuffer(w.queue, m, &seven, 1, 0, size, 1, &gate, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_FALSE, 0, size, back, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        cl_mem others[4];
        cl_command_queue q = make_queue(w.context, w.device, 0);
        for (int k = 0; k < 4; k++)
            others[k] = make_buffer(w.context, 0, size, NULL);
        CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        for (int k = 0; k < 4; k++)
            CHECK_EQ(clEnqueueFillBuffer(q, others[k], &nine, 1, 0, size, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(q), CL_SUCCESS);
        CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
        check_bytes(back, size, 7);
        cl_mem last = make_buffer(w.context, 0, size, NULL); // the sub-buffer still holds it
        CHECK_EQ(clEnqueueFillBuffer(q, last, &nine, 1, 0, size, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(q), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(w.queue, sub, CL_TRUE, 0, 512, back, 0, NULL, NULL), CL_SUCCESS);
        check_bytes(back, 512, 7);
        for (int k = 0; k < 4; k++)
            CHECK_EQ(clReleaseMemObject(others[k]), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(last), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS);
        CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
        free(back);
    }
    close_world(&w);
}

// The program may go on to use a pointer that it didn't unmap.
TEST(storage_that_is_mapped_when_it_is_released_isnt_used_again)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 5 * MIB, NULL);
    unsigned char *p = map(w.queue, m, 5 * MIB);
    memset(p, 0xab, 5 * MIB);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    cl_mem next = make_buffer(w.context, 0, 5 * MIB, NULL); // perhaps at the same addresses, but new
    p = map(w.queue, next, 5 * MIB);
    check_bytes(p, 5 * MIB, 0);
    unmap(w.queue, next, p);
    CHECK_EQ(clReleaseMemObject(next), CL_SUCCESS);
    close_world(&w);
}

static unsigned char *of_destructor;
static int destructor_calls;

static void CL_CALLBACK still_there(cl_mem m, void *order)
{
    (void)m;
    CHECK_EQ(of_destructor[0], 5);
    CHECK_EQ(destructor_calls++, *(int *)order);
    of_destructor[1] = 6;
}

TEST(destructor_callbacks_run_while_the_storage_is_the_objects)
{
    static int first = 0, second = 1;
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 5 * MIB, NULL);
    of_destructor = map(w.queue, m, 5 * MIB);
    of_destructor[0] = 5;
    unmap(w.queue, m, of_destructor);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, still_there, &second), CL_SUCCESS);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, still_there, &first), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(destructor_calls, 2);
    cl_mem next = make_buffer(w.context, 0, 5 * MIB, NULL);
    unsigned char *p = map(w.queue, next, 5 * MIB);
    CHECK(p == of_destructor);
    CHECK_EQ(p[1], 6);
    unmap(w.queue, next, p);
    CHECK_EQ(clReleaseMemObject(next), CL_SUCCESS);
    close_world(&w);
}

TEST(memory_of_the_application_never_enters_the_pool)
{
    struct world w = open_world(0);
    unsigned char *own = aligned_alloc(2 * MIB, 6 * MIB);
    CHECK(own != NULL);
    cl_mem m = make_buffer(w.context, CL_MEM_USE_HOST_PTR, 6 * MIB, own);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    for (int i = 0; i < 4; i++) {
        unsigned char *p = leave(w.context, w.queue, 0, 6 * MIB, 1);
        CHECK(p + 6 * MIB <= own || p >= own + 6 * MIB);
    }
    free(own);
    close_world(&w);
}

// An image with rows of its own distance takes what a buffer has left, and the other way round.
TEST(images_and_buffers_exchange_storage)
{
    struct world w = open_world(0);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1000, .image_height = 1300};
    const size_t origin[3] = {0}, region[3] = {1000, 1300, 1}, pixel[3] = {1, 1, 1};
    const cl_uint color[4] = {1, 2, 3, 4};
    unsigned char *p = leave(w.context, w.queue, 0, 4000 * 1300, 0xab), texel[4];
    cl_int error = 1;
    cl_mem image = clCreateImage(w.context, 0, &format, &desc, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueFillImage(w.queue, image, color, origin, region, 0, NULL, NULL), CL_SUCCESS);
    const size_t last[3] = {999, 1299, 0};
    CHECK_EQ(clEnqueueReadImage(w.queue, image, CL_TRUE, last, pixel, 0, 0, texel, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_MEM(texel, ((const unsigned char[]){1, 2, 3, 4}), 4);
    CHECK_EQ(clReleaseMemObject(image), CL_SUCCESS);
    CHECK(leave(w.context, w.queue, 0, 4000 * 1300, 1) == p);
    close_world(&w);
}

// clEnqueueSVMFree gives to the pool what its command has freed, after the commands before it.
TEST(memory_freed_by_a_command)
{
    struct world w = open_world(0);
    cl_event gate = make_user_event(w.context);
    void *p = make_shared(w.context, 5 * MIB);
    const unsigned char seven = 7;
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, p, &seven, 1, 5 * MIB, 1, &gate, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMFree(w.queue, 1, &p, NULL, NULL, 0, NULL, NULL), CL_SUCCESS);
    void *q = make_shared(w.context, 5 * MIB);
    CHECK(q != p);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK(make_shared(w.context, 5 * MIB) == p);
    clSVMFree(w.context, q);
    clSVMFree(w.context, p);
    close_world(&w);
}
