// Is a region worth vectorizing? Counts the work of a vector iteration, and that of as many work-items in
// scalar code. An instruction in a loop counts several times. The numbers are rough. They only need to tell
// the cases in which nearly everything is done lane by lane anyway: gathers and scatters, and what has no
// vector form.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/sub_groups.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/tables.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/cost/prices.h"
#include "compiler/vectorize/legalize/legalize.h"

enum {
    LOOP_WEIGHT = 8,
    LONG_LOOP_WEIGHT = 64,
    MAX_DEPTH = 4,
    UNROLLED_ITERATIONS = 16, // iterations that vectorize/legalize/unroll_rows.c makes into one
    DIVISION = 12,
    MISPREDICTED = 3,   // of a branch, on average, where data decide
    PRODUCT = 4,        // for a division by a constant
    PER_LANE_MOVED = 2, // out of a vector and back
    CALL = 4,
    PER_LANE_SHUFFLE = 4,
    LEAST_GATHER = 8, // fifths of an instruction, for an element
    LEAST_SCATTER = 20,
    PER_LANE_SEGMENT = 6, // where lanes are far from each other: an address is taken out of a vector, too
    PER_WORD_SEGMENT = 2,
    ALIGN_WORDS = 4, // finding an aligned word and shifting what it has
    GUARDED = 4,
    WINDOW_CHECK = 2, // the check of a permute window
    PAGE_CHECK = 3,   // whether a lane's bytes are at the end of a page
    MASKED = 1,
    MASKED_NARROW = 4,
    OWN_ATOMIC = 3,
    REDUCTION = 8,
    // For 8 or 16 bits: there is no instruction for that.
    PER_LANE_NARROW_GATHER = 4,
    PER_LANE_NARROW_SCATTER = 8,
    PER_LANE_SERIAL = 6,
    CHASED = 8,
    MAX_CHASED = 64, // values that are looked at
    // Lanes pay if SCALAR_BOUND * (work of all lanes at once) <= VECTOR_BOUND * (work of the work-items).
    SCALAR_BOUND = 5,
    VECTOR_BOUND = 3,
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
        return weftc_vec_is_extreme(i) ? 1 : LLVMGetIntrinsicID(LLVMGetCalledValue(i)) ? CALL : 0;
    default:
        return 1;
    }
}

uint64_t weftc_vec_shuffles(const struct weftc_vec_plan *plan)
{
    const uint64_t pieces = plan->stride;
    uint64_t count = plan->backwards ? plan->words : 0;
    if (pieces & (pieces - 1))
        return count + plan->words * (pieces - 1);
    for (uint64_t n = 1; n < pieces; n *= 2)
        count += pieces;
    return count;
}

// Does the loaded value decide where the next iteration loads, as in a search? A work-item in scalar code
// waits for each such load, and for the end of its loop, which nobody predicts. All lanes wait together.
static bool is_chased(const struct weftc_vec *v, LLVMValueRef load)
{
    const struct weftc_flow *g = &v->s->flow;
    uint32_t loop = g->blocks[weftc_flow_block_of(g, LLVMGetInstructionParent(load))].loop;
    if (loop == UINT32_MAX || !g->loops[loop].divergent)
        return false;
    LLVMValueRef met[MAX_CHASED] = {load};
    size_t count = 1;
    for (size_t next = 0; next < count; next++) {
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(met[next]); k++) {
            LLVMValueRef operand = LLVMGetOperand(met[next], k);
            if (operand == load)
                return true;
            if (!LLVMIsAInstruction(operand))
                continue;
            uint32_t b = weftc_flow_block_of(g, LLVMGetInstructionParent(operand));
            bool known = b < g->loops[loop].begin || b >= g->loops[loop].end;
            for (size_t m = 0; m < count && !known; m++)
                known = met[m] == operand;
            if (!known && count == MAX_CHASED)
                return false;
            if (!known)
                met[count++] = operand;
        }
    }
    return false;
}

// ---- accesses, a function for each row of access/kinds.def ----

