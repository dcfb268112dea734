// Compilers as child processes: the application doesn't see them, and survives whatever they do.
// timeout: 90
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "fixture.h"

// The pid that the fake names in its log.
static int compiler_pid(struct fixture *f)
{
    cl_program p = fixture_build(f, "FAKE_COUNT");
    int pid = 0;
    CHECK_EQ(sscanf(fixture_log(f, p), "pid=%d", &pid), 1);
    CHECK_EQ(weft_clReleaseProgram(p), CL_SUCCESS);
    return pid;
}

// With one compiler, its pid shows whether it is still the same process.
static void use_one_compiler(void)
{
    setenv("WEFT_COMPILERS", "1", 1);
    weft_config_reload();
}

static cl_int build(struct fixture *f, const char *source, char *log, size_t size)
{
    cl_program p = fixture_source(f, source);
    cl_int err = weft_clBuildProgram(p, 0, NULL, NULL, NULL, NULL);
    snprintf(log, size, "%s", fixture_log(f, p));
    CHECK_EQ(weft_clReleaseProgram(p), CL_SUCCESS);
    return err;
}

TEST(it_is_not_a_child_and_raises_no_signal)
{
    sigset_t chld, pending;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, NULL);
    use_one_compiler();
    struct fixture f = fixture_open();
    int pid = compiler_pid(&f);
    errno = 0;
    CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQ(errno, ECHILD);
    kill(pid, SIGKILL);
    for (int i = 0; i < 2000 && kill(pid, 0) == 0; i++)
        usleep(10000);
    errno = 0;
    CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQ(errno, ECHILD);
    sigpending(&pending);
    CHECK(!sigismember(&pending, SIGCHLD));
    // One that died while it was idle is replaced without a word.
    CHECK_NE(compiler_pid(&f), pid);
    fixture_close(&f);
}

TEST(it_inherits_nothing)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    int extra[20];
    for (int i = 0; i < 20; i++)
        extra[i] = open("/dev/null", O_RDONLY); // without O_CLOEXEC
    setenv("SECRET_OF_THE_APPLICATION", "1", 1);
    CHECK_EQ(chdir("/tmp"), 0);
    struct fixture f = fixture_open();
    char log[4096];
    CHECK_EQ(build(&f, "FAKE_WORLD", log, sizeof log), CL_SUCCESS);
    CHECK_CONTAINS(log, "cwd=/ blocked=0 ignored=0 leader=1 fds=0,1,2,3, env=");
    CHECK(strstr(log, "SECRET") == NULL);
    CHECK_CONTAINS(log, "WEFT_BUILD_MEMORY,");
    fixture_close(&f);
    (void)extra;
}

TEST(an_application_without_descriptors_can_build)
{
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    struct fixture f = fixture_open();
    char log[4096];
    cl_int err = build(&f, "FAKE_WORLD", log, sizeof log);
    if (err != CL_SUCCESS || !strstr(log, "fds=0,1,2,3,"))
        _exit(1);
}

