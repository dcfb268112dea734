// What numbers a value can have, in any work-item of the launch: from the sizes of the launch, the kernel's
// arguments, constants, and the conditions on the way to where the value is used. The ends of these intervals
// are computed by code before the kernel's own (checker/intervals.c), so a kernel that runs over a picture of
// w * h pixels is asked once a launch whether w * h is too much.
//
// This file has more than 500 lines: values, conditions and loops ask for each other.
//
// Loops: a phi has the values it starts with and those of later iterations. Of these something is assumed,
// from which it must follow again; whether it does is found when the kernel runs.
#include "compiler/checker/ranges.h"

#include <string.h>

#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"

enum { DEEP = 40, MOST_STEPS = 8, MOST_QUESTIONS = 6000, MOST_ASSUMED = 4, WHOLE = 64 };

struct known {
    LLVMValueRef value;
    uint32_t block, next;
    struct weftc_interval interval;
};

struct weftc_ranges {
    LLVMModuleRef module;
    LLVMValueRef kernel;
    LLVMTargetDataRef layout;
    struct weftc_intervals u;
    const LLVMBasicBlockRef *blocks;
    const uint32_t *group; // the size of work-groups in each dimension; 0: not known
    struct weftc_edges edges;
    struct weftc_dominators dominators;
    struct known *known;
    uint32_t known_count, known_capacity;
    struct weftc_map known_of; // the first in `known` of a value
    struct {
        LLVMValueRef phi;
        struct weftc_interval interval;
    } assumed[MOST_ASSUMED];
    unsigned assumed_count;
    uint32_t questions;
};

static struct weftc_interval interval_at(struct weftc_ranges *r, LLVMValueRef v, uint32_t block,
                                         unsigned depth);

weft_status weftc_ranges_new(struct weftc_ranges **out, LLVMModuleRef module, LLVMValueRef kernel,
                             const LLVMBasicBlockRef *blocks, uint32_t count, const uint32_t group[3],
                             LLVMBuilderRef b)
{
    struct weftc_ranges *r = *out = weft_zalloc(sizeof *r);
    if (!r)
        return WEFT_NO_MEMORY;
    r->module = module;
    r->kernel = kernel;
    r->layout = LLVMGetModuleDataLayout(module);
    r->u = (struct weftc_intervals){b, LLVMGetModuleContext(module)};
    r->blocks = blocks;
    r->group = group;
    weft_status status = weftc_edges_init(&r->edges, blocks, count);
    return status == WEFT_OK ? weftc_dominators_init(&r->dominators, &r->edges, count) : status;
}

void weftc_ranges_free(struct weftc_ranges *r)
{
    if (!r)
        return;
    weftc_edges_fini(&r->edges);
    weftc_map_free(&r->known_of);
    weft_free(r->known);
    weftc_dominators_fini(&r->dominators);
    weft_free(r);
}

static uint32_t block_of(const struct weftc_ranges *r, LLVMBasicBlockRef block)
{
    return weftc_edges_block(&r->edges, block);
}

static bool dominates(const struct weftc_ranges *r, uint32_t a, uint32_t b)
{
    return weftc_dominates(&r->dominators, a, b);
}

// ---- conditions ----

static struct weftc_interval exactly(LLVMValueRef n)
{
    return (struct weftc_interval){n, n};
}

// The interval of `v`, narrowed by a condition that holds, or doesn't, at the end of the block.
static struct weftc_interval narrow(struct weftc_ranges *r, struct weftc_interval a, LLVMValueRef v,
                                    LLVMValueRef condition, bool holds, uint32_t block, unsigned depth);

static struct weftc_interval by_conditions(struct weftc_ranges *r, struct weftc_interval a, LLVMValueRef v,
                                           uint32_t block, unsigned depth);

static LLVMIntPredicate inverse(LLVMIntPredicate p)
{
    static const LLVMIntPredicate of[] = {LLVMIntNE,  LLVMIntEQ,  LLVMIntULE, LLVMIntULT, LLVMIntUGE,
                                          LLVMIntUGT, LLVMIntSLE, LLVMIntSLT, LLVMIntSGE, LLVMIntSGT};
    return of[p - LLVMIntEQ];
}

