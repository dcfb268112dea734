// The timeline's file: its name, and what is in it. Owns the name.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/trace/internal.h"

#define QUEUES_PROCESS 10000000 // is added to the process's number: queues look like a process of their own

static char *pattern; // absolute, with %p

// The file is written when the process ends. What can be known to fail is said at once.
static void check_folder(void)
{
    char *folder = weft_trace_with_number(pattern), *slash = folder ? strrchr(folder, '/') : NULL;
    struct stat st;
    const bool is_special = folder && lstat(folder, &st) == 0 && !S_ISREG(st.st_mode); // as /dev/stderr
    if (slash && !is_special) {
        slash[slash == folder] = '\0';
        if (access(folder, W_OK | X_OK) != 0) {
            char text[128];
            weft_log_ignored_setting("WEFT_TRACE: no file can be written to the folder %s: %s", folder,
                                     weft_write_error(errno, text, sizeof text));
        }
    }
    weft_free(folder);
}

bool weft_trace_file_start(void)
{
    pattern = weft_trace_absolute(weft_config_str(WEFT_CFG_TRACE));
    if (pattern)
        check_folder();
    return pattern != NULL;
}

void weft_trace_file_stop(void)
{
    weft_free(pattern);
    pattern = NULL;
}

bool weft_trace_has_file_of_its_own(void)
{
    return strstr(pattern, "%p") != NULL;
}

// ---- Records of threads ----

static const struct {
    const char *name;
    char phase;
    const char *category, *arguments;
} kinds[] = {
#define WEFT_TRACE_KIND(kind, phase, category, arguments) {#kind, phase, category, arguments},
    WEFT_TRACE_KINDS(WEFT_TRACE_KIND)
#undef WEFT_TRACE_KIND
};

// What events are called that have no name of their own.
static const char *name_of(const struct weft_trace_record *r)
{
    const char *name = weft_trace_text_of(r->name);
    if (name)
        return name;
    switch (r->kind) {
    case WEFT_TRACE_SLEEP:
        return "sleep";
    case WEFT_TRACE_WAKE:
        return "wake";
    case WEFT_TRACE_STEAL:
        return "steal";
    default:
        return kinds[r->kind].name;
    }
}

// One argument. word, length: its name and what stands before that. False: there is nothing to say.
static void put_argument(struct weft_trace_output *o, const struct weft_trace_record *r, const char *word,
                         size_t length, uint64_t value, bool *any)
{
    const char *text = *word == '$'   ? weft_trace_text_of((weft_trace_text)value)
                       : *word == '@' ? weft_trace_code_at(value, r->time)
                                      : NULL;
    const bool is_text = *word == '$' || *word == '@';
    if (is_text && !text)
        return;
    weft_trace_put(o, "%s\"%.*s\":", *any ? "," : ",\"args\":{", (int)(length - is_text), word + is_text);
    *any = true;
    if (is_text)
        weft_trace_put_text(o, text);
    else
        weft_trace_put(o, "%" PRId64, (int64_t)value);
}

static void put_record(struct weft_trace_output *o, const struct weft_trace_record *r, int64_t process,
                       int64_t thread)
{
    const char phase = kinds[r->kind].phase, *arguments = kinds[r->kind].arguments;
    weft_trace_put_event(o, phase, kinds[r->kind].category, name_of(r), process, thread, r->time);
    if (phase == 'X')
        weft_trace_put_duration(o, r->end > r->time ? r->end - r->time : 0);
    else if (phase == 'i')
        weft_trace_put(o, ",\"s\":\"t\"");
    bool any = false;
    size_t i = 0;
    if (r->kind == WEFT_TRACE_RANGE) { // the command's two numbers are one name
        put_argument(o, r, "first", 5, r->value[0], &any);
        put_argument(o, r, "end", 3, r->value[1], &any);
        put_argument(o, r, "@code", 5, r->value[2], &any);
        weft_trace_put(o, ",\"command\":\"%" PRIx64 ".%" PRIx64 "\"", r->value[3], r->value[4]);
        arguments = "";
    }
    while (*arguments && i < WEFT_TRACE_VALUES) {
        const size_t length = strcspn(arguments, " ");
        put_argument(o, r, arguments, length, r->value[i++], &any);
        arguments += length + (arguments[length] == ' ');
    }
    weft_trace_put(o, any ? "}}" : "}");
}

