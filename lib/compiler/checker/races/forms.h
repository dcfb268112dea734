// Distances from an object's first byte, as sums of the work-item's ids and of what all work-items share
// (checker/races/forms.c), and when accesses at such distances can't meet. Used by checker/proofs.c.
#ifndef WEFTC_CHECKER_FORMS_H
#define WEFTC_CHECKER_FORMS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/ir/cfg.h"

enum { WEFTC_FORM_TERMS = 8 };

// Numbers that together tell work-items apart: ids in dimension d are WEFTC_AXIS_... + d.
enum { WEFTC_AXIS_GLOBAL = 0, WEFTC_AXIS_GROUP = 3, WEFTC_AXIS_LOCAL = 6, WEFTC_AXES = 9 };

// coefficient * factor[0] * factor[1] * value
struct weftc_term {
    uint64_t coefficient;   // below 2^14
    LLVMValueRef factor[2]; // shared by all work-items; NULL: 1
    LLVMValueRef value;     // shared by all work-items, or of `own`; NULL: the number of the axis
    unsigned axis;
    // Each work-item may have other values, also one after the other: i64, from low to high, which the caller
    // of weftc_form_extent finds.
    bool own;
    LLVMValueRef low, high;
};

// The terms of these axes, divided by `times`, are together below a limit for all that come here.
struct weftc_form_bound {
    LLVMValueRef limit; // shared by all work-items; NULL: there is no bound
    uint64_t times;
    int64_t more;  // of a constant that was compared with them
    unsigned axes; // as bits
};

struct weftc_form {
    bool known;    // else nothing is known of the distance
    bool is_local; // of local memory: only the work-items of a group are told apart
    bool narrow;   // parts are computed in less than 64 bits
    bool unsigned_parts;
    unsigned pinned;         // dimensions, as bits, in which only work-items of one local id come here
    LLVMValueRef pin[3];     // that id
    uint32_t low[3], end[3]; // only work-items of these local ids come here; end 0: of all
    struct weftc_form_bound bound;
    // Each work-item has bytes at so many such distances from each other; steps 0: at one.
    int64_t step;
    unsigned steps;
    unsigned count;
    struct weftc_term term[WEFTC_FORM_TERMS];
    int64_t constant;
};

// The distance of the pointer from its object, which it is made from by indices and casts. *root: what
// remains. local: the object is local memory.
struct weftc_form weftc_form_of(LLVMTargetDataRef layout, LLVMValueRef pointer, bool local,
                                LLVMValueRef *root);
// Who comes to the block: `pinned`, `low` and `end` of a form.
// blocks: of the kernel, the entry first.
void weftc_form_limit(struct weftc_form *f, const LLVMBasicBlockRef *blocks, const struct weftc_edges *edges,
                      const struct weftc_dominators *dominators, uint32_t block);
// Do work-items that run together have the same bytes, whatever the numbers are that only running code knows?
bool weftc_form_is_shared(const struct weftc_form *f);
// Are the forms equal but for the constant?
bool weftc_form_fits(const struct weftc_form *a, const struct weftc_form *b);
// Has it terms whose values each work-item has for itself?
bool weftc_form_has_own(const struct weftc_form *f);
// Are two shared values, or none, computed in the same way?
bool weftc_form_same_value(LLVMValueRef a, LLVMValueRef b);
// What running code finds of accesses at a form plus constants from `first` to before `end`.
struct weftc_extent {
    LLVMValueRef known;      // i1: all that follows is right
    LLVMValueRef apart;      // i1: those of different work-items don't meet
    LLVMValueRef solid;      // i1: between their first and their last byte there is none that they leave out
    LLVMValueRef first, end; // i64: they are within these bytes
};
// Emits code that finds it. The builder is in the kernel's entry, before its code.
struct weftc_extent weftc_form_extent(LLVMBuilderRef b, LLVMModuleRef module, const struct weftc_form *f,
                                      int64_t first, int64_t end);

// ---- checker/races/runs.c ----
// Bytes one after the other, and several parts of them in order.
struct weftc_run {
    int64_t first, end;
};
enum { WEFTC_MOST_RUNS = 16 };
struct weftc_runs {
    unsigned count;
    struct weftc_run run[WEFTC_MOST_RUNS];
};
void weftc_runs_add(struct weftc_runs *r, int64_t first, int64_t end);
// Parts of the same length and distance become steps of the form, and the first one is returned. Other ones
// become one.
struct weftc_run weftc_runs_make_steps(const struct weftc_runs *r, struct weftc_form *f);

// Accesses at a form plus constants.
struct weftc_form_accesses {
    const struct weftc_form *form;
    int64_t first, end;
};
// i1: those of two forms lie in different columns of a matrix whose row length is a factor of both
// (checker/races/columns.c). NULL: there is no such matrix.
LLVMValueRef weftc_form_columns_apart(LLVMBuilderRef b, LLVMModuleRef module,
                                      const struct weftc_form_accesses both[2]);

#endif
