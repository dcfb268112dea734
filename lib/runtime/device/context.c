// Contexts: their properties, their error callback and their destructor callbacks. OpenCL 2.2 §4.4, and
// clSetContextDestructorCallback of OpenCL 3.0. A context lives as long as any object that was created in it.
#include "runtime/checker/misuse.h"
#include "runtime/checker/checker.h"
#include "runtime/device/context.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "runtime/core/application_call.h"
#include "runtime/core/callback.h"
#include "runtime/device/device.h"
#include "runtime/core/notify.h"
#include "runtime/core/object.h"
#include "runtime/device/platform.h"

struct weft_context_destructor {
    struct weft_context_destructor *next;
    void(CL_CALLBACK *call)(cl_context context, void *user);
    void *user;
};

// What the application holds, for the checker.
static void write_held(char *text, size_t size)
{
    static const struct {
        enum weft_object_kind kind;
        const char *one, *several;
    } rows[] = {{WEFT_KIND_CONTEXT, "context", "contexts"},
                {WEFT_KIND_QUEUE, "queue", "queues"},
                {WEFT_KIND_DEVICE_QUEUE, "queue on the device", "queues on the device"},
                {WEFT_KIND_MEM, "memory object", "memory objects"},
                {WEFT_KIND_PROGRAM, "program", "programs"},
                {WEFT_KIND_KERNEL, "kernel", "kernels"},
                {WEFT_KIND_SAMPLER, "sampler", "samplers"},
                {WEFT_KIND_EVENT, "event", "events"},
                {WEFT_KIND_COMMAND_BUFFER, "command buffer", "command buffers"},
                {WEFT_KIND_SEMAPHORE, "semaphore", "semaphores"}};
    size_t at = 0;
    for (size_t i = 0; i < WEFT_COUNT_OF(rows) && at < size; i++) {
        const size_t held = weft_object_count_held(rows[i].kind);
        if (held)
            at += (size_t)snprintf(text + at, size - at, "%s%zu %s", at ? ", " : "", held,
                                   held == 1 ? rows[i].one : rows[i].several);
    }
}

struct weft_context *weft_context_create(const cl_context_properties *properties, size_t entries,
                                         cl_uint num_devices, struct weft_device *const *devices,
                                         weft_notify_function notify, void *user)
{
    struct weft_context *c = weft_object_create(WEFT_KIND_CONTEXT, sizeof *c, &weft_platform_get()->obj);
    weft_checker_option(); // From here on it is known what is looked for.
    if (WEFT_UNLIKELY(weft_misuse_is_on()))
        weft_misuse_set_leaks(write_held);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    c->notify = (struct weft_notify){notify, user};
    c->devices = weft_alloc_array(num_devices, sizeof *c->devices);
    c->default_queues = weft_alloc_array(num_devices, sizeof *c->default_queues);
    if (!c->devices || !c->default_queues)
        goto fail;
    // "Duplicate devices specified in devices are ignored."
    for (cl_uint i = 0; i < num_devices; i++)
        if (!weft_context_has_device(c, devices[i])) {
            weft_object_ref(&devices[i]->obj);
            c->devices[c->device_count++] = devices[i];
        }
    if (properties) {
        c->properties = weft_memdup(properties, entries * sizeof *properties);
        if (!c->properties)
            goto fail;
        c->property_count = entries;
        for (size_t i = 0; i + 1 < entries; i += 2)
            if (properties[i] == CL_CONTEXT_MEMORY_INITIALIZE_KHR) {
                c->zero_local = properties[i + 1] & CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR;
                c->zero_private = properties[i + 1] & CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;
            }
    }
    return c;
fail:
    weft_object_unref(&c->obj);
    return NULL;
}

void weft_context_call_destructors(struct weft_context *c)
{
    // "... the callback functions are called in the reverse order in which they were registered."
    while (c->destructors) {
        struct weft_context_destructor *d = c->destructors;
        c->destructors = d->next;
        WEFT_CALL_APPLICATION(d->call((cl_context)c, d->user));
        weft_free(d);
    }
}

void weft_context_free_members(struct weft_context *c)
{
    pthread_mutex_destroy(&c->lock);
    for (cl_uint i = 0; i < c->device_count; i++)
        weft_object_unref(&c->devices[i]->obj);
    weft_free(c->devices);
    weft_free(c->default_queues);
    weft_free(c->properties);
}

struct weft_destructor_callback *weft_context_destructor_callback(struct weft_object *o)
{
    struct weft_context *c = (struct weft_context *)o;
    return c->destructors ? &c->destructor_callback : NULL;
}

void weft_context_after_fork(struct weft_object *o)
{
    weft_lock_after_fork(&((struct weft_context *)o)->lock);
}

bool weft_context_has_device(const struct weft_context *c, const struct weft_device *d)
{
    for (cl_uint i = 0; i < c->device_count; i++)
        if (c->devices[i] == d)
            return true;
    return false;
}

cl_int weft_context_add_destructor(struct weft_context *c, void(CL_CALLBACK *call)(cl_context, void *),
                                   void *user)
{
    struct weft_context_destructor *d = weft_zalloc(sizeof *d);
    if (!d)
        return CL_OUT_OF_HOST_MEMORY;
    d->call = call;
    d->user = user;
    pthread_mutex_lock(&c->lock);
    d->next = c->destructors;
    c->destructors = d;
    pthread_mutex_unlock(&c->lock);
    return CL_SUCCESS;
}

// ---- Reports ----

void weft_context_report(struct weft_context *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    weft_notify_report_list(&c->notify, fmt, ap);
    va_end(ap);
}

struct report {
    struct weft_callback dispatch;
    struct weft_context *context; // a reference
    char sentence[WEFT_NOTIFY_BYTES];
};

static void run_report(struct weft_callback *b)
{
    struct report *r = WEFT_CONTAINER_OF(b, struct report, dispatch);
    weft_notify_call(&r->context->notify, r->sentence);
    weft_object_unref(&r->context->obj);
    weft_free(r);
}

static void notify_from_command(struct weft_context *c, const char sentence[WEFT_NOTIFY_BYTES])
{
    if (!c->notify.call)
        return;
    struct report *r = weft_alloc(sizeof *r);
    if (!r) { // the wrong thread is better than no report
        weft_notify_call(&c->notify, sentence);
        return;
    }
    r->dispatch.call = run_report;
    r->context = c;
    weft_object_ref(&c->obj);
    memcpy(r->sentence, sentence, sizeof r->sentence);
    weft_callback_dispatch_and_wait(&r->dispatch);
}

static void report_from_command(struct weft_context *c, bool log, const char *fmt, va_list ap)
{
    char sentence[WEFT_NOTIFY_BYTES] = "";
    vsnprintf(sentence, sizeof sentence, fmt, ap);
    // A command that the end of the process interrupts is no error, and what the application's function needs
    // may be gone.
    if (weft_process_has_begun_to_end()) {
        weft_log(WEFT_LOG_INFO, "%s", sentence);
        return;
    }
    if (log)
        weft_log(WEFT_LOG_ERROR, "%s", sentence);
    notify_from_command(c, sentence);
}

void weft_context_report_from_command(struct weft_context *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    report_from_command(c, true, fmt, ap);
    va_end(ap);
}

void weft_context_notify_from_command(struct weft_context *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    report_from_command(c, false, fmt, ap);
    va_end(ap);
}
