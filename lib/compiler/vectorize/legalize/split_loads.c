// Loads at joins. LLVM makes one load of two, one in each arm of a branch, and a PHI of what differs:
//
//     if (inside) x = a[i + n];               k = inside ? i + n : clamp(i + n);
//     else        x = a[clamp(i + n)];        x = a[k];
//
// For lanes that is a loss, where an arm's index is strided and the PHI isn't. So the loads go back into the
// arms there, with what their addresses are computed from behind the join.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/legalize/legalize.h"

enum { MAX_STEPS = 6 }; // from the address back to PHIs

static bool is_step(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMGetElementPtr:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        return true;
    default:
        return false;
    }
}

static bool is_of(LLVMBasicBlockRef block, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionParent(value) == block;
}

static bool is_regular(struct weftc_shape shape)
{
    return shape.kind == WEFTC_STRIDED || shape.kind == WEFTC_UNIFORM || shape.wrap_guarded;
}

// The shapes that all vector iterations have, and those that are speculated.
enum { SURE, SPECULATED, SHAPES };

// Is the PHI irregular, and regular in an arm?
static bool gains_in(const struct weftc_shapes *s, LLVMValueRef phi)
{
    if (is_regular(weftc_shape_of(s, phi)))
        return false;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (is_regular(weftc_shape_of(s, LLVMGetIncomingValue(phi, k))))
            return true;
    return false;
}

static bool gains(const struct weftc_shapes s[SHAPES], LLVMValueRef phi)
{
    return gains_in(&s[SURE], phi) || gains_in(&s[SPECULATED], phi);
}

// Can the value be computed in each of the block's predecessors? *phi: one of which it is made, the first
// that gains, where shapes are given.
static bool may_go_up(LLVMBasicBlockRef block, LLVMValueRef value, const struct weftc_shapes *s,
                      unsigned steps, LLVMValueRef *phi)
{
    if (!is_of(block, value))
        return true;
    if (LLVMIsAPHINode(value)) {
        if (!*phi && (!s || gains(s, value)))
            *phi = value;
        return true;
    }
    if (steps == 0 || !is_step(value))
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        if (!may_go_up(block, LLVMGetOperand(value, k), s, steps - 1, phi))
            return false;
    return true;
}

// Is the block's first PHI a join of unconditional branches?
static bool is_join(LLVMBasicBlockRef block)
{
    LLVMValueRef phi = LLVMIsAPHINode(LLVMGetFirstInstruction(block));
    for (unsigned k = 0; phi && k < LLVMCountIncoming(phi); k++)
        if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k))) != 1)
            return false;
    return phi != NULL;
}

static bool is_plain_load(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) && !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

// Finds loads of joins that may go up; with shapes, those that gain. list: NULL, or room for them.
static size_t find(LLVMValueRef f, const struct weftc_shapes *s, LLVMValueRef *list)
{
    size_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        if (!is_join(b) || (s && weftc_flow_is_header(&s->flow, weftc_flow_block_of(&s->flow, b))))
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef phi = NULL;
            if (LLVMIsALoadInst(i) ? !is_plain_load(i) : weftc_bridge_touches_memory(i))
                break;
            if (!LLVMIsALoadInst(i) || !may_go_up(b, LLVMGetOperand(i, 0), s, MAX_STEPS, &phi) || !phi)
                continue;
            if (list)
                list[count] = i;
            count++;
        }
    }
    return count;
}

// The value as it is where `from` ends, a predecessor of `block`.
static LLVMValueRef value_at_end(LLVMBasicBlockRef from, LLVMBasicBlockRef block, LLVMValueRef value,
                                 LLVMBuilderRef b)
{
    if (!is_of(block, value))
        return value;
    if (LLVMIsAPHINode(value)) {
        unsigned k = 0;
        while (LLVMGetIncomingBlock(value, k) != from)
            k++;
        return LLVMGetIncomingValue(value, k);
    }
    LLVMValueRef copy = LLVMInstructionClone(value);
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        LLVMSetOperand(copy, k, value_at_end(from, block, LLVMGetOperand(value, k), b));
    LLVMInsertIntoBuilder(b, copy);
    return copy;
}

static void erase_unused(LLVMBasicBlockRef block, LLVMValueRef value)
{
    if (!is_of(block, value) || LLVMGetFirstUse(value))
        return;
    LLVMValueRef operands[MAX_STEPS];
    unsigned count = LLVMIsAPHINode(value) ? 0 : (unsigned)LLVMGetNumOperands(value);
    for (unsigned k = 0; k < count && k < MAX_STEPS; k++)
        operands[k] = LLVMGetOperand(value, k);
    LLVMInstructionEraseFromParent(value);
    for (unsigned k = 0; k < count && k < MAX_STEPS; k++)
        erase_unused(block, operands[k]);
}

