// Work-items that shift rows of local memory together:
//
//     barrier(CLK_LOCAL_MEM_FENCE);
//     for (int k = get_local_id(0); k < 260; k += 128)
//         row[k] = row[k + 208];
//     barrier(CLK_LOCAL_MEM_FENCE);
//
// That is a data race: a work-item may store in its first iteration what another one still has to load in
// its second. On a GPU it comes out right, since the work-items of a group advance nearly together, and
// programs rely on that: OpenCV's separable filter for Intel's devices does. Here one work-item may end its
// loop before the next one begins. So work-items wait for each other in each iteration, once all have loaded
// and once all have stored. A program without a race gives the same results with these barriers.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "compiler/compiler.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"

// An address: base + the sum of index * scale + offset.
enum { MAX_TERMS = 8 };
struct address {
    LLVMValueRef base;
    struct {
        LLVMValueRef index;
        uint64_t scale;
    } terms[MAX_TERMS];
    unsigned count;
    uint64_t offset;
};

// Takes constants that are added to the index into the offset.
static LLVMValueRef without_constants(LLVMValueRef index, uint64_t scale, uint64_t *offset)
{
    LLVMValueRef v = index;
    while (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v))
        v = LLVMGetOperand(v, 0);
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMAdd ||
        !LLVMIsAConstantInt(LLVMGetOperand(v, 1)) || (v != index && !LLVMGetNSW(v)))
        return v;
    *offset += scale * (uint64_t)LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
    return LLVMGetOperand(v, 0);
}

static bool take_apart(LLVMTargetDataRef layout, LLVMValueRef pointer, struct address *a)
{
    *a = (struct address){.base = pointer};
    while (LLVMIsAGetElementPtrInst(a->base)) {
        struct weftc_step steps[MAX_TERMS];
        if (LLVMGetNumOperands(a->base) > MAX_TERMS)
            return false;
        unsigned count = weftc_gep_steps(layout, a->base, steps);
        for (unsigned k = 0; k < count; k++) {
            if (!steps[k].index) {
                a->offset += steps[k].offset;
                continue;
            }
            if (a->count == MAX_TERMS)
                return false;
            a->terms[a->count].index = without_constants(steps[k].index, steps[k].scale, &a->offset);
            a->terms[a->count++].scale = steps[k].scale;
        }
        a->base = LLVMGetOperand(a->base, 0);
    }
    return true;
}

// Does an iteration load, from the same local array, what lies a constant distance from where it stores? The
// distance, in elements, is to be one at which another work-item stores: within the numbers that the loop
// counts, and not a multiple of the step.
static bool shifts(LLVMTargetDataRef layout, const struct weftc_counted_loop *l, LLVMValueRef load,
                   LLVMValueRef store)
{
    struct address from, to;
    uint64_t bytes = LLVMABISizeOfType(layout, LLVMTypeOf(load));
    enum weftc_primitive p;
    unsigned dim;
    if (LLVMTypeOf(load) != LLVMTypeOf(LLVMGetOperand(store, 0)) || bytes == 0 ||
        !take_apart(layout, LLVMGetOperand(load, 0), &from) ||
        !take_apart(layout, LLVMGetOperand(store, 1), &to) || from.base != to.base ||
        from.count != to.count || !weftc_primitive_of(from.base, &p, &dim) || p != WEFTC_LOCAL_MEMORY)
        return false;
    for (unsigned k = 0; k < from.count; k++)
        if (from.terms[k].index != to.terms[k].index || from.terms[k].scale != to.terms[k].scale)
            return false;
    int64_t distance = (int64_t)(from.offset - to.offset) / (int64_t)bytes;
    uint64_t length = (uint64_t)(distance < 0 ? -distance : distance);
    return length > 0 && length < LLVMConstIntGetZExtValue(l->end) &&
           length % LLVMConstIntGetZExtValue(l->step) != 0;
}

