// The simulated machine (simulator.h): threads, processors, cache lines, futexes.
#include "scheduler/simulator/simulator.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "scheduler/internal.h"
#include "scheduler/simulator/weak.h"

enum { THREADS = 600, STACK = 256 << 10, LINES = 1 << 16, WORDS = 4 };
#define NEVER UINT64_MAX
#define ABSENT UINT32_MAX

enum state {
    UNUSED,
    RUNNING,  // has a processor; goes on at `time`
    RUNNABLE, // waits for a processor since `time`
    SLEEPING, // on `word`, until `time` at the latest
    COMING,   // woken; wants a processor at `time`
    ENDED,
};

struct thread {
    enum state state;
    uint64_t time;
    uint32_t at; // in the heap; ABSENT: it isn't there
    uint64_t slice_end;
    uint32_t processor;
    const void *word;
    jmp_buf context;
    bool begun;
    void *stack;
    void *(*main)(void *);
    void *arg;
    struct weft_thread *own; // weft_thread_own
};

struct line {
    uintptr_t address;
    uint64_t busy_until;     // a write that is under way
    uint64_t sharers[WORDS]; // processors that have it
    uint32_t writer;         // the last one
    bool exclusive;          // only the writer has it
};

static struct sim_machine machine;
static struct sim_counts counts;
static struct thread threads[THREADS];
static uint32_t thread_count, now_running, runnable;
static uint64_t random_state;
static uint64_t delay_one_in,
    longest_delay; // of a wild machine: one access in so many is delayed by up to that
static struct line lines[LINES];
static bool processor_used[64 * WORDS];
static jmp_buf host;
static ucontext_t starter;
static bool is_over;

uint64_t sim_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545F4914F6CDD1D) >> 11;
}

static uint64_t between(uint64_t low, uint64_t high)
{
    return low + sim_random() % (high - low + 1);
}

static struct thread *me(void)
{
    return &threads[now_running];
}

// ---- Events: a heap of the threads that go on at a known time, the first one at the top ----

static struct thread *heap[THREADS];
static uint32_t heap_size;

static bool comes_before(const struct thread *a, const struct thread *b)
{
    return a->time < b->time || (a->time == b->time && a < b);
}

static void place(struct thread *t, uint32_t at)
{
    heap[at] = t;
    t->at = at;
}

static void sift(struct thread *t, uint32_t at)
{
    for (; at && comes_before(t, heap[(at - 1) / 2]); at = (at - 1) / 2)
        place(heap[(at - 1) / 2], at);
    for (uint32_t child; (child = 2 * at + 1) < heap_size; at = child) {
        child += child + 1 < heap_size && comes_before(heap[child + 1], heap[child]);
        if (!comes_before(heap[child], t))
            break;
        place(heap[child], at);
    }
    place(t, at);
}

static void leave_heap(struct thread *t)
{
    if (t->at == ABSENT)
        return;
    const uint32_t at = t->at;
    struct thread *last = heap[--heap_size];
    t->at = ABSENT;
    if (last != t)
        sift(last, at);
}

// The thread goes on at `time`; NEVER: somebody else sees to it.
static void go_on_at(struct thread *t, uint64_t time)
{
    leave_heap(t);
    t->time = time;
    if (time != NEVER)
        sift(t, heap_size++);
}

// ---- Processors ----

static uint32_t node_of(uint32_t processor)
{
    return processor * machine.nodes / machine.processors;
}

static bool give_processor(struct thread *t, uint64_t time)
{
    uint32_t p = t->processor;
    if (p == UINT32_MAX || processor_used[p])
        for (p = 0; p < machine.processors && processor_used[p]; p++)
            ;
    if (p == machine.processors)
        return false;
    processor_used[p] = true;
    t->processor = p;
    t->state = RUNNING;
    go_on_at(t, time + SIM_SWITCH);
    t->slice_end = t->time + SIM_SLICE;
    return true;
}

// The thread that waits longest. NULL: none waits.
static struct thread *longest_waiting(void)
{
    struct thread *first = NULL;
    for (uint32_t i = 0; runnable && i < thread_count; i++)
        if (threads[i].state == RUNNABLE && (!first || threads[i].time < first->time))
            first = &threads[i];
    return first;
}

static void free_processor(struct thread *t)
{
    processor_used[t->processor] = false;
    struct thread *next = longest_waiting();
    if (next && give_processor(next, t->time))
        runnable--;
}

