// Why calls are refused (core/diagnostics.h): the reason, from where it is found to where it is told (core/refusal.c). Owns a reason
// a thread.
#include "runtime/core/diagnostics.h"

static __thread struct weft_reason last; // of the call that this thread is in, or of an earlier one
static __thread bool held;               // pfn_notify is being called
static __thread const char *speaker;     // the entry point that has called another for its work

void weft_refusal_note(cl_int code, const char *words, uintptr_t a, uintptr_t b, uintptr_t c)
{
    last = (struct weft_reason){.code = code, .words = words, .values = {a, b, c}};
}

static const char told[] = ""; // the words of one that a person knows already

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
