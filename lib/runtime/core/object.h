// The ground floor of the runtime: what every OpenCL object begins with, and its life.
//
// The folder core/ holds what all the others stand on: objects with their counts and pools (this file), what a call of the application's
// holds (call_scope.h), why a call is refused and how a person is told (diagnostics.h), the thread for callbacks (callback.h), platform,
// devices and contexts, and the writer of queries (query.h). Handles of the application's come in, and go out as objects of ours that
// are held, or as NULL. It knows no command, no memory object, no program and no kernel: what it has to do with objects of those kinds,
// it does through the table weft_kinds, which lib/runtime/kinds.c fills from above. It calls base/ and the scheduler alone.
//
// `handles` counts what the application holds (clRetain, clRelease, CL_*_REFERENCE_COUNT); all handles
// together hold one of `refs`. `refs` is lifetime: queued commands, children, callbacks. The object is
// destroyed when refs reaches 0, on whichever thread that happens, with no lock held.
//
// Objects come from type-stable pools: memory of a destroyed object stays an object of the same kind, with
// `magic` cleared, so that a stale handle is told from a live one without touching unmapped memory.
#ifndef WEFT_RUNTIME_OBJECT_H
#define WEFT_RUNTIME_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "runtime/core/callback.h"
#include "runtime/core/cl.h"

// icd/dispatch.c; what `dispatch` of every object points to.
extern const struct weft_dispatch weft_dispatch;

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
    // Its magic in the upper half: weft_object_magic(kind) once published, before WEFT_OBJECT_UNBORN; 0 when destroyed. `refs` in the
    // lower one. One word, so that a reference is taken to what still is what it was, or not at all.
    _Atomic uint64_t life;
    _Atomic uint32_t handles;
    uint32_t kind;
};

