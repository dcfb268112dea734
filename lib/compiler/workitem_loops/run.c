// Builds the entry point `run`, which runs a range of work-groups.
//
// For each group, and for each region between barriers in the order in which the kernel runs them, `run` has
// a nest of loops over the group's work-items: z, y, x from outside in. The region is called in it, and then
// inlined:
//
//     for each group: current_group = ...; its ids, size and base by counting up, without a division
//         region 0:  for z for y for x { region.0(arguments, uniform values, ids) }
//                    the next region, and the outgoing uniform values, are those of the last work-item
//         region 1:  ...
//
// Besides its scalar function a region may have vectorized ones (vectorize/vectorize.c).
// workitem_loops/nest.c builds the loops over one group and chooses among them. The x loop of a region
// without vectorized functions is left to LLVM's loop vectorizer: its metadata says that the accesses in the
// access group of prepare are independent between work-items. workitem_loops/host_calls.c makes what the host
// reads of the code, and its calls to the host.
//
// Three things need more than that:
// * 32-bit ids. `(int)get_global_id(0)` must not wrap inside the x loop: otherwise a[i] isn't consecutive.
//   If such an id is used, the x loop is split where the id reaches a multiple of 2^31, which hardly ever
//   happens.
// * Small groups. If a kernel has no barrier and never asks how groups are cut, consecutive groups of a row
//   run as one *span*. So groups of one work-item are as fast as large ones. current_group then names the
//   first group of the span.
// * Tiles. If such a kernel accesses cache lines along dimension 1, a span is also several whole rows of
//   groups. It runs tile by tile, so that a cache line is used completely within a short time.
//
// The file has more than 500 lines because it builds one function, `run`, from its arguments to its return,
// in the order of the code.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/passes.h"
#include "compiler/compiler.h"
#include "compiler/ir/group_independence.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/region_functions.h"
#include "compiler/ir/sub_groups.h"
#include "compiler/workitem_loops/workitem_loops.h"
#include "weft/device_call.h"
#include "weft/kernel_abi.h"
#include "weft/named_barrier.h"

// ---- regions: their primitives become parameters ----

static weft_status collect_primitives(struct weftc_loops_body *r)
{
    bool seen[WEFTC_PRIMITIVE_COUNT][WEFTC_MAX_DIMS] = {{false}};
    enum { MAX_PRIMITIVES = WEFTC_PRIMITIVE_COUNT * WEFTC_MAX_DIMS };
    r->primitives = weft_alloc_array(MAX_PRIMITIVES, sizeof *r->primitives);
    r->dims = weft_alloc_array(MAX_PRIMITIVES, sizeof *r->dims);
    if (!r->primitives || !r->dims)
        return WEFT_NO_MEMORY;
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(r->function, &at)) {
        if (seen[at.primitive][at.dim])
            continue;
        seen[at.primitive][at.dim] = true;
        r->primitives[r->primitive_count] = at.primitive;
        r->dims[r->primitive_count++] = at.dim;
    }
    return WEFT_OK;
}

static unsigned parameter_of(const struct weftc_loops_body *r, enum weftc_primitive p, unsigned dim)
{
    unsigned i = 0;
    while (r->primitives[i] != p || r->dims[i] != dim)
        i++;
    return i;
}

static weft_status parametrize(struct weftc_loops *l, struct weftc_loops_body *r)
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
    // A function that is inlined has none: code is to be the same with debug information.
    LLVMMetadataRef subprogram = l->options->variables ? LLVMGetSubprogram(r->function) : NULL;
    r->function = weftc_bridge_add_parameters(r->function, types, r->primitive_count);
    if (subprogram)
        LLVMSetSubprogram(r->function, subprogram);
    weft_free(types);
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(r->function, &at)) {
        LLVMValueRef parameter = LLVMGetParam(r->function, first + parameter_of(r, at.primitive, at.dim));
        LLVMReplaceAllUsesWith(at.call, parameter);
        LLVMInstructionEraseFromParent(at.call);
    }
    LLVMSetLinkage(r->function, LLVMInternalLinkage);
    return WEFT_OK;
}

