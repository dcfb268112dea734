// Checks for a whole work-group what each vector iteration would else check for itself (versioning.c): groups
// of kernels with barriers are small, and the check of a vector iteration often takes as long as its fast
// path.
//
// What is checked are numbers that grow by a constant along dimension 0. Here they must also grow by the same
// number from row to row, as y * pitch + x does. They are computed in 64 bits:
//
//     number(x, y) = first + x * stride + y * pitch
//
// So the least and the greatest are at corners of the group. The kernel computes the same number modulo 2^32.
// If both corners fit 32 bits, nothing wraps in between.
#include <stdio.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/region_functions.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/checks.h"

enum { MAX_STEPS = 12 };

// A number of the group's first work-item, and by how much it grows from row to row; NULL: not at all.
struct linear {
    LLVMValueRef first, pitch;
};

// The least and the greatest number of the group.
struct range {
    LLVMValueRef low, high;
};

static LLVMTypeRef wide(const struct weftc_check *q)
{
    return LLVMInt64TypeInContext(q->c);
}

static LLVMValueRef number(const struct weftc_check *q, int64_t n)
{
    return weftc_i64(q->c, (uint64_t)n);
}

static LLVMValueRef both(struct weftc_check *q, LLVMValueRef a, LLVMValueRef b)
{
    return a ? LLVMBuildAnd(q->b, a, b, "") : b;
}

// Is the value another one in another row? Loads aren't looked at: those that are early are of arguments.
static bool depends_on_row(LLVMValueRef value, unsigned steps)
{
    enum weftc_primitive p;
    unsigned dim;
    if (!LLVMIsAInstruction(value))
        return false;
    if (weftc_primitive_of(value, &p, &dim))
        return weftc_primitive_varies(p) && (dim == 1 || p == WEFTC_ITEM || p == WEFTC_LANE);
    if (steps == 0)
        return true;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        if (depends_on_row(LLVMGetOperand(value, k), steps - 1))
            return true;
    return false;
}

static bool find_linear(struct weftc_check *q, LLVMValueRef value, unsigned steps, struct linear *n);

// Finds the range of a number. *fits: it is within what a number of that width and sign may be, and nothing
// has wrapped here.
static bool find_range(struct weftc_check *q, LLVMValueRef value, const struct linear *n, unsigned bits,
                       bool is_signed, struct range *r, LLVMValueRef *fits)
{
    enum { PITCH = 40, FAR = 62, MIN_BITS = 32, MAX_STRIDE = 1 << 20 };
    const struct weftc_shape shape = weftc_shape_of(q->s, value);
    const int64_t stride = shape.kind == WEFTC_UNIFORM ? 0 : shape.stride;
    const int64_t most = (int64_t)((1ull << (bits <= FAR ? bits - 1 : FAR)) - 1),
                  least = is_signed ? -most : 0;
    if (bits < MIN_BITS || (shape.kind != WEFTC_UNIFORM && shape.kind != WEFTC_STRIDED) ||
        stride > MAX_STRIDE || stride < -MAX_STRIDE)
        return false;
    LLVMModuleRef module = LLVMGetGlobalParent(q->f);
    LLVMValueRef steps[2], zero = number(q, 0);
    for (unsigned d = 0; d < 2; d++)
        steps[d] =
            LLVMBuildSub(q->b, weftc_primitive_build(q->b, module, WEFTC_CHECKED_ITEMS, d), number(q, 1), "");
    LLVMValueRef across = LLVMBuildMul(q->b, steps[0], number(q, stride), "");
    r->low = stride < 0 ? LLVMBuildAdd(q->b, n->first, across, "") : n->first;
    r->high = stride > 0 ? LLVMBuildAdd(q->b, n->first, across, "") : n->first;
    *fits = NULL;
    if (n->pitch) {
        LLVMValueRef down = LLVMBuildMul(q->b, steps[1], n->pitch, "");
        LLVMValueRef up = LLVMBuildICmp(q->b, LLVMIntSGT, n->pitch, zero, "");
        r->low = LLVMBuildAdd(q->b, r->low, LLVMBuildSelect(q->b, up, zero, down, ""), "");
        r->high = LLVMBuildAdd(q->b, r->high, LLVMBuildSelect(q->b, up, down, zero, ""), "");
        LLVMValueRef small = LLVMBuildAdd(q->b, n->pitch, number(q, 1ll << PITCH), "");
        *fits = LLVMBuildICmp(q->b, LLVMIntULT, small, number(q, 2ll << PITCH), "");
    }
    *fits = both(q, *fits, LLVMBuildICmp(q->b, LLVMIntSGE, r->low, number(q, least), ""));
    *fits = both(q, *fits, LLVMBuildICmp(q->b, LLVMIntSLE, r->high, number(q, most), ""));
    *fits = both(q, *fits, LLVMBuildICmp(q->b, LLVMIntSLE, r->low, r->high, ""));
    return true;
}

