// The stage regions: it cuts a kernel at its barriers, before anything is vectorized.
//
// Work-items of a group run one after the other, or side by side in lanes. But none may pass a barrier before
// all have reached it. So the kernel becomes *regions*. Region 0 is the code that can be reached from the
// entry without passing a barrier. Region i is the code that can be reached from barrier i (counted from 1)
// without passing another. Each region is a function for one work-item. It ends at the next barrier that it
// meets and returns the number of the region after that barrier. `run` calls it for all work-items, then goes
// on to that region. OpenCL requires that all work-items of a group meet the same barriers, so all return the
// same number.
//
//     a; while (c) { b; barrier(); d; } e;      region 0:  a; if (c) { b; -> 1 } else { e; -> done }
//                                               region 1:  d; if (c) { b; -> 1 } else { e; -> done }
//
// So a barrier in a conditional, in a loop of unknown length or in an irreducible loop needs no special case:
// a block that can be reached from several barriers is copied into each of their regions.
//
// A value that is live across a barrier is treated in one of three ways (enum weftc_spill):
//   REMAT     it takes a few instructions from arguments and ids: computed again (regions/rematerialize.c)
//   UNIFORM   it is the same for all work-items of the group (regions/uniformity.c): kept in a register of
//             `run`, passed to a region as a parameter and from it as a result
//   PER_ITEM  a spill row in the state arena: an array that has an element for each work-item
// The last two use a *slot*: an alloca that is written where the value is defined, and read where it is used.
// In each region a slot is an alloca of that region, loaded on entry and saved at the exits. LLVM's promotion
// to registers turns that into the SSA form that the region needs, however many definitions reach a use. An
// alloca of the program whose contents are live across a barrier lies in the arena itself.
//
// This file prepares the kernel, numbers its blocks, and decides how each value is spilled. regions/build.c
// makes the functions.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/compiler.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/region_functions.h"
#include "compiler/ir/value_map.h"
#include "compiler/regions/regions.h"
#include "weft/kernel_abi.h"

// ---- the kernel's blocks, with each barrier in a block of its own ----

// Moves the allocas into a first block of their own, because they belong to all regions.
static void separate_allocas(struct weftc_splitter *s)
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

// Puts each barrier into a block of its own, with the call first. Returns the number of barriers.
static uint32_t isolate_barriers(LLVMValueRef kernel)
{
    uint32_t count = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            if (!weftc_is_barrier(i))
                continue;
            count++;
            LLVMValueRef after = LLVMGetNextInstruction(i);
            weftc_bridge_split_block(i);
            weftc_bridge_split_block(after);
            block = LLVMGetInstructionParent(i); // the loop goes on after it
            break;
        }
    }
    return count;
}

static weft_status number_blocks(struct weftc_cfg *g, uint32_t barrier_count)
{
    g->block_count = LLVMCountBasicBlocks(g->kernel);
    g->barrier_count = 0;
    g->blocks = weft_alloc_array(g->block_count, sizeof *g->blocks);
    g->barriers = weft_alloc_array((size_t)barrier_count + 1, sizeof *g->barriers);
    LLVMBasicBlockRef *blocks = weft_alloc_array(g->block_count, sizeof(LLVMBasicBlockRef));
    weft_status status = WEFT_NO_MEMORY;
    if (!g->blocks || !g->barriers || !blocks)
        goto done;
    LLVMGetBasicBlocks(g->kernel, blocks);
    for (uint32_t n = 0; n < g->block_count; n++) {
        struct weftc_block *b = &g->blocks[n];
        *b = (struct weftc_block){.block = blocks[n], .barrier = UINT32_MAX};
        if (weftc_is_barrier(LLVMGetFirstInstruction(blocks[n]))) {
            b->barrier = g->barrier_count;
            g->barriers[g->barrier_count++] = n;
        }
    }
    status = weftc_edges_init(&g->edges, blocks, g->block_count);
done:
    weft_free(blocks);
    return status;
}

