// The storage pool (ADR 36). A list for each size class has what was freed, the last freed last, with its
// owner. Small classes, whose lists have little to hold and are used most, have such a list for each shard of
// the processors.
//
// Each shard has a lock for its lists. The other lists share LARGE_LOCKS locks. No other lock is taken under
// them. Storage is given back without a lock. A fork takes all of them, which is why there are few.
//
// Time is that of the coarse clock, in milliseconds. The pool looks after itself when large storage is put,
// at most every CHECK_MS, and in a call that an idle thread of the scheduler makes while there is large
// storage.
#include "runtime/memory/storage_pool.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "base/libc/libc.h"
#include "runtime/memory/guarded_arena.h"
#include "runtime/memory/mapped_storage.h"
#include "runtime/memory/poison.h"
#include "weft/scheduler.h"

#define KEEP_MS 3000u               // what isn't taken for so long is given back
#define CHECK_MS 100u               // between two looks at the memory, while storage is put
#define IDLE_MS 1000u               // between two looks of an idle thread
#define IDLE_FROM ((size_t)1 << 20) // bytes in the pool that are worth an idle thread's look

// Size classes: those of the arena, of which the first SMALL are small. Then those of mappings,
// eight a doubling, from 2 MiB to 1 GiB.
enum { SMALL = 28, SHARDS = 16, SMALL_LISTS = SMALL * SHARDS, SMALL_SLOTS = 16 };
enum { FIRST_SHIFT = 20, DOUBLINGS = 9, MAPPED = DOUBLINGS * 8 + 1 };
enum { LARGE_LISTS = WEFT_ARENA_SIZES - SMALL + MAPPED, LARGE_SLOTS = 256 };
enum { LISTS = SMALL_LISTS + LARGE_LISTS, LARGE_LOCKS = 8, LOCKS = SHARDS + LARGE_LOCKS };
#define MAX_SMALL ((size_t)32 << 10)        // bytes of the largest small piece
#define MAX_SMALL_BYTES ((size_t)128 << 10) // of one small list

struct entry {
    void *storage;
    const void *owner;
    uint64_t since; // when it was put
    unsigned node;  // of the thread that put it
};

struct list {
    _Alignas(64) _Atomic uint32_t count; // written under the lock
    _Atomic uint64_t oldest;             // the first entry's `since`; written under the lock
    size_t capacity;                     // bytes of each entry; constant from the first one on
    size_t hits, misses;
};

static struct {
    _Alignas(64) pthread_mutex_t mutex;
} locks[LOCKS] = {[0 ... LOCKS - 1] = {PTHREAD_MUTEX_INITIALIZER}};
static struct list lists[LISTS];
static struct entry small_entries[SMALL_LISTS][SMALL_SLOTS], large_entries[LARGE_LISTS][LARGE_SLOTS];

static _Atomic size_t bytes_now;    // in large lists
static _Atomic uint64_t next_check; // time
static _Atomic uint64_t last_put;   // time, of large storage or of small that found no place
static _Atomic bool refuses;        // large storage: memory is short, or addresses are
static _Atomic bool is_closed;      // the library is being unloaded

// ---- Classes ----

static size_t read_limit(void)
{
    // Address sanitizer: a use of storage after its release is to be found, also by kernels, which it doesn't
    // see. Only a mapping that is gone does that.
    if (WEFT_POISONS && !weft_config_str(WEFT_CFG_POOL_MIB))
        return 0;
    const uint64_t wanted = weft_config_uint(WEFT_CFG_POOL_MIB),
                   memory = weft_topology_basics()->memory_bytes;
    return (size_t)(wanted << 20 < memory / 8 ? wanted << 20 : memory / 8);
}

static size_t limit(void)
{
    static _Atomic size_t known = SIZE_MAX;
    // Relaxed: every thread reads the same value.
    size_t n = atomic_load_explicit(&known, memory_order_relaxed);
    if (WEFT_UNLIKELY(n == SIZE_MAX)) {
        n = read_limit();
        atomic_store_explicit(&known, n, memory_order_relaxed);
    }
    return n;
}

