// The tables of errors of OpenCL 2.2 §5, row by row: each fault alone gives its code, and of any two the one that the table names first
// decides. A call is made right first, then with one fault, then with each two that don't concern the same argument.
//
// Two things are otherwise than in the tables. Whatever a function is called on comes first, also where a table of a query names it last:
// the loader asks it for its functions. And an event that has failed is met behind everything else: it is waited for then.
//
// Left out is what no call can provoke here: errors of other devices (no images, no compiler, misaligned sub-buffers, which the only
// device refuses to create), and those of memory, which tests/runtime/no_memory.c has.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "memory_fixture.h"

enum { SIDE = 16, BYTES = 4096, MOST_FAULTS = 16 };

// All that any of the calls takes.
struct call {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem from, to; // the only object is `to`
    cl_program program;
    cl_kernel kernel;
    cl_sampler sampler;
    cl_event event;
    const void *pointer, *other;
    size_t at[3], to_at[3], region[3], row, slice, host_row, host_slice, size, pattern;
    size_t global[3], local[3];
    cl_bool blocking;
    cl_uint count, dim, index, number;
    cl_ulong flags, type;
    const cl_event *list;
    cl_uint waits;
    cl_bool odd_list, odd_objects; // two such faults may make a right call again
    const char *text;
    const cl_device_id *devices;
    cl_image_format format;
    cl_image_desc desc;
    const cl_image_format *formats;
    const cl_image_desc *descs;
    const cl_sampler_properties *properties;
    void(CL_CALLBACK *notify)(void *);
};

struct fault {
    cl_int code;
    void (*make)(struct call *);
};

struct entry {
    const char *name;
    cl_int (*call)(const struct call *);
    void (*set)(struct call *); // what it needs; NULL: what all have
    struct fault faults[MOST_FAULTS];
};

// ---- The world ----

static struct world w;
static struct {
    cl_mem buffer, second, readable, writable, closed, foreign, pipe, sub; // readable: by the host alone
    cl_mem image, other_image, mismatched, volume, foreign_image, image_readable, image_writable;
    cl_command_queue device_queue;
    cl_program program, unbuilt, spirv;
    cl_kernel kernel, unset, sized, foreign_kernel;
    cl_sampler sampler;
    cl_event event, foreign_event, failed, timed;
    void *svm, *mapped;
    cl_device_id part; // of no context here; NULL: there is none
} o;
static unsigned char host[1 << 16];

