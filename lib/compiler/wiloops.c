// C4, work-item loops (DESIGN §8): the entry point `run` over a range of work-groups.
//
// For each group, and for each region between barriers in the order that the kernel takes, `run` has a nest
// of loops over the group's work-items, z, y, x from outside in, around the region, which is then inlined:
//
//     for each group: current_group = ...; its ids, size and base by counting up, without a division
//         region 0:  for z for y for x { region.0(arguments, uniform values, ids) }
//                    where to go next, and the uniform values that come out, are those of the last work-item
//         region 1:  ...
//
// The x loop is what LLVM's loop vectorizer works on. It is therefore bottom-tested, counts one induction
// variable for each form in which the id is used, and states that what the access group of prepare marks is
// independent between work-items.
//
// Two shapes need more thought:
// * 32-bit ids. `(int)get_global_id(0)` must not wrap inside the x loop for a[i] to be consecutive. Where
//   such an id is used the x loop is cut where the id reaches a multiple of 2^31, which practically never
//   happens.
// * Small groups. A kernel that has no barrier and never asks how groups are cut doesn't care either:
//   consecutive groups of a row run as one *span*, so that groups of one work-item are as fast as large ones.
//   (current_group then names the first of the span.)
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_passes.h"
#include "middle.h"

enum { MOST_DIMS = 3 };

// The nest that is being built; also what the region function's primitives are replaced by.
struct place {
    LLVMValueRef value[WEFTC_PRIMITIVE_COUNT][MOST_DIMS];
};

struct body {
    LLVMValueRef function;
    enum weftc_primitive *primitives; // handed over as parameters, behind the others
    unsigned *dims;
    unsigned primitive_count;
};

struct region {
    struct body one;    // for one work-item
    struct body lanes;  // for as many as there are lanes; no function: there is none
    struct body masked; // for fewer, instead of `one`; no function: there is none
    LLVMBasicBlockRef begin;
};

struct loops {
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMBuilderRef b;
    const struct weftc_kernel_options *options;
    struct region *regions;
    unsigned region_count;
    unsigned lanes; // work-items in one call of struct region.lanes
    LLVMValueRef run, *arguments;
    unsigned argument_count;
    LLVMValueRef *uniforms; // stack slots of run, by number; made when first met
    unsigned uniform_count;
    bool indifferent, span;
    unsigned along; // dimension of the launch that is 0 here (prepare_turn.c)
    LLVMMetadataRef items;
    struct place at;
    LLVMBasicBlockRef entry;
};

static LLVMTypeRef i64_type(const struct loops *l)
{
    return LLVMInt64TypeInContext(l->c);
}

static LLVMBasicBlockRef new_block(struct loops *l, const char *name)
{
    return LLVMAppendBasicBlockInContext(l->c, l->run, name);
}

static LLVMValueRef minimum(struct loops *l, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntULT, a, b, ""), a, b, "");
}

static LLVMValueRef add(struct loops *l, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef sum = LLVMBuildAdd(l->b, a, b, "");
    if (LLVMIsAInstruction(sum)) {
        LLVMSetNUW(sum, true);
        LLVMSetNSW(sum, true);
    }
    return sum;
}

static LLVMValueRef field(struct loops *l, LLVMValueRef base, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef index = weftc_i64(l->c, offset);
    LLVMValueRef place = LLVMBuildInBoundsGEP2(l->b, LLVMInt8TypeInContext(l->c), base, &index, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(l->b, type, place, "");
    LLVMSetAlignment(load,
                     LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32 ? 4 : 8);
    return load;
}

// ---- regions: their primitives become parameters ----

static weft_status collect_primitives(struct body *r)
{
    unsigned count = 0;
    for (int pass = 0; pass < 2; pass++) {
        bool seen[WEFTC_PRIMITIVE_COUNT][MOST_DIMS] = {{false}};
        count = 0;
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(r->function); block;
             block = LLVMGetNextBasicBlock(block)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
                enum weftc_primitive p;
                unsigned dim;
                if (!weftc_primitive_of(i, &p, &dim) || seen[p][dim])
                    continue;
                seen[p][dim] = true;
                if (pass == 1) {
                    r->primitives[count] = p;
                    r->dims[count] = dim;
                }
                count++;
            }
        }
        if (pass == 0) {
            r->primitives = weft_alloc_array(count + 1, sizeof *r->primitives);
            r->dims = weft_alloc_array(count + 1, sizeof *r->dims);
            if (!r->primitives || !r->dims)
                return WEFT_NO_MEMORY;
        }
    }
    r->primitive_count = count;
    return WEFT_OK;
}

static unsigned parameter_of(const struct body *r, enum weftc_primitive p, unsigned dim)
{
    unsigned i = 0;
    while (r->primitives[i] != p || r->dims[i] != dim)
        i++;
    return i;
}

