// The loops over the work-items of a group around one region (workitem_loops/run.c): z, y, x from outside in.
// If the region is vectorized, a row is whole vector iterations, and a tail that is folded or runs one
// work-item at a time. The x loop is bottom-tested. It has an induction variable for each form (64 and 32
// bits, with or without the offset) in which the id is used.
//
// The file has more than 500 lines because all kinds of nests are built from the same few pieces.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/compiler.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/workitem_loops/workitem_loops.h"
#include "weft/kernel_abi.h"

// The cache lines that a tile stores to are a large power of two bytes apart, so they share a set of the
// first-level cache, which has eight ways. The height of a tile (WEFT_TILE_HEIGHT) fills a cache line with
// 32-bit elements.
enum { TILE_WIDTH = 8 };

LLVMTypeRef weftc_loops_i64(const struct weftc_loops *l)
{
    return LLVMInt64TypeInContext(l->c);
}

LLVMBasicBlockRef weftc_loops_block(struct weftc_loops *l, const char *name)
{
    return LLVMAppendBasicBlockInContext(l->c, l->run, name);
}

LLVMValueRef weftc_loops_minimum(struct weftc_loops *l, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntULT, a, b, ""), a, b, "");
}

LLVMValueRef weftc_loops_add(struct weftc_loops *l, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef sum = LLVMBuildAdd(l->b, a, b, "");
    if (LLVMIsAInstruction(sum)) {
        LLVMSetNUW(sum, true);
        LLVMSetNSW(sum, true);
    }
    return sum;
}

LLVMValueRef weftc_loops_field(struct weftc_loops *l, LLVMValueRef base, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef index = weftc_i64(l->c, offset);
    LLVMValueRef place = LLVMBuildInBoundsGEP2(l->b, LLVMInt8TypeInContext(l->c), base, &index, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(l->b, type, place, "");
    LLVMSetAlignment(load,
                     LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32 ? 4 : 8);
    return load;
}

static bool body_uses(const struct weftc_loops_body *r, enum weftc_primitive p, unsigned dim)
{
    for (unsigned i = 0; i < r->primitive_count; i++)
        if (r->primitives[i] == p && r->dims[i] == dim)
            return true;
    return false;
}

static bool uses(const struct weftc_loops_region *r, enum weftc_primitive p, unsigned dim)
{
    return body_uses(&r->scalar, p, dim) || body_uses(&r->lanes, p, dim) ||
           body_uses(&r->interleaved, p, dim) || body_uses(&r->tail, p, dim);
}

// ---- the nest of one region ----

void weftc_loop_open(struct weftc_loops *l, struct weftc_loop *loop, LLVMValueRef start, const char *name)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b);
    loop->body = weftc_loops_block(l, name);
    LLVMBuildBr(l->b, loop->body);
    LLVMPositionBuilderAtEnd(l->b, loop->body);
    loop->index = LLVMBuildPhi(l->b, LLVMTypeOf(start), name);
    LLVMAddIncoming(loop->index, &start, &before, 1);
}

LLVMValueRef weftc_loop_induction(struct weftc_loops *l, LLVMValueRef start, LLVMBasicBlockRef before)
{
    LLVMValueRef phi = LLVMBuildPhi(l->b, LLVMTypeOf(start), "");
    LLVMAddIncoming(phi, &start, &before, 1);
    return phi;
}

static void close_induction(struct weftc_loops *l, LLVMValueRef phi, unsigned step)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    LLVMValueRef next = weftc_loops_add(l, phi, LLVMConstInt(LLVMTypeOf(phi), step, false));
    LLVMAddIncoming(phi, &next, &latch, 1);
}

LLVMValueRef weftc_loop_close(struct weftc_loops *l, struct weftc_loop *loop, LLVMValueRef next,
                              LLVMValueRef end)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b), after = weftc_loops_block(l, "");
    LLVMAddIncoming(loop->index, &next, &latch, 1);
    LLVMValueRef again = LLVMBuildICmp(l->b, LLVMIntULT, next, end, "");
    LLVMValueRef branch = LLVMBuildCondBr(l->b, again, loop->body, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    return branch;
}

static LLVMValueRef truncate(struct weftc_loops *l, LLVMValueRef v)
{
    return LLVMBuildTrunc(l->b, v, LLVMInt32TypeInContext(l->c), "");
}

