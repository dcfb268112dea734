// Code variants of a kernel (ADR 7): how they are requested, compiled in the background and published.
// A variant is compiled only after the kernel has its best own code. The exception is the narrow variant,
// which is also made while the kernel has code with lanes (autotune.c). A launch never needs a variant. If a
// compile fails for want of memory or another resource, a later request tries again.
#include "runtime/code/kernel_variants.h"

#include "base/base.h"
#include "runtime/compiler/client.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/code/build_result.h"
#include "runtime/code/counting.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/ladder.h"
#include "runtime/code/make_code.h"
#include "weft/kernel_abi.h"
#include "weft/scheduler.h"
#include "weft/status.h"
#include "weft/trace.h"

static void publish_variant(struct weft_compile_job *j)
{
    atomic_fetch_or(&WEFT_CONTAINER_OF(j, struct weft_kernel_variant, job)->attempt, 1);
}

static void publish_retry(struct weft_compile_job *j)
{
    struct weft_kernel_variant *v = WEFT_CONTAINER_OF(j, struct weft_kernel_variant, job);
    // release: pairs with the acquire in weft_kernel_variant_request, which initializes the job again.
    atomic_store_explicit(&v->attempt, 0, memory_order_release);
}

static void variant_run(struct weft_compile_job *j)
{
    struct weft_kernel_variant *v = WEFT_CONTAINER_OF(j, struct weft_kernel_variant, job);
    struct weft_kernel_code *c = v->code;
    struct weft_code_order o = {.level = (enum weft_code_level)(atomic_load(&v->attempt) / 2 - 1),
                                .variant = v->variant,
                                .group = v->group[0] ? v->group : NULL,
                                .into = v};
    struct weft_code_failure failure = {0};
    const unsigned along = weft_variant_dimension(v->variant);
    if (WEFT_UNLIKELY(weft_profile_is_on()) && along) // before a launch can run the variant
        weft_counting_make(c, along);
    weft_status status =
        weft_code_from_cache(c, &o) ? WEFT_OK : weft_code_compile(c, &o, j->priority, &failure);
    if (status != WEFT_OK)
        weft_log(weft_code_failure_level(),
                 "variant %u of kernel %s can't be made, so launches use its other code: %s", o.variant,
                 c->meta->name, failure.log ? failure.log : weft_status_text(status));
    weft_free(failure.log);
    if (failure.transient)
        weft_code_retry_later(c);
    weft_compile_queue_conclude(j, failure.transient ? publish_retry : publish_variant);
    weft_park_wake(&c->ready);
    weft_build_unref(c->build); // the job's reference
}

static void variant_drop(struct weft_compile_job *j)
{
    publish_variant(j);
    weft_park_wake(&WEFT_CONTAINER_OF(j, struct weft_kernel_variant, job)->code->ready);
    weft_build_unref(WEFT_CONTAINER_OF(j, struct weft_kernel_variant, job)->code->build);
}

enum weft_code_level weft_kernel_variant_level(const struct weft_kernel_code *c)
{
    return weft_kernel_code_is_best(c) && c->build->first_level != WEFT_LEVEL_LANES ? WEFT_LEVEL_FULL
                                                                                    : WEFT_LEVEL_LANES;
}

// Variants of kernels that have code with lanes only: the narrow one, while autotuning measures it, and those
// with lanes along another dimension. Without these a launch whose rows are short has no lanes at all.
static bool is_possible(const struct weft_kernel_variant *v)
{
    if (weft_kernel_code_is_best(v->code))
        return true;
    const bool along = v->variant == WEFT_VARIANT_DIM + 1 || v->variant == WEFT_VARIANT_DIM + 2;
    // relaxed: a hint, which pairs with nothing.
    return (along || (v->variant == WEFT_VARIANT_NARROW && !v->code->tune_forever)) &&
           atomic_load_explicit(&v->code->level, memory_order_relaxed) == WEFT_LEVEL_LANES;
}

