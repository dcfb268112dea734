#include "runtime/checker/misuse.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/libc/libc.h"
#include "runtime/checker/checker.h"

enum { FRAMES = 24 };

atomic_bool weft_misuse_wanted, weft_guards_wanted;
static _Atomic(weft_misuse_leaks_fn) count_leaks;
static __thread unsigned callbacks;

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Where the application, or a library that it uses, called the driver: the file and the distance from its
// beginning, as addr2line takes it. `symbol`: the function, if it has an exported name. False: unknown.
static bool find_caller(char *place, size_t size, const char **symbol)
{
    void *frame[FRAMES];
    Dl_info own, at;
    const int count = weft_callers(frame, FRAMES);
    if (!dladdr((void *)(uintptr_t)weft_misuse_report, &own))
        return false;
    for (int i = 0; i < count; i++) {
        if (!dladdr(frame[i], &at) || !at.dli_fname || at.dli_fbase == own.dli_fbase ||
            strncmp(name_of(at.dli_fname), "libOpenCL", 9) == 0)
            continue;
        // A return address stands behind the call.
        const uintptr_t call = (uintptr_t)frame[i] - 1 - (uintptr_t)at.dli_fbase;
        snprintf(place, size, "%s+0x%zx", at.dli_fname, (size_t)call);
        *symbol = at.dli_sname ? at.dli_sname : "";
        return true;
    }
    return false;
}

void weft_misuse_find_place(struct weft_misuse_place *out)
{
    *out = (struct weft_misuse_place){.symbol = ""};
    if (!find_caller(out->file, sizeof out->file, &out->symbol))
        snprintf(out->file, sizeof out->file, "(unknown place)");
}

static void report(const struct weft_misuse_place *place, const char *kernel, const char *format,
                   va_list arguments)
{
    struct weft_finding f = {.kind = WEFT_CHECK_API, .kernel = kernel ? kernel : ""};
    f.at.file = place->file;
    f.at.source = place->symbol;
    weft_checker_note_launch(); // there is something to report, even if no kernel runs
    if (!weft_checker_is_new(f.kind, f.kernel, &f.at, NULL))
        return;
    char message[512];
    vsnprintf(message, sizeof message, format, arguments);
    f.message = message;
    weft_checker_add(&f);
}

void weft_misuse_report_at(const struct weft_misuse_place *place, const char *kernel, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(place, kernel, format, arguments);
    va_end(arguments);
}

void weft_misuse_report(const char *kernel, const char *format, ...)
{
    struct weft_misuse_place place;
    va_list arguments;
    weft_misuse_find_place(&place);
    va_start(arguments, format);
    report(&place, kernel, format, arguments);
    va_end(arguments);
}

void weft_misuse_enter_callback(void)
{
    callbacks++;
}

void weft_misuse_leave_callback(void)
{
    callbacks--;
}

void weft_misuse_note_wait(const char *call)
{
    if (callbacks)
        weft_misuse_report(NULL, "%s waits in a callback, whose commands can't go on until it returns", call);
}

void weft_misuse_set_leaks(weft_misuse_leaks_fn leaks)
{
    atomic_store(&count_leaks, leaks);
}

void weft_misuse_report_leaks(void)
{
    char text[256] = "";
    weft_misuse_leaks_fn leaks = atomic_load(&count_leaks);
    if (leaks && weft_misuse_is_on())
        leaks(text, sizeof text);
    if (!*text)
        return;
    struct weft_finding f = {.kind = WEFT_CHECK_API, .kernel = ""};
    f.at.file = "(the end of the program)";
    f.at.source = "";
    char *message = weft_format("the program ends and still holds %s", text);
    f.message = message ? message : "";
    if (weft_checker_is_new(f.kind, f.kernel, &f.at, NULL))
        weft_checker_add(&f);
    weft_free(message);
}
