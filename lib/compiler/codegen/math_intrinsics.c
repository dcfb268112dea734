// Primitives of the math built-ins: what some processors have an instruction for and LLVM IR has no word. A
// built-in calls `weft.math.NAME.f` (float) or `.d` (double), a declaration without memory effects, where
// __weft_target_has_math_primitives says so, or __weft_target_has_estimates; the vectorizer widens the call
// to `weft.math.NAME.f.vN` (weftc_bridge_widen_intrinsic). Here, before LLVM optimises, each becomes the
// target's instruction (arch/target.h), of as many elements as fit. A scalar call is the same instruction
// on the lowest element, so results don't depend on the number of lanes.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/codegen/codegen.h"

enum { TABLE = WEFTC_MATH_TABLE, MAX_LANES = 64 };

struct row {
    const char *name;
    enum weftc_math primitive;
};

static const struct row rows[] = {
    // x * 2^floor(n), rounded once
    {"scale", WEFTC_MATH_SCALE},
    // floor(log2 |x|): -inf of 0, inf of inf; subnormal numbers too
    {"exponent", WEFTC_MATH_EXPONENT},
    // |x| scaled into [1, 2): 1 of 0 and inf
    {"mantissa", WEFTC_MATH_MANTISSA},
    // x scaled into [3/4, 3/2): 1 of 0 and inf, NaN of negative x
    {"log_mantissa", WEFTC_MATH_LOG_MANTISSA},
    // 1/sqrt(x) with a relative error below 2^-14, exact where x is 0 or infinite. Targets that have
    // estimates only: of floats, 1.5 * 2^-12; subnormal numbers may count as 0
    {"rsqrt", WEFTC_MATH_RSQRT},
    // 1/x likewise; with estimates only, results that are subnormal may be 0
    {"reciprocal", WEFTC_MATH_RECIPROCAL},
    // one of 16 constants, by the low four bits of an integer
    {"lookup16", WEFTC_MATH_LOOKUP},
};

static const struct row *row_of(const char *name, bool *is_double)
{
    if (strncmp(name, WEFTC_MATH_PREFIX, strlen(WEFTC_MATH_PREFIX)) != 0)
        return NULL;
    name += strlen(WEFTC_MATH_PREFIX);
    for (size_t i = 0; i < WEFT_COUNT_OF(rows); i++) {
        size_t n = strlen(rows[i].name);
        if (strncmp(name, rows[i].name, n) == 0 && name[n] == '.' &&
            (name[n + 1] == 'f' || name[n + 1] == 'd') && (name[n + 2] == '\0' || name[n + 2] == '.')) {
            *is_double = name[n + 1] == 'd';
            return &rows[i];
        }
    }
    return NULL;
}

// ---- one call ----

struct site {
    const struct weftc_target *target;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
    enum weftc_math primitive;
    bool is_double;
    unsigned lanes; // of the call
    unsigned width; // of one instruction
    LLVMTypeRef element;
};

static LLVMValueRef int32(struct site *s, uint64_t n)
{
    return LLVMConstInt(LLVMInt32TypeInContext(s->context), n, false);
}

// Elements from..from+count-1 of a vector; those beyond its end are any.
static LLVMValueRef part(struct site *s, LLVMValueRef vector, unsigned from, unsigned count)
{
    LLVMTypeRef type = LLVMTypeOf(vector);
    unsigned have = LLVMGetVectorSize(type);
    if (from == 0 && count == have)
        return vector;
    LLVMValueRef mask[MAX_LANES];
    for (unsigned k = 0; k < count; k++)
        mask[k] = from + k < have ? int32(s, from + k) : LLVMGetPoison(LLVMInt32TypeInContext(s->context));
    return LLVMBuildShuffleVector(s->b, vector, LLVMGetPoison(type), LLVMConstVector(mask, count), "");
}

// An operand as one instruction's worth of lanes.
static LLVMValueRef piece(struct site *s, LLVMValueRef operand, unsigned from)
{
    if (LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMVectorTypeKind) {
        LLVMValueRef any = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(operand), s->width));
        return LLVMBuildInsertElement(s->b, any, operand, int32(s, 0), "");
    }
    return part(s, operand, from, s->width);
}

static LLVMValueRef instruction(struct site *s, LLVMValueRef i, unsigned from)
{
    LLVMValueRef operands[2] = {piece(s, LLVMGetOperand(i, 0), from)};
    if (s->primitive == WEFTC_MATH_SCALE)
        operands[1] = piece(s, LLVMGetOperand(i, 1), from);
    return weftc_target_ops->math(s->module, s->b, s->target, s->primitive, operands);
}

static bool all_constant(LLVMValueRef i)
{
    for (unsigned k = 1; k <= TABLE; k++)
        if (!LLVMIsConstant(LLVMGetOperand(i, k)))
            return false;
    return true;
}

