// Whatever happens to the compiler, the program gets an error and a log, and the next build works
// (docs/robustness.md).
// timeout: 300
// env: WEFT_CACHE=0
#include "e2e/compiler_processes.h"

#include <pthread.h>

static char *repeated(const char *head, const char *piece, size_t count, const char *tail)
{
    size_t n = strlen(piece);
    char *s = malloc(strlen(head) + n * count + strlen(tail) + 1), *at = s;
    CHECK(s != NULL);
    at = stpcpy(at, head);
    for (size_t i = 0; i < count; i++, at += n)
        memcpy(at, piece, n);
    strcpy(at, tail); // NOLINT: the size is sufficient
    return s;
}

// The build may succeed. If it fails, the log must say why. In both cases the next build works. Frees source.
static cl_int build_hostile(struct e2e *t, char *source, const char *options)
{
    cl_program p = e2e_program(t, source);
    free(source);
    cl_int error = clBuildProgram(p, 1, &t->device, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        CHECK_EQ(error, CL_BUILD_PROGRAM_FAILURE);
        if (strlen(e2e_log(t, p)) < 10)
            FAIL("the log says nothing: '%s'", e2e_log(t, p));
        cl_build_status status = 1;
        CHECK_EQ(clGetProgramBuildInfo(p, t->device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL),
                 CL_SUCCESS);
        CHECK_EQ(status, CL_BUILD_ERROR);
    }
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_works(t, "-DAFTER");
    return error;
}

TEST(sum_of_100000_terms)
{
    struct e2e t = e2e_open();
    build_hostile(&t, repeated("kernel void f(global int *p) { *p = 1", " + 1", 100000, "; }"), "");
}

TEST(three_hundred_thousand_parentheses)
{
    struct e2e t = e2e_open();
    char *open = repeated("kernel void f(global int *p) { *p = ", "(", 300000, "1");
    char *source = repeated(open, ")", 300000, "; }");
    free(open);
    build_hostile(&t, source, "");
}

TEST(sixty_thousand_minus_signs)
{
    struct e2e t = e2e_open();
    build_hostile(&t, repeated("kernel void f(global int *p) { *p = ", "- ", 60000, "1; }"), "");
}

TEST(killed_while_idle)
{
    const char *mark = mark_compilers();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    for (int i = 0; i < 20; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i);
        CHECK_GT(kill_compilers(mark, SIGKILL), 0);
        e2e_works(&t, option);
    }
}

struct hostile_build {
    struct e2e *t;
    const char *source, *word;
    _Atomic bool done;
};

static void *build_in_thread(void *arg)
{
    struct hostile_build *b = arg;
    cl_program p = e2e_program(b->t, b->source);
    cl_int error = clBuildProgram(p, 1, &b->t->device, "", NULL, NULL);
    CHECK_EQ(error, CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(e2e_log(b->t, p), b->word);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    b->done = true;
    return NULL;
}

// A source that keeps the preprocessor busy for longer than anyone waits.
static const char *endless_source(void)
{
    static char text[8192] = "#define A0 + 1\n";
    for (int i = 1; i <= 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "#define A%d A%d A%d\n", i, i - 1, i - 1);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "kernel void f(global int *p) { *p = 1 A40; }\n");
    return text;
}

