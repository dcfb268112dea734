// Reads as much of SPIR-V as both sides of the protocol need. A module is untrusted. One walk checks all that
// is used later; its time and memory are linear in the size of the module.
#include "weft/spirv.h"

#include <string.h>

#include "base/base.h"

#define HEADER_WORDS 5u
#define MAX_BOUND (4u << 20) // §2.17: all ids of a module are below it
#define SIGNED 0x80u

enum {
    OP_MEMORY_MODEL = 14,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_DECORATE = 71,
    DECORATION_SPEC_ID = 1
};

// State of the walk over the module.
struct walk {
    struct weft_spirv *module;
    uint32_t bound;
    uint8_t *type_size; // by id of a scalar type: bytes of a value, plus SIGNED; 0: another type
    uint32_t *spec;     // by decorated id: 1 + the index of its SpecId in `ids`; NULL: nothing is decorated
    uint32_t *ids;
    size_t id_count, id_capacity, constant_capacity;
    bool has_memory_model;
    bool no_memory;
};

// Returns the list with space for one more element. NULL: no memory.
static void *grown(void *list, size_t used, size_t *capacity, size_t element)
{
    if (used < *capacity)
        return list;
    size_t wanted = *capacity ? 2 * *capacity : 16, bytes;
    void *larger = weft_mul_size(wanted, element, &bytes) ? weft_realloc(list, bytes) : NULL;
    if (larger)
        *capacity = wanted;
    return larger;
}

static bool note_spec_id(struct walk *w, uint32_t target, uint32_t id)
{
    if (!w->spec && !(w->spec = weft_alloc_array(w->bound, sizeof *w->spec)))
        return false;
    uint32_t *ids = grown(w->ids, w->id_count, &w->id_capacity, sizeof *ids);
    if (!ids)
        return false;
    w->ids = ids;
    ids[w->id_count++] = id;
    w->spec[target] = (uint32_t)w->id_count;
    return true;
}

static bool note_constant(struct walk *w, uint32_t type, uint32_t result, size_t word)
{
    struct weft_spirv *m = w->module;
    if (!w->spec || !w->spec[result] || !w->type_size[type])
        return true;
    size_t capacity = w->constant_capacity;
    struct weft_spirv_constant *list = grown(m->constants, m->constant_count, &capacity, sizeof *list);
    if (!list)
        return false;
    w->constant_capacity = capacity;
    m->constants = list;
    list[m->constant_count++] = (struct weft_spirv_constant){
        w->ids[w->spec[result] - 1], w->type_size[type] & ~SIGNED, w->type_size[type] & SIGNED, word};
    return true;
}

// Handles the instruction of n words at index `at`. False: it isn't valid, or there is no memory.
static bool note(struct walk *w, size_t at, uint32_t n)
{
    const uint32_t *i = w->module->words + at;
    uint32_t op = i[0] & 0xffff;
    switch (op) {
    case OP_MEMORY_MODEL:
        w->has_memory_model = true;
        return n == 3;
    case OP_TYPE_BOOL:
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        if (n < (op == OP_TYPE_BOOL ? 2 : op == OP_TYPE_INT ? 4 : 3) || i[1] >= w->bound)
            return false;
        w->type_size[i[1]] = op == OP_TYPE_BOOL ? 1 : i[2] <= 64 ? (uint8_t)((i[2] + 7) / 8) : 0;
        if (op == OP_TYPE_INT && i[3] && w->type_size[i[1]])
            w->type_size[i[1]] |= SIGNED;
        return true;
    case OP_DECORATE:
        if (n < 3 || i[1] >= w->bound || (i[2] == DECORATION_SPEC_ID && n < 4))
            return false;
        if (i[2] != DECORATION_SPEC_ID || note_spec_id(w, i[1], i[3]))
            return true;
        break;
    case OP_SPEC_CONSTANT_TRUE:
    case OP_SPEC_CONSTANT_FALSE:
    case OP_SPEC_CONSTANT:
        if (n < 3 || i[1] >= w->bound || i[2] >= w->bound)
            return false;
        // A literal takes whole words, the low word first.
        if (op == OP_SPEC_CONSTANT && n < 3 + ((w->type_size[i[1]] & ~SIGNED) + 3u) / 4)
            return false;
        if (note_constant(w, i[1], i[2], at))
            return true;
        break;
    default:
        return true;
    }
    w->no_memory = true;
    return false;
}

