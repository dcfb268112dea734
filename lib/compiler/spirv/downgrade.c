// Rewrites instructions that the translator doesn't know or handles wrongly to instructions that it knows. A
// table (spirv/steps.c) says which versions of the translator need which step:
//
// - instructions of SPIR-V 1.4, OpCopyMemory, and clocks (SPV_KHR_shader_clock)
// - the image operand Nontemporal of SPIR-V 1.6, which is left out
// - pipe storage (PipeStorage) and queries about sub-groups (SubgroupDispatch)
// - named barriers (spirv/downgrade_named_barriers.c)
// - execution modes (spirv/downgrade_execution_modes.c)
// - values (spirv/downgrade_values.c) and names (spirv/downgrade_names.c)
// - pointers to components of built-in variables (spirv/downgrade_builtin_variables.c)
//
// A module without any of these stays unchanged. The lengths of instructions are valid (weft/spirv.h), but
// otherwise the module isn't trusted. If an operand refers to nothing known, the instruction stays, and the
// translator judges it. SPIR-V 1.6 §3.52 (instructions).
#include <string.h>

#include "base/base.h"
#include "compiler/spirv/downgrade.h"
#include "compiler/spirv/spirv.h"
#include "weft/device_call.h"

#define KNOWN_MEMORY_OPERANDS 7u // volatile, aligned (followed by a number), nontemporal
#define MAX_DEPTH 64u            // maximum nesting of types that a copy is split for
#define STD_WORDS 4u             // the id, and the text "OpenCL.std"

enum { MEMORY_VOLATILE = 1, MEMORY_ALIGNED = 2, IMAGE_NONTEMPORAL = 0x4000 };

static bool has_step(const struct lowering *l, enum weft_spirv_step step)
{
    return l->steps >> step & 1;
}

// ---- Facts about ids ----

static bool is_new(uint32_t op)
{
    return op == OP_COPY_LOGICAL || op == OP_PTR_EQUAL || op == OP_PTR_NOT_EQUAL || op == OP_PTR_DIFF ||
           op == OP_DECORATE_STRING || op == OP_MEMBER_DECORATE_STRING || op == OP_READ_CLOCK ||
           op == OP_KERNEL_LOCAL_SIZE_FOR_SUB_GROUPS || op == OP_KERNEL_MAX_NUM_SUB_GROUPS ||
           op == OP_CONSTANT_PIPE_STORAGE;
}

// Does the instruction begin with the type and the id of a result? Lists ranges of opcodes that kernels may
// use.
static bool has_typed_result(uint32_t op)
{
    static const uint16_t ranges[][2] = {
        {1, 1},       {12, 12},     {41, 46},     {48, 52},     {55, 55},     {57, 57},     {59, 61},
        {65, 70},     {77, 84},     {86, 98},     {100, 107},   {109, 124},   {126, 152},   {154, 191},
        {194, 205},   {227, 227},   {229, 242},   {245, 245},   {259, 259},   {261, 279},   {282, 286},
        {291, 296},   {299, 299},   {303, 304},   {318, 318},   {320, 327},   {333, 366},   {400, 403},
        {4421, 4431}, {4450, 4455}, {5056, 5056}, {5571, 5575}, {5577, 5577}, {5614, 5615}, {5631, 5631},
        {6035, 6035}, {6401, 6408}};
    for (size_t r = 0; r < WEFT_COUNT_OF(ranges); r++)
        if (op >= ranges[r][0] && op <= ranges[r][1])
            return true;
    return false;
}

static bool is_text(const uint32_t *words, uint32_t n, const char *text)
{
    size_t size = strlen(text) + 1;
    return n * sizeof *words >= size && memcmp(words, text, size) == 0;
}

static void learn(struct lowering *l, size_t at, uint32_t n)
{
    const uint32_t *i = l->words + at;
    uint32_t op = opcode_of(i[0]);
    if (has_typed_result(op) && n >= 3 && i[2] < l->bound) {
        l->type[i[2]] = i[1];
        if (weft_spirv_is_number(i))
            l->defined[i[2]] = at;
    } else if (op >= OP_TYPE_BOOL && op <= OP_TYPE_POINTER && n >= 2 && i[1] < l->bound) {
        l->defined[i[1]] = at;
        if (op == OP_TYPE_INT && n == 4 && i[2] == 64)
            l->address = i[1];
    } else if (op == OP_EXT_INST_IMPORT && n >= 3 && is_text(i + 2, n - 2, "OpenCL.std")) {
        l->std = i[1];
    }
}

