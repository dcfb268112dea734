// The table of object kinds: functions that core/ calls on objects of kinds that it doesn't know. This is the
// only file of the runtime above all folders; each row names functions of the folder that the kind belongs
// to. A new kind is a row in WEFT_OBJECT_KINDS (core/object.h), its `destroy`, and here what else it has.
#include "runtime/command/command.h"
#include "runtime/command/queue.h"
#include "runtime/command/semaphore.h"
#include "runtime/command_buffer/command_buffer.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/object.h"
#include "runtime/device/platform.h"
#include "runtime/memory/memory.h"
#include "runtime/image/sampler.h"
#include "runtime/memory/storage.h"
#include "runtime/memory/svm.h"
#include "runtime/program/kernel.h"
#include "runtime/program/program.h"

// ---- Contexts ----

// SVM is freed after the destructor callbacks, which may use it, and before the context's lock is destroyed.
static void weft_context_destroy(struct weft_object *o)
{
    struct weft_context *c = (struct weft_context *)o;
    weft_context_call_destructors(c);
    weft_svm_free_all(c);
    weft_storage_forget(c);
    weft_context_free_members(c);
}

// ---- Objects that objects are parts of ----

static struct weft_object *below_device(const struct weft_object *o)
{
    const struct weft_device *d = (const struct weft_device *)o;
    return d->parent ? &d->parent->obj : NULL;
}

static struct weft_object *below_mem(const struct weft_object *o)
{
    const struct weft_mem *m = (const struct weft_mem *)o;
    return m->parent ? &m->parent->obj : NULL;
}

// ---- Whom errors of objects are reported to: pfn_notify of their contexts ----

static const struct weft_notify *notify_of_context(const struct weft_object *o)
{
    return &((const struct weft_context *)o)->notify;
}

static const struct weft_notify *notify_of_queue(const struct weft_object *o)
{
    return &((const struct weft_queue *)o)->context->notify; // a device queue begins with a weft_queue
}

static const struct weft_notify *notify_of_mem(const struct weft_object *o)
{
    return &((const struct weft_mem *)o)->context->notify;
}

static const struct weft_notify *notify_of_program(const struct weft_object *o)
{
    return &((const struct weft_program *)o)->context->notify;
}

static const struct weft_notify *notify_of_kernel(const struct weft_object *o)
{
    return &((const struct weft_kernel *)o)->program->context->notify;
}

static const struct weft_notify *notify_of_sampler(const struct weft_object *o)
{
    return &((const struct weft_sampler *)o)->context->notify;
}

static const struct weft_notify *notify_of_event(const struct weft_object *o)
{
    return &((const struct weft_command *)o)->context->notify;
}

static const struct weft_notify *notify_of_command_buffer(const struct weft_object *o)
{
    return &((const struct weft_command_buffer *)o)->context->notify;
}

static const struct weft_notify *notify_of_semaphore(const struct weft_object *o)
{
    return &((const struct weft_semaphore *)o)->context->notify;
}

// Errors of recorded commands are reported by the call that records them.
static bool is_recorder(const struct weft_object *o)
{
    return ((const struct weft_queue *)o)->recorder;
}

#define DESTROY(kind, tag, type, error) [WEFT_KIND_##kind].destroy = tag##_destroy,

// Each kind has its tag's `destroy`, which the linker misses where there is none.
// EVENT must have neither `below` nor `destructor_callback`: core/object.c doesn't look for them, and asserts
// that they are NULL.
const struct weft_kind weft_kinds[WEFT_KIND_COUNT] = {
    WEFT_OBJECT_KINDS(DESTROY) // all of them

        [WEFT_KIND_DEVICE]
            .below = below_device,

    [WEFT_KIND_CONTEXT].destructor_callback = weft_context_destructor_callback,
    [WEFT_KIND_CONTEXT].after_fork = weft_context_after_fork,
    [WEFT_KIND_CONTEXT].notify_of = notify_of_context,

    [WEFT_KIND_QUEUE].after_fork = weft_queue_after_fork,
    [WEFT_KIND_QUEUE].notify_of = notify_of_queue,
    [WEFT_KIND_QUEUE].is_silent = is_recorder,

    [WEFT_KIND_DEVICE_QUEUE].after_fork = weft_queue_after_fork,
    [WEFT_KIND_DEVICE_QUEUE].notify_of = notify_of_queue,

    [WEFT_KIND_MEM].below = below_mem,
    [WEFT_KIND_MEM].destructor_callback = weft_mem_destructor_callback,
    [WEFT_KIND_MEM].after_fork = weft_mem_after_fork,
    [WEFT_KIND_MEM].notify_of = notify_of_mem,

    [WEFT_KIND_PROGRAM].destructor_callback = weft_program_destructor_callback,
    [WEFT_KIND_PROGRAM].after_fork = weft_program_after_fork,
    [WEFT_KIND_PROGRAM].notify_of = notify_of_program,

    [WEFT_KIND_KERNEL].after_fork = weft_kernel_after_fork,
    [WEFT_KIND_KERNEL].notify_of = notify_of_kernel,

    [WEFT_KIND_SAMPLER].notify_of = notify_of_sampler,

    // An event's lists are lock-free. A child of fork leaves its parent's commands alone
    // (weft_command_is_parents).
    [WEFT_KIND_EVENT].notify_of = notify_of_event,

    [WEFT_KIND_COMMAND_BUFFER].after_fork = weft_command_buffer_after_fork,
    [WEFT_KIND_COMMAND_BUFFER].notify_of = notify_of_command_buffer,

    [WEFT_KIND_SEMAPHORE].notify_of = notify_of_semaphore,
};
