// Loads of a component of a built-in variable (GlobalInvocationId and so on) through a pointer to the
// component. Clang writes them since its pointers are opaque, but llvm-spirv for LLVM 15 fails at them. They
// become a load of the whole vector and an extraction of the component. SPIR-V 1.6 §3.52.8 (memory
// instructions). Stateless.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/spirv/downgrade.h"

// If the instruction makes a pointer to a component of a built-in variable, sets *index to the id of the
// component's index and returns true.
static bool index_of(const struct lowering *l, const uint32_t *i, uint32_t n, uint32_t *index)
{
    uint32_t op = opcode_of(i[0]), zero = 1;
    bool plain = op == OP_ACCESS_CHAIN || op == OP_IN_BOUNDS_ACCESS_CHAIN;
    bool from_element = op == OP_PTR_ACCESS_CHAIN || op == OP_IN_BOUNDS_PTR_ACCESS_CHAIN;
    if (!(plain && n == 5) && !(from_element && n == 6))
        return false;
    if (i[3] >= l->bound || !(l->names[i[3]] & WEFT_SPIRV_BUILT_IN) || i[2] >= l->bound)
        return false;
    const struct weft_spirv_constants of = {.words = l->words, .defined = l->defined, .bound = l->bound};
    *index = i[n - 1];
    return plain || (weft_spirv_number(&of, i[4], &zero) && zero == 0);
}

// Returns the definition of the vector type that a variable has, and sets *type to its id. NULL: it isn't a
// vector.
static const uint32_t *vector_of(const struct lowering *l, uint32_t variable, uint32_t *type)
{
    uint32_t n;
    const uint32_t *t = weft_spirv_definition(l, weft_spirv_type_of(l, variable), &n);
    if (!t || opcode_of(t[0]) != OP_TYPE_POINTER || n != 4)
        return NULL;
    *type = t[3];
    t = weft_spirv_definition(l, t[3], &n);
    return t && opcode_of(t[0]) == OP_TYPE_VECTOR && n == 4 ? t : NULL;
}

static bool is_part(const struct lowering *l, uint32_t id)
{
    return id < l->bound && l->names[id] & WEFT_SPIRV_PART;
}

void weft_spirv_learn_part(struct lowering *l, size_t at, uint32_t n)
{
    const uint32_t *i = l->words + at;
    uint32_t index, type;
    if (opcode_of(i[0]) == OP_DECORATE && n == 4 && i[2] == DECORATION_BUILT_IN && i[1] < l->bound)
        l->names[i[1]] |= WEFT_SPIRV_BUILT_IN;
    if (!index_of(l, i, n, &index) || !vector_of(l, i[3], &type))
        return;
    l->names[i[2]] |= WEFT_SPIRV_PART;
    l->defined[i[2]] = at;
    l->has_parts = true;
}

// May word k of the instruction be an id? Only instructions with many literal numbers are distinguished.
static bool may_be_id(uint32_t op, uint32_t k)
{
    switch (op) {
    case OP_LINE:
        return false;
    case OP_STORE: // followed by memory operands
        return k <= 2;
    case OP_LOAD:
    case OP_COMPOSITE_EXTRACT:
        return k <= 3;
    case OP_COMPOSITE_INSERT:
    case OP_VECTOR_SHUFFLE:
        return k <= 4;
    case OP_EXT_INST:
        return k != 4;
    default:
        return true;
    }
}

// Only pointers that are used solely by loads of the component's type are replaced; the translator judges the
// others. A literal number may look like a pointer's id; that pointer isn't replaced either.
void weft_spirv_find_parts(struct lowering *l)
{
    bool in_function = false;
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; l->has_parts && at < l->count; at += l->words[at] >> 16) {
        const uint32_t *i = l->words + at;
        uint32_t n = i[0] >> 16, op = opcode_of(i[0]), words, type, index;
        in_function |= op == OP_FUNCTION;
        // Names and decorations come before the first function. A damaged module may have loads there, which
        // are replaced as elsewhere.
        for (uint32_t k = 1; (in_function || op == OP_LOAD) && k < n; k++) {
            if (!may_be_id(op, k) || !is_part(l, i[k]) || (k == 2 && l->defined[i[k]] == at))
                continue;
            // A module may define an id twice, so the definition may have changed since.
            const uint32_t *chain = weft_spirv_definition(l, i[k], &words), *vector;
            bool whole = chain && index_of(l, chain, words, &index) && chain[2] == i[k];
            vector = whole ? vector_of(l, chain[3], &type) : NULL;
            if (op != OP_LOAD || k != 3 || !vector || vector[2] != i[1])
                l->names[i[k]] &= (uint8_t)~WEFT_SPIRV_PART;
        }
    }
}

bool weft_spirv_is_part(const struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t op = opcode_of(i[0]), index;
    if (op == OP_LOAD)
        return n >= 4 && is_part(l, i[3]);
    return n > 3 && is_part(l, i[2]) && index_of(l, i, n, &index);
}

void weft_spirv_lower_part(struct lowering *l, const uint32_t *i)
{
    uint32_t words, index = 0, value, type = 0;
    if (opcode_of(i[0]) != OP_LOAD) { // the id may have a name and decorations
        EMIT(l, OP_UNDEF, i[1], i[2]);
        return;
    }
    const struct weft_spirv_constants of = {.words = l->words, .defined = l->defined, .bound = l->bound};
    const uint32_t *chain = weft_spirv_definition(l, i[3], &words);
    const uint32_t *vector = vector_of(l, chain[3], &type);
    uint32_t whole = l->next++;
    index_of(l, chain, words, &index);
    EMIT(l, OP_LOAD, type, whole, chain[3]);
    if (weft_spirv_number(&of, index, &value) && value < vector[3])
        EMIT(l, OP_COMPOSITE_EXTRACT, i[1], i[2], whole, value);
    else
        EMIT(l, OP_VECTOR_EXTRACT_DYNAMIC, i[1], i[2], whole, index);
}
