// Building: states, options, logs, callbacks, separate compilation, binaries, queries, the cache of answers.
// timeout: 60
#include "runtime/compiler/disk_cache.h"
#include "fixture.h"

static cl_build_status status_of(struct fixture *f, cl_program p)
{
    cl_build_status s;
    CHECK_EQ(weft_clGetProgramBuildInfo(p, f->device, CL_PROGRAM_BUILD_STATUS, sizeof s, &s, NULL),
             CL_SUCCESS);
    return s;
}

static cl_program_binary_type type_of(struct fixture *f, cl_program p)
{
    cl_program_binary_type t;
    CHECK_EQ(weft_clGetProgramBuildInfo(p, f->device, CL_PROGRAM_BINARY_TYPE, sizeof t, &t, NULL),
             CL_SUCCESS);
    return t;
}

TEST(the_state_of_a_program_follows_its_builds)
{
    struct fixture f = fixture_open();
    cl_program p = fixture_source(&f, "FAKE_COUNT");
    cl_int err;
    CHECK_EQ(status_of(&f, p), CL_BUILD_NONE);
    CHECK_EQ(type_of(&f, p), (cl_program_binary_type)CL_PROGRAM_BINARY_TYPE_NONE);
    CHECK_STR(fixture_log(&f, p), "");
    CHECK_EQ(weft_clCreateKernel(p, "twice", &err), NULL);
    CHECK_EQ(err, CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, "-DX=1  -w", NULL, NULL), CL_SUCCESS);
    CHECK_EQ(status_of(&f, p), CL_BUILD_SUCCESS);
    CHECK_EQ(type_of(&f, p), (cl_program_binary_type)CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    char options[64];
    CHECK_EQ(weft_clGetProgramBuildInfo(p, f.device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL),
             CL_SUCCESS);
    CHECK_STR(options, "-DX=1  -w");
    CHECK_CONTAINS(fixture_log(&f, p), "builds=");
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK_EQ(status_of(&f, p), CL_BUILD_SUCCESS); // could not begin
    cl_kernel k = fixture_kernel(p, "twice");
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION); // a kernel is attached
    CHECK_EQ(weft_clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clReleaseProgram(p), CL_SUCCESS);
    fixture_close(&f);
}

