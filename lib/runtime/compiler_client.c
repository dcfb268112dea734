// The compilers. Owns their processes (compiler_spawn.c), in a table under one lock that is never held during
// a request, an exec or a wait for a process. Waiters for a compiler are served by priority.
//
// A compiler that died while it was idle, however shortly before a request reached it, or whose descriptor
// the application closed, is replaced without a word. One that dies over a request that it has read fails
// that request, and the next one starts anew. After fork the child forgets its parent's compilers.
#include "compiler_client.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "compiler_spawn.h"

#define MAX_COMPILERS 64u
#define HELLO_TIMEOUT_MS 30000

enum slot_state { SLOT_EMPTY, SLOT_IDLE, SLOT_BUSY };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct slot {
        enum slot_state state;
        struct weft_compiler_process process; // the holder's while BUSY; fd < 0: to be started
    } slots[MAX_COMPILERS];
    uint32_t limit; // 0: not yet known
    uint32_t waiters[WEFT_COMPILE_NOW + 1];
    bool ending;
    bool warming; // one is being started ahead of need
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

// The child must not keep its copies of the sockets open: a compiler ends when the last copy of our end is
// closed.
static void fork_child(void)
{
    for (uint32_t i = 0; i < MAX_COMPILERS; i++) {
        if (pool.slots[i].state != SLOT_EMPTY)
            weft_compiler_forget(&pool.slots[i].process);
        pool.slots[i].state = SLOT_EMPTY;
    }
    memset(pool.waiters, 0, sizeof pool.waiters);
    pool.warming = false;
    pthread_cond_init(&pool.freed, NULL);
    pthread_mutex_init(&pool.lock, NULL);
}

static void prepare_once(void)
{
    pthread_atfork(fork_prepare, fork_parent, fork_child);
    uint64_t n = weft_config_uint(WEFT_CFG_COMPILERS);
    cpu_set_t cpus;
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
    prepare();
    return pool.limit;
}

// ---- Taking and giving back ----

static struct slot *find_free_locked(void)
{
    struct slot *empty = NULL;
    for (uint32_t i = 0; i < pool.limit; i++) {
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

// A slot for this waiter. One who comes alone while a compiler is being started ahead of need waits for that
// one: it is there sooner than another would be.
static struct slot *find_for_locked(enum weft_compile_priority priority)
{
    struct slot *s = find_free_locked();
    bool alone = pool.waiters[WEFT_COMPILE_BETTER] + pool.waiters[WEFT_COMPILE_LATER] +
                     pool.waiters[WEFT_COMPILE_WANTED] + pool.waiters[WEFT_COMPILE_NOW] ==
                 1;
    return more_urgent_waits_locked(priority) || (s && s->state == SLOT_EMPTY && pool.warming && alone) ? NULL
                                                                                                        : s;
}

// NULL: everything ends.
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
    }
    // Another free slot may be left for one who waited behind this.
    pthread_cond_broadcast(&pool.freed);
    pthread_mutex_unlock(&pool.lock);
    return s;
}

static void give_back(struct slot *s)
{
    pthread_mutex_lock(&pool.lock);
    struct weft_keeper *left = pool.ending ? weft_compiler_hang_up(&s->process) : NULL;
    s->state = s->process.fd >= 0 ? SLOT_IDLE : SLOT_EMPTY;
    pthread_cond_broadcast(&pool.freed);
    pthread_mutex_unlock(&pool.lock);
    weft_keeper_bury(left);
}

// ---- One process ----

// Is an idle compiler still there, with nothing unasked-for to say?
static bool is_alive(const struct weft_compiler_process *p)
{
    struct pollfd other = {.fd = p->fd, .events = POLLIN};
    return weft_compiler_fd_is_ours(p) && poll(&other, 1, 0) == 0;
}

static void remember_target(const char *target)
{
    char *copy = weft_strdup(target);
    pthread_mutex_lock(&pool.lock);
    if (!pool.target) {
        pool.target = copy;
        copy = NULL;
    }
    pthread_mutex_unlock(&pool.lock);
    weft_free(copy);
}