static weft_status parametrize(struct loops *l, struct body *r)
{
    weft_status status = collect_primitives(r);
    if (status != WEFT_OK)
        return status;
    LLVMTypeRef *types = weft_alloc_array(r->primitive_count + 1, sizeof(LLVMTypeRef));
    if (!types)
        return WEFT_NO_MEMORY;
    for (unsigned i = 0; i < r->primitive_count; i++)
        types[i] = weftc_primitive_type(l->c, r->primitives[i]);
    unsigned first = LLVMCountParams(r->function);
    r->function = weftc_bridge_add_parameters(r->function, types, r->primitive_count);
    weft_free(types);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(r->function); block;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef next;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
            next = LLVMGetNextInstruction(i);
            enum weftc_primitive p;
            unsigned dim;
            if (!weftc_primitive_of(i, &p, &dim))
                continue;
            LLVMReplaceAllUsesWith(i, LLVMGetParam(r->function, first + parameter_of(r, p, dim)));
            LLVMInstructionEraseFromParent(i);
        }
    }
    LLVMSetLinkage(r->function, LLVMInternalLinkage);
    return WEFT_OK;
}

static bool body_uses(const struct body *r, enum weftc_primitive p, unsigned dim)
{
    for (unsigned i = 0; i < r->primitive_count; i++)
        if (r->primitives[i] == p && r->dims[i] == dim)
            return true;
    return false;
}

static bool uses(const struct region *r, enum weftc_primitive p, unsigned dim)
{
    return body_uses(&r->one, p, dim) || body_uses(&r->lanes, p, dim) || body_uses(&r->masked, p, dim);
}

// True when nothing in the kernel can tell how the index space is cut into groups.
static bool indifferent_to_groups(const struct loops *l)
{
    if (l->region_count != 1)
        return false;
    for (unsigned i = 0; i < l->regions[0].one.primitive_count; i++) {
        switch (l->regions[0].one.primitives[i]) {
        case WEFTC_GLOBAL_ID:
        case WEFTC_GLOBAL_ID32:
        case WEFTC_INDEX:
        case WEFTC_INDEX32:
        case WEFTC_FULL_LOCAL_SIZE:
        case WEFTC_NUM_GROUPS:
        case WEFTC_GLOBAL_SIZE:
        case WEFTC_GLOBAL_OFFSET:
        case WEFTC_WORK_DIM:
            break;
        default:
            return false;
        }
    }
    for (unsigned i = 0; i < l->argument_count; i++) {
        LLVMAttributeRef kind = LLVMGetStringAttributeAtIndex(
            l->regions[0].one.function, i + 1, WEFTC_ATTRIBUTE_KIND, (unsigned)strlen(WEFTC_ATTRIBUTE_KIND));
        unsigned length;
        if (kind && strcmp(LLVMGetStringAttributeValue(kind, &length), "local") == 0)
            return false;
    }
    return true;
}

// ---- once a call of run ----

static void load_launch(struct loops *l)
{
    LLVMValueRef nd = LLVMGetParam(l->run, 0), x = LLVMGetParam(l->run, 2);
    static const struct {
        enum weftc_primitive p;
        size_t offset;
    } rows[] = {{WEFTC_GLOBAL_OFFSET, offsetof(struct weft_ndrange, global_offset)},
                {WEFTC_GLOBAL_SIZE, offsetof(struct weft_ndrange, global_size)},
                {WEFTC_FULL_LOCAL_SIZE, offsetof(struct weft_ndrange, local_size)},
                {WEFTC_NUM_GROUPS, offsetof(struct weft_ndrange, num_groups)}};
    for (size_t i = 0; i < WEFT_COUNT_OF(rows); i++)
        for (unsigned d = 0; d < MOST_DIMS; d++)
            l->at.value[rows[i].p][d] =
                field(l, nd, rows[i].offset + 8 * weftc_turned(d, l->along), i64_type(l));
    static const char *const required[] = {WEFTC_GROUP_SIZE_0, WEFTC_GROUP_SIZE_1, WEFTC_GROUP_SIZE_2};
    for (unsigned d = 0; d < MOST_DIMS; d++) {
        uint64_t known = weftc_module_number(l->module, required[weftc_turned(d, l->along)]);
        if (known)
            l->at.value[WEFTC_FULL_LOCAL_SIZE][d] = weftc_i64(l->c, known);
    }
    l->at.value[WEFTC_WORK_DIM][0] =
        field(l, nd, offsetof(struct weft_ndrange, work_dim), LLVMInt32TypeInContext(l->c));
    LLVMTypeRef pointer = LLVMPointerTypeInContext(l->c, 0);
    l->at.value[WEFTC_LOCAL_MEMORY][0] = field(l, x, offsetof(struct weft_exec, local_mem), pointer);
    l->at.value[WEFTC_STATE][0] = field(l, x, offsetof(struct weft_exec, state), pointer);

    LLVMValueRef *size = l->at.value[WEFTC_FULL_LOCAL_SIZE];
    LLVMValueRef items = LLVMBuildMul(l->b, LLVMBuildMul(l->b, size[0], size[1], ""), size[2], "");
    LLVMValueRef up = LLVMBuildAdd(l->b, items, weftc_i64(l->c, WEFT_STATE_ROW - 1), "");
    l->at.value[WEFTC_STATE_ROWS][0] =
        LLVMBuildAnd(l->b, up, weftc_i64(l->c, ~(uint64_t)(WEFT_STATE_ROW - 1)), "");
}

