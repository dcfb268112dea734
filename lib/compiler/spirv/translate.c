// Translates SPIR-V to LLVM IR for spir64. The translator is a separate program: llvm-spirv of this or an
// older version of LLVM, whose bitcode LLVM reads. If a malicious module attacks it, it attacks a separate
// process. OpenCL 3.0 §5.8.1, OpenCL SPIR-V Environment.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/frontend/frontend.h"
#include "compiler/ir/module_facts.h"
#include "compiler/spirv/spirv.h"
#include "weft/protocol.h"
#include "weft/spirv.h"

#define TRIPLE "spir64-unknown-unknown"
// Clang's data layout for spir64, so that modules of both kinds can be linked.
#define LAYOUT "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
#define MAX_ERROR_BYTES 16384u // limit for another program's messages in the log

// ---- Running another program as a filter ----

// Three memory files: standard input, output and error of the program. -1: not open.
struct streams {
    int file[3];
    rlim_t max_bytes; // maximum size in bytes of a file that the program writes
};

static void close_streams(struct streams *s)
{
    for (int i = 0; i < 3; i++)
        if (s->file[i] >= 0)
            close(s->file[i]);
}

// Bitcode is a few times as large as its SPIR-V module. The limit ends the translator if a module makes it
// write forever.
static rlim_t output_limit(size_t input)
{
    return (64u << 20) + 64 * (rlim_t)input;
}

static bool open_streams(struct streams *s, const void *input, size_t size)
{
    *s = (struct streams){{-1, -1, -1}, output_limit(size)};
    for (int i = 0; i < 3; i++)
        if ((s->file[i] = memfd_create("weft-spirv", MFD_CLOEXEC)) < 0)
            return false;
    return weft_write_all(s->file[0], input, size) && lseek(s->file[0], 0, SEEK_SET) == 0;
}

static void limit_output(rlim_t max_bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur <= max_bytes)
        return;
    limit.rlim_cur = max_bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

// Runs in the child after fork, so it may only call async-signal-safe functions.
__attribute__((noreturn)) static void exec_child(const char *const *argv, const struct streams *s,
                                                 pid_t parent)
{
    limit_output(s->max_bytes);
    signal(SIGXFSZ, SIG_DFL); // exceeding the limit ends the child
    // The child must not outlive this process, which is killed when a compile takes too long. It may already
    // have been killed.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    int spare[3];
    for (int i = 0; i < 3; i++)
        if ((spare[i] = fcntl(s->file[i], F_DUPFD, 3)) < 0)
            _exit(127);
    for (int i = 0; i < 3; i++)
        if (dup2(spare[i], i) < 0)
            _exit(127);
    if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0)
        for (int fd = 3; fd < 4096; fd++) // before Linux 5.9
            close(fd);
    execve(argv[0], (char *const *)(uintptr_t)argv, environ);
    _exit(127);
}

// Runs the program to its end. Returns the status of waitpid, or -1 if the program could not be started.
static int run(const char *const *argv, const struct streams *s)
{
    // If SIGCHLD were ignored, waitpid couldn't return the child's status.
    signal(SIGCHLD, SIG_DFL);
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        exec_child(argv, s, parent);
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return child > 0 ? status : -1;
}

static weft_status read_stream(int fd, size_t max_bytes, struct weft_buf *out)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return WEFT_IO;
    size_t size = (size_t)st.st_size < max_bytes ? (size_t)st.st_size : max_bytes;
    if (size == 0)
        return WEFT_OK;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return WEFT_NO_MEMORY;
    bool ok = weft_buf_append(out, bytes, size);
    munmap(bytes, size);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}

// ---- The translator ----

