// Kernels with named barriers, whose sub-groups wait for some of the others. They call the functions that
// SPIR-V's instructions become, because OpenCL C has no functions for them (tests/spirv/named_barriers.c has
// the instructions).
// timeout: 300
#include "e2e.h"

#include <CL/cl_ext.h>
#include <string.h>

#define NAMES                                        \
    "uint __weft_named_barrier_make(uint);\n"        \
    "void __weft_named_barrier_wait(uint);\n"        \
    "#define MAKE(n) __weft_named_barrier_make(n)\n" \
    "#define WAIT(b) __weft_named_barrier_wait(b)\n"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static const char *const all_options[] = {"-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable"};

// Runs the kernel over dim dimensions and reads the words that it has written.
static void run(struct e2e *t, const char *source, const char *options, cl_uint dim, const size_t *global,
                const size_t *local, cl_uint *out, size_t words)
{
    cl_kernel k = e2e_kernel(t, source, options, "k");
    memset(out, 0, words * sizeof *out);
    cl_mem m = e2e_buffer(t, words * sizeof *out, out);
    E2E_ARG(k, 0, m);
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, dim, NULL, global, local, 0, NULL, NULL), CL_SUCCESS);
    e2e_read(t, m, words * sizeof *out, out);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

// Four sub-groups produce and four consume, repeatedly, through one buffer.
TEST(producers_and_consumers)
{
    static const char source[] = NAMES "kernel void k(global uint *out) {\n"
                                       "    local uint box[4];\n"
                                       "    uint full = MAKE(8), empty = MAKE(8), id = get_sub_group_id();\n"
                                       "    if (id < 4) {\n"
                                       "        for (uint r = 0; r < 50; r++) {\n"
                                       "            box[id] = r * 10 + id + get_group_id(0);\n"
                                       "            WAIT(full);\n"
                                       "            WAIT(empty);\n"
                                       "        }\n"
                                       "        out[get_global_id(0)] = 1;\n"
                                       "    } else {\n"
                                       "        uint sum = 0;\n"
                                       "        for (uint r = 0; r < 50; r++) {\n"
                                       "            WAIT(full);\n"
                                       "            sum = sum * 3 + box[id - 4] + box[(id - 3) % 4];\n"
                                       "            WAIT(empty);\n"
                                       "        }\n"
                                       "        out[get_global_id(0)] = sum;\n"
                                       "    }\n"
                                       "}\n";
    enum { GROUPS = 300 };
    struct e2e t = e2e_open();
    static cl_uint out[8 * GROUPS];
    const size_t global = 8 * GROUPS, local = 8;
    for (size_t o = 0; o < 2; o++) {
        run(&t, source, all_options[o], 1, &global, &local, out, global);
        for (cl_uint i = 0; i < global; i++) {
            cl_uint want = 1, id = i % 8, group = i / 8;
            if (id >= 4) {
                want = 0;
                for (cl_uint r = 0; r < 50; r++)
                    want = want * 3 + r * 20 + id - 4 + (id - 3) % 4 + 2 * group;
            }
            CHECK_EQ(out[i], want);
        }
    }
    e2e_close(&t);
}

// The specification's own example: some sub-groups meet twice, pairs of them meet in between, in functions,
// and finally all meet.
TEST(barriers_of_different_sub_groups)
{
    static const char source[] =
        NAMES "void between(uint b, uint id, local uint *x, local uint *sum) {\n"
              "    if (id == 0) x[1] += 5;\n"
              "    WAIT(b);\n"
              "    if (id == 1) x[0] = x[1] * 2;\n"
              "    WAIT(b);\n"
              "    atomic_add(sum, x[0]);\n"
              "}\n"
              "kernel void k(global uint *out) {\n"
              "    local uint x[8], sum;\n"
              "    uint a = MAKE(4), b = MAKE(2), c = MAKE(2), id = get_sub_group_id();\n"
              "    x[id] = id == 1 ? 100 : 0;\n"
              "    if (id == 7) sum = 0;\n"
              "    barrier(CLK_LOCAL_MEM_FENCE);\n"
              "    if (id < 4) {\n"
              "        WAIT(a);\n"
              "        if (id < 2) {\n"
              "            between(b, id, x, &sum);\n"
              "        } else {\n"
              "            if (id == 3) x[2] = 7;\n"
              "            WAIT(c);\n"
              "            atomic_add(&sum, x[2]);\n"
              "        }\n"
              "        WAIT(a);\n"
              "        x[id] = sum;\n"
              "    }\n"
              "    work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
              "    out[get_global_id(0)] = x[(id + 5) % 8] + get_sub_group_size() * 10000 + "
              "get_num_sub_groups() * 100000;\n"
              "}\n";
    struct e2e t = e2e_open();
    cl_uint out[16];
    const size_t global = 16, local = 8;
    for (size_t o = 0; o < 2; o++) {
        run(&t, source, all_options[o], 1, &global, &local, out, global);
        for (cl_uint i = 0; i < 16; i++)
            CHECK_EQ(out[i], 810000 + ((i % 8 + 5) % 8 < 4 ? 2 * 210 + 2 * 7 : 0));
    }
    e2e_close(&t);
}

