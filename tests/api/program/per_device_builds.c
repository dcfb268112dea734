// A program is built for each of its devices (OpenCL 2.2 §5.8): options, logs, binaries and kernels of a
// device and of two sub-devices.
// timeout: 200
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "api/program_fixture.h"
#include "api/sub_device_fixture.h"

#include <sys/mman.h>

#define MACHINE "numa:2 l3:2 l2:2 core:1 pu:1" // 8 units

enum { ROOT, LEFT, RIGHT, DEVICES };
enum { ITEMS = 64 };

struct devices {
    cl_device_id device[DEVICES];
    cl_context context;
    cl_command_queue queue[DEVICES];
    cl_mem data; // ITEMS ints
};

static struct devices open_devices(void)
{
    struct devices h;
    setenv("WEFT_HWLOC_SYNTHETIC", MACHINE, 1); // before the first call
    h.device[ROOT] = the_device();
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    cl_uint parts = 0;
    cl_int err = 1;
    OK(clCreateSubDevices(h.device[ROOT], halves, 2, &h.device[LEFT], &parts));
    CHECK_EQ(parts, 2);
    h.context = clCreateContext(NULL, DEVICES, h.device, NULL, NULL, &err);
    OK(err);
    for (int i = 0; i < DEVICES; i++) {
        h.queue[i] = clCreateCommandQueueWithProperties(h.context, h.device[i], NULL, &err);
        OK(err);
    }
    h.data = new_buffer(h.context, ITEMS * sizeof(cl_int));
    return h;
}

static void close_devices(struct devices *h)
{
    OK(clReleaseMemObject(h->data));
    for (int i = 0; i < DEVICES; i++)
        OK(clReleaseCommandQueue(h->queue[i]));
    OK(clReleaseContext(h->context));
    OK(clReleaseDevice(h->device[LEFT]));
    OK(clReleaseDevice(h->device[RIGHT]));
}

// A kernel `value` whose second argument is multiplied by X; others that only one of two builds has, or has
// otherwise.
static const char source[] =
    "global int calls;\n"
    "kernel void value(global int *p, int n) { p[get_global_id(0)] = n * X; if "
    "(get_global_id(0) == 0) calls += X; }\n"
    "kernel void count(global int *p) { p[0] = calls; }\n" SIZED_KERNEL "#if X == 1\n"
    "#warning the first\n"
    "kernel void differs(global int *p) { p[0] = 1; }\n"
    "kernel void first(global int *p) { p[0] = 1; }\n"
    "#else\n"
    "#warning the second\n"
    "kernel void differs(global int *p, int n) { p[0] = n; }\n"
    "kernel void second(global int *p) { p[0] = 2; }\n"
    "#endif\n";

#define FIRST "-cl-std=CL3.0 -DX=1"
#define SECOND "-cl-std=CL3.0 -DX=2"

static cl_int build_for(struct devices *h, cl_program p, int device, const char *options)
{
    return clBuildProgram(p, 1, &h->device[device], options, NULL, NULL);
}

// For the parts: X is 1 on the left and 2 on the right.
static cl_program built_apart(struct devices *h)
{
    cl_program p = new_program(h->context, source);
    OK(build_for(h, p, LEFT, FIRST));
    OK(build_for(h, p, RIGHT, SECOND));
    return p;
}

static cl_build_status build_status(struct devices *h, cl_program p, int device)
{
    cl_build_status s = 77;
    OK(clGetProgramBuildInfo(p, h->device[device], CL_PROGRAM_BUILD_STATUS, sizeof s, &s, NULL));
    return s;
}

static cl_program_binary_type type_of(struct devices *h, cl_program p, int device)
{
    cl_program_binary_type t = 77;
    OK(clGetProgramBuildInfo(p, h->device[device], CL_PROGRAM_BINARY_TYPE, sizeof t, &t, NULL));
    return t;
}

static const char *text_of(struct devices *h, cl_program p, int device, cl_program_build_info what)
{
    static char text[4096];
    OK(clGetProgramBuildInfo(p, h->device[device], what, sizeof text, text, NULL));
    return text;
}