static void want_processor(struct thread *t)
{
    if (give_processor(t, t->time))
        return;
    leave_heap(t);
    t->state = RUNNABLE;
    runnable++;
}

// ---- Changing threads ----

static void run_thread(void)
{
    struct thread *t = me();
    t->main(t->arg);
    t = me();
    t->state = ENDED;
    free_processor(t);
    longjmp(host, 1);
}

static void resume(struct thread *t)
{
    now_running = (uint32_t)(t - threads);
    weft_thread_own = t->own;
    counts.steps++;
    if (t->begun)
        longjmp(t->context, 1);
    t->begun = true;
    getcontext(&starter);
    starter.uc_stack.ss_sp = t->stack;
    starter.uc_stack.ss_size = STACK;
    makecontext(&starter, run_thread, 0);
    setcontext(&starter);
}

// Lets others run that come before this thread, or that is asleep or has ended.
static void turn(void)
{
    struct thread *t = me();
    t->own = weft_thread_own;
    if (setjmp(t->context) == 0)
        longjmp(host, 1);
}

static void pass(uint64_t ns)
{
    struct thread *t = me();
    if (machine.wild) {
        ns += ns * (sim_random() % 4) / 2;
        if (sim_random() % delay_one_in == 0)
            ns += sim_random() % longest_delay;
        if (sim_random() % 5000 == 0)
            ns += sim_random() % 100000;
    }
    t->time += ns; // it isn't in the heap while it runs
    if (heap_size && heap[0]->time < t->time) {
        go_on_at(t, t->time);
        turn();
    }
    // All that happens earlier has happened, so nobody gives the thread a processor at an earlier time.
    if (runnable && t->time >= t->slice_end) {
        t->state = RUNNABLE;
        runnable++;
        free_processor(t);
        turn();
    }
}

static void dispatch(void)
{
    while (heap_size) {
        struct thread *t = heap[0];
        leave_heap(t);
        if (t->state == RUNNING)
            resume(t);
        t->state = COMING; // it wakes up now
        t->word = NULL;
        want_processor(t);
    }
    fprintf(stderr, "seed %llu: all threads sleep for ever\n", (unsigned long long)machine.seed);
    exit(3);
}

static struct thread *new_thread(void *(*main)(void *), void *arg)
{
    if (thread_count == THREADS) {
        fprintf(stderr, "too many simulated threads\n");
        exit(4);
    }
    struct thread *t = &threads[thread_count++];
    *t = (struct thread){.main = main, .arg = arg, .processor = UINT32_MAX, .at = ABSENT};
    t->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return t;
}

struct first {
    void (*main)(void *);
    void *arg;
};

static void *run_first(void *arg)
{
    const struct first *f = arg;
    f->main(f->arg);
    is_over = true;
    return NULL;
}

void sim_run(const struct sim_machine *m, void (*main)(void *arg), void *arg)
{
    static struct first first;
    machine = *m;
    first = (struct first){main, arg};
    random_state = machine.seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    // Each wild machine has its own habits: some faults need many short delays, others few and long ones.
    if (machine.wild) {
        delay_one_in = UINT64_C(8) << sim_random() % 6;
        longest_delay = UINT64_C(500) << sim_random() % 5;
    }
    weak_begin(machine.weak ? UINT64_C(200) << sim_random() % 8 : 0);
    want_processor(new_thread(run_first, &first));
    setjmp(host);
    if (!is_over)
        dispatch();
}

struct sim_counts sim_counts(void)
{
    return counts;
}

// ---- Memory ----

static struct line *line_of(const volatile void *at)
{
    const uintptr_t address = (uintptr_t)at / WEFT_CACHE_LINE;
    uint32_t i = (uint32_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 48);
    for (; lines[i].address && lines[i].address != address; i = (i + 1) % LINES)
        ;
    if (!lines[i].address)
        lines[i] = (struct line){.address = address, .writer = me()->processor};
    return &lines[i];
}

static bool has(const struct line *l, uint32_t p)
{
    return l->sharers[p / 64] >> p % 64 & 1;
}

static uint64_t transfer(const struct line *l, uint32_t p)
{
    return node_of(l->writer) == node_of(p) ? between(SIM_NEAR) : between(SIM_FAR);
}

