// cl_khr_external_memory with opaque descriptors: a memfd as buffer and image, who owns it, and the errors.
// Dma-bufs: dma_buf.c.
#include "external_memory_fixture.h"

#include <CL/cl_ext.h>

#include "weft/cl_ext_weft.h"

enum { BYTES = 8192 };

struct shared {
    int fd;              // for the driver
    unsigned char *here; // what the application sees
};

static struct shared new_memory(size_t bytes)
{
    struct shared s = {.fd = memfd_create("weft", MFD_CLOEXEC)};
    CHECK(s.fd >= 0);
    CHECK(ftruncate(s.fd, (off_t)bytes) == 0);
    s.here = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, 0);
    CHECK(s.here != MAP_FAILED);
    return s;
}

TEST(is_reported)
{
    char names[8192];
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_external_memory ") && strstr(names, "cl_khr_external_memory_opaque_fd ") &&
          strstr(names, "cl_khr_external_memory_dma_buf "));
    const cl_device_info of_device[] = {
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR};
    for (size_t i = 0; i <= COUNT_OF(of_device); i++) {
        cl_uint types[4] = {0};
        size_t size = 0;
        if (i < COUNT_OF(of_device))
            OK(clGetDeviceInfo(the_device(), of_device[i], sizeof types, types, &size));
        else
            OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
                                 sizeof types, types, &size));
        CHECK_EQ(size, 2 * sizeof *types);
        CHECK_EQ(types[0], CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR);
        CHECK_EQ(types[1], CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
    }
}

