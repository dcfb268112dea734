// Variables of kernels for debuggers (bridge/debug_variables.cpp says how they are kept). These functions
// read and write LLVM's debug information. Stateless.
#ifndef WEFTC_BRIDGE_DEBUG_VARIABLES_H
#define WEFTC_BRIDGE_DEBUG_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#ifdef __cplusplus
extern "C" {
#endif

// Gives the file `name` of the debug information, which was relative to folder `in`, another name and folder.
void weftc_bridge_rename_file(LLVMModuleRef module, const char *name, const char *in, const char *new_name,
                              const char *new_folder);

// Replaces the private variables that the debug information describes by places in the work-item's frame.
// frame: a function of no arguments that returns the frame's address; the first `reserved` bytes there are
// free for others. list: the named metadata that gets a
// row for each variable: what it is, its place, and whether that holds its address only (local memory, large
// arguments). No other variables stay described. Returns the size of the frame.
uint64_t weftc_bridge_move_variables(LLVMModuleRef module, LLVMValueRef frame, uint64_t reserved,
                                     const char *list, unsigned local_space);

// Makes the region's function the kernel itself for the debugger. In the code of a region that begins at a
// barrier, the kernel gets a suffix to its name. Otherwise a breakpoint at the kernel would stop after each
// barrier again. Variables of the kernel get rows in the list with that kernel as their scope. suffix: "" for
// the first region. Returns false if the code has no debug information.
bool weftc_bridge_describe_region(LLVMValueRef region, const char *suffix, const char *list);

// A variable of ours: where it is in the frame.
struct weftc_item_variable {
    const char *name;
    uint64_t offset;
    bool in_slot; // not in the frame but in the slot itself; in the function only, not in inlined ones
};

// Describes the variables of a function and of those that are inlined in it: they are in the frame whose
// address is in `slot`, an alloca of the function.
void weftc_bridge_declare_variables(LLVMValueRef function, LLVMValueRef slot, const char *list,
                                    const struct weftc_item_variable *own, size_t own_count);

// Describes `run` as a function of the source in which the kernel is whose code the region has, at the
// kernel's line. It must be the same compile unit: gdb looks only there for the places where a function was
// inlined. Returns its subprogram. NULL: the kernel has no debug information.
LLVMMetadataRef weftc_bridge_describe_run(LLVMValueRef run, LLVMValueRef region, unsigned *line);

// Makes a compile unit for `run`. full: it can have variables. If the kernel whose code the region has is in
// gdb's index, all functions of the module move to the new unit: gdb looks only there for the places where
// they were inlined.
LLVMMetadataRef weftc_bridge_make_unit(LLVMModuleRef module, LLVMDIBuilderRef builder, LLVMMetadataRef file,
                                       bool full, LLVMValueRef region);

#ifdef __cplusplus
}
#endif

#endif
