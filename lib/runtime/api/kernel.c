// Entry points of kernels and of their launches. OpenCL 2.2 §5.9 and §5.10.
#include <string.h>

#include "base/base.h"
#include "runtime/api/api.h"
#include "runtime/check/kernel.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/launch/ndrange.h"
#include "runtime/launch/sub_groups.h"
#include "runtime/memory/svm.h"
#include "runtime/code/build_result.h"
#include "runtime/program/kernel.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/make_code.h"
#include "runtime/program/program.h"
#include "weft/code_object.h"
#include "weft/status.h"

// ---- Creating ----

cl_kernel weft_clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_program *p = weft_program_of(program);
    if (!p)
        return WEFT_API_RETURN(program, NULL, CL_INVALID_PROGRAM, errcode_ret);
    struct weft_kernel *k = NULL;
    cl_int err;
    do { // again if another thread has begun a build meanwhile
        struct weft_build **builds = weft_program_builds(p, true);
        err = builds ? weft_kernel_create_named(p, builds, kernel_name, &k) : CL_OUT_OF_HOST_MEMORY;
        weft_program_builds_free(p, builds);
    } while (err == CL_INVALID_OPERATION);
    if (k)
        weft_kernel_prepare(k);
    return WEFT_API_RETURN(program, k, err, errcode_ret);
}

// Creates all kernels or none. The application's array is written only when all exist.
static cl_int create_all(struct weft_program *p, struct weft_build *const *builds, cl_uint count,
                         cl_kernel *kernels)
{
    struct weft_kernel **made = weft_alloc_array(count, sizeof *made);
    struct weft_kernel_list list = {.builds = builds, .count = p->device_count};
    cl_int err = made ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; !err && i < count; i++)
        err = weft_kernel_create(p, builds, weft_kernel_list_next(&list), &made[i]);
    for (cl_uint i = 0; made && i < count; i++) {
        if (!err) {
            weft_kernel_prepare(made[i]);
            weft_object_publish(&made[i]->obj);
            kernels[i] = (cl_kernel)made[i];
        } else if (made[i]) {
            weft_object_release_handle(&made[i]->obj);
        }
    }
    weft_free(made);
    return err;
}

static cl_int create_in(struct weft_program *p, struct weft_build *const *builds, cl_uint num_kernels,
                        cl_kernel *kernels, cl_uint *num_kernels_ret)
{
    if (!weft_program_has_any(p, builds))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    struct weft_kernel_list list = {.builds = builds, .count = p->device_count};
    cl_uint count = 0;
    while (weft_kernel_list_next(&list))
        count++;
    // "CL_INVALID_VALUE if kernels is not NULL and num_kernels is less than the number of kernels in
    // program."
    if (kernels && num_kernels < count)
        return weft_error_with(CL_INVALID_VALUE, "num_kernels is %n, and the program has %n kernels",
                               num_kernels, count);
    cl_int err = kernels ? create_all(p, builds, count, kernels) : CL_SUCCESS;
    if (!err && num_kernels_ret)
        *num_kernels_ret = count;
    return err;
}

cl_int weft_clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                     cl_uint *num_kernels_ret)
{
    WEFT_CALL;
    struct weft_program *p = weft_program_of(program);
    if (!p)
        return WEFT_ANSWER(program, CL_INVALID_PROGRAM);
    cl_int err;
    do { // again if another thread has begun a build meanwhile
        struct weft_build **builds = weft_program_builds(p, true);
        err = builds ? create_in(p, builds, num_kernels, kernels, num_kernels_ret) : CL_OUT_OF_HOST_MEMORY;
        weft_program_builds_free(p, builds);
    } while (err == CL_INVALID_OPERATION);
    return WEFT_ANSWER(program, err);
}

cl_kernel weft_clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_kernel *k = weft_kernel_of(source_kernel);
    struct weft_kernel *n = k ? weft_kernel_clone(k) : NULL;
    return WEFT_API_RETURN(source_kernel, n,
                           !k  ? CL_INVALID_KERNEL
                           : n ? CL_SUCCESS
                               : CL_OUT_OF_HOST_MEMORY,
                           errcode_ret);
}