// Is the kernel unable to find out how the index space is cut into groups?
static bool group_shape_independent(const struct weftc_loops *l)
{
    if (l->region_count != 1)
        return false;
    for (unsigned i = 0; i < l->regions[0].scalar.primitive_count; i++)
        if (weftc_depends_on_groups(l->regions[0].scalar.primitives[i]))
            return false;
    return !weftc_takes_local_memory(l->regions[0].scalar.function, l->argument_count);
}

// ---- once in a call of run ----

static LLVMValueRef stack_intrinsic(struct weftc_loops *l, const char *name, LLVMValueRef *argument)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(l->c, 0);
    LLVMValueRef f =
        LLVMGetIntrinsicDeclaration(l->module, LLVMLookupIntrinsicID(name, strlen(name)), &pointer, 1);
    return LLVMBuildCall2(l->b, LLVMGlobalGetValueType(f), f, argument, argument ? 1 : 0, "");
}

// Computes where private memory ends, for kernels that ask. The red zone belongs to the frame too: a leaf
// function uses memory below the stack pointer.
static void load_ends(struct weftc_loops *l)
{
    enum { RED_ZONE = 128 };
    LLVMTypeRef byte = LLVMInt8TypeInContext(l->c);
    if (!LLVMGetNamedFunction(l->module, weftc_primitive_name(WEFTC_FRAME)))
        return;
    LLVMValueRef zero = weftc_i32(l->c, 0), below = weftc_i64(l->c, 0ull - RED_ZONE);
    LLVMValueRef low = stack_intrinsic(l, "llvm.stacksave", NULL);
    l->at.value[WEFTC_FRAME][0] = stack_intrinsic(l, "llvm.frameaddress", &zero);
    l->at.value[WEFTC_FRAME_END][0] = LLVMBuildGEP2(l->b, byte, low, &below, 1, "");
    LLVMValueRef size = weftc_i64(l->c, weftc_module_number(l->module, WEFTC_STATE_PER_ITEM));
    size = LLVMBuildMul(l->b, size, l->at.value[WEFTC_STATE_ROWS][0], "");
    size = LLVMBuildAdd(l->b, size, weftc_i64(l->c, weftc_loops_debug_fixed(l)), "");
    l->at.value[WEFTC_STATE_END][0] = LLVMBuildGEP2(l->b, byte, l->at.value[WEFTC_STATE][0], &size, 1, "");
}

// The driver has the shadow of local memory, and behind it, as large, the origins.
static void load_local_shadow(struct weftc_loops *l, LLVMValueRef end)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(l->c, 0), i64 = weftc_loops_i64(l);
    LLVMValueRef memory = l->at.value[WEFTC_LOCAL_MEMORY][0];
    LLVMValueRef shadow = weftc_loops_device_call(l, WEFT_CALL_CHECK_LOCAL);
    LLVMValueRef size = LLVMBuildSub(l->b, LLVMBuildPtrToInt(l->b, end, i64, ""),
                                     LLVMBuildPtrToInt(l->b, memory, i64, ""), "");
    l->at.value[WEFTC_CHECK_LOCAL_SHADOW][0] = LLVMBuildIntToPtr(l->b, shadow, pointer, "");
    l->at.value[WEFTC_CHECK_LOCAL_ORIGINS][0] =
        LLVMBuildIntToPtr(l->b, LLVMBuildAdd(l->b, shadow, size, ""), pointer, "");
}

