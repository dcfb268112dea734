// Sums for each kernel (WEFT_PROFILE), which `weft prof` reads: how often and how long it ran, how long its
// launches waited, in which code, and what was counted of its work. Owns the rows, under a lock; they stay
// until the process ends. Whoever calls knows that the timeline or the sums are on (weft_trace_is_on).
//
// A thread of its own writes the file (profile_file.c) now and then, since the process may be killed.
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/trace/profile.h"

enum {
    PARTS = WEFT_PROFILE_PARTS,
    BUCKETS = WEFT_PROFILE_BUCKETS,
    MOST_CODES = 256,
    MAX_ROWS = 4096,
    MIN_COUNTS = 2, // even if they take long
    WRITE_MS = 250  // the file is so old at most
};

_Atomic bool weft_profile_on;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_profile_row *rows[MAX_ROWS], **row_of; // row_of: by the name's number
static size_t row_count;
static uint64_t began; // when
static uint64_t dice = 88172645463325252u;

// The thread that writes. `lock` guards these, too.
static pthread_t writer;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool has_writer, is_changed, is_ending;

// The row of a name. NULL: no memory, or there are too many.
static struct weft_profile_row *row_locked(weft_trace_text name)
{
    if (!row_of || !name || name >= WEFT_TRACE_MAX_TEXTS)
        return NULL;
    if (!row_of[name] && row_count < MAX_ROWS && (row_of[name] = weft_zalloc(sizeof **rows))) {
        row_of[name]->name = name;
        rows[row_count++] = row_of[name];
    }
    return row_of[name];
}

// Durations are counted by their highest bit and the four below it.
static size_t bucket_of(uint64_t ns)
{
    if (ns < PARTS)
        return (size_t)ns;
    const unsigned high = 63 - (unsigned)__builtin_clzll(ns);
    const size_t b = (size_t)(high - 3) * PARTS + (size_t)(ns >> (high - 4)) % PARTS;
    return b < BUCKETS ? b : BUCKETS - 1;
}

// ---- The thread that writes ----

static void write_now(void)
{
    struct weft_buf text = {0};
    weft_trace_names_lock();
    pthread_mutex_lock(&lock);
    is_changed = false;
    weft_profile_file_text(&text, rows, row_count, began);
    pthread_mutex_unlock(&lock);
    weft_trace_names_unlock();
    weft_profile_file_put(&text);
    weft_buf_free(&text);
}

