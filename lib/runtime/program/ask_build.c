// How a part of a build is made: from the disk cache, or by a compiler.
// The cache's key is everything that the answer to a source depends on, except for the file system. The cache
// entry lists the files that were read, with hashes of their contents, and the files that were looked for and
// not found, since one that appears there would hide another. An answer that depends on the file system also
// depends on the current folder, so that is part of its key. Whether it does is known only with the answer.
// That's why there are two keys to look up.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "runtime/compiler/client.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/compiler/debug_files.h"
#include "runtime/compiler/disk_cache.h"
#include "runtime/compiler/reproducer.h"
#include "runtime/device/device.h"
#include "runtime/program/build_job.h"
#include "runtime/program/build_program.h"
#include "runtime/code/build_result.h"
#include "runtime/program/program.h"
#include "weft/code_object.h"
#include "weft/protocol.h"
#include "weft/status.h"
#include "weft/trace.h"

#define MAX_DEPENDENCY_BYTES (64u << 20)

// ---- The cache of answers ----

struct request_keys {
    struct weft_hash anywhere, here; // without the current folder, and with it
};

static struct request_keys request_keys(const struct weft_build_request *q)
{
    struct weft_hash h = weft_hash_str(weft_cache_identity(), q->compile_only ? "compile" : "build");
    h = weft_hash_str(h, q->spirv ? "SPIR-V" : "source");
    const char *translator = q->spirv ? weft_config_str(WEFT_CFG_LLVM_SPIRV) : NULL;
    h = weft_hash_str(h, translator ? translator : "");
    const unsigned translator_version = q->spirv ? weft_spirv_translator_version() : 0;
    h = weft_hash_bytes(h, &translator_version, sizeof translator_version);
    const uint32_t version = weft_cl_version();
    h = weft_hash_bytes(h, &version, sizeof version);
    h = weft_hash_str(h, q->options);
    h = weft_hash_bytes(h, q->source, q->source_size);
    for (uint32_t i = 0; i < q->header_count; i++) {
        h = weft_hash_str(h, q->headers[i].name);
        h = weft_hash_bytes(h, q->headers[i].source, q->headers[i].size);
    }
    if (q->debug_path)
        h = weft_hash_str(h, q->debug_path);
    return (struct request_keys){h, weft_hash_str(h, q->directory)};
}

static bool holds_anywhere(const struct weft_build_request *q, const struct weft_program_reply *reply)
{
    return reply->dependency_count == 0 && !strstr(q->options, "-g"); // debug information contains the folder
}

static bool is_unchanged(const struct weft_dependency *d)
{
    struct stat found;
    if (d->kind != WEFT_DEPENDENCY_CONTENT)
        return (stat(d->path, &found) == 0) == (d->kind == WEFT_DEPENDENCY_PRESENT);
    int fd = open(d->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    struct stat st;
    bool same = false;
    uint8_t *bytes = NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MAX_DEPENDENCY_BYTES &&
        (bytes = weft_alloc((size_t)st.st_size))) {
        size_t got = 0;
        ssize_t n;
        while (got < (size_t)st.st_size &&
               ((n = read(fd, bytes + got, (size_t)st.st_size - got)) > 0 || (n < 0 && errno == EINTR)))
            got += n > 0 ? (size_t)n : 0;
        struct weft_hash h = weft_hash_bytes((struct weft_hash){0}, bytes, got);
        same = got == (size_t)st.st_size && h.lo == d->hash_lo && h.hi == d->hash_hi;
    }
    weft_free(bytes);
    close(fd);
    return same;
}

static bool find_cached(struct weft_hash key, struct weft_program_reply *reply)
{
    uint8_t *bytes;
    size_t size;
    if (weft_cache_load(WEFT_CACHE_PROGRAM, key, &bytes, &size) != WEFT_OK)
        return false;
    bool good = weft_program_reply_get(reply, bytes, size) == WEFT_OK;
    weft_free(bytes);
    for (uint32_t i = 0; good && i < reply->dependency_count; i++)
        good = is_unchanged(&reply->dependencies[i]);
    if (!good) {
        weft_program_reply_fini(reply);
        *reply = (struct weft_program_reply){0};
    }
    return good;
}

