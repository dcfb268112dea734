// The background threads of program building. Owns the threads and the list of waiting jobs, under one lock,
// which isn't held while a job runs. A thread is started if a job finds none idle, up to the number of
// compilers plus one. All signals are blocked in them. Threads whose job has concluded and which are in a
// callback of the application don't count, because the callback may wait for another job.
//
// After a fork, the child has no threads. Jobs that were waiting, or running and not concluded, wait in the
// child. They start with the child's first job, or when one of them is needed. The library stays loaded once
// a thread has started (RTLD_NODELETE), so that no thread runs code of an unloaded library. At exit, jobs
// with finish_at_exit are run, and the others are dropped.
#include "runtime/compiler/compile_queue.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/base.h"
#include "base/cache_entry.h"
#include "runtime/compiler/client.h"
#include "weft/scheduler.h"

#define MAX_THREADS 65u
#define THREAD_STACK (1u << 20) // callbacks of the application run on it; too small for a huge page
#define EXIT_PATIENCE_S 2
#define SAMPLE_NS 5000000u // how often the use of processors is looked at
// A program whose threads are preempted more often than this has to share its processors.
#define PREEMPTED_NS 10000000u

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work; // a job was added, or the queue is ending
    pthread_cond_t gone; // a thread has ended
    struct weft_compile_job *first;
    struct weft_compile_job *running[MAX_THREADS]; // jobs that run and haven't concluded
    uint32_t threads, idle;
    uint32_t concluded;  // threads whose job has concluded and still runs
    uint32_t limit;      // threads that may be at work
    uint32_t background; // running long jobs that nobody waited for when they began
    uint32_t better;     // those of the lowest priority among them
    // The last look at the program's use of processors: when, its processor time in ns, and how much it used
    // since the look before, in percent of one processor.
    uint64_t sampled_at, sampled_ns, busy_percent;
    // How often threads of the program had been preempted by then, and whether that was often since the look
    // before: then other programs want its processors.
    long preemptions;
    bool contended;
    bool ending;
} queue = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .gone = PTHREAD_COND_INITIALIZER};

// Inserts j after the other jobs of its priority.
static void insert_locked(struct weft_compile_job *j)
{
    struct weft_compile_job **at = &queue.first;
    while (*at && (*at)->priority >= j->priority)
        at = &(*at)->next;
    j->next = *at;
    *at = j;
    j->queued = true;
}

static bool is_background(const struct weft_compile_job *j)
{
    return j->priority <= WEFT_COMPILE_LATER && !j->finish_at_exit;
}

static void note_preemptions_locked(uint64_t elapsed)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return;
    queue.contended = (uint64_t)(usage.ru_nivcsw - queue.preemptions) * PREEMPTED_NS > elapsed;
    queue.preemptions = usage.ru_nivcsw;
}

// How many processors the program left idle lately, of `all`. Compilers are other processes, so they don't
// count as the program. Better code is made on all of these.
static uint32_t idle_processors_locked(uint32_t all)
{
    struct timespec t;
    uint64_t now = weft_time_now(), elapsed = now - queue.sampled_at;
    if (elapsed >= SAMPLE_NS && clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0) {
        uint64_t used = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
        queue.busy_percent = 100 * (used - queue.sampled_ns) / elapsed;
        note_preemptions_locked(elapsed);
        queue.sampled_at = now;
        queue.sampled_ns = used;
    }
    uint64_t busy = (queue.busy_percent + 50) / 100;
    return busy < all ? all - (uint32_t)busy : 0;
}

// The program may use any number of processors, and each compile under way uses one.
bool weft_compile_queue_has_idle_processor(void)
{
    const uint32_t all = weft_compiler_count();
    if (pthread_mutex_trylock(&queue.lock) != 0)
        return false;
    const bool idle =
        idle_processors_locked(all) > queue.threads - queue.idle - queue.concluded && !queue.contended;
    pthread_mutex_unlock(&queue.lock);
    return idle;
}

// One thread is reserved for jobs that somebody waits for. Better code takes long, so one compiler is
// reserved for kernels that have no code yet, unless the program leaves processors idle.
static bool first_may_start_locked(void)
{
    if (!queue.first || !is_background(queue.first))
        return queue.first != NULL;
    uint32_t compilers = weft_compiler_count();
    if (queue.first->priority == WEFT_COMPILE_BETTER && queue.better > 0 && queue.better + 1 >= compilers &&
        queue.better >= idle_processors_locked(compilers))
        return false;
    return queue.background < compilers;
}

