// Finds loops in which a lane waits for what another lane does after the loop. An example is a spin lock:
//
//     while (atomic_cmpxchg(lock, 0, 1));   ...   atomic_xchg(lock, 0);
//
// Work-items that run one after the other get through. Lanes don't: the one that has the lock waits after the
// loop until the last lane has left it. Such a region isn't vectorized, nor is one for which the opposite
// can't be proven.
//
// A loop *asks* for memory if lanes leave it in different iterations, and what atomic or volatile accesses
// read in it decides when. It may be vectorized only in these cases:
//
// * Nobody writes there but the loop itself, or code before it. So what a lane waits for, if anything,
// happens in an iteration. What else the loop writes there comes after the one access that decides, as the
// end of a lock's scope does: lanes in lockstep could undo for each other what they did for themselves.
// * Each iteration does a compare-and-exchange of what it has read there, and who succeeds leaves. One lane
// always does.
// * The access moves on from iteration to iteration, and never comes back.
//
// The work is linear in the loop's size. Searches that wouldn't be have a limit of steps; beyond it nothing
// is proven.
//
// More than 500 lines in one file: it is one proof, and its steps are of no use to anybody else.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/legalize/legalize.h"

// depth of operands of operands; steps of all searches in one loop together
enum { MAX_DEEP = 8, MAX_STEPS = 4096 };

struct search {
    const struct weftc_shapes *s;
    uint32_t loop;
    unsigned steps;      // that are left
    bool stores;         // the loop has plain stores
    bool memory_reached; // what decides comes from memory
    uint32_t pending;
    uint32_t *work;   // instructions whose operands are still to be looked at
    uint8_t *decides; // by number of instruction: does its value decide when lanes leave?
    uint8_t *reached; // by block: does it decide which lanes come there?
    // by block: a block at or after it, up to the first one whose branch isn't known to decide yet
    uint32_t *next_block;
    // what addresses point into -> place in the next two arrays; place 0 is for all that is unknown
    struct weftc_map objects;
    uint32_t *writes, *writes_inside;
    uint8_t *asked; // by object: how many atomic or volatile accesses the loop has
};

static uint32_t block_of(const struct search *w, LLVMValueRef i)
{
    return weftc_flow_block_of(&w->s->flow, LLVMGetInstructionParent(i));
}

static bool is_inside(const struct search *w, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && weftc_flow_in_loop(&w->s->flow, w->loop, block_of(w, value));
}

// Is the value computed in the loop, and in no loop within it?
static bool is_in_iteration(const struct search *w, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && w->s->flow.blocks[block_of(w, value)].loop == w->loop;
}

// ---- memory ----

static LLVMValueRef address_of(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
        return LLVMGetOperand(i, 1);
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return LLVMGetOperand(i, 0);
    default:
        return NULL;
    }
}

static bool is_exchange(LLVMValueRef i)
{
    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
}

// Does i read what others may write meanwhile?
static bool asks(LLVMValueRef i)
{
    return is_exchange(i) ||
           (LLVMIsALoadInst(i) && (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic));
}

static bool writes(LLVMValueRef i)
{
    if (LLVMIsAStoreInst(i) || is_exchange(i))
        return true;
    LLVMValueRef f = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
    if (!LLVMIsACallInst(i) || (f && weftc_is_pure(f)))
        return false;
    return !f || (!weftc_is_stages_function(f) && LLVMGetIntrinsicID(f) == 0);
}

// What the address points into, as far as it is known: an argument, a variable, local memory; else NULL.
static LLVMValueRef object_of(LLVMValueRef address)
{
    for (unsigned k = 0; address && k < MAX_DEEP; k++) {
        enum weftc_primitive p;
        unsigned dim;
        if (LLVMIsAArgument(address) || LLVMIsAAllocaInst(address) || LLVMIsAGlobalVariable(address))
            return address;
        if (weftc_primitive_of(address, &p, &dim))
            return p == WEFTC_LOCAL_MEMORY ? weftc_callee(address) : NULL;
        if (!LLVMIsAGetElementPtrInst(address) && !LLVMIsABitCastInst(address))
            return NULL;
        address = LLVMGetOperand(address, 0);
    }
    return NULL;
}

