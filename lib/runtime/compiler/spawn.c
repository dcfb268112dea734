// Starts weftc invisibly to the application.
//
// The application must not be able to wait for weftc, and the end of weftc must not raise SIGCHLD. So an
// intermediate process is cloned. It shares our memory, so no page tables are copied, however large the
// application is. It has no exit signal, and is waited for with __WCLONE, so wait() of the application
// doesn't see it. It clones weftc and ends, which leaves weftc to init. If the application is init (or a
// subreaper), a spawn parent stays as the parent of weftc instead (compiler/spawn_parent.c). Both clones run
// on stacks of their own and stop this thread until they exec or exit (CLONE_VFORK). They use only raw system
// calls, because they share this thread's thread-local storage, and because sanitizers must not take their
// calls for ours.
//
// All this runs on a thread with a private descriptor table (compiler/private_fd_table.c). If there is none,
// the application may close a descriptor of ours at any time, and its number may be given to another file. So
// the socket is identified by device and inode, which are checked before each use.
#include "runtime/compiler/spawn.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "base/libc/libc.h"
#include "runtime/compiler/spawn_parent.h"
#include "weft/protocol.h"
#include "weft/status.h"

#define STACK_BYTES 32768u // bytes, for each clone
// With a limit below this number of descriptors, the limit is probably why a start fails.
#define FEW_FILES 24u
#define COMPILER_STACK_BYTES (64ull << 20)
#define RAW __attribute__((no_sanitize("address", "thread", "undefined")))

// ---- The path of weftc ----

// Set once. Never freed, because threads may still build while the process ends.
static char *_Atomic path_found;

static char *path_find(void)
{
    const char *given = weft_config_str(WEFT_CFG_WEFTC);
    if (given) {
        char *whole = realpath(given, NULL); // absolute: weftc starts in another folder
        char *path = weft_strdup(whole ? whole : given);
        free(whole);
        return path;
    }
    Dl_info info;
    if (!dladdr((const void *)&path_found, &info) || !info.dli_fname)
        return NULL;
    char *real = realpath(info.dli_fname, NULL);
    const char *library = real ? real : info.dli_fname;
    const char *slash = strrchr(library, '/');
    char *path = weft_format("%.*s/weft/weftc", slash ? (int)(slash - library) : 1, slash ? library : ".");
    free(real);
    return path;
}

const char *weft_compiler_path(void)
{
    char *path = atomic_load(&path_found), *none = NULL;
    if (path)
        return path;
    path = path_find(); // NULL: no memory; the next call tries again
    if (path && !atomic_compare_exchange_strong(&path_found, &none, path)) {
        weft_free(path);
        path = none;
    }
    return path;
}

const char *weft_compiler_advice(int error)
{
    if (error != ENOENT && error != EACCES && error != ENOEXEC)
        return "";
    return weft_config_str(WEFT_CFG_WEFTC) ? " WEFT_WEFTC names it."
                                           : " Weft's installation is incomplete: please install it again.";
}

// ---- Environment: Weft's configuration, so that both processes agree ----

struct environment {
    char *vars[WEFT_CFG_COUNT + 3]; // two more variables, and the closing NULL
    size_t count;
    bool failed;
};

static void env_put(struct environment *e, char *var)
{
    if (var)
        e->vars[e->count++] = var;
    else
        e->failed = true;
}

// Longer values can't be passed to a program, and no valid value is that long.
#define MAX_ENV_BYTES 65536u

static void env_put_str(struct environment *e, enum weft_config c)
{
    const char *value = weft_config_str(c);
    if (value && strlen(value) < MAX_ENV_BYTES)
        env_put(e, weft_format("%s=%s", weft_config_env(c), value));
}

static void env_put_uint(struct environment *e, enum weft_config c)
{
    // Allocation failures for tests are meant only for this process.
    if (c != WEFT_CFG_FAIL_ALLOC)
        env_put(e, weft_format("%s=%llu", weft_config_env(c), (unsigned long long)weft_config_uint(c)));
}