static void load_launch(struct weftc_loops *l)
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
        for (unsigned d = 0; d < WEFTC_MAX_DIMS; d++)
            l->at.value[rows[i].p][d] =
                weftc_loops_field(l, nd, rows[i].offset + 8 * weftc_swapped_dimension(d, l->lane_dimension),
                                  weftc_loops_i64(l));
    static const enum weftc_fact required[] = {WEFTC_GROUP_SIZE_0, WEFTC_GROUP_SIZE_1, WEFTC_GROUP_SIZE_2};
    for (unsigned d = 0; d < WEFTC_MAX_DIMS; d++) {
        uint64_t known =
            weftc_module_number(l->module, required[weftc_swapped_dimension(d, l->lane_dimension)]);
        if (known)
            l->at.value[WEFTC_FULL_LOCAL_SIZE][d] = weftc_i64(l->c, known);
    }
    l->at.value[WEFTC_WORK_DIM][0] =
        weftc_loops_field(l, nd, offsetof(struct weft_ndrange, work_dim), LLVMInt32TypeInContext(l->c));
    if (LLVMGetNamedFunction(l->module, weftc_primitive_name(WEFTC_TEMPORAL_STORES)))
        l->at.value[WEFTC_TEMPORAL_STORES][0] = weftc_loops_field(
            l, nd, offsetof(struct weft_ndrange, temporal_stores), LLVMInt32TypeInContext(l->c));
    LLVMTypeRef pointer = LLVMPointerTypeInContext(l->c, 0);
    l->at.value[WEFTC_EXEC][0] = x;
    if (LLVMGetNamedFunction(l->module, weftc_primitive_name(WEFTC_CHECK_OBJECTS)))
        l->at.value[WEFTC_CHECK_OBJECTS][0] =
            LLVMBuildIntToPtr(l->b, weftc_loops_device_call(l, WEFT_CALL_CHECK_OBJECTS), pointer, "");
    l->at.value[WEFTC_LOCAL_MEMORY][0] =
        weftc_loops_field(l, x, offsetof(struct weft_exec, local_mem), pointer);
    l->at.value[WEFTC_GROUP_SLOT][0] = weftc_loops_slot(l, weftc_loops_i64(l));
    l->at.value[WEFTC_PROGRAM_VARIABLES][0] =
        weftc_loops_field(l, x, offsetof(struct weft_exec, variables), pointer);
    if (l->scheduled)
        l->at.value[WEFTC_GROUP_BARRIERS][0] =
            weftc_loops_slot(l, LLVMArrayType2(LLVMInt32TypeInContext(l->c), WEFT_BARRIER_WORDS));
    LLVMValueRef state = weftc_loops_field(l, x, offsetof(struct weft_exec, state), pointer);
    l->at.value[WEFTC_STATE][0] = l->at.value[WEFTC_LOCAL_END][0] = state;
    if (LLVMGetNamedFunction(l->module, weftc_primitive_name(WEFTC_CHECK_LOCAL_SHADOW)))
        load_local_shadow(l, state);

    LLVMValueRef *size = l->at.value[WEFTC_FULL_LOCAL_SIZE];
    LLVMValueRef items = LLVMBuildMul(l->b, LLVMBuildMul(l->b, size[0], size[1], ""), size[2], "");
    LLVMValueRef up = LLVMBuildAdd(l->b, items, weftc_i64(l->c, WEFT_STATE_ROW - 1), "");
    l->at.value[WEFTC_STATE_ROWS][0] =
        LLVMBuildAnd(l->b, up, weftc_i64(l->c, ~(uint64_t)(WEFT_STATE_ROW - 1)), "");
    load_ends(l);
}

// Loads the arguments from the packed block, which the host aligns to 8 bytes only.
static weft_status load_arguments(struct weftc_loops *l)
{
    LLVMValueRef f = l->regions[0].scalar.function, block = LLVMGetParam(l->run, 1);
    l->arguments = weft_alloc_array(l->argument_count + 1, sizeof *l->arguments);
    if (!l->arguments)
        return WEFT_NO_MEMORY;
    for (unsigned i = 0; i < l->argument_count; i++) {
        unsigned length;
        LLVMAttributeRef offset_attribute = weftc_fact_attribute(f, i + 1, WEFTC_ATTRIBUTE_OFFSET);
        LLVMAttributeRef kind_attribute = weftc_fact_attribute(f, i + 1, WEFTC_ATTRIBUTE_KIND);
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
        LLVMValueRef value = LLVMBuildLoad2(l->b, local ? weftc_loops_i64(l) : type, slot, "");
        if (LLVMGetAlignment(value) > 8)
            LLVMSetAlignment(value, 8);
        if (local)
            value = LLVMBuildInBoundsGEP2(l->b, byte, l->at.value[WEFTC_LOCAL_MEMORY][0], &value, 1, "");
        l->arguments[i] = value;
    }
    return WEFT_OK;
}

// ---- one group ----

// Behind a region: all work-items have passed a barrier.
static void tell_phase(struct weftc_loops *l)
{
    if (weftc_module_number(l->module, WEFTC_PHASES))
        weftc_loops_device_call(l, WEFT_CALL_CHECK_PASSED);
}

