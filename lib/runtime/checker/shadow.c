#include "runtime/checker/shadow.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "base/base.h"

enum { WORD = 4 };
// Numbers of buffers and stores. No number has four equal bytes.
enum { BUFFERS = 0x40000000, STORES = 0x50000000, NUMBERS = 0x400000 };

atomic_bool weft_shadow_used;

struct noted {
    struct weft_check_range range;
    uint32_t number;
    unsigned char *map; // shadow and origins, size bytes each
    size_t size;
    // All of it was written when so much had been stored that wasn't; 0: never.
    _Atomic uint64_t written_since;
    _Atomic size_t unwritten; // a byte that perhaps isn't written
};

// Counts what is stored that isn't written, in any buffer: what is known of buffers must be found anew then.
static _Atomic uint64_t stored_unwritten = 1;

// Buffers by address. Guards the bytes of shadow against the end of a buffer, not against each other.
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct noted *buffers;
static size_t count, capacity;
static uint32_t last_number;

// Maps of buffers that have ended, for those that begin: the system makes pages more slowly than they are
// filled. Guarded by the same lock.
enum { KEPT = 8 };
static const size_t most_kept = (size_t)128 << 20; // bytes
static struct {
    unsigned char *map;
    size_t size;
} kept[KEPT];
static size_t kept_bytes;

// Stores, by number. Guarded by its own lock, which is taken last.
static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_unwritten_store *stores;
static size_t store_count, store_capacity;

static void fork_prepare(void)
{
    pthread_rwlock_wrlock(&lock);
    pthread_mutex_lock(&store_lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&store_lock);
    pthread_rwlock_unlock(&lock);
}

// A lock of which another thread was the owner can only be made anew.
static void fork_child(void)
{
    pthread_mutex_init(&store_lock, NULL);
    pthread_rwlock_init(&lock, NULL);
}

static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

void weft_shadow_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, know_forks);
    atomic_store(&weft_shadow_used, true);
}

