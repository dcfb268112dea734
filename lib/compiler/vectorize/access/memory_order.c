// Finds groups whose words may stay in the order of memory, as in `a[i] = b[i] * s + c[i]` of float4. Here
// all words of the lanes' segments (vectorize/emit/interleaved.c) are treated alike, from the loads to the
// stores, by operations that look at each element by itself. Then it doesn't matter which lane and word an
// element of a register belongs to. So nothing is taken apart and put together again. Word j of the lanes is,
// instead, the j-th vector from the beginning of lane 0's segment on.
//
// A *tuple* is one value for each word that are treated alike: loaded or stored by one such group, or made by
// the same operation from other tuples, or from one value that is the same for all words and lanes. Tuples
// are found from the stores backwards. A tuple is bad if one of its values is used in any other way, or if it
// is made of a bad tuple or used by one.
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"

enum { NONE = UINT32_MAX, ALIKE = UINT32_MAX - 1, MAX_OPERANDS = 8, MAX_TUPLES = 1 << 16 };

struct tuple {
    LLVMValueRef values[WEFTC_MAX_MEMBERS];
    uint32_t made_of[MAX_OPERANDS]; // tuples, or ALIKE
    uint32_t count, operands;
    uint32_t group; // the group that loads it, or NONE
    // another tuple that is in order if, and only if, this one is (union-find); a root names itself
    uint32_t joined;
    bool bad;
};

struct place {
    uint32_t tuple, word; // tuple: its number plus one; 0: in none
};

struct order {
    struct weftc_vec *v;
    struct tuple *tuples;
    uint32_t count, capacity;
    struct place *places; // by number of instruction
    uint32_t *stored;     // by group: the tuple that it stores, ALIKE or NONE
    bool no_memory;
};

static const struct weftc_flow_block *block_of(const struct order *o, LLVMValueRef i)
{
    const struct weftc_flow *g = &o->v->s->flow;
    return &g->blocks[weftc_flow_block_of(g, LLVMGetInstructionParent(i))];
}

static struct place *place_of(const struct order *o, LLVMValueRef value)
{
    uint32_t number = LLVMIsAInstruction(value) ? weftc_map_get(&o->v->s->number, value) : NONE;
    return number == NONE ? NULL : &o->places[number];
}

// Do the segments follow each other without a hole, with one member for each word? in: the members by word.
static bool is_dense(const struct order *o, const struct weftc_vec_group *g, LLVMValueRef *in)
{
    struct weftc_shape pointer =
        weftc_vec_shape(o->v, LLVMGetOperand(weftc_vec_insert_position(g), g->store ? 1 : 0));
    if (g->count < 2 || g->span != (uint64_t)g->count * g->element || pointer.kind != WEFTC_STRIDED ||
        pointer.stride != (int64_t)g->span)
        return false;
    // Masks of small words are slow on all but the newest machines.
    if (g->element < 4 && !block_of(o, weftc_vec_insert_position(g))->full)
        return false;
    for (uint32_t k = 0; k < g->count; k++)
        in[k] = NULL;
    LLVMTypeRef type = NULL;
    for (uint32_t k = 0; k < g->count; k++) {
        uint64_t word = g->offsets[k] / g->element;
        LLVMValueRef member = g->members[k], value = g->store ? LLVMGetOperand(member, 0) : member;
        if (in[word] || (type && LLVMTypeOf(value) != type) ||
            LLVMSizeOfTypeInBits(o->v->s->layout, LLVMTypeOf(value)) != 8ull * g->element)
            return false;
        type = LLVMTypeOf(value);
        in[word] = member;
    }
    return true;
}

// ---- which operations ----

// Does the PHI take whole vectors from its edges, without a blend of lanes?
static bool is_unmixed(const struct order *o, LLVMValueRef phi)
{
    const struct weftc_flow *g = &o->v->s->flow;
    uint32_t b = weftc_flow_block_of(g, LLVMGetInstructionParent(phi));
    bool header = weftc_flow_is_header(g, b) && !g->loops[g->blocks[b].loop].divergent;
    bool one = LLVMCountIncoming(phi) == 1, plain = g->blocks[b].full;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        uint32_t from = weftc_flow_block_of(g, LLVMGetIncomingBlock(phi, k));
        for (uint32_t l = g->blocks[from].loop; !weftc_flow_in_loop(g, l, b); l = g->loops[l].parent)
            if (g->loops[l].divergent)
                return false;
        plain = plain && g->blocks[from].full && !g->blocks[from].divergent;
    }
    return header || one || plain;
}