// Each pair uses its barrier a different number of times, with an array that lives across it. Odd pairs leave
// early.
TEST(different_numbers_of_iterations)
{
    static const char source[] =
        NAMES "kernel void k(global uint *out) {\n"
              "    local uint word[64];\n"
              "    uint b0 = MAKE(2), b1 = MAKE(2), b2 = MAKE(2), b3 = MAKE(2), all = MAKE(8);\n"
              "    uint id = get_local_linear_id(), pair = id / 2, left = 0;\n"
              "    uint seen[5] = {0};\n"
              "    if (id >= 8) {\n"
              "        if (id & 1) return;\n"
              "        out[get_group_id(0) * get_local_size(0) * 4 + id] = 77;\n"
              "        return;\n"
              "    }\n"
              "    uint mine = pair == 0 ? b0 : pair == 1 ? b1 : pair == 2 ? b2 : b3;\n"
              "    word[id] = 0;\n"
              "    for (uint r = 0; r <= pair * 7; r++) {\n"
              "        WAIT(mine);\n"
              "        uint other = word[id ^ 1];\n"
              "        seen[r % 5] += other;\n"
              "        WAIT(mine);\n"
              "        word[id] += id + 1;\n"
              "    }\n"
              "    WAIT(all);\n"
              "    uint sum = 0;\n"
              "    for (int i = 0; i < 5; i++) sum += seen[i] * (i + 1);\n"
              "    for (int i = 0; i < 8; i++) sum += word[i] * 1000;\n"
              "    out[get_group_id(0) * get_local_size(0) * 4 + id] = sum;\n"
              "}\n";
    struct e2e t = e2e_open();
    static cl_uint out[2 * 64];
    const size_t global[2] = {32, 4}, local[2] = {16, 4};
    for (size_t o = 0; o < 2; o++) {
        run(&t, source, all_options[o], 2, global, local, out, 128);
        cl_uint all = 0;
        for (cl_uint id = 0; id < 8; id++)
            all += (id + 1) * (id / 2 * 7 + 1) * 1000;
        for (cl_uint i = 0; i < 128; i++) {
            cl_uint id = i % 64, want = id & 1 ? 0 : 77;
            if (id < 8) {
                want = all;
                for (cl_uint r = 0; r <= id / 2 * 7; r++)
                    want += r * ((id ^ 1) + 1) * (r % 5 + 1);
            }
            CHECK_EQ(out[i], want);
        }
    }
    e2e_close(&t);
}

