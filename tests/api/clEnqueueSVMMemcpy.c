// clEnqueueSVMMemcpy and clEnqueueSVMMemFill.
#include "memory_fixture.h"

TEST(bad_copies_are_refused)
{
    struct world w = open_world(0);
    unsigned char *p = make_shared(w.context, 1024), *q = make_shared(w.context, 1024);
    cl_event foreign = make_user_event(w.other), none = NULL;
    CHECK_EQ(clEnqueueSVMMemcpy(NULL, CL_TRUE, p, q, 64, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, NULL, q, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, p, NULL, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, NULL, NULL, 0, 0, NULL, NULL),
             CL_SUCCESS); // cl_khr_unified_svm
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_FALSE, p, NULL, 0, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, NULL, "", 1, 0, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, p, q, SIZE_MAX, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, p, q, 64, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, p, q, 64, 0, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, p, q, 64, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, p, p, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, p, p + 63, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, p + 63, p, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, p + 64, p, 64, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, p, q, 0, 0, NULL, NULL), CL_SUCCESS);
    // A blocking copy returns an error if a command that it waited for failed.
    cl_event failed = make_user_event(w.context);
    CHECK_EQ(clSetUserEventStatus(failed, -1), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, p, q, 64, 1, &failed, NULL),
             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clReleaseEvent(failed), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(foreign), CL_SUCCESS);
    clSVMFree(w.context, p);
    clSVMFree(w.context, q);
    close_world(&w);
}

TEST(copies_and_fills_of_every_size_and_kind_of_memory)
{
    struct world w = open_world(CL_QUEUE_PROFILING_ENABLE);
    const size_t sizes[] = {8, 1000, 64 << 10, 1 << 20, 20 << 20};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        unsigned char *shared = make_shared(w.context, n), *host = malloc(n);
        CHECK(host != NULL);
        for (size_t i = 0; i < n; i++)
            host[i] = counted(i);
        cl_event e[3];
        CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_FALSE, shared, host, n, 0, NULL, &e[0]), CL_SUCCESS);
        CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
        CHECK(memcmp(shared, host, n) == 0);
        CHECK_EQ(clEnqueueSVMMemFill(w.queue, host, "\1\2\3\4", 4, n, 0, NULL, &e[1]), CL_SUCCESS);
        CHECK_EQ(clEnqueueSVMMemcpy(w.queue, CL_TRUE, shared, host, n, 0, NULL, &e[2]), CL_SUCCESS);
        for (size_t i = 0; i < n; i++)
            CHECK_EQ(shared[i], i % 4 + 1);
        const cl_command_type types[] = {CL_COMMAND_SVM_MEMCPY, CL_COMMAND_SVM_MEMFILL,
                                         CL_COMMAND_SVM_MEMCPY};
        for (int i = 0; i < 3; i++) {
            cl_command_type type = 0;
            CHECK_EQ(clGetEventInfo(e[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
            CHECK_EQ(type, types[i]);
            CHECK_EQ(clReleaseEvent(e[i]), CL_SUCCESS);
        }
        free(host);
        clSVMFree(w.context, shared);
    }
    close_world(&w);
}

TEST(bad_fills_are_refused)
{
    struct world w = open_world(0);
    unsigned char *p = make_shared(w.context, 1024);
    const cl_uchar pattern[256] = {1};
    cl_event foreign = make_user_event(w.other);
    CHECK_EQ(clEnqueueSVMMemFill(NULL, p, pattern, 4, 64, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, NULL, pattern, 4, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, p + 2, pattern, 4, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, p, NULL, 4, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, p, pattern, 0, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, p, pattern, 3, 63, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, p, pattern, 256, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, p, pattern, 4, 66, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, p, pattern, 4, 64, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, p, pattern, 4, 64, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueSVMMemFill(w.queue, p, pattern, 128, 1024, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(foreign), CL_SUCCESS);
    clSVMFree(w.context, p);
    close_world(&w);
}
