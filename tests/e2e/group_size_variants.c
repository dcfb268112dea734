// The size variant of a kernel, for one work-group size (docs/adr/0022), in every kind of launch: by a queue
// of a sub-device, by replays of a command buffer, and from a kernel. Sizes alternate, so code for the wrong
// size would be noticed. The disk cache holds each code object once, which shows that there is code for each
// size.
// timeout: 300
#include <dirent.h>
#include <unistd.h>

#include "runtime/api/api.h"
#include "e2e.h"

#include <CL/cl_ext.h>

// Each group reverses its piece of `in`, across a barrier, and reports its width.
static const char source[] = "kernel void turn(global const int *in, global int *out)\n"
                             "{\n"
                             "    local int tile[64];\n"
                             "    size_t n = get_local_size(0), l = get_local_id(0), i = get_global_id(0);\n"
                             "    tile[l] = in[i] * (int)n;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    out[i] = tile[n - 1 - l] + (int)get_num_groups(0);\n"
                             "}\n";

// Reverses an odd number of times, so that it takes long.
static const char parent[] =
    "kernel void parent(global const int *in, global int *out, queue_t q, int items, int size, int rounds)\n"
    "{\n"
    "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(items, size), ^(local void *room) {\n"
    "        local int *tile = (local int *)room;\n"
    "        size_t n = get_local_size(0), l = get_local_id(0), i = get_global_id(0);\n"
    "        int x = in[i] * (int)n;\n"
    "        for (int r = 0; r < rounds; r++) {\n"
    "            tile[l] = x;\n"
    "            work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "            x = tile[n - 1 - l];\n"
    "            work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        }\n"
    "        out[i] = x + (int)get_num_groups(0);\n"
    "    }, (uint)(size * sizeof(int)));\n"
    "}\n";

enum { ITEMS = 960, SIZES = 4, ITERATIONS = 3 };
static const size_t sizes[SIZES] = {16, 60, 48, 64};

struct data {
    cl_mem in, out;
};

static struct data open_data(struct e2e *t)
{
    int in[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        in[i] = 3 * i + 1;
    return (struct data){.in = e2e_buffer(t, sizeof in, in), .out = e2e_buffer(t, sizeof in, NULL)};
}

static void close_data(struct data *d)
{
    CHECK_EQ(clReleaseMemObject(d->in), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(d->out), CL_SUCCESS);
}

static void check_swapped(struct e2e *t, struct data *d, size_t size)
{
    int out[ITEMS], zeros[ITEMS] = {0};
    size_t items = ITEMS / size * size;
    e2e_read(t, d->out, sizeof out, out);
    for (size_t i = 0; i < items; i++) {
        size_t from = i / size * size + size - 1 - i % size;
        CHECK_EQ(out[i], (int)((3 * from + 1) * size + items / size));
    }
    CHECK_EQ(clEnqueueWriteBuffer(t->queue, d->out, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL),
             CL_SUCCESS);
}

// Uses a separate cache folder, and makes launches wait for the code for their size.
static void use_own_cache(char *folder)
{
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    setenv("WEFT_VARIANT", "exact-size", 1);
    setenv("WEFT_TIER", "2", 1);
}

static unsigned count_code_objects(const char *folder)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    CHECK(d != NULL);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] == 'k';
    closedir(d);
    return n;
}

// Waits until there are `n`: they are written in the background.
static void check_code_objects(const char *folder, unsigned n)
{
    for (int tries = 0; tries < 3000 && count_code_objects(folder) < n; tries++)
        usleep(10000);
    CHECK_EQ(count_code_objects(folder), n);
}

static void remove_cache(const char *folder)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}

