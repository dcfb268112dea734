// Setting the arguments of kernels. Sizes and indexes are checked already; the handles are checked here.
// OpenCL 2.2 §5.9.2.
#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/pipe.h"
#include "runtime/image/sampler.h"
#include "runtime/program/kernel.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"

// Reads a memory object's handle from the argument's value. *m is NULL if the pointer or the handle is.
static cl_int read_mem(struct weft_kernel *k, const struct weft_arg_meta *a, const void *value,
                       struct weft_mem **m)
{
    cl_mem handle = NULL;
    if (value)
        memcpy(&handle, value, sizeof handle);
    *m = NULL;
    if (!handle)
        return CL_SUCCESS;
    *m = weft_mem_of(handle);
    if (!*m)
        return CL_INVALID_MEM_OBJECT;
    // "The memory object must be created with the context associated with the kernel object."
    if ((*m)->context != k->program->context)
        return CL_INVALID_MEM_OBJECT;
    // A pointer argument takes buffers only.
    return weft_mem_is_pipe(*m) == (a->kind == WEFT_ARG_PIPE) &&
                   ((*m)->image != NULL) == (a->kind == WEFT_ARG_IMAGE)
               ? CL_SUCCESS
               : CL_INVALID_MEM_OBJECT;
}

static cl_int read_sampler(const void *value, uint64_t *bits)
{
    cl_sampler handle;
    memcpy(&handle, value, sizeof handle);
    const struct weft_sampler *s = weft_sampler_of(handle);
    if (s)
        *bits = s->bits;
    return s ? CL_SUCCESS : CL_INVALID_SAMPLER;
}

static cl_int set_local(struct weft_kernel *k, struct weft_kernel_arg *slot, size_t size)
{
    size_t rounded, old = 0, sum;
    // Whether the device has that much local memory is checked by an enqueue.
    if (!weft_align_size(size, WEFT_LOCAL_ALIGN, &rounded))
        return weft_error_with(CL_INVALID_ARG_SIZE, "arg_size %n is more than local memory can have", size);
    if (slot->set)
        weft_align_size(slot->local_size, WEFT_LOCAL_ALIGN, &old);
    if (!weft_add_size((size_t)k->local_arg_bytes - old, rounded, &sum))
        return weft_error_with(CL_INVALID_ARG_SIZE, "arg_size %n is more than local memory can have", size);
    k->local_arg_bytes = sum;
    slot->local_size = size;
    return CL_SUCCESS;
}

static void set_mem(const struct weft_kernel *k, struct weft_kernel_arg *slot, struct weft_mem *m)
{
    if (k->holds_arguments) {
        weft_mem_ref(m);
        weft_mem_unref(slot->mem);
    }
    slot->mem = m;
    slot->type = m ? m->type : 0;
    slot->pointer = false;
}

cl_int weft_kernel_lacks_arg_locked(const struct weft_kernel *k)
{
    uint32_t i = 0;
    while (i + 1 < k->meta->arg_count && k->arg[i].set)
        i++;
    return weft_error_with(CL_INVALID_KERNEL_ARGS, "argument %n, '%s', of kernel %s isn't set", i,
                           k->meta->args[i].name, k->meta->name);
}

cl_int weft_kernel_lacks_arg(struct weft_kernel *k)
{
    pthread_mutex_lock(&k->lock);
    cl_int error = weft_kernel_lacks_arg_locked(k);
    pthread_mutex_unlock(&k->lock);
    return error;
}

static void note_set_locked(struct weft_kernel *k, struct weft_kernel_arg *slot)
{
    if (!slot->set) {
        slot->set = true;
        k->args_missing--;
    }
}

cl_int weft_kernel_set_arg(struct weft_kernel *k, cl_uint index, size_t size, const void *value)
{
    const struct weft_arg_meta *a = &k->meta->args[index];
    struct weft_kernel_arg *slot = &k->arg[index];
    unsigned char *at = k->args + a->offset;
    struct weft_mem *m = NULL;
    cl_int err = CL_SUCCESS;
    bool is_mem = weft_arg_takes_mem(a);
    if (is_mem)
        err = read_mem(k, a, value, &m);
    // Only the sampler's value is needed, and it never changes.
    uint64_t sampler = 0;
    if (a->kind == WEFT_ARG_SAMPLER) {
        err = read_sampler(value, &sampler);
        value = &sampler;
    }
    if (err)
        return err;
    pthread_mutex_lock(&k->lock);
    if (a->kind == WEFT_ARG_LOCAL)
        err = set_local(k, slot, size);
    else if (is_mem)
        set_mem(k, slot, m);
    else
        memcpy(at, value, a->kind == WEFT_ARG_SAMPLER ? sizeof sampler : a->size);
    if (!err)
        note_set_locked(k, slot);
    pthread_mutex_unlock(&k->lock);
    return err;
}

void weft_kernel_set_pointer(struct weft_kernel *k, cl_uint index, const void *value)
{
    struct weft_kernel_arg *slot = &k->arg[index];
    pthread_mutex_lock(&k->lock);
    set_mem(k, slot, NULL);
    slot->pointer = true;
    memcpy(k->args + k->meta->args[index].offset, &value, sizeof value);
    note_set_locked(k, slot);
    pthread_mutex_unlock(&k->lock);
}

cl_ulong weft_kernel_local_bytes(struct weft_kernel *k)
{
    pthread_mutex_lock(&k->lock);
    cl_ulong bytes = k->meta->local_static_bytes;
    for (uint32_t i = 0; i < k->meta->arg_count; i++)
        if (k->meta->args[i].kind == WEFT_ARG_LOCAL)
            bytes += k->arg[i].local_size;
    pthread_mutex_unlock(&k->lock);
    return bytes;
}
