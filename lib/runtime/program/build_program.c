// Building, compiling and linking: what the three have in common is an order that is checked against the
// program's state, carried out on this thread or (with a callback) on one of the compile queue's, and whose
// outcome becomes the program's state in one step. No lock is held while a compiler works or a callback runs.
// OpenCL 2.2 §5.8.4 and §5.8.5.
//
// An order is for some of the program's devices, and orders for others may be under way meanwhile. Devices whose inputs are the same
// are one part of it, which is made once: a source is one part, links and binaries are as many as there are different inputs.
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

#include "runtime/compiler/disk_cache.h"
#include "runtime/compiler/spawn.h"
#include "runtime/program/program.h"
#include "runtime/compiler/reproducer.h"
#include "weft/protocol.h"

#define MAX_DEPENDENCY_BYTES (64u << 20)

// What is made once, for devices whose inputs are the same.
struct build_part {
    struct weft_build **inputs; // of a link, input_count: a ref each
    struct weft_build *binary;  // to be taken as it is: a ref
    // What comes of it.
    struct weft_outcome *outcome; // no ref: its places keep it until the order is concluded
    bool done;
    struct weft_build *made; // a ref
    char *log;
    cl_int result;
};

// A device of the program.
struct build_place {
    struct build_part *part;      // NULL: the order isn't for it
    struct weft_outcome *outcome; // to be put into its place; then the one that was there; a ref
};

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
    uint32_t input_count;
    bool create_library;
    weft_program_notify notify;
    void *user;
    struct build_place *places; // one for each of the program's devices
    struct build_part *parts;   // room for as many
    uint32_t part_count;
    cl_int result; // of the first part that failed
};

static void drop_outcomes(struct build_job *j)
{
    for (cl_uint i = 0; i < j->program->device_count; i++) {
        weft_outcome_unref(j->places[i].outcome, true);
        j->places[i].outcome = NULL;
    }
}

static void job_free(struct build_job *j)
{
    if (!j)
        return;
    for (uint32_t i = 0; j->headers && i < j->header_count; i++) {
        weft_free(j->headers[i].name);
        weft_free(j->headers[i].source);
    }
    for (uint32_t i = 0; i < j->part_count; i++) {
        struct build_part *part = &j->parts[i];
        for (uint32_t n = 0; part->inputs && n < j->input_count; n++)
            weft_build_unref(part->inputs[n]);
        weft_free(part->inputs);
        weft_build_unref(part->binary);
        weft_build_unref(part->made);
        weft_free(part->log);
    }
    if (j->places)
        drop_outcomes(j);
    weft_free(j->headers);
    weft_free(j->places);
    weft_free(j->parts);
    weft_free(j->options);
    weft_free(j->spirv);
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

static weft_status ask(struct build_job *j, struct build_part *part, enum weft_message type,
                       const struct weft_buf *request, struct weft_program_reply *reply, struct weft_buf *raw)
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
        part->log = end_line(status == WEFT_NO_MEMORY ? why : explain(j, status, why, request));
        return status;
    }
    *raw = (struct weft_buf){.data = payload, .size = size, .capacity = size};
    return WEFT_OK;
}

// Of kernels that have more local variables than these devices, which are of one processor, take; the compiler has warned of those that are too large for any.
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
static weft_status take_reply(struct build_job *j, struct build_part *part, struct weft_program_reply *reply,
                              const struct weft_buf *request)
{
    weft_status status = verdict((weft_status)reply->status);
    part->log = begin_line(explain(j, (weft_status)reply->status, reply->log, request));
    reply->log = NULL;
    if (status == WEFT_OK) {
        part->log = warn_of_local(j->program, &reply->program, part->log);
        weft_compiler_check_processor(reply->program.target);
        // Link options steer the link; code generation follows those that the inputs were compiled with.
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

static weft_status make_from_source(struct build_job *j, struct build_part *part)
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
        status = ask(j, part, WEFT_MSG_BUILD, &request, &reply, &raw);
        if (cached && status == WEFT_OK && reply.status == WEFT_OK && !reply.names_the_time)
            weft_cache_store(WEFT_CACHE_PROGRAM, holds_anywhere(&q, &reply) ? keys.anywhere : keys.here,
                             &raw);
        weft_buf_free(&raw);
    }
    free(directory);
    if (status == WEFT_OK)
        status = take_reply(j, part, &reply, &request);
    weft_buf_free(&request);
    return status;
}

