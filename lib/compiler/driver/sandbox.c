// The sandbox of `weftc --serve`. The process reads untrusted sources, bitcode and SPIR-V with millions of
// lines of code that weren't written to resist attacks. So assume that some input can make the process do
// anything. It can then still only
//
//   read files (which a source can do with #include), answer on its socket, use memory and processor time
//   within its limits, and run the SPIR-V translator, which has the same rights.
//
// There are three layers. Each one works without the others:
//
// - no_new_privs: no program that it runs gains rights.
// - Landlock (Linux 5.13): no file is written, created or removed, no other program is executed, no TCP, no
//   signals to other processes.
// - a seccomp filter: a list of allowed system calls. Files are opened for reading only. Nothing opens a
//   socket or sends a signal to another process.
//
// The filter can't see file names. Without Landlock, the memory of the user's other processes is among the
// files that can be read, on systems that let a process read it. System calls that aren't on the list return
// ENOSYS. The C library knows how to handle that when it tries a system call that is newer than this list.
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "compiler/driver/sandbox.h"

_Static_assert(WEFT_ARCH_AUDIT != 0, "which processor do system calls come from?");

// ---- Landlock as of Linux 6.12; system headers are often older ----

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum { CREATE_VERSION = 1, RULE_PATH = 1 };
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41 // names of memory areas, which the C library sets
#endif
#define FS_EXECUTE 1ull
#define FS_READ_FILE_AND_FOLDER 0xcull
#define NET_TCP 3ull
#define SCOPE_ALL 3ull // abstract Unix sockets and signals

struct ruleset {
    uint64_t fs, net, scoped;
};

struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static bool allow_execution(int rules, const char *path)
{
    struct path_rule rule = {.allowed = FS_EXECUTE, .parent = open(path, O_PATH | O_CLOEXEC)};
    bool ok = rule.parent >= 0 && syscall(SYS_landlock_add_rule, rules, RULE_PATH, &rule, 0u) == 0;
    if (rule.parent >= 0)
        close(rule.parent);
    return ok;
}

// Finds the dynamic loader (PT_INTERP). No other program can start without it. The first object of
// dl_iterate_phdr is this program.
static int find_interpreter(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_INTERP)
            *(const char **)out = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return 1;
}

static bool enter_landlock(const char *translator, const char *validator, bool any_program)
{
    // of files, by Landlock version
    static const uint64_t rights[] = {0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff};
    long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, (uint32_t)CREATE_VERSION);
    if (version < 1)
        return false;
    size_t row = (size_t)version < WEFT_COUNT_OF(rights) ? (size_t)version : WEFT_COUNT_OF(rights) - 1;
    struct ruleset set = {.fs = rights[row] & ~FS_READ_FILE_AND_FOLDER,
                          .net = version >= 4 ? NET_TCP : 0,
                          .scoped = version >= 6 ? SCOPE_ALL : 0};
    if (any_program)
        set.fs &= ~FS_EXECUTE;
    size_t size = version >= 6   ? sizeof set
                  : version >= 4 ? offsetof(struct ruleset, scoped)
                                 : offsetof(struct ruleset, net);
    int rules = (int)syscall(SYS_landlock_create_ruleset, &set, size, 0u);
    if (rules < 0)
        return false;
    const char *programs[3] = {translator, validator, NULL};
    dl_iterate_phdr(find_interpreter, &programs[2]);
    for (size_t i = 0; i < WEFT_COUNT_OF(programs) && !any_program; i++)
        if (programs[i] && *programs[i] && !allow_execution(rules, programs[i]))
            weft_log(WEFT_LOG_INFO, "weftc: the sandbox can't allow running %s: %s", programs[i],
                     strerror(errno));
    bool ok = syscall(SYS_landlock_restrict_self, rules, 0u) == 0;
    close(rules);
    return ok;
}

// ---- seccomp ----

#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW 4u
#endif

