// The command line of weftc: the offline compiler, and the start of the server.
//
// The file has more than 500 lines: it handles everything that the command line can ask for, one thing after
// the other.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/TargetMachine.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/codegen/codegen.h"
#include "compiler/compiler.h"
#include "compiler/driver/driver.h"
#include "compiler/frontend/frontend.h"
#include "compiler/ir/process.h"
#include "compiler/link/link.h"
#include "compiler/spirv/spirv.h"
#include "compiler/vectorize/vectorize.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/protocol.h"
#include "weft/spirv.h"
#include "weft/version.h"

static const char usage[] =
    "usage: weftc [options] FILE.cl -o FILE.weft         compile a program for this machine\n"
    "       weftc --emit=STAGE [options] FILE.cl         print the result of a stage: ast, bc, prepare,\n"
    "                                                    regions, shapes, vectorize, wiloops, llvm or asm\n"
    "       weftc --report=vectorize [options] FILE.cl   report which regions are vectorized, how, or why "
    "not\n"
    "       weftc --replay FILE.cl|.bc|.request          repeat a compile that a compiler died of; FILE is\n"
    "                                                    the file that the build log names\n"
    "       weftc --serve [--level=N]                    answer libweft on file descriptor 3; N: the "
    "highest\n"
    "                                                    level of the processor's family that code may use "
    "(0: no limit)\n"
    "       weftc --version\n"
    "options:\n"
    "  -o FILE             the output file; - is standard output\n"
    "  -k KERNEL           the kernel for a report or a stage after bc; needed if there are several\n"
    "  --time-stages       write the processor time of each stage to standard error\n"
    "  --group=X[,Y[,Z]]   make the code only for work-groups of this size\n"
    "  -D -I -cl-std=CL1.2 -cl-fast-relaxed-math -Werror -g ...   the options of clBuildProgram\n"
    "FILE may also be a SPIR-V module, FILE.spv. A stage also takes a FILE.weft, bitcode or textual LLVM "
    "IR.\n";

struct command {
    const char *input, *output, *emit, *kernel;
    struct weft_buf options; // the program's build options, quoted
    uint32_t group[3];       // local size that the code is for; 0: any
    int level; // highest level of the processor (weft_arch_level) that code may use; 0: no limit
    bool serve, version, replay;
};

static int usage_error(const char *what, const char *word)
{
    fprintf(stderr, "weftc: %s%s%s (see weftc --help)\n", what, word ? ": " : "", word ? word : "");
    return 2;
}

// Appends a word in quotes, such that weft_build_options_parse reads the same word back.
static void quote_option(struct weft_buf *b, const char *word)
{
    weft_buf_puts(b, " \"");
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            weft_buf_puts(b, "\\");
        weft_buf_append(b, word, 1);
    }
    weft_buf_puts(b, "\"");
}

// Parses "16,16". Missing sizes are 1. Returns false if the text isn't a valid size of a work-group.
static bool parse_group(const char *text, uint32_t group[3])
{
    uint64_t items = 1;
    for (int i = 0; i < 3; i++) {
        char *end = NULL;
        unsigned long n = i == 0 || *text ? strtoul(text, &end, 10) : 1;
        bool whole = !end || (end != text && (*end == '\0' || (*end == ',' && end[1] && i < 2)));
        if (!whole || n == 0 || n > WEFT_GROUP_MAX)
            return false;
        items *= group[i] = (uint32_t)n;
        text = end ? end + (*end == ',') : text;
    }
    return items <= WEFT_GROUP_MAX;
}

