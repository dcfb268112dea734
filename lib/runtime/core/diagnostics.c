// Why calls are refused (core/diagnostics.h). Owns a reason a thread, and nothing else: whoever is told of a want of memory needs none.
#include "runtime/core/diagnostics.h"

#include <stdio.h>
#include <string.h>

#include "runtime/core/call_scope.h"
#include "runtime/command_buffer/command_buffer.h"
#include "runtime/memory/image.h"
#include "runtime/program/program.h"
#include "runtime/command/semaphore.h"

struct reason {
    cl_int code;
    const char *words;
    uintptr_t values[3];
};

static __thread struct reason last;  // of the call that this thread is in, or of an earlier one
static __thread bool held;           // pfn_notify is being called
static __thread const char *speaker; // the entry point that has called another for its work

void weft_refusal_note(cl_int code, const char *words, uintptr_t a, uintptr_t b, uintptr_t c)
{
    last = (struct reason){.code = code, .words = words, .values = {a, b, c}};
}

static const char told[] = "";

bool weft_refusal_hold(bool hold)
{
    const bool was = held;
    held = hold;
    return was;
}

const char *weft_refusal_speak_as(const char *entry)
{
    const char *was = speaker;
    speaker = entry;
    return was;
}

void weft_refusal_is_told(void)
{
    last = (struct reason){.words = told};
}

void weft_refusal_forget(void)
{
    last = (struct reason){0};
}

static const struct {
    cl_int code;
    const char *name, *meaning;
} errors[] = {
#define WEFT_ERROR(name, meaning) {name, #name, meaning},
#include "runtime/core/errors.def"
};

static size_t find_error(cl_int code)
{
    size_t i = 0;
    while (i < WEFT_COUNT_OF(errors) && errors[i].code != code)
        i++;
    return i;
}

const char *weft_error_name(cl_int code)
{
    size_t i = find_error(code);
    return i < WEFT_COUNT_OF(errors) ? errors[i].name : NULL;
}

// What is told elsewhere: by the build log, and by the command that failed.
static bool is_told_elsewhere(cl_int code)
{
    return code == CL_BUILD_PROGRAM_FAILURE || code == CL_COMPILE_PROGRAM_FAILURE ||
           code == CL_LINK_PROGRAM_FAILURE || code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

static struct weft_context *context_of(const struct weft_object *o)
{
    switch ((enum weft_object_kind)o->kind) {
    case WEFT_KIND_CONTEXT:
        return (struct weft_context *)(uintptr_t)o;
    case WEFT_KIND_QUEUE:
    case WEFT_KIND_DEVICE_QUEUE:
        return ((const struct weft_queue *)o)->context;
    case WEFT_KIND_MEM:
        return ((const struct weft_mem *)o)->context;
    case WEFT_KIND_PROGRAM:
        return ((const struct weft_program *)o)->context;
    case WEFT_KIND_KERNEL:
        return ((const struct weft_kernel *)o)->program->context;
    case WEFT_KIND_SAMPLER:
        return ((const struct weft_sampler *)o)->context;
    case WEFT_KIND_EVENT:
        return ((const struct weft_command *)o)->context;
    case WEFT_KIND_COMMAND_BUFFER:
        return ((const struct weft_command_buffer *)o)->context;
    case WEFT_KIND_SEMAPHORE:
        return ((const struct weft_semaphore *)o)->context;
    default:
        return NULL;
    }
}

// The handle may be one that the call has refused, because it is none or is gone. A ref; NULL: it isn't any object's.
static struct weft_object *object_of(const void *handle)
{
    struct weft_object *o = NULL;
    for (int kind = 0; kind < WEFT_KIND_COUNT && !o; kind++)
        o = weft_object_ref_of(handle, (enum weft_object_kind)kind);
    return o;
}

// The words with the values in their places, cut where there is no room.
static void write_reason(char *to, size_t room, const struct reason *r)
{
    size_t n = 0, value = 0;
    for (const char *w = r->words; *w && n + 1 < room; w++) {
        if (*w != '%' || !w[1] || !strchr("nhs", w[1]) || value == WEFT_COUNT_OF(r->values)) {
            to[n++] = *w;
            continue;
        }
        const uintptr_t v = r->values[value++];
        w++;
        const int length = *w == 's'   ? snprintf(to + n, room - n, "%s", v ? (const char *)v : "?")
                           : *w == 'h' ? snprintf(to + n, room - n, "0x%zx", (size_t)v)
                                       : snprintf(to + n, room - n, "%zu", (size_t)v);
        n += length > 0 ? (size_t)length : 0;
    }
    to[n < room ? n : room - 1] = '\0';
}

// What is recorded is refused by the call that records it.
static bool is_recorder(const struct weft_object *o)
{
    return o && o->kind == WEFT_KIND_QUEUE && ((const struct weft_queue *)o)->recorder;
}

static void tell(const char *entry, const struct weft_object *o, cl_int code)
{
    if (is_recorder(o))
        return;
    const struct reason reason = last;
    last = (struct reason){0};
    if (held || is_told_elsewhere(code) || reason.words == told)
        return;
    // A command that fails has told its reason.
    const bool quiet =
        strncmp(entry, "clGet", 5) == 0 || (code == CL_OUT_OF_RESOURCES && reason.code != code);
    const enum weft_log_level level = quiet ? WEFT_LOG_INFO : WEFT_LOG_ERROR;
    struct weft_context *c = quiet || !o ? NULL : context_of(o);
    if ((int)level > weft_log_level_now && !(c && c->notify))
        return;
    char words[512];
    const size_t known = find_error(code);
    if (reason.code == code && reason.words)
        write_reason(words, sizeof words, &reason);
    else
        snprintf(words, sizeof words, "%s",
                 known < WEFT_COUNT_OF(errors) ? errors[known].meaning : "refused");
    const char *name = known < WEFT_COUNT_OF(errors) ? errors[known].name : "error";
    if (c)
        weft_context_report(c, "%s: %s (%d): %s", entry, name, code, words);
    else
        weft_log(level, "%s: %s (%d): %s", entry, name, code, words);
    last = (struct reason){0};
}

cl_int weft_refusal_tell(const char *entry, const void *handle, cl_int code)
{
    static const char ours[] = "weft_";
    struct weft_object *o = object_of(handle);
    if (weft_call_current && weft_call_current->lacks_memory) // what it says of a handle isn't so
        code = CL_OUT_OF_HOST_MEMORY;
    if (speaker)
        entry = speaker;
    if (strncmp(entry, ours, sizeof ours - 1) == 0)
        entry += sizeof ours - 1;
    tell(entry, o, code);
    weft_object_unref(o);
    return code;
}