// ---- Replacements of instructions ----

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

// The difference is the number of bytes between the pointers, divided by the distance between one of them and
// its next element.
static bool lower_difference(struct lowering *l, const uint32_t *i)
{
    uint32_t pointer = weft_spirv_type_of(l, i[3]);
    if (!pointer)
        return false;
    uint32_t a = address_of(l, i[3]), b = address_of(l, i[4]);
    uint32_t next = l->next++, bytes = l->next++, size = l->next++, result = l->next++;
    EMIT(l, OP_PTR_ACCESS_CHAIN, pointer, next, i[3], l->one);
    uint32_t end = address_of(l, next);
    EMIT(l, OP_ISUB, l->address, bytes, a, b);
    EMIT(l, OP_ISUB, l->address, size, end, a);
    EMIT(l, OP_SDIV, l->address, result, bytes, size);
    // The result may be wider or narrower than an address.
    uint32_t n;
    const uint32_t *t = weft_spirv_definition(l, i[1], &n);
    if (t && opcode_of(t[0]) == OP_TYPE_INT && t[2] != 64)
        EMIT(l, OP_U_CONVERT, i[1], i[2], result);
    else
        EMIT(l, OP_COPY_OBJECT, i[1], i[2], result);
    return true;
}

// Returns the number of elements of an aggregate type; 0: not known. element_type returns the type of one.
static uint32_t element_count(const struct lowering *l, uint32_t type)
{
    uint32_t n, length;
    const uint32_t *t = weft_spirv_definition(l, type, &n);
    if (t && opcode_of(t[0]) == OP_TYPE_STRUCT)
        return n - 2;
    const uint32_t *c =
        t && opcode_of(t[0]) == OP_TYPE_ARRAY && n == 4 ? weft_spirv_definition(l, t[3], &length) : NULL;
    return c && opcode_of(c[0]) == OP_CONSTANT && length >= 4 ? c[3] : 0;
}

static uint32_t element_type(const struct lowering *l, uint32_t type, uint32_t index)
{
    uint32_t n;
    const uint32_t *t = weft_spirv_definition(l, type, &n);
    return opcode_of(t[0]) == OP_TYPE_STRUCT ? t[2 + index] : t[2];
}

// Copies `from`, of type `source`, to a value of `type` with this id. Returns its id, or 0 if that isn't
// possible.
static uint32_t copy(struct lowering *l, uint32_t type, uint32_t source, uint32_t from, uint32_t id,
                     uint32_t depth)
{
    if (type == source && depth)
        return from;
    uint32_t count = element_count(l, type);
    if (count == 0 || count > 0xfffc || l->next > WEFT_SPIRV_MAX_BOUND || count != element_count(l, source) ||
        depth == MAX_DEPTH)
        return 0;
    uint32_t *parts = weft_alloc_array(count, sizeof *parts);
    if (!parts) {
        l->out->failed = true;
        return 0;
    }
    for (uint32_t e = 0; e < count && id && !l->out->failed; e++) {
        uint32_t element = l->next++, inner = element_type(l, source, e);
        EMIT(l, OP_COMPOSITE_EXTRACT, inner, element, from, e);
        parts[e] = copy(l, element_type(l, type, e), inner, element, l->next++, depth + 1);
        if (!parts[e])
            id = 0;
    }
    if (id && !weft_spirv_construct(l, type, id, parts, count))
        id = 0;
    weft_free(parts);
    return id;
}

static bool lower_copy(struct lowering *l, const uint32_t *i)
{
    size_t before = l->out->size;
    if (copy(l, i[1], weft_spirv_type_of(l, i[3]), i[3], i[2], 0))
        return true;
    l->out->size = before;
    return false;
}

// Returns the number of words of a memory access operand; 0 if it has unknown bits.
static uint32_t access_words(const uint32_t *i, uint32_t at, uint32_t n)
{
    uint32_t words = at < n && !(i[at] & ~KNOWN_MEMORY_OPERANDS) ? 1 + (i[at] & MEMORY_ALIGNED ? 1u : 0u) : 0;
    return at + words <= n ? words : 0;
}

// OpCopyMemorySized may have two memory operands, for writing and reading. Before SPIR-V 1.4 it had one, for
// both.
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

