// Entry points of semaphores (cl_khr_semaphore 1.0.0, and cl_khr_external_semaphore 1.0.1 with opaque file
// descriptors).
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "runtime/api/api.h"
#include "runtime/command/external_semaphore.h"
#include "runtime/command/queue.h"
#include "runtime/command/semaphore.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"

#include "runtime/info/info.h"

// ---- Creating, releasing and querying ----

// Reads the list that begins at *list, and moves *list to its end. Returns the device if there is exactly one
// and it is in the context, otherwise NULL.
static struct weft_device *read_devices(const struct weft_context *c, const cl_properties **list)
{
    const cl_properties *p = *list;
    struct weft_device *d = *p ? weft_device_of((cl_device_id)(uintptr_t)*p) : NULL;
    size_t count = 0;
    while (*p++ != CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR)
        count++;
    *list = p;
    return count == 1 && d && weft_context_has_device(c, d) ? d : NULL;
}

// The values of the properties.
struct semaphore_request {
    struct weft_device *device;
    size_t entries; // with the 0 at the end
    bool type, list, exports, exportable, imports;
    int fd; // the descriptor, if `imports` is set
};

// Reads the list of handle types that begins at *list, and moves *list to its end.
static cl_int read_export_types(const cl_properties **list, bool *exportable)
{
    const cl_properties *first = *list, *p = first;
    while (*p != CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR)
        p++;
    *list = p + 1;
    // "CL_INVALID_VALUE if more than one semaphore handle type is specified in the
    // CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR list."
    if (p - first > 1)
        return weft_error(CL_INVALID_VALUE, "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR lists more than one type");
    *exportable = p > first;
    return *exportable && *first != CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR
               ? weft_error(CL_INVALID_PROPERTY,
                            "the only type to export is CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR")
               : CL_SUCCESS;
}

static bool *seen_of(struct semaphore_request *w, cl_properties name)
{
    switch (name) {
    case CL_SEMAPHORE_TYPE_KHR:
        return &w->type;
    case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
        return &w->list;
    case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
        return &w->exports;
    case CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR:
        return &w->imports;
    default:
        return NULL;
    }
}

static cl_int read_property(const struct weft_context *c, struct semaphore_request *w,
                            const cl_properties **p)
{
    // "CL_INVALID_PROPERTY if a property name in sema_props is not a supported property name, if the value
    // specified for a supported property name is not valid, or if the same property name is specified more
    // than once."; "if sema_props includes more than one external semaphore handle".
    bool *seen = seen_of(w, **p);
    if (!seen || *seen)
        return weft_error(CL_INVALID_PROPERTY, "a property isn't known, or is given twice");
    *seen = true;
    ++*p;
    if (seen == &w->exports)
        return read_export_types(p, &w->exportable);
    if (seen == &w->list) {
        w->device = read_devices(c, p);
        // "CL_INVALID_DEVICE if CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR is specified as part of sema_props, but
        // it does not identify exactly one valid device; or if a device identified by it is not one of the
        // devices within context."
        return w->device ? CL_SUCCESS : CL_INVALID_DEVICE;
    }
    const cl_properties value = *(*p)++;
    if (seen == &w->type)
        return value == CL_SEMAPHORE_TYPE_BINARY_KHR
                   ? CL_SUCCESS
                   : weft_error(CL_INVALID_PROPERTY,
                                "CL_SEMAPHORE_TYPE_KHR isn't CL_SEMAPHORE_TYPE_BINARY_KHR");
    w->fd = value <= INT_MAX ? (int)value : -1;
    return CL_SUCCESS;
}

static cl_int read_properties(const struct weft_context *c, const cl_properties *properties,
                              struct semaphore_request *w)
{
    // "CL_INVALID_VALUE if sema_props is NULL, or if sema_props do not specify <property, value> pairs for
    // minimum set of properties (i.e. CL_SEMAPHORE_TYPE_KHR)".
    if (!properties)
        return weft_error(CL_INVALID_VALUE, "sema_props is NULL");
    const cl_properties *p = properties;
    while (*p) {
        cl_int error = read_property(c, w, &p);
        if (error)
            return error;
    }
    w->entries = (size_t)(p - properties) + 1;
    if (!w->type)
        return weft_error(CL_INVALID_VALUE, "CL_SEMAPHORE_TYPE_KHR is missing");
    // "CL_INVALID_PROPERTY ... if context is a multiple device context and
    // CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR is not specified".
    if (!w->list && c->device_count > 1)
        return weft_error(
            CL_INVALID_PROPERTY,
            "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR is missing, and the context has several devices");
    if (!w->list)
        w->device = c->devices[0];
    // "CL_INVALID_OPERATION If props_list specifies a cl_external_semaphore_handle_type_khr followed by a
    // handle as well as CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR."
    return w->imports && w->exports
               ? weft_error(CL_INVALID_OPERATION, "a semaphore can't be both imported and exportable")
               : CL_SUCCESS;
}

