// The base of every OpenCL object: its header, its two counts and its lifetime.
//
// The folder core/ holds what all other folders of the runtime build on: objects with their counts and pools
// (this file), call scopes (call_scope.h), diagnostics (diagnostics.h), the callback thread (callback.h) and
// the writer of queries (query.h). It turns handles of the application into objects that are held, or NULL.
// It knows no kind of object, not even devices and contexts. What it has to do with objects, it does through
// the table weft_kinds, which lib/runtime/kinds.c fills. It calls only base/ and the scheduler.
//
// `handles` counts what the application holds (clRetain, clRelease, CL_*_REFERENCE_COUNT). All handles
// together hold one of `refs`. `refs` is the lifetime: queued commands, children, callbacks and calls hold
// references. When refs reaches 0, the object is destroyed on whichever thread that happens, with no lock
// held.
//
// Objects come from type-stable pools. The memory of a destroyed object stays an object of the same kind,
// with its magic cleared. So a stale handle can be recognized without touching unmapped memory.
#ifndef WEFT_RUNTIME_OBJECT_H
#define WEFT_RUNTIME_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "runtime/core/callback.h"
#include "runtime/core/cl.h"

// Defined in icd/dispatch.c. `dispatch` of every object points to the table that is in use: the plain one, or
// with a timeline (WEFT_TRACE) another. Set at load. Hidden: it is read without a detour, for each command.
extern const struct weft_dispatch weft_dispatch;
extern const struct weft_dispatch *weft_dispatch_in_use __attribute__((visibility("hidden")));

// X(kind, C struct tag, cl type, error for a handle that is not one)
#define WEFT_OBJECT_KINDS(X)                                                                               \
    X(PLATFORM, weft_platform, cl_platform_id, CL_INVALID_PLATFORM)                                        \
    X(DEVICE, weft_device, cl_device_id, CL_INVALID_DEVICE)                                                \
    X(CONTEXT, weft_context, cl_context, CL_INVALID_CONTEXT)                                               \
    X(QUEUE, weft_queue, cl_command_queue, CL_INVALID_COMMAND_QUEUE)                                       \
    X(DEVICE_QUEUE, weft_device_queue, cl_command_queue, CL_INVALID_COMMAND_QUEUE)                         \
    X(MEM, weft_mem, cl_mem, CL_INVALID_MEM_OBJECT)                                                        \
    X(PROGRAM, weft_program, cl_program, CL_INVALID_PROGRAM)                                               \
    X(KERNEL, weft_kernel, cl_kernel, CL_INVALID_KERNEL)                                                   \
    X(SAMPLER, weft_sampler, cl_sampler, CL_INVALID_SAMPLER)                                               \
    X(EVENT, weft_command, cl_event, CL_INVALID_EVENT)                                                     \
    X(COMMAND_BUFFER, weft_command_buffer, struct _cl_command_buffer_khr *, CL_INVALID_COMMAND_BUFFER_KHR) \
    X(RECORDED, weft_recorded, struct _cl_mutable_command_khr *, CL_INVALID_MUTABLE_COMMAND_KHR)           \
    X(SEMAPHORE, weft_semaphore, struct _cl_semaphore_khr *, CL_INVALID_SEMAPHORE_KHR)

enum weft_object_kind {
#define WEFT_KIND_ENUM(kind, tag, type, error) WEFT_KIND_##kind,
    WEFT_OBJECT_KINDS(WEFT_KIND_ENUM)
#undef WEFT_KIND_ENUM
        WEFT_KIND_COUNT
};

struct weft_object {
    const void *dispatch; // cl_khr_icd: the table of entry points; must be first
    void *loader_data;    // cl_khr_icd 2.0.0: the loader's, copied from the parent object
    // Upper half: the magic. It is WEFT_OBJECT_UNBORN until the object is published, then
    // WEFT_OBJECT_MAGIC(kind), and 0 once destroyed. Lower half: `refs`. They share one word so that a
    // reference is taken only if the object is still the expected one.
    _Atomic uint64_t life;
    _Atomic uint32_t handles;
    uint32_t kind;
};

enum {
    WEFT_OBJECT_ALIGN = 64, // every object is aligned so; other addresses are no objects
    WEFT_OBJECT_UNBORN = 1, // the magic of an object that has no handle yet
};

