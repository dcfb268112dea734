// Eight threads create contexts and everything that can be created in them. They release all of it while
// commands are pending: queues, memory, programs, sub-devices, semaphores, command buffers. The commands run
// to their end, and each context is destroyed when nothing needs it.
// WEFT_TEST_SECONDS: how long (2).
// timeout: 240
// labels: stress
// env: WEFT_CACHE=0
#include "api/program_fixture.h"

#include "api/command_buffer/command_buffer_fixture.h"

enum { THREADS = 8, MEGABYTE = 1 << 20, MAX_DEVICES = 64 };

static cl_device_id device;
static atomic_bool stop;
static atomic_int contexts_made, contexts_gone;
static weft_fn_clCreateSemaphoreWithPropertiesKHR create_semaphore;
static weft_fn_clReleaseSemaphoreKHR release_semaphore;
static weft_fn_clEnqueueWaitSemaphoresKHR enqueue_wait;
static weft_fn_clEnqueueSignalSemaphoresKHR enqueue_signal;

static void CL_CALLBACK count_context(cl_context c, void *user)
{
    (void)c, (void)user;
    atomic_fetch_add(&contexts_gone, 1);
}

static cl_context make_context(cl_uint count, const cl_device_id *devices)
{
    cl_int err = 1;
    cl_context c = clCreateContext(NULL, count, devices, NULL, NULL, &err);
    OK(err);
    OK(clSetContextDestructorCallback(c, count_context, NULL));
    atomic_fetch_add(&contexts_made, 1);
    return c;
}

// In or out of order, with profiling or without.
static cl_command_queue make_queue(cl_context c, cl_device_id d, uint64_t *seed)
{
    cl_int err = 1;
    const cl_queue_properties p[] = {CL_QUEUE_PROPERTIES, harness_random(seed) % 4, 0};
    cl_command_queue q = clCreateCommandQueueWithProperties(c, d, p, &err);
    OK(err);
    return q;
}

static void CL_CALLBACK release_memory(cl_event e, cl_int status, void *user)
{
    (void)e, (void)status;
    OK(clReleaseMemObject(user));
}

static void CL_CALLBACK release_event(cl_event e, cl_int status, void *user)
{
    (void)status, (void)user;
    OK(clReleaseEvent(e));
}

static void fill_behind_an_event(uint64_t *seed)
{
    cl_context c = make_context(1, &device);
    cl_command_queue q = make_queue(c, device, seed);
    cl_mem m = new_buffer(c, 5 * MEGABYTE);
    cl_event gate = new_user_event(c), last = NULL;
    const cl_uint one = 1;
    for (size_t i = 0; i < 5; i++)
        OK(clEnqueueFillBuffer(q, m, &one, sizeof one, i * MEGABYTE, MEGABYTE, i == 0, i == 0 ? &gate : NULL,
                               i == 4 ? &last : NULL));
    if (harness_random(seed) % 2)
        OK(clSetEventCallback(last, CL_COMPLETE, release_memory, m));
    else
        OK(clReleaseMemObject(m));
    OK(clReleaseEvent(last));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    OK(clSetUserEventStatus(gate, harness_random(seed) % 2 ? CL_COMPLETE : -3));
    OK(clReleaseEvent(gate));
}

