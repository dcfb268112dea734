// Shared virtual memory (OpenCL 2.2 §5.6). On a CPU, kernels run in the application's address space, so every
// pointer of the application is valid in a kernel, at all levels of the specification. Allocations of
// clSVMAlloc are registered nevertheless, for clSVMFree and for checks that ask whether a pointer is an SVM
// pointer.
#ifndef WEFT_RUNTIME_SVM_H
#define WEFT_RUNTIME_SVM_H

#include "base/base.h"
#include "runtime/memory/transfer.h"

// Does the reported version of OpenCL have SVM (2.0 and later)?
static inline bool weft_has_svm(void)
{
    return weft_cl_version() >= 200;
}

#define WEFT_SVM_MAX_ALIGN WEFT_DEVICE_MEM_ALIGN // bytes; of the largest data type, long16

// Allocates `size` bytes, aligned to WEFT_SVM_MAX_ALIGN. They live until they are freed or the context is
// destroyed. Arguments are checked. NULL: no memory. Any thread.
void *weft_svm_alloc(struct weft_context *context, size_t size);
// Frees an allocation. False: pointer is NULL, or not the beginning of an SVM allocation of this context;
// nothing happens then. Any thread.
bool weft_svm_free(struct weft_context *context, void *pointer);
// Has the memory been freed a short time ago? Known only with the checker. Any thread.
bool weft_svm_was_freed(const void *pointer);
// The number of bytes from the pointer to the end of the SVM allocation that it points into. 0: it points
// into none of this context. Any thread.
size_t weft_svm_bytes_from(struct weft_context *context, const void *pointer);
// The capabilities of the kinds of SVM in cl_khr_unified_svm: that of clSVMAlloc (no owner), owned by a
// device, owned by the host, and all other memory of the application. They differ only in the owner.
enum { WEFT_SVM_TYPES = 4 };
extern const cl_bitfield weft_svm_types[WEFT_SVM_TYPES];
enum { WEFT_SVM_PROPERTIES = 7 }; // each of the three properties once, and the closing 0

// The properties of an allocation of SVM (cl_khr_unified_svm) or of unified shared memory
// (cl_intel_unified_shared_memory). Both share their storage and the functions below, but the queries and
// frees of each extension find only their own allocations.
struct weft_usm {
    cl_uint type;               // CL_MEM_TYPE_*_INTEL; 0: SVM
    cl_uint index;              // of SVM: index into weft_svm_types
    struct weft_device *device; // one of the context's devices; NULL: none
    cl_bitfield flags;          // Intel's flags, or the access flags of SVM
    void *base;                 // set by weft_usm_alloc
    size_t size;
    size_t property_count; // of SVM: number of properties given; 0: none
    cl_properties properties[WEFT_SVM_PROPERTIES];
};
// Allocates memory with these properties; usm is copied. NULL: no memory. Any thread.
void *weft_usm_alloc(struct weft_context *context, size_t size, const struct weft_usm *usm);
// False: not the beginning of an allocation of unified shared memory. Any thread.
bool weft_usm_free(struct weft_context *context, void *pointer);
// Finds the allocation of unified shared memory that the pointer points into. False: none. Any thread.
bool weft_usm_find(struct weft_context *context, const void *pointer, struct weft_usm *out);
// Finds the allocation of SVM that the pointer points into. False: none. Any thread.
bool weft_svm_find(struct weft_context *context, const void *pointer, struct weft_usm *out);

// Frees all allocations of a context that is being destroyed.
void weft_svm_free_all(struct weft_context *context);

// ---- Commands. Arguments are checked. Results: those of weft_command_submit. ----

// Enqueues clEnqueueSVMFree. pointers are copied. free_func NULL: the command frees them as clSVMFree does.
// Otherwise the command calls free_func with the copy, on a thread of the pool.
typedef void(CL_CALLBACK *weft_svm_free_func)(cl_command_queue queue, cl_uint count, void *pointers[],
                                              void *user);
cl_int weft_enqueue_svm_free(const struct weft_queue_call *call, cl_uint count, void *const *pointers,
                             weft_svm_free_func free_func, void *user);

#endif
