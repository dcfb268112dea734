// The platform: the one object that is there without being created.
#ifndef WEFT_RUNTIME_PLATFORM_H
#define WEFT_RUNTIME_PLATFORM_H

#include "runtime/core/object.h"

struct weft_platform {
    struct weft_object obj;
    struct weft_device *device; // the one root device
};

struct weft_platform *weft_platform_get(void); // never NULL, created at load; no topology is read for it

cl_ulong weft_timer_resolution(void); // ns, of CLOCK_MONOTONIC

void weft_platform_destroy(struct weft_object *o); // for kinds.c

#endif
