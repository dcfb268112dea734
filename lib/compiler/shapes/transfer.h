// The transfer functions of the fixpoint over shapes. This header is for the files of shapes/ only.
#ifndef WEFTC_SHAPES_VALUES_H
#define WEFTC_SHAPES_VALUES_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/shapes/shapes.h"

struct weftc_step;

// Scratch memory of weftc_shape_find. The owner frees the list.
struct weftc_steps {
    struct weftc_step *list;
    unsigned capacity;
    bool no_memory; // memory ran out; shapes found since then are less precise
};

// The shape of instruction i, from the present shapes of its operands; WEFTC_UNKNOWN if one of them is
// unknown.
struct weftc_shape weftc_shape_find(const struct weftc_shapes *s, struct weftc_steps *scratch,
                                    LLVMValueRef i);

// ---- shapes/speculation.c ----
enum weftc_speculation {
    WEFTC_SPECULATED_NOTHING,
    WEFTC_SPECULATED_UNIFORM,
    WEFTC_SPECULATED_STRIDED,   // with stride one
    WEFTC_SPECULATED_UNCLAMPED, // a clamp or a mirror returns its operand
    WEFTC_SPECULATED_SHIFTED,   // a progression is shifted to the right, and doesn't wrap
    WEFTC_SPECULATED_UNWRAPPED, // a number that is truncated and extended again doesn't wrap
};
// The shape on which an instruction that varies otherwise may be speculated.
enum weftc_speculation weftc_speculation_of(const struct weftc_shapes *s, LLVMValueRef i);

// The shape of a value that has one of two shapes.
struct weftc_shape weftc_shape_meet(struct weftc_shape a, struct weftc_shape b);

#endif
