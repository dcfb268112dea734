// Entry points for launches in command buffers, and for their updates: clCommandNDRangeKernelKHR and
// cl_khr_command_buffer_mutable_dispatch 0.9.5.
// A launch that may be updated has a copy of the kernel with its arguments. An update changes a copy of that
// copy and captures the launch again. When all configurations of the call are valid, the new launches replace
// the old ones.
#include <pthread.h>

#include "base/base.h"
#include "runtime/api/api.h"
#include "runtime/api/command_buffer.h"
#include "runtime/check/kernel.h"
#include "runtime/command/command.h"
#include "runtime/command/queue.h"
#include "runtime/command_buffer/command_buffer.h"
#include "runtime/core/call_scope.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/launch/ndrange.h"
#include "runtime/program/kernel.h"

#include "runtime/info/info.h"

#define ALL_FIELDS                                                                 \
    (CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR | \
     CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR |      \
     CL_MUTABLE_DISPATCH_EXEC_INFO_KHR)

// ---- Recording ----

static cl_int read_properties(struct weft_recorded *k, const struct weft_recording *r)
{
    const cl_properties *p = r->properties;
    bool fields_seen = false, asserts_seen = false;
    size_t n = 0;
    k->fields = ALL_FIELDS;
    k->no_more_groups = r->b->no_more_groups;
    for (; p && p[n]; n += 2) {
        bool *seen = p[n] == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR ? &fields_seen
                     : p[n] == CL_MUTABLE_DISPATCH_ASSERTS_KHR        ? &asserts_seen
                                                                      : NULL;
        cl_properties known =
            seen == &fields_seen ? ALL_FIELDS : CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
        // "CL_INVALID_VALUE if values specified in properties are not valid, or if the same property name is
        // specified more than once."
        if (!seen || *seen || (p[n + 1] & ~known))
            return weft_error_with(CL_INVALID_VALUE,
                                   "property %h isn't known, is given twice, or has bits that don't exist",
                                   p[n]);
        *seen = true;
        if (seen == &fields_seen)
            k->fields = p[n + 1];
        else
            k->no_more_groups |= p[n + 1] != 0;
    }
    if (!p)
        return CL_SUCCESS;
    k->property_count = n + 1;
    k->properties = weft_memdup(p, (n + 1) * sizeof *p);
    return k->properties ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static void set_sizes(struct weft_launch_shape *s, cl_uint dim, const size_t *offset, const size_t *global,
                      const size_t *local)
{
    for (cl_uint i = 0; i < dim; i++) {
        if (offset)
            s->offset[i] = offset[i];
        if (global)
            s->global[i] = global[i];
        if (local)
            s->local[i] = local[i];
    }
    s->has_local |= local != NULL;
}

// Sets *groups to the number of work-groups. False: the runtime chooses the local size, so the application
// has promised no number.
static bool count_groups(const struct weft_kernel *kernel, const struct weft_launch_shape *s, cl_uint dim,
                         size_t *groups)
{
    const uint32_t *required = kernel->meta->reqd_work_group_size;
    *groups = 1;
    for (cl_uint i = 0; i < dim; i++) {
        const size_t local = s->has_local ? s->local[i] : required[i];
        if (local == 0)
            return false;
        // the last group may be smaller
        const size_t row = s->global[i] / local + (s->global[i] % local != 0);
        if (!weft_mul_size(*groups, row, groups))
            *groups = SIZE_MAX;
    }
    return true;
}

// Captures the launch with the arguments that the kernel has now. The caller owns *made, which is NULL on
// failure.
static cl_int capture(struct weft_queue *recorder, struct weft_kernel *k, const struct weft_launch_shape *s,
                      cl_uint dim, struct weft_command **made)
{
    cl_event event = NULL;
    *made = NULL;
    k = weft_kernel_on(k, recorder->device);
    if (!k)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_int error = weft_check_ndrange(k, dim, s->offset, s->global, s->has_local ? s->local : NULL);
    if (!error) {
        weft_object_ref(&recorder->obj); // the launch takes it unless it fails
        error = weft_ndrange_enqueue(recorder, k, dim, s->offset, s->global, s->has_local ? s->local : NULL,
                                     0, NULL, &event);
        if (error)
            weft_object_unref(&recorder->obj);
    }
    *made = (struct weft_command *)event;
    return error;
}

static bool may_lack_arguments(const struct weft_recording *r, const struct weft_recorded *k)
{
    return (r->b->flags & CL_COMMAND_BUFFER_MUTABLE_KHR) && (k->fields & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR) &&
           k->properties;
}

// The kernel is valid and has the buffer's context.
static cl_int fill(struct weft_recorded *k, const struct weft_recording *r, struct weft_kernel *kernel,
                   const size_t *offset, const size_t *global, const size_t *local)
{
    const size_t nothing[3] = {0};
    const struct weft_kernel *on = weft_kernel_on(kernel, r->b->recorders[r->stream]->device);
    cl_int error = on ? weft_check_ndrange(on, k->dim, offset, global, local) : CL_INVALID_PROGRAM_EXECUTABLE;
    if (error)
        return error;
    set_sizes(&k->shape, k->dim, offset, global ? global : nothing, local);
    k->counted = k->no_more_groups && count_groups(on, &k->shape, k->dim, &k->groups);
    if (r->b->flags & CL_COMMAND_BUFFER_MUTABLE_KHR) {
        k->shape.own = weft_kernel_clone_with_arguments(kernel);
        if (!k->shape.own)
            return CL_OUT_OF_HOST_MEMORY;
    }
    error = capture(r->b->recorders[r->stream], k->shape.own ? k->shape.own : kernel, &k->shape, k->dim,
                    &k->shape.command);
    if (error != CL_INVALID_KERNEL_ARGS || !may_lack_arguments(r, k))
        return error;
    weft_diagnostic_clear();
    return CL_SUCCESS;
}

cl_int weft_clCommandNDRangeKernelKHR(struct _cl_command_buffer_khr *command_buffer,
                                      cl_command_queue command_queue, const cl_properties *properties,
                                      cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset,
                                      const size_t *global_work_size, const size_t *local_work_size,
                                      cl_uint num_sync_points_in_wait_list,
                                      const cl_uint *sync_point_wait_list, cl_uint *sync_point,
                                      struct _cl_mutable_command_khr **mutable_handle)
{
    WEFT_CALL;
    struct weft_recording r = WEFT_RECORDING(CL_COMMAND_NDRANGE_KERNEL);
    cl_int error = weft_recording_begin(&r);
    struct weft_kernel *k = error ? NULL : weft_kernel_of(kernel);
    if (!error && !k)
        error = CL_INVALID_KERNEL;
    // "CL_INVALID_CONTEXT if the context associated with command_queue, command_buffer, and kernel are not
    // the same."
    if (!error && k->program->context != r.b->context)
        error = weft_error(CL_INVALID_CONTEXT, "the kernel is of another context than the command buffer");
    // "CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built program executable available for
    // device associated with command_queue."
    if (!error && !weft_kernel_on(k, ((struct weft_queue *)r.b->queues[r.stream])->device))
        error = weft_error(CL_INVALID_PROGRAM_EXECUTABLE,
                           "the program isn't built for the queue's device, or has no such kernel there");
    if (!error)
        error = weft_recording_check_points(&r);
    struct weft_recorded *made =
        error ? NULL : weft_recorded_create(r.b, r.type, r.stream, r.points, r.point_count);
    if (!made)
        return WEFT_ANSWER(command_buffer, error ? error : CL_OUT_OF_HOST_MEMORY);
    made->kernel = k;
    weft_object_ref(&k->obj);
    made->dim = work_dim;
    error = read_properties(made, &r);
    if (!error)
        error = fill(made, &r, k, global_work_offset, global_work_size, local_work_size);
    if (!error)
        return WEFT_ANSWER(command_buffer, weft_recording_append(&r, made));
    weft_object_unref(&made->obj);
    return WEFT_ANSWER(command_buffer, error);
}

// ---- Updating ----

// The launches that a call changes, each listed once, and their new shapes.
struct update {
    struct weft_recorded **changed;
    struct weft_launch_shape *shapes;
    cl_uint count;
};

static void release_update(struct update *u)
{
    for (cl_uint i = 0; i < u->count; i++) {
        if (u->shapes[i].own)
            weft_object_unref(&u->shapes[i].own->obj);
        if (u->shapes[i].command)
            weft_object_unref(&u->shapes[i].command->obj);
    }
    weft_free(u->changed);
    weft_free(u->shapes);
}

// The launch's new shape, with the changes of earlier configurations in the same call. NULL: no memory.
static struct weft_launch_shape *shape_to_change(struct update *u, struct weft_recorded *k)
{
    for (cl_uint i = 0; i < u->count; i++)
        if (u->changed[i] == k)
            return &u->shapes[i];
    struct weft_launch_shape s = weft_recorded_shape(k);
    struct weft_kernel *copy = weft_kernel_clone_with_arguments(s.own);
    weft_object_unref(&s.own->obj);
    s.own = copy;
    if (!copy) {
        if (s.command)
            weft_object_unref(&s.command->obj);
        return NULL;
    }
    u->changed[u->count] = k;
    u->shapes[u->count] = s;
    return &u->shapes[u->count++];
}

static cl_int check_config(const struct weft_recorded *k, const struct weft_mutable_config *c)
{
    // "CL_INVALID_VALUE if arg_list is NULL and num_args > 0, or arg_list is not NULL and num_args is 0". The
    // other lists have the same rule.
    if ((c->arg_count == 0) != (c->args == NULL) || (c->svm_count == 0) != (c->svm_args == NULL) ||
        (c->info_count == 0) != (c->infos == NULL))
        return weft_error(CL_INVALID_VALUE,
                          "an array of arguments is NULL and its number isn't 0, or the other way round");
    // "... if work_dim is not 0 and is not the value that the command was recorded with".
    if (c->dim && c->dim != k->dim)
        return weft_error(CL_INVALID_VALUE, "work_dim isn't that of the recorded launch");
    cl_bitfield used = (c->arg_count || c->svm_count ? CL_MUTABLE_DISPATCH_ARGUMENTS_KHR : 0u) |
                       (c->info_count ? CL_MUTABLE_DISPATCH_EXEC_INFO_KHR : 0u) |
                       (c->offset ? CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR : 0u) |
                       (c->global ? CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR : 0u) |
                       (c->local ? CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR : 0u);
    // "CL_INVALID_OPERATION if values updated are not specified as updatable".
    return used & ~k->fields
               ? weft_error(
                     CL_INVALID_OPERATION,
                     "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR of the command doesn't allow this change")
               : CL_SUCCESS;
}

static cl_int set_arguments(struct weft_kernel *own, const struct weft_mutable_config *c)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < c->arg_count && !error; i++) {
        const struct weft_mutable_arg *a = &c->args[i];
        error = weft_check_arg(own, a->index, a->size, a->value);
        if (!error)
            error = weft_kernel_set_arg(own, a->index, a->size, a->value);
    }
    for (cl_uint i = 0; i < c->svm_count && !error; i++) {
        error = weft_check_arg_pointer(own, c->svm_args[i].index);
        if (!error)
            weft_kernel_set_pointer(own, c->svm_args[i].index, c->svm_args[i].value);
    }
    for (cl_uint i = 0; i < c->info_count && !error; i++)
        error = weft_check_exec_info(c->infos[i].name, c->infos[i].size, c->infos[i].value);
    return error;
}

