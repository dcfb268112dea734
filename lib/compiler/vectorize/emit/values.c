// Values of the vectorized function. Uniform and strided ones are computed once, in their scalar form;
// varying ones in all lanes at once. A form that is missing is made behind the definition when someone asks.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/vectorize/vectorize.h"

enum { MOST_LANES = 64 };

// ---- types and constants ----

LLVMTypeRef weftc_vec_type(const struct weftc_vec *v, LLVMTypeRef scalar)
{
    if (LLVMGetTypeKind(scalar) != LLVMStructTypeKind)
        return LLVMVectorType(scalar, v->lanes);
    unsigned count = LLVMCountStructElementTypes(scalar);
    LLVMTypeRef fields[MOST_LANES];
    if (count > WEFT_COUNT_OF(fields))
        return scalar;
    for (unsigned k = 0; k < count; k++)
        fields[k] = weftc_vec_type(v, LLVMStructGetTypeAtIndex(scalar, k));
    return LLVMStructTypeInContext(v->c, fields, count, false);
}

static LLVMValueRef constant_splat(const struct weftc_vec *v, LLVMValueRef constant)
{
    LLVMValueRef elements[MOST_LANES];
    for (unsigned k = 0; k < v->lanes; k++)
        elements[k] = constant;
    return LLVMConstVector(elements, v->lanes);
}

LLVMValueRef weftc_vec_true(const struct weftc_vec *v)
{
    return constant_splat(v, LLVMConstInt(LLVMInt1TypeInContext(v->c), 1, false));
}

LLVMValueRef weftc_vec_mask(const struct weftc_vec *v)
{
    const struct weftc_flow_block *b = &v->s->flow.blocks[v->block];
    return b->full ? NULL : v->blocks[b->mask_class].mask;
}

LLVMValueRef weftc_vec_bits(struct weftc_vec *v, LLVMValueRef mask)
{
    return LLVMBuildBitCast(v->b, mask, LLVMIntTypeInContext(v->c, v->lanes), "");
}

LLVMValueRef weftc_vec_any(struct weftc_vec *v, LLVMValueRef mask)
{
    LLVMValueRef bits = weftc_vec_bits(v, mask);
    return LLVMBuildICmp(v->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

LLVMValueRef weftc_vec_splat(struct weftc_vec *v, LLVMBuilderRef b, LLVMValueRef scalar)
{
    LLVMTypeRef type = LLVMTypeOf(scalar);
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        LLVMTypeRef wide = weftc_vec_type(v, type);
        if (LLVMIsUndef(scalar) || LLVMIsPoison(scalar))
            return LLVMGetPoison(wide);
        LLVMValueRef result = LLVMGetPoison(wide);
        for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
            LLVMValueRef field = weftc_vec_splat(v, b, LLVMBuildExtractValue(b, scalar, k, ""));
            result = LLVMBuildInsertValue(b, result, field, k, "");
        }
        return result;
    }
    if (LLVMIsConstant(scalar) && !LLVMIsAGlobalValue(scalar))
        return constant_splat(v, scalar);
    LLVMTypeRef wide = LLVMVectorType(type, v->lanes);
    LLVMValueRef first = LLVMBuildInsertElement(b, LLVMGetPoison(wide), scalar, weftc_i64(v->c, 0), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(LLVMInt32TypeInContext(v->c), v->lanes));
    return LLVMBuildShuffleVector(b, first, LLVMGetPoison(wide), zeros, "");
}

// <0, 1, 2, ...> * factor
static LLVMValueRef progression(const struct weftc_vec *v, LLVMTypeRef integer, int64_t factor)
{
    LLVMValueRef elements[MOST_LANES];
    for (unsigned k = 0; k < v->lanes; k++)
        elements[k] = LLVMConstInt(integer, (uint64_t)factor * k, false);
    return LLVMConstVector(elements, v->lanes);
}

LLVMValueRef weftc_vec_slot(struct weftc_vec *v, LLVMTypeRef type)
{
    LLVMPositionBuilderAtEnd(v->at_def, v->entry);
    return LLVMBuildAlloca(v->at_def, type, "");
}

// ---- the forms of a value ----

struct weftc_shape weftc_vec_shape(const struct weftc_vec *v, LLVMValueRef value)
{
    return weftc_shape_of(v->s, value);
}

bool weftc_vec_is_scalar(const struct weftc_vec *v, LLVMValueRef value)
{
    return weftc_vec_shape(v, value).kind != WEFTC_VARYING;
}

