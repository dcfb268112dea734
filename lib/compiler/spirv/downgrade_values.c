// Values that llvm-spirv for LLVM 15 handles wrongly: null constants of numbers and bools, composites of
// values that aren't constants, components of vectors in composites, shuffles of vectors of different
// lengths, sums and products of twice the width, and dot products of integers (SPV_KHR_integer_dot_product).
// They are replaced by instructions that it knows. SPIR-V 1.6 §3.52.12, §3.52.13, §3.52.7. Stateless.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compiler/spirv/downgrade.h"

#define MAX_COMPONENTS 16u // of a vector
#define MAX_INDICES 255u   // maximum nesting of types (§2.17)
#define PACKED_4X8 0       // packed vector format
#define S_ADD_SAT 143u     // OpenCL.std (OpenCL Extended Instruction Set §2.2)
#define S_MUL_HI 160u
#define U_ADD_SAT 144u
#define U_MUL_HI 203u

// Constants of an integer type, from `shifts` on: the index of the highest bit, and the bit offsets of the
// bytes in a packed vector.
enum { SHIFT_TOP, SHIFT_8, SHIFT_16, SHIFT_24, SHIFT_COUNT };

static bool is_dot(uint32_t op)
{
    return op >= OP_SDOT && op <= OP_SUDOT_ACC_SAT;
}

static bool is_dot_with_sum(uint32_t op)
{
    return op >= OP_SDOT_ACC_SAT;
}

static bool is_null_number(const struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t words;
    const uint32_t *t = n == 3 ? weft_spirv_definition(l, i[1], &words) : NULL;
    return t && opcode_of(t[0]) >= OP_TYPE_BOOL && opcode_of(t[0]) <= OP_TYPE_FLOAT &&
           words >= (opcode_of(t[0]) == OP_TYPE_BOOL ? 2 : 3);
}

static uint32_t vector_length(const struct lowering *l, uint32_t type)
{
    uint32_t n;
    const uint32_t *t = weft_spirv_definition(l, type, &n);
    return t && opcode_of(t[0]) == OP_TYPE_VECTOR && n == 4 && t[3] <= MAX_COMPONENTS ? t[3] : 0;
}

static bool joins_two_lengths(const struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t a = n > 5 ? vector_length(l, weft_spirv_type_of(l, i[3])) : 0;
    uint32_t b = a ? vector_length(l, weft_spirv_type_of(l, i[4])) : 0;
    return b && a != b && vector_length(l, i[1]) == n - 5;
}

bool weft_spirv_is_value(const struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t op = opcode_of(i[0]);
    return op == OP_COMPOSITE_CONSTRUCT || (op == OP_VECTOR_SHUFFLE && joins_two_lengths(l, i, n)) ||
           (op == OP_COMPOSITE_EXTRACT && n > 5) || (op == OP_COMPOSITE_INSERT && n > 6) ||
           (op >= OP_IADD_CARRY && op <= OP_SMUL_EXTENDED) || is_dot(op) ||
           (op == OP_CONSTANT_NULL && is_null_number(l, i, n));
}

// ---- Constants ----

// Makes the constants for shifts of this type, if it is an integer or a vector of integers.
static void make_shifts(struct lowering *l, uint32_t type)
{
    uint32_t scalar, width, components;
    if (!weft_spirv_integers(l, type, &scalar, &width, &components) || l->shifts[type])
        return;
    if (components > 1)
        make_shifts(l, scalar);
    l->shifts[type] = l->next;
    l->next += SHIFT_COUNT;
    for (uint32_t k = 0; k < SHIFT_COUNT; k++) {
        uint32_t id = l->shifts[type] + k, value = k == SHIFT_TOP ? width - 1 : 8 * k;
        if (components == 1) {
            weft_spirv_emit(l, OP_CONSTANT, (const uint32_t[]){type, id, value, 0}, width <= 32 ? 3 : 4);
            continue;
        }
        uint32_t operands[2 + MAX_COMPONENTS] = {type, id};
        for (uint32_t c = 0; c < components; c++)
            operands[2 + c] = l->shifts[scalar] + k;
        weft_spirv_emit(l, OP_CONSTANT_COMPOSITE, operands, 2 + components);
    }
}