// ---- values that live across a barrier, and how they are spilled ----

static uint32_t new_live_set(struct weftc_splitter *s)
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

static struct weftc_shared *new_slot(struct weftc_splitter *s, LLVMValueRef memory, uint32_t live)
{
    if (s->slot_count == s->slot_capacity) {
        uint32_t capacity = s->slot_capacity ? 2 * s->slot_capacity : 32;
        struct weftc_shared *larger = weft_realloc(s->slots, capacity * sizeof *larger);
        if (!larger)
            return NULL;
        s->slots = larger;
        s->slot_capacity = capacity;
    }
    struct weftc_shared *slot = &s->slots[s->slot_count];
    *slot = (struct weftc_shared){.memory = memory, .type = LLVMGetAllocatedType(memory), .live = live};
    if (!weftc_map_put(&s->slot_of, memory, s->slot_count))
        return NULL;
    s->slot_count++;
    return slot;
}

// Gives the slot a spill row in the arena. A row has a multiple of WEFT_STATE_ROW elements, so each row is
// aligned to that many bytes. Types of greater alignment start at an offset that is a multiple of align /
// WEFT_STATE_ROW.
static void place_in_arena(struct weftc_splitter *s, struct weftc_shared *slot)
{
    uint64_t align =
        slot->array ? LLVMGetAlignment(slot->memory) : LLVMABIAlignmentOfType(s->layout, slot->type);
    slot->stride = (LLVMABISizeOfType(s->layout, slot->type) + align - 1) & ~(align - 1);
    uint64_t start = align > WEFT_STATE_ROW ? align / WEFT_STATE_ROW : 1;
    slot->offset = (s->state_per_item + start - 1) & ~(start - 1);
    s->state_per_item = slot->offset + slot->stride;
    if (slot->in_rows)
        slot->stride = weftc_rows_element(s, slot->memory);
}

static weft_status spill_value(struct weftc_splitter *s, const struct weftc_uniformity *u, LLVMValueRef value,
                               uint32_t live)
{
    // A uniform value can't be kept in a register of `run` if only some work-items compute it: the last
    // work-item of the loop may not be one of them.
    const struct weftc_block *made = &s->g.blocks[weftc_block_of_instruction(&s->g, value)];
    bool uniform = made->single_item || (weftc_is_uniform(u, value) && !made->divergent);
    LLVMValueRef memory = weftc_bridge_demote(value);
    if (!memory)
        return WEFT_OK;
    struct weftc_shared *slot = new_slot(s, memory, live);
    if (!slot)
        return WEFT_NO_MEMORY;
    slot->spill = uniform ? WEFTC_SPILL_UNIFORM : WEFTC_SPILL_PER_ITEM;
    if (uniform)
        slot->number = s->uniform_count++;
    else
        place_in_arena(s, slot);
    return WEFT_OK;
}

// First finds all values that live across a barrier, then spills them: spilling one changes the uses of
// others.
static weft_status spill_values(struct weftc_splitter *s, const struct weftc_uniformity *u,
                                struct weftc_walk *walk)
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
    // Set first_set + k belongs to values[k].
    status = WEFT_OK;
    for (size_t k = 0; k < count && status == WEFT_OK; k++)
        status = weftc_remat_pays(u, values[k]) ? weftc_remat(values[k], true)
                                                : spill_value(s, u, values[k], first_set + (uint32_t)k);
done:
    weft_free(values);
    return status;
}

static weft_status keep_addresses(struct weftc_splitter *s, struct weftc_walk *walk, LLVMValueRef memory)
{
    const uint32_t scratch = new_live_set(s);
    if (scratch == UINT32_MAX)
        return WEFT_NO_MEMORY;
    weft_status status = weftc_remat_addresses(&s->g, walk, memory, &s->live, scratch);
    s->live_count--;
    return status;
}

