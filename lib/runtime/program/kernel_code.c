// The code of one kernel: asked for, made, waited for. Mostly it is made twice: quickly
// for the first launch, and well, at the lowest priority, for a kernel that is launched again, or runs long.
// The second code takes over between two ranges of work-groups. States move NONE -> QUEUED under the build's
// lock, then COMPILING -> READY or FAILED by the job alone. A failure for want of what this process may have
// another time, memory or descriptors, is FAILED -> QUEUED again with the next request; better code and other
// forms, without which a launch can do, are tried again after a while. Nobody waits for code with a lock held,
// and a launch doesn't occupy a thread while it waits: it depends on a hidden user event.
#include "runtime/program/kernel_code.h"

#include <pthread.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/event.h"
#include "runtime/compiler/client.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/core/context.h"
#include "runtime/core/object.h"
#include "runtime/program/build_result.h"
#include "runtime/program/code_module.h"
#include "runtime/program/make_code.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/scheduler.h"
#include "weft/status.h"

#define MANY_ITEMS 32768u // work-items of a launch that make better code worth its making at once
#define AHEAD_NS \
    2000000000u // of making code that nobody has asked for, in all: some programs create hundreds of kernels and run five

struct weft_code_waiter {
    struct weft_code_waiter *next;
    struct weft_command *event; // a ref
};

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
    if (weft_code_asked_priority(c) > WEFT_COMPILE_LATER)
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
    struct weft_code_failure f = {0};
    uint64_t since = weft_time_now();
    weft_status status = weft_code_make(c, &f);
    if (status == WEFT_OK)
        note_made_ahead(c, since);
    weft_code_cut_line_end(f.log);
    if (status != WEFT_OK)
        weft_log(weft_code_failure_level(), "no code for kernel %s: %s", c->meta->name,
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

void weft_kernel_code_note_launch(struct weft_kernel_code *c, uint64_t items)
{
    note_used(c);
    // relaxed: a count, pairs with nothing.
    if (atomic_fetch_add_explicit(&c->launches, 1, memory_order_relaxed) > 0 || items >= MANY_ITEMS)
        weft_kernel_code_improve(c, WEFT_COMPILE_BETTER);
}

// ---- Beginning and end ----

// The jobs too: one may be raised by a thread while another is about to push it.
void weft_kernel_code_init(struct weft_kernel_code *c, struct weft_build *b,
                           const struct weft_kernel_meta *meta)
{
    c->meta = meta;
    c->build = b;
    c->job = (struct weft_compile_job){.run = code_run, .drop = code_drop};
    weft_better_code_init(c);
    for (size_t f = 0; f < WEFT_COUNT_OF(c->forms); f++) {
        c->forms[f].code = c;
        c->forms[f].form = WEFT_VARIANT_DIM + (uint32_t)f;
    }
    c->each_size = weft_config_uint(WEFT_CFG_VARIANT) == WEFT_VARIANTS;
    c->by_turns = weft_config_uint(WEFT_CFG_VARIANT) == WEFT_VARIANT_NARROW;
    c->waits = c->each_size || c->by_turns;
}

void weft_kernel_code_fini(struct weft_kernel_code *c)
{
    note_used(c); // what was made of released programs doesn't keep others' from being made
    weft_module_unload(c->modules[0]);
    weft_module_unload(c->modules[1]);
    for (size_t f = 0; f < WEFT_COUNT_OF(c->forms); f++)
        weft_module_unload(c->forms[f].module);
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

// An attempt to make better code is over, which may have failed for now.
static bool is_tried(void *arg)
{
    const struct weft_kernel_code *c = arg;
    return atomic_load(&c->better) != WEFT_BETTER_ASKED;
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
