// Shapes that hold for most steps of all lanes and are asked for at run time: what is left of an id by a division, or by a mask
// that cuts it, runs on from lane to lane unless it begins anew in the midst of them.
//
//     x = id % width, y = id / width     x is strided and y uniform, while x + lanes <= width
//     l & (distance - 1)                 strided, when distance is a multiple of the lanes and so is l of lane 0
//     l & 15, l >> 4                     the same with constants
//
// vectorize_assumed.c makes a function of which such shapes are true, and asks.
#include <string.h>

#include "shapes_values.h"

enum { MOST_STEPS = 12 };

// Can the value be computed where the function begins?
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
        static const char *const plain[] = {"llvm.umax", "llvm.umin", "llvm.smax", "llvm.smin"};
        if (weftc_primitive_of(value, &p, &dim))
            return true;
        unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(value));
        for (size_t k = 0; k < WEFT_COUNT_OF(plain); k++)
            if (id && id == LLVMLookupIntrinsicID(plain[k], strlen(plain[k])))
                return is_early(LLVMGetOperand(value, 0), steps - 1) &&
                       is_early(LLVMGetOperand(value, 1), steps - 1);
        return false;
    }
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMFreeze:
        break;
    default:
        return false;
    }
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        if (!is_early(LLVMGetOperand(value, k), steps - 1))
            return false;
    return true;
}

// Is it one less than something?
static bool is_one_less(LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAdd &&
           LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
           LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1)) == -1;
}

enum weftc_assumption weftc_assumption_of(const struct weftc_shapes *s, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMIsAInstruction(i) ? LLVMGetInstructionOpcode(i) : LLVMPHI;
    enum weftc_assumption a;
    switch (opcode) {
    case LLVMURem:
    case LLVMSRem:
    case LLVMAnd:
        a = WEFTC_ASSUMED_STRIDED;
        break;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMLShr:
    case LLVMAShr:
        a = WEFTC_ASSUMED_UNIFORM;
        break;
    default:
        return WEFTC_ASSUMED_NOTHING;
    }
    LLVMValueRef id = LLVMGetOperand(i, 0), by = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(i);
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    if (bits != 32 && bits != 64)
        return WEFTC_ASSUMED_NOTHING;
    struct weftc_shape shape = weftc_shape_of(s, id), other = weftc_shape_of(s, by);
    if (opcode == LLVMAnd && shape.kind == WEFTC_UNIFORM) {
        LLVMValueRef swap = id;
        id = by;
        by = swap;
        shape = other;
        other = weftc_shape_of(s, by);
    }
    if (shape.kind != WEFTC_STRIDED || shape.stride != 1 || other.kind != WEFTC_UNIFORM)
        return WEFTC_ASSUMED_NOTHING;
    bool constant = LLVMIsAConstantInt(by) != NULL;
    uint64_t number = constant ? LLVMConstIntGetZExtValue(by) : 0, low = s->lanes - 1;
    if (opcode == LLVMAnd && constant) {
        if (number >> (bits - 1) || ((number & low) != low && (number & low) != 0))
            return WEFTC_ASSUMED_NOTHING;
        a = number & low ? WEFTC_ASSUMED_STRIDED : WEFTC_ASSUMED_UNIFORM;
    } else if (opcode == LLVMAnd) {
        if (!is_one_less(by))
            return WEFTC_ASSUMED_NOTHING;
    } else if (opcode == LLVMLShr || opcode == LLVMAShr) {
        if (!constant || number >= bits || (1ull << number) < s->lanes)
            return WEFTC_ASSUMED_NOTHING;
    } else if (constant && (number < s->lanes || number >> (bits - 1))) {
        return WEFTC_ASSUMED_NOTHING;
    }
    return is_early(id, MOST_STEPS) && is_early(by, MOST_STEPS) ? a : WEFTC_ASSUMED_NOTHING;
}
