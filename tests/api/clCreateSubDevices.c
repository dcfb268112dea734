#include "api/api.h"

TEST(no_way_of_partitioning_is_supported)
{
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id out[4];
    cl_uint n = 77;
    CHECK_EQ(clCreateSubDevices(the_device(), equally, 4, out, &n), CL_INVALID_VALUE);
    CHECK_EQ(n, 77);
    CHECK_EQ(clCreateSubDevices(the_device(), NULL, 4, out, &n), CL_INVALID_VALUE);
}

TEST(BadDevice)
{
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint n;
    CHECK_EQ(clCreateSubDevices(not_an_object(the_device()), equally, 0, NULL, &n), CL_INVALID_DEVICE);
}
