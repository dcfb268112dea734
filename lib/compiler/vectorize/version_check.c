// The check whether what is speculated holds (vectorize/versioning.c), from lane 0's ids: for one vector
// iteration, or for all of a row.
//
// What is speculated are progressions and inequalities of progressions. So the check for n consecutive
// work-items asks about the first and the last one. The same formulas, with other ids and another n, are the
// check for a whole row, which the loop over its vector iterations doesn't change. LLVM moves it out of that
// loop, and what doesn't depend on the row out of the loop over the rows.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/version_check.h"

struct check {
    const struct weftc_shapes *s;
    LLVMContextRef c;
    LLVMModuleRef module;
    LLVMValueRef f; // with the same parameters as s->flow.function
    LLVMBuilderRef b;
    bool row;               // for the row's work-items, from its first one on
    LLVMValueRef items;     // how many work-items the check is for, 64 bits
    uint64_t steepest;      // the largest stride that is multiplied with their number
    struct weftc_map place; // value of the old function -> its place in made
    struct weftc_map wide;  // value of the old function -> the place of its 64-bit form in made
    LLVMValueRef *made;
    uint32_t count;
    bool no_memory;
};

// The primitive of the row's first work-item that stands for p.
static bool row_primitive(enum weftc_primitive p, enum weftc_primitive *row)
{
    static const enum weftc_primitive pairs[][2] = {{WEFTC_GLOBAL_ID, WEFTC_ROW_GLOBAL_ID},
                                                    {WEFTC_GLOBAL_ID32, WEFTC_ROW_GLOBAL_ID32},
                                                    {WEFTC_LOCAL_ID, WEFTC_ROW_LOCAL_ID},
                                                    {WEFTC_LOCAL_ID32, WEFTC_ROW_LOCAL_ID32},
                                                    {WEFTC_INDEX, WEFTC_ROW_INDEX},
                                                    {WEFTC_INDEX32, WEFTC_ROW_INDEX32},
                                                    {WEFTC_ITEM, WEFTC_ROW_ITEM}};
    for (size_t k = 0; k < WEFT_COUNT_OF(pairs); k++)
        if (pairs[k][0] == p) {
            *row = pairs[k][1];
            return true;
        }
    return false;
}

static LLVMValueRef keep(struct check *q, struct weftc_map *place, LLVMValueRef value, LLVMValueRef made)
{
    if (!weftc_map_put(place, value, q->count))
        q->no_memory = true;
    else
        q->made[q->count++] = made;
    return made;
}

static LLVMValueRef early(struct check *q, LLVMValueRef value);

// Lane 0's value in 64 bits, as the fast path will compute it (`wide` in vectorize/emit/values.c): lane 0 may
// be inactive there, and what doesn't wrap in active lanes may wrap in lane 0.
static LLVMValueRef early_wide(struct check *q, LLVMValueRef value)
{
    uint32_t at = weftc_map_get(&q->wide, value);
    if (at != UINT32_MAX)
        return q->made[at];
    LLVMValueRef result;
    struct weftc_shape shape = weftc_shape_of(q->s, value);
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMPHI;
    if (shape.kind == WEFTC_STRIDED && shape.max > INT32_MAX && weftc_is_progression(opcode)) {
        LLVMValueRef a = early_wide(q, LLVMGetOperand(value, 0)), b = early_wide(q, LLVMGetOperand(value, 1));
        result = LLVMBuildBinOp(q->b, opcode == LLVMOr ? LLVMAdd : opcode, a, b, "");
    } else if (opcode == LLVMSelect && weftc_speculated_choice(q->s, value)) {
        result = early_wide(q, weftc_speculated_choice(q->s, value));
    } else {
        result = LLVMBuildIntCast2(q->b, early(q, value), LLVMInt64TypeInContext(q->c), true, "");
    }
    return keep(q, &q->wide, value, result);
}