static bool find_program(const struct request_keys *keys, struct weft_program_reply *reply)
{
    return find_cached(keys->anywhere, reply) || find_cached(keys->here, reply);
}

// ---- Asking a compiler ----

// Removes newlines at the beginning of a log for a terminal, in place. Returns text.
static char *begin_line(char *text)
{
    size_t blank = text ? strspn(text, "\n") : 0;
    if (blank)
        memmove(text, text + blank, strlen(text + blank) + 1);
    return text;
}

static char *end_line(char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (length == 0 || text[length - 1] == '\n')
        return text;
    char *line = weft_format("%s\n", text);
    if (!line)
        return text;
    weft_free(text);
    return line;
}

// The log of a failure: what happened and, when it isn't the source's fault, how to reproduce it. Frees
// `what`. The caller frees the result.
static char *explain(const struct weft_build_job *j, weft_status status, char *what,
                     const struct weft_buf *request)
{
    const struct weft_program *p = j->program;
    if (!weft_reproducer_wanted(status))
        return what;
    // A source alone is saved as a source, which a person can read. Otherwise the whole request is saved.
    bool plain = j->kind != WEFT_DO_LINK && j->header_count == 0 && p->source;
    char *again = plain ? weft_reproducer_sentence(p->source, p->source_size, NULL, j->options)
                        : weft_reproducer_request_sentence(
                              j->kind == WEFT_DO_LINK ? WEFT_MSG_LINK : WEFT_MSG_BUILD, request);
    const char *text = what ? what : weft_status_text(status);
    size_t length = strlen(text);
    bool has = again && *again, on_same_line = has && length && text[length - 1] != '\n';
    char *log = weft_format("%s%s%s", text, on_same_line ? " " : "", has ? again : "");
    weft_free(again);
    weft_free(what);
    return log;
}

// If the compiler runs out of memory, that isn't the application's lack of memory.
static weft_status build_status(weft_status status)
{
    return status == WEFT_NO_MEMORY ? WEFT_BUILD_FAILED : status;
}

static weft_status ask(struct weft_build_job *j, struct weft_build_part *part, enum weft_message type,
                       const struct weft_buf *request, struct weft_program_reply *reply, struct weft_buf *raw)
{
    uint8_t *payload;
    size_t size;
    char *why;
    const uint64_t since = weft_trace_begin();
    weft_status status =
        weft_compiler_ask(type, request, WEFT_MSG_PROGRAM, WEFT_COMPILE_NOW, &payload, &size, &why);
    if (status == WEFT_OK)
        status = weft_program_reply_get(reply, payload, size);
    if (since) {
        const weft_status made = status == WEFT_OK ? reply->status : status;
        weft_trace_end(WEFT_TRACE_BUILD, since, weft_trace_name(type == WEFT_MSG_LINK ? "link" : "front end"),
                       0, weft_trace_name(j->options), (uint64_t)(int64_t)made);
    }
    if (status != WEFT_OK) {
        weft_free(payload);
        // A lack of memory in this process can't be reproduced.
        part->log = end_line(status == WEFT_NO_MEMORY ? why : explain(j, status, why, request));
        return status;
    }
    *raw = (struct weft_buf){.data = payload, .size = size, .capacity = size};
    return WEFT_OK;
}