// The same comparison with its operands exchanged.
static LLVMIntPredicate turned(LLVMIntPredicate p)
{
    static const LLVMIntPredicate of[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntULT, LLVMIntULE, LLVMIntUGT,
                                          LLVMIntUGE, LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    return of[p - LLVMIntEQ];
}

static bool is_same(LLVMValueRef a, LLVMValueRef b)
{
    enum weftc_primitive p, q;
    unsigned d, e;
    return a == b || (weftc_primitive_of(a, &p, &d) && weftc_primitive_of(b, &q, &e) && p == q && d == e);
}

// Is `a` the value v, or a constant more? An extension has the same number.
static bool is_made_of(LLVMValueRef a, LLVMValueRef v, int64_t *more)
{
    *more = 0;
    if (LLVMIsASExtInst(a) && !is_same(a, v))
        a = LLVMGetOperand(a, 0);
    if (is_same(a, v))
        return true;
    const LLVMOpcode opcode = LLVMIsAInstruction(a) ? LLVMGetInstructionOpcode(a) : LLVMRet;
    LLVMValueRef n = opcode == LLVMAdd || opcode == LLVMSub ? LLVMIsAConstantInt(LLVMGetOperand(a, 1)) : NULL;
    if (!n || !is_same(LLVMGetOperand(a, 0), v) || LLVMGetIntTypeWidth(LLVMTypeOf(n)) > WHOLE)
        return false;
    *more = LLVMConstIntGetSExtValue(n);
    if (*more < -(1 << 30) || *more > 1 << 30)
        return false;
    *more = opcode == LLVMSub ? -*more : *more;
    return true;
}

// Is v the difference of the two? Where its interval is known, it doesn't wrap.
static bool is_difference(LLVMValueRef v, LLVMValueRef from, LLVMValueRef what)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMSub &&
           is_same(LLVMGetOperand(v, 0), from) && is_same(LLVMGetOperand(v, 1), what);
}

static struct weftc_interval by_comparison(struct weftc_ranges *r, struct weftc_interval a, LLVMValueRef v,
                                           LLVMValueRef compare, bool holds, uint32_t block, unsigned depth)
{
    const struct weftc_intervals *u = &r->u;
    LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    p = holds ? p : inverse(p);
    for (unsigned k = 0; k < 2; k++, p = turned(p)) {
        LLVMValueRef side = LLVMGetOperand(compare, k), other = LLVMGetOperand(compare, 1 - k);
        int64_t more;
        if (LLVMGetTypeKind(LLVMTypeOf(side)) != LLVMIntegerTypeKind)
            continue;
        if (is_difference(v, side, other) && weftc_interval_is_known(a))
            a = weftc_interval_unless(u, weftc_interval_is_endless(u, a),
                                      weftc_interval_where(u, p, a, exactly(weftc_interval_number(u, 0))));
        if (!is_made_of(side, v, &more))
            continue;
        const struct weftc_interval with = interval_at(r, other, block, depth + 1);
        if (!more) {
            a = weftc_interval_where(u, p, a, with);
        } else if (weftc_interval_is_known(a)) { // if the sum doesn't wrap
            const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
            LLVMValueRef n = weftc_interval_number(u, more);
            const struct weftc_interval by = {n, n};
            struct weftc_interval sum = weftc_interval_operate(u, LLVMAdd, bits, a, by);
            sum = weftc_interval_where(u, p, sum, with);
            sum = weftc_interval_operate(u, LLVMSub, WHOLE, sum, by);
            a.low = weftc_interval_most(u, a.low, sum.low);
            a.high = weftc_interval_least(u, a.high, sum.high);
        }
    }
    return a;
}

// A condition that several blocks make together: false from most of them.
static struct weftc_interval by_phi(struct weftc_ranges *r, struct weftc_interval a, LLVMValueRef v,
                                    LLVMValueRef phi, bool holds, unsigned depth)
{
    unsigned from = UINT32_MAX;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef n = LLVMIsAConstantInt(LLVMGetIncomingValue(phi, k));
        if (n && (LLVMConstIntGetZExtValue(n) != 0) != holds)
            continue;
        if (from != UINT32_MAX)
            return a;
        from = k;
    }
    if (from == UINT32_MAX)
        return a;
    const uint32_t block = block_of(r, LLVMGetIncomingBlock(phi, from));
    // What was computed after the phi's other ways, or in another iteration, is none of this.
    if (LLVMIsAInstruction(v) && !dominates(r, block_of(r, LLVMGetInstructionParent(v)), block))
        return a;
    if (dominates(r, block_of(r, LLVMGetInstructionParent(phi)), block))
        return a;
    a = by_conditions(r, a, v, block, depth + 1);
    return narrow(r, a, v, LLVMGetIncomingValue(phi, from), holds, block, depth + 1);
}

