// Metadata of instructions, loops and modules. Stateless.
#include "compiler/bridge/passes.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

LLVMMetadataRef weftc_bridge_alias_scope(LLVMContextRef c, LLVMMetadataRef domain, const char *name)
{
    MDBuilder builder(*unwrap(c));
    if (!domain)
        return wrap(builder.createAnonymousAliasScopeDomain(name));
    return wrap(builder.createAnonymousAliasScope(cast<MDNode>(unwrap(domain)), name));
}

LLVMMetadataRef weftc_bridge_distinct_node(LLVMContextRef c)
{
    return wrap(MDNode::getDistinct(*unwrap(c), {}));
}

void weftc_bridge_append_metadata(LLVMValueRef instruction, const char *kind, LLVMMetadataRef list)
{
    Instruction *i = cast<Instruction>(unwrap(instruction));
    unsigned id = i->getContext().getMDKindID(kind);
    i->setMetadata(id, MDNode::concatenate(i->getMetadata(id), cast<MDNode>(unwrap(list))));
}

void weftc_bridge_loop_properties(LLVMValueRef branch, LLVMMetadataRef group, unsigned vector_width)
{
    Instruction *i = cast<Instruction>(unwrap(branch));
    LLVMContext &c = i->getContext();
    SmallVector<Metadata *, 4> properties;
    properties.push_back(nullptr); // the node itself
    auto add = [&](const char *name, Metadata *value) {
        properties.push_back(MDNode::get(c, {MDString::get(c, name), value}));
    };
    if (group)
        add("llvm.loop.parallel_accesses", unwrap(group));
    if (vector_width) {
        Type *i32 = Type::getInt32Ty(c);
        add("llvm.loop.vectorize.width", ConstantAsMetadata::get(ConstantInt::get(i32, vector_width)));
        if (vector_width == 1)
            add("llvm.loop.interleave.count", ConstantAsMetadata::get(ConstantInt::get(i32, 1)));
    }
    MDNode *loop = MDNode::getDistinct(c, properties);
    loop->replaceOperandWith(0, loop);
    i->setMetadata(LLVMContext::MD_loop, loop);
}

// Adds a property to the loop whose latch ends in the branch, unless it has one whose name begins with
// `instead`.
static void add_property(Instruction &branch, Metadata *added, StringRef instead)
{
    SmallVector<Metadata *, 4> properties;
    properties.push_back(nullptr); // the node itself
    MDNode *old = branch.getMetadata(LLVMContext::MD_loop);
    for (unsigned k = 1; old && k < old->getNumOperands(); k++) {
        const MDNode *property = dyn_cast<MDNode>(old->getOperand(k));
        const MDString *name =
            property && property->getNumOperands() ? dyn_cast<MDString>(property->getOperand(0)) : nullptr;
        if (name && name->getString().starts_with(instead))
            return;
        properties.push_back(old->getOperand(k));
    }
    properties.push_back(added);
    MDNode *loop = MDNode::getDistinct(branch.getContext(), properties);
    loop->replaceOperandWith(0, loop);
    branch.setMetadata(LLVMContext::MD_loop, loop);
}

static void set_unroll_property(LLVMValueRef branch, const char *what)
{
    Instruction &i = *cast<Instruction>(unwrap(branch));
    LLVMContext &c = i.getContext();
    add_property(i, MDNode::get(c, {MDString::get(c, what)}), "llvm.loop.unroll");
}

// Loads and stores of the loop, at most one more than max.
static size_t count_accesses(const Loop &loop, size_t max)
{
    size_t count = 0;
    for (const BasicBlock *b : loop.blocks())
        for (const Instruction &i : *b)
            if ((isa<LoadInst>(i) || isa<StoreInst>(i)) && ++count > max)
                return count;
    return count;
}

bool weftc_bridge_keep_scalar(LLVMValueRef function, size_t max_accesses)
{
    Function &f = *cast<Function>(unwrap(function));
    DominatorTree dominators(f);
    LoopInfo loops(dominators);
    LLVMContext &c = f.getContext();
    bool any = false;
    for (const Loop *loop : loops.getLoopsInPreorder()) {
        if (!loop->isInnermost() || count_accesses(*loop, max_accesses) <= max_accesses)
            continue;
        any = true;
        SmallVector<BasicBlock *, 4> latches;
        loop->getLoopLatches(latches);
        Metadata *never[] = {MDString::get(c, "llvm.loop.vectorize.enable"),
                             ConstantAsMetadata::get(ConstantInt::getFalse(c))};
        for (BasicBlock *latch : latches)
            add_property(*latch->getTerminator(), MDNode::get(c, never), "llvm.loop.vectorize");
    }
    return any;
}

void weftc_bridge_keep_rolled(LLVMValueRef branch)
{
    set_unroll_property(branch, "llvm.loop.unroll.runtime.disable");
}

void weftc_bridge_never_unroll(LLVMValueRef branch)
{
    set_unroll_property(branch, "llvm.loop.unroll.disable");
}

// Where a program wants a loop to be unrolled that LLVM finds too long for that, LLVM makes iterations of up
// to 16384 instructions. It is quadratic in their number.
static void limit_pragma(Loop &loop, size_t size, size_t trips, size_t max)
{
    const size_t max_complete = 16384; // LLVM's own
    if (trips * size <= max_complete || getOptionalIntLoopAttribute(&loop, "llvm.loop.unroll.count") ||
        (!getBooleanLoopAttribute(&loop, "llvm.loop.unroll.enable") &&
         !getBooleanLoopAttribute(&loop, "llvm.loop.unroll.full")))
        return;
    unsigned count = 1;
    while (2 * count * size <= max && trips % (2 * count) == 0)
        count *= 2;
    addStringMetadataToLoop(&loop, "llvm.loop.unroll.count", count);
}

void weftc_bridge_keep_large_rolled(LLVMModuleRef module, size_t max, size_t max_unrolled)
{
    PassBuilder builder;
    FunctionAnalysisManager analyses;
    builder.registerFunctionAnalyses(analyses);
    PassInstrumentationCallbacks none;
    analyses.registerPass([&] { return PassInstrumentationAnalysis(&none); });
    for (Function &f : *unwrap(module)) {
        if (f.isDeclaration())
            continue;
        ScalarEvolution &evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
        for (Loop *loop : analyses.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
            size_t size = 0;
            for (const BasicBlock *b : loop->blocks())
                size += b->size();
            BasicBlock *latch = loop->getLoopLatch();
            if (latch && loop->isInnermost())
                limit_pragma(*loop, size, evolution.getSmallConstantTripCount(loop), max_unrolled);
            if (size > max && latch && evolution.getSmallConstantMaxTripCount(loop) == 0)
                set_unroll_property(wrap(latch->getTerminator()), "llvm.loop.unroll.disable");
        }
    }
}

void weftc_bridge_keep_only_lines(LLVMModuleRef module)
{
    stripNonLineTableDebugInfo(*unwrap(module));
}

LLVMValueRef weftc_bridge_last_operand(LLVMModuleRef module, const char *name)
{
    const NamedMDNode *list = unwrap(module)->getNamedMetadata(name);
    if (!list || list->getNumOperands() == 0)
        return nullptr;
    MDNode *last = list->getOperand(list->getNumOperands() - 1);
    return wrap(MetadataAsValue::get(last->getContext(), last));
}
