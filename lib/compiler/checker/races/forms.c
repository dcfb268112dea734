// Distances as sums. Arithmetic of the kernel wraps, these sums don't: weftc_form_is_apart asks whether all
// numbers stay small enough.
//
// This file has more than 500 lines: the same sums are made, compared and computed.
#include "compiler/checker/races/forms.h"

#include <string.h>

#include "base/base.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"

enum { DEEP = 12, MAX_COEFFICIENT = 1 << 14, MAX_STEPS = 8 };

// ---- what all work-items share ----

static bool is_shared_primitive(enum weftc_primitive p, bool local)
{
    switch (p) {
    case WEFTC_FULL_LOCAL_SIZE:
    case WEFTC_NUM_GROUPS:
    case WEFTC_GLOBAL_SIZE:
    case WEFTC_GLOBAL_OFFSET:
    case WEFTC_WORK_DIM:
        return true;
    case WEFTC_LOCAL_SIZE:
    case WEFTC_GROUP_ID:
        return local; // of one group
    default:
        return false;
    }
}

static bool is_shared(LLVMValueRef v, bool local, unsigned depth)
{
    enum weftc_primitive p;
    unsigned dim;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || depth > DEEP)
        return false;
    if (LLVMIsAConstantInt(v) || LLVMIsAArgument(v))
        return true;
    if (weftc_primitive_of(v, &p, &dim))
        return is_shared_primitive(p, local);
    const LLVMOpcode opcode = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
    if (opcode == LLVMSExt || opcode == LLVMZExt || opcode == LLVMTrunc)
        return is_shared(LLVMGetOperand(v, 0), local, depth + 1);
    return (opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul || opcode == LLVMShl ||
            opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor) &&
           is_shared(LLVMGetOperand(v, 0), local, depth + 1) &&
           is_shared(LLVMGetOperand(v, 1), local, depth + 1);
}

// Equal computations may stand in several places.
static bool is_equal(LLVMValueRef a, LLVMValueRef b)
{
    enum weftc_primitive p, q;
    unsigned d, e;
    if (a == b)
        return true;
    if (!a || !b || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b))
        return false;
    const bool primitive = weftc_primitive_of(a, &p, &d);
    if (primitive != weftc_primitive_of(b, &q, &e))
        return false;
    if (primitive)
        return p == q && d == e;
    if (LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) || LLVMTypeOf(a) != LLVMTypeOf(b) ||
        LLVMGetNumOperands(a) != LLVMGetNumOperands(b) || LLVMGetNumOperands(a) > 2)
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(a); k++)
        if (!is_equal(LLVMGetOperand(a, k), LLVMGetOperand(b, k)))
            return false;
    return true;
}

// ---- forms ----

static void give_up(struct weftc_form *f)
{
    f->known = false;
}

bool weftc_form_same_value(LLVMValueRef a, LLVMValueRef b)
{
    return a == b || (a && b && is_equal(a, b));
}

static bool is_same_term(const struct weftc_term *a, const struct weftc_term *b)
{
    const bool straight = weftc_form_same_value(a->factor[0], b->factor[0]) &&
                          weftc_form_same_value(a->factor[1], b->factor[1]);
    const bool crossed = weftc_form_same_value(a->factor[0], b->factor[1]) &&
                         weftc_form_same_value(a->factor[1], b->factor[0]);
    // Numbers of one's own may be phis, which are themselves only.
    const bool value = a->own || b->own ? a->value == b->value : weftc_form_same_value(a->value, b->value);
    return (straight || crossed) && value && a->axis == b->axis && a->own == b->own;
}

static void add_term(struct weftc_form *f, struct weftc_term t, int64_t coefficient)
{
    if (coefficient < 0 || coefficient >= MAX_COEFFICIENT) {
        give_up(f);
        return;
    }
    for (unsigned k = 0; k < f->count; k++)
        if (is_same_term(&f->term[k], &t)) {
            f->term[k].coefficient += (uint64_t)coefficient;
            if (f->term[k].coefficient >= MAX_COEFFICIENT)
                give_up(f);
            return;
        }
    if (f->count == WEFTC_FORM_TERMS) {
        give_up(f);
        return;
    }
    t.coefficient = (uint64_t)coefficient;
    f->term[f->count++] = t;
}

