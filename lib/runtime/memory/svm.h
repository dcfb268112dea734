// Shared virtual memory (OpenCL 2.2 §5.6). A CPU's kernels run in the application's own address space: every pointer
// of the application's is good in a kernel, at every level that the specification knows. What clSVMAlloc returns
// is known to its context all the same, for clSVMFree and for the checks that ask what is an SVM pointer.
#ifndef WEFT_RUNTIME_SVM_H
#define WEFT_RUNTIME_SVM_H

#include "base/base.h"
#include "runtime/memory/transfer.h"

// Does the version of OpenCL that is reported have it (2.0 and later)?
static inline bool weft_has_svm(void)
{
    return weft_cl_version() >= 200;
}

#define WEFT_SVM_MAX_ALIGN WEFT_DEVICE_MEM_ALIGN // bytes: the largest data type's, long16

// Storage of `size` bytes, aligned to WEFT_SVM_MAX_ALIGN; lives until it is freed or its context is destroyed.
// Arguments have been checked. NULL: no memory. Any thread.
void *weft_svm_alloc(struct weft_context *context, size_t size);
// False, and does nothing: NULL, and what isn't the beginning of an allocation of this context. Any thread.
bool weft_svm_free(struct weft_context *context, void *pointer);
// Of the allocation in which the pointer lies, the bytes from the pointer to its end. 0: it lies in none of this
// context. Any thread.
size_t weft_svm_bytes_from(struct weft_context *context, const void *pointer);
// The kinds of SVM that cl_khr_unified_svm tells apart: what each can. clSVMAlloc's, which is whatever has no owner, a device's own,
// the host's own, and all other memory of the application's. They differ in who owns them alone.
enum { WEFT_SVM_TYPES = 4 };
extern const cl_bitfield weft_svm_types[WEFT_SVM_TYPES];
enum { WEFT_SVM_PROPERTIES = 7 }; // each of the three once, and 0

// What is told of an allocation of cl_khr_unified_svm, and of one of cl_intel_unified_shared_memory, which has the same storage, knows
// its own only, and isn't SVM.
struct weft_usm {
    cl_uint type;               // CL_MEM_TYPE_*_INTEL; 0: SVM
    cl_uint index;              // of SVM: in weft_svm_types
    struct weft_device *device; // of the context; NULL: none
    cl_bitfield flags;          // Intel's, or who has access to SVM
    void *base;                 // set by weft_usm_alloc
    size_t size;
    size_t property_count; // of SVM, as given; 0: none were
    cl_properties properties[WEFT_SVM_PROPERTIES];
};
void *weft_usm_alloc(struct weft_context *context, size_t size, const struct weft_usm *usm);
bool weft_usm_free(struct weft_context *context, void *pointer); // false: not the beginning of one
// In which allocation the pointer lies. Any thread.
bool weft_usm_find(struct weft_context *context, const void *pointer, struct weft_usm *out);
// In which allocation of SVM the pointer lies. Any thread.
bool weft_svm_find(struct weft_context *context, const void *pointer, struct weft_usm *out);

// All that a context still has, when it is destroyed.
void weft_svm_free_all(struct weft_context *context);

// The commands. Arguments have been checked; results as of weft_command_submit.

// pointers are copied. free_func NULL: they are freed as by clSVMFree. Otherwise it is called with the copy, as the
// command's work, on a thread of the pool.
typedef void(CL_CALLBACK *weft_svm_free_func)(cl_command_queue queue, cl_uint count, void *pointers[],
                                              void *user);
cl_int weft_enqueue_svm_free(const struct weft_queue_call *call, cl_uint count, void *const *pointers,
                             weft_svm_free_func free_func, void *user);

#endif
