// Finalizers of modules run once, if another kernel of the program was launched, when program, kernels and
// launches are gone (OpenCL 2.2 §3.2.1, SPIR-V 1.6 §3.6). Then the program's release callbacks are called.
// timeout: 120
// env: WEFT_CACHE=0
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "spirv.h"

static volatile cl_uint *words;

static cl_uint seen; // words[0] when it was called, and 1; atomic, as another thread may call
static void CL_CALLBACK on_release(cl_program p, void *user)
{
    (void)p;
    __atomic_store_n((cl_uint *)user, words[0] + 1, __ATOMIC_RELEASE);
}

static cl_program new_program(struct e2e *t, const char *module)
{
    cl_program p = new_il(t, read_module(module));
    build(t, p, "");
    CHECK_EQ(clSetProgramReleaseCallback(p, on_release, &seen), CL_SUCCESS);
    return p;
}

static void check_order(void)
{
    CHECK_EQ(words[0], 2);
    CHECK_EQ(words[1], 2043);
    CHECK_EQ(words[2], 1044);
}

TEST(finalizers_run_once_when_the_program_goes)
{
    words = map_words();
    struct e2e t = e2e_open();
    cl_program p = new_program(&t, "finalizers");
    cl_bool present = CL_FALSE;
    CHECK_EQ(clSetProgramReleaseCallback(p, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof present, &present, NULL),
             CL_SUCCESS);
    CHECK_EQ(present, CL_TRUE);
    CHECK_EQ(get(&t, p), 42);
    CHECK_EQ(clRetainProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(words[0], 0);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    check_order();
    CHECK_EQ(seen, 3);
    e2e_close(&t);
    check_order();
}

TEST(they_do_not_run_where_nothing_was_launched)
{
    words = map_words();
    struct e2e t = e2e_open();
    cl_program p = new_program(&t, "finalizers");
    cl_kernel k = new_kernel(p, "get");
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(seen, 1);
    CHECK_EQ(words[0], 0);
    e2e_close(&t);
}

TEST(kernels_keep_the_program)
{
    words = map_words();
    struct e2e t = e2e_open();
    cl_program p = new_program(&t, "finalizers");
    cl_kernel k = new_kernel(p, "get");
    CHECK_EQ(get(&t, p), 42);
    e2e_close(&t); // the program has its context
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(seen, 0);
    CHECK_EQ(words[0], 0);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    check_order();
    CHECK_EQ(seen, 3);
}

TEST(launches_keep_the_program)
{
    words = map_words();
    struct e2e t = e2e_open();
    cl_program p = new_program(&t, "finalizers");
    cl_kernel k = new_kernel(p, "get");
    cl_int error = 1;
    cl_event gate = clCreateUserEvent(t.context, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_uint number = 0;
    cl_mem m = e2e_buffer(&t, sizeof number, NULL);
    const size_t one = 1;
    E2E_ARG(k, 0, m);
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 1, &gate, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    nanosleep(&(struct timespec){0, 100000000}, NULL);
    CHECK_EQ(words[0], 0);
    CHECK_EQ(__atomic_load_n(&seen, __ATOMIC_ACQUIRE), 0);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    e2e_read(&t, m, sizeof number, &number);
    CHECK_EQ(number, 42);
    await(&seen);
    check_order();
    CHECK_EQ(seen, 3);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    e2e_close(&t);
}

// What was built before goes when it is built anew. A program of a binary has one build, whose variables are
// initialized again.
static void build_anew(struct e2e *t, cl_program p)
{
    words[0] = 0;
    CHECK_EQ(get(t, p), 42);
    build(t, p, "");
    check_order();
    words[0] = 0;
    CHECK_EQ(get(t, p), 42);
    CHECK_EQ(get(t, p), 43);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(words[0], 2);
    CHECK_EQ(words[1], 2044);
}

TEST(a_program_that_is_built_anew_is_finalized_and_initialized)
{
    words = map_words();
    struct e2e t = e2e_open();
    cl_program p = new_program(&t, "finalizers");
    size_t size = 0;
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
    unsigned char *bytes = malloc(size);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
    build_anew(&t, p);
    cl_int error = 1;
    cl_program loaded = clCreateProgramWithBinary(t.context, 1, &t.device, &size,
                                                  (const unsigned char **)&bytes, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    free(bytes);
    build(&t, loaded, "");
    build_anew(&t, loaded);
    e2e_close(&t);
}

TEST(finalizers_run_in_linked_programs)
{
    words = map_words();
    struct e2e t = e2e_open();
    cl_program p = linked_with_source(&t, "finalizers", "kernel void other(global uint *p) { *p = 9; }");
    CHECK_EQ(get(&t, p), 42);
    CHECK_EQ(words[0], 0);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    check_order();
    e2e_close(&t);
}

TEST(a_fault_in_a_finalizer_is_reported_and_the_others_run)
{
    words = map_words();
    struct e2e t = e2e_open();
    cl_program p = new_program(&t, "finalizer_faults");
    CHECK_EQ(get(&t, p), 42);
    CHECK_EQ(e2e_notices, 0);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(seen, 2);
    CHECK_EQ(words[0], 1);
    CHECK_GT(e2e_notices, 0);
    e2e_works(&t, "");
    e2e_close(&t);
}

// What the parent has initialized a child doesn't finalize; what it has initialized itself it does.
TEST(a_child_finalizes_what_it_has_initialized)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    words = map_words();
    struct e2e t = e2e_open();
    cl_program before = new_program(&t, "finalizers"), after = new_program(&t, "finalizers");
    CHECK_EQ(get(&t, before), 42);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        struct e2e c = t;
        cl_int error = 1;
        c.queue = clCreateCommandQueue(t.context, t.device, 0, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(get(&c, before), 43);
        CHECK_EQ(clReleaseProgram(before), CL_SUCCESS);
        CHECK_EQ(words[0], 0);
        CHECK_EQ(seen, 1);
        CHECK_EQ(get(&c, after), 42);
        CHECK_EQ(clReleaseProgram(after), CL_SUCCESS);
        check_order();
        _exit(0);
    }
    CHECK_EQ(of_child(pid), 0);
    words[0] = 0;
    CHECK_EQ(clReleaseProgram(before), CL_SUCCESS);
    check_order();
    CHECK_EQ(clReleaseProgram(after), CL_SUCCESS);
    check_order();
    e2e_close(&t);
}

TEST(nothing_is_finalized_at_exit)
{
    words = map_words();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct e2e t = e2e_open();
        cl_program p = new_program(&t, "finalizers");
        CHECK_EQ(get(&t, p), 42);
        exit(0);
    }
    CHECK_EQ(of_child(pid), 0);
    CHECK_EQ(words[0], 0);
}

// Programs come and go on several threads.
static void *come_and_go(void *arg)
{
    struct e2e *t = arg;
    static struct module m;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        m = *read_module("finalizers");
        cl_program p = new_il(t, &m);
        pthread_mutex_unlock(&lock);
        build(t, p, "");
        CHECK_EQ(get(t, p), 42);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    return NULL;
}

TEST(threads_finalize_programs_of_their_own)
{
    enum { THREADS = 4 };
    words = map_words();
    struct e2e t[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        t[i] = e2e_open();
        CHECK_EQ(pthread_create(&threads[i], NULL, come_and_go, &t[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
        e2e_close(&t[i]);
    }
    CHECK_GT(words[0], 0);
}

static void CL_CALLBACK count(cl_program p, void *user)
{
    (void)p;
    ++*(int *)user;
}

static cl_int set_callback_of_plain_program(int *calls)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, "kernel void nothing(void) {}", "");
    cl_int err = clSetProgramReleaseCallback(p, count, calls);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
    return err;
}

// As the conformance suite expects: 3.0 gives the error where there is nothing to destroy, 2.2 has no such
// error.
TEST(callbacks_of_a_program_without)
{
    int calls = 0;
    CHECK_EQ(set_callback_of_plain_program(&calls), CL_INVALID_OPERATION);
    CHECK_EQ(calls, 0);
}

TEST(callbacks_of_a_program_without_in_2_2)
{
    int calls = 0;
    CHECK_EQ(setenv("WEFT_CL_VERSION", "2.2", 1), 0);
    CHECK_EQ(set_callback_of_plain_program(&calls), CL_SUCCESS);
    CHECK_EQ(calls, 1);
}
