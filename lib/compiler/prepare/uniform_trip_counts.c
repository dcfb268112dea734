// Loops whose iterations are shared out among the work-items: `for (k = get_local_id(0); k < 256; k += 128)`.
// If the local size is known, all work-items have the same trip count, although each begins with an id of its
// own. The condition of such a loop is rewritten to use a counter that all have in common. Then the loop
// isn't divergent, and later stages may unroll it.
//
// Also: what such a loop is, for shift_barriers.c.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/compiler.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"
#include "weft/kernel_abi.h"

// An unsigned number between `low` and `high`, both included.
struct range {
    uint64_t low, high;
};

enum { MAX_DEPTH = 8 };
static const uint64_t max_number = INT32_MAX; // no number up to this wraps in 32 bits, signed or unsigned

// How many values the id may have; 0: it isn't known, or the primitive isn't a local id.
static uint64_t count_of(enum weftc_primitive p, unsigned dim, const uint64_t sizes[3])
{
    if (p == WEFTC_LOCAL_ID || p == WEFTC_LOCAL_ID32)
        return sizes[dim] ? sizes[dim] : WEFT_GROUP_MAX;
    if (p == WEFTC_ITEM)
        return sizes[0] ? sizes[0] * sizes[1] * sizes[2] : WEFT_GROUP_MAX;
    return 0;
}

// Finds the range of a value that is made of ids and constants. False: it is made of something else, or its
// range isn't known.
static bool range_of(LLVMValueRef v, const uint64_t sizes[3], unsigned depth, struct range *r)
{
    if (LLVMIsAConstantInt(v)) {
        if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
            return false;
        r->low = r->high = LLVMConstIntGetZExtValue(v);
        return r->high <= max_number;
    }
    enum weftc_primitive p;
    unsigned dim;
    if (weftc_primitive_of(v, &p, &dim)) {
        uint64_t count = count_of(p, dim, sizes);
        *r = (struct range){0, count - 1};
        return count && count <= max_number;
    }
    if (depth == MAX_DEPTH || !LLVMIsAInstruction(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind)
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    struct range a, b;
    if (!(opcode == LLVMAdd || opcode == LLVMMul || opcode == LLVMShl || opcode == LLVMOr ||
          opcode == LLVMAnd || opcode == LLVMLShr || opcode == LLVMZExt || opcode == LLVMSExt ||
          opcode == LLVMTrunc))
        return false;
    if (!range_of(LLVMGetOperand(v, 0), sizes, depth + 1, &a))
        return false;
    if (LLVMGetNumOperands(v) == 2 && !range_of(LLVMGetOperand(v, 1), sizes, depth + 1, &b))
        return false;
    switch (opcode) {
    case LLVMAdd:
        *r = (struct range){a.low + b.low, a.high + b.high};
        break;
    case LLVMOr: // at most the sum
        *r = (struct range){a.low > b.low ? a.low : b.low, a.high + b.high};
        break;
    case LLVMMul:
        *r = (struct range){a.low * b.low, a.high * b.high};
        break;
    case LLVMShl:
        if (b.high > 31)
            return false;
        *r = (struct range){a.low << b.low, a.high << b.high};
        break;
    case LLVMLShr:
        if (b.high > 31)
            return false;
        *r = (struct range){a.low >> b.high, a.high >> b.low};
        break;
    case LLVMAnd:
        *r = (struct range){0, a.high < b.high ? a.high : b.high};
        break;
    default: // conversions don't change a value that fits
        *r = a;
    }
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    return r->high <= (width < 32 ? (UINT64_C(1) << (width - 1)) - 1 : max_number);
}

bool weftc_counted_loop_of(LLVMValueRef branch, const uint64_t sizes[3], struct weftc_counted_loop *l)
{
    if (!branch || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
        !LLVMIsAICmpInst(LLVMGetCondition(branch)))
        return false;
    l->condition = LLVMGetCondition(branch);
    l->predicate = LLVMGetICmpPredicate(l->condition);
    l->phi = LLVMGetOperand(l->condition, 0);
    l->end = LLVMGetOperand(l->condition, 1);
    if ((l->predicate != LLVMIntSLT && l->predicate != LLVMIntULT) || !LLVMIsAPHINode(l->phi) ||
        LLVMCountIncoming(l->phi) != 2 || !LLVMIsAConstantInt(l->end) ||
        LLVMGetInstructionParent(l->phi) != LLVMGetInstructionParent(branch))
        return false;
    for (l->back = 0; l->back < 2; l->back++) {
        LLVMValueRef next = LLVMGetIncomingValue(l->phi, l->back);
        if (LLVMIsAInstruction(next) && LLVMGetInstructionOpcode(next) == LLVMAdd &&
            LLVMGetOperand(next, 0) == l->phi && LLVMIsAConstantInt(LLVMGetOperand(next, 1))) {
            l->step = LLVMGetOperand(next, 1);
            break;
        }
    }
    struct range start;
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(l->phi));
    if (l->back == 2 || (width != 32 && width != 64) ||
        !range_of(LLVMGetIncomingValue(l->phi, !l->back), sizes, 0, &start) || start.low == start.high)
        return false;
    uint64_t step = LLVMConstIntGetZExtValue(l->step), end = LLVMConstIntGetZExtValue(l->end);
    l->first = start.low;
    l->last = start.high;
    return step != 0 && step <= max_number && end <= max_number && end >= start.low &&
           end + step + start.high <= max_number;
}

