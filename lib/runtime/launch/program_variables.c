// The program-scope variables of a build (OpenCL C 3.0 §6.7.1). Each device has a block of memory for them.
// It is created and filled when a kernel is first enqueued there, and lives as long as the build. All code of
// all kernels, of whatever variant, gets the block's address with each range of work-groups. The list of
// blocks is under the build's lock; blocks never move.
// Kernels that initialize variables (OpenCL 2.2 §3.2.1; initializers of SPIR-V, constructors of C++ for
// OpenCL) run before another kernel is first enqueued on the device, in a queue of their own. That enqueue
// waits for them, and so do others that come meanwhile. Finalizers run on the same devices, when no program,
// kernel or launch uses the build any more.
#include "runtime/launch/program_variables.h"

#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/event.h"
#include "runtime/command/queue.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/object.h"
#include "runtime/launch/ndrange.h"
#include "runtime/memory/storage.h"
#include "runtime/code/build_result.h"
#include "runtime/program/kernel.h"
#include "runtime/code/kernel_code.h"
#include "runtime/program/program.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"

struct weft_variables {
    struct weft_variables *next;
    struct weft_device *device; // a reference, so that its address isn't reused
    void *memory;               // from weft_storage_zalloc
    size_t bytes;
    unsigned char *block;      // aligned, within memory
    pthread_mutex_t init_lock; // held by the thread that initializes; guards the following members
    uint32_t kernel;           // the initializers among the build's kernels with lower indexes have been run
    bool initialized;
    cl_int error;                 // of the initialization
    struct weft_context *context; // set after initialization if there are finalizers; a reference
    uint32_t forks;               // value of weft_forks at that time
};

static void fill(const struct weft_program_object *o, unsigned char *block)
{
    if (o->variables_size)
        memcpy(block, o->variables, o->variables_size);
    for (uint32_t i = 0; i < o->variable_pointer_count; i++) {
        unsigned char *at = block + o->variable_pointers[i];
        uint64_t pointer;
        memcpy(&pointer, at, sizeof pointer);
        pointer += (uintptr_t)block;
        memcpy(at, &pointer, sizeof pointer);
    }
}

static struct weft_variables *make(const struct weft_program_object *o, struct weft_device *d)
{
    struct weft_variables *v = weft_zalloc(sizeof *v);
    size_t bytes;
    if (v && weft_add_size((size_t)o->global_variable_bytes, WEFT_VARIABLES_ALIGN, &bytes))
        v->memory = weft_storage_zalloc(bytes);
    if (!v || !v->memory) {
        weft_free(v);
        return NULL;
    }
    pthread_mutex_init(&v->init_lock, NULL);
    weft_object_ref(&d->obj);
    v->device = d;
    v->bytes = bytes;
    uintptr_t at = ((uintptr_t)v->memory + WEFT_VARIABLES_ALIGN - 1) & ~(uintptr_t)(WEFT_VARIABLES_ALIGN - 1);
    v->block = (unsigned char *)v->memory + (at - (uintptr_t)v->memory);
    fill(o, v->block);
    return v;
}

// Runs one work-item of the kernel and waits for it. *began: it may have written variables, so it must not be
// run again.
static cl_int run(struct weft_queue *q, struct weft_program *p, struct weft_kernel_code *code, bool *began)
{
    const size_t one = 1;
    cl_event event = NULL;
    *began = false;
    struct weft_kernel *k;
    cl_int err = weft_kernel_create(p, &code->build, code, &k);
    if (!err) {
        weft_object_ref(&q->obj); // the launch takes it unless it fails
        err = weft_ndrange_enqueue(q, k, 1, NULL, &one, &one, 0, NULL, &event);
        if (err)
            weft_object_unref(&q->obj);
    }
    struct weft_command *c = (struct weft_command *)weft_object_ref_of(event, WEFT_KIND_EVENT);
    if (c) {
        cl_int status = weft_command_wait(c);
        *began = !c->unrun;
        err = err ? err : status < 0 ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
        weft_object_release_handle(&c->obj);
        weft_object_unref(&c->obj);
    } else if (event) { // the handle is ours, but somebody has released the wrong handle
        *began = true;
        err = CL_OUT_OF_RESOURCES;
    }
    if (k)
        weft_object_release_handle(&k->obj);
    return err;
}

// What runs kernels of a build: a program and a queue of its own, so that the application may release its own
// ones meanwhile.
struct runner {
    struct weft_program *program;
    struct weft_queue *queue;
};

static bool set_up(struct runner *s, struct weft_build *b, struct weft_context *context,
                   struct weft_device *d)
{
    s->program = weft_program_create(context, 1, &d);
    struct weft_outcome *built = s->program ? weft_outcome_create(CL_BUILD_SUCCESS, "") : NULL;
    if (!built)
        return false;
    weft_build_use(b);
    built->build = b;
    s->program->places[0].outcome = built;
    s->queue = weft_queue_create(context, d, 0, NULL, 0);
    return s->queue != NULL;
}

static void clear_away(struct runner *s)
{
    if (s->queue) {
        weft_object_ref(&s->queue->obj);
        weft_object_release_handle(&s->queue->obj);
        weft_queue_detach(s->queue);
        weft_object_unref(&s->queue->obj);
    }
    if (s->program)
        weft_object_release_handle(&s->program->obj);
}

