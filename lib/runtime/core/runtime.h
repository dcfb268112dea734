// The runtime's objects below the application's reach: platform, device, context, queue, command.
// Memory objects: memory/memory.h. Programs and kernels: program/program.h. Internals never call cl* functions.
#ifndef WEFT_RUNTIME_H
#define WEFT_RUNTIME_H

#include <pthread.h>
#include <setjmp.h>
#include <string.h>

#include "base/base.h"
#include "runtime/core/call_scope.h"
#include "runtime/core/object.h"
#include "runtime/core/diagnostics.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/scheduler.h"

struct weft_device {
    struct weft_object obj;
    struct weft_platform *platform;
    struct weft_device *parent; // a ref; NULL: root device, which has none of the following
    struct weft_domain *domain; // its threads
    uint32_t unit_count;        // compute units, and which of weft_topology_places they are
    uint32_t *units;
    cl_device_partition_property *partition; // CL_DEVICE_PARTITION_TYPE, with the closing 0
    size_t partition_count;
};

// ---- core/sub_device.c ----
cl_uint weft_device_units(const struct weft_device *d);
cl_uint weft_device_most_parts(const struct weft_device *d); // 0: it cannot be partitioned
cl_device_affinity_domain weft_device_affinity_domains(const struct weft_device *d);
// Arrays for the queries; those of NULL are never returned.
const cl_device_partition_property *weft_device_partitions(const struct weft_device *d, size_t *count);
const cl_device_partition_property *weft_device_partition_type(const struct weft_device *d, size_t *count);
// clCreateSubDevices on a device that is one. The devices' one handle is the caller's.
cl_int weft_device_partition(struct weft_device *d, const cl_device_partition_property *properties,
                             cl_uint room, cl_device_id *out, cl_uint *count);

// What the device queries promise and the checks enforce (core/device.c). Those that read the topology say so by
// being functions.
#define WEFT_DEVICE_MAX_GROUP WEFT_GROUP_MOST // work-items in a group, and in each of its dimensions
#define WEFT_DEVICE_MAX_PARAMETERS WEFT_MAX_PARAMETER_BYTES
#define WEFT_DEVICE_MEM_ALIGN 128u // bytes; CL_DEVICE_MEM_BASE_ADDR_ALIGN is in bits
extern const size_t weft_device_max_item_sizes[3];
cl_ulong weft_device_max_alloc(const struct weft_device *d);    // bytes of one memory object
cl_ulong weft_device_max_constant(const struct weft_device *d); // bytes of one __constant buffer
#define WEFT_FLOAT_ATOMICS                                                               \
    (CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |    \
     CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT | \
     CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT)
#define WEFT_USM_CAPABILITIES                                                               \
    (CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL | \
     CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL |                                     \
     CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL)
extern const cl_device_integer_dot_product_acceleration_properties_khr weft_device_dot_product;
extern const size_t weft_device_sub_groups[], weft_device_sub_group_count; // sizes that a kernel may require
size_t weft_device_max_variable(void); // bytes of one program-scope variable; 0: there are none
cl_ulong weft_device_local_mem(const struct weft_device *d);              // bytes
bool weft_device_local_fits(const struct weft_device *d, uint64_t bytes); // cheaper than to compare
cl_ulong weft_device_cache_bytes(void);
// Of all last caches that the process's processors have; UINT64_MAX: unknown. Reads the topology, once.
uint64_t weft_device_caches_hold(void);
// cl_khr_device_uuid: of the device, which survives boots and other versions of Weft, and of the driver. Return `out`.
const cl_uchar *weft_device_uuid(const struct weft_device *d, cl_uchar out[CL_UUID_SIZE_KHR]);
const cl_uchar *weft_driver_uuid(cl_uchar out[CL_UUID_SIZE_KHR]);
cl_uint weft_device_vector_bytes(void); // of the widest vector register
cl_device_atomic_capabilities weft_device_atomics(bool fence);
// How many devices (0 or 1) of the platform are of one of these types.
cl_uint weft_device_match(const struct weft_device *d, cl_device_type type);
bool weft_device_type_valid(cl_device_type type);