static bool of_id(LLVMValueRef value)
{
    enum weftc_primitive p;
    unsigned dim;
    return weftc_primitive_of(value, &p, &dim) && weftc_primitive_varies(p) && dim == 1 && p != WEFTC_ITEM;
}

static bool of_sum(struct weftc_check *q, LLVMValueRef i, unsigned steps, struct linear *n)
{
    struct linear a, b;
    if (!find_linear(q, LLVMGetOperand(i, 0), steps, &a) || !find_linear(q, LLVMGetOperand(i, 1), steps, &b))
        return false;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i) == LLVMSub ? LLVMSub : LLVMAdd;
    n->first = LLVMBuildBinOp(q->b, opcode, a.first, b.first, "");
    n->pitch = a.pitch;
    if (b.pitch)
        n->pitch = LLVMBuildBinOp(q->b, opcode, a.pitch ? a.pitch : number(q, 0), b.pitch, "");
    return true;
}

static bool of_product(struct weftc_check *q, LLVMValueRef i, unsigned steps, struct linear *n)
{
    struct linear a, b;
    if (!find_linear(q, LLVMGetOperand(i, 0), steps, &a) ||
        !find_linear(q, LLVMGetOperand(i, 1), steps, &b) || (a.pitch && b.pitch))
        return false;
    n->first = LLVMBuildMul(q->b, a.first, b.first, "");
    n->pitch = a.pitch   ? LLVMBuildMul(q->b, a.pitch, b.first, "")
               : b.pitch ? LLVMBuildMul(q->b, b.pitch, a.first, "")
                         : NULL;
    return true;
}

static bool of_shift(struct weftc_check *q, LLVMValueRef i, unsigned steps, struct linear *n)
{
    LLVMValueRef by = LLVMIsAConstantInt(LLVMGetOperand(i, 1));
    if (!by || !find_linear(q, LLVMGetOperand(i, 0), steps, n))
        return false;
    LLVMValueRef factor = number(q, (int64_t)(1ull << (LLVMConstIntGetZExtValue(by) % 64)));
    n->first = LLVMBuildMul(q->b, n->first, factor, "");
    n->pitch = n->pitch ? LLVMBuildMul(q->b, n->pitch, factor, "") : NULL;
    return true;
}

// The number of which i is an extension. What is extended must be the number that is computed here: *fits.
static bool find_extended(struct weftc_check *q, LLVMValueRef i, unsigned steps, struct linear *n,
                          LLVMValueRef *fits)
{
    unsigned bits, up;
    bool is_signed;
    struct range r;
    LLVMValueRef of = weftc_low_bits_of(i, &bits, &up, &is_signed);
    if (!of || !find_linear(q, of, steps, n) || !find_range(q, of, n, bits, is_signed, &r, fits))
        return false;
    LLVMValueRef factor = number(q, 1ll << up);
    n->first = LLVMBuildMul(q->b, n->first, factor, "");
    n->pitch = n->pitch ? LLVMBuildMul(q->b, n->pitch, factor, "") : NULL;
    return true;
}

static bool of_extension(struct weftc_check *q, LLVMValueRef i, unsigned steps, struct linear *n)
{
    LLVMValueRef fits;
    if (!find_extended(q, i, steps, n, &fits))
        return false;
    q->also = both(q, q->also, fits);
    return true;
}

