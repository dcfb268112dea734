// A function's blocks: trees, splitting, copying and outlining of parts. Stateless.
#include "compiler/bridge/passes.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ValueMapper.h>
#include <algorithm>

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

// ---- parts of large functions ----
// Unlike what weftc_bridge_outline makes, the values of such a part may be used outside, and its exit may
// choose between values.

namespace
{

struct MovedPart {
    SmallVector<BasicBlock *, 16> list;
    SmallPtrSet<BasicBlock *, 32> blocks;
    SmallSetVector<Value *, 32> inputs;
    SmallSetVector<Instruction *, 32> outputs;
    DenseMap<AllocaInst *, bool> own; // variables that it uses: does nothing else use them?

    bool contains(const Value *v) const
    {
        const auto *i = dyn_cast<Instruction>(v);
        return i && blocks.contains(i->getParent());
    }
    bool is_own(AllocaInst *variable) const;
    void find_values(const BasicBlock *to);
};

// Is the variable alive in the part only, and its address used nowhere else?
bool MovedPart::is_own(AllocaInst *variable) const
{
    SmallVector<Instruction *, 8> left = {variable};
    bool begins = false;
    for (unsigned steps = 0; !left.empty(); steps++) {
        Instruction *pointer = left.pop_back_val();
        for (User *user : pointer->users()) {
            if (!contains(user) || steps > 200)
                return false;
            auto *call = dyn_cast<IntrinsicInst>(user);
            auto *store = dyn_cast<StoreInst>(user);
            if (call && call->getIntrinsicID() == Intrinsic::lifetime_start)
                begins = true;
            else if (isa<GetElementPtrInst>(user))
                left.push_back(cast<Instruction>(user));
            else if (!isa<LoadInst>(user) && !(call && call->isLifetimeStartOrEnd()) &&
                     !(store && store->getValueOperand() != pointer))
                return false;
        }
    }
    return begins && variable->isStaticAlloca();
}

bool can_move(const Instruction &i)
{
    if (isa<AllocaInst>(i) || isa<ReturnInst>(i) || i.getType()->isTokenTy())
        return false;
    const auto *call = dyn_cast<IntrinsicInst>(&i);
    return !call || (call->getIntrinsicID() != Intrinsic::stacksave &&
                     call->getIntrinsicID() != Intrinsic::stackrestore);
}

// What PHIs of block `to` use isn't an output: these choose within the part.
void MovedPart::find_values(const BasicBlock *to)
{
    auto is_outside = [&](User *user) {
        return !contains(user) && !(isa<PHINode>(user) && cast<PHINode>(user)->getParent() == to);
    };
    inputs.clear();
    outputs.clear();
    for (BasicBlock *block : list)
        for (Instruction &i : *block) {
            if (any_of(i.users(), is_outside))
                outputs.insert(&i);
            for (Value *operand : i.operands()) {
                if (!isa<Argument>(operand) && !(isa<Instruction>(operand) && !contains(operand)))
                    continue;
                auto *variable = dyn_cast<AllocaInst>(operand);
                if (variable && own.find(variable) == own.end())
                    own[variable] = is_own(variable);
                if (!variable || !own.lookup(variable))
                    inputs.insert(operand);
            }
        }
}

// The variable is alive all the time: its lifetime begins in one function and ends in another.
void forget_lifetime(AllocaInst &variable)
{
    for (User *user : make_early_inc_range(variable.users()))
        if (auto *call = dyn_cast<IntrinsicInst>(user); call && call->isLifetimeStartOrEnd())
            call->eraseFromParent();
}

// Edges from blocks that the predicate names go to `middle` instead of `to`, which `middle` leads to. PHIs
// of `to` that chose between such edges now do so in `middle`.
template <typename Predicate> void redirect(BasicBlock *to, BasicBlock *middle, Predicate is_from)
{
    for (PHINode &phi : to->phis()) {
        auto *chosen = PHINode::Create(phi.getType(), 2, "", middle);
        for (unsigned k = phi.getNumIncomingValues(); k-- > 0;)
            if (is_from(phi.getIncomingBlock(k))) {
                chosen->addIncoming(phi.getIncomingValue(k), phi.getIncomingBlock(k));
                phi.removeIncomingValue(k, false);
            }
        phi.addIncoming(chosen, middle);
    }
    SmallVector<BasicBlock *, 4> from;
    for (BasicBlock *p : predecessors(to))
        if (is_from(p))
            from.push_back(p);
    for (BasicBlock *p : from)
        p->getTerminator()->replaceSuccessorWith(to, middle);
}

// Lines of what was moved belong to the new function.
void adopt_lines(Function *from, Function *function)
{
    DISubprogram *old = from->getSubprogram();
    if (!old)
        return;
    DIBuilder di(*from->getParent(), false, old->getUnit());
    auto *type = di.createSubroutineType(di.getOrCreateTypeArray({}));
    auto flags =
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized | DISubprogram::SPFlagLocalToUnit;
    auto *own = di.createFunction(old->getUnit(), function->getName(), function->getName(), old->getFile(), 0,
                                  type, 0, DINode::FlagZero, flags);
    function->setSubprogram(own);
    di.finalizeSubprogram(own);
    DenseMap<const MDNode *, MDNode *> cache;
    for (BasicBlock &block : *function)
        for (Instruction &i : block) {
            if (DebugLoc line = i.getDebugLoc())
                i.setDebugLoc(DebugLoc::replaceInlinedAtSubprogram(line, *own, i.getContext(), cache));
            updateLoopMetadataDebugLocations(i, [&](Metadata *m) -> Metadata * {
                auto *line = dyn_cast_or_null<DILocation>(m);
                return line ? DebugLoc::replaceInlinedAtSubprogram(line, *own, i.getContext(), cache).get()
                            : m;
            });
        }
}

// Variables of debug information that have values of the part are unknown from now on.
void forget_variables(Instruction &i)
{
    i.dropDbgRecords();
    if (i.isUsedByMetadata())
        ValueAsMetadata::handleRAUW(&i, PoisonValue::get(i.getType()));
}

} // namespace