static void set_id(struct weftc_loops *l, unsigned dim, LLVMValueRef local, LLVMValueRef base)
{
    LLVMValueRef begin = LLVMBuildSub(l->b, base, l->at.value[WEFTC_GLOBAL_OFFSET][dim], "");
    l->at.value[WEFTC_INDEX][dim] = weftc_loops_add(l, begin, local);
    l->at.value[WEFTC_INDEX32][dim] = truncate(l, l->at.value[WEFTC_INDEX][dim]);
    l->at.value[WEFTC_LOCAL_ID][dim] = local;
    l->at.value[WEFTC_GLOBAL_ID][dim] = weftc_loops_add(l, base, local);
    l->at.value[WEFTC_LOCAL_ID32][dim] = truncate(l, local);
    l->at.value[WEFTC_GLOBAL_ID32][dim] = truncate(l, l->at.value[WEFTC_GLOBAL_ID][dim]);
}

bool weftc_region_number(LLVMValueRef f, enum weftc_fact attribute, const char **at, unsigned *number)
{
    if (!*at) {
        LLVMAttributeRef list = weftc_fact_attribute(f, WEFTC_OF_FUNCTION, attribute);
        unsigned length;
        *at = list ? LLVMGetStringAttributeValue(list, &length) : "";
    }
    char *end;
    unsigned long value = strtoul(*at, &end, 10);
    if (end == *at)
        return false;
    *number = (unsigned)value;
    *at = *end == ',' ? end + 1 : end;
    return true;
}

LLVMValueRef weftc_loops_slot(struct weftc_loops *l, LLVMTypeRef type)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->c);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(l->entry));
    LLVMValueRef slot = LLVMBuildAlloca(b, type, "");
    LLVMDisposeBuilder(b);
    return slot;
}

// The stack slot of a uniform value. It becomes a register later. NULL: no memory.
static LLVMValueRef uniform_slot(struct weftc_loops *l, unsigned number, LLVMTypeRef type)
{
    if (number >= l->uniform_count) {
        size_t count = 2 * (size_t)number + 16;
        LLVMValueRef *larger = weft_realloc(l->uniforms, count * sizeof *larger);
        if (!larger)
            return NULL;
        memset(larger + l->uniform_count, 0, (count - l->uniform_count) * sizeof *larger);
        l->uniforms = larger;
        l->uniform_count = (unsigned)count;
    }
    if (!l->uniforms[number])
        l->uniforms[number] = weftc_loops_slot(l, type);
    return l->uniforms[number];
}

// Builds the call of the region's function for the work-items at l->at, `items` of them along dimension 0.
static weft_status call_region(struct weftc_loops *l, struct weftc_loops_body *r, LLVMValueRef *parameters,
                               LLVMValueRef next, unsigned items)
{
    unsigned count = LLVMCountParams(r->function);
    weftc_loops_debug_item(l);
    for (unsigned i = 0; i < r->primitive_count; i++)
        parameters[count - r->primitive_count + i] = l->at.value[r->primitives[i]][r->dims[i]];
    LLVMValueRef result =
        LLVMBuildCall2(l->b, LLVMGlobalGetValueType(r->function), r->function, parameters, count, "");
    weftc_loops_debug_call(l, result, items);
    if (!next)
        return WEFT_OK;
    // Each work-item overwrites what the one before it stored. Uniform values are equal, so the last one's
    // are right.
    LLVMBuildStore(l->b, LLVMBuildExtractValue(l->b, result, 0, ""), next);
    const char *at = NULL;
    unsigned number, field_index = 1;
    while (weftc_region_number(r->function, WEFTC_ATTRIBUTE_OUT, &at, &number)) {
        LLVMValueRef value = LLVMBuildExtractValue(l->b, result, field_index++, "");
        LLVMValueRef slot = uniform_slot(l, number, LLVMTypeOf(value));
        if (!slot)
            return WEFT_NO_MEMORY;
        LLVMBuildStore(l->b, value, slot);
    }
    return WEFT_OK;
}

// What the loops around it pass to the x loop.
struct row {
    struct weftc_loops_region *region;
    LLVMValueRef *parameters;      // those that are the same in all calls are filled in
    LLVMValueRef next;             // the slot for the next region; NULL: none
    LLVMValueRef base;             // of the global ids
    LLVMValueRef first_item;       // linear id of the row's first work-item
    LLVMValueRef begin;            // of the indices: base without the global offset
    LLVMValueRef number;           // number of the row in the group
    LLVMValueRef sub_group;        // number of the row's first sub-group; NULL: each work-item is a sub-group
    bool cut_id, cut_index;        // rows are split where the id, or the index, reaches a multiple of 2^31
    bool narrow, index32, local32; // the region uses the 32-bit global id, index, local id
};

