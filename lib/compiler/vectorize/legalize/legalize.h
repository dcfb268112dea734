// vectorize/legalize/ brings a region, or a function that regions call, into canonical form, and finds what
// can't have lanes.
//
// In: a function of a region, or a callee. Out: a copy in canonical form, or the reason why there are no
// lanes. This folder doesn't know what lanes cost, or how they are emitted. Vectorizing a
// callee is the task of vectorize/, which hands a function pointer for that (struct weftc_vec_callees).
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
enum { WEFTC_VEC_HUGE = 10000, WEFTC_VEC_LARGE = 400 }; // sizes of regions, in instructions
bool weftc_vec_is_large(LLVMValueRef f, size_t max);    // has f more instructions than that?
// Inlines the calls of functions that code with lanes is to have inlined. Returns false if LLVM can't.
bool weftc_vec_inline_for_lanes(LLVMValueRef f);
// A copy, of that name, of a region or of a function that one calls, in canonical form.
LLVMValueRef weftc_vec_canonicalize(LLVMValueRef region, const char *name, uint32_t lanes,
                                    const struct weftc_target *target,
                                    const struct weftc_kernel_options *options);
// *reason: why the function can't have lanes; NULL: it can. *at: the instruction that is the reason; may be
// NULL.
weft_status weftc_vec_why_not(const struct weftc_shapes *s, const char **reason, LLVMValueRef *at);

// ---- vectorize/legalize/entangled.c ----
// Has the function a large loop that can be entered at several blocks? Lanes are hopeless then.
weft_status weftc_vec_is_entangled(LLVMValueRef f, bool *entangled);

// ---- vectorize/legalize/spin_loops.c ----
// Finds a loop in which lanes would wait for ever: what they wait for is done by other lanes after the loop.
// *for_what: the access that the loop waits on; NULL: there is no such loop.
weft_status weftc_vec_inter_lane_wait(const struct weftc_shapes *s, LLVMValueRef *for_what);

// ---- vectorize/legalize/tail_folding.c ----
// Makes f, in canonical form, run for the first WEFTC_LANES_LEFT lanes only.
void weftc_vec_fold_tail(LLVMValueRef f);
// Makes f, in canonical form, run only for lanes for which `condition`, a parameter of f, is true.
void weftc_vec_mask_by(LLVMValueRef f, LLVMValueRef condition);

// ---- vectorize/legalize/split_loads.c ----
// Puts loads of an address that depends on a branch back into the arms of that branch, where that gives lanes
// regular addresses.
void weftc_vec_split_loads(LLVMValueRef f, uint32_t lanes);

// ---- vectorize/legalize/switches.c ----
// Makes selects of switches that only choose between values.
void weftc_vec_switches_as_selects(LLVMValueRef f);

// ---- vectorize/legalize/vector_casts.c ----
// Makes shifts of casts between numbers and vectors. Returns whether there were any.
bool weftc_vec_split_casts(LLVMValueRef f);

// ---- vectorize/legalize/unroll_rows.c ----
// Unrolls the loops of `canonical` in which each lane goes along a row of its own.
void weftc_vec_unroll_rows(LLVMValueRef canonical, uint32_t lanes, const struct weftc_target *target);
// How many iterations of the source's loop one iteration runs, after unrolling. For a remainder loop: the
// number of its unrolled loop. 1 for loops that weren't unrolled.
unsigned weftc_vec_trip_count(const struct weftc_flow *g, uint32_t loop);
// Keeps LLVM from unrolling those loops of a region without lanes that would be divergent over the lanes.
weft_status weftc_vec_keep_rolled(LLVMValueRef region, uint32_t lanes);
// Does LLVM vectorize the loop in scalar code?
bool weftc_vec_llvm_vectorizes(const struct weftc_vec *v, const struct weftc_flow_loop *loop);
// Has the region such a loop along rows that lanes would gather?
bool weftc_vec_has_rows_with_lanes(const struct weftc_vec *v);

// ---- vectorize/legalize/callees.c: functions that lanes call together ----
struct weftc_vec_made {
    LLVMValueRef vector;      // NULL: there is none, for `reason`
    uint64_t at_once, scalar; // what a call of all lanes costs, and one of as many work-items
    const char *reason;
};
struct weftc_vec_callee {
    LLVMValueRef function;
    LLVMValueRef vector; // NULL: there is none, and lanes call one after the other
    uint32_t lanes;
    bool masked;              // not all lanes call it, and the last argument is the mask of those that do
    uint64_t at_once, scalar; // what a call of all lanes costs, and one of as many work-items
    struct weftc_shape *shapes;
};
// The callees of one kernel.
struct weftc_vec_callees {
    struct weftc_vec_callee **list;
    uint32_t count, capacity;
    const struct weftc_target *target;
    const struct weftc_kernel_options *options;
    // Makes the function for all lanes of `canonical`, whose parameters have these shapes.
    weft_status (*vectorize)(struct weftc_vec_callees *c, LLVMValueRef canonical,
                             const struct weftc_shape *shapes, uint32_t lanes, struct weftc_vec_made *made);
};
void weftc_vec_callees_free(struct weftc_vec_callees *c);
// Makes the functions for all calls of the region, and settles the kinds of these calls in v->calls. To be
// called once, after v is classified and before the cost is asked for.
void weftc_vec_make_callees(struct weftc_vec *v);
// Once all regions have lanes: scalar code beside lanes shares functions with other code
// (prepare/image_versions.c), instead of having its own.
void weftc_vec_share_scalar_versions(LLVMModuleRef module);
// About the size of a function in which all calls are inlined. Inlined image reads share a quarter of their
// code.
uint64_t weftc_vec_size_with_callees(LLVMValueRef f);

#endif
