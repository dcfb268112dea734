// Accesses to local memory that all work-groups of a launch do alike: where they are, and whether they are
// done, depends on local ids, sizes, the kernel's arguments and constants, but not on what is in memory or on
// the group. Of these it suffices to look at one group: the launch's first one tells the driver of each
// access, and if no two work-items are in each other's way there, they are in no group.
//
// An access behind a branch that does depend on something else is told of before that branch: it may be done.
// So the first group is told of all that any group does, and perhaps of more.
//
//     weft.check.alike(p, size, align, how)
//         ->  if (first group) weft.device_call(WEFT_CALL_CHECK_LOCAL_TOUCH, how | item | size, p)
#include "compiler/checker/races/same_groups.h"

#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/checker/checker.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "weft/checker.h"
#include "weft/device_call.h"

enum { DEEP = 16 };

struct finder {
    LLVMValueRef kernel;
    const LLVMBasicBlockRef *block;
    uint32_t count;
    struct weftc_edges edges;
    struct weftc_dominators dominators;
    uint32_t *ipdom;
    bool *differs; // of each block: whether it runs differs between groups
    uint32_t *pending;
    bool *entered;
    struct weftc_map differing; // values that differ between groups, and terminators that have been followed
    LLVMBuilderRef b;
};

static uint32_t block_of(const struct finder *f, LLVMValueRef i)
{
    return weftc_edges_block(&f->edges, LLVMGetInstructionParent(i));
}

// ---- what differs between groups ----

static bool has(const struct finder *f, LLVMValueRef v)
{
    return weftc_map_get(&f->differing, v) != UINT32_MAX;
}

static bool is_look(LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    return f && LLVMIsDeclaration(f) &&
           strncmp(LLVMGetValueName(f), WEFTC_CHECK_ACCESS, strlen(WEFTC_CHECK_ACCESS)) == 0;
}

static bool call_differs(LLVMValueRef i)
{
    enum weftc_primitive p;
    unsigned dim;
    if (weftc_primitive_of(i, &p, &dim))
        // Only launches whose groups all have the same size are looked at so.
        return p != WEFTC_LOCAL_ID && p != WEFTC_LOCAL_ID32 && p != WEFTC_ITEM && p != WEFTC_LOCAL_SIZE &&
               p != WEFTC_FULL_LOCAL_SIZE && p != WEFTC_NUM_GROUPS && p != WEFTC_GLOBAL_SIZE &&
               p != WEFTC_GLOBAL_OFFSET && p != WEFTC_WORK_DIM;
    if (is_look(i)) { // each group has the same local and private objects
        const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 0)));
        return space != WEFTC_SPACE_LOCAL && space != WEFTC_SPACE_PRIVATE;
    }
    LLVMValueRef f = weftc_callee(i);
    return !f || !LLVMGetIntrinsicID(f) || !weftc_is_pure(f);
}

// Does it differ even if no operand does?
static bool differs_by_itself(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMCall:
        return call_differs(i);
    case LLVMFreeze:   // what is undefined may be another number each time
    case LLVMPtrToInt: // and so may a private variable's address
        return true;
    case LLVMAlloca:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMGetElementPtr:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMFNeg:
    case LLVMBr:
    case LLVMSwitch:
    case LLVMRet:
    case LLVMUnreachable:
        return false;
    default:
        return !LLVMIsABinaryOperator(i) && !LLVMIsACastInst(i);
    }
}

static bool put(struct finder *f, LLVMValueRef i)
{
    return weftc_map_put(&f->differing, i, 1);
}

// Groups take different ways from the end of the block, up to where all ways meet again.
static bool follow_branch(struct finder *f, uint32_t from)
{
    const uint32_t join = f->ipdom[from];
    uint32_t left = 0;
    memset(f->entered, 0, f->count * sizeof *f->entered);
    for (uint32_t at = from;; at = f->pending[--left]) {
        for (uint32_t e = 0; e < weftc_out_count(&f->edges, at); e++) {
            const uint32_t to = weftc_outs(&f->edges, at)[e];
            if (f->entered[to])
                continue;
            f->entered[to] = true;
            for (LLVMValueRef i = LLVMGetFirstInstruction(f->block[to]); i && LLVMIsAPHINode(i);
                 i = LLVMGetNextInstruction(i))
                if (!put(f, i))
                    return false;
            if (to == join)
                continue;
            f->differs[to] = true;
            f->pending[left++] = to;
        }
        if (!left)
            return true;
    }
}

// *more: something was found.
static bool follow(struct finder *f, LLVMValueRef i, bool *more)
{
    if (has(f, i))
        return true;
    bool differs = differs_by_itself(i);
    const unsigned operands = (unsigned)LLVMGetNumOperands(i);
    for (unsigned k = 0; k < operands && !differs; k++)
        differs = has(f, LLVMGetOperand(i, k));
    if (!differs)
        return true;
    *more = true;
    return put(f, i) &&
           (!LLVMIsATerminatorInst(i) || LLVMGetNumSuccessors(i) < 2 || follow_branch(f, block_of(f, i)));
}

