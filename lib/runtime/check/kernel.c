// Checks of calls on programs and kernels. Each check quotes its sentence of the specification. No state.
#include "runtime/check/kernel.h"

#include <string.h>

#include "base/base.h"
#include "runtime/command/queue.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/image/image.h"
#include "runtime/memory/memory.h"
#include "runtime/image/sampler.h"
#include "runtime/program/kernel.h"
#include "weft/code_object.h"

cl_int weft_check_build_devices(cl_uint count, const cl_device_id *list, struct weft_device *const *of,
                                cl_uint of_count)
{
    // "CL_INVALID_VALUE if device_list is NULL and num_devices is greater than zero, or if device_list is not
    // NULL and num_devices is zero."
    if (!list != !count)
        return weft_error(CL_INVALID_VALUE,
                          "device_list is NULL and num_devices isn't 0, or the other way round");
    // "CL_INVALID_DEVICE if OpenCL devices listed in device_list are not in the list of devices associated
    // with program."
    for (cl_uint i = 0; i < count; i++) {
        bool found = false;
        for (cl_uint j = 0; j < of_count; j++)
            found |= list[i] == (cl_device_id)of[j];
        if (!found)
            return weft_error_with(CL_INVALID_DEVICE, "device %n of the list isn't one of the program's", i);
    }
    return CL_SUCCESS;
}

cl_int weft_check_build_notify(const void *notify, const void *user)
{
    // "CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL."
    return !notify && user ? weft_error(CL_INVALID_VALUE, "user_data is given without pfn_notify")
                           : CL_SUCCESS;
}

cl_int weft_check_source(cl_uint count, const char **strings)
{
    // "CL_INVALID_VALUE if count is zero or if strings or any entry in strings is NULL."
    if (count == 0 || !strings)
        return weft_error(CL_INVALID_VALUE, "strings is NULL, or count is 0");
    for (cl_uint i = 0; i < count; i++)
        if (!strings[i])
            return weft_error_with(CL_INVALID_VALUE, "strings[%n] is NULL", i);
    return CL_SUCCESS;
}

// Could the kernel modify an immutable buffer through this pointer? Values that are no buffers are reported
// elsewhere.
static bool would_modify(const struct weft_arg_meta *a, const void *value)
{
    cl_mem handle;
    if (!value || a->kind != WEFT_ARG_GLOBAL || (a->type_qual & WEFT_TQ_CONST))
        return false;
    memcpy(&handle, value, sizeof handle);
    const struct weft_mem *m = weft_mem_of(handle);
    return m && (m->flags & CL_MEM_IMMUTABLE_EXT);
}

// "CL_MAX_SIZE_RESTRICTION_EXCEEDED if the size in bytes of the memory object (if the argument was declared
// with constant qualifier) or arg_size (if the argument was declared with local qualifier) exceed the maximum
// size restriction that was set with the optional language attribute", or with MaxByteOffset in SPIR-V.
static cl_int check_max_size(const struct weft_arg_meta *a, size_t size)
{
    return a->max_bytes && size > a->max_bytes
               ? weft_error_with(CL_MAX_SIZE_RESTRICTION_EXCEEDED,
                                 "argument '%s' may have at most %n bytes (MaxByteOffset), and it has %n",
                                 a->name, a->max_bytes, size)
               : CL_SUCCESS;
}

static cl_int check_constant(const struct weft_arg_meta *a, const void *value)
{
    cl_mem handle = NULL;
    if (value)
        memcpy(&handle, value, sizeof handle);
    const struct weft_mem *m = weft_mem_of(handle);
    return m ? check_max_size(a, m->size) : CL_SUCCESS;
}

