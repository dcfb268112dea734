// The settings: their table, and their values from the environment and from configuration files. They are
// read once, at load, and set the log's level.
#include "base/config_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

enum kind { KIND_STR, KIND_UINT, KIND_ID, KIND_LANES, KIND_BOOL, KIND_VERSION, KIND_CHOICE };

static const struct {
    const char *env;
    enum kind kind;
    const char *fallback;
    uint64_t max;
    const char *text;
} table[] = {
#define WEFT_CONFIG(id, env, kind, fallback, max, text) {env, KIND_##kind, fallback, max, text},
#include "base/config.def"
};

// Only the load-time constructors and weft_config_reload (tests, one thread) write it. Nothing is freed at
// exit, because other threads may be in our calls then. So the strings lie in static memory of the library,
// which unloading frees. A string that doesn't fit there is leaked.
static struct {
    char *str;
    uint64_t number;
    const char
        *origin; // where the value is from: "the environment", or a kept string; NULL: it is the default
    bool fixed;  // by the environment: files can't change it
} values[WEFT_CFG_COUNT];
static char strings[16 << 10];
static size_t strings_used;

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

// A number such as vendors have: decimal, or hexadecimal with 0x in front.
static bool parse_id(const char *s, uint64_t *out)
{
    if (s[0] != '0' || (s[1] != 'x' && s[1] != 'X'))
        return parse_uint(s, out);
    const size_t digits = strspn(s + 2, "0123456789abcdefABCDEF");
    if (digits == 0 || digits > 16 || s[2 + digits] != '\0')
        return false;
    *out = strtoull(s + 2, NULL, 16);
    return true;
}

// Accepts versions of OpenCL from 1.2 on.
static bool parse_version(const char *s, uint64_t *out)
{
    static const char *const versions[] = {"1.2", "2.0", "2.1", "2.2", "3.0", "3.1"};
    for (size_t i = 0; i < WEFT_COUNT_OF(versions); i++) {
        if (strcmp(s, versions[i]) == 0) {
            *out = 100u * (uint64_t)(s[0] - '0') + 10u * (uint64_t)(s[2] - '0');
            return true;
        }
    }
    return false;
}

// Finds s among the words in `choices`, which are separated by bars. *out: its index.
static bool parse_choice(const char *choices, const char *s, uint64_t *out)
{
    uint64_t number = 0;
    for (const char *word = choices; *word; number++) {
        size_t length = strcspn(word, "|");
        if (strlen(s) == length && strncasecmp(word, s, length) == 0) {
            *out = number;
            return true;
        }
        word += length + (word[length] == '|');
    }
    return false;
}

static bool parse(size_t i, const char *s, uint64_t *out)
{
    switch (table[i].kind) {
    case KIND_STR:
        return table[i].max == 0 || strlen(s) <= table[i].max;
    case KIND_ID:
        return parse_id(s, out) && *out <= table[i].max;
    case KIND_BOOL:
        return parse_bool(s, out);
    case KIND_VERSION:
        return parse_version(s, out) && *out <= table[i].max;
    case KIND_CHOICE:
        return parse_choice(table[i].fallback, s, out);
    case KIND_UINT:
    case KIND_LANES:
        break;
    }
    return parse_uint(s, out) && *out <= table[i].max &&
           (table[i].kind == KIND_UINT || (*out & (*out - 1)) == 0);
}

// Writes the words of a choice as "auto, never or always".
static void list_words(const char *choices, char *room, size_t size)
{
    size_t used = 0;
    for (const char *word = choices; *word && used < size;) {
        const size_t length = strcspn(word, "|");
        const bool first = word == choices, last = word[length] == '\0';
        used += (size_t)snprintf(room + used, size - used, "%s%.*s",
                                 first  ? ""
                                 : last ? " or "
                                        : ", ",
                                 (int)length, word);
        word += length + !last;
    }
}

static const char *what_it_takes(size_t i, char *room, size_t size)
{
    switch (table[i].kind) {
    case KIND_STR:
        snprintf(room, size, "text of up to %llu bytes", (unsigned long long)table[i].max);
        return room;
    case KIND_ID:
        snprintf(room, size, "a number up to 0x%llx, decimal or with 0x in front",
                 (unsigned long long)table[i].max);
        return room;
    case KIND_BOOL:
        return "0 or 1 (also no, off, false or yes, on, true)";
    case KIND_VERSION:
        return "1.2, 2.0, 2.1, 2.2, 3.0 or 3.1";
    case KIND_CHOICE:
        list_words(table[i].fallback, room, size);
        return room;
    case KIND_LANES:
        snprintf(room, size, "0 or a power of two up to %llu", (unsigned long long)table[i].max);
        return room;
    case KIND_UINT:
        break;
    }
    snprintf(room, size, "a whole number up to %llu", (unsigned long long)table[i].max);
    return room;
}

// place: the file and line it stands in, with a colon and a space after; "" for the environment.
static void refuse(const char *place, size_t i, const char *value)
{
    char room[128];
    weft_log_ignored_setting("%s%s=%.100s is ignored: it takes %s (%s)", place, table[i].env, value,
                             what_it_takes(i, room, sizeof room), table[i].text);
}

// Names that Weft's tests and tools use.
static bool is_of_a_tool(const char *name)
{
    return strncmp(name, "WEFT_BENCH_", 11) == 0 || strncmp(name, "WEFT_TEST_", 10) == 0;
}