static struct weftc_vec_value *forms_of(struct weftc_vec *v, LLVMValueRef value)
{
    if (LLVMIsAInstruction(value)) {
        uint32_t n = weftc_map_get(&v->s->number, value);
        return n == UINT32_MAX ? NULL : &v->values[n];
    }
    if (!LLVMIsAArgument(value))
        return NULL;
    unsigned k = 0;
    while (LLVMGetParam(v->from, k) != value)
        k++;
    struct weftc_vec_value *forms = &v->arguments[k];
    if (weftc_vec_shape(v, value).kind == WEFTC_VARYING)
        forms->vector = LLVMGetParam(v->to, k);
    else
        forms->scalar = LLVMGetParam(v->to, k);
    return forms;
}

// Puts at_def behind what made `scalar`.
static void position_behind(struct weftc_vec *v, LLVMValueRef scalar)
{
    LLVMValueRef at = LLVMIsAInstruction(scalar);
    if (!at) {
        LLVMPositionBuilderAtEnd(v->at_def, v->entry);
        return;
    }
    LLVMBasicBlockRef block = LLVMGetInstructionParent(at);
    LLVMValueRef next = LLVMGetNextInstruction(at);
    while (next && LLVMIsAPHINode(next))
        next = LLVMGetNextInstruction(next);
    if (next)
        LLVMPositionBuilderBefore(v->at_def, next);
    else
        LLVMPositionBuilderAtEnd(v->at_def, block);
}

LLVMValueRef weftc_vec_scalar(struct weftc_vec *v, LLVMValueRef value)
{
    struct weftc_vec_value *forms = forms_of(v, value);
    if (!forms)
        return value; // a constant
    if (!forms->scalar) {
        if (!v->reason)
            v->reason = "a value is wanted as a scalar that has no such form";
        return LLVMGetPoison(LLVMTypeOf(value));
    }
    return forms->scalar;
}

static LLVMValueRef spread(struct weftc_vec *v, LLVMValueRef scalar, int64_t stride)
{
    LLVMBuilderRef b = v->at_def;
    LLVMTypeRef type = LLVMTypeOf(scalar);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        LLVMValueRef steps = progression(v, LLVMInt64TypeInContext(v->c), stride);
        return LLVMBuildGEP2(b, LLVMInt8TypeInContext(v->c), scalar, &steps, 1, "");
    }
    return LLVMBuildAdd(b, weftc_vec_splat(v, b, scalar), progression(v, type, stride), "");
}

LLVMValueRef weftc_vec_vector(struct weftc_vec *v, LLVMValueRef value)
{
    struct weftc_vec_value *forms = forms_of(v, value);
    if (!forms) {
        LLVMPositionBuilderAtEnd(v->at_def, v->entry);
        return weftc_vec_splat(v, v->at_def, value);
    }
    if (!forms->vector) {
        LLVMValueRef scalar = weftc_vec_scalar(v, value);
        position_behind(v, scalar);
        struct weftc_shape shape = weftc_vec_shape(v, value);
        forms->vector = shape.kind == WEFTC_STRIDED ? spread(v, scalar, shape.stride)
                                                    : weftc_vec_splat(v, v->at_def, scalar);
    }
    return forms->vector;
}

static LLVMValueRef extract_lane(struct weftc_vec *v, LLVMValueRef vector, LLVMTypeRef type,
                                 LLVMValueRef lane)
{
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMBuildExtractElement(v->b, vector, lane, "");
    LLVMValueRef result = LLVMGetPoison(type);
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
        LLVMValueRef field = extract_lane(v, LLVMBuildExtractValue(v->b, vector, k, ""),
                                          LLVMStructGetTypeAtIndex(type, k), lane);
        result = LLVMBuildInsertValue(v->b, result, field, k, "");
    }
    return result;
}

LLVMValueRef weftc_vec_lane(struct weftc_vec *v, LLVMValueRef value, LLVMValueRef lane)
{
    struct weftc_shape shape = weftc_vec_shape(v, value);
    if (shape.kind == WEFTC_VARYING)
        return extract_lane(v, weftc_vec_vector(v, value), LLVMTypeOf(value), lane);
    LLVMValueRef scalar = weftc_vec_scalar(v, value);
    if (shape.kind == WEFTC_UNIFORM)
        return scalar;
    bool pointer = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
    LLVMTypeRef integer = pointer ? LLVMInt64TypeInContext(v->c) : LLVMTypeOf(value);
    LLVMValueRef index = LLVMBuildIntCast2(v->b, lane, integer, false, "");
    LLVMValueRef step = LLVMBuildMul(v->b, index, LLVMConstInt(integer, (uint64_t)shape.stride, true), "");
    if (!pointer)
        return LLVMBuildAdd(v->b, scalar, step, "");
    return LLVMBuildGEP2(v->b, LLVMInt8TypeInContext(v->c), scalar, &step, 1, "");
}

