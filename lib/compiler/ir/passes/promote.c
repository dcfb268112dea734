// Variables become values, as in LLVM's mem2reg, in time that grows with the code. For each variable mem2reg
// looks at all blocks that its assignments dominate, and at each block that accesses it from the start. So
// its time grows with the number of variables times the size of the function. Here a variable costs the
// blocks in which it is alive. Only in large functions: small ones are left to LLVM. LLVM splits structs and
// arrays into plain variables, without making values of them. What isn't plain then is left to it. Stateless.
//
// Each value that a variable can have has a number here. An access learns the number first; the code is
// changed at the end, when it is known which numbers mean the same value. All steps work on these numbers, so
// they are in one file of more than 500 lines.
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/codegen.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"
#include "compiler/ir/value_map.h"

// Instructions times variables of a function that isn't left to LLVM.
enum { LARGE = 1000000 };
#define NONE UINT32_MAX

struct node {
    LLVMValueRef value; // NULL: a phi that isn't built yet
    uint32_t same;      // the node with the same value; itself: none is known
    uint32_t block, variable;
    uint32_t first_op; // of a phi, in ops: one for each edge into the block
};

struct access {
    LLVMValueRef instruction;
    uint32_t variable, block;
};

struct list {
    uint32_t *at;
    uint32_t count, capacity;
};

struct promotion {
    LLVMValueRef function;
    LLVMBasicBlockRef *blocks;
    uint32_t block_count, entry;
    uint32_t *position; // of a block in reverse post-order; NONE: it isn't reached
    struct weftc_edges edges;
    struct weftc_map variable_of; // an alloca
    LLVMValueRef *variables;
    uint32_t variable_count;
    struct access *accesses; // sorted by variable, then by block, then as they are executed
    uint32_t *first_access, access_count;
    struct weftc_map node_of; // a value
    struct node *nodes;
    uint32_t node_count, node_capacity;
    struct list ops, live, phis;
    // Of the variable at hand, for each block: the values at its end (if the variable is assigned) and at its
    // start (if it is alive there).
    uint32_t *assigned, *start;
};

static bool push(struct list *l, uint32_t number)
{
    if (l->count == l->capacity) {
        const uint32_t capacity = l->capacity ? 2 * l->capacity : 256;
        uint32_t *larger = weft_realloc(l->at, (size_t)capacity * sizeof *larger);
        if (!larger)
            return false;
        l->at = larger;
        l->capacity = capacity;
    }
    l->at[l->count++] = number;
    return true;
}

static uint32_t new_node(struct promotion *p, LLVMValueRef value, uint32_t block, uint32_t variable)
{
    if (p->node_count == p->node_capacity) {
        const uint32_t capacity = p->node_capacity ? 2 * p->node_capacity : 256;
        struct node *larger = weft_realloc(p->nodes, (size_t)capacity * sizeof *larger);
        if (!larger)
            return NONE;
        p->nodes = larger;
        p->node_capacity = capacity;
    }
    p->nodes[p->node_count] = (struct node){value, p->node_count, block, variable, 0};
    return p->node_count++;
}

static uint32_t node_of(struct promotion *p, LLVMValueRef value)
{
    uint32_t known = weftc_map_get(&p->node_of, value);
    if (known == NONE) {
        known = new_node(p, value, NONE, NONE);
        if (known != NONE && !weftc_map_put(&p->node_of, value, known))
            return NONE;
    }
    return known;
}

static uint32_t find(struct promotion *p, uint32_t n)
{
    while (p->nodes[n].same != n) {
        p->nodes[n].same = p->nodes[p->nodes[n].same].same;
        n = p->nodes[n].same;
    }
    return n;
}

// ---- what is there ----
static bool is_plain(LLVMValueRef alloca)
{
    LLVMTypeRef type = LLVMGetAllocatedType(alloca);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    LLVMValueRef count = LLVMGetOperand(alloca, 0);
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || !LLVMIsAConstantInt(count) ||
        LLVMConstIntGetZExtValue(count) != 1)
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(alloca); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (weftc_is_lifetime(user))
            continue;
        const bool load = LLVMIsALoadInst(user), store = LLVMIsAStoreInst(user);
        if ((!load && !store) || LLVMGetVolatile(user) ||
            LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic)
            return false;
        if (load ? LLVMTypeOf(user) != type
                 : LLVMGetOperand(user, 0) == alloca || LLVMTypeOf(LLVMGetOperand(user, 0)) != type)
            return false;
    }
    return true;
}

