// Execution modes that llvm-spirv for LLVM 15 doesn't know. Modes with ids as operands become modes with
// numbers. The number of sub-groups is left out, because the translator takes its operand for an instruction;
// spirv/execution_modes.c reads it. SPIR-V 1.6 §3.6 (execution modes). Stateless.
#include <stdbool.h>
#include <stdint.h>

#include "compiler/spirv/downgrade.h"

static bool values_of(const struct lowering *l, const uint32_t *ids, uint32_t count, uint32_t *values)
{
    const struct weft_spirv_constants of = {.words = l->words, .defined = l->defined, .bound = l->bound};
    for (uint32_t k = 0; k < count; k++)
        if (!weft_spirv_number(&of, ids[k], &values[k]))
            return false;
    return true;
}

bool weft_spirv_is_mode(const uint32_t *i, uint32_t n)
{
    return opcode_of(i[0]) == OP_EXECUTION_MODE_ID ||
           (opcode_of(i[0]) == OP_EXECUTION_MODE && n == 4 && i[2] == MODE_SUB_GROUPS);
}

bool weft_spirv_lower_mode(struct lowering *l, const uint32_t *i, uint32_t n)
{
    if (opcode_of(i[0]) == OP_EXECUTION_MODE || (n == 4 && i[2] == MODE_SUB_GROUPS_ID))
        return true;
    if (n != 6 || (i[2] != MODE_LOCAL_SIZE_ID && i[2] != MODE_LOCAL_SIZE_HINT_ID))
        return false;
    uint32_t operands[5] = {i[1], i[2] == MODE_LOCAL_SIZE_ID ? MODE_LOCAL_SIZE : MODE_LOCAL_SIZE_HINT};
    if (!values_of(l, i + 3, 3, operands + 2))
        return false;
    weft_spirv_emit(l, OP_EXECUTION_MODE, operands, 5);
    return true;
}
