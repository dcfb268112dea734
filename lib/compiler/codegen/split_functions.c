// Splits large functions into parts that call each other.
//
// Much of LLVM's code generator takes more than linear time in the size of a function: the register coalescer
// and allocator, live intervals, the search for a constant in the constant pool. So before it a function of
// more than LARGE instructions becomes functions of about PART each. A part has one entry and one exit: what
// lies between a block and a block that all ways from there come to, such as some of a row of a thousand
// `if`s, or the end of a long chain of `else if`. Values go in as arguments, and come out through memory
// (bridge/control_flow.cpp). A call in 3,000 instructions costs next to nothing.
//
// Blocks are visited from the end of the dominator tree on, so the parts at the end of a function, and the
// innermost ones, are made first. A block that begins a moved part stands for the call from then on.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/region_functions.h"

enum {
    LARGE = 8000,       // instructions of a function that is split
    PART = 3000,        // of a part, at least
    LONG_BLOCK = 500,   // of a block that is cut before
    PIECE = 250,        // and of its pieces
    MAX_VALUES = 800,   // values that go in and out of a part
    CALL_SIZE = 10,     // what the call of a part counts
    RETRY_PERCENT = 150 // a part that couldn't be moved is tried again when it has grown to this
};

struct splitting {
    LLVMBasicBlockRef *blocks;
    uint32_t count;
    struct weftc_edges edges;
    struct weftc_bridge_trees trees;
    uint32_t *ipdom;
    size_t *size, *weight;  // of a block; of it and all blocks that it dominates
    size_t *failed;         // the largest weight at which a part that begins here or below couldn't be moved
    uint32_t *end;          // a block that a moved part began: where the part ended; else UINT32_MAX
    uint8_t *level;         // of that part: 1 + the largest level of the parts that it calls; else 0
    uint32_t *first, *last; // numbers of the dominator tree: a block dominates those from first to last
    uint32_t *met;          // the search that met the block last
    uint32_t searches;
    uint32_t *part; // the blocks of the present search
    size_t part_count;
    uint32_t *owner; // of a block within a moved part: the block that begins that; else itself
    uint32_t *open;  // blocks of the present search that are also entered from a block outside
    size_t open_count;
};

static bool dominates(const struct splitting *s, uint32_t a, uint32_t b)
{
    return s->first[a] <= s->first[b] && s->last[b] <= s->last[a];
}

static size_t instructions(LLVMBasicBlockRef b)
{
    size_t count = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        count++;
    return count;
}

// Numbers the dominator tree in depth-first order, by the sizes of its subtrees.
static void number_tree(struct splitting *s)
{
    const size_t reached = s->trees.reached;
    for (size_t k = 0; k < reached; k++)
        s->last[s->trees.order[k]] = 1;
    for (size_t k = reached; k-- > 1;)
        s->last[s->trees.idom[s->trees.order[k]]] += s->last[s->trees.order[k]];
    // s->met: the first number that isn't yet given to a block below
    for (size_t k = 0; k < reached; k++) {
        const uint32_t b = s->trees.order[k], parent = s->trees.idom[b];
        s->first[b] = k == 0 ? 0 : s->met[parent];
        if (k > 0)
            s->met[parent] += s->last[b];
        s->met[b] = s->first[b] + 1;
        s->last[b] += s->first[b] - 1;
    }
    memset(s->met, 0, s->count * sizeof *s->met);
}

