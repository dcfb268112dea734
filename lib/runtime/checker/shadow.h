// What of the program's buffers has been written (UNINIT, docs/check.md). Each byte of a buffer has a byte of
// shadow: bit k of it is 1 if bit k isn't written. And each four bytes have an origin, a number of 32 bits
// that says where what isn't written comes from, if some of them aren't:
//
//     four equal bytes      a private variable of a kernel, or local memory (compiler/checker/uninit.c)
//     a buffer's number     the buffer itself: nobody has written there
//     a store's number      a kernel has stored a value there that depends on memory that wasn't written
//
// Memory that isn't noted here counts as written. Any thread may call, while it holds no lock.
#ifndef WEFT_RUNTIME_CHECKER_SHADOW_H
#define WEFT_RUNTIME_CHECKER_SHADOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/checker/checker.h"

extern atomic_bool weft_shadow_used;
// Is it noted what is written? From the first program on that asks for UNINIT; with WEFT_CHECK from the
// beginning.
static inline bool weft_shadow_is_on(void)
{
    // relaxed: buffers that another thread has created before count as written.
    return atomic_load_explicit(&weft_shadow_used, memory_order_relaxed);
}
void weft_shadow_begin(void);

// A buffer's storage begins or ends. Without memory for its shadow it counts as written.
void weft_shadow_add(const void *first, size_t size, bool written);
void weft_shadow_remove(const void *first);
// Bytes have been copied, from memory of the host or to it as well; from NULL: written. If the host reads
// what a kernel has stored and that isn't written, it is reported.
void weft_shadow_moved(const void *to, const void *from, size_t size);
// The host maps bytes.
void weft_shadow_mapped(const void *at, size_t size, bool reads, bool writes);
// The buffer that the address lies in. False: it isn't noted.
bool weft_shadow_find(uint64_t address, struct weft_check_range *out);
// The buffer with the number. False: there is none any more.
bool weft_shadow_buffer(uint32_t origin, struct weft_check_range *out);
// Are all bytes from first to before end written? They are in one buffer. False: it isn't noted.
bool weft_shadow_is_written(uint64_t first, uint64_t end);
// Something that isn't written has been stored, or may have been.
void weft_shadow_note_unwritten(void);
// Memory of zeros for the shadow and the origins of size bytes: 2 * size bytes. NULL: no memory.
void *weft_shadow_map(size_t size);
void weft_shadow_unmap(void *shadow, size_t size);

// A store of a value that depends on memory that wasn't written.
struct weft_unwritten_store {
    const char *kernel;
    const char *memory; // what wasn't written: "the private variable 'sum'"
    struct weft_finding_place at;
};
// Returns its number; the same for a store at the same place of the same. The strings are copied.
uint32_t weft_shadow_store(const struct weft_unwritten_store *s);
// The strings are valid until the process ends. False: the origin isn't a store.
bool weft_shadow_store_of(uint32_t origin, struct weft_unwritten_store *out);

#endif
