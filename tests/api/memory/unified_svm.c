// cl_khr_unified_svm: the errors of each function, the queries, which kind is suggested, and that kernels and
// commands reach the memory of every kind.
#include "runtime/api/api.h"
#include "api/program_fixture.h"

typedef void *weft_host_ptr;
#define WEFT_SVM_TYPES 4
enum { BUFFER, DEVICE, HOST, SYSTEM };

#define CALLS(X)                   \
    X(clSVMAllocWithPropertiesKHR) \
    X(clSVMFreeWithPropertiesKHR)  \
    X(clGetSVMPointerInfoKHR)      \
    X(clGetSVMSuggestedTypeIndexKHR)
static struct {
#define DECLARE(name) weft_fn_##name name;
    CALLS(DECLARE)
} f;

static cl_context context;
static cl_command_queue queue;
static cl_bitfield types[WEFT_SVM_TYPES];
static cl_properties of_device[3];

static void open_all(void)
{
#define FIND(name)                                                                                       \
    f.name = (weft_fn_##name)(uintptr_t)clGetExtensionFunctionAddressForPlatform(the_platform(), #name); \
    CHECK(f.name != NULL);
    CALLS(FIND)
    context = new_context();
    queue = new_queue(context, 0);
    size_t size = 0;
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, sizeof types, types, &size));
    CHECK_EQ(size, sizeof types);
    of_device[0] = CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR;
    of_device[1] = (cl_properties)(uintptr_t)the_device();
}

static void close_all(void)
{
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
}

static void *made(cl_uint type, size_t size)
{
    cl_int err = 1;
    void *p = f.clSVMAllocWithPropertiesKHR(context, type == DEVICE ? of_device : NULL, type, size, &err);
    OK(err);
    CHECK(p != NULL);
    CHECK_EQ((uintptr_t)p % 128, 0);
    return p;
}

TEST(kinds)
{
    open_all();
    char names[8192];
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_unified_svm "));
    cl_bitfield same[WEFT_SVM_TYPES];
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR, sizeof same, same, NULL));
    CHECK(memcmp(same, types, sizeof same) == 0);
    const cl_bitfield owned = CL_SVM_CAPABILITY_DEVICE_OWNED_KHR | CL_SVM_CAPABILITY_HOST_OWNED_KHR,
                      free = CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR;
    for (int i = 0; i < WEFT_SVM_TYPES; i++) {
        // What a host owns, and what nobody does, belongs to no device; what a device owns does.
        CHECK_EQ(types[i] & owned, i == DEVICE ? CL_SVM_CAPABILITY_DEVICE_OWNED_KHR
                                   : i == HOST ? CL_SVM_CAPABILITY_HOST_OWNED_KHR
                                               : 0);
        CHECK_EQ(types[i] & free, i == DEVICE ? 0 : free);
        CHECK_EQ((types[i] & CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR) != 0, i == SYSTEM);
        CHECK_EQ(types[i] & ~(owned | free | CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR), 0x7fd1);
    }
    size_t atom = 0;
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_SVM_CONCURRENT_ACCESS_ATOM_SIZE_KHR, sizeof atom, &atom,
                       NULL));
    CHECK_EQ(atom, 1);
    close_all();
}

static cl_int ask(const void *p, cl_uint name, size_t size, void *value)
{
    return f.clGetSVMPointerInfoKHR(context, NULL, p, name, size, value, NULL);
}

static void check_pointer(const char *p, char *base, size_t size, cl_uint type,
                          const cl_properties *properties, size_t property_bytes, cl_bitfield access,
                          cl_device_id device)
{
    cl_uint index = 77;
    cl_bitfield can = 77, flags = 77;
    cl_properties reported[8];
    void *at = &index;
    size_t bytes = 77, reported_bytes = 77;
    cl_device_id d = (cl_device_id)(uintptr_t)1;
    OK(ask(p, CL_SVM_INFO_TYPE_INDEX_KHR, sizeof index, &index));
    OK(ask(p, CL_SVM_INFO_CAPABILITIES_KHR, sizeof can, &can));
    OK(ask(p, CL_SVM_INFO_ACCESS_FLAGS_KHR, sizeof flags, &flags));
    OK(ask(p, CL_SVM_INFO_BASE_PTR_KHR, sizeof at, &at));
    OK(ask(p, CL_SVM_INFO_SIZE_KHR, sizeof bytes, &bytes));
    OK(ask(p, CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR, sizeof d, &d));
    OK(f.clGetSVMPointerInfoKHR(context, the_device(), p, CL_SVM_INFO_PROPERTIES_KHR, sizeof reported,
                                reported, &reported_bytes));
    CHECK_EQ(index, type);
    CHECK_EQ(can, type < WEFT_SVM_TYPES ? types[type] : 0);
    CHECK_EQ(flags, access);
    CHECK(at == base);
    CHECK_EQ(bytes, size);
    CHECK(d == device);
    CHECK_EQ(reported_bytes, property_bytes);
    CHECK(!properties || memcmp(reported, properties, property_bytes) == 0);
}

