// Distances as sums. Arithmetic of the kernel wraps, these sums don't: weftc_form_is_apart asks whether all
// numbers stay small enough.
#include "compiler/checker/forms.h"

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
        return local;
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

static bool is_same_term(const struct weftc_term *a, const struct weftc_term *b)
{
    return (a->value ? b->value && is_equal(a->value, b->value) : !b->value && a->dim == b->dim) &&
           (a->factor ? b->factor && is_equal(a->factor, b->factor) : !b->factor);
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

static bool id_of(const struct weftc_form *f, LLVMValueRef v, unsigned *dim)
{
    enum weftc_primitive p;
    return weftc_primitive_of(v, &p, dim) &&
           (f->is_local ? p == WEFTC_LOCAL_ID || p == WEFTC_LOCAL_ID32
                        : p == WEFTC_GLOBAL_ID || p == WEFTC_GLOBAL_ID32);
}

static void add(struct weftc_form *f, LLVMValueRef v, int64_t coefficient, LLVMValueRef factor,
                unsigned depth);

static void add_product(struct weftc_form *f, LLVMValueRef v, int64_t coefficient, LLVMValueRef factor,
                        unsigned depth)
{
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef constant = LLVMIsAConstantInt(LLVMGetOperand(v, k));
        const int64_t n = constant ? LLVMConstIntGetSExtValue(constant) : 0;
        if (constant && n >= 0 && n < MAX_COEFFICIENT) {
            add(f, LLVMGetOperand(v, 1 - k), coefficient * n, factor, depth + 1);
            return;
        }
    }
    for (unsigned k = 0; k < 2; k++)
        if (!factor && is_shared(LLVMGetOperand(v, k), f->is_local, 0)) {
            add(f, LLVMGetOperand(v, 1 - k), coefficient, LLVMGetOperand(v, k), depth + 1);
            return;
        }
    give_up(f);
}

// Adds coefficient * factor * v.
static void add(struct weftc_form *f, LLVMValueRef v, int64_t coefficient, LLVMValueRef factor,
                unsigned depth)
{
    unsigned dim;
    if (!f->known || depth > DEEP || coefficient >= MAX_COEFFICIENT) {
        give_up(f);
        return;
    }
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    f->narrow |= bits < 64;
    if (bits < 32) {
        give_up(f);
        return;
    }
    LLVMValueRef constant = LLVMIsAConstantInt(v);
    if (constant && !factor) {
        const int64_t n = LLVMConstIntGetSExtValue(constant);
        if (n < -(1 << 30) || n > 1 << 30)
            give_up(f);
        else
            f->constant += coefficient * n;
        return;
    }
    if (id_of(f, v, &dim)) {
        add_term(f, (struct weftc_term){.factor = factor, .dim = dim}, coefficient);
        return;
    }
    // What is the same in all forms needn't be taken apart.
    if (is_shared(v, f->is_local, 0)) {
        add_term(f, (struct weftc_term){.factor = factor, .value = v}, coefficient);
        return;
    }
    const LLVMOpcode opcode = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
    LLVMValueRef shift = opcode == LLVMShl ? LLVMIsAConstantInt(LLVMGetOperand(v, 1)) : NULL;
    if (opcode == LLVMAdd) {
        add(f, LLVMGetOperand(v, 0), coefficient, factor, depth + 1);
        add(f, LLVMGetOperand(v, 1), coefficient, factor, depth + 1);
    } else if (opcode == LLVMSub && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) && !factor) {
        add(f, LLVMGetOperand(v, 0), coefficient, NULL, depth + 1);
        add(f, LLVMConstNeg(LLVMGetOperand(v, 1)), coefficient, NULL, depth + 1);
    } else if (opcode == LLVMSExt || opcode == LLVMZExt || opcode == LLVMTrunc) {
        f->narrow = true;
        f->unsigned_parts |= opcode == LLVMZExt;
        add(f, LLVMGetOperand(v, 0), coefficient, factor, depth + 1);
    } else if (opcode == LLVMMul) {
        add_product(f, v, coefficient, factor, depth);
    } else if (shift && LLVMConstIntGetZExtValue(shift) < 14) {
        add(f, LLVMGetOperand(v, 0), coefficient << LLVMConstIntGetZExtValue(shift), factor, depth + 1);
    } else {
        give_up(f);
    }
}

struct weftc_form weftc_form_of(LLVMTargetDataRef layout, LLVMValueRef pointer, bool local,
                                LLVMValueRef *root)
{
    struct weftc_form f = {.known = true, .is_local = local};
    for (;; pointer = LLVMGetOperand(pointer, 0)) {
        const bool expression = LLVMIsAConstantExpr(pointer) != NULL;
        const LLVMOpcode opcode = expression                    ? LLVMGetConstOpcode(pointer)
                                  : LLVMIsAInstruction(pointer) ? LLVMGetInstructionOpcode(pointer)
                                                                : LLVMRet;
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
                add(&f, steps[k].index, (int64_t)steps[k].scale, NULL, 0);
            else
                give_up(&f);
        }
    }
    *root = pointer;
    if (f.constant < -(1 << 30) || f.constant > 1 << 30 || (f.unsigned_parts && f.constant < 0))
        give_up(&f);
    return f;
}

