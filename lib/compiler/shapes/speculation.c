// Speculated shapes: they hold in most vector iterations, and a check at run time finds out where. Mostly
// they are what a division leaves of an id, or a mask that cuts it: the result is strided or uniform unless
// it begins anew within the vector.
//
//     x = id % width, y = id / width     x is strided and y uniform if x + lanes <= width
//     l & (distance - 1)                 strided if distance and lane 0's l are multiples of the lanes
//     l & 15, l >> 4                     with constants: strided, uniform
//     (2 * l + 6) >> 1                   strided, unless the sum wraps
//     clamp(x + 1, 0, width - 1)         strided as x is, inside the picture
//     min(abs(x), 2 * width - 2 - x)     the same, where the picture is mirrored at its edges
//     x < width ? x : 2 * width - 2 - x  the same
//     x < width - 1, x != 0              the same in all lanes, except at the edge
//     x > 0 ? x - 1 : width - 1          strided as x is, except at the edge
//     x < width, where x is also clamped to 0 and width - 1: true inside the picture
//     (int)(y * width + x)               strided as the wider number is, if it doesn't wrap
//
// vectorize/versioning.c makes a version of the function for which such shapes hold, and the check.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/shapes/shapes.h"
#include "compiler/shapes/transfer.h"

enum {
    MAX_STEPS = 12,
    MAX_STRIDE = 1 << 20, // larger strides are useless
};

bool weftc_clamp_of(LLVMValueRef i, struct weftc_clamp *clamp)
{
    static const struct {
        const char *name;
        bool greater, is_signed;
    } kinds[] = {{"llvm.smax", true, true},
                 {"llvm.smin", false, true},
                 {"llvm.umax", true, false},
                 {"llvm.umin", false, false}};
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    unsigned id = f ? LLVMGetIntrinsicID(f) : 0;
    for (size_t k = 0; k < WEFT_COUNT_OF(kinds) && id; k++) {
        if (id != LLVMLookupIntrinsicID(kinds[k].name, strlen(kinds[k].name)))
            continue;
        clamp->greater = kinds[k].greater;
        clamp->is_signed = kinds[k].is_signed;
        return true;
    }
    return false;
}

static bool is_abs(LLVMValueRef i)
{
    static const char name[] = "llvm.abs";
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    unsigned id = f ? LLVMGetIntrinsicID(f) : 0;
    return id && id == LLVMLookupIntrinsicID(name, strlen(name));
}

static bool is_early(LLVMValueRef value, unsigned steps)
{
    if (!LLVMIsAInstruction(value))
        return LLVMIsAArgument(value) || LLVMIsAConstant(value);
    enum weftc_primitive p;
    unsigned dim;
    if (steps == 0)
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMCall: {
        struct weftc_clamp clamp;
        if (weftc_primitive_of(value, &p, &dim))
            return true;
        return (weftc_clamp_of(value, &clamp) || is_abs(value)) &&
               is_early(LLVMGetOperand(value, 0), steps - 1) && is_early(LLVMGetOperand(value, 1), steps - 1);
    }
    case LLVMLoad: // the size of an image
        if (!weftc_bridge_is_fixed_load(value))
            return false;
        break;
    case LLVMGetElementPtr:
    case LLVMFreeze:
        break;
    default:
        if (!weftc_is_integer_operation(LLVMGetInstructionOpcode(value)))
            return false;
    }
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        if (!is_early(LLVMGetOperand(value, k), steps - 1))
            return false;
    return true;
}

bool weftc_is_early(LLVMValueRef value)
{
    return is_early(value, MAX_STEPS);
}

// Which ids along dimension 0 a value is computed from, in a few steps.
struct ids {
    bool own;   // of the work-item within its group or sub-group
    bool group; // of the group
};

static void find_ids(LLVMValueRef value, unsigned steps, struct ids *ids)
{
    enum weftc_primitive p;
    unsigned dim;
    if (!LLVMIsAInstruction(value) || (ids->own && ids->group))
        return;
    if (steps == 0) {
        ids->own = true; // perhaps
        return;
    }
    if (weftc_primitive_of(value, &p, &dim)) {
        ids->own |= weftc_primitive_varies(p) && dim == 0 && p != WEFTC_GLOBAL_ID && p != WEFTC_GLOBAL_ID32 &&
                    p != WEFTC_INDEX && p != WEFTC_INDEX32;
        ids->group |= p == WEFTC_GROUP_ID && dim == 0;
        return;
    }
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        find_ids(LLVMGetOperand(value, k), steps - 1, ids);
}

