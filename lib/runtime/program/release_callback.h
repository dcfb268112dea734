// The callbacks of clSetProgramReleaseCallback.
#ifndef WEFT_RUNTIME_RELEASE_CALLBACK_H
#define WEFT_RUNTIME_RELEASE_CALLBACK_H

#include <stdatomic.h>
#include <stdint.h>

#include "runtime/core/cl.h"

typedef void(CL_CALLBACK *weft_program_notify)(cl_program program, void *user);

struct weft_program_callback {
    struct weft_program_callback *next;
    weft_program_notify notify;
    void *user;
    // Of the first of a list whose program is gone.
    _Atomic uint32_t builds; // to be finalized before
    cl_program gone;
};

// Calls them all, and frees the list.
void weft_release_callbacks_run(struct weft_program_callback *list, cl_program program);
// One of the builds that the callbacks waited for has been finalized: calls them all and frees the list, if it was the last. NULL is fine.
void weft_program_call_back(struct weft_program_callback *list);

#endif