// The variable that an instruction loads or stores; NONE: it does neither.
static uint32_t accessed(const struct promotion *p, LLVMValueRef i)
{
    LLVMValueRef address = LLVMIsALoadInst(i)    ? LLVMGetOperand(i, 0)
                           : LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1)
                                                 : NULL;
    return address && LLVMIsAAllocaInst(address) ? weftc_map_get(&p->variable_of, address) : NONE;
}

static uint32_t count_variables(LLVMValueRef function, bool *aggregates)
{
    uint32_t count = 0;
    *aggregates = false;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAAllocaInst(i))
            continue;
        const LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetAllocatedType(i));
        *aggregates |= kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
        count++;
    }
    return count;
}

static bool collect_variables(struct promotion *p)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(p->function);
    bool aggregates;
    uint32_t count = count_variables(p->function, &aggregates);
    if ((uint64_t)count * weftc_function_size(p->function) < LARGE)
        return true;
    if (aggregates) {
        weftc_split_copies(p->function);
        weftc_bridge_set_option("sroa-skip-mem2reg", true);
        weftc_bridge_run_on(p->function, NULL, "sroa");
        weftc_bridge_set_option("sroa-skip-mem2reg", false);
        count = count_variables(p->function, &aggregates);
    }
    p->variables = weft_alloc_array(count, sizeof *p->variables);
    if (!p->variables)
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && is_plain(i)) {
            if (!weftc_map_put(&p->variable_of, i, p->variable_count))
                return false;
            p->variables[p->variable_count++] = i;
        }
    return true;
}

// Sorts by counting, which keeps the order of the accesses to one variable.
static bool collect_accesses(struct promotion *p)
{
    p->first_access = weft_alloc_array((size_t)p->variable_count + 2, sizeof *p->first_access);
    if (!p->first_access)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t b = 0; b < p->block_count; b++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(p->blocks[b]); i; i = LLVMGetNextInstruction(i)) {
                const uint32_t v = accessed(p, i);
                if (v == NONE)
                    continue;
                if (pass == 0)
                    p->first_access[v + 2]++;
                else
                    p->accesses[p->first_access[v + 1]++] = (struct access){i, v, b};
                p->access_count += pass == 1;
                if (pass == 1 && LLVMIsALoadInst(i) && node_of(p, i) == NONE)
                    return false;
            }
        if (pass == 1)
            break;
        for (uint32_t v = 0; v < p->variable_count; v++)
            p->first_access[v + 2] += p->first_access[v + 1];
        p->accesses =
            weft_alloc_array((size_t)p->first_access[p->variable_count + 1] + 1, sizeof *p->accesses);
        if (!p->accesses)
            return false;
    }
    return true;
}

// ---- one variable ----
// Follows the accesses of each block. Loads that the start of their block decides make it a live one.
static bool follow_blocks(struct promotion *p, uint32_t v)
{
    uint32_t block = NONE, value = NONE;
    for (uint32_t a = p->first_access[v]; a < p->first_access[v + 1]; a++) {
        const struct access *x = &p->accesses[a];
        if (x->block != block) {
            block = x->block;
            value = NONE;
        }
        if (p->position[block] == NONE)
            continue;
        if (LLVMIsAStoreInst(x->instruction)) {
            value = node_of(p, LLVMGetOperand(x->instruction, 0));
            if (value == NONE)
                return false;
            p->assigned[block] = value;
        } else if (value != NONE) {
            p->nodes[node_of(p, x->instruction)].same = value;
        } else if (p->live.count == 0 || p->live.at[p->live.count - 1] != block) {
            if (!push(&p->live, block))
                return false;
        }
    }
    return true;
}

static const uint32_t *compared_positions; // of compare; weftc compiles in one thread

