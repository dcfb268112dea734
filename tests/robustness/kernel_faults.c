// A kernel that faults becomes a failed command, and the program goes on. The application keeps its own
// signal handlers.
// timeout: 120
// env: WEFT_CACHE=0
#include "e2e/e2e.h"

#include <setjmp.h>
#include <sys/mman.h>

// Makes work-group 3 of 8 fault and returns the command's final status.
static cl_int run_faulty(struct e2e *t, const char *body)
{
    char source[2048];
    snprintf(source, sizeof source,
             "kernel void faulty(global int *p, ulong wild)\n"
             "{\n"
             "    if (get_global_id(0) == 3) { %s }\n"
             "    p[get_global_id(0)] = 1;\n"
             "}\n",
             body);
    cl_kernel k = e2e_kernel(t, source, "", "faulty");
    int data[8] = {0};
    cl_mem m = e2e_buffer(t, sizeof data, data);
    cl_ulong wild = 0x10;
    E2E_ARG(k, 0, m);
    E2E_ARG(k, 1, wild);
    cl_event e;
    const size_t global = 8, local = 1;
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &global, &local, 0, NULL, &e), CL_SUCCESS);
    cl_int waited = clWaitForEvents(1, &e), status = e2e_status(e);
    CHECK_EQ(waited, status < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    return status;
}

static void check_fault(const char *body)
{
    struct e2e t = e2e_open();
    int before = e2e_notices;
    CHECK_LT(run_faulty(&t, body), 0);
    CHECK_GT(e2e_notices, before);
    if (!strstr(e2e_notice, "faulty"))
        FAIL("the notice names no kernel: %s", e2e_notice);
    e2e_works(&t, "");
    CHECK_LT(run_faulty(&t, body), 0); // and again
    e2e_works(&t, "");
    e2e_close(&t);
}

TEST(wild_write_fails_the_command)
{
    check_fault("*(global int *)wild = 7;");
}

TEST(wild_read_fails_the_command)
{
    check_fault("p[0] = *(volatile global int *)wild;");
}

TEST(trap_fails_the_command)
{
    check_fault("__builtin_trap();");
}

TEST(an_illegal_instruction_is_reported_with_the_requested_processor)
{
#if defined(__aarch64__)
    setenv("WEFT_CPU", "cortex-a53", 1);
#else
    setenv("WEFT_CPU", "x86-64", 1);
#endif
    check_fault("__builtin_trap();");
    CHECK_CONTAINS(e2e_notice, "invalid instruction (ILL)");
    CHECK_CONTAINS(e2e_notice, "WEFT_CPU=");
    CHECK_CONTAINS(e2e_notice, getenv("WEFT_CPU"));
}

TEST(address_that_no_memory_can_have_fails_the_command)
{
#if !defined(__x86_64__)
    SKIP("this processor reports all addresses");
#endif
    check_fault("*(global int *)(wild | 0x8000000000000000ul) = 1;");
    CHECK_CONTAINS(e2e_notice, "at an address that the processor doesn't report");
}

TEST(write_to_constants_of_the_program_fails_the_command)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "constant int table[4] = {1, 2, 3, 4};\n"
                             "kernel void scribble(global int *p, int i)\n"
                             "{ p[0] = table[i]; *(volatile global int *)((size_t)&table[i] + p[1]) = 5; }\n",
                             "", "scribble");
    int zero[2] = {0};
    cl_mem m = e2e_buffer(&t, sizeof zero, zero);
    cl_int i = 2;
    cl_event e;
    E2E_ARG(k, 0, m);
    E2E_ARG(k, 1, i);
    const size_t one = 1;
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_LT(e2e_status(e), 0);
    e2e_works(&t, "");
}

TEST(private_array_larger_than_any_stack_fails_or_runs)
{
    struct e2e t = e2e_open();
    cl_int status =
        run_faulty(&t, "volatile int big[1 << 22]; for (int i = 0; i < 1 << 22; i += 512) big[i] = i;"
                       " p[0] = big[1024];");
    CHECK(status <= 0); // both are right; it only matters that the process lives
    if (status < 0 && !HARNESS_ASAN && !HARNESS_TSAN)
        CHECK_CONTAINS(e2e_notice,
                       "its private memory needs more stack than there is: its code takes up to 16");
    e2e_works(&t, "");
    e2e_close(&t);
}

