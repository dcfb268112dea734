// Mappings of buffers and images (OpenCL 2.2 §5.2.4, §5.3.6, §5.5.2, §5.5.3). The pointer is the storage itself: what is left to
// do is to order the commands, to count, and to refuse what the spec calls an error.
//
// Owns the list of mappings in each buffer, under the buffer's lock; mappings of a sub-buffer are in its
// parent's list, for they must not overlap the others there. A mapping is there from clEnqueueMapBuffer until
// clEnqueueUnmapMemObject is called, not until its command runs: a program may unmap and map again without
// waiting. One whose command fails is taken back.
#include "image.h"

struct weft_mapping {
    struct weft_mapping *next; // older
    struct weft_mem *mem;      // mapped through this one; it takes them along when it dies
    unsigned char *ptr;
    size_t size;
    bool writes;
    const struct weft_image_level *level; // of an image
    size_t origin[3], region[3];          // of a box of an image's texels; region[0] is 0 in others
    uint64_t serial;                      // of no other mapping, ever
};

static _Atomic uint64_t serials;

struct map_payload {
    struct weft_mem *mem;
    uint64_t serial;
    bool done;
};
_Static_assert(sizeof(struct map_payload) <= WEFT_COMMAND_PAYLOAD, "payload");

// Boxes of one image may lie between each other's rows.
static bool boxes_overlap(const struct weft_mapping *a, const struct weft_mapping *b)
{
    for (int i = 0; i < 3; i++)
        if (a->origin[i] >= b->origin[i] + b->region[i] || b->origin[i] >= a->origin[i] + a->region[i])
            return false;
    return true;
}

static bool conflicts(const struct weft_mapping *a, const struct weft_mapping *b)
{
    if (a->mem == b->mem && a->region[0] && b->region[0])
        return a->writes && b->writes && a->level == b->level && boxes_overlap(a, b);
    return a->writes && b->writes && a->ptr < b->ptr + b->size && b->ptr < a->ptr + a->size;
}

static cl_int insert(struct weft_mem *root, struct weft_mapping *new)
{
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&root->lock);
    for (const struct weft_mapping *m = root->maps; m && !error; m = m->next)
        if (conflicts(m, new))
            error = weft_refuse(CL_INVALID_OPERATION,
                                "the region is mapped already, and one of the two maps it for writing");
    if (!error) {
        new->next = root->maps;
        root->maps = new;
        atomic_fetch_add(&new->mem->map_count, 1);
    }
    pthread_mutex_unlock(&root->lock);
    return error;
}

// Takes the newest mapping out that belongs to mem and has this pointer (NULL: any) and this serial (0: any).
// NULL: there is none.
static struct weft_mapping *take(struct weft_mem *mem, const void *ptr, uint64_t serial)
{
    struct weft_mem *root = weft_mem_root(mem);
    pthread_mutex_lock(&root->lock);
    struct weft_mapping **at = &root->maps;
    while (*at && ((*at)->mem != mem || (ptr && (*at)->ptr != ptr) || (serial && (*at)->serial != serial)))
        at = &(*at)->next;
    struct weft_mapping *found = *at;
    if (found) {
        *at = found->next;
        atomic_fetch_sub(&mem->map_count, 1);
    }
    pthread_mutex_unlock(&root->lock);
    return found;
}

bool weft_mem_is_mapped(struct weft_mem *mem, const void *ptr)
{
    struct weft_mem *root = weft_mem_root(mem);
    pthread_mutex_lock(&root->lock);
    const struct weft_mapping *m = root->maps;
    while (m && (m->mem != mem || m->ptr != ptr))
        m = m->next;
    pthread_mutex_unlock(&root->lock);
    return m != NULL;
}

void weft_mem_maps_free(struct weft_mem *mem)
{
    // Most have none, and their root may have many to look through.
    struct weft_mapping *m;
    while (atomic_load(&mem->map_count) && (m = take(mem, NULL, 0)))
        weft_free(m);
}

static cl_int run_map(struct weft_command *c)
{
    ((struct map_payload *)(void *)c->payload)->done = true;
    return CL_COMPLETE;
}

static void release_map(struct weft_command *c)
{
    struct map_payload *p = (void *)c->payload;
    if (!p->done)
        weft_free(take(p->mem, NULL, p->serial));
    weft_mem_unref(p->mem);
}

// shape: of the mapping; only what and where is in it.
static void *enqueue_map(const struct weft_queue_call *call, const struct weft_mapping *shape,
                         cl_map_flags flags, cl_int *error)
{
    struct weft_mapping *new = weft_memdup(shape, sizeof *shape);
    *error = CL_OUT_OF_HOST_MEMORY;
    if (!new)
        return NULL;
    struct weft_mem *m = shape->mem;
    void *ptr = shape->ptr;
    uint64_t serial = atomic_fetch_add(&serials, 1) + 1;
    new->serial = serial;
    new->writes = (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
    *error = insert(weft_mem_root(m), new);
    if (*error) {
        weft_free(new);
        return NULL;
    }
    if (weft_queue_call_is_direct(call, 0))
        return ptr;
    struct weft_command *c = weft_command_create(call->queue->context, call->queue, call->type);
    if (!c) {
        weft_free(take(m, NULL, serial));
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    weft_mem_ref(m);
    *(struct map_payload *)(void *)c->payload = (struct map_payload){m, serial, false};
    c->run = run_map;
    c->release = release_map;
    *error = weft_command_submit(c, call->wait_count, call->wait_list, call->event, call->blocking);
    return *error ? NULL : ptr;
}

void *weft_enqueue_map(const struct weft_queue_call *call, struct weft_mem *m, cl_map_flags flags,
                       size_t offset, size_t size, cl_int *error)
{
    const struct weft_mapping shape = {.mem = m, .ptr = m->data + offset, .size = size};
    return enqueue_map(call, &shape, flags, error);
}

void *weft_enqueue_map_image(const struct weft_queue_call *call, struct weft_mem *m, cl_map_flags flags,
                             const size_t *origin, const size_t region[3], cl_int *error)
{
    struct weft_image_place at;
    weft_image_place_of(m, origin, &at);
    size_t size;
    weft_image_format_bytes(m->image->format, region[0], &size);
    for (int i = 1; i < 3; i++)
        size += (region[i] - 1) * at.level->pitch[i];
    struct weft_mapping shape = {
        .mem = m, .ptr = weft_image_view(m, origin).at, .size = size, .level = at.level};
    memcpy(shape.origin, at.origin, sizeof shape.origin);
    memcpy(shape.region, region, sizeof shape.region);
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
        return weft_refuse(
            CL_INVALID_VALUE,
            "mapped_ptr isn't what a call that maps memobj has returned, or is unmapped already");
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
    // The call failed, so the region is still mapped; if somebody has mapped it since, that one stands.
    if (error && insert(weft_mem_root(m), mapping) == CL_SUCCESS)
        return error;
    weft_free(mapping);
    return error;
}
