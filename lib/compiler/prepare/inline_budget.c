// Which functions stay outlined (prepare/inline.c). The budget is proportional to the source. When inlining
// everything exceeds it, functions that are called from several places stay outlined, the one with the best
// ratio of code saved to calls made first, until the rest is within the budget.
#include <stdio.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/prepare/call_graph.h"
#include "compiler/prepare/prepare.h"

// In instructions after promotion to registers. The budget is MAX_GROWTH times the source, but at least
// SMALL_KERNEL. Costly functions, those with pointers to private memory or atomic accesses, and functions
// that need hidden arguments, stay inlined up to LARGE_KERNEL. A kernel of more than MAX_KERNEL isn't
// compiled.
enum { MAX_GROWTH = 4, SMALL_KERNEL = 4000, LARGE_KERNEL = 16000, MAX_KERNEL = 100000 };
// A smaller function isn't worth a call.
enum { SMALL_FUNCTION = 24 };
// Functions that are chosen one after the other. After that, all that save as much are outlined in each
// round.
enum { MAX_SINGLE = 64 };

// Marks the functions that name this variable, also inside a constant expression. A variable whose
// initializer points to this one is handled by itself. The walk stops there, since two variables may point to
// each other.
static void mark_users(struct weftc_call_graph *g, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user)) {
            struct weftc_call_node *n =
                weftc_call_node_of(g, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
            if (n)
                n->needs_arguments = true;
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
static weft_status find_callees(struct weftc_call_graph *g)
{
    size_t total = 0, capacity = 0;
    for (uint32_t at = 0; at < g->count; at++) {
        struct weftc_call_node *n = &g->nodes[g->order[at]];
        n->flat = n->own;
        n->first_callee = (uint32_t)total;
        n->is_costly = takes_private_pointer(n->function) || weftc_accesses_atomically(n->function);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(n->function); b; b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMValueRef f = weftc_called_body(i);
                if (!f)
                    continue;
                if (total == capacity) {
                    capacity = capacity ? 2 * capacity : 64;
                    uint32_t *larger = weft_realloc(g->callees, capacity * sizeof *larger);
                    if (!larger)
                        return WEFT_NO_MEMORY;
                    g->callees = larger;
                }
                struct weftc_call_node *callee = weftc_call_node_of(g, f);
                g->callees[total++] = (uint32_t)(callee - g->nodes);
                n->flat = weftc_saturated_sum(n->flat, callee->flat);
                n->must_inline |= callee->must_inline;
                n->has_math |= callee->has_math;
                n->needs_arguments |= callee->needs_arguments;
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
static uint64_t estimate(struct weftc_call_graph *g)
{
    for (uint32_t at = 0; at < g->count; at++) {
        struct weftc_call_node *n = &g->nodes[g->order[at]];
        n->expanded = n->own;
        n->sites = 0;
        for (uint32_t k = 0; k < n->callees; k++) {
            const struct weftc_call_node *callee = &g->nodes[g->callees[n->first_callee + k]];
            n->expanded = weftc_saturated_sum(n->expanded, callee->outlined ? 0 : callee->expanded);
        }
    }
    uint64_t total = g->nodes[0].expanded;
    for (uint32_t at = g->count; at-- > 0;) { // callers before callees
        struct weftc_call_node *n = &g->nodes[g->order[at]];
        const uint64_t copies = n == &g->nodes[0] || (n->outlined && n->sites) ? 1 : n->sites;
        total = weftc_saturated_sum(total, n->outlined && n->sites ? n->expanded : 0);
        for (uint32_t k = 0; k < n->callees; k++) {
            struct weftc_call_node *callee = &g->nodes[g->callees[n->first_callee + k]];
            callee->sites = weftc_saturated_sum(callee->sites, copies);
        }
    }
    return total;
}

// Functions that may be outlined. Each step also has those of the steps before.
enum candidates { PLAIN, COSTLY, WITH_ARGUMENTS };

// Of image reads, weftc_prepare_outline_image_accesses has chosen those that stay outlined.
static uint64_t saved_by_outlining(const struct weftc_call_node *n, enum candidates which)
{
    uint64_t saved;
    if (n->must_inline || n->has_math || n->outlined || weftc_is_image_access(n->function) ||
        (n->is_costly && which < COSTLY) || (n->needs_arguments && which < WITH_ARGUMENTS) || n->sites < 2 ||
        n->expanded <= SMALL_FUNCTION)
        return 0;
    return __builtin_mul_overflow(n->sites - 1, n->expanded, &saved) ? UINT64_MAX : saved;
}

// Outlines functions until the whole is within the budget, or nothing is left to outline. In a chain of
// functions that each call the next one twice, the smallest function saves the most, but by very many calls.
// So the largest function is taken that saves half as much.
static void outline(struct weftc_call_graph *g, uint64_t budget, enum candidates which)
{
    for (unsigned round = 0; estimate(g) > budget; round++) {
        uint64_t best = 0;
        for (uint32_t k = 0; k < g->count; k++) {
            const uint64_t saved = saved_by_outlining(&g->nodes[k], which);
            best = saved > best ? saved : best;
        }
        struct weftc_call_node *chosen = NULL;
        for (uint32_t k = 0; k < g->count && best; k++) {
            struct weftc_call_node *n = &g->nodes[k];
            if (saved_by_outlining(n, which) < best - best / 2) // best may be UINT64_MAX
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

// ---- functions that only compute ----

// Functions of numbers in double precision, such as pow, that are called several times. Their code for all
// lanes takes two registers for each number, and takes much longer to run than a call. A function must have
// so many instructions, and calls instead of copies must save so many.
enum { MIN_REPEATED = 150, MIN_SAVED = 1000 };

// Functions of floats are worth their copies until these have so many instructions in all: 18 calls of pow.
// Beyond that the copies neither fit into the instruction cache nor compile in little time, and those
// functions are called that have so many instructions that their calls cost little. Beyond several times as
// many, so are shorter ones.
enum { MAX_COPIED = 6000, MIN_CALLED = 100, MAX_COPIED_SHORT = 48000 };

static LLVMValueRef base_of(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) ||
           LLVMIsAAddrSpaceCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

// Does the function only compute with its arguments, constants and its own memory? What it is called by may
// hand over private memory for a second result.
static bool computes(struct weftc_call_graph *g, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
            if (LLVMIsACallInst(i) &&
                !(callee && (LLVMGetIntrinsicID(callee) || weftc_is_math_primitive(callee) ||
                             (weftc_called_body(i) && weftc_call_node_of(g, callee)->computes))))
                return false;
            if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i))
                return false;
            if (LLVMIsAStoreInst(i) || LLVMIsALoadInst(i)) {
                LLVMValueRef base = base_of(LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0));
                if (!LLVMIsAAllocaInst(base) && !(LLVMIsALoadInst(i) && LLVMIsAGlobalVariable(base)) &&
                    !(LLVMIsAArgument(base) &&
                      LLVMGetPointerAddressSpace(LLVMTypeOf(base)) == WEFTC_SPACE_PRIVATE))
                    return false;
            }
        }
    return true;
}

// Is it a function of numbers whose result is a floating-point number?
static bool gives_a_float(LLVMValueRef f, bool doubles)
{
    const LLVMTypeKind result = LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(f)));
    if (result != LLVMDoubleTypeKind && (doubles || result != LLVMFloatTypeKind))
        return false;
    for (unsigned k = 0; k < LLVMCountParams(f); k++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(f, k))) == LLVMPointerTypeKind)
            return false;
    return true;
}

