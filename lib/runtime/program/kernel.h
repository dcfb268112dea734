// Kernels: their arguments, and their code on each device.
#ifndef WEFT_RUNTIME_KERNEL_H
#define WEFT_RUNTIME_KERNEL_H

#include "runtime/memory/memory.h"
#include "runtime/program/program.h"

struct weft_kernel_arg {
    bool set;
    bool pointer;            // an SVM pointer, which is in the block
    cl_mem_object_type type; // of mem
    struct weft_mem
        *mem; // not retained until enqueue, as the spec demands, and checked there; in a keeper a ref
    size_t local_size;
};

struct weft_kernel {
    struct weft_object obj;
    struct weft_program *program; // a ref
    struct weft_build *build;     // a ref
    struct weft_kernel_code *code;
    const struct weft_kernel_meta *meta;
    // The program's context when this code is for all of its devices, so that a launch needs to look no further; else NULL.
    const struct weft_context *everywhere;
    // Where the code isn't the same for all of the program's devices, what is launched on each: this kernel, a hidden one that takes over
    // this one's arguments (a ref, one for all devices of the same code), or NULL: there is no code for it. Else NULL.
    struct weft_kernel **on;
    uint32_t on_count;
    bool keeper;                   // a command buffer's own: it holds the memory objects
    pthread_mutex_t lock;          // arguments
    unsigned char *args;           // packed block, meta->args_size bytes; a local argument's slot is not used
    struct weft_kernel_arg *arg;   // meta->arg_count
    _Atomic uint32_t args_missing; // arguments not yet set; written under the lock
    uint32_t mem_args;             // arguments that are memory objects
    uint32_t local_args, queue_args;
    uint32_t args_align;      // largest alignment of an argument
    uint64_t local_arg_bytes; // of all local arguments, each rounded up to WEFT_LOCAL_ALIGN
    // The local size last chosen for an enqueue without one, and for what.
    uint32_t chosen_dim;
    size_t chosen_global[3], chosen_local[3];
};

// Of one of the executables (weft_program_builds, or the one of a program of one device). CL_OUT_OF_HOST_MEMORY; CL_INVALID_OPERATION: one of
// them has meanwhile been replaced, by a build that another thread has begun. Consumes nothing.
cl_int weft_kernel_create(struct weft_program *p, struct weft_build *const *builds,
                          struct weft_kernel_code *code, struct weft_kernel **k);
// Makes the kernel of that name, as weft_kernel_create. CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION too.
cl_int weft_kernel_create_named(struct weft_program *p, struct weft_build *const *builds, const char *name,
                                struct weft_kernel **k);
// The kernels that may be created of so many executables, one after the other; at first all but these two is 0. NULL: that was the last.
struct weft_kernel_list {
    struct weft_build *const *builds;
    cl_uint count;
    cl_uint build; // which comes next
    uint32_t kernel;
};
struct weft_kernel_code *weft_kernel_list_next(struct weft_kernel_list *l);
// Has its code, and that for other devices, made ahead of need (weft_kernel_code_request).
void weft_kernel_prepare(struct weft_kernel *k);
struct weft_kernel *weft_kernel_clone(struct weft_kernel *k);
// What is to be launched on that device, or asked about it, with the arguments that k has now; lives as long as k. NULL: there is no code
// for it.
struct weft_kernel *weft_kernel_on(struct weft_kernel *k, const struct weft_device *d);
// A clone that holds the memory objects which are its arguments; those that are gone count as not set.
struct weft_kernel *weft_kernel_clone_with_arguments(struct weft_kernel *k);

// ---- program/kernel_args.c ----

static inline bool weft_arg_takes_mem(const struct weft_arg_meta *a)
{
    return a->kind == WEFT_ARG_GLOBAL || a->kind == WEFT_ARG_CONSTANT || a->kind == WEFT_ARG_PIPE ||
           a->kind == WEFT_ARG_IMAGE;
}

// CL_INVALID_KERNEL_ARGS, which names an argument that isn't set; there is one.
cl_int weft_kernel_lacks_arg(struct weft_kernel *k);
cl_int weft_kernel_lacks_arg_locked(const struct weft_kernel *k);
// clSetKernelArg after its checks.
cl_int weft_kernel_set_arg(struct weft_kernel *k, cl_uint index, size_t size, const void *value);
// clSetKernelArgSVMPointer after its checks.
void weft_kernel_set_pointer(struct weft_kernel *k, cl_uint index, const void *value);
// Bytes of local memory that a group needs: variables and local arguments as set.
cl_ulong weft_kernel_local_bytes(struct weft_kernel *k);

// For kinds.c.
void weft_kernel_destroy(struct weft_object *o);
void weft_kernel_after_fork(struct weft_object *o);

#endif
