// Interleaving: how many vectors are best in one iteration (docs/vectorizer.md, "Interleaving")? A loop that
// computes each iteration's numbers from the one before waits for the latencies of its instructions. Other
// vectors' work fills the wait, and what is the same for all lanes is done once. So a region may get a
// function for two or four vectors at once, where each value takes as many registers.
//
// Whether that pays is estimated (cost/iteration_time.c). Bytes and 16-bit words leave most of the registers
// empty, so several vectors may also take hardly more instructions than one.
//
// The same is estimated for scalar code. Where each iteration waits for what the one before has loaded, as in
// a CRC by a table, lanes wait together. Then they pay, though their gathers are more work
// (vectorize/cost/work.c) than scalar loads.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/cost/iteration_time.h"
#include "compiler/vectorize/cost/prices.h"
#include "compiler/vectorize/legalize/legalize.h"

enum {
    MAX_INSTRUCTIONS = 600, // a larger region gets no function for several vectors
    MAX_NARROW = 1200,      // ... of bytes
    MAX_FOR_FOUR = 300,
    MAX_WITH_ROWS = 2000,
    MIN_WORK = 12, // cycles of a region without loops: for less, memory decides
    // Bytes of private memory, of iterations of one vector and of several: more may not fit on the stack of a
    // waiting thread, which then doesn't help (SMALL_STACK in runtime/launch/ndrange.c).
    MAX_PRIVATE = 48 << 10,
    // What an iteration of two vectors may take at most, in percent of two iterations of one vector.
    WORTH_IT = 94,
    WORTH_IT_DIVERGENT = 85, // lanes that have left wait for twice as many others
    WORTH_IT_STRAIGHT = 95,  // without loops, with few divergent branches, while registers suffice
    WORTH_IT_OTHERWISE = 89, // other regions without a loop
    FEW_BRANCHES = 4,
    // At most so many percent: most of the region's values are bytes or 16-bit words, so twice as many lanes
    // take hardly more instructions.
    NARROW = 75,
    // What scalar code takes, as a multiple of the time of all lanes at once, for lanes to pay though the
    // count of work speaks against them.
    MUCH_FASTER = 2,
    FASTER = 3, // ... in half of that time: enough where stores surely cost little
    // What an iteration of four vectors may take at most, in percent of two iterations of two vectors.
    WORTH_FOUR = 93,
    WORTH_FOUR_DIVERGENT = 88,
};

static bool is_straight(const struct weftc_flow *flow)
{
    unsigned branches = 0;
    for (uint32_t b = 0; b < flow->block_count; b++)
        branches += flow->blocks[b].divergent;
    return flow->loop_count == 0 && branches <= FEW_BRANCHES;
}

// Do no stores of neighbouring lanes go to places far from each other? What such stores take isn't known
// well.
static bool stores_near(const struct weftc_vec *v)
{
    const struct weftc_flow *flow = &v->s->flow;
    for (uint32_t b = 0; b < flow->block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(flow->blocks[b].block); i;
             i = LLVMGetNextInstruction(i)) {
            const enum weftc_access_kind kind = weftc_vec_access(v, i)->kind;
            if (kind != WEFTC_ACCESS_NONE && !LLVMIsALoadInst(i) &&
                (!LLVMIsAStoreInst(i) || weftc_access_traits[kind].reach != WEFTC_REACH_TOGETHER))
                return false;
        }
    return true;
}

static bool loops_run_alike(const struct weftc_flow *flow)
{
    for (uint32_t b = 0; b < flow->block_count; b++)
        if (flow->blocks[b].divergent)
            return false;
    return flow->loop_count > 0;
}

// Are four vectors better than two, which are worth it?
static bool four_are_better(const struct weftc_vec *v, const struct weftc_vec_times *all, bool divergent,
                            bool only_region, const struct weftc_target *target)
{
    // A value without a register is an operand in memory; a few of these cost little.
    uint32_t max = target->vector_registers + target->vector_registers / 4;
    const bool narrow = all->units[0] && 100 * all->units[2] <= NARROW * all->units[1];
    // Other regions' rows may be as short as 16 work-items.
    return (v->s->flow.loop_count > 0 || (narrow && only_region)) && v->s->count <= MAX_FOR_FOUR &&
           5 * v->s->lanes * weftc_shapes_private_bytes(v->s) <= MAX_PRIVATE && all->registers[2] <= max &&
           100 * all->four <= (divergent ? WORTH_FOUR_DIVERGENT : WORTH_FOUR) * all->two;
}

// ---- the decision ----

static bool has_rows(const struct weftc_flow *flow)
{
    for (uint32_t l = 0; l < flow->loop_count; l++)
        if (weftc_vec_trip_count(flow, l) > 1)
            return true;
    return false;
}

