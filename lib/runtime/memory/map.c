// Mappings of buffers and images (OpenCL 2.2 §5.2.4, §5.3.6, §5.5.2, §5.5.3). The pointer is the storage
// itself. What remains to do is to order the commands, to count the mappings, and to detect errors.
//
// Owns the list of mappings in each object that owns storage, under the object's lock. Mappings of a
// sub-buffer are in its root's list, because they must not overlap others there. A mapping exists from
// clEnqueueMapBuffer until clEnqueueUnmapMemObject is called, not until its command runs: a program may unmap
// and map again without waiting. If the command of a mapping fails, the mapping is removed.
#include "runtime/memory/map.h"

#include <pthread.h>

#include "base/base.h"
#include "runtime/checker/shadow.h"
#include "runtime/command/command.h"
#include "runtime/core/diagnostics.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/transfer.h"

// The bytes of a mapping: rows at a pitch, in slices at a pitch. Rows don't overlap, and all rows of a slice
// lie before the next slice.
struct strided_bytes {
    unsigned char *at;
    ptrdiff_t row;      // bytes
    ptrdiff_t count[2]; // number of rows in a slice, number of slices
    // Bytes between rows, between slices. Unused where the count is 1.
    ptrdiff_t pitch[2];
};

struct weft_mapping {
    struct weft_mapping *next; // older
    // The object that it was mapped through, which frees its mappings when it is destroyed.
    struct weft_mem *mem;
    struct strided_bytes bytes;
    bool writes;
    uint64_t serial; // unique
};

static _Atomic uint64_t last_serial;

struct map_payload {
    struct weft_mem *mem;
    uint64_t serial;
    bool done;
    struct strided_bytes bytes;
    cl_map_flags flags;
};
_Static_assert(sizeof(struct map_payload) <= WEFT_COMMAND_PAYLOAD, "payload");

// ---- Overlap. Exact, except for two large images with different pitches over one buffer. ----

enum { ROWS_COMPARED = 1024 };

static ptrdiff_t span(const struct strided_bytes *c)
{
    return (c->count[1] - 1) * c->pitch[1] + (c->count[0] - 1) * c->pitch[0] + c->row;
}

// The smallest n >= least with start + n * pitch > beyond.
static ptrdiff_t first_beyond(ptrdiff_t start, ptrdiff_t pitch, ptrdiff_t beyond, ptrdiff_t least)
{
    ptrdiff_t distance = beyond - start, n = distance / pitch;
    if (distance % pitch < 0)
        n--;
    return n + 1 > least ? n + 1 : least;
}

// The pitch of both regions in this direction, where one of them may have a single row or slice. 0: the
// pitches differ.
static ptrdiff_t common_pitch(const struct strided_bytes *a, const struct strided_bytes *b, int direction)
{
    if (a->count[direction] == 1)
        return b->count[direction] == 1 ? 1 : b->pitch[direction];
    if (b->count[direction] > 1 && a->pitch[direction] != b->pitch[direction])
        return 0;
    return a->pitch[direction];
}

// Do regions with common pitches overlap? Only the distance between a row of a and a row of b matters: slice
// and row differences from -(a's count - 1) to b's count - 1. Rows are near each other for only two or three
// of the slice differences. There are more only if one region has a single slice of many rows, and the other
// has a single row in each slice. For each of these slice differences, only one row difference must be
// checked.
static bool rows_overlap(const struct strided_bytes *a, const struct strided_bytes *b, ptrdiff_t row_pitch,
                         ptrdiff_t slice_pitch)
{
    const ptrdiff_t apart = b->at - a->at;
    const ptrdiff_t reach_a = (a->count[0] - 1) * row_pitch + a->row,
                    reach_b = (b->count[0] - 1) * row_pitch + b->row;
    for (ptrdiff_t slice = first_beyond(apart, slice_pitch, -reach_b, 1 - a->count[1]);
         slice < b->count[1] && apart + slice * slice_pitch < reach_a; slice++) {
        const ptrdiff_t from = apart + slice * slice_pitch;
        const ptrdiff_t row = first_beyond(from, row_pitch, -b->row, 1 - a->count[0]);
        if (row < b->count[0] && from + row * row_pitch < a->row)
            return true;
    }
    return false;
}