// Warns of kernels that have more local variables than these devices can have. All devices have the same
// processor. The compiler has already warned of kernels that no device could run. Returns the longer log;
// frees the old one.
static char *warn_of_local(const struct weft_program *p, const struct weft_program_object *made, char *log)
{
    const struct weft_device *d = p->devices[0];
    for (uint32_t i = 0; i < made->kernel_count; i++) {
        const struct weft_kernel_meta *k = &made->kernels[i];
        if (k->local_static_bytes > WEFT_LOCAL_MAX || weft_device_local_fits(d, k->local_static_bytes))
            continue;
        char *longer = weft_format("%swarning: kernel '%s' has %llu bytes of local variables, and the device "
                                   "%llu (CL_DEVICE_LOCAL_MEM_SIZE): its launches fail\n",
                                   log ? log : "", k->name, (unsigned long long)k->local_static_bytes,
                                   (unsigned long long)weft_device_local_mem(d));
        if (!longer)
            return log;
        weft_free(log);
        log = longer;
    }
    return log;
}

// request: the request that this is the answer to. Empty if the answer comes from the cache.
static weft_status take_reply(struct weft_build_job *j, struct weft_build_part *part,
                              struct weft_program_reply *reply, const struct weft_buf *request)
{
    weft_status status = build_status((weft_status)reply->status);
    part->log = begin_line(explain(j, (weft_status)reply->status, reply->log, request));
    reply->log = NULL;
    if (status == WEFT_OK) {
        part->log = warn_of_local(j->program, &reply->program, part->log);
        weft_compiler_check_processor(reply->program.target);
        // Link options control only the link. Code generation uses the options that the inputs were compiled
        // with.
        char *options = j->kind == WEFT_DO_LINK ? weft_strdup(reply->program.options) : NULL;
        part->made =
            j->kind == WEFT_DO_LINK && !options
                ? NULL
                : weft_build_create(&reply->program, options ? options : j->options, j->program->context);
        weft_free(options);
        if (!part->made)
            status = WEFT_NO_MEMORY;
    }
    weft_program_reply_fini(reply);
    return status;
}

// A guess: the words may be in comments.
static bool has_several_kernels(const char *source)
{
    enum { SEVERAL = 4 };
    static const char word[] = "kernel";
    unsigned count = 0;
    for (const char *at = source; count < SEVERAL && (at = strstr(at, word)); at += sizeof word - 1)
        count++;
    return count == SEVERAL;
}

// Writes the source and its headers to where a debugger, or `weft prof`, finds them. Returns the source's
// path, or NULL.
static char *write_source(const struct weft_build_job *j)
{
    const struct weft_program *p = j->program;
    if (!p->source || j->spirv)
        return NULL;
    struct weft_debug_file *files = weft_alloc_array((size_t)j->header_count + 1, sizeof *files);
    char *name = weft_debug_source_name(p->source), *path = NULL;
    if (files && name) {
        files[0] = (struct weft_debug_file){name, p->source, p->source_size};
        for (uint32_t i = 0; i < j->header_count; i++)
            files[i + 1] =
                (struct weft_debug_file){j->headers[i].name, j->headers[i].source, j->headers[i].size};
        path = weft_debug_write(files, (size_t)j->header_count + 1);
    }
    weft_free(files);
    weft_free(name);
    return path;
}

// What debug information names as the source: for a debugger its file, for the checker's reports a name only.
// The caller's; NULL: nothing, or no memory.
static char *debug_path(const struct weft_build_job *j)
{
    struct weft_build_options parsed = {0};
    const enum weft_option_use use = j->kind == WEFT_DO_COMPILE ? WEFT_OPTIONS_COMPILE : WEFT_OPTIONS_BUILD;
    char *path = NULL;
    if ((strstr(j->options, "-g") || strstr(j->options, "-weft-check")) &&
        weft_build_options_parse(&parsed, j->options, use, NULL) == WEFT_OK) {
        path = parsed.debug ? write_source(j) : NULL;
        if (!path && parsed.check && j->program->source && !j->spirv)
            path = weft_debug_source_name(j->program->source);
    }
    weft_build_options_fini(&parsed);
    return path;
}

static void tell_profile(const struct weft_build_job *j, const struct weft_build *made)
{
    char *path = write_source(j);
    for (uint32_t i = 0; path && i < made->kernel_count; i++)
        weft_profile_source(made->code[i].trace_name, path, j->options);
    weft_free(path);
}

