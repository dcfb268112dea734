// What the driver has written about a program's kernels, and what follows from it.
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#include "tools/prof.h"
#include "tools/tool.h"

// ---- Reading ----

enum { WORDS = 13 };

static size_t split(char *line, char *words[WORDS])
{
    size_t count = 0;
    for (char *at = line; at && count < WORDS; count++) {
        words[count] = strsep(&at, "\t\n");
    }
    return count;
}

static struct weft_profiled *find(struct weft_profile *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->kernels[i].name, name) == 0)
            return &p->kernels[i];
    struct weft_profiled *more = weft_realloc(p->kernels, (p->count + 1) * sizeof *more);
    char *copy = weft_strdup(name);
    if (!more || !copy) {
        weft_free(copy);
        p->kernels = more ? more : p->kernels;
        return NULL;
    }
    p->kernels = more;
    more[p->count] = (struct weft_profiled){.name = copy};
    return &more[p->count++];
}

// what: `full dim1, 16 lanes, znver4`.
static void take_code(struct weft_profiled *k, double ns, const char *what, const double memory[3])
{
    if (ns < k->code_ns)
        return;
    const char *lanes = strstr(what, ", ");
    k->code_ns = ns;
    k->private_bytes = memory[0];
    k->stack_bytes = memory[1];
    k->spills = memory[2];
    weft_free(k->code);
    k->code = weft_strdup(what);
    k->lanes = lanes ? (unsigned)strtoul(lanes + 2, NULL, 10) : 0;
    char *end = k->code ? strchr(k->code, ',') : NULL;
    if (end)
        *end = '\0';
    const char *along = k->code ? strstr(k->code, " dim") : NULL;
    k->along = along ? (unsigned)(along[4] - '0') % WEFT_COUNT_DIMS : 0;
}

static void take_line_counts(struct weft_profiled *k, const double n[WORDS])
{
    const unsigned along = (unsigned)n[3] % WEFT_COUNT_DIMS;
    struct weft_profiled_line *line = NULL;
    for (size_t i = 0; i < k->line_count && !line; i++)
        line = k->lines[i].number == (unsigned)n[2] ? &k->lines[i] : NULL;
    if (!line) {
        struct weft_profiled_line *more = weft_realloc(k->lines, (k->line_count + 1) * sizeof *more);
        if (!more)
            return;
        k->lines = more;
        line = &more[k->line_count++];
        *line = (struct weft_profiled_line){.number = (unsigned)n[2]};
    }
    line->bytes += n[4];
    line->operations += n[5];
    for (size_t l = 0; l < WEFT_COUNT_LEVELS; l++)
        line->instructions[along][l] += n[6 + l];
}

static void take_lanes(struct weft_profiled *k, const double n[WORDS])
{
    const unsigned along = (unsigned)n[2] % WEFT_COUNT_DIMS;
    size_t level = 0;
    while (level + 1 < WEFT_COUNT_LEVELS && (double)(1u << level) < n[3])
        level++;
    k->counted[along].active[level] += n[4];
    k->counted[along].divergent[level] += n[5];
    k->counted[along].all[level] += n[6];
}

static void take_strip(struct weft_profile *p, char *const words[WORDS], const char *process)
{
    struct weft_profiled_strip *more = weft_realloc(p->strips, (p->strip_count + 1) * sizeof *more);
    if (!more)
        return;
    p->strips = more;
    more[p->strip_count++] = (struct weft_profiled_strip){
        weft_strdup(words[1]),  weft_strdup(words[2]), strtod(words[3], NULL),
        strtod(words[4], NULL), weft_strdup(words[5]), weft_strdup(process),
    };
}

