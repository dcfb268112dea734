// What the tests of the disk cache share: entries that are known by a number, and the clock.
#ifndef WEFT_TESTS_DISK_CACHE_FIXTURE_H
#define WEFT_TESTS_DISK_CACHE_FIXTURE_H

#include "runtime/compiler/disk_cache.h"

#include <time.h>

#include "harness.h"

static time_t ahead; // of the file system's clock, in seconds

// This machine's clock, instead of the C library's function.
time_t time(time_t *at)
{
    struct timespec now;
    CHECK_EQ(clock_gettime(CLOCK_REALTIME, &now), 0);
    if (at)
        *at = now.tv_sec + ahead;
    return now.tv_sec + ahead;
}

static inline struct weft_hash key_of(uint64_t n)
{
    return weft_hash_bytes((struct weft_hash){0}, &n, sizeof n);
}

static inline void path_of(char out[160], const char *folder, uint64_t n)
{
    char name[WEFT_CACHE_ENTRY_NAME];
    weft_cache_entry_name(name, WEFT_CACHE_KERNEL, key_of(n));
    snprintf(out, 160, "%s/%s", folder, name);
}

// want: what the entry must have; NULL: anything.
static inline weft_status load(uint64_t n, const char *want)
{
    uint8_t *bytes;
    size_t size;
    weft_status s = weft_cache_load(WEFT_CACHE_KERNEL, key_of(n), &bytes, &size);
    if (s == WEFT_OK && want) {
        CHECK_EQ(size, strlen(want));
        CHECK_MEM(bytes, want, size);
    }
    weft_free(bytes);
    return s;
}

#endif