void weft_spirv_prepare_value(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t op = opcode_of(i[0]);
    if (op >= OP_IADD_CARRY && op <= OP_ISUB_BORROW && n == 5)
        make_shifts(l, weft_spirv_type_of(l, i[3]));
    if (is_dot(op) && n >= 5)
        make_shifts(l, weft_spirv_type_of(l, i[3]));
    if (is_dot(op) && n >= 5 && weft_spirv_type_of(l, i[4]) != weft_spirv_type_of(l, i[3]))
        make_shifts(l, weft_spirv_type_of(l, i[4]));
}

static void lower_null(struct lowering *l, const uint32_t *i)
{
    uint32_t words, zeros[4] = {i[1], i[2], 0, 0};
    const uint32_t *t = weft_spirv_definition(l, i[1], &words);
    if (opcode_of(t[0]) == OP_TYPE_BOOL)
        EMIT(l, OP_CONSTANT_FALSE, i[1], i[2]);
    else
        weft_spirv_emit(l, OP_CONSTANT, zeros, t[2] <= 32 ? 3 : 4);
}

// ---- Composites ----

// Returns the number of vector components that a part provides; 0: not known.
static uint32_t part_components(const struct lowering *l, uint32_t vector, uint32_t part)
{
    uint32_t n, type = weft_spirv_type_of(l, part);
    const uint32_t *v = weft_spirv_definition(l, vector, &n);
    if (type && type == v[2])
        return 1;
    const uint32_t *t = weft_spirv_definition(l, type, &n);
    return t && opcode_of(t[0]) == OP_TYPE_VECTOR && n == 4 && t[2] == v[2] ? t[3] : 0;
}

struct building {
    uint32_t type, value, id; // type; the value so far; the id of the final value
    uint32_t at, count;       // next index, number of components
};

static void insert(struct lowering *l, struct building *b, uint32_t part)
{
    uint32_t id = b->at + 1 == b->count ? b->id : l->next++;
    EMIT(l, OP_COMPOSITE_INSERT, b->type, id, part, b->value, b->at);
    b->at++;
    b->value = id;
}

static bool construct_vector(struct lowering *l, struct building *b, uint32_t component,
                             const uint32_t *parts, uint32_t count)
{
    uint32_t components = 0;
    for (uint32_t p = 0; p < count; p++) {
        uint32_t own = part_components(l, b->type, parts[p]);
        if (own == 0 || own > b->count - components)
            return false;
        components += own;
    }
    if (components != b->count)
        return false;
    EMIT(l, OP_UNDEF, b->type, b->value);
    for (uint32_t p = 0; p < count; p++) {
        uint32_t own = part_components(l, b->type, parts[p]);
        for (uint32_t c = 0; c < own; c++) {
            uint32_t part = parts[p];
            if (weft_spirv_type_of(l, part) != component) {
                part = l->next++;
                EMIT(l, OP_COMPOSITE_EXTRACT, component, part, parts[p], c);
            }
            insert(l, b, part);
        }
    }
    return true;
}

bool weft_spirv_construct(struct lowering *l, uint32_t type, uint32_t id, const uint32_t *parts,
                          uint32_t count)
{
    uint32_t n;
    const uint32_t *t = weft_spirv_definition(l, type, &n);
    if (!t || count == 0 || l->next > WEFT_SPIRV_MAX_BOUND)
        return false;
    struct building b = {.type = type, .value = l->next++, .id = id, .count = count};
    if (opcode_of(t[0]) == OP_TYPE_VECTOR) {
        if (n != 4 || t[3] > MAX_COMPONENTS)
            return false;
        b.count = t[3];
        return construct_vector(l, &b, t[2], parts, count);
    }
    if (opcode_of(t[0]) != OP_TYPE_STRUCT && opcode_of(t[0]) != OP_TYPE_ARRAY)
        return false;
    EMIT(l, OP_UNDEF, type, b.value);
    for (uint32_t p = 0; p < count; p++)
        insert(l, &b, parts[p]);
    return true;
}

// Finds the vector that all indices except the last one lead to, and sets *vector to its type. Returns false
// if there is none.
static bool vector_at(const struct lowering *l, uint32_t composite, const uint32_t *indices, uint32_t count,
                      uint32_t *vector)
{
    uint32_t n, type = weft_spirv_type_of(l, composite), words;
    const uint32_t *t = weft_spirv_definition(l, type, &n);
    for (uint32_t k = 0; t && k + 1 < count; k++) {
        if (opcode_of(t[0]) == OP_TYPE_STRUCT && indices[k] < n - 2)
            type = t[2 + indices[k]];
        else if (opcode_of(t[0]) == OP_TYPE_ARRAY && n == 4)
            type = t[2];
        else
            return false;
        t = weft_spirv_definition(l, type, &words);
        n = t ? words : 0;
    }
    *vector = type;
    return t && opcode_of(t[0]) == OP_TYPE_VECTOR;
}

