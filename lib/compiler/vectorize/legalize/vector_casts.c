// Casts between numbers and vectors. What is left of `as_uchar16(uint4)` once vectors have been taken apart
// is a cast of each word to a vector of four bytes, from which elements are taken, or the other way round:
//
//     %v = bitcast i32 %x to <4 x i8>                 %y.1 = lshr i32 %x, 8
//     %y = extractelement <4 x i8> %v, i64 1          %y = trunc i32 %y.1 to i8
//
// Numbers have lanes, vectors don't.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/vectorize/legalize/legalize.h"

enum { MAX_BITS = 64 };

// Bits of a number; 0: it is none, or a wide one.
static unsigned bits_of(LLVMTypeRef type)
{
    unsigned bits = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        bits = LLVMGetIntTypeWidth(type);
        break;
    case LLVMHalfTypeKind:
        bits = 16;
        break;
    case LLVMFloatTypeKind:
        bits = 32;
        break;
    case LLVMDoubleTypeKind:
        bits = 64;
        break;
    default:
        break;
    }
    return bits <= MAX_BITS ? bits : 0;
}

// Bits of an element of a vector; 0: it is no such vector.
static unsigned element_bits(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? bits_of(LLVMGetElementType(type)) : 0;
}

static LLVMTypeRef whole_number(LLVMTypeRef type, unsigned bits)
{
    return LLVMIntTypeInContext(LLVMGetTypeContext(type), bits);
}

// Is every use of the vector an element at a known place?
static bool is_taken_apart(LLVMValueRef vector)
{
    for (LLVMUseRef use = LLVMGetFirstUse(vector); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAExtractElementInst(user) || !LLVMIsAConstantInt(LLVMGetOperand(user, 1)) ||
            LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1)) >= LLVMGetVectorSize(LLVMTypeOf(vector)))
            return false;
    }
    return true;
}

static void take_apart(LLVMBuilderRef b, LLVMValueRef cast)
{
    LLVMTypeRef type = LLVMTypeOf(cast), element = LLVMGetElementType(type);
    const unsigned bits = element_bits(type);
    LLVMPositionBuilderBefore(b, cast);
    LLVMTypeRef all = whole_number(type, bits * LLVMGetVectorSize(type));
    LLVMValueRef number = LLVMBuildBitCast(b, LLVMGetOperand(cast, 0), all, "");
    for (LLVMUseRef use; (use = LLVMGetFirstUse(cast));) {
        LLVMValueRef user = LLVMGetUser(use);
        const uint64_t place = LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1));
        LLVMPositionBuilderBefore(b, user);
        LLVMValueRef part = LLVMBuildLShr(b, number, LLVMConstInt(all, place * bits, false), "");
        part = LLVMBuildTrunc(b, part, whole_number(type, bits), "");
        LLVMReplaceAllUsesWith(user, LLVMBuildBitCast(b, part, element, ""));
        LLVMInstructionEraseFromParent(user);
    }
    LLVMInstructionEraseFromParent(cast);
}

// The elements of a vector that is put together at known places; false: it isn't.
static bool elements_of(LLVMValueRef vector, LLVMValueRef elements[MAX_BITS])
{
    const unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
    unsigned found = 0;
    for (unsigned k = 0; k < count; k++)
        elements[k] = NULL;
    for (; found < count && LLVMIsAInsertElementInst(vector); vector = LLVMGetOperand(vector, 0)) {
        LLVMValueRef place = LLVMIsAConstantInt(LLVMGetOperand(vector, 2));
        if (!place || LLVMConstIntGetZExtValue(place) >= count)
            return false;
        LLVMValueRef *element = &elements[LLVMConstIntGetZExtValue(place)];
        found += !*element;
        *element = *element ? *element : LLVMGetOperand(vector, 1);
    }
    for (unsigned k = 0; found < count && LLVMIsConstant(vector) && k < count; k++) {
        found += !elements[k];
        elements[k] = elements[k] ? elements[k] : LLVMGetAggregateElement(vector, k);
        if (!elements[k])
            return false;
    }
    return found == count;
}

static void put_together(LLVMBuilderRef b, LLVMValueRef cast, LLVMValueRef *elements)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(cast, 0));
    const unsigned bits = element_bits(type), count = LLVMGetVectorSize(type);
    LLVMTypeRef all = whole_number(type, bits * count);
    LLVMValueRef number = LLVMConstNull(all);
    LLVMPositionBuilderBefore(b, cast);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef part = LLVMBuildBitCast(b, elements[k], whole_number(type, bits), "");
        part = LLVMBuildZExt(b, part, all, "");
        part = LLVMBuildShl(b, part, LLVMConstInt(all, k * bits, false), "");
        number = LLVMBuildOr(b, number, part, "");
    }
    LLVMReplaceAllUsesWith(cast, LLVMBuildBitCast(b, number, LLVMTypeOf(cast), ""));
    LLVMInstructionEraseFromParent(cast);
}

bool weftc_vec_split_casts(LLVMValueRef f)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(f)));
    LLVMValueRef elements[MAX_BITS];
    bool changed = false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef next;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMGetInstructionOpcode(i) != LLVMBitCast)
                continue;
            LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0)), to = LLVMTypeOf(i);
            if (bits_of(from) && element_bits(to) && is_taken_apart(i)) {
                // What follows may be one of the elements.
                LLVMValueRef before = LLVMGetPreviousInstruction(i);
                take_apart(b, i);
                next = before ? LLVMGetNextInstruction(before) : LLVMGetFirstInstruction(block);
                changed = true;
            } else if (element_bits(from) && bits_of(to) && elements_of(LLVMGetOperand(i, 0), elements)) {
                put_together(b, i, elements);
                changed = true;
            }
        }
    }
    LLVMDisposeBuilder(b);
    return changed;
}