// The job to run next: the first one, or, if that is to make better code, the one among these that gains
// most.
static struct weft_compile_job **find_next_locked(void)
{
    struct weft_compile_job **best = &queue.first;
    const enum weft_compile_priority priority = (*best)->priority;
    if (priority > WEFT_COMPILE_SOON)
        return best;
    uint64_t most = 0, now = weft_time_now();
    for (struct weft_compile_job **at = best; *at && (*at)->priority == priority; at = &(*at)->next) {
        uint64_t gain = (*at)->gain ? (*at)->gain(*at, now) : 0;
        if (gain > most) {
            most = gain;
            best = at;
        }
    }
    return best;
}

static struct weft_compile_job *remove_next_locked(void)
{
    struct weft_compile_job **at = find_next_locked(), *j = *at;
    *at = j->next;
    j->queued = false;
    j->taken = true;
    return j;
}

// ---- fork ----

static void fork_prepare(void)
{
    pthread_mutex_lock(&queue.lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&queue.lock);
}

static void fork_child(void)
{
    for (uint32_t i = 0; i < MAX_THREADS; i++) {
        if (queue.running[i]) {
            queue.running[i]->taken = false;
            insert_locked(queue.running[i]);
        }
        queue.running[i] = NULL;
    }
    queue.threads = queue.idle = queue.concluded = queue.background = queue.better = 0;
    pthread_cond_init(&queue.work, NULL);
    pthread_cond_init(&queue.gone, NULL);
    pthread_mutex_unlock(&queue.lock);
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

static void prepare_once(void)
{
    Dl_info info;
    if (dladdr((const void *)&queue, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

// ---- Threads ----

static _Thread_local bool is_one; // is this a thread of the queue?

static void *thread_main(void *arg)
{
    WEFT_NOT_CANCELLED; // callbacks of builds may get to know the thread
    is_one = true;
    struct weft_compile_job **running = arg;
    pthread_setname_np(pthread_self(), "weft-build");
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        while (!first_may_start_locked() && !queue.ending) {
            queue.idle++;
            pthread_cond_wait(&queue.work, &queue.lock);
            queue.idle--;
        }
        if (queue.ending)
            break;
        *running = remove_next_locked();
        // Read now: the job may be freed when it has run.
        bool background = is_background(*running),
             better = background && (*running)->priority == WEFT_COMPILE_BETTER;
        queue.background += background;
        queue.better += better;
        pthread_mutex_unlock(&queue.lock);
        (*running)->run(*running);
        pthread_mutex_lock(&queue.lock);
        if (!*running)
            queue.concluded--;
        *running = NULL;
        queue.background -= background;
        queue.better -= better;
    }
    queue.threads--;
    pthread_cond_broadcast(&queue.gone);
    pthread_mutex_unlock(&queue.lock);
    return NULL;
}

static bool start_thread_locked(void)
{
    pthread_attr_t attr;
    if (queue.threads == MAX_THREADS || pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, THREAD_STACK);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    const bool was_bound = weft_thread_unbind();
    bool ok = pthread_create(&thread, &attr, thread_main, &queue.running[queue.threads]) == 0;
    weft_thread_rebind(was_bound);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    queue.threads += ok;
    return ok;
}

static void remove_locked(struct weft_compile_job *j)
{
    struct weft_compile_job **at = &queue.first;
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    j->queued = false;
}

void weft_compile_queue_push(struct weft_compile_job *j, enum weft_compile_priority priority)
{
    WEFT_NOT_CANCELLED;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_once);
    uint32_t limit = weft_compiler_count() + 1;
    if (limit > MAX_THREADS)
        limit = MAX_THREADS;
    pthread_mutex_lock(&queue.lock);
    queue.limit = limit;
    if (j->priority < priority) // it may have been raised already
        j->priority = priority;
    bool here = queue.ending;
    if (!here) {
        insert_locked(j);
        uint32_t waiting = 0;
        for (struct weft_compile_job *q = queue.first; q && waiting <= queue.idle; q = q->next)
            waiting++;
        // An idle thread that has been woken but hasn't taken its job yet counts as idle. So compare with the
        // number of jobs.
        if (waiting > queue.idle && queue.threads - queue.concluded < limit && !start_thread_locked() &&
            queue.threads == 0) {
            remove_locked(j);
            here = true;
        }
        pthread_cond_signal(&queue.work);
    }
    j->taken = here;
    pthread_mutex_unlock(&queue.lock);
    if (here)
        j->run(j);
}

void weft_compile_queue_raise(struct weft_compile_job *j, enum weft_compile_priority priority)
{
    WEFT_NOT_CANCELLED;
    pthread_mutex_lock(&queue.lock);
    bool here = false;
    if (!j->taken && j->priority < priority) {
        j->priority = priority;
        if (j->queued) { // otherwise it is still to be pushed
            remove_locked(j);
            insert_locked(j);
            pthread_cond_signal(&queue.work); // its low priority may have held it back
        }
    }
    // In a forked child, a job of the parent may wait while there is no thread.
    if (j->queued && queue.threads == 0 && !queue.ending && !start_thread_locked()) {
        remove_locked(j);
        j->taken = here = true;
    }
    pthread_mutex_unlock(&queue.lock);
    if (here)
        j->run(j);
}

static void conclude_locked(const struct weft_compile_job *j)
{
    for (uint32_t i = 0; i < queue.threads; i++) {
        if (queue.running[i] != j)
            continue;
        queue.running[i] = NULL;
        queue.concluded++;
        if (queue.first && !queue.idle && queue.threads - queue.concluded < queue.limit)
            start_thread_locked();
        break;
    }
}

void weft_compile_queue_conclude(struct weft_compile_job *j, void (*publish)(struct weft_compile_job *j))
{
    pthread_mutex_lock(&queue.lock);
    if (publish)
        publish(j);
    conclude_locked(j);
    pthread_mutex_unlock(&queue.lock);
}

bool weft_compile_queue_give_up(struct weft_compile_job *j, bool (*publish)(struct weft_compile_job *j))
{
    pthread_mutex_lock(&queue.lock);
    bool given_up = publish(j);
    if (given_up) { // it may be pushed again
        conclude_locked(j);
        j->taken = false;
        j->priority = WEFT_COMPILE_BETTER;
    }
    pthread_mutex_unlock(&queue.lock);
    return given_up;
}

// ---- Start and end ----

bool weft_compile_queue_is_ending(void)
{
    pthread_mutex_lock(&queue.lock);
    bool ending = queue.ending;
    pthread_mutex_unlock(&queue.lock);
    return ending;
}

// Who shares a cache expects to find code there. On many machines that start at once, reading the compiler
// would be what takes longest. Only the settings are looked at: a program that builds nothing makes no
// folder.
static void warm_up(struct weft_compile_job *j)
{
    (void)j;
    char *shared = weft_cache_entry_folder(1);
    if (!shared)
        weft_compiler_warm_up(1);
    weft_free(shared);
}

void weft_compiler_prestart(void)
{
    static struct weft_compile_job job = {.run = warm_up};
    static atomic_flag done = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&done))
        weft_compile_queue_push(&job, WEFT_COMPILE_LATER);
}

