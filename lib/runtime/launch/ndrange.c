// Launches: what clEnqueueNDRangeKernel captures, and how it is submitted. A launch owns references to its
// build and its memory objects, and a copy of the arguments, which is inside the command if it is small.
// If the kernel's code isn't ready, the command depends on a hidden user event that the compile completes. No
// thread waits. Each step of an enqueue is a few lines, and reads on from the one before: more than 500 lines
// in one file for that reason.
#include "runtime/launch/ndrange.h"

#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "base/libc/libc.h"
#include "runtime/command/command.h"
#include "runtime/command/queue.h"
#include "runtime/command/trace.h"
#include "runtime/command/wait_list.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/launch/checks.h"
#include "runtime/launch/local_size.h"
#include "runtime/launch/program_variables.h"
#include "runtime/launch/sub_groups.h"
#include "runtime/image/image.h"
#include "runtime/memory/memory.h"
#include "runtime/code/build_result.h"
#include "runtime/program/kernel.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/kernel_variants.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/scheduler.h"
#include "weft/trace.h"

#define RANGE_NS 4000u     // a shorter range isn't worth handing to another thread
#define URGENT_NS 12000u   // a longer launch is worth waking a thread
#define LENGTHY_NS 50000u  // a longer group should not keep other launches waiting
#define GUESSED_COST 1024u // ns for 1024 work-items of a kernel that has never run
#define SAMPLE_EVERY 16u
#define STRIP_ITEMS 16      // work-items of a strip along dimension 0
#define MIN_NOTED_NS 20000u // only launches longer than this count for other code of the kernel

// How ranges are run: weft_launch_run, or with a timeline weft_launch_run_traced. Set at load.
static weft_command_range_fn run = weft_launch_run;

static weft_trace_text kernel_name(const struct weft_command *c)
{
    const struct weft_kernel_code *code = weft_launch_of((struct weft_command *)(uintptr_t)c)->code;
    return code ? code->trace_name : 0;
}

__attribute__((constructor)) static void choose_run(void)
{
    if (!weft_trace_is_on())
        return;
    run = weft_launch_run_traced;
    weft_command_kernel_name = kernel_name;
}

// Counts the launches that this thread plans. (The command's address would tell less: a program that waits
// for each launch gets the same command again and again.)
static _Thread_local uint32_t launch_turn WEFT_STATIC_TLS;

// ---- Capturing ----

static bool place_block_locked(const struct weft_kernel *k, struct weft_launch *l, bool deferred)
{
    size_t args = k->args_bytes;
    size_t mems = (size_t)k->mem_args * sizeof *l->mems;
    size_t bytes = args + mems + (deferred ? k->local_args * sizeof *l->local_offsets : 0);
    unsigned char *block = l->inline_block;
    if (bytes > WEFT_LAUNCH_INLINE_BYTES || k->args_align > WEFT_LAUNCH_INLINE_ALIGN) {
        block = l->block = weft_alloc_aligned(WEFT_LAUNCH_BLOCK_ALIGN, bytes);
        if (!block)
            return false;
    }
    l->args = block;
    l->mems = (struct weft_mem **)(void *)(block + args);
    l->local_offsets = deferred ? (uint64_t *)(void *)(block + args + mems) : NULL;
    return true;
}

static cl_int capture_mem(struct weft_launch *l, const struct weft_kernel_arg *arg, unsigned char *slot)
{
    const unsigned char *address = NULL;
    struct weft_mem *m = arg->mem;
    if (m) {
        // The object has been destroyed since it was set: the specification gives the argument no reference.
        // Its memory may belong to another object now.
        if (!weft_mem_ref_if(m, arg->type))
            return weft_error(
                CL_INVALID_KERNEL_ARGS,
                "an argument of the kernel is a memory object that has been released since it was set");
        l->mems[l->mem_count++] = m; // released with the launch
        weft_mem_begin_use(m);
        // For a sub-buffer: "the offset specified when the sub-buffer object is created is not aligned".
        if (m->parent && m->origin % WEFT_DEVICE_MEM_ALIGN != 0)
            return CL_MISALIGNED_SUB_BUFFER_OFFSET;
        address = m->image ? (const unsigned char *)m->image->kernel : m->data;
    }
    memcpy(slot, &address, sizeof address);
    return CL_SUCCESS;
}

// Takes references to the queues among the copied arguments: to all of them or, on failure, to none.
static cl_int capture_queues(const struct weft_kernel *k, struct weft_launch *l)
{
    const struct weft_kernel_meta *m = k->meta;
    for (uint32_t i = 0; i < m->arg_count; i++) {
        cl_command_queue handle;
        if (m->args[i].kind != WEFT_ARG_QUEUE)
            continue;
        memcpy(&handle, l->args + m->args[i].offset, sizeof handle);
        // It isn't a queue if it has been released since it was set.
        if (weft_object_ref_of(handle, WEFT_KIND_DEVICE_QUEUE))
            continue;
        weft_launch_drop_extra(l, i);
        return weft_error(CL_INVALID_KERNEL_ARGS,
                          "an argument of the kernel is a queue that has been released since it was set");
    }
    l->extra = true;
    return CL_SUCCESS;
}

