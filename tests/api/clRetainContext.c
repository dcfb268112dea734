#include "api/api.h"

static cl_uint references(cl_context c)
{
    cl_uint n = 0;
    OK(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL));
    return n;
}

TEST(counts_what_the_application_holds)
{
    cl_context c = new_context();
    CHECK_EQ(references(c), 1);
    cl_command_queue q = new_queue(c, 0);
    cl_event e = new_user_event(c);
    CHECK_EQ(references(c), 1); // children don't show
    OK(clRetainContext(c));
    CHECK_EQ(references(c), 2);
    OK(clReleaseContext(c));
    OK(clReleaseEvent(e));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(a_queue_keeps_its_released_context_alive)
{
    cl_context c = new_context(), same = NULL;
    cl_command_queue q = new_queue(c, 0);
    OK(clReleaseContext(c));
    OK(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof same, &same, NULL));
    CHECK(same == c);
    // As a C++ wrapper does, it retains what the query returned.
    OK(clRetainContext(same));
    OK(clReleaseCommandQueue(q));
    CHECK_EQ(references(same), 1);
    OK(clReleaseContext(same));
}

TEST(BadContext)
{
    cl_context c = new_context();
    CHECK_EQ(clRetainContext(not_an_object(c)), CL_INVALID_CONTEXT);
    CHECK_EQ(clReleaseContext(not_an_object(c)), CL_INVALID_CONTEXT);
    OK(clReleaseContext(c));
    // A stale handle, too.
    CHECK_EQ(clReleaseContext(c), CL_INVALID_CONTEXT);
    CHECK_EQ(clRetainContext(c), CL_INVALID_CONTEXT);
}
