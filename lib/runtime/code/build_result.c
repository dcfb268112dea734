// The result of a build: metadata, bitcode and a weft_kernel_code for each kernel. It is immutable, except
// for the code, which is made one kernel at a time (code/kernel_code.c), and for the bytes of
// CL_PROGRAM_BINARIES. Programs, kernels, launches and jobs hold references.
#include "runtime/code/build_result.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "runtime/checker/shadow.h"
#include "runtime/core/callback.h"
#include "runtime/device/context.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/kernel_variants.h"
#include "runtime/code/release_callback.h"
#include "weft/code_object.h"
#include "weft/protocol.h"
#include "weft/status.h"
#include "weft/trace.h"

// Code of all levels computes the same bits, unless the options let the optimizer choose them.
static void choose_tiers(struct weft_build *b, const struct weft_build_options *o)
{
    uint64_t tier = weft_config_uint(WEFT_CFG_TIER);
    bool same_bits = !o->mad_enable && !o->fast_relaxed_math && !o->unsafe_math && !o->finite_math_only &&
                     !o->no_signed_zeros;
    bool wished = !o->opt_disable && !o->debug && weft_config_uint(WEFT_CFG_VF) == 0;
    b->free_bits = !same_bits;
    b->first_level = tier == 1                            ? WEFT_LEVEL_QUICK
                     : tier == 3                          ? WEFT_LEVEL_LANES
                     : tier == 2 || !same_bits || !wished ? WEFT_LEVEL_FULL
                                                          : WEFT_LEVEL_QUICK;
    b->better_later = tier == 0 && b->first_level != WEFT_LEVEL_FULL;
}

// The code in a binary was not made for this context's options.
static void drop_code(struct weft_program_object *object)
{
    for (uint32_t i = 0; i < object->kernel_count; i++) {
        weft_free(object->kernels[i].code);
        object->kernels[i].code = NULL;
        object->kernels[i].code_size = 0;
    }
}

struct weft_build *weft_build_create(struct weft_program_object *object, const char *options,
                                     const struct weft_context *context)
{
    struct weft_build *b = weft_zalloc(sizeof *b);
    if (!b)
        goto fail;
    atomic_init(&b->refs, 1);
    pthread_mutex_init(&b->lock, NULL);
    b->object = *object;
    *object = (struct weft_program_object){0};
    b->kernel_count = b->object.kernel_count;
    if (context->zero_private)
        drop_code(&b->object);
    b->options =
        weft_format("%s%s", options ? options : "", context->zero_private ? " -weft-zero-private" : "");
    b->code = weft_alloc_array(b->kernel_count, sizeof *b->code);
    if (!b->options || !b->code) {
        weft_build_unref(b);
        return NULL;
    }
    struct weft_hash program = {0};
    if (weft_trace_is_on())
        program = weft_hash_bytes(program, b->object.bitcode, b->object.bitcode_size);
    for (uint32_t i = 0; i < b->kernel_count; i++) {
        weft_kernel_code_init(&b->code[i], b, &b->object.kernels[i], program);
        b->initializes |= b->object.kernels[i].initializes;
        b->finalizes |= b->object.kernels[i].finalizes;
    }
    struct weft_build_options parsed;
    char *reason = NULL;
    if (weft_build_options_parse(&parsed, b->options, WEFT_OPTIONS_BUILD, &reason) == WEFT_OK) {
        b->optimize_off = parsed.opt_disable;
        b->debug = parsed.debug;
        b->relaxed = parsed.fast_relaxed_math; // the built-in functions depend on it
        b->zero_private = parsed.zero_private;
        b->check = parsed.check;
        if (b->check >> WEFT_CHECK_UNINIT & 1)
            weft_shadow_begin();
        choose_tiers(b, &parsed);
        weft_build_options_fini(&parsed);
    }
    weft_free(reason);
    return b;
fail:
    weft_program_object_fini(object);
    return NULL;
}

// ---- When it is no longer used ----

void weft_build_use(struct weft_build *b)
{
    weft_build_ref(b);
    if (WEFT_UNLIKELY(b->finalizes))
        atomic_fetch_add(&b->users, 1);
}

void weft_build_after_fork(struct weft_build *b)
{
    if (!b)
        return;
    weft_lock_after_fork(&b->lock);
    if (b->variables_ops)
        b->variables_ops->after_fork(b);
}

// NULL: no variables have memory yet.
static const struct weft_variables_ops *variables_ops(struct weft_build *b)
{
    pthread_mutex_lock(&b->lock);
    const struct weft_variables_ops *ops = b->variables_ops;
    pthread_mutex_unlock(&b->lock);
    return ops;
}

static bool wants_finalizing(struct weft_build *b)
{
    const struct weft_variables_ops *ops = variables_ops(b);
    return ops && ops->wants_finalizing(b);
}