static cl_int capture_memory_locked(const struct weft_kernel *k, struct weft_launch *l)
{
    if (!k->mem_args && !k->local_args)
        return CL_SUCCESS;
    uint64_t offset = 0, *offsets = l->local_offsets;
    size_t begin = 0;
    if (k->local_args && !offsets)
        weft_align_size(l->code->first->local_static_bytes, WEFT_LOCAL_ALIGN, &begin);
    for (uint32_t i = 0; i < k->meta->arg_count; i++) {
        const struct weft_arg_meta *a = &k->meta->args[i];
        if (a->kind == WEFT_ARG_GLOBAL || a->kind == WEFT_ARG_CONSTANT || a->kind == WEFT_ARG_PIPE ||
            a->kind == WEFT_ARG_IMAGE) {
            // An SVM pointer has been copied with the block.
            cl_int err = k->arg[i].pointer ? CL_SUCCESS : capture_mem(l, &k->arg[i], l->args + a->offset);
            if (err)
                return err;
        } else if (a->kind == WEFT_ARG_LOCAL) {
            uint64_t at = begin + offset;
            if (offsets)
                *offsets++ = offset;
            memcpy(l->args + a->offset, &at, sizeof at);
            offset += (k->arg[i].local_size + WEFT_LOCAL_ALIGN - 1) & ~(uint64_t)(WEFT_LOCAL_ALIGN - 1);
        }
    }
    l->local_arg_bytes = offset;
    return CL_SUCCESS;
}

// What few launches have: queues, and checks.
static cl_int capture_extra_locked(const struct weft_kernel *k, struct weft_launch *l)
{
    weft_launch_check_arguments(k);
    cl_int error = capture_queues(k, l);
    if (!error)
        error = capture_memory_locked(k, l);
    if (!error && l->code->build->check)
        weft_launch_capture_objects(l, k);
    return error;
}

static cl_int capture_args_locked(const struct weft_kernel *k, struct weft_launch *l)
{
    memcpy(l->args, k->args, k->meta->args_size);
    return k->has_extra ? capture_extra_locked(k, l) : capture_memory_locked(k, l);
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
        // The divisions would cost more than everything else here, and mostly they aren't needed. The last
        // group may be smaller.
        uint64_t g = nd->global_size[i], n = nd->local_size[i];
        nd->num_groups[i] = n == 1               ? g
                            : (n & (n - 1)) == 0 ? (g >> __builtin_ctzll(n)) + ((g & (n - 1)) != 0)
                                                 : g / n + (g % n != 0);
    }
}

// The number of groups that should stay in one range. If the kernel is group-shape independent, the groups of
// one range run as one row. So groups that are short in dimension 0 are put together until the row is worth
// vectorizing. If the kernel has tiles: as many rows of groups as a tile is high.
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

// The width of strips in groups; 0: no strips. If lanes lie along dimension 1, memory does, too. Groups that
// are neighbours in dimension 0 touch different cache lines, and the next row of groups needs all of these
// lines again. So groups run in narrow strips, one row below the other.
static uint8_t strip_of(const struct weft_launch *l, const struct weft_kernel_info *info)
{
    if (!info || !info->swap_dimensions || weft_ndrange_variant(&l->nd, info) != WEFT_VARIANT_DIM + 1)
        return 0;
    const uint64_t wide = (STRIP_ITEMS + l->nd.local_size[0] - 1) / l->nd.local_size[0];
    return wide < l->nd.num_groups[0] && l->nd.num_groups[1] > 1 ? (uint8_t)wide : 0;
}

// May stores go through the caches? If a launch touches more than the caches hold, what it stores would be
// evicted before it is read, and would evict what is needed. In a chain of launches that each read what the
// previous one stored, non-temporal stores break even at one and a half times the caches' size (two cores of
// Zen 4, copies and triads). Launches that don't read each other's results gain from about half of that size
// on.
static bool fits_into_caches(const struct weft_launch *l, const struct weft_kernel_info *info)
{
    enum { ALWAYS_FITS = 2 << 20 }; // in bytes: below this, the caches needn't be asked
    if (!info || WEFT_LIKELY(!info->nontemporal_bytes))
        return true;
    const uint64_t setting = weft_config_uint(WEFT_CFG_NONTEMPORAL);
    if (setting)
        return setting == 1;
    uint64_t bytes = info->nontemporal_bytes;
    for (unsigned d = 0; d < 3; d++)
        if (!weft_mul_size(bytes, l->nd.global_size[d], &bytes))
            bytes = UINT64_MAX;
    if (bytes <= ALWAYS_FITS)
        return true;
    const uint64_t held = weft_device_last_level_cache_bytes();
    return bytes / 3 <= held / 2;
}

