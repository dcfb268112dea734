// Storage of memory objects, and of everything else that kernels may write. All functions may be called from
// any thread.
#ifndef WEFT_RUNTIME_STORAGE_H
#define WEFT_RUNTIME_STORAGE_H

#include <stddef.h>

struct weft_domain;

// Allocates storage of `size` > 0 bytes that kernels may write. It is aligned to WEFT_DEVICE_MEM_ALIGN. It
// holds zeros, or what the same owner has left in storage that it freed (ADR 36): nobody sees what others
// wrote. Large storage that is new has untouched pages. owner: a context, which lives until the storage is
// freed. NULL: nobody; it holds zeros then. domain: the threads that will use it (see
// weft_sched_place_memory), the same for all storage of an owner. Returns NULL if there is no memory.
void *weft_storage_alloc(size_t size, const void *owner, const struct weft_domain *domain);
void *weft_storage_zalloc(size_t size); // zeroed
// Frees storage, which its owner may get again. size: as in the allocation. owner: NULL: it goes back to the
// system, and nobody gets what was written. storage may be NULL.
void weft_storage_free(void *storage, size_t size, const void *owner);
// To be called when an owner ends: gives back what it freed.
void weft_storage_forget(const void *owner);

#endif
