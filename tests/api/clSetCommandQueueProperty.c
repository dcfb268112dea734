#include "api/api.h"

TEST(no_device_of_OpenCL_1_0_no_change)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_command_queue_properties old;
    CHECK_EQ(clSetCommandQueueProperty(q, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &old), CL_INVALID_OPERATION);
    CHECK_EQ(clSetCommandQueueProperty(not_an_object(q), 0, CL_TRUE, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clSetDefaultDeviceCommandQueue(c, the_device(), q), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clSetDefaultDeviceCommandQueue(not_an_object(c), the_device(), q), CL_INVALID_CONTEXT);
    CHECK_EQ(clSetDefaultDeviceCommandQueue(c, not_an_object(the_device()), q), CL_INVALID_DEVICE);
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}
