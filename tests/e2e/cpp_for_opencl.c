// C++ for OpenCL: templates, classes, references, overloads, lambdas, program-scope objects with constant
// constructors; linking with OpenCL C. Clang turns constructors that must run into kernels of the program.
// They run before the others, and destructors run when the program is destroyed.
// timeout: 200
#include "e2e.h"

#include <string.h>
#include <sys/mman.h>

static const char source[] =
    "template <typename T> struct vec {\n"
    "    T x, y;\n"
    "    constexpr vec(T x, T y) : x(x), y(y) {}\n"
    "    vec operator+(const vec &o) const { return vec(x + o.x, y + o.y); }\n"
    "    T dot(const vec &o) const { return x * o.x + y * o.y; }\n"
    "};\n"
    "__global vec<int> shared(3, 4);\n"
    "__global int calls;\n"
    "template <typename T> void twice(T &v) { v = v + v; }\n"
    "static int pick(int v) { return v; }\n"
    "static float pick(float v) { return v * 10.0f; }\n"
    "kernel void k(global int *out, local int *tile)\n"
    "{\n"
    "    int i = get_global_id(0), l = get_local_id(0);\n"
    "    tile[l] = i;\n"
    "    work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    vec<int> v(tile[get_local_size(0) - 1 - l], 1);\n"
    "    twice(v);\n"
    "    auto scaled = [&](int by) { return v.dot(vec<int>(shared.x, shared.y)) * by; };\n"
    "    out[i] = scaled(2) + pick(1) + (int)pick(2.5f) + (NULL == (int *)nullptr) + as_int(1.0f) / "
    "0x3f800000;\n"
    "    if (i == 0)\n"
    "        calls++;\n"
    "}\n"
    "kernel void version(global int *out) { out[0] = __OPENCL_CPP_VERSION__; out[1] = calls; }\n";

static void all(const char *options, int version)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, source, options);
    enum { N = 64 };
    cl_int got[N], error = 1;
    const size_t local = 16;
    cl_mem out = e2e_buffer(&t, sizeof got, NULL);
    cl_kernel k = clCreateKernel(p, "k", &error), v = clCreateKernel(p, "version", &error);
    CHECK_EQ(error, CL_SUCCESS);
    E2E_ARG(k, 0, out);
    CHECK_EQ(clSetKernelArg(k, 1, local * sizeof(cl_int), NULL), CL_SUCCESS);
    E2E_ARG(v, 0, out);
    for (int round = 1; round < 4; round++) {
        e2e_run(&t, k, N, &local);
        e2e_read(&t, out, sizeof got, got);
        for (int i = 0; i < N; i++)
            CHECK_EQ(got[i], 2 * (2 * (i / 16 * 16 + 15 - i % 16) * 3 + 2 * 4) + 1 + 25 + 1 + 1);
        e2e_run(&t, v, 1, NULL);
        e2e_read(&t, out, 8, got);
        CHECK_EQ(got[0], version);
        CHECK_EQ(got[1], round);
    }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(v), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(version_1_0)
{
    all("-cl-std=CLC++", 100);
    all("-cl-std=CLC++1.0", 100);
}

TEST(version_2021)
{
    all("-cl-std=CLC++2021", 202100);
}

static cl_int value(struct e2e *t, cl_program p, const char *name)
{
    cl_int got = 0, error = 1;
    cl_kernel k = clCreateKernel(p, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem m = e2e_buffer(t, sizeof got, NULL);
    E2E_ARG(k, 0, m);
    e2e_run(t, k, 1, NULL);
    e2e_read(t, m, sizeof got, &got);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    return got;
}

// They have run before the first kernel. An application that runs all kernels of the list doesn't find them
// there.
TEST(constructors_are_kernels_that_no_list_has)
{
    static const char *const names[] = {"k", "_GLOBAL__sub_I__source_"};
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t,
                             "struct s { int v; s(int n) { for (v = 1; n; n--) v *= 3; } ~s() { v = 0; } };\n"
                             "__global s made(4);\n"
                             "kernel void k(global int *out) { out[0] = made.v++; }\n",
                             "-cl-std=CLC++2021");
    cl_uint count = 0;
    size_t listed = 0;
    char list[64];
    cl_kernel kernel;
    CHECK_EQ(clCreateKernelsInProgram(p, 1, &kernel, &count), CL_SUCCESS);
    CHECK_EQ(count, 1);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof listed, &listed, NULL), CL_SUCCESS);
    CHECK_EQ(listed, 1);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof list, list, NULL), CL_SUCCESS);
    CHECK_STR(list, "k");
    CHECK_EQ(value(&t, p, names[0]), 81);
    CHECK_EQ(value(&t, p, names[0]), 82);
    kernel = clCreateKernel(p, names[1], NULL); // the usual way with drivers that don't run it
    CHECK(kernel != NULL);
    e2e_run(&t, kernel, 1, NULL);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    CHECK_EQ(value(&t, p, names[0]), 81);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// In version 1.0, as in OpenCL C 2.0. Clang doesn't enable it there.
