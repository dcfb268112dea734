// A seccomp filter, like that of a sandbox, denies the system calls that Weft and its compilers use, one by
// one. Also malloc fails in the whole process. The result is an error code or correct. Nothing hangs, and
// everything works again when there is memory.
// timeout: 200
// env: WEFT_CACHE=0
#include <errno.h>

#include "denied_call.h"
#include "e2e/e2e.h"

// Each call may fail. Returns whether the kernel has run.
static bool try_everything(struct e2e *t, int round)
{
    static const char *source = "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }\n"
                                "kernel void wild(global int *p) { *(global int *)(ulong)64 = 1; }\n";
    char option[32];
    snprintf(option, sizeof option, "-DROUND=%d", round);
    cl_int error = 1;
    cl_program p = clCreateProgramWithSource(t->context, 1, &source, NULL, &error);
    if (!p)
        return false;
    bool ran = false;
    cl_kernel k = NULL, wild = NULL;
    cl_mem m = clCreateBuffer(t->context, 0, 4096, NULL, &error);
    if (clBuildProgram(p, 1, &t->device, option, NULL, NULL) == CL_SUCCESS) {
        k = clCreateKernel(p, "twice", &error);
        wild = clCreateKernel(p, "wild", &error);
    }
    const size_t n = 1024, one = 1;
    if (k && m && clSetKernelArg(k, 0, sizeof m, &m) == CL_SUCCESS) {
        int two = 2, data[1024] = {0};
        ran = clEnqueueFillBuffer(t->queue, m, &two, 4, 0, 4096, 0, NULL, NULL) == CL_SUCCESS &&
              clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS;
        ran &= clEnqueueReadBuffer(t->queue, m, CL_TRUE, 0, 4096, data, 0, NULL, NULL) == CL_SUCCESS;
        ran &= data[1023] == 4;
    }
    cl_event e = NULL;
    if (wild && m && clSetKernelArg(wild, 0, sizeof m, &m) == CL_SUCCESS &&
        clEnqueueNDRangeKernel(t->queue, wild, 1, NULL, &one, NULL, 0, NULL, &e) == CL_SUCCESS) {
        clFinish(t->queue);
        CHECK_LT(e2e_status(e), 0);
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    }
    clFinish(t->queue);
    if (wild)
        clReleaseKernel(wild);
    if (k)
        clReleaseKernel(k);
    if (m)
        clReleaseMemObject(m);
    clReleaseProgram(p);
    return ran;
}

// ---- System calls ----

#if defined(__x86_64__)
enum { WITHOUT_RESULT = 10, NO_FILTER = 11 };

static void live_without(int number, int error, bool from_the_start)
{
    alarm(60);
    struct e2e t = {0};
    if (from_the_start) {
        cl_platform_id platform;
        cl_int code = 1;
        if (!deny_call(number, error))
            _exit(NO_FILTER);
        if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
            clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &t.device, NULL) != CL_SUCCESS ||
            !(t.context = clCreateContext(NULL, 1, &t.device, NULL, NULL, &code)) ||
            !(t.queue = clCreateCommandQueue(t.context, t.device, 0, &code)))
            exit(WITHOUT_RESULT);
    } else {
        t = e2e_open();
        try_everything(&t, 100);
        if (!deny_call(number, error))
            _exit(NO_FILTER);
    }
    bool ran = false;
    for (int round = 0; round < 2; round++)
        ran |= try_everything(&t, round);
    e2e_close(&t);
    exit(ran ? 0 : WITHOUT_RESULT);
}

