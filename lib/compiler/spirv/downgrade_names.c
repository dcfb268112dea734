// Removes names of functions that mislead llvm-spirv for LLVM 15, which identifies functions by their OpName.
// It gives two functions of one OpName one body after the other. It uses a kernel's OpName as the kernel's
// name whatever OpEntryPoint says. And it takes a function with a built-in function's name for the built-in
// one. Such an OpName is left out, since it has no meaning (SPIR-V 1.6 §3.52.2). Stateless.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "compiler/spirv/downgrade.h"

struct name {
    const char *text;
    uint32_t id;     // the function with this OpName; 0: the name is public
    uint32_t public; // the function, if the name is public
    bool entry;      // the name of an entry point
};

static int compare_names(const void *a, const void *b)
{
    const struct name *one = a, *other = b;
    int order = strcmp(one->text, other->text);
    if (order)
        return order;
    return one->entry != other->entry ? other->entry - one->entry
                                      : (one->id > other->id) - (one->id < other->id);
}

// Does word `id` of the instruction refer to something that the text from word `first` on names? Checks that
// the text ends, which the reader of the module hasn't.
static bool names(const struct lowering *l, const uint32_t *i, uint32_t n, uint32_t first, uint32_t id)
{
    return n > first && i[id] < l->bound && memchr(i + first, '\0', (n - first) * sizeof *i);
}

// Returns the public name that the instruction gives, and sets *id to what it names; or NULL.
static const char *public_name(const struct lowering *l, const uint32_t *i, uint32_t n, uint32_t *id)
{
    uint32_t op = opcode_of(i[0]), at = op == OP_ENTRY_POINT ? 2 : 1;
    bool is_public = op == OP_ENTRY_POINT || (op == OP_DECORATE && n > 3 && i[2] == DECORATION_LINKAGE);
    if (!is_public || !names(l, i, n, 3, at))
        return NULL;
    *id = i[at];
    return (const char *)(i + 3);
}

// OpenCL's built-in functions have mangled names. So have functions of C++ for OpenCL, of which those in a
// namespace are told apart.
static bool may_be_built_in(const char *name)
{
    return (strncmp(name, "_Z", 2) == 0 && name[2] >= '0' && name[2] <= '9') ||
           strncmp(name, "llvm.", 5) == 0;
}

// Collects OpNames of functions and public names. Returns their number. Writes them to `out` unless it is
// NULL.
static size_t collect(struct lowering *l, struct name *out)
{
    size_t count = 0;
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; at < l->count; at += l->words[at] >> 16) {
        const uint32_t *i = l->words + at;
        uint32_t n = i[0] >> 16, id;
        const char *text = public_name(l, i, n, &id);
        bool inner = opcode_of(i[0]) == OP_NAME && n > 2 && names(l, i, n, 2, 1) &&
                     l->names[i[1]] == WEFT_SPIRV_FUNCTION;
        if (inner)
            text = (const char *)(i + 2);
        if (text && out)
            out[count] =
                inner ? (struct name){.text = text, .id = i[1]}
                      : (struct name){.text = text, .public = id, .entry = opcode_of(i[0]) == OP_ENTRY_POINT};
        count += text != NULL;
    }
    return count;
}

void weft_spirv_learn_name(struct lowering *l, const uint32_t *i, uint32_t n)
{
    uint32_t id;
    if (public_name(l, i, n, &id))
        l->names[id] |= WEFT_SPIRV_PUBLIC;
    else if (opcode_of(i[0]) == OP_FUNCTION && n == 5 && i[2] < l->bound)
        l->names[i[2]] |= WEFT_SPIRV_FUNCTION;
}

bool weft_spirv_find_names(struct lowering *l)
{
    size_t count = collect(l, NULL);
    struct name *all = weft_alloc_array(count + 1, sizeof *all);
    if (!all)
        return false;
    collect(l, all);
    qsort(all, count, sizeof *all, compare_names);
    // Names are sorted by text, public ones first, and of these entry points. The first one keeps the name.
    // An entry point calls the exported function of its name.
    for (size_t k = 0, first = 0; k < count; k++) {
        if (strcmp(all[first].text, all[k].text) != 0)
            first = k;
        if (all[k].id && (may_be_built_in(all[k].text) || k > first))
            l->names[all[k].id] |= WEFT_SPIRV_NAMELESS;
        if (all[first].entry && !all[k].id && all[k].public != all[first].public)
            l->names[all[k].public] |= WEFT_SPIRV_HIDDEN;
    }
    weft_free(all);
    return true;
}

bool weft_spirv_is_useless_name(const struct lowering *l, const uint32_t *i, uint32_t n)
{
    if (opcode_of(i[0]) == OP_DECORATE)
        return n > 3 && i[1] < l->bound && i[2] == DECORATION_LINKAGE && i[n - 1] != LINKAGE_IMPORT &&
               l->names[i[1]] & WEFT_SPIRV_HIDDEN;
    return opcode_of(i[0]) == OP_NAME && n > 2 && i[1] < l->bound &&
           l->names[i[1]] & (WEFT_SPIRV_PUBLIC | WEFT_SPIRV_NAMELESS);
}