static void wait_for_semaphores(uint64_t *seed)
{
    cl_context c = make_context(1, &device);
    cl_command_queue a = make_queue(c, device, seed), b = make_queue(c, device, seed);
    const cl_properties p[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    struct _cl_semaphore_khr *s[2];
    cl_int err = 1;
    for (int i = 0; i < 2; i++) {
        s[i] = create_semaphore(c, p, &err);
        OK(err);
    }
    cl_event e = NULL;
    OK(enqueue_signal(a, 1, &s[0], NULL, 0, NULL, NULL));
    OK(enqueue_signal(a, 1, &s[1], NULL, 0, NULL, NULL));
    OK(enqueue_wait(b, 2, s, NULL, 0, NULL, &e));
    OK(clFlush(a));
    OK(clWaitForEvents(1, &e));
    OK(clReleaseEvent(e));
    OK(enqueue_wait(b, 1, s, NULL, 0, NULL, NULL));
    OK(enqueue_signal(a, 1, s, NULL, 0, NULL, NULL));
    for (int i = 0; i < 2; i++)
        OK(release_semaphore(s[i]));
    OK(clReleaseCommandQueue(a));
    OK(clReleaseCommandQueue(b));
    OK(clReleaseContext(c));
}

static void free_shared_memory(uint64_t *seed)
{
    cl_context c = make_context(1, &device);
    cl_command_queue q = make_queue(c, device, seed);
    void *p[20];
    cl_uint count = (cl_uint)(1 + harness_random(seed) % COUNT_OF(p));
    for (cl_uint i = 0; i < count; i++) {
        p[i] = clSVMAlloc(c, CL_MEM_READ_WRITE, 1 + harness_random(seed) % 70000, 0);
        CHECK(p[i] != NULL);
    }
    const cl_uchar one = 1;
    cl_event filled = NULL;
    OK(clEnqueueSVMMemFill(q, p[0], &one, 1, 1, 0, NULL, &filled));
    OK(clEnqueueSVMFree(q, count, p, NULL, NULL, 1, &filled, NULL));
    OK(clReleaseEvent(filled));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

static void CL_CALLBACK count_memory(cl_mem m, void *user)
{
    (void)m;
    atomic_store((atomic_int *)user, 1);
}

static void map_a_part(uint64_t *seed)
{
    cl_context c = make_context(1, &device);
    cl_command_queue q = make_queue(c, device, seed);
    atomic_int gone = 0;
    cl_mem m = new_buffer(c, 1 << 16);
    OK(clSetMemObjectDestructorCallback(m, count_memory, &gone));
    const cl_buffer_region region = {4096, 4096};
    cl_int err = 1;
    cl_mem part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    OK(err);
    cl_event e[3];
    char *whole = clEnqueueMapBuffer(q, m, CL_FALSE, CL_MAP_READ, 0, 4096, 0, NULL, &e[0], &err);
    OK(err);
    char *mapped = clEnqueueMapBuffer(q, part, CL_FALSE, CL_MAP_WRITE, 0, 100, 1, e, &e[1], &err);
    OK(err);
    CHECK_EQ(mapped - whole, 4096);
    OK(clWaitForEvents(2, e));
    mapped[99] = 1;
    OK(clEnqueueUnmapMemObject(q, part, mapped, 0, NULL, &e[2]));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(part));
    for (int i = 0; i < 3; i++)
        OK(clReleaseEvent(e[i]));
    OK(clFinish(q));
    await_count(&gone, 1);
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

static void count_on_parts(uint64_t *seed)
{
    const cl_device_partition_property p[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const size_t items = 100;
    cl_device_id parts[MAX_DEVICES];
    cl_event e[MAX_DEVICES];
    cl_uint count = 0;
    cl_int err = 1, counted = 0;
    if (clCreateSubDevices(device, p, MAX_DEVICES, parts, &count))
        return;
    cl_context c = make_context(count, parts);
    cl_program program = built_program(c, "kernel void k(volatile global int *p) { atomic_inc(p); }\n", NULL);
    cl_kernel k = new_kernel(program, "k");
    cl_mem m = clCreateBuffer(c, CL_MEM_USE_HOST_PTR, sizeof counted, &counted, &err);
    OK(err);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    for (cl_uint i = 0; i < count; i++) {
        cl_command_queue q = make_queue(c, parts[i], seed);
        OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, &e[i]));
        OK(clFlush(q));
        OK(clReleaseCommandQueue(q));
        OK(clReleaseDevice(parts[i]));
    }
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(m));
    OK(clReleaseContext(c));
    OK(clWaitForEvents(count, e));
    CHECK_EQ(counted, (cl_int)(items * count));
    for (cl_uint i = 0; i < count; i++)
        OK(clReleaseEvent(e[i]));
}

