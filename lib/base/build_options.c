// Options of clBuildProgram, clCompileProgram and clLinkProgram: OpenCL 3.0 §5.8.6. The runtime and the
// compiler use the same table, so the compiler understands all that the runtime accepts. Only listed options
// and names of warnings pass. So no text of the application (-Xclang, -fplugin=, -o, @file ...) reaches
// Clang's command line unchecked. Owns nothing.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "weft/checker.h"
#include "weft/protocol.h"

enum { BUILD = 1, COMPILE = 2, LINK = 4 };

static const struct option {
    const char *name;
    uint32_t uses;
    size_t flag; // offset of the bool that it sets; 0: none
} options[] = {
#define FLAG(field) offsetof(struct weft_build_options, field)
    {"-cl-single-precision-constant", BUILD | COMPILE, FLAG(single_precision_constant)},
    {"-cl-denorms-are-zero", BUILD | COMPILE | LINK, FLAG(denorms_are_zero)},
    {"-cl-fp32-correctly-rounded-divide-sqrt", BUILD | COMPILE, FLAG(correctly_rounded_divide_sqrt)},
    {"-cl-opt-disable", BUILD | COMPILE, FLAG(opt_disable)},
    {"-cl-strict-aliasing", BUILD | COMPILE, FLAG(strict_aliasing)}, // from OpenCL 1.0
    {"-cl-uniform-work-group-size", BUILD | COMPILE, FLAG(uniform_work_group_size)},
    {"-cl-no-subgroup-ifp", BUILD | COMPILE | LINK, 0},
    {"-cl-mad-enable", BUILD | COMPILE | LINK, FLAG(mad_enable)},
    {"-cl-no-signed-zeros", BUILD | COMPILE | LINK, FLAG(no_signed_zeros)},
    {"-cl-no-signed-zeroes", LINK, FLAG(no_signed_zeros)}, // §5.8.7 spells it like this
    {"-cl-unsafe-math-optimizations", BUILD | COMPILE | LINK, FLAG(unsafe_math)},
    {"-cl-finite-math-only", BUILD | COMPILE | LINK, FLAG(finite_math_only)},
    {"-cl-fast-relaxed-math", BUILD | COMPILE | LINK, FLAG(fast_relaxed_math)},
    {"-cl-kernel-arg-info", BUILD | COMPILE, 0}, // no effect: arguments are always described
    {"-w", BUILD | COMPILE, FLAG(no_warnings)},
    {"-Werror", BUILD | COMPILE, FLAG(warnings_as_errors)},
    {"-g", BUILD | COMPILE, FLAG(debug)},
    {"-weft-report", BUILD, FLAG(report)}, // the vectorizer's report in the build log
    {"-weft-zero-private", BUILD,
     // Private memory is initialized with zeros (cl_khr_initialize_memory).
     FLAG(zero_private)},
    {"-weft-lines", BUILD | COMPILE, FLAG(lines)}, // bitcode has source lines, without -g
    {"-weft-count", BUILD, FLAG(count)},           // the code counts its work (weft prof)
    {"-create-library", LINK, FLAG(create_library)},
    {"-enable-link-options", LINK, FLAG(enable_link_options)},
#undef FLAG
};

static const struct {
    const char *text;
    uint32_t version;
    bool cpp;
} standards[] = {{"CL", 100, false},      {"CL1.0", 100, false}, {"CL1.1", 110, false},
                 {"CL1.2", 120, false},   {"CL2.0", 200, false}, {"CL3.0", 300, false},
                 {"CL3.1", 310, false},   {"CLC++", 200, true},  {"CLC++1.0", 200, true},
                 {"CLC++2021", 300, true}};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

// Returns the next word of *at, without quotes; the caller owns it. NULL: the end; or, with *status set, no
// memory or an unclosed quote. Quotes are " and '. A backslash before a quote, a space or a backslash escapes
// it; any other backslash is an ordinary character.
static char *next_word(const char **at, weft_status *status)
{
    const char *p = *at;
    while (is_space(*p))
        p++;
    *at = p;
    if (!*p)
        return NULL;
    struct weft_buf word = {0};
    char quote = 0;
    for (; *p && (quote || !is_space(*p)); p++) {
        if (*p == '\\' && p[1] && (p[1] == '"' || p[1] == '\'' || p[1] == '\\' || p[1] == ' ') &&
            quote != '\'')
            weft_buf_append(&word, ++p, 1);
        else if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = (char)(quote ? '\0' : *p);
        else
            weft_buf_append(&word, p, 1);
    }
    *at = p;
    if (quote) {
        weft_buf_free(&word);
        *status = WEFT_INVALID_OPTIONS;
        return NULL;
    }
    char *text = weft_buf_take(&word, NULL);
    if (!text)
        *status = WEFT_NO_MEMORY;
    return text;
}

// Takes ownership of `arg`, also on failure.
static weft_status add_arg(struct weft_build_options *o, char *arg)
{
    if (!arg)
        return WEFT_NO_MEMORY;
    // The list doubles when it is full. So its count is a power of two whenever it is full.
    if ((o->arg_count & (o->arg_count - 1)) == 0) {
        size_t capacity = o->arg_count ? 2 * (size_t)o->arg_count : 1, bytes;
        char **args = weft_mul_size(capacity, sizeof *args, &bytes) ? weft_realloc(o->args, bytes) : NULL;
        if (!args) {
            weft_free(arg);
            return WEFT_NO_MEMORY;
        }
        o->args = args;
    }
    o->args[o->arg_count++] = arg;
    return WEFT_OK;
}