// Builds all regions of the group, from the builder's position on. The builder is where the group is done
// then.
static weft_status build_group(struct weftc_loops *l, const LLVMValueRef base[3], const LLVMValueRef size[3])
{
    if (l->region_count == 1)
        return weftc_loops_nest(l, &l->regions[0], base, size, NULL);
    if (l->scheduled)
        return weftc_loops_scheduled(l, base, size);
    for (unsigned i = 0; i < l->region_count; i++)
        l->regions[i].begin = weftc_loops_block(l, "region");
    LLVMBasicBlockRef done = weftc_loops_block(l, "done");
    LLVMValueRef next = weftc_loops_slot(l, LLVMInt32TypeInContext(l->c));
    LLVMBuildBr(l->b, l->regions[0].begin);
    for (unsigned i = 0; i < l->region_count; i++) {
        struct weftc_loops_region *r = &l->regions[i];
        LLVMPositionBuilderAtEnd(l->b, r->begin);
        LLVMBasicBlockRef last = LLVMGetLastBasicBlock(l->run);
        weft_status status = weftc_region_is_single_item(r->scalar.function)
                                 ? weftc_loops_single_item(l, r, base, next)
                                 : weftc_loops_nest(l, r, base, size, next);
        if (status != WEFT_OK)
            return status;
        r->nest = LLVMGetNextBasicBlock(last);
        r->end = LLVMGetInsertBlock(l->b);
        // If only one region can follow, no check is needed. Otherwise the last work-item decides for all.
        const char *at = NULL;
        unsigned number, first = 0, count = 0;
        while (weftc_region_number(r->scalar.function, WEFTC_ATTRIBUTE_NEXT, &at, &number))
            if (count++ == 0)
                first = number;
        LLVMBasicBlockRef target = first && count ? l->regions[first].begin : done;
        if (target != done || count > 1)
            tell_phase(l);
        if (count <= 1) {
            LLVMBuildBr(l->b, target);
            continue;
        }
        LLVMValueRef where = LLVMBuildLoad2(l->b, LLVMInt32TypeInContext(l->c), next, "");
        LLVMValueRef branch = LLVMBuildSwitch(l->b, where, target, count - 1);
        at = NULL;
        for (unsigned k = 0; weftc_region_number(r->scalar.function, WEFTC_ATTRIBUTE_NEXT, &at, &number); k++)
            if (k > 0)
                LLVMAddCase(branch, weftc_i32(l->c, number), number ? l->regions[number].begin : done);
    }
    LLVMPositionBuilderAtEnd(l->b, done);
    return WEFT_OK;
}

// ---- all groups ----

static void build_current_group(struct weftc_loops *l, LLVMValueRef linear)
{
    LLVMValueRef offset = weftc_i64(l->c, offsetof(struct weft_exec, current_group));
    LLVMValueRef place =
        LLVMBuildInBoundsGEP2(l->b, LLVMInt8TypeInContext(l->c), LLVMGetParam(l->run, 2), &offset, 1, "");
    LLVMSetVolatile(LLVMBuildStore(l->b, linear, place), true);
}

// How many whole rows of groups there are, from the current group on, among the next `left` groups; at least
// one.
static LLVMValueRef whole_rows(struct weftc_loops *l, LLVMValueRef left)
{
    const LLVMValueRef *groups = l->at.value[WEFTC_NUM_GROUPS], *id = l->at.value[WEFTC_GROUP_ID];
    LLVMValueRef count = LLVMBuildUDiv(l->b, left, groups[0], "");
    count = weftc_loops_minimum(l, count, LLVMBuildSub(l->b, groups[1], id[1], ""));
    LLVMValueRef begins = LLVMBuildICmp(l->b, LLVMIntEQ, id[0], weftc_i64(l->c, 0), "");
    LLVMValueRef some = LLVMBuildICmp(l->b, LLVMIntUGE, left, groups[0], "");
    return LLVMBuildSelect(l->b, LLVMBuildAnd(l->b, begins, some, ""), count, weftc_i64(l->c, 1), "");
}

// Non-temporal stores must be visible to a thread that learns that the range is done.
static void fence_nontemporal(struct weftc_loops *l)
{
    if (l->at.value[WEFTC_TEMPORAL_STORES][0])
        weftc_target_ops->nontemporal_fence(l->module, l->b);
}

