// Kernels: their arguments, and their code on each device.
#ifndef WEFT_RUNTIME_KERNEL_H
#define WEFT_RUNTIME_KERNEL_H

#include "runtime/memory/memory.h"
#include "runtime/program/program.h"

struct weft_kernel_arg {
    bool set;
    bool pointer;            // an SVM pointer, which is in the argument block
    cl_mem_object_type type; // of mem
    // Not retained before an enqueue, as the specification demands, and checked there. If holds_arguments is
    // set: a reference.
    struct weft_mem *mem;
    size_t local_size;
};

struct weft_kernel {
    struct weft_object obj;
    struct weft_program *program; // a reference
    struct weft_build *build;     // a reference
    struct weft_kernel_code *code;
    const struct weft_kernel_meta *meta;
    // The program's context if this code is for all devices of the context, so that a launch needs no
    // look-up. Otherwise NULL.
    const struct weft_context *everywhere;
    // If the program's devices have different code: the kernel to launch on each device. That is this kernel,
    // or a hidden kernel that gets copies of this one's arguments (a reference, one for all devices with the
    // same code), or NULL if the device has no code. If all devices have the same code: NULL.
    struct weft_kernel **on;
    uint32_t on_count;
    bool holds_arguments; // the kernel belongs to a command buffer and holds references to its memory objects
    pthread_mutex_t lock; // guards the arguments
    unsigned char *args;  // packed block of meta->args_size bytes; the place of a local argument is not used
    struct weft_kernel_arg *arg;   // meta->arg_count elements
    _Atomic uint32_t args_missing; // number of arguments not set yet; written under the lock
    uint32_t mem_args;             // number of arguments that are memory objects
    uint32_t local_args;
    bool has_extra;      // some arguments are queues, or the kernel is checked (weft_launch.extra)
    size_t args_bytes;   // of the block in a launch, which may have more than the packed block (launch.h)
    uint32_t args_align; // the largest alignment of an argument
    uint64_t local_arg_bytes; // sum over all local arguments, each rounded up to WEFT_LOCAL_ALIGN
    // The last local size chosen for an enqueue without one, and the global size that it was chosen for.
    uint32_t chosen_dim;
    bool chosen_swapped; // with rows along dimension 1
    size_t chosen_global[3], chosen_local[3];
};

// Creates a kernel from `code` of one of the executables. builds has one element for each device of the
// program (weft_program_builds). CL_OUT_OF_HOST_MEMORY; CL_INVALID_OPERATION: another thread has begun a
// build that replaced one of the executables. The caller keeps its references.
cl_int weft_kernel_create(struct weft_program *p, struct weft_build *const *builds,
                          struct weft_kernel_code *code, struct weft_kernel **k);
// Creates the kernel with this name. Errors: those of weft_kernel_create, and CL_INVALID_PROGRAM_EXECUTABLE,
// CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION.
cl_int weft_kernel_create_named(struct weft_program *p, struct weft_build *const *builds, const char *name,
                                struct weft_kernel **k);
// An iteration over the kernels that clCreateKernelsInProgram creates from `count` executables. Initialize
// builds and count; set the rest to 0. weft_kernel_list_next returns NULL after the last.
struct weft_kernel_list {
    struct weft_build *const *builds;
    cl_uint count;
    cl_uint build; // the executable and the kernel that come next
    uint32_t kernel;
};
struct weft_kernel_code *weft_kernel_list_next(struct weft_kernel_list *l);
// Requests the kernel's code for all devices before it is needed (WEFT_COMPILE_LATER). Does not wait.
void weft_kernel_prepare(struct weft_kernel *k);
struct weft_kernel *weft_kernel_clone(struct weft_kernel *k);
// The kernel to launch on that device, or to query for it, with the arguments that k has now. Lives as long
// as k. NULL: there is no code for the device.
struct weft_kernel *weft_kernel_on(struct weft_kernel *k, const struct weft_device *d);
// A clone that holds references to its memory objects. Arguments whose memory objects are destroyed count as
// not set. NULL: no memory.
struct weft_kernel *weft_kernel_clone_with_arguments(struct weft_kernel *k);

// ---- program/kernel_args.c ----

static inline bool weft_arg_takes_mem(const struct weft_arg_meta *a)
{
    return a->kind == WEFT_ARG_GLOBAL || a->kind == WEFT_ARG_CONSTANT || a->kind == WEFT_ARG_PIPE ||
           a->kind == WEFT_ARG_IMAGE;
}

// Returns CL_INVALID_KERNEL_ARGS, with a diagnostic that names an argument that isn't set. There must be one.
cl_int weft_kernel_lacks_arg(struct weft_kernel *k);
cl_int weft_kernel_lacks_arg_locked(const struct weft_kernel *k);
// clSetKernelArg after its checks. Takes the kernel's lock.
cl_int weft_kernel_set_arg(struct weft_kernel *k, cl_uint index, size_t size, const void *value);
// clSetKernelArgSVMPointer after its checks. Takes the kernel's lock.
void weft_kernel_set_pointer(struct weft_kernel *k, cl_uint index, const void *value);
// Bytes of local memory that a group needs: variables, and local arguments with the sizes set. Takes the
// kernel's lock.
cl_ulong weft_kernel_local_bytes(struct weft_kernel *k);

// Functions of the object's kind, for kinds.c.
void weft_kernel_destroy(struct weft_object *o);
void weft_kernel_after_fork(struct weft_object *o);

#endif
