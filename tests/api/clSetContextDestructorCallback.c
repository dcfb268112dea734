#include "api/api.h"

static int order[8], calls;

static void CL_CALLBACK note(cl_context context, void *user)
{
    (void)context;
    order[calls++] = *(int *)user;
}

TEST(called_in_reverse_order_when_the_last_object_goes)
{
    int one = 1, two = 2;
    cl_context c = new_context();
    OK(clSetContextDestructorCallback(c, note, &one));
    OK(clSetContextDestructorCallback(c, note, &two));
    cl_command_queue q = new_queue(c, 0);
    OK(clReleaseContext(c));
    CHECK_EQ(calls, 0);
    OK(clReleaseCommandQueue(q));
    CHECK_EQ(calls, 2);
    CHECK_EQ(order[0], 2);
    CHECK_EQ(order[1], 1);
}

TEST(BadArguments)
{
    cl_context c = new_context();
    CHECK_EQ(clSetContextDestructorCallback(not_an_object(c), note, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clSetContextDestructorCallback(c, NULL, NULL), CL_INVALID_VALUE);
    OK(clReleaseContext(c));
}