// Is the value computed from an id within the group or sub-group? Groups are often only a few vector
// iterations wide. Then each group has iterations in which a comparison of such a value differs from lane to
// lane. A sum of it and of the group's id is a place in the whole range, as of groups that overlap.
static bool is_within_group(LLVMValueRef value)
{
    struct ids ids = {false, false};
    find_ids(value, MAX_STEPS, &ids);
    return ids.own && !ids.group;
}

LLVMValueRef weftc_speculated_comparison(const struct weftc_shapes *s, LLVMValueRef i, bool *second)
{
    if (!LLVMIsAICmpInst(i))
        return NULL;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    if (bits != 32 && bits != 64)
        return NULL;
    *second = weftc_shape_of(s, LLVMGetOperand(i, 0)).kind == WEFTC_UNIFORM;
    LLVMValueRef value = LLVMGetOperand(i, *second), bound = LLVMGetOperand(i, !*second);
    struct weftc_shape shape = weftc_shape_of(s, value);
    // A value that has no more than `lanes` possible values would cross any bound within a vector.
    bool may = shape.kind == WEFTC_STRIDED && shape.stride < MAX_STRIDE && shape.stride > -MAX_STRIDE &&
               shape.max >= s->lanes && weftc_shape_of(s, bound).kind == WEFTC_UNIFORM;
    return may && is_early(value, MAX_STEPS) && is_early(bound, MAX_STEPS) && !is_within_group(value) ? value
                                                                                                      : NULL;
}

// Is `of` computed from `value`, in a few steps?
static bool is_made_of(LLVMValueRef of, LLVMValueRef value, unsigned steps)
{
    if (of == value)
        return true;
    if (!LLVMIsAInstruction(of) || LLVMIsAPHINode(of) || steps == 0)
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(of); k++)
        if (is_made_of(LLVMGetOperand(of, k), value, steps - 1))
            return true;
    return false;
}

enum weftc_outcome weftc_speculated_outcome(LLVMValueRef i, LLVMValueRef value)
{
    enum { MAX_MADE_STEPS = 3 };
    LLVMIntPredicate p = LLVMGetICmpPredicate(i);
    if (p == LLVMIntEQ || p == LLVMIntNE)
        return p == LLVMIntNE ? WEFTC_IS_TRUE : WEFTC_IS_FALSE;
    // Speculate on the outcome for which a select takes a number that is computed from `value`, so that
    // neighbouring lanes have neighbouring numbers.
    enum weftc_outcome all = WEFTC_ANY_OUTCOME;
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsASelectInst(user) || LLVMGetOperand(user, 0) != i)
            continue;
        bool yes = is_made_of(LLVMGetOperand(user, 1), value, MAX_MADE_STEPS),
             no = is_made_of(LLVMGetOperand(user, 2), value, MAX_MADE_STEPS);
        // Of two that are made of it, one is the value itself, and the other one is mirrored at an edge.
        if (yes && no) {
            yes = LLVMGetOperand(user, 1) == value;
            no = LLVMGetOperand(user, 2) == value;
        }
        enum weftc_outcome one = yes ? WEFTC_IS_TRUE : WEFTC_IS_FALSE;
        if (yes == no)
            continue;
        if (all != WEFTC_ANY_OUTCOME && all != one)
            return WEFTC_ANY_OUTCOME;
        all = one;
    }
    return all;
}

LLVMValueRef weftc_speculated_choice(const struct weftc_shapes *s, LLVMValueRef i)
{
    bool second;
    LLVMValueRef condition = LLVMGetOperand(i, 0);
    LLVMValueRef value = s->speculate ? weftc_speculated_comparison(s, condition, &second) : NULL;
    if (!value || weftc_shape_of(s, condition).kind != WEFTC_UNIFORM)
        return NULL;
    enum weftc_outcome outcome = weftc_speculated_outcome(condition, value);
    return outcome == WEFTC_ANY_OUTCOME ? NULL : LLVMGetOperand(i, outcome == WEFTC_IS_TRUE ? 1 : 2);
}

// Is the value something minus one?
static bool is_one_less(LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAdd &&
           LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
           LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1)) == -1;
}

// The operand of clamp i that isn't uniform. *bound: the other one.
static LLVMValueRef clamped(const struct weftc_shapes *s, LLVMValueRef i, LLVMValueRef *bound)
{
    bool second = weftc_shape_of(s, LLVMGetOperand(i, 0)).kind == WEFTC_UNIFORM;
    *bound = LLVMGetOperand(i, !second);
    return LLVMGetOperand(i, second);
}

