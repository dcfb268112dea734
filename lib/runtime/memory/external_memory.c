// Imported memory: reading the properties, and the mapping. No threads, no locks. A mapping belongs to its
// memory object (memory/memory.c).
#include "runtime/memory/external_memory.h"

#include <errno.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "runtime/device/device.h"
#include "runtime/memory/dma_buf.h"
#include "runtime/memory/memory.h"

const cl_uint weft_external_handles[WEFT_EXTERNAL_HANDLES] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                                              CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR};

static bool is_handle(cl_mem_properties name)
{
    return name == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR || name == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR;
}

const cl_mem_properties *weft_mem_property_next(const cl_mem_properties *p)
{
    if (*p++ != CL_MEM_DEVICE_HANDLE_LIST_KHR)
        return p + 1;
    while (*p != CL_MEM_DEVICE_HANDLE_LIST_END_KHR)
        p++;
    return p + 1;
}

bool weft_external_property(cl_mem_properties name)
{
    return (name == CL_MEM_DEVICE_HANDLE_LIST_KHR || is_handle(name)) &&
           weft_offers_extension("cl_khr_external_memory");
}

void weft_external_read(const cl_mem_properties *properties, struct weft_external *out)
{
    *out = (struct weft_external){.fd = -1};
    for (const cl_mem_properties *p = properties; p && *p; p = weft_mem_property_next(p)) {
        if (*p == CL_MEM_DEVICE_HANDLE_LIST_KHR) {
            out->first = p + 1;
        } else if (is_handle(*p)) {
            out->given = true;
            out->is_dma_buf = *p == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR;
            out->fd = p[1] <= INT_MAX ? (int)p[1] : -1;
        }
    }
}

bool weft_external_has_device(const struct weft_mem *m, const struct weft_device *d)
{
    struct weft_external e;
    weft_external_read(m->properties, &e);
    for (const cl_mem_properties *p = e.first; p && *p; p++)
        if ((const struct weft_device *)(uintptr_t)*p == d)
            return true;
    return !e.first;
}

// The size of the descriptor's memory in bytes. Negative: unknown. A dma-buf isn't a regular file; lseek
// reports its size.
static off_t bytes_of(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -1;
    return S_ISREG(st.st_mode) ? st.st_size : lseek(fd, 0, SEEK_END);
}

void *weft_external_map(const struct weft_external *e, size_t size, cl_int *error)
{
    const off_t have = e->is_dma_buf && !weft_dma_buf_is_one(e->fd) ? -1 : bytes_of(e->fd);
    *error = have < 0 ? CL_INVALID_PROPERTY : CL_INVALID_BUFFER_SIZE;
    if (have < 0 || (uintmax_t)have < size)
        return NULL;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, e->fd, 0);
    *error = at != MAP_FAILED  ? CL_SUCCESS
             : errno == ENOMEM ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                               : CL_INVALID_PROPERTY;
    return at != MAP_FAILED ? at : NULL;
}

void weft_external_unmap(void *at, size_t size)
{
    // Memory of huge pages can be unmapped only in whole huge pages.
    static const size_t units[] = {1, (size_t)1 << 21, (size_t)1 << 30};
    for (size_t k = 0; at && k < WEFT_COUNT_OF(units); k++)
        if (munmap(at, (size + units[k] - 1) & ~(units[k] - 1)) == 0)
            break;
}

void weft_external_taken(const struct weft_external *e)
{
    if (e->given)
        (void)close(e->fd);
}
