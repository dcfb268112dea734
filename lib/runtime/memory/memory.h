// Memory objects. On a CPU a buffer's memory is host memory and is used in place by kernels and by map.
#ifndef WEFT_RUNTIME_MEMORY_H
#define WEFT_RUNTIME_MEMORY_H

#include "runtime/core/runtime.h"

struct weft_image_part;
struct weft_external;
struct weft_dma_buf;

struct weft_mem {
    struct weft_object obj;
    struct weft_context *context; // a ref
    cl_mem_object_type type;
    cl_mem_flags flags;  // after the inheritance rules for sub-buffers
    size_t size;         // bytes
    unsigned char *data; // where the bytes are; aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN unless the host's
    void *host_ptr;      // as given with CL_MEM_USE_HOST_PTR; of a sub-buffer: its parent's + origin
    bool svm;            // host_ptr was in shared virtual memory of the context
    void *allocation;    // what to free with the object; NULL: not ours
    bool external;       // it is a mapping of imported memory (memory/external_memory.h)
    struct weft_dma_buf *dma_buf; // what it is a mapping of (memory/dma_buf.h); NULL: something else
    struct weft_mem *parent;      // of a sub-buffer, of an image over another object (a ref)
    struct weft_mem *root;        // whose storage it is, through any number of parents: itself if it has none
    struct weft_image_part *image; // memory/image.h; NULL: not an image
    size_t origin;                 // of a sub-buffer, in the parent
    cl_mem_properties *properties; // as given, with the closing 0
    size_t property_count;
    pthread_mutex_t lock;                    // maps and destructor callbacks
    bool lock_ready;                         // half-built objects have no lock yet
    struct weft_mapping *maps;               // of this buffer and of its sub-buffers; unused in a sub-buffer
    _Atomic cl_uint map_count;               // of this object alone
    struct weft_mem_destructor *destructors; // called in reverse order of registration
    struct weft_farewell farewell;
};

// Retains for a command and releases again; NULL is fine.
static inline void weft_mem_ref(struct weft_mem *m)
{
    if (m)
        weft_object_ref(&m->obj);
}
// The same of what a kernel has as an argument and doesn't hold. type: what it was. false: it is gone; its place may be another's by now.
static inline bool weft_mem_ref_if(struct weft_mem *m, cl_mem_object_type type)
{
    if (!weft_object_ref_if(&m->obj, WEFT_KIND_MEM))
        return false;
    if (m->type == type)
        return true;
    weft_object_unref(&m->obj);
    return false;
}
static inline void weft_mem_unref(struct weft_mem *m)
{
    if (m)
        weft_object_unref(&m->obj);
}

// The largest size that one of the context's devices allows for a memory object.
size_t weft_mem_max_size(const struct weft_context *context);

// The object whose storage this is: itself, or what a sub-buffer or an image was made from.
static inline struct weft_mem *weft_mem_root(struct weft_mem *m)
{
    return m->root;
}

// ---- memory/memory.c: life. Arguments have been checked (check/memory.h). ----

// properties: NULL or closed by 0; copied. NULL with *error set: CL_INVALID_BUFFER_SIZE (host_ptr is shared virtual
// memory and shorter), CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY.
struct weft_mem *weft_buffer_create(struct weft_context *context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, void *host_ptr, cl_int *error);
// The same over memory that exists already; what weft_external_map and weft_dma_buf_hold return for it. The descriptor stays the
// caller's.
struct weft_mem *weft_buffer_import(struct weft_context *context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, const struct weft_external *external,
                                    cl_int *error);
struct weft_mem *weft_sub_buffer_create(struct weft_mem *parent, cl_mem_flags flags, size_t origin,
                                        size_t size, cl_int *error);
// properties: closed by 0; copied. false: no memory.
bool weft_mem_copy_properties(struct weft_mem *m, const cl_mem_properties *properties);
// CL_OUT_OF_HOST_MEMORY when there is none. Callbacks run in reverse order when the object is destroyed, with
// no lock held.
cl_int weft_mem_add_destructor(struct weft_mem *m, void(CL_CALLBACK *notify)(cl_mem, void *), void *user);
void weft_mem_destroy(struct weft_object *o); // core/object.c's table

