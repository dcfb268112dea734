// What iterations of one, two and four vectors take, and scalar code: an estimate from the shapes, with
// the prices of prices.c (docs/vectorizer.md, "Interleaving"). For each innermost loop there are three
// numbers: `chain`, by how much an iteration's results are later than those of the one before, however
// many units there were; `work`, what the units need; `shared`, what one vector needs and several need
// only once. N iterations of one vector take N times what chain and work + shared take together
// (iteration_time); one of N vectors takes what chain, the work of N vectors and shared do. Bytes of
// several vectors share a register, so their work is less than N times as much.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/cost/iteration_time.h"
#include "compiler/vectorize/cost/prices.h"
#include "compiler/vectorize/legalize/legalize.h"

enum {
    SIZES = WEFTC_ITERATION_SIZES,
    LOOP_WEIGHT = 8,
    MAX_DEPTH = 4,
    UNROLLED_ITERATIONS = 16, // iterations that vectorize/legalize/unroll_rows.c makes into one
    SETTLING_ITERATIONS = 8,  // iterations of a loop until its chains have settled
    WINDOW = 256,             // instructions that a processor looks ahead
    LOOP_OVERHEAD = 2,
    MAX_STEPS = 8,  // steps up the dominator tree
    LLVM_LANES = 8, // lanes that LLVM gives a loop of one work-item
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
    uint32_t *met;        // by instruction from outside: the last pressure_of that met it
    uint32_t met_by;      // the present one
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

// The maximum of vector registers that the values of 1 << log vectors take.
static uint32_t pressure_of(struct guess *g, unsigned log)
{
    const struct weftc_shapes *s = g->v->s;
    g->met_by++;
    memset(g->ends + g->first, 0, (g->last - g->first) * sizeof *g->ends);
    uint32_t live = 0, max = 0;
    // Values from outside take their registers all the time.
    for (uint32_t n = g->first; n < g->last; n++) {
        LLVMValueRef i = s->instructions[n];
        for (unsigned k = 0; g->depth && k < (unsigned)LLVMGetNumOperands(i); k++) {
            LLVMValueRef operand = LLVMGetOperand(i, k);
            uint32_t at = LLVMIsAInstruction(operand) ? weftc_map_get(&s->number, operand) : UINT32_MAX;
            bool inside = at >= g->first && at < g->last;
            if (at == UINT32_MAX || inside || !in_registers(g->v, operand) || g->met[at] == g->met_by ||
                (LLVMIsAPHINode(i) && LLVMGetInstructionParent(i) == s->flow.blocks[g->begin].block))
                continue;
            g->met[at] = g->met_by;
            live += weftc_vec_registers_of(g->v, LLVMTypeOf(operand), g->masks_apart, log);
        }
    }
    for (uint32_t n = g->first; n < g->last; n++) {
        LLVMValueRef i = s->instructions[n];
        if (in_registers(g->v, i)) {
            uint32_t registers = weftc_vec_registers_of(g->v, LLVMTypeOf(i), g->masks_apart, log);
            live += registers;
            g->ends[last_use(g, i)] += registers;
        }
        max = live > max ? live : max;
        live -= g->ends[n];
    }
    return max;
}

// work[k]: of 1 << k vectors at once; of scalar code, of so many work-items.
static void sum_of(const struct guess *g, uint64_t work[SIZES], uint64_t *shared)
{
    memset(work, 0, SIZES * sizeof *work);
    *shared = g->depth ? LOOP_OVERHEAD : 0;
    for (uint32_t n = g->first; n < g->last; n++) {
        LLVMValueRef i = g->v->s->instructions[n];
        uint32_t once = 0;
        const uint64_t one =
            g->scalar ? weftc_vec_scalar_price(i).work : weftc_vec_price(g->v, i, g->depth, &once).work;
        for (unsigned k = 0; one && k < SIZES; k++)
            work[k] += one * (g->scalar ? 1u << k : weftc_vec_work_factor(g->v, i, k));
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
    uint64_t chain, work[SIZES], shared;
    g->scalar = true;
    chain = g->depth ? chain_of(g) : 0; // it waits for no work-item before it
    sum_of(g, work, &shared);
    g->scalar = false;
    if (g->depth && weftc_vec_llvm_vectorizes(g->v, &flow->loops[loop]))
        return (work[0] + LLVM_LANES - 1) / LLVM_LANES;
    return g->depth ? iteration_time(chain, work[0] + shared) : work[0];
}

// Blocks [begin, end): all of a loop without inner loops, or of a region without loops.
static void guess_part(struct guess *g, uint64_t weight, struct weftc_vec_interleave *t,
                       struct weftc_vec_times *all)
{
    uint64_t chain = chain_of(g), work[SIZES], shared, chains[SIZES] = {chain, chain, chain};
    sum_of(g, work, &shared);
    for (unsigned k = 0; k < SIZES && g->depth == 0; k++)
        chains[k] = seen(chain, (uint64_t)(g->last - g->first) << k);
    chain = chains[0];
    uint64_t (*takes)(uint64_t, uint64_t) = g->depth ? iteration_time : larger;
    all->one += 4 * weight * takes(chain, work[0] + shared);
    all->two += 2 * weight * takes(chains[1], work[1] + shared);
    all->four += weight * takes(chains[2], work[2] + shared);
    all->scalar += 4 * weight * g->v->lanes * scalar_time(g);
    const uint64_t weighted = weight * (work[0] + shared + chain);
    if (weighted >= t->weight) {
        t->weight = weighted;
        t->chain = (uint32_t)((chain + 3) / 4);
        t->work = (uint32_t)((work[0] + 3) / 4);
        t->shared = (uint32_t)((shared + 3) / 4);
    }
    for (unsigned k = 0; k < SIZES; k++) {
        all->units[k] += weight * (work[k] << (SIZES - 1 - k));
        uint32_t registers = pressure_of(g, k);
        all->registers[k] = registers > all->registers[k] ? registers : all->registers[k];
    }
    t->registers = all->registers[0];
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

static void guess_all(struct guess *g, struct weftc_vec_interleave *t, struct weftc_vec_times *all)
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
            uint64_t work[SIZES], shared;
            sum_of(g, work, &shared);
            for (unsigned k = 0; k < SIZES; k++)
                all->units[k] += weight * (work[k] << (SIZES - 1 - k));
            all->one += 4 * weight * (work[0] + shared);
            all->two += 2 * weight * (work[1] + shared);
            all->four += weight * (work[2] + shared);
            all->scalar += 4 * weight * g->v->lanes * scalar_time(g);
        }
    }
}

void weftc_vec_estimate_times(struct weftc_vec *v, const struct weftc_target *target,
                              struct weftc_vec_interleave *t, struct weftc_vec_times *all)
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
