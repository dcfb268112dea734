// Memory objects. On a CPU the storage of a buffer is host memory, which kernels and mapping use in place.
//
// The folder has buffers (this file), pipes and shared virtual memory, their storage (storage.h), and the
// commands that move bytes (transfer.h) or map them (map.h). Its functions take arguments that check/ has
// checked; they find only those errors that appear when the work is done. They return objects, pointers into
// storage, and submitted commands. The folder doesn't know texels (image/), programs, kernels and launches.
// It calls command/, device/, core/ and the scheduler.
#ifndef WEFT_RUNTIME_MEMORY_H
#define WEFT_RUNTIME_MEMORY_H

#include "runtime/checker/misuse.h"
#include "runtime/checker/watch.h"
#include "runtime/device/context.h"
#include "runtime/core/object.h"

struct weft_image_part;
struct weft_external;
struct weft_dma_buf;

struct weft_mem {
    struct weft_object obj;
    struct weft_context *context; // a reference
    cl_mem_object_type type;
    cl_mem_flags flags; // including those that a sub-buffer inherits
    size_t size;        // bytes
    // The storage. Aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN unless it is the host's.
    unsigned char *data;
    // As given with CL_MEM_USE_HOST_PTR. Of a sub-buffer: its parent's + origin.
    void *host_ptr;
    bool svm;         // host_ptr lies in shared virtual memory of the context
    void *allocation; // storage to free with the object; NULL: not ours
    size_t guard;     // bytes behind the storage that are no object's, for the checker
    bool external;    // a mapping of imported memory (memory/external_memory.h)
    // The dma-buf that it maps (memory/dma_buf.h). NULL: none.
    struct weft_dma_buf *dma_buf;
    // Of a sub-buffer, or of an image over another object. A reference.
    struct weft_mem *parent;
    // The object that owns the storage, through any number of parents. Itself if it has no parent.
    struct weft_mem *root;
    struct weft_image_part *image; // NULL: not an image (image/image.h)
    size_t origin;                 // of a sub-buffer: offset in the parent, in bytes
    cl_mem_properties *properties; // as given, with the closing 0
    size_t property_count;
    pthread_mutex_t lock;   // guards maps and destructors
    bool lock_ready;        // false in half-built objects
    _Atomic bool has_parts; // sub-buffers have been made of it
    // Mappings of this object and of all objects that share its storage. Used in the root only.
    struct weft_mapping *maps;
    _Atomic cl_uint map_count;               // mappings of this object only
    struct weft_mem_destructor *destructors; // called in reverse order of registration
    struct weft_destructor_callback destructor_callback;
};

// Take and give back a reference; m may be NULL.
static inline void weft_mem_ref(struct weft_mem *m)
{
    if (m)
        weft_object_ref(&m->obj);
}
// Takes a reference to a kernel argument that the kernel doesn't hold. type: the object's type when it was
// set. False: the object is gone; its memory may be another object's by now.
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

// A command or a mapping begins or ends to use the object, for the checker.
static inline void weft_mem_begin_use(const struct weft_mem *m)
{
    if (WEFT_UNLIKELY(weft_misuse_is_on()) && m)
        weft_watch_begin(m->data);
}
static inline void weft_mem_end_use(const struct weft_mem *m)
{
    if (WEFT_UNLIKELY(weft_misuse_is_on()) && m)
        weft_watch_end(m->data);
}

// Takes a reference, and begins to use the object.
void weft_mem_ref_to_use(struct weft_mem *m);

// The largest size of a memory object that any of the context's devices allows.
size_t weft_mem_max_size(const struct weft_context *context);

// The object that owns the storage: m itself, or what a sub-buffer or image was created from.
static inline struct weft_mem *weft_mem_root(struct weft_mem *m)
{
    return m->root;
}

// ---- memory/memory.c: creation and destruction. Arguments are checked (check/memory.h). ----

// Creates a buffer. properties: NULL or closed by 0; copied. NULL with *error: CL_INVALID_BUFFER_SIZE
// (host_ptr is shared virtual memory and shorter), CL_INVALID_HOST_PTR (memory to copy from isn't there),
// CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY.
struct weft_mem *weft_buffer_create(struct weft_context *context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, void *host_ptr, cl_int *error);
// Creates a buffer over memory that exists already. NULL with *error: errors of weft_external_map and
// weft_dma_buf_hold, CL_OUT_OF_HOST_MEMORY. The descriptor stays the caller's.
struct weft_mem *weft_buffer_import(struct weft_context *context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, const struct weft_external *external,
                                    cl_int *error);
// Creates a buffer over bytes [origin, origin + size) of the parent. NULL with *error: CL_OUT_OF_HOST_MEMORY.
struct weft_mem *weft_sub_buffer_create(struct weft_mem *parent, cl_mem_flags flags, size_t origin,
                                        size_t size, cl_int *error);
// properties: closed by 0; copied. False: no memory.
bool weft_mem_copy_properties(struct weft_mem *m, const cl_mem_properties *properties);
// Registers a callback for the destruction of the object. Callbacks run in reverse order of registration,
// with no lock held. CL_OUT_OF_HOST_MEMORY: no memory.
cl_int weft_mem_add_destructor(struct weft_mem *m, void(CL_CALLBACK *notify)(cl_mem, void *), void *user);

// The checker doesn't follow what is in the object's storage: it counts as written (UNINIT).
void weft_mem_not_followed(const struct weft_mem *m);

// For kinds.c: destruction, the place where it can wait for the callback thread, and locks after a fork.
void weft_mem_destroy(struct weft_object *o);
struct weft_destructor_callback *weft_mem_destructor_callback(struct weft_object *o);
void weft_mem_after_fork(struct weft_object *o);

#endif
