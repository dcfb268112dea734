// Kernel objects: the argument block and what is set in it. Owns both; memory objects given as arguments are
// known, not held (the spec forbids it), until a launch takes references. OpenCL 2.2 §5.9.
#include "image.h"
#include "pipe.h"
#include "program.h"

#define BLOCK_ALIGN 128u // of the largest vector type, and of a cache line pair

// What the two processes call the same must have the same number (weft/code_object.h).
_Static_assert((int)WEFT_ADDR_GLOBAL == CL_KERNEL_ARG_ADDRESS_GLOBAL, "address qualifier");
_Static_assert((int)WEFT_ADDR_LOCAL == CL_KERNEL_ARG_ADDRESS_LOCAL, "address qualifier");
_Static_assert((int)WEFT_ADDR_CONSTANT == CL_KERNEL_ARG_ADDRESS_CONSTANT, "address qualifier");
_Static_assert((int)WEFT_ADDR_PRIVATE == CL_KERNEL_ARG_ADDRESS_PRIVATE, "address qualifier");
_Static_assert((int)WEFT_ACCESS_RO == CL_KERNEL_ARG_ACCESS_READ_ONLY, "access qualifier");
_Static_assert((int)WEFT_ACCESS_WO == CL_KERNEL_ARG_ACCESS_WRITE_ONLY, "access qualifier");
_Static_assert((int)WEFT_ACCESS_RW == CL_KERNEL_ARG_ACCESS_READ_WRITE, "access qualifier");
_Static_assert((int)WEFT_ACCESS_NONE == CL_KERNEL_ARG_ACCESS_NONE, "access qualifier");
_Static_assert((int)WEFT_TQ_CONST == CL_KERNEL_ARG_TYPE_CONST, "type qualifier");
_Static_assert((int)WEFT_TQ_RESTRICT == CL_KERNEL_ARG_TYPE_RESTRICT, "type qualifier");
_Static_assert((int)WEFT_TQ_VOLATILE == CL_KERNEL_ARG_TYPE_VOLATILE, "type qualifier");
_Static_assert((int)WEFT_TQ_PIPE == CL_KERNEL_ARG_TYPE_PIPE, "type qualifier");

static bool takes_mem(const struct weft_arg_meta *a)
{
    return a->kind == WEFT_ARG_GLOBAL || a->kind == WEFT_ARG_CONSTANT || a->kind == WEFT_ARG_PIPE ||
           a->kind == WEFT_ARG_IMAGE;
}

static void count_args(struct weft_kernel *k)
{
    k->args_missing = k->meta->arg_count;
    k->args_align = 8;
    for (uint32_t i = 0; i < k->meta->arg_count; i++) {
        const struct weft_arg_meta *a = &k->meta->args[i];
        k->mem_args += takes_mem(a);
        k->local_args += a->kind == WEFT_ARG_LOCAL;
        k->queue_args += a->kind == WEFT_ARG_QUEUE;
        if (a->align > k->args_align)
            k->args_align = a->align;
    }
}

static bool is_for_all_devices(const struct weft_program *p)
{
    const struct weft_context *c = p->context;
    for (cl_uint i = 0; i < c->device_count; i++) {
        bool found = false;
        for (cl_uint j = 0; j < p->device_count; j++)
            found |= p->devices[j] == c->devices[i];
        if (!found)
            return false;
    }
    return true;
}

// Attaches the kernel to the program; false when the program's build has changed meanwhile.
static bool attach(struct weft_kernel *k, struct weft_program *p, struct weft_build *b)
{
    pthread_mutex_lock(&p->lock);
    bool ok = p->build == b;
    if (ok) {
        atomic_fetch_add(&p->kernel_handles, 1);
        k->program = p;
        k->everywhere = is_for_all_devices(p) ? p->context : NULL;
        weft_object_ref(&p->obj);
    }
    pthread_mutex_unlock(&p->lock);
    return ok;
}

