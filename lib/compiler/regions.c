// C2, regions (DESIGN §8): a kernel is cut at its barriers, before anything is vectorized.
//
// Work-items of a group are to run one after the other (or side by side in lanes), but none may pass a
// barrier before all have reached it. So the kernel becomes *regions*: region 0 is what can be reached from
// the entry without passing a barrier, region i what can be reached from behind barrier i. Each is a function
// for one work-item that ends at the next barrier it meets and says which one that was; `run` calls it for
// all work-items, then goes on to the region behind that barrier. OpenCL requires that all work-items of a
// group meet the same barriers, so they all say the same.
//
//     a; while (c) { b; barrier(); d; } e;      region 0:  a; if (c) { b; -> 1 } else { e; -> done }
//                                               region 1:  d; if (c) { b; -> 1 } else { e; -> done }
//
// It follows that a barrier in a conditional, in a loop of unknown length or in an irreducible loop needs no
// thought at all: a block that can be reached from several barriers is simply copied into each of their
// regions.
//
// What is live across a barrier is kept in one of three ways (enum weftc_keep):
//   REMAT     a few instructions from arguments and ids: done again (regions_spill.c)
//   UNIFORM   surely the same for all work-items (regions_uniform.c): a register of `run`, in as a parameter,
//             out as a result
//   PER_ITEM  a row of the state arena: element `item` of an array that has an element for each work-item
// The last two go through a *slot*: an alloca that is stored to where the value is made and loaded from where
// it is used. In each region a slot is an alloca of its own, filled on entry and emptied at the exits, and
// LLVM's promotion to registers turns that into exactly the SSA form that the region needs, however many
// definitions reach a use. An alloca of the kernel whose contents are live across a barrier has a place in
// the arena itself.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "bridge_passes.h"
#include "regions.h"

struct slot {
    LLVMValueRef memory; // an alloca of the kernel
    LLVMTypeRef type;
    enum weftc_keep keep; // UNIFORM or PER_ITEM
    bool array;           // an alloca of the program, accessed in place in the arena
    uint32_t number;      // of a uniform value
    uint64_t offset;      // in the arena, bytes for each work-item
    uint64_t stride;      // bytes from one work-item's element to the next
    uint32_t live;        // its set in struct splitter.live
};

struct splitter {
    struct weftc_cfg g;
    LLVMTargetDataRef layout;
    LLVMBasicBlockRef body; // where region 0 starts, behind the allocas
    struct slot *slots;
    uint32_t slot_count, slot_capacity;
    struct weftc_map slot_of; // alloca -> slot
    struct weftc_barrier_sets live;
    uint32_t live_count, uniform_count;
    uint64_t state_per_item, private_bytes;
};

// ---- the kernel's blocks, with each barrier alone in one ----

uint32_t weftc_block_of(const struct weftc_cfg *g, LLVMBasicBlockRef block)
{
    return weftc_map_get(&g->block_index, block);
}

uint32_t weftc_block_of_instruction(const struct weftc_cfg *g, LLVMValueRef instruction)
{
    return weftc_block_of(g, LLVMGetInstructionParent(instruction));
}

// Allocas first, in a block of their own: they belong to all regions.
static void separate_allocas(struct splitter *s)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(s->g.kernel);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(s->g.context);
    LLVMValueRef first = LLVMGetFirstInstruction(entry), next;
    while (first && LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    for (LLVMValueRef i = first; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!LLVMIsAAllocaInst(i))
            continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(b, first);
        LLVMInsertIntoBuilder(b, i);
    }
    s->body = weftc_bridge_split_block(first);
    LLVMDisposeBuilder(b);
}

// Returns how many there are. A barrier's block is marked by the call at its start.
static uint32_t isolate_barriers(LLVMValueRef kernel)
{
    uint32_t count = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            if (!weftc_calls(i, WEFTC_BARRIER))
                continue;
            count++;
            LLVMValueRef after = LLVMGetNextInstruction(i);
            weftc_bridge_split_block(i);
            weftc_bridge_split_block(after);
            block = LLVMGetInstructionParent(i); // the loop goes on behind it
            break;
        }
    }
    return count;
}

