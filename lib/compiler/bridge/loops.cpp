// Implements what bridge/vectorize.h says of loops in general, and of trees over control flow.
#include "compiler/bridge/vectorize.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

// ---- trees ----

// Reverse post-order in which what belongs to one branch comes before what follows both: of the ways that
// lead on from a block, those that leave its loop come last, and before them those that dominate most. Where
// lanes part, each way that isn't next is a mask that waits. In a long `else if` chain, LLVM's order may put
// all conditions first: then all other blocks wait at once.
static SmallVector<BasicBlock *, 0> nested_order(Function &f, const DominatorTree &dominators,
                                                 const LoopInfo &loops)
{
    dominators.updateDFSNumbers();
    const auto later = [&](BasicBlock *from, BasicBlock *to) {
        const Loop *loop = loops.getLoopFor(from);
        const auto *node = dominators.getNode(to);
        return std::pair(loop && !loop->contains(to), node->getDFSNumOut() - node->getDFSNumIn());
    };
    const auto visit_order = [&](BasicBlock *b) {
        // Of equals the earlier one comes first. (std::stable_sort calls what C++17 deprecates.)
        SmallVector<std::tuple<std::pair<bool, unsigned>, size_t, BasicBlock *>, 2> ways;
        for (BasicBlock *to : successors(b))
            ways.emplace_back(later(b, to), ways.size(), to);
        llvm::sort(ways);
        SmallVector<BasicBlock *, 2> next;
        for (const auto &way : ways)
            next.push_back(std::get<BasicBlock *>(way));
        return next; // the last one is visited first
    };
    SmallVector<BasicBlock *, 0> order;
    SmallVector<std::pair<BasicBlock *, SmallVector<BasicBlock *, 2>>, 16> path;
    DenseSet<const BasicBlock *> met;
    met.insert(&f.getEntryBlock());
    path.emplace_back(&f.getEntryBlock(), visit_order(&f.getEntryBlock()));
    while (!path.empty()) {
        auto &[block, next] = path.back();
        if (next.empty()) {
            order.push_back(block);
            path.pop_back();
        } else if (BasicBlock *to = next.pop_back_val(); met.insert(to).second) {
            path.emplace_back(to, visit_order(to));
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

void weftc_bridge_trees(LLVMValueRef function, struct weftc_bridge_trees *t)
{
    Function &f = *cast<Function>(unwrap(function));
    DominatorTree dominators(f);
    LoopInfo loops(dominators);
    DenseMap<const BasicBlock *, uint32_t> index;
    uint32_t count = 0;
    for (BasicBlock &b : f)
        index[&b] = count++;
    DenseMap<const Loop *, uint32_t> number;
    t->loop_count = 0;
    for (Loop *l : loops.getLoopsInPreorder()) {
        uint32_t n = static_cast<uint32_t>(t->loop_count++);
        number[l] = n;
        t->loop_parent[n] = l->getParentLoop() ? number.lookup(l->getParentLoop()) : UINT32_MAX;
        t->loop_header[n] = index.lookup(l->getHeader());
    }
    for (BasicBlock &b : f) {
        uint32_t n = index.lookup(&b);
        auto *node = dominators.getNode(&b);
        t->idom[n] = node && node->getIDom() ? index.lookup(node->getIDom()->getBlock()) : UINT32_MAX;
        Loop *l = loops.getLoopFor(&b);
        t->loop[n] = l ? number.lookup(l) : UINT32_MAX;
    }
    ReversePostOrderTraversal<Function *> order(&f);
    t->reached = 0;
    const size_t many = 256; // blocks
    if (f.size() <= many)
        for (BasicBlock *b : order)
            t->order[t->reached++] = index.lookup(b);
    else
        for (BasicBlock *b : nested_order(f, dominators, loops))
            t->order[t->reached++] = index.lookup(b);
    t->reducible =
        !containsIrreducibleCFG<BasicBlock *, ReversePostOrderTraversal<Function *>, LoopInfo>(order, loops);
}

// ---- sizes ----

size_t weftc_bridge_loop_count(LLVMValueRef function)
{
    DominatorTree dominators(*cast<Function>(unwrap(function)));
    return LoopInfo(dominators).getLoopsInPreorder().size();
}

size_t weftc_bridge_most_exits(LLVMValueRef function)
{
    DominatorTree dominators(*cast<Function>(unwrap(function)));
    LoopInfo loops(dominators);
    size_t most = 0;
    for (Loop *loop : loops.getLoopsInPreorder()) {
        SmallVector<BasicBlock *, 16> exiting;
        loop->getExitingBlocks(exiting);
        most = std::max(most, exiting.size());
    }
    return most;
}

size_t weftc_bridge_most_carried(LLVMValueRef function)
{
    DominatorTree dominators(*cast<Function>(unwrap(function)));
    LoopInfo loops(dominators);
    size_t most = 0;
    for (Loop *loop : loops.getLoopsInPreorder()) {
        auto phis = loop->getHeader()->phis();
        const size_t variables = static_cast<size_t>(std::distance(phis.begin(), phis.end()));
        most = std::max(most, variables * loop->getNumBlocks());
    }
    return most;
}

size_t weftc_bridge_loop_depth(LLVMValueRef function)
{
    DominatorTree dominators(*cast<Function>(unwrap(function)));
    LoopInfo loops(dominators);
    size_t blocks = 0, depths = 0;
    for (BasicBlock &b : *cast<Function>(unwrap(function))) {
        depths += loops.getLoopDepth(&b);
        blocks++;
    }
    return depths / blocks;
}

// ---- simplified loops ----

// Gives the edges to block `to` that come from outside of the loop (or, if `inside`, from the loop) a block
// of their own, if they have none. Returns that block, or null.
static BasicBlock *split_edges(const Loop &loop, BasicBlock *to, bool inside)
{
    SmallVector<BasicBlock *, 8> from;
    for (BasicBlock *b : predecessors(to)) {
        if (isa<IndirectBrInst>(b->getTerminator()))
            return nullptr;
        if (loop.contains(b) == inside && !is_contained(from, b))
            from.push_back(b);
    }
    return from.empty() ? nullptr : SplitBlockPredecessors(to, from, ".of_loop");
}

static void add_preheader(Loop &loop, LoopInfo &loops)
{
    if (loop.getLoopPreheader())
        return;
    BasicBlock *preheader = split_edges(loop, loop.getHeader(), false);
    if (preheader && loop.getParentLoop())
        loop.getParentLoop()->addBasicBlockToLoop(preheader, loops);
}

static void add_exits(Loop &loop, LoopInfo &loops)
{
    SmallVector<BasicBlock *, 8> exits;
    loop.getUniqueExitBlocks(exits);
    for (BasicBlock *exit : exits) {
        if (all_of(predecessors(exit), [&](BasicBlock *b) { return loop.contains(b); }))
            continue;
        BasicBlock *own = split_edges(loop, exit, true);
        Loop *around = loops.getLoopFor(exit);
        while (around && !around->contains(&loop))
            around = around->getParentLoop();
        if (own && around)
            around->addBasicBlockToLoop(own, loops);
    }
}

// LLVM updates the dominator tree for each block that it adds, and in a row of loops visits all that follow.
// Here the tree is made when all blocks are there.
static void add_blocks_of_loops(Function &f)
{
    DominatorTree dominators(f);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder()) {
        add_preheader(*loop, loops);
        add_exits(*loop, loops);
    }
}

void weftc_bridge_simplify_loops(LLVMValueRef function)
{
    Function &f = *cast<Function>(unwrap(function));
    add_blocks_of_loops(f);
    DominatorTree dominators(f);
    LoopInfo loops(dominators);
    AssumptionCache assumptions(f);
    for (Loop *l : loops)
        simplifyLoop(l, &dominators, &loops, nullptr, &assumptions, nullptr, false);
}

// ---- closed loops ----

static bool leaves(const Use &use, const Loop &loop)
{
    const auto *user = cast<Instruction>(use.getUser());
    const auto *phi = dyn_cast<PHINode>(user);
    return !loop.contains(phi ? phi->getIncomingBlock(use) : user->getParent());
}

void weftc_bridge_close_loops(LLVMValueRef function)
{
    weftc_bridge_simplify_loops(function);
    Function &f = *cast<Function>(unwrap(function));
    DominatorTree dominators(f);
    LoopInfo loops(dominators);
    SmallVector<Instruction *, 64> leaving;
    for (BasicBlock &b : f) {
        const Loop *loop = loops.getLoopFor(&b);
        for (Instruction &i : b)
            if (loop && !i.getType()->isTokenTy() &&
                any_of(i.uses(), [&](const Use &u) { return leaves(u, *loop); }))
                leaving.push_back(&i);
    }
    formLCSSAForInstructions(leaving, dominators, loops, nullptr);
}

// ---- rotated loops ----

// Hands what the header computes to the other blocks of the loop by phis. Only the operands of these are then
// to be changed when the loop is rotated. They are in the second block behind the header: rotation removes
// phis from the first one, if they have one operand.
static void enter_by_phis(Loop &loop, LoopInfo &loops)
{
    BasicBlock *header = loop.getHeader(), *first = nullptr;
    for (BasicBlock *b : successors(header))
        if (loop.contains(b) && b != header)
            first = b;
    if (!first || first->getSinglePredecessor() != header || isa<PHINode>(first->front()))
        return;
    BasicBlock *second = first->splitBasicBlock(first->begin());
    loop.addBasicBlockToLoop(second, loops);
    for (Instruction &i : *header) {
        SmallVector<Use *, 16> uses;
        for (Use &use : i.uses()) {
            auto *user = cast<Instruction>(use.getUser());
            auto *phi = dyn_cast<PHINode>(user);
            const BasicBlock *where = phi ? phi->getIncomingBlock(use) : user->getParent();
            if (where != header && loop.contains(where))
                uses.push_back(&use);
        }
        if (uses.empty() || i.getType()->isTokenTy())
            continue;
        PHINode *entered = PHINode::Create(i.getType(), 1, "");
        entered->insertBefore(second->begin());
        entered->addIncoming(&i, first);
        for (Use *use : uses)
            use->set(entered);
    }
}

void weftc_bridge_rotate_loops(LLVMValueRef function, LLVMTargetMachineRef machine)
{
    Function &f = *cast<Function>(unwrap(function));
    DominatorTree dominators(f);
    LoopInfo loops(dominators);
    AssumptionCache assumptions(f);
    TargetTransformInfo costs = reinterpret_cast<TargetMachine *>(machine)->getTargetTransformInfo(f);
    const SimplifyQuery query(f.getDataLayout(), nullptr, nullptr, &assumptions);
    const unsigned max_header = 16; // LLVM's default, in instructions
    auto list = loops.getLoopsInPreorder();
    // Without the dominator tree, which nothing here asks for. In a row of loops each loop dominates all that
    // follow, and LLVM's update of the tree visits all of them.
    for (Loop *loop : reverse(list)) { // inner loops first
        enter_by_phis(*loop, loops);
        LoopRotation(loop, &loops, &costs, &assumptions, nullptr, nullptr, nullptr, query, false, max_header,
                     false);
    }
}

// ---- rows of loops ----

// Is it used in a loop at whose start it is what iterations hand on?
static bool is_variable_of(const Instruction &i, const BasicBlock *where, const LoopInfo &loops)
{
    return isa<PHINode>(i) && loops.isLoopHeader(i.getParent()) &&
           loops.getLoopFor(i.getParent())->contains(where);
}

// Hides what one part of the function computes from the parts that follow: it becomes a vector of one element
// and a number again. A part has `every` loops.
static void hide_results(Function &f, const LoopInfo &loops, unsigned every)
{
    DenseMap<const BasicBlock *, unsigned> part;
    unsigned count = 0;
    for (const BasicBlock *b : ReversePostOrderTraversal<const Function *>(&f)) {
        count += loops.isLoopHeader(b);
        part[b] = count / every;
    }
    SmallVector<Instruction *, 64> results;
    for (BasicBlock &b : f)
        for (Instruction &i : b)
            if (part.count(&b) && !b.isEntryBlock() &&
                (i.getType()->isIntegerTy() || i.getType()->isPointerTy()))
                results.push_back(&i);
    for (Instruction *i : results) {
        DenseMap<BasicBlock *, Value *> hidden;
        for (Use &use : make_early_inc_range(i->uses())) {
            auto *user = cast<Instruction>(use.getUser());
            auto *phi = dyn_cast<PHINode>(user);
            BasicBlock *where = phi ? phi->getIncomingBlock(use) : user->getParent();
            // What a loop begins with belongs to the loop, though it comes from the block before.
            if (!part.count(where) || part[user->getParent()] <= part[i->getParent()] ||
                is_variable_of(*i, where, loops))
                continue;
            Value *&number = hidden[where];
            if (!number) {
                const auto at = where == i->getParent() ? where->getTerminator()->getIterator()
                                                        : where->getFirstInsertionPt();
                auto *vector = new BitCastInst(i, FixedVectorType::get(i->getType(), 1), "", at);
                number = new BitCastInst(vector, i->getType(), "", at);
            }
            use.set(number);
        }
    }
}

void weftc_bridge_part_loops(LLVMValueRef function, unsigned every)
{
    Function &f = *cast<Function>(unwrap(function));
    SmallVector<BasicBlock *, 64> exits;
    {
        DominatorTree dominators(f);
        LoopInfo loops(dominators);
        unsigned count = 0;
        for (const Loop *loop : loops.getLoopsInPreorder())
            if (BasicBlock *exit = loop->getUniqueExitBlock(); exit && ++count % every == 0)
                exits.push_back(exit);
        hide_results(f, loops, every);
    }
    for (BasicBlock *exit : exits) {
        const auto at = exit->getFirstNonPHIIt();
        BasicBlock *rest = exit->splitBasicBlock(at);
        exit->getTerminator()->eraseFromParent();
        LLVMContext &c = f.getContext();
        BasicBlock *ways[2];
        for (BasicBlock *&way : ways) {
            way = BasicBlock::Create(c, "", &f, rest);
            BranchInst::Create(rest, way);
        }
        auto *unknown = new FreezeInst(PoisonValue::get(Type::getInt1Ty(c)), "", exit);
        BranchInst::Create(ways[0], ways[1], unknown, exit);
    }
}
