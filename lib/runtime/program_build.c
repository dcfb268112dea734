// Building, compiling and linking: what the three have in common is an order that is checked against the
// program's state, carried out on this thread or (with a callback) on one of the compile queue's, and whose
// outcome becomes the program's state in one step. No lock is held while a compiler works or a callback runs.
// OpenCL 2.2 §5.8.4 and §5.8.5.
//
// The answer to a source is looked up in the disk cache first; its key is everything that the answer depends
// on, except for the file system: the entry names the files that were read with the hash of what they held, and
// those that were looked for in vain, since one that appears there would hide another. What depends on the file
// system depends on the current folder too, which is then in the key; whether it does is known with the answer
// only, so there are two places to look.
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "compiler_spawn.h"
#include "program.h"
#include "reproducer.h"
#include "weft/protocol.h"

#define MAX_DEPENDENCY_BYTES (64u << 20)

// An order as a job. Owns copies of everything that the application may free once its call has returned.
struct build_job {
    struct weft_compile_job job;
    enum weft_build_kind kind;
    struct weft_program *program; // a ref
    char *options;                // as given, with WEFT_BUILD_OPTIONS behind them
    void *spirv; // of a program from IL: the words, as they were specialized when the order came
    size_t spirv_size;
    struct weft_header *headers;
    uint32_t header_count;
    struct weft_build **inputs; // a ref each
    uint32_t input_count;
    struct weft_build *binary; // to be taken as it is: a ref
    bool create_library;
    weft_program_notify notify;
    void *user;
    // The outcome.
    struct weft_build *made; // a ref
    char *log;
    cl_int result;
};

static void job_free(struct build_job *j)
{
    if (!j)
        return;
    for (uint32_t i = 0; j->headers && i < j->header_count; i++) {
        weft_free(j->headers[i].name);
        weft_free(j->headers[i].source);
    }
    for (uint32_t i = 0; j->inputs && i < j->input_count; i++)
        weft_build_unref(j->inputs[i]);
    weft_free(j->headers);
    weft_free(j->inputs);
    weft_build_unref(j->binary);
    weft_build_unref(j->made);
    weft_free(j->options);
    weft_free(j->spirv);
    weft_free(j->log);
    if (j->program)
        weft_object_unref(&j->program->obj);
    weft_free(j);
}

static cl_int failure_code(enum weft_build_kind kind)
{
    return kind == WEFT_DO_BUILD     ? CL_BUILD_PROGRAM_FAILURE
           : kind == WEFT_DO_COMPILE ? CL_COMPILE_PROGRAM_FAILURE
                                     : CL_LINK_PROGRAM_FAILURE;
}

static cl_int options_code(enum weft_build_kind kind)
{
    return kind == WEFT_DO_BUILD     ? CL_INVALID_BUILD_OPTIONS
           : kind == WEFT_DO_COMPILE ? CL_INVALID_COMPILER_OPTIONS
                                     : CL_INVALID_LINKER_OPTIONS;
}

static cl_int code_of(weft_status s, enum weft_build_kind kind)
{
    return s == WEFT_OK                ? CL_SUCCESS
           : s == WEFT_NO_MEMORY       ? CL_OUT_OF_HOST_MEMORY
           : s == WEFT_INVALID_OPTIONS ? options_code(kind)
                                       : failure_code(kind);
}

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
    const uint32_t version = weft_cl_version();
    h = weft_hash_bytes(h, &version, sizeof version);
    h = weft_hash_str(h, q->options);
    h = weft_hash_bytes(h, q->source, q->source_size);
    for (uint32_t i = 0; i < q->header_count; i++) {
        h = weft_hash_str(h, q->headers[i].name);
        h = weft_hash_bytes(h, q->headers[i].source, q->headers[i].size);
    }
    return (struct request_keys){h, weft_hash_str(h, q->directory)};
}