static struct weftc_interval narrow(struct weftc_ranges *r, struct weftc_interval a, LLVMValueRef v,
                                    LLVMValueRef condition, bool holds, uint32_t block, unsigned depth)
{
    if (depth > DEEP || !LLVMIsAInstruction(condition))
        return a;
    LLVMValueRef left = LLVMGetOperand(condition, 0), n;
    switch (LLVMGetInstructionOpcode(condition)) {
    case LLVMICmp:
        n = LLVMIsAConstantInt(LLVMGetOperand(condition, 1));
        if (LLVMIsAZExtInst(left) && n && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(left, 0))) == 1 &&
            LLVMConstIntGetZExtValue(n) == 0) { // a truth as a number
            const LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
            return p == LLVMIntNE || p == LLVMIntEQ
                       ? narrow(r, a, v, LLVMGetOperand(left, 0), (p == LLVMIntNE) == holds, block, depth + 1)
                       : a;
        }
        return by_comparison(r, a, v, condition, holds, block, depth);
    case LLVMAnd:
    case LLVMOr:
        if ((LLVMGetInstructionOpcode(condition) == LLVMAnd) != holds)
            return a;
        a = narrow(r, a, v, left, holds, block, depth + 1);
        return narrow(r, a, v, LLVMGetOperand(condition, 1), holds, block, depth + 1);
    case LLVMSelect:
        // c ? d : false, and c ? true : d
        n = LLVMIsAConstantInt(LLVMGetOperand(condition, holds ? 2 : 1));
        if (!n || (LLVMConstIntGetZExtValue(n) != 0) == holds)
            return a;
        a = narrow(r, a, v, left, holds, block, depth + 1);
        return narrow(r, a, v, LLVMGetOperand(condition, holds ? 1 : 2), holds, block, depth + 1);
    case LLVMXor:
        n = LLVMIsAConstantInt(LLVMGetOperand(condition, 1));
        return n && LLVMConstIntGetZExtValue(n) ? narrow(r, a, v, left, !holds, block, depth + 1) : a;
    case LLVMFreeze:
        return narrow(r, a, v, left, holds, block, depth + 1);
    case LLVMPHI:
        return by_phi(r, a, v, condition, holds, depth);
    default:
        return a;
    }
}

// By the branch at the end of `from`, if it is taken to `to`.
static struct weftc_interval over_edge(struct weftc_ranges *r, struct weftc_interval a, LLVMValueRef v,
                                       uint32_t from, uint32_t to, unsigned depth)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(r->blocks[from]);
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
        LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
        return a;
    return narrow(r, a, v, LLVMGetCondition(branch), LLVMGetSuccessor(branch, 0) == r->blocks[to], from,
                  depth);
}

// The next block on the way to the entry that is only reached by one way of a condition; 0: none.
static uint32_t with_condition(const struct weftc_ranges *r, uint32_t block)
{
    for (; block; block = r->dominators.above[block]) {
        if (weftc_in_count(&r->edges, block) != 1)
            continue;
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(r->blocks[weftc_ins(&r->edges, block)[0]]);
        if (LLVMIsABranchInst(branch) && LLVMIsConditional(branch) &&
            !LLVMIsACallInst(LLVMGetCondition(branch)))
            break;
    }
    return block;
}

// Where a value is first known; of a difference, where what it is made of is.
static uint32_t begins_at(const struct weftc_ranges *r, LLVMValueRef v)
{
    enum weftc_primitive p;
    unsigned dim;
    if (!LLVMIsAInstruction(v) || weftc_primitive_of(v, &p, &dim))
        return 0;
    if (LLVMGetInstructionOpcode(v) != LLVMSub)
        return block_of(r, LLVMGetInstructionParent(v));
    uint32_t of[2] = {0, 0};
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef operand = LLVMGetOperand(v, k);
        if (LLVMIsAInstruction(operand) && !weftc_primitive_of(operand, &p, &dim))
            of[k] = block_of(r, LLVMGetInstructionParent(operand));
    }
    return dominates(r, of[0], of[1]) ? of[1] : of[0];
}

static struct weftc_interval by_conditions(struct weftc_ranges *r, struct weftc_interval a, LLVMValueRef v,
                                           uint32_t block, unsigned depth)
{
    enum { MANY = 64 };
    const uint32_t own = begins_at(r, v);
    for (unsigned k = 0; k < MANY && (block = with_condition(r, block)) && block != own; k++) {
        if (!dominates(r, own, block))
            break;
        const uint32_t from = weftc_ins(&r->edges, block)[0];
        a = over_edge(r, a, v, from, block, depth);
        block = from;
    }
    return a;
}

// ---- values ----

