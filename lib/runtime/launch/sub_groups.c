// Sizes and numbers of a kernel's sub-groups, for the host (OpenCL 2.2 §5.9.3). No state.
#include "runtime/launch/sub_groups.h"

#include "base/base.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/program/kernel.h"
#include "runtime/code/kernel_code.h"
#include "weft/code_object.h"
#include "weft/status.h"

// A sub-group is consecutive work-items of a row. If a group has several rows, all are divided in the same
// way.
size_t weft_sub_group_size(const size_t local[3], size_t max)
{
    if (local[1] * local[2] == 1 || local[0] % max == 0)
        return max;
    size_t size = local[0] < max ? local[0] : max;
    while (local[0] % size)
        size--;
    return size;
}

size_t weft_sub_group_count(const size_t local[3], size_t size)
{
    return (local[0] + size - 1) / size * local[1] * local[2];
}

// Chooses a row with the required number of sub-groups. Among the lengths with that many sub-groups, it is
// the largest that divides the global size. If the last group may be smaller, the largest length of all will
// do. False: there is none.
static bool choose_local(const struct weft_kernel_meta *m, size_t max, size_t global, size_t local[3])
{
    size_t count = m->reqd_sub_groups, largest = count * max;
    if (count > WEFT_DEVICE_MAX_GROUP / max)
        return false;
    local[1] = local[2] = 1;
    for (local[0] = largest; local[0] > largest - max; local[0]--)
        if (global % local[0] == 0)
            return true;
    local[0] = largest;
    return !m->uniform_groups;
}

cl_int weft_sub_groups_required_local(struct weft_kernel *k, cl_uint dim, const size_t *global,
                                      const size_t *local, size_t chosen[3])
{
    const struct weft_kernel_meta *m = k->meta;
    weft_status status = weft_kernel_code_wait(k->code);
    if (status != WEFT_OK)
        return status == WEFT_NO_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
    size_t max = weft_kernel_code_info(k->code)->sub_group_max;
    if (!local && !m->reqd_work_group_size[0])
        return !global || choose_local(m, max, global[0], chosen)
                   ? CL_SUCCESS
                   : weft_error(CL_INVALID_WORK_GROUP_SIZE,
                                "no size of work-groups has this many sub-groups");
    for (cl_uint i = 0; i < 3; i++)
        chosen[i] = !local ? m->reqd_work_group_size[i] : i < dim ? local[i] : 1;
    size_t count = weft_sub_group_count(chosen, weft_sub_group_size(chosen, max));
    return count == m->reqd_sub_groups
               ? CL_SUCCESS
               : weft_error_with(CL_INVALID_WORK_GROUP_SIZE,
                                 "the kernel requires %n sub-groups, and a work-group of this size has %n",
                                 m->reqd_sub_groups, count);
}

// "CL_INVALID_VALUE if param_name is CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE and the size in bytes specified
// by input_value_size is not valid or if input_value is NULL."
static bool read_local(size_t bytes, const void *input, size_t local[3])
{
    const size_t *sizes = input;
    size_t dims = bytes / sizeof *local, items = 1;
    if (!input || bytes % sizeof *local || dims < 1 || dims > 3)
        return false;
    for (size_t d = 0; d < 3; d++) {
        local[d] = d < dims ? sizes[d] : 1;
        if (local[d] < 1 || local[d] > WEFT_DEVICE_MAX_GROUP)
            return false;
        items *= local[d];
    }
    return items <= WEFT_DEVICE_MAX_GROUP;
}

cl_int weft_sub_groups_query(struct weft_sub_group_query *q, struct weft_kernel *k, size_t input_value_size,
                             const void *input_value, size_t param_value_size)
{
    size_t local[3] = {0}, wanted = 0;
    // "CL_INVALID_OPERATION if device does not support subgroups" (3.0). Sub-groups came with 2.1; no
    // extension offers them for older versions.
    if (weft_cl_version() < 210)
        return weft_error(CL_INVALID_OPERATION, "WEFT_CL_VERSION is below 2.1, which has no sub-groups");
    q->count = 1;
    switch (q->name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        if (!read_local(input_value_size, input_value, local))
            return weft_error(CL_INVALID_VALUE, "input_value isn't one to three sizes");
        break;
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        if (!input_value || input_value_size != sizeof wanted)
            return weft_error(CL_INVALID_VALUE, "input_value is NULL, or input_value_size isn't a size_t's");
        wanted = *(const size_t *)input_value;
        if (param_value_size)
            q->count = param_value_size / sizeof *q->answer;
        if (q->count < 1 || q->count > 3)
            q->count = q->count ? 3 : 1;
        break;
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        break;
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        q->answer[0] = k->meta->reqd_sub_groups; // OpenCL C has no attribute for it
        return CL_SUCCESS;
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: // cl_intel_required_subgroup_size
        q->answer[0] = k->meta->reqd_sub_group_size;
        return CL_SUCCESS;
    default:
        return weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", q->name);
    }
    weft_status status = weft_kernel_code_wait(k->code);
    if (status != WEFT_OK)
        return status == WEFT_NO_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
    size_t max = weft_kernel_code_info(k->code)->sub_group_max, size;
    switch (q->name) {
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        // "Any returned work-group will have one dimension. Other dimensions ... will be filled with the
        // value 1." "If no work-group size can accommodate the requested number of sub-groups, 0 will be
        // returned in each element."
        size = wanted && wanted <= WEFT_DEVICE_MAX_GROUP / max ? wanted * max : 0;
        for (size_t d = 0; d < q->count; d++)
            q->answer[d] = d && size ? 1 : size;
        break;
    case CL_KERNEL_MAX_NUM_SUB_GROUPS: // for one-dimensional groups, like the query above
        q->answer[0] = WEFT_DEVICE_MAX_GROUP / max;
        break;
    default:
        size = weft_sub_group_size(local, max);
        q->answer[0] =
            q->name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE ? size : weft_sub_group_count(local, size);
        break;
    }
    return CL_SUCCESS;
}