// Sets the number and size of the sub-group that the next call of a region runs, or runs a part of.
static void set_sub_group(struct weftc_loops *l, LLVMValueRef number, LLVMValueRef items)
{
    if (!l->sub_group)
        return;
    l->at.value[WEFTC_LANE][0] = weftc_i32(l->c, 0);
    l->at.value[WEFTC_SUB_GROUP_ID][0] = truncate(l, number);
    l->at.value[WEFTC_SUB_GROUP_ITEMS][0] = truncate(l, items);
}

static bool is_conditional(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b)) > 1)
            return true;
    return false;
}

// Sets what a check for the row's work-items [start, end) is made of (vectorize/version_check.c), if the body
// makes one.
static void set_row(struct weftc_loops *l, const struct row *row, const struct weftc_loops_body *body,
                    LLVMValueRef start, LLVMValueRef end)
{
    if (!body_uses(body, WEFTC_ROW_ITEMS, 0))
        return;
    LLVMValueRef(*value)[WEFTC_MAX_DIMS] = l->at.value;
    value[WEFTC_ROW_ITEMS][0] = LLVMBuildSub(l->b, end, start, "");
    value[WEFTC_ROW_LOCAL_ID][0] = start;
    value[WEFTC_ROW_LOCAL_ID32][0] = truncate(l, start);
    value[WEFTC_ROW_GLOBAL_ID][0] = weftc_loops_add(l, row->base, start);
    value[WEFTC_ROW_GLOBAL_ID32][0] = truncate(l, value[WEFTC_ROW_GLOBAL_ID][0]);
    value[WEFTC_ROW_INDEX][0] = weftc_loops_add(l, row->begin, start);
    value[WEFTC_ROW_INDEX32][0] = truncate(l, value[WEFTC_ROW_INDEX][0]);
    value[WEFTC_ROW_ITEM][0] = weftc_loops_add(l, row->first_item, start);
}

// Builds the loop over work-items [start, end) of a row, `step` at a time. There is at least one iteration.
// The builder is after the loop then.
static weft_status build_x_loop(struct weftc_loops *l, const struct row *row, struct weftc_loops_body *body,
                                LLVMValueRef start, LLVMValueRef end, unsigned step)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b);
    LLVMValueRef id32 = row->narrow ? truncate(l, LLVMBuildAdd(l->b, row->base, start, "")) : NULL;
    LLVMValueRef index32 = row->index32 ? truncate(l, LLVMBuildAdd(l->b, row->begin, start, "")) : NULL;
    LLVMValueRef local32 = row->local32 ? truncate(l, start) : NULL;
    struct weftc_loop x;
    set_row(l, row, body, start, end);
    weftc_loop_open(l, &x, start, "x");
    if (id32)
        id32 = weftc_loop_induction(l, id32, before);
    if (index32)
        index32 = weftc_loop_induction(l, index32, before);
    if (local32)
        local32 = weftc_loop_induction(l, local32, before);
    set_id(l, 0, x.index, row->base);
    if (id32)
        l->at.value[WEFTC_GLOBAL_ID32][0] = id32;
    if (index32)
        l->at.value[WEFTC_INDEX32][0] = index32;
    if (local32)
        l->at.value[WEFTC_LOCAL_ID32][0] = local32;
    l->at.value[WEFTC_ITEM][0] = weftc_loops_add(l, row->first_item, x.index);
    if (row->sub_group) {
        LLVMValueRef before_it = LLVMBuildUDiv(l->b, x.index, weftc_i64(l->c, step), "");
        set_sub_group(l, weftc_loops_add(l, row->sub_group, before_it), weftc_i64(l->c, step));
    } else {
        set_sub_group(l, l->at.value[WEFTC_ITEM][0], weftc_i64(l->c, 1));
    }
    weft_status status = call_region(l, body, row->parameters, row->next, step);
    if (status != WEFT_OK)
        return status;
    if (id32)
        close_induction(l, id32, step);
    if (index32)
        close_induction(l, index32, step);
    if (local32)
        close_induction(l, local32, step);
    LLVMValueRef branch = weftc_loop_close(l, &x, weftc_loops_add(l, x.index, weftc_i64(l->c, step)), end);
    // LLVM isn't to vectorize the loop in four cases. Besides a vectorized loop, it runs only for the few
    // work-items of the tail. In a tile there is nothing to gain. Where lanes don't pay, LLVM would put
    // vectors together from single bytes. And where the region has branches, LLVM 19's vectorizer runs
    // conditional code with uniform operands if the first of several work-items does
    // (tests/differential/regressions/conditional_division.cl).
    LLVMValueRef scalar = row->region->scalar.function;
    bool ours = row->region->lanes.function || l->tiles || is_conditional(scalar) ||
                weftc_fact_attribute(scalar, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_LANES_DO_NOT_PAY);
    weftc_bridge_loop_properties(branch, l->items, ours ? 1 : l->options->vector_width);
    // A loop with a known trip count would be unrolled before the vectorizer sees it.
    if (!ours && LLVMIsConstant(end))
        weftc_bridge_never_unroll(branch);
    return WEFT_OK;
}

