// Reads the metadata and attributes that the front end leaves on kernels and other functions.
#ifndef WEFTC_KERNEL_ATTRIBUTES_H
#define WEFTC_KERNEL_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

// The kernel's reqd_work_group_size; {0, 0, 0} if it has none.
void weftc_required_group(LLVMValueRef kernel, uint32_t sizes[3]);
// The kernel's intel_reqd_sub_group_size; 0 if it has none.
uint32_t weftc_required_sub_group(LLVMValueRef kernel);
// The number of sub-groups that the kernel requires in a work-group; 0: any. Only modules from SPIR-V have
// it.
uint32_t weftc_required_sub_groups(LLVMValueRef kernel);
// Does the kernel's language require that all groups of a launch have the same size?
bool weftc_groups_are_uniform(LLVMValueRef kernel);
// The function's place in the source as "file:line:column: ", the beginning of a diagnostic; "" if it isn't
// known. The module owns the string.
const char *weftc_place_of(LLVMModuleRef module, LLVMValueRef function);

// ---- reading metadata ----
// Returns the function's metadata node of this kind, as a value, or NULL. entries: from
// LLVMGlobalCopyAllMetadata.
LLVMValueRef weftc_find_node(LLVMContextRef context, LLVMValueMetadataEntry *entries, size_t count,
                             const char *kind);
// Returns operand i of a node, or NULL if it has fewer operands.
LLVMValueRef weftc_node_operand(LLVMValueRef node, unsigned i);
// Returns operand i of a node as a number, or fallback if there is none.
uint32_t weftc_node_number(LLVMValueRef node, unsigned i, uint32_t fallback);

#endif