// Returns which class of mappings has room for `size` bytes. MAPPED or more: none has.
static uint32_t mapped_class(size_t size, size_t *capacity)
{
    uint32_t shift = 63 - (uint32_t)__builtin_clzll(size - 1);
    uint32_t eighth = (uint32_t)((size - 1) >> (shift - 3)) & 7;
    *capacity = (size_t)(9 + eighth) << (shift - 3);
    return (shift - FIRST_SHIFT) * 8 + eighth - 7;
}

size_t weft_storage_pool_capacity(size_t size)
{
    size_t capacity;
    return limit() && mapped_class(size, &capacity) < MAPPED ? capacity : size;
}

struct place {
    uint32_t list;
    unsigned node; // of the calling thread
    size_t capacity;
};

struct weft_storage_place weft_storage_pool_here(size_t size)
{
    struct weft_storage_place here = {0, 0};
    int cpu;
    if (size > MAX_SMALL)
        weft_current_processor(&here.cpu, &here.node);
    else if ((cpu = sched_getcpu()) >= 0) // costs less
        here.cpu = (unsigned)cpu;
    return here;
}

// False: the pool has no list for storage of that size.
static bool find_place(size_t size, struct weft_storage_place here, struct place *out)
{
    if (limit() == 0)
        return false;
    out->node = here.node;
    if (size > WEFT_ARENA_MAX) {
        uint32_t n = mapped_class(size, &out->capacity);
        out->list = SMALL_LISTS + WEFT_ARENA_SIZES - SMALL + n;
        return n < MAPPED && out->capacity <= limit() / 2;
    }
    uint32_t n = weft_arena_size_of(size, &out->capacity);
    out->list = n < SMALL ? here.cpu % SHARDS * SMALL + n : SMALL_LISTS + n - SMALL;
    return true;
}

static bool is_large(uint32_t list)
{
    return list >= SMALL_LISTS;
}

static struct entry *entries_of(uint32_t list)
{
    return is_large(list) ? large_entries[list - SMALL_LISTS] : small_entries[list];
}

static uint32_t slots_of(uint32_t list, size_t capacity)
{
    if (is_large(list))
        return LARGE_SLOTS;
    return capacity * SMALL_SLOTS <= MAX_SMALL_BYTES ? SMALL_SLOTS : (uint32_t)(MAX_SMALL_BYTES / capacity);
}

static pthread_mutex_t *lock_of(uint32_t list)
{
    return &locks[is_large(list) ? SHARDS + list % LARGE_LOCKS : list / SMALL].mutex;
}

static void lock_list(uint32_t list)
{
    pthread_mutex_lock(lock_of(list));
}

static void unlock_list(uint32_t list)
{
    pthread_mutex_unlock(lock_of(list));
}

// ---- Entries ----

static uint32_t count_of(uint32_t list)
{
    // Relaxed: a hint without the lock.
    return atomic_load_explicit(&lists[list].count, memory_order_relaxed);
}

static void set_count_locked(uint32_t list, uint32_t count)
{
    atomic_store_explicit(&lists[list].count, count, memory_order_relaxed);
    atomic_store_explicit(&lists[list].oldest, count ? entries_of(list)[0].since : UINT64_MAX,
                          memory_order_relaxed);
}

static void *remove_locked(uint32_t list, uint32_t at)
{
    struct entry *e = entries_of(list);
    uint32_t after = count_of(list) - at - 1;
    void *storage = e[at].storage;
    memmove(&e[at], &e[at + 1], after * sizeof *e);
    set_count_locked(list, at + after);
    return storage;
}

// Gives storage that was removed from a list back to where it came from.
static void give_back(uint32_t list, void *storage)
{
    if (list < SMALL_LISTS + WEFT_ARENA_SIZES - SMALL)
        weft_arena_free_used(storage); // who had it may have asked for more than its first owner
    else
        weft_mapped_storage_free(storage, lists[list].capacity);
    if (is_large(list))
        atomic_fetch_sub_explicit(&bytes_now, lists[list].capacity, memory_order_relaxed);
}