// The host aligns the argument block as it aligns any memory: to 8 bytes.
static weft_status load_arguments(struct loops *l)
{
    LLVMValueRef f = l->regions[0].one.function, block = LLVMGetParam(l->run, 1);
    l->arguments = weft_alloc_array(l->argument_count + 1, sizeof *l->arguments);
    if (!l->arguments)
        return WEFT_NO_MEMORY;
    for (unsigned i = 0; i < l->argument_count; i++) {
        unsigned length;
        LLVMAttributeRef offset_attribute = LLVMGetStringAttributeAtIndex(
            f, i + 1, WEFTC_ATTRIBUTE_OFFSET, (unsigned)strlen(WEFTC_ATTRIBUTE_OFFSET));
        LLVMAttributeRef kind_attribute = LLVMGetStringAttributeAtIndex(
            f, i + 1, WEFTC_ATTRIBUTE_KIND, (unsigned)strlen(WEFTC_ATTRIBUTE_KIND));
        if (!offset_attribute || !kind_attribute)
            return WEFT_INTERNAL;
        LLVMValueRef offset =
            weftc_i64(l->c, strtoull(LLVMGetStringAttributeValue(offset_attribute, &length), NULL, 10));
        const char *kind = LLVMGetStringAttributeValue(kind_attribute, &length);
        LLVMTypeRef byte = LLVMInt8TypeInContext(l->c);
        LLVMValueRef slot = LLVMBuildInBoundsGEP2(l->b, byte, block, &offset, 1, "");
        if (strcmp(kind, "memory") == 0) {
            l->arguments[i] = slot;
            continue;
        }
        bool local = strcmp(kind, "local") == 0;
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(f, i));
        LLVMValueRef value = LLVMBuildLoad2(l->b, local ? i64_type(l) : type, slot, "");
        if (LLVMGetAlignment(value) > 8)
            LLVMSetAlignment(value, 8);
        if (local)
            value = LLVMBuildInBoundsGEP2(l->b, byte, l->at.value[WEFTC_LOCAL_MEMORY][0], &value, 1, "");
        l->arguments[i] = value;
    }
    return WEFT_OK;
}

// ---- the nest of one region ----

// One bottom-tested loop: between open and close the builder is in its body.
struct loop {
    LLVMBasicBlockRef body;
    LLVMValueRef index;
};

static void open_loop(struct loops *l, struct loop *loop, LLVMValueRef start, const char *name)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b);
    loop->body = new_block(l, name);
    LLVMBuildBr(l->b, loop->body);
    LLVMPositionBuilderAtEnd(l->b, loop->body);
    loop->index = LLVMBuildPhi(l->b, LLVMTypeOf(start), name);
    LLVMAddIncoming(loop->index, &start, &before, 1);
}

// Another induction variable of the loop just opened; close_induction must follow before close_loop.
static LLVMValueRef open_induction(struct loops *l, LLVMValueRef start, LLVMBasicBlockRef before)
{
    LLVMValueRef phi = LLVMBuildPhi(l->b, LLVMTypeOf(start), "");
    LLVMAddIncoming(phi, &start, &before, 1);
    return phi;
}

static void close_induction(struct loops *l, LLVMValueRef phi, unsigned step)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    LLVMValueRef next = add(l, phi, LLVMConstInt(LLVMTypeOf(phi), step, false));
    LLVMAddIncoming(phi, &next, &latch, 1);
}

// Runs the body again while `next` < end. Returns the branch back.
static LLVMValueRef close_loop(struct loops *l, struct loop *loop, LLVMValueRef next, LLVMValueRef end)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b), after = new_block(l, "");
    LLVMAddIncoming(loop->index, &next, &latch, 1);
    LLVMValueRef again = LLVMBuildICmp(l->b, LLVMIntULT, next, end, "");
    LLVMValueRef branch = LLVMBuildCondBr(l->b, again, loop->body, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    return branch;
}

static LLVMValueRef truncate(struct loops *l, LLVMValueRef v)
{
    return LLVMBuildTrunc(l->b, v, LLVMInt32TypeInContext(l->c), "");
}

static void set_id(struct loops *l, unsigned dim, LLVMValueRef local, LLVMValueRef base)
{
    LLVMValueRef begin = LLVMBuildSub(l->b, base, l->at.value[WEFTC_GLOBAL_OFFSET][dim], "");
    l->at.value[WEFTC_INDEX][dim] = add(l, begin, local);
    l->at.value[WEFTC_INDEX32][dim] = truncate(l, l->at.value[WEFTC_INDEX][dim]);
    l->at.value[WEFTC_LOCAL_ID][dim] = local;
    l->at.value[WEFTC_GLOBAL_ID][dim] = add(l, base, local);
    l->at.value[WEFTC_LOCAL_ID32][dim] = truncate(l, local);
    l->at.value[WEFTC_GLOBAL_ID32][dim] = truncate(l, l->at.value[WEFTC_GLOBAL_ID][dim]);
}

// A list of numbers in a string attribute of a region's function, one at a call. *at begins NULL.
static bool next_number(LLVMValueRef f, const char *attribute, const char **at, unsigned *number)
{
    if (!*at) {
        LLVMAttributeRef list =
            LLVMGetStringAttributeAtIndex(f, WEFTC_OF_FUNCTION, attribute, (unsigned)strlen(attribute));
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

static LLVMValueRef entry_slot(struct loops *l, LLVMTypeRef type)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->c);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(l->entry));
    LLVMValueRef slot = LLVMBuildAlloca(b, type, "");
    LLVMDisposeBuilder(b);
    return slot;
}

