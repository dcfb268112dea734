// The platform: the one object that exists without being created. OpenCL 2.2 §4.1.
#ifndef WEFT_RUNTIME_PLATFORM_H
#define WEFT_RUNTIME_PLATFORM_H

#include "runtime/core/object.h"

struct weft_platform {
    struct weft_object obj;
    struct weft_device *device; // the only root device
};

// Never NULL; it exists from load to unload. Doesn't read the topology.
struct weft_platform *weft_platform_get(void);
// The platform, if this is its handle; otherwise NULL. Any thread.
struct weft_platform *weft_platform_if(cl_platform_id handle);

// What programs are told: the settings WEFT_PLATFORM_NAME and WEFT_PLATFORM_VENDOR, or else what Weft is.
const char *weft_platform_name(void);
const char *weft_platform_vendor(void);

cl_ulong weft_timer_resolution(void); // nanoseconds; of CLOCK_MONOTONIC

void weft_platform_destroy(struct weft_object *o); // for kinds.c

#endif
