// Runs each kernel of a file: run_kernels FILE [OPTIONS [HOW]]. HOW is `die`: it ends by a signal then;
// `keep`: it releases nothing; `hurry`: it waits for no read; `finish`, `wait`, `ask` or `call`: it waits at
// the end, in these ways.
//
// There are 64 work-items in groups of 16. A global or constant argument is a buffer of 64 elements with the
// numbers 0 to 63, or with nothing in it if the name is fresh; a local one has 16 elements, a scalar is 64, 5
// or 0 if its name is n, five or zero. Afterwards the host reads all buffers.
//
// An image has rows of 64 texels in one dimension and of 8 in two and three; 8 rows, 4 slices or layers; and
// 3 levels if its name is levels. A sampler has the addressing mode of its name: none or clamp, by texels, or
// normalized_none.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, GROUP = 16 };

static void must(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, error);
    exit(1);
}

// A file of text, closed by a NUL, or a SPIR-V module.
static const char *read_program(const char *path, size_t *size)
{
    FILE *f = fopen(path, "re");
    if (!f) {
        perror(path);
        exit(1);
    }
    static char text[1 << 20];
    *size = fread(text, 1, sizeof text - 1, f);
    text[*size] = '\0';
    fclose(f);
    return text;
}

// Bytes of an element, by the name of its type.
static size_t size_of(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"uchar", 1},        {"char", 1},       {"ushort", 2},       {"short", 2},
                 {"half", 2},         {"int4", 16},      {"uint4", 16},       {"float4", 16},
                 {"float3", 16},      {"float2", 8},     {"atomic_int", 4},   {"uint", 4},
                 {"int", 4},          {"float", 4},      {"struct pair", 16}, {"struct both", 8},
                 {"struct cell", 12}, {"struct pt", 48}, {"long", 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncmp(type, types[i].name, strlen(types[i].name)) == 0)
            return types[i].size;
    fprintf(stderr, "what is %s?\n", type);
    exit(1);
}

static void fill(void *bytes, const char *type)
{
    const size_t size = size_of(type);
    memset(bytes, 0, ITEMS * size);
    for (int i = 0; i < ITEMS; i++) {
        unsigned char *at = (unsigned char *)bytes + (size_t)i * size;
        const float number = (float)i;
        if (strncmp(type, "float", 5) == 0)
            memcpy(at, &number, sizeof number);
        else
            *at = (unsigned char)i;
    }
}

static void set_sampler(cl_context c, cl_kernel k, cl_uint i, const char *name)
{
    cl_int error;
    const char *mode = strstr(name, "none") ? "none" : name;
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                mode != name,
                                                CL_SAMPLER_ADDRESSING_MODE,
                                                strcmp(mode, "none") == 0 ? CL_ADDRESS_NONE
                                                                          : CL_ADDRESS_CLAMP,
                                                CL_SAMPLER_FILTER_MODE,
                                                CL_FILTER_NEAREST,
                                                0};
    cl_sampler s = clCreateSamplerWithProperties(c, properties, &error);
    must(error, "a sampler");
    must(clSetKernelArg(k, i, sizeof s, &s), "a sampler argument");
    clReleaseSampler(s); // the kernel holds it
}

static cl_mem set_image(cl_context c, cl_kernel k, cl_uint i, const char *type, const char *name)
{
    cl_int error;
    const bool array = strstr(type, "array"), of_buffer = strstr(type, "buffer");
    const char dims = type[strlen("image")];
    cl_image_desc d = {.image_width = dims == '1' ? ITEMS : 8,
                       .image_height = dims == '1' ? 0 : 8,
                       .image_depth = dims == '3' ? 4 : 0,
                       .image_array_size = array ? 4 : 0,
                       .num_mip_levels = strcmp(name, "levels") == 0 ? 3 : 0};
    d.image_type = dims == '3'   ? CL_MEM_OBJECT_IMAGE3D
                   : dims == '2' ? (array ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D)
                   : of_buffer   ? CL_MEM_OBJECT_IMAGE1D_BUFFER
                   : array       ? CL_MEM_OBJECT_IMAGE1D_ARRAY
                                 : CL_MEM_OBJECT_IMAGE1D;
    const cl_image_format format = {strstr(type, "depth") ? CL_DEPTH : CL_RGBA, CL_FLOAT};
    if (of_buffer)
        d.buffer = clCreateBuffer(c, CL_MEM_READ_WRITE, (size_t)ITEMS * 16, NULL, &error);
    cl_mem m = clCreateImage(c, CL_MEM_READ_WRITE, &format, &d, NULL, &error);
    must(error, "an image");
    if (of_buffer)
        clReleaseMemObject(d.buffer);
    must(clSetKernelArg(k, i, sizeof m, &m), "an image argument");
    return m;
}

