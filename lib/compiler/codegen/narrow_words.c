// Truncation of vectors of 64-bit words that were read. LLVM truncates each register on its own and joins the
// halves then: up to five instructions for two registers, with the shift by 32 that takes the high words. A
// shuffle takes the low or the high words of two registers at once, in one or two instructions. Filters of
// images read neighbouring texels as such pairs of words.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"

enum { MAX_LANES = 64, WORD_BITS = 32 };

// Is it a vector of words of that many bits?
static bool has_words(LLVMTypeRef type, unsigned bits)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) == bits;
}

static bool shifts_by_word(LLVMValueRef number)
{
    LLVMOpcode o = LLVMIsAInstruction(number) ? LLVMGetInstructionOpcode(number) : LLVMRet;
    uint64_t by;
    return (o == LLVMLShr || o == LLVMAShr) && weftc_is_splat(LLVMGetOperand(number, 1), &by) &&
           by == WORD_BITS;
}

// Numbers that are computed stay: LLVM has better code for the high words of products, for instance.
static bool is_read(LLVMValueRef number)
{
    return LLVMIsALoadInst(number) || LLVMIsACallInst(number) || LLVMIsAPHINode(number);
}

// The even words of the number's registers, which are the low ones, or the odd ones.
static LLVMValueRef words_of(LLVMBuilderRef b, LLVMValueRef number, bool odd)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(number)));
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(number));
    LLVMValueRef places[MAX_LANES], words = LLVMBuildBitCast(b, number, LLVMVectorType(i32, 2 * lanes), "");
    for (unsigned k = 0; k < lanes; k++)
        places[k] = LLVMConstInt(i32, 2 * k + odd, false);
    return LLVMBuildShuffleVector(b, words, LLVMGetPoison(LLVMTypeOf(words)), LLVMConstVector(places, lanes),
                                  "");
}

static void narrow(LLVMBuilderRef b, LLVMValueRef i, const struct weftc_target *target)
{
    LLVMValueRef number = LLVMGetOperand(i, 0);
    if (!has_words(LLVMTypeOf(i), WORD_BITS) || !has_words(LLVMTypeOf(number), 2 * WORD_BITS))
        return;
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(i));
    if (2 * lanes <= target->native_width || lanes > MAX_LANES || (lanes & (lanes - 1)))
        return;
    const bool odd = shifts_by_word(number);
    LLVMValueRef read = odd ? LLVMGetOperand(number, 0) : number;
    if (!is_read(read))
        return;
    LLVMPositionBuilderBefore(b, i);
    LLVMReplaceAllUsesWith(i, words_of(b, read, odd));
    LLVMInstructionEraseFromParent(i);
    if (odd && !LLVMGetFirstUse(number))
        LLVMInstructionEraseFromParent(number);
}

void weftc_narrow_words(LLVMModuleRef module, const struct weftc_target *target)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMGetInstructionOpcode(i) == LLVMTrunc)
                    narrow(b, i, target);
            }
    LLVMDisposeBuilder(b);
}