static bool is_name_start(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Does this use allow the option?
static bool allowed(enum weft_option_use use, uint32_t uses)
{
    switch (use) {
    case WEFT_OPTIONS_BUILD:
        return uses & BUILD;
    case WEFT_OPTIONS_COMPILE:
        return uses & COMPILE;
    case WEFT_OPTIONS_LINK:
        return uses & LINK;
    }
    return false;
}

// Handles an option that is a single word. False: the table doesn't have it, or not for this use.
static bool parse_flag(struct weft_build_options *o, const char *word, enum weft_option_use use)
{
    for (size_t i = 0; i < WEFT_COUNT_OF(options); i++) {
        if (strcmp(options[i].name, word) != 0)
            continue;
        if (!allowed(use, options[i].uses))
            return false;
        if (options[i].flag)
            *(bool *)((char *)o + options[i].flag) = true;
        return true;
    }
    return false;
}

static bool parse_standard(struct weft_build_options *o, const char *text)
{
    for (size_t i = 0; i < WEFT_COUNT_OF(standards); i++) {
        if (strcmp(standards[i].text, text) == 0) {
            o->cl_std = standards[i].version;
            o->cpp = standards[i].cpp;
            return true;
        }
    }
    return false;
}

// Checks -cl-ext=+name,-name,..., which switches extensions on and off.
static bool valid_extension_list(const char *text)
{
    while (*text == '+' || *text == '-') {
        text++;
        size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (length == 0)
            return false;
        text += length;
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
    return false;
}

// Is it -Wname, -Wno-name or -Wname=value with a name of a warning? Clang itself warns about unknown names.
// Options that compilers pass on to other programs (-Wl,...) are not names of warnings.
static bool is_warning(const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";
    if (strncmp(word, "-W", 2) != 0 || !is_name_start(word[2]))
        return false;
    const char *end = word + 2 + strspn(word + 2, letters);
    return !*end || (*end == '=' && end[1] && !end[1 + strspn(end + 1, letters)]);
}

static weft_status refuse(char **reason, const char *what, const char *word)
{
    if (reason)
        *reason = weft_format("%s: '%s'", what, word);
    return WEFT_INVALID_OPTIONS;
}

// Handles -D, -U and -I. The value follows directly or is the next word.
static weft_status parse_valued(struct weft_build_options *o, const char *word, const char **at,
                                char **reason)
{
    char *next = NULL;
    weft_status status = WEFT_OK;
    const char *value = word + 2;
    if (!*value) {
        value = next = next_word(at, &status);
        if (!next)
            return status != WEFT_OK ? status : refuse(reason, "build option needs a value", word);
    }
    if (!*value)
        status = refuse(reason, "build option needs a value", word);
    else if (word[1] != 'I' && !is_name_start(*value))
        status = refuse(reason, "not the name of a macro", value);
    else
        status = add_arg(o, weft_format("%.2s%s", word, value));
    weft_free(next);
    return status;
}

static weft_status parse_word(struct weft_build_options *o, const char *word, enum weft_option_use use,
                              const char **at, char **reason)
{
    bool front_end = use != WEFT_OPTIONS_LINK;
    if (front_end && word[0] == '-' && (word[1] == 'D' || word[1] == 'U' || word[1] == 'I'))
        return parse_valued(o, word, at, reason);
    if (front_end && strncmp(word, "-cl-std=", 8) == 0) {
        if (!parse_standard(o, word + 8))
            return refuse(reason,
                          "unknown version of OpenCL C (known are CL1.0, CL1.1, CL1.2, CL2.0, CL3.0, CL3.1, "
                          "CLC++1.0 and CLC++2021)",
                          word);
    } else if (front_end && strncmp(word, "-cl-ext=", 8) == 0) {
        if (!valid_extension_list(word + 8))
            return refuse(reason, "not a list of extensions", word);
    } else if (strncmp(word, "-weft-check=", 12) == 0) {
        o->check = weft_check_kinds_of(word + 12);
        if (!o->check)
            return refuse(reason, "not a list of kinds of faults (docs/check.md)", word);
    } else if (!parse_flag(o, word, use) && !(front_end && is_warning(word))) {
        return refuse(reason, use == WEFT_OPTIONS_LINK ? "unknown link option" : "unknown build option",
                      word);
    }
    return add_arg(o, weft_strdup(word));
}

weft_status weft_build_options_parse(struct weft_build_options *out, const char *text,
                                     enum weft_option_use use, char **reason)
{
    *out = (struct weft_build_options){0};
    if (reason)
        *reason = NULL;
    weft_status status = WEFT_OK;
    const char *at = text ? text : "";
    char *word;
    while (status == WEFT_OK && (word = next_word(&at, &status))) {
        status = parse_word(out, word, use, &at, reason);
        weft_free(word);
    }
    if (status == WEFT_INVALID_OPTIONS && reason && !*reason)
        *reason = weft_strdup("a quote in the build options is not closed");
    if (status == WEFT_OK && out->create_library == false && out->enable_link_options) {
        status = WEFT_INVALID_OPTIONS;
        if (reason)
            *reason = weft_strdup("-enable-link-options needs -create-library");
    }
    // These may violate IEEE 754 (§5.8.6.3), so they flush, too. It costs no accuracy that they promise.
    out->denorms_are_zero |= out->unsafe_math || out->fast_relaxed_math;
    if (status != WEFT_OK)
        weft_build_options_fini(out);
    return status;
}

void weft_build_options_fini(struct weft_build_options *o)
{
    for (uint32_t i = 0; i < o->arg_count; i++)
        weft_free(o->args[i]);
    weft_free(o->args);
    *o = (struct weft_build_options){0};
}