#define ALL(name) {SYS_##name}
static const struct {
    int number;
} allowed[] = {
    // What each compile does all the time.
    ALL(read),
    ALL(futex),
    ALL(mmap),
    ALL(munmap),
    ALL(brk),
    ALL(madvise),
    ALL(mprotect),
    ALL(mremap),
    ALL(write),
    ALL(sendto),
    ALL(recvfrom),
    ALL(ppoll),
    ALL(lseek),
    ALL(pread64),
    ALL(close),
    ALL(fstat),
    ALL(newfstatat),
    ALL(clock_gettime),
    ALL(setitimer),
    ALL(getrusage),
    // Open files, and looking for files.
    ALL(readv),
    ALL(writev),
    ALL(pwrite64),
    ALL(ftruncate),
    ALL(statx),
    ALL(faccessat),
    ALL(faccessat2),
    ALL(readlinkat),
    ALL(getcwd),
    ALL(chdir),
    ALL(fchdir),
    ALL(getdents64),
    ALL(statfs),
    ALL(fstatfs),
    ALL(dup),
    ALL(dup3),
    ALL(pipe2),
    ALL(memfd_create),
    ALL(close_range),
    ALL(pselect6),
    ALL(umask),
    ALL(fadvise64),
    // Threads, the process's own signals, and the programs that it runs.
    ALL(rt_sigaction),
    ALL(rt_sigprocmask),
    ALL(rt_sigreturn),
    ALL(sigaltstack),
    ALL(rt_sigtimedwait),
    ALL(rt_sigsuspend),
    ALL(restart_syscall),
    ALL(set_robust_list),
    ALL(get_robust_list),
    ALL(set_tid_address),
    ALL(rseq),
    ALL(membarrier),
    ALL(sched_yield),
    ALL(sched_getaffinity),
    ALL(execve),
    ALL(wait4),
    ALL(waitid),
    ALL(exit),
    ALL(exit_group),
    // Questions about the process itself, and time.
    ALL(getpid),
    ALL(gettid),
    ALL(getppid),
    ALL(getuid),
    ALL(geteuid),
    ALL(getgid),
    ALL(getegid),
    ALL(getrlimit),
    ALL(setrlimit),
    ALL(sysinfo),
    ALL(uname),
    ALL(times),
    ALL(getcpu),
    ALL(getrandom),
    ALL(clock_getres),
    ALL(clock_nanosleep),
    ALL(nanosleep),
    ALL(gettimeofday),
    ALL(mincore),
};
#undef ALL

struct filter {
    struct sock_filter at[2 * WEFT_COUNT_OF(allowed) + 192];
    unsigned short count;
};

static void put(struct filter *f, struct sock_filter instruction)
{
    f->at[f->count++] = instruction;
}

static void load(struct filter *f, size_t offset)
{
    put(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void answer(struct filter *f, uint32_t action)
{
    put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void answer_if_equal(struct filter *f, uint32_t value, uint32_t action)
{
    put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    answer(f, action);
}

// Allows a system call if none of `bits` is set in one of its arguments. Only the lower 32 bits of the
// argument are checked. Otherwise it fails with `error`.
static void allow_without_bits(struct filter *f, int number, int argument, uint32_t bits, int error)
{
    put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4));
    load(f, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    answer(f, SECCOMP_RET_ERRNO | (uint32_t)error);
    answer(f, SECCOMP_RET_ALLOW);
}

// Allows a system call if one of its arguments has one of these values. Only the lower 32 bits of the
// argument are checked. Otherwise it fails with `error`.
static void allow_with_values(struct filter *f, int number, int argument, const uint32_t *values,
                              size_t count, int error)
{
    put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0,
                                        (uint8_t)(2 + 2 * count)));
    load(f, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    for (size_t i = 0; i < count; i++)
        answer_if_equal(f, values[i], SECCOMP_RET_ALLOW);
    answer(f, SECCOMP_RET_ERRNO | (uint32_t)error);
}

// Allows a system call if its first two arguments are 0. Otherwise it fails with `error`.
static void allow_with_zeros(struct filter *f, int number, int error)
{
    put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 6));
    for (size_t i = 0; i < 2; i++) {
        load(f, offsetof(struct seccomp_data, args) + 8 * i);
        put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, i == 0 ? 3 : 1));
    }
    answer(f, SECCOMP_RET_ALLOW);
    answer(f, SECCOMP_RET_ERRNO | (uint32_t)error);
}

