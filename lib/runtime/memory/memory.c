// Creation and destruction of memory objects: buffers and sub-buffers (OpenCL 2.2 §5.2.1, §5.5.1), and what
// images have in common with them (the rest is in image/image.c).
//
// A sub-buffer holds a reference to its buffer and uses its storage, so a buffer outlives its sub-buffers;
// core/object.c gives that reference back. Commands hold references to the objects that they use. The
// object's lock guards its list of destructor callbacks and, in the object that owns the storage, the list of
// mappings (memory/map.c).
#include "runtime/memory/memory.h"

#include <pthread.h>

#include "base/base.h"
#include "runtime/checker/known.h"
#include "runtime/checker/parts.h"
#include "runtime/checker/shadow.h"
#include "runtime/core/application_call.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/memory/dma_buf.h"
#include "runtime/memory/external_memory.h"
#include "runtime/memory/map.h"
#include "runtime/memory/storage.h"
#include "runtime/memory/svm.h"
#include "runtime/memory/transfer.h"

struct weft_mem_destructor {
    struct weft_mem_destructor *next; // the one that was registered before
    void(CL_CALLBACK *notify)(cl_mem, void *);
    void *user;
};

size_t weft_mem_max_size(const struct weft_context *context)
{
    size_t max = 0;
    for (cl_uint i = 0; i < context->device_count; i++) {
        size_t size = (size_t)weft_device_max_alloc(context->devices[i]);
        max = size > max ? size : max;
    }
    return max;
}

// Creates a buffer without storage. NULL: no memory.
static struct weft_mem *create(struct weft_context *context, cl_mem_flags flags, size_t size)
{
    struct weft_mem *m = weft_object_create(WEFT_KIND_MEM, sizeof *m, &context->obj);
    if (!m)
        return NULL;
    weft_object_ref(&context->obj);
    m->context = context;
    m->root = m;
    m->type = CL_MEM_OBJECT_BUFFER;
    m->flags = flags;
    m->size = size;
    m->lock_ready = pthread_mutex_init(&m->lock, NULL) == 0;
    if (!m->lock_ready) {
        weft_object_unref(&m->obj);
        return NULL;
    }
    return m;
}

void weft_mem_ref_to_use(struct weft_mem *m)
{
    weft_mem_ref(m);
    weft_mem_begin_use(m);
}

bool weft_mem_copy_properties(struct weft_mem *m, const cl_mem_properties *properties)
{
    const cl_mem_properties *end = properties;
    while (*end)
        end = weft_mem_property_next(end);
    const size_t count = (size_t)(end - properties) + 1;
    m->properties = weft_memdup(properties, count * sizeof *properties);
    m->property_count = m->properties ? count : 0;
    return m->properties != NULL;
}

struct weft_mem *weft_buffer_create(struct weft_context *context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, void *host_ptr, cl_int *error)
{
    struct weft_mem *m = create(context, flags, size);
    *error = CL_OUT_OF_HOST_MEMORY;
    if (!m)
        return NULL;
    if (properties && !weft_mem_copy_properties(m, properties))
        goto fail;
    if (flags & CL_MEM_USE_HOST_PTR) {
        m->data = m->host_ptr = host_ptr;
        size_t shared = weft_svm_bytes_from(context, host_ptr);
        m->svm = shared != 0;
        // "CL_INVALID_BUFFER_SIZE ... if CL_MEM_USE_HOST_PTR is set in flags and host_ptr is a pointer
        // returned by clSVMAlloc and size is greater than the size passed to clSVMAlloc" (OpenCL 3.0).
        if (shared && shared < size) {
            *error = CL_INVALID_BUFFER_SIZE;
            weft_object_unref(&m->obj);
            return NULL;
        }
        if (WEFT_UNLIKELY(weft_misuse_is_on()) && !shared)
            weft_watch_add(m->data, size);
    } else {
        *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        m->guard = weft_misuse_guard_bytes();
        m->data = m->allocation = weft_storage_alloc(size + m->guard, context, weft_context_domain(context));
        if (!m->data)
            goto fail;
        *error = CL_INVALID_HOST_PTR;
        if ((flags & CL_MEM_COPY_HOST_PTR) && !weft_bulk_copy(m->data, host_ptr, size)) {
            weft_context_report(context,
                                "host_ptr %p of a buffer points to memory that isn't accessible, or to less "
                                "than %zu bytes of it",
                                host_ptr, size);
            goto gone;
        }
        if (WEFT_UNLIKELY(weft_shadow_is_on()))
            weft_shadow_add(m->data, size, flags & CL_MEM_COPY_HOST_PTR);
        if (WEFT_UNLIKELY(m->guard))
            weft_known_add(m->data, size, m->guard);
    }
    *error = CL_SUCCESS;
    return m;

fail:
    weft_error_with(*error, "there is not enough memory for an object of %n bytes", size);
gone:
    weft_object_unref(&m->obj);
    return NULL;
}

