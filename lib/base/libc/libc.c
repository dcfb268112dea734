// Names and texts of signals, and calls that some C libraries don't have. Owns nothing.
#include "base/libc/libc.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <execinfo.h>
#include <malloc.h>
#endif

// glibc before 2.32 and musl have no sigabbrev_np, and strsignal isn't for signal handlers.
#define SIGNALS(X)                       \
    X(HUP, "hangup")                     \
    X(INT, "interrupt")                  \
    X(QUIT, "quit")                      \
    X(ILL, "illegal instruction")        \
    X(TRAP, "breakpoint")                \
    X(ABRT, "aborted")                   \
    X(BUS, "bus error")                  \
    X(FPE, "arithmetic exception")       \
    X(KILL, "killed")                    \
    X(USR1, "user-defined signal 1")     \
    X(SEGV, "segmentation fault")        \
    X(USR2, "user-defined signal 2")     \
    X(PIPE, "broken pipe")               \
    X(ALRM, "alarm clock")               \
    X(TERM, "terminated")                \
    X(STKFLT, "stack fault")             \
    X(CHLD, "child exited")              \
    X(CONT, "continued")                 \
    X(STOP, "stopped")                   \
    X(TSTP, "stopped from the terminal") \
    X(TTIN, "terminal input needed")     \
    X(TTOU, "terminal output needed")    \
    X(URG, "urgent data")                \
    X(XCPU, "processor time limit")      \
    X(XFSZ, "file size limit")           \
    X(VTALRM, "virtual timer")           \
    X(PROF, "profiling timer")           \
    X(WINCH, "window changed")           \
    X(IO, "input or output possible")    \
    X(PWR, "power failure")              \
    X(SYS, "system call that isn't allowed")

const char *weft_signal_name(int number)
{
    switch (number) {
#define NAME(name, words) \
    case SIG##name:       \
        return #name;
        SIGNALS(NAME)
    default:
        return "?";
    }
}

const char *weft_signal_words(int number)
{
    switch (number) {
#define WORDS(name, words) \
    case SIG##name:        \
        return words;
        SIGNALS(WORDS)
    default:
        return "unknown";
    }
}

// strerror_r returns a text in glibc and a number in musl.
const char *weft_error_text(int error, char *room, size_t size)
{
    const int before = errno;
    errno = error;
    snprintf(room, size, "%m");
    errno = before;
    return room;
}

// gettid is there since glibc 2.30.
pid_t weft_thread_id(void)
{
    return (pid_t)syscall(SYS_gettid);
}

void weft_current_processor(unsigned *cpu, unsigned *node)
{
    *cpu = *node = 0;
#ifdef __GLIBC__
    const long error = getcpu(cpu, node); // costs less than the system call
#else
    const long error = syscall(SYS_getcpu, cpu, node, NULL);
#endif
    if (error)
        *cpu = *node = 0;
}

void weft_signal_thread(pthread_t thread, int number, void *value)
{
#ifdef __GLIBC__
    pthread_sigqueue(thread, number, (union sigval){.sival_ptr = value});
#else
    // musl doesn't give a thread's number. But it is in the number of the thread's clock, as Linux makes
    // that: what is above the lowest three bits, with all bits inverted.
    clockid_t clock;
    if (pthread_getcpuclockid(thread, &clock) != 0)
        return;
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = number;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = value;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t) ~(clock >> 3), number, &info);
#endif
}

#ifdef __GLIBC__
size_t weft_unused_heap_bytes(void)
{
    return mallinfo2().fordblks;
}
#else
size_t weft_unused_heap_bytes(void)
{
    return 0;
}
#endif

int weft_callers(void **frames, int size)
{
#ifdef __GLIBC__
    return backtrace(frames, size);
#else
    (void)frames;
    (void)size;
    return 0;
#endif
}
