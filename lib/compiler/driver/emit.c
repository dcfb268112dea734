// --emit and --report of the offline compiler: runs a program through the stages up to the requested one, and
// prints what is there then. The input is what the front end makes of a source or SPIR-V module, bitcode, or
// textual LLVM IR. Stateless.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/TargetMachine.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/codegen/codegen.h"
#include "compiler/compiler.h"
#include "compiler/driver/command.h"
#include "compiler/driver/driver.h"
#include "compiler/frontend/frontend.h"
#include "compiler/link/link.h"
#include "compiler/spirv/spirv.h"
#include "compiler/vectorize/vectorize.h"
#include "weft/kernel_abi.h"
#include "weft/protocol.h"

enum weft_code_level weftc_requested_level(void)
{
    switch (weft_config_uint(WEFT_CFG_TIER)) {
    case 1:
        return WEFT_LEVEL_QUICK;
    case 3:
        return WEFT_LEVEL_LANES;
    default:
        return WEFT_LEVEL_FULL;
    }
}

uint32_t weftc_requested_variant(void)
{
    uint64_t variant = weft_config_uint(WEFT_CFG_VARIANT);
    return variant < WEFT_VARIANTS || variant == WEFT_VARIANT_NARROW ? (uint32_t)variant : WEFT_VARIANT_ANY;
}

// Returns the name of the module's only kernel; the caller frees it. Returns NULL, with an error in the log,
// if there isn't exactly one kernel.
static char *only_kernel(LLVMModuleRef module, struct weft_buf *log)
{
    const char *found = NULL;
    unsigned count = 0;
    size_t length;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMGetFunctionCallConv(f) != LLVMSPIRKERNELCallConv || LLVMIsDeclaration(f) || weftc_is_block(f))
            continue;
        found = LLVMGetValueName2(f, &length);
        count++;
    }
    if (count == 1)
        return weft_strdup(found);
    weft_buf_printf(log, "error: the program has %u kernels: choose one with -k NAME\n", count);
    return NULL;
}

