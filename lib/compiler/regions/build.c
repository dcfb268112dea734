// Builds the function of one region (regions/regions.c). Its blocks are copied out of the kernel. Each slot
// becomes an alloca of the function, which is loaded with the incoming value at the entry and saved at the
// exits.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/region_functions.h"
#include "compiler/ir/value_map.h"
#include "compiler/regions/regions.h"

struct region {
    struct weftc_splitter *s;
    uint32_t number; // 0, or 1 + the number of the barrier after which it begins
    uint32_t *blocks;
    uint32_t block_count;
    uint32_t *exits; // numbers of the barriers where it ends
    uint32_t exit_count;
    bool done;                 // it can reach the end of the kernel
    struct weftc_map memories; // allocas that its blocks use -> index into from and to
    LLVMValueRef *from, *to;
    size_t mapped, capacity;
    bool *stored; // by slot: some block stores to it
    LLVMValueRef function;
    LLVMBuilderRef b;
    LLVMTypeRef result; // a structure: the number of the next region, then uniform values
    uint32_t *out;      // slots of the outgoing uniform values, in order
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

// Finds the blocks from `start` up to the next barriers.
static void collect_blocks(struct region *r, struct weftc_walk *w, uint32_t start)
{
    const struct weftc_cfg *g = &r->s->g;
    w->now++;
    w->stamp[start] = w->now;
    r->blocks[r->block_count++] = start;
    for (uint32_t next = 0; next < r->block_count; next++) {
        uint32_t at = r->blocks[next];
        if (LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(g->blocks[at].block)) == LLVMRet)
            r->done = true;
        for (uint32_t e = 0; e < weftc_out_count(&g->edges, at); e++) {
            uint32_t to = weftc_outs(&g->edges, at)[e];
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

// Finds the allocas that the region's instructions name, and the slots that they store to.
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

// Does the slot have to be saved at an exit? The region may have changed it, and it is live across one of the
// barriers where the region ends.
static bool goes_out(const struct region *r, uint32_t slot)
{
    if (!r->stored[slot] || r->s->slots[slot].array)
        return false;
    for (uint32_t e = 0; e < r->exit_count; e++)
        if (weftc_in_set(&r->s->live, r->s->slots[slot].live, r->exits[e]))
            return true;
    return false;
}

// Does the slot have to be loaded on entry? The region may read the value from before its barrier.
static bool comes_in(const struct region *r, uint32_t slot)
{
    return r->number > 0 && !r->s->slots[slot].array &&
           weftc_map_get(&r->memories, r->s->slots[slot].memory) != UINT32_MAX &&
           weftc_in_set(&r->s->live, r->s->slots[slot].live, r->number - 1);
}

static void set_list(LLVMValueRef f, enum weftc_fact fact, const struct weft_buf *list)
{
    weftc_fact_attribute_set(f, WEFTC_OF_FUNCTION, fact, (const char *)list->data, list->size);
}

static void append_number(struct weft_buf *list, uint32_t n)
{
    weft_buf_printf(list, list->size ? ",%u" : "%u", n);
}

// Declares the function, with the attributes that the stage workitem_loops reads. The parameters get the
// attributes of the kernel's.
static weft_status declare(struct region *r)
{
    struct weftc_splitter *s = r->s;
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
        if (s->slots[k].spill != WEFTC_SPILL_UNIFORM)
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
    if (s->g.blocks[r->blocks[0]].single_item)
        set_list(r->function, WEFTC_ATTRIBUTE_SINGLE_ITEM, &(struct weft_buf){0});
    if (r->number &&
        weftc_calls(LLVMGetFirstInstruction(s->g.blocks[s->g.barriers[r->number - 1]].block), WEFTC_YIELD))
        set_list(r->function, WEFTC_ATTRIBUTE_YIELD, &(struct weft_buf){0});
    status = WEFT_OK;
done:
    weft_free(params);
    weft_free(results);
    weft_buf_free(&in);
    weft_buf_free(&out);
    weft_buf_free(&next);
    return status;
}

// The address of this work-item's element in the slot's spill row.
static LLVMValueRef arena_address(struct region *r, const struct weftc_shared *slot)
{
    struct weftc_splitter *s = r->s;
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

// The region's alloca for the slot.
static LLVMValueRef memory_of(const struct region *r, const struct weftc_shared *slot)
{
    return r->to[weftc_map_get(&r->memories, slot->memory)];
}

// Builds the entry block: an alloca for each of the kernel's that the region uses, slots loaded with their
// incoming values.
static weft_status build_entry(struct region *r)
{
    struct weftc_splitter *s = r->s;
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
        struct weftc_shared *slot = &s->slots[k];
        if (!comes_in(r, k))
            continue;
        LLVMValueRef value;
        if (slot->spill == WEFTC_SPILL_UNIFORM) {
            value = LLVMGetParam(r->function, param++);
        } else {
            value = LLVMBuildLoad2(r->b, slot->type, arena_address(r, slot), "");
            weftc_mark_spilled(s, value);
        }
        LLVMBuildStore(r->b, value, memory_of(r, slot));
    }
    for (unsigned i = 0; i < LLVMCountParams(s->g.kernel); i++)
        if (!map_value(r, LLVMGetParam(s->g.kernel, i), LLVMGetParam(r->function, i)))
            return WEFT_NO_MEMORY;
    return WEFT_OK;
}

// Builds the block that ends the region: at the barrier `exit`, or with the kernel (UINT32_MAX).
static LLVMBasicBlockRef build_exit(struct region *r, uint32_t exit)
{
    struct weftc_splitter *s = r->s;
    LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(s->g.context, r->function, "exit");
    LLVMPositionBuilderAtEnd(r->b, block);
    LLVMValueRef result = LLVMGetPoison(r->result);
    uint32_t next = exit == UINT32_MAX ? 0 : exit + 1;
    result = LLVMBuildInsertValue(r->b, result, weftc_i32(s->g.context, next), 0, "");
    for (uint32_t k = 0; k < s->slot_count && exit != UINT32_MAX; k++) {
        struct weftc_shared *slot = &s->slots[k];
        if (slot->spill != WEFTC_SPILL_PER_ITEM || slot->array || !r->stored[k] ||
            !weftc_in_set(&s->live, slot->live, exit))
            continue;
        LLVMValueRef value = LLVMBuildLoad2(r->b, slot->type, memory_of(r, slot), "");
        if (weftc_has_elements(value, 3))
            value = weftc_with_fourth(r->b, value);
        weftc_mark_spilled(s, LLVMBuildStore(r->b, value, arena_address(r, slot)));
    }
    for (uint32_t k = 0; k < r->out_count; k++) {
        const struct weftc_shared *slot = &s->slots[r->out[k]];
        LLVMValueRef value = LLVMBuildLoad2(r->b, slot->type, memory_of(r, slot), "");
        result = LLVMBuildInsertValue(r->b, result, value, 1 + k, "");
    }
    LLVMBuildRet(r->b, result);
    return block;
}

static weft_status move_arrays_to_rows(struct region *r)
{
    for (uint32_t k = 0; k < r->s->slot_count; k++) {
        const struct weftc_shared *slot = &r->s->slots[k];
        if (slot->in_rows && weftc_map_get(&r->memories, slot->memory) != UINT32_MAX &&
            !weftc_rows_address(r->s, memory_of(r, slot), slot->stride))
            return WEFT_NO_MEMORY;
    }
    return WEFT_OK;
}

static weft_status copy_blocks(struct region *r)
{
    struct weftc_splitter *s = r->s;
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

weft_status weftc_region_build(struct weftc_splitter *s, struct weftc_walk *w, uint32_t number)
{
    struct region r = {.s = s, .number = number};
    uint32_t start =
        number ? weftc_outs(&s->g.edges, s->g.barriers[number - 1])[0] : weftc_block_of(&s->g, s->body);
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
    if (status == WEFT_OK)
        status = move_arrays_to_rows(&r);
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