struct weft_platform {
    struct weft_object obj;
    struct weft_device *device; // the one root device
};

struct weft_platform *weft_platform_get(void); // never NULL, created at load; no topology is read for it

// From include/weft/features.def, as far as the version of OpenCL that is reported has it (core/features.c).
struct weft_extensions {
    cl_name_version *list;
    size_t count;
    char *string; // names, each followed by a space
};
const struct weft_extensions *weft_extensions(void);
extern const cl_name_version weft_language_features[], weft_language_versions[];
extern const size_t weft_language_feature_count;
size_t weft_language_version_count(void);
const char *weft_version_string(void); // "OpenCL 3.0 Weft 1.2.3"
const char *
weft_language_version_string(void); // that of the language without -cl-std, from 2.0 on the newest before 3.0
cl_version weft_version_number(uint32_t version); // of 300
uint32_t weft_language_version_told(void);
bool weft_has_language_feature(const char *name);
extern const cl_name_version weft_ils[]; // intermediate languages
extern const size_t weft_il_count;
extern const char *const weft_spirv_sets[]; // cl_khr_spirv_queries: info/spirv.def
extern const char *const weft_spirv_extensions[];
extern const size_t weft_spirv_extension_count;
extern const cl_uint weft_spirv_capabilities[];
extern const size_t weft_spirv_capability_count;
extern const char weft_il_string[];

cl_ulong weft_timer_resolution(void);    // ns, of CLOCK_MONOTONIC
uint64_t weft_time_now(void);            // ns, CLOCK_MONOTONIC: the device's timer and the host's
cl_int weft_status_to_cl(weft_status s); // CL_OUT_OF_HOST_MEMORY, CL_BUILD_PROGRAM_FAILURE, ...

typedef void(CL_CALLBACK *weft_context_notify)(const char *info, const void *data, size_t size, void *user);

struct weft_context {
    struct weft_object obj;
    cl_uint device_count;
    struct weft_device **devices;
    cl_context_properties *properties; // as given, with the closing 0; NULL: none given
    size_t property_count;             // entries incl. the 0
    bool zero_local, zero_private;     // memory begins as zeros (cl_khr_initialize_memory)
    weft_context_notify notify;
    void *notify_user;
    pthread_mutex_t lock;      // destructor callbacks, queues
    struct weft_queue *queues; // all that are; no refs
    struct weft_context_destructor *destructors;
    void *svm; // memory/svm.c: the root of a search tree, under a lock of its own
    // For each of the devices the queue that get_default_queue returns there; NULL: none. Not held: a queue goes from here when the
    // application's last handle goes. Written under the lock.
    struct weft_device_queue *_Atomic *default_queues;
    struct weft_farewell farewell;
};
// Arguments checked; properties and devices are copied. NULL: no memory.
struct weft_context *weft_context_create(const cl_context_properties *properties, size_t entries,
                                         cl_uint num_devices, struct weft_device *const *devices,
                                         weft_context_notify notify, void *user);
cl_int weft_context_add_destructor(struct weft_context *c, void(CL_CALLBACK *call)(cl_context, void *),
                                   void *user);
