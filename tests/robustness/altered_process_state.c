// An application may have changed its process before it calls Weft: limits, locale, floating-point modes,
// forks, a loop that reaps children. That must not affect compilers or commands.
// timeout: 120
#include "e2e/e2e.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <locale.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "float_control.h"

// A separate cache folder, so that builds really compile.
static char folder[] = "/tmp/weft-e2e-XXXXXX";

static int delete_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st, (void)type, (void)place;
    return remove(path);
}

static void use_own_cache(void)
{
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE_DIR", folder, 1);
    setenv("WEFT_CACHE", "1", 1);
}

static void remove_own_cache(void)
{
    // Background work may still put something there.
    int left = -1;
    for (int i = 0; left != 0 && i < 500; i++) {
        left = nftw(folder, delete_one, 16, FTW_DEPTH | FTW_PHYS);
        if (left != 0)
            usleep(20000);
    }
    CHECK_EQ(left, 0);
}

TEST(a_loop_that_reaps_every_child_sees_its_own_only)
{
    setenv("WEFT_CACHE", "0", 1);
    struct e2e t = e2e_open();
    for (int i = 0; i < 5; i++) {
        fflush(NULL);
        pid_t mine = fork();
        if (mine == 0)
            _exit(40 + i);
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        e2e_works(&t, option);
        int status = 0;
        CHECK_EQ(waitpid(-1, &status, __WALL), mine);
        CHECK_EQ(WEXITSTATUS(status), 40 + i);
        CHECK_EQ(waitpid(-1, &status, __WALL | WNOHANG), -1);
        CHECK_EQ(errno, ECHILD);
    }
    e2e_close(&t);
}

TEST(limits_of_the_application_are_not_the_compilers)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers need more than these limits leave");
    setenv("WEFT_CACHE", "0", 1);
    const struct rlimit stack = {256 << 10, 256 << 10}, cpu = {60, 60};
    CHECK_EQ(setrlimit(RLIMIT_STACK, &stack), 0);
    CHECK_EQ(setrlimit(RLIMIT_CPU, &cpu), 0);
    struct e2e t = e2e_open();
    e2e_works(&t, "-DONE");
    // Deep recursion in the compiler, for which 256 KB aren't enough, ends with a message or succeeds.
    char source[9000] = "kernel void f(global int *p) { *p = 1";
    for (int i = 0; i < 2000; i++)
        strcat(source, " + 1"); // NOLINT: the size is sufficient
    strcat(source, "; }");      // NOLINT
    cl_program p = e2e_build(&t, source, "");
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(no_file_may_be_written)
{
    use_own_cache();
    struct e2e t = e2e_open();
    e2e_works(&t, "-DBEFORE");
    // Like a full disk, but with a signal in place of an error. Code objects are memory files. They may fail,
    // but the process must go on.
    const struct rlimit none = {0, RLIM_INFINITY};
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    cl_program p = e2e_program(&t, "kernel void f(global int *p) { *p = 1; }");
    cl_int error = clBuildProgram(p, 1, &t.device, "", NULL, NULL);
    cl_kernel k = error ? NULL : clCreateKernel(p, "f", &error);
    if (k) {
        cl_mem m = e2e_buffer(&t, 4, NULL);
        E2E_ARG(k, 0, m);
        const size_t one = 1;
        clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &all), 0);
    e2e_works(&t, "-DAFTER");
    e2e_close(&t);
    remove_own_cache();
}

// How a build treats floating-point constants, and a kernel its arguments, must not depend on the calling
// thread's floating-point mode. Numbers must not depend on the locale.
TEST(locale_and_flushed_denormals)
{
#if !TEST_FLOAT_CONTROL
    SKIP("nobody knows this processor's control register");
#else
    setenv("WEFT_CACHE", "0", 1);
    setenv("LD_PRELOAD", "/nonexistent/preloaded.so", 1); // weftc must start without a message of ld.so
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        setlocale(LC_ALL, "C.UTF-8");
    const unsigned before = test_float_control();
    test_set_float_control(before | TEST_FLOAT_FLUSH);
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "kernel void tiny(global uint *p, float f)\n"
                             "{ p[0] = as_uint(1.0e-39f); p[1] = as_uint(f * 0.5f); p[2] = as_uint(2.5f); }",
                             "", "tiny");
    const union {
        cl_uint bits;
        cl_float value;
    } least = {.bits = 0x00800000};
    cl_uint got[3] = {0};
    cl_mem m = e2e_buffer(&t, sizeof got, NULL);
    E2E_ARG(k, 0, m);
    E2E_ARG(k, 1, least.value);
    e2e_run(&t, k, 1, NULL);
    e2e_read(&t, m, sizeof got, got);
    CHECK_EQ(test_float_control() & TEST_FLOAT_FLUSH, TEST_FLOAT_FLUSH);
    test_set_float_control(before);
    CHECK_EQ(got[0], 0x000ae398);
    CHECK_EQ(got[1], 0x00400000);
    CHECK_EQ(got[2], 0x40200000);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
#endif
}

static _Atomic int built;

static void CL_CALLBACK on_built(cl_program p, void *user)
{
    (void)p, (void)user;
    built++;
}

TEST(fork_while_builds_are_under_way)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    setenv("WEFT_CACHE", "0", 1);
    struct e2e t = e2e_open();
    enum { ITERATIONS = 6 };
    for (int i = 0; i < ITERATIONS; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        cl_program p = e2e_program(&t, "kernel void f(global int *p) { p[get_global_id(0)] = ROUND; }");
        CHECK_EQ(clBuildProgram(p, 1, &t.device, option, on_built, NULL), CL_SUCCESS);
        usleep((unsigned)i * 700);
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(60);
            e2e_works(&t, "-DCHILD");
            _exit(0);
        }
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK_EQ(status, 0);
        for (int n = 0; n < 20000 && built <= i; n++)
            usleep(1000);
        CHECK_EQ(built, i + 1);
        cl_int error = 1;
        cl_kernel k = clCreateKernel(p, "f", &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    e2e_close(&t);
}

