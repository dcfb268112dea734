// The log: messages on stderr. Its level is set by config.c, while one thread runs.
#include "base/base.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int weft_log_level_now;
static bool log_is_set;

void weft_log_set_level(const char *s)
{
    static const char *const names[] = {"none", "error", "warn", "info", "debug"};
    weft_log_level_now = WEFT_LOG_NONE;
    log_is_set = s && *s;
    for (int i = 0; s && *s && i < (int)WEFT_COUNT_OF(names); i++) {
        if (strcasecmp(s, names[i]) == 0) {
            weft_log_level_now = i;
            return;
        }
    }
    if (s && *s) { // whoever sets it expects to see messages
        weft_log_level_now = WEFT_LOG_WARN;
        weft_log(WEFT_LOG_WARN,
                 "WEFT_LOG=%.100s is not understood; warn is used. It takes error, warn, info or debug", s);
    }
}

static void write_line(enum weft_log_level level, const char *fmt, va_list ap)
{
    WEFT_NOT_CANCELLED;
    static const char *const tags[] = {"", "error", "warning", "info", "debug"};
    char room[1024], *line = room, *large = NULL;
    size_t size = sizeof room;
    va_list again;
    va_copy(again, ap);
    int head = snprintf(line, size, "weft: %s: ", tags[level]);
    int body = vsnprintf(line + head, size - (size_t)head - 1, fmt, ap);
    size_t n = (size_t)head + (size_t)(body < 0 ? 0 : body);
    if (n > size - 2 &&
        (large = weft_alloc(n + 2))) { // a build log, for example; without memory it is truncated
        size = n + 2;
        line = large;
        memcpy(line, room, (size_t)head);
        vsnprintf(line + head, size - (size_t)head - 1, fmt, again);
    }
    va_end(again);
    if (n > size - 2)
        n = size - 2;
    while (n > (size_t)head && line[n - 1] == '\n') // the text may end with newlines of its own
        n--;
    line[n++] = '\n';
    if (body >= 0)
        weft_write_all(STDERR_FILENO, line, n); // there is no way to report a failure
    weft_free(large);
}

void weft_log_write(enum weft_log_level level, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    write_line(level, fmt, ap);
    va_end(ap);
}

void weft_log_ignored_setting(const char *fmt, ...)
{
    if (log_is_set && weft_log_level_now < WEFT_LOG_WARN)
        return;
    va_list ap;
    va_start(ap, fmt);
    write_line(WEFT_LOG_WARN, fmt, ap);
    va_end(ap);
}
