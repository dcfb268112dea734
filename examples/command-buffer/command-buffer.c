// Records two steps of a simulation once and replays them 500 times, with other arguments each time: a command buffer.
// command-buffer
#define CL_TARGET_OPENCL_VERSION 300
#define CL_ENABLE_BETA_EXTENSIONS // current headers declare command buffers only then
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 256, STEPS = 1000, PAIRS = 2 };

// A string, fixed at its ends. Its left end is moved by hand.
static const char *source = "kernel void pluck(global float *now, float height)\n"
                            "{\n"
                            "    now[0] = height;\n"
                            "}\n"
                            "kernel void step(global const float *now, global float *last)\n"
                            "{\n"
                            "    size_t i = get_global_id(0) + 1;\n" // The launch leaves the ends out.
                            "    last[i] = now[i - 1] + now[i + 1] - last[i];\n"
                            "}\n";

// The functions of an extension are looked up. Versions before 0.9.4 of mutable dispatch had another way to
// update, which the headers of some systems still declare. So what is new is declared here.
typedef cl_int(CL_API_CALL *update_fn)(cl_command_buffer_khr, cl_uint, const cl_uint *, const void **);
struct mutable_dispatch_config {
    cl_mutable_command_khr command;
    cl_uint num_args, num_svm_args, num_exec_infos, work_dim;
    const cl_mutable_dispatch_arg_khr *arg_list, *arg_svm_list;
    const cl_mutable_dispatch_exec_info_khr *exec_info_list;
    const size_t *global_work_offset, *global_work_size, *local_work_size;
};
static const cl_uint DISPATCH_CONFIG = 0; // CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR
static clCreateCommandBufferKHR_fn create_command_buffer;
static clCommandNDRangeKernelKHR_fn command_ndrange_kernel;
static clFinalizeCommandBufferKHR_fn finalize_command_buffer;
static clEnqueueCommandBufferKHR_fn enqueue_command_buffer;
static clReleaseCommandBufferKHR_fn release_command_buffer;
static update_fn update_mutable_commands;

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "command-buffer: %s failed with error %d\n", what, error);
        exit(1);
    }
}

// Whether the device has the extension, in a version of at least this.
static int has_extension(cl_device_id device, const char *name, cl_version version)
{
    size_t bytes = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, NULL, &bytes) != CL_SUCCESS)
        return 0;
    cl_name_version *all = malloc(bytes);
    int found = 0;
    if (all && clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, bytes, all, NULL) == CL_SUCCESS)
        for (size_t i = 0; i < bytes / sizeof *all; i++)
            found |= strcmp(all[i].name, name) == 0 && all[i].version >= version;
    free(all);
    return found;
}

// The first device of any platform that has command buffers whose arguments can change.
static cl_device_id find_device(cl_platform_id *platform)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        cl_bitfield can = 0;
        *platform = platforms[i];
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS &&
            has_extension(device, "cl_khr_command_buffer_mutable_dispatch", CL_MAKE_VERSION(0, 9, 4)) &&
            clGetDeviceInfo(device, CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR, sizeof can, &can, NULL) ==
                CL_SUCCESS &&
            (can & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR))
            return device;
    }
    fprintf(stderr, "command-buffer: no device has cl_khr_command_buffer_mutable_dispatch 0.9.4\n");
    exit(77);
}

static void *look_up(cl_platform_id platform, const char *name)
{
    void *function = clGetExtensionFunctionAddressForPlatform(platform, name);
    check(function ? CL_SUCCESS : CL_INVALID_OPERATION, name);
    return function;
}

static float height(int step)
{
    return sinf(0.05f * (float)step);
}

