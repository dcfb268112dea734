// The spawn parent keeps weftc from becoming the application's child where orphans become children of the
// application: if it is process 1, such as that of a container, or a subreaper. There weftc gets a parent
// that stays.
//
// The spawn parent itself must be a child of the application; there is nobody else. It has no exit signal, so
// wait() doesn't see it and its end raises no signal. A process that calls exec gets SIGCHLD as its exit
// signal, so the spawn parent can't call exec. It continues to run our code in the application's memory,
// which costs no copy of anything and 20 KB for its stack. So once weftc runs, it must not use thread-local
// storage (of the thread that started it, which may have ended), keep the application's descriptors or its
// folder, or take signals (all are blocked). It also keeps the application's privileges. So it gives up all
// system calls except those for waking that thread, waiting and ending: whoever can write to the
// application's memory must gain nothing from it.
//
// What remains visible: waitpid with __WALL or __WCLONE finds the spawn parent. If weftc dies while it is
// idle, the spawn parent is a zombie until the next request or the end of the process; if the application
// calls exec, until the new program ends.
#include "runtime/compiler/spawn_parent.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "base/libc/libc.h"

#define STACK_BYTES 20480u // bytes; struct weft_spawn_parent is at the low end
#define REAP_SECONDS 5
// no_sanitize isn't enough: the thread sanitizer would instrument atomics even then, and its state belongs to
// a thread that may have ended.
#define RAW __attribute__((disable_sanitizer_instrumentation, no_sanitize("undefined"), no_stack_protector))

enum state { ENDED, STARTING, STARTED }; // ENDED: the kernel writes it (CLONE_CHILD_CLEARTID)

struct weft_spawn_parent {
    _Atomic int state;
    // Its child has ended and is being reaped; the pid may soon belong to another process.
    _Atomic int reaping;
    pid_t pid;
    int (*start)(void *arg);
    void *arg;
};

RAW static void give_up_calls(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WEFT_ARCH_AUDIT, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_waitid, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_wait4, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = WEFT_COUNT_OF(rules), .filter = rules};
    weft_arch_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    weft_arch_call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program, 0, 0);
}

RAW static int run_spawn_parent(void *arg)
{
    struct weft_spawn_parent *k = arg;
    const struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } fallback = {0}; // the kernel's layout
    const uint64_t no_core[2] = {0, 0}, all = ~0ull;
    // The C library doesn't block two signals that it uses itself. Their handlers read thread-local storage.
    weft_arch_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, sizeof all, 0);
    // Not in the process group of the application, which may be sent signals.
    weft_arch_call(SYS_setsid, 0, 0, 0, 0, 0);
    weft_arch_call(SYS_chdir, (long)"/", 0, 0, 0, 0);
    weft_arch_call(SYS_prlimit64, 0, 4 /* RLIMIT_CORE */, (long)no_core, 0, 0);
    // With SIGCHLD ignored, the kernel would reap the child.
    weft_arch_call(SYS_rt_sigaction, SIGCHLD, (long)&fallback, 0, sizeof fallback.mask, 0);
    int pid = k->start(k->arg);
    if (pid < 0)
        weft_arch_call(SYS_exit_group, 1, 0, 0, 0, 0);
    weft_arch_call(SYS_prctl, PR_SET_NAME, (long)"weft-parent", 0, 0, 0);
    if (weft_arch_call(SYS_close_range, 0, ~0u, 0, 0, 0) != 0)
        for (int fd = 0; fd < 4096; fd++) // before Linux 5.9
            weft_arch_call(SYS_close, fd, 0, 0, 0, 0);
    give_up_calls();
    atomic_store(&k->state, STARTED);
    weft_arch_call(SYS_futex, (long)&k->state, FUTEX_WAKE, 1, 0, 0);
    while (weft_arch_call(SYS_waitid, P_PID, pid, 0, WEXITED | WNOWAIT | __WALL, 0) == -EINTR)
        ;
    atomic_store(&k->reaping, 1);
    while (weft_arch_call(SYS_wait4, pid, 0, __WALL, 0, 0) == -EINTR)
        ;
    weft_arch_call(SYS_exit_group, 0, 0, 0, 0, 0);
    return 0;
}

bool weft_spawn_parent_is_needed(void)
{
    int subreaper = 0;
    // The C library's system calls write errno. Without raw calls there is no spawn parent, and weftc becomes
    // a child of this process.
    if (!WEFT_ARCH_CALLS)
        return false;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &subreaper) == 0 && subreaper);
}

// Waits until k->state isn't `state` or the timeout has passed. Not a private futex, because the kernel's
// wake-up isn't private.
static void wait_while(struct weft_spawn_parent *k, int state, const struct timespec *timeout)
{
    weft_arch_call(SYS_futex, (long)&k->state, FUTEX_WAIT, state, (long)timeout, 0);
}

static void reap(struct weft_spawn_parent *k)
{
    int saved = errno;
    while (waitpid(k->pid, NULL, (int)__WCLONE) < 0 && errno == EINTR)
        ;
    munmap(k, STACK_BYTES);
    errno = saved;
}

struct weft_spawn_parent *weft_spawn_parent_start(int (*start)(void *arg), void *arg, int *error)
{
    struct weft_spawn_parent *k =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (k == MAP_FAILED) {
        *error = errno;
        return NULL;
    }
    atomic_store(&k->state, STARTING);
    k->start = start;
    k->arg = arg;
    k->pid = weft_clone(run_spawn_parent, (unsigned char *)k + STACK_BYTES, CLONE_VM | CLONE_CHILD_CLEARTID,
                        k, NULL, NULL, &k->state);
    if (k->pid < 0) {
        *error = errno;
        munmap(k, STACK_BYTES);
        return NULL;
    }
    while (atomic_load(&k->state) == STARTING)
        wait_while(k, STARTING, NULL);
    if (atomic_load(&k->state) == ENDED) {
        reap(k);
        *error = ECHILD; // `start` has reported the cause
        return NULL;
    }
    return k;
}

void weft_spawn_parent_kill_child(const struct weft_spawn_parent *k, pid_t pid)
{
    if (pid <= 0) // none was started; kill(0) would reach our own group
        return;
    // Opens the pidfd before it checks the state: if the child wasn't being reaped after that, the pidfd
    // refers to it.
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), error = errno;
    if (!atomic_load(&k->reaping) && atomic_load(&k->state) == STARTED) {
        if (pidfd >= 0)
            syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
        else if (error != ESRCH)
            kill(pid, SIGKILL);
    }
    if (pidfd >= 0)
        close(pidfd);
}

void weft_spawn_parent_reap(struct weft_spawn_parent *k)
{
    if (!k)
        return;
    struct timespec now, timeout = {.tv_sec = REAP_SECONDS};
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (time_t until = now.tv_sec + REAP_SECONDS; atomic_load(&k->state) != ENDED && now.tv_sec < until;) {
        wait_while(k, STARTED, &timeout);
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    if (atomic_load(&k->state) == ENDED)
        reap(k);
    else // it may have been stopped; its stack must stay
        weft_log(WEFT_LOG_WARN, "the spawn parent of a compiler, process %d, hasn't ended after 5 seconds",
                 (int)k->pid);
}

void weft_spawn_parent_forget(struct weft_spawn_parent *k)
{
    if (k)
        munmap(k, STACK_BYTES);
}
