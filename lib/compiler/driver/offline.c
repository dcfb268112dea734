// The offline compiler: compiles one file, or repeats a compile that libweft stored (--replay), and writes
// the result. The input is a source, a SPIR-V module, bitcode, a finished program or a stored request. Owns
// nothing but the text of the time limit's message.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/driver/command.h"
#include "compiler/driver/driver.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/protocol.h"
#include "weft/spirv.h"

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
            .level = weftc_requested_level(),
            .variant = weftc_requested_variant(),
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
static weft_status compile_kernel(const struct weftc_command *c, const struct weftc_target *target,
                                  const struct weft_build_request *request, struct weft_buf *out,
                                  struct weft_buf *log)
{
    if (weftc_is_text_of_llvm(request))
        weft_buf_puts(log, "error: textual LLVM IR can only be used with --emit and --report; llvm-as "
                           "converts it to bitcode\n");
    else if (!c->kernel)
        weft_buf_puts(log, "error: choose a kernel of the bitcode with -k NAME\n");
    if (weftc_is_text_of_llvm(request) || !c->kernel)
        return WEFT_INVALID;
    struct weft_kernel_request kernel = {
        .kernel = (char *)(uintptr_t)c->kernel,
        .options = request->options,
        .vector_width = (uint32_t)weft_config_uint(WEFT_CFG_VF),
        .level = weftc_requested_level(),
        .variant = weftc_requested_variant(),
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
static bool read_replay(struct weftc_command *c, struct weft_buf *text)
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

static bool is_request(const struct weftc_command *c)
{
    const char *dot = strrchr(c->input, '.');
    return c->replay && dot && strcmp(dot, ".request") == 0;
}

static weft_status run_command(const struct weftc_command *c, const struct weftc_target *target,
                               const struct weft_build_request *request, struct weft_buf *out,
                               struct weft_buf *log)
{
    return c->emit                     ? weftc_emit(c, target, request, out, log)
           : weftc_is_bitcode(request) ? compile_kernel(c, target, request, out, log)
                                       : compile_program(target, request, out, log);
}

// Repeats a request that libweft stored. The options are taken from the request.
static weft_status replay_request(struct weftc_command *c, const struct weftc_target *target,
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

static void report_success(const struct weftc_command *c)
{
    fprintf(stderr, "weftc: replayed %s", c->input);
    if (c->kernel)
        fprintf(stderr, " for kernel %s", c->kernel);
    const char *options = c->options.size ? (const char *)c->options.data : "";
    fprintf(stderr, "%s%s: it compiles\n", *options ? ", with " : "", options);
}

// Runs on the big stack. Returns the exit status of the process.
int weftc_run_offline(void *arg)
{
    struct weftc_command *c = arg;
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