// Builds one vector iteration for the row's work-items from `start` on.
static weft_status build_vector(struct weftc_loops *l, const struct row *row, LLVMValueRef start)
{
    set_id(l, 0, start, row->base);
    set_row(l, row, &row->region->lanes, start, weftc_loops_add(l, start, weftc_i64(l->c, l->lanes)));
    l->at.value[WEFTC_ITEM][0] = weftc_loops_add(l, row->first_item, start);
    return call_region(l, &row->region->lanes, row->parameters, row->next, l->lanes);
}

// Builds the folded tail: the row's work-items [start, end), at least one and fewer than lanes, in one masked
// iteration.
static weft_status build_tail(struct weftc_loops *l, const struct row *row, LLVMValueRef start,
                              LLVMValueRef end)
{
    set_id(l, 0, start, row->base);
    l->at.value[WEFTC_ITEM][0] = weftc_loops_add(l, row->first_item, start);
    l->at.value[WEFTC_LANE][0] = weftc_i32(l->c, 0);
    l->at.value[WEFTC_LANES_LEFT][0] = truncate(l, LLVMBuildSub(l->b, end, start, ""));
    return call_region(l, &row->region->tail, row->parameters, row->next, l->lanes);
}

// Builds the check whether the row's 32-bit ids from `start` on are 2^31 or more; they are so in the whole
// piece of the row, or nowhere in it. The vectorizer assumes that they are smaller (shapes/shapes.c). NULL:
// the row has no such ids.
static LLVMValueRef ids_are_high(struct weftc_loops *l, const struct row *row, LLVMValueRef start)
{
    LLVMValueRef id = row->cut_id ? weftc_loops_add(l, row->base, start) : NULL;
    LLVMValueRef index = row->cut_index ? weftc_loops_add(l, row->begin, start) : NULL;
    LLVMValueRef either = id && index ? LLVMBuildOr(l->b, id, index, "") : id ? id : index;
    if (!either)
        return NULL;
    LLVMValueRef bit = LLVMBuildAnd(l->b, either, weftc_i64(l->c, 1ull << 31), "");
    return LLVMBuildICmp(l->b, LLVMIntNE, bit, weftc_i64(l->c, 0), "");
}

// Builds the row for high ids, for which the folded tail can't be used: the work-items run one by one.
static weft_status build_high_row(struct weftc_loops *l, const struct row *row, LLVMValueRef high,
                                  LLVMValueRef start, LLVMValueRef end, LLVMBasicBlockRef after)
{
    LLVMBasicBlockRef high_ids = weftc_loops_block(l, "high"), others = weftc_loops_block(l, "");
    LLVMBuildCondBr(l->b, high, high_ids, others);
    LLVMPositionBuilderAtEnd(l->b, high_ids);
    weft_status status = build_x_loop(l, row, &row->region->scalar, start, end, 1);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, others);
    return status;
}

// Builds the row's work-items [start, end), which are one or more whole vectors: as many interleaved
// iterations as there are, then single vectors.
static weft_status build_vectors(struct weftc_loops *l, const struct row *row, LLVMValueRef start,
                                 LLVMValueRef end)
{
    struct weftc_loops_region *r = row->region;
    if (!r->interleaved.function)
        return build_x_loop(l, row, &r->lanes, start, end, l->lanes);
    LLVMBasicBlockRef wide = weftc_loops_block(l, "wide"), test = weftc_loops_block(l, ""),
                      narrow = weftc_loops_block(l, "narrow"), after = weftc_loops_block(l, "");
    // the bits of a count of work-items that stand for vectors outside interleaved iterations
    uint64_t odd = (uint64_t)(r->interleave_count - 1) * l->lanes;
    LLVMValueRef count = LLVMBuildSub(l->b, end, start, "");
    LLVMValueRef middle = LLVMBuildSub(l->b, end, LLVMBuildAnd(l->b, count, weftc_i64(l->c, odd), ""), "");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, start, middle, ""), wide, test);
    LLVMPositionBuilderAtEnd(l->b, wide);
    weft_status status = build_x_loop(l, row, &r->interleaved, start, middle, r->interleave_count * l->lanes);
    LLVMBuildBr(l->b, test);
    LLVMPositionBuilderAtEnd(l->b, test);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, middle, end, ""), narrow, after);
    LLVMPositionBuilderAtEnd(l->b, narrow);
    if (status == WEFT_OK)
        status = r->interleave_count == 2 ? build_vector(l, row, middle)
                                          : build_x_loop(l, row, &r->lanes, middle, end, l->lanes);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    return status;
}

