// LLVM's optimisation of the finished `run`. The pipeline is short: most kernels are small, and somebody
// waits for the build.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/codegen.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/codegen/codegen.h"
#include "compiler/compiler.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/passes/passes.h"
#include "compiler/ir/region_functions.h"

static void set_string(LLVMValueRef f, const char *name, const char *value)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(f));
    LLVMAddAttributeAtIndex(
        f, WEFTC_OF_FUNCTION,
        LLVMCreateStringAttribute(c, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

static void set_target(LLVMModuleRef module, const struct weftc_target *target)
{
    const char *width = target->native_width >= 16 ? "512" : target->native_width >= 8 ? "256" : "128";
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        set_string(f, "target-cpu", target->cpu);
        set_string(f, "target-features", target->features);
        set_string(f, "prefer-vector-width", width);
        // Relaxed divisions by an estimate end with quotient + estimate * rest. Where that isn't fused, the
        // product of two small numbers is denormal, and is flushed: quotients below 2^-102 keep 12 bits.
        if (!target->has_fma)
            set_string(f, "reciprocal-estimates", "!divf,!vec-divf");
        // A frame larger than a page touches its pages in order. So a stack overflow is sure to hit the guard
        // page.
        set_string(f, "probe-stack", "inline-asm");
        weftc_remove_attribute(f, WEFTC_OF_FUNCTION, "convergent");
    }
}

// Loop passes, GVN and the SLP vectorizer are superlinear in places. A kernel of this size is mostly straight
// code, such as hashes, which gains little from them. After each loop, unrolling discards what is known of
// all loops in the same outermost loop, which is the loop over groups: with 200 loops that took four seconds.
enum { LARGE_KERNEL = 12000, MANY_LOOPS = 64 };

static const char *const for_large = "function(loop-mssa(licm),early-cse,simplifycfg),globaldce";
// Before it. Between them weftc_bridge_close_loops does what is quadratic in LLVM's preparation of licm.
static const char *const simplify_large = "function(instcombine<no-verify-fixpoint;max-iterations=1>)";
// Before that. Then long blocks are cut into pieces, since instcombine is quadratic in a block: it numbers
// all its instructions again and again. The last simplifycfg joins the pieces.
static const char *const before_large = "function(sroa<modify-cfg>,early-cse,simplifycfg)";
enum { LONGEST_BLOCK = 2500, PIECE = 500 };

// Only passes that save more time in code generation than they take.
static const char *const for_quick = "function(sroa,simplifycfg),globaldce";

#define CLEANUP \
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint;max-iterations=1>"
// Between passes for loops and those that replace values. As long as ScalarEvolution knows of loops, it looks
// at all that is computed from a value which is replaced.
#define FORGET "invalidate<scalar-evolution>,"
// For code without vectorized regions. Scalar code often has a branch whose outcome follows from an earlier
// one, such as `t < 0` after an inlined function that returned -1. jump-threading removes it.
// Uniform code moves out of the work-item loops; inner loops get the form that the vectorizer needs. Where an
// iteration reads what the one before has written, as in a sweep along a row, loop-load-elim keeps it in a
// register, if a check at run time says that no other store came between: 0.8 of the time.
#define FOR_ANY(slp)                                                                                        \
    "function(" CLEANUP ",simplifycfg,"                                                                     \
    "loop-mssa(loop-rotate,licm<allowspeculation>,simple-loop-unswitch),simplifycfg,instcombine<no-verify-" \
    "fixpoint;max-iterations=1>,"                                                                           \
    "loop(indvars,loop-deletion,loop-unroll-full)," FORGET "sroa<modify-cfg>,gvn,dse,"                      \
    "simplifycfg,instcombine<no-verify-fixpoint;max-iterations=1>,loop-mssa(licm<allowspeculation>),"       \
    "loop-vectorize,loop-load-elim," FORGET "instcombine<no-verify-fixpoint;max-iterations=1>,"             \
    "simplifycfg<bonus-inst-threshold=1;forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-" \
    "loops;hoist-common-insts;sink-common-insts>," slp                                                      \
    "vector-combine,instcombine<no-verify-fixpoint;max-iterations=1>,loop-unroll<O2>," FORGET               \
    "early-cse,loop-mssa(licm<allowspeculation>),jump-threading,simplifycfg),globaldce"
static const char *const for_any = FOR_ANY("slp-vectorizer,");
static const char *const for_many_stores = FOR_ANY("");

// For code in which all regions are vectorized (vectorize/vectorize.c): no other vectorizer.
static const char *const for_lanes =
    "function(" CLEANUP ",simplifycfg,"
    "loop-mssa(loop-rotate,licm<allowspeculation>,simple-loop-unswitch)," FORGET
    "simplifycfg,instcombine<no-verify-"
    "fixpoint;max-iterations=1>,"
    "loop(indvars,loop-deletion,loop-unroll-full)," FORGET "sroa<modify-cfg>,gvn,dse,"
    "simplifycfg,instcombine<no-verify-fixpoint;max-iterations=1>,loop-mssa(licm<allowspeculation>),"
    "early-cse,loop-unroll<O2>," FORGET
    "instcombine<no-verify-fixpoint;max-iterations=1>,simplifycfg),globaldce";

// For long vectorized code: for_lanes without two of its runs of instcombine, each of which takes a tenth of
// a long kernel's compile time.
enum { LONG_KERNEL = 2500 };
static const char *const for_long_lanes =
    "function(" CLEANUP ",simplifycfg,"
    "loop-mssa(loop-rotate,licm<allowspeculation>,simple-loop-unswitch)," FORGET "simplifycfg,"
    "loop(indvars,loop-deletion,loop-unroll-full)," FORGET "sroa<modify-cfg>,gvn,dse,"
    "simplifycfg,instcombine<no-verify-fixpoint;max-iterations=1>,loop-mssa(licm<allowspeculation>),"
    "early-cse,loop-unroll<O2>," FORGET "simplifycfg),globaldce";

// For long vectorized code that is straight: its only loops are those over work-items. What GVN and a second
// instcombine simplify comes from loops; in code without them they found nothing that early-cse and the first
// one had left, for a third of the time of all passes.
enum { STRAIGHT_LOOPS = 8 };
static const char *const for_straight_lanes =
    "function(" CLEANUP ",simplifycfg,"
    "loop-mssa(loop-rotate,licm<allowspeculation>,simple-loop-unswitch)," FORGET "simplifycfg,"
    "loop(indvars,loop-deletion,loop-unroll-full)," FORGET "sroa<modify-cfg>,dse,"
    "loop-mssa(licm<allowspeculation>),early-cse,simplifycfg),globaldce";

// For reads of images that are called. They were simplified before lanes were made of them, and have no loops
// to be unrolled and no loads that occur twice. The other passes took a seventh of the compile time of a
// kernel with one read, and changed nothing.
static const char *const for_reads = CLEANUP ",loop-mssa(licm<allowspeculation>),early-cse,simplifycfg";

static bool is_called_read(LLVMValueRef f)
{
    return !LLVMIsDeclaration(f) && weftc_fact_attribute(f, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_CALLED);
}

// Passes on the whole module leave out what has these attributes.
static void set_reads_apart(LLVMModuleRef module, bool apart)
{
    static const char *const attributes[] = {"noinline", "optnone"};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (size_t k = 0; k < WEFT_COUNT_OF(attributes) && is_called_read(f); k++)
            if (apart)
                weftc_add_attribute(f, WEFTC_OF_FUNCTION, attributes[k], 0);
            else
                weftc_remove_attribute(f, WEFTC_OF_FUNCTION, attributes[k]);
}

static bool simplify_reads(LLVMModuleRef module, const struct weftc_target *target)
{
    bool ok = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && ok; f = LLVMGetNextFunction(f))
        ok = !is_called_read(f) || weftc_bridge_run_on(f, target->machine, for_reads);
    return ok;
}

