// Dot products of four bytes, packed into a word: `weft.math.dot.SS` of two i32, where SS says of each
// operand whether its bytes are unsigned (u) or signed (s): uu, us or ss. The result is exact. The
// built-ins of cl_khr_integer_dot_product call it, and prepare/dot_products.c makes it of sums that
// programs write. The vectorizer widens it to `weft.math.dot.SS.vN`. Here, before LLVM optimises, it
// becomes instructions of the target, together with the sum that it is added to; where the target has none,
// shifts and products.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"

enum { MAX_LANES = 64 };

struct lowering {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
    const struct weftc_target *target;
    struct weftc_dot_signs signs;
    unsigned lanes; // of the call; 1: scalars
    unsigned width; // of one instruction
};

// False: f is no dot product.
static bool signs_of(LLVMValueRef f, struct weftc_dot_signs *signs)
{
    const char *name = LLVMGetValueName(f);
    if (!LLVMIsDeclaration(f) || strncmp(name, WEFTC_DOT_PREFIX, strlen(WEFTC_DOT_PREFIX)) != 0)
        return false;
    const char *of = name + strlen(WEFTC_DOT_PREFIX);
    *signs = (struct weftc_dot_signs){.x = of[0] == 's', .y = of[0] && of[1] == 's'};
    return true;
}

// ---- one call ----

static LLVMTypeRef words(const struct lowering *l, unsigned lanes)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(l->context);
    return lanes == 1 ? word : LLVMVectorType(word, lanes);
}

// Elements from..from+count-1 of a vector; those beyond its end are any.
static LLVMValueRef piece(const struct lowering *l, LLVMValueRef value, unsigned from)
{
    LLVMTypeRef wide = words(l, l->width);
    if (l->lanes == 1)
        return LLVMBuildInsertElement(l->b, LLVMConstNull(wide), value, weftc_i32(l->context, 0), "");
    if (from == 0 && l->lanes == l->width)
        return value;
    LLVMValueRef mask[MAX_LANES];
    for (unsigned k = 0; k < l->width; k++)
        mask[k] = from + k < l->lanes ? weftc_i32(l->context, from + k)
                                      : LLVMGetPoison(LLVMInt32TypeInContext(l->context));
    return LLVMBuildShuffleVector(l->b, value, LLVMGetPoison(LLVMTypeOf(value)),
                                  LLVMConstVector(mask, l->width), "");
}

// The first l->lanes elements of the pieces, one after the other.
static LLVMValueRef join(const struct lowering *l, LLVMValueRef *pieces, unsigned count)
{
    if (l->lanes == 1)
        return LLVMBuildExtractElement(l->b, pieces[0], weftc_i32(l->context, 0), "");
    LLVMValueRef mask[MAX_LANES];
    for (unsigned k = 0; k < MAX_LANES; k++)
        mask[k] = weftc_i32(l->context, k);
    for (; count > 1; count /= 2)
        for (unsigned k = 0; k < count / 2; k++) {
            const unsigned n = 2 * LLVMGetVectorSize(LLVMTypeOf(pieces[2 * k]));
            pieces[k] =
                LLVMBuildShuffleVector(l->b, pieces[2 * k], pieces[2 * k + 1], LLVMConstVector(mask, n), "");
        }
    if (LLVMGetVectorSize(LLVMTypeOf(pieces[0])) == l->lanes)
        return pieces[0];
    return LLVMBuildShuffleVector(l->b, pieces[0], LLVMGetPoison(LLVMTypeOf(pieces[0])),
                                  LLVMConstVector(mask, l->lanes), "");
}

// Byte k of each word, as a word.
static LLVMValueRef byte_of(const struct lowering *l, LLVMValueRef word, unsigned k, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(word);
    LLVMValueRef high = LLVMBuildShl(l->b, word, weftc_constant(type, 24 - 8 * k), ""),
                 down = weftc_constant(type, 24);
    return is_signed ? LLVMBuildAShr(l->b, high, down, "") : LLVMBuildLShr(l->b, high, down, "");
}

static LLVMValueRef by_products(const struct lowering *l, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum)
{
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef product =
            LLVMBuildMul(l->b, byte_of(l, x, k, l->signs.x), byte_of(l, y, k, l->signs.y), "");
        sum = LLVMBuildAdd(l->b, sum, product, "");
    }
    return sum;
}

// sum: what the dot product is added to.
static LLVMValueRef lowered(struct lowering *l, LLVMValueRef call, LLVMValueRef sum)
{
    LLVMValueRef x = LLVMGetOperand(call, 0), y = LLVMGetOperand(call, 1);
    const unsigned widest = weftc_target_ops->dot ? weftc_target_ops->dot_lanes(l->target) : 0;
    if (widest == 0)
        return by_products(l, x, y, sum);
    l->width = l->lanes > widest ? widest : l->lanes < 4 ? 4 : l->lanes;
    LLVMValueRef pieces[MAX_LANES];
    unsigned count = 0;
    for (unsigned from = 0; from < l->lanes; from += l->width)
        pieces[count++] = weftc_target_ops->dot(l->module, l->b, l->target, l->signs, piece(l, x, from),
                                                piece(l, y, from), piece(l, sum, from));
    return join(l, pieces, count);
}

// The sum that the call is only used in, if both are in one block; else NULL.
static LLVMValueRef sum_of(LLVMValueRef call)
{
    LLVMUseRef use = LLVMGetFirstUse(call);
    if (!use || LLVMGetNextUse(use))
        return NULL;
    LLVMValueRef add = LLVMGetUser(use);
    const bool is_sum = LLVMIsAInstruction(add) && LLVMGetInstructionOpcode(add) == LLVMAdd;
    return is_sum && LLVMGetInstructionParent(add) == LLVMGetInstructionParent(call) ? add : NULL;
}

static void lower_call(struct lowering *l, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    l->lanes = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
    LLVMValueRef add = sum_of(call), sum = LLVMConstNull(type), replaced = add ? add : call;
    if (add)
        sum = LLVMGetOperand(add, LLVMGetOperand(add, 0) == call);
    LLVMPositionBuilderBefore(l->b, replaced);
    LLVMReplaceAllUsesWith(replaced, lowered(l, call, sum));
    if (add)
        LLVMInstructionEraseFromParent(add);
    LLVMInstructionEraseFromParent(call);
}

void weftc_lower_dot_products(LLVMModuleRef module, const struct weftc_target *target)
{
    struct lowering l = {.module = module, .context = LLVMGetModuleContext(module), .target = target};
    l.b = LLVMCreateBuilderInContext(l.context);
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!signs_of(f, &l.signs))
            continue;
        for (LLVMUseRef use; (use = LLVMGetFirstUse(f));)
            lower_call(&l, LLVMGetUser(use));
        LLVMDeleteFunction(f);
    }
    LLVMDisposeBuilder(l.b);
}
