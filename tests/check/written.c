// Whether a buffer is written is known at each launch (kind uninit): kernels run without looks at shadow
// where it is, and with them where something else has come into it since. docs/check.md.
// timeout: 120
// env: WEFT_CHECK=uninit
// env: WEFT_CHECK_REPORT=written.json
// env: WEFT_TIER=2
// env: WEFT_CACHE=0
#include "e2e/e2e.h"

enum { ITEMS = 64, BYTES = ITEMS * sizeof(cl_int) };

static int findings(void)
{
    int lines = 0, c;
    FILE *f = fopen("written.json", "re");
    while (f && (c = fgetc(f)) != EOF)
        lines += c == '\n';
    if (f)
        fclose(f);
    return lines;
}

static const char kernels[] = "kernel void look(global const int *a, global int *b) {\n"
                              "    int i = get_global_id(0);\n"
                              "    if (a[i * 7 & 63] > 1000) b[i] = 1;\n"
                              "}\n"
                              "kernel void look_at_less(global const int *a, global int *b) {\n"
                              "    int i = get_global_id(0);\n"
                              "    if (a[i & 15] > 1000) b[i] = 1;\n"
                              "}\n"
                              "kernel void spoil(global int *a, int which) {\n"
                              "    int i = get_global_id(0), v;\n"
                              "    if (i != which) v = 1;\n"
                              "    a[i] = v;\n"
                              "}\n"
                              "kernel void spoil_and_look(global int *a, global int *b, global int *c) {\n"
                              "    int i = get_global_id(0), v;\n"
                              "    if (i != 3) v = 1;\n"
                              "    a[i] = v;\n"
                              "    if (b[i] > 1000) c[i] = 1;\n"
                              "}\n";

struct setting {
    struct e2e e;
    cl_kernel look;
    cl_mem full, out; // both are written
};

static void open_setting(struct setting *s)
{
    static const cl_int numbers[ITEMS];
    unlink("written.json");
    s->e = e2e_open();
    s->look = e2e_kernel(&s->e, kernels, "", "look");
    s->full = e2e_buffer(&s->e, BYTES, numbers);
    s->out = e2e_buffer(&s->e, BYTES, numbers);
}

static void close_setting(struct setting *s)
{
    clReleaseMemObject(s->full);
    clReleaseMemObject(s->out);
    clReleaseKernel(s->look);
    e2e_close(&s->e);
}

static cl_kernel another(struct setting *s, const char *name)
{
    return e2e_kernel(&s->e, kernels, "", name);
}

// Runs a kernel of two buffers, and expects so many findings in all.
static void run(struct setting *s, cl_kernel k, cl_mem a, int expected)
{
    const size_t items = ITEMS, group = 16;
    E2E_ARG(k, 0, a);
    E2E_ARG(k, 1, s->out);
    CHECK_EQ(clEnqueueNDRangeKernel(s->e.queue, k, 1, NULL, &items, &group, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(s->e.queue), CL_SUCCESS);
    CHECK_EQ(findings(), expected);
}

TEST(bytes_of_a_buffer_are_written_one_after_the_other)
{
    struct setting s;
    open_setting(&s);
    const cl_int numbers[ITEMS] = {0};
    cl_mem part = e2e_buffer(&s.e, BYTES, NULL);
    CHECK_EQ(clEnqueueWriteBuffer(s.e.queue, part, CL_TRUE, 0, BYTES - 1, numbers, 0, NULL, NULL),
             CL_SUCCESS);
    cl_kernel less = another(&s, "look_at_less");
    run(&s, s.look, s.full, 0);
    run(&s, less, part, 0);
    run(&s, s.look, part, 1);
    run(&s, less, part, 1);
    clReleaseKernel(less);
    clReleaseMemObject(part);
    close_setting(&s);
}

TEST(a_buffer_whose_bytes_were_written_gets_others_by_a_copy)
{
    struct setting s;
    open_setting(&s);
    cl_mem fresh = e2e_buffer(&s.e, BYTES, NULL);
    run(&s, s.look, s.full, 0);
    run(&s, s.look, s.full, 0);
    CHECK_EQ(clEnqueueCopyBuffer(s.e.queue, fresh, s.full, 0, 17 * sizeof(cl_int), 1, 0, NULL, NULL),
             CL_SUCCESS);
    run(&s, s.look, s.full, 1);
    clReleaseMemObject(fresh);
    close_setting(&s);
}

TEST(a_buffer_whose_bytes_were_written_gets_others_by_a_kernel)
{
    struct setting s;
    open_setting(&s);
    cl_kernel spoil = another(&s, "spoil");
    const size_t items = ITEMS;
    for (cl_int which = ITEMS; which >= 40; which -= 24) { // none, and the 40th
        run(&s, s.look, s.full, 0);
        E2E_ARG(spoil, 0, s.full);
        E2E_ARG(spoil, 1, which);
        CHECK_EQ(clEnqueueNDRangeKernel(s.e.queue, spoil, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    }
    run(&s, s.look, s.full, 1);
    clReleaseKernel(spoil);
    close_setting(&s);
}

TEST(two_arguments_share_a_buffer)
{
    struct setting s;
    open_setting(&s);
    cl_kernel both = another(&s, "spoil_and_look");
    const size_t items = ITEMS;
    cl_mem other = e2e_buffer(&s.e, BYTES, NULL);
    E2E_ARG(both, 0, other);
    E2E_ARG(both, 1, s.full);
    E2E_ARG(both, 2, s.out);
    CHECK_EQ(clEnqueueNDRangeKernel(s.e.queue, both, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(s.e.queue), CL_SUCCESS);
    CHECK_EQ(findings(), 0);
    E2E_ARG(both, 0, s.full);
    CHECK_EQ(clEnqueueNDRangeKernel(s.e.queue, both, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(s.e.queue), CL_SUCCESS);
    CHECK_EQ(findings(), 1);
    clReleaseMemObject(other);
    clReleaseKernel(both);
    close_setting(&s);
}

TEST(a_part_of_a_buffer_is_written)
{
    struct setting s;
    open_setting(&s);
    const cl_int numbers[ITEMS] = {0};
    cl_int error = 1;
    cl_mem whole = e2e_buffer(&s.e, 2 * 4096, NULL);
    CHECK_EQ(clEnqueueWriteBuffer(s.e.queue, whole, CL_TRUE, 4096, BYTES, numbers, 0, NULL, NULL),
             CL_SUCCESS);
    const cl_buffer_region parts[] = {{4096, BYTES}, {0, BYTES}};
    for (int k = 0; k < 2; k++) {
        cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &parts[k], &error);
        CHECK_EQ(error, CL_SUCCESS);
        run(&s, s.look, part, k);
        clReleaseMemObject(part);
    }
    clReleaseMemObject(whole);
    close_setting(&s);
}
