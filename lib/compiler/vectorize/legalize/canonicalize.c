// The canonical form that regions are brought into before they are vectorized, and that emission relies on:
// OpenCL's vectors taken apart, no switch, loops simplified and closed, one return. And what can't be
// vectorized in spite of it.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/compiler.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"
#include "compiler/ir/module_facts.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/legalize/legalize.h"

enum {
    MAX_UNROLLED = 640,                     // instructions of a loop that becomes straight code
    MAX_UNROLLED_IN_ALL = 4 * MAX_UNROLLED, // ... of all such loops of a region
    // Bytes for all lanes. They are needed for whole vectors and again for the tail, on a thread's stack of 8
    // MB.
    MAX_PRIVATE = 2 << 20,
};

#define TIDY "instcombine<no-verify-fixpoint;max-iterations=1>"
#define CANONICAL_PASSES "lower-switch,fix-irreducible,mergereturn,loop-simplify,lcssa"
static const char *const canonical_passes =
    "sroa<modify-cfg>,early-cse,simplifycfg," TIDY ",loop-mssa(loop-rotate,licm),"
    "loop(indvars,loop-unroll-full),sroa<modify-cfg>,early-cse," TIDY ",simplifycfg," CANONICAL_PASSES;
// Without the second instcombine. After unrolling it takes a quarter of such a kernel's compile time and
// changes little: it runs again when the code has lanes.
static const char *const canonical_passes_large =
    "sroa<modify-cfg>,early-cse,simplifycfg," TIDY ",loop-mssa(loop-rotate,licm),"
    "loop(indvars,loop-unroll-full),sroa<modify-cfg>,early-cse,simplifycfg," CANONICAL_PASSES;
// For large regions without loops. The kernel went through instcombine in the stage prepare, and the code
// with lanes does so again. Only vectors that aren't taken apart yet, such as those of as_uchar4, need it
// here.
static const char *const canonical_passes_straight = "sroa<modify-cfg>,early-cse,simplifycfg";
static const char *const after_straight = CANONICAL_PASSES, *const after_straight_vectors =
                                                                TIDY ",simplifycfg," CANONICAL_PASSES;
// For regions of many loops, or of a loop that many branches leave or that is long and has many variables:
// canonical_passes_large in two parts, with weftc_bridge_close_loops and weftc_bridge_rotate_loops between
// them. What ScalarEvolution knows goes before early-cse: it would look at all that is computed from a value
// which that replaces.
enum { MANY_LOOPS = 64, MANY_EXITS = 64, MANY_CARRIED = 10000 };
enum { PARTED = 8 }; // loops whose conditions are known to those that follow
static const char *const until_rotation = "sroa<modify-cfg>,early-cse,simplifycfg," TIDY;
static const char *const after_rotation =
    "loop-mssa(licm),loop(indvars,loop-unroll-full),invalidate<scalar-evolution>,sroa<modify-cfg>,early-cse,"
    "simplifycfg," CANONICAL_PASSES;
// For nests so deep that LLVM's passes for loops would take most of the time: they visit all blocks of each
// loop, so a block in 64 loops 64 times.
static const char *const after_rotation_deep = "sroa<modify-cfg>,early-cse,simplifycfg," CANONICAL_PASSES;
enum { DEEP = 24 };
static const char *const canonical_passes_unoptimised = "sroa," CANONICAL_PASSES;
// For huge regions: only what surely takes linear time. Addresses that are computed anew for each access have
// to be one value, or else the accesses don't form groups.
static const char *const canonical_passes_huge = "sroa,early-cse," CANONICAL_PASSES;

static const char *const after_unrolling =
    "sroa<modify-cfg>,early-cse," TIDY ",simplifycfg," CANONICAL_PASSES;

bool weftc_vec_is_large(LLVMValueRef f, size_t max)
{
    size_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (++count > max)
                return true;
    return false;
}

// Has the function more than `max` instructions when OpenCL's vectors are taken apart?
static bool is_large_in_elements(LLVMValueRef f, size_t max)
{
    size_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMTypeRef type = LLVMTypeOf(i);
            count += LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
            if (count > max)
                return true;
        }
    return false;
}