static weft_status number_blocks(struct weftc_cfg *g, uint32_t barrier_count)
{
    size_t edges = 0, at = 0;
    g->block_count = LLVMCountBasicBlocks(g->kernel);
    g->barrier_count = 0;
    g->blocks = weft_alloc_array(g->block_count, sizeof *g->blocks);
    g->barriers = weft_alloc_array((size_t)barrier_count + 1, sizeof *g->barriers);
    if (!g->blocks || !g->barriers)
        return WEFT_NO_MEMORY;
    uint32_t n = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(g->kernel); block;
         block = LLVMGetNextBasicBlock(block), n++) {
        struct weftc_block *b = &g->blocks[n];
        *b = (struct weftc_block){.block = block, .barrier = UINT32_MAX};
        b->edge_count = LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block));
        b->first_edge = (uint32_t)edges;
        edges += b->edge_count;
        if (weftc_calls(LLVMGetFirstInstruction(block), WEFTC_BARRIER)) {
            b->barrier = g->barrier_count;
            g->barriers[g->barrier_count++] = n;
        }
        if (!weftc_map_put(&g->block_index, block, n))
            return WEFT_NO_MEMORY;
    }
    g->successors = weft_alloc_array(edges + 1, sizeof *g->successors);
    g->predecessors = weft_alloc_array(edges + 1, sizeof *g->predecessors);
    if (!g->successors || !g->predecessors)
        return WEFT_NO_MEMORY;
    for (uint32_t i = 0; i < g->block_count; i++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(g->blocks[i].block);
        for (uint32_t e = 0; e < g->blocks[i].edge_count; e++) {
            uint32_t to = weftc_block_of(g, LLVMGetSuccessor(terminator, e));
            g->successors[at++] = to;
            g->blocks[to].in_count++;
        }
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < g->block_count; i++) {
        g->blocks[i].first_in = first;
        first += g->blocks[i].in_count;
        g->blocks[i].in_count = 0;
    }
    for (uint32_t i = 0; i < g->block_count; i++) {
        for (uint32_t e = 0; e < g->blocks[i].edge_count; e++) {
            struct weftc_block *to = &g->blocks[g->successors[g->blocks[i].first_edge + e]];
            g->predecessors[to->first_in + to->in_count++] = i;
        }
    }
    return WEFT_OK;
}

// ---- what lives across a barrier, and how it is kept ----

static uint32_t new_live_set(struct splitter *s)
{
    if (s->live_count % 64 == 0) {
        size_t bytes = ((size_t)s->live_count + 64) * s->live.words * sizeof(uint64_t);
        uint64_t *larger = weft_realloc(s->live.bits, bytes);
        if (!larger)
            return UINT32_MAX;
        s->live.bits = larger;
    }
    memset(s->live.bits + (size_t)s->live_count * s->live.words, 0, s->live.words * sizeof(uint64_t));
    return s->live_count++;
}

static struct slot *new_slot(struct splitter *s, LLVMValueRef memory, uint32_t live)
{
    if (s->slot_count == s->slot_capacity) {
        uint32_t capacity = s->slot_capacity ? 2 * s->slot_capacity : 32;
        struct slot *larger = weft_realloc(s->slots, capacity * sizeof *larger);
        if (!larger)
            return NULL;
        s->slots = larger;
        s->slot_capacity = capacity;
    }
    struct slot *slot = &s->slots[s->slot_count];
    *slot = (struct slot){.memory = memory, .type = LLVMGetAllocatedType(memory), .live = live};
    if (!weftc_map_put(&s->slot_of, memory, s->slot_count))
        return NULL;
    s->slot_count++;
    return slot;
}

