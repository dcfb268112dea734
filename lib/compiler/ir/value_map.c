// A hash map from pointers to numbers. Open addressing; entries are never deleted; it grows when half full.
#include "base/base.h"
#include "compiler/ir/value_map.h"

static size_t slot_of(const struct weftc_map *m, const void *key)
{
    size_t mask = m->capacity - 1;
    size_t at = (size_t)(((uintptr_t)key >> 4) * 0x9E3779B97F4A7C15ull >> 20) & mask;
    while (m->keys[at] && m->keys[at] != key)
        at = (at + 1) & mask;
    return at;
}

static bool grow(struct weftc_map *m)
{
    struct weftc_map larger = {NULL, NULL, m->capacity ? 2 * m->capacity : 64, m->count};
    larger.keys = weft_alloc_array(larger.capacity, sizeof *larger.keys);
    larger.values = weft_alloc_array(larger.capacity, sizeof *larger.values);
    if (!larger.keys || !larger.values) {
        weftc_map_free(&larger);
        return false;
    }
    for (size_t i = 0; i < m->capacity; i++) {
        if (!m->keys[i])
            continue;
        size_t at = slot_of(&larger, m->keys[i]);
        larger.keys[at] = m->keys[i];
        larger.values[at] = m->values[i];
    }
    weftc_map_free(m);
    *m = larger;
    return true;
}

bool weftc_map_put(struct weftc_map *m, void *key, uint32_t value)
{
    if (2 * (m->count + 1) > m->capacity && !grow(m))
        return false;
    size_t at = slot_of(m, key);
    if (!m->keys[at]) {
        m->keys[at] = key;
        m->count++;
    }
    m->values[at] = value;
    return true;
}

uint32_t weftc_map_get(const struct weftc_map *m, const void *key)
{
    if (m->capacity == 0)
        return UINT32_MAX;
    size_t at = slot_of(m, key);
    return m->keys[at] ? m->values[at] : UINT32_MAX;
}

void weftc_map_free(struct weftc_map *m)
{
    weft_free(m->keys);
    weft_free(m->values);
    *m = (struct weftc_map){0};
}