void weftc_vec_set_scalar(struct weftc_vec *v, LLVMValueRef i, LLVMValueRef scalar)
{
    forms_of(v, i)->scalar = scalar;
}

void weftc_vec_set_vector(struct weftc_vec *v, LLVMValueRef i, LLVMValueRef vector)
{
    forms_of(v, i)->vector = vector;
}

LLVMValueRef weftc_vec_blend(struct weftc_vec *v, LLVMValueRef mask, LLVMValueRef yes, LLVMValueRef no)
{
    LLVMTypeRef type = LLVMTypeOf(yes);
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMBuildSelect(v->b, mask, yes, no, "");
    LLVMValueRef result = LLVMGetPoison(type);
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
        LLVMValueRef field = weftc_vec_blend(v, mask, LLVMBuildExtractValue(v->b, yes, k, ""),
                                             LLVMBuildExtractValue(v->b, no, k, ""));
        result = LLVMBuildInsertValue(v->b, result, field, k, "");
    }
    return result;
}

// ---- scalar instructions ----

LLVMValueRef weftc_vec_insert_for_any_lane(LLVMBuilderRef b, LLVMValueRef copy)
{
    if (LLVMGetInstructionOpcode(copy) == LLVMOr && LLVMGetIsDisjoint(copy)) {
        LLVMValueRef sum = LLVMBuildAdd(b, LLVMGetOperand(copy, 0), LLVMGetOperand(copy, 1), "");
        LLVMDeleteInstruction(copy);
        return sum;
    }
    LLVMInsertIntoBuilder(b, copy);
    weftc_bridge_drop_flags(copy);
    return copy;
}

// Lane 0's value as if everything that it is made of were computed in 64 bits, where it doesn't wrap: for
// values whose progression is exact in the active lanes, though lane 0 itself may not be among these.
static LLVMValueRef wide(struct weftc_vec *v, LLVMValueRef value)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(v->c);
    struct weftc_vec_value *forms = forms_of(v, value);
    if (forms && forms->wide)
        return forms->wide;
    LLVMValueRef scalar = weftc_vec_scalar(v, value), result;
    struct weftc_shape shape = weftc_vec_shape(v, value);
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMPHI;
    if (shape.kind == WEFTC_STRIDED && shape.most > INT32_MAX && weftc_is_progression(opcode)) {
        LLVMValueRef a = wide(v, LLVMGetOperand(value, 0)), b = wide(v, LLVMGetOperand(value, 1));
        position_behind(v, scalar);
        result = LLVMBuildBinOp(v->at_def, opcode == LLVMOr ? LLVMAdd : opcode, a, b, "");
    } else if (opcode == LLVMSelect && weftc_assumed_choice(v->s, value)) {
        result = wide(v, weftc_assumed_choice(v->s, value));
    } else {
        position_behind(v, scalar);
        result = LLVMBuildIntCast2(v->at_def, scalar, i64, true, "");
    }
    if (forms)
        forms->wide = result;
    return result;
}

static bool has_strided_operand(const struct weftc_vec *v, LLVMValueRef i)
{
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        if (weftc_vec_shape(v, LLVMGetOperand(i, k)).kind == WEFTC_STRIDED)
            return true;
    return false;
}

