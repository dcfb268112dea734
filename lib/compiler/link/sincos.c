// Merges calls of sin and cos into calls of sincos. Both functions first reduce their argument to a quarter
// turn. Where a block computes both for the same argument, one call of sincos does it; for native_sin and
// native_cos, an internal built-in function. Before built-in functions are linked, weftc_declare_sincos
// requests these functions for each type whose sin and cos the module calls. weftc_merge_sincos replaces the
// calls once values are in registers. Quick and better code both do this before inlining, so that results
// don't depend on later optimisations.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/link/link.h"

static const char *const types[] = {"f",     "d",     "Dv2_f", "Dv2_d", "Dv3_f",  "Dv3_d",
                                    "Dv4_f", "Dv4_d", "Dv8_f", "Dv8_d", "Dv16_f", "Dv16_d"};

static const char *const families[][3] = {{"3sin", "3cos", "6sincos"},
                                          {"10native_sin", "10native_cos", "20__weft_native_sincos"}};

enum { PAIRS = WEFT_COUNT_OF(types) * WEFT_COUNT_OF(families) };

struct pair {
    char sine[24], cosine[24], both[40];
};

static struct pair names_of(size_t k)
{
    struct pair p;
    const char *type = types[k % WEFT_COUNT_OF(types)];
    const char *const *family = families[k / WEFT_COUNT_OF(types)];
    snprintf(p.sine, sizeof p.sine, "_Z%s%s", family[0], type);
    snprintf(p.cosine, sizeof p.cosine, "_Z%s%s", family[1], type);
    snprintf(p.both, sizeof p.both, "_Z%s%sP%s", family[2], type, type[1] ? "S_" : type);
    return p;
}

bool weftc_is_declared_sincos(LLVMValueRef function)
{
    return weftc_fact_attribute(function, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_WANTED) != NULL;
}

// Returns T if f is a built-in function T f(T) that is called; otherwise NULL.
static LLVMTypeRef number_of(LLVMValueRef f)
{
    if (!f || !LLVMIsDeclaration(f) || !LLVMGetFirstUse(f))
        return NULL;
    LLVMTypeRef type = LLVMGlobalGetValueType(f), number = LLVMGetReturnType(type), parameter;
    if (LLVMIsFunctionVarArg(type) || LLVMCountParamTypes(type) != 1)
        return NULL;
    LLVMGetParamTypes(type, &parameter);
    return parameter == number ? number : NULL;
}

void weftc_declare_sincos(LLVMModuleRef module)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    for (size_t k = 0; k < PAIRS; k++) {
        struct pair p = names_of(k);
        LLVMTypeRef number = number_of(LLVMGetNamedFunction(module, p.sine));
        if (!number || number_of(LLVMGetNamedFunction(module, p.cosine)) != number)
            continue;
        LLVMTypeRef parameters[] = {number, LLVMPointerTypeInContext(c, 0)};
        LLVMTypeRef type = LLVMFunctionType(number, parameters, 2, false);
        LLVMValueRef both = LLVMGetNamedFunction(module, p.both);
        if (both && (!LLVMIsDeclaration(both) || LLVMGlobalGetValueType(both) != type))
            continue;
        if (!both)
            both = LLVMAddFunction(module, p.both, type);
        weftc_fact_attribute_set(both, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_WANTED, "", 0);
        weftc_module_number_set_at(module, WEFTC_SINCOS, (unsigned)k, 1);
    }
}

// Returns the next call of f with this argument in the block, after i, or NULL.
static LLVMValueRef next_call(LLVMValueRef i, LLVMValueRef f, LLVMValueRef argument)
{
    while ((i = LLVMGetNextInstruction(i)))
        if (LLVMIsACallInst(i) && LLVMGetCalledValue(i) == f && LLVMGetOperand(i, 0) == argument)
            return i;
    return NULL;
}

// Replaces both calls by one of `both`. call: the first of the two calls; other: the later one, of the other
// function.
static void merge(LLVMValueRef call, LLVMValueRef other, bool cosine_first, LLVMValueRef both)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    LLVMTypeRef number = LLVMTypeOf(call);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(number));
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef slot = LLVMBuildAlloca(b, number, "");
    LLVMPositionBuilderBefore(b, call);
    LLVMValueRef arguments[] = {LLVMGetOperand(call, 0), slot};
    LLVMValueRef sine = LLVMBuildCall2(b, LLVMGlobalGetValueType(both), both, arguments, 2, "");
    LLVMSetInstructionCallConv(sine, LLVMGetInstructionCallConv(call));
    LLVMValueRef cosine = LLVMBuildLoad2(b, number, slot, "");
    LLVMReplaceAllUsesWith(call, cosine_first ? cosine : sine);
    LLVMReplaceAllUsesWith(other, cosine_first ? sine : cosine);
    LLVMInstructionEraseFromParent(call);
    LLVMInstructionEraseFromParent(other);
    LLVMDisposeBuilder(b);
}

static bool merge_one(LLVMValueRef first, LLVMValueRef second, bool cosine_first, LLVMValueRef both)
{
    for (LLVMUseRef use = LLVMGetFirstUse(first); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use), other;
        if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != first)
            continue;
        if ((other = next_call(call, second, LLVMGetOperand(call, 0)))) {
            merge(call, other, cosine_first, both);
            return true;
        }
    }
    return false;
}

bool weftc_has_sincos_pair(LLVMModuleRef module)
{
    for (size_t k = 0; k < PAIRS; k++)
        if (weftc_module_number_at(module, WEFTC_SINCOS, (unsigned)k))
            return true;
    return false;
}

void weftc_merge_sincos(LLVMModuleRef module)
{
    for (size_t k = 0; k < PAIRS; k++) {
        struct pair p = names_of(k);
        if (!weftc_module_number_at(module, WEFTC_SINCOS, (unsigned)k))
            continue;
        LLVMValueRef sine = LLVMGetNamedFunction(module, p.sine),
                     cosine = LLVMGetNamedFunction(module, p.cosine),
                     both = LLVMGetNamedFunction(module, p.both);
        if (!sine || !cosine || !both || LLVMIsDeclaration(both))
            continue;
        while (merge_one(sine, cosine, false, both) || merge_one(cosine, sine, true, both))
            ;
    }
}
