// The code of one kernel: asked for, made, waited for. Mostly it is made twice (DESIGN §8, tiers): quickly
// for the first launch, and well, at the lowest priority, for a kernel that is launched again, or runs long.
// The second code takes over between two ranges of work-groups. States move NONE -> QUEUED under the build's
// lock, then COMPILING -> READY or FAILED by the job alone. A failure for want of what this process may have
// another time, memory or descriptors, is FAILED -> QUEUED again with the next request; better code and other
// forms, without which a launch can do, are tried again after a while. Nobody waits for code with a lock held,
// and a launch doesn't occupy a thread while it waits: it depends on a hidden user event.
#include "runtime/compiler/disk_cache.h"
#include "runtime/program/kernel_variants.h"
#include "runtime/launch/ndrange.h"
#include "runtime/program/program.h"
#include "runtime/compiler/reproducer.h"
#include "weft/protocol.h"

#define MANY_ITEMS 32768u // work-items of a launch that make better code worth its making at once
#define AHEAD_NS \
    2000000000u // of making code that nobody has asked for, in all: some programs create hundreds of kernels and run five
#define RETRY_NS 250000000u // after a want of memory, before code that a launch can do without is tried again

struct weft_code_waiter {
    struct weft_code_waiter *next;
    struct weft_command *event; // a ref
};

// ---- Making ----

// Which of a kernel's codes.
struct order {
    bool quick;
    uint32_t form;                 // enum weft_form
    const uint32_t *group;         // as weft_kernel_request has it; NULL: any
    struct weft_kernel_form *into; // NULL: the kernel's own
};

static struct order own_code(bool quick)
{
    uint64_t form = weft_config_uint(WEFT_CFG_FORM);
    return (struct order){.quick = quick, .form = form < WEFT_FORMS ? (uint32_t)form : WEFT_FORM_ANY};
}

// What the code depends on. Kernels whose IR has the same hash share it, whatever program they are in.
static struct weft_hash code_key(const struct weft_kernel_code *c, const struct order *o)
{
    const struct weft_build *b = c->build;
    struct weft_hash h = weft_hash_str(weft_cache_identity(), c->meta->name);
    const uint32_t *required = c->meta->reqd_work_group_size;
    uint64_t parts[] = {c->meta->hash_lo, c->meta->hash_hi, b->optimize_off, b->debug,
                        b->relaxed,       o->quick,         o->form,         required[0],
                        required[1],      required[2],      b->zero_private};
    h = weft_hash_bytes(h, parts, sizeof parts);
    if (o->group)
        h = weft_hash_bytes(h, o->group, 3 * sizeof *o->group);
    if (!c->meta->hash_lo && !c->meta->hash_hi) { // weftc didn't say
        h = weft_hash_bytes(h, b->object.bitcode, b->object.bitcode_size);
        h = weft_hash_str(h, b->options);
    }
    return h;
}

// Takes *elf over on success. why: as weft_module_load's.
static weft_status adopt(struct weft_kernel_code *c, uint8_t *elf, size_t size, const struct order *o,
                         char **why)
{
    void *module;
    const struct weft_kernel_info *info;
    weft_status status = weft_module_load(elf, size, c->meta->name, &module, &info, why);
    if (status != WEFT_OK)
        return status;
    if (c->first && info->local_static_bytes != c->first->local_static_bytes) {
        weft_module_unload(module); // arguments of launches under way are laid out for the first code
        return WEFT_DAMAGED;
    }
    if (c->first)
        atomic_store_explicit(&c->cost, 0, memory_order_relaxed); // measured anew; pairs with nothing
    if (o->into) {
        o->into->module = module;
        // release: pairs with the acquire in weft_kernel_code_in_form. Scalar code is no use in forms with lanes.
        bool useful = info->vector_width > 1 || o->form == WEFT_FORM_ALONE;
        atomic_store_explicit(&o->into->info, useful ? info : NULL, memory_order_release);
        weft_free(elf);
        return WEFT_OK;
    }
    if (c->first) {
        c->modules[1] = module;
    } else {
        c->modules[0] = module;
        c->first = info;
    }
    // relaxed: a launch that doesn't see it yet tries nothing.
    atomic_store_explicit(&c->tries, info->doubtful || c->by_turns, memory_order_relaxed);
    // release: pairs with the acquire in weft_kernel_code_info.
    atomic_store_explicit(&c->info, info, memory_order_release);
    if (o->quick) {
        weft_free(elf);
    } else {
        c->elf = elf;
        c->elf_size = size;
    }
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
    struct order own = own_code(false);
    if (adopt(c, copy, c->meta->code_size, &own, NULL) == WEFT_OK)
        return true;
    weft_free(copy);
    return false;
}

