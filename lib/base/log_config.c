// The environment, read once at load, and the log whose level comes from it.
#include "base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum kind { KIND_STR, KIND_UINT, KIND_BOOL };

static const struct {
    const char *env;
    enum kind kind;
    const char *fallback;
} table[] = {
#define WEFT_CONFIG(id, env, kind, fallback, text) {env, KIND_##kind, fallback},
#include "config.def"
};

// Written by the load-time constructor and by weft_config_reload (tests, one thread) only.
static struct {
    char *str;
    uint64_t number;
} values[WEFT_CFG_COUNT];

int weft_log_level_now;

static bool parse_uint(const char *s, uint64_t *out)
{
    if (*s < '0' || *s > '9')
        return false;
    char *end;
    errno = 0;
    uint64_t v = strtoull(s, &end, 10);
    if (*end != '\0' || errno != 0)
        return false;
    *out = v;
    return true;
}

static bool parse_bool(const char *s, uint64_t *out)
{
    static const char *const no[] = {"0", "no", "off", "false"}, *const yes[] = {"1", "yes", "on", "true"};
    for (size_t i = 0; i < WEFT_COUNT_OF(no); i++) {
        if (strcasecmp(s, no[i]) == 0 || strcasecmp(s, yes[i]) == 0) {
            *out = strcasecmp(s, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

static bool parse(enum kind kind, const char *s, uint64_t *out)
{
    return kind == KIND_UINT ? parse_uint(s, out) : kind == KIND_BOOL ? parse_bool(s, out) : true;
}

static int log_level_of(const char *s)
{
    static const char *const names[] = {"none", "error", "warn", "info", "debug"};
    for (int i = 0; s && i < (int)WEFT_COUNT_OF(names); i++)
        if (strcasecmp(s, names[i]) == 0)
            return i;
    return WEFT_LOG_NONE;
}

void weft_config_reload(void)
{
    weft_log_level_now = log_level_of(secure_getenv("WEFT_LOG"));
    for (size_t i = 0; i < WEFT_CFG_COUNT; i++) {
        const char *s = secure_getenv(table[i].env);
        uint64_t number = 0;
        if (s && *s == '\0')
            s = NULL;
        if (s && !parse(table[i].kind, s, &number)) {
            weft_log(WEFT_LOG_WARN, "%s=%s is not understood and ignored", table[i].env, s);
            s = NULL;
        }
        if (!s && table[i].fallback)
            parse(table[i].kind, table[i].fallback, &number);
        if (!s && table[i].kind == KIND_STR)
            s = table[i].fallback;
        free(values[i].str);
        values[i].str = s ? strdup(s) : NULL; // before fault injection can be on: plain strdup
        values[i].number = number;
    }
    weft_alloc_fail_at(values[WEFT_CFG_FAIL_ALLOC].number);
}

__attribute__((constructor(101))) static void config_load(void)
{
    weft_config_reload();
}

__attribute__((destructor(101))) static void config_unload(void)
{
    for (size_t i = 0; i < WEFT_CFG_COUNT; i++)
        free(values[i].str);
    memset(values, 0, sizeof values);
}

uint64_t weft_config_uint(enum weft_config c)
{
    return values[c].number;
}

const char *weft_config_str(enum weft_config c)
{
    return values[c].str;
}

const char *weft_config_env(enum weft_config c)
{
    return table[c].env;
}

void weft_log_write(enum weft_log_level level, const char *fmt, ...)
{
    static const char *const tags[] = {"", "error", "warning", "info", "debug"};
    char line[1024];
    int head = snprintf(line, sizeof line, "weft: %s: ", tags[level]);
    va_list ap;
    va_start(ap, fmt);
    int body = vsnprintf(line + head, sizeof line - (size_t)head - 1, fmt, ap);
    va_end(ap);
    if (body < 0)
        return;
    size_t n = (size_t)head + (size_t)body;
    if (n > sizeof line - 2)
        n = sizeof line - 2;
    line[n++] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, n);
    (void)ignored;
}
