// The stage prepare makes one function without calls out of a kernel. Each pass has a file. prepare/prepare.c
// runs them in order and is the stage's entry, weftc_prepare (compiler.h).
//
// Input: spir64 IR of one kernel, linked with the built-in functions. Output: the kernel with everything
// inlined, in one address space, with primitives (ir/primitives.h) for everything that it asks of the launch;
// and facts about it (ir/module_facts.h). prepare must not know how regions are cut, how many lanes there
// will be, and who calls the kernel.
//
// All functions change the module in place. Those that return a status fail only if memory runs out or LLVM
// fails, unless they have a log: then they may also report an error of the program.
#ifndef WEFTC_PREPARE_H
#define WEFTC_PREPARE_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

struct weft_buf;
struct weftc_kernel_options;
struct weftc_map;
struct weftc_target;

// ---- of a whole program, before any kernel is compiled ----

// prepare/call_graph.c: reports kernels that reach a recursive function or a call through a pointer: an error
// in the log, and WEFT_BUILD_FAILED. OpenCL C allows neither (OpenCL C 2.0 §6.9), and no code can be
// generated for them.
weft_status weftc_check_calls(LLVMModuleRef module, struct weft_buf *log);

// ---- before inlining ----

// prepare/workitem_functions.c: work-item functions, barriers and fences become primitives.
void weftc_prepare_workitem_functions(LLVMModuleRef module);
// prepare/workitem_functions.c: removes `restrict` from functions that reach a barrier. Runs after
// weftc_prepare_workitem_functions.
weft_status weftc_prepare_restrict(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/zero_private.c: private memory begins as zeros (cl_khr_initialize_memory).
void weftc_prepare_zero_private(LLVMModuleRef module);
// Gives small private variables a value, so that LLVM draws no conclusions from one that the program doesn't
// set: a branch that depends on it may become none, and a loop one without an end. They are values soon.
void weftc_prepare_define_private(LLVMModuleRef module);
// prepare/fp_contract.c: decides whether x * y + z is rounded once or twice.
void weftc_prepare_fp_contract(LLVMModuleRef module, const struct weftc_target *target);
// prepare/printf.c: lowers calls of printf. An argument of an unsupported type is an error in the log.
weft_status weftc_prepare_printf(LLVMModuleRef module, struct weft_buf *log);
// prepare/generic_pointers.c: builds, at the builder's position, what replaces a call of to_global, to_local,
// to_private or get_fence. Returns NULL if `name` is none of them.
LLVMValueRef weftc_prepare_generic_call(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef call,
                                        const char *name);
// prepare/unroll_private_arrays.c: aligns private arrays of all functions for the vectors that programs read
// and write in them.
void weftc_align_private_arrays(LLVMModuleRef module);
// prepare/outline_image_reads.c: is this the built-in function of a read or write of an image?
bool weftc_is_image_access(LLVMValueRef f);
// prepare/outline_image_reads.c: unrolls loops with image reads whose unrolling the program requests. Runs
// before reads are inlined.
weft_status weftc_prepare_read_loops(LLVMModuleRef module, const struct weftc_target *target);
// prepare/outline_image_reads.c: makes functions for the image accesses that aren't to be inlined. index: a
// number for each function. times: by that number, how often the function would occur in the kernel.
// *changed: there are new functions.
weft_status weftc_prepare_outline_image_accesses(LLVMModuleRef module, const struct weftc_map *index,
                                                 const uint64_t *times, const struct weftc_target *target,
                                                 const struct weftc_kernel_options *options, bool *changed);

// ---- inlining ----

// prepare/inline.c: recursion, assembly and calls through pointers are errors in the log. Leaves
// WEFTC_OUTLINED_CALLS.
weft_status weftc_prepare_inline(LLVMModuleRef module, LLVMValueRef kernel, const struct weftc_target *target,
                                 const struct weftc_kernel_options *options, struct weft_buf *log);
// prepare/hidden_arguments.c: gives outlined functions what only the kernel knows as further arguments. The
// functions are replaced; they are listed with callees before callers.
weft_status weftc_prepare_hidden_arguments(LLVMModuleRef module, const LLVMValueRef *functions, size_t count);
// prepare/hidden_arguments.c: is this a call whose result, or what it needs, can be such an argument?
bool weftc_can_be_handed_over(LLVMValueRef call);
// prepare/hidden_arguments.c: is it a __local or program-scope variable, whose address only the kernel knows?
bool weftc_is_named_in_kernel_only(LLVMValueRef variable);
// prepare/outlined_signatures.c: does the function itself access memory atomically, or as volatile?
bool weftc_accesses_atomically(LLVMValueRef f);
// prepare/outlined_signatures.c: flattens the signatures of outlined functions, after inlining. Leaves
// WEFTC_OUTLINED_ATOMICS.
weft_status weftc_prepare_outlined_signatures(LLVMModuleRef module, LLVMValueRef kernel);

// ---- the kernel ----

// prepare/kernel_arguments.c: each argument's place in the packed block; structures by value become private
// copies. Runs first of all, on the kernel as the front end leaves it.
weft_status weftc_prepare_kernel_arguments(LLVMValueRef kernel);
// prepare/generic_pointers.c: after inlining, replaces the remaining questions for a pointer's space by
// constants or address checks.
void weftc_prepare_generic_pointers(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/image_versions.c: can a kernel get two bodies for its images? Asks for barriers and sub-groups.
// Valid once work-item functions are primitives.
bool weftc_can_have_image_versions(LLVMModuleRef module);
// prepare/image_versions.c: gives a kernel with images two bodies.
weft_status weftc_prepare_image_versions(LLVMModuleRef module, LLVMValueRef kernel,
                                         const struct weftc_target *target);
// prepare/known_sizes.c: leaves WEFTC_UNIFORM_GROUPS, WEFTC_GROUP_SIZE_0 to 2, WEFTC_SMALL_IDS.
void weftc_prepare_known_sizes(LLVMValueRef kernel, const struct weftc_kernel_options *options);
// prepare/workitem_functions.c: ids that are truncated to 32 bits become primitives of their own.
void weftc_prepare_narrow_ids(LLVMValueRef kernel);
// prepare/swap_dimensions.c: swaps dimension 0 and dimension `d` (1 or 2). Later stages lay lanes along
// dimension 0, which is then the launch's d.
void weftc_prepare_swap_dimensions(LLVMValueRef kernel, unsigned d);
// prepare/named_barriers.c: numbers the places that make named barriers. Too many are an error in the log.
// Leaves WEFTC_SCHEDULED and WEFTC_BARRIER_COUNT.
weft_status weftc_prepare_named_barriers(LLVMModuleRef module, struct weft_buf *log);
// prepare/defined_arithmetic.c: integer divisions don't trap.
void weftc_prepare_guard_divisions(LLVMValueRef function);
// prepare/defined_arithmetic.c: conversions to integers of 8 and 16 bits have a value of that type.
void weftc_prepare_clamp_conversions(LLVMValueRef function);
// prepare/dot_products.c: sums of products of bytes become dot products. True: there were some.
bool weftc_prepare_dot_products(LLVMModuleRef module, LLVMValueRef function);
// prepare/uniform_trip_counts.c: a loop over numbers of which each work-item of a group takes some:
// for (k = ids; k < end; k += step), where ids is made of local ids and constants.
struct weftc_counted_loop {
    LLVMValueRef condition;      // phi < end, in the block of the phi
    LLVMIntPredicate predicate;  // signed or unsigned less than
    LLVMValueRef phi, step, end; // step and end are constants
    unsigned back;               // the phi's incoming edge from the previous iteration
    uint64_t first, last;        // the least and the largest number with which a work-item may begin
};
// Is it the branch that ends such a loop? Nothing in the loop wraps then, not even an iteration past the end.
// sizes: the group's; 0: not known.
bool weftc_counted_loop_of(LLVMValueRef branch, const uint64_t sizes[3], struct weftc_counted_loop *l);
// prepare/uniform_trip_counts.c: counts iterations as the work-item with the least number does. Returns,
// before the loop's condition, whether that work-item has another one. latch: the block that the previous
// iteration comes from.
LLVMValueRef weftc_build_common_count(LLVMBuilderRef b, const struct weftc_counted_loop *l,
                                      LLVMBasicBlockRef latch);
// prepare/shift_barriers.c: work-items that shift rows of local memory in such a loop wait for each other in
// each iteration.
void weftc_prepare_shift_barriers(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/uniform_trip_counts.c: if the local size is known, loops that share out iterations among the
// work-items of a group get a common loop condition.
void weftc_prepare_uniform_trip_counts(LLVMValueRef kernel, const struct weftc_kernel_options *options);
// prepare/constant_arrays.c: private arrays of constants become constant data.
weft_status weftc_prepare_constant_arrays(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/expand_memory_intrinsics.c: memset and memcpy of private arrays become stores of elements.
void weftc_prepare_expand_memory_intrinsics(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/address_spaces.c: writes what address spaces say as metadata, before they are flattened.
void weftc_prepare_access_info(LLVMValueRef kernel);
// prepare/address_spaces.c: __local variables become places in the group's local memory. Leaves
// WEFTC_LOCAL_BYTES.
weft_status weftc_prepare_local_memory(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/unroll_private_arrays.c: unrolls loops so that private arrays of a kernel with barriers become
// values. The last pass.
weft_status weftc_prepare_unroll_private_arrays(LLVMModuleRef module, LLVMValueRef kernel,
                                                const struct weftc_target *target, struct weft_buf *log);

#endif