// Builds the row's work-items [start, end): whole vectors, then the tail.
static weft_status build_row(struct weftc_loops *l, const struct row *row, LLVMValueRef start,
                             LLVMValueRef end)
{
    struct weftc_loops_region *r = row->region;
    if (!r->lanes.function)
        return build_x_loop(l, row, &r->scalar, start, end, 1);
    LLVMBasicBlockRef after = weftc_loops_block(l, "");
    LLVMValueRef high = ids_are_high(l, row, start);
    weft_status status = WEFT_OK;
    if (high && r->tail.function)
        status = build_high_row(l, row, high, start, end, after);
    LLVMValueRef count = LLVMBuildSub(l->b, end, start, "");
    LLVMValueRef whole = LLVMBuildAnd(l->b, count, weftc_i64(l->c, ~(uint64_t)(l->lanes - 1)), "");
    if (high && !r->tail.function)
        whole = LLVMBuildSelect(l->b, high, weftc_i64(l->c, 0), whole, "");
    LLVMValueRef middle = weftc_loops_add(l, start, whole);
    LLVMBasicBlockRef lanes = weftc_loops_block(l, "lanes"), test = weftc_loops_block(l, ""),
                      tail = weftc_loops_block(l, "tail");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, start, middle, ""), lanes, test);
    LLVMPositionBuilderAtEnd(l->b, lanes);
    if (status == WEFT_OK)
        status = build_vectors(l, row, start, middle);
    LLVMBuildBr(l->b, test);
    LLVMPositionBuilderAtEnd(l->b, test);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, middle, end, ""), tail, after);
    LLVMPositionBuilderAtEnd(l->b, tail);
    if (status == WEFT_OK)
        status = r->tail.function ? build_tail(l, row, middle, end)
                                  : build_x_loop(l, row, &r->scalar, middle, end, 1);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    return status;
}

// Builds the row [0, end) by sub-groups: first those with all lanes, if the group's sub-groups are that
// large, then smaller ones.
static weft_status build_sub_groups(struct weftc_loops *l, struct row *row, LLVMValueRef end)
{
    LLVMValueRef zero = weftc_i64(l->c, 0), one = weftc_i64(l->c, 1), size = l->sub_group_size;
    LLVMValueRef in_row = LLVMBuildAdd(l->b, end, LLVMBuildSub(l->b, size, one, ""), "");
    in_row = LLVMBuildUDiv(l->b, in_row, size, "");
    row->sub_group = LLVMBuildMul(l->b, row->number, in_row, "");
    LLVMValueRef is_whole = LLVMBuildICmp(l->b, LLVMIntEQ, size, weftc_i64(l->c, l->lanes), "");
    LLVMValueRef whole = LLVMBuildAnd(l->b, end, weftc_i64(l->c, ~(uint64_t)(l->lanes - 1)), "");
    LLVMValueRef middle = LLVMBuildSelect(l->b, is_whole, whole, zero, "");
    LLVMBasicBlockRef lanes = weftc_loops_block(l, "lanes"), test = weftc_loops_block(l, ""),
                      tail = weftc_loops_block(l, "tail"), after = weftc_loops_block(l, "");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, zero, middle, ""), lanes, test);
    LLVMPositionBuilderAtEnd(l->b, lanes);
    weft_status status = build_x_loop(l, row, &row->region->lanes, zero, middle, l->lanes);
    LLVMBuildBr(l->b, test);
    LLVMPositionBuilderAtEnd(l->b, test);
    LLVMValueRef done = LLVMBuildUDiv(l->b, middle, weftc_i64(l->c, l->lanes), "");
    LLVMValueRef first = weftc_loops_add(l, row->sub_group, done);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, middle, end, ""), tail, after);
    LLVMPositionBuilderAtEnd(l->b, tail);
    struct weftc_loop x;
    weftc_loop_open(l, &x, middle, "x");
    LLVMValueRef number = weftc_loop_induction(l, first, tail);
    LLVMValueRef left = weftc_loops_minimum(l, size, LLVMBuildSub(l->b, end, x.index, ""));
    set_sub_group(l, number, left);
    if (status == WEFT_OK)
        status = build_tail(l, row, x.index, LLVMBuildAdd(l->b, x.index, left, ""));
    close_induction(l, number, 1);
    weftc_loop_close(l, &x, weftc_loops_add(l, x.index, left), end);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    return status;
}