// Extracts this vector from the composite, with result `id`.
static void extract_vector(struct lowering *l, uint32_t vector, uint32_t id, uint32_t composite,
                           const uint32_t *indices, uint32_t count)
{
    uint32_t operands[3 + MAX_INDICES] = {vector, id, composite};
    memcpy(operands + 3, indices, (count - 1) * sizeof *indices);
    weft_spirv_emit(l, OP_COMPOSITE_EXTRACT, operands, 3 + count - 1);
}

static bool lower_extract(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t count = n - 4, vector;
    if (count > MAX_INDICES || !vector_at(l, i[3], i + 4, count, &vector))
        return false;
    uint32_t id = l->next++;
    extract_vector(l, vector, id, i[3], i + 4, count);
    EMIT(l, OP_COMPOSITE_EXTRACT, i[1], i[2], id, i[n - 1]);
    return true;
}

static bool lower_insert(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t count = n - 5, vector, operands[4 + MAX_INDICES];
    if (count > MAX_INDICES || !vector_at(l, i[4], i + 5, count, &vector))
        return false;
    uint32_t before = l->next++, after = l->next++;
    extract_vector(l, vector, before, i[4], i + 5, count);
    EMIT(l, OP_COMPOSITE_INSERT, vector, after, i[3], before, i[n - 1]);
    memcpy(operands, (const uint32_t[]){i[1], i[2], after, i[4]}, 4 * sizeof *operands);
    memcpy(operands + 4, i + 5, (count - 1) * sizeof *operands);
    weft_spirv_emit(l, OP_COMPOSITE_INSERT, operands, 4 + count - 1);
    return true;
}

static void lower_shuffle(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t words, first = vector_length(l, weft_spirv_type_of(l, i[3]));
    uint32_t component = weft_spirv_definition(l, i[1], &words)[2];
    struct building b = {.type = i[1], .value = l->next++, .id = i[2], .count = n - 5};
    EMIT(l, OP_UNDEF, b.type, b.value);
    for (uint32_t c = 0; c < b.count; c++) {
        uint32_t from = i[5 + c], part = l->next++;
        if (from == UINT32_MAX)
            EMIT(l, OP_UNDEF, component, part);
        else
            EMIT(l, OP_COMPOSITE_EXTRACT, component, part, from < first ? i[3] : i[4],
                 from < first ? from : from - first);
        insert(l, &b, part);
    }
}

// ---- Sums and products of twice the width ----

static uint32_t binary(struct lowering *l, uint32_t op, uint32_t type, uint32_t a, uint32_t b)
{
    EMIT(l, op, type, l->next, a, b);
    return l->next++;
}

static uint32_t extended(struct lowering *l, uint32_t instruction, uint32_t type, uint32_t a, uint32_t b)
{
    EMIT(l, OP_EXT_INST, type, l->next, l->std, instruction, a, b);
    return l->next++;
}

// The result is a struct of the low and the high part, or of the sum and its carry. The carry is the top bit
// of (a & b) | ((a | b) & ~sum) for a sum, and of (~a & b) | ((~a | b) & difference) for a difference.
static bool lower_wide(struct lowering *l, const uint32_t *i)
{
    uint32_t op = opcode_of(i[0]), a = i[3], b = i[4], type = weft_spirv_type_of(l, a), n, high, low;
    uint32_t scalar, width, components;
    const uint32_t *result = weft_spirv_definition(l, i[1], &n);
    if (!result || opcode_of(result[0]) != OP_TYPE_STRUCT || n != 4 || result[2] != type ||
        result[3] != type || !weft_spirv_integers(l, type, &scalar, &width, &components))
        return false;
    if (op == OP_UMUL_EXTENDED || op == OP_SMUL_EXTENDED) {
        low = binary(l, OP_IMUL, type, a, b);
        high = extended(l, op == OP_UMUL_EXTENDED ? U_MUL_HI : S_MUL_HI, type, a, b);
    } else {
        if (!l->shifts[type])
            return false;
        bool sum = op == OP_IADD_CARRY;
        low = binary(l, sum ? OP_IADD : OP_ISUB, type, a, b);
        uint32_t not = l->next++;
        EMIT(l, OP_NOT, type, not, sum ? low : a);
        uint32_t first = sum ? a : not, mask = sum ? not : low;
        uint32_t both = binary(l, OP_BITWISE_AND, type, first, b);
        uint32_t either = binary(l, OP_BITWISE_OR, type, first, b);
        uint32_t carried = binary(l, OP_BITWISE_AND, type, either, mask);
        uint32_t bits = binary(l, OP_BITWISE_OR, type, both, carried);
        high = binary(l, OP_SHIFT_RIGHT_LOGICAL, type, bits, l->shifts[type] + SHIFT_TOP);
    }
    return weft_spirv_construct(l, i[1], i[2], (const uint32_t[]){low, high}, 2);
}

