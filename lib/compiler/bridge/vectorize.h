// Trees over a function's control flow, copies of functions, and facts about accesses (bridge/vectorize.cpp,
// bridge/loops.cpp).
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
// The function's trees. The caller allocates the arrays, with an element for each block, in the function's
// order. UINT32_MAX stands for none.
struct weftc_bridge_trees {
    uint32_t *order; // the blocks in reverse post-order; unreachable blocks are missing
    uint32_t *idom;  // immediate dominator
    uint32_t *loop;  // innermost loop
    // the parent of each loop; there are at most as many loops as blocks, and outer loops have smaller
    // numbers
    uint32_t *loop_parent;
    uint32_t *loop_header; // the header block of each loop
    size_t reached, loop_count;
    bool reducible;
};
void weftc_bridge_trees(LLVMValueRef f, struct weftc_bridge_trees *trees);
// Of operations other than accesses and address computations: the elements that they handle, and how many
// operations they are for a processor with registers of so many bits. ..._by_hand: only of OpenCL's vectors,
// without what only changes how many elements a vector has. A loop's operations count eight times.
struct weftc_bridge_elements {
    uint64_t elements, operations, elements_by_hand, operations_by_hand;
};
void weftc_bridge_count_elements(LLVMValueRef f, unsigned register_bits, struct weftc_bridge_elements *count);

// ---- functions ----
// Returns an internal copy in the same module, with the given name.
LLVMValueRef weftc_bridge_clone_function(LLVMValueRef f, const char *name);
// Splits vectors into their elements, also in loads and stores, then runs a textual pipeline of function
// passes. Both only on f. Returns false if LLVM doesn't know the pipeline.
bool weftc_bridge_scalarize(LLVMValueRef f, LLVMTargetMachineRef machine, const char *pipeline);
// Runs a textual pipeline of function passes on f only. Returns false if LLVM doesn't know the pipeline.
bool weftc_bridge_run_on(LLVMValueRef f, LLVMTargetMachineRef machine, const char *pipeline);

size_t weftc_bridge_loop_count(LLVMValueRef f);
// The largest number of blocks of a loop that leave it.
size_t weftc_bridge_most_exits(LLVMValueRef f);
// The largest number of blocks of a loop times variables that its iterations hand on.
size_t weftc_bridge_most_carried(LLVMValueRef f);
// In how many loops a block is, on average.
size_t weftc_bridge_loop_depth(LLVMValueRef f);
// Rotates all loops, as LLVM's pass loop-rotate does. That pass discards what ScalarEvolution knows after
// each loop, and for that visits all that is computed from the loop's values: with many loops one after the
// other, all that follow. And for each use of a loop's variable it searches all blocks before; here the
// body gets each variable by one phi. Loops must be simplified and closed.
void weftc_bridge_rotate_loops(LLVMValueRef f, LLVMTargetMachineRef machine);
// Gives each loop a single latch, a preheader and exits of its own.
void weftc_bridge_simplify_loops(LLVMValueRef f);
// Simplifies all loops and closes them (LCSSA): what a loop computes is used outside of it by phis at its
// exits only. For each loop LLVM's pass lists the exits of the loop around it, so its time is quadratic in
// the number of loops. Afterwards it finds nothing to do.
void weftc_bridge_close_loops(LLVMValueRef f);
// After each `every`-th loop, two empty ways come together that lead there by an unknown condition. For each
// loop, ScalarEvolution goes back over all conditions that surely hold before, in a row of loops to the first
// one; it ends where ways come together. simplifycfg removes them. And what was computed before goes through
// vectors of one element there, which early-cse removes: when LLVM changes or unrolls a loop, ScalarEvolution
// forgets all that is computed from its results, however far away, but it doesn't look behind vectors.
void weftc_bridge_part_loops(LLVMValueRef f, unsigned every);
// Unrolls the loop whose latch ends in `branch`: one iteration of the new loop runs `iterations` iterations
// of the old one. A remainder loop follows. Both loops get metadata `mark` with the number of old iterations
// in one new one. If the trip count is known and small, and the result has at most `max_complete`
// instructions, the loop is unrolled completely. A loop that can't be unrolled stays unchanged.
void weftc_bridge_unroll(LLVMValueRef branch, LLVMTargetMachineRef machine, unsigned iterations,
                         unsigned max_complete, const char *mark);
// Unrolls completely the loops that have a known trip count and index private memory or a table of constants.
// Limits: `max_size` instructions for each loop, `max_total` for all. Loops are brought into the form that
// LLVM's passes need. Returns whether there were any.
bool weftc_bridge_unroll_known_places(LLVMValueRef f, LLVMTargetMachineRef machine, unsigned max_size,
                                      unsigned max_total);

// ---- instructions ----
// Copies flags such as nsw, inbounds and fast-math.
void weftc_bridge_copy_flags(LLVMValueRef to, LLVMValueRef from);
// Do two instructions perform the same operation with the same flags? Their operands may differ.
bool weftc_bridge_same_operation(LLVMValueRef a, LLVMValueRef b);
// Removes flags that can make the result poison.
void weftc_bridge_drop_flags(LLVMValueRef i);
// Copies what is known of an access, as far as it also holds for the same access of several work-items.
void weftc_bridge_copy_access(LLVMValueRef to, LLVMValueRef from);
// Instruction `to` also replaces `from`: keeps only those facts of the access that hold for both.
void weftc_bridge_join_access(LLVMValueRef to, LLVMValueRef from);
// Do alias scopes say that the two accesses never touch the same memory?
bool weftc_bridge_never_alias(LLVMValueRef a, LLVMValueRef b);
bool weftc_bridge_touches_memory(LLVMValueRef i);
// Builds a call of llvm.masked.load, store, gather or scatter. The arguments are a value (store, scatter),
// the pointer or pointers, the alignment, the mask, and what lanes without it get (load, gather).
LLVMValueRef weftc_bridge_masked_access(LLVMBuilderRef builder, const char *name, LLVMTypeRef type,
                                        LLVMTypeRef pointer, LLVMValueRef arguments[4]);
// Names of math primitives: codegen/math_intrinsics.c has the rest of them. NAME.vN is the version for N
// lanes.
#define WEFTC_MATH_PREFIX "weft.math."
// Returns the vector version for `width` lanes of the intrinsic or math primitive (codegen/math_intrinsics.c)
// that `call` calls. NULL if there is none that does the same in each lane. Bit k of *scalar_operands:
// operand k stays scalar.
LLVMValueRef weftc_bridge_widen_intrinsic(LLVMValueRef call, unsigned width, uint32_t *scalar_operands);

// ---- bridge/vectorize.cpp: calls of these intrinsics. stores: store or scatter ----
unsigned weftc_bridge_masked_alignment(LLVMValueRef call, bool stores);
LLVMValueRef weftc_bridge_masked_mask(LLVMValueRef call, bool stores);

#ifdef __cplusplus
}
#endif
#endif
