// The sockets of compilers are in a private descriptor table. The application can't reach it, and a fork
// doesn't copy it.
// timeout: 240
// env: WEFT_CACHE=0
#include "denied_call.h"
#include "e2e/compiler_processes.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

static void skip_where_there_is_one_table(void)
{
    if (HARNESS_TSAN)
        SKIP("under the thread sanitizer there is one table of descriptors");
    pid_t child = fork();
    CHECK_GE(child, 0);
    if (child == 0)
        _exit(syscall(SYS_close_range, ~0u, ~0u, 2u /* CLOSE_RANGE_UNSHARE */) == 0 ? 0 : 1);
    int status = 1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    if (status != 0)
        SKIP("this system has no close_range");
}

static void unload_compilers(void)
{
    cl_platform_id platform;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    CHECK_EQ(clUnloadPlatformCompiler(platform), CL_SUCCESS);
}

// ---- Descriptors that the application closes ----

static void *close_all_after(void *arg)
{
    const useconds_t *delay = arg;
    usleep(*delay);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    return NULL;
}

TEST(everything_closed_while_a_compiler_starts)
{
    skip_where_there_is_one_table();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    for (int i = 0; i < 20; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        unload_compilers();
        useconds_t delay = 500u * (useconds_t)(i + 1);
        pthread_t closer;
        CHECK_EQ(pthread_create(&closer, NULL, close_all_after, &delay), 0);
        e2e_works(&t, option);
        CHECK_EQ(pthread_join(closer, NULL), 0);
    }
}

static _Atomic bool stop;

static void *close_all_again_and_again(void *unused)
{
    (void)unused;
    while (!stop) {
        syscall(SYS_close_range, 3u, ~0u, 0u);
        usleep(5000);
    }
    return NULL;
}

TEST(everything_closed_again_and_again)
{
    skip_where_there_is_one_table();
    struct e2e t = e2e_open();
    pthread_t closer;
    CHECK_EQ(pthread_create(&closer, NULL, close_all_again_and_again, NULL), 0);
    for (int i = 0; i < 10; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        unload_compilers();
        e2e_works(&t, option);
    }
    stop = true;
    CHECK_EQ(pthread_join(closer, NULL), 0);
}

// ---- Descriptors whose numbers the application uses when the answer arrives ----

struct endless {
    struct e2e *t;
    _Atomic bool done;
};

static void *build_endless(void *arg)
{
    struct endless *e = arg;
    char text[8192] = "#define A0 + 1\n";
    size_t n = strlen(text);
    for (int i = 1; i <= 40; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "#define A%d A%d A%d\n", i, i - 1, i - 1);
    snprintf(text + n, sizeof text - n, "kernel void f(global int *p) { *p = 1 A40; }\n");
    cl_program p = e2e_program(e->t, text);
    CHECK_EQ(clBuildProgram(p, 1, &e->t->device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e->done = true;
    return NULL;
}

TEST(data_of_the_application_is_not_read)
{
    enum { PAIRS = 16, BYTES = 56 };
    static const char data[BYTES] = "the application's";
    skip_where_there_is_one_table();
    const char *mark = mark_compilers();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    struct endless e = {.t = &t};
    pthread_t builder;
    CHECK_EQ(pthread_create(&builder, NULL, build_endless, &e), 0);
    usleep(500000);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    int pairs[PAIRS][2];
    for (int i = 0; i < PAIRS; i++) {
        CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]), 0);
        for (int k = 0; k < 2; k++)
            CHECK_EQ(send(pairs[i][k], data, BYTES, 0), BYTES);
    }
    // The thread that waits for the answer wakes up. If a compiler hadn't read the request yet, another
    // compiler gets it.
    for (int i = 0; i < 100 && !e.done; i++) {
        kill_compilers(mark, SIGKILL);
        usleep(200000);
    }
    CHECK(e.done);
    CHECK_EQ(pthread_join(builder, NULL), 0);
    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < 2; k++) {
            char got[2 * BYTES];
            CHECK_EQ(recv(pairs[i][k], got, sizeof got, MSG_DONTWAIT), BYTES);
            CHECK_EQ(memcmp(got, data, BYTES), 0);
        }
    e2e_works(&t, "-DAFTER");
}

// ---- Children ----

enum { MAX_CHILDREN = 400 };
static pid_t children[MAX_CHILDREN];
static int child_count;

