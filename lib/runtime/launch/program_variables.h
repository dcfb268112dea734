// The program-scope variables of a build: where they are on a device, and the launches that initialize them.
#ifndef WEFT_RUNTIME_PROGRAM_VARIABLES_H
#define WEFT_RUNTIME_PROGRAM_VARIABLES_H

#include "runtime/core/context.h"
#include "runtime/program/build_result.h"

// Where the program-scope variables of a build that has some are on this device: made when first asked for, for as long as
// the build lives. NULL: no memory. Any thread; no lock held.
void *weft_build_variables(struct weft_build *b, struct weft_device *d);
// Runs what initializes the variables on this device, unless that has been done, and waits for it. The caller uses the build
// (weft_build_use). An error: why it couldn't be run, the same at each call if it had begun; else it is tried again. Any thread that may
// wait; no lock of the build held.
cl_int weft_build_initialize(struct weft_build *b, struct weft_context *context, struct weft_device *d);

#endif
