// The processor that machine code is for, and what it can do.
#ifndef WEFTC_TARGET_H
#define WEFTC_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "weft/status.h"

struct weftc_target {
    LLVMTargetMachineRef machine;
    char *cpu, *features;
    char *identity;
    uint32_t native_width; // lanes of 32 bits in the widest vector register
    uint32_t vector_registers;
    bool has_mask_registers;
};
// cpu_override: a processor's name; NULL: this machine's. Of that, no more than weft_arch_level has found in the process that will
// run the code: a tool such as Valgrind may do less than the processor. 0: all of it.
weft_status weftc_target_init(struct weftc_target *t, const char *cpu_override, int level);
void weftc_target_fini(struct weftc_target *t);
// True when products and sums of this type, or of vectors of it, are best rounded together.
bool weftc_target_fuses(const struct weftc_target *t, LLVMTypeRef type);
bool weftc_target_has_fp16(const struct weftc_target *t); // computes with them
// Has it the feature that LLVM calls so?
bool weftc_target_has(const struct weftc_target *t, const char *feature);
// Tells linked built-in functions what they ask about the target (lib/kernel-builtins/math/target.cl), before
// the optimiser runs, and whether the program was built with -cl-fast-relaxed-math.
void weftc_target_describe(const struct weftc_target *t, LLVMModuleRef module, bool relaxed);

#endif
