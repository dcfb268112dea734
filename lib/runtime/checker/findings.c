// What has been found. Findings are kept until the process ends; the same fault at the same place of the
// same kernel is one finding, with a count.
#include "runtime/checker/checker.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

enum { MAX_FINDINGS = 10000 }; // beyond that they are counted only

// Guards all of this. No other lock is taken under it.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_kept *first, **end = &first;
static uint64_t kept;
static atomic_bool launched;
static struct {
    struct weft_hash key;
    struct weft_kept *of; // NULL: not added yet
    uint64_t count;
} *table;
static size_t capacity, used; // capacity: a power of two

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void fork_child(void)
{
    pthread_mutex_unlock(&lock);
}

static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

// ---- the table ----

static bool grow(void)
{
    const size_t larger = capacity ? 2 * capacity : 256;
    void *memory = weft_alloc_array(larger, sizeof *table);
    if (!memory)
        return false;
    __typeof__(table) old = table;
    table = memory;
    for (size_t i = 0; i < capacity; i++)
        if (old[i].count) {
            size_t at = old[i].key.lo & (larger - 1);
            while (table[at].count)
                at = (at + 1) & (larger - 1);
            table[at] = old[i];
        }
    weft_free(old);
    capacity = larger;
    return true;
}

static struct weft_hash key_of(enum weft_check_kind kind, const char *kernel,
                               const struct weft_finding_place *at, const struct weft_finding_place *other)
{
    const uint32_t numbers[] = {kind, at->line, at->column, other ? other->line : 0,
                                other ? other->column : 0};
    struct weft_hash h = weft_hash_bytes((struct weft_hash){0}, numbers, sizeof numbers);
    return weft_hash_str(weft_hash_str(h, kernel), at->file);
}

// The row of the key, which may be empty. SIZE_MAX: no memory.
static size_t find_locked(struct weft_hash key)
{
    if (2 * used >= capacity && !grow())
        return SIZE_MAX;
    size_t at = key.lo & (capacity - 1);
    while (table[at].count && (table[at].key.lo != key.lo || table[at].key.hi != key.hi))
        at = (at + 1) & (capacity - 1);
    return at;
}

bool weft_checker_is_new(enum weft_check_kind kind, const char *kernel, const struct weft_finding_place *at,
                         const struct weft_finding_place *other)
{
    const struct weft_hash key = key_of(kind, kernel, at, other);
    bool is_new = false;
    pthread_mutex_lock(&lock);
    const size_t row = find_locked(key);
    if (row != SIZE_MAX) { // else there is no memory
        is_new = !table[row].count && kept < MAX_FINDINGS;
        used += !table[row].count;
        kept += is_new;
        table[row].key = key;
        table[row].count++;
        if (table[row].of)
            table[row].of->count++;
    }
    pthread_mutex_unlock(&lock);
    return is_new;
}

// ---- findings ----

static bool copy_place(struct weft_finding_place *p)
{
    p->file = weft_strdup(p->file ? p->file : "");
    p->source = weft_strdup(p->source ? p->source : "");
    return p->file && p->source;
}

static struct weft_kept *copy(const struct weft_finding *f)
{
    struct weft_kept *k = weft_zalloc(sizeof *k);
    if (!k)
        return NULL;
    k->f = *f;
    k->f.kernel = weft_strdup(f->kernel);
    k->f.message = weft_strdup(f->message);
    k->f.object = f->object ? weft_strdup(f->object) : NULL;
    bool places = copy_place(&k->f.at);
    places = copy_place(&k->f.other) && places;
    return places && k->f.kernel && k->f.message ? k : NULL; // without memory a little of it is lost
}

static bool ends_with(const char *text, const char *suffix)
{
    const size_t length = strlen(text), n = strlen(suffix);
    return length >= n && strcmp(text + length - n, suffix) == 0;
}