static void replay_at_last(uint64_t *seed)
{
    cl_context c = make_context(1, &device);
    cl_command_queue q = make_queue(c, device, seed);
    cl_mem m = new_buffer(c, 4096);
    cl_int err = 1;
    buffer_handle b = clCreateCommandBufferKHR(1, &q, NULL, &err);
    OK(err);
    for (cl_uint i = 0; i < 5; i++)
        OK(clCommandFillBufferKHR(b, NULL, NULL, m, &i, sizeof i, 0, 4096, 0, NULL, NULL, NULL));
    OK(clFinalizeCommandBufferKHR(b));
    const bool early = harness_random(seed) % 2;
    if (early)
        OK(clReleaseCommandQueue(q));
    cl_event e = NULL;
    for (int i = 0; i < 4; i++)
        OK(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, i == 3 ? &e : NULL));
    OK(clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
    OK(clSetEventCallback(e, CL_COMPLETE, release_event, NULL));
    if (!early)
        OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

static void read_an_image_of_an_image(uint64_t *seed)
{
    enum { SIDE = 64 };
    const cl_image_format f = {CL_RGBA, CL_UNORM_INT8};
    const size_t origin[3] = {0}, region[3] = {SIDE, SIDE, 1};
    const float white[4] = {1, 1, 1, 1};
    unsigned char texels[SIDE * SIDE * 4];
    cl_context c = make_context(1, &device);
    cl_command_queue q = make_queue(c, device, seed);
    cl_mem m[3] = {new_buffer(c, sizeof texels)};
    cl_int err = 1;
    for (int i = 1; i < 3; i++) {
        const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                 .image_width = SIDE,
                                 .image_height = SIDE,
                                 .image_row_pitch = SIDE * 4,
                                 .mem_object = m[i - 1]};
        m[i] = clCreateImage(c, 0, &f, &d, NULL, &err);
        OK(err);
        OK(clReleaseMemObject(m[i - 1]));
    }
    cl_event e = NULL;
    OK(clEnqueueFillImage(q, m[2], white, origin, region, 0, NULL, NULL));
    OK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    OK(clEnqueueReadImage(q, m[2], CL_FALSE, origin, region, 0, 0, texels, 0, NULL, &e));
    OK(clReleaseMemObject(m[2]));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    OK(clWaitForEvents(1, &e));
    OK(clReleaseEvent(e));
    for (size_t i = 0; i < sizeof texels; i++)
        CHECK_EQ(texels[i], 255);
}

static void *run(void *arg)
{
    static void (*const all[])(uint64_t *seed) = {
        fill_behind_an_event, wait_for_semaphores, free_shared_memory,       map_a_part,
        count_on_parts,       replay_at_last,      read_an_image_of_an_image};
    uint64_t seed = (uint64_t)(uintptr_t)arg * 7919 + 1;
    while (!atomic_load(&stop))
        all[harness_random(&seed) % COUNT_OF(all)](&seed);
    return NULL;
}

TEST(what_is_released_under_way_works_to_its_end)
{
    const char *seconds = getenv("WEFT_TEST_SECONDS");
    device = the_device();
    cl_platform_id platform = the_platform();
    find_command_buffer_calls(platform);
#define FIND(to, name) \
    CHECK((to = (__typeof__(to))clGetExtensionFunctionAddressForPlatform(platform, name)) != NULL)
    FIND(create_semaphore, "clCreateSemaphoreWithPropertiesKHR");
    FIND(release_semaphore, "clReleaseSemaphoreKHR");
    FIND(enqueue_wait, "clEnqueueWaitSemaphoresKHR");
    FIND(enqueue_signal, "clEnqueueSignalSemaphoresKHR");
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, run, (void *)i), 0);
    sleep_ms(1000 * (seconds ? atoi(seconds) : 2));
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    CHECK_GE(atomic_load(&contexts_made), THREADS);
    await_count(&contexts_gone, atomic_load(&contexts_made));
    CHECK_EQ(atomic_load(&contexts_gone), atomic_load(&contexts_made));
}