static bool adopt_from_cache(struct weft_kernel_code *c, const struct order *o)
{
    uint8_t *elf;
    size_t size;
    if (!weft_cache_enabled() || weft_cache_load(WEFT_CACHE_KERNEL, code_key(c, o), &elf, &size) != WEFT_OK)
        return false;
    if (adopt(c, elf, size, o, NULL) == WEFT_OK)
        return true;
    weft_free(elf);
    return false;
}

// Those who tell it end the line themselves. The text is the callee's.
static char *cut_line_end(char *text)
{
    for (size_t n = text ? strlen(text) : 0; n && (text[n - 1] == '\n' || text[n - 1] == ' '); n--)
        text[n - 1] = '\0';
    return text;
}

// A failure that isn't the kernel's: what happened (the callee's), and how it can be seen again. The
// caller's.
static char *explain(struct weft_kernel_code *c, char *what)
{
    char *again = weft_reproducer_sentence(c->build->object.bitcode, c->build->object.bitcode_size,
                                           c->meta->name, c->build->options);
    char *log = weft_format("%s %s", what ? cut_line_end(what) : "The compiler failed.", again ? again : "");
    weft_free(again);
    weft_free(what);
    return log;
}

struct failure {
    char *log;    // the caller's; it may be NULL
    bool passing; // this process wanted for memory or the like: no fault of the kernel's
};

static bool is_want(weft_status status)
{
    return status == WEFT_NO_MEMORY || status == WEFT_NO_RESOURCES;
}

// Asks a compiler and, when it dies, another one: what killed the first, as a want of memory of the machine's, may have passed.
static weft_status ask_twice(struct weft_kernel_code *c, const struct weft_buf *request,
                             enum weft_compile_priority priority, uint8_t **payload, size_t *size, char **why)
{
    weft_status status =
        weft_compiler_ask(WEFT_MSG_KERNEL, request, WEFT_MSG_KERNEL_CODE, priority, payload, size, why);
    if (status != WEFT_CRASHED || weft_compile_queue_is_ending())
        return status;
    weft_log(WEFT_LOG_WARN, "code for kernel %s is tried once more: %s", c->meta->name, *why ? *why : "");
    weft_free(*why);
    status = weft_compiler_ask(WEFT_MSG_KERNEL, request, WEFT_MSG_KERNEL_CODE, priority, payload, size, why);
    if (status == WEFT_CRASHED) {
        char *both =
            weft_format("%s That was the second attempt.", *why ? *why : "The compiler ended unexpectedly.");
        weft_free(*why);
        *why = both;
    }
    return status;
}

static weft_status compile(struct weft_kernel_code *c, const struct order *o,
                           enum weft_compile_priority priority, struct failure *f)
{
    struct weft_buf request = {0};
    struct weft_kernel_request q = {.kernel = c->meta->name,
                                    .options = c->build->options,
                                    .vector_width = (uint32_t)weft_config_uint(WEFT_CFG_VF),
                                    .quick = o->quick,
                                    .form = o->form,
                                    .bitcode = c->build->object.bitcode,
                                    .bitcode_size = c->build->object.bitcode_size};
    if (o->group)
        memcpy(q.group, o->group, sizeof q.group);
    weft_kernel_request_put(&request, &q);
    uint8_t *payload;
    size_t size;
    char *why;
    uint64_t since = weft_time_now();
    weft_status status = ask_twice(c, &request, priority, &payload, &size, &why);
    weft_buf_free(&request);
    // relaxed: a hint. The time waited for a compiler is in it.
    if (!o->quick)
        atomic_store_explicit(&c->better_ms, (uint32_t)((weft_time_now() - since) / 1000000),
                              memory_order_relaxed);
    f->passing = is_want(status);
    if (status != WEFT_OK && weft_compile_queue_is_ending()) {
        f->log = why; // the compiler was told to end: nothing is wrong with the kernel
        return WEFT_NO_RESOURCES;
    }
    if (status != WEFT_OK) {
        bool wanted = weft_reproducer_wanted(status) && status != WEFT_NO_MEMORY; // this process's memory
        f->log = wanted ? explain(c, why) : why;
        return status;
    }
    struct weft_kernel_reply reply = {0};
    status = weft_kernel_reply_get(&reply, payload, size);
    weft_free(payload);
    f->passing = is_want(status);
    if (status == WEFT_OK)
        status = (weft_status)reply.status; // a want of weftc's comes again
    if (status != WEFT_OK) {
        f->log = weft_reproducer_wanted(status) ? explain(c, reply.log) : reply.log;
        reply.log = NULL;
    } else {
        struct weft_buf copy = {0};
        if (weft_cache_enabled())
            weft_buf_append(&copy, reply.code, reply.code_size);
        status = adopt(c, reply.code, reply.code_size, o, &f->log);
        f->passing = is_want(status);
        if (status == WEFT_OK) {
            reply.code = NULL;
            if (copy.size)
                weft_cache_store(WEFT_CACHE_KERNEL, code_key(c, o), &copy);
        }
        weft_buf_free(&copy);
    }
    weft_kernel_reply_fini(&reply);
    return status == WEFT_IO ? WEFT_NO_RESOURCES : status; // no place for code isn't the program's fault
}