static cl_mem make_image(cl_context c, cl_mem_flags flags, cl_channel_type type, bool volume)
{
    cl_int error = 1;
    const cl_image_format format = {CL_RGBA, type};
    const cl_image_desc desc = {.image_type = volume ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D,
                                .image_width = SIDE,
                                .image_height = SIDE,
                                .image_depth = volume ? 4 : 0};
    cl_mem m = clCreateImage(c, flags, &format, &desc, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

static cl_program make_program(cl_context c, const char *text, bool build)
{
    cl_int error = 1;
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    if (build)
        CHECK_EQ(clBuildProgram(p, 0, NULL, "-cl-std=CL2.0", NULL, NULL), CL_SUCCESS);
    return p;
}

static cl_kernel make_kernel(cl_program p, const char *name)
{
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return k;
}

static void set_up(void)
{
    static const char source[] =
        "kernel void k(global int *p, int n, sampler_t s, read_only image2d_t i, queue_t q, local int *l) { "
        "p[0] = n; }\n"
        "kernel void unset(global int *p) { *p = 1; }\n"
        "kernel void plain(global int *p) { *p = 1; }\n"
        "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void sized(global int *p) { *p = 1; }\n";
    cl_int error = 1;
    w = open_world(CL_QUEUE_PROFILING_ENABLE);
    o.buffer = make_buffer(w.context, 0, BYTES, NULL);
    o.second = make_buffer(w.context, 0, BYTES, NULL);
    o.readable = make_buffer(w.context, CL_MEM_HOST_READ_ONLY, BYTES, NULL);
    o.writable = make_buffer(w.context, CL_MEM_HOST_WRITE_ONLY, BYTES, NULL);
    o.closed = make_buffer(w.context, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, BYTES, NULL);
    o.foreign = make_buffer(w.other, 0, BYTES, NULL);
    const cl_buffer_region half = {0, BYTES / 2};
    o.sub = clCreateSubBuffer(o.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &error);
    CHECK_EQ(error, CL_SUCCESS);
    o.pipe = clCreatePipe(w.context, 0, 4, 4, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    o.image = make_image(w.context, 0, CL_UNORM_INT8, false);
    o.other_image = make_image(w.context, 0, CL_UNORM_INT8, false);
    o.mismatched = make_image(w.context, 0, CL_FLOAT, false);
    o.volume = make_image(w.context, 0, CL_UNORM_INT8, true);
    o.foreign_image = make_image(w.other, 0, CL_UNORM_INT8, false);
    o.image_readable = make_image(w.context, CL_MEM_HOST_READ_ONLY, CL_UNORM_INT8, false);
    o.image_writable = make_image(w.context, CL_MEM_HOST_WRITE_ONLY, CL_UNORM_INT8, false);
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    o.device_queue = clCreateCommandQueueWithProperties(w.context, w.device, on_device, &error);
    CHECK_EQ(error, CL_SUCCESS);
    o.program = make_program(w.context, source, true);
    o.unbuilt = make_program(w.context, source, false);
    o.kernel = make_kernel(o.program, "plain");
    CHECK_EQ(clSetKernelArg(o.kernel, 0, sizeof o.buffer, &o.buffer), CL_SUCCESS);
    o.unset = make_kernel(o.program, "unset");
    o.sized = make_kernel(o.program, "sized");
    CHECK_EQ(clSetKernelArg(o.sized, 0, sizeof o.buffer, &o.buffer), CL_SUCCESS);
    o.foreign_kernel = make_kernel(make_program(w.other, source, true), "plain");
    CHECK_EQ(clSetKernelArg(o.foreign_kernel, 0, sizeof o.foreign, &o.foreign), CL_SUCCESS);
    o.sampler = clCreateSampler(w.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
    CHECK_EQ(error, CL_SUCCESS);
    o.event = clCreateUserEvent(w.context, &error);
    CHECK_EQ(clSetUserEventStatus(o.event, CL_COMPLETE), CL_SUCCESS);
    o.foreign_event = clCreateUserEvent(w.other, &error);
    CHECK_EQ(clSetUserEventStatus(o.foreign_event, CL_COMPLETE), CL_SUCCESS);
    o.failed = clCreateUserEvent(w.context, &error);
    CHECK_EQ(clSetUserEventStatus(o.failed, -5), CL_SUCCESS);
    CHECK_EQ(clEnqueueMarkerWithWaitList(w.queue, 0, NULL, &o.timed), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    o.svm = clSVMAlloc(w.context, 0, BYTES, 0);
    CHECK(o.svm != NULL);
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[64];
    if (clCreateSubDevices(w.device, one, 64, parts, NULL) == CL_SUCCESS)
        o.part = parts[0];
}

static struct call right(void)
{
    struct call c;
    memset(&c, 0, sizeof c); // also between members: calls are compared word by word
    c.context = w.context;
    c.device = w.device;
    c.queue = w.queue;
    c.from = o.buffer;
    c.to = o.second;
    c.program = o.program;
    c.kernel = o.kernel;
    c.sampler = o.sampler;
    c.event = o.event;
    c.pointer = host;
    c.other = host + BYTES;
    c.region[0] = 16;
    c.region[1] = c.region[2] = 1;
    c.size = 64;
    c.pattern = 4;
    c.global[0] = 16;
    c.local[0] = 4;
    c.count = c.dim = 1;
    return c;
}

// ---- Faults ----

#define FAULT(name, change)          \
    static void name(struct call *a) \
    {                                \
        change;                      \
    }
#define NOT_ONE ((void *)(uintptr_t)w.context) // an object of another kind

FAULT(no_queue, a->queue = NULL)
FAULT(queue_of_another_kind, a->queue = NOT_ONE)
FAULT(queue_on_device, a->queue = o.device_queue)
FAULT(no_context, a->context = NULL)
FAULT(context_of_another_kind, a->context = (cl_context)o.buffer)
FAULT(no_device, a->device = NULL)
FAULT(device_of_another_kind, a->device = NOT_ONE)
FAULT(foreign_to, a->to = o.foreign)
FAULT(foreign_image_to, a->to = o.foreign_image)
FAULT(foreign_from, a->from = o.foreign)
FAULT(foreign_image_from, a->from = o.foreign_image)
FAULT(no_to, a->to = NULL)
FAULT(no_from, a->from = NULL)
FAULT(to_of_another_kind, a->to = NOT_ONE)
FAULT(from_is_buffer, a->from = o.buffer)
FAULT(from_is_image, a->from = o.image)
FAULT(to_is_buffer, a->to = o.buffer)
FAULT(to_is_image, a->to = o.image)
FAULT(to_is_pipe, a->to = o.pipe)
FAULT(to_is_sub_buffer, a->to = o.sub)
FAULT(to_is_closed, a->to = o.closed)
FAULT(to_is_read_by_host, a->to = o.readable)
FAULT(to_is_written_by_host, a->to = o.writable)
FAULT(to_is_image_read_by_host, a->to = o.image_readable)
FAULT(to_is_image_written_by_host, a->to = o.image_writable)
FAULT(to_has_another_format, a->to = o.mismatched)
FAULT(far_size, a->size = BYTES + 4)
FAULT(no_size, a->size = 0)
FAULT(odd_size, a->size = 63)
FAULT(no_pointer, a->pointer = NULL)
FAULT(no_other_pointer, a->other = NULL)
FAULT(no_pattern_size, a->pattern = 0)
FAULT(odd_pattern_size, a->pattern = 3)
FAULT(empty_region, a->region[1] = 0)
FAULT(far_at, a->at[0] = 2 * BYTES)
FAULT(far_to_at, a->to_at[0] = 2 * BYTES)
FAULT(deep_region, a->region[2] = 2) // of an image of two dimensions
FAULT(deep_at, a->at[2] = 1)
FAULT(narrow_row, a->row = 1)
FAULT(narrow_host_row, a->host_row = 1)
FAULT(flat_slice, a->slice = 1)
FAULT(flat_host_slice, a->host_slice = 1)
FAULT(overlapping, a->to = a->from)
FAULT(bad_flags, a->flags = (cl_ulong)1 << 40)
FAULT(no_list, (a->waits = 1, a->odd_list = true))
FAULT(no_waits, (a->list = &o.event, a->odd_list = true))
FAULT(list_of_another_kind, (a->waits = 1, a->list = (const cl_event *)&w.context, a->odd_list = true))
FAULT(list_of_another_context, (a->waits = 1, a->list = &o.foreign_event, a->odd_list = true))
FAULT(list_with_failed, (a->waits = 1, a->list = &o.failed, a->odd_list = true))
FAULT(no_count, (a->count = 0, a->odd_objects = true))
FAULT(no_objects, (a->pointer = NULL, a->odd_objects = true))
FAULT(no_kernel, a->kernel = NULL)
FAULT(kernel_of_another_kind, a->kernel = NOT_ONE)
FAULT(kernel_of_another_context, a->kernel = o.foreign_kernel)
FAULT(kernel_without_arguments, a->kernel = o.unset)
FAULT(no_dimension, a->dim = 0)
FAULT(four_dimensions, a->dim = 4)
FAULT(wrapping_offset, a->at[0] = SIZE_MAX)
FAULT(huge_group, a->local[0] = a->global[0] = (size_t)1 << 30)
FAULT(no_program, a->program = NULL)
FAULT(program_of_another_kind, a->program = NOT_ONE)
FAULT(unbuilt_program, a->program = o.unbuilt)
FAULT(no_text, a->text = NULL)
FAULT(unknown_text, a->text = "-nobody-knows")
FAULT(no_sampler, a->sampler = NULL)
FAULT(no_event, a->event = NULL)
FAULT(event_of_another_kind, a->event = NOT_ONE)
FAULT(unknown_type, a->type = 0x7777)
FAULT(far_index, a->index = 99)
FAULT(no_notify, a->notify = NULL)

// clang-format off
#define NO_QUEUES {CL_INVALID_COMMAND_QUEUE, no_queue}, {CL_INVALID_COMMAND_QUEUE, queue_of_another_kind}, \
                  {CL_INVALID_COMMAND_QUEUE, queue_on_device}
#define NO_LISTS {CL_INVALID_EVENT_WAIT_LIST, no_list}, {CL_INVALID_EVENT_WAIT_LIST, no_waits}, \
                 {CL_INVALID_EVENT_WAIT_LIST, list_of_another_kind}
#define FOREIGN_LIST {CL_INVALID_CONTEXT, list_of_another_context}
#define FAILED_LIST {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, list_with_failed}
// clang-format on

// ---- Calls ----

static cl_int read_buffer(const struct call *c)
{
    return clEnqueueReadBuffer(c->queue, c->to, c->blocking, c->at[0], c->size, (void *)(uintptr_t)c->pointer,
                               c->waits, c->list, NULL);
}

static cl_int write_buffer(const struct call *c)
{
    return clEnqueueWriteBuffer(c->queue, c->to, c->blocking, c->at[0], c->size, c->pointer, c->waits,
                                c->list, NULL);
}

static void set_blocking(struct call *c)
{
    c->blocking = CL_TRUE;
}

static cl_int read_rect(const struct call *c)
{
    return clEnqueueReadBufferRect(c->queue, c->to, c->blocking, c->at, c->to_at, c->region, c->row, c->slice,
                                   c->host_row, c->host_slice, (void *)(uintptr_t)c->pointer, c->waits,
                                   c->list, NULL);
}

static cl_int write_rect(const struct call *c)
{
    return clEnqueueWriteBufferRect(c->queue, c->to, c->blocking, c->at, c->to_at, c->region, c->row,
                                    c->slice, c->host_row, c->host_slice, c->pointer, c->waits, c->list,
                                    NULL);
}

static cl_int copy_buffer(const struct call *c)
{
    return clEnqueueCopyBuffer(c->queue, c->from, c->to, c->at[0], c->to_at[0], c->size, c->waits, c->list,
                               NULL);
}

static cl_int copy_rect(const struct call *c)
{
    return clEnqueueCopyBufferRect(c->queue, c->from, c->to, c->at, c->to_at, c->region, c->row, c->slice,
                                   c->host_row, c->host_slice, c->waits, c->list, NULL);
}

static cl_int fill_buffer(const struct call *c)
{
    return clEnqueueFillBuffer(c->queue, c->to, c->pointer, c->pattern, c->at[0], c->size, c->waits, c->list,
                               NULL);
}

static cl_int unmap(cl_command_queue q, cl_mem m, void *at)
{
    return at ? clEnqueueUnmapMemObject(q, m, at, 0, NULL, NULL) : CL_SUCCESS;
}

static cl_int map_buffer(const struct call *c)
{
    cl_int error = 1;
    void *at = clEnqueueMapBuffer(c->queue, c->to, c->blocking, c->flags, c->at[0], c->size, c->waits,
                                  c->list, NULL, &error);
    CHECK_EQ(at != NULL, error == CL_SUCCESS);
    return error ? error : unmap(c->queue, c->to, at);
}

static void set_map(struct call *c)
{
    c->flags = CL_MAP_READ | CL_MAP_WRITE;
    c->blocking = CL_TRUE;
}

static void set_image(struct call *c)
{
    c->from = o.image;
    c->to = o.other_image;
    c->region[0] = c->region[1] = 4;
}

static void set_map_image(struct call *c)
{
    set_map(c);
    set_image(c);
}

static cl_int read_image(const struct call *c)
{
    return clEnqueueReadImage(c->queue, c->to, c->blocking, c->at, c->region, c->row, c->slice,
                              (void *)(uintptr_t)c->pointer, c->waits, c->list, NULL);
}

static cl_int write_image(const struct call *c)
{
    return clEnqueueWriteImage(c->queue, c->to, c->blocking, c->at, c->region, c->row, c->slice, c->pointer,
                               c->waits, c->list, NULL);
}

static void set_blocking_image(struct call *c)
{
    set_image(c);
    c->blocking = CL_TRUE;
}

static cl_int copy_image(const struct call *c)
{
    return clEnqueueCopyImage(c->queue, c->from, c->to, c->at, c->to_at, c->region, c->waits, c->list, NULL);
}

static cl_int fill_image(const struct call *c)
{
    return clEnqueueFillImage(c->queue, c->to, c->pointer, c->at, c->region, c->waits, c->list, NULL);
}

static cl_int image_to_buffer(const struct call *c)
{
    return clEnqueueCopyImageToBuffer(c->queue, c->from, c->to, c->at, c->region, c->to_at[0], c->waits,
                                      c->list, NULL);
}

static void set_image_to_buffer(struct call *c)
{
    set_image(c);
    c->to = o.second;
}

static cl_int buffer_to_image(const struct call *c)
{
    return clEnqueueCopyBufferToImage(c->queue, c->from, c->to, c->to_at[0], c->at, c->region, c->waits,
                                      c->list, NULL);
}

static void set_buffer_to_image(struct call *c)
{
    set_image(c);
    c->from = o.buffer;
}

static cl_int map_image(const struct call *c)
{
    cl_int error = 1;
    size_t row = 0, slice = 0;
    void *at = clEnqueueMapImage(c->queue, c->to, c->blocking, c->flags, c->at, c->region,
                                 c->pointer ? &row : NULL, &slice, c->waits, c->list, NULL, &error);
    CHECK_EQ(at != NULL, error == CL_SUCCESS);
    return error ? error : unmap(c->queue, c->to, at);
}

// Of an image that may be mapped: of others nobody needs to ask for it, the CTS finds.
FAULT(no_pitch, (a->pointer = NULL, a->to = o.image))

static cl_int unmap_object(const struct call *c)
{
    cl_int error = 1;
    if (!o.mapped) {
        o.mapped = clEnqueueMapBuffer(w.queue, o.second, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
    }
    error = clEnqueueUnmapMemObject(c->queue, c->to,
                                    c->pointer == host ? o.mapped : (void *)(uintptr_t)c->pointer, c->waits,
                                    c->list, NULL);
    if (!error)
        o.mapped = NULL;
    return error;
}

static cl_int migrate(const struct call *c)
{
    return clEnqueueMigrateMemObjects(c->queue, c->count, c->pointer ? &c->to : NULL, c->flags, c->waits,
                                      c->list, NULL);
}

static cl_int launch(const struct call *c)
{
    return clEnqueueNDRangeKernel(c->queue, c->kernel, c->dim, c->at, c->global, c->local, c->waits, c->list,
                                  NULL);
}

static cl_int task(const struct call *c)
{
    return clEnqueueTask(c->queue, c->kernel, c->waits, c->list, NULL);
}

static void CL_CALLBACK native(void *arguments)
{
    (void)arguments;
}

static void set_notify(struct call *c)
{
    c->notify = native;
}

static cl_int enqueue_native(const struct call *c)
{
    const void *places[] = {host};
    return clEnqueueNativeKernel(c->queue, c->notify, (void *)(uintptr_t)c->pointer, c->size, c->count,
                                 &c->to, c->other ? places : NULL, c->waits, c->list, NULL);
}

static cl_int marker(const struct call *c)
{
    return clEnqueueMarkerWithWaitList(c->queue, c->waits, c->list, NULL);
}

static cl_int barrier(const struct call *c)
{
    return clEnqueueBarrierWithWaitList(c->queue, c->waits, c->list, NULL);
}

static cl_int svm_memcpy(const struct call *c)
{
    return clEnqueueSVMMemcpy(c->queue, c->blocking, (void *)(uintptr_t)c->other, c->pointer, c->size,
                              c->waits, c->list, NULL);
}

FAULT(overlapping_pointers, (a->other = host + 8, a->pointer = host))
FAULT(odd_other, a->other = host + 1)

static cl_int svm_fill(const struct call *c)
{
    return clEnqueueSVMMemFill(c->queue, (void *)(uintptr_t)c->other, c->pointer, c->pattern, c->size,
                               c->waits, c->list, NULL);
}

static void set_svm(struct call *c)
{
    c->flags = CL_MAP_READ;
    c->pointer = o.svm;
    c->other = o.svm;
}

static void set_svm_blocking(struct call *c)
{
    set_svm(c);
    c->blocking = CL_TRUE;
}

static cl_int svm_map(const struct call *c)
{
    cl_int error = clEnqueueSVMMap(c->queue, c->blocking, c->flags, (void *)(uintptr_t)c->pointer, c->size,
                                   c->waits, c->list, NULL);
    return error ? error : clEnqueueSVMUnmap(c->queue, (void *)(uintptr_t)c->pointer, 0, NULL, NULL);
}

static cl_int svm_unmap(const struct call *c)
{
    cl_int error = clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, o.svm, 64, 0, NULL, NULL);
    CHECK_EQ(error, CL_SUCCESS);
    error = clEnqueueSVMUnmap(c->queue, (void *)(uintptr_t)c->pointer, c->waits, c->list, NULL);
    if (error)
        CHECK_EQ(clEnqueueSVMUnmap(w.queue, o.svm, 0, NULL, NULL), CL_SUCCESS);
    return error;
}

static cl_int svm_free(const struct call *c)
{
    void *pointers[] = {NULL};
    return clEnqueueSVMFree(c->queue, c->count, c->pointer ? pointers : NULL, NULL, NULL, c->waits, c->list,
                            NULL);
}

static cl_int svm_migrate(const struct call *c)
{
    const void *pointers[] = {c->other};
    return clEnqueueSVMMigrateMem(c->queue, c->count, c->pointer ? pointers : NULL, &c->size, c->flags,
                                  c->waits, c->list, NULL);
}

static void set_svm_migrate(struct call *c)
{
    set_svm(c);
    c->flags = 0;
}

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
    {"clEnqueueReadBuffer", read_buffer, set_blocking,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, no_to},
      {CL_INVALID_MEM_OBJECT, to_of_another_kind}, {CL_INVALID_MEM_OBJECT, to_is_image},
      {CL_INVALID_VALUE, far_size}, {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_written_by_host}, FAILED_LIST}},
    {"clEnqueueWriteBuffer", write_buffer, set_blocking,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, no_to},
      {CL_INVALID_MEM_OBJECT, to_is_pipe}, {CL_INVALID_MEM_OBJECT, to_is_image}, {CL_INVALID_VALUE, far_size},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_read_by_host}, FAILED_LIST}},
    {"clEnqueueReadBufferRect", read_rect, set_blocking,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, no_to},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, empty_region},
      {CL_INVALID_VALUE, narrow_row}, {CL_INVALID_VALUE, narrow_host_row}, {CL_INVALID_VALUE, flat_slice}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_closed}}},
    {"clEnqueueWriteBufferRect", write_rect, set_blocking,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_image},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, empty_region},
      {CL_INVALID_VALUE, narrow_row}, {CL_INVALID_VALUE, narrow_host_row}, {CL_INVALID_VALUE, flat_host_slice},
      NO_LISTS, {CL_INVALID_OPERATION, to_is_closed}}},
    {"clEnqueueCopyBuffer", copy_buffer, NULL,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_from}, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST,
      {CL_INVALID_MEM_OBJECT, no_from}, {CL_INVALID_MEM_OBJECT, to_is_image}, {CL_INVALID_VALUE, far_at},
      {CL_INVALID_VALUE, far_to_at}, {CL_INVALID_VALUE, far_size}, NO_LISTS, {CL_MEM_COPY_OVERLAP, overlapping}}},
    {"clEnqueueCopyBufferRect", copy_rect, NULL,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_from}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_image},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, far_to_at}, {CL_INVALID_VALUE, empty_region},
      {CL_INVALID_VALUE, narrow_row}, {CL_INVALID_VALUE, narrow_host_row}, {CL_INVALID_VALUE, flat_host_slice},
      NO_LISTS, {CL_MEM_COPY_OVERLAP, overlapping}}},
    {"clEnqueueFillBuffer", fill_buffer, NULL,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_image},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, no_pattern_size},
      {CL_INVALID_VALUE, odd_pattern_size}, {CL_INVALID_VALUE, odd_size}, NO_LISTS}},
    {"clEnqueueMapBuffer", map_buffer, set_map,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_image},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_size}, {CL_INVALID_VALUE, bad_flags}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_written_by_host}, {CL_INVALID_OPERATION, to_is_closed}, FAILED_LIST}},
    {"clEnqueueReadImage", read_image, set_blocking_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_buffer},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, deep_region},
      {CL_INVALID_VALUE, empty_region}, {CL_INVALID_VALUE, narrow_row}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_image_written_by_host}, FAILED_LIST}},
    {"clEnqueueWriteImage", write_image, set_blocking_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, no_to},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, deep_at},
      {CL_INVALID_VALUE, empty_region}, {CL_INVALID_VALUE, narrow_row}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_image_read_by_host}, FAILED_LIST}},
    {"clEnqueueCopyImage", copy_image, set_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_from}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_buffer},
      {CL_IMAGE_FORMAT_MISMATCH, to_has_another_format}, {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, far_to_at},
      {CL_INVALID_VALUE, deep_region}, {CL_INVALID_VALUE, empty_region}, NO_LISTS,
      {CL_MEM_COPY_OVERLAP, overlapping}}},
    {"clEnqueueFillImage", fill_image, set_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_buffer},
      {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, deep_region}, NO_LISTS}},
    {"clEnqueueCopyImageToBuffer", image_to_buffer, set_image_to_buffer,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_from}, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST,
      {CL_INVALID_MEM_OBJECT, from_is_buffer}, {CL_INVALID_MEM_OBJECT, to_is_image}, {CL_INVALID_VALUE, far_at},
      {CL_INVALID_VALUE, far_to_at}, {CL_INVALID_VALUE, deep_region}, NO_LISTS}},
    {"clEnqueueCopyBufferToImage", buffer_to_image, set_buffer_to_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_from}, {CL_INVALID_CONTEXT, foreign_image_to}, FOREIGN_LIST,
      {CL_INVALID_MEM_OBJECT, from_is_image}, {CL_INVALID_MEM_OBJECT, to_is_buffer}, {CL_INVALID_VALUE, far_at},
      {CL_INVALID_VALUE, far_to_at}, {CL_INVALID_VALUE, deep_region}, NO_LISTS}},
    {"clEnqueueMapImage", map_image, set_map_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_buffer},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, bad_flags}, {CL_INVALID_VALUE, deep_region},
      {CL_INVALID_VALUE, no_pitch}, NO_LISTS, {CL_INVALID_OPERATION, to_is_image_written_by_host}, FAILED_LIST}},
    {"clEnqueueUnmapMemObject", unmap_object, NULL,
     {NO_QUEUES, {CL_INVALID_MEM_OBJECT, no_to}, {CL_INVALID_MEM_OBJECT, to_is_pipe}, {CL_INVALID_VALUE, no_pointer},
      {CL_INVALID_EVENT_WAIT_LIST, no_list}, {CL_INVALID_EVENT_WAIT_LIST, no_waits},
      {CL_INVALID_EVENT_WAIT_LIST, list_of_another_kind}}},
    // Without a list there is nothing whose context could be another.
    {"clEnqueueMigrateMemObjects", migrate, NULL,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_count}, {CL_INVALID_VALUE, no_objects},
      {CL_INVALID_CONTEXT, foreign_to}, {CL_INVALID_MEM_OBJECT, no_to}, {CL_INVALID_MEM_OBJECT, to_of_another_kind},
      {CL_INVALID_VALUE, bad_flags}, NO_LISTS}},
    // CL_DEVICE_MAX_WORK_ITEM_SIZES is no less than CL_KERNEL_WORK_GROUP_SIZE: whatever is above the former would be above the latter.
    {"clEnqueueNDRangeKernel", launch, NULL,
     {NO_QUEUES, {CL_INVALID_KERNEL, no_kernel}, {CL_INVALID_KERNEL, kernel_of_another_kind},
      {CL_INVALID_CONTEXT, kernel_of_another_context}, FOREIGN_LIST,
      {CL_INVALID_KERNEL_ARGS, kernel_without_arguments}, {CL_INVALID_WORK_DIMENSION, no_dimension},
      {CL_INVALID_WORK_DIMENSION, four_dimensions}, {CL_INVALID_GLOBAL_OFFSET, wrapping_offset},
      {CL_INVALID_WORK_ITEM_SIZE, huge_group}, NO_LISTS}},
    {"clEnqueueTask", task, NULL,
     {NO_QUEUES, {CL_INVALID_KERNEL, no_kernel}, {CL_INVALID_CONTEXT, kernel_of_another_context}, FOREIGN_LIST,
      {CL_INVALID_KERNEL_ARGS, kernel_without_arguments}, NO_LISTS}},
    {"clEnqueueNativeKernel", enqueue_native, set_notify,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_notify}, {CL_INVALID_VALUE, no_pointer},
      {CL_INVALID_VALUE, no_size}, {CL_INVALID_VALUE, no_other_pointer}, {CL_INVALID_MEM_OBJECT, to_is_image},
      NO_LISTS}},
    {"clEnqueueMarkerWithWaitList", marker, NULL,
     {NO_QUEUES, FOREIGN_LIST, NO_LISTS}},
    {"clEnqueueBarrierWithWaitList", barrier, NULL,
     {NO_QUEUES, FOREIGN_LIST, NO_LISTS}},
    {"clEnqueueSVMMemcpy", svm_memcpy, set_blocking,
     {NO_QUEUES, FOREIGN_LIST, NO_LISTS, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, no_other_pointer},
      {CL_MEM_COPY_OVERLAP, overlapping_pointers}, FAILED_LIST}},
    {"clEnqueueSVMMemFill", svm_fill, NULL,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_other_pointer}, {CL_INVALID_VALUE, odd_other},
      {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, no_pattern_size}, {CL_INVALID_VALUE, odd_pattern_size},
      {CL_INVALID_VALUE, odd_size}, NO_LISTS}},
    {"clEnqueueSVMMap", svm_map, set_svm_blocking,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, no_size},
      {CL_INVALID_VALUE, bad_flags}, NO_LISTS, FAILED_LIST}},
    {"clEnqueueSVMUnmap", svm_unmap, set_svm,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_pointer}, NO_LISTS}},
    {"clEnqueueSVMFree", svm_free, NULL,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_count}, {CL_INVALID_VALUE, no_objects}, NO_LISTS}},
    {"clEnqueueSVMMigrateMem", svm_migrate, set_svm_migrate,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_count}, {CL_INVALID_VALUE, no_pointer},
      {CL_INVALID_VALUE, far_size}, NO_LISTS}},
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

