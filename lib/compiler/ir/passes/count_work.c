// Code that counts its work, for `weft prof`: at the end of each block it adds what the block has read and
// written of global memory, and its operations on floating-point numbers. So branches and loops count as
// often as they ran. One thread at a time runs such code. The counters are volatile: LLVM would otherwise be
// told that work-items don't depend on each other, and vectorize.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"
#include "weft/kernel_abi.h"

static uint64_t lanes_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static bool is_floating(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static bool is_global(LLVMValueRef pointer)
{
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    return space == WEFTC_SPACE_GLOBAL || space == WEFTC_SPACE_GENERIC;
}

static void count_call(LLVMValueRef i, uint64_t *sums)
{
    LLVMValueRef f = weftc_callee(i);
    if (!f || !LLVMGetIntrinsicID(f))
        return;
    const char *name = LLVMGetValueName(f);
    const bool copies = strncmp(name, "llvm.memcpy.", 12) == 0 || strncmp(name, "llvm.memmove.", 13) == 0;
    if (copies || strncmp(name, "llvm.memset.", 12) == 0) {
        LLVMValueRef size = LLVMIsAConstantInt(LLVMGetOperand(i, 2));
        const uint64_t bytes = size ? LLVMConstIntGetZExtValue(size) : 0;
        sums[WEFT_COUNT_BYTES] += is_global(LLVMGetOperand(i, 0)) ? bytes : 0;
        sums[WEFT_COUNT_BYTES] += copies && is_global(LLVMGetOperand(i, 1)) ? bytes : 0;
    } else if (is_floating(LLVMTypeOf(i))) {
        const bool two = strncmp(name, "llvm.fma.", 9) == 0 || strncmp(name, "llvm.fmuladd.", 13) == 0;
        sums[WEFT_COUNT_OPERATIONS] += (two ? 2 : 1) * lanes_of(LLVMTypeOf(i));
    }
}

static void count(LLVMTargetDataRef layout, LLVMValueRef i, uint64_t *sums)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        if (is_global(LLVMGetOperand(i, 0)))
            sums[WEFT_COUNT_BYTES] += LLVMStoreSizeOfType(layout, LLVMTypeOf(i));
        break;
    case LLVMStore:
        if (is_global(LLVMGetOperand(i, 1)))
            sums[WEFT_COUNT_BYTES] += LLVMStoreSizeOfType(layout, LLVMTypeOf(LLVMGetOperand(i, 0)));
        break;
    case LLVMAtomicRMW: // reads and writes
        if (is_global(LLVMGetOperand(i, 0)))
            sums[WEFT_COUNT_BYTES] += 2 * LLVMStoreSizeOfType(layout, LLVMTypeOf(i));
        break;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
        sums[WEFT_COUNT_OPERATIONS] += lanes_of(LLVMTypeOf(i));
        break;
    case LLVMCall:
        count_call(i, sums);
        break;
    default:
        break;
    }
}

static void add(LLVMBuilderRef b, LLVMValueRef counters, unsigned which, uint64_t amount)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(counters));
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c);
    LLVMValueRef index = weftc_i64(c, which);
    LLVMValueRef place = LLVMBuildInBoundsGEP2(b, i64, counters, &index, 1, "");
    LLVMValueRef old = LLVMBuildLoad2(b, i64, place, "");
    LLVMSetVolatile(old, true);
    LLVMSetVolatile(LLVMBuildStore(b, LLVMBuildAdd(b, old, weftc_i64(c, amount), ""), place), true);
}

void weftc_count_work(LLVMModuleRef module, LLVMValueRef kernel)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMArrayType2(LLVMInt64TypeInContext(c), WEFT_COUNTS);
    LLVMValueRef counters = LLVMAddGlobal(module, type, WEFT_KERNEL_COUNTS_SYMBOL);
    LLVMSetInitializer(counters, LLVMConstNull(type));
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            uint64_t sums[WEFT_COUNTS] = {0};
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
                count(layout, i, sums);
            sums[WEFT_COUNT_ITEMS] = f == kernel && block == LLVMGetEntryBasicBlock(f);
            LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(block));
            for (unsigned k = 0; k < WEFT_COUNTS; k++)
                if (sums[k])
                    add(b, counters, k, sums[k]);
        }
    LLVMDisposeBuilder(b);
}