static int compare(const void *a, const void *b)
{
    const uint32_t x = compared_positions[*(const uint32_t *)a], y = compared_positions[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

enum { LIVE = NONE - 1 }; // in `start`: alive, with a value that isn't known yet

// Finds all blocks at whose start the variable is alive, and sorts them.
static bool find_live(struct promotion *p)
{
    for (uint32_t k = 0; k < p->live.count; k++)
        p->start[p->live.at[k]] = LIVE;
    for (uint32_t k = 0; k < p->live.count; k++) {
        const uint32_t b = p->live.at[k];
        for (uint32_t e = 0; e < weftc_in_count(&p->edges, b); e++) {
            const uint32_t from = weftc_ins(&p->edges, b)[e];
            if (p->position[from] == NONE || p->assigned[from] != NONE || p->start[from] != NONE)
                continue;
            p->start[from] = LIVE;
            if (!push(&p->live, from))
                return false;
        }
    }
    compared_positions = p->position;
    if (p->live.count > 1)
        qsort(p->live.at, p->live.count, sizeof *p->live.at, compare);
    return true;
}

static uint32_t value_at_end(const struct promotion *p, uint32_t block)
{
    return p->assigned[block] != NONE ? p->assigned[block] : p->start[block];
}

// ---- phis that all have one value ----
// Phis that are only made of each other and of one other value are that value. In a loop that is entered in
// several places, each phi of a variable that never changes has another phi among its values, so components
// of phis that reach each other are looked at, those that others are made of first.
struct phi_graph {
    struct list blocks;      // of the phis that are looked at
    uint32_t *place;         // of a block in `blocks`; NONE: its phi isn't looked at
    struct list first, outs; // its edges: from a phi to those that it is made of
    struct list next;        // the blocks of the next graph
};

// The place of the phi that a value is; NONE: it is no phi of the graph.
static uint32_t place_of(const struct promotion *p, const struct phi_graph *g, uint32_t value)
{
    const struct node *n = &p->nodes[value];
    return !n->value && value >= p->phis.at[0] ? g->place[n->block] : NONE;
}

static uint32_t phi_value(struct promotion *p, uint32_t block, uint32_t edge)
{
    return find(p, p->ops.at[p->nodes[p->start[block]].first_op + edge]);
}

static bool find_edges(struct promotion *p, struct phi_graph *g)
{
    g->first.count = g->outs.count = 0;
    for (uint32_t k = 0; k < g->blocks.count; k++) {
        const uint32_t block = g->blocks.at[k];
        if (!push(&g->first, g->outs.count))
            return false;
        for (uint32_t e = 0; e < weftc_in_count(&p->edges, block); e++) {
            const uint32_t to = place_of(p, g, phi_value(p, block, e));
            if (to != NONE && !push(&g->outs, to))
                return false;
        }
    }
    return push(&g->first, g->outs.count) && push(&g->outs, NONE);
}

// If a component has one value from outside, all its phis are that. Otherwise those whose values are all from
// inside are looked at again.
static bool simplify_component(struct promotion *p, struct phi_graph *g, const struct weftc_components *c,
                               uint32_t number)
{
    const uint32_t before = g->next.count;
    uint32_t only = NONE;
    bool several = false;
    for (uint32_t k = c->begin[number]; k < c->begin[number + 1]; k++) {
        const uint32_t block = g->blocks.at[c->nodes[k]];
        bool inner = true;
        for (uint32_t e = 0; e < weftc_in_count(&p->edges, block); e++) {
            const uint32_t value = phi_value(p, block, e), from = place_of(p, g, value);
            if (from != NONE && c->of[from] == number)
                continue;
            inner = false;
            several |= only != NONE && only != value;
            only = value;
        }
        if (inner && !push(&g->next, block))
            return false;
    }
    if (several || only == NONE)
        return true;
    g->next.count = before;
    for (uint32_t k = c->begin[number]; k < c->begin[number + 1]; k++)
        p->nodes[p->start[g->blocks.at[c->nodes[k]]]].same = only;
    return true;
}

enum { MAX_ROUNDS = 8 }; // one for each level of loops that are entered in several places

static bool simplify_phis(struct promotion *p, struct phi_graph *g)
{
    bool ok = true;
    g->next.count = 0;
    for (uint32_t k = 0; ok && k < p->phis.count; k++)
        ok = push(&g->next, p->nodes[p->phis.at[k]].block);
    for (int round = 0; ok && g->next.count > 0 && round < MAX_ROUNDS; round++) {
        const struct list unused = g->blocks;
        g->blocks = g->next;
        g->next = unused;
        g->next.count = 0;
        for (uint32_t k = 0; k < g->blocks.count; k++)
            g->place[g->blocks.at[k]] = k;
        struct weftc_components c = {0};
        ok = find_edges(p, g) &&
             weftc_components_init(&c, g->first.at, g->outs.at, g->blocks.count) == WEFT_OK;
        for (uint32_t number = 0; ok && number < c.count; number++)
            ok = simplify_component(p, g, &c, number);
        weftc_components_fini(&c);
        for (uint32_t k = 0; k < g->blocks.count; k++)
            g->place[g->blocks.at[k]] = NONE;
    }
    return ok;
}

// Gives each live block its value: that of all blocks before it, or a phi.
static bool number_starts(struct promotion *p, uint32_t v, uint32_t undefined)
{
    p->phis.count = 0;
    for (uint32_t k = 0; k < p->live.count; k++) {
        const uint32_t b = p->live.at[k];
        uint32_t only = b == p->entry ? undefined : NONE;
        bool several = false;
        for (uint32_t e = 0; e < weftc_in_count(&p->edges, b) && !several; e++) {
            const uint32_t from = weftc_ins(&p->edges, b)[e];
            if (p->position[from] == NONE)
                continue;
            const uint32_t value = value_at_end(p, from);
            several = value == LIVE || (only != NONE && value != only);
            only = value;
        }
        if (several) {
            only = new_node(p, NULL, b, v);
            if (only == NONE || !push(&p->phis, only))
                return false;
        }
        p->start[b] = only;
    }
    for (uint32_t k = 0; k < p->phis.count; k++) {
        struct node *n = &p->nodes[p->phis.at[k]];
        n->first_op = p->ops.count;
        for (uint32_t e = 0; e < weftc_in_count(&p->edges, n->block); e++) {
            const uint32_t from = weftc_ins(&p->edges, n->block)[e];
            if (!push(&p->ops, p->position[from] == NONE ? undefined : value_at_end(p, from)))
                return false;
        }
    }
    return true;
}

static bool follow_variable(struct promotion *p, uint32_t v, struct phi_graph *g)
{
    p->live.count = 0;
    const uint32_t undefined = node_of(p, LLVMGetUndef(LLVMGetAllocatedType(p->variables[v])));
    if (undefined == NONE || !follow_blocks(p, v) || !find_live(p) || !number_starts(p, v, undefined))
        return false;
    uint32_t block = NONE;
    bool stored = false;
    for (uint32_t a = p->first_access[v]; a < p->first_access[v + 1]; a++) {
        const struct access *x = &p->accesses[a];
        stored = x->block == block && stored;
        block = x->block;
        if (LLVMIsAStoreInst(x->instruction))
            stored = true;
        else if (p->position[block] == NONE)
            p->nodes[node_of(p, x->instruction)].same = undefined;
        else if (!stored)
            p->nodes[node_of(p, x->instruction)].same = p->start[block];
        p->assigned[block] = NONE;
    }
    const bool simplified = simplify_phis(p, g);
    for (uint32_t k = 0; k < p->live.count; k++)
        p->start[p->live.at[k]] = NONE;
    return simplified;
}

// ---- the change of the code ----
static void build_phis(struct promotion *p)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(p->function)));
    for (uint32_t n = 0; n < p->node_count; n++) {
        struct node *phi = &p->nodes[n];
        if (phi->value || phi->same != n)
            continue;
        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(p->blocks[phi->block]));
        phi->value = LLVMBuildPhi(b, LLVMGetAllocatedType(p->variables[phi->variable]), "");
    }
    LLVMDisposeBuilder(b);
    for (uint32_t n = 0; n < p->node_count; n++) {
        const struct node *phi = &p->nodes[n];
        if (phi->block == NONE || phi->same != n)
            continue;
        for (uint32_t e = 0; e < weftc_in_count(&p->edges, phi->block); e++) {
            LLVMValueRef value = p->nodes[find(p, p->ops.at[phi->first_op + e])].value;
            LLVMAddIncoming(phi->value, &value, &p->blocks[weftc_ins(&p->edges, phi->block)[e]], 1);
        }
    }
}

