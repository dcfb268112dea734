// Changes to a module that LLVM can make and llvm-c can't.
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

// ---- bridge/metadata.cpp ----
// Returns a new alias scope domain (parent NULL), or a new scope in a domain.
LLVMMetadataRef weftc_bridge_alias_scope(LLVMContextRef c, LLVMMetadataRef domain, const char *name);
// Returns a new distinct, empty node: an access group.
LLVMMetadataRef weftc_bridge_distinct_node(LLVMContextRef c);
// Sets metadata `kind` of the instruction to the union of its present list and `list`.
void weftc_bridge_append_metadata(LLVMValueRef instruction, const char *kind, LLVMMetadataRef list);
// Sets properties of the loop whose latch ends in `branch`: {"llvm.loop.parallel_accesses", group} unless
// group is NULL, and the vector width for the loop vectorizer. 0: it chooses; 1: don't vectorize.
void weftc_bridge_loop_properties(LLVMValueRef branch, LLVMMetadataRef group, unsigned vector_width);
// Forbids unrolling that needs a remainder loop for this loop, unless the program has its own unroll pragma.
void weftc_bridge_keep_rolled(LLVMValueRef branch);
// Forbids all unrolling of this loop.
void weftc_bridge_never_unroll(LLVMValueRef branch);
// Forbids all unrolling of loops of more than `max` instructions whose trip count isn't bounded by a
// constant, unless they have a property of their own for it. Loops that the program wants unrolled, but are
// too long for that, get iterations of at most `max_unrolled` instructions.
void weftc_bridge_keep_large_rolled(LLVMModuleRef module, size_t max, size_t max_unrolled);
// Forbids LLVM's vectorizer for the innermost loops of a function that have more than so many loads and
// stores, unless they have a property of their own for it. Returns whether there are such loops.
bool weftc_bridge_keep_scalar(LLVMValueRef function, size_t max_accesses);

// Removes debug information other than source lines. The stages of the compiler keep those only.
void weftc_bridge_keep_only_lines(LLVMModuleRef module);
// Returns the last operand of the module's named metadata, or NULL if there is none.
LLVMValueRef weftc_bridge_last_operand(LLVMModuleRef module, const char *name);

// ---- bridge/retype.cpp ----
// Changes all pointers of the module to address space 0. Functions are replaced by new ones of the same name.
void weftc_bridge_flatten_address_spaces(LLVMModuleRef module);
// Lowers opaque objects. Pipes become pointers to global memory, and reservations 64-bit integers. Images and
// samplers become pointers to constant memory; constant samplers become such integers. A parameter that was
// an image gets the attribute with the name `image`.
void weft_bridge_lower_objects(LLVMModuleRef module, const char *image);

// ---- bridge/functions.cpp ----
// Replaces constant expressions over these globals by instructions at their uses.
void weftc_bridge_expand_constants(LLVMValueRef *globals, size_t count);
// Replaces pointers of space `generic` by pointers of the space that they were cast from, where that is the
// same on all paths.
void weftc_bridge_infer_spaces(LLVMValueRef f, unsigned generic);
// Inlines a call. Returns false if that isn't possible.
bool weftc_bridge_inline(LLVMValueRef call);
// Inlines the only call of an internal function and deletes the function. Nothing is copied. Lost is what
// `restrict` says of its parameters, and that its variables live no longer than the call. exactly: not if
// there is such a thing. Returns false, without a change, if it isn't possible.
bool weftc_bridge_inline_only_call(LLVMValueRef call, bool exactly);

// Returns a copy of f with further parameters after f's own. It replaces f, with its name and uses.
LLVMValueRef weftc_bridge_add_parameters(LLVMValueRef f, const LLVMTypeRef *types, size_t count);

// Copies attributes of the function and its parameters. `to` has from's parameters and may have more after
// them.
void weftc_bridge_copy_attributes(LLVMValueRef to, LLVMValueRef from);
// Removes `noalias` from parameters of f whose address may be captured (stored, converted to an integer). If
// `captured` is false, from all parameters.
void weftc_bridge_drop_noalias(LLVMValueRef f, bool captured);

