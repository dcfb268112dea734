// What the first work-group of a launch does in local memory, where all groups do the same
// (compiler/checker/races/same_groups.c): whether two work-items are in each other's way, and whether what is
// read was written. The thread that runs the group only.
#ifndef WEFT_RUNTIME_CHECKER_LOCAL_TOUCHES_H
#define WEFT_RUNTIME_CHECKER_LOCAL_TOUCHES_H

#include <stddef.h>
#include <stdint.h>

struct weft_local_touches;
// Of so many bytes of local memory. NULL: no memory.
struct weft_local_touches *weft_local_touches_new(size_t bytes);
void weft_local_touches_free(struct weft_local_touches *t); // NULL: nothing
// A work-item may touch bytes. how: a set of WEFT_ACCESS_*; phase: a number that changes at each barrier.
void weft_local_touches_note(struct weft_local_touches *t, uint64_t offset, uint64_t size, uint32_t item,
                             uint32_t how, uint64_t phase);
// What is known now: a set of enum weft_check_local.
uint64_t weft_local_touches_result(const struct weft_local_touches *t);

#endif
