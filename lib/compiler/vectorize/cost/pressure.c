// Do registers suffice for lanes in a kernel that is written with OpenCL's vectors? Lanes take such a vector
// apart: each of its elements becomes a vector of all lanes. In scalar code one operation handles the whole
// vector, and the kernel's author has chosen a width for which registers suffice. So lanes gain less than
// elsewhere, and they multiply the state: a hash with eight uint8 has 64 vectors alive, and each operation
// loads its operands and stores its result.
#include <stddef.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/cost/prices.h"

enum {
    UNIT = 16,
    // An operation none of whose values has a register takes 2.5 times as long: measured with SHA-1 on
    // AVX2 and AVX-512, with 80 to 340 registers' worth of state.
    SPILLED = 24, // sixteenths of an operation
    // Lanes pay if the work of all lanes at once is at most so many percent of the work of the work-items one
    // by one; without mask registers, half of what is spilled is counted once more. Measured with OpenCV's
    // filters and hashcat, on Zen 4: with AVX-512, filters of uchar4 have 30 to 50 and gain, those of uchar16
    // have 70 to 100 and lose. With AVX2 those of uchar4 have up to 122 and gain; SHA-512, WPA and filters of
    // uchar16 have 149 to 220 and lose.
    CROWDED_PERCENT = 60,
    CROWDED_PERCENT_WITHOUT_MASKS = 130,
    WINDOW = 256,  // instructions that a processor looks ahead
    OPERATION = 2, // quarters of a cycle
    // The usual estimate decides if at most one part in so many of the work besides accesses is spills, or if
    // most of the work, in quarters, is accesses.
    FEW_SPILLS = 5,
    MOSTLY_ACCESSES = 3,
};

// ---- how many registers are alive ----

static uint32_t number_of(const struct weftc_vec *v, LLVMValueRef i)
{
    return weftc_map_get(&v->s->number, i);
}

static uint32_t end_of_block(const struct weftc_vec *v, uint32_t block)
{
    return number_of(v, LLVMGetBasicBlockTerminator(v->s->flow.blocks[block].block));
}

// Until where a value of block `from` is alive that is used by instruction `at` of block `to`. A loop that
// uses a value from outside needs it in the next iteration too.
static uint32_t alive_until(const struct weftc_vec *v, uint32_t from, uint32_t to, uint32_t at)
{
    const struct weftc_flow *g = &v->s->flow;
    for (uint32_t loop = g->blocks[to].loop; loop != UINT32_MAX && !weftc_flow_in_loop(g, loop, from);
         loop = g->loops[loop].parent)
        at = end_of_block(v, g->loops[loop].end - 1);
    return at;
}

static uint32_t last_use(const struct weftc_vec *v, LLVMValueRef value)
{
    const struct weftc_flow *g = &v->s->flow;
    const uint32_t from = weftc_flow_block_of(g, LLVMGetInstructionParent(value));
    uint32_t last = number_of(v, value);
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        for (unsigned k = 0; LLVMIsAPHINode(user) && k < LLVMCountIncoming(user); k++) {
            if (LLVMGetIncomingValue(user, k) != value)
                continue;
            const uint32_t to = weftc_flow_block_of(g, LLVMGetIncomingBlock(user, k));
            const uint32_t at = alive_until(v, from, to, end_of_block(v, to));
            last = at > last ? at : last;
        }
        if (LLVMIsAPHINode(user))
            continue;
        const uint32_t to = weftc_flow_block_of(g, LLVMGetInstructionParent(user));
        const uint32_t at = alive_until(v, from, to, number_of(v, user));
        last = at > last ? at : last;
    }
    return last;
}

// live[n]: registers that are alive at instruction n. NULL: memory is short. The caller frees it.
static int64_t *find_live(const struct weftc_vec *v, bool masks_apart)
{
    int64_t *live = weft_alloc_array((size_t)v->s->count + 2, sizeof *live);
    if (!live)
        return NULL;
    for (uint32_t n = 0; n < v->s->count + 2; n++)
        live[n] = 0;
    for (uint32_t n = 0; n < v->s->count; n++) {
        LLVMValueRef i = v->s->instructions[n];
        const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));
        if (kind == LLVMVoidTypeKind || kind == LLVMLabelTypeKind || weftc_vec_is_scalar(v, i))
            continue;
        const uint32_t registers = weftc_vec_registers(v, LLVMTypeOf(i), masks_apart);
        live[n] += registers;
        live[last_use(v, i) + 1] -= registers;
    }
    for (uint32_t n = 1; n < v->s->count; n++)
        live[n] += live[n - 1];
    return live;
}

// ---- what one work-item waits for ----

