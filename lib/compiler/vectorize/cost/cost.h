// vectorize/cost/ estimates what a vector iteration costs, compared with as many work-items in scalar code,
// whether several vectors in one iteration are better still, and around which blocks a branch is worth it.
//
// In: a region whose accesses and calls are classified and whose callees are made (vectorize/access/access.h,
// legalize/legalize.h). Out: numbers; the code isn't changed. This folder doesn't know what is emitted, or
// what is done with the numbers.
#ifndef WEFTC_VECTORIZE_COST_H
#define WEFTC_VECTORIZE_COST_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct weftc_flow;
struct weftc_target;
struct weftc_vec;
struct weftc_vec_plan;

// What a vector iteration is estimated to be, and what it may be at most, in tenths of a work-item in scalar
// code. allowed 0: it isn't asked.
struct weftc_vec_bound {
    uint32_t estimated, allowed;
};

// ---- vectorize/cost/interleave_count.c ----
struct weftc_vec_interleave {
    const char *reason; // why several vectors in an iteration aren't better than one; NULL: they are
    unsigned times;     // how many are best: 2 or 4; 2 where there is a reason
    // Cycles of an iteration of one vector, in the part of the region that counts most: `chain` from
    // iteration to iteration at least, `work` for the units at least, and besides `shared`, which several
    // vectors need only once.
    uint32_t chain, work, shared;
    uint32_t registers; // that the values of one vector take
    uint32_t
        percent; // of the time of `times` iterations of one vector that an iteration of `times` vectors takes
    uint64_t weight; // of that part
    // Most values are bytes or 16-bit words: twice as many lanes take hardly more instructions.
    bool narrow;
    // With latencies counted, all lanes at once are much faster than one work-item after the other, and no
    // lane waits for another.
    bool saves;
    // With latencies counted, all lanes at once are no faster, though loops were unrolled in which each lane
    // goes along a row of its own (vectorize/legalize/unroll_rows.c).
    bool loses;
    struct weftc_vec_bound time; // which decides saves or loses
};
// v: with its accesses classified. only_region: the kernel has no other region.
void weftc_vec_find_interleave(struct weftc_vec *v, const struct weftc_target *target, bool only_region,
                               struct weftc_vec_interleave *t);

// ---- vectorize/cost/work.c ----
struct weftc_vec_cost {
    uint32_t iteration; // of a vector iteration, in 1/16 of a work-item in scalar code
    // Of a vector iteration, in a unit without a meaning of its own, the same for all variants of all
    // regions.
    uint64_t total;
    uint64_t scalar;     // of as many work-items in scalar code, in that unit
    uint64_t one_by_one; // the same in instructions, as `work` counts them
    // In instructions. Those that count loop iterations, or are the same for all lanes and outside of loops,
    // don't count for work-items.
    struct weftc_vec_bound work;
    LLVMValueRef most_expensive; // of the sort that exceeds most what lanes may cost; NULL: nothing does
    uint32_t percent;            // of the iteration's work that is that sort's
    struct weftc_vec_interleave interleave;
    bool refused;    // there are no lanes because of the cost
    bool long_loops; // lanes pay if loops run for long whose trip counts only the launch knows
    // A fast path's lanes don't pay, but they would beside scalar code's cost without speculation.
    bool nearly_pays;
    bool by_hand;            // there are no lanes because of vectors written by hand
    bool diverges_in_loop;   // lanes part at a branch in a loop that isn't the loop's regular end
    bool uneven_trip_counts; // some lanes may stay much longer in a loop than others
    bool apart;              // some accesses don't reach WEFTC_REACH_TOGETHER (access/access.h)
    bool far_apart;          // some reach WEFTC_REACH_FAR, or something is done lane by lane
    bool narrow_apart;       // some of these are of fewer than 32 bits, for which there are no gathers
};
enum weftc_vec_sort {
    WEFTC_VEC_LOADS,
    WEFTC_VEC_STORES,
    WEFTC_VEC_ATOMICS,
    WEFTC_VEC_CALLS,
    WEFTC_VEC_OPERATIONS,
    WEFTC_VEC_SORTS
};
enum weftc_vec_sort weftc_vec_sort(LLVMValueRef i); // vectorize/cost/sorts.c
// Is the region worth lanes? *cost: what was estimated. one_by_one: that of the work-items in scalar code at
// least (cost->one_by_one of an attempt without speculation); 0: not known.
bool weftc_vec_pays(const struct weftc_vec *v, uint64_t one_by_one, struct weftc_vec_cost *cost);
// Would it be if all lanes cost at_once, and the work-items one_by_one?
bool weftc_vec_pays_for(uint64_t at_once, uint64_t one_by_one);
// What a vector iteration costs, in 1/16 of a work-item in scalar code, if all lanes cost at_once, and as
// many work-items `scalar`.
uint32_t weftc_vec_iteration_cost(unsigned lanes, uint64_t at_once, uint64_t scalar);
// How at_once compares with `scalar`, in tenths of a work-item in scalar code.
struct weftc_vec_bound weftc_vec_bound(unsigned lanes, uint64_t at_once, uint64_t scalar, unsigned allowed);
// Of instruction i for all lanes, in instructions that are done about as quickly as an addition.
uint64_t weftc_vec_work(const struct weftc_vec *v, LLVMValueRef i);
// Shuffles between the order of memory and that of lanes, for all members of an interleaved group.
uint64_t weftc_vec_shuffles(const struct weftc_vec_plan *plan);
// The work of instruction i for all lanes (weftc_vec_work), and for as many work-items in scalar code.
struct weftc_vec_work {
    uint64_t vector, scalar;
};
struct weftc_vec_work weftc_vec_works(const struct weftc_vec *v, LLVMValueRef i);
// How often the block is estimated to run, in a unit without a meaning of its own.
uint64_t weftc_vec_weight(const struct weftc_vec *v, uint32_t block);

