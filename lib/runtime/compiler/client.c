// The pool of compilers. Owns their processes (compiler/spawn.c), in a table under one lock. The lock is
// never held during a request, an exec or a wait for a process. Threads that wait for a compiler are served
// by priority.
//
// A compiler that died while it was idle, or whose descriptor the application closed, is replaced silently,
// even if a request was just sent to it. If it dies after it has read a request, that request fails, and the
// next one starts another compiler. After a fork the child forgets its parent's compilers.
//
// Sockets are in Weft's private descriptor table (compiler/private_fd_table.c). Each slot has a thread there,
// which starts the slot's process, sends requests and ends it, while the slot's holder waits. If there can be
// no such thread, the holder does it itself, and the socket is in the application's table.
//
// The file is long (some 500 lines) because all that touches a slot (requests, starting ahead, fork,
// shutdown) shares one lock.
#include "runtime/compiler/client.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"
#include "runtime/compiler/exchange.h"
#include "runtime/compiler/private_fd_table.h"
#include "runtime/compiler/spawn.h"
#include "runtime/compiler/spawn_parent.h"
#include "weft/protocol.h"
#include "weft/status.h"

#define MAX_COMPILERS 64u
#define SLOTS (MAX_COMPILERS + 1) // and the spare one

enum slot_state { SLOT_EMPTY, SLOT_IDLE, SLOT_BUSY };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct slot {
        enum slot_state state;
        // Belongs to the holder while BUSY. fd < 0: to be started.
        struct weft_compiler_process process;
        struct weft_private_thread thread; // belongs to the holder, too
        bool in_private_table;             // the process's socket is in the private table
    } slots[SLOTS];
    uint32_t limit; // 0: not yet known
    // One more compiler for requests that somebody waits for, while the others do what nobody waits for.
    uint32_t spare;
    uint32_t background; // busy compilers with requests that nobody waits for
    uint32_t waiters[WEFT_COMPILE_NOW + 1];
    bool ending;
    uint32_t warming; // number of compilers that are being started ahead of need
    char *target;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .freed = PTHREAD_COND_INITIALIZER};

// ---- fork and limits ----

static void fork_prepare(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&pool.lock);
}

// The child must not keep copies of the sockets, because a compiler ends when the last copy of our end is
// closed. It has only copies of sockets in the application's table.
static void fork_child(void)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (pool.slots[i].state != SLOT_EMPTY)
            weft_compiler_forget(&pool.slots[i].process);
        weft_private_thread_forget(&pool.slots[i].thread);
        pool.slots[i].state = SLOT_EMPTY;
    }
    memset(pool.waiters, 0, sizeof pool.waiters);
    pool.warming = pool.background = 0;
    pthread_cond_init(&pool.freed, NULL);
    pthread_mutex_unlock(&pool.lock);
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_private_fd_table_know_forks(); // registered first: its lock is taken after ours
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

static void prepare_once(void)
{
    uint64_t n = weft_config_uint(WEFT_CFG_COMPILERS);
    cpu_set_t cpus;
    pool.spare = n == 0;
    if (n == 0)
        n = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? (uint64_t)CPU_COUNT(&cpus) : 1;
    pool.limit = n < 1 ? 1 : n > MAX_COMPILERS ? MAX_COMPILERS : (uint32_t)n;
}

static void prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_once);
}

uint32_t weft_compiler_count(void)
{
    WEFT_NOT_CANCELLED;
    prepare();
    return pool.limit;
}

// ---- Taking and returning slots ----

static bool is_background(enum weft_compile_priority priority)
{
    return priority <= WEFT_COMPILE_LATER;
}

static struct slot *find_free_locked(enum weft_compile_priority priority)
{
    struct slot *empty = NULL;
    uint32_t limit = pool.limit + (pool.background > 0 && !is_background(priority) ? pool.spare : 0);
    for (uint32_t i = 0; i < limit; i++) {
        struct slot *s = &pool.slots[i];
        if (s->state == SLOT_IDLE)
            return s;
        if (s->state == SLOT_EMPTY && !empty)
            empty = s;
    }
    return empty;
}

static bool more_urgent_waits_locked(enum weft_compile_priority priority)
{
    for (int p = (int)priority + 1; p <= WEFT_COMPILE_NOW; p++)
        if (pool.waiters[p])
            return true;
    return false;
}

