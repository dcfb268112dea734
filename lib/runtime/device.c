// Devices: the root device (static, platform.c) and what is known of it.
#include "runtime.h"

void weft_device_destroy(struct weft_object *o)
{
    (void)o; // only the root device exists, and it is static
}