static void warm_up_second(struct weft_compile_job *j)
{
    (void)j;
    weft_compiler_warm_up(2);
}

void weft_compiler_prestart_second(void)
{
    static struct weft_compile_job job = {.run = warm_up_second};
    static atomic_flag done = ATOMIC_FLAG_INIT;
    if (weft_compiler_count() > 1 && !atomic_flag_test_and_set(&done))
        weft_compile_queue_push(&job, WEFT_COMPILE_LATER);
}

__attribute__((destructor)) static void shut_down(void)
{
    if (!weft_process_is_known())
        return;
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += EXIT_PATIENCE_S;
    pthread_mutex_lock(&queue.lock);
    queue.ending = true;
    struct weft_compile_job *left = queue.first;
    queue.first = NULL;
    pthread_cond_broadcast(&queue.work);
    pthread_mutex_unlock(&queue.lock);
    weft_compiler_shutdown();
    while (left) {
        struct weft_compile_job *next = left->next;
        if (left->finish_at_exit)
            left->run(left);
        else if (left->drop)
            left->drop(left);
        left = next;
    }
    // Threads with a running request have been woken by the end of their compiler. This thread may be one of
    // them, if a callback has called exit.
    const uint32_t here = is_one;
    pthread_mutex_lock(&queue.lock);
    while (queue.threads > here && pthread_cond_timedwait(&queue.gone, &queue.lock, &deadline) == 0)
        ;
    pthread_mutex_unlock(&queue.lock);
}
