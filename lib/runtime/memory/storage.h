// The bytes behind memory objects, and behind all else that kernels may write.
#ifndef WEFT_RUNTIME_STORAGE_H
#define WEFT_RUNTIME_STORAGE_H

#include <stddef.h>

// Storage of `size` > 0 bytes for what kernels may write, aligned to WEFT_DEVICE_MEM_ALIGN, contents undefined; large ones are
// page-mapped, zero and untouched.
void *weft_storage_alloc(size_t size);
void *weft_storage_zalloc(size_t size);             // zeros
void weft_storage_free(void *storage, size_t size); // the size that it was made with; NULL is fine

#endif
