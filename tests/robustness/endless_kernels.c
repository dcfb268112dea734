// Kernels that never end, and kernels on application threads that block all signals.
// timeout: 180
// env: WEFT_CACHE=0
#include <sys/mman.h>
#include <sys/resource.h>

#include "e2e/e2e.h"

static const char source[] =
    "kernel void wait_for_nobody(global volatile int *p) { while (p[0] == 0) ; p[1] = 1; }\n"
    "kernel void wait_in_groups(global volatile int *p, local volatile int *l)\n"
    "{\n"
    "    l[get_local_id(0)] = p[0];\n"
    "    while (p[0] == 0) { l[0] = p[0]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "}\n"
    "kernel void talk(global volatile int *p) { while (p[0] == 0) printf(\"\"); }\n"
    "kernel void wild(global int *p, ulong where) { *(global int *)(where + get_global_id(0) * 4) = 1; }\n"
    "kernel void add(global int *p) { p[get_global_id(0)] += 1; }\n";

static cl_kernel kernel_of(cl_program p, const char *name)
{
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return k;
}

static void check_notice(const char *kernel, const char *word)
{
    CHECK_CONTAINS(e2e_notice, kernel);
    CHECK_CONTAINS(e2e_notice, word);
    CHECK_CONTAINS(e2e_notice, "work-group");
    // A fault is reported with its address. For an endless kernel an address would say nothing.
    const bool over = strstr(e2e_notice, "WEFT_KERNEL_TIMEOUT") != NULL;
    if (!over)
        CHECK_CONTAINS(e2e_notice, "0x");
    else
        CHECK(!strstr(e2e_notice, "0x"));
}

// Launches it, and another kernel after it in an in-order queue. The first fails, the second runs.
static void end_one(struct e2e *t, cl_kernel k, cl_kernel add, const char *name, size_t global, size_t local)
{
    int data[4] = {0};
    cl_mem endless = e2e_buffer(t, sizeof data, data), sum = e2e_buffer(t, sizeof data, data);
    E2E_ARG(k, 0, endless);
    E2E_ARG(add, 0, sum);
    cl_event e, marker;
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &global, local ? &local : NULL, 0, NULL, &e),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueMarkerWithWaitList(t->queue, 1, &e, &marker), CL_SUCCESS);
    e2e_run(t, add, 4, NULL);
    CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
    CHECK_LT(e2e_status(e), 0);
    CHECK_LT(e2e_status(marker), 0); // it waits for the failed command's event
    check_notice(name, "WEFT_KERNEL_TIMEOUT");
    e2e_read(t, sum, sizeof data, data);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(data[i], 1);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(marker), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(endless), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(sum), CL_SUCCESS);
}

static void end_all_kinds(struct e2e *t)
{
    cl_program p = e2e_build(t, source, "");
    cl_kernel add = kernel_of(p, "add");
    cl_kernel one = kernel_of(p, "wait_for_nobody");
    end_one(t, one, add, "wait_for_nobody", 1, 0);
    end_one(t, one, add, "wait_for_nobody", 4096, 16); // on every thread
    cl_kernel groups = kernel_of(p, "wait_in_groups");
    CHECK_EQ(clSetKernelArg(groups, 1, 4 * 64, NULL), CL_SUCCESS);
    end_one(t, groups, add, "wait_in_groups", 1024, 64);
    // It is in a function of the host most of the time, where it can't be interrupted.
    cl_kernel talk = kernel_of(p, "talk");
    end_one(t, talk, add, "talk", 1, 0);
    clReleaseKernel(talk);
    clReleaseKernel(groups);
    clReleaseKernel(one);
    clReleaseKernel(add);
    clReleaseProgram(p);
}

TEST(endless_kernels_end_at_the_time_limit)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    setenv("WEFT_KERNEL_TIMEOUT", "1", 1);
    struct e2e t = e2e_open();
    end_all_kinds(&t);
    e2e_works(&t, "");
    e2e_close(&t);
}

// A signal that the system can't queue arrives without its value.
TEST(endless_kernels_end_where_no_signal_can_be_queued)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    setenv("WEFT_KERNEL_TIMEOUT", "1", 1);
    const struct rlimit none = {0, 0};
    CHECK_EQ(setrlimit(RLIMIT_SIGPENDING, &none), 0);
    struct e2e t = e2e_open();
    end_all_kinds(&t);
    e2e_works(&t, "");
    // The same at the end of the process.
    cl_kernel k = e2e_kernel(&t, source, "", "wait_for_nobody");
    int data[4] = {0};
    cl_mem m = e2e_buffer(&t, sizeof data, data);
    E2E_ARG(k, 0, m);
    e2e_run(&t, k, 1, NULL);
    CHECK_EQ(clFlush(t.queue), CL_SUCCESS);
    usleep(20000);
}