static void take_line(struct weft_profile *p, char *words[WORDS], size_t count)
{
    static const char *const kinds[] = {"kernel", "code", "counted", "source", "lanes", "line"};
    bool known = false;
    for (size_t i = 0; i < WEFT_COUNT_OF(kinds); i++)
        known |= strcmp(words[0], kinds[i]) == 0;
    struct weft_profiled *k = known && count > 2 ? find(p, words[1]) : NULL;
    double n[WORDS] = {0};
    for (size_t i = 2; i < count; i++)
        n[i] = strtod(words[i], NULL);
    if (!k)
        return;
    if (strcmp(words[0], "kernel") == 0 && count > 11) {
        // Of several processes, the median is that of the one with the most launches.
        k->median = n[2] > k->launches ? n[5] : k->median;
        k->longest = n[6] > k->longest ? n[6] : k->longest;
        k->launches += n[2];
        k->failed += n[3];
        k->ns += n[4];
        k->waited += n[7];
        k->items += n[8];
        k->compile_ns += n[9];
        k->steady_ns += n[10];
        k->steady_items += n[11];
    } else if (strcmp(words[0], "code") == 0 && count > 3) {
        take_code(k, n[2], words[3], n + 4);
    } else if (strcmp(words[0], "line") == 0 && count > 12) {
        take_line_counts(k, n);
    } else if (strcmp(words[0], "lanes") == 0 && count > 6) {
        take_lanes(k, n);
    } else if (strcmp(words[0], "counted") == 0 && count > 7) {
        k->counted_items += n[2];
        k->bytes += n[3];
        k->operations += n[4];
        k->doubles += n[5];
        k->sampled_items += n[7];
    } else if (strcmp(words[0], "source") == 0 && count > 4 && !k->source) {
        k->source = weft_strdup(words[2]);
        k->options = weft_strdup(words[3]);
        k->own_name = weft_strdup(words[4]);
    }
}

bool weft_profile_read(struct weft_profile *p, const char *path)
{
    FILE *f = fopen(path, "re");
    char *line = NULL, process[24] = "";
    size_t room = 0;
    bool good = f && getline(&line, &room, f) > 0 && strcmp(line, "weft-profile\t5\n") == 0;
    while (good && getline(&line, &room, f) > 0) {
        char *words[WORDS];
        const size_t count = split(line, words);
        if (strcmp(words[0], "process") == 0 && count > 1)
            snprintf(process, sizeof process, "%s", words[1]);
        else if (strcmp(words[0], "strip") == 0 && count > 5)
            take_strip(p, words, process);
        else
            take_line(p, words, count);
    }
    free(line);
    if (f)
        fclose(f);
    return good;
}

// ---- Judging ----

const char *weft_bound_name(enum weft_bound b)
{
    static const char *const names[] = {"?", "memory", "caches", "compute", "latency", "launches"};
    return names[b];
}

static enum weft_bound bound_of(const struct weft_profiled *k, const struct weft_limits *l)
{
    // A launch that is over before all threads have begun is mostly launching. Memory and arithmetic are the
    // limit where they reach half of what a kernel that does nothing else reaches; if they don't, something
    // else takes the time: latencies, branches, whole numbers, private memory.
    const double short_ns = 20e3, limiting = 0.5, beyond_memory = 1.2;
    if (k->ns < short_ns * k->launches) // the mean: most of the time may be that of a few long ones
        return WEFT_BOUND_LAUNCHES;
    if (!l || k->counted_items <= 0)
        return WEFT_BOUND_UNKNOWN;
    // Each sort of operations takes a share of the time, if nothing else does.
    const double doubles = k->operations > 0 ? k->doubles / k->operations : 0;
    const double memory = k->gb_per_s / l->bytes_per_ns,
                 compute =
                     k->gflop_per_s * ((1 - doubles) / l->operations_per_ns + doubles / l->doubles_per_ns);
    if (memory < limiting && compute < limiting)
        return WEFT_BOUND_LATENCY;
    if (compute >= limiting || compute > memory)
        return WEFT_BOUND_COMPUTE;
    return memory > beyond_memory ? WEFT_BOUND_CACHES : WEFT_BOUND_MEMORY;
}

const char *weft_profile_next_remark(const char **at, unsigned *line, size_t *size)
{
    while (*at && **at) {
        const size_t length = strcspn(*at, "\n");
        const char *end_of_line = *at + length, *text = *at + strspn(*at, " ");
        char *end = NULL;
        const unsigned long number = strncmp(text, "line ", 5) == 0 ? strtoul(text + 5, &end, 10) : 0;
        *at = end_of_line + (*end_of_line == '\n');
        if (!number || *end != ':')
            continue;
        end += 1 + strspn(end + 1, " ");
        *line = (unsigned)number;
        *size = (size_t)(end_of_line - end);
        return end;
    }
    return NULL;
}

