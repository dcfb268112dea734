// Implements bridge/codegen.h. Builds LLVM's code generation pipeline itself instead of calling
// addPassesToEmitFile. Otherwise blocks could not be cut after CodeGenPrepare, the pass that would join them
// again.
#include "compiler/bridge/codegen.h"
#include "compiler/bridge/versions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <map>
#include <memory>
#include <string>
#include <utility>

using namespace llvm;

namespace
{

class BlockCutter final : public FunctionPass
{
  public:
    static char ID;

    BlockCutter(size_t longest, size_t max_piece) : FunctionPass(ID), longest(longest), max_piece(max_piece)
    {
    }

    bool runOnFunction(Function &f) override
    {
        SmallVector<BasicBlock *, 16> blocks;
        size_t shuffles = 0;
        for (BasicBlock &b : f)
            shuffles += count_if(b, is_shuffle);
        shuffle_size = shuffles > MANY_SHUFFLES ? SHUFFLE : 1;
        for (BasicBlock &b : f)
            if (b.size() > longest || any_of(b, is_own_call) ||
                (shuffle_size > 1 && count_if(b, is_shuffle) > MAX_SHUFFLES))
                blocks.push_back(&b);
        for (BasicBlock *b : blocks)
            cut(*b);
        return !blocks.empty();
    }

  private:
    const size_t longest, max_piece; // maximum size of a block that isn't cut, and of a piece
    size_t shuffle_size = 1;         // what a shuffle counts in a piece

    // Also cuts before calls: the uses of a call's result are then computed before the next call. Within one
    // block, the scheduler of instruction selection would move them to the end, and the results of all calls
    // would be live until then.
    static bool is_own_call(const Instruction &i)
    {
        const auto *call = dyn_cast<CallInst>(&i);
        const Function *callee = call ? call->getCalledFunction() : nullptr;
        return callee && !callee->isDeclaration();
    }

    // Selection looks for a shorter form of each shuffle, and of each sum of shuffled numbers, through all
    // shuffles that it is made of, again after each change. So where a function has very many of them, a
    // piece has few layers.
    enum { MANY_SHUFFLES = 1000, MAX_SHUFFLES = 24, SHUFFLE = 5 };

    static bool is_shuffle(const Instruction &i)
    {
        return isa<ShuffleVectorInst>(i) && !isa<PoisonValue>(i.getOperand(1));
    }

    // Starts at the end of the block, so that each instruction is moved only once.
    void cut(BasicBlock &b)
    {
        size_t piece = 0;
        for (Instruction *i = b.getTerminator(); i && !isa<PHINode>(i) && !isa<AllocaInst>(i);) {
            Instruction *before = i->getPrevNode();
            piece += is_shuffle(*i) ? shuffle_size : 1;
            if ((piece >= max_piece || is_own_call(*i)) && before) {
                b.splitBasicBlock(i);
                piece = 0;
            }
            i = before;
        }
    }
};

char BlockCutter::ID;

} // namespace

namespace
{

// The passes of a code generator, in order. They can be run on several modules, one after the other.
struct emitter {
    const LLVMTargetMachineRef machine;
    const LLVMCodeGenFileType type;
    const size_t longest_block, piece;
    SmallVector<char, 0> code;
    raw_svector_ostream stream{code};
    legacy::PassManager passes;

    emitter(LLVMTargetMachineRef machine, LLVMCodeGenFileType type, size_t longest_block, size_t piece)
        : machine(machine), type(type), longest_block(longest_block), piece(piece)
    {
    }
    bool suits(LLVMTargetMachineRef m, LLVMCodeGenFileType t, size_t longest, size_t max_piece) const
    {
        return machine == m && type == t && longest_block == longest && piece == max_piece;
    }
    bool add_passes();
};

bool emitter::add_passes()
{
    auto &m = *reinterpret_cast<versions::target_machine *>(machine);
    auto *info = new MachineModuleInfoWrapperPass(&m);
    TargetPassConfig *config = m.createPassConfig(passes);
    // Verification takes a tenth of the time for quick code. Only better code is verified.
    config->setDisableVerify(m.getOptLevel() == CodeGenOptLevel::None);
    passes.add(config);
    passes.add(info);
    if (longest_block) {
        std::unique_ptr<Pass> prepare(createCodeGenPrepareLegacyPass());
        config->insertPass(prepare->getPassID(), new BlockCutter(longest_block, piece));
    }
    if (config->addISelPasses())
        return false;
    config->addMachinePasses();
    config->setInitialized();
    if (m.addAsmPrinter(passes, stream, nullptr, static_cast<CodeGenFileType>(type),
                        info->getMMI().getContext()))
        return false;
    passes.add(createFreeMachineFunctionPass());
    return true;
}

} // namespace

