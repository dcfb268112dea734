// What may happen to a process that uses OpenCL: it ends at any moment, has little memory or few descriptors,
// is suspended, loses processors, or starts other programs.
// timeout: 300
// env: WEFT_CACHE=0
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "e2e/e2e.h"

extern char **environ;

static const char busy_source[] = "kernel void busy(global int *p, int n)\n"
                                  "{ int v = get_global_id(0); for (int i = 0; i < n; i++) v = v * 3 + (i ^ "
                                  "v); p[get_global_id(0)] = v; }\n";

// Enqueues about a second of work and doesn't wait.
static void start_work(struct e2e *t)
{
    cl_kernel k = e2e_kernel(t, busy_source, "", "busy");
    cl_mem m = e2e_buffer(t, 4 * 65536, NULL);
    cl_int n = 4000;
    E2E_ARG(k, 0, m);
    E2E_ARG(k, 1, n);
    for (int i = 0; i < 4; i++)
        e2e_run(t, k, 65536, NULL);
    CHECK_EQ(clFlush(t->queue), CL_SUCCESS);
}

// ---- The process ends ----

static void check_end(void (*end)(void), int expected)
{
    for (int round = 0; round < 4; round++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(60);
            struct e2e t = e2e_open();
            if (round)
                start_work(&t);
            usleep((useconds_t)round * 700);
            end();
            _exit(100);
        }
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != expected)
            FAIL("round %d: status %#x", round, (unsigned)status);
    }
}

static void by_exit(void)
{
    exit(3);
}

static void by_underscore(void)
{
    _exit(4);
}

static void by_quick_exit(void)
{
    quick_exit(5);
}

static void *exit_here(void *arg)
{
    (void)arg;
    exit(6);
}

static void by_another_thread(void)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, exit_here, NULL), 0);
    pthread_join(thread, NULL);
}

static void by_the_last_thread(void)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, exit_here, NULL), 0);
    pthread_exit(NULL);
}

TEST(every_way_to_end_with_work_in_flight)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    check_end(by_exit, 3);
    check_end(by_underscore, 4);
    check_end(by_quick_exit, 5);
    check_end(by_another_thread, 6);
    check_end(by_the_last_thread, 6);
}

static void *build_for_ever(void *t)
{
    for (int i = 0;; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        cl_program p = e2e_program(t, busy_source);
        cl_kernel k;
        // Uses whatever the process still grants while it ends.
        if (clBuildProgram(p, 0, NULL, option, NULL, NULL) == CL_SUCCESS &&
            (k = clCreateKernel(p, "busy", NULL)))
            clReleaseKernel(k);
        clReleaseProgram(p);
    }
    return NULL;
}

TEST(exit_while_threads_of_the_application_build)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    setenv("WEFT_BUILD_OPTIONS", "-DFROM_THE_ENVIRONMENT", 1); // settings are read in each build
    setenv("WEFT_CPU", "x86-64", 1);
    for (int round = 0; round < 12; round++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(100);
            struct e2e t = e2e_open();
            pthread_t threads[3];
            for (int i = 0; i < 3; i++)
                CHECK_EQ(pthread_create(&threads[i], NULL, build_for_ever, &t), 0);
            usleep((useconds_t)round * 7000);
            exit(3);
        }
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
            FAIL("round %d: status %#x", round, (unsigned)status);
    }
}

static void CL_CALLBACK say(const char *info, const void *data, size_t size, void *user)
{
    (void)data;
    (void)size;
    CHECK_GT(write(*(int *)user, info, strlen(info)), 0);
}

static void *build_something_long(void *arg)
{
    static char source[4096] = "#define A0 + 1\n";
    struct e2e *t = arg;
    for (int i = 1; i <= 40; i++)
        snprintf(source + strlen(source), sizeof source - strlen(source), "#define A%d A%d A%d\n", i, i - 1,
                 i - 1);
    strcat(source, "kernel void f(global int *p) { *p = 1 A40; }\n");
    cl_program p = e2e_program(t, source);
    if (clBuildProgram(p, 0, NULL, "", NULL, NULL) == CL_SUCCESS ||
        !strstr(e2e_log(t, p), "The process is exiting"))
        _exit(4);
    return NULL;
}

