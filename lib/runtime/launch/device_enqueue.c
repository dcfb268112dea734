// Device-side enqueue (OpenCL C 3.0 §6.15.17; OpenCL 3.0 §3.2.3): what a running kernel requests of queues
// and events.
// A child is a command like the host's. It is made on the thread that runs the parent's kernel, and reaches
// the scheduler in the usual way. Queues and events in kernels are pointers to the runtime's objects. The
// child holds a copy of its block's literal. The flags of enqueue_kernel are one more dependency: the child
// is released after the parent's range of work-groups (launch/run_range.c), or after the parent's kernel
// (command/command.c).
// Nothing here waits for other commands. The file has no locks of its own. Kernels enter by two functions,
// weft_host_enqueue and weft_host_device_call; everything else serves these.
// More than 500 lines in one file for that reason.
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/event.h"
#include "runtime/command/queue.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/device.h"
#include "runtime/core/object.h"
#include "runtime/launch/checks.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/local_size.h"
#include "runtime/launch/sub_groups.h"
#include "runtime/code/build_result.h"
#include "runtime/code/kernel_code.h"
#include "weft/code_object.h"
#include "weft/device_call.h"
#include "weft/fault.h"
#include "weft/kernel_abi.h"
#include "weft/scheduler.h"

// OpenCL C's own error codes.
enum {
    CLK_SUCCESS = 0,
    CLK_OUT_OF_RESOURCES = -5,
    CLK_INVALID_ARG_SIZE = -51,
    CLK_INVALID_EVENT_WAIT_LIST = -57,
    CLK_EVENT_ALLOCATION_FAILURE = -100,
    CLK_ENQUEUE_FAILURE = -101,
    CLK_INVALID_QUEUE = -102,
    CLK_INVALID_NDRANGE = -160,
    CLK_DEVICE_QUEUE_FULL = -161,
};
enum { FLAGS_NO_WAIT, FLAGS_WAIT_KERNEL, FLAGS_WAIT_WORK_GROUP };
enum { CLK_PROFILING_COMMAND_EXEC_TIME = 1 };

enum { FEW_EVENTS = 8, MAX_EVENTS = 1u << 16, MAX_LITERAL = 1u << 20, MAX_ALIGN = 128 };
_Static_assert(sizeof(struct weft_device_range) == 80, "ndrange_t of the built-in functions");

// ---- Space in a queue ----

static bool take_space(struct weft_device_queue *q)
{
    // relaxed, here and below: a count, which orders nothing.
    uint32_t before = atomic_fetch_add_explicit(&q->used, WEFT_CHILD_BYTES, memory_order_relaxed);
    if (before + WEFT_CHILD_BYTES <= q->size)
        return true;
    atomic_fetch_sub_explicit(&q->used, WEFT_CHILD_BYTES, memory_order_relaxed);
    return false;
}

static void give_space_back(struct weft_command *c)
{
    struct weft_device_queue *q = WEFT_CONTAINER_OF(c->queue, struct weft_device_queue, queue);
    atomic_fetch_sub_explicit(&q->used, WEFT_CHILD_BYTES, memory_order_relaxed);
}

static void release_child(struct weft_command *c)
{
    weft_launch_release(c);
    give_space_back(c);
}

// Creates a child of `parent` in q and takes space for it. NULL: *error says why.
static struct weft_command *child_create(struct weft_command *parent, struct weft_device_queue *q,
                                         cl_command_type type, int32_t *error)
{
    *error = CLK_DEVICE_QUEUE_FULL;
    if (!take_space(q))
        return NULL;
    struct weft_command *c = weft_command_create(parent->context, &q->queue, type);
    if (c)
        c->release = give_space_back;
    else
        atomic_fetch_sub_explicit(&q->used, WEFT_CHILD_BYTES, memory_order_relaxed);
    *error = c ? CLK_SUCCESS : CLK_OUT_OF_RESOURCES;
    return c;
}