TEST(queries_of_a_pointer)
{
    static const struct query_row rows[] = {
#include "runtime/info/svm.def"
    };
    open_all();
    const cl_properties all[] = {CL_SVM_ALLOC_ALIGNMENT_KHR,
                                 64,
                                 CL_SVM_ALLOC_ACCESS_FLAGS_KHR,
                                 CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR,
                                 of_device[0],
                                 of_device[1],
                                 0},
                        none[] = {0}, no_device[] = {of_device[0], 0, 0};
    for (cl_uint type = 0; type < WEFT_SVM_TYPES; type++) {
        cl_int err = 1;
        char *p = f.clSVMAllocWithPropertiesKHR(context, all, type, 1000, &err);
        OK(err);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            unsigned char room[64];
            size_t size = 0;
            OK(f.clGetSVMPointerInfoKHR(context, NULL, p, rows[i].value, 0, NULL, &size));
            CHECK(size >= rows[i].element && size <= sizeof room);
            OK(ask(p, rows[i].value, size, room));
            CHECK_EQ(ask(p, rows[i].value, size - 1, room), CL_INVALID_VALUE);
        }
        check_pointer(p + 999, p, 1000, type, all, sizeof all, all[3], the_device());
        OK(f.clSVMFreeWithPropertiesKHR(context, NULL, 0, p));
        check_pointer(p, NULL, 0, CL_UINT_MAX, NULL, 0, 0, NULL);
        CHECK_EQ(f.clSVMFreeWithPropertiesKHR(context, none, 0, p), CL_INVALID_VALUE);
    }
    char *p = f.clSVMAllocWithPropertiesKHR(context, none, HOST, 10, NULL),
         *q = f.clSVMAllocWithPropertiesKHR(context, no_device, BUFFER, 10, NULL), *plain = made(SYSTEM, 10),
         *old = clSVMAlloc(context, CL_MEM_READ_WRITE, 100, 0), mine;
    check_pointer(p, p, 10, HOST, none, sizeof none, 0, NULL);
    check_pointer(q, q, 10, BUFFER, no_device, sizeof no_device, 0, NULL);
    check_pointer(plain, plain, 10, SYSTEM, NULL, 0, 0, NULL);
    check_pointer(old + 99, old, 100, BUFFER, NULL, 0, 0, NULL);
    check_pointer(&mine, NULL, 0, CL_UINT_MAX, NULL, 0, 0, NULL);
    check_pointer(NULL, NULL, 0, CL_UINT_MAX, NULL, 0, 0, NULL);
    cl_uint index;
    CHECK_EQ(ask(p, 0xdead, sizeof index, &index), CL_INVALID_VALUE);
    CHECK_EQ(f.clGetSVMPointerInfoKHR(not_an_object(context), NULL, p, CL_SVM_INFO_TYPE_INDEX_KHR, 4, &index,
                                      NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(f.clGetSVMPointerInfoKHR(context, (cl_device_id)not_an_object(context), p,
                                      CL_SVM_INFO_TYPE_INDEX_KHR, 4, &index, NULL),
             CL_INVALID_DEVICE);
    // Each function frees what the others have allocated.
    OK(f.clSVMFreeWithPropertiesKHR(context, NULL, 0, old));
    clSVMFree(context, p);
    void *two[] = {q, plain};
    OK(clEnqueueSVMFree(queue, 2, two, NULL, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    check_pointer(plain, NULL, 0, CL_UINT_MAX, NULL, 0, 0, NULL);
    close_all();
}

TEST(errors)
{
    open_all();
    const cl_properties rows[][8] = {
        {0x1234, 0, 0},
        {CL_SVM_ALLOC_ALIGNMENT_KHR, 3, 0},
        {CL_SVM_ALLOC_ALIGNMENT_KHR, 256, 0},
        {CL_SVM_ALLOC_ACCESS_FLAGS_KHR, 1 << 2, 0},
        {of_device[0], (cl_properties)(uintptr_t)not_an_object(context), 0},
        {CL_SVM_ALLOC_ALIGNMENT_KHR, 1, CL_SVM_ALLOC_ACCESS_FLAGS_KHR, 0, CL_SVM_ALLOC_ALIGNMENT_KHR, 1, 0},
    };
    cl_int err = 1;
    cl_uint index = 77;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CHECK(f.clSVMAllocWithPropertiesKHR(context, rows[i], BUFFER, 64, &err) == NULL);
        CHECK_EQ(err, CL_INVALID_PROPERTY);
        CHECK_EQ(f.clGetSVMSuggestedTypeIndexKHR(context, 0, 0, rows[i], 0, &index), CL_INVALID_PROPERTY);
    }
    CHECK_EQ(index, 77);
    CHECK(f.clSVMAllocWithPropertiesKHR(not_an_object(context), NULL, BUFFER, 64, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(f.clSVMAllocWithPropertiesKHR(context, NULL, WEFT_SVM_TYPES, 64, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(f.clSVMAllocWithPropertiesKHR(context, NULL, DEVICE, 64, &err) == NULL); // whose?
    CHECK_EQ(err, CL_INVALID_PROPERTY);
    CHECK(f.clSVMAllocWithPropertiesKHR(context, NULL, BUFFER, 0, &err) == NULL);
    OK(err);
    CHECK(f.clSVMAllocWithPropertiesKHR(context, NULL, BUFFER, SIZE_MAX, &err) == NULL);
    CHECK_EQ(err, CL_OUT_OF_HOST_MEMORY);
    CHECK(f.clSVMAllocWithPropertiesKHR(context, NULL, BUFFER, SIZE_MAX, NULL) == NULL);
    CHECK_EQ(f.clGetSVMSuggestedTypeIndexKHR(not_an_object(context), 0, 0, NULL, 0, &index),
             CL_INVALID_CONTEXT);
    CHECK_EQ(f.clGetSVMSuggestedTypeIndexKHR(context, 0, 0, NULL, 0, NULL), CL_INVALID_VALUE);
    char *p = made(HOST, 64);
    CHECK_EQ(f.clSVMFreeWithPropertiesKHR(not_an_object(context), NULL, 0, p), CL_INVALID_CONTEXT);
    CHECK_EQ(f.clSVMFreeWithPropertiesKHR(context, of_device, 0, p), CL_INVALID_PROPERTY);
    CHECK_EQ(f.clSVMFreeWithPropertiesKHR(context, NULL, 1, p), CL_INVALID_VALUE);
    CHECK_EQ(f.clSVMFreeWithPropertiesKHR(context, NULL, 0, p + 1), CL_INVALID_VALUE);
    CHECK_EQ(f.clSVMFreeWithPropertiesKHR(context, NULL, 0, &err), CL_INVALID_VALUE);
    OK(f.clSVMFreeWithPropertiesKHR(context, NULL, 0, NULL));
    OK(f.clSVMFreeWithPropertiesKHR(context, NULL, 0, p));
    close_all();
}

static cl_uint suggested(cl_bitfield required, cl_bitfield desired, const cl_properties *properties)
{
    cl_uint index = 77;
    OK(f.clGetSVMSuggestedTypeIndexKHR(context, required, desired, properties, 64, &index));
    return index;
}

TEST(suggestions)
{
    open_all();
    const cl_bitfield device = CL_SVM_CAPABILITY_DEVICE_OWNED_KHR, host = CL_SVM_CAPABILITY_HOST_OWNED_KHR,
                      system = CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR;
    CHECK_EQ(suggested(0, 0, NULL), BUFFER);
    CHECK_EQ(suggested(device, 0, of_device), DEVICE);
    CHECK_EQ(suggested(device, 0, NULL), DEVICE);
    CHECK_EQ(suggested(host, 0, NULL), HOST);
    CHECK_EQ(suggested(system, 0, of_device), SYSTEM);
    CHECK_EQ(suggested(0, host, NULL), HOST);
    CHECK_EQ(suggested(0, device, of_device), DEVICE);
    CHECK_EQ(suggested(device, host, of_device), DEVICE);
    CHECK_EQ(suggested(device | host, 0, NULL), CL_UINT_MAX);
    CHECK_EQ(suggested((cl_bitfield)1 << 40, 0, NULL), CL_UINT_MAX);
    for (int i = 0; i < WEFT_SVM_TYPES; i++)
        CHECK_EQ(suggested(types[i], 0, of_device), i);
    close_all();
}

static const char source[] =
    "struct table { global int *data; };\n"
    "kernel void k(global struct table *p, int n) { p->data[get_global_id(0)] += n; }\n";

TEST(kernels_and_commands_reach_every_kind)
{
    open_all();
    cl_program program = built_program(context, source, "");
    cl_kernel k = new_kernel(program, "k");
    const size_t items = 100, bytes = items * sizeof(cl_int);
    const cl_int n = 5;
    const cl_bool yes = CL_TRUE;
    CHECK_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, 1, &yes), CL_INVALID_VALUE);
    CHECK_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, sizeof yes, NULL),
             CL_INVALID_VALUE);
    for (cl_uint type = 0; type < WEFT_SVM_TYPES; type++) {
        cl_int *data = made(type, bytes), **table = made(HOST, sizeof *table), out[100];
        const void *listed[] = {data, NULL, &n}; // what is no SVM is ignored
        *table = data;
        OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, sizeof yes, &yes));
        OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof listed, listed));
        OK(clSetKernelArgSVMPointer(k, 0, table));
        OK(clSetKernelArg(k, 1, sizeof n, &n));
        OK(clEnqueueSVMMemFill(queue, data, &n, sizeof n, bytes, 0, NULL, NULL));
        OK(clEnqueueSVMMigrateMem(queue, 2, listed, NULL, 0, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
        OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, data, bytes, 0, NULL, NULL));
        CHECK_EQ(data[99], 10);
        OK(clEnqueueSVMUnmap(queue, data, 0, NULL, NULL));
        OK(clEnqueueSVMMemcpy(queue, CL_TRUE, out, data, sizeof out, 0, NULL, NULL));
        for (size_t i = 0; i < items; i++)
            CHECK_EQ(out[i], 10);
        cl_int err = 1;
        cl_bool is_svm = 77;
        cl_mem m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, bytes, data, &err);
        OK(err);
        OK(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof is_svm, &is_svm, NULL));
        CHECK_EQ(is_svm, CL_TRUE);
        OK(clReleaseMemObject(m));
        OK(f.clSVMFreeWithPropertiesKHR(context, NULL, 0, table));
        OK(f.clSVMFreeWithPropertiesKHR(context, NULL, 0, data));
    }
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(program));
    close_all();
}

// Intel's memory is a kind of its own.
TEST(unified_shared_memory_is_another_kind)
{
    open_all();
    weft_fn_clHostMemAllocINTEL alloc =
        (weft_fn_clHostMemAllocINTEL)(uintptr_t)clGetExtensionFunctionAddressForPlatform(
            the_platform(), "clHostMemAllocINTEL");
    weft_fn_clMemFreeINTEL release =
        (weft_fn_clMemFreeINTEL)(uintptr_t)clGetExtensionFunctionAddressForPlatform(the_platform(),
                                                                                    "clMemFreeINTEL");
    void *theirs = alloc(context, NULL, 64, 0, NULL), *ours = made(HOST, 64);
    check_pointer(theirs, NULL, 0, CL_UINT_MAX, NULL, 0, 0, NULL);
    CHECK_EQ(f.clSVMFreeWithPropertiesKHR(context, NULL, 0, theirs), CL_INVALID_VALUE);
    CHECK_EQ(release(context, ours), CL_INVALID_VALUE);
    OK(release(context, theirs));
    OK(f.clSVMFreeWithPropertiesKHR(context, NULL, 0, ours));
    close_all();
}
