// Implements bridge/stack_safety.h with LLVM's StackSafety analysis.
#include "compiler/bridge/stack_safety.h"

#include <llvm/Analysis/StackSafetyAnalysis.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;

struct weftc_bridge_stack {
    PassBuilder builder;
    LoopAnalysisManager lam;
    FunctionAnalysisManager fam;
    CGSCCAnalysisManager cam;
    ModuleAnalysisManager mam;
    const StackSafetyGlobalInfo *info;

    weftc_bridge_stack(Module &module, TargetMachine *machine) : builder(machine)
    {
        builder.registerLoopAnalyses(lam);
        builder.registerFunctionAnalyses(fam);
        builder.registerCGSCCAnalyses(cam);
        builder.registerModuleAnalyses(mam);
        builder.crossRegisterProxies(lam, fam, cam, mam);
        info = &mam.getResult<StackSafetyGlobalAnalysis>(module);
    }
};

struct weftc_bridge_stack *weftc_bridge_stack_read(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    return new weftc_bridge_stack(*unwrap(module), reinterpret_cast<TargetMachine *>(machine));
}

void weftc_bridge_stack_free(struct weftc_bridge_stack *s)
{
    delete s;
}

bool weftc_bridge_stack_safe(const struct weftc_bridge_stack *s, LLVMValueRef alloca)
{
    return s->info->isSafe(*cast<AllocaInst>(unwrap(alloca)));
}

bool weftc_bridge_write_safe(const struct weftc_bridge_stack *s, LLVMValueRef instruction)
{
    const Instruction &i = *cast<Instruction>(unwrap(instruction));
    bool known =
        isa<StoreInst>(i) || isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i) || isa<MemIntrinsic>(i);
    return !i.mayWriteToMemory() || (known && s->info->stackAccessIsSafe(i));
}