// OpCopyMemory copies one value, so it becomes a load and a store. All translators know these.
static bool lower_typed_copy(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t words, first = access_words(i, 3, n), second = first ? access_words(i, 3 + first, n) : 0;
    const uint32_t *pointer = n >= 3 ? weft_spirv_definition(l, weft_spirv_type_of(l, i[2]), &words) : NULL;
    if (!pointer || opcode_of(pointer[0]) != OP_TYPE_POINTER || words != 4 || 3 + first + second != n)
        return false;
    uint32_t load[5] = {pointer[3], l->next++, i[2]}, store[4] = {i[1], load[1]};
    memcpy(load + 3, i + (second ? 3 + first : 3), (second ? second : first) * sizeof *i);
    memcpy(store + 2, i + 3, first * sizeof *i);
    weft_spirv_emit(l, OP_LOAD, load, 3 + (second ? second : first));
    weft_spirv_emit(l, OP_STORE, store, 2 + first);
    return true;
}

// ---- Image operands ----

// Returns the index of an image access's mask of operands, or 0 if the access has no hint.
static uint32_t hint_at(const uint32_t *i, uint32_t n)
{
    uint32_t op = opcode_of(i[0]), at = op == OP_IMAGE_WRITE ? 4 : 5;
    bool is_access = op == OP_IMAGE_SAMPLE_EXPLICIT_LOD || op == OP_IMAGE_FETCH || op == OP_IMAGE_READ ||
                     op == OP_IMAGE_WRITE;
    return is_access && n > at && i[at] & IMAGE_NONTEMPORAL ? at : 0;
}

// The hint has no operand of its own. A mask without bits isn't written.
static bool leave_hint_out(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t at = hint_at(i, n);
    if (!at)
        return false;
    uint32_t mask = i[at] & ~(uint32_t)IMAGE_NONTEMPORAL, head = (n - !mask) << 16 | opcode_of(i[0]);
    weft_buf_append(l->out, &head, sizeof head);
    weft_buf_append(l->out, i + 1, (at - 1) * sizeof *i);
    weft_buf_append(l->out, &mask, mask ? sizeof mask : 0);
    weft_buf_append(l->out, i + at + 1, (n - at - 1) * sizeof *i);
    return true;
}

// ---- Queries about sub-groups of enqueued kernels (weft/device_call.h) ----

static bool lower_sub_group_query(struct lowering *l, const uint32_t *i, uint32_t n)
{
    const bool counted = opcode_of(i[0]) == OP_KERNEL_LOCAL_SIZE_FOR_SUB_GROUPS;
    // the function, its argument, and the argument's size and alignment
    const uint32_t *rest = i + (counted ? 4 : 3);
    uint32_t literal = n == (counted ? 8 : 7) ? weft_spirv_type_of(l, rest[1]) : 0,
             query = l->queries[!counted];
    if (!literal)
        return false;
    if (counted) {
        uint32_t wide = l->next++;
        EMIT(l, OP_U_CONVERT, l->address, wide, i[3]);
        query = l->next++;
        EMIT(l, OP_BITWISE_OR, l->address, query, wide, l->queries[0]);
    }
    uint32_t pointer = l->next++;
    EMIT(l, OP_CONVERT_U_TO_PTR, literal, pointer, query);
    EMIT(l, OP_KERNEL_WORK_GROUP_SIZE, i[1], i[2], rest[0], pointer, rest[2], rest[3]);
    return true;
}

// ---- Pipes that the module declares (spirv/pipe_storage.c) ----

// The translator gives the storage a type that differs from the declared one, so a cast is added.
static bool lower_storage(struct lowering *l, const uint32_t *i, uint32_t n)
{
    if (n != 6)
        return false;
    uint32_t storage = l->next++;
    EMIT(l, OP_CONSTANT_PIPE_STORAGE, i[1], storage, i[3], i[4], i[5]);
    EMIT(l, OP_SPEC_CONSTANT_OP, i[1], i[2], OP_BITCAST, storage);
    return true;
}

// ---- Clocks become calls of functions of cl_khr_kernel_clock ----

static const char *const clock_names[WEFT_SPIRV_CLOCKS] = {
    "_Z17clock_read_devicev",          "_Z22clock_read_hilo_devicev", "_Z21clock_read_work_groupv",
    "_Z26clock_read_hilo_work_groupv", "_Z20clock_read_sub_groupv",   "_Z25clock_read_hilo_sub_groupv",
};

// Returns the index of the function that reads this clock, or WEFT_SPIRV_CLOCKS if there is none.
static uint32_t clock_of(const struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t words, scalar, width, components;
    const uint32_t *scope = n == 4 ? weft_spirv_definition(l, i[3], &words) : NULL;
    if (!scope || opcode_of(scope[0]) != OP_CONSTANT || words != 4 || scope[3] < 1 || scope[3] > 3 ||
        !weft_spirv_integers(l, i[1], &scalar, &width, &components) || width * components != 64)
        return WEFT_SPIRV_CLOCKS;
    return 2 * (scope[3] - 1) + (components == 2);
}

