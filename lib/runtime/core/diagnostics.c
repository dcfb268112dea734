// The reason why a call fails (core/diagnostics.h), stored from the place where the error is found to the
// place where it is reported (core/refusal.c). Owns one reason for each thread.
#include "runtime/core/diagnostics.h"

static __thread struct weft_reason last; // the reason of the current call, or of an earlier one
static __thread bool held;               // pfn_notify is being called: report nothing
static __thread const char *speaker;     // the entry point that called another one to do its work

void weft_refusal_note(cl_int code, const char *words, uintptr_t a, uintptr_t b, uintptr_t c)
{
    last = (struct weft_reason){.code = code, .words = words, .values = {a, b, c}};
}

static const char told[] = ""; // the words of a reason that is reported already

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

void weft_diagnostic_is_reported(void)
{
    last = (struct weft_reason){.words = told};
}

void weft_refusal_forget(void)
{
    last = (struct weft_reason){0};
}

bool weft_reason_take(struct weft_reason *r)
{
    *r = last;
    weft_refusal_forget();
    return !held && r->words != told;
}

const char *weft_reason_speaker(void)
{
    return speaker;
}
