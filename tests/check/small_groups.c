// Small work-groups of a row run together once they need no looks for races (runtime/launch/run_range.c):
// that it is done, where it may be, and that faults of later groups are found nevertheless, with the ids of
// the program's work-groups.
// timeout: 120
// env: WEFT_CHECK=bounds,race
// env: WEFT_CHECK_REPORT=small_groups.json
// env: WEFT_LOG=debug
// env: WEFT_TIER=2
// env: WEFT_CACHE=0
#include "e2e/e2e.h"

enum { ITEMS = 1024 };

static char said[1 << 16]; // what the driver has logged of the last launch

static const char *report(void)
{
    static char text[1 << 16];
    FILE *f = fopen("small_groups.json", "re");
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = '\0';
    if (f)
        fclose(f);
    return text;
}

// Runs a kernel of `a` and `out`, which has `body`, and of `i`, in groups of `local` work-items. The last
// `rest` work-items aren't there.
static void run(const char *name, const char *body, size_t local, size_t rest)
{
    char source[1024];
    cl_int numbers[ITEMS], got[ITEMS];
    struct e2e t = e2e_open();
    snprintf(source, sizeof source,
             "kernel void %s(global const int *a, global int *out)\n"
             "{\n"
             "    int i = get_global_id(0);\n"
             "    %s\n"
             "}\n",
             name, body);
    for (int i = 0; i < ITEMS; i++)
        numbers[i] = i;
    cl_kernel k = e2e_kernel(&t, source, "", name);
    cl_mem a = e2e_buffer(&t, sizeof numbers, numbers), out = e2e_buffer(&t, sizeof got, numbers);
    const size_t items = ITEMS - rest;
    E2E_ARG(k, 0, a);
    E2E_ARG(k, 1, out);
    const struct harness_capture log = harness_capture(STDERR_FILENO);
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &items, &local, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(t.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), CL_SUCCESS);
    const int file = harness_uncapture(&log);
    const ssize_t length = pread(file, said, sizeof said - 1, 0);
    said[length > 0 ? length : 0] = '\0';
    close(file);
    clReleaseMemObject(a);
    clReleaseMemObject(out);
    clReleaseKernel(k);
    e2e_close(&t);
}

// at_once: how many groups run at a time after the first one; 0: each is prepared.
static void expect_groups(const char *name, unsigned at_once)
{
    char words[128];
    snprintf(words, sizeof words, "kernel %s: work-groups run without preparing, %u at a time", name,
             at_once);
    if ((strstr(said, words) != NULL) != (at_once > 0) ||
        (!at_once && strstr(said, "work-groups run without preparing")))
        FAIL("%s: expected %u groups at a time, but the log is:\n%s", name, at_once, said);
}

static void expect_finding(const char *name, const char *words)
{
    const char *text = report();
    char kernel[64];
    snprintf(kernel, sizeof kernel, "\"kernel\": \"%s\"", name);
    const char *found = strstr(text, kernel);
    if ((found != NULL) != (words != NULL) || (words && !strstr(text, words)))
        FAIL("%s: expected %s, but the report is:\n%s", name, words ? words : "no finding", text);
}

TEST(they_run_together)
{
    run("ones", "out[i] = a[i] + 1;", 1, 0);
    expect_groups("ones", 256);
    expect_finding("ones", NULL);
    run("fours", "out[i] = a[i] + 1;", 4, 0);
    expect_groups("fours", 64);
    expect_finding("fours", NULL);
}

TEST(large_groups_need_no_preparing_either)
{
    run("large", "out[i] = a[i] + 1;", 64, 0);
    expect_groups("large", 1);
    expect_finding("large", NULL);
}

// A kernel that asks for its group would see it.
TEST(what_knows_its_group_runs_in_it)
{
    run("knows", "out[i] = a[i] + get_local_id(0) + get_num_groups(0);", 4, 0);
    expect_groups("knows", 1);
    run("sizes", "out[i] = a[i] + get_local_size(0);", 4, 0);
    expect_groups("sizes", 1);
    run("waits",
        "local int t[4]; int l = get_local_id(0); t[l] = i; barrier(CLK_LOCAL_MEM_FENCE); out[i] = t[3 - l];",
        4, 0);
    expect_groups("waits", 1);
}

TEST(a_later_group_reads_beyond_its_buffer)
{
    run("beyond", "out[i] = a[a[i] + (i == 777) * 5000];", 4, 0);
    expect_groups("beyond", 64);
    expect_finding("beyond",
                   "\"global_id\": [777, 0, 0], \"local_id\": [1, 0, 0], \"group_id\": [194, 0, 0]");
}

TEST(a_later_group_races)
{
    run("races", "out[i == 777 ? a[i] + 1 : i] = i;", 4, 0);
    expect_groups("races", 0);
    expect_finding("races", "\"line\": 4");
}

// 255 groups: no number of them that is worth it divides it.
TEST(rows_that_cannot_be_cut_stay)
{
    run("odd", "out[i] = a[i] + 1;", 4, 4);
    expect_groups("odd", 1);
    expect_finding("odd", NULL);
}