LLVMValueRef weftc_speculated_clamp(const struct weftc_shapes *s, LLVMValueRef i, LLVMValueRef *bound)
{
    struct weftc_clamp clamp;
    LLVMTypeRef type = LLVMTypeOf(i);
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    if ((bits != 32 && bits != 64) || !weftc_clamp_of(i, &clamp))
        return NULL;
    LLVMValueRef value = clamped(s, i, bound);
    struct weftc_shape shape = weftc_shape_of(s, value), other = weftc_shape_of(s, *bound);
    bool may = shape.kind == WEFTC_STRIDED && shape.stride < MAX_STRIDE && shape.stride > -MAX_STRIDE &&
               other.kind == WEFTC_UNIFORM;
    return may && is_early(value, MAX_STEPS) && is_early(*bound, MAX_STEPS) ? value : NULL;
}

// Does the shape grow (or fall) from lane to lane, by a useful number?
static bool grows(struct weftc_shape shape, bool falls)
{
    int64_t stride = falls ? -shape.stride : shape.stride;
    return shape.kind == WEFTC_STRIDED && stride > 0 && stride < MAX_STRIDE;
}

LLVMValueRef weftc_speculated_mirror(const struct weftc_shapes *s, LLVMValueRef i, LLVMValueRef *falling)
{
    enum { WORD = 32 };
    struct weftc_clamp clamp;
    LLVMTypeRef type = LLVMTypeOf(i);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != WORD)
        return NULL;
    *falling = NULL;
    if (is_abs(i)) {
        LLVMValueRef value = LLVMGetOperand(i, 0);
        return grows(weftc_shape_of(s, value), false) && is_early(value, MAX_STEPS) && !is_within_group(value)
                   ? value
                   : NULL;
    }
    if (!weftc_clamp_of(i, &clamp) || !clamp.is_signed)
        return NULL;
    bool second = grows(weftc_shape_of(s, LLVMGetOperand(i, 0)), true);
    LLVMValueRef value = LLVMGetOperand(i, second);
    *falling = LLVMGetOperand(i, !second);
    return grows(weftc_shape_of(s, value), false) && grows(weftc_shape_of(s, *falling), true) &&
                   is_early(value, MAX_STEPS) && is_early(*falling, MAX_STEPS) && !is_within_group(value)
               ? value
               : NULL;
}

// The value of which i takes the low `bits` bits of a multiple, extended (*is_signed) and multiplied by 2^up;
// *factor: which multiple. NULL: i does something else.
static LLVMValueRef low_bits_of(LLVMValueRef i, unsigned *bits, unsigned *up, uint64_t *factor,
                                bool *is_signed)
{
    enum { WORD = 64, MIN_BITS = 32 };
    LLVMOpcode opcode = LLVMIsAInstruction(i) ? LLVMGetInstructionOpcode(i) : LLVMPHI;
    LLVMTypeRef type = LLVMTypeOf(i);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != WORD)
        return NULL;
    *up = 0;
    *factor = 1;
    *is_signed = opcode == LLVMSExt || opcode == LLVMAShr || (opcode == LLVMZExt && LLVMGetNNeg(i));
    if (opcode == LLVMSExt || opcode == LLVMZExt) {
        *bits = LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(i, 0)));
        return *bits >= MIN_BITS ? LLVMGetOperand(i, 0) : NULL;
    }
    if (opcode != LLVMAnd && opcode != LLVMAShr && opcode != LLVMLShr)
        return NULL;
    LLVMValueRef of = LLVMGetOperand(i, 0), by = LLVMIsAConstantInt(LLVMGetOperand(i, 1));
    if (!by)
        return NULL;
    uint64_t number = LLVMConstIntGetZExtValue(by);
    if (opcode == LLVMAnd) {
        *bits = MIN_BITS;
        return number == UINT32_MAX ? of : NULL;
    }
    LLVMOpcode inner = LLVMIsAInstruction(of) ? LLVMGetInstructionOpcode(of) : LLVMPHI;
    LLVMValueRef shifted =
        inner == LLVMShl || inner == LLVMMul ? LLVMIsAConstantInt(LLVMGetOperand(of, 1)) : NULL;
    uint64_t left = shifted ? LLVMConstIntGetZExtValue(shifted) : 0;
    if (inner == LLVMMul && number < WORD) {
        // A multiple that is shifted up at once, by as much as it is shifted down again.
        *factor = left >> number;
        left = left == *factor << number && *factor < MAX_STRIDE ? number : 0;
    }
    if (left == 0 || left > WORD - MIN_BITS || number > left || number == 0)
        return NULL;
    *bits = WORD - (unsigned)left;
    *up = (unsigned)(left - number);
    return LLVMGetOperand(of, 0);
}