static weft_status build_run(struct weftc_loops *l)
{
    LLVMValueRef first = LLVMGetParam(l->run, 3), last = LLVMGetParam(l->run, 4);
    LLVMValueRef zero = weftc_i64(l->c, 0), one = weftc_i64(l->c, 1);
    l->entry = weftc_loops_block(l, "entry");
    LLVMPositionBuilderAtEnd(l->b, l->entry);
    weftc_loops_debug_slot(l);
    load_launch(l);
    weft_status status = load_arguments(l);
    if (status != WEFT_OK)
        return status;
    if (l->sub_group)
        weftc_loops_sub_groups_of_launch(l);
    const LLVMValueRef *full = l->at.value[WEFTC_FULL_LOCAL_SIZE], *groups = l->at.value[WEFTC_NUM_GROUPS];
    const LLVMValueRef *global_size = l->at.value[WEFTC_GLOBAL_SIZE];
    LLVMBasicBlockRef decode = weftc_loops_block(l, "decode"), exit = weftc_loops_block(l, "exit");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, first, last, ""), decode, exit);

    LLVMPositionBuilderAtEnd(l->b, decode);
    // at[d]: the dimension here that is the launch's dimension d. Groups are counted in the launch's order.
    const unsigned at[3] = {weftc_swapped_dimension(0, l->lane_dimension),
                            weftc_swapped_dimension(1, l->lane_dimension),
                            weftc_swapped_dimension(2, l->lane_dimension)};
    LLVMValueRef id[3], rest = LLVMBuildUDiv(l->b, first, groups[at[0]], "");
    id[at[0]] = LLVMBuildURem(l->b, first, groups[at[0]], "");
    id[at[2]] = LLVMBuildUDiv(l->b, rest, groups[at[1]], "");
    id[at[1]] = LLVMBuildURem(l->b, rest, groups[at[1]], "");
    struct weftc_loop group;
    weftc_loop_open(l, &group, first, "group");
    for (unsigned d = 0; d < 3; d++)
        l->at.value[WEFTC_GROUP_ID][d] = weftc_loop_induction(l, id[d], decode);
    build_current_group(l, group.index);

    LLVMValueRef base[3], size[3], count = one, rows = one;
    bool uniform = weftc_module_number(l->module, WEFTC_UNIFORM_GROUPS) != 0;
    for (unsigned d = 0; d < 3; d++) {
        LLVMValueRef begin = LLVMBuildMul(l->b, l->at.value[WEFTC_GROUP_ID][d], full[d], "");
        LLVMValueRef max = full[d];
        if (d == 0 && l->span) {
            LLVMValueRef in_row = LLVMBuildSub(l->b, groups[0], l->at.value[WEFTC_GROUP_ID][0], "");
            count = weftc_loops_minimum(l, in_row, LLVMBuildSub(l->b, last, group.index, ""));
            max = LLVMBuildMul(l->b, count, full[0], "");
        }
        if (d == 1 && l->tiles) {
            rows = whole_rows(l, LLVMBuildSub(l->b, last, group.index, ""));
            max = LLVMBuildMul(l->b, rows, full[1], "");
        }
        base[d] = LLVMBuildAdd(l->b, l->at.value[WEFTC_GLOBAL_OFFSET][d], begin, "");
        size[d] = uniform ? max : weftc_loops_minimum(l, max, LLVMBuildSub(l->b, global_size[d], begin, ""));
        l->at.value[WEFTC_LOCAL_SIZE][d] = size[d];
    }
    if (l->sub_group)
        weftc_loops_sub_groups_of_group(l, size, uniform);
    status = build_group(l, base, size);
    if (status != WEFT_OK)
        return status;

    // Count the group's ids up, with a carry from one dimension to the next.
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    LLVMValueRef step = count;
    for (unsigned d = 0; d < 3; d++) {
        LLVMValueRef phi = l->at.value[WEFTC_GROUP_ID][at[d]], next = LLVMBuildAdd(l->b, phi, step, "");
        if (d < 2) {
            LLVMValueRef carry = LLVMBuildICmp(l->b, LLVMIntEQ, next, groups[at[d]], "");
            next = LLVMBuildSelect(l->b, carry, zero, next, "");
            step = d == 0 ? LLVMBuildSelect(l->b, carry, rows, zero, "")
                          : LLVMBuildZExt(l->b, carry, weftc_loops_i64(l), "");
        }
        LLVMAddIncoming(phi, &next, &latch, 1);
    }
    count = LLVMBuildMul(l->b, count, rows, "");
    weftc_loop_close(l, &group, LLVMBuildAdd(l->b, group.index, count, ""), last);
    LLVMBuildBr(l->b, exit);
    LLVMPositionBuilderAtEnd(l->b, exit);
    fence_nontemporal(l);
    LLVMBuildRetVoid(l->b);
    return WEFT_OK;
}

