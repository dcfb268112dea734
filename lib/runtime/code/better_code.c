// Better code of a kernel, which replaces its quick code (ADR 5). It is requested when the kernel is used
// enough, and compiled at the lowest priority. It takes over between two ranges of work-groups. If a compile
// fails for want of memory or another resource, a later request tries again.
#include "base/base.h"
#include "runtime/compiler/client.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/code/build_result.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/make_code.h"
#include "weft/scheduler.h"
#include "weft/status.h"

bool weft_kernel_code_is_best(const struct weft_kernel_code *c)
{
    uint32_t better = atomic_load(&c->better);
    return better == WEFT_BETTER_NONE || better == WEFT_BETTER_DONE;
}

static void publish_better(struct weft_compile_job *j)
{
    atomic_store(&WEFT_CONTAINER_OF(j, struct weft_kernel_code, better_job)->better, WEFT_BETTER_DONE);
}

static void publish_no_better_yet(struct weft_compile_job *j)
{
    atomic_store(&WEFT_CONTAINER_OF(j, struct weft_kernel_code, better_job)->better, WEFT_BETTER_POSSIBLE);
}

static void finish_better(struct weft_kernel_code *c, bool transient)
{
    struct weft_build *b = c->build;
    if (transient)
        weft_code_retry_later(c);
    weft_compile_queue_conclude(&c->better_job, transient ? publish_no_better_yet : publish_better);
    weft_park_wake(&c->ready);
    weft_build_unref(b); // the job's reference
}

static void better_run(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, better_job);
    struct weft_code_failure f = {0};
    struct weft_code_order full = weft_code_order_own(false);
    if (!weft_code_from_cache(c, &full)) {
        weft_status status = weft_code_compile(c, &full, j->priority, &f);
        if (status != WEFT_OK)
            weft_log(weft_code_failure_level(),
                     "better code for kernel %s can't be made, so it keeps its quick code: %s", c->meta->name,
                     f.log ? f.log : weft_status_text(status));
    }
    weft_free(f.log);
    finish_better(c, f.transient);
}

static void better_drop(struct weft_compile_job *j)
{
    finish_better(WEFT_CONTAINER_OF(j, struct weft_kernel_code, better_job), false);
}

void weft_kernel_code_improve(struct weft_kernel_code *c, enum weft_compile_priority priority)
{
    // Either this thread sees that there is quick code, or the thread that made the quick code sees
    // better_wanted.
    atomic_store(&c->better_wanted, true);
    uint32_t possible = WEFT_BETTER_POSSIBLE;
    if (weft_compile_queue_is_ending()) // no launch will run it
        return;
    if (priority == WEFT_COMPILE_BETTER && weft_code_is_too_early(c))
        return;
    if (atomic_compare_exchange_strong(&c->better, &possible, WEFT_BETTER_ASKED)) {
        weft_build_ref(c->build); // the job's reference
        weft_compile_queue_push(&c->better_job, priority);
    }
}

void weft_better_code_init(struct weft_kernel_code *c)
{
    c->better_job = (struct weft_compile_job){.run = better_run, .drop = better_drop};
}