struct weft_kernel *weft_kernel_create(struct weft_program *p, struct weft_build *b,
                                       struct weft_kernel_code *code)
{
    struct weft_kernel *k = weft_object_create(WEFT_KIND_KERNEL, sizeof *k, &p->obj);
    if (!k)
        return NULL;
    pthread_mutex_init(&k->lock, NULL);
    k->code = code;
    k->meta = code->meta;
    k->build = b;
    weft_build_use(b);
    count_args(k);
    size_t bytes;
    if (!weft_align_size(k->meta->args_size, BLOCK_ALIGN, &bytes))
        goto fail;
    k->args = weft_alloc_aligned(BLOCK_ALIGN, bytes);
    k->arg = weft_alloc_array(k->meta->arg_count, sizeof *k->arg);
    if (!k->args || !k->arg || !attach(k, p, b))
        goto fail;
    memset(k->args, 0, bytes);
    return k;
fail:
    weft_object_release_handle(&k->obj);
    return NULL;
}

void weft_kernel_destroy(struct weft_object *o)
{
    struct weft_kernel *k = (struct weft_kernel *)(void *)o;
    for (uint32_t i = 0; k->keeper && i < k->meta->arg_count; i++)
        weft_mem_unref(k->arg[i].mem);
    weft_free(k->args);
    weft_free(k->arg);
    weft_build_disuse(k->build);
    pthread_mutex_destroy(&k->lock);
    if (k->program) {
        atomic_fetch_sub(&k->program->kernel_handles, 1);
        weft_object_unref(&k->program->obj);
    }
}

struct weft_kernel *weft_kernel_clone(struct weft_kernel *k)
{
    struct weft_kernel *n = weft_kernel_create(k->program, k->build, k->code);
    if (!n)
        return NULL;
    pthread_mutex_lock(&k->lock);
    memcpy(n->args, k->args, k->meta->args_size);
    if (k->meta->arg_count)
        memcpy(n->arg, k->arg, k->meta->arg_count * sizeof *k->arg);
    n->args_missing = k->args_missing;
    n->local_arg_bytes = k->local_arg_bytes;
    pthread_mutex_unlock(&k->lock);
    return n;
}

struct weft_kernel *weft_kernel_clone_keeper(struct weft_kernel *k)
{
    struct weft_kernel *n = weft_kernel_clone(k);
    for (uint32_t i = 0; n && i < n->meta->arg_count; i++) {
        struct weft_kernel_arg *a = &n->arg[i];
        if (a->mem && (!weft_object_is(a->mem, WEFT_KIND_MEM) || a->mem->type != a->type)) {
            *a = (struct weft_kernel_arg){0};
            n->args_missing++;
        }
        weft_mem_ref(a->mem);
    }
    if (n)
        n->keeper = true;
    return n;
}

bool weft_kernel_runs_on(const struct weft_kernel *k, const struct weft_device *d)
{
    for (cl_uint i = 0; i < k->program->device_count; i++)
        if (k->program->devices[i] == d)
            return true;
    return false;
}

// ---- Arguments ----

// A handle as the argument's value: *m NULL when the pointer, or what it points to, is.
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
    // A pointer is to a buffer.
    return weft_mem_is_pipe(*m) == (a->kind == WEFT_ARG_PIPE) &&
                   ((*m)->image != NULL) == (a->kind == WEFT_ARG_IMAGE)
               ? CL_SUCCESS
               : CL_INVALID_MEM_OBJECT;
}

// Asked again after the checks: another thread may have released it.
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
    // The device's local memory bounds it; enqueue says so.
    if (!weft_align_size(size, WEFT_LOCAL_ALIGN, &rounded))
        return weft_refuse_with(CL_INVALID_ARG_SIZE, "arg_size %n is more than local memory can have", size);
    if (slot->set)
        weft_align_size(slot->local_size, WEFT_LOCAL_ALIGN, &old);
    if (!weft_add_size((size_t)k->local_arg_bytes - old, rounded, &sum))
        return weft_refuse_with(CL_INVALID_ARG_SIZE, "arg_size %n is more than local memory can have", size);
    k->local_arg_bytes = sum;
    slot->local_size = size;
    return CL_SUCCESS;
}

static void set_mem(const struct weft_kernel *k, struct weft_kernel_arg *slot, struct weft_mem *m)
{
    if (k->keeper) {
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
    return weft_refuse_with(CL_INVALID_KERNEL_ARGS, "argument %n, '%s', of kernel %s isn't set", i,
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
    bool is_mem = takes_mem(a);
    if (is_mem)
        err = read_mem(k, a, value, &m);
    // Nothing of a sampler is needed but its value, which doesn't change.
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