// ---- memory/storage.c ----

// Storage of `size` > 0 bytes for what kernels may write, aligned to WEFT_DEVICE_MEM_ALIGN, contents undefined; large ones are
// page-mapped, zero and untouched.
void *weft_storage_alloc(size_t size);
void *weft_storage_zalloc(size_t size);             // zeros
void weft_storage_free(void *storage, size_t size); // the size that it was made with; NULL is fine

// ---- memory/transfer.c: the commands that move bytes ----

// Copies now, with all threads when it is much; touches new pages in parallel. dst and src don't overlap. False: some
// of it isn't there.
bool weft_bulk_copy(void *dst, const void *src, size_t size);

// Bytes laid out as rows in slices: part [0, row bytes) of each of region[1] rows in region[2] slices from
// `at` on.
struct weft_rect_view {
    unsigned char *at;
    size_t row_pitch, slice_pitch;
};

struct weft_queue_call {
    struct weft_queue *queue;
    cl_command_type type;
    bool blocking;
    cl_uint wait_count; // checked (weft_check_wait_list)
    const cl_event *wait_list;
    cl_event *event;
};

// May the calling thread do the work of `bytes` bytes at once, without a command? When nothing of the queue
// is unfinished, nobody waits for or asks about it (no wait list, no event), and it is quick.
bool weft_queue_call_is_direct(const struct weft_queue_call *call, size_t bytes);

// Enqueue the move. The mems (NULL allowed) are kept alive until it is complete. Results as of
// weft_command_submit.
cl_int weft_enqueue_copy(const struct weft_queue_call *call, struct weft_mem *a, struct weft_mem *b,
                         void *dst, const void *src, size_t size);
// The source view isn't written to.
cl_int weft_enqueue_copy_rect(const struct weft_queue_call *call, struct weft_mem *a, struct weft_mem *b,
                              struct weft_rect_view dst, struct weft_rect_view src, const size_t region[3]);
// pattern: copied; pattern_size 1, 2, 4 ... 128 divides size.
cl_int weft_enqueue_fill(const struct weft_queue_call *call, struct weft_mem *m, void *dst,
                         const void *pattern, size_t pattern_size, size_t size);
// Rows of a multiple of pattern_size; region[0] in bytes, as for copies.
cl_int weft_enqueue_fill_rect(const struct weft_queue_call *call, struct weft_mem *m,
                              struct weft_rect_view dst, const void *pattern, size_t pattern_size,
                              const size_t region[3]);
// Moves nothing: memory is where it is. Keeps the objects alive until then.
cl_int weft_enqueue_migrate(const struct weft_queue_call *call, struct weft_mem *const *mems, size_t count);
// Imported memory changes hands; which way tells the command's type. It fails with CL_OUT_OF_RESOURCES where a dma-buf's exporter
// refuses.
cl_int weft_enqueue_hand_over(const struct weft_queue_call *call, struct weft_mem *const *mems, size_t count);

// ---- memory/map.c: mappings are counted and checked when the call is made, as the spec's
// "clEnqueueMapBuffer increments" has it ----

// The pointer, or NULL with *error: CL_INVALID_OPERATION when the region is mapped for writing and overlaps
// another that is; CL_OUT_OF_HOST_MEMORY; what submit returns.
void *weft_enqueue_map(const struct weft_queue_call *call, struct weft_mem *m, cl_map_flags flags,
                       size_t offset, size_t size, cl_int *error);
// The same for a box of an image's texels: what lies between its rows and slices isn't mapped.
void *weft_enqueue_map_image(const struct weft_queue_call *call, struct weft_mem *m, cl_map_flags flags,
                             const size_t *origin, const size_t region[3], cl_int *error);
bool weft_mem_is_mapped(struct weft_mem *m, const void *ptr); // through m itself
void weft_mem_maps_free(struct weft_mem *m);                  // mappings that were never undone
// CL_INVALID_VALUE when ptr isn't mapped through m.
cl_int weft_enqueue_unmap(const struct weft_queue_call *call, struct weft_mem *m, void *ptr);

#endif
