// Named barriers, which llvm-spirv for LLVM 15 doesn't know. They become calls of functions in
// lib/kernel-builtins/group/named_barrier.cl, and a barrier becomes a 32-bit integer. SPIR-V 1.6 §3.52.20
// (OpNamedBarrierInitialize, OpMemoryNamedBarrier). Stateless.
#include <stdbool.h>
#include <stdint.h>

#include "compiler/spirv/downgrade.h"

static bool is_made(const struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t scalar, width, components;
    return n == 4 && weft_spirv_integers(l, weft_spirv_type_of(l, i[3]), &scalar, &width, &components) &&
           width == 32 && components == 1;
}

void weft_spirv_learn_barrier(struct lowering *l, const uint32_t *i, uint32_t n)
{
    struct weft_spirv_barriers *b = &l->barriers;
    switch (opcode_of(i[0])) {
    case OP_TYPE_VOID:
        if (n == 2 && !b->nothing)
            b->nothing = i[1];
        break;
    case OP_TYPE_NAMED_BARRIER:
        if (n == 2 && i[1] < l->bound && !b->type)
            b->type = i[1];
        break;
    case OP_NAMED_BARRIER_INITIALIZE:
        if (b->type && !b->make && is_made(l, i, n)) {
            b->make = l->next++;
            b->count_type = weft_spirv_type_of(l, i[3]);
        }
        break;
    case OP_MEMORY_NAMED_BARRIER:
        if (n == 4 && b->type && b->nothing && !b->wait)
            b->wait = l->next++;
        break;
    default:
        break;
    }
}

bool weft_spirv_is_barrier(const uint32_t *i, uint32_t n)
{
    uint32_t op = opcode_of(i[0]);
    return op == OP_TYPE_NAMED_BARRIER || op == OP_NAMED_BARRIER_INITIALIZE ||
           op == OP_MEMORY_NAMED_BARRIER ||
           (op == OP_CAPABILITY && n == 2 && i[1] == CAPABILITY_NAMED_BARRIER);
}

void weft_spirv_import_barriers(struct lowering *l)
{
    if (l->barriers.make)
        weft_spirv_import(l, l->barriers.make, "__weft_named_barrier_make");
    if (l->barriers.wait)
        weft_spirv_import(l, l->barriers.wait, "__weft_named_barrier_wait");
}

static void declare(struct lowering *l, uint32_t function, uint32_t result, uint32_t parameter)
{
    if (!function)
        return;
    uint32_t type = l->next++, id = l->next++;
    EMIT(l, OP_TYPE_FUNCTION, type, result, parameter);
    EMIT(l, OP_FUNCTION, result, function, 0, type);
    EMIT(l, OP_FUNCTION_PARAMETER, parameter, id);
    weft_spirv_emit(l, OP_FUNCTION_END, &type, 0);
}

void weft_spirv_declare_barriers(struct lowering *l)
{
    const struct weft_spirv_barriers *b = &l->barriers;
    declare(l, b->make, b->type, b->count_type);
    declare(l, b->wait, b->nothing, b->type);
}

bool weft_spirv_lower_barrier(struct lowering *l, const uint32_t *i, uint32_t n)
{
    const struct weft_spirv_barriers *b = &l->barriers;
    switch (opcode_of(i[0])) {
    case OP_TYPE_NAMED_BARRIER:
        if (n != 2 || i[1] >= l->bound) // the result would not be a valid module
            return false;
        EMIT(l, OP_TYPE_INT, i[1], 32, 0);
        return true;
    case OP_NAMED_BARRIER_INITIALIZE:
        if (!b->make || !is_made(l, i, n))
            return false;
        EMIT(l, OP_FUNCTION_CALL, i[1], i[2], b->make, i[3]);
        return true;
    default:
        if (!b->wait || n != 4)
            return false;
        // The function makes all memory visible, whatever the operands say.
        const uint32_t call = l->next++;
        EMIT(l, OP_FUNCTION_CALL, b->nothing, call, b->wait, i[1]);
        return true;
    }
}
