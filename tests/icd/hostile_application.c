// An application that defines names which the driver uses inside, and helpers as C libraries name them: all
// exported, none may be called by the driver.
#include "icd/icd.h"

#define TRAP(name)                                                                         \
    void trap_##name(void) __asm__(#name);                                                 \
    void trap_##name(void)                                                                 \
    {                                                                                      \
        harness_fail(__FILE__, __LINE__, "the driver called the application's %s", #name); \
    }

TRAP(weft_alloc)
TRAP(weft_zalloc)
TRAP(weft_free)
TRAP(weft_object_create)
TRAP(weft_platform_get)
TRAP(weft_command_submit)
TRAP(weft_sched_submit)
TRAP(weft_sched_wait)
TRAP(weft_topology_get)
TRAP(weft_clGetPlatformIDs)
TRAP(weft_clCreateContext)
TRAP(weft_dispatch)
TRAP(weft_context_destroy)
TRAP(weft_log_write)
TRAP(weft_info_write)
TRAP(llvm_init)
TRAP(LLVMContextCreate)
TRAP(LLVMInitializeX86Target)
TRAP(xmalloc)
TRAP(xcalloc)
TRAP(xfree)
TRAP(emalloc)
TRAP(mem_alloc)
TRAP(hash_bytes)
TRAP(put_free)
TRAP(give_batch)
TRAP(dispatch)
TRAP(clCreateContext)
TRAP(clGetDeviceIDs)
TRAP(clGetPlatformIDs)
TRAP(clGetPlatformInfo)
TRAP(clGetExtensionFunctionAddress)
TRAP(clIcdGetPlatformIDsKHR)

TEST(nothing_binds_to_the_application)
{

    void *lib = open_driver();
    cl_platform_id p = NULL;
    cl_device_id device = NULL;
    OK(SYMBOL(lib, get_platforms_fn, "clIcdGetPlatformIDsKHR")(1, &p, NULL));
    const cl_icd_dispatch *d = ((struct head *)(void *)p)->dispatch;
    char name[64];
    OK(((cl_api_clGetPlatformInfo)symbol(lib, "clGetPlatformInfo"))(p, CL_PLATFORM_NAME, sizeof name, name,
                                                                    NULL));
    CHECK_STR(name, "Weft");
    OK(d->clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context c = d->clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue q = d->clCreateCommandQueue(c, device, 0, NULL);
    int value = 42, back = 0;
    cl_mem m = d->clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizeof value, &value, NULL);
    OK(d->clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof back, &back, 0, NULL, NULL));
    CHECK_EQ(back, 42);
    OK(d->clEnqueueMarkerWithWaitList(q, 0, NULL, NULL));
    OK(d->clFinish(q));
    OK(d->clReleaseMemObject(m));
    OK(d->clReleaseCommandQueue(q));
    OK(d->clReleaseContext(c));
}