static void change(struct promotion *p)
{
    build_phis(p);
    for (uint32_t a = 0; a < p->access_count; a++)
        if (LLVMIsALoadInst(p->accesses[a].instruction)) {
            LLVMValueRef load = p->accesses[a].instruction;
            LLVMReplaceAllUsesWith(load, p->nodes[find(p, node_of(p, load))].value);
        }
    for (uint32_t a = 0; a < p->access_count; a++)
        LLVMInstructionEraseFromParent(p->accesses[a].instruction);
    for (uint32_t v = 0; v < p->variable_count; v++) {
        for (LLVMUseRef u; (u = LLVMGetFirstUse(p->variables[v]));) // of its lifetime
            LLVMInstructionEraseFromParent(LLVMGetUser(u));
        LLVMInstructionEraseFromParent(p->variables[v]);
    }
}

static bool follow_variables(struct promotion *p)
{
    struct phi_graph g = {.place = weft_alloc_array(p->block_count, sizeof *g.place)};
    bool ok = g.place != NULL;
    for (uint32_t b = 0; ok && b < p->block_count; b++)
        g.place[b] = NONE;
    for (uint32_t v = 0; ok && v < p->variable_count; v++)
        ok = follow_variable(p, v, &g);
    uint32_t *const all[] = {g.place, g.blocks.at, g.first.at, g.outs.at, g.next.at};
    for (size_t k = 0; k < WEFT_COUNT_OF(all); k++)
        weft_free(all[k]);
    return ok;
}