// When the instruction's result is there, in quarters of a cycle from the start of the loop's iteration.
static uint64_t ready(const struct weftc_vec *v, const uint64_t *when, LLVMValueRef i, uint32_t loop)
{
    const struct weftc_flow *g = &v->s->flow;
    uint64_t at = 0;
    for (unsigned k = 0; !LLVMIsAPHINode(i) && k < (unsigned)LLVMGetNumOperands(i); k++) {
        LLVMValueRef operand = LLVMGetOperand(i, k);
        if (!LLVMIsAInstruction(operand) ||
            g->blocks[weftc_flow_block_of(g, LLVMGetInstructionParent(operand))].loop != loop)
            continue;
        const uint64_t then = when[number_of(v, operand)];
        at = then > at ? then : at;
    }
    return at + weftc_vec_scalar_price(i).latency;
}

// What all work-items wait for in scalar code, in sixteenths of an operation. An iteration that is longer
// than what the processor looks ahead shows its latencies, though the next one may not depend on it.
static uint64_t find_chains(const struct weftc_vec *v, uint32_t by_hand)
{
    const struct weftc_flow *g = &v->s->flow;
    uint64_t *when = weft_alloc_array((size_t)v->s->count + 1, sizeof *when), sum = 0;
    if (!when)
        return 0;
    for (uint32_t b = 0, n = 0; b < g->block_count; b++) {
        const uint32_t first = n;
        uint64_t last = 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i)) {
            when[n] = ready(v, when, i, g->blocks[b].loop);
            last = when[n] > last ? when[n] : last;
            n++;
        }
        if ((n - first) * WEFTC_BY_HAND_UNIT / by_hand >= WINDOW)
            sum += weftc_vec_weight(v, b) * v->lanes * last * (UNIT / OPERATION);
    }
    weft_free(when);
    return sum;
}

// ---- what that costs ----

// Of an operation, in sixteenths of it, if so many registers' worth of values are alive.
static uint64_t spills(uint64_t live, uint64_t registers)
{
    return live > registers ? SPILLED * (live - registers) / live : 0;
}

struct sums {
    uint64_t vector, accesses, spilled, scalar; // in sixteenths; vector with accesses and what is spilled
};

static void add_instruction(const struct weftc_vec *v, uint32_t n, uint64_t live, uint32_t registers,
                            uint32_t by_hand, struct sums *sum)
{
    LLVMValueRef i = v->s->instructions[n];
    const uint32_t block = weftc_flow_block_of(&v->s->flow, LLVMGetInstructionParent(i));
    const uint64_t weight = weftc_vec_weight(v, block);
    const struct weftc_vec_work work = weftc_vec_works(v, i);
    if (weftc_vec_access(v, i)->kind != WEFTC_ACCESS_NONE || weftc_vec_is_scalar(v, i)) {
        sum->vector += UNIT * weight * work.vector;
        sum->accesses += UNIT * weight * work.vector;
        sum->scalar += UNIT * weight * work.scalar * WEFTC_BY_HAND_UNIT / by_hand;
        return;
    }
    // Lanes of 64 bits fill two registers.
    const uint64_t wide = weftc_vec_registers(v, LLVMTypeOf(i), true) > 1 ? 2 : 1;
    // Code for one work-item gets by with registers for half of its values: some are operands in memory, some
    // are constants.
    const uint64_t of_own = live * WEFTC_BY_HAND_UNIT / by_hand;
    sum->vector += weight * work.vector * wide * (UNIT + spills(live, registers));
    sum->spilled += weight * work.vector * wide * spills(live, registers);
    sum->scalar +=
        weight * work.scalar * (UNIT + spills(of_own, 2 * registers)) * WEFTC_BY_HAND_UNIT / by_hand;
}

bool weftc_vec_is_crowded(const struct weftc_vec *v, const struct weftc_target *target, uint32_t by_hand,
                          struct weftc_vec_bound *bound)
{
    int64_t *live = find_live(v, target->has_mask_registers);
    if (!live)
        return false; // the usual estimate decides
    struct sums sum = {0};
    for (uint32_t n = 0; n < v->s->count; n++)
        add_instruction(v, n, (uint64_t)live[n], target->vector_registers, by_hand, &sum);
    weft_free(live);
    const uint64_t chains = find_chains(v, by_hand);
    sum.scalar = chains > sum.scalar ? chains : sum.scalar;
    const uint64_t at_once = sum.vector;
    const bool masks = target->has_mask_registers;
    const uint64_t compared = masks ? at_once : at_once + sum.spilled / 2;
    const uint32_t percent = masks ? CROWDED_PERCENT : CROWDED_PERCENT_WITHOUT_MASKS;
    weft_log(WEFT_LOG_DEBUG,
             "%u lanes beside vectors of %.1f elements: %llu at once, %llu of it accesses, %llu spills; "
             "%llu one by one, %llu of latency",
             v->lanes, by_hand / 16.0, (unsigned long long)at_once, (unsigned long long)sum.accesses,
             (unsigned long long)sum.spilled, (unsigned long long)sum.scalar, (unsigned long long)chains);
    if (FEW_SPILLS * sum.spilled < at_once - sum.accesses || 4 * sum.accesses > MOSTLY_ACCESSES * at_once ||
        100 * compared <= percent * sum.scalar)
        return false;
    *bound = weftc_vec_bound(v->lanes, compared, sum.scalar, v->lanes * percent / 10);
    return true;
}