static uint32_t object_number(const struct search *w, LLVMValueRef i)
{
    LLVMValueRef address = address_of(i), object = address ? object_of(address) : NULL;
    uint32_t n = object ? weftc_map_get(&w->objects, object) : 0;
    return n == UINT32_MAX ? 0 : n;
}

// ---- what decides ----

static void decided_by(struct search *w, LLVMValueRef value)
{
    if (!is_inside(w, value))
        return;
    uint32_t n = weftc_map_get(&w->s->number, value);
    if (n == UINT32_MAX || w->decides[n])
        return;
    w->decides[n] = 1;
    w->work[w->pending++] = n;
}

// The branches of blocks `begin` to `end` - 1 decide.
static void decided_by_branches(struct search *w, uint32_t begin, uint32_t end)
{
    for (uint32_t b = begin; b < end;) {
        uint32_t next = w->next_block[b];
        if (next == b) {
            decided_by(w, LLVMGetBasicBlockTerminator(w->s->flow.blocks[b].block));
            w->next_block[b] = next = b + 1;
        } else if (next < end) {
            w->next_block[b] = w->next_block[next]; // the next search jumps further
        }
        b = next;
    }
}

// It decides which lanes come to the block, in which iteration of an inner loop, and, if it matters, from
// where.
static void decided_by_path_to(struct search *w, uint32_t b, bool from_where)
{
    const struct weftc_flow *g = &w->s->flow;
    uint32_t first = g->loops[w->loop].begin;
    while (b != first && (from_where || !w->reached[b])) {
        if (!from_where)
            w->reached[b] = 1;
        uint32_t inner = g->blocks[b].loop;
        bool within = inner != w->loop;
        if (within) {
            while (g->loops[inner].parent != w->loop)
                inner = g->loops[inner].parent;
            decided_by_branches(w, g->loops[inner].begin, g->loops[inner].end);
            b = g->loops[inner].begin;
        }
        uint32_t above = b;
        do {
            above = g->blocks[above].idom;
        } while (above != first && g->blocks[above].loop != w->loop);
        if (from_where || within || g->blocks[above].loop != w->loop ||
            !weftc_flow_post_dominates(g, b, above)) {
            // the branch of `above` decides when the lanes that come to `above` do
            decided_by_branches(w, above, b);
            return;
        }
        b = above;
    }
}

// Values that the loop stores decide: to private memory that is too large, or used in too odd ways, for
// registers, or to a place of the work-item's own anywhere. Pointers to different arguments may point to the
// same place.
static void decided_by_stores(struct search *w)
{
    const struct weftc_flow *g = &w->s->flow;
    if (w->memory_reached)
        return;
    w->memory_reached = true;
    for (uint32_t b = g->loops[w->loop].begin; b < g->loops[w->loop].end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAStoreInst(i)) {
                decided_by(w, LLVMGetOperand(i, 0));
                decided_by_path_to(w, b, false);
            }
}

static void find_decisions(struct search *w)
{
    const struct weftc_flow *g = &w->s->flow;
    memset(w->decides, 0, w->s->count);
    memset(w->reached, 0, g->block_count);
    w->pending = 0;
    w->memory_reached = false;
    for (uint32_t b = g->loops[w->loop].begin; b < g->loops[w->loop].end; b++)
        w->next_block[b] = b;
    w->next_block[g->loops[w->loop].end] = g->loops[w->loop].end;
    for (uint32_t b = g->loops[w->loop].begin; b < g->loops[w->loop].end; b++)
        for (uint32_t e = g->edges.first_out[b]; e < g->edges.first_out[b + 1]; e++)
            if (!weftc_flow_in_loop(g, w->loop, g->edges.out[e]))
                decided_by(w, LLVMGetBasicBlockTerminator(g->blocks[b].block));
    while (w->pending > 0) {
        LLVMValueRef i = w->s->instructions[w->work[--w->pending]];
        uint32_t b = block_of(w, i);
        bool header = b == g->loops[w->loop].begin;
        if (LLVMIsATerminatorInst(i) || LLVMIsAPHINode(i) || g->blocks[b].loop != w->loop)
            if (!header)
                decided_by_path_to(w, b, LLVMIsAPHINode(i));
        if (LLVMIsATerminatorInst(i)) {
            if (LLVMGetNumOperands(i) > 1)
                decided_by(w, LLVMIsABranchInst(i) ? LLVMGetCondition(i) : LLVMGetOperand(i, 0));
            continue;
        }
        unsigned operands = LLVMIsAPHINode(i) ? LLVMCountIncoming(i) : (unsigned)LLVMGetNumOperands(i);
        for (unsigned k = 0; k < operands; k++)
            decided_by(w, LLVMIsAPHINode(i) ? LLVMGetIncomingValue(i, k) : LLVMGetOperand(i, k));
        if (LLVMIsALoadInst(i))
            decided_by_stores(w);
    }
}