static void env_put_version(struct environment *e, enum weft_config c)
{
    unsigned v = (unsigned)weft_config_uint(c);
    env_put(e, weft_format("%s=%u.%u", weft_config_env(c), v / 100, v / 10 % 10));
}

static void env_fill(struct environment *e)
{
#define ENV_STR env_put_str
#define ENV_UINT env_put_uint
#define ENV_ID env_put_uint
#define ENV_BOOL env_put_uint
#define ENV_LANES env_put_uint
#define ENV_VERSION env_put_version
#define ENV_CHOICE env_put_str // as it was written; if it isn't set, weftc uses the same default
#define WEFT_CONFIG(id, env, kind, fallback, max, text) ENV_##kind(e, WEFT_CFG_##id);
#include "base/config.def"
}

static void env_free(struct environment *e)
{
    for (size_t i = 0; i < e->count; i++)
        weft_free(e->vars[i]);
}

// ---- The clones ----

struct start {
    const char *path;
    char *const *argv;
    char *const *envp;
    int socket; // weftc's end
    bool keep_stderr;
    uint64_t memory_limit; // bytes; 0: none
    unsigned char *stack;  // top of the stack of weftc's clone
    // Output: pid of weftc. 0: it runs, but memory isn't shared with it, as under Valgrind.
    pid_t pid;
    int error;                              // output: errno of what failed; 0: success
    struct weft_spawn_parent *spawn_parent; // output
};

struct raw_sigaction { // the kernel's layout
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

RAW static void limit(int resource, uint64_t soft)
{
    struct rlimit l;
    if (syscall(SYS_prlimit64, 0, resource, NULL, &l) != 0)
        return;
    if (l.rlim_max != RLIM_INFINITY && soft > l.rlim_max)
        soft = l.rlim_max;
    l.rlim_cur = soft;
    syscall(SYS_prlimit64, 0, resource, &l, NULL);
}

// Becomes weftc. Sets what weftc needs of the process's state, and resets everything else.
RAW static int become_compiler(void *arg)
{
    struct start *s = arg;
    struct raw_sigaction fallback = {0};
    for (int sig = 1; sig <= 64; sig++)
        syscall(SYS_rt_sigaction, sig, &fallback, NULL, sizeof fallback.mask);
    uint64_t none = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
    syscall(SYS_setsid);
    syscall(SYS_chdir, "/");
    limit(RLIMIT_STACK, COMPILER_STACK_BYTES);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, RLIM_INFINITY);
    limit(RLIMIT_CPU, RLIM_INFINITY);
    limit(RLIMIT_NOFILE, 1024);
    if (s->memory_limit)
        limit(RLIMIT_AS, s->memory_limit);
    // Copies to high numbers, so that they aren't overwritten below. If there are no free descriptors for
    // that, weftc couldn't run either.
    long null = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR);
    int none_open[2];
    // No /dev/null, as in a chroot: a pipe without a writer, which ends at once when read and can't be
    // written.
    if (null < 0 && syscall(SYS_pipe2, none_open, 0) == 0) {
        null = none_open[0];
        syscall(SYS_close, none_open[1]);
    }
    long high_null = syscall(SYS_fcntl, null, F_DUPFD, 8);
    long high_socket = syscall(SYS_fcntl, s->socket, F_DUPFD, 8);
    if (high_null < 0 || high_socket < 0)
        goto fail;
    for (int fd = 0; fd < 3; fd++)
        if (!(fd == 2 && s->keep_stderr) && syscall(SYS_dup3, high_null, fd, 0) < 0)
            goto fail;
    if (syscall(SYS_dup3, high_socket, WEFT_PROTOCOL_FD, 0) < 0)
        goto fail;
    if (syscall(SYS_close_range, WEFT_PROTOCOL_FD + 1, ~0u, 0) != 0)
        for (int fd = WEFT_PROTOCOL_FD + 1; fd < 4096; fd++) // before Linux 5.9
            syscall(SYS_close, fd);
    syscall(SYS_execve, s->path, s->argv, s->envp);
fail:
    s->error = errno;
    syscall(SYS_exit_group, 127);
    return 127;
}