static weft_status spill_arrays(struct weftc_splitter *s, struct weftc_walk *walk)
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
            status = weftc_remat_addresses(&s->g, walk, i, &s->live, set);
            if (status != WEFT_OK)
                return status;
            s->live_count--;
            continue;
        }
        struct weftc_shared *slot = new_slot(s, i, set);
        if (!slot)
            return WEFT_NO_MEMORY;
        slot->spill = WEFTC_SPILL_PER_ITEM;
        slot->array = true;
        slot->in_rows = weftc_rows_element(s, i) != 0;
        // Addresses within such an array mean something else than elsewhere, so none lives across a barrier.
        if (slot->in_rows && (status = keep_addresses(s, walk, i)) != WEFT_OK)
            return status;
        place_in_arena(s, slot);
    }
    // A region may contain only one of two lifetime markers, which then would mean something else.
    for (uint32_t n = 0; n < s->g.block_count; n++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->g.blocks[n].block); i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (weftc_is_lifetime(i))
                LLVMInstructionEraseFromParent(i);
        }
    }
    return WEFT_OK;
}

static weft_status spill_all(struct weftc_splitter *s, const struct weftc_uniformity *u)
{
    struct weftc_walk walk;
    s->live.words = (s->g.barrier_count + 63) / 64;
    weft_status status = weftc_walk_init(&walk, &s->g);
    // Arrays come first, because spilling values makes new allocas.
    if (status == WEFT_OK)
        status = spill_arrays(s, &walk);
    if (status == WEFT_OK)
        status = spill_values(s, u, &walk);
    weftc_walk_fini(&walk);
    return status;
}

// ---- the stage ----

static uint64_t bytes_of_allocas(struct weftc_splitter *s)
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
    weftc_edges_fini(&g->edges);
    weft_free(g->blocks);
    weft_free(g->barriers);
    g->blocks = NULL;
    g->barriers = NULL;
}

// Numbers the blocks and finds uniform values. Does so again if join barriers were added, since behind one
// there may be many ways to other barriers: in a row of loops, all of whose bodies may be skipped.
enum { MAX_JOIN_ROUNDS = 4 };

// *joins: some were added.
static weft_status analyse(struct weftc_splitter *s, struct weftc_uniformity *u, bool *joins)
{
    for (int round = 0;; round++) {
        weft_status status = number_blocks(&s->g, isolate_barriers(s->g.kernel));
        if (status == WEFT_OK)
            status = weftc_single_item_find(&s->g);
        if (status == WEFT_OK)
            status = weftc_uniformity_find(&s->g, u);
        // Work-items that are scheduled one by one may be at different barriers. So a value that is the same
        // for all of them need not be so at one time.
        u->everything |= weftc_module_number(s->g.module, WEFTC_SCHEDULED) != 0;
        bool added = false;
        if (status == WEFT_OK && round < MAX_JOIN_ROUNDS)
            status = weftc_add_join_barriers(&s->g, u, weftc_block_of(&s->g, s->body), round > 0, &added);
        *joins = round > 0 || added;
        if (status != WEFT_OK || !added)
            return status;
        free_cfg(&s->g);
        weftc_map_free(&u->varying);
    }
}

static weft_status split(struct weftc_splitter *s, uint32_t check)
{
    separate_allocas(s);
    struct weftc_uniformity u = {0};
    bool changed = false, joins = false;
    weft_status status = analyse(s, &u, &joins);
    if (status == WEFT_OK && !joins && weftc_drop_arrivals(&s->g, &u, check)) {
        weftc_map_free(&u.varying);
        status = weftc_uniformity_find(&s->g, &u);
    }
    if (status == WEFT_OK)
        status = weftc_split_inductions(s, &u, &changed);
    if (status == WEFT_OK && changed) {
        weftc_map_free(&u.varying);
        status = weftc_uniformity_find(&s->g, &u);
    }
    if (status == WEFT_OK)
        status = weftc_keep_uniform_parts(&s->g, &u, &changed);
    if (status == WEFT_OK && changed) {
        weftc_map_free(&u.varying);
        status = weftc_uniformity_find(&s->g, &u);
    }
    if (status == WEFT_OK)
        status = spill_all(s, &u);
    weftc_map_free(&u.varying);
    // A pointer that is loaded from a slot isn't recognized as derived from the `restrict` parameter that it
    // was computed from in another region.
    weftc_bridge_drop_noalias(s->g.kernel, true);
    struct weftc_walk walk = {0};
    if (status == WEFT_OK)
        status = weftc_walk_init(&walk, &s->g);
    for (uint32_t i = 0; i <= s->g.barrier_count && status == WEFT_OK; i++)
        status = weftc_region_build(s, &walk, i);
    weftc_walk_fini(&walk);
    return status;
}

