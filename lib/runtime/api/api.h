// Prototypes of all entry points, weft_<OpenCL name>, made from icd/api.def with the types of Khronos's
// cl_icd.h. The entry points of each kind of object are in api/<object>.c.
// This folder is the upper end of the runtime: icd/ puts its functions into the table that the loader calls.
// An entry point holds the objects of its handles (core/call_scope.h), lets check/ check the arguments in the
// specification's order, calls the one function below that does the work, and reports why it returns an error
// (WEFT_ANSWER). It returns handles, error codes and answers to queries (info/). The folder has no state, and
// nothing below calls it.
#ifndef WEFT_RUNTIME_API_H
#define WEFT_RUNTIME_API_H

#include "runtime/core/call_scope.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"

#include <CL/cl_icd.h> // after core/cl.h, which sets the version

// Types that Debian 12's headers lack.
typedef void *(CL_API_CALL *weft_fn_clIcdGetFunctionAddressForPlatformKHR)(cl_platform_id platform,
                                                                           const char *name);
typedef cl_int(CL_API_CALL *weft_fn_clIcdSetPlatformDispatchDataKHR)(cl_platform_id platform, void *data);
typedef cl_int(CL_API_CALL *weft_fn_clIcdGetPlatformIDsKHR)(cl_uint num_entries, cl_platform_id *platforms,
                                                            cl_uint *num_platforms);
typedef cl_command_queue(CL_API_CALL *weft_fn_clCreateCommandQueueWithPropertiesKHR)(
    cl_context context, cl_device_id device, const cl_properties *properties, cl_int *errcode_ret);
typedef cl_int(CL_API_CALL *weft_fn_clGetKernelSuggestedLocalWorkSizeKHR)(cl_command_queue command_queue,
                                                                          cl_kernel kernel, cl_uint work_dim,
                                                                          const size_t *global_work_offset,
                                                                          const size_t *global_work_size,
                                                                          size_t *suggested_local_work_size);
typedef cl_int(CL_API_CALL *weft_fn_clGetImageRequirementsInfoEXT)(
    cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
    const cl_image_format *image_format, const cl_image_desc *image_desc,
    cl_image_requirements_info_ext param_name, size_t param_value_size, void *param_value,
    size_t *param_value_size_ret);
// cl_khr_command_buffer 0.9.8 and cl_khr_command_buffer_mutable_dispatch 0.9.5. The typedefs of handles
// aren't used because they differ between versions of the header.
typedef struct _cl_command_buffer_khr *(CL_API_CALL *weft_fn_clCreateCommandBufferKHR)(
    cl_uint num_queues, const cl_command_queue *queues, const cl_properties *properties, cl_int *errcode_ret);
typedef cl_int(CL_API_CALL *weft_fn_clRetainCommandBufferKHR)(struct _cl_command_buffer_khr *command_buffer);
typedef cl_int(CL_API_CALL *weft_fn_clReleaseCommandBufferKHR)(struct _cl_command_buffer_khr *command_buffer);
typedef cl_int(CL_API_CALL *weft_fn_clFinalizeCommandBufferKHR)(
    struct _cl_command_buffer_khr *command_buffer);
typedef cl_int(CL_API_CALL *weft_fn_clEnqueueCommandBufferKHR)(cl_uint num_queues, cl_command_queue *queues,
                                                               struct _cl_command_buffer_khr *command_buffer,
                                                               cl_uint num_events_in_wait_list,
                                                               const cl_event *event_wait_list,
                                                               cl_event *event);
typedef cl_int(CL_API_CALL *weft_fn_clGetCommandBufferInfoKHR)(struct _cl_command_buffer_khr *command_buffer,
                                                               cl_uint param_name, size_t param_value_size,
                                                               void *param_value,
                                                               size_t *param_value_size_ret);
