// clEnqueueMigrateMemObjects.
#include "memory_fixture.h"

static cl_int call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    return clEnqueueMigrateMemObjects(q, 1, &m, 0, n, list, event);
}
TEST_ENQUEUE_CALL(call, CL_COMMAND_MIGRATE_MEM_OBJECTS)

TEST(bad_lists_and_flags_are_refused)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 64, NULL), list[2] = {m, NULL};
    CHECK_EQ(clEnqueueMigrateMemObjects(w.queue, 0, &m, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueMigrateMemObjects(w.queue, 1, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueMigrateMemObjects(w.queue, 2, list, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueMigrateMemObjects(w.queue, 1, &m, 1u << 7, 0, NULL, NULL), CL_INVALID_VALUE);
    // Contexts come before the validity of any of them.
    cl_mem foreign[2] = {NULL, make_buffer(w.other, 0, 64, NULL)};
    CHECK_EQ(clEnqueueMigrateMemObjects(w.queue, 2, foreign, 0, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clReleaseMemObject(foreign[1]), CL_SUCCESS);
    CHECK_EQ(clEnqueueMigrateMemObjects(w.queue, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(
        clEnqueueMigrateMemObjects(w.queue, 1, &m, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL),
        CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(long_lists_are_held_until_done)
{
    struct world w = open_world(0);
    enum { COUNT = 100 };
    cl_mem list[COUNT];
    static int destroyed[COUNT];
    cl_event gate = make_user_event(w.context);
    for (int i = 0; i < COUNT; i++) {
        list[i] = make_buffer(w.context, 0, 64, NULL);
        CHECK_EQ(clSetMemObjectDestructorCallback(list[i], note_destruction, &destroyed[i]), CL_SUCCESS);
    }
    CHECK_EQ(clEnqueueMigrateMemObjects(w.queue, COUNT, list, 0, 1, &gate, NULL), CL_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(clReleaseMemObject(list[i]), CL_SUCCESS);
    CHECK_EQ(destroyed[0] + destroyed[COUNT - 1], 0);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        await_destruction(&destroyed[i], 1);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    close_world(&w);
}