// What encloses others comes first.
static int by_time(const void *a, const void *b)
{
    const struct weft_trace_record *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end;
}

// Says in the timeline itself where it begins.
static void put_dropped(struct weft_trace_output *o, const struct weft_trace_thread *t, int64_t process)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < t->count; i++)
        first = t->record[i].time < first ? t->record[i].time : first;
    if (first == UINT64_MAX)
        return;
    weft_trace_put_event(o, 'i', "timeline", "older events are dropped", process, t->id, first);
    weft_trace_put(o, ",\"s\":\"t\",\"args\":{\"dropped\":%" PRIu64 "}}", t->dropped);
}

static void put_thread(struct weft_trace_output *o, struct weft_trace_thread *t, int64_t process,
                       struct weft_trace_commands *commands)
{
    weft_trace_put_name(o, "thread_name", process, t->id, t->name);
    if (t->dropped)
        put_dropped(o, t, process);
    qsort(t->record, t->count, sizeof *t->record, by_time);
    for (size_t i = 0; i < t->count; i++) {
        const struct weft_trace_record *r = &t->record[i];
        if (r->kind == WEFT_TRACE_COMMAND || r->kind == WEFT_TRACE_WAITS_FOR)
            weft_trace_commands_add(commands, r);
        else if (r->kind < WEFT_TRACE_KIND_COUNT)
            put_record(o, r, process, t->id);
    }
}

// ---- The file ----

static void put_all(struct weft_trace_output *o)
{
    const int64_t process = getpid();
    struct weft_trace_commands commands = {0};
    struct weft_trace_thread t = {0};
    uint64_t dropped = weft_trace_lost();
    weft_trace_put(o, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    weft_trace_put_name(o, "process_name", process, 0, program_invocation_short_name);
    for (size_t next = 0; weft_trace_next_thread(&next, &t);) {
        put_thread(o, &t, process, &commands);
        dropped += t.dropped;
        weft_free(t.record);
    }
    weft_trace_memory_put(o, process);
    weft_trace_pending_add(&commands, weft_time_now());
    if (commands.command_count)
        weft_trace_put_name(o, "process_name", process + QUEUES_PROCESS, 0, "command queues");
    weft_trace_commands_put(o, &commands, process + QUEUES_PROCESS);
    weft_free(commands.command);
    weft_free(commands.edge);
    weft_trace_put(o,
                   "\n],\"otherData\":{\"weft\":\"" WEFT_VERSION "\",\"process\":%" PRId64
                   ",\"clock\":\"CLOCK_MONOTONIC\",\"dropped_events\":%" PRIu64 "}}\n",
                   process, dropped + commands.lost);
}

static bool write_to(int fd)
{
    struct weft_trace_output *o = weft_zalloc(sizeof *o);
    if (!o) {
        errno = ENOMEM;
        return false;
    }
    o->fd = fd;
    put_all(o);
    weft_trace_flush(o);
    const int error = o->error;
    weft_free(o);
    errno = error;
    return error == 0;
}

void weft_trace_write(void)
{
    char *path = weft_trace_with_number(pattern);
    errno = ENOMEM;
    struct weft_whole_file f = {.fd = -1};
    if (path)
        f = weft_whole_file_open(path);
    if (!weft_whole_file_close(&f, f.fd >= 0 && write_to(f.fd))) {
        char text[128];
        weft_log_ignored_setting("WEFT_TRACE: the timeline %s can't be written: %s", path ? path : pattern,
                                 weft_write_error(errno, text, sizeof text));
    }
    weft_free(path);
}