static void *write_file(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_ending) {
        if (!is_changed) {
            pthread_cond_wait(&changed, &lock);
            continue;
        }
        struct timespec at;
        clock_gettime(CLOCK_REALTIME, &at);
        at.tv_nsec += WRITE_MS * 1000000L;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        while (!is_ending && pthread_cond_timedwait(&changed, &lock, &at) == 0)
            ;
        if (is_ending)
            break;
        pthread_mutex_unlock(&lock); // names come first
        write_now();
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void note_change_locked(void)
{
    if (!has_writer && !is_ending) {
        // Signals are for the threads of the program.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        has_writer = pthread_create(&writer, NULL, write_file, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (has_writer)
            pthread_setname_np(writer, "weft-profile");
    }
    if (!is_changed)
        pthread_cond_signal(&changed);
    is_changed = true;
}

void weft_profile_end_writer(void)
{
    pthread_mutex_lock(&lock);
    is_ending = true;
    pthread_cond_signal(&changed);
    const bool joins = has_writer;
    has_writer = false;
    pthread_mutex_unlock(&lock);
    if (joins)
        pthread_join(writer, NULL);
}

// ---- Launches ----

// Adds a part of time, of which some may have been added before.
static void add_span(struct weft_profile_union *u, uint64_t from, uint64_t to)
{
    uint64_t ns = to - from;
    size_t kept = 0;
    for (size_t i = 0; i < u->count; i++) {
        const uint64_t a = u->span[i].from, b = u->span[i].to;
        if (a > to || b < from) {
            u->span[kept++] = u->span[i];
            continue;
        }
        ns -= (b < to ? b : to) > (a > from ? a : from) ? (b < to ? b : to) - (a > from ? a : from) : 0;
        // The two become one; no other part can touch what they share.
        from = a < from ? a : from;
        to = b > to ? b : to;
    }
    if (kept == WEFT_PROFILE_SPANS)
        memmove(&u->span[0], &u->span[1], --kept * sizeof u->span[0]);
    u->span[kept].from = from;
    u->span[kept].to = to;
    u->count = kept + 1;
    u->ns += ns;
}

// Ends the counting of a launch. False: nothing was counted in it.
static bool end_counting(struct weft_profile_row *r, uint64_t command)
{
    for (size_t i = 0; i < WEFT_PROFILE_SPANS; i++) {
        if (r->counting[i].command != command)
            continue;
        const struct weft_profile_each *sum = &r->counting[i].sum;
        const double items = r->open_items ? (double)r->open_items : sum->items;
        if (sum->items > 0) {
            r->each.items += items;
            r->each.bytes += items * sum->bytes / sum->items;
            r->each.operations += items * sum->operations / sum->items;
            r->each.doubles += items * sum->doubles / sum->items;
        }
        r->counting[i].command = 0;
        return true;
    }
    return false;
}

static void complete_locked(struct weft_profile_row *r, const struct weft_trace_completion *c)
{
    const uint64_t ns = c->started && c->completed > c->started ? c->completed - c->started : 0;
    r->launches++;
    r->failed += c->status < 0;
    r->waited += c->started > c->command.queued ? c->started - c->command.queued : 0;
    if (end_counting(r, c->command.address)) {
        r->counting_ns += ns;
    } else {
        r->plain++;
        r->plain_ns += ns;
        r->longest = ns > r->longest ? ns : r->longest;
        r->bucket[bucket_of(ns)]++;
        r->steady_items += r->open_items;
        if (ns)
            add_span(&r->steady, c->started, c->completed);
    }
    if (r->has_new_code) {
        r->steady = (struct weft_profile_union){0};
        r->steady_items = 0;
    }
    r->has_new_code = false;
    r->open_items = 0;
    if (!r->is_kernel)
        weft_profile_strip_add(&r->runs, c->completed - ns, c->completed);
}

void weft_profile_complete(const struct weft_trace_completion *c)
{
    pthread_mutex_lock(&lock);
    struct weft_profile_row *r = row_locked(c->name);
    if (r)
        complete_locked(r, c);
    note_change_locked();
    pthread_mutex_unlock(&lock);
}

// NULL: the row doesn't know this code.
static struct weft_profile_code *find_code(struct weft_profile_row *r, const struct weft_kernel_info *code)
{
    for (size_t i = r->code_count; i-- > 0;)
        if (r->codes[i].code == code)
            return &r->codes[i];
    return NULL;
}

// Adds the code that a kernel runs in. What it is, is asked now: later other code may be at that address.
// Under the lock, which is left meanwhile.
static struct weft_profile_code *add_code_locked(struct weft_profile_row *r,
                                                 const struct weft_kernel_info *code, uint64_t now)
{
    if (r->code_count == MOST_CODES)
        return NULL;
    pthread_mutex_unlock(&lock); // names come first
    weft_trace_names_lock();
    const weft_trace_text what = weft_trace_code_name((uintptr_t)code, now);
    weft_trace_names_unlock();
    pthread_mutex_lock(&lock);
    struct weft_profile_code *known = find_code(r, code), *more = NULL;
    if (!known && r->code_count < MOST_CODES)
        more = weft_realloc(r->codes, (r->code_count + 1) * sizeof *more);
    if (!more)
        return known;
    r->codes = more;
    r->has_new_code = true;
    more[r->code_count] =
        (struct weft_profile_code){code, what, 0, code->private_bytes, code->stack_bytes, code->spills};
    return &more[r->code_count++];
}

void weft_profile_range(weft_trace_text kernel, uint64_t since, uint64_t items,
                        const struct weft_kernel_info *code)
{
    const uint64_t now = weft_time_now(), ns = now - since;
    if (!atomic_load_explicit(&weft_profile_on, memory_order_relaxed))
        return;
    pthread_mutex_lock(&lock);
    struct weft_profile_row *r = row_locked(kernel);
    if (r) {
        struct weft_profile_code *known = code ? find_code(r, code) : NULL;
        if (code && !known)
            known = add_code_locked(r, code, now);
        if (known)
            known->ns += ns;
        r->is_kernel = true;
        r->items += items;
        r->open_items += items;
        r->thread_ns += ns;
        weft_profile_strip_add(&r->runs, since, now);
    }
    pthread_mutex_unlock(&lock);
}

// ---- Counting ----

static bool is_counting(const struct weft_profile_row *r, uint64_t command)
{
    for (size_t i = 0; i < WEFT_PROFILE_SPANS; i++)
        if (r->counting[i].command == command)
            return true;
    return false;
}

// Is it one of n launches? Asked by each part of a launch, and answered once. Every n-th launch would always
// be the same of a program that repeats the same n.
static bool is_chosen(struct weft_profile_row *r, uint64_t queued, unsigned n)
{
    if (r->asked == queued)
        return r->chosen;
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    r->asked = queued;
    r->chosen = dice % n == 0;
    return r->chosen;
}

bool weft_profile_wants_count(weft_trace_text kernel, struct weft_trace_command command, unsigned along)
{
    // Counting takes a twentieth of a kernel's time at most, and most launches are free of it.
    enum { SHARE = 20, LAUNCHES = 8 };
    if (!atomic_load_explicit(&weft_profile_on, memory_order_relaxed))
        return false;
    pthread_mutex_lock(&lock);
    struct weft_profile_row *r = row_locked(kernel);
    const bool wants =
        r && (r->counts[along] < MIN_COUNTS ||
              (r->count_ns < r->thread_ns / SHARE &&
               (is_counting(r, command.address) || (r->launches >= LAUNCHES * (r->launches - r->plain) &&
                                                    is_chosen(r, command.queued, LAUNCHES)))));
    pthread_mutex_unlock(&lock);
    return wants;
}

static void note_counts(struct weft_profile_row *r, uint64_t command, const struct weft_profile_each *more)
{
    size_t free = WEFT_PROFILE_SPANS, i = 0;
    while (i < WEFT_PROFILE_SPANS && r->counting[i].command != command) {
        free = r->counting[i].command ? free : i;
        i++;
    }
    i = i < WEFT_PROFILE_SPANS ? i : free < WEFT_PROFILE_SPANS ? free : command / 64 % WEFT_PROFILE_SPANS;
    if (r->counting[i].command != command) {
        r->counting[i].command = command;
        r->counting[i].sum = (struct weft_profile_each){0};
    }
    r->counting[i].sum.items += more->items;
    r->counting[i].sum.bytes += more->bytes;
    r->counting[i].sum.operations += more->operations;
    r->counting[i].sum.doubles += more->doubles;
}

void weft_profile_count(weft_trace_text kernel, struct weft_trace_command command, uint64_t since,
                        unsigned along, const struct weft_kernel_counts *counts)
{
    const uint64_t now = weft_time_now();
    pthread_mutex_lock(&lock);
    struct weft_profile_row *r = row_locked(kernel);
    if (r) {
        struct weft_profile_work *w = &r->work;
        const struct weft_profile_each before = {(double)w->items, (double)w->bytes, (double)w->operations,
                                                 (double)w->doubles};
        const uint64_t items = weft_profile_work_add(w, along, counts);
        const struct weft_profile_each more = {
            (double)w->items - before.items, (double)w->bytes - before.bytes,
            (double)w->operations - before.operations, (double)w->doubles - before.doubles};
        note_counts(r, command.address, &more);
        r->counts[along]++;
        r->is_kernel = true;
        r->items += items;
        r->open_items += items;
        r->count_ns += now - since;
        weft_profile_strip_add(&r->runs, since, now);
    }
    pthread_mutex_unlock(&lock);
}

void weft_profile_compile(weft_trace_text what, uint64_t since, uint64_t until)
{
    pthread_mutex_lock(&lock);
    struct weft_profile_row *r = row_locked(what);
    if (r) {
        r->compile_ns += until - since;
        weft_profile_strip_add(&r->builds, since, until);
    }
    pthread_mutex_unlock(&lock);
}

void weft_profile_source(weft_trace_text kernel, const char *path, const char *options)
{
    const weft_trace_text file = weft_trace_name(path);
    pthread_mutex_lock(&lock);
    struct weft_profile_row *r = row_locked(kernel);
    if (r) {
        r->source = file;
        weft_free(r->options);
        r->options = weft_strdup(options);
    }
    pthread_mutex_unlock(&lock);
}

// ---- Load, fork, unload ----

bool weft_profile_start(void)
{
    row_of = weft_alloc_array(WEFT_TRACE_MAX_TEXTS, sizeof *row_of);
    if (!row_of || !weft_profile_file_start())
        return false;
    began = weft_time_now();
    weft_profile_strips_start(began);
    atomic_store(&weft_profile_on, true);
    return true;
}

void weft_profile_write(void)
{
    struct weft_buf text = {0};
    pthread_mutex_lock(&lock);
    weft_profile_file_text(&text, rows, row_count, began);
    pthread_mutex_unlock(&lock);
    weft_profile_file_put(&text);
    weft_buf_free(&text);
}

void weft_profile_lock(void)
{
    pthread_mutex_lock(&lock);
}

void weft_profile_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static void free_rows(void)
{
    while (row_count) {
        struct weft_profile_row *r = rows[--row_count];
        row_of[r->name] = NULL;
        weft_profile_work_free(&r->work);
        weft_free(r->codes);
        weft_free(r->options);
        weft_free(r);
    }
}

void weft_profile_after_fork(void)
{
    if (!row_of)
        return;
    free_rows();
    has_writer = is_changed = is_ending = false;
    changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER; // the parent's writer may have waited
    began = weft_time_now();
    weft_profile_strips_start(began);
    weft_profile_file_start(); // the child may have a file of its own
}

void weft_profile_stop(void)
{
    free_rows();
    weft_profile_strips_start(0);
    weft_free(row_of);
    row_of = NULL;
    weft_profile_file_stop();
}
