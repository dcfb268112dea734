// cl_khr_external_memory_dma_buf: dma-bufs as buffers and images, who owns the descriptor, and the errors.
// Few machines have a kernel that lets a program make dma-bufs; scripts/dma-buf-guest has one. Tests of what
// is no dma-buf run everywhere. dma_buf_sync.c checks which calls the exporter of a dma-buf gets.
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "external_memory_fixture.h"
#include "api/program_fixture.h"

enum { BYTES = 16384 };

struct maker {
    const char *device;
    int (*make)(int device, size_t bytes, int flags);
};

static int make_of_heap(int device, size_t bytes, int flags)
{
    struct dma_heap_allocation_data d = {.len = bytes, .fd_flags = (unsigned)flags | O_CLOEXEC};
    CHECK_EQ(ioctl(device, DMA_HEAP_IOCTL_ALLOC, &d), 0);
    return (int)d.fd;
}

static int make_of_memfd(int device, size_t bytes, int flags)
{
    (void)flags;
    int memory = new_memfd(bytes);
    struct udmabuf_create d = {.memfd = (unsigned)memory, .flags = UDMABUF_FLAGS_CLOEXEC, .size = bytes};
    int fd = ioctl(device, UDMABUF_CREATE, &d);
    CHECK(fd >= 0);
    CHECK_EQ(close(memory), 0);
    return fd;
}

static const struct maker makers[] = {{"/dev/dma_heap/system", make_of_heap},
                                      {"/dev/udmabuf", make_of_memfd}};

// -1: this machine has no such device.
static int make(const struct maker *by, size_t bytes, int flags)
{
    int device = open(by->device, O_RDWR | O_CLOEXEC);
    if (device < 0)
        return -1;
    int fd = by->make(device, bytes, flags);
    CHECK_EQ(close(device), 0);
    return fd;
}

static int new_dma_buf(size_t bytes)
{
    int fd = -1;
    for (size_t i = 0; fd < 0 && i < COUNT_OF(makers); i++)
        fd = make(&makers[i], bytes, O_RDWR);
    if (fd < 0)
        SKIP("there is no /dev/dma_heap/system and no /dev/udmabuf");
    return fd;
}

// How many descriptors of dma-bufs this process has.
static int open_dma_bufs(void)
{
    int n = 0;
    for (int fd = 0; fd < 1000; fd++) {
        struct statfs fs;
        n += syscall(SYS_fstatfs, fd, &fs) == 0 && fs.f_type == DMA_BUF_MAGIC; // as in dma_buf_sync.c
    }
    return n;
}

// What another user of it sees.
static unsigned char *map(int fd, size_t bytes)
{
    unsigned char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(at != MAP_FAILED);
    return at;
}

static void sync_with(int fd, uint64_t flags)
{
    struct dma_buf_sync s = {.flags = flags | DMA_BUF_SYNC_RW};
    CHECK_EQ(ioctl(fd, DMA_BUF_IOCTL_SYNC, &s), 0);
}

TEST(what_is_no_dma_buf_is_refused)
{
    cl_context c = new_context();
    int pipes[2], sockets[2];
    CHECK_EQ(pipe(pipes), 0);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    const int others[] = {new_memfd(BYTES),
                          pipes[0],
                          sockets[0],
                          eventfd(0, EFD_CLOEXEC),
                          open("/dev/null", O_RDWR | O_CLOEXEC),
                          open("/dev/zero", O_RDWR | O_CLOEXEC),
                          open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                          open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
                          open("/", O_PATH | O_CLOEXEC)};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        CHECK(others[i] >= 0);
        import_dma_buf(c, others[i], 64, CL_INVALID_PROPERTY);
        CHECK(is_open(others[i]));
    }
    CHECK_EQ(close(pipes[0]), 0);
    import_dma_buf(c, pipes[0], 64, CL_INVALID_PROPERTY);
    import_dma_buf(c, -1, 64, CL_INVALID_PROPERTY);
    import_dma_buf(c, 1000000, 64, CL_INVALID_PROPERTY);
    const cl_mem_properties beyond[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR,
                                        ((cl_mem_properties)1 << 32) + (cl_mem_properties)others[0], 0};
    cl_int err = 1;
    CHECK(clCreateBufferWithProperties(c, beyond, 0, 64, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_PROPERTY);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_mem_properties memfd[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)others[0],
                                       0};
    CHECK(clCreateImageWithProperties(c, memfd, 0, &format, &desc, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_PROPERTY);
    CHECK(is_open(others[0]));
    OK(clReleaseContext(c));
}

