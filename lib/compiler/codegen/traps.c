// Traps of programs (__builtin_trap) end the command as an invalid instruction, SIGILL. On some processors
// LLVM makes them breakpoints, which are the debugger's signal, SIGTRAP. There they become the family's own
// instruction (arch/target.h).
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"
#include "compiler/codegen/codegen.h"

void weftc_lower_traps(LLVMModuleRef module)
{
    LLVMValueRef trap = LLVMGetNamedFunction(module, "llvm.trap");
    const char *instruction = weftc_target_ops->trap;
    if (!trap || !instruction)
        return;
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c), NULL, 0, false);
    LLVMValueRef assembly = LLVMGetInlineAsm(type, instruction, strlen(instruction), "", 0, true, false,
                                             LLVMInlineAsmDialectATT, false);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(trap));) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMPositionBuilderBefore(b, call);
        LLVMBuildCall2(b, type, assembly, NULL, 0, "");
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDisposeBuilder(b);
    LLVMDeleteFunction(trap);
}
