// Races: the accesses of work-items to memory that others can see, and whether two of them are in order
// (docs/check.md, weft/races.h).
//
// One thread runs all work-groups of a launch, one after the other, and launches that are compared with each
// other run one after the other, too. So each pair of accesses is seen, whatever threads there are.
#ifndef WEFT_RUNTIME_CHECKER_RACES_H
#define WEFT_RUNTIME_CHECKER_RACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/checker.h"
#include "weft/races.h"

// Epochs that a launch has taken, and the work-group of each.
struct weft_race_epochs {
    uint64_t first;
    uint32_t count, used;
    uint64_t *groups; // owned
};

// What a launch has touched that is over. Cells have its stamps.
struct weft_race_past {
    struct weft_race_epochs *taken; // owned
    uint32_t taken_count;
};

// A launch that runs. Its own thread only.
struct weft_race_run {
    struct weft_race_view view;
    struct weft_race_epochs *taken; // owned
    uint32_t taken_count, taken_capacity;
    const void *sites; // of the launch's code (weft_kernel_host.touch)
    // It is compared with other launches, which nothing orders. Then all granules are bytes.
    bool compares;
    const struct weft_race_past **others; // the array is owned
    uint32_t other_count;
};

// A launch begins. NULL: no memory. weft_race_end frees it.
struct weft_race_run *weft_race_begin(void);
void weft_race_end(struct weft_race_run *r);
// For RACE: the next work-group begins, with the linear number `group`; all work-items have passed a barrier.
// Without memory, or when all epochs are used up, nothing is looked for any more.
void weft_race_begin_group(struct weft_race_run *r, uint64_t group);
void weft_race_pass_barrier(struct weft_race_run *r);
// The same if no memory is needed for it, or does nothing and returns false.
static inline bool weft_race_pass_quickly(struct weft_race_run *r)
{
    struct weft_race_epochs *e = r->taken_count ? &r->taken[r->taken_count - 1] : NULL;
    if (!e || !e->used || e->used == e->count || r->view.first == UINT64_MAX)
        return false;
    e->groups[e->used] = e->groups[e->used - 1];
    r->view.now = (e->first + e->used++) << WEFT_RACE_EPOCH_SHIFT;
    return true;
}

// Before the first work-group: the launch is compared with others. Takes over the array.
void weft_race_compare(struct weft_race_run *r, const struct weft_race_past **others, uint32_t count);
// The launch is over, and others may be compared with it.
void weft_race_take_past(struct weft_race_run *r, struct weft_race_past *out);
void weft_race_past_free(struct weft_race_past *p);
// The other launch, and its work-group, of a stamp. NULL: none.
const struct weft_race_past *weft_race_past_of(const struct weft_race_run *r, uint64_t stamp,
                                               uint64_t *group);
// Memory begins: what was at its place before is over.
void weft_race_forget(const void *first, size_t size);

// An access of a work-item.
struct weft_touch {
    uint64_t address, size;
    const void *value; // what a store writes; NULL: something else than what is there
    uint32_t what;     // weft/races.h
    uint32_t item;
};
// Notes it. True: it isn't in order with an earlier one, of the same launch or one of the others. *with is
// the stamp of that one, 0 if it isn't known any more.
bool weft_race_touch(struct weft_race_run *r, const struct weft_touch *t, uint64_t *with);
// The work-group of a stamp of the same launch. False: it isn't of this launch.
bool weft_race_group_of(const struct weft_race_run *r, uint64_t stamp, uint64_t *group);
static inline uint32_t weft_race_item_of(uint64_t stamp)
{
    return stamp >> WEFT_RACE_ITEM_SHIFT & ((1u << WEFT_RACE_ITEM_BITS) - 1);
}
static inline uint32_t weft_race_place_of(uint64_t stamp)
{
    return stamp >> WEFT_RACE_FLAG_BITS & (WEFT_RACE_PLACES - 1);
}

#endif