static bool prepare(struct splitting *s, LLVMValueRef f)
{
    const uint32_t n = s->count = LLVMCountBasicBlocks(f);
    s->blocks = weft_alloc_array(n, sizeof *s->blocks);
    uint32_t **const arrays[] = {&s->trees.order,
                                 &s->trees.idom,
                                 &s->trees.loop,
                                 &s->trees.loop_parent,
                                 &s->trees.loop_header,
                                 &s->ipdom,
                                 &s->end,
                                 &s->first,
                                 &s->last,
                                 &s->met,
                                 &s->part,
                                 &s->owner,
                                 &s->open};
    bool ok = s->blocks != NULL;
    for (size_t k = 0; k < WEFT_COUNT_OF(arrays); k++) {
        *arrays[k] = weft_alloc_array(n, sizeof **arrays[k]);
        ok &= *arrays[k] != NULL;
    }
    s->size = weft_alloc_array(n, sizeof *s->size);
    s->weight = weft_alloc_array(n, sizeof *s->weight);
    s->failed = weft_alloc_array(n, sizeof *s->failed);
    s->level = weft_alloc_array(n, sizeof *s->level);
    if (!ok || !s->size || !s->weight || !s->failed || !s->level)
        return false;
    LLVMGetBasicBlocks(f, s->blocks);
    if (weftc_edges_init(&s->edges, s->blocks, n) != WEFT_OK)
        return false;
    weftc_bridge_trees(f, &s->trees);
    weftc_bridge_post_dominators(f, s->blocks, n, s->ipdom);
    memset(s->met, 0, n * sizeof *s->met);
    number_tree(s);
    memset(s->failed, 0, n * sizeof *s->failed);
    memset(s->level, 0, n * sizeof *s->level);
    for (uint32_t b = 0; b < n; b++) {
        s->size[b] = s->weight[b] = instructions(s->blocks[b]);
        s->end[b] = UINT32_MAX;
        s->owner[b] = b;
    }
    return true;
}

static uint32_t owner_of(struct splitting *s, uint32_t b)
{
    while (s->owner[b] != b) {
        s->owner[b] = s->owner[s->owner[b]];
        b = s->owner[b];
    }
    return b;
}

static bool is_open(struct splitting *s, uint32_t b)
{
    for (uint32_t k = 0; k < weftc_in_count(&s->edges, b); k++)
        if (s->met[owner_of(s, weftc_ins(&s->edges, b)[k])] != s->searches)
            return true;
    return false;
}

// Adds what can be reached from `from` without `end` to the part that begins at `head`. Returns false if
// that isn't all dominated by head, or has no other way than `end` out. The part is then as before.
static bool add_to_part(struct splitting *s, uint32_t head, uint32_t from, uint32_t end)
{
    const size_t before = s->part_count;
    s->part[s->part_count++] = from;
    s->met[from] = s->searches;
    for (size_t at = before; at < s->part_count; at++) {
        const uint32_t b = s->part[at], one = s->end[b];
        const uint32_t *outs = one != UINT32_MAX ? &one : weftc_outs(&s->edges, b);
        const uint32_t out_count = one != UINT32_MAX ? 1 : weftc_out_count(&s->edges, b);
        bool valid = out_count > 0;
        for (uint32_t k = 0; k < out_count && valid; k++) {
            const uint32_t to = outs[k];
            valid = to == end || dominates(s, head, to);
            if (!valid || to == end || s->met[to] == s->searches)
                continue;
            s->met[to] = s->searches;
            s->part[s->part_count++] = to;
        }
        if (!valid) {
            s->part_count = before;
            return false;
        }
    }
    for (size_t at = before; at < s->part_count; at++)
        if (s->part[at] != head)
            s->open[s->open_count++] = s->part[at];
    return true;
}

// Is the part entered at its head only? A loop that is in it with its header alone is entered by its latch.
static bool is_closed(struct splitting *s)
{
    while (s->open_count > 0 && !is_open(s, s->open[s->open_count - 1]))
        s->open_count--;
    return s->open_count == 0;
}

// Finds the longest part that begins at `head` and whose end calls no part that was moved before. Returns
// where it ends, or UINT32_MAX. *size: its instructions.
static uint32_t find_part(struct splitting *s, uint32_t head, size_t *size)
{
    s->searches++;
    s->part_count = s->open_count = 0;
    *size = 0;
    uint32_t found = UINT32_MAX;
    size_t count = 0, sum = 0;
    for (uint32_t from = head, end = s->ipdom[head]; end != UINT32_MAX;) {
        size_t at = s->part_count;
        if (!add_to_part(s, head, from, end))
            break;
        for (; at < s->part_count; at++)
            sum += s->size[s->part[at]];
        from = end;
        if (is_closed(s)) {
            found = end;
            count = s->part_count;
            *size = sum;
        }
        if (!dominates(s, head, from) || s->met[from] == s->searches ||
            (s->end[from] != UINT32_MAX && *size >= PART / 2))
            break;
        end = s->end[from] != UINT32_MAX ? s->end[from] : s->ipdom[from];
    }
    s->part_count = count;
    return found;
}

