// The values of a vector iteration's first work-item, computed where a function begins that checks what is
// speculated (checks.h).
#include <llvm-c/Core.h>

#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/checks.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/vectorize.h"

static LLVMValueRef keep(struct weftc_check *q, struct weftc_map *place, LLVMValueRef value,
                         LLVMValueRef made)
{
    if (!weftc_map_put(place, value, q->count))
        q->no_memory = true;
    else
        q->made[q->count++] = made;
    return made;
}

// Lane 0's value in 64 bits, as the fast path will compute it (`wide` in vectorize/emit/values.c): lane 0 may
// be inactive there, and what doesn't wrap in active lanes may wrap in lane 0.
static LLVMValueRef early_wide(struct weftc_check *q, LLVMValueRef value)
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
        result = LLVMBuildIntCast2(q->b, weftc_check_early(q, value), LLVMInt64TypeInContext(q->c), true, "");
    }
    return keep(q, &q->wide, value, result);
}

LLVMValueRef weftc_check_early(struct weftc_check *q, LLVMValueRef value)
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
        LLVMSetOperand(copy, k, weftc_check_early(q, LLVMGetOperand(value, k)));
    return keep(q, &q->place, value, weftc_vec_insert_for_any_lane(q->b, copy));
}