cl_int weft_clRetainKernel(cl_kernel kernel)
{
    return WEFT_ANSWER(NULL, weft_object_retain(kernel, WEFT_KIND_KERNEL) ? CL_SUCCESS : CL_INVALID_KERNEL);
}

cl_int weft_clReleaseKernel(cl_kernel kernel)
{
    return WEFT_ANSWER(NULL, weft_object_release(kernel, WEFT_KIND_KERNEL) ? CL_SUCCESS : CL_INVALID_KERNEL);
}

// ---- Arguments ----

static bool takes_handle(const struct weft_kernel *k, cl_uint index)
{
    // A wrong index is reported by the checks.
    const enum weft_arg_kind kind = index < k->meta->arg_count ? k->meta->args[index].kind : WEFT_ARG_VALUE;
    return kind != WEFT_ARG_VALUE && kind != WEFT_ARG_LOCAL;
}

cl_int weft_clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value)
{
    WEFT_CALL_SINGLE;
    struct weft_kernel *k = weft_call_hold_early(&weft_call, kernel, WEFT_KIND_KERNEL);
    if (!k)
        return WEFT_ANSWER(kernel, CL_INVALID_KERNEL);
    if (takes_handle(k, arg_index))
        weft_call_enter(&weft_call);
    cl_int err = weft_check_arg(k, arg_index, arg_size, arg_value);
    return WEFT_ANSWER(kernel, err ? err : weft_kernel_set_arg(k, arg_index, arg_size, arg_value));
}

cl_int weft_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    WEFT_CALL;
    struct weft_kernel *k = weft_kernel_of(kernel);
    if (!k)
        return WEFT_ANSWER(kernel, CL_INVALID_KERNEL);
    // "CL_INVALID_OPERATION if no devices in the context associated with kernel support SVM."
    cl_int err = weft_has_svm()
                     ? weft_check_arg_pointer(k, arg_index)
                     : weft_error(CL_INVALID_OPERATION,
                                  "WEFT_CL_VERSION is below 2.0, which has no shared virtual memory");
    if (!err)
        weft_kernel_set_pointer(k, arg_index, arg_value);
    return WEFT_ANSWER(kernel, err);
}

// cl_ext_buffer_device_address: "CL_INVALID_ARG_INDEX if ... the expected kernel argument is not a pointer to
// global memory". Every address is allowed.
cl_int weft_clSetKernelArgDevicePointerEXT(cl_kernel kernel, cl_uint arg_index, cl_ulong arg_value)
{
    WEFT_CALL;
    struct weft_kernel *k = weft_kernel_of(kernel);
    if (!k)
        return WEFT_ANSWER(kernel, CL_INVALID_KERNEL);
    if (weft_check_arg_pointer(k, arg_index))
        return WEFT_ANSWER(kernel, CL_INVALID_ARG_INDEX);
    weft_kernel_set_pointer(k, arg_index, (const void *)(uintptr_t)arg_value);
    return CL_SUCCESS;
}

cl_int weft_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name, size_t param_value_size,
                                const void *param_value)
{
    WEFT_CALL;
    if (!weft_kernel_of(kernel))
        return WEFT_ANSWER(kernel, CL_INVALID_KERNEL);
    // Kernels can access all of the application's memory anyway. So there is nothing to do after the checks.
    return WEFT_ANSWER(kernel,
                       weft_has_svm()
                           ? weft_check_exec_info(param_name, param_value_size, param_value)
                           : weft_error(CL_INVALID_OPERATION,
                                        "WEFT_CL_VERSION is below 2.0, which has no shared virtual memory"));
}

// ---- Queries ----

// "For kernels not created from OpenCL C source and the clCreateProgramWithSource API call the string
// returned from this query will be empty". Programs made by clLinkProgram count as created from source.
static const char *attributes_of(const struct weft_kernel *k)
{
    const struct weft_program *p = k->program;
    return p->il || (p->device_count && p->places[0].loaded) ? "" : k->meta->attributes;
}

