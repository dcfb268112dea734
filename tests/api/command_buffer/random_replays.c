// Eight threads record, replay, remap, update, query and release command buffers at random, legally and
// illegally, over shared queues of the device and its sub-devices. Every call has the result that it must
// have, and nothing crashes or hangs. In the end each command of each replay that completed has been counted
// exactly once: it adds one to all of a tally. A replay that waits for an event which fails does nothing, and
// its own event says so.
// WEFT_TEST_SECONDS: how long (2).
// timeout: 240
// labels: stress
#include "api/program_fixture.h"

#include "command_buffer_fixture.h"
#include "api/sub_device_fixture.h"

enum { THREADS = 8, SLOTS = 12, QUEUES = 6, ITEMS = 64, COMMANDS = 5, MAX_QUEUES = 3 };

// What all share: the queues, for good, and command buffers, which come and go.
static cl_context context, other_context;
static cl_device_id devices[3];
static cl_uint device_count;
static cl_command_queue queues[QUEUES], foreign_queue;
static cl_program program;
static cl_mem tally;
static struct slot {
    pthread_mutex_t lock;
    buffer_handle handle; // one reference is the slot's
} slots[SLOTS];
static buffer_handle _Atomic stale[SLOTS];
static atomic_bool stop;
static atomic_int reported, completed, failed;

struct caller {
    uint64_t seed;
    cl_kernel kernel;
    buffer_handle own; // others may replay it; only its maker changes it
    command_handle handles[COMMANDS];
    int replays;
};

static uint64_t below(struct caller *t, uint64_t n)
{
    return harness_random(&t->seed) % n;
}

static void put_into(struct slot *s, buffer_handle b)
{
    pthread_mutex_lock(&s->lock);
    buffer_handle old = s->handle;
    s->handle = b;
    pthread_mutex_unlock(&s->lock);
    if (old) {
        OK(clReleaseCommandBufferKHR(old));
        atomic_store(&stale[s - slots], old);
    }
}

static buffer_handle borrow(struct caller *t)
{
    struct slot *s = &slots[below(t, SLOTS)];
    pthread_mutex_lock(&s->lock);
    buffer_handle b = s->handle;
    if (b)
        OK(clRetainCommandBufferKHR(b));
    pthread_mutex_unlock(&s->lock);
    return b;
}

static void give_back(buffer_handle b)
{
    if (b)
        OK(clReleaseCommandBufferKHR(b));
}

// Different ones.
static void choose_queues(struct caller *t, cl_command_queue *out, cl_uint count)
{
    uint64_t first = below(t, QUEUES), step = below(t, 2) ? 1 : QUEUES - 1;
    for (cl_uint i = 0; i < count; i++)
        out[i] = queues[(first + i * step) % QUEUES];
}

// ---- Recording ----