// Stores of a block among which the SLP vectorizer looks for neighbours. It compares the addresses of all
// stores to one object with each other: 512 took a second.
enum { MAX_STORES = 200 };

// Loads and stores of a loop that LLVM's loop vectorizer looks at. It compares their addresses with each
// other, and tries each number of lanes: 512 took half a second.
enum { MAX_VECTORIZED = 200 };

// Instructions of a loop that LLVM surely doesn't unroll. It prices each of them to find that out, again for
// the loops around it: a fifth of the compile time of sixteen image reads.
enum { LARGE_LOOP = 600 };
// Instructions of an iteration of a loop that is unrolled in part since the program says so.
enum { LONG_ITERATION = 2048 };

static bool keep_long_loops_scalar(LLVMModuleRef module)
{
    bool any = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        any |= !LLVMIsDeclaration(f) && weftc_bridge_keep_scalar(f, MAX_VECTORIZED);
    return any;
}

// The largest number of stores in a block of the module.
static size_t most_stores(LLVMModuleRef module)
{
    size_t most = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            size_t stores = 0;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                stores += LLVMIsAStoreInst(i) != NULL;
            most = stores > most ? stores : most;
        }
    return most;
}

// For code with lanes that is to be made quickly: what saves more time in code generation than it takes, and
// what lanes need most. Uniform code leaves the work-item loops, and addresses are simplified.
static const char *const for_quick_lanes =
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint;max-iterations=1>,"
    "loop-mssa(loop-rotate,licm<allowspeculation>),early-cse,simplifycfg),globaldce";

