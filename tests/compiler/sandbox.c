// What an input that has taken over `weftc --serve` can do: nothing but read. The tests enter the sandbox
// themselves, also with one of its layers alone, and try.
#include "compiler/driver/sandbox.c"

#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "harness.h"

static char folder[] = "/tmp/weft-sandbox-XXXXXX", file[64], other[64];

static void prepare(void)
{
    CHECK(mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    int fd = open(file, O_WRONLY | O_CREAT, 0600);
    CHECK_GE(fd, 0);
    CHECK_EQ(write(fd, "text", 4), 4);
    close(fd);
}

// Runs it in a child, which can't come out of a sandbox again, and removes the files afterwards.
static void in_child(void (*run)(void))
{
    prepare();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        run();
        fflush(NULL);
        _exit(0); // without the sanitizers' last looks, which want more rights
    }
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    unlink(file);
    unlink(other);
    CHECK_EQ(rmdir(folder), 0); // nothing else was made
    CHECK_EQ(status, 0);
}

// The thread sanitizer does what a filter forbids, and weftc is never built with it.
static bool has_seccomp(void)
{
    return !HARNESS_TSAN && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0;
}

static bool has_landlock(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, (uint32_t)CREATE_VERSION) >= 1;
}

static void cannot_write(void)
{
    CHECK_EQ(open(file, O_WRONLY), -1);
    CHECK_EQ(open(file, O_RDWR), -1);
    CHECK_EQ(open(file, O_RDONLY | O_TRUNC), -1);
    CHECK_EQ(open(other, O_WRONLY | O_CREAT, 0600), -1);
    CHECK_EQ(open(folder, O_RDWR | O_TMPFILE, 0600), -1);
    CHECK_EQ(creat(other, 0600), -1);
    CHECK_EQ(unlink(file), -1);
    CHECK_EQ(rename(file, other), -1);
    CHECK_EQ(link(file, other), -1);
    CHECK_EQ(symlink(file, other), -1);
    CHECK_EQ(mkdir(other, 0700), -1);
    CHECK_EQ(mknod(other, S_IFIFO | 0600, 0), -1);
    char text[5] = {0};
    int fd = open(file, O_RDONLY);
    CHECK_GE(fd, 0);
    CHECK_EQ(read(fd, text, 4), 4);
    CHECK_STR(text, "text");
    close(fd);
}

static void cannot_reach_others(void)
{
    pid_t parent = getppid();
    char byte;
    struct iovec here = {&byte, 1}, there = {&byte, 1};
    CHECK_EQ(kill(parent, 0), -1);
    CHECK_EQ(syscall(SYS_tgkill, parent, parent, 0), -1);
    CHECK_EQ(kill(-1, 0), -1);
    CHECK_EQ(ptrace(PTRACE_ATTACH, parent, NULL, NULL), -1);
    CHECK_EQ(process_vm_readv(parent, &here, 1, &there, 1, 0), -1);
    CHECK_EQ(syscall(SYS_pidfd_open, parent, 0), -1);
    CHECK_EQ(setpriority(PRIO_PROCESS, (id_t)parent, 19), -1);
    CHECK_EQ(setpriority(PRIO_USER, 0, 19), -1);
    CHECK_EQ(setpriority(PRIO_PROCESS, 0, 10), 0); // this thread may give way
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)parent);
    CHECK_EQ(open(path, O_RDWR), -1);
    CHECK_EQ(socket(AF_INET, SOCK_STREAM, 0), -1);
    CHECK_EQ(socket(AF_INET6, SOCK_DGRAM, 0), -1);
    CHECK_EQ(socket(AF_UNIX, SOCK_STREAM, 0), -1);
    CHECK_EQ(socket(AF_NETLINK, SOCK_RAW, 0), -1);
    int pair[2];
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), -1);
}

static void cannot_rise(void)
{
    CHECK_EQ(unshare(CLONE_NEWUSER), -1);
    CHECK_EQ(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL), -1);
    CHECK_EQ(mount("none", folder, "tmpfs", 0, NULL), -1);
    CHECK_EQ(setuid(0), -1);
    CHECK_EQ(chmod(file, 0777), -1);
    CHECK_EQ(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0), -1);
    CHECK_EQ(syscall(SYS_bpf, 0, NULL, 0), -1);
    CHECK_EQ(syscall(SYS_keyctl, 0, 0, 0, 0, 0), -1);
#if defined(SYS_io_uring_setup)
    CHECK_EQ(syscall(SYS_io_uring_setup, 1, NULL), -1);
#endif
    struct rlimit limit;
    CHECK_EQ(syscall(SYS_prlimit64, getppid(), 0, NULL, &limit), -1);
    CHECK_EQ(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 1);
}

static void *add_one(void *arg)
{
    ++*(int *)arg;
    return NULL;
}

// What compiles need is still there: threads, memory files, programs of its own.
static void can_work(void)
{
    int n = 1;
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, add_one, &n), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(n, 2);
    int fd = (int)syscall(SYS_memfd_create, "x", 0);
    CHECK_GE(fd, 0);
    CHECK_EQ(write(fd, "x", 1), 1);
    CHECK_EQ(ftruncate(fd, 4096), 0);
    close(fd);
    void *p = malloc(64 << 20);
    CHECK(p != NULL);
    free(p);
}

// Whether it could be run at all; it must end well then.
static bool runs(const char *program)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execl(program, program, (char *)NULL);
        _exit(100);
    }
    CHECK_GT(pid, 0);
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 100);
    return WEXITSTATUS(status) == 0;
}

static void all_layers(void)
{
    weftc_sandbox_enter("/bin/true", NULL, false);
    cannot_write();
    cannot_reach_others();
    cannot_rise();
    can_work();
    CHECK(runs("/bin/true"));
    if (has_landlock())
        CHECK(!runs("/bin/echo"));
}

TEST(nothing_is_written_reached_or_gained)
{
    if (!has_seccomp())
        SKIP("no seccomp here, or the thread sanitizer, which it stops");
    in_child(all_layers);
}

static void filter_only(void)
{
    CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    CHECK(enter_seccomp());
    cannot_write();
    cannot_reach_others();
    cannot_rise();
    can_work();
    CHECK(runs("/bin/true"));
}

TEST(the_filter_alone_is_enough)
{
    if (!has_seccomp())
        SKIP("no seccomp here, or the thread sanitizer, which it stops");
    in_child(filter_only);
}

static void landlock_only(void)
{
    CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    CHECK(enter_landlock("/bin/true", NULL, false));
    CHECK_EQ(open(file, O_WRONLY), -1);
    CHECK_EQ(open(other, O_WRONLY | O_CREAT, 0600), -1);
    CHECK_EQ(unlink(file), -1);
    CHECK_EQ(mkdir(other, 0700), -1);
    CHECK_GE(open(file, O_RDONLY), 0);
    CHECK(runs("/bin/true"));
    CHECK(!runs("/bin/echo"));
}

TEST(landlock_alone_keeps_files_and_programs_away)
{
    if (!has_landlock())
        SKIP("this system has no Landlock");
    in_child(landlock_only);
}

static void any_program(void)
{
    weftc_sandbox_enter(NULL, NULL, true);
    CHECK(runs("/bin/true"));
    CHECK(runs("/bin/echo"));
    cannot_write();
    cannot_reach_others();
}

TEST(a_translator_that_is_a_script_can_run)
{
    if (!has_seccomp())
        SKIP("no seccomp here, or the thread sanitizer, which it stops");
    in_child(any_program);
}
