// Is a region worth vectorizing? Counts what one round of all lanes costs in either form, an instruction in a
// loop for several. The numbers are rough; they need to tell only the cases in which nearly everything is done
// lane by lane anyway: gathers and scatters, and what has no vector form.
#include <llvm-c/Target.h>

#include "vectorize.h"

enum {
    LOOP_WEIGHT = 8,
    MOST_DEPTH = 4,
    DIVISION = 12,
    CALL = 4,
    PER_LANE_GATHER = 3,
    PER_LANE_NARROW = 8, // of 8 or 16 bits: there is no instruction for that
    PER_LANE_SERIAL = 6,
};

struct cost {
    uint64_t scalar, vector;
};

static uint64_t plain_cost(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
    case LLVMAlloca:
    case LLVMGetElementPtr:
    case LLVMExtractValue:
    case LLVMInsertValue:
        return 0;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMFDiv:
    case LLVMFRem:
        return DIVISION;
    case LLVMCall:
        return LLVMGetIntrinsicID(LLVMGetCalledValue(i)) ? CALL : 0;
    default:
        return 1;
    }
}

static struct cost access_cost(const struct weftc_vec *v, LLVMValueRef i, LLVMTypeRef type,
                               LLVMValueRef address)
{
    uint64_t lanes = v->lanes, size = LLVMStoreSizeOfType(v->s->layout, type);
    struct weftc_shape pointer = weftc_vec_shape(v, address);
    if (weftc_vec_is_serial_access(v, i))
        return (struct cost){lanes, lanes * PER_LANE_SERIAL};
    bool consecutive = pointer.kind == WEFTC_STRIDED &&
                       (pointer.stride == (int64_t)size || pointer.stride == -(int64_t)size);
    if (pointer.kind == WEFTC_UNIFORM || consecutive)
        return (struct cost){lanes, 1};
    return (struct cost){lanes, lanes * (size < 4 ? PER_LANE_NARROW : PER_LANE_GATHER)};
}

static struct cost instruction_cost(const struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMLoad)
        return access_cost(v, i, LLVMTypeOf(i), LLVMGetOperand(i, 0));
    if (opcode == LLVMStore)
        return access_cost(v, i, LLVMTypeOf(LLVMGetOperand(i, 0)), LLVMGetOperand(i, 1));
    if (opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg)
        return (struct cost){(uint64_t)DIVISION * v->lanes,
                             (uint64_t)(DIVISION + PER_LANE_SERIAL) * v->lanes};
    uint64_t cost = plain_cost(i);
    if (opcode == LLVMCall && !weftc_vec_is_scalar(v, i) && weftc_vec_needs_lane(v, i))
        return (struct cost){cost * v->lanes, (cost + PER_LANE_SERIAL) * v->lanes};
    // A uniform value costs the loop over single work-items little too: LLVM moves it out.
    if (weftc_vec_is_scalar(v, i))
        return (struct cost){cost, cost};
    return (struct cost){cost * v->lanes, cost};
}

bool weftc_vec_pays(const struct weftc_vec *v)
{
    const struct weftc_flow *g = &v->s->flow;
    struct cost sum = {0, 0};
    for (uint32_t b = 0; b < g->block_count; b++) {
        uint64_t weight = 1;
        unsigned depth = 0;
        for (uint32_t loop = g->blocks[b].loop; loop != UINT32_MAX && depth < MOST_DEPTH;
             loop = g->loops[loop].parent, depth++)
            weight *= LOOP_WEIGHT;
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i)) {
            struct cost one = instruction_cost(v, i);
            sum.scalar += weight * one.scalar;
            sum.vector += weight * one.vector;
        }
    }
    weft_log(WEFT_LOG_DEBUG, "cost for %u lanes: %llu one by one, %llu at once", v->lanes,
             (unsigned long long)sum.scalar, (unsigned long long)sum.vector);
    return 5 * sum.vector <= 3 * sum.scalar;
}
