// Debug information of `run`.
//
// `run` gets a DISubprogram of its own, so that the source lines of the regions that are inlined into it are
// kept. With options->locate it also gets a variable for each dimension: the place of the first work-item
// that the code works on, counted from the first one of the group (or the span: run.c) that `run` is in.
// Another variable is the number of these work-items along dimension 0. They are ordinary variables of DWARF,
// so LLVM follows them through all passes, and nothing is computed for them at run time. bridge/locate.cpp
// reads them when a kernel has faulted.
//
// With options->variables a debugger is to see all of one work-item at a time. Before `run` calls a region,
// it writes the work-item's ids to the work-item's frame (bridge/debug_variables.cpp). Each function has a
// slot with the frame's address, and the debug information says of each variable: in the frame to which the
// slot points. That holds at every instruction, whatever the code generator does. In a kernel without
// barriers all work-items have the same frame, one after the other; else each has its own in the state arena.
// Regions stay functions. For the debugger region 0 is the kernel. The loops have the line of the kernel's
// declaration, so that stepping beyond a work-item's end goes to the next one.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/bridge/debug_variables.h"
#include "compiler/bridge/locate.h"
#include "compiler/compiler.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/workitem_loops/workitem_loops.h"

enum { DWARF_VERSION = 5, ENCODING_UNSIGNED = 7 }; // DW_ATE_unsigned

static const char *const located_names[WEFTC_LOCATED] = {WEFTC_LOCATED_X, WEFTC_LOCATED_Y, WEFTC_LOCATED_Z,
                                                         WEFTC_LOCATED_ITEMS};

static void set_flag(LLVMModuleRef module, const char *name, unsigned value)
{
    if (LLVMGetModuleFlag(module, name, strlen(name)))
        return;
    LLVMValueRef number = weftc_i32(LLVMGetModuleContext(module), value);
    LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorWarning, name, strlen(name), LLVMValueAsMetadata(number));
}

// The source file of the kernel: that of the first instruction that has a line. Without any, the name that
// the front end gives a source.
static LLVMMetadataRef file_of_kernel(LLVMDIBuilderRef di, LLVMValueRef f, unsigned *line)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            *line = LLVMGetDebugLocLine(i);
            if (!*line)
                continue;
            unsigned length, folder_length;
            const char *name = LLVMGetDebugLocFilename(i, &length);
            const char *folder = LLVMGetDebugLocDirectory(i, &folder_length);
            return LLVMDIBuilderCreateFile(di, name, length, folder, folder_length);
        }
    *line = 0;
    return LLVMDIBuilderCreateFile(di, "<source>", 8, "", 0);
}

// The subprogram of `run` in a compile unit of its own, or in that of all functions.
static LLVMMetadataRef make_run(struct weftc_loops *l, LLVMValueRef region)
{
    unsigned line;
    LLVMMetadataRef file = file_of_kernel(l->di, region, &line);
    LLVMMetadataRef unit = weftc_bridge_make_unit(l->module, l->di, file, l->options->locate, region);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(l->di, file, NULL, 0, LLVMDIFlagZero);
    size_t length;
    const char *name = LLVMGetValueName2(l->run, &length);
    LLVMMetadataRef run = LLVMDIBuilderCreateFunction(l->di, unit, name, length, name, length, file, line,
                                                      type, true, true, line, LLVMDIFlagArtificial, true);
    LLVMSetSubprogram(l->run, run);
    return run;
}

static void make_variables(struct weftc_loops *l, LLVMMetadataRef run, LLVMMetadataRef file)
{
    LLVMMetadataRef type =
        LLVMDIBuilderCreateBasicType(l->di, "ulong", 5, 64, ENCODING_UNSIGNED, LLVMDIFlagZero);
    for (size_t k = 0; k < WEFTC_LOCATED; k++)
        l->located[k] =
            LLVMDIBuilderCreateAutoVariable(l->di, run, located_names[k], strlen(located_names[k]), file, 0,
                                            type, true, LLVMDIFlagArtificial, 0);
}

// ---- variables of work-items ----

// What a frame begins with.
static const struct item_ids {
    const char *names[WEFTC_MAX_DIMS];
    enum weftc_primitive id;
} item_ids[] = {{{"gid0", "gid1", "gid2"}, WEFTC_GLOBAL_ID},
                {{"lid0", "lid1", "lid2"}, WEFTC_LOCAL_ID},
                {{"group0", "group1", "group2"}, WEFTC_GROUP_ID},
                {{"gsize0", "gsize1", "gsize2"}, WEFTC_GLOBAL_SIZE},
                {{"lsize0", "lsize1", "lsize2"}, WEFTC_LOCAL_SIZE}};