static bool find_differing(struct finder *f)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t n = 0; n < f->count; n++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(f->block[n]); i; i = LLVMGetNextInstruction(i))
                if (!follow(f, i, &more))
                    return false;
    }
    return true;
}

// ---- before branches that differ ----

static bool has_barrier(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (weftc_is_barrier(i))
            return true;
    return false;
}

// The next block before that all groups run alike; UINT32_MAX: there is a barrier in between.
static uint32_t block_before(struct finder *f, uint32_t block)
{
    uint32_t to = block, left = 0;
    while (f->differs[to] && to)
        to = f->dominators.above[to];
    if (f->differs[to])
        return UINT32_MAX;
    memset(f->entered, 0, f->count * sizeof *f->entered);
    for (uint32_t at = block; at != to; at = f->pending[--left]) {
        for (uint32_t e = 0; e < weftc_in_count(&f->edges, at); e++) {
            const uint32_t from = weftc_ins(&f->edges, at)[e];
            if (from == to || f->entered[from] || !weftc_is_reached(&f->dominators, from))
                continue;
            f->entered[from] = true;
            if (has_barrier(f->block[from]))
                return UINT32_MAX;
            f->pending[left++] = from;
        }
        if (!left)
            return has_barrier(f->block[block]) ? UINT32_MAX : to;
    }
    return to;
}

static bool is_there(const struct finder *f, LLVMValueRef v, uint32_t block)
{
    return !LLVMIsAInstruction(v) || weftc_dominates(&f->dominators, block_of(f, v), block);
}

// Can the value be computed at the end of the block?
static bool can_move(const struct finder *f, LLVMValueRef v, uint32_t block, unsigned depth)
{
    enum weftc_primitive p;
    unsigned dim;
    if (is_there(f, v, block))
        return true;
    if (depth > DEEP || LLVMIsAPHINode(v))
        return false;
    if (LLVMIsACallInst(v))
        return weftc_primitive_of(v, &p, &dim);
    const LLVMOpcode o = LLVMGetInstructionOpcode(v);
    if (o == LLVMUDiv || o == LLVMSDiv || o == LLVMURem || o == LLVMSRem) // perhaps by zero
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        if (!can_move(f, LLVMGetOperand(v, k), block, depth + 1))
            return false;
    return true;
}

// The same, where it is computed anew. The builder is there.
static LLVMValueRef moved(const struct finder *f, LLVMValueRef v, uint32_t block)
{
    if (is_there(f, v, block))
        return v;
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (unsigned k = 0; !LLVMIsACallInst(v) && k < (unsigned)LLVMGetNumOperands(v); k++)
        LLVMSetOperand(copy, k, moved(f, LLVMGetOperand(v, k), block));
    LLVMInsertIntoBuilder(f->b, copy);
    return copy;
}

// ---- the calls ----

// Where an access is told of: in its own block, or in one before. UINT32_MAX: groups differ in it.
static uint32_t place_of(struct finder *f, LLVMValueRef touch)
{
    LLVMValueRef pointer = LLVMGetOperand(touch, 0);
    const uint32_t own = block_of(f, touch);
    if (!weftc_is_reached(&f->dominators, own) || has(f, pointer) ||
        !LLVMIsAConstantInt(LLVMGetOperand(touch, 1)))
        return UINT32_MAX;
    if (!f->differs[own])
        return own;
    const uint32_t to = block_before(f, own);
    return to != UINT32_MAX && can_move(f, pointer, to, 0) ? to : UINT32_MAX;
}

static void tell(struct finder *f, LLVMValueRef touch, uint32_t place)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f->kernel));
    const bool exact = place == block_of(f, touch);
    if (exact)
        LLVMPositionBuilderBefore(f->b, touch);
    else
        LLVMPositionBuilderBefore(f->b, LLVMGetBasicBlockTerminator(f->block[place]));
    LLVMValueRef pointer = moved(f, LLVMGetOperand(touch, 0), place);
    LLVMTypeRef type = LLVMGlobalGetValueType(weftc_callee(touch));
    char name[64];
    snprintf(name, sizeof name, "%s.p%u", WEFTC_CHECK_ALIKE, LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)));
    LLVMValueRef tells = weftc_check_declare(LLVMGetGlobalParent(f->kernel), name, type);
    const uint64_t how =
        LLVMConstIntGetZExtValue(LLVMGetOperand(touch, 3)) | (exact ? WEFT_ACCESS_CERTAIN : 0);
    LLVMValueRef arguments[] = {pointer, LLVMGetOperand(touch, 1), LLVMGetOperand(touch, 2),
                                weftc_i32(c, (uint32_t)how)};
    LLVMBuildCall2(f->b, type, tells, arguments, WEFT_COUNT_OF(arguments), "");
}

