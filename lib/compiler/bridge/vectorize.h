// Trees of a function's control flow, copies of functions, and what is known of accesses (bridge/vectorize.cpp).
#ifndef WEFTC_BRIDGE_VECTORIZE_H
#define WEFTC_BRIDGE_VECTORIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- control flow ----
// The function's trees. Arrays are the caller's, with an element for each block, in the function's order;
// UINT32_MAX stands for none.
struct weftc_bridge_trees {
    uint32_t *order;       // reverse post-order: its k-th block; those that can't be reached aren't there
    uint32_t *idom;        // immediate dominator
    uint32_t *loop;        // innermost loop
    uint32_t *loop_parent; // of each loop (at most as many as blocks); outer loops have smaller numbers
    uint32_t *loop_header; // its block
    size_t reached, loop_count;
    bool reducible;
};
void weftc_bridge_trees(LLVMValueRef f, struct weftc_bridge_trees *trees);
// Blocks of the largest loop that can be entered at several of them; 0: there is none.
size_t weftc_bridge_largest_irreducible(LLVMValueRef f);

// ---- functions ----
// A copy in the same module, internal, of the given name.
LLVMValueRef weftc_bridge_clone_function(LLVMValueRef f, const char *name);
// Takes vectors apart into their elements, also where they are loaded and stored, then runs a textual pipeline
// of function passes, all on `f` alone. False: LLVM doesn't know the pipeline.
bool weftc_bridge_scalarize(LLVMValueRef f, LLVMTargetMachineRef machine, const char *pipeline);
// Runs a textual pipeline of function passes on `f` alone. False: LLVM doesn't know the pipeline.
bool weftc_bridge_run_on(LLVMValueRef f, LLVMTargetMachineRef machine, const char *pipeline);

// Gives all loops one latch, a preheader and exits of their own.
void weftc_bridge_simplify_loops(LLVMValueRef f);
// Makes one round of `rounds` of the loop whose latch ends in `branch`, with a loop for the odd ones behind it; both have metadata
// `mark` then, the number of rounds. No loop remains where all rounds are known to be few, and no more than `whole` instructions. It
// stays as it is where it can't be.
void weftc_bridge_unroll(LLVMValueRef branch, LLVMTargetMachineRef machine, unsigned rounds, unsigned whole,
                         const char *mark);
// Loops that run a known number of rounds, over which private memory or a table of constants is indexed, become straight code of at most
// `most` instructions each and `together` of all. The loops are in the form that LLVM's passes want; returns whether there were any.
bool weftc_bridge_unroll_known_places(LLVMValueRef f, LLVMTargetMachineRef machine, unsigned most,
                                      unsigned together);

// ---- instructions ----
// Flags that say more than the operation: nsw, inbounds, fast-math ...
void weftc_bridge_copy_flags(LLVMValueRef to, LLVMValueRef from);
// Do two instructions, of operands that may differ, do the same, with the same flags?
bool weftc_bridge_same_operation(LLVMValueRef a, LLVMValueRef b);
// Without those that make the result poison.
void weftc_bridge_drop_flags(LLVMValueRef i);
// What is known of an access, as far as it holds for the same access of several work-items too.
void weftc_bridge_copy_access(LLVMValueRef to, LLVMValueRef from);
// `to` does the work of `from` too: what is known of it shrinks to what holds for both.
void weftc_bridge_join_access(LLVMValueRef to, LLVMValueRef from);
// Alias scopes say that the two accesses never touch the same memory.
bool weftc_bridge_apart(LLVMValueRef a, LLVMValueRef b);
bool weftc_bridge_touches_memory(LLVMValueRef i);
// The vector form of the intrinsic or math primitive (codegen/math_intrinsics.c) that `call` calls, for `width` lanes;
// NULL when it has none that does the
// same in each lane. Bit k of *scalar_operands: operand k stays scalar.
LLVMValueRef weftc_bridge_widen_intrinsic(LLVMValueRef call, unsigned width, uint32_t *scalar_operands);

#ifdef __cplusplus
}
#endif
#endif
