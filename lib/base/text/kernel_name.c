// Words of OpenCL C, as far as the name of a kernel needs them.
#include "base/text/kernel_name.h"

#include <ctype.h>
#include <string.h>

#include "base/base.h"

// Behind a line of the preprocessor, with the lines that a backslash joins to it.
static const char *skip_directive(const char *p)
{
    while (*p && *p != '\n')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    return p;
}

// Behind the quote that ends a text.
static const char *skip_text(const char *p)
{
    const char quote = *p++;
    while (*p && *p != quote && *p != '\n')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p ? p + 1 : p;
}

// The next word at or after *at, with its length; blanks, comments, texts and lines of the preprocessor are
// skipped. Anything that isn't part of a name is a word of one character. NULL: the end.
static const char *next_word(const char **at, size_t *length)
{
    const char *p = *at;
    for (;;) {
        p += strspn(p, " \t\r\n\v\f\\");
        if (p[0] == '/' && p[1] == '/') {
            p = skip_directive(p);
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else if (p[0] == '#') {
            p = skip_directive(p);
        } else if (p[0] == '"' || p[0] == '\'') {
            p = skip_text(p);
        } else {
            break;
        }
    }
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_')
        n++;
    *length = n ? n : 1;
    *at = *p ? p + *length : p;
    return *p ? p : NULL;
}

static bool is(const char *word, size_t length, const char *what)
{
    return strlen(what) == length && memcmp(word, what, length) == 0;
}

// Skips what is in brackets, from the opening one on.
static void skip_brackets(const char **at)
{
    const char *word;
    size_t length, depth = 0;
    while ((word = next_word(at, &length))) {
        depth += *word == '(';
        if (*word == ')' && --depth == 0)
            return;
    }
}

char *weft_first_kernel_name(const char *source)
{
    const char *at = source, *word, *name = NULL;
    size_t length, name_length = 0;
    bool in_kernel = false;
    while ((word = next_word(&at, &length))) {
        if (is(word, length, "kernel") || is(word, length, "__kernel")) {
            in_kernel = true;
            name = NULL;
        } else if (in_kernel && is(word, length, "__attribute__")) {
            skip_brackets(&at);
        } else if (in_kernel && *word == '(' && name) {
            return weft_strndup(name, name_length);
        } else if (isalnum((unsigned char)*word) || *word == '_') {
            name = word;
            name_length = length;
        } else {
            in_kernel = false;
        }
    }
    return NULL;
}
