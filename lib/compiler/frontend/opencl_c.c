// From OpenCL C source to LLVM IR for spir64. OpenCL 3.0 §5.8.6, OpenCL C 3.0 §6. Owns nothing between calls.
// The parser recurses as deeply as the source nests, so the caller runs this on a thread with a large stack.
// If even that overflows, the process ends and the client reports it.
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/clang/clang.h"
#include "compiler/bridge/debug_variables.h"
#include "compiler/bridge/passes.h"
#include "compiler/frontend/clang_arguments.h"
#include "compiler/frontend/frontend.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/ir/module_facts.h"
#include "prelude.inc"
#include "weft/protocol.h"

#define NO_NAME "<source>"

static const char *source_name(const struct weft_build_request *request)
{
    return request->name ? request->name : NO_NAME;
}

// ---- Dependencies ----

struct dependencies {
    struct weft_dependency *list;
    uint32_t count;
    bool failed, uses_time_macros;
};

static void add_dependency(void *arg, const char *path, const void *data, size_t size)
{
    struct dependencies *d = arg;
    size_t bytes;
    if (d->failed || d->count == UINT32_MAX || !weft_mul_size((size_t)d->count + 1, sizeof *d->list, &bytes))
        goto fail;
    struct weft_dependency *list = weft_realloc(d->list, bytes);
    if (!list)
        goto fail;
    d->list = list;
    char *copy = weft_strdup(path);
    if (!copy)
        goto fail;
    struct weft_hash hash = {0};
    if (data)
        hash = weft_hash_bytes(hash, data, size);
    uint32_t kind = data ? WEFT_DEPENDENCY_CONTENT : size ? WEFT_DEPENDENCY_PRESENT : WEFT_DEPENDENCY_ABSENT;
    list[d->count++] = (struct weft_dependency){copy, kind, hash.lo, hash.hi};
    return;
fail:
    d->failed = true;
}

static void dependencies_fini(struct dependencies *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        weft_free(d->list[i].path);
    weft_free(d->list);
    *d = (struct dependencies){0};
}

// Returns the source, the prelude and the embedded headers, as files in memory. The caller frees the array;
// the contents belong to the request.
static struct weft_bridge_file *list_files(const struct weft_build_request *request, size_t *count)
{
    struct weft_bridge_file *files = weft_alloc_array((size_t)request->header_count + 2, sizeof *files);
    if (!files)
        return NULL;
    files[0] = (struct weft_bridge_file){source_name(request), request->source, request->source_size};
    files[1] = (struct weft_bridge_file){WEFTC_PRELUDE_PATH, weft_prelude, sizeof weft_prelude - 1};
    for (uint32_t i = 0; i < request->header_count; i++) {
        const struct weft_header *h = &request->headers[i];
        files[i + 2] = (struct weft_bridge_file){h->name, h->source, h->size};
    }
    *count = (size_t)request->header_count + 2;
    return files;
}

// Runs Clang, again if necessary, until the program's functions hide built-in functions where they conflict.
//
// A program may define functions that have names of built-in functions. At first both are declared, as if a
// header declared the built-in ones. If an error is about such a name, for example because a call is
// ambiguous, then the rule of C applies to this name: the program's functions hide the built-in ones, and
// Clang runs once more. Each iteration hides at least one more name. If errors remain, the log has those of
// the run with the fewest, and *min_errors is their number.
static bool run_clang(struct weft_bridge_source *source, LLVMContextRef context, LLVMModuleRef *module,
                      unsigned *min_errors)
{
    struct weft_buf *log = source->log, hidden = {0};
    unsigned errors = 0;
    *min_errors = 0;
    source->hidden = &hidden;
    source->errors = &errors;
    for (;;) {
        struct weft_buf messages = {0};
        size_t known = hidden.size;
        source->log = &messages;
        bool first = known == 0, ok = weft_bridge_frontend(source, context, module);
        if (first || ok || errors < *min_errors) {
            weft_buf_free(log);
            *log = messages;
            *min_errors = errors;
        } else {
            weft_buf_free(&messages);
        }
        if (ok || hidden.size == known || hidden.failed) {
            log->failed |= hidden.failed;
            weft_buf_free(&hidden);
            return ok;
        }
        dependencies_fini(source->dependency_arg);
        if (source->ast)
            weft_buf_free(source->ast);
    }
}

