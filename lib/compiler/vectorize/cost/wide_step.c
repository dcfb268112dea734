// Two steps or four at once (docs/vectorizer.md, "Wide steps"). A loop that computes each round's numbers from the round before
// waits for its instructions' latencies; other steps' numbers, interleaved, fill the wait. What is the same for all
// lanes is done once for all of them. So a region may get a function for twice or four times the lanes, each value so many registers.
//
// Whether that pays is guessed from the shapes, in quarters of a cycle of a processor that begins two vector
// instructions in each (table below). For each innermost loop: `chain`, by how much a round's results come later than those of the round
// before, however many units there were; `work`, what the units need for a round of one step; `shared`, what one step
// needs and several need but once. N single steps take N times what chain and work + shared take together (round_of), one of
// N times the lanes what chain and N work + shared do.
//
// The same is estimated for single work-items. Where each round waits for what the one before has loaded, as in a CRC by a table, lanes
// wait together: then they pay though their gathers are more work (vectorize/cost/work.c) than single loads.
//
// More than 500 lines in one file: the table of prices and what is estimated with them are read together.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/legalize/legalize.h"

enum {
    LOOP_WEIGHT = 8,
    MOST_DEPTH = 4,
    MOST_INSTRUCTIONS = 600, // a larger region isn't compiled for twice the lanes as well
    MOST_FOURFOLD = 300,
    MOST_WITH_ROWS = 2000,
    MOST_ROUNDS = 16, // that vectorize/legalize/unroll_rows.c makes one
    ROUNDS = 8,       // of a loop, until its chains have settled
    WINDOW = 256,     // instructions that a processor looks ahead
    LOOP_OVERHEAD = 2,
    LEAST_WORK = 15, // cycles of a region without loops: less is a matter of memory
    MOST_STEPS = 8,  // up the dominator tree
    // Bytes of private memory of steps of both widths: more isn't surely there on the stack of a waiting thread, which then doesn't help
    // (SMALL_STACK in runtime/launch/ndrange.c).
    MOST_PRIVATE = 48 << 10,
    // Percent of what two steps take that a double one takes at most.
    WORTH_IT = 94,
    WORTH_IT_DIVERGENT = 85, // lanes that have left wait for twice as many others
    WORTH_IT_STRAIGHT = 95,  // of what has no loop and few divergent branches, while registers suffice
    WORTH_IT_OTHERWISE = 90, // without a loop
    FEW_BRANCHES = 4,
    WAYS = 8,
    LLVM_LANES = 8, // of a loop of one work-item, that LLVM makes
    MUCH_FASTER =
        2, // what single work-items take, in the time of all lanes at once, where the count of work is against these
    FASTER = 3, // in half of that time: enough where stores are sure to cost little
    // Percent of what two double ones take, of each lane's time, that a fourfold one takes at most.
    WORTH_FOUR = 93,
    WORTH_FOUR_DIVERGENT = 88,
};

struct price {
    uint32_t latency, work;
};

static struct price arithmetic(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
    case LLVMAlloca:
    case LLVMGetElementPtr:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMBitCast:
    case LLVMFreeze:
    case LLVMBr:
    case LLVMRet:
    case LLVMUnreachable:
        return (struct price){0, 0};
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPExt:
    case LLVMFPTrunc:
        return (struct price){16, 3};
    case LLVMMul:
        return (struct price){20, 4};
    case LLVMFDiv:
        return (struct price){52, 32};
    case LLVMFRem:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return (struct price){200, 200};
    case LLVMFCmp:
    case LLVMICmp:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
        return (struct price){12, 2};
    case LLVMCall: {
        const char *name = LLVMGetValueName(LLVMGetCalledValue(i));
        if (strncmp(name, "llvm.sqrt", strlen("llvm.sqrt")) == 0)
            return (struct price){64, 40};
        return (struct price){16, 3};
    }
    default:
        return (struct price){4, 2};
    }
}

// Is the value one of all lanes that takes vector registers?
static bool in_registers(const struct weftc_vec *v, LLVMValueRef value)
{
    return (LLVMIsAInstruction(value) || LLVMIsAArgument(value)) &&
           LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVoidTypeKind &&
           LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMLabelTypeKind && !weftc_vec_is_scalar(v, value);
}

