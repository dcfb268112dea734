// What programs are told of the device follows the settings, and Weft stays recognizable.
// env: WEFT_DEVICE_VENDOR=Intel(R) Corporation
// env: WEFT_DEVICE_VENDOR_ID=0x8086
// env: WEFT_DEVICE_NAME=A processor
// env: WEFT_PLATFORM_VENDOR=Somebody
#include "api/api.h"

static void check_device(cl_device_id d)
{
    char text[256];
    cl_uint id = 0;
    OK(clGetDeviceInfo(d, CL_DEVICE_VENDOR, sizeof text, text, NULL));
    CHECK_STR(text, "Intel(R) Corporation");
    OK(clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof text, text, NULL));
    CHECK_STR(text, "A processor");
    OK(clGetDeviceInfo(d, CL_DEVICE_VENDOR_ID, sizeof id, &id, NULL));
    CHECK_EQ(id, 0x8086);
    OK(clGetDeviceInfo(d, CL_DEVICE_VERSION, sizeof text, text, NULL));
    CHECK_CONTAINS(text, "Weft");
}

TEST(devices_are_presented_as_the_settings_say)
{
    check_device(the_device());
}

TEST(so_are_their_sub_devices)
{
    const cl_device_partition_property one_unit[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                     CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id part = NULL;
    if (clCreateSubDevices(the_device(), one_unit, 1, &part, NULL) != CL_SUCCESS)
        SKIP("this machine has one compute unit");
    check_device(part);
    OK(clReleaseDevice(part));
}

TEST(the_platform_keeps_its_suffix)
{
    char text[256];
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_VENDOR, sizeof text, text, NULL));
    CHECK_STR(text, "Somebody");
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_ICD_SUFFIX_KHR, sizeof text, text, NULL));
    CHECK_STR(text, "WEFT");
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_VERSION, sizeof text, text, NULL));
    CHECK_CONTAINS(text, "Weft");
}