typedef cl_int(CL_API_CALL *weft_fn_clCommandBarrierWithWaitListKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_command_queue command_queue,
    const cl_properties *properties, cl_uint num_sync_points_in_wait_list,
    const cl_uint *sync_point_wait_list, cl_uint *sync_point,
    struct _cl_mutable_command_khr **mutable_handle);
typedef cl_int(CL_API_CALL *weft_fn_clCommandCopyBufferKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_command_queue command_queue,
    const cl_properties *properties, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
    size_t dst_offset, size_t size, cl_uint num_sync_points_in_wait_list, const cl_uint *sync_point_wait_list,
    cl_uint *sync_point, struct _cl_mutable_command_khr **mutable_handle);
typedef cl_int(CL_API_CALL *weft_fn_clCommandCopyBufferRectKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_command_queue command_queue,
    const cl_properties *properties, cl_mem src_buffer, cl_mem dst_buffer, const size_t *src_origin,
    const size_t *dst_origin, const size_t *region, size_t src_row_pitch, size_t src_slice_pitch,
    size_t dst_row_pitch, size_t dst_slice_pitch, cl_uint num_sync_points_in_wait_list,
    const cl_uint *sync_point_wait_list, cl_uint *sync_point,
    struct _cl_mutable_command_khr **mutable_handle);
typedef cl_int(CL_API_CALL *weft_fn_clCommandCopyBufferToImageKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_command_queue command_queue,
    const cl_properties *properties, cl_mem src_buffer, cl_mem dst_image, size_t src_offset,
    const size_t *dst_origin, const size_t *region, cl_uint num_sync_points_in_wait_list,
    const cl_uint *sync_point_wait_list, cl_uint *sync_point,
    struct _cl_mutable_command_khr **mutable_handle);
typedef cl_int(CL_API_CALL *weft_fn_clCommandCopyImageKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_command_queue command_queue,
    const cl_properties *properties, cl_mem src_image, cl_mem dst_image, const size_t *src_origin,
    const size_t *dst_origin, const size_t *region, cl_uint num_sync_points_in_wait_list,
    const cl_uint *sync_point_wait_list, cl_uint *sync_point,
    struct _cl_mutable_command_khr **mutable_handle);
typedef cl_int(CL_API_CALL *weft_fn_clCommandCopyImageToBufferKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_command_queue command_queue,
    const cl_properties *properties, cl_mem src_image, cl_mem dst_buffer, const size_t *src_origin,
    const size_t *region, size_t dst_offset, cl_uint num_sync_points_in_wait_list,
    const cl_uint *sync_point_wait_list, cl_uint *sync_point,
    struct _cl_mutable_command_khr **mutable_handle);
typedef cl_int(CL_API_CALL *weft_fn_clCommandFillBufferKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_command_queue command_queue,
    const cl_properties *properties, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset,
    size_t size, cl_uint num_sync_points_in_wait_list, const cl_uint *sync_point_wait_list,
    cl_uint *sync_point, struct _cl_mutable_command_khr **mutable_handle);
typedef cl_int(CL_API_CALL *weft_fn_clCommandFillImageKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_command_queue command_queue,
    const cl_properties *properties, cl_mem image, const void *fill_color, const size_t *origin,
    const size_t *region, cl_uint num_sync_points_in_wait_list, const cl_uint *sync_point_wait_list,
    cl_uint *sync_point, struct _cl_mutable_command_khr **mutable_handle);
typedef cl_int(CL_API_CALL *weft_fn_clCommandSVMMemcpyKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_command_queue command_queue,
    const cl_properties *properties, void *dst_ptr, const void *src_ptr, size_t size,
    cl_uint num_sync_points_in_wait_list, const cl_uint *sync_point_wait_list, cl_uint *sync_point,
    struct _cl_mutable_command_khr **mutable_handle);
typedef cl_int(CL_API_CALL *weft_fn_clCommandSVMMemFillKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_command_queue command_queue,
    const cl_properties *properties, void *svm_ptr, const void *pattern, size_t pattern_size, size_t size,
    cl_uint num_sync_points_in_wait_list, const cl_uint *sync_point_wait_list, cl_uint *sync_point,
    struct _cl_mutable_command_khr **mutable_handle);
