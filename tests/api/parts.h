// A device and parts of it, for tests that use several devices.
#ifndef WEFT_TESTS_SUB_DEVICES_H
#define WEFT_TESTS_SUB_DEVICES_H

#include "harness.h"

// In out, at most `most` of them: the device, and sub-devices of a processor each, where it has more than one. How many they are; those
// behind the first are the caller's.
HARNESS_UNUSED static cl_uint device_and_parts(cl_device_id device, cl_device_id *out, cl_uint most)
{
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[256];
    cl_uint n = 0, count = 1;
    out[0] = device;
    if (clCreateSubDevices(device, one, sizeof parts / sizeof *parts, parts, &n) != CL_SUCCESS)
        return 1;
    for (cl_uint i = 0; i < n; i++) {
        if (count < most)
            out[count++] = parts[i];
        else
            CHECK_EQ(clReleaseDevice(parts[i]), CL_SUCCESS);
    }
    return count;
}

#endif
