// In each scenario, an ordinary program, every allocation fails once; then all allocations from one on fail.
// The call that can't go on returns an error that the specification names for it. Objects created before stay
// usable, everything can be released, and afterwards the same program runs correctly. The address sanitizer
// shows leaks.
//
// More than 800 lines in one file: all scenarios are driven by the same loop over failing allocations.
// timeout: 600
// labels: emulated_long
#include "scheduler/internal.h"
#include "fixture.h"

#include <sys/mman.h>

#define MAX_ALLOCATIONS 3000 // allocations; a scenario needs fewer, or this test doesn't end

static _Atomic int callbacks;

static void CL_CALLBACK on_event(cl_event e, cl_int status, void *user)
{
    (void)e;
    (void)status;
    (void)user;
    callbacks++;
}

static void CL_CALLBACK on_mem(cl_mem m, void *user)
{
    (void)m;
    (void)user;
    callbacks++;
}

static void CL_CALLBACK on_context(cl_context c, void *user)
{
    (void)c;
    (void)user;
    callbacks++;
}

static void CL_CALLBACK native(void *args)
{
    (void)args;
    callbacks++;
}

// Nothing but what a want of memory may be called.
static bool ok(cl_int err, const char *call)
{
    if (err != CL_SUCCESS && err != CL_OUT_OF_HOST_MEMORY && err != CL_OUT_OF_RESOURCES &&
        err != CL_MEM_OBJECT_ALLOCATION_FAILURE && err != CL_BUILD_PROGRAM_FAILURE &&
        err != CL_COMPILE_PROGRAM_FAILURE && err != CL_LINK_PROGRAM_FAILURE && err != CL_MAP_FAILURE &&
        err != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        FAIL("%s: %d", call, err);
    return err == CL_SUCCESS;
}

// Does it, and goes to `done` when there was no memory for it.
#define TRY(call)               \
    do {                        \
        if (!ok((call), #call)) \
            goto done;          \
    } while (0)
// Like TRY, for calls that create an object and set err.
#define MAKE(call)                          \
    do {                                    \
        err = 1;                            \
        bool made_ = (call) != NULL;        \
        CHECK_EQ(made_, err == CL_SUCCESS); \
        if (!ok(err, #call))                \
            goto done;                      \
    } while (0)
#define RELEASE(what, object)                                   \
    do {                                                        \
        if (object)                                             \
            CHECK_EQ(weft_clRelease##what(object), CL_SUCCESS); \
    } while (0)

// Without memory it stays mapped, and can be unmapped when there is some: it is unmapped in any case.
static bool unmapped(struct fixture *f, cl_mem m, void *pointer)
{
    if (ok(weft_clEnqueueUnmapMemObject(f->queue, m, pointer, 0, NULL, NULL), "unmap"))
        return true;
    weft_alloc_fail_at(0);
    CHECK_EQ(weft_clEnqueueUnmapMemObject(f->queue, m, pointer, 0, NULL, NULL), CL_SUCCESS);
    return false;
}

// ---- Scenarios: true when they got to their end. What they make they release, whatever fails. ----

static bool contexts_and_queues(struct fixture *f)
{
    bool whole = false;
    cl_int err;
    cl_context c = NULL;
    cl_command_queue q = NULL, p = NULL;
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)f->platform, 0};
    cl_queue_properties bits[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    MAKE(c = weft_clCreateContext(properties, 1, &f->device, fixture_notify, f, &err));
    TRY(weft_clSetContextDestructorCallback(c, on_context, NULL));
    MAKE(q = weft_clCreateCommandQueue(c, f->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err));
    MAKE(p = weft_clCreateCommandQueueWithProperties(c, f->device, bits, &err));
    TRY(weft_clEnqueueMarkerWithWaitList(q, 0, NULL, NULL));
    TRY(weft_clFinish(q));
    whole = true;
done:
    RELEASE(CommandQueue, p);
    RELEASE(CommandQueue, q);
    RELEASE(Context, c);
    return whole;
}

static bool buffers(struct fixture *f)
{
    bool whole = false;
    cl_int err;
    enum { N = 4096 };
    unsigned char in[N], out[N], one = 7;
    cl_mem a = NULL, b = NULL, sub = NULL, pipe = NULL;
    size_t origin[3] = {0}, region[3] = {16, 4, 2};
    cl_buffer_region half = {N / 2, N / 2};
    memset(in, 1, N);
    MAKE(a = weft_clCreateBuffer(f->context, CL_MEM_COPY_HOST_PTR, N, in, &err));
    MAKE(b = weft_clCreateBuffer(f->context, CL_MEM_ALLOC_HOST_PTR, N, NULL, &err));
    TRY(weft_clSetMemObjectDestructorCallback(a, on_mem, NULL));
    MAKE(sub = weft_clCreateSubBuffer(a, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &err));
    MAKE(pipe = weft_clCreatePipe(f->context, 0, 24, 100, NULL, &err));
    TRY(weft_clEnqueueCopyBuffer(f->queue, a, b, 0, 0, N, 0, NULL, NULL));
    TRY(weft_clEnqueueFillBuffer(f->queue, sub, &one, 1, 0, N / 2, 0, NULL, NULL));
    TRY(weft_clEnqueueCopyBufferRect(f->queue, a, b, origin, origin, region, 0, 0, 0, 0, 0, NULL, NULL));
    TRY(weft_clEnqueueWriteBuffer(f->queue, b, CL_FALSE, 0, 16, in, 0, NULL, NULL));
    TRY(weft_clEnqueueReadBufferRect(f->queue, b, CL_FALSE, origin, origin, region, 0, 0, 0, 0, out, 0, NULL,
                                     NULL));
    TRY(weft_clEnqueueMigrateMemObjects(f->queue, 1, &a, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    unsigned char *mapped = NULL;
    MAKE(mapped = weft_clEnqueueMapBuffer(f->queue, sub, CL_FALSE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &err));
    if (!unmapped(f, sub, mapped))
        goto done;
    TRY(weft_clEnqueueReadBuffer(f->queue, a, CL_TRUE, 0, N, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        CHECK_EQ(out[i], i < N / 2 ? 1 : 7);
    whole = true;
done:
    CHECK_EQ(weft_clFinish(f->queue), CL_SUCCESS); // the commands use this function's memory
    RELEASE(MemObject, pipe);
    RELEASE(MemObject, sub);
    RELEASE(MemObject, b);
    RELEASE(MemObject, a);
    return whole;
}

static bool images(struct fixture *f)
{
    bool whole = false;
    cl_int err;
    enum { W = 16, H = 8, BYTES = W * H * 4 };
    unsigned char in[BYTES], out[BYTES];
    const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8}, srgb = {CL_sRGBA, CL_UNORM_INT8};
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    const cl_mem_properties none[] = {0};
    const cl_sampler_properties properties[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    const size_t zero[3] = {0}, all[3] = {W, H, 1}, half[3] = {W, H / 2, 1}, below[3] = {0, H / 2, 0};
    const float color[4] = {1, 1, 1, 1};
    size_t row = 0;
    cl_mem a = NULL, b = NULL, buffer = NULL, over = NULL, seen = NULL;
    cl_sampler old = NULL, sampler = NULL;
    memset(in, 9, BYTES);
    MAKE(a = weft_clCreateImage(f->context, CL_MEM_COPY_HOST_PTR, &rgba, &d, in, &err));
    MAKE(b = weft_clCreateImageWithProperties(f->context, none, 0, &rgba, &d, NULL, &err));
    TRY(weft_clSetMemObjectDestructorCallback(a, on_mem, NULL));
    MAKE(buffer = weft_clCreateBuffer(f->context, 0, BYTES, NULL, &err));
    d.mem_object = buffer;
    MAKE(over = weft_clCreateImage(f->context, 0, &rgba, &d, NULL, &err));
    d.mem_object = a;
    MAKE(seen = weft_clCreateImage(f->context, 0, &srgb, &d, NULL, &err));
    MAKE(old = weft_clCreateSampler(f->context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &err));
    MAKE(sampler = weft_clCreateSamplerWithProperties(f->context, properties, &err));
    TRY(weft_clEnqueueFillImage(f->queue, b, color, zero, all, 0, NULL, NULL));
    TRY(weft_clEnqueueCopyImage(f->queue, a, b, zero, below, half, 0, NULL, NULL));
    TRY(weft_clEnqueueCopyImageToBuffer(f->queue, b, buffer, zero, all, 0, 0, NULL, NULL));
    TRY(weft_clEnqueueCopyBufferToImage(f->queue, buffer, a, 0, zero, half, 0, NULL, NULL));
    TRY(weft_clEnqueueWriteImage(f->queue, seen, CL_FALSE, below, half, 0, 0, in, 0, NULL, NULL));
    void *mapped = NULL;
    MAKE(mapped = weft_clEnqueueMapImage(f->queue, over, CL_FALSE, CL_MAP_WRITE, below, half, &row, NULL, 0,
                                         NULL, NULL, &err));
    if (!unmapped(f, over, mapped))
        goto done;
    TRY(weft_clEnqueueReadImage(f->queue, a, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
    for (int i = 0; i < BYTES; i++)
        CHECK_EQ(out[i], i < BYTES / 2 ? 255 : 9);
    whole = true;
done:
    CHECK_EQ(weft_clFinish(f->queue), CL_SUCCESS); // the commands use this function's memory
    RELEASE(Sampler, sampler);
    RELEASE(Sampler, old);
    RELEASE(MemObject, seen);
    RELEASE(MemObject, over);
    RELEASE(MemObject, buffer);
    RELEASE(MemObject, b);
    RELEASE(MemObject, a);
    return whole;
}

static bool events(struct fixture *f)
{
    bool whole = false;
    cl_int err;
    cl_event gate = NULL, chain[40] = {NULL}, last = NULL;
    cl_mem m = NULL;
    MAKE(gate = weft_clCreateUserEvent(f->context, &err));
    for (int i = 0; i < 40; i++)
        TRY(weft_clEnqueueMarkerWithWaitList(f->queue, 1, i ? &chain[i - 1] : &gate, &chain[i]));
    TRY(weft_clSetEventCallback(chain[39], CL_COMPLETE, on_event, NULL));
    MAKE(m = weft_clCreateBuffer(f->context, 0, 64, NULL, &err));
    const void *place[1];
    cl_mem args[1] = {m};
    place[0] = args;
    TRY(weft_clEnqueueNativeKernel(f->queue, native, args, sizeof args, 1, &m, place, 40, chain, &last));
    TRY(weft_clEnqueueBarrierWithWaitList(f->queue, 1, &last, NULL));
    TRY(weft_clSetUserEventStatus(gate, CL_COMPLETE));
    TRY(weft_clWaitForEvents(1, &last));
    whole = true;
done:
    if (gate)
        weft_clSetUserEventStatus(gate, CL_COMPLETE);
    CHECK_EQ(weft_clFinish(f->queue), CL_SUCCESS);
    RELEASE(Event, last);
    for (int i = 0; i < 40; i++)
        RELEASE(Event, chain[i]);
    RELEASE(Event, gate);
    RELEASE(MemObject, m);
    return whole;
}

static bool programs(struct fixture *f)
{
    bool whole = false;
    cl_int err;
    const char *source = "", *name = "h.h";
    cl_program p = NULL, header = NULL, compiled = NULL, linked = NULL, loaded = NULL;
    cl_kernel k = NULL, copy = NULL, all[64] = {NULL};
    cl_uint count = 0;
    cl_mem in = NULL, out = NULL;
    unsigned char *bytes = NULL;
    size_t size = 0, global = 64;
    int values[64];
    for (int i = 0; i < 64; i++)
        values[i] = i;
    MAKE(p = weft_clCreateProgramWithSource(f->context, 1, &source, NULL, &err));
    TRY(weft_clBuildProgram(p, 0, NULL, "-DQUICK -I x", NULL, NULL));
    MAKE(k = weft_clCreateKernel(p, "twice", &err));
    MAKE(copy = weft_clCloneKernel(k, &err));
    TRY(weft_clCreateKernelsInProgram(p, 64, all, &count));
    MAKE(in = weft_clCreateBuffer(f->context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &err));
    MAKE(out = weft_clCreateBuffer(f->context, 0, sizeof values, NULL, &err));
    TRY(weft_clSetKernelArg(copy, 0, sizeof in, &in));
    TRY(weft_clSetKernelArg(copy, 1, sizeof out, &out));
    TRY(weft_clEnqueueNDRangeKernel(f->queue, copy, 1, NULL, &global, NULL, 0, NULL, NULL));
    TRY(weft_clEnqueueReadBuffer(f->queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    // What the launch computed is checked where no allocation failed: code that can't be made fails the
    // command.
    for (int i = 0; i < 64; i++)
        if (values[i] != 2 * i)
            goto done;
    char text[512];
    TRY(weft_clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    TRY(weft_clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    CHECK((bytes = malloc(size)) != NULL);
    TRY(weft_clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    const unsigned char *binary = bytes;
    MAKE(loaded = weft_clCreateProgramWithBinary(f->context, 1, &f->device, &size, &binary, NULL, &err));
    TRY(weft_clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL));
    MAKE(header = weft_clCreateProgramWithSource(f->context, 1, &source, NULL, &err));
    MAKE(compiled = weft_clCreateProgramWithSource(f->context, 1, &source, NULL, &err));
    TRY(weft_clCompileProgram(compiled, 0, NULL, "-DQUICK", 1, &header, &name, NULL, NULL));
    linked = weft_clLinkProgram(f->context, 0, NULL, "-create-library", 1, &compiled, NULL, NULL, &err);
    TRY(err);
    whole = true;
done:
    CHECK_EQ(weft_clFinish(f->queue), CL_SUCCESS);
    for (cl_uint i = 0; i < 64; i++)
        RELEASE(Kernel, all[i]);
    RELEASE(Kernel, copy);
    RELEASE(Kernel, k);
    RELEASE(MemObject, in);
    RELEASE(MemObject, out);
    RELEASE(Program, linked);
    RELEASE(Program, compiled);
    RELEASE(Program, header);
    RELEASE(Program, loaded);
    RELEASE(Program, p);
    free(bytes);
    return whole;
}

// Other builds for each of two parts of the device.
static bool programs_of_parts(struct fixture *f)
{
    bool whole = false;
    cl_int err, values[64], zero = 0;
    cl_device_id part[3] = {NULL, NULL, f->device};
    cl_context c = NULL;
    cl_command_queue q[2] = {NULL};
    cl_program p = NULL, loaded = NULL, compiled = NULL, linked = NULL;
    cl_kernel k = NULL, copy = NULL, all[64] = {NULL};
    cl_mem in = NULL, out = NULL;
    struct _cl_command_buffer_khr *b = NULL, *other = NULL;
    unsigned char *bytes[3] = {NULL};
    const char *source = "", *options[] = {"-DQUICK", "-DQUICK -DX"};
    const cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    size_t sizes[3] = {0}, global = 64;
    for (int i = 0; i < 64; i++)
        values[i] = i;
    err = weft_clCreateSubDevices(f->device, ones, 2, part, NULL);
    if (err)
        part[0] = part[1] = NULL;
    TRY(err);
    MAKE(c = weft_clCreateContext(NULL, 3, part, NULL, NULL, &err));
    for (int i = 0; i < 2; i++)
        MAKE(q[i] = weft_clCreateCommandQueue(c, part[i], 0, &err));
    MAKE(p = weft_clCreateProgramWithSource(c, 1, &source, NULL, &err));
    for (int i = 0; i < 2; i++)
        TRY(weft_clBuildProgram(p, 1, &part[i], options[i], NULL, NULL));
    err = weft_clBuildProgram(p, 1, part, "-bogus", NULL, NULL);
    if (err != CL_INVALID_BUILD_OPTIONS)
        TRY(err);
    MAKE(k = weft_clCreateKernel(p, "twice", &err));
    MAKE(copy = weft_clCloneKernel(k, &err));
    TRY(weft_clCreateKernelsInProgram(p, 64, all, NULL));
    MAKE(in = weft_clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizeof values, values, &err));
    MAKE(out = weft_clCreateBuffer(c, 0, sizeof values, NULL, &err));
    TRY(weft_clSetKernelArg(copy, 0, sizeof in, &in));
    TRY(weft_clSetKernelArg(copy, 1, sizeof out, &out));
    for (int i = 0; i < 2; i++) {
        TRY(weft_clEnqueueFillBuffer(q[i], out, &zero, sizeof zero, 0, sizeof values, 0, NULL, NULL));
        TRY(weft_clEnqueueNDRangeKernel(q[i], copy, 1, NULL, &global, NULL, 0, NULL, NULL));
        TRY(weft_clEnqueueReadBuffer(q[i], out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
        for (int n = 0; n < 64; n++)
            if (values[n] != 2 * n)
                goto done;
    }
    MAKE(b = weft_clCreateCommandBufferKHR(1, q, NULL, &err));
    TRY(weft_clCommandNDRangeKernelKHR(b, NULL, NULL, copy, 1, NULL, &global, NULL, 0, NULL, NULL, NULL));
    TRY(weft_clFinalizeCommandBufferKHR(b));
    MAKE(other = weft_clRemapCommandBufferKHR(b, CL_FALSE, 1, &q[1], 0, NULL, NULL, &err));
    TRY(weft_clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    for (int i = 0; i < 2; i++)
        CHECK((bytes[i] = malloc(sizes[i])) != NULL);
    TRY(weft_clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, bytes, NULL));
    MAKE(loaded = weft_clCreateProgramWithBinary(c, 2, part, sizes, (const unsigned char **)(void *)bytes,
                                                 NULL, &err));
    TRY(weft_clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL));
    MAKE(compiled = weft_clCreateProgramWithSource(c, 1, &source, NULL, &err));
    for (int i = 0; i < 2; i++)
        TRY(weft_clCompileProgram(compiled, 1, &part[i], options[i], 0, NULL, NULL, NULL, NULL));
    linked = weft_clLinkProgram(c, 0, NULL, "", 1, &compiled, NULL, NULL, &err);
    TRY(err);
    whole = true;
done:
    for (int i = 0; i < 2; i++) {
        if (q[i])
            CHECK_EQ(weft_clFinish(q[i]), CL_SUCCESS);
        free(bytes[i]);
    }
    for (cl_uint i = 0; i < 64; i++)
        RELEASE(Kernel, all[i]);
    RELEASE(Kernel, copy);
    RELEASE(Kernel, k);
    RELEASE(MemObject, in);
    RELEASE(MemObject, out);
    if (other)
        CHECK_EQ(weft_clReleaseCommandBufferKHR(other), CL_SUCCESS);
    if (b)
        CHECK_EQ(weft_clReleaseCommandBufferKHR(b), CL_SUCCESS);
    RELEASE(Program, linked);
    RELEASE(Program, compiled);
    RELEASE(Program, loaded);
    RELEASE(Program, p);
    for (int i = 0; i < 2; i++)
        RELEASE(CommandQueue, q[i]);
    RELEASE(Context, c);
    for (int i = 0; i < 2; i++)
        RELEASE(Device, part[i]);
    return whole;
}

static struct _cl_command_buffer_khr *record(struct fixture *f, cl_kernel k, cl_mem in, cl_mem out,
                                             struct _cl_mutable_command_khr **command, cl_int *err)
{
    const cl_properties flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0};
    const cl_properties fields[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                    CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
    struct _cl_command_buffer_khr *b = weft_clCreateCommandBufferKHR(1, &f->queue, flags, err);
    const size_t global = 64;
    for (int i = 0; b && !*err && i < 40; i++)
        *err = weft_clCommandFillBufferKHR(b, NULL, NULL, out, "x", 1, 0, 256, 0, NULL, NULL, NULL);
    if (!*err)
        *err = weft_clSetKernelArg(k, 0, sizeof in, &in);
    if (!*err)
        *err = weft_clSetKernelArg(k, 1, sizeof out, &out);
    if (!*err)
        *err = weft_clCommandNDRangeKernelKHR(b, NULL, fields, k, 1, NULL, &global, NULL, 0, NULL, NULL,
                                              command);
    if (!*err)
        *err = weft_clFinalizeCommandBufferKHR(b);
    return b;
}

static bool command_buffers(struct fixture *f)
{
    bool whole = false;
    cl_int err, values[64] = {3};
    cl_program p = NULL;
    cl_kernel k = NULL;
    cl_mem in = NULL, out = NULL;
    cl_event done = NULL;
    struct _cl_command_buffer_khr *b = NULL;
    struct _cl_mutable_command_khr *command = NULL;
    const char *source = "";
    MAKE(p = weft_clCreateProgramWithSource(f->context, 1, &source, NULL, &err));
    TRY(weft_clBuildProgram(p, 0, NULL, "-DQUICK", NULL, NULL));
    MAKE(k = weft_clCreateKernel(p, "twice", &err));
    MAKE(in = weft_clCreateBuffer(f->context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &err));
    MAKE(out = weft_clCreateBuffer(f->context, 0, sizeof values, NULL, &err));
    b = record(f, k, in, out, &command, &err);
    TRY(err);
    TRY(weft_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
    const struct weft_mutable_arg arg = {0, sizeof out, &out};
    const struct weft_mutable_config config = {.command = command, .arg_count = 1, .args = &arg};
    const void *configs[] = {&config};
    const cl_uint type = WEFT_MUTABLE_DISPATCH_CONFIG;
    TRY(weft_clUpdateMutableCommandsKHR(b, 1, &type, configs));
    TRY(weft_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &done));
    TRY(weft_clWaitForEvents(1, &done));
    TRY(weft_clEnqueueReadBuffer(f->queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    CHECK_EQ(values[0], (cl_int)0xf0f0f0f0); // twice "xxxx"
    whole = true;
done:
    CHECK_EQ(weft_clFinish(f->queue), CL_SUCCESS);
    RELEASE(Event, done);
    if (b)
        CHECK_EQ(weft_clReleaseCommandBufferKHR(b), CL_SUCCESS);
    RELEASE(MemObject, in);
    RELEASE(MemObject, out);
    RELEASE(Kernel, k);
    RELEASE(Program, p);
    return whole;
}

static bool command_buffers_of_queues(struct fixture *f)
{
    bool whole = false;
    cl_int err, values[64] = {3};
    cl_uint point = 0;
    cl_mem out = NULL;
    cl_command_queue queues[2] = {f->queue, NULL};
    cl_event done[2] = {NULL};
    struct _cl_command_buffer_khr *b = NULL, *copy = NULL;
    MAKE(queues[1] = weft_clCreateCommandQueue(f->context, f->device, 0, &err));
    MAKE(out = weft_clCreateBuffer(f->context, 0, sizeof values, NULL, &err));
    MAKE(b = weft_clCreateCommandBufferKHR(2, queues, NULL, &err));
    TRY(weft_clCommandFillBufferKHR(b, queues[1], NULL, out, "x", 1, 0, 256, 0, NULL, &point, NULL));
    TRY(weft_clCommandFillBufferKHR(b, queues[0], NULL, out, "y", 1, 0, 128, 1, &point, NULL, NULL));
    TRY(weft_clCommandBarrierWithWaitListKHR(b, queues[0], NULL, 0, NULL, NULL, NULL));
    TRY(weft_clCommandFillBufferKHR(b, queues[1], NULL, out, "z", 1, 0, 4, 0, NULL, NULL, NULL));
    TRY(weft_clFinalizeCommandBufferKHR(b));
    TRY(weft_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &done[0]));
    MAKE(copy = weft_clRemapCommandBufferKHR(b, CL_TRUE, 1, &queues[1], 0, NULL, NULL, &err));
    TRY(weft_clEnqueueCommandBufferKHR(0, NULL, copy, 0, NULL, &done[1]));
    TRY(weft_clWaitForEvents(2, done));
    TRY(weft_clEnqueueReadBuffer(f->queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    CHECK_EQ(values[0], 0x7a7a7a7a);
    CHECK_EQ(values[31], 0x79797979);
    CHECK_EQ(values[63], 0x78787878);
    whole = true;
done:
    CHECK_EQ(weft_clFinish(f->queue), CL_SUCCESS);
    if (queues[1])
        CHECK_EQ(weft_clFinish(queues[1]), CL_SUCCESS);
    RELEASE(Event, done[0]);
    RELEASE(Event, done[1]);
    if (b)
        CHECK_EQ(weft_clReleaseCommandBufferKHR(b), CL_SUCCESS);
    if (copy)
        CHECK_EQ(weft_clReleaseCommandBufferKHR(copy), CL_SUCCESS);
    RELEASE(MemObject, out);
    RELEASE(CommandQueue, queues[1]);
    return whole;
}

static void CL_CALLBACK on_build(cl_program p, void *user)
{
    (void)p;
    atomic_fetch_add((_Atomic int *)user, 1);
}

// The callback of a build that has begun comes whatever happens to the build.
static bool asynchronous_build(struct fixture *f)
{
    cl_int err;
    const char *source = "";
    bool whole = false;
    cl_program p = NULL;
    _Atomic int calls = 0;
    MAKE(p = weft_clCreateProgramWithSource(f->context, 1, &source, NULL, &err));
    TRY(weft_clBuildProgram(p, 0, NULL, "-DQUICK", on_build, (void *)&calls));
    for (int i = 0; i < 2000 && calls == 0; i++)
        usleep(5000);
    CHECK_EQ(calls, 1);
    cl_build_status status = 99;
    CHECK_EQ(weft_clGetProgramBuildInfo(p, f->device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL),
             CL_SUCCESS);
    CHECK(status == CL_BUILD_SUCCESS || status == CL_BUILD_ERROR);
    whole = status == CL_BUILD_SUCCESS;
done:
    RELEASE(Program, p);
    return whole;
}

static int patience = 3; // scenarios in a row that nothing is seen to fail in, until it's over

static void every_allocation_may_fail(bool (*scenario)(struct fixture *), void (*fail)(uint64_t))
{
    struct fixture f = fixture_open();
    if (!scenario(&f)) // compilers, threads and pools are there
        FAIL("the scenario fails without a reason");
    uint64_t n = 1, failures = 0;
    for (int in_a_row = 0; in_a_row < patience && n < MAX_ALLOCATIONS; n++) {
        fail(n);
        bool whole = scenario(&f);
        weft_alloc_fail_at(0);
        failures += !whole;
        in_a_row = whole ? in_a_row + 1 : 0; // allocations of other threads move the end a little
    }
    CHECK_LT(n, MAX_ALLOCATIONS);
    printf("%llu allocations, %llu of whose failures show\n", (unsigned long long)n,
           (unsigned long long)failures);
    if (!scenario(&f))
        FAIL("after all that the scenario fails");
    fixture_close(&f);
}

#define SCENARIO(name)                                         \
    TEST(name##_each_fails_once)                               \
    {                                                          \
        every_allocation_may_fail(name, weft_alloc_fail_at);   \
    }                                                          \
    TEST(name##_from_one_on_all_fail)                          \
    {                                                          \
        every_allocation_may_fail(name, weft_alloc_fail_from); \
    }

SCENARIO(contexts_and_queues)
SCENARIO(buffers)
SCENARIO(images)
SCENARIO(events)
SCENARIO(programs)
SCENARIO(command_buffers)
SCENARIO(command_buffers_of_queues)
SCENARIO(asynchronous_build)

static void on_parts(void (*fail)(uint64_t))
{
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        SKIP("one processor can't be divided");
    patience = 150; // programs come from the cache: where one can't be read it is compiled
    every_allocation_may_fail(programs_of_parts, fail);
}

TEST(programs_of_parts_each_fails_once)
{
    on_parts(weft_alloc_fail_at);
}

TEST(programs_of_parts_from_one_on_all_fail)
{
    on_parts(weft_alloc_fail_from);
}

// Once all that is cached is there.
TEST(a_replay_allocates_nothing)
{
    struct fixture f = fixture_of_kernel("twice");
    cl_int err = 1, values[64] = {3};
    cl_mem in = fixture_buffer(&f, sizeof values, values), out = fixture_buffer(&f, sizeof values, values);
    struct _cl_mutable_command_khr *command = NULL;
    struct _cl_command_buffer_khr *b = record(&f, f.kernel, in, out, &command, &err);
    CHECK_EQ(err, CL_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(weft_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clFinish(f.queue), CL_SUCCESS);
    // Which replay is the first that this thread helps with is chance, and that one makes the thread's arena.
    CHECK(weft_worker_arena(&weft_thread_get()->worker[0], 1 << 16) != NULL);
    for (int i = 0; i < 20; i++) {
        cl_event e = NULL;
        cl_int status = 1;
        weft_alloc_fail_here_at(1);
        CHECK_EQ(weft_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &e), CL_SUCCESS);
        CHECK_EQ(weft_clWaitForEvents(1, &e), CL_SUCCESS);
        CHECK(weft_alloc_fail_is_ahead());
        weft_alloc_fail_at(0);
        CHECK_EQ(weft_clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                 CL_SUCCESS);
        CHECK_EQ(status, CL_COMPLETE);
        CHECK_EQ(weft_clReleaseEvent(e), CL_SUCCESS);
    }
    CHECK_EQ(weft_clReleaseCommandBufferKHR(b), CL_SUCCESS);
    RELEASE(MemObject, in);
    RELEASE(MemObject, out);
    fixture_close(&f);
}

// Makes a kernel and launches it once while allocations fail; what became of the launch, as a status.
static cl_int launch_in_want(cl_command_queue q, cl_program p, cl_kernel *k, const cl_mem *buffers)
{
    cl_int err = CL_SUCCESS, status = CL_OUT_OF_HOST_MEMORY;
    cl_event e = NULL;
    const size_t global = 64;
    *k = weft_clCreateKernel(p, "twice", &err);
    for (cl_uint i = 0; i < 2 && !err; i++)
        err = weft_clSetKernelArg(*k, i, sizeof *buffers, &buffers[i]);
    if (!err)
        err = weft_clEnqueueNDRangeKernel(q, *k, 1, NULL, &global, NULL, 0, NULL, &e);
    ok(err, "the launch");
    if (e) {
        weft_clWaitForEvents(1, &e);
        CHECK_EQ(weft_clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                 CL_SUCCESS);
        CHECK_EQ(weft_clReleaseEvent(e), CL_SUCCESS);
    }
    return err ? CL_SUCCESS : status;
}

// The code of a kernel, which a launch needed and for which there was no memory, is made for the next.
TEST(code_that_there_was_no_memory_for_is_made_later)
{
    struct fixture f = fixture_open();
    int values[64], failures = 0;
    for (int i = 0; i < 64; i++)
        values[i] = i;
    // On a busy machine the code may be there before the launch asks for it: then once more.
    for (uint64_t turn = 0; turn < 39 || (failures == 0 && turn < 390); turn++) {
        const uint64_t n = 1 + turn % 39;
        cl_program p = fixture_build(&f, "");
        cl_mem buffers[2] = {fixture_buffer(&f, sizeof values, values),
                             fixture_buffer(&f, sizeof values, NULL)};
        cl_kernel k;
        weft_alloc_fail_at(n);
        cl_int status = launch_in_want(f.queue, p, &k, buffers);
        weft_alloc_fail_at(0);
        if (status != CL_COMPLETE) {
            CHECK(status == CL_OUT_OF_HOST_MEMORY || status == CL_OUT_OF_RESOURCES);
            failures++;
            const size_t global = 64;
            int out[64] = {0};
            CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, k, 1, NULL, &global, NULL, 0, NULL, NULL),
                     CL_SUCCESS);
            CHECK_EQ(
                weft_clEnqueueReadBuffer(f.queue, buffers[1], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL),
                CL_SUCCESS);
            for (int i = 0; i < 64; i++)
                CHECK_EQ(out[i], 2 * i);
        }
        RELEASE(Kernel, k);
        RELEASE(MemObject, buffers[0]);
        RELEASE(MemObject, buffers[1]);
        RELEASE(Program, p);
    }
    CHECK_GT(failures, 0); // those between the request for the code and the code
    fixture_close(&f);
}

// What initializes a program's variables runs once, however often its launches fail before it begins: for
// want of memory in the launch that waits for it, in what it is launched with, or in making its code. codes:
// of how many kernels the program is, those that initialize included.
static void initialize_in_want(const char *source, const char *another, uint64_t most, int codes,
                               int expected)
{
    struct fixture f = fixture_open();
    int failures = 0;
    const size_t one = 1;
    for (uint64_t n = 1; n < most; n++) {
        cl_program p = fixture_build(&f, n % 2 ? source : another);
        cl_kernel k = fixture_kernel(p, "value");
        int out = 7;
        cl_mem m = fixture_buffer(&f, sizeof out, &out);
        CHECK_EQ(weft_clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
        CHECK_EQ(weft_clFinish(f.queue), CL_SUCCESS);
        if (n % 3)
            weft_alloc_fail_at((n + 1) / 2);
        else
            weft_alloc_fail_from((n + 1) / 2);
        cl_event e = NULL;
        cl_int err = weft_clEnqueueNDRangeKernel(f.queue, k, 1, NULL, &one, NULL, 0, NULL, &e);
        if (ok(err, "the launch"))
            weft_clWaitForEvents(1, &e);
        weft_alloc_fail_at(0);
        RELEASE(Event, e);
        failures += err != CL_SUCCESS;
        // Each variant may have been requested without memory, and may still be in the making. A launch that
        // waits for such a variant fails, and requests it again. Then the launch after it runs.
        for (int tries = 0; tries <= codes && out != expected; tries++) {
            cl_int status = CL_COMPLETE;
            err = weft_clEnqueueNDRangeKernel(f.queue, k, 1, NULL, &one, NULL, 0, NULL, &e);
            if (!err) {
                weft_clWaitForEvents(1, &e);
                CHECK_EQ(
                    weft_clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                    CL_SUCCESS);
                RELEASE(Event, e);
            }
            if (err || status != CL_COMPLETE)
                CHECK_EQ(err ? err : status, CL_OUT_OF_HOST_MEMORY);
            CHECK_EQ(weft_clEnqueueReadBuffer(f.queue, m, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL),
                     CL_SUCCESS);
        }
        CHECK_EQ(out, expected);
        RELEASE(Kernel, k);
        RELEASE(MemObject, m);
        RELEASE(Program, p);
    }
    CHECK_GT(failures, 10);
    fixture_close(&f);
}

TEST(an_initializer_that_there_was_no_memory_for_runs_later)
{
    initialize_in_want("FAKE_INITIALIZER", "FAKE_INITIALIZER, and another", 120, 2, 41);
}

TEST(the_second_initializer_that_there_was_no_memory_for_runs_later)
{
    initialize_in_want("FAKE_INITIALIZER, FAKE_SECOND_INITIALIZER",
                       "FAKE_INITIALIZER, FAKE_SECOND_INITIALIZER, and another", 200, 3, 82);
}

// A program is released while there is no memory. Either its finalizer has run once, or the application gets
// a report that it hasn't. Nothing waits for it for ever, and the context is released.
TEST(a_finalizer_that_there_was_no_memory_for_is_reported)
{
    int *word = mmap((void *)(uintptr_t)0x10000000, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(word == (void *)(uintptr_t)0x10000000);
    struct fixture f = fixture_open();
    int ran = 0, reported = 0;
    const size_t one = 1;
    for (uint64_t n = 1; n < 120; n++) {
        cl_program p = fixture_build(&f, n % 2 ? "FAKE_INITIALIZER, FAKE_FINALIZER"
                                               : "FAKE_INITIALIZER, FAKE_FINALIZER, and another");
        cl_kernel k = fixture_kernel(p, "value");
        int out = 7;
        cl_mem m = fixture_buffer(&f, sizeof out, &out);
        CHECK_EQ(weft_clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
        CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(weft_clEnqueueReadBuffer(f.queue, m, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(out, 41);
        RELEASE(MemObject, m);
        *word = 0;
        fixture_report[0] = '\0';
        if (n % 3)
            weft_alloc_fail_at((n + 1) / 2);
        else
            weft_alloc_fail_from((n + 1) / 2);
        RELEASE(Kernel, k);
        RELEASE(Program, p);
        weft_alloc_fail_at(0);
        if (*word)
            CHECK_EQ(*word, 41);
        else
            CHECK_CONTAINS(fixture_report, "a finalizer of a program that was released failed");
        ran += *word != 0;
        reported += *word == 0;
    }
    CHECK_GT(ran, 10);
    CHECK_GT(reported, 10);
    fixture_close(&f);
    munmap(word, 4096);
}

// A process whose n-th allocation fails, from its first call on: pools, threads and the topology are made
// under it.
static void cold(uint64_t n, void (*fail)(uint64_t))
{
    alarm(60);
    fail(n);
    struct fixture f = {0};
    cl_int err = weft_clGetPlatformIDs(1, &f.platform, NULL);
    if (ok(err, "platform"))
        err = weft_clGetDeviceIDs(f.platform, CL_DEVICE_TYPE_ALL, 1, &f.device, NULL);
    if (ok(err, "device"))
        f.context = weft_clCreateContext(NULL, 1, &f.device, fixture_notify, NULL, &err);
    if (ok(err, "context"))
        f.queue = weft_clCreateCommandQueue(f.context, f.device, 0, &err);
    if (ok(err, "queue")) {
        buffers(&f);
        events(&f);
        programs(&f);
    }
    weft_alloc_fail_at(0);
    RELEASE(CommandQueue, f.queue);
    RELEASE(Context, f.context);
    // What failed before works now.
    f = fixture_open();
    if (!buffers(&f))
        FAIL("after allocation %llu failed buffers fail for ever", (unsigned long long)n);
    if (!events(&f))
        FAIL("after allocation %llu failed events fail for ever", (unsigned long long)n);
    if (!programs(&f))
        FAIL("after allocation %llu failed programs fail for ever", (unsigned long long)n);
    fixture_close(&f);
}

static void every_allocation_of_a_cold_start(void (*fail)(uint64_t))
{
    for (uint64_t n = 1; n < (uint64_t)HARNESS_SCALE(250); n++) {
        fflush(NULL);
        pid_t child = fork();
        CHECK_GE(child, 0);
        if (child == 0) {
            cold(n, fail);
            exit(0);
        }
        int status = -1;
        CHECK_EQ(waitpid(child, &status, 0), child);
        if (status)
            FAIL("allocation %llu: status %#x", (unsigned long long)n, (unsigned)status);
    }
}

TEST(cold_start_each_fails_once)
{
    every_allocation_of_a_cold_start(weft_alloc_fail_at);
}

TEST(cold_start_from_one_on_all_fail)
{
    every_allocation_of_a_cold_start(weft_alloc_fail_from);
}
