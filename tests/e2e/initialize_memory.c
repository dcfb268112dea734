// cl_khr_initialize_memory: in a context that requests it, memory that a kernel reads before it writes holds
// zeros, whatever ran before, and in every code variant.
// timeout: 120
// env: WEFT_CACHE=0
#include "e2e.h"

#include <CL/cl_ext.h>
#include <string.h>

#include "weft/cl_ext_weft.h"

enum { ITEMS = 32, GROUPS = 9, CELLS = 40 };

// Writes non-zero values where later kernels will have their memory.
static const char litter[] =
    "kernel void litter(global uint *out, local uint *l) {\n"
    "    local uint s[1000]; uint p[100];\n"
    "    for (uint i = 0; i < 100; i++) p[i] = 0xdead0000 + i * out[i % 4];\n"
    "    for (uint i = get_local_id(0); i < 1000; i += get_local_size(0)) s[i] = l[i] = 0xbeef0000 + i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = p[out[0] % 100] + s[out[1] % 1000] + l[out[2] % 1000];\n"
    "}\n";

// Each kernel sums what it finds and then writes there. So does every iteration of the loop.
static const char reader[] =
    "struct many { uint a[40]; float4 f; };\n"
    "union padded { float3 v; struct { char c; uint u; } s; uint a[4]; };\n"
    "kernel void private_memory(global uint *out, uint n) {\n"
    "    uint p[40]; struct many m; uint x; float4 v; v.x = 1.0f;\n"
    "    union padded w; if (n > 1000) w.v = (float3)(1.0f); if (n > 2000) w.s.u = 3;\n"
    "    uint sum = x + (uint)(v.y + v.z + v.w) + (uint)m.f.y + w.a[3] + (w.a[0] | w.a[n % 4]);\n"
    "    for (uint i = 0; i < n; i++) { uint q[7]; sum += p[i] | m.a[i] | q[i % 7]; "
    "q[i % 7] = 0; p[i] = m.a[i] = i + 1; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = sum + p[n / 2] - n / 2 - 1;\n"
    "}\n"
    "kernel void local_memory(global uint *out, local uint *l) {\n"
    "    local uint s[40]; uint sum = 0;\n"
    "    for (uint i = 0; i < 40; i++) sum += s[i] | l[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    s[get_local_id(0)] = l[get_local_id(0)] = 77 + get_global_id(0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = sum;\n"
    "}\n";

static cl_program build_in(struct e2e *t, const char *source, const char *options)
{
    cl_int error = 1;
    cl_program p = clCreateProgramWithSource(t->context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    if (clBuildProgram(p, 0, NULL, options, NULL, NULL) != CL_SUCCESS)
        FAIL("%s", e2e_log(t, p));
    return p;
}

static void run_litter(struct e2e *t)
{
    cl_uint some[ITEMS * GROUPS];
    for (cl_uint i = 0; i < ITEMS * GROUPS; i++)
        some[i] = i + 3;
    cl_program p = build_in(t, litter, "");
    cl_kernel k = clCreateKernel(p, "litter", NULL);
    cl_mem m = e2e_buffer(t, sizeof some, some);
    E2E_ARG(k, 0, m);
    CHECK_EQ(clSetKernelArg(k, 1, 4000, NULL), CL_SUCCESS);
    const size_t local = ITEMS;
    e2e_run(t, k, ITEMS * GROUPS, &local);
    CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
}

static void check_zeros(struct e2e *t, cl_program p, bool private, bool local)
{
    cl_kernel kernels[2] = {clCreateKernel(p, "private_memory", NULL),
                            clCreateKernel(p, "local_memory", NULL)};
    const cl_uint n = CELLS;
    cl_uint out[ITEMS * GROUPS];
    cl_mem m = e2e_buffer(t, sizeof out, NULL);
    for (int k = 0; k < 2; k++) {
        if (!(k ? local : private))
            continue;
        E2E_ARG(kernels[k], 0, m);
        CHECK_EQ(k ? clSetKernelArg(kernels[1], 1, 4 * CELLS, NULL)
                   : clSetKernelArg(kernels[0], 1, sizeof n, &n),
                 CL_SUCCESS);
        const size_t size = ITEMS;
        for (int again = 0; again < 3; again++) {
            memset(out, 0xff, sizeof out);
            e2e_run(t, kernels[k], ITEMS * GROUPS, &size);
            e2e_read(t, m, sizeof out, out);
            for (int i = 0; i < ITEMS * GROUPS; i++)
                if (out[i])
                    FAIL("kernel %d, work-item %d finds %u", k, i, out[i]);
        }
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernels[0]), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernels[1]), CL_SUCCESS);
}