// Overwrites the middle of each file in the cache.
static int damage_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)place;
    if (type != FTW_F || st->st_size < 64)
        return 0;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && pwrite(fd, "torn torn torn", 14, st->st_size / 2) == 14;
    if (fd >= 0)
        close(fd);
    return ok ? 0 : -1;
}

static int entries;

static int count_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)path, (void)st, (void)place;
    entries += type == FTW_F;
    return 0;
}

static void run_in_processes(int count)
{
    pid_t pids[8];
    fflush(NULL);
    for (int i = 0; i < count; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            alarm(90);
            struct e2e t = e2e_open();
            e2e_works(&t, "-DTHE_SAME");
            e2e_close(&t);
            exit(0); // stores what hasn't been stored yet
        }
    }
    for (int i = 0; i < count; i++) {
        int status = 1;
        CHECK_EQ(waitpid(pids[i], &status, 0), pids[i]);
        CHECK_EQ(status, 0);
    }
}

TEST(processes_that_build_the_same_at_once_and_find_it_damaged_later)
{
    use_own_cache();
    run_in_processes(4);
    CHECK_EQ(nftw(folder, count_one, 16, FTW_PHYS), 0);
    CHECK_GE(entries, 2); // the program and its kernel
    run_in_processes(1);
    CHECK_EQ(nftw(folder, damage_one, 16, FTW_PHYS), 0);
    run_in_processes(2);
    run_in_processes(1);
    remove_own_cache();
}

TEST(queued_work_starts_though_nobody_flushes_or_waits)
{
    setenv("WEFT_CACHE", "0", 1);
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, "kernel void set(global int *p) { *p = 7; }", "", "set");
    cl_mem m = e2e_buffer(&t, 4, NULL);
    E2E_ARG(k, 0, m);
    for (int i = 0; i < 50; i++) {
        cl_event e[2];
        const size_t one = 1;
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, &e[0]), CL_SUCCESS);
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 1, &e[0], &e[1]), CL_SUCCESS);
        // Asking for the status neither flushes nor waits.
        for (int n = 0; n < 20000 && e2e_status(e[1]) > CL_COMPLETE; n++)
            usleep(1000);
        CHECK_EQ(e2e_status(e[1]), CL_COMPLETE);
        CHECK_EQ(clReleaseEvent(e[0]), CL_SUCCESS);
        CHECK_EQ(clReleaseEvent(e[1]), CL_SUCCESS);
        usleep(i % 5 == 0 ? 4000 : 10); // sometimes long enough for all pool threads to sleep
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// ---- fork while other threads are in calls ----

struct shared {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem mem;
    cl_program program;
    _Atomic bool stop;
};

static void use_shared(struct shared *s)
{
    int value = 5;
    cl_int status = 0;
    cl_uint maps = 0;
    size_t got = 0;
    char text[64];
    CHECK_EQ(clSetKernelArg(s->kernel, 0, sizeof s->mem, &s->mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(s->kernel, 1, sizeof value, &value), CL_SUCCESS);
    CHECK_EQ(clGetMemObjectInfo(s->mem, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL), CL_SUCCESS);
    void *at = clEnqueueMapBuffer(s->queue, s->mem, CL_FALSE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &status);
    CHECK_EQ(status, CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(s->queue, s->mem, at, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueMarkerWithWaitList(s->queue, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clGetProgramInfo(s->program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, &got), CL_SUCCESS);
    CHECK_EQ(clRetainKernel(s->kernel), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(s->kernel), CL_SUCCESS);
}

static void *keep_using(void *arg)
{
    struct shared *s = arg;
    while (!s->stop)
        use_shared(s);
    return NULL;
}

TEST(a_forked_child_finds_no_object_locked)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer can't follow a fork of several threads");
    struct e2e t = e2e_open();
    struct shared s = {.queue = t.queue};
    s.program = e2e_build(&t, "kernel void k(global int *p, int n) { p[0] = n; }", "");
    cl_int err = 1;
    s.kernel = clCreateKernel(s.program, "k", &err);
    CHECK_EQ(err, CL_SUCCESS);
    s.mem = e2e_buffer(&t, 64, NULL);
    size_t bytes; // waits for the best code, because not every child should start a compiler of its own
    CHECK_EQ(clGetProgramInfo(s.program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, keep_using, &s), 0);
    fflush(NULL);
    for (int round = 0; round < 30; round++) {
        usleep(500);
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            for (int i = 0; i < 3; i++)
                use_shared(&s);
            // A separate queue, whose commands are waited for.
            struct e2e mine = t;
            mine.queue = clCreateCommandQueue(t.context, t.device, 0, &err);
            CHECK_EQ(err, CL_SUCCESS);
            size_t one = 1;
            int got = 0;
            CHECK_EQ(clEnqueueNDRangeKernel(mine.queue, s.kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
                     CL_SUCCESS);
            e2e_read(&mine, s.mem, sizeof got, &got);
            CHECK_EQ(got, 5);
            _exit(0);
        }
        int status = 1;
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK_EQ(status, 0);
    }
    s.stop = true;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(s.kernel), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(s.program), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(s.mem), CL_SUCCESS);
    e2e_close(&t);
}