// What a normal exit interrupts is no error, and no compiler crash.
TEST(exit_says_nothing_and_leaves_nothing)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    char folder[] = "/tmp/weft-test-XXXXXX", errors[64], command[96], text[2048];
    CHECK(mkdtemp(folder) != NULL);
    setenv("TMPDIR", folder, 1);
    setenv("WEFT_LOG", "info", 1);
    for (int round = 0; round < 40; round++) {
        snprintf(errors, sizeof errors, "%s/stderr", folder);
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(100);
            int file = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            CHECK(file >= 0 && dup2(file, 2) == 2);
            struct e2e t = e2e_open();
            pthread_t thread;
            if (round % 10 == 0)
                CHECK_EQ(pthread_create(&thread, NULL, build_something_long, &t), 0);
            usleep((useconds_t)(round % 10 == 0 ? 100000 + 5000 * round : 300 * round));
            exit(3);
        }
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
            FAIL("round %d: status %#x", round, (unsigned)status);
        int file = open(errors, O_RDONLY);
        CHECK_GE(file, 0);
        ssize_t n = read(file, text, sizeof text - 1);
        CHECK_GE(n, 0);
        text[n] = '\0';
        close(file);
        if (strstr(text, "ompiler"))
            FAIL("round %d: %s", round, text);
        CHECK_EQ(unlink(errors), 0);
    }
    snprintf(command, sizeof command, "rmdir %s", folder); // fails unless it is empty
    CHECK_EQ(system(command), 0);
}

// Exit interrupts kernels. That is no error either. pfn_notify isn't called, because what it needs may be
// gone.
TEST(exit_calls_no_pfn_notify)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    setenv("WEFT_LOG", "error", 1);
    int said[2];
    CHECK_EQ(pipe(said), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        close(said[0]);
        struct e2e t = e2e_open();
        cl_context c = clCreateContext(NULL, 1, &t.device, say, &said[1], NULL);
        cl_command_queue q = c ? clCreateCommandQueue(c, t.device, 0, NULL) : NULL;
        CHECK(q != NULL);
        struct e2e other = {t.device, c, q};
        cl_kernel k = e2e_kernel(&other, "kernel void endless(volatile global int *p) { while (!*p) {} }", "",
                                 "endless");
        static const int zero;
        cl_mem m = e2e_buffer(&other, 4, &zero);
        E2E_ARG(k, 0, m);
        e2e_run(&other, k, 256, NULL);
        CHECK_EQ(clFlush(q), CL_SUCCESS);
        usleep(300000);
        CHECK_EQ(dup2(said[1], 2), 2);
        exit(3);
    }
    close(said[1]);
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    char text[1024] = "";
    ssize_t n = read(said[0], text, sizeof text - 1);
    if (n != 0)
        FAIL("it said: %s", text);
}

static void CL_CALLBACK end_here(cl_program p, void *begin)
{
    (void)p;
    double now = harness_seconds();
    if (write(*(int *)begin, &now, sizeof now) == (ssize_t)sizeof now)
        exit(7);
}

// Exit doesn't wait for the thread that calls it.
TEST(exit_in_pfn_notify_of_a_build)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    double least = 100;
    for (int round = 0; round < 3; round++) {
        int begin[2], status = 1;
        double began = 0;
        CHECK_EQ(pipe(begin), 0);
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(60);
            struct e2e t = e2e_open();
            cl_program p = e2e_program(&t, busy_source);
            CHECK_EQ(clBuildProgram(p, 0, NULL, "-DEND", end_here, &begin[1]), CL_SUCCESS);
            for (;;)
                pause();
        }
        close(begin[1]);
        CHECK_EQ(read(begin[0], &began, sizeof began), sizeof began);
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        close(begin[0]);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        if (harness_seconds() - began < least)
            least = harness_seconds() - began;
    }
    CHECK_LT(least, 1.5);
}