static bool lower_clock(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t clock = clock_of(l, i, n);
    if (clock == WEFT_SPIRV_CLOCKS)
        return false;
    EMIT(l, OP_FUNCTION_CALL, i[1], i[2], l->clocks[clock]);
    return true;
}

static void find_clock(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t clock = clock_of(l, i, n);
    if (clock == WEFT_SPIRV_CLOCKS || l->clocks[clock])
        return;
    l->clocks[clock] = l->next++;
    l->clock_result[clock] = i[1];
}

// Writes the import decorations of the functions.
static void import_clocks(struct lowering *l)
{
    for (uint32_t c = 0; c < WEFT_SPIRV_CLOCKS; c++)
        if (l->clocks[c])
            weft_spirv_import(l, l->clocks[c], clock_names[c]);
}

static void declare_clocks(struct lowering *l)
{
    for (uint32_t c = 0; c < WEFT_SPIRV_CLOCKS; c++) {
        if (!l->clocks[c])
            continue;
        uint32_t type = l->next++;
        EMIT(l, OP_TYPE_FUNCTION, type, l->clock_result[c]);
        EMIT(l, OP_FUNCTION, l->clock_result[c], l->clocks[c], 0, type);
        weft_spirv_emit(l, OP_FUNCTION_END, &type, 0);
    }
}

// Writes the replacement of an instruction. Returns false if it stays.
static bool lower(struct lowering *l, const uint32_t *i, uint32_t n)
{
    if (!has_step(l, weft_spirv_step_of(i, n)))
        return false;
    switch (opcode_of(i[0])) {
    case OP_NAME:
    case OP_DECORATE:
        return weft_spirv_is_useless_name(l, i, n);
    case OP_DECORATE_STRING:
    case OP_MEMBER_DECORATE_STRING:
        return true; // only for readers
    case OP_CAPABILITY:
        return n == 2 && (i[1] == CAPABILITY_SHADER_CLOCK || i[1] == CAPABILITY_NAMED_BARRIER);
    case OP_TYPE_NAMED_BARRIER:
    case OP_NAMED_BARRIER_INITIALIZE:
    case OP_MEMORY_NAMED_BARRIER:
        return weft_spirv_lower_barrier(l, i, n);
    case OP_EXTENSION:
        return is_text(i + 1, n - 1, "SPV_KHR_shader_clock");
    case OP_READ_CLOCK:
        return lower_clock(l, i, n);
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
    case OP_EXECUTION_MODE:
    case OP_EXECUTION_MODE_ID:
        return weft_spirv_is_mode(i, n) && weft_spirv_lower_mode(l, i, n);
    case OP_KERNEL_LOCAL_SIZE_FOR_SUB_GROUPS:
    case OP_KERNEL_MAX_NUM_SUB_GROUPS:
        return lower_sub_group_query(l, i, n);
    case OP_CONSTANT_PIPE_STORAGE:
        return lower_storage(l, i, n);
    case OP_IMAGE_SAMPLE_EXPLICIT_LOD:
    case OP_IMAGE_FETCH:
    case OP_IMAGE_READ:
    case OP_IMAGE_WRITE:
        return leave_hint_out(l, i, n);
    case OP_PTR_DIFF:
        return n == 5 && lower_difference(l, i);
    case OP_LOAD:
    case OP_ACCESS_CHAIN:
    case OP_IN_BOUNDS_ACCESS_CHAIN:
    case OP_PTR_ACCESS_CHAIN:
    case OP_IN_BOUNDS_PTR_ACCESS_CHAIN:
        if (!weft_spirv_is_part(l, i, n))
            return false;
        weft_spirv_lower_part(l, i);
        return true;
    default:
        return weft_spirv_is_value(l, i, n) && weft_spirv_lower_value(l, i, n);
    }
}

// Writes types and constants that the replacements need and the module may lack, before the first function.
static void emit_globals(struct lowering *l)
{
    if (!l->address) {
        l->address = l->next++;
        EMIT(l, OP_TYPE_INT, l->address, 64, 0);
    }
    l->one = l->next++;
    EMIT(l, OP_CONSTANT, l->address, l->one, 1, 0);
    static const uint64_t query_values[] = {WEFT_ASK_LOCAL_SIZE, WEFT_ASK_SUB_GROUPS};
    for (int q = 0; q < 2; q++) {
        l->queries[q] = l->next++;
        EMIT(l, OP_CONSTANT, l->address, l->queries[q], (uint32_t)query_values[q],
             (uint32_t)(query_values[q] >> 32));
    }
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; at < l->count; at += l->words[at] >> 16)
        weft_spirv_prepare_value(l, l->words + at, l->words[at] >> 16);
    declare_clocks(l);
    weft_spirv_declare_barriers(l);
}

