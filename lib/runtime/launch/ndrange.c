// Launches: what clEnqueueNDRangeKernel captures, and how it is submitted. A launch owns
// references to its build and memory objects, and its own copy of the arguments, inside the command when they
// are small.
//
// When the kernel's code isn't ready, the command depends on a hidden user event which the compile completes;
// no thread waits.
#include "runtime/launch/ndrange.h"

#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/context.h"
#include "runtime/core/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/local_size.h"
#include "runtime/launch/program_variables.h"
#include "runtime/launch/sub_groups.h"
#include "runtime/memory/image.h"
#include "runtime/memory/memory.h"
#include "runtime/program/build_result.h"
#include "runtime/program/kernel.h"
#include "runtime/program/kernel_code.h"
#include "runtime/program/kernel_variants.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/scheduler.h"

#define RANGE_NS 4000u     // a range shorter than this isn't worth handing to another thread
#define URGENT_NS 12000u   // a launch longer than this is worth a wake-up
#define LENGTHY_NS 50000u  // a group longer than this shouldn't keep other launches waiting
#define GUESSED_COST 1024u // ns for 1024 work-items of a kernel that has never run
#define SAMPLE_EVERY 16u
#define STRIP_ITEMS 16   // work-items along dimension 0 of a group of a strip
#define COUNTS_NS 20000u // a launch that takes longer than this counts for code for its size of groups

// ---- Local size ----

static void default_local_locked(struct weft_kernel *k, cl_uint dim, const size_t *global, size_t local[3])
{
    if (k->meta->reqd_work_group_size[0]) {
        for (int i = 0; i < 3; i++)
            local[i] = k->meta->reqd_work_group_size[i];
        return;
    }
    if (k->chosen_dim != dim || memcmp(k->chosen_global, global, dim * sizeof *global) != 0) {
        weft_ndrange_choose_local(dim, global, k->meta->uniform_groups, weft_sched_thread_count(),
                                  k->chosen_local);
        memcpy(k->chosen_global, global, dim * sizeof *global);
        k->chosen_dim = dim;
    }
    memcpy(local, k->chosen_local, sizeof k->chosen_local);
}

cl_int weft_ndrange_suggest_local(struct weft_kernel *k, cl_uint dim, const size_t *global, size_t local[3])
{
    if (k->meta->reqd_sub_groups)
        return weft_sub_groups_demanded(k, dim, global, NULL, local);
    pthread_mutex_lock(&k->lock);
    default_local_locked(k, dim, global, local);
    pthread_mutex_unlock(&k->lock);
    return CL_SUCCESS;
}

// ---- Capturing ----

static bool make_room_locked(const struct weft_kernel *k, struct weft_launch *l, bool late)
{
    size_t args = ((size_t)k->meta->args_size + 7) & ~(size_t)7; // args_size is at most 1 MiB
    size_t mems = (size_t)k->mem_args * sizeof *l->mems;
    size_t bytes = args + mems + (late ? k->local_args * sizeof *l->late : 0);
    unsigned char *block = l->inline_block;
    if (bytes > WEFT_LAUNCH_INLINE_BYTES || k->args_align > WEFT_LAUNCH_INLINE_ALIGN) {
        block = l->block = weft_alloc_aligned(WEFT_LAUNCH_BLOCK_ALIGN, bytes);
        if (!block)
            return false;
    }
    l->args = block;
    l->mems = (struct weft_mem **)(void *)(block + args);
    l->late = late ? (uint64_t *)(void *)(block + args + mems) : NULL;
    return true;
}

static cl_int capture_mem(struct weft_launch *l, const struct weft_kernel_arg *arg, unsigned char *slot)
{
    const unsigned char *address = NULL;
    struct weft_mem *m = arg->mem;
    if (m) {
        // Released since it was set: the spec lets it go, and the argument with it. Its place may be another's by now.
        if (!weft_mem_ref_if(m, arg->type))
            return weft_refuse(
                CL_INVALID_KERNEL_ARGS,
                "an argument of the kernel is a memory object that has been released since it was set");
        l->mems[l->mem_count++] = m; // the launch lets it go
        // Of a sub-buffer "the offset specified when the sub-buffer object is created is not aligned".
        if (m->parent && m->origin % WEFT_DEVICE_MEM_ALIGN != 0)
            return CL_MISALIGNED_SUB_BUFFER_OFFSET;
        address = m->image ? (const unsigned char *)m->image->kernel : m->data;
    }
    memcpy(slot, &address, sizeof address);
    return CL_SUCCESS;
}

