// Each limit that clGetDeviceInfo reports can be used up to its end. Where a check guards it, one more is an
// error. Local memory and program variables are in clEnqueueNDRangeKernel.c and e2e/program_variables.c.
// timeout: 120
#include "program_fixture.h"
#include "queue_fixture.h"

#define LIMIT(name, type)                                              \
    ({                                                                 \
        type v_ = 0;                                                   \
        OK(clGetDeviceInfo(the_device(), name, sizeof v_, &v_, NULL)); \
        v_;                                                            \
    })

// Launches the program's kernel k, whose arguments are set.
static void run(cl_kernel k, size_t x, size_t y, size_t z)
{
    const size_t size[3] = {x, y, z};
    OK(clEnqueueNDRangeKernel(queue, k, 3, NULL, size, size, 0, NULL, NULL));
}

static cl_int first_int(cl_mem m)
{
    cl_int v = -1;
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL));
    return v;
}

static cl_kernel kernel_of(const char *source)
{
    cl_program p = built_program(context, source, "-cl-std=CL3.0");
    cl_kernel k = new_kernel(p, "k");
    OK(clReleaseProgram(p));
    return k;
}

// Text that is put together piece by piece.
static char text[1 << 17];
static size_t text_length;

#define ADD(...) (text_length += (size_t)snprintf(text + text_length, sizeof text - text_length, __VA_ARGS__))

// ---- Memory ----

TEST(the_largest_buffer_is_memory_to_its_end)
{
    open_all();
    const cl_ulong most = LIMIT(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong);
    cl_int err = 1, tail = 0;
    CHECK(clCreateBuffer(context, 0, most + 1, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_BUFFER_SIZE);
    cl_mem m = clCreateBuffer(context, 0, most, NULL, &err);
    OK(err);
    const cl_ulong last = most / 4 - 1;
    cl_kernel k = kernel_of("kernel void k(global int *p, ulong last) { p[0] = 5; p[last] = 7; }");
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof last, &last));
    run(k, 1, 1, 1);
    CHECK_EQ(first_int(m), 5);
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 4 * last, 4, &tail, 0, NULL, NULL));
    CHECK_EQ(tail, 7);
    OK(clReleaseMemObject(m));
    volatile int *svm = clSVMAlloc(context, 0, most, 0);
    CHECK(svm);
    OK(clSetKernelArgSVMPointer(k, 0, (void *)(uintptr_t)svm));
    run(k, 1, 1, 1);
    OK(clFinish(queue));
    CHECK_EQ(svm[last], 7);
    clSVMFree(context, (void *)(uintptr_t)svm);
    OK(clReleaseKernel(k));
    close_all();
}

TEST(buffers_are_aligned_as_reported)
{
    open_all();
    const cl_uint bytes = LIMIT(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint) / 8;
    cl_kernel k = kernel_of("kernel void k(global int *p, global int *out, uint a)"
                            "{ out[0] = (ulong)p % a; out[1] = p[0]; }");
    const cl_int four[] = {4};
    cl_int err = 1;
    cl_mem m = new_buffer(context, 3 * bytes), out = new_buffer(context, 8);
    OK(clEnqueueFillBuffer(queue, m, four, 4, 0, 3 * bytes, 0, NULL, NULL));
    cl_mem part =
        clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){bytes, bytes}, &err);
    OK(err);
    CHECK(clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){bytes / 2, bytes},
                            &err) == NULL);
    CHECK_EQ(err, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    cl_mem both[] = {m, part};
    for (int i = 0; i < 2; i++) {
        OK(clSetKernelArg(k, 0, sizeof both[i], &both[i]));
        OK(clSetKernelArg(k, 1, sizeof out, &out));
        OK(clSetKernelArg(k, 2, sizeof bytes, &bytes));
        run(k, 1, 1, 1);
        CHECK_EQ(first_int(out), 0);
    }
    OK(clReleaseMemObject(part));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    close_all();
}

TEST(constant_memory_of_the_reported_size)
{
    open_all();
    const cl_ulong most = LIMIT(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong);
    const cl_uint last = (cl_uint)(most / 4 - 1);
    const cl_int nine = 9;
    cl_mem m = new_buffer(context, most), out = new_buffer(context, 4);
    OK(clEnqueueFillBuffer(queue, m, &nine, 4, most - 64, 64, 0, NULL, NULL));
    cl_kernel k = kernel_of("kernel void k(constant int *c, global int *out, uint last)"
                            "{ out[0] = work_group_reduce_add(c[last - get_local_id(0)]); }");
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof out, &out));
    OK(clSetKernelArg(k, 2, sizeof last, &last));
    run(k, 16, 1, 1);
    CHECK_EQ(first_int(out), 16 * 9);
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    close_all();
}

