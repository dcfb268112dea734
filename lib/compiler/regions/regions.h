// regions/ cuts a kernel at its barriers into functions for one work-item, each from one barrier to the next,
// and decides what becomes of values that live across a barrier. The stage's entry, weftc_regions, is
// declared in compiler.h. This header is for the files of regions/ only: the kernel with its blocks numbered,
// and the results of the analyses.
//
// Input: a kernel as prepare leaves it. Output: the functions of the regions (ir/region_functions.h) and
// facts (ir/module_facts.h). regions must not know how many lanes there will be, nor how work-items are
// looped over.
//
// Functions that return a status fail only if memory runs out.
#ifndef WEFTC_REGIONS_H
#define WEFTC_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/ir/cfg.h"
#include "compiler/ir/value_map.h"
#include "weft/status.h"

// What becomes of a value that is used after a barrier.
enum weftc_spill {
    WEFTC_SPILL_NOTHING,  // no use after a barrier
    WEFTC_SPILL_REMAT,    // computed again from arguments and ids where it is used
    WEFTC_SPILL_UNIFORM,  // the same for all work-items of a group: kept in a register of `run`
    WEFTC_SPILL_PER_ITEM, // a spill row of the state arena
};

struct weftc_block {
    LLVMBasicBlockRef block;
    uint32_t barrier;             // number of the barrier that is this block; UINT32_MAX: none
    bool divergent;               // some work-items of a group may run it while others don't
    bool single_item;             // one work-item runs it for all, after a WEFTC_SINGLE_ITEM_BARRIER
    uint32_t single_item_barrier; // if single_item: the block of that barrier
};

struct weftc_cfg {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMValueRef kernel;
    struct weftc_block *blocks; // in the order of the function
    uint32_t block_count;
    struct weftc_edges edges; // by block number
    uint32_t *barriers;       // the block of each barrier
    uint32_t barrier_count;
};

// A set of barriers for each of a number of things.
struct weftc_barrier_sets {
    uint64_t *bits;
    uint32_t words; // of each set
};
static inline bool weftc_in_set(const struct weftc_barrier_sets *s, uint32_t of, uint32_t barrier)
{
    return s->bits[(size_t)of * s->words + barrier / 64] >> barrier % 64 & 1;
}
static inline void weftc_into_set(struct weftc_barrier_sets *s, uint32_t of, uint32_t barrier)
{
    s->bits[(size_t)of * s->words + barrier / 64] |= 1ull << barrier % 64;
}

static inline uint32_t weftc_block_of(const struct weftc_cfg *g, LLVMBasicBlockRef block)
{
    return weftc_edges_block(&g->edges, block);
}

// ---- regions/walk.c ----

// The number of the block that holds the instruction.
uint32_t weftc_block_of_instruction(const struct weftc_cfg *g, LLVMValueRef instruction);
// Scratch memory for walks over blocks. weftc_walk_fini releases it.
struct weftc_walk {
    uint32_t *stack;
    uint32_t *stamp; // by block: the number of the walk that met it last
    uint32_t now, depth;
};
weft_status weftc_walk_init(struct weftc_walk *w, const struct weftc_cfg *g);
void weftc_walk_fini(struct weftc_walk *w);

// ---- regions/single_item.c ----

// Marks the blocks of single-item code, and moves the program's own computations out of them.
weft_status weftc_single_item_find(struct weftc_cfg *g);

// ---- regions/uniformity.c ----

// The result of the analysis. varying: exactly the varying instructions; the caller releases it. everything:
// the kernel is so large that the analysis gave up, and everything counts as varying.
struct weftc_uniformity {
    struct weftc_map varying;
    bool everything;
};
weft_status weftc_uniformity_find(struct weftc_cfg *g, struct weftc_uniformity *u);
bool weftc_is_uniform(const struct weftc_uniformity *u, LLVMValueRef v);

// ---- regions/arrivals.c ----
// Removes the checker's calls before barriers, if all work-items of a group reach the same ones. check: what
// is looked for. Returns whether it did; then uniformity is to be found anew.
bool weftc_drop_arrivals(const struct weftc_cfg *g, const struct weftc_uniformity *u, uint32_t check);

// ---- regions/join_barriers.c ----

// Adds barriers where paths meet again, if the regions would otherwise be much larger than the kernel.
// entry: the block where region 0 starts. again: some were added before. *added: some were added now, and g
// is out of date.
weft_status weftc_add_join_barriers(const struct weftc_cfg *g, const struct weftc_uniformity *u,
                                    uint32_t entry, bool again, bool *added);

