// Two threads act on one object at the same moment: each releases its own reference; each asks for the
// device's default queue; one makes a queue the default while the other releases it.
// timeout: 240
// labels: stress
#include "api/program_fixture.h"

#include <sched.h>

static cl_context context;
static cl_device_id device;
static atomic_int turn, done; // the iteration that the other thread may begin, and the last that it has ended
static void (*what)(int mine);
static void *shared;
static atomic_int called;
static cl_command_queue got[2];

enum { ITERATIONS = 40000 };

static void *other(void *unused)
{
    (void)unused;
    for (int round = 1; round <= ITERATIONS; round++) {
        while (atomic_load(&turn) < round)
            sched_yield();
        what(1);
        atomic_store(&done, round);
    }
    return NULL;
}

// Both threads call `it` once in each iteration, at different distances in time.
static void do_at_once(void (*before)(int round), void (*it)(int mine), void (*after)(void))
{
    pthread_t t;
    what = it;
    atomic_store(&turn, 0);
    atomic_store(&done, 0);
    CHECK_EQ(pthread_create(&t, NULL, other, NULL), 0);
    for (int round = 1; round <= ITERATIONS; round++) {
        before(round);
        atomic_store(&turn, round);
        for (volatile int i = round % 50; i > 0; i--)
            ;
        it(0);
        while (atomic_load(&done) < round)
            sched_yield();
        after();
    }
    CHECK_EQ(pthread_join(t, NULL), 0);
}

static void CL_CALLBACK memory_gone(cl_mem m, void *user)
{
    (void)m, (void)user;
    atomic_fetch_add(&called, 1);
}

static void CL_CALLBACK context_gone(cl_context c, void *user)
{
    (void)c, (void)user;
    atomic_fetch_add(&called, 1);
}

static void make_buffer(int round)
{
    (void)round;
    cl_int err;
    atomic_store(&called, 0);
    shared = clCreateBuffer(context, 0, 64, NULL, &err);
    CHECK(shared != NULL);
    OK(clSetMemObjectDestructorCallback(shared, memory_gone, NULL));
    OK(clRetainMemObject(shared));
}

static void make_context(int round)
{
    (void)round;
    atomic_store(&called, 0);
    shared = new_context();
    OK(clSetContextDestructorCallback(shared, context_gone, NULL));
    OK(clRetainContext(shared));
}

static void release_buffer(int mine)
{
    (void)mine;
    OK(clReleaseMemObject(shared));
}

static void release_context(int mine)
{
    (void)mine;
    OK(clReleaseContext(shared));
}

static void is_gone(void)
{
    CHECK_EQ(atomic_load(&called), 1);
}

TEST(destructor_callbacks_run_before_both_releases_have_returned)
{
    device = the_device();
    context = new_context();
    do_at_once(make_buffer, release_buffer, is_gone);
    do_at_once(make_context, release_context, is_gone);
    OK(clReleaseContext(context));
}

static void get_default(int mine)
{
    const cl_queue_properties requested[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int err;
    got[mine] = clCreateCommandQueueWithProperties(context, device, requested, &err);
    OK(err);
}

static void new_one(int round)
{
    (void)round;
    context = new_context();
}

static void both_have_one_queue(void)
{
    cl_uint references = 0;
    CHECK(got[0] != NULL && got[0] == got[1]);
    OK(clGetCommandQueueInfo(got[0], CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, NULL));
    CHECK_EQ(references, 2);
    OK(clReleaseCommandQueue(got[0]));
    OK(clReleaseCommandQueue(got[1]));
    OK(clReleaseContext(context));
}

TEST(threads_that_ask_at_once_get_one_default_queue)
{
    device = the_device();
    do_at_once(new_one, get_default, both_have_one_queue);
}

static void new_queue_on_device(int round)
{
    const cl_queue_properties requested[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int err;
    new_one(round);
    got[0] = clCreateCommandQueueWithProperties(context, device, requested, &err);
    OK(err);
}

// One makes it the default while the other lets go of it, which no application should do.
static void set_or_release(int mine)
{
    if (mine)
        clSetDefaultDeviceCommandQueue(context, device, got[0]);
    else
        OK(clReleaseCommandQueue(got[0]));
}

static void default_works(void)
{
    cl_uint references = 0;
    get_default(1);
    OK(clGetCommandQueueInfo(got[1], CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, NULL));
    CHECK_EQ(references, 1);
    OK(clReleaseCommandQueue(got[1]));
    OK(clReleaseContext(context));
}

TEST(a_released_queue_is_no_default)
{
    device = the_device();
    do_at_once(new_queue_on_device, set_or_release, default_works);
}
