// One attempt to make a function for all lanes (vectorize/attempt.c). For files of vectorize/ alone.
#ifndef WEFTC_VECTORIZE_ATTEMPT_H
#define WEFTC_VECTORIZE_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/vectorize.h"
#include "weft/status.h"

struct weftc_shape;
struct weftc_kernel_options;
struct weftc_shapes;
struct weftc_nontemporal;
struct weftc_target;
struct weftc_vec_callees;
struct weftc_vec_made;
struct weftc_vec_notes;

// Reasons why there are no lanes, as outcomes have them.
extern const char weftc_vec_too_expensive[], weftc_vec_too_crowded[], weftc_vec_too_shuffled[],
    weftc_vec_too_entangled[];

// What is to be attempted, and how.
struct weftc_vec_attempt {
    LLVMValueRef canonical; // the region in canonical form
    const char *name;       // of the function that is made
    uint32_t lanes;
    // Elements of OpenCL's vectors that an operation of the scalar code handles on average, in
    // 1/WEFTC_BY_HAND_UNIT (cost/cost.h).
    uint32_t by_hand;
    uint32_t vectors; // the same of operations on vectors only; 0: these are a small part of the work
    // What as many work-items cost in scalar code at least (weftc_vec_pays). 0: that isn't known.
    uint64_t one_by_one;
    // Scalar code's cost without speculation is compared with lanes' cost in a fast path, where it is more.
    bool compares_plain;
    bool forced;      // whatever it costs
    bool speculates;  // versions of it may be made, too
    bool only_region; // the kernel has no other region
    // The slow path of versions is a loop over work-items, since the kernel has very many regions.
    bool slow_in_scalar;
    bool noted;                        // a report is wanted: outcomes get notes
    const struct weftc_target *target; // NULL: interleaving isn't looked at
    // A function for a vector iteration of fewer lanes, narrow_lanes. It runs where what is speculated of
    // this one doesn't hold.
    LLVMValueRef narrow;
    uint32_t narrow_lanes;
    struct weftc_vec_callees *callees;
    struct weftc_nontemporal *nontemporal; // NULL: no store is non-temporal
};

// Fills by_hand and vectors of a: for the region's scalar code, on a->target.
void weftc_vec_find_by_hand(struct weftc_vec_attempt *a, LLVMValueRef region);

// Makes the function `name` for s->lanes work-items, without versions. *o: what came of it.
weft_status weftc_vec_emit_attempt(const struct weftc_vec_attempt *a, struct weftc_shapes *s,
                                   const char *name, struct weftc_vec_outcome *o);
// What struct weftc_vec_callees calls for each callee.
weft_status weftc_vec_vectorize_called(struct weftc_vec_callees *c, LLVMValueRef canonical,
                                       const struct weftc_shape *shapes, uint32_t lanes,
                                       struct weftc_vec_made *made);
// Makes the function for the region a->canonical: with versions, where that makes it much better. tiling:
// what weftc_vec_tiles says; may be NULL.
weft_status weftc_vec_attempt_region(const struct weftc_vec_attempt *a, struct weftc_vec_outcome *o,
                                     struct weftc_vec_tiling *tiling);
// The same with so many lanes, after an attempt that came to nothing: a->lanes and a->canonical change, and
// *o is that of the new attempt.
weft_status weftc_vec_attempt_again(struct weftc_vec_attempt *a, LLVMValueRef region, uint32_t lanes,
                                    const struct weftc_kernel_options *options, struct weftc_vec_outcome *o,
                                    struct weftc_vec_tiling *tiling);

#endif
