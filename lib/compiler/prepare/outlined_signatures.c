// Signatures of outlined functions (prepare/inline.c, prepare/outline_image_reads.c). Each gets a form that
// the vectorizer can widen: OpenCL vectors become separate scalars, unused parameters are dropped, and
// arguments passed by value are copied by the callee.
//
//     <4 x float> f(ptr, ptr, <2 x float>)   ->   {float, float, float, float} f.called(ptr, float, float)
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/prepare/prepare.h"

enum { MAX_FIELDS = 64 };

static unsigned elements_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static bool is_used(LLVMValueRef f, unsigned k)
{
    return LLVMGetFirstUse(LLVMGetParam(f, k)) != NULL;
}

// The type of the flat function; NULL if memory runs out.
static LLVMTypeRef flat_type(LLVMValueRef f)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    LLVMTypeRef type = LLVMGlobalGetValueType(f), result = LLVMGetReturnType(type), fields[MAX_FIELDS];
    unsigned count = 0, params = LLVMCountParams(f);
    for (unsigned k = 0; k < params; k++)
        count += elements_of(LLVMTypeOf(LLVMGetParam(f, k)));
    LLVMTypeRef *types = weft_alloc_array((size_t)count + 1, sizeof(LLVMTypeRef));
    if (!types)
        return NULL;
    count = 0;
    for (unsigned k = 0; k < params; k++) {
        LLVMTypeRef one = LLVMTypeOf(LLVMGetParam(f, k));
        bool vector = LLVMGetTypeKind(one) == LLVMVectorTypeKind;
        for (unsigned e = 0; e < elements_of(one) && is_used(f, k); e++)
            types[count++] = vector ? LLVMGetElementType(one) : one;
    }
    if (LLVMGetTypeKind(result) == LLVMVectorTypeKind && LLVMGetVectorSize(result) <= MAX_FIELDS) {
        unsigned size = LLVMGetVectorSize(result);
        for (unsigned e = 0; e < size; e++)
            fields[e] = LLVMGetElementType(result);
        result = LLVMStructTypeInContext(c, fields, size, false);
    }
    LLVMTypeRef flat = LLVMFunctionType(result, types, count, false);
    weft_free(types);
    return flat;
}

// Builds one argument of f, of the given type, from the parameters of the flat function. *next: the first
// parameter to use; advanced.
static LLVMValueRef gathered(LLVMBuilderRef b, LLVMContextRef c, LLVMTypeRef type, LLVMValueRef from,
                             unsigned *next)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMGetParam(from, (*next)++);
    LLVMValueRef vector = LLVMGetPoison(type);
    for (unsigned e = 0; e < LLVMGetVectorSize(type); e++)
        vector = LLVMBuildInsertElement(b, vector, LLVMGetParam(from, (*next)++), weftc_i64(c, e), "");
    return vector;
}

// Builds the body of `flat`, which calls f and returns its result. Returns that call.
static LLVMValueRef build_body(LLVMValueRef flat, LLVMValueRef f)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, flat, "entry"));
    unsigned params = LLVMCountParams(f), next = 0;
    LLVMValueRef call = NULL, *arguments = weft_alloc_array((size_t)params + 1, sizeof(LLVMValueRef));
    for (unsigned k = 0; arguments && k < params; k++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(f, k));
        arguments[k] = is_used(f, k) ? gathered(b, c, type, flat, &next) : LLVMGetPoison(type);
    }
    if (arguments) {
        call = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, arguments, params, "");
        LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(f));
        LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(flat)), own = LLVMTypeOf(call);
        LLVMValueRef value = call;
        if (result != own) {
            value = LLVMGetPoison(result);
            for (unsigned e = 0; e < LLVMGetVectorSize(own); e++)
                value = LLVMBuildInsertValue(b, value, LLVMBuildExtractElement(b, call, weftc_i64(c, e), ""),
                                             e, "");
        }
        if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
            LLVMBuildRetVoid(b);
        else
            LLVMBuildRet(b, value);
    }
    weft_free(arguments);
    LLVMDisposeBuilder(b);
    return call;
}

