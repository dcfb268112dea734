// A function's blocks: trees, splitting, copying and outlining of parts. Stateless.
#include "compiler/bridge/passes.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

using namespace llvm;

LLVMBasicBlockRef weftc_bridge_split_block(LLVMValueRef instruction)
{
    Instruction *i = cast<Instruction>(unwrap(instruction));
    return wrap(i->getParent()->splitBasicBlock(i));
}

LLVMValueRef weftc_bridge_case_value(LLVMValueRef instruction, unsigned number)
{
    auto *i = cast<SwitchInst>(unwrap(instruction));
    return wrap(static_cast<Value *>((i->case_begin() + number)->getCaseValue()));
}

void weftc_bridge_post_dominators(LLVMValueRef f, const LLVMBasicBlockRef *blocks, size_t count,
                                  uint32_t *ipdom)
{
    PostDominatorTree tree(*cast<Function>(unwrap(f)));
    DenseMap<BasicBlock *, uint32_t> index;
    for (size_t i = 0; i < count; i++)
        index[unwrap(blocks[i])] = static_cast<uint32_t>(i);
    for (size_t i = 0; i < count; i++) {
        auto *node = tree.getNode(unwrap(blocks[i]));
        auto *parent = node ? node->getIDom() : nullptr;
        BasicBlock *block = parent ? parent->getBlock() : nullptr;
        ipdom[i] = block ? index.lookup(block) : UINT32_MAX;
    }
}

size_t weftc_bridge_max_loops(LLVMModuleRef module, size_t *all)
{
    size_t max_loops = 0, sum = 0;
    for (Function &f : *unwrap(module)) {
        if (f.isDeclaration())
            continue;
        DominatorTree tree(f);
        const size_t loops = LoopInfo(tree).getLoopsInPreorder().size();
        max_loops = std::max(max_loops, loops);
        sum += loops;
    }
    if (all)
        *all = sum;
    return max_loops;
}

// A part of a function: its blocks, the outside values that it uses, and the block that it exits to.
struct Part {
    SmallPtrSet<BasicBlock *, 32> blocks;
    SmallSetVector<Value *, 32> inputs;
    BasicBlock *exit = nullptr;
};

// Examines a part. Returns false if it can't become a function without a result.
static bool examine(Part &part, ArrayRef<BasicBlock *> blocks)
{
    part.blocks.insert(blocks.begin(), blocks.end());
    auto outside = [&](User *user) { return !part.blocks.contains(cast<Instruction>(user)->getParent()); };
    for (BasicBlock *block : blocks) {
        if (block->isEntryBlock() || (block != blocks[0] && any_of(predecessors(block), [&](BasicBlock *p) {
                                          return !part.blocks.contains(p);
                                      })))
            return false;
        for (Instruction &i : *block) {
            if (isa<AllocaInst>(i) || isa<ReturnInst>(i) || any_of(i.users(), outside))
                return false;
            for (Value *operand : i.operands()) {
                auto *other = dyn_cast<Instruction>(operand);
                if (isa<Argument>(operand) || (other && !part.blocks.contains(other->getParent())))
                    part.inputs.insert(operand);
            }
        }
        for (BasicBlock *to : successors(block)) {
            if (part.blocks.contains(to))
                continue;
            if (part.exit && part.exit != to)
                return false;
            part.exit = to;
        }
    }
    return part.exit && part.exit->phis().empty() && blocks[0]->phis().empty();
}

