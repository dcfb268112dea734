// Values that are computed far before their only use move to it, if a large function has very many of them.
// So do cheap values with a few uses, which are computed for each of them: a condition that both a loop with
// lanes and the one for what is left over ask.
//
// Few of them stay in registers. The others are spilled, and each is alive in all blocks up to its use: a
// kernel with 512 loops one after the other had a bound for each of them, which LICM had moved out of the
// loops over work-items, and the register allocator's time was quadratic in them. To compute a cheap value
// again in each iteration is no more work than to load a spilled one. Within a block nothing is computed more
// often than before. (The code generator cuts long blocks, and schedules only within a piece.)
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/value_map.h"

enum {
    MIN_SIZE = 1000,  // of a function, in instructions
    MIN_VALUES = 100, // of a function. With fewer of them nothing is gained
    FAR = 100,        // instructions between a value and its use in the same block
    FEW_USES = 4,     // of a value that is computed for each of them
    FEW_IN_LOOP = 16, // so many values stay outside of an inner loop, just before it
};

struct blocks {
    LLVMBasicBlockRef *list;
    struct weftc_map index;
    struct weftc_bridge_trees trees;
    uint32_t *counts; // of each loop: values that were moved out of it
    uint32_t count;
    struct weftc_map order; // instruction -> its place in its block
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

// Is it a place in the block of arguments, which nobody writes to?
static bool is_argument_place(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    if (!LLVMIsAArgument(pointer))
        return false;
    LLVMValueRef f = LLVMGetParamParent(pointer);
    unsigned k = 0, length;
    while (LLVMGetParam(f, k) != pointer)
        k++;
    LLVMAttributeRef kind = weftc_fact_attribute(f, k + 1, WEFTC_ATTRIBUTE_KIND);
    return kind && strcmp(LLVMGetStringAttributeValue(kind, &length), "memory") == 0;
}

// Is it an operation on at most one operand that isn't constant, and without effects? *cheap: it takes no
// longer than a load.
static bool is_operation(LLVMValueRef i, bool *cheap)
{
    *cheap = true;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad: // of memory that nobody writes to: the same everywhere
        if (LLVMGetVolatile(i) ||
            (!LLVMGetMetadata(
                 i, LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(i)), "invariant.load", 14)) &&
             !is_argument_place(LLVMGetOperand(i, 0))))
            return false;
        break;
    case LLVMMul:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFNeg:
    case LLVMSIToFP:
    case LLVMUIToFP:
        *cheap = false;
        break;
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

// The only user of a value that may move there, if it is far away; else NULL.
static LLVMValueRef far_user(const struct blocks *g, LLVMValueRef i)
{
    bool cheap;
    LLVMValueRef user = is_operation(i, &cheap) ? only_user(i) : NULL;
    if (!user)
        return NULL;
    if (LLVMGetInstructionParent(user) != LLVMGetInstructionParent(i))
        return cheap ? user : NULL;
    return weftc_map_get(&g->order, user) - weftc_map_get(&g->order, i) > FAR ? user : NULL;
}

// How many users in other blocks a cheap value has, if it may be computed for each of them; else 0.
static unsigned far_users(LLVMValueRef i)
{
    bool cheap;
    unsigned count = 0;
    if (!LLVMGetFirstUse(i) || !is_operation(i, &cheap) || !cheap)
        return 0;
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (++count > FEW_USES || LLVMIsAPHINode(user) ||
            LLVMGetInstructionParent(user) == LLVMGetInstructionParent(i))
            return 0;
    }
    return count;
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
    weftc_map_free(&g->order);
}

// Numbers the instructions of each block. False: out of memory.
static bool number_instructions(LLVMValueRef f, struct blocks *g)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        uint32_t place = 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (!weftc_map_put(&g->order, i, place++))
                return false;
    }
    return true;
}

static bool has_many(LLVMValueRef f, const struct blocks *g)
{
    size_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if ((far_user(g, i) || far_users(i)) && ++count >= MIN_VALUES)
                return true;
    return false;
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
static void sink(struct blocks *g, LLVMBuilderRef b, LLVMValueRef i, uint32_t home, LLVMValueRef user)
{
    const struct weftc_bridge_trees *t = &g->trees;
    const uint32_t loop = t->loop[weftc_map_get(&g->index, LLVMGetInstructionParent(user))];
    LLVMValueRef before = user;
    if (!weftc_map_put(&g->order, i, weftc_map_get(&g->order, user))) // its operand may move there, too
        return;
    if (!contains(t, loop, home) && g->counts[loop] <= FEW_IN_LOOP) {
        // Loops are simplified, so this block is only left into the loop.
        const uint32_t entry = t->idom[t->loop_header[loop]];
        if (entry == UINT32_MAX || entry == home || t->loop[entry] != t->loop_parent[loop])
            return;
        before = LLVMGetBasicBlockTerminator(g->list[entry]);
        if (!weftc_map_put(&g->order, i, weftc_map_get(&g->order, before)))
            return;
    }
    LLVMInstructionRemoveFromParent(i);
    LLVMPositionBuilderBefore(b, before);
    LLVMInsertIntoBuilder(b, i);
}

static void count_in_loops(struct blocks *g)
{
    for (uint32_t n = 0; n < g->count; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->list[n]); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef user = far_user(g, i);
            const uint32_t loop =
                user ? g->trees.loop[weftc_map_get(&g->index, LLVMGetInstructionParent(user))] : UINT32_MAX;
            if (loop != UINT32_MAX && !contains(&g->trees, loop, n))
                g->counts[loop]++;
        }
}

// Gives each use of a value with a few far ones a copy, except for one use. Returns the last copy, or i.
static LLVMValueRef copy_for_uses(struct blocks *g, LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef last = i;
    for (unsigned rest = far_users(i); rest > 1; rest--) {
        LLVMUseRef use = LLVMGetFirstUse(i);
        LLVMValueRef user = LLVMGetUser(use), copy = LLVMInstructionClone(i);
        unsigned k = 0;
        while (LLVMGetOperand(user, k) != i)
            k++;
        LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(i));
        LLVMInsertIntoBuilder(b, copy);
        LLVMSetOperand(user, k, copy);
        if (last == i)
            last = copy;
        if (!weftc_map_put(&g->order, copy, weftc_map_get(&g->order, i)))
            break;
    }
    return last;
}

static void sink_all(LLVMValueRef f, struct blocks *g)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(f)));
    for (uint32_t n = 0; n < g->count; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->list[n]); i; i = LLVMGetNextInstruction(i))
            i = copy_for_uses(g, b, i);
    count_in_loops(g);
    // From the end of a block: a value's operand follows it, if it is used for nothing else.
    for (uint32_t n = 0; n < g->count; n++)
        for (LLVMValueRef i = LLVMGetLastInstruction(g->list[n]), previous; i; i = previous) {
            i = copy_for_uses(g, b, i); // again: users may have moved
            previous = LLVMGetPreviousInstruction(i);
            LLVMValueRef user = far_user(g, i);
            if (user)
                sink(g, b, i, n, user);
        }
    LLVMDisposeBuilder(b);
}

void weftc_sink_far_values(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (weftc_function_size(f) < MIN_SIZE)
            continue;
        struct blocks g = {0};
        if (number_instructions(f, &g) && has_many(f, &g)) {
            weftc_bridge_remove_unreachable(f);
            weftc_bridge_simplify_loops(f);
            if (find_loops(f, &g))
                sink_all(f, &g);
        }
        release(&g);
    }
}