static weft_status read_hello(struct weft_compiler_process *p)
{
    uint16_t type;
    uint8_t *payload = NULL;
    size_t size;
    uint64_t limit = 1000 * weft_config_uint(WEFT_CFG_BUILD_TIMEOUT);
    if (limit == 0 || limit > HELLO_TIMEOUT_MS)
        limit = HELLO_TIMEOUT_MS;
    weft_status status = weft_frame_receive(p->fd, (int)limit, &type, &payload, &size);
    struct weft_hello hello = {0};
    if (status == WEFT_OK)
        status = type == WEFT_MSG_HELLO ? weft_hello_get(&hello, payload, size) : WEFT_DAMAGED;
    if (status == WEFT_OK && hello.pid != (uint32_t)p->pid)
        status = WEFT_DAMAGED;
    if (status == WEFT_OK)
        remember_target(hello.target);
    weft_hello_fini(&hello);
    weft_free(payload);
    return status;
}

// Under the lock, because fork and shutdown look at the process of a busy slot too.
static void end_process(struct slot *s)
{
    pthread_mutex_lock(&pool.lock);
    struct weft_keeper *left = weft_compiler_kill(&s->process);
    pthread_mutex_unlock(&pool.lock);
    weft_keeper_bury(left);
}

static weft_status start(struct slot *s, char **why)
{
    const char *path = weft_compiler_path();
    if (!path) {
        *why = weft_strdup("The compiler weftc can't be found: the place of libweft.so is unknown.");
        return WEFT_NOT_FOUND;
    }
    struct weft_compiler_process p;
    weft_status status = weft_compiler_spawn(&p, path, why);
    if (status != WEFT_OK)
        return status;
    // In the table at once, where fork and shutdown find it.
    pthread_mutex_lock(&pool.lock);
    s->process = p;
    pthread_mutex_unlock(&pool.lock);
    status = read_hello(&s->process);
    if (status == WEFT_OK)
        return WEFT_OK;
    const char *memory = status == WEFT_CRASHED && weft_config_uint(WEFT_CFG_BUILD_MEMORY)
                             ? "; it is another program, or may take too little memory (WEFT_BUILD_MEMORY)"
                             : "";
    *why = weft_format("The compiler %s doesn't answer as weftc does: %s%s.", path,
                       status == WEFT_TIMEOUT     ? "it said nothing in time"
                       : status == WEFT_NO_MEMORY ? "there is no memory for its answer"
                       : status == WEFT_CRASHED   ? "it ended before it answered"
                                                  : "it is of another version, or not Weft's",
                       memory);
    end_process(s);
    // Whatever is wrong with it, no source is to blame.
    return status == WEFT_NO_MEMORY ? status : WEFT_NOT_FOUND;
}

static weft_status make_ready(struct slot *s, char **why)
{
    if (s->process.fd >= 0 && is_alive(&s->process))
        return WEFT_OK;
    if (s->process.fd >= 0) {
        weft_log(WEFT_LOG_INFO, "the idle compiler %d is gone; another is started", (int)s->process.pid);
        end_process(s);
    }
    return start(s, why);
}

// ---- Requests ----

static char *describe_failure(weft_status status, int signal)
{
    if (status == WEFT_TIMEOUT)
        return weft_format("The compiler was stopped after %llu seconds (WEFT_BUILD_TIMEOUT).",
                           (unsigned long long)weft_config_uint(WEFT_CFG_BUILD_TIMEOUT));
    if (status == WEFT_DAMAGED)
        return weft_strdup("The compiler gave an answer that can't be understood, and was stopped.");
    if (status != WEFT_CRASHED)
        return weft_format("The compiler can't be asked: %s.", weft_status_text(status));
    if (signal > 0)
        return weft_format("The compiler crashed: signal %d (%s, %s).", signal,
                           sigabbrev_np(signal) ? sigabbrev_np(signal) : "unknown",
                           sigdescr_np(signal) ? sigdescr_np(signal) : "unknown");
    return weft_strdup("The compiler ended unexpectedly; something killed it (want of memory, perhaps).");
}

// Sends and receives. *signal: what weftc says it dies of. *unread: it was dead before it had read the
// request.
static weft_status exchange(struct weft_compiler_process *p, enum weft_message type,
                            const struct weft_buf *payload, enum weft_message answer, uint8_t **reply,
                            size_t *size, int *signal, bool *unread)
{
    uint64_t seconds = weft_config_uint(WEFT_CFG_BUILD_TIMEOUT);
    int64_t timeout = seconds == 0 || seconds > INT64_MAX / 1000 ? -1 : (int64_t)seconds * 1000;
    uint16_t got = 0;
    weft_status sent = weft_frame_send_within(p->fd, timeout, type, payload), status = sent;
    if (sent == WEFT_OK || sent == WEFT_CRASHED) // one that died while it read may have left its last words
        status = weft_frame_receive(p->fd, timeout, &got, reply, size);
    *unread = status == WEFT_CRASHED && (sent == WEFT_CRASHED || errno == ECONNRESET);
    if (status != WEFT_OK)
        return status;
    if (got == (uint16_t)answer)
        return WEFT_OK;
    if (got == WEFT_MSG_CRASH) {
        struct weft_reader r = weft_reader_of(*reply, *size);
        *signal = (int)weft_get_u32(&r);
    }
    weft_free(*reply);
    *reply = NULL;
    return got == WEFT_MSG_CRASH ? WEFT_CRASHED : WEFT_DAMAGED;
}

