// The stage prepare. It leaves one function, the kernel: everything inlined, in SSA form, with the target's
// data layout, and with all pointers in address space 0. The kernel reaches the outside only through the
// primitives of ir/primitives.h. A kernel that inlining would make huge has some calls left
// (prepare/inline.c).
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/bridge.h"
#include "compiler/bridge/codegen.h"
#include "compiler/bridge/debug_variables.h"
#include "compiler/bridge/passes.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/proofs.h"
#include "compiler/compiler.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/sub_groups.h"
#include "compiler/link/link.h"
#include "compiler/prepare/call_graph.h"
#include "compiler/ir/passes/passes.h"
#include "compiler/prepare/prepare.h"
#include "weft/checker.h"

// ---- the module around the kernel ----

// Everything but the kernel becomes internal: it is either inlined, or data of this code object.
static void internalize(LLVMModuleRef module, LLVMValueRef kernel)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (f != kernel && !LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
        static const char *const hindrances[] = {"noinline", "optnone", "alwaysinline", "noduplicate",
                                                 "minsize"};
        for (size_t i = 0; i < WEFT_COUNT_OF(hindrances) && !LLVMIsDeclaration(f); i++)
            weftc_remove_attribute(f, WEFTC_OF_FUNCTION, hindrances[i]);
        LLVMSetFunctionCallConv(f, LLVMCCallConv);
        // Frame pointers and the front end's choice of a CPU: codegen chooses anew.
        static const char *const strings[] = {"frame-pointer", "target-cpu", "target-features", "tune-cpu",
                                              "stack-protector-buffer-size"};
        for (size_t i = 0; i < WEFT_COUNT_OF(strings); i++)
            LLVMRemoveStringAttributeAtIndex(f, WEFTC_OF_FUNCTION, strings[i], (unsigned)strlen(strings[i]));
        for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
            if (weftc_callee(LLVMGetUser(use)) == f)
                LLVMSetInstructionCallConv(LLVMGetUser(use), LLVMCCallConv);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) != LLVMAppendingLinkage)
            LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetLinkage(kernel, LLVMExternalLinkage);
    LLVMSetVisibility(kernel, LLVMDefaultVisibility);
}

static void retarget(LLVMModuleRef module, const struct weftc_target *target)
{
    char *triple = LLVMGetTargetMachineTriple(target->machine);
    LLVMSetTarget(module, triple);
    LLVMDisposeMessage(triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(target->machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
}

// After inlining, only primitives, LLVM's intrinsics and the functions that prepare/inline.c left outlined
// may be called.
static weft_status check_calls(LLVMModuleRef module, struct weft_buf *log)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f) || LLVMGetIntrinsicID(f))
            continue;
        if (strncmp(LLVMGetValueName(f), WEFTC_RESERVED_PREFIX, strlen(WEFTC_RESERVED_PREFIX)) == 0)
            continue;
        weft_buf_printf(log, "error: function '%s' is not defined\n", LLVMGetValueName(f));
        return WEFT_LINK_FAILED;
    }
    return WEFT_OK;
}

// instcombine sinks an instruction that is used once into a later block, and the code generator does so
// again. In kernels with many branches that is bad: each image read is about twenty blocks. The sum of all
// reads was then computed in the last block, after the check whether the work-item writes at all. All values
// read were alive until there, four registers for each read. They were spilled, and codegen took time
// quadratic in their number. The same happened with many outlined reads. So such kernels are compiled without
// sinking.
enum { MAX_BLOCKS_TO_SINK_IN = 200, MAX_CALLS_TO_SINK_PAST = 8 };

static unsigned count_outlined_calls(LLVMValueRef kernel)
{
    unsigned count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            count += weftc_called_body(i) != NULL;
    return count;
}

static void choose_sinking(LLVMModuleRef module, LLVMValueRef kernel)
{
    bool stays = LLVMCountBasicBlocks(kernel) > MAX_BLOCKS_TO_SINK_IN ||
                 count_outlined_calls(kernel) > MAX_CALLS_TO_SINK_PAST;
    weftc_bridge_set_option("instcombine-code-sinking", !stays);
    weftc_module_number_set(module, WEFTC_NO_SINKING, stays);
}

// In a block that it changes, instcombine numbers all instructions again and again, since it asks which one
// comes first. So longer blocks are cut into pieces before, and joined again after. Without sinking: else
// values would move from piece to piece.
enum { LONGEST_BLOCK = 2500, PIECE = 500 };
enum { MANY_INSTRUCTIONS = 4000 }; // of a kernel that is simplified once more

// A switch of so many edges whose cases only give constants is read from a table at once. Else each case is a
// block that simplifycfg tries to remove, and looks at all others for.
enum { LONG_SWITCH = 256 };

static bool has_long_switch(LLVMValueRef kernel)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        if (LLVMIsASwitchInst(LLVMGetBasicBlockTerminator(b)) &&
            LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b)) >= LONG_SWITCH)
            return true;
    return false;
}