LLVMValueRef weftc_bridge_move_out(const LLVMBasicBlockRef *blocks, size_t count, LLVMBasicBlockRef exit,
                                   unsigned max_values, LLVMValueRef *buffer, LLVMBasicBlockRef *call)
{
    MovedPart part;
    for (size_t k = 0; k < count; k++)
        part.list.push_back(unwrap(blocks[k]));
    part.blocks.insert(part.list.begin(), part.list.end());
    BasicBlock *first = part.list[0], *to = unwrap(exit);
    part.find_values(to);
    const auto phis = static_cast<size_t>(std::distance(to->phis().begin(), to->phis().end()));
    if (phis + part.inputs.size() + part.outputs.size() > max_values ||
        any_of(part.list,
               [](BasicBlock *block) { return block->isEntryBlock() || !all_of(*block, can_move); }))
        return nullptr;
    Function *from = first->getParent();
    LLVMContext &c = from->getContext();
    const DataLayout &layout = from->getParent()->getDataLayout();

    // Before the part: the block of the call. After it: one block that all its ways end in.
    auto *before = BasicBlock::Create(c, "", from, first), *end = BasicBlock::Create(c, "", from, to);
    redirect(first, before, [&](BasicBlock *p) { return !part.blocks.contains(p); });
    redirect(to, end, [&](BasicBlock *p) { return part.blocks.contains(p); });
    BranchInst::Create(to, end);
    part.list.push_back(end);
    part.blocks.insert(end);
    part.find_values(nullptr);

    SmallVector<uint64_t, 32> offsets;
    uint64_t size = 0;
    for (Instruction *output : part.outputs) {
        size = alignTo(size, layout.getABITypeAlign(output->getType()));
        offsets.push_back(size);
        size += layout.getTypeAllocSize(output->getType());
    }
    auto *room = cast_or_null<AllocaInst>(unwrap(*buffer));
    if (size > 0 && (!room || layout.getTypeAllocSize(room->getAllocatedType()) < size)) {
        IRBuilder<> b(&*from->getEntryBlock().getFirstInsertionPt());
        auto *larger = b.CreateAlloca(ArrayType::get(b.getInt8Ty(), size));
        larger->setAlignment(Align(64));
        if (room) {
            room->replaceAllUsesWith(larger);
            part.own.erase(room);
            room->eraseFromParent();
            part.find_values(nullptr);
        }
        room = larger;
        *buffer = wrap(room);
    }
    for (Value *input : part.inputs)
        if (auto *variable = dyn_cast<AllocaInst>(input); variable && variable != room)
            forget_lifetime(*variable);

    SmallVector<Type *, 32> types;
    SmallVector<Value *, 32> arguments(part.inputs.begin(), part.inputs.end());
    if (size > 0)
        arguments.push_back(room);
    for (Value *argument : arguments)
        types.push_back(argument->getType());
    auto *function =
        Function::Create(FunctionType::get(Type::getVoidTy(c), types, false), GlobalValue::InternalLinkage,
                         from->getAddressSpace(), from->getName() + ".part", from->getParent());
    function->setAttributes(AttributeList::get(c, from->getAttributes().getFnAttrs(), AttributeSet(), {}));
    auto *made = CallInst::Create(function, arguments, "", before);
    made->setDoesNotThrow();
    if (from->getSubprogram())
        made->setDebugLoc(DILocation::get(c, 0, 0, from->getSubprogram()));
    IRBuilder<> b(before);
    for (size_t k = 0; k < offsets.size(); k++) {
        Instruction *output = part.outputs[k];
        Value *place = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), room, offsets[k]);
        Value *loaded =
            b.CreateAlignedLoad(output->getType(), place, layout.getABITypeAlign(output->getType()));
        output->replaceUsesWithIf(loaded, [&](Use &use) { return !part.contains(use.getUser()); });
    }
    for (PHINode &phi : to->phis())
        phi.replaceIncomingBlockWith(end, before);
    b.CreateBr(to);

    auto *entry = BasicBlock::Create(c, "", function);
    BranchInst *enter = BranchInst::Create(first, entry);
    for (auto [variable, is_own] : part.own)
        if (is_own)
            variable->moveBefore(enter);
    DenseMap<Value *, Value *> here;
    for (size_t k = 0; k < part.inputs.size(); k++)
        here[part.inputs[k]] = function->getArg(static_cast<unsigned>(k));
    first->replacePhiUsesWith(before, entry);
    for (BasicBlock *block : part.list) {
        for (Instruction &i : make_early_inc_range(*block))
            forget_variables(i);
        function->splice(function->end(), from, block->getIterator());
        for (Instruction &i : *block)
            for (Use &operand : i.operands())
                if (Value *argument = here.lookup(operand))
                    operand.set(argument);
    }
    end->getTerminator()->eraseFromParent();
    b.SetInsertPoint(end);
    for (size_t k = 0; k < offsets.size(); k++) {
        Value *place = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), function->getArg(function->arg_size() - 1),
                                                    offsets[k]);
        b.CreateAlignedStore(part.outputs[k], place, layout.getABITypeAlign(part.outputs[k]->getType()));
    }
    b.CreateRetVoid();
    adopt_lines(from, function);
    *call = wrap(before);
    return wrap(function);
}