static cl_int apply(struct weft_command_buffer *b, struct update *u, const struct weft_mutable_config *c)
{
    struct weft_recorded *k = c ? weft_recorded_of(c->command) : NULL;
    if (!c)
        return weft_error(CL_INVALID_VALUE, "a configuration is NULL");
    // "CL_INVALID_MUTABLE_COMMAND_KHR if command is not a valid mutable command object, or created from
    // command_buffer."
    if (!k || k->buffer != b || k->type != CL_COMMAND_NDRANGE_KERNEL)
        return CL_INVALID_MUTABLE_COMMAND_KHR;
    cl_int error = check_config(k, c);
    struct weft_launch_shape *s = error ? NULL : shape_to_change(u, k);
    if (!error && !s)
        error = CL_OUT_OF_HOST_MEMORY;
    if (!error)
        error = set_arguments(s->own, c);
    if (error)
        return error;
    set_sizes(s, k->dim, c->offset, c->global, c->local);
    // The recording promised that there would be no additional work-groups.
    size_t groups;
    if (k->counted && count_groups(s->own, s, k->dim, &groups) && groups > k->groups)
        return weft_error(
            CL_INVALID_VALUE,
            "the launch would have more work-groups than CL_MUTABLE_DISPATCH_ASSERTS_KHR allows");
    return CL_SUCCESS;
}

