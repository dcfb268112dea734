// The n-th system call of the driver fails, for every n of a scenario: context, queue, build, kernel, launch,
// wait, release. The result is an error code. When nothing fails any more, the same process works, and no
// descriptor is left open. The functions below replace those that libweft imports, for libweft only.
// timeout: 600
// env: WEFT_CACHE=1
// labels: slow
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <dirent.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "e2e/e2e.h"

#if HARNESS_ASAN || HARNESS_TSAN
TEST(every_call_to_the_system_fails_once)
{
    SKIP("the sanitizers stand in the same place");
}
#else

// ---- The replaced functions ----

static uintptr_t driver_begin, driver_end;
static _Atomic long ahead; // the call that fails is this many calls ahead; 0: none fails

static bool fails(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    if (at < driver_begin || at >= driver_end)
        return false;
    long n = atomic_load(&ahead);
    while (n > 0)
        if (atomic_compare_exchange_weak(&ahead, &n, n - 1))
            return n == 1;
    return false;
}

#define EXPORT __attribute__((visibility("default")))
#define REAL(name) ((__typeof__(&name))(uintptr_t)real_##name)
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define FAIL_WITH(error, value) \
    if (fails(CALLER)) {        \
        errno = error;          \
        return value;           \
    }

// clang-format off: it doesn't terminate on this
#define FUNCTIONS(X) \
    X(mmap) X(pthread_create) X(socketpair) X(memfd_create) X(open) X(openat) X(read) X(write) X(send) X(recv) X(poll) \
    X(fstat) X(fcntl) X(dlopen) X(sigaltstack) X(sched_getaffinity) X(mkdir) X(realpath) X(pthread_getattr_np) \
    X(pthread_key_create) X(syscall) X(pthread_cond_init)
// clang-format on
#define DECLARE(name) static void *real_##name;
FUNCTIONS(DECLARE)
static void *real_clone, *real_register_atfork;

__attribute__((constructor(101))) static void find_real(void)
{
#define FIND(name) real_##name = dlsym(RTLD_NEXT, #name);
    FUNCTIONS(FIND)
    real_clone = dlsym(RTLD_NEXT, "__clone");
    real_register_atfork = dlsym(RTLD_NEXT, "__register_atfork");
}

