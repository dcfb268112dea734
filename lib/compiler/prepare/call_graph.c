// The call graph of a kernel (prepare/call_graph.h), and what it must not have: recursion, assembly, calls
// through pointers (OpenCL C §6.11). Inlining would never end, or isn't possible.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/bridge.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "compiler/prepare/call_graph.h"
#include "compiler/prepare/prepare.h"

void weftc_call_graph_free(struct weftc_call_graph *g)
{
    weftc_map_free(&g->index);
    weft_free(g->nodes);
    weft_free(g->stack);
    weft_free(g->order);
    weft_free(g->callees);
}

struct weftc_call_node *weftc_call_node_of(struct weftc_call_graph *g, LLVMValueRef function)
{
    uint32_t at = weftc_map_get(&g->index, function);
    return at == UINT32_MAX ? NULL : &g->nodes[at];
}

LLVMValueRef weftc_called_body(LLVMValueRef i)
{
    LLVMValueRef f = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
    return f && !LLVMIsDeclaration(f) ? f : NULL;
}

static bool enter(struct weftc_call_graph *g, LLVMValueRef f)
{
    if (!weftc_map_put(&g->index, f, g->count))
        return false;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
    g->nodes[g->count] = (struct weftc_call_node){
        .function = f, .open = true, .block = block, .next = LLVMGetFirstInstruction(block)};
    g->stack[g->depth++] = g->count++;
    return true;
}

static LLVMValueRef next_instruction(struct weftc_call_node *at)
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

weft_status weftc_report_function_error(LLVMValueRef function, const char *what, struct weft_buf *log)
{
    char *name = weft_bridge_source_name(LLVMGetValueName(function));
    weft_buf_printf(log, "%serror: function '%s' %s\n",
                    weftc_place_of(LLVMGetGlobalParent(function), function),
                    name ? name : LLVMGetValueName(function), what);
    weft_free(name);
    return WEFT_BUILD_FAILED;
}

bool weftc_is_math_primitive(LLVMValueRef f)
{
    size_t length;
    return strncmp(LLVMGetValueName2(f, &length), WEFTC_MATH_PREFIX, strlen(WEFTC_MATH_PREFIX)) == 0;
}

// Walks the function on top of the stack up to its next call.
static weft_status advance(struct weftc_call_graph *g, struct weft_buf *log)
{
    struct weftc_call_node *at = &g->nodes[g->stack[g->depth - 1]];
    for (LLVMValueRef i; (i = next_instruction(at));) {
        at->own++;
        if (!LLVMIsACallInst(i))
            continue;
        LLVMValueRef f = weftc_callee(i);
        // The front end has rejected assembly already, with its position. SPIR-V and bitcode may still
        // contain it.
        if (LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
            return weftc_report_function_error(at->function, "contains assembly, which is not allowed", log);
        if (!f)
            return weftc_report_function_error(
                at->function, "calls a function through a pointer, which OpenCL C doesn't allow", log);
        const bool math = weftc_is_math_primitive(f);
        at->has_math |= math;
        at->must_inline |= !math && weftc_is_stages_function(f) && !weftc_can_be_handed_over(i);
        at->needs_arguments |= weftc_can_be_handed_over(i);
        if (LLVMIsDeclaration(f))
            continue;
        // Programs that were compiled separately may disagree about a function's type.
        if (LLVMGetCalledFunctionType(i) != LLVMGlobalGetValueType(f)) {
            char *callee = weft_bridge_source_name(LLVMGetValueName(f));
            char *what = weft_format("calls '%s' with parameters or a result that differ from its definition",
                                     callee ? callee : LLVMGetValueName(f));
            weft_status status = what ? weftc_report_function_error(at->function, what, log) : WEFT_NO_MEMORY;
            weft_free(callee);
            weft_free(what);
            return status;
        }
        struct weftc_call_node *known = weftc_call_node_of(g, f);
        if (!known)
            return enter(g, f) ? WEFT_OK : WEFT_NO_MEMORY;
        if (known->open)
            return weftc_report_function_error(
                f,
                f == at->function
                    ? "calls itself, but OpenCL C doesn't allow recursion"
                    : "calls itself through other functions, but OpenCL C doesn't allow recursion",
                log);
    }
    at->open = false;
    g->order[g->done++] = g->stack[--g->depth];
    return WEFT_OK;
}

static weft_status walk_from(struct weftc_call_graph *g, LLVMValueRef f, struct weft_buf *log)
{
    weft_status status = weftc_call_node_of(g, f) || enter(g, f) ? WEFT_OK : WEFT_NO_MEMORY;
    while (g->depth > 0 && status == WEFT_OK)
        status = advance(g, log);
    return status;
}

static weft_status make_room(struct weftc_call_graph *g, LLVMModuleRef module)
{
    size_t total = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        total++;
    g->nodes = weft_alloc_array(total, sizeof *g->nodes);
    g->stack = weft_alloc_array(total, sizeof *g->stack);
    g->order = weft_alloc_array(total, sizeof *g->order);
    return g->nodes && g->stack && g->order ? WEFT_OK : WEFT_NO_MEMORY;
}

static weft_status reject_assembly(LLVMModuleRef module, struct weft_buf *log)
{
    size_t length = 0;
    LLVMGetModuleInlineAsm(module, &length);
    if (length)
        weft_buf_puts(log, "error: the program contains assembly, which is not allowed\n");
    return length ? WEFT_BUILD_FAILED : WEFT_OK;
}

weft_status weftc_call_graph_find(struct weftc_call_graph *g, LLVMModuleRef module, LLVMValueRef kernel,
                                  struct weft_buf *log)
{
    weft_status status = reject_assembly(module, log);
    if (status == WEFT_OK)
        status = make_room(g, module);
    return status == WEFT_OK ? walk_from(g, kernel, log) : status;
}

weft_status weftc_check_calls(LLVMModuleRef module, struct weft_buf *log)
{
    struct weftc_call_graph g = {0};
    weft_status status = reject_assembly(module, log);
    if (status == WEFT_OK)
        status = make_room(&g, module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && status == WEFT_OK; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) == LLVMSPIRKERNELCallConv)
            status = walk_from(&g, f, log);
    weftc_call_graph_free(&g);
    return status;
}
