// The platform and the root device. Both are static objects that live from load to unload, so enumerating
// them costs nothing and can't fail. Their last references are never given back. OpenCL 2.2 §4.1, §4.2.
#include "runtime/device/platform.h"

#include <time.h>

#include "runtime/device/device.h"
#include "runtime/core/object.h"

static struct weft_device root_device;

_Alignas(64) static struct weft_platform platform = {
    .obj = {.dispatch = &weft_dispatch,
            .life = WEFT_OBJECT_LIFE(WEFT_OBJECT_MAGIC(WEFT_KIND_PLATFORM), 1),
            .handles = 1,
            .kind = WEFT_KIND_PLATFORM},
    .device = &root_device,
};

_Alignas(64) static struct weft_device root_device = {
    .obj = {.dispatch = &weft_dispatch,
            .life = WEFT_OBJECT_LIFE(WEFT_OBJECT_MAGIC(WEFT_KIND_DEVICE), 1),
            .handles = 1,
            .kind = WEFT_KIND_DEVICE},
    .platform = &platform,
};

__attribute__((constructor)) static void know_handles(void)
{
    weft_object_range_add(&platform, sizeof platform);
    weft_object_range_add(&root_device, sizeof root_device);
}

struct weft_platform *weft_platform_get(void)
{
    return &platform;
}

struct weft_platform *weft_platform_if(cl_platform_id handle)
{
    return (const void *)handle == &platform ? &platform : NULL;
}

void weft_platform_destroy(struct weft_object *o)
{
    (void)o; // static: its last reference is never given back
}

const char *weft_platform_name(void)
{
    const char *given = weft_config_str(WEFT_CFG_PLATFORM_NAME);
    return given ? given : "Weft";
}

const char *weft_platform_vendor(void)
{
    const char *given = weft_config_str(WEFT_CFG_PLATFORM_VENDOR);
    return given ? given : "The Weft project";
}

cl_ulong weft_timer_resolution(void)
{
    struct timespec t;
    if (clock_getres(CLOCK_MONOTONIC, &t) != 0)
        return 1;
    uint64_t ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    return ns ? ns : 1;
}
