// What kind of instruction each one of a region is, seen over the lanes, by itself: whether its value is a scalar, where its access goes,
// whether it must be done lane by lane. What needs tables or groups for an answer is in tables.c and plan.c.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"

// ---- values ----

struct weftc_shape weftc_vec_shape(const struct weftc_vec *v, LLVMValueRef value)
{
    return weftc_shape_of(v->s, value);
}

bool weftc_vec_is_scalar(const struct weftc_vec *v, LLVMValueRef value)
{
    return weftc_vec_shape(v, value).kind != WEFTC_VARYING;
}

// ---- calls ----

// Calls that say something to the optimiser which isn't true of lanes together, or isn't worth keeping.
bool weftc_vec_is_hint(LLVMValueRef i)
{
    static const char *const hints[] = {"llvm.lifetime.", "llvm.assume",     "llvm.sideeffect",
                                        "llvm.donothing", "llvm.invariant.", "llvm.dbg."};
    LLVMValueRef f = weftc_callee(i);
    const char *name = f ? LLVMGetValueName(f) : "";
    for (size_t k = 0; k < WEFT_COUNT_OF(hints); k++)
        if (strncmp(name, hints[k], strlen(hints[k])) == 0)
            return true;
    return false;
}

// Where a `restrict` pointer's scope begins: true of lanes together (where lanes meet without order, the
// program is wrong), and without it an unrolled loop's rounds would share the scope.
bool weftc_vec_is_scope(LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    return f && strcmp(LLVMGetValueName(f), "llvm.experimental.noalias.scope.decl") == 0;
}

bool weftc_vec_is_call(LLVMValueRef i)
{
    LLVMValueRef f = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
    return f && !LLVMIsDeclaration(f);
}

bool weftc_vec_is_extreme(LLVMValueRef call)
{
    static const char *const names[] = {"llvm.smin.", "llvm.smax.", "llvm.umin.", "llvm.umax."};
    const char *name = LLVMGetValueName(LLVMGetCalledValue(call));
    for (size_t k = 0; k < WEFT_COUNT_OF(names); k++)
        if (strncmp(name, names[k], strlen(names[k])) == 0)
            return true;
    return false;
}

// ---- loads and stores ----

LLVMTypeRef weftc_vec_accessed_type(LLVMValueRef i)
{
    return LLVMTypeOf(LLVMIsALoadInst(i) ? i : LLVMGetOperand(i, 0));
}

LLVMValueRef weftc_vec_pointer(LLVMValueRef i)
{
    return LLVMGetOperand(i, LLVMIsALoadInst(i) ? 0 : 1);
}

enum weftc_vec_address weftc_vec_address_of(const struct weftc_vec *v, LLVMValueRef i)
{
    struct weftc_shape pointer = weftc_vec_shape(v, weftc_vec_pointer(i));
    int64_t size = (int64_t)LLVMStoreSizeOfType(v->s->layout, weftc_vec_accessed_type(i));
    if (pointer.kind == WEFTC_UNIFORM)
        return WEFTC_ADDRESS_UNIFORM;
    if (pointer.kind == WEFTC_STRIDED && pointer.stride == size)
        return WEFTC_ADDRESS_CONSECUTIVE;
    if (pointer.kind == WEFTC_STRIDED && pointer.stride == -size)
        return WEFTC_ADDRESS_REVERSE;
    return WEFTC_ADDRESS_SCATTERED;
}

bool weftc_vec_is_wrap_guarded(const struct weftc_vec *v, LLVMValueRef i)
{
    struct weftc_shape pointer = weftc_vec_shape(v, weftc_vec_pointer(i));
    return pointer.nearly &&
           pointer.stride == (int64_t)LLVMStoreSizeOfType(v->s->layout, weftc_vec_accessed_type(i));
}

bool weftc_vec_is_serial_access(const struct weftc_vec *v, LLVMValueRef i)
{
    LLVMTypeRef type = weftc_vec_accessed_type(i);
    if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
        return true;
    // A gather goes through all lanes, whether they are there or not.
    if (v->s->flow.blocks[weftc_flow_block_of(&v->s->flow, LLVMGetInstructionParent(i))].single &&
        weftc_vec_address_of(v, i) == WEFTC_ADDRESS_SCATTERED)
        return true;
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        return false;
    case LLVMIntegerTypeKind: {
        unsigned bits = LLVMGetIntTypeWidth(type);
        return bits != 8 && bits != 16 && bits != 32 && bits != 64;
    }
    default:
        return true;
    }
}

// ---- atomics ----

static const struct weftc_reduction reductions[] = {
    {LLVMAtomicRMWBinOpAdd, "llvm.vector.reduce.add", WEFTC_NEUTRAL_ZERO},
    {LLVMAtomicRMWBinOpSub, "llvm.vector.reduce.add", WEFTC_NEUTRAL_ZERO},
    {LLVMAtomicRMWBinOpOr, "llvm.vector.reduce.or", WEFTC_NEUTRAL_ZERO},
    {LLVMAtomicRMWBinOpXor, "llvm.vector.reduce.xor", WEFTC_NEUTRAL_ZERO},
    {LLVMAtomicRMWBinOpAnd, "llvm.vector.reduce.and", WEFTC_NEUTRAL_ONES},
    {LLVMAtomicRMWBinOpMax, "llvm.vector.reduce.smax", WEFTC_NEUTRAL_SMALLEST},
    {LLVMAtomicRMWBinOpMin, "llvm.vector.reduce.smin", WEFTC_NEUTRAL_LARGEST},
    {LLVMAtomicRMWBinOpUMax, "llvm.vector.reduce.umax", WEFTC_NEUTRAL_ZERO},
    {LLVMAtomicRMWBinOpUMin, "llvm.vector.reduce.umin", WEFTC_NEUTRAL_ONES},
};

const struct weftc_reduction *weftc_vec_reduction_of(LLVMValueRef i)
{
    for (size_t k = 0; k < WEFT_COUNT_OF(reductions); k++)
        if (LLVMGetAtomicRMWBinOp(i) == reductions[k].op)
            return &reductions[k];
    return NULL;
}

bool weftc_vec_is_reduced(const struct weftc_vec *v, LLVMValueRef i)
{
    return LLVMIsAAtomicRMWInst(i) && !LLVMGetFirstUse(i) &&
           weftc_vec_shape(v, LLVMGetOperand(i, 0)).kind == WEFTC_UNIFORM &&
           LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind && weftc_vec_reduction_of(i);
}