static weft_status make_by_linking(struct build_job *j, struct build_part *part)
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

// ---- Carrying out ----

static void publish(struct weft_compile_job *job)
{
    struct build_job *j = WEFT_CONTAINER_OF(job, struct build_job, job);
    struct weft_program *p = j->program;
    pthread_mutex_lock(&p->lock);
    for (uint32_t i = 0; i < j->part_count; i++) {
        struct build_part *part = &j->parts[i];
        part->outcome->build = part->made;
        if (part->made)
            weft_build_use(part->made);
        weft_build_unref(part->made);
        part->made = NULL;
        part->outcome->log = part->log;
        part->log = NULL;
        part->outcome->status = part->result == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    }
    pthread_mutex_unlock(&p->lock);
}

// A binary needs no compiler for itself, but its kernels do: rather than that each launch fails for itself, the build does.
// One that has been started works on where its file can't be reached any more.
static weft_status check_compiler(struct build_part *part)
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
    part->log = weft_format(
        "The compiler %s can't be started: %s. Kernels of a binary get their code from it.\n", path, why);
    return WEFT_NOT_FOUND;
}

static void make_part(struct build_job *j, struct build_part *part)
{
    weft_status status = WEFT_OK;
    if (part->binary) {
        status = check_compiler(part);
        if (status == WEFT_OK) {
            weft_build_ref(part->binary);
            part->made = part->binary;
        }
    } else {
        status = j->kind == WEFT_DO_LINK ? make_by_linking(j, part) : make_from_source(j, part);
    }
    part->result = code_of(status, j->kind);
    // A source is to blame, or a sentence says what else is.
    bool theirs = status == WEFT_BUILD_FAILED || status == WEFT_LINK_FAILED;
    // A process that ends stops its compilers: no error.
    enum weft_log_level level = weft_compile_queue_is_ending() ? WEFT_LOG_DEBUG : WEFT_LOG_ERROR;
    // Who logs says that it is an error.
    const bool again = part->log && !theirs && strncmp(part->log, "error: ", 7) == 0;
    if (status != WEFT_OK && part->log)
        weft_log(level, "%s%s%s", theirs ? weft_status_text(status) : "", theirs ? ": " : "",
                 part->log + (again ? 7 : 0));
    else if (status != WEFT_OK)
        weft_log(level, "%s", weft_status_text(status));
    part->done = true;
}

