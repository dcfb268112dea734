// What tests of semaphores share: the functions, a context, and semaphores in it.
#ifndef WEFT_TESTS_SEMAPHORE_FIXTURE_H
#define WEFT_TESTS_SEMAPHORE_FIXTURE_H

#include "runtime/api/api.h"
#include "api/api.h"

typedef struct _cl_semaphore_khr *semaphore;

#define CALLS(X)                          \
    X(clCreateSemaphoreWithPropertiesKHR) \
    X(clRetainSemaphoreKHR)               \
    X(clReleaseSemaphoreKHR)              \
    X(clGetSemaphoreInfoKHR)              \
    X(clGetSemaphoreHandleForTypeKHR)     \
    X(clEnqueueWaitSemaphoresKHR)         \
    X(clEnqueueSignalSemaphoresKHR)
static struct {
#define DECLARE(name) weft_fn_##name name;
    CALLS(DECLARE)
} f;

static cl_context context;
HARNESS_UNUSED static const cl_properties binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};

HARNESS_UNUSED static void open_all(void)
{
#define FIND(name)                                                                                       \
    f.name = (weft_fn_##name)(uintptr_t)clGetExtensionFunctionAddressForPlatform(the_platform(), #name); \
    CHECK(f.name != NULL);
    CALLS(FIND)
    context = new_context();
}

HARNESS_UNUSED static semaphore new_semaphore(void)
{
    cl_int err = 1;
    semaphore s = f.clCreateSemaphoreWithPropertiesKHR(context, binary, &err);
    OK(err);
    return s;
}

HARNESS_UNUSED static cl_ulong payload_of(semaphore s)
{
    cl_ulong p = 77;
    OK(f.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PAYLOAD_KHR, sizeof p, &p, NULL));
    return p;
}

#endif
