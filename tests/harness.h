// The test harness. A test file is one executable with several TEST(name) { ... }. Each test runs in a
// process of its own, so a test can't affect the next one.
//
//   <executable>          runs every test and prints "ok", "FAIL" or "skip" with a reason for each. Exit
//   status: 1 if a
//                         test failed, 77 if all were skipped, otherwise 0
//   <executable> NAME...  runs the named tests in this process (for gdb)
//
// WEFT_TEST_SKIPS names a file with tests that can't pass where this runs, as `NAME: reason`
// (emulated_skips.txt).
//
// A failing check prints both operands and ends the test's process, on whichever thread it is called.
//
// tests/CMakeLists.txt reads these comments at the head of a test file:
//   timeout: SECONDS        for the whole file (default 60; sanitizers get four times as much)
//   labels: stress slow     for ctest -L / -LE
//   env: NAME=VALUE         environment of the file's tests; one line for each
#ifndef WEFT_TESTS_HARNESS_H
#define WEFT_TESTS_HARNESS_H

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HARNESS_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define HARNESS_TSAN 1
#endif
#endif
#ifndef HARNESS_ASAN
#define HARNESS_ASAN 0
#endif
#ifndef HARNESS_TSAN
#define HARNESS_TSAN 0
#endif
// Stress tests scale their counts with this: `HARNESS_SCALE(100000)`.
#define HARNESS_SCALE(n) ((n) / (HARNESS_TSAN ? 20 : HARNESS_ASAN ? 5 : 1))

#define HARNESS_SKIPPED 77
#define HARNESS_UNUSED __attribute__((unused))

struct harness_test {
    const char *name;
    void (*run)(void);
    struct harness_test *next;
};
static struct harness_test *harness_first, **harness_last = &harness_first;