// Replaces the context and the queue.
static struct e2e open_with(cl_context_properties memory)
{
    struct e2e t = e2e_open();
    CHECK_EQ(clReleaseCommandQueue(t.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(t.context), CL_SUCCESS);
    const cl_context_properties properties[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, memory, 0};
    cl_int error = 1;
    t.context = clCreateContext(properties, 1, &t.device, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_context_properties reported[3];
    size_t size = 0;
    CHECK_EQ(clGetContextInfo(t.context, CL_CONTEXT_PROPERTIES, sizeof reported, reported, &size),
             CL_SUCCESS);
    CHECK_EQ(size, sizeof reported);
    CHECK_EQ(reported[1], memory);
    t.queue = clCreateCommandQueue(t.context, t.device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return t;
}

static void check_context(const char *tier, const char *options, cl_context_properties memory)
{
    setenv("WEFT_TIER", tier, 1);
    struct e2e t = open_with(memory);
    run_litter(&t);
    cl_program p = build_in(&t, reader, options);
    check_zeros(&t, p, memory & CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR,
                memory & CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

static const cl_context_properties both =
    CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;

TEST(quick_code_finds_zeros)
{
    check_context("1", "", both);
}

TEST(better_code_finds_zeros)
{
    check_context("2", "", both);
}

TEST(code_that_is_not_optimised_finds_zeros)
{
    check_context("0", "-cl-opt-disable", both);
}

TEST(one_kind_of_memory_may_be_asked_for)
{
    check_context("2", "", CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR);
}

TEST(the_other_kind_too)
{
    check_context("2", "", CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR);
}

TEST(a_binary_from_another_context_finds_zeros)
{
    setenv("WEFT_TIER", "2", 1);
    struct e2e other = e2e_open(), t = open_with(both);
    cl_program p = build_in(&other, reader, "");
    cl_kernel k = clCreateKernel(p, "private_memory", NULL); // so that its code is in the binary
    size_t size = 0;
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
    unsigned char *binary = malloc(size);
    CHECK(binary != NULL);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), CL_SUCCESS);
    cl_int error = 1;
    cl_program mine = clCreateProgramWithBinary(t.context, 1, &t.device, &size,
                                                (const unsigned char **)&binary, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(mine, 0, NULL, "", NULL, NULL), CL_SUCCESS);
    run_litter(&t);
    check_zeros(&t, mine, true, true);
    free(binary);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(mine), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
    e2e_close(&other);
}

TEST(a_linked_program_finds_zeros)
{
    setenv("WEFT_TIER", "2", 1);
    struct e2e t = open_with(both);
    const char *source = reader;
    cl_int error = 1;
    cl_program p = clCreateProgramWithSource(t.context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_program linked = clLinkProgram(t.context, 0, NULL, "", 1, &p, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    run_litter(&t);
    check_zeros(&t, linked, true, true);
    CHECK_EQ(clReleaseProgram(linked), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(what_is_no_kind_of_memory_is_refused)
{
    struct e2e t = e2e_open();
    const cl_context_properties bad[][5] = {
        {CL_CONTEXT_MEMORY_INITIALIZE_KHR, 4, 0},
        {CL_CONTEXT_MEMORY_INITIALIZE_KHR, -1, 0},
        {CL_CONTEXT_MEMORY_INITIALIZE_KHR, 1, CL_CONTEXT_MEMORY_INITIALIZE_KHR, 1, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cl_int error = 1;
        CHECK(clCreateContext(bad[i], 1, &t.device, NULL, NULL, &error) == NULL);
        CHECK_EQ(error, CL_INVALID_PROPERTY);
    }
    e2e_close(&t);
}
