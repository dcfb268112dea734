// Contexts: the devices that the objects made in one may use, and whom to tell of errors.
#ifndef WEFT_RUNTIME_CONTEXT_H
#define WEFT_RUNTIME_CONTEXT_H

#include <pthread.h>

#include "runtime/core/device.h"

struct weft_device_queue;
struct weft_queue;

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
    struct weft_destructor_callback farewell;
};
// Arguments checked; properties and devices are copied. NULL: no memory.
struct weft_context *weft_context_create(const cl_context_properties *properties, size_t entries,
                                         cl_uint num_devices, struct weft_device *const *devices,
                                         weft_context_notify notify, void *user);
cl_int weft_context_add_destructor(struct weft_context *c, void(CL_CALLBACK *call)(cl_context, void *),
                                   void *user);
bool weft_context_has_device(const struct weft_context *c, const struct weft_device *d);
// Tells pfn_notify and the log a sentence, in a call of the application's, on its thread. No lock may be held.
void weft_context_report(struct weft_context *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
// Tells the same two a sentence from a thread that runs commands: pfn_notify is called on the thread for callbacks, and has
// returned when this does, unless it takes long.
void weft_context_report_from_command(struct weft_context *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
// From such a thread, to pfn_notify alone: the log has been told already.
void weft_context_notify_from_command(struct weft_context *c, const char *fmt, ...) WEFT_PRINTF(2, 3);

// For kinds.c. The destructor callbacks, in reverse order of their registration; then the context's own memory.
void weft_context_call_destructors(struct weft_context *c);
void weft_context_destroy(struct weft_object *o);
struct weft_destructor_callback *weft_context_farewell(struct weft_object *o);
void weft_context_after_fork(struct weft_object *o);

#endif
