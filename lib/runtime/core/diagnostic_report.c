// Reports to a person why an entry point fails (core/diagnostics.h). Owns nothing and allocates nothing, so
// that it can report a lack of memory.
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "runtime/core/call_scope.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/notify.h"
#include "runtime/core/object.h"

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

// Errors that others report: the build log, or the command that failed.
static bool is_reported_elsewhere(cl_int code)
{
    return code == CL_BUILD_PROGRAM_FAILURE || code == CL_COMPILE_PROGRAM_FAILURE ||
           code == CL_LINK_PROGRAM_FAILURE || code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

// Returns the object that the handle names, with a reference, or NULL. The handle may be the very argument
// that was refused, so it may name no object, or one that has been released.
static struct weft_object *object_of(const void *handle)
{
    struct weft_object *o = NULL;
    for (int kind = 0; kind < WEFT_KIND_COUNT && !o; kind++)
        o = weft_object_ref_of(handle, (enum weft_object_kind)kind);
    return o;
}

// Writes the words with the values in their places. Cuts them off where the buffer ends.
static void write_reason(char *to, size_t room, const struct weft_reason *r)
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

static void report(const char *entry, const struct weft_object *o, cl_int code)
{
    const struct weft_kind *kind = o ? &weft_kinds[o->kind] : NULL;
    if (kind && kind->is_silent && kind->is_silent(o))
        return;
    struct weft_reason reason;
    if (!weft_reason_take(&reason) || is_reported_elsewhere(code))
        return;
    // Queries probe what exists, so they report quietly. A command that fails with CL_OUT_OF_RESOURCES has
    // reported its reason already.
    const bool quiet =
        strncmp(entry, "clGet", 5) == 0 || (code == CL_OUT_OF_RESOURCES && reason.code != code);
    const enum weft_log_level level = quiet ? WEFT_LOG_INFO : WEFT_LOG_ERROR;
    const struct weft_notify *n = quiet || !kind || !kind->notify_of ? NULL : kind->notify_of(o);
    if ((int)level > weft_log_level_now && !(n && n->call))
        return;
    char words[512];
    const size_t known = find_error(code);
    if (reason.code == code && reason.words)
        write_reason(words, sizeof words, &reason);
    else
        snprintf(words, sizeof words, "%s",
                 known < WEFT_COUNT_OF(errors) ? errors[known].meaning : "the call failed");
    const char *name = known < WEFT_COUNT_OF(errors) ? errors[known].name : "error";
    if (n)
        weft_notify_report(n, "%s: %s (%d): %s", entry, name, code, words);
    else
        weft_log(level, "%s: %s (%d): %s", entry, name, code, words);
    weft_diagnostic_clear();
}

cl_int weft_diagnostic_report(const char *entry, const void *handle, cl_int code)
{
    static const char ours[] = "weft_";
    struct weft_object *o = object_of(handle);
    // Not a bad handle: there was no memory to hold the object.
    if (weft_call_current && weft_call_current->lacks_memory)
        code = CL_OUT_OF_HOST_MEMORY;
    if (weft_reason_entry_name())
        entry = weft_reason_entry_name();
    if (strncmp(entry, ours, sizeof ours - 1) == 0)
        entry += sizeof ours - 1;
    report(entry, o, code);
    weft_object_unref(o);
    return code;
}