// From 0, or `from`, to before that plus `count`.
static struct weftc_interval count_from(struct weftc_ranges *r, LLVMValueRef from, LLVMValueRef count)
{
    LLVMValueRef last = LLVMBuildSub(r->u.b, count, weftc_interval_number(&r->u, 1), "");
    return (struct weftc_interval){from, LLVMBuildAdd(r->u.b, from, last, "")};
}

static LLVMValueRef size_of(struct weftc_ranges *r, enum weftc_primitive size, unsigned dim)
{
    return size == WEFTC_FULL_LOCAL_SIZE && r->group[dim]
               ? weftc_interval_number(&r->u, r->group[dim])
               : weftc_primitive_build(r->u.b, r->module, size, dim);
}

static struct weftc_interval of_primitive(struct weftc_ranges *r, enum weftc_primitive p, unsigned dim)
{
    LLVMValueRef zero = weftc_interval_number(&r->u, 0);
    const enum weftc_primitive size = p == WEFTC_LOCAL_ID || p == WEFTC_LOCAL_SIZE ? WEFTC_FULL_LOCAL_SIZE
                                      : p == WEFTC_GROUP_ID                        ? WEFTC_NUM_GROUPS
                                                                                   : WEFTC_GLOBAL_SIZE;
    struct weftc_interval a = {NULL, NULL};
    switch (p) {
    case WEFTC_GLOBAL_ID:
    case WEFTC_INDEX:
    case WEFTC_LOCAL_ID:
    case WEFTC_GROUP_ID:
        a = count_from(
            r,
            p == WEFTC_GLOBAL_ID ? weftc_primitive_build(r->u.b, r->module, WEFTC_GLOBAL_OFFSET, dim) : zero,
            size_of(r, size, dim));
        break;
    case WEFTC_LOCAL_SIZE: // of the last group it may be less
        a = (struct weftc_interval){zero, size_of(r, size, dim)};
        break;
    case WEFTC_FULL_LOCAL_SIZE:
    case WEFTC_NUM_GROUPS:
    case WEFTC_GLOBAL_SIZE:
    case WEFTC_GLOBAL_OFFSET:
        a = exactly(size_of(r, p, dim));
        break;
    default:
        return a;
    }
    // Sizes of more than 2^61 wrap: they have no ends.
    return weftc_interval_operate(&r->u, LLVMAdd, WHOLE, a, exactly(zero));
}

static unsigned bits_of(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(LLVMTypeOf(v)) : WHOLE;
}

static bool is_pointer(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

// Where a pointer is, from the beginning of its object.
static struct weftc_interval of_index(struct weftc_ranges *r, LLVMValueRef gep, uint32_t block,
                                      unsigned depth)
{
    struct weftc_step steps[MOST_STEPS];
    if (LLVMGetNumOperands(gep) > MOST_STEPS)
        return (struct weftc_interval){NULL, NULL};
    const unsigned count = weftc_gep_steps(r->layout, gep, steps);
    struct weftc_interval a = interval_at(r, LLVMGetOperand(gep, 0), block, depth + 1);
    for (unsigned k = 0; k < count; k++) {
        struct weftc_interval by = exactly(weftc_interval_number(&r->u, (int64_t)steps[k].offset));
        if (steps[k].index)
            by = weftc_interval_operate(&r->u, LLVMMul, WHOLE,
                                        interval_at(r, steps[k].index, block, depth + 1),
                                        exactly(weftc_interval_number(&r->u, (int64_t)steps[k].scale)));
        a = weftc_interval_operate(&r->u, LLVMAdd, WHOLE, a, by);
    }
    return a;
}

static bool has_name(LLVMValueRef f, const char *name)
{
    size_t length;
    return strncmp(LLVMGetValueName2(f, &length), name, strlen(name)) == 0;
}

static struct weftc_interval of_call(struct weftc_ranges *r, LLVMValueRef call, uint32_t block,
                                     unsigned depth)
{
    static const struct {
        const char *name;
        bool greatest, no_sign;
    } choices[] = {{"llvm.smax.i", true, false},
                   {"llvm.smin.i", false, false},
                   {"llvm.umax.i", true, true},
                   {"llvm.umin.i", false, true}};
    enum weftc_primitive p;
    unsigned dim;
    if (weftc_primitive_of(call, &p, &dim))
        return of_primitive(r, p, dim);
    LLVMValueRef f = weftc_callee(call);
    for (size_t k = 0; f && k < WEFT_COUNT_OF(choices); k++)
        if (has_name(f, choices[k].name))
            return weftc_interval_choice(&r->u, choices[k].greatest, choices[k].no_sign, bits_of(call),
                                         interval_at(r, LLVMGetOperand(call, 0), block, depth + 1),
                                         interval_at(r, LLVMGetOperand(call, 1), block, depth + 1));
    return weftc_interval_of_type(&r->u, bits_of(call));
}

// The value that comes into a phi over one of its edges.
static struct weftc_interval incoming(struct weftc_ranges *r, LLVMValueRef phi, unsigned k, unsigned depth)
{
    LLVMValueRef v = LLVMGetIncomingValue(phi, k);
    const uint32_t from = block_of(r, LLVMGetIncomingBlock(phi, k)),
                   to = block_of(r, LLVMGetInstructionParent(phi));
    return over_edge(r, interval_at(r, v, from, depth + 1), v, from, to, depth + 1);
}

// All that come in over edges from blocks that the phi's block dominates, or over the other ones.
static struct weftc_interval all_incoming(struct weftc_ranges *r, LLVMValueRef phi, bool back, unsigned depth)
{
    struct weftc_interval a = {NULL, NULL};
    const uint32_t own = block_of(r, LLVMGetInstructionParent(phi));
    bool first = true;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        const uint32_t from = block_of(r, LLVMGetIncomingBlock(phi, k));
        if (!weftc_is_reached(&r->dominators, from) || dominates(r, own, from) != back)
            continue;
        const struct weftc_interval one = incoming(r, phi, k, depth);
        a = first ? one : weftc_interval_join(&r->u, a, one);
        first = false;
        if (!a.low && !a.high)
            break;
    }
    return a;
}