// Finds a slot for a waiter. If a compiler is being started ahead of need and this is the only waiter, it
// waits for that one, which will be ready sooner than a new one.
static struct slot *find_for_locked(enum weft_compile_priority priority)
{
    struct slot *s = find_free_locked(priority);
    bool only_waiter = pool.waiters[WEFT_COMPILE_BETTER] + pool.waiters[WEFT_COMPILE_SOON] +
                           pool.waiters[WEFT_COMPILE_LATER] + pool.waiters[WEFT_COMPILE_WANTED] +
                           pool.waiters[WEFT_COMPILE_NOW] ==
                       1;
    return more_urgent_waits_locked(priority) || (s && s->state == SLOT_EMPTY && pool.warming && only_waiter)
               ? NULL
               : s;
}

// Waits for a slot and takes it. NULL: the process is ending.
static struct slot *take(enum weft_compile_priority priority)
{
    pthread_mutex_lock(&pool.lock);
    struct slot *s = NULL;
    pool.waiters[priority]++;
    while (!pool.ending && !(s = find_for_locked(priority)))
        pthread_cond_wait(&pool.freed, &pool.lock);
    pool.waiters[priority]--;
    if (pool.ending)
        s = NULL;
    if (s) {
        if (s->state == SLOT_EMPTY)
            s->process = (struct weft_compiler_process){.fd = -1};
        s->state = SLOT_BUSY;
        pool.background += is_background(priority);
    }
    // Another free slot may be left for a waiter of lower priority.
    pthread_cond_broadcast(&pool.freed);
    pthread_mutex_unlock(&pool.lock);
    return s;
}

struct hanging_up {
    struct weft_compiler_process *process;
    struct weft_spawn_parent *left;
};

static void hang_up(void *arg)
{
    struct hanging_up *h = arg;
    h->left = weft_compiler_hang_up(h->process);
}

// The slot is idle, or held by the caller, which runs nothing on its thread.
static struct weft_spawn_parent *hang_up_locked(struct slot *s)
{
    struct hanging_up h = {.process = &s->process};
    if (s->process.fd >= 0)
        weft_private_thread_run(&s->thread, hang_up, &h);
    return h.left;
}

static void give_back(struct slot *s, bool background)
{
    struct weft_spawn_parent *left = NULL;
    pthread_mutex_lock(&pool.lock);
    pool.background -= background;
    if (pool.ending) {
        left = hang_up_locked(s);
        pthread_mutex_unlock(&pool.lock);
        weft_private_thread_end(&s->thread);
        pthread_mutex_lock(&pool.lock);
    }
    s->state = s->process.fd >= 0 ? SLOT_IDLE : SLOT_EMPTY;
    pthread_cond_broadcast(&pool.freed);
    pthread_mutex_unlock(&pool.lock);
    weft_spawn_parent_reap(left);
}

// ---- One process ----

// Is an idle compiler still there, without having sent anything?
static bool is_alive(const struct weft_compiler_process *p)
{
    struct pollfd other = {.fd = p->fd, .events = POLLIN};
    return weft_compiler_fd_is_ours(p) && poll(&other, 1, 0) == 0;
}

// Takes over `copy`. NULL: there was no memory for it.
static void remember_target(char *copy)
{
    pthread_mutex_lock(&pool.lock);
    if (!pool.target) {
        pool.target = copy;
        copy = NULL;
    }
    pthread_mutex_unlock(&pool.lock);
    weft_free(copy);
}

// Takes the lock, because fork and shutdown look at the process of a busy slot, too.
static void end_process(struct slot *s)
{
    pthread_mutex_lock(&pool.lock);
    struct weft_spawn_parent *left = weft_compiler_kill(&s->process);
    pthread_mutex_unlock(&pool.lock);
    weft_spawn_parent_reap(left);
}

