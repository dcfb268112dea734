#include "api/api.h"

TEST(both_timers_are_one_and_go_forward)
{
    cl_ulong device1 = 0, host1 = 0, host2 = 0, device3 = 0, host3 = 0;
    OK(clGetDeviceAndHostTimer(the_device(), &device1, &host1));
    OK(clGetHostTimer(the_device(), &host2));
    OK(clGetDeviceAndHostTimer(the_device(), &device3, &host3));
    CHECK_EQ(device1, host1);
    CHECK_GT(host1, 0);
    CHECK_LE(host1, host2);
    CHECK_LE(host2, host3);
    CHECK_LE(device1, device3);
}

TEST(NullTimestamp)
{
    cl_ulong t;
    CHECK_EQ(clGetDeviceAndHostTimer(the_device(), NULL, &t), CL_INVALID_VALUE);
    CHECK_EQ(clGetDeviceAndHostTimer(the_device(), &t, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetHostTimer(the_device(), NULL), CL_INVALID_VALUE);
}

TEST(BadDevice)
{
    cl_ulong t, u;
    CHECK_EQ(clGetDeviceAndHostTimer(not_an_object(the_device()), &t, &u), CL_INVALID_DEVICE);
    CHECK_EQ(clGetHostTimer(not_an_object(the_device()), &t), CL_INVALID_DEVICE);
}
