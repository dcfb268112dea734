// regions/ cuts a kernel at its barriers into functions, each for one work-item from one barrier to the next, and decides what becomes of
// values that live across a barrier. The stage weftc_regions (compiler.h) is here; this header is for files of regions/ alone: the kernel as
// the stage sees it, blocks and instructions by number, and what its analyses find out.
//
// Comes in: a kernel as prepare leaves it. Goes out: functions of regions (ir/region_functions.h) and facts (ir/module_facts.h). Must not
// know: how many lanes there will be, and how work-items are looped over.
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

// What becomes of a value that is used behind a barrier.
enum weftc_spill {
    WEFTC_SPILL_NOTHING,  // it isn't
    WEFTC_SPILL_REMAT,    // computed again from arguments and ids, where it is used
    WEFTC_SPILL_UNIFORM,  // the same for all work-items of a group: one register of `run`
    WEFTC_SPILL_PER_ITEM, // a row of the state arena
};

struct weftc_block {
    LLVMBasicBlockRef block;
    uint32_t barrier;      // number of the barrier that the block consists of; UINT32_MAX: none
    bool divergent;        // whether it runs may differ between the work-items of a group
    bool solo;             // one work-item runs it for all: behind a WEFTC_SINGLE_ITEM_BARRIER
    uint32_t solo_barrier; // solo: block of that
};

struct weftc_cfg {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMValueRef kernel;
    struct weftc_block *blocks; // in the order of the function
    uint32_t block_count;
    struct weftc_edges edges; // by number of block
    uint32_t *barriers;       // block of each barrier
    uint32_t barrier_count;
};

// A set of barriers for each of `count` things.
struct weftc_barrier_sets {
    uint64_t *bits;
    uint32_t words; // for each set
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
uint32_t weftc_block_of_instruction(const struct weftc_cfg *g, LLVMValueRef instruction);
// Scratch for walks over blocks.
struct weftc_walk {
    uint32_t *stack;
    uint32_t *stamp; // of the walk that last met a block
    uint32_t now, depth;
};
weft_status weftc_walk_init(struct weftc_walk *w, const struct weftc_cfg *g);
void weftc_walk_fini(struct weftc_walk *w);

// ---- regions/single_item.c ----
// Finds solo code, and takes the program's own out of it.
weft_status weftc_single_item_find(struct weftc_cfg *g);

// ---- regions/uniformity.c ----
// Finds the values that may differ between the work-items of one group, and the blocks whose execution may.
// varying: a map that holds exactly the varying instructions. Gives up safely (everything varies) on huge
// kernels.
struct weftc_uniformity {
    struct weftc_map varying;
    bool everything;
};
weft_status weftc_uniformity_find(struct weftc_cfg *g, struct weftc_uniformity *u);
bool weftc_is_uniform(const struct weftc_uniformity *u, LLVMValueRef v);

// ---- regions/join_barriers.c ----
// Adds barriers where paths meet again, if the regions are much larger than the kernel otherwise. g is stale
// afterwards if any were added. entry: the block where region 0 starts.
weft_status weftc_add_join_barriers(const struct weftc_cfg *g, const struct weftc_uniformity *u,
                                    uint32_t entry, bool *added);

// ---- regions/liveness.c ----
// Puts the barriers across which `value` lives into set number `of`. False: none.
bool weftc_live_across(const struct weftc_cfg *g, struct weftc_walk *w, LLVMValueRef value,
                       struct weftc_barrier_sets *sets, uint32_t of);
// Puts the barriers between an access to the memory of an alloca and a later one into set number `of`.
weft_status weftc_memory_live_across(const struct weftc_cfg *g, struct weftc_walk *w, LLVMValueRef alloca,
                                     struct weftc_barrier_sets *sets, uint32_t of, bool *live);
// For an alloca whose memory doesn't: each region has its own, so addresses in it that live across barriers are made anew
// from it where they are used. What they are made of lives instead. Overwrites set `of` of scratch.
weft_status weftc_remat_addresses(const struct weftc_cfg *g, struct weftc_walk *w, LLVMValueRef alloca,
                                  struct weftc_barrier_sets *scratch, uint32_t of);

// ---- regions/rematerialize.c ----
// Can `value` be computed anew from arguments and ids alone, for less than it costs to keep it?
bool weftc_remat_pays(const struct weftc_uniformity *u, LLVMValueRef value);
// Computes it anew in every other block that uses it; deep: from arguments and ids, else from its operands.
weft_status weftc_remat(LLVMValueRef value, bool deep);

// ---- regions/regions.c ----
struct weftc_shared {
    LLVMValueRef memory; // an alloca of the kernel
    LLVMTypeRef type;
    enum weftc_spill keep; // UNIFORM or PER_ITEM
    bool array;            // an alloca of the program, accessed in place in the arena
    uint32_t number;       // of a uniform value
    uint64_t offset;       // in the arena, bytes for each work-item
    uint64_t stride;       // bytes from one work-item's element to the next
    uint32_t live;         // its set in struct weftc_splitter.live
};

struct weftc_splitter {
    struct weftc_cfg g;
    LLVMTargetDataRef layout;
    LLVMBasicBlockRef body; // where region 0 starts, behind the allocas
    struct weftc_shared *slots;
    uint32_t slot_count, slot_capacity;
    struct weftc_map slot_of; // alloca -> slot
    struct weftc_barrier_sets live;
    uint32_t live_count, uniform_count;
    uint64_t state_per_item, private_bytes;
};

// ---- regions/build.c ----
// Makes the function of region `number`, with the attributes that ir/region_functions.h tells of.
weft_status weftc_region_build(struct weftc_splitter *s, struct weftc_walk *w, uint32_t number);

#endif
