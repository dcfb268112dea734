// Separate compilation: the effect of clLinkProgram's options on programs that were compiled without them.
// OpenCL 2.2 §5.8.5, §5.8.7. The kernels find out whether the compiler assumed that there are no NaNs: x !=
// x.
#include "e2e.h"

static const char main_source[] = "int lib_is_nan(float x);\n"
                                  "kernel void k(global const float *x, global int *out)\n"
                                  "{\n"
                                  "    out[0] = x[0] != x[0];\n"
                                  "    out[1] = lib_is_nan(x[0]);\n"
                                  "}\n";
static const char library_source[] = "int lib_is_nan(float x) { return x != x; }\n";

static cl_program linked(struct e2e *t, cl_uint count, const cl_program *inputs, const char *options)
{
    cl_int error = 1;
    cl_program p = clLinkProgram(t->context, 0, NULL, options, count, inputs, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        FAIL("%s: %d %s", options, error, p ? e2e_log(t, p) : "");
    char text[128];
    CHECK_EQ(clGetProgramBuildInfo(p, t->device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL),
             CL_SUCCESS);
    CHECK_STR(text, options);
    return p;
}

// What k finds out about NaNs: in its own arithmetic, and in the library's.
static void check_nans(struct e2e *t, cl_program whole, cl_int own, cl_int library)
{
    cl_int error = 1, out[2] = {7, 7};
    cl_float nan = NAN;
    cl_kernel k = clCreateKernel(whole, "k", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem x = e2e_buffer(t, sizeof nan, &nan), result = e2e_buffer(t, sizeof out, out);
    E2E_ARG(k, 0, x);
    E2E_ARG(k, 1, result);
    e2e_run(t, k, 1, NULL);
    e2e_read(t, result, sizeof out, out);
    CHECK_EQ(out[0], own);
    CHECK_EQ(out[1], library);
    CHECK_EQ(clReleaseMemObject(x), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(result), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(whole), CL_SUCCESS);
}

TEST(math_options_reach_compiled_programs)
{
    struct e2e t = e2e_open();
    cl_program inputs[] = {e2e_compile(&t, main_source, NULL), e2e_compile(&t, library_source, NULL)};
    check_nans(&t, linked(&t, 2, inputs, ""), 1, 1);
    check_nans(&t, linked(&t, 2, inputs, "-cl-no-signed-zeroes -cl-denorms-are-zero"), 1, 1);
    check_nans(&t, linked(&t, 2, inputs, "-cl-unsafe-math-optimizations -cl-no-subgroup-ifp"), 1, 1);
    check_nans(&t, linked(&t, 2, inputs, "-cl-finite-math-only"), 0, 0);
    check_nans(&t, linked(&t, 2, inputs, "-cl-fast-relaxed-math"), 0, 0);
}

TEST(libraries_are_left_alone_unless_they_allow_it)
{
    struct e2e t = e2e_open();
    cl_program source = e2e_compile(&t, library_source, NULL);
    cl_program with_main[] = {e2e_compile(&t, main_source, NULL), linked(&t, 1, &source, "-create-library")};
    check_nans(&t, linked(&t, 2, with_main, "-cl-finite-math-only"), 0, 1);
    check_nans(&t, linked(&t, 2, with_main, ""), 1, 1);
    // Inside another library that allows these options, it still doesn't.
    cl_program nested = linked(&t, 1, &with_main[1], "-create-library -enable-link-options");
    CHECK_EQ(clReleaseProgram(with_main[1]), CL_SUCCESS);
    with_main[1] = nested;
    check_nans(&t, linked(&t, 2, with_main, "-cl-finite-math-only"), 0, 1);
    CHECK_EQ(clReleaseProgram(with_main[1]), CL_SUCCESS);
    with_main[1] = linked(&t, 1, &source, "-create-library -enable-link-options");
    check_nans(&t, linked(&t, 2, with_main, "-cl-finite-math-only"), 0, 0);
    check_nans(&t, linked(&t, 2, with_main, ""), 1, 1);
}

TEST(options_of_the_compilation_stay_with_it)
{
    struct e2e t = e2e_open();
    cl_program inputs[] = {e2e_compile(&t, main_source, "-cl-finite-math-only -g -cl-opt-disable"),
                           e2e_compile(&t, library_source, NULL)};
    // -cl-opt-disable of the compilation applies, so the optimiser doesn't use this option. That code is
    // generated at all shows that the options are understood.
    cl_program whole = linked(&t, 2, inputs, "-cl-denorms-are-zero");
    cl_int error = 1;
    cl_kernel k = clCreateKernel(whole, "k", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_float nan = NAN;
    cl_int out[2] = {7, 7};
    cl_mem x = e2e_buffer(&t, sizeof nan, &nan), result = e2e_buffer(&t, sizeof out, out);
    E2E_ARG(k, 0, x);
    E2E_ARG(k, 1, result);
    e2e_run(&t, k, 1, NULL);
    e2e_read(&t, result, sizeof out, out);
    CHECK_EQ(out[1], 1);
}

TEST(what_is_no_link_option_is_refused)
{
    static const char *const bad[] = {"-enable-link-options", "-D X",   "-cl-std=CL1.2",      "-w",
                                      "-cl-opt-disable",      "-bogus", "-cl-kernel-arg-info"};
    struct e2e t = e2e_open();
    cl_program p = e2e_compile(&t, library_source, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cl_int error = 1;
        CHECK(clLinkProgram(t.context, 0, NULL, bad[i], 1, &p, NULL, NULL, &error) == NULL);
        if (error != CL_INVALID_LINKER_OPTIONS)
            FAIL("%s: %d", bad[i], error);
    }
}

// Otherwise a call that can't be inlined would only be found when the kernel runs, long after a successful
// link.
TEST(programs_that_disagree_about_a_function_do_not_link)
{
    static const char *const definitions[] = {
        "int shared(float a) { return (int)a * 3; }",
        "float shared(int a, float b) { return a * b; }",
        "int shared(global int *a, float b) { return *a; }",
        "void shared(int a, float b) { }",
    };
    struct e2e t = e2e_open();
    cl_program caller = e2e_compile(&t,
                                    "int shared(int a, float b);\n"
                                    "int between(int a) { return shared(a, 2.0f) + 1; }\n"
                                    "kernel void k(global int *out) { out[0] = between(out[0]); }\n",
                                    NULL);
    for (size_t i = 0; i < sizeof definitions / sizeof definitions[0]; i++) {
        cl_int error = 1;
        cl_program inputs[] = {caller, e2e_compile(&t, definitions[i], NULL)};
        cl_program p = clLinkProgram(t.context, 0, NULL, "", 2, inputs, NULL, NULL, &error);
        if (error != CL_LINK_PROGRAM_FAILURE)
            FAIL("%s: %d", definitions[i], error);
        CHECK(p != NULL);
        if (!strstr(e2e_log(&t, p), "'between'") || !strstr(e2e_log(&t, p), "'shared'"))
            FAIL("%s: %s", definitions[i], e2e_log(&t, p));
    }
    // A matching definition still links.
    cl_program inputs[] = {caller, e2e_compile(&t, "int shared(int a, float b) { return a; }", NULL)};
    CHECK(linked(&t, 2, inputs, "") != NULL);
}

TEST(extensions_that_the_device_lacks_stay_off)
{
    struct e2e t = e2e_open();
    const char *source = "#ifdef cl_khr_gl_msaa_sharing\n#error switched on\n#endif\n"
                         "#ifdef cl_khr_fp64\nkernel void has_double(void) {}\n#endif\n"
                         "kernel void k(void) {}\n";
    cl_program p = e2e_build(&t, source, "-cl-ext=+cl_khr_gl_msaa_sharing,+cl_khr_fp64");
    CHECK_CONTAINS(e2e_log(&t, p), "cl_khr_gl_msaa_sharing");
    CHECK(strstr(e2e_log(&t, p), "cl_khr_fp64") == NULL);
    static const struct {
        const char *options;
        bool has_double;
    } cases[] = {{"-cl-ext=+all", true},
                 {"-cl-ext=-cl_khr_fp64", false},
                 {"-cl-ext=-all,+cl_khr_fp64", true},
                 {"-cl-ext=-all", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        p = e2e_build(&t, source, cases[i].options);
        cl_int error = 1;
        clCreateKernel(p, "has_double", &error);
        if (error != (cases[i].has_double ? CL_SUCCESS : CL_INVALID_KERNEL_NAME))
            FAIL("%s: %d", cases[i].options, error);
    }
}
