// How one thread runs a range of a launch's work-groups, and what a launch releases when it is over.
// Ranges run on several threads at once and use the launch without locks: it is constant, except for atomic
// members. A fault of the kernel ends its range, fails the command and stops the other ranges.
//
// This file has more than 500 lines: small launches take all of it, inlined.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "runtime/checker/shadow.h"
#include "runtime/command/command.h"
#include "runtime/command/trace.h"
#include "runtime/device/context.h"
#include "runtime/core/object.h"
#include "runtime/launch/checks.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/printf.h"
#include "runtime/launch/time_limit.h"
#include "runtime/memory/memory.h"
#include "runtime/code/build_result.h"
#include "runtime/code/counting.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/kernel_variants.h"
#include "runtime/code/ladder.h"
#include "weft/code_object.h"
#include "weft/fault.h"
#include "weft/kernel_abi.h"
#include "weft/scheduler.h"
#include "weft/trace.h"

// ---- printf ----

static struct weft_printf_output *output_of(struct weft_launch *l)
{
    // acquire: pairs with the release of the exchange below.
    struct weft_printf_output *o = atomic_load_explicit(&l->output, memory_order_acquire);
    if (o)
        return o;
    struct weft_printf_output *made = weft_zalloc(sizeof *made);
    if (!made)
        return NULL;
    if (atomic_compare_exchange_strong_explicit(&l->output, &o, made, memory_order_acq_rel,
                                                memory_order_acquire))
        return made;
    weft_free(made);
    return o;
}

// The C library's functions run with denormals kept, whatever the kernel's mode is.
static int32_t host_printf(struct weft_exec *x, const char *format, const void *blob, uint32_t blob_size)
{
    struct weft_arch_float kernels;
    weft_arch_float_enter(&kernels, false);
    weft_fault_hold();
    struct weft_printf_output *o = output_of(weft_launch_of(x->launch));
    struct weft_buf text = {0};
    bool ok = weft_printf_format(&text, format, blob, blob_size);
    if (o && text.size)
        weft_printf_append(o, &text);
    weft_buf_free(&text);
    weft_fault_release();
    weft_arch_float_leave(&kernels);
    return ok && o ? 0 : -1;
}

static const struct weft_kernel_host host = {.printf = host_printf,
                                             .enqueue = weft_host_enqueue,
                                             .device_call = weft_host_device_call,
                                             .touch = weft_host_touch,
                                             .touch_store = weft_host_touch_store};

// ---- Running ----

struct range_call {
    struct weft_launch *launch;
    struct weft_exec *exec;
    weft_kernel_fn run;
    uint64_t first, last;
    bool prepares; // there is something to do before each work-group
    bool quiet;    // for races that may end (weft_kernel_info)
    bool joins;    // and groups may run together then
    size_t local;  // bytes of local memory
};

// The group that is unit n of the launch. *count is set to the number of units from there on that are
// consecutive groups. All ranges of a launch must agree on this, even if they run different code.
static uint64_t group_of_unit(const struct weft_launch *l, uint64_t n, uint64_t *count)
{
    *count = UINT64_MAX;
    if (WEFT_LIKELY(!l->strip))
        return n;
    const uint64_t *groups = l->nd.num_groups, layer = groups[0] * groups[1], strip = l->strip * groups[1];
    const uint64_t at = n % layer, left = at / strip * l->strip, within = at % strip;
    const uint64_t width = groups[0] - left < l->strip ? groups[0] - left : l->strip;
    const uint64_t x = within % width;
    *count = width - x;
    return n - at + within / width * groups[0] + left + x;
}

static __attribute__((noinline, cold)) void prepare_group(const struct range_call *r, uint64_t group)
{
    struct weft_running *running = WEFT_CONTAINER_OF(r->exec, struct weft_running, exec);
    const struct weft_command *c = r->exec->launch;
    if (c->context->zero_local)
        memset(r->exec->local_mem, 0, r->local);
    weft_launch_reset_local_shadow(running);
    if (r->launch->code->build->check >> WEFT_CHECK_RACE & 1)
        weft_race_begin_group(running->races, group);
}

// True: the groups that follow need no preparing.
static __attribute__((noinline, cold)) bool end_group(const struct range_call *r)
{
    struct weft_running *running = WEFT_CONTAINER_OF(r->exec, struct weft_running, exec);
    return r->launch->code->build->check >> WEFT_CHECK_RACE & 1 && weft_launch_end_group(running, r->quiet);
}