static bool overlap(const struct strided_bytes *a, const struct strided_bytes *b)
{
    if (a->at >= b->at + span(b) || b->at >= a->at + span(a))
        return false;
    const ptrdiff_t row_pitch = common_pitch(a, b, 0), slice_pitch = common_pitch(a, b, 1);
    if (row_pitch && slice_pitch)
        return rows_overlap(a, b, row_pitch, slice_pitch);
    // The pitches differ. Compare b with each row of a, which has fewer rows. With too many rows, assume an
    // overlap, because the spans overlap.
    if (a->count[0] * a->count[1] > b->count[0] * b->count[1])
        return overlap(b, a);
    if (a->count[0] * a->count[1] > ROWS_COMPARED)
        return true;
    for (ptrdiff_t slice = 0; slice < a->count[1]; slice++)
        for (ptrdiff_t row = 0; row < a->count[0]; row++) {
            const struct strided_bytes one = {
                a->at + slice * a->pitch[1] + row * a->pitch[0], a->row, {1, 1}, {0, 0}};
            if (overlap(&one, b))
                return true;
        }
    return false;
}

static bool conflicts(const struct weft_mapping *a, const struct weft_mapping *b)
{
    return a->writes && b->writes && overlap(&a->bytes, &b->bytes);
}

static cl_int insert(struct weft_mem *root, struct weft_mapping *new)
{
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&root->lock);
    for (const struct weft_mapping *m = root->maps; m && !error; m = m->next)
        if (conflicts(m, new))
            error =
                weft_error(CL_INVALID_OPERATION,
                           "the region overlaps one that is mapped already, and both are mapped for writing");
    if (!error) {
        new->next = root->maps;
        root->maps = new;
        atomic_fetch_add(&new->mem->map_count, 1);
        weft_mem_begin_use(root);
    }
    pthread_mutex_unlock(&root->lock);
    return error;
}

// Removes the newest mapping that belongs to mem and has this pointer (NULL: any) and this serial (0: any),
// and returns it. NULL: there is none.
static struct weft_mapping *take(struct weft_mem *mem, const void *ptr, uint64_t serial)
{
    struct weft_mem *root = weft_mem_root(mem);
    pthread_mutex_lock(&root->lock);
    struct weft_mapping **at = &root->maps;
    while (*at &&
           ((*at)->mem != mem || (ptr && (*at)->bytes.at != ptr) || (serial && (*at)->serial != serial)))
        at = &(*at)->next;
    struct weft_mapping *found = *at;
    if (found) {
        *at = found->next;
        atomic_fetch_sub(&mem->map_count, 1);
        weft_mem_end_use(root);
    }
    pthread_mutex_unlock(&root->lock);
    return found;
}

bool weft_mem_is_mapped(struct weft_mem *mem, const void *ptr)
{
    struct weft_mem *root = weft_mem_root(mem);
    pthread_mutex_lock(&root->lock);
    const struct weft_mapping *m = root->maps;
    while (m && (m->mem != mem || m->bytes.at != ptr))
        m = m->next;
    pthread_mutex_unlock(&root->lock);
    return m != NULL;
}

bool weft_mem_is_mapped_to_write(struct weft_mem *mem)
{
    struct weft_mem *root = weft_mem_root(mem);
    const struct strided_bytes all = {mem->data, (ptrdiff_t)mem->size, {1, 1}, {0, 0}};
    pthread_mutex_lock(&root->lock);
    const struct weft_mapping *m = root->maps;
    while (m && !(m->writes && overlap(&m->bytes, &all)))
        m = m->next;
    pthread_mutex_unlock(&root->lock);
    return m != NULL;
}

void weft_mem_maps_free(struct weft_mem *mem)
{
    // Most objects have no mappings, but their root may have many to search.
    struct weft_mapping *m;
    while (atomic_load(&mem->map_count) && (m = take(mem, NULL, 0)))
        weft_free(m);
}

// What the mapping writes counts as written from the beginning.
static void note_shadow(const struct strided_bytes *b, cl_map_flags flags)
{
    const bool writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    for (ptrdiff_t z = 0; z < b->count[1]; z++)
        for (ptrdiff_t y = 0; y < b->count[0]; y++)
            weft_shadow_mapped((unsigned char *)b->at + y * b->pitch[0] + z * b->pitch[1], (size_t)b->row,
                               flags & CL_MAP_READ, writes);
}

