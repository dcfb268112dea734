// timeout: 120
// env: WEFT_CACHE=0
// cl_khr_subgroup_named_barrier: SPIR-V's NamedBarrier, and what the device says of it.
#include "spirv.h"

#include <CL/cl_ext.h>

enum { GROUPS = 200, LOCAL = 8 };

static void run(struct e2e *t, cl_program p, const char *name, cl_uint *out)
{
    cl_kernel k = new_kernel(p, name);
    const size_t local = LOCAL;
    memset(out, 0, GROUPS * LOCAL * sizeof *out);
    cl_mem m = e2e_buffer(t, GROUPS * LOCAL * sizeof *out, out);
    E2E_ARG(k, 0, m);
    e2e_run(t, k, GROUPS * LOCAL, &local);
    e2e_read(t, m, GROUPS * LOCAL * sizeof *out, out);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

TEST(sub_groups_meet_at_named_barriers)
{
    static const cl_uint met[LOCAL] = {31, 400, 100, 32, 32, 31, 400, 100};
    static const char *const options[] = {"", "-cl-opt-disable"};
    struct e2e t = e2e_open();
    for (int o = 0; o < 2; o++) {
        static cl_uint out[GROUPS * LOCAL];
        cl_program p = new_il(&t, read_module("named_barriers"));
        build(&t, p, options[o]);
        run(&t, p, "meet", out);
        for (int i = 0; i < GROUPS * LOCAL; i++)
            CHECK_EQ(out[i], met[i % LOCAL]);
        run(&t, p, "kept", out);
        for (int i = 0; i < GROUPS * LOCAL; i++)
            CHECK_EQ(out[i], i % LOCAL < 7 ? 6 - i % LOCAL : 0);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    e2e_close(&t);
}

TEST(the_extension_is_reported)
{
    struct e2e t = e2e_open();
    static char all[1 << 14];
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_EXTENSIONS, sizeof all, all, NULL), CL_SUCCESS);
    CHECK(strstr(all, "cl_khr_subgroup_named_barrier") != NULL);
    cl_uint most = 0;
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR, sizeof most, &most, NULL),
             CL_SUCCESS);
    CHECK_GE(most, 8);
    e2e_close(&t);
}