// Registers, of those that the target's lanes of 32 bits fill, for a value of all lanes. Masks have their own, or share these.
static uint32_t registers_of(const struct weftc_vec *v, LLVMTypeRef type, bool masks_apart)
{
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1)
        return masks_apart ? 0 : 1;
    uint64_t bytes = LLVMTypeIsSized(type) ? LLVMStoreSizeOfType(v->s->layout, type) : 0;
    return bytes <= 4 ? 1 : (uint32_t)((bytes + 3) / 4);
}

static bool is_memory(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) ||
           LLVMIsAAtomicCmpXchgInst(i);
}

// Has each lane's address a part that is its number times one that isn't known before the launch, as in a[i * n + k]?
static bool is_row(const struct weftc_vec *v, LLVMValueRef value, unsigned depth)
{
    if (!LLVMIsAInstruction(value) || depth == MOST_STEPS || weftc_vec_shape(v, value).kind != WEFTC_VARYING)
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMMul:
        return weftc_vec_is_scalar(v, LLVMGetOperand(value, 0)) &&
               weftc_vec_is_scalar(v, LLVMGetOperand(value, 1));
    case LLVMGetElementPtr:
    case LLVMAdd:
    case LLVMSub:
    case LLVMSExt:
    case LLVMZExt:
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
            if (is_row(v, LLVMGetOperand(value, k), depth + 1))
                return true;
        return false;
    default:
        return false;
    }
}

// Measured on Zen 4: a gather of 4, 8 and 16 elements from the first cache takes 5, 8 and 17 to 21 cycles, its result is there
// after 15, 21 and 32; a scatter of 8 and 16 takes 13 and 22. Bytes and halves are taken one by one, as quickly.
static struct price scattered(const struct weftc_vec *v, LLVMValueRef i)
{
    if (LLVMIsAStoreInst(i))
        return (struct price){24, 6 * v->lanes};
    struct price price = {40 + 11 * v->lanes / 2, 5 * v->lanes};
    // Rows are often a power of two apart: then more of them than a set of the first cache has ways push each other out.
    if (v->lanes > WAYS && is_row(v, LLVMGetOperand(i, 0), 0)) {
        price.latency *= 2;
        price.work *= 2;
    }
    return price;
}

static bool is_single_gather(const struct weftc_vec *v, LLVMValueRef i)
{
    if ((!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i)) || weftc_vec_is_serial_access(v, i) ||
        !weftc_vec_is_scattered(v, i))
        return false;
    const struct weftc_vec_group *g = weftc_vec_group_of(v, i);
    return !g || weftc_vec_plan(v, g).way == WEFTC_WAY_SINGLY;
}

// What instruction i costs in each step, and (*shared) however many lanes a step has.
static struct price price_of(const struct weftc_vec *v, LLVMValueRef i, unsigned depth, uint32_t *shared)
{
    *shared = 0;
    if (weftc_vec_is_hint(i))
        return (struct price){0, 0};
    bool store = LLVMIsAStoreInst(i) != NULL;
    if (is_memory(i)) {
        struct weftc_shape pointer = weftc_vec_shape(v, LLVMGetOperand(i, store));
        if ((LLVMIsALoadInst(i) || store) && pointer.kind == WEFTC_UNIFORM &&
            !weftc_vec_is_serial_access(v, i)) {
            *shared = 3;
            return (struct price){20, 0};
        }
        if (is_single_gather(v, i))
            return scattered(v, i);
        uint64_t work = 2 * weftc_vec_work(v, i);
        return (struct price){work > 4 ? 100 : 24, work > UINT16_MAX ? UINT16_MAX : (uint32_t)work};
    }
    struct price price = arithmetic(i);
    if (weftc_vec_is_scalar(v, i)) {
        // Outside of loops LLVM moves what is uniform out of those over work-items.
        bool uniform = weftc_vec_shape(v, i).kind == WEFTC_UNIFORM;
        *shared = depth == 0 && uniform ? 0 : (price.work + 1) / 2;
        return (struct price){price.latency, 0};
    }
    uint32_t registers = registers_of(v, LLVMTypeOf(i), false);
    price.work *= registers;
    // A number of all lanes is an operand in memory, or is spread out.
    for (unsigned k = 0; price.work && k < (unsigned)LLVMGetNumOperands(i); k++) {
        LLVMValueRef operand = LLVMGetOperand(i, k);
        bool constant = LLVMIsAConstantFP(operand) || LLVMIsAConstantInt(operand);
        bool made = LLVMIsAInstruction(operand) && weftc_vec_is_scalar(v, operand);
        if (depth == 0 ? constant || made : made) {
            *shared = 1;
            break;
        }
    }
    return price;
}

