// `weft report FILE.cl`: the source of a kernel, with the vectorizer's remarks below the lines that they are
// about. The remarks are those of `weftc --report=vectorize`, whose lines begin with "line N:".
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text/kernel_name.h"
#include "tools/tool.h"

enum { MAX_ARGUMENTS = 64 };

// Is this option followed by its value?
static bool takes_value(const char *option)
{
    static const char *const options[] = {"-k", "-D", "-U", "-I"};
    for (size_t k = 0; k < WEFT_COUNT_OF(options); k++)
        if (strcmp(option, options[k]) == 0)
            return true;
    return false;
}

const char *const weft_costly_remarks[] = {"not vectorized", "lane by lane", "gather",
                                           "scatter",        "divergent",    NULL};

struct colours {
    const char *remark, *bad, *end;
};

static void print_remark(const char *line, size_t size, const struct colours *c)
{
    bool bad = false;
    for (const char *const *word = weft_costly_remarks; *word; word++)
        bad |= memmem(line, size, *word, strlen(*word)) != NULL;
    bad = bad && !memmem(line, size, " 0 divergent", 12); // a sum
    printf("%s        | %.*s%s\n", bad ? c->bad : c->remark, (int)size, line, c->end);
}

// Prints the remarks on one line of the source (0: those on no line).
static void print_remarks(const char *report, unsigned long wanted, const struct colours *c)
{
    for (const char *at = report; *at;) {
        const size_t size = strcspn(at, "\n");
        const char *text = at + strspn(at, " ");
        char *end = NULL;
        const unsigned long line = strncmp(text, "line ", 5) == 0 ? strtoul(text + 5, &end, 10) : 0;
        if (line == wanted && size) {
            const char *rest = end && *end == ':' ? end + 1 + strspn(end + 1, " ") : at;
            print_remark(rest, (size_t)(at + size - rest), c);
        }
        at += size + (at[size] == '\n');
    }
}

// The lines that remarks are about: from the first one to the last. Without any, all of the source.
static void find_range(const char *report, unsigned long *first, unsigned long *last)
{
    *first = ULONG_MAX;
    *last = 0;
    for (const char *at = report; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *text = at + strspn(at, " ");
        const unsigned long line = strncmp(text, "line ", 5) == 0 ? strtoul(text + 5, NULL, 10) : 0;
        *first = line && line < *first ? line : *first;
        *last = line > *last ? line : *last;
    }
    *last = *last ? *last : ULONG_MAX;
    *first = *first == ULONG_MAX ? 0 : *first;
}

// Does the line have the function's name, and its parameters behind that?
static bool declares(const char *line, size_t size, const char *function)
{
    const size_t length = strlen(function);
    for (const char *at = line, *end = line + size;
         (at = memmem(at, (size_t)(end - at), function, length)) != NULL; at++) {
        const char *behind = at + length;
        behind += strspn(behind, " ");
        if (behind < end && *behind == '(' &&
            (at == line || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')))
            return true;
    }
    return false;
}

// Widens the range to the whole kernel: from the last line before it that declares the kernel, to the first
// one behind it that begins with a brace. Where there is no such line nearby, two lines are added.
static void widen(const char *source, const char *kernel, unsigned long *first, unsigned long *last)
{
    enum { MOST = 60, AROUND = 2 };
    const unsigned long below = *last + AROUND;
    unsigned long number = 1, begin = *first > AROUND ? *first - AROUND : 1, end = below;
    for (const char *at = source; *at; number++) {
        const size_t size = strcspn(at, "\n");
        if (number <= *first && number + MOST >= *first && kernel && declares(at, size, kernel))
            begin = number;
        if (number >= *last && number - *last <= MOST && *at == '}' && end == below)
            end = number;
        at += size + (at[size] == '\n');
    }
    *first = begin;
    *last = end;
}

static void print_source(const char *source, const char *kernel, const char *report, const struct colours *c)
{
    unsigned long number = 1, first, last;
    find_range(report, &first, &last);
    if (last != ULONG_MAX)
        widen(source, kernel, &first, &last);
    for (const char *at = source; *at; number++) {
        const size_t size = strcspn(at, "\n");
        if (number >= first && number <= last) {
            printf("%5lu   %.*s\n", number, (int)size, at);
            print_remarks(report, number, c);
        }
        at += size + (at[size] == '\n');
    }
}

int weft_tool_report(int argc, char **argv)
{
    const struct weft_installation *i = weft_installation_find();
    char *arguments[MAX_ARGUMENTS + 5] = {"weftc", "--report=vectorize"};
    int count = 2;
    const char *path = NULL, *named = NULL;
    for (int k = 1; k < argc; k++) {
        if (count + 1 >= MAX_ARGUMENTS)
            return weft_tool_usage(argv[0], argv[k]);
        if (strcmp(argv[k], "-k") == 0 && k + 1 < argc)
            named = argv[k + 1];
        if (argv[k][0] != '-' && !path)
            path = argv[k];
        arguments[count++] = argv[k];
        if (takes_value(argv[k]) && k + 1 < argc)
            arguments[count++] = argv[++k];
    }
    if (!path)
        return weft_tool_usage(argv[0], "(no file)");
    if (!i->weftc) {
        fputs("weft: the compiler isn't found (weft doctor says more)\n", stderr);
        return 1;
    }
    size_t size;
    char *source = weft_tool_read(path, &size),
         *kernel = source && !named ? weft_first_kernel_name(source) : NULL;
    if (!source) {
        fprintf(stderr, "weft: %s can't be read\n", path);
        return 1;
    }
    if (kernel) {
        arguments[count++] = "-k";
        arguments[count++] = kernel;
    }
    weft_tool_progress("compiling");
    char *report = weft_tool_output(i->weftc, arguments, false);
    weft_tool_progress(NULL);
    if (report) {
        const bool colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
        const struct colours c = {colour ? "\033[32m" : "", colour ? "\033[33m" : "",
                                  colour ? "\033[0m" : ""};
        print_remarks(report, 0, &c);
        putchar('\n');
        print_source(source, named ? named : kernel, report, &c);
    }
    const int status = report ? 0 : 1;
    weft_free(report);
    weft_free(kernel);
    weft_free(source);
    return status;
}