static const struct weftc_flow_block *block_of(const struct weftc_vec *v, LLVMValueRef i)
{
    return &v->s->flow.blocks[weftc_flow_block_of(&v->s->flow, LLVMGetInstructionParent(i))];
}

static uint64_t mask_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    return block_of(v, i)->full ? 0 : LLVMIsAStoreInst(i) && a->bytes < 4 ? MASKED_NARROW : MASKED;
}

static struct cost uniform_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    (void)i;
    (void)a;
    return (struct cost){v->lanes, 1};
}

static struct cost consecutive_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    return (struct cost){v->lanes, 1 + mask_work(v, i, a)};
}

static struct cost wrap_guarded_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    return (struct cost){v->lanes, GUARDED + mask_work(v, i, a)};
}

static struct cost table_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    (void)i;
    const uint64_t pieces = v->lanes > a->table->piece ? v->lanes / a->table->piece : 1;
    const unsigned registers = weftc_lookup_registers(a->table);
    const uint64_t permutes = registers == 1 ? 1 : registers == 2 ? 2 : 5;
    return (struct cost){v->lanes, 1 + pieces * permutes};
}

// The work of a whole group, counted at its insert position. vector: of its memory accesses.
static struct cost group_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a,
                              uint64_t vector)
{
    const struct weftc_vec_group *g = a->group;
    if (i != weftc_vec_insert_position(g))
        return (struct cost){0, 0};
    const uint64_t packed = g->plan.word > g->element ? 2 * g->count : 0;
    return (struct cost){(uint64_t)v->lanes * ((g->plan.words + 1) / 2), vector + packed};
}

static struct cost in_order_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    return group_work(v, i, a, a->group->plan.stride);
}

static struct cost interleaved_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    const struct weftc_vec_plan *plan = &a->group->plan;
    const uint64_t check = plan->whole ? MASKED_NARROW : 0;
    return group_work(v, i, a, check + plan->stride + weftc_vec_shuffles(plan));
}

// The work of a gather or a scatter of words, from what the processor takes for it. A quarter of a cycle is a
// little less than an instruction. However fast they are, code with them gains little: single accesses are
// fast, too.
static uint64_t scattered_work(const struct weftc_vec *v, bool store)
{
    const uint64_t quarters = weftc_vec_scattered_price(v, store).work,
                   work = store ? quarters : quarters * 4 / 5;
    const uint64_t least = (uint64_t)v->lanes * (store ? LEAST_SCATTER : LEAST_GATHER) / 5;
    return work > least ? work : least;
}

static struct cost aligned_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    const struct weftc_vec_group *g = a->group;
    if (i != weftc_vec_insert_position(g))
        return (struct cost){0, 0};
    const uint64_t lanes = v->lanes, gathers = scattered_work(v, false) * 3 / 4 + ALIGN_WORDS + 2 * g->count;
    return (struct cost){lanes * ((g->count + 1) / 2), g->plan.stride ? gathers + PAGE_CHECK : gathers};
}

static struct cost windowed_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    const struct weftc_vec_plan *plan = &a->group->plan;
    return group_work(v, i, a, WINDOW_CHECK + 2ull * (a->group->store ? 1 : plan->words) * plan->stride);
}

static struct cost per_lane_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    const struct weftc_vec_plan *plan = &a->group->plan;
    if (plan->words == 1 && plan->word >= 4 && !a->group->store) // a gather
        return group_work(v, i, a, scattered_work(v, false));
    return group_work(v, i, a,
                      (uint64_t)v->lanes * PER_LANE_SEGMENT + (uint64_t)plan->words * PER_WORD_SEGMENT);
}

static struct cost gather_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    const bool store = LLVMIsAStoreInst(i) != NULL;
    const uint64_t scalar = !store && is_chased(v, i) ? 1 + CHASED : 1;
    return (struct cost){v->lanes * scalar, a->bytes >= 4 ? scattered_work(v, store)
                                            : store       ? v->lanes * PER_LANE_NARROW_SCATTER
                                                          : v->lanes * PER_LANE_NARROW_GATHER};
}