// Lane 0's value, computed where the function begins.
static LLVMValueRef early(struct check *q, LLVMValueRef value)
{
    if (LLVMIsAArgument(value)) {
        unsigned k = 0;
        while (LLVMGetParam(q->s->flow.function, k) != value)
            k++;
        return LLVMGetParam(q->f, k);
    }
    if (!LLVMIsAInstruction(value))
        return value;
    uint32_t at = weftc_map_get(&q->place, value);
    if (at != UINT32_MAX)
        return q->made[at];
    enum weftc_primitive p, first;
    unsigned dim;
    if (q->row && weftc_primitive_of(value, &p, &dim) && dim == 0 && row_primitive(p, &first))
        return keep(q, &q->place, value, weftc_primitive_build(q->b, q->module, first, 0));
    if (weftc_is_wide_extension(q->s, value)) {
        LLVMValueRef wide = early_wide(q, LLVMGetOperand(value, 0));
        return keep(q, &q->place, value, LLVMBuildIntCast2(q->b, wide, LLVMTypeOf(value), true, ""));
    }
    LLVMValueRef copy = LLVMInstructionClone(value);
    unsigned operands =
        LLVMIsACallInst(value) ? LLVMGetNumArgOperands(value) : (unsigned)LLVMGetNumOperands(value);
    for (unsigned k = 0; k < operands; k++)
        LLVMSetOperand(copy, k, early(q, LLVMGetOperand(value, k)));
    return keep(q, &q->place, value, weftc_vec_insert_for_any_lane(q->b, copy));
}

// How much a progression grows from the first work-item to the last one, in 64 bits.
static LLVMValueRef across(struct check *q, int64_t stride)
{
    uint64_t steep = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
    q->steepest = steep > q->steepest ? steep : q->steepest;
    LLVMValueRef steps = LLVMBuildSub(q->b, q->items, weftc_i64(q->c, 1), "");
    return LLVMBuildMul(q->b, steps, weftc_i64(q->c, (uint64_t)stride), "");
}

static LLVMValueRef both(struct check *q, LLVMValueRef a, LLVMValueRef b)
{
    return a ? LLVMBuildAnd(q->b, a, b, "") : b;
}

// ---- clamps ----

// Clamps of one value, or of sums of it and constants, by one bound. Only the outermost sums matter.
struct clamps {
    LLVMValueRef value, bound;
    struct weftc_clamp kind;
    int64_t stride;
    int64_t min, max; // the least and the greatest constant
};

static void add_clamp(const struct weftc_shapes *s, LLVMValueRef i, struct clamps *list, uint32_t *count)
{
    struct clamps one = {0};
    LLVMValueRef falling, clamped = weftc_speculated_clamp(s, i, &one.bound);
    if (clamped) {
        weftc_clamp_of(i, &one.kind);
    } else { // abs(x) is x where max(x, 0) is
        clamped = weftc_speculated_mirror(s, i, &falling);
        one.kind = (struct weftc_clamp){.greater = true, .is_signed = true};
        one.bound = LLVMConstNull(LLVMTypeOf(i));
    }
    one.stride = weftc_shape_of(s, clamped).stride;
    one.value = weftc_without_constant(s, clamped, &one.min);
    one.max = one.min;
    for (uint32_t k = 0; k < *count; k++) {
        struct clamps *c = &list[k];
        if (c->value != one.value || c->bound != one.bound || c->kind.greater != one.kind.greater ||
            c->kind.is_signed != one.kind.is_signed)
            continue;
        c->min = one.min < c->min ? one.min : c->min;
        c->max = one.max > c->max ? one.max : c->max;
        return;
    }
    list[(*count)++] = one;
}

static LLVMValueRef plus(struct check *q, LLVMValueRef a, int64_t b)
{
    return LLVMBuildAdd(q->b, a, weftc_i64(q->c, (uint64_t)b), "");
}