// A row of the arena. The length of a row is a multiple of WEFT_STATE_ROW elements, so each row is aligned to
// that many bytes; types of greater alignment start at an even offset.
static void place_in_arena(struct splitter *s, struct slot *slot)
{
    uint64_t align =
        slot->array ? LLVMGetAlignment(slot->memory) : LLVMABIAlignmentOfType(s->layout, slot->type);
    slot->stride = (LLVMABISizeOfType(s->layout, slot->type) + align - 1) & ~(align - 1);
    uint64_t start = align > WEFT_STATE_ROW ? align / WEFT_STATE_ROW : 1;
    slot->offset = (s->state_per_item + start - 1) & ~(start - 1);
    s->state_per_item = slot->offset + slot->stride;
}

static weft_status keep_value(struct splitter *s, const struct weftc_uniformity *u, LLVMValueRef value,
                              uint32_t live)
{
    // A uniform value that only some work-items compute is no use: the last one might not.
    bool uniform =
        weftc_is_uniform(u, value) && !s->g.blocks[weftc_block_of_instruction(&s->g, value)].divergent;
    LLVMValueRef memory = weftc_bridge_demote(value);
    if (!memory)
        return WEFT_OK;
    struct slot *slot = new_slot(s, memory, live);
    if (!slot)
        return WEFT_NO_MEMORY;
    slot->keep = uniform ? WEFTC_KEEP_UNIFORM : WEFTC_KEEP_PER_ITEM;
    if (uniform)
        slot->number = s->uniform_count++;
    else
        place_in_arena(s, slot);
    return WEFT_OK;
}

// Finds every value that lives across a barrier first: keeping one changes the uses of others.
static weft_status keep_values(struct splitter *s, const struct weftc_uniformity *u, struct weftc_walk *walk)
{
    uint32_t first_set = s->live_count;
    LLVMValueRef *values = NULL;
    size_t count = 0, capacity = 0;
    weft_status status = WEFT_NO_MEMORY;
    for (uint32_t n = 0; n < s->g.block_count; n++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->g.blocks[n].block); i;
             i = LLVMGetNextInstruction(i)) {
            if (LLVMIsAAllocaInst(i) || !LLVMGetFirstUse(i))
                continue;
            uint32_t set = new_live_set(s);
            if (set == UINT32_MAX)
                goto done;
            if (!weftc_live_across(&s->g, walk, i, &s->live, set)) {
                s->live_count--;
                continue;
            }
            if (count == capacity) {
                capacity = capacity ? 2 * capacity : 64;
                LLVMValueRef *larger = weft_realloc(values, capacity * sizeof *larger);
                if (!larger)
                    goto done;
                values = larger;
            }
            values[count++] = i;
        }
    }
    // The k-th set is that of values[k].
    status = WEFT_OK;
    for (size_t k = 0; k < count && status == WEFT_OK; k++)
        status = weftc_remat_cost(values[k]) != UINT32_MAX
                     ? weftc_remat(values[k])
                     : keep_value(s, u, values[k], first_set + (uint32_t)k);
done:
    weft_free(values);
    return status;
}

static bool is_lifetime(LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    return f && LLVMGetIntrinsicID(f) && strncmp(LLVMGetValueName(f), "llvm.lifetime.", 14) == 0;
}

static weft_status keep_arrays(struct splitter *s, struct weftc_walk *walk)
{
    LLVMValueRef next;
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->g.blocks[0].block); i && LLVMIsAAllocaInst(i);
         i = next) {
        next = LLVMGetNextInstruction(i);
        uint32_t set = new_live_set(s);
        if (set == UINT32_MAX)
            return WEFT_NO_MEMORY;
        bool live;
        weft_status status = weftc_memory_live_across(&s->g, walk, i, &s->live, set, &live);
        if (status != WEFT_OK)
            return status;
        if (!live) {
            s->live_count--;
            continue;
        }
        struct slot *slot = new_slot(s, i, set);
        if (!slot)
            return WEFT_NO_MEMORY;
        slot->keep = WEFTC_KEEP_PER_ITEM;
        slot->array = true;
        place_in_arena(s, slot);
    }
    // In a region, lifetime marks may be without their counterpart, which says something else.
    for (uint32_t n = 0; n < s->g.block_count; n++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->g.blocks[n].block); i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (is_lifetime(i))
                LLVMInstructionEraseFromParent(i);
        }
    }
    return WEFT_OK;
}