EXPORT void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    FAIL_WITH(ENOMEM, MAP_FAILED)
    return REAL(mmap)(at, n, prot, flags, fd, offset);
}
EXPORT int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *), void *arg)
{
    if (fails(CALLER))
        return EAGAIN;
    return REAL(pthread_create)(t, a, fn, arg);
}
EXPORT int socketpair(int domain, int type, int protocol, int pair[2])
{
    FAIL_WITH(EMFILE, -1)
    return REAL(socketpair)(domain, type, protocol, pair);
}
EXPORT int memfd_create(const char *name, unsigned flags)
{
    FAIL_WITH(EMFILE, -1)
    return REAL(memfd_create)(name, flags);
}
EXPORT int open(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    int mode = va_arg(ap, int); // garbage if it wasn't passed; then nothing uses it
    va_end(ap);
    FAIL_WITH(EMFILE, -1)
    return REAL(open)(path, flags, mode);
}
EXPORT int openat(int folder, const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    int mode = va_arg(ap, int);
    va_end(ap);
    FAIL_WITH(ENFILE, -1)
    return REAL(openat)(folder, path, flags, mode);
}
EXPORT ssize_t read(int fd, void *p, size_t n)
{
    FAIL_WITH(EIO, -1)
    return REAL(read)(fd, p, n);
}
EXPORT ssize_t write(int fd, const void *p, size_t n)
{
    FAIL_WITH(ENOSPC, -1)
    return REAL(write)(fd, p, n);
}
EXPORT ssize_t send(int fd, const void *p, size_t n, int flags)
{
    FAIL_WITH(ENOBUFS, -1)
    return REAL(send)(fd, p, n, flags);
}
EXPORT ssize_t recv(int fd, void *p, size_t n, int flags)
{
    FAIL_WITH(ENOMEM, -1)
    return REAL(recv)(fd, p, n, flags);
}
EXPORT int poll(struct pollfd *p, nfds_t n, int timeout)
{
    FAIL_WITH(ENOMEM, -1)
    return REAL(poll)(p, n, timeout);
}
EXPORT int fstat(int fd, struct stat *st)
{
    FAIL_WITH(EIO, -1)
    return REAL(fstat)(fd, st);
}
EXPORT int fcntl(int fd, int command, ...)
{
    va_list ap;
    va_start(ap, command);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    FAIL_WITH(EMFILE, -1)
    return REAL(fcntl)(fd, command, arg);
}
EXPORT void *dlopen(const char *name, int flags)
{
    FAIL_WITH(ENOMEM, NULL)
    return REAL(dlopen)(name, flags);
}
EXPORT int sigaltstack(const stack_t *new, stack_t *old)
{
    FAIL_WITH(ENOMEM, -1)
    return REAL(sigaltstack)(new, old);
}
EXPORT int sched_getaffinity(pid_t pid, size_t n, cpu_set_t *set)
{
    FAIL_WITH(EINVAL, -1)
    return REAL(sched_getaffinity)(pid, n, set);
}
EXPORT int mkdir(const char *path, mode_t mode)
{
    FAIL_WITH(ENOSPC, -1)
    return REAL(mkdir)(path, mode);
}
EXPORT char *realpath(const char *path, char *out)
{
    FAIL_WITH(ENOMEM, NULL)
    return REAL(realpath)(path, out);
}
EXPORT int pthread_getattr_np(pthread_t t, pthread_attr_t *a)
{
    if (fails(CALLER))
        return ENOMEM;
    return REAL(pthread_getattr_np)(t, a);
}
EXPORT int pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
    if (fails(CALLER))
        return EAGAIN;
    return REAL(pthread_key_create)(key, end);
}
EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a)
{
    if (fails(CALLER))
        return ENOMEM;
    return REAL(pthread_cond_init)(c, a);
}
// Futex waits that return without reason, and all other system calls made this way. (Not in the clones that
// start weftc: they share our memory. `clone` below covers a failing start of weftc.)
EXPORT long syscall(long number, ...)
{
    va_list ap;
    va_start(ap, number);
    long a[6];
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    bool wait = number == SYS_futex && (a[1] & FUTEX_CMD_MASK) != FUTEX_WAKE;
    if (number == SYS_futex && !wait)
        return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    FAIL_WITH(wait ? EINTR : ENOMEM, -1)
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
typedef int clone_function(int (*)(void *), void *, int, void *, void *, void *, void *);
EXPORT int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);
EXPORT int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
    va_list ap;
    va_start(ap, arg);
    void *a = va_arg(ap, void *), *b = va_arg(ap, void *), *c = va_arg(ap, void *);
    va_end(ap);
    FAIL_WITH(EAGAIN, -1)
    return ((clone_function *)(uintptr_t)real_clone)(fn, stack, flags, arg, a, b, c);
}

// ---- The scenario ----

static int find_driver(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    if (!strstr(info->dlpi_name, "/libweft.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            driver_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            driver_end = driver_begin + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

static int count_descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += REAL(fcntl)(fd, F_GETFD) >= 0;
    return n;
}

static void CL_CALLBACK note(cl_event e, cl_int status, void *user)
{
    (void)e, (void)status;
    ++*(_Atomic int *)user;
}

// Like an application that checks every error and continues. What has begun must end.
static void scenario(cl_device_id device)
{
    static const char *source = "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }";
    static _Atomic int noted;
    cl_int error = 1;
    int expected = 0, data[256];
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (!context)
        return;
    cl_command_queue q = clCreateCommandQueue(context, device, 0, &error);
    cl_mem m = clCreateBuffer(context, 0, sizeof data, NULL, &error),
           large = clCreateBuffer(context, 0, 8 << 20, NULL, &error);
    cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    cl_kernel k = NULL;
    if (p && clBuildProgram(p, 1, &device, "", NULL, NULL) == CL_SUCCESS)
        k = clCreateKernel(p, "twice", &error);
    char log[4096] = "";
    if (p)
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    if (strstr(log, ": Success")) // means that errno was lost
        FAIL("%s", log);
    if (q && k && m) {
        const size_t n = 256;
        cl_event e[3] = {NULL};
        int one = 1;
        CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
        clEnqueueFillBuffer(q, m, &one, 4, 0, sizeof data, 0, NULL, &e[0]);
        clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, e[0] != NULL, e[0] ? &e[0] : NULL, &e[1]);
        if (large)
            clEnqueueFillBuffer(q, large, &one, 4, 0, 8 << 20, 0, NULL, NULL);
        clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof data, data, 0, NULL, &e[2]);
        for (int i = 0; i < 3; i++) {
            if (!e[i])
                continue;
            expected += clSetEventCallback(e[i], CL_COMPLETE, note, &noted) == CL_SUCCESS;
            clWaitForEvents(1, &e[i]);
            CHECK_LE(e2e_status(e[i]), 0);
        }
        if (e[0] && e[1] && e[2] && e2e_status(e[1]) == 0 && e2e_status(e[2]) == 0)
            CHECK_EQ(data[255], 2);
        for (int i = 0; i < 3; i++)
            if (e[i])
                CHECK_EQ(clReleaseEvent(e[i]), CL_SUCCESS);
    }
    if (q) {
        clFinish(q);
        CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    }
    if (k)
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    if (p)
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    if (m)
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    if (large)
        CHECK_EQ(clReleaseMemObject(large), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(context), CL_SUCCESS);
    for (int i = 0; i < 20000 && noted < expected; i++)
        usleep(1000);
    CHECK_EQ(noted, expected);
}

