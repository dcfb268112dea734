// Unrolls loops along rows (docs/vectorizer.md, "Rows"): each work-item goes along a row of its own, as in `s
// += a[i * n + k] * x[k]`. Each iteration gathers or scatters one element of every row, in cache lines far
// from each other, and the next iteration comes to the same lines again. Where several iterations are made
// into one, their elements lie together. They become an interleave group (vectorize/access/groups.c): each
// lane's segment is one vector, which is then shuffled. So such loops are unrolled before the region is
// vectorized. The group finder makes sure that nothing changes.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/arch/target.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/module_facts.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/legalize/legalize.h"
#include "weft/status.h"

enum {
    MAX_DEPTH = 6,
    MAX_SPAN = 64,       // bytes of a group
    MAX_ITERATIONS = 16, // as many as a group has members
    MIN_ITERATIONS = 4,
    MAX_UNROLLED = 320, // instructions of the unrolled loop
    MAX_WHOLE = 640,    // ... when no loop is left
    MIN_LANES = 8,      // elements of fewer lanes are loaded quickly one by one
    MAX_LOOPS = 8,      // of a region
};

// Adds to *sum by how much value * scale grows from iteration to iteration. False: it isn't known.
static bool growth(const struct weftc_flow *g, uint32_t block, LLVMValueRef value, int64_t scale,
                   unsigned depth, int64_t *sum)
{
    if (!LLVMIsAInstruction(value) || LLVMGetInstructionParent(value) != g->blocks[block].block)
        return true; // it doesn't change
    if (depth == 0)
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMPHI:
        for (unsigned k = 0; k < LLVMCountIncoming(value); k++) {
            LLVMValueRef next = LLVMGetIncomingValue(value, k);
            if (LLVMGetIncomingBlock(value, k) != g->blocks[block].block)
                continue;
            if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd ||
                LLVMGetOperand(next, 0) != value || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
                return false;
            *sum += scale * LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
        }
        return true;
    case LLVMOr:
        if (!LLVMGetIsDisjoint(value))
            return false;
        // fall through
    case LLVMAdd:
        return growth(g, block, LLVMGetOperand(value, 0), scale, depth - 1, sum) &&
               growth(g, block, LLVMGetOperand(value, 1), scale, depth - 1, sum);
    case LLVMSExt:
    case LLVMZExt:
        return growth(g, block, LLVMGetOperand(value, 0), scale, depth - 1, sum);
    case LLVMMul:
        return LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
               growth(g, block, LLVMGetOperand(value, 0),
                      scale * LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1)), depth - 1, sum);
    default:
        return false;
    }
}

// Does the address advance by one element from iteration to iteration?
static bool goes_along(const struct weftc_vec *v, uint32_t block, LLVMValueRef pointer, uint64_t size)
{
    const struct weftc_flow *g = &v->s->flow;
    struct weftc_step steps[4];
    int64_t sum = 0;
    while (LLVMIsAGetElementPtrInst(pointer) && LLVMGetInstructionParent(pointer) == g->blocks[block].block) {
        if (LLVMGetNumOperands(pointer) > 4)
            return false;
        unsigned count = weftc_gep_steps(v->s->layout, pointer, steps);
        for (unsigned k = 0; k < count; k++)
            if (steps[k].index && !growth(g, block, steps[k].index, (int64_t)steps[k].scale, MAX_DEPTH, &sum))
                return false;
        pointer = LLVMGetOperand(pointer, 0);
    }
    bool same = !LLVMIsAInstruction(pointer) || LLVMGetInstructionParent(pointer) != g->blocks[block].block;
    return same && sum == (int64_t)size;
}

static bool is_private(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMIsAAllocaInst(pointer);
}

// What a loop of one block does with memory.
struct traffic {
    uint64_t size;          // the largest size of an element of a row
    unsigned loads, stores; // along rows
    unsigned scattered;     // other gathers and scatters
    unsigned read, written; // accesses to other memory than private
    unsigned count;         // instructions
    bool other;             // something else touches memory
};