static cl_mem set_argument(cl_context c, cl_kernel k, cl_uint i)
{
    char type[64], name[64];
    cl_kernel_arg_address_qualifier space;
    must(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL), "the space");
    must(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL), "the type");
    must(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_NAME, sizeof name, name, NULL), "the name");
    if (strcmp(type, "sampler_t") == 0) {
        set_sampler(c, k, i, name);
        return NULL;
    }
    if (strncmp(type, "image", 5) == 0)
        return set_image(c, k, i, type, name);
    if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
        must(clSetKernelArg(k, i, GROUP * size_of(type), NULL), "a local argument");
        return NULL;
    }
    if (space == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
        const cl_int number = strcmp(name, "n") == 0 ? ITEMS : strcmp(name, "five") == 0 ? 5 : 0;
        must(clSetKernelArg(k, i, sizeof number, &number), "a number"); // 0 of a float is 0, too
        return NULL;
    }
    cl_int error;
    unsigned char bytes[ITEMS * 48];
    fill(bytes, type);
    const bool fresh = strcmp(name, "fresh") == 0;
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE | (fresh ? 0 : CL_MEM_COPY_HOST_PTR),
                              ITEMS * size_of(type), fresh ? NULL : bytes, &error);
    must(error, "a buffer");
    must(clSetKernelArg(k, i, sizeof m, &m), "a buffer argument");
    return m;
}

static const char *how = ""; // it ends
static atomic_bool called;

static void CL_CALLBACK note_call(cl_event e, cl_int status, void *user)
{
    (void)e;
    (void)status;
    (void)user;
    atomic_store(&called, true);
}

static void read_all(cl_command_queue q, cl_mem m, size_t size, unsigned char *bytes)
{
    const bool blocks = strlen(how) < 4 || strcmp(how, "keep") == 0;
    cl_event e;
    cl_int status = CL_QUEUED;
    must(clEnqueueReadBuffer(q, m, blocks, 0, size, bytes, 0, NULL, &e), "a read");
    if (strcmp(how, "wait") == 0)
        must(clWaitForEvents(1, &e), "a wait");
    while (strcmp(how, "ask") == 0 && status != CL_COMPLETE)
        must(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), "a state");
    if (strcmp(how, "call") == 0) {
        must(clSetEventCallback(e, CL_COMPLETE, note_call, NULL), "a callback");
        must(clFlush(q), "a flush");
        while (!atomic_load(&called)) {
        }
    }
    clReleaseEvent(e);
}

static void run(cl_context c, cl_command_queue q, cl_kernel k)
{
    enum { MAX = 8 };
    cl_mem buffers[MAX] = {NULL};
    cl_uint count;
    must(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL), "the arguments");
    for (cl_uint i = 0; i < count && i < MAX; i++)
        buffers[i] = set_argument(c, k, i);
    const size_t items = ITEMS, group = GROUP;
    must(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, &group, 0, NULL, NULL), "the launch");
    must(clFinish(q), "the end");
    for (size_t i = 0; i < MAX; i++)
        if (buffers[i]) {
            static unsigned char bytes[ITEMS * 48]; // reads may go on
            size_t size;
            cl_mem_object_type type;
            must(clGetMemObjectInfo(buffers[i], CL_MEM_TYPE, sizeof type, &type, NULL), "a type");
            if (type != CL_MEM_OBJECT_BUFFER) {
                clReleaseMemObject(buffers[i]);
                continue;
            }
            must(clGetMemObjectInfo(buffers[i], CL_MEM_SIZE, sizeof size, &size, NULL), "a size");
            read_all(q, buffers[i], size, bytes);
            clReleaseMemObject(buffers[i]);
        }
}

int main(int argc, char **argv)
{
    how = argc > 3 ? argv[3] : "";
    const char *path = argc > 1 ? argv[1] : "", *ending = strrchr(path, '.');
    size_t size;
    const char *source = read_program(path, &size);
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    must(clGetPlatformIDs(1, &platform, NULL), "a platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "a device");
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error, "a context");
    cl_command_queue q = clCreateCommandQueueWithProperties(c, device, NULL, &error);
    must(error, "a queue");
    cl_program p = ending && strcmp(ending, ".spv") == 0
                       ? clCreateProgramWithIL(c, source, size, &error)
                       : clCreateProgramWithSource(c, 1, &source, NULL, &error);
    must(error, "a program");
    error = clBuildProgram(p, 1, &device, argc > 2 ? argv[2] : "", NULL, NULL);
    if (error) {
        static char log[1 << 16];
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    must(error, "the build");
    cl_kernel kernels[100];
    cl_uint count;
    must(clCreateKernelsInProgram(p, 100, kernels, &count), "the kernels");
    for (cl_uint i = 0; i < count; i++) {
        run(c, q, kernels[i]);
        clReleaseKernel(kernels[i]);
    }
    if (strcmp(how, "finish") == 0)
        must(clFinish(q), "the end");
    if (strcmp(how, "keep") == 0)
        return 0;
    if (strcmp(how, "die") == 0)
        raise(SIGKILL);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
    return 0;
}