cl_int weft_clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size,
                            void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    const struct weft_kernel *k = weft_kernel_of(kernel);
    if (!k)
        return WEFT_ANSWER(kernel, CL_INVALID_KERNEL);
    switch (param_name) {
#include "runtime/info/info.h"
#include "runtime/info/kernel.def"
    }
    return WEFT_ANSWER(kernel,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

static cl_int answer_arg(const struct weft_arg_meta *a, cl_kernel_arg_info param_name,
                         size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    switch (param_name) {
#include "runtime/info/info.h"
#include "runtime/info/kernel_arg.def"
    }
    return weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name);
}

cl_int weft_clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index, cl_kernel_arg_info param_name,
                               size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    const struct weft_kernel *k = weft_kernel_of(kernel);
    if (!k)
        return WEFT_ANSWER(kernel, CL_INVALID_KERNEL);
    if (arg_index >= k->meta->arg_count)
        return WEFT_ANSWER(kernel, weft_error_with(CL_INVALID_ARG_INDEX,
                                                   "arg_index is %n, and kernel %s has %n arguments",
                                                   arg_index, k->meta->name, k->meta->arg_count));
    const struct weft_arg_meta *a = &k->meta->args[arg_index];
    // Never CL_KERNEL_ARG_INFO_NOT_AVAILABLE: programs from source have all of it, with or without
    // -cl-kernel-arg-info, and SPIR-V has types and address spaces.
    return WEFT_ANSWER(kernel,
                       answer_arg(a, param_name, param_value_size, param_value, param_value_size_ret));
}

// Queries that need code.
static cl_int answer_code(struct weft_kernel *k, cl_kernel_work_group_info param_name,
                          size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    weft_status status = weft_kernel_code_wait(k->code);
    if (status != WEFT_OK)
        return status == WEFT_NO_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
    const struct weft_kernel_info *info = weft_kernel_code_info(k->code);
    if (param_name == CL_KERNEL_LANES_WEFT)
        return WEFT_INFO(cl_uint, info->vector_width);
    if (param_name == CL_KERNEL_STACK_SIZE_WEFT)
        return WEFT_INFO(cl_ulong, info->stack_bytes);
    if (param_name == CL_KERNEL_SPILLED_REGISTERS_WEFT)
        return WEFT_INFO(cl_uint, info->spills);
    if (param_name == CL_KERNEL_PRIVATE_MEM_SIZE)
        return WEFT_INFO(cl_ulong, info->private_bytes);
    char *text = weft_code_list(k->code);
    const cl_int error = text ? WEFT_INFO_STR(text) : CL_OUT_OF_HOST_MEMORY;
    weft_free(text);
    return error;
}

// "CL_INVALID_DEVICE if device is not in the list of devices associated with kernel or if device is NULL but
// there is more than one device associated with kernel". Only devices with code count. Returns the kernel to
// query; NULL: that error.
static struct weft_kernel *kernel_for(struct weft_kernel *k, cl_device_id device)
{
    const struct weft_program *p = k->program;
    cl_uint count = 0, only = 0;
    for (cl_uint i = 0; i < p->device_count; i++)
        if ((!k->on || k->on[i]) && (!device || device == (cl_device_id)p->devices[i])) {
            count++;
            only = i;
        }
    return count == 1 || (device && count) ? weft_kernel_on(k, p->devices[only]) : NULL;
}