bool weftc_speculated_extension(const struct weftc_shapes *s, LLVMValueRef i, struct weftc_extension *e)
{
    unsigned bits;
    uint64_t factor;
    LLVMValueRef value = low_bits_of(i, &bits, &e->up, &factor, &e->is_signed);
    if (!value)
        return false;
    struct weftc_shape shape = weftc_shape_of(s, value);
    if (!grows(shape, false) || !is_early(value, MAX_STEPS))
        return false;
    uint64_t stride = (uint64_t)shape.stride * factor;
    if (stride >= MAX_STRIDE)
        return false;
    e->narrow_stride = (int64_t)stride;
    e->stride = (int64_t)(stride << e->up);
    e->max = ((1ull << (bits - e->is_signed)) - 1) << e->up;
    return true;
}

bool weftc_shifts_strides(const struct weftc_shapes *s, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMIsAInstruction(i) ? LLVMGetInstructionOpcode(i) : LLVMPHI;
    if (opcode != LLVMLShr && opcode != LLVMAShr)
        return false;
    LLVMValueRef by = LLVMIsAConstantInt(LLVMGetOperand(i, 1));
    struct weftc_shape shape = weftc_shape_of(s, LLVMGetOperand(i, 0));
    uint64_t number = by ? LLVMConstIntGetZExtValue(by) : MAX_STRIDE;
    return number < 32 && grows(shape, false) && ((uint64_t)shape.stride & ((1ull << number) - 1)) == 0;
}

enum weftc_speculation weftc_speculation_of(const struct weftc_shapes *s, LLVMValueRef i)
{
    LLVMValueRef other;
    if (weftc_speculated_clamp(s, i, &other) || weftc_speculated_mirror(s, i, &other))
        return WEFTC_SPECULATED_UNCLAMPED;
    bool second;
    if (weftc_speculated_comparison(s, i, &second))
        return WEFTC_SPECULATED_UNIFORM;
    struct weftc_extension extension;
    if (weftc_speculated_extension(s, i, &extension))
        return WEFTC_SPECULATED_UNWRAPPED;
    LLVMOpcode opcode = LLVMIsAInstruction(i) ? LLVMGetInstructionOpcode(i) : LLVMPHI;
    enum weftc_speculation a;
    switch (opcode) {
    case LLVMURem:
    case LLVMSRem:
    case LLVMAnd:
        a = WEFTC_SPECULATED_STRIDED;
        break;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMLShr:
    case LLVMAShr:
        a = WEFTC_SPECULATED_UNIFORM;
        break;
    default:
        return WEFTC_SPECULATED_NOTHING;
    }
    LLVMValueRef id = LLVMGetOperand(i, 0), by = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(i);
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    if (bits != 32 && bits != 64)
        return WEFTC_SPECULATED_NOTHING;
    struct weftc_shape shape = weftc_shape_of(s, id), otherwise = weftc_shape_of(s, by);
    if (opcode == LLVMAnd && shape.kind == WEFTC_UNIFORM) {
        LLVMValueRef swap = id;
        id = by;
        by = swap;
        shape = otherwise;
        otherwise = weftc_shape_of(s, by);
    }
    bool constant = LLVMIsAConstantInt(by) != NULL;
    uint64_t number = constant ? LLVMConstIntGetZExtValue(by) : 0, low = s->lanes - 1;
    if (weftc_shifts_strides(s, i) && is_early(id, MAX_STEPS))
        return WEFTC_SPECULATED_SHIFTED;
    if (shape.kind != WEFTC_STRIDED || shape.stride != 1 || otherwise.kind != WEFTC_UNIFORM)
        return WEFTC_SPECULATED_NOTHING;
    if (opcode == LLVMAnd && constant) {
        if (number >> (bits - 1) || ((number & low) != low && (number & low) != 0))
            return WEFTC_SPECULATED_NOTHING;
        a = number & low ? WEFTC_SPECULATED_STRIDED : WEFTC_SPECULATED_UNIFORM;
    } else if (opcode == LLVMAnd) {
        if (!is_one_less(by))
            return WEFTC_SPECULATED_NOTHING;
    } else if (opcode == LLVMLShr || opcode == LLVMAShr) {
        if (!constant || number >= bits || (1ull << number) < s->lanes)
            return WEFTC_SPECULATED_NOTHING;
    } else if (constant && (number < s->lanes || number >> (bits - 1))) {
        return WEFTC_SPECULATED_NOTHING;
    }
    return is_early(id, MAX_STEPS) && is_early(by, MAX_STEPS) ? a : WEFTC_SPECULATED_NOTHING;
}
