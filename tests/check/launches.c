// Races between launches: two kernels touch the same bytes, one of them writes, and neither a queue nor an
// event nor a wait of the host orders them (kind race). Each pair has twins that are in order.
// docs/check.md.
// timeout: 120
// env: WEFT_CHECK=race
// env: WEFT_CHECK_REPORT=launches.json
// env: WEFT_CACHE=0
#include "e2e/e2e.h"

enum { ITEMS = 64 };

// Two kernels with names of their own, so that findings tell which test they are of.
struct pair {
    struct e2e t;
    const char *name;
    cl_command_queue q[2];
    cl_kernel k[2];
    cl_mem a, b;
};

static cl_command_queue queue(struct e2e *t, bool in_order)
{
    cl_int error = 1;
    const cl_queue_properties free[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue q =
        clCreateCommandQueueWithProperties(t->context, t->device, in_order ? NULL : free, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return q;
}

static cl_mem buffer(struct e2e *t)
{
    cl_int error = 1, bytes[ITEMS];
    memset(bytes, 255, sizeof bytes); // no kernel writes what is there already
    cl_mem m = clCreateBuffer(t->context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

// What the kernels do, in terms of a, b and i. queues: 1: one out of order, 2: two in order.
static struct pair open_pair(const char *name, unsigned queues, const char *first, const char *second)
{
    struct pair p = {.t = e2e_open(), .name = name};
    static char source[4096], names[2][64];
    snprintf(source, sizeof source,
             "kernel void first_%s(global int *a, global int *b) { int i = get_global_id(0); %s }\n"
             "kernel void second_%s(global int *a, global int *b) { int i = get_global_id(0); %s }\n",
             name, first, name, second);
    for (unsigned k = 0; k < 2; k++) {
        snprintf(names[k], sizeof names[k], "%s_%s", k ? "second" : "first", name);
        p.k[k] = e2e_kernel(&p.t, source, "", names[k]);
        p.q[k] = k && queues == 1 ? p.q[0] : queue(&p.t, queues == 2);
    }
    p.a = buffer(&p.t);
    p.b = buffer(&p.t);
    for (unsigned k = 0; k < 2; k++) {
        E2E_ARG(p.k[k], 0, p.a);
        E2E_ARG(p.k[k], 1, p.b);
    }
    return p;
}

static void launch(const struct pair *p, unsigned k, cl_event wait, cl_event *event)
{
    const size_t items = ITEMS;
    CHECK_EQ(clEnqueueNDRangeKernel(p->q[k], p->k[k], 1, NULL, &items, NULL, wait ? 1 : 0,
                                    wait ? &wait : NULL, event),
             CL_SUCCESS);
}

static char *report(void)
{
    static char text[1 << 16];
    FILE *f = fopen("launches.json", "re");
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = '\0';
    if (f)
        fclose(f);
    return text;
}

// Either kernel may run first.
static void close_pair(struct pair *p, bool found)
{
    char words[2][128];
    for (unsigned k = 0; k < 2; k++) {
        CHECK_EQ(clFinish(p->q[k]), CL_SUCCESS);
        snprintf(words[k], sizeof words[k], "this launch and an earlier one of kernel %s_%s ",
                 k ? "second" : "first", p->name);
    }
    const char *text = report();
    if ((strstr(text, words[0]) || strstr(text, words[1])) != found)
        FAIL("%s: a race is %sexpected, but the report is:\n%s", p->name, found ? "" : "not ", text);
    clReleaseMemObject(p->a);
    clReleaseMemObject(p->b);
    clReleaseKernel(p->k[0]);
    clReleaseKernel(p->k[1]);
    if (p->q[1] != p->q[0])
        clReleaseCommandQueue(p->q[1]);
    clReleaseCommandQueue(p->q[0]);
    e2e_close(&p->t);
}

static const char *const writes = "a[i] = i + 1;", *const reads = "b[i] = a[63 - i];";

static void without_order(const char *name, unsigned queues, const char *first, const char *second,
                          bool found)
{
    struct pair p = open_pair(name, queues, first, second);
    launch(&p, 0, NULL, NULL);
    launch(&p, 1, NULL, NULL);
    close_pair(&p, found);
}

TEST(nothing_orders_them)
{
    without_order("free", 1, writes, reads, true);
    without_order("queues", 2, writes, reads, true);
    without_order("reads_first", 2, reads, writes, true);
    without_order("both_write", 2, writes, "a[63 - i] = 7;", true);
    without_order("bytes", 1, writes, "if (i == 5) b[0] = ((global char *)a)[9];", true);
    without_order("wide", 1, writes, "if (i == 5) ((global int4 *)b)[0] = ((global int4 *)a)[2];", true);
    without_order("one_item", 2, "if (i == 3) a[40] = 9;", "if (i == 60) b[0] = a[40];", true);
}

TEST(they_touch_nothing_in_common)
{
    without_order("halves", 1, "if (i < 32) a[i] = 1;", "if (i >= 32) a[i] = 2;", false);
    without_order("both_read", 2, "if (a[i] == 77) b[0] = 1;", "if (a[i] == 77) b[1] = 1;", false);
    without_order("atomics", 2, "atomic_inc(a);", "atomic_dec(a);", false);
    without_order("flag", 2, "a[0] = 1;", "a[0] = 1;", false);
    without_order("locals", 1, "local int t[64]; t[get_local_id(0)] = i; a[i] = t[get_local_id(0)];",
                  "local int t[64]; t[get_local_id(0)] = 2 * i; b[i] = t[get_local_id(0)];", false);
}

TEST(an_event_orders_them)
{
    for (unsigned queues = 1; queues <= 2; queues++) {
        struct pair p = open_pair(queues == 1 ? "event" : "event_of_other", queues, writes, reads);
        cl_event done = NULL;
        launch(&p, 0, NULL, &done);
        launch(&p, 1, done, NULL);
        clReleaseEvent(done);
        close_pair(&p, false);
    }
}

TEST(a_barrier_or_marker_orders_them)
{
    struct pair p = open_pair("barrier", 1, writes, reads);
    launch(&p, 0, NULL, NULL);
    CHECK_EQ(clEnqueueBarrierWithWaitList(p.q[0], 0, NULL, NULL), CL_SUCCESS);
    launch(&p, 1, NULL, NULL);
    close_pair(&p, false);

    p = open_pair("marker", 1, writes, reads);
    cl_event marker = NULL;
    launch(&p, 0, NULL, NULL);
    CHECK_EQ(clEnqueueMarkerWithWaitList(p.q[0], 0, NULL, &marker), CL_SUCCESS);
    launch(&p, 1, marker, NULL);
    clReleaseEvent(marker);
    close_pair(&p, false);

    // Nobody waits for this one.
    p = open_pair("marker_alone", 1, writes, reads);
    launch(&p, 0, NULL, NULL);
    CHECK_EQ(clEnqueueMarkerWithWaitList(p.q[0], 0, NULL, NULL), CL_SUCCESS);
    launch(&p, 1, NULL, NULL);
    close_pair(&p, true);
}

TEST(the_host_orders_them)
{
    cl_event done = NULL;
    struct pair p = open_pair("finish", 2, writes, reads);
    launch(&p, 0, NULL, NULL);
    CHECK_EQ(clFinish(p.q[0]), CL_SUCCESS);
    launch(&p, 1, NULL, NULL);
    close_pair(&p, false);

    p = open_pair("wait", 1, writes, reads);
    launch(&p, 0, NULL, &done);
    CHECK_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
    launch(&p, 1, NULL, NULL);
    clReleaseEvent(done);
    close_pair(&p, false);

    p = open_pair("blocking_read", 2, writes, reads);
    cl_int number;
    launch(&p, 0, NULL, NULL);
    CHECK_EQ(clEnqueueReadBuffer(p.q[0], p.a, CL_TRUE, 0, sizeof number, &number, 0, NULL, NULL), CL_SUCCESS);
    launch(&p, 1, NULL, NULL);
    close_pair(&p, false);

    p = open_pair("polled", 2, writes, reads);
    launch(&p, 0, NULL, &done);
    CHECK_EQ(clFlush(p.q[0]), CL_SUCCESS);
    for (cl_int status = CL_QUEUED; status != CL_COMPLETE; usleep(1000))
        CHECK_EQ(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                 CL_SUCCESS);
    launch(&p, 1, NULL, NULL);
    clReleaseEvent(done);
    close_pair(&p, false);
}

TEST(a_user_event_orders_them)
{
    cl_int error = 1;
    struct pair p = open_pair("user_event", 2, writes, reads);
    cl_event go = clCreateUserEvent(p.t.context, &error);
    CHECK_EQ(error, CL_SUCCESS);
    launch(&p, 1, go, NULL);
    launch(&p, 0, NULL, NULL);
    CHECK_EQ(clFinish(p.q[0]), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
    clReleaseEvent(go);
    close_pair(&p, false);
}

TEST(a_queue_in_order_orders_them)
{
    struct pair p = open_pair("same_queue", 2, writes, reads);
    cl_command_queue other = p.q[1];
    p.q[1] = p.q[0];
    launch(&p, 0, NULL, NULL);
    launch(&p, 1, NULL, NULL);
    close_pair(&p, false);
    clReleaseCommandQueue(other);
}

// One launch, whose arguments share memory: what each work-item has for itself isn't its own then.
static void one_launch(const char *name, const char *does, bool same, bool found)
{
    struct pair p = open_pair(name, 2, does, "");
    char words[64];
    if (same)
        E2E_ARG(p.k[0], 1, p.a);
    launch(&p, 0, NULL, NULL);
    CHECK_EQ(clFinish(p.q[0]), CL_SUCCESS);
    snprintf(words, sizeof words, "\"kernel\": \"first_%s\"", name);
    if ((strstr(report(), words) != NULL) != found)
        FAIL("%s: a race is %sexpected, but the report is:\n%s", name, found ? "" : "not ", report());
    close_pair(&p, false);
}

TEST(two_arguments_are_one_buffer)
{
    one_launch("apart", "a[i] = b[63 - i] + 2;", false, false);
    one_launch("aliased", "a[i] = b[63 - i] + 2;", true, true);
    one_launch("aliased_own", "a[i] = b[i] + 2;", true, false);
}

// New memory may lie where other memory lay that has been released.
TEST(released_memory_is_nobodys)
{
    struct pair p = open_pair("released", 2, writes, writes);
    for (unsigned i = 0; i < 50; i++) {
        const unsigned k = i % 2;
        cl_mem m = buffer(&p.t);
        E2E_ARG(p.k[k], 0, m);
        launch(&p, k, NULL, NULL);
        clReleaseMemObject(m);
    }
    close_pair(&p, false);
}