// The only store of the loop's body, if all that the body does is to shift local memory. NULL: it isn't.
static LLVMValueRef shifting_store(LLVMTargetDataRef layout, const struct weftc_counted_loop *l,
                                   LLVMBasicBlockRef body)
{
    LLVMValueRef store = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(body); i; i = LLVMGetNextInstruction(i)) {
        if (LLVMIsAStoreInst(i)) {
            if (store || LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
                return NULL;
            store = i;
        } else if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) ||
                   (LLVMIsACallInst(i) && !(weftc_callee(i) && weftc_is_pure(weftc_callee(i))))) {
            return NULL;
        }
    }
    for (LLVMValueRef i = store ? LLVMGetPreviousInstruction(store) : NULL; i;
         i = LLVMGetPreviousInstruction(i))
        if (LLVMIsALoadInst(i) && !LLVMGetVolatile(i) && shifts(layout, l, i, store))
            return store;
    return NULL;
}

// The only block that jumps here, from its only jump. NULL: there are several.
static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    return use && !LLVMGetNextUse(use) && LLVMIsATerminatorInst(LLVMGetUser(use))
               ? LLVMGetInstructionParent(LLVMGetUser(use))
               : NULL;
}

static bool has_barrier(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (weftc_calls(i, WEFTC_BARRIER))
            return true;
    return false;
}

static LLVMBasicBlockRef only_successor(LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    return LLVMIsABranchInst(end) && !LLVMIsConditional(end) ? LLVMGetSuccessor(end, 0) : NULL;
}

// Do the work-items of a group come to the loop all, or none of them? So they do if all that are at a barrier
// before the loop go on to it, or if all that come to a barrier behind it come from there.
static bool is_reached_by_all(const struct weftc_counted_loop *l, LLVMBasicBlockRef head)
{
    enum { MAX_STEPS = 4 };
    LLVMBasicBlockRef before = LLVMGetIncomingBlock(l->phi, !l->back);
    for (unsigned step = 0; before && only_successor(before) && step < MAX_STEPS; step++) {
        if (has_barrier(before))
            return true;
        before = only_predecessor(before);
    }
    LLVMBasicBlockRef from = head, behind = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(head), 1);
    for (unsigned step = 0; behind && only_predecessor(behind) == from && step < MAX_STEPS; step++) {
        if (has_barrier(behind))
            return true;
        from = behind;
        behind = only_successor(behind);
    }
    return false;
}

// A value of the first half of an iteration that the second half uses has to pass the barrier between them.
static void pass_on(LLVMBuilderRef b, LLVMBasicBlockRef first, LLVMBasicBlockRef none,
                    LLVMBasicBlockRef joined, LLVMBasicBlockRef second)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(second); i; i = LLVMGetNextInstruction(i))
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
            if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != first)
                continue;
            LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(joined));
            LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(v), "");
            LLVMValueRef values[] = {v, LLVMGetPoison(LLVMTypeOf(v))};
            LLVMBasicBlockRef blocks[] = {first, none};
            LLVMAddIncoming(phi, values, blocks, 2);
            for (LLVMValueRef user = i; user; user = LLVMGetNextInstruction(user))
                for (int o = 0; o < LLVMGetNumOperands(user); o++)
                    if (LLVMGetOperand(user, (unsigned)o) == v)
                        LLVMSetOperand(user, (unsigned)o, phi);
        }
}

static void build_barrier(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef store)
{
    LLVMValueRef f = weftc_effect_function(module, WEFTC_BARRIER);
    LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, NULL, 0, "");
    weftc_call_attribute(call, "convergent");
    LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(store));
}

