// For tests that play the loader, or choose one.
#ifndef WEFT_TESTS_ICD_H
#define WEFT_TESTS_ICD_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>
#include <dlfcn.h>

#include "harness.h"

#define OK(call) CHECK_EQ((call), CL_SUCCESS)
#define TAG ((intptr_t)0x4F50454E434C3331)

typedef cl_int (*get_platforms_fn)(cl_uint, cl_platform_id *, cl_uint *);
typedef void *(*get_function_fn)(cl_platform_id, const char *);
typedef cl_int (*set_data_fn)(cl_platform_id, void *);

// The head of every object (cl_khr_icd 2.0.0).
struct head {
    const cl_icd_dispatch *dispatch;
    void *data;
};

HARNESS_UNUSED static void *open_driver(void)
{
    const char *path = getenv("WEFT_TEST_LIBRARY");
    if (!path)
        SKIP("WEFT_TEST_LIBRARY names no driver");
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        FAIL("%s", dlerror());
    return lib;
}

HARNESS_UNUSED static void *symbol(void *lib, const char *name)
{
    void *p = dlsym(lib, name);
    if (!p)
        FAIL("%s is missing", name);
    return p;
}

// The type of an entry point of the core. cl_icd.h has other names for these types in other versions.
#define TYPE_OF(name) __typeof__(((struct _cl_icd_dispatch *)0)->name)
#define SYMBOL(lib, type, name) ((type)symbol(lib, name))

#endif
