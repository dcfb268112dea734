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
    // Valid in the first element of a list whose program is destroyed:
    _Atomic uint32_t builds; // the number of builds to finalize before the callbacks are called
    cl_program gone;
};

// Calls all callbacks, the latest first, and frees the list.
void weft_release_callbacks_run(struct weft_program_callback *list, cl_program program);
// Reports that one of the builds that the callbacks wait for has been finalized. If it was the last, calls
// them all and frees the list. list may be NULL.
void weft_program_call_back(struct weft_program_callback *list);

#endif