static void refuse_each(int error, bool from_the_start)
{
    // System calls without which something fails. The long version of the test denies every system call.
    static const int some[] = {SYS_read,        SYS_write,        SYS_close,
                               SYS_poll,        SYS_mmap,         SYS_mprotect,
                               SYS_sendto,      SYS_recvfrom,     SYS_clone,
                               SYS_clone3,      SYS_socketpair,   SYS_execve,
                               SYS_fcntl,       SYS_dup3,         SYS_openat,
                               SYS_newfstatat,  SYS_getcwd,       SYS_readlink,
                               SYS_prctl,       SYS_memfd_create, SYS_sched_getaffinity,
                               SYS_sigaltstack, SYS_waitid,       SYS_sched_setaffinity,
                               SYS_wait4,       SYS_pidfd_open,   SYS_sched_getattr,
                               SYS_kill,        SYS_mbind,        SYS_sched_setattr};
    // These end a process, return from a handler, or wake a thread. Without rt_sigaction nothing can catch a
    // fault. Without rseq the C library ends the process.
    static const int never[] = {SYS_exit,   SYS_exit_group,   SYS_rt_sigreturn, SYS_futex,
                                SYS_munmap, SYS_rt_sigaction, SYS_rseq};
    bool all = getenv("WEFT_TEST_LONG") != NULL;
    int count = all ? 462 : (int)(sizeof some / sizeof some[0]), results = 0;
    for (int i = 0; i < count; i++) {
        int number = all ? i : some[i];
        bool skip = all && i >= 335 && i < 424; // these numbers are unused
        for (size_t n = 0; n < sizeof never / sizeof never[0]; n++)
            skip |= never[n] == number;
        if (skip)
            continue;
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            live_without(number, error, from_the_start);
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER)
            SKIP("this system has no seccomp");
        if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != WITHOUT_RESULT))
            FAIL("without call %d to the system: status %#x", number, (unsigned)status);
        results += WEXITSTATUS(status) == 0;
    }
    printf("%d results of %d\n", results, count);
    CHECK_GT(results, 0);
}

TEST(each_call_to_the_system_is_refused_after_the_start)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("the sanitizers need them");
    refuse_each(EPERM, false);
}

TEST(each_call_to_the_system_is_unknown_from_the_start)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("the sanitizers need them");
    refuse_each(ENOSYS, true);
}
#endif

// ---- Memory ----

#if !HARNESS_ASAN && !HARNESS_TSAN
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t count, size_t n);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);

static _Atomic long every, asked; // each n-th request fails; 0: none

static bool refused(void)
{
    long n = every;
    if (n == 0 || ++asked % n != 0)
        return false;
    errno = ENOMEM;
    return true;
}

#define EXPORT __attribute__((visibility("default")))
EXPORT void *malloc(size_t n)
{
    return refused() ? NULL : __libc_malloc(n);
}
EXPORT void *calloc(size_t count, size_t n)
{
    return refused() ? NULL : __libc_calloc(count, n);
}
EXPORT void *realloc(void *p, size_t n)
{
    return refused() ? NULL : __libc_realloc(p, n);
}
EXPORT void *aligned_alloc(size_t alignment, size_t n)
{
    return refused() ? NULL : __libc_memalign(alignment, n);
}
EXPORT int posix_memalign(void **out, size_t alignment, size_t n)
{
    if (refused())
        return ENOMEM;
    *out = __libc_memalign(alignment, n);
    return *out ? 0 : ENOMEM;
}

static void *try_again_and_again(void *arg)
{
    struct e2e *t = arg, mine = *t;
    for (int i = 0; i < 8; i++) {
        cl_int error = 1;
        mine.context = clCreateContext(NULL, 1, &t->device, NULL, NULL, &error);
        if (!mine.context)
            continue;
        mine.queue = clCreateCommandQueue(mine.context, mine.device, 0, &error);
        if (mine.queue) {
            try_everything(&mine, i);
            CHECK_EQ(clReleaseCommandQueue(mine.queue), CL_SUCCESS);
        }
        CHECK_EQ(clReleaseContext(mine.context), CL_SUCCESS);
    }
    return NULL;
}

TEST(memory_is_refused_to_everybody)
{
    static const long rates[] = {3, 7, 20, 100, 500, 1};
    struct e2e t = e2e_open();
    e2e_works(&t, "-DBEFORE");
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        pthread_t threads[3];
        for (int n = 0; n < 3; n++)
            CHECK_EQ(pthread_create(&threads[n], NULL, try_again_and_again, &t), 0);
        every = rates[i];
        for (int n = 0; n < 3; n++)
            CHECK_EQ(pthread_join(threads[n], NULL), 0);
        every = 0;
        char option[32];
        snprintf(option, sizeof option, "-DAFTER=%zu", i);
        e2e_works(&t, option);
    }
    CHECK_GT(asked, 1000);
    e2e_close(&t);
}
#endif