static bool find_linear(struct weftc_check *q, LLVMValueRef value, unsigned steps, struct linear *n)
{
    LLVMValueRef bound, same = NULL;
    *n = (struct linear){NULL, NULL};
    if (!depends_on_row(value, MAX_STEPS)) {
        n->first = LLVMBuildIntCast2(q->b, weftc_check_early(q, value), wide(q), true, "");
        return true;
    }
    if (steps == 0)
        return false;
    if (of_id(value)) {
        n->first = LLVMBuildIntCast2(q->b, weftc_check_early(q, value), wide(q), true, "");
        n->pitch = number(q, 1);
        return true;
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
        return of_sum(q, value, steps - 1, n);
    case LLVMOr:
        return LLVMGetIsDisjoint(value) && of_sum(q, value, steps - 1, n);
    case LLVMMul:
        return of_product(q, value, steps - 1, n);
    case LLVMShl:
        return of_shift(q, value, steps - 1, n);
    case LLVMTrunc: // the same number, modulo a smaller power of two
        same = LLVMGetOperand(value, 0);
        break;
    case LLVMSExt:
    case LLVMZExt:
    case LLVMAnd:
    case LLVMAShr:
    case LLVMLShr:
        return of_extension(q, value, steps - 1, n);
    case LLVMSelect:
        same = weftc_speculated_choice(q->s, value);
        break;
    case LLVMCall:
        same = weftc_shape_is_speculated(q->s, value) ? weftc_speculated_clamp(q->s, value, &bound) : NULL;
        break;
    default:
        break;
    }
    return same && find_linear(q, same, steps - 1, n);
}

// ---- what is speculated ----

static bool range_of(struct weftc_check *q, LLVMValueRef value, bool is_signed, struct range *r,
                     LLVMValueRef *fits)
{
    struct linear n;
    return find_linear(q, value, MAX_STEPS, &n) &&
           find_range(q, value, &n, LLVMGetIntTypeWidth(LLVMTypeOf(value)), is_signed, r, fits);
}

static bool find_bound(struct weftc_check *q, LLVMValueRef bound, bool is_signed, LLVMValueRef *result)
{
    if (depends_on_row(bound, MAX_STEPS))
        return false;
    *result = LLVMBuildIntCast2(q->b, weftc_check_early(q, bound), wide(q), is_signed, "");
    return true;
}

static LLVMValueRef compare(struct weftc_check *q, LLVMValueRef i, LLVMValueRef value, LLVMValueRef bound,
                            bool second)
{
    return LLVMBuildICmp(q->b, LLVMGetICmpPredicate(i), second ? bound : value, second ? value : bound, "");
}

// Has the comparison the same outcome in all of the group, and the speculated one? NULL: it can't be checked.
static LLVMValueRef same_outcome(struct weftc_check *q, LLVMValueRef i, LLVMValueRef value, bool second)
{
    const LLVMIntPredicate p = LLVMGetICmpPredicate(i);
    const bool equality = p == LLVMIntEQ || p == LLVMIntNE;
    const bool is_signed =
        equality || p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE;
    struct range r;
    LLVMValueRef fits, bound;
    if (!range_of(q, value, is_signed, &r, &fits) ||
        !find_bound(q, LLVMGetOperand(i, !second), is_signed, &bound))
        return NULL;
    if (equality) {
        LLVMValueRef below = LLVMBuildICmp(q->b, LLVMIntSLT, bound, r.low, ""),
                     above = LLVMBuildICmp(q->b, LLVMIntSGT, bound, r.high, "");
        return both(q, fits, LLVMBuildOr(q->b, below, above, ""));
    }
    LLVMValueRef low = compare(q, i, r.low, bound, second), high = compare(q, i, r.high, bound, second);
    switch (weftc_speculated_outcome(i, value)) {
    case WEFTC_IS_TRUE:
        return both(q, fits, LLVMBuildAnd(q->b, low, high, ""));
    case WEFTC_IS_FALSE:
        return both(q, fits, LLVMBuildNot(q->b, LLVMBuildOr(q->b, low, high, ""), ""));
    case WEFTC_ANY_OUTCOME:
        break;
    }
    return both(q, fits, LLVMBuildICmp(q->b, LLVMIntEQ, low, high, ""));
}

