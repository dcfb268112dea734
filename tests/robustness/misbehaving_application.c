// What no program should do, but some do: end threads of Weft, create processes without fork(), enter
// namespaces, use absurd settings.
// timeout: 200
// env: WEFT_CACHE=0
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "e2e/compiler_processes.h"

static void check_child(pid_t pid, int expected)
{
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != expected)
        FAIL("child: status %#x", (unsigned)status);
}

// ---- Application functions that end the thread they run on ----

static _Atomic int calls;

static void leave_or_return(void)
{
    switch (calls++ % 3) {
    case 0:
        pthread_exit(NULL);
    case 1:
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
        pthread_cancel(pthread_self());
        pthread_testcancel();
        break;
    default:
        break;
    }
}

static void CL_CALLBACK on_event(cl_event e, cl_int status, void *user)
{
    (void)e, (void)status, (void)user;
    leave_or_return();
}

static void wait_for_calls(int expected)
{
    for (int i = 0; i < 30000 && calls < expected; i++)
        usleep(1000);
    CHECK_EQ(calls, expected);
}

TEST(callbacks_that_end_their_thread_are_not_the_last)
{
    enum { COUNT = 12 };
    struct e2e t = e2e_open();
    for (int i = 0; i < COUNT; i++) {
        cl_event e;
        CHECK_EQ(clEnqueueMarkerWithWaitList(t.queue, 0, NULL, &e), CL_SUCCESS);
        CHECK_EQ(clSetEventCallback(e, CL_COMPLETE, on_event, NULL), CL_SUCCESS);
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    }
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    wait_for_calls(COUNT);
    e2e_works(&t, "");
    e2e_close(&t);
}

static void CL_CALLBACK on_build(cl_program p, void *user)
{
    (void)p, (void)user;
    leave_or_return();
}

TEST(build_callbacks_that_end_their_thread_are_not_the_last)
{
    enum { COUNT = 12 };
    struct e2e t = e2e_open();
    for (int i = 0; i < COUNT; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        cl_program p = e2e_program(&t, "kernel void f(global int *p) { *p = ROUND; }");
        CHECK_EQ(clBuildProgram(p, 1, &t.device, option, on_build, NULL), CL_SUCCESS);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    wait_for_calls(COUNT);
    e2e_works(&t, "-DAFTER");
    e2e_close(&t);
}

static void CL_CALLBACK on_build_cancel(cl_program p, void *user)
{
    (void)p, (void)user;
    calls++;
    pthread_cancel(pthread_self()); // takes effect later, if at all
}

TEST(build_callbacks_that_have_their_thread_cancelled_are_not_the_last)
{
    enum { COUNT = 6 };
    struct e2e t = e2e_open();
    for (int i = 0; i < COUNT; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        cl_program p = e2e_program(&t, "kernel void f(global int *p) { *p = ROUND; }");
        CHECK_EQ(clBuildProgram(p, 1, &t.device, option, on_build_cancel, NULL), CL_SUCCESS);
        wait_for_calls(i + 1);
        usleep(20000); // so its thread waits again
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    e2e_works(&t, "-DAFTER");
    e2e_close(&t);
}

static void CL_CALLBACK on_native(void *args)
{
    (void)args;
    leave_or_return();
}

// If a native kernel doesn't return, its command fails, and the pool keeps its thread.
TEST(native_kernels_that_end_their_thread_fail)
{
    enum { COUNT = 60 };
    struct e2e t = e2e_open();
    cl_event e[COUNT];
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(clEnqueueNativeKernel(t.queue, on_native, NULL, 0, 0, NULL, NULL, 0, NULL, &e[i]),
                 CL_SUCCESS);
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    for (int i = 0; i < COUNT; i++) {
        if (i % 3 == 0)
            CHECK_LT(e2e_status(e[i]), 0);
        else if (i % 3 == 2)
            CHECK_EQ(e2e_status(e[i]), CL_COMPLETE);
        CHECK_EQ(clReleaseEvent(e[i]), CL_SUCCESS);
    }
    CHECK_EQ(calls, COUNT);
    e2e_works(&t, "");
    e2e_close(&t);
}

// ---- Processes ----

static void by_exit(void)
{
    exit(7);
}

static void by_quick_exit(void)
{
    quick_exit(7);
}

static void by_return(void)
{
    _exit(7);
}

// In such a child no handler of pthread_atfork has run, and it has none of the threads that a destructor
// would wait for.
TEST(a_child_made_without_fork_ends)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("the sanitizers don't know of such children");
    static void (*const ways[])(void) = {by_return, by_exit, by_quick_exit};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct e2e t = e2e_open();
        e2e_works(&t, "");
        cl_mem m = e2e_buffer(&t, 8 << 20, NULL);
        static const int zero;
        CHECK_EQ(clEnqueueFillBuffer(t.queue, m, &zero, 4, 0, 8 << 20, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFlush(t.queue), CL_SUCCESS);
        fflush(NULL);
#ifdef SYS_fork
        pid_t pid = (pid_t)syscall(SYS_fork);
#else
        pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
        if (pid == 0) {
            alarm(30);
            ways[i]();
        }
        check_child(pid, 7);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        e2e_works(&t, "-DAFTER");
        e2e_close(&t);
    }
}

static void *use_for_the_first_time(void *unused)
{
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    e2e_close(&t);
    return unused;
}

// Each repetition is a process in which nothing has been used yet. The fork comes at another moment of the
// first use each time. The child forks too.
TEST(fork_while_everything_is_used_for_the_first_time)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    for (int round = 0; round < HARNESS_SCALE(40); round++) {
        fflush(NULL);
        pid_t process = fork();
        if (process == 0) {
            alarm(60);
            cl_uint n;
            clGetPlatformIDs(0, NULL, &n); // nobody can repair a fork in the middle of dlopen
            pthread_t thread;
            CHECK_EQ(pthread_create(&thread, NULL, use_for_the_first_time, NULL), 0);
            usleep((useconds_t)(round % 20) * 400);
            for (int i = 0; i < 3; i++) {
                pid_t child = fork();
                if (child == 0) {
                    alarm(30);
                    use_for_the_first_time(NULL);
                    pid_t grandchild = fork();
                    if (grandchild == 0) {
                        alarm(20);
                        use_for_the_first_time(NULL);
                        _exit(0);
                    }
                    check_child(grandchild, 0);
                    _exit(0);
                }
                check_child(child, 0);
            }
            CHECK_EQ(pthread_join(thread, NULL), 0);
            exit(0);
        }
        check_child(process, 0);
    }
}

