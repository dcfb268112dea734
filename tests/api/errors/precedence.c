// Which error a call gives when its arguments have two faults: functions that create, set, query and retain
// objects. The specification's tables of errors (OpenCL 2.2 §5), row by row: see precedence_fixture.h.
// Functions that enqueue: command_precedence.c.
#include "precedence_fixture.h"

// ---- Calls ----

#define MADE(release, object)                        \
    if (object)                                      \
        CHECK_EQ(release(object), CL_SUCCESS);       \
    CHECK_EQ((object) != NULL, error == CL_SUCCESS); \
    return error

static cl_int create_buffer(const struct call *c)
{
    cl_int error = 1;
    cl_mem m = clCreateBuffer(c->context, c->flags, c->size, (void *)(uintptr_t)c->pointer, &error);
    MADE(clReleaseMemObject, m);
}

static void set_copied(struct call *c)
{
    c->flags = CL_MEM_COPY_HOST_PTR;
}

FAULT(both_ways, a->flags |= CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)

static cl_int create_sub_buffer(const struct call *c)
{
    cl_int error = 1;
    const cl_buffer_region region = {c->at[0], c->size};
    cl_mem m = clCreateSubBuffer(c->to, c->flags, (cl_buffer_create_type)c->type, c->pointer ? &region : NULL,
                                 &error);
    MADE(clReleaseMemObject, m);
}

static void set_region(struct call *c)
{
    c->type = CL_BUFFER_CREATE_TYPE_REGION;
}

FAULT(more_than_parent, (a->to = o.closed, a->flags = CL_MEM_READ_WRITE))

static cl_int create_image(const struct call *c)
{
    cl_int error = 1;
    cl_mem m = clCreateImage(c->context, c->flags, c->formats ? &c->format : NULL, c->descs ? &c->desc : NULL,
                             (void *)(uintptr_t)c->pointer, &error);
    MADE(clReleaseMemObject, m);
}

static void set_new_image(struct call *c)
{
    static const cl_image_format any;
    static const cl_image_desc some;
    c->formats = &any;
    c->descs = &some;
    c->format = (cl_image_format){CL_RGBA, CL_UNORM_INT8};
    c->desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    c->desc.image_width = c->desc.image_height = SIDE;
    c->flags = CL_MEM_COPY_HOST_PTR;
}

FAULT(no_format, a->formats = NULL)
FAULT(unknown_format, a->format.image_channel_order = 0x7777)
FAULT(no_description, a->descs = NULL)
FAULT(unknown_kind, a->desc.image_type = 0x7777)
FAULT(no_width, a->desc.image_width = 0)
FAULT(much_width, a->desc.image_width = (size_t)1 << 40)

static cl_int create_pipe(const struct call *c)
{
    cl_int error = 1;
    const cl_pipe_properties properties[] = {7, 7, 0};
    cl_mem m =
        clCreatePipe(c->context, c->flags, c->count, c->dim, c->properties ? properties : NULL, &error);
    MADE(clReleaseMemObject, m);
}

FAULT(some_properties, a->properties = (const cl_sampler_properties *)host)

static cl_int create_sampler(const struct call *c)
{
    cl_int error = 1;
    cl_sampler s = clCreateSamplerWithProperties(c->context, c->properties, &error);
    MADE(clReleaseSampler, s);
}

static const cl_sampler_properties unknown_properties[] = {0x7777, 1, 0};
FAULT(unknown_property, a->properties = unknown_properties)

static cl_int create_queue(const struct call *c)
{
    cl_int error = 1;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, c->flags, 0};
    cl_command_queue q = clCreateCommandQueueWithProperties(c->context, c->device, properties, &error);
    MADE(clReleaseCommandQueue, q);
}

static cl_int create_event(const struct call *c)
{
    cl_int error = 1;
    cl_event e = clCreateUserEvent(c->context, &error);
    MADE(clReleaseEvent, e);
}

static void CL_CALLBACK report(const char *info, const void *data, size_t size, void *user)
{
    (void)info, (void)data, (void)size, (void)user;
}

static cl_int create_context(const struct call *c)
{
    cl_int error = 1;
    const cl_context_properties properties[] = {(cl_context_properties)c->type, 0, 0};
    cl_context made = clCreateContext(c->type ? properties : NULL, c->count, c->pointer ? &c->device : NULL,
                                      c->notify ? report : NULL, (void *)(uintptr_t)c->other, &error);
    MADE(clReleaseContext, made);
}

