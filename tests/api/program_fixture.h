// What the tests of program and kernel calls share: programs, their logs, kernels. Weft's cache stays off.
#ifndef WEFT_TESTS_PROGRAM_FIXTURE_H
#define WEFT_TESTS_PROGRAM_FIXTURE_H

#include "api.h"

#define SIMPLE_SOURCE "kernel void k(global int *p, int n) { p[get_global_id(0)] = n; }\n"

HARNESS_UNUSED static cl_program new_program(cl_context c, const char *source)
{
    cl_int err = 1;
    cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, &err);
    OK(err);
    return p;
}

HARNESS_UNUSED static cl_program built_program(cl_context c, const char *source, const char *options)
{
    cl_program p = new_program(c, source);
    cl_int err = clBuildProgram(p, 0, NULL, options, NULL, NULL);
    if (err != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(p, the_device(), CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        FAIL("clBuildProgram: %d\n%s", err, log);
    }
    return p;
}

HARNESS_UNUSED static cl_program compiled_program(cl_context c, const char *source)
{
    cl_program p = new_program(c, source);
    OK(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    return p;
}

HARNESS_UNUSED static cl_kernel new_kernel(cl_program p, const char *name)
{
    cl_int err = 1;
    cl_kernel k = clCreateKernel(p, name, &err);
    OK(err);
    return k;
}

HARNESS_UNUSED static cl_mem new_buffer(cl_context c, size_t size)
{
    cl_int err = 1;
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, size, NULL, &err);
    OK(err);
    return m;
}

// Source that takes the front end a while.
HARNESS_UNUSED static const char *large_source(void)
{
    static char text[4000 * 80];
    size_t at = 0;
    for (int i = 0; i < 3000; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "kernel void k%d(global int *p) { p[%d] += %d * p[get_global_id(0)]; }\n", i,
                               i, i);
    return text;
}

// A notification that counts.
HARNESS_UNUSED static void CL_CALLBACK count_call(cl_program p, void *user)
{
    (void)p;
    atomic_fetch_add((_Atomic int *)user, 1);
}

#endif
