// Evaluates constant numbers of a SPIR-V module: constants, specialization constants, and results of
// OpSpecConstantOp. The module isn't trusted. Operations may refer to each other in cycles, or each refer to
// the next one twice in a long chain, so the number of evaluated operations is limited. SPIR-V 1.6 §2.12
// (specialization), §3.52.7. Stateless.
#include "base/base.h"
#include "compiler/spirv/downgrade.h"

#define MAX_OPERATIONS 1000u // for one number
#define MAX_DEPTH 100u

struct evaluation {
    const struct weft_spirv_constants *of;
    unsigned left, depth;
};

// An integer of up to 64 bits, or a bool (one bit). Bits above `width` are 0.
struct number {
    uint64_t bits;
    unsigned width;
};

static const uint32_t *definition(const struct weft_spirv_constants *of, uint32_t id)
{
    return id < of->bound && of->defined[id] ? of->words + of->defined[id] : NULL;
}

static unsigned width_of(const struct weft_spirv_constants *of, uint32_t type)
{
    const uint32_t *t = definition(of, type);
    if (t && opcode_of(t[0]) == OP_TYPE_BOOL)
        return 1;
    bool known = t && opcode_of(t[0]) == OP_TYPE_INT && t[0] >> 16 == 4;
    return known && (t[2] == 8 || t[2] == 16 || t[2] == 32 || t[2] == 64) ? t[2] : 0;
}

static uint64_t truncate_to(uint64_t bits, unsigned width)
{
    return width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
}

static int64_t as_signed(struct number n)
{
    uint64_t top = UINT64_C(1) << (n.width - 1);
    return (int64_t)((n.bits ^ top) - top);
}

// The result of SMod has the sign of the divisor; the result of SRem has the sign of the dividend.
static bool divide(uint32_t op, struct number a, struct number b, uint64_t *bits)
{
    int64_t x = as_signed(a), y = as_signed(b);
    bool is_signed = op == OP_SDIV || op == OP_SREM || op == OP_SMOD;
    if (b.bits == 0 || (is_signed && y == -1 && x == INT64_MIN))
        return false;
    if (op == OP_UDIV)
        *bits = a.bits / b.bits;
    else if (op == OP_UMOD)
        *bits = a.bits % b.bits;
    else if (op == OP_SDIV)
        *bits = (uint64_t)(x / y);
    else
        *bits = (uint64_t)(op == OP_SMOD && x % y && (x % y < 0) != (y < 0) ? x % y + y : x % y);
    return true;
}

static bool shift(uint32_t op, struct number a, struct number by, uint64_t *bits)
{
    if (by.bits >= a.width)
        return false;
    if (op == OP_SHIFT_LEFT_LOGICAL)
        *bits = a.bits << by.bits;
    else if (op == OP_SHIFT_RIGHT_LOGICAL)
        *bits = a.bits >> by.bits;
    else
        *bits = (uint64_t)(as_signed(a) >> by.bits);
    return true;
}

// Computes a binary or unary operation; unary ones ignore b. Returns false if the operation isn't supported
// or the result is undefined.
static bool compute(uint32_t op, struct number a, struct number b, uint64_t *bits)
{
    int64_t x = as_signed(a), y = as_signed(b);
    switch (op) {
    case OP_U_CONVERT:
        *bits = a.bits;
        return true;
    case OP_S_CONVERT:
        *bits = (uint64_t)x;
        return true;
    case OP_SNEGATE:
        *bits = -a.bits;
        return true;
    case OP_NOT:
    case OP_LOGICAL_NOT:
        *bits = ~a.bits;
        return true;
    case OP_IADD:
        *bits = a.bits + b.bits;
        return true;
    case OP_ISUB:
        *bits = a.bits - b.bits;
        return true;
    case OP_IMUL:
        *bits = a.bits * b.bits;
        return true;
    case OP_UDIV:
    case OP_SDIV:
    case OP_UMOD:
    case OP_SREM:
    case OP_SMOD:
        return divide(op, a, b, bits);
    case OP_SHIFT_RIGHT_LOGICAL:
    case OP_SHIFT_RIGHT_ARITHMETIC:
    case OP_SHIFT_LEFT_LOGICAL:
        return shift(op, a, b, bits);
    case OP_BITWISE_OR:
    case OP_LOGICAL_OR:
        *bits = a.bits | b.bits;
        return true;
    case OP_BITWISE_XOR:
        *bits = a.bits ^ b.bits;
        return true;
    case OP_BITWISE_AND:
    case OP_LOGICAL_AND:
        *bits = a.bits & b.bits;
        return true;
    case OP_I_EQUAL:
    case OP_LOGICAL_EQUAL:
        *bits = a.bits == b.bits;
        return true;
    case OP_I_NOT_EQUAL:
    case OP_LOGICAL_NOT_EQUAL:
        *bits = a.bits != b.bits;
        return true;
    case OP_U_GREATER:
        *bits = a.bits > b.bits;
        return true;
    case OP_S_GREATER:
        *bits = x > y;
        return true;
    case OP_U_GREATER_EQUAL:
        *bits = a.bits >= b.bits;
        return true;
    case OP_S_GREATER_EQUAL:
        *bits = x >= y;
        return true;
    case OP_U_LESS:
        *bits = a.bits < b.bits;
        return true;
    case OP_S_LESS:
        *bits = x < y;
        return true;
    case OP_U_LESS_EQUAL:
        *bits = a.bits <= b.bits;
        return true;
    case OP_S_LESS_EQUAL:
        *bits = x <= y;
        return true;
    default:
        return false;
    }
}