enum { ITEM_IDS = WEFT_COUNT_OF(item_ids) * WEFTC_MAX_DIMS, WORD = 8, FIRST_SIZE = 9 };
_Static_assert(ITEM_IDS *WORD <= WEFTC_ITEM_FRAME_IDS, "the room for ids");

static bool has_variables(const struct weftc_loops *l)
{
    return l->options->variables && weftc_module_number(l->module, WEFTC_ITEM_FRAME_BYTES);
}

uint64_t weftc_loops_debug_fixed(const struct weftc_loops *l)
{
    return l->region_count > 1 ? 0 : weftc_module_number(l->module, WEFTC_ITEM_FRAME_BYTES);
}

// A slot of the function: the frame's address, and what bridge/locate.cpp looks for.
static LLVMValueRef build_slot(struct weftc_loops *l)
{
    return LLVMBuildAlloca(l->b, LLVMArrayType2(LLVMInt64TypeInContext(l->c), 1 + WEFTC_LOCATED), "");
}

static void set_slot(struct weftc_loops *l, LLVMValueRef slot, uint64_t word, LLVMValueRef value)
{
    LLVMValueRef index = weftc_i64(l->c, word);
    LLVMValueRef place = LLVMBuildInBoundsGEP2(l->b, LLVMInt64TypeInContext(l->c), slot, &index, 1, "");
    LLVMSetVolatile(LLVMBuildStore(l->b, value, place), true);
}

static bool is_used(const struct weftc_loops *l, enum weftc_primitive p, unsigned dim)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%u", weftc_primitive_name(p), dim);
    return LLVMGetNamedFunction(l->module, name) != NULL;
}

// Dimensions that the kernel asks for; at least one.
static unsigned dimensions(const struct weftc_loops *l)
{
    static const enum weftc_primitive ids[] = {WEFTC_GLOBAL_ID, WEFTC_GLOBAL_ID32, WEFTC_LOCAL_ID,
                                               WEFTC_LOCAL_ID32, WEFTC_GROUP_ID};
    unsigned dims = 1;
    for (unsigned d = 1; d < WEFTC_MAX_DIMS; d++)
        for (size_t k = 0; k < WEFT_COUNT_OF(ids); k++)
            if (is_used(l, ids[k], d))
                dims = d + 1;
    return dims;
}

// sizes: those too, and ids of all dimensions. In functions of the program there are only ids that the kernel
// asks for, as others would hide the program's own variables in a list.
static void declare(struct weftc_loops *l, LLVMValueRef function, LLVMValueRef slot, bool sizes)
{
    const unsigned dims = sizes ? WEFTC_MAX_DIMS : l->asked_dims;
    struct weftc_item_variable own[ITEM_IDS + WEFTC_LOCATED];
    size_t count = 0;
    for (size_t k = 0; k < WEFTC_LOCATED && l->options->locate && !sizes; k++)
        own[count++] = (struct weftc_item_variable){located_names[k], WORD * (1 + k), true};
    for (size_t k = 0; k < (sizes ? (size_t)ITEM_IDS : FIRST_SIZE); k++)
        if (k % WEFTC_MAX_DIMS < dims)
            own[count++] = (struct weftc_item_variable){
                item_ids[k / WEFTC_MAX_DIMS].names[k % WEFTC_MAX_DIMS], WORD * k, false};
    weftc_bridge_declare_variables(function, slot, weftc_fact_name(WEFTC_VARIABLES), own, count);
}