// Puts a part into the section of its level: of each of these sections one function at a time is on the
// stack.
static void place(struct splitting *s, uint32_t head, LLVMValueRef function, uint8_t level)
{
    s->level[head] = level;
    if (level <= WEFTC_PART_LEVELS) {
        char section[sizeof WEFTC_PART_SECTION + 4];
        snprintf(section, sizeof section, WEFTC_PART_SECTION "%u", level);
        LLVMSetSection(function, section);
    }
}

// Moves the part that begins at block b, if it is large enough and has one exit.
static void try_part(struct splitting *s, uint32_t b, LLVMValueRef *buffer)
{
    size_t size;
    const uint32_t end = find_part(s, b, &size);
    uint8_t level = 1;
    for (size_t k = 0; k < s->part_count; k++)
        if (s->level[s->part[k]] >= level && level < UINT8_MAX)
            level = (uint8_t)(s->level[s->part[k]] + 1);
    LLVMBasicBlockRef *list = NULL, call;
    LLVMValueRef function = NULL;
    if (end != UINT32_MAX && size >= PART / 2 && (list = weft_alloc_array(s->part_count, sizeof *list))) {
        for (size_t k = 0; k < s->part_count; k++)
            list[k] = s->blocks[s->part[k]];
        function = weftc_bridge_move_out(list, s->part_count, s->blocks[end], MAX_VALUES, buffer, &call);
        weft_free(list);
    }
    if (!function) {
        s->failed[b] = s->weight[b];
        return;
    }
    place(s, b, function, level);
    for (size_t k = 0; k < s->part_count; k++)
        s->owner[s->part[k]] = b;
    s->blocks[b] = call;
    s->end[b] = end;
    s->size[b] = CALL_SIZE;
    s->weight[b] = CALL_SIZE + (dominates(s, b, end) ? s->weight[end] : 0);
    s->failed[b] = 0;
}

static bool split(LLVMValueRef f)
{
    weftc_bridge_remove_unreachable(f);
    weftc_cut_long_blocks(f, LONG_BLOCK, PIECE);
    struct splitting s = {0};
    const bool ok = prepare(&s, f);
    LLVMValueRef buffer = NULL;
    for (size_t k = s.trees.reached; ok && k-- > 1;) {
        const uint32_t b = s.trees.order[k], parent = s.trees.idom[b];
        if (s.weight[b] >= PART && s.weight[b] * 100 >= s.failed[b] * RETRY_PERCENT)
            try_part(&s, b, &buffer);
        s.weight[parent] += s.weight[b];
        if (s.failed[b] > s.failed[parent])
            s.failed[parent] = s.failed[b];
    }
    uint32_t *const arrays[] = {s.trees.order,
                                s.trees.idom,
                                s.trees.loop,
                                s.trees.loop_parent,
                                s.trees.loop_header,
                                s.ipdom,
                                s.end,
                                s.first,
                                s.last,
                                s.met,
                                s.part,
                                s.owner,
                                s.open};
    for (size_t k = 0; k < WEFT_COUNT_OF(arrays); k++)
        weft_free(arrays[k]);
    weft_free(s.blocks);
    weft_free(s.size);
    weft_free(s.weight);
    weft_free(s.failed);
    weft_free(s.level);
    weftc_edges_fini(&s.edges);
    return ok;
}

weft_status weftc_split_functions(LLVMModuleRef module)
{
    // Parts are added after the last function, and are small.
    LLVMValueRef last = LLVMGetLastFunction(module);
    bool ok = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && ok; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) &&
            weftc_note_limit(module, WEFTC_LIMIT_PARTS, weftc_function_size(f) > LARGE))
            ok = split(f);
        if (f == last)
            break;
    }
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}