typedef cl_int(CL_API_CALL *weft_fn_clCommandNDRangeKernelKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_command_queue command_queue,
    const cl_properties *properties, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset,
    const size_t *global_work_size, const size_t *local_work_size, cl_uint num_sync_points_in_wait_list,
    const cl_uint *sync_point_wait_list, cl_uint *sync_point,
    struct _cl_mutable_command_khr **mutable_handle);
typedef struct _cl_command_buffer_khr *(CL_API_CALL *weft_fn_clRemapCommandBufferKHR)(
    struct _cl_command_buffer_khr *command_buffer, cl_bool automatic, cl_uint num_queues,
    const cl_command_queue *queues, cl_uint num_handles, struct _cl_mutable_command_khr *const *handles,
    struct _cl_mutable_command_khr **handles_ret, cl_int *errcode_ret);
// The structures that clUpdateMutableCommandsKHR 0.9.5 takes. Debian's header has an older layout, and
// another value for the type.
#define WEFT_MUTABLE_DISPATCH_CONFIG 0u // CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR
struct weft_mutable_arg {
    cl_uint index;
    size_t size;
    const void *value;
};
struct weft_mutable_exec_info {
    cl_uint name;
    size_t size;
    const void *value;
};
struct weft_mutable_config {
    struct _cl_mutable_command_khr *command;
    cl_uint arg_count, svm_count, info_count;
    cl_uint dim;
    const struct weft_mutable_arg *args, *svm_args;
    const struct weft_mutable_exec_info *infos;
    const size_t *offset, *global, *local;
};
typedef cl_int(CL_API_CALL *weft_fn_clUpdateMutableCommandsKHR)(struct _cl_command_buffer_khr *command_buffer,
                                                                cl_uint num_configs,
                                                                const cl_uint *config_types,
                                                                const void **configs);
typedef cl_int(CL_API_CALL *weft_fn_clGetMutableCommandInfoKHR)(struct _cl_mutable_command_khr *command,
                                                                cl_uint param_name, size_t param_value_size,
                                                                void *param_value,
                                                                size_t *param_value_size_ret);

// cl_khr_unified_svm
typedef void *(CL_API_CALL *weft_fn_clSVMAllocWithPropertiesKHR)(cl_context context,
                                                                 const cl_properties *properties,
                                                                 cl_uint svm_type_index, size_t size,
                                                                 cl_int *errcode_ret);
typedef cl_int(CL_API_CALL *weft_fn_clSVMFreeWithPropertiesKHR)(cl_context context,
                                                                const cl_properties *properties,
                                                                cl_bitfield flags, void *ptr);
typedef cl_int(CL_API_CALL *weft_fn_clGetSVMPointerInfoKHR)(cl_context context, cl_device_id device,
                                                            const void *ptr, cl_uint param_name,
                                                            size_t param_value_size, void *param_value,
                                                            size_t *param_value_size_ret);
typedef cl_int(CL_API_CALL *weft_fn_clGetSVMSuggestedTypeIndexKHR)(
    cl_context context, cl_bitfield required_capabilities, cl_bitfield desired_capabilities,
    const cl_properties *properties, size_t size, cl_uint *suggested_svm_type_index);

// cl_intel_unified_shared_memory
typedef void *(CL_API_CALL *weft_fn_clHostMemAllocINTEL)(cl_context context, const cl_properties *properties,
                                                         size_t size, cl_uint alignment, cl_int *errcode_ret);
typedef void *(CL_API_CALL *weft_fn_clDeviceMemAllocINTEL)(cl_context context, cl_device_id device,
                                                           const cl_properties *properties, size_t size,
                                                           cl_uint alignment, cl_int *errcode_ret);