// Gives back the entries of a list that are of `owner` (NULL: any) and lie there since before `since`.
static void sweep(uint32_t list, const void *owner, uint64_t since)
{
    void *gone[LARGE_SLOTS];
    uint32_t gone_count = 0, left = 0;
    // What the caller means was put before it called.
    if (count_of(list) == 0)
        return;
    lock_list(list);
    struct entry *e = entries_of(list);
    for (uint32_t i = 0; i < count_of(list); i++)
        if (e[i].since < since && (!owner || e[i].owner == owner))
            gone[gone_count++] = e[i].storage;
        else
            e[left++] = e[i];
    set_count_locked(list, left);
    unlock_list(list);
    for (uint32_t i = 0; i < gone_count; i++)
        give_back(list, gone[i]);
}

static void sweep_all(const void *owner, uint64_t since)
{
    for (uint32_t i = 0; i < LISTS; i++)
        sweep(i, owner, since);
}

// Gives back the entry that lies in the large lists longest. False: there is none.
static bool give_back_oldest(void)
{
    uint32_t list = LISTS;
    uint64_t oldest = UINT64_MAX;
    for (uint32_t i = SMALL_LISTS; i < LISTS; i++) {
        uint64_t since = atomic_load_explicit(&lists[i].oldest, memory_order_relaxed);
        if (count_of(i) && since < oldest) {
            oldest = since;
            list = i;
        }
    }
    if (list == LISTS)
        return false;
    lock_list(list);
    void *storage = count_of(list) ? remove_locked(list, 0) : NULL;
    unlock_list(list);
    if (storage)
        give_back(list, storage);
    return true;
}

// ---- Time and pressure ----

uint64_t weft_storage_pool_now(void)
{
    return weft_time_coarse() / 1000000;
}

void weft_storage_pool_trim(uint64_t since)
{
    sweep_all(NULL, since);
}

void weft_storage_pool_drop(void)
{
    atomic_store(&next_check, 0);
    sweep_all(NULL, UINT64_MAX);
}

void weft_storage_pool_forget(const void *owner)
{
    if (limit())
        sweep_all(owner, UINT64_MAX);
}

static void look_after(uint64_t now)
{
    const bool is_short = weft_memory_is_short();
    // Addresses that are limited are needed by others more.
    const bool refused = atomic_exchange(&refuses, is_short || weft_addresses_are_scarce());
    if (!atomic_load(&refuses)) {
        weft_storage_pool_trim(now > KEEP_MS ? now - KEEP_MS : 0);
        return;
    }
    sweep_all(NULL, UINT64_MAX);
    if (!refused)
        weft_arena_trim();
}

static void call_when_idle(void);

static void idle(void)
{
    uint64_t now = weft_storage_pool_now();
    look_after(now);
    if (now - atomic_load_explicit(&last_put, memory_order_relaxed) > KEEP_MS)
        weft_arena_trim(); // the small lists are empty, too
    else
        call_when_idle();
}

static void call_when_idle(void)
{
    weft_sched_call_when_idle(idle, (uint64_t)IDLE_MS * 1000000);
}

// Before large storage is put.
static void look_now_and_then(uint64_t now)
{
    uint64_t next = atomic_load_explicit(&next_check, memory_order_relaxed);
    if (WEFT_UNLIKELY(now >= next) && atomic_compare_exchange_strong(&next_check, &next, now + CHECK_MS))
        look_after(now);
}

// After it was put, or small storage found no place.
static void note_put(uint64_t now)
{
    if (atomic_load_explicit(&last_put, memory_order_relaxed) != now)
        atomic_store_explicit(&last_put, now, memory_order_relaxed);
    if (atomic_load_explicit(&bytes_now, memory_order_relaxed) >= IDLE_FROM)
        call_when_idle();
}

// ---- Taking and putting ----

// Returns the place of the owner's last entry, preferably from the same node. UINT32_MAX: there is none.
static uint32_t find_locked(const struct place *p, const void *owner)
{
    const struct entry *e = entries_of(p->list);
    uint32_t other = UINT32_MAX;
    for (uint32_t i = count_of(p->list); i-- > 0;) {
        if (e[i].owner != owner)
            continue;
        if (e[i].node == p->node)
            return i;
        other = other == UINT32_MAX ? i : other;
    }
    return other;
}

