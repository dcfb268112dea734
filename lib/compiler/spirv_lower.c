// Instructions that came with SPIR-V 1.4, in those of 1.3, and OpCopyMemory: older translators don't know them. A module without any is
// left as it is. The words are well-framed (weft/spirv.h) but otherwise foreign: an operand that names nothing known
// leaves its instruction alone, for the translator to judge. SPIR-V 1.6 §3.52 (instructions).
#include <string.h>

#include "compiler.h"
#include "weft/spirv.h"

#define HEADER_WORDS 5u
#define KNOWN_MEMORY_OPERANDS 7u // volatile, aligned (with a number), nontemporal
#define MAX_BOUND (4u << 20) // ids that a module may have (§2.17): types in types could ask for any number
#define MAX_DEPTH 64u        // of types in types that a copy is taken apart for

enum {
    OP_UNDEF = 1,
    OP_EXT_INST = 12,
    OP_TYPE_INT = 21,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_CONSTANT_NULL = 46,
    OP_SPEC_CONSTANT_COMPOSITE = 51,
    OP_SPEC_CONSTANT_OP = 52,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
    OP_FUNCTION_CALL = 57,
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_COPY_MEMORY = 63,
    OP_COPY_MEMORY_SIZED = 64,
    OP_ACCESS_CHAIN = 65,
    OP_PTR_ACCESS_CHAIN = 67,
    OP_IN_BOUNDS_PTR_ACCESS_CHAIN = 70,
    OP_VECTOR_EXTRACT_DYNAMIC = 77,
    OP_COPY_OBJECT = 83,
    OP_COMPOSITE_CONSTRUCT = 80,
    OP_COMPOSITE_EXTRACT = 81,
    OP_U_CONVERT = 113,
    OP_CONVERT_PTR_TO_U = 117,
    OP_CONVERT_U_TO_PTR = 120,
    OP_BITCAST = 124,
    OP_ISUB = 130,
    OP_SDIV = 135,
    OP_SELECT = 169,
    OP_I_EQUAL = 170,
    OP_I_NOT_EQUAL = 171,
    OP_PHI = 245,
    OP_COPY_LOGICAL = 400,
    OP_PTR_EQUAL = 401,
    OP_PTR_NOT_EQUAL = 402,
    OP_PTR_DIFF = 403,
    OP_DECORATE_STRING = 5632,
    OP_MEMBER_DECORATE_STRING = 5633,
    MEMORY_VOLATILE = 1,
    MEMORY_ALIGNED = 2
};

struct lowering {
    const uint32_t *words;
    size_t count;
    uint32_t bound;   // ids that the module has
    uint32_t next;    // the next one that is made here
    uint32_t *type;   // of a value, by id; 0: not known
    size_t *defined;  // where the instruction of a type or a constant begins, by id; 0: not known
    uint32_t address; // 64-bit integer type; 0: none yet
    uint32_t one;     // the number 1 of it; 0: none yet
    struct weft_buf *out;
};

static uint32_t opcode_of(uint32_t head)
{
    return head & 0xffff;
}

static void emit(struct lowering *l, uint32_t op, const uint32_t *operands, uint32_t count)
{
    uint32_t head = (count + 1) << 16 | op;
    weft_buf_append(l->out, &head, sizeof head);
    weft_buf_append(l->out, operands, count * sizeof *operands);
}

