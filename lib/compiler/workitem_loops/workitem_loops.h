// workitem_loops/ makes the entry point `run` over a range of work-groups: loops over the work-items around each region. The stage
// weftc_wiloops (compiler.h) is here; this header is for files of workitem_loops/ alone: `run` while it is built.
//
// Comes in: functions of regions for one work-item, and for several where there are some (ir/region_functions.h). Goes out: `run` and
// weft_kernel_info (weft/kernel_abi.h). Must not know: how lanes are made, and what the optimiser does.
#ifndef WEFTC_WORKITEM_LOOPS_H
#define WEFTC_WORKITEM_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "weft/status.h"

struct weftc_kernel_options;

enum { WEFTC_MAX_DIMS = 3 };

// weft_kernel_info.scalar_cost of optimised code.
enum { WEFTC_SCALAR_COST = 16 };

// The nest that is being built; also what the region function's primitives are replaced by.
struct weftc_loops_place {
    LLVMValueRef value[WEFTC_PRIMITIVE_COUNT][WEFTC_MAX_DIMS];
};

struct weftc_loops_body {
    LLVMValueRef function;
    enum weftc_primitive *primitives; // handed over as parameters, behind the others
    unsigned *dims;
    unsigned primitive_count;
};

struct weftc_loops_region {
    struct weftc_loops_body one;   // for one work-item
    bool one_is_apart;             // it stays a function, which is made quickly
    struct weftc_loops_body lanes; // for as many as there are lanes; no function: there is none
    struct weftc_loops_body wide;  // for `times` as many, beside `lanes`; no function: there is none
    unsigned times;
    struct weftc_loops_body masked; // for fewer, instead of `one`; no function: there is none
    LLVMBasicBlockRef begin;
    LLVMBasicBlockRef nest, end; // blocks of the nest but for `begin`: those from the one up to the other
};

struct weftc_loops {
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMBuilderRef b;
    const struct weftc_kernel_options *options;
    struct weftc_loops_region *regions;
    unsigned region_count;
    unsigned lanes;     // work-items in one call of struct weftc_loops_region.lanes
    unsigned sub_group; // work-items in a sub-group at most; 0: nothing in the kernel knows of sub-groups
    LLVMValueRef sub_group_size; // work-items in all but the last, in groups of the size at hand
    LLVMValueRef run, *arguments;
    unsigned argument_count;
    LLVMValueRef *uniforms; // stack slots of run, by number; made when first met
    unsigned uniform_count;
    bool scheduled; // work-items one by one, each where it is (workitem_loops/item_scheduler.c)
    bool group_independence, span;
    bool small_ids;       // global ids are below 2^31: narrow ones never wrap
    bool tiles;           // of work-items of dimensions 0 and 1 (vectorize/tiling.c); then `span` too
    unsigned along;       // dimension of the launch that is 0 here (prepare/swap_dimensions.c)
    uint32_t scalar_cost; // as weft_kernel_info has it
    LLVMMetadataRef items;
    struct weftc_loops_place at;
    LLVMBasicBlockRef entry;
};

// ---- small pieces of code, at the builder (workitem_loops/nest.c) ----
LLVMTypeRef weftc_loops_i64(const struct weftc_loops *l);
LLVMBasicBlockRef weftc_loops_block(struct weftc_loops *l, const char *name); // a new one, at run's end
LLVMValueRef weftc_loops_minimum(struct weftc_loops *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef weftc_loops_add(struct weftc_loops *l, LLVMValueRef a, LLVMValueRef b); // a sum that can't wrap
// Loads a field, `offset` bytes into the structure at base.
LLVMValueRef weftc_loops_field(struct weftc_loops *l, LLVMValueRef base, size_t offset, LLVMTypeRef type);
// A stack slot of run; promoted to a register afterwards.
LLVMValueRef weftc_loops_slot(struct weftc_loops *l, LLVMTypeRef type);

// One bottom-tested loop: between open and close the builder is in its body.
struct weftc_loop {
    LLVMBasicBlockRef body;
    LLVMValueRef index;
};
void weftc_loop_open(struct weftc_loops *l, struct weftc_loop *loop, LLVMValueRef start, const char *name);
// Another PHI of the loop just opened, which was entered from `before`; what comes in from the latch is added by
// who asks, ahead of weftc_loop_close.
LLVMValueRef weftc_loop_induction(struct weftc_loops *l, LLVMValueRef start, LLVMBasicBlockRef before);
// Runs the body again while `next` < end. Returns the branch back.
LLVMValueRef weftc_loop_close(struct weftc_loops *l, struct weftc_loop *loop, LLVMValueRef next,
                              LLVMValueRef end);

// ---- workitem_loops/nest.c ----
// The loops over the work-items of one group (or span), of this base and size in each dimension, around the
// region. next: where it stores the region to go to; NULL: nowhere. Leaves the builder behind the nest.
weft_status weftc_loops_nest(struct weftc_loops *l, struct weftc_loops_region *r, const LLVMValueRef base[3],
                             const LLVMValueRef size[3], LLVMValueRef next);
// The call of a region that one work-item, the first, runs for all of the group.
weft_status weftc_loops_single_item(struct weftc_loops *l, struct weftc_loops_region *r,
                                    const LLVMValueRef base[3], LLVMValueRef next);
// The call of a region for the one work-item with these local ids, number `item` of the group.
weft_status weftc_loops_one(struct weftc_loops *l, struct weftc_loops_region *r, const LLVMValueRef local[3],
                            LLVMValueRef item, const LLVMValueRef base[3], LLVMValueRef next);
// A list of numbers in a string attribute of a region's function, one at a call. *at begins NULL.
bool weftc_region_number(LLVMValueRef f, enum weftc_fact attribute, const char **at, unsigned *number);

// ---- workitem_loops/item_scheduler.c ----
// All regions of the group, each work-item in those that it comes to. Leaves the builder behind them.
weft_status weftc_loops_scheduled(struct weftc_loops *l, const LLVMValueRef base[3],
                                  const LLVMValueRef size[3]);

// ---- workitem_loops/loop_order.c ----
// Do many vectors that the region's lanes load not depend on the row?
bool weftc_loops_interchanges(const struct weftc_loops_region *r);

// ---- workitem_loops/sub_groups.c ----
// What the kernel may ask of sub-groups: once a launch, and for each group (full: it is as large as the launch says).
void weftc_loops_sub_groups_of_launch(struct weftc_loops *l);
void weftc_loops_sub_groups_of_group(struct weftc_loops *l, const LLVMValueRef size[3], bool full);

// ---- workitem_loops/host_calls.c ----
void weftc_loops_info(struct weftc_loops *l);       // weft_kernel_info
void weftc_loops_host_calls(struct weftc_loops *l); // printf and such, before primitives become parameters

#endif