bool weftc_form_fits(const struct weftc_form *a, const struct weftc_form *b)
{
    if (!a->known || !b->known || a->count != b->count || a->is_local != b->is_local)
        return false;
    for (unsigned k = 0; k < a->count; k++) {
        bool found = false;
        for (unsigned n = 0; n < b->count && !found; n++)
            found = is_same_term(&a->term[k], &b->term[n]) && a->term[k].coefficient == b->term[n].coefficient;
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

static LLVMValueRef size_in(struct builder *u, const struct weftc_form *f, unsigned dim)
{
    return weftc_primitive_build(u->b, u->module, f->is_local ? WEFTC_LOCAL_SIZE : WEFTC_GLOBAL_SIZE, dim);
}

enum { STRIDE_BITS = 32, SIZE_BITS = 28, FACTOR_BITS = 24 };

// Are the items apart if the ids of the first dimension in the list are the next neighbours, and so on?
// *extent: all bytes that they touch.
static LLVMValueRef nested(struct builder *u, LLVMValueRef const stride[3], LLVMValueRef const size[3],
                           const unsigned *order, unsigned count, LLVMValueRef width, LLVMValueRef *extent)
{
    LLVMValueRef apart = LLVMConstInt(LLVMInt1TypeInContext(u->c), 1, false);
    for (unsigned k = 0; k < count; k++) {
        const unsigned d = order[k];
        LLVMValueRef wide = LLVMBuildICmp(u->b, LLVMIntUGE, stride[d], width, "");
        LLVMValueRef others = LLVMBuildSub(u->b, size[d], number(u, 1), "");
        apart = LLVMBuildAnd(u->b, apart, wide, "");
        width = LLVMBuildAdd(u->b, width, LLVMBuildMul(u->b, stride[d], others, ""), "");
    }
    *extent = width;
    return apart;
}

LLVMValueRef weftc_form_is_apart(LLVMBuilderRef b, LLVMModuleRef module, const struct weftc_form *f,
                                 int64_t first, int64_t end)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    struct builder u = {b, module, c, LLVMInt64TypeInContext(c), LLVMConstInt(LLVMInt1TypeInContext(c), 1, false)};
    LLVMValueRef stride[3] = {NULL, NULL, NULL}, size[3], shared = number(&u, 0), extent;
    for (unsigned k = 0; k < f->count; k++) {
        const struct weftc_term *t = &f->term[k];
        LLVMValueRef n = t->factor ? small_number(&u, t->factor, FACTOR_BITS) : number(&u, 1);
        n = LLVMBuildMul(b, n, number(&u, t->coefficient), "");
        if (t->value)
            shared = LLVMBuildAdd(
                b, shared,
                LLVMBuildMul(b, n, small_number(&u, t->value, t->factor ? FACTOR_BITS : 31), ""), "");
        else
            stride[t->dim] = stride[t->dim] ? LLVMBuildAdd(b, stride[t->dim], n, "") : n;
    }
    unsigned order[3], count = 0;
    for (unsigned d = 0; d < 3; d++) {
        size[d] = size_in(&u, f, d);
        if (!stride[d]) {
            require(&u, LLVMBuildICmp(b, LLVMIntEQ, size[d], number(&u, 1), ""));
            continue;
        }
        order[count++] = d;
        require_below(&u, stride[d], 1ull << STRIDE_BITS);
        require_below(&u, size[d], 1ull << SIZE_BITS);
        if (!f->is_local) {
            LLVMValueRef offset = weftc_primitive_build(b, module, WEFTC_GLOBAL_OFFSET, d);
            require_below(&u, offset, 1ull << SIZE_BITS);
            shared = LLVMBuildAdd(b, shared, LLVMBuildMul(b, stride[d], offset, ""), "");
        }
    }
    LLVMValueRef width = number(&u, (uint64_t)(end - first));
    LLVMValueRef apart = nested(&u, stride, size, order, count, width, &extent);
    if (count >= 2) { // columns of rows
        const unsigned other[3] = {order[1], order[0], count > 2 ? order[2] : 0};
        apart = LLVMBuildOr(b, apart, nested(&u, stride, size, other, count, width, &extent), "");
    }
    require(&u, apart);
    // Nothing wraps.
    const uint64_t most = first > 0 ? (uint64_t)first : 0;
    LLVMValueRef last = LLVMBuildAdd(b, LLVMBuildAdd(b, extent, shared, ""), number(&u, most), "");
    require_below(&u, last, f->narrow ? 1ull << 31 : 1ull << 62);
    return u.fine;
}