static Function *outline(Part &part, ArrayRef<BasicBlock *> blocks)
{
    Function *from = blocks[0]->getParent();
    LLVMContext &c = from->getContext();
    SmallVector<Type *, 32> types;
    for (Value *input : part.inputs)
        types.push_back(input->getType());
    auto *function = Function::Create(FunctionType::get(Type::getVoidTy(c), types, false),
                                      GlobalValue::InternalLinkage, from->getAddressSpace(),
                                      from->getName() + "." + blocks[0]->getName(), from->getParent());
    function->setAttributes(AttributeList::get(c, from->getAttributes().getFnAttrs(), AttributeSet(), {}));
    auto *call = BasicBlock::Create(c, "", from, blocks[0]);
    CallInst::Create(function, part.inputs.getArrayRef(), "", call)->setDoesNotThrow();
    BranchInst::Create(part.exit, call);
    SmallVector<BasicBlock *, 4> before;
    for (BasicBlock *p : predecessors(blocks[0]))
        if (!part.blocks.contains(p))
            before.push_back(p);
    for (BasicBlock *p : before)
        p->getTerminator()->replaceSuccessorWith(blocks[0], call);

    auto *entry = BasicBlock::Create(c, "", function), *end = BasicBlock::Create(c, "", function);
    BranchInst::Create(blocks[0], entry);
    ReturnInst::Create(c, end);
    DenseMap<Value *, Value *> here;
    for (size_t k = 0; k < part.inputs.size(); k++)
        here[part.inputs[k]] = function->getArg((unsigned)k);
    for (BasicBlock *block : blocks) {
        function->splice(end->getIterator(), from, block->getIterator());
        for (Instruction &i : *block)
            for (Use &operand : i.operands())
                if (Value *argument = here.lookup(operand))
                    operand.set(argument);
        block->getTerminator()->replaceSuccessorWith(part.exit, end);
    }
    return function;
}

// Not with LLVM's CodeExtractor: for each part it visits all uses of the part's inputs in the function, so
// its time is quadratic.
bool weftc_bridge_outline(const LLVMBasicBlockRef *blocks, const size_t *counts, size_t parts,
                          LLVMValueRef *functions)
{
    for (size_t i = 0; i < parts; blocks += counts[i++]) {
        SmallVector<BasicBlock *, 16> list;
        for (size_t k = 0; k < counts[i]; k++)
            list.push_back(unwrap(blocks[k]));
        Part part;
        if (!examine(part, list))
            return false;
        functions[i] = wrap(outline(part, list));
    }
    return true;
}

void weftc_bridge_take_branch(LLVMValueRef branch)
{
    auto *br = cast<BranchInst>(unwrap(branch));
    BasicBlock *from = br->getParent(), *to = br->getSuccessor(0), *other = br->getSuccessor(1);
    if (other != to)
        other->removePredecessor(from);
    BranchInst::Create(to, br->getIterator());
    br->eraseFromParent();
    removeUnreachableBlocks(*from->getParent());
}

void weftc_bridge_remove_unreachable(LLVMValueRef f)
{
    removeUnreachableBlocks(*cast<Function>(unwrap(f)));
}

void weftc_bridge_copy_blocks(LLVMValueRef into, const LLVMBasicBlockRef *blocks, size_t count,
                              const LLVMValueRef *from, const LLVMValueRef *to, size_t mapped,
                              LLVMBasicBlockRef *copies)
{
    Function *f = cast<Function>(unwrap(into));
    ValueToValueMapTy map;
    for (size_t i = 0; i < mapped; i++)
        map[unwrap(from[i])] = unwrap(to[i]);
    SmallPtrSet<BasicBlock *, 32> part;
    for (size_t i = 0; i < count; i++) {
        BasicBlock *copy = CloneBasicBlock(unwrap(blocks[i]), map, "", f);
        map[unwrap(blocks[i])] = copy;
        part.insert(unwrap(blocks[i]));
        copies[i] = wrap(copy);
    }
    for (size_t i = 0; i < count; i++) {
        for (Instruction &instruction : *unwrap(copies[i])) {
            if (auto *phi = dyn_cast<PHINode>(&instruction))
                for (unsigned k = phi->getNumIncomingValues(); k-- > 0;)
                    if (!part.count(phi->getIncomingBlock(k)))
                        phi->removeIncomingValue(k, false);
            RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
        }
    }
}