// The stack slot of a uniform value; promoted to a register afterwards.
static LLVMValueRef uniform_slot(struct loops *l, unsigned number, LLVMTypeRef type)
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
        l->uniforms[number] = entry_slot(l, type);
    return l->uniforms[number];
}

// The call of the region's function for the work-item at l->at.
static weft_status call_region(struct loops *l, struct body *r, LLVMValueRef *parameters, LLVMValueRef next)
{
    unsigned count = LLVMCountParams(r->function);
    for (unsigned i = 0; i < r->primitive_count; i++)
        parameters[count - r->primitive_count + i] = l->at.value[r->primitives[i]][r->dims[i]];
    LLVMValueRef result =
        LLVMBuildCall2(l->b, LLVMGlobalGetValueType(r->function), r->function, parameters, count, "");
    if (!next)
        return WEFT_OK;
    // Each work-item overwrites what the one before it stored: uniform values are equal, so the last one's
    // do.
    LLVMBuildStore(l->b, LLVMBuildExtractValue(l->b, result, 0, ""), next);
    const char *at = NULL;
    unsigned number, field_index = 1;
    while (next_number(r->function, WEFTC_ATTRIBUTE_OUT, &at, &number)) {
        LLVMValueRef value = LLVMBuildExtractValue(l->b, result, field_index++, "");
        LLVMValueRef slot = uniform_slot(l, number, LLVMTypeOf(value));
        if (!slot)
            return WEFT_NO_MEMORY;
        LLVMBuildStore(l->b, value, slot);
    }
    return WEFT_OK;
}

// What build_nest hands to the x loop.
struct row {
    struct region *region;
    LLVMValueRef *parameters;      // those that are the same in all calls are filled in
    LLVMValueRef next;             // where call_region stores to; NULL: nowhere
    LLVMValueRef base;             // of the global ids
    LLVMValueRef first_item;       // linear id of the row's first work-item
    LLVMValueRef begin;            // of the indices: base less the offset
    bool narrow, index32, local32; // the region wants these ids
};

// The loop over work-items [start, end) of a row, `step` at a time; at least one step. The builder is left
// behind it.
static weft_status build_x_loop(struct loops *l, const struct row *row, struct body *body, LLVMValueRef start,
                                LLVMValueRef end, unsigned step)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b);
    LLVMValueRef id32 = row->narrow ? truncate(l, LLVMBuildAdd(l->b, row->base, start, "")) : NULL;
    LLVMValueRef index32 = row->index32 ? truncate(l, LLVMBuildAdd(l->b, row->begin, start, "")) : NULL;
    LLVMValueRef local32 = row->local32 ? truncate(l, start) : NULL;
    struct loop x;
    open_loop(l, &x, start, "x");
    if (id32)
        id32 = open_induction(l, id32, before);
    if (index32)
        index32 = open_induction(l, index32, before);
    if (local32)
        local32 = open_induction(l, local32, before);
    set_id(l, 0, x.index, row->base);
    if (id32)
        l->at.value[WEFTC_GLOBAL_ID32][0] = id32;
    if (index32)
        l->at.value[WEFTC_INDEX32][0] = index32;
    if (local32)
        l->at.value[WEFTC_LOCAL_ID32][0] = local32;
    l->at.value[WEFTC_ITEM][0] = add(l, row->first_item, x.index);
    weft_status status = call_region(l, body, row->parameters, row->next);
    if (status != WEFT_OK)
        return status;
    if (id32)
        close_induction(l, id32, step);
    if (index32)
        close_induction(l, index32, step);
    if (local32)
        close_induction(l, local32, step);
    LLVMValueRef branch = close_loop(l, &x, add(l, x.index, weftc_i64(l->c, step)), end);
    // A loop beside one that is vectorized runs for the few work-items that are left over.
    weftc_bridge_loop_properties(branch, l->items,
                                 row->region->lanes.function ? 1 : l->options->vector_width);
    return WEFT_OK;
}

// The row's work-items [start, end), at least one, fewer than lanes, at once.
static weft_status build_row_end(struct loops *l, const struct row *row, LLVMValueRef start, LLVMValueRef end)
{
    set_id(l, 0, start, row->base);
    l->at.value[WEFTC_ITEM][0] = add(l, row->first_item, start);
    l->at.value[WEFTC_LANE][0] = weftc_i32(l->c, 0);
    l->at.value[WEFTC_LANES_LEFT][0] = truncate(l, LLVMBuildSub(l->b, end, start, ""));
    return call_region(l, &row->region->masked, row->parameters, row->next);
}