static uint64_t atomic_work(LLVMValueRef i)
{
    return LLVMIsAtomicSingleThread(i) ? OWN_ATOMIC : DIVISION;
}

static struct cost serial_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    (void)a;
    const uint64_t lanes = v->lanes;
    if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i))
        return (struct cost){atomic_work(i) * lanes, (atomic_work(i) + PER_LANE_SERIAL) * lanes};
    return (struct cost){lanes, (block_of(v, i)->single ? 1 : lanes) * PER_LANE_SERIAL};
}

static struct cost reduced_work(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    (void)a;
    return (struct cost){atomic_work(i) * v->lanes, atomic_work(i) + REDUCTION};
}

static struct cost (*const works[WEFTC_ACCESS_KINDS])(const struct weftc_vec *, LLVMValueRef,
                                                      const struct weftc_access *) = {
#define ACCESS(kind, reach, lane, piece, load, store, atomic, work, time, idle, name, words) \
    [WEFTC_ACCESS_##kind] = work,
#include "compiler/vectorize/access/kinds.def"
#undef ACCESS
};

// ---- calls, a function for each row of access/calls.def ----

// A uniform value costs scalar code little too: LLVM moves it out of the loop over work-items. weftc_vec_pays
// handles inner loops.
static struct cost plain_call_work(const struct weftc_vec *v, LLVMValueRef i)
{
    const uint64_t cost = plain_cost(i);
    return (struct cost){weftc_vec_is_scalar(v, i) ? cost : cost * v->lanes, cost};
}

static struct cost callee_work(const struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_vec_callee *callee = weftc_vec_call(v, i)->callee;
    return (struct cost){callee->scalar, callee->at_once};
}

static struct cost serial_call_work(const struct weftc_vec *v, LLVMValueRef i)
{
    if (weftc_vec_call(v, i)->callee)
        return callee_work(v, i);
    const uint64_t cost = plain_cost(i);
    return (struct cost){cost * v->lanes, (cost + PER_LANE_SERIAL) * v->lanes};
}

// In scalar code, a sub-group is one work-item, and there is nothing to do.
static struct cost sub_group_work(const struct weftc_vec *v, LLVMValueRef i)
{
    struct weftc_sub_call call;
    uint64_t steps = 0;
    for (uint32_t n = 1; n < v->lanes; n *= 2)
        steps++;
    weftc_sub_call_of(i, &call);
    switch (call.kind) {
    case WEFTC_SUB_REDUCE:
    case WEFTC_SUB_INCLUSIVE:
    case WEFTC_SUB_EXCLUSIVE:
    case WEFTC_SUB_CLUSTERED:
        return (struct cost){0, 1 + 2 * steps};
    case WEFTC_SUB_SHUFFLE:
        return (struct cost){0, 1 + v->lanes * PER_LANE_SHUFFLE};
    default:
        return (struct cost){0, PER_LANE_MOVED};
    }
}

static struct cost (*const call_works[WEFTC_CALL_KINDS])(const struct weftc_vec *, LLVMValueRef) = {
#define CALL(kind, reach, emit, work, idle, words) [WEFTC_CALL_##kind] = work,
#include "compiler/vectorize/access/calls.def"
#undef CALL
};

// ---- instructions ----

static struct cost instruction_cost(const struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    const struct weftc_access *a = weftc_vec_access(v, i);
    if (a->kind != WEFTC_ACCESS_NONE)
        return works[a->kind](v, i, a);
    if (opcode == LLVMCall)
        return call_works[weftc_vec_call(v, i)->kind](v, i);
    if (weftc_vec_is_unpredictable(v, i))
        return (struct cost){(1 + MISPREDICTED) * v->lanes, 1};
    const uint64_t cost = plain_cost(i);
    // Processors divide whole numbers one by one; by a constant they multiply. Lanes divide as doubles,
    // faster than is estimated here: with the real figures, speculated rows (shapes/speculation.c) no longer
    // seemed worth it, which lost a quarter of the speed.
    bool divides = opcode == LLVMUDiv || opcode == LLVMSDiv || opcode == LLVMURem || opcode == LLVMSRem;
    if (divides && !weftc_vec_is_scalar(v, i))
        return LLVMIsAConstantInt(LLVMGetOperand(i, 1))
                   ? (struct cost){PRODUCT * v->lanes, 2 * PRODUCT}
                   : (struct cost){cost * v->lanes, (cost + PER_LANE_MOVED) * v->lanes};
    // A uniform value costs scalar code little too, as in plain_call_work. Outside of loops it is computed
    // once for many vector iterations.
    if (weftc_vec_is_scalar(v, i)) {
        const bool once =
            cost > 1 && block_of(v, i)->loop == UINT32_MAX && weftc_vec_shape(v, i).kind == WEFTC_UNIFORM;
        return once ? (struct cost){1, 1} : (struct cost){cost, cost};
    }
    return (struct cost){cost * v->lanes, cost};
}

struct weftc_vec_work weftc_vec_works(const struct weftc_vec *v, LLVMValueRef i)
{
    const struct cost one = instruction_cost(v, i);
    return (struct weftc_vec_work){one.vector, one.scalar};
}

uint64_t weftc_vec_work(const struct weftc_vec *v, LLVMValueRef i)
{
    return instruction_cost(v, i).vector;
}

// long_loops: loops whose trip count only the launch knows run for long.
static uint64_t weight_of(const struct weftc_vec *v, uint32_t block, bool long_loops)
{
    const struct weftc_flow *g = &v->s->flow;
    uint64_t weight = 2 * UNROLLED_ITERATIONS;
    unsigned depth = 0;
    for (uint32_t loop = g->blocks[block].loop; loop != UINT32_MAX && depth < MAX_DEPTH;
         loop = g->loops[loop].parent, depth++)
        weight = weight * (long_loops && weftc_vec_may_be_long(g, loop) ? LONG_LOOP_WEIGHT : LOOP_WEIGHT) /
                 weftc_vec_trip_count(g, loop);
    return weight;
}

uint64_t weftc_vec_weight(const struct weftc_vec *v, uint32_t block)
{
    return weight_of(v, block, false);
}

uint32_t weftc_vec_iteration_cost(unsigned lanes, uint64_t at_once, uint64_t scalar)
{
    uint64_t step = 16 * lanes * at_once / scalar;
    return step < 1 ? 1 : step > UINT16_MAX ? UINT16_MAX : (uint32_t)step;
}

struct weftc_vec_bound weftc_vec_bound(unsigned lanes, uint64_t at_once, uint64_t scalar, unsigned allowed)
{
    // Rounded up, so that a value above the bound looks so.
    uint64_t estimated = scalar ? (10 * lanes * at_once + scalar - 1) / scalar : UINT32_MAX;
    return (struct weftc_vec_bound){estimated > UINT32_MAX ? UINT32_MAX : (uint32_t)estimated, allowed};
}

// By how much the instructions of one sort exceed what lanes may cost.
struct excess {
    uint64_t sum, work, max;
    LLVMValueRef most_expensive;
};

static void note_excess(struct excess *e, LLVMValueRef i, uint64_t vector, uint64_t scalar)
{
    uint64_t costs = SCALAR_BOUND * vector, may = VECTOR_BOUND * scalar;
    e->work += vector;
    if (costs <= may)
        return;
    e->sum += costs - may;
    if (costs - may > e->max) {
        e->max = costs - may;
        e->most_expensive = i;
    }
}

struct totals {
    struct cost sum;
    uint64_t scalar; // as sum.scalar, with the counting of iterations
    struct excess excess[WEFTC_VEC_SORTS];
};

static void add_block(const struct weftc_vec *v, uint32_t b, uint64_t weight, struct totals *t)
{
    const struct weftc_flow *g = &v->s->flow;
    const bool in_loop = g->blocks[b].loop != UINT32_MAX;
    bool idle = false;
    for (uint32_t loop = g->blocks[b].loop; loop != UINT32_MAX; loop = g->loops[loop].parent)
        idle |= g->loops[loop].divergent;
    // Lanes that have left a loop wait for the last one.
    uint64_t of_all = idle ? weight + weight / 2 : weight;
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i)) {
        struct cost one = instruction_cost(v, i);
        // In scalar code, one of the work-items does it, too.
        if (g->blocks[b].single && one.scalar > 1)
            one.scalar = (one.scalar + v->lanes - 1) / v->lanes;
        // In a loop, each work-item computes for itself what is the same for all lanes. Elsewhere LLVM
        // does that once for them, too.
        bool again = in_loop && one.scalar == one.vector;
        t->scalar += weight * one.scalar * (again ? v->lanes : 1);
        again = again && weftc_vec_is_scalar(v, i) && !weftc_vec_is_counting(i);
        t->sum.scalar += weight * one.scalar * (again ? v->lanes : 1);
        t->sum.vector += of_all * one.vector;
        note_excess(&t->excess[weftc_vec_sort(i)], i, of_all * one.vector,
                    weight * one.scalar * (again ? v->lanes : 1));
    }
}

