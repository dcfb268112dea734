#include "api/api.h"

struct args {
    int *source;
    cl_mem a, none, b;
    size_t n;
};

static void CL_CALLBACK add(void *p)
{
    struct args *x = p;
    int *a = (int *)(void *)x->a, *b = (int *)(void *)x->b;
    if (x->none)
        return;
    for (size_t i = 0; i < x->n; i++)
        b[i] = a[i] + x->source[i];
}

TEST(memory_objects_become_pointers_in_a_copy_of_the_arguments)
{
    enum { N = 100 };
    int source[N], a[N], b[N];
    for (int i = 0; i < N; i++) {
        source[i] = i;
        a[i] = 1000 * i;
    }
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_mem ma = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizeof a, a, NULL);
    cl_mem mb = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof b, NULL, NULL);
    struct args x = {source, ma, (cl_mem)&x, mb, N};
    cl_mem list[] = {ma, NULL, mb};
    const void *places[] = {&x.a, &x.none, &x.b};
    cl_event gate = new_user_event(c);
    OK(clEnqueueNativeKernel(q, add, &x, sizeof x, 3, list, places, 1, &gate, NULL));
    memset(&x, 0xff, sizeof x); // the block was copied
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueReadBuffer(q, mb, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        CHECK_EQ(b[i], 1001 * i);
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(ma));
    OK(clReleaseMemObject(mb));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

static void CL_CALLBACK nothing(void *unused)
{
    (void)unused;
}

TEST(errors_in_the_order_of_the_specification)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, 64, NULL, NULL), bad = not_an_object(m);
    void *block[2] = {0};
    const void *place = &block[1], *outside = &block[2];
    cl_event e = NULL;
    CHECK_EQ(clEnqueueNativeKernel(not_an_object(q), nothing, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
             CL_INVALID_COMMAND_QUEUE);
    cl_context other = new_context();
    cl_event foreign = new_user_event(other);
    CHECK_EQ(clEnqueueNativeKernel(q, NULL, NULL, 8, 0, NULL, NULL, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    OK(clReleaseEvent(foreign));
    OK(clReleaseContext(other));
    CHECK_EQ(clEnqueueNativeKernel(q, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(q, nothing, NULL, 8, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(q, nothing, NULL, 0, 1, &m, &place, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(q, nothing, block, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(q, nothing, block, 16, 1, NULL, &place, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(q, nothing, block, 16, 1, &m, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(q, nothing, block, 16, 0, &m, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(q, nothing, block, 16, 0, NULL, &place, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(q, nothing, block, 16, 1, &m, &outside, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(q, nothing, block, 16, 1, &bad, &place, 0, NULL, NULL),
             CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueNativeKernel(q, nothing, block, 16, 1, &m, &place, 1, NULL, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    OK(clEnqueueNativeKernel(q, nothing, block, 16, 1, &m, &place, 0, NULL, &e));
    OK(clWaitForEvents(1, &e));
    OK(clReleaseEvent(e));
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}