static bool evaluate(struct evaluation *e, uint32_t id, struct number *out);

// i: OpSpecConstantOp with n words: type, id, operation and its operands.
static bool operate(struct evaluation *e, const uint32_t *i, uint32_t n, struct number *out)
{
    struct number a, b = {0, 1};
    if (n < 5 || !evaluate(e, i[4], &a))
        return false;
    if (i[3] == OP_SELECT)
        return n == 7 && evaluate(e, a.bits ? i[5] : i[6], out);
    bool single = i[3] == OP_U_CONVERT || i[3] == OP_S_CONVERT || i[3] == OP_SNEGATE || i[3] == OP_NOT ||
                  i[3] == OP_LOGICAL_NOT;
    return n == (single ? 5 : 6) && (single || evaluate(e, i[5], &b)) && compute(i[3], a, b, &out->bits);
}

static bool evaluate_at(struct evaluation *e, const uint32_t *i, struct number *out)
{
    uint32_t op = opcode_of(i[0]), n = i[0] >> 16;
    unsigned width = n >= 3 ? width_of(e->of, i[1]) : 0;
    bool ok = width != 0;
    if (op == OP_CONSTANT || op == OP_SPEC_CONSTANT) {
        ok = ok && n == (width > 32 ? 5 : 4);
        out->bits = ok ? i[3] | (n == 5 ? (uint64_t)i[4] << 32 : 0) : 0;
    } else if (op == OP_SPEC_CONSTANT_OP) {
        ok = ok && operate(e, i, n, out);
    } else {
        ok = ok && (op == OP_CONSTANT_TRUE || op == OP_CONSTANT_FALSE || op == OP_SPEC_CONSTANT_TRUE ||
                    op == OP_SPEC_CONSTANT_FALSE || op == OP_CONSTANT_NULL);
        out->bits = op == OP_CONSTANT_TRUE || op == OP_SPEC_CONSTANT_TRUE;
    }
    out->width = width;
    out->bits = ok ? truncate_to(out->bits, width) : 0;
    return ok;
}

static bool evaluate(struct evaluation *e, uint32_t id, struct number *out)
{
    const uint32_t *i = definition(e->of, id);
    *out = (struct number){0, 1};
    if (!i || e->left == 0 || e->depth == MAX_DEPTH)
        return false;
    e->left--;
    e->depth++;
    bool ok = evaluate_at(e, i, out);
    e->depth--;
    return ok;
}

bool weft_spirv_number(const struct weft_spirv_constants *of, uint32_t id, uint32_t *value)
{
    struct evaluation e = {of, MAX_OPERATIONS, 0};
    struct number n;
    bool ok = evaluate(&e, id, &n) && n.bits <= UINT32_MAX;
    *value = ok ? (uint32_t)n.bits : 0;
    return ok;
}

bool weft_spirv_is_number(const uint32_t *i)
{
    uint32_t op = opcode_of(i[0]);
    return (op >= OP_CONSTANT_TRUE && op <= OP_CONSTANT) || op == OP_CONSTANT_NULL ||
           (op >= OP_SPEC_CONSTANT_TRUE && op <= OP_SPEC_CONSTANT) || op == OP_SPEC_CONSTANT_OP;
}

bool weft_spirv_find_constants(const uint32_t *words, size_t count, struct weft_spirv_constants *out)
{
    if (out->found)
        return true;
    *out = (struct weft_spirv_constants){.words = words, .bound = words[3]};
    out->defined = out->found = weft_alloc_array(out->bound, sizeof *out->found);
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; out->found && at < count; at += words[at] >> 16) {
        const uint32_t *i = words + at;
        uint32_t op = opcode_of(i[0]), n = i[0] >> 16;
        if ((op == OP_TYPE_BOOL || op == OP_TYPE_INT) && n >= 2 && i[1] < out->bound)
            out->found[i[1]] = at;
        else if (weft_spirv_is_number(i) && n >= 3 && i[2] < out->bound)
            out->found[i[2]] = at;
    }
    return out->found != NULL;
}