static weft_status simplify(LLVMModuleRef module, const struct weftc_target *target,
                            const struct weftc_kernel_options *options, struct weft_buf *log)
{
    if (options->opt_disable)
        return weftc_run_passes(module, target, "function(sroa,mergereturn)", log);
    if (options->level == WEFT_LEVEL_QUICK)
        return weftc_run_passes(module, target,
                                "function(sroa<modify-cfg>,early-cse,simplifycfg,mergereturn)", log);
    weft_status status = weftc_promote_variables(module);
    if (status == WEFT_OK)
        status = weftc_run_passes(module, target, "function(sroa<modify-cfg>,early-cse)", log);
    if (status == WEFT_OK)
        status = weftc_join_empty_blocks(weftc_find_kernel(module, options));
    if (status == WEFT_OK)
        status = weftc_group_edges(weftc_find_kernel(module, options));
    if (status == WEFT_OK)
        status = weftc_run_passes(module, target,
                                  has_long_switch(weftc_find_kernel(module, options))
                                      ? "function(simplifycfg<switch-to-lookup>)"
                                      : "function(simplifycfg)",
                                  log);
    bool copies = false;
    if (status == WEFT_OK && weftc_cut_long_blocks(weftc_find_kernel(module, options), LONGEST_BLOCK, PIECE))
        weftc_bridge_set_option("instcombine-code-sinking", false);
    if (status == WEFT_OK)
        status = weftc_share_extensions(weftc_find_kernel(module, options));
    if (status == WEFT_OK)
        status = weftc_copy_compared(module, weftc_find_kernel(module, options), &copies);
    if (status == WEFT_OK)
        status = weftc_run_passes(module, target,
                                  "function(instcombine<no-verify-fixpoint;max-iterations=1>)", log);
    if (copies)
        weftc_remove_copies(module);
    return status == WEFT_OK ? weftc_run_passes(module, target, "function(simplifycfg,mergereturn)", log)
                             : status;
}

// Variables become values.
static weft_status promote(LLVMModuleRef module, const struct weftc_target *target, struct weft_buf *log)
{
    const bool pairs = weftc_has_sincos_pair(module);
    weft_status status = weftc_promote_variables(module);
    if (status == WEFT_OK)
        status = weftc_run_passes(
            module, target, pairs ? "function(lower-expect,sroa,early-cse)" : "function(lower-expect,sroa)",
            log);
    if (status == WEFT_OK && pairs)
        weftc_merge_sincos(module);
    return status;
}

// The program's variables become places in the work-item's frame, where a debugger finds them.
static void keep_variables(LLVMModuleRef module)
{
    enum { FRAME_ALIGN = 128 }; // of the largest vectors
    uint64_t bytes = weftc_bridge_move_variables(
        module, weftc_primitive_function(module, WEFTC_ITEM_FRAME, 0), WEFTC_ITEM_FRAME_IDS,
        weftc_fact_name(WEFTC_VARIABLES), WEFTC_SPACE_LOCAL);
    bytes = (bytes + FRAME_ALIGN - 1) & ~(uint64_t)(FRAME_ALIGN - 1);
    weftc_module_number_set(module, WEFTC_ITEM_FRAME_BYTES, bytes);
}