static weft_status keep_all(struct splitter *s, const struct weftc_uniformity *u)
{
    struct weftc_walk walk;
    s->live.words = (s->g.barrier_count + 63) / 64;
    weft_status status = weftc_walk_init(&walk, &s->g);
    // Arrays first: keeping values makes new allocas.
    if (status == WEFT_OK)
        status = keep_arrays(s, &walk);
    if (status == WEFT_OK)
        status = keep_values(s, u, &walk);
    weftc_walk_fini(&walk);
    return status;
}

// ---- one region ----

struct region {
    struct splitter *s;
    uint32_t number; // 0, or 1 + the barrier that it begins behind
    uint32_t *blocks;
    uint32_t block_count;
    uint32_t *exits; // barriers that it ends at
    uint32_t exit_count;
    bool done;                 // the kernel's end can be reached
    struct weftc_map memories; // allocas that its blocks use -> index into the two lists
    LLVMValueRef *from, *to;
    size_t mapped, capacity;
    bool *stored; // by slot: some block stores to it
    LLVMValueRef function;
    LLVMBuilderRef b;
    LLVMTypeRef result; // NULL: no result
    uint32_t *out;      // slots that go out, in order
    uint32_t out_count;
};

static bool map_value(struct region *r, LLVMValueRef from, LLVMValueRef to)
{
    if (r->mapped == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 64;
        LLVMValueRef *larger_from = weft_realloc(r->from, capacity * sizeof *larger_from);
        if (larger_from)
            r->from = larger_from;
        LLVMValueRef *larger_to = weft_realloc(r->to, capacity * sizeof *larger_to);
        if (larger_to)
            r->to = larger_to;
        if (!larger_from || !larger_to)
            return false;
        r->capacity = capacity;
    }
    r->from[r->mapped] = from;
    r->to[r->mapped++] = to;
    return true;
}

// Blocks from `start` up to the next barriers.
static void collect_blocks(struct region *r, struct weftc_walk *w, uint32_t start)
{
    const struct weftc_cfg *g = &r->s->g;
    w->now++;
    w->stamp[start] = w->now;
    r->blocks[r->block_count++] = start;
    for (uint32_t next = 0; next < r->block_count; next++) {
        const struct weftc_block *b = &g->blocks[r->blocks[next]];
        if (LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(b->block)) == LLVMRet)
            r->done = true;
        for (uint32_t e = 0; e < b->edge_count; e++) {
            uint32_t to = g->successors[b->first_edge + e];
            if (w->stamp[to] == w->now)
                continue;
            w->stamp[to] = w->now;
            if (g->blocks[to].barrier != UINT32_MAX)
                r->exits[r->exit_count++] = g->blocks[to].barrier;
            else
                r->blocks[r->block_count++] = to;
        }
    }
}

// Notes the allocas that the region's instructions name, and which slots they store to.
static weft_status collect_memories(struct region *r)
{
    for (uint32_t n = 0; n < r->block_count; n++) {
        LLVMBasicBlockRef block = r->s->g.blocks[r->blocks[n]].block;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
                LLVMValueRef memory = LLVMIsAAllocaInst(LLVMGetOperand(i, k));
                if (!memory)
                    continue;
                uint32_t slot = weftc_map_get(&r->s->slot_of, memory);
                if (slot != UINT32_MAX && LLVMIsAStoreInst(i) && k == 1)
                    r->stored[slot] = true;
                if (weftc_map_get(&r->memories, memory) == UINT32_MAX &&
                    (!weftc_map_put(&r->memories, memory, (uint32_t)r->mapped) ||
                     !map_value(r, memory, NULL)))
                    return WEFT_NO_MEMORY;
            }
        }
    }
    return WEFT_OK;
}

// A slot goes out when the region may have changed it and someone behind an exit wants it.
static bool goes_out(const struct region *r, uint32_t slot)
{
    if (!r->stored[slot] || r->s->slots[slot].array)
        return false;
    for (uint32_t e = 0; e < r->exit_count; e++)
        if (weftc_in_set(&r->s->live, r->s->slots[slot].live, r->exits[e]))
            return true;
    return false;
}

