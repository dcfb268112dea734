// Inlining. Afterwards the kernel calls no function that has a body, except where inlining would make it
// huge.
//
// Nearly every kernel becomes one function. The vectorizer and LLVM's passes work best on that. But where
// functions call functions from many places, code grows without bounds: a hash function of 30,000 instructions
// has become 3 million, and a chain of functions that each call the next one twice grows exponentially. So
// there is a budget, proportional to the source. When inlining everything exceeds it, functions that are called
// from several places stay outlined, the one with the best ratio of code saved to calls made first, until the
// rest is within the budget. Image reads stay outlined too if there are many of them
// (prepare/outline_image_reads.c). The vectorizer vectorizes outlined functions (vectorize/legalize/callees.c).
//
// A function is always inlined if it asks for its place in the index space, reaches a barrier, prints, or
// names a __local or program-scope variable: later stages look for these in the kernel only.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/clang.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/value_map.h"
#include "compiler/link/link.h"
#include "compiler/prepare/prepare.h"

// In instructions after promotion to registers. The budget is MAX_GROWTH times the source, but at least
// SMALL_KERNEL. Costly functions, those with pointers to private memory or atomic accesses, stay inlined up to
// LARGE_KERNEL.
enum { MAX_GROWTH = 4, SMALL_KERNEL = 4000, LARGE_KERNEL = 16000 };
// A smaller function isn't worth a call.
enum { SMALL_FUNCTION = 24 };
// Functions that are chosen one after the other. After that, all that save as much are outlined in each round.
enum { MAX_SINGLE = 64 };

struct node {
    LLVMValueRef function;
    uint64_t own;                   // its instructions
    uint64_t flat;                  // with everything inlined
    uint64_t expanded;              // with only those functions inlined that are to be
    uint64_t sites;                 // calls of it in the expanded kernel and the outlined functions
    uint32_t calls;                 // number of calls of this function in the source
    uint32_t first_callee, callees; // in graph.callees, one entry for each call
    bool must_inline;
    bool is_costly; // outlined, it keeps private arrays in memory, or costs the kernel its lanes
    bool outlined;
    // The state of the depth-first walk.
    bool open; // it is on the stack now
    LLVMBasicBlockRef block;
    LLVMValueRef next; // the next instruction to visit
};

struct graph {
    struct node *nodes; // nodes[0] is the kernel
    uint32_t count;
    struct weftc_map index;
    uint32_t *stack, depth;
    uint32_t *order, done; // callees before callers
    uint32_t *callees;     // nodes
};

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void graph_free(struct graph *g)
{
    weftc_map_free(&g->index);
    weft_free(g->nodes);
    weft_free(g->stack);
    weft_free(g->order);
    weft_free(g->callees);
}

static struct node *node_of(struct graph *g, LLVMValueRef function)
{
    uint32_t at = weftc_map_get(&g->index, function);
    return at == UINT32_MAX ? NULL : &g->nodes[at];
}

// The function with a body that `i` calls; NULL if there is none.
static LLVMValueRef called_body(LLVMValueRef i)
{
    LLVMValueRef f = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
    return f && !LLVMIsDeclaration(f) ? f : NULL;
}

// ---- The call graph. Recursion is an error (OpenCL C §6.11): inlining would never end ----

static bool enter(struct graph *g, LLVMValueRef f)
{
    if (!weftc_map_put(&g->index, f, g->count))
        return false;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
    g->nodes[g->count] =
        (struct node){.function = f, .open = true, .block = block, .next = LLVMGetFirstInstruction(block)};
    g->stack[g->depth++] = g->count++;
    return true;
}

static LLVMValueRef next_instruction(struct node *at)
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

static bool is_primitive(LLVMValueRef f)
{
    return f && strncmp(LLVMGetValueName(f), "weft.", 5) == 0;
}

static weft_status report_error(LLVMValueRef function, const char *what, struct weft_buf *log)
{
    char *name = weft_bridge_source_name(LLVMGetValueName(function));
    weft_buf_printf(log, "%serror: function '%s' %s\n",
                    weftc_place_of(LLVMGetGlobalParent(function), function),
                    name ? name : LLVMGetValueName(function), what);
    weft_free(name);
    return WEFT_BUILD_FAILED;
}