static void record_wrongly(struct caller *t, buffer_handle b, cl_command_queue in_it)
{
    const size_t items = ITEMS, zero = 0;
    const cl_uint nowhere = 0;
    switch (below(t, 6)) {
    case 0:
        CHECK_EQ(clCommandBarrierWithWaitListKHR(b, foreign_queue, NULL, 0, NULL, NULL, NULL),
                 CL_INVALID_COMMAND_QUEUE);
        break;
    case 1:
        CHECK_EQ(clCommandBarrierWithWaitListKHR(b, in_it, NULL, 1, NULL, NULL, NULL),
                 CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        break;
    case 2:
        CHECK_EQ(clCommandBarrierWithWaitListKHR(b, in_it, NULL, 1, &nowhere, NULL, NULL),
                 CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        break;
    case 3:
        CHECK_EQ(
            clCommandNDRangeKernelKHR(b, in_it, NULL, t->kernel, 4, NULL, &items, NULL, 0, NULL, NULL, NULL),
            CL_INVALID_WORK_DIMENSION);
        break;
    case 4:
        CHECK_EQ(
            clCommandNDRangeKernelKHR(b, in_it, NULL, t->kernel, 1, NULL, &items, &zero, 0, NULL, NULL, NULL),
            CL_INVALID_WORK_GROUP_SIZE);
        break;
    default:
        CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_INVALID_OPERATION);
    }
}

static buffer_handle record(struct caller *t, bool changing)
{
    const cl_properties modes[] = {0, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR};
    const cl_properties p[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                               modes[below(t, 2)] | (changing ? CL_COMMAND_BUFFER_MUTABLE_KHR : 0), 0};
    const cl_uint count = (cl_uint)(1 + below(t, MAX_QUEUES));
    const cl_int one = 1;
    const size_t items = ITEMS, local = 8;
    cl_command_queue of_it[MAX_QUEUES];
    cl_uint points[COMMANDS];
    cl_int err = 1;
    choose_queues(t, of_it, count);
    buffer_handle b = clCreateCommandBufferKHR(count, of_it, p, &err);
    OK(err);
    OK(clSetKernelArg(t->kernel, 0, sizeof tally, &tally));
    OK(clSetKernelArg(t->kernel, 1, sizeof one, &one));
    for (cl_uint i = 0; i < COMMANDS; i++) {
        cl_command_queue q = of_it[below(t, count)];
        cl_uint waits = i && below(t, 2) ? 1 : 0;
        const cl_uint *after = waits ? &points[below(t, i)] : NULL;
        if (below(t, 4) == 0)
            record_wrongly(t, b, q);
        if (below(t, 4) == 0)
            OK(clCommandBarrierWithWaitListKHR(b, q, NULL, waits, after, NULL, NULL));
        OK(clCommandNDRangeKernelKHR(b, q, NULL, t->kernel, 1, NULL, &items, below(t, 2) ? &local : NULL,
                                     waits, after, &points[i], changing ? &t->handles[i] : NULL));
    }
    OK(clFinalizeCommandBufferKHR(b));
    return b;
}

static void make(struct caller *t)
{
    put_into(&slots[below(t, SLOTS)], record(t, false));
}

// A new one of its own to change, which others replay too.
static void make_own(struct caller *t)
{
    give_back(t->own);
    t->own = record(t, true);
    OK(clRetainCommandBufferKHR(t->own));
    put_into(&slots[below(t, SLOTS)], t->own);
}

// Leaves the recording without an end.
static void give_up(struct caller *t)
{
    cl_int err = 1;
    cl_command_queue of_it[MAX_QUEUES];
    choose_queues(t, of_it, MAX_QUEUES);
    buffer_handle b = clCreateCommandBufferKHR(MAX_QUEUES, of_it, NULL, &err);
    OK(err);
    OK(clCommandBarrierWithWaitListKHR(b, of_it[1], NULL, 0, NULL, NULL, NULL));
    record_wrongly(t, b, of_it[2]);
    if (below(t, 2))
        OK(clFinalizeCommandBufferKHR(b)); // an empty one is none that anybody sees
    give_back(b);
}

// ---- Replaying ----

static void CL_CALLBACK on_complete(cl_event e, cl_int status, void *user)
{
    (void)e, (void)user;
    atomic_fetch_add(status == CL_COMPLETE ? &completed : &failed, 1);
    atomic_fetch_add(&reported, 1);
}

static void replay_one(struct caller *t)
{
    buffer_handle b = below(t, 4) ? borrow(t) : t->own;
    cl_event wait = NULL, e = NULL;
    cl_int err = 1;
    if (below(t, 4) == 0) {
        wait = clCreateUserEvent(context, &err);
        OK(err);
    }
    err = clEnqueueCommandBufferKHR(0, NULL, b, wait != NULL, wait ? &wait : NULL, &e);
    CHECK_EQ(err, b ? CL_SUCCESS : CL_INVALID_COMMAND_BUFFER_KHR);
    if (!err) {
        t->replays++;
        OK(clSetEventCallback(e, CL_COMPLETE, on_complete, NULL));
        if (!wait && below(t, 4) == 0)
            OK(clWaitForEvents(1, &e));
        OK(clReleaseEvent(e));
    }
    if (wait) {
        OK(clSetUserEventStatus(wait, below(t, 2) ? CL_COMPLETE : -5));
        OK(clReleaseEvent(wait));
    }
    if (b != t->own)
        give_back(b);
}

// Replays on other queues than those of the recording: succeeds if their devices are the same, fails
// otherwise.
static void replay_elsewhere(struct caller *t)
{
    cl_command_queue other[MAX_QUEUES + 1];
    buffer_handle b = borrow(t);
    cl_uint count = 0, given = (cl_uint)(1 + below(t, MAX_QUEUES + 1));
    cl_event e = NULL;
    if (!b)
        return;
    OK(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof count, &count, NULL));
    choose_queues(t, other, given);
    cl_int err = clEnqueueCommandBufferKHR(given, other, b, 0, NULL, &e);
    if (given != count)
        CHECK_EQ(err, CL_INVALID_VALUE);
    else
        CHECK(err == CL_SUCCESS || err == CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
    if (!err) {
        t->replays++;
        OK(clSetEventCallback(e, CL_COMPLETE, on_complete, NULL));
        OK(clReleaseEvent(e));
    }
    if (given == count) {
        other[count - 1] = foreign_queue;
        err = clEnqueueCommandBufferKHR(count, other, b, 0, NULL, NULL);
        CHECK(err == CL_INVALID_CONTEXT || err == CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
    }
    give_back(b);
}

// ---- Remapping and changing ----

static void remap(struct caller *t)
{
    cl_command_queue other[MAX_QUEUES];
    buffer_handle b = borrow(t);
    const cl_uint given = (cl_uint)(1 + below(t, MAX_QUEUES));
    cl_int err = 1;
    choose_queues(t, other, given);
    buffer_handle copy = clRemapCommandBufferKHR(b, CL_TRUE, given, other, 0, NULL, NULL, &err);
    CHECK_EQ(err, b ? CL_SUCCESS : CL_INVALID_COMMAND_BUFFER_KHR);
    if (copy)
        put_into(&slots[below(t, SLOTS)], copy);
    give_back(b);
}

// To what it does already, so that whoever replays it meanwhile counts the same.
static void change(struct caller *t)
{
    const cl_int one = 1;
    const size_t local = below(t, 2) ? 4 : 16;
    const struct weft_mutable_arg args[] = {{1, sizeof one, &one}, {2, 1, &one}};
    const uint64_t wrong = below(t, 4);
    const struct weft_mutable_config config = {.command = t->handles[below(t, COMMANDS)],
                                               .arg_count = wrong == 0 ? 2 : 1,
                                               .dim = 1,
                                               .args = args,
                                               .local = wrong == 1 ? NULL : &local};
    const void *configs[1] = {&config};
    const cl_uint type = wrong == 2 ? 99 : WEFT_MUTABLE_DISPATCH_CONFIG;
    if (!t->own)
        return;
    CHECK_EQ(clUpdateMutableCommandsKHR(t->own, 1, &type, configs), wrong == 0   ? CL_INVALID_ARG_INDEX
                                                                    : wrong == 2 ? CL_INVALID_VALUE
                                                                                 : CL_SUCCESS);
    buffer_handle b = borrow(t);
    if (b && b != t->own) // the command isn't its
        CHECK_NE(update(b, &config), CL_SUCCESS);
    give_back(b);
}

// ---- Asking ----

static void query(struct caller *t)
{
    cl_command_queue list[8];
    unsigned char value[256];
    size_t size = 0;
    cl_uint count = 0, state = 99;
    buffer_handle b = borrow(t);
    if (b) {
        OK(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof count, &count, NULL));
        CHECK_GE(count, 1);
        OK(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL));
        CHECK_EQ(state, CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
        OK(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof list, list, &size));
        CHECK(size && size / sizeof *list <= MAX_QUEUES);
        OK(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof value, value, &size));
        CHECK_EQ(clGetCommandBufferInfoKHR(b, 0xdead, sizeof value, value, NULL), CL_INVALID_VALUE);
        CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_INVALID_OPERATION);
        CHECK_EQ(clCommandBarrierWithWaitListKHR(b, list[0], NULL, 0, NULL, NULL, NULL),
                 CL_INVALID_OPERATION);
    }
    give_back(b);
}

