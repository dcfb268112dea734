// vectorize/legalize/ brings a region, or a function that regions call, into the form that lanes are made of, and says what can't have lanes.
//
// Comes in: a function of a region, or a callee. Goes out: a copy in canonical form, or the reason why there are no lanes. Must not know: what
// lanes cost, and how they are emitted. Who vectorizes callees is told by a function pointer.
#ifndef WEFTC_VECTORIZE_LEGALIZE_H
#define WEFTC_VECTORIZE_LEGALIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

struct weftc_flow;
struct weftc_flow_loop;
struct weftc_kernel_options;
struct weftc_shape;
struct weftc_shapes;
struct weftc_target;
struct weftc_vec;

// ---- vectorize/legalize/canonicalize.c ----
enum { WEFTC_VEC_HUGE = 10000, WEFTC_VEC_LARGE = 400 }; // regions, in instructions
bool weftc_vec_is_large(LLVMValueRef f, size_t most);   // has it more instructions?
// A copy of a region or of a function that one calls, of that name, in the form that lanes are made of.
LLVMValueRef weftc_vec_canonicalize(LLVMValueRef region, const char *name, uint32_t lanes,
                                    const struct weftc_target *target,
                                    const struct weftc_kernel_options *options);
// *reason: NULL when nothing speaks against lanes; *at: the instruction that does.
weft_status weftc_vec_why_not(const struct weftc_shapes *s, const char **reason, LLVMValueRef *at);

// ---- vectorize/legalize/spin_loops.c ----
// *for_what: the access in a loop in which lanes wait for what others do behind it, and would for ever; NULL: there is none.
weft_status weftc_vec_inter_lane_wait(const struct weftc_shapes *s, LLVMValueRef *for_what);

// ---- vectorize/legalize/tail_folding.c ----
// f, in form, then runs for the first WEFTC_LANES_LEFT lanes alone.
void weftc_vec_fold_tail(LLVMValueRef f);
// f, in form, then runs for those lanes for which condition, a parameter, is true.
void weftc_vec_mask_by(LLVMValueRef f, LLVMValueRef condition);

// ---- vectorize/legalize/unroll_rows.c ----
// Unrolls the loops of form in which each lane goes along a row of its own, as far as memory suffices.
void weftc_vec_unroll_rows(LLVMValueRef form, uint32_t lanes, const struct weftc_target *target);
// How many rounds that has made one of the loop, or of that to which the loop is the rest; 1 for others.
unsigned weftc_vec_trip_count(const struct weftc_flow *g, uint32_t loop);
// Does LLVM make lanes of the loop's rounds where work-items run alone?
bool weftc_vec_rounds_have_lanes(const struct weftc_vec *v, const struct weftc_flow_loop *loop);
// Has the region such a loop along rows that lanes would gather?
bool weftc_vec_has_rows_with_lanes(const struct weftc_vec *v);

// ---- vectorize/legalize/callees.c: functions that lanes call together ----
struct weftc_vec_made {
    LLVMValueRef vector;     // NULL: there is none, for reason
    uint64_t at_once, alone; // what running it costs for all lanes, and for each
    const char *reason;
};
struct weftc_vec_callee {
    LLVMValueRef function;
    LLVMValueRef vector; // NULL: there is none, and lanes call one after the other
    uint32_t lanes;
    bool masked;             // not all lanes call it: which do so is the last argument
    uint64_t at_once, alone; // what a call of all lanes costs, and one of each
    struct weftc_shape *shapes;
};
// Those of one kernel.
struct weftc_vec_callees {
    struct weftc_vec_callee **list;
    uint32_t count, capacity;
    const struct weftc_target *target;
    const struct weftc_kernel_options *options;
    // Makes the function for all lanes of a form whose parameters have these shapes.
    weft_status (*vectorize)(struct weftc_vec_callees *c, LLVMValueRef form, const struct weftc_shape *shapes,
                             uint32_t lanes, struct weftc_vec_made *made);
};
void weftc_vec_callees_free(struct weftc_vec_callees *c);
// Makes the functions for all calls of the region, so that they can be asked for. Call it once, before the cost is asked.
void weftc_vec_make_callees(struct weftc_vec *v);
const struct weftc_vec_callee *weftc_vec_callee_of(const struct weftc_vec *v,
                                                   LLVMValueRef i); // NULL: it is none
// Do all lanes do that together?
bool weftc_vec_is_together(const struct weftc_vec *v, LLVMValueRef i);
// In the units of weftc_vec_work: of a call for each lane, and of one for all. False: i is no such call.
bool weftc_vec_call_costs(const struct weftc_vec *v, LLVMValueRef i, uint64_t *alone, uint64_t *at_once);

#endif