// ---- Arguments ----

// As many arguments as the limit allows, each an object of its own; the kernel adds what it finds in them.
TEST(constant_arguments)
{
    open_all();
    const cl_uint most = LIMIT(CL_DEVICE_MAX_CONSTANT_ARGS, cl_uint);
    // The constants fill the parameters: a wrong sum causes a fault.
    text_length = 0;
    ADD("kernel void k(");
    for (cl_uint i = 0; i < most; i++)
        ADD("%sconstant int *c%u", i ? ", " : "", i);
    ADD(") { int sum = 0;");
    for (cl_uint i = 0; i < most; i++)
        ADD(" sum += *c%u;", i);
    ADD(" if (sum != %u) *(volatile global int *)16 = 1; }", most * (most + 1) / 2);
    cl_kernel k = kernel_of(text);
    cl_mem *m = calloc(most, sizeof *m);
    for (cl_uint i = 0; i < most; i++) {
        const cl_int value = (cl_int)i + 1;
        m[i] = new_buffer(context, 4);
        OK(clEnqueueFillBuffer(queue, m[i], &value, 4, 0, 4, 0, NULL, NULL));
        OK(clSetKernelArg(k, i, sizeof m[i], &m[i]));
    }
    cl_event e = NULL;
    const size_t one = 1;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, NULL, 0, NULL, &e));
    OK(clWaitForEvents(1, &e));
    OK(clReleaseEvent(e));
    for (cl_uint i = 0; i < most; i++)
        OK(clReleaseMemObject(m[i]));
    free(m);
    OK(clReleaseKernel(k));
    close_all();
}

static cl_mem small_image(cl_uint value)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
    cl_int err = 1;
    cl_mem m = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &d, &value, &err);
    OK(err);
    return m;
}

// access: of the images; use: what is done with image %u.
static void use_image_arguments(cl_uint most, const char *access, const char *use, cl_uint before,
                                cl_uint after, cl_int sum)
{
    open_all();
    text_length = 0;
    ADD("kernel void k(global int *sum");
    for (cl_uint i = 0; i < most; i++)
        ADD(", %s image2d_t i%u", access, i);
    ADD(") { *sum = 0;");
    for (cl_uint i = 0; i < most; i++) {
        ADD("\n#define I i%u\n#define N %u\n%s\n#undef I\n#undef N\n", i, i, use);
    }
    ADD("}");
    cl_kernel k = kernel_of(text);
    cl_mem out = new_buffer(context, 4), *m = calloc(most, sizeof *m);
    OK(clSetKernelArg(k, 0, sizeof out, &out));
    for (cl_uint i = 0; i < most; i++) {
        m[i] = small_image(i + before);
        OK(clSetKernelArg(k, i + 1, sizeof m[i], &m[i]));
    }
    run(k, 1, 1, 1);
    CHECK_EQ(first_int(out), sum);
    for (cl_uint i = 0; i < most; i++) {
        cl_uint got = 0;
        OK(clEnqueueReadImage(queue, m[i], CL_TRUE, (size_t[3]){0}, (size_t[3]){1, 1, 1}, 0, 0, &got, 0, NULL,
                              NULL));
        CHECK_EQ(got, i + after);
        OK(clReleaseMemObject(m[i]));
    }
    free(m);
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    close_all();
}

TEST(images_that_a_kernel_reads)
{
    const cl_uint n = LIMIT(CL_DEVICE_MAX_READ_IMAGE_ARGS, cl_uint);
    use_image_arguments(n, "read_only", "*sum += read_imageui(I, (int2)(0)).x;", 3, 3,
                        (cl_int)(n * (n - 1) / 2 + 3 * n));
}

TEST(images_that_a_kernel_writes)
{
    const cl_uint n = LIMIT(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, cl_uint);
    use_image_arguments(n, "write_only", "write_imageui(I, (int2)(0), (uint4)(N + 5)); *sum += 1;", 3, 5,
                        (cl_int)n);
}

TEST(images_that_a_kernel_reads_and_writes)
{
    const cl_uint n = LIMIT(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, cl_uint);
    use_image_arguments(n, "read_write",
                        "write_imageui(I, (int2)(0), read_imageui(I, (int2)(0)) + 4); *sum += 1;", 3, 7,
                        (cl_int)n);
}

