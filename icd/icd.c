// What the ICD loader calls by name: cl_khr_icd's entry points, the only exported symbols, and the look-up of
// functions by name.
#include <string.h>

#include "runtime/api/api.h"
#include "runtime/core/device.h"
#include "runtime/core/platform.h"

#define EXPORT __attribute__((visibility("default")))

// The extension functions, and then all others. An application finds only the former, since a function of the
// core that the loader doesn't know, or one of an extension that isn't supported, must not look as if it were
// there.
struct named {
    const char *name;
    void *function;
    const char *extension; // that some versions of OpenCL don't offer; NULL: all do
};

static const struct named extension_functions[] = {
#define WEFT_EXTENSION_CALL(name) {#name, (void *)weft_##name, NULL},
#define WEFT_CALL_OF(extension, name) {#name, (void *)weft_##name, #extension},
#include "api.def"
    {"clGetPlatformInfo", (void *)weft_clGetPlatformInfo,
     NULL}, // cl_khr_icd: loaders ask for it in this way too
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
            return !table[i].extension || weft_offers_extension(table[i].extension) ? table[i].function
                                                                                    : NULL;
    return NULL;
}

void *weft_clGetExtensionFunctionAddress(const char *name)
{
    return name ? find(extension_functions, WEFT_COUNT_OF(extension_functions), name) : NULL;
}

void *weft_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return weft_platform_of(platform) ? weft_clGetExtensionFunctionAddress(name) : NULL;
}

// Everything that the loader may dispatch. What this driver doesn't know is NULL, and the loader's own stub
// answers.
void *weft_clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *name)
{
    if (!name || !weft_platform_of(platform))
        return NULL;
    void *f = find(table_functions, WEFT_COUNT_OF(table_functions), name);
    return f ? f : find(extension_functions, WEFT_COUNT_OF(extension_functions), name);
}

// The loader's data goes to the platform and to the root device, which exist already; every other object
// copies its parent's when it is made.
cl_int weft_clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *data)
{
    struct weft_platform *p = weft_platform_of(platform);
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

// ---- The exported names. ----

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
