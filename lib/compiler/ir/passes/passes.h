// Passes of our own: for large functions, where LLVM's take more than linear time; for what LLVM doesn't see;
// and for profiles.
#ifndef WEFTC_IR_PASSES_H
#define WEFTC_IR_PASSES_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

// ir/passes/promote.c: before sroa, makes values of the variables of large functions.
weft_status weftc_promote_variables(LLVMModuleRef module);
weft_status weftc_promote_in(LLVMValueRef function);
// ir/passes/split_copies.c: before sroa, makes copies of members of the copies of private structures.
void weftc_split_copies(LLVMValueRef function);
// ir/passes/join_empty.c: before simplifycfg, removes blocks that only pass values on to one of very many
// edges into a block.
weft_status weftc_join_empty_blocks(LLVMValueRef function);
// ir/passes/group_edges.c: before simplifycfg, lets very many edges into one block come together in groups.
weft_status weftc_group_edges(LLVMValueRef function);
// ir/passes/many_conditions.c: gives comparisons copies of values that very many of them compare, of which
// LLVM knows nothing, and takes them away again. *any: there are copies.
weft_status weftc_copy_compared(LLVMModuleRef module, LLVMValueRef kernel, bool *any);
void weftc_remove_copies(LLVMModuleRef module);
// ir/passes/share_extensions.c: before instcombine, extends a number once whose sums with very many constants
// are indices.
weft_status weftc_share_extensions(LLVMValueRef kernel);
// ir/passes/single_iterations.c: gives loops that end after their first iteration a condition that says so.
void weftc_single_iterations(LLVMValueRef function);
// ir/passes/zero_factors.c: takes away terms that a factor of zero makes zero.
void weftc_zero_factors(LLVMModuleRef module);
// ir/passes/vector_padding.c: makes stores of three-element vectors store a fourth element.
void weftc_vector_padding(LLVMValueRef function);
// ir/passes/count_work.c: makes the code count its work (struct weft_kernel_counts), and drops its source
// lines. Its lanes are to lie along dimension `along`. False: no memory.
bool weftc_count_work(LLVMModuleRef module, LLVMValueRef kernel, unsigned along);

#endif