static bool is_loop(const struct weftc_ranges *r, LLVMValueRef phi)
{
    const uint32_t own = block_of(r, LLVMGetInstructionParent(phi));
    for (uint32_t k = 0; k < weftc_in_count(&r->edges, own); k++) {
        const uint32_t from = weftc_ins(&r->edges, own)[k];
        if (weftc_is_reached(&r->dominators, from) && dominates(r, own, from))
            return true;
    }
    return false;
}

// What later iterations give if the phi's values are assumed to be in an interval.
static struct weftc_interval later(struct weftc_ranges *r, LLVMValueRef phi, struct weftc_interval assumed,
                                   unsigned depth)
{
    r->assumed[r->assumed_count].phi = phi;
    r->assumed[r->assumed_count++].interval = assumed;
    const struct weftc_interval a = all_incoming(r, phi, true, depth);
    r->assumed_count--;
    return a;
}

static LLVMValueRef choose(struct weftc_ranges *r, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(r->u.b, condition, a, b, "");
}

// Of several upper ends that hold, the least; NULL: none.
static void take(struct weftc_ranges *r, struct weftc_interval *a, struct weftc_interval with)
{
    if (with.low)
        a->low = a->low ? weftc_interval_most(&r->u, a->low, with.low) : with.low;
    if (with.high)
        a->high = a->high ? weftc_interval_least(&r->u, a->high, with.high) : with.high;
}

// Counts up from where it starts; counts down; stays between 0 and where it starts.
static struct weftc_interval of_loop(struct weftc_ranges *r, LLVMValueRef phi, unsigned depth)
{
    const struct weftc_intervals *u = &r->u;
    struct weftc_interval a = {NULL, NULL}, start = all_incoming(r, phi, false, depth);
    LLVMValueRef least = weftc_interval_number(u, -WEFTC_ENDLESS),
                 most = weftc_interval_number(u, WEFTC_ENDLESS);
    if (!weftc_interval_is_known(start) || r->assumed_count == MOST_ASSUMED)
        return a;
    const struct weftc_interval up = later(r, phi, (struct weftc_interval){start.low, NULL}, depth);
    if (weftc_interval_is_known(up)) {
        LLVMValueRef holds = weftc_interval_is_below(u, start.low, up.low);
        take(r, &a,
             (struct weftc_interval){choose(r, holds, start.low, least),
                                     choose(r, holds, weftc_interval_most(u, start.high, up.high), most)});
        return a;
    }
    const struct weftc_interval down = later(r, phi, (struct weftc_interval){NULL, start.high}, depth);
    if (weftc_interval_is_known(down)) {
        LLVMValueRef holds = weftc_interval_is_below(u, down.high, start.high);
        take(r, &a,
             (struct weftc_interval){choose(r, holds, weftc_interval_least(u, start.low, down.low), least),
                                     choose(r, holds, start.high, most)});
    }
    const struct weftc_interval zero_on = {weftc_interval_least(u, start.low, weftc_interval_number(u, 0)),
                                           start.high};
    const struct weftc_interval within = later(r, phi, zero_on, depth);
    if (weftc_interval_is_known(within)) {
        LLVMValueRef holds = LLVMBuildAnd(u->b, weftc_interval_is_below(u, zero_on.low, within.low),
                                          weftc_interval_is_below(u, within.high, zero_on.high), "");
        take(r, &a,
             (struct weftc_interval){choose(r, holds, zero_on.low, least),
                                     choose(r, holds, zero_on.high, most)});
    }
    return a;
}