// The edit distance: how many characters must be changed, added or removed to turn a into b.
static size_t distance(const char *a, size_t a_length, const char *b)
{
    // Row[j]: distance from the part of a so far to the first j characters of b.
    size_t row[40], b_length = strlen(b);
    if (b_length >= WEFT_COUNT_OF(row))
        return SIZE_MAX;
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 0; i < a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b_length; j++) {
            size_t least = diagonal + (a[i] != b[j]);
            least = row[j] + 1 < least ? row[j] + 1 : least;
            least = row[j + 1] + 1 < least ? row[j + 1] + 1 : least;
            diagonal = row[j + 1];
            row[j + 1] = least;
        }
    }
    return row[b_length];
}

static const char *similar_name(const char *name, size_t length)
{
    // A distance of more than two, or of more than a third of the name, means another name.
    const char *best = NULL;
    const size_t prefix = strlen("WEFT_");
    if (strncmp(name, "WEFT_", prefix) == 0) {
        name += prefix;
        length -= prefix;
    }
    size_t least = 1 + (length < 6 ? length / 3 : 2);
    for (size_t i = 0; i < WEFT_CFG_COUNT && length < 40; i++) {
        size_t d = distance(name, length, table[i].env + prefix);
        if (d < least) {
            least = d;
            best = table[i].env;
        }
    }
    return best;
}

static void warn_of_unknown_names(void)
{
    for (char **e = environ; *e && !getauxval(AT_SECURE); e++) {
        int length = (int)strcspn(*e, "=");
        bool known = strncmp(*e, "WEFT_", 5) != 0 || is_of_a_tool(*e);
        for (size_t i = 0; i < WEFT_CFG_COUNT && !known; i++)
            known = strncmp(*e, table[i].env, (size_t)length) == 0 && table[i].env[length] == '\0';
        const char *similar = known ? NULL : similar_name(*e, (size_t)length);
        if (!known)
            weft_log_ignored_setting("%.*s is not a variable of Weft and is ignored%s%s%s",
                                     length < 100 ? length : 100, *e, similar ? "; did you mean " : "",
                                     similar ? similar : "", similar ? "?" : "");
    }
}

static char *keep_string(const char *s)
{
    size_t n = strlen(s) + 1;
    if (n > sizeof strings - strings_used)
        return strdup(s); // fault injection can't be on yet, so plain strdup
    char *kept = memcpy(strings + strings_used, s, n);
    strings_used += n;
    return kept;
}

static void drop_string(char *s)
{
    if (s < strings || s >= strings + sizeof strings)
        free(s);
}

// Sets a value that was parsed. s NULL: the default.
static void set(size_t i, const char *s, uint64_t number, const char *origin)
{
    if (!s && table[i].fallback && table[i].kind != KIND_CHOICE) // the first word of a CHOICE is its default
        parse(i, table[i].fallback, &number);
    if (!s && table[i].kind == KIND_STR)
        s = table[i].fallback;
    drop_string(values[i].str);
    values[i].str = s ? keep_string(s) : NULL;
    values[i].number = number;
    values[i].origin = origin;
}

// Takes s if it is valid. An empty text stands for the default.
static void take(size_t i, const char *s, const char *origin, const char *place)
{
    uint64_t number = 0;
    if (*s == '\0')
        set(i, NULL, 0, NULL);
    else if (parse(i, s, &number))
        set(i, s, number, origin);
    else
        refuse(place, i, s);
}

void weft_config_reload(void)
{
    for (size_t i = 0; i < WEFT_CFG_COUNT; i++) {
        drop_string(values[i].str);
        values[i].str = NULL;
    }
    strings_used = 0;
    weft_log_set_level(secure_getenv("WEFT_LOG"));
    warn_of_unknown_names();
    for (size_t i = 0; i < WEFT_CFG_COUNT; i++) {
        const char *s = secure_getenv(table[i].env);
        set(i, NULL, 0, NULL);
        values[i].fixed = s != NULL;
        if (s)
            take(i, s, "the environment", "");
    }
    weft_alloc_fail_at(values[WEFT_CFG_FAIL_ALLOC].number);
}

static bool find_setting(const char *name, size_t *out)
{
    for (size_t i = 0; i < WEFT_CFG_COUNT; i++) {
        if (strcmp(name, table[i].env) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

void weft_config_take(const char *name, const char *value, const char *origin)
{
    size_t i;
    char place[WEFT_CONFIG_PLACE + 2];
    snprintf(place, sizeof place, "%s: ", origin);
    if (!find_setting(name, &i)) {
        const char *similar = similar_name(name, strlen(name));
        weft_log_ignored_setting("%s%.100s is not a setting of Weft and is ignored%s%s%s", place, name,
                                 similar ? "; did you mean " : "", similar ? similar : "",
                                 similar ? "?" : "");
        return;
    }
    if (i == WEFT_CFG_CONF)
        weft_log_ignored_setting("%sWEFT_CONF works in the environment only and is ignored here", place);
    else if (!values[i].fixed)
        take(i, value, keep_string(origin), place);
    if (i == WEFT_CFG_LOG)
        weft_log_set_level(values[i].str);
    weft_alloc_fail_at(values[WEFT_CFG_FAIL_ALLOC].number);
}

void weft_config_report(void)
{
    for (size_t i = 0; i < WEFT_CFG_COUNT; i++)
        if (values[i].origin)
            weft_log(WEFT_LOG_INFO, "setting %s=%s, from %s", table[i].env, values[i].str, values[i].origin);
}

__attribute__((constructor(101))) static void config_load(void)
{
    weft_config_reload();
}

uint64_t weft_config_uint(enum weft_config c)
{
    return values[c].number;
}

const char *weft_config_str(enum weft_config c)
{
    return values[c].str;
}

const char *weft_config_origin(enum weft_config c)
{
    return values[c].origin;
}

const char *weft_config_env(enum weft_config c)
{
    return table[c].env;
}
