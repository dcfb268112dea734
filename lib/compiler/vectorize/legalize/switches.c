// Switches that only choose values. LLVM makes a switch of `h == 12 || h == 14 ? x : h < 4 ? y : z`. With
// lanes it would become a tree of comparisons, and a mask for each of its branches. So it becomes
// comparisons with the cases, and selects. Stateless.
#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/vectorize/legalize/legalize.h"

enum { MAX_EDGES = 9, MAX_PHIS = 4 }; // of a switch, with its default; of what it chooses

struct chooser {
    LLVMValueRef instruction; // the switch
    LLVMBasicBlockRef block, join;
    unsigned edges;                    // 0 is the default
    LLVMBasicBlockRef from[MAX_EDGES]; // where each edge enters `join` from: an empty block, or `block`
    LLVMValueRef phis[MAX_PHIS];
    unsigned phi_count;
    LLVMValueRef values[MAX_PHIS][MAX_EDGES];
};

static bool is_of(const struct chooser *c, LLVMValueRef user)
{
    return user == c->instruction || (LLVMIsAPHINode(user) && LLVMGetInstructionParent(user) == c->join);
}

// Does the block do nothing but go on to `join`, and does only the switch come here?
static bool only_goes_on(const struct chooser *c, LLVMBasicBlockRef b)
{
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u))
        if (!is_of(c, LLVMGetUser(u)))
            return false;
    return true;
}

// Where the block leads to if it is empty; NULL: it isn't.
static LLVMBasicBlockRef leads_to(LLVMBasicBlockRef b)
{
    LLVMValueRef i = LLVMGetFirstInstruction(b);
    return LLVMIsABranchInst(i) && !LLVMIsConditional(i) ? LLVMGetSuccessor(i, 0) : NULL;
}

static bool find_join(struct chooser *c)
{
    for (unsigned k = 0; k < c->edges; k++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(c->instruction, k), next = leads_to(to);
        const bool empty = next && next != to && !LLVMIsAPHINode(LLVMGetFirstInstruction(to));
        c->from[k] = empty ? to : c->block;
        LLVMBasicBlockRef join = empty ? next : to;
        if (k > 0 && join != c->join)
            return false;
        c->join = join;
    }
    for (unsigned k = 0; k < c->edges; k++)
        if (c->from[k] != c->block && !only_goes_on(c, c->from[k]))
            return false;
    return c->join != c->block;
}

static LLVMValueRef comes_from(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingBlock(phi, k) == from)
            return LLVMGetIncomingValue(phi, k);
    return NULL;
}

static bool find_values(struct chooser *c)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(c->join); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        if (c->phi_count == MAX_PHIS)
            return false;
        for (unsigned k = 0; k < c->edges; k++) {
            LLVMValueRef value = comes_from(i, c->from[k]);
            if (!value)
                return false;
            c->values[c->phi_count][k] = value;
        }
        c->phis[c->phi_count++] = i;
    }
    return c->phi_count > 0;
}

static bool have_same_values(const struct chooser *c, unsigned edge, unsigned other)
{
    for (unsigned p = 0; p < c->phi_count; p++)
        if (c->values[p][edge] != c->values[p][other])
            return false;
    return true;
}

// Is it one of the cases with the values of `edge`?
static LLVMValueRef build_condition(const struct chooser *c, LLVMBuilderRef b, unsigned edge)
{
    LLVMValueRef any = NULL, number = LLVMGetOperand(c->instruction, 0);
    for (unsigned k = edge; k < c->edges; k++) {
        if (!have_same_values(c, k, edge))
            continue;
        LLVMValueRef one =
            LLVMBuildICmp(b, LLVMIntEQ, number, weftc_bridge_case_value(c->instruction, k - 1), "");
        any = any ? LLVMBuildOr(b, any, one, "") : one;
    }
    return any;
}

static bool is_first_with_values(const struct chooser *c, unsigned edge)
{
    for (unsigned k = 0; k < edge; k++)
        if (have_same_values(c, k, edge))
            return false;
    return true;
}

static bool is_replaced(const struct chooser *c, LLVMBasicBlockRef from)
{
    for (unsigned k = 0; k < c->edges; k++)
        if (c->from[k] == from)
            return true;
    return false;
}

// `chosen` comes from the switch's block in place of all that came from the switch.
static void replace_phi(const struct chooser *c, LLVMBuilderRef b, LLVMValueRef phi, LLVMValueRef chosen)
{
    LLVMPositionBuilderBefore(b, phi);
    LLVMValueRef new = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    LLVMBasicBlockRef from = c->block;
    LLVMAddIncoming(new, &chosen, &from, 1);
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, k);
        from = LLVMGetIncomingBlock(phi, k);
        if (!is_replaced(c, from) && from != c->block)
            LLVMAddIncoming(new, &value, &from, 1);
    }
    LLVMReplaceAllUsesWith(phi, new);
    LLVMInstructionEraseFromParent(phi);
}

static void replace(const struct chooser *c, LLVMBuilderRef b)
{
    LLVMValueRef chosen[MAX_PHIS];
    LLVMPositionBuilderBefore(b, c->instruction);
    for (unsigned p = 0; p < c->phi_count; p++)
        chosen[p] = c->values[p][0];
    for (unsigned k = c->edges - 1; k > 0; k--) {
        if (!is_first_with_values(c, k))
            continue;
        LLVMValueRef condition = build_condition(c, b, k);
        for (unsigned p = 0; p < c->phi_count; p++)
            if (c->values[p][k] != c->values[p][0])
                chosen[p] = LLVMBuildSelect(b, condition, c->values[p][k], chosen[p], "");
    }
    LLVMBuildBr(b, c->join);
    LLVMInstructionEraseFromParent(c->instruction);
    for (unsigned p = 0; p < c->phi_count; p++)
        replace_phi(c, b, c->phis[p], chosen[p]);
    for (unsigned k = 0; k < c->edges; k++) {
        bool met = c->from[k] == c->block;
        for (unsigned m = 0; m < k; m++)
            met |= c->from[m] == c->from[k];
        if (!met)
            LLVMDeleteBasicBlock(c->from[k]);
    }
}

void weftc_vec_switches_as_selects(LLVMValueRef f)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(f)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
        if (!LLVMIsASwitchInst(last) || LLVMGetNumSuccessors(last) > MAX_EDGES)
            continue;
        struct chooser c = {.instruction = last, .block = block, .edges = LLVMGetNumSuccessors(last)};
        if (find_join(&c) && find_values(&c))
            replace(&c, b);
    }
    LLVMDisposeBuilder(b);
}
