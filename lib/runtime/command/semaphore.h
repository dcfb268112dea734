// Binary semaphores (cl_khr_semaphore 1.0.0), local to the process or shared with other processes
// (command/external_semaphore.h).
#ifndef WEFT_RUNTIME_SEMAPHORE_H
#define WEFT_RUNTIME_SEMAPHORE_H

#include "runtime/command/external_semaphore.h"
#include "runtime/command/queue.h"

struct weft_semaphore {
    struct weft_object obj;
    struct weft_context *context; // a reference
    struct weft_device *device;   // whose queues may use it; the context holds it
    cl_properties *properties;    // as given, with the closing 0
    size_t property_count;
    bool exportable;
    // A reference: the state that it shares with other processes. NULL: not shared.
    struct weft_payload *payload;
    bool signaled; // state without a payload; under command/semaphore.c's lock
};

// Creates a semaphore. properties (with the closing 0) are copied. The payload's reference is taken over,
// even on failure; payload NULL: not shared. NULL: no memory.
struct weft_semaphore *weft_semaphore_create(struct weft_context *context, struct weft_device *device,
                                             const cl_properties *properties, size_t entries,
                                             struct weft_payload *payload);
bool weft_semaphore_is_signaled(struct weft_semaphore *s);

// Enqueues a wait for all of the semaphores at once, or a signal to all of them (type). The queue may use the
// semaphores, and the wait list is checked. Results: those of weft_command_submit, and CL_OUT_OF_RESOURCES.
cl_int weft_enqueue_semaphores(struct weft_queue *q, cl_command_type type, cl_uint count,
                               struct weft_semaphore *const *semaphores, cl_uint wait_count,
                               const cl_event *wait_list, cl_event *event);

void weft_semaphore_destroy(struct weft_object *o); // for kinds.c

#endif
