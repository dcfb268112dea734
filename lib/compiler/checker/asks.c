// Calls and instructions that MemorySanitizer is to leave as they are (checker/uninit.c), and requests for
// shadow that are like its own.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/instrumented.h"
#include "compiler/ir/llvm_helpers.h"

void weftc_check_not_followed(LLVMValueRef i)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(i));
    weftc_set_metadata(i, "nosanitize", LLVMMDNodeInContext2(c, NULL, 0));
}

LLVMValueRef weftc_shadow_not_followed(LLVMValueRef i)
{
    weftc_check_not_followed(i);
    return i;
}

LLVMValueRef weftc_shadow_call(struct weftc_instrumented *u, const char *name, LLVMTypeRef result,
                               LLVMValueRef argument)
{
    LLVMTypeRef param = LLVMTypeOf(argument), type = LLVMFunctionType(result, &param, 1, false);
    LLVMValueRef f = weftc_check_declare(u->module, name, type);
    return weftc_shadow_not_followed(LLVMBuildCall2(u->b, type, f, &argument, 1, ""));
}

void weftc_shadow_ask(struct weftc_instrumented *u, bool store, LLVMValueRef address, LLVMValueRef *shadow,
                      LLVMValueRef *origins)
{
    LLVMTypeRef both[] = {u->pointer, u->pointer};
    if (LLVMTypeOf(address) != u->pointer)
        address = LLVMBuildAddrSpaceCast(u->b, address, u->pointer, "");
    LLVMValueRef of =
        weftc_shadow_call(u, store ? WEFTC_MSAN_METADATA "store_8" : WEFTC_MSAN_METADATA "load_8",
                          LLVMStructTypeInContext(u->c, both, WEFT_COUNT_OF(both), false), address);
    *shadow = LLVMBuildExtractValue(u->b, of, 0, "");
    *origins = LLVMBuildExtractValue(u->b, of, 1, "");
}
