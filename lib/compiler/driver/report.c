// The vectorizer's report on a program. Each kernel runs through the stages on its own copy of the module.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/compiler.h"
#include "compiler/driver/driver.h"
#include "compiler/ir/module_facts.h"
#include "compiler/vectorize/vectorize.h"

static weft_status report_kernel(LLVMModuleRef module, const struct weftc_target *target,
                                 struct weftc_kernel_options *options, struct weft_buf *out,
                                 struct weft_buf *log)
{
    LLVMModuleRef copy = LLVMCloneModule(module);
    weft_status status = weftc_kernel_stages(copy, target, options, WEFTC_STAGE_REGIONS, log);
    if (status == WEFT_OK)
        status = weftc_vectorize_report(copy, target, options, out);
    unsigned outlined = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(copy); f && weftc_module_number(copy, WEFTC_OUTLINED_CALLS);
         f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        outlined += !LLVMIsDeclaration(f) && length > 5 && strcmp(name + length - 5, ".flat") == 0;
    }
    if (status == WEFT_OK && outlined)
        weft_buf_printf(out, "%u function%s not inlined, since the kernel would become too large\n", outlined,
                        outlined > 1 ? "s are" : " is");
    LLVMDisposeModule(copy);
    return status;
}

weft_status weftc_report(LLVMModuleRef module, const struct weftc_target *target,
                         const struct weftc_kernel_options *options, struct weft_buf *out,
                         struct weft_buf *log)
{
    weft_status status = WEFT_OK;
    unsigned count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && status == WEFT_OK; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (LLVMGetFunctionCallConv(f) != LLVMSPIRKERNELCallConv || LLVMIsDeclaration(f) ||
            (options->name && strcmp(options->name, name) != 0))
            continue;
        char *copy = weft_strdup(name); // stages may free the function
        struct weftc_kernel_options one = *options;
        one.name = copy;
        one.lines = true;
        weft_buf_printf(out, "%skernel %s\n", count++ ? "\n" : "", name);
        status = copy ? report_kernel(module, target, &one, out, log) : WEFT_NO_MEMORY;
        weft_free(copy);
    }
    return status == WEFT_OK && count == 0 ? WEFT_NOT_FOUND : status;
}
