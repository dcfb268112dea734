// Contexts: the devices that the objects of a context may use, and whom errors are reported to. OpenCL 2.2
// §4.4.
#ifndef WEFT_RUNTIME_CONTEXT_H
#define WEFT_RUNTIME_CONTEXT_H

#include <pthread.h>

#include "runtime/core/notify.h"
#include "runtime/core/object.h"
#include "runtime/device/device.h"

struct weft_device_queue;
struct weft_queue;

struct weft_context {
    struct weft_object obj;
    cl_uint device_count;
    struct weft_device **devices;
    cl_context_properties *properties; // as given, with the closing 0; NULL: none given
    size_t property_count;             // number of entries, including the closing 0
    bool zero_local, zero_private;     // memory starts as zeros (cl_khr_initialize_memory)
    struct weft_notify notify;
    pthread_mutex_t lock;      // guards destructors and queues
    struct weft_queue *queues; // all live queues; without references
    struct weft_context_destructor *destructors;
    void *svm; // root of the search tree of memory/svm.c, which has its own lock
    // For each device, the queue that get_default_queue returns there; NULL: none. Without references: an
    // entry is cleared when the application releases its last handle of the queue. Written under the lock.
    struct weft_device_queue *_Atomic *default_queues;
    struct weft_destructor_callback destructor_callback;
};
// Arguments are already checked. properties and devices are copied; entries counts the closing 0. NULL: no
// memory.
struct weft_context *weft_context_create(const cl_context_properties *properties, size_t entries,
                                         cl_uint num_devices, struct weft_device *const *devices,
                                         weft_notify_function notify, void *user);
// Registers a callback that runs when the context is destroyed (clSetContextDestructorCallback). Returns
// CL_SUCCESS or CL_OUT_OF_HOST_MEMORY.
cl_int weft_context_add_destructor(struct weft_context *c, void(CL_CALLBACK *call)(cl_context, void *),
                                   void *user);
bool weft_context_has_device(const struct weft_context *c, const struct weft_device *d);
// The scheduler's domain of the context's only device. NULL: that is the root device, or there are several.
static inline const struct weft_domain *weft_context_domain(const struct weft_context *c)
{
    return c->device_count == 1 ? c->devices[0]->domain : NULL;
}
// Reports a sentence to pfn_notify and to the log. Called on an application thread within an entry point. The
// caller must hold no lock.
void weft_context_report(struct weft_context *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
// Reports a sentence to pfn_notify and to the log, from a thread that runs commands. pfn_notify is called on
// the callback thread. It has returned when this function returns, unless it takes long.
void weft_context_report_from_command(struct weft_context *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
// Reports a sentence to pfn_notify only, from a thread that runs commands, where the log already has it.
void weft_context_notify_from_command(struct weft_context *c, const char *fmt, ...) WEFT_PRINTF(2, 3);

// For kinds.c: calls the destructor callbacks, the last registered first.
void weft_context_call_destructors(struct weft_context *c);
// For kinds.c: frees what the context owns.
void weft_context_free_members(struct weft_context *c);
// For kinds.c: where the destruction of the context waits for the callback thread. NULL: it has no destructor
// callbacks.
struct weft_destructor_callback *weft_context_destructor_callback(struct weft_object *o);
// For kinds.c: makes the lock usable in a forked child.
void weft_context_after_fork(struct weft_object *o);

#endif
