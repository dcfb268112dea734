// Eight threads make random calls, legal and illegal, on objects that they share and on several queues of
// their own. Each call that must succeed does, nothing crashes or hangs, callbacks come once, kernels count
// right, and at the end every object is gone.
// WEFT_TEST_SECONDS: how long (2).
//
// A thread that uses a shared object legally holds a reference of its own. Illegal handles are NULL, of
// another kind, or none at all. Stale ones may be another thread's new object, so only their reference count
// is asked for. The main thread sets the status of every user event sooner or later, so that every wait ends.
// timeout: 240
// labels: stress
#include "program_fixture.h"

#include "sub_device_fixture.h"

enum { THREADS = 8, SLOTS = 48, ITEMS = 64, BYTES = 4 * ITEMS, QUEUES = 3 };

enum kind { NOTHING, QUEUE, BUFFER, IMAGE, SAMPLER, EVENT, USER_EVENT, KERNEL, KINDS };

static const struct {
    cl_uint queries[4]; // the first is of the reference count
    cl_int bad_handle;
} kinds[KINDS] = {
    [QUEUE] = {{CL_QUEUE_REFERENCE_COUNT, CL_QUEUE_DEVICE, CL_QUEUE_SIZE, CL_QUEUE_PROPERTIES_ARRAY},
               CL_INVALID_COMMAND_QUEUE},
    [BUFFER] = {{CL_MEM_REFERENCE_COUNT, CL_MEM_SIZE, CL_MEM_MAP_COUNT, CL_MEM_OFFSET},
                CL_INVALID_MEM_OBJECT},
    [IMAGE] = {{CL_MEM_REFERENCE_COUNT, CL_MEM_TYPE, CL_MEM_FLAGS, CL_MEM_CONTEXT}, CL_INVALID_MEM_OBJECT},
    [SAMPLER] = {{CL_SAMPLER_REFERENCE_COUNT, CL_SAMPLER_FILTER_MODE, CL_SAMPLER_CONTEXT, 0},
                 CL_INVALID_SAMPLER},
    [EVENT] = {{CL_EVENT_REFERENCE_COUNT, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_COMMAND_TYPE, 0},
               CL_INVALID_EVENT},
    [USER_EVENT] = {{CL_EVENT_REFERENCE_COUNT, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_COMMAND_QUEUE, 0},
                    CL_INVALID_EVENT},
    [KERNEL] = {{CL_KERNEL_REFERENCE_COUNT, CL_KERNEL_FUNCTION_NAME, CL_KERNEL_NUM_ARGS, 0},
                CL_INVALID_KERNEL},
};

static struct slot {
    pthread_mutex_t lock;
    enum kind kind;
    void *handle; // one reference is the slot's
} slots[SLOTS];
static void *_Atomic stale[SLOTS]; // handles that were
static cl_context context, other_context;
static cl_device_id devices[QUEUES]; // the device and, where there are processors enough, parts of it
static cl_uint device_count;
static cl_program program;
static atomic_int events_requested, events_reported, objects_made, objects_gone;
static atomic_bool stop;
static void *nothing[512]; // what the loader takes for objects, since each word is its dispatch table

struct caller {
    uint64_t seed;
    // In order, on the device and its sub-devices. What is in the thread's memory happens here, in each queue
    // in a part of its own, but for the first part, in which kernels of all queues count.
    cl_command_queue queues[QUEUES];
    cl_mem buffer;
    cl_kernel kernel;
    cl_int launches; // that can't fail
    unsigned char host[QUEUES][BYTES];
};

static uint64_t below(struct caller *t, uint64_t n)
{
    return harness_random(&t->seed) % n;
}

// ---- Handles ----

static cl_int retain(enum kind kind, void *h)
{
    return kind == QUEUE                     ? clRetainCommandQueue(h)
           : kind == BUFFER || kind == IMAGE ? clRetainMemObject(h)
           : kind == SAMPLER                 ? clRetainSampler(h)
           : kind == KERNEL                  ? clRetainKernel(h)
                                             : clRetainEvent(h);
}