// Does no sum wrap in any lane, or go beyond the bound? Computed in 64 bits.
static LLVMValueRef unclamped(struct check *q, const struct clamps *c)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(q->c);
    bool narrow = LLVMGetIntTypeWidth(LLVMTypeOf(c->value)) == 32;
    LLVMValueRef all = NULL, value = LLVMBuildIntCast2(q->b, early(q, c->value), i64, true, "");
    LLVMValueRef bound = LLVMBuildIntCast2(q->b, early(q, c->bound), i64, c->kind.is_signed, "");
    if (!narrow)
        all = LLVMBuildICmp(q->b, LLVMIntULT, plus(q, value, 1LL << 62), weftc_i64(q->c, 1ull << 63), "");
    LLVMValueRef grown = across(q, c->stride), least = weftc_i64(q->c, (uint64_t)c->min),
                 most = weftc_i64(q->c, (uint64_t)c->max);
    LLVMValueRef low = LLVMBuildAdd(q->b, value, c->stride < 0 ? plus(q, grown, c->min) : least, ""),
                 high = LLVMBuildAdd(q->b, value, c->stride > 0 ? plus(q, grown, c->max) : most, "");
    LLVMIntPredicate within = c->kind.is_signed ? LLVMIntSLE : LLVMIntULE;
    all =
        both(q, all,
             LLVMBuildICmp(q->b, within, c->kind.greater ? bound : high, c->kind.greater ? low : bound, ""));
    // As an unsigned number the sum may be above the sign bit; sign-extended, it would not be strided then.
    if (narrow && (c->kind.greater || !c->kind.is_signed))
        all = both(q, all, LLVMBuildICmp(q->b, LLVMIntSLE, high, weftc_i64(q->c, INT32_MAX), ""));
    if (!c->kind.is_signed)
        return both(q, all, LLVMBuildICmp(q->b, LLVMIntSGE, low, weftc_i64(q->c, 0), ""));
    if (narrow && !c->kind.greater)
        all = both(q, all, LLVMBuildICmp(q->b, LLVMIntSGE, low, plus(q, weftc_i64(q->c, 0), INT32_MIN), ""));
    return all;
}

// Is the least or greatest of a value that grows and of one that falls the one that grows, in all lanes?
// Nothing may wrap. Computed in 64 bits. The value that falls is not used, so it doesn't matter how it is
// computed.
static LLVMValueRef unmirrored(struct check *q, LLVMValueRef i, LLVMValueRef grows, LLVMValueRef falls)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(q->c);
    struct weftc_clamp kind = {0};
    int64_t constant;
    weftc_clamp_of(i, &kind);
    LLVMValueRef base = weftc_without_constant(q->s, grows, &constant);
    LLVMValueRef low = plus(q, LLVMBuildIntCast2(q->b, early(q, base), i64, true, ""), constant),
                 high = LLVMBuildAdd(q->b, low, across(q, weftc_shape_of(q->s, grows).stride), ""),
                 from = LLVMBuildIntCast2(q->b, early(q, falls), i64, true, ""),
                 to = LLVMBuildAdd(q->b, from, across(q, weftc_shape_of(q->s, falls).stride), "");
    LLVMValueRef least = plus(q, weftc_i64(q->c, 0), INT32_MIN);
    if (!kind.greater)
        return both(q, LLVMBuildICmp(q->b, LLVMIntSLE, high, to, ""),
                    LLVMBuildICmp(q->b, LLVMIntSGE, low, least, ""));
    LLVMValueRef all = both(q, LLVMBuildICmp(q->b, LLVMIntSGE, low, from, ""),
                            LLVMBuildICmp(q->b, LLVMIntSGE, to, least, ""));
    return both(q, all, LLVMBuildICmp(q->b, LLVMIntSLE, high, weftc_i64(q->c, INT32_MAX), ""));
}