// Runs the finalizers. Their kernels and launches use the build as well, and the count of users kept here
// makes sure that they aren't the last users. A program that is built from a binary again uses the same build
// again, perhaps at this moment. So the loop checks again.
static void close_build(struct weft_build *b)
{
    do {
        atomic_fetch_add(&b->users, 1);
        const struct weft_variables_ops *ops = variables_ops(b);
        if (ops)
            ops->finalize(b);
        struct weft_program_callback *callbacks = b->callbacks;
        b->callbacks = NULL;
        weft_program_call_back(callbacks);
        // errors of finalizers have been reported; they aren't the reason why this call fails
        weft_diagnostic_clear();
    } while (atomic_fetch_sub(&b->users, 1) == 1 && wants_finalizing(b));
}

static void close_later(struct weft_callback *c)
{
    struct weft_build *b = WEFT_CONTAINER_OF(c, struct weft_build, close);
    atomic_store(&b->closing, false);
    if (atomic_load(&b->users) == 0)
        close_build(b);
    weft_build_unref(b);
}

static void disuse(struct weft_build *b, bool here)
{
    if (b && WEFT_UNLIKELY(b->finalizes) && atomic_fetch_sub(&b->users, 1) == 1 &&
        (b->callbacks || wants_finalizing(b))) {
        if (here || weft_object_is_releasing()) {
            close_build(b);
        } else if (!atomic_exchange(&b->closing, true)) {
            weft_build_ref(b);
            b->close.call = close_later;
            weft_callback_dispatch(&b->close);
        }
    }
    weft_build_unref(b);
}

void weft_build_disuse(struct weft_build *b)
{
    disuse(b, false);
}

void weft_build_disuse_here(struct weft_build *b)
{
    disuse(b, true);
}

struct weft_kernel_code *weft_build_find(struct weft_build *b, const char *kernel)
{
    for (uint32_t i = 0; i < b->kernel_count; i++)
        if (!b->code[i].meta->block && strcmp(b->code[i].meta->name, kernel) == 0)
            return &b->code[i];
    return NULL;
}

const char *weft_build_whole_log(const struct weft_build *b, const char *own, struct weft_buf *room)
{
    size_t length = own ? strlen(own) : 0;
    bool ended = length == 0 || own[length - 1] == '\n', late = false;
    for (uint32_t i = 0; i < b->kernel_count; i++) {
        const char *why = atomic_load(&b->code[i].log);
        if (!why)
            continue;
        if (!late)
            weft_buf_printf(room, "%s%s", own ? own : "", ended ? "" : "\n");
        weft_buf_printf(room, "error: kernel %s has no code: %s\n", b->code[i].meta->name, why);
        late = true;
    }
    return room->failed ? NULL : late ? (const char *)room->data : own ? own : "";
}

// Encodes the object. The code that exists now replaces the code that was decoded from a binary.
static weft_status encode(struct weft_build *b, struct weft_buf *out)
{
    struct weft_program_object view = b->object;
    view.kernels = weft_alloc_array(b->kernel_count, sizeof *view.kernels);
    if (!view.kernels)
        return WEFT_NO_MEMORY;
    for (uint32_t i = 0; i < b->kernel_count; i++) {
        view.kernels[i] = b->object.kernels[i];
        uint32_t better = atomic_load(&b->code[i].better);
        if (atomic_load(&b->code[i].state) != WEFT_CODE_READY || better == WEFT_BETTER_POSSIBLE ||
            better == WEFT_BETTER_ASKED)
            continue;
        view.kernels[i].code = b->code[i].elf;
        view.kernels[i].code_size = b->code[i].elf_size;
    }
    weft_status status = weft_program_object_encode(out, &view, true);
    weft_free(view.kernels);
    return status;
}

weft_status weft_build_binary(struct weft_build *b, const uint8_t **bytes, size_t *size)
{
    pthread_mutex_lock(&b->lock);
    bool made = b->binary != NULL;
    pthread_mutex_unlock(&b->lock);
    if (!made) {
        for (uint32_t i = 0; i < b->kernel_count; i++)
            if (atomic_load(&b->code[i].state) != WEFT_CODE_NONE)
                weft_kernel_code_wait_best(&b->code[i]);
        struct weft_buf out = {0};
        weft_status status = encode(b, &out);
        if (status != WEFT_OK) {
            weft_buf_free(&out);
            return status;
        }
        pthread_mutex_lock(&b->lock);
        // otherwise another thread was faster, and its size may have been returned to the application already
        if (!b->binary) {
            b->binary = out.data;
            b->binary_size = out.size;
            out = (struct weft_buf){0};
        }
        pthread_mutex_unlock(&b->lock);
        weft_buf_free(&out);
    }
    *bytes = b->binary;
    *size = b->binary_size;
    return WEFT_OK;
}