static weft_status start(struct slot *s, char **why)
{
    const char *path = weft_compiler_path();
    if (!path) {
        *why = weft_strdup(
            "The compiler weftc can't be found, because the path of libweft.so is unknown (set WEFT_WEFTC).");
        return WEFT_NOT_FOUND;
    }
    struct weft_compiler_process p;
    weft_status status = weft_compiler_spawn(&p, path, why);
    if (status != WEFT_OK)
        return status;
    // Entered into the table at once, where fork and shutdown find it.
    pthread_mutex_lock(&pool.lock);
    s->process = p;
    s->in_private_table = s->thread.running;
    pthread_mutex_unlock(&pool.lock);
    char *target = NULL;
    status = weft_compiler_read_hello(&s->process, &target);
    if (status == WEFT_OK) {
        remember_target(target);
        return WEFT_OK;
    }
    *why = weft_compiler_describe_silence(path, status);
    end_process(s);
    // No source is to blame, whatever is wrong with the compiler.
    return status == WEFT_NO_MEMORY ? status : WEFT_NOT_FOUND;
}

// Calls fn(arg) on the thread that has the socket of the slot's process. The caller holds the slot.
static void run_beside_socket(struct slot *s, void (*fn)(void *arg), void *arg)
{
    if (s->process.fd < 0 && !s->thread.running)
        weft_private_thread_start(&s->thread);
    weft_private_thread_run(&s->thread, fn, arg);
}

// Runs where the socket is.
static weft_status make_ready(struct slot *s, char **why)
{
    if (s->process.fd >= 0 && is_alive(&s->process))
        return WEFT_OK;
    if (s->process.fd >= 0) {
        weft_log(WEFT_LOG_INFO, "the idle compiler %d has ended; starting another", (int)s->process.pid);
        end_process(s);
    }
    return start(s, why);
}

// ---- Requests ----

struct question {
    struct slot *slot;
    enum weft_message type, answer;
    const struct weft_buf *payload;
    weft_status status;
    uint8_t *reply;
    size_t size;
    char *why;
};

// Runs where the socket is.
static void ask(void *arg)
{
    struct question *q = arg;
    struct slot *s = q->slot;
    for (int attempt = 0; attempt < 2; attempt++) {
        q->status = make_ready(s, &q->why);
        if (q->status != WEFT_OK)
            break;
        struct weft_signal_report last = {0};
        bool unread = false;
        q->status = weft_compiler_exchange(&s->process, q->type, q->payload, q->answer, &q->reply, &q->size,
                                           &last, &unread);
        if (q->status == WEFT_OK)
            break;
        bool ours = weft_compiler_fd_is_ours(&s->process);
        end_process(s);
        // The request isn't to blame if the compiler didn't read it, or if the application closed our
        // descriptor.
        if ((ours && !unread) || attempt > 0) {
            q->why = weft_compiler_describe_failure(q->status, &last);
            break;
        }
    }
}

// The end of the process or the unloading of the library interrupts running requests. That is no error.
static bool is_ending(void)
{
    pthread_mutex_lock(&pool.lock);
    bool ending = pool.ending;
    pthread_mutex_unlock(&pool.lock);
    return ending;
}

static char *describe_end(void)
{
    return weft_strdup("The process is exiting or unloading OpenCL; its compilers have been stopped.");
}

weft_status weft_compiler_ask(enum weft_message type, const struct weft_buf *payload,
                              enum weft_message answer, enum weft_compile_priority priority, uint8_t **reply,
                              size_t *size, char **why)
{
    WEFT_NOT_CANCELLED;
    *reply = NULL;
    *size = 0;
    *why = NULL;
    if (payload->failed)
        return WEFT_NO_MEMORY;
    prepare();
    struct slot *s = take(priority);
    if (!s) {
        *why = describe_end();
        return WEFT_NO_RESOURCES;
    }
    struct question q = {
        .slot = s, .type = type, .answer = answer, .payload = payload, .status = WEFT_INTERNAL};
    run_beside_socket(s, ask, &q);
    give_back(s, is_background(priority));
    *reply = q.reply;
    *size = q.size;
    *why = q.why;
    if (q.status != WEFT_OK && is_ending()) {
        weft_free(*why);
        *why = describe_end();
        return WEFT_NO_RESOURCES;
    }
    return q.status;
}

// Runs where the socket is. Only starts the compiler, without a request.
static void only_make_ready(void *arg)
{
    struct question *q = arg;
    q->status = make_ready(q->slot, &q->why);
}