// Adds the validator's messages about a module that the translator rejected, if the validator is installed.
// They explain more.
static void add_diagnosis(const struct weft_build_request *request, struct weft_buf *log)
{
    static const char *const argv[] = {WEFT_SPIRV_VAL_PATH, "-", NULL};
    struct streams s;
    if (*argv[0] && open_streams(&s, request->source, request->source_size)) {
        int status = run(argv, &s);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 1 &&
            (lseek(s.file[2], 0, SEEK_END) > 0 || lseek(s.file[1], 0, SEEK_END) > 0)) {
            weft_buf_puts(log, "spirv-val: ");
            (void)read_stream(s.file[1], MAX_ERROR_BYTES, log);
            (void)read_stream(s.file[2], MAX_ERROR_BYTES, log);
        }
    }
    close_streams(&s);
}

// Reports how the translator failed, if it did.
static weft_status check_exit_status(int status, const struct weft_build_request *request,
                                     const struct streams *s, struct weft_buf *log)
{
    if (status == 0)
        return WEFT_OK;
    if (!*weft_spirv_translator()) {
        weft_buf_puts(log,
                      "error: Weft was built without a SPIR-V translator (set WEFT_LLVM_SPIRV to the path of "
                      "llvm-spirv)\n");
        return WEFT_BUILD_FAILED;
    }
    if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
        weft_buf_printf(log,
                        "error: the SPIR-V translator %s can't be run (install the package that has it, "
                        "or set WEFT_LLVM_SPIRV to another translator)\n",
                        weft_spirv_translator());
        return WEFT_BUILD_FAILED;
    }
    struct weft_buf said = {0};
    (void)read_stream(s->file[2], MAX_ERROR_BYTES, &said);
    weft_buf_puts(log, "error: the SPIR-V module can't be translated");
    if (WIFSIGNALED(status))
        weft_buf_printf(log, ": the translator ended with signal %d (%s)", WTERMSIG(status),
                        strsignal(WTERMSIG(status)));
    else if (!said.size)
        weft_buf_printf(log, ": the translator %s failed with exit status %d and didn't say why",
                        weft_spirv_translator(), WEXITSTATUS(status));
    weft_buf_puts(log, "\n");
    // After a crash the translator prints a stack trace. It doesn't help the user, who needs to repair the
    // module.
    char *text = weft_buf_take(&said, NULL), *stack = text ? strstr(text, "PLEASE submit") : NULL;
    if (stack)
        *stack = '\0';
    weft_buf_puts(log, text ? text : "");
    weft_free(text);
    add_diagnosis(request, log);
    return WEFT_BUILD_FAILED;
}

// A module as the translator gets it.
struct spirv_input {
    struct weft_spirv module;
    struct weft_buf lowered; // empty: use the original module
    struct weftc_spirv_floats floats;
};

static void input_fini(struct spirv_input *in)
{
    weft_buf_free(&in->lowered);
    weft_spirv_fini(&in->module);
}

static weft_status input_init(struct spirv_input *in, const struct weft_build_request *request,
                              struct weft_buf *log)
{
    const char *why;
    *in = (struct spirv_input){0};
    weft_status status = weft_spirv_read(&in->module, request->source, request->source_size, &why);
    if (status == WEFT_DAMAGED) // libweft has checked it before
        weft_buf_printf(log, "error: the module is not SPIR-V that the device takes: %s\n", why);
    if (status == WEFT_OK)
        status = weftc_spirv_check_modes(in->module.words, in->module.count, &in->floats, log);
    return status == WEFT_OK ? weftc_spirv_lower(in->module.words, in->module.count, &in->lowered) : status;
}

static weft_status translate(const struct weft_build_request *request, const struct spirv_input *in,
                             struct weft_buf *bitcode, struct weft_buf *log)
{
    const char *const argv[] = {weft_spirv_translator(),
                                "-r",
                                "--spirv-target-env=CL2.0",
                                "--spirv-gen-kernel-arg-name-md",
                                "-o",
                                "-",
                                "/proc/self/fd/0",
                                NULL};
    struct streams s = {{-1, -1, -1}, 0};
    const void *input = in->lowered.size ? (const void *)in->lowered.data : request->source;
    size_t size = in->lowered.size ? in->lowered.size : request->source_size;
    weft_status status = open_streams(&s, input, size) ? WEFT_OK : WEFT_NO_RESOURCES;
    if (status == WEFT_OK)
        status = check_exit_status(run(argv, &s), request, &s, log);
    if (status == WEFT_OK)
        status = read_stream(s.file[1], SIZE_MAX, bitcode);
    close_streams(&s);
    return status;
}

