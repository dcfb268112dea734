// What the tests of SPIR-V share: the modules that tests/spirv/modules holds the text of.
#ifndef WEFT_TESTS_SPIRV_H
#define WEFT_TESTS_SPIRV_H

#include "e2e/e2e.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

struct module {
    unsigned char bytes[1 << 16];
    size_t size;
};

HARNESS_UNUSED static const struct module *read_module(const char *name)
{
    static struct module m;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.spv", getenv("WEFT_TEST_MODULES"), name);
    FILE *f = fopen(path, "rb");
    if (!f)
        FAIL("%s: no such module", path);
    m.size = fread(m.bytes, 1, sizeof m.bytes, f);
    fclose(f);
    CHECK_GT(m.size, 20);
    CHECK_LT(m.size, sizeof m.bytes);
    return &m;
}

HARNESS_UNUSED static cl_program new_il(struct e2e *t, const struct module *m)
{
    cl_int error = 1;
    cl_program p = clCreateProgramWithIL(t->context, m->bytes, m->size, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return p;
}

HARNESS_UNUSED static void build(struct e2e *t, cl_program p, const char *options)
{
    cl_int error = clBuildProgram(p, 0, NULL, options, NULL, NULL);
    if (error != CL_SUCCESS)
        FAIL("clBuildProgram: %d\n%s", error, e2e_log(t, p));
}

// The module, linked with a program from OpenCL C.
HARNESS_UNUSED static cl_program linked_with_source(struct e2e *t, const char *module_name, const char *text)
{
    cl_program module = new_il(t, read_module(module_name)), source = e2e_program(t, text);
    CHECK_EQ(clCompileProgram(module, 0, NULL, "", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clCompileProgram(source, 0, NULL, "", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_int error = 1;
    cl_program p =
        clLinkProgram(t->context, 0, NULL, "", 2, (cl_program[]){source, module}, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(source), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(module), CL_SUCCESS);
    return p;
}

HARNESS_UNUSED static cl_kernel new_kernel(cl_program p, const char *name)
{
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return k;
}

// Words where modules that name no buffer write and read; processes share them.
HARNESS_UNUSED static volatile cl_uint *map_words(void)
{
    void *at = (void *)(uintptr_t)0x10000000;
    void *got =
        mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(got == at);
    return got;
}

HARNESS_UNUSED static void await(const volatile cl_uint *word)
{
    while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

HARNESS_UNUSED static cl_uint get(struct e2e *t, cl_program p)
{
    cl_kernel k = new_kernel(p, "get");
    cl_uint number = 0;
    cl_mem m = e2e_buffer(t, sizeof number, NULL);
    E2E_ARG(k, 0, m);
    e2e_run(t, k, 1, NULL);
    e2e_read(t, m, sizeof number, &number);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    return number;
}

HARNESS_UNUSED static int of_child(pid_t pid)
{
    int status = -1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    return status;
}

// y = 3 * x + y, by a built program's kernel saxpy.
HARNESS_UNUSED static void check_saxpy(struct e2e *t, cl_program p)
{
    enum { N = 1000 };
    float x[N], y[N], a = 3.0f, got[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(i % 7);
    }
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, "saxpy", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem my = e2e_buffer(t, sizeof y, y), mx = e2e_buffer(t, sizeof x, x);
    E2E_ARG(k, 0, my);
    E2E_ARG(k, 1, mx);
    E2E_ARG(k, 2, a);
    e2e_run(t, k, N, NULL);
    e2e_read(t, my, sizeof got, got);
    for (int i = 0; i < N; i++)
        CHECK_EQ((int)got[i], 3 * i + i % 7);
    CHECK_EQ(clReleaseMemObject(mx), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(my), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

#endif