static cl_int launch(struct devices *h, cl_kernel k, int device, size_t items)
{
    return clEnqueueNDRangeKernel(h->queue[device], k, 1, NULL, &items, NULL, 0, NULL, NULL);
}

static cl_int first_of_data(struct devices *h, int device)
{
    cl_int got = -1;
    OK(clEnqueueReadBuffer(h->queue[device], h->data, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    return got;
}

static void set_value(struct devices *h, cl_kernel k, cl_int n)
{
    OK(clSetKernelArg(k, 0, sizeof h->data, &h->data));
    OK(clSetKernelArg(k, 1, sizeof n, &n));
}

// What X is in the code that runs there; 0: there is none.
static cl_int x_on(struct devices *h, cl_program p, int device)
{
    cl_int err = 1, x = 0;
    cl_kernel k = clCreateKernel(p, "value", &err);
    if (err == CL_INVALID_PROGRAM_EXECUTABLE)
        return 0;
    OK(err);
    set_value(h, k, 1);
    err = launch(h, k, device, 1);
    if (err != CL_INVALID_PROGRAM_EXECUTABLE) {
        OK(err);
        x = first_of_data(h, device);
    }
    OK(clReleaseKernel(k));
    return x;
}

static void check_x(struct devices *h, cl_program p, cl_int root, cl_int left, cl_int right)
{
    const cl_int want[] = {root, left, right};
    for (int i = 0; i < DEVICES; i++)
        CHECK_EQ(x_on(h, p, i), want[i]);
}

TEST(each_device_has_its_own_build)
{
    struct devices h = open_devices();
    cl_program p = new_program(h.context, source);
    OK(build_for(&h, p, LEFT, FIRST));
    CHECK_EQ(build_status(&h, p, ROOT), CL_BUILD_NONE);
    CHECK_EQ(build_status(&h, p, LEFT), CL_BUILD_SUCCESS);
    CHECK_EQ(build_status(&h, p, RIGHT), CL_BUILD_NONE);
    check_x(&h, p, 0, 1, 0);
    OK(build_for(&h, p, RIGHT, SECOND));
    check_x(&h, p, 0, 1, 2);
    CHECK_EQ(build_status(&h, p, RIGHT), CL_BUILD_SUCCESS);
    static const char *const options[] = {"", FIRST, SECOND};
    const cl_program_binary_type type[] = {CL_PROGRAM_BINARY_TYPE_NONE, CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                                           CL_PROGRAM_BINARY_TYPE_EXECUTABLE};
    for (int i = 0; i < DEVICES; i++) {
        CHECK_STR(text_of(&h, p, i, CL_PROGRAM_BUILD_OPTIONS), options[i]);
        CHECK_EQ(type_of(&h, p, i), type[i]);
        size_t variables = 77;
        OK(clGetProgramBuildInfo(p, h.device[i], CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                                 sizeof variables, &variables, NULL));
        CHECK_EQ(variables != 0, i != ROOT);
    }
    CHECK_STR(text_of(&h, p, ROOT, CL_PROGRAM_BUILD_LOG), "");
    CHECK_CONTAINS(text_of(&h, p, LEFT, CL_PROGRAM_BUILD_LOG), "the first");
    CHECK_CONTAINS(text_of(&h, p, RIGHT, CL_PROGRAM_BUILD_LOG), "the second");
    OK(clReleaseProgram(p));
    close_devices(&h);
}

TEST(one_kernel_runs_the_code_of_each_queues_device)
{
    struct devices h = open_devices();
    cl_program p = built_apart(&h);
    cl_kernel k = new_kernel(p, "value"), count = new_kernel(p, "count");
    OK(clSetKernelArg(count, 0, sizeof h.data, &h.data));
    for (int i = 1; i < 40; i++) { // until better code takes over, too
        set_value(&h, k, i);
        for (int d = LEFT; d <= RIGHT; d++) {
            cl_int got[ITEMS];
            OK(launch(&h, k, d, ITEMS));
            OK(clEnqueueReadBuffer(h.queue[d], h.data, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
            for (int n = 0; n < ITEMS; n++)
                CHECK_EQ(got[n], i * d);
            OK(launch(&h, count, d, 1)); // each device has variables of its own
            CHECK_EQ(first_of_data(&h, d), i * d);
        }
        CHECK_EQ(launch(&h, k, ROOT, ITEMS), CL_INVALID_PROGRAM_EXECUTABLE);
        if (i < 20)
            sleep_ms(5);
    }
    // Clones have all of the original's codes.
    cl_int err = 1;
    cl_kernel clone = clCloneKernel(k, &err);
    OK(err);
    set_value(&h, k, 0);
    OK(clReleaseKernel(k));
    for (int d = LEFT; d <= RIGHT; d++) {
        OK(launch(&h, clone, d, ITEMS));
        CHECK_EQ(first_of_data(&h, d), 39 * d);
    }
    CHECK_EQ(launch(&h, clone, ROOT, ITEMS), CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(clBuildProgram(p, 1, &h.device[ROOT], FIRST, NULL, NULL), CL_INVALID_OPERATION);
    OK(clReleaseKernel(clone));
    OK(clReleaseKernel(count));
    OK(clReleaseProgram(p));
    close_devices(&h);
}

static void check_names(cl_program p, cl_uint count, const char *names)
{
    char text[256] = "";
    size_t kernels = 77;
    cl_uint made = 77;
    cl_kernel all[16];
    OK(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
    OK(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    CHECK_EQ(kernels, count);
    CHECK_STR(text, names);
    CHECK_EQ(clCreateKernelsInProgram(p, count - 1, all, NULL), CL_INVALID_VALUE);
    OK(clCreateKernelsInProgram(p, 16, all, &made));
    CHECK_EQ(made, count);
    const char *at = names;
    for (cl_uint i = 0; i < made; i++) {
        OK(clGetKernelInfo(all[i], CL_KERNEL_FUNCTION_NAME, sizeof text, text, NULL));
        CHECK_EQ(strncmp(at, text, strlen(text)), 0);
        at += strlen(text) + 1;
        OK(clReleaseKernel(all[i]));
    }
}

TEST(kernels_are_those_that_all_builds_define_alike)
{
    struct devices h = open_devices();
    cl_program p = new_program(h.context, source);
    cl_int err = 1;
    size_t kernels;
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL),
             CL_INVALID_PROGRAM_EXECUTABLE);
    OK(build_for(&h, p, RIGHT, SECOND));
    check_names(p, 5, "value;count;sized;differs;second");
    OK(build_for(&h, p, LEFT, FIRST));
    check_names(p, 5, "value;count;sized;first;second");
    CHECK(clCreateKernel(p, "differs", &err) == NULL);
    CHECK_EQ(err, CL_INVALID_KERNEL_DEFINITION);
    CHECK(clCreateKernel(p, "none", &err) == NULL);
    CHECK_EQ(err, CL_INVALID_KERNEL_NAME);
    static const char *const name[] = {NULL, "first", "second"};
    for (int i = LEFT; i <= RIGHT; i++) {
        cl_kernel k = new_kernel(p, name[i]);
        OK(clSetKernelArg(k, 0, sizeof h.data, &h.data));
        OK(launch(&h, k, i, 1));
        CHECK_EQ(first_of_data(&h, i), i);
        CHECK_EQ(launch(&h, k, LEFT + RIGHT - i, 1), CL_INVALID_PROGRAM_EXECUTABLE);
        OK(clReleaseKernel(k));
    }
    OK(clReleaseProgram(p));
    close_devices(&h);
}

TEST(queries_are_about_the_device)
{
    struct devices h = open_devices();
    cl_program p = new_program(h.context, source);
    size_t size[3], global = ITEMS, local = 0, eight = 8;
    cl_ulong bytes = 0;
    // With one device that it is built for there is nothing to be chosen.
    OK(build_for(&h, p, RIGHT, SECOND));
    cl_kernel k = new_kernel(p, "sized");
    OK(clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size, NULL));
    CHECK_EQ(size[0], 16);
    CHECK_EQ(clGetKernelWorkGroupInfo(k, h.device[LEFT], CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size,
                                      NULL),
             CL_INVALID_DEVICE);
    OK(clReleaseKernel(k));
    OK(build_for(&h, p, LEFT, FIRST));
    k = new_kernel(p, "sized");
    OK(clSetKernelArg(k, 0, sizeof h.data, &h.data));
    OK(clSetKernelArg(k, 1, 128, NULL));
    OK(clSetKernelArg(k, 2, 64, NULL));
    clGetKernelSuggestedLocalWorkSizeKHR_fn suggest =
        (clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(
            the_platform(), "clGetKernelSuggestedLocalWorkSizeKHR");
    CHECK(suggest != NULL);
    for (int i = LEFT; i <= RIGHT; i++) {
        cl_device_id d = h.device[i];
        OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size, NULL));
        CHECK_EQ(size[0], 8 * (size_t)i);
        OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
        CHECK_EQ(bytes, 192 + 400 * (cl_ulong)i);
        OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
        OK(clGetKernelSubGroupInfo(k, d, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof eight, &eight,
                                   sizeof local, &local, NULL));
        OK(suggest(h.queue[i], k, 1, NULL, &global, &local));
        CHECK_EQ(local, 8 * (size_t)i);
        cl_int got[ITEMS];
        OK(launch(&h, k, i, ITEMS));
        OK(clEnqueueReadBuffer(h.queue[i], h.data, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int n = 0; n < ITEMS; n++)
            CHECK_EQ(got[n], 1000 * i + 101 * (8 * i - 1 - n % (8 * i)));
        local = 8;
        CHECK_EQ(clEnqueueNDRangeKernel(h.queue[i], k, 1, NULL, &global, &local, 0, NULL, NULL),
                 i == LEFT ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE);
        OK(clFinish(h.queue[i])); // the other queue's launches write to the same place
    }
    cl_device_id unfit[] = {NULL, h.device[ROOT]};
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(clGetKernelWorkGroupInfo(k, unfit[i], CL_KERNEL_WORK_GROUP_SIZE, sizeof local, &local, NULL),
                 CL_INVALID_DEVICE);
        CHECK_EQ(clGetKernelSubGroupInfo(k, unfit[i], CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof eight,
                                         &eight, sizeof local, &local, NULL),
                 CL_INVALID_DEVICE);
    }
    CHECK_EQ(suggest(h.queue[ROOT], k, 1, NULL, &global, &local), CL_INVALID_PROGRAM_EXECUTABLE);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    close_devices(&h);
}

// "If a program binary has not been built for a sub-device, the program binary associated with the parent
// device will be used."
TEST(parts_take_over_what_their_parent_has)
{
    struct devices h = open_devices();
    cl_program p = new_program(h.context, source);
    OK(build_for(&h, p, ROOT, FIRST));
    // The conformance suite asks every device of the program so (device_partition).
    CHECK_EQ(build_status(&h, p, LEFT), CL_BUILD_SUCCESS);
    check_x(&h, p, 1, 1, 1);
    OK(build_for(&h, p, RIGHT, SECOND));
    check_x(&h, p, 1, 1, 2);
    // A build whose options are invalid leaves a log, and changes nothing else.
    CHECK_EQ(build_for(&h, p, LEFT, "-what"), CL_INVALID_BUILD_OPTIONS);
    CHECK_EQ(build_status(&h, p, LEFT), CL_BUILD_SUCCESS);
    CHECK(strstr(text_of(&h, p, LEFT, CL_PROGRAM_BUILD_LOG), "-what") != NULL);
    CHECK_STR(text_of(&h, p, LEFT, CL_PROGRAM_BUILD_OPTIONS), FIRST);
    check_x(&h, p, 1, 1, 2);
    OK(clReleaseProgram(p));
    // Also where they aren't among the program's devices.
    p = new_program(h.context, source);
    OK(build_for(&h, p, ROOT, SECOND));
    size_t sizes[DEVICES];
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    CHECK_EQ(sizes[LEFT], 0);
    unsigned char *bytes[DEVICES] = {malloc(sizes[ROOT]), NULL, NULL};
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, bytes, NULL));
    cl_int err = 1;
    cl_program loaded = clCreateProgramWithBinary(h.context, 1, h.device, sizes,
                                                  (const unsigned char **)(void *)bytes, NULL, &err);
    OK(err);
    OK(clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL));
    check_x(&h, loaded, 2, 2, 2);
    OK(clReleaseProgram(loaded));
    OK(clReleaseProgram(p));
    // And of what is compiled.
    p = new_program(h.context, source);
    OK(clCompileProgram(p, 1, &h.device[ROOT], SECOND, 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(h.context, 0, NULL, NULL, 1, &p, NULL, NULL, &err);
    OK(err);
    check_x(&h, linked, 2, 2, 2);
    CHECK_EQ(build_status(&h, linked, LEFT), CL_BUILD_SUCCESS);
    free(bytes[ROOT]);
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(p));
    close_devices(&h);
}

TEST(one_device_is_built_anew)
{
    struct devices h = open_devices();
    cl_program p = new_program(h.context, source);
    OK(clBuildProgram(p, 0, NULL, FIRST, NULL, NULL));
    check_x(&h, p, 1, 1, 1);
    OK(build_for(&h, p, LEFT, SECOND));
    check_x(&h, p, 1, 2, 1);
    CHECK_STR(text_of(&h, p, LEFT, CL_PROGRAM_BUILD_OPTIONS), SECOND);
    CHECK_STR(text_of(&h, p, RIGHT, CL_PROGRAM_BUILD_OPTIONS), FIRST);
    // Invalid options are reported in the log of the devices that they were for, and change nothing else.
    CHECK_EQ(build_for(&h, p, RIGHT, "-bogus"), CL_INVALID_BUILD_OPTIONS);
    CHECK_CONTAINS(text_of(&h, p, RIGHT, CL_PROGRAM_BUILD_LOG), "-bogus");
    CHECK_CONTAINS(text_of(&h, p, ROOT, CL_PROGRAM_BUILD_LOG), "the first");
    CHECK_EQ(build_status(&h, p, RIGHT), CL_BUILD_SUCCESS);
    check_x(&h, p, 1, 2, 1);
    // What fails leaves the others as they are.
    CHECK_EQ(build_for(&h, p, ROOT, "-cl-std=CL3.0"), CL_BUILD_PROGRAM_FAILURE); // X isn't known
    CHECK_EQ(build_status(&h, p, ROOT), CL_BUILD_ERROR);
    CHECK_CONTAINS(text_of(&h, p, ROOT, CL_PROGRAM_BUILD_LOG), "error");
    CHECK_CONTAINS(text_of(&h, p, LEFT, CL_PROGRAM_BUILD_LOG), "the second");
    check_x(&h, p, 0, 2, 1);
    OK(clBuildProgram(p, 2, h.device, SECOND, NULL, NULL));
    check_x(&h, p, 2, 2, 1);
    OK(clReleaseProgram(p));
    close_devices(&h);
}

static cl_uint devices_of(cl_program p)
{
    cl_uint n = 77;
    OK(clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, NULL));
    return n;
}

