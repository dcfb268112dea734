// vectorize/cost/ reckons what a step of all lanes costs beside as many work-items that run alone, and whether wider steps are better still.
//
// Comes in: a region with its groups and callees found (vectorize/access/access.h). Goes out: numbers; the code isn't changed. Must not know:
// what is emitted, and what is done with the numbers.
#ifndef WEFTC_VECTORIZE_COST_H
#define WEFTC_VECTORIZE_COST_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct weftc_target;
struct weftc_vec;

// What a step of all lanes is estimated to be, and what it may be at most, in tenths of a work-item that runs alone. allowed 0: it
// isn't asked.
struct weftc_vec_bound {
    uint32_t estimated, allowed;
};

// ---- vectorize/cost/wide_step.c ----
struct weftc_vec_interleave {
    const char *reason; // why one step of twice the lanes isn't better than two; NULL: it is
    unsigned times;     // by how much more lanes the best step has: 2 or 4; 2 where there is a reason
    // Cycles, of one step in the part of the region that counts most: from round to round at least, for the units at least,
    // and of that what a wide step needs but once.
    uint32_t chain, work, shared;
    uint32_t registers; // that the values of one step take
    uint32_t percent;   // of so many steps' time that one of `times` the lanes takes
    uint64_t weight;    // of that part
    // Latencies estimated with, all lanes at once are much faster than one by one, and none waits for another.
    bool saves;
    // Latencies estimated with, all lanes at once are no faster, though loops were unrolled in which each lane goes along a row of its own (vectorize/legalize/unroll_rows.c).
    bool loses;
    struct weftc_vec_bound time; // by which one of both is decided
};
// v: with its groups found. alone: the kernel has no other region.
void weftc_vec_find_interleave(struct weftc_vec *v, const struct weftc_target *target, bool alone,
                               struct weftc_vec_interleave *t);

// ---- vectorize/cost/work.c ----
struct weftc_vec_cost {
    uint32_t step; // of one step of all lanes, in 1/16 of a work-item that runs alone
    uint64_t
        total; // of one step of all lanes, in a unit of no meaning that is the same for all forms of all regions
    uint64_t alone; // of as many work-items that run alone, in that unit
    // In instructions, where those that count rounds or are the same for all lanes and outside of loops don't count for work-items.
    struct weftc_vec_bound work;
    LLVMValueRef most_expensive; // of the sort that exceeds most what lanes may cost; NULL: nothing does
    uint32_t percent;            // of the step's work that is that sort's
    struct weftc_vec_interleave twice;
    bool refused;        // there are no lanes because of that
    bool diverges_again; // lanes take a branch apart in a loop, which isn't its regular end
    bool uneven;         // some may stay much longer in a loop than others
    bool apart;          // they access memory neither at one place nor side by side
    bool far_apart;      // nor interleaved, or something is done one by one
    uint32_t tried;      // what the runtime is to try beside this: a set of enum weft_autotune_candidate
};
enum weftc_vec_sort {
    WEFTC_VEC_LOADS,
    WEFTC_VEC_STORES,
    WEFTC_VEC_ATOMICS,
    WEFTC_VEC_CALLS,
    WEFTC_VEC_OPERATIONS,
    WEFTC_VEC_SORTS
};
enum weftc_vec_sort weftc_vec_sort(LLVMValueRef i);
// Is the region worth lanes? *cost: what was estimated.
bool weftc_vec_pays(const struct weftc_vec *v, struct weftc_vec_cost *cost);
// What a step costs, in 1/16 of a work-item that runs alone, if all lanes cost at_once, and as many work-items alone.
uint32_t weftc_vec_step(unsigned lanes, uint64_t at_once, uint64_t alone);
// What at_once and alone are to each other, in tenths of a work-item that runs alone.
struct weftc_vec_bound weftc_vec_bound(unsigned lanes, uint64_t at_once, uint64_t alone, unsigned allowed);
// Of instruction i for all lanes, in instructions that are done about as quickly as an addition.
uint64_t weftc_vec_work(const struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize/cost/autotune_candidates.c ----
// What of a region makes it hard to tell whether lanes pay: diverges_again, uneven, apart and far_apart. v: with its groups found.
void weftc_vec_find_autotune_candidates(const struct weftc_vec *v, struct weftc_vec_cost *cost);

#endif