//     head:   count < end ? guard : exit          the same for all work-items
//     guard:  k < end ? first : joined
//     first:  what comes before the store
//     joined: barrier; k < end ? second : latch
//     second: the store, and what comes behind it
//     latch:  barrier; head
static void wait_in_each_iteration(LLVMModuleRef module, const struct weftc_counted_loop *l,
                                   LLVMValueRef store)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMBasicBlockRef first = LLVMGetInstructionParent(store), head = LLVMGetInstructionParent(l->phi);
    LLVMValueRef f = LLVMGetBasicBlockParent(first), branch = LLVMGetBasicBlockTerminator(head);
    LLVMBasicBlockRef guard = LLVMAppendBasicBlockInContext(c, f, ""),
                      joined = LLVMAppendBasicBlockInContext(c, f, ""),
                      second = LLVMAppendBasicBlockInContext(c, f, ""),
                      latch = LLVMAppendBasicBlockInContext(c, f, "");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(first));
    LLVMPositionBuilderAtEnd(b, second);
    for (LLVMValueRef i = store, behind; i; i = behind) {
        behind = LLVMGetNextInstruction(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(b, i);
    }
    LLVMBuildBr(b, latch);
    LLVMPositionBuilderAtEnd(b, first);
    LLVMBuildBr(b, joined);
    LLVMPositionBuilderAtEnd(b, guard);
    LLVMValueRef active = LLVMBuildICmp(b, l->predicate, l->phi, l->end, "");
    LLVMBuildCondBr(b, active, first, joined);
    LLVMPositionBuilderAtEnd(b, joined);
    build_barrier(b, module, store);
    LLVMBuildCondBr(b, active, second, latch);
    LLVMPositionBuilderAtEnd(b, latch);
    build_barrier(b, module, store);
    LLVMBuildBr(b, head);
    pass_on(b, first, guard, joined, second);

    LLVMSetCondition(branch, weftc_build_common_count(b, l, latch));
    LLVMSetSuccessor(branch, 0, guard);
    LLVMInstructionEraseFromParent(l->condition);
    LLVMPositionBuilderBefore(b, l->phi);
    LLVMValueRef k = LLVMBuildPhi(b, LLVMTypeOf(l->phi), "");
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(latch));
    LLVMValueRef values[] = {LLVMGetIncomingValue(l->phi, !l->back), LLVMBuildNSWAdd(b, k, l->step, "")};
    LLVMBasicBlockRef blocks[] = {LLVMGetIncomingBlock(l->phi, !l->back), latch};
    LLVMAddIncoming(k, values, blocks, 2);
    LLVMReplaceAllUsesWith(l->phi, k);
    LLVMInstructionEraseFromParent(l->phi);
    LLVMDisposeBuilder(b);
}

// Does the loop have two blocks, the head with nothing but the condition, and is its number unknown outside?
static bool is_simple(const struct weftc_counted_loop *l, LLVMBasicBlockRef head, LLVMBasicBlockRef body)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(body);
    if (LLVMGetFirstInstruction(head) != l->phi || LLVMGetNextInstruction(l->phi) != l->condition ||
        LLVMGetNextInstruction(l->condition) != LLVMGetBasicBlockTerminator(head) ||
        !LLVMIsABranchInst(end) || LLVMIsConditional(end) || LLVMGetSuccessor(end, 0) != head ||
        LLVMGetIncomingBlock(l->phi, l->back) != body)
        return false;
    LLVMUseRef others = LLVMGetFirstUse(l->condition);
    if (!others || LLVMGetNextUse(others))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(l->phi); use; use = LLVMGetNextUse(use)) {
        LLVMBasicBlockRef at = LLVMGetInstructionParent(LLVMGetUser(use));
        if (at != head && at != body)
            return false;
    }
    return true;
}

void weftc_prepare_shift_barriers(LLVMModuleRef module, LLVMValueRef kernel)
{
    static const uint64_t any_size[3] = {0};
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    // What a loop becomes is appended, and is no such loop.
    for (LLVMBasicBlockRef head = LLVMGetFirstBasicBlock(kernel); head; head = LLVMGetNextBasicBlock(head)) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(head);
        struct weftc_counted_loop l;
        if (!weftc_counted_loop_of(branch, any_size, &l))
            continue;
        LLVMBasicBlockRef body = LLVMGetSuccessor(branch, 0);
        LLVMValueRef store = is_simple(&l, head, body) && is_reached_by_all(&l, head)
                                 ? shifting_store(layout, &l, body)
                                 : NULL;
        if (store)
            wait_in_each_iteration(module, &l, store);
    }
}
