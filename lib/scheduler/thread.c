// The state of each executing thread: arenas, the task to run next, the bounds of its stack. Pool threads
// create it when they start, application threads on the first wait in which they could help. Owns the list of
// states (under list_lock), and the key whose destructor frees the state of an application thread when that
// ends.
#include "scheduler/internal.h"

#include <sys/mman.h>
#include <unistd.h>

#include "weft/kernel_abi.h"

_Thread_local struct weft_thread *weft_thread_own WEFT_STATIC_TLS;

static struct weft_mutex list_lock;
static struct weft_thread *list; // all states, for unload
static pthread_key_t key;
static bool key_made;
static _Atomic uint32_t app_threads; // numbers application threads
// The state of one application thread that gets no memory. A wait must end even if no pool thread could be
// started and all allocations fail.
static struct weft_thread reserve;
static _Atomic bool reserve_taken;

static void list_remove(struct weft_thread *t)
{
    weft_mutex_lock(&list_lock);
    if (t->list_prev)
        t->list_prev->list_next = t->list_next;
    else if (list == t)
        list = t->list_next;
    if (t->list_next)
        t->list_next->list_prev = t->list_prev;
    weft_mutex_unlock(&list_lock);
}

static void free_thread(struct weft_thread *t)
{
    for (size_t i = 0; i < WEFT_NEST_MAX; i++)
        weft_worker_arena_free(&t->worker[i]);
    if (t != &reserve) {
        weft_free(t);
        return;
    }
    reserve = (struct weft_thread){0};
    atomic_store(&reserve_taken, false);
}

void weft_thread_destroy(struct weft_thread *t)
{
    list_remove(t);
    if (weft_thread_own == t)
        weft_thread_own = NULL;
    free_thread(t);
}

static void at_thread_end(void *t)
{
    weft_thread_destroy(t);
}

static void stack_bounds(uintptr_t *low, uintptr_t *high)
{
    pthread_attr_t a;
    void *base;
    size_t size, guard = 0;
    *low = *high = 0;
    if (pthread_getattr_np(pthread_self(), &a) != 0)
        return;
    if (pthread_attr_getstack(&a, &base, &size) == 0) {
        pthread_attr_getguardsize(&a, &guard);
        *low = (uintptr_t)base + guard; // older C libraries include the guard
        *high = (uintptr_t)base + size;
    }
    pthread_attr_destroy(&a);
}

struct weft_thread *weft_thread_create(uint32_t index, bool is_pool)
{
    struct weft_thread *t = weft_zalloc(sizeof *t);
    if (!t && !is_pool && !atomic_exchange(&reserve_taken, true))
        t = &reserve;
    if (!t)
        return NULL;
    for (size_t i = 0; i < WEFT_NEST_MAX; i++) {
        t->worker[i].index = index;
        t->worker[i].is_pool = is_pool;
    }
    stack_bounds(&t->stack_low, &t->stack_high);
    weft_mutex_lock(&list_lock);
    t->list_next = list;
    if (list)
        list->list_prev = t;
    list = t;
    if (!is_pool && !key_made)
        key_made = pthread_key_create(&key, at_thread_end) == 0;
    bool keyed = is_pool || key_made;
    weft_mutex_unlock(&list_lock);
    if (!keyed || (!is_pool && pthread_setspecific(key, t) != 0)) {
        weft_thread_destroy(t);
        return NULL;
    }
    return t;
}

void weft_thread_adopt(struct weft_thread *t)
{
    weft_thread_own = t;
}

struct weft_thread *weft_thread_get(void)
{
    struct weft_thread *t = weft_thread_now();
    if (WEFT_UNLIKELY(!t)) {
        // Relaxed: the number only has to be unique.
        uint32_t n = atomic_fetch_add_explicit(&app_threads, 1, memory_order_relaxed);
        t = weft_thread_create(weft_sched_thread_count() + n, false);
        weft_thread_adopt(t);
    }
    return t;
}

// ---- Levels ----

void weft_nesting_enter(struct weft_thread *t, struct weft_nesting *l)
{
    if (WEFT_LIKELY(t->depth < WEFT_NEST_MAX)) {
        l->worker = &t->worker[t->depth];
    } else {
        l->deep = (struct weft_worker){.index = t->worker[0].index, .is_pool = t->worker[0].is_pool};
        l->worker = &l->deep;
    }
    l->outer_done = t->in_done;
    t->in_done = false;
    t->depth++;
}