static cl_int program_with_source(const struct call *c)
{
    cl_int error = 1;
    cl_program p = clCreateProgramWithSource(
        c->context, c->count, c->pointer ? (const char **)(uintptr_t)&c->text : NULL, NULL, &error);
    MADE(clReleaseProgram, p);
}

static void set_text(struct call *c)
{
    c->text = "";
}

static cl_int create_kernel(const struct call *c)
{
    cl_int error = 1;
    cl_kernel k = clCreateKernel(c->program, c->text, &error);
    MADE(clReleaseKernel, k);
}

static void set_kernel_name(struct call *c)
{
    c->text = "plain";
}

static cl_int build_program(const struct call *c)
{
    cl_program p =
        c->program == o.program ? make_program(w.context, "kernel void f(void) {}", false) : c->program;
    cl_int error = clBuildProgram(p, c->count, c->devices, c->text, NULL, (void *)(uintptr_t)c->other);
    if (p != c->program)
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    return error;
}

static cl_int compile_program(const struct call *c)
{
    cl_program p =
        c->program == o.program ? make_program(w.context, "kernel void f(void) {}", false) : c->program;
    cl_int error = clCompileProgram(p, c->count, c->devices, c->text, c->number, NULL, NULL, NULL,
                                    (void *)(uintptr_t)c->other);
    if (p != c->program)
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    return error;
}

static void set_build(struct call *c)
{
    c->devices = &w.device;
    c->other = NULL;
    c->text = "";
}

FAULT(no_devices, (a->devices = NULL, a->odd_objects = true))
FAULT(devices_of_another_kind, a->devices = (const cl_device_id *)&w.context)
FAULT(data_without_function, a->other = host)
FAULT(headers_nowhere, a->number = 1)

static cl_int set_argument(const struct call *c)
{
    return clSetKernelArg(c->kernel, c->index, c->size, c->pointer);
}

static void set_memory_argument(struct call *c)
{
    c->size = sizeof o.buffer;
    c->pointer = &o.buffer;
}

FAULT(argument_of_another_kind, a->pointer = &w.context)

static cl_int set_status(const struct call *c)
{
    cl_int error = 1;
    cl_event e = c->event == o.event ? clCreateUserEvent(w.context, &error) : c->event;
    error = clSetUserEventStatus(e, (cl_int)c->index);
    if (e != c->event) {
        if (error)
            CHECK_EQ(clSetUserEventStatus(e, CL_COMPLETE), CL_SUCCESS);
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    }
    return error;
}

static cl_int wait_for(const struct call *c)
{
    const cl_event events[] = {o.event, c->event};
    return clWaitForEvents(c->count ? 2 : 0, c->pointer ? events : NULL);
}

FAULT(event_of_another_context, a->event = o.foreign_event)
FAULT(failed_event, a->event = o.failed)

static void CL_CALLBACK called(cl_event e, cl_int status, void *user)
{
    (void)e, (void)status, (void)user;
}

static cl_int event_callback(const struct call *c)
{
    return clSetEventCallback(c->event, (cl_int)c->index, c->notify ? called : NULL, NULL);
}

static void CL_CALLBACK destroyed(cl_mem m, void *user)
{
    (void)m, (void)user;
}

static cl_int memory_callback(const struct call *c)
{
    return clSetMemObjectDestructorCallback(c->to, c->notify ? destroyed : NULL, NULL);
}

static cl_int set_default_queue(const struct call *c)
{
    return clSetDefaultDeviceCommandQueue(c->context, c->device, c->queue);
}

static void set_device_queue(struct call *c)
{
    c->queue = o.device_queue;
}

FAULT(queue_on_host, a->queue = w.queue)

// Queries: the object, then the name, then the room.
FAULT(unknown_name, a->type = 0x7777)
FAULT(little_room, a->size = 1)
#define QUERY(name, get, object, first)                                                     \
    static cl_int name(const struct call *c)                                                \
    {                                                                                       \
        return get(object, (cl_uint)c->type, c->size, (void *)(uintptr_t)c->pointer, NULL); \
    }                                                                                       \
    static void set_##name(struct call *c)                                                  \
    {                                                                                       \
        c->type = first;                                                                    \
        c->size = sizeof host;                                                              \
    }