static const char *pipeline_for(LLVMModuleRef module, const struct weftc_kernel_options *options)
{
    if (options->variables)
        return "function(mem2reg)"; // not of arrays: `item` (workitem_loops/debug_info.c) stays whole
    if (options->opt_disable)
        return "function(sroa)";
    if (options->level == WEFT_LEVEL_QUICK)
        return for_quick;
    if (options->level == WEFT_LEVEL_LANES)
        return for_quick_lanes;
    bool lanes = weftc_module_number(module, WEFTC_ALL_IN_LANES) != 0;
    size_t size = weftc_instruction_count(module);
    if (weftc_note_limit(module, WEFTC_LIMIT_LOOPS,
                         size > LARGE_KERNEL || weftc_bridge_max_loops(module, NULL) > MANY_LOOPS))
        return for_large;
    if (!lanes) {
        weftc_note_limit(module, WEFTC_LIMIT_LONG_LOOPS, keep_long_loops_scalar(module));
        return weftc_note_limit(module, WEFTC_LIMIT_STORES, most_stores(module) > MAX_STORES)
                   ? for_many_stores
                   : for_any;
    }
    if (!weftc_note_limit(module, WEFTC_LIMIT_REPEATED, size > LONG_KERNEL))
        return for_lanes;
    return weftc_bridge_max_loops(module, NULL) > STRAIGHT_LOOPS ? for_long_lanes : for_straight_lanes;
}

struct numbers {
    LLVMValueRef met[32];
    unsigned count;
};

static bool is_shifted_up(LLVMValueRef number)
{
    return LLVMIsAInstruction(number) && LLVMGetInstructionOpcode(number) == LLVMShl;
}

// Is the number truncated to less than 32 bits, as `k * 5 & 15` and (uchar)k are? Also true if it is computed
// from too many numbers to tell.
static bool is_truncated(LLVMValueRef number, struct numbers *n)
{
    if (!LLVMIsAInstruction(number) || LLVMGetTypeKind(LLVMTypeOf(number)) != LLVMIntegerTypeKind)
        return false;
    for (unsigned k = 0; k < n->count; k++)
        if (n->met[k] == number)
            return false;
    if (n->count == WEFT_COUNT_OF(n->met))
        return true;
    n->met[n->count++] = number;
    if (LLVMGetIntTypeWidth(LLVMTypeOf(number)) < 32)
        return true;
    switch (LLVMGetInstructionOpcode(number)) {
    case LLVMAnd:
    case LLVMURem:
    case LLVMSRem:
        return LLVMIsAConstantInt(LLVMGetOperand(number, 1));
    case LLVMLShr:
    case LLVMAShr:
        // A number that was shifted up before is truncated, as a signed bit-field is.
        if (LLVMIsAConstantInt(LLVMGetOperand(number, 1)) && is_shifted_up(LLVMGetOperand(number, 0)))
            return true;
        return is_truncated(LLVMGetOperand(number, 0), n);
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr:
    case LLVMXor:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPHI:
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(number); k++)
            if (is_truncated(LLVMGetOperand(number, k), n))
                return true;
        return false;
    default:
        return false;
    }
}

// Does the module have a truncated index? LLVM 19's loop vectorizer takes a[k * 5 & 15] for an access to
// every fifth element, even beyond the end of the array. Where it forms interleave groups, it doesn't check
// whether the 4 bits wrap (tests/differential/regressions/wrapping_strides.cl). An index of 32 bits can't
// show this, because no array is that large.
static bool truncates_indices(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                for (unsigned k = 1; LLVMIsAGetElementPtrInst(i) && k < (unsigned)LLVMGetNumOperands(i); k++)
                    if (is_truncated(LLVMGetOperand(i, k), &(struct numbers){.count = 0}))
                        return true;
    return false;
}

// A function that lanes call, or that scalar code calls where code with lanes has it inlined.
static bool is_called_often(LLVMValueRef f)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    return strncmp(name, WEFTC_CALLED_NAME, strlen(WEFTC_CALLED_NAME)) == 0 ||
           weftc_fact_attribute(f, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_INLINED_FOR_LANES);
}