static void emit_scalar(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (weftc_is_wide_extension(v->s, i)) {
        LLVMValueRef value = wide(v, LLVMGetOperand(i, 0));
        weftc_vec_set_scalar(v, i, LLVMBuildIntCast2(v->b, value, LLVMTypeOf(i), true, ""));
        return;
    }
    if (opcode == LLVMOr && weftc_vec_shape(v, i).kind == WEFTC_STRIDED) {
        // Disjoint bits, a sum: in the active lanes. The others' bits may overlap, lane 0's too, and the
        // progression begins with the sum there.
        LLVMValueRef a = weftc_vec_scalar(v, LLVMGetOperand(i, 0)),
                     b = weftc_vec_scalar(v, LLVMGetOperand(i, 1));
        weftc_vec_set_scalar(v, i, LLVMBuildAdd(v->b, a, b, ""));
        return;
    }
    if (opcode == LLVMSelect && weftc_vec_shape(v, i).kind == WEFTC_STRIDED &&
        weftc_assumed_choice(v->s, i)) {
        weftc_vec_set_scalar(v, i, weftc_vec_scalar(v, weftc_assumed_choice(v->s, i)));
        return;
    }
    LLVMValueRef copy = LLVMInstructionClone(i);
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        LLVMSetOperand(copy, k, weftc_vec_scalar(v, LLVMGetOperand(i, k)));
    LLVMInsertIntoBuilder(v->b, copy);
    // What the flags say holds in the active lanes; lane 0 may not be one.
    if (!v->blocks[v->block].sure || (!v->s->flow.blocks[v->block].full && has_strided_operand(v, i)))
        weftc_bridge_drop_flags(copy);
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
        weftc_vec_set_scalar(v, i, copy);
}

// ---- vector instructions ----

static bool is_division(LLVMOpcode opcode)
{
    return opcode == LLVMSDiv || opcode == LLVMSRem || opcode == LLVMUDiv || opcode == LLVMURem;
}

// Lanes that aren't active divide by one.
static LLVMValueRef guarded_divisor(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMValueRef divisor = weftc_vec_vector(v, LLVMGetOperand(i, 1)), mask = weftc_vec_mask(v);
    if (!mask || LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
        return divisor;
    return LLVMBuildSelect(v->b, mask, divisor, constant_splat(v, LLVMConstInt(LLVMTypeOf(i), 1, false)), "");
}

// Processors divide whole numbers one by one. A quotient a / b of numbers of up to 32 bits that isn't whole is at least 1 / b away from the
// next one that is, and a division of doubles moves it by a / b * 2^-53: that gives it.
static bool divides_as_double(const struct weftc_vec *v, LLVMValueRef i)
{
    return is_division(LLVMGetInstructionOpcode(i)) && !weftc_vec_is_scalar(v, i) &&
           LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMTypeOf(i)) <= 32 && !LLVMIsConstant(LLVMGetOperand(i, 1));
}

// The quotient by a number that is the same for all lanes, of vectors of double: times its reciprocal, enlarged by more than all roundings
// take away, and by less than lifts a quotient to the next whole number, as a / b * 2^-47 is less than 1 / b.
static LLVMValueRef times_reciprocal(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef divisor,
                                     bool is_signed)
{
    LLVMTypeRef real = LLVMDoubleTypeInContext(v->c);
    LLVMValueRef b = weftc_vec_scalar(v, divisor);
    b = is_signed ? LLVMBuildSIToFP(v->b, b, real, "") : LLVMBuildUIToFP(v->b, b, real, "");
    LLVMValueRef r = LLVMBuildFDiv(v->b, LLVMConstReal(real, 1 + 0x1p-48), b, "");
    return LLVMBuildFMul(v->b, a, weftc_vec_splat(v, v->b, r), "");
}

static LLVMValueRef divide_as_double(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem,
         rest = opcode == LLVMSRem || opcode == LLVMURem;
    LLVMValueRef divisor = LLVMGetOperand(i, 1), a = weftc_vec_vector(v, LLVMGetOperand(i, 0)), quotient;
    LLVMTypeRef real = weftc_vec_type(v, LLVMDoubleTypeInContext(v->c)), whole = LLVMTypeOf(a);
    LLVMTypeRef word = weftc_vec_type(v, LLVMInt32TypeInContext(v->c));
    LLVMValueRef x = is_signed ? LLVMBuildSIToFP(v->b, a, real, "") : LLVMBuildUIToFP(v->b, a, real, "");
    LLVMValueRef b;
    if (weftc_vec_shape(v, divisor).kind == WEFTC_UNIFORM) {
        b = weftc_vec_vector(v, divisor);
        quotient = times_reciprocal(v, x, divisor, is_signed);
    } else {
        b = guarded_divisor(v, i);
        LLVMValueRef y = is_signed ? LLVMBuildSIToFP(v->b, b, real, "") : LLVMBuildUIToFP(v->b, b, real, "");
        quotient = LLVMBuildFDiv(v->b, x, y, "");
    }
    quotient =
        is_signed ? LLVMBuildFPToSI(v->b, quotient, word, "") : LLVMBuildFPToUI(v->b, quotient, word, "");
    quotient = LLVMBuildIntCast2(v->b, quotient, whole, is_signed, "");
    return rest ? LLVMBuildSub(v->b, a, LLVMBuildMul(v->b, quotient, b, ""), "") : quotient;
}

