// AArch64. Nobody has run Weft there: this is what is known from the manuals.
#include <stddef.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"

static void describe(struct weftc_target *t)
{
    t->native_width = 4;
    t->vector_registers = 32;
    t->has_fma = true;
    t->fuses = true;
    t->has_fp16 = weftc_target_has(t, "fullfp16");
    t->converts_halves = true;
}

// The operating system may keep programs from reading the cycle counter.
static LLVMValueRef clock(LLVMModuleRef module, LLVMBuilderRef b)
{
    return weftc_target_intrinsic(module, b, "llvm.readsteadycounter", NULL, NULL, 0);
}

const struct weftc_target_ops weftc_target_aarch64 = {.describe = describe, .clock = clock};
