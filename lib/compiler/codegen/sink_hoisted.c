// Cheap values that LICM has moved out of the loops over work-items return to where they are used, if there
// are very many of them.
//
// Few of them stay in registers. The others are spilled, and each is then alive in all blocks between the
// start of the function and its use: a kernel with 512 loops one after the other had a bound for each of
// them, and the register allocator's time was quadratic in them. To compute such a value again is as cheap
// as to load a spilled one.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/value_map.h"

enum {
    MIN_HOISTED = 100, // values of a function. With fewer of them nothing is gained
    FEW_IN_LOOP = 16,  // so many values stay outside of an inner loop, just before it
};

struct blocks {
    LLVMBasicBlockRef *list;
    struct weftc_map index;
    struct weftc_bridge_trees trees;
    uint32_t *counts; // of each loop: values that were moved out of it
    uint32_t count;
};

// The only instruction that uses the value, if it isn't a phi; else NULL.
static LLVMValueRef only_user(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    LLVMValueRef user = use ? LLVMGetUser(use) : NULL;
    for (; use; use = LLVMGetNextUse(use))
        if (LLVMGetUser(use) != user)
            return NULL;
    return user && !LLVMIsAPHINode(user) ? user : NULL;
}

// Is it one operation, as cheap as a load, on at most one operand that isn't constant?
static bool is_cheap(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMICmp:
    case LLVMGetElementPtr:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        break;
    default:
        return false;
    }
    unsigned variable = 0;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        variable += !LLVMIsAConstant(LLVMGetOperand(i, k));
    return variable <= 1;
}

// The user in another block that a cheap value is only computed for; NULL: there is none.
static LLVMValueRef far_user(LLVMValueRef i)
{
    LLVMValueRef user = is_cheap(i) ? only_user(i) : NULL;
    return user && LLVMGetInstructionParent(user) != LLVMGetInstructionParent(i) ? user : NULL;
}

static bool has_many(LLVMValueRef f)
{
    size_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (far_user(i) && ++count >= MIN_HOISTED)
                return true;
    return false;
}

static void release(struct blocks *g)
{
    weft_free(g->list);
    weft_free(g->counts);
    weft_free(g->trees.order);
    weft_free(g->trees.idom);
    weft_free(g->trees.loop);
    weft_free(g->trees.loop_parent);
    weft_free(g->trees.loop_header);
    weftc_map_free(&g->index);
}

// False: out of memory.
static bool find_loops(LLVMValueRef f, struct blocks *g)
{
    const uint32_t count = LLVMCountBasicBlocks(f);
    struct weftc_bridge_trees *t = &g->trees;
    g->list = weft_alloc_array(count, sizeof(LLVMBasicBlockRef));
    g->counts = weft_alloc_array(count, sizeof *g->counts);
    t->order = weft_alloc_array(count, sizeof *t->order);
    t->idom = weft_alloc_array(count, sizeof *t->idom);
    t->loop = weft_alloc_array(count, sizeof *t->loop);
    t->loop_parent = weft_alloc_array(count, sizeof *t->loop_parent);
    t->loop_header = weft_alloc_array(count, sizeof *t->loop_header);
    bool ok = g->list && g->counts && t->order && t->idom && t->loop && t->loop_parent && t->loop_header;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); ok && b; b = LLVMGetNextBasicBlock(b)) {
        g->list[g->count] = b;
        ok = weftc_map_put(&g->index, b, g->count++);
    }
    if (ok)
        weftc_bridge_trees(f, t);
    return ok;
}

// Is block b within the loop? UINT32_MAX: the whole function.
static bool contains(const struct weftc_bridge_trees *t, uint32_t loop, uint32_t b)
{
    uint32_t l = t->loop[b];
    while (l != loop && l != UINT32_MAX)
        l = t->loop_parent[l];
    return l == loop;
}

// Moves a value from block `home` to its user, or, if few values are as it is, to the end of the block before
// the innermost loop around the user.
static void sink(const struct blocks *g, LLVMBuilderRef b, LLVMValueRef i, uint32_t home, LLVMValueRef user)
{
    const struct weftc_bridge_trees *t = &g->trees;
    const uint32_t loop = t->loop[weftc_map_get(&g->index, LLVMGetInstructionParent(user))];
    LLVMValueRef before = user;
    if (!contains(t, loop, home) && g->counts[loop] <= FEW_IN_LOOP) {
        // Loops are simplified, so this block is only left into the loop.
        const uint32_t entry = t->idom[t->loop_header[loop]];
        if (entry == UINT32_MAX || entry == home || t->loop[entry] != t->loop_parent[loop])
            return;
        before = LLVMGetBasicBlockTerminator(g->list[entry]);
    }
    LLVMInstructionRemoveFromParent(i);
    LLVMPositionBuilderBefore(b, before);
    LLVMInsertIntoBuilder(b, i);
}

static void count_in_loops(struct blocks *g)
{
    for (uint32_t n = 0; n < g->count; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->list[n]); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef user = far_user(i);
            const uint32_t loop =
                user ? g->trees.loop[weftc_map_get(&g->index, LLVMGetInstructionParent(user))] : UINT32_MAX;
            if (loop != UINT32_MAX && !contains(&g->trees, loop, n))
                g->counts[loop]++;
        }
}

static void sink_all(LLVMValueRef f)
{
    weftc_bridge_remove_unreachable(f);
    weftc_bridge_simplify_loops(f);
    struct blocks g = {0};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(f)));
    if (find_loops(f, &g)) {
        count_in_loops(&g);
        // A value's operand follows it, if it is used for nothing else.
        for (uint32_t n = 0; n < g.count; n++)
            for (LLVMValueRef i = LLVMGetLastInstruction(g.list[n]), previous; i; i = previous) {
                previous = LLVMGetPreviousInstruction(i);
                LLVMValueRef user = far_user(i);
                if (user)
                    sink(&g, b, i, n, user);
            }
    }
    LLVMDisposeBuilder(b);
    release(&g);
}

void weftc_sink_hoisted(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (has_many(f))
            sink_all(f);
}