// Are the row's narrow ids from start on 2^31 or more, as they are throughout its piece? The vectorizer reckons with
// smaller ones (shapes.c). NULL: there are none.
static LLVMValueRef ids_are_high(struct loops *l, const struct row *row, LLVMValueRef start)
{
    LLVMValueRef id = row->narrow ? add(l, row->base, start) : NULL;
    LLVMValueRef index = row->index32 ? add(l, row->begin, start) : NULL;
    LLVMValueRef either = id && index ? LLVMBuildOr(l->b, id, index, "") : id ? id : index;
    if (!either)
        return NULL;
    LLVMValueRef bit = LLVMBuildAnd(l->b, either, weftc_i64(l->c, 1ull << 31), "");
    return LLVMBuildICmp(l->b, LLVMIntNE, bit, weftc_i64(l->c, 0), "");
}

// Where the masked end can't take them: the row's work-items one by one, when ids are high.
static weft_status build_high_row(struct loops *l, const struct row *row, LLVMValueRef high,
                                  LLVMValueRef start, LLVMValueRef end, LLVMBasicBlockRef after)
{
    LLVMBasicBlockRef single = new_block(l, "high"), others = new_block(l, "");
    LLVMBuildCondBr(l->b, high, single, others);
    LLVMPositionBuilderAtEnd(l->b, single);
    weft_status status = build_x_loop(l, row, &row->region->one, start, end, 1);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, others);
    return status;
}

// The row's work-items from start on in whole steps of all lanes, then the rest.
static weft_status build_row(struct loops *l, const struct row *row, LLVMValueRef start, LLVMValueRef end)
{
    struct region *r = row->region;
    if (!r->lanes.function)
        return build_x_loop(l, row, &r->one, start, end, 1);
    LLVMBasicBlockRef after = new_block(l, "");
    LLVMValueRef high = ids_are_high(l, row, start);
    weft_status status = WEFT_OK;
    if (high && r->masked.function)
        status = build_high_row(l, row, high, start, end, after);
    LLVMValueRef count = LLVMBuildSub(l->b, end, start, "");
    LLVMValueRef whole = LLVMBuildAnd(l->b, count, weftc_i64(l->c, ~(uint64_t)(l->lanes - 1)), "");
    if (high && !r->masked.function)
        whole = LLVMBuildSelect(l->b, high, weftc_i64(l->c, 0), whole, "");
    LLVMValueRef middle = add(l, start, whole);
    LLVMBasicBlockRef lanes = new_block(l, "lanes"), test = new_block(l, ""), rest = new_block(l, "rest");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, start, middle, ""), lanes, test);
    LLVMPositionBuilderAtEnd(l->b, lanes);
    if (status == WEFT_OK)
        status = build_x_loop(l, row, &r->lanes, start, middle, l->lanes);
    LLVMBuildBr(l->b, test);
    LLVMPositionBuilderAtEnd(l->b, test);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, middle, end, ""), rest, after);
    LLVMPositionBuilderAtEnd(l->b, rest);
    if (status == WEFT_OK)
        status = r->masked.function ? build_row_end(l, row, middle, end)
                                    : build_x_loop(l, row, &r->one, middle, end, 1);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    return status;
}

static unsigned most_parameters(const struct region *r)
{
    unsigned one = LLVMCountParams(r->one.function);
    unsigned lanes = r->lanes.function ? LLVMCountParams(r->lanes.function) : 0;
    unsigned masked = r->masked.function ? LLVMCountParams(r->masked.function) : 0;
    unsigned most = one > lanes ? one : lanes;
    return most > masked ? most : masked;
}

// Where, from `start` on, the id that begins at base reaches the next multiple of 2^31.
static LLVMValueRef end_of_piece(struct loops *l, LLVMValueRef base, LLVMValueRef start)
{
    LLVMValueRef id = LLVMBuildAdd(l->b, base, start, "");
    LLVMValueRef into = LLVMBuildAnd(l->b, id, weftc_i64(l->c, INT32_MAX), "");
    return add(l, start, LLVMBuildSub(l->b, weftc_i64(l->c, 1ull << 31), into, ""));
}

// base, size: of the group (or span) in each dimension. Leaves the builder behind the nest.
static weft_status build_nest(struct loops *l, struct region *r, const LLVMValueRef base[3],
                              const LLVMValueRef size[3], LLVMValueRef next)
{
    unsigned filled = 0;
    LLVMValueRef *parameters = weft_alloc_array((size_t)most_parameters(r) + 1, sizeof *parameters);
    if (!parameters)
        return WEFT_NO_MEMORY;
    for (; filled < l->argument_count; filled++)
        parameters[filled] = l->arguments[filled];
    const char *at = NULL;
    unsigned number;
    while (next_number(r->one.function, WEFTC_ATTRIBUTE_IN, &at, &number)) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(r->one.function, filled));
        LLVMValueRef slot = uniform_slot(l, number, type);
        if (!slot) {
            weft_free(parameters);
            return WEFT_NO_MEMORY;
        }
        parameters[filled++] = LLVMBuildLoad2(l->b, type, slot, "");
    }

    LLVMValueRef zero = weftc_i64(l->c, 0), one = weftc_i64(l->c, 1);
    struct loop z, y, piece = {NULL, NULL};
    open_loop(l, &z, zero, "z");
    set_id(l, 2, z.index, base[2]);
    open_loop(l, &y, zero, "y");
    set_id(l, 1, y.index, base[1]);
    LLVMValueRef first_item = LLVMBuildMul(l->b, z.index, size[1], "");
    first_item = LLVMBuildMul(l->b, add(l, first_item, y.index), size[0], "");
    struct row row = {.region = r,
                      .parameters = parameters,
                      .next = next,
                      .base = base[0],
                      .begin = LLVMBuildSub(l->b, base[0], l->at.value[WEFTC_GLOBAL_OFFSET][0], ""),
                      .first_item = first_item,
                      .narrow = uses(r, WEFTC_GLOBAL_ID32, 0),
                      .index32 = uses(r, WEFTC_INDEX32, 0),
                      .local32 = uses(r, WEFTC_LOCAL_ID32, 0)};

    LLVMValueRef start = zero, end = size[0];
    bool cut = row.narrow || row.index32;
    if (cut) {
        open_loop(l, &piece, zero, "piece");
        start = piece.index;
    }
    if (row.narrow)
        end = minimum(l, end, end_of_piece(l, row.base, start));
    if (row.index32)
        end = minimum(l, end, end_of_piece(l, row.begin, start));
    weft_status status = build_row(l, &row, start, end);
    if (cut)
        close_loop(l, &piece, end, size[0]);
    close_loop(l, &y, add(l, y.index, one), size[1]);
    close_loop(l, &z, add(l, z.index, one), size[2]);
    weft_free(parameters);
    return status;
}