TEST(everything_is_released_with_work_in_flight)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, busy_source, "");
    for (int round = 0; round < 50; round++) {
        cl_int error = 1, n = 1000;
        cl_command_queue q = clCreateCommandQueue(
            t.context, t.device, round & 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
        CHECK_EQ(error, CL_SUCCESS);
        cl_kernel k = clCreateKernel(p, "busy", &error);
        CHECK_EQ(error, CL_SUCCESS);
        cl_mem m = e2e_buffer(&t, 4 * 4096, NULL);
        E2E_ARG(k, 0, m);
        E2E_ARG(k, 1, n);
        size_t global = 4096;
        for (int i = 0; i < 4; i++)
            CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_works(&t, "");
    e2e_close(&t);
}

// ---- Little memory ----

// Takes address space until only this much is left.
static void leave_only(size_t bytes)
{
    char line[256];
    size_t pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fgets(line, sizeof line, f) && (pages = strtoul(line, NULL, 10)));
    fclose(f);
    const struct rlimit limit = {pages * 4096 + bytes, RLIM_INFINITY};
    CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
}

// Each call may fail for lack of memory, but nothing else may happen. Returns whether the kernel has run.
static bool try_everything(struct e2e *t, int round)
{
    static const char *source = "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }";
    char option[32];
    snprintf(option, sizeof option, "-DROUND=%d", round);
    cl_int error = 1;
    cl_program p = clCreateProgramWithSource(t->context, 1, &source, NULL, &error);
    if (!p)
        return false;
    bool ran = false;
    cl_kernel k = NULL;
    cl_mem m = clCreateBuffer(t->context, 0, 4096, NULL, &error);
    if (clBuildProgram(p, 1, &t->device, option, NULL, NULL) == CL_SUCCESS)
        k = clCreateKernel(p, "twice", &error);
    if (k && m) {
        const size_t n = 1024;
        int two = 2;
        CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
        ran = clEnqueueFillBuffer(t->queue, m, &two, 4, 0, 4096, 0, NULL, NULL) == CL_SUCCESS &&
              clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS;
        int data[1024] = {0};
        ran &= clEnqueueReadBuffer(t->queue, m, CL_TRUE, 0, 4096, data, 0, NULL, NULL) == CL_SUCCESS;
        ran &= data[1023] == 4;
    }
    clFinish(t->queue);
    if (k)
        clReleaseKernel(k);
    if (m)
        clReleaseMemObject(m);
    clReleaseProgram(p);
    return ran;
}

TEST(little_address_space)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers need more than that");
    // Enough addresses: each thread's first malloc() reserves 64 MB if it can (glibc's arenas), and Weft has
    // a thread for each processor and a few more.
    const size_t enough = ((size_t)sysconf(_SC_NPROCESSORS_ONLN) + 9) * (64 << 20);
    const size_t left[] = {enough,  64 << 20, 32 << 20, 16 << 20,  8 << 20,
                           4 << 20, 2 << 20,  1 << 20,  256 << 10, 0};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(100);
            struct e2e t = e2e_open();
            if (i % 2)
                e2e_works(&t, ""); // its threads exist already
            leave_only(left[i]);
            bool ran = false;
            for (int round = 0; round < 3; round++)
                ran |= try_everything(&t, round);
            if (left[i] == enough)
                CHECK(ran);
            const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
            CHECK_EQ(setrlimit(RLIMIT_AS, &all), 0);
            e2e_works(&t, "-DAFTER"); // works again when there is memory
            e2e_close(&t);
            exit(0);
        }
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        if (status)
            FAIL("with %zu bytes left: status %#x", left[i], (unsigned)status);
    }
}