void weft_compiler_warm_up(uint32_t wanted)
{
    prepare();
    pthread_mutex_lock(&pool.lock);
    uint32_t there = 0;
    struct slot *s = NULL;
    for (uint32_t i = 0; i < pool.limit; i++) {
        there += pool.slots[i].state != SLOT_EMPTY;
        if (pool.slots[i].state == SLOT_EMPTY && !s)
            s = &pool.slots[i];
    }
    if (pool.ending || there >= wanted)
        s = NULL;
    if (s) {
        s->process = (struct weft_compiler_process){.fd = -1};
        s->state = SLOT_BUSY;
        pool.warming++;
    }
    pthread_mutex_unlock(&pool.lock);
    if (!s)
        return;
    struct question q = {.slot = s};
    run_beside_socket(s, only_make_ready, &q);
    if (q.status != WEFT_OK && !is_ending()) // a build that needs a compiler reports it as an error
        weft_log(WEFT_LOG_INFO, "%s", q.why ? q.why : "no compiler can be started");
    weft_free(q.why);
    pthread_mutex_lock(&pool.lock);
    pool.warming--;
    pthread_mutex_unlock(&pool.lock);
    give_back(s, false);
}

char *weft_compiler_target(void)
{
    WEFT_NOT_CANCELLED;
    prepare();
    for (int attempt = 0;; attempt++) {
        pthread_mutex_lock(&pool.lock);
        char *copy = pool.target ? weft_strdup(pool.target) : NULL;
        bool known = pool.target != NULL;
        pthread_mutex_unlock(&pool.lock);
        if (known || attempt)
            return copy;
        struct slot *s = take(WEFT_COMPILE_WANTED);
        if (!s)
            return NULL;
        struct question q = {.slot = s};
        run_beside_socket(s, only_make_ready, &q);
        weft_free(q.why);
        give_back(s, false);
    }
}

// ---- Shutdown ----

// Slots that were idle and are held by the caller until release_all.
struct left {
    struct slot *slots[SLOTS];
    struct weft_spawn_parent *spawn_parents[SLOTS];
    uint32_t count;
};

static void hang_up_idle_locked(struct left *left)
{
    left->count = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct slot *s = &pool.slots[i];
        if (s->state == SLOT_BUSY || (s->state == SLOT_EMPTY && !s->thread.running))
            continue;
        left->slots[left->count] = s;
        left->spawn_parents[left->count++] = hang_up_locked(s);
        s->state = SLOT_BUSY;
    }
}

static void release_all(struct left *left)
{
    for (uint32_t i = 0; i < left->count; i++)
        weft_private_thread_end(&left->slots[i]->thread);
    pthread_mutex_lock(&pool.lock);
    for (uint32_t i = 0; i < left->count; i++)
        left->slots[i]->state = SLOT_EMPTY;
    pthread_cond_broadcast(&pool.freed);
    pthread_mutex_unlock(&pool.lock);
    for (uint32_t i = 0; i < left->count; i++)
        weft_spawn_parent_reap(left->spawn_parents[i]);
}

void weft_compiler_unload(void)
{
    WEFT_NOT_CANCELLED;
    struct left left;
    pthread_mutex_lock(&pool.lock);
    hang_up_idle_locked(&left);
    pthread_mutex_unlock(&pool.lock);
    release_all(&left);
}

// Wakes the holders of busy slots, which then close their sockets.
static void shut_private_sockets(void *arg)
{
    (void)arg;
    for (uint32_t i = 0; i < SLOTS; i++)
        if (pool.slots[i].in_private_table && pool.slots[i].process.fd >= 0)
            shutdown(pool.slots[i].process.fd, SHUT_RDWR);
}

void weft_compiler_shutdown(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.ending = true;
    struct left left;
    hang_up_idle_locked(&left);
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct slot *s = &pool.slots[i];
        if (s->state == SLOT_BUSY && !s->in_private_table && weft_compiler_fd_is_ours(&s->process))
            shutdown(s->process.fd, SHUT_RDWR);
    }
    weft_private_fd_table_call(shut_private_sockets, NULL);
    pthread_cond_broadcast(&pool.freed);
    char *target = pool.target;
    pool.target = NULL;
    pthread_mutex_unlock(&pool.lock);
    weft_free(target);
    release_all(&left);
    weft_private_fd_table_shutdown();
}