// A process that ends stops its compilers: no error.
static enum weft_log_level failure_level(void)
{
    return weft_compile_queue_is_ending() ? WEFT_LOG_DEBUG : WEFT_LOG_ERROR;
}

// Of a program that was built elsewhere nobody has heard yet.
static void check_processor(void)
{
    char *target = weft_config_str(WEFT_CFG_CPU) ? weft_compiler_target() : NULL;
    weft_compiler_check_processor(target);
    weft_free(target);
}

static enum weft_compile_priority asked_priority(struct weft_kernel_code *c)
{
    pthread_mutex_lock(&c->build->lock);
    enum weft_compile_priority asked = c->asked;
    pthread_mutex_unlock(&c->build->lock);
    return asked;
}

static weft_status make(struct weft_kernel_code *c, struct failure *f)
{
    check_processor();
    struct order full = own_code(false), first = own_code(c->build->quick_first);
    if (adopt_from_binary(c) || adopt_from_cache(c, &full))
        return WEFT_OK;
    weft_status status = WEFT_OK;
    if (!first.quick || !adopt_from_cache(c, &first))
        status = compile(c, &first, asked_priority(c), f);
    if (status == WEFT_OK && first.quick && c->build->better_then)
        atomic_store(&c->better, WEFT_BETTER_POSSIBLE);
    return status;
}

// ---- Telling ----

static void publish(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, job);
    pthread_mutex_lock(&c->build->lock);
    // release: pairs with the acquire in weft_kernel_code_is_final.
    atomic_store_explicit(&c->state, atomic_load(&c->error) == WEFT_OK ? WEFT_CODE_READY : WEFT_CODE_FAILED,
                          memory_order_release);
    // With the state, or a launch would fail for good because of what passes. Who waits for another attempt isn't among those who are
    // told of this one.
    c->again = c->passing;
    struct weft_code_waiter **end = &c->told;
    while (*end)
        end = &(*end)->next;
    *end = c->waiters;
    c->waiters = NULL;
    pthread_mutex_unlock(&c->build->lock);
}

static void finish(struct weft_kernel_code *c, weft_status status, bool passing)
{
    atomic_store(&c->error, status);
    c->passing = passing; // no other attempt begins before this one is published
    weft_compile_queue_conclude(&c->job, publish);
    pthread_mutex_lock(&c->build->lock);
    struct weft_code_waiter *w = c->told;
    c->told = NULL;
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

// ---- Ahead of need ----

static _Atomic uint64_t
    ahead_ns; // what has been spent on code that wasn't launched yet. relaxed: a sum, pairs with nothing

// As if it had never been asked for, unless somebody has begun to wait.
static bool publish_put_off(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, job);
    pthread_mutex_lock(&c->build->lock);
    bool off = c->asked <= WEFT_COMPILE_LATER;
    if (off)
        atomic_store(&c->state, WEFT_CODE_NONE);
    pthread_mutex_unlock(&c->build->lock);
    return off;
}

// Is the code not to be made now, because enough has been made that nobody launched? The job is concluded then.
static bool is_put_off(struct weft_kernel_code *c)
{
    return c->job.priority <= WEFT_COMPILE_LATER &&
           atomic_load_explicit(&ahead_ns, memory_order_relaxed) >= AHEAD_NS &&
           weft_compile_queue_give_up(&c->job, publish_put_off);
}

