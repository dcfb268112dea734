// Instructions that have no form for all lanes: they are done for one active lane after the other, in a loop.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"

enum { MAX_LAID_OUT = 4 };

static LLVMValueRef intrinsic(struct weftc_emission *em, const char *name, LLVMTypeRef a, LLVMTypeRef b)
{
    LLVMTypeRef types[] = {a, b};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    return LLVMGetIntrinsicDeclaration(em->module, id, types, b ? 2 : 1);
}

static LLVMValueRef call(struct weftc_emission *em, LLVMValueRef f, LLVMValueRef *arguments, unsigned count)
{
    return LLVMBuildCall2(em->b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}

static LLVMValueRef with_lane(struct weftc_emission *em, LLVMValueRef vector, LLVMValueRef value,
                              LLVMValueRef lane)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMBuildInsertElement(em->b, vector, value, lane, "");
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
        LLVMValueRef field = with_lane(em, LLVMBuildExtractValue(em->b, vector, k, ""),
                                       LLVMBuildExtractValue(em->b, value, k, ""), lane);
        vector = LLVMBuildInsertValue(em->b, vector, field, k, "");
    }
    return vector;
}

// Stores an operand of all lanes to memory, from which each lane loads its own by number; otherwise the code
// generator would store the whole vector for each lane, since the number isn't constant. NULL: the operand is
// of a type for which that isn't done.
static LLVMValueRef laid_out(struct weftc_emission *em, LLVMValueRef operand)
{
    LLVMTypeRef type = LLVMTypeOf(operand);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bits = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    bool whole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
    if (weftc_vec_is_scalar(em->v, operand) ||
        !(whole || kind == LLVMPointerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind))
        return NULL;
    LLVMValueRef vector = weftc_vec_vector(em, operand);
    LLVMValueRef slot = weftc_vec_slot(em, LLVMTypeOf(vector));
    LLVMBuildStore(em->b, vector, slot);
    return slot;
}

static LLVMValueRef taken_from(struct weftc_emission *em, LLVMValueRef slot, LLVMTypeRef type,
                               LLVMValueRef lane)
{
    return LLVMBuildLoad2(em->b, type, LLVMBuildGEP2(em->b, type, slot, &lane, 1, ""), "");
}

// For each bit set in the mask, from the lowest on: the instruction with that lane's operands. The mask isn't
// empty: weftc_vec_needs_lane is true for everything that comes here.
void weftc_vec_serial(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(em->c), type = LLVMTypeOf(i);
    LLVMValueRef mask = weftc_vec_mask(em), bits;
    bool result = LLVMGetTypeKind(type) != LLVMVoidTypeKind;
    if (!em->blocks[em->block].nonempty) {
        em->reason = "an instruction for single lanes may have none";
        return;
    }
    // Operands get the forms that the loop needs before it begins.
    LLVMValueRef slots[MAX_LAID_OUT] = {NULL};
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
        if (!weftc_vec_is_scalar(em->v, LLVMGetOperand(i, k)))
            weftc_vec_vector(em, LLVMGetOperand(i, k));
        if (k < MAX_LAID_OUT)
            slots[k] = laid_out(em, LLVMGetOperand(i, k));
    }
    if (mask)
        bits = LLVMBuildIntCast2(em->b, weftc_vec_bits(em, mask), i64, false, "");
    else
        bits = weftc_i64(em->c, em->v->lanes >= 64 ? UINT64_MAX : (1ull << em->v->lanes) - 1);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(em->b);
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    LLVMBuildBr(em->b, body);
    LLVMPositionBuilderAtEnd(em->b, body);
    LLVMValueRef left = LLVMBuildPhi(em->b, i64, ""), sofar = NULL;
    LLVMAddIncoming(left, &bits, &before, 1);
    if (result) {
        sofar = LLVMBuildPhi(em->b, weftc_vec_type(em, type), "");
        LLVMValueRef poison = LLVMGetPoison(LLVMTypeOf(sofar));
        LLVMAddIncoming(sofar, &poison, &before, 1);
    }
    LLVMValueRef arguments[] = {left, LLVMConstInt(LLVMInt1TypeInContext(em->c), 1, false)};
    LLVMValueRef lane = call(em, intrinsic(em, "llvm.cttz", i64, NULL), arguments, 2);
    LLVMValueRef copy = LLVMInstructionClone(i);
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        LLVMSetOperand(copy, k,
                       k < MAX_LAID_OUT && slots[k]
                           ? taken_from(em, slots[k], LLVMTypeOf(LLVMGetOperand(i, k)), lane)
                           : weftc_vec_lane(em, LLVMGetOperand(i, k), lane));
    LLVMInsertIntoBuilder(em->b, copy);
    LLVMValueRef vector = result ? with_lane(em, sofar, copy, lane) : NULL;
    LLVMValueRef fewer = LLVMBuildSub(em->b, left, weftc_i64(em->c, 1), "");
    LLVMValueRef rest = LLVMBuildAnd(em->b, left, fewer, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(em->b);
    LLVMAddIncoming(left, &rest, &latch, 1);
    if (result)
        LLVMAddIncoming(sofar, &vector, &latch, 1);
    LLVMValueRef again = LLVMBuildICmp(em->b, LLVMIntNE, rest, weftc_i64(em->c, 0), "");
    LLVMBuildCondBr(em->b, again, body, after);
    LLVMPositionBuilderAtEnd(em->b, after);
    if (result)
        weftc_vec_set_vector(em, i, vector);
}