static bool may_be_called(const struct weftc_call_node *n, bool doubles)
{
    return n->sites > 1 && !n->must_inline && !n->outlined && !n->needs_arguments && n->computes &&
           gives_a_float(n->function, doubles);
}

static uint64_t copied(const struct weftc_call_node *n, uint64_t size)
{
    uint64_t instructions;
    return __builtin_mul_overflow(n->sites - 1, size, &instructions) ? UINT64_MAX : instructions;
}

// The function of floats with at least so many instructions whose copies have the most.
static struct weftc_call_node *most_copied(struct weftc_call_graph *g, uint64_t least)
{
    struct weftc_call_node *most = NULL;
    for (uint32_t k = 1; k < g->count; k++) {
        struct weftc_call_node *n = &g->nodes[k];
        if (may_be_called(n, false) && n->expanded >= least &&
            (!most || copied(n, n->expanded) > copied(most, most->expanded)))
            most = n;
    }
    return most;
}

static void outline_repeated(struct weftc_call_graph *g)
{
    for (uint32_t at = 0; at < g->count; at++) { // callees before callers
        struct weftc_call_node *n = &g->nodes[g->order[at]];
        n->computes = computes(g, n->function);
    }
    estimate(g);
    for (uint32_t k = 1; k < g->count; k++) {
        struct weftc_call_node *n = &g->nodes[k];
        n->outlined |= n->own >= MIN_REPEATED && may_be_called(n, true) && copied(n, n->own) >= MIN_SAVED;
    }
    for (unsigned round = 0; round < MAX_SINGLE; round++) {
        uint64_t all = 0;
        estimate(g);
        for (uint32_t k = 1; k < g->count; k++)
            if (may_be_called(&g->nodes[k], false))
                all = weftc_saturated_sum(all, copied(&g->nodes[k], g->nodes[k].own));
        struct weftc_call_node *chosen = most_copied(g, MIN_CALLED);
        if (!chosen && all > MAX_COPIED_SHORT)
            chosen = most_copied(g, SMALL_FUNCTION);
        if (!chosen || all <= MAX_COPIED)
            return;
        chosen->outlined = true;
    }
}