// WEFTC_AXES: it is none.
static unsigned axis_of(const struct weftc_form *f, LLVMValueRef v)
{
    enum weftc_primitive p;
    unsigned dim;
    if (!weftc_primitive_of(v, &p, &dim))
        return WEFTC_AXES;
    if (p == WEFTC_LOCAL_ID || p == WEFTC_LOCAL_ID32)
        return WEFTC_AXIS_LOCAL + dim;
    if (f->is_local)
        return WEFTC_AXES;
    return p == WEFTC_GLOBAL_ID || p == WEFTC_GLOBAL_ID32 ? WEFTC_AXIS_GLOBAL + dim
           : p == WEFTC_GROUP_ID                          ? WEFTC_AXIS_GROUP + dim
                                                          : WEFTC_AXES;
}

// What a value is multiplied by.
struct scale {
    int64_t coefficient;
    LLVMValueRef factor[2];
};

static void add(struct weftc_form *f, LLVMValueRef v, struct scale by, unsigned depth);

// Does a loop count it, from a constant on, in constant steps?
static bool is_counter(LLVMValueRef v)
{
    bool starts = false, steps = false;
    if (!LLVMIsAPHINode(v) || LLVMCountIncoming(v) != 2)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef from = LLVMGetIncomingValue(v, k);
        starts |= LLVMIsAConstantInt(from) != NULL;
        steps |= LLVMIsAInstruction(from) && LLVMGetInstructionOpcode(from) == LLVMAdd &&
                 LLVMGetOperand(from, 0) == v && LLVMIsAConstantInt(LLVMGetOperand(from, 1));
    }
    return starts && steps;
}

// A number of which only an interval will be known. Others than the counters of loops mostly keep accesses
// from being apart, and what isn't known at all costs less than what fails when the kernel runs. So it is for
// rows.
static void add_own(struct weftc_form *f, LLVMValueRef value, struct scale by)
{
    if (by.factor[0] || !is_counter(value)) {
        give_up(f);
        return;
    }
    add_term(f, (struct weftc_term){.value = value, .own = true}, by.coefficient);
}

static void add_product(struct weftc_form *f, LLVMValueRef v, struct scale by, unsigned depth)
{
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef constant = LLVMIsAConstantInt(LLVMGetOperand(v, k));
        const int64_t n = constant ? LLVMConstIntGetSExtValue(constant) : 0;
        if (constant && n >= 0 && n < MAX_COEFFICIENT) {
            by.coefficient *= n;
            add(f, LLVMGetOperand(v, 1 - k), by, depth + 1);
            return;
        }
    }
    for (unsigned k = 0; k < 2; k++)
        if (!by.factor[1] && is_shared(LLVMGetOperand(v, k), f->is_local, 0)) {
            by.factor[by.factor[0] ? 1 : 0] = LLVMGetOperand(v, k);
            add(f, LLVMGetOperand(v, 1 - k), by, depth + 1);
            return;
        }
    add_own(f, v, by);
}

static void add_value(struct weftc_form *f, LLVMValueRef value, unsigned axis, struct scale by)
{
    add_term(f, (struct weftc_term){.factor = {by.factor[0], by.factor[1]}, .value = value, .axis = axis},
             by.coefficient);
}

