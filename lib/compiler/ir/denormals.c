#include "compiler/ir/denormals.h"

#include <string.h>

#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"

#define NAME "denormal-fp-math-f32"

static bool is_marked(LLVMValueRef f)
{
    return LLVMGetStringAttributeAtIndex(f, WEFTC_OF_FUNCTION, NAME, sizeof NAME - 1) != NULL;
}

void weftc_flush_denormals(LLVMValueRef f)
{
    static const char value[] = WEFTC_DENORMALS_ARE_ZERO;
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    LLVMAddAttributeAtIndex(
        f, WEFTC_OF_FUNCTION,
        LLVMCreateStringAttribute(context, NAME, sizeof NAME - 1, value, sizeof value - 1));
}

static bool is_double(LLVMValueRef value)
{
    return LLVMGetTypeKind(weftc_element_of(LLVMTypeOf(value))) == LLVMDoubleTypeKind;
}

// printf takes a float as a double (C11 §6.5.2.2). This is no computation with doubles.
static bool is_printed_float(LLVMValueRef i)
{
    if (LLVMGetInstructionOpcode(i) != LLVMFPExt)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
        if (!weftc_calls(LLVMGetUser(use), "printf"))
            return false;
    return true;
}

static bool uses_double(LLVMValueRef i)
{
    if (weftc_calls(i, "printf") || is_printed_float(i))
        return false;
    if (is_double(i))
        return true;
    for (int k = 0, n = LLVMGetNumOperands(i); k < n; k++)
        if (is_double(LLVMGetOperand(i, (unsigned)k)))
            return true;
    return false;
}

static bool has_double(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (uses_double(i))
                return true;
    return false;
}

void weftc_decide_denormals(LLVMModuleRef module)
{
    bool flushes = true, marked = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        marked |= is_marked(f);
        flushes &= is_marked(f);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && flushes; f = LLVMGetNextFunction(f))
        flushes = !has_double(f);
    if (flushes) {
        weftc_module_number_set(module, WEFTC_FLUSHES_DENORMALS, 1);
        return;
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && marked; f = LLVMGetNextFunction(f))
        LLVMRemoveStringAttributeAtIndex(f, WEFTC_OF_FUNCTION, NAME, sizeof NAME - 1);
}

void weftc_apply_denormals(LLVMModuleRef module)
{
    if (!weftc_module_number(module, WEFTC_FLUSHES_DENORMALS))
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !is_marked(f))
            weftc_flush_denormals(f);
}