// ---- Repairs of the translated module ----

// Without execution mode ContractionOff, contraction is allowed.
static void allow_contraction(LLVMModuleRef module)
{
    static const char name[] = "opencl.enable.FP_CONTRACT";
    struct weft_build_options contract = {.mad_enable = true};
    if (LLVMGetNamedMetadata(module, name, sizeof name - 1))
        weftc_apply_link_options(module, &contract);
}

// A constant sampler is an integer in a pointer (weft/image.h). Defines the function that the translator
// calls for it.
static void define_samplers(LLVMModuleRef module)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, "__translate_sampler_initializer");
    LLVMTypeRef type = f ? LLVMGlobalGetValueType(f) : NULL;
    if (!f || !LLVMIsDeclaration(f) || LLVMCountParams(f) != 1 ||
        LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMPointerTypeKind ||
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(f, 0))) != LLVMIntegerTypeKind)
        return;
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, f, ""));
    LLVMValueRef number = LLVMBuildIntCast2(b, LLVMGetParam(f, 0), LLVMInt64TypeInContext(c), false, "");
    LLVMBuildRet(b, LLVMBuildIntToPtr(b, number, LLVMGetReturnType(type), ""));
    LLVMDisposeBuilder(b);
    LLVMSetLinkage(f, LLVMInternalLinkage);
}

// Replaces `dereferenceable` on kernel parameters. For the decoration MaxByteOffset ("a known maximum byte
// offset this memory object will be accessed at") the translator writes `dereferenceable`, which says that
// the memory object has at least this size. A smaller object could then be read beyond its end. The number
// becomes an attribute of its own instead (frontend/kernel_metadata.c).
static weft_status convert_max_byte_offsets(LLVMModuleRef module)
{
    static const char name[] = "dereferenceable";
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (unsigned i = 1; i <= LLVMCountParams(f); i++) {
            LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, i, kind);
            if (!a)
                continue;
            char *max_bytes = weft_format("%llu", (unsigned long long)LLVMGetEnumAttributeValue(a));
            if (!max_bytes)
                return WEFT_NO_MEMORY;
            LLVMRemoveEnumAttributeAtIndex(f, i, kind);
            weftc_fact_attribute_set(f, i, WEFTC_ATTRIBUTE_MAX_BYTES, max_bytes, strlen(max_bytes));
            weft_free(max_bytes);
        }
    }
    return WEFT_OK;
}

// Applies build options that relax arithmetic, except where the module's kernels forbid it.
static void apply_options(LLVMModuleRef module, const struct weft_build_options *options,
                          const struct weftc_spirv_floats *floats)
{
    struct weft_build_options o = *options;
    if (floats->specials) {
        o.mad_enable |= o.unsafe_math || o.fast_relaxed_math;
        o.unsafe_math = o.fast_relaxed_math = o.finite_math_only = o.no_signed_zeros = false;
    }
    if (floats->denormals)
        o.denorms_are_zero = false;
    weftc_apply_link_options(module, &o);
}

// Adds the attribute that Clang adds (frontend/kernel_metadata.c).
static void make_groups_uniform(LLVMModuleRef module)
{
    static const char name[] = "uniform-work-group-size", value[] = "true";
    LLVMAttributeRef uniform = LLVMCreateStringAttribute(LLVMGetModuleContext(module), name, sizeof name - 1,
                                                         value, sizeof value - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMGetFunctionCallConv(f) == LLVMSPIRKERNELCallConv)
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, uniform);
}

static bool has_nameless_kernel(LLVMModuleRef module)
{
    size_t length = 1;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && length; f = LLVMGetNextFunction(f))
        if (LLVMGetFunctionCallConv(f) == LLVMSPIRKERNELCallConv)
            LLVMGetValueName2(f, &length);
    return length == 0;
}