// The region may read what was there when it began.
static bool comes_in(const struct region *r, uint32_t slot)
{
    return r->number > 0 && !r->s->slots[slot].array &&
           weftc_map_get(&r->memories, r->s->slots[slot].memory) != UINT32_MAX &&
           weftc_in_set(&r->s->live, r->s->slots[slot].live, r->number - 1);
}

static void set_list(LLVMValueRef f, const char *name, struct weft_buf *list)
{
    LLVMAddAttributeAtIndex(f, WEFTC_OF_FUNCTION,
                            LLVMCreateStringAttribute(LLVMGetTypeContext(LLVMTypeOf(f)), name,
                                                      (unsigned)strlen(name), (const char *)list->data,
                                                      (unsigned)list->size));
}

static void append_number(struct weft_buf *list, uint32_t n)
{
    weft_buf_printf(list, list->size ? ",%u" : "%u", n);
}

// The function's type and its attributes for wiloops; parameters get those of the kernel.
static weft_status declare(struct region *r)
{
    struct splitter *s = r->s;
    unsigned arguments = LLVMCountParams(s->g.kernel), count = arguments;
    LLVMTypeRef *params = weft_alloc_array((size_t)arguments + s->slot_count + 1, sizeof(LLVMTypeRef));
    LLVMTypeRef *results = weft_alloc_array((size_t)s->slot_count + 1, sizeof(LLVMTypeRef));
    struct weft_buf in = {0}, out = {0}, next = {0};
    weft_status status = WEFT_NO_MEMORY;
    if (!params || !results)
        goto done;
    for (unsigned i = 0; i < arguments; i++)
        params[i] = LLVMTypeOf(LLVMGetParam(s->g.kernel, i));
    results[0] = LLVMInt32TypeInContext(s->g.context);
    for (uint32_t k = 0; k < s->slot_count; k++) {
        if (s->slots[k].keep != WEFTC_KEEP_UNIFORM)
            continue;
        if (comes_in(r, k)) {
            params[count++] = s->slots[k].type;
            append_number(&in, s->slots[k].number);
        }
        if (goes_out(r, k)) {
            results[1 + r->out_count] = s->slots[k].type;
            r->out[r->out_count++] = k;
            append_number(&out, s->slots[k].number);
        }
    }
    for (uint32_t e = 0; e < r->exit_count; e++)
        append_number(&next, r->exits[e] + 1);
    if (r->done || r->exit_count == 0)
        append_number(&next, 0);
    if (in.failed || out.failed || next.failed)
        goto done;
    r->result = LLVMStructTypeInContext(s->g.context, results, 1 + r->out_count, false);
    char name[32];
    snprintf(name, sizeof name, WEFTC_REGION_NAME "%u", r->number);
    r->function = LLVMAddFunction(s->g.module, name, LLVMFunctionType(r->result, params, count, false));
    LLVMSetLinkage(r->function, LLVMInternalLinkage);
    weftc_bridge_copy_attributes(r->function, s->g.kernel);
    set_list(r->function, WEFTC_ATTRIBUTE_IN, &in);
    set_list(r->function, WEFTC_ATTRIBUTE_OUT, &out);
    set_list(r->function, WEFTC_ATTRIBUTE_NEXT, &next);
    status = WEFT_OK;
done:
    weft_free(params);
    weft_free(results);
    weft_buf_free(&in);
    weft_buf_free(&out);
    weft_buf_free(&next);
    return status;
}

