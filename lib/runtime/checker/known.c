#include "runtime/checker/known.h"

#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/checker/fork_lock.h"

// In the order of their addresses. They don't overlap.
static struct known {
    uint64_t first, end, guard;
} *list;
static size_t count, capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards all of this

WEFT_FORK_LOCK(lock)

// How many of them begin at the address or before it.
static size_t find_locked(uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool grow_locked(void)
{
    const size_t more = capacity ? 2 * capacity : 64;
    struct known *larger = count < capacity ? list : weft_realloc(list, more * sizeof *larger);
    if (!larger)
        return false;
    capacity = count < capacity ? capacity : more;
    list = larger;
    return true;
}

void weft_known_add(const void *first, size_t size, size_t guard)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, know_forks);
    const uint64_t at = (uintptr_t)first;
    pthread_mutex_lock(&lock);
    if (grow_locked()) {
        const size_t k = find_locked(at);
        memmove(list + k + 1, list + k, (count++ - k) * sizeof *list);
        list[k] = (struct known){at, at + size, guard};
    }
    pthread_mutex_unlock(&lock);
}

void weft_known_remove(const void *first)
{
    pthread_mutex_lock(&lock);
    const size_t k = find_locked((uintptr_t)first);
    if (k && list[k - 1].first == (uintptr_t)first)
        memmove(list + k - 1, list + k, (count-- - k) * sizeof *list);
    pthread_mutex_unlock(&lock);
}

bool weft_known_find(uint64_t address, struct weft_check_range *out)
{
    pthread_mutex_lock(&lock);
    const size_t k = find_locked(address);
    const bool found = k && address < list[k - 1].end + list[k - 1].guard;
    if (found)
        *out = (struct weft_check_range){.first = list[k - 1].first, .end = list[k - 1].end};
    pthread_mutex_unlock(&lock);
    return found;
}
