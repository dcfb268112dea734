// Kernels whose barriers are reached by all work-items of a group or by none: no branch that some of them
// take leads to one. There the checker (checker/barriers.c) needn't count who arrives, which lanes would do
// one after the other. For races it is enough that the driver hears of each barrier once a group, between two
// regions.
#include <llvm-c/Core.h>

#include "compiler/compiler.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/regions/regions.h"
#include "weft/checker.h"

bool weftc_drop_arrivals(const struct weftc_cfg *g, const struct weftc_uniformity *u, uint32_t check)
{
    LLVMValueRef f = LLVMGetNamedFunction(g->module, WEFTC_ARRIVE);
    if (!f || u->everything)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
        if (g->blocks[weftc_block_of_instruction(g, LLVMGetUser(use))].divergent)
            return false;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(f));)
        LLVMInstructionEraseFromParent(LLVMGetUser(use));
    LLVMDeleteFunction(f);
    weftc_module_number_set(g->module, WEFTC_PHASES, check >> WEFT_CHECK_RACE & 1);
    return true;
}