// The result of a translation unit: a module, or the syntax tree as text. One of module and ast is NULL.
struct product {
    LLVMContextRef context;
    LLVMModuleRef *module;
    struct weft_buf *ast;
    unsigned *errors; // gets the number of errors; see weft_bridge_source
    bool fast_fma;    // see weftc_frontend
};

// Removes Clang's advice to use options of its own command line: base/build_options.c doesn't accept them.
static void remove_advice(struct weft_buf *log)
{
    static const char begin[] = "; use -f", end[] = " to see all";
    char *at = (char *)log->data, *from, *to;
    size_t left = log->size;
    while (left && (from = memmem(at, left, begin, sizeof begin - 1))) {
        left -= (size_t)(from - at);
        to = memmem(from, left, end, sizeof end - 1);
        at = from + 1;
        left--;
        if (!to || memchr(from, '\n', (size_t)(to - from)))
            continue;
        to += sizeof end - 1;
        size_t cut = (size_t)(to - from);
        memmove(from, to, left + 1 - cut);
        log->size -= cut;
        left = left + 1 - cut;
        at = from;
    }
}

// Tells the debug information where the runtime has written the sources that have no files, or only what they
// are called.
static void name_files(LLVMModuleRef module, const struct weft_build_request *request, const char *directory)
{
    const char *slash = request->debug_path ? strrchr(request->debug_path, '/') : NULL;
    if (!slash && request->debug_path && *request->debug_path)
        weftc_bridge_rename_file(module, source_name(request), directory, request->debug_path, directory);
    char *folder =
        slash ? weft_format("%.*s", (int)(slash - request->debug_path), request->debug_path) : NULL;
    if (!folder)
        return;
    weftc_bridge_rename_file(module, source_name(request), directory, slash + 1, folder);
    for (uint32_t i = 0; i < request->header_count; i++) {
        char safe[WEFT_FILE_NAME], *found = weft_format("./%s", request->headers[i].name); // by -I.
        weft_file_name_of(safe, request->headers[i].name);
        if (found)
            weftc_bridge_rename_file(module, found, directory, safe, folder);
        weft_free(found);
    }
    weft_free(folder);
}

static weft_status run_arguments(const struct weft_build_request *request,
                                 const struct weftc_clang_arguments *arguments, const struct product *product,
                                 struct weft_buf *log, struct dependencies *dependencies)
{
    size_t file_count = 0;
    struct weft_bridge_file *files = list_files(request, &file_count);
    if (!files || arguments->failed) {
        weft_free(files);
        return WEFT_NO_MEMORY;
    }
    struct weft_buf messages = {0};
    struct weft_bridge_source source = {
        .places = weftc_fact_name(WEFTC_PLACES),
        .args = arguments->list,
        .arg_count = arguments->count,
        .directory = request->directory && request->directory[0] == '/' ? request->directory : "/",
        .files = files,
        .file_count = file_count,
        .log = &messages,
        .ast = product->ast,
        .dependency = add_dependency,
        .dependency_arg = dependencies,
        .uses_time_macros = &dependencies->uses_time_macros,
    };
    LLVMModuleRef made = NULL;
    weft_status status =
        run_clang(&source, product->context, &made, product->errors) ? WEFT_OK : WEFT_BUILD_FAILED;
    weft_free(files);
    remove_advice(&messages);
    if (messages.size > 0)
        weft_buf_append(log, messages.data, messages.size);
    log->failed |= messages.failed;
    weft_buf_free(&messages);
    if (status == WEFT_OK && (log->failed || dependencies->failed)) {
        if (made)
            LLVMDisposeModule(made);
        made = NULL;
        status = WEFT_NO_MEMORY;
    }
    if (made) {
        // Blocks come first: lowering objects replaces functions, and the literals of blocks name functions.
        weftc_find_blocks(made);
        name_files(made, request, source.directory);
        weft_bridge_lower_objects(made, weftc_fact_name(WEFTC_ATTRIBUTE_IMAGE));
    }
    if (product->module)
        *product->module = made;
    return status;
}