// On some targets, the conversion of one integer to float writes the lowest element of a register and keeps
// the others. So at the start of a function that lanes call, it waits for the old content of the register,
// which is the result of the call before: a call can't begin before the last one has ended. The conversion of
// four integers has no such dependency. Runs last, because instcombine would undo it.
static void widen_conversions(LLVMModuleRef module)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c), f32 = LLVMFloatTypeInContext(c);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || !is_called_often(f))
            continue;
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMGetInstructionOpcode(i) != LLVMSIToFP || LLVMTypeOf(i) != f32 ||
                    LLVMTypeOf(LLVMGetOperand(i, 0)) != i32)
                    continue;
                LLVMPositionBuilderBefore(b, i);
                LLVMValueRef four = LLVMConstNull(LLVMVectorType(i32, 4));
                four = LLVMBuildInsertElement(b, four, LLVMGetOperand(i, 0), weftc_i64(c, 0), "");
                four = LLVMBuildSIToFP(b, four, LLVMVectorType(f32, 4), "");
                LLVMReplaceAllUsesWith(i, LLVMBuildExtractElement(b, four, weftc_i64(c, 0), ""));
                LLVMInstructionEraseFromParent(i);
            }
    }
    LLVMDisposeBuilder(b);
}

// Constants in memory whose value LLVM must not assume: 1 and -1, with 32 and 64 bits. NULL: not made yet.
// They are kept here, not looked up by name, because a program may have variables of any name.
struct ones {
    LLVMModuleRef module;
    LLVMValueRef made[2][2];
};

static LLVMValueRef number_in_memory(struct ones *o, LLVMTypeRef type, bool minus)
{
    static const char *const names[2][2] = {{"weft_one32", "weft_minus_one32"},
                                            {"weft_one64", "weft_minus_one64"}};
    const bool wide = LLVMGetIntTypeWidth(type) == 64;
    LLVMValueRef *g = &o->made[wide][minus];
    if (*g)
        return *g;
    *g = LLVMAddGlobal(o->module, type, names[wide][minus]);
    LLVMSetInitializer(*g, LLVMConstInt(type, minus ? UINT64_MAX : 1, minus));
    LLVMSetGlobalConstant(*g, true);
    LLVMSetLinkage(*g, LLVMWeakAnyLinkage);
    LLVMSetVisibility(*g, LLVMHiddenVisibility);
    return *g;
}

// Is the value 1 or -1 in all elements of a vector whose size is a multiple of 512 bits?
static bool is_one(LLVMValueRef v, bool *minus)
{
    uint64_t number;
    if (!weftc_is_splat(v, &number))
        return false;
    const unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(v)));
    *minus = number != 1;
    return (bits == 32 || bits == 64) && bits * LLVMGetVectorSize(LLVMTypeOf(v)) % 512 == 0 &&
           (number == 1 || number == UINT64_MAX >> (64 - bits));
}

// LLVM 19 turns an addition of 1 into a subtraction of a register of ones, and the like. If there are few
// such additions it makes the register in the loop. It makes a 512-bit one by an operation of a register with
// itself, which waits for the register's old content. That is often the end of the previous iteration, so
// iterations can't overlap. An operand in memory has no such cost.
static void load_addends(LLVMModuleRef module)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    struct ones ones = {.module = module};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
                LLVMOpcode o = LLVMGetInstructionOpcode(i);
                if (o != LLVMAdd && o != LLVMSub)
                    continue;
                LLVMValueRef by = LLVMGetOperand(i, 1);
                bool minus;
                if (!is_one(by, &minus))
                    continue;
                LLVMTypeRef type = LLVMTypeOf(by), element = LLVMGetElementType(type);
                LLVMPositionBuilderBefore(b, i);
                LLVMValueRef one = LLVMBuildLoad2(b, element, number_in_memory(&ones, element, minus), "");
                LLVMSetMetadata(one, LLVMGetMDKindIDInContext(c, "invariant.load", 14),
                                LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0)));
                LLVMValueRef all = LLVMBuildInsertElement(b, LLVMGetPoison(type), one, weftc_i64(c, 0), "");
                LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(i32, LLVMGetVectorSize(type)));
                LLVMSetOperand(i, 1, LLVMBuildShuffleVector(b, all, LLVMGetPoison(type), zeros, ""));
            }
    LLVMDisposeBuilder(b);
}