// ---- The request ----

struct request {
    struct weft_command *parent;
    struct weft_device_queue *queue;
    struct weft_kernel_code *code;
    cl_uint dim;
    const size_t *offset, *global;
    size_t local[3];
    struct weft_block_literal head; // the head of the literal
    const void *literal;
    uint32_t local_count;
    const uint64_t *sizes;
};

// Objects are held by a weft_call of its own, not by the thread's, because a fault of the kernel may end this
// function at any moment. What it holds then is lost. So everything that a kernel points to is read before
// anything is held; this suffices unless somebody unmaps it in between.
static struct weft_device_queue *queue_in(struct weft_call *call, const struct weft_command *parent,
                                          void *handle)
{
    struct weft_device_queue *q = weft_call_hold(call, handle, WEFT_KIND_DEVICE_QUEUE);
    return q && q->queue.context == parent->context ? q : NULL;
}

static bool is_queue_in(const struct weft_command *parent, void *handle)
{
    if (!weft_object_is(handle, WEFT_KIND_DEVICE_QUEUE)) // reads what it points to
        return false;
    struct weft_call call;
    weft_fault_hold();
    weft_call_open(&call);
    const bool is = queue_in(&call, parent, handle);
    weft_call_close(&call);
    weft_fault_release();
    return is;
}

static struct weft_kernel_code *block_of(struct weft_command *parent, uint64_t number)
{
    struct weft_build *b = weft_launch_of(parent)->code->build;
    return number < b->kernel_count && b->code[number].meta->block ? &b->code[number] : NULL;
}

// Reads the range, and chooses the local size if it is left open. False: the range isn't valid.
static bool read_range(const struct weft_device_range *range, bool uniform, struct request *r)
{
    _Static_assert(sizeof(size_t) == sizeof(uint64_t), "size_t");
    size_t total = 1, items = 1, end;
    bool chosen = true;
    r->dim = range->work_dim;
    r->offset = (const size_t *)range->global_offset;
    r->global = (const size_t *)range->global_size;
    if (r->dim < 1 || r->dim > 3)
        return false;
    for (cl_uint d = 0; d < r->dim; d++) {
        if (r->global[d] == 0 || !weft_mul_size(total, r->global[d], &total) ||
            !weft_add_size(r->global[d], r->offset[d], &end))
            return false;
        r->local[d] = range->local_size[d];
        chosen &= r->local[d] == 0;
    }
    if (chosen) {
        weft_ndrange_choose_local(r->dim, r->global, uniform, weft_sched_thread_count(), r->local);
        return true;
    }
    for (cl_uint d = 0; d < r->dim; d++)
        if (!weft_mul_size(items, r->local[d], &items) || items == 0 ||
            (uniform && r->global[d] % r->local[d]))
            return false;
    return items <= WEFT_DEVICE_MAX_GROUP;
}

