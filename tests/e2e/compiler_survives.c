// timeout: 300
// env: WEFT_CACHE=0
// Whatever happens to the compiler, the program gets an error with a log, and the next build works (DESIGN
// §2).
#include "e2e.h"

#include <dirent.h>

static char *repeated(const char *head, const char *piece, size_t count, const char *tail)
{
    size_t n = strlen(piece);
    char *s = malloc(strlen(head) + n * count + strlen(tail) + 1), *at = s;
    CHECK(s != NULL);
    at = stpcpy(at, head);
    for (size_t i = 0; i < count; i++, at += n)
        memcpy(at, piece, n);
    strcpy(at, tail); // NOLINT: sized above
    return s;
}

// The build may succeed; when it fails the log must say why. Either way the next one works.
static cl_int build_hostile(struct e2e *t, const char *source, const char *options)
{
    cl_program p = e2e_program(t, source);
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
    build_hostile(&t, repeated(open, ")", 300000, "; }"), "");
}

TEST(sixty_thousand_minus_signs)
{
    struct e2e t = e2e_open();
    build_hostile(&t, repeated("kernel void f(global int *p) { *p = ", "- ", 60000, "1; }"), "");
}

// Processes whose command line names weftc and whose socket is ours can't be told apart here: kill those that
// started since this test did. Tests of other files may lose an idle compiler, which they must survive.
static int kill_compilers(void)
{
    int killed = 0;
    DIR *proc = opendir("/proc");
    CHECK(proc != NULL);
    for (struct dirent *d; (d = readdir(proc));) {
        char path[300], exe[4096];
        snprintf(path, sizeof path, "/proc/%s/exe", d->d_name);
        ssize_t n = readlink(path, exe, sizeof exe - 1);
        if (n <= 0)
            continue;
        exe[n] = '\0';
        if (strstr(exe, "/weftc") && kill(atoi(d->d_name), SIGKILL) == 0)
            killed++;
    }
    closedir(proc);
    return killed;
}

TEST(killed_while_idle)
{
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    CHECK_GT(kill_compilers(), 0);
    e2e_works(&t, "-DAGAIN");
    kill_compilers();
    e2e_works(&t, "-DAGAIN_AND_AGAIN");
}

TEST(endless_preprocessing_ends_at_the_time_limit)
{
    setenv("WEFT_BUILD_TIMEOUT", "3", 1);
    // libweft was loaded with the program, or will be by the loader: the variable counts when it is read at
    // load.
    struct e2e t = e2e_open();
    char *source = repeated("", "", 0, "");
    char text[8192] = "#define A0 + 1\n";
    for (int i = 1; i <= 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "#define A%d A%d A%d\n", i, i - 1, i - 1);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "kernel void f(global int *p) { *p = 1 A40; }\n");
    free(source);
    time_t begin = time(NULL);
    CHECK_EQ(build_hostile(&t, text, ""), CL_BUILD_PROGRAM_FAILURE);
    CHECK_LT((int)(time(NULL) - begin), 60);
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