static void add_up(const struct weftc_vec *v, bool long_loops, struct totals *t)
{
    const struct weftc_flow *g = &v->s->flow;
    memset(t, 0, sizeof *t);
    // Of the blocks of each loop; 0: not known yet. Each loop is looked through once.
    uint64_t *weights = weft_alloc_array((size_t)g->loop_count + 1, sizeof *weights);
    bool *cold = weftc_vec_find_cold(v), *few = weftc_vec_find_few(v);
    for (uint32_t b = 0; b < g->block_count; b++) {
        if (cold && cold[b])
            continue;
        const uint32_t loop = g->blocks[b].loop;
        uint64_t *known = weights && loop != UINT32_MAX ? &weights[loop] : NULL;
        const uint64_t weight = known && *known ? *known : weight_of(v, b, long_loops);
        if (known)
            *known = weight;
        add_block(v, b, few && few[b] ? weight / WEFTC_VEC_PART_OF_FEW : weight, t);
    }
    weft_free(weights);
    weft_free(cold);
    weft_free(few);
    weft_log(WEFT_LOG_DEBUG, "cost for %u lanes%s: %llu one by one, %llu at once", v->lanes,
             long_loops ? ", long loops" : "", (unsigned long long)t->sum.scalar,
             (unsigned long long)t->sum.vector);
}