static bool is_elementwise(const struct order *o, LLVMValueRef i)
{
    uint32_t scalar_operands;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
        return is_unmixed(o, i);
    case LLVMCall:
        return LLVMGetNumArgOperands(i) <= MAX_OPERANDS &&
               weftc_bridge_widen_intrinsic(i, o->v->lanes, &scalar_operands);
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMFreeze:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMBitCast:
        return true;
    default:
        return false;
    }
}

// ---- tuples ----

static uint32_t add(struct order *o, const LLVMValueRef *values, uint32_t count, uint32_t group)
{
    if (o->count == MAX_TUPLES)
        return NONE;
    if (o->count == o->capacity) {
        uint32_t capacity = o->capacity ? 2 * o->capacity : 32;
        struct tuple *larger = weft_realloc(o->tuples, capacity * sizeof *larger);
        if (!larger) {
            o->no_memory = true;
            return NONE;
        }
        o->tuples = larger;
        o->capacity = capacity;
    }
    struct tuple *t = &o->tuples[o->count];
    *t = (struct tuple){.count = count, .group = group, .joined = o->count};
    for (uint32_t k = 0; k < count; k++) {
        t->values[k] = values[k];
        *place_of(o, values[k]) = (struct place){o->count + 1, k};
    }
    return o->count++;
}

// The tuple of these values, which may be new. ALIKE: they are one value, the same for all lanes. NONE: they
// are no tuple.
static uint32_t find(struct order *o, const LLVMValueRef *values, uint32_t count)
{
    bool alike = weftc_vec_shape(o->v, values[0]).kind == WEFTC_UNIFORM;
    for (uint32_t k = 1; k < count && alike; k++)
        alike = values[k] == values[0];
    if (alike)
        return ALIKE;
    for (uint32_t k = 0; k < count; k++)
        if (!place_of(o, values[k]) || weftc_vec_shape(o->v, values[k]).kind != WEFTC_VARYING)
            return NONE;
    struct place first = *place_of(o, values[0]);
    for (uint32_t k = 0; k < count; k++) {
        struct place p = *place_of(o, values[k]);
        if (p.tuple != first.tuple || (first.tuple && p.word != k))
            return NONE;
        for (uint32_t m = 0; m < k; m++)
            if (values[m] == values[k])
                return NONE;
    }
    if (first.tuple)
        return o->tuples[first.tuple - 1].count == count ? first.tuple - 1 : NONE;
    const struct weftc_vec_group *g = weftc_vec_group_of(o->v, values[0]);
    if (LLVMIsALoadInst(values[0]) && g) {
        LLVMValueRef in[WEFTC_MAX_MEMBERS];
        bool same = g->count == count && is_dense(o, g, in);
        for (uint32_t k = 0; k < count && same; k++)
            same = in[k] == values[k];
        return same ? add(o, values, count, (uint32_t)(g - o->v->groups)) : NONE;
    }
    for (uint32_t k = 0; k < count; k++)
        if (LLVMGetInstructionParent(values[k]) != LLVMGetInstructionParent(values[0]) ||
            !weftc_bridge_same_operation(values[0], values[k]) || !is_elementwise(o, values[k]))
            return NONE;
    return add(o, values, count, NONE);
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingBlock(phi, k) == from)
            return LLVMGetIncomingValue(phi, k);
    return NULL;
}

// Finds the tuples that tuple number `at` is made of.
static void look_at(struct order *o, uint32_t at)
{
    struct tuple t = o->tuples[at];
    if (t.group != NONE)
        return;
    bool phi = LLVMIsAPHINode(t.values[0]);
    unsigned operands = phi                            ? LLVMCountIncoming(t.values[0])
                        : LLVMIsACallInst(t.values[0]) ? LLVMGetNumArgOperands(t.values[0])
                                                       : (unsigned)LLVMGetNumOperands(t.values[0]);
    t.bad = operands > MAX_OPERANDS;
    for (unsigned k = 0; k < operands && !t.bad; k++) {
        LLVMValueRef values[WEFTC_MAX_MEMBERS];
        for (uint32_t w = 0; w < t.count && !t.bad; w++) {
            values[w] = phi ? incoming(t.values[w], LLVMGetIncomingBlock(t.values[0], k))
                            : LLVMGetOperand(t.values[w], k);
            t.bad = !values[w];
        }
        t.made_of[k] = t.bad ? NONE : find(o, values, t.count);
        t.bad = t.bad || t.made_of[k] == NONE;
        t.operands = k + 1;
    }
    o->tuples[at] = t;
}