static struct traffic traffic_of(const struct weftc_vec *v, uint32_t block)
{
    struct traffic t = {0};
    for (LLVMValueRef i = LLVMGetFirstInstruction(v->s->flow.blocks[block].block); i;
         i = LLVMGetNextInstruction(i)) {
        t.count++;
        bool load = LLVMIsALoadInst(i), store = LLVMIsAStoreInst(i);
        if (!load && !store) {
            t.other |= weftc_bridge_touches_memory(i) && !weftc_vec_is_hint(i);
            continue;
        }
        LLVMValueRef pointer = LLVMGetOperand(i, store);
        LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(i, 0) : i);
        uint64_t size = LLVMStoreSizeOfType(v->s->layout, type);
        const enum weftc_access_kind kind = weftc_access_by_itself(v, i);
        t.other |= kind == WEFTC_ACCESS_SERIAL;
        if (is_private(pointer)) {
            t.scattered += kind == WEFTC_ACCESS_GATHER;
            continue;
        }
        t.read += load;
        t.written += store;
        if (kind != WEFTC_ACCESS_GATHER)
            continue;
        bool row = LLVMGetTypeKind(type) != LLVMPointerTypeKind && goes_along(v, block, pointer, size);
        t.loads += row && load;
        t.stores += row && store;
        t.scattered += !row;
        t.size = row && size > t.size ? size : t.size;
    }
    return t;
}

// Can partial results of the iterations be combined at the end, as those of sums can?
static bool adds_up(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
    case LLVMMul:
    case LLVMOr:
    case LLVMXor:
    case LLVMAnd:
        return true;
    case LLVMCall:
        return weftc_vec_is_extreme(i);
    default:
        return false;
    }
}

// The only user of the value in its block; NULL: there are none, or several.
static LLVMValueRef only_user(LLVMValueRef value)
{
    LLVMValueRef user = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef u = LLVMGetUser(use);
        if (!LLVMIsAInstruction(u) || LLVMGetInstructionParent(u) != LLVMGetInstructionParent(value))
            continue;
        if (user)
            return NULL;
        user = u;
    }
    return user;
}

// Does the phi of a loop of one block carry what operations of one kind alone make of it? Not
// `h = (h + x) * k`.
static bool is_sum(LLVMValueRef phi)
{
    enum { MAX_TERMS = 16 };
    LLVMValueRef first = only_user(phi), at = first;
    if (!first || !adds_up(first))
        return false;
    for (unsigned n = 0; n < MAX_TERMS; n++) {
        at = only_user(at);
        if (at == phi)
            return true;
        if (!at || !adds_up(at) || LLVMGetInstructionOpcode(at) != LLVMGetInstructionOpcode(first))
            return false;
    }
    return false;
}

// Is every number that is carried from iteration to iteration a sum, or the like, of whole numbers? There may
// be none.
static bool sums_integers(const struct weftc_vec *v, uint32_t block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(v->s->flow.blocks[block].block); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        if (weftc_vec_is_scalar(v, i))
            continue;
        if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind || !is_sum(i))
            return false;
    }
    return true;
}

bool weftc_vec_llvm_vectorizes(const struct weftc_vec *v, const struct weftc_flow_loop *loop)
{
    if (loop->end != loop->begin + 1 || !sums_integers(v, loop->begin))
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(v->s->flow.blocks[loop->begin].block); i;
         i = LLVMGetNextInstruction(i)) {
        if (LLVMIsACallInst(i) && !LLVMGetIntrinsicID(LLVMGetCalledValue(i)))
            return false;
        bool load = LLVMIsALoadInst(i), store = LLVMIsAStoreInst(i);
        if (!load && !store)
            continue;
        LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(i, 0) : i);
        if (!goes_along(v, loop->begin, LLVMGetOperand(i, store), LLVMStoreSizeOfType(v->s->layout, type)))
            return false;
    }
    return true;
}

