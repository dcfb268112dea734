// Call scopes: holding objects for the time of a call.
#include "runtime/core/call_scope.h"

#include <string.h>

#include "base/base.h"
#include "runtime/core/object.h"

__thread struct weft_call *weft_call_current;

static bool make_room(struct weft_call *c)
{
    size_t bytes;
    if (c->count < c->capacity)
        return true;
    struct weft_object **more =
        weft_mul_size(c->capacity, 2 * sizeof *more, &bytes) ? weft_alloc(bytes) : NULL;
    c->lacks_memory |= !more;
    if (!more)
        return false;
    memcpy(more, c->held, c->count * sizeof *more);
    if (c->held != c->inline_held)
        weft_free(c->held);
    c->held = more;
    c->capacity *= 2;
    return true;
}

void *weft_call_hold(struct weft_call *c, const void *handle, enum weft_object_kind kind)
{
    enum { LAST = 4 }; // checks of one call look up the same few handles repeatedly
    struct weft_object *o = (struct weft_object *)(uintptr_t)handle;
    // The handle may not even point to memory of an object.
    if (!weft_object_is(handle, kind)) {
        c->missed = true;
        return NULL;
    }
    for (uint32_t i = c->count, n = 0; i > 0 && n < LAST; n++)
        if (c->held[--i] == o)
            return o;
    if (!make_room(c) || !weft_object_ref_if(o, kind)) {
        c->missed = true;
        return NULL;
    }
    c->held[c->count++] = o;
    return o;
}

void *weft_object_hold(const void *handle, enum weft_object_kind kind)
{
    return weft_call_hold(weft_call_current, handle, kind);
}

void weft_call_close_slowly(struct weft_call *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->releases)
            weft_object_unref_here(c->held[i]);
        else
            weft_object_unref(c->held[i]);
    }
    if (c->held != c->inline_held)
        weft_free(c->held);
}