// Address of this work-item's element of the slot's row.
static LLVMValueRef arena_address(struct region *r, const struct slot *slot)
{
    struct splitter *s = r->s;
    LLVMTypeRef byte = LLVMInt8TypeInContext(s->g.context);
    LLVMValueRef rows = weftc_primitive_build(r->b, s->g.module, WEFTC_STATE_ROWS, 0);
    LLVMValueRef begin = LLVMBuildMul(r->b, rows, weftc_i64(s->g.context, slot->offset), "");
    LLVMValueRef row = LLVMBuildInBoundsGEP2(
        r->b, byte, weftc_primitive_build(r->b, s->g.module, WEFTC_STATE, 0), &begin, 1, "");
    LLVMValueRef item = weftc_primitive_build(r->b, s->g.module, WEFTC_ITEM, 0);
    LLVMTypeRef element = slot->stride == LLVMABISizeOfType(s->layout, slot->type)
                              ? slot->type
                              : LLVMArrayType2(byte, slot->stride);
    return LLVMBuildInBoundsGEP2(r->b, element, row, &item, 1, "");
}

// The row belongs to this work-item's element alone: as private memory is, and parallel besides.
static void mark_access(struct splitter *s, LLVMValueRef access)
{
    LLVMValueRef lists[2], items;
    if (LLVMGetNamedMetadataNumOperands(s->g.module, WEFTC_PRIVATE_ACCESS) == 2) {
        LLVMGetNamedMetadataOperands(s->g.module, WEFTC_PRIVATE_ACCESS, lists);
        weftc_set_metadata(access, "alias.scope", LLVMValueAsMetadata(lists[0]));
        weftc_set_metadata(access, "noalias", LLVMValueAsMetadata(lists[1]));
    }
    if (LLVMGetNamedMetadataNumOperands(s->g.module, WEFTC_ITEMS_GROUP) == 1) {
        LLVMGetNamedMetadataOperands(s->g.module, WEFTC_ITEMS_GROUP, &items);
        weftc_set_metadata(access, "llvm.access.group", LLVMValueAsMetadata(items));
    }
}

// The region's own alloca for the slot.
static LLVMValueRef memory_of(const struct region *r, const struct slot *slot)
{
    return r->to[weftc_map_get(&r->memories, slot->memory)];
}

// The entry: the region's own memory for each alloca, slots filled with what comes in.
static weft_status build_entry(struct region *r)
{
    struct splitter *s = r->s;
    LLVMPositionBuilderAtEnd(r->b, LLVMAppendBasicBlockInContext(s->g.context, r->function, "entry"));
    for (size_t k = 0; k < r->mapped; k++) {
        uint32_t slot = weftc_map_get(&s->slot_of, r->from[k]);
        if (slot != UINT32_MAX && s->slots[slot].array) {
            r->to[k] = arena_address(r, &s->slots[slot]);
            continue;
        }
        LLVMTypeRef type = LLVMGetAllocatedType(r->from[k]);
        r->to[k] = LLVMBuildAlloca(r->b, type, "");
        LLVMSetAlignment(r->to[k], LLVMGetAlignment(r->from[k]));
    }
    unsigned param = LLVMCountParams(s->g.kernel);
    for (uint32_t k = 0; k < s->slot_count; k++) {
        struct slot *slot = &s->slots[k];
        if (!comes_in(r, k))
            continue;
        LLVMValueRef value;
        if (slot->keep == WEFTC_KEEP_UNIFORM) {
            value = LLVMGetParam(r->function, param++);
        } else {
            value = LLVMBuildLoad2(r->b, slot->type, arena_address(r, slot), "");
            mark_access(s, value);
        }
        LLVMBuildStore(r->b, value, memory_of(r, slot));
    }
    for (unsigned i = 0; i < LLVMCountParams(s->g.kernel); i++)
        if (!map_value(r, LLVMGetParam(s->g.kernel, i), LLVMGetParam(r->function, i)))
            return WEFT_NO_MEMORY;
    return WEFT_OK;
}

