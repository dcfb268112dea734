// timeout: 120
// env: WEFT_CACHE=0
// clCreateProgramWithIL and clSetProgramSpecializationConstant: what is built from a module runs, whatever
// its byte order; it links with sources; constants take the values that were set before the build.
#include "spirv.h"

TEST(a_module_runs)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("saxpy"));
    build(&t, p, "");
    check_saxpy(&t, p);
    build(&t, p, "-cl-opt-disable -cl-mad-enable"); // again, and with options
    check_saxpy(&t, p);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(a_module_of_the_other_byte_order_runs)
{
    struct e2e t = e2e_open();
    struct module m = *read_module("saxpy");
    for (size_t i = 0; i < m.size; i += 4) {
        unsigned char w[4] = {m.bytes[i + 3], m.bytes[i + 2], m.bytes[i + 1], m.bytes[i]};
        memcpy(m.bytes + i, w, sizeof w);
    }
    cl_program p = new_il(&t, &m);
    build(&t, p, NULL);
    check_saxpy(&t, p);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// Groups of a module's kernels may be uneven, unless the option is given.
TEST(groups_are_of_one_size_if_the_build_says_so)
{
    static const char *const options[] = {"", "-cl-uniform-work-group-size",
                                          "-cl-std=CL2.0 -cl-uniform-work-group-size"};
    const size_t global = 10, local = 4, fits = 5;
    for (int i = 0; i < 3; i++) {
        struct e2e t = e2e_open();
        cl_program p = new_il(&t, read_module("saxpy"));
        build(&t, p, options[i]);
        cl_kernel k = new_kernel(p, "saxpy");
        cl_mem m = e2e_buffer(&t, 64, NULL);
        cl_float a = 3;
        E2E_ARG(k, 0, m);
        E2E_ARG(k, 1, m);
        E2E_ARG(k, 2, a);
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &global, &local, 0, NULL, NULL),
                 i ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS);
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &global, &fits, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
        e2e_close(&t);
    }
}

TEST(the_extensions_name_makes_programs_too)
{
    struct e2e t = e2e_open();
    cl_platform_id platform;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    __typeof__(&clCreateProgramWithIL) create;
    void *f = clGetExtensionFunctionAddressForPlatform(platform, "clCreateProgramWithILKHR");
    CHECK(f != NULL);
    memcpy(&create, &f, sizeof create);
    const struct module *m = read_module("saxpy");
    cl_int error = 1;
    cl_program p = create(t.context, m->bytes, m->size, &error);
    CHECK_EQ(error, CL_SUCCESS);
    build(&t, p, "");
    check_saxpy(&t, p);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(queries_describe_the_module)
{
    struct e2e t = e2e_open();
    const struct module *m = read_module("saxpy");
    cl_program p = new_il(&t, m);
    size_t size = 0;
    unsigned char il[sizeof m->bytes];
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_IL, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, m->size);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_IL, size, il, NULL), CL_SUCCESS);
    CHECK(memcmp(il, m->bytes, size) == 0);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof il, il, &size), CL_SUCCESS);
    CHECK_EQ(size, 1);
    build(&t, p, "-cl-kernel-arg-info");
    cl_kernel k = clCreateKernel(p, "saxpy", NULL);
    char name[64];
    cl_kernel_arg_address_qualifier space;
    CHECK_EQ(clGetKernelArgInfo(k, 2, CL_KERNEL_ARG_NAME, sizeof name, name, NULL), CL_SUCCESS);
    CHECK_STR(name, "a");
    CHECK_EQ(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL),
             CL_SUCCESS);
    CHECK_EQ(space, CL_KERNEL_ARG_ADDRESS_GLOBAL);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// The constants as 64 bits each.
