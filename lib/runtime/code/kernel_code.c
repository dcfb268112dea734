// The code of one kernel: requesting it, making it, waiting for it. Most kernels get code two or three times:
// quick code for the first launch, then better code, at the lowest priority, as the ladder says (ladder.h).
// Better code takes over between two ranges of work-groups.
// The state goes from NONE to QUEUED under the build's lock. Only the job sets COMPILING, and then READY or
// FAILED. If the attempt failed because the process lacked memory or descriptors, the next request goes from
// FAILED to QUEUED again. Better code and variants, which a launch can do without, are tried again after a
// while.
// Nobody waits for code with a lock held. A launch occupies no thread while it waits: it depends on a hidden
// user event.
#include "runtime/code/kernel_code.h"

#include <pthread.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/event.h"
#include "runtime/compiler/client.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/device/context.h"
#include "runtime/core/object.h"
#include "runtime/code/build_result.h"
#include "runtime/code/code_waiters.h"
#include "runtime/code/kernel_variants.h"
#include "runtime/code/ladder.h"
#include "runtime/code/make_code.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/scheduler.h"
#include "weft/status.h"
#include "weft/trace.h"

// ---- Notifying ----

static void publish(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, job);
    pthread_mutex_lock(&c->build->lock);
    // release: pairs with the acquire in weft_kernel_code_is_final.
    atomic_store_explicit(&c->state, atomic_load(&c->error) == WEFT_OK ? WEFT_CODE_READY : WEFT_CODE_FAILED,
                          memory_order_release);
    // Set together with the state: otherwise a launch would fail for good because of a passing error. A
    // waiter for the next attempt isn't notified of this one.
    c->again = c->transient;
    weft_code_waiters_move(&c->waiters, &c->to_notify);
    pthread_mutex_unlock(&c->build->lock);
}

static void finish(struct weft_kernel_code *c, weft_status status, bool transient)
{
    atomic_store(&c->error, status);
    c->transient = transient; // no other attempt begins before this one is published
    weft_compile_queue_conclude(&c->job, publish);
    weft_park_wake(&c->ready);
    weft_code_waiters_notify(c, &c->to_notify);
}

// ---- Code made before it is requested ----

// Returns to NONE, as if nobody had asked for the code, unless somebody has begun to wait.
static bool publish_put_off(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, job);
    pthread_mutex_lock(&c->build->lock);
    bool off = c->asked <= WEFT_COMPILE_LATER;
    if (off)
        atomic_store(&c->state, WEFT_CODE_NONE);
    pthread_mutex_unlock(&c->build->lock);
    return off;
}

// Is the code put off, because enough code has been made that nobody launched? If so, the job is concluded.
static bool is_put_off(struct weft_kernel_code *c)
{
    return c->job.priority <= WEFT_COMPILE_LATER && weft_ahead_time_is_spent() &&
           weft_compile_queue_give_up(&c->job, publish_put_off);
}

// The measured time includes the wait for a compiler.
static void note_made_ahead(struct weft_kernel_code *c, uint64_t since)
{
    uint64_t took = weft_time_now() - since;
    if (weft_code_asked_priority(c) <= WEFT_COMPILE_LATER)
        weft_ahead_time_add(c, took);
}

static void code_run(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, job);
    struct weft_build *b = c->build;
    if (is_put_off(c)) {
        weft_build_unref(b);
        return;
    }
    atomic_store(&c->state, WEFT_CODE_COMPILING);
    struct weft_code_failure f = {0};
    uint64_t since = weft_time_now();
    weft_status status = weft_code_make(c, &f);
    if (status == WEFT_OK) {
        note_made_ahead(c, since);
        if (atomic_load(&c->level) == WEFT_LEVEL_FULL)
            weft_verdicts_load(c);
    }
    weft_code_cut_line_end(f.log);
    if (status != WEFT_OK)
        weft_log(weft_code_failure_level(), "no code for kernel %s: %s", c->meta->name,
                 f.log ? f.log : weft_status_text(status));
    if (f.transient)
        weft_free(f.log);
    else
        atomic_store(&c->log, f.log);
    finish(c, status, f.transient);
    if (atomic_load(&c->better_wanted))
        weft_kernel_code_improve(c, WEFT_COMPILE_BETTER);
    weft_build_unref(b);
}