static bool is_annotation_or_type(uint32_t op)
{
    return op == OP_DECORATE || op == OP_DECORATE + 1 || (op >= OP_TYPE_VOID && op <= OP_TYPE_FUNCTION) ||
           op == OP_TYPE_NAMED_BARRIER;
}

static void rewrite(struct lowering *l)
{
    static const char std[4 * STD_WORDS - 4] = "OpenCL.std";
    bool imported = false;
    weft_buf_append(l->out, l->words, WEFT_SPIRV_HEADER_WORDS * sizeof *l->words);
    EMIT(l, OP_CAPABILITY, CAPABILITY_LINKAGE);
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; at < l->count && !l->out->failed;) {
        uint32_t n = l->words[at] >> 16, op = opcode_of(l->words[at]);
        if (op == OP_MEMORY_MODEL && !l->std) {
            uint32_t operands[STD_WORDS] = {l->std = l->next++};
            memcpy(operands + 1, std, sizeof std);
            weft_spirv_emit(l, OP_EXT_INST_IMPORT, operands, STD_WORDS);
        }
        if (is_annotation_or_type(op) && !imported) {
            import_clocks(l);
            weft_spirv_import_barriers(l);
            imported = true;
        }
        if (op == OP_FUNCTION && !l->one)
            emit_globals(l);
        if (!lower(l, l->words + at, n))
            weft_buf_append(l->out, l->words + at, n * sizeof *l->words);
        at += n;
    }
    if (!l->out->failed)
        memcpy(l->out->data + 3 * sizeof l->next, &l->next, sizeof l->next);
    if (l->next > WEFT_SPIRV_MAX_BOUND)
        l->out->size = 0; // too many ids: the module stays unchanged
}

static bool needs_lowering(const struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t op = opcode_of(i[0]);
    if (!has_step(l, weft_spirv_step_of(i, n)))
        return false;
    return is_new(op) || weft_spirv_is_mode(i, n) || weft_spirv_is_useless_name(l, i, n) ||
           weft_spirv_is_value(l, i, n) || weft_spirv_is_part(l, i, n) || weft_spirv_is_barrier(i, n) ||
           hint_at(i, n) || (op == OP_COPY_MEMORY && n > 4) || (op == OP_COPY_MEMORY_SIZED && n > 5);
}

weft_status weftc_spirv_lower(const uint32_t *words, size_t count, struct weft_buf *out)
{
    struct lowering l = {.words = words,
                         .count = count,
                         .bound = words[3],
                         .next = words[3],
                         .out = out,
                         .steps = weft_spirv_steps()};
    l.type = weft_alloc_array(l.bound, sizeof *l.type);
    l.defined = weft_alloc_array(l.bound, sizeof *l.defined);
    l.shifts = weft_alloc_array(l.bound, sizeof *l.shifts);
    l.names = weft_alloc_array(l.bound, sizeof *l.names);
    bool needed = false, enough = l.type && l.defined && l.shifts && l.names;
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; enough && at < count; at += words[at] >> 16) {
        learn(&l, at, words[at] >> 16);
        weft_spirv_learn_name(&l, words + at, words[at] >> 16);
        weft_spirv_learn_part(&l, at, words[at] >> 16);
        if (has_step(&l, WEFT_SPIRV_LOWER_NAMED_BARRIERS))
            weft_spirv_learn_barrier(&l, words + at, words[at] >> 16);
        if (opcode_of(words[at]) == OP_READ_CLOCK && has_step(&l, WEFT_SPIRV_LOWER_CLOCKS))
            find_clock(&l, words + at, words[at] >> 16);
    }
    enough = enough && weft_spirv_find_names(&l);
    if (enough)
        weft_spirv_find_parts(&l);
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; enough && at < count && !needed; at += words[at] >> 16)
        needed = needs_lowering(&l, words + at, words[at] >> 16);
    if (needed)
        rewrite(&l);
    bool ok = enough && !out->failed;
    weft_free(l.names);
    weft_free(l.shifts);
    weft_free(l.type);
    weft_free(l.defined);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}