TEST(samplers_of_a_kernel)
{
    open_all();
    const cl_uint most = LIMIT(CL_DEVICE_MAX_SAMPLERS, cl_uint);
    text_length = 0;
    ADD("kernel void k(global int *sum, read_only image2d_t i");
    for (cl_uint i = 0; i < most; i++)
        ADD(", sampler_t s%u", i);
    ADD(") { *sum = 0;");
    // Beyond the edge: what is there depends on the sampler.
    for (cl_uint i = 0; i < most; i++)
        ADD(" *sum += read_imageui(i, s%u, (int2)(1, 0)).x;", i);
    ADD("}");
    cl_kernel k = kernel_of(text);
    cl_mem out = new_buffer(context, 4), image = small_image(10);
    OK(clSetKernelArg(k, 0, sizeof out, &out));
    OK(clSetKernelArg(k, 1, sizeof image, &image));
    for (cl_uint i = 0; i < most; i++) {
        cl_int err = 1;
        cl_sampler s = clCreateSampler(context, CL_FALSE, i % 2 ? CL_ADDRESS_CLAMP_TO_EDGE : CL_ADDRESS_CLAMP,
                                       CL_FILTER_NEAREST, &err);
        OK(err);
        OK(clSetKernelArg(k, i + 2, sizeof s, &s));
        OK(clReleaseSampler(s));
    }
    run(k, 1, 1, 1);
    CHECK_EQ(first_int(out), (cl_int)(most / 2 * 10));
    OK(clReleaseMemObject(out));
    OK(clReleaseMemObject(image));
    OK(clReleaseKernel(k));
    close_all();
}

// ---- Images ----

// The last texel of the largest image in each direction is written by the host and read by a kernel.
static void use_image_of(cl_mem_object_type type, const char *name, const char *at, size_t x, size_t y,
                         size_t z)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const bool solid = type == CL_MEM_OBJECT_IMAGE3D;
    cl_image_desc d = {.image_type = type, .image_width = x, .image_height = y};
    size_t *third = solid ? &d.image_depth : &d.image_array_size;
    *third = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? y : z;
    cl_int err = 1;
    cl_mem buffer = NULL, out = new_buffer(context, 4);
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        d.mem_object = buffer = new_buffer(context, x);
    cl_mem m = clCreateImage(context, 0, &format, &d, NULL, &err);
    OK(err);
    const cl_uint color[4] = {77, 0, 0, 0};
    OK(clEnqueueFillImage(queue, m, color, (size_t[3]){x - 1, y - 1, z - 1}, (size_t[3]){1, 1, 1}, 0, NULL,
                          NULL));
    text_length = 0;
    ADD("kernel void k(global int *out, read_only %s m, int x, int y, int z) { *out = read_imageui(m, %s).x; "
        "}",
        name, at);
    cl_kernel k = kernel_of(text);
    const cl_int last[] = {(cl_int)x - 1, (cl_int)y - 1, (cl_int)z - 1};
    OK(clSetKernelArg(k, 0, sizeof out, &out));
    OK(clSetKernelArg(k, 1, sizeof m, &m));
    for (cl_uint i = 0; i < 3; i++)
        OK(clSetKernelArg(k, 2 + i, 4, &last[i]));
    run(k, 1, 1, 1);
    CHECK_EQ(first_int(out), 77);
    OK(clReleaseMemObject(m));
    // One texel more.
    size_t *largest = x >= y && x >= z                                ? &d.image_width
                      : y >= z && type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? &d.image_array_size
                      : y >= z                                        ? &d.image_height
                                                                      : third;
    *largest += 1;
    CHECK(clCreateImage(context, 0, &format, &d, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_IMAGE_SIZE);
    if (buffer)
        OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
}

