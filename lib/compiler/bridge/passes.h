// Changes to a module that LLVM has and llvm-c doesn't offer (bridge/passes.cpp, bridge/retype.cpp).
#ifndef WEFTC_BRIDGE_PASSES_H
#define WEFTC_BRIDGE_PASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- metadata ----
// A fresh alias scope domain (parent NULL) or a scope in one.
LLVMMetadataRef weftc_bridge_alias_scope(LLVMContextRef c, LLVMMetadataRef domain, const char *name);
// A distinct, empty node: an access group.
LLVMMetadataRef weftc_bridge_distinct_node(LLVMContextRef c);
// Sets metadata `kind` of the instruction to the union of what it has and `list`.
void weftc_bridge_append_metadata(LLVMValueRef instruction, const char *kind, LLVMMetadataRef list);
// Gives the loop whose latch ends in `branch` the property {"llvm.loop.parallel_accesses", group} (group may
// be NULL) and a vector width for the loop vectorizer: 0 its own choice, 1 none.
void weftc_bridge_loop_properties(LLVMValueRef branch, LLVMMetadataRef group, unsigned vector_width);
// That loop isn't to be unrolled with a loop for the odd rounds beside it, unless the program says how it is to be unrolled.
void weftc_bridge_keep_rolled(LLVMValueRef branch);
// Nor is that one to be unrolled in any way.
void weftc_bridge_never_unroll(LLVMValueRef branch);

// ---- module ----
// Of the module's named metadata; NULL: it has none of that name.
LLVMValueRef weftc_bridge_last_operand(LLVMModuleRef module, const char *name);
// Constant expressions over these globals become instructions at their uses.
void weftc_bridge_expand_constants(LLVMValueRef *globals, size_t count);
// Pointers of space `generic` become such of the spaces that they were cast from, where all ways to them agree.
void weftc_bridge_infer_spaces(LLVMValueRef f, unsigned generic);
// Every pointer in the module gets address space 0. Functions are replaced by others of the same name.
void weftc_bridge_flatten_address_spaces(LLVMModuleRef module);
// Puts the body of the function that is called in the place of the call. False: it can't be.
bool weftc_bridge_inline(LLVMValueRef call);
// Puts the body of a function that no other module sees in the place of its only call: nothing is copied, and what `restrict` said of the
// parameters is lost. The function is gone then. False: nothing has changed.
bool weftc_bridge_inline_only_call(LLVMValueRef call);

// `f` with further parameters behind its own. f is gone; the function returned has its name and uses.
LLVMValueRef weftc_bridge_add_parameters(LLVMValueRef f, const LLVMTypeRef *types, size_t count);

// Attributes of the function and of its parameters; `to` has those of `from` and may have more behind them.
void weftc_bridge_copy_attributes(LLVMValueRef to, LLVMValueRef from);
// Takes `noalias` from parameters of f whose address may be kept somewhere (stored, made a number): all
// parameters when `captured` is false.
void weftc_bridge_drop_noalias(LLVMValueRef f, bool captured);

// ---- control flow ----
// Splits the block before `instruction`; returns the new block that begins with it.
LLVMBasicBlockRef weftc_bridge_split_block(LLVMValueRef instruction);
// For each of the function's blocks, in the order of the list, the index of its immediate post-dominator;
// UINT32_MAX for none.
void weftc_bridge_post_dominators(LLVMValueRef f, const LLVMBasicBlockRef *blocks, size_t count,
                                  uint32_t *ipdom);
// Loops in that function of the module which has most.
size_t weftc_bridge_max_loops(LLVMModuleRef module);
// Moves parts of one function to functions of their own, each of them blocks the first of which is the only way in, that all
// leave to one other block, and whose values nobody else uses.
// Part i is the next counts[i] of `blocks`; functions[i] is what it became. False: one of them can't be.
bool weftc_bridge_outline(const LLVMBasicBlockRef *blocks, const size_t *counts, size_t parts,
                          LLVMValueRef *functions);
// The conditional branch always goes where it goes when its condition is true; what can't be reached then is gone.
void weftc_bridge_take_branch(LLVMValueRef branch);
// Removes blocks that can't be reached from the entry.
void weftc_bridge_remove_unreachable(LLVMValueRef f);

// ---- values ----
// The value lives in a new stack slot (an alloca at the function's start, which is returned) instead of in a
// register.
LLVMValueRef weftc_bridge_demote(LLVMValueRef instruction);

// Loads of a 32-bit number `offset` bytes behind `pointer`, which constant offsets lead to, become `value`. How many were
// there?
size_t weftc_bridge_replace_loads(LLVMValueRef pointer, uint64_t offset, uint32_t value);

// Is `pointer` a constant number of bytes behind `base`?
bool weftc_bridge_constant_offset(LLVMValueRef pointer, LLVMValueRef base, uint64_t *offset);
// The constant global, whose contents are known here, that `pointer` is `*offset` bytes behind; or NULL.
LLVMValueRef weftc_bridge_constant_global(LLVMValueRef pointer, uint64_t *offset);
// `count` bytes of a constant, from byte `offset` on; those that may be anything stay as they are. False: one of them isn't known.
bool weftc_bridge_constant_bytes(LLVMValueRef constant, LLVMTargetDataRef layout, uint64_t offset,
                                 uint64_t count, uint8_t *bytes);

// Is it a load that gives the same wherever it is done, and may be done where nobody asked for it?
bool weftc_bridge_is_fixed_load(LLVMValueRef instruction);

// Read-modify-writes that are atomic only towards their own thread become loads and stores.
void weftc_bridge_lower_own_atomics(LLVMModuleRef module);

// ---- copies of a part of a function ----
// Copies blocks[0..count) to the end of the function `into`. Values in from[] are replaced by those in to[];
// so are branches to blocks outside the part, when these are in from[]. PHIs lose the edges that come from
// outside the part. copies[i] is the copy of blocks[i].
void weftc_bridge_copy_blocks(LLVMValueRef into, const LLVMBasicBlockRef *blocks, size_t count,
                              const LLVMValueRef *from, const LLVMValueRef *to, size_t mapped,
                              LLVMBasicBlockRef *copies);

#ifdef __cplusplus
}
#endif
#endif
