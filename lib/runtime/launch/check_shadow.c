// The shadow that checked kernels use for UNINIT (runtime/checker/shadow.h): that of the buffers that are
// arguments, of local memory, and of addresses that they have read from memory.
#include <stdatomic.h>
#include <string.h>

#include "base/base.h"
#include "runtime/checker/shadow.h"
#include "runtime/code/build_result.h"
#include "runtime/code/kernel_code.h"
#include "runtime/launch/checks.h"
#include "runtime/memory/memory.h"
#include "weft/checker.h"
#include "weft/code_object.h"

// Of a pointer whose object has no end that is known, so much is assumed to be used on both sides.
enum { AROUND = 1 << 30 };
// The most that one access touches.
enum { ACCESS = 128 };

// ---- arguments ----

// Shadow for memory whose writes aren't noted, such as shared virtual memory. All of it is written when the
// launch begins.
static void make_own(struct weft_check_range *o, uint64_t pointer)
{
    const bool bounded = o->end - o->first <= SIZE_MAX / 4;
    size_t size;
    o->own = 0;
    if (!weft_align_size(bounded ? o->end - o->first : 2 * (size_t)AROUND, ACCESS, &size))
        return;
    void *map = weft_shadow_map(size);
    if (!map)
        return;
    o->own = size;
    // Byte `first` may be far before what is mapped; the sums are modulo 2^64.
    o->shadow = (uintptr_t)map + (bounded ? 0 : AROUND - (pointer & ~(uint64_t)(ACCESS - 1)));
    o->origins = o->shadow + size;
}

void weft_launch_find_shadow(struct weft_check_range *objects, struct weft_launch *l)
{
    const struct weft_kernel_meta *m = l->code->meta;
    for (uint32_t a = 0; a < m->arg_count; a++) {
        struct weft_check_range *o = &objects[a], found;
        uint64_t pointer;
        const uint32_t kind = m->args[a].kind;
        if ((kind != WEFT_ARG_GLOBAL && kind != WEFT_ARG_CONSTANT && kind != WEFT_ARG_PIPE) || o->end == 0)
            continue;
        memcpy(&pointer, l->args + m->args[a].offset, sizeof pointer);
        if (weft_shadow_find(pointer, &found) && o->end != UINT64_MAX) {
            const uint64_t distance = o->first - found.first;
            o->shadow = found.shadow + distance;
            o->origins = found.origins + distance;
        } else {
            make_own(o, pointer);
            l->own_shadow = true;
        }
    }
}

// Each range finds it anew, since others of the launch, and other launches, run meanwhile. What they write at
// the same time, this one doesn't read.
void weft_launch_find_written(const struct weft_launch *l)
{
    const struct weft_kernel_meta *m = l->code->meta;
    struct weft_check_range *objects = weft_launch_objects(l);
    for (uint32_t a = 0; a < m->arg_count; a++) {
        struct weft_check_range *o = &objects[a];
        const bool all = o->own || !o->shadow || weft_shadow_is_written(o->first, o->end);
        // relaxed: for the ranges that run meanwhile either is right.
        atomic_store_explicit((_Atomic uint64_t *)&o->written, all, memory_order_relaxed);
    }
}

void weft_launch_drop_shadow(struct weft_launch *l)
{
    struct weft_check_range *objects = weft_launch_objects(l);
    for (uint32_t a = 0; a < l->code->meta->arg_count; a++) {
        const uint64_t size = objects[a].own;
        if (!size)
            continue;
        const bool bounded = objects[a].end - objects[a].first <= SIZE_MAX / 4;
        uint64_t pointer;
        memcpy(&pointer, l->args + l->code->meta->args[a].offset, sizeof pointer);
        const uint64_t map = objects[a].shadow - (bounded ? 0 : AROUND - (pointer & ~(uint64_t)(ACCESS - 1)));
        weft_shadow_unmap((void *)(uintptr_t)map, size); // NOLINT(performance-no-int-to-ptr)
        objects[a].own = 0;
    }
}

void weft_launch_note_unchecked(const struct weft_launch *l)
{
    for (uint32_t i = 0; i < l->mem_count; i++)
        weft_shadow_moved(l->mems[i]->data, NULL, l->mems[i]->size);
}

// ---- local memory ----

static size_t local_bytes(const struct weft_running *r)
{
    return (size_t)((const unsigned char *)r->exec.state - (const unsigned char *)r->exec.local_mem);
}

void weft_launch_reset_local_shadow(struct weft_running *r)
{
    const struct weft_command *c = r->exec.launch;
    if (r->local_shadow) // the origins, too
        memset(r->local_shadow, c->context->zero_local ? 0 : 255, 2 * local_bytes(r));
}

uint64_t weft_launch_local_shadow(struct weft_running *r)
{
    if (!r->local_shadow) {
        r->local_shadow = weft_alloc_aligned(ACCESS, 2 * local_bytes(r));
        weft_launch_reset_local_shadow(r);
    }
    return (uintptr_t)r->local_shadow;
}

void weft_launch_end_local_shadow(struct weft_running *r)
{
    weft_free(r->local_shadow);
    r->local_shadow = NULL;
}

// ---- other addresses ----

// False: it isn't noted what is written there.
static bool find_shadow(const struct weft_launch *l, const struct weft_running *r, uint64_t address,
                        uint64_t place[2])
{
    struct weft_check_range o;
    const struct weft_check_range *objects = weft_launch_objects(l);
    const uint64_t local = address - (uintptr_t)r->exec.local_mem;
    if (r->local_shadow && local < local_bytes(r)) {
        place[0] = (uintptr_t)r->local_shadow + local;
        place[1] = (uintptr_t)r->local_shadow + local_bytes(r) + (local & ~(uint64_t)3);
        return true;
    }
    bool found = weft_shadow_find(address, &o);
    for (uint32_t a = 0; a < l->code->meta->arg_count && !found; a++)
        if (objects[a].own && address >= objects[a].first && address < objects[a].end) {
            o = objects[a];
            found = objects[a].end != UINT64_MAX;
        }
    if (!found)
        return false;
    place[0] = o.shadow + (address - o.first);
    place[1] = o.origins + ((address - o.first) & ~(uint64_t)3);
    return true;
}

void weft_launch_shadow_at(const struct weft_launch *l, struct weft_running *r, uint64_t address,
                           uint64_t place[2])
{
    static const _Alignas(ACCESS) unsigned char written[ACCESS];
    static _Alignas(ACCESS) unsigned char nobody_reads[ACCESS];
    const bool store = place[0];
    if (find_shadow(l, r, address, place))
        return;
    place[0] = place[1] = store ? (uintptr_t)nobody_reads : (uintptr_t)written;
}

void weft_launch_moved(const struct weft_launch *l, const struct weft_running *r, uint64_t to,
                       const uint64_t from_and_size[2])
{
    uint64_t into[2], of[2];
    const size_t size = from_and_size[1];
    if (!size || !find_shadow(l, r, to, into))
        return;
    unsigned char *shadow = (unsigned char *)(uintptr_t)into[0]; // NOLINT(performance-no-int-to-ptr)
    if (from_and_size[0] && find_shadow(l, r, from_and_size[0], of)) {
        memmove(shadow, (const void *)(uintptr_t)of[0], size); // NOLINT(*-int-to-ptr)
        memmove((void *)(uintptr_t)into[1], (const void *)(uintptr_t)of[1],
                (size + 3) / 4 * 4); // NOLINT(*-int-to-ptr)
        weft_shadow_note_unwritten();
    } else {
        memset(shadow, 0, size);
    }
}
