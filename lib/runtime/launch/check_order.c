// Races between launches (runtime/checker/order.h): launches of contexts with several queues, or with queues
// out of order, are compared with those before them that nothing orders. Such launches run one after the
// other, and what each of them has touched stays known for a while.
#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/checker/fork_lock.h"
#include "runtime/checker/order.h"
#include "runtime/checker/races.h"
#include "runtime/code/build_result.h"
#include "runtime/code/kernel_code.h"
#include "runtime/command/queue.h"
#include "runtime/device/context.h"
#include "runtime/launch/checks.h"

// Held while such a launch runs. Guards the list.
static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER;

static struct past {
    struct weft_race_past touched;
    uint64_t launch; // its number; 0: none
    struct weft_ndrange nd;
    const void *sites;
    struct weft_build *build; // a reference: it has the sites and the names
    const struct weft_kernel_meta *meta;
} pasts[WEFT_ORDER_WINDOW];

WEFT_FORK_LOCK(running)

// May launches of the queue run at the same time as others?
static bool has_company(const struct weft_queue *q)
{
    if (!q->order || !q->in_order)
        return q->order != NULL;
    unsigned queues = 0;
    pthread_mutex_lock(&q->context->lock);
    for (const struct weft_queue *other = q->context->queues; other; other = other->next)
        queues += !(other->properties & CL_QUEUE_ON_DEVICE);
    pthread_mutex_unlock(&q->context->lock);
    return queues > 1;
}

void weft_launch_compare(struct weft_command *c)
{
    struct weft_launch *l = weft_launch_of(c);
    l->compared = has_company(c->queue);
    // What other launches touch isn't known when the code is made: nothing is left out.
    for (uint32_t a = 0; a < l->code->meta->arg_count && l->compared; a++)
        weft_launch_objects(l)[a].alone = 0;
}

bool weft_launch_begin_compared(struct weft_running *r)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct weft_command *c = r->exec.launch;
    const struct weft_race_past **others = weft_alloc_array(WEFT_ORDER_WINDOW, sizeof *others);
    uint32_t count = 0;
    if (!others)
        return false;
    pthread_once(&once, know_forks);
    pthread_mutex_lock(&running);
    for (unsigned k = 0; k < WEFT_ORDER_WINDOW; k++)
        if (pasts[k].launch && !weft_order_is_before(pasts[k].launch, c->order))
            others[count++] = &pasts[k].touched;
    weft_race_compare(r->races, others, count);
    return true;
}

void weft_launch_end_compared(struct weft_running *r)
{
    const struct weft_command *c = r->exec.launch;
    const struct weft_launch *l = weft_launch_of(r->exec.launch);
    struct past *p = &pasts[c->order->launch % WEFT_ORDER_WINDOW];
    if (p->launch) {
        weft_race_past_free(&p->touched);
        weft_build_unref(p->build);
    }
    *p = (struct past){
        .launch = c->order->launch, .nd = l->nd, .sites = r->races->sites, .build = l->code->build};
    p->meta = l->code->meta;
    weft_build_ref(p->build);
    weft_race_take_past(r->races, &p->touched);
    pthread_mutex_unlock(&running);
}

bool weft_launch_other_of(const struct weft_running *r, uint64_t stamp, struct weft_other_launch *out)
{
    uint64_t group;
    const struct weft_race_past *touched = weft_race_past_of(r->races, stamp, &group);
    if (!touched)
        return false;
    const struct past *p = WEFT_CONTAINER_OF(touched, const struct past, touched);
    *out =
        (struct weft_other_launch){.kernel = p->meta->name, .nd = &p->nd, .sites = p->sites, .group = group};
    return true;
}