// Has the comparison of the strided `value` the same outcome in all lanes? It has if the outcomes of the
// first and of the last lane are the same, or are the speculated one, and nothing wraps between them. For
// equality: if no lane's number is the other one.
static LLVMValueRef same_outcome(struct check *q, LLVMValueRef i, LLVMValueRef value, bool second)
{
    LLVMIntPredicate p = LLVMGetICmpPredicate(i);
    LLVMTypeRef type = LLVMTypeOf(value);
    int64_t stride = weftc_shape_of(q->s, value).stride;
    bool up = stride > 0;
    LLVMValueRef apart = LLVMBuildIntCast2(q->b, across(q, stride), type, true, "");
    LLVMValueRef first = early(q, value), bound = early(q, LLVMGetOperand(i, !second));
    if (p == LLVMIntEQ || p == LLVMIntNE)
        return LLVMBuildICmp(q->b, LLVMIntUGT, LLVMBuildSub(q->b, up ? bound : first, up ? first : bound, ""),
                             up ? apart : LLVMBuildNeg(q->b, apart, ""), "");
    LLVMValueRef last = LLVMBuildAdd(q->b, first, apart, "");
    bool is_signed = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE;
    LLVMValueRef in_order =
        LLVMBuildICmp(q->b, is_signed ? LLVMIntSLE : LLVMIntULE, up ? first : last, up ? last : first, "");
    LLVMValueRef outcome[2];
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef end = k ? last : first;
        outcome[k] = LLVMBuildICmp(q->b, p, second ? bound : end, second ? end : bound, "");
    }
    enum weftc_outcome speculated = weftc_speculated_outcome(i, value);
    if (speculated == WEFTC_ANY_OUTCOME)
        return both(q, in_order, LLVMBuildICmp(q->b, LLVMIntEQ, outcome[0], outcome[1], ""));
    for (unsigned k = 0; k < 2; k++)
        in_order =
            both(q, in_order, speculated == WEFTC_IS_TRUE ? outcome[k] : LLVMBuildNot(q->b, outcome[k], ""));
    return in_order;
}

// Does what is speculated of i hold?
static LLVMValueRef holds(struct check *q, LLVMValueRef i)
{
    bool second;
    LLVMValueRef compared = weftc_speculated_comparison(q->s, i, &second), falls;
    if (compared)
        return same_outcome(q, i, compared, second);
    LLVMValueRef grows = weftc_speculated_mirror(q->s, i, &falls);
    if (grows)
        return unmirrored(q, i, grows, falls);
    struct weftc_extension e;
    if (weftc_speculated_extension(q->s, i, &e)) {
        LLVMValueRef room = LLVMBuildShl(q->b, across(q, e.narrow_stride), weftc_i64(q->c, e.up), "");
        LLVMValueRef most = LLVMBuildSub(q->b, weftc_i64(q->c, e.max), room, "");
        return LLVMBuildICmp(q->b, e.is_signed ? LLVMIntSLE : LLVMIntULE, early(q, i), most, "");
    }
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool swapped = opcode == LLVMAnd && weftc_shape_of(q->s, LLVMGetOperand(i, 0)).kind == WEFTC_UNIFORM;
    LLVMValueRef id = early(q, LLVMGetOperand(i, swapped)), by = early(q, LLVMGetOperand(i, !swapped));
    LLVMTypeRef type = LLVMTypeOf(i);
    uint64_t lanes = q->s->lanes, max = LLVMGetIntTypeWidth(type) == 64 ? INT64_MAX : INT32_MAX;
    LLVMValueRef grown = across(q, weftc_shape_of(q->s, LLVMGetOperand(i, swapped)).stride),
                 items = LLVMBuildIntCast2(q->b, q->items, type, false, "");
    LLVMValueRef most = LLVMBuildSub(q->b, LLVMConstInt(type, max, false),
                                     LLVMBuildIntCast2(q->b, grown, type, true, ""), "");
    LLVMValueRef low = LLVMConstInt(type, lanes - 1, false), zero = LLVMConstNull(type);
    // Ids are no larger than signed numbers can be.
    LLVMValueRef all = LLVMBuildICmp(q->b, LLVMIntULE, id, most, "");
    if (weftc_shifts_strides(q->s, i))
        return all;
    if (opcode == LLVMAnd && !LLVMIsAConstantInt(by))
        all = both(q, all, LLVMBuildICmp(q->b, LLVMIntEQ, LLVMBuildAnd(q->b, by, low, ""), low, ""));
    if (opcode == LLVMAnd || opcode == LLVMLShr || opcode == LLVMAShr)
        return both(q, all, LLVMBuildICmp(q->b, LLVMIntEQ, LLVMBuildAnd(q->b, id, low, ""), zero, ""));
    LLVMValueRef fits = LLVMBuildICmp(q->b, LLVMIntSGE, by, items, "");
    LLVMValueRef divisor = LLVMBuildSelect(q->b, fits, by, items, "");
    if (q->row) { // a number of items that is cut to 32 bits may be 0
        LLVMValueRef one = LLVMConstInt(type, 1, false);
        divisor = LLVMBuildSelect(q->b, LLVMBuildICmp(q->b, LLVMIntUGT, divisor, one, ""), divisor, one, "");
    }
    LLVMValueRef first = LLVMBuildURem(q->b, id, divisor, "");
    LLVMValueRef last = LLVMBuildSub(q->b, divisor, items, "");
    return both(q, both(q, all, fits), LLVMBuildICmp(q->b, LLVMIntULE, first, last, ""));
}

