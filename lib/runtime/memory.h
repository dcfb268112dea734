// Memory objects. On a CPU a buffer's memory is host memory and is used in place by kernels and by map.
#ifndef WEFT_RUNTIME_MEMORY_H
#define WEFT_RUNTIME_MEMORY_H

#include "runtime.h"

struct weft_mem {
    struct weft_object obj;
    struct weft_context *context;
    cl_mem_object_type type;
    cl_mem_flags flags;        // after the inheritance rules for sub-buffers
    size_t size;               // bytes
    unsigned char *data;       // where the bytes are; aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN unless the host's
    void *host_ptr;            // as given with CL_MEM_USE_HOST_PTR
    void *allocation;          // what to free with the object; NULL: not ours
    struct weft_mem *parent;   // of a sub-buffer (a ref)
    size_t origin;             // of a sub-buffer, in the parent
    cl_mem_properties *properties; // as given, with the closing 0
    size_t property_count;
    pthread_mutex_t lock;      // maps and destructor callbacks
    struct weft_mapping *maps;
    _Atomic cl_uint map_count;
    struct weft_mem_destructor *destructors; // called in reverse order of registration
};

// Retains for a command and releases again; NULL is fine.
static inline void weft_mem_ref(struct weft_mem *m)
{
    if (m)
        weft_object_ref(&m->obj);
}
static inline void weft_mem_unref(struct weft_mem *m)
{
    if (m)
        weft_object_unref(&m->obj);
}

#endif
