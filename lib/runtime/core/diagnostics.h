// Diagnostics: why a call fails. The program gets an error code. A person gets a sentence with the entry
// point, the code's name and the reason, in the log (WEFT_LOG=error) and through pfn_notify of the context.
// Failed queries go to WEFT_LOG=info only, because programs use queries to find out what exists.
//
// The code that finds an error gives the reason with weft_error, where the error code originates. The entry
// point reports it when it returns (WEFT_ANSWER, WEFT_API_RETURN). Successful calls execute none of this. Any
// thread may use it. The caller must hold no lock where an entry point reports.
#ifndef WEFT_RUNTIME_DIAGNOSTICS_H
#define WEFT_RUNTIME_DIAGNOSTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/cl.h"
#include "weft/status.h"

// Functions that are called only on errors. The callee preserves registers, so that a check that succeeds
// doesn't pay for its message.
#if defined(__has_attribute)
#if __has_attribute(preserve_most)
#define WEFT_ON_ERROR __attribute__((cold, noinline, preserve_most))
#endif
#endif
#ifndef WEFT_ON_ERROR
#define WEFT_ON_ERROR __attribute__((cold, noinline))
#endif

// Stores the reason for an error and returns the code. words: a string literal; it isn't copied. The last
// reason of a thread is reported if its code is the one that the entry point returns.
#define weft_error(code, words) weft_error_with(code, words, 0)
// weft_error with up to three values, numbers or pointers. In the words, %n is a number, %h a hexadecimal
// number and %s a string, which must live until the entry point returns.
#define weft_error_with(code, words, ...) \
    (weft_diagnostic_note(code, words, WEFT_THREE_VALUES(__VA_ARGS__, 0, 0, 0)), (code))
#define WEFT_THREE_VALUES(a, b, c, ...) (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c)
void weft_diagnostic_note(cl_int code, const char *words, uintptr_t a, uintptr_t b,
                          uintptr_t c) WEFT_ON_ERROR;

// The reason of this thread's current call has been reported already.
void weft_diagnostic_is_reported(void);

// Clears the reason: there was no error after all, or something was reported that no call fails for.
void weft_diagnostic_clear(void);

// Suppresses all reports of this thread (true) or not (false). Returns the previous setting.
bool weft_diagnostic_suppress(bool suppress);

// Errors of this thread are reported under the name of this entry point; NULL: under their own. entry: a
// static string. Returns the previous name.
const char *weft_diagnostic_report_as(const char *entry);
// Calls another entry point that does the work of this one. Its errors are reported under the name of this
// one.
#define WEFT_ON_BEHALF(call)                                           \
    __extension__({                                                    \
        const char *weft_before = weft_diagnostic_report_as(__func__); \
        const __typeof__(call) weft_made = (call);                     \
        weft_diagnostic_report_as(weft_before);                        \
        weft_made;                                                     \
    })

// Reports why the entry point fails with this code. entry: its name, with or without "weft_". handle: an
// object whose context's pfn_notify gets the report; NULL or any readable memory: none. Returns the code.
cl_int weft_diagnostic_report(const char *entry, const void *handle, cl_int code) WEFT_ON_ERROR;

// Converts a status of Weft's to an error code: CL_OUT_OF_HOST_MEMORY, CL_BUILD_PROGRAM_FAILURE, ...
cl_int weft_status_to_cl(weft_status s);

// ---- For core/diagnostic_report.c ----

struct weft_reason {
    cl_int code;
    const char *words;
    uintptr_t values[3];
};
// Takes the reason of this thread and clears it. False: nothing is to be reported.
bool weft_reason_take(struct weft_reason *r);
// The name that weft_diagnostic_report_as has set, or NULL.
const char *weft_reason_entry_name(void);

#endif
