// Every error has a message: pfn_notify and WEFT_LOG=error get the entry point, the name of the code, and
// what is wrong with which argument. Errors of queries are in WEFT_LOG=info alone. Calls that succeed are
// reported to nobody.
#include "api/program_fixture.h"

#include "api/command_buffer/command_buffer_fixture.h"

static char reported[1024];    // the last text of pfn_notify
static _Atomic unsigned times; // the driver's thread calls, too
static cl_context notified;

static void CL_CALLBACK note(const char *info, const void *data, size_t size, void *user)
{
    (void)data;
    (void)size;
    (void)user;
    snprintf(reported, sizeof reported, "%s", info);
    times++;
    // A callback may make calls that fail too.
    CHECK_EQ(clRetainMemObject(NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetUserEventStatus((cl_event)notified, 0), CL_INVALID_EVENT);
}

static cl_context reporting_context(void)
{
    cl_device_id d = the_device();
    cl_int err = 1;
    notified = clCreateContext(NULL, 1, &d, note, NULL, &err);
    OK(err);
    return notified;
}

#define CHECK_REPORTED(call, code, sentence)  \
    do {                                      \
        const unsigned before = times;        \
        CHECK_EQ((call), (code));             \
        CHECK_EQ(times, before + 1);          \
        CHECK_CONTAINS(reported, sentence);   \
        CHECK_CONTAINS(reported, #code " ("); \
    } while (0)
#define TOLD_CREATING(call, code, sentence)   \
    do {                                      \
        cl_int error = 1;                     \
        const unsigned before = times;        \
        CHECK((call) == NULL);                \
        CHECK_EQ(error, (code));              \
        CHECK_EQ(times, before + 1);          \
        CHECK_CONTAINS(reported, sentence);   \
        CHECK_CONTAINS(reported, #code " ("); \
    } while (0)

TEST(each_error_is_reported_once_with_the_argument_and_the_reason)
{
    cl_context c = reporting_context();
    cl_command_queue q = new_queue(c, 0);
    cl_int err = 1;
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_ONLY, 64, NULL, &err);
    OK(err);
    int x = 0;
    TOLD_CREATING(clCreateBuffer(c, 0, 0, NULL, &error), CL_INVALID_BUFFER_SIZE,
                  "clCreateBuffer: CL_INVALID_BUFFER_SIZE (-61): size is 0");
    TOLD_CREATING(clCreateBuffer(c, CL_MEM_USE_HOST_PTR, 4, NULL, &error), CL_INVALID_HOST_PTR,
                  "host_ptr is NULL with");
    TOLD_CREATING(clCreateBuffer(c, 0, 4, &x, &error), CL_INVALID_HOST_PTR, "host_ptr is given without");
    TOLD_CREATING(clCreateBuffer(c, CL_MEM_READ_ONLY | CL_MEM_READ_WRITE, 4, NULL, &error), CL_INVALID_VALUE,
                  "exclude each other");
    cl_buffer_region region = {32, 64};
    TOLD_CREATING(clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error), CL_INVALID_VALUE,
                  "the region (origin 32, size 64) reaches beyond the buffer's 64 bytes");
    region = (cl_buffer_region){1, 2};
    TOLD_CREATING(clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error),
                  CL_MISALIGNED_SUB_BUFFER_OFFSET,
                  "origin is 1, which is no multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN, ");
    const cl_image_format rgb = {CL_RGB, CL_FLOAT}, rgba = {CL_RGBA, CL_FLOAT};
    cl_image_desc wide = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4};
    TOLD_CREATING(clCreateImage(c, 0, NULL, &wide, NULL, &error), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                  "image_format is NULL");
    TOLD_CREATING(clCreateImage(c, 0, &rgb, &wide, NULL, &error), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                  "image_channel_data_type CL_FLOAT doesn't go with image_channel_order CL_RGB");
    const cl_image_format unknown = {CL_RGBA, 0x999};
    TOLD_CREATING(clCreateImage(c, 0, &unknown, &wide, NULL, &error), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                  "image_channel_data_type 0x999 doesn't go with image_channel_order 0x10b5");
    TOLD_CREATING(clCreateImage(c, 0, &rgba, &wide, NULL, &error), CL_INVALID_IMAGE_DESCRIPTOR,
                  "image_height is 0");
    wide.image_height = 1 << 20;
    TOLD_CREATING(clCreateImage(c, 0, &rgba, &wide, NULL, &error), CL_INVALID_IMAGE_SIZE,
                  "image_height is 1048576, and the device's limit is ");
    wide.image_height = wide.num_samples = 2;
    TOLD_CREATING(clCreateImage(c, 0, &rgba, &wide, NULL, &error), CL_INVALID_IMAGE_DESCRIPTOR,
                  "num_samples is 2");
    TOLD_CREATING(clCreateProgramWithSource(c, 0, NULL, NULL, &error), CL_INVALID_VALUE, "count is 0");
    const unsigned char *garbage = (const unsigned char *)"garbage";
    const size_t seven = 7;
    cl_device_id d = the_device();
    TOLD_CREATING(clCreateProgramWithBinary(c, 1, &d, &seven, &garbage, NULL, &error), CL_INVALID_BINARY,
                  "binaries[0]: not a binary of Weft's");
    CHECK_REPORTED(
        clEnqueueReadBuffer(q, m, CL_TRUE, 60, 8, &x, 0, NULL, NULL), CL_INVALID_VALUE,
        "clEnqueueReadBuffer: CL_INVALID_VALUE (-30): ptr is NULL, or offset 60 and size 8 reach beyond the "
        "buffer's 64 bytes");
    CHECK_REPORTED(clEnqueueReadBuffer(q, (cl_mem)q, CL_TRUE, 0, 4, &x, 0, NULL, NULL), CL_INVALID_MEM_OBJECT,
                   "clEnqueueReadBuffer: ");
    CHECK_REPORTED(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &x, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST,
                   "num_events_in_wait_list is 1, but event_wait_list is NULL");
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(arguments_of_kernels_are_named)
{
    cl_context c = reporting_context();
    cl_command_queue q = new_queue(c, 0);
    cl_int err = 1;
    const char *source = "kernel void k(global int *out, local int *room, int n) { out[n] = 1; }";
    cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, &err);
    OK(err);
    TOLD_CREATING(clCreateKernel(p, "k", &error), CL_INVALID_PROGRAM_EXECUTABLE, "isn't built");
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    TOLD_CREATING(clCreateKernel(p, "kk", &error), CL_INVALID_KERNEL_NAME, "no kernel 'kk'");
    cl_kernel k = clCreateKernel(p, "k", &err);
    OK(err);
    const size_t n = 10, seven = 7, zero = 0;
    long wide = 1;
    CHECK_REPORTED(clSetKernelArg(k, 3, 4, &wide), CL_INVALID_ARG_INDEX,
                   "arg_index is 3, and kernel k has 3 arguments");
    CHECK_REPORTED(clSetKernelArg(k, 2, sizeof wide, &wide), CL_INVALID_ARG_SIZE,
                   "argument 'n' of type int doesn't have the 8 bytes of arg_size");
    CHECK_REPORTED(clSetKernelArg(k, 1, 16, &wide), CL_INVALID_ARG_VALUE,
                   "argument 'room' is local memory: arg_value must be NULL");
    OK(clSetKernelArg(k, 0, sizeof(cl_mem), NULL));
    CHECK_REPORTED(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS,
                   "argument 1, 'room', of kernel k isn't set");
    OK(clSetKernelArg(k, 1, 16, NULL));
    OK(clSetKernelArg(k, 2, 4, &wide));
    CHECK_REPORTED(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &seven, 0, NULL, NULL),
                   CL_INVALID_WORK_GROUP_SIZE,
                   "global_work_size[0] is 10, which is no multiple of the work-group's 7");
    CHECK_REPORTED(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &zero, 0, NULL, NULL),
                   CL_INVALID_WORK_GROUP_SIZE, "local_work_size[0] is 0");
    CHECK_REPORTED(clEnqueueNDRangeKernel(q, k, 4, NULL, &n, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION,
                   "work_dim");
    CHECK_REPORTED(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION,
                   "kernels that aren't released");
    OK(clReleaseKernel(k));
    const unsigned before = times;
    CHECK_EQ(clBuildProgram(p, 0, NULL, "-frobnicate", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK_EQ(times, before + 1);
    CHECK_CONTAINS(reported, "unknown build option: '-frobnicate'");
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

// Programs ask in order to find out.
TEST(a_querys_error_is_reported_only_to_the_log)
{
    setenv("WEFT_LOG", "info", 1); // before the first call
    cl_context c = reporting_context();
    const struct harness_capture written = harness_capture(STDERR_FILENO);
    const unsigned before = times;
    char byte;
    const cl_int unknown = clGetContextInfo(c, 1, 1, &byte, NULL),
                 small = clGetContextInfo(c, CL_CONTEXT_DEVICES, 1, &byte, NULL);
    const cl_int none = clRetainKernel((cl_kernel)the_device());
    const int file = harness_uncapture(&written);
    CHECK_EQ(none, CL_INVALID_KERNEL);
    CHECK_EQ(unknown, CL_INVALID_VALUE);
    CHECK_EQ(small, CL_INVALID_VALUE);
    CHECK_EQ(times, before);
    char text[4096] = "";
    CHECK_GT(pread(file, text, sizeof text - 1, 0), 0);
    CHECK_CONTAINS(text, "info: clGetContextInfo: CL_INVALID_VALUE (-30): param_name 0x1 isn't known here");
    CHECK_CONTAINS(
        text,
        "info: clGetContextInfo: CL_INVALID_VALUE (-30): param_value_size is 1, but the answer has 8 bytes");
    CHECK_CONTAINS(text, "error: clRetainKernel: CL_INVALID_KERNEL (-48): the handle is not a kernel");
    OK(clReleaseContext(c));
}

TEST(intermediate_language_that_is_refused_is_reported)
{
    needs_spirv();
    cl_context c = reporting_context();
    cl_int err = 1;
    CHECK(clCreateProgramWithIL(c, "no module of it", 15, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK_CONTAINS(reported, "not SPIR-V that the device takes: ");
    TOLD_CREATING(clCreateProgramWithIL(c, NULL, 0, &error), CL_INVALID_VALUE, "il is NULL");
    typedef cl_program(CL_API_CALL * create)(cl_context, const void *, size_t, cl_int *);
    const create with_il =
        (create)clGetExtensionFunctionAddressForPlatform(the_platform(), "clCreateProgramWithILKHR");
    CHECK(with_il != NULL);
    TOLD_CREATING(with_il(c, NULL, 0, &error), CL_INVALID_VALUE, "clCreateProgramWithILKHR: ");
    OK(clReleaseContext(c));
}

TEST(a_missing_translator_is_reported)
{
    setenv("WEFT_LLVM_SPIRV", "/nowhere/llvm-spirv", 1); // before the first call
    cl_context c = reporting_context();
    TOLD_CREATING(clCreateProgramWithIL(c, NULL, 0, &error), CL_INVALID_OPERATION, "/nowhere/llvm-spirv");
    OK(clReleaseContext(c));
}

// Entry points that call other entry points: an error is reported once, under the name that the application
// called.
TEST(an_entry_point_that_calls_another_is_reported_under_its_own_name)
{
    cl_context c = reporting_context();
    cl_command_queue q = new_queue(c, 0);
    cl_int err = 1;
    cl_mem m = clCreateBuffer(c, 0, 64, NULL, &err);
    OK(err);
    cl_platform_id platform;
    OK(clGetPlatformIDs(1, &platform, NULL));
    find_command_buffer_calls(platform);
    buffer_handle b = clCreateCommandBufferKHR(1, &q, NULL, &err);
    OK(err);
    const int v = 1;
    CHECK_REPORTED(clCommandFillBufferKHR(b, NULL, NULL, m, &v, 4, 0, 128, 0, NULL, NULL, NULL),
                   CL_INVALID_VALUE, "clCommandFillBufferKHR: ");
    CHECK_REPORTED(clCommandCopyBufferKHR(b, NULL, NULL, m, m, 0, 64, 64, 0, NULL, NULL, NULL),
                   CL_INVALID_VALUE, "clCommandCopyBufferKHR: ");
    CHECK_REPORTED(clCommandSVMMemcpyKHR(b, NULL, NULL, NULL, NULL, 8, 0, NULL, NULL, NULL), CL_INVALID_VALUE,
                   "clCommandSVMMemcpyKHR: ");
    OK(clReleaseCommandBufferKHR(b));
    const char *source = "kernel void f(global int *out) { *out = 1; }";
    cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = clCreateKernel(p, "f", &err);
    OK(err);
    const size_t one = 1;
    CHECK_REPORTED(clEnqueueTask(q, k, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS,
                   "clEnqueueTask: CL_INVALID_KERNEL_ARGS (-52): argument 0, 'out'");
    CHECK_REPORTED(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS,
                   "clEnqueueNDRangeKernel: ");
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

// A thread of the driver reports a fault. It isn't inside a call of the application.
TEST(errors_while_a_fault_is_reported_are_not_reported)
{
    cl_context c = reporting_context();
    cl_command_queue q = new_queue(c, 0);
    cl_program p = built_program(c, "kernel void wild(ulong far) { *(global int *)far = 1; }", "");
    cl_kernel k = new_kernel(p, "wild");
    const cl_ulong far = 16;
    const size_t one = 1;
    OK(clSetKernelArg(k, 0, sizeof far, &far));
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    (void)clFinish(q);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    CHECK_EQ(times, 1);
    CHECK_CONTAINS(reported, "wild");
}
