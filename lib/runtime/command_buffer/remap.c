// Copies of command buffers for other queues (clRemapCommandBufferKHR of cl_khr_command_buffer_multi_device).
// A recorded command contains its own state, so each buffer needs commands of its own. A launch is made again
// from what was captured, for the device of its new queue, whose code may be different. Other commands have a
// constant payload; the copy shares it and holds a reference to the original command.
// Owns nothing. Holds no lock except, for short times, the buffer's. What another thread records meanwhile
// may or may not be in the copy.
#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/queue.h"
#include "runtime/command_buffer/command_buffer.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/object.h"
#include "runtime/launch/checks.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/ndrange.h"
#include "runtime/launch/program_variables.h"
#include "runtime/launch/sub_groups.h"
#include "runtime/memory/memory.h"
#include "runtime/code/build_result.h"
#include "runtime/program/kernel.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"

// ---- Launches ----

// Another thread's replay may be writing the places of local arguments (launch/ndrange.c). So they are read
// atomically.
static void copy_words(void *to, const void *from, size_t bytes)
{
    uint64_t *t = to;
    const uint64_t *f = from;
    for (size_t i = 0; i < bytes / sizeof *t; i++)
        // a stale value does no harm: the copy's replays write it before they read it
        t[i] = __atomic_load_n(&f[i], __ATOMIC_RELAXED);
}

// Copies the offsets of local arguments relative to the end of the code's own local variables, since other
// code may have other local variables.
static void copy_places(struct weft_launch *to, const struct weft_launch *from, uint32_t locals)
{
    if (from->local_offsets) {
        memcpy(to->local_offsets, from->local_offsets, locals * sizeof *to->local_offsets);
        return;
    }
    const struct weft_kernel_meta *m = from->code->meta;
    uint64_t at, *offsets = to->local_offsets;
    size_t begin = 0;
    weft_align_size(from->code->first->local_static_bytes, WEFT_LOCAL_ALIGN, &begin);
    for (uint32_t i = 0; i < m->arg_count; i++) {
        if (m->args[i].kind != WEFT_ARG_LOCAL)
            continue;
        memcpy(&at, from->args + m->args[i].offset, sizeof at);
        *offsets++ = at - begin;
    }
}

static cl_int copy_block(struct weft_launch *to, const struct weft_launch *from)
{
    const struct weft_kernel_meta *m = from->code->meta;
    const size_t args = weft_launch_args_bytes(from->code);
    uint32_t locals = 0;
    for (uint32_t i = 0; (from->local_offsets || to->code != from->code) && i < m->arg_count; i++)
        locals += m->args[i].kind == WEFT_ARG_LOCAL;
    size_t mems = from->mem_count * sizeof(struct weft_mem *),
           bytes = args + mems + locals * sizeof *to->local_offsets;
    unsigned char *block = to->inline_block;
    if (from->block || bytes > WEFT_LAUNCH_INLINE_BYTES) {
        block = to->block = weft_alloc_aligned(WEFT_LAUNCH_BLOCK_ALIGN, bytes ? bytes : 1);
        if (!block)
            return CL_OUT_OF_HOST_MEMORY;
    }
    to->args = block;
    to->mems = (struct weft_mem **)(void *)(block + args);
    copy_words(block, from->args, args);
    for (; to->mem_count < from->mem_count; to->mem_count++) {
        to->mems[to->mem_count] = from->mems[to->mem_count];
        weft_mem_ref_to_use(to->mems[to->mem_count]);
    }
    if (locals) {
        to->local_offsets = (uint64_t *)(void *)(block + args + mems);
        copy_places(to, from, locals);
    }
    for (uint32_t i = 0; from->extra && i < m->arg_count; i++) {
        struct weft_object *q = NULL;
        if (m->args[i].kind == WEFT_ARG_QUEUE)
            memcpy(&q, to->args + m->args[i].offset, sizeof q);
        if (q)
            weft_object_ref(q);
    }
    to->extra = from->extra;
    // What the other launch has made ends with it.
    if (to->code->build->check >> WEFT_CHECK_UNINIT & 1)
        weft_launch_find_shadow(weft_launch_objects(to), to);
    return CL_SUCCESS;
}

// Each device has its own copy of a program's variables.
static cl_int find_variables(struct weft_launch *to, struct weft_context *context, struct weft_device *device)
{
    struct weft_build *b = to->code->build;
    if (b->object.global_variable_bytes) {
        to->variables = weft_build_variables(b, device);
        if (!to->variables)
            return CL_OUT_OF_RESOURCES;
    }
    return weft_launch_initializes(to) ? weft_build_initialize(b, context, device) : CL_SUCCESS;
}

// The data from which a launch is made again.
struct relaunch {
    struct weft_kernel *kernel; // the kernel for the device of the new queue
    cl_uint dim;
    const struct weft_launch_shape *shape;
    weft_ndrange_check *check;
};

// Chooses the local size again, since other code may need another one.
static cl_int set_range(struct weft_launch *l, const struct relaunch *r)
{
    const struct weft_launch_shape *s = r->shape;
    struct weft_kernel *k = r->kernel;
    cl_uint dim = r->dim;
    const size_t *given = s->has_local ? s->local : NULL;
    size_t local[3] = {1, 1, 1};
    cl_int error = r->check(k, dim, s->offset, s->global, given);
    if (!error && !given)
        error = weft_ndrange_suggest_local(k, dim, s->global, local);
    else if (!error && k->meta->reqd_sub_groups)
        error = weft_sub_groups_required_local(k, dim, s->global, given, local);
    else if (!error)
        memcpy(local, given, dim * sizeof *local);
    if (!error)
        weft_launch_set_range(l, dim, s->offset, s->global, local);
    return error;
}