TEST(each_device_has_its_own_binary)
{
    struct devices h = open_devices();
    cl_program p = built_apart(&h);
    size_t sizes[DEVICES];
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    CHECK_EQ(sizes[ROOT], 0);
    unsigned char untouched[1] = {'x'},
                  *bytes[DEVICES] = {untouched, malloc(sizes[LEFT]), malloc(sizes[RIGHT])};
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, bytes, NULL));
    CHECK_EQ(untouched[0], 'x');
    CHECK(sizes[LEFT] != sizes[RIGHT] || memcmp(bytes[LEFT], bytes[RIGHT], sizes[LEFT]) != 0);
    OK(clReleaseProgram(p));
    // The binaries in the opposite order, and the first one for the root device too.
    const cl_device_id list[] = {h.device[LEFT], h.device[RIGHT], h.device[ROOT]};
    const size_t lengths[] = {sizes[RIGHT], sizes[LEFT], sizes[RIGHT]};
    const unsigned char *binaries[] = {bytes[RIGHT], bytes[LEFT], bytes[RIGHT]};
    cl_int status[DEVICES] = {1, 1, 1}, err = 1;
    p = clCreateProgramWithBinary(h.context, DEVICES, list, lengths, binaries, status, &err);
    OK(err);
    for (int i = 0; i < DEVICES; i++)
        OK(status[i]);
    check_x(&h, p, 0, 0, 0); // not built yet
    size_t again[DEVICES];
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof again, again, NULL));
    for (int i = 0; i < DEVICES; i++)
        CHECK_GE(again[i], 1);
    OK(clBuildProgram(p, 1, &h.device[RIGHT], NULL, NULL, NULL));
    check_x(&h, p, 0, 0, 1);
    CHECK_EQ(build_status(&h, p, LEFT), CL_BUILD_NONE);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    check_x(&h, p, 2, 2, 1);
    OK(clReleaseProgram(p));
    // A device twice: it is the program's once, with the first.
    const cl_device_id twice[] = {h.device[LEFT], h.device[LEFT], h.device[RIGHT]};
    status[0] = status[1] = status[2] = 1;
    p = clCreateProgramWithBinary(h.context, DEVICES, twice, lengths, binaries, status, &err);
    OK(err);
    for (int i = 0; i < DEVICES; i++)
        OK(status[i]);
    CHECK_EQ(devices_of(p), 2);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    check_x(&h, p, 0, 2, 2);
    OK(clReleaseProgram(p));
    p = new_program(h.context, source);
    OK(clCompileProgram(p, 0, NULL, FIRST, 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(h.context, DEVICES, twice, NULL, 1, &p, NULL, NULL, &err);
    OK(err);
    CHECK_EQ(devices_of(linked), 2);
    check_x(&h, linked, 0, 1, 1);
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(p));
    // One that is none.
    unsigned char noise[64] = "noise";
    const unsigned char *bad[] = {bytes[LEFT], noise};
    const size_t bad_lengths[] = {sizes[LEFT], sizeof noise};
    CHECK(clCreateProgramWithBinary(h.context, 2, list, bad_lengths, bad, status, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_BINARY);
    OK(status[0]);
    CHECK_EQ(status[1], CL_INVALID_BINARY);
    // Each device gets a status, whichever binary is the first invalid one.
    const unsigned char *lacking[] = {NULL, bytes[LEFT], bytes[LEFT]};
    const size_t lacking_lengths[] = {sizes[LEFT], sizes[LEFT], 0};
    status[0] = status[1] = status[2] = 1;
    CHECK(clCreateProgramWithBinary(h.context, DEVICES, list, lacking_lengths, lacking, status, &err) ==
          NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK_EQ(status[0], CL_INVALID_VALUE);
    OK(status[1]);
    CHECK_EQ(status[2], CL_INVALID_VALUE);
    free(bytes[LEFT]);
    free(bytes[RIGHT]);
    close_devices(&h);
}

static const char used[] = "int used(int n) { return n * X; }\n",
                  user[] = "int used(int n);\n"
                           "kernel void value(global int *p, int n) { p[get_global_id(0)] = used(n); }\n";

static cl_program link_for(struct devices *h, cl_uint devices, cl_program a, cl_program b, cl_int *err)
{
    cl_program inputs[] = {a, b};
    return clLinkProgram(h->context, devices, devices ? &h->device[LEFT] : NULL, NULL, 2, inputs, NULL, NULL,
                         err);
}

static cl_int compile_for(struct devices *h, cl_program p, int device, const char *options)
{
    return clCompileProgram(p, 1, &h->device[device], options, 0, NULL, NULL, NULL, NULL);
}

TEST(a_link_is_each_devices_own)
{
    struct devices h = open_devices();
    cl_program a = new_program(h.context, used), b = new_program(h.context, user);
    cl_int err = 1;
    OK(compile_for(&h, a, LEFT, "-DX=3"));
    OK(compile_for(&h, b, LEFT, ""));
    OK(compile_for(&h, b, RIGHT, ""));
    // For the right one an input is missing.
    CHECK(link_for(&h, 0, a, b, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_OPERATION);
    CHECK(link_for(&h, 2, a, b, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_OPERATION);
    cl_program p = link_for(&h, 1, a, b, &err); // for the left one alone
    OK(err);
    cl_uint devices = 0;
    OK(clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, NULL));
    CHECK_EQ(devices, 1);
    check_x(&h, p, 0, 3, 0);
    OK(clReleaseProgram(p));
    OK(compile_for(&h, a, RIGHT, "-DX=4"));
    CHECK_EQ(type_of(&h, a, ROOT), CL_PROGRAM_BINARY_TYPE_NONE);
    CHECK_EQ(type_of(&h, a, RIGHT), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    // For the root device there is nothing to be linked.
    p = link_for(&h, 0, a, b, &err);
    OK(err);
    CHECK_EQ(build_status(&h, p, ROOT), CL_BUILD_NONE);
    CHECK_EQ(build_status(&h, p, LEFT), CL_BUILD_SUCCESS);
    CHECK_EQ(build_status(&h, p, RIGHT), CL_BUILD_SUCCESS);
    check_x(&h, p, 0, 3, 4);
    OK(clReleaseProgram(p));
    // Libraries are linked for one device too.
    cl_program library = clLinkProgram(h.context, 0, NULL, "-create-library", 1, &a, NULL, NULL, &err);
    OK(err);
    CHECK_EQ(type_of(&h, library, LEFT), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    p = link_for(&h, 2, library, b, &err);
    OK(err);
    check_x(&h, p, 0, 3, 4);
    OK(clReleaseProgram(p));
    OK(clReleaseProgram(library));
    // If one device fails, the call fails, and only this device has the error.
    OK(compile_for(&h, a, RIGHT, "-DX=4 -Dused=other"));
    p = link_for(&h, 2, a, b, &err);
    CHECK_EQ(err, CL_LINK_PROGRAM_FAILURE);
    CHECK(p != NULL);
    CHECK_EQ(build_status(&h, p, LEFT), CL_BUILD_SUCCESS);
    CHECK_EQ(build_status(&h, p, RIGHT), CL_BUILD_ERROR);
    CHECK_CONTAINS(text_of(&h, p, RIGHT, CL_PROGRAM_BUILD_LOG), "used");
    check_x(&h, p, 0, 3, 0);
    OK(clReleaseProgram(p));
    OK(clReleaseProgram(a));
    OK(clReleaseProgram(b));
    close_devices(&h);
}

TEST(builds_for_other_devices_may_be_under_way)
{
    struct devices h = open_devices();
    static char text[400000];
    snprintf(text, sizeof text, "%s%s", source, large_source());
    for (int round = 0; round < 3; round++) {
        cl_program p = new_program(h.context, text); // one that was too quick is built for all
        _Atomic int calls = 0;
        OK(clBuildProgram(p, 1, &h.device[LEFT], FIRST, count_call, &calls));
        OK(clBuildProgram(p, 1, &h.device[RIGHT], SECOND, count_call, &calls));
        cl_int again = build_for(&h, p, LEFT, FIRST), all = clBuildProgram(p, 0, NULL, FIRST, NULL, NULL);
        cl_build_status left = build_status(&h, p, LEFT);
        if (atomic_load(&calls) == 0) { // else it was too quick for this
            CHECK_EQ(left, CL_BUILD_IN_PROGRESS);
            CHECK_EQ(again, CL_INVALID_OPERATION);
            CHECK_EQ(all, CL_INVALID_OPERATION);
            CHECK_EQ(build_status(&h, p, ROOT), CL_BUILD_NONE);
            await_count(&calls, 2);
            check_x(&h, p, 0, 1, 2);
        }
        await_count(&calls, 2);
        OK(clReleaseProgram(p));
    }
    close_devices(&h);
}

static struct devices *shared;
static cl_program program_of_all;

// Builds for a device of its own, again and again, while others do so for theirs.
static void *build_again(void *arg)
{
    const int device = (int)(intptr_t)arg;
    for (int i = 0; i < 20; i++) {
        cl_int err = build_for(shared, program_of_all, device, device == LEFT ? FIRST : SECOND);
        // Another thread has a kernel.
        if (err != CL_INVALID_OPERATION)
            OK(err);
        cl_kernel k = clCreateKernel(program_of_all, "value", &err);
        if (err == CL_INVALID_PROGRAM_EXECUTABLE) // the other's first build isn't over
            continue;
        OK(err);
        cl_mem m = new_buffer(shared->context, sizeof(cl_int));
        cl_int got = 0, n = 10;
        OK(clSetKernelArg(k, 0, sizeof m, &m));
        OK(clSetKernelArg(k, 1, sizeof n, &n));
        err = launch(shared, k, device, 1);
        if (err != CL_INVALID_PROGRAM_EXECUTABLE) {
            OK(err);
            OK(clEnqueueReadBuffer(shared->queue[device], m, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
            CHECK_EQ(got, 10 * device);
        }
        OK(clReleaseMemObject(m));
        OK(clReleaseKernel(k));
    }
    return NULL;
}

TEST(threads_build_for_devices_of_their_own)
{
    struct devices h = open_devices();
    shared = &h;
    program_of_all = new_program(h.context, source);
    pthread_t thread[2];
    for (intptr_t i = 0; i < 2; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, build_again, (void *)(LEFT + i)), 0);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    OK(clReleaseProgram(program_of_all));
    close_devices(&h);
}

static const char parents[] =
    "kernel void value(global int *p, int n)\n"
    "{\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ p[0] = n * X; });\n"
    "}\n";

TEST(children_are_of_their_parents_build)
{
    struct devices h = open_devices();
    cl_program p = new_program(h.context, parents);
    const cl_queue_properties here[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    cl_command_queue on_device[DEVICES];
    cl_int err = 1;
    for (int i = LEFT; i <= RIGHT; i++) {
        OK(build_for(&h, p, i, i == LEFT ? FIRST : SECOND));
        on_device[i] = clCreateCommandQueueWithProperties(h.context, h.device[i], here, &err);
        OK(err);
    }
    check_x(&h, p, 0, 1, 2);
    for (int i = LEFT; i <= RIGHT; i++)
        OK(clReleaseCommandQueue(on_device[i]));
    OK(clReleaseProgram(p));
    close_devices(&h);
}

static const char lifetimes[] = "#define WORDS ((volatile global int *)0x10000000ul)\n"
                                "struct s { int v; s(int v) : v(v) {} ~s() { WORDS[X]++; } };\n"
                                "__global s one(X);\n"
                                "kernel void value(global int *p, int n) { p[0] = n * one.v; }\n";
static volatile cl_int *words;
static cl_int destroyed_before;

static void CL_CALLBACK on_release(cl_program p, void *unused)
{
    (void)p;
    (void)unused;
    destroyed_before = 10 * words[1] + words[2];
    words[0]++;
}

// On each device where a kernel ran, and before the callback is called, once.
TEST(each_build_is_finalized)
{
    struct devices h = open_devices();
    cl_int err = 1;
    cl_bool present = CL_FALSE;
    words = mmap((void *)(uintptr_t)0x10000000, 4096, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK_EQ((uintptr_t)words, 0x10000000);
    for (int sides = 1; sides < 4; sides++) {
        cl_program p = new_program(h.context, lifetimes);
        words[0] = words[1] = words[2] = destroyed_before = 0;
        OK(clGetProgramInfo(p, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof present, &present, NULL));
        CHECK_EQ(present, CL_FALSE);
        OK(build_for(&h, p, LEFT, "-cl-std=CLC++2021 -DX=1"));
        OK(build_for(&h, p, RIGHT, "-cl-std=CLC++2021 -DX=2"));
        OK(clGetProgramInfo(p, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof present, &present, NULL));
        CHECK_EQ(present, CL_TRUE);
        OK(clGetProgramInfo(p, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof present, &present, NULL));
        CHECK_EQ(present, CL_TRUE);
        OK(clSetProgramReleaseCallback(p, on_release, NULL));
        cl_kernel k = clCreateKernel(p, "value", &err);
        OK(err);
        set_value(&h, k, 5);
        for (int i = LEFT; i <= RIGHT; i++) {
            if (!(sides & i))
                continue;
            OK(launch(&h, k, i, 1));
            CHECK_EQ(first_of_data(&h, i), 5 * i);
        }
        CHECK_EQ(words[1] + words[2], 0);
        OK(clReleaseKernel(k));
        OK(clReleaseProgram(p));
        CHECK_EQ(words[0], 1);
        CHECK_EQ(words[1], sides & 1);
        CHECK_EQ(words[2], sides >> 1);
        CHECK_EQ(destroyed_before, 10 * words[1] + words[2]);
    }
    close_devices(&h);
}
