// Threads use handles that other threads release at that moment, which no application should do. A call keeps
// the object alive until it returns, or gives the error of an invalid handle. Nothing crashes, nothing is
// destroyed twice, and everything is gone at the end.
//
// A new object may be in the place of a released one. Its handle is then the same, and other threads may
// release it too. So what is created here may be gone as well, unless its handle was never released before.
//
// WEFT_TEST_SECONDS: how long (5).
// timeout: 240
// labels: stress
// env: WEFT_CACHE=0
#include "api/program_fixture.h"

enum { THREADS = 8, SLOTS = 6 };
enum { EVENTS, BUFFERS, IMAGES, QUEUES, KERNELS, SAMPLERS, PROGRAMS, CONTEXTS, KINDS };

// Handles that any thread takes, whether released meanwhile or not.
static _Atomic(void *) slots[KINDS][SLOTS];
static cl_context context;
static cl_program program;
static cl_device_id device;
static cl_command_queue own[THREADS];
static atomic_bool stop;
static atomic_long made, gone;

static void *take(int kind, uint64_t *seed)
{
    return atomic_load(&slots[kind][harness_random(seed) % SLOTS]);
}

static cl_int retain(int kind, void *h)
{
    switch (kind) {
    case EVENTS:
        return clRetainEvent(h);
    case QUEUES:
        return clRetainCommandQueue(h);
    case KERNELS:
        return clRetainKernel(h);
    case SAMPLERS:
        return clRetainSampler(h);
    case PROGRAMS:
        return clRetainProgram(h);
    case CONTEXTS:
        return clRetainContext(h);
    default:
        return clRetainMemObject(h);
    }
}

static void release(int kind, void *h)
{
    switch (kind) {
    case EVENTS:
        clReleaseEvent(h);
        break;
    case QUEUES:
        clReleaseCommandQueue(h);
        break;
    case KERNELS:
        clReleaseKernel(h);
        break;
    case SAMPLERS:
        clReleaseSampler(h);
        break;
    case PROGRAMS:
        clReleaseProgram(h);
        break;
    case CONTEXTS:
        clReleaseContext(h);
        break;
    default:
        clReleaseMemObject(h);
        break;
    }
}

static void put(int kind, uint64_t *seed, void *h)
{
    void *old = atomic_exchange(&slots[kind][harness_random(seed) % SLOTS], h);
    if (old)
        release(kind, old);
}

static void CL_CALLBACK count_memory(cl_mem m, void *user)
{
    (void)m, (void)user;
    atomic_fetch_add(&gone, 1);
}

static void CL_CALLBACK count_context(cl_context c, void *user)
{
    (void)c, (void)user;
    atomic_fetch_add(&gone, 1);
}

static void CL_CALLBACK ignore(cl_event e, cl_int status, void *user)
{
    (void)e, (void)status, (void)user;
}

// NULL when what it is made from has been released.
static void *make(int kind, uint64_t *seed)
{
    const cl_queue_properties bits[] = {CL_QUEUE_PROPERTIES, harness_random(seed) % 4, 0};
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    const cl_buffer_region part = {128, 64};
    const char *source = "kernel void other(void) {}";
    cl_int err;
    void *h = NULL, *from;
    switch (kind) {
    case EVENTS:
        if (harness_random(seed) % 2) {
            clEnqueueMarkerWithWaitList(take(QUEUES, seed), 0, NULL, (cl_event *)&h);
        } else if ((h = clCreateUserEvent(context, &err))) {
            clSetUserEventStatus(h, CL_COMPLETE); // nobody could, when another has released it
        }
        return h;
    case BUFFERS:
        from = take(BUFFERS, seed);
        h = harness_random(seed) % 2 ? clCreateBuffer(context, 0, 256, NULL, &err)
                                     : clCreateSubBuffer(from, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err);
        if (h && clSetMemObjectDestructorCallback(h, count_memory, NULL) == CL_SUCCESS)
            atomic_fetch_add(&made, 1);
        return h;
    case IMAGES:
        return clCreateImage(context, 0, &format, &flat, NULL, &err);
    case QUEUES:
        return clCreateCommandQueueWithProperties(context, device, bits, &err);
    case KERNELS:
        from = take(KERNELS, seed);
        return harness_random(seed) % 2 ? clCreateKernel(program, "k", &err) : clCloneKernel(from, &err);
    case SAMPLERS:
        return clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err);
    case PROGRAMS:
        return clCreateProgramWithSource(context, 1, &source, NULL, &err);
    default:
        h = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
        if (h && clSetContextDestructorCallback(h, count_context, NULL) == CL_SUCCESS)
            atomic_fetch_add(&made, 1);
        return h;
    }
}

