// Pipes. Packets come out in the order in which they went in, none twice and none lost: one by one, or
// through reservations of work-items, sub-groups and work-groups. A full or an empty pipe reports that.
// Arguments and objects are checked.
// timeout: 300
#include "e2e.h"

#include <string.h>

static const char source[] =
    "kernel void put(write_only pipe uint p, global int *failed, uint from)\n"
    "{\n"
    "    uint v = from + (uint)get_global_id(0);\n"
    "    if (write_pipe(p, &v))\n"
    "        atomic_inc(failed);\n"
    "}\n"
    "kernel void take(read_only pipe uint p, global int *failed, global uint *out)\n"
    "{\n"
    "    uint v = 0;\n"
    "    if (read_pipe(p, &v)) {\n"
    "        atomic_inc(failed);\n"
    "        v = ~0u;\n"
    "    }\n"
    "    out[get_global_id(0)] = v;\n"
    "}\n"
    "kernel void put_reserved(write_only pipe uint p, global int *failed, uint from)\n"
    "{\n"
    "    reserve_id_t r = reserve_write_pipe(p, 3);\n"
    "    if (!is_valid_reserve_id(r)) {\n"
    "        atomic_inc(failed);\n"
    "        return;\n"
    "    }\n"
    "    for (uint i = 3; i-- > 0;) {\n"
    "        uint v = from + 3 * (uint)get_global_id(0) + i;\n"
    "        write_pipe(p, r, i, &v);\n"
    "    }\n"
    "    uint beyond = 0;\n"
    "    if (!write_pipe(p, r, 3, &beyond))\n"
    "        atomic_inc(failed);\n"
    "    commit_write_pipe(p, r);\n"
    "}\n"
    "kernel void take_reserved(read_only pipe uint p, global int *failed, global uint *out)\n"
    "{\n"
    "    reserve_id_t r = reserve_read_pipe(p, 3);\n"
    "    if (!is_valid_reserve_id(r)) {\n"
    "        atomic_inc(failed);\n"
    "        return;\n"
    "    }\n"
    "    for (uint i = 0; i < 3; i++)\n"
    "        read_pipe(p, r, i, &out[3 * get_global_id(0) + i]);\n"
    "    commit_read_pipe(p, r);\n"
    "}\n"
    "kernel void put_group(write_only pipe uint p, global int *failed, uint from)\n"
    "{\n"
    "    local reserve_id_t r;\n"
    "    uint n = (uint)get_local_size(0), l = (uint)get_local_id(0), v = from + (uint)get_global_id(0);\n"
    "    reserve_id_t mine = work_group_reserve_write_pipe(p, n);\n"
    "    if (l == 0)\n"
    "        r = mine;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (!is_valid_reserve_id(r) || write_pipe(p, r, l, &v))\n"
    "        atomic_inc(failed);\n"
    "    work_group_commit_write_pipe(p, r);\n"
    "}\n"
    "kernel void take_group(read_only pipe uint p, global int *failed, global uint *out)\n"
    "{\n"
    "    uint n = (uint)get_local_size(0), l = (uint)get_local_id(0);\n"
    "    reserve_id_t r = work_group_reserve_read_pipe(p, n);\n"
    "    if (!is_valid_reserve_id(r) || read_pipe(p, r, l, &out[get_global_id(0)]))\n"
    "        atomic_inc(failed);\n"
    "    work_group_commit_read_pipe(p, r);\n"
    "}\n"
    "kernel void put_sub_group(write_only pipe uint p, global int *failed, uint from)\n"
    "{\n"
    "    uint v = from + (uint)get_global_id(0);\n"
    "    reserve_id_t r = sub_group_reserve_write_pipe(p, get_sub_group_size());\n"
    "    if (!is_valid_reserve_id(r) || write_pipe(p, r, get_sub_group_local_id(), &v))\n"
    "        atomic_inc(failed);\n"
    "    sub_group_commit_write_pipe(p, r);\n"
    "}\n"
    "kernel void take_sub_group(read_only pipe uint p, global int *failed, global uint *out)\n"
    "{\n"
    "    reserve_id_t r = sub_group_reserve_read_pipe(p, get_sub_group_size());\n"
    "    if (!is_valid_reserve_id(r) || read_pipe(p, r, get_sub_group_local_id(), &out[get_global_id(0)]))\n"
    "        atomic_inc(failed);\n"
    "    sub_group_commit_read_pipe(p, r);\n"
    "}\n"
    "kernel void count(read_only pipe uint p, global int *failed, global uint *out)\n"
    "{\n"
    "    out[0] = get_pipe_num_packets(p);\n"
    "    out[1] = get_pipe_max_packets(p);\n"
    "    out[2] = is_valid_reserve_id(CLK_NULL_RESERVE_ID) + is_valid_reserve_id(reserve_read_pipe(p, 0)) +\n"
    "             is_valid_reserve_id(reserve_read_pipe(p, get_pipe_max_packets(p) + 1));\n"
    "}\n";