void weft_nesting_leave(struct weft_thread *t, struct weft_nesting *l)
{
    t->depth--;
    t->in_done = l->outer_done;
}

void weft_nesting_free(struct weft_nesting *l)
{
    if (WEFT_UNLIKELY(l->worker == &l->deep))
        weft_worker_arena_free(&l->deep);
}

// ---- Stacks ----

size_t weft_thread_stack_left(const struct weft_thread *t)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here > t->stack_low && here < t->stack_high ? here - t->stack_low : 0;
}

void weft_threads_fork_prepare(void)
{
    weft_mutex_lock(&list_lock);
}

void weft_threads_fork_parent(void)
{
    weft_mutex_unlock(&list_lock);
}

// The other threads exist only in the parent. Their states are freed here.
void weft_threads_fork_child(void)
{
    struct weft_thread *t = list, *me = weft_thread_now();
    list_lock = (struct weft_mutex){0};
    list = me;
    while (t) {
        struct weft_thread *next = t->list_next;
        if (t != me)
            free_thread(t);
        t = next;
    }
    if (me)
        me->list_prev = me->list_next = NULL;
}

bool weft_threads_fini(void)
{
    struct weft_thread *me = weft_thread_now(), *rest = NULL;
    bool others = false, busy = false, ending = weft_process_is_ending();
    weft_mutex_lock(&list_lock);
    for (struct weft_thread *t = list; t; t = t->list_next) {
        others |= t != me;
        busy |= t->worker[0].is_pool || atomic_load(&t->waiting);
    }
    if (!busy && key_made) {
        pthread_key_delete(key);
        key_made = false;
    }
    if (!busy && !ending) {
        rest = list;
        list = NULL;
    }
    weft_mutex_unlock(&list_lock);
    if (busy)
        return false;
    if (ending && me)
        weft_thread_destroy(me);
    while (rest) {
        struct weft_thread *next = rest->list_next;
        free_thread(rest);
        rest = next;
    }
    return !ending || !others;
}

// Readable pages of zeros lie before and after an arena. `l >= s ? tile[l - s] : 0` becomes a masked load
// whose first lanes may lie before local memory. If no page is mapped there, the processor needs hundreds of
// cycles to find out that it needn't fault: on Zen 4 a scan of 256 elements takes 10,000 cycles instead of
// 1,000. The pages are read-only, so stray writes still fault.
// MARGIN: bytes on each side, whole pages of any size. NEAR: the bytes next to the arena that are touched in
// advance.
enum { MARGIN = 64 << 10, NEAR = 16 << 10 };

static void make_margin(char *margin, const char *near)
{
    for (size_t i = 0; i < NEAR; i += 4096)
        (void)*(volatile const char *)(near + i);
    mprotect(margin, MARGIN, PROT_READ); // if it fails, one stray write fewer is reported
}

void weft_worker_arena_free(struct weft_worker *w)
{
    char *old = w->arena;
    size_t size = w->arena_size;
    w->arena = NULL; // before it is freed: a fork may come in between, and the child frees what it finds
    w->arena_size = 0;
    if (old)
        weft_unmap_guarded(old - MARGIN, size + (size_t)2 * MARGIN, w->arena_guard);
}

void *weft_worker_arena(struct weft_worker *w, size_t bytes)
{
    if (bytes <= w->arena_size && w->arena)
        return w->arena;
    size_t size, all, page = (size_t)sysconf(_SC_PAGESIZE);
    if (!weft_align_size(bytes ? bytes : 1, page, &size) || !weft_add_size(size, (size_t)2 * MARGIN, &all))
        return NULL;
    weft_worker_arena_free(w);
    w->arena_guard = WEFT_FAR_GUARD;
    char *map = weft_alloc_fails() ? NULL : weft_map_guarded(WEFT_LOCAL_ALIGN, all, &w->arena_guard);
    char *arena = map ? map + MARGIN : NULL;
    if (arena) {
        make_margin(map, arena - NEAR);
        make_margin(arena + size, arena + size);
    }
    w->arena_size = arena ? size : 0;
    // After a fork in between, the child leaks the arena, but unmaps nothing else.
    atomic_signal_fence(memory_order_seq_cst);
    w->arena = arena;
    return arena;
}