// Adds the value times `by`.
static void add(struct weftc_form *f, LLVMValueRef v, struct scale by, unsigned depth)
{
    if (!f->known || depth > DEEP || by.coefficient >= MAX_COEFFICIENT) {
        give_up(f);
        return;
    }
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v)), axis = axis_of(f, v);
    f->narrow |= bits < 64;
    LLVMValueRef constant = LLVMIsAConstantInt(v);
    const int64_t n = constant ? LLVMConstIntGetSExtValue(constant) : 0;
    const LLVMOpcode opcode = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
    LLVMValueRef right =
        opcode == LLVMShl || opcode == LLVMSub ? LLVMIsAConstantInt(LLVMGetOperand(v, 1)) : NULL;
    if (bits < 32 || n < -(1 << 30) || n > 1 << 30) {
        give_up(f);
    } else if (constant && !by.factor[0]) {
        f->constant += by.coefficient * n;
    } else if (axis < WEFTC_AXES) {
        add_value(f, NULL, axis, by);
    } else if (is_shared(v, f->is_local, 0)) { // the same in all forms: needn't be taken apart
        add_value(f, v, 0, by);
    } else if (opcode == LLVMAdd) {
        add(f, LLVMGetOperand(v, 0), by, depth + 1);
        add(f, LLVMGetOperand(v, 1), by, depth + 1);
    } else if (opcode == LLVMSub && right) {
        add(f, LLVMGetOperand(v, 0), by, depth + 1);
        add(f, LLVMConstNeg(right), by, depth + 1);
    } else if (opcode == LLVMSExt || opcode == LLVMZExt || opcode == LLVMTrunc) {
        f->narrow = true;
        f->unsigned_parts |= opcode == LLVMZExt;
        add(f, LLVMGetOperand(v, 0), by, depth + 1);
    } else if (opcode == LLVMMul) {
        add_product(f, v, by, depth);
    } else if (opcode == LLVMShl && right && LLVMConstIntGetZExtValue(right) < 14) {
        by.coefficient <<= (int64_t)LLVMConstIntGetZExtValue(right);
        add(f, LLVMGetOperand(v, 0), by, depth + 1);
    } else {
        add_own(f, v, by);
    }
}

struct weftc_form weftc_form_of(LLVMTargetDataRef layout, LLVMValueRef pointer, bool local,
                                LLVMValueRef *root)
{
    struct weftc_form f = {.known = true, .is_local = local};
    for (;; pointer = LLVMGetOperand(pointer, 0)) {
        const LLVMOpcode opcode = weftc_opcode(pointer);
        if (opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast)
            continue;
        if (opcode != LLVMGetElementPtr)
            break;
        struct weftc_step steps[MAX_STEPS];
        if (LLVMGetNumOperands(pointer) > MAX_STEPS) {
            give_up(&f);
            continue;
        }
        const unsigned count = weftc_gep_steps(layout, pointer, steps);
        for (unsigned k = 0; k < count; k++) {
            if (!steps[k].index)
                f.constant += (int64_t)steps[k].offset;
            else if (steps[k].scale < MAX_COEFFICIENT)
                add(&f, steps[k].index, (struct scale){.coefficient = (int64_t)steps[k].scale}, 0);
            else
                give_up(&f);
        }
    }
    *root = pointer;
    if (f.constant < -(1 << 30) || f.constant > 1 << 30 || (f.unsigned_parts && f.constant < 0))
        give_up(&f);
    return f;
}

// ---- who comes here ----

