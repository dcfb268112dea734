// The application is where orphans are reparented to: process 1 of a container, or a subreaper. Even so it
// sees no child of Weft: its wait finds none, no signal arrives, and no child is left over.
// timeout: 120
// env: WEFT_CACHE=0
#include "e2e/compiler_processes.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>

static volatile int children_ended;

static void count_children(int signal_number)
{
    (void)signal_number;
    children_ended++;
}

static void become_subreaper(void)
{
    CHECK_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    signal(SIGCHLD, count_children);
}

// Number of our child processes in this state; 0: in any state. /proc may belong to an outer pid namespace.
static int children(char state)
{
    char self[32], path[300], line[512];
    int found = 0;
    ssize_t n = readlink("/proc/self", self, sizeof self - 1);
    CHECK_GT(n, 0);
    self[n] = '\0';
    DIR *proc = opendir("/proc");
    CHECK(proc != NULL);
    for (struct dirent *d; (d = readdir(proc));) {
        snprintf(path, sizeof path, "/proc/%s/stat", d->d_name);
        int fd = d->d_name[0] >= '1' && d->d_name[0] <= '9' ? open(path, O_RDONLY) : -1;
        if (fd < 0)
            continue;
        n = read(fd, line, sizeof line - 1);
        close(fd);
        line[n < 0 ? 0 : n] = '\0';
        const char *behind = strrchr(line, ')'); // the state follows the name
        if (behind && behind[1] && atoi(behind + 4) == atoi(self) && (!state || behind[2] == state))
            found++;
    }
    closedir(proc);
    return found;
}

static void check_wait_finds_nothing(void)
{
    CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQ(errno, ECHILD);
    CHECK_EQ(children_ended, 0);
}

static void use_opencl_and_lose_compilers(void)
{
    const char *mark = mark_compilers();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    check_wait_finds_nothing();
    for (int i = 0; i < 3; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        CHECK_GT(kill_compilers(mark, SIGKILL), 0);
        usleep(20000); // long enough for an unwanted signal to arrive
        check_wait_finds_nothing();
        e2e_works(&t, option);
        check_wait_finds_nothing();
    }
    cl_platform_id platform;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    e2e_close(&t);
    // A background compile may keep a compiler busy.
    for (int ms = 0; ms < 30000 && children(0) > 0; ms += 10) {
        CHECK_EQ(clUnloadPlatformCompiler(platform), CL_SUCCESS);
        usleep(10000);
    }
    CHECK_EQ(children(0), 0);
    check_wait_finds_nothing();
}

TEST(a_subreaper_sees_no_child)
{
    become_subreaper();
    use_opencl_and_lose_compilers();
}

TEST(a_subreaper_that_ignores_sigchld_sees_no_child)
{
    become_subreaper();
    signal(SIGCHLD, SIG_IGN);
    use_opencl_and_lose_compilers();
}

TEST(a_subreapers_own_children_are_waited_for_as_ever)
{
    become_subreaper();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    pid_t own = fork();
    if (own == 0)
        _exit(3);
    int status = 0;
    CHECK_EQ(waitpid(-1, &status, 0), own);
    CHECK_EQ(WEXITSTATUS(status), 3);
    CHECK_EQ(waitpid(-1, NULL, 0), -1); // the compiler exists, but this doesn't wait for it
    CHECK_EQ(errno, ECHILD);
    CHECK_EQ(children_ended, 1);
    e2e_works(&t, "-DAFTER");
}

static void *build_once(void *arg)
{
    e2e_works(arg, "-DIN_A_THREAD");
    return NULL;
}

// A thread cloned the compiler's parent, which first ran on that thread's thread-local storage.
TEST(the_thread_that_started_the_compiler_may_end)
{
    become_subreaper();
    const char *mark = mark_compilers();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    for (int i = 0; i < 3; i++) {
        kill_compilers(mark, SIGKILL);
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, build_once, &t), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        e2e_works(&t, "-DAFTER");
        check_wait_finds_nothing();
    }
    CHECK_GT(kill_compilers(mark, SIGKILL), 0);
    usleep(20000);
    check_wait_finds_nothing();
}

TEST(a_subreapers_forked_child_uses_opencl_anew)
{
    become_subreaper();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        CHECK_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
        e2e_works(&t, "-DCHILD");
        check_wait_finds_nothing();
        _exit(0);
    }
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    e2e_works(&t, "-DAFTER");
}

// The compiler and its parent end with the application, whatever ends it.
TEST(nothing_outlives_a_subreaper_that_is_killed)
{
    CHECK_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); // makes survivors our children
    fflush(NULL);
    int pipes[2];
    CHECK_EQ(pipe(pipes), 0);
    pid_t pid = fork();
    if (pid == 0) {
        become_subreaper();
        struct e2e t = e2e_open();
        e2e_works(&t, "");
        CHECK_EQ(write(pipes[1], "", 1), 1);
        for (;;)
            pause();
    }
    char ready;
    close(pipes[1]);
    CHECK_EQ(read(pipes[0], &ready, 1), 1);
    CHECK_EQ(kill(pid, SIGKILL), 0);
    CHECK_EQ(waitpid(pid, NULL, 0), pid);
    alarm(60);
    while (waitpid(-1, NULL, 0) > 0) // the compiler's parent, and the compiler
        ;
    CHECK_EQ(errno, ECHILD);
}

enum { NO_NAMESPACE = 42 };

static void be_process_1(void)
{
    alarm(100);
    CHECK_EQ(getpid(), 1);
    signal(SIGCHLD, count_children);
    use_opencl_and_lose_compilers();
    if (HARNESS_ASAN)
        _exit(0); // a leak check can't attach to process 1 of a namespace whose /proc belongs to another
    exit(0);
}

// The test's own process can't create the namespace: it couldn't start anything after that.
TEST(process_1_sees_no_child)
{
    fflush(NULL);
    pid_t outer = fork();
    CHECK_GE(outer, 0);
    if (outer == 0) {
        if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
            _exit(NO_NAMESPACE);
        pid_t first = fork();
        if (first == 0)
            be_process_1();
        int status = 1;
        _exit(first > 0 && waitpid(first, &status, 0) == first && status == 0 ? 0 : 1);
    }
    int status = 1;
    CHECK_EQ(waitpid(outer, &status, 0), outer);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NAMESPACE)
        SKIP("no process namespace can be made here");
    CHECK_EQ(status, 0);
}