struct weft_mem *weft_buffer_import(struct weft_context *context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, const struct weft_external *external,
                                    cl_int *error)
{
    struct weft_mem *m = create(context, flags, size);
    *error = CL_OUT_OF_HOST_MEMORY;
    if (!m)
        return NULL;
    m->external = true;
    if (weft_mem_copy_properties(m, properties))
        m->data = m->allocation = weft_external_map(external, size, error);
    if (m->data)
        *error = weft_dma_buf_hold(external->fd, !(flags & CL_MEM_IMMUTABLE_EXT), &m->dma_buf);
    if (!*error)
        return m;
    weft_object_unref(&m->obj);
    return NULL;
}

struct weft_mem *weft_sub_buffer_create(struct weft_mem *parent, cl_mem_flags flags, size_t origin,
                                        size_t size, cl_int *error)
{
    struct weft_mem *m = create(parent->context, flags, size);
    *error = m ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (!m)
        return NULL;
    weft_mem_ref(parent);
    m->parent = parent;
    m->root = parent->root;
    atomic_store(&m->root->has_parts, true);
    m->origin = origin;
    m->data = parent->data + origin;
    m->svm = parent->svm;
    m->host_ptr = parent->host_ptr ? (unsigned char *)parent->host_ptr + origin : NULL;
    return m;
}

cl_int weft_mem_add_destructor(struct weft_mem *m, void(CL_CALLBACK *notify)(cl_mem, void *), void *user)
{
    struct weft_mem_destructor *d = weft_alloc(sizeof *d);
    if (!d)
        return CL_OUT_OF_HOST_MEMORY;
    d->notify = notify;
    d->user = user;
    pthread_mutex_lock(&m->lock);
    d->next = m->destructors;
    m->destructors = d;
    pthread_mutex_unlock(&m->lock);
    return CL_SUCCESS;
}

// No other thread can reach the object any more. So no lock is needed, and callbacks run without one.
static void call_destructors(struct weft_mem *m)
{
    while (m->destructors) {
        struct weft_mem_destructor *d = m->destructors;
        m->destructors = d->next;
        WEFT_CALL_APPLICATION(d->notify((cl_mem)(void *)m, d->user));
        weft_free(d);
    }
}

void weft_mem_not_followed(const struct weft_mem *m)
{
    if (WEFT_LIKELY(!weft_shadow_is_on()))
        return;
    if (m->parent)
        weft_shadow_moved(m->data, NULL, m->size);
    else
        weft_shadow_remove(m->data);
}

void weft_mem_destroy(struct weft_object *o)
{
    struct weft_mem *m = WEFT_CONTAINER_OF(o, struct weft_mem, obj);
    call_destructors(m);
    // The application may still write through a pointer that it didn't unmap. Nobody gets such storage again.
    const void *next_owner = m->maps ? NULL : m->context;
    weft_mem_maps_free(m);
    if (WEFT_UNLIKELY(weft_misuse_is_on()) && !m->parent) {
        if (m->host_ptr && !m->image)
            weft_watch_remove(m->data);
        weft_parts_forget(m);
    }
    if (m->external) {
        weft_dma_buf_drop(m->dma_buf);
        weft_external_unmap(m->allocation, m->size);
    } else {
        if (WEFT_UNLIKELY(weft_shadow_is_on()) && m->allocation)
            weft_shadow_remove(m->data);
        if (WEFT_UNLIKELY(m->guard) && m->allocation)
            weft_known_remove(m->data);
        weft_storage_free(m->allocation, m->size + m->guard, next_owner);
    }
    weft_free(m->properties);
    weft_free(m->image);
    if (m->lock_ready)
        pthread_mutex_destroy(&m->lock);
    if (m->context)
        weft_object_unref(&m->context->obj);
}

struct weft_destructor_callback *weft_mem_destructor_callback(struct weft_object *o)
{
    struct weft_mem *m = (struct weft_mem *)o;
    return m->destructors ? &m->destructor_callback : NULL;
}

void weft_mem_after_fork(struct weft_object *o)
{
    struct weft_mem *m = (struct weft_mem *)o;
    if (m->lock_ready)
        weft_lock_after_fork(&m->lock);
}
