// A SPIR-V module that is being rewritten: facts about its ids, and writing instructions.
#include <string.h>

#include "base/base.h"
#include "compiler/spirv/downgrade.h"

void weft_spirv_emit(struct lowering *l, uint32_t op, const uint32_t *operands, uint32_t count)
{
    uint32_t head = (count + 1) << 16 | op;
    weft_buf_append(l->out, &head, sizeof head);
    weft_buf_append(l->out, operands, count * sizeof *operands);
}

void weft_spirv_import(struct lowering *l, uint32_t id, const char *name)
{
    uint32_t operands[12] = {id, DECORATION_LINKAGE}, words = (uint32_t)strlen(name) / 4 + 1;
    memcpy(operands + 2, name, strlen(name));
    operands[2 + words] = LINKAGE_IMPORT;
    weft_spirv_emit(l, OP_DECORATE, operands, 3 + words);
}

uint32_t weft_spirv_type_of(const struct lowering *l, uint32_t id)
{
    return id < l->bound ? l->type[id] : 0;
}

const uint32_t *weft_spirv_definition(const struct lowering *l, uint32_t id, uint32_t *n)
{
    size_t at = id < l->bound ? l->defined[id] : 0;
    if (!at)
        return NULL;
    *n = l->words[at] >> 16;
    return l->words + at;
}

bool weft_spirv_integers(const struct lowering *l, uint32_t type, uint32_t *scalar, uint32_t *width,
                         uint32_t *components)
{
    uint32_t n;
    const uint32_t *t = weft_spirv_definition(l, type, &n);
    *scalar = type;
    *components = 1;
    if (t && opcode_of(t[0]) == OP_TYPE_VECTOR && n == 4 && t[3] >= 2 && t[3] <= 16) {
        *scalar = t[2];
        *components = t[3];
        t = weft_spirv_definition(l, t[2], &n);
    }
    if (!t || opcode_of(t[0]) != OP_TYPE_INT || n != 4)
        return false;
    *width = t[2];
    return t[2] == 8 || t[2] == 16 || t[2] == 32 || t[2] == 64;
}
