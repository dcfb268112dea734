// What the tests of error precedence share. Each fault alone gives its code. Of any two, the one that the
// specification's table (OpenCL 2.2 §5) names first decides. A call is made without a fault first, then with
// one, then with each two that don't concern the same argument.
//
// Two things differ from the tables. The object that a function is called on is checked first, even where a
// query's table names it last: the loader needs its dispatch table. And an event that has failed is noticed
// after all other faults, since the call waits for it then.
//
// Left out are errors that no call can cause here: those of other devices (no images, no compiler, misaligned
// sub-buffers, which the only device doesn't create), and those of memory, which
// tests/runtime/allocation_failures.c tests.
#ifndef WEFT_TESTS_PRECEDENCE_FIXTURE_H
#define WEFT_TESTS_PRECEDENCE_FIXTURE_H

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "api/memory_fixture.h"

enum { SIDE = 16, BYTES = 4096, MAX_FAULTS = 16 };

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
    struct fault faults[MAX_FAULTS];
};

// ---- The world ----

static struct world w;
static struct {
    cl_mem buffer, second, readable, writable, closed, foreign, pipe, sub; // readable: by the host alone
    cl_mem image, other_image, mismatched, foreign_image, image_readable, image_writable;
    cl_command_queue device_queue;
    cl_program program, unbuilt;
    cl_kernel kernel, unset, sized, foreign_kernel;
    cl_sampler sampler;
    cl_event event, foreign_event, failed, timed;
    void *svm, *mapped;
} o;
static unsigned char host[1 << 16];

static cl_mem make_image(cl_context c, cl_mem_flags flags, cl_channel_type type)
{
    cl_int error = 1;
    const cl_image_format format = {CL_RGBA, type};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
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
    o.image = make_image(w.context, 0, CL_UNORM_INT8);
    o.other_image = make_image(w.context, 0, CL_UNORM_INT8);
    o.mismatched = make_image(w.context, 0, CL_FLOAT);
    o.foreign_image = make_image(w.other, 0, CL_UNORM_INT8);
    o.image_readable = make_image(w.context, CL_MEM_HOST_READ_ONLY, CL_UNORM_INT8);
    o.image_writable = make_image(w.context, CL_MEM_HOST_WRITE_ONLY, CL_UNORM_INT8);
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

#define FAULT(name, change)                         \
    HARNESS_UNUSED static void name(struct call *a) \
    {                                               \
        change;                                     \
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
FAULT(other_group, (a->kernel = o.sized, a->local[0] = 2))
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

static void CL_CALLBACK native(void *arguments)
{
    (void)arguments;
}

HARNESS_UNUSED static void set_notify(struct call *c)
{
    c->notify = native;
}

// ---- The check ----

static struct call right_for(const struct entry *e)
{
    struct call c = right();
    if (e->set)
        e->set(&c);
    return c;
}

// Both changes at once; false: they concern the same. Word by word: a pointer's bytes may be those of
// another.
static bool join(const struct call *right_one, const struct call *a, const struct call *b, struct call *both)
{
    uint32_t words[3][sizeof *both / sizeof(uint32_t)], joined[sizeof *both / sizeof(uint32_t)];
    _Static_assert(sizeof words[0] == sizeof *both && sizeof *both % 8 == 0, "there is a rest");
    memcpy(words[0], right_one, sizeof *both);
    memcpy(words[1], a, sizeof *both);
    memcpy(words[2], b, sizeof *both);
    for (size_t i = 0; i < sizeof words[0] / sizeof(uint32_t); i++) {
        const bool changed = words[1][i] != words[0][i];
        if (changed && words[2][i] != words[0][i])
            return false;
        // Half of a handle from one call and half from the other would be the address of nothing.
        const size_t other = i ^ 1, high = i | 1;
        if (changed && words[0][high] && words[2][other] != words[0][other])
            return false;
        joined[i] = words[changed ? 1 : 2][i];
    }
    memcpy(both, joined, sizeof *both);
    return true;
}

static unsigned calls, failures;

static void expect(const struct entry *e, size_t i, size_t j, const struct call *c)
{
    const cl_int got = e->call(c), wanted = i == MAX_FAULTS ? CL_SUCCESS : e->faults[i].code;
    calls++;
    if (got == wanted)
        return;
    fprintf(stderr, "%s with fault %zu and %zu: %d, not %d\n", e->name, i, j, got, wanted);
    failures++;
}

static bool is_there(const struct entry *e, size_t i)
{
    return i < MAX_FAULTS && e->faults[i].make;
}

static void check_entry(const struct entry *e)
{
    const struct call c = right_for(e);
    expect(e, MAX_FAULTS, 0, &c);
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

// Every row of the tables, by at least so many calls: most pairs can be made.
static void check_entries(const struct entry *entries, size_t count, unsigned least)
{
    set_up();
    for (size_t i = 0; i < count; i++)
        check_entry(&entries[i]);
    CHECK_EQ(failures, 0);
    CHECK_GT(calls, least);
}

#endif
