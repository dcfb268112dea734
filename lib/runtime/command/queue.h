// Command queues, of the host and of the device: what they are made of, and their end.
#ifndef WEFT_RUNTIME_QUEUE_H
#define WEFT_RUNTIME_QUEUE_H

#include "runtime/core/context.h"

struct weft_command;

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
#define WEFT_DEVICE_QUEUE_MAX (4u << 20)
#define WEFT_DEVICE_MAX_QUEUES 128u // nothing but memory bounds them, nor events
#define WEFT_DEVICE_MAX_EVENTS (WEFT_DEVICE_QUEUE_MAX / WEFT_CHILD_BYTES)

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

cl_int weft_queue_finish(struct weft_queue *q);
// Waits for all that is enqueued to the context's queues. CL_OUT_OF_HOST_MEMORY: it couldn't. No lock held.
cl_int weft_context_finish(struct weft_context *c);

// For kinds.c.
void weft_queue_destroy(struct weft_object *o);
void weft_device_queue_destroy(struct weft_object *o);
void weft_queue_after_fork(struct weft_object *o); // of either kind

#endif
