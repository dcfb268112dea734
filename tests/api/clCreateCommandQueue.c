#include "api/api.h"

static cl_int create(cl_context c, cl_device_id d, cl_command_queue_properties bits)
{
    cl_int err = 1;
    cl_command_queue q = clCreateCommandQueue(c, d, bits, &err);
    CHECK_EQ(q == NULL, err != CL_SUCCESS);
    if (q) {
        cl_command_queue_properties back = 99;
        OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof back, &back, NULL));
        CHECK_EQ(back, bits);
        OK(clReleaseCommandQueue(q));
    }
    return err;
}

TEST(all_properties)
{
    cl_context c = new_context();
    for (cl_command_queue_properties bits = 0; bits < 4; bits++)
        OK(create(c, the_device(), bits));
    OK(clReleaseContext(c));
}

TEST(errors)
{
    cl_context c = new_context();
    CHECK_EQ(create(not_an_object(c), the_device(), 0), CL_INVALID_CONTEXT);
    CHECK_EQ(create(c, not_an_object(the_device()), 0), CL_INVALID_DEVICE);
    CHECK_EQ(create(c, the_device(), 1u << 10), CL_INVALID_VALUE);
    CHECK_EQ(create(c, the_device(), CL_QUEUE_ON_DEVICE), CL_INVALID_VALUE);
    OK(clReleaseContext(c));
}
