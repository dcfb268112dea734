// What a call of the application's is made with, and holds until it returns: another thread may release any of it meanwhile, and
// it must neither go under the call nor become something else (ADR 33).
//
// An entry point begins with WEFT_CALL. From there to its end what weft_<kind>_of finds for a handle is held: a reference that the
// call gives back when it returns. Checks and work between use it as theirs. Calls may be made in calls, as an application's
// callback does: while that runs, no call is the thread's, so that none dangles where a callback is left by longjmp. What the call held is
// lost then. Those that do nothing but retain or release hold what they need themselves (core/object.h).
#ifndef WEFT_RUNTIME_CALL_H
#define WEFT_RUNTIME_CALL_H

#include "runtime/core/object.h"

enum { WEFT_CALL_FEW = 6 };

struct weft_call {
    struct weft_call *outer, **current; // the one that this is in; where the thread notes this one
    struct weft_object **held;          // `few`, or allocated: a ref each
    uint32_t count, room;
    bool releases;     // what goes at its end goes as weft_object_unref_here says
    bool lacks_memory; // for another one to be held; what it refuses, it refuses for that
    bool missed;       // a handle was none
    struct weft_object *few[WEFT_CALL_FEW];
};

// The call that this thread is in, the innermost; NULL: none.
extern __thread struct weft_call *weft_call_current;

#define WEFT_CALL                                                       \
    struct weft_call weft_call __attribute__((cleanup(weft_call_end))); \
    weft_call_begin(&weft_call)

// Begins a call that is made often: it holds what it says itself (weft_call_hold_early), and only from weft_call_enter on what
// weft_<kind>_of finds.
#define WEFT_CALL_SINGLE                                                       \
    struct weft_call weft_call __attribute__((cleanup(weft_call_end_single))); \
    weft_call.current = NULL;                                                  \
    weft_call_open(&weft_call)

// One that holds nothing, and isn't the thread's.
static inline void weft_call_open(struct weft_call *c)
{
    c->held = c->few;
    c->count = 0;
    c->room = WEFT_CALL_FEW;
    c->releases = c->lacks_memory = c->missed = false;
}
void weft_call_close_apart(struct weft_call *c); // one that released something, or holds much
static inline void weft_call_close(struct weft_call *c)
{
    if (WEFT_UNLIKELY(c->releases || c->held != c->few)) {
        weft_call_close_apart(c);
        return;
    }
    for (uint32_t i = 0; i < c->count; i++)
        weft_object_unref_lightly(c->few[i]);
}

// From here on it is the thread's.
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

// What the handle is of, held by c; at a call's beginning, when it holds less than WEFT_CALL_FEW objects. NULL: none of this kind.
// Written out where it is: for what is called often.
static inline void *weft_call_hold_early(struct weft_call *c, const void *handle, enum weft_object_kind kind)
{
    struct weft_object *o = weft_object_ref_of(handle, kind);
    if (o)
        c->few[c->count++] = o;
    return o;
}

// What c held first is somebody else's to give back from here on, and must be alive for that alone.
static inline void weft_call_hand_over(struct weft_call *c)
{
    c->held[0] = c->held[--c->count];
}

// What weft_call_hand_over gave away, and whoever had it didn't take: c holds it again.
static inline void weft_call_take_back(struct weft_call *c, struct weft_object *o)
{
    c->held[c->count++] = o;
}

// What the handle is of, held by c; NULL: none of this kind, or no memory.
void *weft_call_hold(struct weft_call *c, const void *handle, enum weft_object_kind kind);

#endif