// Walks the function on top of the stack up to its next call.
static weft_status advance(struct graph *g, struct weft_buf *log)
{
    struct node *at = &g->nodes[g->stack[g->depth - 1]];
    for (LLVMValueRef i; (i = next_instruction(at));) {
        at->own++;
        if (!LLVMIsACallInst(i))
            continue;
        LLVMValueRef f = weftc_callee(i);
        // The front end has rejected assembly already, with its position. SPIR-V and bitcode may still
        // contain it.
        if (LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
            return report_error(at->function, "contains assembly, which is not allowed", log);
        if (!f)
            return report_error(at->function,
                                "calls a function through a pointer, which OpenCL C doesn't allow", log);
        at->must_inline |= is_primitive(f);
        if (LLVMIsDeclaration(f))
            continue;
        // Programs that were compiled separately may disagree about a function's type.
        if (LLVMGetCalledFunctionType(i) != LLVMGlobalGetValueType(f)) {
            char *callee = weft_bridge_source_name(LLVMGetValueName(f));
            char *what = weft_format("calls '%s' with parameters or a result that differ from its definition",
                                     callee ? callee : LLVMGetValueName(f));
            weft_status status = what ? report_error(at->function, what, log) : WEFT_NO_MEMORY;
            weft_free(callee);
            weft_free(what);
            return status;
        }
        struct node *known = node_of(g, f);
        if (!known)
            return enter(g, f) ? WEFT_OK : WEFT_NO_MEMORY;
        if (known->open)
            return report_error(
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

static weft_status walk_from(struct graph *g, LLVMValueRef f, struct weft_buf *log)
{
    weft_status status = node_of(g, f) || enter(g, f) ? WEFT_OK : WEFT_NO_MEMORY;
    while (g->depth > 0 && status == WEFT_OK)
        status = advance(g, log);
    return status;
}

static weft_status make_room(struct graph *g, LLVMModuleRef module)
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

static weft_status find_graph(struct graph *g, LLVMModuleRef module, LLVMValueRef kernel,
                              struct weft_buf *log)
{
    weft_status status = reject_assembly(module, log);
    if (status == WEFT_OK)
        status = make_room(g, module);
    return status == WEFT_OK ? walk_from(g, kernel, log) : status;
}

// ---- What stays outlined ----

// Marks the functions that name this variable, also inside a constant expression. A variable whose
// initializer points to this one is handled by itself. The walk stops there, since two variables may point to
// each other.
static void mark_users(struct graph *g, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user)) {
            struct node *n = node_of(g, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
            if (n)
                n->must_inline = true;
        } else if (LLVMIsAConstant(user) && !LLVMIsAGlobalVariable(user)) {
            mark_users(g, user);
        }
    }
}

// Does it take pointers to private memory? Inlined, what they point to is mostly promoted to registers.
static bool takes_private_pointer(LLVMValueRef f)
{
    for (unsigned k = 0; k < LLVMCountParams(f); k++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(f, k));
        if (LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
            (LLVMGetPointerAddressSpace(type) == WEFTC_SPACE_PRIVATE ||
             LLVMGetPointerAddressSpace(type) == WEFTC_SPACE_GENERIC))
            return true;
    }
    return false;
}

// Lists the callees of all functions, with what is known of them.
static weft_status find_callees(struct graph *g)
{
    size_t total = 0, capacity = 0;
    for (uint32_t at = 0; at < g->count; at++) {
        struct node *n = &g->nodes[g->order[at]];
        n->flat = n->own;
        n->first_callee = (uint32_t)total;
        n->is_costly = takes_private_pointer(n->function) || weftc_accesses_atomically(n->function);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(n->function); b; b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMValueRef f = called_body(i);
                if (!f)
                    continue;
                if (total == capacity) {
                    capacity = capacity ? 2 * capacity : 64;
                    uint32_t *larger = weft_realloc(g->callees, capacity * sizeof *larger);
                    if (!larger)
                        return WEFT_NO_MEMORY;
                    g->callees = larger;
                }
                struct node *callee = node_of(g, f);
                g->callees[total++] = (uint32_t)(callee - g->nodes);
                n->flat = plus(n->flat, callee->flat);
                n->must_inline |= callee->must_inline;
                n->is_costly |= callee->is_costly;
                callee->calls++;
            }
        }
        n->callees = (uint32_t)total - n->first_callee;
    }
    return WEFT_OK;
}

