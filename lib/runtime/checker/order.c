// Sets of launches, as bits of a window of the newest ones. Owns the host's set; queues and commands own
// theirs.
#include "runtime/checker/order.h"

#include <pthread.h>

#include "base/base.h"
#include "runtime/checker/fork_lock.h"

atomic_bool weft_order_wanted;

// Guards all sets, and what follows.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t last_launch;
static struct weft_order_set seen; // the host knows that they are complete

WEFT_FORK_LOCK(lock)

struct weft_order_queue *weft_order_queue_new(bool in_order)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct weft_order_queue *q = weft_order_is_on() ? weft_zalloc(sizeof *q) : NULL;
    if (!q)
        return NULL;
    pthread_once(&once, know_forks);
    q->in_order = in_order;
    return q;
}

struct weft_order *weft_order_new(void)
{
    return weft_order_is_on() ? weft_zalloc(sizeof(struct weft_order)) : NULL;
}

// ---- sets ----

static uint64_t bit_of(uint64_t launch)
{
    return 1ull << launch % 64;
}

static uint64_t *word_of(struct weft_order_set *s, uint64_t launch)
{
    return &s->bits[launch % WEFT_ORDER_WINDOW / 64];
}

// Launches that were made since the set was last looked at aren't in it, though older ones had their bits.
static void bring_up_to_date_locked(struct weft_order_set *s)
{
    if (last_launch + 1 - s->end >= WEFT_ORDER_WINDOW)
        s->end =
            last_launch + 1 - WEFT_ORDER_WINDOW < last_launch + 1 ? last_launch + 1 - WEFT_ORDER_WINDOW : 0;
    for (; s->end <= last_launch; s->end++)
        *word_of(s, s->end) &= ~bit_of(s->end);
}

static void merge_locked(struct weft_order_set *to, const struct weft_order_set *from)
{
    struct weft_order_set copy = *from;
    bring_up_to_date_locked(to);
    bring_up_to_date_locked(&copy);
    for (unsigned k = 0; k < WEFT_COUNT_OF(to->bits); k++)
        to->bits[k] |= copy.bits[k];
    to->host |= copy.host;
    to->all |= copy.all;
}

static bool has_locked(const struct weft_order_set *s, uint64_t launch)
{
    return s->all || (launch < s->end && (s->bits[launch % WEFT_ORDER_WINDOW / 64] & bit_of(launch)));
}

// ---- commands ----

void weft_order_wait_for(struct weft_order *o, const struct weft_order *on)
{
    pthread_mutex_lock(&lock);
    if (on)
        merge_locked(&o->before, &on->before);
    else
        o->before.host = true;
    pthread_mutex_unlock(&lock);
}

void weft_order_enter(struct weft_order_queue *q, struct weft_order *o, const struct weft_order_entry *e)
{
    pthread_mutex_lock(&lock);
    merge_locked(&o->before, &seen);
    merge_locked(&o->before, e->waits_for_all ? &q->sofar : &q->next);
    o->before.all |= e->waits_elsewhere;
    if (e->is_launch) {
        o->launch = ++last_launch;
        bring_up_to_date_locked(&o->before);
        *word_of(&o->before, o->launch) |= bit_of(o->launch);
    }
    merge_locked(&q->sofar, &o->before);
    if (q->in_order || e->is_barrier)
        merge_locked(&q->next, &o->before);
    pthread_mutex_unlock(&lock);
}

void weft_order_seen(const struct weft_order *o)
{
    pthread_mutex_lock(&lock);
    const struct weft_order_set before = o->before;
    merge_locked(&seen, &before);
    seen.host = seen.all = false;
    pthread_mutex_unlock(&lock);
}

bool weft_order_is_before(uint64_t launch, const struct weft_order *o)
{
    pthread_mutex_lock(&lock);
    const bool before = launch + WEFT_ORDER_WINDOW <= last_launch || has_locked(&o->before, launch) ||
                        (o->before.host && has_locked(&seen, launch));
    pthread_mutex_unlock(&lock);
    return before;
}

bool weft_order_is_seen(uint64_t launch)
{
    pthread_mutex_lock(&lock);
    const bool is = launch + WEFT_ORDER_WINDOW <= last_launch || has_locked(&seen, launch);
    pthread_mutex_unlock(&lock);
    return is;
}