// C++ for OpenCL has no version of OpenCL C, which Clang looks at. So Clang assumes that all work-groups have
// the same size.
static void allow_uneven_groups(LLVMModuleRef module)
{
    static const char name[] = "uniform-work-group-size", value[] = "false";
    LLVMAttributeRef uneven = LLVMCreateStringAttribute(LLVMGetModuleContext(module), name, sizeof name - 1,
                                                        value, sizeof value - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (weftc_groups_are_uniform(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, uneven);
}

static weft_status lower_lifetimes(const struct product *product, struct weft_buf *log)
{
    weft_status status = weftc_lower_lifetimes(*product->module, log);
    if (status != WEFT_OK) {
        LLVMDisposeModule(*product->module);
        *product->module = NULL;
    }
    return status;
}

// Does the log quote a keyword of C++ that C doesn't have?
static bool mentions_cpp(const struct weft_buf *log)
{
    static const char *const words[] = {"'template'", "'class'",     "'namespace'",    "'using'",
                                        "'typename'", "'constexpr'", "'static_cast'",  "'reinterpret_cast'",
                                        "'nullptr'",  "'decltype'",  "'static_assert'"};
    for (size_t i = 0; log->size && i < WEFT_COUNT_OF(words); i++)
        if (memmem(log->data, log->size, words[i], strlen(words[i])))
            return true;
    return false;
}

// Returns the number of errors that the program has with these options. 0: it builds.
static unsigned errors_with(const struct weft_build_request *request,
                            const struct weft_build_options *options, const struct product *wanted)
{
    unsigned errors = UINT_MAX;
    struct weft_buf ignored_log = {0};
    struct dependencies found = {0};
    struct weftc_clang_arguments arguments = {0};
    LLVMModuleRef module = NULL;
    const struct product product = {
        .context = wanted->context, .module = &module, .errors = &errors, .fast_fma = wanted->fast_fma};
    weftc_clang_arguments(&arguments, options, product.fast_fma, source_name(request),
                          request->header_count > 0, &ignored_log);
    weft_status status = run_arguments(request, &arguments, &product, &ignored_log, &found);
    if (module)
        LLVMDisposeModule(module);
    weftc_clang_arguments_fini(&arguments);
    dependencies_fini(&found);
    weft_buf_free(&ignored_log);
    return status == WEFT_OK ? 0 : status == WEFT_BUILD_FAILED ? errors : UINT_MAX;
}

// Adds a note to the log if another -cl-std gives fewer errors. Without -cl-std a program is OpenCL C 1.2.
// Most programs that fail to build for this reason were written for a later version, or in C++. The way to
// find out is to compile again. product: what was wanted, and the number of errors with the given options.
static void suggest_other_version(const struct weft_build_request *request,
                                  struct weft_build_options *options, const struct product *product,
                                  struct weft_buf *log)
{
    const uint32_t newest = weft_language_version() < 300 ? weft_language_version() : 300;
    const uint32_t is = options->cl_std ? options->cl_std : 120;
    const bool named = options->cl_std != 0;
    const unsigned error_count = *product->errors;
    const char *better = NULL;
    unsigned min_errors = error_count;
    if (options->cpp)
        return;
    if (!named && newest > is) {
        options->cl_std = newest;
        unsigned errors = errors_with(request, options, product);
        if (errors < min_errors) {
            better = newest == 300 ? "CL3.0" : "CL2.0";
            min_errors = errors;
        }
    }
    if (min_errors && newest >= 200 && mentions_cpp(log)) {
        options->cl_std = newest;
        options->cpp = true;
        unsigned errors = errors_with(request, options, product);
        if (errors < min_errors) {
            better = newest == 300 ? "CLC++2021" : "CLC++1.0";
            min_errors = errors;
        }
    }
    if (!better || (min_errors && error_count == UINT_MAX))
        return;
    weft_buf_printf(log, "note: %sthis is OpenCL C %u.%u; ",
                    named ? "" : "without -cl-std among the build options ", is / 100, is / 10 % 10);
    if (min_errors == 0)
        weft_buf_printf(log, "it builds with -cl-std=%s\n", better);
    else
        weft_buf_printf(log, "with -cl-std=%s %u of %u errors remain%s\n", better, min_errors, error_count,
                        min_errors == 1 ? "s" : "");
}

static weft_status run(const struct weft_build_request *request, const struct product *product,
                       struct weft_buf *log, struct dependencies *dependencies)
{
    struct weft_build_options options;
    char *reason;
    enum weft_option_use use = request->compile_only ? WEFT_OPTIONS_COMPILE : WEFT_OPTIONS_BUILD;
    weft_status status = weft_build_options_parse(&options, request->options, use, &reason);
    if (status != WEFT_OK) {
        if (reason)
            weft_buf_printf(log, "error: %s\n", reason);
        weft_free(reason);
        return status;
    }
    // "Calls to clBuildProgram ... with the -cl-std=CL1.1 build option will fail to build the program for any
    // devices that do not support OpenCL C 1.1 or newer."
    if (options.cl_std > weft_language_version()) {
        weft_buf_printf(
            log, "error: the program is written in %s %u.%u, but this device has OpenCL C %u.%u at most\n",
            options.cpp ? "C++ for OpenCL, which needs OpenCL C" : "OpenCL C", options.cl_std / 100,
            options.cl_std / 10 % 10, weft_language_version() / 100, weft_language_version() / 10 % 10);
        weft_build_options_fini(&options);
        return log->failed ? WEFT_NO_MEMORY : WEFT_BUILD_FAILED;
    }
    struct weftc_clang_arguments arguments = {0};
    weftc_clang_arguments(&arguments, &options, product->fast_fma, source_name(request),
                          request->header_count > 0, log);
    status = run_arguments(request, &arguments, product, log, dependencies);
    if (status == WEFT_OK && options.cpp && product->module) {
        if (!options.uniform_work_group_size)
            allow_uneven_groups(*product->module);
        status = lower_lifetimes(product, log);
    }
    weftc_clang_arguments_fini(&arguments);
    if (status == WEFT_BUILD_FAILED && product->module)
        suggest_other_version(request, &options, product, log);
    weft_build_options_fini(&options);
    return status;
}

weft_status weftc_frontend(const struct weft_build_request *request, bool fast_fma, LLVMContextRef context,
                           LLVMModuleRef *module, struct weft_buf *log, struct weft_program_reply *reply)
{
    *module = NULL;
    struct dependencies found = {0};
    unsigned errors = 0;
    struct product product = {.context = context, .module = module, .errors = &errors, .fast_fma = fast_fma};
    weft_status status = run(request, &product, log, &found);
    if (status != WEFT_OK) {
        dependencies_fini(&found);
        return status;
    }
    if (reply) {
        reply->uses_time_macros = found.uses_time_macros;
        reply->dependencies = found.list;
        reply->dependency_count = found.count;
    } else {
        dependencies_fini(&found);
    }
    return WEFT_OK;
}

weft_status weftc_frontend_ast(const struct weft_build_request *request, bool fast_fma, struct weft_buf *ast,
                               struct weft_buf *log)
{
    struct dependencies found = {0};
    LLVMContextRef context = LLVMContextCreate();
    unsigned errors = 0;
    struct product product = {.context = context, .ast = ast, .errors = &errors, .fast_fma = fast_fma};
    weft_status status = context ? run(request, &product, log, &found) : WEFT_NO_MEMORY;
    if (context)
        LLVMContextDispose(context);
    dependencies_fini(&found);
    return status;
}
