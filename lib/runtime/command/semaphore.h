// Semaphores (cl_khr_semaphore 1.0.0): binary ones, within the process or shared with others (command/external_semaphore.h).
#ifndef WEFT_RUNTIME_SEMAPHORE_H
#define WEFT_RUNTIME_SEMAPHORE_H

#include "runtime/command/external_semaphore.h"
#include "runtime/command/queue.h"

struct weft_semaphore {
    struct weft_object obj;
    struct weft_context *context; // a ref
    struct weft_device *device;   // the one whose queues may use it; the context holds it
    cl_properties *properties;    // as given, with the closing 0
    size_t property_count;
    bool exportable;
    struct weft_payload *payload; // a ref: what it shares with others; NULL: nothing
    bool signaled;                // without a payload; under command/semaphore.c's lock
};

// Properties (closed by 0) are copied, the payload's ref is taken over, also when there is no memory: NULL. payload NULL: it isn't shared.
struct weft_semaphore *weft_semaphore_create(struct weft_context *context, struct weft_device *device,
                                             const cl_properties *properties, size_t entries,
                                             struct weft_payload *payload);
bool weft_semaphore_is_signaled(struct weft_semaphore *s);

// The commands: all of the semaphores, which the queue may use, are waited for and taken at once, or are
// signaled. The wait list has been checked; results as of weft_command_submit, CL_OUT_OF_RESOURCES, and CL_INVALID_SEMAPHORE_KHR: another
// thread has released one since the checks.
cl_int weft_enqueue_semaphores(struct weft_queue *q, cl_command_type type, cl_uint count,
                               struct weft_semaphore *const *semaphores, cl_uint wait_count,
                               const cl_event *wait_list, cl_event *event);

void weft_semaphore_destroy(struct weft_object *o); // for kinds.c

#endif