enum { MAX_ITEMS = 4096 };

struct rig {
    struct e2e t;
    cl_program program;
    cl_mem failed, out;
};

static struct rig open_rig(const char *options)
{
    struct rig r = {.t = e2e_open()};
    const cl_int none = 0;
    r.program = e2e_build(&r.t, source, options);
    r.failed = e2e_buffer(&r.t, sizeof none, &none);
    r.out = e2e_buffer(&r.t, MAX_ITEMS * sizeof(cl_uint), NULL);
    return r;
}

static void close_rig(struct rig *r)
{
    CHECK_EQ(clReleaseMemObject(r->failed), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(r->out), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(r->program), CL_SUCCESS);
    e2e_close(&r->t);
}

static cl_mem new_pipe(struct rig *r, cl_uint packets)
{
    cl_int error = 1;
    cl_mem p = clCreatePipe(r->t.context, 0, sizeof(cl_uint), packets, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return p;
}

// Runs a kernel. Returns the number of work-items for which something failed, or the pipe was full or empty.
static cl_int run(struct rig *r, const char *name, cl_mem pipe, cl_uint from, size_t items, size_t local)
{
    cl_int error = 1, failed = 0;
    cl_kernel k = clCreateKernel(r->program, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(
        clEnqueueFillBuffer(r->t.queue, r->failed, &failed, sizeof failed, 0, sizeof failed, 0, NULL, NULL),
        CL_SUCCESS);
    E2E_ARG(k, 0, pipe);
    E2E_ARG(k, 1, r->failed);
    if (name[0] == 'p')
        E2E_ARG(k, 2, from);
    else
        E2E_ARG(k, 2, r->out);
    e2e_run(&r->t, k, items, local ? &local : NULL);
    e2e_read(&r->t, r->failed, sizeof failed, &failed);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    return failed;
}

// Each of the numbers from `from` on must be there once.
static void check_all(struct rig *r, cl_uint from, size_t count)
{
    static cl_uint got[MAX_ITEMS];
    static unsigned char seen[MAX_ITEMS];
    memset(seen, 0, sizeof seen);
    e2e_read(&r->t, r->out, count * sizeof *got, got);
    for (size_t i = 0; i < count; i++) {
        cl_uint v = got[i] - from;
        if (v >= count || seen[v])
            FAIL("packet %zu of %zu: %u", i, count, got[i]);
        seen[v] = 1;
    }
}

static void all(const char *options)
{
    struct rig r = open_rig(options);
    static const struct {
        const char *put, *take;
        cl_uint each;
        size_t local;
    } ways[] = {{"put", "take", 1, 0},
                {"put_reserved", "take_reserved", 3, 0},
                {"put_group", "take_group", 1, 32},
                {"put_sub_group", "take_sub_group", 1, 32},
                {"put", "take_reserved", 0, 0},
                {"put_group", "take_sub_group", 1, 20}};
    cl_uint from = 100;
    for (int again = 0; again < 4; again++) {
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            size_t items = ways[w].local == 20 ? 960 : 960;
            size_t puts = items, takes = ways[w].each ? items : items / 3;
            size_t count = ways[w].each ? items * ways[w].each : items;
            // A pipe that is just large enough, and a larger one. If the number of packets isn't a power of
            // two, the pipe wraps within its ring.
            cl_mem p = new_pipe(&r, (cl_uint)count + (again % 2 ? 37 : 0));
            for (int round = 0; round < 5; round++, from += 5000) {
                CHECK_EQ(run(&r, ways[w].put, p, from, puts, ways[w].local), 0);
                CHECK_EQ(run(&r, ways[w].take, p, 0, takes, ways[w].local), 0);
                check_all(&r, from, count);
            }
            CHECK_EQ(clReleaseMemObject(p), CL_SUCCESS);
        }
    }
    close_rig(&r);
}

TEST(nothing_is_lost_or_doubled)
{
    all("-cl-std=CL3.0");
}

TEST(in_every_language_that_has_pipes)
{
    static const char *const options[] = {"-cl-std=CL2.0", "-cl-std=CLC++1.0", "-cl-std=CLC++2021"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        all(options[i]);
}

TEST(in_the_best_code_only)
{
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all("-cl-std=CL3.0");
}

TEST(in_scalar_code)
{
    CHECK_EQ(setenv("WEFT_VF", "1", 1), 0);
    all("-cl-std=CL3.0");
}

TEST(packets_keep_their_order)
{
    struct rig r = open_rig("-cl-std=CL3.0");
    static cl_uint got[100];
    cl_mem p = new_pipe(&r, 7);
    cl_uint in = 0, out = 0;
    for (int i = 0; i < 200; i++) {
        cl_uint puts = (cl_uint)(i * 7 % 5), takes = (cl_uint)(i * 11 % 6);
        for (cl_uint k = 0; k < puts; k++) {
            cl_int full = run(&r, "put", p, in, 1, 0);
            CHECK_EQ(full, in - out >= 7);
            in += !full;
        }
        for (cl_uint k = 0; k < takes; k++) {
            cl_int empty = run(&r, "take", p, 0, 1, 0);
            CHECK_EQ(empty, in == out);
            if (empty)
                continue;
            e2e_read(&r.t, r.out, sizeof *got, got);
            CHECK_EQ(got[0], out);
            out++;
        }
        run(&r, "count", p, 0, 1, 0);
        e2e_read(&r.t, r.out, 3 * sizeof *got, got);
        CHECK_EQ(got[0], in - out);
        CHECK_EQ(got[1], 7);
        CHECK_EQ(got[2], 0);
    }
    CHECK_EQ(clReleaseMemObject(p), CL_SUCCESS);
    close_rig(&r);
}

TEST(what_does_not_fit_fails_and_changes_nothing)
{
    struct rig r = open_rig("-cl-std=CL3.0");
    cl_mem p = new_pipe(&r, 100);
    CHECK_EQ(run(&r, "put", p, 0, 300, 0), 200);
    CHECK_EQ(run(&r, "put_reserved", p, 0, 5, 0), 5);
    CHECK_EQ(run(&r, "take_reserved", p, 0, 40, 0), 7); // 33 triples
    CHECK_EQ(run(&r, "take", p, 0, 3, 0), 2);
    CHECK_EQ(run(&r, "take_group", p, 0, 8, 8), 8);
    CHECK_EQ(run(&r, "put_reserved", p, 7, 33, 0), 0);
    CHECK_EQ(run(&r, "take_reserved", p, 0, 33, 0), 0);
    check_all(&r, 7, 99);
    CHECK_EQ(clReleaseMemObject(p), CL_SUCCESS);
    close_rig(&r);
}

TEST(objects_and_arguments_are_checked)
{
    struct rig r = open_rig("-cl-std=CL3.0");
    cl_context c = r.t.context;
    const cl_pipe_properties properties[] = {0};
    cl_int error = 1;
    cl_uint most = 0, value = 0;
    CHECK_EQ(clGetDeviceInfo(r.t.device, CL_DEVICE_PIPE_MAX_PACKET_SIZE, sizeof most, &most, NULL),
             CL_SUCCESS);
    CHECK(most >= 1024);
    CHECK(clCreatePipe(NULL, 0, 4, 4, NULL, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_CONTEXT);
    CHECK(clCreatePipe(c, CL_MEM_READ_ONLY, 4, 4, NULL, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_VALUE);
    CHECK(clCreatePipe(c, 0, 4, 4, properties, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_VALUE);
    CHECK(clCreatePipe(c, 0, 0, 4, NULL, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_PIPE_SIZE);
    CHECK(clCreatePipe(c, 0, most + 1, 4, NULL, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_PIPE_SIZE);
    CHECK(clCreatePipe(c, 0, 4, 0, NULL, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_PIPE_SIZE);
    CHECK(clCreatePipe(c, 0, most, CL_UINT_MAX, NULL, NULL) == NULL);

    cl_mem p = clCreatePipe(c, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, 24, 5, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clGetPipeInfo(p, CL_PIPE_PACKET_SIZE, sizeof value, &value, NULL), CL_SUCCESS);
    CHECK_EQ(value, 24);
    CHECK_EQ(clGetPipeInfo(p, CL_PIPE_MAX_PACKETS, sizeof value, &value, NULL), CL_SUCCESS);
    CHECK_EQ(value, 5);
    CHECK_EQ(clGetPipeInfo(p, CL_MEM_SIZE, sizeof value, &value, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetPipeInfo(r.out, CL_PIPE_MAX_PACKETS, sizeof value, &value, NULL), CL_INVALID_MEM_OBJECT);
    cl_mem_object_type type = 0;
    CHECK_EQ(clGetMemObjectInfo(p, CL_MEM_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
    CHECK_EQ(type, CL_MEM_OBJECT_PIPE);
    CHECK_EQ(clEnqueueReadBuffer(r.t.queue, p, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);

    cl_kernel k = clCreateKernel(r.program, "put", &error);
    cl_mem none = NULL;
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof p, &r.out), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof none, &none), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(k, 0, 4, &p), CL_INVALID_ARG_SIZE);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof p, &p), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof p, &p), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(p), CL_SUCCESS);
    close_rig(&r);
}