void *weft_storage_pool_take(size_t size, const void *owner, struct weft_storage_place here)
{
    struct place p;
    if (!find_place(size, here, &p))
        return NULL;
    lock_list(p.list);
    uint32_t at = find_locked(&p, owner);
    void *storage = at != UINT32_MAX ? remove_locked(p.list, at) : NULL;
    *(storage ? &lists[p.list].hits : &lists[p.list].misses) += 1;
    unlock_list(p.list);
    if (!storage)
        return NULL;
    if (is_large(p.list))
        atomic_fetch_sub_explicit(&bytes_now, p.capacity, memory_order_relaxed);
    WEFT_UNPOISON(storage, size);
    return storage;
}

// Adds an entry. Returns storage that had to make room, or NULL.
static void *add(const struct place *p, const struct entry *e)
{
    void *first = NULL;
    lock_list(p->list);
    if (count_of(p->list) == slots_of(p->list, p->capacity))
        first = remove_locked(p->list, 0);
    uint32_t count = count_of(p->list);
    if (lists[p->list].capacity == 0)
        lists[p->list].capacity = p->capacity;
    entries_of(p->list)[count] = *e;
    set_count_locked(p->list, count + 1);
    unlock_list(p->list);
    return first;
}

// Makes room for large storage. False: there is to be none.
static bool reserve(size_t capacity, uint64_t now)
{
    look_now_and_then(now);
    if (atomic_load_explicit(&refuses, memory_order_relaxed))
        return false;
    size_t bytes = atomic_fetch_add_explicit(&bytes_now, capacity, memory_order_relaxed) + capacity;
    for (; bytes > limit(); bytes = atomic_load_explicit(&bytes_now, memory_order_relaxed))
        if (!give_back_oldest()) // others have reserved room that they haven't used yet
            break;
    return true;
}

bool weft_storage_pool_put(void *storage, size_t size, const void *owner, struct weft_storage_place here)
{
    struct place p;
    if (!find_place(size, here, &p) || atomic_load_explicit(&is_closed, memory_order_relaxed))
        return false;
    const uint64_t now = weft_storage_pool_now();
    const bool fits = !is_large(p.list) || reserve(p.capacity, now);
    void *first = NULL;
    if (fits) {
        WEFT_POISON(storage, p.capacity);
        first = add(&p, &(struct entry){storage, owner, now, p.node});
    }
    if (first)
        give_back(p.list, first);
    if (is_large(p.list) || first)
        note_put(now);
    return fits;
}

// ---- For tests, fork and unload ----

void weft_storage_pool_look(struct weft_storage_pool_state *out)
{
    *out = (struct weft_storage_pool_state){
        .limit = limit(), .bytes = atomic_load(&bytes_now), .refuses = atomic_load(&refuses)};
    for (uint32_t i = 0; i < LISTS; i++) {
        lock_list(i);
        out->entries += count_of(i);
        out->hits += lists[i].hits;
        out->misses += lists[i].misses;
        unlock_list(i);
    }
}

static void fork_prepare(void)
{
    for (uint32_t i = 0; i < LOCKS; i++)
        pthread_mutex_lock(&locks[i].mutex);
}

static void fork_parent(void)
{
    for (uint32_t i = LOCKS; i-- > 0;)
        pthread_mutex_unlock(&locks[i].mutex);
}

// The first write to a page that parent and child share copies it, which costs more than a new page. So the
// child gives everything back when it first puts large storage.
static void fork_child(void)
{
    for (uint32_t i = 0; i < LISTS; i++) {
        for (uint32_t k = 0; k < count_of(i); k++)
            entries_of(i)[k].since = 0;
        set_count_locked(i, count_of(i));
    }
    atomic_store(&next_check, 0);
    fork_parent();
}

// As in guarded_arena.c: prepare handlers run in reverse order, so this one runs when fork holds the locks
// under which others take these.
__attribute__((constructor(102))) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

// At unload: after the memory objects (core/object.c, 200) and before the arena (150). At exit other threads
// may be in the middle of a call.
__attribute__((destructor(160))) static void at_unload(void)
{
    if (!weft_process_is_known() || weft_process_is_ending())
        return;
    atomic_store(&is_closed, true);
    weft_storage_pool_drop();
}
