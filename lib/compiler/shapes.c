// C1, shapes: a fixpoint over the function's values, from below: a value's shape only ever gets worse.
//
// Data: ids of dimension 0 are strided; adding, scaling by constants and addressing keep that; whatever mixes
// lanes' values in other ways varies. Control: a branch on a varying condition sends lanes different ways.
// Where two of its ways meet again, a PHI takes different operands in different lanes and varies; a loop that
// lanes leave in different rounds is divergent, and what it hands to the outside (which the loop-closed form
// makes PHIs) varies. Which blocks and loops that are is found by colouring: each way out of the branch has
// a colour, and a block that two colours reach is a join.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "shapes.h"

struct solver {
    struct weftc_shapes *s;
    uint32_t *work; // instructions to look at (again)
    uint8_t *queued;
    size_t pending, capacity;
    uint32_t *colour; // of a block; UINT32_MAX: none
    uint32_t *coloured;
    struct weftc_step *steps;
    unsigned step_capacity;
    bool no_memory;
};

enum { MOST_NEARLY = 1 << 20 }; // strides beyond are of no use, and wrap often

static const struct weftc_shape uniform = {.kind = WEFTC_UNIFORM, .exact = true, .most = UINT64_MAX};
static const struct weftc_shape varying = {.kind = WEFTC_VARYING, .most = UINT64_MAX};

// ---- shapes of operands ----

