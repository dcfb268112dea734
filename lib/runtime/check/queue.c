// Checks for command queues. OpenCL 2.2 §5.1.
#include "base/base.h"
#include "runtime/check/check.h"
#include "runtime/command/queue.h"
#include "runtime/core/diagnostics.h"

#define HOST_BITS (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
#define DEVICE_BITS (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)

cl_int weft_check_queue_bits(cl_command_queue_properties bits)
{
    // "CL_INVALID_VALUE if values specified in properties are not valid."
    if (bits & ~(cl_command_queue_properties)(HOST_BITS | DEVICE_BITS))
        return weft_error(CL_INVALID_VALUE, "properties has bits that don't exist");
    // "If CL_QUEUE_ON_DEVICE is set, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE must also be set."
    // CL_QUEUE_ON_DEVICE_DEFAULT: "This can only be used with CL_QUEUE_ON_DEVICE."
    if ((bits & CL_QUEUE_ON_DEVICE) && !(bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return weft_error(CL_INVALID_VALUE,
                          "CL_QUEUE_ON_DEVICE needs CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE too");
    if ((bits & CL_QUEUE_ON_DEVICE_DEFAULT) && !(bits & CL_QUEUE_ON_DEVICE))
        return weft_error(CL_INVALID_VALUE, "CL_QUEUE_ON_DEVICE_DEFAULT needs CL_QUEUE_ON_DEVICE");
    // "CL_INVALID_QUEUE_PROPERTIES if values specified in properties are valid but are not supported by the
    // device."
    return (bits & DEVICE_BITS) && weft_cl_version() < 200
               ? weft_error(CL_INVALID_QUEUE_PROPERTIES,
                            "WEFT_CL_VERSION is below 2.0, which has no queues on the device")
               : CL_SUCCESS;
}

// Priorities and throttles have the same three values.
static bool is_level(cl_queue_properties value)
{
    return value == CL_QUEUE_PRIORITY_HIGH_KHR || value == CL_QUEUE_PRIORITY_MED_KHR ||
           value == CL_QUEUE_PRIORITY_LOW_KHR;
}
_Static_assert(CL_QUEUE_PRIORITY_HIGH_KHR == CL_QUEUE_THROTTLE_HIGH_KHR &&
                   CL_QUEUE_PRIORITY_MED_KHR == CL_QUEUE_THROTTLE_MED_KHR &&
                   CL_QUEUE_PRIORITY_LOW_KHR == CL_QUEUE_THROTTLE_LOW_KHR,
               "levels of hints");

cl_int weft_check_queue_properties(const cl_queue_properties *properties, struct weft_queue_request *w)
{
    bool bits_seen = false, size_seen = false, priority_seen = false, throttle_seen = false;
    cl_queue_properties priority = CL_QUEUE_PRIORITY_MED_KHR, throttle = CL_QUEUE_THROTTLE_MED_KHR,
                        size = WEFT_DEVICE_QUEUE_PREFERRED;
    size_t n = 0;
    *w = (struct weft_queue_request){.size = WEFT_DEVICE_QUEUE_PREFERRED};
    if (!properties)
        return CL_SUCCESS;
    for (; properties[n]; n += 2) {
        bool *seen = properties[n] == CL_QUEUE_PROPERTIES     ? &bits_seen
                     : properties[n] == CL_QUEUE_SIZE         ? &size_seen
                     : properties[n] == CL_QUEUE_PRIORITY_KHR ? &priority_seen
                     : properties[n] == CL_QUEUE_THROTTLE_KHR ? &throttle_seen
                                                              : NULL;
        if (!seen || *seen)
            return weft_error_with(CL_INVALID_VALUE, "property %h isn't known, or is given twice",
                                   properties[n]);
        *seen = true;
        if (seen == &bits_seen)
            w->bits = properties[n + 1];
        else if (seen == &size_seen)
            size = properties[n + 1];
        else if (seen == &priority_seen)
            priority = properties[n + 1];
        else
            throttle = properties[n + 1];
    }
    w->entries = n + 1;
    // cl_khr_priority_hints, cl_khr_throttle_hints: one of three values.
    if (!is_level(priority) || !is_level(throttle))
        return weft_error(CL_INVALID_VALUE,
                          "CL_QUEUE_PRIORITY_KHR or CL_QUEUE_THROTTLE_KHR is neither high, medium nor low");
    w->high = priority == CL_QUEUE_PRIORITY_HIGH_KHR || throttle == CL_QUEUE_THROTTLE_HIGH_KHR;
    cl_int err = weft_check_queue_bits(w->bits);
    if (err)
        return err;
    // "CL_INVALID_QUEUE_PROPERTIES ... if the CL_QUEUE_PRIORITY_KHR property is specified, and the queue is a
    // CL_QUEUE_ON_DEVICE". CL_QUEUE_THROTTLE_KHR has the same rule.
    if ((priority_seen || throttle_seen) && (w->bits & CL_QUEUE_ON_DEVICE))
        return weft_error(CL_INVALID_QUEUE_PROPERTIES,
                          "queues on the device have neither priority nor throttle");
    // CL_QUEUE_SIZE: "This can only be specified if CL_QUEUE_ON_DEVICE is set in CL_QUEUE_PROPERTIES."
    if (size_seen && !(w->bits & CL_QUEUE_ON_DEVICE))
        return weft_error(CL_INVALID_VALUE, "CL_QUEUE_SIZE needs CL_QUEUE_ON_DEVICE");
    // "This must be a value <= CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE." "CL_INVALID_QUEUE_PROPERTIES if values
    // specified in properties are valid but are not supported by the device."
    if (size > WEFT_DEVICE_QUEUE_MAX)
        return weft_error_with(CL_INVALID_QUEUE_PROPERTIES,
                               "CL_QUEUE_SIZE %n is more than CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, %n", size,
                               WEFT_DEVICE_QUEUE_MAX);
    w->size = (cl_uint)size;
    return CL_SUCCESS;
}
