// env: WEFT_CACHE=0
// clCreateProgramWithSource, clCreateProgramWithBinary, clCreateProgramWithBuiltInKernels, and programs'
// reference counts.
#include "program_fixture.h"

TEST(bad_sources_are_refused)
{
    cl_context c = new_context();
    const char *good = SIMPLE_SOURCE, *some[2] = {SIMPLE_SOURCE, NULL};
    cl_int err = 1;
    CHECK(clCreateProgramWithSource(NULL, 1, &good, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(clCreateProgramWithSource(not_an_object(c), 0, NULL, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(clCreateProgramWithSource(c, 0, &good, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithSource(c, 1, NULL, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithSource(c, 2, some, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithSource(c, 0, &good, NULL, NULL) == NULL);
    OK(clReleaseContext(c));
}

TEST(a_program_keeps_its_context_and_is_counted)
{
    cl_context c = new_context();
    cl_program p = new_program(c, SIMPLE_SOURCE);
    cl_uint count = 0;
    OK(clReleaseContext(c));
    OK(clRetainProgram(p));
    OK(clGetProgramInfo(p, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK_EQ(count, 2);
    OK(clReleaseProgram(p));
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_program fake = not_an_object(p);
    CHECK_EQ(clRetainProgram(NULL), CL_INVALID_PROGRAM);
    CHECK_EQ(clRetainProgram(fake), CL_INVALID_PROGRAM);
    CHECK_EQ(clReleaseProgram(NULL), CL_INVALID_PROGRAM);
    CHECK_EQ(clReleaseProgram(fake), CL_INVALID_PROGRAM);
    OK(clReleaseProgram(p));
    CHECK_EQ(clReleaseProgram(p), CL_INVALID_PROGRAM);
}

TEST(bad_binaries_are_refused)
{
    cl_context c = new_context();
    cl_device_id d = the_device(), bad_device = not_an_object(d);
    cl_program p = built_program(c, SIMPLE_SOURCE, "");
    size_t size = 0, zero = 0;
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    CHECK_GT(size, 0);
    unsigned char *bytes = malloc(size);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    const unsigned char *binary = bytes, *none = NULL;
    cl_int status = 1, err = 1;
    CHECK(clCreateProgramWithBinary(NULL, 1, &d, &size, &binary, &status, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(clCreateProgramWithBinary(c, 0, &d, &size, &binary, &status, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithBinary(c, 1, NULL, &size, &binary, &status, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithBinary(c, 1, &bad_device, NULL, NULL, &status, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_DEVICE);
    CHECK(clCreateProgramWithBinary(c, 1, &d, NULL, &binary, &status, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithBinary(c, 1, &d, &size, NULL, &status, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithBinary(c, 1, &d, &zero, &binary, &status, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK_EQ(status, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithBinary(c, 1, &d, &size, &none, &status, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    // Damage of every kind.
    for (size_t i = 0; i < size; i += 1 + size / 300) {
        bytes[i] ^= 0x40;
        status = 1;
        cl_program damaged = clCreateProgramWithBinary(c, 1, &d, &size, &binary, &status, &err);
        if (damaged || err != CL_INVALID_BINARY || status != CL_INVALID_BINARY)
            FAIL("byte %zu of %zu changed: %p, %d, %d", i, size, (void *)damaged, err, status);
        bytes[i] ^= 0x40;
        size_t less = i;
        if (less &&
            (clCreateProgramWithBinary(c, 1, &d, &less, &binary, NULL, &err) || err != CL_INVALID_BINARY))
            FAIL("cut at %zu: %d", less, err);
    }
    cl_program good = clCreateProgramWithBinary(c, 1, &d, &size, &binary, &status, &err);
    OK(err);
    OK(status);
    free(bytes);
    OK(clBuildProgram(good, 0, NULL, NULL, NULL, NULL));
    OK(clReleaseKernel(new_kernel(good, "k")));
    OK(clReleaseProgram(good));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

TEST(there_are_no_built_in_kernels)
{
    cl_context c = new_context();
    cl_device_id d = the_device(), bad_device = not_an_object(d);
    cl_int err = 1;
    CHECK(clCreateProgramWithBuiltInKernels(NULL, 1, &d, "k", &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(clCreateProgramWithBuiltInKernels(c, 1, &d, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithBuiltInKernels(c, 0, NULL, "k", &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithBuiltInKernels(c, 1, &bad_device, "k", &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithBuiltInKernels(c, 1, &d, "k", NULL) == NULL);
    OK(clReleaseContext(c));
}