cl_int weft_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                     cl_kernel_work_group_info param_name, size_t param_value_size,
                                     void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    struct weft_kernel *k = weft_kernel_of(kernel);
    if (!k)
        return WEFT_ANSWER(kernel, CL_INVALID_KERNEL);
    k = kernel_for(k, device);
    if (!k)
        return WEFT_ANSWER(kernel, CL_INVALID_DEVICE);
    size_t required[3];
    for (int i = 0; i < 3; i++)
        required[i] = k->meta->reqd_work_group_size[i];
    if (param_name == CL_KERNEL_PRIVATE_MEM_SIZE ||
        (param_name >= CL_KERNEL_LANES_WEFT && param_name <= CL_KERNEL_SPILLED_REGISTERS_WEFT))
        return WEFT_ANSWER(kernel,
                           answer_code(k, param_name, param_value_size, param_value, param_value_size_ret));
    switch (param_name) {
#include "runtime/info/info.h"
#include "runtime/info/kernel_group.def"
    }
    return WEFT_ANSWER(kernel,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

cl_int weft_clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                    cl_kernel_sub_group_info param_name, size_t input_value_size,
                                    const void *input_value, size_t param_value_size, void *param_value,
                                    size_t *param_value_size_ret)
{
    WEFT_CALL;
    struct weft_kernel *k = weft_kernel_of(kernel);
    if (!k)
        return WEFT_ANSWER(kernel, CL_INVALID_KERNEL);
    k = kernel_for(k, device);
    if (!k)
        return WEFT_ANSWER(kernel, CL_INVALID_DEVICE);
    struct weft_sub_group_query q = {.name = param_name};
    cl_int err = weft_sub_groups_query(&q, k, input_value_size, input_value, param_value_size);
    return WEFT_ANSWER(kernel, err ? err
                                   : weft_info_write(q.answer, q.count * sizeof *q.answer, param_value_size,
                                                     param_value, param_value_size_ret));
}

cl_int weft_clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                       cl_kernel_sub_group_info param_name, size_t input_value_size,
                                       const void *input_value, size_t param_value_size, void *param_value,
                                       size_t *param_value_size_ret)
{
    WEFT_CALL;
    return WEFT_ON_BEHALF(weft_clGetKernelSubGroupInfo(kernel, device, param_name, input_value_size,
                                                       input_value, param_value_size, param_value,
                                                       param_value_size_ret));
}

// The kernel to launch, or the error.
struct launched {
    struct weft_kernel *kernel;
    cl_int error;
};

// For programs whose devices don't all have the same code.
static __attribute__((noinline)) struct launched find_launched(const struct weft_queue *q,
                                                               struct weft_kernel *k)
{
    // "CL_INVALID_CONTEXT if context associated with command_queue and kernel are not the same ..."
    if (q->context != k->program->context)
        return (struct launched){
            NULL, weft_error(CL_INVALID_CONTEXT, "the kernel is of another context than the queue")};
    // "CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built program executable available for
    // device associated with command_queue."
    struct weft_kernel *on = weft_kernel_on(k, q->device);
    return (struct launched){on, on ? CL_SUCCESS
                                    : weft_error(CL_INVALID_PROGRAM_EXECUTABLE,
                                                 "the program isn't built for the queue's device, or has "
                                                 "no such kernel there")};
}

// Checks a launch's queue and kernel; both are held, or NULL if their handles are invalid.
WEFT_ALWAYS_INLINE struct launched check_launch(const struct weft_queue *q, struct weft_kernel *k)
{
    if (!q)
        return (struct launched){NULL, CL_INVALID_COMMAND_QUEUE};
    if (!k)
        return (struct launched){NULL, CL_INVALID_KERNEL};
    return WEFT_LIKELY(q->context == k->everywhere) ? (struct launched){k, CL_SUCCESS} : find_launched(q, k);
}

// cl_khr_suggested_local_work_size; OpenCL 3.1 has it without the suffix.
cl_int weft_clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue command_queue, cl_kernel kernel,
                                                 cl_uint work_dim, const size_t *global_work_offset,
                                                 const size_t *global_work_size,
                                                 size_t *suggested_local_work_size)
{
    WEFT_CALL;
    struct launched launched = check_launch(weft_queue_of(command_queue), weft_kernel_of(kernel));
    cl_int err = launched.error;
    if (err)
        return WEFT_ANSWER(command_queue, err);
    struct weft_kernel *k = launched.kernel;
    // "CL_INVALID_KERNEL_ARGS if all argument values for kernel have not been set." relaxed: no other
    // data depends on it.
    if (atomic_load_explicit(&k->args_missing, memory_order_relaxed))
        return WEFT_ANSWER(command_queue, weft_kernel_lacks_arg(k));
    err = work_dim < 1 || work_dim > 3 ? CL_INVALID_WORK_DIMENSION : CL_SUCCESS;
    // "CL_INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or if any of the values specified in
    // global_work_size are 0."
    for (cl_uint i = 0; !err && i < work_dim; i++)
        err = !global_work_size || global_work_size[i] == 0
                  ? weft_error_with(CL_INVALID_GLOBAL_WORK_SIZE,
                                    "global_work_size is NULL, or global_work_size[%n] is 0", i)
                  : CL_SUCCESS;
    if (!err)
        err = weft_check_ndrange(k, work_dim, global_work_offset, global_work_size, NULL);
    // "CL_INVALID_VALUE if suggested_local_work_size is NULL."
    if (!err && !suggested_local_work_size)
        err = weft_error(CL_INVALID_VALUE, "suggested_local_work_size is NULL");
    if (err)
        return WEFT_ANSWER(command_queue, err);
    size_t local[3];
    err = weft_ndrange_suggest_local(k, work_dim, global_work_size, local);
    if (!err)
        memcpy(suggested_local_work_size, local, work_dim * sizeof *local);
    return WEFT_ANSWER(command_queue, err);
}