// The file of the report; NULL: none is wanted. %p: the process. Computed when the first finding is there, so
// a change of the folder doesn't matter after that.
static const char *report_path_locked(void)
{
    static char *path;
    static pid_t of;
    const char *given = weft_config_str(WEFT_CFG_CHECK_REPORT);
    if (!given || !*given)
        return NULL;
    if (path && of == getpid())
        return path;
    struct weft_buf b = {0};
    char *folder = *given == '/' ? NULL : getcwd(NULL, 0);
    weft_buf_printf(&b, "%s%s", folder ? folder : "", folder ? "/" : "");
    free(folder);
    const char *number = strstr(given, "%p");
    if (number)
        weft_buf_printf(&b, "%.*s%d%s", (int)(number - given), given, (int)getpid(), number + 2);
    else
        weft_buf_puts(&b, given);
    weft_free(path);
    of = getpid();
    return path = weft_buf_take(&b, NULL);
}

static void warn_of_report(const char *path)
{
    static bool warned;
    if (!warned)
        weft_log_ignored_setting("WEFT_CHECK_REPORT: %s can't be written: %s", path, strerror(errno));
    warned = true;
}

// Writes the whole report anew, with all counts.
static void write_report_locked(void)
{
    const char *path = report_path_locked();
    if (!path)
        return;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out && ends_with(path, ".sarif"))
        weft_checker_write_sarif(out, first);
    else if (out)
        weft_checker_write_json(out, first);
    const bool whole = out && fclose(out) == 0;
    struct weft_whole_file f = weft_whole_file_open(path);
    if (!weft_whole_file_close(&f, f.fd >= 0 && whole && weft_write_all(f.fd, text, size)))
        warn_of_report(path);
    free(text);
}

// The report is complete after each finding, so it is there however the process ends. A line is appended; the
// first one, and SARIF, make a file.
static void report_locked(const struct weft_kept *k)
{
    static pid_t appends; // the process whose file it is
    const char *path = report_path_locked();
    if (!path || ends_with(path, ".sarif") || appends != getpid()) {
        write_report_locked();
        appends = getpid();
        return;
    }
    FILE *out = fopen(path, "ae");
    if (out)
        weft_checker_write_line(out, k);
    if (!out || fclose(out) != 0)
        warn_of_report(path);
}

void weft_checker_add(const struct weft_finding *f)
{
    WEFT_NOT_CANCELLED;
    struct weft_kept *k = copy(f);
    if (!k)
        return;
    k->suppressed = weft_checker_is_suppressed(f);
    pthread_mutex_lock(&lock);
    const size_t row = find_locked(key_of(f->kind, f->kernel, &f->at, f->other.line ? &f->other : NULL));
    k->count = 1;
    if (row != SIZE_MAX && table[row].count) {
        k->count = table[row].count;
        table[row].of = k;
    }
    *end = k;
    end = &k->next;
    if (!k->suppressed) {
        weft_checker_print(stderr, &k->f);
        report_locked(k);
    }
    pthread_mutex_unlock(&lock);
}

void weft_checker_note_launch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, know_forks);
    atomic_store_explicit(&launched, true, memory_order_relaxed);
}

// ---- the end of the process ----

static void print_summary(uint64_t places, uint64_t times)
{
    fprintf(stderr, "weft: check: %llu %s, %llu %s in all\n", (unsigned long long)places,
            places == 1 ? "place" : "places", (unsigned long long)times, times == 1 ? "time" : "times");
    for (const struct weft_kept *k = first; k; k = k->next)
        if (!k->suppressed)
            weft_checker_print_count(stderr, k);
}

bool weft_checker_finish(void)
{
    uint64_t places = 0, times = 0;
    if (!atomic_load(&launched) || pthread_mutex_trylock(&lock) != 0)
        return false;
    for (const struct weft_kept *k = first; k; k = k->next)
        if (!k->suppressed) {
            places++;
            times += k->count;
        }
    if (places)
        print_summary(places, times);
    write_report_locked();
    pthread_mutex_unlock(&lock);
    return places != 0;
}
