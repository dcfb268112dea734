// The storage of all buffers and allocations of shared memory, for kind BOUNDS: a kernel may have the address
// of one that isn't an argument of its launch. All functions may be called from any thread.
#ifndef WEFT_RUNTIME_CHECKER_KNOWN_H
#define WEFT_RUNTIME_CHECKER_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/checker.h"

// guard: the bytes behind it that are nobody's. Without memory it isn't known.
void weft_known_add(const void *first, size_t size, size_t guard);
void weft_known_remove(const void *first);
// The storage that the address lies in, or a little behind which it lies. False: there is none.
bool weft_known_find(uint64_t address, struct weft_check_range *out);

#endif