static void run_constants(struct e2e *t, cl_program p, cl_long out[7])
{
    build(t, p, "");
    cl_kernel k = clCreateKernel(p, "constants", NULL);
    cl_mem m = e2e_buffer(t, 7 * sizeof *out, NULL);
    E2E_ARG(k, 0, m);
    e2e_run(t, k, 1, NULL);
    e2e_read(t, m, 7 * sizeof *out, out);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

static cl_long bits_of(double d)
{
    cl_long bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static cl_long bits_of_single(float f)
{
    cl_uint bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

TEST(specialization_constants_take_the_values_that_are_set)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("constants"));
    cl_long out[7];
    run_constants(&t, p, out);
    const cl_long first[7] = {1, -56, 3, 4, 5000000000, bits_of_single(1.5f), bits_of(-2.25)};
    for (int i = 0; i < 7; i++)
        CHECK_EQ(out[i], first[i]);

    const cl_uchar no = 0, byte = 0x85;
    const cl_short word = -3;
    const cl_int number = -4;
    const cl_long large = -5000000000;
    const float single = 0.1f;
    const double twice = 0.1;
    const void *values[] = {&no, &byte, &word, &number, &large, &single, &twice};
    const size_t sizes[] = {1, 1, 2, 4, 8, 4, 8};
    const cl_uint ids[] = {1, 2, 3, 4, 5, 6, 4000000000};
    for (int i = 0; i < 7; i++)
        CHECK_EQ(clSetProgramSpecializationConstant(p, ids[i], sizes[i], values[i]), CL_SUCCESS);
    run_constants(&t, p, out);
    const cl_long then[7] = {0, (cl_char)0x85, -3, -4, -5000000000, bits_of_single(0.1f), bits_of(0.1)};
    for (int i = 0; i < 7; i++)
        CHECK_EQ(out[i], then[i]);

    const cl_uchar yes = 255; // any value but 0 is true
    CHECK_EQ(clSetProgramSpecializationConstant(p, 1, 1, &yes), CL_SUCCESS);
    run_constants(&t, p, out);
    CHECK_EQ(out[0], 1);
    CHECK_EQ(out[3], -4);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(bad_specializations_are_refused)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("constants")), source = e2e_program(&t, "kernel void k() {}");
    cl_int v = 1;
    CHECK_EQ(clSetProgramSpecializationConstant(NULL, 4, 4, &v), CL_INVALID_PROGRAM);
    CHECK_EQ(clSetProgramSpecializationConstant(source, 4, 4, &v), CL_INVALID_PROGRAM);
    CHECK_EQ(clSetProgramSpecializationConstant(p, 7, 4, &v), CL_INVALID_SPEC_ID);
    CHECK_EQ(clSetProgramSpecializationConstant(p, 7, 4, NULL), CL_INVALID_SPEC_ID);
    CHECK_EQ(clSetProgramSpecializationConstant(p, 4, 8, &v), CL_INVALID_VALUE);
    CHECK_EQ(clSetProgramSpecializationConstant(p, 4, 4, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(source), CL_SUCCESS);
    e2e_close(&t);
}

TEST(what_came_with_version_1_4_works)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("newer"));
    build(&t, p, "");
    cl_kernel k = clCreateKernel(p, "newer", NULL);
    int data[8] = {0, 10, 20, 30, 40, 50, 60, 70};
    cl_long out[6];
    cl_mem m = e2e_buffer(&t, sizeof data, data), o = e2e_buffer(&t, sizeof out, NULL);
    E2E_ARG(k, 0, m);
    E2E_ARG(k, 1, o);
    e2e_run(&t, k, 1, NULL);
    e2e_read(&t, o, sizeof out, out);
    const cl_long want[6] = {5, 1, 0, 10, 30, 22};
    for (int i = 0; i < 6; i++)
        CHECK_EQ(out[i], want[i]);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(o), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(a_module_reads_an_image_with_a_constant_sampler)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("image"));
    build(&t, p, "");
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, "image", &error);
    CHECK_EQ(error, CL_SUCCESS);
    enum { WIDTH = 20 };
    cl_uchar texels[WIDTH][4];
    for (int i = 0; i < 4 * WIDTH; i++)
        texels[i / 4][i % 4] = (cl_uchar)(3 * i + 1);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = 1};
    cl_mem image =
        clCreateImage(t.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, texels, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_uint out[WIDTH][4];
    cl_mem m = e2e_buffer(&t, sizeof out, NULL);
    E2E_ARG(k, 0, image);
    E2E_ARG(k, 1, m);
    e2e_run(&t, k, WIDTH, NULL);
    e2e_read(&t, m, sizeof out, out);
    for (int i = 0; i < 4 * WIDTH; i++)
        CHECK_EQ(out[i / 4][i % 4], texels[i / 4][i % 4]);
    CHECK_EQ(clReleaseMemObject(image), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(values_that_the_translator_lacks_are_made_of_others)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("values"));
    build(&t, p, "");
    cl_kernel k = clCreateKernel(p, "values", NULL);
    static const cl_uint pairs[][2] = {
        {0x12345678, 0x9abcdef0}, {0xffeeddcc, 0x00112233}, {5, 5}, {0x80ff7f01, 0xff80017f}};
    for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++) {
        const cl_uint x = pairs[n][0], y = pairs[n][1], most = 0xfffffff0;
        cl_ulong out[15];
        cl_mem m = e2e_buffer(&t, sizeof out, NULL);
        E2E_ARG(k, 0, m);
        E2E_ARG(k, 1, x);
        E2E_ARG(k, 2, y);
        e2e_run(&t, k, 1, NULL);
        e2e_read(&t, m, sizeof out, out);
        cl_ulong both = 0, unsigned_product = (cl_ulong)x * most;
        cl_long with_signs = 0, mixed = 0, signed_product = (cl_long)(cl_int)x * (cl_int)most;
        for (int b = 0; b < 32; b += 8) {
            both += (cl_ulong)(cl_uchar)(x >> b) * (cl_uchar)(y >> b);
            with_signs += (cl_char)(x >> b) * (cl_char)(y >> b);
            mixed += (cl_char)(x >> b) * (cl_uchar)(y >> b);
        }
        unsigned __int128 wide = (unsigned __int128)(cl_ulong)signed_product * unsigned_product;
        const cl_ulong carries =
            (cl_ulong)(most + y < y) * 4 + (cl_ulong)(x + x < x) * 2 + (most + x < x) + 8;
        const cl_ulong want[15] = {x,
                                   ((y * 3 + x) * 3 + x) * 3 + 77,
                                   (cl_ulong)(cl_int)(y - x),
                                   (cl_ulong)x + most,
                                   (cl_ulong)(x < y) << 32 | (x - y),
                                   unsigned_product,
                                   (cl_ulong)signed_product,
                                   (cl_ulong)(wide >> 64),
                                   carries,
                                   both,
                                   (cl_ulong)with_signs,
                                   (cl_ulong)mixed,
                                   both + most > CL_UINT_MAX ? CL_UINT_MAX : both + most,
                                   x,
                                   1};
        for (int i = 0; i < 15; i++)
            CHECK_EQ(out[i], want[i]);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// Runs two kernels of a module, each of which leaves a number.
static void check_two_kernels(const char *module, const cl_uint expected[2])
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module(module));
    build(&t, p, "");
    static const char *const kernels[] = {"first", "second"};
    for (size_t c = 0; c < 2; c++) {
        cl_int error = 1;
        cl_kernel k = clCreateKernel(p, kernels[c], &error);
        CHECK_EQ(error, CL_SUCCESS);
        cl_uint got = 99;
        cl_mem m = e2e_buffer(&t, sizeof got, &got);
        E2E_ARG(k, 0, m);
        e2e_run(&t, k, 1, NULL);
        CHECK_EQ(clEnqueueReadBuffer(t.queue, m, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(got, expected[c]);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(names_are_no_more_than_names)
{
    check_two_kernels("names", (const cl_uint[]){1 * 2 * 3 + 0 + (3 << 3), 2});
}

TEST(an_entry_point_and_a_function_may_have_one_name)
{
    check_two_kernels("wrapped", (const cl_uint[]){11, 21});
}

TEST(a_kernel_without_a_name_is_reported)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("nameless"));
    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_STR(e2e_log(&t, p), "error: a kernel of the module has an empty name\n");
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(a_module_enqueues_its_functions)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("enqueue"));
    build(&t, p, "");
    size_t names = 0;
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof names, &names, NULL), CL_SUCCESS);
    CHECK_EQ(names, 1); // what is enqueued is nobody's but the program's
    const cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int error = 1;
    cl_command_queue q = clCreateCommandQueueWithProperties(t.context, t.device, on_device, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_kernel k = clCreateKernel(p, "parent", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_uint out[18] = {[16] = 1};
    cl_mem m = e2e_buffer(&t, sizeof out, out);
    E2E_ARG(k, 0, m);
    e2e_run(&t, k, 1, NULL);
    e2e_read(&t, m, sizeof out, out);
    CHECK_EQ(out[16], 0); // both were enqueued
    for (cl_uint i = 0; i < 8; i++) {
        CHECK_EQ(out[i], i + 7);
        CHECK_EQ(out[8 + i], 2 * (i + 7));
    }
    CHECK_GT(out[17], 0);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(sub_groups_move_blocks_of_memory)
{
    enum { ITEMS = 64, NUMBERS = 4 * ITEMS, BYTES = 2 * ITEMS };
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("blocks"));
    build(&t, p, "");
    cl_kernel k = clCreateKernel(p, "blocks", NULL);
    struct {
        cl_uint numbers[NUMBERS];
        cl_uchar bytes[BYTES];
    } in, out;
    memset(&out, 0, sizeof out);
    for (cl_uint i = 0; i < NUMBERS; i++)
        in.numbers[i] = i * 2654435761u;
    for (int i = 0; i < BYTES; i++)
        in.bytes[i] = (cl_uchar)(i + 1);
    const size_t local = ITEMS;
    size_t size = 0;
    CHECK_EQ(clGetKernelSubGroupInfo(k, t.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local,
                                     &local, sizeof size, &size, NULL),
             CL_SUCCESS);
    cl_mem a = e2e_buffer(&t, sizeof in, &in), b = e2e_buffer(&t, sizeof out, &out);
    E2E_ARG(k, 0, a);
    E2E_ARG(k, 1, b);
    e2e_run(&t, k, ITEMS, &local);
    e2e_read(&t, b, sizeof out, &out);
    for (size_t g = 0; g < ITEMS / size; g++)
        for (size_t lane = 0; lane < size; lane++) {
            size_t first = g * size * 4 + lane, byte = g * size * 2 + lane;
            for (size_t row = 0; row < 4; row++)
                CHECK_EQ(out.numbers[first + row * size], in.numbers[first + (3 - row) * size]);
            for (size_t row = 0; row < 2; row++)
                CHECK_EQ(out.bytes[byte + row * size], in.bytes[byte + (1 - row) * size]);
        }
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(modules_and_sources_link)
{
    struct e2e t = e2e_open();
    cl_program module = new_il(&t, read_module("library"));
    cl_program source = e2e_program(
        &t, "int thrice(int x);\n"
            "int plus_one(int x) { return x + 1; }\n"
            "kernel void k(global int *p) { p[get_global_id(0)] = thrice(p[get_global_id(0)]); }");
    CHECK_EQ(clBuildProgram(module, 0, NULL, "", NULL, NULL),
             CL_BUILD_PROGRAM_FAILURE); // plus_one isn't there
    CHECK(strstr(e2e_log(&t, module), "plus_one") != NULL);
    CHECK_EQ(clCompileProgram(module, 0, NULL, "", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clCompileProgram(source, 0, NULL, "", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_int error = 1;
    cl_program linked =
        clLinkProgram(t.context, 0, NULL, "", 2, (cl_program[]){source, module}, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_kernel k = clCreateKernel(linked, "k", &error);
    CHECK_EQ(error, CL_SUCCESS);
    int data[64];
    for (int i = 0; i < 64; i++)
        data[i] = i;
    cl_mem m = e2e_buffer(&t, sizeof data, data);
    E2E_ARG(k, 0, m);
    e2e_run(&t, k, 64, NULL);
    e2e_read(&t, m, sizeof data, data);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(data[i], 3 * (i + 1));
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(linked), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(source), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(module), CL_SUCCESS);
    e2e_close(&t);
}

// The kernel leaves a number, or isn't run because there is no code for it. What its log says of it then.
static const char *run_or_log(struct e2e *t, cl_program p, const char *kernel, cl_uint *number)
{
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, kernel, &error);
    CHECK_EQ(error, CL_SUCCESS);
    *number = 5;
    cl_mem m = e2e_buffer(t, sizeof *number, number);
    E2E_ARG(k, 0, m);
    const size_t one = 1;
    error = clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL);
    (void)clFinish(t->queue);
    CHECK_EQ(clEnqueueReadBuffer(t->queue, m, CL_TRUE, 0, sizeof *number, number, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    return e2e_log(t, p);
}

TEST(what_is_imported_by_a_builtin_functions_name)
{
    struct e2e t = e2e_open();
    cl_program module = new_il(&t, read_module("imports"));
    cl_program source =
        e2e_program(&t, "uint __attribute__((overloadable)) work_group_broadcast(uint a, uint b)\n"
                        "{ return 10 * a + b; }");
    CHECK_EQ(clCompileProgram(module, 0, NULL, "", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clCompileProgram(source, 0, NULL, "", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_int error = 1;
    cl_program p =
        clLinkProgram(t.context, 0, NULL, "", 2, (cl_program[]){source, module}, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_uint number;
    run_or_log(&t, p, "own", &number); // another program's, not OpGroupBroadcast
    CHECK_EQ(number, 57);
    run_or_log(&t, p, "as_declared", &number);
    CHECK_EQ(number, 7);
    static const char *const kernels[] = {"of_another_result", "of_another_number", "of_another_id",
                                          "no_barrier"};
    static const char *const names[] = {"_Z3minjj", "_Z5clampjjj", "_Z13get_global_idj", "_Z7barrierj"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const char *log = run_or_log(&t, p, kernels[i], &number);
        CHECK_EQ(number, 5);
        const char *named = strstr(log, names[i]);
        if (!named || !strstr(named, "another type"))
            FAIL("%s: %s", kernels[i], log);
    }
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(module), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(source), CL_SUCCESS);
    e2e_works(&t, "");
    e2e_close(&t);
}
