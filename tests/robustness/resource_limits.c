// Limits of the process (setrlimit) that are too low for a compiler or its code. The result is an error code
// and a message that names the limit.
// timeout: 120
// env: WEFT_CACHE=0
#include <signal.h>
#include <sys/resource.h>

#include "e2e/e2e.h"

static void set_limit(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit limit = {soft, hard};
    CHECK_EQ(setrlimit((__rlimit_resource_t)resource, &limit), 0);
}

// A launch of a kernel for which no code can be generated.
static void check_no_code(struct e2e *t, const char *limit)
{
    const size_t one = 1;
    cl_event e = NULL;
    cl_kernel k = e2e_kernel(t, "kernel void one(global int *p) { *p = 1; }", "", "one");
    cl_mem m = e2e_buffer(t, 4, NULL);
    E2E_ARG(k, 0, m);
    // The failure may be known by now.
    cl_int err = clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &one, NULL, 0, NULL, &e);
    CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
    if (err == CL_SUCCESS)
        CHECK_EQ(e2e_status(e), CL_OUT_OF_RESOURCES);
    else
        CHECK_EQ(err, CL_OUT_OF_RESOURCES);
    CHECK_CONTAINS(e2e_notice, limit);
    CHECK(!strstr(e2e_notice, "--replay"));
    cl_program p;
    CHECK_EQ(clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof p, &p, NULL), CL_SUCCESS);
    CHECK_CONTAINS(e2e_log(t, p), limit);
    if (err == CL_SUCCESS)
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

TEST(sizes_of_files_that_leave_the_compiler_no_room)
{
    set_limit(RLIMIT_FSIZE, 1000, 1000); // compilers can't raise it
    struct e2e t = e2e_open();
    check_no_code(&t, "files of this process are limited to 1000 bytes (RLIMIT_FSIZE");
    e2e_close(&t);
}

TEST(sizes_of_files_that_leave_the_code_no_room)
{
    set_limit(RLIMIT_FSIZE, 0, RLIM_INFINITY);
    struct e2e t = e2e_open();
    check_no_code(&t, "files of this process are limited to 0 bytes (RLIMIT_FSIZE");
    set_limit(RLIMIT_FSIZE, RLIM_INFINITY, RLIM_INFINITY);
    e2e_works(&t, "-DAGAIN");
    e2e_close(&t);
}

// The application's thread writes the reproducer of a compiler crash.
TEST(sizes_of_files_that_leave_a_reproducer_no_room)
{
    set_limit(RLIMIT_FSIZE, 0, RLIM_INFINITY);
    struct e2e t = e2e_open();
    cl_program p = e2e_program(&t, "#pragma clang __debug crash\nkernel void f(void) {}\n");
    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(e2e_log(&t, p), "The compiler crashed: signal ");
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// ---- Addresses ----

static void check_failed_build(struct e2e *t, const char *source, const char *word)
{
    cl_program p = e2e_program(t, source);
    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(e2e_log(t, p), word);
    CHECK(!strstr(e2e_log(t, p), "WEFT_BUILD_MEMORY"));
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
}

// The soft limit applies only to the application; the hard limit also applies to compilers.
TEST(addresses_that_leave_the_compiler_no_room_to_start)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers reserve more addresses");
    for (int megabytes = 60; megabytes <= 120; megabytes += 60) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            set_limit(RLIMIT_AS, (rlim_t)megabytes << 20, (rlim_t)megabytes << 20);
            struct e2e t = e2e_open();
            check_failed_build(&t, "kernel void f(void) {}", "RLIMIT_AS");
            e2e_close(&t);
            _exit(0);
        }
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK_EQ(status, 0);
    }
}

TEST(addresses_that_end_in_the_middle_of_a_build)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers reserve more addresses");
    set_limit(RLIMIT_AS, (rlim_t)300 << 20, (rlim_t)300 << 20);
    static char source[4096] = "#define A0 + 1\n";
    for (int i = 1; i <= 40; i++)
        snprintf(source + strlen(source), sizeof source - strlen(source), "#define A%d A%d A%d\n", i, i - 1,
                 i - 1);
    strcat(source, "kernel void f(global int *p) { *p = 1 A40; }\n");
    struct e2e t = e2e_open();
    check_failed_build(&t, source, "RLIMIT_AS");
    e2e_works(&t, "-DAFTER");
    e2e_close(&t);
}