LLVMValueRef weftc_build_common_count(LLVMBuilderRef b, const struct weftc_counted_loop *l,
                                      LLVMBasicBlockRef latch)
{
    LLVMTypeRef type = LLVMTypeOf(l->phi);
    LLVMPositionBuilderBefore(b, l->phi);
    LLVMValueRef count = LLVMBuildPhi(b, type, "");
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(latch));
    LLVMValueRef values[] = {LLVMConstInt(type, l->first, false), LLVMBuildNSWAdd(b, count, l->step, "")};
    LLVMBasicBlockRef blocks[] = {LLVMGetIncomingBlock(l->phi, !l->back), latch};
    LLVMAddIncoming(count, values, blocks, 2);
    LLVMPositionBuilderBefore(b, l->condition);
    return LLVMBuildICmp(b, l->predicate, count, l->end, "");
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

// Is `to` reachable from `from` without passing `but`, the head of the loop? Also true if `from` is `but`,
// and if there are too many blocks to search.
static bool reaches(LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef but)
{
    enum { MAX_BLOCKS = 64 };
    LLVMBasicBlockRef met[MAX_BLOCKS];
    unsigned count = 0;
    if (from == but)
        return true;
    met[count++] = from;
    for (unsigned k = 0; k < count; k++) {
        if (met[k] == to)
            return true;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(met[k]);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, s);
            bool known = next == but;
            for (unsigned j = 0; j < count && !known; j++)
                known = met[j] == next;
            if (known)
                continue;
            if (count == MAX_BLOCKS)
                return true;
            met[count++] = next;
        }
    }
    return false;
}

// Can the condition use a common counter? k begins with first + e, where e depends on the work-item. A number
// that is larger than every e divides both the step and end - first. So as long as first + n * step is below
// the end, so is first + n * step + e; and once the one has reached the end, so has the other.
static bool is_shared(LLVMValueRef branch, const struct weftc_counted_loop *l)
{
    uint64_t divisor =
        common_divisor(LLVMConstIntGetZExtValue(l->step), LLVMConstIntGetZExtValue(l->end) - l->first);
    // No other condition may end the loop before, or continue it after, this one.
    return l->last - l->first < divisor &&
           !reaches(LLVMGetSuccessor(branch, 1), LLVMGetIncomingBlock(l->phi, l->back),
                    LLVMGetInstructionParent(l->phi));
}

void weftc_prepare_uniform_trip_counts(LLVMValueRef kernel, const struct weftc_kernel_options *options)
{
    LLVMModuleRef module = LLVMGetGlobalParent(kernel);
    static const enum weftc_fact numbers[] = {WEFTC_GROUP_SIZE_0, WEFTC_GROUP_SIZE_1, WEFTC_GROUP_SIZE_2};
    unsigned lane_dimension = weft_variant_dimension(options->variant);
    uint64_t sizes[3];
    for (unsigned d = 0; d < 3; d++)
        sizes[d] = weftc_module_number(
            module, numbers[lane_dimension ? weftc_swapped_dimension(d, lane_dimension) : d]);
    if (!sizes[0])
        return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        struct weftc_counted_loop loop;
        if (!weftc_counted_loop_of(end, sizes, &loop) || !is_shared(end, &loop))
            continue;
        LLVMValueRef common = weftc_build_common_count(b, &loop, LLVMGetIncomingBlock(loop.phi, loop.back));
        LLVMReplaceAllUsesWith(loop.condition, common);
        LLVMInstructionEraseFromParent(loop.condition);
    }
    LLVMDisposeBuilder(b);
}