void weftc_loops_debug_region(struct weftc_loops *l, unsigned number)
{
    LLVMValueRef f = l->regions[number].scalar.function;
    char suffix[48] = "";
    if (number)
        snprintf(suffix, sizeof suffix, ".after_barrier_%u", number);
    if (!has_variables(l) || !weftc_bridge_describe_region(f, suffix, weftc_fact_name(WEFTC_VARIABLES)))
        return;
    l->asked_dims = number ? l->asked_dims : dimensions(l); // before ids are asked for here
    LLVMPositionBuilderBefore(l->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    LLVMValueRef slot = build_slot(l);
    set_slot(l, slot, 0, weftc_primitive_build(l->b, l->module, WEFTC_ITEM_FRAME, 0));
    for (unsigned d = 0; d < WEFTC_MAX_DIMS; d++)
        set_slot(l, slot, 1 + d, weftc_primitive_build(l->b, l->module, WEFTC_LOCAL_ID, d));
    set_slot(l, slot, WEFTC_LOCATED, weftc_i64(l->c, 1));
    declare(l, f, slot, false);
    weftc_add_attribute(f, WEFTC_OF_FUNCTION, "noinline", 0);
    l->regions[number].scalar_is_called = true;
}

void weftc_loops_debug_slot(struct weftc_loops *l)
{
    if (has_variables(l))
        l->item = build_slot(l);
}

void weftc_loops_debug_item(struct weftc_loops *l)
{
    if (!l->item)
        return;
    LLVMValueRef frame = l->at.value[WEFTC_STATE][0];
    LLVMTypeRef byte = LLVMInt8TypeInContext(l->c);
    if (l->region_count > 1) {
        LLVMValueRef place = weftc_i64(l->c, weftc_module_number(l->module, WEFTC_ITEM_FRAME_PLACE)),
                     size = weftc_i64(l->c, weftc_module_number(l->module, WEFTC_ITEM_FRAME_BYTES));
        place = LLVMBuildMul(l->b, place, l->at.value[WEFTC_STATE_ROWS][0], "");
        place = LLVMBuildAdd(l->b, place, LLVMBuildMul(l->b, size, l->at.value[WEFTC_ITEM][0], ""), "");
        frame = LLVMBuildGEP2(l->b, byte, frame, &place, 1, "");
    }
    l->at.value[WEFTC_ITEM_FRAME][0] = frame;
    set_slot(l, l->item, 0, frame);
    for (size_t k = 0; k < ITEM_IDS; k++) {
        const unsigned dim = weftc_swapped_dimension((unsigned)k % WEFTC_MAX_DIMS, l->lane_dimension);
        LLVMValueRef value = l->at.value[item_ids[k / WEFTC_MAX_DIMS].id][dim];
        LLVMValueRef offset = weftc_i64(l->c, WORD * k);
        LLVMSetVolatile(LLVMBuildStore(l->b, value, LLVMBuildInBoundsGEP2(l->b, byte, frame, &offset, 1, "")),
                        true);
    }
    // For lib/tools/gdb.py: the distance to the frame of the next work-item.
    LLVMValueRef offset = weftc_i64(l->c, WORD * ITEM_IDS),
                 size = weftc_i64(
                     l->c, l->region_count > 1 ? weftc_module_number(l->module, WEFTC_ITEM_FRAME_BYTES) : 0);
    LLVMBuildStore(l->b, size, LLVMBuildInBoundsGEP2(l->b, byte, frame, &offset, 1, ""));
}

void weftc_loops_debug_variables(struct weftc_loops *l)
{
    if (l->item)
        declare(l, l->run, l->item, true);
}

// ---- `run` ----

void weftc_loops_debug_begin(struct weftc_loops *l)
{
    // The builder may still have the place of an instruction of a region.
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    if (!l->options->debug && !l->options->locate)
        return;
    set_flag(l->module, "Debug Info Version", LLVMDebugMetadataVersion());
    set_flag(l->module, "Dwarf Version", DWARF_VERSION);
    l->di = LLVMCreateDIBuilder(l->module);
    unsigned line = 0;
    LLVMValueRef region = l->regions[0].scalar.function;
    LLVMMetadataRef run = has_variables(l) ? weftc_bridge_describe_run(l->run, region, &line) : NULL;
    if (!run)
        run = make_run(l, region);
    // Line 0: `run` has no source of its own.
    l->location = LLVMDIBuilderCreateDebugLocation(l->c, line, 0, run, NULL);
    if (has_variables(l))
        LLVMSetCurrentDebugLocation2(l->b, l->location); // of all that is built
    if (l->options->locate)
        make_variables(l, run, LLVMDIScopeGetFile(run));
}

void weftc_loops_debug_call(struct weftc_loops *l, LLVMValueRef call, unsigned items)
{
    if (!l->location)
        return;
    LLVMInstructionSetDebugLoc(call, l->location);
    if (!l->options->locate)
        return;
    LLVMMetadataRef as_it_is = LLVMDIBuilderCreateExpression(l->di, NULL, 0);
    for (unsigned k = 0; k < WEFTC_LOCATED; k++) {
        LLVMValueRef value = k < WEFTC_MAX_DIMS ? l->at.value[WEFTC_LOCAL_ID][k] : weftc_i64(l->c, items);
        // The variables are named by the launch's dimensions.
        unsigned which = k < WEFTC_MAX_DIMS ? weftc_swapped_dimension(k, l->lane_dimension) : k;
        LLVMDIBuilderInsertDbgValueRecordBefore(l->di, value, l->located[which], as_it_is, l->location, call);
    }
}

void weftc_loops_debug_end(struct weftc_loops *l)
{
    if (!l->di)
        return;
    LLVMDIBuilderFinalize(l->di);
    LLVMDisposeDIBuilder(l->di);
}
