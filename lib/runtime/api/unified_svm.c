// Entry points of cl_khr_unified_svm 0.9.0: shared virtual memory of several types, which differ only in name
// here (memory/svm.h), and queries about pointers into it. They follow the text of KhronosGroup/OpenCL-Docs'
// pull request 1282.
#include <string.h>

#include "runtime/api/api.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/svm.h"

#include "runtime/info/info.h"

typedef void *weft_host_ptr; // a type name without `*`, for the rows of svm.def

static cl_int read_property(const struct weft_context *c, cl_properties name, cl_properties value,
                            struct weft_usm *usm)
{
    const cl_bitfield flags = CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR |
                              CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR;
    switch (name) {
    case CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR: // "The default value is NULL"
        usm->device = value ? weft_device_of((cl_device_id)(uintptr_t)value) : NULL;
        return !value || (usm->device && weft_context_has_device(c, usm->device))
                   ? CL_SUCCESS
                   : weft_error(CL_INVALID_PROPERTY, "the property's device isn't one of the context's");
    case CL_SVM_ALLOC_ACCESS_FLAGS_KHR:
        usm->flags = value;
        return value & ~flags
                   ? weft_error(CL_INVALID_PROPERTY, "the flags of the property have bits that don't exist")
                   : CL_SUCCESS;
    // "a power of two and ... equal to or smaller than the size of the largest data type"
    case CL_SVM_ALLOC_ALIGNMENT_KHR:
        return (value & (value - 1)) != 0 || value > WEFT_SVM_MAX_ALIGN
                   ? weft_error(CL_INVALID_PROPERTY,
                                "the alignment of the property is no power of two, or too large")
                   : CL_SUCCESS;
    default:
        return weft_error_with(CL_INVALID_PROPERTY, "property %h isn't known", name);
    }
}

static cl_int read_properties(const struct weft_context *c, const cl_properties *properties,
                              struct weft_usm *usm)
{
    if (!properties)
        return CL_SUCCESS;
    // "CL_INVALID_PROPERTY if a memory property name in properties is not a supported property name, if the
    // value specified for a supported property name is not valid, if the same property name is specified more
    // than once". So the properties always fit into usm->properties.
    const cl_properties *p = properties;
    for (; *p; p += 2) {
        for (const cl_properties *q = properties; q < p; q += 2)
            if (*q == *p)
                return weft_error_with(CL_INVALID_PROPERTY, "property %h is given twice", *p);
        if (read_property(c, p[0], p[1], usm))
            return CL_INVALID_PROPERTY;
    }
    usm->property_count = (size_t)(p - properties) + 1;
    memcpy(usm->properties, properties, usm->property_count * sizeof *properties);
    return CL_SUCCESS;
}

// "The associated device handle property is required unless the specified SVM type contains
// CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR."
static bool lacks_device(cl_uint index, const struct weft_usm *usm)
{
    return !usm->device && !(weft_svm_types[index] & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR);
}

