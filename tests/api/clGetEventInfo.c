#include "api/api.h"

static const struct query_row rows[] = {
#include "runtime/info/event.def"
};

static cl_int ask(void *object, cl_uint name, size_t size, void *value, size_t *size_ret)
{
    return clGetEventInfo(object, name, size, value, size_ret);
}

TEST(every_query)
{
    cl_context c = new_context(), context = NULL;
    cl_command_queue q = new_queue(c, 0), queue = NULL;
    cl_event m = NULL;
    cl_command_type type = 0;
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &m));
    check_queries(ask, m, rows, COUNT_OF(rows), CL_INVALID_EVENT);
    OK(ask(m, CL_EVENT_CONTEXT, sizeof context, &context, NULL));
    CHECK(context == c);
    OK(ask(m, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
    CHECK(queue == q);
    OK(ask(m, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK_EQ(type, CL_COMMAND_MARKER);
    OK(clReleaseEvent(m));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(references)
{
    cl_context c = new_context();
    cl_event e = new_user_event(c);
    cl_uint n = 0;
    OK(clRetainEvent(e));
    OK(ask(e, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL));
    CHECK_EQ(n, 2);
    OK(clReleaseEvent(e));
    OK(clReleaseEvent(e));
    CHECK_EQ(clReleaseEvent(e), CL_INVALID_EVENT);
    CHECK_EQ(clRetainEvent(e), CL_INVALID_EVENT);
    CHECK_EQ(clRetainEvent(not_an_object(e)), CL_INVALID_EVENT);
    OK(clReleaseContext(c));
}