enum {
    WEFT_OBJECT_ALIGN = 64, // where objects lie; what lies elsewhere is none
    WEFT_OBJECT_UNBORN = 1, // the magic of what no handle is of
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

// A zeroed object of `bytes` bytes (the same for every object of a kind, at least the struct's size), with
// one handle and one ref. parent: whose loader data it takes; NULL only for the platform. NULL: no memory. A stale handle of what was
// in its place isn't one of it until it is published.
void *weft_object_create(enum weft_object_kind kind, size_t bytes, const struct weft_object *parent);
// How many references one has that isn't published, and whether it is from here on. Nobody else knows it yet.
static inline void weft_object_set_refs(struct weft_object *o, uint32_t refs, bool published)
{
    // Release, as in weft_object_publish.
    atomic_store_explicit(&o->life,
                          WEFT_OBJECT_LIFE(published ? WEFT_OBJECT_MAGIC(o->kind) : WEFT_OBJECT_UNBORN, refs),
                          memory_order_release);
}
// It is made, and the application gets a handle. Once more does nothing.
static inline void weft_object_publish(struct weft_object *o)
{
    uint64_t life = atomic_load_explicit(&o->life, memory_order_relaxed);
    // Release, with weft_object_is: who finds that it is one finds it made. It may be under way already, and its references change.
    while (weft_object_magic(life) == WEFT_OBJECT_UNBORN &&
           !atomic_compare_exchange_weak_explicit(
               &o->life, &life, WEFT_OBJECT_LIFE(WEFT_OBJECT_MAGIC(o->kind), weft_object_refs(life)),
               memory_order_release, memory_order_relaxed))
        ;
}

// How many forks lie between the loading of the library and this process. Written in the child's first moment only, when it has
// one thread.
extern uint32_t weft_forks;

// Is it a live object of this kind, and published? NULL, freed, foreign and misaligned pointers: false (foreign memory must
// be readable). It may be gone the next moment, unless somebody holds it.
static inline bool weft_object_is(const void *handle, enum weft_object_kind kind)
{
    if (!handle || ((uintptr_t)handle & (WEFT_OBJECT_ALIGN - 1)))
        return false;
    const struct weft_object *o = handle;
    // Acquire, with weft_object_publish: a handle that is misused may be of an object that another thread makes.
    return weft_object_magic(atomic_load_explicit(&o->life, memory_order_acquire)) == WEFT_OBJECT_MAGIC(kind);
}

void weft_object_ref(struct weft_object *o);
// False: its last reference is gone. Its memory is an object's in any case, perhaps another's by now.
bool weft_object_try_ref(struct weft_object *o);
// Takes a reference if it is a live object of this kind, and published: nothing else need hold it.
static inline bool weft_object_ref_if(struct weft_object *o, enum weft_object_kind kind)
{
    uint64_t life = atomic_load_explicit(&o->life, memory_order_relaxed);
    do {
        if (weft_object_magic(life) != WEFT_OBJECT_MAGIC(kind) || weft_object_refs(life) == 0)
            return false;
        // Acquire, as in weft_object_is.
    } while (!atomic_compare_exchange_weak_explicit(&o->life, &life, life + 1, memory_order_acquire,
                                                    memory_order_relaxed));
    return true;
}
// What the handle is of, with a ref; NULL: none of this kind. Foreign memory must be readable.
static inline struct weft_object *weft_object_ref_of(const void *handle, enum weft_object_kind kind)
{
    struct weft_object *o = (struct weft_object *)(uintptr_t)handle;
    const bool may_be = o && ((uintptr_t)o & (WEFT_OBJECT_ALIGN - 1)) == 0;
    return may_be && weft_object_ref_if(o, kind) ? o : NULL;
}
void weft_object_unref(struct weft_object *o); // may destroy; NULL is fine
void weft_object_gone(struct weft_object *o);  // its last reference is
// Gives back a reference that is seldom the last; not of NULL.
static inline void weft_object_unref_lightly(struct weft_object *o)
{
    // Acquire-release, with itself: what every former holder did comes before the destruction.
    if (WEFT_UNLIKELY(weft_object_refs(atomic_fetch_sub_explicit(&o->life, 1, memory_order_acq_rel)) == 1))
        weft_object_gone(o);
}
// Gives back a reference in a clRelease of the application's: destructor callbacks of what this destroys run before it
// returns, on this thread. Without it they run on the thread for callbacks, and the object lives until then.
void weft_object_unref_here(struct weft_object *o);
// Is this thread in one?
bool weft_object_is_releasing(void);

// clRetain and clRelease. Retaining works also when the handle count is 0 and the object is alive through others, as one that a query
// (CL_QUEUE_CONTEXT, CL_KERNEL_PROGRAM) has returned. False: the handle isn't one of this kind, or the count is 0 already. What goes by
// releasing goes as weft_object_unref_here says.
bool weft_object_retain(const void *handle, enum weft_object_kind kind);
bool weft_object_release(const void *handle, enum weft_object_kind kind);
// The two for an object that the caller holds.
void weft_object_retain_handle(struct weft_object *o);
bool weft_object_release_handle(struct weft_object *o);

// Where the destruction of an object waits in the list of the thread for callbacks.
struct weft_destructor_callback {
    struct weft_callback dispatch;
    struct weft_object *object;
};

// What core/ does with objects whose kinds it doesn't know. NULL: nothing is to be done, or there is nothing.
struct weft_context;
struct weft_kind {
    // Frees what the object owns, not its own memory nor what it is a part of. Accepts half-built objects. Never NULL.
    void (*destroy)(struct weft_object *o);
    // What the object is a part of or lies over, which it has a reference to, given back after its destruction.
    struct weft_object *(*below)(const struct weft_object *o);
    // Where its destruction can wait. NULL: it has no destructor callback, and can be destroyed on any thread.
    struct weft_destructor_callback *(*farewell)(struct weft_object *o);
    // In a forked child: frees locks whose holders are the parent's.
    void (*after_fork)(struct weft_object *o);
    // Whom to tell when a call with this object is refused.
    struct weft_context *(*context_of)(const struct weft_object *o);
    // Is what is refused for it told by who uses it for a work of its own?
    bool (*is_silent)(const struct weft_object *o);
};
extern const struct weft_kind weft_kinds[WEFT_KIND_COUNT]; // lib/runtime/kinds.c

// What a handle of this kind is of, held by the call that this thread is in, which there must be (core/call_scope.h); NULL: it isn't one, or no
// memory.
void *weft_object_hold(const void *handle, enum weft_object_kind kind);

// Typed access: `weft_queue_of(handle)` is NULL when the handle is not a live queue. The platform is always there.
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