static void carry_out(struct build_job *j)
{
    for (uint32_t i = 0; i < j->part_count; i++) {
        if (!j->parts[i].done) // else a fork's parent has made it
            make_part(j, &j->parts[i]);
        if (!j->result)
            j->result = j->parts[i].result;
    }
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

// The inputs' builds for the nth device of the program. *count: how many of the inputs have one.
static struct weft_build **inputs_for(const struct build_job *j, const struct weft_build_order *o,
                                      cl_uint nth, uint32_t *count)
{
    struct weft_build **inputs = weft_alloc_array(o->input_count, sizeof *inputs);
    *count = 0;
    for (cl_uint i = 0; inputs && i < o->input_count; i++) {
        inputs[i] = weft_program_current(o->inputs[i], j->program->devices[nth]);
        if (!is_linkable(inputs[i])) {
            weft_build_unref(inputs[i]);
            inputs[i] = NULL;
        }
        *count += inputs[i] != NULL;
    }
    return inputs;
}

static cl_uint first_missing(struct weft_build *const *inputs)
{
    cl_uint i = 0;
    while (inputs[i])
        i++;
    return i;
}

// The part of devices with these inputs, which it takes over.
static struct build_part *part_of_inputs(struct build_job *j, struct weft_build **inputs)
{
    for (uint32_t i = 0; i < j->part_count; i++) {
        if (memcmp(j->parts[i].inputs, inputs, j->input_count * sizeof *inputs) != 0)
            continue;
        for (uint32_t n = 0; n < j->input_count; n++)
            weft_build_unref(inputs[n]);
        weft_free(inputs);
        return &j->parts[i];
    }
    struct build_part *made = &j->parts[j->part_count++];
    made->inputs = inputs;
    return made;
}

// "All programs specified by input_programs contain a compiled binary or library for the device. In this case, a link is performed [...]
// None of the programs contain a compiled binary or library for that device. In this case, no link is performed and there will be no
// program executable generated for this device. All other cases will return a CL_INVALID_OPERATION error." So does a link for no device.
static cl_int divide_by_inputs(struct build_job *j, const struct weft_build_order *o)
{
    j->input_count = o->input_count;
    cl_uint missing = 0, bare = 0;
    for (cl_uint i = 0; i < j->program->device_count; i++) {
        uint32_t count;
        struct weft_build **inputs = inputs_for(j, o, i, &count);
        if (!inputs)
            return CL_OUT_OF_HOST_MEMORY;
        if (count == j->input_count) {
            j->places[i].part = part_of_inputs(j, inputs);
            continue;
        }
        missing = first_missing(inputs);
        bare = i;
        for (uint32_t n = 0; n < j->input_count; n++)
            weft_build_unref(inputs[n]);
        weft_free(inputs);
        if (count)
            return weft_refuse_with(CL_INVALID_OPERATION,
                                    "input program %n is neither compiled nor a library for device %n of the "
                                    "list, for which others are",
                                    missing, bare);
    }
    return j->part_count ? CL_SUCCESS
                         : weft_refuse_with(CL_INVALID_OPERATION,
                                            "input program %n is neither compiled nor a library", missing);
}

// Devices that were given equal binaries have the same build.
static struct build_part *part_of_binary(struct build_job *j, struct weft_build *binary)
{
    for (uint32_t i = 0; i < j->part_count; i++)
        if (j->parts[i].binary == binary)
            return &j->parts[i];
    struct build_part *made = &j->parts[j->part_count++];
    made->binary = binary;
    weft_build_ref(binary);
    return made;
}

static bool is_for(const struct weft_build_order *o, const struct weft_device *d)
{
    for (cl_uint i = 0; i < o->device_count; i++)
        if (o->devices[i] == d)
            return true;
    return o->device_count == 0;
}

static bool takes_binaries(const struct build_job *j)
{
    return j->kind == WEFT_DO_BUILD && j->program->places[0].loaded;
}

// Which devices it is for, each with its part; those of a link are found with its inputs.
static bool divide(struct build_job *j, const struct weft_build_order *o)
{
    const struct weft_program *p = j->program;
    j->places = weft_alloc_array(p->device_count, sizeof *j->places);
    j->parts = weft_alloc_array(p->device_count, sizeof *j->parts);
    if (!j->places || !j->parts)
        return false;
    if (j->kind != WEFT_DO_LINK && !takes_binaries(j))
        j->part_count = 1;
    for (cl_uint i = 0; j->kind != WEFT_DO_LINK && i < p->device_count; i++)
        if (is_for(o, p->devices[i]))
            j->places[i].part = takes_binaries(j) ? part_of_binary(j, p->places[i].loaded) : j->parts;
    return true;
}

// Another outcome that differs in its log alone, which it takes a copy of. NULL: no memory.
static struct weft_outcome *with_log(const struct weft_outcome *o, const char *log)
{
    struct weft_outcome *n =
        weft_outcome_create(o ? o->status : CL_BUILD_NONE, o && o->options ? o->options : "");
    if (!n)
        return NULL;
    n->build = o ? o->build : NULL;
    if (n->build)
        weft_build_use(n->build);
    n->log = weft_strdup(log);
    return n;
}

// The build log says what is wrong with options, though no build begins: the program's status and code stay.
static void refuse_options(struct build_job *j, enum weft_option_use use, const char *given,
                           const char *reason)
{
    struct weft_build_options alone;
    bool ours = weft_build_options_parse(&alone, given, use, NULL) == WEFT_OK;
    if (ours)
        weft_build_options_fini(&alone);
    const char *from = ours ? " (from WEFT_BUILD_OPTIONS)" : "";
    char *log = weft_format("error: %s%s\n", reason, from);
    struct weft_program *p = j->program;
    weft_context_report(p->context, "%s%s", reason, from);
    pthread_mutex_lock(&p->lock);
    for (cl_uint i = 0; log && i < p->device_count; i++) {
        struct weft_outcome *o = p->places[i].outcome;
        if (!j->places[i].part || (o && o->status == CL_BUILD_IN_PROGRESS))
            continue;
        struct weft_outcome *n = with_log(o, log);
        if (n) {
            p->places[i].outcome = n;
            j->places[i].outcome = o; // let go without the lock
        }
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
        err = divide_by_inputs(j, o);
    else if (!err && j->program->il)
        err = copy_module(j);
    return err;
}

// What the program must be for this order.
static cl_int check_state_locked(const struct build_job *j)
{
    const struct weft_program *p = j->program;
    for (cl_uint i = 0; i < p->device_count; i++)
        if (j->places[i].part && p->places[i].outcome && p->places[i].outcome->status == CL_BUILD_IN_PROGRESS)
            return weft_refuse(CL_INVALID_OPERATION, "a build of the program is under way");
    if (atomic_load(&p->kernel_handles) > 0)
        return weft_refuse(CL_INVALID_OPERATION,
                           "the program has kernels that aren't released: it can't be built anew");
    if (j->kind == WEFT_DO_COMPILE && !p->source && !p->il)
        return weft_refuse(CL_INVALID_OPERATION, "the program has neither source nor intermediate language");
    if (j->kind == WEFT_DO_BUILD && !p->source && !p->il && !takes_binaries(j)) // made by clLinkProgram
        return weft_refuse(CL_INVALID_OPERATION,
                           "the program has neither source, nor intermediate language, nor a binary");
    return CL_SUCCESS;
}

// A new outcome for each part, and a ref for each of its devices.
static bool make_outcomes(struct build_job *j, const char *given)
{
    for (cl_uint i = 0; i < j->program->device_count; i++) {
        struct build_place *place = &j->places[i];
        if (!place->part)
            continue;
        struct weft_outcome *o = place->part->outcome;
        if (o)
            atomic_fetch_add(&o->refs, 1);
        else
            o = place->part->outcome = weft_outcome_create(CL_BUILD_IN_PROGRESS, given ? given : "");
        place->outcome = o;
        if (!o)
            return false;
    }
    return true;
}

static cl_int begin(struct build_job *j, const char *given)
{
    struct weft_program *p = j->program;
    if (!make_outcomes(j, given))
        return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&p->lock);
    cl_int err = check_state_locked(j);
    for (cl_uint i = 0; !err && i < p->device_count; i++) {
        if (!j->places[i].part)
            continue;
        struct weft_outcome *old = p->places[i].outcome;
        p->places[i].outcome = j->places[i].outcome;
        j->places[i].outcome = old;
    }
    pthread_mutex_unlock(&p->lock);
    drop_outcomes(j);
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
    cl_int err = divide(j, o) ? prepare(j, o) : CL_OUT_OF_HOST_MEMORY;
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
