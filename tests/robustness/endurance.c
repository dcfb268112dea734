// Repetition, and everything at once: memory, descriptors and threads don't grow. WEFT_TEST_LONG=1 selects
// the long versions. WEFT_TEST_SECONDS is the duration of "everything at once" (scripts/soak).
// timeout: 400
// env: WEFT_CACHE=0
// labels: slow

#include "e2e/e2e.h"

static bool is_long(void)
{
    return getenv("WEFT_TEST_LONG") != NULL;
}

struct use {
    long kilobytes, descriptors, threads;
};

static struct use use_now(void)
{
    char line[128];
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fgets(line, sizeof line, f) && sscanf(line, "%ld %ld", &pages, &resident) == 2);
    fclose(f);
    return (struct use){resident * 4, harness_entries("/proc/self/fd"), harness_entries("/proc/self/task")};
}

// Allows four megabytes for what is allocated once or late: a thread, an arena, a table of the allocator.
// more: what this amount of work may leave allocated.
static void check_flat(struct use before, long more)
{
    struct use now = use_now();
    printf("memory %ld -> %ld KB, descriptors %ld -> %ld, threads %ld -> %ld\n", before.kilobytes,
           now.kilobytes, before.descriptors, now.descriptors, before.threads, now.threads);
    if (!HARNESS_ASAN && !HARNESS_TSAN) // they keep freed memory
        CHECK_LT(now.kilobytes - before.kilobytes, 4096 + more);
    CHECK_LE(now.descriptors, before.descriptors + 2); // those of a compile in the background
    CHECK_LE(now.threads, before.threads + 3);
}

TEST(builds)
{
    struct e2e t = e2e_open();
    int iterations = is_long() ? 10000 : HARNESS_SCALE(300);
    struct use before = {0};
    for (int i = 0; i < iterations; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        e2e_works(&t, option);
        if (i == iterations / 3)
            before = use_now();
    }
    check_flat(before, iterations * 2 / 3); // one KB for each would be a leaked program
    e2e_close(&t);
}

// One object of each kind, with what belongs to it.
static void make_objects(struct e2e *t, cl_program p)
{
    cl_int error = 1;
    cl_command_queue q = clCreateCommandQueue(t->context, t->device, CL_QUEUE_PROFILING_ENABLE, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem m = clCreateBuffer(t->context, 0, 4096, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_buffer_region half = {0, 2048};
    cl_mem s = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_event u = clCreateUserEvent(t->context, &error), e = NULL;
    CHECK_EQ(error, CL_SUCCESS);
    cl_sampler sampler = clCreateSampler(t->context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_kernel k = clCreateKernel(p, "set", &error);
    CHECK_EQ(error, CL_SUCCESS);
    const size_t n = 16;
    E2E_ARG(k, 0, s);
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 1, &u, &e), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(u, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(u), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(sampler), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(s), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
}

static const char set_source[] = "kernel void set(global int *p) { p[get_global_id(0)] = 7; }";

TEST(objects)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, set_source, "");
    int iterations = is_long() ? 100000 : HARNESS_SCALE(30000);
    struct use before = {0};
    for (int i = 0; i < iterations; i++) {
        make_objects(&t, p);
        if (i == iterations / 3)
            before = use_now();
    }
    check_flat(before, iterations / 50); // 20 bytes for each repetition
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// ---- Everything at once ----

static _Atomic bool stop;
static _Atomic long iterations_done, failures_seen;

static void fault(struct e2e *t)
{
    cl_kernel k = e2e_kernel(t, "kernel void wild(ulong where) { *(global int *)where = 1; }", "", "wild");
    cl_ulong where = 64;
    cl_event e;
    const size_t one = 1;
    E2E_ARG(k, 0, where);
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &one, NULL, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_LT(e2e_status(e), 0);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    failures_seen++;
}

static void transfer(struct e2e *t, uint64_t *seed)
{
    static const int pattern = 0x5a5a5a5a;
    size_t bytes = 4 * (1 + harness_random(seed) % 100000);
    cl_int error = 1;
    cl_mem a = e2e_buffer(t, bytes, NULL), b = e2e_buffer(t, bytes, NULL);
    CHECK_EQ(clEnqueueFillBuffer(t->queue, a, &pattern, 4, 0, bytes, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBuffer(t->queue, a, b, 0, 0, bytes, 0, NULL, NULL), CL_SUCCESS);
    int *p = clEnqueueMapBuffer(t->queue, b, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    for (size_t i = 0; i < bytes / 4; i += 1 + bytes / 64)
        CHECK_EQ(p[i], pattern);
    CHECK_EQ(clEnqueueUnmapMemObject(t->queue, b, p, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
}

static void bad_build(struct e2e *t)
{
    cl_program p = e2e_program(t, "kernel void f(global int *p) { p[0] = nowhere; }");
    CHECK_EQ(clBuildProgram(p, 1, &t->device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
}

static cl_program shared_program;

static void *soak(void *arg)
{
    static _Atomic uint64_t number;
    struct e2e *shared = arg, t = *shared;
    uint64_t seed = ++number * 7919;
    cl_int error = 1;
    while (!stop) {
        t.queue = clCreateCommandQueue(t.context, t.device,
                                       harness_random(&seed) % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0,
                                       &error);
        CHECK_EQ(error, CL_SUCCESS);
        if (t.queue) {
            CHECK_EQ(clReleaseCommandQueue(t.queue), CL_SUCCESS);
            t.queue = clCreateCommandQueue(t.context, t.device, 0, &error);
            CHECK_EQ(error, CL_SUCCESS);
        }
        for (int i = 0; i < 20 && !stop; i++) {
            char option[48];
            switch (harness_random(&seed) % 16) {
            case 0:
                snprintf(option, sizeof option, "-DROUND=%" PRIu64, harness_random(&seed) % 64);
                e2e_works(&t, option);
                break;
            case 1:
                fault(&t);
                break;
            case 2:
                bad_build(&t);
                break;
            case 3: {
                struct e2e mine = e2e_open();
                transfer(&mine, &seed);
                e2e_close(&mine);
                break;
            }
            case 4:
            case 5:
            case 6:
            case 7:
                make_objects(&t, shared_program);
                break;
            default:
                transfer(&t, &seed);
            }
            iterations_done++;
        }
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandQueue(t.queue), CL_SUCCESS);
    }
    return NULL;
}

TEST(everything_at_once_from_16_threads)
{
    const char *given = getenv("WEFT_TEST_SECONDS");
    double seconds = given ? atof(given) : is_long() ? 3600 : 15;
    alarm((unsigned)seconds + 300);
    struct e2e t = e2e_open();
    shared_program = e2e_build(&t, set_source, "");
    pthread_t threads[16];
    for (int i = 0; i < 16; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, soak, &t), 0);
    struct use before = {0};
    bool measured = false;
    for (double begin = harness_seconds(); harness_seconds() - begin < seconds;) {
        usleep(100000);
        if (!measured && harness_seconds() - begin > seconds / 3) {
            before = use_now();
            measured = true;
        }
    }
    stop = true;
    for (int i = 0; i < 16; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    printf("%ld iterations, %ld of them faults, in %.0f seconds\n", (long)iterations_done,
           (long)failures_seen, seconds);
    CHECK_GT(iterations_done, 0);
    e2e_works(&t, "");
    // Whether 16 threads held their buffers at the time of measuring is a matter of chance.
    check_flat(before, 64 << 10);
    CHECK_EQ(clReleaseProgram(shared_program), CL_SUCCESS);
    e2e_close(&t);
}