static void misuse(struct caller *t)
{
    buffer_handle none[] = {NULL, (buffer_handle)(void *)context, (buffer_handle)(void *)queues[0]};
    buffer_handle b = none[below(t, 3)];
    cl_uint count = 0;
    cl_int err = 1;
    CHECK_EQ(clRetainCommandBufferKHR(b), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    // A stale one may be another by now.
    err = clGetCommandBufferInfoKHR(atomic_load(&stale[below(t, SLOTS)]),
                                    CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof count, &count, NULL);
    CHECK(err == CL_SUCCESS || err == CL_INVALID_COMMAND_BUFFER_KHR);
    cl_command_queue mixed[] = {queues[0], foreign_queue};
    CHECK(clCreateCommandBufferKHR(2, mixed, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(clCreateCommandBufferKHR(0, mixed, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
}

// What comes between replays in the same queues.
static void between(struct caller *t)
{
    cl_command_queue q = queues[below(t, QUEUES)];
    const size_t items = ITEMS;
    const cl_int zero = 0;
    switch (below(t, 4)) {
    case 0:
        OK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
        break;
    case 1: // adds nothing
        OK(clSetKernelArg(t->kernel, 0, sizeof tally, &tally));
        OK(clSetKernelArg(t->kernel, 1, sizeof zero, &zero));
        OK(clEnqueueNDRangeKernel(q, t->kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        break;
    case 2:
        OK(clFlush(q));
        break;
    default:
        OK(clFinish(q));
    }
}

static void *call_at_random(void *arg)
{
    static void (*const things[])(struct caller *) = {
        make,  make_own, give_up, replay_one, replay_one, replay_one, replay_elsewhere, replay_elsewhere,
        remap, change,   change,  query,      misuse,     between};
    struct caller *t = arg;
    while (!atomic_load(&stop))
        things[below(t, COUNT_OF(things))](t);
    give_back(t->own);
    return NULL;
}

static void open_all(void)
{
    cl_int err = 1;
    find_command_buffer_calls(the_platform());
    device_count = device_and_parts(the_device(), devices, COUNT_OF(devices));
    context = clCreateContext(NULL, device_count, devices, NULL, NULL, &err);
    OK(err);
    other_context = new_context();
    foreign_queue = new_queue(other_context, 0);
    for (cl_uint i = 0; i < QUEUES; i++) {
        const cl_command_queue_properties bits =
            (i & 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0) | (i & 2 ? CL_QUEUE_PROFILING_ENABLE : 0);
        queues[i] = clCreateCommandQueue(context, devices[i % device_count], bits, &err);
        OK(err);
    }
    program = built_program(
        context, "kernel void k(global int *p, int n) { atomic_add(&p[get_global_id(0)], n); }", "");
    tally = new_buffer(context, ITEMS * sizeof(cl_int));
    const cl_int zero = 0;
    OK(clEnqueueFillBuffer(queues[0], tally, &zero, 4, 0, ITEMS * sizeof zero, 0, NULL, NULL));
    OK(clFinish(queues[0]));
    for (int i = 0; i < SLOTS; i++)
        pthread_mutex_init(&slots[i].lock, NULL);
}

static void close_all(void)
{
    for (int i = 0; i < QUEUES; i++)
        OK(clReleaseCommandQueue(queues[i]));
    OK(clReleaseCommandQueue(foreign_queue));
    OK(clReleaseMemObject(tally));
    OK(clReleaseProgram(program));
    cl_uint count = 0;
    OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK_EQ(count, 1);
    OK(clReleaseContext(context));
    OK(clReleaseContext(other_context));
    for (cl_uint i = 1; i < device_count; i++)
        OK(clReleaseDevice(devices[i]));
}

TEST(command_buffers_over_several_queues)
{
    static struct caller callers[THREADS];
    pthread_t threads[THREADS];
    const char *seconds = getenv("WEFT_TEST_SECONDS");
    open_all();
    for (size_t i = 0; i < THREADS; i++) {
        callers[i].seed = i + 1;
        callers[i].kernel = new_kernel(program, "k");
        CHECK_EQ(pthread_create(&threads[i], NULL, call_at_random, &callers[i]), 0);
    }
    sleep((unsigned)(seconds ? atoi(seconds) : 2));
    atomic_store(&stop, true);
    int replays = 0;
    for (size_t i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
        OK(clReleaseKernel(callers[i].kernel));
        replays += callers[i].replays;
    }
    for (int i = 0; i < SLOTS; i++)
        put_into(&slots[i], NULL);
    for (int i = 0; i < QUEUES; i++)
        OK(clFinish(queues[i]));
    for (int i = 0; i < 60000 && atomic_load(&reported) != replays; i++)
        usleep(1000);
    CHECK_EQ(atomic_load(&reported), replays);
    CHECK_GT(atomic_load(&completed), 0);
    CHECK_GT(atomic_load(&failed), 0);
    cl_int got[ITEMS];
    OK(clEnqueueReadBuffer(queues[0], tally, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        CHECK_EQ(got[i], COMMANDS * atomic_load(&completed));
    close_all();
}
