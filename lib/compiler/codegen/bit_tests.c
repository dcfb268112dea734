// Selects by a bit, for processors without mask registers. A blend looks only at the highest bit of each
// element. So `x & 8 ? a : b` takes a shift of x and a blend, where LLVM masks and compares, too. And `x &
// 8 ? -a : a` needs no blend: the bit goes to the sign's place, and changes the sign. Runs after the
// optimiser, which would undo it.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"

// A comparison that says whether none of the bits of x are set.
struct bits {
    LLVMValueRef x;
    uint64_t bits;
    bool any; // it says whether some are
};

static bool is_bit_test(LLVMValueRef i, struct bits *out)
{
    LLVMValueRef x = LLVMGetOperand(i, 0);
    LLVMTypeRef type = LLVMTypeOf(x);
    uint64_t mask, bound;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVectorSize(type) > 64 ||
        LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind ||
        (LLVMGetIntTypeWidth(LLVMGetElementType(type)) != 32 &&
         LLVMGetIntTypeWidth(LLVMGetElementType(type)) != 64) ||
        !LLVMIsAInstruction(x) || LLVMGetInstructionOpcode(x) != LLVMAnd ||
        !weftc_is_splat(LLVMGetOperand(x, 1), &mask) || !weftc_is_splat(LLVMGetOperand(i, 1), &bound))
        return false;
    *out = (struct bits){.x = LLVMGetOperand(x, 0), .bits = mask};
    switch (LLVMGetICmpPredicate(i)) {
    case LLVMIntEQ:
        return bound == 0;
    case LLVMIntNE:
        out->any = true;
        return bound == 0;
    case LLVMIntULT:
        out->bits = mask & ~(bound - 1);
        return bound != 0 && weftc_is_power(bound);
    case LLVMIntUGT:
        out->bits = mask & ~bound;
        out->any = true;
        return weftc_is_power(bound + 1);
    default:
        return false;
    }
}

static bool decides_only_selects(LLVMValueRef test)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(test, 0));
    const unsigned width = LLVMGetIntTypeWidth(LLVMGetElementType(type));
    for (LLVMUseRef u = LLVMGetFirstUse(test); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsASelectInst(user) || LLVMGetOperand(user, 0) != test)
            return false;
        LLVMTypeRef chosen = LLVMGetElementType(LLVMTypeOf(user));
        const LLVMTypeKind kind = LLVMGetTypeKind(chosen);
        const unsigned bits = kind == LLVMFloatTypeKind     ? 32
                              : kind == LLVMDoubleTypeKind  ? 64
                              : kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(chosen)
                                                            : 0;
        if (bits != width)
            return false;
    }
    return LLVMGetFirstUse(test) != NULL;
}

static bool is_negative_of(LLVMValueRef negative, LLVMValueRef v)
{
    return LLVMIsAInstruction(negative) && LLVMGetInstructionOpcode(negative) == LLVMFNeg &&
           LLVMGetOperand(negative, 0) == v;
}

// In place of select i: changes the sign of one of its operands. at_top: an integer with the bit as its
// highest one. Returns false if the operands aren't a number and its negative.
static bool change_sign(LLVMBuilderRef b, LLVMValueRef i, LLVMValueRef at_top, bool any)
{
    LLVMValueRef yes = LLVMGetOperand(i, 1), no = LLVMGetOperand(i, 2);
    LLVMValueRef if_set = any ? yes : no, if_clear = any ? no : yes;
    if (!is_negative_of(if_set, if_clear) && !is_negative_of(if_clear, if_set))
        return false;
    LLVMTypeRef words = LLVMTypeOf(at_top);
    const unsigned width = LLVMGetIntTypeWidth(LLVMGetElementType(words));
    LLVMPositionBuilderBefore(b, i);
    LLVMValueRef sign = LLVMBuildAnd(b, at_top, weftc_constant(words, UINT64_C(1) << (width - 1)), "");
    LLVMValueRef number = LLVMBuildBitCast(b, if_clear, words, "");
    LLVMValueRef result = LLVMBuildBitCast(b, LLVMBuildXor(b, number, sign, ""), LLVMTypeOf(i), "");
    LLVMReplaceAllUsesWith(i, result);
    LLVMInstructionEraseFromParent(i);
    return true;
}

// Returns the comparison in its place.
static LLVMValueRef replace(LLVMBuilderRef b, LLVMValueRef test, const struct bits *t)
{
    LLVMTypeRef type = LLVMTypeOf(t->x);
    const unsigned width = LLVMGetIntTypeWidth(LLVMGetElementType(type));
    const unsigned by = width - 1 - (unsigned)__builtin_ctzll(t->bits);
    LLVMPositionBuilderBefore(b, test);
    LLVMValueRef at_top = by ? LLVMBuildShl(b, t->x, weftc_constant(type, by), "") : t->x;
    LLVMValueRef is_set = LLVMBuildICmp(b, LLVMIntSLT, at_top, LLVMConstNull(type), "");
    for (LLVMUseRef u = LLVMGetFirstUse(test), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef user = LLVMGetUser(u);
        if (change_sign(b, user, at_top, t->any))
            continue;
        LLVMValueRef yes = LLVMGetOperand(user, 1), no = LLVMGetOperand(user, 2);
        LLVMSetOperand(user, 1, t->any ? yes : no);
        LLVMSetOperand(user, 2, t->any ? no : yes);
        LLVMSetOperand(user, 0, is_set);
    }
    LLVMInstructionEraseFromParent(test);
    return is_set;
}

void weftc_select_by_bits(LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
                struct bits t;
                if (LLVMIsAICmpInst(i) && is_bit_test(i, &t) && t.bits && weftc_is_power(t.bits) &&
                    decides_only_selects(i))
                    i = replace(b, i, &t);
            }
    LLVMDisposeBuilder(b);
}
