// Call scopes: the objects that one call of an entry point holds until it returns (ADR 33). Another thread
// may release any of them meanwhile. Held objects stay alive, and their memory doesn't become another object.
//
// An entry point begins with WEFT_CALL. From there to its end, weft_<kind>_of holds each object that it finds
// for a handle: it takes a reference, which the call gives back when it returns. Checks and work in between
// use the object without references of their own.
//
// Calls may nest: a callback of the application may call entry points. While application code runs, the
// thread has no current call, so that no pointer dangles if a callback is left by longjmp. What the call held
// is then leaked. Entry points that only retain or release don't need a call scope; they hold the object
// themselves (core/object.h).
#ifndef WEFT_RUNTIME_CALL_H
#define WEFT_RUNTIME_CALL_H

#include "runtime/core/object.h"

enum { WEFT_CALL_INLINE = 6 };

struct weft_call {
    // outer: the call that this one is nested in. current: where the thread keeps its innermost call.
    struct weft_call *outer, **current;
    struct weft_object **held; // `inline_held`, or allocated; one reference to each
    uint32_t count, capacity;
    bool releases;     // at the end, references are given back by weft_object_unref_here
    bool lacks_memory; // no memory to hold another object: the call fails for that reason
    bool missed;       // a handle was not a live object of the expected kind
    struct weft_object *inline_held[WEFT_CALL_INLINE];
};

// The innermost call of this thread. NULL: none.
extern __thread struct weft_call *weft_call_current;

#define WEFT_CALL                                                       \
    struct weft_call weft_call __attribute__((cleanup(weft_call_end))); \
    weft_call_begin(&weft_call)

// Begins a call of an entry point that is called often. The entry point holds its first objects explicitly
// (weft_call_hold_early). weft_<kind>_of holds objects only after weft_call_enter.
#define WEFT_CALL_SINGLE                                                       \
    struct weft_call weft_call __attribute__((cleanup(weft_call_end_single))); \
    weft_call.current = NULL;                                                  \
    weft_call_open(&weft_call)

// Initializes c. It holds nothing and is not the thread's current call.
static inline void weft_call_open(struct weft_call *c)
{
    c->held = c->inline_held;
    c->count = 0;
    c->capacity = WEFT_CALL_INLINE;
    c->releases = c->lacks_memory = c->missed = false;
}
// The slow path of weft_call_close: a call that releases, or that holds many objects.
void weft_call_close_slowly(struct weft_call *c);
static inline void weft_call_close(struct weft_call *c)
{
    if (WEFT_UNLIKELY(c->releases || c->held != c->inline_held)) {
        weft_call_close_slowly(c);
        return;
    }
    for (uint32_t i = 0; i < c->count; i++)
        weft_object_unref_lightly(c->inline_held[i]);
}

// Makes c the thread's current call.
static inline void weft_call_enter(struct weft_call *c)
{
    c->current = &weft_call_current;
    c->outer = *c->current;
    *c->current = c;
}
static inline void weft_call_begin(struct weft_call *c)
{
    weft_call_open(c);
    weft_call_enter(c);
}
static inline void weft_call_end(struct weft_call *c)
{
    *c->current = c->outer;
    weft_call_close(c);
}
static inline void weft_call_end_single(struct weft_call *c)
{
    if (WEFT_UNLIKELY(c->current != NULL))
        *c->current = c->outer;
    weft_call_close(c);
}

// Returns the object of this kind that the handle names and adds it to what c holds. NULL: the handle isn't a
// live object of this kind. Only at the beginning of a call, while c holds fewer than WEFT_CALL_INLINE
// objects. Inline, for entry points that are called often.
static inline void *weft_call_hold_early(struct weft_call *c, const void *handle, enum weft_object_kind kind)
{
    struct weft_object *o = weft_object_ref_of(handle, kind);
    if (o)
        c->inline_held[c->count++] = o;
    return o;
}

// Passes the first reference that c holds to somebody else, who gives it back. The object stays alive only as
// long as the new owner's reference.
static inline void weft_call_hand_over(struct weft_call *c)
{
    c->held[0] = c->held[--c->count];
}

// Returns the object of this kind that the handle names and adds it to what c holds. NULL: the handle isn't a
// live object of this kind, or there is no memory (c->lacks_memory).
void *weft_call_hold(struct weft_call *c, const void *handle, enum weft_object_kind kind);

#endif
