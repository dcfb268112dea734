// Versions of a region of which more is known in most vector iterations than in all (shapes/speculation.c): a
// fast path for these, a slow path for any, and a function that checks which of them to run.
//
//     region.vector(...):  if (what is speculated holds for lane 0's ids) fast(...) else slow(...)
//
// A likely branch (WEFTC_LIKELY_BRANCH) is speculated to go the likely way, so that the fast path is small.
//
// If lanes don't pay in the slow path, it is a loop over single work-items. In an iteration of several
// vectors, it is a loop over iterations of one vector, each of which checks for itself.
#include <stdio.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/region_functions.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/legalize/legalize.h"
#include "compiler/vectorize/vectorize.h"

// The function that checks, while it is made.
struct check {
    const struct weftc_shapes *s;
    LLVMContextRef c;
    LLVMValueRef f; // with the same parameters as s->flow.function
    LLVMBuilderRef b;
    uint32_t step;          // work-items that one call of the slow path runs
    struct weftc_map place; // value of the old function -> its place in made
    struct weftc_map wide;  // value of the old function -> the place of its 64-bit form in made
    LLVMValueRef *made;
    uint32_t count;
    bool no_memory;
};

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
    weftc_clamp_of(i, &one.kind);
    LLVMValueRef clamped = weftc_speculated_clamp(s, i, &one.bound);
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
    int64_t across = c->stride * (int64_t)(q->s->lanes - 1);
    if (!narrow)
        all = LLVMBuildICmp(q->b, LLVMIntULT, plus(q, value, 1LL << 62), weftc_i64(q->c, 1ull << 63), "");
    LLVMValueRef low = plus(q, value, c->min + (across < 0 ? across : 0)),
                 high = plus(q, value, c->max + (across > 0 ? across : 0));
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

// Has the comparison of the strided `value` the same outcome in all lanes? It has if the outcomes of the
// first and of the last lane are the same, or are the speculated one, and nothing wraps between them. For
// equality: if no lane's number is the other one.
static LLVMValueRef same_outcome(struct check *q, LLVMValueRef i, LLVMValueRef value, bool second)
{
    LLVMIntPredicate p = LLVMGetICmpPredicate(i);
    LLVMTypeRef type = LLVMTypeOf(value);
    int64_t stride = weftc_shape_of(q->s, value).stride;
    int64_t across = stride * (int64_t)(q->s->lanes - 1);
    bool up = stride > 0;
    LLVMValueRef first = early(q, value), bound = early(q, LLVMGetOperand(i, !second));
    if (p == LLVMIntEQ || p == LLVMIntNE)
        return LLVMBuildICmp(q->b, LLVMIntUGT, LLVMBuildSub(q->b, up ? bound : first, up ? first : bound, ""),
                             LLVMConstInt(type, (uint64_t)(up ? across : -across), false), "");
    LLVMValueRef last = LLVMBuildAdd(q->b, first, LLVMConstInt(type, (uint64_t)across, false), "");
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
    LLVMValueRef compared = weftc_speculated_comparison(q->s, i, &second);
    if (compared)
        return same_outcome(q, i, compared, second);
    struct weftc_extension e;
    if (weftc_speculated_extension(q->s, i, &e))
        return LLVMBuildICmp(q->b, e.is_signed ? LLVMIntSLE : LLVMIntULE, early(q, i), weftc_i64(q->c, e.max),
                             "");
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool swapped = opcode == LLVMAnd && weftc_shape_of(q->s, LLVMGetOperand(i, 0)).kind == WEFTC_UNIFORM;
    LLVMValueRef id = early(q, LLVMGetOperand(i, swapped)), by = early(q, LLVMGetOperand(i, !swapped));
    LLVMTypeRef type = LLVMTypeOf(i);
    uint64_t lanes = q->s->lanes, max = LLVMGetIntTypeWidth(type) == 64 ? INT64_MAX : INT32_MAX;
    LLVMValueRef low = LLVMConstInt(type, lanes - 1, false), zero = LLVMConstNull(type);
    // Ids are no larger than signed numbers can be.
    LLVMValueRef all = LLVMBuildICmp(q->b, LLVMIntULE, id, LLVMConstInt(type, max - lanes, false), "");
    if (opcode == LLVMAnd && !LLVMIsAConstantInt(by))
        all = both(q, all, LLVMBuildICmp(q->b, LLVMIntEQ, LLVMBuildAnd(q->b, by, low, ""), low, ""));
    if (opcode == LLVMAnd || opcode == LLVMLShr || opcode == LLVMAShr)
        return both(q, all, LLVMBuildICmp(q->b, LLVMIntEQ, LLVMBuildAnd(q->b, id, low, ""), zero, ""));
    LLVMValueRef fits = LLVMBuildICmp(q->b, LLVMIntSGE, by, LLVMConstInt(type, lanes, false), "");
    LLVMValueRef divisor = LLVMBuildSelect(q->b, fits, by, LLVMConstInt(type, lanes, false), "");
    LLVMValueRef first = LLVMBuildURem(q->b, id, divisor, "");
    LLVMValueRef last = LLVMBuildSub(q->b, divisor, LLVMConstInt(type, lanes, false), "");
    return both(q, both(q, all, fits), LLVMBuildICmp(q->b, LLVMIntULE, first, last, ""));
}

