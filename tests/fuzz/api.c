// Random sequences of calls, legal and illegal, against a model that knows the reference count of each object
// and what a user event's status does to the commands after it. No programs: they would need another process.
//
// A handle whose last reference was released may go on working while something else holds the object (a
// sub-buffer its buffer, a command its queue): what is done with one has no result that could be foretold,
// but no release succeeds.
#include "runtime/api/api.h"
#include "fuzz.h"

enum { SLOTS = 12, BYTES = 256 };

enum kind { NOTHING, QUEUE, BUFFER, USER_EVENT, EVENT };

struct slot {
    enum kind kind;
    cl_uint count; // of references; 0: the handle is stale
    union {
        void *any;
        cl_command_queue queue;
        cl_mem mem;
        cl_event event;
    } h;
    bool set;      // of a user event: it has its status
    cl_int status; // which
};

static struct {
    cl_device_id device;
    cl_context context;
    cl_uint context_count;
    struct slot at[SLOTS];
} m;

static struct slot *slot(struct fuzz_bytes *b)
{
    return &m.at[fuzz_byte(b) % SLOTS];
}

static bool is(const struct slot *s, enum kind kind)
{
    return s->kind == kind && s->count > 0;
}

// A handle of this kind for a call: mostly one that lives, sometimes one that is stale, of another kind or
// NULL.
static void *handle(const struct slot *s)
{
    return s->h.any;
}

// ---- References ----

static cl_int retain(const struct slot *s)
{
    return s->kind == QUEUE    ? weft_clRetainCommandQueue(s->h.queue)
           : s->kind == BUFFER ? weft_clRetainMemObject(s->h.mem)
                               : weft_clRetainEvent(s->h.event);
}

static cl_int release(const struct slot *s)
{
    return s->kind == QUEUE    ? weft_clReleaseCommandQueue(s->h.queue)
           : s->kind == BUFFER ? weft_clReleaseMemObject(s->h.mem)
                               : weft_clReleaseEvent(s->h.event);
}

static cl_int ask(const struct slot *s, cl_uint *count)
{
    return s->kind == QUEUE
               ? weft_clGetCommandQueueInfo(s->h.queue, CL_QUEUE_REFERENCE_COUNT, sizeof *count, count, NULL)
           : s->kind == BUFFER
               ? weft_clGetMemObjectInfo(s->h.mem, CL_MEM_REFERENCE_COUNT, sizeof *count, count, NULL)
               : weft_clGetEventInfo(s->h.event, CL_EVENT_REFERENCE_COUNT, sizeof *count, count, NULL);
}

static cl_int invalid(const struct slot *s)
{
    return s->kind == QUEUE    ? CL_INVALID_COMMAND_QUEUE
           : s->kind == BUFFER ? CL_INVALID_MEM_OBJECT
                               : CL_INVALID_EVENT;
}

static void check_count(const struct slot *s)
{
    cl_uint count = 0;
    cl_int error = ask(s, &count);
    FUZZ_CHECK(error == CL_SUCCESS || (s->count == 0 && error == invalid(s)));
    FUZZ_CHECK(error != CL_SUCCESS || count == s->count);
}

// Events must have their status before the last reference goes: commands may wait for them for ever.
static void settle(struct slot *s)
{
    if (!is(s, USER_EVENT) || s->set)
        return;
    FUZZ_CHECK(weft_clSetUserEventStatus(s->h.event, CL_COMPLETE) == CL_SUCCESS);
    s->set = true;
}

static void drop(struct slot *s)
{
    if (s->kind == NOTHING)
        return;
    if (s->count == 1)
        settle(s);
    FUZZ_CHECK(release(s) == (s->count ? CL_SUCCESS : invalid(s)));
    if (s->count)
        s->count--;
    check_count(s);
}

static void forget(struct slot *s)
{
    while (s->count)
        drop(s);
    *s = (struct slot){0};
}

