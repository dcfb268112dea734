// Objects: their pools, their two counts and the check of handles.
//
// Owns one pool for each kind. Memory of a pool is used only for objects of that kind until the library is
// unloaded. A freed object keeps its dispatch pointer and loader data. So even a stale handle passes through
// any ICD loader and arrives here, where the cleared magic reveals it. Each thread caches a few free objects
// of each kind; batches move between a thread's cache and the pool under the pool's lock.
#include "runtime/core/object.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/core/callback.h"

enum { SLAB_OBJECTS = 32, CACHE_BATCH = 32, CACHE_MAX = 2 * CACHE_BATCH };

// A free object. Its header stays unchanged, except for the magic.
struct free_object {
    struct weft_object obj;
    struct free_object *next;
};

struct slab {
    struct slab *next;
};

struct pool {
    pthread_mutex_t lock; // guards everything below
    struct free_object *free;
    struct slab *slabs;
    size_t stride;           // of the objects in the slabs
    size_t total, available; // all objects in the slabs, and those of them in `free`
};

struct cache {
    struct free_object *free;
    uint32_t count;
};

static struct pool pools[WEFT_KIND_COUNT] = {
    [0 ... WEFT_KIND_COUNT - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};
static __thread struct cache caches[WEFT_KIND_COUNT];
static __thread bool cache_registered;
static pthread_key_t cache_key; // its destructor returns the caches of an ending thread
static pthread_once_t cache_once = PTHREAD_ONCE_INIT;
static bool cache_usable;

// NULL: the object has no destructor callback. Events never have one; they are numerous, so they are tested
// first.
static struct weft_destructor_callback *destructor_callback_of(struct weft_object *o)
{
    if (WEFT_LIKELY(o->kind == WEFT_KIND_EVENT))
        return NULL;
    const struct weft_kind *k = &weft_kinds[o->kind];
    return k->destructor_callback ? k->destructor_callback(o) : NULL;
}

// This thread is in a clRelease of the application, so destructor callbacks run at once.
static __thread bool releasing;

bool weft_object_is_releasing(void)
{
    return releasing;
}

static struct free_object *give_batch(struct pool *p, struct free_object *list, uint32_t count)
{
    struct free_object *last = list;
    for (uint32_t i = 1; i < count; i++)
        last = last->next;
    struct free_object *rest = last->next;
    pthread_mutex_lock(&p->lock);
    last->next = p->free;
    p->free = list;
    p->available += count;
    pthread_mutex_unlock(&p->lock);
    return rest;
}

static void return_caches(void *unused)
{
    (void)unused;
    for (int k = 0; k < WEFT_KIND_COUNT; k++) {
        if (caches[k].count)
            give_batch(&pools[k], caches[k].free, caches[k].count);
        caches[k] = (struct cache){0};
    }
    cache_registered = false;
}

// A forked child must not find a pool locked by a thread that it doesn't have.
static void lock_pools(void)
{
    for (int k = 0; k < WEFT_KIND_COUNT; k++)
        pthread_mutex_lock(&pools[k].lock);
}

static void unlock_pools(void)
{
    for (int k = WEFT_KIND_COUNT; k-- > 0;)
        pthread_mutex_unlock(&pools[k].lock);
}

uint32_t weft_forks;

// A forked child must not find an object locked either. These locks guard members, and lists that a single
// store links. The child sees them as the parent's threads left them, at worst between two stores. That would
// not do for the search trees of memory/svm.c, so fork waits for their lock.
static void fork_child(void)
{
    for (int k = 0; k < WEFT_KIND_COUNT; k++) {
        void (*const after_fork)(struct weft_object *o) = weft_kinds[k].after_fork;
        for (struct slab *s = after_fork ? pools[k].slabs : NULL; s; s = s->next) {
            unsigned char *at = (unsigned char *)s + WEFT_OBJECT_ALIGN;
            for (size_t i = 0; i < SLAB_OBJECTS; i++) {
                struct weft_object *o = (struct weft_object *)(void *)(at + i * pools[k].stride);
                if (weft_object_refs(atomic_load(&o->life)) != 0) // published or not
                    after_fork(o);
            }
        }
    }
    weft_forks++;
    unlock_pools();
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(lock_pools, unlock_pools, fork_child);
    // destructor_callback_of and `below` don't look at the row of events.
    assert(!weft_kinds[WEFT_KIND_EVENT].destructor_callback && !weft_kinds[WEFT_KIND_EVENT].below);
}

static void make_key(void)
{
    cache_usable = pthread_key_create(&cache_key, return_caches) == 0;
}

// May this thread cache free objects? Only if they can be returned when the thread ends.
static bool cache_ready(void)
{
    if (WEFT_LIKELY(cache_registered))
        return true;
    pthread_once(&cache_once, make_key);
    cache_registered = cache_usable && pthread_setspecific(cache_key, caches) == 0;
    return cache_registered;
}

// At unload, frees the memory of each pool whose objects are all free. Otherwise the process is exiting while
// it still has objects, or threads that may use some; then the memory stays. Runs after the scheduler's
// threads have ended.
__attribute__((destructor(200))) static void free_pools(void)
{
    if (!weft_process_is_known())
        return;
    if (cache_usable)
        pthread_key_delete(cache_key);
    return_caches(NULL);
    for (int k = 0; k < WEFT_KIND_COUNT; k++) {
        struct pool *p = &pools[k];
        pthread_mutex_lock(&p->lock);
        struct slab *s = p->available == p->total ? p->slabs : NULL;
        if (s) {
            p->free = NULL;
            p->slabs = NULL;
            p->total = p->available = 0;
        }
        pthread_mutex_unlock(&p->lock);
        while (s) {
            struct slab *next = s->next;
            weft_free(s);
            s = next;
        }
    }
}

size_t weft_object_count_held(enum weft_object_kind kind)
{
    struct pool *p = &pools[kind];
    size_t held = 0;
    pthread_mutex_lock(&p->lock);
    for (const struct slab *s = p->slabs; s; s = s->next)
        for (size_t i = 0; i < SLAB_OBJECTS; i++) {
            const struct weft_object *o =
                (const void *)((const unsigned char *)s + WEFT_OBJECT_ALIGN + i * p->stride);
            held += weft_object_is(o, kind) && atomic_load_explicit(&o->handles, memory_order_relaxed) != 0;
        }
    pthread_mutex_unlock(&p->lock);
    return held;
}

struct weft_object_range weft_object_range = {.lowest = UINTPTR_MAX};

// Pools have a lock each, so several may grow at the same time. relaxed: see weft_object_is.
void weft_object_range_add(const void *objects, size_t bytes)
{
    const uintptr_t lowest = (uintptr_t)objects, end = lowest + bytes;
    uintptr_t old = atomic_load_explicit(&weft_object_range.lowest, memory_order_relaxed);
    while (lowest < old && !atomic_compare_exchange_weak_explicit(&weft_object_range.lowest, &old, lowest,
                                                                  memory_order_relaxed, memory_order_relaxed))
        ;
    old = atomic_load_explicit(&weft_object_range.end, memory_order_relaxed);
    while (end > old && !atomic_compare_exchange_weak_explicit(&weft_object_range.end, &old, end,
                                                               memory_order_relaxed, memory_order_relaxed))
        ;
}

static bool grow_locked(enum weft_object_kind kind, size_t bytes)
{
    struct pool *p = &pools[kind];
    size_t stride, total;
    if (!weft_align_size(bytes, WEFT_OBJECT_ALIGN, &stride) || !weft_mul_size(stride, SLAB_OBJECTS, &total) ||
        !weft_add_size(total, WEFT_OBJECT_ALIGN, &total))
        return false;
    struct slab *s = weft_alloc_aligned(WEFT_OBJECT_ALIGN, total);
    if (!s)
        return false;
    memset(s, 0, total);
    weft_object_range_add(s, total);
    s->next = p->slabs;
    p->slabs = s;
    p->stride = stride;
    p->total += SLAB_OBJECTS;
    p->available += SLAB_OBJECTS;
    unsigned char *at = (unsigned char *)s + WEFT_OBJECT_ALIGN;
    for (int i = SLAB_OBJECTS - 1; i >= 0; i--) {
        struct free_object *o = (struct free_object *)(void *)(at + (size_t)i * stride);
        o->obj.kind = (uint32_t)kind; // stays so for ever
        o->next = p->free;
        p->free = o;
    }
    return true;
}

static struct free_object *take_from_pool(enum weft_object_kind kind, size_t bytes, bool keep_more)
{
    struct pool *p = &pools[kind];
    pthread_mutex_lock(&p->lock);
    if (!p->free && !grow_locked(kind, bytes)) {
        pthread_mutex_unlock(&p->lock);
        return NULL;
    }
    struct free_object *o = p->free;
    p->free = o->next;
    if (keep_more && p->free) {
        struct free_object *first = p->free, *last = first;
        uint32_t n = 1;
        while (n < CACHE_BATCH && last->next) {
            last = last->next;
            n++;
        }
        p->free = last->next;
        last->next = NULL;
        p->available -= n;
        caches[kind] = (struct cache){first, n};
    }
    p->available--;
    pthread_mutex_unlock(&p->lock);
    return o;
}

static void put_free(enum weft_object_kind kind, struct free_object *o)
{
    if (!cache_ready()) {
        o->next = NULL;
        give_batch(&pools[kind], o, 1);
        return;
    }
    struct cache *c = &caches[kind];
    o->next = c->free;
    c->free = o;
    if (++c->count >= CACHE_MAX) {
        c->free = give_batch(&pools[kind], c->free, CACHE_BATCH);
        c->count -= CACHE_BATCH;
    }
}

void *weft_object_create(enum weft_object_kind kind, size_t bytes, const struct weft_object *parent)
{
    bool caching = cache_ready();
    struct cache *c = &caches[kind];
    struct free_object *f;
    if (WEFT_LIKELY(caching && c->count)) {
        f = c->free;
        c->free = f->next;
        c->count--;
    } else {
        f = take_from_pool(kind, bytes, caching);
        if (!f)
            return NULL;
    }
    memset((unsigned char *)f + sizeof(struct weft_object), 0, bytes - sizeof(struct weft_object));
    struct weft_object *o = &f->obj;
    o->dispatch = weft_dispatch_in_use;
    o->loader_data = parent ? parent->loader_data : NULL;
    atomic_store_explicit(&o->handles, 1, memory_order_relaxed);
    // Relaxed: other threads get the object through an operation that synchronizes.
    weft_object_set_refs(o, 1, false);
    return o;
}

void weft_object_ref(struct weft_object *o)
{
    // Relaxed: the caller has a reference already.
    atomic_fetch_add_explicit(&o->life, 1, memory_order_relaxed);
}

bool weft_object_try_ref(struct weft_object *o)
{
    // Relaxed: the lock under which the object was found makes its contents visible.
    uint64_t life = atomic_load_explicit(&o->life, memory_order_relaxed);
    while (weft_object_refs(life) &&
           !atomic_compare_exchange_weak_explicit(&o->life, &life, life + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
    return weft_object_refs(life) != 0;
}

// The object that o is a part of or lies over. NULL: none.
static struct weft_object *below(const struct weft_object *o)
{
    if (WEFT_LIKELY(o->kind == WEFT_KIND_EVENT))
        return NULL;
    const struct weft_kind *k = &weft_kinds[o->kind];
    return k->below ? k->below(o) : NULL;
}

static void destroy_later(struct weft_callback *b);

// The last reference is gone. Returns true if the object is to be destroyed on this thread. Otherwise the
// callback thread destroys it.
static bool ends_here(struct weft_object *o)
{
    atomic_store_explicit(&o->life, 0, memory_order_relaxed);
    struct weft_destructor_callback *later = destructor_callback_of(o);
    if (WEFT_LIKELY(!later || releasing))
        return true;
    later->object = o;
    later->dispatch.call = destroy_later;
    weft_callback_dispatch(&later->dispatch);
    return false;
}

// Gives back `refs` references. Memory order: see weft_object_unref_lightly.
static bool unref_is_last(struct weft_object *o, uint32_t refs)
{
    return weft_object_refs(atomic_fetch_sub_explicit(&o->life, refs, memory_order_acq_rel)) == refs;
}

// Destroys o, then its parents as far as this was their last reference. The loop replaces recursion: chains
// of images over images, and of sub-devices of sub-devices, can have any length.
static void destroy(struct weft_object *o)
{
    while (o) {
        enum weft_object_kind kind = (enum weft_object_kind)o->kind;
        struct weft_object *next = below(o);
        weft_kinds[kind].destroy(o);
        put_free(kind, (struct free_object *)(void *)o);
        o = next && unref_is_last(next, 1) && ends_here(next) ? next : NULL;
    }
}

static void destroy_later(struct weft_callback *b)
{
    destroy(WEFT_CONTAINER_OF(b, struct weft_destructor_callback, dispatch)->object);
}

void weft_object_gone(struct weft_object *o)
{
    if (ends_here(o))
        destroy(o);
}

void weft_object_unref(struct weft_object *o)
{
    if (o)
        weft_object_unref_lightly(o);
}

// Adds a handle. The caller has taken a reference, which becomes the handles' one if there were none. The
// reference comes first, because who releases the handle may give it back at once.
static void add_handle(struct weft_object *o)
{
    // Relaxed: this only counts handles; the lifetime is `refs`.
    if (atomic_fetch_add_explicit(&o->handles, 1, memory_order_relaxed) != 0)
        weft_object_unref(o);
}

void weft_object_retain_handle(struct weft_object *o)
{
    weft_object_ref(o);
    add_handle(o);
}

bool weft_object_retain(const void *handle, enum weft_object_kind kind)
{
    struct weft_object *o = weft_object_ref_of(handle, kind);
    if (o)
        add_handle(o);
    return o != NULL;
}

// Takes one handle away. Returns how many there were; 0: there was none to take.
static uint32_t take_handle(struct weft_object *o)
{
    uint32_t n = atomic_load_explicit(&o->handles, memory_order_relaxed);
    // Acquire-release, pairs with itself: everything done with any handle happens before what the last
    // release does.
    while (n && !atomic_compare_exchange_weak_explicit(&o->handles, &n, n - 1, memory_order_acq_rel,
                                                       memory_order_relaxed))
        ;
    return n;
}

// Gives back several references at once, on behalf of a clRelease.
static void unref_here(struct weft_object *o, uint32_t refs)
{
    if (!unref_is_last(o, refs))
        return;
    bool outer = releasing;
    releasing = true;
    weft_object_gone(o);
    releasing = outer;
}

void weft_object_unref_here(struct weft_object *o)
{
    unref_here(o, 1);
}

bool weft_object_release_handle(struct weft_object *o)
{
    const uint32_t n = take_handle(o);
    if (n == 1)
        unref_here(o, 1);
    return n != 0;
}

bool weft_object_release(const void *handle, enum weft_object_kind kind)
{
    struct weft_object *o = weft_object_ref_of(handle, kind);
    if (!o)
        return false;
    const uint32_t n = take_handle(o);
    unref_here(o, n == 1 ? 2 : 1);
    return n != 0;
}
