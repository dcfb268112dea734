// Storage of memory objects, and of everything else that kernels may write.
#ifndef WEFT_RUNTIME_STORAGE_H
#define WEFT_RUNTIME_STORAGE_H

#include <stddef.h>

// Allocates storage of `size` > 0 bytes that kernels may write. It is aligned to WEFT_DEVICE_MEM_ALIGN; its
// contents are undefined. Large storage is mapped from the system, so it is zero and its pages are untouched.
// NULL: no memory.
void *weft_storage_alloc(size_t size);
void *weft_storage_zalloc(size_t size); // zeroed
// size: as in the allocation. storage may be NULL.
void weft_storage_free(void *storage, size_t size);

#endif
