// codegen/ makes machine code of `run`: LLVM's optimiser, adaptation to the target, the object file, and the
// ELF shared object. The stage's entry, weftc_optimize, is declared in compiler.h.
//
// Input: `run` as workitem_loops leaves it, in IR without primitives. Output: an ELF shared object. codegen
// must not know OpenCL, nor why the code is as it is.
#ifndef WEFTC_CODEGEN_H
#define WEFTC_CODEGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "weft/kernel_abi.h"
#include "weft/status.h"

struct weft_buf;
struct weftc_kernel_options;
struct weftc_target;

// ---- codegen/layout_visits.c ----

// How many blocks LLVM's block placement visits to find branches that end loops, for all blocks together.
size_t weftc_layout_visits(LLVMModuleRef module);

// ---- codegen/truncate_uses.c ----

// Where numbers of large functions are used in very many other blocks than that in which they are extended,
// uses the extension instead.
weft_status weftc_truncate_uses(LLVMModuleRef module);

// ---- codegen/limits.c ----

// What is left out for large kernels, because it takes more than linear time. LIMIT(id, text for the report)
#define WEFTC_LIMITS(LIMIT)                                                                                \
    LIMIT(SUMS, "no vectors are looked for in the sums of scalar code (SLP)")                              \
    LIMIT(STORES, "no vectors are looked for in scalar code (SLP)")                                        \
    LIMIT(LONG_LOOPS, "scalar loops with many accesses are not vectorized by LLVM")                        \
    LIMIT(REPEATED, "vectorized code is simplified fewer times")                                           \
    LIMIT(LOOPS,                                                                                           \
          "LLVM neither unrolls nor vectorizes loops, and doesn't replace loads by known values (GVN)")    \
    LIMIT(DEEP, "loops within very many loops are vectorized as they are (no LICM, no unrolling)")         \
    LIMIT(ADDRESSES, "addresses in loops are computed as written (LSR)")                                   \
    LIMIT(DOMAINS,                                                                                         \
          "mask operations stay in general registers or mask registers as selected (domain reassignment)") \
    LIMIT(CONSTANTS, "constants stay in loops (machine LICM)")                                             \
    LIMIT(SINKING, "values aren't moved to the branch that uses them (machine sinking)")                   \
    LIMIT(WEBS, "variables that very many branches change go through memory now and then")                 \
    LIMIT(PARTS, "its code is several functions that call each other")                                     \
    LIMIT(LAYOUT, "blocks of code stand as in the source (block placement)")                               \
    LIMIT(SPILLS, "places of spills are searched for in fewer blocks")                                     \
    LIMIT(HALVES, "halves are converted by calls of a function")                                           \
    LIMIT(CHAINS, "chains of operations are not rearranged for shorter latency (machine combiner)")
enum weftc_limit {
#define WEFTC_LIMIT_ID(id, text) WEFTC_LIMIT_##id,
    WEFTC_LIMITS(WEFTC_LIMIT_ID)
#undef WEFTC_LIMIT_ID
        WEFTC_LIMIT_COUNT
};
// Notes in WEFTC_LIMITS_HOLD whether the limit holds. Returns `holds`.
bool weftc_note_limit(LLVMModuleRef module, enum weftc_limit limit, bool holds);
// Writes a line for each limit that holds.
void weftc_print_limits(LLVMModuleRef module, struct weft_buf *out);

// ---- codegen/codegen.c ----

// Chooses what the code generator does, by the size of the optimised module.
void weftc_choose_passes(LLVMModuleRef module, enum weft_code_level level);

// Makes an ELF shared object of the optimised module. The caller frees *elf (weft_free). Errors are in the
// log.
weft_status weftc_codegen(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, uint8_t **elf, size_t *elf_size,
                          struct weft_buf *log);