TEST(the_log_names_kernel_and_group)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    setenv("WEFT_KERNEL_TIMEOUT", "1", 1);
    setenv("WEFT_LOG", "error", 1);
    int file = memfd_create("log", 0), before = dup(2);
    CHECK(file >= 0 && before >= 0);
    dup2(file, 2);
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "", "wait_for_nobody");
    int data[2] = {0};
    cl_mem m = e2e_buffer(&t, sizeof data, data);
    E2E_ARG(k, 0, m);
    e2e_run(&t, k, 1, NULL);
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    dup2(before, 2);
    char text[4096];
    ssize_t n = pread(file, text, sizeof text - 1, 0);
    CHECK_GT(n, 0);
    text[n] = '\0';
    CHECK_CONTAINS(
        text, "weft: error: kernel wait_for_nobody: the time limit of 1 s (WEFT_KERNEL_TIMEOUT) is over");
    CHECK_CONTAINS(text, "in work-group (0, 0, 0)");
}

TEST(another_queue_goes_on_beside_an_endless_kernel)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    setenv("WEFT_KERNEL_TIMEOUT", "2", 1);
    setenv("WEFT_THREADS", "2", 1);
    struct e2e t = e2e_open(), other = t;
    cl_int error = 1;
    other.queue = clCreateCommandQueue(t.context, t.device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_program p = e2e_build(&t, source, "");
    cl_kernel k = kernel_of(p, "wait_for_nobody"), add = kernel_of(p, "add");
    int data[4] = {0};
    cl_mem m = e2e_buffer(&t, sizeof data, data), sum = e2e_buffer(&t, sizeof data, data);
    E2E_ARG(k, 0, m);
    E2E_ARG(add, 0, sum);
    size_t one = 1;
    cl_event e;
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clFlush(t.queue), CL_SUCCESS);
    e2e_run(&other, add, 4, NULL);
    e2e_read(&other, sum, sizeof data, data);
    CHECK_EQ(data[3], 1);
    CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_LT(e2e_status(e), 0);
}

// Many short launches that take longer than the limit in total.
TEST(what_ends_in_time_is_left_alone)
{
    setenv("WEFT_KERNEL_TIMEOUT", "1", 1);
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "", "add");
    static int data[1 << 16];
    cl_mem m = e2e_buffer(&t, sizeof data, data);
    E2E_ARG(k, 0, m);
    int iterations = 0, ended = 0;
    for (double begin = harness_seconds(); harness_seconds() - begin < 2.5;) {
        const size_t n = 1 << 16;
        cl_event e;
        double launched = harness_seconds();
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &n, NULL, 0, NULL, &e), CL_SUCCESS);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        // On a machine that was suspended it did take that long.
        if (e2e_status(e) < 0 && harness_seconds() - launched < 1)
            FAIL("a launch was ended after %g seconds", harness_seconds() - launched);
        ended += e2e_status(e) < 0;
        iterations++;
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    }
    e2e_read(&t, m, sizeof data, data);
    for (int i = 0; i < 1 << 16 && !ended; i++)
        CHECK_EQ(data[i], iterations);
    CHECK_EQ(e2e_notices, ended);
}

TEST(a_forked_child_has_the_limit_too)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    setenv("WEFT_KERNEL_TIMEOUT", "1", 1);
    struct e2e t = e2e_open();
    end_all_kinds(&t);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(100);
        struct e2e mine = e2e_open();
        end_all_kinds(&mine);
        _exit(0);
    }
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}

// ---- Threads that block all signals ----

static void *fail_with_signals_blocked(void *arg)
{
    struct e2e *t = arg;
    sigset_t all, now;
    sigfillset(&all);
    CHECK_EQ(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
    cl_program p = e2e_build(t, source, "");
    cl_kernel wild = kernel_of(p, "wild"), add = kernel_of(p, "add");
    int data[4] = {0};
    cl_mem m = e2e_buffer(t, sizeof data, data);
    cl_ulong where = 0x10;
    E2E_ARG(wild, 0, m);
    E2E_ARG(wild, 1, where);
    E2E_ARG(add, 0, m);
    for (int i = 0; i < 20; i++) {
        size_t one = 1;
        cl_event e;
        CHECK_EQ(clEnqueueNDRangeKernel(t->queue, wild, 1, NULL, &one, NULL, 0, NULL, &e), CL_SUCCESS);
        CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
        e2e_run(t, add, 4, NULL);
        CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
    }
    check_notice("wild", "SEGV");
    e2e_read(t, m, sizeof data, data);
    CHECK_EQ(data[0], 20);
    // They are blocked again afterwards.
    CHECK_EQ(pthread_sigmask(SIG_SETMASK, NULL, &now), 0);
    for (int s = 1; s < 32; s++)
        if (s != SIGKILL && s != SIGSTOP && sigismember(&now, s) != 1)
            FAIL("signal %d isn't blocked any more", s);
    return NULL;
}

TEST(threads_that_block_all_signals_survive_faults)
{
    struct e2e t = e2e_open();
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, fail_with_signals_blocked, &t), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    e2e_works(&t, "");
}