static unsigned max_parameters(const struct weftc_loops_region *r)
{
    LLVMValueRef others[] = {r->lanes.function, r->interleaved.function, r->tail.function};
    unsigned max = LLVMCountParams(r->scalar.function);
    for (size_t k = 0; k < WEFT_COUNT_OF(others); k++)
        if (others[k] && LLVMCountParams(others[k]) > max)
            max = LLVMCountParams(others[k]);
    return max;
}

// The next index from `start` on at which the id, which is `base` at index 0, reaches a multiple of 2^31.
static LLVMValueRef end_of_piece(struct weftc_loops *l, LLVMValueRef base, LLVMValueRef start)
{
    LLVMValueRef id = LLVMBuildAdd(l->b, base, start, "");
    LLVMValueRef into = LLVMBuildAnd(l->b, id, weftc_i64(l->c, INT32_MAX), "");
    return weftc_loops_add(l, start, LLVMBuildSub(l->b, weftc_i64(l->c, 1ull << 31), into, ""));
}

// Builds the part of a row that is in a tile. For a part of the tile's full width there is a loop of its own,
// which LLVM unrolls.
static weft_status build_tile_row(struct weftc_loops *l, const struct row *row, LLVMValueRef start,
                                  LLVMValueRef end)
{
    if (row->region->lanes.function)
        return build_row(l, row, start, end);
    LLVMBasicBlockRef whole = weftc_loops_block(l, "tile"), part = weftc_loops_block(l, ""),
                      after = weftc_loops_block(l, "");
    LLVMValueRef full = weftc_loops_add(l, start, weftc_i64(l->c, TILE_WIDTH));
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, full, end, ""), whole, part);
    LLVMPositionBuilderAtEnd(l->b, whole);
    weft_status status = build_x_loop(l, row, &row->region->scalar, start, full, 1);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, part);
    if (status == WEFT_OK)
        status = build_x_loop(l, row, &row->region->scalar, start, end, 1);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    return status;
}

// Builds the rows of one z in tiles, which are a few work-items wide and high. A tile runs to its end before
// the next begins.
static weft_status build_tiles(struct weftc_loops *l, struct row *row, const LLVMValueRef base[3],
                               const LLVMValueRef size[3])
{
    LLVMValueRef zero = weftc_i64(l->c, 0), one = weftc_i64(l->c, 1);
    unsigned width = row->region->lanes.function ? l->lanes : TILE_WIDTH;
    struct weftc_loop high, wide, y;
    weftc_loop_open(l, &high, zero, "tiles");
    // Tiles end at multiples of their height. Cache lines end there too, if the memory begins with a cache
    // line.
    LLVMValueRef id = LLVMBuildSub(l->b, base[1], l->at.value[WEFTC_GLOBAL_OFFSET][1], "");
    LLVMValueRef into =
        LLVMBuildAnd(l->b, weftc_loops_add(l, id, high.index), weftc_i64(l->c, WEFT_TILE_HEIGHT - 1), "");
    LLVMValueRef left = LLVMBuildSub(l->b, weftc_i64(l->c, WEFT_TILE_HEIGHT), into, "");
    LLVMValueRef bottom = weftc_loops_minimum(l, size[1], weftc_loops_add(l, high.index, left));
    weftc_loop_open(l, &wide, zero, "tile");
    LLVMValueRef end =
        weftc_loops_minimum(l, size[0], weftc_loops_add(l, wide.index, weftc_i64(l->c, width)));
    if (row->cut_id)
        end = weftc_loops_minimum(l, end, end_of_piece(l, row->base, wide.index));
    if (row->cut_index)
        end = weftc_loops_minimum(l, end, end_of_piece(l, row->begin, wide.index));
    weftc_loop_open(l, &y, high.index, "y");
    set_id(l, 1, y.index, base[1]);
    weft_status status = build_tile_row(l, row, wide.index, end);
    weftc_loop_close(l, &y, weftc_loops_add(l, y.index, one), bottom);
    weftc_loop_close(l, &wide, end, size[0]);
    weftc_loop_close(l, &high, bottom, size[1]);
    return status;
}

