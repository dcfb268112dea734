// How weftc serves clBuildProgram, clCompileProgram and clLinkProgram. The result is a program's bitcode and
// what the host must know of it. There is no machine code yet: each kernel is compiled separately, when it is
// needed (driver/compile_kernel.c).
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/link.h"
#include "compiler/compiler.h"
#include "compiler/driver/driver.h"
#include "compiler/frontend/frontend.h"
#include "compiler/ir/module_facts.h"
#include "compiler/link/link.h"
#include "compiler/prepare/prepare.h"
#include "compiler/spirv/spirv.h"
#include "weft/code_object.h"
#include "weft/protocol.h"

// Fills *out with what the host gets of a finished module. The module stays the caller's.
static weft_status describe(LLVMModuleRef module, enum weft_binary_type type, const char *options,
                            const struct weftc_target *target, struct weft_program_object *out,
                            struct weft_buf *log)
{
    out->binary_type = type;
    out->target = weft_strdup(target->identity);
    out->options = weft_strdup(options ? options : "");
    if (!out->target || !out->options)
        return WEFT_NO_MEMORY;
    weft_status status = WEFT_OK;
    if (type == WEFT_BINARY_EXECUTABLE)
        status = weftc_place_program_variables(module, out, log);
    if (status == WEFT_OK)
        status = weftc_metadata(module, out, log);
    if (status != WEFT_OK)
        return status;
    if (type == WEFT_BINARY_EXECUTABLE)
        // all variables are placed; codegen doesn't need it
        weft_bridge_drop_named_metadata(module, weftc_fact_name(WEFTC_PLACES));
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(module);
    out->bitcode_size = LLVMGetBufferSize(bytes);
    out->bitcode = weft_memdup(LLVMGetBufferStart(bytes), out->bitcode_size);
    LLVMDisposeMemoryBuffer(bytes);
    return out->bitcode ? WEFT_OK : WEFT_NO_MEMORY;
}

// Completes a reply. A failed reply has no program, and its log is not empty.
static void finish(struct weft_program_reply *reply, weft_status status, struct weft_buf *log)
{
    if (status != WEFT_OK) {
        if (log->size == 0)
            weft_buf_printf(log, "error: %s\n", weft_status_text(status));
        weft_program_object_fini(&reply->program);
        for (uint32_t i = 0; i < reply->dependency_count; i++)
            weft_free(reply->dependencies[i].path);
        weft_free(reply->dependencies);
        reply->dependencies = NULL;
        reply->dependency_count = 0;
    }
    reply->status = (uint32_t)status;
    reply->log = weft_buf_take(log, NULL);
}

// For -weft-report: writes what the vectorizer will do with each kernel to the log.
static weft_status report(LLVMModuleRef module, const struct weft_build_request *request,
                          const struct weftc_target *target, struct weft_buf *log)
{
    struct weft_build_options parsed;
    weft_status status = weft_build_options_parse(&parsed, request->options, WEFT_OPTIONS_BUILD, NULL);
    if (status != WEFT_OK)
        return status;
    struct weftc_kernel_options options = {.vector_width = (uint32_t)weft_config_uint(WEFT_CFG_VF),
                                           .opt_disable = parsed.opt_disable,
                                           .debug = parsed.debug,
                                           .relaxed = parsed.fast_relaxed_math,
                                           .check = parsed.check,
                                           .level = WEFT_LEVEL_FULL};
    if (parsed.report)
        status = weftc_report(module, target, &options, log, log);
    if (status == WEFT_NOT_FOUND)
        status = WEFT_OK; // a program may have no kernel
    weft_build_options_fini(&parsed);
    return status;
}

