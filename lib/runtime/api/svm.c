// Entry points of shared virtual memory. OpenCL 2.2 §5.6. Those that set kernel arguments (§5.9.2) are in
// api/kernel.c.
#include "runtime/api/svm.h"

#include "base/base.h"
#include "runtime/api/api.h"
#include "runtime/check/memory.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/svm.h"
#include "runtime/memory/transfer.h"

static bool is_power_of_two(size_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

void *weft_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    const cl_svm_mem_flags grain = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    const cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    // "clSVMAlloc will fail if context is not a valid context", "flags does not contain
    // CL_MEM_SVM_FINE_GRAIN_BUFFER but does contain CL_MEM_SVM_ATOMICS", "the values specified in flags are
    // not valid", "size is 0 or > CL_DEVICE_MAX_MEM_ALLOC_SIZE", "alignment is not a power of two or ...
    // cannot [be supported]". Versions without SVM can't allocate any. The codes appear only in the
    // diagnostic.
    cl_int error = CL_SUCCESS;
    if (!c)
        error = CL_INVALID_CONTEXT;
    else if (!weft_has_svm())
        error = weft_error(CL_INVALID_OPERATION,
                           "WEFT_CL_VERSION is below 2.0, which has no shared virtual memory");
    else if ((flags & grain) == CL_MEM_SVM_ATOMICS || (flags & ~(grain | access)))
        error = weft_error(
            CL_INVALID_VALUE,
            "flags has bits that don't exist, or CL_MEM_SVM_ATOMICS without CL_MEM_SVM_FINE_GRAIN_BUFFER");
    else if (size == 0 || size > weft_mem_max_size(c))
        error = weft_error_with(CL_INVALID_BUFFER_SIZE,
                                "size is %n, and may be 1 to CL_DEVICE_MAX_MEM_ALLOC_SIZE, %n", size,
                                weft_mem_max_size(c));
    else if (alignment != 0 && (!is_power_of_two(alignment) || alignment > WEFT_SVM_MAX_ALIGN))
        error =
            weft_error_with(CL_INVALID_VALUE, "alignment is %n: it must be 0 or a power of two, at most %n",
                            alignment, WEFT_SVM_MAX_ALIGN);
    else
        error = weft_check_mem_flags(flags & access);
    void *p = error ? NULL : weft_svm_alloc(c, size);
    if (!p)
        weft_diagnostic_report(__func__, context, error ? error : CL_OUT_OF_HOST_MEMORY);
    return p;
}

void weft_clSVMFree(cl_context context, void *svm_pointer)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    if (c)
        weft_svm_free(c, svm_pointer);
}

// Checks a host queue, and that the events of the wait list have its context. Sets *q on success.
// "CL_INVALID_OPERATION if the device associated with command_queue does not support SVM."
static cl_int check_queue(cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                          struct weft_queue **q)
{
    *q = weft_queue_of(queue);
    if (!*q)
        return CL_INVALID_COMMAND_QUEUE;
    return weft_has_svm() ? weft_check_wait_context((*q)->context, wait_count, wait_list)
                          : weft_error(CL_INVALID_OPERATION,
                                       "WEFT_CL_VERSION is below 2.0, which has no shared virtual memory");
}

cl_int weft_clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers, void *svm_pointers[],
                             weft_svm_free_func pfn_free_func, void *user_data,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    cl_int error = check_queue(command_queue, num_events_in_wait_list, event_wait_list, &q);
    // "CL_INVALID_VALUE if num_svm_pointers is 0 and svm_pointers is non-NULL, or if svm_pointers is NULL and
    // num_svm_pointers is not 0."
    if (!error && (num_svm_pointers == 0) != (svm_pointers == NULL))
        error = weft_error(CL_INVALID_VALUE,
                           "svm_pointers is NULL and num_svm_pointers isn't 0, or the other way round");
    if (!error)
        error = weft_check_wait_list(q->context, num_events_in_wait_list, event_wait_list);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {q,    CL_COMMAND_SVM_FREE, false, num_events_in_wait_list, event_wait_list,
                                   event};
    return WEFT_ANSWER(command_queue, weft_enqueue_svm_free(&call, num_svm_pointers, svm_pointers,
                                                            pfn_free_func, user_data));
}

// For commands that do nothing but take their place in the queue: host and device share the memory.
static cl_int enqueue_nothing(const struct weft_queue_call *call)
{
    return weft_enqueue_migrate(call, NULL, 0);
}

// cl_khr_unified_svm: "CL_INVALID_VALUE if [it] is NULL and either size is non-zero or ..." Intel's extension
// always requires an address. null: may `at` be NULL if size is 0?
static bool is_range(const void *at, size_t size, bool null)
{
    size_t end;
    return (at || (null && size == 0)) && weft_add_size((size_t)at, size, &end);
}

cl_int weft_api_copy_memory(cl_command_queue queue, cl_command_type type, cl_bool blocking, void *dst,
                            const void *src, size_t size, cl_uint wait_count, const cl_event *wait_list,
                            cl_event *event)
{
    struct weft_queue *q;
    cl_int error = check_queue(queue, wait_count, wait_list, &q);
    // In this call, unlike others, the wait list comes before the values.
    if (!error)
        error = weft_check_wait_list(q->context, wait_count, wait_list);
    const bool null = type == CL_COMMAND_SVM_MEMCPY;
    if (!error && (!is_range(dst, size, null) || !is_range(src, size, null)))
        error = weft_error(CL_INVALID_VALUE,
                           "dst_ptr or src_ptr is NULL, or reaches beyond the end of the address space");
    // "CL_MEM_COPY_OVERLAP if the values specified for dst_ptr, src_ptr and size result in an overlapping
    // copy."
    if (!error && weft_ranges_overlap((size_t)dst, (size_t)src, size))
        error = CL_MEM_COPY_OVERLAP;
    if (error)
        return error;
    struct weft_queue_call call = {q, type, blocking, wait_count, wait_list, event};
    return size ? weft_enqueue_copy(&call, NULL, NULL, dst, src, size) : enqueue_nothing(&call);
}

