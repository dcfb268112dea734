// Commands that transfer from or to host memory that is unmapped or read-only fail, and the program goes on.
// The call itself transfers a few bytes, a command more, all threads a lot: the test does each of the three.
#include "api/memory_fixture.h"

#include <pthread.h>
#include <sys/mman.h>

enum { LITTLE = 100, MUCH = 4 << 20 };
static const size_t sizes[] = {LITTLE, 200 << 10, MUCH};

static _Atomic int notices;
static char last_notice[512];
static pthread_mutex_t notice_lock = PTHREAD_MUTEX_INITIALIZER;

static void CL_CALLBACK note(const char *info, const void *data, size_t size, void *user)
{
    (void)data;
    (void)size;
    (void)user;
    CHECK_CONTAINS(info, "memory");
    pthread_mutex_lock(&notice_lock);
    snprintf(last_notice, sizeof last_notice, "%s", info);
    pthread_mutex_unlock(&notice_lock);
    notices++;
}

struct place {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    unsigned char *none, *constant, *good; // MUCH bytes each, and only the last may be written
    cl_mem buffer, bad;                    // ordinary; over `none`
};

static struct place open_place(void)
{
    struct place p;
    cl_platform_id platform;
    cl_int error = 1;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &p.device, NULL), CL_SUCCESS);
    p.context = clCreateContext(NULL, 1, &p.device, note, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    p.queue = make_queue(p.context, p.device, 0);
    p.none = mmap(NULL, MUCH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p.constant = mmap(NULL, MUCH, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p.good = mmap(NULL, MUCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p.none != MAP_FAILED && p.constant != MAP_FAILED && p.good != MAP_FAILED);
    p.buffer = make_buffer(p.context, 0, MUCH, NULL);
    p.bad = make_buffer(p.context, CL_MEM_USE_HOST_PTR, MUCH, p.none);
    return p;
}

// What was enqueued before and after still works, and the same queue goes on.
static void close_place(struct place *p)
{
    CHECK_EQ(clFinish(p->queue), CL_SUCCESS);
    for (size_t i = 0; i < 3; i++) {
        unsigned char out = 0, byte = (unsigned char)(i + 7);
        CHECK_EQ(clEnqueueFillBuffer(p->queue, p->buffer, &byte, 1, 0, sizes[i], 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(p->queue, p->buffer, CL_TRUE, sizes[i] - 1, 1, &out, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(out, byte);
    }
    CHECK_EQ(clReleaseMemObject(p->bad), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(p->buffer), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(p->queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(p->context), CL_SUCCESS);
    munmap(p->none, MUCH);
    munmap(p->constant, MUCH);
    munmap(p->good, MUCH);
}

// A move of n bytes that must fail. event NULL: none is wanted.
typedef cl_int (*failing_move)(struct place *p, size_t n, cl_bool blocking, cl_event *event);

static void check_failure(failing_move call)
{
    struct place p = open_place();
    for (size_t i = 0; i < 3; i++) {
        int before = notices;
        cl_event e = NULL;
        // Without an event, and so perhaps by the call itself, or by a command that nobody asks about.
        call(&p, sizes[i], CL_FALSE, NULL);
        CHECK_EQ(clFinish(p.queue), CL_SUCCESS);
        CHECK_EQ(notices, before + 1); // one, however many threads have met it
        CHECK_LT(call(&p, sizes[i], CL_TRUE, NULL), 0);
        before = notices;
        CHECK_EQ(call(&p, sizes[i], CL_FALSE, &e), CL_SUCCESS);
        CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_EQ(event_status(e), CL_OUT_OF_RESOURCES);
        CHECK_EQ(notices, before + 1); // one, however many threads have met it
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    }
    close_place(&p);
}

// Calls that can't block: the wait makes them blocking.
static cl_int finish(struct place *p, cl_int error, cl_bool blocking, cl_event own, cl_event *event)
{
    if (error || !own)
        return error;
    cl_int status = CL_SUCCESS;
    if (blocking) {
        clWaitForEvents(1, &own);
        status = event_status(own);
    }
    if (event)
        *event = own;
    else
        CHECK_EQ(clReleaseEvent(own), CL_SUCCESS);
    (void)p;
    return status;
}
#define WITH_EVENT(call)                                        \
    cl_event own = NULL, *at = blocking || event ? &own : NULL; \
    cl_int error = (call);                                      \
    return finish(p, error, blocking, own, event)

static cl_int read_into_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    return clEnqueueReadBuffer(p->queue, p->buffer, blocking, 0, n, p->none, 0, NULL, event);
}

static cl_int read_into_constants(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    return clEnqueueReadBuffer(p->queue, p->buffer, blocking, 0, n, p->constant, 0, NULL, event);
}

static cl_int write_from_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    return clEnqueueWriteBuffer(p->queue, p->buffer, blocking, 0, n, p->none, 0, NULL, event);
}

static cl_int write_to_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    return clEnqueueWriteBuffer(p->queue, p->bad, blocking, 0, n, p->good, 0, NULL, event);
}

static cl_int copy_from_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    WITH_EVENT(clEnqueueCopyBuffer(p->queue, p->bad, p->buffer, 0, 0, n, 0, NULL, at));
}

static cl_int copy_to_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    WITH_EVENT(clEnqueueCopyBuffer(p->queue, p->buffer, p->bad, 0, 0, n, 0, NULL, at));
}

static cl_int fill_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    WITH_EVENT(clEnqueueFillBuffer(p->queue, p->bad, "abcd", 4, 0, n, 0, NULL, at));
}

