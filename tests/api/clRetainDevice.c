#include "api/api.h"

TEST(root_devices_are_not_counted)
{
    cl_uint before, after;
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_REFERENCE_COUNT, sizeof before, &before, NULL));
    CHECK_EQ(before, 1);
    OK(clReleaseDevice(the_device()));
    OK(clReleaseDevice(the_device()));
    OK(clRetainDevice(the_device()));
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_REFERENCE_COUNT, sizeof after, &after, NULL));
    CHECK_EQ(after, 1);
}

TEST(BadDevice)
{
    CHECK_EQ(clRetainDevice(not_an_object(the_device())), CL_INVALID_DEVICE);
    CHECK_EQ(clReleaseDevice(not_an_object(the_device())), CL_INVALID_DEVICE);
}