// ---- one group ----

// All regions of the group, from the builder's position on; afterwards the builder is where the group is
// done.
static weft_status build_group(struct loops *l, const LLVMValueRef base[3], const LLVMValueRef size[3])
{
    if (l->region_count == 1)
        return build_nest(l, &l->regions[0], base, size, NULL);
    for (unsigned i = 0; i < l->region_count; i++)
        l->regions[i].begin = new_block(l, "region");
    LLVMBasicBlockRef done = new_block(l, "done");
    LLVMValueRef next = entry_slot(l, LLVMInt32TypeInContext(l->c));
    LLVMBuildBr(l->b, l->regions[0].begin);
    for (unsigned i = 0; i < l->region_count; i++) {
        struct region *r = &l->regions[i];
        LLVMPositionBuilderAtEnd(l->b, r->begin);
        weft_status status = build_nest(l, r, base, size, next);
        if (status != WEFT_OK)
            return status;
        // With one way to go there is no question; else the last work-item answers for all.
        const char *at = NULL;
        unsigned number, first = 0, count = 0;
        while (next_number(r->one.function, WEFTC_ATTRIBUTE_NEXT, &at, &number))
            if (count++ == 0)
                first = number;
        LLVMBasicBlockRef target = first && count ? l->regions[first].begin : done;
        if (count <= 1) {
            LLVMBuildBr(l->b, target);
            continue;
        }
        LLVMValueRef where = LLVMBuildLoad2(l->b, LLVMInt32TypeInContext(l->c), next, "");
        LLVMValueRef branch = LLVMBuildSwitch(l->b, where, target, count - 1);
        at = NULL;
        for (unsigned k = 0; next_number(r->one.function, WEFTC_ATTRIBUTE_NEXT, &at, &number); k++)
            if (k > 0)
                LLVMAddCase(branch, weftc_i32(l->c, number), number ? l->regions[number].begin : done);
    }
    LLVMPositionBuilderAtEnd(l->b, done);
    return WEFT_OK;
}

// ---- all groups ----

static void build_current_group(struct loops *l, LLVMValueRef linear)
{
    LLVMValueRef offset = weftc_i64(l->c, offsetof(struct weft_exec, current_group));
    LLVMValueRef place =
        LLVMBuildInBoundsGEP2(l->b, LLVMInt8TypeInContext(l->c), LLVMGetParam(l->run, 2), &offset, 1, "");
    LLVMSetVolatile(LLVMBuildStore(l->b, linear, place), true);
}