// Of what waits for better code, what gains most is made first.
static uint64_t variant_gain(const struct weft_compile_job *j, uint64_t now)
{
    return weft_ladder_gain(WEFT_CONTAINER_OF(j, const struct weft_kernel_variant, job)->code, now);
}

void weft_kernel_variant_request(struct weft_kernel_variant *v)
{
    struct weft_kernel_code *c = v->code;
    bool fixed =
        weft_config_uint(WEFT_CFG_VARIANT) && !(v->group[0] && c->exact_size) &&
        !((v->variant == WEFT_VARIANT_NARROW || v->variant == WEFT_VARIANT_SCALAR) && c->tune_forever);
    if (c->build->optimize_off || fixed)
        return;
    if (!is_possible(v)) {
        if (v->variant != WEFT_VARIANT_NARROW) // relaxed: a hint, which pairs with nothing
            atomic_store_explicit(&c->variant_wanted, true, memory_order_relaxed);
        return;
    }
    if (weft_code_is_too_early(c) || weft_compile_queue_is_ending())
        return;
    const uint32_t attempt = weft_attempt_of(weft_kernel_variant_level(c), false);
    uint32_t before = atomic_load(&v->attempt);
    // The job is this attempt's alone: the one before is over.
    if (before >= attempt || (before && !weft_attempt_is_over(before)) ||
        !atomic_compare_exchange_strong(&v->attempt, &before, attempt))
        return;
    v->job = (struct weft_compile_job){.run = variant_run, .drop = variant_drop, .gain = variant_gain};
    weft_build_ref(c->build); // the job's reference
    const bool lanes = attempt == weft_attempt_of(WEFT_LEVEL_LANES, false);
    weft_compile_queue_push(&v->job, lanes ? WEFT_COMPILE_SOON : WEFT_COMPILE_BETTER);
}

static bool is_made(void *variant)
{
    const uint32_t attempt = atomic_load(&((const struct weft_kernel_variant *)variant)->attempt);
    return !attempt || weft_attempt_is_over(attempt);
}

void weft_kernel_variant_wait(struct weft_kernel_variant *v)
{
    if (!atomic_load(&v->attempt))
        weft_kernel_variant_request(v);
    else // in a forked process, nobody finishes a job that the parent had begun
        weft_compile_queue_raise(&v->job, WEFT_COMPILE_NOW);
    weft_sched_wait(&v->code->ready, is_made, v);
}

uint32_t weft_kernel_variant_for(struct weft_kernel_code *c, const struct weft_ndrange *nd,
                                 const struct weft_kernel_info *own)
{
    const uint32_t variant = weft_ndrange_variant(nd, own);
    if (WEFT_LIKELY(variant <= WEFT_VARIANT_DIM))
        return variant;
    // acquire: pairs with the release in adopt.
    const struct weft_kernel_info *made =
        atomic_load_explicit(&c->variants[variant - WEFT_VARIANT_DIM].info, memory_order_acquire);
    if (made == own) // it has these lanes (weft_code_order_lanes)
        return WEFT_VARIANT_ANY;
    return made && !weft_ndrange_variant_pays(nd, variant, own, made) ? WEFT_VARIANT_ANY : variant;
}

const struct weft_kernel_info *weft_kernel_code_of_variant(struct weft_kernel_code *c, uint32_t variant)
{
    struct weft_kernel_variant *v = &c->variants[variant - WEFT_VARIANT_DIM];
    // acquire: pairs with the release in adopt.
    const struct weft_kernel_info *i = atomic_load_explicit(&v->info, memory_order_acquire);
    // relaxed: this only saves work; the request decides.
    if (WEFT_UNLIKELY(atomic_load_explicit(&v->attempt, memory_order_relaxed) <
                      weft_attempt_of(WEFT_LEVEL_FULL, false)))
        weft_kernel_variant_request(v);
    return i;
}