// ---- progress ----

static LLVMValueRef without_casts(LLVMValueRef value)
{
    while (LLVMIsABitCastInst(value))
        value = LLVMGetOperand(value, 0);
    return value;
}

static bool is_field(LLVMValueRef value, LLVMValueRef exchange, unsigned field)
{
    value = without_casts(value);
    return LLVMIsAExtractValueInst(value) && LLVMGetOperand(value, 0) == exchange &&
           LLVMGetIndices(value)[0] == field;
}

// Is the value the same whenever its operands are: neither a load or another access, nor a PHI?
static bool is_plain_value(const struct search *w, LLVMValueRef value)
{
    if (LLVMIsALoadInst(value))
        return !asks(value) && !w->stores;
    enum weftc_primitive p;
    unsigned dim;
    return weftc_primitive_of(value, &p, &dim) || LLVMIsAGetElementPtrInst(value) ||
           LLVMIsABinaryOperator(value) || LLVMIsACastInst(value);
}

// Are both the same in one iteration?
static bool equal(struct search *w, LLVMValueRef a, LLVMValueRef b, unsigned deep)
{
    a = without_casts(a);
    b = without_casts(b);
    if (a == b)
        return true;
    if (deep == 0 || w->steps == 0 || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) ||
        LLVMTypeOf(a) != LLVMTypeOf(b) || LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) ||
        !is_plain_value(w, a) || !is_plain_value(w, b) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
        return false;
    w->steps--;
    if (LLVMIsAGetElementPtrInst(a) && LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b))
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(a); k++)
        if (!equal(w, LLVMGetOperand(a, k), LLVMGetOperand(b, k), deep - 1))
            return false;
    return true;
}

// Is the value the same in every iteration?
static bool stays(struct search *w, LLVMValueRef value, unsigned deep)
{
    if (!is_inside(w, value))
        return true;
    if (deep == 0 || w->steps == 0 || !is_plain_value(w, value))
        return false;
    w->steps--;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        if (!stays(w, LLVMGetOperand(value, k), deep - 1))
            return false;
    return true;
}

// Is `value` what was read at the exchange's place, by the exchange or by a load, in an iteration of the
// loop?
static bool was_read(struct search *w, LLVMValueRef exchange, LLVMValueRef value)
{
    value = without_casts(value);
    if (is_field(value, exchange, 0))
        return true;
    return LLVMIsALoadInst(value) && is_in_iteration(w, value) &&
           equal(w, LLVMGetOperand(value, 0), LLVMGetOperand(exchange, 0), MAX_DEEP);
}

// Once the exchange has failed, does it expect next what the place held a moment ago?
static bool expects_what_is_there(struct search *w, LLVMValueRef exchange)
{
    uint32_t object = object_number(w, exchange);
    if (w->writes_inside[object] != 1 || (object != 0 && w->writes_inside[0] != 0))
        return false; // somebody may write between the load and the exchange
    LLVMValueRef expected = without_casts(LLVMGetOperand(exchange, 1));
    if (!LLVMIsAPHINode(expected))
        return was_read(w, exchange, expected);
    if (!is_in_iteration(w, expected) || block_of(w, expected) != w->s->flow.loops[w->loop].begin ||
        !stays(w, LLVMGetOperand(exchange, 0), MAX_DEEP))
        return false;
    for (unsigned k = 0; k < LLVMCountIncoming(expected); k++)
        if (weftc_flow_in_loop(&w->s->flow, w->loop,
                               weftc_flow_block_of(&w->s->flow, LLVMGetIncomingBlock(expected, k))) &&
            !was_read(w, exchange, LLVMGetIncomingValue(expected, k)))
            return false;
    return true;
}