// Finds the sizes and the numbers of calls that follow from what is outlined now. Returns the instructions of
// the kernel and of all outlined functions.
static uint64_t estimate(struct graph *g)
{
    for (uint32_t at = 0; at < g->count; at++) {
        struct node *n = &g->nodes[g->order[at]];
        n->expanded = n->own;
        n->sites = 0;
        for (uint32_t k = 0; k < n->callees; k++) {
            const struct node *callee = &g->nodes[g->callees[n->first_callee + k]];
            n->expanded = plus(n->expanded, callee->outlined ? 0 : callee->expanded);
        }
    }
    uint64_t total = g->nodes[0].expanded;
    for (uint32_t at = g->count; at-- > 0;) { // callers before callees
        struct node *n = &g->nodes[g->order[at]];
        const uint64_t copies = n == &g->nodes[0] || (n->outlined && n->sites) ? 1 : n->sites;
        total = plus(total, n->outlined && n->sites ? n->expanded : 0);
        for (uint32_t k = 0; k < n->callees; k++) {
            struct node *callee = &g->nodes[g->callees[n->first_callee + k]];
            callee->sites = plus(callee->sites, copies);
        }
    }
    return total;
}

// Of image reads, weftc_prepare_reads has chosen those that stay outlined.
static uint64_t saved_by_outlining(const struct node *n, bool costly)
{
    uint64_t saved;
    if (n->must_inline || n->outlined || weftc_is_image_read(n->function) || (n->is_costly && !costly) ||
        n->sites < 2 || n->expanded <= SMALL_FUNCTION)
        return 0;
    return __builtin_mul_overflow(n->sites - 1, n->expanded, &saved) ? UINT64_MAX : saved;
}

// Outlines functions until the whole is within the budget, or nothing is left to outline. costly: also
// costly functions. In a chain of functions that each call the next one twice, the
// smallest function saves the most, but by very many calls. So the largest function is taken that saves half as
// much.
static void outline(struct graph *g, uint64_t budget, bool costly)
{
    for (unsigned round = 0; estimate(g) > budget; round++) {
        uint64_t best = 0;
        for (uint32_t k = 0; k < g->count; k++) {
            const uint64_t saved = saved_by_outlining(&g->nodes[k], costly);
            best = saved > best ? saved : best;
        }
        struct node *chosen = NULL;
        for (uint32_t k = 0; k < g->count && best; k++) {
            struct node *n = &g->nodes[k];
            if (saved_by_outlining(n, costly) < (best + 1) / 2)
                continue;
            n->outlined |= round >= MAX_SINGLE;
            if (!chosen || n->expanded > chosen->expanded)
                chosen = n;
        }
        if (!chosen)
            return;
        chosen->outlined = true;
    }
}

static weft_status decide(struct graph *g, LLVMModuleRef module)
{
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == WEFTC_SPACE_LOCAL || weftc_has_place(v))
            mark_users(g, v);
    weft_status status = find_callees(g);
    g->nodes[0].must_inline = true;
    uint64_t source = 0;
    for (uint32_t k = 0; k < g->count; k++) {
        struct node *n = &g->nodes[k];
        source = plus(source, n->own);
        n->outlined =
            !n->must_inline && weftc_fact_attribute(n->function, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_CALLED);
    }
    if (status != WEFT_OK || g->nodes[0].flat <= SMALL_KERNEL)
        return status;
    const uint64_t growth = MAX_GROWTH * source, budget = growth > SMALL_KERNEL ? growth : SMALL_KERNEL;
    outline(g, budget, false);
    if (estimate(g) > (budget > LARGE_KERNEL ? budget : LARGE_KERNEL))
        outline(g, budget, true);
    return WEFT_OK;
}