static double share_of_line(const struct weft_profiled *k, unsigned line)
{
    for (size_t i = 0; i < k->line_count; i++)
        if (k->lines[i].number == line)
            return k->lines[i].share;
    return 0;
}

// The remark of a report that costs most: on the line on which most is done; if lines do the same, the worst
// one. The caller's. NULL: there is none.
static char *worst_remark(const struct weft_profiled *k, const char *report, unsigned *worst_line)
{
    char *worst = NULL;
    double most = -1;
    *worst_line = 0;
    for (const char *const *word = weft_costly_remarks; *word; word++) {
        const char *at = report, *remark;
        size_t size;
        unsigned line;
        while ((remark = weft_profile_next_remark(&at, &line, &size)))
            if (memmem(remark, size, *word, strlen(*word)) && share_of_line(k, line) > most) {
                most = share_of_line(k, line);
                weft_free(worst);
                worst = weft_strndup(remark, size);
                *worst_line = line;
            }
    }
    return worst;
}

// The line on which most is done. NULL: none is known.
static const struct weft_profiled_line *busiest_line(const struct weft_profiled *k)
{
    const struct weft_profiled_line *busiest = NULL;
    for (size_t i = 0; i < k->line_count; i++)
        if (k->lines[i].number && (!busiest || k->lines[i].share > busiest->share))
            busiest = &k->lines[i];
    return busiest;
}

// The next word of build options, which is written over them; quotes and backslashes are as in a shell. NULL:
// the end.
static char *next_option(char **at)
{
    char *from = *at + strspn(*at, " "), *to = from, *word = from, quote = 0;
    if (!*from)
        return NULL;
    for (; *from && (quote || *from != ' '); from++) {
        const bool escapes = *from == '\\' && from[1] && quote != '\'';
        if (escapes)
            *to++ = *++from;
        else if (quote ? *from == quote : *from == '"' || *from == '\'')
            quote = (char)(quote ? 0 : *from);
        else
            *to++ = *from;
    }
    *at = from + (*from != '\0');
    *to = '\0';
    return word;
}

const char *weft_profile_report(struct weft_profiled *k)
{
    enum { OWN = 6 };
    const struct weft_installation *i = weft_installation_find();
    char *options = !k->report && k->source && k->own_name && i->weftc ? weft_strdup(k->options) : NULL;
    char **arguments = options ? weft_alloc_array(strlen(options) / 2 + 1 + OWN, sizeof *arguments) : NULL;
    if (arguments) {
        char *const first[] = {"weftc", "--report=vectorize", "-k", k->own_name};
        size_t count = WEFT_COUNT_OF(first);
        memcpy(arguments, first, sizeof first);
        for (char *at = options, *word; (word = next_option(&at));)
            arguments[count++] = word;
        arguments[count] = k->source;
        k->report = weft_tool_output(i->weftc, arguments, true);
    }
    weft_free((void *)arguments);
    weft_free(options);
    return k->report;
}

// What a remark says of line k->line, and, if little is done there, which line has most of the work.
static char *advice_of_line(struct weft_profiled *k, const char *remark)
{
    const double little = 5, percent = 100 * share_of_line(k, k->line);
    const struct weft_profiled_line *busiest = busiest_line(k);
    const unsigned line = k->line;
    if (percent >= little)
        return weft_format("line %u, %.0f%% of its work: %s", line, percent, remark);
    if (!busiest)
        return weft_format("line %u: %s", line, remark);
    k->line = busiest->number;
    return weft_format("line %u has %.0f%% of its work; line %u: %s", k->line, 100 * busiest->share, line,
                       remark);
}