// Says which function makes the kernel too large: the one whose copies have the most instructions.
static weft_status report_size(const struct weftc_call_graph *g, uint64_t total, struct weft_buf *log)
{
    const struct weftc_call_node *worst = NULL;
    uint64_t most = 0, size;
    for (uint32_t k = 1; k < g->count; k++) {
        const struct weftc_call_node *n = &g->nodes[k];
        if (n->outlined || __builtin_mul_overflow(n->sites, n->own, &size))
            size = n->outlined ? 0 : UINT64_MAX;
        if (size > most) {
            most = size;
            worst = n;
        }
    }
    char what[200];
    snprintf(
        what, sizeof what,
        "is copied to %llu places, since it reaches a barrier or needs to be inlined for another reason; the "
        "kernel would have %llu instructions, and at most %d are compiled",
        (unsigned long long)(worst ? worst->sites : 0), (unsigned long long)total, MAX_KERNEL);
    return weftc_report_function_error(worst ? worst->function : g->nodes[0].function, what, log);
}

weft_status weftc_inline_budget(struct weftc_call_graph *g, LLVMModuleRef module, struct weft_buf *log)
{
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
        if (weftc_is_named_in_kernel_only(v))
            mark_users(g, v);
    weft_status status = find_callees(g);
    g->nodes[0].must_inline = true;
    uint64_t source = 0;
    for (uint32_t k = 0; k < g->count; k++) {
        struct weftc_call_node *n = &g->nodes[k];
        source = weftc_saturated_sum(source, n->own);
        n->outlined = !n->must_inline && !n->has_math && !n->needs_arguments &&
                      weftc_fact_attribute(n->function, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_CALLED);
    }
    if (status == WEFT_OK)
        outline_repeated(g);
    if (status != WEFT_OK || g->nodes[0].flat <= SMALL_KERNEL)
        return status;
    const uint64_t growth = MAX_GROWTH * source, budget = growth > SMALL_KERNEL ? growth : SMALL_KERNEL;
    const uint64_t larger = budget > LARGE_KERNEL ? budget : LARGE_KERNEL;
    outline(g, budget, PLAIN);
    if (estimate(g) > larger)
        outline(g, budget, COSTLY);
    if (estimate(g) > larger)
        outline(g, budget, WITH_ARGUMENTS);
    const uint64_t total = estimate(g);
    return total > MAX_KERNEL && total > growth ? report_size(g, total, log) : WEFT_OK;
}
