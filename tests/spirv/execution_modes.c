// Execution modes of modules: those with computed operands, those that set a mode of arithmetic, and those
// that are errors. Also components of built-in variables.
// timeout: 120
// env: WEFT_CACHE=0
#include "spirv.h"

#include <pthread.h>

static void check_sizes(struct e2e *t, cl_program p, size_t x, size_t y, size_t groups)
{
    build(t, p, "");
    cl_kernel sized = new_kernel(p, "sized"), grouped = new_kernel(p, "grouped");
    size_t got[3], number = 0;
    CHECK_EQ(
        clGetKernelWorkGroupInfo(sized, t->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof got, got, NULL),
        CL_SUCCESS);
    CHECK_EQ(got[0], x);
    CHECK_EQ(got[1], y);
    CHECK_EQ(got[2], 1);
    CHECK_EQ(clGetKernelSubGroupInfo(grouped, t->device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL,
                                     sizeof number, &number, NULL),
             CL_SUCCESS);
    CHECK_EQ(number, groups);
    CHECK_EQ(clReleaseKernel(sized), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(grouped), CL_SUCCESS);
}

TEST(sizes_are_computed_from_specialization_constants)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("modes"));
    check_sizes(&t, p, 8, 1, 4);
    const cl_uint five = 5;
    CHECK_EQ(clSetProgramSpecializationConstant(p, 7, sizeof five, &five), CL_SUCCESS);
    check_sizes(&t, p, 24, 2, 6);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// What the options would give leave to break, a module demands.
TEST(special_values_are_kept_where_a_module_demands_it)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("modes"));
    build(&t, p, "-cl-fast-relaxed-math -cl-denorms-are-zero");
    cl_kernel k = new_kernel(p, "specials");
    const cl_uint given[] = {0x7fc00000, 0x80000000, 0x3f800000, 0x7f800000};
    const cl_uint want[][2] = {{1, 0x7fc00000}, {0, 0}, {0, 0x3f800000}, {0, 0x7f800000}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        cl_uint out[2];
        cl_mem o = e2e_buffer(&t, sizeof out, NULL),
               f = e2e_buffer(&t, sizeof *given, (void *)(uintptr_t)&given[i]);
        E2E_ARG(k, 0, o);
        E2E_ARG(k, 1, f);
        e2e_run(&t, k, 1, NULL);
        e2e_read(&t, o, sizeof out, out);
        CHECK_EQ(out[0], want[i][0]);
        CHECK_EQ(out[1], want[i][1]);
        CHECK_EQ(clReleaseMemObject(o), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(f), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// The first instruction of this opcode with this operand `at` words after its first. NULL: there is none.
static cl_uint *find(cl_uint *words, size_t count, cl_uint opcode, size_t at, cl_uint operand)
{
    for (size_t i = 5; i < count; i += words[i] >> 16) {
        CHECK_GT(words[i] >> 16, 0);
        if ((words[i] & 0xffff) == opcode && words[i] >> 16 > at && words[i + at] == operand)
            return words + i;
    }
    return NULL;
}

// Replaces one word of one instruction. Checks that the module doesn't build, and that the log says why.
static void refused(const char *module, cl_uint opcode, size_t at, cl_uint operand, size_t word,
                    cl_uint value, const char *why)
{
    struct e2e t = e2e_open();
    struct module m = *read_module(module);
    static cl_uint words[sizeof m.bytes / sizeof(cl_uint)];
    memcpy(words, m.bytes, m.size);
    cl_uint *i = find(words, m.size / sizeof *words, opcode, at, operand);
    CHECK(i != NULL);
    i[word] = value;
    memcpy(m.bytes, words, m.size);
    cl_program p = new_il(&t, &m);
    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    if (!strstr(e2e_log(&t, p), why))
        FAIL("%s isn't in the log: %s", why, e2e_log(&t, p));
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_works(&t, "");
    e2e_close(&t);
}

TEST(arithmetic_that_is_not_to_be_had_is_refused)
{
    refused("floats", 16, 2, 4459, 2, 4460,
            "kernel 'floats' requires execution mode DenormFlushToZero for 16-bit");
    refused("floats", 16, 2, 4462, 2, 4463,
            "kernel 'floats' requires execution mode RoundingModeRTZ for 32-bit");
    refused("floats", 16, 2, 4462, 2, 5620, "RoundingModeRTPINTEL");
}

TEST(operands_that_are_no_numbers_are_refused)
{
    refused("modes", 331, 2, 38, 3, 1, "kernel 'sized' has an execution mode");          // a function
    refused("modes", 331, 2, 38, 3, 0xffffffff, "kernel 'sized' has an execution mode"); // nothing
    refused("modes", 331, 2, 37, 3, 3, "kernel 'grouped' has an execution mode");        // a function
    refused("modes", 52, 3, 132, 4, 0xffffffff, "kernel 'sized' has an execution mode"); // of nothing
    refused("modes", 52, 3, 132, 3, 400, "kernel 'sized' has an execution mode");        // no such operation
}

// An operation of its own result, and a long row of operations of each other twice, end.
TEST(numbers_of_themselves_are_refused)
{
    struct module m = *read_module("modes");
    static cl_uint words[sizeof m.bytes / sizeof(cl_uint)];
    memcpy(words, m.bytes, m.size);
    cl_uint *i = find(words, m.size / sizeof *words, 52, 3, 132);
    CHECK(i != NULL);
    refused("modes", 52, 3, 132, 4, i[2], "kernel 'sized' has an execution mode");
}

TEST(components_are_loaded_by_pointers_to_them)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("parts"));
    build(&t, p, "");
    cl_kernel k = new_kernel(p, "parts");
    const size_t size[3] = {3, 4, 2};
    cl_ulong out[3 * 4 * 2][2];
    cl_mem m = e2e_buffer(&t, sizeof out, NULL);
    E2E_ARG(k, 0, m);
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 3, NULL, size, NULL, 0, NULL, NULL), CL_SUCCESS);
    e2e_read(&t, m, sizeof out, out);
    for (size_t i = 0; i < 24; i++) {
        size_t x = i % 3, y = i / 3 % 4, z = i / 12;
        CHECK_EQ(out[i][0], x + 10 * y + 100 * z);
        CHECK_EQ(out[i][1], size[x]);
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

static bool has_constructors(cl_program p)
{
    cl_bool present = 7;
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof present, &present, NULL),
             CL_SUCCESS);
    CHECK_LT(present, 2);
    return present;
}