// How many small groups of a row may be run as one, once they need no preparing; 0: they stay as they are.
static uint64_t joined_groups(const struct range_call *r)
{
    enum { SMALL = 16, LARGE = 256, FEW = 4 };
    const struct weft_ndrange *nd = &r->launch->nd;
    uint64_t joined = LARGE;
    if (!r->joins || nd->local_size[0] > SMALL || nd->local_size[1] * nd->local_size[2] != 1 ||
        nd->num_groups[1] * nd->num_groups[2] != 1 || r->first || r->last != nd->num_groups[0])
        return 0;
    while (joined * nd->local_size[0] > LARGE || nd->num_groups[0] % joined)
        joined /= 2;
    return joined < FEW ? 0 : joined;
}

// UBSan would look at the bytes before a function that is called through a pointer, and before `run` there
// may be nothing.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static void
run_joined(const struct range_call *r, uint64_t first, uint64_t joined)
{
    struct weft_ndrange nd = r->launch->nd;
    const uint64_t begin = (first + joined - 1) / joined;
    r->run(&r->launch->nd, r->launch->args, r->exec, first, begin * joined);
    nd.local_size[0] *= joined;
    nd.num_groups[0] /= joined;
    r->run(&nd, r->launch->args, r->exec, begin, nd.num_groups[0]);
}

#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static void
call_range(void *arg)
{
    const struct range_call *r = arg;
    bool prepares = r->prepares;
    for (uint64_t n = r->first, count; n < r->last; n += count) {
        const uint64_t g = group_of_unit(r->launch, n, &count);
        count = count < r->last - n ? count : r->last - n;
        if (WEFT_UNLIKELY(prepares)) {
            WEFT_CONTAINER_OF(r->exec, struct weft_running, exec)->frame =
                (uintptr_t)__builtin_frame_address(0);
            prepare_group(r, g);
            count = 1;
        }
        r->run(&r->launch->nd, r->launch->args, r->exec, g, g + count);
        if (WEFT_UNLIKELY(prepares)) {
            prepares = !end_group(r);
            const uint64_t joined = prepares ? 0 : joined_groups(r);
            if (!prepares)
                WEFT_CONTAINER_OF(r->exec, struct weft_running, exec)->unprepared = joined ? joined : 1;
            if (joined && g + 1 < r->last) {
                run_joined(r, g + 1, joined);
                return;
            }
        }
        if (WEFT_UNLIKELY(WEFT_CONTAINER_OF(r->exec, struct weft_running, exec)->stuck))
            return;
    }
}

static bool call_within_limit(struct weft_command *c, struct range_call *call, struct weft_fault *fault,
                              unsigned how)
{
    struct weft_time_limit limit;
    weft_time_limit_begin(&limit, c);
    bool whole = weft_fault_call_kernel(call_range, call, fault, &limit.over, how);
    weft_time_limit_end(&limit);
    return whole;
}

// Lays out a thread's local memory and state: where local arguments begin, where the state begins, and the
// size of all. False: too large.
static bool lay_out(const struct weft_launch *l, const struct weft_kernel_info *i, size_t *local_args,
                    size_t *state, size_t *total)
{
    // At most WEFT_DEVICE_MAX_GROUP.
    uint64_t items = l->nd.local_size[0] * l->nd.local_size[1] * l->nd.local_size[2];
    size_t rows = (size_t)((items + WEFT_STATE_ROW - 1) / WEFT_STATE_ROW * WEFT_STATE_ROW), per_item, end;
    return weft_align_size(i->local_static_bytes, WEFT_LOCAL_ALIGN, local_args) &&
           weft_add_size(*local_args, l->local_arg_bytes, &end) &&
           weft_align_size(end, WEFT_LOCAL_ALIGN, state) &&
           weft_mul_size(i->state_per_item, rows, &per_item) &&
           weft_add_size(*state, i->state_fixed, total) && weft_add_size(*total, per_item, total);
}

static void place_local_args(const struct weft_launch *l, size_t begin)
{
    const struct weft_kernel_meta *m = l->code->meta;
    const uint64_t *offset = l->local_offsets;
    for (uint32_t a = 0; a < m->arg_count; a++) {
        if (m->args[a].kind != WEFT_ARG_LOCAL)
            continue;
        // relaxed: every thread that runs the launch stores the same values before it reads them.
        __atomic_store_n((uint64_t *)(void *)(l->args + m->args[a].offset), begin + *offset++,
                         __ATOMIC_RELAXED);
    }
}

// The cost in ns for 1024 work-items; at least 1.
static uint32_t cost_of(const struct weft_launch *l, uint64_t ns, uint64_t groups)
{
    uint64_t items = groups * l->nd.local_size[0] * l->nd.local_size[1] * l->nd.local_size[2];
    uint64_t cost = items ? ns * 1024 / items : 0;
    return cost < 1 ? 1 : cost > UINT32_MAX / 4 ? UINT32_MAX / 4 : (uint32_t)cost;
}

