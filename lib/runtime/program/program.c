// Program objects: source or binaries, and for each device the current build and the log and options of the
// last one. program/build_program.c builds them. OpenCL 2.2 §5.8.
#include "runtime/program/program.h"

#include <pthread.h>

#include "base/base.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/code/build_result.h"
#include "runtime/code/release_callback.h"
#include "weft/code_object.h"
#include "weft/spirv.h"
#include "weft/status.h"

struct weft_program *weft_program_create(struct weft_context *c, cl_uint device_count,
                                         struct weft_device *const *devices)
{
    struct weft_program *p = weft_object_create(WEFT_KIND_PROGRAM, sizeof *p, &c->obj);
    if (!p)
        return NULL;
    pthread_mutex_init(&p->lock, NULL);
    p->context = c;
    weft_object_ref(&c->obj);
    p->devices = weft_alloc_array(device_count, sizeof *p->devices);
    p->places = weft_alloc_array(device_count, sizeof *p->places);
    if (!p->devices || !p->places) {
        weft_object_release_handle(&p->obj);
        return NULL;
    }
    for (cl_uint i = 0; i < device_count; i++) {
        p->devices[i] = devices[i];
        weft_object_ref(&devices[i]->obj);
    }
    p->device_count = device_count;
    return p;
}

cl_uint weft_program_place_of(const struct weft_program *p, const struct weft_device *d)
{
    cl_uint i = 0;
    while (i < p->device_count && p->devices[i] != d)
        i++;
    return i;
}

void weft_program_unite_devices(struct weft_program *p)
{
    const cl_uint listed = p->device_count;
    p->device_count = 0;
    for (cl_uint i = 0; i < listed; i++) {
        if (weft_program_place_of(p, p->devices[i]) < p->device_count) {
            weft_object_unref(&p->devices[i]->obj);
            weft_build_unref(p->places[i].loaded);
            continue;
        }
        p->devices[p->device_count] = p->devices[i];
        p->places[p->device_count++] = p->places[i];
    }
}

// ---- Destruction ----

// "The registered user callback functions are called after destructors (if any) for program scope global
// variables (if any) are called". The destructors may have to wait for launches. So the last build that has
// destructors calls the callbacks.
static void hand_over_callbacks(struct weft_program *p)
{
    uint32_t builds = 0;
    for (cl_uint i = 0; i < p->device_count; i++) {
        struct weft_build *b = p->places[i].outcome ? p->places[i].outcome->build : NULL;
        if (b && b->finalizes && !b->callbacks) {
            b->callbacks = p->callbacks;
            builds++;
        }
    }
    if (builds) {
        p->callbacks->gone = (cl_program)p;
        atomic_store(&p->callbacks->builds,
                     builds); // no build calls them before the program releases it, below
    } else {
        weft_release_callbacks_run(p->callbacks, (cl_program)p);
    }
}

void weft_program_destroy(struct weft_object *o)
{
    struct weft_program *p = (struct weft_program *)(void *)o;
    if (p->callbacks)
        hand_over_callbacks(p);
    for (cl_uint i = 0; i < p->device_count; i++) {
        weft_outcome_unref(p->places[i].outcome, false);
        weft_build_unref(p->places[i].loaded);
        weft_object_unref(&p->devices[i]->obj);
    }
    weft_free(p->places);
    weft_free(p->devices);
    weft_free(p->source);
    weft_free(p->il);
    weft_spirv_fini(&p->spirv);
    pthread_mutex_destroy(&p->lock);
    weft_object_unref(&p->context->obj);
}

struct weft_destructor_callback *weft_program_destructor_callback(struct weft_object *o)
{
    struct weft_program *p = (struct weft_program *)o;
    return p->callbacks ? &p->destructor : NULL;
}

void weft_program_after_fork(struct weft_object *o)
{
    struct weft_program *p = (struct weft_program *)o;
    weft_lock_after_fork(&p->lock);
    for (cl_uint i = 0; i < p->device_count; i++) {
        weft_build_after_fork(p->places[i].outcome ? p->places[i].outcome->build : NULL);
        weft_build_after_fork(p->places[i].loaded);
    }
}

// ---- Source and intermediate language ----

cl_int weft_program_set_il(struct weft_program *p, const void *il, size_t size)
{
    const char *why;
    weft_status status = weft_spirv_read(&p->spirv, il, size, &why);
    if (status == WEFT_DAMAGED) {
        weft_context_report(p->context, "the intermediate language is not SPIR-V that the device takes: %s",
                            why);
        return CL_INVALID_VALUE;
    }
    if (status == WEFT_OK && !(p->il = weft_memdup(il, size)))
        status = WEFT_NO_MEMORY;
    p->il_size = size;
    return weft_status_to_cl(status);
}

// "CL_INVALID_SPEC_ID if spec_id is not a valid specialization constant identifier", then "CL_INVALID_VALUE
// if spec_size does not match the size of the specialization constant in the module, or if spec_value is
// NULL".
cl_int weft_program_specialize(struct weft_program *p, cl_uint id, size_t size, const void *value)
{
    uint32_t bytes = weft_spirv_constant_size(&p->spirv, id); // the size never changes
    if (!bytes)
        return CL_INVALID_SPEC_ID;
    if (size != bytes || !value)
        return weft_error_with(CL_INVALID_VALUE,
                               "spec_value is NULL, or spec_size %n isn't the constant's, %n", size, bytes);
    pthread_mutex_lock(&p->lock);
    weft_spirv_specialize(&p->spirv, id, value);
    pthread_mutex_unlock(&p->lock);
    return CL_SUCCESS;
}