// In a vectorized row few work-items are left for the scalar function, but half of LLVM's time would go into
// it. So the scalar function of a large region isn't optimised. Launches that gain by good scalar code have
// it in a code variant of their own (ADR 20). For small regions that would save no time.
enum {
    LARGE_SCALAR = 400, // instructions
    QUICK_COST = 64,    // in sixteenths of the cost of optimised code
};

static void choose_outlined(struct weftc_loops *l)
{
    // Not if the kernel asks where private memory is: it compares with the ends of run's frame, which a
    // separate function isn't in. And not in other code variants: the launches that these are made for rely
    // on good scalar code.
    if (LLVMGetNamedFunction(l->module, weftc_primitive_name(WEFTC_FRAME)) ||
        l->options->variant != WEFT_VARIANT_ANY)
        return;
    for (unsigned i = 0; i < l->region_count; i++) {
        struct weftc_loops_region *r = &l->regions[i];
        r->scalar_is_outlined = r->lanes.function && !r->tail.function && !l->options->opt_disable &&
                                weftc_function_size(r->scalar.function) > LARGE_SCALAR;
        if (r->scalar_is_outlined)
            l->scalar_cost = QUICK_COST;
    }
}

static void outline_scalar(LLVMValueRef function)
{
    weftc_add_attribute(function, WEFTC_OF_FUNCTION, "noinline", 0);
    weftc_add_attribute(function, WEFTC_OF_FUNCTION, "optnone", 0);
    LLVMSetSection(function, WEFTC_REMAINDER_SECTION);
}

// Inlines the function into the loops around it. A function that is called once is moved: what is copied is
// simplified on the way, which for long code takes as long as all other work of this stage.
static weft_status inline_body(LLVMValueRef function, bool quick, struct weft_buf *log)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(function));) {
        if (weftc_bridge_inline_only_call(LLVMGetUser(use), !quick))
            return WEFT_OK;
        if (weftc_callee(LLVMGetUser(use)) != function || !weftc_bridge_inline(LLVMGetUser(use))) {
            weft_buf_puts(log, "internal error: a region can't be inlined\n");
            return WEFT_INTERNAL;
        }
    }
    return WEFT_OK;
}

static LLVMMetadataRef items_group(LLVMModuleRef module)
{
    if (LLVMGetNamedMetadataNumOperands(module, weftc_fact_name(WEFTC_ITEMS_GROUP)) != 1)
        return NULL;
    LLVMValueRef node;
    LLVMGetNamedMetadataOperands(module, weftc_fact_name(WEFTC_ITEMS_GROUP), &node);
    return LLVMValueAsMetadata(node);
}

// ---- the stage ----

// One of the functions of region i: `suffix` says which. NULL: there is none.
static LLVMValueRef region_function(struct weftc_loops *l, unsigned i, const char *suffix)
{
    char name[48];
    snprintf(name, sizeof name, WEFTC_REGION_NAME "%u%s", i, suffix);
    return LLVMGetNamedFunction(l->module, name);
}

static void find_interleaved(struct weftc_loops *l, unsigned region)
{
    static const struct {
        const char *suffix;
        unsigned interleave_count;
    } widths[] = {{WEFTC_REGION_INTERLEAVED_2, 2}, {WEFTC_REGION_INTERLEAVED_4, 4}};
    struct weftc_loops_region *r = &l->regions[region];
    for (size_t k = 0; r->lanes.function && !r->interleaved.function && k < WEFT_COUNT_OF(widths); k++) {
        r->interleaved.function = region_function(l, region, widths[k].suffix);
        r->interleave_count = widths[k].interleave_count;
    }
}