#define WEFT_OBJECT_MAGIC(kind) (0x57454600u + (uint32_t)(kind))
#define WEFT_OBJECT_LIFE(magic, refs) ((uint64_t)(magic) << 32 | (refs))
static inline uint32_t weft_object_magic(uint64_t life)
{
    return (uint32_t)(life >> 32);
}
static inline uint32_t weft_object_refs(uint64_t life)
{
    return (uint32_t)life;
}

// Creates a zeroed object of `bytes` bytes, with one handle and one reference. `bytes` is the same for every
// object of a kind and at least the size of its struct. parent: the object whose loader data it copies; NULL
// only for the platform. NULL: no memory. Until the object is published, no handle refers to it, not even a
// stale handle of an object that was in the same place.
void *weft_object_create(enum weft_object_kind kind, size_t bytes, const struct weft_object *parent);
// Sets the reference count of an object that isn't published yet and that no other thread knows; publishes it
// if `published`.
static inline void weft_object_set_refs(struct weft_object *o, uint32_t refs, bool published)
{
    // Release, as in weft_object_publish.
    atomic_store_explicit(&o->life,
                          WEFT_OBJECT_LIFE(published ? WEFT_OBJECT_MAGIC(o->kind) : WEFT_OBJECT_UNBORN, refs),
                          memory_order_release);
}
// Marks the object as complete; from here on its handle is valid. Does nothing if it is published already.
static inline void weft_object_publish(struct weft_object *o)
{
    uint64_t life = atomic_load_explicit(&o->life, memory_order_relaxed);
    // Release, pairs with weft_object_is: who finds the object live also sees its contents. The object may
    // already be in use by Weft, so its reference count may change meanwhile.
    while (weft_object_magic(life) == WEFT_OBJECT_UNBORN &&
           !atomic_compare_exchange_weak_explicit(
               &o->life, &life, WEFT_OBJECT_LIFE(WEFT_OBJECT_MAGIC(o->kind), weft_object_refs(life)),
               memory_order_release, memory_order_relaxed))
        ;
}

// The number of forks between the loading of the library and this process. Written only in a child right
// after the fork, while it has one thread.
extern uint32_t weft_forks;

// All objects lie in [lowest, end). The first one falls and the other one rises, so whoever has a handle
// finds it inside. Before there is an object, nothing is.
extern struct weft_object_range {
    _Atomic uintptr_t lowest, end;
} weft_object_range;
// Takes memory of objects into that. Any thread.
void weft_object_range_add(const void *objects, size_t bytes);

// Is this a live, published object of this kind? False for NULL, freed, foreign and misaligned pointers, and
// for numbers; foreign memory among Weft's must be readable. Unless somebody holds the object, the answer may
// be outdated at once.
static inline bool weft_object_is(const void *handle, enum weft_object_kind kind)
{
    const uintptr_t at = (uintptr_t)handle;
    // relaxed, both: who has a handle knows of the object's creation.
    if (at < atomic_load_explicit(&weft_object_range.lowest, memory_order_relaxed) ||
        at >= atomic_load_explicit(&weft_object_range.end, memory_order_relaxed) ||
        (at & (WEFT_OBJECT_ALIGN - 1)))
        return false;
    const struct weft_object *o = handle;
    // Acquire, pairs with weft_object_publish: the application may misuse a handle of an object that another
    // thread is creating.
    return weft_object_magic(atomic_load_explicit(&o->life, memory_order_acquire)) == WEFT_OBJECT_MAGIC(kind);
}

