// Small questions about instructions that all of vectorize/ asks: whether a value is scalar, what kind of
// call it is, how an atomic is combined over the lanes.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"
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

// Either what they say isn't true of lanes together, or it isn't worth keeping.
bool weftc_vec_is_hint(LLVMValueRef i)
{
    static const char *const hints[] = {"llvm.lifetime.", "llvm.speculate",  "llvm.sideeffect",
                                        "llvm.donothing", "llvm.invariant.", "llvm.dbg."};
    LLVMValueRef f = weftc_callee(i);
    const char *name = f ? LLVMGetValueName(f) : "";
    for (size_t k = 0; k < WEFT_COUNT_OF(hints); k++)
        if (strncmp(name, hints[k], strlen(hints[k])) == 0)
            return true;
    return false;
}

// It stays true for lanes together: where lanes access one place without order, the program is wrong. Without
// it, the iterations of an unrolled loop would share the scope.
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

// ---- what has been decided ----

const struct weftc_access *weftc_vec_access(const struct weftc_vec *v, LLVMValueRef i)
{
    static const struct weftc_access none;
    const uint32_t n = weftc_map_get(&v->s->number, i);
    return n == UINT32_MAX ? &none : &v->accesses[n];
}

const struct weftc_call *weftc_vec_call(const struct weftc_vec *v, LLVMValueRef i)
{
    static const struct weftc_call none;
    const uint32_t n = weftc_map_get(&v->s->number, i);
    return n == UINT32_MAX ? &none : &v->calls[n];
}