TEST(a_full_table_of_descriptors)
{
    struct e2e t = e2e_open();
    const struct rlimit limit = {256, 256};
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int round = 0; round < 2; round++) { // before the first compiler has been asked, and after
        int taken[256], n = 0;
        while ((taken[n] = open("/dev/null", O_RDONLY)) >= 0)
            n++;
        CHECK_EQ(errno, EMFILE);
        try_everything(&t, round); // may fail with an error
        while (n)
            close(taken[--n]);
        char option[32];
        snprintf(option, sizeof option, "-DAFTER=%d", round);
        e2e_works(&t, option);
    }
    e2e_close(&t);
}

// ---- Small stacks, many threads ----

static void *build_and_run(void *arg)
{
    struct e2e *shared = arg, mine = *shared;
    static _Atomic int number;
    cl_int error = 1;
    mine.queue = clCreateCommandQueue(mine.context, mine.device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    for (int i = 0; i < 3; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DNUMBER=%d", number++);
        e2e_works(&mine, option);
    }
    CHECK_EQ(clReleaseCommandQueue(mine.queue), CL_SUCCESS);
    return NULL;
}

static void run_threads(struct e2e *t, int count, size_t stack)
{
    pthread_attr_t attr;
    pthread_t threads[64];
    pthread_attr_init(&attr);
    CHECK_EQ(pthread_attr_setstacksize(&attr, stack), 0);
    for (int i = 0; i < count; i++)
        CHECK_EQ(pthread_create(&threads[i], &attr, build_and_run, t), 0);
    for (int i = 0; i < count; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    pthread_attr_destroy(&attr);
}

TEST(threads_with_small_stacks)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitized code takes more of the stack");
    struct e2e t = e2e_open();
    run_threads(&t, 4, 64 << 10);
    e2e_close(&t);
}

TEST(thirty_two_threads_build_at_once)
{
    struct e2e t = e2e_open();
    run_threads(&t, 32, 1 << 20);
    e2e_works(&t, "");
    e2e_close(&t);
}

// ---- Other processes ----

static _Atomic bool stop;

static void *keep_starting(void *arg)
{
    char *argv[] = {(char[]){"true"}, NULL};
    while (!stop) {
        pid_t pid = -1;
        if (arg) {
            if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) != 0)
                continue;
        } else {
            pid = vfork(); // NOLINT: this is what is tested
            if (pid == 0) {
                execve("/bin/true", argv, environ);
                _exit(1);
            }
        }
        int status = 1;
        if (pid > 0) {
            CHECK_EQ(waitpid(pid, &status, 0), pid);
            CHECK_EQ(status, 0);
        }
    }
    return NULL;
}

TEST(a_storm_of_processes)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer doesn't know vfork");
    struct e2e t = e2e_open();
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, keep_starting, i ? &t : NULL), 0);
    for (int i = 0; i < 30; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        e2e_works(&t, option);
    }
    stop = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    e2e_close(&t);
}

TEST(a_program_started_in_mid_work_inherits_nothing)
{
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    start_work(&t);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c",
              "ls -l /proc/self/fd | grep -v -e pipe: -e /dev/ -e total -e /proc | grep -c socket",
              (char *)NULL);
        _exit(2);
    }
    int status = 0;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(WEXITSTATUS(status), 1); // grep has counted none
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
}

TEST(suspended_and_resumed)
{
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 60; i++) {
            kill(parent, SIGSTOP);
            usleep(10000);
            kill(parent, SIGCONT);
            usleep(10000);
        }
        _exit(0);
    }
    for (int i = 0; i < 20; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        e2e_works(&t, option);
    }
    int status = 1;
    while (waitpid(pid, &status, 0) < 0)
        CHECK_EQ(errno, EINTR);
    CHECK_EQ(status, 0);
    e2e_close(&t);
}

// ---- Processors ----