QUERY(device_info, clGetDeviceInfo, c->device, CL_DEVICE_TYPE)
QUERY(context_info, clGetContextInfo, c->context, CL_CONTEXT_REFERENCE_COUNT)
QUERY(queue_info, clGetCommandQueueInfo, c->queue, CL_QUEUE_CONTEXT)
QUERY(memory_info, clGetMemObjectInfo, c->to, CL_MEM_TYPE)
QUERY(sampler_info, clGetSamplerInfo, c->sampler, CL_SAMPLER_REFERENCE_COUNT)
QUERY(program_info, clGetProgramInfo, c->program, CL_PROGRAM_REFERENCE_COUNT)
QUERY(kernel_info, clGetKernelInfo, c->kernel, CL_KERNEL_NUM_ARGS)
QUERY(event_info, clGetEventInfo, c->event, CL_EVENT_REFERENCE_COUNT)
#undef QUERY

static cl_int image_info(const struct call *c)
{
    return clGetImageInfo(c->to, (cl_uint)c->type, c->size, (void *)(uintptr_t)c->pointer, NULL);
}

static void set_image_info(struct call *c)
{
    c->to = o.image;
    c->type = CL_IMAGE_WIDTH;
}

static cl_int pipe_info(const struct call *c)
{
    return clGetPipeInfo(c->to, (cl_uint)c->type, c->size, (void *)(uintptr_t)c->pointer, NULL);
}

static void set_pipe_info(struct call *c)
{
    c->to = o.pipe;
    c->type = CL_PIPE_PACKET_SIZE;
}

static cl_int build_info(const struct call *c)
{
    return clGetProgramBuildInfo(c->program, c->device, (cl_uint)c->type, c->size,
                                 (void *)(uintptr_t)c->pointer, NULL);
}

static void set_build_info(struct call *c)
{
    c->type = CL_PROGRAM_BUILD_STATUS;
}

static cl_int group_info(const struct call *c)
{
    return clGetKernelWorkGroupInfo(c->kernel, c->device, (cl_uint)c->type, c->size,
                                    (void *)(uintptr_t)c->pointer, NULL);
}

static void set_group_info(struct call *c)
{
    c->type = CL_KERNEL_WORK_GROUP_SIZE;
}

static cl_int argument_info(const struct call *c)
{
    return clGetKernelArgInfo(c->kernel, c->index, (cl_uint)c->type, c->size, (void *)(uintptr_t)c->pointer,
                              NULL);
}

static void set_argument_info(struct call *c)
{
    c->type = CL_KERNEL_ARG_ADDRESS_QUALIFIER;
}

FAULT(user_event, a->event = o.event)

static cl_int profiling_info(const struct call *c)
{
    return clGetEventProfilingInfo(c->event, (cl_uint)c->type, c->size, (void *)(uintptr_t)c->pointer, NULL);
}

static void set_profiling(struct call *c)
{
    c->event = o.timed;
    c->type = CL_PROFILING_COMMAND_END;
}

static cl_int formats(const struct call *c)
{
    return clGetSupportedImageFormats(c->context, c->flags, (cl_mem_object_type)c->type, c->count,
                                      (cl_image_format *)(uintptr_t)c->pointer, NULL);
}

static void set_formats(struct call *c)
{
    c->type = CL_MEM_OBJECT_IMAGE2D;
}

FAULT(unknown_image, a->type = CL_MEM_OBJECT_BUFFER)

static cl_int flush(const struct call *c)
{
    cl_int error = clFlush(c->queue);
    CHECK_EQ(clFinish(c->queue), error);
    return error;
}

// One more handle, and one less.
#define RETAINED(name, retain, release, object)                \
    static cl_int name(const struct call *c)                   \
    {                                                          \
        cl_int error = retain(object);                         \
        CHECK_EQ(error ? release(object) : CL_SUCCESS, error); \
        return error ? error : release(object);                \
    }