// ---- regions/liveness.c ----

// Adds the barriers across which `value` is live to set number `of`. Returns whether there are any.
bool weftc_live_across(const struct weftc_cfg *g, struct weftc_walk *w, LLVMValueRef value,
                       struct weftc_barrier_sets *sets, uint32_t of);
// Adds the barriers between an access to the memory of an alloca and a later access to set number `of`.
// *live: there are any.
weft_status weftc_memory_live_across(const struct weftc_cfg *g, struct weftc_walk *w, LLVMValueRef alloca,
                                     struct weftc_barrier_sets *sets, uint32_t of, bool *live);
// For an alloca whose memory isn't live across a barrier. Each region then has an alloca of its own, so
// addresses in it that live across barriers are computed again where they are used, and their operands live
// across barriers instead. Overwrites set `of` of scratch.
weft_status weftc_remat_addresses(const struct weftc_cfg *g, struct weftc_walk *w, LLVMValueRef alloca,
                                  struct weftc_barrier_sets *scratch, uint32_t of);

// ---- regions/rematerialize.c ----

// Can `value` be computed again from arguments and ids only, for less than spilling it costs?
bool weftc_remat_pays(const struct weftc_uniformity *u, LLVMValueRef value);
// Computes the value again in every other block that uses it. deep: from arguments and ids; otherwise from
// its operands.
weft_status weftc_remat(LLVMValueRef value, bool deep);
// Can an index be computed again, but for uniform parts that all work-items of the group compute?
bool weftc_remat_pays_in_part(const struct weftc_cfg *g, const struct weftc_uniformity *u,
                              LLVMValueRef value);
// Computes it again from these parts in every other block that uses it.
weft_status weftc_remat_in_part(const struct weftc_uniformity *u, LLVMValueRef value);
// Computes the value again from arguments and ids, where the builder is.
LLVMValueRef weftc_remat_here(LLVMBuilderRef b, LLVMValueRef value);

// ---- regions/regions.c ----

// A slot: the place of a spilled value.
struct weftc_shared {
    LLVMValueRef memory; // an alloca of the kernel
    LLVMTypeRef type;
    enum weftc_spill spill; // UNIFORM or PER_ITEM
    bool array;             // an alloca of the program, accessed in place in the arena
    uint32_t number;        // UNIFORM: the number of the value in `run`
    uint64_t offset;        // PER_ITEM: the row's place in the arena, in bytes for each work-item
    uint64_t stride;        // bytes from one work-item's element to the next
    bool in_rows;           // array: each of its elements has a row, as a spilled value has
    uint32_t live;          // number of its set in struct weftc_splitter.live
};

struct weftc_splitter {
    struct weftc_cfg g;
    LLVMTargetDataRef layout;
    LLVMBasicBlockRef body; // where region 0 starts, after the allocas
    struct weftc_shared *slots;
    uint32_t slot_count, slot_capacity;
    struct weftc_map slot_of; // alloca -> slot
    struct weftc_barrier_sets live;
    uint32_t live_count, uniform_count;
    uint64_t state_per_item, private_bytes;
};

// ---- regions/uniform_parts.c ----

// Makes the uniform parts of indices live across barriers, not the indices. *changed: u doesn't know what was
// made.
weft_status weftc_keep_uniform_parts(struct weftc_cfg *g, const struct weftc_uniformity *u, bool *changed);

// ---- regions/inductions.c ----

// Splits what each work-item counts up in loops with barriers into a start of its own and an offset that all
// share. *changed: there was any, and u is out of date.
weft_status weftc_split_inductions(const struct weftc_splitter *s, const struct weftc_uniformity *u,
                                   bool *changed);

// ---- regions/private_rows.c ----

// May each element of the private array have a row of its own? Returns the bytes of an element; 0: no.
uint64_t weftc_rows_element(const struct weftc_splitter *s, LLVMValueRef memory);
// Such an array's element k is k rows after `first`, the work-item's part of its first row. Turns accesses
// to an array at `first` into that. False: memory is short.
bool weftc_rows_address(struct weftc_splitter *s, LLVMValueRef first, uint64_t element);
// Marks an access to a spill row: no other work-item accesses this element, so it aliases only private
// memory, and accesses of different work-items are independent.
void weftc_mark_spilled(struct weftc_splitter *s, LLVMValueRef access);

// ---- regions/build.c ----

// Builds the function of region `number`, with the attributes that ir/region_functions.h describes. w is
// scratch.
weft_status weftc_region_build(struct weftc_splitter *s, struct weftc_walk *w, uint32_t number);

#endif
