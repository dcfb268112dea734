// Run queues: lists of ready tasks, and frames of ranges in progress. All work is done under the queue's
// lock. The critical sections are a few dozen instructions and call nothing.
#include "scheduler/internal.h"

#define MAX_SCANNED 8 // tasks that a claim skips because the rules forbid them

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void weft_runqueue_push(struct weft_runqueue *q, struct weft_task *t, bool front)
{
    weft_mutex_lock(&q->lock);
    if (!q->head) {
        t->next = NULL;
        q->head = q->tail = t;
    } else if (front) {
        t->next = q->head;
        q->head = t;
    } else {
        t->next = NULL;
        q->tail->next = t;
        q->tail = t;
    }
    // Relaxed: written under the lock. Readers without the lock only want a hint.
    atomic_store_explicit(&q->size, atomic_load_explicit(&q->size, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    atomic_store_explicit(&q->pushes, atomic_load_explicit(&q->pushes, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    weft_mutex_unlock(&q->lock);
}

static void unlink_locked(struct weft_runqueue *q, struct weft_task *before, struct weft_task *t)
{
    if (before)
        before->next = t->next;
    else
        q->head = t->next;
    if (q->tail == t)
        q->tail = before;
    atomic_store_explicit(&q->size, atomic_load_explicit(&q->size, memory_order_relaxed) - 1,
                          memory_order_relaxed);
}

// Half of an even share of the rest: large at first, small at the end.
static uint64_t share_of(uint64_t rest, uint64_t grain, const struct weft_claim_rules *r)
{
    uint64_t n = min_u64(rest / (2 * (uint64_t)r->sharers), r->max_units);
    n = max_u64(n - n % grain, grain);
    return rest - n < grain ? rest : n;
}

bool weft_runqueue_claim(struct weft_runqueue *q, const struct weft_claim_rules *r, struct weft_piece *out,
                         bool *more)
{
    *more = false;
    // Relaxed hint. A thread that must not miss a task calls weft_runqueue_pending.
    if (atomic_load_explicit(&q->size, memory_order_relaxed) == 0)
        return false;
    weft_mutex_lock(&q->lock);
    struct weft_task *before = NULL, *t = q->head;
    for (int i = 0; t && i < MAX_SCANNED; i++, before = t, t = t->next) {
        bool divisible = weft_task_divisible(t);
        if ((t->flags & r->unfit) || (r->whole_only && divisible))
            continue;
        // Relaxed: the lock is held.
        uint64_t first = atomic_load_explicit(&t->claimed, memory_order_relaxed), rest = t->count - first;
        uint64_t n = divisible ? share_of(rest, t->grain, r) : rest;
        *out = (struct weft_piece){t, first, first + n, first == 0 && n == rest};
        if (n == rest)
            unlink_locked(q, before, t);
        else
            atomic_store_explicit(&t->claimed, first + n, memory_order_relaxed);
        atomic_store_explicit(&q->claims, atomic_load_explicit(&q->claims, memory_order_relaxed) + 1,
                              memory_order_relaxed);
        *more = q->head != NULL;
        weft_mutex_unlock(&q->lock);
        return true;
    }
    weft_mutex_unlock(&q->lock);
    return false;
}

bool weft_runqueue_pending(struct weft_runqueue *q)
{
    weft_mutex_lock(&q->lock);
    bool pending = q->head != NULL;
    weft_mutex_unlock(&q->lock);
    return pending;
}

void weft_frame_open(struct weft_runqueue *q, const struct weft_piece *p)
{
    weft_mutex_lock(&q->lock);
    q->frame_task = p->task;
    atomic_store_explicit(&q->frame_first, p->first, memory_order_relaxed);
    atomic_store_explicit(&q->frame_last, p->last, memory_order_relaxed);
    weft_mutex_unlock(&q->lock);
}

bool weft_frame_next(struct weft_runqueue *q, uint64_t *first, uint64_t *last)
{
    weft_mutex_lock(&q->lock);
    uint64_t from = atomic_load_explicit(&q->frame_first, memory_order_relaxed);
    uint64_t to = atomic_load_explicit(&q->frame_last, memory_order_relaxed);
    if (from == to) {
        q->frame_task = NULL;
        weft_mutex_unlock(&q->lock);
        return false;
    }
    uint64_t grain = q->frame_task->grain, n = max_u64((to - from) / 8, grain);
    n -= n % grain;
    if (to - from - n < grain)
        n = to - from;
    atomic_store_explicit(&q->frame_first, from + n, memory_order_relaxed);
    weft_mutex_unlock(&q->lock);
    *first = from;
    *last = from + n;
    return true;
}

bool weft_frame_drop(struct weft_runqueue *q)
{
    weft_mutex_lock(&q->lock);
    bool rest = q->frame_task != NULL;
    q->frame_task = NULL;
    atomic_store_explicit(&q->frame_first, 0, memory_order_relaxed);
    atomic_store_explicit(&q->frame_last, 0, memory_order_relaxed);
    weft_mutex_unlock(&q->lock);
    return rest;
}

bool weft_frame_steal(struct weft_runqueue *q, const struct weft_claim_rules *r, struct weft_piece *out)
{
    // Relaxed hint.
    if (atomic_load_explicit(&q->frame_first, memory_order_relaxed) ==
        atomic_load_explicit(&q->frame_last, memory_order_relaxed))
        return false;
    weft_mutex_lock(&q->lock);
    struct weft_task *t = q->frame_task;
    uint64_t from = atomic_load_explicit(&q->frame_first, memory_order_relaxed);
    uint64_t to = atomic_load_explicit(&q->frame_last, memory_order_relaxed);
    // If the frame is empty its task may be freed: thieves may have taken all of it before the owner began.
    bool ok = t && from != to && to - from >= t->grain && !r->whole_only && !(t->flags & r->unfit);
    if (ok) {
        // If only one grain is left, take all of it: the owner is busy with the previous piece.
        uint64_t n = to - from < 2 * t->grain ? to - from : min_u64((to - from) / 2, r->max_units);
        n = max_u64(n - n % t->grain, t->grain);
        if (to - from < 2 * t->grain)
            n = to - from;
        atomic_store_explicit(&q->frame_last, to - n, memory_order_relaxed);
        *out = (struct weft_piece){t, to - n, to, false};
    }
    weft_mutex_unlock(&q->lock);
    return ok;
}
