// Weft doesn't change the state of the process, and works whatever the application does to that state.
// timeout: 120
#include "e2e/e2e.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <sys/resource.h>
#include <sys/stat.h>

static volatile int children_ended;

static void count_children(int signal_number)
{
    (void)signal_number;
    children_ended++;
}

TEST(the_application_sees_no_child)
{
    signal(SIGCHLD, count_children);
    struct e2e t = e2e_open();
    e2e_works(&t, "-DONE=1");
    CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQ(errno, ECHILD);
    e2e_close(&t);
    usleep(50000);
    CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQ(children_ended, 0);
}

TEST(sigchld_ignored)
{
    signal(SIGCHLD, SIG_IGN);
    struct e2e t = e2e_open();
    e2e_works(&t, "-DTWO=2");
}

TEST(descriptors_closed_by_the_application)
{
    if (HARNESS_TSAN)
        SKIP("to the thread sanitizer, closing what another thread has opened is a race");
    struct e2e t = e2e_open();
    e2e_works(&t, "-DTHREE=3");
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    // Now the application has these numbers.
    int own[20];
    for (int i = 0; i < 20; i++) {
        own[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
        CHECK_GE(own[i], 0);
    }
    e2e_works(&t, "-DFOUR=4");
    for (int i = 0; i < 20; i++)
        CHECK_EQ(fcntl(own[i], F_GETFD), FD_CLOEXEC); // still the application's
    e2e_works(&t, "-DFIVE=5");
}

TEST(few_descriptors)
{
    struct rlimit limit = {24, 24};
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    struct e2e t = e2e_open();
    e2e_works(&t, "-DSIX=6");
}

// no_home_no_path_and_another_folder runs it again with only the vendors' folder in its environment.
TEST(works_where_it_is)
{
    struct e2e t = e2e_open();
    e2e_works(&t, "-DBARE");
    e2e_works(&t, "-DBARE");
}

TEST(no_home_no_path_and_another_folder)
{
    char self[4096], vendors[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    CHECK_GT(n, 0);
    self[n] = '\0';
    CHECK(getenv("OCL_ICD_VENDORS") != NULL);
    snprintf(vendors, sizeof vendors, "OCL_ICD_VENDORS=%s", getenv("OCL_ICD_VENDORS"));
    pid_t pid = fork();
    if (pid == 0) {
        char *const argv[] = {self, "works_where_it_is", NULL}, *const env[] = {vendors, NULL};
        if (chdir("/proc/self") == 0) // nothing can be written there
            execve(self, argv, env);
        _exit(99);
    }
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}

TEST(read_only_cache_folder)
{
    char folder[] = "/tmp/weft-e2e-XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    CHECK_EQ(chmod(folder, 0500), 0);
    setenv("WEFT_CACHE_DIR", folder, 1);
    struct e2e t = e2e_open();
    e2e_works(&t, "-DSEVEN=7");
    e2e_works(&t, "-DSEVEN=7");
    chmod(folder, 0700);
    rmdir(folder);
}

TEST(forked_child_uses_opencl_anew)
{
    struct e2e t = e2e_open();
    e2e_works(&t, "-DEIGHT=8");
    fflush(NULL);
    for (int round = 0; round < 3; round++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(60);
            struct e2e c = e2e_open();
            e2e_works(&c, "-DCHILD");
            e2e_works(&t, "-DCHILD_WITH_THE_PARENTS_CONTEXT");
            _exit(0);
        }
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK_EQ(status, 0);
        e2e_works(&t, "-DNINE=9");
    }
}

// A kernel doesn't see the caller's floating-point control and doesn't change it.
TEST(floating_point_control_of_the_caller)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "kernel void third(global float *p, float a, float b, float tiny)\n"
                             "{ p[0] = a / b; p[1] = tiny * 0.5f; p[2] = a / (b - 3.0f); }",
                             "", "third");
    float out[3];
    cl_mem m = e2e_buffer(&t, sizeof out, NULL);
    cl_float a = 1.0f, b = 3.0f, tiny = 1.17549435e-38f;
    E2E_ARG(k, 0, m);
    E2E_ARG(k, 1, a);
    E2E_ARG(k, 2, b);
    E2E_ARG(k, 3, tiny);
    volatile float one = 1.0f, three = 3.0f;
    const float nearest = one / three;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    // Not every processor has exceptions that trap.
    const int trapping = feenableexcept(FE_DIVBYZERO) < 0 ? 0 : FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(fesetround(modes[i]), 0);
        feclearexcept(FE_ALL_EXCEPT);
        feenableexcept(trapping);
        for (int j = 0; j < 20; j++) {
            e2e_run(&t, k, 1, NULL);
            CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
            CHECK_EQ(fegetround(), modes[i]);
            CHECK_EQ(fegetexcept(), trapping);
            CHECK_EQ(fetestexcept(FE_ALL_EXCEPT), 0);
            fedisableexcept(FE_ALL_EXCEPT);
            e2e_read(&t, m, sizeof out, out);
            CHECK_EQ(out[0], nearest);
            CHECK(out[1] > 0.0f); // a denormal
            CHECK(isinf(out[2]));
            feclearexcept(FE_ALL_EXCEPT);
            feenableexcept(trapping);
        }
        fedisableexcept(FE_ALL_EXCEPT);
    }
}

