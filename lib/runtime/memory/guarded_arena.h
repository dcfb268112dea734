// The arena for small storage of kernels (ADR 24). It lies far from the heap, so that a kernel that writes
// beyond its buffers hits only storage of kernels or inaccessible memory. All functions may be called from
// any thread.
#ifndef WEFT_RUNTIME_MEMORY_ARENA_H
#define WEFT_RUNTIME_MEMORY_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define WEFT_ARENA_MAX (((size_t)2 << 20) - 1) // bytes; size of the largest piece

enum { WEFT_ARENA_SIZES = 52 }; // how many sizes of pieces there are
// Returns which of the sizes a piece of `bytes` bytes has. *piece: that size, at most a fourth larger from
// 512 bytes on.
uint32_t weft_arena_size_of(size_t bytes, size_t *piece);

// Allocates a piece of at least `size` bytes, 0 < size <= WEFT_ARENA_MAX, aligned to 128 bytes. It is zeroed:
// nobody sees what its last owner wrote. A piece of a size that was freed before usually has its pages
// already. NULL: no memory or no address space.
void *weft_arena_alloc(size_t size);
void weft_arena_free(void *piece); // not NULL
// Frees a piece of which more than the requested bytes may have been written.
void weft_arena_free_used(void *piece);
// Returns unused pages and their addresses to the system, for a caller that needs them for something else.
void weft_arena_trim(void);

// Behind and before storage lie pages that can be read, and are zeros: kernels of real programs load a row
// before an image, or behind it, and don't use it. With other drivers there is always something to read.
#define WEFT_READ_MARGIN ((size_t)512 << 10)
// Makes such a margin, at the address of its first page. guard: bytes of the guard that it is a part of; in a
// smaller one there is none.
void weft_make_read_margin(void *at, size_t guard);

// For tests: the present state.
struct weft_arena_state {
    size_t pieces;  // in use
    size_t spans;   // runs of pieces of one size that are accessible, used or not
    size_t warm;    // bytes of spans without used pieces that are kept for reuse
    size_t regions; // ranges of addresses
};
void weft_arena_look(struct weft_arena_state *out);

#endif