TEST(kernels_enqueue_blocks)
{
    static const char *const options[] = {"-cl-std=CLC++1.0", "-cl-std=CLC++2021"};
    struct e2e t = e2e_open();
    cl_int error = 1;
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    cl_command_queue q = clCreateCommandQueueWithProperties(t.context, t.device, properties, &error);
    CHECK_EQ(error, CL_SUCCESS);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        cl_program p =
            e2e_build(&t,
                      "template <int N> struct adds { static void to(global int *p) { *p += N; } };\n"
                      "kernel void k(global int *out) {\n"
                      "    clk_event_t never = CLK_NULL_EVENT;\n"
                      "    *out = 2 + is_valid_event(never);\n"
                      "    int captured = 30;\n"
                      "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL,\n"
                      "                   ndrange_1D(1), ^{ adds<400>::to(out); *out += captured; });\n"
                      "}\n",
                      options[i]);
        CHECK_EQ(value(&t, p, "k"), 432);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    e2e_close(&t);
}

// ---- Lifetimes ----

// Constructors write what they construct to the words from 0x10000000 on, destructors write its negative. The
// first word counts them.
static const char lifetimes[] =
    "#define WORDS ((volatile global int *)0x10000000ul)\n"
    "void tell(int v) { WORDS[0]++; WORDS[WORDS[0]] = v; }\n"
    "struct s { int v; s(int v) : v(v) { tell(v); } ~s() { tell(-v); } };\n"
    "struct c { int v; constexpr c(int v) : v(v) {} ~c() { tell(-v); } };\n"
    "__global s one(1);\n"
    "namespace ns { __global c two(2); static __global s three(3); }\n"
    "__global s row[2] = {s(4), s(5)};\n"
    "template <int N> struct t { static s member; };\n"
    "template <int N> __global s t<N>::member = s(N);\n"
    "kernel void sum(global int *out) { *out = one.v + ns::two.v + ns::three.v + row[0].v + row[1].v; }\n"
    "kernel void of_template(global int *out) { *out = t<7>::member.v; }\n";

static volatile cl_int *map_words(void)
{
    void *at = (void *)(uintptr_t)0x10000000;
    CHECK(mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) ==
          at);
    return at;
}

static void check_lifetimes(struct e2e *t, cl_program p, const volatile cl_int *words)
{
    static const int reported[] = {7, 1, 3, 4, 5, -5, -4, -3, -2, -1, -7};
    enum { ALL = sizeof reported / sizeof *reported, MADE = 5 };
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(value(t, p, "sum"), 15);
        CHECK_EQ(value(t, p, "of_template"), 7);
        CHECK_EQ(words[0], MADE);
    }
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(words[0], ALL);
    for (int i = 0; i < ALL; i++)
        CHECK_EQ(words[1 + i], reported[i]);
}

TEST(objects_are_constructed_before_the_first_kernel_and_destroyed_with_the_program)
{
    volatile cl_int *words = map_words();
    static const char *const options[] = {"-cl-std=CLC++2021", "-cl-std=CLC++",
                                          "-cl-std=CLC++2021 -cl-opt-disable", "-cl-std=CLC++2021 -g"};
    struct e2e t = e2e_open();
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        words[0] = 0;
        check_lifetimes(&t, e2e_build(&t, lifetimes, options[i]), words);
    }
    e2e_close(&t);
}

// The objects of both programs, and a static member that both have, which exists once.
TEST(objects_of_linked_programs_are_destroyed_once)
{
    volatile cl_int *words = map_words();
    struct e2e t = e2e_open();
    cl_int error = 1;
    static const char other[] = "void tell(int v);\n"
                                "struct s { int v; s(int v) : v(v) { tell(v); } ~s() { tell(-v); } };\n"
                                "template <int N> struct t { static s member; };\n"
                                "template <int N> __global s t<N>::member = s(N);\n"
                                "__global s ten(10);\n"
                                "kernel void of_other(global int *out) { *out = ten.v + t<7>::member.v; }\n";
    cl_program parts[] = {e2e_program(&t, lifetimes), e2e_program(&t, other)};
    for (int i = 0; i < 2; i++)
        if (clCompileProgram(parts[i], 0, NULL, "-cl-std=CLC++2021", 0, NULL, NULL, NULL, NULL) != CL_SUCCESS)
            FAIL("%s", e2e_log(&t, parts[i]));
    cl_program p = clLinkProgram(t.context, 0, NULL, "", 2, parts, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        FAIL("%s", e2e_log(&t, p));
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clReleaseProgram(parts[i]), CL_SUCCESS);
    CHECK_EQ(value(&t, p, "sum"), 15);
    CHECK_EQ(value(&t, p, "of_other"), 17);
    CHECK_EQ(words[0], 6);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(words[0], 13);
    int left = 0;
    for (int i = 1; i <= 13; i++)
        left += words[i];
    CHECK_EQ(left, -2); // the only object whose construction needs no call
    e2e_close(&t);
}