static weft_status repair_module(LLVMModuleRef module, const struct spirv_input *in,
                                 const struct weft_build_options *options, struct weft_buf *log)
{
    char *message = NULL;
    if (strncmp(LLVMGetTarget(module), "spir64", 6) != 0) {
        weft_buf_puts(
            log, "error: the module's addressing model is not Physical64, but this device's addresses have "
                 "64 bits\n");
        return WEFT_BUILD_FAILED;
    }
    if (has_nameless_kernel(module)) {
        weft_buf_puts(log, "error: a kernel of the module has an empty name\n");
        return WEFT_BUILD_FAILED;
    }
    LLVMSetTarget(module, TRIPLE);
    LLVMSetDataLayout(module, LAYOUT);
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
        weft_buf_printf(log, "error: the translated SPIR-V module is invalid: %s\n", message);
        LLVMDisposeMessage(message);
        return WEFT_BUILD_FAILED;
    }
    LLVMDisposeMessage(message);
    if (weftc_find_invoked(module) != WEFT_OK ||
        weftc_spirv_fit_calls(module, in->module.words, in->module.count) != WEFT_OK)
        return WEFT_NO_MEMORY;
    weft_status status = weftc_spirv_make_pipes(module, log);
    if (status != WEFT_OK)
        return status;
    status = convert_max_byte_offsets(module);
    if (status != WEFT_OK)
        return status;
    define_samplers(module);
    allow_contraction(module);
    apply_options(module, options, &in->floats);
    if (options->uniform_work_group_size)
        make_groups_uniform(module);
    return WEFT_OK;
}

static void note_diagnostic(LLVMDiagnosticInfoRef info, void *arg)
{
    char *text = LLVMGetDiagInfoDescription(info);
    weft_buf_printf(arg, "error: %s\n", text);
    LLVMDisposeMessage(text);
}

static weft_status read_module(const struct weft_buf *bitcode, LLVMContextRef context, LLVMModuleRef *module,
                               struct weft_buf *log)
{
    // otherwise LLVM prints the error and exits
    LLVMContextSetDiagnosticHandler(context, note_diagnostic, log);
    LLVMMemoryBufferRef bytes =
        LLVMCreateMemoryBufferWithMemoryRange((const char *)bitcode->data, bitcode->size, "program", 0);
    LLVMBool failed = LLVMParseBitcodeInContext2(context, bytes, module);
    LLVMDisposeMemoryBuffer(bytes);
    LLVMContextSetDiagnosticHandler(context, NULL, NULL);
    if (!failed)
        return WEFT_OK;
    *module = NULL;
    weft_buf_puts(log, "error: the translated SPIR-V module can't be read\n");
    return WEFT_BUILD_FAILED;
}

weft_status weftc_spirv(const struct weft_build_request *request, LLVMContextRef context,
                        LLVMModuleRef *module, struct weft_buf *log)
{
    *module = NULL;
    struct weft_build_options options;
    char *reason = NULL;
    weft_status status =
        weft_build_options_parse(&options, request->options,
                                 request->compile_only ? WEFT_OPTIONS_COMPILE : WEFT_OPTIONS_BUILD, &reason);
    if (status != WEFT_OK) {
        weft_buf_printf(log, "error: %s\n", reason ? reason : weft_status_text(status));
        weft_free(reason);
        return status;
    }
    struct weft_buf bitcode = {0};
    struct spirv_input input;
    status = input_init(&input, request, log);
    if (status == WEFT_OK)
        status = translate(request, &input, &bitcode, log);
    if (status == WEFT_OK)
        status = read_module(&bitcode, context, module, log);
    if (status == WEFT_OK)
        status = repair_module(*module, &input, &options, log);
    if (status == WEFT_OK)
        status = weftc_spirv_apply_modes(input.module.words, input.module.count, *module, log);
    if (status != WEFT_OK && *module) {
        LLVMDisposeModule(*module);
        *module = NULL;
    }
    weft_buf_free(&bitcode);
    input_fini(&input);
    weft_build_options_fini(&options);
    return status;
}
