// What the driver costs a program that only looks: memory and time of `clinfo -l`, and what comes into the
// process. The size of the library and what it depends on: symbols.py.
#include "icd/icd.h"

#include <sys/resource.h>
#include <sys/wait.h>

enum { MAX_KB = 10 * 1024, MAX_MS = 10, RUNS = 10 };

static double ms(struct timeval t)
{
    return 1e3 * (double)t.tv_sec + 1e-3 * (double)t.tv_usec;
}

TEST(listing_the_devices_is_cheap)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("a sanitized driver can't be loaded into clinfo");
    long least_kb = -1;
    double least_ms = 1e9;
    for (int i = 0; i < RUNS; i++) {
        fflush(NULL);
        pid_t pid = fork(); // this process is small: what the child has before it becomes clinfo counts, too
        if (pid == 0) {
            if (!freopen("/dev/null", "w", stdout))
                _exit(1);
            execlp("clinfo", "clinfo", "-l", (char *)NULL);
            _exit(127);
        }
        int status = 1;
        struct rusage r;
        CHECK_EQ(wait4(pid, &status, 0, &r), pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
            SKIP("clinfo is not installed");
        CHECK_EQ(status, 0);
        double took = ms(r.ru_utime) + ms(r.ru_stime); // not that of a clock: others want the processors, too
        least_ms = took < least_ms ? took : least_ms;
        least_kb = least_kb < 0 || r.ru_maxrss < least_kb ? r.ru_maxrss : least_kb;
    }
    printf("clinfo -l: %ld KB, %.1f ms of processor time\n", least_kb, least_ms);
    CHECK_LE(least_kb, MAX_KB);
    CHECK_LE(least_ms, MAX_MS);
}

static int threads(void)
{
    int n = 0;
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");
    CHECK(f != NULL);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "Threads: %d", &n) == 1)
            break;
    fclose(f);
    return n;
}

static bool mapped(const char *name)
{
    char line[4096];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f != NULL);
    while (fgets(line, sizeof line, f))
        found |= strstr(line, name) != NULL;
    fclose(f);
    return found;
}

TEST(a_program_that_only_asks_for_platforms_gets_no_threads_and_no_other_libraries)
{
    int before = threads();
    void *lib = open_driver();
    cl_platform_id p = NULL;
    char name[64];
    OK(SYMBOL(lib, get_platforms_fn, "clIcdGetPlatformIDsKHR")(1, &p, NULL));
    OK(((TYPE_OF(clGetPlatformInfo))symbol(lib, "clGetPlatformInfo"))(p, CL_PLATFORM_NAME, sizeof name, name,
                                                                      NULL));
    CHECK_EQ(threads(), before);
    CHECK(!mapped("libhwloc"));
    CHECK(!mapped("libLLVM"));
    if (!HARNESS_ASAN && !HARNESS_TSAN)
        CHECK(!mapped("libstdc++"));
}