// A bit in memory, as a spilled condition is, becomes a byte that is 0 or 1.
static void bits_as_bytes(LLVMValueRef f)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    LLVMTypeRef i1 = LLVMInt1TypeInContext(c), i8 = LLVMInt8TypeInContext(c);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef next;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
            next = LLVMGetNextInstruction(i);
            bool load = LLVMIsALoadInst(i) && LLVMTypeOf(i) == i1;
            bool store = LLVMIsAStoreInst(i) && LLVMTypeOf(LLVMGetOperand(i, 0)) == i1;
            if ((!load && !store) || LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
                continue;
            LLVMPositionBuilderBefore(b, i);
            LLVMValueRef access;
            if (load) {
                access = LLVMBuildLoad2(b, i8, LLVMGetOperand(i, 0), "");
                LLVMReplaceAllUsesWith(i, LLVMBuildTrunc(b, access, i1, ""));
            } else {
                LLVMValueRef byte = LLVMBuildZExt(b, LLVMGetOperand(i, 0), i8, "");
                access = LLVMBuildStore(b, byte, LLVMGetOperand(i, 1));
            }
            LLVMSetAlignment(access, LLVMGetAlignment(i));
            weftc_bridge_copy_access(access, i);
            LLVMInstructionEraseFromParent(i);
        }
    }
    LLVMDisposeBuilder(b);
}

// Of a number from which an index is made, `x | 3` becomes `(x & ~3) + 3`, a sum without a carry: where the
// low bits are the same in all lanes, both steps keep a progression (shapes/transfer.c). And `~x` becomes
// `-1 - x`. LLVM makes `x | 3` and `~x` of them again where they stay.
static void bits_as_sums(LLVMValueRef f)
{
    enum { MAX_LOW = (1 << 20) - 1, MAX_BITS = 64 };
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(f)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef next;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
            next = LLVMGetNextInstruction(i);
            const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
            if (opcode != LLVMXor && (opcode != LLVMOr || LLVMGetIsDisjoint(i)))
                continue;
            LLVMValueRef x = LLVMGetOperand(i, 0), bits = LLVMIsAConstantInt(LLVMGetOperand(i, 1));
            const unsigned width = bits ? LLVMGetIntTypeWidth(LLVMTypeOf(bits)) : 0;
            if (width < MAX_BITS / 2 || width > MAX_BITS || !weftc_is_early(x))
                continue;
            const uint64_t low = LLVMConstIntGetZExtValue(bits);
            LLVMPositionBuilderBefore(b, i);
            if (opcode == LLVMXor && LLVMConstIntGetSExtValue(bits) == -1) {
                LLVMReplaceAllUsesWith(i, LLVMBuildNSWSub(b, bits, x, ""));
                LLVMInstructionEraseFromParent(i);
            } else if (opcode == LLVMOr && low != 0 && low <= MAX_LOW && (low & (low + 1)) == 0) {
                LLVMSetOperand(i, 0, LLVMBuildAnd(b, x, LLVMConstNot(bits), ""));
                LLVMSetIsDisjoint(i, true);
            }
        }
    }
    LLVMDisposeBuilder(b);
}

static bool has_vectors(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind)
                return true;
    return false;
}

static bool is_lean(const char *pipeline)
{
    return pipeline == canonical_passes_unoptimised || pipeline == canonical_passes_huge;
}

static bool run_pipeline(LLVMValueRef f, const struct weftc_target *target, const char *pipeline)
{
    if (pipeline == canonical_passes_straight)
        return weftc_bridge_scalarize(f, target->machine, pipeline) &&
               weftc_bridge_run_on(f, target->machine,
                                   has_vectors(f) ? after_straight_vectors : after_straight);
    if (is_lean(pipeline) ||
        (weftc_bridge_loop_count(f) <= MANY_LOOPS && weftc_bridge_most_exits(f) <= MANY_EXITS &&
         weftc_bridge_most_carried(f) <= MANY_CARRIED))
        return weftc_bridge_scalarize(f, target->machine, pipeline);
    if (!weftc_bridge_scalarize(f, target->machine, until_rotation))
        return false;
    weftc_bridge_close_loops(f);
    weftc_bridge_rotate_loops(f, target->machine);
    weftc_bridge_close_loops(f);
    weftc_bridge_part_loops(f, PARTED);
    const bool deep = weftc_bridge_loop_depth(f) > DEEP;
    if (deep)
        weftc_module_number_set(LLVMGetGlobalParent(f), WEFTC_DEEP_NEST, 1);
    return weftc_bridge_run_on(f, target->machine, deep ? after_rotation_deep : after_rotation);
}

bool weftc_vec_inline_for_lanes(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            LLVMValueRef callee = LLVMIsACallInst(i) ? weftc_callee(i) : NULL,
                         before = LLVMGetPreviousInstruction(i);
            if (!callee ||
                !weftc_fact_attribute(callee, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_INLINED_FOR_LANES))
                continue;
            if (!weftc_bridge_inline(i))
                return false;
            // What followed the call now follows the function's code, perhaps in another block.
            next = before ? LLVMGetNextInstruction(before) : LLVMGetFirstInstruction(b);
        }
    return true;
}