typedef void *(CL_API_CALL *weft_fn_clSharedMemAllocINTEL)(cl_context context, cl_device_id device,
                                                           const cl_properties *properties, size_t size,
                                                           cl_uint alignment, cl_int *errcode_ret);
typedef cl_int(CL_API_CALL *weft_fn_clMemFreeINTEL)(cl_context context, void *ptr);
typedef cl_int(CL_API_CALL *weft_fn_clMemBlockingFreeINTEL)(cl_context context, void *ptr);
typedef cl_int(CL_API_CALL *weft_fn_clGetMemAllocInfoINTEL)(cl_context context, const void *ptr,
                                                            cl_uint param_name, size_t param_value_size,
                                                            void *param_value, size_t *param_value_size_ret);
typedef cl_int(CL_API_CALL *weft_fn_clSetKernelArgMemPointerINTEL)(cl_kernel kernel, cl_uint arg_index,
                                                                   const void *arg_value);
typedef cl_int(CL_API_CALL *weft_fn_clEnqueueMemFillINTEL)(cl_command_queue command_queue, void *dst_ptr,
                                                           const void *pattern, size_t pattern_size,
                                                           size_t size, cl_uint num_events_in_wait_list,
                                                           const cl_event *event_wait_list, cl_event *event);
typedef cl_int(CL_API_CALL *weft_fn_clEnqueueMemsetINTEL)(cl_command_queue command_queue, void *dst_ptr,
                                                          cl_int value, size_t size,
                                                          cl_uint num_events_in_wait_list,
                                                          const cl_event *event_wait_list, cl_event *event);
typedef cl_int(CL_API_CALL *weft_fn_clEnqueueMemcpyINTEL)(cl_command_queue command_queue, cl_bool blocking,
                                                          void *dst_ptr, const void *src_ptr, size_t size,
                                                          cl_uint num_events_in_wait_list,
                                                          const cl_event *event_wait_list, cl_event *event);
typedef cl_int(CL_API_CALL *weft_fn_clEnqueueMigrateMemINTEL)(cl_command_queue command_queue, const void *ptr,
                                                              size_t size, cl_mem_migration_flags flags,
                                                              cl_uint num_events_in_wait_list,
                                                              const cl_event *event_wait_list,
                                                              cl_event *event);
typedef cl_int(CL_API_CALL *weft_fn_clEnqueueMemAdviseINTEL)(cl_command_queue command_queue, const void *ptr,
                                                             size_t size, cl_uint advice,
                                                             cl_uint num_events_in_wait_list,
                                                             const cl_event *event_wait_list,
                                                             cl_event *event);
// cl_ext_buffer_device_address
typedef cl_int(CL_API_CALL *weft_fn_clSetKernelArgDevicePointerEXT)(cl_kernel kernel, cl_uint arg_index,
                                                                    cl_ulong arg_value);

// cl_khr_semaphore
typedef struct _cl_semaphore_khr *(CL_API_CALL *weft_fn_clCreateSemaphoreWithPropertiesKHR)(
    cl_context context, const cl_properties *sema_props, cl_int *errcode_ret);
typedef cl_int(CL_API_CALL *weft_fn_clRetainSemaphoreKHR)(struct _cl_semaphore_khr *sema_object);
typedef cl_int(CL_API_CALL *weft_fn_clReleaseSemaphoreKHR)(struct _cl_semaphore_khr *sema_object);
typedef cl_int(CL_API_CALL *weft_fn_clGetSemaphoreInfoKHR)(struct _cl_semaphore_khr *sema_object,
                                                           cl_uint param_name, size_t param_value_size,
                                                           void *param_value, size_t *param_value_size_ret);
typedef cl_int(CL_API_CALL *weft_fn_clEnqueueWaitSemaphoresKHR)(
    cl_command_queue command_queue, cl_uint num_sema_objects, struct _cl_semaphore_khr *const *sema_objects,
    const cl_ulong *payloads, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event);