static long resident_kb(void)
{
    long kb = -1;
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");
    CHECK(f != NULL);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %ld", &kb) == 1)
            break;
    fclose(f);
    return kb;
}

// Compiles in the background need memory of their own.
static void wait_for_best_code(cl_kernel k)
{
    cl_program p;
    size_t size;
    CHECK_EQ(clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof p, &p, NULL), CL_SUCCESS);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
}

TEST(memory_stays_flat_over_a_million_enqueues)
{
    struct e2e t = e2e_open();
    int zero = 0;
    cl_kernel k = e2e_kernel(&t, "kernel void count(global int *p) { p[0]++; }", "", "count");
    cl_mem m = e2e_buffer(&t, sizeof zero, &zero);
    E2E_ARG(k, 0, m);
    const size_t one = 1;
    const int total = HARNESS_SCALE(1000000);
    long before = 0;
    for (int i = 0; i < total; i++) {
        cl_event e = NULL;
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, &one, 0, NULL, i % 3 == 0 ? &e : NULL),
                 CL_SUCCESS);
        if (e)
            CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
        if (i % 1000 == 999)
            CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        if (i == total / 10) {
            wait_for_best_code(k);
            before = resident_kb();
        }
    }
    int seen = 0;
    e2e_read(&t, m, sizeof seen, &seen);
    CHECK_EQ(seen, total);
    // The smallest possible leak, 32 bytes for each event, would be 10 MB. What a busy machine accumulates
    // between two waits, and a thread that starts late, take less.
    if (!HARNESS_ASAN && !HARNESS_TSAN)
        CHECK_LT(resident_kb() - before, 8192);
}

TEST(exit_with_work_in_flight)
{
    for (int round = 0; round < 5; round++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(30);
            struct e2e t = e2e_open();
            cl_kernel k = e2e_kernel(&t,
                                     "kernel void busy(global int *p, int n)\n"
                                     "{ int v = get_global_id(0); for (int i = 0; i < n; i++) v = v * 3 + i;"
                                     " p[get_global_id(0)] = v; }",
                                     "", "busy");
            cl_mem m = e2e_buffer(&t, 4 * 65536, NULL);
            cl_int n = 100000;
            E2E_ARG(k, 0, m);
            E2E_ARG(k, 1, n);
            for (int i = 0; i < 4; i++)
                e2e_run(&t, k, 65536, NULL);
            CHECK_EQ(clFlush(t.queue), CL_SUCCESS);
            usleep((useconds_t)round * 500);
            exit(0);
        }
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK_EQ(status, 0);
    }
}

// From now on the process's stderr is written to the file.
static int catch_stderr(void)
{
    char name[] = "/tmp/weft-stderr-XXXXXX";
    int file = mkstemp(name);
    CHECK_GE(file, 0);
    CHECK_EQ(unlink(name), 0);
    CHECK_EQ(dup2(file, 2), 2);
    return file;
}

static void check_reported(const char *cpu, size_t times)
{
    setenv("WEFT_CACHE", "0", 1);
    setenv("WEFT_LOG", "warn", 1);
    setenv("WEFT_CPU", cpu, 1);
    fflush(stderr);
    int terminal = dup(2), file = catch_stderr();
    struct e2e t = e2e_open();
    e2e_works(&t, "-DONE=1");
    e2e_works(&t, "-DTWO=2");
    char text[4096] = {0};
    ssize_t size = pread(file, text, sizeof text - 1, 0);
    CHECK_EQ(dup2(terminal, 2), 2);
    CHECK_GE(size, 0);
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, "WEFT_CPU=")); at++)
        count++;
    if (count != times)
        FAIL("reported %zu times, not %zu: %s", count, times, text);
    if (times)
        CHECK_CONTAINS(text, "is ignored: LLVM knows no processor");
    e2e_close(&t);
}

