// Inlining. Afterwards the kernel calls no function that has a body, except where inlining would make it
// huge.
//
// Nearly every kernel becomes one function. The vectorizer and LLVM's passes work best on that. But where
// functions call functions from many places, code grows without bounds: a hash function of 30,000
// instructions has become 3 million, and a chain of functions that each call the next one twice grows
// exponentially. So there is a budget (prepare/inline_budget.c): beyond it, functions that are called from
// several places stay outlined. Image reads stay outlined too if there are many of them
// (prepare/outline_image_reads.c). The vectorizer vectorizes outlined functions
// (vectorize/legalize/callees.c).
//
// A function is always inlined if it reaches a barrier, enqueues, or depends on sub-groups: later stages look
// for these in the kernel only. If that makes a kernel too large to be compiled, it is an error. Functions
// that ask for ids, print, or name a __local or program-scope variable are the last that are outlined: they
// get hidden arguments (prepare/hidden_arguments.c).
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/prepare/call_graph.h"
#include "compiler/prepare/prepare.h"

// If much follows the call in its block, that becomes a block of its own. Inlining moves what follows a call,
// and in a chain of functions what follows all calls around it would move each time.
static void cut_after(LLVMValueRef call)
{
    enum { MUCH = 32 };
    unsigned count = 0;
    for (LLVMValueRef i = LLVMGetNextInstruction(call); i && count < MUCH; i = LLVMGetNextInstruction(i))
        count++;
    if (count == MUCH)
        weftc_bridge_split_block(LLVMGetNextInstruction(call));
}

// A result in memory is a variable of the caller, which is known to be apart from others. That no other
// pointer leads to it would be noted at each access of the callee, and in a chain of functions at all
// accesses of the ones below it.
static void drop_scope_of_result(LLVMValueRef f)
{
    const unsigned sret = LLVMGetEnumAttributeKindForName("sret", 4);
    for (LLVMAttributeIndex at = 1; at <= LLVMCountParams(f); at++)
        if (LLVMGetEnumAttributeAtIndex(f, at, sret))
            weftc_remove_attribute(f, at, "noalias");
}

// Inlines calls in `into`, including those that come with inlined code: the callee may not have been expanded
// before. Takes the last call of a block first: what follows a call moves to a block of its own, and would
// move again for each call before it.
static weft_status inline_calls(struct weftc_call_graph *g, struct weftc_call_node *into,
                                struct weft_buf *log)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(into->function); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetLastInstruction(b), before; i; i = before) {
            before = LLVMGetPreviousInstruction(i);
            LLVMValueRef f = weftc_called_body(i);
            if (!f || weftc_call_node_of(g, f)->outlined)
                continue;
            cut_after(i);
            drop_scope_of_result(f);
            LLVMValueRef after = LLVMGetNextInstruction(i);
            if (!weftc_bridge_inline(i)) {
                weftc_report_function_error(f, "can't be inlined", log);
                return WEFT_BUILD_FAILED;
            }
            // The callee's code, or that of its first block, now stands before `after` or at the end of b.
            before = LLVMGetInstructionParent(after) == b ? LLVMGetPreviousInstruction(after)
                                                          : LLVMGetLastInstruction(b);
        }
    }
    return WEFT_OK;
}

// Is the function expanded in place? A function that is inlined in several places is expanded once, before it
// is inlined. A function that is inlined in one place is expanded there. Otherwise, in a chain of such
// functions, each one would be copied as often as there are functions above it.
static bool is_expanded(const struct weftc_call_graph *g, const struct weftc_call_node *n)
{
    return n == &g->nodes[0] || n->outlined || n->calls > 1;
}

// Decides which image reads are outlined. *changed: there are new functions, which the graph doesn't have.
static weft_status choose_reads(struct weftc_call_graph *g, LLVMModuleRef module,
                                const struct weftc_target *target, const struct weftc_kernel_options *options,
                                bool *changed)
{
    uint64_t *times = weft_alloc_array((size_t)g->count + 1, sizeof *times);
    if (!times)
        return WEFT_NO_MEMORY;
    times[0] = 1;
    for (uint32_t at = g->count; at-- > 0;) { // callers before callees
        const struct weftc_call_node *n = &g->nodes[g->order[at]];
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(n->function); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMValueRef f = weftc_called_body(i);
                uint64_t *of_callee = f ? &times[weftc_call_node_of(g, f) - g->nodes] : NULL;
                if (of_callee)
                    *of_callee = weftc_saturated_sum(*of_callee, times[g->order[at]]);
            }
    }
    weft_status status =
        weftc_prepare_outline_image_accesses(module, &g->index, times, target, options, changed);
    weft_free(times);
    return status;
}

// Gives outlined functions their hidden arguments. Their nodes then have functions that no longer exist.
static weft_status add_arguments(struct weftc_call_graph *g, LLVMModuleRef module)
{
    LLVMValueRef *functions = weft_alloc_array((size_t)g->count + 1, sizeof *functions);
    size_t count = 0;
    for (uint32_t at = 0; functions && at < g->done; at++) { // callees before callers
        const struct weftc_call_node *n = &g->nodes[g->order[at]];
        if (n->outlined && n->needs_arguments)
            functions[count++] = n->function;
    }
    weft_status status =
        functions ? weftc_prepare_hidden_arguments(module, functions, count) : WEFT_NO_MEMORY;
    weft_free(functions);
    return status;
}

weft_status weftc_prepare_inline(LLVMModuleRef module, LLVMValueRef kernel, const struct weftc_target *target,
                                 const struct weftc_kernel_options *options, struct weft_buf *log)
{
    struct weftc_call_graph g = {0};
    bool changed = false;
    weft_status status = weftc_call_graph_find(&g, module, kernel, log);
    if (status == WEFT_OK)
        status = choose_reads(&g, module, target, options, &changed);
    if (changed) {
        weftc_call_graph_free(&g);
        g = (struct weftc_call_graph){0};
        status = status == WEFT_OK ? weftc_call_graph_find(&g, module, kernel, log) : status;
    }
    if (status == WEFT_OK)
        status = weftc_inline_budget(&g, module, log);
    bool outlined = false;
    for (uint32_t at = 0; at < g.done && status == WEFT_OK; at++) {
        struct weftc_call_node *n = &g.nodes[g.order[at]];
        if (is_expanded(&g, n))
            status = inline_calls(&g, n, log);
        outlined |= n->outlined;
    }
    if (status == WEFT_OK && outlined)
        status = add_arguments(&g, module);
    if (status == WEFT_OK)
        weft_log(WEFT_LOG_DEBUG, "%s: %llu instructions with everything inlined%s", LLVMGetValueName(kernel),
                 (unsigned long long)g.nodes[0].flat, outlined ? "; large functions stay outlined" : "");
    weftc_module_number_set(module, WEFTC_OUTLINED_CALLS, outlined);
    weftc_call_graph_free(&g);
    return status;
}