// Is the condition `sense` whenever an exchange has succeeded that each iteration does?
static bool follows_success(struct search *w, LLVMValueRef condition, bool sense, unsigned deep)
{
    if (deep == 0 || w->steps == 0 || !is_in_iteration(w, condition))
        return false;
    w->steps--;
    LLVMValueRef first = LLVMGetNumOperands(condition) > 0 ? LLVMGetOperand(condition, 0) : NULL;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(condition);
    if (opcode == LLVMExtractValue)
        return sense && LLVMIsAAtomicCmpXchgInst(first) && is_field(condition, first, 1) &&
               is_in_iteration(w, first) && expects_what_is_there(w, first);
    if (opcode == LLVMICmp) {
        if (LLVMGetICmpPredicate(condition) != (sense ? LLVMIntEQ : LLVMIntNE))
            return false;
        for (unsigned k = 0; k < 2; k++) {
            LLVMValueRef found = without_casts(LLVMGetOperand(condition, k));
            LLVMValueRef wanted = without_casts(LLVMGetOperand(condition, 1 - k));
            LLVMValueRef exchange = LLVMIsAExtractValueInst(found) ? LLVMGetOperand(found, 0) : NULL;
            if (exchange && LLVMIsAAtomicCmpXchgInst(exchange) && is_field(found, exchange, 0) &&
                is_in_iteration(w, exchange) && without_casts(LLVMGetOperand(exchange, 1)) == wanted &&
                expects_what_is_there(w, exchange))
                return true;
        }
        return false;
    }
    LLVMValueRef second = LLVMGetNumOperands(condition) > 1 ? LLVMGetOperand(condition, 1) : NULL;
    if (opcode == LLVMXor && LLVMIsAConstantInt(second) && LLVMConstIntGetZExtValue(second) == 1)
        return follows_success(w, first, !sense, deep - 1);
    if (opcode == (sense ? LLVMOr : LLVMAnd))
        return follows_success(w, first, sense, deep - 1) || follows_success(w, second, sense, deep - 1);
    if (opcode == LLVMSelect) {
        LLVMValueRef other =
            // select c, true, x is `or`; select c, x, false is `and`
            LLVMGetOperand(condition, sense ? 1 : 2);
        return LLVMIsAConstantInt(other) && LLVMConstIntGetZExtValue(other) == (sense ? 1 : 0) &&
               (follows_success(w, first, sense, deep - 1) ||
                follows_success(w, LLVMGetOperand(condition, sense ? 2 : 1), sense, deep - 1));
    }
    return false;
}

// Has every lane that comes to the end of an iteration done an exchange that failed?
static bool one_always_leaves(struct search *w)
{
    const struct weftc_flow *g = &w->s->flow;
    uint32_t begin = g->loops[w->loop].begin, b = UINT32_MAX;
    for (uint32_t e = g->edges.first_in[begin]; e < g->edges.first_in[begin + 1]; e++)
        if (weftc_flow_in_loop(g, w->loop, g->edges.in[e]))
            b = g->edges.in[e];
    for (; b != UINT32_MAX && weftc_flow_in_loop(g, w->loop, b); b = g->blocks[b].idom) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks[b].block);
        if (g->blocks[b].loop != w->loop || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
            continue;
        for (unsigned k = 0; k < 2; k++)
            if (!weftc_flow_in_loop(g, w->loop, weftc_flow_block_of(g, LLVMGetSuccessor(branch, k))) &&
                follows_success(w, LLVMGetCondition(branch), k == 0, MAX_DEEP))
                return true;
    }
    return false;
}

static bool is_number_but_zero(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) && !LLVMIsNull(value);
}

