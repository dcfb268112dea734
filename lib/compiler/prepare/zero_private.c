// Private memory that begins as zeros (cl_khr_initialize_memory). Each variable is written right after its
// alloca, before any pass can see that the program reads it uninitialized. It then lives as long as its
// function: lifetime markers are removed, so that an iteration of a loop finds what the one before left.
// Stateless.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/ir/llvm_helpers.h"
#include "compiler/prepare/prepare.h"

// Does a store leave padding unwritten, in a structure or after a vector of three elements?
static bool has_padding(LLVMTargetDataRef layout, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind ||
           LLVMSizeOfTypeInBits(layout, type) != 8 * LLVMABISizeOfType(layout, type);
}

static void write_zeros(LLVMBuilderRef b, LLVMTargetDataRef layout, LLVMValueRef variable)
{
    LLVMTypeRef type = LLVMGetAllocatedType(variable), i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef count = LLVMGetOperand(variable, 0);
    uint64_t bytes = LLVMABISizeOfType(layout, type);
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(variable));
    if (!has_padding(layout, type) && LLVMIsAConstantInt(count) && LLVMConstIntGetZExtValue(count) == 1) {
        LLVMSetAlignment(LLVMBuildStore(b, LLVMConstNull(type), variable), LLVMGetAlignment(variable));
        return;
    }
    LLVMValueRef size =
        LLVMBuildMul(b, LLVMBuildIntCast2(b, count, i64, false, ""), LLVMConstInt(i64, bytes, false), "");
    LLVMBuildMemSet(b, variable, LLVMConstNull(LLVMInt8TypeInContext(LLVMGetTypeContext(type))), size,
                    LLVMGetAlignment(variable));
}

static bool is_small(LLVMTargetDataRef layout, LLVMValueRef variable)
{
    enum { SMALL = 128 };
    LLVMValueRef count = LLVMIsAConstantInt(LLVMGetOperand(variable, 0));
    return count && LLVMConstIntGetZExtValue(count) == 1 &&
           LLVMABISizeOfType(layout, LLVMGetAllocatedType(variable)) <= SMALL;
}

// all: for the whole life of the kernel, so variables have no other one.
static void begin_with_zeros(LLVMModuleRef module, bool all)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (all &&
                    weftc_is_lifetime(i)) // whatever the address was cast to: SPIR-V modules cast it first
                    LLVMInstructionEraseFromParent(i);
                else if (LLVMIsAAllocaInst(i) && (all || is_small(layout, i)))
                    write_zeros(b, layout, i);
            }
    LLVMDisposeBuilder(b);
}

void weftc_prepare_define_private(LLVMModuleRef module)
{
    begin_with_zeros(module, false);
}

void weftc_prepare_zero_private(LLVMModuleRef module)
{
    begin_with_zeros(module, true);
}