// A copy of `canonical` with one more parameter, the lane that it starts at. If it is for several work-items,
// that lane is the first of them.
static LLVMValueRef from_lane(LLVMValueRef canonical)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(canonical));
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c);
    LLVMValueRef each = weftc_bridge_clone_function(canonical, "weft.slow_path_item");
    each = weftc_bridge_add_parameters(each, &i64, 1);
    LLVMValueRef lane = LLVMGetParam(each, LLVMCountParams(each) - 1);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(each, &at)) {
        if (at.dim != 0 || !weftc_primitive_varies(at.primitive))
            continue;
        LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(at.call));
        LLVMValueRef by = LLVMBuildIntCast2(b, lane, LLVMTypeOf(at.call), false, "");
        LLVMValueRef sum = LLVMBuildAdd(b, at.call, by, "");
        LLVMReplaceAllUsesWith(at.call, sum);
        LLVMSetOperand(sum, 0, at.call);
    }
    LLVMDisposeBuilder(b);
    return each;
}

static LLVMValueRef call(struct check *q, LLVMValueRef f, LLVMValueRef *arguments)
{
    return LLVMBuildCall2(q->b, LLVMGlobalGetValueType(f), f, arguments, LLVMCountParams(f), "");
}

static void answer(struct check *q, LLVMValueRef result)
{
    if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(q->b);
    else
        LLVMBuildRet(q->b, result);
}

// What a region returns is the same for all work-items, so the last one's is returned.
static LLVMValueRef call_each(struct check *q, LLVMValueRef each, LLVMValueRef *arguments)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(q->c);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(q->b),
                      body = LLVMAppendBasicBlockInContext(q->c, q->f, "slow_path_item"),
                      after = LLVMAppendBasicBlockInContext(q->c, q->f, "");
    LLVMBuildBr(q->b, body);
    LLVMPositionBuilderAtEnd(q->b, body);
    LLVMValueRef lane = LLVMBuildPhi(q->b, i64, ""), zero = weftc_i64(q->c, 0);
    LLVMAddIncoming(lane, &zero, &before, 1);
    arguments[LLVMCountParams(each) - 1] = lane;
    LLVMValueRef result = call(q, each, arguments);
    LLVMValueRef next = LLVMBuildAdd(q->b, lane, weftc_i64(q->c, q->step), "");
    LLVMAddIncoming(lane, &next, &body, 1);
    LLVMValueRef again = LLVMBuildICmp(q->b, LLVMIntULT, next, weftc_i64(q->c, q->s->lanes), "");
    LLVMValueRef branch = LLVMBuildCondBr(q->b, again, body, after);
    weftc_bridge_loop_properties(branch, NULL, 1);
    LLVMPositionBuilderAtEnd(q->b, after);
    return result;
}

static weft_status build(struct check *q, LLVMValueRef likely, LLVMValueRef fast, LLVMValueRef slow,
                         bool each)
{
    LLVMPositionBuilderAtEnd(q->b, LLVMAppendBasicBlockInContext(q->c, q->f, "entry"));
    LLVMValueRef condition = likely ? early(q, likely) : NULL;
    unsigned count = LLVMCountParams(q->f);
    LLVMValueRef *arguments = weft_alloc_array((size_t)count + 1, sizeof *arguments);
    struct clamps *clamps = weft_alloc_array((size_t)q->s->count + 1, sizeof *clamps);
    uint32_t clamp_count = 0;
    for (uint32_t n = 0; n < q->s->count && clamps; n++) {
        LLVMValueRef bound, i = q->s->instructions[n];
        if (!weftc_shape_is_speculated(q->s, i) || weftc_is_within_clamps(q->s, i))
            continue;
        if (weftc_speculated_clamp(q->s, i, &bound))
            add_clamp(q->s, i, clamps, &clamp_count);
        else
            condition = both(q, condition, holds(q, i));
    }
    for (uint32_t k = 0; k < clamp_count; k++)
        condition = both(q, condition, unclamped(q, &clamps[k]));
    bool no_memory = q->no_memory || !arguments || !clamps;
    weft_free(clamps);
    if (no_memory) {
        weft_free(arguments);
        return WEFT_NO_MEMORY;
    }
    for (unsigned k = 0; k < count; k++)
        arguments[k] = LLVMGetParam(q->f, k);
    LLVMBasicBlockRef fast_path = LLVMAppendBasicBlockInContext(q->c, q->f, "fast_path"),
                      slow_path = LLVMAppendBasicBlockInContext(q->c, q->f, "slow_path");
    // If nobody uses what the region hands over, it may be poison.
    LLVMBuildCondBr(q->b, LLVMBuildFreeze(q->b, condition, ""), fast_path, slow_path);
    LLVMPositionBuilderAtEnd(q->b, fast_path);
    answer(q, call(q, fast, arguments));
    LLVMPositionBuilderAtEnd(q->b, slow_path);
    answer(q, each ? call_each(q, slow, arguments) : call(q, slow, arguments));
    weft_free(arguments);
    return WEFT_OK;
}