static cl_int read_rows_into_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    const size_t zero[3] = {0}, region[3] = {n / 10, 8, 1};
    return clEnqueueReadBufferRect(p->queue, p->buffer, blocking, zero, zero, region, n / 9, 0, n / 8, 0,
                                   p->none, 0, NULL, event);
}

static cl_int write_rows_from_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    const size_t zero[3] = {0}, region[3] = {n / 10, 8, 1};
    return clEnqueueWriteBufferRect(p->queue, p->buffer, blocking, zero, zero, region, n / 9, 0, n / 8, 0,
                                    p->none, 0, NULL, event);
}

static cl_int copy_rows_to_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    const size_t zero[3] = {0}, region[3] = {n / 10, 8, 1};
    WITH_EVENT(clEnqueueCopyBufferRect(p->queue, p->buffer, p->bad, zero, zero, region, n / 9, 0, n / 8, 0, 0,
                                       NULL, at));
}

static cl_int svm_copy_to_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    return clEnqueueSVMMemcpy(p->queue, blocking, p->none, p->good, n, 0, NULL, event);
}

static cl_int svm_copy_from_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    return clEnqueueSVMMemcpy(p->queue, blocking, p->good, p->none, n, 0, NULL, event);
}

static cl_int svm_fill_none(struct place *p, size_t n, cl_bool blocking, cl_event *event)
{
    WITH_EVENT(clEnqueueSVMMemFill(p->queue, p->none, "abcd", 4, n, 0, NULL, at));
}

#define MOVE_TEST(call)      \
    TEST(call##_fails)       \
    {                        \
        check_failure(call); \
    }
MOVE_TEST(read_into_none)
MOVE_TEST(read_into_constants)
MOVE_TEST(write_from_none)
MOVE_TEST(write_to_none)
MOVE_TEST(copy_from_none)
MOVE_TEST(copy_to_none)
MOVE_TEST(fill_none)
MOVE_TEST(read_rows_into_none)
MOVE_TEST(write_rows_from_none)
MOVE_TEST(copy_rows_to_none)
MOVE_TEST(svm_copy_to_none)
MOVE_TEST(svm_copy_from_none)
MOVE_TEST(svm_fill_none)

TEST(a_file_that_became_shorter_fails_the_command)
{
    struct place p = open_place();
    int fd = memfd_create("short", 0);
    CHECK_GE(fd, 0);
    CHECK_EQ(ftruncate(fd, MUCH), 0);
    unsigned char *file = mmap(NULL, MUCH, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(file != MAP_FAILED);
    CHECK_EQ(ftruncate(fd, 4096), 0);
    CHECK_EQ(clEnqueueWriteBuffer(p.queue, p.buffer, CL_TRUE, 0, 4096, file, 0, NULL, NULL), CL_SUCCESS);
    for (size_t i = 1; i < 3; i++)
        CHECK_EQ(clEnqueueWriteBuffer(p.queue, p.buffer, CL_TRUE, 0, sizes[i], file, 0, NULL, NULL),
                 CL_OUT_OF_RESOURCES);
    munmap(file, MUCH);
    close(fd);
    close_place(&p);
}

TEST(a_buffer_made_from_missing_memory_is_refused)
{
    struct place p = open_place();
    for (size_t i = 0; i < 3; i++) {
        cl_int error = 1;
        CHECK(clCreateBuffer(p.context, CL_MEM_COPY_HOST_PTR, sizes[i], p.none, &error) == NULL);
        CHECK_EQ(error, CL_INVALID_HOST_PTR);
    }
    close_place(&p);
}

// The processor doesn't report an address that none of its memory can have.
TEST(an_address_that_no_memory_can_have_is_reported_as_unknown)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("the sanitizer looks at the address first");
#if !defined(__x86_64__)
    SKIP("this processor reports all addresses");
#endif
    struct place p = open_place();
    unsigned char *nowhere = (unsigned char *)(uintptr_t)0x5a5a5a5a5a5a5a5a;
    for (size_t i = 0; i < 3; i++) {
        last_notice[0] = '\0';
        cl_event e = NULL;
        if (clEnqueueWriteBuffer(p.queue, p.buffer, CL_FALSE, 0, sizes[i], nowhere, 0, NULL, &e) ==
            CL_SUCCESS) {
            CHECK_EQ(clFinish(p.queue), CL_SUCCESS);
            CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
        }
        CHECK_CONTAINS(last_notice, "at an address that the processor doesn't report");
        CHECK(!strstr(last_notice, "(nil)"));
    }
    close_place(&p);
}