static bool reads_crowded_rows(const struct weftc_vec *v)
{
    for (uint32_t n = 0; n < v->s->count; n++)
        if (weftc_vec_reads_crowded_rows(v, v->s->instructions[n]))
            return true;
    return false;
}

static bool has_divergent_loop(const struct weftc_flow *flow)
{
    for (uint32_t l = 0; l < flow->loop_count; l++)
        if (flow->loops[l].divergent)
            return true;
    return false;
}

// Why nothing is estimated for the region; NULL: it is.
static const char *why_not_estimated(const struct weftc_vec *v, bool rows)
{
    if (v->s->count > (rows ? MAX_WITH_ROWS : MAX_NARROW))
        return "it is large";
    for (uint32_t n = 0; n < v->s->count; n++)
        if (weftc_vec_is_call(v->s->instructions[n]))
            return "it calls functions";
    if (3 * v->s->lanes * weftc_shapes_private_bytes(v->s) > MAX_PRIVATE)
        return "private memory takes much of the stack";
    return NULL;
}

// Compares one vector with scalar code: t->saves, t->loses and t->time.
static void compare_with_scalar(const struct weftc_vec *v, const struct weftc_vec_times *all, bool rows,
                                struct weftc_vec_interleave *t)
{
    // Straight code waits for nothing: the processor works on other work-items meanwhile.
    const bool alike = loops_run_alike(&v->s->flow), near = alike && stores_near(v);
    const unsigned tenths = 10 * v->lanes;
    t->saves = alike && (all->scalar >= (uint64_t)MUCH_FASTER * all->one ||
                         (2 * all->scalar >= (uint64_t)FASTER * all->one && near));
    t->loses = (rows || weftc_vec_has_rows_with_lanes(v)) && 4 * all->scalar < 5 * all->one;
    t->time = weftc_vec_bound(v->lanes, all->one, all->scalar,
                              t->loses ? tenths * 4 / 5
                              : !alike ? 0
                              : near   ? tenths * 2 / FASTER
                                       : tenths / MUCH_FASTER);
}

// What an iteration of two vectors may take at most, in percent of two iterations of one vector.
static uint32_t worth_it(const struct weftc_flow *flow, uint32_t registers, const struct weftc_target *target)
{
    if (has_divergent_loop(flow))
        return WORTH_IT_DIVERGENT;
    if (flow->loop_count > 0)
        return WORTH_IT;
    return 2 * registers <= target->vector_registers && is_straight(flow) ? WORTH_IT_STRAIGHT
                                                                          : WORTH_IT_OTHERWISE;
}

// Why two vectors aren't better than one; NULL: they are.
static const char *why_not_two(const struct weftc_vec *v, const struct weftc_target *target, bool only_region,
                               bool rows, const struct weftc_vec_times *all,
                               const struct weftc_vec_interleave *t)
{
    const bool loops = v->s->flow.loop_count > 0;
    // Straight code can be put in any order. So how many values live at a time isn't settled here, and a
    // constant can be loaded again.
    const uint32_t max =
        loops ? target->vector_registers : target->vector_registers + target->vector_registers / 2;
    if (!loops && !only_region && !t->narrow)
        return "it has no loop and lies between barriers";
    if (!loops && t->work < MIN_WORK && !t->narrow)
        return "it is short and has no loop";
    // Where an iteration waits for the one before, there is time for the rows to be read again.
    if (rows || (t->chain < t->work && reads_crowded_rows(v)))
        return "each lane goes along a row of its own";
    if (t->percent > worth_it(&v->s->flow, t->registers, target))
        return "the gain would be small";
    // Bytes of twice as many lanes take no more registers: what doesn't suffice now is no worse then.
    return all->registers[1] > max && 4 * all->registers[1] > 5 * all->registers[0]
               ? "registers wouldn't suffice"
               : NULL;
}

void weftc_vec_find_interleave(struct weftc_vec *v, const struct weftc_target *target, bool only_region,
                               struct weftc_vec_interleave *t)
{
    const bool rows = has_rows(&v->s->flow);
    *t = (struct weftc_vec_interleave){.times = 2};
    t->reason = why_not_estimated(v, rows);
    if (t->reason)
        return;
    struct weftc_vec_times all = {0};
    weftc_vec_estimate_times(v, target, t, &all);
    t->narrow = all.units[0] && 100 * all.units[1] <= NARROW * all.units[0];
    if (!rows && !t->narrow && v->s->count > MAX_INSTRUCTIONS) {
        *t = (struct weftc_vec_interleave){.times = 2, .reason = "it is large"};
        return;
    }
    compare_with_scalar(v, &all, rows, t);
    t->reason = why_not_two(v, target, only_region, rows, &all, t);
    if (!t->reason && four_are_better(v, &all, has_divergent_loop(&v->s->flow), only_region, target)) {
        t->times = 4;
        t->percent = (uint32_t)(100 * all.four / all.one);
    }
}