static weft_status inline_all(LLVMValueRef f)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(f));)
        if (weftc_callee(LLVMGetUser(use)) != f || !weftc_bridge_inline(LLVMGetUser(use)))
            return WEFT_INTERNAL;
    LLVMDeleteFunction(f);
    return WEFT_OK;
}

bool weftc_vec_speculates(const struct weftc_shapes *s)
{
    for (uint32_t n = 0; n < s->count; n++)
        if (weftc_shape_is_speculated(s, s->instructions[n]))
            return true;
    return false;
}

LLVMValueRef weftc_vec_specialize_likely(LLVMValueRef canonical, LLVMValueRef *condition)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(canonical));
    unsigned kind = weftc_fact_kind(c, WEFTC_LIKELY_BRANCH);
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(canonical));
    *condition = NULL;
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || !LLVMGetMetadata(branch, kind) ||
        !weftc_is_early(LLVMGetCondition(branch)))
        return NULL;
    LLVMValueRef likely = weftc_bridge_clone_function(canonical, "weft.likely_path");
    branch = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(likely));
    *condition = LLVMGetCondition(branch);
    weftc_bridge_take_branch(branch);
    return likely;
}

// Calls of a function whose likely side is dropped. They ask for the most common format first, so a few of
// them take little longer than what they do when inlined. Loops repeat them. Of many calls both sides would
// be half of the kernel's code, of which nearly nothing runs. A write is twice as much code as a read.
enum { MAX_CALLS_WITHOUT_LIKELY = 4, MANY_CALLS = 16 };

// Instructions of scalar code from which on its likely side is dropped. In less code calls would be felt:
// rows of 30 texels were copied in 1.13 times the time.
enum { MIN_SHRUNK_SCALAR = 150 };

// Is it a function that knows the most common format?
static bool is_for_likely(LLVMValueRef f)
{
    return weftc_fact_attribute(f, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_INLINED_FOR_LANES) ||
           weftc_fact_attribute(f, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_SCALAR_VERSION);
}

void weftc_vec_drop_likely(LLVMValueRef f)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    const unsigned kind = weftc_fact_kind(c, WEFTC_LIKELY_BRANCH);
    LLVMValueRef likely = NULL;
    unsigned calls = 0, any_format = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
            const bool called =
                callee && weftc_fact_attribute(callee, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_CALLED);
            calls += called;
            any_format += called && !is_for_likely(callee) ? (weftc_only_reads(callee) ? 1 : 2) : 0;
            if (LLVMIsABranchInst(i) && LLVMIsConditional(i) && LLVMGetMetadata(i, kind))
                likely = i;
        }
    }
    const bool keeps = calls == 0 || (calls > MAX_CALLS_WITHOUT_LIKELY && any_format < MANY_CALLS);
    if (!likely || keeps || weftc_bridge_loop_count(f) > 0)
        return;
    LLVMBasicBlockRef taken = LLVMGetSuccessor(likely, 0);
    LLVMSetSuccessor(likely, 0, LLVMGetSuccessor(likely, 1));
    LLVMSetSuccessor(likely, 1, taken);
    weftc_bridge_take_branch(likely);
}

void weftc_vec_shrink_scalar(LLVMModuleRef module)
{
    for (unsigned i = 0; i < weftc_module_number(module, WEFTC_REGION_COUNT); i++) {
        char name[48];
        snprintf(name, sizeof name, WEFTC_REGION_NAME "%u", i);
        LLVMValueRef region = LLVMGetNamedFunction(module, name);
        if (region && !weftc_region_is_single_item(region) &&
            weftc_function_size(region) >= MIN_SHRUNK_SCALAR)
            weftc_vec_drop_likely(region);
    }
    weftc_vec_share_scalar_versions(module);
}

weft_status weftc_vec_version(const struct weftc_shapes *s, LLVMValueRef canonical, uint32_t step,
                              LLVMValueRef likely, const char *name, LLVMValueRef fast, LLVMValueRef slow,
                              LLVMValueRef *result)
{
    LLVMModuleRef module = LLVMGetGlobalParent(fast);
    struct check q = {.s = s, .c = LLVMGetModuleContext(module), .step = step};
    q.made = weft_alloc_array(2 * (size_t)s->count + 1, sizeof *q.made);
    if (!q.made)
        return WEFT_NO_MEMORY;
    bool each = slow == NULL;
    if (each)
        slow = from_lane(canonical);
    q.f = LLVMAddFunction(module, name, LLVMGlobalGetValueType(fast));
    LLVMSetLinkage(q.f, LLVMInternalLinkage);
    weftc_bridge_copy_attributes(q.f, fast);
    q.b = LLVMCreateBuilderInContext(q.c);
    weft_status status = build(&q, likely, fast, slow, each);
    if (status == WEFT_OK)
        status = inline_all(fast);
    if (status == WEFT_OK)
        status = inline_all(slow);
    LLVMDisposeBuilder(q.b);
    weftc_map_free(&q.place);
    weftc_map_free(&q.wide);
    weft_free(q.made);
    *result = q.f;
    return status;
}