static void use_event(uint64_t *seed, cl_command_queue q)
{
    cl_event list[2] = {take(EVENTS, seed), take(EVENTS, seed)}, marker = NULL;
    cl_int status;
    cl_ulong when;
    switch (harness_random(seed) % 5) {
    case 0:
        if (clEnqueueMarkerWithWaitList(q, 2, list, &marker) == CL_SUCCESS)
            clReleaseEvent(marker);
        break;
    case 1:
        clWaitForEvents(2, list);
        break;
    case 2:
        clSetEventCallback(list[0], CL_COMPLETE, ignore, NULL);
        break;
    case 3:
        clGetEventProfilingInfo(list[0], CL_PROFILING_COMMAND_END, sizeof when, &when, NULL);
        break;
    default:
        clGetEventInfo(list[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        clSetUserEventStatus(list[0], CL_COMPLETE);
    }
}

// Memory is only read: what it holds is nobody's to race for.
static void use_memory(uint64_t *seed, cl_command_queue q)
{
    cl_mem m[2] = {take(BUFFERS, seed), take(BUFFERS, seed)}, image = take(IMAGES, seed), of;
    cl_command_queue theirs = harness_random(seed) % 2 ? q : take(QUEUES, seed);
    const size_t origin[3] = {0}, region[3] = {8, 8, 1};
    char bytes[256];
    size_t pitch;
    cl_int err;
    void *p;
    switch (harness_random(seed) % 6) {
    case 0:
        clEnqueueReadBuffer(theirs, m[0], CL_TRUE, 0, 48, bytes, 0, NULL, NULL);
        break;
    case 1:
        p = clEnqueueMapBuffer(theirs, m[0], harness_random(seed) % 2, CL_MAP_READ, 0, 16, 0, NULL, NULL,
                               &err);
        if (p)
            clEnqueueUnmapMemObject(q, m[0], p, 0, NULL, NULL);
        break;
    case 2:
        p = clEnqueueMapImage(theirs, image, CL_TRUE, CL_MAP_READ, origin, region, &pitch, NULL, 0, NULL,
                              NULL, &err);
        if (p)
            clEnqueueUnmapMemObject(q, image, p, 0, NULL, NULL);
        break;
    case 3:
        clEnqueueReadImage(theirs, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL);
        break;
    case 4:
        clEnqueueMigrateMemObjects(theirs, 2, m, 0, 0, NULL, NULL);
        break;
    default:
        clGetMemObjectInfo(m[0], CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL);
    }
}

static void use_others(uint64_t *seed, cl_command_queue q)
{
    const size_t one = 1;
    cl_int err;
    cl_context c = take(CONTEXTS, seed), its;
    cl_command_queue queue = take(QUEUES, seed), made_here;
    void *p;
    switch (harness_random(seed) % 5) {
    case 0:
        clEnqueueNDRangeKernel(q, take(KERNELS, seed), 1, NULL, &one, NULL, 0, NULL, NULL);
        break;
    case 1:
        clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof its, &its, NULL);
        clFlush(queue);
        break;
    case 2:
        if ((p = clCreateUserEvent(c, &err))) {
            clSetUserEventStatus(p, CL_COMPLETE); // as in make()
            clReleaseEvent(p);
        }
        if ((made_here = clCreateCommandQueueWithProperties(c, device, NULL, &err)))
            clReleaseCommandQueue(made_here);
        break;
    case 3:
        clFinish(queue);
        break;
    default:
        p = take(PROGRAMS, seed);
        if (harness_random(seed) % 200 == 0)
            clBuildProgram(p, 0, NULL, NULL, NULL, NULL);
        if ((p = clCreateKernel(p, "other", &err)))
            release(KERNELS, p);
    }
}

static void *run(void *number)
{
    uint64_t seed = 88172645463325252ull + (uintptr_t)number * 7919;
    cl_command_queue q = own[(uintptr_t)number];
    while (!atomic_load(&stop)) {
        int kind = (int)(harness_random(&seed) % KINDS);
        void *h = take(kind, &seed);
        switch (harness_random(&seed) % 8) {
        case 0:
        case 1:
            if ((h = make(kind, &seed)))
                put(kind, &seed, h);
            break;
        case 2:
            if (h)
                release(kind, h);
            break;
        case 3:
            if (h && retain(kind, h) == CL_SUCCESS)
                release(kind, h);
            break;
        case 4:
            use_event(&seed, q);
            break;
        case 5:
            use_memory(&seed, q);
            break;
        default:
            use_others(&seed, q);
        }
        if (harness_random(&seed) % 64 == 0)
            OK(clFinish(q));
    }
    OK(clFinish(q));
    return NULL;
}

TEST(what_others_release_is_whole_or_refused)
{
    device = the_device();
    context = new_context();
    program = built_program(context, "kernel void k(void) {}", NULL);
    for (int i = 0; i < THREADS; i++)
        own[i] = new_queue(context, 0);
    pthread_t t[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&t[i], NULL, run, (void *)i), 0);
    const char *seconds = getenv("WEFT_TEST_SECONDS");
    sleep(seconds ? (unsigned)atoi(seconds) : 5);
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(t[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        OK(clReleaseCommandQueue(own[i]));
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < SLOTS; i++) {
            void *h = atomic_exchange(&slots[kind][i], NULL);
            if (h)
                release(kind, h);
        }
    for (int i = 0; i < 2000 && atomic_load(&gone) != atomic_load(&made); i++)
        usleep(10000);
    CHECK(atomic_load(&made) > 100);
    CHECK_EQ(atomic_load(&gone), atomic_load(&made));
    OK(clReleaseProgram(program));
    OK(clReleaseContext(context));
}