// A range that lost its processor in the middle seems to have taken a hundred times as long. So one range
// raises the cost by a quarter at most. There are enough of them to follow a cost that really rises.
static void note_cost(struct weft_launch *l, uint64_t now)
{
    // relaxed: a hint, pairs with nothing.
    uint64_t old = atomic_load_explicit(&l->code->cost, memory_order_relaxed);
    if (old && now > 2 * old)
        now = 2 * old;
    atomic_store_explicit(&l->code->cost, (uint32_t)(old ? (3 * old + now) / 4 : now), memory_order_relaxed);
}

static void fail_without_code(struct weft_command *c, struct weft_launch *l)
{
    c->unrun = c->units == 1;
    if (weft_command_fail(c, weft_launch_no_code_error(l->code)))
        weft_context_notify_from_command(c->context, "kernel %s has no code: %s", l->code->meta->name,
                                         weft_launch_no_code_reason(l->code));
}

static __attribute__((noinline, cold)) void fail_without_memory(struct weft_command *c,
                                                                const struct weft_launch *l)
{
    c->unrun = c->units == 1;
    if (weft_command_fail(c, CL_OUT_OF_RESOURCES))
        weft_context_report_from_command(c->context, "kernel %s: no memory for a work-group",
                                         l->code->meta->name);
}

// Code that was made after the launch was planned may need a larger stack than the launch's threads have.
static bool may_take(const struct weft_command *c, const struct weft_kernel_info *i)
{
    return weft_command_keeps_to_pool(c) || !weft_launch_wants_pool(i);
}

// Chooses the code for a range. Better code and variants take over in the middle of a launch, unless they
// need larger stacks than the launch was planned for. sample: NULL if nothing is measured.
WEFT_ALWAYS_INLINE const struct weft_kernel_info *
info_for(const struct weft_command *c, const struct weft_launch *l, struct weft_autotune_sample *sample)
{
    const struct weft_kernel_info *i = weft_kernel_code_info(l->code);
    uint32_t variant = i ? weft_kernel_variant_for(l->code, &l->nd, i) : WEFT_VARIANT_ANY;
    const struct weft_kernel_info *suited = NULL;
    if (sample && variant <= WEFT_VARIANT_DIM)
        suited = weft_autotune_code(l->code, &l->nd, sample);
    if (!suited && i)
        suited = weft_size_variant_code(l->code, i, &l->nd);
    if (!suited && WEFT_UNLIKELY(variant != WEFT_VARIANT_ANY))
        suited = weft_kernel_code_of_variant(l->code, variant);
    if (suited && may_take(c, suited))
        return suited;
    bool takes_own = i && may_take(c, i);
    if (sample && (suited || !takes_own)) // the chosen code isn't the one to be measured
        sample->autotune = NULL;
    return i && !takes_own ? l->code->first : i;
}

// False: no memory.
static __attribute__((noinline, cold)) bool prepare_checks(struct range_call *r, struct weft_running *running)
{
    const uint32_t kinds = r->launch->code->build->check;
    const bool races = kinds >> WEFT_CHECK_RACE & 1;
    if ((races || kinds >> WEFT_CHECK_BARRIER & 1) && !weft_launch_begin_races(running))
        return false;
    if (kinds >> WEFT_CHECK_UNINIT & 1)
        weft_launch_find_written(r->launch);
    const bool resets = r->prepares || (r->local && kinds >> WEFT_CHECK_UNINIT & 1);
    r->prepares = races || resets;
    r->quiet &= !resets;
    // Code for one local size knows it.
    r->joins &= !r->launch->code->meta->reqd_work_group_size[0] &&
                !atomic_load_explicit(&r->launch->code->size_variants, memory_order_relaxed);
    if (races)
        r->quiet &= weft_launch_begin_groups(running, r->local);
    return true;
}

static __attribute__((noinline, cold)) void end_shadow(const struct weft_launch *l,
                                                       struct weft_running *running)
{
    weft_launch_end_local_shadow(running);
    if (!(l->code->build->check >> WEFT_CHECK_UNINIT & 1))
        weft_launch_note_unchecked(l);
}

static __attribute__((noinline, cold)) void end_races(const struct weft_launch *l,
                                                      struct weft_running *running)
{
    weft_launch_end_races(running);
    if (running->unprepared)
        weft_log(WEFT_LOG_DEBUG, "kernel %s: work-groups run without preparing, %" PRIu64 " at a time",
                 l->code->meta->name, running->unprepared);
}

