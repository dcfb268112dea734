// The edges between a function's blocks (ir/cfg.h), for stages that walk the control flow by number, and the
// components of graphs.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/value_map.h"

// Turns counts in first[1 ...] into the start of each block's list.
static void begin_lists(uint32_t *first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        first[i + 1] += first[i];
}

weft_status weftc_edges_init(struct weftc_edges *g, const LLVMBasicBlockRef *blocks, uint32_t count)
{
    *g = (struct weftc_edges){0};
    size_t edges = 0;
    for (uint32_t i = 0; i < count; i++) {
        edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(blocks[i]));
        if (!weftc_map_put(&g->index, blocks[i], i))
            return WEFT_NO_MEMORY;
    }
    if (edges > UINT32_MAX)
        return WEFT_UNSUPPORTED;
    g->first_out = weft_alloc_array((size_t)count + 1, sizeof *g->first_out);
    g->first_in = weft_alloc_array((size_t)count + 1, sizeof *g->first_in);
    g->out = weft_alloc_array(edges + 1, sizeof *g->out);
    g->in = weft_alloc_array(edges + 1, sizeof *g->in);
    uint32_t *filled = weft_alloc_array((size_t)count + 1, sizeof *filled);
    if (!g->first_out || !g->first_in || !g->out || !g->in || !filled) {
        weft_free(filled);
        return WEFT_NO_MEMORY;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(blocks[i]);
        unsigned successors = LLVMGetNumSuccessors(terminator);
        g->first_out[i + 1] = successors;
        for (unsigned k = 0; k < successors; k++) {
            uint32_t to = weftc_edges_block(g, LLVMGetSuccessor(terminator, k));
            g->out[at++] = to;
            g->first_in[to + 1]++;
        }
    }
    begin_lists(g->first_out, count);
    begin_lists(g->first_in, count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < weftc_out_count(g, i); k++) {
            uint32_t to = weftc_outs(g, i)[k];
            g->in[g->first_in[to] + filled[to]++] = i;
        }
    }
    weft_free(filled);
    return WEFT_OK;
}

void weftc_edges_fini(struct weftc_edges *g)
{
    weftc_map_free(&g->index);
    weft_free(g->first_out);
    weft_free(g->first_in);
    weft_free(g->out);
    weft_free(g->in);
    *g = (struct weftc_edges){0};
}

weft_status weftc_reverse_post_order(const struct weftc_edges *g, uint32_t entry, uint32_t count,
                                     uint32_t *position)
{
    uint32_t *stack = weft_alloc_array((size_t)count + 1, sizeof *stack);
    uint32_t *next = weft_alloc_array((size_t)count + 1, sizeof *next);
    uint32_t depth = 0, left = count;
    for (uint32_t b = 0; b < count; b++)
        position[b] = UINT32_MAX;
    if (stack && next) {
        stack[depth++] = entry;
        next[entry] = 1; // 0: the block wasn't met
    }
    while (depth > 0) {
        const uint32_t b = stack[depth - 1], k = next[b] - 1;
        if (k == weftc_out_count(g, b)) {
            position[b] = --left;
            depth--;
            continue;
        }
        next[b]++;
        const uint32_t to = weftc_outs(g, b)[k];
        if (next[to] == 0) {
            next[to] = 1;
            stack[depth++] = to;
        }
    }
    const weft_status status = stack && next ? WEFT_OK : WEFT_NO_MEMORY;
    weft_free(stack);
    weft_free(next);
    return status;
}

// ---- components ----
struct search {
    struct weftc_components *c;
    const uint32_t *first_out, *out;
    uint32_t *number,
        *lowest;           // of a node: when it was met, and the first one met that it reaches; 0: not yet
    uint32_t *next;        // the edge that is followed next
    uint32_t *path, *open; // nodes on the way from the root; nodes without a component
    uint32_t depth, open_count, met, closed;
};

static void enter(struct search *s, uint32_t node)
{
    s->number[node] = s->lowest[node] = ++s->met;
    s->next[node] = s->first_out[node];
    s->path[s->depth++] = s->open[s->open_count++] = node;
}

static void leave(struct search *s, uint32_t node)
{
    s->depth--;
    if (s->depth > 0) {
        const uint32_t parent = s->path[s->depth - 1];
        if (s->lowest[node] < s->lowest[parent])
            s->lowest[parent] = s->lowest[node];
    }
    if (s->lowest[node] != s->number[node])
        return;
    struct weftc_components *c = s->c;
    uint32_t member;
    c->begin[c->count] = s->closed;
    do {
        member = s->open[--s->open_count];
        c->of[member] = c->count;
        c->nodes[s->closed++] = member;
    } while (member != node);
    c->begin[++c->count] = s->closed;
}