TEST(images_of_the_largest_sizes)
{
    open_all();
    const size_t w2 = LIMIT(CL_DEVICE_IMAGE2D_MAX_WIDTH, size_t),
                 h2 = LIMIT(CL_DEVICE_IMAGE2D_MAX_HEIGHT, size_t),
                 w3 = LIMIT(CL_DEVICE_IMAGE3D_MAX_WIDTH, size_t),
                 h3 = LIMIT(CL_DEVICE_IMAGE3D_MAX_HEIGHT, size_t),
                 d3 = LIMIT(CL_DEVICE_IMAGE3D_MAX_DEPTH, size_t),
                 layers = LIMIT(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, size_t),
                 texels = LIMIT(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, size_t);
    use_image_of(CL_MEM_OBJECT_IMAGE1D, "image1d_t", "x", w2, 1, 1);
    use_image_of(CL_MEM_OBJECT_IMAGE1D_BUFFER, "image1d_buffer_t", "x", texels, 1, 1);
    use_image_of(CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", "(int2)(x, y)", 1, layers, 1);
    use_image_of(CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", "(int2)(x, y)", w2, layers, 1);
    use_image_of(CL_MEM_OBJECT_IMAGE2D, "image2d_t", "(int2)(x, y)", w2, h2, 1);
    use_image_of(CL_MEM_OBJECT_IMAGE2D, "image2d_t", "(int2)(x, y)", 1, h2, 1);
    use_image_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", "(int4)(x, y, z, 0)", 1, 1, layers);
    use_image_of(CL_MEM_OBJECT_IMAGE3D, "image3d_t", "(int4)(x, y, z, 0)", w3, 1, 1);
    use_image_of(CL_MEM_OBJECT_IMAGE3D, "image3d_t", "(int4)(x, y, z, 0)", 1, h3, 1);
    use_image_of(CL_MEM_OBJECT_IMAGE3D, "image3d_t", "(int4)(x, y, z, 0)", 1, 1, d3);
    close_all();
}

// ---- Groups ----

TEST(groups_of_the_largest_size)
{
    open_all();
    const size_t most = LIMIT(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t);
    size_t each[3];
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof each, each, NULL));
    cl_mem out = new_buffer(context, 4);
    cl_kernel k = kernel_of(
        "kernel void k(global int *out)\n"
        "{\n"
        "    local atomic_int sum;\n"
        "    if (get_local_linear_id() == 0)\n"
        "        atomic_store(&sum, 0);\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    atomic_fetch_add(&sum, 1);\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    if (get_local_linear_id() == get_local_size(0) * get_local_size(1) * get_local_size(2) - 1)\n"
        "        *out = atomic_load(&sum);\n"
        "}\n");
    OK(clSetKernelArg(k, 0, sizeof out, &out));
    for (int d = 0; d < 3; d++) {
        size_t size[3] = {1, 1, 1};
        CHECK_EQ(each[d], most);
        size[d] = most;
        run(k, size[0], size[1], size[2]);
        CHECK_EQ(first_int(out), (cl_int)size[d]);
        size[d] += 1;
        CHECK_EQ(clEnqueueNDRangeKernel(queue, k, 3, NULL, size, size, 0, NULL, NULL),
                 CL_INVALID_WORK_ITEM_SIZE);
    }
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    close_all();
}

TEST(sub_groups_of_a_group)
{
    open_all();
    const cl_uint most = LIMIT(CL_DEVICE_MAX_NUM_SUB_GROUPS, cl_uint);
    cl_mem out = new_buffer(context, 4);
    cl_kernel k = kernel_of("kernel void k(global int *out)\n"
                            "{\n"
                            "    int most = work_group_reduce_max((int)get_sub_group_id());\n"
                            "    *out = most + 1 == (int)get_num_sub_groups() ? most + 1 : -1;\n"
                            "}\n");
    OK(clSetKernelArg(k, 0, sizeof out, &out));
    size_t n = most, size[3] = {0};
    OK(clGetKernelSubGroupInfo(k, the_device(), CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof n, &n,
                               sizeof size, size, NULL));
    if (size[0] == 0)
        size[0] = 1, size[1] = most, size[2] = 1; // each row has its own
    run(k, size[0], size[1], size[2]);
    CHECK_EQ(first_int(out), (cl_int)most);
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    close_all();
}

TEST(parts_of_the_device)
{
    const cl_uint most = LIMIT(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, cl_uint);
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint n = 0;
    if (most <= 1)
        SKIP("one processor");
    cl_device_id *parts = calloc(most, sizeof *parts);
    OK(clCreateSubDevices(the_device(), one, most, parts, &n));
    CHECK_EQ(n, most);
    for (cl_uint i = 0; i < n; i++)
        OK(clReleaseDevice(parts[i]));
    free(parts);
}

// ---- Pipes ----

static cl_mem new_pipe(cl_uint bytes, cl_uint packets)
{
    cl_int err = 1;
    cl_mem m = clCreatePipe(context, 0, bytes, packets, NULL, &err);
    OK(err);
    return m;
}