// What each iteration adds to the phi; NULL: something else.
static LLVMValueRef step_of(LLVMValueRef phi)
{
    LLVMValueRef next = LLVMGetIncomingValue(phi, LLVMGetIncomingValue(phi, 0) == phi);
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        next = LLVMGetIncomingValue(phi, k);
        if (LLVMIsAInstruction(next) && (LLVMIsAGetElementPtrInst(next) || LLVMIsABinaryOperator(next)) &&
            LLVMGetOperand(next, 0) == phi)
            return next;
    }
    return NULL;
}

// Counts in steps of a constant from one number: only these numbers are met. low: what is known without
// conditions, so that it doesn't wrap.
static struct weftc_interval on_steps(struct weftc_ranges *r, struct weftc_interval a, LLVMValueRef low,
                                      LLVMValueRef phi, unsigned depth)
{
    const struct weftc_intervals *u = &r->u;
    LLVMValueRef next = is_loop(r, phi) && LLVMCountIncoming(phi) == 2 ? step_of(phi) : NULL;
    LLVMValueRef by = next && LLVMGetInstructionOpcode(next) == LLVMAdd
                          ? LLVMIsAConstantInt(LLVMGetOperand(next, 1))
                          : NULL;
    const int64_t n = by ? LLVMConstIntGetSExtValue(by) : 0;
    if (n < 2 || !low || !weftc_interval_is_known(a))
        return a;
    const struct weftc_interval start = all_incoming(r, phi, false, depth);
    if (!start.low || start.low != start.high)
        return a;
    LLVMValueRef way = LLVMBuildSub(u->b, a.high, start.low, ""), step = weftc_interval_number(u, n);
    LLVMValueRef rest = LLVMBuildSRem(u->b, way, step, ""), end = weftc_interval_number(u, WEFTC_ENDLESS);
    LLVMValueRef is_way = LLVMBuildAnd(u->b, LLVMBuildICmp(u->b, LLVMIntSLT, a.high, end, ""),
                                       weftc_interval_is_below(u, start.low, low), "");
    rest = choose(
        r, LLVMBuildAnd(u->b, is_way, weftc_interval_is_below(u, weftc_interval_number(u, 0), way), ""), rest,
        weftc_interval_number(u, 0));
    a.high = LLVMBuildSub(u->b, a.high, rest, "");
    return a;
}

// Is the pointer made of this one, and of distances that are added to it? Also by loops inside: `inside` are
// the phis of those that are being followed.
static bool goes_on_from(LLVMValueRef pointer, LLVMValueRef phi, LLVMValueRef *inside, unsigned count)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    for (unsigned k = 0; k < count; k++)
        if (pointer == inside[k])
            return true;
    if (pointer == phi || !LLVMIsAPHINode(pointer) || count == MOST_ASSUMED)
        return pointer == phi;
    inside[count] = pointer;
    for (unsigned k = 0; k < LLVMCountIncoming(pointer); k++)
        if (!goes_on_from(LLVMGetIncomingValue(pointer, k), phi, inside, count + 1))
            return false;
    return true;
}

// What comes into a phi of a loop from the iteration before, if each adds something to it; NULL: something
// else.
static LLVMValueRef next_of(struct weftc_ranges *r, LLVMValueRef phi)
{
    LLVMValueRef next = step_of(phi), inside[MOST_ASSUMED];
    const uint32_t own = block_of(r, LLVMGetInstructionParent(phi));
    if (next || !is_pointer(phi))
        return next;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (dominates(r, own, block_of(r, LLVMGetIncomingBlock(phi, k))))
            next = LLVMGetIncomingValue(phi, k);
    return next && next != phi && goes_on_from(next, phi, inside, 0) ? next : NULL;
}

