// The bytes behind memory objects. Owns no data, no threads, no locks.
//
// Small storage comes from the allocator; large storage is mapped from the system: it costs nothing until it
// is touched (in parallel, by the kernel that first writes it), sits on huge pages where the system has them,
// and goes back at once.
#include "memory.h"

#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)
// From here on storage is page-mapped. glibc maps such sizes too, but neither aligned nor advised.
#define MAPPED_FROM HUGE_PAGE

void *weft_storage_alloc(size_t size)
{
    if (size < MAPPED_FROM) {
        // Whole vectors may be read at the end: round up so that they stay inside the allocation.
        size_t rounded;
        return weft_align_size(size, WEFT_DEVICE_MEM_ALIGN, &rounded)
                   ? weft_alloc_aligned(WEFT_DEVICE_MEM_ALIGN, rounded)
                   : NULL;
    }
    void *storage = weft_map_pages(HUGE_PAGE, size);
    if (storage) // advice: a system without huge pages refuses, and that is fine
        (void)madvise(storage, size, MADV_HUGEPAGE);
    return storage;
}

void weft_storage_free(void *storage, size_t size)
{
    if (size < MAPPED_FROM)
        weft_free(storage);
    else
        weft_unmap_pages(storage, size);
}
