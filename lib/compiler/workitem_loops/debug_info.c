// Debug information of `run`.
//
// `run` gets a DISubprogram of its own, so that the source lines of the regions that are inlined into it are
// kept. With options->locate it also gets a variable for each dimension: the place of the first work-item
// that the code works on, counted from the first one of the group (or the span: run.c) that `run` is in.
// Another variable is the number of these work-items along dimension 0. They are ordinary variables of DWARF,
// so LLVM follows them through all passes, and nothing is computed for them at run time. bridge/locate.cpp
// reads them when a kernel has faulted.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/bridge/locate.h"
#include "compiler/compiler.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/workitem_loops/workitem_loops.h"

enum { DWARF_VERSION = 5, ENCODING_UNSIGNED = 7 }; // DW_ATE_unsigned

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

static void make_variables(struct weftc_loops *l, LLVMMetadataRef run, LLVMMetadataRef file)
{
    static const char *const names[WEFTC_LOCATED] = {WEFTC_LOCATED_X, WEFTC_LOCATED_Y, WEFTC_LOCATED_Z,
                                                     WEFTC_LOCATED_ITEMS};
    LLVMMetadataRef type =
        LLVMDIBuilderCreateBasicType(l->di, "ulong", 5, 64, ENCODING_UNSIGNED, LLVMDIFlagZero);
    for (size_t k = 0; k < WEFTC_LOCATED; k++)
        l->located[k] = LLVMDIBuilderCreateAutoVariable(l->di, run, names[k], strlen(names[k]), file, 0, type,
                                                        true, LLVMDIFlagArtificial, 0);
}

void weftc_loops_debug_begin(struct weftc_loops *l)
{
    // The builder may still have the place of an instruction of a region.
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    if (!l->options->debug && !l->options->locate)
        return;
    set_flag(l->module, "Debug Info Version", LLVMDebugMetadataVersion());
    set_flag(l->module, "Dwarf Version", DWARF_VERSION);
    l->di = LLVMCreateDIBuilder(l->module);
    unsigned line;
    LLVMMetadataRef file = file_of_kernel(l->di, l->regions[0].scalar.function, &line);
    LLVMMetadataRef unit = LLVMDIBuilderCreateCompileUnit(
        l->di, LLVMDWARFSourceLanguageOpenCL, file, "Weft", 4, true, "", 0, 0, "", 0,
        l->options->locate ? LLVMDWARFEmissionFull : LLVMDWARFEmissionLineTablesOnly, 0, false, false, "", 0,
        "", 0);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(l->di, file, NULL, 0, LLVMDIFlagZero);
    size_t length;
    const char *name = LLVMGetValueName2(l->run, &length);
    LLVMMetadataRef run = LLVMDIBuilderCreateFunction(l->di, unit, name, length, name, length, file, line,
                                                      type, true, true, line, LLVMDIFlagArtificial, true);
    LLVMSetSubprogram(l->run, run);
    // Line 0: `run` has no source of its own.
    l->location = LLVMDIBuilderCreateDebugLocation(l->c, 0, 0, run, NULL);
    if (l->options->locate)
        make_variables(l, run, file);
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