cl_int weft_clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
                               const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    return WEFT_ANSWER(command_queue,
                       weft_api_copy_memory(command_queue, CL_COMMAND_SVM_MEMCPY, blocking_copy, dst_ptr,
                                            src_ptr, size, num_events_in_wait_list, event_wait_list, event));
}

cl_int weft_clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
                                size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    cl_int error = check_queue(command_queue, num_events_in_wait_list, event_wait_list, &q);
    if (!error && !is_range(svm_ptr, size, true))
        error =
            weft_error(CL_INVALID_VALUE, "svm_ptr is NULL, or reaches beyond the end of the address space");
    // "CL_INVALID_VALUE if pattern is NULL or if pattern_size is 0 or ... not one of {1, 2, 4, 8, 16, 32, 64,
    // 128}." "... if size is not a multiple of pattern_size."
    if (!error)
        error = weft_check_fill(size, pattern, pattern_size, 0, size);
    // "CL_INVALID_VALUE if svm_ptr is not aligned to pattern_size bytes."
    if (!error && (uintptr_t)svm_ptr % pattern_size != 0)
        error = weft_error_with(CL_INVALID_VALUE, "svm_ptr isn't aligned to the pattern's size, %n",
                                pattern_size);
    if (!error)
        error = weft_check_wait_list(q->context, num_events_in_wait_list, event_wait_list);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_SVM_MEMFILL, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue,
                       size ? weft_enqueue_fill(&call, NULL, svm_ptr, pattern, pattern_size, size)
                            : enqueue_nothing(&call));
}

cl_int weft_clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags,
                            void *svm_ptr, size_t size, cl_uint num_events_in_wait_list,
                            const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    cl_int error = check_queue(command_queue, num_events_in_wait_list, event_wait_list, &q);
    // "CL_INVALID_VALUE if svm_ptr is NULL." "... if size is 0 or if values specified in map_flags are not
    // valid."
    if (!error && (!svm_ptr || size == 0))
        error = weft_error(CL_INVALID_VALUE, "svm_ptr is NULL, or size is 0");
    if (!error)
        error = weft_check_map_flags(flags);
    if (!error)
        error = weft_check_wait_list(q->context, num_events_in_wait_list, event_wait_list);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_SVM_MAP, blocking_map, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, enqueue_nothing(&call));
}

cl_int weft_clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    cl_int error = check_queue(command_queue, num_events_in_wait_list, event_wait_list, &q);
    if (!error && !svm_ptr)
        error = weft_error(CL_INVALID_VALUE, "svm_ptr is NULL");
    if (!error)
        error = weft_check_wait_list(q->context, num_events_in_wait_list, event_wait_list);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_SVM_UNMAP, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, enqueue_nothing(&call));
}

// "CL_INVALID_VALUE if sizes[i] is non-zero range [svm_pointers[i], svm_pointers[i]+sizes[i]) is not
// contained within an existing clSVMAlloc allocation." An address in no allocation is in the application's
// own memory, which is SVM, too. cl_khr_unified_svm: NULL without a size "is ignored".
static cl_int check_migrated(struct weft_context *c, cl_uint count, const void *const *pointers,
                             const size_t *sizes)
{
    for (cl_uint i = 0; i < count; i++) {
        const size_t size = sizes ? sizes[i] : 0, have = weft_svm_bytes_from(c, pointers[i]);
        if (have ? have < size : !is_range(pointers[i], size, true))
            return weft_error_with(CL_INVALID_VALUE,
                                   "svm_pointers[%n] and its size don't lie within one allocation", i);
    }
    return CL_SUCCESS;
}

cl_int weft_clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                                   const void **svm_pointers, const size_t *sizes,
                                   cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    cl_int error = check_queue(command_queue, num_events_in_wait_list, event_wait_list, &q);
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    // "CL_INVALID_VALUE if num_svm_pointers is zero or svm_pointers is NULL."
    if (!error && (num_svm_pointers == 0 || !svm_pointers || (flags & ~known)))
        error = weft_error(CL_INVALID_VALUE,
                           "svm_pointers is NULL, num_svm_pointers is 0, or flags has bits that don't exist");
    if (!error)
        error = check_migrated(q->context, num_svm_pointers, svm_pointers, sizes);
    if (!error)
        error = weft_check_wait_list(q->context, num_events_in_wait_list, event_wait_list);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    // "Prior to OpenCL 3.0, implementations should return CL_COMMAND_MIGRATE_MEM_OBJECTS".
    struct weft_queue_call call = {q,
                                   weft_cl_version() >= 300 ? CL_COMMAND_SVM_MIGRATE_MEM
                                                            : CL_COMMAND_MIGRATE_MEM_OBJECTS,
                                   false,
                                   num_events_in_wait_list,
                                   event_wait_list,
                                   event};
    return WEFT_ANSWER(command_queue, enqueue_nothing(&call));
}
