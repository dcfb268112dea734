#include "api/api.h"

TEST(finds_the_CPU_by_each_type_that_includes_it)
{
    const cl_device_type types[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_ALL,
                                    CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU};
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        cl_device_id d = NULL;
        cl_uint n = 0;
        OK(clGetDeviceIDs(the_platform(), types[i], 1, &d, &n));
        CHECK_EQ(n, 1);
        CHECK(d == the_device());
    }
}

TEST(finds_nothing_else)
{
    const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CUSTOM};
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        cl_device_id d = NULL;
        CHECK_EQ(clGetDeviceIDs(the_platform(), types[i], 1, &d, NULL), CL_DEVICE_NOT_FOUND);
        CHECK(d == NULL);
    }
}

TEST(BadPlatform)
{
    cl_device_id d;
    CHECK_EQ(clGetDeviceIDs(not_an_object(the_platform()), CL_DEVICE_TYPE_ALL, 1, &d, NULL),
             CL_INVALID_PLATFORM);
}

TEST(BadType)
{
    cl_device_id d;
    CHECK_EQ(clGetDeviceIDs(the_platform(), 0, 1, &d, NULL), CL_INVALID_DEVICE_TYPE);
    CHECK_EQ(clGetDeviceIDs(the_platform(), 1u << 20, 1, &d, NULL), CL_INVALID_DEVICE_TYPE);
    // The type comes before the sizes.
    CHECK_EQ(clGetDeviceIDs(the_platform(), 0, 0, &d, NULL), CL_INVALID_DEVICE_TYPE);
}

TEST(BadSizes)
{
    cl_device_id d;
    CHECK_EQ(clGetDeviceIDs(the_platform(), CL_DEVICE_TYPE_ALL, 0, &d, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetDeviceIDs(the_platform(), CL_DEVICE_TYPE_ALL, 0, NULL, NULL), CL_INVALID_VALUE);
}
