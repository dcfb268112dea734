// The report of a fault names the work-group, the work-items of the vector iteration and the source line, in
// all kinds of code that a kernel has.
// timeout: 300
// env: WEFT_CACHE=0
#include "e2e/e2e.h"

// Each kernel writes to an address that isn't there in the work-item whose global id is (x, y, z), in the
// line with the comment "here".
static const char source[] =
    "#define IS_BAD (get_global_id(0) == x && get_global_id(1) == y && get_global_id(2) == z)\n"
    "#define BELOW (get_global_id(1) * get_global_size(0) + get_global_id(0))\n"
    "kernel void plain(global int *a, global const int *b, ulong x, ulong y, ulong z)\n"
    "{\n"
    "    a[BELOW] = b[BELOW] * 2;\n"
    "    if (IS_BAD)\n"
    "        *(global int *)64 = 1; // here plain\n"
    "}\n"
    "kernel void far(global int *a, global const int *b, ulong x, ulong y, ulong z)\n"
    "{\n"
    "    int sum = 0;\n"
    "    for (int j = 0; j < 4; j++)\n"
    "        sum += b[BELOW + j] * j;\n"
    "    ulong off = IS_BAD ? 1ul << 40 : 0;\n"
    "    a[BELOW + off] = sum; // here far\n"
    "}\n"
    "kernel void gather(global int *a, global const int *b, ulong x, ulong y, ulong z)\n"
    "{\n"
    "    ulong at = IS_BAD ? 1ul << 44 : BELOW * 7 & 1023;\n"
    "    int v = b[at]; // here gather\n"
    "    a[BELOW] = v + 1;\n"
    "}\n"
    "int deep(global const int *b, ulong at, int n)\n"
    "{\n"
    "    int sum = 0;\n"
    "    for (int i = 0; i < n; i++)\n"
    "        sum ^= b[at + i]; // here loops\n"
    "    return sum;\n"
    "}\n"
    "kernel void loops(global int *a, global const int *b, ulong x, ulong y, ulong z)\n"
    "{\n"
    "    int n = 1 + (int)(get_global_id(0) & 3);\n"
    "    a[BELOW] = deep(b, IS_BAD ? 1ul << 44 : BELOW, n) + deep(b, 3, 2);\n"
    "}\n"
    "kernel void barriers(global int *a, global const int *b, ulong x, ulong y, ulong z)\n"
    "{\n"
    "    local int l[256];\n"
    "    uint me = get_local_id(0) + get_local_size(0) * get_local_id(1);\n"
    "    l[me & 255] = b[BELOW];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[BELOW] = l[(me + 1) & 255];\n"
    "    if (IS_BAD)\n"
    "        *(global int *)64 = 1; // here barriers\n"
    "}\n"
    "kernel void columns(global int *a, global const int *b, ulong x, ulong y, ulong z)\n"
    "{\n"
    "    ulong at = get_global_id(0) * get_global_size(1) + get_global_id(1);\n"
    "    ulong off = IS_BAD ? 1ul << 40 : 0;\n"
    "    a[at + off] = b[at] + 1; // here columns\n"
    "}\n"
    "kernel void doubles(global int *a, global const int *b, ulong x, ulong y, ulong z)\n"
    "{\n"
    "    global double *d = (global double *)a;\n"
    "    double v = b[BELOW];\n"
    "    v = sqrt(v) * 3.0 + exp(v);\n"
    "    if (v > 1e300)\n"
    "        v = sin(v);\n"
    "    d[(BELOW & 0xffff) + (IS_BAD ? 1ul << 40 : 0)] = v; // here doubles\n"
    "}\n";

static unsigned line_of(const char *kernel)
{
    char mark[64];
    snprintf(mark, sizeof mark, "// here %s\n", kernel);
    const char *at = strstr(source, mark);
    CHECK(at != NULL);
    unsigned line = 1;
    for (const char *p = source; p < at; p++)
        line += *p == '\n';
    return line;
}

struct shape {
    cl_uint dim;
    size_t global[3], local[3], offset[3];
};

// Reads "(12, 16..31, ?)". ? is everything.
static void read_intervals(const char *text, size_t first[3], size_t last[3])
{
    text = strchr(text, '(');
    CHECK(text != NULL);
    for (int d = 0; d < 3; d++) {
        text += strspn(text, "(, ");
        char *end = (char *)(uintptr_t)text + 1;
        first[d] = 0;
        last[d] = SIZE_MAX;
        if (*text != '?')
            first[d] = last[d] = strtoul(text, &end, 10);
        if (strncmp(end, "..", 2) == 0)
            last[d] = strtoul(end + 2, &end, 10);
        text = end;
    }
}