// A new object may have the place of a dead one, whose handle is then not stale any more.
static void put(struct slot *s, enum kind kind, void *any, cl_int error)
{
    if (!any) {
        FUZZ_CHECK(error != CL_SUCCESS);
        return;
    }
    FUZZ_CHECK(error == CL_SUCCESS);
    for (int i = 0; i < SLOTS; i++) {
        FUZZ_CHECK(m.at[i].h.any != any || m.at[i].count == 0);
        if (m.at[i].h.any == any)
            m.at[i] = (struct slot){0};
    }
    *s = (struct slot){.kind = kind, .count = 1, .h.any = any};
    check_count(s);
}

// ---- Commands ----

struct list {
    cl_uint count;
    cl_event at[4];
    bool bad, waits; // a handle is none of an event; a user event isn't set
};

static struct list wait_list(struct fuzz_bytes *b)
{
    struct list l = {.count = fuzz_byte(b) % 4};
    for (cl_uint i = 0; i < l.count; i++) {
        const struct slot *s = slot(b);
        l.at[i] = handle(s);
        l.bad |= s->kind != EVENT && s->kind != USER_EVENT;
        l.waits |= is(s, USER_EVENT) && !s->set;
    }
    return l;
}

static void enqueue(struct fuzz_bytes *b, uint8_t what)
{
    static unsigned char memory[BYTES];
    struct slot *out = slot(b);
    forget(out);
    const struct slot *q = slot(b), *one = slot(b), *two = slot(b);
    struct list l = wait_list(b);
    size_t from = fuzz_byte(b), to = fuzz_byte(b), size = fuzz_byte(b);
    if (fuzz_byte(b) == 0)
        from = SIZE_MAX - fuzz_byte(b); // sums that wrap
    cl_event e = NULL;
    const cl_event *list = l.count ? l.at : NULL;
    cl_mem first = handle(one), second = handle(two);
    cl_command_queue queue = handle(q);
    cl_int error = CL_SUCCESS;
    cl_uint pattern = 7;
    switch (what % 6) {
    case 0:
        error = weft_clEnqueueMarkerWithWaitList(queue, l.count, list, &e);
        break;
    case 1:
        error = weft_clEnqueueBarrierWithWaitList(queue, l.count, list, &e);
        break;
    case 2:
        error = weft_clEnqueueFillBuffer(queue, first, &pattern, 4, from, size, l.count, list, &e);
        break;
    case 3:
        error = weft_clEnqueueCopyBuffer(queue, first, second, from, to, size, l.count, list, &e);
        break;
    case 4:
        error = weft_clEnqueueWriteBuffer(queue, first, CL_FALSE, from, size, memory, l.count, list, &e);
        break;
    default:
        // Not blocking: the queue may hold what waits for a user event of ours.
        error = weft_clEnqueueReadBuffer(queue, first, CL_FALSE, from, size, memory, l.count, list, &e);
        break;
    }
    FUZZ_CHECK(!l.bad || error != CL_SUCCESS);
    FUZZ_CHECK(q->kind == QUEUE || error != CL_SUCCESS);
    bool memory_needed = what % 6 >= 2;
    FUZZ_CHECK(!memory_needed || one->kind == BUFFER || error != CL_SUCCESS);
    FUZZ_CHECK((error == CL_SUCCESS) == (e != NULL));
    if (e) {
        cl_int status = 1;
        FUZZ_CHECK(weft_clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) ==
                   CL_SUCCESS);
        FUZZ_CHECK(!l.waits || status > CL_COMPLETE ||
                   status < 0); // an error of another event comes through at once
        put(out, EVENT, e, error);
    }
}