// Records pluck and step for the one buffer and then for the other. Returns handles of the two plucks.
static cl_command_buffer_khr record(cl_command_queue queue, cl_program program, const cl_mem *strings,
                                    cl_mutable_command_khr *plucks)
{
    const size_t one = 1, inner = N - 2;
    const cl_float nothing = 0;
    // The recorded launches keep the arguments that were set. These may change later:
    const cl_properties mutable_args[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                          CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
    const cl_properties properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0};
    cl_int error;
    cl_kernel pluck = clCreateKernel(program, "pluck", &error);
    check(error, "clCreateKernel");
    cl_kernel step = clCreateKernel(program, "step", &error);
    check(error, "clCreateKernel");
    cl_command_buffer_khr commands = create_command_buffer(1, &queue, properties, &error);
    check(error, "clCreateCommandBufferKHR");
    for (int i = 0; i < PAIRS; i++) {
        check(clSetKernelArg(pluck, 0, sizeof(cl_mem), &strings[i]), "clSetKernelArg");
        check(clSetKernelArg(pluck, 1, sizeof nothing, &nothing), "clSetKernelArg");
        check(command_ndrange_kernel(commands, NULL, mutable_args, pluck, 1, NULL, &one, NULL, 0, NULL, NULL,
                                     &plucks[i]),
              "recording");
        check(clSetKernelArg(step, 0, sizeof(cl_mem), &strings[i]), "clSetKernelArg");
        check(clSetKernelArg(step, 1, sizeof(cl_mem), &strings[1 - i]), "clSetKernelArg");
        check(command_ndrange_kernel(commands, NULL, NULL, step, 1, NULL, &inner, NULL, 0, NULL, NULL, NULL),
              "recording");
    }
    check(finalize_command_buffer(commands), "clFinalizeCommandBufferKHR");
    clReleaseKernel(pluck);
    clReleaseKernel(step);
    return commands;
}

int main(void)
{
    cl_int error;
    cl_platform_id platform;
    cl_device_id device = find_device(&platform);
    create_command_buffer = (clCreateCommandBufferKHR_fn)look_up(platform, "clCreateCommandBufferKHR");
    command_ndrange_kernel = (clCommandNDRangeKernelKHR_fn)look_up(platform, "clCommandNDRangeKernelKHR");
    finalize_command_buffer = (clFinalizeCommandBufferKHR_fn)look_up(platform, "clFinalizeCommandBufferKHR");
    enqueue_command_buffer = (clEnqueueCommandBufferKHR_fn)look_up(platform, "clEnqueueCommandBufferKHR");
    release_command_buffer = (clReleaseCommandBufferKHR_fn)look_up(platform, "clReleaseCommandBufferKHR");
    update_mutable_commands = (update_fn)look_up(platform, "clUpdateMutableCommandsKHR");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    check(error, "clCreateCommandQueueWithProperties");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    static cl_float result[N], now[2][N];
    cl_mem strings[2];
    for (int i = 0; i < 2; i++) {
        strings[i] =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof now[i], now[i], &error);
        check(error, "clCreateBuffer");
    }

    cl_mutable_command_khr plucks[PAIRS];
    cl_command_buffer_khr commands = record(queue, program, strings, plucks);
    cl_float heights[PAIRS];
    cl_mutable_dispatch_arg_khr args[PAIRS];
    struct mutable_dispatch_config configs[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        args[i] = (cl_mutable_dispatch_arg_khr){1, sizeof heights[i], &heights[i]};
        configs[i] =
            (struct mutable_dispatch_config){.command = plucks[i], .num_args = 1, .arg_list = &args[i]};
    }
    const void *changes[PAIRS] = {&configs[0], &configs[1]};
    const cl_uint types[PAIRS] = {DISPATCH_CONFIG, DISPATCH_CONFIG};
    for (int step = 0; step < STEPS; step += PAIRS) {
        for (int i = 0; i < PAIRS; i++)
            heights[i] = height(step + i);
        // A command buffer that may not be enqueued twice at once is finished before it changes.
        check(clFinish(queue), "clFinish");
        check(update_mutable_commands(commands, PAIRS, types, changes), "clUpdateMutableCommandsKHR");
        check(enqueue_command_buffer(0, NULL, commands, 0, NULL, NULL), "clEnqueueCommandBufferKHR");
    }
    check(clEnqueueReadBuffer(queue, strings[STEPS % 2], CL_TRUE, 0, sizeof result, result, 0, NULL, NULL),
          "reading");
    int wrong = 0;
    for (int step = 0; step < STEPS; step++) {
        float *current = now[step % 2], *last = now[1 - step % 2];
        current[0] = height(step);
        for (int i = 1; i < N - 1; i++)
            last[i] = current[i - 1] + current[i + 1] - last[i];
    }
    for (int i = 0; i < N; i++)
        wrong += result[i] != now[STEPS % 2][i];
    printf("%d steps in %d replays: the string is %s\n", STEPS, STEPS / PAIRS, wrong ? "WRONG" : "right");

    check(release_command_buffer(commands), "clReleaseCommandBufferKHR");
    for (int i = 0; i < 2; i++)
        clReleaseMemObject(strings[i]);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong != 0;
}
