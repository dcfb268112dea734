// The event of each command: its type, its queue and context, and profiling times that don't go backwards.
// clEnqueueSVMMigrateMem has another type before OpenCL 3.0. OpenCL 2.2 §5.11, §5.14.
#include "api/program_fixture.h"

enum { BYTES = 1 << 12 };

static struct reported {
    cl_context context;
    cl_command_queue queue;
} t;

static void CL_CALLBACK native(void *args)
{
    (void)args;
}

static void CL_CALLBACK free_nothing(cl_command_queue queue, cl_uint count, void *pointers[], void *user)
{
    (void)queue, (void)count, (void)pointers, (void)user;
}

// Consumes the event.
static void check_event(const char *call, cl_int error, cl_event e, cl_command_type wanted)
{
    if (error)
        FAIL("%s gives %d", call, error);
    OK(clWaitForEvents(1, &e));
    cl_command_type type = 0;
    cl_command_queue queue = NULL;
    cl_context context = NULL;
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
    OK(clGetEventInfo(e, CL_EVENT_CONTEXT, sizeof context, &context, NULL));
    if (type != wanted)
        FAIL("%s is of type 0x%x and not 0x%x", call, type, wanted);
    CHECK(queue == t.queue && context == t.context);
    CHECK_EQ(status_of(e), CL_COMPLETE);
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                              CL_PROFILING_COMMAND_COMPLETE};
    cl_ulong before = 1;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        cl_ulong time = 0;
        OK(clGetEventProfilingInfo(e, names[i], sizeof time, &time, NULL));
        if (time < before)
            FAIL("%s: time %zu is %llu, and the one before %llu", call, i, (unsigned long long)time,
                 (unsigned long long)before);
        before = time;
    }
    OK(clReleaseEvent(e));
}