// The time waited for a compiler is in it.
static void note_made_ahead(struct weft_kernel_code *c, uint64_t since)
{
    uint64_t took = weft_time_now() - since;
    if (asked_priority(c) > WEFT_COMPILE_LATER)
        return;
    atomic_fetch_add_explicit(&ahead_ns, took, memory_order_relaxed);
    atomic_store_explicit(&c->ahead_ns, took, memory_order_relaxed);
}

static void note_used(struct weft_kernel_code *c)
{
    if (atomic_load_explicit(&c->ahead_ns, memory_order_relaxed))
        atomic_fetch_sub_explicit(&ahead_ns, atomic_exchange_explicit(&c->ahead_ns, 0, memory_order_relaxed),
                                  memory_order_relaxed);
}

static void code_run(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, job);
    struct weft_build *b = c->build;
    if (is_put_off(c)) {
        weft_build_unref(b);
        return;
    }
    atomic_store(&c->state, WEFT_CODE_COMPILING);
    struct failure f = {0};
    uint64_t since = weft_time_now();
    weft_status status = make(c, &f);
    if (status == WEFT_OK)
        note_made_ahead(c, since);
    cut_line_end(f.log);
    if (status != WEFT_OK)
        weft_log(failure_level(), "no code for kernel %s: %s", c->meta->name,
                 f.log ? f.log : weft_status_text(status));
    if (f.passing)
        weft_free(f.log);
    else
        atomic_store(&c->log, f.log);
    finish(c, status, f.passing);
    if (atomic_load(&c->better_wanted))
        weft_kernel_code_improve(c, WEFT_COMPILE_BETTER);
    weft_build_unref(b);
}

// The process ends before the job began.
static void code_drop(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, job);
    struct weft_build *b = c->build;
    finish(c, WEFT_NO_RESOURCES, false);
    weft_build_unref(b);
}

// ---- Better code ----

static void publish_better(struct weft_compile_job *j)
{
    atomic_store(&WEFT_CONTAINER_OF(j, struct weft_kernel_code, better_job)->better, WEFT_BETTER_DONE);
}

static void publish_no_better_yet(struct weft_compile_job *j)
{
    atomic_store(&WEFT_CONTAINER_OF(j, struct weft_kernel_code, better_job)->better, WEFT_BETTER_POSSIBLE);
}

// relaxed, as in is_too_early: a time, which pairs with nothing.
static void retry_later(struct weft_kernel_code *c)
{
    atomic_store_explicit(&c->retry_at, weft_time_now() + RETRY_NS, memory_order_relaxed);
}

static bool is_too_early(const struct weft_kernel_code *c)
{
    uint64_t at = atomic_load_explicit(&c->retry_at, memory_order_relaxed);
    return at && weft_time_now() < at;
}

static void finish_better(struct weft_kernel_code *c, bool passing)
{
    struct weft_build *b = c->build;
    if (passing)
        retry_later(c);
    weft_compile_queue_conclude(&c->better_job, passing ? publish_no_better_yet : publish_better);
    weft_park_wake(&c->ready);
    weft_build_unref(b); // the job's
}

static void better_run(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = WEFT_CONTAINER_OF(j, struct weft_kernel_code, better_job);
    struct failure f = {0};
    struct order full = own_code(false);
    if (!adopt_from_cache(c, &full)) {
        weft_status status = compile(c, &full, j->priority, &f);
        if (status != WEFT_OK)
            weft_log(failure_level(), "no better code for kernel %s, which goes on with what it has: %s",
                     c->meta->name, f.log ? f.log : weft_status_text(status));
    }
    weft_free(f.log);
    finish_better(c, f.passing);
}

static void better_drop(struct weft_compile_job *j)
{
    finish_better(WEFT_CONTAINER_OF(j, struct weft_kernel_code, better_job), false);
}

void weft_kernel_code_improve(struct weft_kernel_code *c, enum weft_compile_priority priority)
{
    // Either this sees that there is quick code, or who made that sees the wish.
    atomic_store(&c->better_wanted, true);
    uint32_t possible = WEFT_BETTER_POSSIBLE;
    if (weft_compile_queue_is_ending()) // nobody will run it
        return;
    if (priority == WEFT_COMPILE_BETTER && is_too_early(c))
        return;
    if (atomic_compare_exchange_strong(&c->better, &possible, WEFT_BETTER_ASKED)) {
        weft_build_ref(c->build); // the job's
        weft_compile_queue_push(&c->better_job, priority);
    }
}

