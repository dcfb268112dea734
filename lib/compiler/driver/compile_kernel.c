// Machine code for one kernel: runs all stages after the front end, in order.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/link.h"
#include "compiler/bridge/locate.h"
#include "compiler/checker/checker.h"
#include "compiler/codegen/codegen.h"
#include "compiler/compiler.h"
#include "compiler/driver/driver.h"
#include "compiler/ir/denormals.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/sub_groups.h"
#include "compiler/link/link.h"
#include "weft/checker.h"
#include "weft/fault_location.h"
#include "weft/kernel_abi.h"
#include "weft/protocol.h"

static void log_diagnostic(LLVMDiagnosticInfoRef info, void *log)
{
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    weft_buf_printf(log, "error: %s\n", text);
    LLVMDisposeMessage(text);
}

// Set once by the command line, before a stage runs (--time-stages).
static bool prints_times;

void weftc_print_stage_times(void)
{
    prints_times = true;
}

double weftc_cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

void weftc_report_stage_time(const char *kernel, const char *stage, double start_ms)
{
    const double spent = weftc_cpu_ms() - start_ms;
    weft_log(WEFT_LOG_DEBUG, "%s%s%s %.2f ms", kernel ? kernel : "", kernel ? ": " : "", stage, spent);
    if (prints_times)
        fprintf(stderr, "weftc: time: %-9s %10.2f ms%s%s\n", stage, spent, kernel ? "  " : "",
                kernel ? kernel : "");
}

// Does the module have arithmetic whose exact result the optimiser may choose? This comes from
// -cl-fast-relaxed-math and similar options, also those of linked inputs.
static bool results_are_free(LLVMModuleRef module)
{
    const LLVMFastMathFlags free_to = LLVMFastMathAll;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMCanValueUseFastMathFlags(i) && (LLVMGetFastMathFlags(i) & free_to))
                    return true;
    return false;
}

static bool needs_lanes(LLVMModuleRef module, const struct weftc_kernel_options *options)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, options->name);
    return kernel && weftc_required_sub_group(kernel) > 1;
}

weft_status weftc_kernel_stages(LLVMModuleRef module, const struct weftc_target *target,
                                struct weftc_kernel_options *options, enum weftc_stage last,
                                struct weft_buf *log)
{
    static const struct {
        const char *name;
        weft_status (*run)(LLVMModuleRef, const struct weftc_target *, const struct weftc_kernel_options *,
                           struct weft_buf *);
    } stages[] = {
#define STAGE_ROW(id, name, function, takes, leaves) [WEFTC_STAGE_##id] = {name, function},
        WEFTC_STAGES(STAGE_ROW)
#undef STAGE_ROW
    };
    double start = weftc_cpu_ms();
    weft_status status = weftc_extract_kernel(module, options->name, log);
    if (status == WEFT_NOT_FOUND)
        weft_buf_printf(log, "error: the program has no kernel '%s'\n", options->name);
    if (status == WEFT_OK)
        status = weftc_check_undefined(module, log);
    if (status == WEFT_OK)
        weftc_decide_denormals(module);
    if (status == WEFT_OK && options->check)
        weftc_check_own(module);
    if (status == WEFT_OK)
        status = weftc_link_builtins(module, log);
    bool free_results = status == WEFT_OK && results_are_free(module);
    // Code that is made quickly may be the kernel's own, and then it is the only one: for any launch.
    if (free_results && options->level == WEFT_LEVEL_LANES)
        options->variant = WEFT_VARIANT_ANY;
    if (free_results)
        options->level = WEFT_LEVEL_FULL;
    options->only_code = free_results;
    // Code for one local size could also compute other bits, since LLVM knows more of it.
    if (status == WEFT_OK && options->group[0] && (free_results || weftc_uses_sub_groups(module)))
        memset(options->group, 0, sizeof options->group);
    // All code of a kernel must have the same sub-group size. So a kernel that uses sub-groups has only one
    // code.
    if (status == WEFT_OK && weftc_uses_sub_groups(module)) {
        options->level = WEFT_LEVEL_FULL;
        options->variant = WEFT_VARIANT_ANY;
        options->only_code = true;
    }
    // In kernels that know of sub-groups lanes stay together. So neither races nor barriers, which are looked
    // for work-item by work-item.
    if (status == WEFT_OK && options->check && weftc_uses_sub_groups(module))
        options->check &= ~(1u << WEFT_CHECK_RACE | 1u << WEFT_CHECK_BARRIER);
    // Lanes that the program asks for are none that a debugger could step through.
    if (status == WEFT_OK && options->variables && needs_lanes(module, options))
        options->variables = false;
    weftc_target_describe(target, module, options->relaxed);
    weftc_report_stage_time(options->name, "link", start);
    for (int stage = 0; status == WEFT_OK && stage <= (int)last; stage++) {
        start = weftc_cpu_ms();
        weftc_apply_denormals(module);
        status = stages[stage].run(module, target, options, log);
        weftc_report_stage_time(options->name, stages[stage].name, start);
    }
    return status;
}

