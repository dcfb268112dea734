// Command queues of the host and of the device (OpenCL 2.2 §5.1).
#ifndef WEFT_RUNTIME_QUEUE_H
#define WEFT_RUNTIME_QUEUE_H

#include "runtime/device/context.h"

struct weft_command;

struct weft_order_queue;

struct weft_queue {
    struct weft_object obj;
    struct weft_context *context; // a reference
    struct weft_device *device;
    cl_command_queue_properties properties;
    bool in_order, profiling; // derived from `properties`, for quick access
    bool timed;               // its commands note their times: profiling, or there is a timeline
    bool special;             // `high`, or its device is a sub-device
    // High priority or full throttle: each command wakes idle threads at once.
    bool high;
    uint32_t threads; // number of threads that run its kernels
    // The queue of a command buffer: commands are returned instead of submitted (command/submit.c).
    bool recorder;
    // Recorder, or there is a timeline, or `order`: looks at its commands before they are submitted.
    bool observed;
    struct weft_order_queue *order; // for the checker; owned; NULL: it doesn't want to know
    uint32_t trace_number;          // of the timeline; 0: there is none
    cl_queue_properties *given;     // properties array of clCreateCommandQueueWithProperties; NULL: none
    size_t given_count;
    struct weft_queue *next, *prev; // links in the context's list; under its lock
    bool listed;                    // is in that list
    pthread_mutex_t lock;           // guards the order of submission: all members below
    // In order: the last command (a reference), which the next one depends on.
    struct weft_command *last;
    // Out of order: the last barrier until it is complete, which every later command depends on.
    struct weft_command *barrier;
    // Out of order: the unfinished commands, which barriers and markers wait for.
    struct weft_command *live;
    // weft_forks when the queue was created, or when the parent's commands were last removed from it.
    uint32_t forks;
    // A command of the parent process was lost, and no clFinish has reported it yet.
    bool lost;
};

// Creates a queue of the host. Arguments are checked. given: `entries` values including the closing 0,
// copied; or NULL. NULL: no memory.
struct weft_queue *weft_queue_create(struct weft_context *context, struct weft_device *device,
                                     cl_command_queue_properties properties, const cl_queue_properties *given,
                                     size_t entries);
// Gives back the references that the queue holds to its commands, now or when unfinished commands complete.
// Called when the last handle is released.
void weft_queue_detach(struct weft_queue *q);

// A queue on the device (CL_QUEUE_ON_DEVICE). Running kernels enqueue commands to it; the host can't. Each
// command uses WEFT_CHILD_BYTES of its size from its enqueue until it is complete.
struct weft_device_queue {
    struct weft_queue queue; // has the object header
    cl_uint size;            // bytes: CL_QUEUE_SIZE
    _Atomic uint32_t used;   // bytes used by unfinished commands
};
#define WEFT_CHILD_BYTES 64u
// Enough for programs that enqueue a child from each of many work-items, and don't look whether the queue is
// full. A size only counts; it takes no memory.
#define WEFT_DEVICE_QUEUE_PREFERRED (1u << 20)
#define WEFT_DEVICE_QUEUE_MAX (4u << 20)
#define WEFT_DEVICE_MAX_QUEUES 128u // only memory limits their number; reported to programs
#define WEFT_DEVICE_MAX_EVENTS (WEFT_DEVICE_QUEUE_MAX / WEFT_CHILD_BYTES)

// Creates a queue of the device. size: bytes. Arguments are checked; `given` is copied. NULL: no memory.
struct weft_device_queue *weft_device_queue_create(struct weft_context *context, struct weft_device *device,
                                                   cl_command_queue_properties properties, cl_uint size,
                                                   const cl_queue_properties *given, size_t entries);
// Returns a host or device queue, held by the current call. NULL: the handle is neither.
struct weft_queue *weft_any_queue_of(cl_command_queue handle);
// Returns the default queue of a device, or NULL. Not held: another thread may release it.
struct weft_device_queue *weft_default_queue(const struct weft_context *context,
                                             const struct weft_device *device);
// Makes q, which the caller holds, the default queue of its device. only_first: only if there is none;
// otherwise the caller gets a handle of the existing one. Returns the default queue. NULL: q's last handle is
// gone.
struct weft_device_queue *weft_default_queue_set(struct weft_device_queue *q, bool only_first);

// Waits until all commands in the queue are complete. Returns CL_SUCCESS, CL_OUT_OF_HOST_MEMORY, or
// CL_OUT_OF_RESOURCES in a forked child whose parent's commands were lost.
cl_int weft_queue_finish(struct weft_queue *q);
// Waits until all commands in all queues of the context are complete. Errors: those of weft_queue_finish. The
// caller must hold no lock.
cl_int weft_context_finish(struct weft_context *c);

// For kinds.c. weft_queue_after_fork is for both kinds of queues.
void weft_queue_destroy(struct weft_object *o);
void weft_device_queue_destroy(struct weft_object *o);
void weft_queue_after_fork(struct weft_object *o);

#endif