void *weft_clSVMAllocWithPropertiesKHR(cl_context context, const cl_properties *properties,
                                       cl_uint svm_type_index, size_t size, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    struct weft_usm usm = {.index = svm_type_index};
    cl_int error = c ? read_properties(c, properties, &usm) : CL_INVALID_CONTEXT;
    // "CL_INVALID_VALUE if svm_type_index is greater than the number of SVM types"
    if (!error && svm_type_index >= WEFT_SVM_TYPES)
        error = weft_error_with(CL_INVALID_VALUE, "svm_type_index is %n, and there are %n types",
                                svm_type_index, WEFT_SVM_TYPES);
    if (!error && lacks_device(svm_type_index, &usm))
        error = weft_error(CL_INVALID_PROPERTY, "this type of memory needs a device");
    // "When size is zero, [they] must return a NULL pointer and must not generate an error."
    if (error || size == 0)
        return weft_api_return_pointer(__func__, context, NULL, error, errcode_ret);
    void *p = size <= weft_mem_max_size(c) ? weft_usm_alloc(c, size, &usm) : NULL;
    return weft_api_return_pointer(__func__, context, p, p ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

cl_int weft_clSVMFreeWithPropertiesKHR(cl_context context, const cl_properties *properties, cl_bitfield flags,
                                       void *ptr)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    if (!c)
        return WEFT_ANSWER(context, CL_INVALID_CONTEXT);
    // "This extension does not define any free properties", nor any flags.
    if (properties && *properties)
        return WEFT_ANSWER(context, weft_error(CL_INVALID_PROPERTY, "properties must be empty"));
    if (flags)
        return WEFT_ANSWER(context, weft_error(CL_INVALID_VALUE, "flags must be 0"));
    // "CL_INVALID_VALUE if ptr is not a value returned by clSVMAlloc, clSVMAllocWithPropertiesKHR, or a NULL
    // pointer"
    return WEFT_ANSWER(
        context, !ptr || weft_svm_free(c, ptr)
                     ? CL_SUCCESS
                     : weft_error(CL_INVALID_VALUE,
                                  "ptr wasn't returned by an allocation function, or is freed already"));
}

cl_int weft_clGetSVMPointerInfoKHR(cl_context context, cl_device_id device, const void *ptr,
                                   cl_uint param_name, size_t param_value_size, void *param_value,
                                   size_t *param_value_size_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    if (!c)
        return WEFT_ANSWER(context, CL_INVALID_CONTEXT);
    // "CL_INVALID_DEVICE if device is not a valid device, if device is not associated with context". The
    // answer is the same for all devices.
    const struct weft_device *d = device ? weft_device_of(device) : NULL;
    if (device && (!d || !weft_context_has_device(c, d)))
        return WEFT_ANSWER(context, CL_INVALID_DEVICE);
    struct weft_usm usm;
    if (!weft_svm_find(c, ptr, &usm))
        usm = (struct weft_usm){.index = CL_UINT_MAX};
    switch (param_name) {
#include "runtime/info/svm.def"
    }
    return WEFT_ANSWER(context,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

static unsigned bits_of(cl_bitfield b)
{
    return (unsigned)__builtin_popcountll(b);
}

// Of the types that have all required capabilities, suggests the one with most of the desired ones. If
// several have as many, one that can be allocated with these properties is preferred, then the plainer one,
// which comes first.
static cl_uint suggest(cl_bitfield required, cl_bitfield desired, const struct weft_usm *usm)
{
    cl_uint best = CL_UINT_MAX;
    unsigned best_score = 0;
    for (cl_uint i = 0; i < WEFT_SVM_TYPES; i++) {
        const unsigned score = 2 * bits_of(desired & weft_svm_types[i]) + !lacks_device(i, usm);
        if ((required & ~weft_svm_types[i]) || (best != CL_UINT_MAX && score <= best_score))
            continue;
        best = i;
        best_score = score;
    }
    return best;
}

cl_int weft_clGetSVMSuggestedTypeIndexKHR(cl_context context, cl_bitfield required_capabilities,
                                          cl_bitfield desired_capabilities, const cl_properties *properties,
                                          size_t size, cl_uint *suggested_svm_type_index)
{
    WEFT_CALL;
    const struct weft_context *c = weft_context_of(context);
    struct weft_usm usm = {0};
    (void)size; // all types have the same limits
    cl_int error = c ? read_properties(c, properties, &usm) : CL_INVALID_CONTEXT;
    // "CL_INVALID_VALUE if suggested_svm_type_index is NULL"
    if (!error && !suggested_svm_type_index)
        error = weft_error(CL_INVALID_VALUE, "suggested_svm_type_index is NULL");
    if (!error)
        *suggested_svm_type_index = suggest(required_capabilities, desired_capabilities, &usm);
    return WEFT_ANSWER(context, error);
}