static bool follow_all(struct promotion *p)
{
    p->block_count = LLVMCountBasicBlocks(p->function);
    p->blocks = weft_alloc_array(p->block_count, sizeof *p->blocks);
    p->assigned = weft_alloc_array(p->block_count, sizeof *p->assigned);
    p->start = weft_alloc_array(p->block_count, sizeof *p->start);
    p->position = weft_alloc_array(p->block_count, sizeof *p->position);
    if (!p->blocks || !p->assigned || !p->start || !p->position)
        return false;
    LLVMGetBasicBlocks(p->function, p->blocks);
    for (uint32_t b = 0; b < p->block_count; b++)
        p->assigned[b] = p->start[b] = NONE;
    if (weftc_edges_init(&p->edges, p->blocks, p->block_count) != WEFT_OK)
        return false;
    p->entry = weftc_edges_block(&p->edges, LLVMGetEntryBasicBlock(p->function));
    if (weftc_reverse_post_order(&p->edges, p->entry, p->block_count, p->position) != WEFT_OK ||
        !collect_accesses(p))
        return false;
    return follow_variables(p);
}

weft_status weftc_promote_in(LLVMValueRef function)
{
    if (LLVMIsDeclaration(function))
        return WEFT_OK;
    struct promotion p = {.function = function};
    bool ok = collect_variables(&p);
    if (ok && p.variable_count > 0) {
        ok = follow_all(&p);
        if (ok)
            change(&p);
    }
    weftc_edges_fini(&p.edges);
    weftc_map_free(&p.variable_of);
    weftc_map_free(&p.node_of);
    void *const all[] = {p.blocks, p.position, p.variables, p.accesses, p.first_access, p.nodes,
                         p.ops.at, p.live.at,  p.phis.at,   p.assigned, p.start};
    for (size_t k = 0; k < WEFT_COUNT_OF(all); k++)
        weft_free(all[k]);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}

weft_status weftc_promote_variables(LLVMModuleRef module)
{
    weft_status status = WEFT_OK;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && status == WEFT_OK; f = LLVMGetNextFunction(f))
        status = weftc_promote_in(f);
    return status;
}
