// Versions of a region of which more is known in most vector iterations than in all (shapes/speculation.c): a
// fast path for these, a slow path for any, and a function that checks which of them to run.
//
//     region.vector(...):  if (what is speculated holds in all of the row) fast(...)
//                          else if (it holds for lane 0's ids) fast(...) else slow(...)
//
// A likely branch (WEFTC_LIKELY_BRANCH) is speculated to go the likely way, so that the fast path is small.
//
// If lanes don't pay in the slow path, it is a loop over single work-items. In an iteration of several
// vectors, it is a loop over iterations of one vector, each of which checks for itself.
#include <stdio.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/region_functions.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/legalize/legalize.h"
#include "compiler/vectorize/vectorize.h"
#include "compiler/vectorize/version_check.h"

// The function that checks, while it is made.
struct check {
    const struct weftc_shapes *s;
    LLVMContextRef c;
    LLVMValueRef f; // with the same parameters as s->flow.function
    LLVMBuilderRef b;
    uint32_t step; // work-items that one call of the slow path runs
};

// A copy of `canonical` with one more parameter, the lane that it starts at. If it is for several work-items,
// that lane is the first of them.
static LLVMValueRef from_lane(LLVMValueRef canonical)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(canonical));
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c);
    LLVMValueRef each = weftc_bridge_clone_function(canonical, "weft.slow_path_item");
    each = weftc_bridge_add_parameters(each, &i64, 1);
    LLVMValueRef lane = LLVMGetParam(each, LLVMCountParams(each) - 1);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(each, &at)) {
        if (at.dim != 0 || !weftc_primitive_varies(at.primitive))
            continue;
        LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(at.call));
        LLVMValueRef by = LLVMBuildIntCast2(b, lane, LLVMTypeOf(at.call), false, "");
        LLVMValueRef sum = LLVMBuildAdd(b, at.call, by, "");
        LLVMReplaceAllUsesWith(at.call, sum);
        LLVMSetOperand(sum, 0, at.call);
    }
    LLVMDisposeBuilder(b);
    return each;
}

static LLVMValueRef call(struct check *q, LLVMValueRef f, LLVMValueRef *arguments)
{
    return LLVMBuildCall2(q->b, LLVMGlobalGetValueType(f), f, arguments, LLVMCountParams(f), "");
}

static void answer(struct check *q, LLVMValueRef result)
{
    if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(q->b);
    else
        LLVMBuildRet(q->b, result);
}

// What a region returns is the same for all work-items, so the last one's is returned.
static LLVMValueRef call_each(struct check *q, LLVMValueRef each, LLVMValueRef *arguments)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(q->c);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(q->b),
                      body = LLVMAppendBasicBlockInContext(q->c, q->f, "slow_path_item"),
                      after = LLVMAppendBasicBlockInContext(q->c, q->f, "");
    LLVMBuildBr(q->b, body);
    LLVMPositionBuilderAtEnd(q->b, body);
    LLVMValueRef lane = LLVMBuildPhi(q->b, i64, ""), zero = weftc_i64(q->c, 0);
    LLVMAddIncoming(lane, &zero, &before, 1);
    arguments[LLVMCountParams(each) - 1] = lane;
    LLVMValueRef result = call(q, each, arguments);
    LLVMValueRef next = LLVMBuildAdd(q->b, lane, weftc_i64(q->c, q->step), "");
    LLVMAddIncoming(lane, &next, &body, 1);
    LLVMValueRef again = LLVMBuildICmp(q->b, LLVMIntULT, next, weftc_i64(q->c, q->s->lanes), "");
    LLVMValueRef branch = LLVMBuildCondBr(q->b, again, body, after);
    weftc_bridge_loop_properties(branch, NULL, 1);
    LLVMPositionBuilderAtEnd(q->b, after);
    return result;
}

static weft_status build(struct check *q, LLVMValueRef likely, LLVMValueRef fast, LLVMValueRef slow,
                         bool each)
{
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(q->c, q->f, "entry"),
                      fast_path = LLVMAppendBasicBlockInContext(q->c, q->f, "fast_path"),
                      slow_path = LLVMAppendBasicBlockInContext(q->c, q->f, "slow_path");
    LLVMValueRef condition;
    weft_status status = WEFT_OK;
    LLVMPositionBuilderAtEnd(q->b, entry);
    if (weftc_vec_row_may_hold(q->s)) {
        LLVMBasicBlockRef single = LLVMInsertBasicBlockInContext(q->c, fast_path, "not_all_of_the_row");
        status = weftc_vec_build_check(q->s, q->b, q->f, likely, true, &condition);
        if (status == WEFT_OK)
            LLVMBuildCondBr(q->b, condition, fast_path, single);
        LLVMPositionBuilderAtEnd(q->b, single);
    }
    if (status == WEFT_OK)
        status = weftc_vec_build_check(q->s, q->b, q->f, likely, false, &condition);
    if (status != WEFT_OK)
        return status;
    unsigned count = LLVMCountParams(q->f);
    LLVMValueRef *arguments = weft_alloc_array((size_t)count + 1, sizeof *arguments);
    if (!arguments)
        return WEFT_NO_MEMORY;
    for (unsigned k = 0; k < count; k++)
        arguments[k] = LLVMGetParam(q->f, k);
    LLVMBuildCondBr(q->b, condition, fast_path, slow_path);
    LLVMPositionBuilderAtEnd(q->b, fast_path);
    answer(q, call(q, fast, arguments));
    LLVMPositionBuilderAtEnd(q->b, slow_path);
    answer(q, each ? call_each(q, slow, arguments) : call(q, slow, arguments));
    weft_free(arguments);
    return WEFT_OK;
}