// Replaces a call of f by a call of `flat`.
static bool call_flat(LLVMValueRef call, LLVMValueRef f, LLVMValueRef flat)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    unsigned count = LLVMCountParams(flat), next = 0;
    LLVMValueRef *arguments = weft_alloc_array((size_t)count + 1, sizeof(LLVMValueRef));
    if (!arguments)
        return false;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderBefore(b, call);
    for (unsigned k = 0; k < LLVMCountParams(f); k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k);
        LLVMTypeRef type = LLVMTypeOf(argument);
        if (!is_used(f, k))
            continue;
        if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
            arguments[next++] = argument;
        for (unsigned e = 0; LLVMGetTypeKind(type) == LLVMVectorTypeKind && e < LLVMGetVectorSize(type); e++)
            arguments[next++] = LLVMBuildExtractElement(b, argument, weftc_i64(c, e), "");
    }
    LLVMValueRef instead = LLVMBuildCall2(b, LLVMGlobalGetValueType(flat), flat, arguments, count, "");
    LLVMInstructionSetDebugLoc(instead, LLVMInstructionGetDebugLoc(call));
    LLVMTypeRef type = LLVMTypeOf(call);
    if (LLVMTypeOf(instead) != type) {
        LLVMValueRef vector = LLVMGetPoison(type);
        for (unsigned e = 0; e < LLVMGetVectorSize(type); e++)
            vector = LLVMBuildInsertElement(b, vector, LLVMBuildExtractValue(b, instead, e, ""),
                                            weftc_i64(c, e), "");
        instead = vector;
    }
    if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(call, instead);
    LLVMInstructionEraseFromParent(call);
    LLVMDisposeBuilder(b);
    weft_free(arguments);
    return true;
}

static void copy_own_attributes(LLVMValueRef to, LLVMValueRef from)
{
    static const char *const copied[] = {"willreturn", "nosync", "nofree", "norecurse", "memory"};
    for (size_t k = 0; k < WEFT_COUNT_OF(copied); k++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(copied[k], strlen(copied[k]));
        LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(from, WEFTC_OF_FUNCTION, kind);
        if (a)
            LLVMAddAttributeAtIndex(to, WEFTC_OF_FUNCTION, a);
    }
    if (weftc_fact_attribute(from, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_CALLED))
        weftc_fact_attribute_set(to, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_CALLED, "", 0);
}

static weft_status flatten(LLVMModuleRef module, LLVMValueRef f)
{
    size_t length;
    const char *own = LLVMGetValueName2(f, &length);
    char *name = weft_format("%s.flat", own);
    LLVMTypeRef type = flat_type(f);
    if (!name || !type) {
        weft_free(name);
        return WEFT_NO_MEMORY;
    }
    LLVMValueRef flat = LLVMAddFunction(module, name, type), next;
    weft_free(name);
    LLVMSetLinkage(flat, LLVMInternalLinkage);
    copy_own_attributes(flat, f);
    weftc_add_attribute(flat, WEFTC_OF_FUNCTION, "nounwind", 0);
    for (LLVMUseRef use = LLVMGetFirstUse(f), after; use; use = after) {
        after = LLVMGetNextUse(use);
        next = LLVMGetUser(use);
        if (weftc_callee(next) == f && !call_flat(next, f, flat))
            return WEFT_NO_MEMORY;
    }
    LLVMValueRef call = build_body(flat, f);
    if (!call)
        return WEFT_NO_MEMORY;
    if (!weftc_bridge_inline(call))
        return WEFT_INTERNAL;
    if (!LLVMGetFirstUse(f))
        LLVMDeleteFunction(f);
    return WEFT_OK;
}

// Lanes run an outlined function together. If one lane waits in it for something that another lane does after
// the call, it waits for ever. The analysis of inter-lane waits sees this neither in the caller nor in the
// callee. So functions with atomic or volatile accesses are reported to it (WEFTC_OUTLINED_ATOMICS).
bool weftc_accesses_atomically(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            bool access = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
            if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) ||
                (access && (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)))
                return true;
        }
    return false;
}

weft_status weftc_prepare_outlined_signatures(LLVMModuleRef module, LLVMValueRef kernel)
{
    weft_status status = WEFT_OK;
    bool atomic = false;
    LLVMValueRef last = LLVMGetLastFunction(module), next;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && status == WEFT_OK; f = next) {
        next = f == last ? NULL : LLVMGetNextFunction(f);
        if (f == kernel || LLVMIsDeclaration(f))
            continue;
        atomic |= weftc_accesses_atomically(f);
        status = flatten(module, f);
    }
    weftc_module_number_set(module, WEFTC_OUTLINED_ATOMICS, atomic);
    return status;
}