weft_status weft_compiler_ask(enum weft_message type, const struct weft_buf *payload,
                              enum weft_message answer, enum weft_compile_priority priority, uint8_t **reply,
                              size_t *size, char **why)
{
    *reply = NULL;
    *size = 0;
    *why = NULL;
    if (payload->failed)
        return WEFT_NO_MEMORY;
    prepare();
    struct slot *s = take(priority);
    if (!s)
        return WEFT_NO_RESOURCES;
    weft_status status = WEFT_INTERNAL;
    for (int attempt = 0; attempt < 2; attempt++) {
        status = make_ready(s, why);
        if (status != WEFT_OK)
            break;
        int signal = 0;
        bool unread = false;
        status = exchange(&s->process, type, payload, answer, reply, size, &signal, &unread);
        if (status == WEFT_OK)
            break;
        bool ours = weft_compiler_fd_is_ours(&s->process);
        end_process(s);
        // The request isn't to blame when the compiler didn't read it, or the application closed our
        // descriptor.
        if ((ours && !unread) || attempt > 0) {
            *why = describe_failure(status, signal);
            break;
        }
    }
    give_back(s);
    return status;
}

void weft_compiler_warm_up(void)
{
    prepare();
    pthread_mutex_lock(&pool.lock);
    bool any = pool.ending;
    for (uint32_t i = 0; i < pool.limit; i++)
        any |= pool.slots[i].state != SLOT_EMPTY;
    if (!any) {
        pool.slots[0].process = (struct weft_compiler_process){.fd = -1};
        pool.slots[0].state = SLOT_BUSY;
        pool.warming = true;
    }
    pthread_mutex_unlock(&pool.lock);
    if (any)
        return;
    struct slot *s = &pool.slots[0];
    char *why = NULL;
    if (make_ready(s, &why) != WEFT_OK)
        weft_log(WEFT_LOG_WARN, "%s", why ? why : "no compiler can be started");
    weft_free(why);
    pthread_mutex_lock(&pool.lock);
    pool.warming = false;
    pthread_mutex_unlock(&pool.lock);
    give_back(s);
}

char *weft_compiler_target(void)
{
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
        char *why = NULL;
        make_ready(s, &why);
        weft_free(why);
        give_back(s);
    }
}

// What hanging up left: for bury_all, without the lock.
struct left {
    struct weft_keeper *keepers[MAX_COMPILERS];
};

static void hang_up_idle_locked(struct left *left)
{
    for (uint32_t i = 0; i < MAX_COMPILERS; i++) {
        struct slot *s = &pool.slots[i];
        left->keepers[i] = s->state == SLOT_IDLE ? weft_compiler_hang_up(&s->process) : NULL;
        if (s->state == SLOT_IDLE)
            s->state = SLOT_EMPTY;
    }
}

static void bury_all(struct left *left)
{
    for (uint32_t i = 0; i < MAX_COMPILERS; i++)
        weft_keeper_bury(left->keepers[i]);
}

void weft_compiler_unload(void)
{
    struct left left;
    pthread_mutex_lock(&pool.lock);
    hang_up_idle_locked(&left);
    pthread_mutex_unlock(&pool.lock);
    bury_all(&left);
}

void weft_compiler_shutdown(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.ending = true;
    struct left left;
    hang_up_idle_locked(&left);
    for (uint32_t i = 0; i < MAX_COMPILERS; i++) {
        struct slot *s = &pool.slots[i];
        if (s->state == SLOT_BUSY && weft_compiler_fd_is_ours(&s->process)) {
            shutdown(s->process.fd, SHUT_RDWR); // its holder wakes up, and closes it
        }
    }
    pthread_cond_broadcast(&pool.freed);
    char *target = pool.target;
    pool.target = NULL;
    pthread_mutex_unlock(&pool.lock);
    weft_free(target);
    bury_all(&left);
}