static cl_int check_object_arg(const struct weft_arg_meta *a, size_t size, const void *value)
{
    bool is_mem = a->kind == WEFT_ARG_GLOBAL || a->kind == WEFT_ARG_CONSTANT;
    // A buffer "can be NULL or point to a NULL value".
    if (!is_mem && !value)
        return weft_error_with(CL_INVALID_ARG_VALUE, "argument '%s' takes an object, and arg_value is NULL",
                               a->name);
    // "... or if the argument is a memory object and arg_size != sizeof(cl_mem)"
    if (size != sizeof(void *))
        return weft_error_with(
            CL_INVALID_ARG_SIZE,
            "argument '%s' of type %s takes the handle of a memory object, 8 bytes, and arg_size is %n",
            a->name, a->type_name, size);
    if (WEFT_UNLIKELY(a->kind == WEFT_ARG_CONSTANT && a->max_bytes))
        return check_constant(a, value);
    return would_modify(a, value) ? weft_error_with(CL_INVALID_ARG_VALUE,
                                                    "argument '%s' may be written through, and the buffer "
                                                    "was made with CL_MEM_IMMUTABLE_EXT",
                                                    a->name)
                                  : CL_SUCCESS;
}

// Which kind of object it is, is checked when it is set.
static bool has_object(const void *value)
{
    cl_mem handle;
    memcpy(&handle, value, sizeof handle);
    return handle != NULL;
}