static void find_tuples(struct order *o)
{
    for (uint32_t n = 0; n < o->v->group_count; n++) {
        const struct weftc_vec_group *g = &o->v->groups[n];
        LLVMValueRef in[WEFTC_MAX_MEMBERS];
        o->stored[n] = NONE;
        if (!g->store || !is_dense(o, g, in))
            continue;
        for (uint32_t k = 0; k < g->count; k++)
            in[k] = LLVMGetOperand(in[k], 0);
        o->stored[n] = find(o, in, g->count);
    }
    for (uint32_t at = 0; at < o->count; at++)
        look_at(o, at);
}

// ---- what goes elsewhere ----

static bool goes_elsewhere(const struct order *o, const struct tuple *t, uint32_t word)
{
    for (LLVMUseRef use = LLVMGetFirstUse(t->values[word]); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const struct weftc_vec_group *g = weftc_vec_group_of(o->v, user);
        if (LLVMIsAStoreInst(user)) {
            uint32_t stored = g ? o->stored[g - o->v->groups] : NONE;
            // The tuple that is stored is in order; an address is a different use.
            if (stored == NONE || stored == ALIKE || &o->tuples[stored] != t ||
                LLVMGetOperand(user, 1) == t->values[word])
                return true;
            continue;
        }
        const struct place *p = place_of(o, user);
        if (!p || p->tuple == 0 || p->word != word || o->tuples[p->tuple - 1].bad)
            return true;
    }
    return false;
}

static bool is_bad(const struct order *o, const struct tuple *t)
{
    for (uint32_t k = 0; k < t->operands; k++)
        if (t->made_of[k] < o->count && o->tuples[t->made_of[k]].bad)
            return true;
    for (uint32_t k = 0; k < t->count; k++)
        if (goes_elsewhere(o, t, k))
            return true;
    return false;
}

static uint32_t root_of(struct order *o, uint32_t at)
{
    while (o->tuples[at].joined != at)
        at = o->tuples[at].joined = o->tuples[o->tuples[at].joined].joined;
    return at;
}

// Where tuples are made of each other, a bad one makes all of them bad.
static void leave_out(struct order *o)
{
    for (uint32_t at = 0; at < o->count; at++)
        for (unsigned k = 0; k < o->tuples[at].operands; k++)
            if (o->tuples[at].made_of[k] < o->count)
                o->tuples[root_of(o, at)].joined = root_of(o, o->tuples[at].made_of[k]);
    for (uint32_t at = 0; at < o->count; at++)
        if (o->tuples[at].bad || is_bad(o, &o->tuples[at]))
            o->tuples[root_of(o, at)].bad = true;
    for (uint32_t at = 0; at < o->count; at++)
        o->tuples[at].bad = o->tuples[at].bad || o->tuples[root_of(o, at)].bad;
}

void weftc_vec_find_order(struct weftc_vec *v)
{
    struct order o = {.v = v};
    o.places = weft_alloc_array((size_t)v->s->count + 1, sizeof *o.places);
    o.stored = weft_alloc_array((size_t)v->group_count + 1, sizeof *o.stored);
    if (o.places && o.stored) {
        find_tuples(&o);
        leave_out(&o);
    }
    if (!o.places || !o.stored || o.no_memory) {
        v->no_memory = true;
    } else {
        for (uint32_t n = 0; n < v->group_count; n++)
            v->groups[n].in_order =
                o.stored[n] != NONE && (o.stored[n] == ALIKE || !o.tuples[o.stored[n]].bad);
        for (uint32_t at = 0; at < o.count; at++)
            if (!o.tuples[at].bad && o.tuples[at].group != NONE)
                v->groups[o.tuples[at].group].in_order = true;
    }
    weft_free(o.tuples);
    weft_free(o.places);
    weft_free(o.stored);
}
