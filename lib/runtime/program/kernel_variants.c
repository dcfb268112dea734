// Code variants of a kernel (ADR 7): how they are requested, compiled in the background and published.
// A variant is compiled only after the kernel has its best own code. A launch never needs a variant. If a
// compile fails for want of memory or another resource, a later request tries again.
#include "runtime/program/kernel_variants.h"

#include "base/base.h"
#include "runtime/compiler/client.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/program/build_result.h"
#include "runtime/program/kernel_code.h"
#include "runtime/program/make_code.h"
#include "weft/kernel_abi.h"
#include "weft/scheduler.h"
#include "weft/status.h"

static void publish_form(struct weft_compile_job *j)
{
    atomic_store(&WEFT_CONTAINER_OF(j, struct weft_kernel_variant, job)->done, true);
}

static void publish_no_form_yet(struct weft_compile_job *j)
{
    struct weft_kernel_variant *f = WEFT_CONTAINER_OF(j, struct weft_kernel_variant, job);
    // release: pairs with the acquire in weft_kernel_variant_request, which initializes the job again.
    atomic_store_explicit(&f->asked, false, memory_order_release);
}

static void form_run(struct weft_compile_job *j)
{
    struct weft_kernel_variant *f = WEFT_CONTAINER_OF(j, struct weft_kernel_variant, job);
    struct weft_kernel_code *c = f->code;
    struct weft_code_order o = {.form = f->form, .group = f->group[0] ? f->group : NULL, .into = f};
    struct weft_code_failure failure = {0};
    weft_status status =
        weft_code_from_cache(c, &o) ? WEFT_OK : weft_code_compile(c, &o, j->priority, &failure);
    if (status != WEFT_OK)
        weft_log(weft_code_failure_level(), "no code in form %u for kernel %s, which goes on without: %s",
                 o.form, c->meta->name, failure.log ? failure.log : weft_status_text(status));
    weft_free(failure.log);
    if (failure.passing)
        weft_code_retry_later(c);
    weft_compile_queue_conclude(j, failure.passing ? publish_no_form_yet : publish_form);
    weft_park_wake(&c->ready);
    weft_build_unref(c->build); // the job's reference
}

static void form_drop(struct weft_compile_job *j)
{
    publish_form(j);
    weft_park_wake(&WEFT_CONTAINER_OF(j, struct weft_kernel_variant, job)->code->ready);
    weft_build_unref(WEFT_CONTAINER_OF(j, struct weft_kernel_variant, job)->code->build);
}

void weft_kernel_variant_request(struct weft_kernel_variant *f)
{
    struct weft_kernel_code *c = f->code;
    bool fixed = weft_config_uint(WEFT_CFG_VARIANT) && !(f->group[0] && c->each_size) &&
                 !((f->form == WEFT_VARIANT_NARROW || f->form == WEFT_VARIANT_SCALAR) && c->by_turns);
    if (!weft_kernel_code_is_best(c) || c->build->optimize_off || fixed || weft_code_is_too_early(c) ||
        weft_compile_queue_is_ending() || atomic_exchange(&f->asked, true))
        return;
    f->job = (struct weft_compile_job){.run = form_run, .drop = form_drop};
    weft_build_ref(c->build); // the job's reference
    weft_compile_queue_push(&f->job, WEFT_COMPILE_BETTER);
}

static bool is_made(void *form)
{
    const struct weft_kernel_variant *f = form;
    return atomic_load(&f->done) || !atomic_load(&f->asked);
}

void weft_kernel_variant_wait(struct weft_kernel_variant *f)
{
    if (!atomic_load(&f->asked))
        weft_kernel_variant_request(f);
    else // in a forked process, nobody finishes a job that the parent had begun
        weft_compile_queue_raise(&f->job, WEFT_COMPILE_NOW);
    weft_sched_wait(&f->code->ready, is_made, f);
}

const struct weft_kernel_info *weft_kernel_code_of_variant(struct weft_kernel_code *c, uint32_t form)
{
    struct weft_kernel_variant *f = &c->forms[form - WEFT_VARIANT_DIM];
    // acquire: pairs with the release in adopt.
    const struct weft_kernel_info *i = atomic_load_explicit(&f->info, memory_order_acquire);
    // relaxed: this only saves work; the atomic exchange decides.
    if (WEFT_UNLIKELY(!i && !atomic_load_explicit(&f->asked, memory_order_relaxed)))
        weft_kernel_variant_request(f);
    return i;
}