static LLVMValueRef widen_call(struct weftc_vec *v, LLVMValueRef i)
{
    uint32_t scalar_operands = 0;
    LLVMValueRef f = weftc_bridge_widen_intrinsic(i, v->lanes, &scalar_operands);
    if (!f)
        return NULL;
    unsigned count = LLVMGetNumArgOperands(i);
    LLVMValueRef arguments[32];
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef operand = LLVMGetOperand(i, k);
        bool scalar = scalar_operands >> k & 1;
        if (scalar && weftc_vec_shape(v, operand).kind != WEFTC_UNIFORM)
            return NULL;
        arguments[k] = scalar ? weftc_vec_scalar(v, operand) : weftc_vec_vector(v, operand);
    }
    return LLVMBuildCall2(v->b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}

// Calls that say something to the optimiser which isn't true of lanes together, or isn't worth keeping.
bool weftc_vec_is_hint(LLVMValueRef i)
{
    static const char *const hints[] = {"llvm.lifetime.", "llvm.assume",     "llvm.sideeffect",
                                        "llvm.donothing", "llvm.invariant.", "llvm.dbg."};
    LLVMValueRef f = weftc_callee(i);
    const char *name = f ? LLVMGetValueName(f) : "";
    for (size_t k = 0; k < WEFT_COUNT_OF(hints); k++)
        if (strncmp(name, hints[k], strlen(hints[k])) == 0)
            return true;
    return false;
}

// Where a `restrict` pointer's scope begins: true of lanes together (where lanes meet without order, the
// program is wrong), and without it an unrolled loop's rounds would share the scope.
static bool is_scope(LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    return f && strcmp(LLVMGetValueName(f), "llvm.experimental.noalias.scope.decl") == 0;
}

// memcpy and such, between places that are the same for all lanes: once is enough.
static bool is_uniform_copy(const struct weftc_vec *v, LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    const char *name = f ? LLVMGetValueName(f) : "";
    if (strncmp(name, "llvm.mem", 8) != 0 || LLVMGetNumArgOperands(i) < 4)
        return false;
    for (unsigned k = 0; k < 3; k++)
        if (weftc_vec_shape(v, LLVMGetOperand(i, k)).kind != WEFTC_UNIFORM)
            return false;
    LLVMValueRef is_volatile = LLVMGetOperand(i, 3);
    return LLVMIsAConstantInt(is_volatile) && LLVMConstIntGetZExtValue(is_volatile) == 0;
}

static void emit_call(struct weftc_vec *v, LLVMValueRef i)
{
    if (weftc_vec_is_hint(i))
        return;
    if (is_scope(i) || is_uniform_copy(v, i)) {
        emit_scalar(v, i);
        return;
    }
    if (weftc_vec_call(v, i))
        return;
    LLVMValueRef vector = widen_call(v, i);
    if (!vector) {
        weftc_vec_serial(v, i);
        return;
    }
    weftc_bridge_copy_flags(vector, i);
    weftc_vec_set_vector(v, i, vector);
}

static void emit_vector(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef a, b, result = NULL;
    LLVMTypeRef type = LLVMTypeOf(i);
    switch (opcode) {
    case LLVMFNeg:
        result = LLVMBuildFNeg(v->b, weftc_vec_vector(v, LLVMGetOperand(i, 0)), "");
        break;
    case LLVMFreeze:
        result = LLVMBuildFreeze(v->b, weftc_vec_vector(v, LLVMGetOperand(i, 0)), "");
        break;
    case LLVMICmp:
    case LLVMFCmp:
        a = weftc_vec_vector(v, LLVMGetOperand(i, 0));
        b = weftc_vec_vector(v, LLVMGetOperand(i, 1));
        result = opcode == LLVMICmp ? LLVMBuildICmp(v->b, LLVMGetICmpPredicate(i), a, b, "")
                                    : LLVMBuildFCmp(v->b, LLVMGetFCmpPredicate(i), a, b, "");
        break;
    case LLVMSelect: {
        LLVMValueRef condition = LLVMGetOperand(i, 0);
        bool same = weftc_vec_shape(v, condition).kind == WEFTC_UNIFORM;
        condition = same ? weftc_vec_scalar(v, condition) : weftc_vec_vector(v, condition);
        a = weftc_vec_vector(v, LLVMGetOperand(i, 1));
        b = weftc_vec_vector(v, LLVMGetOperand(i, 2));
        result = same ? LLVMBuildSelect(v->b, condition, a, b, "") : weftc_vec_blend(v, condition, a, b);
        break;
    }
    case LLVMExtractValue:
        result =
            LLVMBuildExtractValue(v->b, weftc_vec_vector(v, LLVMGetOperand(i, 0)), LLVMGetIndices(i)[0], "");
        break;
    case LLVMInsertValue:
        a = weftc_vec_vector(v, LLVMGetOperand(i, 0));
        b = weftc_vec_vector(v, LLVMGetOperand(i, 1));
        result = LLVMBuildInsertValue(v->b, a, b, LLVMGetIndices(i)[0], "");
        break;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
        a = weftc_vec_vector(v, LLVMGetOperand(i, 0));
        result = LLVMBuildCast(v->b, opcode, a, weftc_vec_type(v, type), "");
        break;
    default:
        if (divides_as_double(v, i)) {
            weftc_vec_set_vector(v, i, divide_as_double(v, i));
            return;
        }
        a = weftc_vec_vector(v, LLVMGetOperand(i, 0));
        b = is_division(opcode) ? guarded_divisor(v, i) : weftc_vec_vector(v, LLVMGetOperand(i, 1));
        result = LLVMBuildBinOp(v->b, opcode, a, b, "");
        break;
    }
    weftc_bridge_copy_flags(result, i);
    weftc_vec_set_vector(v, i, result);
}