RAW static int start_compiler(void *arg)
{
    struct start *s = arg;
    int pid = weft_clone(become_compiler, s->stack, CLONE_VM | CLONE_VFORK | SIGCHLD, s);
    if (pid < 0)
        s->error = errno;
    s->pid = pid;
    return pid;
}

RAW static int intermediate(void *arg)
{
    start_compiler(arg);
    syscall(SYS_exit_group, 0);
    return 0;
}

static void orphan_compiler(struct start *s, unsigned char *stack)
{
    int pid = weft_clone(intermediate, stack, CLONE_VM | CLONE_VFORK, s);
    // QEMU's user emulation has no children without SIGCHLD. There the application may see the intermediate
    // process while it lives.
    if (pid < 0 && errno == EINVAL)
        pid = weft_clone(intermediate, stack, CLONE_VM | CLONE_VFORK | SIGCHLD, s);
    if (pid < 0)
        s->error = errno;
    else
        while (waitpid(pid, NULL, (int)__WALL) < 0 && errno == EINTR)
            ;
}

static void start_with_spawn_parent(struct start *s)
{
    int error = 0;
    s->spawn_parent = weft_spawn_parent_start(start_compiler, s, &error);
    if (!s->spawn_parent && !s->error)
        s->error = error;
}

static weft_status run_clones(struct start *s)
{
    size_t bytes = 2 * STACK_BYTES;
    unsigned char *stacks =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stacks == MAP_FAILED) {
        s->error = errno;
        return WEFT_NO_MEMORY;
    }
    s->stack = stacks + bytes;
    // A signal handler of the application must not run in a clone, which shares the application's memory.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int saved = errno;
    if (weft_spawn_parent_is_needed())
        start_with_spawn_parent(s);
    else
        orphan_compiler(s, stacks + STACK_BYTES);
    errno = saved;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    munmap(stacks, bytes);
    return s->error == 0        ? WEFT_OK
           : s->error == ENOMEM ? WEFT_NO_MEMORY
           : s->error == EAGAIN ? WEFT_NO_RESOURCES
                                : WEFT_NOT_FOUND;
}

// If a descriptor has to be in the application's table, its number may belong to another file when we close
// it: some applications close all descriptors and open other files. So we remember which file is ours.
static bool is_file(int fd, dev_t dev, ino_t ino)
{
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_dev == dev && st.st_ino == ino;
}

static bool identify(int fd, dev_t *dev, ino_t *ino)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    *dev = st.st_dev;
    *ino = st.st_ino;
    return true;
}

// After unshare(CLONE_NEWPID), the next child becomes process 1 of another PID namespace, and all processes
// there end with it. The application must create that child, not Weft.
static bool children_would_found_a_name_space(void)
{
    static const char for_children[] = "/proc/thread-self/ns/pid_for_children"; // since Linux 4.12
    char own[64], theirs[64];
    struct stat st;
    ssize_t n = readlink("/proc/thread-self/ns/pid", own, sizeof own);
    if (n <= 0 || lstat(for_children, &st) != 0)
        return false;
    // as long as the namespace has no first process, there is nothing to read
    return readlink(for_children, theirs, sizeof theirs) != n || memcmp(own, theirs, (size_t)n) != 0;
}

// Closes weftc's end of the socket, which must be closed when weftc ends. A sandbox may forbid close. Then
// the number is made a copy of our end. Otherwise nobody would notice for half a minute that weftc died
// before its first message.
static void give_up_other_end(int other, int ours)
{
    if (close(other) != 0 && errno != EINTR)
        (void)dup3(ours, other, O_CLOEXEC);
}