// ---- vectorize/cost/loop_length.c ----
// Does i count iterations, or check for another one? That costs next to nothing where a loop is unrolled.
bool weftc_vec_is_counting(LLVMValueRef i);
// Is it a branch that work-items in scalar code take or don't, without a pattern? Not `if (i < n)`, nor a
// comparison for equality. In a loop lanes wait for each other, too, so nothing is said of branches there.
bool weftc_vec_is_unpredictable(const struct weftc_vec *v, LLVMValueRef i);
// May the loop run for long, if the launch wants it?
bool weftc_vec_may_be_long(const struct weftc_flow *g, uint32_t loop);

// ---- vectorize/cost/pressure.c ----
enum { WEFTC_BY_HAND_UNIT = 16 };
// Are there too few registers for lanes, where an operation of the kernel's scalar code handles by_hand /
// WEFTC_BY_HAND_UNIT elements of OpenCL's vectors on average? *bound, if so: what lanes are estimated at.
bool weftc_vec_is_crowded(const struct weftc_vec *v, const struct weftc_target *target, uint32_t by_hand,
                          struct weftc_vec_bound *bound);

// ---- vectorize/cost/by_hand.c ----
// Would lanes only take the kernel's own vectors apart and put them together again? *bound, if so: what lanes
// are estimated at.
bool weftc_vec_is_mostly_shuffled(const struct weftc_vec *v, const struct weftc_target *target,
                                  uint32_t by_hand, struct weftc_vec_bound *bound);

// ---- vectorize/cost/branches.c ----
// Fills v->branches. v: with its accesses and calls classified. If memory is short, v->no_memory is set.
void weftc_vec_find_branches(struct weftc_vec *v);

// ---- vectorize/cost/rare_blocks.c ----

// Is the block reached less than one time in so many?
enum { WEFTC_VEC_COLD = 1 << 16 }; // never, in a kernel without faults: it costs nothing
bool weftc_vec_is_rare(const struct weftc_vec *v, uint32_t block, uint64_t times);
// Which blocks are only reached over edges that are as rare as WEFTC_VEC_COLD. Freed with weft_free. NULL: no
// memory.
bool *weftc_vec_find_cold(const struct weftc_vec *v);
// vectorize/cost/rare_blocks.c: the same for blocks that only the first few work-items of a row reach: one of
// so many vector iterations does.
enum { WEFTC_VEC_PART_OF_FEW = 8 };
bool *weftc_vec_find_few(const struct weftc_vec *v);

// ---- vectorize/cost/autotune_candidates.c ----
// Finds what makes it hard to tell whether lanes pay: diverges_in_loop, uneven_trip_counts, apart and
// far_apart, narrow_apart. v: with its accesses classified.
void weftc_vec_find_autotune_candidates(const struct weftc_vec *v, struct weftc_vec_cost *cost);

#endif
