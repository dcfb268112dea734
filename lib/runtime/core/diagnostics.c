// The reason why a call fails (core/diagnostics.h), stored from the place where the error is found to the
// place where it is reported (core/diagnostic_report.c). Owns one reason for each thread.
#include "runtime/core/diagnostics.h"

static __thread struct weft_reason last; // the reason of the current call, or of an earlier one
static __thread bool suppressed;         // pfn_notify is being called: report nothing
static __thread const char *entry_name;  // the entry point that called another one to do its work

void weft_diagnostic_note(cl_int code, const char *words, uintptr_t a, uintptr_t b, uintptr_t c)
{
    last = (struct weft_reason){.code = code, .words = words, .values = {a, b, c}};
}

static const char reported[] = ""; // the words of a reason that is reported already

bool weft_diagnostic_suppress(bool suppress)
{
    const bool was = suppressed;
    suppressed = suppress;
    return was;
}

const char *weft_diagnostic_report_as(const char *entry)
{
    const char *was = entry_name;
    entry_name = entry;
    return was;
}

void weft_diagnostic_is_reported(void)
{
    last = (struct weft_reason){.words = reported};
}

void weft_diagnostic_clear(void)
{
    last = (struct weft_reason){0};
}

bool weft_reason_take(struct weft_reason *r)
{
    *r = last;
    weft_diagnostic_clear();
    return !suppressed && r->words != reported;
}

const char *weft_reason_entry_name(void)
{
    return entry_name;
}
