// Rematerialization: a value that a few cheap instructions make from arguments, ids and constants is computed
// again after a barrier instead of being spilled. It has the same value wherever it is computed. An address
// or index may take more instructions. Its uniform parts are computed once for the whole group. And only if
// it is computed again is it known to be consecutive over the lanes. Where a uniform part can't be computed
// again, such as the number of a tile that depends on a branch, that part is kept instead (uniform_parts.c).
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "compiler/regions/regions.h"

enum { MAX_COST = 8, MAX_INDEX_COST = 32, NEVER = 1000 };

static unsigned cost_of(LLVMValueRef v, unsigned budget)
{
    if (LLVMIsAConstant(v) || LLVMIsAArgument(v))
        return 0;
    if (budget == 0 || !LLVMIsAInstruction(v))
        return NEVER;
    enum weftc_primitive p;
    unsigned dim;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMCall:
        return weftc_primitive_of(v, &p, &dim) ? 1 : NEVER;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFNeg:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMFCmp:
    case LLVMGetElementPtr:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        break;
    default:
        if (!weftc_is_integer_operation(LLVMGetInstructionOpcode(v)))
            return NEVER;
    }
    unsigned cost = 1;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v) && cost <= budget; k++)
        cost += cost_of(LLVMGetOperand(v, k), budget - cost);
    return cost;
}

// The number of instructions of an index computation whose results differ between work-items; NEVER: the
// value isn't such an index.
static unsigned index_cost(const struct weftc_uniformity *u, LLVMValueRef v, unsigned budget)
{
    if (!LLVMIsAInstruction(v) || weftc_is_uniform(u, v))
        return 0;
    if (budget == 0)
        return NEVER;
    enum weftc_primitive p;
    unsigned dim;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMCall:
        return weftc_primitive_of(v, &p, &dim) ? 1 : NEVER;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMGetElementPtr:
        break;
    case LLVMShl:
        if (weftc_is_uniform(u, LLVMGetOperand(v, 1)))
            break;
        return NEVER;
    case LLVMOr:
        if (LLVMGetIsDisjoint(v))
            break;
        return NEVER;
    default:
        return NEVER;
    }
    unsigned cost = 1;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v) && cost <= budget; k++)
        cost += index_cost(u, LLVMGetOperand(v, k), budget - cost);
    return cost;
}

// Is it a uniform value that can't be computed again?
static bool is_kept(const struct weftc_uniformity *u, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && weftc_is_uniform(u, v) && cost_of(v, MAX_INDEX_COST) > MAX_INDEX_COST;
}

// Does each value that is kept for an index stay in a register of `run`? Not one that only some work-items
// compute (regions.c).
static bool may_keep(const struct weftc_cfg *g, const struct weftc_uniformity *u, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return true;
    if (is_kept(u, v))
        return !g->blocks[weftc_block_of_instruction(g, v)].divergent;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        if (!may_keep(g, u, LLVMGetOperand(v, k)))
            return false;
    return true;
}

bool weftc_remat_pays(const struct weftc_uniformity *u, LLVMValueRef value)
{
    if (cost_of(value, MAX_COST) <= MAX_COST)
        return true;
    return !weftc_is_uniform(u, value) && index_cost(u, value, MAX_COST) <= MAX_COST &&
           cost_of(value, MAX_INDEX_COST) <= MAX_INDEX_COST;
}

// Copies the instruction to the builder's position. deep: copies its operands too, recursively;
// MAX_INDEX_COST bounds the depth. u: uniform operands that can't be computed again aren't copied; NULL:
// there are none.
static LLVMValueRef copy(LLVMBuilderRef b, LLVMValueRef v, bool deep, const struct weftc_uniformity *u)
{
    if (!LLVMIsAInstruction(v) || (u && is_kept(u, v)))
        return v;
    LLVMValueRef c = LLVMInstructionClone(v);
    unsigned operands = deep ? (unsigned)LLVMGetNumOperands(v) : 0;
    for (unsigned k = 0; k < operands; k++) {
        LLVMValueRef operand = LLVMGetOperand(v, k);
        if (LLVMIsAInstruction(operand))
            LLVMSetOperand(c, k, copy(b, operand, deep, u));
    }
    LLVMInsertIntoBuilder(b, c);
    return c;
}

LLVMValueRef weftc_remat_here(LLVMBuilderRef b, LLVMValueRef value)
{
    return copy(b, value, true, NULL);
}

static LLVMValueRef copy_at_start(LLVMBuilderRef b, LLVMBasicBlockRef block, LLVMValueRef v, bool deep,
                                  const struct weftc_uniformity *u)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(b, at);
    return copy(b, v, deep, u);
}

static weft_status compute_again(LLVMValueRef value, bool deep, const struct weftc_uniformity *u)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(value);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(value)));
    size_t count = 0, uses = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        uses++;
    LLVMValueRef *users = weft_alloc_array(uses + 1, sizeof *users), *copies = NULL;
    struct weftc_map by_block = {0};
    weft_status status = WEFT_NO_MEMORY;
    size_t blocks = 0, capacity = 0;
    if (!users)
        goto done;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        users[count++] = LLVMGetUser(use);
    for (size_t i = 0; i < count; i++) {
        bool phi = LLVMIsAPHINode(users[i]);
        unsigned operands = phi ? LLVMCountIncoming(users[i]) : (unsigned)LLVMGetNumOperands(users[i]);
        for (unsigned k = 0; k < operands; k++) {
            if (LLVMGetOperand(users[i], k) != value)
                continue;
            LLVMBasicBlockRef block =
                phi ? LLVMGetIncomingBlock(users[i], k) : LLVMGetInstructionParent(users[i]);
            if (block == home)
                continue;
            uint32_t known = weftc_map_get(&by_block, block);
            if (known == UINT32_MAX) {
                if (blocks == capacity) {
                    capacity = capacity ? 2 * capacity : 16;
                    LLVMValueRef *larger = weft_realloc(copies, capacity * sizeof *larger);
                    if (!larger)
                        goto done;
                    copies = larger;
                }
                known = (uint32_t)blocks++;
                copies[known] = copy_at_start(b, block, value, deep, u);
                if (!weftc_map_put(&by_block, block, known))
                    goto done;
            }
            LLVMSetOperand(users[i], k, copies[known]);
        }
    }
    status = WEFT_OK;
done:
    weft_free(users);
    weft_free(copies);
    weftc_map_free(&by_block);
    LLVMDisposeBuilder(b);
    return status;
}

weft_status weftc_remat(LLVMValueRef value, bool deep)
{
    return compute_again(value, deep, NULL);
}

bool weftc_remat_pays_in_part(const struct weftc_cfg *g, const struct weftc_uniformity *u, LLVMValueRef value)
{
    return !weftc_is_uniform(u, value) && !weftc_remat_pays(u, value) &&
           index_cost(u, value, MAX_COST) <= MAX_COST && may_keep(g, u, value);
}

weft_status weftc_remat_in_part(const struct weftc_uniformity *u, LLVMValueRef value)
{
    return compute_again(value, true, u);
}