void weft_kernel_code_note_launch(struct weft_kernel_code *c, uint64_t items)
{
    note_used(c);
    // relaxed: a count, pairs with nothing.
    if (atomic_fetch_add_explicit(&c->launches, 1, memory_order_relaxed) > 0 || items >= MANY_ITEMS)
        weft_kernel_code_improve(c, WEFT_COMPILE_BETTER);
}

// ---- Other forms ----

bool weft_kernel_code_is_best(const struct weft_kernel_code *c)
{
    uint32_t better = atomic_load(&c->better);
    return better == WEFT_BETTER_NONE || better == WEFT_BETTER_DONE;
}

// An attempt to make better code is over, which may have failed for now.
static bool is_tried(void *arg)
{
    const struct weft_kernel_code *c = arg;
    return atomic_load(&c->better) != WEFT_BETTER_ASKED;
}

static void publish_form(struct weft_compile_job *j)
{
    atomic_store(&WEFT_CONTAINER_OF(j, struct weft_kernel_form, job)->done, true);
}

static void publish_no_form_yet(struct weft_compile_job *j)
{
    struct weft_kernel_form *f = WEFT_CONTAINER_OF(j, struct weft_kernel_form, job);
    // release: pairs with the acquire in weft_kernel_form_ask, which fills the job anew.
    atomic_store_explicit(&f->asked, false, memory_order_release);
}

static void form_run(struct weft_compile_job *j)
{
    struct weft_kernel_form *f = WEFT_CONTAINER_OF(j, struct weft_kernel_form, job);
    struct weft_kernel_code *c = f->code;
    struct order o = {.form = f->form, .group = f->group[0] ? f->group : NULL, .into = f};
    struct failure failure = {0};
    weft_status status = adopt_from_cache(c, &o) ? WEFT_OK : compile(c, &o, j->priority, &failure);
    if (status != WEFT_OK)
        weft_log(failure_level(), "no code in form %u for kernel %s, which goes on without: %s", o.form,
                 c->meta->name, failure.log ? failure.log : weft_status_text(status));
    weft_free(failure.log);
    if (failure.passing)
        retry_later(c);
    weft_compile_queue_conclude(j, failure.passing ? publish_no_form_yet : publish_form);
    weft_park_wake(&c->ready);
    weft_build_unref(c->build); // the job's
}

static void form_drop(struct weft_compile_job *j)
{
    publish_form(j);
    weft_park_wake(&WEFT_CONTAINER_OF(j, struct weft_kernel_form, job)->code->ready);
    weft_build_unref(WEFT_CONTAINER_OF(j, struct weft_kernel_form, job)->code->build);
}

void weft_kernel_form_ask(struct weft_kernel_form *f)
{
    struct weft_kernel_code *c = f->code;
    bool fixed = weft_config_uint(WEFT_CFG_FORM) && !(f->group[0] && c->each_size) &&
                 !((f->form == WEFT_FORM_EAGER || f->form == WEFT_FORM_ALONE) && c->by_turns);
    if (!weft_kernel_code_is_best(c) || c->build->optimize_off || fixed || is_too_early(c) ||
        weft_compile_queue_is_ending() || atomic_exchange(&f->asked, true))
        return;
    f->job = (struct weft_compile_job){.run = form_run, .drop = form_drop};
    weft_build_ref(c->build); // the job's
    weft_compile_queue_push(&f->job, WEFT_COMPILE_BETTER);
}

static bool is_made(void *form)
{
    const struct weft_kernel_form *f = form;
    return atomic_load(&f->done) || !atomic_load(&f->asked);
}

void weft_kernel_form_wait(struct weft_kernel_form *f)
{
    if (!atomic_load(&f->asked))
        weft_kernel_form_ask(f);
    else // a job that was under way in the parent of a forked process is nobody's
        weft_compile_queue_raise(&f->job, WEFT_COMPILE_NOW);
    weft_sched_wait(&f->code->ready, is_made, f);
}

const struct weft_kernel_info *weft_kernel_code_in_form(struct weft_kernel_code *c, uint32_t form)
{
    struct weft_kernel_form *f = &c->forms[form - WEFT_FORM_ROWS];
    // acquire: pairs with the release in adopt.
    const struct weft_kernel_info *i = atomic_load_explicit(&f->info, memory_order_acquire);
    // relaxed: spares work; the exchange decides.
    if (WEFT_UNLIKELY(!i && !atomic_load_explicit(&f->asked, memory_order_relaxed)))
        weft_kernel_form_ask(f);
    return i;
}