// Copies the block's literal and the places of local arguments into one piece of memory, together with the
// arguments.
static int32_t capture(struct weft_command *c, const struct request *r)
{
    struct weft_launch *l = weft_launch_of(c);
    const struct weft_kernel_meta *m = r->code->meta;
    size_t align = r->head.align > 8 ? r->head.align : 8;
    size_t offsets_at = weft_launch_args_bytes(r->code);
    size_t literal = (offsets_at + r->local_count * sizeof *l->local_offsets + align - 1) & ~(align - 1);
    unsigned char *block = l->inline_block;
    if (literal + r->head.size > WEFT_LAUNCH_INLINE_BYTES || align > WEFT_LAUNCH_INLINE_ALIGN) {
        block = l->block = weft_alloc_aligned(WEFT_LAUNCH_BLOCK_ALIGN, literal + r->head.size);
        if (!block)
            return CLK_OUT_OF_RESOURCES;
    }
    l->args = block;
    l->local_offsets = r->local_count ? (uint64_t *)(void *)(block + offsets_at) : NULL;
    const void *place = memcpy(block + literal, r->literal, r->head.size);
    memcpy(l->args + m->args[0].offset, &place, sizeof place);
    size_t offset = 0, rounded;
    for (uint32_t i = 0; i < r->local_count; i++) {
        if (r->sizes[i] == 0)
            return CLK_INVALID_ARG_SIZE;
        l->local_offsets[i] = offset;
        if (!weft_align_size(r->sizes[i], WEFT_LOCAL_ALIGN, &rounded) ||
            !weft_add_size(offset, rounded, &offset))
            return CLK_OUT_OF_RESOURCES;
    }
    l->local_arg_bytes = offset;
    if (l->code->build->check)
        weft_launch_find_objects(l, c->context, r->sizes);
    if (!weft_add_size(offset, m->local_static_bytes, &offset) ||
        !weft_device_local_fits(c->queue->device, offset))
        return CLK_OUT_OF_RESOURCES;
    return CLK_SUCCESS;
}

static int32_t make_launch(struct weft_command *c, const struct request *r)
{
    struct weft_launch *l = weft_launch_of(c);
    l->code = r->code;
    l->variables = weft_launch_of(r->parent)->variables;
    weft_build_use(l->code->build);
    c->release = release_child;
    int32_t error = capture(c, r);
    if (error)
        return error;
    weft_launch_set_range(l, r->dim, r->offset, r->global, r->local);
    weft_launch_ready(c);
    if (weft_kernel_code_notes_launches(l->code))
        weft_kernel_code_note_launch(l->code, &l->nd, 1);
    return CLK_SUCCESS;
}

// ---- Wait lists ----

// Copies the list, with space for one more event; the kernel's memory may change at any time. NULL: no
// memory.
static cl_event *copy_list(cl_event few[FEW_EVENTS], uint32_t count, void *const *list)
{
    cl_event *copy = few;
    if (count >= FEW_EVENTS)
        copy = weft_alloc_array((size_t)count + 1, sizeof *copy);
    if (copy && count)
        memcpy(copy, list, count * sizeof *copy);
    return copy;
}

static bool are_events(uint32_t count, const cl_event *list)
{
    for (uint32_t i = 0; i < count; i++)
        if (!weft_object_is(list[i], WEFT_KIND_EVENT))
            return false;
    return true;
}

static bool list_is_sound(struct weft_call *call, const struct weft_command *parent, uint32_t count,
                          const cl_event *list)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct weft_command *e = weft_call_hold(call, list[i], WEFT_KIND_EVENT);
        if (!e || e->context != parent->context)
            return false;
    }
    return true;
}

// Reads one byte of each page of what a kernel points to, before this function owns anything that a fault
// would lose. What a kernel points to may lie anywhere, also between variables on a stack, where the address
// sanitizer would take it for a fault of ours.
__attribute__((no_sanitize("address"))) static void touch_pages(const void *memory, size_t size)
{
    const volatile unsigned char *at = memory;
    for (size_t i = 0; i < size; i += 4096)
        (void)at[i];
    if (size)
        (void)at[size - 1];
}

// ---- enqueue_kernel ----

// Submits the child. It waits for the code if that isn't made yet. list has space for one more event.
static cl_int submit(struct weft_command *c, const struct request *r, bool held, uint32_t count,
                     cl_event *list, cl_event *event)
{
    struct weft_command *code = NULL;
    if (WEFT_UNLIKELY(!weft_kernel_code_is_final(r->code) || !weft_kernel_code_info(r->code))) {
        code = weft_kernel_code_event(r->code, c->context, false);
        if (!code) {
            weft_command_abandon(c);
            return CL_OUT_OF_HOST_MEMORY;
        }
        list[count++] = (cl_event)code;
    }
    cl_int err = weft_command_submit_child(c, r->parent, held, count, list, event);
    if (code)
        weft_object_release_handle(&code->obj);
    return err;
}

