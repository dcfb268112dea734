// Which ioctls a dma-buf gets when commands acquire and release it. A memfd stands for the dma-buf: the test
// defines fstatfs and ioctl, and so gets the driver's calls. dma_buf.c has real ones.
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "external_memory_fixture.h"

enum { BYTES = 4096, TAKE = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW, GIVE = DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW };

// ---- In the way ----

#define EXPORT __attribute__((visibility("default")))

static ino_t disguised; // the memfd's number; 0: none
static _Atomic int sync_count;
static struct {
    int fd;
    uint64_t flags;
} syncs[64];
static _Atomic int answers[4]; // errors of the next calls, from the last on
static _Atomic int answers_left;

static bool is_disguised(int fd)
{
    // By the system's own call: the thread sanitizer would know of files that the driver opens on threads
    // with a table of their own.
    struct stat st;
    return disguised && syscall(SYS_fstat, fd, &st) == 0 && st.st_ino == disguised;
}

EXPORT int fstatfs(int fd, struct statfs *fs)
{
    int result = (int)syscall(SYS_fstatfs, fd, fs);
    if (result == 0 && is_disguised(fd))
        fs->f_type = DMA_BUF_MAGIC;
    return result;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list ap;
    va_start(ap, request);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    if (request != DMA_BUF_IOCTL_SYNC)
        return (int)syscall(SYS_ioctl, fd, request, arg);
    int left = atomic_load(&answers_left);
    if (left) {
        atomic_store(&answers_left, left - 1);
        errno = atomic_load(&answers[left - 1]);
        return -1;
    }
    const int n = atomic_load(&sync_count);
    CHECK_LT(n, COUNT_OF(syncs));
    syncs[n].fd = fd;
    syncs[n].flags = ((struct dma_buf_sync *)arg)->flags;
    atomic_store(&sync_count, n + 1);
    return 0;
}

static void expect(const char *when, size_t count, const uint64_t *flags)
{
    if ((size_t)sync_count != count)
        FAIL("%s: synchronized %d times, not %zu", when, sync_count, count);
    for (size_t i = 0; i < count; i++)
        if (syncs[i].flags != flags[i])
            FAIL("%s: %zu is %" PRIu64 ", not %" PRIu64, when, i, syncs[i].flags, flags[i]);
    sync_count = 0;
}
#define EXPECT(when, ...) expect(when, COUNT_OF(((uint64_t[]){__VA_ARGS__})), (const uint64_t[]){__VA_ARGS__})
#define EXPECT_NOTHING(when) expect(when, 0, NULL)

// ---- What the tests share ----

static int new_dma_buf(void)
{
    int fd = new_memfd(BYTES);
    struct stat st;
    CHECK_EQ(fstat(fd, &st), 0);
    disguised = st.st_ino;
    return fd;
}

static cl_int end_of(cl_event e)
{
    cl_int s = 1;
    (void)clWaitForEvents(1, &e);
    s = status_of(e);
    OK(clReleaseEvent(e));
    return s;
}

static cl_int hand_over(clEnqueueAcquireExternalMemObjectsKHR_fn call, cl_command_queue q, cl_uint count,
                        const cl_mem *mems)
{
    cl_event e;
    OK(call(q, count, mems, 0, NULL, &e));
    return end_of(e);
}

static _Atomic int reports;
static void CL_CALLBACK count_report(const char *text, const void *data, size_t size, void *user)
{
    (void)data;
    (void)size;
    (void)user;
    CHECK(strstr(text, "dma-buf") != NULL);
    atomic_fetch_add(&reports, 1);
}

static cl_context new_reporting_context(void)
{
    cl_device_id d = the_device();
    cl_int err = 1;
    cl_context c = clCreateContext(NULL, 1, &d, count_report, NULL, &err);
    OK(err);
    return c;
}

// ---- Tests ----

