// WEFT_CHECK_SUPPRESS: a file that names findings nobody wants to hear of. Each line is
//
//     kind:kernel:file:line
//
// with patterns as the shell has them for names of files. What is left out at the end fits everything. A line
// that begins with # is a comment.
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "runtime/checker/checker.h"

enum { FIELDS = 4 };

static char *text; // of the file; NULL: there is none

static void read_file(void)
{
    const char *path = weft_config_str(WEFT_CFG_CHECK_SUPPRESS);
    FILE *in = path && *path ? fopen(path, "re") : NULL;
    if (!in) {
        if (path && *path)
            weft_log_ignored_setting("WEFT_CHECK_SUPPRESS: %.200s can't be read", path);
        return;
    }
    struct weft_buf b = {0};
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;)
        weft_buf_append(&b, part, n);
    fclose(in);
    text = weft_buf_take(&b, NULL);
}

static bool fits(const char *pattern, size_t length, const char *value)
{
    char *copy = weft_strndup(pattern, length);
    const bool is = copy && fnmatch(copy, value, 0) == 0;
    weft_free(copy);
    return is;
}

static bool line_fits(const char *line, size_t length, const char *const value[FIELDS])
{
    const char *end = line + length;
    for (unsigned k = 0; k < FIELDS && line < end; k++) {
        const char *colon = memchr(line, ':', (size_t)(end - line)), *stop = colon ? colon : end;
        if (!fits(line, (size_t)(stop - line), value[k]))
            return false;
        line = colon ? colon + 1 : end;
    }
    return true;
}

// The next line that isn't empty or a comment. *at: what is left of the text. NULL: there is none.
static const char *next_line(const char **at, size_t *length, unsigned *number)
{
    while (*at && **at) {
        const char *line = *at;
        *length = strcspn(line, "\r\n");
        *at += *length;
        *at += **at == '\r';
        *at += **at == '\n';
        ++*number;
        if (*length && *line != '#')
            return line;
    }
    return NULL;
}

// A line that can fit nothing is a mistake of whoever wrote it.
static void check_lines(void)
{
    unsigned number = 0;
    size_t length;
    for (const char *at = text, *line; (line = next_line(&at, &length, &number));) {
        const char *colon = memchr(line, ':', length);
        const size_t size = colon ? (size_t)(colon - line) : length;
        bool known = false;
        for (unsigned k = 0; k < WEFT_CHECK_KIND_COUNT; k++)
            known |= fits(line, size, weft_check_kind_word((enum weft_check_kind)k));
        if (!known)
            weft_log_ignored_setting(
                "WEFT_CHECK_SUPPRESS: line %u begins with '%.*s', which is no kind of finding; a line is "
                "kind:kernel:file:line",
                number, (int)(size < 100 ? size : 100), line);
    }
}

static void start(void)
{
    read_file();
    check_lines();
}

bool weft_checker_is_suppressed(const struct weft_finding *f)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    char number[16];
    snprintf(number, sizeof number, "%u", f->at.line);
    const char *const value[FIELDS] = {weft_check_kind_word(f->kind), f->kernel, f->at.file, number};
    unsigned at_line = 0;
    size_t length;
    for (const char *at = text, *line; (line = next_line(&at, &length, &at_line));)
        if (line_fits(line, length, value))
            return true;
    return false;
}