// All accesses of an object, or none of them.
static void tell_all(struct finder *f, struct weftc_check_alike *of, uint32_t count, LLVMValueRef root)
{
    for (uint32_t k = 0; k < count; k++)
        if (of[k].root == root && place_of(f, of[k].touch) == UINT32_MAX)
            return;
    for (uint32_t k = 0; k < count; k++)
        if (of[k].root == root) {
            tell(f, of[k].touch, place_of(f, of[k].touch));
            of[k].alike = true;
        }
}

static bool work_items_wait_alike(const struct finder *f)
{
    for (uint32_t n = 0; n < f->count; n++)
        if (f->differs[n] && has_barrier(f->block[n]))
            return false;
    return true;
}

weft_status weftc_check_find_alike(LLVMValueRef kernel, const LLVMBasicBlockRef *block, uint32_t blocks,
                                   struct weftc_check_alike *of, uint32_t count)
{
    struct finder f = {.kernel = kernel, .block = block, .count = blocks};
    f.ipdom = weft_alloc_array(blocks, sizeof *f.ipdom);
    f.pending = weft_alloc_array(blocks, sizeof *f.pending);
    f.differs = weft_alloc_array(blocks, sizeof *f.differs);
    f.entered = weft_alloc_array(blocks, sizeof *f.entered);
    f.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(kernel)));
    weft_status status = f.ipdom && f.pending && f.differs && f.entered ? WEFT_OK : WEFT_NO_MEMORY;
    if (status == WEFT_OK)
        status = weftc_edges_init(&f.edges, block, blocks);
    if (status == WEFT_OK)
        status = weftc_dominators_init(&f.dominators, &f.edges, blocks);
    if (status == WEFT_OK) {
        memset(f.differs, 0, blocks * sizeof *f.differs);
        weftc_bridge_post_dominators(kernel, block, blocks, f.ipdom);
        status = find_differing(&f) ? WEFT_OK : WEFT_NO_MEMORY;
    }
    for (uint32_t k = 0; k < count && status == WEFT_OK && work_items_wait_alike(&f); k++)
        if (of[k].root && !of[k].alike)
            tell_all(&f, of, count, of[k].root);
    LLVMDisposeBuilder(f.b);
    weftc_edges_fini(&f.edges);
    weftc_dominators_fini(&f.dominators);
    weftc_map_free(&f.differing);
    weft_free(f.ipdom);
    weft_free(f.pending);
    weft_free(f.differs);
    weft_free(f.entered);
    return status;
}

bool weftc_check_is_alike(LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    return f && LLVMIsDeclaration(f) &&
           strncmp(LLVMGetValueName(f), WEFTC_CHECK_ALIKE, strlen(WEFTC_CHECK_ALIKE)) == 0;
}

void weftc_check_drop_alike(LLVMValueRef kernel)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (weftc_check_is_alike(i))
                LLVMInstructionEraseFromParent(i);
        }
}

static LLVMValueRef groups_number(LLVMBuilderRef b, LLVMValueRef kernel, size_t offset)
{
    const uint64_t at = LLVMCountParams(kernel) * sizeof(struct weft_check_range) + offset;
    return weftc_check_object_number(b, LLVMGetGlobalParent(kernel), at / 8);
}

LLVMValueRef weftc_check_local_is(LLVMBuilderRef b, LLVMValueRef kernel, uint32_t bits)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
    LLVMValueRef all = weftc_i64(c, bits);
    LLVMValueRef set = groups_number(b, kernel, offsetof(struct weft_check_groups, local));
    return LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, set, all, ""), all, "");
}

void weftc_check_expand_alike(LLVMBuilderRef b, LLVMValueRef kernel, LLVMValueRef call)
{
    LLVMModuleRef module = LLVMGetGlobalParent(kernel);
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMBasicBlockRef before = LLVMGetInstructionParent(call), told = weftc_bridge_split_block(call),
                      after = weftc_bridge_split_block(LLVMGetNextInstruction(call));
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(b, before);
    LLVMValueRef seen = weftc_check_local_is(b, kernel, WEFT_LOCAL_SEEN);
    weftc_set_unlikely(LLVMBuildCondBr(b, seen, after, told), false);
    LLVMPositionBuilderBefore(b, call);
    const uint64_t what = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 3)) |
                          LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1)) << 32;
    LLVMValueRef item = LLVMBuildShl(b, weftc_check_item(b, module), weftc_i64(c, 8), "");
    weftc_check_device_call(b, module, WEFT_CALL_CHECK_LOCAL_TOUCH, NULL,
                            LLVMBuildOr(b, item, weftc_i64(c, what), ""), LLVMGetOperand(call, 0));
}