// Where the region ends: at barrier `exit`, or (UINT32_MAX) with the kernel.
static LLVMBasicBlockRef build_exit(struct region *r, uint32_t exit)
{
    struct splitter *s = r->s;
    LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(s->g.context, r->function, "exit");
    LLVMPositionBuilderAtEnd(r->b, block);
    LLVMValueRef result = LLVMGetPoison(r->result);
    uint32_t next = exit == UINT32_MAX ? 0 : exit + 1;
    result = LLVMBuildInsertValue(r->b, result, weftc_i32(s->g.context, next), 0, "");
    for (uint32_t k = 0; k < s->slot_count && exit != UINT32_MAX; k++) {
        struct slot *slot = &s->slots[k];
        if (slot->keep != WEFTC_KEEP_PER_ITEM || slot->array || !r->stored[k] ||
            !weftc_in_set(&s->live, slot->live, exit))
            continue;
        LLVMValueRef value = LLVMBuildLoad2(r->b, slot->type, memory_of(r, slot), "");
        mark_access(s, LLVMBuildStore(r->b, value, arena_address(r, slot)));
    }
    for (uint32_t k = 0; k < r->out_count; k++) {
        const struct slot *slot = &s->slots[r->out[k]];
        LLVMValueRef value = LLVMBuildLoad2(r->b, slot->type, memory_of(r, slot), "");
        result = LLVMBuildInsertValue(r->b, result, value, 1 + k, "");
    }
    LLVMBuildRet(r->b, result);
    return block;
}

static weft_status copy_blocks(struct region *r)
{
    struct splitter *s = r->s;
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(r->b);
    for (uint32_t e = 0; e < r->exit_count; e++) {
        LLVMBasicBlockRef barrier = s->g.blocks[s->g.barriers[r->exits[e]]].block;
        if (!map_value(r, LLVMBasicBlockAsValue(barrier), LLVMBasicBlockAsValue(build_exit(r, r->exits[e]))))
            return WEFT_NO_MEMORY;
    }
    LLVMBasicBlockRef *blocks = weft_alloc_array((size_t)r->block_count + 1, sizeof(LLVMBasicBlockRef));
    LLVMBasicBlockRef *copies = weft_alloc_array((size_t)r->block_count + 1, sizeof(LLVMBasicBlockRef));
    weft_status status = WEFT_NO_MEMORY;
    if (!blocks || !copies)
        goto done;
    for (uint32_t i = 0; i < r->block_count; i++)
        blocks[i] = s->g.blocks[r->blocks[i]].block;
    weftc_bridge_copy_blocks(r->function, blocks, r->block_count, r->from, r->to, r->mapped, copies);
    LLVMBasicBlockRef end = NULL;
    for (uint32_t i = 0; i < r->block_count; i++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(copies[i]);
        if (LLVMGetInstructionOpcode(terminator) != LLVMRet)
            continue;
        if (!end)
            end = build_exit(r, UINT32_MAX);
        LLVMInstructionEraseFromParent(terminator);
        LLVMPositionBuilderAtEnd(r->b, copies[i]);
        LLVMBuildBr(r->b, end);
    }
    LLVMPositionBuilderAtEnd(r->b, entry);
    LLVMBuildBr(r->b, copies[0]);
    status = WEFT_OK;
done:
    weft_free(blocks);
    weft_free(copies);
    return status;
}

static weft_status build_region(struct splitter *s, struct weftc_walk *w, uint32_t number)
{
    struct region r = {.s = s, .number = number};
    uint32_t start = number ? s->g.successors[s->g.blocks[s->g.barriers[number - 1]].first_edge]
                            : weftc_block_of(&s->g, s->body);
    weft_status status = WEFT_NO_MEMORY;
    r.blocks = weft_alloc_array((size_t)s->g.block_count + 1, sizeof *r.blocks);
    r.exits = weft_alloc_array((size_t)s->g.barrier_count + 1, sizeof *r.exits);
    r.stored = weft_alloc_array((size_t)s->slot_count + 1, sizeof *r.stored);
    r.out = weft_alloc_array((size_t)s->slot_count + 1, sizeof *r.out);
    r.b = LLVMCreateBuilderInContext(s->g.context);
    if (r.blocks && r.exits && r.stored && r.out) {
        collect_blocks(&r, w, start);
        status = collect_memories(&r);
    }
    if (status == WEFT_OK)
        status = declare(&r);
    if (status == WEFT_OK)
        status = build_entry(&r);
    if (status == WEFT_OK)
        status = copy_blocks(&r);
    LLVMDisposeBuilder(r.b);
    weft_free(r.blocks);
    weft_free(r.exits);
    weft_free(r.stored);
    weft_free(r.out);
    weft_free(r.from);
    weft_free(r.to);
    weftc_map_free(&r.memories);
    return status;
}