void weftc_vec_instruction(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    switch (opcode) {
    case LLVMAlloca:
        weftc_vec_alloca(v, i);
        return;
    case LLVMStore:
        weftc_vec_store(v, i);
        return;
    case LLVMFence:
        emit_scalar(v, i);
        return;
    case LLVMGetElementPtr:
        weftc_vec_gep(v, i);
        return;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        if (weftc_vec_is_reduced(v, i))
            weftc_vec_reduced(v, i);
        else
            weftc_vec_serial(v, i);
        return;
    case LLVMCall:
        if (weftc_vec_sub_group(v, i))
            return;
        if (!weftc_vec_is_scalar(v, i) || LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind) {
            emit_call(v, i);
            return;
        }
        break;
    case LLVMLoad:
        if (!weftc_vec_is_scalar(v, i)) {
            weftc_vec_load(v, i);
            return;
        }
        break;
    default:
        break;
    }
    if (weftc_vec_is_scalar(v, i))
        emit_scalar(v, i);
    else
        emit_vector(v, i);
}

// ---- what an instruction asks for ----

bool weftc_vec_needs_lane(const struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool scalar = weftc_vec_is_scalar(v, i);
    switch (opcode) {
    case LLVMLoad: {
        const struct weftc_vec_group *g = weftc_vec_group_of(v, i);
        return scalar || weftc_vec_is_serial_access(v, i) || weftc_vec_is_nearly(v, i) ||
               (g && (weftc_vec_plan(v, g).way == WEFTC_WAY_LANES ||
                      weftc_vec_plan(v, g).way == WEFTC_WAY_WINDOW));
    }
    case LLVMStore:
        return weftc_vec_shape(v, LLVMGetOperand(i, 1)).kind == WEFTC_UNIFORM ||
               weftc_vec_is_serial_access(v, i) || weftc_vec_is_nearly(v, i);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
    case LLVMRet:
        return true;
    case LLVMCall: {
        enum weftc_primitive p;
        unsigned dim;
        uint32_t scalar_operands;
        return !weftc_primitive_of(i, &p, &dim) && !weftc_vec_is_hint(i) && !is_scope(i) &&
               !weftc_bridge_widen_intrinsic(i, v->lanes, &scalar_operands);
    }
    default:
        return scalar && is_division(opcode);
    }
}

unsigned weftc_vec_cost(const struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMStore)
        return 6;
    if (opcode == LLVMPHI || LLVMIsATerminatorInst(i) || weftc_vec_is_scalar(v, i))
        return opcode == LLVMCall || opcode == LLVMPHI ? 0 : 1;
    if (is_division(opcode))
        return 40;
    switch (opcode) {
    case LLVMLoad: {
        struct weftc_shape pointer = weftc_vec_shape(v, LLVMGetOperand(i, 0));
        return pointer.kind == WEFTC_STRIDED ? 4 : 40;
    }
    case LLVMCall:
        return weftc_vec_is_hint(i) || is_scope(i) ? 0 : 6;
    case LLVMFDiv:
    case LLVMFRem:
        return 10;
    default:
        return 1;
    }
}