// ---- Beginning and end ----

// The jobs too: one may be raised by a thread while another is about to push it.
void weft_kernel_code_init(struct weft_kernel_code *c, struct weft_build *b,
                           const struct weft_kernel_meta *meta)
{
    c->meta = meta;
    c->build = b;
    c->job = (struct weft_compile_job){.run = code_run, .drop = code_drop};
    c->better_job = (struct weft_compile_job){.run = better_run, .drop = better_drop};
    for (size_t f = 0; f < WEFT_COUNT_OF(c->forms); f++) {
        c->forms[f].code = c;
        c->forms[f].form = WEFT_FORM_ROWS + (uint32_t)f;
    }
    c->each_size = weft_config_uint(WEFT_CFG_FORM) == WEFT_FORMS;
    c->by_turns = weft_config_uint(WEFT_CFG_FORM) == WEFT_FORM_EAGER;
    c->waits = c->each_size || c->by_turns;
}

void weft_kernel_code_fini(struct weft_kernel_code *c)
{
    note_used(c); // what was made of released programs doesn't keep others' from being made
    weft_module_unload(c->modules[0]);
    weft_module_unload(c->modules[1]);
    for (size_t f = 0; f < WEFT_COUNT_OF(c->forms); f++)
        weft_module_unload(c->forms[f].module);
    weft_kernel_sized_fini(c);
    weft_kernel_trial_fini(c);
    weft_free(c->elf);
    weft_free(c->log);
}

// ---- Asking and waiting ----

// What a kernel will enqueue it wants at once. Any of the program's blocks may be it.
static void request_blocks(struct weft_build *b)
{
    for (uint32_t i = 0; i < b->kernel_count; i++)
        if (b->code[i].meta->block)
            weft_kernel_code_request(&b->code[i], WEFT_COMPILE_LATER);
}

void weft_kernel_code_request(struct weft_kernel_code *c, enum weft_compile_priority priority)
{
    // acquire: pairs with the release in publish.
    if (WEFT_LIKELY(atomic_load_explicit(&c->state, memory_order_acquire) == WEFT_CODE_READY))
        return;
    bool ending = weft_compile_queue_is_ending();
    pthread_mutex_lock(&c->build->lock);
    uint32_t state = atomic_load(&c->state);
    bool first = state == WEFT_CODE_NONE, again = state == WEFT_CODE_FAILED && c->again && !ending;
    if (first || again || c->asked < priority)
        c->asked = priority;
    if (first || again) {
        atomic_store(&c->state, WEFT_CODE_QUEUED);
        c->again = false;
        weft_build_ref(c->build); // the job's
    }
    pthread_mutex_unlock(&c->build->lock);
    if (!first && !again && state == WEFT_CODE_FAILED)
        return;
    if (first || again)
        weft_compile_queue_push(&c->job, priority);
    if (first && WEFT_UNLIKELY(c->meta->enqueues))
        request_blocks(c->build);
    if (!first && !again)
        weft_compile_queue_raise(&c->job, priority);
}

bool weft_kernel_code_has_failed(struct weft_kernel_code *c)
{
    pthread_mutex_lock(&c->build->lock);
    bool failed = atomic_load(&c->state) == WEFT_CODE_FAILED && !c->again;
    pthread_mutex_unlock(&c->build->lock);
    return failed;
}

static bool is_final(void *arg)
{
    return weft_kernel_code_is_final(arg);
}

weft_status weft_kernel_code_wait(struct weft_kernel_code *c)
{
    weft_kernel_code_request(c, WEFT_COMPILE_NOW);
    weft_sched_wait(&c->ready, is_final, c);
    return atomic_load(&c->error);
}

weft_status weft_kernel_code_wait_best(struct weft_kernel_code *c)
{
    weft_status status = weft_kernel_code_wait(c);
    if (status == WEFT_OK && !weft_kernel_code_is_best(c) && !weft_compile_queue_is_ending()) {
        weft_kernel_code_improve(c, WEFT_COMPILE_NOW);
        weft_compile_queue_raise(&c->better_job, WEFT_COMPILE_NOW);
        weft_sched_wait(&c->ready, is_tried, c);
    }
    return status;
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
    weft_kernel_code_request(c, WEFT_COMPILE_WANTED); // first: a failure may be forgotten by it
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
    return event;
}