enum { LARGE_CODE_BYTES = 256 << 10 };

static weft_status compile(const struct weft_kernel_request *request, const struct weftc_target *target,
                           bool locate, struct weft_kernel_reply *reply)
{
    *reply = (struct weft_kernel_reply){0};
    const double began = weftc_cpu_ms();
    struct weft_buf log = {0};
    struct weft_build_options options = {0};
    char *message = NULL;
    LLVMModuleRef module = NULL;

    // The program was built with these options, so they are valid. Unknown ones have no effect here.
    weft_status status = weft_build_options_parse(&options, request->options, WEFT_OPTIONS_BUILD, &message);
    bool shares_context =
        request->level != WEFT_LEVEL_FULL && !options.debug && !options.count && !options.check && !locate;
    LLVMContextRef context = shares_context ? weftc_shared_context() : LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, log_diagnostic, &log);
    LLVMContextSetDiscardValueNames(context, !options.debug && !options.check);
    if (status == WEFT_OK) {
        module = shares_context
                     ? weftc_shared_kernel(request->bitcode, request->bitcode_size, request->kernel, &message)
                     : weft_bridge_read_lazily(context, request->bitcode, request->bitcode_size, &message);
        if (!module)
            status = WEFT_DAMAGED;
    }
    if (message)
        weft_buf_printf(&log, "error: %s\n", message);
    struct weftc_kernel_options kernel = {
        .name = request->kernel,
        .vector_width = request->vector_width,
        .opt_disable = options.opt_disable,
        .debug = options.debug,
        .variables = options.debug && options.opt_disable && request->vector_width <= 1,
        .locate = locate,
        .relaxed = options.fast_relaxed_math,
        .zero_private = options.zero_private,
        .count = options.count,
        .check = options.check,
        .level = (enum weft_code_level)request->level,
        .variant = request->variant,
        .group = {request->group[0], request->group[1], request->group[2]},
    };
    if (status == WEFT_OK)
        status = weftc_kernel_stages(module, target, &kernel, WEFTC_STAGE_OPTIMIZE, &log);
    double start = weftc_cpu_ms();
    if (status == WEFT_OK)
        status = weftc_codegen(module, target, &kernel, &reply->code, &reply->code_size, &log);
    weftc_report_stage_time(request->kernel, "codegen", start);
    if (status != WEFT_OK && log.size == 0)
        weft_buf_printf(&log, "error: kernel %s: %s\n", request->kernel, weft_status_text(status));
    if (module)
        LLVMDisposeModule(module);
    LLVMContextSetDiagnosticHandler(context, NULL, NULL);
    if (!shares_context)
        LLVMContextDispose(context);
    else if (reply->code_size > LARGE_CODE_BYTES || kernel.level == WEFT_LEVEL_FULL)
        weftc_shared_forget();
    weft_build_options_fini(&options);
    weft_free(message);
    reply->status = (uint32_t)status;
    reply->log = weft_buf_take(&log, NULL);
    reply->cpu_us = (uint32_t)((weftc_cpu_ms() - began) * 1e3);
    return status;
}

weft_status weftc_compile_kernel(const struct weft_kernel_request *request, const struct weftc_target *target,
                                 struct weft_kernel_reply *reply)
{
    return compile(request, target, false, reply);
}

void weftc_locate(const struct weft_locate_request *request, const struct weftc_target *target,
                  struct weft_locate_reply *reply)
{
    *reply = (struct weft_locate_reply){0};
    struct weft_kernel_reply made;
    weft_status status = compile(&request->kernel, target, true, &made);
    uint64_t hash[2];
    if (status == WEFT_OK && !weft_code_hash_of_file(made.code, made.code_size, hash))
        status = WEFT_INTERNAL;
    if (status == WEFT_OK && memcmp(hash, request->code_hash, sizeof hash) != 0)
        status = WEFT_STALE;
    if (status == WEFT_OK &&
        !weftc_bridge_locate(made.code, made.code_size, &request->state,
                             weft_variant_dimension(request->kernel.variant), &reply->location))
        status = WEFT_INTERNAL;
    reply->status = (uint32_t)status;
    reply->log = made.log;
    made.log = NULL;
    weft_kernel_reply_fini(&made);
}