// The process ends before the job began.
static void code_drop(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, job);
    struct weft_build *b = c->build;
    finish(c, WEFT_NO_RESOURCES, false);
    weft_build_unref(b);
}

// Notes along which dimension the launch has its work-items. Own code with lanes along another one isn't for
// it: then the next level's code is wanted, which has them along dimension 0.
static void note_along(struct weft_kernel_code *c, const struct weft_ndrange *nd)
{
    const struct weft_kernel_info *own = weft_kernel_code_info(c);
    const uint32_t along = weft_ndrange_along(nd, own, c->meta);
    // relaxed, all: hints, which pair with nothing.
    atomic_fetch_or_explicit(&c->along, 1u << along, memory_order_relaxed);
    for (uint32_t d = 1; own && d < 3; d++)
        if (d != along && atomic_load_explicit(&c->variants[d].info, memory_order_relaxed) == own)
            atomic_store_explicit(&c->variant_wanted, true, memory_order_relaxed);
}

void weft_kernel_code_note_launch(struct weft_kernel_code *c, const struct weft_ndrange *nd, uint32_t count)
{
    weft_ahead_time_return(c);
    if (weft_kernel_code_is_best(c) && weft_kernel_code_is_final(c))
        return;
    const uint64_t items = nd->global_size[0] * nd->global_size[1] * nd->global_size[2] * count;
    note_along(c, nd);
    if (weft_ladder_note_launch(c, items))
        weft_kernel_code_improve(c, WEFT_COMPILE_BETTER);
}

// ---- Creating ----

// Initializes the jobs, too: one thread may raise a job that another is about to push.
void weft_kernel_code_init(struct weft_kernel_code *c, struct weft_build *b,
                           const struct weft_kernel_meta *meta, struct weft_hash program)
{
    c->meta = meta;
    c->build = b;
    c->trace_name = weft_trace_kernel(meta->name, program);
    c->job = (struct weft_compile_job){.run = code_run, .drop = code_drop};
    weft_better_code_init(c);
    for (size_t f = 0; f < WEFT_COUNT_OF(c->variants); f++) {
        c->variants[f].code = c;
        c->variants[f].variant = WEFT_VARIANT_DIM + (uint32_t)f;
    }
    c->exact_size = weft_config_uint(WEFT_CFG_VARIANT) == WEFT_VARIANTS;
    c->tune_forever = weft_config_uint(WEFT_CFG_VARIANT) == WEFT_VARIANT_NARROW;
    c->waits_for_variant = c->exact_size || c->tune_forever;
}

// ---- Requesting and waiting ----

// A kernel needs the code of the blocks that it enqueues at once. It may enqueue any of the program's blocks.
static void request_blocks(struct weft_build *b)
{
    for (uint32_t i = 0; i < b->kernel_count; i++)
        if (b->code[i].meta->block)
            weft_kernel_code_request(&b->code[i], WEFT_COMPILE_LATER);
}