static void *fork_again_and_again(void *unused)
{
    (void)unused;
    while (!stop && child_count < MAX_CHILDREN) {
        pid_t child = fork();
        CHECK_GE(child, 0);
        if (child == 0) {
            alarm(120); // in case the test fails
            for (;;)
                pause();
        }
        children[child_count++] = child;
    }
    return NULL;
}

static int sockets_of(pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
    DIR *folder = opendir(path);
    CHECK(folder != NULL);
    int count = 0;
    for (struct dirent *d; (d = readdir(folder));) {
        char link[400], target[64] = "";
        snprintf(link, sizeof link, "%s/%s", path, d->d_name);
        count += readlink(link, target, sizeof target - 1) > 0 && strncmp(target, "socket:", 7) == 0;
    }
    closedir(folder);
    return count;
}

// If a child had a copy of a socket, the compiler wouldn't notice that we closed our end, and we wouldn't
// notice that a compiler died.
TEST(children_forked_while_a_compiler_starts_have_nothing_of_it)
{
    skip_where_there_is_one_table();
    setenv("WEFT_BUILD_TIMEOUT", "20", 1);
    int before = sockets_of(getpid()); // those that the test was started with
    const char *mark = mark_compilers();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    for (int i = 0; i < 5; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        unload_compilers();
        stop = false;
        child_count = 0;
        pthread_t forker;
        CHECK_EQ(pthread_create(&forker, NULL, fork_again_and_again, NULL), 0);
        e2e_works(&t, option);
        stop = true;
        CHECK_EQ(pthread_join(forker, NULL), 0);
        CHECK_GT(child_count, 0);
        int with_sockets = 0;
        for (int k = 0; k < child_count; k++)
            with_sockets += sockets_of(children[k]) > before;
        CHECK_EQ(with_sockets, 0);
        // The loss of an idle compiler is noticed at once.
        CHECK_GT(kill_compilers(mark, SIGKILL), 0);
        strcat(option, "1");
        e2e_works(&t, option);
        for (int k = 0; k < child_count; k++) {
            CHECK_EQ(kill(children[k], SIGKILL), 0);
            CHECK_EQ(waitpid(children[k], NULL, 0), children[k]);
        }
    }
}

// ---- What the table doesn't hold ----

TEST(a_pipe_that_the_application_closes_is_closed)
{
    int ends[2], saved = dup(STDOUT_FILENO);
    fflush(stdout);
    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    CHECK_EQ(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    CHECK_EQ(close(ends[1]), 0);
    struct pollfd reader = {.fd = ends[0], .events = POLLIN};
    CHECK_EQ(poll(&reader, 1, 20000), 1);
    CHECK_EQ(reader.revents & POLLHUP, POLLHUP);
    e2e_works(&t, "-DAFTER");
}

TEST(standard_streams_closed_before_the_first_compiler)
{
    skip_where_there_is_one_table();
    fflush(stdout);
    int saved = fcntl(STDERR_FILENO, F_DUPFD, 10);
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    int before = sockets_of(getpid());
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    dup2(saved, STDERR_FILENO);
    unload_compilers();
    e2e_works(&t, "-DAFTER");
    CHECK_EQ(sockets_of(getpid()), before);
}

// ---- Systems without such a table ----

static void take_close_range_away(void)
{
    DENY_CALL(SYS_close_range, ENOSYS);
    CHECK_EQ(syscall(SYS_close_range, ~0u, ~0u, 0u), -1);
    CHECK_EQ(errno, ENOSYS);
}

TEST(without_close_range_compilers_are_in_the_applications_table)
{
    if (HARNESS_TSAN)
        SKIP("under the thread sanitizer that is so in every test");
    take_close_range_away();
    const char *mark = mark_compilers();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    CHECK_GT(kill_compilers(mark, SIGKILL), 0);
    e2e_works(&t, "-DAFTER_KILL");
    // While a compiler is idle its socket may be closed, and its number may become another file's.
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    int pair[2];
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    for (int i = 0; i < 20; i++)
        CHECK_GE(dup(pair[0]), 0);
    e2e_works(&t, "-DAFTER_CLOSE");
    char c;
    CHECK_EQ(recv(pair[1], &c, 1, MSG_DONTWAIT), -1);
    CHECK_EQ(errno, EAGAIN);
    unload_compilers();
    e2e_works(&t, "-DAFTER_UNLOAD");
    pid_t child = fork();
    CHECK_GE(child, 0);
    if (child == 0) {
        e2e_works(&t, "-DIN_CHILD");
        _exit(0);
    }
    int status = 1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    e2e_works(&t, "-DAFTER_FORK");
}
