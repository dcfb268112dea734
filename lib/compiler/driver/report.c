// The vectorizer's report on a program. Each kernel runs through the stages on its own copy of the module.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/codegen/codegen.h"
#include "compiler/compiler.h"
#include "compiler/driver/driver.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/vectorize/vectorize.h"

// In smaller kernels nothing is left out.
enum { MIN_LIMITED = 1000, MIN_LOOPS = 32 };

// What is left out when code is made: the stages that decide it run, too.
static weft_status report_limits(LLVMModuleRef module, const struct weftc_target *target,
                                 const struct weftc_kernel_options *options, struct weft_buf *out,
                                 struct weft_buf *log)
{
    if (weftc_instruction_count(module) < MIN_LIMITED && weftc_bridge_max_loops(module, NULL) < MIN_LOOPS)
        return WEFT_OK;
    weft_status status = weftc_wiloops(module, target, options, log);
    if (status == WEFT_OK)
        status = weftc_optimize(module, target, options, log);
    if (status == WEFT_OK)
        status = weftc_split_functions(module);
    if (status == WEFT_OK)
        status = weftc_cut_webs(module);
    if (status != WEFT_OK)
        return status;
    weftc_choose_passes(module, WEFT_LEVEL_FULL);
    weftc_print_limits(module, out);
    return WEFT_OK;
}

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
    if (status == WEFT_OK)
        status = report_limits(copy, target, options, out, log);
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
