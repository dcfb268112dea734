// Run queues: lists of ready tasks. All work is done under the queue's lock. The critical sections are a few
// dozen instructions and call nothing. Tasks that are large enough to be shared are seldom here: a submit
// makes them ranges under way at once (range.c).
#include "scheduler/internal.h"

#define MAX_SCANNED 8 // tasks that a claim skips because the rules forbid them

// Relaxed: written under the lock. Readers without the lock only want a hint.
static void add_locked(_Atomic uint32_t *n, uint32_t change)
{
    atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + change, memory_order_relaxed);
}

void weft_runqueue_push(struct weft_runqueue *q, struct weft_task *t, bool front)
{
    weft_mutex_lock(&q->lock);
    if (!q->head) {
        t->next = NULL;
        q->head = q->tail = t;
        // Sequentially consistent: a thread that goes to sleep says so first and then reads the word.
        if (q->bit)
            atomic_fetch_or(q->queued, q->bit);
    } else if (front) {
        t->next = q->head;
        q->head = t;
    } else {
        t->next = NULL;
        q->tail->next = t;
        q->tail = t;
    }
    add_locked(&q->size, 1);
    add_locked(&q->pushes, 1);
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
    add_locked(&q->size, UINT32_MAX);
    add_locked(&q->claims, 1);
    if (!q->head && q->bit)
        atomic_fetch_and(q->queued, ~q->bit);
}

struct weft_task *weft_runqueue_claim(struct weft_runqueue *q, uint32_t unfit, bool *more)
{
    *more = false;
    // Relaxed hint. A thread that must not miss a task calls weft_runqueue_pending.
    if (atomic_load_explicit(&q->size, memory_order_relaxed) == 0)
        return NULL;
    weft_mutex_lock(&q->lock);
    struct weft_task *before = NULL, *t = q->head;
    for (int i = 0; t && (t->flags & unfit); i++) {
        before = t;
        t = i < MAX_SCANNED ? t->next : NULL;
    }
    if (t)
        unlink_locked(q, before, t);
    *more = q->head != NULL;
    weft_mutex_unlock(&q->lock);
    return t;
}

bool weft_runqueue_pending(struct weft_runqueue *q)
{
    weft_mutex_lock(&q->lock);
    bool pending = q->head != NULL;
    weft_mutex_unlock(&q->lock);
    return pending;
}
