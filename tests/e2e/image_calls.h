// What image_read_calls.c and image_write_calls.c share. Each of their sources has a kernel `one` with one
// access, which is inlined, and a kernel `many` with several, which are calls. Both must have the same
// results, in code of every kind. A file that includes this defines check_all.
#ifndef WEFT_TESTS_IMAGE_CALLS_H
#define WEFT_TESTS_IMAGE_CALLS_H

#include "e2e.h"

struct pair {
    cl_program program;
    cl_kernel one, many;
};

// Frees the source.
static inline struct pair pair_of(struct e2e *t, char *source)
{
    cl_int error = 1;
    struct pair p = {.program = e2e_build(t, source, "")};
    p.one = clCreateKernel(p.program, "one", &error);
    CHECK_EQ(error, CL_SUCCESS);
    p.many = clCreateKernel(p.program, "many", &error);
    CHECK_EQ(error, CL_SUCCESS);
    free(source);
    return p;
}

static inline void release_pair(const struct pair *p)
{
    CHECK_EQ(clReleaseKernel(p->one), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(p->many), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p->program), CL_SUCCESS);
}

static void check_all(struct e2e *t);

static void check_code(const char *lanes, const char *variant, const char *tier)
{
    CHECK_EQ(setenv("WEFT_VF", lanes, 1), 0);
    CHECK_EQ(setenv("WEFT_VARIANT", variant, 1), 0);
    CHECK_EQ(setenv("WEFT_TIER", tier, 1), 0);
    struct e2e t = e2e_open();
    check_all(&t);
    e2e_close(&t);
}

TEST(lanes_that_call_together)
{
    check_code("0", "auto", "2");
}

TEST(four_lanes_and_tails)
{
    check_code("4", "dim0", "2");
}

TEST(single_work_items)
{
    check_code("1", "auto", "2");
}

TEST(quickly_made_code)
{
    check_code("0", "auto", "1");
}

#endif