// Returns 0, or the exit status after an error message.
static int parse_command(struct command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        const char **value = strcmp(arg, "-o") == 0 ? &c->output : strcmp(arg, "-k") == 0 ? &c->kernel : NULL;
        if (value) {
            if (++i == argc)
                return usage_error("missing value after", arg);
            *value = argv[i];
        } else if (strcmp(arg, "--serve") == 0) {
            c->serve = true;
        } else if (strncmp(arg, "--level=", 8) == 0 && arg[8] >= '0' && arg[8] <= '4' && !arg[9]) {
            c->level = arg[8] - '0';
        } else if (strcmp(arg, "--replay") == 0) {
            c->replay = true;
        } else if (strcmp(arg, "--version") == 0) {
            c->version = true;
        } else if (strcmp(arg, "--time-stages") == 0) {
            weftc_print_stage_times();
        } else if (strcmp(arg, "--report=vectorize") == 0) {
            c->emit = "report";
        } else if (strncmp(arg, "--emit=", 7) == 0) {
            c->emit = arg + 7;
        } else if (strncmp(arg, "--group=", 8) == 0) {
            if (!parse_group(arg + 8, c->group))
                return usage_error("not a valid work-group size", arg);
        } else if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
            fputs(usage, stdout);
            exit(0);
        } else if (arg[0] == '-' && arg[1] == '-') {
            return usage_error("unknown option", arg);
        } else if (arg[0] == '-' && arg[1]) {
            quote_option(&c->options, arg);
            bool takes_value = (arg[1] == 'D' || arg[1] == 'U' || arg[1] == 'I') && !arg[2];
            if (takes_value && i + 1 < argc)
                quote_option(&c->options, argv[++i]);
        } else if (c->input) {
            return usage_error("more than one input file", arg);
        } else {
            c->input = arg;
        }
    }
    if (c->emit && strcmp(c->emit, "report") == 0)
        quote_option(&c->options, "-weft-report"); // keeps source lines
    weft_buf_append(&c->options, "", 1);
    return 0;
}

static bool read_file(const char *path, struct weft_buf *out)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!f)
        return false;
    char chunk[1 << 14];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        weft_buf_append(out, chunk, n);
    bool ok = !ferror(f);
    if (f != stdin)
        fclose(f);
    weft_buf_append(out, "", 1); // the front end requires a NUL after the text
    return ok && !out->failed;
}

static bool write_output(const char *path, const void *data, size_t size)
{
    bool to_stdout = !path || strcmp(path, "-") == 0;
    FILE *f = to_stdout ? stdout : fopen(path, "wb");
    if (!f)
        return false;
    bool ok = fwrite(data, 1, size, f) == size;
    if (to_stdout)
        return fflush(f) == 0 && ok;
    return fclose(f) == 0 && ok;
}

// ---- Stages ----

static uint32_t requested_variant(void)
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
    weft_status status = weftc_emit_machine_code(module, target, options, LLVMAssemblyFile, &text, log);
    weftc_report_stage_time(options->name, "codegen", start);
    if (status != WEFT_OK)
        return status;
    weft_buf_append(out, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
    LLVMDisposeMemoryBuffer(text);
    return WEFT_OK;
}

// Options from the command line and the environment. The caller sets the name.
static weft_status kernel_options(const struct command *c, struct weftc_kernel_options *options)
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
        .relaxed = parsed.fast_relaxed_math,
        .zero_private = parsed.zero_private,
        .quick = weft_config_uint(WEFT_CFG_TIER) == 1,
        .variant = requested_variant(),
        .group = {c->group[0], c->group[1], c->group[2]},
    };
    weft_build_options_fini(&parsed);
    return WEFT_OK;
}