// How many groups one thread takes at least. A thread that takes less than RANGE_NS spends too much on
// taking. share: so many at most if the reason is another one.
static uint64_t grain_of(uint64_t group_ns, bool is_known, uint64_t row, uint64_t share)
{
    uint64_t least = group_ns < RANGE_NS ? RANGE_NS / group_ns : 1;
    share = share ? share : 1;
    if (!is_known && least > share)
        least = share; // it may be much more than was guessed
    const uint64_t rows = row > 1 ? (least + row - 1) / row * row : least;
    return rows <= share ? rows : least > share ? least : share;
}

// Decides how the work-groups are split, from the kernel's measured cost. Returns whether the code must run
// on threads of the pool.
static bool plan(struct weft_command *c, struct weft_launch *l)
{
    uint64_t items = l->nd.local_size[0] * l->nd.local_size[1] * l->nd.local_size[2];
    uint64_t groups = l->nd.num_groups[0] * l->nd.num_groups[1] * l->nd.num_groups[2];
    uint32_t cost = atomic_load_explicit(&l->code->cost, memory_order_relaxed); // relaxed: a hint
    uint64_t group_ns = ((uint64_t)(cost ? cost : GUESSED_COST) * items >> 10) + 1;
    const struct weft_kernel_info *info = weft_kernel_code_info(l->code);
    c->units = groups;
    c->grain =
        grain_of(group_ns, cost != 0, groups_of_row(l, info), groups / (4 * (uint64_t)c->queue->threads));
    if (WEFT_UNLIKELY(l->extra) && l->code->build->check >> WEFT_CHECK_RACE & 1)
        c->grain = groups; // one thread (runtime/checker/races.h)
    c->cost = cost ? group_ns * groups : 0;
    l->strip = strip_of(l, info);
    l->nd.temporal_stores = fits_into_caches(l, info);
    c->urgent = groups > 1 && groups >= URGENT_NS / group_ns;
    c->lengthy = groups == 1 && cost && group_ns >= LENGTHY_NS;
    l->first = cost == 0;
    const bool noted = c->cost >= MIN_NOTED_NS, sampled = launch_turn++ % SAMPLE_EVERY == 0;
    // Reading clocks and counting takes as long as a tenth of a tiny launch. So a sample of these counts.
    l->measure = l->first || sampled || (noted && weft_kernel_code_can_improve(l->code));
    l->counts_for = noted || l->first || weft_kernel_code_is_quick(l->code) ? 1 : sampled ? SAMPLE_EVERY : 0;
    if (WEFT_UNLIKELY(noted && info))
        weft_kernel_code_note_time(l->code, info, &l->nd, c->cost);
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

// Waits for the initializers. The kernel isn't locked meanwhile, so another thread may set its arguments. A
// launch with missing arguments has an error of its own and initializes nothing.
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

// Of a launch that is planned.
static bool must_note(const struct weft_launch *l)
{
    return (l->counts_for || l->code->waits_for_variant) && weft_kernel_code_notes_launches(l->code);
}

static void note(const struct weft_launch *l)
{
    weft_kernel_code_note_launch(l->code, &l->nd, l->counts_for > 1 ? l->counts_for : 1);
    if (WEFT_LIKELY(!l->code->waits_for_variant))
        return;
    if (l->code->exact_size)
        weft_size_variant_wait(l->code, &l->nd);
    else
        weft_autotune_wait(l->code);
}

// ---- Recorded launches ----

// There may be better code, and a better known cost, than at the time of recording. The thread that runs the
// replay may have a small stack, unless the replay was kept to the pool.
static void before_replay(struct weft_command *c)
{
    struct weft_launch *l = weft_launch_of(c);
    atomic_store_explicit(&c->began, 0, memory_order_relaxed); // relaxed: as in launch/time_limit.c
    if (WEFT_UNLIKELY(!weft_kernel_code_is_final(l->code)))
        weft_kernel_code_wait(l->code);
    if (!plan(c, l))
        weft_command_keep_to_pool(c, false);
    if (WEFT_UNLIKELY(must_note(l)))
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
    if (c->run_range != run)
        return;
    weft_kernel_code_wait(l->code);
    weft_command_keep_to_pool(c, plan(c, l));
}

void weft_launch_ready(struct weft_command *c)
{
    weft_command_keep_to_pool(c, plan(c, weft_launch_of(c)));
    c->run_range = run;
}

// Of the reasons why a launch can fail, this is the one that numbers explain.
static void report_local_memory(const struct weft_command *c, struct weft_kernel *k)
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
    else if (!place_block_locked(k, l, k->local_args && !ready))
        err = CL_OUT_OF_HOST_MEMORY;
    else if (!weft_device_local_fits(c->queue->device, k->meta->local_static_bytes + k->local_arg_bytes))
        err = CL_OUT_OF_RESOURCES;
    if (!err && WEFT_UNLIKELY(k->build->object.global_variable_bytes))
        err = capture_variables(c, l);
    if (!err)
        err = capture_args_locked(k, l);
    if (!err && !local) {
        weft_kernel_default_local_locked(k, dim, global, chosen);
        local = chosen;
    }
    pthread_mutex_unlock(&k->lock);
    if (err) {
        report_local_memory(c, k);
        return err;
    }
    weft_launch_set_range(l, dim, offset, global, local);
    if (WEFT_UNLIKELY(l->extra) && l->code->build->check >> WEFT_CHECK_RACE & 1)
        weft_launch_compare(c);
    weft_launch_ready(c);
    c->replay = &replay_ops;
    if (WEFT_UNLIKELY(!ready || must_note(l)))
        note(l);
    return CL_SUCCESS;
}

