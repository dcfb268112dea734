// The code of one kernel: asked for, made once, waited for. States move NONE -> QUEUED under the build's
// lock, then COMPILING -> READY or FAILED by the job alone. Nobody waits for code with a lock held, and a
// launch doesn't occupy a thread while it waits: it depends on a hidden user event.
#include "cache.h"
#include "program.h"
#include "reproducer.h"
#include "weft/protocol.h"

struct weft_code_waiter {
    struct weft_code_waiter *next;
    struct weft_command *event; // a ref
};

// ---- Making ----

// What the code depends on. Kernels whose IR has the same hash share it, whatever program they are in.
static struct weft_hash code_key(const struct weft_kernel_code *c)
{
    const struct weft_build *b = c->build;
    struct weft_hash h = weft_hash_str(weft_cache_identity(), c->meta->name);
    uint64_t parts[] = {c->meta->hash_lo, c->meta->hash_hi, b->optimize_off, b->debug};
    h = weft_hash_bytes(h, parts, sizeof parts);
    if (!c->meta->hash_lo && !c->meta->hash_hi) { // weftc didn't say
        h = weft_hash_bytes(h, b->object.bitcode, b->object.bitcode_size);
        h = weft_hash_str(h, b->options);
    }
    return h;
}

// Takes *elf over on success.
static weft_status adopt(struct weft_kernel_code *c, uint8_t *elf, size_t size)
{
    weft_status status = weft_module_load(elf, size, c->meta->name, &c->module, &c->info);
    if (status != WEFT_OK)
        return status;
    c->elf = elf;
    c->elf_size = size;
    return WEFT_OK;
}

static bool adopt_from_binary(struct weft_kernel_code *c)
{
    if (!c->meta->code)
        return false;
    char *target = weft_compiler_target();
    bool same = target && strcmp(target, c->build->object.target) == 0;
    weft_free(target);
    uint8_t *copy = same ? weft_memdup(c->meta->code, c->meta->code_size) : NULL;
    if (!copy)
        return false;
    if (adopt(c, copy, c->meta->code_size) == WEFT_OK)
        return true;
    weft_free(copy);
    return false;
}

static bool adopt_from_cache(struct weft_kernel_code *c, struct weft_hash key)
{
    uint8_t *elf;
    size_t size;
    if (weft_cache_load(WEFT_CACHE_KERNEL, key, &elf, &size) != WEFT_OK)
        return false;
    if (adopt(c, elf, size) == WEFT_OK)
        return true;
    weft_free(elf);
    return false;
}

// A failure that isn't the kernel's: what happened (the callee's), and how it can be seen again.
static void explain(struct weft_kernel_code *c, char *what)
{
    char *again = weft_reproducer_sentence(c->build->object.bitcode, c->build->object.bitcode_size,
                                           c->meta->name, c->build->options);
    c->log = weft_format("%s %s", what ? what : "The compiler failed.", again ? again : "");
    weft_free(again);
    weft_free(what);
}

static weft_status compile(struct weft_kernel_code *c, struct weft_hash key)
{
    struct weft_buf request = {0};
    struct weft_kernel_request q = {.kernel = c->meta->name,
                                    .options = c->build->options,
                                    .vector_width = (uint32_t)weft_config_uint(WEFT_CFG_VF),
                                    .bitcode = c->build->object.bitcode,
                                    .bitcode_size = c->build->object.bitcode_size};
    weft_kernel_request_put(&request, &q);
    uint8_t *payload;
    size_t size;
    char *why;
    weft_status status = weft_compiler_ask(WEFT_MSG_KERNEL, &request, WEFT_MSG_KERNEL_CODE, c->job.priority,
                                           &payload, &size, &why);
    weft_buf_free(&request);
    if (status != WEFT_OK) {
        if (weft_reproducer_wanted(status) && status != WEFT_NO_MEMORY) // this process's memory
            explain(c, why);
        else
            c->log = why;
        return status;
    }
    struct weft_kernel_reply reply = {0};
    status = weft_kernel_reply_get(&reply, payload, size);
    weft_free(payload);
    if (status == WEFT_OK)
        status = (weft_status)reply.status;
    if (status != WEFT_OK) {
        if (weft_reproducer_wanted(status))
            explain(c, reply.log);
        else
            c->log = reply.log;
        reply.log = NULL;
    } else if ((status = adopt(c, reply.code, reply.code_size)) == WEFT_OK) {
        struct weft_buf copy = {0};
        if (weft_cache_enabled() && weft_buf_append(&copy, reply.code, reply.code_size))
            weft_cache_store(WEFT_CACHE_KERNEL, key, &copy);
        weft_buf_free(&copy);
        reply.code = NULL;
    }
    weft_kernel_reply_fini(&reply);
    return status;
}