// What weftc is asked for. For `weft prof` the bitcode has lines, so that what is counted has some, too.
static char *options_for(const struct weft_build_job *j)
{
    const bool lines = weft_profile_is_on() && !j->spirv;
    return weft_format("%s%s", j->options, lines ? " -weft-lines" : "");
}

weft_status weft_build_from_source(struct weft_build_job *j, struct weft_build_part *part)
{
    struct weft_program *p = j->program;
    char *directory = getcwd(NULL, 0), *options = WEFT_UNLIKELY(weft_profile_is_on()) ? options_for(j) : NULL;
    struct weft_build_request q = {.compile_only = j->kind == WEFT_DO_COMPILE,
                                   .spirv = j->spirv,
                                   .source = j->spirv ? j->spirv : p->source,
                                   .source_size = j->spirv ? j->spirv_size : p->source_size,
                                   .options = options ? options : j->options,
                                   .directory = directory ? directory : (char[]){"/"},
                                   .debug_path = debug_path(j),
                                   .header_count = j->header_count,
                                   .headers = j->headers};
    bool cached = weft_cache_enabled();
    struct request_keys keys = cached ? request_keys(&q) : (struct request_keys){0};
    struct weft_program_reply reply = {0};
    weft_status status = WEFT_OK;
    struct weft_buf request = {0};
    struct weft_cache_claim claim = {.kind = WEFT_CACHE_PROGRAM};
    bool hit = cached && find_program(&keys, &reply);
    if (cached && !hit && weft_cache_await(WEFT_CACHE_PROGRAM, keys.anywhere, &claim))
        hit = find_program(&keys, &reply);
    if (hit && weft_trace_is_on())
        weft_trace_point(WEFT_TRACE_CACHE_HIT, weft_trace_name("program from the cache"), 0,
                         weft_trace_name(j->options), 0);
    if (!hit) {
        struct weft_buf raw = {0};
        if (p->source && has_several_kernels(p->source))
            weft_compiler_prestart_second(); // the kernels' code will be requested when the front end is done
        weft_build_request_put(&request, &q);
        status = ask(j, part, WEFT_MSG_BUILD, &request, &reply, &raw);
        if (cached && status == WEFT_OK && reply.status == WEFT_OK && !reply.uses_time_macros)
            weft_cache_store(WEFT_CACHE_PROGRAM, holds_anywhere(&q, &reply) ? keys.anywhere : keys.here, &raw,
                             &claim);
        weft_cache_unclaim(&claim);
        weft_buf_free(&raw);
    }
    free(directory);
    weft_free(options);
    weft_free(q.debug_path);
    if (status == WEFT_OK)
        status = take_reply(j, part, &reply, &request);
    weft_buf_free(&request);
    if (WEFT_UNLIKELY(weft_profile_is_on()) && status == WEFT_OK)
        tell_profile(j, part->made);
    return status;
}

weft_status weft_build_by_linking(struct weft_build_job *j, struct weft_build_part *part)
{
    struct weft_link_request q = {
        .options = j->options, .create_library = j->create_library, .input_count = j->input_count};
    q.inputs = weft_alloc_array(j->input_count, sizeof *q.inputs);
    if (!q.inputs)
        return WEFT_NO_MEMORY;
    for (uint32_t i = 0; i < j->input_count; i++)
        q.inputs[i] = part->inputs[i]->object; // borrowed
    struct weft_buf request = {0}, raw = {0};
    weft_link_request_put(&request, &q);
    weft_free(q.inputs);
    struct weft_program_reply reply = {0};
    weft_status status = ask(j, part, WEFT_MSG_LINK, &request, &reply, &raw);
    weft_buf_free(&raw);
    if (status == WEFT_OK)
        status = take_reply(j, part, &reply, &request);
    weft_buf_free(&request);
    return status;
}