// Runs a range. sample: as in info_for. given: the code to run it in; NULL: the best that there is. Returns
// the code that it ran in; NULL: it didn't run. Inlined in each caller because small launches take this path.
WEFT_ALWAYS_INLINE const struct weft_kernel_info *run_range(struct weft_command *c, struct weft_worker *w,
                                                            uint64_t first, uint64_t last,
                                                            struct weft_autotune_sample *sample,
                                                            const struct weft_kernel_info *given)
{
    struct weft_launch *l = weft_launch_of(c);
    const struct weft_kernel_info *info = given ? given : info_for(c, l, sample);
    if (WEFT_UNLIKELY(!info)) {
        fail_without_code(c, l);
        return NULL;
    }
    size_t local_args, state, total;
    unsigned char *arena = NULL;
    if (lay_out(l, info, &local_args, &state, &total))
        arena = weft_worker_arena(w, total);
    if (WEFT_UNLIKELY(!arena)) {
        fail_without_memory(c, l);
        return NULL;
    }
    if (l->local_offsets)
        place_local_args(l, local_args);
    struct weft_running running = {.exec = {.host = &host,
                                            .local_mem = arena,
                                            .state = arena + state,
                                            .current_group = first,
                                            .launch = c,
                                            .variables = l->variables},
                                   .state_end = (uintptr_t)arena + total};
    struct range_call call = {.launch = l,
                              .exec = &running.exec,
                              .run = info->run,
                              .first = first,
                              .last = last,
                              .prepares = c->context->zero_local && state,
                              .quiet = info->quiet,
                              .joins = info->only_checks_depend,
                              .local = state};
    if (WEFT_UNLIKELY(l->extra) && !prepare_checks(&call, &running)) {
        fail_without_memory(c, l);
        return NULL;
    }
    struct weft_fault fault;
    weft_fault_install();
    // Code that counts takes longer than what launches run in.
    bool measured = !given && (l->measure || (sample && sample->autotune));
    uint64_t began = measured ? weft_time_now() : 0;
    unsigned how = (info->unsafe_stack_writes && w->is_pool ? WEFT_FAULT_SEPARATE_STACK : 0) |
                   (info->flushes_denormals ? WEFT_FAULT_FLUSH_DENORMALS : 0);
    bool whole = WEFT_LIKELY(!weft_time_limit_ns())
                     ? weft_fault_call_kernel(call_range, &call, &fault, NULL, how)
                     : call_within_limit(c, &call, &fault, how);
    if (WEFT_UNLIKELY(weft_shadow_is_on()))
        end_shadow(l, &running);
    if (WEFT_UNLIKELY(running.races != NULL))
        end_races(l, &running);
    if (WEFT_UNLIKELY(!whole)) {
        if (weft_command_fail(c, CL_OUT_OF_RESOURCES))
            weft_launch_report_fault(c, l, info, &fault, running.exec.current_group);
        weft_fault_state_release(fault.state);
    } else if (WEFT_UNLIKELY(running.stuck)) {
        if (weft_command_fail(c, CL_OUT_OF_RESOURCES))
            weft_launch_report_stuck(c, l, running.exec.current_group);
    } else if (measured) {
        uint64_t ns = weft_time_now() - began;
        uint32_t cost = cost_of(l, ns, last - first);
        note_cost(l, cost);
        if (sample && sample->autotune)
            weft_autotune_note(sample, cost);
        if (WEFT_UNLIKELY(weft_kernel_code_can_improve(l->code)) &&
            weft_ladder_note_range(l->code, ns, began + ns))
            weft_kernel_code_improve(l->code, WEFT_COMPILE_BETTER);
        if (l->first)
            weft_kernel_code_note_time(l->code, weft_kernel_code_info(l->code), &l->nd, ns);
    }
    if (WEFT_UNLIKELY(running.waiting_children != NULL))
        weft_command_let_go(running.waiting_children);
    return info;
}

static __attribute__((noinline)) void run_autotuned(struct weft_command *c, struct weft_worker *w,
                                                    uint64_t first, uint64_t last)
{
    struct weft_autotune_sample sample = {0};
    run_range(c, w, first, last, &sample, NULL);
}

void weft_launch_run(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last)
{
    // relaxed: this only saves work; pairs with weft_command_fail.
    if (WEFT_UNLIKELY(atomic_load_explicit(&c->failure, memory_order_relaxed)))
        return;
    // relaxed: a hint, which pairs with nothing.
    if (WEFT_UNLIKELY(atomic_load_explicit(&weft_launch_of(c)->code->autotunes, memory_order_relaxed)))
        run_autotuned(c, w, first, last);
    else
        run_range(c, w, first, last, NULL, NULL);
}

