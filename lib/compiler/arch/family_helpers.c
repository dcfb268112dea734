// What the files of the families, <family>.c, have in common.
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"

// t->features is a comma-separated list of +feature and -feature.
bool weftc_target_has(const struct weftc_target *t, const char *feature)
{
    size_t length = strlen(feature);
    for (const char *at = t->features; (at = strstr(at, feature)); at += length) {
        bool whole = at[length] == ',' || at[length] == '\0';
        if (at > t->features && at[-1] == '+' && whole)
            return true;
    }
    return false;
}

LLVMValueRef weftc_target_intrinsic(LLVMModuleRef module, LLVMBuilderRef b, const char *name,
                                    LLVMTypeRef overload, LLVMValueRef *arguments, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, id, &overload, overload ? 1 : 0);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}
