// Interleaving: how many vectors are best in one iteration (docs/vectorizer.md, "Interleaving")? A loop that
// computes each iteration's numbers from the one before waits for the latencies of its instructions. Other
// vectors' work fills the wait, and what is the same for all lanes is done once. So a region may get a
// function for two or four vectors at once, where each value takes as many registers.
//
// Whether that pays is estimated from the shapes, with the prices of prices.c. For each innermost loop there
// are three numbers: `chain`, by how much an iteration's results are later than those of the one before,
// however many units there were; `work`, what the units need for an iteration of one vector; `shared`, what
// one vector needs and several need only once. N iterations of one vector take N times what chain and work +
// shared take together (iteration_time); one of N vectors takes what chain and N * work + shared do.
//
// The same is estimated for scalar code. Where each iteration waits for what the one before has loaded, as in
// a CRC by a table, lanes wait together. Then they pay, though their gathers are more work
// (vectorize/cost/work.c) than scalar loads.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/cost/prices.h"
#include "compiler/vectorize/legalize/legalize.h"

enum {
    LOOP_WEIGHT = 8,
    MAX_DEPTH = 4,
    MAX_INSTRUCTIONS = 600, // a larger region gets no function for several vectors
    MAX_FOR_FOUR = 300,
    MAX_WITH_ROWS = 2000,
    UNROLLED_ITERATIONS = 16, // iterations that vectorize/legalize/unroll_rows.c makes into one
    SETTLING_ITERATIONS = 8,  // iterations of a loop until its chains have settled
    WINDOW = 256,             // instructions that a processor looks ahead
    LOOP_OVERHEAD = 2,
    MIN_WORK = 12, // cycles of a region without loops: for less, memory decides
    MAX_STEPS = 8, // steps up the dominator tree
    // Bytes of private memory, of iterations of one vector and of several: more may not fit on the stack of a
    // waiting thread, which then doesn't help (SMALL_STACK in runtime/launch/ndrange.c).
    MAX_PRIVATE = 48 << 10,
    // What an iteration of two vectors may take at most, in percent of two iterations of one vector.
    WORTH_IT = 94,
    WORTH_IT_DIVERGENT = 85, // lanes that have left wait for twice as many others
    WORTH_IT_STRAIGHT = 95,  // without loops, with few divergent branches, while registers suffice
    WORTH_IT_OTHERWISE = 89, // other regions without a loop
    FEW_BRANCHES = 4,
    LLVM_LANES = 8, // lanes that LLVM gives a loop of one work-item
    MUCH_FASTER =
        // What scalar code takes, as a multiple of the time of all lanes at once, for lanes to pay though the
    // count of work speaks against them.
    2,
    FASTER = 3, // ... in half of that time: enough where stores surely cost little
    // What an iteration of four vectors may take at most, in percent of two iterations of two vectors.
    WORTH_FOUR = 93,
    WORTH_FOUR_DIVERGENT = 88,
};

// Is the value one of all lanes, in vector registers?
static bool in_registers(const struct weftc_vec *v, LLVMValueRef value)
{
    return (LLVMIsAInstruction(value) || LLVMIsAArgument(value)) &&
           LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVoidTypeKind &&
           LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMLabelTypeKind && !weftc_vec_is_scalar(v, value);
}

// ---- what a loop takes, or a region without ----

struct guess {
    const struct weftc_vec *v;
    uint64_t *when;       // by instruction: when its result is there
    uint32_t *ends;       // by instruction: registers of values that it is the last to use
    uint32_t *met;        // by instruction from outside: `first` of the part that used it last, plus one
    uint32_t begin, end;  // the blocks that are looked at
    uint32_t first, last; // their instructions
    unsigned depth;
    bool masks_apart;
    bool scalar;   // it is for scalar code
    uint64_t mask; // when the lanes that are still in a divergent loop are known
};

static uint64_t ready(const struct guess *g, LLVMValueRef value)
{
    uint32_t number = LLVMIsAInstruction(value) ? weftc_map_get(&g->v->s->number, value) : UINT32_MAX;
    return number >= g->first && number < g->last ? g->when[number] : 0;
}

// When it is known which lanes come to block `to` from `from`: when the conditions of divergent branches on
// the way are.
static uint64_t known(const struct guess *g, uint32_t from, uint32_t to)
{
    const struct weftc_flow *flow = &g->v->s->flow;
    uint64_t last = 0;
    for (unsigned k = 0; k < MAX_STEPS && from != UINT32_MAX && from != flow->blocks[to].idom; k++) {
        if (flow->blocks[from].divergent) {
            uint64_t at = ready(g, LLVMGetOperand(LLVMGetBasicBlockTerminator(flow->blocks[from].block), 0));
            last = at > last ? at : last;
        }
        from = flow->blocks[from].idom;
    }
    return last;
}