weft_status weft_compiler_spawn(struct weft_compiler_process *p, const char *path, char **why)
{
    *p = (struct weft_compiler_process){.fd = -1};
    *why = NULL;
    struct environment env = {0};
    env_fill(&env);
    env_put(&env, weft_strdup("LC_ALL=C"));
    // A compiler frees and allocates blocks of the same sizes millions of times. By default glibc caches only
    // seven of each.
    env_put(&env, weft_strdup("GLIBC_TUNABLES=glibc.malloc.tcache_count=2000"));
    int pair[2] = {-1, -1};
    dev_t other_dev = 0;
    ino_t other_ino = 0;
    weft_status status = WEFT_NO_MEMORY;
    int error = ENOMEM;
    if (env.failed)
        goto done;
    if (children_would_found_a_name_space()) {
        error = EINVAL;
        status = WEFT_NO_RESOURCES;
        goto done;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        error = errno;
        status = WEFT_NO_RESOURCES;
        goto done;
    }
    p->fd = pair[0];
    char level[] = "--level=0";
    level[sizeof level - 2] = (char)('0' + weft_arch_level());
    char *argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t)"--serve", level, NULL};
    struct start s = {.path = path,
                      .argv = argv,
                      .envp = env.vars,
                      .socket = pair[1],
                      .keep_stderr = weft_log_level_now >= WEFT_LOG_DEBUG,
                      .memory_limit = weft_config_uint(WEFT_CFG_BUILD_MEMORY) << 20};
    if (!identify(pair[0], &p->dev, &p->ino) || !identify(pair[1], &other_dev, &other_ino)) {
        error = errno;
        status = WEFT_NO_RESOURCES;
        goto done;
    }
    status = run_clones(&s);
    error = s.error;
    p->pid = s.pid;
    p->spawn_parent = s.spawn_parent;
done:
    if (is_file(pair[1], other_dev, other_ino))
        give_up_other_end(pair[1], pair[0]);
    env_free(&env);
    if (status != WEFT_OK) {
        char text[128], few[112] = "";
        struct rlimit files;
        if (getrlimit(RLIMIT_NOFILE, &files) == 0 && (files.rlim_cur < FEW_FILES || error == EMFILE))
            snprintf(few, sizeof few,
                     " (this process is limited to %llu descriptors: RLIMIT_NOFILE, ulimit -n)",
                     (unsigned long long)files.rlim_cur);
        *why = weft_format("The compiler %s can't be started: %s%s.%s", path,
                           weft_error_text(error, text, sizeof text), few, weft_compiler_advice(error));
        weft_spawn_parent_reap(weft_compiler_hang_up(p));
    }
    return status;
}

// ---- Ending a process ----

bool weft_compiler_fd_is_ours(const struct weft_compiler_process *p)
{
    return is_file(p->fd, p->dev, p->ino);
}

static void close_socket(struct weft_compiler_process *p)
{
    if (weft_compiler_fd_is_ours(p))
        close(p->fd);
    p->fd = -1;
}

// Also kills the compiler if it has a spawn parent. Closing the socket would end weftc as well, but not if
// somebody else has a copy of our end, and the caller waits for the spawn parent's end.
struct weft_spawn_parent *weft_compiler_hang_up(struct weft_compiler_process *p)
{
    struct weft_spawn_parent *k = p->spawn_parent;
    p->spawn_parent = NULL;
    if (k)
        weft_spawn_parent_kill_child(k, p->pid);
    close_socket(p);
    return k;
}

void weft_compiler_forget(struct weft_compiler_process *p)
{
    weft_spawn_parent_forget(p->spawn_parent);
    p->spawn_parent = NULL;
    close_socket(p);
}

// Without a spawn parent, weftc is no child of ours, so its pid may belong to another process since it ended.
// Only weftc has the other end of the socket (or a child that was forked at that moment, if the socket is in
// the application's table). So a pidfd is opened first. If the other end is still open after that, the pidfd
// refers to weftc.
struct weft_spawn_parent *weft_compiler_kill(struct weft_compiler_process *p)
{
    if (!p->spawn_parent && p->pid > 0 && weft_compiler_fd_is_ours(p)) {
        int pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
        int error = errno;
        struct pollfd other = {.fd = p->fd, .events = POLLIN};
        bool open = poll(&other, 1, 0) >= 0 && !(other.revents & POLLHUP);
        if (open && pidfd >= 0)
            syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
        else if (open && error == ENOSYS)
            kill(p->pid, SIGKILL);
        if (pidfd >= 0)
            close(pidfd);
    }
    return weft_compiler_hang_up(p);
}