static bool holds_anywhere(const struct weft_build_request *q, const struct weft_program_reply *reply)
{
    return reply->dependency_count == 0 && !strstr(q->options, "-g"); // debuggers are told the folder
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

// ---- Asking a compiler ----

// A log is read in a terminal. Both texts are the callee's.
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

// The log of a failure: what happened (the callee's) and, when it isn't the source's fault, how it can be
// seen again.
static char *explain(const struct build_job *j, weft_status status, char *what,
                     const struct weft_buf *request)
{
    const struct weft_program *p = j->program;
    if (!weft_reproducer_wanted(status))
        return what;
    // A person can read a source; where that is not all, the request is kept as it was.
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

// The compiler's want of memory isn't the application's.
static weft_status verdict(weft_status status)
{
    return status == WEFT_NO_MEMORY ? WEFT_BUILD_FAILED : status;
}

static weft_status ask(struct build_job *j, enum weft_message type, const struct weft_buf *request,
                       struct weft_program_reply *reply, struct weft_buf *raw)
{
    uint8_t *payload;
    size_t size;
    char *why;
    weft_status status =
        weft_compiler_ask(type, request, WEFT_MSG_PROGRAM, WEFT_COMPILE_NOW, &payload, &size, &why);
    if (status == WEFT_OK)
        status = weft_program_reply_get(reply, payload, size);
    if (status != WEFT_OK) {
        weft_free(payload);
        // This process's want of memory isn't to be seen again.
        j->log = end_line(status == WEFT_NO_MEMORY ? why : explain(j, status, why, request));
        return status;
    }
    *raw = (struct weft_buf){.data = payload, .size = size, .capacity = size};
    return WEFT_OK;
}

// Of kernels that have more local variables than this device takes; the compiler has warned of those that are too large for any.
static char *warn_of_local(const struct weft_program *p, const struct weft_program_object *made, char *log)
{
    const struct weft_device *d = p->devices[0];
    for (uint32_t i = 0; i < made->kernel_count; i++) {
        const struct weft_kernel_meta *k = &made->kernels[i];
        if (k->local_static_bytes > WEFT_LOCAL_MOST || weft_device_local_fits(d, k->local_static_bytes))
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

// request: what it answers, unless it comes from the cache.
static weft_status take_reply(struct build_job *j, struct weft_program_reply *reply,
                              const struct weft_buf *request)
{
    weft_status status = verdict((weft_status)reply->status);
    j->log = begin_line(explain(j, (weft_status)reply->status, reply->log, request));
    reply->log = NULL;
    if (status == WEFT_OK) {
        j->log = warn_of_local(j->program, &reply->program, j->log);
        weft_compiler_check_processor(reply->program.target);
        // Link options steer the link; code generation follows those that the inputs were compiled with.
        char *options = j->kind == WEFT_DO_LINK ? weft_strdup(reply->program.options) : NULL;
        j->made =
            j->kind == WEFT_DO_LINK && !options
                ? NULL
                : weft_build_create(&reply->program, options ? options : j->options, j->program->context);
        weft_free(options);
        if (!j->made)
            status = WEFT_NO_MEMORY;
    }
    weft_program_reply_fini(reply);
    return status;
}

// Perhaps: the words may stand in comments.
static bool has_several_kernels(const char *source)
{
    enum { SEVERAL = 4 };
    static const char word[] = "kernel";
    unsigned count = 0;
    for (const char *at = source; count < SEVERAL && (at = strstr(at, word)); at += sizeof word - 1)
        count++;
    return count == SEVERAL;
}

static weft_status make_from_source(struct build_job *j)
{
    struct weft_program *p = j->program;
    char *directory = getcwd(NULL, 0);
    struct weft_build_request q = {.compile_only = j->kind == WEFT_DO_COMPILE,
                                   .spirv = j->spirv,
                                   .source = j->spirv ? j->spirv : p->source,
                                   .source_size = j->spirv ? j->spirv_size : p->source_size,
                                   .options = j->options,
                                   .directory = directory ? directory : (char[]){"/"},
                                   .header_count = j->header_count,
                                   .headers = j->headers};
    bool cached = weft_cache_enabled();
    struct request_keys keys = cached ? request_keys(&q) : (struct request_keys){0};
    struct weft_program_reply reply = {0};
    weft_status status = WEFT_OK;
    struct weft_buf request = {0};
    if (!cached || (!find_cached(keys.anywhere, &reply) && !find_cached(keys.here, &reply))) {
        struct weft_buf raw = {0};
        if (p->source && has_several_kernels(p->source))
            weft_compiler_prestart_second(); // their code will be asked for when the front end has done its part
        weft_build_request_put(&request, &q);
        status = ask(j, WEFT_MSG_BUILD, &request, &reply, &raw);
        if (cached && status == WEFT_OK && reply.status == WEFT_OK && !reply.names_the_time)
            weft_cache_store(WEFT_CACHE_PROGRAM, holds_anywhere(&q, &reply) ? keys.anywhere : keys.here,
                             &raw);
        weft_buf_free(&raw);
    }
    free(directory);
    if (status == WEFT_OK)
        status = take_reply(j, &reply, &request);
    weft_buf_free(&request);
    return status;
}

static weft_status make_by_linking(struct build_job *j)
{
    struct weft_link_request q = {
        .options = j->options, .create_library = j->create_library, .input_count = j->input_count};
    q.inputs = weft_alloc_array(j->input_count, sizeof *q.inputs);
    if (!q.inputs)
        return WEFT_NO_MEMORY;
    for (uint32_t i = 0; i < j->input_count; i++)
        q.inputs[i] = j->inputs[i]->object; // borrowed
    struct weft_buf request = {0}, raw = {0};
    weft_link_request_put(&request, &q);
    weft_free(q.inputs);
    struct weft_program_reply reply = {0};
    weft_status status = ask(j, WEFT_MSG_LINK, &request, &reply, &raw);
    weft_buf_free(&raw);
    if (status == WEFT_OK)
        status = take_reply(j, &reply, &request);
    weft_buf_free(&request);
    return status;
}

// ---- Carrying out ----

static void publish(struct weft_compile_job *job)
{
    struct build_job *j = WEFT_CONTAINER_OF(job, struct build_job, job);
    struct weft_program *p = j->program;
    pthread_mutex_lock(&p->lock);
    p->build = j->made;
    if (p->build)
        weft_build_use(p->build);
    weft_build_unref(j->made);
    j->made = NULL;
    p->log = j->log;
    j->log = NULL;
    p->status = j->result == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    p->building = false;
    pthread_mutex_unlock(&p->lock);
}

// A binary needs no compiler for itself, but its kernels do: rather than that each launch fails for itself, the build does.
// One that has been started works on where its file can't be reached any more.
static weft_status check_compiler(struct build_job *j)
{
    const char *path = weft_compiler_path();
    if (!path || access(path, X_OK) == 0)
        return WEFT_OK;
    char text[128];
    const char *why = strerror_r(errno, text, sizeof text);
    char *target = weft_compiler_target();
    bool works = target != NULL;
    weft_free(target);
    if (works)
        return WEFT_OK;
    j->log = weft_format(
        "The compiler %s can't be started: %s. Kernels of a binary get their code from it.\n", path, why);
    return WEFT_NOT_FOUND;
}

static void carry_out(struct build_job *j)
{
    weft_status status = WEFT_OK;
    if (j->binary) {
        status = check_compiler(j);
        if (status == WEFT_OK) {
            j->made = j->binary;
            j->binary = NULL;
        }
    } else {
        status = j->kind == WEFT_DO_LINK ? make_by_linking(j) : make_from_source(j);
    }
    j->result = code_of(status, j->kind);
    // A source is to blame, or a sentence says what else is.
    bool theirs = status == WEFT_BUILD_FAILED || status == WEFT_LINK_FAILED;
    // A process that ends stops its compilers: no error.
    enum weft_log_level level = weft_compile_queue_is_ending() ? WEFT_LOG_DEBUG : WEFT_LOG_ERROR;
    if (status != WEFT_OK && j->log)
        weft_log(level, "%s%s%s", theirs ? weft_status_text(status) : "", theirs ? ": " : "", j->log);
    else if (status != WEFT_OK)
        weft_log(level, "%s", weft_status_text(status));
    weft_compile_queue_conclude(&j->job, publish);
}

static void job_run(struct weft_compile_job *job)
{
    struct build_job *j = WEFT_CONTAINER_OF(job, struct build_job, job);
    carry_out(j);
    WEFT_CALL_APPLICATION(j->notify((cl_program)j->program, j->user));
    job_free(j);
}

static void job_drop(struct weft_compile_job *job)
{
    job_free(WEFT_CONTAINER_OF(job, struct build_job, job)); // the callback isn't called: its process ends
}

// ---- Accepting an order ----

static weft_status copy_headers(struct build_job *j, const struct weft_build_order *o)
{
    j->headers = weft_alloc_array(o->header_count, sizeof *j->headers);
    if (!j->headers)
        return WEFT_NO_MEMORY;
    j->header_count = o->header_count;
    for (cl_uint i = 0; i < o->header_count; i++) {
        const struct weft_program *h = o->headers[i];
        j->headers[i].name = weft_strdup(o->header_names[i]);
        j->headers[i].source = weft_memdup(h->source ? h->source : "", h->source ? h->source_size + 1 : 1);
        j->headers[i].size = h->source ? h->source_size : 0;
        if (!j->headers[i].name || !j->headers[i].source)
            return WEFT_NO_MEMORY;
    }
    return WEFT_OK;
}

static bool is_linkable(const struct weft_build *b)
{
    return b && b->object.binary_type != WEFT_BINARY_EXECUTABLE;
}

// CL_INVALID_OPERATION when one of them isn't a compiled program or a library.
static cl_int take_inputs(struct build_job *j, const struct weft_build_order *o)
{
    j->inputs = weft_alloc_array(o->input_count, sizeof *j->inputs);
    if (!j->inputs)
        return CL_OUT_OF_HOST_MEMORY;
    j->input_count = o->input_count;
    for (cl_uint i = 0; i < o->input_count; i++) {
        j->inputs[i] = weft_program_current(o->inputs[i]);
        if (!is_linkable(j->inputs[i]))
            return weft_refuse_with(CL_INVALID_OPERATION,
                                    "input program %n is neither compiled nor a library", i);
    }
    return CL_SUCCESS;
}

// The build log says what is wrong with options, though no build begins: the program's status and code stay.
static void refuse_options(struct build_job *j, enum weft_option_use use, const char *given,
                           const char *reason)
{
    struct weft_build_options alone;
    bool ours = weft_build_options_parse(&alone, given, use, NULL) == WEFT_OK;
    if (ours)
        weft_build_options_fini(&alone);
    char *log = weft_format("error: %s%s\n", reason, ours ? " (from WEFT_BUILD_OPTIONS)" : "");
    struct weft_program *p = j->program;
    weft_context_report(p->context, "%s", reason);
    pthread_mutex_lock(&p->lock);
    if (log && !p->building) {
        char *old = p->log;
        p->log = log;
        log = old;
    }
    pthread_mutex_unlock(&p->lock);
    weft_free(log);
}

// given: without WEFT_BUILD_OPTIONS.
static cl_int check_options(struct build_job *j, const char *given)
{
    static const enum weft_option_use use[] = {[WEFT_DO_BUILD] = WEFT_OPTIONS_BUILD,
                                               [WEFT_DO_COMPILE] = WEFT_OPTIONS_COMPILE,
                                               [WEFT_DO_LINK] = WEFT_OPTIONS_LINK};
    struct weft_build_options parsed;
    char *reason = NULL;
    weft_status status = weft_build_options_parse(&parsed, j->options, use[j->kind], &reason);
    if (status == WEFT_OK) {
        j->create_library = parsed.create_library;
        weft_build_options_fini(&parsed);
    } else if (status == WEFT_INVALID_OPTIONS) {
        refuse_options(j, use[j->kind], given, reason ? reason : weft_status_text(status));
    }
    weft_free(reason);
    return code_of(status, j->kind);
}

// The module as it is now: constants that are set from here on are the next build's.
static cl_int copy_module(struct build_job *j)
{
    struct weft_program *p = j->program;
    pthread_mutex_lock(&p->lock);
    j->spirv_size = p->spirv.count * sizeof *p->spirv.words;
    j->spirv = weft_memdup(p->spirv.words, j->spirv_size);
    pthread_mutex_unlock(&p->lock);
    return j->spirv ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static cl_int prepare(struct build_job *j, const struct weft_build_order *o)
{
    const char *extra = weft_config_str(WEFT_CFG_EXTRA_OPTIONS), *given = o->options ? o->options : "";
    // What is appended is for sources; a link would refuse it.
    bool append = extra && o->kind != WEFT_DO_LINK;
    j->options = append ? weft_format("%s %s", given, extra) : weft_strdup(given);
    if (!j->options)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = check_options(j, given);
    if (!err && o->header_count && copy_headers(j, o) != WEFT_OK)
        err = CL_OUT_OF_HOST_MEMORY;
    if (!err && o->kind == WEFT_DO_LINK)
        err = take_inputs(j, o);
    else if (!err && j->program->il)
        err = copy_module(j);
    return err;
}

// What the program must be for this order.
static cl_int check_state_locked(const struct weft_program *p, enum weft_build_kind kind)
{
    if (p->building)
        return weft_refuse(CL_INVALID_OPERATION, "a build of the program is under way");
    if (atomic_load(&p->kernel_handles) > 0)
        return weft_refuse(CL_INVALID_OPERATION,
                           "the program has kernels that aren't released: it can't be built anew");
    if (kind == WEFT_DO_COMPILE && !p->source && !p->il)
        return weft_refuse(CL_INVALID_OPERATION, "the program has neither source nor intermediate language");
    if (kind == WEFT_DO_BUILD && !p->source && !p->il && !p->loaded) // made by clLinkProgram
        return weft_refuse(CL_INVALID_OPERATION,
                           "the program has neither source, nor intermediate language, nor a binary");
    return CL_SUCCESS;
}

static cl_int begin(struct build_job *j, const char *given)
{
    struct weft_program *p = j->program;
    char *options = weft_strdup(given ? given : "");
    if (!options)
        return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&p->lock);
    cl_int err = check_state_locked(p, j->kind);
    struct weft_build *old = NULL;
    if (!err) {
        if (j->kind == WEFT_DO_BUILD && p->loaded) {
            j->binary = p->loaded;
            weft_build_ref(j->binary);
        }
        old = p->build;
        p->build = NULL;
        weft_free(p->log);
        weft_free(p->told_log);
        p->log = p->told_log = NULL;
        char *old_options = p->options;
        p->options = options;
        options = old_options;
        p->status = CL_BUILD_IN_PROGRESS;
        p->building = true;
    }
    pthread_mutex_unlock(&p->lock);
    weft_build_disuse_here(old);
    weft_free(options);
    return err;
}

cl_int weft_program_build(const struct weft_build_order *o, bool *begun)
{
    WEFT_NOT_CANCELLED;
    *begun = false;
    struct build_job *j = weft_zalloc(sizeof *j);
    if (!j)
        return CL_OUT_OF_HOST_MEMORY;
    j->job.run = job_run;
    j->job.drop = job_drop;
    j->kind = o->kind;
    j->program = o->program;
    weft_object_ref(&j->program->obj);
    j->notify = o->notify;
    j->user = o->user;
    cl_int err = prepare(j, o);
    if (!err)
        err = begin(j, o->options);
    if (err) {
        job_free(j);
        return err;
    }
    *begun = true;
    if (j->notify) {
        weft_compile_queue_push(&j->job, WEFT_COMPILE_NOW);
        return CL_SUCCESS;
    }
    carry_out(j);
    err = j->result;
    job_free(j);
    return err;
}
