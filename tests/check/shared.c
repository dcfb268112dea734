// Memory that a buffer shares with another object or with the host, used as it mustn't be (kind api). Each
// misuse has twins that are right. docs/check.md.
// timeout: 120
// env: WEFT_CHECK=api
// env: WEFT_CHECK_REPORT=shared.json
// env: WEFT_CACHE=0
#include "e2e/e2e.h"

enum { ITEMS = 1024, BYTES = ITEMS * 4 };

static void expect(bool found, const char *words)
{
    static char text[1 << 16];
    FILE *f = fopen("shared.json", "re");
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = '\0';
    if (f)
        fclose(f);
    if ((strstr(text, words) != NULL) != found)
        FAIL("\"%s\" is %sexpected, but the report is:\n%s", words, found ? "" : "not ", text);
}

static cl_mem part(cl_mem of, size_t first, size_t items)
{
    cl_int error = 1;
    const cl_buffer_region region = {first * 4, items * 4};
    cl_mem m = clCreateSubBuffer(of, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

static cl_mem whole(struct e2e *t)
{
    cl_int error = 1;
    cl_mem m = clCreateBuffer(t->context, 0, BYTES, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

// A kernel that writes 64 elements of `to`, and reads as many of `from`.
static cl_kernel copier(struct e2e *t, const char *name, cl_mem to, cl_mem from)
{
    static char source[4][256];
    static unsigned turn;
    char *text = source[turn++ % 4];
    snprintf(
        text, sizeof source[0],
        "kernel void %s(global int *to, global int *from) { to[get_global_id(0)] = from[get_global_id(0)]; }",
        name);
    cl_kernel k = e2e_kernel(t, text, "", name);
    E2E_ARG(k, 0, to);
    E2E_ARG(k, 1, from);
    return k;
}

static void enqueue(cl_command_queue q, cl_kernel k, cl_uint count, const cl_event *after, cl_event *event)
{
    const size_t items = 64;
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, count, after, event), CL_SUCCESS);
}

static void run_on(struct e2e *t, cl_kernel k)
{
    enqueue(t->queue, k, 0, NULL, NULL);
    CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
}

TEST(a_kernel_gets_two_parts_that_overlap)
{
    struct e2e t = e2e_open();
    cl_mem m = whole(&t), other = whole(&t), low = part(m, 0, 512), high = part(m, 512, 512);
    cl_mem across = part(m, 256, 512);
    run_on(&t, copier(&t, "apart", low, high));
    run_on(&t, copier(&t, "elsewhere", low, other));
    run_on(&t, copier(&t, "one_object", low, low));
    cl_kernel reads = e2e_kernel(&t,
                                 "kernel void reads_both(global int *a, global int *b, global int *out) {"
                                 "out[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)]; }",
                                 "", "reads_both");
    E2E_ARG(reads, 0, across);
    E2E_ARG(reads, 1, low);
    E2E_ARG(reads, 2, other);
    run_on(&t, reads);
    expect(false, "overlapping");
    run_on(&t, copier(&t, "across", low, across));
    expect(
        true,
        "arguments 0, 'to', and 1, 'from', are overlapping parts of a buffer, and the kernel writes to 'to'");
    expect(true, "\"kernel\": \"across\"");
    run_on(&t, copier(&t, "with_parent", m, high));
    expect(true, "\"kernel\": \"with_parent\"");
    e2e_close(&t);
}

// Two launches that use parts that overlap, in a queue out of order.
TEST(two_launches_write_parts_that_overlap)
{
    struct e2e t = e2e_open();
    cl_int error = 1;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue q = clCreateCommandQueueWithProperties(t.context, t.device, properties, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem m = whole(&t), in = whole(&t), low = part(m, 0, 512), across = part(m, 256, 512);
    cl_mem high = part(m, 768, 256);
    cl_event event = NULL;
    cl_kernel first = copier(&t, "to_low", low, in);
    enqueue(q, first, 0, NULL, &event);
    enqueue(q, copier(&t, "to_high", high, in), 0, NULL, NULL);
    enqueue(q, copier(&t, "after_an_event", across, in), 1, &event, NULL);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
    enqueue(q, copier(&t, "after_the_host", across, in), 0, NULL, NULL);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
    enqueue(q, copier(&t, "reads_low", high, low), 0, NULL, NULL);
    enqueue(q, copier(&t, "reads_across", in, across), 0, NULL, NULL);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
    enqueue(t.queue, copier(&t, "in_order_low", low, in), 0, NULL, NULL);
    enqueue(t.queue, copier(&t, "in_order_across", across, in), 0, NULL, NULL);
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    expect(false, "overlaps another part");
    enqueue(q, first, 0, NULL, NULL);
    enqueue(q, copier(&t, "unordered", across, in), 0, NULL, NULL);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
    expect(true,
           "argument 0, 'to', overlaps another part of its buffer that an earlier launch of kernel to_low "
           "writes to, and no queue, event or wait of the host orders the two");
    expect(true, "\"kernel\": \"unordered\"");
    clReleaseEvent(event);
    clReleaseCommandQueue(q);
    e2e_close(&t);
}

static _Alignas(4096) cl_int host[4][ITEMS];

static cl_mem of_host(struct e2e *t, unsigned k)
{
    cl_int error = 1;
    cl_mem m = clCreateBuffer(t->context, CL_MEM_USE_HOST_PTR, BYTES, host[k], &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

TEST(the_host_writes_its_memory_as_it_should)
{
    struct e2e t = e2e_open();
    cl_int error = 1;
    cl_mem m = of_host(&t, 0), out = of_host(&t, 1), low = part(m, 0, 512);
    cl_kernel k = copier(&t, "mapped_memory", out, m), back = copier(&t, "written_memory", m, out);
    for (int i = 0; i < 3; i++) {
        cl_int *p =
            clEnqueueMapBuffer(t.queue, i ? m : low, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        p[5] = i;
        CHECK_EQ(clEnqueueUnmapMemObject(t.queue, i ? m : low, p, 0, NULL, NULL), CL_SUCCESS);
        run_on(&t, k);
        CHECK_EQ(host[1][5], i);
        const cl_int number = 7 + i;
        CHECK_EQ(clEnqueueWriteBuffer(t.queue, out, CL_FALSE, 20, 4, &number, 0, NULL, NULL), CL_SUCCESS);
        run_on(&t, back);
        CHECK_EQ(clEnqueueFillBuffer(t.queue, m, &number, 4, 0, BYTES, 0, NULL, NULL), CL_SUCCESS);
        run_on(&t, k);
        CHECK_EQ(clEnqueueCopyBuffer(t.queue, out, m, 0, 0, 256, 0, NULL, NULL), CL_SUCCESS);
        run_on(&t, k);
    }
    expect(false, "the host has changed");
    clReleaseMemObject(low);
    clReleaseMemObject(m);
    clReleaseMemObject(out);
    host[0][5] = 77; // nobody's any more
    m = of_host(&t, 0);
    run_on(&t, copier(&t, "new_buffer", m, m));
    expect(false, "the host has changed");
    clReleaseMemObject(m);
    e2e_close(&t);
}

TEST(the_host_writes_its_memory_without_a_map)
{
    struct e2e t = e2e_open();
    cl_mem m = of_host(&t, 2), out = of_host(&t, 3);
    cl_kernel k = copier(&t, "touched_memory", out, m);
    run_on(&t, k);
    expect(false, "\"kernel\": \"touched_memory\"");
    host[2][ITEMS - 1] = 1;
    run_on(&t, k);
    expect(true,
           "the host has changed the memory of argument 1, 'from', which is of CL_MEM_USE_HOST_PTR, without "
           "a map");
    expect(true, "\"kernel\": \"touched_memory\"");
    clReleaseMemObject(m);
    clReleaseMemObject(out);
    e2e_close(&t);
}