// Functions in which one work-item works for all, in groups of many sizes. The last group is smaller.
TEST(collective_functions_beside_them)
{
    static const char source[] =
        NAMES "kernel void k(global uint *out) {\n"
              "    local uint at;\n"
              "    uint n = get_num_sub_groups(), id = get_sub_group_id(), few = n / 2, sum = 0;\n"
              "    uint all = MAKE(n), low = MAKE(few), high = MAKE(n - few);\n"
              "    if (id == 0) at = 3;\n"
              "    for (uint r = 0; r < 4; r++) {\n"
              "        WAIT(all);\n"
              "        uint was = at;\n"
              "        if (id < few) { WAIT(low); WAIT(low); } else WAIT(high);\n"
              "        WAIT(all);\n"
              "        sum += work_group_reduce_add(id + r + was);\n"
              "        sum += work_group_scan_exclusive_add(1u) + work_group_broadcast(id * 2, n - 1);\n"
              "        if (id == n - 1) at = r;\n"
              "        if (work_group_any(r == 2)) barrier(CLK_LOCAL_MEM_FENCE);\n"
              "    }\n"
              "    out[get_global_linear_id()] = sum;\n"
              "}\n";
    static const size_t sizes[][6] = {{1, 1, 1, 1, 1, 1},       {7, 1, 1, 3, 1, 1}, {1000, 1, 1, 64, 1, 1},
                                      {8192, 1, 1, 4096, 1, 1}, {9, 7, 5, 4, 3, 2}, {3, 100, 1, 1, 33, 1}};
    struct e2e t = e2e_open();
    static cl_uint out[8192];
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        const size_t *g = sizes[s], *l = sizes[s] + 3;
        run(&t, source, "-cl-std=CL3.0", 3, g, l, out, g[0] * g[1] * g[2]);
        for (size_t z = 0; z < g[2]; z++)
            for (size_t y = 0; y < g[1]; y++)
                for (size_t x = 0; x < g[0]; x++) {
                    const size_t at[3] = {x, y, z};
                    cl_uint size[3], in[3];
                    for (int d = 0; d < 3; d++) {
                        size_t first = at[d] / l[d] * l[d], left = g[d] - first;
                        in[d] = (cl_uint)(at[d] - first);
                        size[d] = (cl_uint)(left < l[d] ? left : l[d]);
                    }
                    cl_uint n = size[0] * size[1] * size[2], id = (in[2] * size[1] + in[1]) * size[0] + in[0];
                    cl_uint want = 0;
                    for (cl_uint r = 0; r < 4; r++)
                        want += n * (n - 1) / 2 + n * (r + (r ? r - 1 : 3)) + id + 2 * (n - 1);
                    CHECK_EQ(out[(z * g[1] + y) * g[0] + x], want);
                }
    }
    e2e_close(&t);
}

// A barrier that is made again in each iteration of a loop, and one that exists throughout.
TEST(made_in_a_loop)
{
    static const char source[] = NAMES "kernel void k(global uint *out) {\n"
                                       "    local uint x[16];\n"
                                       "    uint id = get_local_id(0), outer = MAKE(16), sum = 0;\n"
                                       "    for (uint r = 1; r <= 200; r++) {\n"
                                       "        uint some = 1 + r % 16, b = MAKE(some);\n"
                                       "        x[id] = r;\n"
                                       "        if (id < some) {\n"
                                       "            WAIT(b);\n"
                                       "            for (uint i = 0; i < some; i++) sum += x[i];\n"
                                       "        }\n"
                                       "        WAIT(outer);\n"
                                       "    }\n"
                                       "    out[id] = sum;\n"
                                       "}\n";
    struct e2e t = e2e_open();
    cl_uint out[16];
    const size_t global = 16;
    run(&t, source, "", 1, &global, &global, out, 16);
    for (cl_uint id = 0; id < 16; id++) {
        cl_uint want = 0;
        for (cl_uint r = 1; r <= 200; r++)
            want += id < 1 + r % 16 ? r * (1 + r % 16) : 0;
        CHECK_EQ(out[id], want);
    }
    e2e_close(&t);
}

TEST(the_hosts_queries_say_that_sub_groups_have_one_work_item)
{
    static const char source[] = NAMES "kernel void k(global uint *out) {\n"
                                       "    uint b = MAKE(get_num_sub_groups());\n"
                                       "    WAIT(b);\n"
                                       "    out[get_global_id(0)] = get_max_sub_group_size();\n"
                                       "}\n";
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "", "k");
    size_t local = 40, answer = 0, most = 0;
    CHECK_EQ(clGetKernelSubGroupInfo(k, t.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local,
                                     &local, sizeof answer, &answer, NULL),
             CL_SUCCESS);
    CHECK_EQ(answer, 1);
    CHECK_EQ(clGetKernelSubGroupInfo(k, t.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, &local,
                                     sizeof answer, &answer, NULL),
             CL_SUCCESS);
    CHECK_EQ(answer, 40);
    CHECK_EQ(clGetKernelWorkGroupInfo(k, t.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL),
             CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    static cl_uint out[1 << 16];
    CHECK_GE(COUNT_OF(out), most);
    run(&t, source, "", 1, &most, &most, out, most);
    for (size_t i = 0; i < most; i++)
        CHECK_EQ(out[i], 1);
    e2e_close(&t);
}

