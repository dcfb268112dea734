// clEnqueueSVMFree.
#include "memory_fixture.h"

#include <stdatomic.h>

struct freed {
    cl_command_queue queue;
    cl_uint count;
    void *pointers[40];
    _Atomic int calls;
};

static void CL_CALLBACK free_them(cl_command_queue queue, cl_uint count, void *pointers[], void *user)
{
    struct freed *f = user;
    f->queue = queue;
    f->count = count;
    memcpy(f->pointers, pointers, count * sizeof *pointers);
    atomic_fetch_add(&f->calls, 1);
}

TEST(bad_arguments_are_refused)
{
    struct world w = open_world(0);
    void *p[1] = {clSVMAlloc(w.context, CL_MEM_READ_WRITE, 64, 0)};
    cl_event foreign = make_user_event(w.other), none = NULL;
    CHECK_EQ(clEnqueueSVMFree(NULL, 1, p, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueSVMFree(w.queue, 0, p, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMFree(w.queue, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMFree(w.queue, 1, p, NULL, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueSVMFree(w.queue, 1, p, NULL, NULL, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueSVMFree(w.queue, 1, p, NULL, NULL, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    clSVMFree(w.context, p[0]);
    CHECK_EQ(clReleaseEvent(foreign), CL_SUCCESS);
    close_world(&w);
}

TEST(allocations_are_freed_by_the_command)
{
    struct world w = open_world(0);
    cl_event gate = make_user_event(w.context), done = NULL;
    void *p[40];
    for (int i = 0; i < 40; i++) {
        p[i] = clSVMAlloc(w.context, CL_MEM_READ_WRITE, 1000, 0);
        CHECK(p[i] != NULL);
    }
    void *kept[40];
    memcpy(kept, p, sizeof p);
    CHECK(is_shared(w.queue, kept[39]));
    CHECK_EQ(clEnqueueSVMFree(w.queue, 40, p, NULL, NULL, 1, &gate, &done), CL_SUCCESS);
    memset(p, 0, sizeof p); // the call has taken its copy
    for (int i = 0; i < 40; i++)
        memset(kept[i], i, 1000); // still there
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
    // They are the context's no more.
    for (int i = 0; i < 40; i++)
        CHECK(!is_shared(w.queue, kept[i]));
    cl_command_type type = 0;
    CHECK_EQ(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
    CHECK_EQ(type, CL_COMMAND_SVM_FREE);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(done), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMFree(w.queue, 0, NULL, NULL, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    close_world(&w);
}

TEST(the_application_frees_what_it_says_it_does)
{
    for (cl_uint n = 3; n <= 40; n += 37) { // in the command, and beside it
        struct world w = open_world(0);
        struct freed f = {0};
        void *p[40];
        for (int i = 0; i < 40; i++)
            p[i] = (char *)&f + i; // not from clSVMAlloc
        cl_event done = NULL;
        CHECK_EQ(clEnqueueSVMFree(w.queue, n, p, free_them, &f, 0, NULL, &done), CL_SUCCESS);
        CHECK_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
        CHECK_EQ(atomic_load(&f.calls), 1);
        CHECK(f.queue == w.queue);
        CHECK_EQ(f.count, n);
        for (cl_uint i = 0; i < n; i++)
            CHECK(f.pointers[i] == p[i]);
        CHECK_EQ(clReleaseEvent(done), CL_SUCCESS);
        close_world(&w);
    }
}

// What frees may be freed: the callback calls clSVMFree, as most do.
static void CL_CALLBACK free_each(cl_command_queue queue, cl_uint count, void *pointers[], void *user)
{
    (void)queue;
    for (cl_uint i = 0; i < count; i++)
        clSVMFree((cl_context)user, pointers[i]);
}
TEST(a_callback_may_call_clSVMFree)
{
    struct world w = open_world(0);
    void *p[2] = {clSVMAlloc(w.context, CL_MEM_READ_WRITE, 64, 0),
                  clSVMAlloc(w.context, CL_MEM_READ_WRITE, 3 << 20, 0)};
    CHECK_EQ(clEnqueueSVMFree(w.queue, 2, p, free_each, w.context, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK(!is_shared(w.queue, p[1]));
    close_world(&w);
}