TEST(a_failed_build_says_why_and_leaves_no_executable)
{
    struct fixture f = fixture_open();
    cl_program p = fixture_source(&f, "FAKE_ERROR");
    cl_int err;
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_EQ(status_of(&f, p), CL_BUILD_ERROR);
    CHECK_STR(fixture_log(&f, p), "fake.cl:1:1: error: as asked for");
    weft_clCreateKernel(p, "twice", &err);
    CHECK_EQ(err, CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(weft_clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
    CHECK_EQ(weft_clReleaseProgram(p), CL_SUCCESS);
    fixture_close(&f);
}

struct reported {
    struct weft_park park;
    _Atomic int calls;
    cl_program program;
};

static void CL_CALLBACK on_built(cl_program p, void *user)
{
    struct reported *t = user;
    t->program = p;
    // The program can be used in its callback: no lock is held.
    cl_uint n;
    CHECK_EQ(weft_clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, NULL), CL_SUCCESS);
    atomic_fetch_add(&t->calls, 1);
}

TEST(a_callback_is_called_once_on_success_and_on_failure)
{
    struct fixture f = fixture_open();
    static const char *const sources[] = {"", "FAKE_ERROR", "FAKE_KILL"};
    for (int i = 0; i < 3; i++) {
        cl_program p = fixture_source(&f, sources[i]);
        struct reported t = {0};
        CHECK_EQ(weft_clBuildProgram(p, 0, NULL, NULL, on_built, &t), CL_SUCCESS);
        for (int n = 0; n < 1000 && atomic_load(&t.calls) == 0; n++)
            usleep(10000);
        usleep(10000);
        CHECK_EQ(atomic_load(&t.calls), 1);
        CHECK_EQ(t.program, p);
        CHECK_EQ(status_of(&f, p), i == 0 ? CL_BUILD_SUCCESS : CL_BUILD_ERROR);
        CHECK_EQ(weft_clReleaseProgram(p), CL_SUCCESS);
    }
    fixture_close(&f);
}

TEST(programs_are_compiled_and_linked_separately)
{
    struct fixture f = fixture_open();
    cl_program header = fixture_source(&f, "#define H 1"), p = fixture_source(&f, "FAKE_HEADER");
    const char *name = "h.h";
    cl_int err;
    CHECK_EQ(weft_clCompileProgram(p, 0, NULL, NULL, 1, &header, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(weft_clCompileProgram(p, 0, NULL, NULL, 1, &header, &name, NULL, NULL), CL_SUCCESS);
    CHECK_CONTAINS(fixture_log(&f, p), "1 headers, first h.h: #define H 1");
    CHECK_EQ(type_of(&f, p), (cl_program_binary_type)CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    weft_clCreateKernel(p, "twice", &err);
    CHECK_EQ(err, CL_INVALID_PROGRAM_EXECUTABLE);
    cl_program inputs[2] = {p, p};
    cl_program library =
        weft_clLinkProgram(f.context, 0, NULL, "-create-library", 2, inputs, NULL, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(type_of(&f, library), (cl_program_binary_type)CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program whole = weft_clLinkProgram(f.context, 0, NULL, NULL, 1, &library, NULL, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_STR(fixture_log(&f, whole), "linked 1");
    CHECK_EQ(type_of(&f, whole), (cl_program_binary_type)CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    CHECK_EQ(weft_clReleaseKernel(fixture_kernel(whole, "twice")), CL_SUCCESS);
    // An executable can't be linked, nor a program that hasn't been compiled.
    CHECK_EQ(weft_clLinkProgram(f.context, 0, NULL, NULL, 1, &whole, NULL, NULL, &err), NULL);
    CHECK_EQ(err, CL_INVALID_OPERATION);
    CHECK_EQ(weft_clLinkProgram(f.context, 0, NULL, NULL, 1, &header, NULL, NULL, &err), NULL);
    CHECK_EQ(err, CL_INVALID_OPERATION);
    CHECK_EQ(weft_clLinkProgram(f.context, 0, NULL, "-no-such", 1, &p, NULL, NULL, &err), NULL);
    CHECK_EQ(err, CL_INVALID_LINKER_OPTIONS);
    CHECK_EQ(weft_clBuildProgram(whole, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    weft_clReleaseProgram(header);
    weft_clReleaseProgram(p);
    weft_clReleaseProgram(library);
    weft_clReleaseProgram(whole);
    fixture_close(&f);
}

static unsigned char *binary_of(cl_program p, size_t *size)
{
    CHECK_EQ(weft_clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL), CL_SUCCESS);
    CHECK_GT(*size, 0u);
    unsigned char *bytes = malloc(*size);
    CHECK_EQ(weft_clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
    return bytes;
}

TEST(a_binary_comes_back_and_runs)
{
    struct fixture f = fixture_open();
    cl_program p = fixture_build(&f, "");
    cl_kernel k = fixture_kernel(p, "twice");
    size_t size;
    cl_int err, status = 1;
    unsigned char *bytes = binary_of(p, &size);
    const unsigned char *binary = bytes;
    weft_clReleaseKernel(k);
    weft_clReleaseProgram(p);
    p = weft_clCreateProgramWithBinary(f.context, 1, &f.device, &size, &binary, &status, &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(status, CL_SUCCESS);
    CHECK_EQ(status_of(&f, p), CL_BUILD_NONE);
    CHECK_EQ(type_of(&f, p), (cl_program_binary_type)CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    weft_clCreateKernel(p, "twice", &err);
    CHECK_EQ(err, CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(weft_clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    k = fixture_kernel(p, "twice");
    int data[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    cl_mem m = fixture_buffer(&f, sizeof data, data);
    size_t n = 10;
    for (cl_uint a = 0; a < 2; a++)
        CHECK_EQ(weft_clSetKernelArg(k, a, sizeof m, &m), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueReadBuffer(f.queue, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(data[9], 20);
    weft_clReleaseMemObject(m);
    weft_clReleaseKernel(k);
    weft_clReleaseProgram(p);
    bytes[size / 2] ^= 1;
    CHECK_EQ(weft_clCreateProgramWithBinary(f.context, 1, &f.device, &size, &binary, &status, &err), NULL);
    CHECK_EQ(err, CL_INVALID_BINARY);
    CHECK_EQ(status, CL_INVALID_BINARY);
    size = 0;
    CHECK_EQ(weft_clCreateProgramWithBinary(f.context, 1, &f.device, &size, &binary, &status, &err), NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK_EQ(status, CL_INVALID_VALUE);
    free(bytes);
    fixture_close(&f);
}

TEST(kernels_are_listed_and_made_together)
{
    struct fixture f = fixture_open();
    cl_program p = fixture_source(&f, "");
    size_t count;
    CHECK_EQ(weft_clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL),
             CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(weft_clCreateKernelsInProgram(p, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL), CL_SUCCESS);
    char names[256];
    CHECK_EQ(weft_clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL), CL_SUCCESS);
    CHECK_CONTAINS(names, "twice;local_sums;wild");
    cl_kernel kernels[32];
    cl_uint n;
    CHECK_EQ(weft_clCreateKernelsInProgram(p, (cl_uint)count - 1, kernels, &n), CL_INVALID_VALUE);
    CHECK_EQ(weft_clCreateKernelsInProgram(p, 32, kernels, &n), CL_SUCCESS);
    CHECK_EQ(n, count);
    for (cl_uint i = 0; i < n; i++)
        CHECK_EQ(weft_clReleaseKernel(kernels[i]), CL_SUCCESS);
    CHECK_EQ(weft_clReleaseKernel(kernels[0]), CL_INVALID_KERNEL);
    weft_clReleaseProgram(p);
    fixture_close(&f);
}

TEST(strings_and_lengths_make_one_source)
{
    struct fixture f = fixture_open();
    const char *strings[] = {"abc", "d\0e", "fgh"};
    size_t lengths[] = {2, 3, 0}, size;
    cl_int err;
    cl_program p = weft_clCreateProgramWithSource(f.context, 3, strings, lengths, &err);
    CHECK_EQ(err, CL_SUCCESS);
    char source[32];
    CHECK_EQ(weft_clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof source, source, &size), CL_SUCCESS);
    CHECK_STR(source, "abdefgh");
    CHECK_EQ(size, 8u);
    CHECK_EQ(weft_clGetProgramInfo(p, CL_PROGRAM_SOURCE, 7, source, &size), CL_INVALID_VALUE);
    weft_clReleaseProgram(p);
    fixture_close(&f);
}

TEST(the_second_process_needs_no_compiler)
{
    char folder[] = "/tmp/weft-build-XXXXXX", command[100];
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    weft_config_reload();
    fflush(stdout);
    char logs[2][128];
    for (int i = 0; i < 2; i++) {
        int pipes[2];
        CHECK_EQ(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            struct fixture f = fixture_open();
            cl_program p = fixture_build(&f, "FAKE_COUNT cached");
            cl_kernel k = fixture_kernel(p, "twice");
            cl_ulong bytes; // waits for the code
            CHECK_EQ(weft_clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes,
                                                   NULL),
                     CL_SUCCESS);
            CHECK_EQ(bytes, 40u);
            const char *log = fixture_log(&f, p);
            if (write(pipes[1], log, strlen(log) + 1) < 0)
                _exit(1);
            exit(0);
        }
        int status;
        CHECK_GT(read(pipes[0], logs[i], sizeof logs[i]), 0);
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK_EQ(status, 0);
    }
    CHECK_STR(logs[1], logs[0]); // the first process's compiler wrote it
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}

TEST(another_source_option_or_date_is_another_build)
{
    char folder[] = "/tmp/weft-build-XXXXXX", command[100];
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    setenv("WEFT_COMPILERS", "1", 1);
    weft_config_reload();
    struct fixture f = fixture_open();
    static const struct {
        const char *source, *options;
        int builds; // that the compiler has done after it
    } steps[] = {{"FAKE_COUNT a", "", 1},
                 {"FAKE_COUNT b", "", 2},
                 {"FAKE_COUNT a", "-DA", 3},
                 {"FAKE_COUNT __TIME__", "", 4},
                 {"FAKE_COUNT __TIME__", "", 5}};
    for (size_t i = 0; i < WEFT_COUNT_OF(steps); i++) {
        cl_program p = fixture_source(&f, steps[i].source);
        CHECK_EQ(weft_clBuildProgram(p, 0, NULL, steps[i].options, NULL, NULL), CL_SUCCESS);
        int pid, builds;
        CHECK_EQ(sscanf(fixture_log(&f, p), "pid=%d builds=%d", &pid, &builds), 2);
        CHECK_EQ(builds, steps[i].builds);
        weft_clReleaseProgram(p);
    }
    fixture_close(&f);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}

TEST(every_allocation_of_a_build_may_fail)
{
    struct fixture f = fixture_open();
    cl_program warm = fixture_build(&f, ""); // compiler and threads are there
    int failures = 0;
    for (uint64_t n = 1; n < 400; n++) {
        cl_int err;
        const char *source = "";
        weft_alloc_fail_at(n);
        cl_program p = weft_clCreateProgramWithSource(f.context, 1, &source, NULL, &err);
        if (p)
            err = weft_clBuildProgram(p, 0, NULL, NULL, NULL, NULL);
        cl_kernel k = NULL;
        if (err == CL_SUCCESS)
            k = weft_clCreateKernel(p, "twice", &err);
        weft_alloc_fail_at(0);
        failures += err != CL_SUCCESS;
        CHECK(err == CL_SUCCESS || err == CL_OUT_OF_HOST_MEMORY || err == CL_BUILD_PROGRAM_FAILURE);
        if (k)
            CHECK_EQ(weft_clReleaseKernel(k), CL_SUCCESS);
        if (p)
            CHECK_EQ(weft_clReleaseProgram(p), CL_SUCCESS);
    }
    CHECK_GT(failures, 10);
    weft_clReleaseProgram(warm);
    fixture_close(&f);
}
