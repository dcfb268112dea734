#include "api/api.h"

static cl_int create(const cl_context_properties *p, cl_device_type type, void *user)
{
    cl_int err = 1;
    cl_context c = clCreateContextFromType(p, type, NULL, user, &err);
    CHECK_EQ(c == NULL, err != CL_SUCCESS);
    if (c) {
        cl_device_id d = NULL;
        OK(clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof d, &d, NULL));
        CHECK(d == the_device());
        OK(clReleaseContext(c));
    }
    return err;
}

TEST(types)
{
    cl_context_properties p[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)the_platform(), 0};
    OK(create(p, CL_DEVICE_TYPE_CPU, NULL));
    OK(create(p, CL_DEVICE_TYPE_DEFAULT, NULL));
    OK(create(p, CL_DEVICE_TYPE_ALL, NULL));
    CHECK_EQ(create(p, CL_DEVICE_TYPE_GPU, NULL), CL_DEVICE_NOT_FOUND);
    CHECK_EQ(create(p, CL_DEVICE_TYPE_CUSTOM, NULL), CL_DEVICE_NOT_FOUND);
}

TEST(errors_in_the_order_of_the_specification)
{
    cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)the_platform(), 0x4321, 1,
                                       0};
    cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)the_platform(), 0};
    CHECK_EQ(create(unknown, 0, good), CL_INVALID_PROPERTY);
    CHECK_EQ(create(good, 0, good), CL_INVALID_VALUE);
    CHECK_EQ(create(good, 0, NULL), CL_INVALID_DEVICE_TYPE);
    CHECK_EQ(create(good, 1u << 25, NULL), CL_INVALID_DEVICE_TYPE);
}