// Tarjan's algorithm, without recursion.
static void search_from(struct search *s, uint32_t root)
{
    enter(s, root);
    while (s->depth > 0) {
        const uint32_t node = s->path[s->depth - 1];
        if (s->next[node] == s->first_out[node + 1]) {
            leave(s, node);
            continue;
        }
        const uint32_t to = s->out[s->next[node]++];
        if (s->number[to] == 0)
            enter(s, to);
        else if (s->c->of[to] == UINT32_MAX && s->number[to] < s->lowest[node])
            s->lowest[node] = s->number[to];
    }
}

weft_status weftc_components_init(struct weftc_components *c, const uint32_t *first_out, const uint32_t *out,
                                  uint32_t count)
{
    *c = (struct weftc_components){0};
    struct search s = {.c = c, .first_out = first_out, .out = out};
    uint32_t **const arrays[] = {&c->begin, &c->nodes, &c->of,  &s.number,
                                 &s.lowest, &s.next,   &s.path, &s.open};
    bool ok = true;
    for (size_t k = 0; k < WEFT_COUNT_OF(arrays); k++) {
        *arrays[k] = weft_alloc_array((size_t)count + 1, sizeof **arrays[k]);
        ok &= *arrays[k] != NULL;
    }
    for (uint32_t n = 0; ok && n < count; n++)
        c->of[n] = UINT32_MAX;
    for (uint32_t n = 0; ok && n < count; n++)
        if (s.number[n] == 0)
            search_from(&s, n);
    uint32_t *const scratch[] = {s.number, s.lowest, s.next, s.path, s.open};
    for (size_t k = 0; k < WEFT_COUNT_OF(scratch); k++)
        weft_free(scratch[k]);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}

void weftc_components_fini(struct weftc_components *c)
{
    weft_free(c->begin);
    weft_free(c->nodes);
    weft_free(c->of);
    *c = (struct weftc_components){0};
}

// ---- dominators, by going through all blocks until nothing changes: kernels have few loops in loops ----

static uint32_t meet(const struct weftc_dominators *d, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (d->position[a] > d->position[b])
            a = d->above[a];
        while (d->position[b] > d->position[a])
            b = d->above[b];
    }
    return a;
}

static uint32_t above_of(const struct weftc_dominators *d, const struct weftc_edges *g, uint32_t block)
{
    uint32_t above = UINT32_MAX;
    for (uint32_t n = 0; n < weftc_in_count(g, block); n++) {
        const uint32_t from = weftc_ins(g, block)[n];
        if (d->above[from] != UINT32_MAX)
            above = above == UINT32_MAX ? from : meet(d, above, from);
    }
    return above;
}

weft_status weftc_dominators_init(struct weftc_dominators *d, const struct weftc_edges *g, uint32_t count)
{
    d->position = weft_alloc_array(count, sizeof *d->position);
    d->above = weft_alloc_array(count, sizeof *d->above);
    uint32_t *order = weft_alloc_array(count, sizeof *order);
    weft_status status = d->position && d->above && order ? weftc_reverse_post_order(g, 0, count, d->position)
                                                          : WEFT_NO_MEMORY;
    for (uint32_t k = 0; k < count && status == WEFT_OK; k++) {
        d->above[k] = UINT32_MAX;
        order[k] = UINT32_MAX;
    }
    for (uint32_t k = 0; k < count && status == WEFT_OK; k++)
        if (weftc_is_reached(d, k))
            order[d->position[k]] = k;
    if (status == WEFT_OK)
        d->above[0] = 0;
    for (bool changed = status == WEFT_OK; changed;) {
        changed = false;
        for (uint32_t k = 0; k < count; k++) {
            if (order[k] == UINT32_MAX || order[k] == 0)
                continue;
            const uint32_t above = above_of(d, g, order[k]);
            changed |= above != d->above[order[k]];
            d->above[order[k]] = above;
        }
    }
    weft_free(order);
    return status;
}

void weftc_dominators_fini(struct weftc_dominators *d)
{
    weft_free(d->position);
    weft_free(d->above);
}

bool weftc_dominates(const struct weftc_dominators *d, uint32_t a, uint32_t b)
{
    if (!weftc_is_reached(d, b))
        return true;
    while (d->position[b] > d->position[a])
        b = d->above[b];
    return a == b;
}
