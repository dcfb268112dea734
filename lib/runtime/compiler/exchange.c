// The exchange of messages with one compiler: its first message, a request and its reply, time limits, and
// descriptions of failures.
#include "runtime/compiler/exchange.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "base/base.h"
#include "base/libc/libc.h"
#include "runtime/compiler/cache_claim.h"
#include "runtime/compiler/spawn.h"
#include "weft/protocol.h"
#include "weft/status.h"

#define HELLO_TIMEOUT_MS 30000

// ---- The time limit (docs/adr/0023-what-a-compile-may-take.md) ----

#define CHECK_MS 1000  // maximum time between two checks of the compiler's progress
#define MIN_CHECKS 10u // minimum number of checks within a limit
// A compiler that has used 1 / AT_WORK of the time as processor time is working.
#define AT_WORK 100

// Processor time that the process has used, in ms. -1: unknown.
static int64_t processor_ms(const struct weft_compiler_process *p)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(p->pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return -1;
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// Waits until there is something to read, the other end is closed, or the time is over. `limit` is in ms of
// the compiler's processor time, or of wall-clock time in which it has used hardly any processor time. Each
// wait counts at most as long as it was meant to take: if it took longer, this process was suspended, and
// perhaps the compiler, too. limit < 0: none.
static weft_status wait_for_answer(const struct weft_compiler_process *p, int64_t limit)
{
    struct pollfd answer = {.fd = p->fd, .events = POLLIN};
    const int64_t begun = processor_ms(p), tenth = limit / MIN_CHECKS + 1,
                  interval = limit >= 0 && tenth < CHECK_MS ? tenth : CHECK_MS;
    uint64_t since = weft_time_now(), waited_ns = 0;
    int64_t checked_ms = begun;
    for (;;) {
        int n = poll(&answer, 1, (int)interval);
        if (n > 0 || (n < 0 && errno != EINTR))
            return WEFT_OK;
        weft_claim_keep();
        if (limit < 0)
            continue;
        // Signals may interrupt every wait (an application thread may be the one that asks), so count the
        // time that has passed.
        uint64_t at = weft_time_now(), passed = at - since, maximum = (uint64_t)interval * 1000000;
        since = at;
        waited_ns += n == 0 || passed > maximum ? maximum : passed;
        int64_t waited = (int64_t)(waited_ns / 1000000);
        int64_t now = processor_ms(p);
        // Later than `limit`, because weftc itself reports that it has reached the limit.
        if (begun >= 0 && now - begun >= limit + interval)
            return WEFT_TIMEOUT;
        if (waited < limit)
            continue;
        if (begun < 0 || now - checked_ms < waited / AT_WORK)
            return WEFT_TIMEOUT;
        waited_ns = 0;
        checked_ms = now;
    }
}

// ---- The first message ----

weft_status weft_compiler_read_hello(struct weft_compiler_process *p, char **target)
{
    uint16_t type;
    uint8_t *payload = NULL;
    size_t size;
    uint64_t limit = 1000 * weft_config_uint(WEFT_CFG_BUILD_TIMEOUT);
    if (limit == 0 || limit > HELLO_TIMEOUT_MS)
        limit = HELLO_TIMEOUT_MS;
    weft_status status = wait_for_answer(p, (int64_t)limit);
    if (status == WEFT_OK)
        status = weft_frame_receive(p->fd, (int)limit, &type, &payload, &size);
    struct weft_hello hello = {0};
    if (status == WEFT_OK)
        status = type == WEFT_MSG_HELLO ? weft_hello_get(&hello, payload, size) : WEFT_DAMAGED;
    if (status == WEFT_OK && p->pid == 0)
        p->pid = (pid_t)hello.pid;
    if (status == WEFT_OK && hello.pid != (uint32_t)p->pid)
        status = WEFT_DAMAGED;
    if (status == WEFT_OK)
        *target = weft_strdup(hello.target);
    weft_hello_fini(&hello);
    weft_free(payload);
    return status;
}

// A clause about memory limits, for a compiler that ended before its first message. The limits are those that
// become_compiler sets (compiler/spawn.c).
static char *too_little_memory(void)
{
    const uint64_t wanted = weft_config_uint(WEFT_CFG_BUILD_MEMORY);
    struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &l);
    const rlim_t left = wanted ? l.rlim_max : l.rlim_cur;
    if (left != RLIM_INFINITY && (!wanted || left >> 20 < wanted))
        return weft_format("; this process limits it to %llu MiB of address space (RLIMIT_AS, ulimit -v), "
                           "which may be too little",
                           (unsigned long long)(left >> 20));
    return wanted ? weft_format("; it is damaged or another program, or its memory limit is too small "
                                "(WEFT_BUILD_MEMORY, %llu MiB)",
                                (unsigned long long)wanted)
                  : weft_strdup("");
}