cl_int weft_program_add_release_callback(struct weft_program *p, weft_program_notify notify, void *user)
{
    struct weft_program_callback *c = weft_alloc(sizeof *c);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    c->notify = notify;
    c->user = user;
    pthread_mutex_lock(&p->lock);
    c->next = p->callbacks;
    p->callbacks = c;
    pthread_mutex_unlock(&p->lock);
    return CL_SUCCESS;
}

// ---- Builds ----

struct weft_outcome *weft_outcome_create(cl_build_status status, const char *options)
{
    struct weft_outcome *o = weft_zalloc(sizeof *o);
    if (!o)
        return NULL;
    atomic_init(&o->refs, 1);
    o->status = status;
    o->options = weft_strdup(options);
    if (o->options)
        return o;
    weft_free(o);
    return NULL;
}

void weft_outcome_unref(struct weft_outcome *o, bool here)
{
    // acq_rel: pairs with itself. The thread that drops the last reference sees what the others wrote.
    if (!o || atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (here)
        weft_build_disuse_here(o->build);
    else
        weft_build_disuse(o->build);
    weft_free(o->options);
    weft_free(o->log);
    weft_free(o->reported_log);
    weft_free(o);
}

// An outcome with CL_BUILD_NONE has at most the log of an order whose options were rejected.
static bool is_of_an_order(const struct weft_outcome *o)
{
    return o && o->status != CL_BUILD_NONE;
}

struct weft_outcome *weft_program_outcome_locked(const struct weft_program *p, cl_uint nth)
{
    struct weft_outcome *own = p->places[nth].outcome, *o = own;
    for (const struct weft_device *d = p->devices[nth]->parent; d && !is_of_an_order(o); d = d->parent) {
        cl_uint place = weft_program_place_of(p, d);
        o = place < p->device_count ? p->places[place].outcome : NULL;
    }
    return is_of_an_order(o) ? o : own;
}

// The current build for the nth device: the last one if it succeeded, or what was loaded if there was none.
// NULL: there is none. No reference is taken. Under the lock.
static struct weft_build *current_locked(const struct weft_program *p, cl_uint nth)
{
    const struct weft_program_place *place = &p->places[nth];
    const struct weft_outcome *o = place->outcome;
    return o && o->status != CL_BUILD_NONE ? o->build : place->loaded;
}

// "If a program binary has not been built for a sub-device, the program binary associated with the parent
// device will be used."
struct weft_build *weft_program_current(struct weft_program *p, const struct weft_device *d)
{
    struct weft_build *b = NULL;
    pthread_mutex_lock(&p->lock);
    for (; d && !b; d = d->parent) {
        cl_uint place = weft_program_place_of(p, d);
        b = place < p->device_count ? current_locked(p, place) : NULL;
    }
    if (b)
        weft_build_ref(b);
    pthread_mutex_unlock(&p->lock);
    return b;
}

// A binary that was loaded must be built before it counts.
static struct weft_build *built_locked(const struct weft_program *p, cl_uint nth)
{
    return p->places[nth].outcome ? p->places[nth].outcome->build : NULL;
}

static bool is_executable(const struct weft_build *b)
{
    return b && b->object.binary_type == WEFT_BINARY_EXECUTABLE;
}

static struct weft_build *executable_locked(const struct weft_program *p, cl_uint nth)
{
    struct weft_build *b = built_locked(p, nth);
    for (const struct weft_device *d = p->devices[nth]->parent; d && !b; d = d->parent) {
        cl_uint place = weft_program_place_of(p, d);
        b = place < p->device_count ? built_locked(p, place) : NULL;
    }
    return is_executable(b) ? b : NULL;
}

struct weft_build **weft_program_builds(struct weft_program *p, bool executable)
{
    struct weft_build **builds = weft_alloc_array(p->device_count, sizeof *builds);
    if (!builds)
        return NULL;
    pthread_mutex_lock(&p->lock);
    for (cl_uint i = 0; i < p->device_count; i++) {
        builds[i] = executable ? executable_locked(p, i) : current_locked(p, i);
        if (builds[i])
            weft_build_ref(builds[i]);
    }
    pthread_mutex_unlock(&p->lock);
    return builds;
}

void weft_program_builds_free(const struct weft_program *p, struct weft_build **builds)
{
    for (cl_uint i = 0; builds && i < p->device_count; i++)
        weft_build_unref(builds[i]);
    weft_free(builds);
}

bool weft_program_has_any(const struct weft_program *p, struct weft_build *const *builds)
{
    for (cl_uint i = 0; i < p->device_count; i++)
        if (builds[i])
            return true;
    return false;
}

void weft_program_ask_variables(struct weft_program *p, bool *initializes, bool *finalizes)
{
    *initializes = *finalizes = false;
    pthread_mutex_lock(&p->lock);
    for (cl_uint i = 0; i < p->device_count; i++) {
        const struct weft_build *b = built_locked(p, i);
        *initializes |= is_executable(b) && b->initializes;
        *finalizes |= is_executable(b) && b->finalizes;
    }
    pthread_mutex_unlock(&p->lock);
}
