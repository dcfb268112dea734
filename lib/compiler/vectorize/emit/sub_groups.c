// Sub-group functions (ir/sub_groups.h). The lanes are the sub-group, and the active ones take part. The
// operands of the others are replaced by ones that change no result. Everything is a few shuffles; sums take
// log2(lanes).
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/sub_groups.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"

enum { MAX_LANES = 64 };

// Combines a and b, scalars or vectors.
static LLVMValueRef combine(struct weftc_emission *em, enum weftc_sub_operation o, LLVMValueRef a,
                            LLVMValueRef b)
{
    static const LLVMIntPredicate predicates[] = {[WEFTC_SUB_SMIN] = LLVMIntSLT,
                                                  [WEFTC_SUB_SMAX] = LLVMIntSGT,
                                                  [WEFTC_SUB_UMIN] = LLVMIntULT,
                                                  [WEFTC_SUB_UMAX] = LLVMIntUGT};
    static const LLVMOpcode opcodes[] = {
        [WEFTC_SUB_ADD] = LLVMAdd,  [WEFTC_SUB_MUL] = LLVMMul, [WEFTC_SUB_AND] = LLVMAnd,
        [WEFTC_SUB_OR] = LLVMOr,    [WEFTC_SUB_XOR] = LLVMXor, [WEFTC_SUB_FADD] = LLVMFAdd,
        [WEFTC_SUB_FMUL] = LLVMFMul};
    switch (o) {
    case WEFTC_SUB_SMIN:
    case WEFTC_SUB_SMAX:
    case WEFTC_SUB_UMIN:
    case WEFTC_SUB_UMAX:
        return LLVMBuildSelect(em->b, LLVMBuildICmp(em->b, predicates[o], a, b, ""), a, b, "");
    case WEFTC_SUB_FMIN:
    case WEFTC_SUB_FMAX: {
        const char *name = o == WEFTC_SUB_FMIN ? "llvm.minnum" : "llvm.maxnum";
        unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
        LLVMTypeRef type = LLVMTypeOf(a);
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(em->module, id, &type, 1), operands[] = {a, b};
        return LLVMBuildCall2(em->b, LLVMGlobalGetValueType(f), f, operands, 2, "");
    }
    default:
        return LLVMBuildBinOp(em->b, opcodes[o], a, b, "");
    }
}

// Elements of a and b by number; those of b count from `lanes` on.
static LLVMValueRef shuffled(struct weftc_emission *em, LLVMValueRef a, LLVMValueRef b, const uint32_t *from,
                             unsigned count)
{
    LLVMValueRef indices[MAX_LANES];
    for (unsigned k = 0; k < count; k++)
        indices[k] = weftc_i32(em->c, from[k]);
    return LLVMBuildShuffleVector(em->b, a, b, LLVMConstVector(indices, count), "");
}

// The operand in all lanes; inactive ones have `others`.
static LLVMValueRef taking_part(struct weftc_emission *em, LLVMValueRef operand, LLVMValueRef others)
{
    LLVMValueRef x = weftc_vec_vector(em, operand), mask = weftc_vec_mask(em);
    return mask ? LLVMBuildSelect(em->b, mask, x, weftc_vec_splat(em, em->b, others), "") : x;
}

static LLVMValueRef reduce(struct weftc_emission *em, enum weftc_sub_operation o, LLVMValueRef x)
{
    uint32_t low[MAX_LANES], high[MAX_LANES];
    for (unsigned half = em->v->lanes / 2; half > 0; half /= 2) {
        for (unsigned k = 0; k < half; k++) {
            low[k] = k;
            high[k] = k + half;
        }
        LLVMValueRef any = LLVMGetPoison(LLVMTypeOf(x));
        x = combine(em, o, shuffled(em, x, any, low, half), shuffled(em, x, any, high, half));
    }
    return LLVMBuildExtractElement(em->b, x, weftc_i32(em->c, 0), "");
}

// Each lane gets the element `by` lanes below it; the lowest ones get that of `others`.
static LLVMValueRef moved_up(struct weftc_emission *em, LLVMValueRef x, LLVMValueRef others, unsigned by)
{
    uint32_t from[MAX_LANES];
    for (unsigned k = 0; k < em->v->lanes; k++)
        from[k] = k < by ? k : em->v->lanes + k - by;
    return shuffled(em, others, x, from, em->v->lanes);
}

static LLVMValueRef scan(struct weftc_emission *em, const struct weftc_sub_call *call, LLVMValueRef x,
                         LLVMValueRef identity)
{
    LLVMValueRef none = weftc_vec_splat(em, em->b, identity);
    for (unsigned by = 1; by < em->v->lanes; by *= 2)
        x = combine(em, call->operation, moved_up(em, x, none, by), x);
    return call->kind == WEFTC_SUB_EXCLUSIVE ? moved_up(em, x, none, 1) : x;
}