TEST(errors_of_properties)
{
    cl_context c = new_context();
    int memory = new_memfd(BYTES);
    const cl_mem_properties fd = (cl_mem_properties)memory, type = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR,
                            opaque = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
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
        {{type, fd, opaque, fd, 0}, 0, NULL, 64, CL_INVALID_PROPERTY},
        {{type, fd, list, device, 0, list, device, 0}, 0, NULL, 64, CL_INVALID_PROPERTY},
        {{type, fd, list, (cl_mem_properties)(uintptr_t)c, 0, 0}, 0, NULL, 64, CL_INVALID_DEVICE},
        {{type, fd, 0}, CL_MEM_ALLOC_HOST_PTR, NULL, 64, CL_INVALID_VALUE},
        {{type, fd, 0}, CL_MEM_USE_HOST_PTR, &memory, 64, CL_INVALID_VALUE},
        {{type, fd, 0}, CL_MEM_COPY_HOST_PTR, &memory, 64, CL_INVALID_VALUE},
        {{type, fd, 0}, 0, NULL, 0, CL_INVALID_BUFFER_SIZE},
        {{type, fd, 0}, 0, &memory, 64, CL_INVALID_HOST_PTR},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cl_int err = 1;
        CHECK(clCreateBufferWithProperties(c, rows[i].p, rows[i].flags, rows[i].size, rows[i].host, &err) ==
              NULL);
        if (err != rows[i].error)
            FAIL("row %zu gives %d, not %d", i, err, rows[i].error);
        CHECK(is_open(memory));
    }
    OK(clReleaseContext(c));
}