// What it costs a work-item that runs alone: a processor begins more of these in each cycle.
static struct price price_alone(LLVMValueRef i)
{
    if (weftc_vec_is_hint(i))
        return (struct price){0, 0};
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return (struct price){16, 2};
    case LLVMStore:
        return (struct price){0, 4};
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return LLVMIsAtomicSingleThread(i) ? (struct price){24, 6} : (struct price){72, 72};
    case LLVMBr:
        return (struct price){0, LLVMIsConditional(i) ? 1 : 0};
    case LLVMMul:
        return (struct price){12, 4};
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return LLVMIsAConstantInt(LLVMGetOperand(i, 1)) ? (struct price){20, 8} : (struct price){44, 24};
    case LLVMFDiv:
        return (struct price){48, 16};
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
        return (struct price){2, 1};
    case LLVMFCmp:
        return (struct price){12, 2};
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPExt:
    case LLVMFPTrunc:
        return (struct price){16, 2};
    case LLVMCall: {
        struct price price = arithmetic(i);
        return price.work > 3 ? (struct price){price.latency, price.work / 2}
                              : (struct price){price.latency, 2};
    }
    default: {
        struct price price = arithmetic(i);
        return (struct price){price.latency, price.work ? 1 : 0};
    }
    }
}

// ---- what a loop takes, or a region without ----

struct guess {
    const struct weftc_vec *v;
    uint64_t *when; // of each instruction: when its result is there
    uint32_t *ends; // of each instruction: registers of values that it is the last to use
    uint32_t *met; // of each instruction from outside: `first` of the part in which it was met last, plus one
    uint32_t begin, end;  // blocks that are looked at
    uint32_t first, last; // their instructions
    unsigned depth;
    bool masks_apart;
    bool alone;    // it is for single work-items
    uint64_t mask; // when the lanes that are still in a divergent loop are known
};

static uint64_t ready(const struct guess *g, LLVMValueRef value)
{
    uint32_t number = LLVMIsAInstruction(value) ? weftc_map_get(&g->v->s->number, value) : UINT32_MAX;
    return number >= g->first && number < g->last ? g->when[number] : 0;
}

// When the lanes that come to block `to` from `from` are known: the conditions on the way, of branches that they take apart.
static uint64_t known(const struct guess *g, uint32_t from, uint32_t to)
{
    const struct weftc_flow *flow = &g->v->s->flow;
    uint64_t last = 0;
    for (unsigned k = 0; k < MOST_STEPS && from != UINT32_MAX && from != flow->blocks[to].idom; k++) {
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
        if (flow->blocks[block].join && !g->alone) {
            uint64_t mask = known(g, from, block) + 4;
            last = mask > last ? mask : last;
        }
        uint64_t at = ready(g, LLVMGetIncomingValue(phi, k));
        last = at > last ? at : last;
    }
    return last;
}

// One round. Returns when the last result is there.
static uint64_t follow_round(struct guess *g)
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
            if (!flow->blocks[b].full && is_memory(i) && !g->alone)
                at = g->mask > at ? g->mask : at;
            at += g->alone ? price_alone(i).latency : price_of(g->v, i, g->depth, &shared).latency;
            g->when[n++] = at;
            last = at > last ? at : last;
        }
        if (flow->blocks[b].divergent && g->when[n - 1] > mask)
            mask = g->when[n - 1];
    }
    g->mask = g->depth ? mask + 4 : 0;
    return last;
}

// By how much each round's results are later than those of the one before; of what runs once, when the last is there.
static uint64_t chain_of(struct guess *g)
{
    g->mask = 0;
    memset(g->when + g->first, 0, (g->last - g->first) * sizeof *g->when);
    if (g->depth == 0)
        return follow_round(g);
    uint64_t half = 0, all = 0;
    for (unsigned k = 1; k <= ROUNDS; k++) {
        all = follow_round(g);
        half = k == ROUNDS / 2 ? all : half;
    }
    return (all - half) / (ROUNDS - ROUNDS / 2);
}

// The instruction by which the value has been used for the last time. In a loop what the next round or what is behind the loop
// wants is so at its end.
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