// ---- Dot products ----

// Component c of a vector, or byte c of a packed vector, converted to the result's type.
static uint32_t dot_part(struct lowering *l, uint32_t value, uint32_t c, bool is_signed, uint32_t result)
{
    uint32_t type = weft_spirv_type_of(l, value), scalar, width, components;
    weft_spirv_integers(l, type, &scalar, &width, &components);
    uint32_t part = l->next++;
    if (components > 1) {
        EMIT(l, OP_COMPOSITE_EXTRACT, scalar, part, value, c);
    } else { // shift the byte to the top, then down to the bottom
        uint32_t shifts = l->shifts[type], up = part;
        if (c == 3)
            up = value;
        else
            EMIT(l, OP_SHIFT_LEFT_LOGICAL, type, up, value, shifts + SHIFT_24 - c);
        part = binary(l, is_signed ? OP_SHIFT_RIGHT_ARITHMETIC : OP_SHIFT_RIGHT_LOGICAL, type, up,
                      shifts + SHIFT_24);
    }
    if (scalar == result)
        return part;
    EMIT(l, is_signed ? OP_S_CONVERT : OP_U_CONVERT, result, l->next, part);
    return l->next++;
}

static bool lower_dot(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t op = opcode_of(i[0]), base = op - (is_dot_with_sum(op) ? OP_SDOT_ACC_SAT - OP_SDOT : 0);
    uint32_t expected = is_dot_with_sum(op) ? 6 : 5, result, result_width, one, scalar, width, components;
    uint32_t type = n >= expected ? weft_spirv_type_of(l, i[3]) : 0,
             other = type ? weft_spirv_type_of(l, i[4]) : 0;
    uint32_t other_scalar, other_width, other_components;
    if (!other || !weft_spirv_integers(l, i[1], &result, &result_width, &one) || one != 1 ||
        !weft_spirv_integers(l, type, &scalar, &width, &components) ||
        !weft_spirv_integers(l, other, &other_scalar, &other_width, &other_components) ||
        components != other_components)
        return false;
    bool packed =
        n == expected + 1 && i[expected] == PACKED_4X8 && components == 1 && width == 32 && other_width == 32;
    if (!packed && (n != expected || components == 1))
        return false;
    if (packed && (!l->shifts[type] || !l->shifts[other]))
        return false;
    uint32_t sum = 0;
    for (uint32_t c = 0; c < (packed ? 4 : components); c++) {
        uint32_t a = dot_part(l, i[3], c, base != OP_UDOT, result),
                 b = dot_part(l, i[4], c, base == OP_SDOT, result);
        uint32_t product = binary(l, OP_IMUL, result, a, b);
        sum = sum ? binary(l, OP_IADD, result, sum, product) : product;
    }
    if (is_dot_with_sum(op))
        EMIT(l, OP_EXT_INST, i[1], i[2], l->std, base == OP_UDOT ? U_ADD_SAT : S_ADD_SAT, sum, i[5]);
    else
        EMIT(l, OP_COPY_OBJECT, i[1], i[2], sum);
    return true;
}

bool weft_spirv_lower_value(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t op = opcode_of(i[0]);
    if (op == OP_CONSTANT_NULL)
        lower_null(l, i);
    else if (op == OP_COMPOSITE_CONSTRUCT)
        return n > 3 && weft_spirv_construct(l, i[1], i[2], i + 3, n - 3);
    else if (op == OP_VECTOR_SHUFFLE)
        lower_shuffle(l, i, n);
    else if (op == OP_COMPOSITE_EXTRACT)
        return lower_extract(l, i, n);
    else if (op == OP_COMPOSITE_INSERT)
        return lower_insert(l, i, n);
    else if (is_dot(op))
        return lower_dot(l, i, n);
    else
        return n == 5 && lower_wide(l, i);
    return true;
}
