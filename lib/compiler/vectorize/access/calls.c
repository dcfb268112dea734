// Decides how each call of a region is done (a step of weftc_vec_classify). What becomes of a function that
// has a body is settled when its callees are made (vectorize/legalize/callees.c).
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/sub_groups.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"

const struct weftc_call_traits weftc_call_traits[WEFTC_CALL_KINDS] = {
    [WEFTC_CALL_NONE] = {WEFTC_REACH_TOGETHER, ""},
#define CALL(kind, reach, emit, work, idle, words) [WEFTC_CALL_##kind] = {WEFTC_REACH_##reach, words},
#include "compiler/vectorize/access/calls.def"
#undef CALL
};

// memcpy and the like between places that are the same for all lanes: doing it once is enough.
static bool is_uniform_copy(const struct weftc_vec *v, LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    const char *name = f ? LLVMGetValueName(f) : "";
    if (strncmp(name, "llvm.mem", 8) != 0 || LLVMGetNumArgOperands(i) < 4)
        return false;
    for (unsigned k = 0; k < 3; k++)
        if (weftc_vec_shape(v, LLVMGetOperand(i, k)).kind != WEFTC_UNIFORM)
            return false;
    LLVMValueRef is_volatile = LLVMGetOperand(i, 3);
    return LLVMIsAConstantInt(is_volatile) && LLVMConstIntGetZExtValue(is_volatile) == 0;
}

// Has LLVM the intrinsic for vectors? Operands that stay scalar there must be the same for all lanes.
static bool is_widened(const struct weftc_vec *v, LLVMValueRef i)
{
    uint32_t scalar_operands = 0;
    if (!weftc_bridge_widen_intrinsic(i, v->lanes, &scalar_operands))
        return false;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
        if ((scalar_operands >> k & 1) && weftc_vec_shape(v, LLVMGetOperand(i, k)).kind != WEFTC_UNIFORM)
            return false;
    return true;
}

// The order of the tests is the order of preference.
static enum weftc_call_kind kind_of(const struct weftc_vec *v, LLVMValueRef i)
{
    struct weftc_sub_call sub_group;
    if (weftc_sub_call_of(i, &sub_group))
        return WEFTC_CALL_SUB_GROUP;
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind && weftc_vec_is_scalar(v, i))
        return WEFTC_CALL_SCALAR;
    if (weftc_vec_is_hint(i))
        return WEFTC_CALL_HINT;
    if (weftc_vec_is_scope(i) || is_uniform_copy(v, i))
        return WEFTC_CALL_SCALAR;
    if (weftc_vec_is_call(i))
        return WEFTC_CALL_FUNCTION;
    return is_widened(v, i) ? WEFTC_CALL_WIDENED : WEFTC_CALL_SERIAL;
}

static bool needs_lane(const struct weftc_vec *v, LLVMValueRef i)
{
    enum weftc_primitive p;
    unsigned dim;
    return !weftc_primitive_of(i, &p, &dim) && !weftc_vec_is_hint(i) && !weftc_vec_is_scope(i) &&
           !is_widened(v, i);
}

struct weftc_call weftc_vec_classify_call(const struct weftc_vec *v, LLVMValueRef i)
{
    if (!LLVMIsACallInst(i))
        return (struct weftc_call){.kind = WEFTC_CALL_NONE};
    return (struct weftc_call){.kind = kind_of(v, i), .needs_lane = needs_lane(v, i)};
}
