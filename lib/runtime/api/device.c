// clGetDeviceIDs, clGetDeviceInfo, sub-devices, the device's timers. OpenCL 2.2 §4.2, §4.3, §4.10.
#include "base/base.h"
#include "runtime/api/api.h"
#include "runtime/command/queue.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/device.h"
#include "runtime/device/fission.h"
#include "runtime/core/diagnostics.h"
#include "runtime/device/features.h"
#include "runtime/core/object.h"
#include "runtime/device/platform.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/memory/external_memory.h"
#include "runtime/image/image.h"
#include "runtime/memory/svm.h"
#include "weft/code_object.h"
#include "weft/named_barrier.h"
#include "weft/pipe.h"
#include "weft/scheduler.h"
#include "weft/version.h"
#include "runtime/info/info.h"

cl_int weft_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                           cl_device_id *devices, cl_uint *num_devices)
{
    WEFT_CALL;
    // A NULL platform: "the behavior is implementation-defined". Here it means the only platform.
    if (platform && !weft_platform_of(platform))
        return WEFT_ANSWER(NULL, CL_INVALID_PLATFORM);
    if (!weft_device_type_valid(type))
        return WEFT_ANSWER(NULL, CL_INVALID_DEVICE_TYPE);
    // "CL_INVALID_VALUE if num_entries is equal to zero and devices is not NULL or if both num_devices and
    // devices are NULL."
    if ((num_entries == 0 && devices) || (!num_devices && !devices))
        return WEFT_ANSWER(
            NULL,
            weft_error(CL_INVALID_VALUE,
                       "num_entries is 0 and devices isn't NULL, or both num_devices and devices are NULL"));
    struct weft_device *d = weft_platform_get()->device;
    cl_uint n = weft_device_match(d, type);
    if (num_devices)
        *num_devices = n;
    if (n == 0)
        return WEFT_ANSWER(NULL, CL_DEVICE_NOT_FOUND);
    if (devices)
        devices[0] = (cl_device_id)d;
    return CL_SUCCESS;
}

cl_int weft_clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
                            void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    const struct weft_device *d = weft_device_of(device);
    size_t count; // used by the arrays in device.def
    cl_uchar uuid[CL_UUID_SIZE_KHR];
    cl_device_partition_property_ext fission[WEFT_FISSION_DOMAINS];
    if (!d)
        return WEFT_ANSWER(NULL, CL_INVALID_DEVICE);
    switch (param_name) {
#include "runtime/info/device.def"
    case CL_DEVICE_PARTITION_STYLE_EXT:
        return WEFT_ANSWER(NULL, weft_fission_style(d, param_value_size, param_value, param_value_size_ret));
    }
    return WEFT_ANSWER(NULL, weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

cl_int weft_clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties,
                               cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    WEFT_CALL;
    struct weft_device *d = weft_device_of(in_device);
    return WEFT_ANSWER(NULL,
                       d ? weft_device_partition(d, properties, num_devices, out_devices, num_devices_ret)
                         : CL_INVALID_DEVICE);
}

// Of root devices: "the device reference count remains unchanged".
static bool is_root(cl_device_id device)
{
    return (const struct weft_device *)device == weft_platform_get()->device;
}

cl_int weft_clRetainDevice(cl_device_id device)
{
    return WEFT_ANSWER(NULL, is_root(device) || weft_object_retain(device, WEFT_KIND_DEVICE)
                                 ? CL_SUCCESS
                                 : CL_INVALID_DEVICE);
}

cl_int weft_clReleaseDevice(cl_device_id device)
{
    return WEFT_ANSWER(NULL, is_root(device) || weft_object_release(device, WEFT_KIND_DEVICE)
                                 ? CL_SUCCESS
                                 : CL_INVALID_DEVICE);
}

// ---- cl_ext_device_fission ----

cl_int weft_clCreateSubDevicesEXT(cl_device_id in_device, const cl_device_partition_property_ext *properties,
                                  cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices)
{
    WEFT_CALL;
    struct weft_device *d = weft_device_of(in_device);
    return WEFT_ANSWER(NULL, d ? weft_fission(d, properties, num_entries, out_devices, num_devices)
                               : CL_INVALID_DEVICE);
}

cl_int weft_clRetainDeviceEXT(cl_device_id device)
{
    return WEFT_ON_BEHALF(weft_clRetainDevice(device));
}

cl_int weft_clReleaseDeviceEXT(cl_device_id device)
{
    return WEFT_ON_BEHALF(weft_clReleaseDevice(device));
}

// "CL_INVALID_OPERATION if the platform associated with device does not support device and host timer
// synchronization". That came with 2.1.
static cl_int check_timers(void)
{
    return weft_cl_version() < 210
               ? weft_error(CL_INVALID_OPERATION,
                            "WEFT_CL_VERSION is below 2.1, which has no timers of devices and hosts")
               : CL_SUCCESS;
}

// The host's timer is also the device's: CLOCK_MONOTONIC, which profiling uses, too.
cl_int weft_clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp, cl_ulong *host_timestamp)
{
    WEFT_CALL;
    if (!weft_device_of(device))
        return WEFT_ANSWER(NULL, CL_INVALID_DEVICE);
    cl_int error = check_timers();
    if (error)
        return WEFT_ANSWER(NULL, error);
    if (!device_timestamp || !host_timestamp)
        return WEFT_ANSWER(NULL, weft_error(CL_INVALID_VALUE, "device_timestamp or host_timestamp is NULL"));
    *device_timestamp = *host_timestamp = weft_time_now();
    return CL_SUCCESS;
}

cl_int weft_clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
    WEFT_CALL;
    if (!weft_device_of(device))
        return WEFT_ANSWER(NULL, CL_INVALID_DEVICE);
    cl_int error = check_timers();
    if (error)
        return WEFT_ANSWER(NULL, error);
    if (!host_timestamp)
        return WEFT_ANSWER(NULL, weft_error(CL_INVALID_VALUE, "host_timestamp is NULL"));
    *host_timestamp = weft_time_now();
    return CL_SUCCESS;
}