TEST(packets_of_the_largest_size)
{
    open_all();
    const cl_uint most = LIMIT(CL_DEVICE_PIPE_MAX_PACKET_SIZE, cl_uint);
    cl_int err = 1;
    CHECK(clCreatePipe(context, 0, most + 1, 1, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_PIPE_SIZE);
    text_length = 0;
    ADD("typedef struct { uchar c[%u]; } packet;\n"
        "kernel void put(write_only pipe packet p) {\n"
        "    packet v; for (int i = 0; i < %u; i++) v.c[i] = i + i / 256; write_pipe(p, &v); }\n"
        "kernel void take(read_only pipe packet p, global int *right) {\n"
        "    packet v; *right = read_pipe(p, &v) == 0;\n"
        "    for (int i = 0; i < %u; i++) *right += v.c[i] == (uchar)(i + i / 256); }\n",
        most, most, most);
    cl_program p = built_program(context, text, "-cl-std=CL2.0");
    cl_kernel put = new_kernel(p, "put"), take = new_kernel(p, "take");
    cl_mem pipe = new_pipe(most, 3), out = new_buffer(context, 4);
    OK(clSetKernelArg(put, 0, sizeof pipe, &pipe));
    OK(clSetKernelArg(take, 0, sizeof pipe, &pipe));
    OK(clSetKernelArg(take, 1, sizeof out, &out));
    for (int i = 0; i < 7; i++) {
        run(put, 1, 1, 1);
        run(take, 1, 1, 1);
        CHECK_EQ(first_int(out), (cl_int)most + 1);
    }
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(put));
    OK(clReleaseKernel(take));
    OK(clReleaseProgram(p));
    close_all();
}

TEST(pipes_of_a_kernel)
{
    open_all();
    const cl_uint most = LIMIT(CL_DEVICE_MAX_PIPE_ARGS, cl_uint);
    text_length = 0;
    ADD("kernel void k(global int *sum");
    for (cl_uint i = 0; i < most; i++)
        ADD(", write_only pipe int p%u", i);
    ADD(") { int v = 1; *sum = 0;");
    for (cl_uint i = 0; i < most; i++)
        ADD(" *sum += write_pipe(p%u, &v) == 0 && get_pipe_max_packets(p%u) == %u;", i, i, 1 + i % 5);
    ADD("}");
    cl_kernel k = kernel_of(text);
    cl_mem out = new_buffer(context, 4);
    OK(clSetKernelArg(k, 0, sizeof out, &out));
    cl_mem *m = calloc(most, sizeof *m);
    for (cl_uint i = 0; i < most; i++) {
        m[i] = new_pipe(4, 1 + i % 5);
        OK(clSetKernelArg(k, i + 1, sizeof m[i], &m[i]));
    }
    run(k, 1, 1, 1);
    CHECK_EQ(first_int(out), (cl_int)most);
    for (cl_uint i = 0; i < most; i++)
        OK(clReleaseMemObject(m[i]));
    free(m);
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    close_all();
}

// Reservations that are all open at once, by as many packets.
TEST(reservations_of_a_pipe)
{
    open_all();
    enum { EACH = 16 };
    const cl_uint most = LIMIT(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, cl_uint);
    const size_t group = LIMIT(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t);
    const size_t items = most / EACH < group ? most / EACH : group;
    CHECK_EQ(items * EACH, most);
    cl_kernel k = kernel_of("kernel void k(write_only pipe int p, global atomic_int *valid)\n"
                            "{\n"
                            "    reserve_id_t r[16];\n"
                            "    int v = 1, good = 0;\n"
                            "    for (int i = 0; i < 16; i++)\n"
                            "        good += is_valid_reserve_id(r[i] = reserve_write_pipe(p, 1));\n"
                            "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
                            "    for (int i = 0; i < 16; i++) {\n"
                            "        good += write_pipe(p, r[i], 0, &v) == 0;\n"
                            "        commit_write_pipe(p, r[i]);\n"
                            "    }\n"
                            "    atomic_fetch_add(valid, good);\n"
                            "}\n");
    const cl_int zero = 0;
    cl_mem pipe = new_pipe(4, most), out = new_buffer(context, 4);
    OK(clEnqueueFillBuffer(queue, out, &zero, 4, 0, 4, 0, NULL, NULL));
    OK(clSetKernelArg(k, 0, sizeof pipe, &pipe));
    OK(clSetKernelArg(k, 1, sizeof out, &out));
    run(k, items, 1, 1);
    CHECK_EQ(first_int(out), (cl_int)(2 * most));
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    close_all();
}

// ---- The rest ----