// Runs the front end's module through the stages up to the requested one, and prints the result.
static weft_status emit_stage(const struct command *c, const struct weftc_target *target,
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

static bool is_stage(const char *name)
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
static bool is_text_of_llvm(const struct weft_build_request *request)
{
    return begins_with(request, "; ModuleID = ");
}

static bool is_bitcode(const struct weft_build_request *request)
{
    return begins_with(request, "BC\xc0\xde") || is_text_of_llvm(request);
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
    if (is_text_of_llvm(request)) {
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

static weft_status emit(const struct command *c, const struct weftc_target *target,
                        const struct weft_build_request *request, struct weft_buf *out, struct weft_buf *log)
{
    if (strcmp(c->emit, "ast") == 0 && (request->spirv || is_bitcode(request))) {
        weft_buf_puts(log, "error: --emit=ast needs a source; SPIR-V and bitcode have no syntax tree\n");
        return WEFT_BUILD_FAILED;
    }
    if (strcmp(c->emit, "ast") == 0)
        return weftc_frontend_ast(request, target->has_fma, out, log);

    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    const double start = weftc_cpu_ms();
    weft_status status = is_bitcode(request) ? read_bitcode(request, context, &module, log)
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
            weft_buf_printf(log, "error: the program has no kernel %s\n", c->kernel ? c->kernel : "");
    } else if (status == WEFT_OK) {
        status = emit_stage(c, target, module, out, log);
    }
    if (module)
        LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return status;
}

// Compiles all kernels of a program. The output is what clCreateProgramWithBinary reads.
static weft_status finish_program(const struct weftc_target *target, struct weft_program_reply *reply,
                                  struct weft_buf *out, struct weft_buf *log)
{
    if (reply->log)
        weft_buf_puts(log, reply->log);
    weft_status status = (weft_status)reply->status;
    // Programs that are not linked yet get no code.
    uint32_t kernels = reply->program.binary_type == WEFT_BINARY_EXECUTABLE ? reply->program.kernel_count : 0;
    for (uint32_t i = 0; i < kernels && status == WEFT_OK; i++) {
        struct weft_kernel_meta *meta = &reply->program.kernels[i];
        struct weft_kernel_request kernel = {
            .kernel = meta->name,
            .options = reply->program.options,
            .vector_width = (uint32_t)weft_config_uint(WEFT_CFG_VF),
            .quick = weft_config_uint(WEFT_CFG_TIER) == 1,
            .variant = requested_variant(),
            .bitcode = reply->program.bitcode,
            .bitcode_size = reply->program.bitcode_size,
        };
        struct weft_kernel_reply code;
        status = weftc_compile_kernel(&kernel, target, &code);
        if (code.log)
            weft_buf_puts(log, code.log);
        meta->code = code.code;
        meta->code_size = code.code_size;
        code.code = NULL;
        weft_kernel_reply_fini(&code);
    }
    if (status == WEFT_OK)
        status = weft_program_object_encode(out, &reply->program, true);
    weft_program_reply_fini(reply);
    return status;
}

static weft_status compile_program(const struct weftc_target *target,
                                   const struct weft_build_request *request, struct weft_buf *out,
                                   struct weft_buf *log)
{
    struct weft_program_reply reply;
    const double start = weftc_cpu_ms();
    weftc_build(request, target, &reply);
    weftc_report_stage_time(NULL, request->spirv ? "spirv" : "frontend", start);
    return finish_program(target, &reply, out, log);
}

static weft_status replay_link(const struct weftc_target *target, const struct weft_link_request *request,
                               struct weft_buf *out, struct weft_buf *log)
{
    struct weft_program_reply reply;
    weftc_link(request, target, &reply);
    return finish_program(target, &reply, out, log);
}

// Compiles one kernel of bitcode. The output is its code.
static weft_status compile_kernel(const struct command *c, const struct weftc_target *target,
                                  const struct weft_build_request *request, struct weft_buf *out,
                                  struct weft_buf *log)
{
    if (is_text_of_llvm(request))
        weft_buf_puts(log, "error: textual LLVM IR can only be used with --emit and --report; llvm-as "
                           "converts it to bitcode\n");
    else if (!c->kernel)
        weft_buf_puts(log, "error: choose a kernel of the bitcode with -k NAME\n");
    if (is_text_of_llvm(request) || !c->kernel)
        return WEFT_INVALID;
    struct weft_kernel_request kernel = {
        .kernel = (char *)(uintptr_t)c->kernel,
        .options = request->options,
        .vector_width = (uint32_t)weft_config_uint(WEFT_CFG_VF),
        .quick = weft_config_uint(WEFT_CFG_TIER) == 1,
        .variant = requested_variant(),
        .bitcode = (const uint8_t *)request->source,
        .bitcode_size = request->source_size,
    };
    struct weft_kernel_reply reply;
    weft_status status = weftc_compile_kernel(&kernel, target, &reply);
    if (reply.log)
        weft_buf_puts(log, reply.log);
    if (status == WEFT_OK)
        weft_buf_append(out, reply.code, reply.code_size);
    weft_kernel_reply_fini(&reply);
    return status;
}

// Reads the .options file that libweft writes beside a reproducer (runtime/compiler/reproducer.c). It
// contains the options. For bitcode, a line with the name of the kernel comes first. Afterwards c points into
// *text.
static bool read_replay(struct command *c, struct weft_buf *text)
{
    const char *dot = strrchr(c->input, '.');
    char *path = weft_format("%.*s.options", dot ? (int)(dot - c->input) : (int)strlen(c->input), c->input);
    bool ok = path && read_file(path, text);
    if (!ok)
        fprintf(stderr,
                "weftc: cannot read %s: %s; --replay takes a file from a folder `crash` that Weft "
                "wrote, with its .options file beside it\n",
                path ? path : "the options", strerror(errno));
    weft_free(path);
    char *options = (char *)text->data,
         *end = ok && dot && !strcmp(dot, ".bc") ? strchr(options, '\n') : NULL;
    if (end) {
        *end = '\0';
        c->kernel = options;
        options = end + 1;
    }
    c->options.size = 0;
    if (ok)
        weft_buf_append(&c->options, options, strlen(options) + 1);
    return ok;
}

// The input may be a finished program instead of a source: then the stages work on its bitcode. Afterwards
// the request points into *program.
static void open_program(struct weft_build_request *request, struct weft_program_object *program)
{
    if (weft_program_object_decode(program, (const uint8_t *)request->source, request->source_size) !=
        WEFT_OK)
        return;
    request->source = (char *)program->bitcode;
    request->source_size = program->bitcode_size;
}

// Needed because a module with a damaged first word would otherwise be compiled as OpenCL C.
static bool is_named_as_spirv(const char *name)
{
    const char *dot = name ? strrchr(name, '.') : NULL;
    return dot && (strcmp(dot, ".spv") == 0 || strcmp(dot, ".spirv") == 0);
}

// The input may be SPIR-V instead of a source: then its words are translated. Afterwards the request points
// into *module.
static weft_status open_spirv(struct weft_build_request *request, struct weft_spirv *module,
                              struct weft_buf *log)
{
    uint32_t magic = 0;
    if (request->source_size >= sizeof magic)
        memcpy(&magic, request->source, sizeof magic);
    bool begins_well = magic == WEFT_SPIRV_MAGIC || magic == __builtin_bswap32(WEFT_SPIRV_MAGIC);
    if (!begins_well && is_named_as_spirv(request->name)) {
        weft_buf_printf(log, "error: %s isn't SPIR-V: ", request->name);
        if (request->source_size < sizeof magic)
            weft_buf_printf(log, "it has %zu bytes\n", request->source_size);
        else
            weft_buf_printf(log, "its first word is 0x%08x instead of 0x%08x\n", magic, WEFT_SPIRV_MAGIC);
        return WEFT_DAMAGED;
    }
    if (!begins_well)
        return WEFT_OK;
    const char *why;
    weft_status status = weft_spirv_read(module, request->source, request->source_size, &why);
    if (status == WEFT_DAMAGED)
        weft_buf_printf(log, "error: the module is not SPIR-V that the device takes: %s\n", why);
    request->spirv = status == WEFT_OK;
    request->source = (char *)module->words;
    request->source_size = module->count * sizeof *module->words;
    return status;
}

static bool is_request(const struct command *c)
{
    const char *dot = strrchr(c->input, '.');
    return c->replay && dot && strcmp(dot, ".request") == 0;
}

static weft_status run_command(const struct command *c, const struct weftc_target *target,
                               const struct weft_build_request *request, struct weft_buf *out,
                               struct weft_buf *log)
{
    return c->emit               ? emit(c, target, request, out, log)
           : is_bitcode(request) ? compile_kernel(c, target, request, out, log)
                                 : compile_program(target, request, out, log);
}

// Repeats a request that libweft stored. The options are taken from the request.
static weft_status replay_request(struct command *c, const struct weftc_target *target,
                                  const struct weft_buf *stored, struct weft_buf *out, struct weft_buf *log)
{
    struct weftc_replay replay;
    weft_status status = weftc_replay_decode(&replay, stored->data, stored->size - 1, log); // without the NUL
    if (status == WEFT_OK && replay.type == WEFT_MSG_LINK) {
        status = replay_link(target, &replay.link, out, log);
    } else if (status == WEFT_OK) {
        c->options.size = 0;
        weft_buf_append(&c->options, replay.build.options, strlen(replay.build.options) + 1);
        status = run_command(c, target, &replay.build, out, log);
    }
    weftc_replay_fini(&replay);
    return status;
}

// ---- A replay has the same time limit as the original compile, and reports its result ----

static char time_text[128]; // prepared before the signal can arrive

static void on_timeout(int number)
{
    (void)number;
    ssize_t ignored = write(STDERR_FILENO, time_text, strlen(time_text));
    (void)ignored;
    _exit(1);
}

static void limit_time(void)
{
    const uint64_t seconds = weft_config_uint(WEFT_CFG_BUILD_TIMEOUT);
    snprintf(time_text, sizeof time_text,
             "weftc: the compile exceeded its time limit (WEFT_BUILD_TIMEOUT, %llu seconds)\n",
             (unsigned long long)seconds);
    struct sigaction action = {.sa_handler = on_timeout};
    sigemptyset(&action.sa_mask);
    sigaction(SIGPROF, &action, NULL);
    struct itimerval once = {.it_value.tv_sec = (time_t)seconds};
    setitimer(ITIMER_PROF, &once, NULL);
}

static void report_success(const struct command *c)
{
    fprintf(stderr, "weftc: replayed %s", c->input);
    if (c->kernel)
        fprintf(stderr, " for kernel %s", c->kernel);
    const char *options = c->options.size ? (const char *)c->options.data : "";
    fprintf(stderr, "%s%s: it compiles\n", *options ? ", with " : "", options);
}

// Runs on the big stack. Returns the exit status of the process.
static int compile(void *arg)
{
    struct command *c = arg;
    struct weft_buf source = {0}, replay = {0}, out = {0}, log = {0};
    struct weftc_target target = {0};
    struct weft_program_object program = {0};
    struct weft_spirv spirv = {0};
    int result = 1;
    char *directory = NULL;
    if (!read_file(c->input, &source)) {
        fprintf(stderr, "weftc: cannot read %s: %s\n", c->input, strerror(errno));
        goto done;
    }
    if (c->replay && !is_request(c) && !read_replay(c, &replay))
        goto done;
    if (c->replay)
        limit_time();
    weft_status status = weftc_target_init(&target, weft_config_str(WEFT_CFG_CPU), c->level);
    directory = getcwd(NULL, 0);
    struct weft_build_request request = {
        .source = (char *)source.data,
        .source_size = source.size - 1,
        .options = (char *)c->options.data,
        .directory = directory,
        .name = strcmp(c->input, "-") == 0 || c->replay ? NULL : c->input,
    };
    if (c->emit)
        open_program(&request, &program);
    if (status == WEFT_OK)
        status = open_spirv(&request, &spirv, &log);
    if (status == WEFT_OK)
        status = is_request(c) ? replay_request(c, &target, &source, &out, &log)
                               : run_command(c, &target, &request, &out, &log);
    fwrite(log.data, 1, log.size, stderr);
    weft_buf_append(&log, "", 1);
    if (status != WEFT_OK) {
        // After an error message, the text of the status adds nothing.
        if (log.failed || !strstr((const char *)log.data, "error: "))
            fprintf(stderr, "weftc: %s\n", weft_status_text(status));
    } else if (out.failed || ((c->output || c->emit) && !write_output(c->output, out.data, out.size))) {
        fprintf(stderr, "weftc: cannot write %s: %s\n", c->output ? c->output : "the output",
                strerror(errno));
    } else {
        result = 0;
        if (c->replay && !c->emit)
            report_success(c);
    }
done:
    weft_program_object_fini(&program);
    weft_spirv_fini(&spirv);
    weftc_target_fini(&target);
    weft_buf_free(&source);
    weft_buf_free(&replay);
    weft_buf_free(&out);
    weft_buf_free(&log);
    free(directory);
    return result;
}

int main(int argc, char **argv)
{
    struct command c = {0};
    signal(SIGXFSZ, SIG_IGN); // write() then fails with EFBIG, and the error message names the cause
    int result = parse_command(&c, argc, argv);
    if (result)
        goto done;
    if (c.version)
        printf("weftc %s, LLVM %d\n", weft_full_version, LLVM_VERSION_MAJOR);
    else if (c.serve)
        result = weftc_serve(WEFT_PROTOCOL_FD, c.level);
    else if (!c.input)
        result = usage_error("no input file", NULL);
    else if (c.emit && !is_stage(c.emit))
        result = usage_error("unknown stage", c.emit);
    else if (!c.emit && !c.output && !c.replay)
        result = usage_error("no output: give -o FILE or --emit=STAGE", NULL);
    else if (weftc_run_on_big_stack(compile, &c, &result) != WEFT_OK)
        result = usage_error("can't start a thread", NULL);
done:
    weft_buf_free(&c.options);
    return result;
}