static weft_status emit_asm(LLVMModuleRef module, const struct weftc_target *target,
                            const struct weftc_kernel_options *options, struct weft_buf *out,
                            struct weft_buf *log)
{
    LLVMMemoryBufferRef text;
    const double start = weftc_cpu_ms();
    uint32_t spills;
    weft_status status =
        weftc_emit_machine_code(module, target, options, LLVMAssemblyFile, &text, &spills, log);
    weftc_report_stage_time(options->name, "codegen", start);
    if (status != WEFT_OK)
        return status;
    weft_buf_append(out, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
    LLVMDisposeMemoryBuffer(text);
    return WEFT_OK;
}

// Options from the command line and the environment. The caller sets the name.
static weft_status kernel_options(const struct weftc_command *c, struct weftc_kernel_options *options)
{
    struct weft_build_options parsed;
    weft_status status =
        weft_build_options_parse(&parsed, (const char *)c->options.data, WEFT_OPTIONS_BUILD, NULL);
    if (status != WEFT_OK)
        return status;
    *options = (struct weftc_kernel_options){
        .vector_width = (uint32_t)weft_config_uint(WEFT_CFG_VF),
        .opt_disable = parsed.opt_disable,
        .debug = parsed.debug,
        .variables = parsed.debug && parsed.opt_disable,
        .relaxed = parsed.fast_relaxed_math,
        .zero_private = parsed.zero_private,
        .count = parsed.count,
        .check = parsed.check,
        .level = weftc_requested_level(),
        .variant = weftc_requested_variant(),
        .group = {c->group[0], c->group[1], c->group[2]},
    };
    weft_build_options_fini(&parsed);
    return WEFT_OK;
}

// Runs the front end's module through the stages up to the requested one, and prints the result.
static weft_status emit_stage(const struct weftc_command *c, const struct weftc_target *target,
                              LLVMModuleRef module, struct weft_buf *out, struct weft_buf *log)
{
    static const struct {
        const char *name;
        enum weftc_stage last;
    } stages[] = {{"prepare", WEFTC_STAGE_PREPARE}, {"regions", WEFTC_STAGE_REGIONS},
                  {"shapes", WEFTC_STAGE_REGIONS},  {"vectorize", WEFTC_STAGE_VECTORIZE},
                  {"wiloops", WEFTC_STAGE_WILOOPS}, {"llvm", WEFTC_STAGE_OPTIMIZE},
                  {"asm", WEFTC_STAGE_OPTIMIZE}};
    struct weftc_kernel_options options;
    weft_status status = kernel_options(c, &options);
    if (status != WEFT_OK)
        return status;
    char *kernel = c->kernel ? weft_strdup(c->kernel) : only_kernel(module, log);
    options.name = kernel;
    weftc_number_blocks(module);
    status = kernel ? weftc_place_program_variables(module, NULL, log) : WEFT_INVALID;
    for (size_t i = 0; i < WEFT_COUNT_OF(stages) && status == WEFT_OK; i++)
        if (strcmp(stages[i].name, c->emit) == 0)
            status = weftc_kernel_stages(module, target, &options, stages[i].last, log);
    if (status == WEFT_OK && strcmp(c->emit, "shapes") == 0)
        status = weftc_shapes_dump(module, target, &options, out);
    if (status == WEFT_OK && strcmp(c->emit, "asm") == 0) {
        status = emit_asm(module, target, &options, out, log);
    } else if (status == WEFT_OK && strcmp(c->emit, "shapes") != 0) {
        char *ir = LLVMPrintModuleToString(module);
        weft_buf_puts(out, ir);
        LLVMDisposeMessage(ir);
    }
    weft_free(kernel);
    return status;
}

bool weftc_is_stage(const char *name)
{
    static const char *const names[] = {"ast",    "bc",        "prepare", "regions", "shapes",
                                        "report", "vectorize", "wiloops", "llvm",    "asm"};
    for (size_t i = 0; i < WEFT_COUNT_OF(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool begins_with(const struct weft_build_request *request, const char *s)
{
    size_t length = strlen(s);
    return request->source_size > length && memcmp(request->source, s, length) == 0;
}

// Text as LLVM and --emit print it.
bool weftc_is_text_of_llvm(const struct weft_build_request *request)
{
    return begins_with(request, "; ModuleID = ");
}

bool weftc_is_bitcode(const struct weft_build_request *request)
{
    return begins_with(request, "BC\xc0\xde") || weftc_is_text_of_llvm(request);
}

static void note_damage(LLVMDiagnosticInfoRef info, void *log)
{
    char *text = LLVMGetDiagInfoDescription(info);
    weft_buf_printf(log, "error: %s\n", text);
    LLVMDisposeMessage(text);
}

static weft_status read_bitcode(const struct weft_build_request *request, LLVMContextRef context,
                                LLVMModuleRef *module, struct weft_buf *log)
{
    // Reads the whole module, not lazily: a report clones it, and a lazily read module can't be cloned.
    LLVMMemoryBufferRef bytes =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(request->source, request->source_size, "bitcode");
    if (weftc_is_text_of_llvm(request)) {
        char *why = NULL;
        if (!bytes || LLVMParseIRInContext(context, bytes, module, &why)) { // frees bytes
            weft_buf_printf(log, "error: %s\n", why ? why : "no memory");
            LLVMDisposeMessage(why);
            *module = NULL;
        }
        return *module ? WEFT_OK : WEFT_DAMAGED;
    }
    LLVMContextSetDiagnosticHandler(context, note_damage, log);
    if (LLVMParseBitcodeInContext2(context, bytes, module))
        *module = NULL;
    LLVMContextSetDiagnosticHandler(context, NULL, NULL);
    LLVMDisposeMemoryBuffer(bytes);
    return *module ? WEFT_OK : WEFT_DAMAGED;
}

weft_status weftc_emit(const struct weftc_command *c, const struct weftc_target *target,
                       const struct weft_build_request *request, struct weft_buf *out, struct weft_buf *log)
{
    if (strcmp(c->emit, "ast") == 0 && (request->spirv || weftc_is_bitcode(request))) {
        weft_buf_puts(log, "error: --emit=ast needs a source; SPIR-V and bitcode have no syntax tree\n");
        return WEFT_BUILD_FAILED;
    }
    if (strcmp(c->emit, "ast") == 0)
        return weftc_frontend_ast(request, target->has_fma, out, log);

    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    const double start = weftc_cpu_ms();
    weft_status status = weftc_is_bitcode(request) ? read_bitcode(request, context, &module, log)
                         : request->spirv
                             ? weftc_spirv(request, context, &module, log)
                             : weftc_frontend(request, target->has_fma, context, &module, log, NULL);
    weftc_report_stage_time(NULL, request->spirv ? "spirv" : "frontend", start);
    if (status == WEFT_OK && strcmp(c->emit, "bc") == 0) {
        char *text = LLVMPrintModuleToString(module);
        weft_buf_puts(out, text);
        LLVMDisposeMessage(text);
    } else if (status == WEFT_OK && strcmp(c->emit, "report") == 0) {
        struct weftc_kernel_options options;
        status = kernel_options(c, &options);
        options.name = c->kernel;
        if (status == WEFT_OK)
            status = weftc_report(module, target, &options, out, log);
        if (status == WEFT_NOT_FOUND)
            weft_buf_printf(log, "error: the program has no kernel%s%s\n", c->kernel ? " " : "",
                            c->kernel ? c->kernel : "");
    } else if (status == WEFT_OK) {
        status = emit_stage(c, target, module, out, log);
    }
    if (module)
        LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return status;
}