static weft_status build_rows(struct weftc_loops *l, struct row *row, const LLVMValueRef base[3],
                              const LLVMValueRef size[3], LLVMValueRef z)
{
    LLVMValueRef zero = weftc_i64(l->c, 0), one = weftc_i64(l->c, 1);
    struct weftc_loop y, piece = {NULL, NULL};
    weftc_loop_open(l, &y, zero, "y");
    set_id(l, 1, y.index, base[1]);
    row->number = weftc_loops_add(l, LLVMBuildMul(l->b, z, size[1], ""), y.index);
    row->first_item = LLVMBuildMul(l->b, row->number, size[0], "");
    LLVMValueRef start = zero, end = size[0];
    bool cut = row->cut_id || row->cut_index;
    if (cut) {
        weftc_loop_open(l, &piece, zero, "piece");
        start = piece.index;
    }
    if (row->cut_id)
        end = weftc_loops_minimum(l, end, end_of_piece(l, row->base, start));
    if (row->cut_index)
        end = weftc_loops_minimum(l, end, end_of_piece(l, row->begin, start));
    weft_status status = l->sub_group > 1 ? build_sub_groups(l, row, end) : build_row(l, row, start, end);
    if (cut)
        weftc_loop_close(l, &piece, end, size[0]);
    weftc_loop_close(l, &y, weftc_loops_add(l, y.index, one), size[1]);
    return status;
}

// Builds interchanged loops, for rows of whole vectors whose ids don't wrap: all rows of one vector, then
// those of the next.
static weft_status build_interchanged(struct weftc_loops *l, const struct row *row,
                                      const LLVMValueRef base[3], const LLVMValueRef size[3], LLVMValueRef z)
{
    struct weftc_loop x, y;
    weftc_loop_open(l, &x, weftc_i64(l->c, 0), "column");
    weftc_loop_open(l, &y, weftc_i64(l->c, 0), "y");
    LLVMValueRef to = weftc_loops_add(l, x.index, weftc_i64(l->c, l->lanes));
    set_id(l, 0, x.index, row->base);
    set_id(l, 1, y.index, base[1]);
    LLVMValueRef number = weftc_loops_add(l, LLVMBuildMul(l->b, z, size[1], ""), y.index);
    struct row here = *row;
    here.first_item = LLVMBuildMul(l->b, number, size[0], "");
    l->at.value[WEFTC_ITEM][0] = weftc_loops_add(l, here.first_item, x.index);
    set_row(l, &here, &row->region->lanes, x.index, to);
    weft_status status = call_region(l, &row->region->lanes, row->parameters, row->next, l->lanes);
    LLVMValueRef branch = weftc_loop_close(l, &y, weftc_loops_add(l, y.index, weftc_i64(l->c, 1)), size[1]);
    weftc_bridge_loop_properties(branch, l->items, 1);
    branch = weftc_loop_close(l, &x, weftc_loops_add(l, x.index, weftc_i64(l->c, l->lanes)), size[0]);
    weftc_bridge_loop_properties(branch, l->items, 1);
    return status;
}

// For a region that prefers interchanged loops: builds both orders, since rows may have a tail.
static weft_status build_either_order(struct weftc_loops *l, struct row *row, const LLVMValueRef base[3],
                                      const LLVMValueRef size[3], LLVMValueRef z)
{
    LLVMValueRef zero = weftc_i64(l->c, 0), low = weftc_i64(l->c, l->lanes - 1);
    LLVMValueRef may = LLVMBuildICmp(l->b, LLVMIntEQ, LLVMBuildAnd(l->b, size[0], low, ""), zero, "");
    LLVMValueRef begins[] = {row->cut_id ? row->base : NULL, row->cut_index ? row->begin : NULL};
    for (size_t k = 0; k < WEFT_COUNT_OF(begins); k++) {
        if (!begins[k])
            continue;
        LLVMValueRef end = LLVMBuildAdd(l->b, begins[k], size[0], "");
        LLVMValueRef fits = LLVMBuildICmp(l->b, LLVMIntULE, end, weftc_i64(l->c, 1ull << 31), "");
        may = LLVMBuildAnd(l->b, may, fits, "");
    }
    LLVMBasicBlockRef interchanged = weftc_loops_block(l, "interchanged"),
                      rows = weftc_loops_block(l, "rows"), after = weftc_loops_block(l, "");
    LLVMBuildCondBr(l->b, may, interchanged, rows);
    LLVMPositionBuilderAtEnd(l->b, interchanged);
    weft_status status = build_interchanged(l, row, base, size, z);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, rows);
    if (status == WEFT_OK)
        status = build_rows(l, row, base, size, z);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    return status;
}