TEST(printf_of_the_reported_size)
{
    open_all();
    enum { LINE = 16 };
    const size_t most = LIMIT(CL_DEVICE_PRINTF_BUFFER_SIZE, size_t);
    const size_t items = most / LINE;
    char line[LINE + 1];
    const struct harness_capture c = harness_capture(STDOUT_FILENO);
    cl_kernel k = kernel_of("kernel void k(void) { printf(\"%015d\\n\", (int)get_global_id(0)); }");
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    const int file = harness_uncapture(&c);
    CHECK_EQ(lseek(file, 0, SEEK_END), (off_t)(items * LINE));
    unsigned char *seen = calloc(items, 1);
    for (size_t i = 0; i < items; i++) {
        CHECK_EQ(pread(file, line, LINE, (off_t)(i * LINE)), LINE);
        line[LINE] = 0;
        const long n = strtol(line, NULL, 10);
        CHECK(n >= 0 && (size_t)n < items && line[LINE - 1] == '\n' && !seen[n]++);
    }
    free(seen);
    close(file);
    OK(clReleaseKernel(k));
    close_all();
}

TEST(queues_on_the_device)
{
    open_all();
    const cl_uint most = LIMIT(CL_DEVICE_MAX_ON_DEVICE_QUEUES, cl_uint),
                  largest = LIMIT(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, cl_uint);
    cl_command_queue *q = calloc(most, sizeof(cl_command_queue));
    cl_int err = 1;
    for (cl_uint i = 0; i <= most; i++) {
        const cl_queue_properties p[] = {CL_QUEUE_PROPERTIES,
                                         CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                         CL_QUEUE_SIZE, i < most ? largest : largest + 1, 0};
        cl_command_queue made = clCreateCommandQueueWithProperties(context, the_device(), p, &err);
        CHECK_EQ(err, i < most ? CL_SUCCESS : CL_INVALID_QUEUE_PROPERTIES);
        if (i < most)
            q[i] = made;
    }
    // Each takes a kernel's child.
    cl_kernel k = kernel_of("kernel void k(queue_t q, global atomic_int *n)\n"
                            "{\n"
                            "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),\n"
                            "                   ^{ atomic_fetch_add(n, 1); });\n"
                            "}\n");
    const cl_int zero = 0;
    cl_mem out = new_buffer(context, 4);
    OK(clEnqueueFillBuffer(queue, out, &zero, 4, 0, 4, 0, NULL, NULL));
    OK(clSetKernelArg(k, 1, sizeof out, &out));
    for (cl_uint i = 0; i < most; i++) {
        OK(clSetKernelArg(k, 0, sizeof q[i], &q[i]));
        run(k, 1, 1, 1);
    }
    CHECK_EQ(first_int(out), (cl_int)most);
    for (cl_uint i = 0; i < most; i++)
        OK(clReleaseCommandQueue(q[i]));
    free(q);
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    close_all();
}

// Events of the application's that are all there at once.
TEST(events_on_the_device)
{
    open_all();
    enum { EACH = 64 };
    const cl_uint most = LIMIT(CL_DEVICE_MAX_ON_DEVICE_EVENTS, cl_uint);
    const size_t group = LIMIT(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t);
    const size_t items = most / EACH < group ? most / EACH : group;
    CHECK_EQ(items * EACH, most);
    cl_kernel k = kernel_of("kernel void k(global atomic_int *valid)\n"
                            "{\n"
                            "    clk_event_t e[64];\n"
                            "    int good = 0;\n"
                            "    for (int i = 0; i < 64; i++)\n"
                            "        good += is_valid_event(e[i] = create_user_event());\n"
                            "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
                            "    for (int i = 0; i < 64; i++) {\n"
                            "        set_user_event_status(e[i], CL_COMPLETE);\n"
                            "        release_event(e[i]);\n"
                            "    }\n"
                            "    atomic_fetch_add(valid, good);\n"
                            "}\n");
    const cl_int zero = 0;
    cl_mem out = new_buffer(context, 4);
    const cl_queue_properties p[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int err = 1;
    cl_command_queue on_device = clCreateCommandQueueWithProperties(context, the_device(), p, &err);
    OK(err);
    OK(clEnqueueFillBuffer(queue, out, &zero, 4, 0, 4, 0, NULL, NULL));
    OK(clSetKernelArg(k, 0, sizeof out, &out));
    run(k, items, 1, 1);
    CHECK_EQ(first_int(out), (cl_int)most);
    OK(clReleaseCommandQueue(on_device));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    close_all();
}