static cl_int release(enum kind kind, void *h)
{
    return kind == QUEUE                     ? clReleaseCommandQueue(h)
           : kind == BUFFER || kind == IMAGE ? clReleaseMemObject(h)
           : kind == SAMPLER                 ? clReleaseSampler(h)
           : kind == KERNEL                  ? clReleaseKernel(h)
                                             : clReleaseEvent(h);
}

static cl_int ask(enum kind kind, void *h, cl_uint name, size_t size, void *value)
{
    size_t got;
    return kind == QUEUE                     ? clGetCommandQueueInfo(h, name, size, value, &got)
           : kind == BUFFER || kind == IMAGE ? clGetMemObjectInfo(h, name, size, value, &got)
           : kind == SAMPLER                 ? clGetSamplerInfo(h, name, size, value, &got)
           : kind == KERNEL                  ? clGetKernelInfo(h, name, size, value, &got)
                                             : clGetEventInfo(h, name, size, value, &got);
}

// Releases the slot's reference. Commands that wait for a user event would wait for ever if nobody could
// reach it.
static void drop(enum kind kind, void *h)
{
    if (kind == NOTHING)
        return;
    if (kind == USER_EVENT)
        clSetUserEventStatus(h, CL_COMPLETE);
    OK(release(kind, h));
}

static void put_into(struct slot *s, enum kind kind, void *h)
{
    pthread_mutex_lock(&s->lock);
    enum kind old_kind = s->kind;
    void *old = s->handle;
    s->kind = kind;
    s->handle = h;
    pthread_mutex_unlock(&s->lock);
    drop(old_kind, old);
    if (old)
        atomic_store(&stale[s - slots], old);
}

static void share(struct caller *t, enum kind kind, void *h)
{
    put_into(&slots[below(t, SLOTS)], kind, h);
}

// A reference for the caller, who gives it back; NULL: there happens to be none of this kind.
static void *borrow(struct caller *t, enum kind kind)
{
    for (int tries = 0; tries < 12; tries++) {
        struct slot *s = &slots[below(t, SLOTS)];
        void *h = NULL;
        pthread_mutex_lock(&s->lock);
        if (s->kind == kind) {
            h = s->handle;
            OK(retain(kind, h));
        }
        pthread_mutex_unlock(&s->lock);
        if (h)
            return h;
    }
    return NULL;
}

static void give_back(enum kind kind, void *h)
{
    if (h)
        OK(release(kind, h));
}

// What is no handle of any kind but a device's.
static void *wrong_handle(struct caller *t)
{
    switch (below(t, 3)) {
    case 0:
        return NULL;
    case 1:
        return &nothing[below(t, 64)];
    default:
        return the_device();
    }
}

// Borrowed events for a wait list, now and then none at all.
static cl_uint wait_list(struct caller *t, cl_event list[3])
{
    cl_uint count = 0;
    for (uint64_t i = below(t, 4); i > 0; i--) {
        cl_event e = borrow(t, EVENT);
        if (e)
            list[count++] = e;
    }
    return count;
}

static void give_back_all(cl_uint count, const cl_event *list)
{
    for (cl_uint i = 0; i < count; i++)
        give_back(EVENT, list[i]);
}

// ---- What a thread does ----

static void make_queue(struct caller *t)
{
    static const cl_queue_properties bits[] = {
        0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 1 << 12};
    cl_int err = 1;
    uint64_t i = below(t, COUNT_OF(bits));
    const cl_queue_properties p[] = {CL_QUEUE_PROPERTIES, bits[i], 0};
    cl_command_queue q =
        clCreateCommandQueueWithProperties(context, devices[below(t, device_count)], p, &err);
    CHECK_EQ(err, i < 4 ? CL_SUCCESS : CL_INVALID_VALUE);
    if (q)
        share(t, QUEUE, q);
}