TEST(an_initializer_runs_once_before_the_first_kernel)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("initializers"));
    CHECK(!has_constructors(p));
    build(&t, p, "");
    CHECK(has_constructors(p));
    for (cl_uint i = 0; i < 3; i++)
        CHECK_EQ(get(&t, p), 42 + i);
    build(&t, p, "-cl-opt-disable"); // another build has variables of its own
    CHECK_EQ(get(&t, p), 42);

    // And in a program made of a binary.
    size_t size = 0;
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
    unsigned char *bytes = malloc(size);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
    cl_int error = 1;
    cl_program loaded = clCreateProgramWithBinary(t.context, 1, &t.device, &size,
                                                  (const unsigned char **)&bytes, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    build(&t, loaded, "");
    CHECK(has_constructors(loaded));
    CHECK_EQ(get(&t, loaded), 42);
    CHECK_EQ(get(&t, loaded), 43);
    free(bytes);
    CHECK_EQ(clReleaseProgram(loaded), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(initializers_run_in_linked_programs)
{
    struct e2e t = e2e_open();
    cl_program p = linked_with_source(&t, "initializers", "kernel void other(global uint *p) { *p = 9; }");
    CHECK_EQ(get(&t, p), 42);
    CHECK_EQ(get(&t, p), 43);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// It faults, which is how it is seen to have run: at the first launch, and not again.
TEST(an_initializer_runs_in_a_program_without_variables)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("initializer_alone"));
    build(&t, p, "");
    cl_kernel k = new_kernel(p, "plain");
    cl_mem m = e2e_buffer(&t, sizeof(cl_uint), NULL);
    const size_t one = 1;
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    E2E_ARG(k, 0, m);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

struct getter {
    struct e2e *t;
    cl_program p;
    cl_uint number;
};

static void *get_here(void *arg)
{
    struct getter *g = arg;
    cl_int error = 1;
    cl_command_queue q = clCreateCommandQueue(g->t->context, g->t->device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_kernel k = new_kernel(g->p, "get");
    cl_mem m = e2e_buffer(g->t, sizeof g->number, NULL);
    const size_t one = 1;
    E2E_ARG(k, 0, m);
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof g->number, &g->number, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    return NULL;
}

TEST(threads_wait_for_an_initializer)
{
    enum { THREADS = 8 };
    struct e2e t = e2e_open();
    for (int round = 0; round < 5; round++) {
        cl_program p = new_il(&t, read_module("initializers"));
        build(&t, p, "");
        pthread_t threads[THREADS];
        struct getter getters[THREADS];
        for (int i = 0; i < THREADS; i++) {
            getters[i] = (struct getter){&t, p, 0};
            CHECK_EQ(pthread_create(&threads[i], NULL, get_here, &getters[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            CHECK_EQ(pthread_join(threads[i], NULL), 0);
            CHECK_GE(getters[i].number, 42);
            CHECK_LT(getters[i].number, 42 + THREADS);
        }
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    e2e_close(&t);
}

// ---- While an initializer runs ----

struct launch {
    cl_command_queue queue;
    cl_kernel kernel;
};

static void *launch_here(void *arg)
{
    struct launch *l = arg;
    const size_t one = 1;
    CHECK_EQ(clEnqueueNDRangeKernel(l->queue, l->kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    return NULL;
}

// Nothing of the kernel's is locked meanwhile: it is asked, copied, and gets another argument, with which the
// launch that waits goes on.
TEST(a_kernel_is_not_locked_while_its_launch_waits_for_an_initializer)
{
    volatile cl_uint *words = map_words();
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("initializer_waits"));
    build(&t, p, "");
    cl_kernel k = new_kernel(p, "get");
    cl_uint zero = 0, first = 0, second = 0;
    cl_mem a = e2e_buffer(&t, sizeof zero, &zero), b = e2e_buffer(&t, sizeof zero, &zero);
    E2E_ARG(k, 0, a);
    pthread_t thread;
    struct launch l = {t.queue, k};
    CHECK_EQ(pthread_create(&thread, NULL, launch_here, &l), 0);
    await(words);
    cl_int error = 1;
    cl_ulong bytes = 1;
    CHECK_EQ(clGetKernelWorkGroupInfo(k, t.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL),
             CL_SUCCESS);
    cl_kernel copy = clCloneKernel(k, &error);
    CHECK_EQ(error, CL_SUCCESS);
    E2E_ARG(k, 0, b);
    words[1] = 5;
    CHECK_EQ(pthread_join(thread, NULL), 0);
    e2e_read(&t, a, sizeof first, &first);
    e2e_read(&t, b, sizeof second, &second);
    CHECK_EQ(first, 0);
    CHECK_EQ(second, 5);
    e2e_run(&t, copy, 1, NULL);
    e2e_read(&t, a, sizeof first, &first);
    CHECK_EQ(first, 5);
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(copy), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// ---- A child of fork ----

// Whether the parent has initialized the variables or not, in the child they are initialized once.
TEST(initializers_run_once_in_a_child)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    struct e2e t = e2e_open();
    cl_program before = new_il(&t, read_module("initializers")),
               after = new_il(&t, read_module("initializers"));
    build(&t, before, "");
    build(&t, after, "");
    CHECK_EQ(get(&t, before), 42);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        struct e2e c = t;
        cl_int error = 1;
        c.queue = clCreateCommandQueue(t.context, t.device, 0, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(get(&c, before), 43);
        CHECK_EQ(get(&c, after), 42);
        CHECK_EQ(get(&c, after), 43);
        _exit(0);
    }
    CHECK_EQ(of_child(pid), 0);
    CHECK_EQ(get(&t, before), 43);
    CHECK_EQ(get(&t, after), 42);
    CHECK_EQ(clReleaseProgram(before), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(after), CL_SUCCESS);
    e2e_close(&t);
}

// What another thread of the parent's was at is begun anew.
TEST(an_initializer_under_way_is_begun_anew_in_a_child)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    volatile cl_uint *words = map_words();
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("initializer_waits"));
    build(&t, p, "");
    cl_kernel k = new_kernel(p, "get");
    cl_mem m = e2e_buffer(&t, sizeof(cl_uint), NULL);
    E2E_ARG(k, 0, m);
    pthread_t thread;
    struct launch l = {t.queue, k};
    CHECK_EQ(pthread_create(&thread, NULL, launch_here, &l), 0);
    await(words);
    words[0] = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        struct e2e c = t;
        cl_int error = 1;
        c.queue = clCreateCommandQueue(t.context, t.device, 0, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(get(&c, p), 6);
        _exit(0);
    }
    await(words);
    words[1] = 6;
    CHECK_EQ(of_child(pid), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    cl_uint got = 0;
    e2e_read(&t, m, sizeof got, &got);
    CHECK_EQ(got, 6);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(initializers_and_finalizers_with_arguments_are_refused)
{
    // Of a kernel that has arguments: the function that the mode is of becomes get's.
    struct module m = *read_module("initializers");
    static cl_uint words[sizeof m.bytes / sizeof(cl_uint)];
    memcpy(words, m.bytes, m.size);
    cl_uint name;
    memcpy(&name, "get", sizeof name);
    const cl_uint *entry = find(words, m.size / sizeof *words, 15, 3, name);
    CHECK(entry != NULL);
    refused("initializers", 16, 2, 33, 1, entry[2],
            "kernel 'get' is an initializer, which can't have arguments");
    m = *read_module("finalizers");
    memcpy(words, m.bytes, m.size);
    entry = find(words, m.size / sizeof *words, 15, 3, name);
    CHECK(entry != NULL);
    refused("finalizers", 16, 2, 34, 1, entry[2], "kernel 'get' is a finalizer, which can't have arguments");
}