RETAINED(retain_context, clRetainContext, clReleaseContext, c->context)
RETAINED(retain_queue, clRetainCommandQueue, clReleaseCommandQueue, c->queue)
RETAINED(retain_memory, clRetainMemObject, clReleaseMemObject, c->to)
RETAINED(retain_sampler, clRetainSampler, clReleaseSampler, c->sampler)
RETAINED(retain_program, clRetainProgram, clReleaseProgram, c->program)
RETAINED(retain_kernel, clRetainKernel, clReleaseKernel, c->kernel)
RETAINED(retain_event, clRetainEvent, clReleaseEvent, c->event)

// ---- The tables ----

// clang-format off
static const struct entry entries[] = {
    {"clCreateBuffer", create_buffer, set_copied,
     {{CL_INVALID_CONTEXT, no_context}, {CL_INVALID_CONTEXT, context_of_another_kind}, {CL_INVALID_VALUE, both_ways},
      {CL_INVALID_BUFFER_SIZE, no_size}, {CL_INVALID_HOST_PTR, no_pointer}}},
    {"clCreateSubBuffer", create_sub_buffer, set_region,
     {{CL_INVALID_MEM_OBJECT, no_to}, {CL_INVALID_MEM_OBJECT, to_is_sub_buffer},
      {CL_INVALID_MEM_OBJECT, to_is_image}, {CL_INVALID_VALUE, more_than_parent}, {CL_INVALID_VALUE, bad_flags},
      {CL_INVALID_VALUE, unknown_type}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, far_at},
      {CL_INVALID_BUFFER_SIZE, no_size}}},
    {"clCreateImage", create_image, set_new_image,
     {{CL_INVALID_CONTEXT, no_context}, {CL_INVALID_CONTEXT, context_of_another_kind}, {CL_INVALID_VALUE, both_ways},
      {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, no_format}, {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, unknown_format},
      {CL_INVALID_IMAGE_DESCRIPTOR, no_description}, {CL_INVALID_IMAGE_DESCRIPTOR, unknown_kind},
      {CL_INVALID_IMAGE_DESCRIPTOR, no_width}, {CL_INVALID_IMAGE_SIZE, much_width},
      {CL_INVALID_HOST_PTR, no_pointer}}},
    {"clCreatePipe", create_pipe, NULL,
     {{CL_INVALID_CONTEXT, no_context}, {CL_INVALID_VALUE, bad_flags}, {CL_INVALID_VALUE, some_properties},
      {CL_INVALID_PIPE_SIZE, no_count}, {CL_INVALID_PIPE_SIZE, no_dimension}}},
    {"clCreateSamplerWithProperties", create_sampler, NULL,
     {{CL_INVALID_CONTEXT, no_context}, {CL_INVALID_CONTEXT, context_of_another_kind},
      {CL_INVALID_VALUE, unknown_property}}},
    {"clCreateCommandQueueWithProperties", create_queue, NULL,
     {{CL_INVALID_CONTEXT, no_context}, {CL_INVALID_CONTEXT, context_of_another_kind},
      {CL_INVALID_DEVICE, no_device}, {CL_INVALID_DEVICE, device_of_another_kind}, {CL_INVALID_VALUE, bad_flags}}},
    {"clCreateUserEvent", create_event, NULL,
     {{CL_INVALID_CONTEXT, no_context}, {CL_INVALID_CONTEXT, context_of_another_kind}}},
    // Without devices there is no driver that could look at the properties.
    {"clCreateContext", create_context, set_notify,
     {{CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, no_count}, {CL_INVALID_PROPERTY, unknown_type},
      {CL_INVALID_VALUE, no_notify}, {CL_INVALID_DEVICE, device_of_another_kind}}},
    {"clCreateProgramWithSource", program_with_source, set_text,
     {{CL_INVALID_CONTEXT, no_context}, {CL_INVALID_CONTEXT, context_of_another_kind}, {CL_INVALID_VALUE, no_count},
      {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, no_text}}},
    {"clCreateKernel", create_kernel, set_kernel_name,
     {{CL_INVALID_PROGRAM, no_program}, {CL_INVALID_PROGRAM, program_of_another_kind},
      {CL_INVALID_PROGRAM_EXECUTABLE, unbuilt_program}, {CL_INVALID_KERNEL_NAME, unknown_text},
      {CL_INVALID_VALUE, no_text}}},
    {"clBuildProgram", build_program, set_build,
     {{CL_INVALID_PROGRAM, no_program}, {CL_INVALID_PROGRAM, program_of_another_kind},
      {CL_INVALID_VALUE, no_devices}, {CL_INVALID_VALUE, no_count}, {CL_INVALID_VALUE, data_without_function},
      {CL_INVALID_DEVICE, devices_of_another_kind}, {CL_INVALID_BUILD_OPTIONS, unknown_text}}},
    {"clCompileProgram", compile_program, set_build,
     {{CL_INVALID_PROGRAM, no_program}, {CL_INVALID_PROGRAM, program_of_another_kind},
      {CL_INVALID_VALUE, no_devices}, {CL_INVALID_VALUE, no_count}, {CL_INVALID_VALUE, headers_nowhere},
      {CL_INVALID_VALUE, data_without_function}, {CL_INVALID_DEVICE, devices_of_another_kind},
      {CL_INVALID_COMPILER_OPTIONS, unknown_text}}},
    // What has another size than a handle is no handle to look at.
    {"clSetKernelArg", set_argument, set_memory_argument,
     {{CL_INVALID_KERNEL, no_kernel}, {CL_INVALID_KERNEL, kernel_of_another_kind}, {CL_INVALID_ARG_INDEX, far_index},
      {CL_INVALID_ARG_SIZE, little_room}, {CL_INVALID_MEM_OBJECT, argument_of_another_kind}}},
    {"clSetUserEventStatus", set_status, NULL,
     {{CL_INVALID_EVENT, no_event}, {CL_INVALID_EVENT, event_of_another_kind}, {CL_INVALID_VALUE, far_index}}},
    {"clWaitForEvents", wait_for, NULL,
     {{CL_INVALID_VALUE, no_count}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_CONTEXT, event_of_another_context},
      {CL_INVALID_EVENT, no_event}, {CL_INVALID_EVENT, event_of_another_kind},
      {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, failed_event}}},
    {"clSetEventCallback", event_callback, set_notify,
     {{CL_INVALID_EVENT, no_event}, {CL_INVALID_EVENT, event_of_another_kind}, {CL_INVALID_VALUE, no_notify},
      {CL_INVALID_VALUE, far_index}}},
    {"clSetMemObjectDestructorCallback", memory_callback, set_notify,
     {{CL_INVALID_MEM_OBJECT, no_to}, {CL_INVALID_MEM_OBJECT, to_of_another_kind}, {CL_INVALID_VALUE, no_notify}}},
    {"clSetDefaultDeviceCommandQueue", set_default_queue, set_device_queue,
     {{CL_INVALID_CONTEXT, no_context}, {CL_INVALID_CONTEXT, context_of_another_kind},
      {CL_INVALID_DEVICE, no_device}, {CL_INVALID_DEVICE, device_of_another_kind},
      {CL_INVALID_COMMAND_QUEUE, no_queue}, {CL_INVALID_COMMAND_QUEUE, queue_on_host}}},
    {"clGetDeviceInfo", device_info, set_device_info,
     {{CL_INVALID_DEVICE, no_device}, {CL_INVALID_DEVICE, device_of_another_kind}, {CL_INVALID_VALUE, unknown_name},
      {CL_INVALID_VALUE, little_room}}},
    {"clGetContextInfo", context_info, set_context_info,
     {{CL_INVALID_CONTEXT, no_context}, {CL_INVALID_CONTEXT, context_of_another_kind},
      {CL_INVALID_VALUE, unknown_name}, {CL_INVALID_VALUE, little_room}}},
    {"clGetCommandQueueInfo", queue_info, set_queue_info,
     {{CL_INVALID_COMMAND_QUEUE, no_queue}, {CL_INVALID_COMMAND_QUEUE, queue_of_another_kind},
      {CL_INVALID_VALUE, unknown_name}, {CL_INVALID_VALUE, little_room}}},
    {"clGetSupportedImageFormats", formats, set_formats,
     {{CL_INVALID_CONTEXT, no_context}, {CL_INVALID_CONTEXT, context_of_another_kind}, {CL_INVALID_VALUE, both_ways},
      {CL_INVALID_VALUE, unknown_image}, {CL_INVALID_VALUE, no_count}}},
    {"clGetMemObjectInfo", memory_info, set_memory_info,
     {{CL_INVALID_MEM_OBJECT, no_to}, {CL_INVALID_MEM_OBJECT, to_of_another_kind}, {CL_INVALID_VALUE, unknown_name},
      {CL_INVALID_VALUE, little_room}}},
    {"clGetImageInfo", image_info, set_image_info,
     {{CL_INVALID_MEM_OBJECT, to_is_buffer}, {CL_INVALID_VALUE, unknown_name}, {CL_INVALID_VALUE, little_room}}},
    {"clGetPipeInfo", pipe_info, set_pipe_info,
     {{CL_INVALID_MEM_OBJECT, to_is_buffer}, {CL_INVALID_VALUE, unknown_name}, {CL_INVALID_VALUE, little_room}}},
    {"clGetSamplerInfo", sampler_info, set_sampler_info,
     {{CL_INVALID_SAMPLER, no_sampler}, {CL_INVALID_VALUE, unknown_name}, {CL_INVALID_VALUE, little_room}}},
    {"clGetProgramInfo", program_info, set_program_info,
     {{CL_INVALID_PROGRAM, no_program}, {CL_INVALID_VALUE, unknown_name}, {CL_INVALID_VALUE, little_room}}},
    {"clGetProgramBuildInfo", build_info, set_build_info,
     {{CL_INVALID_PROGRAM, no_program}, {CL_INVALID_DEVICE, no_device}, {CL_INVALID_DEVICE, device_of_another_kind},
      {CL_INVALID_VALUE, unknown_name}, {CL_INVALID_VALUE, little_room}}},
    {"clGetKernelInfo", kernel_info, set_kernel_info,
     {{CL_INVALID_KERNEL, no_kernel}, {CL_INVALID_VALUE, unknown_name}, {CL_INVALID_VALUE, little_room}}},
    {"clGetKernelWorkGroupInfo", group_info, set_group_info,
     {{CL_INVALID_KERNEL, no_kernel}, {CL_INVALID_DEVICE, device_of_another_kind}, {CL_INVALID_VALUE, unknown_name},
      {CL_INVALID_VALUE, little_room}}},
    {"clGetKernelArgInfo", argument_info, set_argument_info,
     {{CL_INVALID_KERNEL, no_kernel}, {CL_INVALID_ARG_INDEX, far_index}, {CL_INVALID_VALUE, unknown_name},
      {CL_INVALID_VALUE, little_room}}},
    {"clGetEventProfilingInfo", profiling_info, set_profiling,
     {{CL_INVALID_EVENT, no_event}, {CL_PROFILING_INFO_NOT_AVAILABLE, user_event}, {CL_INVALID_VALUE, unknown_name},
      {CL_INVALID_VALUE, little_room}}},
    {"clGetEventInfo", event_info, set_event_info,
     {{CL_INVALID_EVENT, no_event}, {CL_INVALID_VALUE, unknown_name}, {CL_INVALID_VALUE, little_room}}},
    {"clFlush and clFinish", flush, NULL,
     {NO_QUEUES}},
    {"clRetainContext", retain_context, NULL,
     {{CL_INVALID_CONTEXT, no_context}, {CL_INVALID_CONTEXT, context_of_another_kind}}},
    {"clRetainCommandQueue", retain_queue, NULL,
     {{CL_INVALID_COMMAND_QUEUE, no_queue}, {CL_INVALID_COMMAND_QUEUE, queue_of_another_kind}}},
    {"clRetainMemObject", retain_memory, NULL,
     {{CL_INVALID_MEM_OBJECT, no_to}, {CL_INVALID_MEM_OBJECT, to_of_another_kind}}},
    {"clRetainSampler", retain_sampler, NULL,
     {{CL_INVALID_SAMPLER, no_sampler}}},
    {"clRetainProgram", retain_program, NULL,
     {{CL_INVALID_PROGRAM, no_program}, {CL_INVALID_PROGRAM, program_of_another_kind}}},
    {"clRetainKernel", retain_kernel, NULL,
     {{CL_INVALID_KERNEL, no_kernel}, {CL_INVALID_KERNEL, kernel_of_another_kind}}},
    {"clRetainEvent", retain_event, NULL,
     {{CL_INVALID_EVENT, no_event}, {CL_INVALID_EVENT, event_of_another_kind}}},
};
// clang-format on

TEST(each_fault_gives_its_code_and_the_first_of_two_decides)
{
    check_entries(entries, sizeof entries / sizeof *entries, 450);
}