// ---- Submitting ----

// Had a launch better wait for code with lanes?
static bool waits_for_lanes(const struct weft_kernel_code *code, cl_uint dim, const size_t *global)
{
    uint64_t items = 1;
    for (cl_uint i = 0; i < dim; i++)
        items *= global ? global[i] : 0;
    return weft_kernel_code_waits_for_lanes(code, items);
}

// Submits c so that it waits for the code's event in addition to the application's wait list. On failure the
// caller keeps c.
static cl_int submit_after_code(struct weft_command *c, struct weft_kernel *k, cl_uint wait_count,
                                const cl_event *wait_list, cl_event *event)
{
    const bool lanes = waits_for_lanes(k->code, 3, weft_launch_of(c)->nd.global_size);
    size_t count;
    cl_event *list = NULL;
    struct weft_command *code = NULL;
    if (weft_add_size(wait_count, 1, &count) && count <= UINT32_MAX)
        list = weft_alloc_array(count, sizeof *list);
    if (list)
        code = weft_kernel_code_event(k->code, k->program->context, lanes);
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

// Even a launch without work-items needs all its arguments.
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

// Inlined two times, so that the type is a constant in each.
WEFT_ALWAYS_INLINE cl_int enqueue(struct weft_queue *q, struct weft_kernel *k, cl_command_type type,
                                  cl_uint dim, const size_t *offset, const size_t *global,
                                  const size_t *local, cl_uint wait_count, const cl_event *wait_list,
                                  cl_event *event)
{
    size_t required[3];
    if (WEFT_UNLIKELY(k->meta->reqd_sub_groups)) {
        cl_int error = weft_sub_groups_required_local(k, dim, global, local, required);
        if (error && !weft_kernel_code_has_failed(k->code))
            return error;
        if (error) { // the launch itself is fine
            weft_context_report(q->context, "kernel %s has no code: %s", k->meta->name,
                                weft_launch_no_code_reason(k->code));
            return weft_launch_no_code_error(k->code);
        }
        local = required;
    }
    // Asked only once: code that becomes ready from here on counts as not ready.
    bool ready = weft_kernel_code_is_final(k->code) && weft_kernel_code_info(k->code);
    if (WEFT_UNLIKELY(weft_kernel_code_is_quick(k->code)) && waits_for_lanes(k->code, dim, global))
        ready = false;
    if (WEFT_UNLIKELY(!ready && weft_kernel_code_has_failed(k->code))) {
        weft_context_report(q->context, "kernel %s has no code: %s", k->meta->name,
                            weft_launch_no_code_reason(k->code));
        return weft_launch_no_code_error(k->code);
    }
    struct weft_command *c = weft_command_create_with(q, type);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = is_empty(dim, global) ? check_args_set(k) : capture(c, k, dim, offset, global, local, ready);
    // In the specification's order of errors, the wait list comes after the resources of a launch.
    if (!err)
        err = weft_check_wait_events_again(wait_count, wait_list);
    struct weft_launch_parts *parts =
        WEFT_UNLIKELY(weft_misuse_is_on()) && !err ? weft_launch_check_parts(c) : NULL;
    if (!err)
        err = WEFT_LIKELY(ready || !c->run_range) ? weft_command_try_submit(c, wait_count, wait_list, event)
                                                  : submit_after_code(c, k, wait_count, wait_list, event);
    if (WEFT_UNLIKELY(parts != NULL))
        weft_free(parts);
    if (WEFT_UNLIKELY(err)) {
        weft_object_ref(&q->obj); // the caller keeps its reference
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
