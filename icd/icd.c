// What the ICD loader calls by name: the entry points of cl_khr_icd, which are the only exported symbols, and
// the look-up of functions by name.
#include <string.h>

#include "runtime/api/api.h"
#include "runtime/device/device.h"
#include "runtime/device/platform.h"
#include "traced.h"

#define EXPORT __attribute__((visibility("default")))

// The functions of extensions are separate from all others, because applications can look up only those. A
// core function that the loader doesn't know, or a function of an extension that isn't supported, must not be
// found.
struct named {
    const char *name;
    void *function;
    // some OpenCL versions don't offer this extension; NULL: all versions have the function
    const char *extension;
};

static const struct named extension_functions[] = {
#define WEFT_EXTENSION_CALL(name) {#name, (void *)weft_##name, NULL},
#define WEFT_CALL_OF(extension, name) {#name, (void *)weft_##name, #extension},
#include "api.def"
    {"clGetPlatformInfo", (void *)weft_clGetPlatformInfo,
     NULL}, // loaders look it up like this, too (cl_khr_icd)
};

static const struct named table_functions[] = {
#define WEFT_SLOT(name) {#name, (void *)weft_##name, NULL},
#define WEFT_TAG(name) {#name, (void *)weft_##name, NULL},
#define WEFT_LATE_SLOT(name, fn) {#name, (void *)weft_##fn, NULL},
#include "api.def"
};

static void *find(const struct named *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return !table[i].extension || weft_offers_extension(table[i].extension)
                       ? weft_traced_of(table[i].function)
                       : NULL;
    return NULL;
}

void *weft_clGetExtensionFunctionAddress(const char *name)
{
    return name ? find(extension_functions, WEFT_COUNT_OF(extension_functions), name) : NULL;
}

void *weft_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return weft_platform_if(platform) ? weft_clGetExtensionFunctionAddress(name) : NULL;
}

// Finds every function that the loader may dispatch. NULL: this driver doesn't have it, and the loader's own
// stub answers.
void *weft_clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *name)
{
    if (!name || !weft_platform_if(platform))
        return NULL;
    void *f = find(table_functions, WEFT_COUNT_OF(table_functions), name);
    return f ? f : find(extension_functions, WEFT_COUNT_OF(extension_functions), name);
}

// Stores the loader's data in the platform and the root device, which exist already. Every other object
// copies its parent's data when it is created.
cl_int weft_clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *data)
{
    struct weft_platform *p = weft_platform_if(platform);
    if (!p)
        return CL_INVALID_PLATFORM;
    p->obj.loader_data = data;
    p->device->obj.loader_data = data;
    return CL_SUCCESS;
}

cl_int weft_clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return weft_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

// ---- Exported functions ----

EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return weft_clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms);
}

EXPORT cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                                void *param_value, size_t *param_value_size_ret)
{
    return weft_clGetPlatformInfo(platform, param_name, param_value_size, param_value, param_value_size_ret);
}

EXPORT void *clGetExtensionFunctionAddress(const char *name)
{
    return weft_clGetExtensionFunctionAddress(name);
}

EXPORT void *clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *name)
{
    return weft_clIcdGetFunctionAddressForPlatformKHR(platform, name);
}

EXPORT cl_int clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *data)
{
    return weft_clIcdSetPlatformDispatchDataKHR(platform, data);
}