static void CL_CALLBACK report_object(cl_mem m, void *user)
{
    (void)m, (void)user;
    atomic_fetch_add(&objects_gone, 1);
}

static void share_memory(struct caller *t, enum kind kind, cl_mem m)
{
    OK(clSetMemObjectDestructorCallback(m, report_object, NULL));
    atomic_fetch_add(&objects_made, 1);
    share(t, kind, m);
}

static void make_memory(struct caller *t)
{
    static const cl_mem_flags flags[] = {0, CL_MEM_READ_ONLY, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY};
    const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = below(t, 20), .image_height = 3};
    cl_int err = 1;
    cl_mem parent, m;
    switch (below(t, 3)) {
    case 0:
        m = clCreateBuffer(context, flags[below(t, COUNT_OF(flags))],
                           below(t, 3) ? BYTES : below(t, 2) * SIZE_MAX, NULL, &err);
        break;
    case 1:
        parent = borrow(t, BUFFER);
        m = clCreateSubBuffer(parent ? parent : wrong_handle(t), 0, CL_BUFFER_CREATE_TYPE_REGION,
                              &(cl_buffer_region){64 * below(t, 5), below(t, BYTES)}, &err);
        give_back(BUFFER, parent);
        break;
    default:
        m = clCreateImage(context, flags[below(t, COUNT_OF(flags))], &rgba, &d, NULL, &err);
        if (m)
            share_memory(t, IMAGE, m);
        m = NULL;
    }
    CHECK(!m || !err);
    if (m)
        share_memory(t, BUFFER, m);
}

static void make_others(struct caller *t)
{
    cl_int err = 1;
    cl_kernel k;
    switch (below(t, 3)) {
    case 0:
        share(t, SAMPLER, clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err));
        break;
    case 1:
        share(t, USER_EVENT, clCreateUserEvent(context, &err));
        break;
    default:
        k = below(t, 2) ? clCreateKernel(program, "count", &err) : clCloneKernel(t->kernel, &err);
        share(t, KERNEL, k);
    }
    OK(err);
}

static void enqueue_marker(struct caller *t)
{
    cl_command_queue q = borrow(t, QUEUE);
    cl_event list[3], event = NULL;
    cl_uint count = wait_list(t, list);
    if (below(t, 8) == 0 && count < 3) // of a user event, or of none
        list[count] = below(t, 2) ? borrow(t, USER_EVENT) : NULL, count += list[count] != NULL;
    cl_int err =
        below(t, 2)
            ? clEnqueueMarkerWithWaitList(q ? q : wrong_handle(t), count, count ? list : NULL, &event)
            : clEnqueueBarrierWithWaitList(q ? q : wrong_handle(t), count, count ? list : NULL, &event);
    if (q)
        OK(err);
    if (!err)
        share(t, EVENT, event);
    give_back_all(count, list);
    give_back(QUEUE, q);
}