void weft_kernel_code_request(struct weft_kernel_code *c, enum weft_compile_priority priority)
{
    // acquire: pairs with the release in publish.
    if (WEFT_LIKELY(atomic_load_explicit(&c->state, memory_order_acquire) == WEFT_CODE_READY))
        return;
    bool ending = weft_compile_queue_is_ending();
    pthread_mutex_lock(&c->build->lock);
    uint32_t state = atomic_load(&c->state);
    bool first = state == WEFT_CODE_NONE, again = state == WEFT_CODE_FAILED && c->again && !ending;
    if (first || again || c->asked < priority)
        c->asked = priority;
    if (first || again) {
        atomic_store(&c->state, WEFT_CODE_QUEUED);
        c->again = false;
        weft_build_ref(c->build); // the job's reference
    }
    pthread_mutex_unlock(&c->build->lock);
    if (!first && !again && state == WEFT_CODE_FAILED)
        return;
    if (first || again)
        weft_compile_queue_push(&c->job, priority);
    if (first && WEFT_UNLIKELY(c->meta->enqueues))
        request_blocks(c->build);
    if (!first && !again)
        weft_compile_queue_raise(&c->job, priority);
}

bool weft_kernel_code_has_failed(struct weft_kernel_code *c)
{
    pthread_mutex_lock(&c->build->lock);
    bool failed = atomic_load(&c->state) == WEFT_CODE_FAILED && !c->again;
    pthread_mutex_unlock(&c->build->lock);
    return failed;
}

// Is the attempt to make better code over? It may have failed for now.
static bool better_attempt_is_over(void *arg)
{
    const struct weft_kernel_code *c = arg;
    return atomic_load(&c->better) != WEFT_BETTER_ASKED;
}

static bool is_final(void *arg)
{
    return weft_kernel_code_is_final(arg);
}

weft_status weft_kernel_code_wait(struct weft_kernel_code *c)
{
    weft_kernel_code_request(c, WEFT_COMPILE_NOW);
    weft_sched_wait(&c->ready, is_final, c);
    return atomic_load(&c->error);
}

weft_status weft_kernel_code_wait_best(struct weft_kernel_code *c)
{
    weft_status status = weft_kernel_code_wait(c);
    // The attempt under way may be one to make code with lanes. Full optimisation is attempted once.
    for (bool full = false; status == WEFT_OK && !full && !weft_kernel_code_is_best(c);) {
        if (weft_compile_queue_is_ending())
            break;
        weft_kernel_code_improve(c, WEFT_COMPILE_NOW);
        full = atomic_load(&c->next_level) == WEFT_LEVEL_FULL;
        weft_compile_queue_raise(&c->better_job, WEFT_COMPILE_NOW);
        weft_sched_wait(&c->ready, better_attempt_is_over, c);
    }
    return status;
}

bool weft_kernel_code_waits_for_lanes(const struct weft_kernel_code *c, uint64_t items)
{
    return weft_kernel_code_can_improve(c) && weft_ladder_waits_for_lanes(c, items);
}

// Is code with lanes being made, or about to be?
static bool awaits_lanes(const struct weft_kernel_code *c)
{
    return weft_kernel_code_is_quick(c) && atomic_load(&c->better) == WEFT_BETTER_ASKED &&
           atomic_load(&c->next_level) == WEFT_LEVEL_LANES;
}

struct weft_command *weft_kernel_code_event(struct weft_kernel_code *c, struct weft_context *context,
                                            bool lanes)
{
    struct weft_command *event;
    struct weft_code_waiter *w = weft_code_waiter_new(context, &event);
    if (!w)
        return NULL;
    // before the check below: the request may reset a passing failure
    weft_kernel_code_request(c, WEFT_COMPILE_WANTED);
    pthread_mutex_lock(&c->build->lock);
    // Who ends an attempt says so first, and takes the list under the lock then. So w is in it in time.
    struct weft_code_waiter **list = !weft_kernel_code_is_final(c) ? &c->waiters
                                     : lanes && awaits_lanes(c)    ? &c->lanes_waiters
                                                                   : NULL;
    if (list)
        weft_code_waiters_add(list, w);
    pthread_mutex_unlock(&c->build->lock);
    if (list == &c->lanes_waiters)
        weft_compile_queue_raise(&c->better_job, WEFT_COMPILE_WANTED);
    if (!list)
        weft_code_waiter_notify(w);
    return event;
}