// ---- bridge/control_flow.cpp ----
// Splits the block before `instruction`. Returns the new block, which begins with it.
LLVMBasicBlockRef weftc_bridge_split_block(LLVMValueRef instruction);
// The value of case `number` of a switch; the default isn't counted.
LLVMValueRef weftc_bridge_case_value(LLVMValueRef instruction, unsigned number);
// For each block of the function, in the order of `blocks`: the index of its immediate post-dominator, or
// UINT32_MAX if it has none.
void weftc_bridge_post_dominators(LLVMValueRef f, const LLVMBasicBlockRef *blocks, size_t count,
                                  uint32_t *ipdom);
// Returns the largest number of loops in a function of the module. *all, unless NULL: their number in all
// functions.
size_t weftc_bridge_max_loops(LLVMModuleRef module, size_t *all);
// Moves parts of a function to functions of their own. Each part is a list of blocks. Only its first block
// may be entered from outside, all exits go to one other block, and none of its values is used outside. Part
// i is the next counts[i] elements of `blocks`; functions[i] becomes its function. Returns false if a part
// can't be moved.
bool weftc_bridge_outline(const LLVMBasicBlockRef *blocks, const size_t *counts, size_t parts,
                          LLVMValueRef *functions);
// Moves blocks of a function to a function of their own and returns it. Only blocks[0] may be entered from
// outside, and all exits go to `exit`. Values that are used outside go through *buffer, an alloca that this
// function makes or enlarges; at first it is NULL. *call: the block of the call, instead of blocks[0].
// Returns NULL, without a change, if more than max_values go in and out, or the blocks can't be moved.
LLVMValueRef weftc_bridge_move_out(const LLVMBasicBlockRef *blocks, size_t count, LLVMBasicBlockRef exit,
                                   unsigned max_values, LLVMValueRef *buffer, LLVMBasicBlockRef *call);
// Makes a conditional branch always go to its first successor, and deletes what can't be reached then.
void weftc_bridge_take_branch(LLVMValueRef branch);
// Removes blocks that can't be reached from the entry.
void weftc_bridge_remove_unreachable(LLVMValueRef f);
// Copies blocks[0..count) to the end of the function `into`. Values in from[] are replaced by those in to[].
// So are branches to blocks outside the part if these are in from[]. PHIs lose the edges that come from
// outside the part. copies[i] is the copy of blocks[i].
void weftc_bridge_copy_blocks(LLVMValueRef into, const LLVMBasicBlockRef *blocks, size_t count,
                              const LLVMValueRef *from, const LLVMValueRef *to, size_t mapped,
                              LLVMBasicBlockRef *copies);

// ---- bridge/values.cpp ----
// Moves a value from a register to a new stack slot. Returns the slot, an alloca at the start of the
// function.
LLVMValueRef weftc_bridge_demote(LLVMValueRef instruction);

// Replaces loads of a 32-bit number at `pointer` + `offset` bytes by `value`. Only constant offsets are
// followed. Returns the number of loads.
size_t weftc_bridge_replace_loads(LLVMValueRef pointer, uint64_t offset, uint32_t value);

// Does instruction a come before b in their block? Linear once after the block was changed, then constant.
bool weftc_bridge_comes_before(LLVMValueRef a, LLVMValueRef b);
// Is `pointer` a constant number of bytes after `base`? If so, sets *offset.
bool weftc_bridge_constant_offset(LLVMValueRef pointer, LLVMValueRef base, uint64_t *offset);
// Returns the constant global with a known initializer into which `pointer` points, and sets *offset to the
// bytes into it; or NULL.
LLVMValueRef weftc_bridge_constant_global(LLVMValueRef pointer, uint64_t *offset);
// Writes `count` bytes of a constant, from byte `offset` on, to `bytes`. Undefined bytes are not written.
// Returns false if a byte isn't known.
bool weftc_bridge_constant_bytes(LLVMValueRef constant, LLVMTargetDataRef layout, uint64_t offset,
                                 uint64_t count, uint8_t *bytes);

// Is it a load that gives the same result wherever it is executed, and that may be speculated?
bool weftc_bridge_is_fixed_load(LLVMValueRef instruction);

// Replaces atomic read-modify-writes of scope single-thread by loads and stores.
void weftc_bridge_lower_own_atomics(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
