// The driver of this installation, without a loader: libweft.so is opened by its path, and its platform's
// table has all functions (cl_khr_icd, "The ICD loader's view of a platform").
#include <dlfcn.h>
#include <string.h>

#include "base/base.h"
#include "tools/tool.h"

typedef cl_int(CL_API_CALL *get_platforms)(cl_uint, cl_platform_id *, cl_uint *);
typedef void *(CL_API_CALL *get_function)(const char *);

static const char *load(struct weft_driver *d)
{
    const struct weft_installation *i = weft_installation_find();
    if (!i->library)
        return "libweft.so isn't where it should be: " WEFT_TOOL_LIBDIR "/ beside the folder of this program";
    void *library = dlopen(i->library, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return dlerror();
    get_function find;
    get_platforms platforms = NULL;
    *(void **)&find = dlsym(library, "clGetExtensionFunctionAddress");
    if (find)
        *(void **)&platforms = find("clIcdGetPlatformIDsKHR");
    if (!platforms || platforms(1, &d->platform, NULL) != CL_SUCCESS)
        return "the library offers no platform";
    // The first word of every object of a driver is the driver's table of functions.
    memcpy(&d->call, d->platform, sizeof d->call);
    if (d->call->clGetDeviceIDs(d->platform, CL_DEVICE_TYPE_ALL, 1, &d->device, NULL) != CL_SUCCESS)
        return "the platform has no device";
    return NULL;
}

const struct weft_driver *weft_driver_open(const char **why)
{
    static struct weft_driver driver;
    static const char *wrong = "";
    if (wrong && !*wrong)
        wrong = load(&driver);
    *why = wrong;
    return wrong ? NULL : &driver;
}

char *weft_driver_text(const struct weft_driver *d, cl_device_info what)
{
    size_t size = 0;
    if (d->call->clGetDeviceInfo(d->device, what, 0, NULL, &size) != CL_SUCCESS)
        return NULL;
    char *text = weft_zalloc(size + 1);
    if (text && d->call->clGetDeviceInfo(d->device, what, size, text, NULL) != CL_SUCCESS) {
        weft_free(text);
        return NULL;
    }
    return text;
}

unsigned long long weft_driver_number(const struct weft_driver *d, cl_device_info what)
{
    unsigned char bytes[sizeof(cl_ulong)] = {0}; // little-endian, as all hosts of Weft are
    size_t size = 0;
    if (d->call->clGetDeviceInfo(d->device, what, sizeof bytes, bytes, &size) != CL_SUCCESS)
        return 0;
    cl_ulong number = 0;
    memcpy(&number, bytes, size);
    return number;
}
