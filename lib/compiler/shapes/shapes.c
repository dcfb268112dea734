// The fixpoint over the function's values. It goes from below: a shape only ever becomes less precise.
//
// Data: ids of dimension 0 are strided. Addition, scaling by constants and address computation keep values
// strided. Operations that mix the values of lanes in other ways vary.
//
// Control: a branch on a varying condition sends lanes different ways. Where two of the ways meet again, a
// PHI takes different operands in different lanes and varies. A loop that lanes leave in different iterations
// is divergent, and the values that it passes to the code after it vary; in loop-closed form these are PHIs.
// Colouring finds these blocks and loops: each way out of the branch has a colour, and a block that two
// colours reach is a join.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/shapes/transfer.h"

struct solver {
    struct weftc_shapes *s;
    uint32_t *work; // instructions to visit, again or for the first time
    uint8_t *queued;
    size_t pending;
    uint32_t *colour; // of each block; UINT32_MAX: none
    uint32_t *coloured;
    struct weftc_steps steps;
    bool no_memory;
};

// ---- control flow ----

static void enqueue(struct solver *v, uint32_t n)
{
    if (v->queued[n])
        return;
    v->queued[n] = 1;
    v->work[v->pending++] = n;
}

static void phis_again(struct solver *v, uint32_t block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(v->s->flow.blocks[block].block); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        enqueue(v, weftc_map_get(&v->s->number, i));
}

static void make_join(struct solver *v, uint32_t block)
{
    if (v->s->flow.blocks[block].join)
        return;
    v->s->flow.blocks[block].join = true;
    phis_again(v, block);
}

// Ways out of a branch or a loop, of several colours, to be followed in the loop level that they lead into.
struct ways {
    uint32_t *to;
    size_t count, capacity;
};

static void add_way(struct solver *v, struct ways *w, uint32_t to)
{
    for (size_t k = 0; k < w->count; k++)
        if (w->to[k] == to)
            return;
    if (w->count == w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : 8;
        uint32_t *larger = weft_realloc(w->to, capacity * sizeof *larger);
        if (!larger) {
            v->no_memory = true;
            return;
        }
        w->to = larger;
        w->capacity = capacity;
    }
    w->to[w->count++] = to;
}

static void paint(struct solver *v, uint32_t block, uint32_t colour, size_t *open, size_t *painted)
{
    if (v->colour[block] == UINT32_MAX) {
        v->colour[block] = colour;
        v->coloured[(*painted)++] = block;
        ++*open;
    } else if (v->colour[block] != colour) {
        v->colour[block] = block;
        make_join(v, block);
    }
}

// Follows the ways through the level of `loop` until they have met again. Returns true if lanes also leave
// the loop, in different iterations or different ways; *out has the ways out of it.
static bool follow(struct solver *v, uint32_t loop, const struct ways *ways, struct ways *out)
{
    const struct weftc_flow *g = &v->s->flow;
    size_t open = 0, painted = 0;
    uint32_t at = g->block_count;
    bool iterates = false; // some lanes go on with the next iteration
    for (size_t k = 0; k < ways->count; k++) {
        uint32_t to = ways->to[k];
        if (!weftc_flow_in_loop(g, loop, to)) {
            add_way(v, out, to);
        } else if (loop != UINT32_MAX && to == g->loops[loop].begin) {
            iterates = true;
        } else {
            paint(v, to, to, &open, &painted);
            if (to < at)
                at = to;
        }
    }
    for (; open > 0 && at < g->block_count; at++) {
        uint32_t colour = v->colour[at];
        if (colour == UINT32_MAX)
            continue;
        open--;
        if (open == 0 && !iterates && out->count == 0)
            break; // all lanes are here
        for (uint32_t e = 0; e < weftc_out_count(&g->edges, at); e++) {
            uint32_t to = weftc_outs(&g->edges, at)[e];
            if (!weftc_flow_in_loop(g, loop, to))
                add_way(v, out, to);
            else if (loop != UINT32_MAX && to == g->loops[loop].begin)
                iterates = true;
            else if (to > at)
                paint(v, to, colour, &open, &painted);
        }
    }
    while (painted > 0)
        v->colour[v->coloured[--painted]] = UINT32_MAX;
    return out->count > 0;
}

// Marks the loop: lanes leave it in different iterations, or different ways. Adds the ways out of it to *out.
static void diverge_loop(struct solver *v, uint32_t loop, struct ways *out)
{
    struct weftc_flow *g = &v->s->flow;
    g->loops[loop].divergent = true;
    for (uint32_t b = g->loops[loop].begin; b < g->loops[loop].end; b++)
        for (uint32_t e = 0; e < weftc_out_count(&g->edges, b); e++) {
            uint32_t to = weftc_outs(&g->edges, b)[e];
            if (weftc_flow_in_loop(g, loop, to))
                continue;
            make_join(v, to);
            add_way(v, out, to);
        }
}

