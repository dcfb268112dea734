// Blocks that very many edges lead to: the end of a switch of a thousand cases, or of a tree of conditions.
// LLVM's simplifycfg makes choices of short branches (`if (x == 7) break; x ^= 7; break;`), and removes the
// blocks that become empty, one after the other. Each time it looks at all edges into the block where they
// end. Here the edges come together in groups first, each in a block of its own. These blocks stand last, so
// simplifycfg visits them after all others, and removes them. Stateless.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"

// Edges into one block that are grouped, and those of a group.
enum { MANY = 192, GROUP = 48 };

struct grouping {
    LLVMValueRef function;
    LLVMBasicBlockRef *blocks;
    uint32_t count;
    struct weftc_edges edges;
    uint32_t *position; // in reverse post-order
    uint32_t *group;    // for the block at hand: the group of the edges from a block
    LLVMBuilderRef builder;
};

// Gives each block that leads to block b a group, in order of the function. Returns the number of groups: 0
// if edges are too few, or if b is a loop's first block, whose edges have a meaning.
static uint32_t choose_groups(struct grouping *g, uint32_t b)
{
    uint32_t in_group = 0, groups = 1, before = UINT32_MAX;
    if (weftc_in_count(&g->edges, b) < MANY)
        return 0;
    for (uint32_t e = 0; e < weftc_in_count(&g->edges, b); e++) {
        const uint32_t from = weftc_ins(&g->edges, b)[e]; // the edges from one block are next to each other
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks[from]);
        if (g->position[from] >= g->position[b] || (!LLVMIsABranchInst(branch) && !LLVMIsASwitchInst(branch)))
            return 0;
        if (from == before)
            continue;
        if (in_group == GROUP) {
            groups++;
            in_group = 0;
        }
        in_group++;
        g->group[from] = groups - 1;
        before = from;
    }
    return groups;
}

static void lead_edges(struct grouping *g, uint32_t b, LLVMBasicBlockRef *group)
{
    uint32_t before = UINT32_MAX;
    for (uint32_t e = 0; e < weftc_in_count(&g->edges, b); e++) {
        const uint32_t from = weftc_ins(&g->edges, b)[e];
        if (from == before)
            continue;
        before = from;
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks[from]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(branch); k++)
            if (LLVMGetSuccessor(branch, k) == g->blocks[b])
                LLVMSetSuccessor(branch, k, group[g->group[from]]);
    }
}

// Makes one phi of each group, and one of these.
static void group_phi(struct grouping *g, LLVMValueRef phi, LLVMBasicBlockRef *group, LLVMValueRef *parts,
                      uint32_t groups)
{
    LLVMTypeRef type = LLVMTypeOf(phi);
    for (uint32_t k = 0; k < groups; k++) {
        LLVMPositionBuilderBefore(g->builder, LLVMGetBasicBlockTerminator(group[k]));
        parts[k] = LLVMBuildPhi(g->builder, type, "");
    }
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
        LLVMValueRef value = LLVMGetIncomingValue(phi, k);
        LLVMAddIncoming(parts[g->group[weftc_edges_block(&g->edges, from)]], &value, &from, 1);
    }
    LLVMPositionBuilderBefore(g->builder, phi);
    LLVMValueRef all = LLVMBuildPhi(g->builder, type, "");
    LLVMAddIncoming(all, parts, group, groups);
    LLVMReplaceAllUsesWith(phi, all);
    LLVMInstructionEraseFromParent(phi);
}

static bool group_into(struct grouping *g, uint32_t b)
{
    const uint32_t groups = choose_groups(g, b);
    if (groups < 2)
        return true;
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(g->function));
    LLVMBasicBlockRef *group = weft_alloc_array(groups, sizeof *group);
    LLVMValueRef *parts = weft_alloc_array(groups, sizeof *parts);
    const bool ok = group && parts;
    // In reverse: simplifycfg removes these blocks in order, and then the edges of the first group are the
    // last ones of the phi. If it makes a table of a switch, it removes edges from the first one on, and
    // moves those that stand behind.
    for (uint32_t k = groups; ok && k-- > 0;) {
        group[k] = LLVMAppendBasicBlockInContext(c, g->function, "");
        LLVMPositionBuilderAtEnd(g->builder, group[k]);
        LLVMBuildBr(g->builder, g->blocks[b]);
    }
    if (ok)
        lead_edges(g, b, group);
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b]), next; ok && LLVMIsAPHINode(i); i = next) {
        next = LLVMGetNextInstruction(i);
        group_phi(g, i, group, parts, groups);
    }
    weft_free(group);
    weft_free(parts);
    return ok;
}

weft_status weftc_group_edges(LLVMValueRef function)
{
    struct grouping g = {.function = function, .count = LLVMCountBasicBlocks(function)};
    if (g.count < MANY)
        return WEFT_OK;
    g.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    g.blocks = weft_alloc_array(g.count, sizeof *g.blocks);
    g.position = weft_alloc_array(g.count, sizeof *g.position);
    g.group = weft_alloc_array(g.count, sizeof *g.group);
    bool ok = g.blocks && g.position && g.group;
    if (ok) {
        LLVMGetBasicBlocks(function, g.blocks);
        ok = weftc_edges_init(&g.edges, g.blocks, g.count) == WEFT_OK &&
             weftc_reverse_post_order(&g.edges, weftc_edges_block(&g.edges, LLVMGetEntryBasicBlock(function)),
                                      g.count, g.position) == WEFT_OK;
    }
    for (uint32_t b = 0; ok && b < g.count; b++)
        ok = g.position[b] == UINT32_MAX || group_into(&g, b);
    LLVMDisposeBuilder(g.builder);
    weftc_edges_fini(&g.edges);
    weft_free(g.blocks);
    weft_free(g.position);
    weft_free(g.group);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}