bool weftc_vec_pays_for(uint64_t at_once, uint64_t one_by_one)
{
    return SCALAR_BOUND * at_once <= VECTOR_BOUND * one_by_one;
}

static struct weftc_vec_bound bound_of(const struct weftc_vec *v, const struct totals *t)
{
    return weftc_vec_bound(v->lanes, t->sum.vector, t->sum.scalar,
                           10 * v->lanes * VECTOR_BOUND / SCALAR_BOUND);
}

bool weftc_vec_pays(const struct weftc_vec *v, uint64_t one_by_one, struct weftc_vec_cost *cost)
{
    struct totals t;
    add_up(v, false, &t);
    cost->one_by_one = t.sum.scalar = t.sum.scalar > one_by_one ? t.sum.scalar : one_by_one;
    cost->total = t.sum.vector;
    cost->scalar = t.scalar > v->lanes ? t.scalar : v->lanes;
    cost->iteration = weftc_vec_iteration_cost(v->lanes, cost->total, cost->scalar);
    const struct excess *worst = t.excess;
    for (unsigned k = 1; k < WEFTC_VEC_SORTS; k++)
        worst = t.excess[k].sum > worst->sum ? &t.excess[k] : worst;
    cost->most_expensive = worst->most_expensive;
    cost->percent = t.sum.vector ? (uint32_t)(100 * worst->work / t.sum.vector) : 0;
    cost->work = bound_of(v, &t);
    if (weftc_vec_pays_for(cost->total, t.sum.scalar))
        return true;
    // What surrounds a loop speaks against lanes. That doesn't matter if the loop is long.
    add_up(v, true, &t);
    cost->long_loops = weftc_vec_pays_for(t.sum.vector, t.sum.scalar);
    if (cost->long_loops)
        cost->work = bound_of(v, &t);
    return cost->long_loops;
}