// Is the image of the kind that the argument is declared to take? A type with another name (a typedef) says
// nothing about the kind.
static bool image_suits(const char *declared, const struct weft_mem *m)
{
    static const struct {
        const char *name;
        cl_mem_object_type type;
        bool depth;
    } types[] = {{"image1d_t", CL_MEM_OBJECT_IMAGE1D, false},
                 {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, false},
                 {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, false},
                 {"image2d_t", CL_MEM_OBJECT_IMAGE2D, false},
                 {"image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, true},
                 {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, false},
                 {"image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, true},
                 {"image3d_t", CL_MEM_OBJECT_IMAGE3D, false}};
    for (size_t i = 0; i < WEFT_COUNT_OF(types); i++)
        if (strcmp(declared, types[i].name) == 0)
            return m->type == types[i].type && (!types[i].depth || m->image->format->depth);
    return true;
}

static cl_int check_image_arg(const struct weft_kernel *k, const struct weft_arg_meta *a, size_t size,
                              const void *value)
{
    if (!value)
        return weft_error_with(CL_INVALID_ARG_VALUE, "argument '%s' takes an image, and arg_value is NULL",
                               a->name);
    if (size != sizeof(cl_mem))
        return weft_error_with(
            CL_INVALID_ARG_SIZE,
            "argument '%s' of type %s takes the handle of an image, 8 bytes, and arg_size is %n", a->name,
            a->type_name, size);
    cl_mem handle;
    memcpy(&handle, value, sizeof handle);
    const struct weft_mem *m = weft_mem_of(handle);
    if (!m || !m->image || m->context != k->program->context)
        return weft_error_with(CL_INVALID_MEM_OBJECT,
                               "argument '%s' takes an image of the kernel's context (%s)", a->name,
                               a->type_name);
    // "... if the argument is an image declared with the read_only qualifier and arg_value refers to an image
    // object created with cl_mem_flags of CL_MEM_WRITE or if the image argument is declared with the
    // write_only qualifier and arg_value refers to an image object created with cl_mem_flags of CL_MEM_READ"
    const cl_mem_flags never_written = CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT;
    cl_mem_flags unfit =
        (a->access_qual != WEFT_ACCESS_WO ? CL_MEM_WRITE_ONLY : 0) |
        (a->access_qual == WEFT_ACCESS_WO || a->access_qual == WEFT_ACCESS_RW ? never_written : 0);
    // "The memory object specified as argument value must be a 2D image object if the argument is declared to
    // be of type image2d_t" and so on. The handle is a memory object, but not a valid value.
    return m->flags & unfit || !image_suits(a->type_name, m)
               ? weft_error_with(CL_INVALID_ARG_VALUE,
                                 "argument '%s' is declared as %s, and the image is of another kind or made "
                                 "with flags that don't go with it",
                                 a->name, a->type_name)
               : CL_SUCCESS;
}

static cl_int check_sampler_arg(const struct weft_kernel *k, size_t size, const void *value)
{
    if (!value)
        return weft_error(CL_INVALID_SAMPLER, "arg_value is NULL, and the argument takes a sampler");
    if (size != sizeof(cl_sampler))
        return weft_error_with(CL_INVALID_ARG_SIZE,
                               "the argument takes the handle of a sampler, 8 bytes, and arg_size is %n",
                               size);
    cl_sampler handle;
    memcpy(&handle, value, sizeof handle);
    const struct weft_sampler *s = weft_sampler_of(handle);
    return s && s->context == k->program->context
               ? CL_SUCCESS
               : weft_error(CL_INVALID_SAMPLER, "arg_value points to no sampler of the kernel's context");
}

static cl_int check_queue_arg(const struct weft_kernel *k, size_t size, const void *value)
{
    // "CL_INVALID_DEVICE_QUEUE for an argument declared to be of type queue_t when the specified arg_value is
    // not a valid device queue object."
    if (!value)
        return weft_error(CL_INVALID_DEVICE_QUEUE,
                          "arg_value is NULL, and the argument takes a queue on the device");
    if (size != sizeof(cl_command_queue))
        return weft_error_with(CL_INVALID_ARG_SIZE,
                               "the argument takes the handle of a queue, 8 bytes, and arg_size is %n", size);
    cl_command_queue handle;
    memcpy(&handle, value, sizeof handle);
    const struct weft_device_queue *q = weft_device_queue_of(handle);
    return q && q->queue.context == k->program->context
               ? CL_SUCCESS
               : weft_error(CL_INVALID_DEVICE_QUEUE,
                            "arg_value points to no queue on the device of the kernel's context");
}

cl_int weft_check_arg(const struct weft_kernel *k, cl_uint index, size_t size, const void *value)
{
    // "CL_INVALID_ARG_INDEX if arg_index is not a valid argument index."
    if (index >= k->meta->arg_count)
        return weft_error_with(CL_INVALID_ARG_INDEX, "arg_index is %n, and kernel %s has %n arguments", index,
                               k->meta->name, k->meta->arg_count);
    const struct weft_arg_meta *a = &k->meta->args[index];
    switch (a->kind) {
    case WEFT_ARG_LOCAL:
        // "If the argument is declared with the local qualifier, the arg_value entry must be NULL."
        if (value)
            return weft_error_with(CL_INVALID_ARG_VALUE,
                                   "argument '%s' is local memory: arg_value must be NULL", a->name);
        // "Prior to OpenCL 3.1, arg_size must be greater than zero."
        return size == 0 && weft_cl_version() < 310
                   ? weft_error_with(CL_INVALID_ARG_SIZE, "argument '%s' is local memory: arg_size is 0",
                                     a->name)
                   : check_max_size(a, size);
    case WEFT_ARG_VALUE:
        if (!value)
            return weft_error_with(CL_INVALID_ARG_VALUE,
                                   "arg_value is NULL, and argument '%s' is a value of type %s", a->name,
                                   a->type_name);
        // "CL_INVALID_ARG_SIZE if arg_size does not match the size of the data type ..."
        return size == a->size
                   ? CL_SUCCESS
                   : weft_error_with(CL_INVALID_ARG_SIZE,
                                     "argument '%s' of type %s doesn't have the %n bytes of arg_size",
                                     a->name, a->type_name, size);
    case WEFT_ARG_SAMPLER:
        return check_sampler_arg(k, size, value);
    case WEFT_ARG_QUEUE:
        return check_queue_arg(k, size, value);
    case WEFT_ARG_IMAGE:
        return check_image_arg(k, a, size, value);
    case WEFT_ARG_PIPE:
        return !value ? weft_error_with(CL_INVALID_ARG_VALUE,
                                        "arg_value is NULL, and argument '%s' takes a pipe", a->name)
               : size != sizeof(cl_mem)
                   ? weft_error_with(CL_INVALID_ARG_SIZE,
                                     "argument '%s' takes the handle of a pipe, 8 bytes, and arg_size is %n",
                                     a->name, size)
               : has_object(value)
                   ? CL_SUCCESS
                   : weft_error_with(CL_INVALID_MEM_OBJECT,
                                     "argument '%s' takes a pipe, and the handle is NULL", a->name);
    default:
        return check_object_arg(a, size, value);
    }
}

cl_int weft_check_arg_pointer(const struct weft_kernel *k, cl_uint index)
{
    // "CL_INVALID_ARG_INDEX if arg_index is not a valid argument index."
    if (index >= k->meta->arg_count)
        return weft_error_with(CL_INVALID_ARG_INDEX, "arg_index is %n, and kernel %s has %n arguments", index,
                               k->meta->name, k->meta->arg_count);
    // "The SVM pointer can only be used for arguments that are declared to be a pointer to global or constant
    // memory." Any address is allowed, because the device shares the application's memory.
    enum weft_arg_kind kind = k->meta->args[index].kind;
    return kind == WEFT_ARG_GLOBAL || kind == WEFT_ARG_CONSTANT
               ? CL_SUCCESS
               : weft_error_with(CL_INVALID_ARG_VALUE,
                                 "argument '%s' of type %s is no pointer to global or constant memory",
                                 k->meta->args[index].name, k->meta->args[index].type_name);
}

cl_int weft_check_exec_info(cl_kernel_exec_info name, size_t size, const void *value)
{
    // "CL_INVALID_VALUE if param_name is not valid, if param_value is NULL or if the size specified by
    // param_value_size is not valid."
    switch (name) {
    case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
    case CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT:
    case CL_KERNEL_EXEC_INFO_SVM_PTRS: // an empty list removes the pointers that were given before
        return size % sizeof(void *) == 0 && (value || size == 0)
                   ? CL_SUCCESS
                   : weft_error_with(
                         CL_INVALID_VALUE,
                         "param_value_size %n is no multiple of a pointer's, or param_value is NULL", size);
    case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR:
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        return size == sizeof(cl_bool) && value
                   ? CL_SUCCESS
                   : weft_error_with(
                         CL_INVALID_VALUE,
                         "param_value_size is %n and not that of a cl_bool, or param_value is NULL", size);
    }
    return weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known", name);
}

static cl_int check_global(cl_uint dim, const size_t *offset, const size_t *global)
{
    size_t end, total = 1;
    // Linear ids of work-items are of type size_t, too.
    for (cl_uint i = 0; i < dim; i++)
        if (!weft_mul_size(total, global[i], &total))
            return weft_error(CL_INVALID_GLOBAL_WORK_SIZE, "there are more work-items than size_t counts");
    // "... if any of the values specified in global_work_size[0], ... are zero. This error condition does not
    // apply when the device [...] supports OpenCL 2.1 or newer."
    if (total == 0 && weft_cl_version() < 210)
        return weft_error(CL_INVALID_GLOBAL_WORK_SIZE,
                          "a value of global_work_size is 0, which is no error from OpenCL 2.1 on");
    for (cl_uint i = 0; i < dim; i++) {
        // "CL_INVALID_GLOBAL_OFFSET if the value specified in global_work_size + the corresponding values in
        // global_work_offset for any dimensions is greater than the maximum value representable by size_t"
        if (offset && !weft_add_size(global[i], offset[i], &end))
            return weft_error_with(
                CL_INVALID_GLOBAL_OFFSET,
                "global_work_offset[%n] and global_work_size[%n] together are more than size_t holds", i, i);
    }
    return CL_SUCCESS;
}

static cl_int check_local(const struct weft_kernel *k, cl_uint dim, const size_t *global, const size_t *local)
{
    const uint32_t *required = k->meta->reqd_work_group_size;
    // "CL_INVALID_WORK_GROUP_SIZE if local_work_size is specified and does not match the required work-group
    // size". In dimensions that the launch doesn't have, the group's size is 1, whether it is specified or
    // not.
    for (cl_uint i = 0; i < 3 && required[0]; i++)
        if (i < dim ? local && local[i] != required[i] : required[i] != 1)
            return weft_error_with(CL_INVALID_WORK_GROUP_SIZE,
                                   "dimension %n: the kernel requires work-groups of %n "
                                   "(reqd_work_group_size), and local_work_size is %n",
                                   i, required[i], i < dim ? local[i] : 1);
    size_t items = 1;
    for (cl_uint i = 0; i < dim; i++) {
        size_t n = local ? local[i] : required[0] ? required[i] : 1;
        if (n == 0)
            return weft_error_with(CL_INVALID_WORK_GROUP_SIZE, "local_work_size[%n] is 0", i);
        // "... the total number of work-items in the work-group ... is greater than the value specified by
        // CL_KERNEL_WORK_GROUP_SIZE"
        if (!weft_mul_size(items, n, &items))
            return weft_error(CL_INVALID_WORK_GROUP_SIZE,
                              "a work-group has more work-items than size_t counts");
        // "... if the program was compiled with -cl-uniform-work-group-size and the number of work-items
        // specified by global_work_size is not evenly divisible by size of work-group given by
        // local_work_size or by the required work-group size specified in the kernel source." Before OpenCL C
        // 2.0 this holds for all programs.
        if (global && k->meta->uniform_groups && global[i] % n != 0)
            return weft_error_with(CL_INVALID_WORK_GROUP_SIZE,
                                   "global_work_size[%n] is %n, which is no multiple of the work-group's %n: "
                                   "a smaller last group "
                                   "needs OpenCL C 2.0 or later without -cl-uniform-work-group-size",
                                   i, global[i], n);
    }
    if (items > WEFT_DEVICE_MAX_GROUP) {
        // "CL_INVALID_WORK_ITEM_SIZE if the number of work-items specified in any of local_work_size[0] ...
        // is greater than the corresponding values specified by CL_DEVICE_MAX_WORK_ITEM_SIZES"
        for (cl_uint i = 0; local && i < dim; i++)
            if (local[i] > weft_device_max_item_sizes[i])
                return weft_error_with(CL_INVALID_WORK_ITEM_SIZE,
                                       "local_work_size[%n] is %n, and CL_DEVICE_MAX_WORK_ITEM_SIZES %n", i,
                                       local[i], weft_device_max_item_sizes[i]);
        return weft_error_with(CL_INVALID_WORK_GROUP_SIZE,
                               "a work-group of %n work-items is more than CL_KERNEL_WORK_GROUP_SIZE, %n",
                               items, WEFT_DEVICE_MAX_GROUP);
    }
    return CL_SUCCESS;
}

cl_int weft_check_ndrange(const struct weft_kernel *k, cl_uint dim, const size_t *offset,
                          const size_t *global, const size_t *local)
{
    // "CL_INVALID_WORK_DIMENSION if work_dim is not a valid value (i.e. a value between 1 and 3)."
    if (dim < 1 || dim > 3)
        return CL_INVALID_WORK_DIMENSION;
    // "CL_INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL", again only before OpenCL 2.1.
    if (!global && weft_cl_version() < 210)
        return weft_error(CL_INVALID_GLOBAL_WORK_SIZE,
                          "global_work_size is NULL, which is no error from OpenCL 2.1 on");
    cl_int err = global ? check_global(dim, offset, global) : CL_SUCCESS;
    return err ? err : check_local(k, dim, global, local);
}
