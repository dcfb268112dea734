// Races: the accesses of work-items to memory that others can see, and whether two of them are in order
// (docs/check.md). Any thread.
#ifndef WEFT_RUNTIME_CHECKER_RACES_H
#define WEFT_RUNTIME_CHECKER_RACES_H

#include <stdbool.h>
#include <stdint.h>

#include "weft/checker.h"

// An access of a work-item.
struct weft_touch {
    const struct weft_check_site *site; // NULL: there was none
    uint64_t item;                      // linear number in the launch
    uint32_t launch;                    // serial of the launch
    uint32_t phase : 24;                // barriers that the work-group has passed, modulo 2^24
    uint32_t how : 8;                   // set of WEFT_ACCESS_*
};

// Who touches.
struct weft_toucher {
    struct weft_touch now;
    bool is_local; // local memory: other work-groups have their own, though it may lie at the same place
    // Is another work-item of the launch in the same work-group?
    bool (*is_same_group)(const void *context, uint64_t item);
    const void *context;
};

// Notes that bytes are touched. True: not in order with an earlier access, *with.
bool weft_checker_touch(const struct weft_toucher *who, uint64_t address, uint64_t size,
                        struct weft_touch *with);
// In the child of a fork: nobody would unlock a page that another thread had locked.
void weft_checker_forget_touches(void);

#endif
