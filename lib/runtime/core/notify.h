// Reports to a function of the application's: pfn_notify of clCreateContext (OpenCL 2.2 §4.4). A context has
// a struct weft_notify. core/ reports errors through it, and doesn't need to know what a context is.
#ifndef WEFT_RUNTIME_NOTIFY_H
#define WEFT_RUNTIME_NOTIFY_H

#include <stdarg.h>
#include <stddef.h>

#include "base/base.h"
#include "runtime/core/cl.h"

typedef void(CL_CALLBACK *weft_notify_function)(const char *info, const void *data, size_t size, void *user);

struct weft_notify {
    weft_notify_function call; // NULL: the application wants no reports
    void *user;
};

enum { WEFT_NOTIFY_BYTES = 1024 }; // of a sentence with its closing 0; what is longer is cut off

// Calls n->call with the sentence. It may call entry points that fail; these aren't reported to it, because
// it may hold a lock of its own. The caller holds no lock. n->call isn't NULL.
void weft_notify_call(const struct weft_notify *n, const char *sentence);
// Reports a sentence to n and to the log. Called on an application thread within an entry point, which then
// reports no other reason for its error. The caller holds no lock.
void weft_notify_report(const struct weft_notify *n, const char *fmt, ...) WEFT_PRINTF(2, 3);
void weft_notify_report_list(const struct weft_notify *n, const char *fmt, va_list ap);

#endif