// If a barrier waits for more sub-groups than arrive, the command ends with an error, and a message says why.
TEST(waiting_for_nobody_is_an_error)
{
    static const char *const sources[] = {NAMES "kernel void k(global uint *out) {\n"
                                                "    uint b = MAKE(get_num_sub_groups() + 1);\n"
                                                "    WAIT(b);\n"
                                                "    out[get_global_id(0)] = 1;\n"
                                                "}\n",
                                          NAMES "kernel void k(global uint *out) {\n"
                                                "    uint b = MAKE(2);\n"
                                                "    if (get_sub_group_id() == 1) WAIT(b);\n"
                                                "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                                "    out[get_global_id(0)] = 1;\n"
                                                "}\n",
                                          NAMES "kernel void k(global uint *out) {\n"
                                                "    uint b = MAKE(3), c = MAKE(2);\n"
                                                "    if (get_global_id(0) < 96) return;\n"
                                                "    if (get_sub_group_id() & 1) return;\n"
                                                "    WAIT(b);\n"
                                                "    if (get_sub_group_id()) WAIT(c);\n"
                                                "    out[get_global_id(0)] = 1;\n"
                                                "}\n"};
    struct e2e t = e2e_open();
    for (size_t s = 0; s < COUNT_OF(sources); s++) {
        cl_kernel k = e2e_kernel(&t, sources[s], "", "k");
        static cl_uint out[128];
        cl_mem m = e2e_buffer(&t, sizeof out, out);
        E2E_ARG(k, 0, m);
        const size_t global = 128, local = 8;
        cl_event event;
        cl_int status = 1;
        int before = e2e_notices;
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &global, &local, 0, NULL, &event), CL_SUCCESS);
        CHECK_EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                 CL_SUCCESS);
        CHECK_EQ(status, CL_OUT_OF_RESOURCES);
        CHECK_GT(e2e_notices, before);
        if (!strstr(e2e_notice, "wait at barriers that the others never reach"))
            FAIL("%s", e2e_notice);
        CHECK_EQ(clReleaseEvent(event), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        e2e_works(&t, "");
    }
    e2e_close(&t);
}