// The number of objects of a kind that the application holds.
size_t weft_object_count_held(enum weft_object_kind kind);
// Takes a reference. The caller must have one already.
void weft_object_ref(struct weft_object *o);
// Takes a reference unless the last one is gone. False: it is. The memory is always an object's, perhaps
// another one's by now.
bool weft_object_try_ref(struct weft_object *o);
// Takes a reference if o is a live, published object of this kind. The caller need not hold it.
static inline bool weft_object_ref_if(struct weft_object *o, enum weft_object_kind kind)
{
    uint64_t life = atomic_load_explicit(&o->life, memory_order_relaxed);
    do {
        if (weft_object_magic(life) != WEFT_OBJECT_MAGIC(kind) || weft_object_refs(life) == 0)
            return false;
        // Acquire, pairs with weft_object_publish.
    } while (!atomic_compare_exchange_weak_explicit(&o->life, &life, life + 1, memory_order_acquire,
                                                    memory_order_relaxed));
    return true;
}
// Returns the object that the handle names, with a reference. NULL: it isn't a live object of this kind.
// Foreign memory must be readable.
static inline struct weft_object *weft_object_ref_of(const void *handle, enum weft_object_kind kind)
{
    struct weft_object *o = (struct weft_object *)(uintptr_t)handle;
    const bool may_be = o && ((uintptr_t)o & (WEFT_OBJECT_ALIGN - 1)) == 0;
    return may_be && weft_object_ref_if(o, kind) ? o : NULL;
}
void weft_object_unref(struct weft_object *o); // may destroy o; o may be NULL
void weft_object_gone(struct weft_object *o);  // called when the last reference is gone
// Gives back a reference that is seldom the last one. o must not be NULL.
static inline void weft_object_unref_lightly(struct weft_object *o)
{
    // Acquire-release, pairs with itself: everything that former holders did happens before the destruction.
    if (WEFT_UNLIKELY(weft_object_refs(atomic_fetch_sub_explicit(&o->life, 1, memory_order_acq_rel)) == 1))
        weft_object_gone(o);
}
// Gives back a reference on behalf of an application's clRelease. Destructor callbacks of the objects that
// this destroys run on this thread before the function returns. Elsewhere they run on the callback thread,
// and the object lives until then.
void weft_object_unref_here(struct weft_object *o);
// Is this thread inside weft_object_unref_here?
bool weft_object_is_releasing(void);

// Implement clRetain and clRelease. Retaining works also when the handle count is 0 and the object is alive
// through other references, as an object that a query returned (CL_QUEUE_CONTEXT, CL_KERNEL_PROGRAM). False:
// the handle isn't a live object of this kind, or its handle count is 0 already. Releasing destroys objects
// as weft_object_unref_here does.
bool weft_object_retain(const void *handle, enum weft_object_kind kind);
bool weft_object_release(const void *handle, enum weft_object_kind kind);
// Retain and release a handle of an object that the caller holds.
void weft_object_retain_handle(struct weft_object *o);
bool weft_object_release_handle(struct weft_object *o);

// The link by which an object waits on the callback thread for its destruction.
struct weft_destructor_callback {
    struct weft_callback dispatch;
    struct weft_object *object;
};

// What core/ needs to do with objects of kinds that it doesn't know. A member may be NULL: nothing to do.
struct weft_notify;
struct weft_kind {
    // Frees what the object owns, but not its own memory, and not its parent. Must accept half-built objects.
    // Never NULL.
    void (*destroy)(struct weft_object *o);
    // The object that this one is a part of or lies over (a buffer's parent, a device's parent). This object
    // holds a reference to it, which is given back after the destruction.
    struct weft_object *(*below)(const struct weft_object *o);
    // Where the destruction can wait for the callback thread. NULL: the object has no destructor callback and
    // can be destroyed on any thread.
    struct weft_destructor_callback *(*destructor_callback)(struct weft_object *o);
    // In a forked child: frees locks that threads of the parent held.
    void (*after_fork)(struct weft_object *o);
    // Whom a failed call with this object is reported to (core/notify.h): pfn_notify of its context. Never
    // returns NULL.
    const struct weft_notify *(*notify_of)(const struct weft_object *o);
    // Is the object internal to another entry point's work, which reports the errors itself?
    bool (*is_silent)(const struct weft_object *o);
};
extern const struct weft_kind weft_kinds[WEFT_KIND_COUNT]; // lib/runtime/kinds.c

// Returns the object that a handle of this kind names, held by the current call of this thread
// (core/call_scope.h), which must exist. NULL: not a live object of this kind, or no memory.
void *weft_object_hold(const void *handle, enum weft_object_kind kind);

// Typed access: weft_queue_of(handle) returns NULL when the handle isn't a live queue. The platform always
// lives and isn't held.
#define WEFT_KIND_CAST(kind, tag, type, error)                                                     \
    static inline struct tag *tag##_of(type handle)                                                \
    {                                                                                              \
        if (WEFT_KIND_##kind == WEFT_KIND_PLATFORM)                                                \
            return weft_object_is(handle, WEFT_KIND_##kind) ? (struct tag *)(void *)handle : NULL; \
        return (struct tag *)weft_object_hold(handle, WEFT_KIND_##kind);                           \
    }
WEFT_OBJECT_KINDS(WEFT_KIND_CAST)
#undef WEFT_KIND_CAST

#endif