static void make_filter(struct filter *f)
{
    const uint32_t own = (uint32_t)getpid(), self = 0, no = SECCOMP_RET_ERRNO | ENOSYS;
    const uint32_t questions[] = {TCGETS, TIOCGWINSZ};
    // F_SETOWN and F_SETSIG are missing on purpose: they send signals.
    const uint32_t descriptors[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,    F_GETFL,
                                    F_SETFL, F_GETLK,         F_ADD_SEALS, F_GET_SEALS};
    const uint32_t controls[] = {PR_SET_PDEATHSIG, PR_SET_NAME,         PR_GET_NAME,
                                 PR_GET_DUMPABLE,  PR_GET_NO_NEW_PRIVS, PR_SET_VMA};
    load(f, offsetof(struct seccomp_data, arch));
    put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WEFT_ARCH_AUDIT, 1, 0));
    answer(f, SECCOMP_RET_KILL_PROCESS);
    load(f, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < WEFT_COUNT_OF(allowed); i++)
        answer_if_equal(f, (uint32_t)allowed[i].number, SECCOMP_RET_ALLOW);
#define ALLOW(name) answer_if_equal(f, SYS_##name, SECCOMP_RET_ALLOW);
    WEFT_ARCH_OLDER_CALLS(ALLOW) // older system calls for what the list allows, on processors that have them
#undef ALLOW
    const uint32_t writing = O_ACCMODE | O_CREAT | O_TRUNC;
    allow_without_bits(f, SYS_openat, 2, writing, EACCES);
#if defined(SYS_open)
    allow_without_bits(f, SYS_open, 1, writing, EACCES);
#endif
    // No new namespaces. The filter can't see the flags of clone3, so clone3 isn't on the list. The C library
    // then uses clone.
    allow_without_bits(f, SYS_clone, 0,
                       CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                           CLONE_NEWPID | CLONE_NEWNET,
                       EPERM);
    allow_with_values(f, SYS_fcntl, 1, descriptors, WEFT_COUNT_OF(descriptors), EPERM);
    allow_with_values(f, SYS_ioctl, 1, questions, WEFT_COUNT_OF(questions), ENOTTY);
    allow_with_values(f, SYS_prctl, 0, controls, WEFT_COUNT_OF(controls), EPERM);
    allow_with_values(f, SYS_prlimit64, 0, &self, 1, EPERM);
    allow_with_values(f, SYS_tgkill, 0, &own, 1, EPERM); // for abort()
    allow_with_zeros(f, SYS_setpriority, EPERM);         // PRIO_PROCESS, this thread
    answer(f, no);
}

static bool enter_seccomp(void)
{
    struct filter f = {.count = 0};
    make_filter(&f);
    struct sock_fprog program = {.len = f.count, .filter = f.at};
    // Without this flag, older kernels slow the whole process down to protect processes that share an address
    // space from each other. That isn't needed here.
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

// ---- All layers together ----

void weftc_sandbox_enter(const char *translator, const char *validator, bool any_program)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        weft_log(WEFT_LOG_INFO, "weftc: no sandbox: %s", strerror(errno));
        return; // seccomp and Landlock require it
    }
    if (!enter_landlock(translator, validator, any_program))
        weft_log(WEFT_LOG_INFO, "weftc: no Landlock: %s", strerror(errno));
    if (!enter_seccomp())
        weft_log(WEFT_LOG_INFO, "weftc: no system call filter: %s", strerror(errno));
}
