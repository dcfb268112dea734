// The syntax of configuration files: lines with a section, a setting, a comment or nothing.
#include <fnmatch.h>
#include <string.h>

#include "base/config_file.h"

#define MAX_PROBLEMS 8u // in a file; more are not reported

struct part {
    const char *at;
    size_t size;
};

struct reader {
    const struct weft_program_names *program;
    const struct weft_config_handler *handler;
    unsigned line, problems;
    bool applies; // do the settings of this section?
};

static void problem(struct reader *r, const char *text)
{
    if (r->problems++ < MAX_PROBLEMS)
        r->handler->problem(r->handler->context, r->line, text);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct part trim(struct part p)
{
    while (p.size && is_space(p.at[0])) {
        p.at++;
        p.size--;
    }
    while (p.size && is_space(p.at[p.size - 1]))
        p.size--;
    return p;
}

static bool is_comment(struct part p)
{
    return p.size == 0 || p.at[0] == '#' || p.at[0] == ';';
}

static bool has_control_characters(struct part p)
{
    for (size_t i = 0; i < p.size; i++)
        if ((unsigned char)p.at[i] < 32 && p.at[i] != '\t')
            return true;
    return false;
}

static bool equals(struct part p, const char *word)
{
    return p.size == strlen(word) && memcmp(p.at, word, p.size) == 0;
}

// The part up to the first separator, which is removed from *rest with it.
static struct part next(struct part *rest, char separator)
{
    const char *end = memchr(rest->at, separator, rest->size);
    struct part p = {rest->at, end ? (size_t)(end - rest->at) : rest->size};
    rest->at += p.size + (end != NULL);
    rest->size -= p.size + (end != NULL);
    return p;
}

static bool is_program(const struct weft_program_names *program, const char *pattern)
{
    for (size_t i = 0; i < program->count; i++)
        if (fnmatch(pattern, program->names[i], 0) == 0)
            return true;
    return false;
}

// Does one of the patterns, which commas separate, match? They are the rest of a section's line.
static bool any_matches(struct reader *r, struct part patterns, bool library)
{
    bool found = false;
    while (patterns.size) {
        char pattern[256];
        const struct part p = trim(next(&patterns, ','));
        if (p.size == 0 || p.size >= sizeof pattern) {
            problem(r, "a pattern is empty or has more than 255 bytes");
            return false;
        }
        memcpy(pattern, p.at, p.size);
        pattern[p.size] = '\0';
        found = found || (library ? r->program->has_library(pattern) : is_program(r->program, pattern));
    }
    return found;
}

static void read_section(struct reader *r, struct part line)
{
    r->applies = false; // settings below a section that isn't understood are for nobody
    if (line.at[line.size - 1] != ']') {
        problem(r, "a section ends with ]");
        return;
    }
    struct part rest = trim((struct part){line.at + 1, line.size - 2});
    const struct part kind = next(&rest, ' ');
    rest = trim(rest);
    if (equals(kind, "all") && rest.size == 0)
        r->applies = true;
    else if ((equals(kind, "program") || equals(kind, "library")) && rest.size)
        r->applies = any_matches(r, rest, equals(kind, "library"));
    else
        problem(r, "a section is [program NAMES], [library NAMES] or [all]");
}

// Removes quotation marks, or a comment behind the value. False: the marks don't fit.
static bool plain_value(struct part *value)
{
    if (value->size && value->at[0] == '"') {
        struct part rest = {value->at + 1, value->size - 1};
        const char *end = memchr(rest.at, '"', rest.size);
        *value = next(&rest, '"');
        return end && is_comment(trim(rest));
    }
    for (size_t i = 1; i < value->size; i++) {
        if ((value->at[i] == '#' || value->at[i] == ';') && is_space(value->at[i - 1])) {
            value->size = i;
            break;
        }
    }
    *value = is_comment(*value) ? (struct part){value->at, 0} : trim(*value);
    return true;
}

static void read_setting(struct reader *r, struct part line)
{
    struct part rest = line;
    const struct part name = trim(next(&rest, '='));
    struct part value = trim(rest);
    if (name.size == line.size || name.size == 0)
        problem(r, "this is neither NAME = VALUE nor a section");
    else if (!plain_value(&value))
        problem(r, "the value's quotation marks don't fit");
    else if (r->applies)
        r->handler->setting(r->handler->context, r->line, name.at, name.size, value.at, value.size);
}

static void read_line(struct reader *r, struct part line)
{
    line = trim(line);
    if (is_comment(line))
        return;
    if (has_control_characters(line))
        problem(r, "it has control characters");
    else if (line.at[0] == '[')
        read_section(r, line);
    else
        read_setting(r, line);
}

void weft_config_parse(const char *text, size_t size, const struct weft_program_names *program,
                       const struct weft_config_handler *handler)
{
    struct reader r = {.program = program, .handler = handler, .applies = true};
    struct part rest = {text, size};
    while (rest.size) {
        const struct part line = next(&rest, '\n');
        r.line++;
        read_line(&r, line);
    }
}