bool weftc_vec_row_may_hold(const struct weftc_shapes *s)
{
    for (uint32_t n = 0; n < s->count; n++) {
        LLVMValueRef i = s->instructions[n];
        enum weftc_primitive p, row;
        unsigned dim;
        if (weftc_primitive_of(i, &p, &dim) && dim == 0 && weftc_primitive_varies(p) &&
            !row_primitive(p, &row))
            return false;
        LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
        struct weftc_extension e;
        const bool bits = opcode == LLVMAnd || opcode == LLVMLShr || opcode == LLVMAShr;
        if (bits && weftc_shape_is_speculated(s, i) && !weftc_speculated_extension(s, i, &e) &&
            !weftc_shifts_strides(s, i))
            return false;
    }
    return true;
}

weft_status weftc_vec_build_check(const struct weftc_shapes *s, LLVMBuilderRef b, LLVMValueRef f,
                                  LLVMValueRef likely, bool row, LLVMValueRef *condition)
{
    LLVMModuleRef module = LLVMGetGlobalParent(f);
    struct check q = {.s = s,
                      .c = LLVMGetModuleContext(module),
                      .module = module,
                      .f = f,
                      .b = b,
                      .row = row,
                      .steepest = 1};
    q.items = row ? weftc_primitive_build(b, module, WEFTC_ROW_ITEMS, 0) : weftc_i64(q.c, s->lanes);
    q.made = weft_alloc_array(2 * (size_t)s->count + 1, sizeof *q.made);
    struct clamps *clamps = weft_alloc_array((size_t)s->count + 1, sizeof *clamps);
    uint32_t clamp_count = 0;
    q.no_memory = !q.made || !clamps;
    *condition = likely && !q.no_memory ? early(&q, likely) : NULL;
    for (uint32_t n = 0; n < s->count && !q.no_memory; n++) {
        LLVMValueRef other = NULL, i = s->instructions[n];
        if (!weftc_shape_is_speculated(s, i) || weftc_is_within_clamps(s, i))
            continue;
        if (weftc_speculated_clamp(s, i, &other) || (weftc_speculated_mirror(s, i, &other) && !other))
            add_clamp(s, i, clamps, &clamp_count);
        else
            *condition = both(&q, *condition, holds(&q, i));
    }
    for (uint32_t k = 0; k < clamp_count && !q.no_memory; k++)
        *condition = both(&q, *condition, unclamped(&q, &clamps[k]));
    // No number of a row is so far from the first one that a product or a sum of 32-bit numbers wraps twice.
    if (row && !q.no_memory)
        *condition = both(&q, *condition,
                          LLVMBuildICmp(b, LLVMIntULE, q.items, weftc_i64(q.c, INT32_MAX / q.steepest), ""));
    weft_free(clamps);
    weft_free(q.made);
    weftc_map_free(&q.place);
    weftc_map_free(&q.wide);
    // If nobody uses what the region hands over, it may be poison.
    if (!q.no_memory)
        *condition = LLVMBuildFreeze(b, *condition, "");
    return q.no_memory ? WEFT_NO_MEMORY : WEFT_OK;
}
