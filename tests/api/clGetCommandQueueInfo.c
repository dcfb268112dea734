#include "api/api.h"

static const struct query_row rows[] = {
#include "runtime/info/queue.def"
};

static cl_int ask(void *object, cl_uint name, size_t size, void *value, size_t *size_ret)
{
    return clGetCommandQueueInfo(object, name, size, value, size_ret);
}

TEST(every_query)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    check_queries(ask, q, rows, COUNT_OF(rows), CL_INVALID_COMMAND_QUEUE);
    cl_uint size;
    CHECK_EQ(ask(q, CL_QUEUE_SIZE, sizeof size, &size, NULL), CL_INVALID_COMMAND_QUEUE); // not a device queue
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(values)
{
    cl_context c = new_context(), context = NULL;
    cl_device_id device = NULL;
    const cl_queue_properties given[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_queue_properties back[8];
    size_t size = 0;
    cl_command_queue q = clCreateCommandQueueWithProperties(c, the_device(), given, NULL);
    OK(ask(q, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    CHECK(context == c);
    OK(ask(q, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    CHECK(device == the_device());
    OK(ask(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof back, back, &size));
    CHECK_EQ(size, sizeof given);
    CHECK_MEM(back, given, sizeof given);
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}