// ---- Inlining ----

// Inlines calls in `into`, including those that come with inlined code: the callee may not have been expanded
// before.
static weft_status inline_calls(struct graph *g, struct node *into, struct weft_buf *log)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(into->function); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            LLVMValueRef f = called_body(i), before = LLVMGetPreviousInstruction(i);
            if (!f || node_of(g, f)->outlined)
                continue;
            if (!weftc_bridge_inline(i)) {
                report_error(f, "can't be inlined", log);
                return WEFT_BUILD_FAILED;
            }
            // The callee's code follows `before`. What followed the call comes after it, perhaps in another
            // block.
            next = before ? LLVMGetNextInstruction(before) : LLVMGetFirstInstruction(b);
        }
    }
    return WEFT_OK;
}

// Is the function expanded in place? A function that is inlined in several places is expanded once, before it
// is inlined. A function that is inlined in one place is expanded there. Otherwise, in a chain of such
// functions, each one would be copied as often as there are functions above it.
static bool is_expanded(const struct graph *g, const struct node *n)
{
    return n == &g->nodes[0] || n->outlined || n->calls > 1;
}

// Decides which image reads are outlined. *changed: there are new functions, which the graph doesn't have.
static weft_status choose_reads(struct graph *g, LLVMModuleRef module, const struct weftc_target *target,
                                const struct weftc_kernel_options *options, bool *changed)
{
    uint64_t *times = weft_alloc_array((size_t)g->count + 1, sizeof *times);
    if (!times)
        return WEFT_NO_MEMORY;
    times[0] = 1;
    for (uint32_t at = g->count; at-- > 0;) { // callers before callees
        const struct node *n = &g->nodes[g->order[at]];
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(n->function); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMValueRef f = called_body(i);
                uint64_t *of_callee = f ? &times[node_of(g, f) - g->nodes] : NULL;
                if (of_callee)
                    *of_callee = plus(*of_callee, times[g->order[at]]);
            }
    }
    weft_status status = weftc_prepare_reads(module, &g->index, times, target, options, changed);
    weft_free(times);
    return status;
}

weft_status weftc_prepare_inline(LLVMModuleRef module, LLVMValueRef kernel, const struct weftc_target *target,
                                 const struct weftc_kernel_options *options, struct weft_buf *log)
{
    struct graph g = {0};
    bool changed = false;
    weft_status status = find_graph(&g, module, kernel, log);
    if (status == WEFT_OK)
        status = choose_reads(&g, module, target, options, &changed);
    if (changed) {
        graph_free(&g);
        g = (struct graph){0};
        status = status == WEFT_OK ? find_graph(&g, module, kernel, log) : status;
    }
    if (status == WEFT_OK)
        status = decide(&g, module);
    bool outlined = false;
    for (uint32_t at = 0; at < g.done && status == WEFT_OK; at++) {
        struct node *n = &g.nodes[g.order[at]];
        if (is_expanded(&g, n))
            status = inline_calls(&g, n, log);
        outlined |= n->outlined;
    }
    if (status == WEFT_OK)
        weft_log(WEFT_LOG_DEBUG, "%s: %llu instructions with everything inlined%s", LLVMGetValueName(kernel),
                 (unsigned long long)g.nodes[0].flat, outlined ? "; large functions stay outlined" : "");
    weftc_module_number_set(module, WEFTC_OUTLINED_CALLS, outlined);
    graph_free(&g);
    return status;
}

weft_status weftc_check_calls(LLVMModuleRef module, struct weft_buf *log)
{
    struct graph g = {0};
    weft_status status = reject_assembly(module, log);
    if (status == WEFT_OK)
        status = make_room(&g, module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && status == WEFT_OK; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) == LLVMSPIRKERNELCallConv)
            status = walk_from(&g, f, log);
    graph_free(&g);
    return status;
}