// The build fails with this word in its log. The log also names a file with the source. The next build works.
static void check_failure_with_reproducer(struct e2e *t, const char *source, const char *word)
{
    char folder[] = "/tmp/weft-test-XXXXXX", command[128], text[8192] = {0};
    CHECK(mkdtemp(folder) != NULL);
    setenv("TMPDIR", folder, 1);
    cl_program p = e2e_program(t, source);
    CHECK_EQ(clBuildProgram(p, 1, &t->device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    const char *log = e2e_log(t, p);
    CHECK_CONTAINS(log, word);
    CHECK_CONTAINS(log, "weftc --replay ");
    const char *path = strstr(log, "--replay ") + 9;
    snprintf(command, sizeof command, "%.*s", (int)strcspn(path, "\n"), path);
    FILE *f = fopen(command, "r");
    if (!f)
        FAIL("no file %s", command);
    CHECK_GT(fread(text, 1, sizeof text - 1, f), 0);
    fclose(f);
    CHECK_STR(text, source);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_works(t, "-DAFTER");
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_EQ(system(command), 0);
}

static void kill_during_a_build(int number, const char *word)
{
    const char *mark = mark_compilers();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    struct hostile_build b = {.t = &t, .source = endless_source(), .word = word};
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, build_in_thread, &b), 0);
    // The first kill may hit a compiler that hasn't read the request yet. Then another compiler gets the
    // request.
    for (int i = 0; i < 100 && !b.done; i++) {
        usleep(200000);
        kill_compilers(mark, number);
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
    e2e_works(&t, "-DAFTER");
}

TEST(killed_during_a_build)
{
    kill_during_a_build(SIGKILL, "ended unexpectedly: signal 9 (KILL");
    kill_during_a_build(SIGTERM, "was ended from outside: signal 15 (TERM");
}

TEST(signals_end_a_build_with_their_name)
{
    kill_during_a_build(SIGSEGV, "was ended from outside: signal 11 (SEGV");
    kill_during_a_build(SIGABRT, "was ended from outside: signal 6 (ABRT");
    kill_during_a_build(SIGBUS, "BUS");
    kill_during_a_build(SIGFPE, "FPE");
    kill_during_a_build(SIGILL, "ILL");
}

TEST(endless_preprocessing_ends_at_the_time_limit)
{
    // It is read when the loader loads the driver.
    setenv("WEFT_BUILD_TIMEOUT", "3", 1);
    struct e2e t = e2e_open();
    time_t begin = time(NULL);
    check_failure_with_reproducer(&t, endless_source(), "WEFT_BUILD_TIMEOUT");
    CHECK_LT((int)(time(NULL) - begin), 60);
}

TEST(a_build_that_eats_memory_ends_at_the_memory_limit)
{
    setenv("WEFT_BUILD_MEMORY", "300", 1);
    struct e2e t = e2e_open();
    check_failure_with_reproducer(&t, endless_source(), "WEFT_BUILD_MEMORY");
}

TEST(missing_compiler_is_an_error)
{
    setenv("WEFT_WEFTC", "/nonexistent/weftc", 1);
    struct e2e t = e2e_open();
    cl_program p = e2e_program(&t, "kernel void f(void) {}");
    CHECK_LT(clBuildProgram(p, 1, &t.device, "", NULL, NULL), 0);
    if (!strstr(e2e_log(&t, p), "weftc"))
        FAIL("the log does not name the compiler: %s", e2e_log(&t, p));
}

TEST(options_that_reach_too_far_are_refused)
{
    static const char *const bad[] = {
        "-Xclang -ast-dump", "-mllvm -help", "-fplugin=x.so", "-o out",    "@file",
        "-include x.h",      "-x c++",       "-cl-std=CL9.9", "-nonsense", "-cl-nonsense"};
    struct e2e t = e2e_open();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cl_program p = e2e_program(&t, "kernel void f(void) {}");
        cl_int error = clBuildProgram(p, 1, &t.device, bad[i], NULL, NULL);
        if (error != CL_INVALID_BUILD_OPTIONS)
            FAIL("%s: %d", bad[i], error);
    }
    e2e_works(&t, "-cl-fast-relaxed-math -cl-mad-enable -cl-std=CL1.2 -w -D FOO -DBAR=1 -cl-kernel-arg-info");
}

TEST(diagnostics_have_line_and_caret)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_program(&t, "kernel void f(global int *p)\n{\n    *p = nowhere;\n}\n");
    CHECK_EQ(clBuildProgram(p, 1, &t.device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    const char *log = e2e_log(&t, p);
    if (!strstr(log, ":3:10: error: use of undeclared identifier 'nowhere'") || !strstr(log, "^"))
        FAIL("log: %s", log);
}

TEST(undefined_function_fails_the_build)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_program(&t, "int missing(int); kernel void f(global int *p) { *p = missing(1); }");
    CHECK_LT(clBuildProgram(p, 1, &t.device, "", NULL, NULL), 0);
    if (!strstr(e2e_log(&t, p), "missing"))
        FAIL("log: %s", e2e_log(&t, p));
}