static void move_bytes(struct caller *t)
{
    cl_event list[3], event = NULL;
    cl_uint count = wait_list(t, list);
    const cl_event *waits = count ? list : NULL;
    const cl_int value = 1;
    const size_t i = below(t, QUEUES), own = BYTES * (i + 1);
    size_t offset = 4 * below(t, ITEMS / 2);
    cl_command_queue q = t->queues[i];
    cl_int err = 1;
    switch (below(t, 5)) {
    case 0:
        err = clEnqueueReadBuffer(q, t->buffer, CL_FALSE, offset, 64, t->host[i], count, waits, &event);
        break;
    case 1:
        err = clEnqueueReadBuffer(q, t->buffer, CL_FALSE, BYTES - offset / 8, SIZE_MAX - 4, t->host[i], count,
                                  waits, &event);
        CHECK_EQ(err, CL_INVALID_VALUE);
        break;
    case 2: // a part that kernels don't count in
        err = clEnqueueFillBuffer(q, t->buffer, &value, 4, own, 4 * (offset / 4), count, waits, &event);
        break;
    case 3:
        err = clEnqueueCopyBuffer(q, t->buffer, t->buffer, 0, own, BYTES / 2 + offset, count, waits, &event);
        break;
    default:;
        void *mapped =
            clEnqueueMapBuffer(q, t->buffer, CL_FALSE, CL_MAP_READ, offset, 64, count, waits, &event, &err);
        OK(err);
        // A map that an event of its wait list has ended already is none.
        cl_int unmapped = clEnqueueUnmapMemObject(q, t->buffer, mapped, 0, NULL, NULL);
        CHECK(unmapped == CL_SUCCESS || (unmapped == CL_INVALID_VALUE && count > 0));
    }
    if (!err)
        share(t, EVENT, event);
    give_back_all(count, list);
}

static void launch(struct caller *t)
{
    const size_t items = ITEMS, none = 0, odd = 7;
    cl_command_queue q = t->queues[below(t, QUEUES)];
    cl_event event = NULL;
    switch (below(t, 5)) {
    case 0:
        CHECK_EQ(clEnqueueNDRangeKernel(q, t->kernel, 4, NULL, &items, NULL, 0, NULL, NULL),
                 CL_INVALID_WORK_DIMENSION);
        break;
    case 1:
        CHECK_EQ(clEnqueueNDRangeKernel(q, t->kernel, 1, NULL, &items, &none, 0, NULL, NULL),
                 CL_INVALID_WORK_GROUP_SIZE);
        break;
    case 2:
        CHECK_EQ(clEnqueueNDRangeKernel(q, t->kernel, 1, NULL, &items, &odd, 0, NULL, NULL),
                 CL_INVALID_WORK_GROUP_SIZE);
        break;
    default:
        OK(clEnqueueNDRangeKernel(q, t->kernel, 1, NULL, &items, NULL, 0, NULL, &event));
        t->launches++;
        share(t, EVENT, event);
    }
}

static void CL_CALLBACK report_event(cl_event e, cl_int status, void *user)
{
    (void)e, (void)status, (void)user;
    atomic_fetch_add(&events_reported, 1);
}

static void watch_event(struct caller *t)
{
    enum kind kind = below(t, 2) ? EVENT : USER_EVENT;
    cl_event e = borrow(t, kind);
    static const cl_int states[] = {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED, CL_QUEUED};
    uint64_t i = below(t, 4);
    cl_int err = clSetEventCallback(e, states[i], report_event, NULL);
    CHECK_EQ(err, !e ? CL_INVALID_EVENT : i == 3 ? CL_INVALID_VALUE : CL_SUCCESS);
    if (!err)
        atomic_fetch_add(&events_requested, 1);
    give_back(kind, e);
}

static void settle(struct caller *t)
{
    cl_event e = borrow(t, USER_EVENT);
    cl_int err = clSetUserEventStatus(e, below(t, 4) ? CL_COMPLETE : -5);
    CHECK(e ? err == CL_SUCCESS || err == CL_INVALID_OPERATION : err == CL_INVALID_EVENT);
    give_back(USER_EVENT, e);
}

static void wait_for_something(struct caller *t)
{
    cl_command_queue q = borrow(t, QUEUE);
    cl_event e = borrow(t, EVENT);
    if (q)
        OK(below(t, 2) ? clFinish(q) : clFlush(q));
    cl_int err = clWaitForEvents(e ? 1 : 0, e ? &e : NULL);
    CHECK(e ? err == CL_SUCCESS || err == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
            : err == CL_INVALID_VALUE);
    give_back(EVENT, e);
    give_back(QUEUE, q);
}