static weft_status walk(struct weft_spirv *m, const char **why)
{
    struct walk w = {.module = m, .bound = m->words[3]};
    weft_status status = WEFT_OK;
    *why = "its bound on ids is 0 or above the 4,194,304 of the specification";
    if (w.bound == 0 || w.bound > MAX_BOUND)
        return WEFT_DAMAGED;
    *why = "an instruction is incomplete or too short";
    if (!(w.type_size = weft_zalloc(w.bound)))
        return WEFT_NO_MEMORY;
    for (size_t at = HEADER_WORDS; at < m->count && status == WEFT_OK;) {
        uint32_t n = m->words[at] >> 16;
        if (n == 0 || n > m->count - at || !note(&w, at, n))
            status = w.no_memory ? WEFT_NO_MEMORY : WEFT_DAMAGED;
        at += n;
    }
    // §2.4: "The single required OpMemoryModel instruction." A header alone isn't a module.
    if (status == WEFT_OK && !w.has_memory_model) {
        *why = "it has no OpMemoryModel, which every module has";
        status = WEFT_DAMAGED;
    }
    weft_free(w.type_size);
    weft_free(w.spec);
    weft_free(w.ids);
    return status;
}

static weft_status check_header(struct weft_spirv *m, const char **why)
{
    uint32_t version = m->words[1];
    *why = weft_spirv_newest_minor() < 6
               ? "its version is not one of SPIR-V 1.0 to 1.4, which the installed translator reads"
               : "its version is not one of SPIR-V 1.0 to 1.6";
    if ((version & 0xff0000ffu) || version >> 16 != 1 || (version >> 8 & 0xff) > weft_spirv_newest_minor())
        return WEFT_DAMAGED;
    *why = "its schema is not 0";
    return m->words[4] ? WEFT_DAMAGED : walk(m, why);
}

weft_status weft_spirv_read(struct weft_spirv *out, const void *il, size_t size, const char **why)
{
    *out = (struct weft_spirv){0};
    *why = "its size is not a whole number of words, or it is too short for a header";
    if (size % 4 || size / 4 < HEADER_WORDS)
        return WEFT_DAMAGED;
    uint32_t magic;
    memcpy(&magic, il, sizeof magic);
    *why = "it does not begin with SPIR-V's magic number";
    if (magic != WEFT_SPIRV_MAGIC && magic != __builtin_bswap32(WEFT_SPIRV_MAGIC))
        return WEFT_DAMAGED;
    if (!(out->words = weft_memdup(il, size)))
        return WEFT_NO_MEMORY;
    out->count = size / 4;
    for (size_t i = 0; magic != WEFT_SPIRV_MAGIC && i < out->count; i++)
        out->words[i] = __builtin_bswap32(out->words[i]);
    weft_status status = check_header(out, why);
    if (status != WEFT_OK)
        weft_spirv_fini(out);
    return status;
}

void weft_spirv_fini(struct weft_spirv *s)
{
    weft_free(s->words);
    weft_free(s->constants);
    *s = (struct weft_spirv){0};
}

uint32_t weft_spirv_constant_size(const struct weft_spirv *s, uint32_t id)
{
    for (uint32_t i = 0; i < s->constant_count; i++)
        if (s->constants[i].id == id)
            return s->constants[i].size;
    return 0;
}

void weft_spirv_specialize(struct weft_spirv *s, uint32_t id, const void *value)
{
    // Another constant may have the same id with another size.
    uint32_t size = weft_spirv_constant_size(s, id);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        const struct weft_spirv_constant *c = &s->constants[i];
        if (c->id != id || c->size != size)
            continue;
        uint32_t *at = s->words + c->word, head = *at & 0xffff0000u;
        uint64_t bits = 0;
        memcpy(&bits, value, c->size); // every machine that Weft runs on is little-endian
        if ((*at & 0xffff) != OP_SPEC_CONSTANT) {
            *at = head | (bits ? OP_SPEC_CONSTANT_TRUE : OP_SPEC_CONSTANT_FALSE);
            continue;
        }
        // §2.2.1: a literal of fewer than 32 bits is sign-extended to a word if its type is signed.
        uint32_t width = 8 * c->size;
        if (c->negates && width < 32 && bits >> (width - 1) & 1)
            bits |= UINT32_MAX << width & UINT32_MAX;
        at[3] = (uint32_t)bits;
        if (c->size > 4)
            at[4] = (uint32_t)(bits >> 32);
    }
}
