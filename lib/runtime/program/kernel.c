// Kernel objects: the argument block, and what is set in it. A kernel owns both. It holds no references to
// memory objects that are arguments, because the specification forbids it; a launch takes them. OpenCL 2.2
// §5.9.
// If a program was built differently for its devices, a kernel has hidden kernels, one for each other code.
// The application doesn't see them. A launch on such a device, or a query for it, first copies the arguments
// to the hidden kernel. All other functions of kernels know one code only.
#include "runtime/program/kernel.h"

#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/compiler/client.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/memory/memory.h"
#include "runtime/code/build_result.h"
#include "runtime/code/kernel_code.h"
#include "runtime/program/program.h"
#include "weft/checker.h"
#include "weft/code_object.h"

#define BLOCK_ALIGN 128u // the alignment of the largest vector type, and of a pair of cache lines

// Constants that both processes use must have the same values (weft/code_object.h).
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

static void count_args(struct weft_kernel *k)
{
    k->args_missing = k->meta->arg_count;
    k->args_align = 8;
    for (uint32_t i = 0; i < k->meta->arg_count; i++) {
        const struct weft_arg_meta *a = &k->meta->args[i];
        k->mem_args += weft_arg_takes_mem(a);
        k->local_args += a->kind == WEFT_ARG_LOCAL;
        k->has_extra |= a->kind == WEFT_ARG_QUEUE;
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

// ---- Definitions ----

// "the function definition for kernel [...] such as the number of arguments, the argument types". Names of
// types are known only if the program was built with -cl-kernel-arg-info.
static bool same_arg(const struct weft_arg_meta *a, const struct weft_arg_meta *b)
{
    const uint32_t of_type = WEFT_TQ_CONST | WEFT_TQ_VOLATILE | WEFT_TQ_PIPE;
    bool same = a->kind == b->kind && a->size == b->size && a->align == b->align && a->offset == b->offset &&
                a->addr_qual == b->addr_qual && a->access_qual == b->access_qual;
    if (!same || !*a->type_name || !*b->type_name)
        return same;
    return strcmp(a->type_name, b->type_name) == 0 && ((a->type_qual ^ b->type_qual) & of_type) == 0;
}

static bool same_definition(const struct weft_kernel_meta *a, const struct weft_kernel_meta *b)
{
    bool same = a->arg_count == b->arg_count && a->args_size == b->args_size;
    for (uint32_t i = 0; same && i < a->arg_count; i++)
        same = same_arg(&a->args[i], &b->args[i]);
    return same;
}

static bool came_before(struct weft_build *const *builds, cl_uint nth)
{
    for (cl_uint i = 0; i < nth; i++)
        if (builds[i] == builds[nth])
            return true;
    return false;
}

// Do all executables that have this kernel define it in the same way?
static bool is_alike(struct weft_build *const *builds, cl_uint count, const struct weft_kernel_code *code)
{
    for (cl_uint i = 0; i < count; i++) {
        if (!builds[i] || builds[i] == code->build || came_before(builds, i))
            continue;
        const struct weft_kernel_code *other = weft_build_find(builds[i], code->meta->name);
        if (other && !same_definition(code->meta, other->meta))
            return false;
    }
    return true;
}

static bool is_found_before(struct weft_build *const *builds, cl_uint nth, const char *name)
{
    for (cl_uint i = 0; i < nth; i++)
        if (builds[i] && weft_build_find(builds[i], name))
            return true;
    return false;
}

// The list is for applications that run every kernel in it. So it has no kernels that only the runtime runs.
// The application can create initializers and finalizers by name nevertheless (ADR 11).
static bool is_listed(const struct weft_kernel_meta *k)
{
    return !k->block && !k->initializes && !k->finalizes;
}

// "Kernel objects are not created for any __kernel functions in program that do not have the same function
// definition across all devices for which a program executable has been successfully built."
struct weft_kernel_code *weft_kernel_list_next(struct weft_kernel_list *l)
{
    for (; l->build < l->count; l->build++, l->kernel = 0) {
        struct weft_build *b = l->builds[l->build];
        if (!b || (l->kernel == 0 && came_before(l->builds, l->build)))
            continue;
        while (l->kernel < b->kernel_count) {
            struct weft_kernel_code *code = &b->code[l->kernel++];
            if (is_listed(code->meta) && !is_found_before(l->builds, l->build, code->meta->name) &&
                is_alike(l->builds, l->count, code))
                return code;
        }
    }
    return NULL;
}

// ---- Creating ----

// Attaches the kernel to the program.
static void attach(struct weft_kernel *k, struct weft_program *p)
{
    atomic_fetch_add(&p->kernel_handles, 1);
    k->program = p;
    weft_object_ref(&p->obj);
}

static bool has_build_locked(const struct weft_program *p, const struct weft_build *b)
{
    for (cl_uint i = 0; i < p->device_count; i++)
        if (p->places[i].outcome && p->places[i].outcome->build == b)
            return true;
    return false;
}

// Attaches the kernel if the program still has these builds. Other builds that were under way may be over by
// now.
static bool attach_to_builds(struct weft_kernel *k, struct weft_program *p, struct weft_build *const *builds)
{
    bool ok = true;
    pthread_mutex_lock(&p->lock);
    for (cl_uint i = 0; i < p->device_count; i++)
        ok &= !builds[i] || has_build_locked(p, builds[i]);
    if (ok)
        attach(k, p);
    pthread_mutex_unlock(&p->lock);
    return ok;
}

static struct weft_kernel *make(struct weft_program *p, struct weft_kernel_code *code)
{
    struct weft_kernel *k = weft_object_create(WEFT_KIND_KERNEL, sizeof *k, &p->obj);
    if (!k)
        return NULL;
    pthread_mutex_init(&k->lock, NULL);
    k->code = code;
    k->meta = code->meta;
    k->build = code->build;
    weft_build_use(k->build);
    k->has_extra = k->build->check;
    k->args_bytes =
        ((size_t)k->meta->args_size + 7) & ~(size_t)7; // can't overflow: args_size is at most 1 MiB
    if (k->build->check)
        k->args_bytes += k->meta->arg_count * sizeof(struct weft_check_range) +
                         sizeof(struct weft_check_groups) + sizeof(uint64_t);
    count_args(k);
    size_t bytes;
    if (!weft_align_size(k->meta->args_size, BLOCK_ALIGN, &bytes))
        goto fail;
    k->args = weft_alloc_aligned(BLOCK_ALIGN, bytes);
    k->arg = weft_alloc_array(k->meta->arg_count, sizeof *k->arg);
    if (!k->args || !k->arg)
        goto fail;
    memset(k->args, 0, bytes);
    return k;
fail:
    weft_object_release_handle(&k->obj);
    return NULL;
}

static struct weft_kernel *find_code(const struct weft_kernel *k, const struct weft_kernel_code *code)
{
    for (uint32_t i = 0; i < k->on_count; i++)
        if (k->on[i] && k->on[i]->code == code)
            return k->on[i];
    return NULL;
}

// Fills in the kernel for each device. The kernel is attached to its program already.
static bool fill_table(struct weft_kernel *k, struct weft_build *const *builds)
{
    struct weft_program *p = k->program;
    k->on = weft_alloc_array(p->device_count, sizeof(struct weft_kernel *));
    if (!k->on)
        return false;
    k->on_count = p->device_count;
    for (cl_uint i = 0; i < p->device_count; i++) {
        struct weft_kernel_code *code = builds[i] == k->build ? k->code
                                        : builds[i]           ? weft_build_find(builds[i], k->meta->name)
                                                              : NULL;
        if (!code)
            continue;
        k->on[i] = code == k->code ? k : find_code(k, code);
        if (k->on[i])
            continue;
        k->on[i] = make(p, code);
        if (!k->on[i])
            return false;
        attach(k->on[i], p);
    }
    return true;
}

static bool are_all(const struct weft_program *p, struct weft_build *const *builds,
                    const struct weft_build *same)
{
    for (cl_uint i = 0; i < p->device_count; i++)
        if (builds[i] != same)
            return false;
    return true;
}

cl_int weft_kernel_create(struct weft_program *p, struct weft_build *const *builds,
                          struct weft_kernel_code *code, struct weft_kernel **k)
{
    *k = make(p, code);
    if (!*k)
        return CL_OUT_OF_HOST_MEMORY;
    bool same = are_all(p, builds, code->build);
    cl_int err = attach_to_builds(*k, p, builds) ? CL_SUCCESS : CL_INVALID_OPERATION;
    if (!err && !same && !fill_table(*k, builds))
        err = CL_OUT_OF_HOST_MEMORY;
    if (err) {
        weft_object_release_handle(&(*k)->obj);
        *k = NULL;
    } else {
        (*k)->everywhere = same && is_for_all_devices(p) ? p->context : NULL;
    }
    return err;
}

cl_int weft_kernel_create_named(struct weft_program *p, struct weft_build *const *builds, const char *name,
                                struct weft_kernel **k)
{
    if (!weft_program_has_any(p, builds))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    if (!name)
        return weft_error(CL_INVALID_VALUE, "kernel_name is NULL");
    struct weft_kernel_code *code = NULL;
    for (cl_uint i = 0; i < p->device_count && !code; i++)
        code = builds[i] ? weft_build_find(builds[i], name) : NULL;
    if (!code)
        return weft_error_with(CL_INVALID_KERNEL_NAME, "the program has no kernel '%s'", name);
    if (!is_alike(builds, p->device_count, code))
        return weft_error_with(CL_INVALID_KERNEL_DEFINITION,
                               "kernel '%s' doesn't have the same arguments in the builds for all devices",
                               name);
    return weft_kernel_create(p, builds, code, k);
}

void weft_kernel_prepare(struct weft_kernel *k)
{
    weft_kernel_code_request(k->code, WEFT_COMPILE_LATER);
    for (uint32_t i = 0; i < k->on_count; i++)
        if (k->on[i] && k->on[i] != k)
            weft_kernel_code_request(k->on[i]->code, WEFT_COMPILE_LATER);
}

void weft_kernel_destroy(struct weft_object *o)
{
    struct weft_kernel *k = (struct weft_kernel *)(void *)o;
    for (uint32_t i = 0; k->holds_arguments && i < k->meta->arg_count; i++)
        weft_mem_unref(k->arg[i].mem);
    for (uint32_t i = 0; i < k->on_count; i++) {
        struct weft_kernel *other = k->on[i];
        if (!other || other == k)
            continue;
        for (uint32_t n = i; n < k->on_count; n++) // several devices may share one kernel
            if (k->on[n] == other)
                k->on[n] = NULL;
        weft_object_unref(&other->obj);
    }
    weft_free(k->on);
    weft_free(k->args);
    weft_free(k->arg);
    weft_build_disuse(k->build);
    pthread_mutex_destroy(&k->lock);
    if (k->program) {
        atomic_fetch_sub(&k->program->kernel_handles, 1);
        weft_object_unref(&k->program->obj);
    }
}

void weft_kernel_after_fork(struct weft_object *o)
{
    struct weft_kernel *k = (struct weft_kernel *)o;
    weft_lock_after_fork(&k->lock);
    weft_build_after_fork(k->build);
}

// Copies the arguments between kernels with the same definition. The caller has `to` for itself or holds its
// lock.
static void copy_args(struct weft_kernel *to, struct weft_kernel *from)
{
    pthread_mutex_lock(&from->lock);
    memcpy(to->args, from->args, from->meta->args_size);
    if (from->meta->arg_count)
        memcpy(to->arg, from->arg, from->meta->arg_count * sizeof *from->arg);
    to->args_missing = from->args_missing;
    to->local_arg_bytes = from->local_arg_bytes;
    pthread_mutex_unlock(&from->lock);
}

// Gives the clone a table of its own, with kernels of its own. The code is the original's, even if the
// program has been built again.
static bool copy_table(struct weft_kernel *n, const struct weft_kernel *k)
{
    struct weft_build **builds = weft_alloc_array(k->on_count, sizeof *builds);
    for (uint32_t i = 0; builds && i < k->on_count; i++)
        builds[i] = k->on[i] ? k->on[i]->build : NULL;
    bool ok = builds && fill_table(n, builds);
    weft_free(builds);
    return ok;
}

struct weft_kernel *weft_kernel_clone(struct weft_kernel *k)
{
    struct weft_kernel *n = make(k->program, k->code);
    if (!n)
        return NULL;
    attach(n, k->program);
    if (k->on && !copy_table(n, k)) {
        weft_object_release_handle(&n->obj);
        return NULL;
    }
    n->everywhere = k->everywhere;
    copy_args(n, k);
    return n;
}

struct weft_kernel *weft_kernel_clone_with_arguments(struct weft_kernel *k)
{
    struct weft_kernel *n = weft_kernel_clone(k);
    for (uint32_t i = 0; n && i < n->meta->arg_count; i++) {
        struct weft_kernel_arg *a = &n->arg[i];
        if (a->mem && !weft_mem_ref_if(a->mem, a->type)) {
            *a = (struct weft_kernel_arg){0};
            n->args_missing++;
        }
    }
    if (n)
        n->holds_arguments = true;
    return n;
}

struct weft_kernel *weft_kernel_on(struct weft_kernel *k, const struct weft_device *d)
{
    const cl_uint count = k->program->device_count;
    cl_uint place = count;
    // A binary that "has not been built for a sub-device" is its parent's, even if the sub-device isn't one
    // of the program's devices.
    for (; d && place == count; d = d->parent)
        place = weft_program_place_of(k->program, d);
    if (place == count)
        return NULL;
    struct weft_kernel *on = k->on ? k->on[place] : k;
    if (on && on != k) {
        // lock order: the hidden kernel's lock, then k's. No other place holds both
        pthread_mutex_lock(&on->lock);
        copy_args(on, k);
        pthread_mutex_unlock(&on->lock);
    }
    return on;
}