// What was said, and how often it was one work-group and few work-items.
static unsigned places, exact_places;

static void check_place(const char *kernel, const struct shape *s, const size_t bad[3])
{
    const char *text = strstr(e2e_notice, "work-group");
    if (!text)
        FAIL("%s: no place: %s", kernel, e2e_notice);
    size_t first[3], last[3];
    bool exact = true;
    read_intervals(text, first, last);
    for (int d = 0; d < 3; d++) {
        size_t group = (bad[d] - s->offset[d]) / s->local[d];
        if (group < first[d] || group > last[d])
            FAIL("%s: (%zu, %zu, %zu) isn't there: %s", kernel, bad[0], bad[1], bad[2], e2e_notice);
        exact &= last[d] - first[d] <= 64 / s->local[d];
    }
    const char *items = strstr(text, "with global id");
    exact &= items != NULL;
    if (items)
        read_intervals(items, first, last);
    for (int d = 0; d < 3 && items; d++)
        if (bad[d] < first[d] || bad[d] > last[d])
            FAIL("%s: (%zu, %zu, %zu) isn't there: %s", kernel, bad[0], bad[1], bad[2], e2e_notice);
    for (int d = 0; d < 3 && items; d++)
        exact &= last[d] - first[d] <= 256;
    char where[32];
    snprintf(where, sizeof where, ":%u;", line_of(kernel));
    if (!strstr(text, where))
        FAIL("%s: not line %u: %s", kernel, line_of(kernel), e2e_notice);
    places++;
    exact_places += exact;
    if (!exact)
        printf("not exact: %s\n", e2e_notice);
}

static void fault_in(struct e2e *t, cl_program p, const char *kernel, const struct shape *s, cl_mem a,
                     cl_mem b, const size_t bad[3])
{
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, kernel, &error);
    CHECK_EQ(error, CL_SUCCESS);
    E2E_ARG(k, 0, a);
    E2E_ARG(k, 1, b);
    for (cl_uint d = 0; d < 3; d++) {
        cl_ulong id = bad[d];
        E2E_ARG(k, 2 + d, id);
    }
    e2e_notice[0] = '\0';
    cl_event e;
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, s->dim, s->offset, s->global, s->local, 0, NULL, &e),
             CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    check_place(kernel, s, bad);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

static void check_all_with(const char *options)
{
    static const char *const kernels[] = {"plain",    "far",     "gather", "loops",
                                          "barriers", "columns", "doubles"};
    static const struct shape shapes[] = {
        {1, {65536, 1, 1}, {64, 1, 1}, {0, 0, 0}}, {1, {4099 * 3, 1, 1}, {3, 1, 1}, {1000, 0, 0}},
        {2, {256, 64, 1}, {16, 4, 1}, {5, 7, 0}},  {2, {48, 512, 1}, {1, 32, 1}, {0, 0, 0}},
        {3, {40, 6, 10}, {20, 3, 2}, {0, 0, 0}},
    };
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, source, options);
    cl_mem a = e2e_buffer(&t, 16 << 20, NULL), b = e2e_buffer(&t, 16 << 20, NULL);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            const struct shape *s = &shapes[i];
            for (size_t n = 1; n < 4; n++) {
                size_t bad[3];
                for (int d = 0; d < 3; d++)
                    bad[d] = s->offset[d] + (s->global[d] - 1) * n * 7 / 23;
                fault_in(&t, p, kernels[k], s, a, b, bad);
            }
        }
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
    // The rest: code that LLVM has merged from several places.
    CHECK_GE(exact_places * 10, places * 8);
}

static void check_all(void)
{
    check_all_with("-g");
}

TEST(in_code_for_debuggers)
{
    check_all_with("-g -cl-opt-disable");
    CHECK_EQ(exact_places, places); // one work-item runs at a time, and its ids are in memory
}

TEST(in_optimized_code)
{
    setenv("WEFT_TIER", "2", 1);
    check_all();
}

TEST(in_quick_code)
{
    setenv("WEFT_TIER", "1", 1);
    check_all();
}

TEST(in_scalar_code)
{
    setenv("WEFT_TIER", "2", 1);
    setenv("WEFT_VF", "1", 1);
    check_all();
}

TEST(in_code_for_avx2)
{
    e2e_processor("haswell");
    setenv("WEFT_TIER", "2", 1);
    check_all();
}

TEST(in_code_for_sse4)
{
    e2e_processor("nehalem");
    setenv("WEFT_TIER", "2", 1);
    check_all();
}