TEST(queues_of_a_sub_device_and_of_its_parent_take_turns)
{
    char folder[] = "/tmp/weft-sized-XXXXXX";
    use_own_cache(folder);
    struct e2e t = e2e_open(), part = t;
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_int error = clCreateSubDevices(t.device, one, 1, &part.device, NULL);
    if (error == CL_DEVICE_PARTITION_FAILED) // the machine has a single core
        return;
    CHECK_EQ(error, CL_SUCCESS);
    const cl_device_id both[] = {t.device, part.device};
    CHECK_EQ(clReleaseCommandQueue(t.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(t.context), CL_SUCCESS);
    t.context = part.context = clCreateContext(NULL, 2, both, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    t.queue = clCreateCommandQueue(t.context, t.device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    part.queue = clCreateCommandQueue(t.context, part.device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_program p = e2e_program(&t, source);
    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_SUCCESS);
    cl_kernel k = clCreateKernel(p, "turn", &error);
    CHECK_EQ(error, CL_SUCCESS);
    struct data d = open_data(&t);
    E2E_ARG(k, 0, d.in);
    E2E_ARG(k, 1, d.out);
    for (int round = 0; round < ITERATIONS * SIZES; round++) {
        size_t size = sizes[round % SIZES];
        struct e2e *on = round % 3 ? &part : &t;
        e2e_run(on, k, ITEMS / size * size, &size);
        CHECK_EQ(clFinish(on->queue), CL_SUCCESS);
        check_swapped(&t, &d, size);
    }
    close_data(&d);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(part.queue), CL_SUCCESS);
    e2e_close(&t);
    CHECK_EQ(clReleaseDevice(part.device), CL_SUCCESS);
    check_code_objects(folder, 1 + SIZES);
    remove_cache(folder);
}

TEST(replays_run_the_code_for_the_recorded_size)
{
    char folder[] = "/tmp/weft-sized-XXXXXX";
    use_own_cache(folder);
    struct e2e t = e2e_open();
    cl_platform_id platform;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
#define FIND(name)                                                                                           \
    weft_fn_##name name##_found = (weft_fn_##name)clGetExtensionFunctionAddressForPlatform(platform, #name); \
    CHECK(name##_found != NULL)
    FIND(clCreateCommandBufferKHR);
    FIND(clCommandNDRangeKernelKHR);
    FIND(clFinalizeCommandBufferKHR);
    FIND(clEnqueueCommandBufferKHR);
    FIND(clReleaseCommandBufferKHR);
    cl_kernel k = e2e_kernel(&t, source, "", "turn");
    struct data d = open_data(&t);
    E2E_ARG(k, 0, d.in);
    E2E_ARG(k, 1, d.out);
    struct _cl_command_buffer_khr *recorded[SIZES];
    for (int i = 0; i < SIZES; i++) {
        cl_int error = 1;
        size_t items = ITEMS / sizes[i] * sizes[i];
        recorded[i] = clCreateCommandBufferKHR_found(1, &t.queue, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clCommandNDRangeKernelKHR_found(recorded[i], NULL, NULL, k, 1, NULL, &items, &sizes[i], 0,
                                                 NULL, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(clFinalizeCommandBufferKHR_found(recorded[i]), CL_SUCCESS);
    }
    for (int round = 0; round < ITERATIONS * SIZES; round++) {
        CHECK_EQ(clEnqueueCommandBufferKHR_found(0, NULL, recorded[round % SIZES], 0, NULL, NULL),
                 CL_SUCCESS);
        check_swapped(&t, &d, sizes[round % SIZES]);
    }
    for (int i = 0; i < SIZES; i++)
        CHECK_EQ(clReleaseCommandBufferKHR_found(recorded[i]), CL_SUCCESS);
    close_data(&d);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
    check_code_objects(folder, 1 + SIZES);
    remove_cache(folder);
}

// Nobody waits for the code of children. It is generated after they have run for a quarter of a second with
// one size.
TEST(children_move_to_the_code_for_their_size)
{
    char folder[] = "/tmp/weft-sized-XXXXXX";
    use_own_cache(folder);
    unsetenv("WEFT_VARIANT");
    struct e2e t = e2e_open();
    cl_int error = 1, size = 64, iterations = 10001, items = ITEMS / size * size;
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE, 0};
    cl_command_queue q = clCreateCommandQueueWithProperties(t.context, t.device, on_device, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_kernel k = e2e_kernel(&t, parent, "-cl-std=CL2.0", "parent");
    struct data d = open_data(&t);
    E2E_ARG(k, 0, d.in);
    E2E_ARG(k, 1, d.out);
    E2E_ARG(k, 2, q);
    E2E_ARG(k, 3, items);
    E2E_ARG(k, 4, size);
    E2E_ARG(k, 5, iterations);
    // The code of the parent, of the child, and of the child for groups of 64. If launches take long, the
    // last may come from autotuning (docs/adr/0027). If it never comes, ctest ends the test.
    for (int after = 0; after < 3; after += count_code_objects(folder) >= 3) {
        e2e_run(&t, k, 1, NULL);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        check_swapped(&t, &d, (size_t)size);
    }
    close_data(&d);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    e2e_close(&t);
    remove_cache(folder);
}

// ---- Strips of groups ----

static void count_in_strips(struct e2e *t, cl_kernel k, cl_uint dims, const size_t *offset,
                            const size_t *global, const size_t *local)
{
    enum { TIMES = 5 };
    const size_t items = global[0] * global[1] * global[2];
    int *out = calloc(items, sizeof *out);
    CHECK(out != NULL);
    cl_mem m = e2e_buffer(t, items * sizeof *out, out);
    E2E_ARG(k, 0, m);
    for (int i = 0; i < TIMES; i++)
        CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, dims, offset, global, local, 0, NULL, NULL), CL_SUCCESS);
    e2e_read(t, m, items * sizeof *out, out);
    for (size_t i = 0; i < items; i++) {
        const size_t y = i % global[1], x = i / global[1] % global[0];
        CHECK_EQ(out[i], TIMES * (int)(1 + x / local[0] + 1000 * (y / local[1])));
    }
    free(out);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
}

// Memory is consecutive along dimension 1, so groups run in strips (launch/ndrange.c). Each group must run
// once, whatever the number of groups.
TEST(groups_in_strips_run_once_each)
{
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "kernel void k(global int *out)\n"
                             "{\n"
                             "    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - "
                             "get_global_offset(1), z = get_global_id(2);\n"
                             "    out[(z * get_global_size(0) + x) * get_global_size(1) + y] += (int)(1 + "
                             "get_group_id(0) + 1000 * get_group_id(1));\n"
                             "}\n",
                             "-cl-std=CL2.0", "k");
    static const size_t shapes[][2][3] = {
        {{64, 64, 1}, {16, 16, 1}}, {{100, 37, 1}, {16, 16, 1}}, {{400, 256, 1}, {4, 64, 1}},
        {{33, 90, 1}, {1, 30, 1}},  {{50, 24, 3}, {8, 8, 1}},    {{7, 100, 5}, {2, 9, 2}},
        {{1000, 16, 1}, {1, 8, 1}}, {{17, 200, 1}, {16, 16, 1}}, {{16, 64, 1}, {16, 16, 1}},
        {{320, 8, 1}, {16, 8, 1}},  {{130, 130, 2}, {3, 20, 1}},
    };
    const size_t offset[3] = {3, 5, 0};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        count_in_strips(&t, k, 3, NULL, shapes[i][0], shapes[i][1]);
        count_in_strips(&t, k, 3, offset, shapes[i][0], shapes[i][1]);
    }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// The step of an elimination: rows lie along dimension 1. So does a group whose size Weft chooses, once
// optimised code knows. A kernel that uses ids in its group keeps groups along dimension 0.
static void suggested(struct e2e *t, cl_kernel k, const size_t global[2], size_t local[2])
{
    cl_platform_id platform;
    CHECK_EQ(clGetDeviceInfo(t->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL), CL_SUCCESS);
    clGetKernelSuggestedLocalWorkSizeKHR_fn suggest =
        (clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(
            platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    CHECK(suggest != NULL);
    CHECK_EQ(suggest(t->queue, k, 2, NULL, global, local), CL_SUCCESS);
}

static void eliminate(struct e2e *t, const char *options, size_t local[2])
{
    enum { N = 256 };
    const size_t global[2] = {N, N};
    cl_kernel k = e2e_kernel(t,
                             "kernel void k(global int *a, global const int *factor, int n)\n"
                             "{\n"
                             "    int x = get_global_id(0), y = get_global_id(1);\n"
                             "    if (x < n - 1)\n"
                             "        a[(x + 1) * n + y] -= factor[(x + 1) * n] * a[y] + SEEN;\n"
                             "}\n",
                             options, "k");
    static int a[N * N], factor[N * N];
    for (int i = 0; i < N * N; i++) {
        a[i] = i % 1000;
        factor[i] = i / N % 7;
    }
    cl_mem ma = e2e_buffer(t, sizeof a, a), mf = e2e_buffer(t, sizeof factor, factor);
    const cl_int n = N;
    E2E_ARG(k, 0, ma);
    E2E_ARG(k, 1, mf);
    E2E_ARG(k, 2, n);
    for (int times = 0; times < 2; times++)
        CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 2, NULL, global, NULL, 0, NULL, NULL), CL_SUCCESS);
    e2e_read(t, ma, sizeof a, a);
    for (int i = N; i < N * N; i++)
        CHECK_EQ(a[i], i % 1000 - 2 * (i / N % 7) * (i % N));
    suggested(t, k, global, local);
    CHECK_EQ(clReleaseMemObject(ma), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(mf), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

TEST(a_chosen_group_lies_along_the_dimension_of_its_rows)
{
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    struct e2e t = e2e_open();
    size_t local[2];
    eliminate(&t, "-DSEEN=0", local);
    CHECK_GE(local[1], 64u);
    CHECK_GE(local[1], local[0]);
    eliminate(&t, "-DSEEN=factor[0]*(int)get_local_id(0)", local);
    CHECK_GE(local[0], 64u);
    CHECK_GE(local[0], local[1]);
    e2e_close(&t);
}

// If the group size shows that all work-items have the same trip count, a loop ends for all at once
// (prepare/uniform_trip_counts.c). Otherwise each work-item ends its own loop. With unknown bounds and steps
// the trip count is computed.
static const char iterations_source[] =
    "#define LOOP(end, step)                                 \\\n"
    "    n = 1;                                              \\\n"
    "    for (T k = START; k < (T)(end); k += (T)(step)) {   \\\n"
    "        n = n * 31 + (uint)k;                           \\\n"
    "        if ((n & 7) == 3)                               \\\n"
    "            OR_SO;                                      \\\n"
    "        n ^= seen[k & 63];                              \\\n"
    "    }\n"
    "kernel __attribute__((reqd_work_group_size(S0, S1, 1))) void k(global uint *out, global const uint "
    "*seen)\n"
    "{\n"
    "    uint x = get_local_id(0), y = get_local_id(1), n;\n"
    "    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
    "    volatile T end = END, step = STEP;\n"
    "    LOOP(END, STEP)\n"
    "    out[2 * i] = n;\n"
    "    LOOP(end, step)\n"
    "    out[2 * i + 1] = n;\n"
    "}\n";

TEST(loops_that_a_group_shares_run_each_iteration_once)
{
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    struct e2e t = e2e_open();
    static const struct {
        size_t local[2];
        const char *options;
    } cases[] = {
        {{32, 1}, "-DT=int -DSTART=x -DSTEP=32 -DEND=256"},  // eight iterations each
        {{32, 1}, "-DT=uint -DSTART=x -DSTEP=32 -DEND=250"}, // not all have the last iteration
        {{32, 1}, "-DT=int -DSTART=x -DSTEP=32 -DEND=16"},   // half of them have none
        {{32, 1}, "-DT=int -DSTART=x -DSTEP=64 -DEND=32"},   // one
        {{32, 1}, "-DT=int -DSTART=x -DSTEP=16 -DEND=256"},  // one iteration fewer from 16 on
        {{32, 1}, "-DT=int -DSTART=x+7 -DSTEP=32 -DEND=71"}, // two
        {{32, 1}, "-DT=int -DSTART=x+7 -DSTEP=32 -DEND=70"}, // the last work-item has one
        {{32, 1}, "-DT=int -DSTART=x+7 -DSTEP=32 -DEND=7"},  // none
        {{32, 1}, "-DT=size_t -DSTART=get_local_id(0) -DSTEP=get_local_size(0) -DEND=96"},
        {{20, 1}, "-DT=long -DSTART=x*4 -DSTEP=80 -DEND=240"},    // each has its four elements
        {{20, 1}, "-DT=int -DSTART=x*4+3 -DSTEP=80 -DEND=240"},   // after the fourth element
        {{16, 4}, "-DT=int -DSTART=y -DSTEP=4 -DEND=16"},         // rows
        {{16, 4}, "-DT=uint -DSTART=y*16+x -DSTEP=64 -DEND=512"}, // the whole group
        {{16, 4}, "-DT=int -DSTART=(y*16+x)>>3 -DSTEP=8 -DEND=64"},
        {{16, 4}, "-DT=int -DSTART=(x&3)+y*4 -DSTEP=16 -DEND=48"},
        {{16, 4}, "-DT=int -DSTART=x-8 -DSTEP=16 -DEND=40"},  // starting below 0
        {{16, 4}, "-DT=uint -DSTART=x-8 -DSTEP=16 -DEND=40"}, // half of them start with huge numbers
        {{3, 5}, "-DT=int -DSTART=x+3*y -DSTEP=15 -DEND=75"},
        {{64, 2}, "-DT=uchar -DSTART=x -DSTEP=64 -DEND=192"},
    };
    uint32_t seen[64], out[2 * 2 * 128 * 4];
    for (uint32_t i = 0; i < 64; i++)
        seen[i] = i * 2654435761u;
    cl_mem in = e2e_buffer(&t, sizeof seen, seen), m = e2e_buffer(&t, sizeof out, NULL);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int way = 0; way < 2; way++) {
            char options[200];
            const size_t *local = cases[c].local, global[2] = {2 * local[0], 2 * local[1]};
            snprintf(options, sizeof options, "%s -DS0=%zu -DS1=%zu -DOR_SO=%s", cases[c].options, local[0],
                     local[1], way ? "break" : "continue");
            cl_kernel k = e2e_kernel(&t, iterations_source, options, "k");
            E2E_ARG(k, 0, m);
            E2E_ARG(k, 1, in);
            CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 2, NULL, global, local, 0, NULL, NULL), CL_SUCCESS);
            e2e_read(&t, m, sizeof out, out);
            for (size_t i = 0; i < global[0] * global[1]; i++)
                if (out[2 * i] != out[2 * i + 1])
                    FAIL("%s: work-item %zu: %x, not %x", options, i, out[2 * i], out[2 * i + 1]);
            CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(in), CL_SUCCESS);
    e2e_close(&t);
}