// ---- The test ----

static struct call right_for(const struct entry *e)
{
    struct call c = right();
    if (e->set)
        e->set(&c);
    return c;
}

// Both changes at once; false: they concern the same. Word by word: a pointer's bytes may be those of another.
static bool join(const struct call *right_one, const struct call *a, const struct call *b, struct call *both)
{
    uint32_t words[3][sizeof *both / sizeof(uint32_t)];
    _Static_assert(sizeof words[0] == sizeof *both, "there is a rest");
    memcpy(words[0], right_one, sizeof *both);
    memcpy(words[1], a, sizeof *both);
    memcpy(words[2], b, sizeof *both);
    for (size_t i = 0; i < sizeof words[0] / sizeof(uint32_t); i++) {
        const bool changed = words[1][i] != words[0][i];
        if (changed && words[2][i] != words[0][i])
            return false;
        words[0][i] = words[changed ? 1 : 2][i];
    }
    memcpy(both, words[0], sizeof *both);
    return true;
}

static unsigned calls, failures;

static void expect(const struct entry *e, size_t i, size_t j, const struct call *c)
{
    const cl_int got = e->call(c), wanted = i == MOST_FAULTS ? CL_SUCCESS : e->faults[i].code;
    calls++;
    if (got == wanted)
        return;
    fprintf(stderr, "%s with fault %zu and %zu: %d, not %d\n", e->name, i, j, got, wanted);
    failures++;
}

static bool is_there(const struct entry *e, size_t i)
{
    return i < MOST_FAULTS && e->faults[i].make;
}

static void check_entry(const struct entry *e)
{
    const struct call c = right_for(e);
    expect(e, MOST_FAULTS, 0, &c);
    for (size_t i = 0; is_there(e, i); i++) {
        struct call one = c, both;
        e->faults[i].make(&one);
        CHECK(memcmp(&one, &c, sizeof c) != 0);
        expect(e, i, i, &one);
        for (size_t j = i + 1; is_there(e, j); j++) {
            struct call other = c;
            e->faults[j].make(&other);
            if (join(&c, &one, &other, &both))
                expect(e, i, j, &both);
        }
    }
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
}

TEST(each_fault_gives_its_code_and_the_first_of_two_decides)
{
    set_up();
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        check_entry(&entries[i]);
    CHECK_EQ(failures, 0);
    CHECK_GT(calls, 2500); // most pairs can be made
}
