// One attempt to make a function for all lanes (vectorize/attempt.c). For files of vectorize/ alone.
#ifndef WEFTC_VECTORIZE_ATTEMPT_H
#define WEFTC_VECTORIZE_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

struct weftc_shape;
struct weftc_shapes;
struct weftc_nontemporal;
struct weftc_target;
struct weftc_vec_callees;
struct weftc_vec_cost;
struct weftc_vec_made;
struct weftc_vec_tiling;

// Reasons why there are no lanes.
extern const char weftc_vec_too_dear[], weftc_vec_too_entangled[];
bool weftc_vec_is_entangled(LLVMValueRef f); // it isn't even tried

// How a region is tried.
struct weftc_vec_attempt {
    LLVMValueRef form;
    const char *name; // of the function that is made
    uint32_t lanes;
    bool forced;                       // whatever it costs
    bool assumes;                      // what may be assumed of it, too
    bool alone;                        // it is the kernel's only one
    const struct weftc_target *target; // NULL: nobody wants to know about twice the lanes
    // A function for a step of fewer lanes, narrow_lanes, to be done where what is assumed of this one doesn't hold.
    LLVMValueRef narrow;
    uint32_t narrow_lanes;
    struct weftc_vec_callees *callees;
    struct weftc_nontemporal *streams; // NULL: no store goes past the caches
};

// The function `name` for s->lanes work-items; NULL and a reason when there is none. cost: as weftc_vec_pays.
weft_status weftc_vec_emit_attempt(const struct weftc_vec_attempt *a, struct weftc_shapes *s,
                                   const char *name, LLVMValueRef *result, struct weftc_vec_cost *cost,
                                   const char **reason);
// As struct weftc_vec_callees wants it.
weft_status weftc_vec_vectorize_called(struct weftc_vec_callees *c, LLVMValueRef form,
                                       const struct weftc_shape *shapes, uint32_t lanes,
                                       struct weftc_vec_made *made);
// Tries what may be assumed of the region in form. *result: the function so far, NULL when there is none; replaced
// where that makes it much better.
weft_status weftc_vec_attempt_assumed(const struct weftc_vec_attempt *a, LLVMValueRef *result,
                                      struct weftc_vec_cost *cost, const char **reason);
// Is that worth a try?
bool weftc_vec_may_assume(const struct weftc_shapes *s, LLVMValueRef result, const char *reason);
// *result: the function; NULL: there is none, for *reason. tiling: what weftc_vec_tiles says; may be NULL.
weft_status weftc_vec_attempt_form(const struct weftc_vec_attempt *a, LLVMValueRef *result,
                                   struct weftc_vec_cost *cost, const char **reason,
                                   struct weftc_vec_tiling *tiling);

#endif