// The arguments have been copied. All of them are held or none.
static cl_int capture_queues(const struct weft_kernel *k, struct weft_launch *l)
{
    const struct weft_kernel_meta *m = k->meta;
    for (uint32_t i = 0; i < m->arg_count; i++) {
        cl_command_queue handle;
        if (m->args[i].kind != WEFT_ARG_QUEUE)
            continue;
        memcpy(&handle, l->args + m->args[i].offset, sizeof handle);
        // Released since it was set, unless it is one.
        if (weft_object_ref_of(handle, WEFT_KIND_DEVICE_QUEUE))
            continue;
        weft_launch_drop_queues(l, i);
        return weft_refuse(CL_INVALID_KERNEL_ARGS,
                           "an argument of the kernel is a queue that has been released since it was set");
    }
    l->queues = true;
    return CL_SUCCESS;
}

static cl_int capture_args_locked(const struct weft_kernel *k, struct weft_launch *l)
{
    memcpy(l->args, k->args, k->meta->args_size);
    cl_int queue_error = k->queue_args ? capture_queues(k, l) : CL_SUCCESS;
    if (queue_error || (!k->mem_args && !k->local_args))
        return queue_error;
    uint64_t offset = 0, *late = l->late;
    size_t begin = 0;
    if (k->local_args && !late)
        weft_align_size(l->code->first->local_static_bytes, WEFT_LOCAL_ALIGN, &begin);
    for (uint32_t i = 0; i < k->meta->arg_count; i++) {
        const struct weft_arg_meta *a = &k->meta->args[i];
        if (a->kind == WEFT_ARG_GLOBAL || a->kind == WEFT_ARG_CONSTANT || a->kind == WEFT_ARG_PIPE ||
            a->kind == WEFT_ARG_IMAGE) {
            // An SVM pointer has come with the block.
            cl_int err = k->arg[i].pointer ? CL_SUCCESS : capture_mem(l, &k->arg[i], l->args + a->offset);
            if (err)
                return err;
        } else if (a->kind == WEFT_ARG_LOCAL) {
            uint64_t at = begin + offset;
            if (late)
                *late++ = offset;
            memcpy(l->args + a->offset, &at, sizeof at);
            offset += (k->arg[i].local_size + WEFT_LOCAL_ALIGN - 1) & ~(uint64_t)(WEFT_LOCAL_ALIGN - 1);
        }
    }
    l->local_arg_bytes = offset;
    return CL_SUCCESS;
}

void weft_launch_set_range(struct weft_launch *l, cl_uint dim, const size_t *offset, const size_t *global,
                           const size_t local[3])
{
    struct weft_ndrange *nd = &l->nd;
    nd->work_dim = dim;
    for (cl_uint i = 0; i < 3; i++) {
        nd->global_offset[i] = i < dim && offset ? offset[i] : 0;
        nd->global_size[i] = i < dim ? global[i] : 1;
        nd->local_size[i] = i < dim ? local[i] : 1;
        // A division costs more than all else here; mostly it isn't needed. The last group may be smaller.
        uint64_t g = nd->global_size[i], n = nd->local_size[i];
        nd->num_groups[i] = n == 1               ? g
                            : (n & (n - 1)) == 0 ? (g >> __builtin_ctzll(n)) + ((g & (n - 1)) != 0)
                                                 : g / n + (g % n != 0);
    }
}

// Groups of few work-items in dimension 0 that together make a row worth having lanes: where the kernel doesn't mind
// how it is cut, groups of one range run as one row. Where it has tiles, as many rows as one is high.
static uint64_t groups_of_row(const struct weft_launch *l, const struct weft_kernel_info *info)
{
    uint64_t items = l->nd.local_size[0], high = l->nd.local_size[1];
    if (info && info->group_independence == WEFT_GROUP_ROWS_INDEPENDENT && high < WEFT_TILE_HEIGHT)
        return l->nd.num_groups[0] * ((WEFT_TILE_HEIGHT + high - 1) / high);
    if (items >= WEFT_NDRANGE_ROW || (info && !info->group_independence))
        return 1;
    uint64_t groups = (WEFT_NDRANGE_ROW + items - 1) / items;
    return groups < l->nd.num_groups[0] ? groups : l->nd.num_groups[0];
}