// The first child of a new pid namespace becomes its process 1. When that ends, all processes of the
// namespace end.
TEST(a_name_space_of_processes_is_the_applications_to_found)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("the sanitizers start threads of their own");
    if (unshare(CLONE_NEWPID) != 0)
        SKIP("no right to make a name space");
    cl_platform_id platform;
    struct e2e t;
    cl_int error = 1;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &t.device, NULL), CL_SUCCESS);
    t.context = clCreateContext(NULL, 1, &t.device, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_program p = e2e_program(&t, "kernel void f(void) {}");
    error = clBuildProgram(p, 1, &t.device, "", NULL,
                           NULL); // neither a thread nor a compiler can be started here
    if (error != CL_SUCCESS)
        CHECK_CONTAINS(e2e_log(&t, p), "can't be started");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(30);
        struct e2e mine = e2e_open();
        e2e_works(&mine, "");
        _exit(getpid() == 1 ? 7 : 8);
    }
    CHECK_GT(pid, 0);
    check_child(pid, 7);
}

TEST(code_is_mapped_where_memory_files_may_not_be_programs)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("the sanitizers start threads of their own");
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0)
        SKIP("no right to make a name space");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        FILE *f = NULL;
        if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("proc", "/proc", "proc", 0, NULL) != 0 || !(f = fopen("/proc/sys/vm/memfd_noexec", "w")) ||
            fputs("2\n", f) < 0 || fclose(f) != 0)
            _exit(HARNESS_SKIPPED);
        struct e2e t = e2e_open();
        e2e_works(&t, "");
        _exit(0);
    }
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == HARNESS_SKIPPED)
        SKIP("this system has no vm.memfd_noexec");
    CHECK_EQ(status, 0);
}

// ---- Compilers that are stopped, and spawn parents that are killed ----