TEST(each_side_is_synchronized_once)
{
    find_functions();
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    int fd = new_dma_buf(), again = dup(fd), opaque = dup(fd);
    cl_mem m = import_dma_buf(c, fd, BYTES, CL_SUCCESS);
    EXPECT_NOTHING("created");
    CHECK(!is_open(fd));
    CHECK_EQ(hand_over(release, q, 1, &m), CL_COMPLETE);
    EXPECT_NOTHING("released without having been acquired");
    CHECK_EQ(hand_over(acquire, q, 1, &m), CL_COMPLETE);
    EXPECT("acquired", TAKE);
    int value = 1;
    OK(clEnqueueWriteBuffer(q, m, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    EXPECT_NOTHING("written");
    CHECK_EQ(hand_over(release, q, 1, &m), CL_COMPLETE);
    EXPECT("released", GIVE);
    CHECK_EQ(hand_over(release, q, 1, &m), CL_COMPLETE);
    EXPECT_NOTHING("released twice");
    const cl_mem all[] = {
        m, import_dma_buf(c, again, BYTES, CL_SUCCESS),
        import_as(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, c, opaque, 0, BYTES, CL_SUCCESS)};
    CHECK_EQ(hand_over(acquire, q, 3, all), CL_COMPLETE);
    EXPECT("three, one of them as an opaque descriptor", TAKE, TAKE, TAKE);
    CHECK_EQ(hand_over(release, q, 2, all), CL_COMPLETE);
    EXPECT("two of the three", GIVE, GIVE);
    for (size_t i = 0; i < COUNT_OF(all); i++)
        OK(clReleaseMemObject(all[i]));
    EXPECT("the third is gone", GIVE);
    CHECK_EQ(hand_over(acquire, q, 0, NULL), CL_COMPLETE);
    EXPECT_NOTHING("none acquired");
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(other_memory_is_not_synchronized)
{
    find_functions();
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_mem m = import_as(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, c, new_memfd(BYTES), 0, BYTES, CL_SUCCESS);
    CHECK_EQ(hand_over(acquire, q, 1, &m), CL_COMPLETE);
    CHECK_EQ(hand_over(release, q, 1, &m), CL_COMPLETE);
    OK(clReleaseMemObject(m));
    EXPECT_NOTHING("a memfd");
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(what_is_immutable_is_read)
{
    find_functions();
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_mem m = import_as(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, c, new_dma_buf(),
                         CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT, BYTES, CL_SUCCESS);
    CHECK_EQ(hand_over(acquire, q, 1, &m), CL_COMPLETE);
    CHECK_EQ(hand_over(release, q, 1, &m), CL_COMPLETE);
    EXPECT("immutable", DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(synchronization_happens_when_the_command_runs)
{
    find_functions();
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_mem m = import_dma_buf(c, new_dma_buf(), BYTES, CL_SUCCESS);
    cl_event gate = new_user_event(c), taken, given;
    OK(acquire(q, 1, &m, 1, &gate, &taken));
    OK(release(q, 1, &m, 0, NULL, &given));
    OK(clFlush(q));
    sleep_ms(20);
    EXPECT_NOTHING("held up");
    OK(clReleaseMemObject(m)); // the commands have it
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK_EQ(end_of(taken), CL_COMPLETE);
    CHECK_EQ(end_of(given), CL_COMPLETE);
    EXPECT("let go", TAKE, GIVE);
    OK(clReleaseEvent(gate));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(a_command_that_does_not_run_synchronizes_nothing)
{
    find_functions();
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_mem m = import_dma_buf(c, new_dma_buf(), BYTES, CL_SUCCESS);
    cl_event gate = new_user_event(c), taken;
    OK(acquire(q, 1, &m, 1, &gate, &taken));
    OK(clSetUserEventStatus(gate, -7));
    CHECK_LT(end_of(taken), 0);
    OK(clFinish(q));
    OK(clReleaseMemObject(m));
    EXPECT_NOTHING("its event has failed");
    OK(clReleaseEvent(gate));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(errors_of_the_exporter)
{
    find_functions();
    cl_context c = new_reporting_context();
    cl_command_queue q = new_queue(c, 0);
    int fd = new_dma_buf(), again = dup(fd);
    const cl_mem both[] = {import_dma_buf(c, fd, BYTES, CL_SUCCESS),
                           import_dma_buf(c, again, BYTES, CL_SUCCESS)};
    answers[0] = EAGAIN;
    answers[1] = answers[2] = EINTR;
    answers_left = 3;
    CHECK_EQ(hand_over(acquire, q, 1, both), CL_COMPLETE);
    EXPECT("interrupted", TAKE);
    answers[0] = EIO;
    answers_left = 1;
    CHECK_EQ(hand_over(release, q, 1, both), CL_OUT_OF_RESOURCES);
    await_count(&reports, 1);
    EXPECT_NOTHING("the end was refused");
    answers[0] = ENOTTY;
    answers_left = 1;
    CHECK_EQ(hand_over(acquire, q, 2, both), CL_OUT_OF_RESOURCES);
    await_count(&reports, 2);
    EXPECT("the second was not refused", TAKE);
    OK(clReleaseMemObject(both[0]));
    EXPECT_NOTHING("the first isn't acquired");
    OK(clReleaseMemObject(both[1]));
    EXPECT("the second is", GIVE);
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

// As a daemon does that closes all it has, and then opens something that gets this number. That is one step
// here: between two, a thread of the driver could get the number.
static void close_all_of_it(int number)
{
    const int other = open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK(other >= 0);
    CHECK_EQ(dup2(other, number), number);
    for (int fd = 3; fd < 1000; fd++)
        if (is_disguised(fd))
            CHECK_EQ(close(fd), 0);
}

TEST(the_application_closes_all_descriptors)
{
    find_functions();
    cl_context c = new_reporting_context();
    cl_command_queue q = new_queue(c, 0);
    cl_mem m = import_dma_buf(c, new_dma_buf(), BYTES, CL_SUCCESS);
    CHECK_EQ(hand_over(acquire, q, 1, &m), CL_COMPLETE);
    const int number = syncs[0].fd;
    EXPECT("acquired", TAKE);
    close_all_of_it(number);
    CHECK(!is_disguised(number));
    CHECK_EQ(hand_over(release, q, 1, &m), CL_OUT_OF_RESOURCES);
    await_count(&reports, 1);
    OK(clReleaseMemObject(m));
    EXPECT_NOTHING("the number is something else's");
    CHECK(is_open(number));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(no_descriptor_is_left)
{
    cl_context c = new_context();
    int fd = new_dma_buf();
    struct rlimit limit, none;
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = 3;
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    import_dma_buf(c, fd, BYTES, CL_OUT_OF_RESOURCES);
    CHECK(is_open(fd));
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    OK(clReleaseMemObject(import_dma_buf(c, fd, BYTES, CL_SUCCESS)));
    for (int i = 3; i < 1000; i++)
        CHECK(!is_disguised(i));
    OK(clReleaseContext(c));
}
