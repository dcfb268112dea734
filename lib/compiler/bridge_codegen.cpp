// See bridge_passes.h. LLVM's code generator, put together here and not by addPassesToEmitFile, so that blocks can
// be cut behind the pass that would put them together again, CodeGenPrepare. C++ because LLVM is.
#include "bridge_passes.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;

namespace
{

class BlockCutter final : public FunctionPass
{
  public:
    static char ID;

    explicit BlockCutter(size_t longest) : FunctionPass(ID), longest(longest)
    {
    }

    bool runOnFunction(Function &f) override
    {
        SmallVector<BasicBlock *, 16> blocks;
        for (BasicBlock &b : f)
            if (b.size() > longest)
                blocks.push_back(&b);
        for (BasicBlock *b : blocks)
            cut(*b);
        return !blocks.empty();
    }

  private:
    const size_t longest;

    // From the end on, so that each instruction is moved once.
    void cut(BasicBlock &b)
    {
        size_t piece = 0;
        for (Instruction *i = b.getTerminator(); i && !isa<PHINode>(i) && !isa<AllocaInst>(i);) {
            Instruction *before = i->getPrevNode();
            if (++piece >= longest && before) {
                b.splitBasicBlock(i);
                piece = 0;
            }
            i = before;
        }
    }
};

char BlockCutter::ID;

} // namespace

bool weftc_bridge_emit(LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType type,
                       size_t longest_block, LLVMMemoryBufferRef *out)
{
    auto &m = *reinterpret_cast<LLVMTargetMachine *>(machine);
    SmallVector<char, 0> code;
    raw_svector_ostream stream(code);
    legacy::PassManager passes;
    auto *info = new MachineModuleInfoWrapperPass(&m);
    TargetPassConfig *config = m.createPassConfig(passes);
    // A tenth of what quick code costs. Code of the other tier is verified.
    config->setDisableVerify(m.getOptLevel() == CodeGenOptLevel::None);
    passes.add(config);
    passes.add(info);
    if (longest_block) {
        std::unique_ptr<Pass> prepare(createCodeGenPrepareLegacyPass());
        config->insertPass(prepare->getPassID(), new BlockCutter(longest_block));
    }
    if (config->addISelPasses())
        return false;
    config->addMachinePasses();
    config->setInitialized();
    if (m.addAsmPrinter(passes, stream, nullptr, static_cast<CodeGenFileType>(type),
                        info->getMMI().getContext()))
        return false;
    passes.add(createFreeMachineFunctionPass());
    passes.run(*unwrap(module));
    *out = LLVMCreateMemoryBufferWithMemoryRangeCopy(code.data(), code.size(), "");
    return true;
}
