// workitem_loops/ builds the entry point `run`, which runs a range of work-groups: loops over the work-items
// around each region. The stage's entry, weftc_wiloops, is declared in compiler.h. This header is for the
// files of workitem_loops/ only: `run` while it is being built.
//
// Input: functions of regions for one work-item, and vectorized ones where there are some
// (ir/region_functions.h). Output: `run` and weft_kernel_info (weft/kernel_abi.h). workitem_loops must not
// know how code is vectorized, nor what the optimiser does.
//
// Functions that return a status fail only if memory runs out, unless they have a log.
#ifndef WEFTC_WORKITEM_LOOPS_H
#define WEFTC_WORKITEM_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "compiler/bridge/locate.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "weft/status.h"

struct weftc_kernel_options;

enum { WEFTC_MAX_DIMS = 3 };

// weft_kernel_info.scalar_cost of optimised code, in sixteenths.
enum { WEFTC_SCALAR_COST = 16 };

// The values that replace the primitives at the present place in the loop nest.
struct weftc_loops_place {
    LLVMValueRef value[WEFTC_PRIMITIVE_COUNT][WEFTC_MAX_DIMS];
};

struct weftc_loops_body {
    LLVMValueRef function;
    enum weftc_primitive *primitives; // passed as parameters, after the others
    unsigned *dims;
    unsigned primitive_count;
};

struct weftc_loops_region {
    struct weftc_loops_body scalar; // scalar: for one work-item
    bool scalar_is_outlined;        // it stays a function, which is hardly optimised
    bool scalar_is_called;          // it stays a function, for debuggers
    struct weftc_loops_body lanes;  // for a vector iteration; no function: there is none
    // interleaved: for `interleave_count` vectors, besides `lanes`; no function: there is none
    struct weftc_loops_body interleaved;
    unsigned interleave_count;
    // tail folding: for fewer work-items than lanes, instead of `one`; no function: there is none
    struct weftc_loops_body tail;
    LLVMBasicBlockRef begin;
    LLVMBasicBlockRef nest, end; // the blocks of the nest, without `begin`: from `nest` to `end`
};

struct weftc_loops {
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMBuilderRef b;
    const struct weftc_kernel_options *options;
    struct weftc_loops_region *regions;
    unsigned region_count;
    unsigned lanes;     // work-items in one call of struct weftc_loops_region.lanes
    unsigned sub_group; // maximum number of work-items in a sub-group; 0: the kernel doesn't use sub-groups
    // work-items in each sub-group but the last, for the size of the group at hand
    LLVMValueRef sub_group_size;
    LLVMValueRef run, *arguments;
    unsigned argument_count;
    LLVMValueRef *uniforms; // stack slots of run, by number of the uniform value; NULL until first used
    unsigned uniform_count;
    bool scheduled; // work-items run one by one, each in its own region (workitem_loops/item_scheduler.c)
    bool group_independence, span;
    bool small_ids; // global ids are below 2^31, so 32-bit ids never wrap
    // work-items of dimensions 0 and 1 run in tiles (vectorize/tiling.c); implies `span`
    bool tiles;
    unsigned lane_dimension; // the launch's dimension that is dimension 0 here (prepare/swap_dimensions.c)
    uint32_t scalar_cost;    // for weft_kernel_info
    LLVMMetadataRef items;
    // Debug information (workitem_loops/debug_info.c). NULL: there is none.
    LLVMDIBuilderRef di;
    LLVMMetadataRef location;               // of the calls of regions' functions
    LLVMMetadataRef located[WEFTC_LOCATED]; // the variables; only with options->locate
    // With options->variables: a stack slot with the address of the work-item's frame. NULL: none.
    LLVMValueRef item;
    unsigned asked_dims; // dimensions of ids that the kernel asks for; at least 1
    struct weftc_loops_place at;
    LLVMBasicBlockRef entry;
};