weft_status weftc_regions(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, struct weft_buf *log)
{
    LLVMValueRef kernel = weftc_find_kernel(module, options);
    if (!kernel)
        return WEFT_NOT_FOUND;
    struct weftc_splitter s = {
        .g = {.module = module, .context = LLVMGetModuleContext(module), .kernel = kernel},
        .layout = LLVMGetModuleDataLayout(module)};
    s.private_bytes = bytes_of_allocas(&s);
    // The first rows of the arena hold what work-items pass to collective functions: 4 and 8 bytes each.
    LLVMValueRef row = LLVMGetNamedFunction(module, weftc_primitive_name(WEFTC_STATE));
    if (row && LLVMGetFirstUse(row))
        s.state_per_item = sizeof(uint64_t) + sizeof(uint32_t);
    LLVMValueRef barrier = LLVMGetNamedFunction(module, WEFTC_BARRIER);
    LLVMValueRef yield = LLVMGetNamedFunction(module, WEFTC_YIELD);
    bool meets_barriers = (barrier && LLVMGetFirstUse(barrier)) || (yield && LLVMGetFirstUse(yield));
    weft_status status = WEFT_OK;
    if (!meets_barriers) {
        LLVMSetValueName2(kernel, WEFTC_REGION_NAME "0", sizeof WEFTC_REGION_NAME);
        LLVMSetLinkage(kernel, LLVMInternalLinkage);
        weftc_module_number_set(module, WEFTC_REGION_COUNT, 1);
    } else {
        weftc_bridge_remove_unreachable(kernel);
        status = split(&s, options->check);
        if (status == WEFT_OK) {
            LLVMDeleteFunction(kernel);
            weftc_module_number_set(module, WEFTC_REGION_COUNT, (uint64_t)s.g.barrier_count + 1);
            status = weftc_run_passes(module, target,
                                      options->level == WEFT_LEVEL_QUICK || options->variables
                                          ? "function(sroa)"
                                          : "function(sroa,early-cse,simplifycfg,instsimplify)",
                                      log);
        }
    }
    if (weftc_module_number(module, WEFTC_SCHEDULED)) {
        weftc_module_number_set(module, WEFTC_SCHEDULE_ROW, s.state_per_item);
        s.state_per_item += sizeof(uint32_t);
    }
    const uint64_t frame = weftc_module_number(module, WEFTC_ITEM_FRAME_BYTES);
    if (frame && s.g.barrier_count > 0) { // a multiple of its alignment
        s.state_per_item = (s.state_per_item + WEFT_LOCAL_ALIGN - 1) & ~(uint64_t)(WEFT_LOCAL_ALIGN - 1);
        weftc_module_number_set(module, WEFTC_ITEM_FRAME_PLACE, s.state_per_item);
        s.state_per_item += frame;
    } else {
        s.private_bytes += frame;
    }
    weftc_module_number_set(module, WEFTC_STATE_PER_ITEM, s.state_per_item);
    weftc_module_number_set(module, WEFTC_PRIVATE_BYTES, s.private_bytes + s.state_per_item);
    free_cfg(&s.g);
    weft_free(s.slots);
    weft_free(s.live.bits);
    weftc_map_free(&s.slot_of);
    return status;
}
