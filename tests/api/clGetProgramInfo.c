// clGetProgramInfo and clGetProgramBuildInfo.
// env: WEFT_CACHE=0
#include "program_fixture.h"

static const struct query_row program_rows[] = {
#include "runtime/info/program.def"
};
#define WEFT_INFO_VALUE(name, type, expression) {#name, name, sizeof(type), QUERY_VALUE},
#define WEFT_INFO_STRING(name, expression) {#name, name, 1, QUERY_STRING},
#define WEFT_INFO_ARRAY(name, type, pointer, count) {#name, name, sizeof(type), QUERY_ARRAY},
static const struct query_row build_rows[] = {
#include "runtime/info/program_build.def"
};

static cl_int ask(void *p, cl_uint name, size_t size, void *value, size_t *ret)
{
    return clGetProgramInfo(p, name, size, value, ret);
}

static cl_int ask_build(void *p, cl_uint name, size_t size, void *value, size_t *ret)
{
    return clGetProgramBuildInfo(p, the_device(), name, size, value, ret);
}

TEST(every_query_before_and_after_a_build)
{
    cl_context c = new_context();
    cl_program p = new_program(c, SIMPLE_SOURCE);
    for (int i = 0; i < 2; i++) {
        check_queries(ask, p, program_rows, COUNT_OF(program_rows), CL_INVALID_PROGRAM);
        check_queries(ask_build, p, build_rows, COUNT_OF(build_rows), CL_INVALID_PROGRAM);
        OK(clBuildProgram(p, 0, NULL, "-DX=1", NULL, NULL));
    }
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

TEST(source_and_devices)
{
    cl_context c = new_context();
    const char *pieces[] = {"kernel void a(void) {}\nxxx", "kernel void b(void) {}\n"};
    size_t lengths[] = {23, 0}, size = 0;
    cl_int err = 1;
    cl_program p = clCreateProgramWithSource(c, 2, pieces, lengths, &err);
    OK(err);
    char text[256];
    OK(clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof text, text, &size));
    CHECK_STR(text, "kernel void a(void) {}\nkernel void b(void) {}\n");
    CHECK_EQ(size, strlen(text) + 1);
    cl_device_id device = NULL;
    OK(clGetProgramInfo(p, CL_PROGRAM_DEVICES, sizeof device, &device, NULL));
    CHECK(device == the_device());
    size_t kernels = 0;
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL),
             CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL),
             CL_INVALID_PROGRAM_EXECUTABLE);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    CHECK_EQ(size, 0);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    OK(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
    CHECK_EQ(kernels, 2);
    OK(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, &size));
    CHECK_STR(text, "a;b");
    CHECK_EQ(size, 4);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, 3, text, NULL), CL_INVALID_VALUE);
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

TEST(build_information)
{
    cl_context c = new_context();
    cl_program p = new_program(c, SIMPLE_SOURCE "#ifdef BAD\n#error the word\n#endif\n");
    cl_device_id d = the_device();
    cl_build_status status = 1;
    char text[4096];
    CHECK_EQ(clGetProgramBuildInfo(p, NULL, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL),
             CL_INVALID_DEVICE);
    CHECK_EQ(
        clGetProgramBuildInfo(p, not_an_object(d), CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL),
        CL_INVALID_DEVICE);
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    CHECK_EQ(status, CL_BUILD_NONE);
    CHECK_EQ(clBuildProgram(p, 0, NULL, " -DBAD ", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    CHECK_EQ(status, CL_BUILD_ERROR);
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
    CHECK_CONTAINS(text, "the word");
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
    CHECK_STR(text, " -DBAD ");
    cl_program_binary_type type = 99;
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    CHECK_EQ(type, CL_PROGRAM_BINARY_TYPE_NONE);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    CHECK_EQ(status, CL_BUILD_SUCCESS);
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    CHECK_EQ(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}