static LLVMValueRef without_casts(LLVMValueRef v)
{
    while (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v) || LLVMIsATruncInst(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

// The dimension of which the comparison fixes the local id; 3: none. holds: it is true.
static unsigned fixed_by(LLVMValueRef compare, bool holds, LLVMValueRef *id)
{
    const struct weftc_form local = {.is_local = true};
    if (!LLVMIsAICmpInst(compare) || LLVMGetICmpPredicate(compare) != (holds ? LLVMIntEQ : LLVMIntNE))
        return 3;
    for (unsigned k = 0; k < 2; k++) {
        const unsigned axis = axis_of(&local, without_casts(LLVMGetOperand(compare, k)));
        *id = LLVMGetOperand(compare, 1 - k);
        if (axis < WEFTC_AXES && is_shared(*id, true, 0))
            return axis - WEFTC_AXIS_LOCAL;
    }
    return 3;
}

// Notes which local ids a comparison with a constant lets through. holds: it is true.
static void limit_by(struct weftc_form *f, LLVMValueRef compare, bool holds)
{
    const struct weftc_form local = {.is_local = true};
    LLVMValueRef n = LLVMIsAICmpInst(compare) ? LLVMIsAConstantInt(LLVMGetOperand(compare, 1)) : NULL;
    const unsigned axis = n ? axis_of(&local, without_casts(LLVMGetOperand(compare, 0))) : WEFTC_AXES;
    const int64_t number = n ? LLVMConstIntGetSExtValue(n) : -1;
    if (axis >= WEFTC_AXES || number < 0 || number >= MAX_COEFFICIENT)
        return;
    const LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    const bool less = p == LLVMIntSLT || p == LLVMIntULT || p == LLVMIntSLE || p == LLVMIntULE;
    if (!less && p != LLVMIntSGT && p != LLVMIntUGT && p != LLVMIntSGE && p != LLVMIntUGE)
        return;
    // Below `edge`, or from it on.
    const bool above = p == LLVMIntSLE || p == LLVMIntULE || p == LLVMIntSGT || p == LLVMIntUGT;
    const uint32_t edge = (uint32_t)number + above;
    const unsigned d = axis - WEFTC_AXIS_LOCAL;
    if (less == holds)
        f->end[d] = f->end[d] && f->end[d] < edge ? f->end[d] : edge;
    else
        f->low[d] = f->low[d] > edge ? f->low[d] : edge;
}

// Is the sum, times a number, all that the form has of some axes? Returns the number; 0: it isn't.
static uint64_t times_of(const struct weftc_form *f, const struct weftc_form *sum, unsigned *axes)
{
    uint64_t times = 0;
    *axes = 0;
    for (unsigned k = 0; k < sum->count; k++) {
        const struct weftc_term *t = &sum->term[k];
        unsigned n = 0;
        while (n < f->count && !is_same_term(&f->term[n], t))
            n++;
        if (t->value || t->factor[0] || n == f->count || f->term[n].coefficient % t->coefficient ||
            (times && f->term[n].coefficient / t->coefficient != times))
            return 0;
        times = f->term[n].coefficient / t->coefficient;
        *axes |= 1u << t->axis;
    }
    for (unsigned n = 0; n < f->count; n++)
        if (!f->term[n].value && *axes >> f->term[n].axis & 1 && f->term[n].factor[0])
            return 0;
    return times;
}

// Notes that a sum of ids is below something that all work-items share.
static void bound_by(struct weftc_form *f, LLVMValueRef compare, bool holds)
{
    const LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    for (unsigned k = 0; k < 2 && !f->bound.limit; k++) {
        LLVMValueRef side = LLVMGetOperand(compare, k), limit = LLVMGetOperand(compare, 1 - k);
        const bool less = k ? p == LLVMIntSGT || p == LLVMIntUGT : p == LLVMIntSLT || p == LLVMIntULT;
        const bool not_less = k ? p == LLVMIntSLE || p == LLVMIntULE : p == LLVMIntSGE || p == LLVMIntUGE;
        if (!(holds ? less : not_less) || LLVMGetTypeKind(LLVMTypeOf(side)) != LLVMIntegerTypeKind ||
            LLVMGetIntTypeWidth(LLVMTypeOf(side)) < 32 || !is_shared(limit, f->is_local, 0))
            continue;
        struct weftc_form sum = {.known = true, .is_local = f->is_local};
        unsigned axes;
        add(&sum, side, (struct scale){.coefficient = 1}, 0);
        const uint64_t times = sum.known && sum.count ? times_of(f, &sum, &axes) : 0;
        if (!times)
            continue;
        f->bound = (struct weftc_form_bound){limit, times, sum.constant, axes};
        f->narrow |= sum.narrow; // then the sum doesn't wrap either
    }
}

// Notes what a condition says of who comes. holds: it is true.
static void limit_by_condition(struct weftc_form *f, LLVMValueRef condition, bool holds, unsigned depth)
{
    LLVMValueRef id, n;
    if (!LLVMIsAInstruction(condition) || depth > DEEP)
        return;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(condition);
    if (opcode == (holds ? LLVMAnd : LLVMOr)) {
        limit_by_condition(f, LLVMGetOperand(condition, 0), holds, depth + 1);
        limit_by_condition(f, LLVMGetOperand(condition, 1), holds, depth + 1);
    } else if (opcode == LLVMSelect) { // c ? d : false, and c ? true : d
        n = LLVMIsAConstantInt(LLVMGetOperand(condition, holds ? 2 : 1));
        if (!n || (LLVMConstIntGetZExtValue(n) != 0) == holds)
            return;
        limit_by_condition(f, LLVMGetOperand(condition, 0), holds, depth + 1);
        limit_by_condition(f, LLVMGetOperand(condition, holds ? 1 : 2), holds, depth + 1);
    } else if (opcode == LLVMXor) {
        n = LLVMIsAConstantInt(LLVMGetOperand(condition, 1));
        if (n && LLVMConstIntGetZExtValue(n))
            limit_by_condition(f, LLVMGetOperand(condition, 0), !holds, depth + 1);
    } else if (opcode == LLVMICmp) {
        const unsigned d = fixed_by(condition, holds, &id);
        if (d < 3) {
            f->pinned |= 1u << d;
            f->pin[d] = id;
        }
        limit_by(f, condition, holds);
        bound_by(f, condition, holds);
    }
}

void weftc_form_limit(struct weftc_form *f, const LLVMBasicBlockRef *blocks, const struct weftc_edges *edges,
                      const struct weftc_dominators *dominators, uint32_t block)
{
    for (; block && weftc_is_reached(dominators, block); block = dominators->above[block]) {
        if (weftc_in_count(edges, block) != 1)
            continue;
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(blocks[weftc_ins(edges, block)[0]]);
        if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
            LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
            continue;
        const bool holds = LLVMGetSuccessor(branch, 0) == blocks[block];
        limit_by_condition(f, LLVMGetCondition(branch), holds, 0);
    }
}

bool weftc_form_has_own(const struct weftc_form *f)
{
    for (unsigned k = 0; k < f->count; k++)
        if (f->term[k].own)
            return true;
    return false;
}

bool weftc_form_is_shared(const struct weftc_form *f)
{
    bool global = false, local = f->pinned & 1, group = f->is_local;
    for (unsigned k = 0; k < f->count; k++) {
        global |= !f->term[k].value && f->term[k].axis == WEFTC_AXIS_GLOBAL;
        local |= !f->term[k].value && f->term[k].axis == WEFTC_AXIS_LOCAL;
        group |= !f->term[k].value && f->term[k].axis == WEFTC_AXIS_GROUP;
    }
    return f->known && !global && !(local && group);
}

bool weftc_form_fits(const struct weftc_form *a, const struct weftc_form *b)
{
    if (!a->known || !b->known || a->count != b->count || a->is_local != b->is_local ||
        a->pinned != b->pinned || memcmp(a->low, b->low, sizeof a->low) != 0 ||
        memcmp(a->end, b->end, sizeof a->end) != 0 || a->bound.times != b->bound.times ||
        a->bound.more != b->bound.more || a->bound.axes != b->bound.axes ||
        !weftc_form_same_value(a->bound.limit, b->bound.limit))
        return false;
    for (unsigned d = 0; d < 3; d++)
        if (!weftc_form_same_value(a->pin[d], b->pin[d]))
            return false;
    for (unsigned k = 0; k < a->count; k++) {
        bool found = false;
        for (unsigned n = 0; n < b->count && !found; n++)
            found = is_same_term(&a->term[k], &b->term[n]) &&
                    a->term[k].coefficient == b->term[n].coefficient && a->term[k].low == b->term[n].low &&
                    a->term[k].high == b->term[n].high;
        if (!found)
            return false;
    }
    return true;
}

// ---- when they are apart ----

struct builder {
    LLVMBuilderRef b;
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMTypeRef i64;
    LLVMValueRef fine; // i1
};

static LLVMValueRef number(const struct builder *u, uint64_t n)
{
    return weftc_i64(u->c, n);
}

static void require(struct builder *u, LLVMValueRef condition)
{
    u->fine = LLVMBuildAnd(u->b, u->fine, condition, "");
}

static void require_below(struct builder *u, LLVMValueRef a, uint64_t limit)
{
    require(u, LLVMBuildICmp(u->b, LLVMIntULT, a, number(u, limit), ""));
}

// A shared value, computed anew where the builder is.
static LLVMValueRef copy_of(struct builder *u, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return v;
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (unsigned k = 0; !LLVMIsACallInst(v) && k < (unsigned)LLVMGetNumOperands(v); k++)
        LLVMSetOperand(copy, k, copy_of(u, LLVMGetOperand(v, k)));
    LLVMInsertIntoBuilder(u->b, copy);
    return copy;
}

// As a number of 64 bits, which must be from 0 to 2^bits.
static LLVMValueRef small_number(struct builder *u, LLVMValueRef v, unsigned bits)
{
    LLVMValueRef n = LLVMBuildIntCast2(u->b, copy_of(u, v), u->i64, true, "");
    require_below(u, n, 1ull << bits);
    return n;
}

// A product of two factors of 20 bits, a coefficient of 14 and a value of 8 bits fits as well as others do.
enum { STRIDE_BITS = 32, SIZE_BITS = 28, FACTOR_BITS = 24, BOTH_BITS = 20, VALUE_BITS = 31 };

static LLVMValueRef scale_of(struct builder *u, const struct weftc_term *t)
{
    LLVMValueRef n = number(u, t->coefficient);
    for (unsigned k = 0; k < 2 && t->factor[k]; k++)
        n = LLVMBuildMul(u->b, n, small_number(u, t->factor[k], t->factor[1] ? BOTH_BITS : FACTOR_BITS), "");
    return n;
}

static LLVMValueRef size_of(struct builder *u, unsigned axis)
{
    const unsigned dim = axis % 3;
    return weftc_primitive_build(u->b, u->module,
                                 axis < WEFTC_AXIS_GROUP   ? WEFTC_GLOBAL_SIZE
                                 : axis < WEFTC_AXIS_LOCAL ? WEFTC_NUM_GROUPS
                                                           : WEFTC_FULL_LOCAL_SIZE,
                                 dim);
}

// How many of so many ids are from low to before end; at least one.
static LLVMValueRef limited(struct builder *u, LLVMValueRef size, uint32_t low, uint32_t end)
{
    LLVMValueRef last = number(u, end ? end : UINT32_MAX), first = number(u, low), one = number(u, 1);
    size = LLVMBuildSelect(u->b, LLVMBuildICmp(u->b, LLVMIntULT, size, last, ""), size, last, "");
    LLVMValueRef some = LLVMBuildICmp(u->b, LLVMIntUGT, size, first, "");
    return LLVMBuildSelect(u->b, some, LLVMBuildSub(u->b, size, first, ""), one, "");
}

static bool is_absent(const LLVMValueRef stride[WEFTC_AXES], unsigned axis)
{
    return !stride[axis];
}

// Of the axes that the form doesn't have, only those of one work-item are fine.
static void require_single(struct builder *u, LLVMValueRef *apart, const struct weftc_form *f,
                           const LLVMValueRef stride[WEFTC_AXES])
{
    for (unsigned d = 0; d < 3; d++) {
        const bool global = !is_absent(stride, WEFTC_AXIS_GLOBAL + d),
                   local = !is_absent(stride, WEFTC_AXIS_LOCAL + d),
                   group = !is_absent(stride, WEFTC_AXIS_GROUP + d) || f->is_local;
        LLVMValueRef one = number(u, 1);
        // Of a global id and a part of it nothing is known.
        if (global && (local || (group && !f->is_local)))
            *apart = LLVMConstInt(LLVMInt1TypeInContext(u->c), 0, false);
        for (unsigned k = 0; k < 2 && !global; k++) {
            const unsigned axis = (k ? WEFTC_AXIS_GROUP : WEFTC_AXIS_LOCAL) + d;
            if (k ? group : local || f->pinned >> d & 1)
                continue;
            LLVMValueRef single = LLVMBuildICmp(u->b, LLVMIntEQ, size_of(u, axis), one, "");
            *apart = LLVMBuildAnd(u->b, *apart, single, "");
        }
    }
}

// An axis: the distance of neighbours, and how many there are.
struct axis {
    LLVMValueRef stride, size;
};

static void sort(struct builder *u, struct axis *a, unsigned count)
{
    for (unsigned end = count; end > 1; end--)
        for (unsigned k = 0; k + 1 < end; k++) {
            LLVMValueRef less = LLVMBuildICmp(u->b, LLVMIntULT, a[k + 1].stride, a[k].stride, "");
            const struct axis x = a[k], y = a[k + 1];
            a[k].stride = LLVMBuildSelect(u->b, less, y.stride, x.stride, "");
            a[k].size = LLVMBuildSelect(u->b, less, y.size, x.size, "");
            a[k + 1].stride = LLVMBuildSelect(u->b, less, x.stride, y.stride, "");
            a[k + 1].size = LLVMBuildSelect(u->b, less, x.size, y.size, "");
        }
}

// What a term adds to each of a work-item's distances, and how many bytes more it makes of one.
static void add_shared(struct builder *u, const struct weftc_term *t, LLVMValueRef *shared,
                       LLVMValueRef *more)
{
    LLVMValueRef n = scale_of(u, t), value;
    require_below(u, n, 1ull << (t->factor[0] ? 40 : STRIDE_BITS));
    if (t->own) {
        // An end that isn't known is too large.
        require_below(u, t->low, 1ull << BOTH_BITS);
        require_below(u, t->high, 1ull << BOTH_BITS);
        LLVMValueRef way = LLVMBuildSub(u->b, t->high, t->low, "");
        require_below(u, way, 1ull << BOTH_BITS);
        *more = LLVMBuildAdd(u->b, *more, LLVMBuildMul(u->b, n, way, ""), "");
        value = t->low;
    } else {
        value = small_number(u, t->value, t->factor[0] ? BOTH_BITS : VALUE_BITS);
    }
    *shared = LLVMBuildAdd(u->b, *shared, LLVMBuildMul(u->b, n, value, ""), "");
}

// Accesses of so many bytes at places along axes.
struct places {
    LLVMValueRef width; // i64: from the first byte to behind the last one
    LLVMValueRef apart, solid;
};

static void spread(struct builder *u, struct places *p, struct axis *axes, unsigned count)
{
    sort(u, axes, count);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef others = LLVMBuildSub(u->b, axes[k].size, number(u, 1), "");
        LLVMValueRef fits = LLVMBuildICmp(u->b, LLVMIntUGE, axes[k].stride, p->width, ""),
                     touches = LLVMBuildICmp(u->b, LLVMIntULE, axes[k].stride, p->width, "");
        p->apart = LLVMBuildAnd(u->b, p->apart, fits, "");
        p->solid = LLVMBuildAnd(u->b, p->solid, touches, "");
        p->width = LLVMBuildAdd(u->b, p->width, LLVMBuildMul(u->b, axes[k].stride, others, ""), "");
    }
}

// No more than the bound lets through. one: the bytes at one place.
static void cut(struct builder *u, const struct weftc_form_bound *bound, LLVMValueRef one, struct places *p)
{
    LLVMValueRef limit = small_number(u, bound->limit, SIZE_BITS), zero = number(u, 0);
    LLVMValueRef last = LLVMBuildSub(u->b, limit, number(u, (uint64_t)(bound->more + 1)), "");
    LLVMValueRef none = LLVMBuildICmp(u->b, LLVMIntSLT, last, zero, "");
    last = LLVMBuildSelect(u->b, none, zero, last, "");
    LLVMValueRef most = LLVMBuildMul(u->b, last, number(u, bound->times), "");
    most = LLVMBuildAdd(u->b, most, one, "");
    LLVMValueRef less = LLVMBuildICmp(u->b, LLVMIntULT, most, p->width, "");
    p->width = LLVMBuildSelect(u->b, less, most, p->width, "");
    p->solid = LLVMConstInt(LLVMInt1TypeInContext(u->c), 0, false);
}

struct weftc_extent weftc_form_extent(LLVMBuilderRef b, LLVMModuleRef module, const struct weftc_form *f,
                                      int64_t first, int64_t end)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMValueRef yes = LLVMConstInt(LLVMInt1TypeInContext(c), 1, false);
    struct builder u = {b, module, c, LLVMInt64TypeInContext(c), yes};
    LLVMValueRef stride[WEFTC_AXES] = {NULL}, shared = number(&u, 0);
    struct places places = {.width = number(&u, (uint64_t)(end - first)), .apart = yes, .solid = yes};
    for (unsigned k = 0; k < f->count; k++) {
        const struct weftc_term *t = &f->term[k];
        if (t->value) {
            add_shared(&u, t, &shared, &places.width);
        } else {
            LLVMValueRef n = scale_of(&u, t);
            stride[t->axis] = stride[t->axis] ? LLVMBuildAdd(b, stride[t->axis], n, "") : n;
        }
    }
    // Those that have a bound together, and the other ones.
    struct axis inner[WEFTC_AXES], outer[WEFTC_AXES + 1];
    unsigned inner_count = 0, outer_count = 0;
    if (f->steps > 1)
        outer[outer_count++] = (struct axis){number(&u, (uint64_t)f->step), number(&u, f->steps)};
    for (unsigned axis = 0; axis < WEFTC_AXES; axis++) {
        if (is_absent(stride, axis))
            continue;
        const unsigned d = axis - WEFTC_AXIS_LOCAL;
        LLVMValueRef size = size_of(&u, axis);
        if (axis >= WEFTC_AXIS_LOCAL && (f->low[d] || f->end[d])) {
            size = limited(&u, size, f->low[d], f->end[d]);
            shared = LLVMBuildAdd(b, shared, LLVMBuildMul(b, stride[axis], number(&u, f->low[d]), ""), "");
        }
        require_below(&u, stride[axis], 1ull << STRIDE_BITS);
        require_below(&u, size, 1ull << SIZE_BITS);
        if (f->bound.limit && f->bound.axes >> axis & 1)
            inner[inner_count++] = (struct axis){stride[axis], size};
        else
            outer[outer_count++] = (struct axis){stride[axis], size};
        if (axis >= WEFTC_AXIS_GROUP)
            continue;
        LLVMValueRef offset = weftc_primitive_build(b, module, WEFTC_GLOBAL_OFFSET, axis);
        require_below(&u, offset, 1ull << SIZE_BITS);
        shared = LLVMBuildAdd(b, shared, LLVMBuildMul(b, stride[axis], offset, ""), "");
    }
    require_single(&u, &places.apart, f, stride);
    LLVMValueRef one = places.width;
    spread(&u, &places, inner, inner_count);
    if (inner_count)
        cut(&u, &f->bound, one, &places);
    spread(&u, &places, outer, outer_count);
    struct weftc_extent x = {.apart = places.apart, .solid = places.solid};
    x.first = LLVMBuildAdd(b, shared, number(&u, (uint64_t)first), "");
    x.end = LLVMBuildAdd(b, x.first, places.width, "");
    // Nothing wraps.
    LLVMValueRef most = LLVMBuildAdd(b, LLVMBuildAdd(b, shared, places.width, ""),
                                     number(&u, first > 0 ? (uint64_t)first : 0), "");
    require_below(&u, most, f->narrow ? 1ull << 31 : 1ull << 62);
    x.known = u.fine;
    return x;
}
