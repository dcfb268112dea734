// Copies and fills at the speed of memory, through the caches or past them. No threads, no locks, no data.
#ifndef WEFT_RUNTIME_NONTEMPORAL_COPY_H
#define WEFT_RUNTIME_NONTEMPORAL_COPY_H

#include <stdbool.h>
#include <stddef.h>

#define WEFT_FILL_BLOCK 128 // bytes of the block that a fill repeats

// Copies n bytes with non-temporal stores where the CPU has them, for copies that are larger than the caches.
// dst and src must not overlap.
void weft_nontemporal_copy(void *dst, const void *src, size_t n);
// Repeats block over n bytes from dst on; the last repetition may be cut off. nontemporal: with non-temporal
// stores.
void weft_block_fill(void *dst, const unsigned char block[WEFT_FILL_BLOCK], size_t n, bool nontemporal);

#endif