TEST(both_sides_see_one_memory)
{
    find_functions();
    struct shared s = new_memory(BYTES);
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    memset(s.here, 1, BYTES);
    cl_mem m = import_opaque(c, s.fd, BYTES, CL_SUCCESS);
    CHECK(!is_open(s.fd)); // it was the driver's
    unsigned char got[BYTES], two = 2;
    cl_event event;
    OK(acquire(q, 1, &m, 0, NULL, &event));
    cl_command_type type = 0;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK_EQ(type, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR);
    OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, BYTES, got, 1, &event, NULL));
    CHECK(got[0] == 1 && got[BYTES - 1] == 1);
    OK(clReleaseEvent(event));
    OK(clEnqueueFillBuffer(q, m, &two, 1, 64, 128, 0, NULL, NULL));
    OK(release(q, 1, &m, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK_EQ(type, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR);
    CHECK(s.here[63] == 1 && s.here[64] == 2 && s.here[191] == 2 && s.here[192] == 1);
    OK(clReleaseEvent(event));
    void *host = &two;
    OK(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
    CHECK(host == NULL);
    cl_mem_properties reported[8];
    size_t size;
    OK(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, sizeof reported, reported, &size));
    CHECK_EQ(size, 3 * sizeof *reported);
    CHECK_EQ(reported[0], CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR);
    OK(clReleaseMemObject(m));
    CHECK_EQ(s.here[64], 2);
    CHECK_EQ(munmap(s.here, BYTES), 0);
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(one_payload_is_imported_twice)
{
    struct shared s = new_memory(BYTES);
    cl_context c = new_context(), other = new_context();
    cl_command_queue q = new_queue(c, 0);
    int again = dup(s.fd);
    cl_mem a = import_opaque(c, s.fd, BYTES, CL_SUCCESS),
           b = import_opaque(other, again, BYTES / 2, CL_SUCCESS);
    const int value = 12345;
    OK(clEnqueueWriteBuffer(q, a, CL_TRUE, 100, sizeof value, &value, 0, NULL, NULL));
    cl_command_queue p = new_queue(other, 0);
    int got = 0;
    OK(clEnqueueReadBuffer(p, b, CL_TRUE, 100, sizeof got, &got, 0, NULL, NULL));
    CHECK_EQ(got, value);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseCommandQueue(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(other));
    OK(clReleaseContext(c));
}

TEST(an_image_in_lines_of_a_given_pitch)
{
    enum { WIDTH = 10, HEIGHT = 6, PITCH = 64 };
    struct shared s = new_memory(PITCH * HEIGHT);
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = WIDTH,
                          .image_height = HEIGHT,
                          .image_row_pitch = PITCH};
    const cl_mem_properties p[] = {
        CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)s.fd,
        CL_MEM_DEVICE_HANDLE_LIST_KHR,           (cl_mem_properties)(uintptr_t)the_device(),
        CL_MEM_DEVICE_HANDLE_LIST_END_KHR,       0};
    cl_int err;
    desc.image_height = HEIGHT + 1;
    CHECK(clCreateImageWithProperties(c, p, 0, &format, &desc, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_IMAGE_SIZE);
    CHECK(is_open(s.fd));
    desc.image_height = HEIGHT;
    CHECK(clCreateImageWithProperties(c, p, CL_MEM_ALLOC_HOST_PTR, &format, &desc, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    cl_mem m = clCreateImageWithProperties(c, p, 0, &format, &desc, NULL, &err);
    OK(err);
    CHECK(!is_open(s.fd));
    const cl_uint colour[4] = {1, 2, 3, 4};
    const size_t origin[3] = {2, 3, 0}, region[3] = {4, 2, 1};
    OK(clEnqueueFillImage(q, m, colour, origin, region, 0, NULL, NULL));
    OK(clFinish(q));
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < PITCH; x++) {
            bool inside = y >= 3 && y < 5 && x >= 8 && x < 24;
            CHECK_EQ(s.here[y * PITCH + x], inside ? x % 4 + 1 : 0);
        }
    size_t pitch;
    OK(clGetImageInfo(m, CL_IMAGE_ROW_PITCH, sizeof pitch, &pitch, NULL));
    CHECK_EQ(pitch, PITCH);
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(a_failed_import_leaves_the_descriptor)
{
    struct shared s = new_memory(BYTES);
    cl_context c = new_context();
    import_opaque(c, s.fd, BYTES + 1, CL_INVALID_BUFFER_SIZE);
    CHECK(is_open(s.fd));
    int pipes[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK_EQ(pipe(pipes), 0);
    import_opaque(c, pipes[0], 64, CL_INVALID_PROPERTY);
    CHECK(is_open(pipes[0]));
    cl_int err = 1;
    const cl_mem_properties device_file[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)null,
                                             0};
    CHECK(clCreateBufferWithProperties(c, device_file, 0, 64, NULL, &err) == NULL);
    CHECK(err != CL_SUCCESS && is_open(null));
    import_opaque(c, -1, 64, CL_INVALID_PROPERTY);
    import_opaque(c, 1000000, 64, CL_INVALID_PROPERTY);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", s.fd);
    int only_read = open(path, O_RDONLY | O_CLOEXEC);
    if (only_read >= 0) {
        import_opaque(c, only_read, BYTES, CL_INVALID_PROPERTY);
        CHECK(is_open(only_read));
    }
    OK(clReleaseContext(c));
}

TEST(errors_of_properties)
{
    struct shared s = new_memory(BYTES);
    cl_context c = new_context();
    const cl_mem_properties fd = (cl_mem_properties)s.fd, type = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                            list = CL_MEM_DEVICE_HANDLE_LIST_KHR,
                            device = (cl_mem_properties)(uintptr_t)the_device();
    const struct {
        cl_mem_properties p[8];
        cl_mem_flags flags;
        void *host;
        size_t size;
        cl_int error;
    } rows[] = {
        {{type, fd, type, fd, 0}, 0, NULL, 64, CL_INVALID_PROPERTY},
        {{list, device, 0, 0}, 0, NULL, 64, CL_INVALID_PROPERTY},
        {{type, fd, list, device, 0, list, device, 0}, 0, NULL, 64, CL_INVALID_PROPERTY},
        {{type, fd, list, (cl_mem_properties)(uintptr_t)c, 0, 0}, 0, NULL, 64, CL_INVALID_DEVICE},
        {{type, fd, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, fd, 0}, 0, NULL, 64, CL_INVALID_PROPERTY},
        {{type, fd, 0}, CL_MEM_ALLOC_HOST_PTR, NULL, 64, CL_INVALID_VALUE},
        {{type, fd, 0}, CL_MEM_USE_HOST_PTR, &s, 64, CL_INVALID_VALUE},
        {{type, fd, 0}, 0, NULL, 0, CL_INVALID_BUFFER_SIZE},
        {{type, fd, 0}, 0, &s, 64, CL_INVALID_HOST_PTR},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cl_int err = 1;
        CHECK(clCreateBufferWithProperties(c, rows[i].p, rows[i].flags, rows[i].size, rows[i].host, &err) ==
              NULL);
        if (err != rows[i].error)
            FAIL("row %zu gives %d, not %d", i, err, rows[i].error);
        CHECK(is_open(s.fd));
    }
    OK(clReleaseContext(c));
}

TEST(errors_of_commands)
{
    find_functions();
    struct shared s = new_memory(BYTES);
    cl_context c = new_context(), other = new_context();
    cl_command_queue q = new_queue(c, 0), foreign = new_queue(other, 0);
    cl_mem m = import_opaque(c, s.fd, BYTES, CL_SUCCESS), plain = clCreateBuffer(c, 0, 64, NULL, NULL);
    const cl_mem both[] = {m, plain};
    cl_event failed = new_user_event(c), theirs = new_user_event(other), event;
    OK(clSetUserEventStatus(failed, -5));
    const clEnqueueAcquireExternalMemObjectsKHR_fn commands[] = {acquire, release};
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        clEnqueueAcquireExternalMemObjectsKHR_fn call = commands[i];
        CHECK_EQ(call(NULL, 1, &m, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        CHECK_EQ(call(q, 0, &m, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_EQ(call(q, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_EQ(call(q, 2, both, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
        CHECK_EQ(call(foreign, 1, &m, 0, NULL, NULL), CL_INVALID_CONTEXT);
        CHECK_EQ(call(q, 1, &m, 1, &theirs, NULL), CL_INVALID_CONTEXT);
        CHECK_EQ(call(q, 1, &m, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_EQ(call(q, 1, &m, 1, &failed, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        OK(call(q, 0, NULL, 0, NULL, &event));
        OK(clWaitForEvents(1, &event));
        OK(clReleaseEvent(event));
    }
    OK(clReleaseEvent(failed));
    OK(clReleaseEvent(theirs));
    OK(clReleaseMemObject(plain));
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseCommandQueue(foreign));
    OK(clReleaseContext(other));
    OK(clReleaseContext(c));
}