static struct weft_semaphore *create(struct weft_context *c, const cl_properties *properties,
                                     const struct semaphore_request *w, cl_int *error)
{
    struct weft_payload *payload = NULL;
    if (w->imports)
        payload = weft_payload_import(w->fd, error);
    if (*error == CL_INVALID_PROPERTY)
        (void)weft_error(CL_INVALID_PROPERTY, "the descriptor of CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR isn't "
                                              "one of a semaphore that Weft has exported");
    if (!w->imports && w->exportable)
        payload = weft_payload_create(error);
    if (*error)
        return NULL;
    struct weft_semaphore *s = weft_semaphore_create(c, w->device, properties, w->entries, payload);
    if (!s) {
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    s->exportable = w->exportable;
    // "Importing a semaphore payload from a file descriptor transfers ownership of the file descriptor". It
    // can be closed because the memory is mapped.
    if (w->imports)
        (void)close(w->fd);
    return s;
}

struct _cl_semaphore_khr *weft_clCreateSemaphoreWithPropertiesKHR(cl_context context,
                                                                  const cl_properties *sema_props,
                                                                  cl_int *errcode_ret)
{
    WEFT_CALL;
    WEFT_NOT_CANCELLED;
    struct weft_context *c = weft_context_of(context);
    struct semaphore_request w = {0};
    cl_int error = c ? read_properties(c, sema_props, &w) : CL_INVALID_CONTEXT;
    struct weft_semaphore *s = error ? NULL : create(c, sema_props, &w, &error);
    return WEFT_API_RETURN(context, s, error, errcode_ret);
}

cl_int weft_clRetainSemaphoreKHR(struct _cl_semaphore_khr *sema_object)
{
    return WEFT_ANSWER(NULL, weft_object_retain(sema_object, WEFT_KIND_SEMAPHORE) ? CL_SUCCESS
                                                                                  : CL_INVALID_SEMAPHORE_KHR);
}

cl_int weft_clReleaseSemaphoreKHR(struct _cl_semaphore_khr *sema_object)
{
    return WEFT_ANSWER(
        NULL, weft_object_release(sema_object, WEFT_KIND_SEMAPHORE) ? CL_SUCCESS : CL_INVALID_SEMAPHORE_KHR);
}

cl_int weft_clGetSemaphoreInfoKHR(struct _cl_semaphore_khr *sema_object, cl_uint param_name,
                                  size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    static const cl_uint opaque_fd = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
    struct weft_semaphore *s = weft_semaphore_of(sema_object);
    if (!s)
        return WEFT_ANSWER(sema_object, CL_INVALID_SEMAPHORE_KHR);
    switch (param_name) {
#include "runtime/info/semaphore.def"
    }
    return WEFT_ANSWER(sema_object,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

cl_int weft_clGetSemaphoreHandleForTypeKHR(struct _cl_semaphore_khr *sema_object, cl_device_id device,
                                           cl_uint handle_type, size_t handle_size, void *handle_ptr,
                                           size_t *handle_size_ret)
{
    WEFT_CALL;
    const struct weft_semaphore *s = weft_semaphore_of(sema_object);
    if (!s)
        return WEFT_ANSWER(sema_object, CL_INVALID_SEMAPHORE_KHR);
    // "CL_INVALID_DEVICE if device is not a valid device, or if sema_object belongs to a context that is not
    // associated with device, or if sema_object can not be shared with device."
    if ((cl_device_id)(void *)s->device != device)
        return WEFT_ANSWER(sema_object, CL_INVALID_DEVICE);
    // "CL_INVALID_VALUE if the requested external semaphore handle type was not specified when sema_object
    // was created"; "if the size in bytes specified by handle_size is less than size of the requested handle
    // and handle_ptr is not NULL".
    if (!s->exportable || handle_type != CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR ||
        (handle_ptr && handle_size < sizeof(int)))
        return WEFT_ANSWER(
            sema_object,
            weft_error_with(CL_INVALID_VALUE,
                            "handle_size %n is too small, or the semaphore can't be exported as this type",
                            handle_size));
    int fd = -1;
    cl_int error = handle_ptr ? weft_payload_export(s->payload, &fd) : CL_SUCCESS;
    if (error)
        return WEFT_ANSWER(sema_object, error);
    if (handle_ptr)
        memcpy(handle_ptr, &fd, sizeof fd);
    if (handle_size_ret)
        *handle_size_ret = sizeof fd;
    return CL_SUCCESS;
}

// ---- Commands ----

// Against the letter of the specification, but as the conformance suite expects, a queue of a whole device
// may use semaphores of its sub-devices, whatever their contexts (docs/adr/0019-semaphores-of-parts.md).
static bool is_of_a_part(const struct weft_semaphore *s, const struct weft_queue *q)
{
    const struct weft_device *d = s->device->parent;
    while (d && d != q->device)
        d = d->parent;
    return d != NULL;
}

static cl_int check_semaphores(const struct weft_queue *q, cl_uint count,
                               struct _cl_semaphore_khr *const *list)
{
    // "CL_INVALID_VALUE if num_sema_objects is 0", or there is no list.
    if (count == 0 || !list)
        return weft_error(CL_INVALID_VALUE, "sema_objects is NULL, or num_sema_objects is 0");
    for (cl_uint i = 0; i < count; i++)
        if (!weft_semaphore_of(list[i]))
            return CL_INVALID_SEMAPHORE_KHR;
    struct weft_semaphore *const *semaphores = (struct weft_semaphore *const *)list;
    // "CL_INVALID_CONTEXT if the context associated with command_queue and any of the semaphore objects in
    // sema_objects are not the same".
    for (cl_uint i = 0; i < count; i++)
        if (semaphores[i]->context != q->context && !is_of_a_part(semaphores[i], q))
            return weft_error_with(CL_INVALID_CONTEXT, "semaphore %n is of another context than the queue",
                                   i);
    // "CL_INVALID_COMMAND_QUEUE ... if the device associated with command_queue is not same as one of the
    // devices specified by CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR".
    for (cl_uint i = 0; i < count; i++)
        if (semaphores[i]->device != q->device && !is_of_a_part(semaphores[i], q))
            return CL_INVALID_COMMAND_QUEUE;
    return CL_SUCCESS;
}

static cl_int enqueue(cl_command_queue queue, cl_command_type type, cl_uint count,
                      struct _cl_semaphore_khr *const *list, cl_uint wait_count, const cl_event *wait_list,
                      cl_event *event)
{
    struct weft_queue *q = weft_queue_of(queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    cl_int error = check_semaphores(q, count, list);
    if (!error)
        error = weft_check_wait_list(q->context, wait_count, wait_list);
    if (!error)
        error = weft_check_wait_states(wait_count, wait_list);
    return error ? error
                 : weft_enqueue_semaphores(q, type, count, (struct weft_semaphore *const *)list, wait_count,
                                           wait_list, event);
}

// Binary semaphores have no value, so the payloads are ignored.
cl_int weft_clEnqueueWaitSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects,
                                       struct _cl_semaphore_khr *const *sema_objects,
                                       const cl_ulong *payloads, cl_uint num_events_in_wait_list,
                                       const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    (void)payloads;
    return WEFT_ANSWER(command_queue, enqueue(command_queue, CL_COMMAND_SEMAPHORE_WAIT_KHR, num_sema_objects,
                                              sema_objects, num_events_in_wait_list, event_wait_list, event));
}

cl_int weft_clEnqueueSignalSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects,
                                         struct _cl_semaphore_khr *const *sema_objects,
                                         const cl_ulong *payloads, cl_uint num_events_in_wait_list,
                                         const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    (void)payloads;
    return WEFT_ANSWER(command_queue,
                       enqueue(command_queue, CL_COMMAND_SEMAPHORE_SIGNAL_KHR, num_sema_objects, sema_objects,
                               num_events_in_wait_list, event_wait_list, event));
}
