// Implements what bridge/vectorize.h says of trees over a function's control flow.
#include "compiler/bridge/vectorize.h"

#include <algorithm>
#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>

using namespace llvm;

// Reverse post-order in which what belongs to one branch comes before what follows both: of the ways that lead
// on from a block, those that leave its loop come last, and before them those that dominate most. Where lanes
// part, each way that isn't next is a mask that waits. In a long `else if` chain, LLVM's order may put all
// conditions first: then all other blocks wait at once.
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
        SmallVector<BasicBlock *, 2> next(successors(b));
        stable_sort(next, [&](BasicBlock *x, BasicBlock *y) { return later(b, x) < later(b, y); });
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