static unsigned int_width(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static uint64_t most_of_width(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

struct weftc_shape weftc_shape_of(const struct weftc_shapes *s, LLVMValueRef value)
{
    uint32_t n = LLVMIsAInstruction(value) ? weftc_map_get(&s->number, value) : UINT32_MAX;
    if (n != UINT32_MAX)
        return s->shapes[n];
    struct weftc_shape shape = uniform;
    if (LLVMIsAConstantInt(value) && int_width(LLVMTypeOf(value)) <= 64)
        shape.most = LLVMConstIntGetZExtValue(value);
    return shape;
}

static int64_t cut(int64_t v, unsigned bits)
{
    if (bits == 0 || bits >= 64)
        return v;
    uint64_t up = (uint64_t)v << (64 - bits);
    return (int64_t)up >> (64 - bits);
}

// A progression of the given type; one that doesn't progress is uniform.
static struct weftc_shape strided(int64_t stride, bool exact, uint64_t most)
{
    struct weftc_shape shape = {.kind = WEFTC_STRIDED, .exact = exact, .stride = stride, .most = most};
    if (stride == 0) {
        shape.kind = WEFTC_UNIFORM;
        shape.exact = true;
    }
    return shape;
}

static bool is_constant(LLVMValueRef v, int64_t *value)
{
    if (!LLVMIsAConstantInt(v) || int_width(LLVMTypeOf(v)) > 64)
        return false;
    *value = LLVMConstIntGetSExtValue(v);
    return true;
}

static bool known(struct weftc_shape a)
{
    return a.kind == WEFTC_UNIFORM || a.kind == WEFTC_STRIDED;
}

// Where operands are uniform, strided or nearly strided for one and the same reason, so is what 64-bit
// arithmetic makes of them.
static struct weftc_shape nearly(struct weftc_shape a, struct weftc_shape b, int64_t stride)
{
    struct weftc_shape reason = a.nearly ? a : b, shape = varying;
    if ((!a.nearly && !known(a)) || (!b.nearly && !known(b)) || stride == 0 ||
        (a.nearly && b.nearly && (a.nearly != b.nearly || a.nearly_signed != b.nearly_signed)))
        return varying;
    shape.nearly = reason.nearly;
    shape.nearly_signed = reason.nearly_signed;
    shape.stride = stride;
    return shape;
}

static uint64_t bounded(uint64_t most, unsigned bits)
{
    return most <= most_of_width(bits) ? most : UINT64_MAX;
}

// ---- transfer functions ----

static struct weftc_shape of_sum(const struct weftc_shapes *s, LLVMValueRef i, bool minus)
{
    struct weftc_shape a = weftc_shape_of(s, LLVMGetOperand(i, 0)),
                       b = weftc_shape_of(s, LLVMGetOperand(i, 1));
    unsigned bits = int_width(LLVMTypeOf(i));
    if (bits == 64 && (a.nearly || b.nearly))
        return nearly(a, b,
                      minus ? (int64_t)((uint64_t)a.stride - (uint64_t)b.stride)
                            : (int64_t)((uint64_t)a.stride + (uint64_t)b.stride));
    if (!known(a) || !known(b) || bits == 0)
        return varying;
    bool disjoint = LLVMGetInstructionOpcode(i) == LLVMOr;
    uint64_t most = UINT64_MAX;
    if (!minus && a.most != UINT64_MAX && b.most != UINT64_MAX && a.most + b.most >= a.most)
        most = bounded(a.most + b.most, bits);
    uint64_t stride =
        minus ? (uint64_t)a.stride - (uint64_t)b.stride : (uint64_t)a.stride + (uint64_t)b.stride;
    bool exact = (disjoint || LLVMGetNSW(i)) && a.exact && b.exact;
    return strided(cut((int64_t)stride, bits), exact || most <= most_of_width(bits) >> 1, most);
}

static struct weftc_shape of_product(const struct weftc_shapes *s, LLVMValueRef i, bool shift)
{
    struct weftc_shape a = weftc_shape_of(s, LLVMGetOperand(i, 0));
    int64_t factor;
    unsigned bits = int_width(LLVMTypeOf(i));
    if ((!known(a) && !a.nearly) || bits == 0 || bits > 64 || !is_constant(LLVMGetOperand(i, 1), &factor))
        return varying;
    if (shift) {
        if (factor < 0 || factor >= (int64_t)bits)
            return varying;
        factor = (int64_t)(1ull << factor);
    }
    if (a.nearly)
        return nearly(a, uniform, (int64_t)((uint64_t)a.stride * (uint64_t)factor));
    uint64_t most = UINT64_MAX;
    if (factor > 0 && a.most != UINT64_MAX && a.most <= UINT64_MAX / (uint64_t)factor)
        most = bounded(a.most * (uint64_t)factor, bits);
    bool exact = (LLVMGetNSW(i) && a.exact) || most <= most_of_width(bits) >> 1;
    return strided(cut((int64_t)((uint64_t)a.stride * (uint64_t)factor), bits), exact, most);
}

static struct weftc_shape of_uniform_product(const struct weftc_shapes *s, LLVMValueRef i)
{
    struct weftc_shape a = weftc_shape_of(s, LLVMGetOperand(i, 0)),
                       b = weftc_shape_of(s, LLVMGetOperand(i, 1)), product = uniform;
    if (a.kind != WEFTC_UNIFORM || b.kind != WEFTC_UNIFORM)
        return varying;
    if (a.most <= UINT32_MAX && b.most <= UINT32_MAX)
        product.most = bounded(a.most * b.most, int_width(LLVMTypeOf(i)));
    return product;
}

static struct weftc_shape of_extension(const struct weftc_shapes *s, LLVMValueRef i)
{
    LLVMValueRef operand = LLVMGetOperand(i, 0);
    struct weftc_shape a = weftc_shape_of(s, operand);
    unsigned bits = int_width(LLVMTypeOf(operand));
    if (!known(a) || bits == 0)
        return varying;
    bool is_signed = LLVMGetInstructionOpcode(i) == LLVMSExt;
    uint64_t most =
        a.most <= (is_signed ? most_of_width(bits) >> 1 : most_of_width(bits)) ? a.most : UINT64_MAX;
    if (a.kind == WEFTC_UNIFORM || most != UINT64_MAX)
        return strided(a.stride, true, most);
    is_signed = is_signed || LLVMGetNNeg(i);
    if (a.exact && is_signed)
        return strided(a.stride, true, UINT64_MAX);
    struct weftc_shape shape = varying;
    if (bits == 32 && int_width(LLVMTypeOf(i)) == 64 && a.stride > 0 && a.stride < MOST_NEARLY) {
        shape.nearly = operand;
        shape.nearly_signed = is_signed;
        shape.stride = a.stride;
    }
    return shape;
}

static struct weftc_shape of_truncation(const struct weftc_shapes *s, LLVMValueRef i)
{
    struct weftc_shape a = weftc_shape_of(s, LLVMGetOperand(i, 0));
    unsigned bits = int_width(LLVMTypeOf(i));
    if (!known(a) || bits == 0 || (bits < 8 && a.kind == WEFTC_STRIDED))
        return varying; // a condition is uniform or varies
    uint64_t most = bounded(a.most, bits);
    return strided(cut(a.stride, bits), most <= most_of_width(bits) >> 1, most);
}

// The value times 2^bits, if it is known and no larger than `most` before.
static struct weftc_shape of_small(struct weftc_shape shape, uint64_t most, unsigned bits)
{
    if (!known(shape) || shape.most > most)
        return varying;
    return strided((int64_t)((uint64_t)shape.stride << bits), true, shape.most << bits);
}

// A value cut to some of its bits, extended again and multiplied by a power of two, as LLVM writes that: shifts
// to and fro, or a mask. Nothing is lost of one that has no more bits.
static struct weftc_shape of_cut(const struct weftc_shapes *s, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0), by = LLVMGetOperand(i, 1);
    unsigned bits = int_width(LLVMTypeOf(i));
    int64_t back, up = 0;
    if (bits == 0 || bits > 64 || !is_constant(by, &back))
        return varying;
    bool shifted = LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMShl &&
                   is_constant(LLVMGetOperand(value, 1), &up) && up > 0 && up < (int64_t)bits;
    if (LLVMGetInstructionOpcode(i) == LLVMAnd) {
        uint64_t mask = LLVMConstIntGetZExtValue(by), low = shifted ? (1ull << up) - 1 : 0, all = mask | low;
        bool cuts_top = (all & (all + 1)) == 0 && all <= most_of_width(bits) >> 1;
        return cuts_top ? of_small(weftc_shape_of(s, value), all, 0) : varying;
    }
    if (!shifted || back <= 0 || back > up)
        return varying;
    uint64_t most = most_of_width(bits - (unsigned)up);
    if (LLVMGetInstructionOpcode(i) == LLVMAShr)
        most >>= 1;
    return of_small(weftc_shape_of(s, LLVMGetOperand(value, 0)), most, (unsigned)(up - back));
}

static struct weftc_shape of_gep(struct solver *v, LLVMValueRef i)
{
    const struct weftc_shapes *s = v->s;
    struct weftc_shape base = weftc_shape_of(s, LLVMGetOperand(i, 0));
    unsigned operands = (unsigned)LLVMGetNumOperands(i);
    if ((!known(base) && !base.nearly) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMPointerTypeKind)
        return varying;
    if (operands > v->step_capacity) {
        struct weftc_step *larger = weft_realloc(v->steps, operands * sizeof *larger);
        if (!larger) {
            v->no_memory = true;
            return varying;
        }
        v->steps = larger;
        v->step_capacity = operands;
    }
    // In woven memory an offset of n bytes is one of n * lanes.
    uint64_t weave = weftc_woven(s, LLVMGetOperand(i, 0)) ? s->lanes : 1, stride = (uint64_t)base.stride;
    unsigned count = weftc_gep_steps(s->layout, i, v->steps);
    for (unsigned k = 0; k < count; k++) {
        if (!v->steps[k].index)
            continue;
        struct weftc_shape index = weftc_shape_of(s, v->steps[k].index);
        if (index.kind == WEFTC_UNIFORM)
            continue;
        if (index.nearly && weave == 1) {
            stride += (uint64_t)index.stride * v->steps[k].scale;
            base = nearly(base, index, (int64_t)stride);
            if (!base.nearly)
                return varying;
            continue;
        }
        if (index.kind != WEFTC_STRIDED || int_width(LLVMTypeOf(v->steps[k].index)) != 64)
            return varying;
        stride += (uint64_t)index.stride * v->steps[k].scale * weave;
    }
    if (base.nearly)
        return nearly(base, uniform, (int64_t)stride);
    return strided((int64_t)stride, true, UINT64_MAX);
}

static struct weftc_shape meet(struct weftc_shape a, struct weftc_shape b)
{
    if (a.kind == WEFTC_UNKNOWN)
        return b;
    if (b.kind == WEFTC_UNKNOWN)
        return a;
    if (a.kind != b.kind || a.stride != b.stride || a.nearly != b.nearly ||
        a.nearly_signed != b.nearly_signed || (a.kind == WEFTC_VARYING && !a.nearly))
        return varying;
    a.exact = a.exact && b.exact;
    if (a.most != b.most)
        a.most = UINT64_MAX;
    return a;
}

static struct weftc_shape of_phi(const struct weftc_shapes *s, LLVMValueRef i)
{
    uint32_t block = weftc_flow_block_of(&s->flow, LLVMGetInstructionParent(i));
    if (s->flow.blocks[block].join)
        return varying;
    struct weftc_shape shape = {.kind = WEFTC_UNKNOWN};
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
        shape = meet(shape, weftc_shape_of(s, LLVMGetIncomingValue(i, k)));
    if (shape.kind == WEFTC_VARYING)
        return varying;
    shape.most = UINT64_MAX;
    if (shape.kind == WEFTC_STRIDED)
        shape.exact = false; // the longer form would need a PHI of its own
    return shape;
}

static struct weftc_shape of_select(const struct weftc_shapes *s, LLVMValueRef i)
{
    if (weftc_shape_of(s, LLVMGetOperand(i, 0)).kind != WEFTC_UNIFORM)
        return varying;
    struct weftc_shape shape =
        meet(weftc_shape_of(s, LLVMGetOperand(i, 1)), weftc_shape_of(s, LLVMGetOperand(i, 2)));
    if (shape.kind == WEFTC_VARYING)
        return varying;
    if (shape.kind == WEFTC_STRIDED) {
        shape.exact = false;
        shape.most = UINT64_MAX;
    }
    return shape;
}

static struct weftc_shape of_primitive(enum weftc_primitive p, unsigned dim)
{
    struct weftc_shape id = {.kind = WEFTC_STRIDED, .exact = true, .stride = 1, .most = UINT64_MAX};
    switch (p) {
    case WEFTC_GLOBAL_ID32:
    case WEFTC_INDEX32:
        id.most = INT32_MAX; // wiloops runs others one by one
        break;
    case WEFTC_LOCAL_ID:
    case WEFTC_LOCAL_ID32:
    case WEFTC_ITEM:
    case WEFTC_LANE:
        id.most = WEFT_GROUP_MOST - 1;
        break;
    case WEFTC_GLOBAL_ID:
    case WEFTC_INDEX:
        break;
    case WEFTC_LOCAL_SIZE:
    case WEFTC_FULL_LOCAL_SIZE:
        id = uniform;
        id.most = WEFT_GROUP_MOST;
        return id;
    default:
        return uniform;
    }
    if (dim > 0) {
        id.kind = WEFTC_UNIFORM;
        id.stride = 0;
        if (p == WEFTC_GLOBAL_ID32 || p == WEFTC_INDEX32)
            id.most = UINT64_MAX; // only dimension 0 is cut where the low half wraps
    }
    return id;
}

static bool is_pure(LLVMValueRef f)
{
    LLVMAttributeRef memory =
        LLVMGetEnumAttributeAtIndex(f, WEFTC_OF_FUNCTION, LLVMGetEnumAttributeKindForName("memory", 6));
    return memory && LLVMGetEnumAttributeValue(memory) == 0;
}

static bool all_uniform(const struct weftc_shapes *s, LLVMValueRef i)
{
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        if (weftc_shape_of(s, LLVMGetOperand(i, k)).kind != WEFTC_UNIFORM)
            return false;
    return true;
}

static struct weftc_shape of_call(const struct weftc_shapes *s, LLVMValueRef i)
{
    enum weftc_primitive p;
    unsigned dim;
    if (weftc_primitive_of(i, &p, &dim))
        return of_primitive(p, dim);
    LLVMValueRef f = weftc_callee(i);
    return f && is_pure(f) && all_uniform(s, i) ? uniform : varying;
}

static struct weftc_shape of_alloca(const struct weftc_shapes *s, LLVMValueRef i)
{
    uint32_t at = weftc_map_get(&s->private_of, i);
    return at == UINT32_MAX ? varying : strided((int64_t)s->privates[at].stride, true, UINT64_MAX);
}

// True when an operand's shape isn't known yet, and so this one's neither.
static bool waits(const struct weftc_shapes *s, LLVMValueRef i)
{
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        if (weftc_shape_of(s, LLVMGetOperand(i, k)).kind == WEFTC_UNKNOWN)
            return true;
    return false;
}

static struct weftc_shape evaluate(struct solver *v, LLVMValueRef i)
{
    const struct weftc_shapes *s = v->s;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMPHI)
        return of_phi(s, i);
    if (waits(s, i))
        return (struct weftc_shape){.kind = WEFTC_UNKNOWN};
    switch (opcode) {
    case LLVMAdd:
        return of_sum(s, i, false);
    case LLVMSub:
        return of_sum(s, i, true);
    case LLVMOr:
        if (LLVMGetIsDisjoint(i))
            return of_sum(s, i, false);
        break;
    case LLVMMul:
        if (LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
            return of_product(s, i, false);
        return of_uniform_product(s, i);
    case LLVMShl:
        if (LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
            return of_product(s, i, true);
        break;
    case LLVMSExt:
    case LLVMZExt:
        return of_extension(s, i);
    case LLVMAnd:
    case LLVMAShr:
    case LLVMLShr: {
        struct weftc_shape shape = of_cut(s, i);
        if (shape.kind != WEFTC_VARYING)
            return shape;
        break;
    }
    case LLVMTrunc:
        return of_truncation(s, i);
    case LLVMFreeze: {
        struct weftc_shape shape = weftc_shape_of(s, LLVMGetOperand(i, 0));
        return shape.kind == WEFTC_VARYING ? varying : shape;
    }
    case LLVMGetElementPtr:
        return of_gep(v, i);
    case LLVMSelect:
        return of_select(s, i);
    case LLVMCall:
        return of_call(s, i);
    case LLVMAlloca:
        return of_alloca(s, i);
    case LLVMLoad:
        if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
            return varying;
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
        return varying;
    default:
        break;
    }
    return all_uniform(s, i) ? uniform : varying;
}

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

// Ways of several colours that left some loop together, to be followed around it.
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

// Follows the ways through the level of `loop` until they have met again. True: lanes also leave the loop,
// in different rounds or different ways; those ways are in *out.
static bool follow(struct solver *v, uint32_t loop, const struct ways *ways, struct ways *out)
{
    const struct weftc_flow *g = &v->s->flow;
    size_t open = 0, painted = 0;
    uint32_t at = g->block_count;
    bool round = false; // some lane goes on to the next round
    for (size_t k = 0; k < ways->count; k++) {
        uint32_t to = ways->to[k];
        if (!weftc_flow_in_loop(g, loop, to)) {
            add_way(v, out, to);
        } else if (loop != UINT32_MAX && to == g->loops[loop].begin) {
            round = true;
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
        if (open == 0 && !round && out->count == 0)
            break; // all are here
        for (uint32_t e = 0; e < g->blocks[at].edge_count; e++) {
            uint32_t to = g->successors[g->blocks[at].first_edge + e];
            if (!weftc_flow_in_loop(g, loop, to))
                add_way(v, out, to);
            else if (loop != UINT32_MAX && to == g->loops[loop].begin)
                round = true;
            else if (to > at)
                paint(v, to, colour, &open, &painted);
        }
    }
    while (painted > 0)
        v->colour[v->coloured[--painted]] = UINT32_MAX;
    return out->count > 0;
}

// Lanes leave the loop in different rounds, or different ways.
static void diverge_loop(struct solver *v, uint32_t loop, struct ways *out)
{
    struct weftc_flow *g = &v->s->flow;
    g->loops[loop].divergent = true;
    for (uint32_t b = g->loops[loop].begin; b < g->loops[loop].end; b++)
        for (uint32_t e = 0; e < g->blocks[b].edge_count; e++) {
            uint32_t to = g->successors[g->blocks[b].first_edge + e];
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
    for (uint32_t e = 0; e < g->blocks[block].edge_count; e++)
        add_way(v, &ways, g->successors[g->blocks[block].first_edge + e]);
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
    return a.kind == b.kind && a.stride == b.stride && a.exact == b.exact && a.most == b.most &&
           a.nearly == b.nearly && a.nearly_signed == b.nearly_signed;
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
    struct weftc_shape shape = meet(s->shapes[n], evaluate(v, i));
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
    while (v.pending > 0 && !v.no_memory) {
        uint32_t n = v.work[--v.pending];
        v.queued[n] = 0;
        visit(&v, n);
    }
    status = v.no_memory ? WEFT_NO_MEMORY : WEFT_OK;
done:
    weft_free(v.work);
    weft_free(v.queued);
    weft_free(v.colour);
    weft_free(v.coloured);
    weft_free(v.steps);
    return status;
}

// ---- for which lanes a block runs ----

// The nearest dominator on the block's own loop level.
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

// The class of all blocks that may send lanes here, when none of them keeps some back; else UINT32_MAX.
static uint32_t class_of_predecessors(const struct weftc_flow *g, uint32_t block)
{
    uint32_t found = UINT32_MAX;
    const struct weftc_flow_block *b = &g->blocks[block];
    for (uint32_t e = 0; e < b->in_count; e++) {
        uint32_t from = g->predecessors[b->first_in + e];
        if (from >= block)
            continue; // the way back of a loop
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

weft_status weftc_shapes_init(struct weftc_shapes *s, LLVMValueRef function, uint32_t lanes)
{
    *s = (struct weftc_shapes){.lanes = lanes,
                               .layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function))};
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
    return status;
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
        if (shape.nearly)
            snprintf(text, sizeof text, "nearly(%lld)", (long long)shape.stride);
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
    weft_buf_printf(out, "shapes of %s for %u lanes\n", LLVMGetValueName(g->function), s->lanes);
    for (uint32_t p = 0; p < s->private_count; p++)
        weft_buf_printf(out, "private %s, %llu bytes from lane to lane\n",
                        s->privates[p].layout == WEFTC_LAYOUT_WOVEN ? "woven" : "blocked",
                        (unsigned long long)s->privates[p].stride);
    for (uint32_t b = 0; b < g->block_count; b++) {
        const struct weftc_flow_block *block = &g->blocks[b];
        weft_buf_printf(out, "block %u:%s", b, block->full ? " full" : "");
        if (!block->full)
            weft_buf_printf(out, " mask %u", block->mask_class);
        if (weftc_flow_is_header(g, b))
            weft_buf_printf(out, "%s loop to %u", g->loops[block->loop].divergent ? " divergent" : " uniform",
                            g->loops[block->loop].end - 1);
        if (block->edge_count > 0)
            weft_buf_printf(out, "%s ->", block->divergent ? " divergent" : "");
        for (uint32_t e = 0; e < block->edge_count; e++)
            weft_buf_printf(out, " %u", g->successors[block->first_edge + e]);
        weft_buf_puts(out, "\n");
        for (LLVMValueRef i = LLVMGetFirstInstruction(block->block); i; i = LLVMGetNextInstruction(i))
            print_shape(s, i, out);
    }
}