static int32_t enqueue(struct weft_running *x, const struct request *r, uint32_t flags, uint32_t count,
                       cl_event *list, cl_event *event)
{
    int32_t error;
    if (weft_kernel_code_is_final(r->code) && weft_kernel_code_has_failed(r->code))
        return CLK_ENQUEUE_FAILURE;
    struct weft_command *c = child_create(r->parent, r->queue, CL_COMMAND_NDRANGE_KERNEL, &error);
    if (!c)
        return error;
    error = make_launch(c, r);
    if (error) {
        weft_command_abandon(c);
        return error;
    }
    if (submit(c, r, flags != FLAGS_NO_WAIT, count, list, event))
        return event ? CLK_EVENT_ALLOCATION_FAILURE : CLK_OUT_OF_RESOURCES;
    if (flags == FLAGS_WAIT_KERNEL) {
        weft_command_hold_behind(c);
    } else if (flags == FLAGS_WAIT_WORK_GROUP) {
        c->next_settled = x->waiting_children;
        x->waiting_children = c;
    }
    return CLK_SUCCESS;
}

// "If the program is compiled with -g [...] the following errors may be returned instead of
// CLK_ENQUEUE_FAILURE".
static int32_t reported_error(const struct weft_command *parent, int32_t error)
{
    const struct weft_launch *l = weft_launch_of((struct weft_command *)(uintptr_t)parent);
    return !error || l->code->build->debug ? error : CLK_ENQUEUE_FAILURE;
}

static int32_t check_request(struct request *r, void *queue, uint32_t flags, uint64_t kernel,
                             const struct weft_device_range *range)
{
    if (!is_queue_in(r->parent, queue))
        return CLK_INVALID_QUEUE;
    r->code = block_of(r->parent, kernel);
    if (!r->code || flags > FLAGS_WAIT_WORK_GROUP)
        return CLK_ENQUEUE_FAILURE;
    if (!read_range(range, r->code->meta->uniform_groups, r))
        return CLK_INVALID_NDRANGE;
    if (r->local_count + 1 != r->code->meta->arg_count)
        return CLK_INVALID_ARG_SIZE;
    bool sound = r->head.size >= sizeof r->head && r->head.size <= MAX_LITERAL &&
                 r->head.align <= MAX_ALIGN && (r->head.align & (r->head.align - 1)) == 0;
    return sound ? CLK_SUCCESS : CLK_ENQUEUE_FAILURE;
}

int32_t weft_host_enqueue(struct weft_exec *x, void *queue, uint32_t flags,
                          const struct weft_device_range *range, uint32_t wait_count, void *const *wait_list,
                          void **event, uint64_t kernel, const void *literal, uint32_t local_count,
                          const uint64_t *sizes)
{
    struct weft_command *parent = x->launch;
    struct request r = {.parent = parent, .literal = literal, .local_count = local_count, .sizes = sizes};
    memcpy(&r.head, literal, sizeof r.head);
    int32_t error = check_request(&r, queue, flags, kernel, range);
    if (!error && (wait_count > MAX_EVENTS || (wait_count && !wait_list)))
        error = CLK_INVALID_EVENT_WAIT_LIST;
    if (error)
        return reported_error(parent, error);
    touch_pages(literal, r.head.size);
    touch_pages(sizes, local_count * sizeof *sizes);
    if (!are_events(wait_count, (const cl_event *)wait_list))
        return reported_error(parent, CLK_INVALID_EVENT_WAIT_LIST);
    cl_event few[FEW_EVENTS], made = NULL;
    weft_fault_hold();
    struct weft_call call;
    weft_call_open(&call);
    r.queue = queue_in(&call, parent, queue);
    cl_event *list = copy_list(few, wait_count, wait_list);
    if (!r.queue)
        error = CLK_INVALID_QUEUE;
    else if (!list)
        error = CLK_OUT_OF_RESOURCES;
    else if (!list_is_sound(&call, parent, wait_count, list))
        error = call.lacks_memory ? CLK_OUT_OF_RESOURCES : CLK_INVALID_EVENT_WAIT_LIST;
    else
        error = enqueue(WEFT_CONTAINER_OF(x, struct weft_running, exec), &r, flags, wait_count, list,
                        event ? &made : NULL);
    if (list != few)
        weft_free(list);
    weft_call_close(&call);
    weft_fault_release();
    if (made)
        *event = made;
    return reported_error(parent, error);
}