void weftc_build(const struct weft_build_request *request, const struct weftc_target *target,
                 struct weft_program_reply *reply)
{
    *reply = (struct weft_program_reply){0};
    struct weft_buf log = {0};
    LLVMModuleRef module = NULL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiscardValueNames(context, true); // names would only cost memory
    weft_status status = request->spirv
                             ? weftc_spirv(request, context, &module, &log)
                             : weftc_frontend(request, target->has_fma, context, &module, &log, reply);
    if (status == WEFT_OK && !request->compile_only)
        status = weftc_check_undefined(module, &log);
    if (status == WEFT_OK && !request->compile_only)
        status = weftc_check_calls(module, &log);
    if (status == WEFT_OK && !request->compile_only)
        weftc_number_blocks(module);
    if (status == WEFT_OK && !request->compile_only)
        status = report(module, request, target, &log);
    if (status == WEFT_OK)
        status = describe(module, request->compile_only ? WEFT_BINARY_COMPILED : WEFT_BINARY_EXECUTABLE,
                          request->options, target, &reply->program, &log);
    if (module)
        LLVMDisposeModule(module);
    LLVMContextDispose(context);
    finish(reply, status, &log);
}

static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *arg)
{
    (void)info;
    (void)arg;
}

static weft_status read_inputs(const struct weft_link_request *request, LLVMContextRef context,
                               LLVMModuleRef *modules, struct weft_buf *log)
{
    // otherwise LLVM prints the error and exits
    LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    for (uint32_t i = 0; i < request->input_count; i++) {
        const struct weft_program_object *input = &request->inputs[i];
        LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRange((const char *)input->bitcode,
                                                                          input->bitcode_size, "program", 0);
        LLVMBool failed = LLVMParseBitcodeInContext2(context, bytes, &modules[i]);
        LLVMDisposeMemoryBuffer(bytes);
        if (failed) {
            modules[i] = NULL;
            weft_buf_printf(log, "error: the bitcode of program %u is damaged\n", i + 1);
            return WEFT_DAMAGED;
        }
    }
    return WEFT_OK;
}

// Returns the options of the linked program: those of its first input. Options that control code generation
// later (-cl-opt-disable, -g) were given when the inputs were compiled. Link options don't contain these, and
// their effects are already in the IR (frontend/link_options.c).
static char *linked_options(const struct weft_link_request *request)
{
    const char *first = request->input_count ? request->inputs[0].options : NULL;
    return weft_strdup(first ? first : "");
}

void weftc_link(const struct weft_link_request *request, const struct weftc_target *target,
                struct weft_program_reply *reply)
{
    *reply = (struct weft_program_reply){0};
    struct weft_buf log = {0};
    struct weft_build_options options = {0};
    char *reason = NULL, *options_text = linked_options(request);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef into = NULL;
    uint32_t count = request->input_count;
    LLVMModuleRef *modules = weft_alloc_array(count ? count : 1, sizeof(LLVMModuleRef));
    weft_status status = modules && options_text ? WEFT_OK : WEFT_NO_MEMORY;
    if (status == WEFT_OK)
        status = weft_build_options_parse(&options, request->options, WEFT_OPTIONS_LINK, &reason);
    if (reason)
        weft_buf_printf(&log, "error: %s\n", reason);
    if (status == WEFT_OK)
        status = read_inputs(request, context, modules, &log);
    if (status == WEFT_OK && count == 0)
        status = WEFT_INVALID;
    if (status == WEFT_OK) {
        into = modules[0];
        modules[0] = NULL;
        status = weftc_link_programs(into, modules + 1, count - 1, &log);
    }
    bool library = options.create_library = request->create_library || options.create_library;
    if (status == WEFT_OK)
        weftc_apply_link_options(into, &options);
    if (status == WEFT_OK && !library)
        status = weftc_check_undefined(into, &log);
    if (status == WEFT_OK && !library)
        status = weftc_check_calls(into, &log);
    if (status == WEFT_OK && !library)
        weftc_number_blocks(into);
    if (status == WEFT_OK)
        status = describe(into, library ? WEFT_BINARY_LIBRARY : WEFT_BINARY_EXECUTABLE, options_text, target,
                          &reply->program, &log);
    for (uint32_t i = 0; modules && i < count; i++)
        if (modules[i])
            LLVMDisposeModule(modules[i]);
    if (into)
        LLVMDisposeModule(into);
    LLVMContextDispose(context);
    weft_free(modules);
    weft_free(reason);
    weft_free(options_text);
    weft_build_options_fini(&options);
    finish(reply, status, &log);
}