#define TYPE(wanted, call)                    \
    do {                                      \
        cl_event e = NULL;                    \
        const cl_int error = (call);          \
        check_event(#call, error, e, wanted); \
    } while (0)

static void check_buffers(void)
{
    static unsigned char host[BYTES];
    const size_t origin[3] = {0}, region[3] = {8, 8, 1};
    const cl_uint zero = 0;
    cl_mem a = new_buffer(t.context, BYTES), b = new_buffer(t.context, BYTES);
    for (size_t n = 0; n <= 100; n += 100) {
        TYPE(CL_COMMAND_READ_BUFFER, clEnqueueReadBuffer(t.queue, a, CL_FALSE, 0, n, host, 0, NULL, &e));
        TYPE(CL_COMMAND_WRITE_BUFFER, clEnqueueWriteBuffer(t.queue, a, CL_TRUE, 0, n, host, 0, NULL, &e));
        TYPE(CL_COMMAND_COPY_BUFFER, clEnqueueCopyBuffer(t.queue, a, b, 0, 0, n, 0, NULL, &e));
        TYPE(CL_COMMAND_FILL_BUFFER, clEnqueueFillBuffer(t.queue, a, &zero, 4, 0, n, 0, NULL, &e));
    }
    TYPE(CL_COMMAND_READ_BUFFER_RECT,
         clEnqueueReadBufferRect(t.queue, a, CL_TRUE, origin, origin, region, 9, 0, 0, 0, host, 0, NULL, &e));
    TYPE(CL_COMMAND_WRITE_BUFFER_RECT, clEnqueueWriteBufferRect(t.queue, a, CL_FALSE, origin, origin, region,
                                                                0, 0, 0, 0, host, 0, NULL, &e));
    TYPE(CL_COMMAND_COPY_BUFFER_RECT,
         clEnqueueCopyBufferRect(t.queue, a, b, origin, origin, region, 0, 0, 9, 0, 0, NULL, &e));
    TYPE(CL_COMMAND_MIGRATE_MEM_OBJECTS, clEnqueueMigrateMemObjects(t.queue, 1, &a, 0, 0, NULL, &e));
    cl_int error = 1;
    cl_event e = NULL;
    void *p = clEnqueueMapBuffer(t.queue, a, CL_FALSE, CL_MAP_READ, 0, 64, 0, NULL, &e, &error);
    check_event("clEnqueueMapBuffer", error, e, CL_COMMAND_MAP_BUFFER);
    TYPE(CL_COMMAND_UNMAP_MEM_OBJECT, clEnqueueUnmapMemObject(t.queue, a, p, 0, NULL, &e));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

static void check_images(void)
{
    static unsigned char host[BYTES];
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    const size_t origin[3] = {0}, region[3] = {8, 8, 1};
    const float colour[4] = {0};
    size_t pitch;
    cl_int error = 1;
    cl_event e = NULL;
    cl_mem i = clCreateImage(t.context, 0, &format, &desc, NULL, &error);
    OK(error);
    cl_mem j = clCreateImage(t.context, 0, &format, &desc, NULL, &error);
    OK(error);
    cl_mem a = new_buffer(t.context, BYTES);
    TYPE(CL_COMMAND_READ_IMAGE,
         clEnqueueReadImage(t.queue, i, CL_FALSE, origin, region, 0, 0, host, 0, NULL, &e));
    TYPE(CL_COMMAND_WRITE_IMAGE,
         clEnqueueWriteImage(t.queue, i, CL_TRUE, origin, region, 0, 0, host, 0, NULL, &e));
    TYPE(CL_COMMAND_COPY_IMAGE, clEnqueueCopyImage(t.queue, i, j, origin, origin, region, 0, NULL, &e));
    TYPE(CL_COMMAND_COPY_IMAGE_TO_BUFFER,
         clEnqueueCopyImageToBuffer(t.queue, i, a, origin, region, 0, 0, NULL, &e));
    TYPE(CL_COMMAND_COPY_BUFFER_TO_IMAGE,
         clEnqueueCopyBufferToImage(t.queue, a, i, 0, origin, region, 0, NULL, &e));
    TYPE(CL_COMMAND_FILL_IMAGE, clEnqueueFillImage(t.queue, i, colour, origin, region, 0, NULL, &e));
    void *p = clEnqueueMapImage(t.queue, i, CL_TRUE, CL_MAP_WRITE, origin, region, &pitch, NULL, 0, NULL, &e,
                                &error);
    check_event("clEnqueueMapImage", error, e, CL_COMMAND_MAP_IMAGE);
    TYPE(CL_COMMAND_UNMAP_MEM_OBJECT, clEnqueueUnmapMemObject(t.queue, i, p, 0, NULL, &e));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(i));
    OK(clReleaseMemObject(j));
}

static void check_shared_memory(cl_command_type migrated)
{
    const cl_uint zero = 0;
    void *a = clSVMAlloc(t.context, CL_MEM_READ_WRITE, BYTES, 0),
         *b = clSVMAlloc(t.context, CL_MEM_READ_WRITE, BYTES, 0);
    CHECK(a && b);
    TYPE(CL_COMMAND_SVM_MEMCPY, clEnqueueSVMMemcpy(t.queue, CL_FALSE, a, b, 100, 0, NULL, &e));
    TYPE(CL_COMMAND_SVM_MEMFILL, clEnqueueSVMMemFill(t.queue, a, &zero, 4, 100, 0, NULL, &e));
    TYPE(CL_COMMAND_SVM_MAP, clEnqueueSVMMap(t.queue, CL_FALSE, CL_MAP_READ, a, 100, 0, NULL, &e));
    TYPE(CL_COMMAND_SVM_UNMAP, clEnqueueSVMUnmap(t.queue, a, 0, NULL, &e));
    TYPE(migrated, clEnqueueSVMMigrateMem(t.queue, 1, (const void **)(const void *)&a, NULL, 0, 0, NULL, &e));
    TYPE(CL_COMMAND_SVM_FREE, clEnqueueSVMFree(t.queue, 1, &a, free_nothing, NULL, 0, NULL, &e));
    TYPE(CL_COMMAND_SVM_FREE, clEnqueueSVMFree(t.queue, 1, &a, NULL, NULL, 0, NULL, &e));
    clSVMFree(t.context, b);
}

static void check_work(void)
{
    cl_program p = built_program(t.context, "kernel void k() {}\n", NULL);
    cl_kernel k = new_kernel(p, "k");
    const size_t one = 1, none = 0;
    TYPE(CL_COMMAND_NDRANGE_KERNEL, clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, &e));
    TYPE(CL_COMMAND_NDRANGE_KERNEL, clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &none, NULL, 0, NULL, &e));
    TYPE(CL_COMMAND_TASK, clEnqueueTask(t.queue, k, 0, NULL, &e));
    TYPE(CL_COMMAND_NATIVE_KERNEL,
         clEnqueueNativeKernel(t.queue, native, NULL, 0, 0, NULL, NULL, 0, NULL, &e));
    TYPE(CL_COMMAND_MARKER, clEnqueueMarkerWithWaitList(t.queue, 0, NULL, &e));
    TYPE(CL_COMMAND_MARKER, clEnqueueMarker(t.queue, &e));
    TYPE(CL_COMMAND_BARRIER, clEnqueueBarrierWithWaitList(t.queue, 0, NULL, &e));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

static void check_all(cl_command_queue_properties order, cl_command_type migrated)
{
    t.context = new_context();
    t.queue = new_queue(t.context, CL_QUEUE_PROFILING_ENABLE | order);
    check_buffers();
    check_images();
    check_shared_memory(migrated);
    check_work();
    OK(clReleaseCommandQueue(t.queue));
    OK(clReleaseContext(t.context));
}

TEST(in_order)
{
    check_all(0, CL_COMMAND_SVM_MIGRATE_MEM);
}

TEST(out_of_order)
{
    check_all(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_COMMAND_SVM_MIGRATE_MEM);
}

TEST(before_3_0)
{
    setenv("WEFT_CL_VERSION", "2.2", 1);
    needs_spirv(); // as that version does
    check_all(0, CL_COMMAND_MIGRATE_MEM_OBJECTS);
}
