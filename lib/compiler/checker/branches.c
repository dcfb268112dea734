// The branch around what may be wrong.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/checker/marker.h"
#include "compiler/ir/llvm_helpers.h"

LLVMBasicBlockRef weftc_check_branch_around(const struct weftc_check_marker *m, LLVMValueRef i,
                                            LLVMValueRef wrong, LLVMBasicBlockRef *instead)
{
    LLVMBasicBlockRef before = LLVMGetInstructionParent(i), right = weftc_bridge_split_block(i),
                      after = weftc_bridge_split_block(LLVMGetNextInstruction(i));
    *instead = LLVMInsertBasicBlockInContext(m->c, after, "");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(m->b, before);
    weftc_set_unlikely(LLVMBuildCondBr(m->b, wrong, *instead, right), true);
    LLVMPositionBuilderAtEnd(m->b, *instead);
    LLVMPositionBuilderBefore(m->b, LLVMBuildBr(m->b, after));
    return after;
}
