// Private arrays that live across a barrier, such as the sums of a blocked matrix product. Such an array is a
// block of memory for each work-item, unless it becomes single values before the kernel is cut into regions.
// A single value that lives across a barrier gets a spill row, in which work-items lie side by side. So loops
// with a known trip count that index such an array are unrolled here. Loops with a barrier are not unrolled:
// each iteration would become regions of its own.
//
// The same in kernels without barriers, where they are so large that nothing is unrolled later
// (vectorize/legalize/canonicalize.c). Otherwise the loop that fills an array keeps it in memory, and each
// access under a condition stays a branch.
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"
#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"

enum { MAX_ALIGN = 128 }; // bytes: the alignment of long16 and double16
// Of all functions, outlined ones too: some of LLVM's passes for loops are superlinear. In larger kernels
// only short loops are unrolled: MAX_UNROLLED instructions when unrolled, all together as many as the
// kernel.
enum { MAX_INSTRUCTIONS = 10000, MAX_UNROLLED = 640 };

static LLVMValueRef barrier(LLVMModuleRef module, size_t i)
{
    static const char *const names[] = {WEFTC_BARRIER, WEFTC_SINGLE_ITEM_BARRIER, WEFTC_YIELD};
    LLVMValueRef f = LLVMGetNamedFunction(module, names[i]);
    return f && LLVMGetFirstUse(f) ? f : NULL;
}

static bool has_array(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        return true;
    for (unsigned k = 0; LLVMGetTypeKind(type) == LLVMStructTypeKind && k < LLVMCountStructElementTypes(type);
         k++)
        if (has_array(LLVMStructGetTypeAtIndex(type, k)))
            return true;
    return false;
}

// An array of the kernel's own, perhaps as a member of a structure.
static bool has_private_array(LLVMValueRef kernel)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel);
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && has_array(LLVMGetAllocatedType(i)))
            return true;
    return false;
}

// Aligns arrays like the widest vector that fits in them, up to the widest type. Programs access parts of
// scalar arrays as vectors (vstorea_half8 on an array of shorts), which works with other compilers' arrays.
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
            while (align < MAX_ALIGN && 2ull * align <= size)
                align *= 2;
            LLVMSetAlignment(i, align);
        }
    }
}

static weft_status unroll_short(LLVMModuleRef module, LLVMValueRef kernel, const struct weftc_target *target,
                                struct weft_buf *log)
{
    const size_t max = weftc_function_size(kernel);
    weftc_bridge_close_loops(kernel);
    if (!weftc_bridge_unroll_known_places(kernel, target->machine, MAX_UNROLLED, (unsigned)max))
        return WEFT_OK;
    weft_status status = weftc_promote_in(kernel);
    if (status != WEFT_OK)
        return status;
    return weftc_run_passes(module, target,
                            "function(sroa<modify-cfg>,early-cse,simplifycfg,instcombine<no-verify-fixpoint;"
                            "max-iterations=1>,simplifycfg,mergereturn)",
                            log);
}

weft_status weftc_prepare_unroll_private_arrays(LLVMModuleRef module, LLVMValueRef kernel,
                                                const struct weftc_target *target, struct weft_buf *log)
{
    LLVMValueRef barriers[] = {barrier(module, 0), barrier(module, 1), barrier(module, 2)};
    const bool any_barrier = barriers[0] || barriers[1] || barriers[2];
    const bool large = weftc_instruction_count(module) > MAX_INSTRUCTIONS;
    if ((!any_barrier && !large) || !has_private_array(kernel))
        return WEFT_OK;
    for (size_t i = 0; i < WEFT_COUNT_OF(barriers); i++)
        if (barriers[i])
            weftc_add_attribute(barriers[i], WEFTC_OF_FUNCTION, "noduplicate", 0);
    weft_status status =
        large ? unroll_short(module, kernel, target, log)
              : weftc_run_passes(
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
