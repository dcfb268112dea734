// What the front end left on kernels and other functions as metadata and attributes, and how such metadata is read.
#ifndef WEFTC_KERNEL_ATTRIBUTES_H
#define WEFTC_KERNEL_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

// What reqd_work_group_size says of the kernel; all 0 when it doesn't.
void weftc_required_group(LLVMValueRef kernel, uint32_t sizes[3]);
// What intel_reqd_sub_group_size says of the kernel; 0 when it doesn't.
uint32_t weftc_required_sub_group(LLVMValueRef kernel);
// How many sub-groups the kernel wants in a work-group; 0: any number. Modules of SPIR-V alone can say it.
uint32_t weftc_required_sub_groups(LLVMValueRef kernel);
// Does the kernel's language want all groups of a launch to be of one size?
bool weftc_groups_are_uniform(LLVMValueRef kernel);
// Where the source has the function, "file:line:column: " as diagnostics begin; "": that isn't known. The module's.
const char *weftc_place_of(LLVMModuleRef module, LLVMValueRef function);

// ---- reading metadata ----
// A function's metadata node of one kind, as a value; NULL: none.
LLVMValueRef weftc_find_node(LLVMContextRef context, LLVMValueMetadataEntry *entries, size_t count,
                             const char *kind);
// Operand i of a node; NULL when it has fewer.
LLVMValueRef weftc_node_operand(LLVMValueRef node, unsigned i);
// Operand i of a node as a number; fallback when there is none.
uint32_t weftc_node_number(LLVMValueRef node, unsigned i, uint32_t fallback);

#endif