static LLVMValueRef scalar_lookup(struct site *s, LLVMValueRef i)
{
    LLVMValueRef elements[TABLE];
    for (unsigned k = 0; k < TABLE; k++)
        elements[k] = LLVMGetOperand(i, 1 + k);
    LLVMValueRef table = LLVMConstArray2(s->element, elements, TABLE);
    LLVMValueRef global = LLVMAddGlobal(s->module, LLVMTypeOf(table), "weft.table");
    LLVMSetInitializer(global, table);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    LLVMValueRef index = LLVMBuildAnd(s->b, LLVMGetOperand(i, 0), int32(s, TABLE - 1), "");
    index = LLVMBuildZExt(s->b, index, LLVMInt64TypeInContext(s->context), "");
    LLVMValueRef address = LLVMBuildInBoundsGEP2(s->b, s->element, global, &index, 1, "");
    return LLVMBuildLoad2(s->b, s->element, address, "");
}

static LLVMValueRef lookup(struct site *s, LLVMValueRef i, unsigned from)
{
    LLVMValueRef index = LLVMGetOperand(i, 0), table[TABLE];
    // Only its low bits count: numbers of 64 bits needn't be narrowed first.
    if (s->is_double && LLVMIsATruncInst(index) &&
        LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(index, 0)))) == 64)
        index = LLVMGetOperand(index, 0);
    for (unsigned k = 0; k < TABLE; k++)
        table[k] = LLVMGetOperand(i, 1 + k);
    return weftc_target_ops->math_lookup(s->module, s->b, table, piece(s, index, from));
}

static void choose_width(struct site *s)
{
    unsigned min, max;
    weftc_target_ops->math_lanes(s->target, s->primitive, s->is_double, &min, &max);
    s->width = s->lanes > max ? max : s->lanes < min ? min : s->lanes;
}

static LLVMValueRef join(struct site *s, LLVMValueRef *pieces, unsigned count)
{
    // Neighbours are joined until one is left.
    while (count > 1) {
        for (unsigned k = 0; k < count / 2; k++) {
            unsigned n = LLVMGetVectorSize(LLVMTypeOf(pieces[2 * k]));
            LLVMValueRef mask[MAX_LANES];
            for (unsigned e = 0; e < 2 * n; e++)
                mask[e] = int32(s, e);
            pieces[k] = LLVMBuildShuffleVector(s->b, pieces[2 * k], pieces[2 * k + 1],
                                               LLVMConstVector(mask, 2 * n), "");
        }
        count /= 2;
    }
    return pieces[0];
}

static LLVMValueRef lowered(struct site *s, LLVMValueRef i)
{
    if (s->primitive == WEFTC_MATH_LOOKUP && s->lanes == 1)
        return scalar_lookup(s, i);
    choose_width(s);
    LLVMValueRef pieces[MAX_LANES];
    unsigned count = 0;
    for (unsigned from = 0; from < s->lanes; from += s->width)
        pieces[count++] = s->primitive == WEFTC_MATH_LOOKUP ? lookup(s, i, from) : instruction(s, i, from);
    LLVMValueRef whole = join(s, pieces, count);
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVectorTypeKind)
        return LLVMBuildExtractElement(s->b, whole, int32(s, 0), "");
    return part(s, whole, 0, s->lanes);
}

// ---- all calls ----

// Does the target have an instruction for the primitive?
static bool has_primitive(const struct site *s)
{
    if (!weftc_target_ops->math || !weftc_target_ops->math_lanes)
        return false;
    const bool is_estimate = s->primitive == WEFTC_MATH_RSQRT || s->primitive == WEFTC_MATH_RECIPROCAL;
    return s->target->has_math_primitives ? weftc_target_ops->math_lookup != NULL
                                          : s->target->has_estimates && is_estimate && !s->is_double;
}

static bool lower_uses(struct site *s, LLVMValueRef f, struct weft_buf *log)
{
    LLVMUseRef next;
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef i = LLVMGetUser(use);
        LLVMTypeRef type = LLVMTypeOf(i);
        s->lanes = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
        // The vectorizer's widths are powers of two up to 32.
        bool known = s->lanes <= MAX_LANES && (s->lanes & (s->lanes - 1)) == 0;
        if (!known || !has_primitive(s) || (s->primitive == WEFTC_MATH_LOOKUP && !all_constant(i))) {
            weft_buf_printf(log, "error: a call of '%s' has no machine code\n", LLVMGetValueName(f));
            return false;
        }
        LLVMPositionBuilderBefore(s->b, i);
        LLVMReplaceAllUsesWith(i, lowered(s, i));
        LLVMInstructionEraseFromParent(i);
    }
    return true;
}

weft_status weftc_lower_math(LLVMModuleRef module, const struct weftc_target *target, struct weft_buf *log)
{
    struct site s = {.target = target, .module = module, .context = LLVMGetModuleContext(module)};
    s.b = LLVMCreateBuilderInContext(s.context);
    bool ok = true;
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && ok; f = next) {
        next = LLVMGetNextFunction(f);
        const struct row *row = LLVMIsDeclaration(f) ? row_of(LLVMGetValueName(f), &s.is_double) : NULL;
        if (!row)
            continue;
        s.primitive = row->primitive;
        s.element = s.is_double ? LLVMDoubleTypeInContext(s.context) : LLVMFloatTypeInContext(s.context);
        ok = lower_uses(&s, f, log);
        if (ok)
            LLVMDeleteFunction(f);
    }
    LLVMDisposeBuilder(s.b);
    return ok ? WEFT_OK : WEFT_BUILD_FAILED;
}