// ---- the stage ----

static uint64_t bytes_of_allocas(struct splitter *s)
{
    uint64_t sum = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->g.kernel)); i;
         i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i))
            sum += LLVMABISizeOfType(s->layout, LLVMGetAllocatedType(i));
    return sum;
}

static void free_cfg(struct weftc_cfg *g)
{
    weft_free(g->blocks);
    weft_free(g->successors);
    weft_free(g->predecessors);
    weft_free(g->barriers);
    weftc_map_free(&g->block_index);
    g->blocks = NULL;
    g->successors = g->predecessors = g->barriers = NULL;
}

// Numbers the blocks and finds what is uniform; once more if joins were added.
static weft_status analyse(struct splitter *s, struct weftc_uniformity *u)
{
    for (bool first = true;; first = false) {
        weft_status status = number_blocks(&s->g, isolate_barriers(s->g.kernel));
        if (status == WEFT_OK)
            status = weftc_uniformity_find(&s->g, u);
        bool added = false;
        if (status == WEFT_OK && first)
            status = weftc_add_joins(&s->g, u, weftc_block_of(&s->g, s->body), &added);
        if (status != WEFT_OK || !added)
            return status;
        free_cfg(&s->g);
        weftc_map_free(&u->varying);
    }
}

static weft_status split(struct splitter *s)
{
    separate_allocas(s);
    struct weftc_uniformity u = {0};
    weft_status status = analyse(s, &u);
    if (status == WEFT_OK)
        status = keep_all(s, &u);
    weftc_map_free(&u.varying);
    // A pointer that comes out of a slot isn't seen to be made of the `restrict` parameter that it was made
    // of, in another region.
    weftc_bridge_drop_noalias(s->g.kernel, true);
    struct weftc_walk walk = {0};
    if (status == WEFT_OK)
        status = weftc_walk_init(&walk, &s->g);
    for (uint32_t i = 0; i <= s->g.barrier_count && status == WEFT_OK; i++)
        status = build_region(s, &walk, i);
    weftc_walk_fini(&walk);
    return status;
}

weft_status weftc_regions(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, struct weft_buf *log)
{
    LLVMValueRef kernel = weftc_find_kernel(module, options);
    if (!kernel)
        return WEFT_NOT_FOUND;
    struct splitter s = {.g = {.module = module, .context = LLVMGetModuleContext(module), .kernel = kernel},
                         .layout = LLVMGetModuleDataLayout(module)};
    s.private_bytes = bytes_of_allocas(&s);
    LLVMValueRef barrier = LLVMGetNamedFunction(module, WEFTC_BARRIER);
    weft_status status = WEFT_OK;
    if (!barrier || !LLVMGetFirstUse(barrier)) {
        LLVMSetValueName2(kernel, WEFTC_REGION_NAME "0", sizeof WEFTC_REGION_NAME);
        LLVMSetLinkage(kernel, LLVMInternalLinkage);
        weftc_module_number_set(module, WEFTC_REGION_COUNT, 1);
    } else {
        weftc_bridge_remove_unreachable(kernel);
        status = split(&s);
        if (status == WEFT_OK) {
            LLVMDeleteFunction(kernel);
            weftc_module_number_set(module, WEFTC_REGION_COUNT, (uint64_t)s.g.barrier_count + 1);
            status = weftc_run_passes(
                module, target,
                options->quick ? "function(sroa)" : "function(sroa,early-cse,simplifycfg,instsimplify)", log);
        }
    }
    weftc_module_number_set(module, WEFTC_STATE_PER_ITEM, s.state_per_item);
    weftc_module_number_set(module, WEFTC_PRIVATE_BYTES, s.private_bytes + s.state_per_item);
    free_cfg(&s.g);
    weft_free(s.slots);
    weft_free(s.live.bits);
    weftc_map_free(&s.slot_of);
    return status;
}
