// A family of processors that Weft knows nothing about: any that LLVM makes code for. Vectors are of 128
// bits, and nothing is done that LLVM IR has no word for.
#include "compiler/arch/target.h"

static void describe(struct weftc_target *t)
{
    t->native_width = 4;
    t->vector_registers = 16;
}

const struct weftc_target_ops weftc_target_portable = {.describe = describe};
