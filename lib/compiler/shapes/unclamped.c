// What follows from clamps and mirrors that are speculated not to change their value
// (shapes/speculation.c): sums whose parts are at constant distances, and comparisons with the size that is
// clamped to.
#include <llvm-c/Core.h>

#include "compiler/shapes/shapes.h"

enum { FAR = 1 << 30 }; // larger constants stay part of what is clamped

LLVMValueRef weftc_unclamped(const struct weftc_shapes *s, LLVMValueRef i)
{
    LLVMValueRef other, value;
    if (!LLVMIsACallInst(i) || !weftc_shape_is_speculated(s, i))
        return NULL;
    value = weftc_speculated_clamp(s, i, &other);
    return value ? value : weftc_speculated_mirror(s, i, &other);
}

LLVMValueRef weftc_without_constant(const struct weftc_shapes *s, LLVMValueRef value, int64_t *constant)
{
    LLVMValueRef inner;
    *constant = 0;
    while (LLVMIsAInstruction(value)) {
        if ((inner = weftc_unclamped(s, value))) {
            value = inner;
            continue;
        }
        LLVMValueRef by =
            LLVMGetInstructionOpcode(value) == LLVMAdd ? LLVMIsAConstantInt(LLVMGetOperand(value, 1)) : NULL;
        int64_t sum = *constant + (by ? LLVMConstIntGetSExtValue(by) % FAR : 0);
        if (!by || LLVMConstIntGetSExtValue(by) >= FAR || LLVMConstIntGetSExtValue(by) <= -FAR ||
            sum >= FAR || sum <= -FAR)
            break;
        *constant = sum;
        value = LLVMGetOperand(value, 0);
    }
    return value;
}

// The user of `value` that clamps it, to a least value (greater) or to a greatest one, and is speculated not
// to change it; *bound: that least or greatest value. NULL: there is none.
static LLVMValueRef clamp_of_value(const struct weftc_shapes *s, LLVMValueRef value, bool greater,
                                   LLVMValueRef *bound)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        struct weftc_clamp clamp;
        if (LLVMIsACallInst(user) && weftc_clamp_of(user, &clamp) && clamp.is_signed &&
            clamp.greater == greater && weftc_speculated_clamp(s, user, bound) == value &&
            weftc_shape_is_speculated(s, user))
            return user;
    }
    return NULL;
}

static bool is_one_less_than(LLVMValueRef value, LLVMValueRef size)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAdd &&
           LLVMGetOperand(value, 0) == size && LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
           LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1)) == -1;
}

bool weftc_is_within_clamps(const struct weftc_shapes *s, LLVMValueRef i)
{
    if (!LLVMIsAICmpInst(i))
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(i);
    if (p != LLVMIntULT && p != LLVMIntUGT)
        return false;
    LLVMValueRef value = LLVMGetOperand(i, p == LLVMIntUGT), size = LLVMGetOperand(i, p == LLVMIntULT), bound;
    LLVMValueRef above = clamp_of_value(s, value, true, &bound);
    if (!above || !LLVMIsAConstantInt(bound) || !LLVMIsNull(bound))
        return false;
    return clamp_of_value(s, above, false, &bound) && is_one_less_than(bound, size);
}
