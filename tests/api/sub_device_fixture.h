// A device and its sub-devices, for tests that use several devices.
#ifndef WEFT_TESTS_SUB_DEVICE_FIXTURE_H
#define WEFT_TESTS_SUB_DEVICE_FIXTURE_H

#include "harness.h"

// A kernel whose group size, local memory and results depend on the build's -DX=.
#define SIZED_KERNEL                                                                  \
    "kernel __attribute__((reqd_work_group_size(8 * X, 1, 1)))\n"                     \
    "void sized(global int *p, local int *tile, local int *more)\n"                   \
    "{\n"                                                                             \
    "    local int own[100 * X];\n"                                                   \
    "    int l = get_local_id(0), n = get_local_size(0);\n"                           \
    "    own[l] = 1000 * X; tile[l] = l; more[l] = 100 * l;\n"                        \
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"                                             \
    "    p[get_global_id(0)] = own[n - 1 - l] + tile[n - 1 - l] + more[n - 1 - l];\n" \
    "}\n"

// Stores at most `most` devices in out: the device, and sub-devices of one processor each if it has more than
// one. Returns the number of devices. The caller releases all but the first.
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