static weft_status make(struct weft_kernel_code *c)
{
    if (adopt_from_binary(c))
        return WEFT_OK;
    struct weft_hash key = code_key(c);
    return adopt_from_cache(c, key) ? WEFT_OK : compile(c, key);
}

// ---- Telling ----

static void publish(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, job);
    pthread_mutex_lock(&c->build->lock);
    // release: pairs with the acquire in weft_kernel_code_is_final.
    atomic_store_explicit(&c->state, c->error == WEFT_OK ? WEFT_CODE_READY : WEFT_CODE_FAILED,
                          memory_order_release);
    pthread_mutex_unlock(&c->build->lock);
}

static void finish(struct weft_kernel_code *c, weft_status status)
{
    c->error = status;
    weft_compile_queue_conclude(&c->job, publish);
    pthread_mutex_lock(&c->build->lock);
    struct weft_code_waiter *w = c->waiters;
    c->waiters = NULL;
    pthread_mutex_unlock(&c->build->lock);
    weft_park_wake(&c->ready);
    if (weft_compile_queue_is_ending()) // the threads that would run the launches are gone, or going
        return;
    while (w) {
        struct weft_code_waiter *next = w->next;
        weft_command_set_user_status(w->event, CL_COMPLETE);
        weft_object_unref(&w->event->obj);
        weft_free(w);
        w = next;
    }
}

static void code_run(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, job);
    struct weft_build *b = c->build;
    atomic_store(&c->state, WEFT_CODE_COMPILING);
    weft_status status = make(c);
    if (status != WEFT_OK)
        weft_log(WEFT_LOG_ERROR, "no code for kernel %s: %s", c->meta->name,
                 c->log ? c->log : weft_status_text(status));
    finish(c, status);
    weft_build_unref(b);
}

// The process ends before the job began.
static void code_drop(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, job);
    struct weft_build *b = c->build;
    finish(c, WEFT_NO_RESOURCES);
    weft_build_unref(b);
}

// ---- Asking and waiting ----

void weft_kernel_code_request(struct weft_kernel_code *c, enum weft_compile_priority priority)
{
    if (weft_kernel_code_is_final(c))
        return;
    pthread_mutex_lock(&c->build->lock);
    bool first = atomic_load(&c->state) == WEFT_CODE_NONE;
    if (first) {
        atomic_store(&c->state, WEFT_CODE_QUEUED);
        c->job = (struct weft_compile_job){.run = code_run, .drop = code_drop};
        weft_build_ref(c->build); // the job's
    }
    pthread_mutex_unlock(&c->build->lock);
    if (first)
        weft_compile_queue_push(&c->job, priority);
    else
        weft_compile_queue_raise(&c->job, priority);
}

static bool is_final(void *arg)
{
    return weft_kernel_code_is_final(arg);
}

weft_status weft_kernel_code_wait(struct weft_kernel_code *c)
{
    weft_kernel_code_request(c, WEFT_COMPILE_NOW);
    weft_sched_wait(&c->ready, is_final, c);
    return c->error;
}

struct weft_command *weft_kernel_code_event(struct weft_kernel_code *c, struct weft_context *context)
{
    struct weft_code_waiter *w = weft_zalloc(sizeof *w);
    struct weft_command *event = w ? weft_command_create(context, NULL, CL_COMMAND_USER) : NULL;
    if (!event) {
        weft_free(w);
        return NULL;
    }
    w->event = event;
    weft_object_ref(&event->obj);
    pthread_mutex_lock(&c->build->lock);
    bool final = weft_kernel_code_is_final(c);
    if (!final) {
        w->next = c->waiters;
        c->waiters = w;
    }
    pthread_mutex_unlock(&c->build->lock);
    if (final) {
        weft_command_set_user_status(event, CL_COMPLETE);
        weft_object_unref(&event->obj);
        weft_free(w);
    }
    weft_kernel_code_request(c, WEFT_COMPILE_WANTED);
    return event;
}
