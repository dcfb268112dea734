#include "runtime/checker/watch.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "runtime/checker/fork_lock.h"

enum { PAGE = 4096, MOST_PAGES = 4096 };

static struct watched {
    uintptr_t first, end;
    uint64_t sum;
    uint32_t users; // commands and mappings
    bool known;     // `sum` is that of its bytes
    bool shared;
} *list;
static size_t count, capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards all of this

WEFT_FORK_LOCK(lock)

// ---- sums ----

static uint64_t sum_of_bytes(uint64_t sum, const unsigned char *at, size_t size)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t lane[4] = {sum, sum + 1, sum + 2, sum + 3}, word[4];
    for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(word, at, sizeof word);
        for (unsigned k = 0; k < 4; k++) {
            lane[k] = (lane[k] ^ word[k]) * factor;
            lane[k] ^= lane[k] >> 29;
        }
    }
    memset(word, 0, sizeof word);
    memcpy(word, at, size);
    for (unsigned k = 0; k < 4; k++)
        sum = ((sum ^ lane[k] ^ word[k]) * factor) ^ sum >> 31;
    return sum;
}

static uint64_t sum_of(const struct watched *w)
{
    const size_t size = w->end - w->first, pages = (size + PAGE - 1) / PAGE;
    const size_t step = (pages + MOST_PAGES - 1) / MOST_PAGES;
    uint64_t sum = 1;
    for (size_t page = 0; page < pages; page += step) {
        const size_t at = page * PAGE, n = step == 1 ? size : size - at < PAGE ? size - at : PAGE;
        sum = sum_of_bytes(sum, (const unsigned char *)w->first + at, n); // NOLINT(performance-no-int-to-ptr)
        if (step == 1)
            break;
    }
    return sum;
}

static void know_locked(struct watched *w)
{
    w->known = !w->shared;
    w->sum = w->known ? sum_of(w) : 0;
}

// ---- buffers ----

static struct watched *find_locked(const void *at)
{
    for (size_t i = 0; i < count; i++)
        if ((uintptr_t)at >= list[i].first && (uintptr_t)at < list[i].end)
            return &list[i];
    return NULL;
}

void weft_watch_add(const void *first, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, know_forks);
    struct watched new = {.first = (uintptr_t)first, .end = (uintptr_t)first + size};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        if (list[i].first < new.end &&new.first < list[i].end)
            new.shared = list[i].shared = true;
    if (count == capacity) {
        const size_t more = capacity ? 2 * capacity : 16;
        struct watched *larger = weft_realloc(list, more * sizeof *larger);
        if (!larger) {
            pthread_mutex_unlock(&lock);
            return;
        }
        list = larger;
        capacity = more;
    }
    know_locked(&new);
    list[count++] = new;
    pthread_mutex_unlock(&lock);
}

void weft_watch_remove(const void *first)
{
    pthread_mutex_lock(&lock);
    size_t at = 0;
    while (at < count && list[at].first != (uintptr_t)first)
        at++;
    if (at < count)
        list[at] = list[--count];
    pthread_mutex_unlock(&lock);
}

// ---- uses ----

void weft_watch_begin(const void *at)
{
    pthread_mutex_lock(&lock);
    struct watched *w = find_locked(at);
    if (w)
        w->users++;
    pthread_mutex_unlock(&lock);
}

void weft_watch_end(const void *at)
{
    pthread_mutex_lock(&lock);
    struct watched *w = find_locked(at);
    if (w && w->users) {
        w->users--;
        if (w->users == 0)
            know_locked(w);
    }
    pthread_mutex_unlock(&lock);
}

bool weft_watch_has_changed(const void *at)
{
    pthread_mutex_lock(&lock);
    struct watched *w = find_locked(at);
    const bool looks = w && !w->users && w->known, changed = looks && !w->shared && sum_of(w) != w->sum;
    if (changed)
        w->known = false;
    pthread_mutex_unlock(&lock);
    return changed;
}
