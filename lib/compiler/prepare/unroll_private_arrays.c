// Private arrays that live across a barrier, such as the sums of a blocked product of matrices, are memory of each work-item, unless
// they become single values before the kernel is cut into regions: a value that lives across a barrier has a row, in which
// work-items lie side by side; an array has a block for each work-item. So loops that run a known number of rounds, over which the
// array is indexed, are unrolled here already. Loops with a barrier stay loops, because each round would be regions of its own.
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"

enum { MOST_ALIGN = 128 };          // bytes: of long16 and double16
enum { MOST_INSTRUCTIONS = 10000 }; // of all functions, kept ones too: some passes below are superlinear

static LLVMValueRef barrier(LLVMModuleRef module, size_t i)
{
    static const char *const names[] = {WEFTC_BARRIER, WEFTC_SINGLE_ITEM_BARRIER, WEFTC_YIELD};
    LLVMValueRef f = LLVMGetNamedFunction(module, names[i]);
    return f && LLVMGetFirstUse(f) ? f : NULL;
}

static bool has_private_array(LLVMValueRef kernel)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel);
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && LLVMGetTypeKind(LLVMGetAllocatedType(i)) == LLVMArrayTypeKind)
            return true;
    return false;
}

// An array in memory is aligned as the widest vector that it holds, up to the longest type: programs read and write parts of arrays of
// scalars as vectors (vstorea_half8 on an array of shorts), which other compilers' arrays allow.
void weftc_align_private_arrays(LLVMModuleRef module)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);
        for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsAAllocaInst(i) || LLVMGetTypeKind(LLVMGetAllocatedType(i)) != LLVMArrayTypeKind)
                continue;
            unsigned long long size = LLVMABISizeOfType(layout, LLVMGetAllocatedType(i));
            unsigned align = LLVMGetAlignment(i);
            while (align < MOST_ALIGN && 2ull * align <= size)
                align *= 2;
            LLVMSetAlignment(i, align);
        }
    }
}

weft_status weftc_prepare_private(LLVMModuleRef module, LLVMValueRef kernel,
                                  const struct weftc_target *target, struct weft_buf *log)
{
    LLVMValueRef barriers[] = {barrier(module, 0), barrier(module, 1), barrier(module, 2)};
    if ((!barriers[0] && !barriers[1] && !barriers[2]) || !has_private_array(kernel) ||
        weftc_instruction_count(module) > MOST_INSTRUCTIONS)
        return WEFT_OK;
    for (size_t i = 0; i < WEFT_COUNT_OF(barriers); i++)
        if (barriers[i])
            weftc_add_attribute(barriers[i], WEFTC_OF_FUNCTION, "noduplicate", 0);
    weft_status status = weftc_run_passes(
        module, target,
        "function(loop-simplify,lcssa,loop-mssa(loop-rotate),loop(indvars,loop-unroll-full),"
        "sroa<modify-cfg>,early-cse,simplifycfg,instcombine<no-verify-fixpoint;max-iterations=1>,"
        "simplifycfg,mergereturn)",
        log);
    for (size_t i = 0; i < WEFT_COUNT_OF(barriers); i++)
        if (barriers[i])
            weftc_remove_attribute(barriers[i], WEFTC_OF_FUNCTION, "noduplicate");
    return status;
}