enum { NOT_REACHED = 42 };

static void child(long n)
{
    alarm(100);
    cl_platform_id platform;
    cl_device_id device;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), CL_SUCCESS);
    dl_iterate_phdr(find_driver, NULL);
    CHECK(driver_end > driver_begin);
    atomic_store(&ahead, n);
    scenario(device);
    bool reached = atomic_exchange(&ahead, 0) == 0;
    struct e2e t = e2e_open();
    // Compilers that are started in the background and then stay aren't leaks. After some repetitions there
    // are as many as there will ever be.
    int before = 0;
    static const char *const iterations[] = {"", "-DSECOND", "-DTHIRD", "-DFOURTH"};
    for (size_t i = 0; i < sizeof iterations / sizeof *iterations; i++) {
        e2e_works(&t, iterations[i]);
        int now = count_descriptors();
        before = now > before ? now : before;
    }
    e2e_works(&t, "-DAGAIN");
    e2e_close(&t);
    for (int i = 0; i < 2000 && count_descriptors() > before; i++)
        usleep(10000); // something is being written in the background
    CHECK_LE(count_descriptors(), before);
    exit(reached ? 0 : NOT_REACHED);
}

static bool no_room_for_handlers;

EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library)
{
    if (no_room_for_handlers)
        return ENOMEM;
    return ((int (*)(void (*)(void), void (*)(void), void (*)(void), void *))(uintptr_t)real_register_atfork)(
        prepare, parent, child, library);
}

TEST(refused_fork_handlers_are_reported)
{
    char text[2048] = "";
    const struct harness_capture c = harness_capture(STDERR_FILENO);
    setenv("WEFT_LOG", "error", 1);
    no_room_for_handlers = true;
    struct e2e t = e2e_open(); // loads the driver
    no_room_for_handlers = false;
    e2e_works(&t, "");
    e2e_close(&t);
    CHECK_GT(pread(harness_uncapture(&c), text, sizeof text - 1, 0), 0);
    CHECK_STR(text, "weft: error: fork handlers can't be registered (no memory): a forked child must not use "
                    "OpenCL\n");
}

TEST(every_call_to_the_system_fails_once)
{
    char folder[] = "/tmp/weft-test-XXXXXX", command[64];
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE_DIR", folder, 1);
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    enum { MAX_RUNS = 2000 };
    // The short version: every one of the first calls, which create objects, and then every third.
    bool all = getenv("WEFT_TEST_LONG") != NULL;
    long n = 1, runs = 0;
    for (bool reached = true; reached && n < MAX_RUNS; n += all || n < 60 ? 1 : 7, runs++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            child(n);
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != NOT_REACHED))
            FAIL("call %ld: status %#x", n, (unsigned)status);
        reached = WEXITSTATUS(status) == 0;
        if (n % 5 == 0) // with an empty cache and with a full one
            CHECK_EQ(system(command), 0);
    }
    printf("%ld runs, the last with call %ld\n", runs, n);
    CHECK_GT(n, 60);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}
#endif