weft_status weftc_prepare(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, struct weft_buf *log)
{
    LLVMValueRef kernel = weftc_find_kernel(module, options);
    if (!kernel) {
        weft_buf_printf(log, "error: there is no kernel '%s'\n", options->name);
        return WEFT_NOT_FOUND;
    }
    if (!options->variables && (options->lines || options->debug || options->count || options->check))
        weftc_bridge_keep_only_lines(module);
    else if (!options->variables)
        LLVMStripModuleDebugInfo(module);
    weft_status status = weftc_prepare_kernel_arguments(kernel);
    if (status == WEFT_OK)
        status = weftc_prepare_printf(module, log);
    if (status != WEFT_OK)
        return status;
    if (options->check)
        weftc_check_mark(module, options->check);
    const bool follows = options->check >> WEFT_CHECK_UNINIT & 1;
    if (options->zero_private && !follows)
        weftc_prepare_zero_private(module);
    if (options->variables)
        keep_variables(module);
    weftc_module_number_set(module, WEFTC_SUB_GROUPS, weftc_uses_sub_groups(module));
    weftc_module_number_set(module, WEFTC_SUB_GROUP_REQUIRED, weftc_required_sub_group(kernel));
    weftc_prepare_sub_groups(module);
    weftc_prepare_workitem_functions(module);
    if (options->check & (1u << WEFT_CHECK_BARRIER | 1u << WEFT_CHECK_RACE))
        weftc_check_mark_barriers(module, kernel);
    weftc_prepare_fp_contract(module, target);
    status = weftc_prepare_restrict(module, kernel);
    if (status != WEFT_OK)
        return status;
    internalize(module, kernel);
    retarget(module, target);
    weftc_align_private_arrays(module);
    // Promote to registers first: then what is inlined is small. What is expected (__builtin_expect)
    // becomes weights of branches, of which vectorize/cost/branches.c and LLVM know.
    status = follows ? WEFT_OK : promote(module, target, log);
    if (status == WEFT_OK && !follows && options->level != WEFT_LEVEL_QUICK && !options->opt_disable)
        status = weftc_prepare_read_loops(module, target);
    if (status == WEFT_OK)
        status = weftc_prepare_inline(module, kernel, target, options, log);
    if (status == WEFT_OK)
        status = weftc_run_passes(module, target, "globaldce", log);
    if (status == WEFT_OK)
        status = check_calls(module, log);
    // Whether variables are written is followed while they are memory.
    if (status == WEFT_OK && follows)
        status = weftc_check_follow_values(module, target, kernel, options->zero_private, log);
    if (options->zero_private && follows)
        weftc_prepare_zero_private(module);
    else if (follows)
        weftc_prepare_define_private(module);
    if (status == WEFT_OK && follows)
        status = promote(module, target, log);
    if (status == WEFT_OK && follows)
        weftc_check_forget_chains(kernel);
    if (status == WEFT_OK && weftc_module_number(module, WEFTC_OUTLINED_CALLS))
        status = weftc_prepare_outlined_signatures(module, kernel);
    // What is counted is to be what is left of the kernel: without what is computed again and again in a
    // loop, or for nothing.
    if (status == WEFT_OK && options->count)
        status = weftc_run_passes(
            module, target,
            "function(early-cse,loop-simplify,lcssa,loop-mssa(licm),early-cse<memssa>,dse,adce)", log);
    uint32_t group[3];
    weftc_required_group(kernel, group);
    if (!group[0])
        memcpy(group, options->group, sizeof group);
    // What is computed twice is looked at once.
    if (status == WEFT_OK && options->check && options->level != WEFT_LEVEL_QUICK && !options->opt_disable)
        status = weftc_run_passes(module, target, "function(early-cse)", log);
    if (status == WEFT_OK && options->check)
        status = weftc_check_prove(module, target, kernel,
                                   options->level == WEFT_LEVEL_QUICK ? options->check & 1u << WEFT_CHECK_RACE
                                                                      : options->check,
                                   group, log);
    if (status == WEFT_OK && options->check)
        status = weftc_check_expand(module, kernel, options->check);
    if (status != WEFT_OK)
        return status;
    // while pointers say which memory they are of
    if (options->count && !weftc_count_work(module, kernel, weft_variant_dimension(options->variant)))
        return WEFT_NO_MEMORY;

    status = weftc_prepare_named_barriers(module, log);
    if (status != WEFT_OK)
        return status;
    choose_sinking(module, kernel);
    if (options->level != WEFT_LEVEL_QUICK && !options->opt_disable)
        status = weftc_prepare_image_versions(module, kernel, target);
    if (status != WEFT_OK)
        return status;
    status = weftc_prepare_program_variables(module, kernel, target, log);
    if (status != WEFT_OK)
        return status;
    weftc_prepare_generic_pointers(module, kernel);
    weftc_prepare_known_sizes(kernel, options);
    weftc_prepare_narrow_ids(kernel);
    if (weft_variant_dimension(options->variant))
        weftc_prepare_swap_dimensions(kernel, weft_variant_dimension(options->variant));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        weftc_prepare_guard_divisions(f);
        weftc_prepare_clamp_conversions(f);
    }
    weftc_prepare_access_info(kernel);
    status = weftc_prepare_local_memory(module, kernel);
    if (status != WEFT_OK)
        return status;
    weftc_bridge_flatten_address_spaces(module);
    status = simplify(module, target, options, log);
    if (status != WEFT_OK || options->opt_disable)
        return status;
    kernel = weftc_find_kernel(module, options); // flattening the pointers has made a new function
    // The checker is to find the races that these barriers would mend.
    if (!(options->check >> WEFT_CHECK_RACE & 1))
        weftc_prepare_shift_barriers(module, kernel);
    if (options->level == WEFT_LEVEL_QUICK)
        return status;
    weftc_prepare_uniform_trip_counts(kernel, options);
    weftc_single_iterations(kernel);
    weftc_zero_factors(module);
    weftc_vector_padding(kernel);
    if (weftc_prepare_dot_products(module, kernel))
        status = weftc_run_passes(module, target,
                                  "function(instcombine<no-verify-fixpoint;max-iterations=1>)", log);
    if (status != WEFT_OK)
        return status;
    status = weftc_prepare_constant_arrays(module, kernel);
    if (status == WEFT_OK)
        weftc_prepare_expand_memory_intrinsics(module, kernel);
    // In large kernels, copies of structures that became element-wise are removed here: later stages do less
    // for regions that look huge.
    if (status == WEFT_OK && weftc_function_size(kernel) > MANY_INSTRUCTIONS) {
        status = weftc_promote_in(kernel);
        if (status == WEFT_OK)
            status = weftc_run_passes(module, target, "function(sroa,early-cse)", log);
    }
    return status == WEFT_OK ? weftc_prepare_unroll_private_arrays(module, kernel, target, log) : status;
}
