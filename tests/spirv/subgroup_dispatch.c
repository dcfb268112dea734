// SPIR-V's SubgroupDispatch: a module demands a number and a size of sub-groups. Its kernels get them,
// queries report them, and an enqueue checks them; a kernel asks about what it could enqueue.
// timeout: 120
// env: WEFT_CACHE=0
#include "spirv.h"

#include <CL/cl_ext.h>

static size_t ask(struct e2e *t, cl_kernel k, cl_kernel_sub_group_info name, size_t input)
{
    size_t answer = 99, size = 0;
    CHECK_EQ(clGetKernelSubGroupInfo(k, t->device, name, sizeof input, &input, sizeof answer, &answer, &size),
             CL_SUCCESS);
    CHECK_EQ(size, sizeof answer);
    return answer;
}

struct demand {
    struct e2e t;
    cl_program p;
    cl_kernel k;
    cl_mem m;
    size_t most; // work-items in a sub-group
};

static struct demand open_demand(const char *kernel, cl_uint constant)
{
    struct demand d = {.t = e2e_open()};
    d.p = new_il(&d.t, read_module("dispatch"));
    if (constant)
        CHECK_EQ(clSetProgramSpecializationConstant(d.p, 1, sizeof constant, &constant), CL_SUCCESS);
    build(&d.t, d.p, "");
    cl_int error = 1;
    d.k = clCreateKernel(d.p, kernel, &error);
    CHECK_EQ(error, CL_SUCCESS);
    d.m = e2e_buffer(&d.t, 2 * sizeof(cl_uint), NULL);
    E2E_ARG(d.k, 0, d.m);
    d.most = ask(&d.t, d.k, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 1);
    CHECK_GT(d.most, 0);
    return d;
}

static void close_demand(struct demand *d)
{
    CHECK_EQ(clReleaseMemObject(d->m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(d->k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(d->p), CL_SUCCESS);
    e2e_close(&d->t);
}

static cl_int enqueue(struct demand *d, cl_uint dim, const size_t *global, const size_t *local)
{
    return clEnqueueNDRangeKernel(d->t.queue, d->k, dim, NULL, global, local, 0, NULL, NULL);
}

static void check_runs(struct demand *d, cl_uint dim, const size_t *global, const size_t *local,
                       cl_uint sub_groups)
{
    cl_uint out[2] = {0};
    CHECK_EQ(enqueue(d, dim, global, local), CL_SUCCESS);
    e2e_read(&d->t, d->m, sizeof out, out);
    CHECK_EQ(out[0], sub_groups);
    CHECK_EQ(out[1], d->most);
}

static void check_demand(struct demand *d, size_t count)
{
    CHECK_EQ(ask(&d->t, d->k, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0), count);
    const size_t right = count * d->most, row[2] = {d->most, count};
    check_runs(d, 1, &right, &right, (cl_uint)count);
    check_runs(d, 2, row, row, (cl_uint)count);
    check_runs(d, 1, &right, NULL, (cl_uint)count);
    check_runs(d, 1, (const size_t[]){5 * right}, NULL, (cl_uint)count);
    if (d->most > 1) // the last may be smaller
        check_runs(d, 1, (const size_t[]){right - 1}, (const size_t[]){right - 1}, (cl_uint)count);
    const size_t more = right + 1, fewer = right - d->most;
    CHECK_EQ(enqueue(d, 1, &more, &more), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(enqueue(d, 1, &fewer, &fewer), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(enqueue(d, 2, row, (const size_t[]){d->most, 1}), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(clEnqueueTask(d->t.queue, d->k, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(clFinish(d->t.queue), CL_SUCCESS);
}

TEST(a_module_demands_a_number_of_sub_groups)
{
    struct demand d = open_demand("four", 0);
    check_demand(&d, 4);
    close_demand(&d);
}

TEST(the_number_may_be_a_constant_that_is_specialized)
{
    struct demand d = open_demand("some", 0);
    check_demand(&d, 3);
    close_demand(&d);
    d = open_demand("some", 7);
    check_demand(&d, 7);
    close_demand(&d);
}

TEST(a_number_that_no_group_has_is_refused)
{
    struct demand d = open_demand("some", 100000);
    const size_t one = 1, many = 64;
    CHECK_EQ(enqueue(&d, 1, &many, NULL), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(enqueue(&d, 1, &many, &one), CL_INVALID_WORK_GROUP_SIZE);
    close_demand(&d);
}

TEST(a_program_keeps_the_demand_in_its_binary)
{
    struct demand d = open_demand("four", 0);
    size_t size = 0;
    CHECK_EQ(clGetProgramInfo(d.p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
    unsigned char *binary = malloc(size);
    CHECK(binary != NULL);
    CHECK_EQ(clGetProgramInfo(d.p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), CL_SUCCESS);
    cl_int error = 1;
    cl_program p = clCreateProgramWithBinary(d.t.context, 1, &d.t.device, &size,
                                             (const unsigned char **)&binary, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    build(&d.t, p, "");
    CHECK_EQ(clReleaseKernel(d.k), CL_SUCCESS);
    d.k = clCreateKernel(p, "four", &error);
    CHECK_EQ(error, CL_SUCCESS);
    E2E_ARG(d.k, 0, d.m);
    check_demand(&d, 4);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    free(binary);
    close_demand(&d);
}

TEST(a_module_demands_a_size_of_sub_groups)
{
    struct demand d = open_demand("eight", 0);
    CHECK_EQ(d.most, 8);
    CHECK_EQ(ask(&d.t, d.k, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0), 0);
    CHECK_EQ(ask(&d.t, d.k, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0), 8);
    check_runs(&d, 1, (const size_t[]){64}, (const size_t[]){32}, 4);
    close_demand(&d);
}

TEST(a_local_size_of_constants_is_required)
{
    struct demand d = open_demand("sized", 5);
    size_t required[3];
    CHECK_EQ(clGetKernelWorkGroupInfo(d.k, d.t.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required,
                                      required, NULL),
             CL_SUCCESS);
    CHECK_EQ(required[0], 5);
    CHECK_EQ(required[1], 2);
    CHECK_EQ(required[2], 1);
    const size_t global[2] = {10, 4};
    CHECK_EQ(enqueue(&d, 2, global, (const size_t[]){2, 5}), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(enqueue(&d, 2, global, NULL), CL_SUCCESS);
    close_demand(&d);
}

TEST(a_kernel_asks_about_sub_groups_of_what_it_could_enqueue)
{
    struct demand d = open_demand("asks", 0);
    size_t largest = 0;
    CHECK_EQ(clGetDeviceInfo(d.t.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof largest, &largest, NULL),
             CL_SUCCESS);
    cl_uint most = 0, out[2];
    for (cl_uint step = 0; step < 5; step++) {
        const cl_uint groups = most ? (cl_uint)largest / most : 0;
        const cl_uint wanted[] = {1, 0, 3, groups, groups + 1};
        E2E_ARG(d.k, 1, wanted[step]);
        e2e_run(&d.t, d.k, 1, NULL);
        e2e_read(&d.t, d.m, sizeof out, out);
        if (step == 0)
            most = out[1];
        CHECK_GT(most, 0);
        CHECK_EQ(out[0], largest / most);
        CHECK_EQ(out[1], step == 1 || step == 4 ? 0 : wanted[step] * most);
    }
    close_demand(&d);
}