#define TEST(test_name)                                                      \
    static void test_##test_name(void);                                      \
    __attribute__((constructor)) static void harness_add_##test_name(void)   \
    {                                                                        \
        static struct harness_test t = {#test_name, test_##test_name, NULL}; \
        *harness_last = &t;                                                  \
        harness_last = &t.next;                                              \
    }                                                                        \
    static void test_##test_name(void)

// ---- Ending a test early ----

__attribute__((noreturn, format(printf, 3, 4))) static void harness_fail(const char *file, int line,
                                                                         const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fflush(stdout);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    fflush(stderr);
    _exit(1);
}

#define FAIL(...) harness_fail(__FILE__, __LINE__, __VA_ARGS__)
// The summary of the run shows the reason. It should say what this machine lacks.
#define SKIP(...)               \
    do {                        \
        printf("skip: ");       \
        printf(__VA_ARGS__);    \
        printf("\n");           \
        fflush(stdout);         \
        _exit(HARNESS_SKIPPED); \
    } while (0)

// ---- Captured output ----

// Redirects a descriptor to a file in memory until harness_uncapture.
struct harness_capture {
    int descriptor, kept, file;
};

HARNESS_UNUSED static struct harness_capture harness_capture(int descriptor)
{
    fflush(NULL);
    struct harness_capture c = {descriptor, dup(descriptor), memfd_create("written", MFD_CLOEXEC)};
    if (c.kept < 0 || c.file < 0 || dup2(c.file, descriptor) != descriptor)
        FAIL("descriptor %d can't be captured", descriptor);
    return c;
}

// Returns the file. The caller may close it.
HARNESS_UNUSED static int harness_uncapture(const struct harness_capture *c)
{
    fflush(NULL);
    dup2(c->kept, c->descriptor);
    close(c->kept);
    return c->file;
}

// ---- Checks ----

struct harness_value {
    enum { HARNESS_INT, HARNESS_UINT, HARNESS_FLOAT, HARNESS_PTR } kind;
    int64_t i;
    uint64_t u;
    double f;
};

HARNESS_UNUSED static struct harness_value harness_int(int64_t v)
{
    return (struct harness_value){HARNESS_INT, v, (uint64_t)v, (double)v};
}
HARNESS_UNUSED static struct harness_value harness_uint(uint64_t v)
{
    return (struct harness_value){HARNESS_UINT, (int64_t)v, v, (double)v};
}
HARNESS_UNUSED static struct harness_value harness_float(double v)
{
    return (struct harness_value){HARNESS_FLOAT, 0, 0, v};
}
HARNESS_UNUSED static struct harness_value harness_ptr(const volatile void *v)
{
    return (struct harness_value){HARNESS_PTR, (int64_t)(uintptr_t)v, (uintptr_t)v, 0};
}

#define HARNESS_VALUE(x)                  \
    _Generic((x),                         \
        bool: harness_uint,               \
        char: harness_int,                \
        signed char: harness_int,         \
        unsigned char: harness_uint,      \
        short: harness_int,               \
        unsigned short: harness_uint,     \
        int: harness_int,                 \
        unsigned: harness_uint,           \
        long: harness_int,                \
        unsigned long: harness_uint,      \
        long long: harness_int,           \
        unsigned long long: harness_uint, \
        float: harness_float,             \
        double: harness_float,            \
        default: harness_ptr)(x)

HARNESS_UNUSED static void harness_show(char out[64], struct harness_value v)
{
    switch (v.kind) {
    case HARNESS_INT:
        snprintf(out, 64, "%" PRId64, v.i);
        break;
    case HARNESS_UINT:
        snprintf(out, 64, v.u > 65535 ? "%" PRIu64 " (0x%" PRIx64 ")" : "%" PRIu64, v.u, v.u);
        break;
    case HARNESS_FLOAT:
        snprintf(out, 64, "%.17g", v.f);
        break;
    case HARNESS_PTR:
        snprintf(out, 64, "0x%" PRIx64, v.u);
        break;
    }
}

// Returns -1, 0 or 1; 2: unordered (NaN). Compares mathematical values, whatever the types are.
HARNESS_UNUSED static int harness_compare(struct harness_value a, struct harness_value b)
{
    if (a.kind == HARNESS_FLOAT || b.kind == HARNESS_FLOAT)
        return isnan(a.f) || isnan(b.f) ? 2 : (a.f > b.f) - (a.f < b.f);
    bool an = a.kind == HARNESS_INT && a.i < 0, bn = b.kind == HARNESS_INT && b.i < 0;
    if (an || bn)
        return an && bn ? (a.i > b.i) - (a.i < b.i) : an ? -1 : 1;
    return (a.u > b.u) - (a.u < b.u);
}

HARNESS_UNUSED static void harness_check_op(const char *file, int line, const char *ta, const char *op,
                                            const char *tb, struct harness_value a, struct harness_value b)
{
    int c = harness_compare(a, b);
    bool ok = op[0] == '='   ? c == 0
              : op[0] == '!' ? c != 0
              : op[0] == '<' ? c == -1 || (op[1] && c == 0)
                             : c == 1 || (op[1] && c == 0);
    if (ok)
        return;
    char sa[64], sb[64];
    harness_show(sa, a);
    harness_show(sb, b);
    harness_fail(file, line, "%s %s %s does not hold: %s against %s", ta, op, tb, sa, sb);
}

#define CHECK(condition)                          \
    do {                                          \
        if (!(condition))                         \
            FAIL("%s does not hold", #condition); \
    } while (0)
#define CHECK_OP(a, op, b) \
    harness_check_op(__FILE__, __LINE__, #a, #op, #b, HARNESS_VALUE(a), HARNESS_VALUE(b))
#define CHECK_EQ(a, b) CHECK_OP(a, ==, b)
#define CHECK_NE(a, b) CHECK_OP(a, !=, b)
#define CHECK_LT(a, b) CHECK_OP(a, <, b)
#define CHECK_LE(a, b) CHECK_OP(a, <=, b)
#define CHECK_GT(a, b) CHECK_OP(a, >, b)
#define CHECK_GE(a, b) CHECK_OP(a, >=, b)

#define CHECK_STR(a, b)                                                                       \
    do {                                                                                      \
        const char *sa_ = (a), *sb_ = (b);                                                    \
        if (!sa_ || !sb_ || strcmp(sa_, sb_) != 0)                                            \
            FAIL("%s is \"%s\", not \"%s\"", #a, sa_ ? sa_ : "(null)", sb_ ? sb_ : "(null)"); \
    } while (0)

#define CHECK_CONTAINS(text, part)                                                  \
    do {                                                                            \
        const char *sa_ = (text), *sb_ = (part);                                    \
        if (!sa_ || !strstr(sa_, sb_))                                              \
            FAIL("%s is \"%s\", without \"%s\"", #text, sa_ ? sa_ : "(null)", sb_); \
    } while (0)

#define CHECK_MEM(a, b, size)                                                                        \
    do {                                                                                             \
        const unsigned char *ma_ = (const void *)(a), *mb_ = (const void *)(b);                      \
        for (size_t mi_ = 0, mn_ = (size); mi_ < mn_; mi_++)                                         \
            if (ma_[mi_] != mb_[mi_])                                                                \
                FAIL("%s and %s differ at byte %zu of %zu: 0x%02x against 0x%02x", #a, #b, mi_, mn_, \
                     ma_[mi_], mb_[mi_]);                                                            \
    } while (0)

// |a - b| <= tolerance
#define CHECK_NEAR(a, b, tolerance)                                                     \
    do {                                                                                \
        double na_ = (double)(a), nb_ = (double)(b);                                    \
        if (!(fabs(na_ - nb_) <= (double)(tolerance)))                                  \
            FAIL("%s and %s are too far apart: %.17g against %.17g", #a, #b, na_, nb_); \
    } while (0)

// ---- Time and randomness ----

HARNESS_UNUSED static double harness_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The same sequence in every run (xorshift64*). *state must not be 0.
HARNESS_UNUSED static uint64_t harness_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1dull;
}

// Number of entries of a folder in /proc: descriptors or threads. 0: it can't be read.
HARNESS_UNUSED static int harness_entries(const char *folder)
{
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

// ---- The runner ----

// The reason why WEFT_TEST_SKIPS says that this test can't pass here, or NULL. The caller frees it.
static char *harness_reason_to_skip(const char *name)
{
    const char *path = getenv("WEFT_TEST_SKIPS");
    FILE *list = path ? fopen(path, "r") : NULL;
    char *line = NULL, *reason = NULL;
    size_t room = 0;
    if (path && !list)
        harness_fail(path, 0, "can't be read");
    while (list && !reason && getline(&line, &room, list) > 0) {
        size_t length = strlen(name);
        if (strncmp(line, name, length) == 0 && strncmp(line + length, ": ", 2) == 0)
            reason = strndup(line + length + 2, strcspn(line + length + 2, "\n"));
    }
    free(line);
    if (list)
        fclose(list);
    return reason;
}

// Runs one test in a child process; returns the status of waitpid.
static int harness_run_child(const struct harness_test *t)
{
    const char *limit = getenv("WEFT_TEST_TIMEOUT");
    fflush(stdout);
    fflush(stderr);
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        perror("fork");
        return 1 << 8;
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        alarm(limit ? (unsigned)atoi(limit) : 60);
        t->run();
        exit(0); // runs the destructors, which are also tested
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        ;
    return status;
}

int main(int argc, char **argv)
{
    int failed = 0, skipped = 0, total = 0;
    if (argc > 1) {
        for (int i = 1; i < argc; i++) {
            const struct harness_test *t = harness_first;
            while (t && strcmp(t->name, argv[i]) != 0)
                t = t->next;
            if (!t)
                harness_fail(argv[0], 0, "no test is named %s", argv[i]);
            t->run();
            printf("ok   %s\n", t->name);
        }
        return 0;
    }
    for (const struct harness_test *t = harness_first; t; t = t->next, total++) {
        char *reason = harness_reason_to_skip(t->name);
        if (reason)
            printf("skip: %s\n", reason);
        int status = reason ? HARNESS_SKIPPED << 8 : harness_run_child(t);
        free(reason);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            printf("ok   %s\n", t->name);
        } else if (WIFEXITED(status) && WEXITSTATUS(status) == HARNESS_SKIPPED) {
            printf("skip %s\n", t->name);
            skipped++;
        } else {
            failed++;
            if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
                printf("FAIL %s: took too long\n", t->name);
            else if (WIFSIGNALED(status))
                printf("FAIL %s: signal %d (%s)\n", t->name, WTERMSIG(status), strsignal(WTERMSIG(status)));
            else
                printf("FAIL %s\n", t->name);
        }
    }
    if (failed || total == 0)
        return 1;
    return skipped == total ? HARNESS_SKIPPED : 0;
}

#endif