TEST(processors_are_taken_away_and_given_back)
{
    cpu_set_t all, one;
    CHECK_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    for (int round = 0; round < 10; round++) {
        // Sets it for all threads, as a cgroup does.
        DIR *tasks = opendir("/proc/self/task");
        CHECK(tasks != NULL);
        for (struct dirent *d; (d = readdir(tasks));)
            if (atoi(d->d_name) > 0)
                sched_setaffinity(atoi(d->d_name), sizeof one, round & 1 ? &all : &one);
        closedir(tasks);
        start_work(&t);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    }
    e2e_works(&t, "-DAFTER");
}

// ---- Callbacks that do forbidden things ----

static struct e2e callbacks_own;
static _Atomic int callbacks_done;

static void CL_CALLBACK block(cl_event e, cl_int status, void *user)
{
    (void)status;
    struct e2e *t = user;
    int data[4];
    cl_mem m = e2e_buffer(t, sizeof data, NULL);
    // "The behavior of calling expensive system routines, OpenCL APIs to create contexts or command-queues,
    // or blocking OpenCL APIs ... in a callback is undefined." Each of them must return, with a result or an
    // error.
    clWaitForEvents(1, &e);
    clFinish(t->queue);
    clEnqueueReadBuffer(t->queue, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    clEnqueueWriteBuffer(t->queue, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    cl_int error = 1;
    void *p = clEnqueueMapBuffer(t->queue, m, CL_TRUE, CL_MAP_READ, 0, sizeof data, 0, NULL, NULL, &error);
    if (p)
        clEnqueueUnmapMemObject(t->queue, m, p, 0, NULL, NULL);
    e2e_works(t, "-DIN_CALLBACK");
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    cl_command_queue q = clCreateCommandQueue(t->context, t->device, 0, &error);
    if (q)
        clReleaseCommandQueue(q);
    clReleaseEvent(e);
    callbacks_done++;
}

TEST(callbacks_that_block_do_not_hang)
{
    callbacks_own = e2e_open();
    struct e2e *t = &callbacks_own;
    enum { COUNT = 4 };
    for (int i = 0; i < COUNT; i++) {
        cl_event e;
        CHECK_EQ(clEnqueueMarkerWithWaitList(t->queue, 0, NULL, &e), CL_SUCCESS);
        CHECK_EQ(clSetEventCallback(e, CL_COMPLETE, block, t), CL_SUCCESS);
        CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
    }
    for (int i = 0; i < 60000 && callbacks_done < COUNT; i++)
        usleep(1000);
    CHECK_EQ(callbacks_done, COUNT);
    e2e_works(t, "-DAFTER");
}

// ---- Other libraries ----

TEST(another_llvm_is_there_first)
{
    static const char *const names[] = {"libLLVM-19.so.1", "libLLVM.so.19.1", "libLLVM-19.so",
                                        "libLLVM-15.so.1", "libLLVM-14.so.1"};
    void *llvm = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !llvm; i++)
        llvm = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    if (!llvm)
        SKIP("no shared LLVM is installed");
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    e2e_close(&t);
}

// ---- Repetition ----

TEST(contexts_come_and_go)
{
    struct e2e first = e2e_open();
    e2e_works(&first, "");
    long descriptors = 0, threads = 0;
    for (int i = 0; i < HARNESS_SCALE(1000); i++) {
        struct e2e t = e2e_open();
        e2e_close(&t);
        if (i == 10) {
            descriptors = harness_entries("/proc/self/fd");
            threads = harness_entries("/proc/self/task");
        }
    }
    // Something may be written in the background at this moment.
    for (int i = 0; i < 2000 && harness_entries("/proc/self/fd") > descriptors; i++)
        usleep(10000);
    CHECK_LE(harness_entries("/proc/self/fd"), descriptors);
    CHECK_LE(harness_entries("/proc/self/task"), threads + 1); // one of them may have started late
    e2e_close(&first);
}