// It goes on by steps that aren't known to end, while another phi of the loop counts the iterations.
static struct weftc_interval of_steps(struct weftc_ranges *r, LLVMValueRef phi, uint32_t block,
                                      unsigned depth)
{
    const struct weftc_intervals *u = &r->u;
    const struct weftc_interval none = {NULL, NULL};
    LLVMValueRef next = next_of(r, phi);
    if (!next || LLVMCountIncoming(phi) != 2 || r->assumed_count == MOST_ASSUMED ||
        (!is_pointer(phi) && LLVMGetInstructionOpcode(next) != LLVMAdd))
        return none;
    const struct weftc_interval start = all_incoming(r, phi, false, depth);
    if (!weftc_interval_is_known(start))
        return none;
    // The step alone: as if the phi were 0.
    LLVMValueRef zero = weftc_interval_number(u, 0);
    struct weftc_interval step;
    if (is_pointer(phi)) {
        r->assumed[r->assumed_count].phi = phi;
        r->assumed[r->assumed_count++].interval = exactly(zero);
        step = interval_at(r, next, block_of(r, LLVMGetInstructionParent(next)), depth + 1);
        r->assumed_count--;
    } else {
        r->assumed[r->assumed_count].phi = phi;
        r->assumed[r->assumed_count++].interval = none;
        step =
            interval_at(r, LLVMGetOperand(next, 1), block_of(r, LLVMGetInstructionParent(next)), depth + 1);
        r->assumed_count--;
    }
    if (!weftc_interval_is_known(step))
        return none;
    for (LLVMValueRef q = LLVMGetFirstInstruction(LLVMGetInstructionParent(phi)); LLVMIsAPHINode(q);
         q = LLVMGetNextInstruction(q)) {
        LLVMValueRef count = q != phi ? step_of(q) : NULL;
        if (!count || LLVMCountIncoming(q) != 2 || LLVMIsAGetElementPtrInst(count) ||
            LLVMGetInstructionOpcode(count) != LLVMAdd)
            continue;
        LLVMValueRef by = LLVMIsAConstantInt(LLVMGetOperand(count, 1));
        const int64_t n = by && bits_of(by) <= WHOLE ? LLVMConstIntGetSExtValue(by) : 0;
        if (n < 1)
            continue;
        const struct weftc_interval begin = all_incoming(r, q, false, depth), ever = of_loop(r, q, depth + 1),
                                    now = interval_at(r, q, block, depth + 1);
        if (!weftc_interval_is_known(begin) || !ever.low || !weftc_interval_is_known(now))
            continue;
        LLVMValueRef holds = weftc_interval_is_below(u, begin.low, ever.low); // q doesn't wrap
        LLVMValueRef times = LLVMBuildSub(u->b, now.high, begin.low, "");
        times = LLVMBuildSDiv(u->b, weftc_interval_most(u, times, zero), weftc_interval_number(u, n), "");
        struct weftc_interval way =
            weftc_interval_operate(u, LLVMMul, WHOLE, step, (struct weftc_interval){zero, times});
        way = weftc_interval_operate(u, LLVMAdd, bits_of(phi), start, way);
        return (struct weftc_interval){choose(r, holds, way.low, weftc_interval_number(u, -WEFTC_ENDLESS)),
                                       choose(r, holds, way.high, weftc_interval_number(u, WEFTC_ENDLESS))};
    }
    return none;
}

static struct weftc_interval of_phi(struct weftc_ranges *r, LLVMValueRef phi, uint32_t block, unsigned depth)
{
    for (unsigned k = 0; k < r->assumed_count; k++)
        if (r->assumed[k].phi == phi)
            return r->assumed[k].interval;
    if (!is_loop(r, phi))
        return all_incoming(r, phi, false, depth);
    struct weftc_interval a = of_loop(r, phi, depth);
    // Both hold. Of a pointer whose steps may go either way the first has no end.
    if (!weftc_interval_is_known(a) || is_pointer(phi))
        take(r, &a, of_steps(r, phi, block, depth));
    return a;
}

