// The timeline's file as text: Chrome's Trace Event Format. Owns nothing. Times are microseconds with three
// digits behind the point, so no nanosecond is lost.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/trace/internal.h"

enum { MOST_AT_ONCE = 4096 }; // bytes that one call appends

void weft_trace_flush(struct weft_trace_output *o)
{
    if (o->used && !o->error && !weft_write_all(o->fd, o->room, o->used))
        o->error = errno ? errno : EIO;
    o->used = 0;
}

static void make_room(struct weft_trace_output *o)
{
    if (o->used + MOST_AT_ONCE > sizeof o->room)
        weft_trace_flush(o);
}

void weft_trace_put(struct weft_trace_output *o, const char *fmt, ...)
{
    va_list ap;
    make_room(o);
    va_start(ap, fmt);
    const int n = vsnprintf(o->room + o->used, MOST_AT_ONCE, fmt, ap);
    va_end(ap);
    if (n > 0)
        o->used += n < MOST_AT_ONCE ? (size_t)n : MOST_AT_ONCE - 1;
}

// Bytes that are no ASCII are written as characters of their own: the text may be in any encoding.
void weft_trace_put_text(struct weft_trace_output *o, const char *text)
{
    enum { LONGEST = 600 }; // bytes of the text, each of which may take six
    size_t left = LONGEST;
    make_room(o);
    char *at = o->room + o->used;
    *at++ = '"';
    for (; *text && left; text++, left--) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            *at++ = '\\';
            *at++ = (char)c;
        } else if (c < 0x20 || c >= 0x7f) {
            at += sprintf(at, "\\u%04x", c);
        } else {
            *at++ = (char)c;
        }
    }
    *at++ = '"';
    o->used = (size_t)(at - o->room);
}

void weft_trace_put_time(struct weft_trace_output *o, uint64_t ns)
{
    weft_trace_put(o, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

void weft_trace_put_event(struct weft_trace_output *o, char phase, const char *category, const char *name,
                          int64_t process, int64_t thread, uint64_t time)
{
    weft_trace_put(o, "%s\n{\"ph\":\"%c\",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"cat\":\"%s\",\"name\":",
                   o->any ? "," : "", phase, process, thread, category);
    o->any = true;
    weft_trace_put_text(o, name ? name : "(unnamed)");
    weft_trace_put(o, ",\"ts\":");
    weft_trace_put_time(o, time);
}

void weft_trace_put_duration(struct weft_trace_output *o, uint64_t ns)
{
    weft_trace_put(o, ",\"dur\":");
    weft_trace_put_time(o, ns);
}

void weft_trace_put_name(struct weft_trace_output *o, const char *what, int64_t process, int64_t thread,
                         const char *name)
{
    weft_trace_put(
        o, "%s\n{\"ph\":\"M\",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"name\":\"%s\",\"args\":{\"name\":",
        o->any ? "," : "", process, thread, what);
    o->any = true;
    weft_trace_put_text(o, name);
    weft_trace_put(o, "}}");
}
