// Misuse of the host's API is reported (kind api), and what is right isn't; what the host writes counts as
// written (kind uninit). docs/check.md.
// timeout: 120
// env: WEFT_CHECK=all
// env: WEFT_CHECK_REPORT=misuse.json
// env: WEFT_CACHE=0
#include "e2e/e2e.h"

#include <stdatomic.h>

enum { ITEMS = 64 };

static char *report(void)
{
    static char text[1 << 16];
    FILE *f = fopen("misuse.json", "re");
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = '\0';
    if (f)
        fclose(f);
    return text;
}

// The report is the whole process's. So each test looks for words of its own, at most once.
static void expect(bool found, const char *words)
{
    if ((strstr(report(), words) != NULL) != found)
        FAIL("\"%s\" is %sexpected, but the report is:\n%s", words, found ? "" : "not ", report());
}

static cl_mem fresh(struct e2e *t, cl_mem_flags flags)
{
    cl_int error = 1;
    cl_mem m = clCreateBuffer(t->context, flags, ITEMS * sizeof(cl_int), NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

static void run_on(struct e2e *t, cl_kernel k, cl_mem a)
{
    const size_t items = ITEMS;
    E2E_ARG(k, 0, a);
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
}

TEST(a_kernel_uses_a_buffer_that_is_mapped_for_writing)
{
    struct e2e t = e2e_open();
    cl_int error = 1;
    cl_kernel k = e2e_kernel(&t, "kernel void while_mapped(global int *a) { a[get_global_id(0)] = 1; }", "",
                             "while_mapped");
    cl_mem m = fresh(&t, 0);
    void *p = clEnqueueMapBuffer(t.queue, m, CL_TRUE, CL_MAP_WRITE, 0, 16, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(t.queue, m, p, 0, NULL, NULL), CL_SUCCESS);
    run_on(&t, k, m);
    expect(false, "is mapped for writing");
    p = clEnqueueMapBuffer(t.queue, m, CL_TRUE, CL_MAP_WRITE, 0, 16, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    run_on(&t, k, m);
    expect(true, "argument 0, 'a', is mapped for writing while the kernel uses it");
    expect(true, "\"kernel\": \"while_mapped\"");
    CHECK_EQ(clEnqueueUnmapMemObject(t.queue, m, p, 0, NULL, NULL), CL_SUCCESS);
    expect(false, "isn't mapped");
    CHECK_EQ(clEnqueueUnmapMemObject(t.queue, m, p, 0, NULL, NULL), CL_INVALID_VALUE);
    expect(true, "clEnqueueUnmapMemObject gets a pointer that isn't mapped");
    clReleaseMemObject(m);
    clReleaseKernel(k);
    e2e_close(&t);
}

TEST(an_argument_was_released)
{
    struct e2e t = e2e_open();
    const size_t items = ITEMS;
    cl_kernel k =
        e2e_kernel(&t, "kernel void late(global int *gone) { gone[get_global_id(0)] = 1; }", "", "late");
    cl_mem m = fresh(&t, 0);
    E2E_ARG(k, 0, m);
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    expect(false, "released since it was set");
    clReleaseMemObject(m);
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &items, NULL, 0, NULL, NULL),
             CL_INVALID_KERNEL_ARGS);
    expect(true, "argument 0, 'gone', is a memory object that has been released since it was set");
    clReleaseKernel(k);
    e2e_close(&t);
}

struct waiting {
    cl_command_queue queue;
    atomic_bool waits, done;
};

static void CL_CALLBACK wait_inside(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    struct waiting *w = user;
    if (atomic_load(&w->waits))
        clFinish(w->queue); // of a queue that is empty, so that this ends
    else
        clFlush(w->queue);
    atomic_store(&w->done, true);
}

static void call_back(struct e2e *t, struct waiting *w)
{
    cl_event marker = NULL;
    atomic_store(&w->done, false);
    CHECK_EQ(clEnqueueMarkerWithWaitList(t->queue, 0, NULL, &marker), CL_SUCCESS);
    CHECK_EQ(clSetEventCallback(marker, CL_COMPLETE, wait_inside, w), CL_SUCCESS);
    CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
    while (!atomic_load(&w->done))
        usleep(1000);
    clReleaseEvent(marker);
}

TEST(a_callback_waits)
{
    struct e2e t = e2e_open();
    cl_int error = 1;
    struct waiting w = {.queue = clCreateCommandQueueWithProperties(t.context, t.device, NULL, &error)};
    CHECK_EQ(error, CL_SUCCESS);
    call_back(&t, &w);
    expect(false, "in a callback");
    atomic_store(&w.waits, true);
    call_back(&t, &w);
    expect(true, "clFinish waits in a callback");
    clReleaseCommandQueue(w.queue);
    e2e_close(&t);
}

static const char copy_source[] =
    "kernel void copy(global int *a, global int *out) { out[get_global_id(0)] = a[get_global_id(0)]; }\n"
    "kernel void partly(global int *part, global int *out) { out[get_global_id(0)] = part[get_global_id(0)]; "
    "}";

static void copy_out(struct e2e *t, const char *name, cl_mem from)
{
    cl_int got[ITEMS];
    cl_kernel k = e2e_kernel(t, copy_source, "", name);
    cl_mem out = fresh(t, 0);
    E2E_ARG(k, 1, out);
    run_on(t, k, from);
    CHECK_EQ(clEnqueueReadBuffer(t->queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), CL_SUCCESS);
    clReleaseMemObject(out);
    clReleaseKernel(k);
}

// However the host writes it.
TEST(what_the_host_has_written_is_written)
{
    struct e2e t = e2e_open();
    cl_int numbers[ITEMS] = {0}, error = 1;
    const size_t bytes = sizeof numbers, zeros[3] = {0}, rows[3] = {16, 16, 1};
    cl_mem m[6];
    for (int i = 0; i < 6; i++)
        m[i] = fresh(&t, 0);
    CHECK_EQ(clEnqueueWriteBuffer(t.queue, m[0], CL_TRUE, 0, bytes, numbers, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueFillBuffer(t.queue, m[1], numbers, 4, 0, bytes, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBuffer(t.queue, m[0], m[2], 0, 0, bytes, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueWriteBufferRect(t.queue, m[3], CL_TRUE, zeros, zeros, rows, 16, 0, 16, 0, numbers, 0,
                                      NULL, NULL),
             CL_SUCCESS);
    void *p = clEnqueueMapBuffer(t.queue, m[4], CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    memset(p, 0, bytes);
    CHECK_EQ(clEnqueueUnmapMemObject(t.queue, m[4], p, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBufferRect(t.queue, m[3], m[5], zeros, zeros, rows, 16, 0, 16, 0, 0, NULL, NULL),
             CL_SUCCESS);
    for (int i = 0; i < 6; i++) {
        copy_out(&t, "copy", m[i]);
        clReleaseMemObject(m[i]);
    }
    cl_mem with_contents = clCreateBuffer(t.context, CL_MEM_USE_HOST_PTR, bytes, numbers, &error);
    CHECK_EQ(error, CL_SUCCESS);
    copy_out(&t, "copy", with_contents);
    clReleaseMemObject(with_contents);
    expect(false, "\"kernel\": \"copy\"");
    e2e_close(&t);
}

TEST(what_is_written_in_part_is_not_written)
{
    struct e2e t = e2e_open();
    cl_int numbers[ITEMS] = {0};
    cl_mem m = fresh(&t, 0), copied = fresh(&t, 0);
    CHECK_EQ(clEnqueueWriteBuffer(t.queue, m, CL_TRUE, 0, sizeof numbers - 1, numbers, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBuffer(t.queue, m, copied, 0, 0, sizeof numbers, 0, NULL, NULL), CL_SUCCESS);
    expect(false, "\"kernel\": \"partly\"");
    copy_out(&t, "partly", copied);
    expect(true, "depends on bytes of a buffer of 256 bytes that nobody has written, and the host reads it");
    clReleaseMemObject(m);
    clReleaseMemObject(copied);
    e2e_close(&t);
}
