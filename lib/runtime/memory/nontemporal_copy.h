// Moving bytes at the speed of the memory: plain and cache-bypassing copies and fills. No threads, no locks,
// no data.
#ifndef WEFT_RUNTIME_NONTEMPORAL_COPY_H
#define WEFT_RUNTIME_NONTEMPORAL_COPY_H

#include <stdbool.h>
#include <stddef.h>

#define WEFT_FILL_BLOCK 128 // bytes of a fill's repeating block

// Copies n bytes, past the caches where the CPU can: for moves that are larger than them. dst and src don't
// overlap.
void weft_nontemporal_copy(void *dst, const void *src, size_t n);
// Repeats block over n bytes from dst on; the last repetition may be cut. stream: past the caches.
void weft_block_fill(void *dst, const unsigned char block[WEFT_FILL_BLOCK], size_t n, bool stream);

#endif
