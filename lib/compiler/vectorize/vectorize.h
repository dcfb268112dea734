// vectorize/ decides which regions get a function for several work-items at once, a lane each, and of what kind. The stage weftc_vectorize
// (compiler.h) is here; what it takes to make such a function is in the folders below:
//
//     access/    what each instruction is over the lanes     legalize/  the form that lanes are made of
//     cost/      what a step of all lanes costs              emit/      the code
//
// Comes in: the functions of regions, for one work-item. Goes out: functions for several beside them, and facts (ir/module_facts.h). Must not
// know: how work-items are looped over.
#ifndef WEFTC_VECTORIZE_H
#define WEFTC_VECTORIZE_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/vectorize/cost/cost.h"
#include "weft/status.h"

struct weft_buf;
struct weftc_kernel_options;
struct weftc_shapes;
struct weftc_target;
struct weftc_vec;

// ---- vectorize/vectorize.c ----
// What vectorize does with each region and why, in words. Called in its place.
weft_status weftc_vectorize_report(LLVMModuleRef module, const struct weftc_target *target,
                                   const struct weftc_kernel_options *options, struct weft_buf *out);
// The shapes of all values after regions, as text.
weft_status weftc_shapes_dump(LLVMModuleRef module, const struct weftc_target *target,
                              const struct weftc_kernel_options *options, struct weft_buf *out);

// ---- vectorize/tiling.c ----
struct weftc_vec_tiling {
    // Work-items that follow each other along dimension 1 often touch one line of memory, those along dimension 0 lines far
    // from each other.
    bool tiles;
    bool swap_dimensions; // all accesses are so: lanes are better off along dimension 1
    bool bound;           // some are better off as it is
};
weft_status weftc_vec_tiles(const struct weftc_shapes *s, struct weftc_vec_tiling *tiling);

// ---- vectorize/versioning.c ----
// Would some shape be better if one assumed what holds in most steps?
bool weftc_vec_speculates(const struct weftc_shapes *s);
// A copy of form in which a branch at its beginning, that usually goes one way, always does; *condition, in the copy, says
// whether it does. NULL: there is none.
LLVMValueRef weftc_vec_specialize_likely(LLVMValueRef form, LLVMValueRef *condition);
// *result, of that name: does what `assumed` does, if what s assumes holds and so does `usual` (a value of the function of which
// s is; may be NULL), and else what `any` does; that may be NULL, then form, which runs `step` work-items, does that as often as it must.
// Both are gone afterwards.
weft_status weftc_vec_version(const struct weftc_shapes *s, LLVMValueRef form, uint32_t step,
                              LLVMValueRef usual, const char *name, LLVMValueRef assumed, LLVMValueRef any,
                              LLVMValueRef *result);

// ---- vectorize/report.c ----
struct weftc_vec_outcome {
    const char *reason; // why the region isn't vectorized; NULL: it is
    LLVMValueRef at;    // what is to blame; NULL: no single instruction
    struct weftc_vec_cost cost;
};
// Source lines are in it where the front end left them (-weft-report).
void weftc_vec_report(const struct weftc_vec *v, unsigned region, const struct weftc_vec_outcome *outcome,
                      struct weft_buf *out);

#endif