static weft_status inline_all(LLVMValueRef f)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(f));)
        if (weftc_callee(LLVMGetUser(use)) != f || !weftc_bridge_inline(LLVMGetUser(use)))
            return WEFT_INTERNAL;
    LLVMDeleteFunction(f);
    return WEFT_OK;
}

bool weftc_vec_speculates(const struct weftc_shapes *s)
{
    for (uint32_t n = 0; n < s->count; n++)
        if (weftc_shape_is_speculated(s, s->instructions[n]))
            return true;
    return false;
}

LLVMValueRef weftc_vec_specialize_likely(LLVMValueRef canonical, LLVMValueRef *condition)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(canonical));
    unsigned kind = weftc_fact_kind(c, WEFTC_LIKELY_BRANCH);
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(canonical));
    *condition = NULL;
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || !LLVMGetMetadata(branch, kind) ||
        !weftc_is_early(LLVMGetCondition(branch)))
        return NULL;
    LLVMValueRef likely = weftc_bridge_clone_function(canonical, "weft.likely_path");
    branch = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(likely));
    *condition = LLVMGetCondition(branch);
    weftc_bridge_take_branch(branch);
    return likely;
}

// Calls of a function whose likely side is dropped. They ask for the most common format first, so a few of
// them take little longer than what they do when inlined. Loops repeat them. Of many calls both sides would
// be half of the kernel's code, of which nearly nothing runs. A write is twice as much code as a read.
enum { MAX_CALLS_WITHOUT_LIKELY = 4, MANY_CALLS = 16 };

// Instructions of scalar code from which on its likely side is dropped. In less code calls would be felt:
// rows of 30 texels were copied in 1.13 times the time.
enum { MIN_SHRUNK_SCALAR = 150 };

// Is it a function that knows the most common format?
static bool is_for_likely(LLVMValueRef f)
{
    return weftc_fact_attribute(f, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_INLINED_FOR_LANES) ||
           weftc_fact_attribute(f, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_SCALAR_VERSION);
}

void weftc_vec_drop_likely(LLVMValueRef f)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    const unsigned kind = weftc_fact_kind(c, WEFTC_LIKELY_BRANCH);
    LLVMValueRef likely = NULL;
    unsigned calls = 0, any_format = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
            const bool called =
                callee && weftc_fact_attribute(callee, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_CALLED);
            calls += called;
            any_format += called && !is_for_likely(callee) ? (weftc_only_reads(callee) ? 1 : 2) : 0;
            if (LLVMIsABranchInst(i) && LLVMIsConditional(i) && LLVMGetMetadata(i, kind))
                likely = i;
        }
    }
    const bool keeps = calls == 0 || (calls > MAX_CALLS_WITHOUT_LIKELY && any_format < MANY_CALLS);
    if (!likely || keeps || weftc_bridge_loop_count(f) > 0)
        return;
    LLVMBasicBlockRef taken = LLVMGetSuccessor(likely, 0);
    LLVMSetSuccessor(likely, 0, LLVMGetSuccessor(likely, 1));
    LLVMSetSuccessor(likely, 1, taken);
    weftc_bridge_take_branch(likely);
}

void weftc_vec_shrink_scalar(LLVMModuleRef module)
{
    for (unsigned i = 0; i < weftc_module_number(module, WEFTC_REGION_COUNT); i++) {
        char name[48];
        snprintf(name, sizeof name, WEFTC_REGION_NAME "%u", i);
        LLVMValueRef region = LLVMGetNamedFunction(module, name);
        if (region && !weftc_region_is_single_item(region) &&
            weftc_function_size(region) >= MIN_SHRUNK_SCALAR)
            weftc_vec_drop_likely(region);
    }
    weftc_vec_share_scalar_versions(module);
}

weft_status weftc_vec_version(const struct weftc_shapes *s, LLVMValueRef canonical, uint32_t step,
                              LLVMValueRef likely, const char *name, LLVMValueRef fast, LLVMValueRef slow,
                              LLVMValueRef *result)
{
    LLVMModuleRef module = LLVMGetGlobalParent(fast);
    struct check q = {.s = s, .c = LLVMGetModuleContext(module), .step = step};
    bool each = slow == NULL;
    if (each)
        slow = from_lane(canonical);
    q.f = LLVMAddFunction(module, name, LLVMGlobalGetValueType(fast));
    LLVMSetLinkage(q.f, LLVMInternalLinkage);
    weftc_bridge_copy_attributes(q.f, fast);
    q.b = LLVMCreateBuilderInContext(q.c);
    weft_status status = build(&q, likely, fast, slow, each);
    if (status == WEFT_OK)
        status = inline_all(fast);
    if (status == WEFT_OK)
        status = inline_all(slow);
    LLVMDisposeBuilder(q.b);
    *result = q.f;
    return status;
}
