// clEnqueueSVMMap, clEnqueueSVMUnmap and clEnqueueSVMMigrateMem.
#include "memory_fixture.h"

TEST(bad_arguments_are_refused)
{
    struct world w = open_world(0);
    unsigned char *p = make_shared(w.context, 1024);
    cl_event foreign = make_user_event(w.other);
    CHECK_EQ(clEnqueueSVMMap(NULL, CL_TRUE, CL_MAP_READ, p, 64, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, NULL, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, p, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMap(w.queue, CL_TRUE, 0x100, p, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, p, 64, 1, NULL, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, p, 64, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueSVMUnmap(NULL, p, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueSVMUnmap(w.queue, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMUnmap(w.queue, p, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueSVMUnmap(w.queue, p, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    cl_event failed = make_user_event(w.context);
    CHECK_EQ(clSetUserEventStatus(failed, -1), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, p, 64, 1, &failed, NULL),
             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clReleaseEvent(failed), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(foreign), CL_SUCCESS);
    clSVMFree(w.context, p);
    close_world(&w);
}

TEST(a_blocking_map_shows_what_was_enqueued_before)
{
    struct world w = open_world(0);
    unsigned char *p = make_shared(w.context, 1 << 20);
    for (int i = 0; i < 100; i++) {
        unsigned char value = (unsigned char)i;
        CHECK_EQ(clEnqueueSVMMemFill(w.queue, p, &value, 1, 1 << 20, 0, NULL, NULL), CL_SUCCESS);
        cl_event e[2];
        CHECK_EQ(clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, p, 1 << 20, 0, NULL, &e[0]), CL_SUCCESS);
        CHECK_EQ(event_status(e[0]), CL_COMPLETE);
        CHECK_EQ(p[0], value);
        CHECK_EQ(p[(1 << 20) - 1], value);
        CHECK_EQ(clEnqueueSVMUnmap(w.queue, p, 0, NULL, &e[1]), CL_SUCCESS);
        CHECK_EQ(clWaitForEvents(1, &e[1]), CL_SUCCESS);
        const cl_command_type types[] = {CL_COMMAND_SVM_MAP, CL_COMMAND_SVM_UNMAP};
        for (int k = 0; k < 2; k++) {
            cl_command_type type = 0;
            CHECK_EQ(clGetEventInfo(e[k], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
            CHECK_EQ(type, types[k]);
            CHECK_EQ(clReleaseEvent(e[k]), CL_SUCCESS);
        }
    }
    clSVMFree(w.context, p);
    close_world(&w);
}

TEST(only_allocations_migrate)
{
    struct world w = open_world(0);
    unsigned char *p = make_shared(w.context, 1000), *other = clSVMAlloc(w.other, CL_MEM_READ_WRITE, 64, 0);
    const void *list[] = {p, p + 999}, *foreign[] = {p, other};
    const size_t sizes[] = {1000, 1}, beyond[] = {1000, 2}, whole[] = {0, 0}, wrapped[] = {SIZE_MAX};
    int mine = 0;
    const void *host[] = {&mine}, *nowhere[] = {NULL};
    CHECK_EQ(clEnqueueSVMMigrateMem(NULL, 2, list, sizes, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 0, list, sizes, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 2, NULL, sizes, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 2, list, beyond, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    // Whatever isn't the context's is the application's, and good for the device too.
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 2, foreign, NULL, 0, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 1, host, NULL, 0, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 1, host, wrapped, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 1, nowhere, NULL, 0, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 1, nowhere, sizes, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 2, list, sizes, 0x80, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 2, list, sizes, 0, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 2, list, NULL, 0, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 2, list, whole, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL),
             CL_SUCCESS);
    cl_event e = NULL;
    CHECK_EQ(clEnqueueSVMMigrateMem(w.queue, 2, list, sizes, 0, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    cl_command_type type = 0;
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
    CHECK_EQ(type, CL_COMMAND_SVM_MIGRATE_MEM);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    clSVMFree(w.context, p);
    clSVMFree(w.other, other);
    close_world(&w);
}