// Vector registers that the values of one step take at most.
static uint32_t pressure_of(const struct guess *g)
{
    const struct weftc_shapes *s = g->v->s;
    memset(g->ends + g->first, 0, (g->last - g->first) * sizeof *g->ends);
    uint32_t live = 0, most = 0;
    // Values from outside take their registers throughout.
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
            live += registers_of(g->v, LLVMTypeOf(operand), g->masks_apart);
        }
    }
    for (uint32_t n = g->first; n < g->last; n++) {
        LLVMValueRef i = s->instructions[n];
        if (in_registers(g->v, i)) {
            uint32_t registers = registers_of(g->v, LLVMTypeOf(i), g->masks_apart);
            live += registers;
            g->ends[last_use(g, i)] += registers;
        }
        most = live > most ? live : most;
        live -= g->ends[n];
    }
    return most;
}

static void sum_of(const struct guess *g, uint64_t *work, uint64_t *shared)
{
    *work = 0;
    *shared = g->depth ? LOOP_OVERHEAD : 0;
    for (uint32_t n = g->first; n < g->last; n++) {
        uint32_t once = 0;
        *work += g->alone ? price_alone(g->v->s->instructions[n]).work
                          : price_of(g->v, g->v->s->instructions[n], g->depth, &once).work;
        *shared += once;
    }
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// What a round takes. Units that are busy for a part of the time hold up the chain's operations for as large a part, since
// a processor begins what has waited longest first: where chain and work are equal a round takes half as long again.
static uint64_t round_of(uint64_t chain, uint64_t work)
{
    uint64_t less = chain < work ? chain : work, more = chain + work - less;
    return more ? more + less * less / (2 * more) : 0;
}

// What four steps' worth takes, in steps of each width and by work-items that run alone.
struct times {
    uint64_t alone, single, twice, fourfold;
};

// Latencies of all that runs once, when steps of so many instructions follow each other: the processor sees several at a time.
static uint64_t seen(uint64_t chain, uint64_t instructions)
{
    return instructions < WINDOW ? chain * instructions / WINDOW : chain;
}

// What a work-item that runs alone takes.
static uint64_t time_alone(struct guess *g)
{
    const struct weftc_flow *flow = &g->v->s->flow;
    uint32_t loop = flow->blocks[g->begin].loop;
    uint64_t chain, work, shared;
    g->alone = true;
    chain = g->depth ? chain_of(g) : 0; // it waits for none before it
    sum_of(g, &work, &shared);
    g->alone = false;
    if (g->depth && weftc_vec_rounds_have_lanes(g->v, &flow->loops[loop]))
        return (work + LLVM_LANES - 1) / LLVM_LANES;
    return g->depth ? round_of(chain, work + shared) : work;
}

// Blocks [begin, end): all of a loop that has none inside, or of a region that has none.
static void guess_part(struct guess *g, uint64_t weight, struct weftc_vec_interleave *t, struct times *all)
{
    uint64_t chain = chain_of(g), work, shared, chains[3] = {chain, chain, chain}, size = g->last - g->first;
    sum_of(g, &work, &shared);
    for (unsigned k = 0; k < 3 && g->depth == 0; k++)
        chains[k] = seen(chain, size << k);
    uint32_t registers = pressure_of(g);
    chain = chains[0];
    uint64_t (*takes)(uint64_t, uint64_t) = g->depth ? round_of : larger;
    all->single += 4 * weight * takes(chain, work + shared);
    all->twice += 2 * weight * takes(chains[1], 2 * work + shared);
    all->fourfold += weight * takes(chains[2], 4 * work + shared);
    all->alone += 4 * weight * g->v->lanes * time_alone(g);
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
    uint64_t weight = MOST_ROUNDS;
    *depth = 0;
    for (; loop != UINT32_MAX; loop = flow->loops[loop].parent)
        weight = weight * (++*depth <= MOST_DEPTH ? LOOP_WEIGHT : 1) / weftc_vec_trip_count(flow, loop);
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
            all->single += 4 * weight * (work + shared);
            all->twice += 2 * weight * (2 * work + shared);
            all->fourfold += weight * (4 * work + shared);
            all->alone += 4 * weight * g->v->lanes * time_alone(g);
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

// Does nothing go from lanes to places far from each other? What such stores take isn't known well.
static bool stores_near(const struct weftc_vec *v)
{
    const struct weftc_flow *flow = &v->s->flow;
    for (uint32_t b = 0; b < flow->block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(flow->blocks[b].block); i;
             i = LLVMGetNextInstruction(i)) {
            LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
            if (opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg ||
                (opcode == LLVMStore && (weftc_vec_is_scattered(v, i) || weftc_vec_is_serial_access(v, i))))
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

// Beyond a step of twice the lanes, which is worth it.
static bool four_are_better(const struct weftc_vec *v, const struct times *all, bool divergent,
                            uint32_t registers, const struct weftc_target *target)
{
    // What doesn't find a register is an operand in memory; of a few that costs little.
    uint32_t most = target->vector_registers + target->vector_registers / 4;
    return v->s->flow.loop_count > 0 && v->s->count <= MOST_FOURFOLD &&
           5 * v->s->lanes * weftc_shapes_private_bytes(v->s) <= MOST_PRIVATE && 4 * registers <= most &&
           100 * all->fourfold <= (divergent ? WORTH_FOUR_DIVERGENT : WORTH_FOUR) * all->twice;
}

void weftc_vec_find_interleave(struct weftc_vec *v, const struct weftc_target *target, bool alone,
                               struct weftc_vec_interleave *t)
{
    bool rows = false;
    for (uint32_t l = 0; l < v->s->flow.loop_count; l++)
        rows |= weftc_vec_trip_count(&v->s->flow, l) > 1;
    *t = (struct weftc_vec_interleave){.times = 2};
    if (v->s->count > (rows ? MOST_WITH_ROWS : MOST_INSTRUCTIONS)) {
        t->reason = "it is large";
        return;
    }
    for (uint32_t n = 0; n < v->s->count; n++)
        if (weftc_vec_is_call(v->s->instructions[n])) {
            t->reason = "it calls functions";
            return;
        }
    if (3 * v->s->lanes * weftc_shapes_private_bytes(v->s) > MOST_PRIVATE) {
        t->reason = "private memory takes much of the stack";
        return;
    }
    struct guess g = {.v = v, .masks_apart = target->has_mask_registers};
    g.when = weft_alloc_array((size_t)v->s->count + 1, sizeof *g.when);
    g.ends = weft_alloc_array((size_t)v->s->count + 1, sizeof *g.ends);
    struct times all = {0};
    bool divergent = false;
    for (uint32_t l = 0; l < v->s->flow.loop_count; l++)
        divergent |= v->s->flow.loops[l].divergent;
    g.met = weft_alloc_array((size_t)v->s->count + 1, sizeof *g.met);
    if (g.when && g.ends && g.met)
        guess_all(&g, t, &all);
    else
        v->no_memory = true;
    weft_free(g.when);
    weft_free(g.ends);
    weft_free(g.met);
    t->percent = all.single ? (uint32_t)(100 * all.twice / all.single) : 100;
    weft_log(WEFT_LOG_DEBUG, "time for %u lanes: %llu cycles one by one, %llu at once", v->lanes,
             (unsigned long long)all.alone / (16 * MOST_ROUNDS),
             (unsigned long long)all.single / (16 * MOST_ROUNDS));
    // Straight code waits for nothing that the processor wouldn't fill with other work-items.
    bool alike = loops_run_alike(&v->s->flow), near = alike && stores_near(v);
    t->saves = alike && (all.alone >= (uint64_t)MUCH_FASTER * all.single ||
                         (2 * all.alone >= (uint64_t)FASTER * all.single && near));
    t->loses = (rows || weftc_vec_has_rows_with_lanes(v)) && 4 * all.alone < 5 * all.single;
    unsigned tenths = 10 * v->lanes;
    t->time = weftc_vec_bound(v->lanes, all.single, all.alone,
                              t->loses ? tenths * 4 / 5
                              : !alike ? 0
                              : near   ? tenths * 2 / FASTER
                                       : tenths / MUCH_FASTER);
    bool loops = v->s->flow.loop_count > 0;
    // Straight code can be put in any order: what lives at a time isn't settled here, and a constant can be loaded again.
    uint32_t most =
        loops ? target->vector_registers : target->vector_registers + target->vector_registers / 2;
    uint32_t worth = divergent ? WORTH_IT_DIVERGENT
                     : loops   ? WORTH_IT
                     : 2 * t->registers <= target->vector_registers && is_straight(&v->s->flow)
                         ? WORTH_IT_STRAIGHT
                         : WORTH_IT_OTHERWISE;
    if (!loops && !alone)
        t->reason = "it has no loop and lies between barriers";
    else if (!loops && t->work < LEAST_WORK)
        t->reason = "it is short and has no loop";
    else if (rows)
        t->reason = "each lane goes along a row of its own";
    else if (t->percent > worth)
        t->reason = "little would be won";
    else if (2 * t->registers > most)
        t->reason = "registers wouldn't suffice";
    else if (four_are_better(v, &all, divergent, t->registers, target)) {
        t->times = 4;
        t->percent = (uint32_t)(100 * all.fourfold / all.single);
    }
}