static char *advice_for(struct weft_profiled *k)
{
    if (k->failed > 0)
        return weft_format("%.0f launch%s failed: WEFT_LOG=error says why", k->failed,
                           k->failed > 1 ? "es" : "");
    if (k->bound == WEFT_BOUND_LAUNCHES)
        return weft_format("a launch takes %.1f us: fewer and larger ones, or a command buffer, save most",
                           k->ns / k->launches / 1e3);
    if (k->code && strncmp(k->code, "quick", 5) == 0 && k->ns < k->compile_ns)
        return weft_strdup(
            "it mostly ran in quick code, since better code was still being compiled: the next run "
            "finds that in the disk cache");
    const char *report = k->bound == WEFT_BOUND_MEMORY ? NULL : weft_profile_report(k);
    char *remark = report ? worst_remark(k, report, &k->line) : NULL;
    if (remark) {
        char *text = advice_of_line(k, remark);
        weft_free(remark);
        return text;
    }
    if (k->bound == WEFT_BOUND_MEMORY)
        return weft_strdup("memory is the limit: smaller types, or several steps in one kernel, help");
    if (k->bound == WEFT_BOUND_CACHES)
        return weft_strdup(
            "it accesses more than memory could give: keep values that are used again, in private "
            "or local memory");
    if (k->bound == WEFT_BOUND_COMPUTE)
        return weft_strdup("arithmetic is the limit: only fewer operations help");
    if (k->lanes > 1 && busiest_line(k)) {
        k->line = busiest_line(k)->number;
        return weft_format("line %u has %.0f%% of its work", k->line, 100 * share_of_line(k, k->line));
    }
    return k->lanes == 1 ? weft_strdup("the code has no lanes yet, or can't have any: see weft report")
                         : weft_strdup("nothing stands out: see weft report, and a timeline (WEFT_TRACE)");
}

// What follows from the number of lanes and from their dimension.
static void judge_lanes(struct weft_profiled *k)
{
    size_t level = 0;
    while (level + 1 < WEFT_COUNT_LEVELS && 1u << level < k->lanes)
        level++;
    // Where nothing was counted along that dimension, it was along another one; lines have about the same
    // shares, but how many lanes were active isn't known.
    unsigned along = k->along;
    for (unsigned d = 0; d < WEFT_COUNT_DIMS && k->counted[along].all[level] <= 0; d++)
        along = d;
    double sum = 0, most = 0;
    for (size_t i = 0; i < k->line_count; i++) {
        struct weft_profiled_line *line = &k->lines[i];
        const double together = line->instructions[along][level];
        line->active_lanes = together > 0 ? line->instructions[along][0] / together : 0;
        most = line->active_lanes > most ? line->active_lanes : most;
        sum += together;
    }
    for (size_t i = 0; i < k->line_count && sum > 0; i++) {
        struct weft_profiled_line *line = &k->lines[i];
        line->share = line->instructions[along][level] / sum;
        // all lanes but those beyond the end of a row; or unknown
        if (line->active_lanes > 0.999 * most || along != k->along)
            line->active_lanes = 0;
    }
    if (level && along == k->along && k->counted[along].divergent[level] > 0) {
        k->active_lanes = k->counted[along].active[level] / k->counted[along].divergent[level];
        k->divergent_share = k->counted[along].divergent[level] / k->counted[along].all[level];
    }
}

static int by_time(const void *a, const void *b)
{
    const struct weft_profiled *x = a, *y = b;
    return (y->ns > x->ns) - (y->ns < x->ns);
}

void weft_profile_judge(struct weft_profile *p, const struct weft_limits *limits)
{
    qsort(p->kernels, p->count, sizeof *p->kernels, by_time);
    for (size_t i = 0; i < p->count; i++) {
        struct weft_profiled *k = &p->kernels[i];
        p->ns += k->ns;
        const bool steady = k->steady_items > 0 && k->steady_ns > 0;
        const double items = steady ? k->steady_items : k->items, ns = steady ? k->steady_ns : k->ns;
        if (k->counted_items > 0 && ns > 0) {
            k->gb_per_s = k->bytes / k->counted_items * items / ns;
            k->gflop_per_s = k->operations / k->counted_items * items / ns;
        }
        judge_lanes(k);
        if (!k->code && k->counted_items > 0)
            k->code = weft_strdup("counting"); // nothing else ran
        k->bound = bound_of(k, limits);
        k->advice = advice_for(k);
    }
}