// Captures all launches that have changed. Arguments that are still missing may come with another update.
static cl_int capture_all(struct weft_command_buffer *b, struct update *u)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < u->count && !error; i++) {
        struct weft_launch_shape *s = &u->shapes[i];
        struct weft_command *old = s->command;
        error = capture(b->recorders[u->changed[i]->stream], s->own, s, u->changed[i]->dim, &s->command);
        if (error == CL_INVALID_KERNEL_ARGS && !old && atomic_load(&s->own->args_missing)) {
            weft_diagnostic_clear();
            error = CL_SUCCESS;
        }
        if (old)
            weft_object_unref(&old->obj);
        if (!error && s->command)
            weft_ndrange_finalize(s->command);
    }
    return error;
}

cl_int weft_clUpdateMutableCommandsKHR(struct _cl_command_buffer_khr *command_buffer, cl_uint num_configs,
                                       const cl_uint *config_types, const void **configs)
{
    WEFT_CALL;
    struct weft_command_buffer *b = weft_command_buffer_of(command_buffer);
    if (!b)
        return WEFT_ANSWER(command_buffer, CL_INVALID_COMMAND_BUFFER_KHR);
    // "CL_INVALID_OPERATION if command_buffer has not been finalized", "... was not created with the
    // CL_COMMAND_BUFFER_MUTABLE_KHR flag".
    if (weft_command_buffer_state(b) == CL_COMMAND_BUFFER_STATE_RECORDING_KHR ||
        !(b->flags & CL_COMMAND_BUFFER_MUTABLE_KHR))
        return WEFT_ANSWER(
            command_buffer,
            weft_error(
                CL_INVALID_OPERATION,
                "the command buffer isn't finalized, or was made without CL_COMMAND_BUFFER_MUTABLE_KHR"));
    // "CL_INVALID_VALUE if config_types is NULL and num_configs > 0, or config_types is not NULL and
    // num_configs is 0". configs has the same rule.
    if ((num_configs == 0) != (config_types == NULL) || (num_configs == 0) != (configs == NULL))
        return WEFT_ANSWER(
            command_buffer,
            weft_error(CL_INVALID_VALUE,
                       "config_types and configs must be NULL if num_configs is 0, and not NULL otherwise"));
    for (cl_uint i = 0; i < num_configs; i++)
        if (config_types[i] != WEFT_MUTABLE_DISPATCH_CONFIG)
            return WEFT_ANSWER(command_buffer,
                               weft_error_with(CL_INVALID_VALUE, "config_types[%n] isn't known", i));
    if (num_configs == 0)
        return CL_SUCCESS;
    struct update u = {weft_alloc_array(num_configs, sizeof *u.changed),
                       weft_alloc_array(num_configs, sizeof *u.shapes), 0};
    cl_int error = u.changed && u.shapes ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < num_configs && !error; i++)
        error = apply(b, &u, configs[i]);
    if (!error)
        error = capture_all(b, &u);
    if (!error)
        error = weft_command_buffer_exchange(b, u.changed, u.shapes, u.count);
    release_update(&u);
    return WEFT_ANSWER(command_buffer, error);
}

cl_int weft_clGetMutableCommandInfoKHR(struct _cl_mutable_command_khr *command, cl_uint param_name,
                                       size_t param_value_size, void *param_value,
                                       size_t *param_value_size_ret)
{
    WEFT_CALL;
    struct weft_recorded *r = weft_recorded_of(command);
    // The buffer may be in destruction.
    if (!r || !weft_command_buffer_of((struct _cl_command_buffer_khr *)r->buffer))
        return WEFT_ANSWER(command, CL_INVALID_MUTABLE_COMMAND_KHR);
    pthread_mutex_lock(&r->buffer->lock);
    struct weft_launch_shape shape = r->shape;
    pthread_mutex_unlock(&r->buffer->lock);
    switch (param_name) {
#include "runtime/info/mutable_command.def"
    }
    return WEFT_ANSWER(command,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}
