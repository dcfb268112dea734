// Large storage of kernels: mappings of the system between guards (ADR 24). It costs nothing until it is
// touched, which the first kernel that writes it does in parallel. It lies on huge pages where the system has
// them. All functions may be called from any thread.
#ifndef WEFT_RUNTIME_MEMORY_MAPPED_STORAGE_H
#define WEFT_RUNTIME_MEMORY_MAPPED_STORAGE_H

#include <stddef.h>

// Maps `bytes` > 0 bytes of zeros, aligned to a huge page. NULL: no memory, no addresses, or an injected
// failure of the bookkeeping.
void *weft_mapped_storage_alloc(size_t bytes);
// Returns it to the system. bytes: as in the allocation.
void weft_mapped_storage_free(void *storage, size_t bytes);

#endif