TEST(stopped_compilers_fail_one_build_each_and_are_replaced)
{
    setenv("WEFT_BUILD_TIMEOUT", "2", 1);
    const char *mark = mark_compilers();
    struct e2e t = e2e_open();
    e2e_works(&t, "-DBEFORE");
    int stopped = kill_compilers(mark, SIGSTOP), failed = 0;
    CHECK_GT(stopped, 0);
    for (int i = 0; i <= stopped; i++) { // each stopped compiler may be asked once
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        cl_program p = e2e_program(&t, "kernel void f(void) {}");
        cl_int error = clBuildProgram(p, 1, &t.device, option, NULL, NULL);
        if (error != CL_SUCCESS) {
            CHECK_EQ(error, CL_BUILD_PROGRAM_FAILURE);
            CHECK_CONTAINS(e2e_log(&t, p), "WEFT_BUILD_TIMEOUT");
            failed++;
        }
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    CHECK_LE(failed, stopped);
    kill_compilers(mark, SIGSTOP); // the process exits while they are stopped
    e2e_close(&t);
}

// Families of processors without WEFT_ARCH_OWN_CALLS have none (base/arch/arch.h).
#if defined(__x86_64__) || defined(__aarch64__)
#define HAS_SPAWN_PARENT 1
#else
#define HAS_SPAWN_PARENT 0
#endif

static int kill_spawn_parents(void)
{
    int killed = 0;
    DIR *proc = opendir("/proc");
    CHECK(proc != NULL);
    for (struct dirent *d; (d = readdir(proc));) {
        char path[300], line[256] = "";
        int parent = 0;
        snprintf(path, sizeof path, "/proc/%s/stat", d->d_name);
        FILE *f = fopen(path, "r");
        const char *at = f && fgets(line, sizeof line, f) ? strstr(line, "(weft-parent) ") : NULL;
        if (f)
            fclose(f);
        if (at && sscanf(at, "(weft-parent) %*c %d", &parent) == 1 && parent == getpid())
            killed += kill(atoi(d->d_name), SIGKILL) == 0;
    }
    closedir(proc);
    return killed;
}

TEST(killed_spawn_parents_of_a_subreaper_are_replaced)
{
    CHECK_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    struct e2e t = e2e_open();
    e2e_works(&t, "-DBEFORE");
    int killed = 0;
    for (int i = 0; i < 4; i++) {
        char option[32];
        killed += kill_spawn_parents();
        snprintf(option, sizeof option, "-DROUND=%d", i);
        e2e_works(&t, option);
    }
    if (HAS_SPAWN_PARENT)
        CHECK_GT(killed, 0);
    e2e_close(&t);
}

// ---- Alternate signal stacks, as runtimes of other languages set and replace them ----

static void check_fault(struct e2e *t, cl_kernel k, cl_mem m)
{
    const size_t one = 1;
    cl_event e;
    E2E_ARG(k, 0, m);
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &one, NULL, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
}

static void *change_stacks(void *arg)
{
    struct e2e *t = arg;
    cl_kernel k =
        e2e_kernel(t, "kernel void wild(global int *p) { *(global int *)(ulong)64 = p[0]; }", "", "wild");
    int data[4] = {0};
    cl_mem m = e2e_buffer(t, sizeof data, data);
    static const size_t sizes[] = {0, 8192, 0, 65536, 16384, 0};
    const size_t least = (size_t)sysconf(_SC_MINSIGSTKSZ);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        stack_t s = {.ss_flags = SS_DISABLE};
        if (sizes[i]) {
            s = (stack_t){.ss_size = sizes[i] < least ? least : sizes[i]};
            s.ss_sp = mmap(NULL, s.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            CHECK(s.ss_sp != MAP_FAILED);
        }
        CHECK_EQ(sigaltstack(&s, NULL), 0);
        for (int n = 0; n < 5; n++)
            check_fault(t, k, m);
        stack_t now;
        CHECK_EQ(sigaltstack(NULL, &now), 0);
        CHECK(sizes[i] == 0 || now.ss_sp == s.ss_sp); // it is the application's own
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    return NULL;
}

TEST(stacks_for_signals_come_and_go)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("the sanitizers have such stacks of their own");
    struct e2e t = e2e_open();
    pthread_t thread;
    change_stacks(&t);
    CHECK_EQ(pthread_create(&thread, NULL, change_stacks, &t), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    e2e_close(&t);
}

// ---- Settings ----

TEST(settings_longer_than_a_program_can_be_given)
{
    enum { LONG = 1 << 20 };
    char *text = malloc(LONG);
    CHECK(text != NULL);
    memset(text, 'x', LONG - 1);
    text[LONG - 1] = '\0';
    static const char *const names[] = {"WEFT_CACHE_DIR",   "WEFT_CPU", "WEFT_HWLOC_SYNTHETIC",
                                        "WEFT_LLVM_SPIRV",  "WEFT_LOG", "WEFT_TIER",
                                        "WEFT_NO_SUCH_NAME"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        setenv(names[i], text, 1);
    memcpy(text, "-D", 2);
    setenv("WEFT_BUILD_OPTIONS", text, 1);
    free(text);
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    e2e_close(&t);
}