// Kernels and commands of one side, the processor's mapping on the other.
static void use_both_sides(const struct maker *by)
{
    int fd = make(by, BYTES, O_RDWR), ours = dup(fd);
    if (fd < 0)
        SKIP("there is no %s", by->device);
    unsigned char *here = map(ours, BYTES);
    sync_with(ours, DMA_BUF_SYNC_START);
    memset(here, 1, BYTES);
    sync_with(ours, DMA_BUF_SYNC_END);
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_program p = built_program(
        c,
        "kernel void add(global uchar *m) { size_t i = get_global_id(0); m[i] = (uchar)(m[i] + (uchar)i); }",
        "");
    cl_kernel k = new_kernel(p, "add");
    cl_mem m = import_dma_buf(c, fd, BYTES, CL_SUCCESS);
    CHECK_EQ(open_dma_bufs(), 2); // ours, and the driver's
    const size_t size = BYTES;
    for (int round = 0; round < 3; round++) {
        cl_event taken, given;
        OK(acquire(q, 1, &m, 0, NULL, &taken));
        OK(clSetKernelArg(k, 0, sizeof m, &m));
        OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &size, NULL, 1, &taken, NULL));
        OK(release(q, 1, &m, 0, NULL, &given));
        OK(clWaitForEvents(1, &given));
        CHECK_EQ(status_of(taken), CL_COMPLETE);
        CHECK_EQ(status_of(given), CL_COMPLETE);
        OK(clReleaseEvent(taken));
        OK(clReleaseEvent(given));
        sync_with(ours, DMA_BUF_SYNC_START);
        for (size_t i = 0; i < BYTES; i++)
            CHECK_EQ(here[i], (unsigned char)((size_t)(round + 1) * (i + 1)));
        for (size_t i = 0; i < BYTES; i++)
            here[i]++;
        sync_with(ours, DMA_BUF_SYNC_END);
    }
    unsigned char got[BYTES];
    OK(acquire(q, 1, &m, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (size_t i = 0; i < BYTES; i++)
        CHECK_EQ(got[i], (unsigned char)(3 * (i + 1) + 1));
    OK(release(q, 1, &m, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clReleaseMemObject(m));
    CHECK_EQ(open_dma_bufs(), 1);
    CHECK_EQ(here[5], 19);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(both_sides_see_one_memory_of_a_heap)
{
    find_functions();
    use_both_sides(&makers[0]);
}

TEST(both_sides_see_one_memory_of_udmabuf)
{
    find_functions();
    use_both_sides(&makers[1]);
}

TEST(more_than_there_is)
{
    int fd = new_dma_buf(BYTES);
    cl_context c = new_context();
    import_dma_buf(c, fd, BYTES + 1, CL_INVALID_BUFFER_SIZE);
    import_dma_buf(c, fd, SIZE_MAX, CL_INVALID_BUFFER_SIZE);
    const cl_mem_properties p[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd, 0};
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = 128,
                                .image_height = BYTES / 128 + 1,
                                .image_row_pitch = 128};
    cl_int err = 1;
    CHECK(clCreateImageWithProperties(c, p, 0, &format, &desc, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(open_dma_bufs(), 1);
    OK(clReleaseMemObject(import_dma_buf(c, fd, BYTES, CL_SUCCESS)));
    CHECK_EQ(open_dma_bufs(), 0);
    OK(clReleaseContext(c));
}

TEST(one_that_may_only_be_read)
{
    int fd = make(&makers[0], BYTES, O_RDONLY);
    if (fd < 0)
        SKIP("there is no %s", makers[0].device);
    cl_context c = new_context();
    import_dma_buf(c, fd, BYTES, CL_INVALID_PROPERTY);
    CHECK(is_open(fd));
    OK(clReleaseContext(c));
}

TEST(an_image_in_lines_of_a_given_pitch)
{
    enum { WIDTH = 10, HEIGHT = 6, PITCH = 64 };
    find_functions();
    int fd = new_dma_buf(BYTES), ours = dup(fd);
    unsigned char *here = map(ours, BYTES);
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = WIDTH,
                                .image_height = HEIGHT,
                                .image_row_pitch = PITCH};
    const cl_mem_properties p[] = {
        CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd,
        CL_MEM_DEVICE_HANDLE_LIST_KHR,         (cl_mem_properties)(uintptr_t)the_device(),
        CL_MEM_DEVICE_HANDLE_LIST_END_KHR,     0};
    cl_int err;
    cl_mem m = clCreateImageWithProperties(c, p, 0, &format, &desc, NULL, &err);
    OK(err);
    const cl_uint colour[4] = {1, 2, 3, 4};
    const size_t origin[3] = {2, 3, 0}, region[3] = {4, 2, 1};
    cl_event taken, filled, given;
    OK(acquire(q, 1, &m, 0, NULL, &taken));
    OK(clEnqueueFillImage(q, m, colour, origin, region, 1, &taken, &filled));
    OK(release(q, 1, &m, 1, &filled, &given));
    OK(clWaitForEvents(1, &given));
    sync_with(ours, DMA_BUF_SYNC_START);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < PITCH; x++) {
            bool inside = y >= 3 && y < 5 && x >= 8 && x < 24;
            CHECK_EQ(here[y * PITCH + x], inside ? x % 4 + 1 : 0);
        }
    sync_with(ours, DMA_BUF_SYNC_END);
    OK(clReleaseEvent(taken));
    OK(clReleaseEvent(filled));
    OK(clReleaseEvent(given));
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

// Of udmabuf the kernel says so where a side ends what it hasn't begun.
TEST(one_payload_in_two_contexts_and_of_both_types)
{
    find_functions();
    int fd = new_dma_buf(BYTES), again = dup(fd);
    cl_context c = new_context(), other = new_context();
    cl_command_queue q = new_queue(c, 0), p = new_queue(other, 0);
    cl_mem a = import_dma_buf(c, fd, BYTES, CL_SUCCESS);
    cl_mem b = import_as(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, other, again, 0, BYTES / 2, CL_SUCCESS);
    CHECK(!is_open(again));
    cl_event none;
    OK(release(p, 1, &b, 0, NULL, &none));
    OK(clWaitForEvents(1, &none));
    OK(clReleaseEvent(none));
    const int value = 12345;
    OK(acquire(q, 1, &a, 0, NULL, NULL));
    OK(clEnqueueWriteBuffer(q, a, CL_TRUE, 100, sizeof value, &value, 0, NULL, NULL));
    OK(release(q, 1, &a, 0, NULL, NULL));
    OK(clFinish(q));
    int got = 0;
    OK(acquire(p, 1, &b, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(p, b, CL_TRUE, 100, sizeof got, &got, 0, NULL, NULL));
    CHECK_EQ(got, value);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b)); // while it is acquired
    OK(clReleaseCommandQueue(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(other));
    OK(clReleaseContext(c));
    CHECK_EQ(open_dma_bufs(), 0);
}

// ---- Fences: vgem, a driver for tests, stands for a device that has yet to finish with the memory ----

struct drm_name { // drm_version of the kernel's drm.h, which isn't everywhere
    int version[3];
    size_t name_size;
    char *name;
    size_t date_size;
    char *date;
    size_t description_size;
    char *description;
};
struct drm_dumb {
    uint32_t height, width, bpp, flags, handle, pitch;
    uint64_t size;
};
struct drm_prime {
    uint32_t handle, flags;
    int fd;
};
struct vgem_fence {
    uint32_t handle, flags, fence, zero;
};
#define DRM_GET_NAME _IOWR('d', 0x00, struct drm_name)
#define DRM_CREATE_DUMB _IOWR('d', 0xb2, struct drm_dumb)
#define DRM_EXPORT _IOWR('d', 0x2d, struct drm_prime)
#define VGEM_ATTACH _IOWR('d', 0x41, struct vgem_fence)
#define VGEM_SIGNAL _IOW('d', 0x42, uint64_t)

static int open_vgem(void)
{
    for (int i = 0; i < 16; i++) {
        char path[32], name[16] = "";
        snprintf(path, sizeof path, "/dev/dri/card%d", i);
        int card = open(path, O_RDWR | O_CLOEXEC);
        struct drm_name n = {.name_size = sizeof name - 1, .name = name};
        if (card >= 0 && ioctl(card, DRM_GET_NAME, &n) == 0 && strcmp(name, "vgem") == 0)
            return card;
        if (card >= 0)
            CHECK_EQ(close(card), 0);
    }
    SKIP("there is no vgem");
}

TEST(acquiring_waits_for_other_devices)
{
    find_functions();
    int card = open_vgem();
    struct drm_dumb memory = {.height = 64, .width = 64, .bpp = 32};
    CHECK_EQ(ioctl(card, DRM_CREATE_DUMB, &memory), 0);
    struct drm_prime export = {.handle = memory.handle, .flags = O_RDWR | O_CLOEXEC};
    CHECK_EQ(ioctl(card, DRM_EXPORT, &export), 0);
    struct vgem_fence writing = {.handle = memory.handle, .flags = 1};
    CHECK_EQ(ioctl(card, VGEM_ATTACH, &writing), 0);
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0), other = new_queue(c, 0);
    cl_mem m = import_dma_buf(c, export.fd, memory.size, CL_SUCCESS), plain = new_buffer(c, BYTES);
    cl_event taken;
    OK(acquire(q, 1, &m, 0, NULL, &taken));
    OK(clFlush(q));
    // Other queues go on meanwhile.
    static unsigned char bytes[BYTES];
    for (int i = 0; i < 20; i++) {
        OK(clEnqueueWriteBuffer(other, plain, CL_FALSE, 0, BYTES, bytes, 0, NULL, NULL));
        OK(clFinish(other));
        sleep_ms(10);
    }
    CHECK_GT(status_of(taken), CL_COMPLETE);
    uint64_t fence = writing.fence;
    CHECK_EQ(ioctl(card, VGEM_SIGNAL, &fence), 0);
    OK(clWaitForEvents(1, &taken));
    CHECK_EQ(status_of(taken), CL_COMPLETE);
    OK(clEnqueueWriteBuffer(q, m, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL));
    OK(release(q, 1, &m, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clReleaseEvent(taken));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(plain));
    OK(clReleaseCommandQueue(other));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    CHECK_EQ(close(card), 0);
}