static LLVMValueRef unclamped(struct weftc_check *q, LLVMValueRef i, LLVMValueRef value, LLVMValueRef limit)
{
    struct weftc_clamp clamp = {0};
    struct range r;
    LLVMValueRef fits, bound;
    weftc_clamp_of(i, &clamp);
    if (!range_of(q, value, clamp.is_signed, &r, &fits) || !find_bound(q, limit, clamp.is_signed, &bound))
        return NULL;
    const LLVMIntPredicate up = clamp.is_signed ? LLVMIntSGE : LLVMIntUGE,
                           down = clamp.is_signed ? LLVMIntSLE : LLVMIntULE;
    return both(q, fits,
                LLVMBuildICmp(q->b, clamp.greater ? up : down, clamp.greater ? r.low : r.high, bound, ""));
}

// Does what is speculated of i hold in all of the group? NULL: that can't be checked.
static LLVMValueRef holds(struct weftc_check *q, LLVMValueRef i)
{
    LLVMValueRef bound, value = weftc_speculated_clamp(q->s, i, &bound), fits;
    bool second;
    struct weftc_extension e;
    struct linear n;
    if (value)
        return unclamped(q, i, value, bound);
    value = weftc_speculated_comparison(q->s, i, &second);
    if (value)
        return same_outcome(q, i, value, second);
    return weftc_speculated_extension(q->s, i, &e) && find_extended(q, i, MAX_STEPS, &n, &fits) ? fits : NULL;
}

// Builds the function's body. False: something can't be checked.
static bool build(struct weftc_check *q)
{
    LLVMValueRef all = NULL;
    for (uint32_t n = 0; n < q->s->count; n++) {
        if (!weftc_shape_is_speculated(q->s, q->s->instructions[n]))
            continue;
        LLVMValueRef one = holds(q, q->s->instructions[n]);
        if (!one)
            return false;
        all = both(q, all, one);
    }
    if (!all)
        return false;
    all = both(q, q->also, all);
    // If nobody uses what the region hands over, it may be poison.
    LLVMBuildRet(q->b, LLVMBuildFreeze(q->b, all, ""));
    return true;
}

static LLVMValueRef declare(const struct weftc_check *q, const char *name, LLVMValueRef fast)
{
    char full[64];
    snprintf(full, sizeof full, "%s" WEFTC_REGION_CHECK, name);
    const unsigned count = LLVMCountParams(fast);
    LLVMTypeRef *types = weft_alloc_array((size_t)count + 1, sizeof(LLVMTypeRef));
    if (!types)
        return NULL;
    LLVMGetParamTypes(LLVMGlobalGetValueType(fast), types);
    LLVMTypeRef type = LLVMFunctionType(LLVMInt1TypeInContext(q->c), types, count, false);
    weft_free(types);
    LLVMValueRef f = LLVMAddFunction(LLVMGetGlobalParent(fast), full, type);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    return f;
}

weft_status weftc_make_group_check(const struct weftc_shapes *s, const char *name, LLVMValueRef fast,
                                   bool *made)
{
    struct weftc_check q = {.s = s, .c = LLVMGetModuleContext(LLVMGetGlobalParent(fast))};
    *made = false;
    q.made = weft_alloc_array(2 * (size_t)s->count + 1, sizeof *q.made);
    q.f = q.made ? declare(&q, name, fast) : NULL;
    if (!q.f) {
        weft_free(q.made);
        return WEFT_NO_MEMORY;
    }
    q.b = LLVMCreateBuilderInContext(q.c);
    LLVMPositionBuilderAtEnd(q.b, LLVMAppendBasicBlockInContext(q.c, q.f, "entry"));
    *made = build(&q) && !q.no_memory;
    if (!*made)
        LLVMDeleteFunction(q.f);
    LLVMDisposeBuilder(q.b);
    weftc_map_free(&q.place);
    weftc_map_free(&q.wide);
    weft_free(q.made);
    return q.no_memory ? WEFT_NO_MEMORY : WEFT_OK;
}