void *weft_shadow_map(size_t size)
{
    size_t both;
    if (weft_alloc_fails() || !weft_mul_size(size, 2, &both))
        return NULL;
    void *p = mmap(NULL, both, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    enum { LARGE = 4 << 20 };
    if (both >= LARGE)
        madvise(p, both, MADV_HUGEPAGE); // fewer faults, if the system has such pages
    return p;
}

void weft_shadow_unmap(void *shadow, size_t size)
{
    munmap(shadow, 2 * size);
}

// ---- buffers ----

// The number of buffers that begin at or before the address.
static size_t begin_before_locked(uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (buffers[middle].range.first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Storage of buffers doesn't overlap.
static struct noted *find_locked(uint64_t address)
{
    const size_t n = begin_before_locked(address);
    return n && address < buffers[n - 1].range.end ? &buffers[n - 1] : NULL;
}

static bool has_room_locked(void)
{
    if (count < capacity)
        return true;
    const size_t more = capacity ? 2 * capacity : 64;
    struct noted *larger = weft_realloc(buffers, more * sizeof *larger);
    if (!larger)
        return false;
    buffers = larger;
    capacity = more;
    return true;
}

static void fill_words(unsigned char *at, size_t size, uint32_t word)
{
    for (size_t i = 0; i + WORD <= size; i += WORD)
        memcpy(at + i, &word, WORD);
}

// A kept map of this size. NULL: there is none.
static unsigned char *take_kept(size_t size)
{
    unsigned char *map = NULL;
    pthread_rwlock_wrlock(&lock);
    for (unsigned k = 0; k < KEPT && !map; k++)
        if (kept[k].map && kept[k].size == size) {
            map = kept[k].map;
            kept[k].map = NULL;
            kept_bytes -= 2 * size;
        }
    pthread_rwlock_unlock(&lock);
    return map;
}

static bool keep_locked(unsigned char *map, size_t size)
{
    for (unsigned k = 0; k < KEPT && size <= most_kept / 2 && kept_bytes + 2 * size <= most_kept; k++)
        if (!kept[k].map) {
            kept[k].map = map;
            kept[k].size = size;
            kept_bytes += 2 * size;
            return true;
        }
    return false;
}

// Where all is written, origins don't matter until a kernel stores one.
static void fill(const struct noted *n, bool fresh, bool written)
{
    if (!written) {
        const size_t size = (size_t)(n->range.end - n->range.first);
        memset(n->map, 255, size);
        memset(n->map + size, 0, n->size - size);
        fill_words(n->map + n->size, n->size, n->number);
    } else if (!fresh) {
        memset(n->map, 0, n->size);
    }
}

void weft_shadow_add(const void *first, size_t size, bool written)
{
    enum { ALIGN = 128 }; // of the largest vectors
    struct noted n = {.range.first = (uintptr_t)first, .range.end = (uintptr_t)first + size};
    if (!weft_align_size(size, ALIGN, &n.size))
        return;
    n.map = take_kept(n.size);
    const bool fresh = !n.map;
    if (fresh && !(n.map = weft_shadow_map(n.size)))
        return;
    n.range.shadow = (uintptr_t)n.map;
    n.range.origins = n.range.shadow + n.size;
    pthread_rwlock_wrlock(&lock);
    n.number = BUFFERS | last_number++ % NUMBERS;
    const size_t at = begin_before_locked(n.range.first);
    const bool room = has_room_locked();
    if (room) {
        memmove(&buffers[at + 1], &buffers[at], (count - at) * sizeof *buffers);
        buffers[at] = n;
        count++;
        fill(&n, fresh, written);
    }
    pthread_rwlock_unlock(&lock);
    if (!room)
        weft_shadow_unmap(n.map, n.size);
}

void weft_shadow_remove(const void *first)
{
    pthread_rwlock_wrlock(&lock);
    struct noted *n = find_locked((uintptr_t)first), gone = {0};
    if (n && n->range.first == (uintptr_t)first) {
        gone = *n;
        memmove(n, n + 1, (size_t)(&buffers[count] - (n + 1)) * sizeof *n);
        count--;
    }
    const bool keeps = gone.map && keep_locked(gone.map, gone.size);
    pthread_rwlock_unlock(&lock);
    if (gone.map && !keeps)
        weft_shadow_unmap(gone.map, gone.size);
}

bool weft_shadow_find(uint64_t address, struct weft_check_range *out)
{
    pthread_rwlock_rdlock(&lock);
    const struct noted *n = find_locked(address);
    if (n)
        *out = n->range;
    pthread_rwlock_unlock(&lock);
    return n != NULL;
}

void weft_shadow_note_unwritten(void)
{
    // release: what was stored before; pairs with weft_shadow_is_written.
    atomic_fetch_add_explicit(&stored_unwritten, 1, memory_order_release);
}

// The first byte that isn't zero; size: there is none.
static size_t first_unwritten(const unsigned char *shadow, size_t size)
{
    enum { BLOCK = 64 };
    size_t at = 0;
    for (; at + BLOCK <= size; at += BLOCK) {
        uint64_t any = 0, eight;
        for (size_t k = 0; k < BLOCK; k += sizeof eight) {
            memcpy(&eight, shadow + at + k, sizeof eight);
            any |= eight;
        }
        if (any)
            break;
    }
    while (at < size && !shadow[at])
        at++;
    return at;
}

static bool is_written_locked(struct noted *n, uint64_t first, uint64_t end)
{
    // acquire: pairs with weft_shadow_note_unwritten. relaxed: hints, of which one thread's does for others.
    const uint64_t now = atomic_load_explicit(&stored_unwritten, memory_order_acquire);
    if (atomic_load_explicit(&n->written_since, memory_order_relaxed) == now)
        return true;
    const size_t begin = (size_t)(first - n->range.first), size = (size_t)(end - first);
    const size_t known = atomic_load_explicit(&n->unwritten, memory_order_relaxed);
    if (known >= begin && known - begin < size && n->map[known])
        return false;
    const size_t at = first_unwritten(n->map + begin, size);
    if (at < size)
        atomic_store_explicit(&n->unwritten, begin + at, memory_order_relaxed);
    else if (first == n->range.first && end == n->range.end)
        atomic_store_explicit(&n->written_since, now, memory_order_relaxed);
    return at == size;
}

bool weft_shadow_is_written(uint64_t first, uint64_t end)
{
    pthread_rwlock_rdlock(&lock);
    struct noted *n = find_locked(first);
    const bool all = n && end <= n->range.end && is_written_locked(n, first, end);
    pthread_rwlock_unlock(&lock);
    return all;
}

bool weft_shadow_buffer(uint32_t origin, struct weft_check_range *out)
{
    const struct noted *found = NULL;
    pthread_rwlock_rdlock(&lock);
    for (size_t i = 0; i < count && !found; i++)
        if (buffers[i].number == origin)
            found = &buffers[i];
    if (found)
        *out = found->range;
    pthread_rwlock_unlock(&lock);
    return found != NULL;
}

// ---- what the host does ----

static unsigned char *shadow_of(const struct noted *n, const void *at)
{
    return n->map + ((uintptr_t)at - n->range.first);
}

static unsigned char *origin_of(const struct noted *n, const void *at)
{
    return n->map + n->size + (((uintptr_t)at - n->range.first) & ~(uintptr_t)(WORD - 1));
}

// The number of the first store whose value the host would read; 0: there is none. What nobody has written at
// all it may read: programs copy whole buffers.
static uint32_t stored_among(const struct noted *n, const void *at, size_t size)
{
    const unsigned char *shadow = shadow_of(n, at);
    uint64_t eight;
    for (size_t i = 0; i < size;) {
        if (i + sizeof eight <= size && (memcpy(&eight, shadow + i, sizeof eight), eight == 0)) {
            i += sizeof eight;
            continue;
        }
        uint32_t origin;
        memcpy(&origin, origin_of(n, (const unsigned char *)at + i), sizeof origin);
        if (shadow[i] && origin >= STORES && origin < STORES + NUMBERS)
            return origin;
        i++;
    }
    return 0;
}

static void report_read(uint32_t origin)
{
    struct weft_unwritten_store s;
    if (!origin || !weft_shadow_store_of(origin, &s) ||
        !weft_checker_is_new(WEFT_CHECK_UNINIT, s.kernel, &s.at, NULL))
        return;
    char *message = weft_format("stores a value that depends on %s, and the host reads it", s.memory);
    const struct weft_finding f = {
        .kind = WEFT_CHECK_UNINIT, .kernel = s.kernel, .at = s.at, .message = message ? message : ""};
    weft_checker_add(&f);
    weft_free(message);
}

// Bytes from `at` on that lie in the buffer.
static size_t within(const struct noted *n, const void *at, size_t size)
{
    const uint64_t left = n->range.end - (uintptr_t)at;
    return left < size ? (size_t)left : size;
}

void weft_shadow_moved(const void *to, const void *from, size_t size)
{
    uint32_t read = 0;
    if (!size)
        return;
    pthread_rwlock_rdlock(&lock);
    const struct noted *into = find_locked((uintptr_t)to), *of = from ? find_locked((uintptr_t)from) : NULL;
    if (into && of) {
        size = within(of, from, within(into, to, size));
        memmove(shadow_of(into, to), shadow_of(of, from), size);
        memmove(origin_of(into, to), origin_of(of, from), size / WORD * WORD);
        if (first_unwritten(shadow_of(into, to), size) < size)
            weft_shadow_note_unwritten();
    } else if (into) {
        memset(shadow_of(into, to), 0, within(into, to, size));
    } else if (of) {
        read = stored_among(of, from, within(of, from, size));
    }
    pthread_rwlock_unlock(&lock);
    report_read(read);
}

void weft_shadow_mapped(const void *at, size_t size, bool reads, bool writes)
{
    uint32_t read = 0;
    pthread_rwlock_rdlock(&lock);
    const struct noted *n = find_locked((uintptr_t)at);
    if (n && reads)
        read = stored_among(n, at, within(n, at, size));
    if (n && writes)
        memset(shadow_of(n, at), 0, within(n, at, size));
    pthread_rwlock_unlock(&lock);
    report_read(read);
}

// ---- stores ----

static bool is_same(const struct weft_unwritten_store *a, const struct weft_unwritten_store *b)
{
    return a->at.line == b->at.line && a->at.column == b->at.column && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->memory, b->memory) == 0 && strcmp(a->at.file, b->at.file) == 0;
}

static bool copy_locked(const struct weft_unwritten_store *s)
{
    if (store_count == store_capacity) {
        const size_t more = store_capacity ? 2 * store_capacity : 64;
        struct weft_unwritten_store *larger = weft_realloc(stores, more * sizeof *larger);
        if (!larger)
            return false;
        stores = larger;
        store_capacity = more;
    }
    struct weft_unwritten_store *new = &stores[store_count];
    *new = *s;
    new->kernel = weft_strdup(s->kernel);
    new->memory = weft_strdup(s->memory);
    new->at.file = weft_strdup(s->at.file);
    new->at.source = weft_strdup(s->at.source);
    if (new->kernel &&new->memory &&new->at.file &&new->at.source) {
        store_count++;
        return true;
    }
    weft_free((void *)(uintptr_t)new->kernel);
    weft_free((void *)(uintptr_t)new->memory);
    weft_free((void *)(uintptr_t)new->at.file);
    weft_free((void *)(uintptr_t)new->at.source);
    return false;
}

// Programs have few places that store such values, so a search through all of them does.
uint32_t weft_shadow_store(const struct weft_unwritten_store *s)
{
    pthread_mutex_lock(&store_lock);
    size_t at = 0;
    while (at < store_count && !is_same(&stores[at], s))
        at++;
    const bool there = at < store_count || (at < NUMBERS && copy_locked(s));
    pthread_mutex_unlock(&store_lock);
    return there ? STORES + (uint32_t)at : STORES + NUMBERS - 1;
}

bool weft_shadow_store_of(uint32_t origin, struct weft_unwritten_store *out)
{
    bool found = false;
    pthread_mutex_lock(&store_lock);
    if (origin >= STORES && origin - STORES < store_count) {
        *out = stores[origin - STORES];
        found = true;
    }
    pthread_mutex_unlock(&store_lock);
    return found;
}
