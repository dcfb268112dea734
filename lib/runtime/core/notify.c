// Calls of pfn_notify (core/notify.h). Owns nothing and allocates nothing, so that a lack of memory can be
// reported.
#include "runtime/core/notify.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/base.h"
#include "runtime/core/application_call.h"
#include "runtime/core/diagnostics.h"

void weft_notify_call(const struct weft_notify *n, const char *sentence)
{
    const bool held = weft_diagnostic_suppress(true);
    WEFT_CALL_APPLICATION(n->call(sentence, NULL, 0, n->user));
    weft_diagnostic_suppress(held);
}

void weft_notify_report_list(const struct weft_notify *n, const char *fmt, va_list ap)
{
    char sentence[WEFT_NOTIFY_BYTES]; // on the stack: there may be no memory to allocate
    vsnprintf(sentence, sizeof sentence, fmt, ap);
    weft_log(WEFT_LOG_ERROR, "%s", sentence);
    if (n->call)
        weft_notify_call(n, sentence);
    weft_diagnostic_is_reported();
}

void weft_notify_report(const struct weft_notify *n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    weft_notify_report_list(n, fmt, ap);
    va_end(ap);
}
