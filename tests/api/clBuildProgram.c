// clBuildProgram, clCompileProgram and clLinkProgram: their errors, and in which order they are checked.
// env: WEFT_CACHE=0
// timeout: 120
#include "program_fixture.h"

TEST(build_refuses)
{
    cl_context c = new_context();
    cl_device_id d = the_device(), bad = not_an_object(d);
    cl_program p = new_program(c, SIMPLE_SOURCE);
    int user = 0;
    CHECK_EQ(clBuildProgram(NULL, 1, &d, "", NULL, NULL), CL_INVALID_PROGRAM);
    CHECK_EQ(clBuildProgram(not_an_object(p), 1, &d, "", NULL, NULL), CL_INVALID_PROGRAM);
    CHECK_EQ(clBuildProgram(p, 0, &d, "", NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clBuildProgram(p, 1, NULL, "", NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clBuildProgram(p, 1, &d, "", NULL, &user), CL_INVALID_VALUE);
    CHECK_EQ(clBuildProgram(p, 1, &bad, "-bogus", NULL, &user), CL_INVALID_VALUE); // before the device
    CHECK_EQ(clBuildProgram(p, 1, &bad, "-bogus", NULL, NULL), CL_INVALID_DEVICE);
    CHECK_EQ(clBuildProgram(p, 1, &d, "-bogus", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK_EQ(clBuildProgram(p, 1, &d, "-create-library", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK_EQ(clBuildProgram(p, 1, &d, "-D \"open", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    OK(clBuildProgram(p, 1, &d, NULL, NULL, NULL));
    cl_kernel k = new_kernel(p, "k");
    CHECK_EQ(clBuildProgram(p, 1, &d, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clBuildProgram(p, 1, &d, "-bogus", NULL, NULL), CL_INVALID_BUILD_OPTIONS); // before the kernels
    OK(clReleaseKernel(k));
    OK(clBuildProgram(p, 1, &d, NULL, NULL, NULL));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

TEST(refused_options_are_reported_in_the_log)
{
    cl_context c = new_context();
    cl_program p = new_program(c, SIMPLE_SOURCE);
    cl_device_id d = the_device();
    char log[512] = "";
    CHECK_EQ(clBuildProgram(p, 1, &d, "-DA -bogus", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK_CONTAINS(log, "unknown build option: '-bogus'");
    cl_build_status status = 1;
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    CHECK_EQ(status, CL_BUILD_NONE);
    OK(clBuildProgram(p, 1, &d, NULL, NULL, NULL));
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK_STR(log, "");
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

// What no kernel could be made of is an error of the build, not of a launch. A function that no kernel
// reaches harms nobody.
TEST(recursion_fails_the_build)
{
    static const char direct[] = "int f(int n) { return n < 2 ? 1 : n * f(n - 1); }"
                                 "kernel void k(global int *a) { *a = f(*a); }",
                      mutual[] =
                          "int g(int n); int f(int n) { return n < 2 ? 1 : g(n - 1); }"
                          "int g(int n) { return 3 * f(n); } kernel void k(global int *a) { *a = f(*a); }",
                      unused[] = "int f(int n) { return n < 2 ? 1 : n * f(n - 1); }"
                                 "kernel void k(global int *a) { *a = 1; }";
    const char *failing[] = {direct, mutual};
    cl_context c = new_context();
    cl_device_id d = the_device();
    for (int i = 0; i < 2; i++) {
        cl_program p = new_program(c, failing[i]);
        char log[512] = "";
        CHECK_EQ(clBuildProgram(p, 1, &d, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        CHECK_CONTAINS(log, "<source>:1:");
        CHECK_CONTAINS(log, "error: function 'f' calls itself");
        OK(clReleaseProgram(p));
    }
    cl_program p = new_program(c, unused);
    OK(clBuildProgram(p, 1, &d, "", NULL, NULL));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

TEST(a_build_under_way_excludes_others)
{
    cl_context c = new_context();
    cl_program p = new_program(c, large_source());
    _Atomic int calls = 0;
    OK(clBuildProgram(p, 0, NULL, NULL, count_call, &calls));
    cl_build_status status = 1;
    OK(clGetProgramBuildInfo(p, the_device(), CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    cl_int again = clBuildProgram(p, 0, NULL, NULL, NULL, NULL), err = 1;
    cl_int compile = clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
    cl_program linked = clLinkProgram(c, 0, NULL, NULL, 1, &p, NULL, NULL, &err);
    if (atomic_load(&calls) == 0) { // else it was too quick for this
        CHECK_EQ(status, CL_BUILD_IN_PROGRESS);
        CHECK_EQ(again, CL_INVALID_OPERATION);
        CHECK_EQ(compile, CL_INVALID_OPERATION);
        CHECK(linked == NULL);
        CHECK_EQ(err, CL_INVALID_OPERATION);
    }
    await_count(&calls, 1);
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

TEST(binaries_of_other_types_are_not_built)
{
    cl_context c = new_context();
    cl_device_id d = the_device();
    cl_program compiled = compiled_program(c, SIMPLE_SOURCE);
    size_t size = 0;
    cl_int err = 1, status = 1;
    OK(clGetProgramInfo(compiled, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    OK(clGetProgramInfo(compiled, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    const unsigned char *binary = bytes;
    cl_program loaded = clCreateProgramWithBinary(c, 1, &d, &size, &binary, &status, &err);
    OK(err);
    free(bytes);
    CHECK_EQ(clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL), CL_INVALID_BINARY);
    CHECK_EQ(clBuildProgram(loaded, 0, NULL, "-bogus", NULL, NULL), CL_INVALID_BINARY); // before the options
    CHECK_EQ(clCompileProgram(loaded, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_program whole = clLinkProgram(c, 0, NULL, NULL, 1, &loaded, NULL, NULL, &err);
    OK(err);
    CHECK_EQ(clBuildProgram(whole, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    OK(clReleaseKernel(new_kernel(whole, "k")));
    OK(clReleaseProgram(whole));
    OK(clReleaseProgram(loaded));
    OK(clReleaseProgram(compiled));
    OK(clReleaseContext(c));
}

TEST(compile_refuses)
{
    cl_context c = new_context(), other = new_context();
    cl_device_id d = the_device(), bad = not_an_object(d);
    cl_program p = new_program(c, "#include <h.h>\n" SIMPLE_SOURCE), h = new_program(c, "#define H\n"),
               foreign = new_program(other, "#define H\n"), none = NULL;
    const char *name = "h.h", *no_name = NULL;
    int user = 0;
    CHECK_EQ(clCompileProgram(NULL, 1, &d, "", 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    CHECK_EQ(clCompileProgram(p, 0, &d, "", 0, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clCompileProgram(p, 1, NULL, "", 0, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clCompileProgram(p, 0, NULL, "", 0, &h, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clCompileProgram(p, 0, NULL, "", 0, NULL, &name, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clCompileProgram(p, 0, NULL, "", 1, NULL, &name, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clCompileProgram(p, 0, NULL, "", 1, &h, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clCompileProgram(p, 0, NULL, "", 1, &h, &no_name, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clCompileProgram(p, 0, NULL, "", 1, &none, &name, NULL, NULL), CL_INVALID_PROGRAM);
    CHECK_LT(clCompileProgram(p, 0, NULL, "", 1, &foreign, &name, NULL, NULL), 0);
    CHECK_EQ(clCompileProgram(p, 1, &bad, "-bogus", 0, NULL, NULL, NULL, &user), CL_INVALID_VALUE);
    CHECK_EQ(clCompileProgram(p, 1, &bad, "-bogus", 0, NULL, NULL, NULL, NULL), CL_INVALID_DEVICE);
    CHECK_EQ(clCompileProgram(p, 1, &d, "-bogus", 1, &h, &name, NULL, NULL), CL_INVALID_COMPILER_OPTIONS);
    CHECK_EQ(clCompileProgram(p, 1, &d, "", 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
    OK(clCompileProgram(p, 1, &d, "", 1, &h, &name, NULL, NULL));
    cl_int err = 1;
    CHECK(clCreateKernel(p, "k", &err) == NULL);
    CHECK_EQ(err, CL_INVALID_PROGRAM_EXECUTABLE);
    OK(clReleaseProgram(p));
    OK(clReleaseProgram(h));
    OK(clReleaseProgram(foreign));
    OK(clReleaseContext(other));
    OK(clReleaseContext(c));
}

static void refuse_link(cl_context c, cl_uint devices, const cl_device_id *list, const char *options,
                        cl_uint count, const cl_program *programs, void *user, cl_int want)
{
    cl_int err = 1;
    cl_program p = clLinkProgram(c, devices, list, options, count, programs, NULL, user, &err);
    CHECK_EQ(err, want);
    CHECK(p == NULL);
}

TEST(link_refuses)
{
    cl_context c = new_context(), other = new_context();
    cl_device_id d = the_device(), bad = not_an_object(d);
    cl_program p = compiled_program(c, SIMPLE_SOURCE), source = new_program(c, SIMPLE_SOURCE), none = NULL,
               executable = built_program(c, SIMPLE_SOURCE, "");
    int user = 0;
    cl_int err = 1;
    CHECK(clLinkProgram(NULL, 0, NULL, "", 1, &p, NULL, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    refuse_link(c, 0, &d, "", 1, &p, NULL, CL_INVALID_VALUE);
    refuse_link(c, 1, NULL, "", 1, &p, NULL, CL_INVALID_VALUE);
    refuse_link(c, 0, NULL, "", 0, NULL, NULL, CL_INVALID_VALUE);
    refuse_link(c, 0, NULL, "", 0, &p, NULL, CL_INVALID_VALUE);
    refuse_link(c, 0, NULL, "", 1, NULL, NULL, CL_INVALID_VALUE);
    refuse_link(c, 1, &bad, "-bogus", 1, &none, &user, CL_INVALID_PROGRAM);
    refuse_link(c, 1, &bad, "-bogus", 1, &p, &user, CL_INVALID_VALUE);
    refuse_link(c, 1, &bad, "-bogus", 1, &p, NULL, CL_INVALID_DEVICE);
    refuse_link(c, 1, &d, "-bogus", 1, &source, NULL, CL_INVALID_LINKER_OPTIONS);
    refuse_link(c, 1, &d, "", 1, &source, NULL, CL_INVALID_OPERATION);
    refuse_link(c, 1, &d, "", 1, &executable, NULL, CL_INVALID_OPERATION);
    // A link that fails has begun, so there is a program whose log says why.
    cl_program twice[] = {p, p};
    cl_program failed = clLinkProgram(c, 1, &d, "", 2, twice, NULL, NULL, &err);
    CHECK_EQ(err, CL_LINK_PROGRAM_FAILURE);
    CHECK(failed != NULL);
    char log[4096] = "";
    OK(clGetProgramBuildInfo(failed, d, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK_CONTAINS(log, "'k'");
    OK(clReleaseProgram(failed));
    OK(clReleaseProgram(p));
    OK(clReleaseProgram(source));
    OK(clReleaseProgram(executable));
    OK(clReleaseContext(other));
    OK(clReleaseContext(c));
}

TEST(the_log_reports_what_the_vectorizer_does_when_asked)
{
    cl_context c = new_context();
    cl_program p = built_program(c, SIMPLE_SOURCE, "-weft-report");
    char log[4096] = "";
    OK(clGetProgramBuildInfo(p, the_device(), CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strstr(log, "lanes") != NULL);
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}