// Memory for the parameters of each of the region's functions. Parameters that don't depend on the work-item
// are filled in. NULL: no memory. The caller frees it.
static LLVMValueRef *build_parameters(struct weftc_loops *l, const struct weftc_loops_region *r)
{
    unsigned filled = 0;
    LLVMValueRef *parameters = weft_alloc_array((size_t)max_parameters(r) + 1, sizeof *parameters);
    if (!parameters)
        return NULL;
    for (; filled < l->argument_count; filled++)
        parameters[filled] = l->arguments[filled];
    const char *at = NULL;
    unsigned number;
    while (weftc_region_number(r->scalar.function, WEFTC_ATTRIBUTE_IN, &at, &number)) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(r->scalar.function, filled));
        LLVMValueRef slot = uniform_slot(l, number, type);
        if (!slot) {
            weft_free(parameters);
            return NULL;
        }
        parameters[filled++] = LLVMBuildLoad2(l->b, type, slot, "");
    }
    return parameters;
}

weft_status weftc_loops_item(struct weftc_loops *l, struct weftc_loops_region *r, const LLVMValueRef local[3],
                             LLVMValueRef item, const LLVMValueRef base[3], LLVMValueRef next)
{
    LLVMValueRef *parameters = build_parameters(l, r);
    if (!parameters)
        return WEFT_NO_MEMORY;
    for (unsigned d = 0; d < WEFTC_MAX_DIMS; d++)
        set_id(l, d, local[d], base[d]);
    l->at.value[WEFTC_ITEM][0] = item;
    set_sub_group(l, item, weftc_i64(l->c, 1));
    weft_status status = call_region(l, &r->scalar, parameters, next, 1);
    weft_free(parameters);
    return status;
}

weft_status weftc_loops_single_item(struct weftc_loops *l, struct weftc_loops_region *r,
                                    const LLVMValueRef base[3], LLVMValueRef next)
{
    LLVMValueRef zero = weftc_i64(l->c, 0), first[3] = {zero, zero, zero};
    return weftc_loops_item(l, r, first, zero, base, next);
}

weft_status weftc_loops_nest(struct weftc_loops *l, struct weftc_loops_region *r, const LLVMValueRef base[3],
                             const LLVMValueRef size[3], LLVMValueRef next)
{
    LLVMValueRef *parameters = build_parameters(l, r);
    if (!parameters)
        return WEFT_NO_MEMORY;
    LLVMValueRef zero = weftc_i64(l->c, 0), one = weftc_i64(l->c, 1);
    struct weftc_loop z;
    weftc_loop_open(l, &z, zero, "z");
    set_id(l, 2, z.index, base[2]);
    struct row row = {
        .region = r,
        .parameters = parameters,
        .next = next,
        .base = base[0],
        .begin = LLVMBuildSub(l->b, base[0], l->at.value[WEFTC_GLOBAL_OFFSET][0], ""),
        .first_item = zero, // a kernel that runs in tiles doesn't use it
        .narrow = l->sub_group <= 1 && (uses(r, WEFTC_GLOBAL_ID32, 0) || uses(r, WEFTC_ROW_GLOBAL_ID32, 0)),
        .index32 = l->sub_group <= 1 && (uses(r, WEFTC_INDEX32, 0) || uses(r, WEFTC_ROW_INDEX32, 0)),
        .local32 = uses(r, WEFTC_LOCAL_ID32, 0)};
    row.cut_id = row.narrow && !l->small_ids;
    row.cut_index = row.index32 && !l->small_ids;

    // Only in kernels with barriers: their groups are small and work in local memory. Without barriers,
    // interchanged loops would walk down a whole image.
    bool interchanged = l->region_count > 1 && !l->sub_group && weftc_loops_interchanges(r);
    weft_status status = l->tiles       ? build_tiles(l, &row, base, size)
                         : interchanged ? build_either_order(l, &row, base, size, z.index)
                                        : build_rows(l, &row, base, size, z.index);
    weftc_loop_close(l, &z, weftc_loops_add(l, z.index, one), size[2]);
    weft_free(parameters);
    return status;
}