static void diverge_branch(struct solver *v, uint32_t block)
{
    struct weftc_flow *g = &v->s->flow;
    if (g->blocks[block].divergent)
        return;
    g->blocks[block].divergent = true;
    struct ways ways = {0}, out = {0};
    for (uint32_t e = 0; e < weftc_out_count(&g->edges, block); e++)
        add_way(v, &ways, weftc_outs(&g->edges, block)[e]);
    uint32_t loop = g->blocks[block].loop;
    while (ways.count > 1 && follow(v, loop, &ways, &out) && loop != UINT32_MAX) {
        if (g->loops[loop].divergent)
            break; // its ways out were followed before
        diverge_loop(v, loop, &out);
        struct ways swap = ways;
        ways = out;
        out = swap;
        out.count = 0;
        loop = g->loops[loop].parent;
    }
    weft_free(ways.to);
    weft_free(out.to);
}

// ---- the fixpoint ----

static bool same(struct weftc_shape a, struct weftc_shape b)
{
    return a.kind == b.kind && a.stride == b.stride && a.exact == b.exact && a.max == b.max &&
           a.wrap_guarded == b.wrap_guarded && a.wrap_guarded_signed == b.wrap_guarded_signed &&
           a.clamped == b.clamped;
}

static void visit(struct solver *v, uint32_t n)
{
    struct weftc_shapes *s = v->s;
    LLVMValueRef i = s->instructions[n];
    if (LLVMIsATerminatorInst(i)) {
        if (LLVMGetNumOperands(i) > 0 && LLVMGetNumSuccessors(i) > 1) {
            enum weftc_shape_kind kind = (enum weftc_shape_kind)weftc_shape_of(s, LLVMGetOperand(i, 0)).kind;
            if (kind == WEFTC_VARYING || kind == WEFTC_STRIDED)
                diverge_branch(v, weftc_flow_block_of(&s->flow, LLVMGetInstructionParent(i)));
        }
        return;
    }
    struct weftc_shape shape = weftc_shape_meet(s->shapes[n], weftc_shape_find(s, &v->steps, i));
    if (same(shape, s->shapes[n]))
        return;
    s->shapes[n] = shape;
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
        uint32_t user = weftc_map_get(&s->number, LLVMGetUser(use));
        if (user != UINT32_MAX)
            enqueue(v, user);
    }
}

static weft_status solve(struct weftc_shapes *s)
{
    struct solver v = {.s = s};
    uint32_t blocks = s->flow.block_count;
    v.work = weft_alloc_array((size_t)s->count + 1, sizeof *v.work);
    v.queued = weft_alloc_array((size_t)s->count + 1, 1);
    v.colour = weft_alloc_array((size_t)blocks + 1, sizeof *v.colour);
    v.coloured = weft_alloc_array((size_t)blocks + 1, sizeof *v.coloured);
    weft_status status = WEFT_NO_MEMORY;
    if (!v.work || !v.queued || !v.colour || !v.coloured)
        goto done;
    memset(v.colour, 0xff, ((size_t)blocks + 1) * sizeof *v.colour);
    for (uint32_t n = s->count; n-- > 0;)
        enqueue(&v, n);
    while (v.pending > 0 && !v.no_memory && !v.steps.no_memory) {
        uint32_t n = v.work[--v.pending];
        v.queued[n] = 0;
        visit(&v, n);
    }
    status = v.no_memory || v.steps.no_memory ? WEFT_NO_MEMORY : WEFT_OK;
done:
    weft_free(v.work);
    weft_free(v.queued);
    weft_free(v.colour);
    weft_free(v.coloured);
    weft_free(v.steps.list);
    return status;
}

// ---- masks: for which lanes a block runs ----

// The nearest dominator in the block's own loop level.
static uint32_t dominator_in_level(const struct weftc_flow *g, uint32_t block)
{
    uint32_t d = g->blocks[block].idom;
    while (d != UINT32_MAX && g->blocks[d].loop != g->blocks[block].loop) {
        uint32_t loop = g->blocks[d].loop;
        if (loop == UINT32_MAX)
            return UINT32_MAX;
        d = g->blocks[g->loops[loop].begin].idom;
    }
    return d;
}