static void set_status(struct fuzz_bytes *b)
{
    struct slot *s = slot(b);
    static const cl_int values[] = {CL_COMPLETE, -5, CL_RUNNING, 17, CL_SUBMITTED};
    cl_int value = values[fuzz_byte(b) % 5];
    cl_int error = weft_clSetUserEventStatus(handle(s), value);
    if (s->kind == USER_EVENT && s->count == 0) {
        FUZZ_CHECK(error != CL_SUCCESS); // it got its status before the last reference went
    } else if (!is(s, USER_EVENT)) {
        FUZZ_CHECK(error == CL_INVALID_EVENT);
    } else if (value > CL_COMPLETE) {
        FUZZ_CHECK(error == CL_INVALID_VALUE);
    } else {
        FUZZ_CHECK(error == (s->set ? CL_INVALID_OPERATION : CL_SUCCESS));
        if (!s->set) {
            s->set = true;
            s->status = value;
        }
        FUZZ_CHECK(weft_clGetEventInfo(s->h.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof value, &value,
                                       NULL) == CL_SUCCESS);
        FUZZ_CHECK(value == s->status);
    }
}

static void step(struct fuzz_bytes *b)
{
    uint8_t what = fuzz_byte(b);
    struct slot *s;
    cl_int error = 1;
    cl_buffer_region region;
    switch (what % 12) {
    case 0:
        forget(s = slot(b));
        void *queue = weft_clCreateCommandQueue(m.context, m.device, fuzz_byte(b) & 3, &error);
        put(s, QUEUE, queue, error);
        break;
    case 1:
        forget(s = slot(b));
        put(s, BUFFER, weft_clCreateBuffer(m.context, fuzz_byte(b), fuzz_byte(b), NULL, &error), error);
        break;
    case 2: {
        const struct slot *of = slot(b);
        region = (cl_buffer_region){fuzz_byte(b) & 128, fuzz_byte(b)};
        s = slot(b);
        if (s == of)
            break;
        forget(s);
        void *sub = weft_clCreateSubBuffer(handle(of), 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        FUZZ_CHECK(of->kind == BUFFER || !sub);
        put(s, BUFFER, sub, error);
        break;
    }
    case 3:
        forget(s = slot(b));
        put(s, USER_EVENT, weft_clCreateUserEvent(m.context, &error), error);
        break;
    case 4:
        s = slot(b);
        if (s->count) { // a retain of one that something holds would bring it back
            FUZZ_CHECK(retain(s) == CL_SUCCESS);
            s->count++;
            check_count(s);
        }
        break;
    case 5:
        drop(slot(b));
        break;
    case 6:
    case 7:
        set_status(b);
        break;
    default:
        enqueue(b, fuzz_byte(b));
    }
}

bool fuzz_seed(unsigned number, uint8_t *out, size_t *size)
{
    if (number >= 16)
        return false;
    uint64_t x = number + 1;
    for (size_t i = 0; i < 400; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        out[i] = (uint8_t)(x >> 56);
    }
    *size = 400;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes b = {data, data + size};
    cl_platform_id platform;
    cl_int error = 1;
    if (!m.device) {
        FUZZ_CHECK(weft_clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
        FUZZ_CHECK(weft_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &m.device, NULL) == CL_SUCCESS);
    }
    m.context = weft_clCreateContext(NULL, 1, &m.device, NULL, NULL, &error);
    FUZZ_CHECK(error == CL_SUCCESS);
    while (b.at < b.end)
        step(&b);
    for (int i = 0; i < SLOTS; i++)
        settle(&m.at[i]);
    for (int i = 0; i < SLOTS; i++)
        if (is(&m.at[i], QUEUE))
            FUZZ_CHECK(weft_clFinish(m.at[i].h.queue) == CL_SUCCESS);
    // Every command has ended, one way or the other, once its queue has.
    for (int i = 0; i < SLOTS; i++)
        if (is(&m.at[i], EVENT)) {
            cl_int waited = weft_clWaitForEvents(1, &m.at[i].h.event), status = 1;
            FUZZ_CHECK(weft_clGetEventInfo(m.at[i].h.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                           &status, NULL) == CL_SUCCESS);
            FUZZ_CHECK(status <= CL_COMPLETE);
            FUZZ_CHECK(waited == (status < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS));
        }
    for (int i = 0; i < SLOTS; i++)
        forget(&m.at[i]);
    FUZZ_CHECK(weft_clReleaseContext(m.context) == CL_SUCCESS);
    return 0;
}