// ---- Launches ----

// All checks before a launch is captured.
WEFT_ALWAYS_INLINE struct launched check_enqueue(const struct weft_queue *q, struct weft_kernel *k,
                                                 cl_uint work_dim, const size_t *global_work_offset,
                                                 const size_t *global_work_size,
                                                 const size_t *local_work_size, cl_uint wait_count,
                                                 const cl_event *wait_list)
{
    struct launched l = check_launch(q, k);
    if (l.error)
        return l;
    l.error = weft_check_wait_context(q->context, wait_count, wait_list);
    // "CL_INVALID_KERNEL_ARGS if the kernel argument values have not been specified". It is checked again,
    // under the lock, when the arguments are captured. relaxed: that lock orders.
    if (!l.error && atomic_load_explicit(&l.kernel->args_missing, memory_order_relaxed))
        l.error = weft_kernel_lacks_arg(l.kernel);
    if (!l.error)
        l.error =
            weft_check_ndrange(l.kernel, work_dim, global_work_offset, global_work_size, local_work_size);
    return l;
}

cl_int weft_clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                   const size_t *global_work_offset, const size_t *global_work_size,
                                   const size_t *local_work_size, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL_SINGLE;
    if (num_events_in_wait_list || event_wait_list)
        weft_call_enter(&weft_call);
    struct weft_queue *q = weft_call_hold_early(&weft_call, command_queue, WEFT_KIND_QUEUE);
    struct weft_kernel *k = weft_call_hold_early(&weft_call, kernel, WEFT_KIND_KERNEL);
    struct launched l = check_enqueue(q, k, work_dim, global_work_offset, global_work_size, local_work_size,
                                      num_events_in_wait_list, event_wait_list);
    if (l.error)
        return WEFT_ANSWER(command_queue, l.error);
    weft_call_hand_over(&weft_call); // the launch takes the reference to the queue
    const cl_int error =
        weft_ndrange_enqueue(q, l.kernel, work_dim, global_work_offset, global_work_size, local_work_size,
                             num_events_in_wait_list, event_wait_list, event);
    const cl_int answer = WEFT_ANSWER(command_queue, error);
    if (WEFT_UNLIKELY(error))
        weft_object_unref(&q->obj); // it didn't
    return answer;
}

static cl_int enqueue_task(cl_command_queue command_queue, cl_kernel kernel, cl_uint wait_count,
                           const cl_event *wait_list, cl_event *event)
{
    const size_t one = 1;
    struct weft_queue *q = weft_queue_of(command_queue);
    struct launched l = check_enqueue(q, weft_kernel_of(kernel), 1, NULL, &one, &one, wait_count, wait_list);
    if (l.error)
        return WEFT_ANSWER(command_queue, l.error);
    weft_object_ref(&q->obj); // the launch takes it unless it fails
    const cl_int error = weft_task_enqueue(q, l.kernel, wait_count, wait_list, event);
    if (error)
        weft_object_unref(&q->obj);
    return WEFT_ANSWER(command_queue, error);
}

cl_int weft_clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel, cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    return WEFT_ON_BEHALF(
        enqueue_task(command_queue, kernel, num_events_in_wait_list, event_wait_list, event));
}
