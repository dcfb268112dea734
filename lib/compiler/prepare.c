// C0, prepare (DESIGN §8): leaves one function, the kernel, with everything inlined, in SSA form, for the
// target's data layout, all pointers in address space 0, and knowing the world only through the primitives of
// middle.h.
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "bridge_passes.h"
#include "middle.h"

// ---- recursion, which OpenCL C forbids (§6.11), would never finish inlining ----

struct frame {
    LLVMValueRef function;
    LLVMBasicBlockRef block;
    LLVMValueRef next; // instruction to look at
};

struct walk {
    LLVMValueRef *functions; // met so far
    uint8_t *open;           // on the stack now
    size_t met, total;
    struct frame *stack;
    size_t depth;
};

static size_t index_of(struct walk *w, LLVMValueRef f)
{
    for (size_t i = 0; i < w->met; i++)
        if (w->functions[i] == f)
            return i;
    return SIZE_MAX;
}

static void enter(struct walk *w, LLVMValueRef f)
{
    w->functions[w->met] = f;
    w->open[w->met++] = 1;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
    w->stack[w->depth++] = (struct frame){f, block, LLVMGetFirstInstruction(block)};
}

static LLVMValueRef next_instruction(struct frame *at)
{
    while (!at->next && at->block) {
        at->block = LLVMGetNextBasicBlock(at->block);
        at->next = at->block ? LLVMGetFirstInstruction(at->block) : NULL;
    }
    LLVMValueRef i = at->next;
    if (i)
        at->next = LLVMGetNextInstruction(i);
    return i;
}

// Depth first over the calls. Marks what it meets for inlining; a call of a function that is still open is
// recursion.
static weft_status visit(struct walk *w, LLVMValueRef kernel, struct weft_buf *log)
{
    enter(w, kernel);
    while (w->depth > 0) {
        struct frame *at = &w->stack[w->depth - 1];
        LLVMValueRef i = next_instruction(at);
        if (!i) {
            w->open[index_of(w, at->function)] = 0;
            w->depth--;
            continue;
        }
        LLVMValueRef f = weftc_callee(i);
        if (LLVMIsACallInst(i) && !f && !LLVMIsAInlineAsm(LLVMGetCalledValue(i))) {
            weft_buf_printf(log,
                            "error: function '%s' calls through a pointer, which OpenCL C does not allow\n",
                            LLVMGetValueName(at->function));
            return WEFT_BUILD_FAILED;
        }
        if (!f || LLVMIsDeclaration(f))
            continue;
        size_t known = index_of(w, f);
        if (known == SIZE_MAX) {
            static const char *const hindrances[] = {"noinline", "optnone", "noduplicate", "minsize"};
            for (size_t k = 0; k < WEFT_COUNT_OF(hindrances); k++)
                weftc_remove_attribute(f, WEFTC_OF_FUNCTION, hindrances[k]);
            weftc_add_attribute(f, WEFTC_OF_FUNCTION, "alwaysinline", 0);
            LLVMSetLinkage(f, LLVMInternalLinkage);
            enter(w, f);
        } else if (w->open[known]) {
            weft_buf_printf(log, "error: function '%s' calls itself%s, which OpenCL C does not allow\n",
                            LLVMGetValueName(f), f == at->function ? "" : " through other functions");
            return WEFT_BUILD_FAILED;
        }
    }
    return WEFT_OK;
}

static weft_status mark_inlined(LLVMModuleRef module, LLVMValueRef kernel, struct weft_buf *log)
{
    struct walk w = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        w.total++;
    w.functions = weft_alloc_array(w.total, sizeof *w.functions);
    w.open = weft_alloc_array(w.total, 1);
    w.stack = weft_alloc_array(w.total, sizeof *w.stack);
    weft_status status = WEFT_NO_MEMORY;
    if (w.functions && w.open && w.stack)
        status = visit(&w, kernel, log);
    weft_free(w.functions);
    weft_free(w.open);
    weft_free(w.stack);
    return status;
}

// ---- the module around the kernel ----

// What isn't the kernel is either inlined or constant data of its own code object.
static void internalize(LLVMModuleRef module, LLVMValueRef kernel)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (f != kernel && !LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
        LLVMSetFunctionCallConv(f, LLVMCCallConv);
        // Frame pointers and the front end's idea of a CPU: codegen decides anew.
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
    static const char *const hindrances[] = {"noinline", "optnone", "alwaysinline", "minsize"};
    for (size_t i = 0; i < WEFT_COUNT_OF(hindrances); i++)
        weftc_remove_attribute(kernel, WEFTC_OF_FUNCTION, hindrances[i]);
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

// After inlining only primitives and LLVM's intrinsics may still be called.
static weft_status check_calls(LLVMModuleRef module, struct weft_buf *log)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f) || LLVMGetIntrinsicID(f))
            continue;
        if (strncmp(LLVMGetValueName(f), "weft.", 5) == 0)
            continue;
        weft_buf_printf(log, "error: function '%s' is not defined\n", LLVMGetValueName(f));
        return WEFT_LINK_FAILED;
    }
    return WEFT_OK;
}

weft_status weftc_prepare(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, struct weft_buf *log)
{
    LLVMValueRef kernel = weftc_find_kernel(module, options);
    if (!kernel) {
        weft_buf_printf(log, "error: there is no kernel '%s'\n", options->name);
        return WEFT_NOT_FOUND;
    }
    LLVMStripModuleDebugInfo(module);
    weft_status status = weftc_prepare_arguments(kernel);
    if (status == WEFT_OK)
        status = mark_inlined(module, kernel, log);
    if (status == WEFT_OK)
        status = weftc_prepare_printf(module, log);
    if (status != WEFT_OK)
        return status;
    weftc_prepare_calls(module);
    internalize(module, kernel);
    retarget(module, target);
    // Promotion first: what is inlined then is small.
    status = weftc_run_passes(module, target, "function(sroa),always-inline,globaldce", log);
    if (status == WEFT_OK)
        status = check_calls(module, log);
    if (status != WEFT_OK)
        return status;

    weftc_prepare_narrow_ids(kernel);
    if (options->form > WEFT_FORM_ROWS)
        weftc_prepare_turn(kernel, options->form - WEFT_FORM_ROWS);
    weftc_prepare_divisions(kernel);
    weftc_prepare_access_info(kernel);
    status = weftc_prepare_local_memory(module, kernel);
    if (status != WEFT_OK)
        return status;
    weftc_bridge_flatten_address_spaces(module, kernel);
    return weftc_run_passes(module, target,
                            options->opt_disable
                                ? "function(sroa,mergereturn)"
                                : "function(sroa<modify-cfg>,early-cse,simplifycfg,"
                                  "instcombine<no-verify-fixpoint;max-iterations=1>,simplifycfg,mergereturn)",
                            log);
}
