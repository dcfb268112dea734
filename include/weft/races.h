// Races (RACE, docs/check.md): cells say which work-item touched which bytes last. Code that looks for races
// reads and writes them itself where nothing can be wrong, and asks the driver otherwise
// (weft_kernel_host.touch). Implemented in lib/runtime/checker/races.c.
//
// Memory is cut into granules of 1, 2, 4, 8 or 16 bytes: what each access of a kernel is made of. Each
// granule that is touched has a cell with two stamps: of the last write, and of the last read. A stamp has,
// from the high bits on:
//
//     epoch   a number that grows from phase to phase: from barrier to barrier of a work-group
//     item    the work-item's local linear id
//     place   the number of the access in the kernel
//     flags   what else is known of the readers or the writer
//
// So a stamp is compared as a number with the first stamp of the launch, of the work-group and of the phase.
#ifndef WEFT_RACES_H
#define WEFT_RACES_H

#include <stdint.h>

enum {
    WEFT_RACE_FLAG_BITS = 5,
    WEFT_RACE_PLACE_BITS = 11,
    WEFT_RACE_ITEM_BITS = 12, // WEFT_GROUP_MAX
    WEFT_RACE_ITEM_SHIFT = WEFT_RACE_FLAG_BITS + WEFT_RACE_PLACE_BITS,
    WEFT_RACE_EPOCH_SHIFT = WEFT_RACE_ITEM_SHIFT + WEFT_RACE_ITEM_BITS,
};
// The last place stands for all further ones.
enum { WEFT_RACE_PLACES = 1 << WEFT_RACE_PLACE_BITS };

enum {
    WEFT_RACE_ATOMIC = 1, // the access was atomic
    // Of reads: there were others, plain or atomic, in the same phase (NEAR) or of other work-groups (FAR).
    WEFT_RACE_NEAR = 2,
    WEFT_RACE_FAR = 4,
    WEFT_RACE_NEAR_ATOMIC = 8,
    WEFT_RACE_FAR_ATOMIC = 16,
};

struct weft_race_cell {
    uint64_t write, read; // 0: nobody
};

// Cells lie in leaves, one for each 4 MiB of memory and size of granules.
enum { WEFT_RACE_LEAF_BITS = 22, WEFT_RACE_ADDRESS_BITS = 47, WEFT_RACE_GRANULES = 5 };

// What a thread that runs a launch knows, for BARRIER and RACE. now: the stamp of the phase, without item,
// place and flags. Older stamps than `first` are of what is over; since `group`, they are of this work-group.
struct weft_race_view {
    // By address >> WEFT_RACE_LEAF_BITS, for granules of 1 << k bytes; a leaf may be NULL.
    struct weft_race_cell **leaves[WEFT_RACE_GRANULES];
    uint64_t first, group, now;
    // The work-items that have come to their next barrier, or to the end of the kernel: where the first of
    // them is, how many there are, and of how many. NULL: nobody has.
    const void *arrival;
    uint64_t arrived, arriving;
};

// What is said of an access: `what` of weft_kernel_host.touch and touch_store.
//
//     bits 0 to 7    how: a set of WEFT_ACCESS_*
//     bits 8 to 11   the binary logarithm of the granules' size
//     bits 12 to 15  of a store: that of its own size
//     bits 16 to 31  the number of the access
#define WEFT_RACE_WHAT(how, granule, size, place) \
    ((uint32_t)(how) | (uint32_t)(granule) << 8 | (uint32_t)(size) << 12 | (uint32_t)(place) << 16)

#endif