static cl_int copy_launch(struct weft_command *to, struct weft_command *from, const struct relaunch *r)
{
    struct weft_launch *l = weft_launch_of(to), *f = weft_launch_of(from);
    l->code = r->kernel->code;
    weft_build_use(l->code->build);
    to->release = weft_launch_release;
    // `temporal_stores` isn't copied: a replay under way may be writing it, and each launch sets it anew.
    memcpy(&l->nd, &f->nd, offsetof(struct weft_ndrange, temporal_stores));
    l->local_arg_bytes = f->local_arg_bytes;
    cl_int error = l->code == f->code ? CL_SUCCESS : set_range(l, r);
    if (!error)
        error = copy_block(l, f);
    if (!error)
        error = find_variables(l, to->context, to->queue->device);
    if (!error &&
        !weft_device_local_fits(to->queue->device, l->local_arg_bytes + l->code->meta->local_static_bytes))
        error = CL_OUT_OF_RESOURCES;
    if (error)
        return error;
    to->replay = from->replay;
    to->run_range = from->run_range;
    weft_ndrange_finalize(to);
    return CL_SUCCESS;
}

// ---- Commands ----

// Copies a recorded command of another buffer. r is used for launches only. On failure *to is NULL.
static cl_int copy_command(struct weft_command **to, struct weft_command *from, struct weft_queue *recorder,
                           const struct relaunch *r)
{
    struct weft_command *c = *to = weft_command_create(from->context, recorder, from->type);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    c->recorded = true;
    cl_int error = CL_SUCCESS;
    if (from->replay) {
        error = copy_launch(c, from, r);
    } else {
        // The first original is held. So a buffer that is remapped again and again keeps one command alive,
        // not a chain.
        c->origin = from->origin ? from->origin : from;
        weft_object_ref(&c->origin->obj);
        memcpy(c->payload, from->payload, sizeof c->payload);
        c->run = from->run;
        c->run_range = from->run_range;
        c->units = from->units;
        c->grain = from->grain;
        c->cost = from->cost;
        c->urgent = from->urgent;
        weft_command_keep_to_pool(c, weft_command_keeps_to_pool(from));
    }
    if (!error)
        return CL_SUCCESS;
    weft_object_unref(&c->obj);
    *to = NULL;
    return error;
}

static cl_int copy_recorded(struct weft_recorded *to, struct weft_recorded *from, weft_ndrange_check *check)
{
    to->fields = from->fields;
    to->no_more_groups = from->no_more_groups;
    to->dim = from->dim;
    to->counted = from->counted;
    to->groups = from->groups;
    struct relaunch r = {.dim = to->dim, .check = check};
    if (from->kernel) {
        r.kernel = weft_kernel_on(from->kernel, to->queue->device);
        if (!r.kernel)
            return CL_INVALID_PROGRAM_EXECUTABLE;
        to->kernel = from->kernel;
        weft_object_ref(&to->kernel->obj);
    }
    if (from->properties) {
        to->properties = weft_memdup(from->properties, from->property_count * sizeof *from->properties);
        if (!to->properties)
            return CL_OUT_OF_HOST_MEMORY;
        to->property_count = from->property_count;
    }
    struct weft_launch_shape s = weft_recorded_shape(from);
    r.shape = &s;
    struct weft_kernel *own = s.own;
    struct weft_command *command = s.command;
    cl_int error = CL_SUCCESS;
    s.own = own ? weft_kernel_clone_with_arguments(own) : NULL;
    s.command = NULL;
    if (own && !s.own)
        error = CL_OUT_OF_HOST_MEMORY;
    if (!error && command)
        error = copy_command(&s.command, command, to->buffer->recorders[to->stream], &r);
    to->shape = s;
    weft_object_unref(own ? &own->obj : NULL);
    weft_object_unref(command ? &command->obj : NULL);
    return error;
}

static cl_int append_copy(struct weft_command_buffer *to, struct weft_recorded *from,
                          weft_ndrange_check *check)
{
    cl_uint point;
    struct weft_recorded *r =
        weft_recorded_create(to, from->type, from->stream % to->queue_count, from->waits, from->wait_count);
    if (!r)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int error = copy_recorded(r, from, check);
    if (!error)
        return weft_command_buffer_append(to, r, &point);
    weft_object_unref(&r->obj);
    return error;
}

cl_int weft_command_buffer_remap(struct weft_command_buffer *b, struct weft_queue *const *queues,
                                 cl_uint count, weft_ndrange_check *check, struct weft_command_buffer **made)
{
    struct weft_command_buffer *c = *made = weft_command_buffer_create(
        queues, count, b->properties, b->property_count, b->flags, b->no_more_groups);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&b->lock);
    size_t commands = b->count;
    bool recording = b->state == CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
    pthread_mutex_unlock(&b->lock);
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < commands && !error; i++) {
        pthread_mutex_lock(&b->lock);
        struct weft_recorded *from = b->commands[i]; // the array may be reallocated, but the commands stay
        pthread_mutex_unlock(&b->lock);
        error = append_copy(c, from, check);
    }
    if (!error && !recording && !weft_command_buffer_settle(c))
        error = CL_OUT_OF_HOST_MEMORY;
    if (error) {
        weft_object_release_handle(&c->obj);
        *made = NULL;
    }
    return error;
}
