// Calls of built-in functions from modules that other front ends made. These represent the opaque types of
// OpenCL C (images, samplers, events) by pointers of their choice, but use the names that Clang gives the
// functions. Arguments are converted to the parameters' types. What can't be converted is an error: a foreign
// module may declare a built-in function with any type.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/workitem_names.h"
#include "compiler/link/link.h"

static bool is_number_or_pointer(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMPointerTypeKind || LLVMGetTypeKind(t) == LLVMIntegerTypeKind;
}

static bool is_event(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMTargetExtTypeKind &&
           strcmp(LLVMGetTargetExtTypeName(t), "spirv.Event") == 0;
}

static bool fits(LLVMTypeRef have, LLVMTypeRef want)
{
    return have == want ||
           ((is_number_or_pointer(have) || is_event(have)) && (is_number_or_pointer(want) || is_event(want)));
}

static LLVMValueRef converted(LLVMBuilderRef b, LLVMValueRef value, LLVMTypeRef want)
{
    LLVMTypeRef have = LLVMTypeOf(value), number = LLVMInt64TypeInContext(LLVMGetTypeContext(want));
    if (have == want)
        return value;
    if (is_event(have) || is_event(want))
        return LLVMConstNull(
            // Events of copies in a work-group carry no information: each copy is complete when it is waited
            // for.
            want);
    bool from_pointer = LLVMGetTypeKind(have) == LLVMPointerTypeKind;
    LLVMValueRef bits = from_pointer ? LLVMBuildPtrToInt(b, value, number, "")
                                     : LLVMBuildIntCast2(b, value, number, false, "");
    return LLVMGetTypeKind(want) == LLVMPointerTypeKind ? LLVMBuildIntToPtr(b, bits, want, "")
                                                        : LLVMBuildIntCast2(b, bits, want, false, "");
}

// Do the types have the same number of parameters, and can each parameter and the result be converted?
static bool is_convertible(LLVMTypeRef have, LLVMTypeRef want, LLVMTypeRef *parameters, unsigned count)
{
    if (LLVMIsFunctionVarArg(have) || LLVMIsFunctionVarArg(want) ||
        !fits(LLVMGetReturnType(want), LLVMGetReturnType(have)))
        return false;
    LLVMGetParamTypes(have, parameters);
    LLVMGetParamTypes(want, parameters + count);
    for (unsigned i = 0; i < count; i++)
        if (!fits(parameters[i], parameters[count + i]))
            return false;
    return true;
}

static weft_status fit_call(LLVMValueRef call, LLVMTypeRef want)
{
    LLVMTypeRef have = LLVMGetCalledFunctionType(call);
    unsigned count = LLVMCountParamTypes(want);
    if (count != LLVMCountParamTypes(have))
        return WEFT_OK;
    LLVMTypeRef *parameters = weft_alloc_array(2 * (size_t)count + 1, sizeof(LLVMTypeRef));
    LLVMValueRef *arguments = weft_alloc_array((size_t)count + 1, sizeof(LLVMValueRef));
    bool ok = parameters && arguments;
    if (ok && is_convertible(have, want, parameters, count)) {
        LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(want));
        LLVMPositionBuilderBefore(b, call);
        for (unsigned i = 0; i < count; i++)
            arguments[i] = converted(b, LLVMGetOperand(call, i), parameters[count + i]);
        LLVMValueRef made = LLVMBuildCall2(b, want, LLVMGetCalledValue(call), arguments, count, "");
        LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(call));
        if (LLVMGetTypeKind(LLVMGetReturnType(have)) != LLVMVoidTypeKind)
            LLVMReplaceAllUsesWith(call, converted(b, made, LLVMGetReturnType(have)));
        LLVMInstructionEraseFromParent(call);
        LLVMDisposeBuilder(b);
    }
    weft_free(parameters);
    weft_free(arguments);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}

weft_status weftc_fit_calls(LLVMModuleRef module)
{
    weft_status status = WEFT_OK;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMTypeRef want = LLVMGlobalGetValueType(f);
        LLVMUseRef next;
        for (LLVMUseRef use = LLVMIsDeclaration(f) ? NULL : LLVMGetFirstUse(f); use && status == WEFT_OK;
             use = next) {
            LLVMValueRef call = LLVMGetUser(use);
            next = LLVMGetNextUse(use);
            if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == f &&
                LLVMGetCalledFunctionType(call) != want)
                status = fit_call(call, want);
        }
    }
    return status;
}

static bool is_called_otherwise(LLVMValueRef f)
{
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == f &&
            LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(f))
            return true;
    }
    return false;
}

weft_status weftc_check_builtin_calls(LLVMModuleRef module, struct weft_buf *log)
{
    weft_status status = WEFT_OK;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        bool built_in = LLVMIsDeclaration(f) ? LLVMGetIntrinsicID(f) == 0 && LLVMGetFirstUse(f)
                                             : LLVMGetLinkage(f) != LLVMInternalLinkage &&
                                                   LLVMGetFunctionCallConv(f) != LLVMSPIRKERNELCallConv;
        if (!built_in || (weftc_is_lowered_as_declared(f) && !is_called_otherwise(f)))
            continue;
        weft_buf_printf(log,
                        "error: '%s' is a built-in function, but the program calls it with another type\n",
                        LLVMGetValueName(f));
        status = WEFT_LINK_FAILED;
    }
    return status;
}
