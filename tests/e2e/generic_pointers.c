// The address space of a generic pointer can be queried: local arguments and variables, private memory in
// registers and across barriers, buffers, and host memory that only the host knows: its allocations and its
// stack, on whose deeper part the kernel may run.
// timeout: 300
#include "e2e.h"

static const char source[] =
    "uint space(const void *p)\n"
    "{\n"
    "    return (to_global(p) == p && p) + 2 * (to_local(p) == p && p) + 4 * (to_private(p) == p && p) + 8 * "
    "!p +\n"
    "           16 * (get_fence(p) == CLK_LOCAL_MEM_FENCE);\n"
    "}\n"
    "kernel void spaces(global uint *out, local uint *tile, const global uint *foreign, uint which)\n"
    "{\n"
    "    local uint own[20];\n"
    "    size_t i = get_global_id(0), l = get_local_id(0);\n"
    "    uint here = out[i], kept[3] = {here, 1, 2};\n"
    "    const uint *p = 0;\n"
    "    switch (which) {\n"
    "    case 0: p = &tile[l]; break;\n"
    "    case 1: p = &own[l % 20]; break;\n"
    "    case 2: p = &here; break;\n"
    "    case 3: p = kept; break;\n"
    "    case 4: p = &out[i]; break;\n"
    "    case 5: p = foreign; break;\n"
    "    case 6: p = &tile[get_local_size(0) - 1]; break;\n"
    "    }\n"
    "    uint first = space(p);\n"
    "    own[l % 20] = tile[l] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint second = space(p);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[i] = first + 100 * second + 10000 * (kept[which % 3] + *(i & 1 ? &kept[1] : &here)) * 0 + (p == "
    "kept && i > 5 ? 10000 : 0);\n"
    "}\n";

enum { ITEMS = 90 };
enum { LOCAL_ARGUMENT, LOCAL_VARIABLE, PRIVATE, PRIVATE_ARRAY, BUFFER, FOREIGN, LOCAL_LAST, NOWHERE, KINDS };
static const cl_uint expected[KINDS] = {2 + 16, 2 + 16, 4, 4, 1, 1, 2 + 16, 8};

static void check(struct e2e *t, cl_kernel k, const void *foreign, cl_uint which, size_t local)
{
    cl_uint got[ITEMS] = {0};
    cl_mem out = e2e_buffer(t, sizeof got, got);
    size_t items = ITEMS;
    E2E_ARG(k, 0, out);
    CHECK_EQ(clSetKernelArg(k, 1, local * sizeof(cl_uint), NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArgSVMPointer(k, 2, foreign), CL_SUCCESS);
    E2E_ARG(k, 3, which);
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &items, &local, 0, NULL, NULL), CL_SUCCESS);
    e2e_read(t, out, sizeof got, got);
    for (cl_uint i = 0; i < ITEMS; i++) {
        cl_uint want = expected[which] * 101 + (which == PRIVATE_ARRAY && i > 5 ? 10000 : 0);
        if (got[i] != want)
            FAIL("pointer %u, groups of %zu, work-item %u: %u, not %u", which, local, i, got[i], want);
    }
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
}

static void all(const char *options)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, options, "spaces");
    const size_t locals[] = {1, 9, 18, 90, 45, 30};
    cl_uint on_the_stack[4] = {0}, *on_the_heap = calloc(4, sizeof *on_the_heap);
    CHECK(on_the_heap != NULL);
    for (size_t i = 0; i < sizeof locals / sizeof *locals; i++) {
        for (cl_uint which = 0; which < KINDS; which++)
            check(&t, k, on_the_heap, which, locals[i]);
        check(&t, k, on_the_stack, FOREIGN, locals[i]);
    }
    free(on_the_heap);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(everywhere)
{
    all("-cl-std=CL3.0");
}

TEST(without_optimisation)
{
    all("-cl-std=CL3.0 -cl-opt-disable");
}

TEST(in_scalar_code)
{
    CHECK_EQ(setenv("WEFT_VF", "1", 1), 0);
    all("-cl-std=CL3.0");
}

TEST(in_the_best_code_only)
{
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all("-cl-std=CL3.0");
}

TEST(the_query_says_so)
{
    struct e2e t = e2e_open();
    cl_bool has = CL_FALSE;
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, sizeof has, &has, NULL),
             CL_SUCCESS);
    CHECK_EQ(has, CL_TRUE);
    e2e_close(&t);
}
