// What threads write: a ring of records for each thread, without locks. Owns the rings.
//
// A thread makes its ring with its first record. It alone writes there: first the record, then `head`. Who
// writes the file may read at the same time. It reads `head`, the records, and `head` once more, and leaves
// out what may have been overwritten meanwhile. All words are atomic, so nothing else is needed.
//
// The ring of a thread that has ended stays until the file is written. There are KEPT such rings at most;
// then new threads get the oldest, whose records are lost, and counted. A ring's pages are untouched until
// they are needed.
//
// `lock` guards the list of rings. It is taken by threads that begin and end, and when the file is written.
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/libc/libc.h"
#include "base/trace/internal.h"

enum { KEPT = 64, WORDS = sizeof(struct weft_trace_record) / sizeof(uint64_t) };

struct ring {
    struct ring *next;
    _Atomic uint64_t head; // records that were written
    _Atomic uint64_t (*slot)[WORDS];
    uint64_t size; // slots, a power of two
    size_t guard;
    uint64_t ended; // when its thread ended, in numbers of ended threads; 0: it lives. Under the lock
    int thread;
    char name[16];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ring *rings;
static uint64_t ended_threads, slots;
static _Atomic uint64_t lost;
static pthread_key_t key;
static _Thread_local struct ring *own WEFT_STATIC_TLS;
static _Thread_local bool has_ended WEFT_STATIC_TLS;

// ---- Threads ----

static void free_ring(struct ring *r)
{
    weft_unmap_guarded((void *)r->slot, r->size * sizeof *r->slot, r->guard);
    weft_free(r);
}

// The ring whose thread ended first, if there are so many of them.
static struct ring *oldest_locked(size_t many)
{
    struct ring *oldest = NULL;
    size_t count = 0;
    for (struct ring *r = rings; r; r = r->next) {
        count += r->ended != 0;
        if (r->ended && (!oldest || r->ended < oldest->ended))
            oldest = r;
    }
    if (count < many)
        return NULL;
    atomic_fetch_add(&lost, atomic_load(&oldest->head));
    return oldest;
}

static void at_thread_end(void *ring)
{
    struct ring *r = ring;
    has_ended = true;
    own = NULL;
    pthread_mutex_lock(&lock);
    r->ended = ++ended_threads;
    // Many threads may have run at once.
    struct ring *extra = weft_trace_is_on() ? oldest_locked(KEPT + 1) : NULL;
    for (struct ring **at = &rings; extra && *at; at = &(*at)->next)
        if (*at == extra) {
            *at = extra->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (extra)
        free_ring(extra);
}

static uint64_t overwritten(const struct ring *r, uint64_t head)
{
    return head > r->size ? head - r->size : 0;
}

// The ring of the thread that ended first, if there are enough of them.
static struct ring *reuse_locked(void)
{
    struct ring *oldest = oldest_locked(KEPT);
    if (oldest) {
        atomic_store(&oldest->head, 0);
        oldest->ended = 0;
    }
    return oldest;
}

static struct ring *create_locked(void)
{
    struct ring *r = weft_zalloc(sizeof *r);
    const size_t bytes = slots * sizeof *r->slot;
    // Between guards: a ring may lie beside the stack of a thread that runs kernels, which may access
    // anything.
    size_t guard = WEFT_GUARD;
    void *map = r && !weft_alloc_fails() ? weft_map_guarded(1, bytes, &guard) : NULL;
    if (!map) {
        weft_free(r);
        return NULL;
    }
    madvise(map, bytes, MADV_NOHUGEPAGE); // most threads write little
    r->slot = map;
    r->guard = guard;
    r->size = slots;
    r->next = rings;
    rings = r;
    return r;
}

static __attribute__((noinline)) struct ring *begin_thread(void)
{
    if (has_ended || !weft_trace_is_on())
        return NULL;
    pthread_mutex_lock(&lock);
    struct ring *r = reuse_locked();
    if (!r)
        r = create_locked();
    if (r) {
        r->thread = weft_thread_id();
        if (pthread_getname_np(pthread_self(), r->name, sizeof r->name) != 0)
            r->name[0] = '\0';
    }
    pthread_mutex_unlock(&lock);
    if (r && pthread_setspecific(key, r) != 0)
        at_thread_end(r);
    else
        own = r;
    return own;
}

// ---- Writing ----

static void put(const struct weft_trace_record *record)
{
    if (!slots) // there are sums only (profile.c)
        return;
    struct ring *r = own ? own : begin_thread();
    if (WEFT_UNLIKELY(!r)) {
        atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
        return;
    }
    const uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    _Atomic uint64_t *slot = r->slot[head & (r->size - 1)];
    uint64_t word[WORDS];
    memcpy(word, record, sizeof word);
    // Pairs with the fence in copy_ring: who reads a word of this record also sees that all before it are
    // written, so it knows that the slot's old record is gone.
    atomic_thread_fence(memory_order_release);
    for (size_t i = 0; i < WORDS; i++)
        atomic_store_explicit(&slot[i], word[i], memory_order_relaxed);
    // Release: pairs with copy_ring, which then sees the whole record.
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
}

uint64_t weft_trace_begin(void)
{
    return weft_trace_is_on() ? weft_time_now() : 0;
}

void weft_trace_end(enum weft_trace_kind kind, uint64_t since, weft_trace_text name, uint64_t a, uint64_t b,
                    uint64_t c)
{
    if (!since || !weft_trace_is_on())
        return;
    const uint64_t now = weft_time_now();
    put(&(struct weft_trace_record){kind, name, since, now, {a, b, c}});
    if (kind == WEFT_TRACE_BUILD && weft_profile_is_on())
        weft_profile_compile(a ? (weft_trace_text)a : name, since, now);
}

void weft_trace_point(enum weft_trace_kind kind, weft_trace_text name, uint64_t a, uint64_t b, uint64_t c)
{
    if (weft_trace_is_on())
        put(&(struct weft_trace_record){kind, name, weft_time_now(), 0, {a, b, c}});
}

void weft_trace_range(uint64_t since, weft_trace_text name, uint64_t first, uint64_t end, const void *code,
                      struct weft_trace_command command)
{
    if (since && weft_trace_is_on())
        put(&(struct weft_trace_record){WEFT_TRACE_RANGE,
                                        name,
                                        since,
                                        weft_time_now(),
                                        {first, end, (uintptr_t)code, command.address, command.queued}});
}

void weft_trace_complete(const struct weft_trace_completion *c)
{
    if (weft_profile_is_on())
        weft_profile_complete(c);
    if (slots)
        weft_trace_pending_remove(c->command.address);
    if (weft_trace_is_on())
        put(&(struct weft_trace_record){
            WEFT_TRACE_COMMAND,
            c->name,
            c->command.queued,
            c->completed,
            {c->submitted, c->started, c->command.address, c->queue, (uint64_t)(int64_t)c->status}});
}

void weft_trace_waits_for(struct weft_trace_command waiter, struct weft_trace_command on)
{
    if (weft_trace_is_on())
        put(&(struct weft_trace_record){WEFT_TRACE_WAITS_FOR,
                                        0,
                                        weft_time_now(),
                                        0,
                                        {waiter.address, waiter.queued, on.address, on.queued}});
}

// ---- Reading ----

static bool copy_ring(struct ring *r, struct weft_trace_thread *out)
{
    // Acquire: pairs with put.
    const uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
    const uint64_t first = overwritten(r, head);
    out->id = r->thread;
    memcpy(out->name, r->name, sizeof out->name);
    out->dropped = head;
    out->count = 0;
    out->record = head ? weft_alloc((head - first) * sizeof *out->record) : NULL;
    if (!out->record)
        return head != 0;
    for (uint64_t i = first; i < head; i++) {
        uint64_t word[WORDS];
        for (size_t k = 0; k < WORDS; k++)
            word[k] = atomic_load_explicit(&r->slot[i & (r->size - 1)][k], memory_order_relaxed);
        memcpy(&out->record[i - first], word, sizeof word);
    }
    atomic_thread_fence(memory_order_acquire); // pairs with the fence in put
    const uint64_t now = atomic_load_explicit(&r->head, memory_order_relaxed);
    // The record that is being written now takes the slot of one more.
    uint64_t valid = now == head ? first : overwritten(r, now + 1);
    valid = valid < first ? first : valid > head ? head : valid;
    out->count = head - valid;
    out->dropped = valid;
    memmove(out->record, out->record + (valid - first), out->count * sizeof *out->record);
    return true;
}

bool weft_trace_next_thread(size_t *next, struct weft_trace_thread *out)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    struct ring *r = rings;
    for (size_t i = 0; r && i < *next; i++)
        r = r->next;
    for (; r && !found; r = r->next, ++*next)
        found = copy_ring(r, out);
    pthread_mutex_unlock(&lock);
    return found;
}

uint64_t weft_trace_lost(void)
{
    return atomic_load(&lost);
}

// ---- Load, fork, unload ----

bool weft_trace_rings_start(size_t bytes)
{
    const size_t wanted = bytes / sizeof(struct weft_trace_record);
    for (slots = bytes ? 1024 : 0; slots < wanted; slots *= 2)
        ;
    return pthread_key_create(&key, at_thread_end) == 0;
}

void weft_trace_rings_lock(void)
{
    pthread_mutex_lock(&lock);
}

void weft_trace_rings_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void weft_trace_rings_after_fork(void)
{
    struct ring *r = rings;
    rings = NULL;
    while (r) {
        struct ring *next = r->next;
        if (r == own) {
            atomic_store(&r->head, 0);
            r->thread = weft_thread_id();
            r->next = NULL;
            rings = r;
        } else {
            free_ring(r);
        }
        r = next;
    }
    atomic_store(&lost, 0);
}

void weft_trace_rings_close(void)
{
    slots = 0;
}

void weft_trace_rings_stop(void)
{
    pthread_key_delete(key);
    while (rings) {
        struct ring *next = rings->next;
        free_ring(rings);
        rings = next;
    }
}