// Is the address another one in each iteration, and never one that it has been?
static bool moves_on(const struct search *w, LLVMValueRef address)
{
    for (unsigned k = 0; k < MAX_DEEP && is_inside(w, address); k++) {
        unsigned last = (unsigned)LLVMGetNumOperands(address) - 1;
        switch (LLVMGetInstructionOpcode(address)) {
        case LLVMPHI: {
            if (block_of(w, address) != w->s->flow.loops[w->loop].begin)
                return false;
            for (unsigned n = 0; n < LLVMCountIncoming(address); n++) {
                LLVMValueRef next = LLVMGetIncomingValue(address, n);
                if (!weftc_flow_in_loop(&w->s->flow, w->loop,
                                        weftc_flow_block_of(&w->s->flow, LLVMGetIncomingBlock(address, n))))
                    continue;
                bool steps = LLVMIsAInstruction(next) &&
                             (LLVMGetInstructionOpcode(next) == LLVMAdd ||
                              (LLVMIsAGetElementPtrInst(next) && LLVMGetNumOperands(next) == 2)) &&
                             LLVMGetOperand(next, 0) == address &&
                             is_number_but_zero(LLVMGetOperand(next, 1));
                if (!steps)
                    return false;
            }
            return true;
        }
        case LLVMGetElementPtr:
            if (last != 1)
                return false;
            address = is_inside(w, LLVMGetOperand(address, 1)) ? LLVMGetOperand(address, 1)
                                                               : LLVMGetOperand(address, 0);
            break;
        case LLVMSExt:
        case LLVMZExt:
            address = LLVMGetOperand(address, 0);
            break;
        case LLVMAdd:
            if (!LLVMIsAConstantInt(LLVMGetOperand(address, 1)))
                return false;
            address = LLVMGetOperand(address, 0);
            break;
        default:
            return false;
        }
    }
    return false;
}

// ---- a loop ----

static bool dominates(struct search *w, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t above = block_of(w, a), at = block_of(w, b);
    if (above == at)
        return weftc_map_get(&w->s->number, a) < weftc_map_get(&w->s->number, b);
    for (; at != UINT32_MAX && at > above && w->steps > 0; w->steps--)
        at = w->s->flow.blocks[at].idom;
    return at == above;
}

// Counts the loop's accesses. False: it has none that asks.
static bool count_accesses(struct search *w)
{
    const struct weftc_flow *g = &w->s->flow;
    size_t objects = w->objects.count + 1;
    memset(w->writes_inside, 0, objects * sizeof *w->writes_inside);
    memset(w->asked, 0, objects);
    w->stores = false;
    bool any = false;
    for (uint32_t b = g->loops[w->loop].begin; b < g->loops[w->loop].end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i)) {
            if (writes(i))
                w->writes_inside[object_number(w, i)]++;
            if (LLVMIsAStoreInst(i) || (LLVMIsACallInst(i) && writes(i)))
                w->stores = true;
            if (asks(i)) {
                w->asked[object_number(w, i)] = 1;
                any = true;
            }
        }
    return any;
}

// How many writes to the object all lanes have done before they come to the loop.
static uint32_t writes_before(struct search *w, uint32_t object)
{
    const struct weftc_flow *g = &w->s->flow;
    uint32_t outermost = w->loop, count = 0;
    while (g->loops[outermost].parent != UINT32_MAX)
        outermost = g->loops[outermost].parent;
    for (uint32_t b = g->blocks[g->loops[outermost].begin].idom; b != UINT32_MAX; b = g->blocks[b].idom)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i)) {
            if (w->steps == 0)
                return count;
            w->steps--;
            count += writes(i) && object_number(w, i) == object;
        }
    return count;
}

static bool all_writes_known(struct search *w, uint32_t object)
{
    uint32_t outside = w->writes[object] - w->writes_inside[object];
    return outside == 0 || outside == writes_before(w, object);
}

// May any lane write there after it has left the loop, or has passed it by?
static bool is_written_outside(struct search *w, uint32_t object)
{
    if (object != 0)
        return !all_writes_known(w, object) || !all_writes_known(w, 0);
    for (uint32_t n = 0; n <= w->objects.count; n++)
        if (w->writes[n] != w->writes_inside[n])
            return true;
    return false;
}