// The mask class of the block's predecessors, if all have the same one and none of them may send a part of
// its lanes elsewhere; otherwise UINT32_MAX.
static uint32_t class_of_predecessors(const struct weftc_flow *g, uint32_t block)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t e = 0; e < weftc_in_count(&g->edges, block); e++) {
        uint32_t from = weftc_ins(&g->edges, block)[e];
        if (from >= block)
            continue; // the back edge of a loop
        for (uint32_t loop = g->blocks[from].loop; !weftc_flow_in_loop(g, loop, block);
             loop = g->loops[loop].parent)
            if (g->loops[loop].divergent)
                return UINT32_MAX;
        uint32_t class = g->blocks[from].mask_class;
        if (g->blocks[from].divergent || (found != UINT32_MAX && found != class))
            return UINT32_MAX;
        found = class;
    }
    return found;
}

static void classify_masks(struct weftc_flow *g)
{
    for (uint32_t i = 0; i < g->block_count; i++) {
        struct weftc_flow_block *b = &g->blocks[i];
        b->mask_class = i;
        b->full = i == 0;
        if (i == 0)
            continue;
        bool header = weftc_flow_is_header(g, i);
        if (header && g->loops[b->loop].divergent)
            continue;
        uint32_t class = class_of_predecessors(g, i);
        if (class == UINT32_MAX && !header) {
            uint32_t d = dominator_in_level(g, i);
            if (d != UINT32_MAX && weftc_flow_post_dominates(g, i, d))
                class = g->blocks[d].mask_class;
        }
        if (class == UINT32_MAX)
            continue;
        b->mask_class = class;
        b->full = g->blocks[class].full;
    }
}

// Is `outcome` the value of the condition in at most one lane? That is so if a progression is equal to a
// uniform number.
static bool is_of_one_lane(const struct weftc_shapes *s, LLVMValueRef condition, bool outcome, unsigned steps)
{
    if (!LLVMIsAInstruction(condition) || steps == 0)
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(condition);
    bool both =
        opcode == LLVMAnd || (opcode == LLVMSelect && LLVMIsAConstantInt(LLVMGetOperand(condition, 2)) &&
                              LLVMConstIntGetZExtValue(LLVMGetOperand(condition, 2)) == 0);
    if (both && outcome)
        return is_of_one_lane(s, LLVMGetOperand(condition, 0), true, steps - 1) ||
               is_of_one_lane(s, LLVMGetOperand(condition, 1), true, steps - 1);
    if (opcode != LLVMICmp || LLVMGetICmpPredicate(condition) != (outcome ? LLVMIntEQ : LLVMIntNE))
        return false;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(condition, 0));
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) < 32)
        return false;
    struct weftc_shape a = weftc_shape_of(s, LLVMGetOperand(condition, 0)),
                       b = weftc_shape_of(s, LLVMGetOperand(condition, 1));
    if (a.kind == WEFTC_UNIFORM) {
        struct weftc_shape swap = a;
        a = b;
        b = swap;
    }
    enum { FAR = 1 << 20 };
    return a.kind == WEFTC_STRIDED && b.kind == WEFTC_UNIFORM && a.stride != 0 && a.stride < FAR &&
           a.stride > -FAR;
}

static void find_single_lane_blocks(struct weftc_shapes *s)
{
    struct weftc_flow *g = &s->flow;
    enum { MAX_CONDITIONS = 4 };
    for (uint32_t b = 1; b < g->block_count; b++) {
        uint32_t above = g->blocks[b].idom;
        // Not after a loop: there, lanes of several iterations meet.
        if (above != UINT32_MAX && g->blocks[above].single &&
            weftc_flow_in_loop(g, g->blocks[above].loop, b)) {
            g->blocks[b].single = true;
            continue;
        }
        if (weftc_in_count(&g->edges, b) != 1)
            continue;
        uint32_t from = weftc_ins(&g->edges, b)[0];
        const uint32_t *to = weftc_outs(&g->edges, from);
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks[from].block);
        if (!g->blocks[from].divergent || weftc_out_count(&g->edges, from) != 2 || to[0] == to[1] ||
            !weftc_flow_in_loop(g, g->blocks[from].loop, b))
            continue;
        g->blocks[b].single = is_of_one_lane(s, LLVMGetOperand(branch, 0), to[0] == b, MAX_CONDITIONS);
    }
}

