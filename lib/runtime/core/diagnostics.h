// Why a call is refused, for a person: the code goes to the program, a sentence with the entry point, the code's name and what is
// wrong to WEFT_LOG=error and to pfn_notify of the context (queries, which programs make to find out what there is, to
// WEFT_LOG=info alone).
//
// Whoever finds the reason says it with weft_refuse, at the place where the code comes from; the entry point tells it when it returns
// (WEFT_ANSWER, WEFT_API_RETURN). A call that succeeds passes nothing of this. Any thread; no lock may be held where an entry point
// tells.
#ifndef WEFT_RUNTIME_REFUSAL_H
#define WEFT_RUNTIME_REFUSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/cl.h"
#include "weft/status.h"

// Where it is called nothing is kept for it in registers, so that checks which fail nothing pay nothing for their words.
#if defined(__has_attribute)
#if __has_attribute(preserve_most)
#define WEFT_SELDOM __attribute__((cold, noinline, preserve_most))
#endif
#endif
#ifndef WEFT_SELDOM
#define WEFT_SELDOM __attribute__((cold, noinline))
#endif

// The code. The words are kept: a literal. The last reason of a thread counts, if its code is what the entry point returns.
#define weft_refuse(code, words) weft_refuse_with(code, words, 0)
// weft_refuse with up to three values, numbers or pointers: %n in the words is a number, %h one in hexadecimal and %s a string, which
// must last until the entry point returns.
#define weft_refuse_with(code, words, ...) \
    (weft_refusal_note(code, words, WEFT_THREE_VALUES(__VA_ARGS__, 0, 0, 0)), (code))
#define WEFT_THREE_VALUES(a, b, c, ...) (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c)
void weft_refusal_note(cl_int code, const char *words, uintptr_t a, uintptr_t b, uintptr_t c) WEFT_SELDOM;

// What the call that this thread is in is refused for has been told a person already.
void weft_diagnostic_is_reported(void);

// Nothing was refused after all, or something was told that no call is refused for.
void weft_refusal_forget(void);

// Whether this thread tells nothing from here on; returns what was.
bool weft_refusal_hold(bool hold);

// What this thread refuses from here on is told under another entry point's name; NULL: under its own. Returns what was.
const char *weft_refusal_speak_as(const char *entry);
// A call of another entry point that does the work of the one that this is in, which tells nothing itself.
#define WEFT_ON_BEHALF(call)                                       \
    __extension__({                                                \
        const char *weft_before = weft_refusal_speak_as(__func__); \
        const __typeof__(call) weft_made = (call);                 \
        weft_refusal_speak_as(weft_before);                        \
        weft_made;                                                 \
    })

// Tells why the entry point (its name, or weft_ and its name) refuses with this code. handle: an object, whose context's pfn_notify is
// told; NULL or anything else that can be read: none. Returns the code.
cl_int weft_diagnostic_report(const char *entry, const void *handle, cl_int code) WEFT_SELDOM;

// What a status of Weft's own is as an error code: CL_OUT_OF_HOST_MEMORY, CL_BUILD_PROGRAM_FAILURE, ...
cl_int weft_status_to_cl(weft_status s);

// The name of an error code, "CL_INVALID_VALUE"; NULL: there is none.
const char *weft_error_name(cl_int code);

// ---- For core/refusal.c ----

struct weft_reason {
    cl_int code;
    const char *words;
    uintptr_t values[3];
};
// The thread's, which has none from here on. False: nothing is to be told.
bool weft_reason_take(struct weft_reason *r);
const char *weft_reason_speaker(void); // of weft_refusal_speak_as

#endif