static void split(LLVMValueRef load, LLVMBuilderRef b)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(load);
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    LLVMPositionBuilderBefore(b, first);
    LLVMValueRef joined = LLVMBuildPhi(b, LLVMTypeOf(load), "");
    for (unsigned k = 0; k < LLVMCountIncoming(first); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(first, k);
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(from));
        LLVMValueRef one = value_at_end(from, block, load, b);
        LLVMAddIncoming(joined, &one, &from, 1);
    }
    LLVMReplaceAllUsesWith(load, joined);
    erase_unused(block, load);
}

// ---- selects ----

// Is the value the address of a plain load of its block, or does it make one in a few steps?
static bool makes_address(LLVMBasicBlockRef block, LLVMValueRef value, unsigned steps)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (is_of(block, user) &&
            (is_plain_load(user) || (steps > 0 && is_step(user) && makes_address(block, user, steps - 1))))
            return true;
    }
    return false;
}

// Does the select make an irregular address of regular ones, in the same way for all lanes? Or is it one of
// two arrays for each lane, both accessed in order?
static bool is_choice(const struct weftc_shapes *s, LLVMValueRef i)
{
    if (!LLVMIsASelectInst(i) || is_regular(weftc_shape_of(s, i)) ||
        !makes_address(LLVMGetInstructionParent(i), i, MAX_STEPS))
        return false;
    const bool yes = is_regular(weftc_shape_of(s, LLVMGetOperand(i, 1))),
               no = is_regular(weftc_shape_of(s, LLVMGetOperand(i, 2)));
    return weftc_shape_of(s, LLVMGetOperand(i, 0)).kind == WEFTC_UNIFORM
               ? yes || no
               : yes && no && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind;
}

// Makes a branch of the select.
static void branch_of(LLVMValueRef select, LLVMBuilderRef b)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(select), join = weftc_bridge_split_block(select);
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(select));
    LLVMBasicBlockRef arms[2];
    LLVMValueRef values[2];
    for (unsigned k = 0; k < 2; k++) {
        arms[k] = LLVMInsertBasicBlockInContext(c, join, "");
        values[k] = LLVMGetOperand(select, k + 1);
        LLVMPositionBuilderAtEnd(b, arms[k]);
        LLVMBuildBr(b, join);
    }
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(block));
    LLVMPositionBuilderAtEnd(b, block);
    LLVMBuildCondBr(b, LLVMGetOperand(select, 0), arms[0], arms[1]);
    LLVMPositionBuilderBefore(b, select);
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(select), "");
    LLVMAddIncoming(phi, values, arms, 2);
    LLVMReplaceAllUsesWith(select, phi);
    LLVMInstructionEraseFromParent(select);
}

// `a[turned ? i * n + k : k * n + i]` and `x > 0 ? a[i] : b[i]` become branches with a load in each arm:
// LLVM makes selects of what costs little in scalar code.
static void split_selects(LLVMValueRef f, uint32_t lanes)
{
    enum { MAX_SELECTS = 16 };
    LLVMValueRef selects[MAX_SELECTS];
    struct weftc_shapes s;
    unsigned count = 0;
    bool any = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && !any; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !any; i = LLVMGetNextInstruction(i))
            any = LLVMIsASelectInst(i) && makes_address(b, i, MAX_STEPS);
    if (!any)
        return;
    if (weftc_shapes_init(&s, f, lanes, false) == WEFT_OK)
        for (uint32_t n = 0; n < s.count && count < MAX_SELECTS; n++)
            if (is_choice(&s, s.instructions[n]))
                selects[count++] = s.instructions[n];
    weftc_shapes_fini(&s);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(f)));
    for (unsigned k = 0; k < count; k++)
        branch_of(selects[k], b);
    LLVMDisposeBuilder(b);
}

void weftc_vec_split_loads(LLVMValueRef f, uint32_t lanes)
{
    split_selects(f, lanes);
    struct weftc_shapes s[SHAPES];
    size_t count = find(f, NULL, NULL);
    LLVMValueRef *list = count ? weft_alloc_array(count, sizeof(LLVMValueRef)) : NULL;
    if (!list)
        return; // it only costs time
    bool sure = weftc_shapes_init(&s[SURE], f, lanes, false) == WEFT_OK,
         speculated = weftc_shapes_init(&s[SPECULATED], f, lanes, true) == WEFT_OK;
    count = sure && speculated ? find(f, s, list) : 0;
    weftc_shapes_fini(&s[SURE]);
    weftc_shapes_fini(&s[SPECULATED]);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(f)));
    for (size_t k = 0; k < count; k++)
        split(list[k], b);
    LLVMDisposeBuilder(b);
    weft_free(list);
}