// Does the analysis. The inputs in s are set; the rest is zero.
static weft_status find_shapes(struct weftc_shapes *s, LLVMValueRef function)
{
    s->layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
    weft_status status = weftc_flow_init(&s->flow, function);
    if (status == WEFT_OK)
        status = weftc_shapes_privates(s);
    if (status != WEFT_OK)
        return status;
    for (uint32_t b = 0; b < s->flow.block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->flow.blocks[b].block); i;
             i = LLVMGetNextInstruction(i))
            s->count++;
    s->instructions = weft_alloc_array((size_t)s->count + 1, sizeof *s->instructions);
    s->shapes = weft_alloc_array((size_t)s->count + 1, sizeof *s->shapes);
    if (!s->instructions || !s->shapes)
        return WEFT_NO_MEMORY;
    uint32_t n = 0;
    for (uint32_t b = 0; b < s->flow.block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->flow.blocks[b].block); i;
             i = LLVMGetNextInstruction(i)) {
            s->instructions[n] = i;
            if (!weftc_map_put(&s->number, i, n++))
                return WEFT_NO_MEMORY;
        }
    status = solve(s);
    if (status == WEFT_OK)
        classify_masks(&s->flow);
    if (status == WEFT_OK)
        find_single_lane_blocks(s);
    return status;
}

weft_status weftc_shapes_init(struct weftc_shapes *s, LLVMValueRef function, uint32_t lanes, bool assume)
{
    *s = (struct weftc_shapes){.lanes = lanes, .speculate = assume};
    return find_shapes(s, function);
}

weft_status weftc_shapes_init_called(struct weftc_shapes *s, LLVMValueRef function, uint32_t lanes,
                                     const struct weftc_shape *parameters)
{
    *s = (struct weftc_shapes){.lanes = lanes, .parameters = parameters};
    return find_shapes(s, function);
}

void weftc_shapes_fini(struct weftc_shapes *s)
{
    weftc_flow_fini(&s->flow);
    weftc_map_free(&s->number);
    weftc_map_free(&s->private_of);
    weft_free(s->instructions);
    weft_free(s->shapes);
    weft_free(s->privates);
    *s = (struct weftc_shapes){0};
}

// ---- the dump ----

static void print_shape(const struct weftc_shapes *s, LLVMValueRef i, struct weft_buf *out)
{
    struct weftc_shape shape = weftc_shape_of(s, i);
    char text[48];
    switch ((enum weftc_shape_kind)shape.kind) {
    case WEFTC_UNKNOWN:
        snprintf(text, sizeof text, "unreached");
        break;
    case WEFTC_UNIFORM:
        snprintf(text, sizeof text, "uniform");
        break;
    case WEFTC_STRIDED:
        snprintf(text, sizeof text, "strided(%lld)%s", (long long)shape.stride, shape.exact ? "" : "?");
        break;
    case WEFTC_VARYING:
        if (shape.wrap_guarded)
            snprintf(text, sizeof text, "wrap-guarded(%lld)%s", (long long)shape.stride,
                     shape.clamped ? " clamped" : "");
        else
            snprintf(text, sizeof text, "varying");
        break;
    }
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
        text[0] = '\0';
    char *ir = LLVMPrintValueToString(i);
    const char *start = ir;
    while (*start == ' ')
        start++;
    weft_buf_printf(out, "  %-14s %s\n", text, start);
    LLVMDisposeMessage(ir);
}

void weftc_shapes_print(const struct weftc_shapes *s, struct weft_buf *out)
{
    const struct weftc_flow *g = &s->flow;
    for (uint32_t p = 0; p < s->private_count; p++)
        weft_buf_printf(out, "private %s, %llu bytes from lane to lane\n",
                        s->privates[p].layout == WEFTC_LAYOUT_SOA ? "interleaved" : "blocked",
                        (unsigned long long)s->privates[p].stride);
    for (uint32_t b = 0; b < g->block_count; b++) {
        const struct weftc_flow_block *block = &g->blocks[b];
        weft_buf_printf(out, "block %u:%s", b, block->full ? " full" : "");
        if (!block->full)
            weft_buf_printf(out, " mask %u%s", block->mask_class, block->single ? " of one lane" : "");
        if (weftc_flow_is_header(g, b))
            weft_buf_printf(out, "%s loop to %u", g->loops[block->loop].divergent ? " divergent" : " uniform",
                            g->loops[block->loop].end - 1);
        if (weftc_out_count(&g->edges, b) > 0)
            weft_buf_printf(out, "%s ->", block->divergent ? " divergent" : "");
        for (uint32_t e = 0; e < weftc_out_count(&g->edges, b); e++)
            weft_buf_printf(out, " %u", weftc_outs(&g->edges, b)[e]);
        weft_buf_puts(out, "\n");
        for (LLVMValueRef i = LLVMGetFirstInstruction(block->block); i; i = LLVMGetNextInstruction(i))
            print_shape(s, i, out);
    }
}