// ---- When the timeline or the kernels' sums are on ----

static void run_part(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last)
{
    if (first >= last)
        return;
    const struct weft_launch *l = weft_launch_of(c);
    const struct weft_trace_command id = weft_command_trace_id(c);
    const weft_trace_text name = l->code->trace_name;
    struct weft_autotune_sample sample = {0};
    const bool autotunes = atomic_load_explicit(&l->code->autotunes, memory_order_relaxed);
    const bool task = weft_itt_task_begin(name);
    const uint64_t since = weft_trace_begin();
    const struct weft_kernel_info *info = run_range(c, w, first, last, autotunes ? &sample : NULL, NULL);
    if (task)
        weft_itt_task_end();
    weft_trace_range(since, name, first, last, info, id);
    if (!weft_profile_is_on())
        return;
    // The last groups of a row may be smaller, so the launch's work-items are divided.
    const uint64_t *all = l->nd.global_size, *groups = l->nd.num_groups;
    const double items = (double)all[0] * (double)all[1] * (double)all[2] * (double)(last - first) /
                         ((double)groups[0] * (double)groups[1] * (double)groups[2]);
    weft_profile_range(name, since, (uint64_t)(items + 0.5), info);
}

// Runs one group in code that counts its work, if more of it is to be counted now.
static bool count_group(struct weft_command *c, struct weft_worker *w, uint64_t group)
{
    struct weft_launch *l = weft_launch_of(c);
    const unsigned along = weft_counting_dimension(l->code, info_for(c, l, NULL));
    struct weft_counting *code = &l->code->counting[along];
    const struct weft_trace_command id = weft_command_trace_id(c);
    const weft_trace_text name = l->code->trace_name;
    // acquire: pairs with the release in load (code/counting.c).
    const struct weft_kernel_info *info = atomic_load_explicit(&code->info, memory_order_acquire);
    if (!info || !may_take(c, info) || !weft_profile_wants_count(name, id, along) ||
        atomic_exchange(&code->busy, true))
        return false;
    struct weft_kernel_counts *counts = code->counts;
    uint64_t *numbers = (uint64_t *)(void *)(counts->part + counts->parts);
    memset(numbers, 0, (2 * WEFT_COUNT_LEVELS + 1) * counts->blocks * sizeof *numbers);
    const uint64_t since = weft_time_now();
    run_range(c, w, group, group + 1, NULL, info);
    weft_profile_count(name, id, since, along, counts);
    atomic_store(&code->busy, false);
    return true;
}

void weft_launch_run_traced(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last)
{
    // relaxed: as in weft_launch_run.
    if (atomic_load_explicit(&c->failure, memory_order_relaxed))
        return;
    atomic_store_explicit(&c->trace_name, weft_launch_of(c)->code->trace_name, memory_order_relaxed);
    const uint64_t counted = first + (last - first) / 2;
    if (weft_profile_is_on() && count_group(c, w, counted)) {
        run_part(c, w, first, counted);
        run_part(c, w, counted + 1, last);
    } else {
        run_part(c, w, first, last);
    }
}

void weft_launch_flush_output(struct weft_launch *l)
{
    struct weft_printf_output *o = atomic_load_explicit(&l->output, memory_order_acquire);
    if (o) {
        weft_printf_flush(o);
        weft_free(o);
        atomic_store_explicit(&l->output, NULL, memory_order_relaxed);
    }
}

void weft_launch_drop_extra(struct weft_launch *l, uint32_t args)
{
    const struct weft_kernel_meta *m = l->code->meta;
    for (uint32_t i = 0; i < args; i++) {
        struct weft_object *q = NULL;
        if (m->args[i].kind == WEFT_ARG_QUEUE)
            memcpy(&q, l->args + m->args[i].offset, sizeof q);
        weft_object_unref(q);
    }
    if (l->own_shadow)
        weft_launch_drop_shadow(l);
    l->extra = l->own_shadow = l->compared = false;
}

void weft_launch_release(struct weft_command *c)
{
    struct weft_launch *l = weft_launch_of(c);
    weft_launch_flush_output(l);
    for (uint32_t i = 0; i < l->mem_count; i++) {
        weft_mem_end_use(l->mems[i]);
        weft_mem_unref(l->mems[i]);
    }
    l->mem_count = 0;
    if (WEFT_UNLIKELY(l->extra))
        weft_launch_drop_extra(l, l->code->meta->arg_count);
    weft_free(l->block);
    l->block = NULL;
    weft_build_disuse(l->code->build);
    l->code = NULL;
}