// The object that a reference is bound to is destroyed, not the reference.
TEST(temporaries_live_as_long_as_references_to_them)
{
    static const char source_of_it[] =
        "#define WORDS ((volatile global int *)0x10000000ul)\n"
        "void tell(int v) { WORDS[0]++; WORDS[WORDS[0]] = v; }\n"
        "struct s { int v[20]; s(int n) { v[0] = n; tell(n); } ~s() { tell(-v[0]); } };\n"
        "const s &held = s(8);\n"
        "namespace ns { const s &inner = s(9); }\n"
        "inline s last(10);\n"
        "kernel void sum(global int *out) { *out = held.v[0] + ns::inner.v[0] + last.v[0]; }\n";
    volatile cl_int *words = map_words();
    struct e2e t = e2e_open();
    static const int reported[] = {10, 8,  9,
                                   -9, -8, -10}; // an inline variable may be constructed at any time
    cl_program p = e2e_build(&t, source_of_it, "-cl-std=CLC++2021");
    CHECK_EQ(value(&t, p, "sum"), 27);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(words[0], 6);
    for (int i = 0; i < 6; i++)
        CHECK_EQ(words[1 + i], reported[i]);
    e2e_close(&t);
}

TEST(temporaries_live_as_long_as_members_that_refer_to_them)
{
    static const char source_of_it[] =
        "#define WORDS ((volatile global int *)0x10000000ul)\n"
        "void tell(int v) { WORDS[0]++; WORDS[WORDS[0]] = v; }\n"
        "struct s { int v[20]; s(int n) { v[0] = n; tell(n); } ~s() { tell(-v[0]); } };\n"
        "struct one { const s &a; };\n"
        "struct two { const s &a; const s &b; };\n"
        "struct own { const int &n; int m; ~own() { tell(-m); } };\n"
        "one first{s(5)};\n"
        "two both{s(6), s(7)};\n"
        "own last{3, 4};\n"
        "kernel void sum(global int *out) { *out = first.a.v[0] + both.a.v[0] + both.b.v[0] + last.n; }\n";
    volatile cl_int *words = map_words();
    struct e2e t = e2e_open();
    static const int reported[] = {5, 6, 7, -4, -7, -6, -5};
    cl_program p = e2e_build(&t, source_of_it, "-cl-std=CLC++2021");
    CHECK_EQ(value(&t, p, "sum"), 21);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(words[0], 7);
    for (int i = 0; i < 7; i++)
        CHECK_EQ(words[1 + i], reported[i]);
    e2e_close(&t);
}

TEST(it_prints)
{
    static const char source_of_it[] = "struct s { int v; void say() const { printf(\"s %d\\n\", v); } };\n"
                                       "template <typename T> void each(T v) { printf(\"%d\\n\", (int)v); }\n"
                                       "kernel void say(global int *out) { s{7}.say(); each(8.5f); "
                                       "printf(\"%s\\n\", \"end\"); *out = 1; }\n";
    char text[64] = "";
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, source_of_it, "-cl-std=CLC++2021");
    const struct harness_capture c = harness_capture(STDOUT_FILENO);
    const int ran = value(&t, p, "say");
    CHECK_GT(pread(harness_uncapture(&c), text, sizeof text - 1, 0), 0);
    CHECK_EQ(ran, 1);
    CHECK_STR(text, "s 7\n8\nend\n");
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(static_variables_of_functions_are_constructed_before_or_refused)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t,
                             "struct s { int v; constexpr s(int n) : v(n) {} };\n"
                             "kernel void k(global int *out) { static s mine(5); *out = mine.v++; }\n",
                             "-cl-std=CLC++2021");
    CHECK_EQ(value(&t, p, "k"), 5);
    CHECK_EQ(value(&t, p, "k"), 6);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    static const char *const names[] = {"mine", "Eve", "E1", "LE4_NE"};
    for (int i = 0; i < 4; i++) {
        char source_of_it[400], reported[80];
        snprintf(source_of_it, sizeof source_of_it,
                 "struct s { int v; s(int n) : v(n * get_global_id(0)) {} };\n"
                 "namespace NE { template <int N> int f() { static s %s(N); return %s.v; } }\n"
                 "kernel void k(global int *out) { *out = NE::f<5>(); }\n",
                 names[i], names[i]);
        snprintf(reported, sizeof reported, "'%s', a static variable of a function, has a constructor",
                 names[i]);
        p = e2e_program(&t, source_of_it);
        CHECK_EQ(clBuildProgram(p, 0, NULL, "-cl-std=CLC++2021", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        CHECK_CONTAINS(e2e_log(&t, p), reported);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    e2e_close(&t);
}
