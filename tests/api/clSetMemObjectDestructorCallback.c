// clSetMemObjectDestructorCallback, clRetainMemObject, clReleaseMemObject.
#include "memory_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

static char order[16];
static void CL_CALLBACK note(cl_mem m, void *user)
{
    (void)m;
    strcat(order, user);
}

TEST(errors_are_those_of_the_spec)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 64, NULL);
    CHECK_EQ(clSetMemObjectDestructorCallback(NULL, note, "x"), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetMemObjectDestructorCallback((cl_mem)w.queue, note, "x"), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clRetainMemObject(NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clRetainMemObject((cl_mem)w.queue), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clReleaseMemObject((cl_mem)w.queue), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clRetainMemObject(m), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, note, "x"), CL_INVALID_MEM_OBJECT);
    close_world(&w);
}

TEST(callbacks_run_last_first_when_the_last_reference_goes)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 64, NULL);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, note, "1"), CL_SUCCESS);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, note, "2"), CL_SUCCESS);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, note, "3"), CL_SUCCESS);
    CHECK_EQ(clRetainMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_STR(order, "");
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_STR(order, "321");
    close_world(&w);
}

TEST(a_sub_buffers_callbacks_run_before_its_buffers)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 256, NULL), sub = make_sub(m, 128, 128);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, note, "b"), CL_SUCCESS);
    CHECK_EQ(clSetMemObjectDestructorCallback(sub, note, "s"), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_STR(order, "");
    CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS);
    CHECK_STR(order, "sb");
    close_world(&w);
}

// The host's memory may be freed or used again in the callback.
static void CL_CALLBACK reuse(cl_mem m, void *user)
{
    (void)m;
    memset(user, 0xee, 64);
    free(user);
}
TEST(the_callback_may_free_the_host_memory)
{
    struct world w = open_world(0);
    void *host = malloc(64);
    cl_mem m = make_buffer(w.context, CL_MEM_USE_HOST_PTR, 64, host);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, reuse, host), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

static cl_mem other;
static void CL_CALLBACK release_other(cl_mem m, void *user)
{
    (void)m;
    (void)user;
    CHECK_EQ(clReleaseMemObject(other), CL_SUCCESS);
}
TEST(the_callback_may_release_other_objects)
{
    struct world w = open_world(0);
    other = make_buffer(w.context, 0, 64, NULL);
    cl_mem m = make_buffer(w.context, 0, 64, NULL);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, release_other, NULL), CL_SUCCESS);
    CHECK_EQ(clSetMemObjectDestructorCallback(other, note, "o"), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_STR(order, "o");
    close_world(&w);
}

static pthread_mutex_t applications_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t waiting_thread;
static _Atomic int locked_calls;
static void CL_CALLBACK lock_and_count(cl_mem m, void *user)
{
    (void)m;
    (void)user;
    CHECK(!pthread_equal(pthread_self(), waiting_thread));
    pthread_mutex_lock(&applications_lock);
    atomic_fetch_add(&locked_calls, 1);
    pthread_mutex_unlock(&applications_lock);
}

// The last reference goes with a command, on whichever thread settles that: the waiting one, as a rule.
TEST(a_callback_due_to_a_command_may_take_a_lock_that_the_waiting_thread_holds)
{
    struct world w = open_world(0);
    waiting_thread = pthread_self();
    cl_int error = 1;
    static char bytes[64];
    for (int i = 1; i <= 50; i++) {
        cl_event gate = clCreateUserEvent(w.context, &error);
        CHECK_EQ(error, CL_SUCCESS);
        cl_mem m = make_buffer(w.context, 0, 64, NULL);
        CHECK_EQ(clSetMemObjectDestructorCallback(m, lock_and_count, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueWriteBuffer(w.queue, m, CL_FALSE, 0, 64, bytes, 1, &gate, NULL), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        pthread_mutex_lock(&applications_lock);
        CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
        pthread_mutex_unlock(&applications_lock);
        CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
        for (int ms = 0; ms < 10000 && atomic_load(&locked_calls) < i; ms++)
            usleep(1000);
        CHECK_EQ(atomic_load(&locked_calls), i);
    }
    close_world(&w);
}

TEST(a_release_calls_back_on_its_own_thread)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 64, NULL);
    // A lock that this thread may take again, as an interpreter's.
    pthread_mutexattr_t again;
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&applications_lock, &again);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, lock_and_count, NULL), CL_SUCCESS);
    pthread_mutex_lock(&applications_lock);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(atomic_load(&locked_calls), 1);
    pthread_mutex_unlock(&applications_lock);
    close_world(&w);
}