#define EMIT(l, op, ...)                         \
    emit(l, op, (const uint32_t[]){__VA_ARGS__}, \
         (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

// ---- What the module says of its ids ----

static bool is_new(uint32_t op)
{
    return op == OP_COPY_LOGICAL || op == OP_PTR_EQUAL || op == OP_PTR_NOT_EQUAL || op == OP_PTR_DIFF ||
           op == OP_DECORATE_STRING || op == OP_MEMBER_DECORATE_STRING;
}

// Does the instruction begin with a result's type and id? Of those that can yield a pointer or an aggregate.
static bool has_typed_result(uint32_t op)
{
    return op == OP_UNDEF || op == OP_EXT_INST || (op >= OP_CONSTANT && op <= OP_CONSTANT_NULL) ||
           op == OP_SPEC_CONSTANT_COMPOSITE || op == OP_SPEC_CONSTANT_OP || op == OP_FUNCTION_PARAMETER ||
           op == OP_FUNCTION_CALL || (op >= OP_VARIABLE && op <= OP_LOAD) ||
           (op >= OP_ACCESS_CHAIN && op <= OP_PTR_ACCESS_CHAIN) || op == OP_IN_BOUNDS_PTR_ACCESS_CHAIN ||
           (op >= OP_VECTOR_EXTRACT_DYNAMIC && op <= OP_COPY_OBJECT) ||
           (op >= OP_CONVERT_U_TO_PTR && op <= OP_BITCAST) || op == OP_SELECT || op == OP_PHI ||
           op == OP_COPY_LOGICAL;
}

static void learn(struct lowering *l, size_t at, uint32_t n)
{
    const uint32_t *i = l->words + at;
    uint32_t op = opcode_of(i[0]);
    if (has_typed_result(op) && n >= 3 && i[2] < l->bound) {
        l->type[i[2]] = i[1];
        if (op == OP_CONSTANT)
            l->defined[i[2]] = at;
    } else if (op >= OP_TYPE_INT && op <= OP_TYPE_POINTER && n >= 2 && i[1] < l->bound) {
        l->defined[i[1]] = at;
        if (op == OP_TYPE_INT && n == 4 && i[2] == 64)
            l->address = i[1];
    }
}

static uint32_t type_of(const struct lowering *l, uint32_t id)
{
    return id < l->bound ? l->type[id] : 0;
}

// The instruction that defines a type; NULL: not known. *n: its words.
static const uint32_t *type_at(const struct lowering *l, uint32_t type, uint32_t *n)
{
    size_t at = type < l->bound ? l->defined[type] : 0;
    if (!at)
        return NULL;
    *n = l->words[at] >> 16;
    return l->words + at;
}

// ---- The new instructions ----

static uint32_t address_of(struct lowering *l, uint32_t pointer)
{
    EMIT(l, OP_CONVERT_PTR_TO_U, l->address, l->next, pointer);
    return l->next++;
}

static void lower_comparison(struct lowering *l, const uint32_t *i, uint32_t op)
{
    uint32_t a = address_of(l, i[3]), b = address_of(l, i[4]);
    EMIT(l, op, i[1], i[2], a, b);
}

// The bytes between the two, by the bytes between one of them and its next element.
static bool lower_difference(struct lowering *l, const uint32_t *i)
{
    uint32_t pointer = type_of(l, i[3]);
    if (!pointer)
        return false;
    uint32_t a = address_of(l, i[3]), b = address_of(l, i[4]);
    uint32_t next = l->next++, bytes = l->next++, size = l->next++, result = l->next++;
    EMIT(l, OP_PTR_ACCESS_CHAIN, pointer, next, i[3], l->one);
    uint32_t end = address_of(l, next);
    EMIT(l, OP_ISUB, l->address, bytes, a, b);
    EMIT(l, OP_ISUB, l->address, size, end, a);
    EMIT(l, OP_SDIV, l->address, result, bytes, size);
    // Of another width than an address: its low bits.
    uint32_t n;
    const uint32_t *t = type_at(l, i[1], &n);
    if (t && opcode_of(t[0]) == OP_TYPE_INT && t[2] != 64)
        EMIT(l, OP_U_CONVERT, i[1], i[2], result);
    else
        EMIT(l, OP_COPY_OBJECT, i[1], i[2], result);
    return true;
}

// How many elements an aggregate type has, and the type of one; 0: not known.
static uint32_t element_count(const struct lowering *l, uint32_t type)
{
    uint32_t n, length;
    const uint32_t *t = type_at(l, type, &n);
    if (t && opcode_of(t[0]) == OP_TYPE_STRUCT)
        return n - 2;
    const uint32_t *c = t && opcode_of(t[0]) == OP_TYPE_ARRAY && n == 4 ? type_at(l, t[3], &length) : NULL;
    return c && opcode_of(c[0]) == OP_CONSTANT && length >= 4 ? c[3] : 0;
}

static uint32_t element_type(const struct lowering *l, uint32_t type, uint32_t index)
{
    uint32_t n;
    const uint32_t *t = type_at(l, type, &n);
    return opcode_of(t[0]) == OP_TYPE_STRUCT ? t[2 + index] : t[2];
}

// `from`, of type `source`, as one of `type`, with this id; 0: that can't be.
static uint32_t copy(struct lowering *l, uint32_t type, uint32_t source, uint32_t from, uint32_t id,
                     uint32_t depth)
{
    if (type == source && depth)
        return from;
    uint32_t count = element_count(l, type);
    if (count == 0 || count > 0xfffc || l->next > MAX_BOUND || count != element_count(l, source) ||
        depth == MAX_DEPTH)
        return 0;
    uint32_t *operands = weft_alloc_array(count + 2, sizeof *operands);
    if (!operands) {
        l->out->failed = true;
        return 0;
    }
    operands[0] = type;
    operands[1] = id;
    for (uint32_t e = 0; e < count && id && !l->out->failed; e++) {
        uint32_t element = l->next++, inner = element_type(l, source, e);
        EMIT(l, OP_COMPOSITE_EXTRACT, inner, element, from, e);
        operands[2 + e] = copy(l, element_type(l, type, e), inner, element, l->next++, depth + 1);
        if (!operands[2 + e])
            id = 0;
    }
    if (id)
        emit(l, OP_COMPOSITE_CONSTRUCT, operands, count + 2);
    weft_free(operands);
    return id;
}

static bool lower_copy(struct lowering *l, const uint32_t *i)
{
    size_t before = l->out->size;
    if (copy(l, i[1], type_of(l, i[3]), i[3], i[2], 0))
        return true;
    l->out->size = before;
    return false;
}

// The operands that say how memory is accessed: how many words, 0 for what isn't known here.
static uint32_t access_words(const uint32_t *i, uint32_t at, uint32_t n)
{
    uint32_t words = at < n && !(i[at] & ~KNOWN_MEMORY_OPERANDS) ? 1 + (i[at] & MEMORY_ALIGNED ? 1u : 0u) : 0;
    return at + words <= n ? words : 0;
}

// A copy may say how it writes and how it reads; before 1.4 one said both.
static bool lower_sized_copy(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t first = access_words(i, 4, n), at = 4 + first, second = first ? access_words(i, at, n) : 0;
    if (!second || at + second != n)
        return false;
    uint32_t aligned = i[4] & i[at] & MEMORY_ALIGNED, access = aligned | ((i[4] | i[at]) & MEMORY_VOLATILE);
    if (aligned)
        EMIT(l, OP_COPY_MEMORY_SIZED, i[1], i[2], i[3], access, i[5] < i[at + 1] ? i[5] : i[at + 1]);
    else
        EMIT(l, OP_COPY_MEMORY_SIZED, i[1], i[2], i[3], access);
    return true;
}

// What is copied is one value, loaded and stored: that is also what translators that don't take it understand.
static bool lower_typed_copy(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t words, first = access_words(i, 3, n), second = first ? access_words(i, 3 + first, n) : 0;
    const uint32_t *pointer = n >= 3 ? type_at(l, type_of(l, i[2]), &words) : NULL;
    if (!pointer || opcode_of(pointer[0]) != OP_TYPE_POINTER || words != 4 || 3 + first + second != n)
        return false;
    uint32_t load[5] = {pointer[3], l->next++, i[2]}, store[4] = {i[1], load[1]};
    memcpy(load + 3, i + (second ? 3 + first : 3), (second ? second : first) * sizeof *i);
    memcpy(store + 2, i + 3, first * sizeof *i);
    emit(l, OP_LOAD, load, 3 + (second ? second : first));
    emit(l, OP_STORE, store, 2 + first);
    return true;
}

// False: it stays as it is.
static bool lower(struct lowering *l, const uint32_t *i, uint32_t n)
{
    switch (opcode_of(i[0])) {
    case OP_DECORATE_STRING:
    case OP_MEMBER_DECORATE_STRING:
        return true; // for the reader only
    case OP_COPY_MEMORY:
        return lower_typed_copy(l, i, n);
    case OP_COPY_MEMORY_SIZED:
        return lower_sized_copy(l, i, n);
    case OP_COPY_LOGICAL:
        return n == 4 && lower_copy(l, i);
    case OP_PTR_EQUAL:
    case OP_PTR_NOT_EQUAL:
        if (n == 5)
            lower_comparison(l, i, opcode_of(i[0]) == OP_PTR_EQUAL ? OP_I_EQUAL : OP_I_NOT_EQUAL);
        return n == 5;
    case OP_PTR_DIFF:
        return n == 5 && lower_difference(l, i);
    default:
        return false;
    }
}

// What the lowered instructions need and the module may lack, before the first function.
static void emit_globals(struct lowering *l)
{
    if (!l->address) {
        l->address = l->next++;
        EMIT(l, OP_TYPE_INT, l->address, 64, 0);
    }
    l->one = l->next++;
    EMIT(l, OP_CONSTANT, l->address, l->one, 1, 0);
}

static void rewrite(struct lowering *l)
{
    weft_buf_append(l->out, l->words, HEADER_WORDS * sizeof *l->words);
    for (size_t at = HEADER_WORDS; at < l->count && !l->out->failed;) {
        uint32_t n = l->words[at] >> 16;
        if (opcode_of(l->words[at]) == OP_FUNCTION && !l->one)
            emit_globals(l);
        if (!lower(l, l->words + at, n))
            weft_buf_append(l->out, l->words + at, n * sizeof *l->words);
        at += n;
    }
    if (!l->out->failed)
        memcpy(l->out->data + 3 * sizeof l->next, &l->next, sizeof l->next);
}

weft_status weftc_spirv_lower(const uint32_t *words, size_t count, struct weft_buf *out)
{
    struct lowering l = {.words = words, .count = count, .bound = words[3], .next = words[3], .out = out};
    l.type = weft_alloc_array(l.bound, sizeof *l.type);
    l.defined = weft_alloc_array(l.bound, sizeof *l.defined);
    bool wanted = false;
    for (size_t at = HEADER_WORDS; l.type && l.defined && at < count; at += words[at] >> 16) {
        uint32_t op = opcode_of(words[at]), n = words[at] >> 16;
        learn(&l, at, n);
        wanted =
            wanted || is_new(op) || (op == OP_COPY_MEMORY && n > 4) || (op == OP_COPY_MEMORY_SIZED && n > 5);
    }
    if (wanted)
        rewrite(&l);
    bool ok = l.type && l.defined && !out->failed;
    weft_free(l.type);
    weft_free(l.defined);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}