static cl_int run_map(struct weft_command *c)
{
    struct map_payload *p = (void *)c->payload;
    p->done = true;
    if (WEFT_UNLIKELY(weft_shadow_is_on()))
        note_shadow(&p->bytes, p->flags);
    return CL_COMPLETE;
}

static void release_map(struct weft_command *c)
{
    struct map_payload *p = (void *)c->payload;
    if (!p->done)
        weft_free(take(p->mem, NULL, p->serial));
    weft_mem_unref(p->mem);
}

// shape: a mapping in which only the object and the bytes are set.
static void *enqueue_map(const struct weft_queue_call *call, const struct weft_mapping *shape,
                         cl_map_flags flags, cl_int *error)
{
    struct weft_mapping *new = weft_memdup(shape, sizeof *shape);
    *error = CL_OUT_OF_HOST_MEMORY;
    if (!new)
        return NULL;
    struct weft_mem *m = shape->mem;
    void *ptr = shape->bytes.at;
    uint64_t serial = atomic_fetch_add(&last_serial, 1) + 1;
    new->serial = serial;
    new->writes = (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
    *error = insert(weft_mem_root(m), new);
    if (*error) {
        weft_free(new);
        return NULL;
    }
    if (weft_queue_call_is_direct(call, 0)) {
        if (WEFT_UNLIKELY(weft_shadow_is_on()))
            note_shadow(&shape->bytes, flags);
        return ptr;
    }
    struct weft_command *c = weft_command_create(call->queue->context, call->queue, call->type);
    if (!c) {
        weft_free(take(m, NULL, serial));
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    weft_mem_ref(m);
    *(struct map_payload *)(void *)c->payload = (struct map_payload){m, serial, false, shape->bytes, flags};
    c->run = run_map;
    c->release = release_map;
    *error = weft_command_submit(c, call->wait_count, call->wait_list, call->event, call->blocking);
    return *error ? NULL : ptr;
}

void *weft_enqueue_map(const struct weft_queue_call *call, struct weft_mem *m, cl_map_flags flags,
                       size_t offset, size_t size, cl_int *error)
{
    const struct weft_mapping shape = {.mem = m,
                                       .bytes = {m->data + offset, (ptrdiff_t)size, {1, 1}, {0, 0}}};
    return enqueue_map(call, &shape, flags, error);
}

void *weft_enqueue_map_rect(const struct weft_queue_call *call, struct weft_mem *m, cl_map_flags flags,
                            struct weft_rect_view view, const size_t region[3], cl_int *error)
{
    const struct weft_mapping shape = {.mem = m,
                                       .bytes = {view.at,
                                                 (ptrdiff_t)region[0],
                                                 {(ptrdiff_t)region[1], (ptrdiff_t)region[2]},
                                                 {(ptrdiff_t)view.row_pitch, (ptrdiff_t)view.slice_pitch}}};
    return enqueue_map(call, &shape, flags, error);
}

static void release_unmap(struct weft_command *c)
{
    weft_mem_unref(((struct map_payload *)(void *)c->payload)->mem);
}

cl_int weft_enqueue_unmap(const struct weft_queue_call *call, struct weft_mem *m, void *ptr)
{
    struct weft_mapping *mapping = take(m, ptr, 0);
    if (!mapping)
        return weft_error(CL_INVALID_VALUE,
                          "mapped_ptr wasn't returned by a mapping of memobj, or is unmapped already");
    cl_int error = CL_SUCCESS;
    if (!weft_queue_call_is_direct(call, 0)) {
        struct weft_command *c = weft_command_create(call->queue->context, call->queue, call->type);
        error = CL_OUT_OF_HOST_MEMORY;
        if (c) {
            weft_mem_ref(m);
            ((struct map_payload *)(void *)c->payload)->mem = m;
            c->release = release_unmap;
            error = weft_command_submit(c, call->wait_count, call->wait_list, call->event, call->blocking);
        }
    }
    // The call failed, so the region stays mapped. If somebody has mapped it meanwhile, only the newer
    // mapping counts.
    if (error && insert(weft_mem_root(m), mapping) == CL_SUCCESS)
        return error;
    weft_free(mapping);
    return error;
}