static weft_status find_regions(struct weftc_loops *l)
{
    l->region_count = (unsigned)weftc_module_number(l->module, WEFTC_REGION_COUNT);
    l->regions = weft_alloc_array((size_t)l->region_count + 1, sizeof *l->regions);
    if (!l->regions)
        return WEFT_NO_MEMORY;
    for (unsigned i = 0; i < l->region_count; i++) {
        struct weftc_loops_region *r = &l->regions[i];
        r->scalar.function = region_function(l, i, "");
        r->lanes.function = region_function(l, i, WEFTC_REGION_VECTOR);
        r->tail.function = region_function(l, i, WEFTC_REGION_TAIL);
        find_interleaved(l, i);
        if (i == 0)
            l->argument_count =
                LLVMCountParams(r->scalar.function); // region 0 has no incoming uniform values
        weftc_loops_debug_region(l, i);
        struct weftc_loops_body *bodies[] = {&r->scalar, &r->lanes, &r->interleaved, &r->tail};
        for (size_t k = 0; k < WEFT_COUNT_OF(bodies); k++) {
            weft_status status = bodies[k]->function ? parametrize(l, bodies[k]) : WEFT_OK;
            if (status != WEFT_OK)
                return status;
        }
    }
    return WEFT_OK;
}

static weft_status declare_run(struct weftc_loops *l)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(l->c, 0), i64 = weftc_loops_i64(l);
    LLVMTypeRef params[] = {pointer, pointer, pointer, i64, i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->c), params, WEFT_COUNT_OF(params), false);
    // Named after the kernel, so that profilers and debuggers show it. But not with the kernel's own name,
    // which may be that of a function that the code needs, such as memcpy. Names that begin with "llvm."
    // belong to LLVM.
    const char *kernel = l->options->name;
    bool of_llvm = strncmp(kernel, "llvm", 4) == 0 && (!kernel[4] || kernel[4] == '.');
    char *name = weft_format("%s%s.run", of_llvm ? "kernel." : "", kernel);
    if (!name)
        return WEFT_NO_MEMORY;
    l->run = LLVMAddFunction(l->module, name, type);
    weft_free(name);
    LLVMSetLinkage(l->run, LLVMInternalLinkage);
    weftc_add_attribute(l->run, WEFTC_OF_FUNCTION, "nounwind", 0);
    for (unsigned i = 1; i <= 3; i++)
        weftc_add_attribute(l->run, i, "noalias", 0);
    static const char memory[] = "memory"; // that nobody writes to (codegen/sink_far_values.c)
    weftc_fact_attribute_set(l->run, 2, WEFTC_ATTRIBUTE_KIND, memory, strlen(memory));
    return WEFT_OK;
}

// If a kernel has very many regions, or large ones, the loops of each become a function: the time of many
// LLVM passes grows with the square of a function's size, and with its number of loops. Calls of such
// functions cost little compared to what they do. Functions of small regions are mostly what surrounds the
// region: forty took four times as long to compile as in one function, and 1.6 times as long to run.
enum { MANY_REGIONS = 128, LARGE_RUN = 12000, SMALL_REGION = 300 };

static weft_status outline_nests(struct weftc_loops *l, struct weft_buf *log)
{
    const size_t size = weftc_instruction_count(l->module);
    const bool large =
        l->region_count > MANY_REGIONS || (size > LARGE_RUN && size > (size_t)SMALL_REGION * l->region_count);
    if (l->region_count == 1 || l->scheduled || !large)
        return WEFT_OK;
    LLVMBasicBlockRef *blocks = weft_alloc_array(LLVMCountBasicBlocks(l->run), sizeof(LLVMBasicBlockRef));
    LLVMValueRef *functions = weft_alloc_array(l->region_count, sizeof(LLVMValueRef));
    size_t *counts = weft_alloc_array(l->region_count, sizeof *counts), n = 0, parts = 0;
    weft_status status = WEFT_NO_MEMORY;
    if (!blocks || !functions || !counts)
        goto done;
    for (unsigned i = 0; i < l->region_count; i++) {
        const struct weftc_loops_region *r = &l->regions[i];
        size_t first = n;
        if (r->end == r->begin)
            continue; // a single call, no loop
        blocks[n++] = r->begin;
        for (LLVMBasicBlockRef b = r->nest; b != r->end; b = LLVMGetNextBasicBlock(b))
            blocks[n++] = b;
        counts[parts++] = n - first;
    }
    status = WEFT_OK;
    if (parts > 0 && !weftc_bridge_outline(blocks, counts, parts, functions)) {
        weft_buf_puts(log, "internal error: the loops of a region can't be outlined\n");
        status = WEFT_INTERNAL;
        goto done;
    }
    for (size_t i = 0; i < parts; i++)
        LLVMSetSection(functions[i], WEFTC_NEST_SECTION);
done:
    weft_free(blocks);
    weft_free(functions);
    weft_free(counts);
    return status;
}

