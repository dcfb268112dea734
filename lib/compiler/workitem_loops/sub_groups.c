// How the work-items of a group are divided into sub-groups, computed in the code of `run`. The host tells
// programs the same (lib/runtime/launch/sub_groups.c).
//
// A sub-group is a number of consecutive work-items of one row of dimension 0, as many as there are lanes.
// All sub-groups of a group have one size, except the last one (OpenCL 2.2 §3.2.2). So if there are several
// rows, and the number of lanes doesn't divide their length, the size is the largest number up to the number
// of lanes that does.
#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/workitem_loops/workitem_loops.h"

// The number of work-items in a sub-group of a group of this size.
static LLVMValueRef size_in(struct weftc_loops *l, const LLVMValueRef size[3])
{
    LLVMValueRef max = weftc_i64(l->c, l->sub_group), zero = weftc_i64(l->c, 0), one = weftc_i64(l->c, 1);
    if (l->sub_group == 1)
        return one;
    LLVMValueRef rows = LLVMBuildMul(l->b, size[1], size[2], "");
    LLVMValueRef over = LLVMBuildAnd(l->b, size[0], weftc_i64(l->c, l->sub_group - 1), "");
    LLVMValueRef simple = LLVMBuildOr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, rows, one, ""),
                                      LLVMBuildICmp(l->b, LLVMIntEQ, over, zero, ""), "");
    LLVMValueRef first = weftc_loops_minimum(l, size[0], max);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b), search = weftc_loops_block(l, "divisor"),
                      after = weftc_loops_block(l, "");
    LLVMBuildCondBr(l->b, simple, after, search);
    LLVMPositionBuilderAtEnd(l->b, search);
    LLVMValueRef divisor = LLVMBuildPhi(l->b, weftc_loops_i64(l), "");
    LLVMValueRef rest = LLVMBuildURem(l->b, size[0], divisor, "");
    LLVMValueRef smaller = LLVMBuildSub(l->b, divisor, one, "");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, rest, zero, ""), after, search);
    LLVMAddIncoming(divisor, (LLVMValueRef[]){first, smaller}, (LLVMBasicBlockRef[]){before, search}, 2);
    LLVMPositionBuilderAtEnd(l->b, after);
    LLVMValueRef result = LLVMBuildPhi(l->b, weftc_loops_i64(l), "");
    LLVMAddIncoming(result, (LLVMValueRef[]){max, divisor}, (LLVMBasicBlockRef[]){before, search}, 2);
    return result;
}

static LLVMValueRef count_in(struct weftc_loops *l, const LLVMValueRef size[3], LLVMValueRef of)
{
    LLVMValueRef up = LLVMBuildAdd(l->b, size[0], LLVMBuildSub(l->b, of, weftc_i64(l->c, 1), ""), "");
    LLVMValueRef rows = LLVMBuildMul(l->b, size[1], size[2], "");
    LLVMValueRef count = LLVMBuildMul(l->b, LLVMBuildUDiv(l->b, up, of, ""), rows, "");
    return LLVMBuildTrunc(l->b, count, LLVMInt32TypeInContext(l->c), "");
}

void weftc_loops_sub_groups_of_launch(struct weftc_loops *l)
{
    const LLVMValueRef *full = l->at.value[WEFTC_FULL_LOCAL_SIZE];
    l->sub_group_size = size_in(l, full);
    l->at.value[WEFTC_MAX_SUB_GROUP_SIZE][0] =
        LLVMBuildTrunc(l->b, l->sub_group_size, LLVMInt32TypeInContext(l->c), "");
    l->at.value[WEFTC_FULL_NUM_SUB_GROUPS][0] = count_in(l, full, l->sub_group_size);
}

void weftc_loops_sub_groups_of_group(struct weftc_loops *l, const LLVMValueRef size[3], bool full)
{
    if (!full)
        l->sub_group_size = size_in(l, size);
    l->at.value[WEFTC_NUM_SUB_GROUPS][0] =
        full ? l->at.value[WEFTC_FULL_NUM_SUB_GROUPS][0] : count_in(l, size, l->sub_group_size);
}
