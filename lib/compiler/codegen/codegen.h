// codegen/ makes machine code of `run`: LLVM's optimiser, what must be fitted to the target, the object, and the ELF shared object. The
// stage weftc_optimize (compiler.h) is here.
//
// Comes in: `run` as workitem_loops leaves it, in IR without primitives. Goes out: an ELF shared object. Must not know: OpenCL, and why the
// code is as it is.
#ifndef WEFTC_CODEGEN_H
#define WEFTC_CODEGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "weft/status.h"

struct weft_buf;
struct weftc_kernel_options;
struct weftc_target;

// ---- codegen/codegen.c ----
// The machine code of the optimised module as an ELF shared object. *elf is the caller's (weft_free).
weft_status weftc_codegen(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, uint8_t **elf, size_t *elf_size,
                          struct weft_buf *log);
// The machine code alone, as an object file or as text. *out is the caller's (LLVMDisposeMemoryBuffer).
weft_status weftc_emit_machine_code(LLVMModuleRef module, const struct weftc_target *target,
                                    const struct weftc_kernel_options *options, LLVMCodeGenFileType type,
                                    LLVMMemoryBufferRef *out, struct weft_buf *log);

// ---- codegen/unsafe_stack.c ----
// Does the final code write to private memory beyond the end of an array, as far as is known?
bool weftc_unsafe_stack_writes(LLVMModuleRef module, const struct weftc_target *target);

// ---- codegen/math_intrinsics.c ----
// Calls of math primitives, `weft.math.*`, become instructions of the target.
weft_status weftc_lower_math(LLVMModuleRef module, struct weft_buf *log);

// ---- codegen/half_vectors.c ----
// For targets that don't compute with halves: what LLVM would do for each element, for whole vectors.
void weftc_lower_fp16_vectors(LLVMModuleRef module);

// ---- codegen/split_loops.c ----
// For targets whose operands in memory are spread over lanes: loops' bodies that don't fit into registers part by part.
void weftc_part_loops(LLVMModuleRef module);

#endif