LLVMValueRef weftc_vec_canonicalize(LLVMValueRef region, const char *name, uint32_t lanes,
                                    const struct weftc_target *target,
                                    const struct weftc_kernel_options *options)
{
    LLVMValueRef copy = weftc_bridge_clone_function(region, name);
    if (!weftc_vec_inline_for_lanes(copy))
        weft_log(WEFT_LOG_ERROR, "internal error: a call can't be inlined");
    const char *pipeline = canonical_passes;
    if (options->opt_disable)
        pipeline = canonical_passes_unoptimised;
    else if (weftc_vec_is_large(copy, WEFTC_VEC_HUGE))
        pipeline = canonical_passes_huge;
    else if (is_large_in_elements(copy, WEFTC_VEC_LARGE))
        pipeline = weftc_bridge_loop_count(copy) ? canonical_passes_large : canonical_passes_straight;
    if (!options->opt_disable)
        weftc_vec_switches_as_selects(copy);
    if (weftc_promote_in(copy) != WEFT_OK)
        weft_log(WEFT_LOG_DEBUG, "memory is short: LLVM alone makes values of variables");
    if (!options->opt_disable)
        weftc_vector_padding(copy); // of what is spilled
    if (!run_pipeline(copy, target, pipeline))
        weft_log(WEFT_LOG_ERROR, "internal error: passes %s", pipeline);
    if (weftc_vec_split_casts(copy) && !is_lean(pipeline) &&
        !weftc_bridge_run_on(copy, target->machine, after_straight_vectors))
        weft_log(WEFT_LOG_ERROR, "internal error: passes %s", after_straight_vectors);
    weftc_bridge_remove_unreachable(copy);
    // LLVM's own limit doesn't know that private memory becomes registers of all lanes, or else memory of all
    // lanes.
    if (!is_lean(pipeline) &&
        weftc_bridge_unroll_known_places(copy, target->machine, MAX_UNROLLED, MAX_UNROLLED_IN_ALL) &&
        !weftc_bridge_scalarize(copy, target->machine, after_unrolling))
        weft_log(WEFT_LOG_ERROR, "internal error: passes %s", after_unrolling);
    bits_as_bytes(copy);
    if (!options->opt_disable && !weftc_vec_is_large(copy, WEFTC_VEC_HUGE)) {
        bits_as_sums(copy);
        weftc_vec_split_loads(copy, lanes);
        weftc_vec_unroll_rows(copy, lanes, target);
    }
    return copy;
}

// ---- what can't be vectorized ----

static bool is_plain(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
    case LLVMScalableVectorTypeKind:
    case LLVMArrayTypeKind:
    case LLVMTargetExtTypeKind:
        return false;
    case LLVMStructTypeKind:
        for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++)
            if (!is_plain(LLVMStructGetTypeAtIndex(type, k)))
                return false;
        return true;
    default:
        return true;
    }
}

static const char *why_not_instruction(const struct weftc_shapes *s, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMSwitch:
    case LLVMIndirectBr:
    case LLVMInvoke:
    case LLVMCallBr:
    case LLVMVAArg:
        return "a kind of branch that isn't known";
    case LLVMExtractValue:
    case LLVMInsertValue:
        if (LLVMGetNumIndices(i) != 1)
            return "an aggregate inside of another";
        break;
    default:
        break;
    }
    bool effect = LLVMIsAStoreInst(i) || LLVMIsACallInst(i);
    if (weftc_shape_of(s, i).kind != WEFTC_VARYING &&
        !(effect && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind))
        return NULL;
    bool plain = is_plain(LLVMTypeOf(i));
    unsigned operands = (unsigned)LLVMGetNumOperands(i);
    for (unsigned k = 0; k < operands && plain; k++)
        plain = is_plain(LLVMTypeOf(LLVMGetOperand(i, k)));
    return plain ? NULL : "a vector or an array as a value";
}

weft_status weftc_vec_why_not(const struct weftc_shapes *s, const char **reason, LLVMValueRef *at)
{
    for (uint32_t n = 0; n < s->count; n++) {
        *at = s->instructions[n];
        *reason = why_not_instruction(s, *at);
        if (*reason)
            return WEFT_OK;
    }
    if (s->lanes * weftc_shapes_private_bytes(s) > MAX_PRIVATE) {
        *at = s->privates[0].memory;
        *reason = "private memory of all lanes would take too much of the stack";
        return WEFT_OK;
    }
    weft_status status = weftc_vec_inter_lane_wait(s, at);
    if (status == WEFT_OK && *at)
        *reason = "a loop in which work-items wait for each other";
    return status;
}