static void query(struct caller *t)
{
    unsigned char value[64];
    enum kind kind = (enum kind)(1 + below(t, KINDS - 1));
    void *h = borrow(t, kind);
    cl_uint count = 0;
    if (h) {
        OK(ask(kind, h, kinds[kind].queries[0], sizeof count, &count));
        CHECK_GE(count, 1);
        CHECK_EQ(ask(kind, h, 0xdead, sizeof value, value), CL_INVALID_VALUE);
    }
    ask(kind, h ? h : wrong_handle(t), kinds[kind].queries[below(t, 4)], below(t, sizeof value), value);
    give_back(kind, h);
}

static void misuse(struct caller *t)
{
    enum kind kind = (enum kind)(1 + below(t, KINDS - 1));
    void *h = wrong_handle(t);
    cl_event e = NULL;
    cl_uint count;
    cl_int err = retain(kind, h);
    CHECK_EQ(err, kinds[kind].bad_handle);
    // A stale handle may be a new object's, or become it while a call looks at it: only a count is asked for.
    err = ask(kind, atomic_load(&stale[below(t, SLOTS)]), kinds[kind].queries[0], sizeof count, &count);
    CHECK(err == CL_SUCCESS || err == kinds[kind].bad_handle);
    CHECK_EQ(release(kind, NULL), kinds[kind].bad_handle);
    CHECK_EQ(release(kind, the_device()), kinds[kind].bad_handle);
    CHECK_EQ(clSetKernelArg(NULL, 0, 4, &err), CL_INVALID_KERNEL);
    CHECK_EQ(clEnqueueMarkerWithWaitList(t->queues[0], 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    e = clCreateUserEvent(other_context, &err);
    OK(err);
    CHECK_EQ(clEnqueueMarkerWithWaitList(t->queues[0], 1, &e, NULL), CL_INVALID_CONTEXT);
    OK(clReleaseEvent(e));
}

static void use_shared_memory(struct caller *t)
{
    const cl_int pattern = 3;
    cl_command_queue q = t->queues[below(t, QUEUES)];
    void *p = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    CHECK(p);
    OK(clEnqueueSVMMemFill(q, p, &pattern, 4, BYTES, 0, NULL, NULL));
    CHECK_EQ(clEnqueueSVMMemcpy(q, CL_FALSE, p, p, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    OK(clEnqueueSVMFree(q, 1, &p, NULL, NULL, 0, NULL, NULL));
}

static void build(struct caller *t)
{
    if (below(t, 40))
        return;
    char source[128];
    snprintf(source, sizeof source, "kernel void k(global int *p) { *p = %u; }%s", (unsigned)below(t, 3),
             below(t, 3) ? "" : " oops");
    const char *s = source;
    cl_int err = 1;
    cl_program p = clCreateProgramWithSource(context, 1, &s, NULL, &err);
    OK(err);
    err = clBuildProgram(p, 0, NULL, "", NULL, NULL);
    CHECK_EQ(err, strstr(source, "oops") ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS);
    OK(clReleaseProgram(p));
}

static void *call_at_random(void *arg)
{
    static void (*const things[])(struct caller *) = {
        make_queue,  make_memory, make_others, enqueue_marker,     enqueue_marker, move_bytes,        launch,
        watch_event, settle,      query,       wait_for_something, misuse,         use_shared_memory, build};
    struct caller *t = arg;
    while (!atomic_load(&stop))
        things[below(t, COUNT_OF(things))](t);
    for (int i = 0; i < QUEUES; i++)
        OK(clFinish(t->queues[i]));
    return NULL;
}

// ---- The test ----

static void open_caller(struct caller *t, size_t number)
{
    const cl_int zero = 0;
    t->seed = number + 1;
    for (size_t i = 0; i < QUEUES; i++) {
        cl_int err = 1;
        t->queues[i] = clCreateCommandQueue(context, devices[i % device_count],
                                            (number + i) % 2 ? CL_QUEUE_PROFILING_ENABLE : 0, &err);
        OK(err);
    }
    t->buffer = new_buffer(context, (1 + QUEUES) * BYTES);
    t->kernel = new_kernel(program, "count");
    OK(clSetKernelArg(t->kernel, 0, sizeof t->buffer, &t->buffer));
    OK(clEnqueueFillBuffer(t->queues[0], t->buffer, &zero, 4, 0, (1 + QUEUES) * BYTES, 0, NULL, NULL));
    OK(clFinish(t->queues[0]));
}

static void close_caller(struct caller *t)
{
    cl_int counts[ITEMS];
    OK(clEnqueueReadBuffer(t->queues[0], t->buffer, CL_TRUE, 0, BYTES, counts, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        CHECK_EQ(counts[i], t->launches);
    OK(clReleaseKernel(t->kernel));
    OK(clReleaseMemObject(t->buffer));
    for (int i = 0; i < QUEUES; i++)
        OK(clReleaseCommandQueue(t->queues[i]));
}

static void settle_all(void)
{
    for (int i = 0; i < SLOTS; i++) {
        struct slot *s = &slots[i];
        cl_event e = NULL;
        pthread_mutex_lock(&s->lock);
        if (s->kind == USER_EVENT) {
            e = s->handle;
            OK(clRetainEvent(e));
        }
        pthread_mutex_unlock(&s->lock);
        if (e)
            clSetUserEventStatus(e, CL_COMPLETE);
        give_back(USER_EVENT, e);
    }
}

static void await_total(atomic_int *count, int wanted)
{
    for (int i = 0; i < 60000 && atomic_load(count) != wanted; i++)
        usleep(1000);
    CHECK_EQ(atomic_load(count), wanted);
}

static void open_context(void)
{
    cl_int err = 1;
    device_count = device_and_parts(the_device(), devices, COUNT_OF(devices));
    context = clCreateContext(NULL, device_count, devices, NULL, NULL, &err);
    OK(err);
}

TEST(any_call_at_any_time)
{
    static struct caller callers[THREADS];
    pthread_t threads[THREADS];
    const char *seconds = getenv("WEFT_TEST_SECONDS");
    open_context();
    other_context = new_context();
    for (size_t i = 0; i < COUNT_OF(nothing); i++)
        nothing[i] = *(void **)the_device();
    program =
        built_program(context, "kernel void count(global int *p) { atomic_inc(&p[get_global_id(0)]); }", "");
    for (int i = 0; i < SLOTS; i++)
        pthread_mutex_init(&slots[i].lock, NULL);
    for (size_t i = 0; i < THREADS; i++)
        open_caller(&callers[i], i);
    for (size_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, call_at_random, &callers[i]), 0);
    const time_t end = time(NULL) + (seconds ? atoi(seconds) : 2);
    while (time(NULL) < end) {
        usleep(2000);
        settle_all();
    }
    atomic_store(&stop, true);
    // Who still waits for a user event is helped, until all have ended.
    for (size_t i = 0; i < THREADS; i++)
        while (pthread_tryjoin_np(threads[i], NULL) != 0) {
            usleep(1000);
            settle_all();
        }
    for (int i = 0; i < SLOTS; i++)
        put_into(&slots[i], NOTHING, NULL);
    for (size_t i = 0; i < THREADS; i++)
        close_caller(&callers[i]);
    await_total(&events_reported, atomic_load(&events_requested));
    await_total(&objects_gone, atomic_load(&objects_made));
    CHECK_GT(atomic_load(&events_requested), 0);
    CHECK_GT(atomic_load(&objects_made), 0);
    OK(clReleaseProgram(program));
    cl_uint count = 0;
    OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK_EQ(count, 1);
    OK(clReleaseContext(other_context));
    OK(clReleaseContext(context));
    for (cl_uint i = 1; i < device_count; i++)
        OK(clReleaseDevice(devices[i]));
}