// Waits for all that is enqueued to the context's queues. CL_OUT_OF_HOST_MEMORY: it couldn't. No lock held.
cl_int weft_context_finish(struct weft_context *c);
bool weft_context_has_device(const struct weft_context *c, const struct weft_device *d);
// Tells pfn_notify and the log a sentence, in a call of the application's, on its thread. No lock may be held.
void weft_context_report(struct weft_context *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
// The same from a thread that runs commands: pfn_notify is called on the thread for callbacks, and has returned
// when this does, unless it takes long.
void weft_context_report_from_command(struct weft_context *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
// The same without the log, which has been told already.
void weft_context_notify_from_command(struct weft_context *c, const char *fmt, ...) WEFT_PRINTF(2, 3);

struct weft_queue {
    struct weft_object obj;
    struct weft_context *context; // a ref
    struct weft_device *device;
    cl_command_queue_properties properties;
    bool in_order, profiling; // the same, as commands ask for them
    bool special;             // high, or of a sub-device
    bool high;        // high priority or full throttle: idle threads are woken at once for each command
    uint32_t threads; // that run its kernels at once
    bool recorder;    // of a command buffer: what is enqueued here is handed out instead (command/command.c)
    cl_queue_properties *given; // properties array of ...WithProperties; NULL when none
    size_t given_count;
    struct weft_queue *next, *prev; // of the context's; under its lock
    bool listed;                    // it is among them
    pthread_mutex_t lock;           // the order of submission: what follows
    struct weft_command *last;      // in order: the last command (a ref), which the next depends on
    struct weft_command *barrier;   // out of order: the last barrier until it is complete, which every later
                                    // command depends on
    struct weft_command *live;      // out of order: unfinished commands, for barriers and markers to await
    uint32_t forks; // weft_forks when it was made, or what is the parent's was last taken out of it
    bool lost;      // of what was the parent's something came to nothing, which no finish has told yet
};

// Arguments checked; given (entries values, closing 0 included, or NULL) is copied. NULL: no memory.
struct weft_queue *weft_queue_create(struct weft_context *context, struct weft_device *device,
                                     cl_command_queue_properties properties, const cl_queue_properties *given,
                                     size_t entries);
// Gives back what the queue itself holds of its commands, now or when those under way are complete. When its last handle
// goes.
void weft_queue_detach(struct weft_queue *q);

// A queue on the device (CL_QUEUE_ON_DEVICE): the kernels that run put commands into it, the host can't. Commands take a
// WEFT_CHILD_BYTES of its size each, from when they are enqueued until they are complete.
struct weft_device_queue {
    struct weft_queue queue; // the pool's object: everything else, too
    cl_uint size;            // bytes: CL_QUEUE_SIZE
    _Atomic uint32_t used;   // of them
};
#define WEFT_CHILD_BYTES 64u
#define WEFT_DEVICE_QUEUE_PREFERRED (256u << 10)
#define WEFT_DEVICE_QUEUE_MOST (4u << 20)
#define WEFT_DEVICE_QUEUES_MOST 128u // nothing but memory bounds them, nor events
#define WEFT_DEVICE_EVENTS_MOST (WEFT_DEVICE_QUEUE_MOST / WEFT_CHILD_BYTES)

struct weft_device_queue *weft_device_queue_create(struct weft_context *context, struct weft_device *device,
                                                   cl_command_queue_properties properties, cl_uint size,
                                                   const cl_queue_properties *given, size_t entries);
// A queue of either kind; NULL: the handle is none.
struct weft_queue *weft_any_queue_of(cl_command_queue handle);
// NULL: there is none. A pointer that another thread may be about to release.
struct weft_device_queue *weft_default_queue(const struct weft_context *context,
                                             const struct weft_device *device);
// Makes q, which the caller holds, the default of its device; only_first: unless there is one, to which the caller gets a handle then.
// Returns the default queue; NULL: q's last handle is gone.
struct weft_device_queue *weft_default_queue_set(struct weft_device_queue *q, bool only_first);

// ---- Commands. A command and its event are one object. ----
//
// Life: weft_command_create (QUEUED, one ref, the maker's) -> the maker fills run and payload ->
// weft_command_submit, which consumes that ref: dependencies are linked, the event handle is given out, and
// when the last dependency is complete the command becomes SUBMITTED, then RUNNING, then complete.

struct weft_command;

// Does the whole work; returns CL_COMPLETE or a negative error code. Runs on a pool thread or on a helping
// one.
typedef cl_int (*weft_command_fn)(struct weft_command *c);
// Does units [first, last) of a command that has `units`; several threads at once. Reports failure with
// weft_command_fail.
typedef void (*weft_command_range_fn)(struct weft_command *c, struct weft_worker *w, uint64_t first,
                                      uint64_t last);

// For a recorded command that is run again and again (command_buffer/command_buffer.c). NULL: there is nothing to do.
struct weft_replay_ops {
    void (*before)(struct weft_command *c);
    void (*after)(struct weft_command *c);
};

// Somebody that can't go on yet, without a thread.
struct weft_waiting {
    void (*go_on)(struct weft_waiting *w); // any thread, once; w may be gone when it returns
};

// Bytes of payload inside the command; larger ones are allocated by their makers.
#define WEFT_COMMAND_PAYLOAD 256

// One dependency: `waiter` waits for the command in whose list of successors this is.
struct weft_edge {
    struct weft_edge *next;
    struct weft_command *waiter;
    bool strict; // from a wait list: an error is passed on. The order of a queue alone passes no errors on.
};
#define WEFT_COMMAND_EDGES 3

struct weft_command {
    struct weft_object obj; // a cl_event
    struct weft_context *context;
    struct weft_queue *queue; // a ref; NULL: user event, which holds its context instead
    cl_command_type type;
    _Atomic cl_int status; // CL_QUEUED > CL_SUBMITTED > CL_RUNNING > CL_COMPLETE (0) > error codes
    // What it does: exactly one of run and run_range. Neither: a marker.
    weft_command_fn run;
    weft_command_range_fn run_range;
    uint64_t units, grain; // of run_range
    // WEFT_TASK_POOL_ONLY. Relaxed: a replay knows its code better than the recording did, and a buffer that is changed or remapped
    // meanwhile may take either for true.
    _Atomic bool pool_only;
    bool urgent;            // big enough that idle threads should be woken at once
    bool lengthy;           // WEFT_TASK_LONG
    _Atomic uint32_t began; // launch/time_limit.c: when its first range did; 0: not yet
    bool unrun;             // of one unit: it failed before anything of it ran, for want of memory or code
    // Called once when the command is complete or has been dropped, before the event shows it: gives back
    // what the payload holds. May be NULL.
    void (*release)(struct weft_command *c);
    const struct weft_replay_ops *replay;
    // Called instead of running it when its dependencies are met: weft_command_end will be called. NULL: it is run.
    void (*on_ready)(struct weft_command *c);
    bool many_queues; // its event stands for commands in several
    // Asked when it has run: it wasn't its turn, and it will be handed to the scheduler again. NULL: it is complete.
    bool (*again)(struct weft_command *c);
    // Device-side enqueue: whose kernel enqueued this one; NULL: the host. It is complete only when this one is.
    struct weft_command *parent;
    // How many of its own children aren't complete, and one for itself until it has run. 0: it never had any.
    _Atomic uint32_t children;
    struct weft_command *_Atomic behind; // children that wait until it has run, linked by next_settled
    struct weft_waiting
        *waiting; // recorded: who goes on when its children are complete, after weft_command_await_children
    struct weft_profile_wish *_Atomic wishes; // closed by completion
    // command/command.c's own.
    bool recorded;               // never submitted: release is called at its destruction
    bool awaits_all;             // out of order: all that were live before it
    struct weft_command *origin; // recorded: the one whose payload this has, too, and which holds it; a ref
    cl_int outcome;              // final status, before `status` shows it
    _Atomic cl_int failure;      // first error of run_range
    _Atomic bool dependency_failed; // an event of the wait list has an error
    _Atomic uint32_t unmet;         // dependencies not yet complete, + 1 until it is submitted
    uint32_t forks;                 // weft_forks when it was made
    struct weft_task task;
    struct weft_park done;
    _Atomic(struct weft_edge *) successors; // closed by completion
    _Atomic(struct weft_event_callback *) callbacks;
    // To what this command waits for; linked into their successors.
    struct weft_edge edges[WEFT_COMMAND_EDGES];
    struct weft_edge *more_edges; // when those don't suffice
    struct weft_command *next_settled;
    struct weft_command *live_prev, *live_next; // the next is older
    // ns; profiling queues only; read when complete.
    uint64_t time_queued, time_submitted, time_started, time_ended;
    uint64_t time_completed; // with its children
    // The maker's: what to do it to.
    _Alignas(64) unsigned char payload[WEFT_COMMAND_PAYLOAD];
};

// Of a command that the parent enqueued before this process was forked from it: the threads that would run and complete it are the
// parent's. Such a command is left as it is, with all that it holds: its parent's threads may have been at it. User
// events are the child's own, too.
static inline bool weft_command_is_parents(const struct weft_command *c)
{
    return WEFT_UNLIKELY(c->forks != weft_forks) && c->queue;
}

// The same, and it wasn't complete then.
static inline bool weft_command_is_lost(const struct weft_command *c)
{
    // Sequentially consistent, as the store in settle_one, for who adds a callback.
    return weft_command_is_parents(c) && atomic_load(&c->status) > CL_COMPLETE;
}

// What events show.
static inline cl_int weft_command_status(const struct weft_command *c)
{
    // Sequentially consistent, as the store in settle_one: what a complete command wrote is seen, and who adds a callback, or
    // sleeps, isn't missed.
    cl_int status = atomic_load(&c->status);
    return weft_command_is_lost(c) ? CL_OUT_OF_RESOURCES : status;
}

// payload is zeroed. queue NULL: user event. NULL: no memory.
struct weft_command *weft_command_create(struct weft_context *context, struct weft_queue *queue,
                                         cl_command_type type);
// The same with a ref to the queue that the command takes over, unless there is no memory.
struct weft_command *weft_command_create_with(struct weft_queue *queue, cl_command_type type);
// Drops a command that was never submitted (calls release).
void weft_command_abandon(struct weft_command *c);

// The wait list must have been checked (weft_check_wait_list). event: where the application wants the handle;
// NULL: it doesn't. blocking: returns when it is complete, with CL_COMPLETE's 0, its error, or
// CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. Otherwise CL_SUCCESS, or CL_OUT_OF_HOST_MEMORY (the command
// was then abandoned and *event left alone). To a recorder: the command isn't submitted, but handed out through
// `event`, with one ref; wait list and blocking aren't looked at.
cl_int weft_command_submit(struct weft_command *c, cl_uint wait_count, const cl_event *wait_list,
                           cl_event *event, bool blocking);

// Submits commands of different queues, sorted by those, as if at once: no other command is between them in two queues' orders.
// All have on_ready and wait for the list. *event: that of the leader, one of them; NULL: it isn't wanted. CL_OUT_OF_HOST_MEMORY:
// all were abandoned.
cl_int weft_command_submit_together(struct weft_command *const *parts, uint32_t count, cl_uint wait_count,
                                    const cl_event *wait_list, struct weft_command *leader, cl_event *event);
// What becomes of a command with on_ready, each once, in this order; status and times show it. The second may be called again.
void weft_command_mark_submitted(struct weft_command *c);
void weft_command_mark_running(struct weft_command *c);
void weft_command_end(struct weft_command *c); // c may be gone then

// Hands a task of the queue's to the threads of its device.
void weft_queue_start_task(struct weft_queue *q, struct weft_task *t, enum weft_urgency urgency);

// For a command that a kernel of `parent` makes while it runs: the parent is complete when this one is, too. held: it doesn't
// start before weft_command_let_go. Otherwise as above.
cl_int weft_command_submit_child(struct weft_command *c, struct weft_command *parent, bool held,
                                 cl_uint wait_count, const cl_event *wait_list, cl_event *event);
// Of a list that next_settled links. NULL is fine.
void weft_command_let_go(struct weft_command *list);
// Has what it takes to run c, a child in a profiling queue, written to value, two numbers of ns: until its end, and until its
// children's. Now, if it is complete, or before anything that waits for c goes on. False: no memory.
bool weft_command_wish_profile(struct weft_command *c, cl_ulong *value);
// Lets the held child c go when its parent has run.
void weft_command_hold_behind(struct weft_command *c);

// A recorded command has run and has children. True: they are complete. False: c->waiting will go on, or does already.
bool weft_command_await_children(struct weft_command *c);

// For run_range: the first negative code wins. Returns whether this was it: whoever then tells why is the only one.
bool weft_command_fail(struct weft_command *c, cl_int error);
static inline bool weft_command_keeps_to_pool(const struct weft_command *c)
{
    return atomic_load_explicit(&c->pool_only, memory_order_relaxed);
}
static inline void weft_command_keep_to_pool(struct weft_command *c, bool keep)
{
    atomic_store_explicit(&c->pool_only, keep, memory_order_relaxed);
}
static inline uint32_t weft_command_task_flags(const struct weft_command *c)
{
    return (weft_command_keeps_to_pool(c) ? WEFT_TASK_POOL_ONLY : 0u) | (c->lengthy ? WEFT_TASK_LONG : 0u);
}
// For command/event.c: a user event has its status and c->outcome.
void weft_command_settle_user(struct weft_command *c);

// ---- command/event.c ----
// Sets a user event's final status (OpenCL 2.2 §5.11); false when it was set before.
bool weft_command_set_user_status(struct weft_command *c, cl_int status);
// Calls `call` on the callback thread when the status has reached `type`. false: no memory.
bool weft_event_add_callback(struct weft_command *c, cl_int type,
                             void(CL_CALLBACK *call)(cl_event event, cl_int status, void *user), void *user);
// For command/command.c: the status has changed; dispatches the callbacks that are due.
void weft_event_run_callbacks(struct weft_command *c);
// Waits for one, which somebody holds; helps meanwhile. Returns its final status.
cl_int weft_command_wait(struct weft_command *c);
cl_int weft_queue_finish(struct weft_queue *q);

// launch/native_kernel.c: arguments checked; args and the list of memory objects are copied. mem_places point into args.
cl_int weft_native_enqueue(struct weft_queue *q, void(CL_CALLBACK *call)(void *), const void *args,
                           size_t args_size, cl_uint mem_count, const cl_mem *mems, const void **mem_places,
                           cl_uint wait_count, const cl_event *wait_list, cl_event *event);

// ---- Calls of the application ----

// Code of the application may end the thread that it is called on (pthread_exit, or a cancellation that it lets in). The thread is
// ours, or has work of ours in hand: it comes back here instead. (The C library takes it for one that is ending from then on:
// docs/robustness.md, out of scope.) `call` is an expression; what it assigns must be volatile.
#define WEFT_CALL_APPLICATION(call)                          \
    do {                                                     \
        jmp_buf left_;                                       \
        int cancel_ = weft_cancel_disable();                 \
        struct weft_call *const in_ = weft_call_current;     \
        weft_call_current = NULL;                            \
        pthread_cleanup_push(weft_application_left, &left_); \
        if (setjmp(left_) == 0)                              \
            call;                                            \
        pthread_cleanup_pop(0);                              \
        weft_call_current = in_;                             \
        weft_cancel_restore(&cancel_);                       \
    } while (0)
void weft_application_left(void *back); // core/callback.c; a jmp_buf

// ---- core/callback.c: the thread for callbacks, which runs them in the order in which they are dispatched. ----
// Any thread; no lock of the runtime's may be held.
void weft_callback_dispatch(struct weft_callback *b);
// The same, and waits until b has run, though not for long: it may want a lock that the caller's caller
// holds. On the thread for callbacks itself b is run at once.
void weft_callback_dispatch_and_wait(struct weft_callback *b);

// ---- Checks shared by all enqueue functions (check/queue.c). CL_SUCCESS or the spec's error. ----

// (num == 0) != (list == NULL), dead events: CL_INVALID_EVENT_WAIT_LIST; other context: CL_INVALID_CONTEXT.
cl_int weft_check_wait_list(const struct weft_context *context, cl_uint count, const cl_event *list);
// Of a list that has been checked: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST where a command has failed already.
cl_int weft_check_wait_states(cl_uint count, const cl_event *list);
// The two alone: where the spec names the contexts before errors of other arguments, or last.
cl_int weft_check_wait_context(const struct weft_context *context, cl_uint count, const cl_event *list);
cl_int weft_check_wait_events(cl_uint count, const cl_event *list);
cl_int weft_check_wait_events_again(cl_uint count, const cl_event *list); // behind weft_check_wait_context
// Blocking calls with a failed event in the list: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST is found by
// submit.

// ---- Queries (info/). One writer; OpenCL's rules for value, size and size_ret. ----
cl_int weft_info_write(const void *value, size_t value_size, size_t param_value_size, void *param_value,
                       size_t *param_value_size_ret);
#define WEFT_INFO(type, expression)                                                         \
    weft_info_write(&(const type){expression}, sizeof(type), param_value_size, param_value, \
                    param_value_size_ret)
#define WEFT_INFO_STR(s) \
    weft_info_write(s, strlen(s) + 1, param_value_size, param_value, param_value_size_ret)

#endif