static weft_status build_run(struct loops *l)
{
    LLVMValueRef first = LLVMGetParam(l->run, 3), last = LLVMGetParam(l->run, 4);
    LLVMValueRef zero = weftc_i64(l->c, 0), one = weftc_i64(l->c, 1);
    l->entry = new_block(l, "entry");
    LLVMPositionBuilderAtEnd(l->b, l->entry);
    load_launch(l);
    weft_status status = load_arguments(l);
    if (status != WEFT_OK)
        return status;
    const LLVMValueRef *full = l->at.value[WEFTC_FULL_LOCAL_SIZE], *groups = l->at.value[WEFTC_NUM_GROUPS];
    const LLVMValueRef *global_size = l->at.value[WEFTC_GLOBAL_SIZE];
    LLVMBasicBlockRef decode = new_block(l, "decode"), exit = new_block(l, "exit");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, first, last, ""), decode, exit);

    LLVMPositionBuilderAtEnd(l->b, decode);
    // Where the launch's dimensions are here: its groups are counted in its order.
    const unsigned at[3] = {weftc_turned(0, l->along), weftc_turned(1, l->along), weftc_turned(2, l->along)};
    LLVMValueRef id[3], rest = LLVMBuildUDiv(l->b, first, groups[at[0]], "");
    id[at[0]] = LLVMBuildURem(l->b, first, groups[at[0]], "");
    id[at[2]] = LLVMBuildUDiv(l->b, rest, groups[at[1]], "");
    id[at[1]] = LLVMBuildURem(l->b, rest, groups[at[1]], "");
    struct loop group;
    open_loop(l, &group, first, "group");
    for (unsigned d = 0; d < 3; d++)
        l->at.value[WEFTC_GROUP_ID][d] = open_induction(l, id[d], decode);
    build_current_group(l, group.index);

    LLVMValueRef base[3], size[3], count = one;
    bool uniform = weftc_module_number(l->module, WEFTC_UNIFORM_GROUPS) != 0;
    for (unsigned d = 0; d < 3; d++) {
        LLVMValueRef begin = LLVMBuildMul(l->b, l->at.value[WEFTC_GROUP_ID][d], full[d], "");
        LLVMValueRef most = full[d];
        if (d == 0 && l->span) {
            LLVMValueRef in_row = LLVMBuildSub(l->b, groups[0], l->at.value[WEFTC_GROUP_ID][0], "");
            count = minimum(l, in_row, LLVMBuildSub(l->b, last, group.index, ""));
            most = LLVMBuildMul(l->b, count, full[0], "");
        }
        base[d] = LLVMBuildAdd(l->b, l->at.value[WEFTC_GLOBAL_OFFSET][d], begin, "");
        size[d] = uniform ? most : minimum(l, most, LLVMBuildSub(l->b, global_size[d], begin, ""));
        l->at.value[WEFTC_LOCAL_SIZE][d] = size[d];
    }
    status = build_group(l, base, size);
    if (status != WEFT_OK)
        return status;

    // Count the ids up, carrying from one dimension to the next.
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    LLVMValueRef step = count;
    for (unsigned d = 0; d < 3; d++) {
        LLVMValueRef phi = l->at.value[WEFTC_GROUP_ID][at[d]], next = LLVMBuildAdd(l->b, phi, step, "");
        if (d < 2) {
            LLVMValueRef carry = LLVMBuildICmp(l->b, LLVMIntEQ, next, groups[at[d]], "");
            next = LLVMBuildSelect(l->b, carry, zero, next, "");
            step = LLVMBuildZExt(l->b, carry, i64_type(l), "");
        }
        LLVMAddIncoming(phi, &next, &latch, 1);
    }
    close_loop(l, &group, LLVMBuildAdd(l->b, group.index, count, ""), last);
    LLVMBuildBr(l->b, exit);
    LLVMPositionBuilderAtEnd(l->b, exit);
    LLVMBuildRetVoid(l->b);
    return WEFT_OK;
}

// ---- printf: through the host's table, with the thread's own weft_exec ----

static void lower_printf(struct loops *l)
{
    LLVMValueRef f = LLVMGetNamedFunction(l->module, WEFTC_PRINTF);
    if (!f)
        return;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(l->c, 0), i32 = LLVMInt32TypeInContext(l->c);
    LLVMTypeRef params[] = {pointer, pointer, pointer, i32};
    LLVMTypeRef type = LLVMFunctionType(i32, params, 4, false);
    LLVMValueRef x = LLVMGetParam(l->run, 2);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(f));) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMPositionBuilderBefore(l->b, call);
        LLVMValueRef host = field(l, x, offsetof(struct weft_exec, host), pointer);
        LLVMValueRef callee = field(l, host, offsetof(struct weft_kernel_host, printf), pointer);
        LLVMValueRef arguments[] = {x, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1),
                                    LLVMGetOperand(call, 2)};
        LLVMReplaceAllUsesWith(call, LLVMBuildCall2(l->b, type, callee, arguments, 4, ""));
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(f);
}

static void build_info(struct loops *l)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->c), i64 = i64_type(l);
    uint32_t width = 1;
    for (unsigned i = 0; i < l->region_count; i++)
        if (l->regions[i].lanes.function)
            width = l->lanes;
    uint64_t state = weftc_module_number(l->module, WEFTC_STATE_PER_ITEM);
    LLVMValueRef fields[] = {
        weftc_i32(l->c, WEFT_KERNEL_ABI_VERSION),
        weftc_i32(l->c, width),
        weftc_i64(l->c, weftc_module_number(l->module, WEFTC_LOCAL_BYTES)),
        weftc_i64(l->c, 0), // uniform values live in registers and on the stack of run
        weftc_i64(l->c, state),
        weftc_i64(l->c, weftc_module_number(l->module, WEFTC_PRIVATE_BYTES)),
        weftc_i64(l->c, 0), // stack_bytes: codegen knows
        l->run,
        weftc_i32(l->c, l->indifferent),
        weftc_i32(l->c, (uint32_t)weftc_module_number(l->module, WEFTC_STEP_COST)),
    };
    _Static_assert(offsetof(struct weft_kernel_info, run) == 48, "the fields above");
    LLVMTypeRef types[] = {i32, i32, i64, i64, i64, i64, i64, LLVMPointerTypeInContext(l->c, 0), i32, i32};
    LLVMTypeRef type = LLVMStructTypeInContext(l->c, types, WEFT_COUNT_OF(types), false);
    LLVMValueRef info = LLVMAddGlobal(l->module, type, WEFT_KERNEL_INFO_SYMBOL);
    LLVMSetInitializer(info, LLVMConstStructInContext(l->c, fields, WEFT_COUNT_OF(fields), false));
    LLVMSetGlobalConstant(info, true);
    LLVMSetAlignment(info, 8);
}