void sim_read(const volatile void *at)
{
    struct line *l = line_of(at);
    const uint32_t p = me()->processor;
    uint64_t cost = SIM_ACCESS;
    if (!has(l, p)) {
        cost = transfer(l, p) + (l->busy_until > me()->time ? l->busy_until - me()->time : 0);
        l->sharers[p / 64] |= UINT64_C(1) << p % 64;
        l->exclusive = l->writer == p && l->exclusive;
    }
    pass(cost);
}

static void write_line(const volatile void *at, uint64_t cost)
{
    struct line *l = line_of(at);
    const uint32_t p = me()->processor;
    if (!l->exclusive || l->writer != p) {
        const uint64_t wait = l->busy_until > me()->time ? l->busy_until - me()->time : 0;
        bool shared = false;
        for (uint32_t i = 0; i < WORDS; i++)
            shared |= (l->sharers[i] & ~(i == p / 64 ? UINT64_C(1) << p % 64 : 0)) != 0;
        if (shared) {
            counts.shared_writes++;
            cost = wait + transfer(l, p);
            l->busy_until = me()->time + cost;
        }
        memset(l->sharers, 0, sizeof l->sharers);
        l->sharers[p / 64] = UINT64_C(1) << p % 64;
        l->writer = p;
        l->exclusive = true;
    }
    pass(cost);
}

void sim_write(const volatile void *at)
{
    write_line(at, SIM_ACCESS);
}

void sim_atomic(const volatile void *at)
{
    write_line(at, SIM_ATOMIC);
}

// ---- Time ----

uint64_t sim_now(void)
{
    return me()->time;
}

uint64_t sim_clock(void)
{
    pass(SIM_CLOCK);
    return me()->time + 1; // never 0
}

void sim_relax(void)
{
    pass(SIM_RELAX);
}

void sim_work(uint64_t ns)
{
    // In steps, so that others get their slices.
    for (; ns > SIM_SLICE; ns -= SIM_SLICE)
        pass(SIM_SLICE);
    pass(ns);
}

static void sleep_on(const void *word, uint64_t until)
{
    struct thread *t = me();
    counts.sleeps++;
    t->state = SLEEPING;
    t->word = word;
    free_processor(t);
    go_on_at(t, until);
    turn();
}

void sim_pause(uint64_t ns)
{
    sleep_on(NULL, me()->time + ns);
}

void weft_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t timeout_ns)
{
    pass(SIM_CALL);
    if (atomic_load(word) == value)
        sleep_on(word, timeout_ns < 0 ? NEVER : me()->time + (uint64_t)timeout_ns);
}

void weft_futex_wake(_Atomic uint32_t *word, uint32_t count)
{
    pass(SIM_CALL);
    for (uint32_t i = 0; i < thread_count && count; i++) {
        struct thread *t = &threads[i];
        if (t->state != SLEEPING || t->word != word)
            continue;
        counts.wakes++;
        count--;
        t->state = COMING;
        go_on_at(t, me()->time + between(SIM_WAKE_LATENCY));
        pass(SIM_WAKE);
    }
}

// ---- Threads ----

static void start(struct thread *t)
{
    weak_thread_begins((uint32_t)(t - threads));
    t->state = COMING;
    go_on_at(t, me()->time + between(SIM_WAKE_LATENCY));
}

int sim_thread_create(pthread_t *thread, void *(*main)(void *), void *arg)
{
    struct thread *t = new_thread(main, arg);
    *thread = (pthread_t)(t - threads);
    pass(SIM_CREATE);
    start(t);
    return 0;
}

int sim_thread_join(pthread_t thread)
{
    while (threads[thread].state != ENDED)
        sim_relax();
    weak_thread_joined((uint32_t)thread);
    return 0;
}

pthread_t sim_thread_self(void)
{
    return now_running;
}

int sim_thread_stack(void **base, size_t *size)
{
    *base = me()->stack;
    *size = STACK;
    return 0;
}

struct spawned {
    void (*main)(void *);
    void *arg;
};

static void *run_spawned(void *arg)
{
    struct spawned s = *(struct spawned *)arg;
    free(arg);
    s.main(s.arg);
    return NULL;
}

void sim_spawn(void (*main)(void *arg), void *arg)
{
    struct spawned *s = malloc(sizeof *s);
    *s = (struct spawned){main, arg};
    start(new_thread(run_spawned, s));
}