// Half a megabyte for each work-item. There isn't enough for all lanes at once.
TEST(much_private_memory_fits_in_optimised_code_too)
{
    setenv("WEFT_TIER", "2", 1);
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "kernel void big(global uint *p)\n"
                             "{\n"
                             "    uint i = get_global_id(0), start = p[i], a[1 << 17];\n"
                             "    for (uint j = 0; j < 1 << 17; j++)\n"
                             "        a[j] = start + j;\n"
                             "    for (uint j = 0; j < 100; j++)\n"
                             "        p[i] = a[p[i] % (1 << 17)];\n"
                             "}\n",
                             "", "big");
    cl_uint in[64], out[64];
    for (cl_uint i = 0; i < 64; i++)
        in[i] = 1000 * i;
    cl_mem m = e2e_buffer(&t, sizeof in, in);
    E2E_ARG(k, 0, m);
    e2e_run(&t, k, 64, NULL);
    e2e_read(&t, m, sizeof out, out);
    for (cl_uint i = 0; i < 64; i++) {
        cl_uint p = in[i];
        for (int j = 0; j < 100; j++)
            p = in[i] + p % (1 << 17);
        CHECK_EQ(out[i], p);
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(integer_division_by_zero_is_no_fault)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(
        &t,
        "kernel void divide(global int *a, global int *b, global long *c)\n"
        "{\n"
        "    int i = get_global_id(0);\n"
        "    int q = a[i] / b[i], r = a[i] % b[i];\n"
        "    uint uq = (uint)a[i] / (uint)b[i];\n"
        "    int4 v = (int4)(a[i]) / (int4)(b[i], 1, b[i], 2);\n"
        "    c[i] = (long)(q ^ q) + (r ^ r) + (uq ^ uq) + (v.x ^ v.x) + i + (c[i] / (long)b[i]) * 0;\n"
        "}\n",
        "", "divide");
    int a[4] = {INT32_MIN, 7, 0, INT32_MIN}, b[4] = {-1, 0, 0, 0};
    int64_t c[4] = {INT64_MIN, 1, 0, INT64_MIN};
    cl_mem ma = e2e_buffer(&t, sizeof a, a), mb = e2e_buffer(&t, sizeof b, b),
           mc = e2e_buffer(&t, sizeof c, c);
    E2E_ARG(k, 0, ma);
    E2E_ARG(k, 1, mb);
    E2E_ARG(k, 2, mc);
    e2e_run(&t, k, 4, NULL);
    e2e_read(&t, mc, sizeof c, c);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(c[i], i);
}

TEST(successors_of_a_failed_command_fail_and_the_queue_goes_on)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, "kernel void bad(ulong wild) { *(global int *)wild = 1; }", "", "bad");
    cl_ulong wild = 8;
    E2E_ARG(k, 0, wild);
    cl_event bad, after;
    const size_t one = 1;
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, &bad), CL_SUCCESS);
    CHECK_EQ(clEnqueueMarkerWithWaitList(t.queue, 1, &bad, &after), CL_SUCCESS);
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    CHECK_LT(e2e_status(bad), 0);
    CHECK_LT(e2e_status(after), 0);
    e2e_works(&t, "");
}

// ---- The application's own handlers ----

static sigjmp_buf own_jump;
static volatile int own_calls;

static void own_handler(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)info;
    (void)context;
    own_calls++;
    siglongjmp(own_jump, 1);
}

static void set_own_handler_with(int flags)
{
    struct sigaction a = {.sa_sigaction = own_handler, .sa_flags = SA_SIGINFO | flags};
    CHECK_EQ(sigaction(SIGSEGV, &a, NULL), 0);
}

static void set_own_handler(void)
{
    set_own_handler_with(0);
}

// Nothing is there. The compiler can't know.
static volatile int *volatile nothing = (int *)0x20;