namespace
{

// Hears what the register allocator remarks of each function, for as long as it exists. All else goes to the
// context's own handler.
class SpillCounter final : public DiagnosticHandler
{
  public:
    SpillCounter(std::unique_ptr<DiagnosticHandler> other, uint32_t &spills)
        : other(std::move(other)), spills(spills)
    {
    }
    std::unique_ptr<DiagnosticHandler> take_other()
    {
        return std::move(other);
    }
    bool handleDiagnostics(const DiagnosticInfo &info) override
    {
        const auto *remark = dyn_cast<DiagnosticInfoOptimizationBase>(&info);
        if (!remark)
            return other && other->handleDiagnostics(info);
        // Those of loops are part of the function's.
        if (remark->getPassName() != "regalloc" || remark->getRemarkName() != "SpillReloadCopies")
            return true;
        for (const DiagnosticInfoOptimizationBase::Argument &a : remark->getArgs()) {
            unsigned number = 0;
            if ((a.Key == "NumSpills" || a.Key == "NumFoldedSpills") &&
                !StringRef(a.Val).getAsInteger(10, number))
                spills += number;
        }
        return true;
    }
    bool isMissedOptRemarkEnabled(StringRef pass) const override
    {
        return pass == "regalloc";
    }
    using DiagnosticHandler::isAnyRemarkEnabled; // of a pass: asks the function above
    bool isAnyRemarkEnabled() const override
    {
        return true;
    }

  private:
    std::unique_ptr<DiagnosticHandler> other;
    uint32_t &spills;
};

} // namespace

bool weftc_bridge_emit(LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType type,
                       size_t longest_block, size_t piece, LLVMMemoryBufferRef *out, uint32_t *spills)
{
    // Setting up the passes takes a tenth of the time of a quick compile. So the passes for quick code are
    // kept. Other passes depend on options of LLVM that choose_passes changes.
    static emitter *quick; // never destroyed: at exit the target machine no longer exists
    bool keeps_passes = reinterpret_cast<TargetMachine *>(machine)->getOptLevel() == CodeGenOptLevel::None;
    std::unique_ptr<emitter> e;
    if (keeps_passes && quick && quick->suits(machine, type, longest_block, piece))
        e.reset(std::exchange(quick, nullptr));
    if (!e) {
        e = std::make_unique<emitter>(machine, type, longest_block, piece);
        if (!e->add_passes())
            return false;
    }
    e->code.clear();
    *spills = keeps_passes ? UINT32_MAX : 0;
    if (keeps_passes) {
        e->passes.run(*unwrap(module));
    } else {
        LLVMContext &context = unwrap(module)->getContext();
        auto counter = std::make_unique<SpillCounter>(context.getDiagnosticHandler(), *spills);
        SpillCounter &heard = *counter;
        context.setDiagnosticHandler(std::move(counter));
        e->passes.run(*unwrap(module));
        context.setDiagnosticHandler(heard.take_other());
    }
    *out = LLVMCreateMemoryBufferWithMemoryRangeCopy(e->code.data(), e->code.size(), "");
    if (keeps_passes)
        quick = e.release();
    return true;
}

// ---- Options of code generation ----

void weftc_bridge_emit_stack_sizes(LLVMTargetMachineRef machine)
{
    reinterpret_cast<TargetMachine *>(machine)->Options.EmitStackSizeSection = true;
}

void weftc_bridge_set_codegen_level(LLVMTargetMachineRef machine, LLVMCodeGenOptLevel level)
{
    TargetMachine &m = *reinterpret_cast<TargetMachine *>(machine);
    m.setOptLevel(static_cast<CodeGenOptLevel>(level));
    m.setFastISel(level == LLVMCodeGenLevelNone); // codegen itself only ever enables it
}

void weftc_bridge_follow_variables(LLVMTargetMachineRef machine, bool follow)
{
    reinterpret_cast<TargetMachine *>(machine)->Options.ValueTrackingVariableLocations = follow;
}

static void set_option(const char *name, const std::string &value)
{
    auto &options = cl::getRegisteredOptions();
    auto found = options.find(name);
    if (found != options.end())
        found->second->addOccurrence(1, name, value);
}

void weftc_bridge_set_option(const char *name, bool value)
{
    set_option(name, value ? "true" : "false");
}

void weftc_bridge_set_number(const char *name, unsigned value)
{
    set_option(name, std::to_string(value));
}

static std::map<std::string, std::string> kept;

void weftc_bridge_keep_number(const char *name, unsigned value)
{
    kept[name] = std::to_string(value);
    set_option(name, kept[name]);
}

void weftc_bridge_set_kept_options()
{
    for (const auto &[name, value] : kept)
        set_option(name.c_str(), value);
}