static struct weftc_interval of_instruction(struct weftc_ranges *r, LLVMValueRef v, uint32_t block,
                                            unsigned depth)
{
    const struct weftc_intervals *u = &r->u;
    LLVMValueRef first = LLVMGetNumOperands(v) ? LLVMGetOperand(v, 0) : NULL;
    const LLVMOpcode opcode = weftc_opcode(v);
    switch (opcode) {
    case LLVMPHI:
        return of_phi(r, v, block, depth);
    case LLVMGetElementPtr:
        return of_index(r, v, block, depth);
    case LLVMCall:
        return of_call(r, v, block, depth);
    case LLVMSExt:
    case LLVMFreeze:
        return interval_at(r, first, block, depth + 1);
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
        return LLVMGetTypeKind(LLVMTypeOf(first)) == LLVMPointerTypeKind
                   ? interval_at(r, first, block, depth + 1)
                   : weftc_interval_of_type(u, bits_of(v));
    case LLVMZExt:
        return weftc_interval_zero_extended(u, bits_of(first), interval_at(r, first, block, depth + 1));
    case LLVMTrunc:
        return weftc_interval_truncated(u, bits_of(v), interval_at(r, first, block, depth + 1));
    case LLVMSelect: {
        struct weftc_interval of[2];
        for (unsigned k = 0; k < 2; k++) {
            of[k] = interval_at(r, LLVMGetOperand(v, k + 1), block, depth + 1);
            of[k] = narrow(r, of[k], LLVMGetOperand(v, k + 1), first, k == 0, block, depth + 1);
        }
        return weftc_interval_join(u, of[0], of[1]);
    }
    default:
        if (!LLVMIsABinaryOperator(v))
            return weftc_interval_of_type(u, bits_of(v));
        return weftc_interval_operate(u, opcode, bits_of(v), interval_at(r, first, block, depth + 1),
                                      interval_at(r, LLVMGetOperand(v, 1), block, depth + 1));
    }
}

// ---- what is known already ----

static const struct weftc_interval *recall(const struct weftc_ranges *r, LLVMValueRef v, uint32_t block)
{
    for (uint32_t k = weftc_map_get(&r->known_of, v); k != UINT32_MAX; k = r->known[k].next)
        if (r->known[k].block == block)
            return &r->known[k].interval;
    return NULL;
}

static void remember(struct weftc_ranges *r, LLVMValueRef v, uint32_t block, struct weftc_interval a)
{
    if (r->known_count == r->known_capacity) {
        const uint32_t capacity = r->known_capacity ? 2 * r->known_capacity : 256;
        struct known *larger = weft_realloc(r->known, capacity * sizeof *larger);
        if (!larger)
            return; // it is computed again
        r->known = larger;
        r->known_capacity = capacity;
    }
    const uint32_t next = weftc_map_get(&r->known_of, v);
    if (!weftc_map_put(&r->known_of, v, r->known_count))
        return;
    r->known[r->known_count++] = (struct known){.value = v, .block = block, .next = next, .interval = a};
}

// At the beginning of the block, or, for values that it computes, behind them.
static struct weftc_interval interval_at(struct weftc_ranges *r, LLVMValueRef v, uint32_t block,
                                         unsigned depth)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    const bool number = LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
    const struct weftc_interval none = {NULL, NULL};
    if ((!number && LLVMGetTypeKind(type) != LLVMPointerTypeKind) || bits_of(v) > WHOLE || depth > DEEP ||
        !weftc_is_reached(&r->dominators, block))
        return none;
    LLVMValueRef n = LLVMIsAConstantInt(v);
    if (n)
        return weftc_interval_operate(&r->u, LLVMAdd, WHOLE,
                                      exactly(weftc_interval_number(&r->u, LLVMConstIntGetSExtValue(n))),
                                      exactly(weftc_interval_number(&r->u, 0)));
    if (!number && (LLVMIsAArgument(v) || LLVMIsAGlobalVariable(v) || LLVMIsAAllocaInst(v)))
        return exactly(weftc_interval_number(&r->u, 0)); // its object
    struct weftc_interval a = none;
    if (number && LLVMIsAArgument(v))
        a = weftc_interval_operate(
            &r->u, LLVMAdd, WHOLE,
            exactly(LLVMBuildIntCast2(r->u.b, v, LLVMInt64TypeInContext(r->u.c), true, "")),
            exactly(weftc_interval_number(&r->u, 0)));
    else if (!LLVMIsAInstruction(v) && !LLVMIsAConstantExpr(v))
        return none;
    block = with_condition(r, block);
    const struct weftc_interval *before = recall(r, v, block);
    if (before)
        return *before;
    if (++r->questions > MOST_QUESTIONS)
        return none;
    if (LLVMIsAInstruction(v) || LLVMIsAConstantExpr(v))
        a = of_instruction(r, v, block, depth);
    LLVMValueRef low = a.low;
    a = by_conditions(r, a, v, block, depth + 1);
    if (LLVMIsAPHINode(v) && number)
        a = on_steps(r, a, low, v, depth + 1);
    if (!r->assumed_count)
        remember(r, v, block, a);
    return a;
}

struct weftc_interval weftc_ranges_interval(struct weftc_ranges *r, LLVMValueRef v, LLVMValueRef at)
{
    return interval_at(r, v, block_of(r, LLVMGetInstructionParent(at)), 0);
}