static void *end_with_signals_blocked(void *arg)
{
    sigset_t all;
    sigfillset(&all);
    CHECK_EQ(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
    end_all_kinds(arg);
    return NULL;
}

TEST(threads_that_block_all_signals_end_endless_kernels)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    setenv("WEFT_KERNEL_TIMEOUT", "1", 1);
    struct e2e t = e2e_open();
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, end_with_signals_blocked, &t), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    e2e_works(&t, "");
}

// ---- An endless kernel, interrupted by a handler of the application ----

static _Atomic int begun, come_to_end;

// It sometimes runs long enough for the time limit to pass meanwhile.
static void on_tick(int number)
{
    (void)number;
    begun++;
    for (double begin = harness_seconds(); harness_seconds() - begin < 0.05;)
        ;
    come_to_end++;
}

TEST(handlers_that_interrupt_an_endless_kernel_are_not_left)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    setenv("WEFT_KERNEL_TIMEOUT", "1", 1);
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    struct sigaction a = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    CHECK_EQ(sigaction(SIGUSR2, &a, NULL), 0);
    timer_t timer;
    struct sigevent to_me = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    CHECK_EQ(timer_create(CLOCK_MONOTONIC, &to_me, &timer), 0);
    struct itimerspec often = {.it_interval = {.tv_nsec = 60000000}, .it_value = {.tv_nsec = 60000000}};
    CHECK_EQ(timer_settime(timer, 0, &often, NULL), 0);
    end_all_kinds(&t);
    timer_delete(timer);
    for (int i = 0; i < 2000 && begun != come_to_end; i++)
        usleep(10000);
    CHECK_GT(begun, 0);
    CHECK_EQ(begun, come_to_end); // no handler was left early
    e2e_works(&t, "");
}

struct reported {
    pthread_mutex_t lock;
    int times;
    char last[512];
};

static void CL_CALLBACK take_note(const char *info, const void *data, size_t size, void *user)
{
    (void)data;
    (void)size;
    struct reported *n = user;
    pthread_mutex_lock(&n->lock);
    n->times++;
    snprintf(n->last, sizeof n->last, "%s", info);
    pthread_mutex_unlock(&n->lock);
}

// However many threads fault: only the notify function of the command's own context is called, and before the
// command is complete.
TEST(a_fault_is_reported_once_to_its_own_context)
{
    enum { CONTEXTS = 2 };
    struct e2e t = e2e_open();
    static struct reported reported[CONTEXTS];
    for (int i = 0; i < CONTEXTS; i++) {
        cl_int error = 1;
        char source[128], name[16];
        struct e2e own = {.device = t.device};
        pthread_mutex_init(&reported[i].lock, NULL);
        own.context = clCreateContext(NULL, 1, &t.device, take_note, &reported[i], &error);
        CHECK_EQ(error, CL_SUCCESS);
        own.queue = clCreateCommandQueue(own.context, t.device, 0, &error);
        CHECK_EQ(error, CL_SUCCESS);
        snprintf(name, sizeof name, "wild%d", i);
        snprintf(source, sizeof source, "kernel void %s(ulong at) { *(global int *)at = 1; }", name);
        cl_kernel k = e2e_kernel(&own, source, "", name);
        const cl_ulong at = 64;
        E2E_ARG(k, 0, at);
        const size_t n = 1 << 16, one = 1;
        for (int round = 1; round <= 20; round++) {
            cl_event e;
            int before = reported[i].times;
            CHECK_EQ(clEnqueueNDRangeKernel(own.queue, k, 1, NULL, &n, &one, 0, NULL, &e), CL_SUCCESS);
            CHECK_EQ(clFinish(own.queue), CL_SUCCESS);
            CHECK_EQ(e2e_status(e), CL_OUT_OF_RESOURCES);
            CHECK_EQ(reported[i].times, before + 1);
            CHECK_CONTAINS(reported[i].last, name);
            CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
        }
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandQueue(own.queue), CL_SUCCESS);
        CHECK_EQ(clReleaseContext(own.context), CL_SUCCESS);
    }
    CHECK_EQ(e2e_notices, 0);
    e2e_close(&t);
}

TEST(too_much_local_memory_is_reported_with_the_available_size)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(
        &t, "kernel void k(global int *p, local int *l) { l[get_local_id(0)] = 1; *p = l[0]; }", "", "k");
    cl_mem m = e2e_buffer(&t, 4, NULL);
    cl_ulong most = 0;
    char word[100];
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof most, &most, NULL), CL_SUCCESS);
    E2E_ARG(k, 0, m);
    CHECK_EQ(clSetKernelArg(k, 1, (size_t)most + 4, NULL), CL_SUCCESS);
    const size_t one = 1;
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    snprintf(word, sizeof word, "bytes of local memory, more than the %llu that the device has",
             (unsigned long long)most);
    CHECK_CONTAINS(e2e_notice, word);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}
