// A map from values or blocks to numbers.
#ifndef WEFTC_VALUE_MAP_H
#define WEFTC_VALUE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weftc_map {
    void **keys;
    uint32_t *values;
    size_t capacity, count; // capacity: a power of two, or 0
};
bool weftc_map_put(struct weftc_map *m, void *key, uint32_t value); // false: out of memory
uint32_t weftc_map_get(const struct weftc_map *m, const void *key); // UINT32_MAX: key isn't in the map
void weftc_map_free(struct weftc_map *m);

#endif