char *weft_compiler_describe_silence(const char *path, weft_status status)
{
    char *memory = status == WEFT_CRASHED ? too_little_memory() : NULL;
    char *text =
        weft_format("The compiler %s doesn't answer as weftc does: %s%s.", path,
                    status == WEFT_TIMEOUT     ? "it said nothing in time"
                    : status == WEFT_NO_MEMORY ? "there is not enough memory for its answer"
                    : status == WEFT_CRASHED   ? "it ended before it answered"
                                               : "it belongs to another version of Weft, or isn't weftc",
                    memory ? memory : "");
    weft_free(memory);
    return text;
}

// ---- Request and reply ----

char *weft_compiler_describe_failure(weft_status status, const struct weft_signal_report *last)
{
    if (status == WEFT_TIMEOUT)
        return weft_format("The compiler was stopped after %llu seconds (WEFT_BUILD_TIMEOUT).",
                           (unsigned long long)weft_config_uint(WEFT_CFG_BUILD_TIMEOUT));
    if (status == WEFT_DAMAGED)
        return weft_strdup("The compiler sent an answer that can't be understood, and was stopped.");
    if (status != WEFT_CRASHED)
        return weft_format("The compiler can't be used: %s.", weft_status_text(status));
    // Only SIGKILL lets weftc send no report. Usually the kernel sends it when memory runs out.
    const int number = last->number > 0 ? last->number : SIGKILL;
    return weft_format("The compiler %s: signal %d (%s, %s)%s.",
                       last->crash        ? "crashed"
                       : last->number > 0 ? "was ended from outside"
                                          : "ended unexpectedly",
                       number, weft_signal_name(number), weft_signal_words(number),
                       last->number > 0 ? "" : "; the system may have run out of memory");
}

weft_status weft_compiler_exchange(struct weft_compiler_process *p, enum weft_message type,
                                   const struct weft_buf *payload, enum weft_message answer, uint8_t **reply,
                                   size_t *size, struct weft_signal_report *last, bool *unread)
{
    uint64_t seconds = weft_config_uint(WEFT_CFG_BUILD_TIMEOUT);
    int64_t timeout = seconds == 0 || seconds > INT64_MAX / 1000 ? -1 : (int64_t)seconds * 1000;
    uint16_t got = 0;
    weft_status sent = weft_frame_send_within(p->fd, timeout, type, payload), status = sent;
    // The request wasn't sent completely, so the compiler must not wait for the rest.
    if (sent == WEFT_CRASHED)
        shutdown(p->fd, SHUT_WR);
    if (sent == WEFT_OK)
        status = wait_for_answer(p, timeout);
    if (status == WEFT_OK || sent == WEFT_CRASHED) // if it died while reading, it may have sent a report
        status = weft_frame_receive(p->fd, timeout, &got, reply, size);
    *unread = status == WEFT_CRASHED && (sent == WEFT_CRASHED || errno == ECONNRESET);
    if (status != WEFT_OK)
        return status;
    if (got == (uint16_t)answer)
        return WEFT_OK;
    if (got == WEFT_MSG_CRASH) {
        struct weft_reader r = weft_reader_of(*reply, *size);
        last->number = (int)weft_get_u32(&r);
        last->crash = weft_get_u32(&r) == 0;
    }
    weft_free(*reply);
    *reply = NULL;
    return got == WEFT_MSG_CRASH ? WEFT_CRASHED : WEFT_DAMAGED;
}