static void check_refusal(const char *level, size_t times)
{
    setenv("WEFT_KERNEL_TIMEOUT", "2s", 1);
    setenv("WEFT_PIN", "perhaps", 1);
    setenv("WEFT_VF", "3", 1);
    setenv("WEFT_CL_VERSION", "4.0", 1);
    setenv("WEFT_CASHE", "0", 1);
    if (level)
        setenv("WEFT_LOG", level, 1);
    fflush(stderr);
    int terminal = dup(2), file = catch_stderr();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    char text[4096] = {0};
    ssize_t size = pread(file, text, sizeof text - 1, 0);
    CHECK_EQ(dup2(terminal, 2), 2);
    CHECK_GE(size, 0);
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, "WEFT_KERNEL_TIMEOUT=2s is ignored")); at++)
        count++;
    if (count != times)
        FAIL("reported %zu times, not %zu: %s", count, times, text);
    if (times) {
        CHECK_CONTAINS(text, "it takes a whole number up to 1000000 (seconds");
        CHECK_CONTAINS(text, "WEFT_PIN=perhaps is ignored: it takes 0 or 1");
        CHECK_CONTAINS(text, "WEFT_VF=3 is ignored: it takes 0 or a power of two up to 32");
        CHECK_CONTAINS(text, "WEFT_CL_VERSION=4.0 is ignored: it takes 1.2, 2.0");
        CHECK_CONTAINS(text,
                       "WEFT_CASHE is not a variable of Weft and is ignored; did you mean WEFT_CACHE?\n");
    } else {
        CHECK(!strstr(text, "WEFT_"));
    }
    e2e_close(&t);
}

TEST(a_refused_setting_is_reported_once)
{
    unsetenv("WEFT_LOG");
    check_refusal(NULL, 1);
}

TEST(a_refused_setting_is_not_reported_at_log_level_error)
{
    check_refusal("error", 0);
}

// A program binary that another process made.
static unsigned char *binary_from_elsewhere(size_t *size)
{
    int pipes[2];
    CHECK_EQ(pipe(pipes), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct e2e t = e2e_open();
        cl_program p = e2e_build(&t, "kernel void k(global int *p) { p[0] = 5; }", "");
        size_t n = 0;
        CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL), CL_SUCCESS);
        unsigned char *bytes = malloc(n);
        CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
        FILE *out = fdopen(pipes[1], "w");
        CHECK_EQ(fwrite(bytes, 1, n, out), n);
        _exit(fclose(out) != 0);
    }
    close(pipes[1]);
    enum { MAX_BYTES = 4 << 20 };
    unsigned char *bytes = malloc(MAX_BYTES);
    FILE *in = fdopen(pipes[0], "r");
    *size = fread(bytes, 1, MAX_BYTES, in);
    fclose(in);
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    CHECK_GT(*size, 0);
    return bytes;
}

TEST(a_process_that_builds_only_from_binaries_gets_the_report_too)
{
    setenv("WEFT_CACHE", "0", 1);
    size_t size, one = 1;
    const unsigned char *bytes = binary_from_elsewhere(&size);
    setenv("WEFT_LOG", "warn", 1);
    setenv("WEFT_CPU", "bogus", 1);
    fflush(stderr);
    int terminal = dup(2), file = catch_stderr(), out = 0;
    struct e2e t = e2e_open();
    cl_int error = 1;
    cl_program p = clCreateProgramWithBinary(t.context, 1, &t.device, &size, &bytes, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    free((void *)(uintptr_t)bytes);
    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_kernel k = clCreateKernel(p, "k", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem m = e2e_buffer(&t, sizeof out, &out);
    E2E_ARG(k, 0, m);
    e2e_run(&t, k, one, NULL);
    e2e_read(&t, m, sizeof out, &out);
    CHECK_EQ(out, 5);
    char text[4096] = {0};
    CHECK_GE(pread(file, text, sizeof text - 1, 0), 0);
    CHECK_EQ(dup2(terminal, 2), 2);
    CHECK_CONTAINS(text, "WEFT_CPU=bogus is ignored: LLVM knows no processor of that name "
                         "with 64-bit code");
}

TEST(an_unknown_processor_is_reported_once)
{
    check_reported("bogus", 1);
}

TEST(a_processor_without_64_bits_is_reported_once)
{
    check_reported("i386", 1); // LLVM knows this name
}

TEST(a_known_processor_is_not_reported)
{
#if defined(__x86_64__)
    check_reported("x86-64", 0);
#else
    SKIP("which names are known depends on the architecture");
#endif
}