// Where lanes are along dimension 1, memory is: groups that lie beside each other in dimension 0 touch other lines, all of which
// the next row of groups wants again. So they are run in strips of few, one below the other. Groups in a row of a strip; 0: there are none.
static uint8_t strip_of(const struct weft_launch *l, const struct weft_kernel_info *info)
{
    if (!info || !info->swap_dimensions || weft_ndrange_variant(&l->nd, info) != WEFT_VARIANT_DIM + 1)
        return 0;
    const uint64_t wide = (STRIP_ITEMS + l->nd.local_size[0] - 1) / l->nd.local_size[0];
    return wide < l->nd.num_groups[0] && l->nd.num_groups[1] > 1 ? (uint8_t)wide : 0;
}

// Where more is touched than the caches hold, what is stored would be gone from them before it is read, and push out what is
// needed. A chain of launches, each of which reads what the one before has stored, breaks even at one and a half times their size
// (two cores of Zen 4, copies and triads); launches of which none reads another's results gain from about half of that on.
static bool fits_into_caches(const struct weft_launch *l, const struct weft_kernel_info *info)
{
    enum { SURELY = 2 << 20 }; // bytes: no cache is asked for
    if (!info || WEFT_LIKELY(!info->nontemporal_bytes))
        return true;
    const uint64_t wish = weft_config_uint(WEFT_CFG_NONTEMPORAL);
    if (wish)
        return wish == 1;
    uint64_t bytes = info->nontemporal_bytes;
    for (unsigned d = 0; d < 3; d++)
        if (!weft_mul_size(bytes, l->nd.global_size[d], &bytes))
            bytes = UINT64_MAX;
    if (bytes <= SURELY)
        return true;
    const uint64_t held = weft_device_caches_hold();
    return bytes / 3 <= held / 2;
}

// How the work-groups are best shared out, from what the kernel has cost so far. Returns whether the code wants the pool.
static bool plan(struct weft_command *c, struct weft_launch *l)
{
    uint64_t items = l->nd.local_size[0] * l->nd.local_size[1] * l->nd.local_size[2];
    uint64_t groups = l->nd.num_groups[0] * l->nd.num_groups[1] * l->nd.num_groups[2];
    uint32_t cost = atomic_load_explicit(&l->code->cost, memory_order_relaxed); // a hint
    uint64_t group_ns = ((uint64_t)(cost ? cost : GUESSED_COST) * items >> 10) + 1;
    c->units = groups;
    c->grain = 1;
    const struct weft_kernel_info *info = weft_kernel_code_info(l->code);
    uint64_t row = groups_of_row(l, info);
    if ((group_ns < RANGE_NS || row > 1) && groups > 1) {
        uint64_t grain = group_ns < RANGE_NS ? RANGE_NS / group_ns : 1;
        uint64_t share = groups / (4 * (uint64_t)c->queue->threads);
        if (row > 1)
            grain = (grain + row - 1) / row * row;
        grain = grain < share ? grain : share;
        c->grain = grain ? grain : 1;
    }
    l->strip = strip_of(l, info);
    l->nd.cached = fits_into_caches(l, info);
    c->urgent = groups > 1 && groups >= URGENT_NS / group_ns;
    c->lengthy = groups == 1 && cost && group_ns >= LENGTHY_NS;
    l->first = cost == 0;
    l->sample = l->first || ((uintptr_t)c >> 6) % SAMPLE_EVERY == 0;
    uint64_t ns = cost ? group_ns * groups : 0;
    if (WEFT_UNLIKELY(ns >= COUNTS_NS && info))
        weft_kernel_code_note_time(l->code, info, &l->nd, ns);
    return !info || weft_launch_wants_pool(info);
}

