// Two parts of a matrix that lie beside each other, such as a block and the panel left of it, have rows
// between each other's rows. But no column is in both: a column is what remains when multiples of the row
// length are taken away from a distance.
#include "compiler/checker/races/forms.h"

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Takes away the terms that are multiples of the factor. *common: what divides their coefficients too.
static bool take_rows(struct weftc_form *f, LLVMValueRef factor, uint64_t *common)
{
    unsigned left = 0;
    for (unsigned k = 0; k < f->count; k++) {
        const struct weftc_term t = f->term[k];
        if (weftc_form_same_value(t.factor[0], factor) || weftc_form_same_value(t.factor[1], factor))
            *common = divisor(t.coefficient, *common);
        else
            f->term[left++] = t;
    }
    const bool any = left < f->count;
    f->count = left;
    return any;
}

static LLVMValueRef by_factor(LLVMBuilderRef b, LLVMModuleRef module,
                              const struct weftc_form_accesses both[2], LLVMValueRef factor)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMValueRef zero = weftc_i64(c, 0), fine = LLVMConstInt(LLVMInt1TypeInContext(c), 1, false);
    struct weftc_form columns[2] = {*both[0].form, *both[1].form};
    struct weftc_extent extent[2];
    uint64_t common = 0;
    if (!take_rows(&columns[0], factor, &common) || !take_rows(&columns[1], factor, &common))
        return NULL;
    const struct weftc_form row = {
        .known = true,
        .count = 1,
        .term[0] = {.coefficient = common, .factor = {factor}, .value = weftc_i64(c, 1)}};
    const struct weftc_extent length = weftc_form_extent(b, module, &row, 0, 0);
    fine = LLVMBuildAnd(b, fine, length.known, "");
    for (unsigned k = 0; k < 2; k++) {
        extent[k] = weftc_form_extent(b, module, &columns[k], both[k].first, both[k].end);
        fine = LLVMBuildAnd(b, fine, extent[k].known, "");
        fine = LLVMBuildAnd(b, fine, LLVMBuildICmp(b, LLVMIntSLE, zero, extent[k].first, ""), "");
        fine = LLVMBuildAnd(b, fine, LLVMBuildICmp(b, LLVMIntSLE, extent[k].end, length.first, ""), "");
    }
    LLVMValueRef before = LLVMBuildICmp(b, LLVMIntSLE, extent[0].end, extent[1].first, ""),
                 behind = LLVMBuildICmp(b, LLVMIntSLE, extent[1].end, extent[0].first, "");
    return LLVMBuildAnd(b, fine, LLVMBuildOr(b, before, behind, ""), "");
}

LLVMValueRef weftc_form_columns_apart(LLVMBuilderRef b, LLVMModuleRef module,
                                      const struct weftc_form_accesses both[2])
{
    const struct weftc_form *f = both[0].form;
    for (unsigned k = 0; k < f->count; k++)
        for (unsigned n = 0; n < 2 && f->term[k].factor[n]; n++) {
            LLVMValueRef apart = by_factor(b, module, both, f->term[k].factor[n]);
            if (apart)
                return apart;
        }
    return NULL;
}
