// Indices that are one number and very many constants, as `in[j + 1]`, `in[j + 2]`, ... in a loop over j.
// instcombine makes an extension of j to 64 bits for each of them, and for each extension it looks at all
// others. Here j is extended once before it, and the constants are added to that. Stateless.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"
#include "compiler/ir/value_map.h"

enum { MANY = 64 }; // extensions of sums of one number

struct sums {
    LLVMBuilderRef b;
    struct weftc_map counts, extended; // of a number: its sums; its place in `wide`
    LLVMValueRef *wide;                // a number as 64 bits
    uint32_t wide_count;
};

// The number of `sext (number + constant)` of 32 to 64 bits, where the sum doesn't overflow; or NULL.
static LLVMValueRef number_of(LLVMValueRef i)
{
    if (!LLVMIsASExtInst(i) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(i)) != 64)
        return NULL;
    LLVMValueRef sum = LLVMGetOperand(i, 0);
    if (!LLVMIsAInstruction(sum) || LLVMGetInstructionOpcode(sum) != LLVMAdd || !LLVMGetNSW(sum) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(sum)) != 32 || !LLVMIsAConstantInt(LLVMGetOperand(sum, 1)))
        return NULL;
    LLVMValueRef number = LLVMGetOperand(sum, 0);
    return LLVMIsAArgument(number) || LLVMIsAInstruction(number) ? number : NULL;
}

// Extends a number where it is defined.
static LLVMValueRef extend(struct sums *s, LLVMValueRef function, LLVMValueRef number, LLVMTypeRef type)
{
    LLVMValueRef at = LLVMIsAInstruction(number) ? LLVMGetNextInstruction(number)
                                                 : LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    while (LLVMIsAPHINode(at) || LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(s->b, at);
    return LLVMBuildSExt(s->b, number, type, "");
}

static bool replace(struct sums *s, LLVMValueRef function, LLVMValueRef i, LLVMValueRef number)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    uint32_t place = weftc_map_get(&s->extended, number);
    if (place == UINT32_MAX) {
        place = s->wide_count++;
        if (!weftc_map_put(&s->extended, number, place))
            return false;
        s->wide[place] = extend(s, function, number, type);
    }
    const int64_t constant = LLVMConstIntGetSExtValue(LLVMGetOperand(LLVMGetOperand(i, 0), 1));
    LLVMPositionBuilderBefore(s->b, i);
    LLVMReplaceAllUsesWith(
        i, LLVMBuildNSWAdd(s->b, s->wide[place], LLVMConstInt(type, (unsigned long long)constant, true), ""));
    LLVMInstructionEraseFromParent(i);
    return true;
}

weft_status weftc_share_extensions(LLVMValueRef kernel)
{
    struct sums s = {.b = NULL};
    bool ok = true;
    uint32_t many = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && ok; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef number = number_of(i);
            if (!number)
                continue;
            const uint32_t known = weftc_map_get(&s.counts, number);
            const uint32_t count = known == UINT32_MAX ? 1 : known + 1;
            ok = weftc_map_put(&s.counts, number, count);
            many += count == MANY;
        }
    if (ok && many > 0) {
        s.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(kernel)));
        s.wide = weft_alloc_array(many, sizeof *s.wide);
        ok = s.wide != NULL;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i && ok; i = next) {
                next = LLVMGetNextInstruction(i);
                LLVMValueRef number = number_of(i);
                if (number && weftc_map_get(&s.counts, number) >= MANY)
                    ok = replace(&s, kernel, i, number);
            }
        LLVMDisposeBuilder(s.b);
    }
    weft_free(s.wide);
    weftc_map_free(&s.counts);
    weftc_map_free(&s.extended);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}