// ---- small pieces of code, built at the builder's position (workitem_loops/nest.c) ----
LLVMTypeRef weftc_loops_i64(const struct weftc_loops *l);
LLVMBasicBlockRef weftc_loops_block(struct weftc_loops *l, const char *name); // a new block at the end of run
LLVMValueRef weftc_loops_minimum(struct weftc_loops *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef weftc_loops_add(struct weftc_loops *l, LLVMValueRef a, LLVMValueRef b); // a sum that can't wrap
// Loads a field, `offset` bytes into the structure at `base`.
LLVMValueRef weftc_loops_field(struct weftc_loops *l, LLVMValueRef base, size_t offset, LLVMTypeRef type);
// A new stack slot of run. It becomes a register later.
LLVMValueRef weftc_loops_slot(struct weftc_loops *l, LLVMTypeRef type);

// A bottom-tested loop. Between weftc_loop_open and weftc_loop_close the builder is in its body.
struct weftc_loop {
    LLVMBasicBlockRef body;
    LLVMValueRef index;
};
void weftc_loop_open(struct weftc_loops *l, struct weftc_loop *loop, LLVMValueRef start, const char *name);
// Adds another PHI to the loop that was just opened. before: the block from which the loop was entered. The
// caller adds the value from the latch, before weftc_loop_close.
LLVMValueRef weftc_loop_induction(struct weftc_loops *l, LLVMValueRef start, LLVMBasicBlockRef before);
// Ends the body: it runs again if `next` < `end`. Returns the branch back. The builder is after the loop
// then.
LLVMValueRef weftc_loop_close(struct weftc_loops *l, struct weftc_loop *loop, LLVMValueRef next,
                              LLVMValueRef end);

// ---- workitem_loops/nest.c ----

// Builds the loops over the work-items of one group (or span) around the region. base: the first global id in
// each dimension; size: the number of work-items. next: a slot for the number of the next region; NULL: not
// needed. The builder is after the nest then.
weft_status weftc_loops_nest(struct weftc_loops *l, struct weftc_loops_region *r, const LLVMValueRef base[3],
                             const LLVMValueRef size[3], LLVMValueRef next);
// Builds the call of a single-item region, which the first work-item runs for the whole group. base, next: as
// for weftc_loops_nest.
weft_status weftc_loops_single_item(struct weftc_loops *l, struct weftc_loops_region *r,
                                    const LLVMValueRef base[3], LLVMValueRef next);
// Builds the call of a region for one work-item. local: its local ids; item: its number in the group. base,
// next: as for weftc_loops_nest.
weft_status weftc_loops_item(struct weftc_loops *l, struct weftc_loops_region *r, const LLVMValueRef local[3],
                             LLVMValueRef item, const LLVMValueRef base[3], LLVMValueRef next);
// Reads the next number of a list in a string attribute of a region's function. *at: NULL for the first call,
// then left to this function. Returns false at the end of the list.
bool weftc_region_number(LLVMValueRef f, enum weftc_fact attribute, const char **at, unsigned *number);

// ---- workitem_loops/item_scheduler.c ----

// Builds the code that runs all regions of the group, each work-item in its own order. base, size: as for
// weftc_loops_nest. The builder is after that code then.
weft_status weftc_loops_scheduled(struct weftc_loops *l, const LLVMValueRef base[3],
                                  const LLVMValueRef size[3]);

// ---- workitem_loops/loop_order.c ----

// Should the loops over x and y be interchanged? So they should if many of the vectors that the region loads
// don't depend on the row.
bool weftc_loops_interchanges(const struct weftc_loops_region *r);

// ---- workitem_loops/sub_groups.c ----

// Compute what the kernel may ask about sub-groups: once in a launch, and once for each group. full: the
// group has the launch's local size.
void weftc_loops_sub_groups_of_launch(struct weftc_loops *l);
void weftc_loops_sub_groups_of_group(struct weftc_loops *l, const LLVMValueRef size[3], bool full);

// ---- workitem_loops/debug_info.c ----

// Around the building of `run`, after it has been declared: make and finish its debug information, if the
// options ask for some.
void weftc_loops_debug_begin(struct weftc_loops *l);
void weftc_loops_debug_end(struct weftc_loops *l);
// Describes a call of a region's function, for the work-items at l->at: `items` along dimension 0, or fewer
// in a folded tail.
void weftc_loops_debug_call(struct weftc_loops *l, LLVMValueRef call, unsigned items);
// With options->variables, else these do nothing.
// Describes a region's function, before its primitives become parameters.
void weftc_loops_debug_region(struct weftc_loops *l, unsigned number);
// Makes l->item, at the beginning of `run`.
void weftc_loops_debug_slot(struct weftc_loops *l);
// Before each call of a region's function: writes the ids of the work-item at l->at to its frame.
void weftc_loops_debug_item(struct weftc_loops *l);
// Describes the variables of `run`, when it is complete.
void weftc_loops_debug_variables(struct weftc_loops *l);
// Bytes of the state arena that a group needs for the frame of the one work-item that runs.
uint64_t weftc_loops_debug_fixed(const struct weftc_loops *l);

// ---- workitem_loops/touches.c ----
// Expands what looks for races; before host_calls.c lowers what is left of it.
void weftc_loops_touches(struct weftc_loops *l);

// ---- workitem_loops/host_calls.c ----
void weftc_loops_info(struct weftc_loops *l); // makes weft_kernel_info
// lowers printf and the other calls to the host; before primitives become parameters
void weftc_loops_host_calls(struct weftc_loops *l);
// Emits a call of weft_kernel_host.device_call with no other arguments than what is asked for.
LLVMValueRef weftc_loops_device_call(struct weftc_loops *l, uint32_t what);

#endif
