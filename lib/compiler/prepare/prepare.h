// prepare/ makes one function without calls of a kernel: a pass in each file, in the order of prepare/prepare.c, which is the stage
// weftc_prepare (compiler.h).
//
// Comes in: spir64 IR of one kernel, linked with built-in functions. Goes out: the kernel with everything inlined, in one address space, and
// primitives (ir/primitives.h) for all that it asks of the launch; facts about it (ir/module_facts.h). Must not know: how regions are
// cut, how many lanes there will be, and who calls the kernel.
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

// ---- before anything is inlined ----
// prepare/workitem_functions.c: work-item functions, barriers and fences become primitives.
void weftc_prepare_calls(LLVMModuleRef module);
// prepare/workitem_functions.c, behind that: `restrict` goes from functions in which there is a barrier.
weft_status weftc_prepare_restrict(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/zero_private.c: private memory begins as zeros.
void weftc_prepare_zeros(LLVMModuleRef module);
// prepare/fp_contract.c: x * y + z is rounded once or twice.
void weftc_prepare_fused(LLVMModuleRef module, const struct weftc_target *target);
// prepare/printf.c
weft_status weftc_prepare_printf(LLVMModuleRef module, struct weft_buf *log);
// prepare/generic_pointers.c: what a call of to_global and its like becomes, at the builder; NULL: `name` is none of them.
LLVMValueRef weftc_prepare_generic_call(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef call,
                                        const char *name);
// prepare/unroll_private_arrays.c: private arrays of all functions are aligned as the vectors that programs read and write in them.
void weftc_align_private_arrays(LLVMModuleRef module);
// prepare/outline_image_reads.c: loops with reads of images that the program wants unrolled are so, before those are inlined.
weft_status weftc_prepare_read_loops(LLVMModuleRef module, const struct weftc_target *target);
bool weftc_is_image_read(LLVMValueRef f); // the built-in function
// Reads of images that aren't to be inlined are marked. times, by the numbers of `index`: how often each function would stand in the
// kernel. *changed: there are functions now that weren't there.
weft_status weftc_prepare_reads(LLVMModuleRef module, const struct weftc_map *index, const uint64_t *times,
                                const struct weftc_target *target, const struct weftc_kernel_options *options,
                                bool *changed);

// ---- inlining ----
weft_status weftc_prepare_inline(LLVMModuleRef module, LLVMValueRef kernel, const struct weftc_target *target,
                                 const struct weftc_kernel_options *options, struct weft_buf *log);
// prepare/outlined_signatures.c: functions that are called, behind the inliner. Leaves WEFTC_CALLS_ATOMIC.
weft_status weftc_prepare_called(LLVMModuleRef module, LLVMValueRef kernel);

// ---- the kernel, with all inlined ----
// prepare/kernel_arguments.c: each argument's place in the packed block; structs by value become private copies.
weft_status weftc_prepare_arguments(LLVMValueRef kernel);
// prepare/generic_pointers.c: what is left of to_global and its like becomes what the kernel can compute.
void weftc_prepare_generic(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/image_versions.c: two bodies for a kernel with images.
weft_status weftc_prepare_images(LLVMModuleRef module, LLVMValueRef kernel,
                                 const struct weftc_target *target);
// prepare/known_sizes.c: leaves WEFTC_UNIFORM_GROUPS, WEFTC_GROUP_SIZE_0 to 2, WEFTC_SMALL_IDS.
void weftc_prepare_indices(LLVMValueRef kernel, const struct weftc_kernel_options *options);
// prepare/workitem_functions.c: ids that are cut to 32 bits become primitives of their own.
void weftc_prepare_narrow_ids(LLVMValueRef kernel);
// prepare/swap_dimensions.c: dimension 0 and dimension `d` change places: what follows takes d for the one whose work-items lie side by side.
void weftc_prepare_turn(LLVMValueRef kernel, unsigned d);
// prepare/named_barriers.c: numbers the places that make them, and leaves WEFTC_SCHEDULED.
weft_status weftc_prepare_named_barriers(LLVMModuleRef module, struct weft_buf *log);
// prepare/guard_divisions.c
void weftc_prepare_divisions(LLVMValueRef function);
// prepare/clamp_conversions.c: to narrow integers.
void weftc_prepare_conversions(LLVMValueRef function);
// prepare/uniform_trip_counts.c: loops whose rounds the work-items of a group share out end for all at once where the group's size tells.
void weftc_prepare_trip_counts(LLVMValueRef kernel, const struct weftc_kernel_options *options);
// prepare/constant_arrays.c: private arrays of constants become constant data.
weft_status weftc_prepare_tables(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/expand_memory_intrinsics.c: private arrays that are filled or copied as a whole are so element by element.
void weftc_prepare_memory_intrinsics(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/address_spaces.c: what the address spaces tell, as metadata, before they are flattened; and local memory as primitives.
void weftc_prepare_access_info(LLVMValueRef kernel);
weft_status weftc_prepare_local_memory(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/unroll_private_arrays.c: private arrays of a kernel with barriers become values where that takes unrolling. The last step.
weft_status weftc_prepare_private(LLVMModuleRef module, LLVMValueRef kernel,
                                  const struct weftc_target *target, struct weft_buf *log);

#endif
