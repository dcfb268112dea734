// The transfer functions of the fixpoint over shapes. For files of shapes/ alone.
#ifndef WEFTC_SHAPES_VALUES_H
#define WEFTC_SHAPES_VALUES_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/shapes/shapes.h"

struct weftc_step;

// Scratch of weftc_shape_find; its user frees the list.
struct weftc_steps {
    struct weftc_step *list;
    unsigned capacity;
    bool no_memory; // shapes found since then say less than they could
};

// The shape of instruction i as those of its operands have it now; WEFTC_UNKNOWN while one of them is unknown.
struct weftc_shape weftc_shape_find(const struct weftc_shapes *s, struct weftc_steps *scratch,
                                    LLVMValueRef i);

// ---- shapes/speculation.c ----
enum weftc_assumption {
    WEFTC_ASSUMED_NOTHING,
    WEFTC_ASSUMED_UNIFORM,
    WEFTC_ASSUMED_STRIDED,   // by one
    WEFTC_ASSUMED_UNCLAMPED, // a clamp's result is what was clamped
    WEFTC_ASSUMED_UNWRAPPED, // what is cut to fewer bits, and extended again, doesn't wrap there
};
// What may be assumed of an instruction of which nothing is known.
enum weftc_assumption weftc_assumption_of(const struct weftc_shapes *s, LLVMValueRef i);

// What is known of a value that has one shape or the other.
struct weftc_shape weftc_shape_meet(struct weftc_shape a, struct weftc_shape b);

#endif