static uint64_t phi_ready(const struct guess *g, LLVMValueRef phi, uint32_t block)
{
    const struct weftc_flow *flow = &g->v->s->flow;
    uint64_t last = 0;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        uint32_t from = weftc_flow_block_of(flow, LLVMGetIncomingBlock(phi, k));
        if (flow->blocks[block].join && !g->scalar) {
            uint64_t mask = known(g, from, block) + 4;
            last = mask > last ? mask : last;
        }
        uint64_t at = ready(g, LLVMGetIncomingValue(phi, k));
        last = at > last ? at : last;
    }
    return last;
}

// Follows one iteration. Returns when the last result is there.
static uint64_t follow_iteration(struct guess *g)
{
    const struct weftc_flow *flow = &g->v->s->flow;
    uint64_t last = 0, mask = 0;
    uint32_t n = g->first, shared;
    for (uint32_t b = g->begin; b < g->end; b++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(flow->blocks[b].block); i;
             i = LLVMGetNextInstruction(i)) {
            uint64_t at = LLVMIsAPHINode(i) ? phi_ready(g, i, b) : 0;
            for (unsigned k = 0; !LLVMIsAPHINode(i) && k < (unsigned)LLVMGetNumOperands(i); k++) {
                uint64_t operand = ready(g, LLVMGetOperand(i, k));
                at = operand > at ? operand : at;
            }
            if (!flow->blocks[b].full && weftc_vec_access(g->v, i)->kind != WEFTC_ACCESS_NONE && !g->scalar)
                at = g->mask > at ? g->mask : at;
            at += g->scalar ? weftc_vec_scalar_price(i).latency
                            : weftc_vec_price(g->v, i, g->depth, &shared).latency;
            g->when[n++] = at;
            last = at > last ? at : last;
        }
        if (flow->blocks[b].divergent && g->when[n - 1] > mask)
            mask = g->when[n - 1];
    }
    g->mask = g->depth ? mask + 4 : 0;
    return last;
}

// By how much each iteration's results are later than those of the one before; of code that runs once, when
// the last result is there.
static uint64_t chain_of(struct guess *g)
{
    g->mask = 0;
    memset(g->when + g->first, 0, (g->last - g->first) * sizeof *g->when);
    if (g->depth == 0)
        return follow_iteration(g);
    uint64_t half = 0, all = 0;
    for (unsigned k = 1; k <= SETTLING_ITERATIONS; k++) {
        all = follow_iteration(g);
        half = k == SETTLING_ITERATIONS / 2 ? all : half;
    }
    return (all - half) / (SETTLING_ITERATIONS - SETTLING_ITERATIONS / 2);
}

// The last instruction that uses the value. In a loop, a value that the next iteration uses, or the code
// after the loop, is used until the end.
static uint32_t last_use(const struct guess *g, LLVMValueRef value)
{
    uint32_t last = g->first;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        uint32_t at = weftc_map_get(&g->v->s->number, user);
        bool again = g->depth && LLVMIsAPHINode(user) &&
                     LLVMGetInstructionParent(user) == g->v->s->flow.blocks[g->begin].block;
        at = again || at < g->first || at >= g->last ? g->last - 1 : at;
        last = at > last ? at : last;
    }
    return last;
}

// The maximum of vector registers that the values of one vector take.
static uint32_t pressure_of(const struct guess *g)
{
    const struct weftc_shapes *s = g->v->s;
    memset(g->ends + g->first, 0, (g->last - g->first) * sizeof *g->ends);
    uint32_t live = 0, max = 0;
    // Values from outside take their registers all the time.
    for (uint32_t n = g->first; n < g->last; n++) {
        LLVMValueRef i = s->instructions[n];
        for (unsigned k = 0; g->depth && k < (unsigned)LLVMGetNumOperands(i); k++) {
            LLVMValueRef operand = LLVMGetOperand(i, k);
            uint32_t at = LLVMIsAInstruction(operand) ? weftc_map_get(&s->number, operand) : UINT32_MAX;
            bool inside = at >= g->first && at < g->last;
            if (at == UINT32_MAX || inside || !in_registers(g->v, operand) || g->met[at] == g->first + 1 ||
                (LLVMIsAPHINode(i) && LLVMGetInstructionParent(i) == s->flow.blocks[g->begin].block))
                continue;
            g->met[at] = g->first + 1;
            live += weftc_vec_registers(g->v, LLVMTypeOf(operand), g->masks_apart);
        }
    }
    for (uint32_t n = g->first; n < g->last; n++) {
        LLVMValueRef i = s->instructions[n];
        if (in_registers(g->v, i)) {
            uint32_t registers = weftc_vec_registers(g->v, LLVMTypeOf(i), g->masks_apart);
            live += registers;
            g->ends[last_use(g, i)] += registers;
        }
        max = live > max ? live : max;
        live -= g->ends[n];
    }
    return max;
}

