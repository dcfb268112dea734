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
    LLVMValueRef branch = LLVMBuildCondBr(m->b, wrong, *instead, right);
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(m->c, "branch_weights", 14),
                               LLVMValueAsMetadata(weftc_i32(m->c, 1)),
                               LLVMValueAsMetadata(weftc_i32(m->c, 1u << 20))};
    weftc_set_metadata(branch, "prof", LLVMMDNodeInContext2(m->c, parts, WEFT_COUNT_OF(parts)));
    LLVMPositionBuilderAtEnd(m->b, *instead);
    LLVMPositionBuilderBefore(m->b, LLVMBuildBr(m->b, after));
    return after;
}