// If something fails before a kernel began, mostly for lack of memory, the next enqueue goes on with that
// kernel. A failure of a kernel that began is final.
static cl_int initialize(struct weft_build *b, struct weft_context *context, struct weft_variables *v)
{
    bool began = false;
    cl_int err = CL_OUT_OF_HOST_MEMORY;
    struct runner s = {0};
    if (set_up(&s, b, context, v->device)) {
        err = CL_SUCCESS;
        for (; v->kernel < b->kernel_count && !err; v->kernel += !err)
            if (b->code[v->kernel].meta->initializes)
                err = run(s.queue, s.program, &b->code[v->kernel], &began);
    }
    clear_away(&s);
    v->initialized = !err || began;
    if (!err && b->finalizes) {
        weft_object_ref(&context->obj);
        v->context = context;
        v->forks = weft_forks;
    }
    return err;
}

cl_int weft_build_initialize(struct weft_build *b, struct weft_context *context, struct weft_device *d)
{
    // A program without variables has an empty block, which records that this has been done.
    if (!weft_build_variables(b, d))
        return CL_OUT_OF_RESOURCES;
    pthread_mutex_lock(&b->lock);
    struct weft_variables *v = b->variables;
    while (v && v->device != d)
        v = v->next;
    pthread_mutex_unlock(&b->lock);
    if (!v)
        return CL_OUT_OF_RESOURCES;
    pthread_mutex_lock(&v->init_lock);
    if (!v->initialized)
        v->error = initialize(b, context, v);
    cl_int err = v->error;
    pthread_mutex_unlock(&v->init_lock);
    return err;
}

// Runs the finalizers, in the reverse order of the initializers. Each one runs even if others fail. A fault
// in one is reported like that of any kernel.
static void finalize(struct weft_build *b, struct weft_variables *v)
{
    bool began;
    struct runner s = {0};
    cl_int err = CL_OUT_OF_HOST_MEMORY;
    if (set_up(&s, b, v->context, v->device)) {
        err = CL_SUCCESS;
        for (uint32_t i = b->kernel_count; i-- > 0;)
            if (b->code[i].meta->finalizes) {
                cl_int one = run(s.queue, s.program, &b->code[i], &began);
                err = err ? err : one;
            }
    }
    clear_away(&s);
    if (err)
        weft_context_report(v->context,
                            "a finalizer of a program that was released failed, or couldn't be run");
}

// Each device is finalized once. A child of fork doesn't finalize what its parent has initialized.
static bool is_to_be_finalized(const struct weft_variables *v)
{
    return v->initialized && v->context && v->forks == weft_forks;
}

static void finalize_all(struct weft_build *b)
{
    pthread_mutex_lock(&b->lock);
    struct weft_variables *v = b->variables; // later blocks are added in front of it
    pthread_mutex_unlock(&b->lock);
    for (; v; v = v->next) {
        pthread_mutex_lock(&v->init_lock);
        struct weft_context *context = v->context;
        // A thread that builds the program again uses the build before it asks, under this lock, whether it
        // is initialized.
        if (is_to_be_finalized(v) && atomic_load(&b->users) == 1) {
            finalize(b, v);
            memset(v->block, 0, (size_t)b->object.global_variable_bytes);
            fill(&b->object, v->block);
            v->initialized = false;
            v->kernel = 0;
        }
        if (!v->initialized)
            v->context = NULL;
        else
            context = NULL;
        pthread_mutex_unlock(&v->init_lock);
        if (context)
            weft_object_unref(&context->obj);
    }
}

static bool wants_finalizing(struct weft_build *b)
{
    bool wants = false;
    pthread_mutex_lock(&b->lock);
    struct weft_variables *v = b->variables;
    pthread_mutex_unlock(&b->lock);
    for (; v && !wants; v = v->next) {
        pthread_mutex_lock(&v->init_lock);
        wants = is_to_be_finalized(v);
        pthread_mutex_unlock(&v->init_lock);
    }
    return wants;
}

static void free_all(struct weft_build *b)
{
    while (b->variables) {
        struct weft_variables *v = b->variables;
        b->variables = v->next;
        weft_object_unref(&v->device->obj);
        if (v->context) // in a child of fork
            weft_object_unref(&v->context->obj);
        weft_storage_free(v->memory, v->bytes, NULL);
        pthread_mutex_destroy(&v->init_lock);
        weft_free(v);
    }
}

static void after_fork(struct weft_build *b)
{
    for (struct weft_variables *v = b->variables; v; v = v->next)
        weft_lock_after_fork(&v->init_lock);
}

static const struct weft_variables_ops ops = {finalize_all, wants_finalizing, free_all, after_fork};

void *weft_build_variables(struct weft_build *b, struct weft_device *d)
{
    pthread_mutex_lock(&b->lock);
    struct weft_variables *v = b->variables;
    while (v && v->device != d)
        v = v->next;
    if (!v && (v = make(&b->object, d))) {
        v->next = b->variables;
        b->variables = v;
        b->variables_ops = &ops;
    }
    pthread_mutex_unlock(&b->lock);
    return v ? v->block : NULL;
}