bool weftc_vec_has_rows_with_lanes(const struct weftc_vec *v)
{
    for (uint32_t l = 0; l < v->s->flow.loop_count; l++) {
        const struct weftc_flow_loop *loop = &v->s->flow.loops[l];
        if (!weftc_vec_llvm_vectorizes(v, loop))
            continue;
        struct traffic t = traffic_of(v, loop->begin);
        if (t.loads + t.stores)
            return true;
    }
    return false;
}

unsigned weftc_vec_trip_count(const struct weftc_flow *g, uint32_t loop)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks[g->loops[loop].begin].block), iterations;
    unsigned kind = weftc_fact_kind(LLVMGetModuleContext(LLVMGetGlobalParent(g->function)), WEFTC_ITERATIONS);
    LLVMValueRef node = LLVMGetMetadata(branch, kind);
    if (!node)
        return 1;
    LLVMGetMDNodeOperands(node, &iterations);
    return (unsigned)LLVMConstIntGetZExtValue(iterations);
}

// How many iterations of the loop are to be made into one; 0: it stays as it is.
static unsigned iterations_for(const struct weftc_vec *v, const struct weftc_flow_loop *loop)
{
    if (loop->end != loop->begin + 1 || loop->divergent)
        return 0;
    struct traffic t = traffic_of(v, loop->begin);
    unsigned rows = t.loads + t.stores;
    // A store must not come between loads, nor a load between stores.
    if (t.other || rows == 0 || t.scattered >= rows || (t.written && t.read) || t.written > t.stores ||
        weftc_vec_llvm_vectorizes(v, loop))
        return 0;
    unsigned iterations = MAX_ITERATIONS;
    while (iterations * t.size > MAX_SPAN || (iterations > 1 && iterations * t.count > MAX_UNROLLED))
        iterations /= 2;
    return iterations < MIN_ITERATIONS ? 0 : iterations;
}

void weftc_vec_unroll_rows(LLVMValueRef canonical, uint32_t lanes, const struct weftc_target *target)
{
    if (lanes < MIN_LANES)
        return;
    struct weftc_shapes s;
    struct {
        LLVMValueRef branch;
        unsigned iterations;
    } loops[MAX_LOOPS];
    unsigned count = 0;
    weft_status status = weftc_shapes_init(&s, canonical, lanes, false);
    struct weftc_vec v = {.s = &s, .lanes = lanes, .permutes = weftc_vec_permuted(canonical)};
    for (uint32_t l = 0; status == WEFT_OK && l < s.flow.loop_count && count < MAX_LOOPS; l++) {
        unsigned iterations = iterations_for(&v, &s.flow.loops[l]);
        if (iterations) {
            loops[count].branch = LLVMGetBasicBlockTerminator(s.flow.blocks[s.flow.loops[l].begin].block);
            loops[count++].iterations = iterations;
        }
    }
    weftc_shapes_fini(&s);
    for (unsigned k = 0; k < count; k++)
        weftc_bridge_unroll(loops[k].branch, target->machine, loops[k].iterations, MAX_WHOLE,
                            weftc_fact_name(WEFTC_ITERATIONS));
}

// In a region without lanes, loops stay rolled that would be divergent over the lanes. Their trip counts are
// as many as each work-item's data wants, which is hard to predict as it is; LLVM's loop for the remaining
// iterations makes it two guesses: 20 % of a product with a sparse matrix.
weft_status weftc_vec_keep_rolled(LLVMValueRef region, uint32_t lanes)
{
    weftc_bridge_remove_unreachable(region);
    weftc_bridge_simplify_loops(region);
    struct weftc_shapes s;
    weft_status status = weftc_shapes_init(&s, region, lanes, false);
    const struct weftc_flow *g = &s.flow;
    for (uint32_t b = 0; status == WEFT_OK && b < g->block_count; b++) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks[b].block);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(branch); k++) {
            uint32_t to = weftc_flow_block_of(g, LLVMGetSuccessor(branch, k));
            if (to <= b && g->loops[g->blocks[to].loop].divergent)
                weftc_bridge_keep_rolled(branch);
        }
    }
    weftc_shapes_fini(&s);
    return status == WEFT_UNSUPPORTED ? WEFT_OK : status;
}
