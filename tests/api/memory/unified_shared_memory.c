// cl_intel_unified_shared_memory and cl_ext_buffer_device_address: the errors of each function, the queries,
// and that kernels and commands reach the memory.
#include "runtime/api/api.h"
#include "api/program_fixture.h"

typedef void *weft_host_ptr;

#define CALLS(X)                     \
    X(clHostMemAllocINTEL)           \
    X(clDeviceMemAllocINTEL)         \
    X(clSharedMemAllocINTEL)         \
    X(clMemFreeINTEL)                \
    X(clMemBlockingFreeINTEL)        \
    X(clGetMemAllocInfoINTEL)        \
    X(clSetKernelArgMemPointerINTEL) \
    X(clEnqueueMemFillINTEL)         \
    X(clEnqueueMemsetINTEL)          \
    X(clEnqueueMemcpyINTEL)          \
    X(clEnqueueMigrateMemINTEL)      \
    X(clEnqueueMemAdviseINTEL)       \
    X(clSetKernelArgDevicePointerEXT)
static struct {
#define DECLARE(name) weft_fn_##name name;
    CALLS(DECLARE)
} usm;

static cl_context context;
static cl_command_queue queue;

static void open_all(void)
{
#define FIND(name)                                                                                         \
    usm.name = (weft_fn_##name)(uintptr_t)clGetExtensionFunctionAddressForPlatform(the_platform(), #name); \
    CHECK(usm.name != NULL);
    CALLS(FIND)
    context = new_context();
    queue = new_queue(context, 0);
}

static void close_all(void)
{
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
}

static void *made(int kind, size_t size)
{
    cl_int err = 1;
    void *p = kind == 0   ? usm.clHostMemAllocINTEL(context, NULL, size, 0, &err)
              : kind == 1 ? usm.clDeviceMemAllocINTEL(context, the_device(), NULL, size, 64, &err)
                          : usm.clSharedMemAllocINTEL(context, the_device(), NULL, size, 128, &err);
    OK(err);
    CHECK(p != NULL);
    CHECK_EQ((uintptr_t)p % 128, 0);
    return p;
}

TEST(capabilities)
{
    static const cl_device_info names[] = {
        CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        cl_bitfield c = 0;
        OK(clGetDeviceInfo(the_device(), names[i], sizeof c, &c, NULL));
        CHECK_EQ(c, 15);
    }
}

TEST(queries_of_a_pointer)
{
    static const cl_uint types[] = {CL_MEM_TYPE_HOST_INTEL, CL_MEM_TYPE_DEVICE_INTEL,
                                    CL_MEM_TYPE_SHARED_INTEL};
    static const struct query_row rows[] = {
#include "runtime/info/usm.def"
    };
    open_all();
    for (int kind = 0; kind < 3; kind++) {
        char *p = made(kind, 1000);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            unsigned char room[16];
            size_t size = 0;
            OK(usm.clGetMemAllocInfoINTEL(context, p + 999, rows[i].value, sizeof room, room, &size));
            CHECK_EQ(size, rows[i].element);
            CHECK_EQ(usm.clGetMemAllocInfoINTEL(context, p, rows[i].value, size - 1, room, NULL),
                     CL_INVALID_VALUE);
        }
        cl_uint type = 0;
        void *base = NULL;
        size_t size = 0;
        cl_device_id d = (cl_device_id)(uintptr_t)1;
        OK(usm.clGetMemAllocInfoINTEL(context, p + 999, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
        OK(usm.clGetMemAllocInfoINTEL(context, p + 999, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof base, &base,
                                      NULL));
        OK(usm.clGetMemAllocInfoINTEL(context, p + 999, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL));
        OK(usm.clGetMemAllocInfoINTEL(context, p + 999, CL_MEM_ALLOC_DEVICE_INTEL, sizeof d, &d, NULL));
        CHECK_EQ(type, types[kind]);
        CHECK(base == p);
        CHECK_EQ(size, 1000);
        CHECK(d == (kind ? the_device() : NULL));
        OK(usm.clMemFreeINTEL(context, p));
        OK(usm.clGetMemAllocInfoINTEL(context, p, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
        CHECK_EQ(type, CL_MEM_TYPE_UNKNOWN_INTEL);
        CHECK_EQ(usm.clMemFreeINTEL(context, p), CL_INVALID_VALUE);
    }
    int local;
    cl_uint type = 0;
    OK(usm.clGetMemAllocInfoINTEL(context, &local, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    CHECK_EQ(type, CL_MEM_TYPE_UNKNOWN_INTEL);
    CHECK_EQ(usm.clGetMemAllocInfoINTEL(context, &local, 0xdead, sizeof type, &type, NULL), CL_INVALID_VALUE);
    CHECK_EQ(
        usm.clGetMemAllocInfoINTEL(not_an_object(context), &local, CL_MEM_ALLOC_TYPE_INTEL, 4, &type, NULL),
        CL_INVALID_CONTEXT);
    close_all();
}

TEST(shared_virtual_memory_is_another_kind)
{
    open_all();
    cl_uint type = 0;
    void *svm = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0), *p = made(2, 64);
    OK(usm.clGetMemAllocInfoINTEL(context, svm, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    CHECK_EQ(type, CL_MEM_TYPE_UNKNOWN_INTEL);
    CHECK_EQ(usm.clMemFreeINTEL(context, svm), CL_INVALID_VALUE);
    clSVMFree(context, p); // nothing happens
    OK(usm.clMemFreeINTEL(context, p));
    clSVMFree(context, svm);
    close_all();
}

TEST(allocation_errors)
{
    open_all();
    const cl_properties flags[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0},
                        unknown[] = {0x1234, 0, 0}, bad[] = {CL_MEM_ALLOC_FLAGS_INTEL, 64, 0},
                        both[] = {CL_MEM_ALLOC_FLAGS_INTEL, 6, 0},
                        twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 1, CL_MEM_ALLOC_FLAGS_INTEL, 1, 0};
    const cl_properties *refused[] = {unknown, bad, both, twice};
    cl_int err = 1;
    cl_bitfield got = 0;
    void *p = usm.clHostMemAllocINTEL(context, flags, 64, 0, &err);
    OK(err);
    OK(usm.clGetMemAllocInfoINTEL(context, p, CL_MEM_ALLOC_FLAGS_INTEL, sizeof got, &got, NULL));
    CHECK_EQ(got, CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
    OK(usm.clMemFreeINTEL(context, p));
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        CHECK(usm.clSharedMemAllocINTEL(context, NULL, refused[i], 64, 0, &err) == NULL);
        CHECK_EQ(err, CL_INVALID_PROPERTY);
    }
    CHECK(usm.clHostMemAllocINTEL(not_an_object(context), NULL, 64, 0, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(usm.clDeviceMemAllocINTEL(context, NULL, NULL, 64, 0, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_DEVICE);
    CHECK(usm.clSharedMemAllocINTEL(context, (cl_device_id)not_an_object(context), NULL, 64, 0, &err) ==
          NULL);
    CHECK_EQ(err, CL_INVALID_DEVICE);
    CHECK(usm.clHostMemAllocINTEL(context, NULL, 64, 3, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(usm.clHostMemAllocINTEL(context, NULL, 64, 256, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(usm.clHostMemAllocINTEL(context, NULL, 0, 0, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_BUFFER_SIZE);
    CHECK(usm.clHostMemAllocINTEL(context, NULL, SIZE_MAX, 0, NULL) == NULL);
    OK(usm.clMemFreeINTEL(context, NULL));
    OK(usm.clMemBlockingFreeINTEL(context, NULL));
    CHECK_EQ(usm.clMemFreeINTEL(not_an_object(context), NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(usm.clMemBlockingFreeINTEL(not_an_object(context), NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(usm.clMemBlockingFreeINTEL(context, &err), CL_INVALID_VALUE);
    p = made(0, 64);
    CHECK_EQ(usm.clMemBlockingFreeINTEL(context, (char *)p + 1), CL_INVALID_VALUE);
    OK(usm.clMemBlockingFreeINTEL(context, p));
    close_all();
}

static const char source[] =
    "struct table { global int *data; };\n"
    "kernel void k(global struct table *p, int n) { p->data[get_global_id(0)] += n; }\n";

TEST(kernels_and_commands_reach_the_memory)
{
    open_all();
    cl_program program = built_program(context, source, "");
    cl_kernel k = new_kernel(program, "k");
    const size_t items = 100;
    const cl_int n = 5;
    const cl_bool yes = CL_TRUE;
    for (int kind = 0; kind < 3; kind++) {
        cl_int *data = made(kind, items * sizeof *data), **table = made(2, sizeof *table), out[100];
        *table = data;
        cl_event e[3];
        OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes));
        OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes, &yes));
        OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof yes, &yes));
        OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof data, &data));
        OK(usm.clSetKernelArgMemPointerINTEL(k, 0, table));
        OK(clSetKernelArg(k, 1, sizeof n, &n));
        OK(usm.clEnqueueMemFillINTEL(queue, data, &n, sizeof n, items * sizeof n, 0, NULL, &e[0]));
        OK(usm.clEnqueueMigrateMemINTEL(queue, data, items, 0, 0, NULL, &e[1]));
        OK(usm.clEnqueueMemAdviseINTEL(queue, data, items, 0, 0, NULL, &e[2]));
        OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
        OK(usm.clEnqueueMemsetINTEL(queue, data, 0x101, 4, 0, NULL, NULL));
        OK(usm.clEnqueueMemcpyINTEL(queue, CL_TRUE, out, data, sizeof out, 0, NULL, NULL));
        CHECK_EQ(out[0], 0x01010101);
        for (size_t i = 1; i < items; i++)
            CHECK_EQ(out[i], 10);
        const cl_command_type types[] = {CL_COMMAND_MEMFILL_INTEL, CL_COMMAND_MIGRATEMEM_INTEL,
                                         CL_COMMAND_MEMADVISE_INTEL};
        for (int i = 0; i < 3; i++) {
            cl_command_type type = 0;
            OK(clGetEventInfo(e[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
            CHECK_EQ(type, types[i]);
            OK(clReleaseEvent(e[i]));
        }
        OK(usm.clMemFreeINTEL(context, table));
        OK(usm.clMemBlockingFreeINTEL(context, data));
    }
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(program));
    close_all();
}

TEST(a_blocking_free_waits_for_every_queue)
{
    open_all();
    cl_command_queue other = new_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_program program = built_program(context,
                                       "kernel void k(global int *p) { for (int i = 0; i < 200000; i++)"
                                       " atomic_inc(&p[i & 63]); }",
                                       "");
    cl_kernel k = new_kernel(program, "k");
    const size_t one = 1;
    int *p = made(2, 64 * sizeof *p);
    memset(p, 0, 64 * sizeof *p);
    OK(usm.clSetKernelArgMemPointerINTEL(k, 0, p));
    cl_event e[2];
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, NULL, 0, NULL, &e[0]));
    OK(clEnqueueNDRangeKernel(other, k, 1, NULL, &one, NULL, 0, NULL, &e[1]));
    OK(usm.clMemBlockingFreeINTEL(context, p));
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(status_of(e[i]), CL_COMPLETE);
        OK(clReleaseEvent(e[i]));
    }
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(other));
    close_all();
}

TEST(command_errors)
{
    open_all();
    char *p = made(2, 64);
    const int n = 0;
    CHECK_EQ(usm.clEnqueueMemFillINTEL(NULL, p, &n, 4, 64, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(usm.clEnqueueMemFillINTEL(queue, NULL, &n, 4, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(usm.clEnqueueMemFillINTEL(queue, p, NULL, 4, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(usm.clEnqueueMemFillINTEL(queue, p, &n, 3, 63, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(usm.clEnqueueMemFillINTEL(queue, p, &n, 4, 62, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(usm.clEnqueueMemFillINTEL(queue, p + 1, &n, 4, 60, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(usm.clEnqueueMemFillINTEL(queue, p, &n, 4, 64, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(usm.clEnqueueMemsetINTEL(queue, NULL, 0, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(usm.clEnqueueMemcpyINTEL(NULL, CL_TRUE, p, p + 32, 32, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(usm.clEnqueueMemcpyINTEL(queue, CL_TRUE, NULL, p, 32, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(usm.clEnqueueMemcpyINTEL(queue, CL_TRUE, p, NULL, 32, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(usm.clEnqueueMemcpyINTEL(queue, CL_TRUE, p, p + 31, 32, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(usm.clEnqueueMigrateMemINTEL(queue, NULL, 64, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(usm.clEnqueueMigrateMemINTEL(queue, p, 64, 0x100, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(usm.clEnqueueMemAdviseINTEL(queue, NULL, 64, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(usm.clEnqueueMemAdviseINTEL(queue, p, 64, 7, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(usm.clMemFreeINTEL(context, p));
    close_all();
}

// ---- cl_ext_buffer_device_address ----

TEST(addresses_of_buffers)
{
    open_all();
    const cl_mem_properties p[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0},
                            no[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_FALSE, 0},
                            bad[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 2, 0};
    cl_int err = 1, value[4] = {1, 2, 3, 4};
    cl_ulong address = 0;
    size_t size = 0;
    cl_mem m = clCreateBufferWithProperties(context, p, CL_MEM_USE_HOST_PTR, sizeof value, value, &err),
           without = clCreateBufferWithProperties(context, no, 0, 64, NULL, &err);
    OK(err);
    CHECK(clCreateBufferWithProperties(context, bad, 0, 64, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_PROPERTY);
    OK(clGetMemObjectInfo(m, CL_MEM_DEVICE_ADDRESS_EXT, sizeof address, &address, &size));
    CHECK_EQ(size, sizeof address);
    CHECK_EQ(address, (uintptr_t)value);
    CHECK_EQ(clGetMemObjectInfo(m, CL_MEM_DEVICE_ADDRESS_EXT, 4, &address, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetMemObjectInfo(without, CL_MEM_DEVICE_ADDRESS_EXT, sizeof address, &address, NULL),
             CL_INVALID_OPERATION);
    cl_program program = built_program(context, SIMPLE_SOURCE, "");
    cl_kernel k = new_kernel(program, "k");
    const size_t one = 1;
    const cl_int n = 77;
    CHECK_EQ(usm.clSetKernelArgDevicePointerEXT(NULL, 0, address), CL_INVALID_KERNEL);
    CHECK_EQ(usm.clSetKernelArgDevicePointerEXT(k, 1, address), CL_INVALID_ARG_INDEX);
    CHECK_EQ(usm.clSetKernelArgDevicePointerEXT(k, 2, address), CL_INVALID_ARG_INDEX);
    OK(usm.clSetKernelArgDevicePointerEXT(k, 0, address + 8));
    OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof address, &address));
    OK(clSetKernelArg(k, 1, sizeof n, &n));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK_EQ(value[2], 77);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(without));
    close_all();
}