// Does every other write that may go where this access reads come after this access?
static bool is_first(struct search *w, LLVMValueRef access, uint32_t object)
{
    const struct weftc_flow *g = &w->s->flow;
    for (uint32_t b = g->loops[w->loop].begin; b < g->loops[w->loop].end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i)) {
            uint32_t to = writes(i) && i != access ? object_number(w, i) : UINT32_MAX;
            if (to != UINT32_MAX && (to == object || to == 0 || object == 0) && !dominates(w, access, i))
                return false;
        }
    return true;
}

// The access with which lanes may wait for each other; NULL: they don't.
static LLVMValueRef waits_in(struct search *w, uint32_t loop)
{
    const struct weftc_flow *g = &w->s->flow;
    w->loop = loop;
    w->steps = MAX_STEPS;
    if (!count_accesses(w) || one_always_leaves(w))
        return NULL;
    find_decisions(w);
    LLVMValueRef one = NULL, other = NULL;
    bool releases = false; // something is written that decides nothing
    for (uint32_t b = g->loops[loop].begin; b < g->loops[loop].end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i)) {
            uint32_t object = object_number(w, i);
            bool asked = asks(i) || (LLVMIsALoadInst(i) && object != 0 && w->asked[object]);
            if (!asked || !w->decides[weftc_map_get(&w->s->number, i)]) {
                releases |= writes(i) && (w->asked[object] || object == 0);
                continue;
            }
            if (moves_on(w, address_of(i)))
                continue;
            if (is_written_outside(w, object))
                return i;
            other = one;
            one = i;
        }
    if (!one || !releases)
        return NULL;
    return other || !is_first(w, one, object_number(w, one)) ? one : NULL;
}

static weft_status find_objects(struct search *w)
{
    const struct weftc_shapes *s = w->s;
    for (uint32_t n = 0; n < s->count; n++) {
        LLVMValueRef address = address_of(s->instructions[n]), object = address ? object_of(address) : NULL;
        if (object && weftc_map_get(&w->objects, object) == UINT32_MAX &&
            !weftc_map_put(&w->objects, object, (uint32_t)w->objects.count + 1))
            return WEFT_NO_MEMORY;
    }
    w->writes = weft_alloc_array(w->objects.count + 1, sizeof *w->writes);
    w->writes_inside = weft_alloc_array(w->objects.count + 1, sizeof *w->writes_inside);
    w->asked = weft_alloc_array(w->objects.count + 1, sizeof *w->asked);
    if (!w->writes || !w->writes_inside || !w->asked)
        return WEFT_NO_MEMORY;
    memset(w->writes, 0, (w->objects.count + 1) * sizeof *w->writes);
    for (uint32_t n = 0; n < s->count; n++)
        if (writes(s->instructions[n]))
            w->writes[object_number(w, s->instructions[n])]++;
    return WEFT_OK;
}

weft_status weftc_vec_inter_lane_wait(const struct weftc_shapes *s, LLVMValueRef *for_what)
{
    struct search w = {.s = s};
    *for_what = NULL;
    w.work = weft_alloc_array((size_t)s->count + 1, sizeof *w.work);
    w.decides = weft_alloc_array((size_t)s->count + 1, sizeof *w.decides);
    w.next_block = weft_alloc_array((size_t)s->flow.block_count + 1, sizeof *w.next_block);
    w.reached = weft_alloc_array((size_t)s->flow.block_count + 1, sizeof *w.reached);
    weft_status status = w.work && w.decides && w.next_block && w.reached ? find_objects(&w) : WEFT_NO_MEMORY;
    for (uint32_t l = 0; l < s->flow.loop_count && status == WEFT_OK && !*for_what; l++)
        if (s->flow.loops[l].divergent)
            *for_what = waits_in(&w, l);
    weft_free(w.work);
    weft_free(w.decides);
    weft_free(w.next_block);
    weft_free(w.reached);
    weftc_map_free(&w.objects);
    weft_free(w.writes);
    weft_free(w.writes_inside);
    weft_free(w.asked);
    return status;
}
