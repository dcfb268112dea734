// Memory objects. On a CPU a buffer's memory is host memory and is used in place by kernels and by map.
//
// The folder holds buffers (this file), images, samplers, pipes and shared virtual memory, the storage behind them (storage.h), and the
// commands that move bytes (transfer.h) or map them (map.h). In come checked arguments: check/ looks for the application's errors, but
// for those that are known only when the work is done. Out go objects, pointers into their storage, and submitted commands. It must not
// know programs, kernels and launches, which find here what their arguments are. It calls command/ and core/.
#ifndef WEFT_RUNTIME_MEMORY_H
#define WEFT_RUNTIME_MEMORY_H

#include "runtime/core/context.h"
#include "runtime/core/object.h"

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
    struct weft_destructor_callback farewell;
};

// Retains for a command and releases again; NULL is fine.
static inline void weft_mem_ref(struct weft_mem *m)
{
    if (m)
        weft_object_ref(&m->obj);
}
// Retains what a kernel has as an argument and doesn't hold. type: what it was. false: it is gone; its place may be another's by now.
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
// A buffer over memory that exists already: what weft_external_map and weft_dma_buf_hold return for it. The descriptor stays the
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

// For kinds.c.
void weft_mem_destroy(struct weft_object *o);
struct weft_destructor_callback *weft_mem_farewell(struct weft_object *o);
void weft_mem_after_fork(struct weft_object *o);

#endif