static cl_int capture_variables(const struct weft_command *c, struct weft_launch *l)
{
    l->variables = weft_build_variables(l->code->build, c->queue->device);
    return l->variables ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

bool weft_launch_initializes(const struct weft_launch *l)
{
    const struct weft_build *b = l->code->build;
    return (b->initializes || b->finalizes) && !l->code->meta->initializes && !l->code->meta->finalizes;
}

// Waits, so the kernel isn't locked: another thread may set its arguments meanwhile. A launch that lacks arguments is an error of its
// own, and starts nothing.
static cl_int initialize(const struct weft_command *c, struct weft_kernel *k)
{
    struct weft_build *b = k->code->build;
    pthread_mutex_lock(&k->lock);
    bool missing = k->args_missing;
    pthread_mutex_unlock(&k->lock);
    if (missing)
        return weft_kernel_lacks_arg(k);
    return weft_build_initialize(b, c->context, c->queue->device);
}

static void note(const struct weft_launch *l)
{
    weft_kernel_code_note_launch(l->code, l->nd.global_size[0] * l->nd.global_size[1] * l->nd.global_size[2]);
    if (WEFT_LIKELY(!l->code->waits))
        return;
    if (l->code->each_size)
        weft_kernel_code_wait_sized(l->code, &l->nd);
    else
        weft_autotune_wait(l->code);
}

// ---- Recorded launches ----

// The code is better known than when it was recorded, and so is its cost. Whoever runs this may have a small stack,
// unless it was not let there before.
static void before_replay(struct weft_command *c)
{
    struct weft_launch *l = weft_launch_of(c);
    atomic_store_explicit(&c->began, 0, memory_order_relaxed); // as in launch/time_limit.c
    if (WEFT_UNLIKELY(!weft_kernel_code_is_final(l->code)))
        weft_kernel_code_wait(l->code);
    if (!plan(c, l))
        weft_command_keep_to_pool(c, false);
    if (WEFT_UNLIKELY(weft_kernel_code_notes_launches(l->code)))
        note(l);
}

static void after_replay(struct weft_command *c)
{
    weft_launch_flush_output(weft_launch_of(c));
}

static const struct weft_replay_ops replay_ops = {before_replay, after_replay};

void weft_ndrange_finalize(struct weft_command *c)
{
    struct weft_launch *l = weft_launch_of(c);
    if (c->run_range != weft_launch_run)
        return;
    weft_kernel_code_wait(l->code);
    weft_command_keep_to_pool(c, plan(c, l));
}

void weft_launch_ready(struct weft_command *c)
{
    weft_command_keep_to_pool(c, plan(c, weft_launch_of(c)));
    c->run_range = weft_launch_run;
}

// Of the reasons for which a launch fails the one that a number explains.
static void tell_of_local_memory(const struct weft_command *c, struct weft_kernel *k)
{
    pthread_mutex_lock(&k->lock);
    uint64_t bytes = k->meta->local_static_bytes + k->local_arg_bytes;
    pthread_mutex_unlock(&k->lock);
    if (!weft_device_local_fits(c->queue->device, bytes))
        weft_context_report(
            c->context, "kernel %s needs %llu bytes of local memory, more than the %llu that the device has",
            k->meta->name, (unsigned long long)bytes,
            (unsigned long long)weft_device_local_mem(c->queue->device));
}

static cl_int capture(struct weft_command *c, struct weft_kernel *k, cl_uint dim, const size_t *offset,
                      const size_t *global, const size_t *local, bool ready)
{
    struct weft_launch *l = weft_launch_of(c);
    l->code = k->code;
    weft_build_use(l->code->build);
    c->release = weft_launch_release;
    size_t chosen[3];
    cl_int err = CL_SUCCESS;
    if (WEFT_UNLIKELY(weft_launch_initializes(l)))
        err = initialize(c, k);
    if (err)
        return err;
    pthread_mutex_lock(&k->lock);
    // "CL_INVALID_KERNEL_ARGS if the kernel argument values have not been specified"
    if (k->args_missing)
        err = weft_kernel_lacks_arg_locked(k);
    else if (!make_room_locked(k, l, k->local_args && !ready))
        err = CL_OUT_OF_HOST_MEMORY;
    else if (!weft_device_local_fits(c->queue->device, k->meta->local_static_bytes + k->local_arg_bytes))
        err = CL_OUT_OF_RESOURCES;
    if (!err && WEFT_UNLIKELY(k->build->object.global_variable_bytes))
        err = capture_variables(c, l);
    if (!err)
        err = capture_args_locked(k, l);
    if (!err && !local) {
        default_local_locked(k, dim, global, chosen);
        local = chosen;
    }
    pthread_mutex_unlock(&k->lock);
    if (err) {
        tell_of_local_memory(c, k);
        return err;
    }
    weft_launch_set_range(l, dim, offset, global, local);
    weft_launch_ready(c);
    c->replay = &replay_ops;
    if (WEFT_UNLIKELY(!ready || weft_kernel_code_notes_launches(l->code)))
        note(l);
    return CL_SUCCESS;
}

// ---- Submitting ----

// With the event that the code's completion triggers behind the application's own. Keeps c on failure.
static cl_int submit_after_code(struct weft_command *c, struct weft_kernel *k, cl_uint wait_count,
                                const cl_event *wait_list, cl_event *event)
{
    size_t count;
    cl_event *list = NULL;
    struct weft_command *code = NULL;
    if (weft_add_size(wait_count, 1, &count) && count <= UINT32_MAX)
        list = weft_alloc_array(count, sizeof *list);
    if (list)
        code = weft_kernel_code_event(k->code, k->program->context);
    if (!code) {
        weft_free(list);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (wait_count)
        memcpy(list, wait_list, wait_count * sizeof *list);
    list[wait_count] = (cl_event)code;
    cl_int err = weft_command_try_submit(c, (cl_uint)count, list, event);
    weft_object_release_handle(&code->obj);
    weft_free(list);
    return err;
}

// A launch that runs nothing needs its arguments too.
static cl_int check_args_set(struct weft_kernel *k)
{
    pthread_mutex_lock(&k->lock);
    cl_int err = k->args_missing ? weft_kernel_lacks_arg_locked(k) : CL_SUCCESS;
    pthread_mutex_unlock(&k->lock);
    return err;
}

static bool is_empty(cl_uint dim, const size_t *global)
{
    for (cl_uint i = 0; global && i < dim; i++)
        if (global[i] == 0)
            return true;
    return !global;
}

// Twice in the library, so that a launch has a known type.
WEFT_ALWAYS_INLINE cl_int enqueue(struct weft_queue *q, struct weft_kernel *k, cl_command_type type,
                                  cl_uint dim, const size_t *offset, const size_t *global,
                                  const size_t *local, cl_uint wait_count, const cl_event *wait_list,
                                  cl_event *event)
{
    size_t demanded[3];
    if (WEFT_UNLIKELY(k->meta->reqd_sub_groups)) {
        cl_int refused = weft_sub_groups_demanded(k, dim, global, local, demanded);
        if (refused && !weft_kernel_code_has_failed(k->code))
            return refused;
        if (refused) { // not the launch's fault
            weft_context_report(q->context, "kernel %s has no code: %s", k->meta->name,
                                weft_launch_no_code_reason(k->code));
            return weft_launch_no_code_error(k->code);
        }
        local = demanded;
    }
    // Asked once: a code that becomes ready meanwhile is treated as one that isn't yet.
    bool ready = weft_kernel_code_is_final(k->code) && weft_kernel_code_info(k->code);
    if (WEFT_UNLIKELY(!ready && weft_kernel_code_has_failed(k->code))) {
        weft_context_report(q->context, "kernel %s has no code: %s", k->meta->name,
                            weft_launch_no_code_reason(k->code));
        return weft_launch_no_code_error(k->code);
    }
    struct weft_command *c = weft_command_create_with(q, type);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = is_empty(dim, global) ? check_args_set(k) : capture(c, k, dim, offset, global, local, ready);
    // In the spec's order the wait list comes behind the resources that a launch needs.
    if (!err)
        err = weft_check_wait_events_again(wait_count, wait_list);
    if (!err)
        err = WEFT_LIKELY(ready || !c->run_range) ? weft_command_try_submit(c, wait_count, wait_list, event)
                                                  : submit_after_code(c, k, wait_count, wait_list, event);
    if (WEFT_UNLIKELY(err)) {
        weft_object_ref(&q->obj); // the caller's again
        weft_command_abandon(c);
    }
    return err;
}

cl_int weft_ndrange_enqueue(struct weft_queue *q, struct weft_kernel *k, cl_uint dim, const size_t *offset,
                            const size_t *global, const size_t *local, cl_uint wait_count,
                            const cl_event *wait_list, cl_event *event)
{
    return enqueue(q, k, CL_COMMAND_NDRANGE_KERNEL, dim, offset, global, local, wait_count, wait_list, event);
}

cl_int weft_task_enqueue(struct weft_queue *q, struct weft_kernel *k, cl_uint wait_count,
                         const cl_event *wait_list, cl_event *event)
{
    const size_t one = 1;
    return enqueue(q, k, CL_COMMAND_TASK, 1, NULL, &one, &one, wait_count, wait_list, event);
}