// ---- Markers ----

// Returns the marker's event or an error.
static uint64_t enqueue_marker(struct weft_call *call, struct weft_command *parent, void *queue,
                               uint64_t count, void *const *wait_list)
{
    int32_t error = !is_queue_in(parent, queue)                   ? CLK_INVALID_QUEUE
                    : count > MAX_EVENTS || (count && !wait_list) ? CLK_INVALID_EVENT_WAIT_LIST
                                                                  : CLK_SUCCESS;
    if (!error && !are_events((uint32_t)count, (const cl_event *)wait_list))
        error = CLK_INVALID_EVENT_WAIT_LIST;
    if (error)
        return (uint64_t)(int64_t)reported_error(parent, error);
    struct weft_device_queue *q = queue_in(call, parent, queue);
    cl_event few[FEW_EVENTS], *list = copy_list(few, (uint32_t)count, wait_list), made = NULL;
    struct weft_command *c = NULL;
    if (!q)
        error = CLK_INVALID_QUEUE;
    else if (!list)
        error = CLK_OUT_OF_RESOURCES;
    else if (!list_is_sound(call, parent, (uint32_t)count, list))
        error = call->lacks_memory ? CLK_OUT_OF_RESOURCES : CLK_INVALID_EVENT_WAIT_LIST;
    else // not CL_COMMAND_MARKER, because such a marker without a list waits for everything in the queue
        c = child_create(parent, q, CL_COMMAND_USER, &error);
    if (c && weft_command_submit_child(c, parent, false, (cl_uint)count, list, &made))
        error = CLK_EVENT_ALLOCATION_FAILURE;
    if (list != few)
        weft_free(list);
    return error ? (uint64_t)(int64_t)reported_error(parent, error) : (uint64_t)(uintptr_t)made;
}

// ---- Events ----

static void capture_profile(struct weft_command *e, uint64_t name, void *value)
{
    // Events of other commands, and of queues without profiling, have no profile.
    if (e && name == CLK_PROFILING_COMMAND_EXEC_TIME && value && e->parent && e->queue->profiling)
        weft_command_request_profile(e, value);
}

static void set_status(struct weft_command *e, int32_t status)
{
    // "status must be one of: CL_COMPLETE or a negative integer value indicating an error."
    if (e && status <= CL_COMPLETE)
        weft_command_set_user_status(e, status);
}

// ---- Queries about a block ----

// Sleeps. It can't run other tasks meanwhile because the thread's arena is in use. Few programs ask this
// before anything has been enqueued.
static const struct weft_kernel_info *wait_for_code(struct weft_kernel_code *code)
{
    const struct timespec pause = {.tv_nsec = 100000};
    weft_kernel_code_request(code, WEFT_COMPILE_NOW);
    while (!weft_kernel_code_is_final(code))
        nanosleep(&pause, NULL);
    return weft_kernel_code_info(code);
}

