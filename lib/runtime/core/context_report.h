// What diagnostics need of a context, without knowing what a context is. core/context.c provides it.
#ifndef WEFT_RUNTIME_CONTEXT_REPORT_H
#define WEFT_RUNTIME_CONTEXT_REPORT_H

#include <stdbool.h>

#include "base/base.h"

struct weft_context;

// Does the application want reports (pfn_notify)? Any thread.
bool weft_context_has_notify(const struct weft_context *c);
// Reports a sentence to pfn_notify and to the log. Called on an application thread within an entry point. The
// caller must hold no lock.
void weft_context_report(struct weft_context *c, const char *fmt, ...) WEFT_PRINTF(2, 3);

#endif