typedef cl_int(CL_API_CALL *weft_fn_clEnqueueSignalSemaphoresKHR)(
    cl_command_queue command_queue, cl_uint num_sema_objects, struct _cl_semaphore_khr *const *sema_objects,
    const cl_ulong *payloads, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event);

typedef cl_int(CL_API_CALL *weft_fn_clGetSemaphoreHandleForTypeKHR)(struct _cl_semaphore_khr *sema_object,
                                                                    cl_device_id device, cl_uint handle_type,
                                                                    size_t handle_size, void *handle_ptr,
                                                                    size_t *handle_size_ret);

typedef clEnqueueAcquireExternalMemObjectsKHR_fn weft_fn_clEnqueueAcquireExternalMemObjectsKHR;
typedef clEnqueueReleaseExternalMemObjectsKHR_fn weft_fn_clEnqueueReleaseExternalMemObjectsKHR;
typedef clCreateProgramWithILKHR_fn weft_fn_clCreateProgramWithILKHR;

// The types of slots come from the table: other names for them differ between versions of cl_icd.h.
#define WEFT_SLOT(name) __typeof__(*((struct _cl_icd_dispatch *)0)->name) weft_##name;
#define WEFT_TAG(name) WEFT_SLOT(name)
#define WEFT_EXTENSION_CALL(name) __typeof__(*(weft_fn_##name)0) weft_##name;
#include "../../../icd/api.def"

// Every entry point that returns an error code returns through this. It reports the diagnostic of an error
// (core/diagnostics.h) and returns the code. handle: an object that the call got; its context's callback is
// notified.
#define WEFT_ANSWER(handle, error) WEFT_ANSWER_OF(__func__, handle, error)
// WEFT_ANSWER for a function that several entry points share. entry: the name of the calling entry point.
#define WEFT_ANSWER_OF(entry, handle, error)                                                         \
    __extension__({                                                                                  \
        const cl_int weft_answer = (error);                                                          \
        WEFT_LIKELY(weft_answer == CL_SUCCESS) ? CL_SUCCESS                                          \
                                               : weft_diagnostic_report(entry, handle, weft_answer); \
    })

// Ends an entry point that returns a pointer: reports an error, stores the code in errcode_ret if that isn't
// NULL, and returns `pointer` if err is CL_SUCCESS, otherwise NULL.
static inline void *weft_api_return_pointer(const char *entry, const void *handle, void *pointer, cl_int err,
                                            cl_int *errcode_ret)
{
    err = WEFT_ANSWER_OF(entry, handle, err);
    if (errcode_ret)
        *errcode_ret = err;
    return err == CL_SUCCESS ? pointer : NULL;
}
// Ends an entry point that creates an object: makes its handle valid, reports an error, stores the code in
// errcode_ret if that isn't NULL, and returns the handle if err is CL_SUCCESS, otherwise NULL.
static inline void *weft_api_return(const char *entry, const void *handle, void *object, cl_int err,
                                    cl_int *errcode_ret)
{
    if (err == CL_SUCCESS)
        weft_object_publish(object);
    return weft_api_return_pointer(entry, handle, object, err, errcode_ret);
}
#define WEFT_API_RETURN(handle, object, err, errcode_ret) \
    weft_api_return(__func__, handle, object, err, errcode_ret)

// For the slots of other operating systems' interfaces. They return an error (api/unsupported.c).
cl_int CL_API_CALL weft_no_d3d_int(void);
cl_mem CL_API_CALL weft_no_d3d_buffer(cl_context context, cl_mem_flags flags, void *resource,
                                      cl_int *errcode_ret);
cl_mem CL_API_CALL weft_no_d3d_texture(cl_context context, cl_mem_flags flags, void *resource,
                                       cl_uint subresource, cl_int *errcode_ret);
cl_mem CL_API_CALL weft_no_dx9_surface(cl_context context, cl_mem_flags flags, cl_uint adapter_type,
                                       void *surface_info, cl_uint plane, cl_int *errcode_ret);

#endif