// Collective copies, atomics, generic pointers to private memory, printf, and kernels that the kernel
// enqueues.
TEST(everything_else_is_there_beside_them)
{
    static const char source[] = NAMES
        "#ifndef cl_khr_subgroup_named_barrier\n#error the extension is not defined\n#endif\n"
        "void add(uint *to, uint what) { *to += what; }\n"
        "kernel void k(global uint *out) {\n"
        "    local uint copy[32];\n"
        "    uint low = MAKE(8), high = MAKE(24), id = get_local_id(0), mine[3] = {0, 1, 2};\n"
        "    out[64 + get_global_id(0)] = id * id;\n"
        "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
        "    event_t e = async_work_group_copy(copy, out + 64 + get_group_id(0) * 32, 32, 0);\n"
        "    wait_group_events(1, &e);\n"
        "    for (uint r = 0; r < 3; r++) {\n"
        "        add(&mine[r], copy[(id + 1) % 8]);\n"
        "        if (id < 8) WAIT(low); else WAIT(high);\n"
        "        add(id & 1 ? (uint *)&mine[0] : (uint *)&copy[id], 1);\n"
        "        if (id < 8) WAIT(low); else WAIT(high);\n"
        "    }\n"
        "    atomic_inc(out + 200);\n"
        "    if (get_global_id(0) == 5) printf(\"%u here\\n\", mine[2]);\n"
        "    out[get_global_id(0)] = mine[0] + 10 * mine[1] + 100 * mine[2];\n"
        "    if (get_global_id(0) == 0)\n"
        "        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64, 16), ^{\n"
        "            uint all = MAKE(get_num_sub_groups()), odd = MAKE(8);\n"
        "            if (get_local_id(0) & 1) WAIT(odd);\n"
        "            WAIT(all);\n"
        "            atomic_add(out + 201, 1);\n"
        "        });\n"
        "}\n";
    struct e2e t = e2e_open();
    e2e_needs_spirv(&t); // the macro is defined only then
    cl_int error = 1;
    const cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    cl_command_queue q = clCreateCommandQueueWithProperties(t.context, t.device, on_device, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_uint out[256];
    const size_t global = 64, local = 32;
    run(&t, source, "-cl-std=CL3.0", 1, &global, &local, out, 256);
    for (cl_uint i = 0; i < 64; i++) {
        cl_uint id = i % 32, next = (id + 1) % 8, mine[3] = {0, 1, 2};
        for (cl_uint r = 0; r < 3; r++) {
            mine[r] += next * next + (next & 1 ? 0 : r);
            mine[0] += id & 1;
        }
        if (id < 8) // the other work-items run besides
            CHECK_EQ(out[i], mine[0] + 10 * mine[1] + 100 * mine[2]);
    }
    CHECK_EQ(out[200], 64);
    CHECK_EQ(out[201], 64);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    e2e_close(&t);
}

// The only work-group, of n work-items, isn't started or fails. The context works afterwards.
static void check_refused(struct e2e *t, const char *source, const char *options, size_t n)
{
    cl_kernel k = e2e_kernel(t, source, options, "k");
    cl_mem m = e2e_buffer(t, 64, NULL);
    E2E_ARG(k, 0, m);
    cl_event event;
    cl_int error = clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &n, &n, 0, NULL, &event);
    if (error == CL_SUCCESS) {
        CHECK_EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_EQ(clReleaseEvent(event), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_works(t, "");
}

// A sub-group size that the kernel requires and can't get.
TEST(larger_sub_groups_are_refused)
{
    static const char source[] =
        NAMES "__attribute__((intel_reqd_sub_group_size(8))) kernel void k(global uint *out) {\n"
              "    uint b = MAKE(get_num_sub_groups());\n"
              "    WAIT(b);\n"
              "    *out = 1;\n"
              "}\n";
    struct e2e t = e2e_open();
    check_refused(&t, source, "-cl-std=CL3.0", 64);
    e2e_close(&t);
}

// Barriers for one sub-group, or for none, don't block.
TEST(barriers_for_one)
{
    static const char source[] =
        NAMES "kernel void k(global uint *out) {\n"
              "    uint one = MAKE(1), none = MAKE(0);\n"
              "    for (uint i = 0; i < get_local_id(0); i++) { WAIT(one); WAIT(none); }\n"
              "    out[get_global_id(0)] = 5;\n"
              "}\n";
    struct e2e t = e2e_open();
    cl_uint out[32];
    const size_t global = 32, local = 16;
    run(&t, source, "", 1, &global, &local, out, 32);
    for (size_t i = 0; i < 32; i++)
        CHECK_EQ(out[i], 5);
    e2e_close(&t);
}

TEST(there_may_be_as_many_as_the_device_says)
{
    struct e2e t = e2e_open();
    cl_uint most = 0;
    e2e_needs_spirv(&t); // the device reports them only then
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR, sizeof most, &most, NULL),
             CL_SUCCESS);
    CHECK_GE(most, 8);
    for (cl_uint more = 0; more < 2; more++) {
        static char source[1 << 14];
        size_t at = (size_t)snprintf(source, sizeof source, NAMES "kernel void k(global uint *out) {\n");
        for (cl_uint i = 0; i < most + more; i++)
            at +=
                (size_t)snprintf(source + at, sizeof source - at, "    uint b%u = MAKE(%u);\n", i, 1 + i % 4);
        at += (size_t)snprintf(source + at, sizeof source - at, "    uint id = get_local_id(0), sum = 0;\n");
        for (cl_uint i = 0; i < most + more; i++)
            at += (size_t)snprintf(source + at, sizeof source - at,
                                   "    if (id < %u) { WAIT(b%u); sum += %u; }\n", 1 + i % 4, i, i);
        snprintf(source + at, sizeof source - at, "    out[id] = sum;\n}\n");
        if (!more) {
            cl_uint out[4];
            const size_t four = 4;
            run(&t, source, "", 1, &four, &four, out, 4);
            for (cl_uint id = 0; id < 4; id++) {
                cl_uint want = 0;
                for (cl_uint i = 0; i < most; i++)
                    want += id < 1 + i % 4 ? i : 0;
                CHECK_EQ(out[id], want);
            }
            continue;
        }
        check_refused(&t, source, "", 4);
    }
    e2e_close(&t);
}
