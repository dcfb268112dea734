// Where small storage of kernels lies: far from the heap, so that what a kernel writes beyond its buffers meets other
// storage of kernels or nothing. All functions may be called from any thread.
#ifndef WEFT_RUNTIME_MEMORY_ARENA_H
#define WEFT_RUNTIME_MEMORY_ARENA_H

#include <stddef.h>

#define WEFT_ARENA_MAX (((size_t)2 << 20) - 1) // bytes: the largest piece

// A piece of at least `size` bytes, 0 < size <= WEFT_ARENA_MAX, aligned to 128 bytes; contents undefined, with pages that are
// mostly there already when one like it was freed before. NULL: no memory, or no addresses.
void *weft_arena_alloc(size_t size);
void weft_arena_free(void *piece); // not NULL
// What stays warm goes back to the system, and the addresses with it: for what else they are wanted.
void weft_arena_trim(void);

// For tests: what there is now.
struct weft_arena_state {
    size_t pieces;  // in use
    size_t spans;   // runs of pieces of one size that are accessible, with pieces in use or not
    size_t warm;    // bytes of spans without pieces in use that are kept for the next ones
    size_t regions; // ranges of addresses
};
void weft_arena_look(struct weft_arena_state *out);

#endif
