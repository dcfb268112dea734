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
TRAP(weft_frame_send)
TRAP(weft_frame_receive)
TRAP(weft_compiler_ask)
TRAP(weft_compiler_spawn)
TRAP(weft_module_load)
TRAP(weft_hash_bytes)
TRAP(weft_cache_load)
TRAP(weft_fault_call)
TRAP(weft_write_all)
TRAP(hwloc_topology_init)
TRAP(hwloc_topology_load)
TRAP(hwloc_bitmap_alloc)
TRAP(run)
TRAP(kernel)
TRAP(memcpy_fast)
TRAP(my_malloc)
TRAP(safe_malloc)
TRAP(malloc_or_die)
TRAP(aligned_malloc)
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
    OK(((TYPE_OF(clGetPlatformInfo))symbol(lib, "clGetPlatformInfo"))(p, CL_PLATFORM_NAME, sizeof name, name,
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
    // A compiler is started and asked, its code is loaded and run.
    const char *source = "kernel void k(global int *p) { *p = 43; }";
    cl_int err = 1;
    cl_program program = d->clCreateProgramWithSource(c, 1, &source, NULL, &err);
    OK(d->clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = d->clCreateKernel(program, "k", &err);
    OK(err);
    size_t one = 1;
    OK(d->clSetKernelArg(k, 0, sizeof m, &m));
    OK(d->clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(d->clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof back, &back, 0, NULL, NULL));
    CHECK_EQ(back, 43);
    OK(d->clReleaseKernel(k));
    OK(d->clReleaseProgram(program));
    OK(d->clFinish(q));
    OK(d->clReleaseMemObject(m));
    OK(d->clReleaseCommandQueue(q));
    OK(d->clReleaseContext(c));
}