// Instructions of a function in which the SLP vectorizer looks for sums to vectorize. It compares the
// addresses of all loads in a sum with each other: 512 terms took 14 s.
enum { MAX_REDUCED = 1500 };

// What comes before for_large.
static weft_status prepare_large(LLVMModuleRef module, const struct weftc_target *target,
                                 struct weft_buf *log)
{
    weft_status status = weftc_run_passes(module, target, before_large, log);
    bool copies = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && status == WEFT_OK; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        if (weftc_cut_long_blocks(f, LONGEST_BLOCK, PIECE))
            weftc_bridge_set_option("instcombine-code-sinking", false);
        bool any;
        status = weftc_copy_compared(module, f, &any);
        copies |= any;
    }
    if (status == WEFT_OK)
        status = weftc_run_passes(module, target, simplify_large, log);
    if (copies)
        weftc_remove_copies(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && status == WEFT_OK; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            weftc_bridge_close_loops(f);
    return status;
}

weft_status weftc_optimize(LLVMModuleRef module, const struct weftc_target *target,
                           const struct weftc_kernel_options *options, struct weft_buf *log)
{
    weft_status status = weftc_lower_math(module, target, log);
    if (status != WEFT_OK)
        return status;
    weftc_lower_dot_products(module, target);
    set_target(module, target);
    weftc_bridge_lower_own_atomics(module);
    // Not before GVN, which searches the whole function for stores to an address that is in other blocks too.
    const char *const pipeline = pipeline_for(module, options);
    weftc_note_limit(module, WEFTC_LIMIT_DEEP, weftc_module_number(module, WEFTC_DEEP_NEST) != 0);
    const bool shares_addresses = pipeline == for_large && weftc_share_addresses(module);
    // LLVM 19's loop vectorizer handles a division of uniform values that only some iterations do as if the
    // first of several iterations decided for all (tests/differential/regressions/conditional_division.cl).
    // With this option it divides in all of them, by a safe divisor.
    weftc_bridge_set_option("force-widen-divrem-via-safe-divisor", true);
    weftc_bridge_set_option("enable-interleaved-mem-accesses", !truncates_indices(module));
    const bool skips_sums = pipeline == for_any && weftc_largest_function(module) > MAX_REDUCED;
    weftc_bridge_set_option("slp-vectorize-hor", !weftc_note_limit(module, WEFTC_LIMIT_SUMS, skips_sums));
    if (pipeline != for_large && options->level == WEFT_LEVEL_FULL && !options->opt_disable)
        weftc_bridge_keep_large_rolled(module, LARGE_LOOP, LONG_ITERATION);
    const bool apart = pipeline == for_lanes || pipeline == for_long_lanes || pipeline == for_straight_lanes;
    if (apart)
        set_reads_apart(module, true);
    status = weftc_promote_variables(module);
    if (status == WEFT_OK && pipeline == for_large)
        status = prepare_large(module, target, log);
    if (status == WEFT_OK)
        status = weftc_run_passes(module, target, pipeline, log);
    if (apart)
        set_reads_apart(module, false);
    if (apart && status == WEFT_OK && !simplify_reads(module, target))
        status = WEFT_INTERNAL;
    if (shares_addresses)
        weftc_localize_addresses(module);
    if (options->level != WEFT_LEVEL_QUICK && !options->opt_disable)
        weftc_sink_far_values(module);
    if (target->native_width >= 8 && options->level != WEFT_LEVEL_QUICK)
        weftc_narrow_words(module, target);
    if (!target->has_mask_registers && options->level != WEFT_LEVEL_QUICK && !options->opt_disable)
        weftc_select_by_bits(module);
    if (options->level != WEFT_LEVEL_QUICK)
        weftc_lower_gathers(module, target);
    if (target->native_width >= 8 && !target->has_mask_registers &&
        !(target->permutes & WEFTC_PERMUTES_MASKED) && options->level != WEFT_LEVEL_QUICK)
        weftc_branch_around_masked_stores(module);
    if (target->converts_into_old_vector)
        widen_conversions(module);
    if (target->has_broadcast_operands) {
        load_addends(module);
        weftc_split_loops(module);
    }
    if (status == WEFT_OK && !target->has_fp16)
        weftc_lower_fp16_vectors(module);
    if (status == WEFT_OK && !target->converts_halves)
        weftc_lower_half_conversions(module);
    if (status == WEFT_OK && !target->has_mask_registers && options->level != WEFT_LEVEL_QUICK &&
        !options->opt_disable)
        status = weftc_widen_masks(module, target);
    weftc_lower_traps(module);
    return status;
}