static uint64_t answer(struct weft_command *parent, enum weft_device_call what, uint64_t kernel,
                       const struct weft_device_range *range)
{
    struct weft_kernel_code *code = block_of(parent, kernel);
    struct request r = {.local = {1, 1, 1}};
    if (!code)
        return 0;
    if (what == WEFT_CALL_GROUP_SIZE)
        return WEFT_DEVICE_MAX_GROUP;
    if (what == WEFT_CALL_PREFERRED_MULTIPLE)
        return weft_device_vector_bytes() / sizeof(cl_int);
    const struct weft_kernel_info *info = wait_for_code(code);
    if (!info || !read_range(range, code->meta->uniform_groups, &r))
        return 0;
    for (cl_uint d = r.dim; d < 3; d++)
        r.local[d] = 1;
    size_t size = weft_sub_group_size(r.local, info->sub_group_max);
    return what == WEFT_CALL_SUB_GROUP_SIZE ? size : weft_sub_group_count(r.local, size);
}

// ---- Other requests ----

static uint64_t device_call(struct weft_call *call, struct weft_command *parent, enum weft_device_call what,
                            void *object, uint64_t number, const void *pointer)
{
    struct weft_command *event = NULL;
    if (what >= WEFT_CALL_RETAIN_EVENT && what <= WEFT_CALL_CAPTURE_PROFILE)
        event = weft_call_hold(call, object, WEFT_KIND_EVENT);
    switch (what) {
    case WEFT_CALL_DEFAULT_QUEUE:
        return (uint64_t)(uintptr_t)weft_default_queue(parent->context, parent->queue->device);
    case WEFT_CALL_MARKER:
        return enqueue_marker(call, parent, object, number, pointer);
    case WEFT_CALL_USER_EVENT:
        event = weft_command_create(parent->context, NULL, CL_COMMAND_USER);
        if (event)
            weft_object_publish(&event->obj);
        return (uint64_t)(uintptr_t)event;
    case WEFT_CALL_RETAIN_EVENT:
        if (event)
            weft_object_retain_handle(&event->obj);
        return 0;
    case WEFT_CALL_RELEASE_EVENT:
        if (event)
            weft_object_release_handle(&event->obj);
        return 0;
    case WEFT_CALL_IS_EVENT:
        return event != NULL;
    case WEFT_CALL_SET_STATUS:
        set_status(event, (int32_t)number);
        return 0;
    case WEFT_CALL_CAPTURE_PROFILE:
        capture_profile(event, number, (void *)(uintptr_t)pointer);
        return 0;
    case WEFT_CALL_STUCK: // these are handled by the caller
    case WEFT_CALL_CHECK_REPORT:
    case WEFT_CALL_CHECK_ARRIVAL:
    case WEFT_CALL_CHECK_PASSED:
    case WEFT_CALL_CHECK_OBJECTS:
    case WEFT_CALL_CHECK_LOCAL_TOUCH:
    case WEFT_CALL_CHECK_LOCAL:
    case WEFT_CALL_CHECK_SHADOW:
    case WEFT_CALL_CHECK_MOVED:
    case WEFT_CALL_CHECK_CHAIN:
    case WEFT_CALL_CHECK_FIND:
        return 0;
    case WEFT_CALL_GROUP_SIZE:
    case WEFT_CALL_PREFERRED_MULTIPLE:
    case WEFT_CALL_SUB_GROUP_COUNT:
    case WEFT_CALL_SUB_GROUP_SIZE:
        return answer(parent, what, number, pointer);
    }
    return 0;
}

uint64_t weft_host_device_call(struct weft_exec *x, uint32_t what, void *object, uint64_t number,
                               const void *pointer)
{
    if (what == WEFT_CALL_STUCK) {
        WEFT_CONTAINER_OF(x, struct weft_running, exec)->stuck = true;
        return 0;
    }
    if (what >= WEFT_CALL_CHECK_REPORT && what <= WEFT_CALL_CHECK_CHAIN)
        return weft_host_check_call(x, what, object, number, pointer);
    weft_fault_hold();
    struct weft_call call;
    weft_call_open(&call);
    uint64_t result = device_call(&call, x->launch, (enum weft_device_call)what, object, number, pointer);
    weft_call_close(&call);
    weft_fault_release();
    return result;
}
