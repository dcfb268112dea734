// Checks for contexts. OpenCL 2.2 §4.4.
#include "runtime/check/check.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"

cl_int weft_check_context_properties(const cl_context_properties *properties, size_t *entries)
{
    bool platform_seen = false, sync_seen = false, memory_seen = false;
    const cl_context_properties memory =
        CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;
    size_t n = 0;
    *entries = 0;
    if (!properties)
        return CL_SUCCESS;
    // "CL_INVALID_PLATFORM ... if platform value specified in properties is not a valid platform" comes
    // first.
    for (size_t i = 0; properties[i]; i += 2)
        if (properties[i] == CL_CONTEXT_PLATFORM &&
            !weft_object_is((const void *)properties[i + 1], WEFT_KIND_PLATFORM))
            return weft_error(CL_INVALID_PLATFORM, "CL_CONTEXT_PLATFORM is no platform of Weft's");
    for (; properties[n]; n += 2) {
        cl_context_properties value = properties[n + 1];
        switch (properties[n]) {
        case CL_CONTEXT_PLATFORM:
            // "CL_INVALID_PROPERTY if ... the same property name is specified more than once."
            if (platform_seen)
                return weft_error(CL_INVALID_PROPERTY, "CL_CONTEXT_PLATFORM is given twice");
            platform_seen = true;
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            // "... if the value specified for a supported property name is not valid ..."
            if (sync_seen || (value != CL_FALSE && value != CL_TRUE))
                return weft_error(
                    CL_INVALID_PROPERTY,
                    "CL_CONTEXT_INTEROP_USER_SYNC is given twice, or is neither CL_TRUE nor CL_FALSE");
            sync_seen = true;
            break;
        case CL_CONTEXT_MEMORY_INITIALIZE_KHR: // cl_khr_initialize_memory
            if (memory_seen || (value & ~memory))
                return weft_error(
                    CL_INVALID_PROPERTY,
                    "CL_CONTEXT_MEMORY_INITIALIZE_KHR is given twice, or has bits that don't exist");
            memory_seen = true;
            break;
        // "CL_INVALID_PROPERTY if context property name in properties is not a supported property name ..."
        default:
            return weft_error_with(CL_INVALID_PROPERTY, "property %h isn't known", properties[n]);
        }
    }
    *entries = n + 1;
    return CL_SUCCESS;
}

cl_int weft_check_context_devices(cl_uint num_devices, const cl_device_id *devices, bool has_notify,
                                  const void *user)
{
    // "CL_INVALID_VALUE if devices is NULL." "CL_INVALID_VALUE if num_devices is equal to zero."
    if (!devices || num_devices == 0)
        return weft_error(CL_INVALID_VALUE, "devices is NULL, or num_devices is 0");
    // "CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL."
    if (!has_notify && user)
        return weft_error(CL_INVALID_VALUE, "user_data is given without pfn_notify");
    // "CL_INVALID_DEVICE if devices contains an invalid device."
    for (cl_uint i = 0; i < num_devices; i++)
        if (!weft_device_of(devices[i]))
            return weft_error_with(CL_INVALID_DEVICE, "device %n of the list is no device of Weft's", i);
    return CL_SUCCESS;
}