static weft_status inline_bodies(struct weftc_loops *l, struct weft_buf *log)
{
    weft_status status = WEFT_OK;
    for (unsigned i = 0; i < l->region_count; i++) {
        const struct weftc_loops_region *r = &l->regions[i];
        LLVMValueRef bodies[] = {r->scalar.function, r->lanes.function, r->interleaved.function,
                                 r->tail.function};
        if (r->scalar_is_outlined)
            outline_scalar(r->scalar.function);
        for (size_t k = r->scalar_is_outlined || r->scalar_is_called;
             k < WEFT_COUNT_OF(bodies) && status == WEFT_OK; k++)
            if (bodies[k])
                status = inline_body(bodies[k], l->options->level == WEFT_LEVEL_QUICK, log);
    }
    return status;
}

static void free_loops(struct weftc_loops *l)
{
    for (unsigned i = 0; l->regions && i < l->region_count; i++) {
        struct weftc_loops_region *r = &l->regions[i];
        struct weftc_loops_body *bodies[] = {&r->scalar, &r->lanes, &r->interleaved, &r->tail};
        for (size_t k = 0; k < WEFT_COUNT_OF(bodies); k++) {
            weft_free(bodies[k]->primitives);
            weft_free(bodies[k]->dims);
        }
    }
    weft_free(l->regions);
    weft_free(l->arguments);
    weft_free(l->uniforms);
    LLVMDisposeBuilder(l->b);
}

weft_status weftc_wiloops(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, struct weft_buf *log)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    struct weftc_loops l = {.module = module,
                            .c = c,
                            .options = options,
                            .items = items_group(module),
                            .scalar_cost = WEFTC_SCALAR_COST};
    l.lanes = (unsigned)weftc_module_number(module, WEFTC_LANES);
    l.lane_dimension = weft_variant_dimension(options->variant);
    l.scheduled = weftc_module_number(module, WEFTC_SCHEDULED) != 0;
    l.small_ids = weftc_module_number(module, WEFTC_SMALL_IDS) != 0;
    l.b = LLVMCreateBuilderInContext(c);
    weftc_sub_groups_of_one(module);
    if (weftc_module_number(module, WEFTC_SUB_GROUPS))
        l.sub_group = (unsigned)weftc_module_number(module, WEFTC_SUB_GROUP_MAX);
    weftc_loops_touches(&l);
    weftc_loops_host_calls(&l);
    weft_status status = find_regions(&l);
    if (status == WEFT_OK)
        status = declare_run(&l);
    if (status == WEFT_OK) {
        l.group_independence = !weftc_module_number(module, WEFTC_SUB_GROUPS) && group_shape_independent(&l);
        // consecutive groups follow each other along the launch's dimension 0
        l.span = l.group_independence && l.lane_dimension == 0 && !options->variables;
        l.tiles = l.span && weftc_module_number(module, WEFTC_TILES) != 0;
        weftc_loops_debug_begin(&l);
        status = build_run(&l);
        weftc_loops_debug_end(&l);
    }
    if (status == WEFT_OK) {
        choose_outlined(&l);
        weftc_loops_info(&l);
        status = outline_nests(&l, log);
    }
    if (status == WEFT_OK)
        status = inline_bodies(&l, log);
    if (status == WEFT_OK)
        weftc_loops_debug_variables(&l);
    if (status == WEFT_OK)
        status = weftc_run_passes(module, target, "globaldce", log);
    free_loops(&l);
    return status;
}