// Makes only the machine code, as an object file or as text. The caller disposes of *out
// (LLVMDisposeMemoryBuffer).
weft_status weftc_emit_machine_code(LLVMModuleRef module, const struct weftc_target *target,
                                    const struct weftc_kernel_options *options, LLVMCodeGenFileType type,
                                    LLVMMemoryBufferRef *out, uint32_t *spills, struct weft_buf *log);

// ---- codegen/unsafe_stack.c ----

// Does the final code write to private memory at a place that isn't known to be within its variable?
bool weftc_unsafe_stack_writes(LLVMModuleRef module, const struct weftc_target *target);

// ---- codegen/math_intrinsics.c ----

// Lowers calls of math primitives, `weft.math.*`, to instructions of the target.
weft_status weftc_lower_math(LLVMModuleRef module, const struct weftc_target *target, struct weft_buf *log);

// ---- codegen/dot_products.c ----

// Lowers dot products of bytes, `weft.math.dot.*`, to instructions of the target.
void weftc_lower_dot_products(LLVMModuleRef module, const struct weftc_target *target);

// ---- codegen/half_vectors.c ----

// For targets without fp16 arithmetic: lowers operations on whole vectors that LLVM would do for each
// element.
void weftc_lower_fp16_vectors(LLVMModuleRef module);

// ---- codegen/half_conversions.c ----

// For targets that don't convert halves: lowers conversions and arithmetic of vectors of halves.
void weftc_lower_half_conversions(LLVMModuleRef module);

// ---- codegen/masked_accesses.c ----

// Expands masked accesses that the target hasn't, in functions of very many.
weft_status weftc_expand_masked_accesses(LLVMModuleRef module, const struct weftc_target *target);

// ---- codegen/bit_tests.c ----

// For targets without mask registers: vectors are chosen by a bit without a comparison.
void weftc_select_by_bits(LLVMModuleRef module);

// ---- codegen/wide_masks.c ----

// For targets without mask registers: masks that go from block to block, or that take more than a register,
// become vectors of whole numbers.
weft_status weftc_widen_masks(LLVMModuleRef module, const struct weftc_target *target);

// ---- codegen/gathers.c ----

// Prepares gathers and scatters for LLVM. Without instructions for them they become accesses lane by lane.
void weftc_lower_gathers(LLVMModuleRef module, const struct weftc_target *target);

// ---- codegen/masked_stores.c ----

// For targets without mask registers: stores without a mask where all lanes take part.
void weftc_branch_around_masked_stores(LLVMModuleRef module);

// ---- codegen/traps.c ----
// Gives traps the instruction of the target's family, if it has one. Must be last: a call that becomes
// inline assembly isn't known to LLVM's passes as what doesn't return.
void weftc_lower_traps(LLVMModuleRef module);

// ---- codegen/share_addresses.c ----

// Before LLVM's passes: computes each address in a private variable with many accesses once. False: there is
// no such variable.
bool weftc_share_addresses(LLVMModuleRef module);
// After LLVM's passes, where addresses are shared: each block computes its own ones.
void weftc_localize_addresses(LLVMModuleRef module);

// ---- codegen/sink_far_values.c ----

// After LLVM's passes: in large functions with very many values that are used once, far from where they are
// computed, moves them to their use.
void weftc_sink_far_values(LLVMModuleRef module);

// ---- codegen/cut_webs.c ----

// Last of all, for the register coalescer: in large functions, variables that very many branches change go
// through memory now and then.
weft_status weftc_cut_webs(LLVMModuleRef module);

// ---- codegen/split_functions.c ----

// Before the code generator: splits large functions into parts that call each other.
weft_status weftc_split_functions(LLVMModuleRef module);

// ---- codegen/narrow_words.c ----

// For targets with registers of 256 bits and more: truncates vectors of 64-bit words by shuffles.
void weftc_narrow_words(LLVMModuleRef module, const struct weftc_target *target);

// ---- codegen/split_loops.c ----

// For targets that broadcast operands from memory: splits loop bodies that need more registers than there are
// into parts that run one after the other.
void weftc_split_loops(LLVMModuleRef module);

#endif
