// Distances from an object's first byte, as sums of the work-item's ids and of what all work-items share
// (checker/forms.c), and when accesses at such distances can't meet. Used by checker/proofs.c.
#ifndef WEFTC_CHECKER_FORMS_H
#define WEFTC_CHECKER_FORMS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

enum { WEFTC_FORM_TERMS = 6 };

// coefficient * factor * value
struct weftc_term {
    uint64_t coefficient; // below 2^14
    LLVMValueRef factor;  // shared by all work-items; NULL: 1
    LLVMValueRef value;   // shared by all work-items; NULL: the id in dimension `dim`
    unsigned dim;
};

struct weftc_form {
    bool known;    // else nothing is known of the distance
    bool is_local; // ids are local ones; otherwise global ones
    bool narrow;   // parts are computed in less than 64 bits
    bool unsigned_parts;
    unsigned count;
    struct weftc_term term[WEFTC_FORM_TERMS];
    int64_t constant;
};

// The distance of the pointer from its object, which it is made from by indices and casts. *root: what
// remains. local: the object is local memory.
struct weftc_form weftc_form_of(LLVMTargetDataRef layout, LLVMValueRef pointer, bool local,
                                LLVMValueRef *root);
// Are the forms equal but for the constant?
bool weftc_form_fits(const struct weftc_form *a, const struct weftc_form *b);
// Emits code that finds whether accesses of different work-items, at this form plus constants in
// [first, end), are sure not to meet. The builder is in the kernel's entry, before its code.
LLVMValueRef weftc_form_is_apart(LLVMBuilderRef b, LLVMModuleRef module, const struct weftc_form *f,
                                 int64_t first, int64_t end);

#endif