// Into the loops around it.
static weft_status inline_body(LLVMValueRef function, struct weft_buf *log)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(function));) {
        if (weftc_callee(LLVMGetUser(use)) != function || !weftc_bridge_inline(LLVMGetUser(use))) {
            weft_buf_puts(log, "internal error: a region can't be inlined\n");
            return WEFT_INTERNAL;
        }
    }
    return WEFT_OK;
}

static LLVMMetadataRef items_group(LLVMModuleRef module)
{
    if (LLVMGetNamedMetadataNumOperands(module, WEFTC_ITEMS_GROUP) != 1)
        return NULL;
    LLVMValueRef node;
    LLVMGetNamedMetadataOperands(module, WEFTC_ITEMS_GROUP, &node);
    return LLVMValueAsMetadata(node);
}

weft_status weftc_wiloops(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, struct weft_buf *log)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    struct loops l = {.module = module, .c = c, .options = options, .items = items_group(module)};
    l.region_count = (unsigned)weftc_module_number(module, WEFTC_REGION_COUNT);
    l.lanes = (unsigned)weftc_module_number(module, WEFTC_LANES);
    l.along = options->form > WEFT_FORM_ROWS ? options->form - WEFT_FORM_ROWS : 0;
    l.regions = weft_alloc_array(l.region_count + 1, sizeof *l.regions);
    l.b = LLVMCreateBuilderInContext(c);
    weft_status status = l.regions && l.region_count ? WEFT_OK : WEFT_INTERNAL;
    for (unsigned i = 0; i < l.region_count && status == WEFT_OK; i++) {
        char name[48];
        snprintf(name, sizeof name, WEFTC_REGION_NAME "%u", i);
        l.regions[i].one.function = LLVMGetNamedFunction(module, name);
        snprintf(name, sizeof name, WEFTC_REGION_NAME "%u" WEFTC_REGION_VECTOR, i);
        l.regions[i].lanes.function = LLVMGetNamedFunction(module, name);
        if (i == 0)
            l.argument_count =
                LLVMCountParams(l.regions[0].one.function); // nothing uniform comes in at the start
        snprintf(name, sizeof name, WEFTC_REGION_NAME "%u" WEFTC_REGION_MASKED, i);
        l.regions[i].masked.function = LLVMGetNamedFunction(module, name);
        status = parametrize(&l, &l.regions[i].one);
        if (status == WEFT_OK && l.regions[i].lanes.function)
            status = parametrize(&l, &l.regions[i].lanes);
        if (status == WEFT_OK && l.regions[i].masked.function)
            status = parametrize(&l, &l.regions[i].masked);
    }
    if (status == WEFT_OK) {
        l.indifferent = indifferent_to_groups(&l);
        l.span = l.indifferent && l.along == 0; // a row of groups goes along the launch's dimension 0
        LLVMTypeRef pointer = LLVMPointerTypeInContext(c, 0), i64 = LLVMInt64TypeInContext(c);
        LLVMTypeRef params[] = {pointer, pointer, pointer, i64, i64};
        LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c), params, WEFT_COUNT_OF(params), false);
        // Named after the kernel, so that profilers and debuggers show it; but not as the kernel, whose name may
        // be that of something that the code needs, memcpy for one.
        char *name = weft_format("%s.run", options->name);
        if (!name) {
            status = WEFT_NO_MEMORY;
            goto done;
        }
        l.run = LLVMAddFunction(module, name, type);
        weft_free(name);
        LLVMSetLinkage(l.run, LLVMInternalLinkage);
        weftc_add_attribute(l.run, WEFTC_OF_FUNCTION, "nounwind", 0);
        for (unsigned i = 1; i <= 3; i++)
            weftc_add_attribute(l.run, i, "noalias", 0);
        status = build_run(&l);
    }
    if (status == WEFT_OK) {
        build_info(&l);
        for (unsigned i = 0; i < l.region_count && status == WEFT_OK; i++) {
            LLVMValueRef bodies[] = {l.regions[i].one.function, l.regions[i].lanes.function,
                                     l.regions[i].masked.function};
            for (size_t k = 0; k < WEFT_COUNT_OF(bodies) && status == WEFT_OK; k++)
                if (bodies[k])
                    status = inline_body(bodies[k], log);
        }
    }
    if (status == WEFT_OK) {
        status = weftc_run_passes(module, target, "globaldce", log);
    }
    if (status == WEFT_OK)
        lower_printf(&l);
done:
    for (unsigned i = 0; l.regions && i < l.region_count; i++) {
        weft_free(l.regions[i].one.primitives);
        weft_free(l.regions[i].one.dims);
        weft_free(l.regions[i].lanes.primitives);
        weft_free(l.regions[i].lanes.dims);
        weft_free(l.regions[i].masked.primitives);
        weft_free(l.regions[i].masked.dims);
    }
    weft_free(l.regions);
    weft_free(l.arguments);
    weft_free(l.uniforms);
    LLVMDisposeBuilder(l.b);
    return status;
}