TEST(a_crash_fails_the_build_and_names_the_signal)
{
    struct fixture f = fixture_open();
    char log[4096];
    CHECK_EQ(build(&f, "FAKE_CRASH", log, sizeof log), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(log, "The compiler crashed: signal 11 (SEGV");
    CHECK_EQ(build(&f, "", log, sizeof log), CL_SUCCESS);
    CHECK_EQ(build(&f, "FAKE_KILL", log, sizeof log), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(log, "ended unexpectedly: signal 9 (KILL");
    CHECK_CONTAINS(log, "To reproduce this: ");
    CHECK_EQ(build(&f, "", log, sizeof log), CL_SUCCESS);
    fixture_close(&f);
}

TEST(one_that_is_killed_in_the_moment_in_which_it_is_asked_is_replaced)
{
    use_one_compiler();
    struct fixture f = fixture_open();
    int pid = compiler_pid(&f);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(kill(pid, SIGKILL), 0);
        int next = compiler_pid(&f);
        CHECK_NE(next, pid);
        pid = next;
    }
    fixture_close(&f);
}

TEST(a_crash_leaves_a_reproducer)
{
    char folder[] = "/tmp/weft-crash-XXXXXX", command[100], log[4096];
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    weft_config_reload();
    struct fixture f = fixture_open();
    CHECK_EQ(build(&f, "FAKE_CRASH of this source", log, sizeof log), CL_BUILD_PROGRAM_FAILURE);
    char *path = strstr(log, folder);
    CHECK(path != NULL);
    path[strcspn(path, "\n")] = '\0';
    FILE *r = fopen(path, "r");
    CHECK(r != NULL);
    char text[64] = {0};
    CHECK(fgets(text, sizeof text, r) != NULL);
    fclose(r);
    CHECK_STR(text, "FAKE_CRASH of this source");
    fixture_close(&f);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}

// The payload of the request that the log names, and its type.
static unsigned char *kept_request(const char *log, const char *folder, uint32_t *type, size_t *size)
{
    static unsigned char bytes[1 << 16];
    char path[256];
    const char *at = strstr(log, folder);
    if (!at)
        FAIL("the log names no file: %s", log);
    snprintf(path, sizeof path, "%.*s", (int)strcspn(at, "\n"), at);
    CHECK_CONTAINS(path, ".request");
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    *size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    struct weft_reader r = weft_reader_of(bytes, *size);
    CHECK_EQ(weft_get_u32(&r), WEFT_REPLAY_MAGIC);
    CHECK_EQ(weft_get_u32(&r), WEFT_PROTOCOL_VERSION);
    *type = weft_get_u32(&r);
    *size -= 12;
    return bytes + 12;
}

TEST(a_crash_leaves_embedded_headers_and_inputs_in_the_reproducer)
{
    char folder[] = "/tmp/weft-crash-XXXXXX", command[100];
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    weft_config_reload();
    struct fixture f = fixture_open();
    cl_program header = fixture_source(&f, "#define H 1"), p = fixture_source(&f, "FAKE_KILL FAKE_HEADER");
    const char *name = "h.h";
    CHECK_EQ(weft_clCompileProgram(p, 0, NULL, "-DO", 1, &header, &name, NULL, NULL),
             CL_COMPILE_PROGRAM_FAILURE);
    uint32_t type;
    size_t size;
    const unsigned char *payload = kept_request(fixture_log(&f, p), folder, &type, &size);
    CHECK_EQ(type, WEFT_MSG_BUILD);
    struct weft_build_request q;
    CHECK_EQ(weft_build_request_get(&q, payload, size), WEFT_OK);
    CHECK(q.compile_only);
    CHECK_STR(q.options, "-DO");
    CHECK_EQ(q.header_count, 1);
    CHECK_STR(q.headers[0].name, "h.h");
    CHECK_STR(q.headers[0].source, "#define H 1");
    weft_build_request_fini(&q);
    weft_clReleaseProgram(p);

    p = fixture_source(&f, "");
    CHECK_EQ(weft_clCompileProgram(p, 0, NULL, "-DFAKE_LINK_KILL", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_int err = CL_SUCCESS;
    cl_program inputs[] = {p, p};
    cl_program linked = weft_clLinkProgram(f.context, 0, NULL, NULL, 2, inputs, NULL, NULL, &err);
    CHECK_EQ(err, CL_LINK_PROGRAM_FAILURE);
    payload = kept_request(fixture_log(&f, linked), folder, &type, &size);
    CHECK_EQ(type, WEFT_MSG_LINK);
    struct weft_link_request l;
    CHECK_EQ(weft_link_request_get(&l, payload, size), WEFT_OK);
    CHECK_EQ(l.input_count, 2);
    CHECK_GT(l.inputs[1].bitcode_size, 0u);
    weft_link_request_fini(&l);
    weft_clReleaseProgram(linked);
    weft_clReleaseProgram(p);
    weft_clReleaseProgram(header);
    fixture_close(&f);
    // An entry of the cache may come in between.
    snprintf(command, sizeof command, "rm -rf %s || { sleep 1; rm -rf %s; }", folder, folder);
    CHECK_EQ(system(command), 0);
}

TEST(one_that_hangs_is_stopped)
{
    setenv("WEFT_BUILD_TIMEOUT", "1", 1);
    weft_config_reload();
    struct fixture f = fixture_open();
    char log[4096];
    double began = harness_seconds();
    CHECK_EQ(build(&f, "FAKE_HANG", log, sizeof log), CL_BUILD_PROGRAM_FAILURE);
    CHECK_LT(harness_seconds() - began, 10.0);
    CHECK_CONTAINS(log, "WEFT_BUILD_TIMEOUT");
    CHECK_EQ(build(&f, "FAKE_BUSY", log, sizeof log), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(log, "WEFT_BUILD_TIMEOUT");
    CHECK_EQ(build(&f, "", log, sizeof log), CL_SUCCESS);
    fixture_close(&f);
}

// Others may have the processor: its time isn't over before it has had it.
TEST(one_that_seldom_gets_the_processor_is_not_stopped)
{
    setenv("WEFT_BUILD_TIMEOUT", "2", 1);
    weft_config_reload();
    struct fixture f = fixture_open();
    char log[4096];
    double began = harness_seconds();
    CHECK_EQ(build(&f, "FAKE_STARVED", log, sizeof log), CL_SUCCESS);
    CHECK_GT(harness_seconds() - began, 3.0);
    fixture_close(&f);
}

// Nor is one that seldom gets it before it has said hello.
TEST(one_that_is_long_in_coming_is_waited_for)
{
    char path[600], folder[] = "/tmp/weft-late-XXXXXX", command[1400];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/weftc_late", folder);
    snprintf(command, sizeof command, "cp %s %s", getenv("WEFT_WEFTC"), path);
    CHECK_EQ(system(command), 0);
    setenv("WEFT_WEFTC", path, 1);
    setenv("WEFT_BUILD_TIMEOUT", "2", 1);
    weft_config_reload();
    struct fixture f = fixture_open();
    char log[4096];
    double began = harness_seconds();
    CHECK_EQ(build(&f, "", log, sizeof log), CL_SUCCESS);
    CHECK_GT(harness_seconds() - began, 2.5);
    fixture_close(&f);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}

// Whatever kills a compiler once needn't come again.
TEST(code_whose_compiler_was_killed_is_tried_once_more)
{
    char mark[] = "/tmp/weft-once-XXXXXX", option[100];
    int fd = mkstemp(mark);
    CHECK_GE(fd, 0);
    close(fd);
    snprintf(option, sizeof option, "-DFAKE_CODE_KILL_ONCE=%s", mark);
    struct fixture f = fixture_open();
    cl_program p = fixture_source(&f, "");
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, option, NULL, NULL), CL_SUCCESS);
    cl_kernel k = fixture_kernel(p, "say");
    const size_t n = 1;
    const int times = 1;
    CHECK_EQ(weft_clSetKernelArg(k, 0, sizeof times, &times), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clFinish(f.queue), CL_SUCCESS);
    CHECK_STR(fixture_report, "");
    CHECK_EQ(access(mark, F_OK), -1); // one has died
    CHECK_EQ(weft_clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(weft_clReleaseProgram(p), CL_SUCCESS);
    fixture_close(&f);
}

// The build has returned long before.
static void check_code_that_fails_late(const char *option, const char *word)
{
    struct fixture f = fixture_open();
    cl_program p = fixture_source(&f, "FAKE_COUNT"); // which leaves a line in the log
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, option, NULL, NULL), CL_SUCCESS);
    size_t before = 0, after = 0;
    CHECK_EQ(weft_clGetProgramBuildInfo(p, f.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &before), CL_SUCCESS);
    cl_kernel k = fixture_kernel(p, "say");
    const size_t n = 1;
    const int times = 1;
    cl_event e = NULL;
    CHECK_EQ(weft_clSetKernelArg(k, 0, sizeof times, &times), CL_SUCCESS);
    if (weft_clEnqueueNDRangeKernel(f.queue, k, 1, NULL, &n, NULL, 0, NULL, &e) == CL_SUCCESS) {
        CHECK_EQ(weft_clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_EQ(weft_clReleaseEvent(e), CL_SUCCESS);
    }
    CHECK_CONTAINS(fixture_report, "kernel say has no code: ");
    CHECK_CONTAINS(fixture_report, word);
    CHECK_NE(fixture_report[strlen(fixture_report) - 1], '\n');
    // Who asked for the size before gets what was there; who asks anew, all of it.
    char small[256];
    CHECK_LT(before, sizeof small);
    CHECK_EQ(weft_clGetProgramBuildInfo(p, f.device, CL_PROGRAM_BUILD_LOG, before, small, &after),
             CL_SUCCESS);
    CHECK_EQ(after, before);
    CHECK_EQ(strlen(small) + 1, before);
    const char *log = fixture_log(&f, p),
               *late = strstr(log, "\nerror: kernel say has no code: The compiler ");
    CHECK(strncmp(log, "pid=", 4) == 0 && late != NULL);
    CHECK_CONTAINS(late, word);
    CHECK_CONTAINS(late, "weftc --replay ");
    CHECK(late[strlen(late) - 1] == '\n' && late[strlen(late) - 2] != '\n');
    size_t size = 0;
    CHECK_EQ(weft_clGetProgramBuildInfo(p, f.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, strlen(log) + 1);
    CHECK_EQ(weft_clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK(strstr(fixture_log(&f, p), "kernel say") == NULL); // another build
    CHECK_EQ(weft_clReleaseProgram(p), CL_SUCCESS);
    fixture_close(&f);
}

TEST(code_that_fails_after_the_build_is_in_the_log_of_the_build)
{
    char folder[] = "/tmp/weft-crash-XXXXXX", command[100], text[4096];
    CHECK(mkdtemp(folder) != NULL);
    setenv("TMPDIR", folder, 1);
    setenv("WEFT_LOG", "error", 1);
    setenv("WEFT_BUILD_TIMEOUT", "5", 1); // the good builds have to be done in it, too
    weft_config_reload();
    snprintf(command, sizeof command, "%s/stderr", folder);
    int terminal = dup(2), file = open(command, O_RDWR | O_CREAT | O_APPEND, 0600);
    CHECK(terminal >= 0 && file >= 0 && dup2(file, 2) == 2);
    check_code_that_fails_late("-DFAKE_CODE_HANG", "WEFT_BUILD_TIMEOUT");
    check_code_that_fails_late("-DFAKE_CODE_KILL", "ended unexpectedly");
    CHECK_CONTAINS(fixture_report, "That was the second attempt.");
    CHECK_EQ(dup2(terminal, 2), 2);
    ssize_t n = pread(file, text, sizeof text - 1, 0);
    CHECK_GT(n, 0);
    text[n] = '\0';
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    if (lines != 2) // each failure once
        FAIL("%s", text);
    close(file);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}

TEST(there_is_a_spare_one_while_the_others_do_what_nobody_waits_for)
{
    cpu_set_t cpus;
    CHECK_EQ(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    for (int i = 0, kept = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &cpus) && kept++)
            CPU_CLR((size_t)i, &cpus);
    }
    CHECK_EQ(sched_setaffinity(0, sizeof cpus, &cpus), 0); // one compiler
    struct fixture f = fixture_open();
    cl_program p = fixture_source(&f, "");
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, "-DFAKE_CODE_HANG", NULL, NULL), CL_SUCCESS);
    cl_kernel k = fixture_kernel(p, "twice");
    while (atomic_load(&((struct weft_kernel *)k)->code->state) != WEFT_CODE_COMPILING)
        usleep(1000);
    usleep(200000); // it has its compiler by now; otherwise the test checks nothing
    char log[4096];
    CHECK_EQ(build(&f, "", log, sizeof log), CL_SUCCESS);
    CHECK_EQ(atomic_load(&((struct weft_kernel *)k)->code->state), WEFT_CODE_COMPILING);
    CHECK_EQ(weft_clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(weft_clReleaseProgram(p), CL_SUCCESS);
    fixture_close(&f);
}

TEST(one_that_speaks_nonsense_is_stopped)
{
    struct fixture f = fixture_open();
    char log[4096];
    CHECK_EQ(build(&f, "FAKE_GARBAGE", log, sizeof log), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(log, "can't be understood");
    CHECK_EQ(build(&f, "FAKE_WRONG_ANSWER", log, sizeof log), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(log, "can't be understood");
    CHECK_EQ(build(&f, "", log, sizeof log), CL_SUCCESS);
    fixture_close(&f);
}

TEST(one_that_leaves_after_its_answer_is_replaced)
{
    struct fixture f = fixture_open();
    char log[4096];
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(build(&f, "FAKE_LEAVE", log, sizeof log), CL_SUCCESS);
        usleep(20000);
    }
    fixture_close(&f);
}

TEST(no_compiler_is_a_build_failure)
{
    setenv("WEFT_WEFTC", "/nowhere/weftc", 1);
    weft_config_reload();
    struct fixture f = fixture_open();
    char log[4096];
    CHECK_EQ(build(&f, "", log, sizeof log), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(log, "/nowhere/weftc");
    CHECK_CONTAINS(log, "No such file");
    CHECK_STR(log + strlen(log) - 2, ".\n");
    fixture_close(&f);
}

// A process of its own, which has a compiler, writes it into the file.
static void make_binary(const char *path)
{
    pid_t pid = fork();
    CHECK_GE(pid, 0);
    if (pid == 0) {
        struct fixture f = fixture_open();
        cl_program p = fixture_build(&f, "");
        size_t size;
        CHECK_EQ(weft_clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
        unsigned char *binary = malloc(size);
        CHECK(binary != NULL);
        CHECK_EQ(weft_clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), CL_SUCCESS);
        FILE *out = fopen(path, "wb");
        CHECK(out && fwrite(binary, 1, size, out) == size && fclose(out) == 0);
        _exit(0);
    }
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}

// Its kernels would have no code, and only the events of their launches would tell.
TEST(no_compiler_is_a_build_failure_of_a_binary_too)
{
    char path[] = "/tmp/weft-binary-XXXXXX";
    int fd = mkstemp(path);
    CHECK_GE(fd, 0);
    make_binary(path);
    static unsigned char bytes[1 << 20];
    ssize_t size = read(fd, bytes, sizeof bytes);
    CHECK_GT(size, 0);
    close(fd);
    unlink(path);
    setenv("WEFT_WEFTC", "/nowhere/weftc", 1);
    weft_config_reload();
    struct fixture f = fixture_open();
    const unsigned char *binary = bytes;
    const size_t length = (size_t)size;
    cl_int err;
    cl_program p = weft_clCreateProgramWithBinary(f.context, 1, &f.device, &length, &binary, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(fixture_log(&f, p), "/nowhere/weftc can't be started: No such file");
    CHECK_EQ(weft_clReleaseProgram(p), CL_SUCCESS);
    fixture_close(&f);
}

TEST(another_program_in_its_place_is_a_build_failure)
{
    setenv("WEFT_WEFTC", "/bin/true", 1);
    weft_config_reload();
    struct fixture f = fixture_open();
    char log[4096];
    CHECK_EQ(build(&f, "", log, sizeof log), CL_BUILD_PROGRAM_FAILURE);
    const char *what = strstr(log, "The compiler /"), *why = strstr(log, "it is damaged or another program");
    CHECK(what && why && what < why);
    CHECK_CONTAINS(what, "true doesn't answer as weftc does: it ended before it answered");
    CHECK_STR(log + strlen(log) - 2, ".\n");
    fixture_close(&f);
}

TEST(an_application_may_close_all_descriptors)
{
    use_one_compiler();
    struct fixture f = fixture_open();
    int pid = compiler_pid(&f);
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    int after = compiler_pid(&f);
    if (!HARNESS_TSAN) // under it there is no other table, and another compiler is started
        CHECK_EQ(after, pid);
    // And put files of its own in their place: they are neither read, written nor closed.
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    int pair[2];
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    int copies[40];
    for (int i = 0; i < 40; i++)
        copies[i] = dup(pair[0]);
    pid = compiler_pid(&f);
    if (!HARNESS_TSAN)
        CHECK_EQ(after, pid);
    CHECK_EQ(weft_clUnloadPlatformCompiler(f.platform), CL_SUCCESS);
    for (int i = 0; i < 40; i++) {
        struct stat st;
        CHECK_EQ(fstat(copies[i], &st), 0);
    }
    char c;
    CHECK_EQ(recv(pair[1], &c, 1, MSG_DONTWAIT), -1);
    CHECK_EQ(errno, EAGAIN);
    fixture_close(&f);
}

TEST(a_forked_child_has_compilers_of_its_own)
{
    use_one_compiler();
    struct fixture f = fixture_open();
    int pid = compiler_pid(&f);
    fflush(stdout);
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            int mine = compiler_pid(&f);
            _exit(mine == pid ? 3 : 0);
        }
        int status;
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK_EQ(status, 0);
    }
    CHECK_EQ(compiler_pid(&f), pid);
    fixture_close(&f);
}

TEST(it_ends_with_the_application)
{
    fflush(stdout);
    int pipes[2];
    CHECK_EQ(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        struct fixture f = fixture_open();
        int pid = compiler_pid(&f);
        if (write(pipes[1], &pid, sizeof pid) != sizeof pid)
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    int pid = 0, status;
    CHECK_EQ(read(pipes[0], &pid, sizeof pid), (ssize_t)sizeof pid);
    CHECK_EQ(waitpid(child, &status, 0), child);
    int i = 0;
    for (; i < 3000 && kill(pid, 0) == 0; i++)
        usleep(10000);
    CHECK_LT(i, 3000);
}

TEST(unloading_ends_it_and_the_next_build_starts_another)
{
    use_one_compiler();
    struct fixture f = fixture_open();
    int pid = compiler_pid(&f);
    CHECK_EQ(weft_clUnloadPlatformCompiler(f.platform), CL_SUCCESS);
    CHECK_NE(compiler_pid(&f), pid);
    CHECK_EQ(weft_clUnloadPlatformCompiler(NULL), CL_INVALID_PLATFORM);
    fixture_close(&f);
}

static void *build_many(void *arg)
{
    struct fixture *f = arg;
    for (int i = 0; i < 20; i++) {
        char log[4096];
        CHECK_EQ(build(f, i % 5 == 4 ? "FAKE_KILL" : "", log, sizeof log),
                 i % 5 == 4 ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS);
    }
    return NULL;
}

TEST(many_threads_build_at_once)
{
    struct fixture f = fixture_open();
    pthread_t threads[6];
    for (int i = 0; i < 6; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, build_many, &f), 0);
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    fixture_close(&f);
}