static void sum_of(const struct guess *g, uint64_t *work, uint64_t *shared)
{
    *work = 0;
    *shared = g->depth ? LOOP_OVERHEAD : 0;
    for (uint32_t n = g->first; n < g->last; n++) {
        uint32_t once = 0;
        *work += g->scalar ? weftc_vec_scalar_price(g->v->s->instructions[n]).work
                           : weftc_vec_price(g->v, g->v->s->instructions[n], g->depth, &once).work;
        *shared += once;
    }
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// What an iteration takes. Units that are busy for a part of the time delay the chain's operations for as
// large a part, since a processor begins what has waited longest first. Where chain and work are equal, an
// iteration takes half as long again.
static uint64_t iteration_time(uint64_t chain, uint64_t work)
{
    uint64_t less = chain < work ? chain : work, more = chain + work - less;
    return more ? more + less * less / (2 * more) : 0;
}

// What the work of four vectors takes: in scalar code, and in iterations of one, two and four vectors.
struct times {
    uint64_t scalar, one, two, four;
};

// Latencies of code that runs once, when vector iterations of so many instructions follow each other: the
// processor works on several of them at a time.
static uint64_t seen(uint64_t chain, uint64_t instructions)
{
    return instructions < WINDOW ? chain * instructions / WINDOW : chain;
}

// What one work-item takes in scalar code.
static uint64_t scalar_time(struct guess *g)
{
    const struct weftc_flow *flow = &g->v->s->flow;
    uint32_t loop = flow->blocks[g->begin].loop;
    uint64_t chain, work, shared;
    g->scalar = true;
    chain = g->depth ? chain_of(g) : 0; // it waits for no work-item before it
    sum_of(g, &work, &shared);
    g->scalar = false;
    if (g->depth && weftc_vec_llvm_vectorizes(g->v, &flow->loops[loop]))
        return (work + LLVM_LANES - 1) / LLVM_LANES;
    return g->depth ? iteration_time(chain, work + shared) : work;
}

// Blocks [begin, end): all of a loop without inner loops, or of a region without loops.
static void guess_part(struct guess *g, uint64_t weight, struct weftc_vec_interleave *t, struct times *all)
{
    uint64_t chain = chain_of(g), work, shared, chains[3] = {chain, chain, chain}, size = g->last - g->first;
    sum_of(g, &work, &shared);
    for (unsigned k = 0; k < 3 && g->depth == 0; k++)
        chains[k] = seen(chain, size << k);
    uint32_t registers = pressure_of(g);
    chain = chains[0];
    uint64_t (*takes)(uint64_t, uint64_t) = g->depth ? iteration_time : larger;
    all->one += 4 * weight * takes(chain, work + shared);
    all->two += 2 * weight * takes(chains[1], 2 * work + shared);
    all->four += weight * takes(chains[2], 4 * work + shared);
    all->scalar += 4 * weight * g->v->lanes * scalar_time(g);
    if (weight * (work + shared + chain) >= t->weight) {
        *t = (struct weftc_vec_interleave){.weight = weight * (work + shared + chain),
                                           .chain = (uint32_t)((chain + 3) / 4),
                                           .work = (uint32_t)((work + 3) / 4),
                                           .shared = (uint32_t)((shared + 3) / 4),
                                           .registers = t->registers,
                                           .times = t->times};
    }
    t->registers = registers > t->registers ? registers : t->registers;
}

static bool has_inner(const struct weftc_flow *flow, uint32_t loop)
{
    for (uint32_t b = flow->loops[loop].begin; b < flow->loops[loop].end; b++)
        if (flow->blocks[b].loop != loop)
            return true;
    return false;
}

static uint64_t weight_of(const struct weftc_flow *flow, uint32_t loop, unsigned *depth)
{
    uint64_t weight = UNROLLED_ITERATIONS;
    *depth = 0;
    for (; loop != UINT32_MAX; loop = flow->loops[loop].parent)
        weight = weight * (++*depth <= MAX_DEPTH ? LOOP_WEIGHT : 1) / weftc_vec_trip_count(flow, loop);
    return weight;
}

static void guess_all(struct guess *g, struct weftc_vec_interleave *t, struct times *all)
{
    const struct weftc_flow *flow = &g->v->s->flow;
    uint32_t n = 0, next;
    for (uint32_t b = 0; b < flow->block_count; b = next, n = g->last) {
        uint32_t loop = flow->blocks[b].loop;
        bool innermost = loop != UINT32_MAX && flow->loops[loop].begin == b && !has_inner(flow, loop);
        next = innermost ? flow->loops[loop].end : flow->loop_count == 0 ? flow->block_count : b + 1;
        g->begin = b;
        g->end = next;
        g->first = g->last = n;
        for (uint32_t k = b; k < next; k++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(flow->blocks[k].block); i;
                 i = LLVMGetNextInstruction(i))
                g->last++;
        uint64_t weight = weight_of(flow, loop, &g->depth);
        if (innermost || flow->loop_count == 0) {
            guess_part(g, weight, t, all);
        } else {
            uint64_t work, shared;
            sum_of(g, &work, &shared);
            all->one += 4 * weight * (work + shared);
            all->two += 2 * weight * (2 * work + shared);
            all->four += weight * (4 * work + shared);
            all->scalar += 4 * weight * g->v->lanes * scalar_time(g);
        }
    }
}

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
static bool four_are_better(const struct weftc_vec *v, const struct times *all, bool divergent,
                            uint32_t registers, const struct weftc_target *target)
{
    // A value without a register is an operand in memory; a few of these cost little.
    uint32_t max = target->vector_registers + target->vector_registers / 4;
    return v->s->flow.loop_count > 0 && v->s->count <= MAX_FOR_FOUR &&
           5 * v->s->lanes * weftc_shapes_private_bytes(v->s) <= MAX_PRIVATE && 4 * registers <= max &&
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
    if (v->s->count > (rows ? MAX_WITH_ROWS : MAX_INSTRUCTIONS))
        return "it is large";
    for (uint32_t n = 0; n < v->s->count; n++)
        if (weftc_vec_is_call(v->s->instructions[n]))
            return "it calls functions";
    if (3 * v->s->lanes * weftc_shapes_private_bytes(v->s) > MAX_PRIVATE)
        return "private memory takes much of the stack";
    return NULL;
}

static void estimate(struct weftc_vec *v, const struct weftc_target *target, struct weftc_vec_interleave *t,
                     struct times *all)
{
    struct guess g = {.v = v, .masks_apart = target->has_mask_registers};
    g.when = weft_alloc_array((size_t)v->s->count + 1, sizeof *g.when);
    g.ends = weft_alloc_array((size_t)v->s->count + 1, sizeof *g.ends);
    g.met = weft_alloc_array((size_t)v->s->count + 1, sizeof *g.met);
    if (g.when && g.ends && g.met)
        guess_all(&g, t, all);
    else
        v->no_memory = true;
    weft_free(g.when);
    weft_free(g.ends);
    weft_free(g.met);
    t->percent = all->one ? (uint32_t)(100 * all->two / all->one) : 100;
    weft_log(WEFT_LOG_DEBUG, "time for %u lanes: %llu cycles one by one, %llu at once", v->lanes,
             (unsigned long long)all->scalar / (16 * UNROLLED_ITERATIONS),
             (unsigned long long)all->one / (16 * UNROLLED_ITERATIONS));
}

// Compares one vector with scalar code: t->saves, t->loses and t->time.
static void compare_with_scalar(const struct weftc_vec *v, const struct times *all, bool rows,
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
                               bool rows, const struct weftc_vec_interleave *t)
{
    const bool loops = v->s->flow.loop_count > 0;
    // Straight code can be put in any order. So how many values live at a time isn't settled here, and a
    // constant can be loaded again.
    const uint32_t max =
        loops ? target->vector_registers : target->vector_registers + target->vector_registers / 2;
    if (!loops && !only_region)
        return "it has no loop and lies between barriers";
    if (!loops && t->work < MIN_WORK)
        return "it is short and has no loop";
    if (rows)
        return "each lane goes along a row of its own";
    if (t->percent > worth_it(&v->s->flow, t->registers, target))
        return "the gain would be small";
    return 2 * t->registers > max ? "registers wouldn't suffice" : NULL;
}

void weftc_vec_find_interleave(struct weftc_vec *v, const struct weftc_target *target, bool only_region,
                               struct weftc_vec_interleave *t)
{
    const bool rows = has_rows(&v->s->flow);
    *t = (struct weftc_vec_interleave){.times = 2};
    t->reason = why_not_estimated(v, rows);
    if (t->reason)
        return;
    struct times all = {0};
    estimate(v, target, t, &all);
    compare_with_scalar(v, &all, rows, t);
    t->reason = why_not_two(v, target, only_region, rows, t);
    if (!t->reason && four_are_better(v, &all, has_divergent_loop(&v->s->flow), t->registers, target)) {
        t->times = 4;
        t->percent = (uint32_t)(100 * all.four / all.one);
    }
}
