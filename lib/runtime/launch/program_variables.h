// The program-scope variables of a build: their memory on each device, and the launches that initialize them.
#ifndef WEFT_RUNTIME_PROGRAM_VARIABLES_H
#define WEFT_RUNTIME_PROGRAM_VARIABLES_H

#include "runtime/device/context.h"
#include "runtime/code/build_result.h"

// The memory of the build's program-scope variables on this device. It is created on the first call and lives
// as long as the build. NULL: no memory. Any thread; the caller holds no lock.
void *weft_build_variables(struct weft_build *b, struct weft_device *d);
// Runs the initializers of the variables on this device, unless that has been done, and waits for them. The
// caller uses the build (weft_build_use). If an initializer began and failed, each later call returns the
// same error. If it couldn't be started, the next call tries again. Any thread that may wait; the caller
// doesn't hold the build's lock.
cl_int weft_build_initialize(struct weft_build *b, struct weft_context *context, struct weft_device *d);

#endif