static LLVMValueRef clustered(struct weftc_emission *em, enum weftc_sub_operation o, LLVMValueRef x,
                              LLVMValueRef size)
{
    if (!LLVMIsAConstantInt(size)) {
        em->reason = "a cluster's size isn't constant";
        return x;
    }
    uint64_t max = LLVMConstIntGetZExtValue(size);
    uint32_t from[MAX_LANES];
    for (unsigned apart = 1; apart < max && apart < em->v->lanes; apart *= 2) {
        for (unsigned k = 0; k < em->v->lanes; k++)
            from[k] = k ^ apart;
        x = combine(em, o, x, shuffled(em, x, LLVMGetPoison(LLVMTypeOf(x)), from, em->v->lanes));
    }
    return x;
}

// The number of the lowest active lane; there is one.
static LLVMValueRef first_lane(struct weftc_emission *em)
{
    LLVMValueRef mask = weftc_vec_mask(em);
    if (!mask)
        return weftc_i32(em->c, 0);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(em->c);
    LLVMValueRef bits = LLVMBuildZExt(em->b, weftc_vec_bits(em, mask), i32, "");
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(em->module, LLVMLookupIntrinsicID("llvm.cttz", 9), &i32, 1);
    LLVMValueRef operands[] = {bits, LLVMConstInt(LLVMInt1TypeInContext(em->c), 1, false)};
    return LLVMBuildCall2(em->b, LLVMGlobalGetValueType(f), f, operands, 2, "");
}

static LLVMValueRef broadcast(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMValueRef x = LLVMGetOperand(i, 0), lane = LLVMGetOperand(i, 1);
    if (weftc_vec_shape(em->v, lane).kind == WEFTC_UNIFORM)
        lane = weftc_vec_scalar(em, lane);
    else
        lane = LLVMBuildExtractElement(em->b, weftc_vec_vector(em, lane), first_lane(em), "");
    lane = LLVMBuildAnd(em->b, lane, weftc_i32(em->c, em->v->lanes - 1), "");
    return LLVMBuildExtractElement(em->b, weftc_vec_vector(em, x), lane, "");
}

// Through memory: only some processors have instructions that shuffle by numbers that aren't constant.
static LLVMValueRef shuffle(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMValueRef x = weftc_vec_vector(em, LLVMGetOperand(i, 0)),
                 lane = weftc_vec_vector(em, LLVMGetOperand(i, 1));
    LLVMTypeRef type = LLVMTypeOf(x), element = LLVMTypeOf(i);
    lane = LLVMBuildAnd(em->b, lane, weftc_vec_splat(em, em->b, weftc_i32(em->c, em->v->lanes - 1)), "");
    LLVMValueRef slot = weftc_vec_slot(em, type);
    LLVMBuildStore(em->b, x, slot);
    LLVMValueRef places = LLVMBuildInBoundsGEP2(em->b, element, slot, &lane, 1, "");
    LLVMValueRef mask = weftc_vec_mask(em);
    LLVMValueRef operands[] = {places, weftc_i32(em->c, LLVMABIAlignmentOfType(em->v->s->layout, element)),
                               mask ? mask : weftc_vec_true(em), LLVMGetPoison(type)};
    return weftc_bridge_masked_access(em->b, "llvm.masked.gather", type, LLVMTypeOf(places), operands);
}

static LLVMValueRef ballot(struct weftc_emission *em, LLVMValueRef predicate)
{
    LLVMValueRef x = weftc_vec_vector(em, predicate), mask = weftc_vec_mask(em);
    LLVMValueRef set = LLVMBuildICmp(em->b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
    if (mask) // select, since the predicate of an inactive lane may be poison
        set = LLVMBuildSelect(em->b, mask, set, LLVMConstNull(LLVMTypeOf(set)), "");
    LLVMTypeRef i32 = LLVMInt32TypeInContext(em->c);
    LLVMValueRef bits = weftc_vec_bits(em, set);
    return LLVMTypeOf(bits) == i32 ? bits : LLVMBuildZExt(em->b, bits, i32, "");
}

void weftc_vec_sub_group(struct weftc_emission *em, LLVMValueRef i)
{
    struct weftc_sub_call call;
    weftc_sub_call_of(i, &call);
    LLVMValueRef operand = LLVMGetOperand(i, 0), identity = NULL, x = NULL, result;
    if (call.kind <= WEFTC_SUB_CLUSTERED) {
        identity = weftc_sub_identity(call.operation, LLVMTypeOf(operand));
        x = taking_part(em, operand, identity);
    }
    switch (call.kind) {
    case WEFTC_SUB_REDUCE:
        result = reduce(em, call.operation, x);
        break;
    case WEFTC_SUB_INCLUSIVE:
    case WEFTC_SUB_EXCLUSIVE:
        result = scan(em, &call, x, identity);
        break;
    case WEFTC_SUB_CLUSTERED:
        result = clustered(em, call.operation, x, LLVMGetOperand(i, 1));
        break;
    case WEFTC_SUB_FIRST:
        result = LLVMBuildExtractElement(em->b, weftc_vec_vector(em, operand), first_lane(em), "");
        break;
    case WEFTC_SUB_BROADCAST:
        result = broadcast(em, i);
        break;
    case WEFTC_SUB_SHUFFLE:
        result = shuffle(em, i);
        break;
    case WEFTC_SUB_BALLOT:
    default:
        result = ballot(em, operand);
        break;
    }
    if (weftc_sub_call_is_uniform(&call))
        weftc_vec_set_scalar(em, i, result);
    else
        weftc_vec_set_vector(em, i, result);
}