static void own_fault(void)
{
    int before = own_calls;
    if (sigsetjmp(own_jump, 1) == 0) {
        *nothing = 1;
        FAIL("the write to a wild address went through");
    }
    CHECK_EQ(own_calls, before + 1);
}

TEST(handler_set_before_weft_gets_its_own_faults_and_no_others)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer calls handlers itself");
    set_own_handler();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    own_fault();
    CHECK_LT(run_faulty(&t, "*(global int *)wild = 7;"), 0);
    CHECK_EQ(own_calls, 1);
    own_fault();
    e2e_works(&t, "");
}

TEST(handler_set_after_weft_gets_its_own_faults_and_no_others)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer calls handlers itself");
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    CHECK_LT(run_faulty(&t, "*(global int *)wild = 7;"), 0);
    set_own_handler();
    own_fault();
    usleep(20000); // a handler that was set later is noticed before the next batch of kernels
    CHECK_LT(run_faulty(&t, "*(global int *)wild = 7;"), 0);
    CHECK_EQ(own_calls, 1);
    own_fault();
    e2e_works(&t, "");
}

// SA_RESETHAND: the first fault of the application itself goes to the handler, the second one kills. Faults
// of kernels before and after count as neither.
static void one_shot_handler(bool before_weft)
{
    if (before_weft)
        set_own_handler_with((int)SA_RESETHAND);
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    CHECK_LT(run_faulty(&t, "*(global int *)wild = 7;"), 0);
    if (!before_weft) {
        set_own_handler_with((int)SA_RESETHAND);
        usleep(20000);
        CHECK_LT(run_faulty(&t, "*(global int *)wild = 7;"), 0);
    }
    CHECK_EQ(own_calls, 0);
    own_fault();
    usleep(20000);
    CHECK_LT(run_faulty(&t, "*(global int *)wild = 7;"), 0);
    e2e_works(&t, "");
    CHECK_EQ(own_calls, 1);
    *nothing = 1;
}

TEST(one_shot_handlers_get_the_applications_first_fault)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer calls handlers itself");
    for (int before_weft = 0; before_weft < 2; before_weft++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(60);
            one_shot_handler(before_weft);
            _exit(0);
        }
        int status = 0;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
            FAIL("set %s Weft: status %#x", before_weft ? "before" : "after", (unsigned)status);
    }
}

TEST(without_a_handler_the_applications_own_fault_still_kills_it)
{
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(20);
        *nothing = 1;
        _exit(0);
    }
    int status = 0;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFSIGNALED(status));
    CHECK_EQ(WTERMSIG(status), SIGSEGV);
}

// ---- pfn_notify and the application's locks ----

static pthread_mutex_t applications_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int locked_notices;

static void CL_CALLBACK lock_and_note(const char *info, const void *data, size_t size, void *user)
{
    (void)info, (void)data, (void)size, (void)user;
    pthread_mutex_lock(&applications_lock);
    locked_notices++;
    pthread_mutex_unlock(&applications_lock);
}

TEST(pfn_notify_may_take_a_lock_that_the_waiting_thread_holds)
{
    struct e2e t = e2e_open();
    cl_int error = 1;
    clReleaseCommandQueue(t.queue);
    clReleaseContext(t.context);
    t.context = clCreateContext(NULL, 1, &t.device, lock_and_note, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    t.queue = clCreateCommandQueue(t.context, t.device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    e2e_works(&t, "");
    CHECK_LT(run_faulty(&t, "*(global int *)wild = 7;"), 0);
    CHECK_EQ(locked_notices,
             1); // called before the command is complete, at a point where no lock is in its way
    pthread_mutex_lock(&applications_lock);
    for (int i = 0; i < 3; i++)
        CHECK_LT(run_faulty(&t, "*(global int *)wild = 7;"), 0);
    CHECK_EQ(locked_notices, 1);
    pthread_mutex_unlock(&applications_lock);
    for (int ms = 0; ms < 20000 && locked_notices < 4; ms++)
        usleep(1000);
    CHECK_EQ(locked_notices, 4);
    e2e_works(&t, "");
    e2e_close(&t);
}
