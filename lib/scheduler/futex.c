// The kernel's futex. Owns nothing.
#include "scheduler/internal.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "weft/trace.h"

void weft_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t timeout_ns)
{
    struct timespec t = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    int saved = errno;
    const uint64_t since = weft_trace_begin();
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout_ns < 0 ? NULL : &t, NULL, 0);
    weft_trace_end(WEFT_TRACE_SLEEP, since, 0, (uint64_t)timeout_ns, 0, 0);
    errno = saved;
}

void weft_futex_wake(_Atomic uint32_t *word, uint32_t count)
{
    int saved = errno;
    weft_trace_point(WEFT_TRACE_WAKE, 0, count, 0, 0);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
    errno = saved;
}
