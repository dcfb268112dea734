// A driver whose device isn't there, as one for a GPU on a machine without it: a platform without devices.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <string.h>

static cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info name, size_t size,
                                        void *value, size_t *needed)
{
    const char *text = name == CL_PLATFORM_EXTENSIONS       ? "cl_khr_icd"
                       : name == CL_PLATFORM_VERSION        ? "OpenCL 1.2"
                       : name == CL_PLATFORM_PROFILE        ? "FULL_PROFILE"
                       : name == CL_PLATFORM_ICD_SUFFIX_KHR ? "NONE"
                                                            : "no device";
    (void)platform;
    if (needed)
        *needed = strlen(text) + 1;
    if (value && size <= strlen(text))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, text, strlen(text) + 1);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint size,
                                     cl_device_id *devices, cl_uint *count)
{
    (void)platform, (void)type, (void)size, (void)devices;
    if (count)
        *count = 0;
    return CL_DEVICE_NOT_FOUND;
}

static cl_icd_dispatch dispatch = {.clGetPlatformInfo = platform_info, .clGetDeviceIDs = device_ids};
static struct _cl_platform_id {
    cl_icd_dispatch *dispatch;
} only = {&dispatch};

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint size, cl_platform_id *platforms,
                                                       cl_uint *count)
{
    if (count)
        *count = 1;
    if (size && platforms)
        platforms[0] = &only;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t size,
                                                  void *value, size_t *needed)
{
    return platform_info(platform, name, size, value, needed);
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)clIcdGetPlatformIDsKHR
           : strcmp(name, "clGetPlatformInfo") == 0    ? (void *)clGetPlatformInfo
                                                       : NULL;
}
